/*
 * ledger: the database. Rows as they were written, several processes, one that
 * is killed, and every way in which a file is no ledger.
 */
#include "driver/driver.h"
#include "tests/unit/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define WRITERS 4
#define EACH    60 /* candidates a writer */

static int mode_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? (int)(st.st_mode & 0777) : -1;
}

static const char *beside(const char *path, const char *ending)
{
	static char text[600];

	snprintf(text, sizeof(text), "%s%s", path, ending);
	return text;
}

static int exit_of(pid_t child)
{
	int status = -1;

	CHECK(waitpid(child, &status, 0) == child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* ---- opening ----------------------------------------------------------- */

static void made(void)
{
	Ctx ctx;
	const char *top = test_path("xdg"),
		   *path = test_path("xdg/tenon/ledger.sqlite");

	ctx_init(&ctx);
	setenv("XDG_CACHE_HOME", top, 1);
	mode_t old = umask(0);
	Ledger *l = ledger_at(&ctx, NULL);
	SearchInfo s = search_of("f");
	CHECK(l && ledger_begin(l, &s) && s.id == 1);
	umask(old);
	CHECK(mode_of(test_path("xdg/tenon")) == 0700);
	CHECK(mode_of(path) == 0600);
	CHECK(mode_of(beside(path, "-wal")) == 0600);
	CHECK(mode_of(beside(path, "-shm")) == 0600);
	ledger_close(l);
	ledger_close(l);
	CHECK(ask(path, "PRAGMA user_version") == 2);
	CHECK(ask(path, "PRAGMA application_id") == 0x546e4c67);
	/* what is there is not made anew */
	l = ledger_at(&ctx, NULL);
	CHECK(l && ledger_begin(l, &s) && s.id == 2);
	CHECK(!ctx.errors);
	ctx_release(&ctx); /* closes it */
}

/* An empty file is a ledger that another process has just begun to make. */
static void made_of_nothing(void)
{
	Ctx ctx;
	const char *path = test_path("empty.sqlite");
	int f = open(path, O_CREAT | O_WRONLY, 0600);

	CHECK(f >= 0 && close(f) == 0);
	ctx_init(&ctx);
	ledger_close(ledger_at(&ctx, path));
	CHECK(ask(path, "PRAGMA user_version") == 2);
	ctx_release(&ctx);
}

/* What `tenon` does to keep its cache small touches no ledger. */
static void not_trimmed(void)
{
	Ctx ctx;
	char cache[300], path[320];
	TenonContext *c = tenon_context_new();

	snprintf(cache, sizeof(cache), "%s", test_path("trim"));
	snprintf(path, sizeof(path), "%s/ledger.sqlite", cache);
	CHECK(mkdir(cache, 0700) == 0 &&
	      mkdir(test_path("trim/code"), 0700) == 0);
	CHECK(tell(test_path("trim/code/x.so"), "CREATE TABLE t (x)"));
	ctx_init(&ctx);
	Ledger *l = ledger_at(&ctx, path);
	SearchInfo s = search_of("f");
	CHECK(ledger_begin(l, &s));
	tenon_set_cache(c, cache);
	tenon_set_cache_limit(c, 1);
	context_trim(c);
	CHECK(!file_exists(test_path("trim/code/x.so")));
	CHECK(file_exists(path) && file_exists(beside(path, "-wal")));
	ledger_close(l);
	tenon_context_free(c);
	ctx_release(&ctx);
}

/* ---- rows -------------------------------------------------------------- */

static void keys(void)
{
	SearchKey a = {.program = "ab", .dims = "c"},
		  b = {.program = "a", .dims = "bc"};
	char x[SHA256_HEX], y[SHA256_HEX];
	const char **part[] = {&a.program,  &a.dims,    &a.target, &a.device,
			       &a.compiler, &a.options, &a.version};

	search_key(&a, x);
	search_key(&b, y);
	CHECK(strlen(x) == 64 && strcmp(x, y) != 0);
	for (size_t i = 0; i < ARRAY_LEN(part); i++) {
		const char *old = *part[i];
		*part[i] = "other";
		search_key(&a, y);
		CHECK(strcmp(x, y) != 0);
		*part[i] = old;
	}
	search_key(&a, y);
	CHECK_STR(y, x);
}

static void rows(void)
{
	Ctx ctx;
	const char *path = test_path("rows.sqlite");
	TrialResult t = trial_of(100, 120);

	ctx_init(&ctx);
	Ledger *l = ledger_at(&ctx, path);
	SearchInfo s = search_of("f");
	CHECK(ledger_begin(l, &s));
	CandInfo c = cand_of(&s, "contract mr=6", CAND_LEFT);
	CandInfo d = cand_of(&s, "loop", CAND_REFUSED);
	c.predicted_us = 90;
	d.reason = "it's not \"admitted\"; '--";
	CHECK(ledger_add(l, &c) && ledger_add(l, &d));
	CHECK(c.order == 0 && d.order == 1 && c.id != d.id);
	CHECK(ask(path, "SELECT count(*) FROM candidate "
			"WHERE state = 'left'") == 1);
	CHECK(ask(path, "SELECT count(*) FROM candidate WHERE reason = "
			"'it''s not \"admitted\"; ''--'") == 1);
	c.state = CAND_CHOSEN;
	c.measured_us = 100;
	c.ratio = 0.8;
	c.plan = "abcd";
	CHECK(ledger_settle(l, &c, &t));
	/* raw: both times and who began, a row a round */
	CHECK(ask(path, "SELECT count(*) FROM sample") == TRIAL_ROUNDS);
	CHECK(ask(path, "SELECT us + 1000 * other_us + 1000000 * first "
			"FROM sample WHERE round = 2") == 1118102);
	CHECK(ask(path, "SELECT sum(first) FROM sample") == 8);
	/* passed by another: the samples stay */
	c.state = CAND_MEASURED;
	CHECK(ledger_settle(l, &c, NULL));
	CHECK(ask(path, "SELECT count(*) FROM sample") == TRIAL_ROUNDS);
	CHECK(ask(path, "SELECT calls FROM candidate WHERE ord = 0") == 4);
	CHECK(ask(path, "SELECT count(*) FROM candidate WHERE "
			"predicted_us = 90 AND state = 'measured' AND "
			"move_us IS NULL") == 1);
	CHECK(ask(path, "SELECT considered FROM search") == 2);
	CHECK(ask(path, "SELECT count(*) FROM variant") == 1);
	/* tried again: its samples are the new ones */
	t.rounds = 3;
	CHECK(ledger_settle(l, &c, &t));
	CHECK(ask(path, "SELECT count(*) FROM sample") == 3);
	CHECK(!ctx.errors);
	/* of a search that is not there, or no more */
	d.search = 99;
	CHECK(!ledger_add(l, &d) &&
	      strstr(buf_str(&ctx.messages), "no search 99"));
	c.id = 99;
	CHECK(!ledger_settle(l, &c, &t) &&
	      strstr(buf_str(&ctx.messages), "no candidate 99"));
	CHECK(ask(path, "SELECT count(*) FROM sample") == 3);
	CHECK(tell(path, "UPDATE search SET name = 'g'")); /* is not locked */
	ledger_close(l);
	ctx_release(&ctx);
}

static bool found(Ledger *l, Arena *a, SearchInfo want, int64_t id)
{
	SearchInfo out = {.id = -1};

	return ledger_find(l, a, &want, &out) == (id > 0) &&
	       out.id == (id > 0 ? id : -1);
}

static void finds(void)
{
	Ctx ctx;
	Arena a;
	SearchInfo want = search_of("f"), s[4];
	static const char *const state[] = {"complete", "exhausted", "stopped",
					    "complete"};

	ctx_init(&ctx);
	arena_init(&a);
	Ledger *l = ledger_at(&ctx, test_path("find.sqlite"));
	CHECK(found(l, &a, want, 0));
	for (int i = 0; i < 4; i++) {
		s[i] = want;
		s[i].seed = UINT64_MAX - (i == 1);
		CHECK(ledger_begin(l, &s[i]));
		want = s[i];
		CHECK(found(l, &a, want, i > 1 ? s[0].id : 0));
		s[i].state = state[i];
		s[i].plan = i == 3 ? NULL : "abcd";
		CHECK(ledger_end(l, &s[i]));
	}
	/* the last has no plan, the one before was stopped */
	CHECK(found(l, &a, want, s[0].id));
	SearchInfo got;
	CHECK(ledger_find(l, &a, &want, &got));
	CHECK_STR(got.name, "f");
	CHECK_STR(got.parts.device, "a CPU");
	CHECK_STR(got.plan, "abcd");
	CHECK_STR(got.state, "complete");
	CHECK(got.seed == UINT64_MAX && got.seconds == 60 && got.ended > 0);
	want.seed--;
	CHECK(found(l, &a, want, s[1].id));
	SearchInfo other = want;
	other.policy = "all";
	CHECK(found(l, &a, other, 0));
	other = want;
	other.seconds = 61;
	CHECK(found(l, &a, other, 0));
	other = want;
	other.candidates = 1;
	CHECK(found(l, &a, other, 0));
	other = want;
	other.parts.compiler = "cc 12.2.0 -O2";
	CHECK(found(l, &a, other, 0));
	CHECK(!ctx.errors);
	ledger_close(l);
	arena_release(&a);
	ctx_release(&ctx);
}

/* ---- several processes ------------------------------------------------- */

/* One writer's work; the exit code of its process. */
static int write_all(const char *path, int number)
{
	Ctx ctx;
	TrialResult t = trial_of(number, 50);
	bool ok = true;
	char chosen[32];

	ctx_init(&ctx);
	Ledger *l = ledger_open(&ctx, path);
	SearchInfo s = search_of("f");
	ok = l && ledger_begin(l, &s);
	for (int i = 0; ok && i < EACH; i++) {
		snprintf(chosen, sizeof(chosen), "loop width=%d", i);
		CandInfo c = cand_of(&s, chosen, CAND_LEFT);
		ok = ledger_add(l, &c) && c.order == i;
		c.state = CAND_MEASURED;
		c.measured_us = 1 + i;
		ok = ok && ledger_settle(l, &c, &t);
	}
	s.state = "complete";
	ok = ok && ledger_end(l, &s);
	printf("%s", buf_str(&ctx.messages));
	ledger_close(l);
	ctx_release(&ctx);
	return ok ? 0 : 1;
}

static void writers(void)
{
	const char *path = test_path("writers.sqlite");
	pid_t child[WRITERS];

	fflush(stdout);
	for (int i = 0; i < WRITERS; i++)
		if ((child[i] = fork()) == 0)
			exit(write_all(path, i));
	for (int i = 0; i < WRITERS; i++)
		CHECK(exit_of(child[i]) == 0);
	CHECK(ask(path, "SELECT count(*) FROM search WHERE considered = 60 AND "
			"state = 'complete'") == WRITERS);
	CHECK(ask(path, "SELECT count(*) FROM candidate "
			"WHERE state = 'measured'") == WRITERS * EACH);
	CHECK(ask(path, "SELECT count(*) FROM sample") ==
	      WRITERS * EACH * TRIAL_ROUNDS);
	CHECK(ask(path, "SELECT count(*) FROM pragma_quick_check "
			"WHERE quick_check <> 'ok'") == 0);
}

static int make_at_once(const char *path, int gate)
{
	Ctx ctx;
	char x;

	ctx_init(&ctx);
	SearchInfo s = search_of("f");
	ssize_t n = read(gate, &x, 1); /* it opens for all at the same time */
	Ledger *l = ledger_open(&ctx, path);
	bool ok = n == 0 && l && ledger_begin(l, &s);
	if (!ok)
		printf("%s", buf_str(&ctx.messages));
	fflush(stdout);
	ledger_close(l);
	ctx_release(&ctx);
	return ok ? 0 : 1;
}

/* A new database that several make at the same time is one. */
static void makers(void)
{
	pid_t child[WRITERS];
	char name[40];
	int gate[2];

	fflush(stdout);
	for (int round = 0; round < 20; round++) {
		snprintf(name, sizeof(name), "makers%d.sqlite", round);
		const char *path = test_path(name);
		CHECK(pipe(gate) == 0);
		for (int i = 0; i < WRITERS; i++)
			if ((child[i] = fork()) == 0) {
				close(gate[1]);
				_exit(make_at_once(path, gate[0]));
			}
		close(gate[0]);
		close(gate[1]);
		for (int i = 0; i < WRITERS; i++)
			CHECK(exit_of(child[i]) == 0);
		CHECK(ask(path, "SELECT count(*) FROM search") == WRITERS);
	}
}

/* Adds and settles until it is killed; tells each that it has settled. */
static void write_on(const char *path, int out)
{
	Ctx ctx;
	TrialResult t = trial_of(10, 20);

	ctx_init(&ctx);
	Ledger *l = ledger_open(&ctx, path);
	SearchInfo s = search_of("f");
	if (!l || !ledger_begin(l, &s))
		exit(1);
	for (;;) {
		CandInfo c = cand_of(&s, "loop", CAND_LEFT);
		if (!ledger_add(l, &c))
			exit(1);
		c.state = CAND_MEASURED;
		c.measured_us = 10;
		if (!ledger_settle(l, &c, &t) || write(out, "x", 1) != 1)
			exit(1);
	}
}

static void killed(void)
{
	Ctx ctx;
	const char *path = test_path("killed.sqlite");
	int pipes[2], told = 0;
	char x[64];
	ssize_t n;

	ctx_init(&ctx);
	CHECK(pipe(pipes) == 0);
	pid_t child = fork();
	if (child == 0) {
		close(pipes[0]);
		write_on(path, pipes[1]);
	}
	close(pipes[1]);
	for (; told < 20 && (n = read(pipes[0], x, 1)) == 1; told++)
		continue;
	CHECK(told == 20);
	/* it is running, and not mistaken for one that is dead */
	ledger_close(ledger_at(&ctx, path));
	CHECK(ask(path, "SELECT state = 'running' FROM search") == 1);
	CHECK(kill(child, SIGKILL) == 0);
	while ((n = read(pipes[0], x, sizeof(x))) > 0)
		told += (int)n;
	close(pipes[0]);
	/* dead, though its parent has not asked yet */
	siginfo_t info;
	CHECK(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) == 0);
	ledger_close(ledger_at(&ctx, path));
	CHECK(ask(path, "SELECT state = 'killed' AND ended = 0 "
			"FROM search") == 1);
	CHECK(exit_of(child) == 128 + SIGKILL);
	int64_t settled = ask(path, "SELECT count(*) FROM candidate "
				    "WHERE state = 'measured'");
	CHECK(settled == told || settled == told + 1);
	CHECK(ask(path, "SELECT count(*) FROM candidate "
			"WHERE state <> 'measured'") <= 1);
	CHECK(ask(path, "SELECT considered - (SELECT count(*) FROM candidate) "
			"FROM search") == 0);
	CHECK(ask(path, "SELECT count(*) FROM sample") ==
	      settled * TRIAL_ROUNDS);
	ctx_release(&ctx);
}

/* One whose id another process has now; another boot; another container. */
static void killed_or_not(void)
{
	Ctx ctx;
	const char *path = test_path("judged.sqlite");

	ctx_init(&ctx);
	Ledger *l = ledger_at(&ctx, path);
	for (int i = 0; i < 5; i++) {
		SearchInfo s = search_of("f");
		CHECK(ledger_begin(l, &s));
	}
	ledger_close(l);
	CHECK(tell(path,
		   "UPDATE search SET process = replace(process, ' pid:', "
		   "'0 pid:') WHERE id = 2;"
		   "UPDATE search SET process = process || 'x' WHERE id = 3;"
		   "UPDATE search SET process = '9' || replace(process, "
		   "'pid:[', 'pid:[9') WHERE id = 4;"
		   "UPDATE search SET process = NULL WHERE id = 5"));
	ledger_close(ledger_at(&ctx, path));
	CHECK(ask(path, "SELECT state = 'running' FROM search "
			"WHERE id = 1") == 1);
	CHECK(ask(path, "SELECT state = 'killed' FROM search "
			"WHERE id = 2") == 1);
	CHECK(ask(path, "SELECT state = 'killed' FROM search "
			"WHERE id = 3") == 1);
	CHECK(ask(path, "SELECT count(*) FROM search "
			"WHERE state = 'running'") == 3);
	ctx_release(&ctx);
}

static int open_files(void)
{
	int n = 0;

	for (int f = 0; f < 256; f++)
		n += fcntl(f, F_GETFD) >= 0;
	return n;
}

/* A child of the search, as a trial is, must leave the connection alone. */
static void forked(void)
{
	Ctx ctx;
	const char *path = test_path("forked.sqlite");

	ctx_init(&ctx);
	Ledger *l = ledger_at(&ctx, path);
	SearchInfo s = search_of("f");
	CHECK(ledger_begin(l, &s));
	CandInfo c = cand_of(&s, "loop", CAND_LEFT);
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		CHECK(freopen("/dev/null", "w", stderr));
		signal(SIGABRT, SIG_DFL);
		ledger_add(l, &c);
		_exit(0);
	}
	CHECK(exit_of(child) == 128 + SIGABRT);
	child = fork();
	if (child == 0) {
		int files = open_files();
		ledger_close(l);
		ctx_release(&ctx);
		_exit(open_files() == files ? 3 : 4);
	}
	CHECK(exit_of(child) == 3);
	CHECK(file_exists(beside(path, "-wal")));
	CHECK(ledger_add(l, &c) && c.order == 0 && !ctx.errors);
	ledger_close(l);
	ctx_release(&ctx);
}

