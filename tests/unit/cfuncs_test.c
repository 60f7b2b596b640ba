/*
 * The vector machine of generated C: every function on every dtype, as
 * scalar and as vectors, for each instruction set this host runs and each
 * compiler there is. All must give the same bits, and those of an
 * independent reference in long double and 64-bit integers. Functions with
 * an error bound are measured against the C library in a wider format.
 */
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emit/cfuncs.h"
#include "runtime/abi.h"
#include "unit/test.h"

#define N          4096 /* elements of a case; 16-bit unary cases take all 65536 */
#define MAX_N      65536
#define ACCURACY_N 1000000

/* ---- what is compiled ------------------------------------------------ */

/* One function under test. Its operands' dtype is d, but for WHERE's first,
 * which is bool. */
typedef struct Case {
	const char *name; /* tn_add_f16_ */
	Op op;
	DType d, to; /* to: the result's dtype */
	int arity;
	bool faults;
} Case;

static Case cases[1024];
static int ncases;
static Arena arena;

typedef void Fn(const char *const *in, char *out, int64_t n, TnStatus *st);

typedef struct Variant {
	const char *cc, *isa;
	const char *forms[4]; /* suffixes */
	bool floats;	      /* only functions on floats alone */
	pid_t pid;
	char path[256];
	void *handle;
} Variant;

#define AVX512 "-mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma -mf16c"
#define AVX2   "-mavx2 -mfma -mf16c"
/* The scalars and narrow vectors of the first stand on 2 and 4 lanes, and
 * f64 at full width on halves. Those with `floats` add what differs. */
static Variant variants[] = {
	{.cc = "gcc", .isa = "", .forms = {"s", "v4"}},
	{.cc = "gcc", .isa = AVX512, .forms = {"v16"}},
	{.cc = "clang", .isa = "", .forms = {"v4"}},
	{.cc = "gcc", .isa = AVX2, .forms = {"v8", "s"}, .floats = true},
	{.cc = "clang", .isa = AVX512, .forms = {"v16"}, .floats = true},
};

static bool host_runs(const char *isa)
{
#if defined __x86_64__
	if (strstr(isa, "avx512"))
		return __builtin_cpu_supports("avx512bw") &&
		       __builtin_cpu_supports("avx512dq") &&
		       __builtin_cpu_supports("avx512vl");
	if (strstr(isa, "avx2"))
		return __builtin_cpu_supports("avx2") &&
		       __builtin_cpu_supports("fma");
	return true;
#else
	return !isa[0];
#endif
}

static void add_case(Op op, DType d, DType to)
{
	Case *c = &cases[ncases++];
	bool cast = op == OP_CAST;

	c->op = op;
	c->d = d;
	c->to = to;
	c->arity = op_info[op].arity;
	c->faults = op_has(op, 'T') && !dtype_is_float(d);
	c->name = cast ? arena_printf(&arena, "tn_cast_%s_%s_",
				      dtype_info[d].name, dtype_info[to].name)
		       : arena_printf(&arena, "tn_%s_%s_", cfuncs_op(op),
				      dtype_info[d].name);
}

static void list_cases(void)
{
	for (int o = 0; o < OP_COUNT; o++) {
		Op op = (Op)o;

		if (op_info[op].cls != OPC_ELEM)
			continue;
		for (int i = 0; i < DT_COUNT; i++) {
			DType d = (DType)i;

			if (!op_admits(op, d))
				continue;
			for (int j = 0; op == OP_CAST && j < DT_COUNT; j++)
				add_case(op, d, (DType)j);
			if (op != OP_CAST)
				add_case(op, d,
					 op_info[op].result == OPR_bool
						 ? DT_BOOL
						 : d);
		}
	}
}

static DType operand(const Case *c, int k)
{
	return c->op == OP_WHERE && k == 0 ? DT_BOOL : c->d;
}

static void put_case(Buf *b, CFuncs *f, int i, const char *x)
{
	const Case *c = &cases[i];
	const char *to = dtype_info[c->to].name;
	int lanes = x[0] == 's' ? 1 : atoi(x + 1);
	const char *name = arena_printf(&arena, "%s%s", c->name, x);

	if (c->faults && lanes > 1) {
		CHECK(!cfuncs_has(name));
		return;
	}
	if (!cfuncs_has(name)) {
		printf("missing: %s\n", name);
		CHECK(false);
		return;
	}
	cfuncs_need(f, name);
	cfuncs_need(f, arena_printf(&arena, "tn_store_%s_%s", to, x));
	buf_printf(b,
		   "void f%d_%s(const char *const *in, char *out, int64_t n,\n"
		   "\tTnStatus *st);\n"
		   "void f%d_%s(const char *const *in, char *out, int64_t n,\n"
		   "\tTnStatus *st)\n{\n\t(void)st;\n"
		   "\tfor (int64_t i = 0; i < n; i += %d)\n"
		   "\t\ttn_store_%s_%s(out + i * %d, %s(",
		   i, x, i, x, lanes, to, x, dtype_info[c->to].bytes, name);
	for (int k = 0; k < c->arity; k++) {
		const DTypeInfo *d = &dtype_info[operand(c, k)];

		cfuncs_need(f,
			    arena_printf(&arena, "tn_load_%s_%s", d->name, x));
		buf_printf(b, "%stn_load_%s_%s(in[%d] + i * %d)", k ? ", " : "",
			   d->name, x, k, d->bytes);
	}
	buf_printf(b, "%s));\n}\n", c->faults ? ", st, 7, i" : "");
}

