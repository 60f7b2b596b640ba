/*
 * pool: what joining costs.
 *
 * Two workers meet: the caller starts a job and waits until the other is in
 * it. At once after the last job the other spins; after a pause it sleeps.
 * `empty` is a job that the caller has done before the other can join: the
 * caller's own cost. Microseconds: median, tenth and ninetieth percentile.
 */
#include "base/base.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SAMPLES 2000

static atomic_int here;

static void meet(void *arg, int worker)
{
	(void)arg;
	if (worker)
		atomic_store(&here, 1);
	else
		while (!atomic_load(&here))
			;
}

static void empty(void *arg, int worker)
{
	(void)arg;
	(void)worker;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure(const char *name, PoolFn fn, int samples, unsigned pause_us)
{
	static double t[SAMPLES];

	for (int i = 0; i < samples; i++) {
		if (pause_us)
			usleep(pause_us);
		atomic_store(&here, 0);
		double start = clock_seconds();
		pool_run(2, fn, NULL);
		t[i] = 1e6 * (clock_seconds() - start);
	}
	qsort(t, (size_t)samples, sizeof(double), by_value);
	printf("%-24s %7.2f %7.2f %7.2f\n", name, t[samples / 2],
	       t[samples / 10], t[samples * 9 / 10]);
}

int main(void)
{
	if (cpu_count() < 2) {
		fprintf(stderr, "pool: needs two CPUs\n");
		return 3;
	}
	printf("us                        median     p10     p90\n");
	measure("meet, spinning", meet, SAMPLES, 0);
	measure("empty, spinning", empty, SAMPLES, 0);
	measure("meet, asleep 300 us", meet, 300, 300);
	measure("empty, asleep 300 us", empty, 300, 300);
	measure("meet, asleep 20 ms", meet, 100, 20000);
	return 0;
}
