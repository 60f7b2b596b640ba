/*
 * kernel_verify: the walk of stage 4's verifier.
 *
 * It keeps what is in scope: variables with their dtypes, axes with their
 * ranges, and the conditions of the branches around. kernel_check.c holds
 * each statement against these.
 */
#include "ir/kernel_check.h"

#include <inttypes.h>
#include <string.h>

#define MAX_LANES 64

static bool is_name(const char *s)
{
	if (!s || !*s)
		return false;
	for (; *s; s++)
		if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
		      (*s >= '0' && *s <= '9') || *s == '_'))
			return false;
	return true;
}

static bool check_list(Check *c, const StmtList *l);

/* ---- loops ----------------------------------------------------------- */

/* Marks the accumulators from outside that a vector body folds into. */
static bool mark_folds(Check *c, const StmtList *l, bool on)
{
	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		if (!mark_folds(c, &s->body, on) ||
		    !mark_folds(c, &s->orelse, on))
			return false;
		if (s->kind != ST_ACCUM)
			continue;
		if (s->var >= c->k->nvars)
			return kcheck_breach(
				c, "v%u is no variable of the kernel", s->var);
		if (c->vars[s->var].state != VAR_VISIBLE)
			continue;
		if (c->phase->maps.n)
			return kcheck_breach(c, "a fold of threads beside "
						"boxes");
		c->vars[s->var].by_lanes = on;
	}
	return true;
}

static bool check_lanes(Check *c, const Stmt *s)
{
	if (c->vaxis >= 0)
		return kcheck_breach(
			c, "i%" PRId64 ": a vector loop in another", s->axis);
	if (c->phase->threads && s->lanes == c->phase->threads)
		return true;
	if (c->phase->threads || s->lanes < 2 || s->lanes > MAX_LANES ||
	    (s->lanes & (s->lanes - 1)) != 0)
		return kcheck_breach(c, "i%" PRId64 ": %d lanes", s->axis,
				     s->lanes);
	return true;
}

static bool check_loop(Check *c, const Stmt *s)
{
	bool unrolled = s->map == MAP_UNROLL || s->map == MAP_VUNROLL;
	bool vector = s->map == MAP_VECTOR || s->map == MAP_VUNROLL;
	int64_t n = 0, copies = c->copies;
	size_t ranges = c->facts.ranges.n;

	if (s->map >= MAP_COUNT)
		return kcheck_breach(c, "i%" PRId64 ": no such map", s->axis);
	if (vector && !check_lanes(c, s))
		return false;
	if (!kcheck_open_axis(c, s->axis, s->extent, s->map))
		return false;
	if (unrolled) {
		if (!ex_is_const(c->t, s->extent, &n) || n < 0)
			return kcheck_breach(
				c,
				"i%" PRId64 ": extent %s is unrolled and not "
				"constant",
				s->axis, kcheck_text(c, s->extent));
		/* each thread has its share of a vector loop's */
		int64_t each = n;
		if (s->map == MAP_VUNROLL && c->phase->threads)
			each = (n + s->lanes - 1) / s->lanes;
		if (each > KERNEL_MAX_UNROLL ||
		    copies * (each ? each : 1) > KERNEL_MAX_UNROLL)
			return kcheck_breach(
				c, "i%" PRId64 ": unrolled too often", s->axis);
		c->copies = copies * (each ? each : 1);
	}
	if (vector) {
		c->vaxis = s->axis;
		c->lanes = s->lanes;
		c->vmap = s->map;
		c->loop = ++c->loops;
		if (!mark_folds(c, &s->body, true))
			return false;
	}
	if (s->map == MAP_SERIAL)
		VEC_PUSH(c->arena, c->around, s);
	if (!check_list(c, &s->body))
		return false;
	if (s->map == MAP_SERIAL)
		c->around.n--;
	if (vector) {
		(void)mark_folds(c, &s->body, false);
		c->vaxis = -1;
		c->lanes = 0;
		c->vmap = MAP_SERIAL;
		c->loop = 0;
	}
	c->copies = copies;
	kcheck_close_axes(c, ranges);
	return true;
}

static void mark_stored(Check *c, const StmtList *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		mark_stored(c, &s->body);
		mark_stored(c, &s->orelse);
		if ((s->kind == ST_STORE || s->kind == ST_COPY ||
		     s->kind == ST_BOX || s->kind == ST_RUNS) &&
		    s->buffer < c->k->buffers.n)
			c->stored[s->buffer] = true;
	}
}

/*
 * A branch that is taken where the axis of a loop around is at least 1: what
 * the loop stores, below this place too, its first iteration has stored.
 */
static void mark_earlier(Check *c, const Stmt *branch)
{
	for (size_t i = 0; i < c->around.n; i++) {
		const Stmt *loop = c->around.p[i];
		Ex axis = ex_axis(c->t, loop->axis);
		for (uint32_t k = 0; k < branch->nconds; k++)
			if (ex_equals(c->t,
				      ex_sub(c->t, branch->conds[k], axis), -1))
				mark_stored(c, &loop->body);
	}
}

