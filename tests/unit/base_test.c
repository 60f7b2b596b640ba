/* base: arenas, text, diagnostics, hashes, files, the pool. */
#include "base/base.h"
#include "test.h"

#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define TEST_ASAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TEST_ASAN
#endif
#endif
#ifdef TEST_ASAN
#include <sanitizer/asan_interface.h>
#endif

/* ---- memory ---------------------------------------------------------- */

static void arena_blocks(void)
{
	Arena a;
	arena_init(&a);
	for (size_t i = 1; i < 3000; i++) {
		size_t align = (size_t)1 << i % 8;
		unsigned char *p = arena_alloc(&a, i, align);
		CHECK((uintptr_t)p % align == 0);
		CHECK(p[0] == 0 && p[i - 1] == 0);
		memset(p, 0xff, i);
	}
	CHECK(a.used == 2999 * 3000 / 2);
	arena_clear(&a);
	CHECK(a.used == 0 && a.head != NULL);
	const char *again = arena_alloc(&a, 4096, 64);
	bool zero = true;
	for (size_t i = 0; i < 4096; i++)
		zero &= again[i] == 0;
	CHECK(zero);
	char *big = arena_alloc(&a, 5 << 20, 4096);
	CHECK((uintptr_t)big % 4096 == 0 && big[(5 << 20) - 1] == 0);
	CHECK_STR(arena_printf(&a, "%d %s", 7, "x"), "7 x");
	CHECK(strlen(arena_printf(&a, "%300d", 7)) == 300);
	CHECK_STR(arena_strndup(&a, "hello", 2), "he");
	arena_release(&a);
	CHECK(a.head == NULL);
}

static void arena_vectors(void)
{
	Arena a;
	VEC(int) v = {0};
	arena_init(&a);
	for (int i = 0; i < 10000; i++)
		VEC_PUSH(&a, v, i);
	bool same = v.n == 10000;
	for (int i = 0; i < 10000; i++)
		same &= v.p[i] == i;
	CHECK(same);
	arena_release(&a);
}

/* Overruns and uses after a clear meet poison. */
static void arena_poison(void)
{
#ifdef TEST_ASAN
	Arena a;
	arena_init(&a);
	char *p = arena_alloc(&a, 40, 8), *q = arena_alloc(&a, 40, 8);
	CHECK(!__asan_address_is_poisoned(p + 39));
	CHECK(__asan_address_is_poisoned(p + 40));
	CHECK(__asan_address_is_poisoned(q + 40));
	arena_clear(&a);
	CHECK(__asan_address_is_poisoned(p));
	CHECK(arena_alloc(&a, 40, 8) == p);
	CHECK(!__asan_address_is_poisoned(p));
	CHECK(__asan_address_is_poisoned(q));
	arena_release(&a);
#else
	SKIP("only the address sanitiser poisons");
#endif
}

static void count_call(void *p)
{
	(*(int *)p)++;
}

static void arena_deferred(void)
{
	Arena a;
	int calls = 0;
	arena_init(&a);
	arena_defer(&a, count_call, &calls);
	arena_clear(&a);
	CHECK(calls == 1);
	arena_defer(&a, count_call, &calls);
	arena_defer(&a, count_call, &calls);
	arena_release(&a);
	CHECK(calls == 3);
}

/* Every allocation of some work fails in turn, and the trap is reached. */
static void oom_each(void)
{
	volatile long n = 0;
	for (volatile bool done = false; !done && n < 10000;) {
		OomTrap t;
		Arena a;
		arena_init(&a);
		oom_fail_nth(++n);
		if (OOM_TRAP(&t)) {
			oom_trap_pop(&t); /* popped already: no effect */
		} else {
			Buf b;
			buf_init(&b, &a);
			for (int i = 0; i < 100; i++)
				buf_printf(&b, "%d,", i);
			Sha256 *h = sha256_new(&a);
			sha256_add(h, b.p, b.n);
			StrMap *m = strmap_new(&a);
			for (uint32_t i = 0; i < 50; i++)
				strmap_set(m, arena_printf(&a, "k%u", i), i);
			oom_trap_pop(&t);
			done = true;
		}
		oom_fail_nth(0);
		arena_release(&a);
	}
	CHECK(n > 100 && n < 10000);
	oom_fail_nth(1);
	CHECK(big_alloc(100) == NULL);
	oom_fail_nth(0);
}

