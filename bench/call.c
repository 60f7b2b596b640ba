/*
 * call: what a call costs beside the arithmetic, on one element.
 *
 * Nanoseconds a call of prepared calls and of tenon_plan_run, and of an
 * indirect call of an empty function, which is the floor. Rounds are
 * interleaved; the median and the least are shown. One thread.
 */
#include "tenon.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS 15
#define CALLS  20000

static const struct Case {
	const char *name, *text;
} cases[] = {
	{"x + 1, constant size", "def f(x: f32[1]):\n    return x + 1\n"},
	{"x + 1, named size",
	 "dims d: M = 1\ndef f(x: f32[M]):\n    return x + 1\n"},
	{"x @ w, constant sizes",
	 "def f(x: f32[1, 1], w: f32[1, 1]):\n    return x @ w\n"},
	{"x @ w, named sizes",
	 "dims d: M = 1, K = 1, N = 1\n"
	 "def f(x: f32[M, K], w: f32[K, N]):\n    return x @ w\n"},
	{"x @ w + x, one row in five",
	 "def f(x: f32[5, 1], w: f32[1, 1]):\n    return x @ w + x\n"},
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

typedef struct Bench {
	TenonContext *c;
	TenonProgram *program;
	TenonPlan *plan;
	TenonCall *call;
	TenonTensor in[2], out;
	double ns[3][ROUNDS]; /* empty, prepared, plan_run */
} Bench;

static TenonError prepare(Bench *b, const struct Case *k)
{
	bool applies;
	TenonError e;

	tenon_set_threads(b->c, 1);
	e = tenon_program_from_text(b->c, k->name, k->text, NULL, &b->program);
	if (!e)
		e = tenon_compile(b->c, b->program, NULL, &b->plan);
	if (!e)
		e = tenon_fixture(b->program, "random", 1, b->in, &applies);
	if (!e)
		e = tenon_result_desc(b->program, 0, &b->out);
	if (!e) {
		b->out.data = tenon_alloc(tenon_tensor_bytes(&b->out));
		e = tenon_call_new(b->plan, b->in, &b->out, &b->call);
	}
	return e;
}

static TenonError empty(TenonCall *call)
{
	return call ? TENON_OK : TENON_EUSAGE;
}

static bool round_of(Bench *b, int r)
{
	TenonError (*volatile floor)(TenonCall *) = empty;
	TenonError e = TENON_OK;
	double t[4];

	t[0] = now();
	for (int i = 0; i < CALLS; i++)
		e |= floor(b->call);
	t[1] = now();
	for (int i = 0; i < CALLS; i++)
		e |= tenon_call_run(b->call);
	t[2] = now();
	for (int i = 0; i < CALLS / 10; i++)
		e |= tenon_plan_run(b->plan, b->in, &b->out);
	t[3] = now();
	for (int i = 0; i < 3; i++)
		b->ns[i][r] =
			(t[i + 1] - t[i]) * 1e9 / (i == 2 ? CALLS / 10 : CALLS);
	return !e;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void clean(Bench *b)
{
	tenon_call_free(b->call);
	for (int i = 0; i < 2; i++)
		if (b->in[i].data)
			tenon_release(b->in[i].data,
				      tenon_tensor_bytes(&b->in[i]));
	if (b->out.data)
		tenon_release(b->out.data, tenon_tensor_bytes(&b->out));
	tenon_plan_free(b->plan);
	tenon_program_free(b->program);
	tenon_context_free(b->c);
}

static bool measure(const struct Case *k)
{
	Bench b = {.c = tenon_context_new()};
	bool ok = b.c && !prepare(&b, k);

	for (int r = 0; r < ROUNDS && ok; r++)
		ok = round_of(&b, r);
	if (ok) {
		printf("%-28s", k->name);
		for (int i = 0; i < 3; i++) {
			qsort(b.ns[i], ROUNDS, sizeof(double), by_value);
			printf("%9.1f (%.1f)", b.ns[i][ROUNDS / 2], b.ns[i][0]);
		}
		printf("\n");
	} else {
		fprintf(stderr, "call: %s\n%s", k->name,
			b.c ? tenon_message(b.c) : "out of memory\n");
	}
	clean(&b);
	return ok;
}

int main(void)
{
	bool ok = true;

	printf("ns a call, median (least)     empty      tenon_call_run  "
	       "tenon_plan_run\n");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ok &= measure(&cases[i]);
	return ok ? 0 : 1;
}