static bool check_branch(Check *c, const Stmt *s)
{
	size_t facts = c->facts.facts.n, n = c->k->buffers.n;
	bool *stored = arena_array(c->arena, bool, n + 1);

	if (!s->nconds)
		return kcheck_breach(c, "a branch without a condition");
	if (!kcheck_conds(c, s))
		return false;
	if (kcheck_conds_vary(c, s) && !c->phase->threads)
		return kcheck_breach(c, "a branch that differs between lanes");
	for (uint32_t i = 0; i < s->nconds; i++)
		VEC_PUSH(c->arena, c->facts.facts, s->conds[i]);
	memcpy(stored, c->stored, n);
	mark_earlier(c, s);
	if (!check_list(c, &s->body))
		return false;
	/* what only the branch may count on */
	for (size_t i = 0; i < n; i++)
		c->stored[i] = stored[i];
	mark_stored(c, &s->body);
	c->facts.facts.n = facts;
	/* not x >= 0: -x - 1 >= 0 */
	if (s->nconds == 1)
		VEC_PUSH(c->arena, c->facts.facts,
			 ex_sub(c->t, ex_const(c->t, -1), s->conds[0]));
	if (!check_list(c, &s->orelse))
		return false;
	c->facts.facts.n = facts;
	return true;
}

static bool check_stmt(Check *c, const Stmt *s)
{
	if (s->value != NO_VALUE && s->value >= c->ks->program->values.n)
		return kcheck_breach(c, "no value %%%u", s->value);
	if (s->kind == ST_FOR)
		return check_loop(c, s);
	if (s->kind == ST_IF)
		return check_branch(c, s);
	return kcheck_simple(c, s);
}

/* A block: what it declares is gone after it. */
static bool check_list(Check *c, const StmtList *l)
{
	size_t visible = c->visible.n, ranges = c->facts.ranges.n;

	for (size_t i = 0; i < l->n; i++)
		if (!check_stmt(c, l->p[i]))
			return false;
	while (c->visible.n > visible)
		c->vars[c->visible.p[--c->visible.n]].state = VAR_GONE;
	kcheck_close_axes(c, ranges);
	return true;
}

/* ---- kernels --------------------------------------------------------- */

/* Memory of a value's size at least; registers of a constant number. */
static bool check_size(Check *c, const KBuffer *b)
{
	Ex n = ex_const(c->t, 1);
	int64_t count = 0, most = KERNEL_MAX_UNROLL;

	if (c->k->phases.p[0].threads)
		most *= c->k->phases.p[0].threads;

	for (int d = 0; d < b->rank; d++)
		n = ex_mul(c->t, n, b->shape[d]);
	if (b->scope == SCOPE_REG)
		return (ex_is_const(c->t, n, &count) && count >= 0 &&
			count <= most) ||
		       kcheck_breach(
			       c, "%s: registers need a small constant shape",
			       b->name);
	if (b->value == NO_VALUE)
		return true;
	Ex room = ex_sub(c->t, program_elements(c->ks->program, b->value), n);
	ExFacts none = {0};
	return ex_prove_nonneg(c->t, &none, room) ||
	       kcheck_breach(c, "%s is larger than %%%u", b->name, b->value);
}

static bool check_buffer(Check *c, size_t i)
{
	const KBuffer *b = &c->k->buffers.p[i];

	if (!is_name(b->name))
		return kcheck_breach(c, "buffer %zu has no name", i);
	for (size_t k = 0; k < i; k++)
		if (!strcmp(c->k->buffers.p[k].name, b->name))
			return kcheck_breach(c, "two buffers %s", b->name);
	if (b->scope >= SCOPE_COUNT || b->dtype >= DT_COUNT ||
	    b->rank > K_MAX_RANK)
		return kcheck_breach(c, "buffer %s has no scope, dtype or rank",
				     b->name);
	for (int d = 0; d < b->rank; d++)
		if (!kcheck_dims(c, b->shape[d], "shape"))
			return false;
	if (b->swizzled &&
	    (b->scope != SCOPE_WORKER || b->rank < 2 ||
	     !ex_equals(c->t, b->shape[b->rank - 1],
			SWIZZLE_BYTES / dtype_info[b->dtype].bytes)))
		return kcheck_breach(c, "%s: rows of 128 bytes are swizzled",
				     b->name);
	if (b->late && (b->scope != SCOPE_WORKER || b->swizzled))
		return kcheck_breach(c, "%s: only scratch is late", b->name);
	bool holds = b->scope == SCOPE_IN || b->scope == SCOPE_OUT;
	if (holds != (b->value != NO_VALUE))
		return kcheck_breach(c, "%s %s", b->name,
				     holds ? "holds no value"
					   : "holds a value");
	if (!holds)
		return check_size(c, b);
	if (b->value >= c->ks->program->values.n ||
	    program_value(c->ks->program, b->value)->dtype != b->dtype)
		return kcheck_breach(c, "%s is not of its value's dtype",
				     b->name);
	return check_size(c, b);
}

static bool check_once(Check *c, const Phase *ph)
{
	Buf why;

	if (!ph->once)
		return true;
	buf_init(&why, c->arena);
	return phase_may_run_once(c->ks, c->k, ph, &why) ||
	       kcheck_breach(c, "it cannot run once: %s", buf_str(&why));
}