static void oom_sizes(void)
{
	Arena a;
	OomTrap outer, t;
	volatile int raised = 0;
	arena_init(&a);
	if (OOM_TRAP(&outer)) {
		CHECK(false);
	} else {
		if (OOM_TRAP(&t))
			raised++;
		else
			(void)arena_array(&a, int64_t, SIZE_MAX / 4);
		if (OOM_TRAP(&t))
			raised++;
		else
			(void)arena_alloc(&a, SIZE_MAX, 1);
		oom_trap_pop(&outer);
	}
	CHECK(raised == 2);
	CHECK(big_alloc(SIZE_MAX) == NULL);
	char *p = big_alloc(0), *q = big_alloc(100), *r = big_alloc(9 << 20);
	CHECK(p && q && r && (uintptr_t)q % 64 == 0 && (uintptr_t)r % 64 == 0);
	big_free(p, 0);
	big_free(q, 100);
	big_free(r, 9 << 20);
	arena_release(&a);
}

/* ---- text ------------------------------------------------------------ */

static void bufs(void)
{
	Arena a;
	Buf b;
	arena_init(&a);
	buf_init(&b, &a);
	CHECK_STR(buf_str(&b), "");
	buf_printf(&b, "%s", "");
	CHECK_STR(buf_str(&b), "");
	buf_indent(&b, 2);
	buf_puts(&b, "abc");
	buf_putc(&b, 'd');
	buf_printf(&b, "%200d", 5);
	CHECK(b.n == 206 && b.p[206] == '\0' && b.p[205] == '5');
	buf_init(&b, &a);
	buf_json_string(&b, "q\" \\ \n \t \x01 \xc3\xa9 \xff \xed\xa0\x80");
	CHECK_STR(buf_str(&b), "\"q\\\" \\\\ \\n \\t \\u0001 \xc3\xa9 \\ufffd "
			       "\\ufffd\\ufffd\\ufffd\"");
	arena_release(&a);
}

static void maps(void)
{
	Arena a;
	arena_init(&a);
	StrMap *m = strmap_new(&a);
	char key[32];
	uint32_t v = 0;
	for (uint32_t i = 0; i < 5000; i++) {
		snprintf(key, sizeof(key), "key%u", i);
		strmap_set(m, key, i);
	}
	strmap_set(m, "key7", 70);
	strmap_set(m, "", 9);
	bool all = true;
	for (uint32_t i = 0; i < 5000; i++) {
		snprintf(key, sizeof(key), "key%u", i);
		all &= strmap_get(m, key, &v) && v == (i == 7 ? 70 : i);
	}
	CHECK(all);
	CHECK(strmap_get(m, "", &v) && v == 9);
	CHECK(!strmap_get(m, "key5000", &v));
	arena_release(&a);
}

static void utf8(void)
{
	CHECK(utf8_length("a", 1) == 1);
	CHECK(utf8_length("\xc3\xa9", 2) == 2);
	CHECK(utf8_length("\xc3", 1) == 0);
	CHECK(utf8_length("\xc0\x80", 2) == 0);     /* overlong */
	CHECK(utf8_length("\xe0\x80\x80", 3) == 0); /* overlong */
	CHECK(utf8_length("\xe2\x82\xac", 3) == 3);
	CHECK(utf8_length("\xed\xa0\x80", 3) == 0); /* surrogate */
	CHECK(utf8_length("\xf0\x9f\x98\x80", 4) == 4);
	CHECK(utf8_length("\xf4\x90\x80\x80", 4) == 0); /* too large */
	CHECK(utf8_length("", 0) == 0);
}

/* ---- diag ------------------------------------------------------------ */

