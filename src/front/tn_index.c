/*
 * tn_index: x[a:b:c, i, ..., None].
 *
 * Python's rules: a negative number counts from the end, slices are cut to
 * the axis, an integer takes its axis away, None adds one. A bound that is
 * an expression of dims counts from the start. All of it becomes one slice
 * and one reshape; an integer that cannot be proved inside becomes a
 * gather, which checks it at run time.
 */
#include "front/tn_build.h"

typedef struct AxisIndex {
	Ex start, count;
	int64_t step;
	bool removed; /* by an integer */
	bool gathered;
	Ex index; /* of the gather */
} AxisIndex;

static bool proved(Build *b, Ex e)
{
	ExFacts none = {0};
	return ex_prove_nonneg(&b->p->ex, &none, e);
}

/* The larger (smaller) of two, without the choice where one is proved. */
Ex larger_extent(Build *b, Ex x, Ex y)
{
	return proved(b, ex_sub(&b->p->ex, x, y)) ? x : ex_max(&b->p->ex, x, y);
}

static Ex smaller(Build *b, Ex x, Ex y)
{
	return proved(b, ex_sub(&b->p->ex, y, x)) ? x : ex_min(&b->p->ex, x, y);
}

/* Only numbers count from the end: -K would silently count from nowhere. */
static bool check_sign(Build *b, Loc loc, Ex e, Ex extent)
{
	int64_t v;
	ExprTab *t = &b->p->ex;
	if (ex_is_const(t, e, &v) || !proved(b, ex_sub(t, ex_const(t, 0), e)))
		return true;
	return fail_at(b, loc,
		       arena_printf(b->arena, "write %s",
				    extent_text(b, ex_add(t, extent, e))),
		       "`%s` is never positive, and an expression counts from "
		       "the start",
		       extent_text(b, e));
}

/* A bound of a slice: negative numbers count from the end. */
static bool bound(Build *b, const Node *n, Ex extent, Ex *out)
{
	int64_t v;
	ExprTab *t = &b->p->ex;
	if (!eval_extent(b, n, out) || !check_sign(b, n->loc, *out, extent))
		return false;
	if (ex_is_const(t, *out, &v) && v < 0)
		*out = ex_add(t, extent, *out);
	return extent_check(b);
}

static bool slice_axis(Build *b, const Node *n, Ex extent, AxisIndex *a)
{
	ExprTab *t = &b->p->ex;
	Ex one = ex_const(t, 1), zero = ex_const(t, 0);
	Ex last = ex_sub(t, extent, one);
	Val step;
	a->step = 1;
	if (n->c && (!eval(b, n->c, &step) ||
		     !val_to_int(b, &step, "the step", &a->step)))
		return false;
	if (a->step == 0 || a->step < -(INT64_C(1) << 40) ||
	    a->step > INT64_C(1) << 40)
		return fail_at(b, n->c->loc, NULL,
			       a->step ? "the step is out of range"
				       : "the step of a slice is zero");
	/*
	 * Python cuts both bounds at both ends. A start beyond its end, or a
	 * stop before it, gives a negative length as well, which is 0 once
	 * cut; so only the other ends are cut, and the expressions stay small.
	 */
	bool up = a->step > 0;
	Ex start = up ? zero : last, stop = up ? extent : ex_const(t, -1);
	if (n->a) {
		if (!bound(b, n->a, extent, &start))
			return false;
		start = up ? larger_extent(b, start, zero)
			   : smaller(b, start, last);
	}
	if (n->b) {
		if (!bound(b, n->b, extent, &stop))
			return false;
		stop = up ? smaller(b, stop, extent)
			  : larger_extent(b, stop, ex_const(t, -1));
	}
	Ex length = larger_extent(
		b, up ? ex_sub(t, stop, start) : ex_sub(t, start, stop), zero);
	a->start = start;
	a->count = ex_ceil_div(t, length, ex_const(t, up ? a->step : -a->step));
	return extent_check(b);
}