static bool variant_has(const Variant *v, const Case *c)
{
	return !v->floats || (dtype_is_float(c->d) && dtype_is_float(c->to));
}

/* Starts the compiler of a variant on everything. */
static void variant_start(Variant *v, const char *dir)
{
	CFuncs *f = cfuncs_new(&arena);
	Buf body, text;
	int n = (int)(v - variants);
	char src[256];
	FILE *out;

	buf_init(&body, &arena);
	buf_init(&text, &arena);
	for (int k = 0; k < 4 && v->forms[k]; k++)
		for (int i = 0; i < ncases; i++)
			if (variant_has(v, &cases[i]))
				put_case(&body, f, i, v->forms[k]);
	cfuncs_print(f, &text);
	snprintf(src, sizeof(src), "%s/v%d.c", dir, n);
	snprintf(v->path, sizeof(v->path), "%s/v%d.so", dir, n);
	out = fopen(src, "w");
	if (!CHECK(out != NULL))
		return;
	fputs(buf_str(&text), out);
	fputs(buf_str(&body), out);
	fclose(out);
	v->pid = fork();
	if (v->pid == 0) {
		execl("/bin/sh", "sh", "-c",
		      arena_printf(
			      &arena,
			      "exec %s %s -O2 -std=gnu17 -ffp-contract=off "
			      "-fno-math-errno -fno-trapping-math -fwrapv "
			      "-Wall -Wextra -Werror -Wno-psabi -fPIC -shared -o %s %s "
			      "-lm",
			      v->cc, v->isa, v->path, src),
		      (char *)NULL);
		_exit(127);
	}
}

/* ---- values ---------------------------------------------------------- */

typedef struct Val {
	long double f; /* floats */
	int64_t i;     /* signed integers; unsigned ones as bits; bool */
} Val;

static int fmt_emin(DType d) /* exponent of the least subnormal */
{
	return d == DT_F16    ? -24
	       : d == DT_BF16 ? -133
	       : d == DT_F32  ? -149
			      : -1074;
}

static long double fmt_max(DType d)
{
	int e = d == DT_F16 ? 16 : d == DT_F64 ? 1024 : 128;

	return ldexpl(1 - ldexpl(1, -dtype_info[d].precision), e);
}

/* hi + lo, |lo| far below hi, to nearest, ties to even. */
static long double fmt_round(DType d, long double hi, long double lo)
{
	int e, q;
	long double s, n, frac;

	if (hi == 0 || !isfinite(hi))
		return hi;
	(void)frexpl(hi, &e);
	q = e - dtype_info[d].precision;
	q = q < fmt_emin(d) ? fmt_emin(d) : q;
	s = ldexpl(hi, -q);
	n = floorl(s);
	frac = s - n;
	if (frac > 0.5L ||
	    (frac == 0.5L && (lo > 0 || (lo == 0 && fmodl(n, 2) != 0))))
		n += 1;
	n = copysignl(ldexpl(n, q), hi);
	return fabsl(n) > fmt_max(d) ? copysignl(INFINITY, hi) : n;
}

