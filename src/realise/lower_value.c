/*
 * lower_value: the statements that compute a value at an index.
 *
 * What memory holds is loaded; elementwise values are computed from their
 * arguments at the same index, views by mapping it, and what moves elements
 * under the conditions that say where each comes from. A value computed at an
 * index before, in a scope that is still open, is that variable.
 */
#include "realise/lower.h"

#include "ir/view.h"

#include <string.h>

void lower_bind(Lower *l, ValueId v, const Ex *index, VarId var)
{
	uint8_t rank = program_value(l->p, v)->rank;
	Ex *copy = arena_array(l->arena, Ex, rank + 1);

	if (rank > 0) /* index may be NULL otherwise */
		memcpy(copy, index, rank * sizeof(Ex));
	Ex *conds = arena_array(l->arena, Ex, l->conds.n + 1);
	if (l->conds.n > 0)
		memcpy(conds, l->conds.p, l->conds.n * sizeof(Ex));
	VEC_PUSH(l->arena, l->memo, ((Memo){v, copy, var, conds, l->conds.n}));
}

/* Whether two indices of v are one: an axis of one element has index 0,
 * which a view may say where a loop says its counter. */
static bool same_element(const Lower *l, const Value *v, const Ex *a,
			 const Ex *b)
{
	int64_t n;

	for (int d = 0; d < v->rank; d++)
		if (a[d] != b[d] &&
		    !(ex_is_const(&l->p->ex, v->shape[d], &n) && n == 1))
			return false;
	return true;
}

static bool same_guard(const Lower *l, const Memo *m)
{
	return m->nconds == l->conds.n &&
	       (m->nconds == 0 ||
		!memcmp(m->conds, l->conds.p, m->nconds * sizeof(Ex)));
}

/* Where its guard does not hold, zero stands for the value: another guard
 * makes another of it, at one index as well. What a fold came to is bound
 * whatever the guard. */
static bool may_recall(const Lower *l, const Memo *m, const Value *v,
		       const Ex *index)
{
	OpClass c = op_info[v->op].cls;
	bool folded = c == OPC_REDUCE || c == OPC_SCAN || c == OPC_CONTRACT;

	return (folded || same_guard(l, m)) &&
	       same_element(l, v, m->index, index);
}

static VarId recall(const Lower *l, ValueId v, const Ex *index)
{
	const Value *val = program_value(l->p, v);

	for (size_t i = l->memo.n; i-- > 0;) {
		const Memo *m = &l->memo.p[i];
		if (m->value == v && may_recall(l, m, val, index))
			return m->var;
	}
	return NO_VAR;
}

Ex lower_flat_index(Lower *l, const Value *v, const Ex *index)
{
	ExprTab *t = &l->p->ex;
	Ex flat = ex_const(t, 0);

	if (l->is_flat && lower_is_space(l, v))
		return index[0];
	for (int d = 0; d < v->rank; d++)
		flat = ex_add(t, ex_mul(t, flat, v->shape[d]), index[d]);
	return flat;
}

static VarId lower_elem(Lower *l, ValueId id, const Value *v, const Ex *index)
{
	VarId args[3];
	DType from = v->dtype;

	bug_if(v->nargs > 3);
	for (uint32_t i = 0; i < v->nargs; i++) {
		args[i] = lower_value(l, v->args[i], index);
		if (v->op != OP_WHERE)
			from = program_value(l->p, v->args[i])->dtype;
	}
	VarId var = lower_op(l, v->op, v->dtype, from, args, v->nargs, id);
	if (op_has(v->op, 'T') && !dtype_is_float(from))
		l->at->p[l->at->n - 1]->ex = lower_flat_index(l, v, index);
	return var;
}

/* The integer that v is at the index, if positions alone say it. int64 and
 * the sums of a few positions: nothing wraps. */
