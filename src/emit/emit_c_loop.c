/*
 * emit_c_loop: loops and branches, and their mapping to vector lanes.
 *
 * A VECTOR loop prints its body up to three times: for several vectors at
 * once where the body folds (independent chains hide the latency of the
 * fold), for one vector, and for the elements that are left: one
 * vector of which only the first lanes count. Accumulators
 * declared outside are kept one a lane meanwhile, and folded together after
 * the vectors, always in the same order.
 */
#include "emit/emit_c.h"

#include "ir/kernel_text.h"

#include <inttypes.h>

/*
 * Independent accumulators of a folding loop. An addition takes 4 cycles and
 * two start in each: 8 fill them where the body is little more than a load
 * and a fold, 4 where it has some operations of its own.
 */
#define CHAINS     8
#define SHORT_BODY 4
#define CHAIN_BODY 16
/* Statements of a row that is written out: a load, a store. */
#define TURN_BODY 2

static void serial_loop(Emit *e, const Stmt *s, Ex extent)
{
	const char *n = ec_bare(e, ec_ex(e, extent));

	ec_line(e,
		"for (int64_t i%" PRId64 " = 0; i%" PRId64 " < %s; i%" PRId64
		"++) {\n",
		s->axis, s->axis, n, s->axis);
	e->depth++;
	ec_list(e, &s->body);
	e->depth--;
	ec_line(e, "}\n");
}

/* Whether two copies of the body clash in one block. */
static bool declares(const StmtList *body)
{
	for (size_t i = 0; i < body->n; i++) {
		StmtKind k = body->p[i]->kind;
		if (k != ST_STORE && k != ST_ACCUM && k != ST_FOR && k != ST_IF)
			return true;
	}
	return false;
}

/* The braces around a copy of a body that declares variables. */
static void open_copy(Emit *e, const StmtList *body)
{
	if (!declares(body))
		return;
	ec_line(e, "{\n");
	e->depth++;
}

static void close_copy(Emit *e, const StmtList *body)
{
	if (!declares(body))
		return;
	e->depth--;
	ec_line(e, "}\n");
}

/* The stores of a register tile, if the loop makes one. */
static bool find_turn(Emit *e, const Stmt *s, int64_t n, ETurn *turn)
{
	if (!e->lanes || e->turn || n > e->lanes || n < 2)
		return false;
	for (size_t i = 0; i < s->body.n; i++) {
		const Stmt *x = s->body.p[i];
		if (x->kind == ST_FOR || x->kind == ST_IF)
			return false;
		if (x->kind == ST_STORE && ec_store_turns(e, x, s->axis))
			VEC_PUSH(e->arena, turn->stores, x);
	}
	turn->axis = s->axis;
	turn->rows = (int)n;
	turn->first = e->turns;
	e->turns += (int)turn->stores.n;
	return turn->stores.n > 0;
}

/*
 * Rows of a copy are written out, so that its tile stays in registers. Longer
 * rows are a loop by way of an array, which compiles in half the time and is
 * 0 to 10 % slower; and so are those of a tail.
 */
static bool rows_loop(const Emit *e, const Stmt *s, const ETurn *turn)
{
	bool guarded = false;

	for (size_t i = 0; i < s->body.n; i++) {
		const Stmt *x = s->body.p[i];
		bool access = x->kind == ST_LOAD || x->kind == ST_STORE;
		guarded |= x->nconds > 0 && !x->stream;
		if (access && e->k->buffers.p[x->buffer].scope == SCOPE_REG)
			return false; /* indexed by a number only */
	}
	return e->rest || guarded || turn->stores.n > 1 ||
	       s->body.n > TURN_BODY;
}

static void declare_rows(Emit *e, const ETurn *turn)
{
	for (size_t i = 0; i < turn->stores.n; i++) {
		const char *type =
			ec_type(e, turn->stores.p[i]->dtype, e->lanes);
		int tile = turn->first + (int)i;
		/* rows that there are none of turn to lanes not stored */
		const char *none = turn->rows < e->lanes ? " = {0}" : "";
		if (turn->looped)
			ec_line(e, "%s t%d_0[%d]%s;\n", type, tile, e->lanes,
				turn->rows < e->lanes ? " = {{0}}" : "");
		for (int row = 0; row < e->lanes && !turn->looped; row++)
			ec_line(e, "%s t%d_0_%d%s;\n", type, tile, row,
				row < turn->rows ? "" : none);
	}
}

