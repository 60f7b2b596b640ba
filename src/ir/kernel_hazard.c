/*
 * kernel_hazard: where the threads of a worker must wait for each other.
 *
 * Between two barriers every buffer that threads share has what was done to
 * it so far: loads and stores, and whether each thread kept to its own
 * elements (element i is thread i mod threads'). A store meets a hazard where
 * another thread may have loaded or stored the element, a load where one may
 * have stored it. A vector loop is one step: in it no thread waits, so that
 * what one stores there no other one may touch. A serial loop is walked twice,
 * so that the end of a turn meets the next one's start.
 *
 * Rings. A buffer whose first extent is a small constant has so many slots;
 * what is done at a first index that is known concerns its slot alone. A loop
 * whose counter chooses slots is walked turn by turn, the counter's number put
 * in its place, until the slots' states repeat: turn j and turn j + slots
 * touch the same slots, so that nothing new can follow.
 *
 * An asynchronous copy is under way until a WAIT finds it old enough: every
 * WAIT makes a group of the copies since the last one, and a copy's age is the
 * groups begun since. While it is under way no one may touch its slot; once it
 * is there it counts as a store of now.
 *
 * Boxes that are asked for one after another are one step: they may come in any
 * order, and so must lie apart, or exclude each other by their conditions.
 *
 * A BARRIER is none for boxes, which FREEs hold back, and a FREE none for
 * threads.
 *
 * A late buffer lies where the others of the block's memory do: what is done to
 * it is a store to each of them.
 *
 * A DOT that is under way likewise reads its operands until a SETTLE finds it
 * old enough: no one may store there, and it counts as a load of now. Nothing
 * but another DOT may touch its sums before.
 */
#include "ir/kernel.h"

#include <string.h>

enum {
	LOADED = 1,     /* by any thread */
	STORED = 2,     /* by any thread */
	LOADED_OWN = 4, /* by the thread whose element it is */
	STORED_OWN = 8,
};

#define SLOTS     8
#define ANY_SLOT  SLOTS /* not known, or all of the buffer */
#define MAX_TURNS (6 * SLOTS)

typedef struct Hazard {
	const Kernel *k;
	ExprTab *t;
	Arena *arena;
	int threads;
	bool *shared; /* by buffer: some thread's stores matter to others */
	Ex *at_turn;  /* by axis: itself, or the number of the turn walked */
	size_t naxes;
	StmtList *list;
	size_t at;
	bool boxes;     /* what is copied by itself are boxes */
	bool under_way; /* a copy is; no barrier helps */
} Hazard;

/* What was done since the last barrier, by buffer; what is under way, a bit
 * for each age in groups, the last one for all that are older. */
typedef struct Done {
	uint8_t slot[SLOTS + 1];
	/* the same since the last FREE, which boxes meet */
	uint8_t kept[SLOTS + 1];
	uint8_t coming[SLOTS + 1];
	/* by DOTs under way: operands that are read, sums; a bit for each age
	 * in DOTs */
	uint8_t reading[SLOTS + 1];
	uint8_t summing;
} Done;

/* An access: a load, or a store. */
typedef struct Access {
	uint32_t buffer;
	uint8_t nindex;
	const Ex *index;
	bool store;
	bool async; /* a copy that is waited for */
	bool box;
	bool dot; /* of a DOT that is under way afterwards */
} Access;

static bool is_under_way(const Stmt *s)
{
	return s->kind == ST_DOT && s->dot->unit == UNIT_WGMMA;
}

/* What a statement touches; returns their number. */
static int accesses_of(const Stmt *s, Access out[3])
{
	bool dot = is_under_way(s);
	Access own = {.buffer = s->buffer,
		      .nindex = s->nindex,
		      .index = s->index,
		      .dot = dot};
	int n = 0;

	if (s->kind == ST_COPY || s->kind == ST_DOT) {
		const KOperand *in =
			s->kind == ST_COPY ? &s->copy->from : s->dot->in;
		for (int o = 0; o < (s->kind == ST_COPY ? 1 : 2); o++)
			out[n++] = (Access){.buffer = in[o].buffer,
					    .nindex = in[o].nindex,
					    .index = in[o].index,
					    .dot = dot};
	}
	if (s->kind == ST_RUNS)
		out[n++] = (Access){.buffer = s->sums};
	if (s->kind == ST_LOAD) {
		out[n++] = own;
	} else if (s->kind == ST_STORE || s->kind == ST_COPY ||
		   s->kind == ST_BOX || s->kind == ST_RUNS ||
		   s->kind == ST_DOT) {
		own.store = true;
		own.box = s->kind == ST_BOX;
		own.async = s->kind == ST_BOX ||
			    (s->kind == ST_COPY && s->copy->async);
		out[n++] = own;
	}
	return n;
}

