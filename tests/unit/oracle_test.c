/*
 * oracle_test: rounding, intervals, verdicts and fixtures of the oracle.
 *
 * The cross-checks against NumPy and rationals are tests/oracle/; here are
 * the reference points of the contract, the verdicts' own rules, the
 * relaxations, the cache and what happens when memory runs out.
 */
#include "oracle/eval.h"
#include "unit/test.h"

#include <stdlib.h>
#include <unistd.h>

static Ctx ctx;
static Arena arena;

static Program *parse(const char *text)
{
	uint32_t s = ctx_add_source(&ctx, "test", text, strlen(text));
	Program *p = program_parse(&ctx, &arena, s);
	if (!p)
		printf("%s", buf_str(&ctx.messages));
	return p;
}

static Tensor tensor(DType d, int rank, const int64_t *shape)
{
	Tensor t = {.dtype = d, .rank = (uint8_t)rank};
	for (int k = 0; k < rank; k++)
		t.shape[k] = shape[k];
	tensor_set_contiguous(&t);
	t.data = arena_alloc(&arena, tensor_bytes(&t) + 1, 64);
	return t;
}

static void put(Tensor *t, int64_t i, double x)
{
	Num n = {.f = x};
	if (!dtype_is_float(t->dtype))
		n.i = (int64_t)x;
	nums_store(t->dtype, t->data, i, 1, &n);
}

static double get(const Tensor *t, int64_t i)
{
	Num n;
	nums_load(t->dtype, t->data, i, 1, &n);
	return dtype_is_float(t->dtype) ? n.f : (double)n.i;
}

/* A program of inputs t[0..n) and one result, judged on y. */
static Verdict judge(Program *p, Tensor *in, size_t n, Tensor *y)
{
	Feeds f = {.inputs = in, .ninputs = n};
	Binding b = {.ndims = p->ex.dims.n};
	b.dims = arena_array(&arena, int64_t, b.ndims + 1);
	Verdict v;
	memset(&v, 0, sizeof v);
	CHECK(oracle_judge(&ctx, &arena, p, &b, &f, y, NULL, &v));
	return v;
}

/* ---- rounding -------------------------------------------------------- */

static void rounds_once(void)
{
	/* Just above the midpoint of two f16, a tie once rounded to f32. */
	double x = 1 + 0x1p-11 + 0x1p-40;
	CHECK(fmt_round(DT_F16, x) == 1 + 0x1p-10);
	CHECK(fmt_round(DT_F16, (double)(float)x) == 1);
	CHECK(fmt_round(DT_BF16, 1 + 0x1p-8 + 0x1p-45) == 1 + 0x1p-7);
	CHECK(fmt_round(DT_F16, 65519.999) == 65504);
	CHECK(isinf(fmt_round(DT_F16, 65520)));
	CHECK(fmt_round(DT_F16, 0x1p-25) == 0); /* tie to even */
	CHECK(fmt_round(DT_F16, 0x1.8p-25) == 0x1p-24);
	CHECK(signbit(fmt_round(DT_F16, -0x1p-26)));
	CHECK(isnan(fmt_round(DT_BF16, NAN)));
	/* A low part decides a tie of the high one. */
	CHECK(fmt_round2(DT_F32, 1 + 0x1p-24, 0x1p-80) == 1 + 0x1p-23);
	CHECK(fmt_round2(DT_F32, 1 + 0x1p-24, -0x1p-80) == 1);
	CHECK(fmt_round2(DT_F32, 1 + 0x1p-24, 0) == 1);
	CHECK(fmt_from_int(DT_F32, (1 << 24) + 1, false) == 0x1p24);
	CHECK(fmt_from_int(DT_BF16, -1, true) == 0x1p64);
	CHECK(fmt_from_int(DT_F32, INT64_MIN, false) == -0x1p63);
}

static void finds_neighbours(void)
{
	static const DType all[] = {DT_F64, DT_F32, DT_F16, DT_BF16};
	for (size_t k = 0; k < ARRAY_LEN(all); k++) {
		DType d = all[k];
		const Fmt *f = &fmt_info[d];
		double x[] = {
			1,      -1,      0.75, ldexp(1, f->emin), fmt_ulp(d, 0),
			f->max, -f->max, -0.0};
		for (size_t i = 0; i < ARRAY_LEN(x); i++) {
			double n = fmt_next(d, x[i]);
			CHECK(n > x[i] && fmt_round(d, n) == n);
			CHECK(fmt_prev(d, n) == x[i]);
			if (!isinf(n) && d != DT_F64) {
				double mid = x[i] + (n - x[i]) / 2;
				CHECK(fmt_up(d, mid) == n);
				CHECK(fmt_down(d, mid) == x[i]);
			}
		}
	}
	CHECK(lsb_exponent(6) == 1 && lsb_exponent(0x1p-1074) == -1074);
}