/* ---- what is no ledger ------------------------------------------------- */

static void put(const char *path, const char *text, size_t n)
{
	int f = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);

	CHECK(f >= 0 && write(f, text, n) == (ssize_t)n && close(f) == 0);
}

static void hash_of(const char *path, char hex[SHA256_HEX])
{
	Arena a;
	char *text = NULL;
	size_t n = 0;

	arena_init(&a);
	file_read(NULL, &a, path, &text, &n);
	sha256_hex(text ? text : "", n, hex);
	arena_release(&a);
}

/* It is refused with these words and a hint, and left as it is. */
static bool is_refused(const char *path, const char *words)
{
	Ctx ctx;
	char before[SHA256_HEX], after[SHA256_HEX];

	ctx_init(&ctx);
	hash_of(path, before);
	bool ok = CHECK(!ledger_open(&ctx, path)) &&
		  CHECK(ctx.err == ERR_ENV) &&
		  CHECK(strstr(buf_str(&ctx.messages), words)) &&
		  CHECK(strstr(buf_str(&ctx.messages), path)) &&
		  CHECK(strstr(buf_str(&ctx.messages), "hint: "));
	if (!ok)
		printf("wanted `%s`, got %s\n", words, buf_str(&ctx.messages));
	ctx_release(&ctx);
	hash_of(path, after);
	CHECK_STR(after, before);
	return ok;
}

