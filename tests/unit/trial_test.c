/*
 * trial: verdicts of timed rounds, and paths with planted faults, each of
 * which must end in its own state and hurt nobody else. No check here depends
 * on speed, but that 20 ms are longer than 1.
 */
#include "tests/unit/trials.h"

#include <signal.h>

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
	int *slow = shared_ints();
	Plant plants[3] = {{.ms = 20, .counts = slow},
			   {.ms = 1, .counts = counts},
			   {.ms = 20}};
	TrialOptions o = quick;

	o.rounds = 15;
	CHECK(batch(NULL, plants, 3, &o) && done == 3);
	CHECK(out[1].state == TRIAL_MEASURED && out[1].incumbent == 0);
	CHECK(out[1].verdict == TRIAL_FASTER && out[1].ratio < 1);
	CHECK(out[1].hi < 1 && out[1].other_us[0] >= 20000);
	CHECK(out[1].first[0] && !out[1].first[1] && out[1].first[2]);
	CHECK(counts[CHECK_] == 2 && counts[OPEN] == 1);
	CHECK(slow[CLOSE] == 1 && counts[CLOSE] == 0);
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
	/* what is wrong is timed, and stays wrong */
	CHECK(counts[OPEN] == 1 && counts[RUN] > 0 && counts[CLOSE] == 1);
	CHECK(out[0].rounds > 0 && out[0].median_us > 0);
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

/* What is said to have crashed ends the child, and is tried in one of its own
 * before it is believed. */
static void device_crashes(void)
{
	int *counts = shared_ints();

	if (!CHECK(counts != NULL))
		return;
	Plant p[] = {
		{.ms = 1, .counts = counts},
		{.ms = 1,
		 .says = {[RUN] = TRIAL_CRASHED},
		 .counts = counts + 4},
		{.ms = 1,
		 .says = {[CHECK_] = TRIAL_WRONG, [RUN] = TRIAL_CRASHED},
		 .counts = counts + 8},
		{.ms = 1, .counts = counts + 12},
	};
	if (!CHECK(batch(NULL, p, ARRAY_LEN(p), &quick)))
		return;
	CHECK(done == ARRAY_LEN(p) && warnings == 0);
	CHECK(out[0].state == TRIAL_MEASURED);
	CHECK(out[1].state == TRIAL_CRASHED && told[1] == 1);
	CHECK_STR(out[1].text, "planted at 2");
	CHECK(out[2].state == TRIAL_WRONG && told[2] == 1);
	CHECK(out[3].state == TRIAL_MEASURED);
	/* the incumbent is opened by four children, each crash closes nothing
	 */
	CHECK(counts[OPEN] == 4);
	CHECK(counts[4 + OPEN] == 2 && counts[4 + CLOSE] == 0);
	CHECK(counts[8 + OPEN] == 1 && counts[8 + CLOSE] == 0);
	CHECK(counts[12 + OPEN] == 1);
	munmap(counts, PAGE);
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
	best = (Plant){.at = {NULL, NULL, exits_at_once}};
	CHECK(batch(&best, plants + 2, 1, &quick) && done == 1);
	CHECK(out[0].verdict == TRIAL_FASTER && warnings == 1);
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

/* Only the place that hangs has a short limit. */
static void late(Plant p, double *limit, const TrialOptions *o,
		 const char *text)
{
	*limit = 0.2;
	CHECK(batch(NULL, &p, 1, o) && done == 1);
	CHECK(out[0].state == TRIAL_TIMED_OUT);
	CHECK_STR(out[0].text, text);
	*limit = 20;
}

static void time_outs(void)
{
	TrialOptions o = quick;
	Plant p = {.at = {hangs}};

	late(p, &o.open_limit, &o, "in open: no end within 0.2 s");
	p = (Plant){.at = {NULL, hangs}};
	late(p, &o.check_limit, &o, "in check: no end within 0.2 s");
	p = (Plant){.at = {NULL, hangs_later}, .counts = shared_ints()};
	late(p, &o.check_limit, &o,
	     "in the check after timing: no end within 0.2 s");
	p = (Plant){.at = {NULL, NULL, NULL, hangs}, .says = {0, TRIAL_WRONG}};
	late(p, &o.open_limit, &o, "in close: no end within 0.2 s");
	p = (Plant){.at = {NULL, NULL, stops}};
	late(p, &o.run_limit, &o,
	     "in run: stopped by a signal, no end within 0.2 s");
	o.run_limit = 1;
	p = (Plant){.at = {NULL, NULL, hangs}};
	ends(p, &o, TRIAL_TIMED_OUT, "in run: no end within 1 s");
}

static void budget(void)
{
	Plant plants[2] = {{.ms = 5}, {.ms = 5}};
	TrialOptions o = quick;

	o.seconds = 0;
	CHECK(batch(NULL, plants, 2, &o) && done == 0 && told[0] == 0);
	o.seconds = 20;
	CHECK(batch(NULL, plants, 2, &o) && done == 2);
	plants[0].ms = 100; /* which is begun, and not cut short */
	o.seconds = 0.08;
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

TEST_MAIN(TEST(verdicts), TEST(level), TEST(first_of_all), TEST(slow_and_fast),
	  TEST(given), TEST(says_what_it_is), TEST(wrong_after_timing),
	  TEST(crashes), TEST(stack_overflow), TEST(pools), TEST(many_crashes),
	  TEST(device_crashes), TEST(innocent), TEST(incumbent_lost),
	  TEST(beside), TEST(time_outs), TEST(budget), TEST(stop))