static Val val_get(DType d, const char *p)
{
	Val v = {0};
	uint16_t h;
	float f;
	double g;

	switch (d) {
	case DT_F64:
		memcpy(&g, p, 8);
		v.f = g;
		break;
	case DT_F32:
		memcpy(&f, p, 4);
		v.f = f;
		break;
	case DT_F16:
		memcpy(&h, p, 2);
		v.f = ldexpl((h & 0x3ff) + (h & 0x7c00 ? 0x400 : 0),
			     (h & 0x7c00 ? h >> 10 & 31 : 1) - 25);
		if ((h & 0x7c00) == 0x7c00)
			v.f = h & 0x3ff ? NAN : INFINITY;
		v.f = h & 0x8000 ? -v.f : v.f;
		break;
	case DT_BF16:
		memcpy(&h, p, 2);
		v.f = ldexpl((h & 0x7f) + (h & 0x7f80 ? 0x80 : 0),
			     (h & 0x7f80 ? h >> 7 & 255 : 1) - 134);
		if ((h & 0x7f80) == 0x7f80)
			v.f = h & 0x7f ? NAN : INFINITY;
		v.f = h & 0x8000 ? -v.f : v.f;
		break;
	case DT_BOOL:
	case DT_U8:
		v.i = *(const uint8_t *)p;
		break;
	case DT_I8:
		v.i = *(const int8_t *)p;
		break;
	case DT_U16:
		memcpy(&h, p, 2);
		v.i = h;
		break;
	case DT_I16:
		memcpy(&h, p, 2);
		v.i = (int16_t)h;
		break;
	case DT_U32:
		memcpy(&v.i, p, 4);
		break;
	case DT_I32:
		memcpy(&v.i, p, 4);
		v.i = (int32_t)v.i;
		break;
	case DT_I64:
	case DT_U64:
		memcpy(&v.i, p, 8);
		break;
	case DT_COUNT:
		break;
	}
	return v;
}

/* An integer cut to its dtype. */
static int64_t wrap(DType d, uint64_t x)
{
	char bytes[8];

	memcpy(bytes, &x, 8);
	return val_get(d, bytes).i;
}

static bool is_signed(DType d)
{
	return dtype_info[d].cls == DTC_I;
}

/* ---- the reference --------------------------------------------------- */

static int64_t ref_power(uint64_t a, uint64_t b)
{
	uint64_t r = 1;

	while (b--)
		r *= a; /* callers keep b small */
	return (int64_t)r;
}

/* False where the op faults. */
static bool ref_int(Op op, DType d, int64_t a, int64_t b, int64_t *r)
{
	uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
	bool s = is_signed(d), less = s ? a < b : ua < ub;
	unsigned w = (unsigned)dtype_info[d].bytes * 8;
	uint64_t n = w == 64 ? ub : ub & ((UINT64_C(1) << w) - 1);
	__extension__ typedef __int128 Wide;
	Wide wa = s ? (Wide)a : (Wide)ua, wb = s ? (Wide)b : (Wide)ub, q;

	switch ((int)op) {
	case OP_NEG:
		*r = wrap(d, -ua);
		return true;
	case OP_ABS:
		*r = wrap(d, s && a < 0 ? -ua : ua);
		return true;
	case OP_SIGN:
		*r = s && a < 0 ? -1 : a != 0;
		return true;
	case OP_BITNOT:
		*r = wrap(d, ~ua);
		return true;
	case OP_NOT:
		*r = !a;
		return true;
	case OP_ADD:
		*r = wrap(d, ua + ub);
		return true;
	case OP_SUB:
		*r = wrap(d, ua - ub);
		return true;
	case OP_MUL:
		*r = wrap(d, ua * ub);
		return true;
	case OP_FLOORDIV:
	case OP_MOD:
		*r = 0;
		if (b == 0)
			return false;
		q = wa / wb;
		if (wa % wb != 0 && (wa < 0) != (wb < 0))
			q--;
		*r = wrap(d, (uint64_t)(op == OP_MOD ? wa - q * wb : q));
		return true;
	case OP_POW:
		*r = 0;
		if (s && b < 0)
			return false;
		*r = wrap(d, (uint64_t)ref_power(ua, ub));
		return true;
	case OP_MAXIMUM:
		*r = less ? b : a;
		return true;
	case OP_MINIMUM:
		*r = less ? a : b;
		return true;
	case OP_BITAND:
	case OP_AND:
		*r = a & b;
		return true;
	case OP_BITOR:
	case OP_OR:
		*r = a | b;
		return true;
	case OP_BITXOR:
		*r = a ^ b;
		return true;
	case OP_SHL:
		*r = n >= w ? 0 : wrap(d, ua << n);
		return true;
	case OP_SHR:
		*r = s ? a >> (n >= w ? w - 1 : n)
		       : (int64_t)(n >= w ? 0 : ua >> n);
		return true;
	case OP_EQ:
		*r = a == b;
		return true;
	case OP_NE:
		*r = a != b;
		return true;
	case OP_LT:
		*r = less;
		return true;
	case OP_LE:
		*r = less || a == b;
		return true;
	case OP_GT:
		*r = !less && a != b;
		return true;
	case OP_GE:
		*r = !less;
		return true;
	}
	bug("no reference of %s", op_info[op].name);
}