/* A ledger of some pages, closed. */
static const char *filled(const char *name)
{
	Ctx ctx;
	const char *path = test_path(name);

	ctx_init(&ctx);
	Ledger *l = ledger_at(&ctx, path);
	SearchInfo s = search_of("f");
	CHECK(ledger_begin(l, &s));
	for (int i = 0; i < 40; i++) {
		CandInfo c = cand_of(&s, "loop", CAND_LEFT);
		CHECK(ledger_add(l, &c));
	}
	ledger_close(l);
	ctx_release(&ctx);
	return path;
}

static void not_a_database(void)
{
	const char *path = test_path("text.sqlite");
	static char text[5000];

	memset(text, 'x', sizeof(text));
	put(path, text, sizeof(text));
	is_refused(path, "is not a ledger");
	put(path, text, 10);
	is_refused(path, "is not a ledger");
	path = test_path("folder.sqlite");
	CHECK(mkdir(path, 0700) == 0);
	is_refused(path, "is not a file");
	is_refused(test_path("nowhere/ledger.sqlite"), "No such file");
	path = test_path("foreign.sqlite");
	CHECK(tell(path, "CREATE TABLE mine (x)"));
	CHECK(chmod(path, 0600) == 0);
	is_refused(path, "a database, but not a ledger");
}

