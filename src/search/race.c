/*
 * race: a candidate is timed against the incumbent.
 *
 * A round has a block of calls of each, one behind the other; who begins
 * alternates. Ratios are taken within a round, so that what drifts (clock
 * rates, other processes) meets both sides. A block begins when the rest of
 * the process has come to rest, since libraries keep threads that spin after
 * a call, and after calls that wake the path's own threads and caches again.
 *
 * The verdict is the sign test's. Were both sides equally fast, each ratio
 * would be above 1 as often as below, whatever the distribution; so the
 * median lies between the k-th smallest and the k-th largest of n ratios with
 * a probability that is a sum of binomials, and a side has won where these
 * bounds exclude 1. Why not another rule: samples of a shared machine have
 * outliers on one side, of no known distribution, and are few. A mean and its
 * variance say little of them, and a bootstrap of the median only resamples
 * the same few order statistics, without a level that can be told.
 *
 * Looking after each round would win by chance in the end. There are two
 * looks: after EARLY rounds, where all must agree (a false verdict in 128),
 * and after the last (3.5 in 100 of 15): together below 5 in 100. A search
 * compares many that are equal and will see such a one; it then exchanges
 * equals. Rounds are not quite independent, and how memory happens to lie
 * is the same in all of them; the bounds cover neither.
 *
 * lab/stats.c has the bench's statistics. lab sees the public header only,
 * and search does not see lab, so that the median stands in both.
 */
#include "search/trial_own.h"

#include <stdlib.h>
#include <time.h>

#define WARM_UP      5
#define WARM_SECONDS 0.05 /* bounds the warm-up of slow calls */
#define TRIALS       3
#define BLOCK        0.003 /* seconds */
#define CALLS_MAX    200
#define AWAKE        3    /* calls that wake a path */
#define AWAKE_CALL   0.01 /* seconds; a longer one wakes itself */
#define LONG_CALL    0.05 /* seconds: fewer rounds */
#define LONG_ROUNDS  6
#define ALONE        5     /* rounds without an incumbent */
#define LEAST        5     /* rounds that can decide */
#define EARLY        8     /* rounds: even, so that each side began in half */
#define HOPELESS     3     /* rounds */
#define MISSED       0.035 /* of a side: bounds of at least 93 in 100 */
#define REST_SLICE   1e-3  /* seconds slept at once while waiting for rest */
#define REST_BUSY    0.2   /* of a slice used by others: not at rest */
#define REST_MAX     400   /* slices: OpenBLAS's threads spin for 110 ms */

/* ---- verdict ----------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *x, int n)
{
	qsort(x, (size_t)n, sizeof(*x), by_size);
	return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/*
 * The largest k such that fewer than k of n tosses are heads with a chance of
 * at most MISSED; 0: there is none. The sum of n choose i, i < k, over 2^n.
 */
static int bound_rank(int n)
{
	double choose = 1, all = (double)(1u << n), sum = 0;
	int k = 0;

	while (k < n / 2 && (sum += choose) <= MISSED * all) {
		choose = choose * (n - k) / (k + 1);
		k++;
	}
	return k;
}

static void judge_bounds(TrialResult *r, const double *sorted, int rank)
{
	int n = r->rounds;

	r->lo = sorted[rank - 1];
	r->hi = sorted[n - rank];
	r->verdict = TRIAL_TIE;
	if (r->hi < 1)
		r->verdict = TRIAL_FASTER;
	else if (r->lo > 1)
		r->verdict = TRIAL_SLOWER;
}

bool race_judge(TrialResult *r, int planned, double hopeless)
{
	double ratio[TRIAL_ROUNDS];
	int n = r->rounds;

	for (int i = 0; i < n; i++)
		ratio[i] = r->us[i] / r->other_us[i];
	r->ratio = median(ratio, n);
	judge_bounds(r, ratio, 1);
	if (n >= HOPELESS && r->ratio > hopeless && r->lo > 1)
		return true;
	if (n < planned && n == EARLY && r->verdict != TRIAL_TIE)
		return true;
	if (n == planned && n >= LEAST)
		judge_bounds(r, ratio, bound_rank(n));
	else
		r->verdict = TRIAL_TIE;
	return n == planned;
}

/* ---- calls ------------------------------------------------------------- */

typedef struct Race {
	Progress *progress;
	Racer *candidate, *incumbent;
	TrialResult *out;
	TrialState state; /* of the last call */
	bool beside;      /* it was the incumbent's */
} Race;

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void rest(Progress *p)
{
	const struct timespec slice = {0, (long)(REST_SLICE * 1e9)};

	for (int i = 0; i < REST_MAX; i++) {
		double start = cpu_seconds();

		progress_at(p, STEP_BETWEEN);
		nanosleep(&slice, NULL);
		if (cpu_seconds() - start < REST_BUSY * REST_SLICE)
			return;
	}
}