static void wraps_integers(void)
{
	Num in[3] = {{.i = INT64_MIN}, {.i = -1}, {.i = 0}}, r;
	CHECK(point_int(OP_FLOORDIV, DT_I64, in, &r) && r.i == INT64_MIN);
	CHECK(point_int(OP_MOD, DT_I64, in, &r) && r.i == 0);
	in[0].i = -128;
	CHECK(point_int(OP_FLOORDIV, DT_I8, in, &r) && r.i == -128);
	in[0].i = -7;
	in[1].i = 2;
	CHECK(point_int(OP_FLOORDIV, DT_I32, in, &r) && r.i == -4);
	CHECK(point_int(OP_MOD, DT_I32, in, &r) && r.i == 1);
	in[1].i = 0;
	CHECK(!point_int(OP_MOD, DT_I32, in, &r));
}

/* ---- the reference points of WORKLOADS.md ---------------------------- */

static const char affine[] = "program affine\n"
			     "%0: f16[1, 2] = input index=0\n"
			     "%1: f16[2, 1] = input index=1\n"
			     "%2: f16[1] = input index=2\n"
			     "%3: f16[1, 1] = matmul %0 %1 acc=f32\n"
			     "%4: f16[1, 1] = broadcast %2\n"
			     "%5: f16[1, 1] = add %3 %4\n"
			     "return %5 as y\n";

static void boundary_is_seen(void)
{
	Program *p = parse(affine);
	int64_t s[] = {1, 2}, t[] = {2, 1}, u[] = {1, 1};
	Tensor in[3] = {tensor(DT_F16, 2, s), tensor(DT_F16, 2, t),
			tensor(DT_F16, 1, u)};
	Tensor y = tensor(DT_F16, 2, u);
	put(&in[0], 0, 1.0048828125);
	put(&in[1], 0, 1.0927734375);
	put(&in[2], 0, -1.09765625);
	put(&y, 0, 0);
	Verdict v = judge(p, in, 3, &y);
	CHECK(v.outcome == OUT_PASS && v.results[0].exact == OUT_PASS);
	put(&y, 0, 0.00045299530029296875);
	v = judge(p, in, 3, &y);
	CHECK(v.outcome == OUT_FAIL && v.results[0].exact == OUT_FAIL);
	CHECK(v.results[0].got == 0.00045299530029296875);
	CHECK(v.results[0].ref == 0);
}

/*
 * Honest f32 sums that the fixed rule rejects and the interval accepts: the
 * sum lies by a rounding midpoint, and cancellation magnifies the step.
 */
static void midpoint_is_admitted(void)
{
	Program *p = parse("program join\n"
			   "%0: f16[1, 4] = input index=0\n"
			   "%1: f16[4, 1] = input index=1\n"
			   "%2: f16[1, 1] = input index=2\n"
			   "%3: f16[1, 1] = matmul %0 %1 acc=f32\n"
			   "%4: f16[1, 1] = add %3 %2\n"
			   "return %4 as y\n");
	int64_t s[] = {1, 4}, t[] = {4, 1}, u[] = {1, 1};
	Tensor in[3] = {tensor(DT_F16, 2, s), tensor(DT_F16, 2, t),
			tensor(DT_F16, 2, u)};
	Tensor y = tensor(DT_F16, 2, u);
	/* 0.5 + 2^-12 is a midpoint; 2^-25 twice decides, if added first. */
	static const double x[] = {0.5, 0x1p-12, 0x1p-24, 0x1p-24};
	static const double w[] = {1, 1, 0.5, 0.5};
	for (int i = 0; i < 4; i++) {
		put(&in[0], i, x[i]);
		put(&in[1], i, w[i]);
	}
	put(&in[2], 0, -0.48);
	double c = get(&in[2], 0);
	double up = fmt_round(DT_F16, 0.5 + 0x1p-11 + c);
	double even = fmt_round(DT_F16, 0.5 + c);
	put(&y, 0, up); /* the exact sum's rounding */
	Verdict v = judge(p, in, 3, &y);
	CHECK(!v.results[0].violations && v.results[0].fixed == OUT_PASS);
	put(&y, 0, even); /* the two small terms lost one by one */
	v = judge(p, in, 3, &y);
	CHECK(!v.results[0].violations && v.results[0].fixed == OUT_FAIL);
	CHECK(v.outcome == OUT_INCONCLUSIVE); /* 32 ulp wide */
	put(&y, 0, fmt_next(DT_F16, up));
	v = judge(p, in, 3, &y);
	CHECK(v.outcome == OUT_FAIL);
}

