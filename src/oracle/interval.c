/*
 * interval: the interval of an elementwise op on floats.
 *
 * + - and fma of ends, sqrt, max, min, floor and conversions are monotone
 * and rounding is too, so that rounded ends of the exact result enclose
 * every legal result and are reached (IEEE 754-2019 §4.3; Moore, Interval
 * Analysis). Products and quotients take the least and greatest corner. A
 * divisor that holds 0, a comparison of overlapping intervals, a choice
 * between two arms and a conversion to an integer whose ends differ are
 * undecided: the interval is the hull of what may come, and the element is
 * marked. NaN is a point where it is certain and a flag where it is merely
 * possible.
 */
#include "oracle/eval.h"

static double one(Op op, DType d, double a, double b, double c)
{
	Num x = {.f = a}, y = {.f = b}, z = {.f = c}, r;
	const Num *const in[3] = {&x, &y, &z};
	point_float(op, d, in, 1, &r);
	return r.f;
}

Ival ival_full(DType d)
{
	Ival r = {.flags = FL_UNDECIDED};
	if (dtype_is_float(d)) {
		r.lo.f = -INFINITY;
		r.hi.f = INFINITY;
	} else {
		r.lo.i = int_min(d);
		r.hi.i = int_max(d);
	}
	return r;
}

static Ival nan_point(void)
{
	Ival r = {.lo.f = NAN, .hi.f = NAN};
	return r;
}

static bool is_point(const Ival *x)
{
	return x->lo.i == x->hi.i;
}

static bool holds_zero(const Ival *x)
{
	return x->lo.f <= 0 && x->hi.f >= 0;
}

static bool holds_inf(const Ival *x)
{
	return isinf(x->lo.f) || isinf(x->hi.f);
}

static void take(Ival *r, double v)
{
	r->lo.f = least(r->lo.f, v);
	r->hi.f = greatest(r->hi.f, v);
}

/* Least and greatest over the corners of a x b (and c's ends). */
static Ival corners(Op op, DType d, const Ival *a, const Ival *b, const Ival *c)
{
	Ival r = {.lo.f = INFINITY, .hi.f = -INFINITY};
	bool invalid = false;
	for (int k = 0; k < 8; k++) {
		if (k >= 4 && !c)
			break;
		double v = one(op, d, k & 1 ? a->hi.f : a->lo.f,
			       k & 2 ? b->hi.f : b->lo.f,
			       !c        ? 0
			       : (k & 4) ? c->hi.f
					 : c->lo.f);
		if (isnan(v))
			invalid = true;
		else
			take(&r, v);
	}
	if (!invalid)
		return r;
	if (is_point(a) && is_point(b) && (!c || is_point(c)))
		return nan_point();
	r = ival_full(d);
	r.flags |= FL_NAN;
	return r;
}

static Ival add(DType d, const Ival *a, const Ival *b)
{
	Ival r = {.flags = 0};
	r.lo.f = fmt_round(d, a->lo.f + b->lo.f);
	r.hi.f = fmt_round(d, a->hi.f + b->hi.f);
	bool opposite = (a->hi.f == INFINITY && b->lo.f == -INFINITY) ||
			(a->lo.f == -INFINITY && b->hi.f == INFINITY);
	if (opposite) {
		if (is_point(a) && is_point(b))
			return nan_point();
		r = ival_full(d);
		r.flags |= FL_NAN;
	}
	return r;
}

static Ival negate(const Ival *a)
{
	Ival r = {.lo.f = -a->hi.f, .hi.f = -a->lo.f, .flags = a->flags};
	return r;
}

static Ival divide(DType d, const Ival *a, const Ival *b)
{
	if (is_point(b) || !holds_zero(b)) {
		Ival r = corners(OP_DIV, d, a, b, NULL);
		/* 0/0 with 0 inside a, and x/0 of either sign */
		if (b->lo.f == 0 && holds_zero(a) && !is_point(a)) {
			r = ival_full(d);
			r.flags |= FL_NAN;
		}
		return r;
	}
	Ival r = ival_full(d);
	if (holds_zero(a) || (holds_inf(a) && holds_inf(b)))
		r.flags |= FL_NAN;
	return r;
}