static bool call(Race *r, Racer *x)
{
	progress_at(r->progress, x->step);
	x->total++;
	r->state = x->path->run(x->path->state, r->out->text);
	r->beside = x == r->incumbent;
	return r->state == TRIAL_MEASURED;
}

static bool calls(Race *r, Racer *x, int n, double *seconds)
{
	double start = clock_seconds();

	for (int i = 0; i < n; i++)
		if (!call(r, x))
			return false;
	*seconds = (clock_seconds() - start) / n;
	return true;
}

static bool warm_up(Race *r, Racer *x)
{
	double start = clock_seconds();

	for (int i = 0; i < WARM_UP; i++) {
		if (!call(r, x))
			return false;
		if (clock_seconds() - start > WARM_SECONDS)
			break;
	}
	return true;
}

static int block_size(double seconds)
{
	if (seconds * CALLS_MAX < BLOCK)
		return CALLS_MAX;
	return seconds < BLOCK ? (int)(BLOCK / seconds) : 1;
}

/* Warms x up, and takes the time of one call where it is not known. */
static bool try_out(Race *r, Racer *x)
{
	double start = clock_seconds(), seconds;

	rest(r->progress);
	if (!warm_up(r, x))
		return false;
	if (x->seconds > 0)
		return true;
	for (int i = 0; i < TRIALS; i++) {
		if (!calls(r, x, 1, &seconds))
			return false;
		if (i == 0 || seconds < x->seconds)
			x->seconds = seconds;
		if (clock_seconds() - start > 4 * WARM_SECONDS)
			break;
	}
	return true;
}

/* What a sample is: n calls by the path's clock. */
static bool sample(Race *r, Racer *x, int n, double *seconds)
{
	if (!x->path->timed)
		return calls(r, x, n, seconds);
	r->state = x->path->timed(x->path->state, n, seconds, r->out->text);
	return r->state == TRIAL_MEASURED;
}

static bool block(Race *r, Racer *x, double *us)
{
	int n = r->out->calls, awake = n < AWAKE ? n : AWAKE;
	double seconds;

	rest(r->progress);
	if (x->seconds < AWAKE_CALL && !calls(r, x, awake, &seconds))
		return false;
	if (!sample(r, x, n, &seconds))
		return false;
	*us = seconds > 0 ? seconds * 1e6 : 1e-6;
	return true;
}

/* ---- rounds ------------------------------------------------------------ */

static bool round_run(Race *r, int i)
{
	TrialResult *out = r->out;
	bool first = i % 2 == 0;

	out->first[i] = first || !r->incumbent->path;
	if (!r->incumbent->path)
		return block(r, r->candidate, &out->us[i]);
	if (!first && !block(r, r->incumbent, &out->other_us[i]))
		return false;
	if (!block(r, r->candidate, &out->us[i]))
		return false;
	return !first || block(r, r->incumbent, &out->other_us[i]);
}

static int rounds_planned(const Race *r, double longest, int rounds)
{
	int most = r->incumbent->path ? TRIAL_ROUNDS : ALONE;

	if (longest > LONG_CALL && most > LONG_ROUNDS)
		most = LONG_ROUNDS;
	if (rounds > most)
		rounds = most;
	return rounds > 1 ? rounds : 1;
}

static void median_time(TrialResult *out)
{
	double us[TRIAL_ROUNDS];

	for (int i = 0; i < out->rounds; i++)
		us[i] = out->us[i];
	out->median_us = median(us, out->rounds);
}

/*
 * Blocks of both sides have as many calls, sized by the slower one: what the
 * first calls of a block cost more would else favour the longer block.
 */
static bool rounds(Race *r, const TrialOptions *o)
{
	TrialResult *out = r->out;

	if (!try_out(r, r->candidate) ||
	    (r->incumbent->path && !try_out(r, r->incumbent)))
		return false;
	double longest = r->candidate->seconds;
	if (r->incumbent->path && r->incumbent->seconds > longest)
		longest = r->incumbent->seconds;
	int planned = rounds_planned(r, longest, o->rounds);
	out->calls = block_size(longest);
	out->verdict = TRIAL_FASTER;
	for (int i = 0; i < planned; i++) {
		if (!round_run(r, i))
			return false;
		out->rounds = i + 1;
		if (r->incumbent->path && race_judge(out, planned, o->hopeless))
			break;
	}
	median_time(out);
	return true;
}

TrialState race_run(Progress *p, Racer *candidate, Racer *incumbent,
		    const TrialOptions *o, TrialResult *out, bool *beside)
{
	double start = clock_seconds();
	Race r = {.progress = p,
		  .candidate = candidate,
		  .incumbent = incumbent,
		  .out = out};

	candidate->step = STEP_RUN;
	incumbent->step = STEP_BESIDE;
	bool ok = rounds(&r, o);
	progress_at(p, STEP_BETWEEN);
	out->time_ms = (clock_seconds() - start) * 1e3;
	*beside = !ok && r.beside;
	return ok ? TRIAL_MEASURED : r.state;
}