static void find_loaded(const StmtList *l, bool *loaded)
{
	for (size_t i = 0; i < l->n; i++) {
		Access x[3];
		int n = accesses_of(l->p[i], x);
		for (int k = 0; k < n; k++)
			loaded[x[k].buffer] |= !x[k].store;
		find_loaded(&l->p[i]->body, loaded);
		find_loaded(&l->p[i]->orelse, loaded);
	}
}

/* Element i, of the last axis, is touched by thread i mod threads. */
static bool is_own(const Hazard *h, const Access *x, const Stmt *loop)
{
	if (!loop || !x->nindex)
		return false;
	Ex axis = ex_axis(h->t, loop->axis);
	Ex off = ex_sub(h->t, x->index[x->nindex - 1], axis);
	for (int d = 0; d + 1 < x->nindex; d++)
		if (ex_uses_axis(h->t, x->index[d], loop->axis))
			return false;
	return !ex_uses_axis(h->t, off, loop->axis) &&
	       ex_equals(h->t, ex_mod(h->t, off, ex_const(h->t, h->threads)),
			 0);
}

/* ---- slots ----------------------------------------------------------- */

/* The slots of a buffer, 0: it is no ring. */
static int64_t slots_of(const Hazard *h, uint32_t buffer)
{
	const KBuffer *b = &h->k->buffers.p[buffer];
	int64_t n;

	return b->rank > 1 && ex_is_const(h->t, b->shape[0], &n) && n > 1 &&
			       n <= SLOTS
		       ? n
		       : 0;
}

static int slot_of(const Hazard *h, const Access *x)
{
	int64_t n = slots_of(h, x->buffer), slot;

	if (!n ||
	    !ex_is_const(h->t,
			 ex_subst_axes(h->t, x->index[0], h->at_turn, h->naxes),
			 &slot))
		return ANY_SLOT;
	return slot >= 0 && slot < n ? (int)slot : ANY_SLOT;
}

/* The most slots that the loop's counter chooses from, 0: from none. */
static int64_t ring_of(const Hazard *h, const StmtList *l, int64_t axis)
{
	int64_t most = 0;

	for (size_t i = 0; i < l->n; i++) {
		Access x[3];
		int n = accesses_of(l->p[i], x);
		int64_t in[2] = {ring_of(h, &l->p[i]->body, axis),
				 ring_of(h, &l->p[i]->orelse, axis)};
		for (int k = 0; k < n; k++) {
			int64_t slots = slots_of(h, x[k].buffer);
			if (slots > most &&
			    ex_uses_axis(h->t, x[k].index[0], axis))
				most = slots;
		}
		for (int k = 0; k < 2; k++)
			most = in[k] > most ? in[k] : most;
	}
	return most;
}

static bool conflicts(uint8_t before, uint8_t now)
{
	if (now == LOADED)
		return before & (STORED | STORED_OWN);
	if (now == LOADED_OWN)
		return before & STORED;
	if (now == STORED)
		return before != 0;
	return before & (LOADED | STORED);
}

/* What was done to a slot, or to all of them. */
static uint8_t look(const uint8_t *by_slot, int slot)
{
	uint8_t all = by_slot[ANY_SLOT];

	if (slot != ANY_SLOT)
		return all | by_slot[slot];
	for (int i = 0; i < SLOTS; i++)
		all |= by_slot[i];
	return all;
}

static void do_to(Done *done, int slot, uint8_t what)
{
	done->slot[slot] |= what;
	done->kept[slot] |= what;
}

