/*
 * tiles: the model's tile and blocks against a sweep, f32, one thread.
 *
 *   tiles [FIRST [COUNT]]   those of thirty shapes, drawn from a fixed seed
 *
 * For each shape x @ w the model's choice and every candidate of the sweep
 * (tile x rows of a task x block of K x form of A, the operands exchanged too
 * where columns are few) are compiled and timed in interleaved rounds. A line
 * of CSV a candidate: its median time and the median of its time in a round
 * over the model's; the model's own line comes first. The last line of a shape
 * has the best of them, timed once more against the model's choice alone.
 */
#include "tenon.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SHAPES     30
#define CANDIDATES 145
#define ROUNDS     9
#define PINS       7
#define NARROW     16   /* columns of a result that may be turned */
#define BLOCK      2e-3 /* seconds of calls a round */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* xorshift64: the same shapes on every machine. */
static uint64_t draw(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

/* Log-uniform in 1 .. 2048, as likely small as large. */
static int extent(uint64_t *s)
{
	int bits = (int)(draw(s) % 11);

	return (1 << bits) + (int)(draw(s) % (1u << bits));
}

typedef struct Candidate {
	char pins[PINS][32];
	int npins;
	TenonPlan *plan;
	TenonCall *call;
	double us[ROUNDS], over[ROUNDS];
	int calls;
} Candidate;

static void pin(Candidate *c, const char *name, int value)
{
	snprintf(c->pins[c->npins++], sizeof(c->pins[0]), "contract.%s=%d",
		 name, value);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(const double *x)
{
	double copy[ROUNDS];

	memcpy(copy, x, sizeof(copy));
	qsort(copy, ROUNDS, sizeof(double), by_value);
	return copy[ROUNDS / 2];
}

static const int tiles[][2] = {{14, 32}, {9, 48}, {6, 64}, {28, 16}};
static const int rows[] = {4, 12, 24};
static const int depth[] = {64, 256, 768};

/* A candidate of the sweep, unless it says nothing new of the shape. */
static bool choice(Candidate *x, int m, int k, const int *at)
{
	int mr = tiles[at[0]][0], r = at[1], d = at[2];

	if ((r > 0 && m <= mr * rows[r] / 2) || (d > 0 && k <= depth[d - 1]))
		return false;
	pin(x, "turned", at[4]);
	pin(x, "mr", m < mr ? m : mr);
	pin(x, "nr", tiles[at[0]][1]);
	pin(x, "mb", rows[r]);
	pin(x, "kc", depth[d]);
	pin(x, "a", at[3]);
	/* in place for few rows, else packed */
	pin(x, "b", m <= 64 && !at[4] ? 0 : 1);
	return true;
}

/* The sweep: what of it the shape admits is found by compiling. */
static int sweep(Candidate *c, int m, int n, int k)
{
	static const int many[] = {4, 3, 3, 2, 2};
	int used = 1; /* the first is the model's */
	int at[5] = {0};

	for (int turned = 0; turned < (n <= NARROW ? 2 : 1); turned++)
		for (int i = 0; i < 4 * 3 * 3 * 2 && used < CANDIDATES; i++) {
			int rest = i;
			for (int d = 0; d < 4; d++, rest /= many[d - 1])
				at[d] = rest % many[d];
			at[4] = turned;
			used += choice(&c[used], turned ? n : m, k, at);
		}
	return used;
}

static bool prepare(TenonContext *ctx, TenonProgram *p, Candidate *c,
		    const TenonTensor *in, TenonTensor *out)
{
	const char *pins[PINS];
	TenonPlanOptions o = {.pins = pins, .npins = (size_t)c->npins};

	for (int i = 0; i < c->npins; i++)
		pins[i] = c->pins[i];
	if (tenon_compile(ctx, p, &o, &c->plan))
		return false;
	return !tenon_call_new(c->plan, in, out, &c->call);
}

static bool round_of(Candidate *c, int n, int r)
{
	for (int q = 0; q < n; q++) {
		Candidate *x = &c[(q + r + 2) % n];
		if (!x->call)
			continue;
		double start = now();
		for (int i = 0; i < x->calls; i++)
			if (tenon_call_run(x->call))
				return false;
		double s = (now() - start) / x->calls;
		if (r < 0)
			x->calls = s * 100000 < BLOCK ? 100000
						      : 1 + (int)(BLOCK / s);
		else
			x->us[r] = s * 1e6;
	}
	for (int i = 0; i < n && r >= 0; i++)
		c[i].over[r] = c[i].us[r] / c[0].us[r];
	return true;
}

static void report(const Candidate *c, int n, int m, int cols, int k)
{
	for (int i = 0; i < n; i++) {
		if (!c[i].call)
			continue;
		printf("%d,%d,%d,", m, cols, k);
		for (int q = 0; q < c[i].npins; q++)
			printf("%s%s", q ? " " : "", c[i].pins[q] + 9);
		printf("%s,%.3f,%.3f\n", c[i].npins ? "" : "model",
		       median(c[i].us), median(c[i].over));
	}
}

/* The fastest against the model again: it was so by luck, too. */
static bool duel(Candidate *c, int n, double *over)
{
	int best = 0;

	for (int i = 1; i < n; i++)
		if (c[i].call && median(c[i].over) < median(c[best].over))
			best = i;
	Candidate two[2] = {c[0], c[best]};
	for (int r = -2; r < ROUNDS; r++)
		if (!round_of(two, 2, r))
			return false;
	*over = best ? median(two[1].over) : 1;
	return true;
}

static bool shape(TenonContext *ctx, int m, int n, int k)
{
	static Candidate c[CANDIDATES];
	TenonTensor in[2], out;
	TenonProgram *p;
	char text[200];
	bool applies, ok = true;

	memset(c, 0, sizeof(c));
	snprintf(text, sizeof(text),
		 "def f(x: f32[%d, %d], w: f32[%d, %d]):\n    return x @ w\n",
		 m, k, k, n);
	if (tenon_program_from_text(ctx, "tiles", text, NULL, &p) ||
	    tenon_fixture(p, "random", 1, in, &applies) ||
	    tenon_result_desc(p, 0, &out))
		return false;
	out.data = tenon_alloc(tenon_tensor_bytes(&out));
	int used = sweep(c, m, n, k);
	for (int i = 0; i < used; i++) {
		c[i].calls = 1;
		if (!prepare(ctx, p, &c[i], in, &out))
			c[i].call = NULL;
	}
	ok = c[0].call;
	for (int r = -2; r < ROUNDS && ok; r++)
		ok = round_of(c, used, r);
	if (ok) {
		double over = 1;
		report(c, used, m, n, k);
		ok = duel(c, used, &over);
		printf("%d,%d,%d,best,,%.3f\n", m, n, k, over);
		fflush(stdout);
	}
	for (int i = 0; i < used; i++) {
		tenon_call_free(c[i].call);
		tenon_plan_free(c[i].plan);
	}
	for (int i = 0; i < 2; i++)
		tenon_release(in[i].data, tenon_tensor_bytes(&in[i]));
	tenon_release(out.data, tenon_tensor_bytes(&out));
	tenon_program_free(p);
	return ok;
}

int main(int argc, char **argv)
{
	int first = argc > 1 ? atoi(argv[1]) : 0;
	int count = argc > 2 ? atoi(argv[2]) : SHAPES;
	TenonContext *ctx = tenon_context_new();
	uint64_t seed = 20261130;
	bool ok = ctx;

	if (ok)
		tenon_set_threads(ctx, 1);
	printf("m,n,k,choice,us,over_model\n");
	for (int i = 0; i < SHAPES && ok; i++) {
		int m = extent(&seed), n = extent(&seed), k = extent(&seed);
		if (i >= first && i < first + count)
			ok = shape(ctx, m, n, k);
	}
	if (!ok)
		fprintf(stderr, "tiles: %s\n",
			ctx ? tenon_message(ctx) : "out of memory");
	tenon_context_free(ctx);
	return ok ? 0 : 1;
}