static long double ref_function(Op op, long double a, long double b)
{
	switch ((int)op) {
	case OP_RSQRT:
		return 1 / sqrtl(a);
	case OP_EXP:
		return expl(a);
	case OP_EXPM1:
		return expm1l(a);
	case OP_LOG:
		return logl(a);
	case OP_LOG1P:
		return log1pl(a);
	case OP_TANH:
		return tanhl(a);
	case OP_ERF:
		return erfl(a);
	case OP_SIN:
		return sinl(a);
	case OP_COS:
		return cosl(a);
	case OP_POW:
		return powl(a, b);
	}
	bug("no reference of %s", op_info[op].name);
}

static long double floor_ties_even(long double x)
{
	long double n = floorl(x), frac = x - n;

	if (frac > 0.5L || (frac == 0.5L && fmodl(n, 2) != 0))
		n += 1;
	return copysignl(n, x);
}

/*
 * Ops that have one right result, on floats. The sum or product of two
 * doubles would round twice in long double, so f64 has its own arithmetic.
 * *rough: a quotient so large that long double may miss its floor by 1.
 */
static long double ref_float(Op op, DType d, const long double *x, bool *rough)
{
	long double a = x[0], b = x[1], c = x[2], p, s, t;
	double da = (double)a, db = (double)b;
	bool wide = d == DT_F64;

	switch ((int)op) {
	case OP_NEG:
		return -a;
	case OP_ABS:
		return fabsl(a);
	case OP_SIGN:
		return a > 0 ? 1 : a < 0 ? -1 : a;
	case OP_FLOOR:
		return floorl(a);
	case OP_CEIL:
		return ceill(a);
	case OP_ROUND:
		return isfinite(a) ? floor_ties_even(a) : a;
	case OP_SQRT:
		return wide ? sqrt(da) : fmt_round(d, sqrtl(a), 0);
	case OP_ADD:
		return wide ? da + db : fmt_round(d, a + b, 0);
	case OP_SUB:
		return wide ? da - db : fmt_round(d, a - b, 0);
	case OP_MUL:
		return wide ? da * db : fmt_round(d, a * b, 0);
	case OP_DIV:
		return wide ? da / db : fmt_round(d, a / b, 0);
	case OP_FLOORDIV:
		*rough = isfinite(a / b) &&
			 fabsl(a / b) >= (wide ? 0x1p10L : 0x1p38L);
		return fmt_round(d, floorl(a / b), 0);
	case OP_MOD:
		s = fmodl(a, b);
		if (s == 0)
			return copysignl(0, b);
		if (!((s < 0) != (b < 0)))
			return s;
		return wide ? (double)s + db : fmt_round(d, s + b, 0);
	case OP_MAXIMUM:
		if (isnan(a) || isnan(b))
			return NAN;
		return a == b ? (signbit(a) ? b : a) : a > b ? a : b;
	case OP_MINIMUM:
		if (isnan(a) || isnan(b))
			return NAN;
		return a == b ? (signbit(a) ? a : b) : a < b ? a : b;
	case OP_FMA:
		if (wide)
			return fma(da, db, (double)c);
		p = a * b;
		s = p + c;
		t = s - p;
		t = (p - (s - t)) + (c - t);
		return fmt_round(d, s, isfinite(t) ? t : 0);
	}
	bug("no reference of %s", op_info[op].name);
}

static bool ref_compare(Op op, long double a, long double b)
{
	switch ((int)op) {
	case OP_EQ:
		return a == b;
	case OP_NE:
		return a != b;
	case OP_LT:
		return a < b;
	case OP_LE:
		return a <= b;
	case OP_GT:
		return a > b;
	case OP_GE:
		return a >= b;
	}
	bug("no reference of %s", op_info[op].name);
}

static Val ref_cast(DType from, DType to, Val x)
{
	int w = dtype_info[to].precision;
	bool s = is_signed(to);
	long double f = x.f;
	Val r = {0};

	if (dtype_info[from].cls == DTC_I || dtype_info[from].cls == DTC_B)
		f = x.i;
	else if (dtype_info[from].cls == DTC_U)
		f = (uint64_t)x.i;
	if (dtype_is_float(to))
		r.f = fmt_round(to, f, 0);
	else if (to == DT_BOOL)
		r.i = f != 0;
	else if (!dtype_is_float(from))
		r.i = wrap(to, (uint64_t)x.i);
	else if (isnan(f))
		r.i = 0;
	else if (truncl(f) >= ldexpl(1, w))
		r.i = wrap(to, s ? (UINT64_C(1) << w) - 1 : UINT64_MAX);
	else if (truncl(f) <= (s ? -ldexpl(1, w) : 0))
		r.i = s ? wrap(to, UINT64_C(1) << w) : 0;
	else
		r.i = s ? (int64_t)f : wrap(to, (uint64_t)f);
	return r;
}

