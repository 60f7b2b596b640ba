/*
 * threads: contexts of several threads, and processes, at the same time.
 *
 * Each thread has a context of its own and compiles the same programs into
 * one cache that starts empty, then runs them again and again while the
 * others do, on a pool of threads that only one of them can have. Processes
 * do the same. Results must be those of one thread alone.
 */
#include "tests/unit/api.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CALLERS 4
#define RUNS    40

static const char *const texts[] = {
	"dims d: M = 70, N = 300\n"
	"def f(x: f32[M, N], y: f32[N]):\n"
	"    return relu(x * y + 1)\n",
	"dims d: M = 70, N = 300\n"
	"def f(x: f32[M, N]):\n"
	"    return x - max(x, axis=-1, keepdims=True)\n",
	"dims d: M = 37, N = 90, K = 61\n"
	"def f(x: f32[M, K], w: f32[K, N]):\n"
	"    return x @ w\n",
};

static uint64_t want[ARRAY_LEN(texts)]; /* by text */

/* Compiles and runs text i; true if every run gave the hash. */
static bool right(size_t i, const char *cache, int threads, int runs,
		  uint64_t *hash)
{
	Case k = {0};
	bool applies, ok = true;

	/* no CHECK here: its counter is not the threads' to share */
	instance_serial_steps = 0;
	k.c = tenon_context_new();
	if (!k.c)
		return false;
	tenon_set_cache(k.c, cache);
	tenon_set_threads(k.c, threads);
	ok = !tenon_program_from_text(k.c, "t.tn", texts[i], NULL, &k.p) &&
	     !tenon_compile(k.c, k.p, NULL, &k.plan) &&
	     !tenon_fixture(k.p, "search", 1, k.in, &applies) &&
	     !tenon_result_desc(k.p, 0, &k.out[0]);
	if (ok)
		k.out[0].data = tenon_alloc(tenon_tensor_bytes(&k.out[0]));
	for (int n = 0; ok && n < runs; n++) {
		memset(k.out[0].data, n, tenon_tensor_bytes(&k.out[0]));
		ok = !tenon_plan_run(k.plan, k.in, k.out);
		uint64_t h = ok ? case_hash(&k) : 0;
		if (hash)
			*hash = h;
		else
			ok = ok && h == want[i];
	}
	if (!ok && *tenon_message(k.c))
		printf("%s", tenon_message(k.c));
	case_close(&k);
	return ok;
}

static bool wants(const char *cache)
{
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (!CHECK(right(i, cache, 1, 1, &want[i])))
			return false;
	return true;
}

typedef struct Caller {
	pthread_t id;
	int number;
	const char *cache;
	bool ok;
} Caller;

static void *call(void *arg)
{
	Caller *c = arg;

	c->ok = true;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		size_t text = (i + (size_t)c->number) % ARRAY_LEN(texts);
		c->ok &= right(text, c->cache, 1 + c->number, RUNS, NULL);
	}
	return NULL;
}

static bool call_from_threads(const char *cache)
{
	Caller callers[CALLERS];
	int started = 0;
	bool ok = true;

	for (; started < CALLERS; started++) {
		callers[started] = (Caller){.number = started, .cache = cache};
		if (pthread_create(&callers[started].id, NULL, call,
				   &callers[started]))
			break;
	}
	for (int i = 0; i < started; i++) {
		pthread_join(callers[i].id, NULL);
		ok &= callers[i].ok;
	}
	return ok && started == CALLERS;
}

static size_t files(const char *cache, const char *what)
{
	char pattern[600];
	glob_t g;
	size_t n = 0;

	snprintf(pattern, sizeof(pattern), "%s/code/%s", cache, what);
	if (glob(pattern, 0, NULL, &g) == 0) {
		n = g.gl_pathc;
		globfree(&g);
	}
	return n;
}

/* Loses a compiled file: whoever makes it again sweeps the work folders. */
static void forget_one(const char *cache)
{
	char pattern[600];
	glob_t g;

	snprintf(pattern, sizeof(pattern), "%s/code/*.so", cache);
	if (glob(pattern, 0, NULL, &g) == 0) {
		CHECK(unlink(g.gl_pathv[0]) == 0);
		globfree(&g);
	}
}

/* The files that one caller makes, and no work folder left. */
static void cache_is_tidy(const char *cache)
{
	size_t made = files(test_path("alone"), "*.so");

	CHECK(made >= ARRAY_LEN(texts) && files(cache, "*.so") == made);
	CHECK(files(cache, "tmp.*") == 0);
}

