/*
 * view: index maps of TRANSPOSE, RESHAPE, SLICE, BROADCAST and VIEW.
 *
 * All but RESHAPE are read off the attributes. RESHAPE pairs groups of
 * operand axes with groups of result axes of equal size, found where the
 * products of the leading extents agree as expressions; axes of extent 1
 * take no part. Inside a group, extents that divide each other split one
 * another from the right, which leaves division and modulo only where an
 * operand axis was merged into a larger one; else the number of the element
 * within the group is taken apart.
 */
#include "ir/view.h"

#include <inttypes.h>

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

/*
 * Divides inside a modulo where it can: (x % (b*q))//b is (x//b) % q, which
 * then meets x//b//q in a sum as reshapes of reshapes make it.
 */
static Ex divide_first(ExprTab *t, Ex e)
{
	ExNode n = *ex_node(t, e);
	Ex sum = ex_const(t, 0), q;
	switch (n.kind) {
	case EX_CONST:
	case EX_DIM:
	case EX_AXIS:
		return e;
	case EX_POLY:
		for (uint32_t i = 0; i < n.nterms; i++) {
			Ex m = ex_const(t, n.terms[i].coef);
			for (uint32_t k = 0; k < n.terms[i].natoms; k++)
				m = ex_mul(
					t, m,
					divide_first(t, n.terms[i].atoms[k]));
			sum = ex_add(t, sum, m);
		}
		return sum;
	case EX_DIV:
	case EX_MOD:
	case EX_MIN:
	case EX_MAX:
		break;
	}
	Ex a = divide_first(t, n.a), b = divide_first(t, n.b);
	if (n.kind == EX_MIN)
		return ex_min(t, a, b);
	if (n.kind == EX_MAX)
		return ex_max(t, a, b);
	ExNode x = *ex_node(t, a);
	if (x.kind == EX_MOD && ex_divide(t, x.b, b, &q))
		return n.kind == EX_MOD ? ex_mod(t, x.a, b)
					: ex_mod(t, ex_div(t, x.a, b), q);
	return n.kind == EX_DIV ? ex_div(t, a, b) : ex_mod(t, a, b);
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
		map[d] = divide_first(&p->ex, map[d]);
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

/* One group: axes x[0..nx) of the operand hold the elements of the axes
 * v[0..nv) of the result. */
typedef struct Group {
	const Value *xv, *vv;
	const size_t *x, *v;
	size_t nx, nv;
} Group;

/*
 * From the right, the smaller of two extents splits the larger when it
 * divides it. False when one does not; map is then half made.
 */
static bool group_by_factors(ExprTab *t, const Group *g, Ex *map)
{
	Ex one = ex_const(t, 1), a = one, b = one, at = one, stride = one;
	for (size_t i = g->nx, j = g->nv; i > 0 || j > 0 || a != one;) {
		if (a == one) {
			if (i-- == 0)
				return false;
			a = g->xv->shape[g->x[i]];
			map[g->x[i]] = ex_const(t, 0);
			stride = one;
		}
		if (b == one) {
			if (j-- == 0)
				return false;
			b = g->vv->shape[g->v[j]];
			at = ex_axis(t, (int64_t)g->v[j]);
		}
		Ex q, f = a, part = at;
		if (ex_divide(t, a, b, &q)) {
			f = b;
			a = q;
			b = one;
		} else if (ex_divide(t, b, a, &q)) {
			part = ex_mod(t, at, a);
			at = ex_div(t, at, a);
			a = one;
			b = q;
		} else {
			return false;
		}
		Ex *to = &map[g->x[i]];
		*to = ex_add(t, *to, ex_mul(t, part, stride));
		stride = ex_mul(t, stride, f);
	}
	return b == one;
}

/* By the number of the element within the group. */
static void group_by_number(ExprTab *t, const Group *g, Ex *map)
{
	Ex linear = ex_const(t, 0), stride = ex_const(t, 1);
	for (size_t j = 0; j < g->nv; j++)
		linear = ex_add(t, ex_mul(t, linear, g->vv->shape[g->v[j]]),
				ex_axis(t, (int64_t)g->v[j]));
	for (size_t i = g->nx; i-- > 0;) {
		Ex extent = g->xv->shape[g->x[i]];
		Ex at = ex_div(t, linear, stride);
		map[g->x[i]] = i == 0 ? at : ex_mod(t, at, extent);
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
			Group g = {xv,          vv,     x.axis + i0,
				   v.axis + j0, i - i0, j - j0};
			if (!group_by_factors(&p->ex, &g, map))
				group_by_number(&p->ex, &g, map);
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

bool view_map_inside(Program *p, const Value *v, const Value *x, const Ex *map)
{
	ExprTab *t = &p->ex;
	ExRange ranges[TN_MAX_RANK];
	ExFacts f = shape_facts(v, ranges);
	for (size_t d = 0; d < x->rank; d++) {
		Ex last = ex_sub(t, x->shape[d], ex_const(t, 1));
		if (!ex_prove_nonneg(t, &f, map[d]) ||
		    !ex_prove_nonneg(t, &f, ex_sub(t, last, map[d])))
			return false;
	}
	return true;
}

typedef struct Cut {
	int64_t first, last, extent; /* of the operand's axis */
} Cut;

/* False where no element is shown, or there is no such number. */
static bool cut_of(const Program *p, const Value *v, int d, const int64_t *dims,
		   Cut *c)
{
	const Value *x = program_value((Program *)p, v->args[0]);
	int64_t n, run;

	if (!ex_eval_checked(&p->ex, v->shape[d], dims, NULL, &n) || n <= 0 ||
	    !ex_eval_checked(&p->ex, v->start[d], dims, NULL, &c->first) ||
	    !ex_eval_checked(&p->ex, x->shape[d], dims, NULL, &c->extent))
		return false;
	if (__builtin_mul_overflow(n - 1, v->step[d], &run) ||
	    __builtin_add_overflow(c->first, run, &c->last))
		c->last = -1;
	return true;
}

bool slice_check(Ctx *ctx, const Program *p, ValueId id, const int64_t *dims)
{
	const Value *v = program_value((Program *)p, id);
	Cut c[TN_MAX_RANK];

	if (v->op != OP_SLICE)
		return true;
	for (int d = 0; d < v->rank; d++)
		if (!cut_of(p, v, d, dims, &c[d]))
			return true;
	for (int d = 0; d < v->rank; d++)
		if (c[d].first < 0 || c[d].first >= c[d].extent ||
		    c[d].last < 0 || c[d].last >= c[d].extent)
			return diag_error(
				ctx, v->loc, NULL,
				"`slice`: axis %d runs from %" PRId64
				" to %" PRId64 " under these sizes, outside "
				"its extent of %" PRId64,
				d, c[d].first, c[d].last, c[d].extent);
	return true;
}

bool value_never_positive(Program *p, ValueId v)
{
	const Value *less = program_value(p, v), *x, *max;
	Ex map[TN_MAX_RANK];
	int kept = 0;

	if (less->op != OP_SUB)
		return false;
	max = program_value(p, view_base(p, less->args[1], map));
	x = program_value(p, less->args[0]);
	if (max->op != OP_MAX || max->args[0] != less->args[0])
		return false;
	for (int d = 0; d < x->rank; d++) {
		if (max->axes >> d & 1)
			continue;
		if (map[kept] != ex_axis(&p->ex, d) &&
		    !ex_equals(&p->ex, x->shape[d], 1))
			return false;
		kept++;
	}
	return kept == max->rank;
}