static bool integer_axis(Build *b, const Val *x, const Val *item, int axis,
			 Ex extent, AxisIndex *a)
{
	ExprTab *t = &b->p->ex;
	Ex one = ex_const(t, 1), i;
	int64_t n, size = 0;
	if (item->kind == VAL_TENSOR)
		return fail_at(b, item->loc,
			       "gather(x, index, axis=0) takes slices by a "
			       "tensor of indices",
			       "an index in brackets is an integer or a slice");
	if (!val_to_extent(b, item, "an index", &i) ||
	    !check_sign(b, item->loc, i, extent))
		return false;
	bool number = ex_is_const(t, i, &n);
	if (number && ex_is_const(t, extent, &size) && (n >= size || n < -size))
		return fail_at(b, item->loc, NULL,
			       "index %lld is out of range for axis %d of %s",
			       (long long)n, axis, val_text(b, x));
	Ex from_start = number && n < 0 ? ex_add(t, extent, i) : i;
	Ex room = ex_sub(t, ex_sub(t, extent, one), from_start);
	*a = (AxisIndex){.start = from_start, .count = one, .step = 1};
	a->removed = true;
	if (!extent_check(b))
		return false;
	if (proved(b, from_start) && proved(b, room))
		return true;
	*a = (AxisIndex){.start = ex_const(t, 0), .count = extent, .step = 1};
	a->removed = a->gathered = true;
	a->index = i;
	return true;
}

static bool emit_slice(Build *b, const Val *x, const AxisIndex *a, Val *out)
{
	Value from = val_value(b, x);
	ExprTab *t = &b->p->ex;
	Value v = {.op = OP_SLICE, .rank = from.rank, .nargs = 1};
	bool all = true;
	v.args = &x->id;
	for (int d = 0; d < from.rank; d++) {
		v.start[d] = a[d].start;
		v.step[d] = a[d].step;
		v.shape[d] = a[d].count;
		all = all && a[d].step == 1 && a[d].count == from.shape[d] &&
		      ex_equals(t, a[d].start, 0);
	}
	if (all) {
		*out = *x;
		return true;
	}
	return emit(b, &v, out);
}

/*
 * An index as an i64 value. One such as M - 1 may be negative, which no dim
 * used as a value may be: it is made as the value M and a subtraction.
 */
static bool index_value(Build *b, Ex index, Val *out)
{
	ExprTab *t = &b->p->ex;
	int64_t n, below = 0;
	if (ex_is_const(t, index, &n))
		return make_int(b, n, DT_I64, out);
	const ExNode *e = ex_node(t, index);
	for (uint32_t k = 0; e->kind == EX_POLY && k < e->nterms; k++)
		if (!e->terms[k].natoms && e->terms[k].coef < 0)
			below = e->terms[k].coef;
	Val dim = val_dim(b, ex_sub(t, index, ex_const(t, below)));
	Val parts[2];
	if (!extent_check(b) || !val_materialise(b, &dim, DT_I64, &parts[0]))
		return false;
	if (!below) {
		*out = parts[0];
		return true;
	}
	return make_int(b, below, DT_I64, &parts[1]) &&
	       make_elementwise(b, OP_ADD, "+", parts, 2, out);
}

static bool emit_gather(Build *b, const Val *x, int axis, Ex index, Val *out)
{
	Val i;
	if (!index_value(b, index, &i))
		return false;
	ValueId ids[2] = {x->id, i.id};
	Value v = {.op = OP_GATHER, .nargs = 2, .args = ids};
	v.axis = (uint32_t)axis;
	return emit(b, &v, out);
}

/* Which kids stand where: axis number of x, or -1 for a new axis. */
typedef struct Layout {
	const Node *kid[2 * TN_MAX_RANK];
	int axis[2 * TN_MAX_RANK];
	size_t n;
} Layout;

