/*
 * emit_c_mem: loads and stores, and how they walk memory.
 *
 * The address of an access is one expression, the linear element number.
 * Where lanes run, its difference from lane to lane decides the form:
 * constantly 1 is a contiguous vector, any other difference that is the
 * same for all lanes a strided one; no difference is one element for all
 * lanes; else each lane computes its own.
 */
#include "emit/emit_c.h"

#include <inttypes.h>

static Ex lane_axis(Emit *e)
{
	return ex_axis(e->t, e->k->naxes);
}

/* x with the axis replaced by itself plus `by`. */
static Ex shift_axis(Emit *e, Ex x, int64_t axis, Ex by)
{
	size_t n = (size_t)e->k->naxes + 1;
	Ex *with = arena_array(e->arena, Ex, n);

	for (size_t i = 0; i < n; i++)
		with[i] = ex_axis(e->t, (int64_t)i);
	with[axis] = ex_add(e->t, with[axis], by);
	return ex_subst_axes(e->t, x, with, n);
}

/* True if x moves by the same step whenever the axis grows by one. */
static bool steps(Emit *e, Ex x, int64_t axis, Ex *step)
{
	Ex next = shift_axis(e, x, axis, ex_const(e->t, 1));

	*step = ex_sub(e->t, next, x);
	return !ex_uses_axis(e->t, *step, axis);
}

EWalk ec_walk(Emit *e, Ex x)
{
	EWalk w = {WALK_NONE, 0, 0};
	int64_t lane = e->k->naxes;

	if (!e->lanes || !ex_uses_axis(e->t, x, e->vaxis)) {
		w.base = ec_subst(e, x);
		return w;
	}
	if (steps(e, x, e->vaxis, &w.step)) {
		w.kind = WALK_STEP;
		w.base = ec_subst(e, x);
		w.step = ec_subst(e, w.step);
		return w;
	}
	/* divisions may vanish once the vector's place is known */
	Ex at = e->subst[e->vaxis];
	size_t ranges = e->facts.ranges.n;
	e->subst[e->vaxis] = ex_add(e->t, at, lane_axis(e));
	Ex by_lane = ec_subst(e, x);
	e->subst[e->vaxis] = at;
	VEC_PUSH(e->arena, e->facts.ranges,
		 ((ExRange){lane, ex_const(e->t, e->lanes)}));
	by_lane = ex_simplify(e->t, &e->facts, by_lane);
	e->facts.ranges.n = ranges;
	w.kind = WALK_LANES;
	w.base = by_lane;
	if (steps(e, by_lane, lane, &w.step)) {
		Ex minus = ex_sub(e->t, ex_const(e->t, 0), lane_axis(e));
		w.kind = WALK_STEP;
		w.base = shift_axis(e, by_lane, lane, minus);
	}
	return w;
}

/* ---- addresses ------------------------------------------------------- */

static size_t memo_slot(const Emit *e, const Stmt *s)
{
	size_t mask = e->memo_cap - 1;
	size_t i = (size_t)hash_bytes(&s, sizeof(s), 0) & mask;

	while (e->memo[i].stmt && e->memo[i].stmt != s)
		i = (i + 1) & mask;
	return i;
}

static void memo_grow(Emit *e)
{
	EMemo *old = e->memo;
	size_t n = e->memo_cap;

	e->memo_cap = n ? 2 * n : 64;
	e->memo = arena_array(e->arena, EMemo, e->memo_cap);
	for (size_t i = 0; i < n; i++)
		if (old[i].stmt)
			e->memo[memo_slot(e, old[i].stmt)] = old[i];
}

Ex ec_simplify(Emit *e, const Stmt *s, Ex x)
{
	size_t facts = e->facts.facts.n;

	if (2 * e->memo_n >= e->memo_cap)
		memo_grow(e);
	size_t slot = memo_slot(e, s);
	if (e->memo[slot].stmt)
		return e->memo[slot].ex;
	/* what a load is guarded by holds where it takes place */
	for (uint32_t i = 0; s->kind == ST_LOAD && i < s->nconds; i++)
		VEC_PUSH(e->arena, e->facts.facts, s->conds[i]);
	x = ex_simplify(e->t, &e->facts, x);
	e->facts.facts.n = facts;
	e->memo[slot] = (EMemo){s, x};
	e->memo_n++;
	return x;
}