static void written_out(Emit *e, const Stmt *s, int64_t n)
{
	Ex saved = e->subst[s->axis];
	bool quiet = e->quiet;

	for (int64_t i = 0; i < n; i++) {
		e->subst[s->axis] = ex_const(e->t, i);
		e->quiet = quiet || i > 0;
		open_copy(e, &s->body);
		ec_list(e, &s->body);
		close_copy(e, &s->body);
	}
	e->quiet = quiet;
	e->subst[s->axis] = saved;
}

static void unrolled_loop(Emit *e, const Stmt *s)
{
	ETurn turn = {0};
	int64_t n = 0;

	bug_if(!ex_is_const(e->t, s->extent, &n));
	if (!find_turn(e, s, n, &turn)) {
		written_out(e, s, n);
		return;
	}
	turn.looped = rows_loop(e, s, &turn);
	/* once for all tiles; a tail is no hurry */
	turn.apart = turn.looped && (e->rest || turn.stores.n > 1);
	declare_rows(e, &turn);
	e->turn = &turn;
	if (turn.looped)
		serial_loop(e, s, s->extent);
	else
		written_out(e, s, n);
	e->turn = NULL;
	for (size_t i = 0; i < turn.stores.n; i++)
		ec_store_turned(e, &turn, i);
}

/* ---- accumulators by lanes ------------------------------------------- */

typedef VEC(const Stmt *) AccList;

/* The accumulators from outside that body folds into, once each. */
static void find_accs(Emit *e, const StmtList *body, AccList *out)
{
	for (size_t i = 0; i < body->n; i++) {
		const Stmt *s = body->p[i];
		find_accs(e, &s->body, out);
		find_accs(e, &s->orelse, out);
		/* an accumulator of the body itself is declared before */
		if (s->kind == ST_ACC)
			e->vars[s->var].varies = true;
		if (s->kind != ST_ACCUM || e->vars[s->var].varies ||
		    e->vars[s->var].by_lanes || !e->vars[s->var].live)
			continue;
		e->vars[s->var].by_lanes = true;
		VEC_PUSH(e->arena, *out, s);
	}
}

static void declare_accs(Emit *e, const AccList *accs, int lanes, int chains)
{
	for (size_t i = 0; i < accs->n; i++) {
		const Stmt *s = accs->p[i];
		const char *id = ec_identity(e, s->op, s->dtype);
		for (int c = 0; c < chains; c++)
			ec_line(e, "%s v%u_%d = %s(%s);\n",
				ec_type(e, s->dtype, lanes), s->var, c,
				ec_fn(e, "splat", s->dtype, lanes), id);
	}
}

/* v = v + hsum((v_0 + v_1) + (v_2 + v_3)) */
static void fold_accs(Emit *e, const AccList *accs, int lanes, int chains)
{
	for (size_t i = 0; i < accs->n; i++) {
		const Stmt *s = accs->p[i];
		const char *part[CHAINS];
		for (int c = 0; c < chains; c++)
			part[c] = arena_printf(e->arena, "v%u_%d", s->var, c);
		for (int n = chains; n > 1; n /= 2)
			for (int c = 0; c < n / 2; c++)
				part[c] = arena_printf(
					e->arena, "(%s)",
					ec_fold(e, s->op, s->dtype, lanes,
						part[2 * c], part[2 * c + 1]));
		const char *all = arena_printf(
			e->arena, "%s(%s)",
			ec_fn(e, ec_fold_lanes(s->op), s->dtype, lanes),
			part[0]);
		const char *self = arena_printf(e->arena, "v%u", s->var);
		ec_line(e, "%s = %s;\n", self,
			ec_fold(e, s->op, s->dtype, 0, self, all));
		e->vars[s->var].by_lanes = false;
	}
}

/* ---- vectors --------------------------------------------------------- */

/* The body for one vector at `at`, as copy number `copy`. */
static void vector_body(Emit *e, const Stmt *s, Ex at, int copy)
{
	Ex saved = e->subst[s->axis];

	e->subst[s->axis] = at;
	e->lanes = s->lanes;
	e->vaxis = s->axis;
	e->copy = copy;
	ec_list(e, &s->body);
	e->lanes = 0;
	e->vaxis = -1;
	e->copy = 0;
	e->subst[s->axis] = saved;
}

