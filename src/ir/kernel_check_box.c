/*
 * kernel_check_box: the laws of maps and of the boxes brought from them.
 *
 * The feeder must not end a group whose number comes round before all threads
 * have waited for the group that had it (emit/emit_gpu_box.c): FREEs hold it
 * back.
 *
 * A map's last element is proved to lie in its buffer, so that whatever box is
 * asked for touches nothing else: what lies outside of the map is zeros.
 */
#include "ir/kernel_check.h"

static int row_elements(const KBuffer *b)
{
	int n = MAP_ROW_BYTES / dtype_info[b->dtype].bytes;

	return n ? n : 1;
}

/* Its elements are some of the buffer's, where it has any. */
static bool check_inside(Check *c, const KMap *m, const KBuffer *b)
{
	size_t facts = c->facts.facts.n;
	Ex one = ex_const(c->t, 1), size = one, last = m->first;
	bool ok = ex_prove_nonneg(c->t, &c->facts, m->first);

	for (int d = 0; d < b->rank; d++)
		size = ex_mul(c->t, size, b->shape[d]);
	for (int d = 0; d < m->rank; d++) {
		Ex most = ex_sub(c->t, m->extent[d], one);
		VEC_PUSH(c->arena, c->facts.facts, most);
		last = ex_add(c->t, last, ex_mul(c->t, most, m->stride[d]));
		ok = ok && ex_prove_nonneg(c->t, &c->facts, m->stride[d]);
	}
	ok = ok && ex_prove_nonneg(c->t, &c->facts,
				   ex_sub(c->t, ex_sub(c->t, size, last), one));
	c->facts.facts.n = facts;
	return ok || kcheck_breach(c,
				   "map of %s: cannot prove that element %s is "
				   "one of %s",
				   b->name, kcheck_text(c, last),
				   kcheck_text(c, size));
}

bool kcheck_map(Check *c, const KMap *m)
{
	if (m->buffer >= c->k->buffers.n)
		return kcheck_breach(c, "no buffer %u", m->buffer);
	const KBuffer *b = &c->k->buffers.p[m->buffer];
	if (!c->phase->threads ||
	    (b->scope != SCOPE_IN && b->scope != SCOPE_SHARED))
		return kcheck_breach(c,
				     "a map of %s, which is not in global "
				     "memory",
				     b->name);
	if (m->rank < 1 || m->rank > MAP_MAX_RANK ||
	    !kcheck_dims(c, m->first, "first"))
		return kcheck_breach(c, "map of %s: rank %d", b->name, m->rank);
	for (int d = 0; d < m->rank; d++) {
		if (!kcheck_dims(c, m->extent[d], "extent") ||
		    !kcheck_dims(c, m->stride[d], "stride"))
			return false;
		if (m->box[d] < 1 || m->box[d] > MAP_MAX_BOX)
			return kcheck_breach(c, "map of %s: a box of %d",
					     b->name, (int)m->box[d]);
	}
	if (!ex_equals(c->t, m->stride[m->rank - 1], 1) ||
	    m->box[m->rank - 1] % row_elements(b))
		return kcheck_breach(
			c,
			"map of %s: rows are elements next to each "
			"other, of multiples of 16 bytes",
			b->name);
	return check_inside(c, m, b);
}

/* Rows begin at multiples of 16 bytes, in memory and in the map. */
static bool check_rows(Check *c, const KMap *m, const KBox *x)
{
	const KBuffer *b = &c->k->buffers.p[m->buffer];
	int width = row_elements(b);
	bool ok = kcheck_divided(c, m->first, width) &&
		  kcheck_divided(c, x->at[m->rank - 1], width);

	for (int d = 0; ok && d + 1 < m->rank; d++)
		ok = kcheck_divided(c, m->stride[d], width);
	return ok ||
	       kcheck_breach(c,
			     "box of %s: cannot prove that its rows begin "
			     "at multiples of 16 bytes",
			     b->name);
}