Ex ec_linear(Emit *e, const Stmt *s)
{
	const KBuffer *b = &e->k->buffers.p[s->buffer];
	Ex x = ex_const(e->t, 0);

	for (int d = 0; d < s->nindex; d++)
		x = ex_add(e->t, ex_mul(e->t, x, b->shape[d]), s->index[d]);
	return ec_simplify(e, s, x);
}

/* Whether memory and register hold an element the same way: in OpenCL a
 * work-group's memory does, which functions on global memory cannot read. */
static bool is_plain(const Emit *e, const Stmt *s)
{
	DType d = s->dtype;

	return (d != DT_F16 && d != DT_BF16 && d != DT_BOOL) ||
	       (e->dialect == CD_OPENCL &&
		e->k->buffers.p[s->buffer].scope == SCOPE_WORKER);
}

/* ec_ex_raw encloses a sum: each partial sum alone need not lie inside. */
static const char *pointer(Emit *e, const Stmt *s, Ex at)
{
	const char *b = ec_buffer(e, s->buffer);

	if (ex_equals(e->t, at, 0))
		return b;
	return arena_printf(e->arena, "%s + %s", b, ec_ex_raw(e, at));
}

/* Text of one element's value in memory. */
static const char *element(Emit *e, const Stmt *s, Ex at)
{
	if (is_plain(e, s))
		return arena_printf(e->arena, "%s[%s]", ec_buffer(e, s->buffer),
				    ec_bare(e, ec_ex_raw(e, at)));
	return arena_printf(e->arena, "%s(%s)", ec_fn(e, "load", s->dtype, 0),
			    pointer(e, s, at));
}

static const char *stride(Emit *e, DType d, Ex step)
{
	Ex bytes = ex_mul(e->t, step, ex_const(e->t, dtype_info[d].bytes));

	return ec_ex_raw(e, bytes);
}

/* ---- registers ------------------------------------------------------- */

/*
 * The register of a REG access: its name, with [lane] after it where one
 * element of a vector is meant. lanes: what the text is.
 */
static const char *reg(Emit *e, const Stmt *s, int *lanes)
{
	int64_t at[K_MAX_RANK], per = e->reg_lanes[s->buffer], lane = 0;

	for (int d = 0; d < s->nindex; d++)
		if (!ex_is_const(e->t, ec_subst(e, s->index[d]), &at[d]))
			bug("register index of %s is not constant",
			    e->k->buffers.p[s->buffer].name);
	*lanes = 0;
	if (!per)
		return ec_reg(e, s->buffer, at);
	int64_t *last = &at[s->nindex - 1];
	lane = *last % per;
	*last /= per;
	if (e->lanes && ex_uses_axis(e->t, s->index[s->nindex - 1], e->vaxis)) {
		*lanes = e->lanes;
		return ec_reg(e, s->buffer, at);
	}
	return arena_printf(e->arena, "%s[%" PRId64 "]",
			    ec_reg(e, s->buffer, at), lane);
}

/* ---- loads ----------------------------------------------------------- */

/* Whether any condition differs between lanes. */
static bool conds_vary(const Emit *e, const Stmt *s)
{
	for (uint32_t i = 0; e->lanes && i < s->nconds; i++)
		if (ex_uses_axis(e->t, s->conds[i], e->vaxis))
			return true;
	return false;
}

/*
 * A condition that steps evenly holds in all lanes if it does in the first
 * and the last; which of them decides is known where the step's sign is.
 * NULL if some condition steps otherwise.
 */
