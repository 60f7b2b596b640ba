/*
 * point: the correctly rounded value of an elementwise op on floats.
 *
 * For f32 and narrower dtypes + - * / and sqrt are computed in double and
 * rounded once more, which gives the correctly rounded result because 53 >=
 * 2*24 + 2 (Figueroa, When is double rounding innocuous?, 1995; Handbook of
 * Floating-Point Arithmetic §3.1.2); sums and products of subnormals are
 * exact in double. f64 uses the machine's operations, which IEEE 754 rounds
 * correctly. fma, floor division and modulo need care of their own below.
 */
#include "oracle/eval.h"

/* max and min of IEEE 754-2019 §9.6: NaN if either is, -0 below +0. */
static double maximum(double a, double b)
{
	return isnan(a) ? a : isnan(b) ? b : greatest(a, b);
}

static double minimum(double a, double b)
{
	return isnan(a) ? a : isnan(b) ? b : least(a, b);
}

static double fma_round(DType d, double a, double b, double c)
{
	if (d == DT_F64)
		return fma(a, b, c);
	/* The product of two 24-bit significands is exact in double. */
	double p = a * b, s, e;
	if (!isfinite(p) || !isfinite(c))
		return p + c;
	two_sum(p, c, &s, &e);
	return fmt_round2(d, s, e);
}

/* a - b*floor(a/b): fmod is exact; b is added where the signs differ. */
static double modulo(DType d, double a, double b)
{
	double r = fmod(a, b);
	if (isnan(r))
		return r;
	if (r == 0)
		return copysign(0, b);
	if ((r < 0) != (b < 0))
		return fmt_round(d, r + b);
	return r;
}

/*
 * The floor of the exact quotient of finite a and b, |a/b| beyond what one
 * double division settles: restoring division on the significands, a bit at
 * a time, keeping 62 leading bits of the integer part and whether any bit
 * after them is set.
 */
static double floor_quotient_long(DType d, double a, double b)
{
	int ea, eb;
	uint64_t ma = (uint64_t)ldexp(frexp(fabs(a), &ea), 53);
	uint64_t mb = (uint64_t)ldexp(frexp(fabs(b), &eb), 53);
	bool negative = (a < 0) != (b < 0);
	int steps = ea - eb; /* bits of the integer part after the first */
	uint64_t q = ma >= mb, r = ma - (q ? mb : 0);
	int dropped = 0;
	bool sticky = false, ones = true; /* of the bits dropped */
	for (int i = 0; i < steps; i++) {
		r <<= 1;
		unsigned bit = r >= mb;
		r -= bit ? mb : 0;
		if (q >> 61) {
			dropped++;
			sticky |= bit != 0;
			ones &= bit != 0;
		} else {
			q = q << 1 | bit;
		}
	}
	if (negative && r) { /* towards -inf: one more in magnitude */
		if (dropped == 0 || ones) {
			q++;
			sticky = false;
		} else {
			sticky = true;
		}
	}
	double hi = (double)(q >> 31) * 0x1p31;
	double lo = (double)(q & 0x7fffffff) + (sticky ? 0.5 : 0);
	double s, e;
	two_sum(hi, lo, &s, &e);
	/* dropped is below 2100; the scaling is exact or overflows. */
	double v;
	if (d == DT_F64) {
		v = ldexp(s + e, dropped);
	} else {
		Fmt f = fmt_info[d];
		v = fmt_round2(d, s, e); /* |s| < 2^63 fits f32, bf16 */
		if (d == DT_F16)
			v = s;
		v = ldexp(v, dropped);
		if (v > f.max)
			v = INFINITY;
		v = fmt_round(d, v);
	}
	return negative ? -v : v;
}

static double floor_quotient(DType d, double a, double b)
{
	double q = a / b;
	if (!isfinite(a) || !isfinite(b) || b == 0 || a == 0)
		return fmt_round(d, floor(q));
	if (!(fabs(q) < 0x1p52) || fabs(a) < 0x1p-900 || fabs(b) < 0x1p-900)
		return isfinite(q) && fabs(q) < 1
			       ? fmt_round(d, (a < 0) != (b < 0) ? -1 : 0)
			       : floor_quotient_long(d, a, b);
	double n = rint(q); /* floor is n or n - 1 or n + 1 */
	double r = fma(-n, b, a);
	if (r != 0 && (r < 0) != (b < 0))
		n -= 1;
	else if (fabs(r) >= fabs(b))
		n += 1;
	if (n == 0)
		n = copysign(0, q);
	return fmt_round(d, n);
}