static void truncated(void)
{
	const char *path = filled("cut.sqlite");
	struct stat st;

	CHECK(stat(path, &st) == 0 && st.st_size > 8 * 4096);
	CHECK(truncate(path, st.st_size / 2) == 0);
	is_refused(path, "cut short");
	CHECK(truncate(path, 4096) == 0);
	is_refused(path, "cut short");
	CHECK(truncate(path, 1000) == 0);
	is_refused(path, "cut short");
	CHECK(truncate(path, 50) == 0);
	is_refused(path, "cut short");
}

/* Damage that opening does not meet is told by what meets it. */
static void damaged(void)
{
	Ctx ctx;
	Arena a;
	Buf out;
	const char *path = filled("damaged.sqlite");
	static char junk[4096];
	struct stat st;

	memset(junk, 0x5a, sizeof(junk));
	int f = open(path, O_WRONLY);
	CHECK(stat(path, &st) == 0);
	for (off_t at = 4096; at < st.st_size; at += 4096)
		CHECK(pwrite(f, junk, sizeof(junk), at) == sizeof(junk));
	close(f);
	ctx_init(&ctx);
	arena_init(&a);
	buf_init(&out, &a);
	Ledger *l = ledger_open(&ctx, path);
	CHECK(!l || !ledger_report(l, &a, &(LedgerQuery){0}, &out));
	if (!CHECK(strstr(buf_str(&ctx.messages), "damaged or cut short")))
		printf("%s", buf_str(&ctx.messages));
	ledger_close(l);
	arena_release(&a);
	ctx_release(&ctx);
}