/* What is done to a late buffer, to those whose memory it takes. */
static bool touch_under(Hazard *h, const Access *x, const Done *before)
{
	for (size_t i = 0; i < h->k->buffers.n; i++) {
		const KBuffer *b = &h->k->buffers.p[i];
		if (!h->k->buffers.p[x->buffer].late || b->late ||
		    b->scope != SCOPE_WORKER)
			continue;
		h->under_way |= look(before[i].coming, ANY_SLOT) ||
				look(before[i].reading, ANY_SLOT);
		if (h->under_way ||
		    conflicts(look(before[i].slot, ANY_SLOT), STORED))
			return false;
	}
	return true;
}

static bool touch(Hazard *h, const Access *x, const Stmt *loop,
		  const Done *before, Done *now)
{
	int slot = slot_of(h, x);
	bool own = is_own(h, x, loop);
	uint8_t d = x->store ? (own ? STORED_OWN : STORED)
			     : (own ? LOADED_OWN : LOADED);

	if (!touch_under(h, x, before))
		return false;
	if (look(before[x->buffer].coming, slot) ||
	    (x->store && look(before[x->buffer].reading, slot))) {
		h->under_way = true;
		return false;
	}
	if (x->async)
		d = STORED;
	if (conflicts(look(x->box ? before[x->buffer].kept
				  : before[x->buffer].slot,
			   slot),
		      d))
		return false;
	if (x->async)
		now[x->buffer].coming[slot] |= 1;
	else if (x->dot)
		now[x->buffer].reading[slot] |= 1;
	else
		do_to(&now[x->buffer], slot, d);
	return true;
}

/* An access of sums in registers. */
static bool touch_sums(Hazard *h, const Access *x, const Done *before,
		       Done *now)
{
	if (x->dot && x->store)
		now[x->buffer].summing |= 1;
	else if (before[x->buffer].summing)
		h->under_way = true;
	return !h->under_way;
}

/* The accesses of a step, none of which waits for another, into `now`. */
static bool step(Hazard *h, const StmtList *l, const Stmt *loop,
		 const Done *before, Done *now)
{
	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		Access x[3];
		int n = accesses_of(s, x);
		if (!step(h, &s->body, loop, before, now) ||
		    !step(h, &s->orelse, loop, before, now))
			return false;
		for (int k = 0; k < n; k++)
			if (h->shared[x[k].buffer]
				    ? !touch(h, &x[k], loop, before, now)
				    : !touch_sums(h, &x[k], before, now))
				return false;
	}
	return true;
}

static bool declares(const StmtList *l, VarId acc)
{
	for (size_t i = 0; i < l->n; i++)
		if ((l->p[i]->kind == ST_ACC && l->p[i]->var == acc) ||
		    declares(&l->p[i]->body, acc) ||
		    declares(&l->p[i]->orelse, acc))
			return true;
	return false;
}

/* Whether the threads fold together, into what is declared outside. */
static bool folds(const StmtList *loop, const StmtList *l)
{
	for (size_t i = 0; i < l->n; i++)
		if ((l->p[i]->kind == ST_ACCUM &&
		     !declares(loop, l->p[i]->var)) ||
		    folds(loop, &l->p[i]->body) ||
		    folds(loop, &l->p[i]->orelse))
			return true;
	return false;
}

static bool is_vector(const Stmt *s)
{
	return s->kind == ST_FOR &&
	       (s->map == MAP_VECTOR || s->map == MAP_VUNROLL);
}

static Done *copy_of(Hazard *h, const Done *d)
{
	size_t n = h->k->buffers.n + 1;
	Done *c = arena_array(h->arena, Done, n);

	memcpy(c, d, n * sizeof(*d));
	return c;
}

static void merge(const Hazard *h, Done *into, const Done *d)
{
	for (size_t i = 0; i < h->k->buffers.n; i++) {
		for (int k = 0; k <= SLOTS; k++) {
			into[i].slot[k] |= d[i].slot[k];
			into[i].kept[k] |= d[i].kept[k];
			into[i].coming[k] |= d[i].coming[k];
			into[i].reading[k] |= d[i].reading[k];
		}
		into[i].summing |= d[i].summing;
	}
}