static void vunrolled_loop(Emit *e, const Stmt *s)
{
	bool quiet = e->quiet;
	AccList accs = {0};
	int64_t n = 0;

	bug_if(!ex_is_const(e->t, s->extent, &n));
	find_accs(e, &s->body, &accs);
	if (accs.n) {
		ec_line(e, "{\n");
		e->depth++;
		declare_accs(e, &accs, s->lanes, 1);
	}
	for (int64_t i = 0; i < n; i += s->lanes) {
		e->quiet = quiet || i > 0;
		if (n - i < s->lanes)
			e->rest = arena_printf(e->arena, "%" PRId64, n - i);
		open_copy(e, &s->body);
		vector_body(e, s, ex_const(e->t, i), 0);
		close_copy(e, &s->body);
	}
	e->rest = NULL;
	e->quiet = quiet;
	if (accs.n) {
		fold_accs(e, &accs, s->lanes, 1);
		e->depth--;
		ec_line(e, "}\n");
	}
}

/*
 * A loop of steps of `copies` vectors, as long as whole steps fit. The form
 * of its condition matters: with i + step <= n in its place, gcc 12 takes
 * the tail that follows for one of 2^62 iterations.
 */
static void vector_loop_by(Emit *e, const Stmt *s, Ex extent, int copies)
{
	int step = copies * s->lanes;
	int64_t n;
	bool quiet = e->quiet;
	Ex i = ex_axis(e->t, s->axis);

	const char *last =
		ex_is_const(e->t, ec_subst(e, extent), &n)
			? arena_printf(e->arena, "%" PRId64, n - step)
			: arena_printf(e->arena, "n%" PRId64 " - %d", s->axis,
				       step);
	ec_line(e, "for (; i%" PRId64 " <= %s; i%" PRId64 " += %d) {\n",
		s->axis, last, s->axis, step);
	e->depth++;
	for (int c = 0; c < copies; c++) {
		if (copies > 1)
			open_copy(e, &s->body);
		Ex at = ex_add(e->t, i, ex_const(e->t, c * s->lanes));
		vector_body(e, s, at, c);
		e->quiet = true;
		if (copies > 1)
			close_copy(e, &s->body);
	}
	e->quiet = quiet;
	e->depth--;
	ec_line(e, "}\n");
}

/* Copies of the body side by side in a loop of at most n elements. */
static int chain_count(const Emit *e, const Stmt *s, int64_t n)
{
	EShape shape = ec_shape(e, &s->body);

	if (!shape.straight || !shape.folds || shape.costly ||
	    shape.statements > CHAIN_BODY)
		return 1;
	int chains = shape.statements > SHORT_BODY ? CHAINS / 2 : CHAINS;
	while (chains > 1 && n < chains * s->lanes)
		chains /= 2;
	return chains;
}

/* The body for the first `count` elements from the loop's counter on. */
static void part_body(Emit *e, const Stmt *s, const char *count)
{
	ec_line(e, "const int64_t m%" PRId64 " = %s;\n", s->axis, count);
	e->rest = arena_printf(e->arena, "m%" PRId64, s->axis);
	vector_body(e, s, ex_axis(e->t, s->axis), 0);
	e->rest = NULL;
}

/* Elements before the first aligned store past the caches. */
static void print_head(Emit *e, const Stmt *s, const char *head)
{
	ec_line(e, "if (%s > 0) {\n", head);
	e->depth++;
	part_body(e, s, head);
	ec_line(e, "i%" PRId64 " = %s;\n", s->axis, head);
	e->depth--;
	ec_line(e, "}\n");
}

/* The elements after the last whole vector. */
static void print_tail(Emit *e, const Stmt *s, const char *end)
{
	ec_line(e, "if (i%" PRId64 " < %s) {\n", s->axis, end);
	e->depth++;
	part_body(e, s, arena_printf(e->arena, "%s - i%" PRId64, end, s->axis));
	e->depth--;
	ec_line(e, "}\n");
}

static bool only_asks(const StmtList *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->p[i]->kind != ST_AHEAD)
			return false;
	return true;
}

/* Of questions alone the last one may be for part of a vector. */
static void asking_loop(Emit *e, const Stmt *s, Ex extent)
{
	ec_line(e,
		"for (int64_t i%" PRId64 " = 0; i%" PRId64 " < %s; i%" PRId64
		" += %d) {\n",
		s->axis, s->axis, ec_bare(e, ec_ex(e, extent)), s->axis,
		s->lanes);
	e->depth++;
	vector_body(e, s, ex_axis(e->t, s->axis), 0);
	e->depth--;
	ec_line(e, "}\n");
}