/* Threads that wait for each other where they must. */
static bool check_hazards(Check *c, const Phase *ph)
{
	StmtList *list;
	size_t at;

	if (ph->threads < 0 || ph->threads > KERNEL_MAX_THREADS ||
	    (!ph->foreign && (ph->threads & (ph->threads - 1)) != 0))
		return kcheck_breach(c, "%d threads", ph->threads);
	if (ph->threads != c->k->phases.p[0].threads)
		return kcheck_breach(c, "%d threads, %d in another phase",
				     ph->threads, c->k->phases.p[0].threads);
	if (phase_is_late(c->k, ph))
		return kcheck_breach(c,
				     "scratch is touched whose memory a late "
				     "buffer has taken");
	if (!ph->threads)
		return true;
	const Stmt *race = phase_race(c->arena, c->ks, c->k, ph);
	if (race)
		return kcheck_breach(c,
				     "i%" PRId64 ": a thread touches what "
				     "other threads store in the same loop",
				     race->axis);
	if (!phase_hazard(c->arena, c->ks, c->k, ph, &list, &at))
		return true;
	return list ? kcheck_breach(
			      c,
			      "a barrier is missing before statement %zu of "
			      "its block",
			      at)
		    : kcheck_breach(c, "a copy or a product is touched that "
				       "nothing has waited for");
}

static bool check_phase(Check *c, const Phase *ph)
{
	c->phase = ph;
	c->tile = NULL;
	if (!is_name(ph->name))
		return kcheck_breach(c, "a phase has no name");
	for (const Phase *q = c->k->phases.p; q < ph; q++)
		if (!strcmp(q->name, ph->name))
			return kcheck_breach(c, "two phases %s", ph->name);
	/* what lived within a task of another phase is gone */
	for (size_t i = 0; i < c->k->buffers.n; i++) {
		BufScope scope = c->k->buffers.p[i].scope;
		if (scope == SCOPE_WORKER || scope == SCOPE_REG)
			c->stored[i] = false;
		c->reg_lanes[i] = 0;
	}
	for (size_t i = 0; i < ph->tasks.n; i++) {
		const KAxis *a = &ph->tasks.p[i];
		if (!kcheck_dims(c, a->extent, "task extent") ||
		    !kcheck_open_axis(c, a->axis, a->extent, MAP_SERIAL))
			return false;
	}
	if (ph->tasks.n > K_MAX_RANK)
		return kcheck_breach(c, "too many task axes");
	if (ph->call && !kcheck_call(c, ph))
		return false;
	if (ph->foreign && !kcheck_foreign(c, ph))
		return false;
	for (size_t i = 0; i < ph->maps.n; i++)
		if (!kcheck_map(c, &ph->maps.p[i]))
			return false;
	if (!check_list(c, &ph->body) || !kcheck_feeder(c, ph))
		return false;
	kcheck_close_axes(c, 0);
	if (!check_once(c, ph) || !check_hazards(c, ph))
		return false;
	c->phase = NULL;
	return true;
}

static bool kernel_verify(Kernels *ks, const Kernel *k, Buf *why)
{
	Check c = {.ks = ks,
		   .k = k,
		   .t = &ks->program->ex,
		   .arena = why->arena,
		   .why = why,
		   .vaxis = -1,
		   .vmap = MAP_SERIAL,
		   .copies = 1};
	bool overflow = c.t->overflow;

	if (!is_name(k->name) || !is_name(k->realisation)) {
		buf_puts(why, "a kernel has no name or realisation");
		return false;
	}
	if (k->naxes < 0 || k->phases.n == 0)
		return kcheck_breach(&c, "it has no phases");
	c.vars = arena_array(c.arena, VarState, k->nvars + 1);
	c.axes = arena_array(c.arena, AxisState, k->naxes + 1);
	c.stored = arena_array(c.arena, bool, k->buffers.n + 1);
	c.reg_lanes = arena_array(c.arena, int, k->buffers.n + 1);
	c.t->overflow = false;
	bool ok = true;
	for (size_t i = 0; ok && i < k->params.n; i++)
		ok = is_name(k->params.p[i].name) ||
		     kcheck_breach(&c, "a parameter has no name");
	for (size_t i = 0; ok && i < k->buffers.n; i++)
		ok = check_buffer(&c, i);
	for (size_t i = 0; ok && i < k->phases.n; i++)
		ok = check_phase(&c, &k->phases.p[i]);
	if (ok && c.t->overflow)
		ok = kcheck_breach(&c, "an expression is too large");
	c.t->overflow = overflow;
	return ok;
}

bool kernels_verify(Kernels *ks, Buf *why)
{
	for (size_t i = 0; i < ks->kernels.n; i++) {
		const Kernel *k = &ks->kernels.p[i];
		if (!kernel_verify(ks, k, why))
			return false;
		for (size_t j = 0; j < i; j++)
			if (!strcmp(ks->kernels.p[j].name, k->name)) {
				buf_printf(why, "two kernels %s", k->name);
				return false;
			}
	}
	return true;
}