/* Distance in units of the last place of d at ref. */
static double ulp_error(DType d, long double got, long double ref)
{
	int e;
	long double top = fmt_max(d);

	if (isnan(got) || isnan(ref))
		return isnan(got) && isnan(ref) ? 0 : INFINITY;
	if (got == ref)
		return signbit(got) == signbit(ref) || ref != 0 ? 0 : INFINITY;
	/* beyond the largest value: infinity stands for the next one */
	(void)frexpl(fabsl(ref) < top ? ref : top, &e);
	e -= dtype_info[d].precision;
	e = e < fmt_emin(d) ? fmt_emin(d) : e;
	if (isinf(got))
		got = copysignl(top + ldexpl(1, e), got);
	if (fabsl(ref) > top)
		ref = copysignl(top + ldexpl(1, e), ref);
	return (double)ldexpl(fabsl(got - ref), -e);
}

/* Whether got is right for element operands x of a case. */
static bool judge(const Case *c, const Val *x, Val got, bool *fault)
{
	long double f[3] = {x[0].f, x[1].f, x[2].f}, ref, u;
	bool rough = false;
	int64_t n;

	if (c->op == OP_WHERE)
		return memcmp(&got, x[0].i ? &x[1] : &x[2], sizeof(Val)) == 0 ||
		       (isnan(got.f) && isnan(x[0].i ? x[1].f : x[2].f));
	if (c->op == OP_CAST) {
		Val r = ref_cast(c->d, c->to, x[0]);

		if (!dtype_is_float(c->to))
			return r.i == got.i;
		return ulp_error(c->to, got.f, r.f) == 0;
	}
	if (!dtype_is_float(c->d)) {
		*fault = !ref_int(c->op, c->d, x[0].i, x[1].i, &n);
		return got.i == n;
	}
	if (c->to == DT_BOOL)
		return got.i == ref_compare(c->op, f[0], f[1]);
	if (op_info[c->op].ulp == 0) {
		ref = ref_float(c->op, c->d, f, &rough);
		if (rough && isfinite(ref))
			return fabsl(got.f - ref) <=
			       1 + ldexpl(fabsl(ref),
					  1 - dtype_info[c->d].precision);
		return ulp_error(c->to, got.f, ref) == 0;
	}
	ref = ref_function(c->op, f[0], f[1]);
	if (c->d == DT_F32 || c->d == DT_F64)
		return ulp_error(c->d, got.f, ref) <= op_info[c->op].ulp;
	if (!isfinite(ref) || ref == 0)
		return ulp_error(c->d, got.f, ref) == 0;
	u = ldexpl(fabsl(ref), -22) + 0x1p-148L; /* at least 2 ulp of f32 */
	return got.f >= fmt_round(c->d, ref - u, 0) &&
	       got.f <= fmt_round(c->d, ref + u, 0);
}

/* ---- data ------------------------------------------------------------ */

static uint64_t rng = 1;

static uint64_t random_bits(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng * UINT64_C(0x2545f4914f6cdd1d);
}

/* Operand k of each dtype, MAX_N elements; small: exponents of POW. */
static char *data[3][DT_COUNT], *small[DT_COUNT];

static size_t specials(DType d, uint64_t *out)
{
	int w = dtype_info[d].bytes * 8, m = dtype_info[d].precision - 1;
	uint64_t sign = UINT64_C(1) << (w - 1);
	uint64_t inf = sign - (UINT64_C(1) << m), one;
	size_t n = 0;

	if (!dtype_is_float(d)) {
		const int64_t list[] = {0,   1,   2,  3,  5,  7,  8,  15,
					16,  17,  31, 32, 33, 63, 64, 65,
					100, 127, -1, -2, -3, -7, -8, -64};

		for (size_t i = 0; i < ARRAY_LEN(list); i++)
			out[n++] = (uint64_t)list[i];
		out[n++] = sign;
		out[n++] = sign - 1;
		out[n++] = sign + 1;
		out[n++] = sign >> 1;
		return n;
	}
	one = (inf >> 1) & ~((UINT64_C(1) << m) - 1);
	if (d != DT_F64 && d != DT_F32 && d != DT_BF16 && d != DT_F16)
		return 0;
	{
		const uint64_t half = UINT64_C(1) << (m - 1);
		const uint64_t list[] = {
			0,
			1,
			2,
			3,
			half,
			2 * half - 1,
			2 * half,
			2 * half + 1,
			one,
			one - 1,
			one + 1,
			one + half,
			one - 2 * half,
			one + 2 * half,
			one + 3 * half,
			one + 2 * half + half / 2,
			one + 1 + half,
			one + 10 * half,
			one + 19 * half,
			inf,
			inf - 1,
			inf - half,
			inf | half,
		};

		for (size_t i = 0; i < ARRAY_LEN(list); i++) {
			out[n++] = list[i];
			out[n++] = list[i] | sign;
		}
	}
	return n;
}

