/*
 * reduce: sums, products, extremes and their indices over axes, and running
 * sums.
 *
 * The elements under one result are reached through a list of offsets made
 * once for the op. Float sums are accumulated with their rounding errors
 * (Ogita, Rump, Oishi, Accurate sum and dot product, 2005), which makes the
 * reference the correctly rounded sum of f32 and narrower terms and gives
 * f64 twice its precision.
 */
#include "oracle/eval.h"

#include <float.h>
#include <limits.h>

typedef struct Job {
	Eval *e;
	const Value *v;
	const Ev *in;
	Ev *out;
	bool intervals; /* results may be more than points */
	bool running_max;
	int64_t k; /* elements under one result */
	const int64_t *offset;
	/* Kept axes, to find the first element under a result. */
	int rank;
	int64_t extent[TN_MAX_RANK], stride[TN_MAX_RANK];
} Job;

static int64_t base_of(const Job *j, int64_t i)
{
	int64_t at = 0;
	for (int d = j->rank - 1; d >= 0; d--) {
		at += i % j->extent[d] * j->stride[d];
		i /= j->extent[d];
	}
	return at;
}

/* ---- float sums ------------------------------------------------------ */

typedef struct Running {
	SumParts s;
	SumHuge huge;
	int pos_inf, neg_inf, nans, wide; /* terms that are not finite */
	bool other_zero;                  /* a term that is not -0 */
	bool huge_terms; /* they are of f64: their sum may leave double */
} Running;

static void running_init(Running *r, int64_t n, DType from)
{
	memset(r, 0, sizeof *r);
	r->huge_terms = from == DT_F64;
	r->s.lsb = INT_MAX / 2;
	r->other_zero = n == 0; /* the empty sum is +0 */
}

static void accumulate(double *s, double *c, double x)
{
	double t, err;
	two_sum(*s, x, &t, &err);
	*s = t;
	*c += err;
}

static void running_add(Running *r, double ref, const Ival *x)
{
	SumParts *s = &r->s;
	s->flags |= x->flags;
	if (isnan(x->lo.f)) {
		r->nans++;
		return;
	}
	if (isinf(x->lo.f) || isinf(x->hi.f)) {
		if (x->lo.i != x->hi.i)
			r->wide++;
		else if (x->lo.f > 0)
			r->pos_inf++;
		else
			r->neg_inf++;
		if (!isfinite(ref))
			ref = 0;
		accumulate(&s->ref, &s->ref2, ref);
		return;
	}
	if (!(x->hi.f == 0 && signbit(x->hi.f)))
		r->other_zero = true;
	accumulate(&s->ref, &s->ref2, ref);
	if (x->lo.i != x->hi.i) {
		s->lsb = INT_MIN;
		accumulate(&s->lo, &s->lo2, x->lo.f);
		accumulate(&s->hi, &s->hi2, x->hi.f);
	} else {
		accumulate(&s->lo, &s->lo2, ref);
		accumulate(&s->hi, &s->hi2, ref);
	}
	if (x->hi.f > 0)
		s->pos += x->hi.f;
	if (x->lo.f < 0)
		s->neg -= x->lo.f;
	if (r->huge_terms)
		sum_huge_add(&r->huge, ldexp(x->lo.f, -HUGE_BITS),
			     ldexp(x->hi.f, -HUGE_BITS));
	if (x->lo.f != 0 || x->hi.f != 0) {
		s->terms++;
		if (s->lsb != INT_MIN) {
			int q = lsb_exponent(x->lo.f);
			s->lsb = q < s->lsb ? q : s->lsb;
		}
	}
}

static void settle(double *s, double *c)
{
	double t, err;
	two_sum(*s, *c, &t, &err);
	*s = t;
	*c = err;
}

