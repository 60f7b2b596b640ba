/*
 * subnormals: what arguments and results below the normal range cost.
 *
 * Each program runs on ordinary data and on subnormals, one thread, in
 * interleaved rounds: medians in us and the ratio within a round. The first
 * lines are loops of this file, compiled for this machine: the hardware's own.
 */
#include "tenon.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N      (1 << 16)
#define ROUNDS 21

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void report(const char *name, double us[2][ROUNDS])
{
	double ratio[ROUNDS];

	for (int r = 0; r < ROUNDS; r++)
		ratio[r] = us[1][r] / us[0][r];
	qsort(ratio, ROUNDS, sizeof(double), by_value);
	for (int i = 0; i < 2; i++)
		qsort(us[i], ROUNDS, sizeof(double), by_value);
	printf("%-34s %10.2f %10.2f %8.2f\n", name, us[0][ROUNDS / 2],
	       us[1][ROUNDS / 2], ratio[ROUNDS / 2]);
}

/* ---- the hardware's own ---------------------------------------------- */

static float a[2][N], b[2][N], c[N];

static void __attribute__((noinline)) add(int i)
{
	for (int k = 0; k < N; k++)
		c[k] = a[i][k] + b[i][k];
}

static void __attribute__((noinline)) multiply(int i)
{
	for (int k = 0; k < N; k++)
		c[k] = a[i][k] * b[0][k];
}

static void __attribute__((noinline)) multiply_add(int i)
{
	for (int k = 0; k < N; k++)
		c[k] = __builtin_fmaf(a[i][k], b[0][k], a[i][k]);
}

static void hardware(const char *name, void (*f)(int))
{
	double us[2][ROUNDS];

	for (int r = -1; r < ROUNDS; r++)
		for (int i = 0; i < 2; i++) {
			double start = now();
			for (int k = 0; k < 20; k++) {
				f(i);
				__asm__ volatile("" : : "r"(c) : "memory");
			}
			if (r >= 0)
				us[i][r] = (now() - start) / 20;
		}
	report(name, us);
}

/* ---- programs -------------------------------------------------------- */

/* Bits of the floats of a tensor: ordinary, or subnormal. */
static void fill(const TenonTensor *t, bool subnormal)
{
	size_t bytes = tenon_tensor_bytes(t);
	uint32_t seed = 1;
	size_t size = tenon_dtype_size(t->dtype);

	for (size_t i = 0; i < bytes / size; i++) {
		seed = seed * 1664525u + 1013904223u;
		uint32_t normal = subnormal ? 1 : 0x3f000000;
		if (size == 8)
			((uint64_t *)t->data)[i] = (uint64_t)seed << 20 | 1 |
						   (uint64_t)(normal & ~1u)
							   << 32;
		else if (size == 4)
			((uint32_t *)t->data)[i] = (seed >> 9) | normal;
		else
			((uint16_t *)t->data)[i] =
				(uint16_t)((seed >> 22) | 1 |
					   (subnormal ? 0 : 0x3800));
	}
}

