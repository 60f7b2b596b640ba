/*
 * move: views, and data movement by a condition or a run-time index.
 *
 * A view is a walk through its operand by strides (or, for stage 2's VIEW,
 * by index expressions). An index that is itself undecided reaches every
 * element between its ends, and the result is their hull.
 */
#include "oracle/eval.h"

#include <limits.h>

static void arrays_like(Eval *e, Ev *out, bool intervals, bool flags)
{
	out->ref = eval_nums(e, out->n);
	if (intervals || flags) {
		out->lo = eval_nums(e, out->n);
		out->hi = eval_nums(e, out->n);
		out->flags = eval_alloc(e, (size_t)out->n);
	}
}

static void copy_element(Ev *out, int64_t to, const Ev *in, int64_t from)
{
	out->ref[to] = in->ref[from];
	if (out->lo) {
		Ival x = ev_ival(in, from);
		ev_set(out, to, &x);
	}
}

/* ---- views ----------------------------------------------------------- */

typedef struct Walk {
	const Eval *e;
	const Ev *in;
	Ev *out;
	int64_t offset, stride[TN_MAX_RANK]; /* in elements of the operand */
	const Value *map; /* VIEW: index expressions instead */
	int64_t in_stride[TN_MAX_RANK];
} Walk;

static void unravel(const Ev *v, int64_t i, int64_t index[TN_MAX_RANK])
{
	for (int d = v->rank - 1; d >= 0; d--) {
		index[d] = i % v->shape[d];
		i /= v->shape[d];
	}
}

static int64_t source_of(const Walk *w, const int64_t *index)
{
	int64_t at = w->offset;
	if (w->map)
		for (int d = 0; d < w->in->rank; d++)
			at += w->in_stride[d] * ex_eval(&w->e->p->ex,
							w->map->map[d],
							w->e->dims, index);
	else
		for (int d = 0; d < w->out->rank; d++)
			at += index[d] * w->stride[d];
	return at;
}

static void walk(void *arg, int64_t first, int64_t end)
{
	Walk *w = arg;
	int64_t index[TN_MAX_RANK] = {0};
	unravel(w->out, first, index);
	for (int64_t i = first; i < end; i++) {
		copy_element(w->out, i, w->in, source_of(w, index));
		for (int d = w->out->rank - 1; d >= 0; d--) {
			if (++index[d] < w->out->shape[d])
				break;
			index[d] = 0;
		}
	}
}

/* The operand holds just the elements wanted, or all of them. */
static void walk_list(void *arg, int64_t first, int64_t end)
{
	Walk *w = arg;
	int64_t index[TN_MAX_RANK] = {0};
	for (int64_t i = first; i < end; i++) {
		unravel(w->out, w->out->list[i], index);
		copy_element(w->out, i, w->in,
			     w->in->list ? i : source_of(w, index));
	}
}

static void strides_of(const Ev *v, int64_t stride[TN_MAX_RANK])
{
	int64_t s = 1;
	for (int d = v->rank - 1; d >= 0; d--) {
		stride[d] = s;
		s *= v->shape[d];
	}
}

static Walk walk_of(const Eval *e, ValueId id)
{
	const Value *v = program_value(e->p, id);
	Walk w = {.e = e, .in = &e->v[v->args[0]], .out = &e->v[id]};
	strides_of(w.in, w.in_stride);
	int lead = (int)v->rank - (int)w.in->rank;
	switch ((int)v->op) {
	case OP_TRANSPOSE:
		for (int d = 0; d < v->rank; d++)
			w.stride[d] = w.in_stride[v->perm[d]];
		break;
	case OP_RESHAPE: /* row-major to row-major: the flat order stays */
		strides_of(w.out, w.stride);
		break;
	case OP_SLICE:
		for (int d = 0; d < v->rank; d++) {
			int64_t s =
				ex_eval(&e->p->ex, v->start[d], e->dims, NULL);
			w.offset += s * w.in_stride[d];
			w.stride[d] = v->step[d] * w.in_stride[d];
		}
		break;
	case OP_BROADCAST:
		for (int d = lead; d < v->rank; d++)
			if (w.in->shape[d - lead] != 1)
				w.stride[d] = w.in_stride[d - lead];
		break;
	default:
		w.map = v;
	}
	return w;
}

