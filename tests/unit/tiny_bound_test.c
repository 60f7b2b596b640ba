/*
 * tiny_bound_test: references and intervals of f64 sums whose products, or
 * their last bits, lie below the least f64.
 *
 * Sums of products are made exactly, as integers of 2^-2148, and rounded once:
 * the reference must be that. (Twice the precision would not give it where more
 * cancels than here.) Sums by multiply-adds and by products that are rounded
 * first, in several orders, must stay in the interval; what is far off must
 * leave it, a lone product by one unit.
 */
#include "oracle/eval.h"
#include "unit/test.h"

#define M      7
#define N      5
#define MOST_K 37

static uint64_t state = 88172645463325252u;

static uint64_t draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static int between(int lo, int hi)
{
	return lo + (int)(draw() % (uint64_t)(hi - lo + 1));
}

/* ---- exact sums ------------------------------------------------------- */

#define WORDS 48
#define LEAST 2148 /* bit 0 is 2^-LEAST */

/* Two's complement. */
typedef struct Exact {
	uint64_t w[WORDS];
} Exact;

__extension__ typedef __int128 Int128;

static int64_t as_integer(double x, int *exponent)
{
	int e;
	double f = frexp(x, &e);

	e = e < -1021 ? -1021 : e; /* of a subnormal */
	f = ldexp(x, 53 - e);
	*exponent = e - 53;
	return (int64_t)f;
}

static void exact_add(Exact *s, double a, double b)
{
	int ea, eb, carry = 0;
	Int128 p = (Int128)as_integer(a, &ea) * as_integer(b, &eb);
	int at = ea + eb + LEAST;
	uint64_t low = (uint64_t)p, high = (uint64_t)(p >> 64);
	uint64_t fill = p < 0 ? UINT64_MAX : 0;

	for (int i = at / 64, k = 0; i < WORDS; i++, k++) {
		uint64_t part[3] = {low, high, fill};
		uint64_t x = k < 2 ? part[k] : fill;
		uint64_t before = k == 0 ? 0 : k < 3 ? part[k - 1] : fill;
		if (at % 64)
			x = x << at % 64 | before >> (64 - at % 64);
		uint64_t t = s->w[i] + x, sum = t + (uint64_t)carry;
		carry = t < x || sum < t;
		s->w[i] = sum;
	}
}

static bool bit(const Exact *s, int i)
{
	return s->w[i / 64] >> i % 64 & 1;
}

/* Rounded to f64, to nearest, ties to even. */
static double exact_round(Exact s)
{
	bool minus = s.w[WORDS - 1] >> 63, rest = false;
	int top = 64 * WORDS - 1;
	uint64_t m = 0;

	for (int i = 0, carry = 1; minus && i < WORDS; i++) {
		s.w[i] = ~s.w[i] + (uint64_t)carry;
		carry = carry && !s.w[i];
	}
	while (top >= 0 && !bit(&s, top))
		top--;
	int last = top - 52 > LEAST - 1074 ? top - 52 : LEAST - 1074;
	for (int i = top; i >= last; i--)
		m = m << 1 | bit(&s, i);
	for (int i = 0; i < last - 1; i++)
		rest |= bit(&s, i);
	m += bit(&s, last - 1) && (rest || (m & 1));
	return ldexp(minus ? -(double)m : (double)m, last - LEAST);
}

static void exact_is_exact(void)
{
	Exact s = {0};

	exact_add(&s, 3, 0x1p-1);
	CHECK(exact_round(s) == 1.5);
	exact_add(&s, -0x1p-1074, 0x1p-1074);
	CHECK(exact_round(s) == 1.5);
	exact_add(&s, -1.5, 1);
	CHECK(exact_round(s) == 0 && signbit(exact_round(s)));
	exact_add(&s, 0x1p-1074, 0x1p-1074);
	exact_add(&s, 0x1p-1074, 0.5);
	CHECK(exact_round(s) == 0); /* a tie */
	exact_add(&s, 0x1p-1074, 0x1p-1074);
	CHECK(exact_round(s) == 0x1p-1074);
	exact_add(&s, 0x1p-1074, 1);
	CHECK(exact_round(s) == 0x1p-1073);
	exact_add(&s, -0x1.8p-1022, 0x1.8p0);
	CHECK(exact_round(s) == -0x1.2p-1021 + 0x1p-1073);
}

