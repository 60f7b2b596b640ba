/*
 * mma_bound_test: the bound of f32.tc.mma holds for the adders it describes.
 *
 * Sums are made by a model of a GPU's matrix unit: groups of products and the
 * sum so far, aligned to their largest exponent, cut off and added (src/oracle/
 * sum.c names the sources). Groups of 4, 8 and 16 products and one or two bits
 * beyond f32's must stay within the interval of every input; an adder that
 * keeps fewer bits must leave it; also where parts of K, of whole groups, are
 * added up afterwards. f32 goes in cut off to TF32, rounded to it, or as it is,
 * which its interval holds; not rounded to fewer bits. The bound of f32.tc.any
 * must hold for groups of any size, one by one too, and for any parts.
 */
#include "oracle/eval.h"
#include "unit/test.h"

#include <float.h>

#define M      4
#define N      16
#define MOST_K 1024

enum {
	AS_IT_IS,
	CUT,     /* to TF32 */
	ROUNDED, /* to TF32 */
	COARSE,  /* rounded to bf16 */
};

typedef struct Adder {
	int group, bits;
	bool zeros; /* a product with a zero has an exponent all the same */
	int parts;  /* of K, each summed by itself; 0: one */
	int step;   /* parts are so many elements, or multiples; 0: any */
	int operand;
} Adder;

static uint64_t seed;