static const char *conds_all(Emit *e, const Stmt *s)
{
	VEC(Ex) ends = {0};

	for (uint32_t i = 0; i < s->nconds; i++) {
		EWalk w = ec_walk(e, s->conds[i]);
		int64_t step = 0;
		if (w.kind == WALK_LANES)
			return NULL;
		bool known =
			w.kind == WALK_NONE || ex_is_const(e->t, w.step, &step);
		if (!known || step >= 0)
			VEC_PUSH(e->arena, ends, w.base);
		if (!known || step < 0) {
			Ex last = ex_const(e->t, e->lanes - 1);
			last = ex_add(e->t, w.base, ex_mul(e->t, w.step, last));
			VEC_PUSH(e->arena, ends, last);
		}
	}
	Buf b;
	buf_init(&b, e->arena);
	for (size_t i = 0; i < ends.n; i++)
		buf_printf(&b, "%s%s >= 0", i ? " && " : "",
			   ec_bare(e, ec_ex_raw(e, ends.p[i])));
	return buf_str(&b);
}

/* Fills the array l<var> in memory form, each lane by itself. */
static void lanes_to_array(Emit *e, const Stmt *s, Ex lin)
{
	Ex at = e->subst[e->vaxis];
	int64_t lane = e->k->naxes;
	int lanes = e->lanes;

	e->subst[e->vaxis] = ex_add(e->t, at, lane_axis(e));
	const char *from =
		arena_printf(e->arena, "%s[%s]", ec_buffer(e, s->buffer),
			     ec_bare(e, ec_ex(e, lin)));
	const char *conds = s->nconds ? ec_conds(e, s->conds, s->nconds) : NULL;
	if (e->rest)
		conds = arena_printf(e->arena, "i%" PRId64 " < %s%s%s", lane,
				     e->rest, conds ? " && " : "",
				     conds ? conds : "");
	if (conds)
		from = arena_printf(e->arena, "%s ? %s : 0", conds, from);
	e->subst[e->vaxis] = at;
	ec_line(e, "%s l%u[%d];\n", ec_memory_type(s->dtype), s->var, lanes);
	ec_line(e,
		"for (int64_t i%" PRId64 " = 0; i%" PRId64 " < %d; i%" PRId64
		"++)\n",
		lane, lane, lanes, lane);
	e->depth++;
	ec_line(e, "l%u[i%" PRId64 "] = %s;\n", s->var, lane, from);
	e->depth--;
}

/* Halves of words: what load2 and load2n are for. */
static bool is_every_second(Emit *e, const Stmt *s, const EWalk *w)
{
	return ex_equals(e->t, w->step, 2) && dtype_info[s->dtype].bytes == 2;
}

/* The access as text of whole lanes, of the first of them, or of one
 * element. */
static const char *load_text(Emit *e, const Stmt *s, const EWalk *w,
			     const char *rest)
{
	DType d = s->dtype;

	if (w->kind == WALK_NONE)
		return element(e, s, w->base);
	bool second = is_every_second(e, s, w);
	if (rest && (second || ex_equals(e->t, w->step, 1)))
		return arena_printf(
			e->arena, "%s(%s, %s)",
			ec_fn(e, second ? "load2n" : "loadn", d, e->lanes),
			pointer(e, s, w->base), rest);
	if (ex_equals(e->t, w->step, 1))
		return arena_printf(e->arena, "%s(%s)",
				    ec_fn(e, "load", d, e->lanes),
				    pointer(e, s, w->base));
	if (second)
		return arena_printf(e->arena, "%s(%s)",
				    ec_fn(e, "load2", d, e->lanes),
				    pointer(e, s, w->base));
	return arena_printf(e->arena, "%s(%s, %s)",
			    ec_fn(e, "loads", d, e->lanes),
			    pointer(e, s, w->base), stride(e, d, w->step));
}

static const char *array_text(Emit *e, const Stmt *s)
{
	return arena_printf(e->arena, "%s(l%u)",
			    ec_fn(e, "load", s->dtype, e->lanes), s->var);
}

/*
 * The number of lanes, from the first on, in which every condition holds, as
 * text that may be below 0; NULL if the conditions say no such thing or the
 * lanes are not next to each other in memory.
 */