/* Any bits; or a float of moderate size with few digits. */
static uint64_t random_value(DType d)
{
	uint64_t r = random_bits();
	int w = dtype_info[d].bytes * 8, m = dtype_info[d].precision - 1;
	uint64_t sign = UINT64_C(1) << (w - 1);
	uint64_t inf = sign - (UINT64_C(1) << m);
	uint64_t one = (inf >> 1) & ~((UINT64_C(1) << m) - 1);

	if (d == DT_BOOL)
		return r & 1;
	if (!dtype_is_float(d)) /* of any magnitude */
		return (uint64_t)((int64_t)r >> (random_bits() % (unsigned)w));
	if (random_bits() % 2)
		return r;
	r = one + (r % 16 << m) - (UINT64_C(8) << m) +
	    (r >> 8 & ((UINT64_C(1) << m) - 1));
	if (random_bits() % 4 == 0)
		r &= ~((UINT64_C(1) << (m - 3)) - 1);
	return r | (random_bits() % 2 ? sign : 0);
}

static void put_value(char *p, DType d, size_t i, uint64_t v)
{
	size_t b = (size_t)dtype_info[d].bytes;

	memcpy(p + i * b, &v, b);
}

static void make_data(void)
{
	for (int i = 0; i < DT_COUNT; i++) {
		DType d = (DType)i;
		uint64_t s[64];
		size_t n = d == DT_BOOL ? 0 : specials(d, s);

		for (int k = 0; k < 3; k++) {
			char *p = malloc(MAX_N * 8);

			data[k][d] = p;
			for (size_t j = 0; j < MAX_N; j++)
				put_value(p, d, j, random_value(d));
			/* all pairs of specials */
			for (size_t j = 0; n && j < n * n; j++)
				put_value(p, d, j,
					  s[k == 0   ? j % n
					    : k == 1 ? j / n
						     : (j * 7 + j / n) % n]);
		}
		small[d] = malloc(MAX_N * 8);
		for (size_t j = 0; j < MAX_N; j++)
			put_value(small[d], d, j,
				  random_bits() % 40 - (is_signed(d) ? 2 : 0));
	}
	/* 16-bit unary cases see every value */
	for (int i = 0; i < DT_COUNT; i++)
		for (size_t j = 0; dtype_info[i].bytes <= 2 && j < MAX_N; j++)
			if (i != DT_BOOL)
				put_value(data[2][i], (DType)i, j, j);
}

/* ---- the comparisons ------------------------------------------------- */

static Fn *variant_fn(const Variant *v, const char *x, int i)
{
	char name[32];
	void *p;
	Fn *fn;

	snprintf(name, sizeof(name), "f%d_%s", i, x);
	p = dlsym(v->handle, name);
	memcpy(&fn, &p, sizeof(fn));
	return fn;
}

/* Bits of element i, all NaN alike. */
static uint64_t bits_of(DType d, const char *p, size_t i)
{
	size_t b = (size_t)dtype_info[d].bytes;
	uint64_t r = 0;

	if (dtype_is_float(d) && isnan(val_get(d, p + i * b).f))
		return UINT64_MAX;
	memcpy(&r, p + i * b, b);
	return r;
}

static void case_inputs(const Case *c, const char *in[3], int64_t *n)
{
	*n = N;
	for (int k = 0; k < c->arity; k++)
		in[k] = data[k][operand(c, k)];
	if (c->op == OP_POW && !dtype_is_float(c->d))
		in[1] = small[c->d];
	if (c->arity == 1 && dtype_info[c->d].bytes == 2) {
		*n = MAX_N;
		in[0] = data[2][c->d];
	}
}

static void show(const Case *c, const char *const *in, const char *out,
		 int64_t i, const char *what)
{
	printf("%s of %s: element %ld:", what, c->name, (long)i);
	for (int k = 0; k < c->arity; k++) {
		DType d = operand(c, k);
		Val v = val_get(d, in[k] + i * dtype_info[d].bytes);

		printf(dtype_is_float(d) ? " %.21Lg" : " %.0Lf%ld", v.f,
		       (long)v.i);
	}
	printf(" -> %.21Lg %ld\n",
	       val_get(c->to, out + i * dtype_info[c->to].bytes).f,
	       (long)val_get(c->to, out + i * dtype_info[c->to].bytes).i);
}