/* After a loop no one knows which turn was the last. */
static void forget_slots(const Hazard *h, Done *done)
{
	for (size_t i = 0; i < h->k->buffers.n; i++) {
		uint8_t slot = look(done[i].slot, ANY_SLOT);
		uint8_t kept = look(done[i].kept, ANY_SLOT);
		uint8_t coming = look(done[i].coming, ANY_SLOT);
		uint8_t reading = look(done[i].reading, ANY_SLOT);
		uint8_t summing = done[i].summing;
		memset(&done[i], 0, sizeof(done[i]));
		done[i].slot[ANY_SLOT] = slot;
		done[i].kept[ANY_SLOT] = kept;
		done[i].coming[ANY_SLOT] = coming;
		done[i].reading[ANY_SLOT] = reading;
		done[i].summing = summing;
	}
}

static void meet_barrier(const Hazard *h, Done *done)
{
	for (size_t i = 0; i < h->k->buffers.n; i++)
		memset(done[i].slot, 0, sizeof(done[i].slot));
}

static void meet_free(const Hazard *h, Done *done)
{
	for (size_t i = 0; i < h->k->buffers.n; i++)
		memset(done[i].kept, 0, sizeof(done[i].kept));
}

/* One more group or DOT; the last bit stands for all that are older. */
static uint8_t aged(uint8_t ages)
{
	return (uint8_t)(ages << 1 | (ages & 0x80));
}

static void meet_wait(const Hazard *h, Done *done, int groups)
{
	for (size_t i = 0; i < h->k->buffers.n; i++)
		for (int k = 0; k <= SLOTS; k++) {
			unsigned c = aged(done[i].coming[k]);
			unsigned recent = (2u << groups) - 1;
			if (c & ~recent)
				done[i].kept[k] |= STORED;
			/* a box is there for all who have waited */
			if (c & ~recent && !h->boxes)
				done[i].slot[k] |= STORED;
			done[i].coming[k] = (uint8_t)(c & recent);
		}
}

static void meet_dot(const Hazard *h, Done *done)
{
	for (size_t i = 0; i < h->k->buffers.n; i++) {
		for (int k = 0; k <= SLOTS; k++)
			done[i].reading[k] = aged(done[i].reading[k]);
		done[i].summing = aged(done[i].summing);
	}
}

static void meet_settle(const Hazard *h, Done *done, int dots)
{
	unsigned recent = (1u << dots) - 1;

	for (size_t i = 0; i < h->k->buffers.n; i++) {
		for (int k = 0; k <= SLOTS; k++) {
			if (done[i].reading[k] & ~recent)
				do_to(&done[i], k, LOADED);
			done[i].reading[k] &= (uint8_t)recent;
		}
		done[i].summing &= (uint8_t)recent;
	}
}

static bool walk(Hazard *h, StmtList *l, Done *done);

/* A loop whose counter chooses slots, turn by turn. */
static bool walk_ring(Hazard *h, Stmt *s, Done *done, int64_t slots)
{
	size_t n = (h->k->buffers.n + 1) * sizeof(Done);
	Done *turns[MAX_TURNS + 1], *all = copy_of(h, done);
	Ex axis = h->at_turn[s->axis];
	bool same = false;
	int j = 0;

	turns[0] = copy_of(h, done);
	for (; j < MAX_TURNS && !same; j++) {
		h->at_turn[s->axis] = ex_const(h->t, j);
		if (!walk(h, &s->body, done))
			break;
		merge(h, all, done);
		turns[j + 1] = copy_of(h, done);
		same = j + 1 >= slots &&
		       !memcmp(turns[j + 1], turns[j + 1 - slots], n);
	}
	h->at_turn[s->axis] = axis;
	if (!same && j == MAX_TURNS) { /* never, for loops that wait */
		h->list = &s->body;
		h->at = 0;
		h->under_way = true;
	}
	memcpy(done, all, n);
	forget_slots(h, done);
	return same;
}

static bool walk_loop(Hazard *h, Stmt *s, Done *done)
{
	int64_t slots = ring_of(h, &s->body, s->axis);
	Done *none = copy_of(h, done);

	if (slots)
		return walk_ring(h, s, done, slots);
	for (int turn = 0; turn < 2; turn++) {
		if (!walk(h, &s->body, done))
			return false;
		merge(h, done, none);
	}
	return true;
}