static void running_end(Running *r, SumParts *out, DType from, DType acc)
{
	SumParts *s = &r->s;
	*out = *s;
	settle(&out->ref, &out->ref2);
	settle(&out->lo, &out->lo2);
	settle(&out->hi, &out->hi2);
	double size = least(s->pos + s->neg, DBL_MAX);
	/* The errors' own accumulation; pos and neg have the like. */
	if (s->terms > 2 && out->ref2 != 0)
		out->err = s->terms * s->terms * 0x1p-104 * size;
	/* the terms' own conversion */
	if (dtype_info[from].precision > fmt_info[acc].p)
		out->extra += ldexp(size, -fmt_info[acc].p);
	if (fmt_ulp(from, 0) < fmt_ulp(acc, 0))
		out->extra += s->terms * fmt_ulp(acc, 0) / 2;
	out->minus_zero = !r->other_zero && s->terms == 0;
	bool nan = r->nans || (r->pos_inf && r->neg_inf);
	if (nan) {
		out->ref = out->lo = out->hi = NAN;
	} else if (r->wide) {
		out->lo = -INFINITY;
		out->hi = INFINITY;
	} else if (r->pos_inf || r->neg_inf) {
		out->ref = r->pos_inf ? INFINITY : -INFINITY;
		out->lo = out->hi = out->ref;
		/* finite terms may overflow before they meet it */
		double other = r->pos_inf ? s->neg : s->pos;
		if (sum_may_overflow(acc, other, s->terms))
			out->flags |= FL_NAN;
	} else if (r->huge_terms && !(size < DBL_MAX)) {
		sum_overflow(out, &r->huge);
	}
}

/*
 * Terms below half an ulp of the bound on partial sums lose at most
 * themselves: rounding a + b to nearest is off by min(|a|, |b|) at most,
 * as the larger one is representable. So a sum of few large and many tiny
 * terms (a softmax row) has the error of the few, plus the tiny ones.
 */
static void set_tiny_aside(const Job *j, int64_t base, SumParts *s)
{
	double u = ldexp(1, -fmt_info[j->v->acc].p);
	double big = greatest(s->pos, s->neg);
	if (s->terms < 3 || !(big > 0) || !isfinite(big))
		return;
	double limit = u * pow2_floor(big), tiny = 0, n = 0;
	for (int64_t k = 0; k < j->k; k++) {
		Ival x = ev_ival(j->in, base + j->offset[k]);
		double m = greatest(fabs(x.lo.f), fabs(x.hi.f));
		if (m <= limit)
			tiny += m;
		else
			n++;
	}
	double cost = tiny * (1 + 2 * s->terms * u) * (1 + 0x1p-40);
	if (cost < (s->terms - n) * limit) {
		s->terms = n;
		s->extra += cost;
		s->aside = true;
	}
}

/*
 * The sum of a softmax's exponentials may be formed under any running
 * maximum: when a larger element comes, the sum so far is multiplied by
 * exp(old - new). A term then carries at most n - 1 such factors, each with
 * 2 ulp of exp (4u) and the rounding of the product (u), and the rounded
 * differences, which add up to u |y - max| for an element y: since t |ln t|
 * < 1/e, that is less than u/e a term. Together u (n-1) (5 S + 1).
 */
static bool under_running_max(const Eval *e, ValueId id)
{
	static const char *const defs[] = {"softmax", "logsumexp", "attention"};
	const Value *v = program_value(e->p, id), *x = v;
	bool inside = false;
	for (size_t k = 0; k < ARRAY_LEN(defs); k++)
		inside |= v->via && strstr(v->via, defs[k]);
	if (!inside || v->op != OP_SUM)
		return false;
	/* sum(exp(y - max(y))) over the same axes, whatever the def's name */
	x = program_value(e->p, v->args[0]);
	if (x->op != OP_EXP)
		return false;
	x = program_value(e->p, x->args[0]);
	if (x->op != OP_SUB)
		return false;
	const Value *m = program_value(e->p, x->args[1]);
	while (op_info[m->op].cls == OPC_VIEW)
		m = program_value(e->p, m->args[0]);
	return m->op == OP_MAX && m->args[0] == x->args[0] &&
	       m->axes == v->axes;
}