/* One case in one form against the reference or, later, the first form. */
static bool check_case(const Variant *v, const char *x, int i, char *out,
		       const char *first)
{
	const Case *c = &cases[i];
	const char *in[3] = {0};
	int64_t n, fault = -1;
	TnStatus st = {0};
	Fn *fn = variant_fn(v, x, i);

	if (!fn)
		return c->faults && x[0] != 's';
	case_inputs(c, in, &n);
	fn(in, out, n, &st);
	for (int64_t k = 0; k < n; k++) {
		Val a[3] = {0}, got;
		bool fails = false;

		if (first) {
			if (bits_of(c->to, out, (size_t)k) ==
			    bits_of(c->to, first, (size_t)k))
				continue;
			show(c, in, first, k, "first form");
			show(c, in, out, k, x);
			printf("(%s %s)\n", v->cc, v->isa);
			return false;
		}
		for (int o = 0; o < c->arity; o++)
			a[o] = val_get(
				operand(c, o),
				in[o] + k * dtype_info[operand(c, o)].bytes);
		got = val_get(c->to, out + k * dtype_info[c->to].bytes);
		if (!judge(c, a, got, &fails)) {
			show(c, in, out, k, "wrong result");
			return false;
		}
		if (fails && fault < 0)
			fault = k;
	}
	if (!first && fault >= 0 &&
	    !(st.code == (c->op == OP_POW ? TN_FAULT_EXPONENT
					  : TN_FAULT_DIVISION) &&
	      st.value == 7 && st.index == fault)) {
		printf("%s: fault %d at %ld, not %ld\n", c->name, (int)st.code,
		       (long)st.index, (long)fault);
		return false;
	}
	return first || fault >= 0 || st.code == 0;
}

static bool variant_ready(Variant *v)
{
	int status;

	if (v->pid > 0 && waitpid(v->pid, &status, 0) == v->pid) {
		v->pid = 0;
		if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
			return false; /* no such compiler */
		if (CHECK(status == 0))
			v->handle = dlopen(v->path, RTLD_NOW | RTLD_LOCAL);
	}
	return v->handle != NULL;
}

static char *first_out[ARRAY_LEN(cases)];

static void reference(void)
{
	Variant *v = &variants[0];

	if (!variant_ready(v))
		SKIP("no gcc");
	for (int i = 0; i < ncases; i++) {
		first_out[i] = malloc(MAX_N * 8);
		CHECK(check_case(v, "s", i, first_out[i], NULL));
	}
}

static void same_bits(void)
{
	char *out = malloc(MAX_N * 8);

	for (size_t k = 0; k < ARRAY_LEN(variants); k++) {
		Variant *v = &variants[k];

		if (!host_runs(v->isa) || !variant_ready(v)) {
			printf("left out: %s %s\n", v->cc, v->isa);
			continue;
		}
		for (int f = 0; f < 4 && v->forms[f]; f++)
			for (int i = 0; i < ncases; i++)
				if (variant_has(v, &cases[i]))
					CHECK(check_case(v, v->forms[f], i, out,
							 first_out[i]));
	}
	free(out);
}

static void accuracy(void)
{
	Variant *v = &variants[0];
	size_t n = ACCURACY_N / 64 * 64;
	char *a = malloc(n * 8), *b = malloc(n * 8), *out = malloc(n * 8);
	const char *in[2] = {a, b};

	for (size_t k = 0; k < ARRAY_LEN(variants); k++)
		if (variants[k].handle &&
		    strlen(variants[k].isa) >= strlen(v->isa))
			v = &variants[k];
	if (!v->handle)
		SKIP("no gcc");
	for (int i = 0; i < ncases; i++) {
		const Case *c = &cases[i];
		bool wide = c->d == DT_F64;
		size_t m = wide ? n / 16 : n;
		double worst = 0;

		if (op_info[c->op].ulp == 0 || (!wide && c->d != DT_F32))
			continue;
		for (size_t j = 0; j < m; j++) {
			put_value(a, c->d, j, random_value(c->d));
			put_value(b, c->d, j, random_value(c->d));
		}
		variant_fn(v, v->forms[0], i)(in, out, (int64_t)m, NULL);
		for (size_t j = 0; j < m; j++) {
			size_t w = (size_t)dtype_info[c->d].bytes;
			long double x = val_get(c->d, a + j * w).f;
			long double y = val_get(c->d, b + j * w).f;
			double e = ulp_error(c->d, val_get(c->d, out + j * w).f,
					     ref_function(c->op, x, y));

			if (e > worst)
				worst = e;
		}
		printf("%s %.3f ulp\n", c->name, worst);
		CHECK(worst <= op_info[c->op].ulp);
	}
	free(a);
	free(b);
	free(out);
}

/*
 * Quotients whose bits repeat the dividend's: with b = 2^53 - 1 those of a
 * come twice, so that the second half starts at the rounding bit. With few
 * integer bits the floor makes it a tie, and the ceiling (of a negative
 * quotient) more than that; with many, what follows breaks the tie.
 */