static bool has_cond(const Stmt *s, Ex cond)
{
	for (uint32_t i = 0; i < s->nconds; i++)
		if (s->conds[i] == cond)
			return true;
	return false;
}

/* Whether only one of them is brought: conditions that are not both's, each 0
 * or more, would add up to less. */
static bool exclude(const Hazard *h, const Stmt *x, const Stmt *y)
{
	Ex sum = ex_const(h->t, 0);
	int64_t n;

	for (uint32_t i = 0; i < x->nconds; i++)
		if (!has_cond(y, x->conds[i]))
			sum = ex_add(h->t, sum, x->conds[i]);
	for (uint32_t i = 0; i < y->nconds; i++)
		if (!has_cond(x, y->conds[i]))
			sum = ex_add(h->t, sum, y->conds[i]);
	return ex_is_const(h->t, sum, &n) && n < 0;
}

/* Whether boxes go to different places: indices before that of their rows
 * differ. */
static bool lie_apart(const Hazard *h, const Stmt *x, const Stmt *y)
{
	int64_t n;

	if (x->buffer != y->buffer)
		return true;
	for (int d = 0; d + 2 < x->nindex; d++)
		if (ex_is_const(h->t, ex_sub(h->t, x->index[d], y->index[d]),
				&n) &&
		    n != 0)
			return true;
	return false;
}

/* The boxes from number i of the list on, all of them before the next other
 * statement; their number. */
static size_t boxes_at(const StmtList *l, size_t i)
{
	size_t n = 0;

	while (i + n < l->n && l->p[i + n]->kind == ST_BOX)
		n++;
	return n;
}

static bool step_boxes(Hazard *h, const StmtList *l, Done *done)
{
	Done *now = copy_of(h, done);

	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; k < i; k++)
			if (!lie_apart(h, l->p[i], l->p[k]) &&
			    !exclude(h, l->p[i], l->p[k])) {
				h->under_way = true;
				return false;
			}
	if (!step(h, l, NULL, done, now))
		return false;
	memcpy(done, now, (h->k->buffers.n + 1) * sizeof(*done));
	return true;
}

/* False: h->list and h->at are where a barrier is missing. */
static bool walk(Hazard *h, StmtList *l, Done *done)
{
	size_t n = h->k->buffers.n + 1;

	for (size_t i = 0; i < l->n; i++) {
		Stmt *s = l->p[i];
		size_t boxes = boxes_at(l, i);
		if (boxes) {
			StmtList all = {.p = &l->p[i], .n = boxes};
			if (!step_boxes(h, &all, done)) {
				h->list = l;
				h->at = i;
				return false;
			}
			i += boxes - 1;
		} else if (s->kind == ST_BARRIER) {
			meet_barrier(h, done);
		} else if (s->kind == ST_WAIT) {
			meet_wait(h, done, s->bit);
		} else if (s->kind == ST_FREE) {
			meet_free(h, done);
		} else if (s->kind == ST_SETTLE) {
			meet_settle(h, done, s->bit);
		} else if (s->kind == ST_IF) {
			Done *other = copy_of(h, done);
			if (!walk(h, &s->body, done) ||
			    !walk(h, &s->orelse, other))
				return false;
			merge(h, done, other);
		} else if (s->kind == ST_FOR && !is_vector(s)) {
			if (!walk_loop(h, s, done))
				return false;
		} else {
			StmtList one = {.p = &l->p[i], .n = 1};
			bool loop = is_vector(s);
			if (is_under_way(s))
				meet_dot(h, done);
			Done *now = copy_of(h, done);
			if (!step(h, loop ? &s->body : &one, loop ? s : NULL,
				  done, now)) {
				h->list = l;
				h->at = i;
				return false;
			}
			memcpy(done, now, n * sizeof(*done));
			if (loop && folds(&s->body, &s->body))
				meet_barrier(h, done);
		}
	}
	return true;
}

/* ---- within a loop --------------------------------------------------- */

typedef VEC(Access) Accesses;