static void sum_floats(Job *j, int64_t i)
{
	Running r;
	running_init(&r, j->k, j->in->dtype);
	int64_t base = base_of(j, i);
	for (int64_t k = 0; k < j->k; k++) {
		int64_t at = base + j->offset[k];
		Ival x = ev_ival(j->in, at);
		running_add(&r, j->in->ref[at].f, &x);
	}
	SumParts s;
	running_end(&r, &s, j->in->dtype, j->v->acc);
	if (j->intervals)
		set_tiny_aside(j, base, &s);
	if (j->running_max && s.terms > 1) {
		double u = ldexp(1, -fmt_info[j->v->acc].p);
		s.extra += u * (s.terms - 1) * (5 * s.pos + 1);
		s.lsb = INT_MIN;
	}
	if (j->out->parts)
		j->out->parts[i] = s;
	Ival x;
	sum_ends(j->v->acc, j->v->dtype, j->e->acc_margin, &s, &j->out->ref[i],
		 &x);
	if (j->intervals)
		ev_set(j->out, i, &x);
}

/* ---- float products -------------------------------------------------- */

static double odd_part(double x)
{
	return x == 0 ? 0 : ldexp(fabs(x), -lsb_exponent(x));
}

/*
 * Any order of n factors has n - 1 roundings, of which those by a power of
 * two are exact: relative error gamma_{n-1} (Higham, Lemma 3.1). If the odd
 * parts of the significands multiply to 2^p at most, every order is exact.
 * Partial products lie between the product of all factors below 1 and that
 * of all above 1; where these leave the normal range, everything from 0 to
 * infinity is admitted.
 */
static void product_floats(Job *j, int64_t i)
{
	const Fmt *f = &fmt_info[j->v->acc];
	DType d = j->v->dtype;
	int64_t base = base_of(j, i);
	long double p = 1, lo = 1, hi = 1, odd = 1;
	double above = 0, beneath = 0, inexact = 0; /* log2 */
	uint8_t flags = 0;
	bool zero = false, points = true;
	for (int64_t k = 0; k < j->k; k++) {
		int64_t at = base + j->offset[k];
		Ival x = ev_ival(j->in, at);
		double ref = j->in->ref[at].f;
		flags |= x.flags;
		points &= x.lo.i == x.hi.i;
		p *= ref;
		long double c[4] = {lo * x.lo.f, lo * x.hi.f, hi * x.lo.f,
				    hi * x.hi.f};
		lo = hi = c[0];
		for (int q = 1; q < 4; q++) {
			lo = c[q] < lo ? c[q] : lo;
			hi = c[q] > hi ? c[q] : hi;
		}
		double m = greatest(fabs(x.lo.f), fabs(x.hi.f));
		double least_m = least(fabs(x.lo.f), fabs(x.hi.f));
		if (x.lo.f <= 0 && x.hi.f >= 0)
			least_m = 0;
		zero |= least_m == 0;
		if (m > 1)
			above += log2(m);
		if (least_m < 1 && least_m > 0)
			beneath += log2(least_m);
		double o = odd_part(isfinite(ref) ? ref : 0);
		odd *= o > 1 ? o : 1;
		if (o != 1 || x.lo.i != x.hi.i)
			inexact++;
	}
	j->out->ref[i].f = fmt_round(d, fmt_round(j->v->acc, (double)p));
	if (!j->intervals)
		return;
	Ival r = {.flags = flags};
	r.lo = r.hi = j->out->ref[i];
	bool calm = above < f->emax && beneath > f->emin;
	bool finite = isfinite((double)lo) && isfinite((double)hi);
	if (points && calm && finite && odd <= ldexpl(1, f->p)) {
		ev_set(j->out, i, &r);
		return;
	}
	if (isnan((double)p) && points) {
		ev_set(j->out, i, &r);
		return;
	}
	if (!calm || !finite) {
		/* Only signs are sure. */
		r.lo.f = lo < 0 || points ? -INFINITY : 0;
		r.hi.f = hi > 0 || points ? INFINITY : -0.0;
		if (points && p != 0 && finite) {
			r.lo.f = p > 0 ? 0 : -INFINITY;
			r.hi.f = p > 0 ? INFINITY : -0.0;
		}
		/* infinity times a partial product that fell to 0 */
		bool both = above >= f->emax && beneath <= f->emin - f->p + 1;
		if (zero || !finite || both)
			r.flags |= FL_NAN;
		r.lo.f = least(r.lo.f, j->out->ref[i].f);
		r.hi.f = greatest(r.hi.f, j->out->ref[i].f);
		r.flags |= FL_UNDECIDED;
		ev_set(j->out, i, &r);
		return;
	}
	double u = ldexp(1, -f->p), n = inexact;
	if (dtype_info[j->in->dtype].precision <= f->p)
		n = n > 1 ? n - 1 : 0;
	else /* each factor's own conversion too */
		n = n > 0 ? 2 * n - 1 : 0;
	double g = n * u / (1 - n * u) * (1 + 0x1p-30) + (double)j->k * 0x1p-62;
	double a = (double)(lo - fabsl(lo) * g),
	       b = (double)(hi + fabsl(hi) * g);
	r.lo.f = least(fmt_round(d, fmt_up(j->v->acc, a)), r.lo.f);
	r.hi.f = greatest(fmt_round(d, fmt_down(j->v->acc, b)), r.hi.f);
	ev_set(j->out, i, &r);
}

