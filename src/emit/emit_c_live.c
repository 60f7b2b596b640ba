/*
 * emit_c_live: what a phase uses, so that nothing unused is printed.
 *
 * A variable is live if a store, a branch of the program (a bound), a
 * statement that may fault or another live variable reads it. Reading goes
 * backwards over the statements and repeats until nothing changes, since an
 * accumulator may be read above the place that folds into it.
 */
#include "emit/emit_c.h"

#include "ir/kernel_text.h"

static bool mark(Emit *e, VarId v)
{
	if (e->vars[v].live)
		return false;
	e->vars[v].live = true;
	return true;
}

static bool is_root(const Stmt *s)
{
	return s->kind == ST_STORE || s->kind == ST_AHEAD ||
	       s->kind == ST_DOT || s->kind == ST_COPY || s->kind == ST_BOX ||
	       s->kind == ST_RUNS || s->kind == ST_BOUND || kstmt_may_fault(s);
}

static bool live_list(Emit *e, const StmtList *l)
{
	bool changed = false;

	for (size_t i = l->n; i-- > 0;) {
		const Stmt *s = l->p[i];
		if (s->kind == ST_FOR || s->kind == ST_IF) {
			changed |= live_list(e, &s->orelse);
			changed |= live_list(e, &s->body);
			continue;
		}
		bool live = is_root(s) ||
			    (s->var != NO_VAR && e->vars[s->var].live);
		/* the index and the running best go together */
		if (s->kind == ST_ARG && e->vars[s->args[0]].live) {
			live = true;
			changed |= mark(e, s->var);
		}
		for (uint32_t a = 0; live && a < s->nargs; a++)
			changed |= mark(e, s->args[a]);
	}
	return changed;
}

void ec_live(Emit *e, const Phase *ph)
{
	while (live_list(e, &ph->body))
		;
}

void ec_reg_lanes(Emit *e, const StmtList *l, int64_t vaxis, int lanes)
{
	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		if (s->kind == ST_FOR) {
			bool v = s->map == MAP_VUNROLL;
			ec_reg_lanes(e, &s->body, v ? s->axis : vaxis,
				     v ? s->lanes : lanes);
		} else if (s->kind == ST_IF) {
			ec_reg_lanes(e, &s->body, vaxis, lanes);
			ec_reg_lanes(e, &s->orelse, vaxis, lanes);
		} else if ((s->kind == ST_LOAD || s->kind == ST_STORE) &&
			   e->k->buffers.p[s->buffer].scope == SCOPE_REG &&
			   lanes && s->nindex &&
			   ex_uses_axis(e->t, s->index[s->nindex - 1], vaxis)) {
			e->reg_lanes[s->buffer] = lanes;
		}
	}
}

EShape ec_shape(const Emit *e, const StmtList *body)
{
	EShape shape = {.straight = true};

	for (size_t i = 0; i < body->n; i++) {
		const Stmt *s = body->p[i];
		shape.statements++;
		shape.costly |= s->kind == ST_OP && op_info[s->op].ulp > 0;
		switch (s->kind) {
		case ST_ACCUM:
			shape.folds |= e->vars[s->var].by_lanes;
			break;
		case ST_LOAD:
		case ST_STORE:
		case ST_AHEAD:
		case ST_OP:
		case ST_MAC:
		case ST_WORD:
		case ST_PART:
		case ST_CONST:
		case ST_INDEX:
		case ST_ROUND:
		case ST_KEEP:
			break;
		case ST_FOR:
		case ST_IF:
		case ST_TEST:
		case ST_ACC:
		case ST_ARG:
		case ST_DOT:
		case ST_BOUND:
		case ST_BARRIER:
		case ST_COPY:
		case ST_BOX:
		case ST_WAIT:
		case ST_SETTLE:
		case ST_FREE:
		case ST_RUNS:
		case ST_COUNT:
			shape.straight = false;
			break;
		}
	}
	return shape;
}