static void diag_places(void)
{
	Ctx ctx;
	ctx_init(&ctx);
	const char *text = "first\n\ta + \xc3\xa9 * \x1b[2J\xff!\r\nlast";
	uint32_t f = ctx_add_source(&ctx, "m.tn", text, strlen(text));
	CHECK(!diag_error(&ctx, (Loc){f, 2, 2, 5}, "write b", "no %s", "a"));
	CHECK_STR(buf_str(&ctx.messages), "m.tn:2:2: error: no a\n"
					  "    \ta + \xc3\xa9 * ?[2J?!\n"
					  "    \t^~~~~\n"
					  "hint: write b\n");
	CHECK(ctx.err == ERR_PROGRAM && ctx.errors == 1);

	ctx_clear_errors(&ctx);
	CHECK(ctx.err == ERR_NONE && ctx.messages.n == 0);
	/* Past a two-byte character; len runs over the end of the line. */
	diag_error(&ctx, (Loc){f, 2, 9, 99}, NULL, "x");
	CHECK_STR(buf_str(&ctx.messages), "m.tn:2:9: error: x\n"
					  "    \ta + \xc3\xa9 * ?[2J?!\n"
					  "    \t      ^~~~~~~~\n");
	ctx_clear_errors(&ctx);
	diag_error(&ctx, (Loc){f, 3, 5, 1}, NULL, "at the end");
	diag_note(&ctx, (Loc){f, 1, 1, 5}, "see here");
	CHECK_STR(buf_str(&ctx.messages), "m.tn:3:5: error: at the end\n"
					  "    last\n"
					  "        ^\n"
					  "m.tn:1:1: note: see here\n"
					  "    first\n"
					  "    ^~~~~\n");
	ctx_clear_errors(&ctx);
	diag_error(&ctx, LOC_NONE, NULL, "nowhere");
	diag_error(&ctx, (Loc){f, 40, 1, 1}, NULL, "past the text");
	CHECK_STR(buf_str(&ctx.messages), "tenon: error: nowhere\n"
					  "m.tn:40:1: error: past the text\n");
	ctx_clear_errors(&ctx);
	CHECK(!diag_fail(&ctx, ERR_ENV, "install one", "no compiler"));
	diag_error(&ctx, LOC_NONE, NULL, "second");
	CHECK(ctx.err == ERR_ENV && ctx.errors == 2);
	CHECK_STR(buf_str(&ctx.messages), "tenon: error: no compiler\n"
					  "hint: install one\n"
					  "tenon: error: second\n");
	diag_warn(&ctx, "slow %d", 3);
	CHECK(ctx.warnings.n == 1);
	CHECK_STR(ctx.warnings.p[0], "slow 3");
	ctx_release(&ctx);
}

static void diag_long_lines(void)
{
	Ctx ctx;
	char text[1001];
	memset(text, 'a', 1000);
	text[700] = 'X';
	text[1000] = '\0';
	ctx_init(&ctx);
	uint32_t f = ctx_add_source(&ctx, "l", text, 1000);
	diag_error(&ctx, (Loc){f, 1, 701, 300}, NULL, "x");
	CHECK(ctx.messages.n < 500);
	const char *x = strchr(buf_str(&ctx.messages), 'X');
	const char *caret = strchr(buf_str(&ctx.messages), '^');
	if (CHECK(x && caret)) {
		const char *line = strstr(buf_str(&ctx.messages), "\n    a");
		const char *under = strchr(line + 1, '\n');
		CHECK(x - line == caret - under);
	}
	ctx_release(&ctx);
}

/* ---- hash ------------------------------------------------------------ */

static void sha256(void)
{
	/* The examples of FIPS 180-4. */
	char hex[SHA256_HEX], again[SHA256_HEX];
	Arena a;
	arena_init(&a);
	sha256_hex("abc", 3, hex);
	CHECK_STR(hex, "ba7816bf8f01cfea414140de5dae2223"
		       "b00361a396177a9cb410ff61f20015ad");
	sha256_hex("", 0, hex);
	CHECK_STR(hex, "e3b0c44298fc1c149afbf4c8996fb924"
		       "27ae41e4649b934ca495991b7852b855");
	Sha256 *h = sha256_new(&a);
	sha256_add(h, "a", 1);
	sha256_add(h, "", 0);
	sha256_add(h, "bc", 2);
	sha256_end(h, hex);
	sha256_hex("abc", 3, again);
	CHECK_STR(hex, again);
	(void)sha256_new(&a); /* never ended: freed with the arena */
	arena_release(&a);
}

/* ---- files ----------------------------------------------------------- */

static void folder_remove(void);

/* A folder for the tests, made when first asked for. */
static const char *folder(void)
{
	static char path[] = "/tmp/tenon-base-XXXXXX";
	static bool made;
	if (!made) {
		made = CHECK(mkdtemp(path) != NULL);
		atexit(folder_remove);
	}
	return path;
}

static void folder_remove(void)
{
	char command[300];
	snprintf(command, sizeof(command), "rm -rf %s", folder());
	if (system(command) != 0)
		printf("left behind: %s\n", folder());
}