/* ---- integers -------------------------------------------------------- */

__extension__ typedef __int128 Wide;

static void fold_ints(Job *j, int64_t i)
{
	DType acc = j->v->acc;
	bool sum = j->v->op != OP_PROD;
	bool big_unsigned = j->in->dtype == DT_U64;
	int64_t base = base_of(j, i);
	uint64_t r = sum ? 0 : 1;
	Wide lo = 0, hi = 0;
	bool points = true;
	uint8_t flags = 0;
	for (int64_t k = 0; k < j->k; k++) {
		int64_t at = base + j->offset[k];
		uint64_t x = (uint64_t)j->in->ref[at].i;
		r = sum ? r + x : r * x;
		Ival v = ev_ival(j->in, at);
		flags |= v.flags;
		points &= v.lo.i == v.hi.i;
		lo += big_unsigned ? (Wide)(uint64_t)v.lo.i : v.lo.i;
		hi += big_unsigned ? (Wide)(uint64_t)v.hi.i : v.hi.i;
	}
	Num w = {.i = int_wrap(acc, (int64_t)r)};
	j->out->ref[i] = point_cast(acc, j->v->dtype, w);
	if (!j->intervals)
		return;
	Ival x = {.lo = j->out->ref[i], .hi = j->out->ref[i], .flags = flags};
	if (!points) {
		Num top = {.i = int_max(j->v->dtype)};
		Wide most = j->v->dtype == DT_U64 ? (Wide)(uint64_t)top.i
						  : (Wide)top.i;
		if (!sum || lo < int_min(j->v->dtype) || hi > most) {
			x = ival_full(j->v->dtype);
		} else {
			x.lo.i = (int64_t)lo;
			x.hi.i = (int64_t)hi;
		}
	}
	ev_set(j->out, i, &x);
}

/* ---- extremes -------------------------------------------------------- */

