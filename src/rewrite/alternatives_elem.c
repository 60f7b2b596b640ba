/*
 * alternatives_elem: elementwise values, casts and views among the rules of
 * alternatives_rules.c.
 */
#include "rewrite/alternatives_rules.h"

#include "rewrite/rebuild.h"

#include <string.h>

/* ---- views ----------------------------------------------------------- */

void view_chain(Egraph *g, NodeId n)
{
	Value v = egraph_node(g, n)->v;
	size_t count;

	if (v.op != OP_VIEW)
		return;
	const NodeId *list = egraph_nodes(g, v.args[0], &count);
	for (size_t i = 0; i < count; i++) {
		Value x = egraph_node(g, list[i])->v;
		if (x.op != OP_VIEW)
			continue;
		Ex map[TN_MAX_RANK];
		size_t rank = egraph_class(g, x.args[0])->rank;
		for (size_t d = 0; d < rank; d++)
			map[d] = ex_subst_axes(&g->q->ex, x.map[d], v.map,
					       x.rank);
		alternatives_say(g, n, view_of(g, x.args[0], &v, map));
	}
}

/* f's op on other operands, of the first one's shape. */
static ClassId elem_on(Egraph *g, NodeId f, const ClassId *args, DType d)
{
	Value v = egraph_node(g, f)->v;

	for (uint32_t k = 0; k < v.nargs; k++)
		if (args[k] == NO_VALUE)
			return NO_VALUE;
	Value w = value_like(&v, v.op, v.nargs, args);
	const Value *x = egraph_class(g, args[0]);
	w.dtype = d;
	w.rank = x->rank;
	memcpy(w.shape, x->shape, sizeof(w.shape));
	return egraph_add(g, &w, f);
}

void view_of_elem(Egraph *g, NodeId n)
{
	Value v = egraph_node(g, n)->v;
	size_t count;

	if (v.op != OP_VIEW || !fewer(g, &v, egraph_class(g, v.args[0]), true))
		return;
	const NodeId *list = egraph_nodes(g, v.args[0], &count);
	for (size_t i = 0; i < count; i++) {
		Value f = egraph_node(g, list[i])->v;
		if (op_info[f.op].cls != OPC_ELEM || value_may_fault(g, &f))
			continue;
		ClassId args[3];
		for (uint32_t k = 0; k < f.nargs; k++)
			args[k] = view_of(g, f.args[k], &v, v.map);
		alternatives_say(g, n, elem_on(g, list[i], args, f.dtype));
	}
}

/* Whether a map gives one element for all of the result's. */
static bool is_splat(const Egraph *g, const Value *view)
{
	size_t rank = egraph_class(g, view->args[0])->rank;

	for (size_t d = 0; d < rank; d++)
		if (ex_uses_any_axis(&g->q->ex, view->map[d]))
			return false;
	return true;
}

/* Class x as it is before it is shown as `view` shows its operand. */
static ClassId before_view(Egraph *g, ClassId x, const Value *view)
{
	const Value *base = egraph_class(g, view->args[0]);
	size_t count;
	const NodeId *list = egraph_nodes(g, x, &count);

	for (size_t i = 0; i < count; i++) {
		const Value *y = &egraph_node(g, list[i])->v;
		if (y->op != OP_VIEW)
			continue;
		if (value_same_shape(egraph_class(g, y->args[0]), base) &&
		    !memcmp(y->map, view->map, base->rank * sizeof(Ex)))
			return y->args[0];
		if (is_splat(g, y))
			return view_of(g, y->args[0], base, y->map);
	}
	return NO_VALUE;
}

void elem_of_view(Egraph *g, NodeId n)
{
	Value v = egraph_node(g, n)->v;

	if (op_info[v.op].cls != OPC_ELEM || value_may_fault(g, &v))
		return;
	for (uint32_t k = 0; k < v.nargs; k++) {
		size_t count;
		const NodeId *list = egraph_nodes(g, v.args[k], &count);
		for (size_t i = 0; i < count; i++) {
			Value view = egraph_node(g, list[i])->v;
			if (view.op != OP_VIEW ||
			    (v.nargs > 1 && is_splat(g, &view)) ||
			    !fewer(g, egraph_class(g, view.args[0]), &v, true))
				continue;
			ClassId args[3];
			for (uint32_t j = 0; j < v.nargs; j++)
				args[j] = before_view(g, v.args[j], &view);
			ClassId f = elem_on(g, n, args, v.dtype);
			alternatives_say(g, n, view_of(g, f, &v, view.map));
		}
	}
}