static const char *lanes_inside(Emit *e, const Stmt *s, const EWalk *w)
{
	Ex lanes = ex_const(e->t, e->lanes), one = ex_const(e->t, 1);
	Ex n = lanes;

	if (w->kind != WALK_STEP || e->rest ||
	    !(ex_equals(e->t, w->step, 1) || is_every_second(e, s, w)))
		return NULL;
	for (uint32_t i = 0; i < s->nconds; i++) {
		EWalk c = ec_walk(e, s->conds[i]);
		int64_t step = 0;
		Ex hold;
		if (c.kind == WALK_NONE)
			hold = ex_mul(e->t, ex_add(e->t, c.base, one), lanes);
		else if (c.kind == WALK_STEP &&
			 ex_is_const(e->t, c.step, &step) && step < 0)
			hold = ex_add(
				e->t,
				ex_div(e->t, c.base, ex_const(e->t, -step)),
				one);
		else
			return NULL;
		n = ex_min(e->t, n, hold);
	}
	return ec_ex_raw(e, n);
}

/* All lanes at once where all may be loaded, else those that may. */
static void load_guarded(Emit *e, const Stmt *s, Ex lin, const EWalk *w,
			 const char *all)
{
	const char *text = load_text(e, s, w, NULL);
	const char *some = lanes_inside(e, s, w);

	if (w->kind == WALK_NONE)
		text = arena_printf(e->arena, "%s(%s)",
				    ec_fn(e, "splat", s->dtype, e->lanes),
				    text);
	e->vars[s->var].varies = true;
	ec_line(e, "%s v%u;\n", ec_type(e, s->dtype, e->lanes), s->var);
	ec_line(e, "if (%s) {\n", all);
	e->depth++;
	ec_line(e, "v%u = %s;\n", s->var, text);
	e->depth--;
	ec_line(e, "} else {\n");
	e->depth++;
	if (some) {
		ec_line(e, "v%u = %s;\n", s->var, load_text(e, s, w, some));
	} else {
		lanes_to_array(e, s, lin);
		ec_line(e, "v%u = %s;\n", s->var, array_text(e, s));
	}
	e->depth--;
	ec_line(e, "}\n");
}

void ec_load(Emit *e, const Stmt *s)
{
	DType d = s->dtype;
	int lanes = 0;

	if (e->k->buffers.p[s->buffer].scope == SCOPE_REG) {
		const char *name = reg(e, s, &lanes);
		ec_line(e, "%s%s;\n", ec_declare(e, s, lanes), name);
		return;
	}
	Ex lin = ec_linear(e, s);
	EWalk w = ec_walk(e, lin);
	bool vary = conds_vary(e, s);
	const char *all = vary && w.kind != WALK_LANES && !e->rest
				  ? conds_all(e, s)
				  : NULL;
	/* beyond the lanes that count there may be no memory */
	bool apart =
		e->rest && w.kind == WALK_STEP && !ex_equals(e->t, w.step, 1);
	if (all) {
		load_guarded(e, s, lin, &w, all);
		return;
	}
	if (vary || apart || w.kind == WALK_LANES) {
		lanes_to_array(e, s, lin);
		ec_line(e, "%s%s;\n", ec_declare(e, s, e->lanes),
			array_text(e, s));
		return;
	}
	const char *text = load_text(e, s, &w, e->rest), *zero = "0";
	lanes = w.kind == WALK_NONE ? 0 : e->lanes;
	if (s->nconds) {
		if (lanes)
			zero = arena_printf(e->arena, "%s(0)",
					    ec_fn(e, "splat", d, lanes));
		text = arena_printf(e->arena, "%s ? %s : %s",
				    ec_conds(e, s->conds, s->nconds), text,
				    zero);
	}
	ec_line(e, "%s%s;\n", ec_declare(e, s, lanes), text);
}

/* ---- stores ---------------------------------------------------------- */