static void softmax_of_zeros_fails(void)
{
	Program *p = parse("program softmax\n"
			   "%0: f16[2, 64] = input index=0\n"
			   "%1: f32[2, 64] = cast %0 via=softmax\n"
			   "%2: f32[2] = max %1 axes=[1] via=softmax\n"
			   "%3: f32[2, 1] = reshape %2 via=softmax\n"
			   "%4: f32[2, 64] = broadcast %3 via=softmax\n"
			   "%5: f32[2, 64] = sub %1 %4 via=softmax\n"
			   "%6: f32[2, 64] = exp %5 via=softmax\n"
			   "%7: f32[2] = sum %6 acc=f32 axes=[1] via=softmax\n"
			   "%8: f32[2, 1] = reshape %7 via=softmax\n"
			   "%9: f32[2, 64] = broadcast %8 via=softmax\n"
			   "%10: f32[2, 64] = div %6 %9 via=softmax\n"
			   "%11: f16[2, 64] = cast %10 via=softmax\n"
			   "return %11 as y\n");
	int64_t s[] = {2, 64};
	Tensor in = tensor(DT_F16, 2, s), y = tensor(DT_F16, 2, s);
	for (int64_t i = 0; i < 128; i++)
		put(&in, i, sin((double)i) * 3);
	Feeds f = {.inputs = &in, .ninputs = 1};
	Binding b = {0};
	Tensor ref;
	CHECK(oracle_reference(&ctx, p, &b, &f, &ref));
	Verdict v = judge(p, &in, 1, &ref);
	CHECK(v.outcome == OUT_PASS && v.results[0].fixed == OUT_PASS);
	CHECK(v.results[0].atol == 2e-6);
	v = judge(p, &in, 1, &y);
	CHECK(v.outcome == OUT_FAIL && v.results[0].fixed == OUT_FAIL);
	CHECK(v.results[0].violations == 128);
	/* A NaN out of nowhere. */
	memcpy(y.data, ref.data, tensor_bytes(&y));
	put(&y, 77, NAN);
	v = judge(p, &in, 1, &y);
	CHECK(v.outcome == OUT_FAIL && v.results[0].worst == 77);
	/* Another dtype is refused before anything is judged. */
	Tensor wide = tensor(DT_F32, 2, s);
	CHECK(!oracle_judge(&ctx, &arena, p, &b, &f, &wide, NULL, &v));
	ctx_clear_errors(&ctx);
	big_free(ref.data, tensor_bytes(&ref));
}

/* ---- verdicts -------------------------------------------------------- */

static void settles_on_what_returned(void)
{
	Program *p = parse("program shared\n"
			   "%0: f16[1, 3] = input index=0\n"
			   "%1: f16[3, 1] = input index=1\n"
			   "%2: f16[1, 1] = matmul %0 %1 acc=f32\n"
			   "%3: f16[1, 1] = add %2 %2\n"
			   "return %3 as y, %2 as p\n");
	int64_t s[] = {1, 3}, t[] = {3, 1}, u[] = {1, 1};
	Tensor in[2] = {tensor(DT_F16, 2, s), tensor(DT_F16, 2, t)};
	Tensor out[2] = {tensor(DT_F16, 2, u), tensor(DT_F16, 2, u)};
	static const double x[] = {1, 0x1p-11, 0x1p-24};
	for (int i = 0; i < 3; i++) {
		put(&in[0], i, x[i]);
		put(&in[1], i, i == 2 ? 0.5 : 1);
	}
	/* 1 + 2^-11 + 2^-25: both neighbours are legal, together. */
	for (int k = 0; k < 2; k++) {
		double v = k ? 1 + 0x1p-10 : 1;
		put(&out[1], 0, v);
		put(&out[0], 0, 2 * v);
		CHECK(judge(p, in, 2, out).outcome == OUT_PASS);
	}
	put(&out[1], 0, 1);
	Verdict v = judge(p, in, 2, out);
	CHECK(v.outcome == OUT_FAIL);
	CHECK(v.results[1].interval == OUT_PASS);
	CHECK(v.results[0].exact == OUT_FAIL);
}