void view_sources(Eval *e, ValueId id, const int64_t *list, int64_t n,
		  int64_t *out)
{
	Walk w = walk_of(e, id);
	int64_t index[TN_MAX_RANK] = {0};
	for (int64_t i = 0; i < n; i++) {
		unravel(w.out, list[i], index);
		out[i] = source_of(&w, index);
	}
}

void view_eval(Eval *e, ValueId id)
{
	Walk w = walk_of(e, id);
	arrays_like(e, w.out, w.in->lo != NULL, w.in->flags != NULL);
	w.out->unrounded = w.in->unrounded;
	eval_parallel(e->threads, w.out->n, 65536,
		      w.out->list ? walk_list : walk, &w);
	ev_collapse(e, w.out);
}

/* ---- pad, concat ----------------------------------------------------- */

static void pad(Eval *e, const Value *v, Ev *out)
{
	const Ev *x = &e->v[v->args[0]], *fill = &e->v[v->args[1]];
	int64_t stride[TN_MAX_RANK], start[TN_MAX_RANK], index[TN_MAX_RANK];
	strides_of(x, stride);
	for (int d = 0; d < v->rank; d++)
		start[d] = ex_eval(&e->p->ex, v->start[d], e->dims, NULL);
	for (int64_t i = 0; i < out->n; i++) {
		unravel(out, i, index);
		int64_t at = 0;
		bool inside = true;
		for (int d = 0; d < v->rank; d++) {
			int64_t k = index[d] - start[d];
			inside &= k >= 0 && k < x->shape[d];
			at += k * stride[d];
		}
		copy_element(out, i, inside ? x : fill, inside ? at : 0);
	}
}

static void concat(Eval *e, const Value *v, Ev *out)
{
	int64_t inner = 1, outer = 1, first = 0;
	for (int d = 0; d < v->rank; d++) {
		if (d < (int)v->axis)
			outer *= out->shape[d];
		if (d > (int)v->axis)
			inner *= out->shape[d];
	}
	int64_t total = out->shape[v->axis];
	for (uint32_t k = 0; k < v->nargs; k++) {
		const Ev *x = &e->v[v->args[k]];
		int64_t len = x->shape[v->axis];
		for (int64_t o = 0; o < outer; o++)
			for (int64_t i = 0; i < len * inner; i++)
				copy_element(out,
					     (o * total + first) * inner + i, x,
					     o * len * inner + i);
		first += len;
	}
}

/* ---- run-time indices ------------------------------------------------ */

/* The range that an index may reach in an axis of `len`. */
typedef struct Reach {
	int64_t ref, lo, hi;
	bool undecided;
} Reach;

static bool reach(Eval *e, ValueId id, const Ev *index, int64_t i, int64_t len,
		  Reach *r)
{
	int64_t k = index->ref[i].i;
	if (k < -len || k >= len) {
		eval_fault(e, id, k);
		return false;
	}
	r->ref = r->lo = r->hi = k < 0 ? k + len : k;
	Ival x = ev_ival(index, i);
	r->undecided = x.lo.i != x.hi.i;
	if (!r->undecided)
		return true;
	if (x.lo.i < 0 && x.hi.i >= 0) {
		r->lo = 0;
		r->hi = len - 1;
	} else {
		int64_t add = x.lo.i < 0 ? len : 0;
		r->lo = x.lo.i < -len ? 0 : x.lo.i + add;
		r->hi = x.hi.i >= len ? len - 1 : x.hi.i + add;
	}
	return true;
}

static void split_axes(const Ev *x, uint32_t axis, int64_t *outer,
		       int64_t *inner)
{
	*outer = *inner = 1;
	for (uint32_t d = 0; d < x->rank; d++) {
		if (d < axis)
			*outer *= x->shape[d];
		if (d > axis)
			*inner *= x->shape[d];
	}
}