static void caller_threads(void)
{
	if (!wants(test_path("alone")))
		return;
	CHECK(call_from_threads(test_path("threads")));
	cache_is_tidy(test_path("threads"));
	/* and once more, warm */
	CHECK(call_from_threads(test_path("threads")));
}

static void processes(void)
{
	pid_t child[3];
	const char *cache = test_path("processes");

	if (!wants(test_path("alone")))
		return;
	for (size_t i = 0; i < ARRAY_LEN(child); i++) {
		child[i] = fork();
		if (child[i] == 0) {
			bool ok = true;
			for (size_t t = 0; t < ARRAY_LEN(texts); t++)
				ok &= right(t, cache, 2, 2, NULL);
			fflush(stdout);
			_exit(ok ? 0 : 1);
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(child); i++) {
		int status;
		CHECK(child[i] > 0 && waitpid(child[i], &status, 0) > 0 &&
		      status == 0);
	}
	cache_is_tidy(cache);
}

/* A work folder as a process leaves it that was killed before it had its lock,
 * or whose compiler wrote once more while the folder was swept. */
static void lose_folder(const char *cache)
{
	char path[600];

	snprintf(path, sizeof(path), "%s/code/tmp.lost", cache);
	CHECK(mkdir(path, 0700) == 0);
	snprintf(path, sizeof(path), "%s/code/tmp.lost/k0.c", cache);
	file_put(path, "");
}

/* Work folders of a day ago; one without a lock is swept by its age. */
static void age_folders(const char *cache)
{
	const struct timespec then[2] = {{.tv_sec = time(NULL) - 86400},
					 {.tv_sec = time(NULL) - 86400}};
	char pattern[600];
	glob_t g;

	snprintf(pattern, sizeof(pattern), "%s/code/tmp.*", cache);
	if (glob(pattern, 0, NULL, &g) == 0) {
		for (size_t i = 0; i < g.gl_pathc; i++)
			CHECK(utimensat(AT_FDCWD, g.gl_pathv[i], then, 0) == 0);
		globfree(&g);
	}
}

static void make_one_anew(const char *cache)
{
	forget_one(cache);
	for (size_t t = 0; t < ARRAY_LEN(texts); t++)
		CHECK(right(t, cache, 1, 1, NULL));
}

/* A process killed while it compiles leaves nothing that harms the next. */
static void killed(void)
{
	const char *cache = test_path("killed");

	if (!wants(test_path("alone")))
		return;
	for (int ms = 5; ms <= 125; ms += 40) {
		pid_t pid = fork();
		if (pid == 0) {
			setpgid(0, 0);
			right(0, cache, 1, 1, NULL);
			_exit(0);
		}
		usleep((useconds_t)ms * 1000);
		kill(-pid, SIGKILL);
		kill(pid, SIGKILL);
		CHECK(waitpid(pid, NULL, 0) == pid);
		CHECK(right(0, cache, 1, 1, NULL));
	}
	/* the last one may have been killed with all its files made */
	lose_folder(cache);
	make_one_anew(cache);
	CHECK(files(cache, "tmp.lost") == 1); /* it may be somebody's */
	age_folders(cache);
	make_one_anew(cache);
	cache_is_tidy(cache);
}

/* Nothing is kept beyond the limit, and what is loaded goes on running. */
static void limited(void)
{
	Case k = {0};
	TenonPlanInfo info;

	k.c = tenon_context_new();
	tenon_set_cache(k.c, test_path("limited"));
	tenon_set_cache_limit(k.c, 1);
	if (works(&k,
		  tenon_program_from_text(k.c, "t.tn", texts[0], NULL, &k.p),
		  "program"))
		for (int n = 0; n < 2; n++) {
			if (!case_compile(&k))
				break;
			tenon_plan_info(k.plan, &info);
			CHECK(!info.cached);
			CHECK(files(test_path("limited"), "*.so") == 0);
			CHECK(case_fill(&k, "search") && case_run(&k));
			tenon_plan_free(k.plan);
			k.plan = NULL;
		}
	case_close(&k);
}

static void nothing_is_left(void)
{
	test_folder_remove();
}

TEST_MAIN(TEST(caller_threads), TEST(processes), TEST(killed), TEST(limited),
	  TEST(nothing_is_left))