static double sign(double x)
{
	return x > 0 ? 1 : x < 0 ? -1 : x;
}

/* relu and the like compare with literals, so operands may be equal. */
void point_float(Op op, DType d, const Num *const in[3], int64_t n, Num *out)
{
	const Num *a = in[0], *b = in[1], *c = in[2];
#define EACH(expr)                                                             \
	for (int64_t i = 0; i < n; i++)                                        \
		out[i].f = (expr);                                             \
	return
	switch ((int)op) {
	case OP_NEG:
		EACH(-a[i].f);
	case OP_ABS:
		EACH(fabs(a[i].f));
	case OP_SIGN:
		EACH(sign(a[i].f));
	case OP_FLOOR:
		EACH(floor(a[i].f));
	case OP_CEIL:
		EACH(ceil(a[i].f));
	case OP_ROUND:
		EACH(rint(a[i].f));
	case OP_SQRT:
		EACH(fmt_round(d, sqrt(a[i].f)));
	case OP_RSQRT:
	case OP_EXP:
	case OP_EXPM1:
	case OP_LOG:
	case OP_LOG1P:
	case OP_TANH:
	case OP_ERF:
	case OP_SIN:
	case OP_COS:
		EACH(function_point(op, d, a[i].f, 0));
	case OP_POW:
		EACH(function_point(op, d, a[i].f, b[i].f));
	case OP_ADD:
		EACH(fmt_round(d, a[i].f + b[i].f));
	case OP_SUB:
		EACH(fmt_round(d, a[i].f - b[i].f));
	case OP_MUL:
		EACH(fmt_round(d, a[i].f * b[i].f));
	case OP_DIV:
		EACH(fmt_round(d, a[i].f / b[i].f));
	case OP_FLOORDIV:
		EACH(floor_quotient(d, a[i].f, b[i].f));
	case OP_MOD:
		EACH(modulo(d, a[i].f, b[i].f));
	case OP_MAXIMUM:
		EACH(maximum(a[i].f, b[i].f));
	case OP_MINIMUM:
		EACH(minimum(a[i].f, b[i].f));
	case OP_FMA:
		EACH(fma_round(d, a[i].f, b[i].f, c[i].f));
	}
#undef EACH
	bug("%s is no elementwise op on floats", op_info[op].name);
}

/* To an integer: toward zero, saturating, NaN to 0. */
static int64_t to_int(DType to, double x)
{
	if (to == DT_BOOL)
		return x != 0; /* NaN is not 0 */
	if (isnan(x))
		return 0;
	x = trunc(x);
	if (dtype_info[to].cls == DTC_U) {
		if (x <= 0)
			return 0;
		if (x >= ldexp(1, dtype_info[to].precision))
			return int_max(to);
		return (int64_t)(uint64_t)x;
	}
	double top = ldexp(1, dtype_info[to].precision);
	if (x >= top)
		return int_max(to);
	return x < -top ? int_min(to) : (int64_t)x;
}

Num point_cast(DType from, DType to, Num x)
{
	Num r;
	if (dtype_is_float(from)) {
		if (dtype_is_float(to))
			r.f = fmt_round(to, x.f);
		else
			r.i = to_int(to, x.f);
	} else if (dtype_is_float(to)) {
		r.f = fmt_from_int(to, x.i, from == DT_U64);
	} else {
		r.i = to == DT_BOOL ? x.i != 0 : int_wrap(to, x.i);
	}
	return r;
}

static bool int_below(DType d, int64_t a, int64_t b)
{
	return d == DT_U64 ? (uint64_t)a < (uint64_t)b : a < b;
}

Num point_compare(Op op, DType d, Num a, Num b)
{
	bool lt, eq, unordered = false;
	if (dtype_is_float(d)) {
		lt = a.f < b.f;
		eq = a.f == b.f;
		unordered = isnan(a.f) || isnan(b.f);
	} else {
		lt = int_below(d, a.i, b.i);
		eq = a.i == b.i;
	}
	Num r = {.i = 0};
	switch ((int)op) {
	case OP_EQ:
		r.i = eq;
		return r;
	case OP_NE:
		r.i = !eq;
		return r;
	case OP_LT:
		r.i = lt;
		return r;
	case OP_LE:
		r.i = lt || eq;
		return r;
	case OP_GT:
		r.i = !lt && !eq && !unordered;
		return r;
	case OP_GE:
		r.i = !lt && !unordered;
		return r;
	}
	bug("%s compares nothing", op_info[op].name);
}