/* Where it goes: whole rows of a buffer in the block's memory. */
static bool check_target(Check *c, const Stmt *s, const KMap *m)
{
	int64_t lines = 1, row = m->box[m->rank - 1];

	for (int d = 0; d + 1 < m->rank; d++)
		lines *= m->box[d];
	const Ex count[] = {ex_const(c->t, lines), ex_const(c->t, row)};
	if (!kcheck_area(c, s, s->buffer, s->nindex, s->index, count, 2))
		return false;
	const KBuffer *b = &c->k->buffers.p[s->buffer];
	Ex line = s->index[s->nindex - 2];
	if (b->scope != SCOPE_WORKER || b->dtype != s->dtype ||
	    b->dtype != c->k->buffers.p[m->buffer].dtype)
		return kcheck_breach(c,
				     "box: %s is not in the block's memory, "
				     "of the map's dtype",
				     b->name);
	if (!ex_equals(c->t, b->shape[b->rank - 1], row) ||
	    b->swizzled != m->swizzled ||
	    (b->swizzled && !kcheck_divided(c, line, 8)))
		return kcheck_breach(c, "box: rows of %s are not the map's",
				     b->name);
	return true;
}

bool kcheck_box(Check *c, const Stmt *s)
{
	const KBox *x = s->box;

	if (!c->phase->threads || c->vaxis >= 0)
		return kcheck_breach(c, "a box is brought outside of loops of "
					"threads");
	if (!x || x->map >= c->phase->maps.n)
		return kcheck_breach(c, "box: no such map");
	const KMap *m = &c->phase->maps.p[x->map];
	const KBuffer *from = &c->k->buffers.p[m->buffer];
	for (int d = 0; d < m->rank; d++)
		if (!kcheck_ex(c, x->at[d], "index"))
			return false;
	if (from->scope != SCOPE_IN && !c->stored[m->buffer])
		return kcheck_breach(c, "%s is copied before it is stored",
				     from->name);
	if (!kcheck_conds(c, s))
		return false;
	size_t facts = c->facts.facts.n;
	for (uint32_t i = 0; i < s->nconds; i++)
		VEC_PUSH(c->arena, c->facts.facts, s->conds[i]);
	bool ok = check_rows(c, m, x) && check_target(c, s, m);
	c->facts.facts.n = facts;
	if (!ok)
		return false;
	c->stored[s->buffer] = true;
	return true;
}

/* ---- the feeder ------------------------------------------------------ */

static int most_left(const StmtList *l)
{
	int most = 0;

	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		int in[3] = {s->kind == ST_WAIT ? s->bit : 0,
			     most_left(&s->body), most_left(&s->orelse)};
		for (int k = 0; k < 3; k++)
			most = in[k] > most ? in[k] : most;
	}
	return most;
}

static bool waits_in(const StmtList *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->p[i]->kind == ST_WAIT || waits_in(&l->p[i]->body) ||
		    waits_in(&l->p[i]->orelse))
			return true;
	return false;
}

static bool frees(const StmtList *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->p[i]->kind == ST_FREE)
			return true;
	return false;
}

/* room: groups that may still end before a FREE. After one, the others may not
 * have waited for the last `most` groups before it. */
static bool check_ahead(Check *c, const StmtList *l, int *room)
{
	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		int other = *room;
		bool loop = s->kind == ST_FOR && waits_in(&s->body);
		if (s->kind == ST_FREE)
			*room = 2;
		if ((s->kind == ST_WAIT && --*room < 0) ||
		    (loop && !frees(&s->body)))
			return kcheck_breach(c, "a free is missing: boxes "
						"would be too far ahead");
		if (!check_ahead(c, &s->body, room) ||
		    (loop && !check_ahead(c, &s->body, room)) ||
		    !check_ahead(c, &s->orelse, &other))
			return false;
		if (s->kind == ST_IF || s->kind == ST_FOR)
			*room = other < *room ? other : *room;
	}
	return true;
}

bool kcheck_feeder(Check *c, const Phase *ph)
{
	int room = most_left(&ph->body) + 2;

	return !ph->maps.n || check_ahead(c, &ph->body, &room);
}