static Ival floor_div(DType d, const Ival *a, const Ival *b)
{
	if (!is_point(b) && holds_zero(b)) {
		Ival r = divide(d, a, b);
		return r;
	}
	Ival r = corners(OP_FLOORDIV, d, a, b, NULL);
	if (b->lo.f == 0 && holds_zero(a) && !is_point(a)) {
		r = ival_full(d);
		r.flags |= FL_NAN;
	}
	if (r.lo.f != r.hi.f && !isnan(r.lo.f))
		r.flags |= FL_UNDECIDED;
	return r;
}

/* Where the floor of the quotient is one number n, a - b*n at its corners. */
static Ival modulo(DType d, const Ival *a, const Ival *b)
{
	Ival r = {.flags = 0};
	if (is_point(a) && is_point(b)) {
		r.lo.f = r.hi.f = one(OP_MOD, d, a->lo.f, b->lo.f, 0);
		return r;
	}
	bool safe = !holds_zero(b) && !holds_inf(a) && !holds_inf(b);
	Ival q = {.flags = 0};
	if (safe)
		q = floor_div(DT_F64, a, b);
	if (safe && q.lo.f == q.hi.f && fabs(q.lo.f) < 0x1p53) {
		r.lo.f = INFINITY;
		r.hi.f = -INFINITY;
		for (int k = 0; k < 4; k++)
			take(&r, one(OP_MOD, d, k & 1 ? a->hi.f : a->lo.f,
				     k & 2 ? b->hi.f : b->lo.f, 0));
		return r;
	}
	r.flags = FL_UNDECIDED;
	if (!safe)
		r.flags |= FL_NAN;
	double m = greatest(fabs(b->lo.f), fabs(b->hi.f));
	if (isinf(m) || holds_inf(a))
		m = INFINITY;
	r.lo.f = b->lo.f < 0 ? -m : 0;
	r.hi.f = b->hi.f > 0 ? m : -0.0;
	return r;
}

static Ival root(DType d, const Ival *a)
{
	Ival r = {.flags = 0};
	if (a->hi.f < 0)
		return nan_point();
	r.hi.f = fmt_round(d, sqrt(a->hi.f));
	if (a->lo.f < 0) {
		r.lo.f = -0.0;
		r.flags = FL_NAN | FL_UNDECIDED;
	} else {
		r.lo.f = fmt_round(d, sqrt(a->lo.f));
	}
	return r;
}

static Ival absolute(const Ival *a)
{
	if (signbit(a->hi.f))
		return negate(a);
	Ival r = *a;
	if (signbit(a->lo.f)) {
		r.lo.f = 0;
		r.hi.f = greatest(-a->lo.f, a->hi.f);
	}
	return r;
}

static Ival ends(Op op, DType d, const Ival *a, const Ival *b)
{
	Ival r = {.flags = 0};
	r.lo.f = one(op, d, a->lo.f, b->lo.f, 0);
	r.hi.f = one(op, d, a->hi.f, b->hi.f, 0);
	return r;
}

