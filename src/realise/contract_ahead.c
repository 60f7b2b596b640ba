/*
 * contract_ahead: asking for memory before it is needed.
 *
 * A core that waits for a line from beyond L2 soon has nothing left to do, and
 * hardware asks ahead only for what lies in a row. A tile's rows of B, and of
 * its results, lie as far apart as the matrix is wide.
 */
#include "realise/contract.h"

#include <string.h>

#define LINE 64 /* bytes */

void contract_ask_element(Product *p, const Packed *x, const Ex *batch, Ex wide,
			  const KAt *k)
{
	Lower *l = &p->l;
	size_t from = l->at->n, end;

	contract_element(p, x, batch, wide, k, false);
	end = l->at->n;
	for (size_t n = from; n < end; n++) {
		const Stmt *load = l->at->p[n];
		if (load->kind == ST_LOAD &&
		    l->k->buffers.p[load->buffer].scope == SCOPE_IN)
			lower_ask(l, load->buffer, load->index);
	}
	/* the places are wanted, not the value */
	memmove(l->at->p + from, l->at->p + end,
		(l->at->n - end) * sizeof(*l->at->p));
	l->at->n -= end - from;
}

/* Whether rows of the operand may begin within a line of the cache. */
static bool may_split(const Product *p, const Packed *x)
{
	int bytes = dtype_info[program_value(p->l.p, x->value)->dtype].bytes;

	return !ex_equals(p->t,
			  ex_mod(p->t,
				 ex_mul(p->t, x->extent, ex_const(p->t, bytes)),
				 ex_const(p->t, LINE)),
			  0);
}

void contract_ask_row(Product *p, const Packed *x, const Ex *batch, Ex wide,
		      const KAt *k)
{
	Lower *l = &p->l;
	ExprTab *t = p->t;
	Ex lanes = ex_const(t, p->par[P_LANES]);
	Ex end = ex_add(t, wide, ex_const(t, x->wide - 1));

	Ex i = lower_for(l, ex_const(t, x->wide), MAP_VUNROLL,
			 (int)p->par[P_LANES]);
	contract_ask_element(p, x, batch, ex_add(t, wide, i), k);
	lower_end(l);
	if (!may_split(p, x))
		return;
	i = lower_for(l, lanes, MAP_VUNROLL, (int)p->par[P_LANES]);
	contract_ask_element(p, x, batch, ex_add(t, end, i), k);
	lower_end(l);
}

void contract_ahead_init(Product *p, const Target *target)
{
	ExprTab *t = p->t;
	int64_t n, bytes = dtype_info[p->acc].bytes;
	Ex size = ex_const(t, bytes);

	for (int d = 0; d < p->v->rank; d++)
		size = ex_mul(t, size, p->v->shape[d]);
	p->large = ex_sub(t, size, ex_const(t, target->cache[1] / 2));
	if (p->par[P_AHEAD] == AHEAD_ALWAYS)
		p->large = ex_const(t, 0);
	p->asks = p->par[P_AHEAD] != AHEAD_NEVER && !p->plain &&
		  p->unit == UNIT_FMA &&
		  !(ex_is_const(t, p->large, &n) && n < 0);
}

/* The loops around a statement of a tile; NULL where there is none. */
typedef struct Around {
	const Stmt *row, *lane;
} Around;

/*
 * Makes of a load or store the question for its place: of the last lane, which
 * is in the line after the first one's where rows begin within a line. False
 * if it is no row of its own in memory, or not in memory at all.
 */
static bool ask_instead(Lower *l, Stmt *s, const Around *at)
{
	ExprTab *t = &l->p->ex;
	size_t naxes = (size_t)l->k->naxes;
	Ex *with = arena_array(l->arena, Ex, naxes);
	bool moves = false;

	if ((s->kind != ST_LOAD && s->kind != ST_STORE) || !at->row ||
	    !at->lane || !s->nindex ||
	    !ex_uses_axis(t, s->index[s->nindex - 1], at->lane->axis))
		return false;
	BufScope scope = l->k->buffers.p[s->buffer].scope;
	if (scope != SCOPE_IN && scope != SCOPE_OUT)
		return false;
	for (size_t i = 0; i < naxes; i++)
		with[i] = ex_axis(t, (int64_t)i);
	with[at->lane->axis] = ex_add(t, with[at->lane->axis],
				      ex_const(t, at->lane->lanes - 1));
	Stmt ask = {.kind = ST_AHEAD,
		    .var = NO_VAR,
		    .dtype = s->dtype,
		    .buffer = s->buffer,
		    .nindex = s->nindex,
		    .value = NO_VALUE};
	for (int d = 0; d < s->nindex; d++) {
		moves |= ex_uses_axis(t, s->index[d], at->row->axis);
		ask.index[d] = ex_subst_axes(t, s->index[d], with, naxes);
	}
	*s = ask;
	return moves;
}

/* Of the statements from `from` on, the loops and the questions. */
static void only_asks(Lower *l, StmtList *list, size_t from, Around at)
{
	size_t n = from;

	for (size_t i = from; i < list->n; i++) {
		Stmt *s = list->p[i];
		if (s->kind == ST_FOR) {
			Around in = {s->lanes > 1 ? at.row : s,
				     s->lanes > 1 ? s : NULL};
			only_asks(l, &s->body, 0, in);
			if (s->body.n)
				list->p[n++] = s;
		} else if (ask_instead(l, s, &at)) {
			list->p[n++] = s;
		}
	}
	list->n = n;
}

void contract_ask_finish(Product *p, size_t first, size_t made, Ex last)
{
	Lower *l = &p->l;
	StmtList *list = l->at;

	only_asks(l, list, made, (Around){0});
	size_t n = list->n - made;
	if (!n)
		return;
	Ex conds[2] = {last, p->large};
	Stmt **asks = arena_array(l->arena, Stmt *, n);
	memcpy(asks, list->p + made, n * sizeof(*asks));
	list->n = made;
	lower_if(l, conds, 2);
	for (size_t i = 0; i < n; i++)
		VEC_PUSH(l->arena, *l->at, asks[i]);
	lower_end(l);
	n = list->n - made;
	memcpy(asks, list->p + made, n * sizeof(*asks));
	memmove(list->p + first + n, list->p + first,
		(made - first) * sizeof(*asks));
	memcpy(list->p + first, asks, n * sizeof(*asks));
}
