/*
 * stats: what is said about samples. Medians, because a machine that others
 * share has one-sided outliers; intervals by resampling, because nothing is
 * known of the distribution.
 */
#include "lab.h"

#include <stdlib.h>
#include <string.h>

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void sort(double *x, int n)
{
	qsort(x, (size_t)n, sizeof(*x), by_size);
}

double lab_quantile(const double *x, int n, double q)
{
	double place = q * (n - 1);
	int low = (int)place, high = low + (low + 1 < n);

	return x[low] + (place - low) * (x[high] - x[low]);
}

double lab_median(double *x, int n)
{
	sort(x, n);
	return lab_quantile(x, n, 0.5);
}

/* splitmix64 (Steele, Lea and Flood, 2014): any seed will do. */
static uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

#define DRAWS_MAX   4000
#define SAMPLES_MAX 1024

LabInterval lab_bootstrap(const double *x, int n, int draws, uint64_t seed)
{
	double medians[DRAWS_MAX], sample[SAMPLES_MAX];
	LabInterval v = {0};

	n = n < SAMPLES_MAX ? n : SAMPLES_MAX;
	draws = draws < DRAWS_MAX ? draws : DRAWS_MAX;
	if (n < 1 || draws < 1)
		return v;
	memcpy(sample, x, (size_t)n * sizeof(*x));
	v.median = lab_median(sample, n);
	v.least = sample[0];
	v.most = sample[n - 1];
	for (int d = 0; d < draws; d++) {
		for (int i = 0; i < n; i++)
			sample[i] = x[random_next(&seed) % (uint64_t)n];
		medians[d] = lab_median(sample, n);
	}
	sort(medians, draws);
	v.low = lab_quantile(medians, draws, 0.025);
	v.high = lab_quantile(medians, draws, 0.975);
	return v;
}

LabVerdict lab_verdict(LabInterval ratio)
{
	if (ratio.low > 1)
		return LAB_FASTER;
	return ratio.high < 1 ? LAB_SLOWER : LAB_TIE;
}

const char *lab_verdict_name(LabVerdict v)
{
	switch (v) {
	case LAB_TIE:
		return "tie";
	case LAB_FASTER:
		return "faster";
	case LAB_SLOWER:
		break;
	}
	return "slower";
}

double lab_drift(const double *x, int n)
{
	return n > 1 ? x[n - 1] / x[0] - 1 : 0;
}