static bool lay_out(Build *b, const Val *x, const Node *n, Layout *l)
{
	size_t rank = val_value(b, x).rank, used = 0, ellipses = 0;
	for (size_t i = 0; i < n->nkids; i++) {
		NodeKind k = n->kids[i]->kind;
		ellipses += k == N_ELLIPSIS;
		used += k != N_ELLIPSIS && k != N_NONE;
	}
	if (ellipses > 1)
		return fail_at(b, b->at, NULL,
			       "an index may hold one `...`, not %zu",
			       ellipses);
	if (used > rank)
		return fail_at(b, b->at, NULL,
			       "%zu indices for %s, of rank "
			       "%zu",
			       used, val_text(b, x), rank);
	if (n->nkids > 2 * TN_MAX_RANK)
		return fail_at(b, b->at, NULL, "too many indices");
	int axis = 0;
	for (size_t i = 0; i <= n->nkids; i++) {
		const Node *k = i < n->nkids ? n->kids[i] : NULL;
		bool fill = k ? k->kind == N_ELLIPSIS : ellipses == 0;
		size_t rest = fill ? rank - used : 0;
		for (size_t j = 0; j < rest; j++) {
			if (l->n == ARRAY_LEN(l->kid))
				return fail_at(b, b->at, NULL,
					       "too many indices");
			l->axis[l->n++] = axis++;
		}
		if (!k || k->kind == N_ELLIPSIS)
			continue;
		if (l->n == ARRAY_LEN(l->kid))
			return fail_at(b, b->at, NULL, "too many indices");
		l->kid[l->n] = k;
		l->axis[l->n++] = k->kind == N_NONE ? -1 : axis++;
	}
	return true;
}

static bool index_list(Build *b, const Val *x, const Node *n, Val *out)
{
	Val i;
	int64_t k;
	if (n->nkids != 1 || n->kids[0]->kind == N_SLICE)
		return fail_at(b, b->at, NULL,
			       "a list takes one integer as its index");
	if (!eval(b, n->kids[0], &i) || !val_to_int(b, &i, "an index", &k))
		return false;
	int64_t size = (int64_t)x->n;
	if (k >= size || k < -size)
		return fail_at(b, i.loc, NULL,
			       "index %lld is out of range for %lld entries",
			       (long long)k, (long long)size);
	*out = x->items[k < 0 ? k + size : k];
	out->loc = b->at;
	return true;
}

bool make_index(Build *b, const Val *x, const Node *n, Val *out)
{
	if (x->kind == VAL_LIST)
		return index_list(b, x, n, out);
	b->called = "[]";
	if (!need_tensor(b, x))
		return false;
	Value v = val_value(b, x);
	AxisIndex a[TN_MAX_RANK];
	Layout l = {0};
	ExprTab *t = &b->p->ex;
	if (!lay_out(b, x, n, &l))
		return false;
	for (size_t i = 0; i < l.n; i++) {
		if (l.axis[i] < 0)
			continue;
		int axis = l.axis[i];
		const Node *k = l.kid[i];
		Val item;
		a[axis] = (AxisIndex){.start = ex_const(t, 0), .step = 1};
		a[axis].count = v.shape[axis];
		if (!k)
			continue;
		bool ok =
			k->kind == N_SLICE
				? slice_axis(b, k, v.shape[axis], &a[axis])
				: eval(b, k, &item) &&
					  integer_axis(b, x, &item, axis,
						       v.shape[axis], &a[axis]);
		if (!ok)
			return false;
	}
	/* one slice, then the axes that stay, are new, or are gathered */
	Val cut;
	Ex shape[2 * TN_MAX_RANK], index[TN_MAX_RANK];
	int gathered[TN_MAX_RANK];
	size_t rank = 0, ngathered = 0;
	for (size_t i = 0; i < l.n; i++) {
		int axis = l.axis[i];
		if (axis >= 0 && a[axis].removed && !a[axis].gathered)
			continue;
		if (axis >= 0 && a[axis].gathered) {
			gathered[ngathered] = (int)rank;
			index[ngathered++] = a[axis].index;
		}
		shape[rank++] = axis < 0 ? ex_const(t, 1) : a[axis].count;
	}
	if (rank > TN_MAX_RANK)
		return fail_at(b, b->at, NULL,
			       "the index gives rank %zu; %d is the most", rank,
			       TN_MAX_RANK);
	if (!emit_slice(b, x, a, &cut) ||
	    !make_reshape(b, &cut, shape, rank, out))
		return false;
	while (ngathered-- > 0) {
		Val from = *out;
		if (!emit_gather(b, &from, gathered[ngathered],
				 index[ngathered], out))
			return false;
	}
	return true;
}