/* ---- legal sums ------------------------------------------------------- */

static double by_exact(const double *a, const double *b, int k)
{
	Exact s = {0};

	for (int i = 0; i < k; i++)
		exact_add(&s, a[i], b[i * N]);
	return exact_round(s);
}

static double by_fma(const double *a, const double *b, int k)
{
	double s = 0;

	for (int i = 0; i < k; i++)
		s = fma(a[i], b[i * N], s);
	return s;
}

static double backwards(const double *a, const double *b, int k)
{
	double s = 0;

	for (int i = k - 1; i >= 0; i--)
		s = fma(a[i], b[i * N], s);
	return s;
}

static double by_products(const double *a, const double *b, int k)
{
	double s = 0;

	for (int i = 0; i < k; i++)
		s += a[i] * b[i * N];
	return s;
}

static double by_halves(const double *a, const double *b, int k)
{
	int n = k / 2;

	if (k == 0)
		return 0;
	if (k == 1)
		return a[0] * b[0];
	return by_halves(a, b, n) + by_halves(a + n, b + n * N, k - n);
}

static double by_lanes(const double *a, const double *b, int k)
{
	double s[4] = {0};

	for (int i = 0; i < k; i++)
		s[i % 4] = fma(a[i], b[i * N], s[i % 4]);
	return (s[0] + s[1]) + (s[2] + s[3]);
}

typedef double Order(const double *a, const double *b, int k);
static Order *const orders[] = {by_exact,    by_fma,    backwards,
				by_products, by_halves, by_lanes};

static void product(Order *sum, int rows, const double *a, const double *b,
		    int k, double *y)
{
	for (int i = 0; i < rows; i++)
		for (int j = 0; j < N; j++)
			y[i * N + j] = sum(a + i * k, b + j, k);
}

/* ---- inputs ----------------------------------------------------------- */

/* Exponents of an operand's elements, and what they are like. */
typedef struct Draw {
	int least, span;
	bool few;  /* bits */
	int zeros; /* of 100 */
} Draw;

static double element(const Draw *d)
{
	uint64_t bits = draw() >> 12;
	double m = 1 + ldexp((double)(d->few ? bits >> 50 << 50 : bits), -52);

	if (between(0, 99) < d->zeros)
		return draw() & 1 ? -0.0 : 0;
	return ldexp(draw() & 1 ? -m : m, d->least + between(0, d->span));
}

static void fill(double *x, int n, const Draw *d)
{
	for (int i = 0; i < n; i++)
		x[i] = element(d);
}

/* Two operands whose products are about 2^e. */
static void draw_pair(int e, Draw *a, Draw *b)
{
	int left = between(-1073, 100);

	*a = (Draw){.least = left,
		    .span = between(0, 1) * between(0, 40),
		    .few = draw() % 4 == 0,
		    .zeros = draw() % 3 ? 10 : 90};
	*b = *a;
	b->least = e - left;
	b->few = draw() % 4 == 0;
	b->span = between(0, 3);
}

static int exponent(void)
{
	static const int near[] = {-1200, -1120, -1080, -1075, -1074,
				   -1073, -1060, -1023, -1022, -1021,
				   -970,  -902,  -900,  -898,  -800};

	return near[draw() % ARRAY_LEN(near)] + between(-2, 2);
}

/* ---- the oracle ------------------------------------------------------- */

static Ctx ctx;
static Arena arena;

static Program *parse(const char *text)
{
	uint32_t s = ctx_add_source(&ctx, "test", text, strlen(text));
	Program *p = program_parse(&ctx, &arena, s);

	if (!CHECK(p != NULL))
		printf("%s", buf_str(&ctx.messages));
	return p;
}

static Tensor tensor(int64_t rows, int64_t columns, double *data)
{
	Tensor t = {.dtype = DT_F64, .rank = 2, .shape = {rows, columns}};

	tensor_set_contiguous(&t);
	t.data = data;
	return t;
}

static ResultVerdict judge(Program *p, Tensor *in, size_t n, double *y,
			   Outcome *out)
{
	int64_t k = in[0].shape[1];
	Feeds f = {.inputs = in, .ninputs = n};
	Binding b = {.dims = &k, .ndims = 1};
	Tensor t = tensor(M, N, y);
	Verdict v = {0};

	*out = OUT_FAIL;
	if (!CHECK(oracle_judge(&ctx, &arena, p, &b, &f, &t, NULL, &v)))
		return (ResultVerdict){0};
	*out = v.outcome;
	return v.results[0];
}