static void tells_signs_of_zero(void)
{
	Program *p = parse("program zero\n"
			   "%0: f32[2] = input index=0\n"
			   "%1: f32[2] = neg %0\n"
			   "return %1 as y\n");
	int64_t s[] = {2};
	Tensor in = tensor(DT_F32, 1, s), y = tensor(DT_F32, 1, s);
	put(&y, 0, -0.0);
	put(&y, 1, -0.0);
	CHECK(judge(p, &in, 1, &y).outcome == OUT_PASS);
	put(&y, 1, 0.0);
	CHECK(judge(p, &in, 1, &y).outcome == OUT_FAIL);
	/* A sum of -0 alone may have either sign. */
	p = parse("program sum\n"
		  "%0: f32[2] = input index=0\n"
		  "%1: f32 = sum %0 acc=f32 axes=[0]\n"
		  "return %1 as y\n");
	Tensor r = tensor(DT_F32, 0, s);
	put(&in, 0, -0.0);
	put(&in, 1, -0.0);
	put(&r, 0, -0.0);
	Verdict v = judge(p, &in, 1, &r);
	CHECK(v.results[0].exact == OUT_PASS);
	put(&r, 0, 0.0);
	CHECK(judge(p, &in, 1, &r).results[0].exact == OUT_PASS);
	put(&in, 1, 0.0);
	put(&r, 0, -0.0);
	CHECK(judge(p, &in, 1, &r).outcome == OUT_FAIL);
}

/*
 * -2e38 and -2e38 and +inf: +inf in one order, -inf + inf = NaN in another
 * that adds the finite terms first. With -1e38 no order overflows.
 */
static void overflow_beside_infinity(void)
{
	static const char *const text[] = {
		"program sum\n"
		"%0: f32[3] = input index=0\n"
		"%1: f32 = sum %0 acc=f32 axes=[0]\n"
		"return %1 as y\n",
		"program dot\n"
		"%0: f32[1, 3] = input index=0\n"
		"%1: f32[3, 1] = reshape %0\n"
		"%2: f32[1, 1] = const data=[0x1p+0]\n"
		"%3: f32[1, 3] = broadcast %2\n"
		"%4: f32[1, 1] = matmul %3 %1 acc=f32\n"
		"%5: f32 = reshape %4\n"
		"return %5 as y\n",
	};
	for (int k = 0; k < 2; k++) {
		Program *p = parse(text[k]);
		int64_t s[] = {1, 3};
		Tensor in = k ? tensor(DT_F32, 2, s) : tensor(DT_F32, 1, s + 1);
		Tensor y = tensor(DT_F32, 0, s);
		if (!p)
			continue;
		put(&in, 0, -2e38);
		put(&in, 1, -2e38);
		put(&in, 2, INFINITY);
		put(&y, 0, NAN);
		CHECK(judge(p, &in, 1, &y).outcome != OUT_FAIL);
		put(&y, 0, INFINITY);
		CHECK(judge(p, &in, 1, &y).outcome != OUT_FAIL);
		put(&y, 0, -INFINITY);
		CHECK(judge(p, &in, 1, &y).outcome == OUT_FAIL);
		put(&in, 1, -1e38);
		put(&in, 0, -1e38);
		put(&y, 0, NAN);
		CHECK(judge(p, &in, 1, &y).outcome == OUT_FAIL);
	}
}

/* ---- sums near the largest number ------------------------------------ */

/* Rows of three thirds each, which are summed, rounded, and summed again. */
#define HUGE_ROWS 4
static const char *const huge_text[] = {
	"program nested\n"
	"%0: $[4, 3] = input index=0\n"
	"%1: $[4] = sum %0 acc=$ axes=[1]\n"
	"%2: $ = sum %1 acc=$ axes=[0]\n"
	"return %2 as y\n",
	"program product\n"
	"%0: $[4, 3] = input index=0\n"
	"%1: $[4] = sum %0 acc=$ axes=[1]\n"
	"%2: $[1, 4] = reshape %1\n"
	"%3: $[1, 1] = const data=[0x1p+0]\n"
	"%4: $[4, 1] = broadcast %3\n"
	"%5: $[1, 1] = matmul %2 %4 acc=$\n"
	"%6: $ = reshape %5\n"
	"return %6 as y\n",
	"program running\n"
	"%0: $[4, 3] = input index=0\n"
	"%1: $[4] = sum %0 acc=$ axes=[1]\n"
	"%2: $[4] = cumsum %1 acc=$ axis=0\n"
	"%3: $[1] = slice %2 start=[3] step=[1]\n"
	"%4: $ = reshape %3\n"
	"return %4 as y\n",
};

/* The dtype stands for each $. */
static Program *huge_program(const char *text, DType d)
{
	Buf b;

	buf_init(&b, &arena);
	for (; *text; text++)
		if (*text == '$')
			buf_puts(&b, dtype_info[d].name);
		else
			buf_printf(&b, "%c", *text);
	return parse(buf_str(&b));
}