static void fold_extreme(Job *j, int64_t i)
{
	DType d = j->in->dtype;
	Op op = j->v->op == OP_MAX ? OP_MAXIMUM : OP_MINIMUM;
	bool fl = dtype_is_float(d);
	int64_t base = base_of(j, i);
	Num ref = j->in->ref[base + j->offset[0]];
	Ival r = ev_ival(j->in, base + j->offset[0]);
	for (int64_t k = 1; k < j->k; k++) {
		int64_t at = base + j->offset[k];
		Num x = j->in->ref[at];
		if (fl) {
			const Num *const in[3] = {&ref, &x, &x};
			Num t;
			point_float(op, d, in, 1, &t);
			ref = t;
		} else {
			Num in[3] = {ref, x, x};
			point_int(op, d, in, &ref);
		}
		if (!j->intervals)
			continue;
		Ival y = ev_ival(j->in, at);
		Ival both[3] = {r, y, y};
		uint8_t und = (r.flags | y.flags) & FL_UNDECIDED;
		r = fl ? ival_float(op, d, both, false) : ival_int(op, d, both);
		r.flags |= und;
	}
	j->out->ref[i] = ref;
	if (j->intervals)
		ev_set(j->out, i, &r);
}

static bool beats(DType d, bool max, Num a, Num b) /* a strictly better */
{
	return point_compare(max ? OP_GT : OP_LT, d, a, b).i != 0;
}

/*
 * Which index may win: with `sure` the best that one element has at least,
 * an earlier element wins if it can reach it, a later one if it can exceed
 * it, and the first element that is sure of it stays.
 */
static void fold_index(Job *j, int64_t i)
{
	DType d = j->in->dtype;
	bool max = j->v->op == OP_ARGMAX, fl = dtype_is_float(d);
	int64_t base = base_of(j, i), best = 0, nan_at = -1;
	for (int64_t k = 0; k < j->k; k++) {
		Num x = j->in->ref[base + j->offset[k]];
		if (fl && isnan(x.f)) {
			nan_at = k;
			break;
		}
		if (beats(d, max, x, j->in->ref[base + j->offset[best]]))
			best = k;
	}
	j->out->ref[i].i = nan_at >= 0 ? nan_at : best;
	if (!j->intervals)
		return;
	Ival r = {.lo.i = -1, .hi.i = -1};
	bool may_nan = false;
	Num sure = {.i = 0};
	int64_t first = -1, end = j->k;
	for (int64_t k = 0; k < end; k++) {
		Ival x = ev_ival(j->in, base + j->offset[k]);
		if (fl && isnan(x.lo.f)) {
			end = k + 1; /* wins unless an earlier one is NaN */
			first = k;
			break;
		}
		may_nan |= (x.flags & FL_NAN) != 0;
		Num least_of = max ? x.lo : x.hi;
		if (first < 0 || beats(d, max, least_of, sure)) {
			sure = least_of;
			first = k;
		}
	}
	bool nan_wins = first == end - 1 && end <= j->k && fl &&
			isnan(ev_ival(j->in, base + j->offset[first]).lo.f);
	for (int64_t k = 0; k < end; k++) {
		Ival x = ev_ival(j->in, base + j->offset[k]);
		Num most_of = max ? x.hi : x.lo;
		bool can = k == first || (x.flags & FL_NAN);
		if (!nan_wins && k < first)
			can |= !beats(d, max, sure, most_of);
		if (!nan_wins && k > first)
			can |= beats(d, max, most_of, sure);
		if (!can)
			continue;
		if (r.lo.i < 0)
			r.lo.i = k;
		r.hi.i = k;
	}
	if (r.lo.i != r.hi.i || may_nan)
		r.flags = FL_UNDECIDED;
	if (r.lo.i == r.hi.i)
		r.flags = 0;
	ev_set(j->out, i, &r);
}

/* ---- running sums ---------------------------------------------------- */