static void find_accesses(const Hazard *h, const StmtList *l, Accesses *out)
{
	for (size_t i = 0; i < l->n; i++) {
		Access x[3];
		int n = accesses_of(l->p[i], x);
		for (int k = 0; k < n; k++)
			if (h->shared[x[k].buffer])
				VEC_PUSH(h->arena, *out, x[k]);
		find_accesses(h, &l->p[i]->body, out);
		find_accesses(h, &l->p[i]->orelse, out);
	}
}

/* Two threads may touch one element, and one of them stores. */
static bool meet(const Hazard *h, const Access *x, const Access *y,
		 const Stmt *loop)
{
	if (x->buffer != y->buffer || (!x->store && !y->store) ||
	    !memcmp(x->index, y->index, x->nindex * sizeof(Ex)))
		return false;
	return !is_own(h, x, loop) || !is_own(h, y, loop);
}

static const Stmt *find_race(const Hazard *h, const StmtList *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		const Stmt *found;
		Accesses all = {0};
		if (is_vector(s))
			find_accesses(h, &s->body, &all);
		for (size_t x = 0; x < all.n; x++)
			for (size_t y = 0; y < x; y++)
				if (meet(h, &all.p[x], &all.p[y], s))
					return s;
		if ((found = find_race(h, &s->body)) ||
		    (found = find_race(h, &s->orelse)))
			return found;
	}
	return NULL;
}

/* ---- late buffers ---------------------------------------------------- */

static bool has_late(const Kernel *k)
{
	for (size_t i = 0; i < k->buffers.n; i++)
		if (k->buffers.p[i].late)
			return true;
	return false;
}

/* late: whether a late buffer was touched before. */
static bool is_late(const Kernel *k, const StmtList *l, bool *late)
{
	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		bool before = *late, other = before;
		Access x[3];
		int n = accesses_of(s, x);
		for (int j = 0; j < n; j++)
			*late |= k->buffers.p[x[j].buffer].late;
		for (int j = 0; j < n; j++) {
			const KBuffer *b = &k->buffers.p[x[j].buffer];
			if (*late && b->scope == SCOPE_WORKER && !b->late)
				return true;
		}
		if (is_late(k, &s->body, late) ||
		    is_late(k, &s->orelse, &other))
			return true;
		/* the end of a turn comes before the next one */
		if (s->kind == ST_FOR && *late && is_late(k, &s->body, late))
			return true;
		*late |= other;
	}
	return false;
}

bool phase_is_late(const Kernel *k, const Phase *ph)
{
	bool late = false;

	return has_late(k) && is_late(k, &ph->body, &late);
}

/* ---- a phase --------------------------------------------------------- */

static Hazard hazard_of(Arena *a, const Kernels *ks, const Kernel *k,
			const Phase *ph)
{
	Hazard h = {.k = k,
		    .t = &ks->program->ex,
		    .arena = a,
		    .threads = ph->threads,
		    .boxes = ph->maps.n > 0,
		    .naxes = (size_t)k->naxes};

	h.at_turn = arena_array(a, Ex, h.naxes + 1);
	for (size_t i = 0; i < h.naxes; i++)
		h.at_turn[i] = ex_axis(h.t, (int64_t)i);

	/* what a phase only stores, it stores once */
	h.shared = arena_array(a, bool, k->buffers.n + 1);
	find_loaded(&ph->body, h.shared);
	for (size_t i = 0; i < k->buffers.n; i++)
		if (k->buffers.p[i].scope == SCOPE_REG ||
		    k->buffers.p[i].scope == SCOPE_IN)
			h.shared[i] = false;
		else if (has_late(k) && k->buffers.p[i].scope == SCOPE_WORKER)
			h.shared[i] = true;
	return h;
}

const Stmt *phase_race(Arena *a, const Kernels *ks, const Kernel *k,
		       const Phase *ph)
{
	Hazard h = hazard_of(a, ks, k, ph);

	return find_race(&h, &ph->body);
}

bool phase_hazard(Arena *a, const Kernels *ks, const Kernel *k, const Phase *ph,
		  StmtList **list, size_t *at)
{
	Hazard h = hazard_of(a, ks, k, ph);
	Done *done = arena_array(a, Done, k->buffers.n + 1);

	if (walk(&h, (StmtList *)&ph->body, done))
		return false;
	*list = h.under_way ? NULL : h.list;
	*at = h.at;
	return true;
}
