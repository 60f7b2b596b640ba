/*
 * emit_gpu_round: f16 results that are rounded as they are moved.
 *
 * Registers hold f16 as f32. What a run of results is made of would be rounded,
 * widened, and rounded again where it is packed, to the same bits: an f32 that
 * was rounded to f16 packs as it did before. So where registers are but moved
 * to memory they hold the value that was not rounded yet.
 */
#include "emit/emit_gpu.h"

typedef struct Found {
	const Stmt *def; /* of a variable */
	int uses;        /* of a variable, or places that read a buffer */
} Found;

/* The definition of v, and how many read it. */
static void find_var(const StmtList *l, VarId v, Found *f)
{
	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		if (s->var == v && s->kind != ST_ACCUM)
			f->def = s;
		for (uint32_t a = 0; a < s->nargs; a++)
			f->uses += s->args[a] == v;
		find_var(&s->body, v, f);
		find_var(&s->orelse, v, f);
	}
}

/* What reads registers other than a copy to memory. */
static int other_uses(const Emit *e, const StmtList *l, uint32_t buffer)
{
	int n = 0;

	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		bool reg = s->kind == ST_COPY &&
			   e->k->buffers.p[s->buffer].scope == SCOPE_REG;
		n += (s->kind == ST_LOAD || s->kind == ST_DOT) &&
		     s->buffer == buffer;
		for (int o = 0; s->kind == ST_DOT && o < 2; o++)
			n += s->dot->in[o].buffer == buffer;
		n += reg &&
		     (s->buffer == buffer || s->copy->from.buffer == buffer);
		n += other_uses(e, &s->body, buffer) +
		     other_uses(e, &s->orelse, buffer);
	}
	return n;
}

static bool rounds_to_f16(const Stmt *s)
{
	return s && s->dtype == DT_F16 && s->from == DT_F32 &&
	       (s->kind == ST_ROUND || (s->kind == ST_OP && s->op == OP_CAST));
}

static void find_stores(Emit *e, const Phase *ph, const StmtList *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		Found f = {0};
		find_stores(e, ph, &s->body);
		find_stores(e, ph, &s->orelse);
		if (s->kind != ST_STORE || s->dtype != DT_F16 ||
		    e->packed[s->buffer] ||
		    e->k->buffers.p[s->buffer].scope != SCOPE_REG ||
		    other_uses(e, &ph->body, s->buffer))
			continue;
		find_var(&ph->body, s->args[0], &f);
		if (f.uses != 1 || !rounds_to_f16(f.def))
			continue;
		e->vars[s->args[0]].live = false;
		e->vars[s->args[0]].rounds = f.def->args[0] + 1;
	}
}

void eg_round_late(Emit *e, const Phase *ph)
{
	if (e->dialect == CD_CUDA)
		find_stores(e, ph, &ph->body);
}
