/*
 * epilogue: loops that only a product's tile reads.
 *
 * What: once products are joined, merges a LOOP group into the CONTRACT group
 * whose elementwise values alone read it, element by element.
 * Why: the policy places values as they come, and what a product's epilogue
 * takes besides the product (`x @ w + r * s`) is a loop of its own by then:
 * computed on the tile, it is never stored.
 * How: kernels of one step only, so that it is plain where the value belongs.
 */
#include "region/internal.h"

#include "ir/view.h"

/* Whether the group holds a product of another one's rows. */
static bool holds_rows(const Grouping *g, uint32_t group)
{
	const Region *r = &g->groups.p[group].r;
	for (size_t i = 0; i < r->values.n; i++) {
		ValueId v = r->values.p[i];
		if (g->part[v] == PART_ANCHOR && product_held(g, v) != NO_VALUE)
			return true;
	}
	return false;
}

/* Whether the loop's values are elementwise, none is a result or may fault,
 * and epilogues of the group alone read them. */
static bool only_tiles_read(const Grouping *g, uint32_t loop, uint32_t group)
{
	const Region *r = &g->groups.p[loop].r;
	for (size_t i = 0; i < r->values.n; i++) {
		ValueId v = r->values.p[i];
		Op op = program_value(g->p, v)->op;
		if (op_info[op].cls != OPC_ELEM || op_has(op, 'T') ||
		    g->is_result[v])
			return false;
		for (uint32_t k = g->first[v]; k < g->first[v + 1]; k++) {
			ValueId reader = g->reader[k];
			if (g->of[reader] != loop &&
			    (g->of[reader] != group ||
			     g->part[reader] != PART_EPILOGUE))
				return false;
		}
	}
	return true;
}

void epilogues_complete(Grouping *g)
{
	/* the last first: a loop may be read by one that comes along */
	for (size_t i = g->pairs.n; i-- > 0;) {
		const Pair *p = &g->pairs.p[i];
		uint32_t loop = g->of[p->producer], into = g->of[p->consumer];
		if (p->apart != COND_OTHER_KERNEL || loop == into ||
		    loop == NO_REGION || into == NO_REGION)
			continue;
		const Region *from = &g->groups.p[loop].r;
		const Region *to = &g->groups.p[into].r;
		if (to->kind == REGION_CONTRACT && from->kind == REGION_LOOP &&
		    group_same_space(to, from) && !holds_rows(g, into) &&
		    only_tiles_read(g, loop, into) &&
		    group_may_merge(g, into, loop))
			group_merge(g, into, loop, PART_EPILOGUE);
	}
}