/* What a sum of x, in units of the largest, may be. */
typedef struct HugeCase {
	double x[HUGE_ROWS];
	bool nan, up, down, one, zero; /* one: x[0] of the largest */
} HugeCase;

static const HugeCase huge_cases[] = {
	{{.9, .9, 0, 0}, .up = true},
	{{-.9, 0, -.9, 0}, .down = true},
	{{.9, .9, -.9, 0}, .up = true, .one = true},
	{{.9, .9, -.9, -.9},
	 .nan = true,
	 .up = true,
	 .down = true,
	 .zero = true},
	{{.4, -.4, .4, -.4}, .zero = true},
	{{.4, .4, -.4, 0}, .one = true},
	{{.9, -.9, 0, 0}, .zero = true},
	{{INFINITY, .9, .9, 0}, .up = true},
	{{INFINITY, -.9, -.9, 0}, .nan = true, .up = true},
	{{INFINITY, -.4, -.4, 0}, .up = true},
	{{INFINITY, -INFINITY, .9, .9}, .nan = true},
};

static void judge_huge(Program *p, DType d, const HugeCase *c)
{
	int64_t shape[] = {HUGE_ROWS, 3};
	double max = fmt_info[d].max;
	double third = fmt_round(d, .3 * c->x[0] / .9 * max);
	double one = fmt_round(d, fmt_round(d, third + third) + third);
	const struct {
		double y;
		bool legal;
	} of[] = {{NAN, c->nan},        {INFINITY, c->up},
		  {-INFINITY, c->down}, {isfinite(one) ? one : 1, c->one},
		  {0, c->zero},         {max / 64, false}};
	Tensor in = tensor(d, 2, shape), y = tensor(d, 0, shape);

	for (int i = 0; i < 3 * HUGE_ROWS; i++)
		put(&in, i, .3 * c->x[i / 3] / .9 * max);
	for (size_t i = 0; i < ARRAY_LEN(of); i++) {
		put(&y, 0, of[i].y);
		bool legal = judge(p, &in, 1, &y).outcome != OUT_FAIL;
		bool want = of[i].legal || (c->nan && c->up && c->down);
		if (!CHECK(legal == want))
			printf("%s of %s, %g %g %g %g: %g is %s\n", p->name,
			       dtype_info[d].name, c->x[0], c->x[1], c->x[2],
			       c->x[3], of[i].y, legal ? "legal" : "refused");
	}
}

/* Which ends some order reaches, and that no other is admitted. */
static void sums_near_overflow(void)
{
	static const DType dtypes[] = {DT_F64, DT_F32, DT_F16};

	for (size_t k = 0; k < ARRAY_LEN(huge_text); k++)
		for (size_t d = 0; d < ARRAY_LEN(dtypes); d++) {
			Program *p = huge_program(huge_text[k], dtypes[d]);
			for (size_t i = 0; p && i < ARRAY_LEN(huge_cases); i++)
				judge_huge(p, dtypes[d], &huge_cases[i]);
		}
}

static void tells_inconclusive(void)
{
	Program *p = parse("program long\n"
			   "%0: f32[4, 4096] = input index=0\n"
			   "%1: f32[4] = sum %0 acc=f32 axes=[1]\n"
			   "return %1 as y\n");
	int64_t s[] = {4, 4096}, t[] = {4};
	Tensor in = tensor(DT_F32, 2, s), y = tensor(DT_F32, 1, t);
	for (int64_t i = 0; i < 4 * 4096; i++)
		put(&in, i, sin((double)i * 1.7));
	for (int64_t r = 0; r < 4; r++) {
		float sum = 0;
		for (int64_t k = 0; k < 4096; k++)
			sum += (float)get(&in, r * 4096 + k);
		put(&y, r, (double)sum);
	}
	Verdict v = judge(p, &in, 1, &y);
	CHECK(v.outcome == OUT_INCONCLUSIVE);
	CHECK(v.results[0].exact == OUT_NONE);
	CHECK(v.results[0].median_width > 2 && !v.results[0].violations);
}

static void tells_faults(void)
{
	Program *p = parse("program fault\n"
			   "%0: i32[3] = input index=0\n"
			   "%1: i32[3] = mod %0 %0\n"
			   "return %1 as y\n");
	int64_t s[] = {3};
	Tensor in = tensor(DT_I32, 1, s), y = tensor(DT_I32, 1, s);
	put(&in, 0, 1);
	Verdict v = judge(p, &in, 1, &y);
	CHECK(v.fault && v.fault_value == 1 && v.fault_index == 1);
	put(&in, 1, 2);
	put(&in, 2, -3);
	v = judge(p, &in, 1, &y);
	CHECK(!v.fault && v.outcome == OUT_PASS);
}

