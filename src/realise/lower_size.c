/*
 * lower_size: what a kernel does only beyond the caches.
 *
 * Stores that go past them, and hints that ask memory ahead, pay where inputs
 * and outputs together are larger than what the caches keep, and cost below.
 * They are made without a condition and receive it here, when every buffer
 * of the kernel is known.
 */
#include "realise/lower.h"

/* Sets or removes the statements of a kind; conds: what they depend on. */
static void by_size(Lower *l, StmtList *list, StmtKind kind, bool lanes,
		    Ex *conds, uint32_t nconds)
{
	for (size_t i = 0; i < list->n; i++) {
		Stmt *s = list->p[i];
		bool in = lanes || (s->kind == ST_FOR && s->map == MAP_VECTOR);
		by_size(l, &s->body, kind, in, conds, nconds);
		by_size(l, &s->orelse, kind, in, conds, nconds);
		if (s->kind != kind || !lanes)
			continue;
		if (kind == ST_COPY) { /* its conditions are others */
			s->stream =
				!nconds &&
				l->k->buffers.p[s->buffer].scope == SCOPE_OUT;
			continue;
		}
		if (kind == ST_STORE &&
		    l->k->buffers.p[s->buffer].scope != SCOPE_OUT)
			continue;
		s->stream = kind == ST_STORE;
		s->conds = conds;
		s->nconds = nconds;
	}
}

static void drop(StmtList *list, StmtKind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++) {
		drop(&list->p[i]->body, kind);
		drop(&list->p[i]->orelse, kind);
		if (list->p[i]->kind != kind)
			list->p[n++] = list->p[i];
	}
	list->n = n;
}

void lower_by_size(Lower *l, StmtKind kind, int64_t when, const Target *target)
{
	ExprTab *t = &l->p->ex;
	Ex bytes = ex_const(t, 0), *conds = arena_array(l->arena, Ex, 1);
	int64_t n;

	for (size_t i = 0; i < l->k->buffers.n; i++) {
		const KBuffer *b = &l->k->buffers.p[i];
		Ex size = ex_const(t, dtype_info[b->dtype].bytes);
		for (int d = 0; d < b->rank; d++)
			size = ex_mul(t, size, b->shape[d]);
		if (b->scope == SCOPE_IN || b->scope == SCOPE_OUT)
			bytes = ex_add(t, bytes, size);
	}
	conds[0] = ex_sub(t, bytes, ex_const(t, target_cached(target) + 1));
	bool known = ex_is_const(t, conds[0], &n);
	bool never = when == 0 || (when == 1 && known && n < 0);
	for (size_t i = 0; i < l->k->phases.n; i++) {
		StmtList *body = &l->k->phases.p[i].body;
		if (!never)
			by_size(l, body, kind, false, conds,
				when == 1 && !known);
		else if (kind == ST_AHEAD)
			drop(body, kind);
	}
}