static void gather(Eval *e, ValueId id, const Value *v, Ev *out)
{
	const Ev *x = &e->v[v->args[0]], *index = &e->v[v->args[1]];
	int64_t outer, inner, len = x->shape[v->axis];
	split_axes(x, v->axis, &outer, &inner);
	if (out->n == 0)
		return;
	for (int64_t q = 0; q < index->n; q++) {
		Reach r;
		if (!reach(e, id, index, q, len, &r))
			return;
		for (int64_t o = 0; o < outer; o++) {
			for (int64_t i = 0; i < inner; i++) {
				int64_t to = (o * index->n + q) * inner + i;
				int64_t row = o * len * inner + i;
				copy_element(out, to, x, row + r.ref * inner);
				if (!r.undecided)
					continue;
				Ival h = ev_ival(x, row + r.lo * inner);
				for (int64_t k = r.lo + 1; k <= r.hi; k++)
					h = ival_hull(
						x->dtype, h,
						ev_ival(x, row + k * inner));
				h.flags |= FL_UNDECIDED;
				ev_set(out, to, &h);
			}
		}
	}
}

static Ival add_ivals(DType d, Ival a, Ival b)
{
	Ival x[3] = {a, b, b};
	Ival r = dtype_is_float(d) ? ival_float(OP_ADD, d, x, false)
				   : ival_int(OP_ADD, d, x);
	r.flags |= (a.flags | b.flags) & FL_UNDECIDED;
	return r;
}

static void put(Eval *e, const Value *v, Ev *out, int64_t to, const Ev *u,
		int64_t from, const Reach *r, int64_t k)
{
	bool add = v->op == OP_SCATTER_ADD;
	DType d = out->dtype;
	Ival old = ev_ival(out, to), new_val = ev_ival(u, from);
	if (add)
		new_val = add_ivals(d, old, new_val);
	if (k == r->ref) {
		Num in[3] = {out->ref[to], u->ref[from], u->ref[from]};
		const Num *const p[3] = {&in[0], &in[1], &in[2]};
		Num t = in[1];
		if (add && dtype_is_float(d))
			point_float(OP_ADD, d, p, 1, &t);
		else if (add)
			point_int(OP_ADD, d, in, &t);
		out->ref[to] = t;
	}
	if (!e->intervals || !out->lo)
		return;
	if (r->undecided) {
		new_val = ival_hull(d, old, new_val);
		new_val.flags |= FL_UNDECIDED;
	}
	ev_set(out, to, &new_val);
}

static void scatter(Eval *e, ValueId id, const Value *v, Ev *out)
{
	const Ev *x = &e->v[v->args[0]], *index = &e->v[v->args[1]];
	const Ev *u = &e->v[v->args[2]];
	int64_t outer, inner, len = x->shape[v->axis];
	split_axes(x, v->axis, &outer, &inner);
	for (int64_t i = 0; i < out->n; i++)
		copy_element(out, i, x, i);
	for (int64_t j = 0; j < index->n && out->n > 0; j++) {
		Reach r;
		if (!reach(e, id, index, j, len, &r))
			return;
		for (int64_t o = 0; o < outer; o++)
			for (int64_t k = r.lo; k <= r.hi; k++)
				for (int64_t i = 0; i < inner; i++)
					put(e, v, out,
					    (o * len + k) * inner + i, u,
					    (o * index->n + j) * inner + i, &r,
					    k);
	}
}

void move_eval(Eval *e, ValueId id)
{
	const Value *v = program_value(e->p, id);
	Ev *out = &e->v[id];
	bool intervals = false;
	for (uint32_t k = 0; k < v->nargs; k++)
		intervals |= e->v[v->args[k]].lo != NULL;
	arrays_like(e, out, intervals, false);
	switch ((int)v->op) {
	case OP_PAD:
		pad(e, v, out);
		break;
	case OP_CONCAT:
		concat(e, v, out);
		break;
	case OP_GATHER:
		gather(e, id, v, out);
		break;
	default:
		scatter(e, id, v, out);
	}
	/* A fault ends the evaluation; nothing reads the rest. */
	if (!e->fault)
		ev_collapse(e, out);
}
