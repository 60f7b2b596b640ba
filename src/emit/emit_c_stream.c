/*
 * emit_c_stream: stores past the caches.
 *
 * Such a store needs an address aligned to its vector. A loop that has one
 * and folds nothing starts with the first lanes of a vector, as many as reach
 * an aligned address; no result depends on where a vector starts, since each
 * element is computed by the same operations in any lane. A loop that folds
 * is never shifted: its bits would depend on the address.
 */
#include "emit/emit_c.h"

#include <inttypes.h>

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
	for (size_t i = 0; !e->rest && e->lanes && i < e->streams.n; i++)
		if (e->streams.p[i] == s)
			return arena_printf(e->arena, "nt%" PRId64 "_%zu",
					    e->vaxis, i);
	return NULL;
}

const char *ec_stream_when(Emit *e, const Stmt *s, const char *to)
{
	int bytes = dtype_info[s->dtype].bytes * e->lanes;

	if (!s->stream || bytes < 16 || bytes > 64)
		return NULL;
	e->fence = true;
	return arena_printf(e->arena, "%s && ((uint64_t)(%s) & %d) == 0",
			    ec_conds(e, s->conds, s->nconds), to, bytes - 1);
}