static void files(void)
{
	Ctx ctx;
	char path[256], *text;
	size_t len;
	ctx_init(&ctx);
	snprintf(path, sizeof(path), "%s/a/b/c", folder());
	CHECK(dir_make(&ctx, path));
	CHECK(dir_make(&ctx, path));
	struct stat st;
	CHECK(stat(path, &st) == 0 && (st.st_mode & 0777) == 0700);
	snprintf(path, sizeof(path), "%s/a/f", folder());
	CHECK(!file_exists(path));
	CHECK(file_write_atomic(&ctx, path, "one\0two", 7));
	CHECK(file_exists(path));
	CHECK(file_read(&ctx, &ctx.perm, path, &text, &len) && len == 7 &&
	      memcmp(text, "one\0two", 8) == 0);
	CHECK(file_write_atomic(&ctx, path, "", 0));
	CHECK(file_read(&ctx, &ctx.perm, path, &text, &len) && len == 0 &&
	      text[0] == '\0');
	CHECK(file_read(&ctx, &ctx.perm, "/proc/self/status", &text, &len) &&
	      len > 100 && strlen(text) == len);
	CHECK(ctx.errors == 0);

	CHECK(!file_read(&ctx, &ctx.perm, "/nonexistent/x", &text, &len));
	CHECK(ctx.err == ERR_ENV);
	CHECK(strstr(buf_str(&ctx.messages), "cannot open /nonexistent/x: No "
					     "such file") != NULL);
	CHECK(!file_read(&ctx, &ctx.perm, folder(), &text, &len));
	char below[300];
	snprintf(below, sizeof(below), "%s/x", path);
	CHECK(!dir_make(&ctx, below));
	CHECK(!file_write_atomic(&ctx, below, "x", 1));
	CHECK(!file_write_atomic(NULL, below, "x", 1));
	CHECK(ctx.errors == 4);
	ctx_release(&ctx);
}

static void disk_full(void)
{
	Ctx ctx;
	char path[256], data[65536] = {0}, command[300];
	if (geteuid() != 0)
		SKIP("mounting a small disk needs root");
	ctx_init(&ctx);
	snprintf(path, sizeof(path), "%s/disk", folder());
	CHECK(dir_make(&ctx, path));
	snprintf(command, sizeof(command),
		 "mount -t tmpfs -o size=16k none %s 2>/dev/null", path);
	if (system(command) != 0) {
		ctx_release(&ctx);
		SKIP("no tmpfs may be mounted");
	}
	snprintf(path, sizeof(path), "%s/disk/f", folder());
	CHECK(!file_write_atomic(&ctx, path, data, sizeof(data)));
	CHECK(strstr(buf_str(&ctx.messages), "the disk is full") != NULL);
	CHECK(!file_exists(path));
	snprintf(command, sizeof(command), "test -z \"$(ls -A %s/disk)\"",
		 folder());
	CHECK(system(command) == 0);
	snprintf(command, sizeof(command), "umount %s/disk", folder());
	CHECK(system(command) == 0);
	ctx_release(&ctx);
}

static void cache_folders(void)
{
	Ctx ctx;
	const char *path = NULL;
	ctx_init(&ctx);
	setenv("HOME", "/h", 1);
	setenv("XDG_CACHE_HOME", "/x", 1);
	CHECK(cache_dir(&ctx, &ctx.perm, &path));
	CHECK_STR(path, "/x/tenon");
	setenv("XDG_CACHE_HOME", "relative", 1);
	CHECK(cache_dir(&ctx, &ctx.perm, &path));
	CHECK_STR(path, "/h/.cache/tenon");
	unsetenv("HOME");
	unsetenv("XDG_CACHE_HOME");
	CHECK(!cache_dir(&ctx, &ctx.perm, &path) && ctx.err == ERR_ENV);
	ctx_release(&ctx);
}

/* ---- trimming -------------------------------------------------------- */

/* A file of n bytes, last used so many seconds ago. */
static void old_file(const char *path, size_t n, int seconds)
{
	static const char zeros[20000];
	FILE *f = fopen(path, "w");
	struct timespec t[2];

	CHECK(f && fwrite(zeros, 1, n, f) == n && fclose(f) == 0);
	CHECK(clock_gettime(CLOCK_REALTIME, &t[0]) == 0);
	t[0].tv_sec -= seconds;
	t[1] = t[0];
	CHECK(utimensat(AT_FDCWD, path, t, 0) == 0);
}