static void newer(void)
{
	const char *path = filled("newer.sqlite");

	CHECK(tell(path, "PRAGMA user_version = 3"));
	is_refused(path, "was written by a newer Tenon: it is of version 3");
	CHECK(ask(path, "SELECT count(*) FROM candidate") == 40);
}

static void others(void)
{
	const char *path = filled("others.sqlite");

	CHECK(chmod(path, 0620) == 0);
	is_refused(path, "can be written by other users");
	CHECK(mkdir(test_path("lax"), 0700) == 0 &&
	      mkdir(test_path("lax/tenon"), 0700) == 0 &&
	      chmod(test_path("lax/tenon"), 0770) == 0);
	Ctx ctx;
	ctx_init(&ctx);
	setenv("XDG_CACHE_HOME", test_path("lax"), 1);
	CHECK(!ledger_open(&ctx, NULL));
	CHECK(strstr(buf_str(&ctx.messages), "can be written by other users"));
	CHECK(!file_exists(test_path("lax/tenon/ledger.sqlite")));
	ctx_release(&ctx);
}

/* As somebody whom modes bind; 77: the folder is out of reach. */
static int read_only_child(const char *path, const char *folder)
{
	if (geteuid() == 0 && (setgroups(0, NULL) != 0 || setgid(65534) != 0 ||
			       setuid(65534) != 0))
		return 77;
	if (access(path, R_OK) != 0)
		return 77;
	bool ok = is_refused(path, "is read-only") &&
		  is_refused(folder, "Permission denied");
	fflush(stdout);
	return ok ? 0 : 1;
}