static void empty_and_rank_0(void)
{
	Program *p = parse("program empty\n"
			   "dim N in 0..100\n"
			   "%0: f32[N] = input index=0\n"
			   "%1: f32[N] = exp %0\n"
			   "%2: f32 = sum %1 acc=f32 axes=[0]\n"
			   "return %1 as e, %2 as s\n");
	int64_t s[] = {0};
	Tensor in = tensor(DT_F32, 1, s);
	Tensor out[2] = {tensor(DT_F32, 1, s), tensor(DT_F32, 0, s)};
	Verdict v = judge(p, &in, 1, out);
	CHECK(v.outcome == OUT_PASS && v.results[0].elements == 0);
	put(&out[1], 0, -0.0);
	CHECK(judge(p, &in, 1, out).outcome == OUT_FAIL);
}

/* ---- relaxations ----------------------------------------------------- */

/* Whether value y is legal for x @ w + c of one element under a relaxation. */
static bool legal(const char *relax, const double *x, const double *w, double c,
		  double got)
{
	char text[600];
	snprintf(text, sizeof text,
		 "program relaxed\n"
		 "%%0: f16[1, 2] = input index=0\n"
		 "%%1: f16[2, 1] = input index=1\n"
		 "%%2: f16[1, 1] = input index=2\n"
		 "%%3: f16[1, 1] = matmul %%0 %%1 acc=f32%s\n"
		 "%%4: f16[1, 1] = add %%3 %%2%s\n"
		 "return %%4 as y\n",
		 relax, relax);
	Program *p = parse(text);
	int64_t s[] = {1, 2}, t[] = {2, 1}, u[] = {1, 1};
	Tensor in[3] = {tensor(DT_F16, 2, s), tensor(DT_F16, 2, t),
			tensor(DT_F16, 2, u)};
	Tensor y = tensor(DT_F16, 2, u);
	for (int i = 0; i < 2; i++) {
		put(&in[0], i, x[i]);
		put(&in[1], i, w[i]);
	}
	put(&in[2], 0, c);
	put(&y, 0, got);
	return judge(p, in, 3, &y).outcome != OUT_FAIL;
}

static void relaxes_boundaries(void)
{
	static const double x[] = {1.0048828125, 0}, w[] = {1.0927734375, 0};
	double kept = 0, dropped = 0.00045299530029296875, c = -1.09765625;
	CHECK(legal("", x, w, c, kept));
	CHECK(!legal("", x, w, c, dropped));
	CHECK(legal(" relax=[single_rounding]", x, w, c, dropped));
	CHECK(legal(" relax=[single_rounding]", x, w, c, kept));
	CHECK(!legal(" relax=[single_rounding]", x, w, c, 2 * dropped));
	CHECK(legal(" relax=[reassociate]", x, w, c, dropped));
	CHECK(!legal(" relax=[contraction]", x, w, c, dropped));
	CHECK(!legal(" relax=[row_invariant]", x, w, c, dropped));
}

static void relaxes_contraction(void)
{
	for (int k = 0; k < 2; k++) {
		char text[400];
		const char *relax = k ? " relax=[contraction]" : "";
		snprintf(text, sizeof text,
			 "program fused\n"
			 "%%0: f32[1] = input index=0\n"
			 "%%1: f32[1] = input index=1\n"
			 "%%2: f32[1] = mul %%0 %%0%s\n"
			 "%%3: f32[1] = sub %%2 %%1%s\n"
			 "return %%3 as y\n",
			 relax, relax);
		Program *p = parse(text);
		int64_t s[] = {1};
		Tensor in[2] = {tensor(DT_F32, 1, s), tensor(DT_F32, 1, s)};
		Tensor y = tensor(DT_F32, 1, s);
		put(&in[0], 0, 1 + 0x1p-20);
		put(&in[1], 0, 1 + 0x1p-19);
		CHECK(judge(p, in, 2, &y).outcome != OUT_FAIL);
		put(&y, 0, 0x1p-40); /* what a fused multiply-add leaves */
		CHECK((judge(p, in, 2, &y).outcome != OUT_FAIL) == (k == 1));
	}
}

/* ---- fixtures -------------------------------------------------------- */