static bool as_position(Lower *l, ValueId id, const Ex *index, int depth,
			Ex *out)
{
	ExprTab *t = &l->p->ex;
	const Value *v = program_value(l->p, id);
	Ex map[TN_MAX_RANK], a, b;
	int64_t n;

	if (v->dtype != DT_I64 || depth > 8)
		return false;
	if (v->op == OP_IOTA) {
		*out = index[v->axis];
		return true;
	}
	if (v->op == OP_CONST && v->rank == 0) {
		memcpy(&n, v->data, sizeof(n));
		*out = ex_const(t, n);
		return n >= -(INT64_C(1) << 40) && n <= INT64_C(1) << 40;
	}
	if (op_info[v->op].cls == OPC_VIEW) {
		const Value *x = program_value(l->p, v->args[0]);
		view_map(l->p, v, map);
		for (int d = 0; d < x->rank; d++)
			map[d] = ex_subst_axes(t, map[d], index, v->rank);
		return as_position(l, v->args[0], map, depth + 1, out);
	}
	if ((v->op != OP_ADD && v->op != OP_SUB) ||
	    !as_position(l, v->args[0], index, depth + 1, &a) ||
	    !as_position(l, v->args[1], index, depth + 1, &b))
		return false;
	*out = v->op == OP_ADD ? ex_add(t, a, b) : ex_sub(t, a, b);
	return true;
}

uint32_t lower_compare(Lower *l, ValueId id, const Ex *index, Ex *conds)
{
	ExprTab *t = &l->p->ex;
	const Value *v = program_value(l->p, id);
	Ex map[TN_MAX_RANK], a, b, one = ex_const(t, 1);

	if (op_info[v->op].cls == OPC_VIEW) {
		const Value *x = program_value(l->p, v->args[0]);
		view_map(l->p, v, map);
		for (int d = 0; d < x->rank; d++)
			map[d] = ex_subst_axes(t, map[d], index, v->rank);
		return lower_compare(l, v->args[0], map, conds);
	}
	if ((v->op != OP_LE && v->op != OP_LT && v->op != OP_GE &&
	     v->op != OP_GT && v->op != OP_EQ) ||
	    !as_position(l, v->args[0], index, 0, &a) ||
	    !as_position(l, v->args[1], index, 0, &b))
		return 0;
	bool less = v->op == OP_LE || v->op == OP_LT;
	conds[0] = less ? ex_sub(t, b, a) : ex_sub(t, a, b);
	if (v->op == OP_LT || v->op == OP_GT)
		conds[0] = ex_sub(t, conds[0], one);
	conds[1] = ex_sub(t, b, a);
	return v->op == OP_EQ ? 2 : 1;
}

/* Adds what keeps `index` inside 0 .. extent-1 to conds. */
static uint32_t inside(Lower *l, Ex index, Ex extent, Ex *conds)
{
	ExprTab *t = &l->p->ex;

	conds[0] = index;
	conds[1] = ex_sub(t, ex_sub(t, extent, index), ex_const(t, 1));
	return 2;
}

static void push_conds(Lower *l, const Ex *conds, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		VEC_PUSH(l->arena, l->conds, conds[i]);
}

static VarId lower_pad(Lower *l, const Value *v, const Ex *index)
{
	ExprTab *t = &l->p->ex;
	const Value *x = program_value(l->p, v->args[0]);
	Ex at[TN_MAX_RANK], conds[2 * TN_MAX_RANK];
	uint32_t n = 0;
	size_t memo = l->memo.n, guard = l->conds.n;

	for (int d = 0; d < v->rank; d++) {
		at[d] = ex_sub(t, index[d], v->start[d]);
		if (!ex_equals(t, v->start[d], 0) || v->shape[d] != x->shape[d])
			n += inside(l, at[d], x->shape[d], conds + n);
	}
	push_conds(l, conds, n);
	VarId args[3];
	args[1] = lower_value(l, v->args[0], at);
	l->conds.n = guard;
	l->memo.n = memo; /* made under the guard: of no use outside it */
	args[2] = lower_value(l, v->args[1], NULL);
	if (n == 0)
		return args[1];
	args[0] = lower_test(l, conds, n);
	return lower_op(l, OP_WHERE, v->dtype, v->dtype, args, 3, NO_VALUE);
}

static VarId lower_concat(Lower *l, const Value *v, const Ex *index)
{
	ExprTab *t = &l->p->ex;
	Ex at[TN_MAX_RANK], offset = ex_const(t, 0);
	VarId result = NO_VAR;

	memcpy(at, index, v->rank * sizeof(Ex));
	for (uint32_t i = 0; i < v->nargs; i++) {
		const Value *x = program_value(l->p, v->args[i]);
		size_t memo = l->memo.n, guard = l->conds.n;
		Ex conds[2];

		at[v->axis] = ex_sub(t, index[v->axis], offset);
		uint32_t n = inside(l, at[v->axis], x->shape[v->axis], conds);
		push_conds(l, conds, n);
		VarId part = lower_value(l, v->args[i], at);
		l->conds.n = guard;
		l->memo.n = memo;
		if (result == NO_VAR) {
			result = part;
		} else {
			VarId args[3] = {lower_test(l, conds, n), part, result};
			result = lower_op(l, OP_WHERE, v->dtype, v->dtype, args,
					  3, NO_VALUE);
		}
		offset = ex_add(t, offset, x->shape[v->axis]);
	}
	return result;
}