static uint64_t draw(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* In [-1, 1). */
static double uniform(void)
{
	return (double)(int64_t)draw() * 0x1p-63;
}

static int exponent_of(DType d, double x)
{
	int least_e = fmt_info[d].emin;

	return x == 0 || ilogb(x) < least_e ? least_e : ilogb(x);
}

static double cut(double x, int exponent)
{
	return trunc(ldexp(x, -exponent)) * ldexp(1, exponent);
}

static double operand(int how, double x)
{
	int e = x == 0 || ilogb(x) < -126 ? -126 : ilogb(x);

	switch (how) {
	case CUT:
		return cut(x, e - 10);
	case ROUNDED:
		return rint(ldexp(x, 10 - e)) * ldexp(1, e - 10);
	case COARSE:
		return fmt_round(DT_BF16, x);
	}
	return x;
}

static double sum_of(const Adder *a, DType d, const double *x, const double *y,
		     int stride, int k)
{
	double sum = 0;

	for (int at = 0; at < k; at += a->group) {
		int n = k - at < a->group ? k - at : a->group;
		int e = sum == 0 ? -200 : ilogb(sum);
		for (int i = at; i < at + n; i++) {
			double p = x[i] * y[i * stride];
			int own = exponent_of(d, x[i]) +
				  exponent_of(d, y[i * stride]);
			if ((p != 0 || a->zeros) && own > e)
				e = own;
		}
		int unit = e - a->bits < -149 ? -149 : e - a->bits;
		double all = cut(sum, unit);
		for (int i = at; i < at + n; i++)
			all += cut(x[i] * y[i * stride], unit);
		int top = all == 0 ? -126 : ilogb(all);
		sum = cut(all, (top < -126 ? -126 : top) - 23);
	}
	return sum;
}

static double parts_of(const Adder *a, DType d, const double *x,
		       const double *y, int stride, int k)
{
	int each = a->parts > 1 ? (k + a->parts - 1) / a->parts : k;
	float sum = 0;

	if (a->step)
		each = (each + a->step - 1) / a->step * a->step;
	for (int at = 0; at < k; at += each) {
		int n = k - at < each ? k - at : each;
		float part =
			(float)sum_of(a, d, x + at, y + at * stride, stride, n);
		sum = at ? sum + part : part;
	}
	return (double)sum;
}

/* ---- inputs ---------------------------------------------------------- */

typedef double Draw(int k, bool right);

static double normal(int k, bool right)
{
	(void)k;
	(void)right;
	return uniform() + uniform() + uniform();
}

static double positive(int k, bool right)
{
	return fabs(normal(k, right));
}

static double cancelling(int k, bool right)
{
	double x = 1 + 0.25 * uniform();

	return right ? (k % 2 ? -1 : 1) * (1 + 0x1p-9 * uniform()) : x;
}

static double wide(int k, bool right)
{
	(void)k;
	(void)right;
	return ldexp(1 + fabs(uniform()), (int)(draw() % 26) - 13);
}

/* Subnormals of f16, zeros, and large values beside them. */
static double tiny(int k, bool right)
{
	(void)right;
	switch (draw() % 4) {
	case 0:
		return 0;
	case 1:
		return k % 3 ? 0x1p-24 : 30000 * uniform();
	default:
		return 0x1p-14 * uniform();
	}
}

/* One large term; of all others nearly 2^-24 is cut off beside it, and of every
 * fourth sum as much again. */
static double worst(int k, bool right)
{
	if (k == 0)
		return 1;
	return right && k % 4 != 3 ? 0x1.ff8p-12 : 0x1.ff8p-13;
}

/* The same for terms that are added one by one. */
static double lone(int k, bool right)
{
	if (k == 0)
		return 1;
	return right ? 0x1.ff8p-12 : 0x1p-12;
}

/* Terms that 20 bits beside the large one do not hold. */
static double coarse_lone(int k, bool right)
{
	if (k == 0)
		return 1;
	return right ? 0x1.ff8p-12 : 0x1p-10;
}

static Draw *const draws[] = {normal, positive, cancelling, wide, tiny, worst};

/* ---- the oracle ------------------------------------------------------ */

static Ctx ctx;
static Arena arena;

static Tensor tensor(DType d, int64_t rows, int64_t columns)
{
	Tensor t = {.dtype = d, .rank = 2, .shape = {rows, columns}};

	tensor_set_contiguous(&t);
	t.data = arena_alloc(&arena, tensor_bytes(&t) + 1, 64);
	return t;
}

static Outcome judge(DType d, AccKind acc, Tensor in[2], Tensor *y, int64_t k)
{
	const char *name = dtype_info[d].name;
	const char *text =
		arena_printf(&arena,
			     "program p\n"
			     "dim K in 1..4096\n"
			     "%%0: %s[4, K] = input index=0\n"
			     "%%1: %s[K, 16] = input index=1\n"
			     "%%2: f32[4, 16] = matmul %%0 %%1 "
			     "acc=f32%s\n"
			     "return %%2 as y\n",
			     name, name, d == DT_F32 ? " relax=[tf32]" : "");
	uint32_t source = ctx_add_source(&ctx, "test", text, strlen(text));
	Program *p = program_parse(&ctx, &arena, source);
	AccKind kinds[3] = {ACC_IEEE, ACC_IEEE, acc};
	OracleOptions o = {.acc = kinds};
	Feeds feeds = {.inputs = in, .ninputs = 2};
	Binding b = {.dims = &k, .ndims = 1};
	Verdict v = {0};

	if (!CHECK(p && oracle_judge(&ctx, &arena, p, &b, &feeds, y, &o, &v))) {
		printf("%s", buf_str(&ctx.messages));
		return OUT_FAIL;
	}
	return v.outcome;
}

static Outcome run(const Adder *a, AccKind acc, DType d, Draw *from, int k)
{
	static double x[M * MOST_K], y[MOST_K * N];
	static Num n[MOST_K * N];
	Tensor in[2] = {tensor(d, M, k), tensor(d, k, N)};
	Tensor out = tensor(DT_F32, M, N);

	for (int i = 0; i < M * k; i++)
		n[i].f = x[i] = fmt_round(d, from(i % k, false));
	nums_store(d, in[0].data, 0, M * k, n);
	for (int i = 0; i < k * N; i++)
		n[i].f = y[i] = fmt_round(d, from(i / N, true));
	nums_store(d, in[1].data, 0, k * N, n);
	for (int i = 0; i < M * k; i++)
		x[i] = operand(a->operand, x[i]);
	for (int i = 0; i < k * N; i++)
		y[i] = operand(a->operand, y[i]);
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++)
			((float *)out.data)[i * N + j] =
				(float)parts_of(a, d, x + i * k, y + j, N, k);
	return judge(d, acc, in, &out, k);
}

