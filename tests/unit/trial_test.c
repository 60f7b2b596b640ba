/*
 * trial: paths with planted faults, each of which must end in its own state,
 * hurt nobody else and leave nothing behind. No check here depends on speed,
 * but that 20 ms are longer than 1.
 */
#include "search/trial_own.h"
#include "tests/unit/test.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif
/* What a planted fault does is not the sanitizers' to report. */
#define PLANTED __attribute__((noinline, no_sanitize("address", "undefined")))
#define PAGE    4096

/* ---- planted paths ----------------------------------------------------- */

enum {
	OPEN,
	CHECK_,
	RUN,
	CLOSE,
	PLACES
};

typedef struct Plant Plant;
struct Plant {
	void (*at[PLACES])(Plant *p);
	TrialState says[PLACES]; /* of close: not asked */
	int *counts;             /* of each place, shared with the children */
	double ms;               /* that a run sleeps */
	Guarded *memory;
	ptrdiff_t where; /* to write to, from the data */
	int *shared;     /* what the test at hand needs */
};

static TrialState come_to(Plant *p, int place, char *text)
{
	if (p->counts)
		p->counts[place]++;
	snprintf(text, TRIAL_TEXT, "planted at %d", place);
	if (p->at[place])
		p->at[place](p);
	return p->says[place];
}

static TrialState plant_open(void *state, char text[TRIAL_TEXT])
{
	return come_to(state, OPEN, text);
}

static TrialState plant_check(void *state, char text[TRIAL_TEXT])
{
	return come_to(state, CHECK_, text);
}

static TrialState plant_run(void *state, char text[TRIAL_TEXT])
{
	const Plant *p = state;
	const struct timespec t = {0, (long)(p->ms * 1e6)};

	if (p->ms > 0)
		nanosleep(&t, NULL);
	return come_to(state, RUN, text);
}

static void plant_close(void *state)
{
	char text[TRIAL_TEXT];

	come_to(state, CLOSE, text);
}

static TrialPath path(Plant *p)
{
	return (TrialPath){p, plant_open, plant_check, plant_run, plant_close};
}