/* ---- casts ----------------------------------------------------------- */

/* Ops that return one of their operands, or compare them; the sign of floats
 * as well, which no cast between floats changes. */
static bool picks(const Egraph *g, const Value *v)
{
	DType d = egraph_class(g, v->args[v->nargs - 1])->dtype;

	return v->op == OP_MAXIMUM || v->op == OP_MINIMUM ||
	       v->op == OP_WHERE ||
	       ((v->op == OP_NEG || v->op == OP_ABS) && dtype_is_float(d));
}

static bool compares(const Value *v)
{
	return op_info[v->op].cls == OPC_ELEM &&
	       op_info[v->op].result == OPR_bool;
}

static Value cast_of(Egraph *g, const ClassId *x, DType d, const Value *near)
{
	Value w = value_like(egraph_class(g, *x), OP_CAST, 1, x);

	w.dtype = d;
	w.loc = near->loc;
	w.relax = near->relax;
	w.via = near->via;
	return w;
}

/* The one element of a constant in dtype d, if that holds it exactly. */
static ClassId narrowed(Egraph *g, const Value *c, DType d)
{
	char narrow[16] = {0}, wide[16] = {0};
	const void *args[1] = {c->data};
	DType from = c->dtype;
	Value cast = {.op = OP_CAST, .dtype = d};
	Value back = {.op = OP_CAST, .dtype = from};

	if (c->data_size != (size_t)dtype_info[from].bytes ||
	    !fold_elem(&cast, 1, args, &from, narrow))
		return NO_VALUE;
	args[0] = narrow;
	if (!fold_elem(&back, 1, args, &d, wide) ||
	    memcmp(wide, c->data, c->data_size) != 0)
		return NO_VALUE;
	Value w = value_like(c, OP_CONST, 0, NULL);
	w.dtype = d;
	w.data = narrow;
	w.data_size = (size_t)dtype_info[d].bytes;
	return egraph_add(g, &w, NO_NODE);
}

/* What class x is an exact cast of; *d: of which dtype, DT_COUNT: any. A
 * constant is one of whatever holds it. */
static ClassId cast_from(Egraph *g, ClassId x, DType *d)
{
	DType wide = egraph_class(g, x)->dtype;
	size_t count;
	const NodeId *list = egraph_nodes(g, x, &count);

	for (size_t i = 0; i < count; i++) {
		Value v = egraph_node(g, list[i])->v;
		if (v.op == OP_CAST) {
			DType from = egraph_class(g, v.args[0])->dtype;
			if (from == wide || !dtype_holds(wide, from) ||
			    (*d != DT_COUNT && *d != from))
				continue;
			*d = from;
			return v.args[0];
		}
		NodeId at;
		if (*d == DT_COUNT || v.op != OP_VIEW)
			continue;
		const Value *c = class_node(g, v.args[0], OP_CONST, &at);
		ClassId narrow = c ? narrowed(g, c, *d) : NO_VALUE;
		if (narrow != NO_VALUE)
			return view_of(g, narrow, &v, v.map);
	}
	return NO_VALUE;
}

/* Operands `first` to the last before their casts, all of dtype *d. */
static bool before_casts(Egraph *g, const Value *v, uint32_t first,
			 ClassId *args, DType *d)
{
	*d = DT_COUNT;
	for (uint32_t k = first; k < v->nargs && *d == DT_COUNT; k++)
		(void)cast_from(g, v->args[k], d);
	if (*d == DT_COUNT)
		return false;
	for (uint32_t k = 0; k < v->nargs; k++) {
		args[k] = k < first ? v->args[k] : cast_from(g, v->args[k], d);
		if (args[k] == NO_VALUE)
			return false;
	}
	return true;
}

/* max(cast a, cast b) is cast(max(a, b)). */
void select_of_cast(Egraph *g, NodeId n)
{
	Value v = egraph_node(g, n)->v;
	ClassId args[3], made;
	DType d;

	if (v.op == OP_MAX || v.op == OP_MIN) {
		if (!before_casts(g, &v, 0, args, &d))
			return;
		Value w = v;
		w.args = args;
		w.dtype = d;
		made = egraph_add(g, &w, NO_NODE);
	} else {
		bool cmp = compares(&v);
		if (op_info[v.op].cls != OPC_ELEM || (!cmp && !picks(g, &v)) ||
		    !before_casts(g, &v, v.op == OP_WHERE, args, &d) ||
		    ((v.op == OP_NEG || v.op == OP_ABS) && !dtype_is_float(d)))
			return;
		made = elem_on(g, n, args, cmp ? DT_BOOL : d);
		if (cmp) {
			alternatives_say(g, n, made);
			return;
		}
	}
	if (made == NO_VALUE)
		return;
	Value c = cast_of(g, &made, v.dtype, &v);
	alternatives_say(g, n, egraph_add(g, &c, NO_NODE));
}