/* ---- tests ----------------------------------------------------------- */

static void every_adder(void)
{
	static const int ks[] = {1, 2, 3, 16, 37, 256, 1024};
	static const int parts[] = {1, 2, 7, 64};

	seed = 88172645463325252u;
	for (int group = 4; group <= 16; group *= 2)
		for (int bits = 24; bits <= 25; bits++)
			for (size_t f = 0; f < ARRAY_LEN(draws); f++)
				for (size_t i = 0; i < ARRAY_LEN(ks); i++)
					for (int z = 0; z < 4; z++) {
						Adder a = {group, bits,
							   z & 1, parts[z],
							   16,    AS_IT_IS};
						DType d = z & 2 ? DT_BF16
								: DT_F16;
						Outcome o =
							run(&a, ACC_MMA, d,
							    draws[f], ks[i]);
						if (!CHECK(o != OUT_FAIL))
							printf("group %d bits "
							       "%d draw %zu k "
							       "%d z %d\n",
							       group, bits, f,
							       ks[i], z);
					}
}

/* Subnormals beside large numbers, and what rounds to a power of two. */
static double low(int k, bool right)
{
	if (right)
		return ldexp(1 + fabs(uniform()), (int)(draw() % 100));
	return k % 2 ? ldexp(uniform(), -126) : 0x1.ffffffp-1;
}

/* As many bits as TF32 has. */
static double short_positive(int k, bool right)
{
	return fmt_round(DT_F16, positive(k, right));
}

/* Sums that every order makes exactly are exact here as well. */
static double whole(int k, bool right)
{
	(void)right;
	return (double)((int)(draw() % 15) - 7) * (k % 5 ? 1 : 16);
}

/* Products of TF32 are exact; their operands may be any f32. */
static void tf32(void)
{
	static Draw *const more[] = {normal, positive, cancelling,    wide,
				     low,    worst,    short_positive};
	static const int ks[] = {1, 2, 7, 9, 256, 1024};
	Adder coarse = {4, 18, false, 0, 0, AS_IT_IS};

	seed = 88172645463325252u;
	for (int group = 4; group <= 8; group *= 2)
		for (int how = AS_IT_IS; how <= ROUNDED; how++)
			for (size_t f = 0; f < ARRAY_LEN(more); f++)
				for (size_t i = 0; i < ARRAY_LEN(ks); i++) {
					Adder a = {group, 24 + (i & 1),
						   i & 1, i & 2 ? 3 : 1,
						   8,     how};
					bool exact = how != AS_IT_IS ||
						     more[f] == short_positive;
					AccKind acc = exact ? ACC_MMA : ACC_ANY;
					if (!CHECK(run(&a, acc, DT_F32, more[f],
						       ks[i]) != OUT_FAIL))
						printf("group %d operands %d "
						       "draw %zu k %d\n",
						       group, how, f, ks[i]);
				}
	CHECK(run(&coarse, ACC_MMA, DT_F32, short_positive, 1024) == OUT_FAIL);
	for (size_t i = 0; i < ARRAY_LEN(ks); i++) {
		Adder bf16 = {4, 24, false, 0, 0, COARSE};
		CHECK(run(&bf16, ACC_MMA, DT_F32, short_positive, ks[i]) ==
		      OUT_FAIL);
		CHECK(run(&bf16, ACC_IEEE, DT_F32, short_positive, ks[i]) ==
		      OUT_FAIL);
		bf16.operand = CUT;
		CHECK(run(&bf16, ACC_MMA, DT_F32, whole, ks[i]) == OUT_PASS);
	}
}

