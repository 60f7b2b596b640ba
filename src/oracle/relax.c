/*
 * relax: what the relaxations of a contract make legal besides.
 *
 * single_rounding: a matmul or reduction whose one consumer is elementwise
 * (through views) may reach it without its boundary: its interval becomes
 * the hull of the rounded and the unrounded one.
 *
 * contraction: a product that feeds an addition may lose its boundary: the
 * hull of the two roundings with round(a*b + c).
 *
 * reassociate: a sum whose one consumer is an addition or a sum may merge
 * into it, without its boundary, as one sum in the accumulator. Its parts
 * are kept; the consumer adds them up and takes the hull of its own interval
 * and the merged sum's. Terms that are no sums themselves (a bias) count as
 * one term each; where three or more operands meet, pairs of them may also
 * be added, and rounded to the dtype, first.
 *
 * tf32: the operands of a matmul are intervals; contract.c.
 *
 * A value that is a result keeps its boundary always. row_invariant asks a
 * plan for more and admits nothing.
 */
#include "oracle/eval.h"

#include <limits.h>

static bool is_result(const Eval *e, ValueId id)
{
	for (size_t r = 0; r < e->p->results.n; r++)
		if (e->p->results.p[r].value == id)
			return true;
	return false;
}

/* The one live value that uses id, or NO_VALUE. */
static ValueId only_user(const Eval *e, ValueId id)
{
	ValueId user = NO_VALUE;
	if (is_result(e, id))
		return NO_VALUE;
	for (ValueId u = id + 1; u < e->p->values.n; u++) {
		const Value *v = program_value(e->p, u);
		bool uses = false;
		for (uint32_t k = 0; k < v->nargs && e->live[u]; k++)
			uses |= v->args[k] == id;
		if (uses && user != NO_VALUE)
			return NO_VALUE;
		if (uses)
			user = u;
	}
	return user;
}

static bool relaxed(const Eval *e, ValueId id, Relax r)
{
	return (program_value(e->p, id)->relax & r) != 0;
}

static bool is_sum(const Eval *e, ValueId id)
{
	const Value *v = program_value(e->p, id);
	bool sum = v->op == OP_SUM || op_info[v->op].cls == OPC_CONTRACT;
	return sum && dtype_is_float(v->dtype);
}

static bool is_addition(const Eval *e, ValueId id)
{
	const Value *v = program_value(e->p, id);
	return (v->op == OP_ADD || v->op == OP_SUB) && dtype_is_float(v->dtype);
}

/* Whether id's boundary may be dropped on the way to its consumer. */
static bool single_rounding(const Eval *e, ValueId id)
{
	const Value *v = program_value(e->p, id);
	OpClass c = op_info[v->op].cls;
	if (!relaxed(e, id, RELAX_SINGLE_ROUNDING) || v->acc == v->dtype ||
	    !dtype_is_float(v->dtype) || !(is_sum(e, id) || v->op == OP_PROD))
		return false;
	ValueId u = only_user(e, id);
	while (u != NO_VALUE) {
		c = op_info[program_value(e->p, u)->op].cls;
		if (c != OPC_VIEW)
			break;
		u = only_user(e, u);
	}
	return u != NO_VALUE && c == OPC_ELEM;
}

/* Whether id may merge into its consumer. */
static bool merges(const Eval *e, ValueId id)
{
	if (!relaxed(e, id, RELAX_REASSOCIATE))
		return false;
	if (!is_sum(e, id) && !is_addition(e, id))
		return false;
	ValueId u = only_user(e, id);
	return u != NO_VALUE && relaxed(e, u, RELAX_REASSOCIATE) &&
	       (is_addition(e, u) ||
		(program_value(e->p, u)->op == OP_SUM && is_sum(e, u)));
}

bool relax_keeps_parts(const Eval *e, ValueId id)
{
	if (!e->intervals || !is_sum(e, id))
		return false;
	return single_rounding(e, id) || merges(e, id);
}

static bool contracts(const Eval *e, ValueId id, int k)
{
	const Value *v = program_value(e->p, id);
	if (!is_addition(e, id) || !relaxed(e, id, RELAX_CONTRACTION))
		return false;
	ValueId m = v->args[k];
	return program_value(e->p, m)->op == OP_MUL && !is_result(e, m) &&
	       relaxed(e, m, RELAX_CONTRACTION);
}