static bool admits(Program *p, Tensor *in, size_t n, double *y,
		   const char *what, size_t order)
{
	Outcome o;
	ResultVerdict r = judge(p, in, n, y, &o);

	if (CHECK(o != OUT_FAIL))
		return true;
	printf("%s K=%d order %zu: [%d] is %a, not %a in [%a, %a]\n", what,
	       (int)in[0].shape[1], order, (int)r.worst, r.got, r.ref, r.lo,
	       r.hi);
	return false;
}

/* ---- tests ------------------------------------------------------------ */

static const int ks[] = {1, 2, 3, 8, MOST_K};

static const char one[] = "program one\n"
			  "dim K in 1..64\n"
			  "%0: f64[7, K] = input index=0\n"
			  "%1: f64[K, 5] = input index=1\n"
			  "%2: f64[7, 5] = matmul %0 %1 acc=f64\n"
			  "return %2 as y\n";

/* Whether the operands say that one product at most is not zero. */
static bool lone(const double *a, const double *b, int k)
{
	int left = 0, right = 0;

	for (int i = 0; i < k; i++) {
		left += a[i] != 0;
		right += b[i * N] != 0;
	}
	return left <= 1 || right <= 1;
}

static void reference_is(Program *p, Tensor *in, const double *want)
{
	int64_t k = in[0].shape[1];
	Feeds f = {.inputs = in, .ninputs = 2};
	Binding b = {.dims = &k, .ndims = 1};
	Tensor y;

	if (!CHECK(oracle_reference(&ctx, p, &b, &f, &y)))
		return;
	const double *got = y.data;
	for (int i = 0; i < M * N; i++)
		if (!CHECK(got[i] == want[i]))
			printf("K=%d: reference [%d] is %a, not %a\n", (int)k,
			       i, got[i], want[i]);
	big_free(y.data, tensor_bytes(&y));
}

/* The sum of every order is admitted; a lone product by one unit more, and
 * others by many, are not. */
static void check_one(Program *p, double *a, double *b, int k)
{
	double y[M * N], exact[M * N];
	Tensor in[2] = {tensor(M, k, a), tensor(k, N, b)};
	int at = between(0, M * N - 1);
	bool alone = lone(a + at / N * k, b + at % N, k);
	Outcome o;

	product(by_exact, M, a, b, k, exact);
	reference_is(p, in, exact);
	for (size_t i = 0; i < ARRAY_LEN(orders); i++) {
		product(orders[i], M, a, b, k, y);
		if (!admits(p, in, 2, y, "one", i))
			return;
	}
	product(by_fma, M, a, b, k, y);
	double all = 0;
	for (int i = 0; i < k; i++)
		all += fabs(a[at / N * k + i] * b[i * N + at % N]);
	double unit = fmt_ulp(DT_F64, all);
	y[at] += alone ? unit : (4 * k + 20) * unit;
	ResultVerdict r = judge(p, in, 2, y, &o);
	if (!CHECK(o == OUT_FAIL || fabs(y[at]) > 0x1p-700))
		printf("K=%d: %a is admitted, %a is right, in [%a, %a]\n", k,
		       y[at], exact[at], r.lo, r.hi);
}

static void sums_of_tiny_products(void)
{
	static double a[M * MOST_K], b[MOST_K * N];
	Program *p = parse(one);

	for (int turn = 0; p && turn < 300; turn++) {
		int k = ks[(size_t)turn % ARRAY_LEN(ks)];
		Draw left, right;
		draw_pair(exponent(), &left, &right);
		fill(a, M * k, &left);
		fill(b, k * N, &right);
		/* pairs that cancel, but for a few bits */
		for (int i = 1; i < k && turn % 3 == 0; i += 2)
			for (int j = 0; j < N; j++)
				b[i * N + j] = -b[(i - 1) * N + j];
		for (int i = 1; i < M * k && turn % 3 == 0; i += 2)
			if (i % k)
				a[i] = a[i - 1] *
				       (1 + ldexp(1, -between(20, 60)));
		check_one(p, a, b, k);
	}
}