/* What keeps fewer bits than f32 has, or is judged by another accumulator. */
static void others(void)
{
	Adder coarse = {4, 20, false, 0, 0, AS_IT_IS},
	      good = {4, 24, false, 0, 0, AS_IT_IS};
	Adder split = {4, 18, false, 7, 16, AS_IT_IS};

	CHECK(run(&coarse, ACC_MMA, DT_F16, positive, 1024) == OUT_FAIL);
	CHECK(run(&coarse, ACC_MMA, DT_BF16, positive, 256) == OUT_FAIL);
	CHECK(run(&split, ACC_MMA, DT_F16, positive, 1024) == OUT_FAIL);
	CHECK(run(&good, ACC_MMA, DT_F16, worst, 1024) != OUT_FAIL);
	CHECK(run(&good, ACC_IEEE, DT_F16, worst, 1024) == OUT_FAIL);
}

static void exact(void)
{
	Adder a = {8, 24, true, 0, 0, AS_IT_IS};

	for (int k = 1; k < 300; k += 37)
		CHECK(run(&a, ACC_MMA, DT_F16, whole, k) == OUT_PASS &&
		      run(&a, ACC_MMA, DT_BF16, whole, k) == OUT_PASS);
}

static void any_order(void)
{
	static const int groups[] = {1, 2, 4, 16}, parts[] = {1, 3, 8};
	static const int ks[] = {1, 2, 37, 1024};
	Adder alone = {1, 24, false, 1, 0, AS_IT_IS},
	      coarse = {1, 20, false, 1, 0, AS_IT_IS};

	seed = 88172645463325252u;
	for (size_t g = 0; g < ARRAY_LEN(groups); g++)
		for (size_t p = 0; p < ARRAY_LEN(parts); p++)
			for (size_t f = 0; f < ARRAY_LEN(draws); f++)
				for (size_t i = 0; i < ARRAY_LEN(ks); i++) {
					Adder a = {groups[g], 24, f & 1,
						   parts[p],  0,  AS_IT_IS};
					DType d = i & 1 ? DT_BF16 : DT_F16;
					if (!CHECK(run(&a, ACC_ANY, d, draws[f],
						       ks[i]) != OUT_FAIL))
						printf("group %d parts %d draw "
						       "%zu k %d\n",
						       groups[g], parts[p], f,
						       ks[i]);
				}
	CHECK(run(&alone, ACC_ANY, DT_F16, lone, 1024) != OUT_FAIL);
	CHECK(run(&alone, ACC_MMA, DT_F16, lone, 1024) == OUT_FAIL);
	CHECK(run(&coarse, ACC_ANY, DT_F16, coarse_lone, 1024) == OUT_FAIL);
	CHECK(run(&alone, ACC_ANY, DT_F16, whole, 300) == OUT_PASS);
}

static void names(void)
{
	AccKind kind;

	CHECK(acc_kind_parse("f32.tc.mma", &kind) && kind == ACC_MMA);
	CHECK(!acc_flushes(ACC_MMA));
	CHECK(acc_kind_parse("f32.tc.any", &kind) && kind == ACC_ANY);
	CHECK(unit_acc(UNIT_MMA, DT_F32) == ACC_MMA);
	CHECK(unit_acc(UNIT_MMA, DT_I32) == ACC_IEEE);
}

int main(int argc, char **argv)
{
	static const TestCase cases[] = {TEST(every_adder), TEST(others),
					 TEST(exact),       TEST(tf32),
					 TEST(any_order),   TEST(names)};

	ctx_init(&ctx);
	arena_init(&arena);
	int rc = test_main(argc, argv, cases, ARRAY_LEN(cases));
	arena_release(&arena);
	ctx_release(&ctx);
	return rc;
}