static void trimmed(void)
{
	char top[] = "/tmp/tenon-trim-XXXXXX", path[4][64], below[64];
	Arena a;

	arena_init(&a);
	CHECK(mkdtemp(top) != NULL);
	snprintf(below, sizeof(below), "%s/tmp.x", top);
	CHECK(mkdir(below, 0700) == 0);
	for (int i = 0; i < 4; i++) {
		snprintf(path[i], sizeof(path[i]), "%s/%d", top, i);
		old_file(path[i], 20000, 100 - 10 * i);
	}
	const char *folders[] = {top, "/nowhere/at/all"};
	uint64_t all = folders_trim(&a, folders, 2, UINT64_MAX);
	CHECK(all >= 80000 && file_exists(path[0]));
	CHECK(folders_trim(&a, folders, 2, all) == all);
	/* one too many: the oldest, unless it was used since */
	file_touch(path[0]);
	CHECK(folders_trim(&a, folders, 2, all - 1) == all / 4 * 3);
	CHECK(file_exists(path[0]) && !file_exists(path[1]));
	CHECK(file_exists(path[2]) && file_exists(path[3]));
	CHECK(folders_trim(&a, folders, 2, 0) == 0 && !file_exists(path[0]));
	CHECK(rmdir(below) == 0 && rmdir(top) == 0);
	arena_release(&a);
}

/* ---- pool ------------------------------------------------------------ */

typedef struct Job {
	atomic_int next;
	int n;
	int64_t sum[64];
	int done[4096];
	atomic_int workers_seen;
} Job;

static void job_run(void *arg, int worker)
{
	Job *j = arg;
	int i;
	atomic_fetch_or(&j->workers_seen, 1 << worker);
	while ((i = atomic_fetch_add(&j->next, 1)) < j->n) {
		j->done[i]++;
		j->sum[worker] += i;
	}
}

static bool job_good(Job *j, int workers)
{
	int64_t sum = 0;
	bool once = true;
	for (int i = 0; i < 64; i++)
		sum += j->sum[i];
	for (int i = 0; i < j->n; i++)
		once &= j->done[i] == 1;
	return once && sum == (int64_t)j->n * (j->n - 1) / 2 &&
	       atomic_load(&j->workers_seen) < 1 << workers;
}

static void pool_jobs(void)
{
	static Job j;
	bool good = true;
	for (int round = 0; round < 3000; round++) {
		int workers = 1 + round % 7;
		memset(&j, 0, sizeof(j));
		j.n = round % 300;
		pool_run(workers, job_run, &j);
		good &= job_good(&j, workers);
		if (round % 100 == 0)
			usleep(300); /* the threads fall asleep */
	}
	CHECK(good);
	CHECK(cpu_count() >= 1);
}

/* A job that ends only when two threads are in it at once. */
static void meet(void *arg, int worker)
{
	atomic_int *met = arg;
	(void)worker;
	atomic_fetch_add(met, 1);
	double end = clock_seconds() + 10;
	while (atomic_load(met) < 2 && clock_seconds() < end)
		usleep(100);
}

static void pool_parallel(void)
{
	for (int i = 0; i < 5; i++) {
		atomic_int met = 0;
		usleep((useconds_t)i * 1000);
		pool_run(2, meet, &met);
		CHECK(atomic_load(&met) == 2);
	}
}

static void nest(void *arg, int worker)
{
	static Job inner[8];
	memset(&inner[worker], 0, sizeof(Job));
	inner[worker].n = 100;
	pool_run(4, job_run, &inner[worker]);
	if (!job_good(&inner[worker], 4))
		atomic_store((atomic_int *)arg, 1);
}

static void pool_nested(void)
{
	atomic_int bad = 0;
	for (int i = 0; i < 100; i++)
		pool_run(4, nest, &bad);
	CHECK(atomic_load(&bad) == 0);
}

static void exhaust(void *arg, int worker)
{
	(void)worker;
	Arena a;
	arena_init(&a);
	if (atomic_fetch_add((atomic_int *)arg, 1) == 0)
		oom_raise();
}

typedef struct Seen {
	atomic_int workers, bound; /* that came; bound to the CPU wanted */
	int cpu;                   /* -1: any one */
	cpu_set_t set;             /* where the other worker may run */
} Seen;

static void look(void *arg, int worker)
{
	Seen *s = arg;
	cpu_set_t set;

	atomic_fetch_add(&s->workers, 1);
	while (atomic_load(&s->workers) < 2)
		sched_yield();
	if (worker != 1 || sched_getaffinity(0, sizeof(set), &set))
		return;
	s->set = set;
	if (CPU_COUNT(&set) == 1 &&
	    (s->cpu < 0 || CPU_ISSET((size_t)s->cpu, &set)))
		atomic_fetch_add(&s->bound, 1);
}