static void long_quotients(void)
{
	static const struct {
		double a, b, want;
	} rows[] = {
		{0x10000000000002p60, 0x1fffffffffffffp0, 0x10000000000002p7},
		{-0x10000000000002p60, 0x1fffffffffffffp0, -0x10000000000003p7},
		{0x10000000000002p600, 0x1fffffffffffffp0,
		 0x10000000000003p547},
		{0x10000000000002p600, -0x1fffffffffffffp0,
		 -0x10000000000003p547},
		{0x10000000000002p100, 0x1fffffffffffffp0, 0x10000000000002p47},
		{0x10000000000002p105, 0x1fffffffffffffp0, 0x10000000000003p52},
		{0x1p1023, -0x1p-1074, -INFINITY},
		{-0x1p-1074, 0x1p1023, -1},
		{-1, INFINITY, -0.0},
	};
	int i = 0;

	if (!variants[0].handle)
		SKIP("no gcc");
	while (cases[i].op != OP_FLOORDIV || cases[i].d != DT_F64)
		i++;
	for (size_t k = 0; k < ARRAY_LEN(rows); k++) {
		double out;
		const char *in[2] = {(const char *)&rows[k].a,
				     (const char *)&rows[k].b};

		variant_fn(&variants[0], "s", i)(in, (char *)&out, 1, NULL);
		if (!CHECK(memcmp(&out, &rows[k].want, sizeof(out)) == 0))
			printf("%a // %a = %a\n", rows[k].a, rows[k].b, out);
	}
}

/* ---- the ABI --------------------------------------------------------- */

/* The words of C text without comments and preprocessor lines. */
static char *words(const char *s)
{
	Buf b;

	buf_init(&b, &arena);
	while (*s) {
		if (s[0] == '/' && s[1] == '*') {
			s = strstr(s, "*/") + 2;
		} else if (*s == '#') {
			s += strcspn(s, "\n");
		} else if (*s == ' ' || *s == '\t' || *s == '\n') {
			s++;
		} else {
			buf_putc(&b, *s++);
		}
	}
	return b.p;
}

static void abi(void)
{
	Ctx ctx;
	Buf text;
	char *header, *printed;
	size_t len;

	buf_init(&text, &arena);
	cfuncs_print(cfuncs_new(&arena), &text);
	printed = strstr(buf_str(&text), "typedef struct TnStatus");
	ctx_init(&ctx);
	if (CHECK(file_read(&ctx, &arena, "src/runtime/abi.h", &header,
			    &len)) &&
	    CHECK(printed != NULL))
		CHECK_STR(words(printed), words(header));
	ctx_release(&ctx);
}

static void unknown_names(void)
{
	CHECK(cfuncs_has("tn_f16_v16"));
	CHECK(cfuncs_has("tn_index"));
	CHECK(!cfuncs_has("tn_round_f32_s"));
	CHECK(!cfuncs_has("tn_add_f32_v3"));
	CHECK(!cfuncs_has("tn_add_f32_v128"));
	CHECK(!cfuncs_has("tn_add_f32"));
	CHECK(!cfuncs_has("tn_add_bool_s"));
	CHECK(!cfuncs_has("tn_cast_f32_s"));
	CHECK(!cfuncs_has("tn_floordiv_i32_v4"));
	CHECK(!cfuncs_has("add_f32_s"));
	CHECK_STR(cfuncs_op(OP_ROUND), "rint");
	CHECK_STR(cfuncs_op(OP_ADD), "add");
}

/* ---- run ------------------------------------------------------------- */

static void remove_files(const char *dir)
{
	char src[300];

	for (size_t i = 0; i < ARRAY_LEN(variants); i++) {
		snprintf(src, sizeof(src), "%s/v%zu.c", dir, i);
		unlink(src);
		unlink(variants[i].path);
	}
	rmdir(dir);
}

int main(int argc, char **argv)
{
	static const TestCase tests[] = {TEST(abi), TEST(unknown_names),
					 TEST(reference), TEST(same_bits),
					 TEST(accuracy),
					 TEST(long_quotients)};
	char dir[] = "/tmp/tenon-cfuncs-XXXXXX";
	int status;

	arena_init(&arena);
	list_cases();
	if (!mkdtemp(dir))
		return 3;
	for (size_t i = 0; i < ARRAY_LEN(variants); i++)
		if (host_runs(variants[i].isa))
			variant_start(&variants[i], dir);
	make_data();
	status = test_main(argc, argv, tests, ARRAY_LEN(tests));
	for (size_t i = 0; i < ARRAY_LEN(variants); i++)
		(void)variant_ready(&variants[i]);
	remove_files(dir);
	return status;
}