/* -0 where a product falls to it after the others, which are zeros. */
static void zeros(void)
{
	Program *p = parse(one);
	double a[M * 2], b[2 * N], y[M * N];
	Tensor in[2] = {tensor(M, 2, a), tensor(2, N, b)};

	for (int i = 0; i < M * 2; i++)
		a[i] = i % 2 ? 0 : -0x1p-600;
	for (int i = 0; i < 2 * N; i++)
		b[i] = 0x1p-600;
	for (size_t i = 0; p && i < ARRAY_LEN(orders); i++) {
		product(orders[i], M, a, b, 2, y);
		admits(p, in, 2, y, "zeros", i);
	}
}

/* The first product is between the second one's operands, as an interval. */
static void sums_of_sums(void)
{
	static double a[M * MOST_K], b[MOST_K * N], c[N * N], x[M * N],
		y[M * N];
	Program *p = parse("program two\n"
			   "dim K in 1..64\n"
			   "%0: f64[7, K] = input index=0\n"
			   "%1: f64[K, 5] = input index=1\n"
			   "%2: f64[5, 5] = input index=2\n"
			   "%3: f64[7, 5] = matmul %0 %1 acc=f64\n"
			   "%4: f64[7, 5] = matmul %3 %2 acc=f64\n"
			   "return %4 as y\n");

	for (int turn = 0; p && turn < 100; turn++) {
		int k = ks[(size_t)turn % ARRAY_LEN(ks)];
		int first = turn % 2 ? -600 : exponent();
		Draw left, right, third;
		draw_pair(first, &left, &right);
		third = right;
		third.least = exponent() - first;
		if (third.least < -1073 || third.least > 900)
			third.least = 0;
		fill(a, M * k, &left);
		fill(b, k * N, &right);
		fill(c, N * N, &third);
		Tensor in[3] = {tensor(M, k, a), tensor(k, N, b),
				tensor(N, N, c)};
		for (size_t i = 0; i < ARRAY_LEN(orders); i++) {
			product(orders[i], M, a, b, k, x);
			product(orders[5 - i], M, x, c, N, y);
			if (!admits(p, in, 3, y, "two", i))
				return;
		}
	}
}

/* Two sums that may be one. */
static void merged_sums(void)
{
	static double a[M * MOST_K], b[MOST_K * N], y[M * N], z[M * N];
	Program *p = parse("program merged\n"
			   "dim K in 1..64\n"
			   "%0: f64[7, K] = input index=0\n"
			   "%1: f64[K, 5] = input index=1\n"
			   "%2: f64[7, 5] = matmul %0 %1 acc=f64 "
			   "relax=[reassociate]\n"
			   "%3: f64[7, 5] = input index=2\n"
			   "%4: f64[7, 5] = add %2 %3 relax=[reassociate]\n"
			   "return %4 as y\n");

	for (int turn = 0; p && turn < 60; turn++) {
		int k = ks[(size_t)turn % ARRAY_LEN(ks)];
		Draw left, right;
		draw_pair(exponent(), &left, &right);
		Draw last = {.least = left.least + right.least, .span = 3};
		if (last.least < -1074)
			last.least = -1074;
		fill(a, M * k, &left);
		fill(b, k * N, &right);
		fill(z, M * N, &last);
		Tensor in[3] = {tensor(M, k, a), tensor(k, N, b),
				tensor(M, N, z)};
		for (size_t i = 0; i < ARRAY_LEN(orders); i++) {
			product(orders[i], M, a, b, k, y);
			for (int j = 0; j < M * N; j++)
				y[j] += z[j];
			if (!admits(p, in, 3, y, "merged", i))
				return;
		}
		for (int i = 0; i < M * N; i++) {
			y[i] = z[i];
			for (int j = 0; j < k; j++)
				y[i] = fma(a[i / N * k + j], b[j * N + i % N],
					   y[i]);
		}
		admits(p, in, 3, y, "merged, one", 0);
	}
}

int main(int argc, char **argv)
{
	static const TestCase cases[] = {
		TEST(exact_is_exact), TEST(sums_of_tiny_products), TEST(zeros),
		TEST(sums_of_sums),   TEST(merged_sums),
	};

	ctx_init(&ctx);
	arena_init(&arena);
	int rc = test_main(argc, argv, cases, ARRAY_LEN(cases));
	arena_release(&arena);
	ctx_release(&ctx);
	return rc;
}
