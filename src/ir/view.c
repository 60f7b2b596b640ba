/*
 * view: index maps of TRANSPOSE, RESHAPE, SLICE, BROADCAST and VIEW.
 *
 * All but RESHAPE are read off the attributes. RESHAPE pairs groups of
 * operand axes with groups of result axes of equal size, found where the
 * products of the leading extents agree as expressions; axes of extent 1
 * take no part. Only inside a group with several axes on both sides, or one
 * that is merged, do division and modulo appear, so that a reshape that
 * only adds, drops or splits axes stays a plain index.
 */
#include "ir/view.h"

/* The index facts of v's axes; ranges has TN_MAX_RANK entries. */
static ExFacts shape_facts(const Value *v, ExRange *ranges)
{
	ExFacts f = {0};
	for (size_t d = 0; d < v->rank; d++)
		ranges[d] = (ExRange){(int64_t)d, v->shape[d]};
	f.ranges.p = ranges;
	f.ranges.n = f.ranges.cap = v->rank;
	return f;
}

/* Drops what the extents of v make needless, and indices of unit axes. */
static void map_simplify(Program *p, const Value *v, const Value *x, Ex *map)
{
	ExRange ranges[TN_MAX_RANK];
	ExFacts f = shape_facts(v, ranges);
	Ex zero = ex_const(&p->ex, 0), at[TN_MAX_RANK];
	for (size_t d = 0; d < v->rank; d++)
		at[d] = ex_equals(&p->ex, v->shape[d], 1)
				? zero
				: ex_axis(&p->ex, (int64_t)d);
	for (size_t d = 0; d < x->rank; d++) {
		if (ex_equals(&p->ex, x->shape[d], 1)) {
			map[d] = zero;
			continue;
		}
		map[d] = ex_subst_axes(&p->ex, map[d], at, v->rank);
		map[d] = ex_simplify(&p->ex, &f, map[d]);
	}
}

/* The axes of v whose extent is not 1, and the products of their extents
 * from the left: product[k] covers the first k of them. */
typedef struct Axes {
	size_t n;
	size_t axis[TN_MAX_RANK];
	Ex product[TN_MAX_RANK + 1];
} Axes;

static Axes axes_of(Program *p, const Value *v)
{
	Axes a = {0};
	a.product[0] = ex_const(&p->ex, 1);
	for (size_t d = 0; d < v->rank; d++) {
		if (ex_equals(&p->ex, v->shape[d], 1))
			continue;
		a.axis[a.n++] = d;
		a.product[a.n] =
			ex_mul(&p->ex, a.product[a.n - 1], v->shape[d]);
	}
	return a;
}

/* Operand axes x.axis[i0..i1) hold the elements of v.axis[j0..j1). */
static void reshape_group(Program *p, const Value *xv, const Axes *x, size_t i0,
			  size_t i1, const Value *vv, const Axes *v, size_t j0,
			  size_t j1, Ex *map)
{
	ExprTab *t = &p->ex;
	Ex linear = ex_const(t, 0);
	for (size_t j = j0; j < j1; j++)
		linear = ex_add(t, ex_mul(t, linear, vv->shape[v->axis[j]]),
				ex_axis(t, (int64_t)v->axis[j]));
	Ex stride = ex_const(t, 1);
	for (size_t i = i1; i-- > i0;) {
		Ex extent = xv->shape[x->axis[i]];
		Ex at = ex_div(t, linear, stride);
		map[x->axis[i]] = i == i0 ? at : ex_mod(t, at, extent);
		stride = ex_mul(t, stride, extent);
	}
}

static void reshape_map(Program *p, const Value *xv, const Value *vv, Ex *map)
{
	Axes x = axes_of(p, xv), v = axes_of(p, vv);
	for (size_t d = 0; d < xv->rank; d++)
		map[d] = ex_const(&p->ex, 0);
	/* No element at all: no index is ever used. */
	for (size_t d = 0; d < xv->rank; d++)
		if (ex_equals(&p->ex, xv->shape[d], 0))
			return;
	size_t i0 = 0, j0 = 0;
	for (size_t i = 1; i <= x.n; i++) {
		for (size_t j = j0 + 1; j <= v.n; j++) {
			bool last = i == x.n && j == v.n;
			if (x.product[i] != v.product[j] && !last)
				continue;
			reshape_group(p, xv, &x, i0, i, vv, &v, j0, j, map);
			i0 = i;
			j0 = j;
			break;
		}
	}
}

void view_map(Program *p, const Value *v, Ex *map)
{
	ExprTab *t = &p->ex;
	const Value *x = program_value(p, v->args[0]);
	for (size_t d = 0; d < x->rank; d++)
		map[d] = ex_const(t, 0);
	if (v->op == OP_RESHAPE) {
		reshape_map(p, x, v, map);
	} else if (v->op == OP_TRANSPOSE) {
		for (size_t d = 0; d < v->rank; d++)
			map[v->perm[d]] = ex_axis(t, (int64_t)d);
	} else if (v->op == OP_SLICE) {
		for (size_t d = 0; d < v->rank; d++)
			map[d] = ex_add(t, v->start[d],
					ex_mul(t, ex_const(t, v->step[d]),
					       ex_axis(t, (int64_t)d)));
	} else if (v->op == OP_BROADCAST) {
		for (size_t d = 0; d < x->rank; d++)
			if (!ex_equals(t, x->shape[d], 1))
				map[d] = ex_axis(
					t, (int64_t)(v->rank - x->rank + d));
	} else {
		bug_if(v->op != OP_VIEW);
		for (size_t d = 0; d < x->rank; d++)
			map[d] = v->map[d];
	}
	map_simplify(p, v, x, map);
}

ValueId view_base(Program *p, ValueId v, Ex *map)
{
	const Value *top = program_value(p, v);
	for (size_t d = 0; d < top->rank; d++)
		map[d] = ex_axis(&p->ex, (int64_t)d);
	for (;;) {
		const Value *at = program_value(p, v);
		if (op_info[at->op].cls != OPC_VIEW)
			return v;
		Ex step[TN_MAX_RANK];
		view_map(p, at, step);
		const Value *x = program_value(p, at->args[0]);
		for (size_t d = 0; d < x->rank; d++)
			step[d] = ex_subst_axes(&p->ex, step[d], map, at->rank);
		map_simplify(p, top, x, step);
		for (size_t d = 0; d < x->rank; d++)
			map[d] = step[d];
		v = at->args[0];
	}
}

bool value_same_shape(const Value *a, const Value *b)
{
	if (a->rank != b->rank)
		return false;
	for (size_t d = 0; d < a->rank; d++)
		if (a->shape[d] != b->shape[d])
			return false;
	return true;
}

bool view_is_identity(Program *p, ValueId v, ValueId base, const Ex *map)
{
	const Value *a = program_value(p, v), *b = program_value(p, base);
	if (!value_same_shape(a, b))
		return false;
	for (size_t d = 0; d < b->rank; d++)
		if (!ex_equals(&p->ex, b->shape[d], 1) &&
		    map[d] != ex_axis(&p->ex, (int64_t)d))
			return false;
	return true;
}
