/*
 * lower_run: an axis in runs of elements side by side, for a GPU's threads.
 *
 * A thread takes a run of `width` elements at a time, `turns` runs in a step,
 * the threads' runs next to each other. The body is lowered as ever, an element
 * at a time; then what it loads and stores side by side, from a place that the
 * width divides, is moved by one COPY a run: operands of all turns in front, so
 * that they are asked for at once, results behind each run. A step that is the
 * only one has the whole axis in registers: what one walk has brought a later
 * one finds there.
 */
#include "realise/lower.h"

#include "ir/view.h"

#include <string.h>

#define MOST_BYTES  16 /* of a COPY */
#define LEAST_BYTES 4

int lower_width_of(const Regions *r, uint32_t region, Ex extent)
{
	const Region *reg = &r->regions.p[region];
	ExprTab *t = (ExprTab *)&r->program->ex;
	int widest = 1, width;

	for (size_t i = 0; i < reg->values.n; i++) {
		const Value *v = program_value(r->program, reg->values.p[i]);
		for (uint32_t j = 0; j < v->nargs; j++) {
			Ex map[TN_MAX_RANK];
			ValueId base = view_base((Program *)r->program,
						 v->args[j], map);
			const Value *x = program_value(r->program, base);
			int bytes = dtype_info[x->dtype].bytes;
			if (x->rank && r->of[base] != region && bytes > widest)
				widest = bytes;
		}
	}
	for (size_t i = 0; i < reg->outputs.n; i++) {
		const Value *v = program_value(r->program, reg->outputs.p[i]);
		if (v->rank == reg->rank && dtype_info[v->dtype].bytes > widest)
			widest = dtype_info[v->dtype].bytes;
	}
	for (width = MOST_BYTES / widest; width > 1; width /= 2)
		if (ex_equals(t, ex_mod(t, extent, ex_const(t, width)), 0))
			break;
	return width;
}

/* ---- the loops -------------------------------------------------------- */

Ex lower_run_open(Lower *l, Run *r, Ex base, Ex extent, Ex steps)
{
	ExprTab *t = &l->p->ex;
	Ex threads = ex_const(t, l->threads), width = ex_const(t, r->width);
	Ex turns = ex_const(t, r->turns);
	Ex all = ex_mul(t, ex_mul(t, threads, turns), ex_mul(t, width, steps));

	r->thread = lower_for(l, threads, MAP_VECTOR, l->threads);
	r->step = lower_for(l, steps, MAP_SERIAL, 1);
	r->held = ex_equals(t, steps, 1);
	r->outer = l->at;
	r->outer_from = l->at->n;
	r->turn = lower_for(l, turns, MAP_UNROLL, 1);
	Ex number = ex_add(t, ex_mul(t, r->step, turns), r->turn);
	number = ex_add(t, ex_mul(t, number, threads), r->thread);
	r->first = ex_add(t, base, ex_mul(t, number, width));
	r->left = ex_sub(t, extent, r->first);
	/* a run is whole */
	r->room = ex_sub(t, r->left, width);
	r->partial = !ex_equals(t, ex_mod(t, extent, all), 0);
	lower_if(l, &r->room, r->partial);
	r->inner = l->at;
	r->inner_from = l->at->n;
	r->element = lower_for(l, width, MAP_UNROLL, 1);
	r->body = l->at;
	r->body_from = l->at->n;
	return ex_add(t, r->first, r->element);
}

/* ---- what is moved at once -------------------------------------------- */

/* x with the turn, or the element, or both, replaced. */
static Ex with_axis(Lower *l, Ex x, Ex axis, Ex by)
{
	ExprTab *t = &l->p->ex;
	size_t n = (size_t)l->k->naxes;
	const ExNode *node = ex_node(t, axis);

	if (node->kind != EX_AXIS)
		return x;
	Ex *with = arena_array(l->arena, Ex, n);
	for (size_t i = 0; i < n; i++)
		with[i] = ex_axis(t, (int64_t)i);
	with[node->value] = by;
	return ex_subst_axes(t, x, with, n);
}

static bool uses(Lower *l, Ex x, Ex axis)
{
	const ExNode *n = ex_node(&l->p->ex, axis);

	return n->kind == EX_AXIS && ex_uses_axis(&l->p->ex, x, n->value);
}

/* Whether the access takes the elements of a run side by side, the first one
 * at a place that the width divides. */
