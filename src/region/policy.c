/*
 * region: the rule policy, stage 2 to stage 3.
 *
 * What: puts every computed value into a region, and stores for each
 * producer and consumer why they share one or not.
 * Why: a value that stays in its region is never written to memory, and a
 * boundary costs nothing where it is rounded in a register.
 * How: values in topological order. A matmul opens a CONTRACT region and
 * takes loops that only it reads as programs on its loads; a reduction
 * turns the loop it reads into a ROWREDUCE region or opens one; an
 * elementwise value joins a producer's region whenever each of its elements
 * needs only the producers' elements at the same place, contractions
 * first, the latest first; data movement opens a LOOP region. What may not
 * happen is a cycle between regions.
 */
#include "region/groups.h"

#include "ir/view.h"
#include "region/internal.h"

static void pair_add(Grouping *g, ValueId producer, ValueId consumer,
		     Cond apart)
{
	Pair p = {.producer = producer, .consumer = consumer, .apart = apart};
	VEC_PUSH(g->arena, g->pairs, p);
}

/* Whether an earlier operand of v shows the same value. */
static bool base_repeats(const Grouping *g, const Value *v, uint32_t k)
{
	for (uint32_t i = 0; i < k; i++)
		if (g->base[v->args[i]] == g->base[v->args[k]])
			return true;
	return false;
}

static bool aligned(Grouping *g, uint32_t group, ValueId operand)
{
	return region_aligned(g->p, &g->groups.p[group].r, operand,
			      g->base[operand], g->map[operand]);
}

/* ---- elementwise ----------------------------------------------------- */

/* COND_NONE when the elementwise v may join the group, else why not. */
static Cond joins(Grouping *g, ValueId v, uint32_t group)
{
	const Value *x = program_value(g->p, v);
	const Group *to = &g->groups.p[group];
	int axis[TN_MAX_RANK];
	Cond shape = to->r.kind == REGION_ROWREDUCE ? COND_OTHER_ROWS
						    : COND_NOT_SAME_ELEMENT;
	if (to->closed)
		return COND_RUNTIME_INDEX;
	if (g->on.library && to->r.kind == REGION_CONTRACT)
		return COND_LIBRARY;
	if (region_form(g->p, &to->r, x, axis) == FORM_OTHER)
		return shape;
	for (uint32_t k = 0; k < x->nargs; k++) {
		uint32_t h = operand_group(g, x, k);
		if (h != group)
			continue;
		if (g->apart[g->base[x->args[k]]])
			return COND_PINNED;
		if (!aligned(g, group, x->args[k]))
			return shape;
	}
	for (uint32_t k = 0; k < x->nargs; k++) {
		uint32_t h = operand_group(g, x, k);
		if (h != NO_REGION && h != group && group_depends(g, h, group))
			return COND_CYCLE;
	}
	return COND_NONE;
}

/* Kinds in order of preference: a product's tile is costliest to store. */
static int preference(RegionKind k)
{
	switch (k) {
	case REGION_CONTRACT:
	case REGION_ATTENTION:
		return 2;
	case REGION_ROWREDUCE:
		return 1;
	case REGION_LOOP:
	case REGION_KIND_COUNT:
		break;
	}
	return 0;
}

static bool better(const Grouping *g, uint32_t a, uint32_t b)
{
	const Region *x = &g->groups.p[a].r, *y = &g->groups.p[b].r;
	if (x->kind != y->kind)
		return preference(x->kind) > preference(y->kind);
	return x->anchor > y->anchor;
}

/*
 * Whether the group of operand k of v, which has joined `into`, can come
 * along: loops over the same space, reductions of the same rows.
 */
static bool comes_along(Grouping *g, const Value *v, uint32_t k, uint32_t into)
{
	uint32_t h = operand_group(g, v, k);
	if (h == NO_REGION || h == into)
		return false;
	const Region *a = &g->groups.p[into].r, *b = &g->groups.p[h].r;
	if (!group_same_space(a, b) || a->kind == REGION_CONTRACT ||
	    (b->kind != REGION_LOOP &&
	     (b->kind != a->kind || b->reduced != a->reduced)))
		return false;
	return aligned(g, into, v->args[k]) && group_may_merge(g, into, h);
}

