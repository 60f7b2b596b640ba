/*
 * rowreduce_ahead: a pass over a row asks memory for the next one.
 */
#include "realise/rowreduce.h"

/*
 * Cycles a vector takes, in halves: loads from a nearby cache, operations on
 * two ports, an elementary function, a line on its way to memory.
 */
int64_t rows_body_cost(const Rows *w, const StmtList *body)
{
	int64_t cost = 0;

	for (size_t i = 0; i < body->n; i++) {
		const Stmt *s = body->p[i];
		if (s->kind == ST_LOAD)
			cost += 3;
		else if (s->kind == ST_STORE)
			cost += w->l.k->buffers.p[s->buffer].scope == SCOPE_OUT
					? 14
					: 2;
		else if (s->kind == ST_OP)
			cost += op_info[s->op].ulp > 0 ? 20
				: s->op == OP_DIV      ? 8
						       : 1;
		else
			cost += 1;
	}
	return cost;
}

/* Whether the load's place is said by an index that this body reads. */
static bool is_looked_up(const Rows *w, const StmtList *body, const Stmt *load)
{
	for (size_t i = 0; i < body->n; i++)
		for (int d = 0; d < load->nindex; d++)
			if (body->p[i]->kind == ST_BOUND &&
			    ex_uses_axis(&w->l.p->ex, load->index[d],
					 body->p[i]->axis))
				return true;
	return false;
}

/*
 * Memory is to be busy all the time, not only while the first pass loads
 * and the last one stores: while the longest pass works on a row, memory is
 * asked for what the first pass will load of the next one. (All passes
 * asking for a share each was measured to gain nothing over that: most of
 * the hints then name a line asked for already.) The last rows of a task ask
 * for the last, which is in the caches or asked for. Where the next row's
 * elements lie is not known before their index is read: not asked for.
 */
void rows_read_ahead(Rows *w, int64_t distance)
{
	Lower *l = &w->l;
	ExprTab *t = &l->p->ex;
	size_t naxes = (size_t)l->k->naxes;
	Ex *with = arena_array(l->arena, Ex, naxes);
	Ex one = ex_const(t, 1), next = ex_const(t, distance);
	const Pass *first = &w->pass.p[0], *longest = &w->pass.p[1];

	for (size_t i = 2; i < w->pass.n; i++)
		if (w->pass.p[i].cost > longest->cost)
			longest = &w->pass.p[i];
	for (size_t i = 0; i < naxes; i++)
		with[i] = ex_axis(t, (int64_t)i);
	for (int d = 0; d < w->reg->rank; d++) {
		const ExNode *n = ex_node(t, first->index[d]);
		if (rows_reduces(w->reg, d) && n->kind == EX_AXIS)
			with[n->value] = longest->index[d];
	}
	with[w->row_axis] = ex_min(t, ex_add(t, with[w->row_axis], next),
				   ex_sub(t, w->row_extent, one));
	for (size_t i = 0; i < first->body->n; i++) {
		const Stmt *ld = first->body->p[i];
		bool moves = false;
		if (ld->kind != ST_LOAD ||
		    l->k->buffers.p[ld->buffer].scope != SCOPE_IN ||
		    is_looked_up(w, first->body, ld))
			continue;
		Stmt *s = arena_new(l->arena, Stmt);
		*s = (Stmt){.kind = ST_AHEAD,
			    .var = NO_VAR,
			    .dtype = ld->dtype,
			    .buffer = ld->buffer,
			    .nindex = ld->nindex,
			    .value = NO_VALUE};
		for (int d = 0; d < ld->nindex; d++) {
			moves |= ex_uses_axis(t, ld->index[d], w->row_axis);
			s->index[d] =
				ex_subst_axes(t, ld->index[d], with, naxes);
		}
		if (moves)
			VEC_PUSH(l->arena, *longest->body, s);
	}
}
