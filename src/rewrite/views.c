/*
 * views: chains of views become one index map, or nothing.
 *
 * Requires: a verified program. Ensures: every VIEW-class value is a VIEW
 * whose operand is not a view, with a map simplified under its extents and
 * proved to stay inside the operand; a view that shows its operand
 * unchanged is gone. (A reshape whose own map has no proof stays a reshape.)
 * Why: a realisation then has one map between a load and memory, whatever
 * the author wrote. Where a composed map has no proof, a copy goes between.
 */
#include "rewrite/rebuild.h"

#include "ir/view.h"

#include <string.h>

/* v as a VIEW of x through the map; its attributes are that map only. */
static Value view_of(const Value *v, const ValueId *x, const Ex *map,
		     size_t rank)
{
	Value w = {.op = OP_VIEW,
		   .dtype = v->dtype,
		   .rank = v->rank,
		   .nargs = 1,
		   .args = x,
		   .relax = v->relax,
		   .loc = v->loc,
		   .name = v->name,
		   .via = v->via};
	memcpy(w.shape, v->shape, sizeof(w.shape));
	if (rank)
		memcpy(w.map, map, rank * sizeof(Ex));
	return w;
}

/* The view's operand, if the view shows it unchanged. */
static ValueId shown_unchanged(Rebuild *r, const Value *v)
{
	const Value *x = program_value(r->q, v->args[0]);
	if (!value_same_shape(v, x))
		return NO_VALUE;
	Ex map[TN_MAX_RANK];
	view_map(r->q, v, map);
	for (size_t d = 0; d < x->rank; d++)
		if (!ex_equals(&r->q->ex, x->shape[d], 1) &&
		    map[d] != ex_axis(&r->q->ex, (int64_t)d))
			return NO_VALUE;
	return v->args[0];
}

/* The view v, composed with the VIEW that its operand may be. */
static Value composed(Rebuild *r, const Value *v)
{
	const Value *x = program_value(r->q, v->args[0]);
	Ex outer[TN_MAX_RANK], map[TN_MAX_RANK];
	view_map(r->q, v, outer);
	if (x->op != OP_VIEW)
		return view_of(v, v->args, outer, x->rank);
	const Value *base = program_value(r->q, x->args[0]);
	for (size_t d = 0; d < base->rank; d++)
		map[d] = ex_subst_axes(&r->q->ex, x->map[d], outer, x->rank);
	/* as a view of its own, so that view_map simplifies the whole */
	Value w = view_of(v, x->args, map, base->rank);
	view_map(r->q, &w, map);
	return view_of(v, x->args, map, base->rank);
}

/* A VIEW must be proved to stay inside; some composed maps are not. */
static bool composes(Rebuild *r, const Value *v)
{
	Value w = composed(r, v);
	return view_map_inside(r->q, &w, program_value(r->q, w.args[0]), w.map);
}

static ValueId add_view(Rebuild *r, const Value *v)
{
	Value w = composed(r, v);
	ValueId same = shown_unchanged(r, &w);
	return same != NO_VALUE ? same : program_add(r->q, &w);
}

/* ---- rules ----------------------------------------------------------- */

static ValueId view_none(Rebuild *r, ValueId old TN_UNUSED, const Value *v)
{
	return op_info[v->op].cls == OPC_VIEW ? shown_unchanged(r, v)
					      : NO_VALUE;
}

/*
 * A gain or bias is widened where it is used, not in a kernel before. Only
 * for what is in memory anyway, and never for a result.
 */
static ValueId view_below_cast(Rebuild *r, ValueId old, const Value *v)
{
	if (op_info[v->op].cls != OPC_VIEW ||
	    r->uses.is_result[r->olds[old].args[0]])
		return NO_VALUE;
	Value wide = *program_value(r->q, v->args[0]);
	if (wide.op != OP_CAST)
		return NO_VALUE;
	const Value *x = program_value(r->q, wide.args[0]);
	DType from = x->dtype;
	if (x->op == OP_VIEW)
		x = program_value(r->q, x->args[0]);
	if (op_info[x->op].cls != OPC_LEAF || !dtype_holds(wide.dtype, from))
		return NO_VALUE;
	Value narrow = *v;
	narrow.args = wide.args;
	narrow.dtype = from;
	narrow.name = NULL;
	if (!composes(r, &narrow))
		return NO_VALUE;
	ValueId shown = add_view(r, &narrow);
	wide.args = &shown;
	wide.rank = v->rank;
	memcpy(wide.shape, v->shape, sizeof(wide.shape));
	wide.name = v->name;
	return program_add(r->q, &wide);
}

static ValueId view_chain(Rebuild *r, ValueId old TN_UNUSED, const Value *v)
{
	if (op_info[v->op].cls != OPC_VIEW ||
	    program_value(r->q, v->args[0])->op != OP_VIEW || !composes(r, v))
		return NO_VALUE;
	return add_view(r, v);
}

static ValueId view_map_only(Rebuild *r, ValueId old TN_UNUSED, const Value *v)
{
	if (op_info[v->op].cls != OPC_VIEW || v->op == OP_VIEW ||
	    !composes(r, v))
		return NO_VALUE;
	return add_view(r, v);
}

static const Rule rows[] = {
	{"view_none", view_none, "every element is shown at its own index", 0},
	{"view_below_cast", view_below_cast,
	 "a widening cast is exact, so an element is the same whether it is "
	 "widened before or after it is shown",
	 0},
	{"view_chain", view_chain, "the composed map reads the same element",
	 0},
	{"view_map", view_map_only, "the map is the view's own definition", 0},
};

const RuleSet views_rules = {rows, ARRAY_LEN(rows)};

/* A map beyond the limits of an expression has no meaning: refuse it. */
static bool maps_fit(Rebuild *r)
{
	if (!r->q->ex.overflow)
		return true;
	Loc loc = r->q->loc;
	for (size_t i = 0; i < r->nolds; i++)
		if (op_info[r->olds[i].op].cls == OPC_VIEW)
			loc = r->olds[i].loc;
	return diag_error(r->ctx, loc, "use fewer views in a chain",
			  "the index map of a chain of views is too large");
}

Program *rewrite_views(Ctx *ctx, Arena *a, const Program *p, RewriteLog *log)
{
	Rebuild r;
	rebuild_begin(&r, ctx, a, p, log);
	rebuild_all(&r, &views_rules);
	return maps_fit(&r) ? rebuild_end(&r) : NULL;
}