/* cast(max(a, b)) is max(cast a, cast b). */
void cast_of_select(Egraph *g, NodeId n)
{
	Value v = egraph_node(g, n)->v;
	size_t count;

	if (v.op != OP_CAST)
		return;
	DType from = egraph_class(g, v.args[0])->dtype;
	if (from == v.dtype || !dtype_holds(v.dtype, from))
		return;
	const NodeId *list = egraph_nodes(g, v.args[0], &count);
	for (size_t i = 0; i < count; i++) {
		Value f = egraph_node(g, list[i])->v;
		bool folds = f.op == OP_MAX || f.op == OP_MIN;
		bool sign = f.op == OP_NEG || f.op == OP_ABS;
		if (!folds && (op_info[f.op].cls != OPC_ELEM || !picks(g, &f)))
			continue;
		if (sign && !dtype_is_float(from))
			continue;
		ClassId args[3];
		for (uint32_t k = 0; k < f.nargs; k++) {
			args[k] = f.args[k];
			if (f.op == OP_WHERE && k == 0)
				continue;
			Value c = cast_of(g, &f.args[k], v.dtype, &v);
			args[k] = egraph_add(g, &c, NO_NODE);
		}
		Value w = f;
		w.args = args;
		w.dtype = v.dtype;
		alternatives_say(g, n, egraph_add(g, &w, NO_NODE));
	}
}

void move_of_cast(Egraph *g, NodeId n)
{
	Value v = egraph_node(g, n)->v;
	DType d;

	if (v.op != OP_CONCAT)
		return;
	ClassId *args = arena_array(g->arena, ClassId, v.nargs);
	if (!before_casts(g, &v, 0, args, &d))
		return;
	Value w = v;
	w.args = args;
	w.dtype = d;
	ClassId made = egraph_add(g, &w, NO_NODE);
	if (made == NO_VALUE)
		return;
	Value c = cast_of(g, &made, v.dtype, &v);
	alternatives_say(g, n, egraph_add(g, &c, NO_NODE));
}

void cast_of_move(Egraph *g, NodeId n)
{
	Value v = egraph_node(g, n)->v;
	NodeId at;

	if (v.op != OP_CAST || !class_node(g, v.args[0], OP_CONCAT, &at))
		return;
	Value m = egraph_node(g, at)->v;
	if (m.dtype == v.dtype || !dtype_holds(v.dtype, m.dtype))
		return;
	ClassId *args = arena_array(g->arena, ClassId, m.nargs);
	for (uint32_t k = 0; k < m.nargs; k++) {
		Value c = cast_of(g, &m.args[k], v.dtype, &v);
		args[k] = egraph_add(g, &c, NO_NODE);
	}
	Value w = m;
	w.args = args;
	w.dtype = v.dtype;
	alternatives_say(g, n, egraph_add(g, &w, NO_NODE));
}

/* Casts of an integer saturate as a float and wrap as an integer. */
static bool casts_alike(DType from, DType mid, DType to)
{
	bool as_float = !dtype_is_float(from) && dtype_is_float(mid) &&
			!dtype_is_float(to) && to != DT_BOOL;

	return dtype_holds(mid, from) && (!as_float || dtype_holds(to, from));
}

void cast_chain(Egraph *g, NodeId n)
{
	Value v = egraph_node(g, n)->v;
	size_t count;

	if (v.op != OP_CAST)
		return;
	DType mid = egraph_class(g, v.args[0])->dtype;
	const NodeId *list = egraph_nodes(g, v.args[0], &count);
	for (size_t i = 0; i < count; i++) {
		Value f = egraph_node(g, list[i])->v;
		if (f.op != OP_CAST)
			continue;
		ClassId x = f.args[0];
		DType from = egraph_class(g, x)->dtype;
		if (from == mid || !casts_alike(from, mid, v.dtype))
			continue;
		Value c = cast_of(g, &x, v.dtype, &v);
		alternatives_say(
			g, n, from == v.dtype ? x : egraph_add(g, &c, NO_NODE));
	}
}
