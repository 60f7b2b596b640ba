/*
 * cfuncs_ref: what the functions of the vector machine must give, told apart
 * from how they do it: floats in long double, rounded here, and integers in
 * 64 bits.
 */
#ifndef TENON_CFUNCS_REF_H
#define TENON_CFUNCS_REF_H

#include <math.h>
#include <string.h>

#include "ir/program.h"

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
		return !signbit(got) == !signbit(ref) || ref != 0 ? 0
								  : INFINITY;
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

#endif