/* Zeroed ints that children share; they stay until the test ends. */
static int *shared_ints(void)
{
	void *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* ---- batches ----------------------------------------------------------- */

#define MOST 48

static const TrialOptions quick = {20, 20, 20, 2, 3, INFINITY, NULL};
static const TrialOptions in_time = {0.2, 0.2, 0.2, 2, 3, INFINITY, NULL};

static TrialResult out[MOST];
static size_t done;
static int told[MOST];
static size_t warnings;
static char messages[1000];

static void on_result(void *arg, size_t i, const TrialResult *r)
{
	(void)arg;
	told[i]++;
	CHECK(r == &out[i]);
}

static bool batch(Plant *given, Plant *plants, size_t n, const TrialOptions *o)
{
	TrialPath c[MOST], first = path(given);
	Ctx ctx;

	for (size_t i = 0; i < n; i++)
		c[i] = path(&plants[i]);
	memset(told, 0, sizeof(told));
	memset(out, 0xa5, sizeof(out));
	ctx_init(&ctx);
	bool ok = trial_batch(&ctx, given ? &first : NULL, c, n, o, out,
			      on_result, NULL, &done);
	warnings = ctx.warnings.n;
	snprintf(messages, sizeof(messages), "%s", buf_str(&ctx.messages));
	ctx_release(&ctx);
	return ok;
}

/* The plant alone, and after it one that is right. */
static TrialResult alone(Plant p, const TrialOptions *o)
{
	Plant plants[2] = {p, {.ms = 0}};

	CHECK(batch(NULL, plants, 2, o));
	CHECK(done == 2 && told[0] == 1 && told[1] == 1);
	CHECK(out[1].state == TRIAL_MEASURED);
	CHECK(out[1].verdict != TRIAL_FASTER || out[1].incumbent == -1 ||
	      out[0].state == TRIAL_MEASURED);
	return out[0];
}

static void ends(Plant p, const TrialOptions *o, TrialState state,
		 const char *text)
{
	TrialResult r = alone(p, o);

	if (!CHECK(r.state == state))
		printf("  state %d: %s\n", r.state, r.text);
	CHECK_STR(r.text, text);
}

TN_NOINLINE static int count_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

/* Whether the process ends soon; a zombie has. */
static bool ends_soon(pid_t pid)
{
	const struct timespec t = {0, 1000000};
	char name[64], text[256];

	snprintf(name, sizeof(name), "/proc/%d/stat", (int)pid);
	for (int i = 0; i < 5000; i++) {
		FILE *f = fopen(name, "r");
		bool alive = f && fgets(text, sizeof(text), f) &&
			     !strstr(text, ") Z") && !strstr(text, ") X");
		if (f)
			fclose(f);
		if (!alive)
			return true;
		nanosleep(&t, NULL);
	}
	return false;
}

/* ---- verdicts ---------------------------------------------------------- */

/* Rounds whose ratios these are; what race_judge says after the last. */
static TrialResult judged(const double *ratio, int n, int planned, bool *end)
{
	TrialResult r = {.rounds = n};

	for (int i = 0; i < n; i++) {
		r.us[i] = ratio[i] * 7;
		r.other_us[i] = 7;
	}
	*end = race_judge(&r, planned, 3);
	return r;
}

static void verdicts(void)
{
	static const double better[15] = {.9, .8, 1.2, .9, .7, .9,  .8, 1.1,
					  .9, .9, .8,  .9, .9, 1.5, .9},
			    even[15] = {.9,  .8, 1.2, .9, .7, .9, .8, 1.1,
					1.3, .9, .8,  .9, .9, .9, 1.5},
			    agreed[8] = {.9, .8, .7, .9, .99, .6, .7, .9},
			    split[8] = {.9, .8, .7, .9, 1.01, .6, .7, .9},
			    slow[6] = {1.1, 1.2, 1.1, 1.3, 1.2, 1.1},
			    bad[3] = {5, 4, 6}, mixed[3] = {5, .5, 6};
	bool end;
	TrialResult r = judged(better, 15, 15, &end);

	CHECK(end && r.verdict == TRIAL_FASTER);
	CHECK(fabs(r.ratio - .9) < 1e-9);
	/* the 4th of each end: three of 15 may disagree, and not four */
	CHECK(fabs(r.lo - .8) < 1e-9 && fabs(r.hi - .9) < 1e-9);
	r = judged(even, 15, 15, &end);
	CHECK(end && r.verdict == TRIAL_TIE && r.lo < 1 && r.hi > 1);
	r = judged(agreed, 8, 15, &end);
	CHECK(end && r.verdict == TRIAL_FASTER && fabs(r.hi - .99) < 1e-9);
	r = judged(split, 8, 15, &end);
	CHECK(!end);
	r = judged(agreed, 7, 15, &end);
	CHECK(!end && r.verdict == TRIAL_TIE);
	r = judged(slow, 6, 6, &end);
	CHECK(end && r.verdict == TRIAL_SLOWER && fabs(r.lo - 1.1) < 1e-9);
	r = judged(slow, 4, 4, &end);
	CHECK(end && r.verdict == TRIAL_TIE); /* too few to decide */
	r = judged(bad, 3, 15, &end);
	CHECK(end && r.verdict == TRIAL_SLOWER);
	r = judged(bad, 2, 15, &end);
	CHECK(!end);
	r = judged(mixed, 3, 15, &end);
	CHECK(!end && r.verdict == TRIAL_TIE);
}

/* Of both sides equal, at most 7 in 100 verdicts are not a tie, whatever the
 * distribution: all that matters is which side of 1 each ratio is on. */
static void level(void)
{
	int last = 0, early = 0;

	for (unsigned m = 0; m < 1u << 15; m++) {
		double ratio[15];
		bool end;
		for (int i = 0; i < 15; i++)
			ratio[i] = m >> i & 1 ? 2. : .5;
		TrialResult r = judged(ratio, 8, 15, &end);
		early += end && r.verdict != TRIAL_TIE;
		if (end)
			continue;
		r = judged(ratio, 15, 15, &end);
		last += r.verdict != TRIAL_TIE;
	}
	CHECK(early == 2 * 128);
	CHECK(early + last < (1 << 15) / 20);
	CHECK(last > (1 << 15) / 50); /* and not too careful either */
}

/* ---- timing ------------------------------------------------------------ */

static void first_of_all(void)
{
	TrialOptions o = quick;
	TrialResult r;

	o.rounds = 15;
	r = alone((Plant){.ms = 1}, &o);
	CHECK(r.state == TRIAL_MEASURED && r.verdict == TRIAL_FASTER);
	CHECK(r.rounds == 5 && r.calls >= 1 && r.incumbent == -1);
	CHECK(r.us[0] >= 1000 && r.other_us[0] == 0 && r.first[0]);
	CHECK(r.median_us >= 1000 && r.time_ms > 0);
	CHECK_STR(r.text, "");
}

static void slow_and_fast(void)
{
	int *counts = shared_ints();
	Plant plants[3] = {{.ms = 20}, {.ms = 1, .counts = counts}, {.ms = 20}};
	TrialOptions o = quick;

	o.rounds = 15;
	CHECK(batch(NULL, plants, 3, &o) && done == 3);
	CHECK(out[1].state == TRIAL_MEASURED && out[1].incumbent == 0);
	CHECK(out[1].verdict == TRIAL_FASTER && out[1].ratio < 1);
	CHECK(out[1].hi < 1 && out[1].other_us[0] >= 20000);
	CHECK(out[1].first[0] && !out[1].first[1] && out[1].first[2]);
	CHECK(counts[CHECK_] == 2 && counts[OPEN] == 1);
	CHECK(out[2].verdict == TRIAL_SLOWER && out[2].incumbent == 1);
	CHECK(out[2].rounds < 15 && out[2].lo > 1); /* hopeless */
}

/* An incumbent that was given is met by all, and none is faster. */
static void given(void)
{
	Plant best = {.ms = 1}, plants[2] = {{.ms = 20}, {.ms = 20}};
	TrialOptions o = quick;

	o.rounds = 15;
	CHECK(batch(&best, plants, 2, &o) && done == 2);
	for (int i = 0; i < 2; i++) {
		CHECK(out[i].verdict == TRIAL_SLOWER);
		CHECK(out[i].incumbent == -1 && out[i].other_us[0] >= 1000);
	}
}

/* ---- answers ----------------------------------------------------------- */

static void wrong_now(Plant *p)
{
	p->says[CHECK_] = TRIAL_WRONG;
}

static void wrong_later(Plant *p)
{
	if (p->counts[RUN] > 0)
		p->says[CHECK_] = TRIAL_WRONG;
}

static void says_what_it_is(void)
{
	Plant p = {.says = {TRIAL_FAILED}};
	int *counts = shared_ints();

	ends(p, &quick, TRIAL_FAILED, "planted at 0");
	p = (Plant){.says = {0, 0, TRIAL_NO_MEMORY}};
	ends(p, &quick, TRIAL_NO_MEMORY, "planted at 2");
	p = (Plant){.at = {NULL, wrong_now}, .counts = counts};
	ends(p, &quick, TRIAL_WRONG, "planted at 1");
	CHECK(counts[OPEN] == 1 && counts[RUN] == 0 && counts[CLOSE] == 1);
}

static void wrong_after_timing(void)
{
	Plant p = {.at = {NULL, wrong_later}, .counts = shared_ints()};
	TrialResult r = alone(p, &quick);
	char want[100];

	CHECK(r.state == TRIAL_WRONG);
	snprintf(want, sizeof(want), "after %d calls: planted at 1",
		 p.counts[RUN]);
	CHECK_STR(r.text, want);
	CHECK(out[1].verdict == TRIAL_FASTER && out[1].incumbent == -1);
}

/* ---- crashes ----------------------------------------------------------- */

static volatile int zero;

PLANTED static void write_null(Plant *p)
{
	(void)p;
	*(volatile int *)(uintptr_t)(0x18 + zero) = 1;
}

PLANTED static void read_null(Plant *p)
{
	(void)p;
	zero = *(volatile int *)(uintptr_t)(0x20 + zero);
}

static void aborts(Plant *p)
{
	(void)p;
	abort();
}

PLANTED static void divides(Plant *p)
{
	(void)p;
#if defined(__x86_64__)
	__asm__ volatile("idivl %0" ::"r"(zero) : "eax", "edx");
#else
	raise(SIGFPE);
#endif
}

PLANTED static void traps(Plant *p)
{
	(void)p;
	__builtin_trap();
}

PLANTED static int deeper(int n)
{
	volatile char room[1024];

	room[n % 1024] = (char)n;
	return n < 0 ? 0 : deeper(n + 1) + room[n % 1024];
}

static void overflows(Plant *p)
{
	(void)p;
	zero = deeper(0) * zero;
}

static void terminates(Plant *p)
{
	(void)p;
	raise(SIGTERM);
}

static void exits(Plant *p)
{
	(void)p;
	exit(0);
}

static void exits_at_once(Plant *p)
{
	(void)p;
	_exit(0);
}

static void crashes(void)
{
	static const struct {
		void (*fn)(Plant *p);
		int place;
		const char *text;
	} cases[] =
	{ {write_null, OPEN, "in open: SIGSEGV, wrote at address 0x18"},
	  {write_null, CHECK_, "in check: SIGSEGV, wrote at address 0x18"},
	  {write_null, RUN, "in run: SIGSEGV, wrote at address 0x18"},
	  {write_null, CLOSE, "in close: SIGSEGV, wrote at address 0x18"},
	  {read_null, RUN, "in run: SIGSEGV, read at address 0x20"},
	  {aborts, OPEN, "in open: SIGABRT"},
	  {aborts, RUN, "in run: SIGABRT"},
#if defined(__x86_64__)
	  {divides, CHECK_, "in check: SIGFPE, an integer divided by zero"},
	  {traps, RUN,
	   "in run: SIGILL, an instruction that this CPU does not "
	   "have"},
#endif
	  {terminates, RUN, "in run: ended by SIGTERM"},
	  {exits, RUN, "in run: exit() was called"},
	  {exits_at_once, RUN, "in run: exited with status 0"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		Plant p = {.ms = 0};
		p.at[cases[i].place] = cases[i].fn;
		/* a winner is closed after it is told */
		if (cases[i].place == CLOSE)
			p.says[CHECK_] = TRIAL_WRONG;
		ends(p, &quick, TRIAL_CRASHED, cases[i].text);
	}
}

static void stack_overflow(void)
{
	Plant p = {.at = {NULL, NULL, overflows}};

	if (SANITIZED)
		SKIP("the sanitizer's frames are too large to overflow soon");
	TrialResult r = alone(p, &quick);
	CHECK(r.state == TRIAL_CRASHED);
	CHECK(strstr(r.text, "in run: SIGSEGV, wrote at address 0x"));
}

static int *worker_came;

PLANTED static void worker(void *arg, int number)
{
	const struct timespec t = {0, 100000};

	(void)arg;
	if (number > 0) {
		__atomic_store_n(worker_came, 1, __ATOMIC_SEQ_CST);
		write_null(NULL);
	}
	for (int i = 0; i < 100000; i++)
		nanosleep(&t, NULL);
}

static void idle(void *arg, int number)
{
	(void)arg;
	(void)number;
}

static void pool_crashes(Plant *p)
{
	(void)p;
	pool_run(2, worker, NULL);
}

/* The child has a pool of its own, whose threads tell their faults. */
static void pools(void)
{
	Plant p = {.at = {NULL, NULL, pool_crashes}};

	worker_came = shared_ints();
	pool_run(2, idle, NULL);
	ends(p, &quick, TRIAL_CRASHED,
	     "in run: SIGSEGV, wrote at address 0x18");
	CHECK(*worker_came == 1);
	pool_run(2, idle, NULL);
}

static void many_crashes(void)
{
	Plant plants[42] = {{.ms = 0}};
	int fds = count_fds();

	for (int i = 1; i <= 40; i++)
		plants[i].at[i % 3] = i % 2 ? write_null : exits_at_once;
	plants[0].counts = shared_ints();
	CHECK(batch(NULL, plants, 42, &quick) && done == 42);
	for (int i = 1; i <= 40; i++)
		CHECK(out[i].state == TRIAL_CRASHED && told[i] == 1);
	CHECK(out[41].state == TRIAL_MEASURED && out[41].incumbent == 0);
	CHECK(out[41].other_us[0] > 0);
	CHECK(plants[0].counts[CHECK_] == 2); /* as a candidate only */
	CHECK(count_fds() == fds);
	CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

/* ---- whom a fault is held against -------------------------------------- */

static bool poisoned;

/* Where it is opened for the first time. */
static void poisons(Plant *p)
{
	if (p->counts[OPEN] == 1)
		poisoned = true;
}

static void suffers(Plant *p)
{
	if (poisoned)
		write_null(p);
}

static void innocent(void)
{
	Plant plants[2] = {{.at = {poisons}, .counts = shared_ints()},
			   {.at = {NULL, NULL, suffers}}};

	CHECK(batch(NULL, plants, 2, &quick) && done == 2);
	CHECK(out[0].state == TRIAL_MEASURED);
	CHECK(out[1].state == TRIAL_MEASURED && out[1].incumbent == 0);
}

static void opens_once(Plant *p)
{
	if (p->counts[OPEN] > 1)
		write_null(p);
}

/* A winner that does not open again gives way to what it had beaten. */
static void incumbent_lost(void)
{
	Plant plants[3] = {{.at = {opens_once}, .counts = shared_ints()},
			   {.at = {write_null}},
			   {.ms = 0}};
	Plant best = plants[0];

	CHECK(batch(NULL, plants, 3, &quick) && done == 3);
	CHECK(told[0] == 2 && out[0].state == TRIAL_CRASHED);
	CHECK_STR(out[0].text, "when it was to run again: in open: SIGSEGV, "
			       "wrote at address 0x18");
	CHECK(out[1].state == TRIAL_CRASHED && told[1] == 1);
	CHECK(out[2].verdict == TRIAL_FASTER && out[2].incumbent == -1);
	best.counts = shared_ints();
	best.says[OPEN] = TRIAL_FAILED;
	CHECK(batch(&best, plants + 2, 1, &quick) && done == 1);
	CHECK(out[0].verdict == TRIAL_FASTER && out[0].other_us[0] == 0);
	CHECK(warnings == 1);
}

static void suffers_later(Plant *p)
{
	if (poisoned)
		raise(SIGTERM);
	(void)p;
}

/* The incumbent runs well alone: what it does beside is not its fault. */
static void beside(void)
{
	Plant best = {.at = {NULL, NULL, suffers_later}};
	Plant plants[2] = {{.at = {poisons}, .counts = shared_ints()},
			   {.ms = 0}};

	CHECK(batch(&best, plants, 2, &quick) && done == 2);
	CHECK(out[0].state == TRIAL_CRASHED);
	CHECK_STR(out[0].text,
		  "in the incumbent's run beside it: ended by SIGTERM");
	CHECK(out[1].state == TRIAL_MEASURED && out[1].other_us[0] > 0);
	CHECK(warnings == 0);
}

/* ---- limits ------------------------------------------------------------ */

static void hangs(Plant *p)
{
	(void)p;
	for (;;)
		pause();
}

static void stops(Plant *p)
{
	(void)p;
	raise(SIGSTOP);
}

static void hangs_later(Plant *p)
{
	if (p->counts[CHECK_] > 1)
		hangs(p);
}

static void time_outs(void)
{
	Plant p = {.at = {hangs}};

	ends(p, &in_time, TRIAL_TIMED_OUT, "in open: no end within 0.2 s");
	p = (Plant){.at = {NULL, hangs}};
	ends(p, &in_time, TRIAL_TIMED_OUT, "in check: no end within 0.2 s");
	p = (Plant){.at = {NULL, NULL, hangs}};
	ends(p, &in_time, TRIAL_TIMED_OUT, "in run: no end within 0.2 s");
	p = (Plant){.at = {NULL, hangs_later}, .counts = shared_ints()};
	ends(p, &in_time, TRIAL_TIMED_OUT,
	     "in the check after timing: no end within 0.2 s");
	p = (Plant){.at = {NULL, NULL, NULL, hangs}, .says = {0, TRIAL_WRONG}};
	ends(p, &in_time, TRIAL_TIMED_OUT, "in close: no end within 0.2 s");
	p = (Plant){.at = {NULL, NULL, stops}};
	ends(p, &in_time, TRIAL_TIMED_OUT, "in run: no end within 0.2 s");
}

static void budget(void)
{
	Plant plants[2] = {{.ms = 5}, {.ms = 5}};
	TrialOptions o = quick;

	o.seconds = 0;
	CHECK(batch(NULL, plants, 2, &o) && done == 0 && told[0] == 0);
	o.seconds = 20;
	CHECK(batch(NULL, plants, 2, &o) && done == 2);
	plants[0].ms = 300; /* which is begun, and not cut short */
	o.seconds = 0.25;
	CHECK(batch(NULL, plants, 2, &o) && done <= 1 && told[1] == 0);
}

static bool stop_when_told(void)
{
	return told[0] > 0;
}

static void stop(void)
{
	Plant plants[3] = {{.ms = 0}, {.at = {hangs}}, {.ms = 0}};
	TrialOptions o = quick;

	o.stop = stop_when_told;
	CHECK(batch(NULL, plants, 3, &o) && done == 1 && told[1] == 0);
	CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

/* ---- what a candidate does to its process ------------------------------- */

static void closes_all(Plant *p)
{
	for (int i = 0; i < 100; i++)
		close(i);
	if (p->shared)
		hangs(p);
}

static void writes_to_pipe(Plant *p)
{
	char text[3 * sizeof(Record)];

	(void)p;
	memset(text, 7, sizeof(text));
	for (int i = 3; i < 100; i++)
		if (write(i, text, sizeof(text)) > 0)
			return;
}

static void pipes(void)
{
	Plant p = {.at = {NULL, NULL, closes_all}, .shared = shared_ints()};

	ends(p, &quick, TRIAL_CRASHED, "in run: the search's pipe was closed");
	p.shared = NULL;
	TrialResult r = alone(p, &quick);
	CHECK(r.state == TRIAL_CRASHED);
	p = (Plant){.at = {NULL, NULL, writes_to_pipe}};
	r = alone(p, &quick);
	CHECK(r.state == TRIAL_CRASHED);
	CHECK(strstr(r.text, "the search's pipe was written to"));
}

/* Arenas refuse, and so does big_alloc. */
static void eats_memory(Plant *p)
{
	const struct rlimit all = {1 << 20, 1 << 20};
	static Arena a;

	(void)p;
	setrlimit(RLIMIT_AS, &all);
	for (;;)
		arena_alloc(&a, 1 << 16, 16);
}

static void is_killed(Plant *p)
{
	(void)p;
	kill(getpid(), SIGKILL);
}

static void memory(void)
{
	Plant p = {.at = {NULL, is_killed}};

	ends(p, &quick, TRIAL_NO_MEMORY,
	     "in check: killed, likely for want of memory");
	if (SANITIZED)
		SKIP("the sanitizer ends where memory is refused");
	p = (Plant){.at = {NULL, NULL, eats_memory}};
	ends(p, &quick, TRIAL_NO_MEMORY, "out of memory");
}

static void interrupted(Plant *p)
{
	(void)p;
	raise(SIGINT);
}

static void sigint(void)
{
	Plant p = {.at = {NULL, NULL, interrupted}};

	CHECK(alone(p, &quick).state == TRIAL_MEASURED);
}

/* It keeps the pipe open when its parent dies. */
static void leaves_a_child(Plant *p)
{
	pid_t pid = fork();

	if (pid == 0)
		hangs(p);
	p->shared[0] = pid;
	_exit(3);
}

static void grandchild(void)
{
	Plant p = {.at = {NULL, leaves_a_child}, .shared = shared_ints()};

	ends(p, &quick, TRIAL_CRASHED, "in check: exited with status 3");
	CHECK(p.shared[0] > 0 && ends_soon(p.shared[0]));
}

/* ---- the parent --------------------------------------------------------- */

static void crash_and_right(void)
{
	Plant p = {.at = {NULL, write_null}};

	ends(p, &quick, TRIAL_CRASHED,
	     "in check: SIGSEGV, wrote at address 0x18");
}

static void children_of_others(void)
{
	void (*old)(int) = signal(SIGCHLD, SIG_IGN);
	Plant p = {.at = {NULL, exits_at_once}};
	int status;

	crash_and_right();
	ends(p, &quick, TRIAL_CRASHED, "in check: the process ended");
	signal(SIGCHLD, old);
	pid_t own = fork();
	if (own == 0)
		_exit(7);
	crash_and_right();
	CHECK(waitpid(own, &status, 0) == own && WEXITSTATUS(status) == 7);
}

static void *in_thread(void *arg)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	crash_and_right();
	crash_and_right();
	return arg;
}

static void from_a_thread(void)
{
	pthread_t id;

	CHECK(pthread_create(&id, NULL, in_thread, NULL) == 0);
	pthread_join(id, NULL);
}

static void prints(Plant *p)
{
	(void)p;
	printf("of the child");
	fflush(NULL);
}

/* A process whose stdout is a file: what it prints is there once. */
static void prints_once(int fd)
{
	Plant plants[3] = {{.ms = 0}, {.at = {exits}}, {.at = {NULL, prints}}};

	fflush(stdout);
	dup2(fd, 1);
	printf("once ");
	bool ok = batch(NULL, plants, 3, &quick);
	printf("%d", ok && done == 3);
	fflush(stdout);
	_exit(0);
}

static void output(void)
{
	char name[] = "/tmp/trial-XXXXXX", text[100] = "";
	int fd = mkstemp(name);

	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0)
		prints_once(fd);
	waitpid(pid, NULL, 0);
	CHECK(pread(fd, text, sizeof(text) - 1, 0) > 0);
	CHECK_STR(text, "once 1");
	close(fd);
	unlink(name);
}

static void says_who(Plant *p)
{
	__atomic_store_n(p->shared, getpid(), __ATOMIC_SEQ_CST);
	hangs(p);
}

static void death_of_parent(void)
{
	Plant p = {.at = {NULL, says_who}, .shared = shared_ints()};
	const struct timespec t = {0, 1000000};
	pid_t pid = fork();

	if (pid == 0) {
		batch(NULL, &p, 1, &quick);
		_exit(0);
	}
	for (int i = 0; i < 10000 && *(volatile int *)p.shared == 0; i++)
		nanosleep(&t, NULL);
	CHECK(p.shared[0] > 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	CHECK(ends_soon(p.shared[0]));
}

/* Stands before the C library's: the next ones are refused. */
static int forks_refused;

pid_t fork(void)
{
	static pid_t (*real)(void);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "fork");
	if (forks_refused > 0) {
		forks_refused--;
		errno = EAGAIN;
		return -1;
	}
	return real();
}

static void refused(void)
{
	struct rlimit old, few;
	Plant p = {.ms = 0};

	forks_refused = 2;
	crash_and_right();
	CHECK(forks_refused == 0);
	forks_refused = 1000;
	CHECK(!batch(NULL, &p, 1, &quick) && done == 0);
	CHECK(strstr(messages, "no process for a candidate: fork: "));
	forks_refused = 0;
	getrlimit(RLIMIT_NOFILE, &old);
	few = (struct rlimit){3, old.rlim_max};
	setrlimit(RLIMIT_NOFILE, &few);
	CHECK(!batch(NULL, &p, 1, &quick) && done == 0);
	CHECK(strstr(messages, "no process for a candidate: pipe: "));
	setrlimit(RLIMIT_NOFILE, &old);
}

static void raises(void *arg, size_t i, const TrialResult *r)
{
	(void)arg;
	(void)i;
	(void)r;
	oom_raise();
}

static void out_of_memory(void)
{
	Plant p = {.ms = 0};
	TrialPath c[2] = {path(&p), path(&p)};
	int fds = count_fds();
	OomTrap trap;
	Ctx ctx;

	ctx_init(&ctx);
	if (!OOM_TRAP(&trap)) {
		trial_batch(&ctx, NULL, c, 2, &quick, out, raises, NULL, &done);
		CHECK(!"reached");
	}
	ctx_release(&ctx);
	CHECK(count_fds() == fds);
	CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

/* ---- guarded memory ---------------------------------------------------- */

PLANTED static void pokes(Plant *p)
{
	*((volatile char *)guarded_data(p->memory) + p->where) = 1;
}

static void poke_text(size_t bytes, size_t alignment, bool seal,
		      ptrdiff_t where, const char *text)
{
	Guarded *g = guarded_new(bytes, alignment, true);
	Plant p = {.at = {NULL, pokes}, .memory = g, .where = where};
	char want[200];

	if (!CHECK(g))
		return;
	CHECK((uintptr_t)guarded_data(g) % alignment == 0);
	guarded_name(g, seal ? "input x" : "result y");
	if (seal)
		guarded_seal(g);
	snprintf(want, sizeof(want), "in check: SIGSEGV, wrote %s", text);
	ends(p, &quick, TRIAL_CRASHED, want);
	CHECK(guarded_is_whole(g));
	guarded_free(g);
}

static void guards(void)
{
	poke_text(PAGE, 64, false, PAGE, "right behind result y");
	poke_text(PAGE, 64, false, PAGE + 1, "1 byte behind result y");
	poke_text(52, 64, false, 64, "12 bytes behind result y");
	poke_text(PAGE, 64, false, 2 * PAGE, "4096 bytes behind result y");
	poke_text(PAGE, 64, false, -1, "1 byte before result y");
	poke_text(2 * PAGE, 4, false, -PAGE, "4096 bytes before result y");
	poke_text(0, 64, false, 0, "right behind result y");
	poke_text(100, 64, true, 99, "to input x");
	poke_text(100, 64, true, 0, "to input x");
	poke_text(100, 64, true, 100, "right behind input x");
}

/* What no page guards, a pattern does; and the data are shared. */
static void patterns(void)
{
	static const ptrdiff_t outside[] = {-1, -3000, 52, 63};
	Plant p = {.at = {NULL, pokes}};

	for (size_t i = 0; i < ARRAY_LEN(outside); i++) {
		p.memory = guarded_new(52, 64, true);
		p.where = outside[i];
		CHECK(alone(p, &quick).state == TRIAL_MEASURED);
		CHECK(!guarded_is_whole(p.memory));
		guarded_free(p.memory);
	}
	for (int shared = 0; shared < 2; shared++) {
		p.memory = guarded_new(52, 64, shared);
		p.where = 51;
		CHECK(alone(p, &quick).state == TRIAL_MEASURED);
		CHECK(guarded_is_whole(p.memory));
		CHECK(((char *)guarded_data(p.memory))[51] == shared);
		guarded_free(p.memory);
	}
}

static void sizes(void)
{
	const size_t huge = (size_t)6 << 30;
	Guarded *g = guarded_new(huge, PAGE, true);
	char *p;

	CHECK(g);
	if (g) {
		p = guarded_data(g);
		p[0] = p[huge / 2] = p[huge - 1] = 1;
		CHECK(guarded_is_whole(g));
		guarded_seal(g);
		CHECK(p[huge / 2] == 1);
	}
	guarded_free(g);
	guarded_free(NULL);
	CHECK(!guarded_new(SIZE_MAX, 64, false));
	CHECK(!guarded_new((size_t)1 << 62, 64, true));
	g = guarded_new(0, 64, false);
	CHECK(g && guarded_data(g) && guarded_is_whole(g));
	guarded_seal(g);
	guarded_free(g);
}

TEST_MAIN(TEST(verdicts), TEST(level), TEST(first_of_all), TEST(slow_and_fast),
	  TEST(given), TEST(says_what_it_is), TEST(wrong_after_timing),
	  TEST(crashes), TEST(stack_overflow), TEST(pools), TEST(many_crashes),
	  TEST(innocent), TEST(incumbent_lost), TEST(beside), TEST(time_outs),
	  TEST(budget), TEST(stop), TEST(pipes), TEST(memory), TEST(sigint),
	  TEST(grandchild), TEST(children_of_others), TEST(from_a_thread),
	  TEST(output), TEST(death_of_parent), TEST(refused),
	  TEST(out_of_memory), TEST(guards), TEST(patterns), TEST(sizes))
