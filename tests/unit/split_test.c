/*
 * split_test: products on a device whose K is summed in parts.
 *
 * The oracle judges them at ends of K, with more parts than blocks, and with
 * nothing to sum; bits are those of a model that adds the same terms in the
 * same order. Skipped where no OpenCL device is and tools/setup has not brought
 * one.
 *
 * tests/run: plain
 */
#include "tests/differential/judge.h"
#include "tests/unit/test.h"

#include <math.h>

static const char no_device[] = "no OpenCL device is here";

/* ---- judged ---------------------------------------------------------- */

typedef struct Judged {
	const char *text;
	const char *pins[5];
	Sizes sizes[4];
	size_t nsizes; /* 0: they are known */
} Judged;

/* Small tiles compile faster. A block of K has 16 elements, or as is pinned. */
#define TILE "contract.tile=16x32", "contract.threads=64"

static const Judged judged[] = {
	{"def f(x: f32[M, K], w: f32[K, N]):\n"
	 "    return x @ w\n",
	 {"contract.split=3", TILE},
	 {{{37, 70, 96}}, {{1, 1, 1}}, {{17, 0, 40}}, {{2, 300, 0}}},
	 4},
	/* two results, the first of them by what follows the product */
	{"def f(x: f32[37, 70], w: f32[52, 70], b: f32[52]):\n"
	 "    p = x @ w.T\n"
	 "    return relu(p + b), p\n",
	 {"contract.split=2", "contract.depth=8", TILE},
	 {{{0}}},
	 0},
	{"def f(x: f32[2, 3, 9, 40], w: f32[3, 40, 130], s: f32[40]):\n"
	 "    return (x * s) @ (w * 0.5 + 1)\n",
	 {"contract.split=7", TILE},
	 {{{0}}},
	 0},
	{"def f(x: f64[M, 33], w: f64[33, N]):\n"
	 "    return x @ w\n",
	 {"contract.split=2", TILE},
	 {{{5, 8}}, {{66, 3}}},
	 2},
	{"def f(x: i32[20, K], w: i32[K, 12], u: u8[20, 12]):\n"
	 "    return (x @ w) * i32(u)\n",
	 {"contract.split=7", TILE},
	 {{{100}}, {{3}}},
	 2},
	{"def f(x: i8[20, 64], w: i8[64, 24]):\n"
	 "    return matmul(x, w, acc=i32, out=i32)\n",
	 {"contract.split=4", TILE},
	 {{{0}}},
	 0},
	{"def f(x: f16[20, 50], w: f16[50, 24]):\n"
	 "    return matmul(x, w, acc=f16)\n",
	 {"contract.split=3", TILE},
	 {{{0}}},
	 0},
};

static void judges(void)
{
	Judge j;

	judge_init(&j);
	j.target = "opencl";
	bool here = judge_has_opencl(j.c);
	for (size_t i = 0; here && i < ARRAY_LEN(judged); i++) {
		const Judged *x = &judged[i];
		TenonProgram *p;
		j.pins = x->pins;
		for (j.npins = 0;
		     j.npins < ARRAY_LEN(x->pins) && x->pins[j.npins];)
			j.npins++;
		if (!CHECK(!tenon_program_from_text(j.c, "split", x->text, NULL,
						    &p)))
			break;
		if (!CHECK(judge_program(&j, p, x->nsizes ? x->sizes : NULL,
					 x->nsizes, JUDGE_REPEAT)))
			printf("%s\n%s", x->text, buf_str(&j.why));
		judge_clear(&j);
		tenon_program_free(p);
	}
	judge_release(&j);
	if (!here)
		SKIP_UNTIL_SETUP(no_device);
}

/* ---- order ----------------------------------------------------------- */

enum {
	M = 5,
	N = 70,
	K = 100,
	DEPTH = 8,
};

static float left[M][K], right[K][N], out[M][N];

/* Exact products of very different sizes, whose sums depend on the order. */
static void fill(void)
{
	uint64_t seed = 88172645463325252u;

	for (int i = 0; i < M * K + K * N; i++) {
		int at = i - M * K;
		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		double x = (double)(int)(seed >> 53) - 1000;
		if (at < 0)
			left[i / K][i % K] = (float)x;
		else
			right[at / N][at % N] =
				(float)ldexp(x, (int)(seed % 24) - 12);
	}
}

/* Blocks go to parts in turn; each part by k, then part after part. */
static float model(int row, int column, int parts)
{
	float sum = 0;

	for (int s = 0; s < parts; s++) {
		float part = 0;
		for (int k = 0; k < K; k++)
			if (k / DEPTH % parts == s)
				part += left[row][k] * right[k][column];
		sum = s ? sum + part : part;
	}
	return sum;
}

static int differ(int parts)
{
	int n = 0;

	for (int i = 0; i < M; i++)
		for (int k = 0; k < N; k++) {
			float want = model(i, k, parts);
			n += memcmp(&out[i][k], &want, 4) != 0;
		}
	return n;
}