static bool program(TenonContext *ctx, const char *name, const char *text)
{
	TenonProgram *p;
	TenonPlan *plan = NULL;
	TenonPlanOptions o = {0};
	TenonTensor in[2][4], out;
	TenonCall *call[2] = {0};
	double us[2][ROUNDS];
	bool ok;

	if (tenon_program_from_text(ctx, name, text, NULL, &p))
		return false;
	ok = !tenon_compile(ctx, p, &o, &plan) &&
	     !tenon_result_desc(p, 0, &out);
	out.data = tenon_alloc(tenon_tensor_bytes(&out));
	for (int i = 0; i < 2 && ok; i++) {
		for (int k = 0; k < tenon_program_inputs(p); k++) {
			ok &= !tenon_input_desc(p, k, &in[i][k]);
			in[i][k].data =
				tenon_alloc(tenon_tensor_bytes(&in[i][k]));
			/* the right operand of a product stays ordinary */
			fill(&in[i][k], i == 1 && k == 0);
		}
		ok &= !tenon_call_new(plan, in[i], &out, &call[i]);
	}
	for (int r = -1; r < ROUNDS && ok; r++)
		for (int i = 0; i < 2 && ok; i++) {
			double start = now();
			for (int k = 0; k < 10 && ok; k++)
				ok = !tenon_call_run(call[i]);
			if (r >= 0)
				us[i][r] = (now() - start) / 10;
		}
	if (ok)
		report(name, us);
	for (int i = 0; i < 2; i++) {
		for (int k = 0; k < tenon_program_inputs(p); k++)
			tenon_release(in[i][k].data,
				      tenon_tensor_bytes(&in[i][k]));
		tenon_call_free(call[i]);
	}
	tenon_release(out.data, tenon_tensor_bytes(&out));
	tenon_plan_free(plan);
	tenon_program_free(p);
	return ok;
}

int main(void)
{
	static const char *const elementwise[] = {
		"x + y",   "x * y",      "x * x",    "x / y",   "x * 0.5",
		"relu(x)", "sqrt(x)",    "rsqrt(x)", "exp(x)",  "expm1(x)",
		"log(x)",  "log1p(x)",   "tanh(x)",  "erf(x)",  "sin(x)",
		"cos(x)",  "sigmoid(x)", "gelu(x)",  "silu(x)", "x ** y",
		"f16(x)",  "bf16(x)",    "floor(x)", "i32(x)",
	};
	static const char *const whole[][2] = {
		{"x @ w, 256 cubed",
		 "def f(x: f32[256, 256], w: f32[256, 256]):\n"
		 "    return x @ w\n"},
		{"x @ w, 256 cubed, f16",
		 "def f(x: f16[256, 256], w: f16[256, 256]):\n"
		 "    return x @ w\n"},
		{"softmax",
		 "def f(x: f32[64, 1024]):\n    return softmax(x, axis=-1)\n"},
		{"sum",
		 "def f(x: f32[64, 1024]):\n    return sum(x, axis=-1)\n"},
		{"x + y, f16", "def f(x: f16[64, 1024], y: f16[64, 1024]):\n"
			       "    return x + y\n"},
	};
	const size_t count = sizeof(elementwise) / sizeof(*elementwise);
	TenonContext *ctx = tenon_context_new();
	bool ok = ctx;
	char text[200], name[80];

	for (int i = 0; i < 2; i++)
		for (int k = 0; k < N; k++) {
			a[i][k] = (i ? 0x1p-140f : 1) * (float)(1 + k % 97);
			b[i][k] = (i ? 0x1p-141f : 1) * (float)(1 + k % 89);
		}
	printf("%-34s %10s %10s %8s\n", "", "ordinary", "subnormal", "ratio");
	hardware("hardware: a + b", add);
	hardware("hardware: a * b", multiply);
	hardware("hardware: fma(a, b, a)", multiply_add);
	if (ok)
		tenon_set_threads(ctx, 1);
	for (size_t i = 0; i < 2 * count && ok; i++) {
		const char *dtype = i < count ? "f32" : "f64";
		const char *what = elementwise[i % count];
		snprintf(name, sizeof(name), "%s, %s", what, dtype);
		snprintf(text, sizeof(text),
			 "def f(x: %s[64, 1024], y: %s[64, 1024]):\n"
			 "    return %s\n",
			 dtype, dtype, what);
		ok = program(ctx, name, text);
	}
	for (size_t i = 0; i < sizeof(whole) / sizeof(*whole) && ok; i++)
		ok = program(ctx, whole[i][0], whole[i][1]);
	if (!ok)
		fprintf(stderr, "subnormals: %s\n",
			ctx ? tenon_message(ctx) : "out of memory");
	tenon_context_free(ctx);
	return ok ? 0 : 1;
}