static Ival raw(Op op, DType d, const Ival x[3])
{
	const Ival *a = &x[0], *b = &x[1], *c = &x[2];
	Ival r, t;
	switch ((int)op) {
	case OP_NEG:
		return negate(a);
	case OP_ABS:
		return absolute(a);
	case OP_SIGN:
		r = ends(op, d, a, a);
		if (r.lo.f != r.hi.f)
			r.flags |= FL_UNDECIDED;
		return r;
	case OP_FLOOR:
	case OP_CEIL:
	case OP_ROUND:
		return ends(op, d, a, a);
	case OP_MAXIMUM:
	case OP_MINIMUM:
		return ends(op, d, a, b);
	case OP_SQRT:
		return root(d, a);
	case OP_ADD:
		return add(d, a, b);
	case OP_SUB:
		t = negate(b);
		return add(d, a, &t);
	case OP_MUL:
		r = corners(OP_MUL, d, a, b, NULL);
		if ((holds_zero(a) && holds_inf(b)) ||
		    (holds_zero(b) && holds_inf(a))) {
			if (!isnan(r.lo.f))
				r.flags |= FL_NAN | FL_UNDECIDED;
		}
		return r;
	case OP_DIV:
		return divide(d, a, b);
	case OP_FLOORDIV:
		return floor_div(d, a, b);
	case OP_MOD:
		return modulo(d, a, b);
	case OP_FMA:
		if (holds_inf(a) || holds_inf(b) || holds_inf(c)) {
			r = ival_full(d);
			r.flags |= FL_NAN;
			return r;
		}
		return corners(OP_FMA, d, a, b, c);
	}
	return function_interval(op, d, *a, *b);
}

/*
 * Operands that reach the op without their boundary carry up to f32 (or
 * wider) bits; the op's own result may then be rounded to the interior
 * dtype first, and the boundary of this value follows.
 */
static Ival raw_unrounded(Op op, DType d, const Ival x[3])
{
	DType w = dtype_interior(d);
	bool function = op_info[op].ulp > 0;
	Ival r = raw(op, function ? w : DT_F64, x);
	if (isnan(r.lo.f))
		return r;
	double lo = fmt_round(w, r.lo.f), hi = fmt_round(w, r.hi.f);
	r.lo.f = least(fmt_round(d, lo), fmt_round(d, r.lo.f));
	r.hi.f = greatest(fmt_round(d, hi), fmt_round(d, r.hi.f));
	return r;
}

Ival ival_float(Op op, DType d, const Ival x[3], bool unrounded)
{
	int arity = op_info[op].arity;
	bool certain_nan = false, points = true;
	uint8_t given = 0;
	for (int k = 0; k < arity; k++) {
		given |= x[k].flags;
		certain_nan |= isnan(x[k].lo.f);
		points &= is_point(&x[k]);
	}
	if (certain_nan && op != OP_POW)
		return nan_point();
	Ival r;
	if (points && op_info[op].ulp == 0 && !unrounded) {
		r.flags = 0;
		r.lo.f = r.hi.f =
			one(op, d, x[0].lo.f, arity > 1 ? x[1].lo.f : 0,
			    arity > 2 ? x[2].lo.f : 0);
	} else {
		r = unrounded ? raw_unrounded(op, d, x) : raw(op, d, x);
	}
	if (isnan(r.lo.f) && !isnan(r.hi.f))
		r.lo.f = -INFINITY, r.flags |= FL_NAN;
	if (isnan(r.hi.f) && !isnan(r.lo.f))
		r.hi.f = INFINITY, r.flags |= FL_NAN;
	/* NaN here with a NaN flag there: still NaN whatever comes. */
	if (!isnan(r.lo.f))
		r.flags |= given;
	else if (given & FL_UNDECIDED)
		r.flags |= FL_UNDECIDED;
	return r;
}

/* ---- conversions, comparisons, choices ------------------------------- */

static bool num_below(DType d, Num a, Num b)
{
	if (dtype_is_float(d))
		return below(a.f, b.f);
	if (d == DT_U64)
		return (uint64_t)a.i < (uint64_t)b.i;
	return a.i < b.i;
}

Ival ival_hull(DType d, Ival a, Ival b)
{
	bool fl = dtype_is_float(d);
	bool na = fl && isnan(a.lo.f), nb = fl && isnan(b.lo.f);
	Ival r = a;
	if (na || nb) {
		r = na ? b : a;
		if (!(na && nb))
			r.flags |= FL_NAN;
		r.flags |= a.flags | b.flags;
		return r;
	}
	r.flags |= b.flags;
	if (num_below(d, b.lo, r.lo))
		r.lo = b.lo;
	if (num_below(d, r.hi, b.hi))
		r.hi = b.hi;
	return r;
}

