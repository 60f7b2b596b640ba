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
 */
#include "ir/kernel.h"

#include <string.h>

enum {
	LOADED = 1,     /* by any thread */
	STORED = 2,     /* by any thread */
	LOADED_OWN = 4, /* by the thread whose element it is */
	STORED_OWN = 8,
};

typedef struct Hazard {
	const Kernel *k;
	ExprTab *t;
	Arena *arena;
	int threads;
	bool *shared; /* by buffer: some thread's stores matter to others */
	StmtList *list;
	size_t at;
} Hazard;

/* What was done since the last barrier, by buffer. */
typedef uint8_t Done;

static void find_loaded(const StmtList *l, bool *loaded)
{
	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		if (s->kind == ST_LOAD)
			loaded[s->buffer] = true;
		find_loaded(&s->body, loaded);
		find_loaded(&s->orelse, loaded);
	}
}

/* Element i, of the last axis, is touched by thread i mod threads. */
static bool is_own(const Hazard *h, const Stmt *s, const Stmt *loop)
{
	if (!loop || !s->nindex)
		return false;
	Ex axis = ex_axis(h->t, loop->axis);
	Ex off = ex_sub(h->t, s->index[s->nindex - 1], axis);
	for (int d = 0; d + 1 < s->nindex; d++)
		if (ex_uses_axis(h->t, s->index[d], loop->axis))
			return false;
	return !ex_uses_axis(h->t, off, loop->axis) &&
	       ex_equals(h->t, ex_mod(h->t, off, ex_const(h->t, h->threads)),
			 0);
}

static bool conflicts(Done before, Done now)
{
	if (now == LOADED)
		return before & (STORED | STORED_OWN);
	if (now == LOADED_OWN)
		return before & STORED;
	if (now == STORED)
		return before != 0;
	return before & (LOADED | STORED);
}

/* The accesses of a step, none of which waits for another, into `now`. */
static bool step(Hazard *h, const StmtList *l, const Stmt *loop,
		 const Done *before, Done *now)
{
	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		if (!step(h, &s->body, loop, before, now) ||
		    !step(h, &s->orelse, loop, before, now))
			return false;
		bool load = s->kind == ST_LOAD;
		if ((!load && s->kind != ST_STORE) || !h->shared[s->buffer])
			continue;
		bool own = is_own(h, s, loop);
		Done d = load ? (own ? LOADED_OWN : LOADED)
			      : (own ? STORED_OWN : STORED);
		if (conflicts(before[s->buffer], d))
			return false;
		now[s->buffer] |= d;
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
	for (size_t i = 0; i < h->k->buffers.n; i++)
		into[i] |= d[i];
}

/* False: h->list and h->at are where a barrier is missing. */
static bool walk(Hazard *h, StmtList *l, Done *done)
{
	size_t n = h->k->buffers.n + 1;

	for (size_t i = 0; i < l->n; i++) {
		Stmt *s = l->p[i];
		if (s->kind == ST_BARRIER) {
			memset(done, 0, n * sizeof(*done));
		} else if (s->kind == ST_IF) {
			Done *other = copy_of(h, done);
			if (!walk(h, &s->body, done) ||
			    !walk(h, &s->orelse, other))
				return false;
			merge(h, done, other);
		} else if (s->kind == ST_FOR && !is_vector(s)) {
			Done *none = copy_of(h, done);
			if (!walk(h, &s->body, done))
				return false;
			merge(h, done, none);
			if (!walk(h, &s->body, done))
				return false;
			merge(h, done, none);
		} else {
			StmtList one = {.p = &l->p[i], .n = 1};
			bool loop = is_vector(s);
			Done *now = copy_of(h, done);
			if (!step(h, loop ? &s->body : &one, loop ? s : NULL,
				  done, now)) {
				h->list = l;
				h->at = i;
				return false;
			}
			if (loop && folds(&s->body, &s->body))
				memset(done, 0, n * sizeof(*done));
			else
				memcpy(done, now, n * sizeof(*done));
		}
	}
	return true;
}

/* ---- within a loop --------------------------------------------------- */

typedef VEC(const Stmt *) Accesses;

static void find_accesses(const Hazard *h, const StmtList *l, Accesses *out)
{
	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		if ((s->kind == ST_LOAD || s->kind == ST_STORE) &&
		    h->shared[s->buffer])
			VEC_PUSH(h->arena, *out, s);
		find_accesses(h, &s->body, out);
		find_accesses(h, &s->orelse, out);
	}
}

/* Two threads may touch one element, and one of them stores. */
static bool meet(const Hazard *h, const Stmt *x, const Stmt *y,
		 const Stmt *loop)
{
	if (x->buffer != y->buffer ||
	    (x->kind == ST_LOAD && y->kind == ST_LOAD) ||
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
				if (meet(h, all.p[x], all.p[y], s))
					return s;
		if ((found = find_race(h, &s->body)) ||
		    (found = find_race(h, &s->orelse)))
			return found;
	}
	return NULL;
}

/* ---- a phase --------------------------------------------------------- */

static Hazard hazard_of(Arena *a, const Kernels *ks, const Kernel *k,
			const Phase *ph)
{
	Hazard h = {.k = k,
		    .t = &ks->program->ex,
		    .arena = a,
		    .threads = ph->threads};

	/* what a phase only stores, it stores once */
	h.shared = arena_array(a, bool, k->buffers.n + 1);
	find_loaded(&ph->body, h.shared);
	for (size_t i = 0; i < k->buffers.n; i++)
		if (k->buffers.p[i].scope == SCOPE_REG ||
		    k->buffers.p[i].scope == SCOPE_IN)
			h.shared[i] = false;
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
	*list = h.list;
	*at = h.at;
	return true;
}