static const char chain[] = "program chain\n"
			    "dim M in 1..4096\n"
			    "%0 x: f16[M, 96] = input index=0\n"
			    "%1 w: f16[96, 80] = input index=1\n"
			    "%2 v: f16[80, 64] = input index=2\n"
			    "%3: f16[M, 80] = matmul %0 %1 acc=f32\n"
			    "%4: f16[M, 64] = matmul %3 %2 acc=f32\n"
			    "return %4 as y\n";

static void fixtures_repeat(void)
{
	Program *p = parse(chain);
	int64_t m = 300;
	Binding b = {.dims = &m, .ndims = 1};
	for (int f = 0; f < FAM_COUNT; f++) {
		Fixture x, y, z;
		CHECK(fixture_make(&ctx, p, &b, (Family)f, 1, NULL, &x));
		CHECK(x.applies ==
		      (f != FAM_SENTINEL_BOUNDARY && f != FAM_SENTINEL_JOIN));
		CHECK(x.applies || x.why_not);
		if (!x.applies)
			continue;
		int threads = ctx.threads;
		ctx.threads = 1;
		CHECK(fixture_make(&ctx, p, &b, (Family)f, 1, NULL, &y));
		ctx.threads = threads;
		CHECK(fixture_make(&ctx, p, &b, (Family)f, 2, NULL, &z));
		CHECK_STR(x.sha256, y.sha256);
		CHECK((strcmp(x.sha256, z.sha256) == 0) ==
		      (f == FAM_ZEROS || f == FAM_STRUCTURED));
		fixture_release(&x);
		fixture_release(&y);
		fixture_release(&z);
	}
}

static void exact_is_exact(void)
{
	Program *p = parse(chain);
	int64_t m = 300;
	Binding b = {.dims = &m, .ndims = 1};
	Fixture x;
	CHECK(fixture_make(&ctx, p, &b, FAM_EXACT, 7, NULL, &x));
	Tensor ref;
	CHECK(oracle_reference(&ctx, p, &b, &x.feeds, &ref));
	Verdict v;
	CHECK(oracle_judge(&ctx, &arena, p, &b, &x.feeds, &ref, NULL, &v));
	CHECK(v.results[0].exact == OUT_PASS);
	CHECK(v.results[0].points == 300 * 64);
	put(&ref, 5, fmt_next(DT_F16, get(&ref, 5)));
	CHECK(oracle_judge(&ctx, &arena, p, &b, &x.feeds, &ref, NULL, &v));
	CHECK(v.results[0].exact == OUT_FAIL);
	CHECK(v.results[0].mismatches == 1 && v.results[0].worst == 5);
	big_free(ref.data, tensor_bytes(&ref));
	fixture_release(&x);
}

/* ---- the cache ------------------------------------------------------- */

static void cache_is_checked(void)
{
	char folder[] = "/tmp/oracle-test-XXXXXX";
	CHECK(mkdtemp(folder) != NULL);
	Program *p = parse(chain);
	int64_t m = 40;
	Binding b = {.dims = &m, .ndims = 1};
	Fixture x;
	CHECK(fixture_make(&ctx, p, &b, FAM_RANDOM, 7, NULL, &x));
	Tensor ref;
	CHECK(oracle_reference(&ctx, p, &b, &x.feeds, &ref));
	OracleOptions o = {.cache = folder};
	Verdict v[3];
	for (int k = 0; k < 3; k++) {
		CHECK(oracle_judge(&ctx, &arena, p, &b, &x.feeds, &ref, &o,
				   &v[k]));
		CHECK(v[k].results[0].points == v[0].results[0].points);
		CHECK(v[k].results[0].median_width ==
		      v[0].results[0].median_width);
		CHECK(v[k].outcome == v[0].outcome);
	}
	/* A damaged file is no file. */
	char command[200];
	snprintf(command, sizeof command,
		 "cd %s && for f in *.ref; do printf x | dd of=$f bs=1 "
		 "seek=1000 conv=notrunc 2>/dev/null; done",
		 folder);
	CHECK(system(command) == 0);
	CHECK(oracle_judge(&ctx, &arena, p, &b, &x.feeds, &ref, &o, &v[1]));
	CHECK(v[1].results[0].violations == 0);
	CHECK(v[1].results[0].points == v[0].results[0].points);
	snprintf(command, sizeof command, "rm -r %s", folder);
	CHECK(system(command) == 0);
	/* One that cannot be written is a warning. */
	o.cache = "/proc/nowhere";
	size_t before = ctx.warnings.n;
	CHECK(oracle_judge(&ctx, &arena, p, &b, &x.feeds, &ref, &o, &v[1]));
	CHECK(ctx.warnings.n > before && ctx.errors == 0);
	big_free(ref.data, tensor_bytes(&ref));
	fixture_release(&x);
}

