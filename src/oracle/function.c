/*
 * function: elementary functions, their true values and what 2 ulp admits.
 *
 * The true value comes from the C library one precision up: double for f32
 * and the 16-bit dtypes, long double for f64, each within 1 ulp of its own
 * precision, which widens the bound by 2^-11 ulp or less. A legal result is
 * an f32 (f64) value within 2 ulp of the true value, the ulp being that of
 * the true value; for 16-bit dtypes it is then rounded once more. At +-0,
 * infinities and NaN a result that is 0, infinite or NaN is exact, as C17
 * Annex F and IEEE 754-2019 §9.2.1 list them; finite nonzero ones, exp(0) =
 * 1 among them, keep their 2 ulp. exp and rsqrt stay >= 0, and functions
 * through the origin keep the sign of their operand. Values just outside
 * the mathematical range (tanh x > 1) within 2 ulp are admitted.
 */
#include "oracle/eval.h"

#define PI_L 3.14159265358979323846264338327950288L

static long double true_value(Op op, bool wide, double x, double y)
{
	long double w = x;
	/* In double unless the dtype is f64: the library is faster there. */
#define BOTH(f, fl) return wide ? fl(w) : (long double)f(x)
	switch ((int)op) {
	case OP_RSQRT:
		return x == 0 ? 1 / w : 1 / sqrtl(w);
	case OP_EXP:
		BOTH(exp, expl);
	case OP_EXPM1:
		BOTH(expm1, expm1l);
	case OP_LOG:
		BOTH(log, logl);
	case OP_LOG1P:
		BOTH(log1p, log1pl);
	case OP_TANH:
		BOTH(tanh, tanhl);
	case OP_ERF:
		BOTH(erf, erfl);
	case OP_SIN:
		BOTH(sin, sinl);
	case OP_COS:
		BOTH(cos, cosl);
	case OP_POW:
		return wide ? powl(w, y) : (long double)pow(x, y);
	}
#undef BOTH
	bug("%s is no elementary function", op_info[op].name);
}

/* The dtype whose ulp the bound counts. */
static DType work_dtype(DType d)
{
	return d == DT_F64 ? DT_F64 : DT_F32;
}

static long double ulp_at(DType w, long double t)
{
	long double a = fabsl(t);
	const Fmt *f = &fmt_info[w];
	if (a >= f->max)
		return ldexpl(1, f->emax - f->p + 1);
	int e = f->emin;
	if (a >= ldexpl(1, e))
		e = ilogbl(a);
	return ldexpl(1, e - f->p + 1);
}

/* The nearest value of w on the inner side of a bound. */
static double inner(DType w, long double b, bool up)
{
	const Fmt *f = &fmt_info[w];
	long double top = (long double)f->max + ulp_at(w, f->max) / 2;
	if (b >= top)
		return INFINITY;
	if (b <= -top)
		return -INFINITY;
	if (fabsl(b) > f->max) {
		/* Between the largest value and where rounding overflows. */
		bool outward = up == (b > 0);
		return copysign(outward ? INFINITY : f->max, (double)b);
	}
	double r = fmt_round(w, (double)b);
	if (up && r < b)
		r = fmt_next(w, r);
	if (!up && r > b)
		r = fmt_prev(w, r);
	return r;
}

double function_point(Op op, DType d, double x, double y)
{
	long double t = true_value(op, d == DT_F64, x, y);
	if (d == DT_F64)
		return (double)t;
	return fmt_round(d, (double)t);
}

static bool special(double x)
{
	return x == 0 || !isfinite(x);
}

/* What is legal at one operand. */
static Ival at(Op op, DType d, double x, double y)
{
	long double t = true_value(op, d == DT_F64, x, y);
	Ival r = {.lo.f = (double)t, .hi.f = (double)t};
	bool exact = special(x) && (op != OP_POW || special(y) || y == 1);
	if (isnan(t) || (exact && (t == 0 || isinf(t))))
		return r;
	DType w = work_dtype(d);
	long double u = 2 * ulp_at(w, t) * (1 + 0x1p-40L);
	u += fabsl(t) * (d == DT_F64 ? 0x1p-62L : 0x1p-51L);
	double lo = inner(w, t - u, true), hi = inner(w, t + u, false);
	if (isinf(t))
		lo = t < 0 ? -INFINITY : inner(w, (long double)INFINITY, true),
		hi = t < 0 ? -INFINITY : INFINITY;
	bool nonneg = op == OP_EXP || op == OP_RSQRT ||
		      (op == OP_POW && (x > 0 || t > 0));
	bool through_0 = op == OP_EXPM1 || op == OP_LOG1P || op == OP_TANH ||
			 op == OP_ERF || (op == OP_SIN && fabs(x) < 1);
	if (nonneg || (through_0 && !signbit(x)))
		lo = greatest(lo, 0.0);
	if (through_0 && signbit(x))
		hi = least(hi, -0.0);
	r.lo.f = fmt_round(d, lo);
	r.hi.f = fmt_round(d, hi);
	return r;
}

