/*
 * kernel: the names of stage 4's enumerations, and which phases run once.
 *
 * kernel_verify.c has its laws, kernel_text.c and kernel_parse.c its text
 * form.
 */
#include "ir/kernel.h"

const char *const buf_scope_name[SCOPE_COUNT] = {
	[SCOPE_IN] = "in",         [SCOPE_OUT] = "out",
	[SCOPE_SHARED] = "shared", [SCOPE_WORKER] = "worker",
	[SCOPE_REG] = "reg",
};

const char *const loop_map_name[MAP_COUNT] = {
	[MAP_SERIAL] = "serial",
	[MAP_UNROLL] = "unroll",
	[MAP_VECTOR] = "vector",
	[MAP_VUNROLL] = "vunroll",
};

/* ---- phases that run once -------------------------------------------- */

static bool stores_to(const StmtList *l, uint32_t buffer)
{
	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		bool stores = s->kind == ST_STORE || s->kind == ST_DOT ||
			      s->kind == ST_COPY || s->kind == ST_BOX;
		if ((stores && s->buffer == buffer) ||
		    stores_to(&s->body, buffer) ||
		    stores_to(&s->orelse, buffer))
			return true;
	}
	return false;
}

/* Whether a phase other than ph, once or not as asked, stores to it. */
static bool stored_elsewhere(const Kernel *k, const Phase *ph, uint32_t buffer,
			     bool even_once)
{
	for (size_t i = 0; i < k->phases.n; i++) {
		const Phase *q = &k->phases.p[i];
		if (q != ph && (even_once || !q->once) &&
		    stores_to(&q->body, buffer))
			return true;
	}
	return false;
}

static bool forbidden(const KBuffer *b, Buf *why, const char *what)
{
	if (why)
		buf_printf(why, "%s %s", what, b->name);
	return false;
}

static bool may_load(const Kernels *ks, const Kernel *k, const Phase *ph,
		     uint32_t buffer, Buf *why)
{
	const KBuffer *b = &k->buffers.p[buffer];

	if (b->scope == SCOPE_IN) {
		Op op = program_value(ks->program, b->value)->op;
		return op == OP_WEIGHT || op == OP_CONST ||
		       forbidden(b, why, "it reads");
	}
	if (b->scope == SCOPE_OUT)
		return forbidden(b, why, "it reads");
	return b->scope != SCOPE_SHARED ||
	       !stored_elsewhere(k, ph, buffer, false) ||
	       forbidden(b, why, "it reads");
}

static bool may_store(const Kernel *k, const Phase *ph, uint32_t buffer,
		      Buf *why)
{
	const KBuffer *b = &k->buffers.p[buffer];

	if (b->scope == SCOPE_OUT || b->scope == SCOPE_IN)
		return forbidden(b, why, "it writes");
	return b->scope != SCOPE_SHARED ||
	       !stored_elsewhere(k, ph, buffer, true) ||
	       forbidden(b, why, "another phase too writes");
}

static bool list_may(const Kernels *ks, const Kernel *k, const Phase *ph,
		     const StmtList *l, Buf *why)
{
	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		if (s->kind == ST_LOAD && !may_load(ks, k, ph, s->buffer, why))
			return false;
		if (s->kind == ST_COPY &&
		    !may_load(ks, k, ph, s->copy->from.buffer, why))
			return false;
		if (s->kind == ST_BOX &&
		    !may_load(ks, k, ph, ph->maps.p[s->box->map].buffer, why))
			return false;
		if ((s->kind == ST_STORE || s->kind == ST_DOT ||
		     s->kind == ST_COPY || s->kind == ST_BOX) &&
		    !may_store(k, ph, s->buffer, why))
			return false;
		for (int o = 0; s->kind == ST_DOT && o < 2; o++)
			if (!may_load(ks, k, ph, s->dot->in[o].buffer, why))
				return false;
		if (!list_may(ks, k, ph, &s->body, why) ||
		    !list_may(ks, k, ph, &s->orelse, why))
			return false;
	}
	return true;
}

bool phase_may_run_once(const Kernels *ks, const Kernel *k, const Phase *ph,
			Buf *why)
{
	return list_may(ks, k, ph, &ph->body, why);
}

/* In order: a phase may read what an earlier one wrote. */
void kernel_mark_once(const Kernels *ks, Kernel *k)
{
	for (size_t i = 0; i < k->phases.n; i++)
		k->phases.p[i].once =
			phase_may_run_once(ks, k, &k->phases.p[i], NULL);
}