static bool bound_to(int cpu)
{
	Seen s = {.cpu = cpu};

	pool_run(2, look, &s);
	return atomic_load(&s.bound) == 1;
}

/* On a CPU of its own, the caller has that one avoided: by threads asleep. */
static bool avoids(int cpu, const cpu_set_t *all)
{
	cpu_set_t one, others = *all;

	CPU_CLR((size_t)cpu, &others);
	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		return false;
	for (int i = 0; i < 1000; i++) {
		Seen s = {.cpu = -1};
		struct timespec nap = {0, 1000000};

		nanosleep(&nap, NULL);
		pool_run(2, look, &s);
		if (CPU_EQUAL(&s.set, &others))
			return true;
	}
	return false;
}

static void pool_bound(void)
{
	int cpus[CPU_SETSIZE], n = 0, none = CPU_SETSIZE;
	cpu_set_t before, after;

	CHECK(!sched_getaffinity(0, sizeof(before), &before));
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET((size_t)i, &before))
			cpus[n++] = i;
	CHECK(pool_affinity(cpus, (unsigned)n));
	CHECK(bound_to(-1));
	CHECK(pool_affinity(cpus, 1) && bound_to(cpus[0]));
	CHECK(!pool_affinity(&none, 1) && bound_to(cpus[0]));
	/* a child's threads are new, and bound alike */
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		alarm(30);
		_exit(!bound_to(cpus[0]));
	}
	int status = 1;
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	CHECK(pool_affinity(NULL, 0));
	for (int i = 0; i < n && n > 1 && i < 8; i++)
		CHECK(avoids(cpus[i], &before));
	CHECK(!sched_setaffinity(0, sizeof(before), &before));
	/* bound again, wherever the caller is */
	CHECK(pool_affinity(cpus, 1) && bound_to(cpus[0]));
	CHECK(pool_affinity(NULL, 0));
	CHECK(!sched_getaffinity(0, sizeof(after), &after));
	CHECK(CPU_EQUAL(&before, &after));
	pool_jobs();
}

static void pool_out_of_memory(void)
{
	volatile int raised = 0;
	for (volatile int i = 0; i < 20; i++) {
		OomTrap t;
		atomic_int calls = 0;
		if (OOM_TRAP(&t)) {
			raised++;
		} else {
			pool_run(3, exhaust, &calls);
			oom_trap_pop(&t);
		}
	}
	CHECK(raised == 20);
	pool_jobs();
}

static void pool_forked(void)
{
	static Job j;
	memset(&j, 0, sizeof(j));
	j.n = 100;
	pool_run(3, job_run, &j);
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		atomic_int met = 0;
		alarm(30);
		pool_run(2, meet, &met);
		_exit(atomic_load(&met) == 2 ? 0 : 1);
	}
	int status = 1;
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	memset(&j, 0, sizeof(j));
	j.n = 1000;
	pool_run(3, job_run, &j);
	CHECK(job_good(&j, 3));
}

static void bugs(void)
{
	int out[2], status = 0;
	char text[256] = {0};
	CHECK(pipe(out) == 0);
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		dup2(out[1], 2);
		bug_stage("regions");
		bug("value %d", 7);
	}
	close(out[1]);
	size_t n = 0;
	for (ssize_t got = 1; got > 0; n += (size_t)got) {
		got = read(out[0], text + n, sizeof(text) - 1 - n);
		if (!CHECK(got >= 0))
			break;
	}
	close(out[0]);
	waitpid(child, &status, 0);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == 6);
	CHECK(strstr(text, "base_test.c:") != NULL);
	CHECK(strstr(text, "in stage regions: value 7\n") != NULL);
}

TEST_MAIN(TEST(arena_blocks), TEST(arena_vectors), TEST(arena_poison),
	  TEST(arena_deferred), TEST(oom_each), TEST(oom_sizes), TEST(bufs),
	  TEST(maps), TEST(utf8), TEST(diag_places), TEST(diag_long_lines),
	  TEST(sha256), TEST(files), TEST(disk_full), TEST(cache_folders),
	  TEST(trimmed), TEST(pool_jobs), TEST(pool_parallel),
	  TEST(pool_nested), TEST(pool_bound), TEST(pool_out_of_memory),
	  TEST(pool_forked), TEST(bugs))