static void place_elem(Grouping *g, ValueId v)
{
	const Value *x = program_value(g->p, v);
	uint32_t best = NO_REGION;
	Cond *why = arena_array(g->arena, Cond, x->nargs + 1);
	for (uint32_t k = 0; k < x->nargs; k++) {
		uint32_t h = operand_group(g, x, k);
		if (h == NO_REGION)
			continue;
		why[k] = joins(g, v, h);
		if (why[k] == COND_NONE &&
		    (best == NO_REGION || better(g, h, best)))
			best = h;
	}
	if (best == NO_REGION)
		group_start(g, REGION_LOOP, v, x);
	else
		group_join(g, best, v,
			   g->groups.p[best].r.kind == REGION_CONTRACT
				   ? PART_EPILOGUE
				   : PART_BODY);
	for (uint32_t k = 0; k < x->nargs; k++) {
		uint32_t h = operand_group(g, x, k);
		if (h == NO_REGION || base_repeats(g, x, k))
			continue;
		if (why[k] == COND_NONE && h != best)
			why[k] = g->groups.p[h].r.kind == REGION_CONTRACT
					 ? COND_ONE_CONTRACTION
					 : COND_OTHER_KERNEL;
		pair_add(g, g->base[x->args[k]], v, why[k]);
	}
	for (uint32_t k = 0; best != NO_REGION && k < x->nargs; k++)
		if (comes_along(g, x, k, best))
			group_merge(g, best, operand_group(g, x, k), PART_BODY);
}

/* ---- reductions ------------------------------------------------------ */

static uint32_t folded_axes(const Value *x)
{
	return op_info[x->op].cls == OPC_SCAN ? (uint32_t)1 << x->axis
					      : x->axes;
}

/* COND_NONE when r may be computed with the group of its operand. */
static Cond reduces(Grouping *g, const Value *r)
{
	ValueId operand = r->args[0], base = g->base[operand];
	const Group *from = &g->groups.p[g->of[base]];
	int axis[TN_MAX_RANK];
	if (from->r.kind == REGION_CONTRACT)
		return COND_WHOLE_TILE;
	if (from->closed)
		return COND_RUNTIME_INDEX;
	if (g->apart[base])
		return COND_PINNED;
	bool rows = from->r.kind == REGION_ROWREDUCE;
	if (!view_is_identity(g->p, operand, base, g->map[operand]) ||
	    region_form(g->p, &from->r, program_value(g->p, operand), axis) !=
		    FORM_FULL)
		return rows ? COND_OTHER_ROWS : COND_NOT_SAME_ELEMENT;
	return rows && from->r.reduced != folded_axes(r) ? COND_OTHER_ROWS
							 : COND_NONE;
}

static void place_reduce(Grouping *g, ValueId v)
{
	const Value *r = program_value(g->p, v);
	uint32_t h = operand_group(g, r, 0);
	Cond why = h == NO_REGION ? COND_NONE : reduces(g, r);
	if (h != NO_REGION)
		pair_add(g, g->base[r->args[0]], v, why);
	if (h == NO_REGION || why != COND_NONE) {
		uint32_t at = group_start(g, REGION_ROWREDUCE, v,
					  program_value(g->p, r->args[0]));
		g->groups.p[at].r.reduced = folded_axes(r);
		return;
	}
	Region *to = &g->groups.p[h].r;
	if (to->kind == REGION_LOOP) {
		to->kind = REGION_ROWREDUCE;
		to->reduced = folded_axes(r);
		to->anchor = v;
	}
	group_join(g, h, v, PART_BODY);
}

/* ---- contractions ---------------------------------------------------- */

/* COND_NONE when the group can be evaluated where m loads an operand. */
static Cond loads(const Grouping *g, ValueId m, uint32_t group)
{
	const Group *from = &g->groups.p[group];
	if (from->r.kind == REGION_CONTRACT)
		return COND_CONTRACTION;
	if (from->r.kind == REGION_ROWREDUCE)
		return COND_REDUCTION_AT_LOAD;
	if (g->on.library)
		return COND_LIBRARY;
	for (size_t i = 0; i < from->r.values.n; i++) {
		ValueId v = from->r.values.p[i];
		if (op_has(program_value(g->p, v)->op, 'T'))
			return COND_RUNTIME_INDEX;
		if (g->is_result[v])
			return COND_OBSERVED;
		for (uint32_t k = g->first[v]; k < g->first[v + 1]; k++) {
			ValueId reader = g->reader[k];
			if (g->of[reader] == group)
				continue;
			if (reader != m)
				return g->base[reader] == reader
					       ? COND_SEVERAL_USES
					       : COND_OBSERVED;
			if (g->apart[v])
				return COND_PINNED;
		}
	}
	return COND_NONE;
}

