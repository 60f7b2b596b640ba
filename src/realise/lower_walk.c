/*
 * lower_walk: how many lanes a region fills, and how its operands lie in
 * memory. Realisations ask before they choose.
 */
#include "realise/lower.h"

#include "ir/view.h"

/* ---- lanes ----------------------------------------------------------- */

bool lower_is_scalar(const Regions *r, uint32_t region)
{
	const Region *reg = &r->regions.p[region];

	for (size_t i = 0; i < reg->values.n; i++) {
		const Value *v = program_value(r->program, reg->values.p[i]);
		if (!op_has(v->op, 'T'))
			continue;
		const Value *x = program_value(r->program, v->args[0]);
		if (op_info[v->op].cls == OPC_MOVE || !dtype_is_float(x->dtype))
			return true;
	}
	return false;
}

int lower_lanes(const Regions *r, uint32_t region, const Target *t)
{
	return lower_is_scalar(r, region) ? 1 : lower_lanes_of(r, region, t);
}

int lower_lanes_of(const Regions *r, uint32_t region, const Target *t)
{
	const Region *reg = &r->regions.p[region];
	int widest = 1;

	for (size_t i = 0; i < reg->values.n; i++) {
		const Value *v = program_value(r->program, reg->values.p[i]);
		for (uint32_t j = 0; j <= v->nargs; j++) {
			if (v->op == OP_GATHER && j == 1)
				continue;
			DType d = j == v->nargs ? v->dtype
						: program_value(r->program,
								v->args[j])
							  ->dtype;
			/* bool is 32 bits wide in a vector */
			int bytes =
				d == DT_BOOL
					? 4
					: dtype_info[dtype_interior(d)].bytes;
			widest = bytes > widest ? bytes : widest;
		}
	}
	return t->vector_bytes / widest;
}

/* ---- how memory is walked -------------------------------------------- */

typedef struct Walk {
	Ex best; /* linear address of the largest operand so far */
	int64_t weight;
	bool any;
} Walk;

static void walk(Lower *l, ValueId id, const Ex *index, Walk *w, int depth)
{
	ExprTab *t = &l->p->ex;
	const Value *v = program_value(l->p, id);

	if (lower_in_memory(l, id, v)) {
		Ex addr = lower_flat_index(l, v, index);
		/* more dims read: a larger operand; ties keep the first */
		int64_t weight = v->rank;
		if (!w->any || weight > w->weight)
			*w = (Walk){addr, weight, true};
		return;
	}
	if (depth > 200)
		return;
	if (op_info[v->op].cls == OPC_VIEW) {
		const Value *x = program_value(l->p, v->args[0]);
		Ex map[TN_MAX_RANK], at[TN_MAX_RANK];
		view_map(l->p, v, map);
		for (int d = 0; d < x->rank; d++)
			at[d] = ex_subst_axes(t, map[d], index, v->rank);
		walk(l, v->args[0], at, w, depth + 1);
	} else if (op_info[v->op].cls == OPC_ELEM) {
		for (uint32_t i = 0; i < v->nargs; i++)
			walk(l, v->args[i], index, w, depth + 1);
	} else if (v->op == OP_PAD || v->op == OP_CONCAT) {
		walk(l, v->args[0], index, w, depth + 1);
	}
}

int lower_stride(Lower *l, ValueId v, const Ex *index, int64_t axis)
{
	ExprTab *t = &l->p->ex;
	Walk w = {0};

	walk(l, v, index, &w, 0);
	if (!w.any || !ex_uses_axis(t, w.best, axis))
		return 0;
	/* address(axis + 1) - address(axis) */
	Ex *with = arena_array(l->arena, Ex, axis + 1);
	for (int64_t i = 0; i <= axis; i++)
		with[i] = ex_axis(t, i);
	with[axis] = ex_add(t, with[axis], ex_const(t, 1));
	Ex next = ex_subst_axes(t, w.best, with, (size_t)axis + 1);
	return ex_equals(t, ex_sub(t, next, w.best), 1) ? 1 : -1;
}