/*
 * A checked index into x's axis. Loads behind it are guarded by a
 * non-empty axis: with an empty one the check faults and yields 0.
 */
static void guard_index(Lower *l, Ex i, Ex extent)
{
	ExprTab *t = &l->p->ex;
	int64_t c;

	if (!ex_is_const(t, extent, &c) || c < 1) {
		Ex cond = ex_sub(t, ex_sub(t, extent, i), ex_const(t, 1));
		VEC_PUSH(l->arena, l->conds, cond);
	}
}

Ex lower_index(Lower *l, ValueId index, const Ex *at, Ex extent, ValueId user)
{
	VarId x = lower_value(l, index, at);
	Ex i = lower_bound(l, x, program_value(l->p, index)->dtype, extent,
			   user);

	guard_index(l, i, extent);
	return i;
}

static const Hoisted *find_hoisted(const Lower *l, ValueId v)
{
	for (size_t i = 0; i < l->hoisted.n; i++)
		if (l->hoisted.p[i].value == v)
			return &l->hoisted.p[i];
	return NULL;
}

void lower_hoist(Lower *l, ValueId id, const Ex *index)
{
	const Value *v = program_value(l->p, id);

	if (v->op != OP_GATHER)
		return;
	const Value *x = program_value(l->p, v->args[0]);
	size_t guard = l->conds.n;
	Ex axis = lower_index(l, v->args[1], index + v->axis, x->shape[v->axis],
			      id);
	l->conds.n = guard; /* only loads behind the index need it */
	VEC_PUSH(l->arena, l->hoisted, ((Hoisted){id, axis}));
}

static VarId lower_gather(Lower *l, ValueId id, const Value *v, const Ex *index)
{
	const Value *x = program_value(l->p, v->args[0]);
	const Value *ix = program_value(l->p, v->args[1]);
	size_t memo = l->memo.n, guard = l->conds.n;
	Ex at[TN_MAX_RANK];

	memcpy(at, index, v->axis * sizeof(Ex));
	const Hoisted *made = find_hoisted(l, id);
	if (made)
		guard_index(l, at[v->axis] = made->axis, x->shape[v->axis]);
	else
		at[v->axis] = lower_index(l, v->args[1], index + v->axis,
					  x->shape[v->axis], id);
	for (int d = (int)v->axis + 1; d < x->rank; d++)
		at[d] = index[d - 1 + ix->rank];
	VarId var = lower_value(l, v->args[0], at);
	l->conds.n = guard;
	l->memo.n = memo;
	return var;
}

static VarId lower_scatter(Lower *l, ValueId id, const Value *v,
			   const Ex *index)
{
	ExprTab *t = &l->p->ex;
	const Value *x = program_value(l->p, v->args[0]);
	const Value *u = program_value(l->p, v->args[2]);
	bool add = v->op == OP_SCATTER_ADD;
	Op fold = add ? OP_ADD : OP_WHERE;
	VarId acc =
		lower_acc(l, fold, v->dtype, lower_value(l, v->args[0], index));
	Ex j = lower_for(l, u->shape[v->axis], MAP_SERIAL, 1);
	Ex i = lower_index(l, v->args[1], &j, x->shape[v->axis], id);
	Ex at[TN_MAX_RANK];

	memcpy(at, index, v->rank * sizeof(Ex));
	at[v->axis] = j;
	VarId update = lower_value(l, v->args[2], at);
	Ex conds[2] = {ex_sub(t, i, index[v->axis]),
		       ex_sub(t, index[v->axis], i)};
	lower_accum_where(l, acc, fold, v->dtype, update,
			  lower_test(l, conds, 2));
	lower_end(l);
	return acc;
}

static VarId lower_view(Lower *l, const Value *v, const Ex *index)
{
	const Value *x = program_value(l->p, v->args[0]);
	Ex map[TN_MAX_RANK], at[TN_MAX_RANK];

	view_map(l->p, v, map);
	for (int d = 0; d < x->rank; d++)
		at[d] = ex_subst_axes(&l->p->ex, map[d], index, v->rank);
	return lower_value(l, v->args[0], at);
}