size_t relax_reads(const Eval *e, ValueId id, ValueId out[4])
{
	size_t n = 0;
	const Value *v = program_value(e->p, id);
	for (int k = 0; k < 2 && k < (int)v->nargs; k++) {
		if (!contracts(e, id, k))
			continue;
		const Value *m = program_value(e->p, v->args[k]);
		out[n++] = m->args[0];
		out[n++] = m->args[1];
	}
	return n;
}

/* ---- single rounding ------------------------------------------------- */

static void hull_into(Ev *v, int64_t i, const Ival *more)
{
	Ival x = ival_hull(v->dtype, ev_ival(v, i), *more);
	ev_set(v, i, &x);
}

static void drop_boundary(Eval *e, ValueId id)
{
	Ev *v = &e->v[id];
	DType acc = program_value(e->p, id)->acc;
	ev_widen(e, v);
	for (int64_t i = 0; i < v->n; i++) {
		Ival x = ev_ival(v, i);
		if (v->parts) {
			Num ref;
			sum_ends(acc, acc, e->acc_margin, &v->parts[i], &ref,
				 &x);
		} else if (isfinite(x.lo.f) && isfinite(x.hi.f)) {
			x.lo.f -= fmt_ulp(v->dtype, x.lo.f) / 2;
			x.hi.f += fmt_ulp(v->dtype, x.hi.f) / 2;
		}
		hull_into(v, i, &x);
	}
	v->unrounded = true;
}

/* ---- contraction ----------------------------------------------------- */

static Ival negated(Ival x)
{
	Ival r = {.lo.f = -x.hi.f, .hi.f = -x.lo.f, .flags = x.flags};
	return r;
}

static void contract_into(Eval *e, ValueId id, int k)
{
	const Value *v = program_value(e->p, id);
	const Value *m = program_value(e->p, v->args[k]);
	const Ev *a = &e->v[m->args[0]], *b = &e->v[m->args[1]];
	const Ev *c = &e->v[v->args[1 - k]];
	Ev *out = &e->v[id];
	bool unrounded = a->unrounded || b->unrounded || c->unrounded;
	ev_widen(e, out);
	for (int64_t i = 0; i < out->n; i++) {
		Ival x[3] = {ev_ival(a, i), ev_ival(b, i), ev_ival(c, i)};
		if (v->op == OP_SUB)
			x[k == 0 ? 2 : 0] = negated(x[k == 0 ? 2 : 0]);
		Ival f = ival_float(OP_FMA, v->dtype, x, unrounded);
		hull_into(out, i, &f);
	}
}

/* ---- reassociation --------------------------------------------------- */

/* An operand that is no sum: one term. */
static SumParts one_term(const Ev *v, int64_t i)
{
	Ival x = ev_ival(v, i);
	SumParts s;
	memset(&s, 0, sizeof s);
	s.ref = v->ref[i].f;
	s.lo = x.lo.f;
	s.hi = x.hi.f;
	s.pos = x.hi.f > 0 ? x.hi.f : 0;
	s.neg = x.lo.f < 0 ? -x.lo.f : 0;
	s.terms = x.lo.f != 0 || x.hi.f != 0;
	bool point = x.lo.i == x.hi.i && isfinite(x.lo.f);
	s.lsb = point ? lsb_exponent(x.lo.f) : INT_MIN;
	s.flags = x.flags;
	s.operands = 1;
	return s;
}

static void parts_negate(SumParts *s)
{
	double lo = s->lo, lo2 = s->lo2, pos = s->pos;
	s->ref = -s->ref;
	s->ref2 = -s->ref2;
	s->lo = -s->hi;
	s->lo2 = -s->hi2;
	s->hi = -lo;
	s->hi2 = -lo2;
	s->pos = s->neg;
	s->neg = pos;
}

static void add_low(double *s, double *s2, double x, double x2)
{
	double t, err;
	two_sum(*s, x, &t, &err);
	*s = t;
	*s2 += err + x2;
}

static void parts_add(SumParts *s, const SumParts *x)
{
	add_low(&s->ref, &s->ref2, x->ref, x->ref2);
	add_low(&s->lo, &s->lo2, x->lo, x->lo2);
	add_low(&s->hi, &s->hi2, x->hi, x->hi2);
	s->err += x->err;
	s->pos += x->pos;
	s->neg += x->neg;
	s->terms += x->terms;
	s->groups += x->groups;
	s->cut |= x->cut;
	s->extra += x->extra;
	s->lsb = x->lsb < s->lsb ? x->lsb : s->lsb;
	s->flags |= x->flags;
	s->aside |= x->aside;
	s->flush |= x->flush;
	s->minus_zero = false;
	s->operands += x->operands > 0 ? x->operands : 1;
	if (dtype_info[x->acc].precision < dtype_info[s->acc].precision)
		s->acc = x->acc;
}

