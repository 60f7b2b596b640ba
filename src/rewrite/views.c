/*
 * views: chains of views become one index map, or nothing.
 *
 * Requires: a verified program. Ensures: every VIEW-class value is a VIEW
 * whose operand is not a view, with a map simplified under its extents; a
 * view that shows its operand unchanged is gone. Why: a realisation then
 * has one map between a load and memory, whatever the author wrote.
 */
#include "rewrite/rebuild.h"

#include "ir/view.h"

#include <string.h>

static ValueId view_none(Rebuild *r, ValueId old TN_UNUSED, const Value *v)
{
	if (op_info[v->op].cls != OPC_VIEW)
		return NO_VALUE;
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
	memcpy(w.map, map, rank * sizeof(Ex));
	return w;
}

static ValueId view_chain(Rebuild *r, ValueId old, const Value *v)
{
	if (op_info[v->op].cls != OPC_VIEW)
		return NO_VALUE;
	const Value *x = program_value(r->q, v->args[0]);
	if (x->op != OP_VIEW)
		return NO_VALUE;
	Ex outer[TN_MAX_RANK], map[TN_MAX_RANK];
	view_map(r->q, v, outer);
	const Value *base = program_value(r->q, x->args[0]);
	for (size_t d = 0; d < base->rank; d++)
		map[d] = ex_subst_axes(&r->q->ex, x->map[d], outer, x->rank);
	/* as a view of its own, so that view_map simplifies the whole */
	Value w = view_of(v, x->args, map, base->rank);
	view_map(r->q, &w, map);
	w = view_of(v, x->args, map, base->rank);
	ValueId same = view_none(r, old, &w);
	return same != NO_VALUE ? same : program_add(r->q, &w);
}

static ValueId view_map_rule(Rebuild *r, ValueId old TN_UNUSED, const Value *v)
{
	if (op_info[v->op].cls != OPC_VIEW || v->op == OP_VIEW)
		return NO_VALUE;
	Ex map[TN_MAX_RANK];
	view_map(r->q, v, map);
	Value w = view_of(v, v->args, map,
			  program_value(r->q, v->args[0])->rank);
	return program_add(r->q, &w);
}

static const Rule rows[] = {
	{"view_none", view_none, "every element is shown at its own index", 0},
	{"view_chain", view_chain, "the composed map reads the same element",
	 0},
	{"view_map", view_map_rule, "the map is the view's own definition", 0},
};

const RuleSet views_rules = {rows, ARRAY_LEN(rows)};

Program *rewrite_views(Ctx *ctx, Arena *a, const Program *p, RewriteLog *log)
{
	Rebuild r;
	rebuild_begin(&r, ctx, a, p, log);
	rebuild_all(&r, &views_rules);
	return rebuild_end(&r);
}