static void order(void)
{
	static const int parts[] = {2, 7};
	static const char text[] = "def f(x: f32[5, 100], w: f32[100, 70]):\n"
				   "    return x @ w\n";
	TenonTensor in[2], y;
	TenonProgram *p = NULL;
	Judge j;

	fill();
	judge_init(&j);
	bool here =
		judge_has_opencl(j.c) &&
		CHECK(!tenon_program_from_text(j.c, "order", text, NULL, &p));
	for (size_t i = 0; here && i < ARRAY_LEN(parts); i++) {
		const char *pins[] = {
			"contract.depth=8", TILE,
			arena_printf(&j.arena, "contract.split=%d", parts[i])};
		TenonPlanOptions o = {
			.target = "opencl", .pins = pins, .npins = 4};
		TenonPlan *plan = NULL;
		if (!CHECK(!tenon_compile(j.c, p, &o, &plan) &&
			   !tenon_input_desc(p, 0, &in[0]) &&
			   !tenon_input_desc(p, 1, &in[1]) &&
			   !tenon_result_desc(p, 0, &y)))
			break;
		in[0].data = left;
		in[1].data = right;
		y.data = out;
		CHECK(!tenon_plan_run(plan, in, &y));
		int n = differ(parts[i]), other = differ(1);
		if (!CHECK(n == 0))
			printf("%d parts: %d sums differ\n", parts[i], n);
		/* or the order would not matter here */
		CHECK(other > 0);
		tenon_plan_free(plan);
	}
	tenon_program_free(p);
	judge_release(&j);
	if (!here)
		SKIP_UNTIL_SETUP(no_device);
}

/* ---- the rule -------------------------------------------------------- */

#define FEW_ROWS                                                               \
	"def f(x: f16[64, 8192], w: f16[8192, 1024]):\n"                       \
	"    return x @ w\n"

static int64_t split_of(Judge *j, const char *target, const char *text,
			const char *pin)
{
	TenonPlanOptions o = {.target = target,
			      .pins = &pin,
			      .npins = pin != NULL,
			      .emit_only = true};
	TenonProgram *p = NULL;
	TenonPlan *plan = NULL;
	int64_t found = 0;

	if (CHECK(!tenon_program_from_text(j->c, "rule", text, NULL, &p)) &&
	    CHECK(!tenon_compile(j->c, p, &o, &plan))) {
		const Kernel *k = &plan->plan->kernels->kernels.p[0];
		for (size_t i = 0; i < k->params.n; i++)
			if (!strcmp(k->params.p[i].name, "split"))
				found = k->params.p[i].value;
		/* the note says so, and the sum has a phase */
		CHECK((strstr(k->note, "parts") != NULL) == (found > 1));
		CHECK(!strcmp(k->phases.p[k->phases.n - 1].name, "sum") ==
		      (found > 1));
	}
	tenon_plan_free(plan);
	tenon_program_free(p);
	return found;
}

static void rule(void)
{
	static const struct {
		const char *target, *text, *pin;
		int parts; /* -1: some */
	} cases[] = {
		{"cuda:sm_90a", FEW_ROWS, NULL, -1},
		{"cuda:sm_80", FEW_ROWS, NULL, -1},
		{"cuda:sm_90a", FEW_ROWS, "contract.unit=simt", -1},
		{"cuda:sm_90a", FEW_ROWS, "contract.stages=3", -1},
		{"cuda:sm_90a", FEW_ROWS, "contract.split=1", 1},
		{"cuda:sm_90a", FEW_ROWS, "contract.split=5", 5},
		{"cuda:sm_90a", FEW_ROWS, "contract.tile=64x128", 1},
		{"opencl", FEW_ROWS, NULL, 1},
		/* it would depend on the number of rows */
		{"cuda:sm_90a", "@contract(row_invariant)\n" FEW_ROWS, NULL, 1},
		{"cuda:sm_90a", "@contract(row_invariant)\n" FEW_ROWS,
		 "contract.unit=simt", 1},
		{"cuda:sm_90a", "@contract(row_invariant)\n" FEW_ROWS,
		 "contract.split=3", 3},
		{"cuda:sm_90a",
		 "def f(x: f16[M, 8192], w: f16[8192, 1024]):\n"
		 "    return x @ w\n",
		 NULL, 1},
		{"cuda:sm_90a",
		 "def f(x: f16[4096, 4096], w: f16[4096, 4096]):\n"
		 "    return x @ w\n",
		 NULL, 1},
		{"cuda:sm_90a",
		 "def f(x: f32[8, 64], w: f32[64, 8]):\n"
		 "    return x @ w\n",
		 NULL, 1},
	};
	Judge j;

	judge_init(&j);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int64_t n = split_of(&j, cases[i].target, cases[i].text,
				     cases[i].pin);
		if (!CHECK(cases[i].parts < 0 ? n > 1 : n == cases[i].parts))
			printf("%s, %s: %d parts\n%s", cases[i].target,
			       cases[i].pin ? cases[i].pin : "no pin", (int)n,
			       cases[i].text);
	}
	judge_release(&j);
}

TEST_MAIN(TEST(judges), TEST(order), TEST(rule))