static Ival hull2(Ival a, Ival b)
{
	Ival r = {.flags = a.flags | b.flags};
	if (isnan(a.lo.f) && isnan(b.lo.f))
		return a;
	if (isnan(a.lo.f) || isnan(b.lo.f)) {
		Ival k = isnan(a.lo.f) ? b : a;
		k.flags |= FL_NAN | FL_UNDECIDED;
		return k;
	}
	r.lo.f = least(a.lo.f, b.lo.f);
	r.hi.f = greatest(a.hi.f, b.hi.f);
	return r;
}

/*
 * sin and cos turn at odd multiples of pi/2 and at multiples of pi. Whether
 * an end lies before or after a turn is told to 2^-60 of the end; where that
 * does not settle it, the turn counts as inside.
 */
static Ival wave(Op op, DType d, double lo, double hi)
{
	if (!isfinite(lo) || !isfinite(hi)) {
		Ival one = at(OP_COS, d, 0, 0);
		one.lo.f = -one.hi.f;
		one.flags = FL_NAN | FL_UNDECIDED;
		return one;
	}
	Ival r = hull2(at(op, d, lo, 0), at(op, d, hi, 0));
	long double first = op == OP_SIN ? 0.5L : 0; /* a maximum, in pi */
	long double slack = 0x1p-60L;
	long double a = lo / PI_L - first, b = hi / PI_L - first;
	long double ka = ceill(a - fabsl(a) * slack - slack);
	long double kb = floorl(b + fabsl(b) * slack + slack);
	double top = at(OP_COS, d, 0, 0).hi.f;
	if (kb - ka >= 1) {
		r.lo.f = -top;
		r.hi.f = top;
	} else if (kb >= ka) {
		if (fmodl(ka, 2) == 0)
			r.hi.f = top;
		else
			r.lo.f = -top;
	}
	return r;
}

/* x^y over a box: monotone in each operand where x > 0. */
static Ival power(DType d, Ival x, Ival y)
{
	bool point = x.lo.i == x.hi.i && y.lo.i == y.hi.i;
	if (point)
		return at(OP_POW, d, x.lo.f, y.lo.f);
	if (x.lo.f > 0) {
		Ival a = hull2(at(OP_POW, d, x.lo.f, y.lo.f),
			       at(OP_POW, d, x.lo.f, y.hi.f));
		Ival b = hull2(at(OP_POW, d, x.hi.f, y.lo.f),
			       at(OP_POW, d, x.hi.f, y.hi.f));
		Ival r = hull2(a, b);
		/* 1^y and x^0 may lie inside. */
		if (x.lo.f <= 1 && x.hi.f >= 1)
			r = hull2(r, at(OP_POW, d, 1, y.lo.f));
		if (y.lo.f <= 0 && y.hi.f >= 0)
			r = hull2(r, at(OP_POW, d, x.lo.f, 0));
		return r;
	}
	double e = y.lo.f;
	bool whole = y.lo.i == y.hi.i && e == floor(e) && e >= 1;
	if (whole) { /* odd powers rise; even ones have their least at 0 */
		Ival r = hull2(at(OP_POW, d, x.lo.f, e),
			       at(OP_POW, d, x.hi.f, e));
		if (x.lo.f <= 0 && x.hi.f >= 0)
			r = hull2(r, at(OP_POW, d, 0, e));
		return r;
	}
	Ival r = ival_full(d);
	r.flags |= FL_NAN | FL_UNDECIDED;
	return r;
}

Ival function_interval(Op op, DType d, Ival x, Ival y)
{
	uint8_t given = x.flags | y.flags;
	Ival r;
	if (isnan(x.lo.f) || (op == OP_POW && isnan(y.lo.f))) {
		r = at(op, d, x.lo.f, y.lo.f); /* pow(1, NaN) = 1 */
		if (op == OP_POW && !isnan(r.lo.f) &&
		    (x.lo.i != x.hi.i || y.lo.i != y.hi.i))
			given |= FL_NAN | FL_UNDECIDED;
	} else if (op == OP_POW) {
		r = power(d, x, y);
	} else if (x.lo.i == x.hi.i) {
		r = at(op, d, x.lo.f, 0);
	} else if (op == OP_SIN || op == OP_COS) {
		r = wave(op, d, x.lo.f, x.hi.f);
	} else if (op == OP_RSQRT && x.lo.f <= 0) {
		/* A pole inside: from the least value up, -inf for -0. */
		bool minus = signbit(x.lo.f) && x.lo.f <= 0;
		r = at(op, d, x.hi.f > 0 ? x.hi.f : 0, 0);
		r.hi.f = INFINITY;
		if (minus && x.hi.f >= 0)
			r.lo.f = -INFINITY;
		r.flags |= FL_UNDECIDED;
		if (x.lo.f < 0)
			r.flags |= FL_NAN;
		if (x.hi.f < 0)
			r.lo.f = r.hi.f = NAN;
	} else { /* falling: the pole-free rsqrt; all others rise */
		Ival a = at(op, d, x.lo.f, 0), b = at(op, d, x.hi.f, 0);
		r = hull2(a, b);
		if (isnan(a.lo.f) && !isnan(b.lo.f)) {
			/* log below 0: the domain's edge lies inside */
			r.lo.f = -INFINITY;
			r.flags |= FL_UNDECIDED;
		}
	}
	r.flags |= given;
	return r;
}