static void scan(Job *j, int64_t lane)
{
	int64_t base = base_of(j, lane);
	DType acc = j->v->acc, d = j->v->dtype;
	Running r;
	running_init(&r, j->k, j->in->dtype);
	uint64_t total = 0;
	bool points = true;
	for (int64_t k = 0; k < j->k; k++) {
		int64_t at = base + j->offset[k];
		Ival x = ev_ival(j->in, at), y;
		if (dtype_is_float(d)) {
			SumParts s;
			running_add(&r, j->in->ref[at].f, &x);
			running_end(&r, &s, j->in->dtype, acc);
			sum_ends(acc, d, j->e->acc_margin, &s, &j->out->ref[at],
				 &y);
		} else {
			total += (uint64_t)j->in->ref[at].i;
			points &= x.lo.i == x.hi.i;
			Num w = {.i = int_wrap(acc, (int64_t)total)};
			y.lo = y.hi = point_cast(acc, d, w);
			y.flags = 0;
			j->out->ref[at] = y.lo;
			if (!points)
				y = ival_full(d);
		}
		if (j->intervals)
			ev_set(j->out, at, &y);
	}
}

/* ---- one op ---------------------------------------------------------- */

static void work(void *arg, int64_t first, int64_t end)
{
	Job *j = arg;
	bool fl = dtype_is_float(j->in->dtype);
	for (int64_t i = first; i < end; i++) {
		switch ((int)j->v->op) {
		case OP_SUM:
			fl ? sum_floats(j, i) : fold_ints(j, i);
			break;
		case OP_PROD:
			fl ? product_floats(j, i) : fold_ints(j, i);
			break;
		case OP_MAX:
		case OP_MIN:
			fold_extreme(j, i);
			break;
		case OP_ARGMAX:
		case OP_ARGMIN:
			fold_index(j, i);
			break;
		default:
			scan(j, i);
		}
	}
}

void reduce_eval(Eval *e, ValueId id)
{
	const Value *v = program_value(e->p, id);
	Job j = {.e = e, .v = v};
	j.in = &e->v[v->args[0]];
	j.out = &e->v[id];
	j.running_max = e->intervals && under_running_max(e, id);
	uint32_t axes = v->op == OP_CUMSUM ? 1u << v->axis : v->axes;
	bool rounds = !op_has(v->op, 'X') && dtype_is_float(v->dtype);
	j.intervals = e->intervals && (j.in->lo || rounds);
	int64_t stride[TN_MAX_RANK], s = 1, lanes = 1;
	for (int d = j.in->rank - 1; d >= 0; d--) {
		stride[d] = s;
		s *= j.in->shape[d];
	}
	j.k = 1;
	for (int d = 0; d < j.in->rank; d++) {
		if (axes >> d & 1) {
			j.k *= j.in->shape[d];
		} else {
			j.extent[j.rank] = j.in->shape[d];
			j.stride[j.rank++] = stride[d];
			lanes *= j.in->shape[d];
		}
	}
	int64_t *offset = eval_alloc(e, (size_t)(j.k + 1) * sizeof *offset);
	int64_t index[TN_MAX_RANK] = {0};
	for (int64_t k = 0; k < j.k; k++) {
		int64_t at = 0;
		for (int d = 0; d < j.in->rank; d++)
			at += index[d] * stride[d];
		offset[k] = at;
		for (int d = j.in->rank - 1; d >= 0; d--) {
			if (!(axes >> d & 1))
				continue;
			if (++index[d] < j.in->shape[d])
				break;
			index[d] = 0;
		}
	}
	j.offset = offset;
	j.out->ref = eval_nums(e, j.out->n);
	if (j.intervals) {
		j.out->lo = eval_nums(e, j.out->n);
		j.out->hi = eval_nums(e, j.out->n);
		j.out->flags = eval_alloc(e, (size_t)j.out->n);
	}
	if (relax_keeps_parts(e, id))
		j.out->parts =
			eval_alloc(e, (size_t)j.out->n * sizeof(SumParts));
	int64_t grain = 16384 / (j.k + 1) + 1;
	bool empty_extreme = j.k == 0 && v->op != OP_SUM && v->op != OP_PROD;
	if (!empty_extreme)
		eval_parallel(e->threads, lanes, grain, work, &j);
	eval_free(e, offset);
	ev_collapse(e, j.out);
}
