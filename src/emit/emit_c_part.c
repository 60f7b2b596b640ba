/*
 * emit_c_part: vectors of which only the first lanes count, and stores past
 * the caches.
 *
 * A row's length is seldom a multiple of the lanes. Where every access of
 * the body is contiguous or one element for all lanes, the rest runs as one
 * vector more, whose loads and stores are of `part` lanes and whose folds
 * leave the other lanes' accumulators alone: the tail costs as much as a
 * vector, not as lanes single elements.
 *
 * A store past the caches needs an address aligned to its vector. A loop of
 * such stores that folds nothing starts with the part of a vector that
 * reaches an aligned one; no result depends on where a vector starts, since
 * each element is computed by the same operations in any lane. A loop that
 * folds is never shifted: its bits would depend on the address.
 */
#include "emit/emit_c.h"

#include <inttypes.h>

/* ---- the first lanes of a vector ------------------------------------- */

static bool list_fits(Emit *e, const StmtList *l);

static bool access_fits(Emit *e, const Stmt *s)
{
	if (e->k->buffers.p[s->buffer].scope == SCOPE_REG)
		return false;
	EWalk w = ec_walk(e, ec_linear(e, s));
	for (uint32_t i = 0; s->kind == ST_LOAD && i < s->nconds; i++)
		if (ex_uses_axis(e->t, s->conds[i], e->vaxis))
			return false;
	return w.kind == WALK_NONE ||
	       (w.kind == WALK_STEP && ex_equals(e->t, w.step, 1));
}

static bool nested_fits(Emit *e, const Stmt *s)
{
	size_t ranges = e->facts.ranges.n, facts = e->facts.facts.n;
	bool ok = s->orelse.n == 0;

	if (s->kind == ST_FOR) {
		ok = s->map == MAP_SERIAL || s->map == MAP_UNROLL;
		VEC_PUSH(e->arena, e->facts.ranges,
			 ((ExRange){s->axis, s->extent}));
	}
	for (uint32_t i = 0; i < s->nconds; i++)
		VEC_PUSH(e->arena, e->facts.facts, s->conds[i]);
	ok = ok && list_fits(e, &s->body);
	e->facts.ranges.n = ranges;
	e->facts.facts.n = facts;
	return ok;
}

static bool list_fits(Emit *e, const StmtList *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		switch (s->kind) {
		case ST_LOAD:
			if (e->vars[s->var].live && !access_fits(e, s))
				return false;
			break;
		case ST_STORE:
			if (!access_fits(e, s))
				return false;
			break;
		case ST_FOR:
		case ST_IF:
			if (!nested_fits(e, s))
				return false;
			break;
		case ST_ACCUM:
			if (s->nargs > 1)
				return false;
			break;
		case ST_BOUND:
			return false;
		case ST_AHEAD:
		case ST_OP:
		case ST_MAC:
		case ST_CONST:
		case ST_INDEX:
		case ST_TEST:
		case ST_ROUND:
		case ST_KEEP:
		case ST_ACC:
		case ST_ARG:
			break;
		case ST_COUNT:
			bug("statement kind %d", (int)s->kind);
		}
	}
	return true;
}

bool ec_part_fits(Emit *e, const Stmt *s)
{
	e->lanes = s->lanes;
	e->vaxis = s->axis;
	bool fits = list_fits(e, &s->body);
	e->lanes = 0;
	e->vaxis = -1;
	return fits;
}

/* ---- past the caches ------------------------------------------------- */

/* Bytes of the vector in memory, or 0 where none are stored past caches. */
static int stream_bytes(Emit *e, const Stmt *loop, const Stmt *s)
{
	int bytes = dtype_info[s->dtype].bytes * loop->lanes;

	if (s->kind != ST_STORE || !s->stream || bytes < 16 || bytes > 64)
		return 0;
	EWalk w = ec_walk(e, ec_linear(e, s));
	return w.kind == WALK_STEP && ex_equals(e->t, w.step, 1) ? bytes : 0;
}

/* Where the store goes when the loop's axis is at. */
static const char *store_address(Emit *e, const Stmt *loop, const Stmt *s,
				 Ex at)
{
	Ex saved = e->subst[loop->axis];

	e->subst[loop->axis] = at;
	Ex lin = ec_subst(e, ec_linear(e, s));
	e->subst[loop->axis] = saved;
	return arena_printf(e->arena, "%s + %s", ec_buffer(e, s->buffer),
			    ec_ex_raw(e, lin));
}

const char *ec_stream_open(Emit *e, const Stmt *loop, const char *n)
{
	const char *head = NULL;

	e->streams.n = 0;
	e->lanes = loop->lanes;
	e->vaxis = loop->axis;
	for (size_t i = 0; i < loop->body.n; i++) {
		const Stmt *s = loop->body.p[i];
		int bytes = stream_bytes(e, loop, s);
		if (!bytes)
			continue;
		const char *when = ec_conds(e, s->conds, s->nconds);
		if (!head) {
			head = arena_printf(e->arena, "h%" PRId64, loop->axis);
			ec_line(e,
				"const int64_t %s = %s ? %s(%s, %d, %d, %s) "
				": 0;\n",
				head, when, ec_need(e, "tn_head"),
				store_address(e, loop, s, ex_const(e->t, 0)),
				bytes, dtype_info[s->dtype].bytes, n);
		}
		ec_line(e,
			"const _Bool nt%" PRId64 "_%zu = %s && "
			"((uint64_t)(%s + %s) & %d) == 0;\n",
			loop->axis, e->streams.n, when,
			store_address(e, loop, s, ex_const(e->t, 0)), head,
			bytes - 1);
		VEC_PUSH(e->arena, e->streams, s);
		e->fence = true;
	}
	e->lanes = 0;
	e->vaxis = -1;
	return head;
}

const char *ec_stream_flag(Emit *e, const Stmt *s)
{
	for (size_t i = 0; !e->part && e->lanes && i < e->streams.n; i++)
		if (e->streams.p[i] == s)
			return arena_printf(e->arena, "nt%" PRId64 "_%zu",
					    e->vaxis, i);
	return NULL;
}