static void read_only(void)
{
	const char *path = filled("only.sqlite"),
		   *inside = test_path("closed/ledger.sqlite");

	/* somebody has it open, so that its shared memory is there too */
	Ctx ctx;
	ctx_init(&ctx);
	Ledger *l = ledger_at(&ctx, path);
	CHECK(mkdir(test_path("closed"), 0500) == 0);
	CHECK(chmod(path, 0400) == 0 && chmod(test_folder(), 0755) == 0);
	if (geteuid() == 0)
		CHECK(chown(path, 65534, 65534) == 0 &&
		      chown(test_path("closed"), 65534, 65534) == 0);
	fflush(stdout);
	pid_t child = fork();
	if (child == 0)
		_exit(read_only_child(path, inside));
	int code = exit_of(child);
	ledger_close(l);
	ctx_release(&ctx);
	if (code == 77)
		SKIP("no user here whom file modes bind");
	CHECK(code == 0);
}

/* Adds until it is refused; whether that was for want of room. */
static int fill_child(const char *path)
{
	Ctx ctx;
	static char reason[1000];
	int added = 0;

	ctx_init(&ctx);
	memset(reason, 'r', sizeof(reason) - 1);
	Ledger *l = ledger_open(&ctx, path);
	SearchInfo s = search_of("f");
	bool ok = l && ledger_begin(l, &s);
	for (; ok && added < 5000; added++) {
		CandInfo c = cand_of(&s, "loop", CAND_REFUSED);
		c.reason = reason;
		ok = ledger_add(l, &c);
	}
	bool told = strstr(buf_str(&ctx.messages), "no room to write") &&
		    strstr(buf_str(&ctx.messages), "hint: ");
	if (ok || !told)
		printf("after %d: %s", added, buf_str(&ctx.messages));
	/* what was added stays, and the connection works */
	ctx_clear_errors(&ctx);
	SearchInfo got;
	ledger_find(l, &ctx.perm, &s, &got);
	told = told && !ctx.errors;
	ledger_close(l);
	ctx_release(&ctx);
	return !ok && told && added > 20 ? 0 : 1;
}

/* All that was told as added is there: considered counts it. */
static void check_filled(const char *path)
{
	Ctx ctx;

	ctx_init(&ctx);
	ledger_close(ledger_at(&ctx, path));
	ctx_release(&ctx);
	CHECK(ask(path, "SELECT count(*) FROM candidate") > 20);
	CHECK(ask(path, "SELECT considered - (SELECT count(*) FROM candidate) "
			"FROM search") == 0);
}