/* ---- sampling -------------------------------------------------------- */

static void samples_when_large(void)
{
	Program *p = parse("program large\n"
			   "dim K in 1..1048576\n"
			   "%0: f16[2048, K] = input index=0\n"
			   "%1: f16[K, 2050] = input index=1\n"
			   "%2: f16[2050] = input index=2\n"
			   "%3: f16[2048, 2050] = matmul %0 %1 acc=f32\n"
			   "%4: f16[2048, 2050] = broadcast %2\n"
			   "%5: f16[2048, 2050] = add %3 %4\n"
			   "%6: f16[2050, 2048] = transpose %5 perm=[1, 0]\n"
			   "return %6 as y\n");
	int64_t m = 2048, n = 2050, k = 1040;
	Binding b = {.dims = &k, .ndims = 1};
	int64_t s[] = {m, k}, t[] = {k, n}, r[] = {n, m};
	Tensor in[3] = {tensor(DT_F16, 2, s), tensor(DT_F16, 2, t),
			tensor(DT_F16, 1, r)};
	Tensor y = tensor(DT_F16, 2, r);
	for (int64_t i = 0; i < m; i++)
		put(&in[0], i * k + i % k, 1 + (double)(i % 7) / 8);
	for (int64_t i = 0; i < k * n; i++)
		put(&in[1], i, (double)(i % n % 40) - 20);
	for (int64_t i = 0; i < m; i++)
		for (int64_t j = 0; j < n; j++)
			put(&y, j * m + i,
			    (1 + (double)(i % 7) / 8) *
					    ((double)(j % 40) - 20) +
				    0.5);
	for (int64_t j = 0; j < n; j++)
		put(&in[2], j, 0.5);
	Feeds f = {.inputs = in, .ninputs = 3};
	OracleOptions o = {.sample = true};
	Verdict v;
	CHECK(oracle_judge(&ctx, &arena, p, &b, &f, &y, &o, &v));
	CHECK(v.outcome == OUT_PASS);
	CHECK(v.results[0].elements == 129 * 128 + 2 * (m + n));
	put(&y, (n - 1) * m + 13, 1000); /* on an edge */
	CHECK(oracle_judge(&ctx, &arena, p, &b, &f, &y, &o, &v));
	CHECK(v.outcome == OUT_FAIL);
	CHECK(v.results[0].worst == (n - 1) * m + 13);
}

/* ---- memory ---------------------------------------------------------- */

static void memory_may_run_out(void)
{
	Program *p = parse(chain);
	int64_t m = 20;
	Binding b = {.dims = &m, .ndims = 1};
	Fixture x;
	CHECK(fixture_make(&ctx, p, &b, FAM_RANDOM, 7, NULL, &x));
	Tensor ref;
	CHECK(oracle_reference(&ctx, p, &b, &x.feeds, &ref));
	int refused = 0;
	for (long n = 1; n < 400; n++) {
		OomTrap t;
		Arena a;
		Verdict v;
		arena_init(&a);
		if (OOM_TRAP(&t)) {
			refused++;
		} else {
			oom_fail_nth(n);
			oracle_judge(&ctx, &a, p, &b, &x.feeds, &ref, NULL, &v);
		}
		oom_fail_nth(0);
		oom_trap_pop(&t);
		arena_release(&a);
	}
	CHECK(refused > 5);
	big_free(ref.data, tensor_bytes(&ref));
	fixture_release(&x);
}

static const TestCase tests[] = {
	TEST(rounds_once),
	TEST(finds_neighbours),
	TEST(wraps_integers),
	TEST(boundary_is_seen),
	TEST(midpoint_is_admitted),
	TEST(softmax_of_zeros_fails),
	TEST(settles_on_what_returned),
	TEST(tells_signs_of_zero),
	TEST(tells_inconclusive),
	TEST(tells_faults),
	TEST(overflow_beside_infinity),
	TEST(sums_near_overflow),
	TEST(empty_and_rank_0),
	TEST(relaxes_boundaries),
	TEST(relaxes_contraction),
	TEST(fixtures_repeat),
	TEST(exact_is_exact),
	TEST(cache_is_checked),
	TEST(samples_when_large),
	TEST(memory_may_run_out),
};

int main(int argc, char **argv)
{
	ctx_init(&ctx);
	arena_init(&arena);
	ctx.threads = 2;
	int r = test_main(argc, argv, tests, ARRAY_LEN(tests));
	arena_release(&arena);
	ctx_release(&ctx);
	return r;
}