static bool is_side_by_side(Lower *l, const Run *r, const Stmt *s)
{
	ExprTab *t = &l->p->ex;
	const KBuffer *b = &l->k->buffers.p[s->buffer];
	Ex x = ex_const(t, 0), zero = x;

	if (s->nconds || !s->nindex)
		return false;
	for (int d = 0; d < s->nindex; d++)
		x = ex_add(t, ex_mul(t, x, b->shape[d]), s->index[d]);
	Ex first = with_axis(l, x, r->element, zero);
	for (int d = 0; d + 1 < s->nindex; d++)
		if (uses(l, s->index[d], r->element))
			return false;
	return uses(l, x, r->thread) && ex_sub(t, x, first) == r->element &&
	       ex_equals(t, ex_mod(t, first, ex_const(t, r->width)), 0);
}

/* Whether one COPY moves a run of the dtype. */
static bool is_movable(const Run *r, DType d)
{
	int bytes = r->width * dtype_info[d].bytes;

	return bytes >= LEAST_BYTES && bytes <= MOST_BYTES;
}

static uint32_t registers(Lower *l, const Run *r, DType d, const char *name)
{
	ExprTab *t = &l->p->ex;
	const Ex shape[] = {ex_const(t, l->threads), ex_const(t, r->turns),
			    ex_const(t, r->width)};

	return lower_buffer(l, SCOPE_REG, d, shape, 3, name);
}

/* A place in a run's registers. */
static void in_registers(const Run *r, Ex turn, Ex element, Ex *index)
{
	index[0] = r->thread;
	index[1] = turn;
	index[2] = element;
}

void lower_run_index(const Run *r, Ex *index)
{
	in_registers(r, r->turn, r->element, index);
}

uint32_t lower_run_buffer(Lower *l, const Run *r, DType d, const char *name)
{
	return registers(l, r, d, name);
}

/* The index with the axes of walk r as those of walk `to`, which has had the
 * same shape. */
static void as_in(Lower *l, const Run *r, const Held *to, const Ex *index,
		  int n, Ex *out)
{
	for (int d = 0; d < n; d++) {
		out[d] = with_axis(l, index[d], r->thread, to->thread);
		out[d] = with_axis(l, out[d], r->turn, to->turn);
		out[d] = with_axis(l, out[d], r->element, to->element);
	}
}

/* The registers that hold what the load wants, or NULL. */
static const Held *find_held(Lower *l, const Run *r, const HeldList *held,
			     const Stmt *s)
{
	for (size_t i = 0; held && i < held->n; i++) {
		const Held *h = &held->p[i];
		Ex at[K_MAX_RANK];
		if (h->from.buffer != s->buffer)
			continue;
		as_in(l, r, h, s->index, s->nindex, at);
		if (!memcmp(at, h->from.index, s->nindex * sizeof(Ex)))
			return h;
	}
	return NULL;
}

static void insert(Lower *l, StmtList *into, size_t at, const StmtList *front)
{
	for (size_t i = 0; i < front->n; i++)
		VEC_PUSH(l->arena, *into, front->p[i]);
	memmove(into->p + at + front->n, into->p + at,
		(into->n - front->n - at) * sizeof(*into->p));
	memcpy(into->p + at, front->p, front->n * sizeof(*front->p));
}

/* The operands of a turn's run into its registers. */
static void bring_run(Lower *l, const Run *r, Ex turn)
{
	Ex index[3], zero = ex_const(&l->p->ex, 0);

	for (size_t i = 0; i < r->operands.n; i++) {
		const Held *h = &r->operands.p[i];
		KOperand from = h->from;
		for (int d = 0; d < from.nindex; d++) {
			from.index[d] =
				with_axis(l, from.index[d], r->element, zero);
			from.index[d] =
				with_axis(l, from.index[d], r->turn, turn);
		}
		in_registers(r, turn, zero, index);
		if (is_movable(r, l->k->buffers.p[h->registers].dtype))
			lower_copy(l, h->registers, index, &from, r->width,
				   false, NULL, 0);
		else
			lower_store(l, h->registers, index,
				    lower_load(l, from.buffer, from.index));
	}
}