static SumParts parts_or_term(const Eval *e, ValueId id, int64_t i)
{
	const Ev *v = &e->v[id];
	SumParts s = v->parts ? v->parts[i] : one_term(v, i);
	DType acc = program_value(e->p, id)->acc;
	if (!v->parts)
		s.acc = DT_F64; /* whatever the others use */
	else if (s.operands == 0)
		s.acc = acc;
	if (s.operands == 0)
		s.operands = 1;
	return s;
}

static void merge_element(Eval *e, Ev *out, int64_t i, SumParts s)
{
	DType d = out->dtype;
	if (dtype_info[s.acc].precision > dtype_info[d].precision &&
	    s.acc == DT_F64 && d != DT_F64)
		s.acc = dtype_interior(d);
	if (s.operands > 2) {
		double n = (double)(s.operands - 2), big = s.pos + s.neg;
		s.err += n * ldexp(big, -fmt_info[d].p) * 1.01;
		s.lsb = INT_MIN;
	}
	if (out->parts)
		out->parts[i] = s;
	Num ref;
	Ival x;
	if (isfinite(s.lo) && isfinite(s.hi)) {
		sum_ends(s.acc, d, e->acc_margin, &s, &ref, &x);
	} else {
		x = ival_full(d);
		x.flags |= FL_NAN;
	}
	hull_into(out, i, &x);
}

static void merge_addition(Eval *e, ValueId id)
{
	const Value *v = program_value(e->p, id);
	Ev *out = &e->v[id];
	ev_widen(e, out);
	if (merges(e, id) && !out->parts)
		out->parts = eval_alloc(e, (size_t)out->n * sizeof(SumParts));
	for (int64_t i = 0; i < out->n; i++) {
		SumParts s = parts_or_term(e, v->args[0], i);
		SumParts x = parts_or_term(e, v->args[1], i);
		if (v->op == OP_SUB)
			parts_negate(&x);
		parts_add(&s, &x);
		merge_element(e, out, i, s);
	}
}

/* A sum over axes of values that are sums. */
static void merge_sum(Eval *e, ValueId id)
{
	const Value *v = program_value(e->p, id);
	const Ev *in = &e->v[v->args[0]];
	Ev *out = &e->v[id];
	ev_widen(e, out);
	SumParts *s = eval_alloc(e, (size_t)(out->n + 1) * sizeof *s);
	memset(s, 0, (size_t)(out->n + 1) * sizeof *s);
	for (int64_t i = 0; i < out->n; i++) {
		s[i].lsb = INT_MAX / 2;
		s[i].acc = v->acc;
	}
	for (int64_t i = 0; i < in->n; i++) {
		int64_t rest = i, to = 0, step = 1;
		for (int d = in->rank - 1; d >= 0; d--) {
			int64_t at = rest % in->shape[d];
			rest /= in->shape[d];
			if (v->axes >> d & 1)
				continue;
			to += at * step;
			step *= in->shape[d];
		}
		SumParts x = parts_or_term(e, v->args[0], i);
		x.operands = 1;
		parts_add(&s[to], &x);
	}
	for (int64_t i = 0; i < out->n; i++) {
		s[i].operands = 1;
		merge_element(e, out, i, s[i]);
	}
	eval_free(e, s);
}

/* ---- one value ------------------------------------------------------- */

void relax_value(Eval *e, ValueId id)
{
	const Value *v = program_value(e->p, id);
	bool touched = false;
	if (!v->relax || !dtype_is_float(v->dtype))
		return;
	for (int k = 0; k < 2 && k < (int)v->nargs; k++) {
		if (contracts(e, id, k)) {
			contract_into(e, id, k);
			touched = true;
		}
	}
	if (relaxed(e, id, RELAX_REASSOCIATE)) {
		bool add = is_addition(e, id), from_parts = false;
		for (uint32_t k = 0; k < v->nargs && k < 2; k++)
			from_parts |= e->v[v->args[k]].parts != NULL;
		if (add && (from_parts || merges(e, id))) {
			merge_addition(e, id);
			touched = true;
		} else if (v->op == OP_SUM && from_parts) {
			merge_sum(e, id);
			touched = true;
		}
	}
	bool merging = is_sum(e, id) && merges(e, id) && v->acc != v->dtype;
	if (single_rounding(e, id) || merging) {
		drop_boundary(e, id);
		touched = true;
	}
	if (touched)
		ev_collapse(e, &e->v[id]);
}
