/*
 * groups: the bookkeeping of regions while they grow.
 *
 * Dependence between groups is asked by walking the operands of their
 * values; programs have few groups, and no table has to be kept in step
 * with merges.
 */
#include "region/groups.h"

#include "ir/view.h"

#include <string.h>

/* Whether v counts as a reader: computed, or a copy of a view. */
static bool reads(const Grouping *g, ValueId v)
{
	return region_computes(g->p, v) || (g->is_result[v] && g->base[v] != v);
}

/* What operand k shows, unless an earlier operand shows it too. */
static ValueId distinct_base(const Grouping *g, const Value *v, uint32_t k)
{
	ValueId b = g->base[v->args[k]];
	for (uint32_t i = 0; i < k; i++)
		if (g->base[v->args[i]] == b)
			return NO_VALUE;
	return b;
}

static void readers_fill(Grouping *g)
{
	size_t n = g->p->values.n;
	g->first = arena_array(g->arena, uint32_t, n + 2);
	for (ValueId v = 0; v < n; v++) {
		const Value *x = program_value(g->p, v);
		for (uint32_t k = 0; reads(g, v) && k < x->nargs; k++) {
			ValueId b = distinct_base(g, x, k);
			if (b != NO_VALUE)
				g->first[b + 1]++;
		}
	}
	for (size_t i = 0; i < n; i++)
		g->first[i + 1] += g->first[i];
	g->reader = arena_array(g->arena, ValueId, g->first[n] + 1);
	uint32_t *next = arena_array(g->arena, uint32_t, n + 1);
	memcpy(next, g->first, n * sizeof(*next));
	for (ValueId v = 0; v < n; v++) {
		const Value *x = program_value(g->p, v);
		for (uint32_t k = 0; reads(g, v) && k < x->nargs; k++) {
			ValueId b = distinct_base(g, x, k);
			if (b != NO_VALUE)
				g->reader[next[b]++] = v;
		}
	}
}

Grouping *grouping_new(Ctx *ctx, Arena *a, Program *p)
{
	size_t n = p->values.n;
	Grouping *g = arena_new(a, Grouping);
	*g = (Grouping){.ctx = ctx, .arena = a, .p = p};
	g->base = arena_array(a, ValueId, n + 1);
	g->map = arena_array(a, Ex *, n + 1);
	g->is_result = arena_array(a, bool, n + 1);
	g->apart = arena_array(a, bool, n + 1);
	g->of = arena_array(a, uint32_t, n + 1);
	g->part = arena_array(a, Part, n + 1);
	g->mark = arena_array(a, uint32_t, n + 1);
	for (size_t i = 0; i < p->results.n; i++)
		g->is_result[p->results.p[i].value] = true;
	for (ValueId v = 0; v < n; v++) {
		Ex map[TN_MAX_RANK];
		g->of[v] = NO_REGION;
		g->base[v] = view_base(p, v, map);
		size_t rank = program_value(p, g->base[v])->rank;
		g->map[v] = arena_array(a, Ex, rank + 1);
		memcpy(g->map[v], map, rank * sizeof(Ex));
	}
	readers_fill(g);
	return g;
}

uint32_t operand_group(const Grouping *g, const Value *v, uint32_t k)
{
	ValueId b = g->base[v->args[k]];
	return region_computes(g->p, b) ? g->of[b] : NO_REGION;
}

uint32_t group_start(Grouping *g, RegionKind kind, ValueId v, const Value *like)
{
	Group n = {.r = {.kind = kind, .anchor = v, .rank = like->rank}};
	memcpy(n.r.space, like->shape, sizeof(n.r.space));
	VEC_PUSH(g->arena, g->groups, n);
	uint32_t at = (uint32_t)g->groups.n - 1;
	group_join(g, at, v, kind == REGION_CONTRACT ? PART_ANCHOR : PART_BODY);
	return at;
}

