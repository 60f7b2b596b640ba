/*
 * trials: paths with planted faults, and batches of them.
 */
#ifndef TENON_TEST_TRIALS_H
#define TENON_TEST_TRIALS_H

#include "search/trial_own.h"
#include "tests/unit/test.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <sys/mman.h>
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
	Guarded *memory;         /* whose pattern is to be whole */
	ptrdiff_t where;         /* to write to, from the data */
	int *shared;             /* what the test at hand needs */
};

static TrialState come_to(Plant *p, int place, char *text)
{
	if (p->counts)
		p->counts[place]++;
	snprintf(text, TRIAL_TEXT, "planted at %d", place);
	if (p->at[place])
		p->at[place](p);
	if (p->memory && guarded_broken(p->memory, text))
		return TRIAL_WRONG;
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
	return (TrialPath){.state = p,
			   .open = plant_open,
			   .check = plant_check,
			   .run = plant_run,
			   .close = plant_close};
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

static const TrialOptions quick = {20, 20, 20, 2, 3, INFINITY, NULL, 0};

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

/* ---- faults ------------------------------------------------------------ */

static volatile int zero;

PLANTED static void write_null(Plant *p)
{
	(void)p;
	*(volatile int *)(uintptr_t)(0x18 + zero) = 1;
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

static void hangs(Plant *p)
{
	(void)p;
	for (;;)
		pause();
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

#endif