static VarId lower_const(Lower *l, const Value *v, ValueId id)
{
	Stmt *s = lower_append(l, ST_CONST);

	s->var = lower_new_var(l);
	s->dtype = v->dtype;
	s->data = v->data;
	s->value = id;
	return s->var;
}

static VarId lower_iota(Lower *l, const Value *v, Ex index, ValueId id)
{
	Stmt *s = lower_append(l, ST_INDEX);

	s->var = lower_new_var(l);
	s->dtype = v->dtype;
	s->ex = index;
	s->value = id;
	return s->var;
}

/* Whether memory holds v when this kernel runs. */
bool lower_in_memory(const Lower *l, ValueId v, const Value *val)
{
	if (op_info[val->op].cls == OPC_LEAF)
		return val->op != OP_IOTA &&
		       !(val->op == OP_CONST && val->rank == 0);
	return l->r->of[v] != NO_REGION && l->r->of[v] != l->region_index &&
	       op_info[val->op].cls != OPC_VIEW;
}

VarId lower_value(Lower *l, ValueId id, const Ex *index)
{
	const Value *v = program_value(l->p, id);
	VarId var = recall(l, id, index);

	if (var != NO_VAR)
		return var;
	if (lower_in_memory(l, id, v)) {
		var = lower_load(l, lower_value_buffer(l, id, SCOPE_IN), index);
		lower_bind(l, id, index, var);
		return var;
	}
	switch (op_info[v->op].cls) {
	case OPC_LEAF:
		var = v->op == OP_IOTA ? lower_iota(l, v, index[v->axis], id)
				       : lower_const(l, v, id);
		break;
	case OPC_ELEM: {
		Ex conds[2];
		uint32_t n = lower_compare(l, id, index, conds);
		if (n) {
			var = lower_test(l, conds, n);
			l->at->p[l->at->n - 1]->value = id;
		} else {
			var = lower_elem(l, id, v, index);
		}
		break;
	}
	case OPC_VIEW:
		var = lower_view(l, v, index);
		break;
	case OPC_MOVE:
		if (v->op == OP_PAD)
			var = lower_pad(l, v, index);
		else if (v->op == OP_CONCAT)
			var = lower_concat(l, v, index);
		else if (v->op == OP_GATHER)
			var = lower_gather(l, id, v, index);
		else
			var = lower_scatter(l, id, v, index);
		break;
	case OPC_REDUCE:
	case OPC_SCAN:
	case OPC_CONTRACT:
		bug("%%%u (%s) is not bound where it is read", id,
		    op_info[v->op].name);
	}
	lower_bind(l, id, index, var);
	return var;
}

bool lower_place(Lower *l, ValueId id, const Ex *index, KOperand *out)
{
	Ex map[TN_MAX_RANK], at[TN_MAX_RANK];
	const Value *v = program_value(l->p, id);

	memcpy(at, index, v->rank * sizeof(Ex));
	while (!lower_in_memory(l, id, v) && op_info[v->op].cls == OPC_VIEW) {
		const Value *x = program_value(l->p, v->args[0]);
		view_map(l->p, v, map);
		for (int d = 0; d < x->rank; d++)
			map[d] = ex_subst_axes(&l->p->ex, map[d], at, v->rank);
		memcpy(at, map, x->rank * sizeof(Ex));
		id = v->args[0];
		v = x;
	}
	if (!lower_in_memory(l, id, v) || l->is_flat)
		return false;
	out->buffer = lower_value_buffer(l, id, SCOPE_IN);
	out->nindex = v->rank;
	memcpy(out->index, at, v->rank * sizeof(Ex));
	return true;
}

void lower_result(Lower *l, ValueId v, const Ex *index)
{
	lower_store(l, lower_output(l, v), index, lower_value(l, v, index));
}

void lower_epilogue(Lower *l, const Ex *index)
{
	const Region *reg = l->region;

	for (size_t i = 0; i < reg->values.n; i++)
		if (l->r->part[reg->values.p[i]] == PART_EPILOGUE)
			lower_value(l, reg->values.p[i], index);
	for (size_t i = 0; i < reg->outputs.n; i++)
		lower_result(l, reg->outputs.p[i], index);
}