void group_join(Grouping *g, uint32_t group, ValueId v, Part part)
{
	Group *to = &g->groups.p[group];
	VEC_PUSH(g->arena, to->r.values, v);
	g->of[v] = group;
	g->part[v] = part;
	if (to->r.kind == REGION_LOOP)
		to->r.anchor = v;
}

/* ---- dependence ------------------------------------------------------ */

/* Walks what `at` reads, groups of this walk's mark once; finds target. */
static bool reaches(Grouping *g, uint32_t at, uint32_t target)
{
	if (at == target)
		return true;
	if (g->mark[at] == g->walk)
		return false;
	g->mark[at] = g->walk;
	const Region *r = &g->groups.p[at].r;
	for (size_t i = 0; i < r->values.n; i++) {
		const Value *v = program_value(g->p, r->values.p[i]);
		for (uint32_t k = 0; k < v->nargs; k++) {
			uint32_t h = operand_group(g, v, k);
			if (h != NO_REGION && h != at && reaches(g, h, target))
				return true;
		}
	}
	return false;
}

bool group_depends(Grouping *g, uint32_t a, uint32_t b)
{
	g->walk++;
	return a != b && reaches(g, a, b);
}

/* Whether a reads b by way of a third group. */
static bool depends_indirectly(Grouping *g, uint32_t a, uint32_t b)
{
	g->walk++;
	g->mark[a] = g->walk;
	const Region *r = &g->groups.p[a].r;
	for (size_t i = 0; i < r->values.n; i++) {
		const Value *v = program_value(g->p, r->values.p[i]);
		for (uint32_t k = 0; k < v->nargs; k++) {
			uint32_t h = operand_group(g, v, k);
			if (h != NO_REGION && h != a && h != b &&
			    reaches(g, h, b))
				return true;
		}
	}
	return false;
}

bool group_closes_cycle(Grouping *g, uint32_t a, uint32_t b)
{
	return depends_indirectly(g, a, b) || depends_indirectly(g, b, a);
}

/* A pinned value of a with a reader in b. */
static bool pinned_from(const Grouping *g, uint32_t a, uint32_t b)
{
	const Region *r = &g->groups.p[a].r;
	for (size_t i = 0; i < r->values.n; i++) {
		ValueId v = r->values.p[i];
		for (uint32_t k = g->first[v];
		     g->apart[v] && k < g->first[v + 1]; k++)
			if (g->of[g->reader[k]] == b)
				return true;
	}
	return false;
}

/* Whether what a's values read of b is read at the same place of a's space. */
static bool reads_in_place(const Grouping *g, uint32_t a, uint32_t b,
			   const Region *space)
{
	const Region *r = &g->groups.p[a].r;
	for (size_t i = 0; i < r->values.n; i++) {
		const Value *v = program_value(g->p, r->values.p[i]);
		for (uint32_t k = 0; k < v->nargs; k++) {
			ValueId x = v->args[k];
			if (operand_group(g, v, k) == b &&
			    (op_info[v->op].cls != OPC_ELEM ||
			     !region_aligned(g->p, space, x, g->base[x],
					     g->map[x])))
				return false;
		}
	}
	return true;
}

bool group_same_space(const Region *a, const Region *b)
{
	if (a->rank != b->rank)
		return false;
	for (size_t d = 0; d < a->rank; d++)
		if (a->space[d] != b->space[d])
			return false;
	return true;
}

bool group_may_merge(Grouping *g, uint32_t a, uint32_t b)
{
	return a != b && !g->groups.p[a].closed && !g->groups.p[b].closed &&
	       reads_in_place(g, a, b, &g->groups.p[a].r) &&
	       reads_in_place(g, b, a, &g->groups.p[a].r) &&
	       !pinned_from(g, a, b) && !pinned_from(g, b, a) &&
	       !group_closes_cycle(g, a, b);
}

void group_merge(Grouping *g, uint32_t a, uint32_t b, Part part)
{
	Region *from = &g->groups.p[b].r;
	for (size_t i = 0; i < from->values.n; i++)
		group_join(g, a, from->values.p[i], part);
	from->values.n = 0;
	g->groups.p[b].dead = true;
}