static void store_by_lanes(Emit *e, const Stmt *s, Ex lin, const char *value)
{
	Ex at = e->subst[e->vaxis];
	int lanes = e->lanes;
	int64_t lane = e->k->naxes;
	const char *count =
		e->rest ? e->rest : arena_printf(e->arena, "%d", lanes);

	e->subst[e->vaxis] = ex_add(e->t, at, lane_axis(e));
	const char *to = ec_bare(e, ec_ex(e, lin));
	e->subst[e->vaxis] = at;
	ec_line(e, "{\n");
	e->depth++;
	ec_line(e, "%s l[%d];\n", ec_memory_type(s->dtype), lanes);
	ec_line(e, "%s(l, %s);\n", ec_fn(e, "store", s->dtype, lanes), value);
	ec_line(e,
		"for (int64_t i%" PRId64 " = 0; i%" PRId64 " < %s; i%" PRId64
		"++)\n",
		lane, lane, count, lane);
	e->depth++;
	ec_line(e, "%s[%s] = l[i%" PRId64 "];\n", ec_buffer(e, s->buffer), to,
		lane);
	e->depth -= 2;
	ec_line(e, "}\n");
}

bool ec_store_turns(Emit *e, const Stmt *s, int64_t axis)
{
	Ex lane, row, lin;

	if (e->k->buffers.p[s->buffer].scope == SCOPE_REG)
		return false;
	lin = ec_linear(e, s);
	return ex_uses_axis(e->t, lin, e->vaxis) &&
	       steps(e, lin, e->vaxis, &lane) && !ex_equals(e->t, lane, 1) &&
	       steps(e, lin, axis, &row) && ex_equals(e->t, row, 1);
}

/* Stores column i, whose vector is named, of the tile from `base` on. */
static void store_column(Emit *e, const ETurn *turn, const Stmt *s, Ex at,
			 const char *column)
{
	const char *to = pointer(e, s, at);
	bool whole = turn->rows == e->lanes;
	const char *past = whole ? ec_stream_when(e, s, to) : NULL;

	if (!whole)
		ec_line(e, "%s(%s, %d, %s);\n",
			ec_fn(e, "storen", s->dtype, e->lanes), to, turn->rows,
			column);
	else if (past)
		ec_line(e, "%s(%s, %s, %s);\n",
			ec_fn(e, "stream", s->dtype, e->lanes), to, column,
			past);
	else
		ec_line(e, "%s(%s, %s);\n",
			ec_fn(e, "store", s->dtype, e->lanes), to, column);
}

/* The tile is an array. */
static void store_looped(Emit *e, const ETurn *turn, const Stmt *s,
			 const EWalk *w, int tile)
{
	const char *i = arena_printf(e->arena, "i%" PRId64, e->k->naxes);

	ec_line(e, "%s(t%d_0);\n", ec_fn(e, "turn", s->dtype, e->lanes), tile);
	ec_line(e, "for (int64_t %s = 0; %s < %s; %s++)\n", i, i,
		e->rest ? e->rest : arena_printf(e->arena, "%d", e->lanes), i);
	e->depth++;
	store_column(e, turn, s,
		     ex_add(e->t, w->base, ex_mul(e->t, w->step, lane_axis(e))),
		     arena_printf(e->arena, "t%d_0[%s]", tile, i));
	e->depth--;
}

/*
 * The tile is in registers. Rows i and i + lanes/2 interleaved, log2(lanes)
 * times over, are the columns: each step moves one bit of the row number to
 * the lane number.
 */
static void store_written_out(Emit *e, const ETurn *turn, const Stmt *s,
			      const EWalk *w, int tile)
{
	int lanes = e->lanes, half = lanes / 2, step = 0;
	const char *type = ec_type(e, s->dtype, lanes);

	for (int bit = 1; bit < lanes; bit *= 2, step++)
		for (int i = 0; i < lanes; i++)
			ec_line(e,
				turn->looped && step == 0
					? "const %s t%d_%d_%d = %s(t%d_%d[%d], "
					  "t%d_%d[%d]);\n"
					: "const %s t%d_%d_%d = %s(t%d_%d_%d, "
					  "t%d_%d_%d);\n",
				type, tile, step + 1, i,
				ec_fn(e, i % 2 ? "ziphi" : "ziplo", s->dtype,
				      lanes),
				tile, step, i / 2, tile, step, i / 2 + half);
	for (int i = 0; i < lanes; i++) {
		Ex at = ex_mul(e->t, w->step, ex_const(e->t, i));
		if (e->rest)
			ec_line(e, "if (%d < %s)\n\t", i, e->rest);
		store_column(
			e, turn, s, ex_add(e->t, w->base, at),
			arena_printf(e->arena, "t%d_%d_%d", tile, step, i));
	}
}