/* In front of the step's runs, or each in front of its own. */
static void bring(Lower *l, const Run *r)
{
	ExprTab *t = &l->p->ex;
	StmtList *at = l->at, front = {0};

	if (!r->operands.n)
		return;
	l->at = &front;
	if (r->one_by_one) {
		bring_run(l, r, r->turn);
		insert(l, r->inner, r->inner_from, &front);
	} else {
		Ex turn = lower_for(l, ex_const(t, r->turns), MAP_UNROLL, 1);
		Ex room = with_axis(l, r->room, r->turn, turn);
		lower_if(l, &room, r->partial);
		bring_run(l, r, turn);
		lower_end(l);
		lower_end(l);
		insert(l, r->outer, r->outer_from, &front);
	}
	l->at = at;
}

/* The body's accesses become those of registers, the stores where there are
 * `results`. */
static void to_registers(Lower *l, Run *r, HeldList *held, HeldList *results)
{
	for (size_t i = r->body_from; i < r->body->n; i++) {
		Stmt *s = r->body->p[i];
		bool load = s->kind == ST_LOAD;
		if ((!load && (s->kind != ST_STORE || !results)) ||
		    l->k->buffers.p[s->buffer].scope !=
			    (load ? SCOPE_IN : SCOPE_OUT) ||
		    !is_side_by_side(l, r, s))
			continue;
		/* single elements may be held, and go out as they come */
		if (!is_movable(r, s->dtype) && !(load && r->width == 1))
			continue;
		Held h = {.from = {s->buffer, s->nindex, {0}},
			  .thread = r->thread,
			  .turn = r->turn,
			  .element = r->element};
		memcpy(h.from.index, s->index, sizeof(h.from.index));
		const Held *known =
			load ? find_held(l, r, r->held ? held : NULL, s) : NULL;
		if (known) {
			h = *known;
		} else {
			h.registers = registers(l, r, s->dtype,
						load ? "run" : "result");
			VEC_PUSH(l->arena, *(load ? &r->operands : results), h);
		}
		if (load && !known && r->held && held &&
		    (int)(held->n + 1) * r->turns * r->width <= r->most)
			VEC_PUSH(l->arena, *held, h);
		s->buffer = h.registers;
		s->value = NO_VALUE;
		s->nindex = 3;
		memset(s->index, 0, sizeof(s->index));
		lower_run_index(r, s->index);
	}
}

/* What is loaded in front of the body, results behind it. */
static void move_at_once(Lower *l, Run *r, HeldList *held)
{
	ExprTab *t = &l->p->ex;
	HeldList results = {0};

	to_registers(l, r, held, &results);
	lower_end(l);
	for (size_t i = 0; i < results.n; i++) {
		const Held *h = &results.p[i];
		KOperand from = {h->registers, 3, {0}};
		Ex to[K_MAX_RANK];
		in_registers(r, r->turn, ex_const(t, 0), from.index);
		for (int d = 0; d < h->from.nindex; d++)
			to[d] = with_axis(l, h->from.index[d], r->element,
					  ex_const(t, 0));
		lower_copy(l, h->from.buffer, to, &from, r->width, false, NULL,
			   0);
	}
}

Ex lower_run_rest(Lower *l, Run *r)
{
	ExprTab *t = &l->p->ex;

	if (ex_equals(t, ex_mod(t, r->left, ex_const(t, r->width)), 0))
		return r->first;
	move_at_once(l, r, NULL);
	r->rest = true;
	lower_else(l);
	return ex_add(t, r->first, lower_for(l, r->left, MAP_SERIAL, 1));
}

void lower_run_close(Lower *l, Run *r, HeldList *held)
{
	if (r->rest)
		lower_end(l);
	else
		move_at_once(l, r, held);
	lower_end(l);
	lower_end(l);
	bring(l, r);
	lower_end(l);
	lower_end(l);
}

void lower_run_around(Lower *l, Run *r, Ex thread, int width)
{
	*r = (Run){.width = width,
		   .turns = 1,
		   .one_by_one = true,
		   .thread = thread,
		   .turn = ex_const(&l->p->ex, 0),
		   .inner = l->at,
		   .inner_from = l->at->n};
	r->element = lower_for(l, ex_const(&l->p->ex, width), MAP_UNROLL, 1);
	r->body = l->at;
	r->body_from = l->at->n;
}

void lower_run_bring(Lower *l, Run *r)
{
	to_registers(l, r, NULL, NULL);
	lower_end(l);
	bring(l, r);
}