Ival ival_cast(DType from, DType to, Ival x)
{
	Ival r = {.flags = x.flags};
	bool from_f = dtype_is_float(from), to_f = dtype_is_float(to);
	if (is_point(&x) && (!x.flags || to_f)) {
		r.lo = r.hi = point_cast(from, to, x.lo);
		return r;
	}
	if (!from_f && to == DT_BOOL) {
		Num zero = {.i = 0};
		bool zero_in = !num_below(from, zero, x.lo) &&
			       !num_below(from, x.hi, zero);
		r.lo.i = !zero_in;
		r.hi.i = 1;
	} else if (from_f && to == DT_BOOL) {
		r.lo.i = !(x.lo.f <= 0 && x.hi.f >= 0) || isnan(x.lo.f);
		r.hi.i = x.lo.f != 0 || x.hi.f != 0 || (x.flags & FL_NAN);
	} else if (!from_f && !to_f) {
		__extension__ typedef __int128 wide;
		wide lo = from == DT_U64 ? (wide)(uint64_t)x.lo.i : x.lo.i;
		wide hi = from == DT_U64 ? (wide)(uint64_t)x.hi.i : x.hi.i;
		wide top = to == DT_U64 ? (wide)UINT64_MAX : int_max(to);
		if (lo >= int_min(to) && hi <= top) {
			r.lo = x.lo;
			r.hi = x.hi;
		} else {
			r = ival_full(to);
		}
	} else {
		r.lo = point_cast(from, to, x.lo);
		r.hi = point_cast(from, to, x.hi);
	}
	if (from_f && !to_f) {
		if (x.flags & FL_NAN && to != DT_BOOL) {
			Ival z = {.lo.i = 0, .hi.i = 0};
			r = ival_hull(to, r, z);
		}
		r.flags &= (uint8_t)~FL_NAN;
	}
	if (!to_f && r.lo.i != r.hi.i)
		r.flags |= FL_UNDECIDED;
	return r;
}

Ival ival_compare(Op op, DType d, Ival a, Ival b)
{
	Ival r = {.flags = 0};
	bool fl = dtype_is_float(d);
	bool certain_nan = fl && (isnan(a.lo.f) || isnan(b.lo.f));
	bool points =
		is_point(&a) && is_point(&b) && !((a.flags | b.flags) & FL_NAN);
	if (certain_nan || points) {
		r.lo = r.hi = point_compare(op, d, a.lo, b.lo);
		return r;
	}
	/* What may hold: less, equal, greater, unordered. */
	bool may[4];
	Num lt = point_compare(OP_LT, d, a.lo, b.hi);
	Num gt = point_compare(OP_GT, d, a.hi, b.lo);
	may[0] = lt.i != 0;
	may[2] = gt.i != 0;
	may[1] = point_compare(OP_LE, d, a.lo, b.hi).i != 0 &&
		 point_compare(OP_GE, d, a.hi, b.lo).i != 0;
	may[3] = fl && ((a.flags | b.flags) & FL_NAN);
	static const char truth[6][4] = {
		{0, 1, 0, 0}, {1, 0, 1, 1}, {1, 0, 0, 0},
		{1, 1, 0, 0}, {0, 0, 1, 0}, {0, 1, 1, 0},
	};
	int row = (int)op - (int)OP_EQ;
	r.lo.i = 1;
	for (int k = 0; k < 4; k++) {
		if (!may[k])
			continue;
		if (truth[row][k])
			r.hi.i = 1;
		else
			r.lo.i = 0;
	}
	if (r.lo.i != r.hi.i)
		r.flags = FL_UNDECIDED;
	return r;
}