void ec_store_turned(Emit *e, const ETurn *turn, size_t which)
{
	const Stmt *s = turn->stores.p[which];
	Ex saved = e->subst[turn->axis];
	int tile = turn->first + (int)which;

	e->subst[turn->axis] = ex_const(e->t, 0);
	EWalk w = ec_walk(e, ec_linear(e, s));
	if (turn->apart)
		store_looped(e, turn, s, &w, tile);
	else
		store_written_out(e, turn, s, &w, tile);
	e->subst[turn->axis] = saved;
}

/* Keeps a row of a tile; ec_store_turned() comes after the last one. */
static bool keep_row(Emit *e, const Stmt *s)
{
	const ETurn *turn = e->turn;

	for (size_t i = 0; turn && i < turn->stores.n; i++) {
		if (turn->stores.p[i] != s)
			continue;
		const char *row =
			ec_bare(e, ec_ex(e, ex_axis(e->t, turn->axis)));
		ec_line(e,
			turn->looped ? "t%d_0[%s] = %s;\n" : "t%d_0_%s = %s;\n",
			turn->first + (int)i, row,
			ec_var(e, s->args[0], s->dtype, e->lanes));
		return true;
	}
	return false;
}

void ec_store(Emit *e, const Stmt *s)
{
	DType d = s->dtype;
	int lanes;

	if (keep_row(e, s))
		return;

	if (e->k->buffers.p[s->buffer].scope == SCOPE_REG) {
		const char *name = reg(e, s, &lanes);
		ec_line(e, "%s = %s;\n", name, ec_var(e, s->args[0], d, lanes));
		return;
	}
	Ex lin = ec_linear(e, s);
	EWalk w = ec_walk(e, lin);
	lanes = ec_args_lanes(e, s);
	if (w.kind == WALK_NONE && !lanes) {
		if (is_plain(e, s))
			ec_line(e, "%s = v%u;\n", element(e, s, w.base),
				s->args[0]);
		else
			ec_line(e, "%s(%s, v%u);\n", ec_fn(e, "store", d, 0),
				pointer(e, s, w.base), s->args[0]);
		return;
	}
	const char *value = ec_var(e, s->args[0], d, e->lanes);
	const char *flag = ec_stream_flag(e, s);
	if (w.kind == WALK_STEP && e->rest && ex_equals(e->t, w.step, 1))
		ec_line(e, "%s(%s, %s, %s);\n", ec_fn(e, "storen", d, e->lanes),
			pointer(e, s, w.base), e->rest, value);
	else if (w.kind != WALK_STEP || e->rest)
		store_by_lanes(e, s, lin, value);
	else if (flag)
		ec_line(e, "%s(%s, %s, %s);\n", ec_fn(e, "stream", d, e->lanes),
			pointer(e, s, w.base), value, flag);
	else if (ex_equals(e->t, w.step, 1))
		ec_line(e, "%s(%s, %s);\n", ec_fn(e, "store", d, e->lanes),
			pointer(e, s, w.base), value);
	else
		ec_line(e, "%s(%s, %s, %s);\n", ec_fn(e, "stores", d, e->lanes),
			pointer(e, s, w.base), stride(e, d, w.step), value);
}

/* Once a vector: lanes fill a cache line or a good part of it. */
void ec_ahead(Emit *e, const Stmt *s)
{
	if (!e->lanes)
		return;
	if (s->nconds) {
		ec_line(e, "if (%s)\n", ec_conds(e, s->conds, s->nconds));
		e->depth++;
	}
	ec_line(e, "%s(%s);\n", ec_need(e, "tn_ahead"),
		pointer(e, s, ec_subst(e, ec_linear(e, s))));
	e->depth -= s->nconds > 0;
}
