/*
 * measure: one clock, paths interleaved.
 *
 * Libraries keep threads that spin for a while after a call; on a machine
 * with as many workers as CPUs they would slow the next path. So each block
 * begins when the rest of the process has come to rest (its CPU time stands
 * still while this thread sleeps), and after calls that wake the path's own
 * threads and caches again.
 */
#include "lab.h"

#include <time.h>

#define WARM_UP      10
#define WARM_SECONDS 0.2 /* bounds the warm-up of slow calls */
#define TRIALS       3
#define BLOCK        0.01 /* seconds */
#define CALLS_MAX    200
#define LONG_CALL    0.05 /* seconds */
#define REST_SLICE   1e-3 /* seconds slept at once while waiting for rest */
#define REST_BUSY    0.2  /* of a slice used by others: not at rest */
#define REST_MAX     400  /* slices: OpenBLAS's threads spin for 110 ms */

const char *lab_clock_name(LabClock c)
{
	static const char *const names[LAB_CLOCKS] = {
		"host single", "host batch", "device single", "device batch"};

	return names[c];
}

double lab_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void rest(void)
{
	const struct timespec slice = {0, (long)(REST_SLICE * 1e9)};

	for (int i = 0; i < REST_MAX; i++) {
		double start = cpu_seconds();

		nanosleep(&slice, NULL);
		if (cpu_seconds() - start < REST_BUSY * REST_SLICE)
			return;
	}
}

/* ---- order ----------------------------------------------------------- */

int lab_order_rows(int n)
{
	return n % 2 ? 2 * n : n;
}

/*
 * The first row is 0, 1, n-1, 2, n-2, ...; row r adds r to it, mod n. For
 * odd n the second half of the rows are the first ones backwards.
 */
void lab_order_row(int n, int row, int *order)
{
	bool back = row % lab_order_rows(n) >= n;
	int shift = row % n;

	for (int k = 0; k < n; k++) {
		int base = k % 2 ? (k + 1) / 2 : n - k / 2;
		int place = back ? n - 1 - k : k;

		order[place] = (base + shift) % n;
	}
}

int lab_rounds(int n, int rounds)
{
	int rows = lab_order_rows(n);

	return (rounds + rows - 1) / rows * rows;
}

/* ---- blocks ---------------------------------------------------------- */

typedef struct Turn {
	const LabPath *path;
	int sets, set; /* the next one */
} Turn;

static bool call(Turn *t, LabSamples *out)
{
	int set = t->set;

	t->set = (set + 1) % t->sets;
	if (t->path->run(t->path->state, set))
		return true;
	out->failed = true;
	out->failed_set = set;
	return false;
}

static bool calls(Turn *t, int n, LabSamples *out, double *seconds)
{
	double start = lab_seconds();

	for (int i = 0; i < n; i++)
		if (!call(t, out))
			return false;
	*seconds = (lab_seconds() - start) / n;
	return true;
}

/* What a sample is: n calls by the path's clock. */
static bool sample(Turn *t, int n, LabSamples *out, double *seconds)
{
	int set = t->set;

	if (!t->path->timed)
		return calls(t, n, out, seconds);
	t->set = (set + n) % t->sets;
	*seconds = t->path->timed(t->path->state, t->path->clock, set, n);
	if (*seconds >= 0)
		return true;
	out->failed = true;
	out->failed_set = set;
	return false;
}

static bool warm_up(Turn *t, LabSamples *out)
{
	double start = lab_seconds();

	for (int i = 0; i < WARM_UP; i++) {
		if (!call(t, out))
			return false;
		if (lab_seconds() - start > WARM_SECONDS)
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

static bool size_block(Turn *t, LabSamples *out)
{
	double seconds;

	rest();
	if (!warm_up(t, out) || !calls(t, TRIALS, out, &seconds))
		return false;
	out->seconds = seconds;
	out->calls = block_size(seconds);
	return true;
}

static bool block(Turn *t, LabSamples *out, int round, int position)
{
	double seconds;
	int again = out->calls < WARM_UP ? out->calls : WARM_UP;

	rest();
	/* Awake again; a LONG_CALL wakes itself. */
	if (out->seconds < LONG_CALL && !calls(t, again, out, &seconds))
		return false;
	if (!sample(t, out->calls, out, &seconds))
		return false;
	out->us[round] = seconds * 1e6;
	out->position[round] = position;
	return true;
}

bool lab_measure(LabMem *m, const LabPath *paths, int n, int rounds, int sets,
		 bool (*stop)(void), LabSamples *out)
{
	Turn *turns = LAB_NEW(m, Turn, n);
	int *order = LAB_NEW(m, int, n);

	for (int i = 0; i < n; i++) {
		turns[i] = (Turn){&paths[i], sets, 0};
		out[i] = (LabSamples){.us = LAB_NEW(m, double, rounds),
				      .position = LAB_NEW(m, int, rounds)};
		size_block(&turns[i], &out[i]);
		if (stop && stop())
			return false;
	}
	for (int r = 0; r < rounds; r++) {
		lab_order_row(n, r, order);
		for (int k = 0; k < n; k++) {
			int i = order[k];

			if (!out[i].failed)
				block(&turns[i], &out[i], r, k);
			if (stop && stop())
				return false;
		}
	}
	return true;
}