static void no_room(void)
{
	const char *path = test_path("room.sqlite");

	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		struct rlimit most = {400000, 400000};
		signal(SIGXFSZ, SIG_IGN);
		if (setrlimit(RLIMIT_FSIZE, &most) != 0)
			_exit(1);
		int code = fill_child(path);
		fflush(stdout);
		_exit(code);
	}
	CHECK(exit_of(child) == 0);
	check_filled(path);
}

static void disk_full(void)
{
	char folder[300], path[320];

	snprintf(folder, sizeof(folder), "%s", test_path("disk"));
	snprintf(path, sizeof(path), "%s/ledger.sqlite", folder);
	CHECK(mkdir(folder, 0700) == 0);
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		if (unshare(CLONE_NEWNS) != 0 ||
		    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
		    mount("tenon", folder, "tmpfs", 0, "size=600k") != 0)
			_exit(77);
		int code = fill_child(path);
		check_filled(path);
		fflush(stdout);
		_exit(test_bad > 0 ? 1 : code);
	}
	int code = exit_of(child);
	if (code == 77)
		SKIP("no small file system can be mounted here");
	CHECK(code == 0);
}

static void locked(void)
{
	Ctx ctx;
	const char *path = filled("locked.sqlite");
	sqlite3 *other;

	ctx_init(&ctx);
	ledger_wait_ms = 60;
	Ledger *l = ledger_at(&ctx, path);
	CHECK(sqlite3_open(path, &other) == SQLITE_OK);
	CHECK(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL) ==
	      SQLITE_OK);
	SearchInfo s = search_of("f");
	CHECK(!ledger_begin(l, &s));
	CHECK(strstr(buf_str(&ctx.messages), "was locked by another process") &&
	      strstr(buf_str(&ctx.messages), "hint: "));
	CHECK(sqlite3_exec(other, "COMMIT", NULL, NULL, NULL) == SQLITE_OK);
	CHECK(ledger_begin(l, &s)); /* it is none the worse */
	ledger_wait_ms = 10000;
	sqlite3_close(other);
	ledger_close(l);
	ctx_release(&ctx);
}

/* ---- out of memory ----------------------------------------------------- */

/* Opens, writes and reads with the nth allocation refused; false: it was. */
static bool attempt(const char *path, long nth)
{
	Ctx ctx;
	OomTrap trap;
	volatile bool done = false;

	ctx_init(&ctx);
	if (!OOM_TRAP(&trap)) {
		oom_fail_nth(nth);
		Buf out;
		SearchInfo s = search_of("f"), got;
		Ledger *l = ledger_open(&ctx, path);
		buf_init(&out, &ctx.perm);
		CHECK(l && ledger_begin(l, &s));
		CandInfo c = cand_of(&s, "loop", CAND_REFUSED);
		CHECK(ledger_add(l, &c));
		s.state = "complete";
		s.plan = "abcd";
		CHECK(ledger_end(l, &s) && ledger_find(l, &ctx.perm, &s, &got));
		CHECK(ledger_report(l, &ctx.perm, &(LedgerQuery){0}, &out));
		CHECK(ledger_report(l, &ctx.perm, &(LedgerQuery){.json = true},
				    &out));
		done = true;
		oom_trap_pop(&trap);
	}
	oom_fail_nth(0);
	ctx_release(&ctx);
	return done;
}

static void without_memory(void)
{
	const char *path = test_path("oom.sqlite");
	long n = 1;

	while (n < 2000 && !attempt(path, n))
		n += n < 20 ? 1 : 7;
	CHECK(n > 20 && n < 2000);
	CHECK(attempt(path, 0));
}

static void folder_goes(void)
{
	test_folder_remove();
}

TEST_MAIN(TEST(made), TEST(made_of_nothing), TEST(not_trimmed), TEST(keys),
	  TEST(rows), TEST(finds), TEST(makers), TEST(writers), TEST(killed),
	  TEST(killed_or_not), TEST(forked), TEST(not_a_database),
	  TEST(truncated), TEST(damaged), TEST(newer), TEST(others),
	  TEST(read_only), TEST(no_room), TEST(disk_full), TEST(locked),
	  TEST(without_memory), TEST(folder_goes))