static bool has_division(const ExprTab *t, Ex e)
{
	const ExNode *n = ex_node(t, e);
	bool found = n->kind == EX_DIV || n->kind == EX_MOD;
	for (uint32_t i = 0; n->kind == EX_POLY && i < n->nterms; i++)
		for (uint32_t k = 0; k < n->terms[i].natoms; k++)
			found |= has_division(t, n->terms[i].atoms[k]);
	return found;
}

/* Whether an operand is seen through a map that divides: a reshape. */
static bool is_reshaped(const Grouping *g, ValueId operand)
{
	size_t rank = program_value(g->p, g->base[operand])->rank;
	for (size_t d = 0; d < rank; d++)
		if (has_division(&g->p->ex, g->map[operand][d]))
			return true;
	return false;
}

/*
 * Loads of the group's operands at an index that itself divides: composed,
 * the two maps are beyond what can be proved to stay inside.
 */
static bool reshapes_twice(const Grouping *g, ValueId operand, uint32_t group)
{
	const Region *r = &g->groups.p[group].r;
	if (!is_reshaped(g, operand))
		return false;
	for (size_t i = 0; i < r->values.n; i++) {
		const Value *v = program_value(g->p, r->values.p[i]);
		for (uint32_t k = 0; k < v->nargs; k++)
			if (is_reshaped(g, v->args[k]))
				return true;
	}
	return false;
}

static void place_contract(Grouping *g, ValueId m)
{
	const Value *x = program_value(g->p, m);
	uint32_t to = group_start(g, REGION_CONTRACT, m, x);
	uint32_t a = operand_group(g, x, 0), b = operand_group(g, x, 1);
	for (uint32_t k = 0; k < 2; k++) {
		uint32_t h = k ? b : a;
		if (h == NO_REGION)
			continue;
		Cond why = a == b ? COND_SEVERAL_USES : COND_NONE;
		if (why == COND_NONE || g->groups.p[h].r.kind != REGION_LOOP) {
			Cond other = loads(g, m, h);
			why = other != COND_NONE ? other : why;
		}
		if (why == COND_NONE && reshapes_twice(g, x->args[k], h))
			why = COND_TWO_RESHAPES;
		if (!base_repeats(g, x, k))
			pair_add(g, g->base[x->args[k]], m, why);
		if (why == COND_NONE)
			group_merge(g, to, h, PART_PROLOGUE);
	}
}

/* ---- the rest -------------------------------------------------------- */

static void place_move(Grouping *g, ValueId v)
{
	const Value *x = program_value(g->p, v);
	for (uint32_t k = 0; k < x->nargs; k++)
		if (operand_group(g, x, k) != NO_REGION &&
		    !base_repeats(g, x, k))
			pair_add(g, g->base[x->args[k]], v,
				 COND_NOT_SAME_ELEMENT);
	uint32_t at = group_start(g, REGION_LOOP, v, x);
	/* A scatter writes in the order of its index, not element by element:
	 * its kernel does nothing else. */
	g->groups.p[at].closed = x->op == OP_SCATTER || x->op == OP_SCATTER_ADD;
}

void policy_place(Grouping *g, ValueId v)
{
	switch (op_info[program_value(g->p, v)->op].cls) {
	case OPC_LEAF:
	case OPC_VIEW:
		/* a copy, where a result asks for one */
		if (g->is_result[v] && region_copies(g->p, v))
			group_start(g, REGION_LOOP, v, program_value(g->p, v));
		return;
	case OPC_ELEM:
		place_elem(g, v);
		return;
	case OPC_MOVE:
		place_move(g, v);
		return;
	case OPC_REDUCE:
	case OPC_SCAN:
		place_reduce(g, v);
		return;
	case OPC_CONTRACT:
		place_contract(g, v);
		return;
	}
}