static void vector_loop(Emit *e, const Stmt *s, Ex extent)
{
	int64_t n = INT64_MAX, lanes = s->lanes;
	bool known = ex_is_const(e->t, ec_subst(e, extent), &n);
	bool quiet = e->quiet;
	AccList accs = {0};

	find_accs(e, &s->body, &accs);
	/* part of a vector, folded, costs as much as a few single elements */
	if (known && n < lanes / 4 && accs.n) {
		for (size_t i = 0; i < accs.n; i++)
			e->vars[accs.p[i]->var].by_lanes = false;
		serial_loop(e, s, extent);
		return;
	}
	int chains = chain_count(e, s, n);
	const char *end = ec_bare(e, ec_ex(e, extent));
	ec_line(e, "{\n");
	e->depth++;
	if (!known) {
		ec_line(e, "const int64_t n%" PRId64 " = %s;\n", s->axis, end);
		end = arena_printf(e->arena, "n%" PRId64, s->axis);
	}
	declare_accs(e, &accs, s->lanes, chains);
	ec_line(e, "int64_t i%" PRId64 " = 0;\n", s->axis);
	const char *head = NULL;
	if (!accs.n)
		head = ec_stream_open(e, s, end);
	if (head)
		print_head(e, s, head);
	e->quiet |= head != NULL;
	if (chains > 1) {
		vector_loop_by(e, s, extent, chains);
		e->quiet = true;
	}
	if (n >= lanes && (chains == 1 || n % (chains * lanes) >= lanes)) {
		vector_loop_by(e, s, extent, 1);
		e->quiet = true;
	}
	if (head || !known || n % lanes)
		print_tail(e, s, end);
	fold_accs(e, &accs, s->lanes, chains);
	e->streams.n = 0;
	e->quiet = quiet;
	e->depth--;
	ec_line(e, "}\n");
}

static void loop(Emit *e, const Stmt *s)
{
	size_t ranges = e->facts.ranges.n;
	Ex extent = ec_simplify(e, s, s->extent);

	VEC_PUSH(e->arena, e->facts.ranges, ((ExRange){s->axis, s->extent}));
	switch (s->map) {
	case MAP_SERIAL:
		serial_loop(e, s, extent);
		break;
	case MAP_UNROLL:
		unrolled_loop(e, s);
		break;
	case MAP_VECTOR:
		if (only_asks(&s->body))
			asking_loop(e, s, extent);
		else
			vector_loop(e, s, extent);
		break;
	case MAP_VUNROLL:
		vunrolled_loop(e, s);
		break;
	case MAP_COUNT:
		bug("loop map %d", (int)s->map);
	}
	e->facts.ranges.n = ranges;
}

static void branch(Emit *e, const Stmt *s)
{
	size_t facts = e->facts.facts.n;

	ec_line(e, "if (%s) {\n", ec_conds(e, s->conds, s->nconds));
	for (uint32_t i = 0; i < s->nconds; i++)
		VEC_PUSH(e->arena, e->facts.facts, s->conds[i]);
	e->depth++;
	ec_list(e, &s->body);
	e->facts.facts.n = facts;
	if (s->orelse.n) {
		e->depth--;
		ec_line(e, "} else {\n");
		e->depth++;
		/* not c >= 0, so -c - 1 >= 0 */
		if (s->nconds == 1)
			VEC_PUSH(e->arena, e->facts.facts,
				 ex_sub(e->t, ex_const(e->t, -1), s->conds[0]));
		ec_list(e, &s->orelse);
		e->facts.facts.n = facts;
	}
	e->depth--;
	ec_line(e, "}\n");
}

/* Whether all that the statements compute is used by nobody. */
static bool is_idle(const Emit *e, const StmtList *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		if (s->kind == ST_FOR || s->kind == ST_IF) {
			if (!is_idle(e, &s->body) || !is_idle(e, &s->orelse))
				return false;
		} else if (s->var == NO_VAR || e->vars[s->var].live ||
			   kstmt_may_fault(s)) {
			return false;
		}
	}
	return true;
}

void ec_list(Emit *e, const StmtList *l)
{
	size_t ranges = e->facts.ranges.n;

	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		bool nested = s->kind == ST_FOR || s->kind == ST_IF;
		if (nested && is_idle(e, &s->body) && is_idle(e, &s->orelse))
			continue;
		if (s->kind == ST_FOR)
			loop(e, s);
		else if (s->kind == ST_IF)
			branch(e, s);
		else
			ec_stmt(e, s);
	}
	e->facts.ranges.n = ranges;
}
