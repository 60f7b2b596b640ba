/*
 * policies: the ones that measure.
 *
 * Each step proposes more points than it tries; predicted costs choose among
 * them, so that a model that is wrong costs time and not the best plan: what
 * the model has last is tried last.
 */
#include "search/search.h"

#include <stdlib.h>
#include <string.h>

#define NO_MODEL 1e30 /* of points that nothing is predicted of */

typedef struct Proposal {
	Point point;
	double cost;
	size_t number; /* proposed as that one */
} Proposal;

typedef struct Proposals {
	Proposal *p;
	size_t n, cap;
	StrMap *keys; /* each is there once */
} Proposals;

/* What costs the same, or has no model, in the order it was proposed. */
static int by_cost(const void *a, const void *b)
{
	const Proposal *x = a, *y = b;

	if (x->cost != y->cost)
		return x->cost < y->cost ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static void propose(Search *s, Proposals *out, Point p)
{
	Proposal x = {
		.point = p, .cost = space_cost(s->space, &p), .number = out->n};
	const char *key = space_key(s->arena, s->space, &p);
	uint32_t at;

	if (!out->keys)
		out->keys = strmap_new(s->arena);
	if (search_seen(s, &p) != SIZE_MAX || strmap_get(out->keys, key, &at))
		return;
	if (x.cost <= 0)
		x.cost = NO_MODEL;
	strmap_set(out->keys, key, (uint32_t)out->n);
	VEC_PUSH(s->arena, *out, x);
}

static bool try_proposals(Search *s, const Proposals *x, size_t most)
{
	size_t n = x->n < most ? x->n : most;
	Point *p = arena_array(s->arena, Point, n + 1);

	for (size_t i = 0; i < n; i++)
		p[i] = x->p[i].point;
	return search_try(s, p, n);
}

static void sort(Proposals *x)
{
	if (x->n > 1)
		qsort(x->p, x->n, sizeof(*x->p), by_cost);
}

/* The most points that are fastest so far, in order. */
static size_t fastest(const Search *s, const Tried **out, size_t most)
{
	size_t n = 0;

	for (size_t i = 0; i < s->tried.n; i++) {
		const Tried *t = &s->tried.p[i];
		size_t at = n;
		if (t->score <= 0)
			continue;
		while (at > 0 && out[at - 1]->score > t->score)
			at--;
		if (at == most)
			continue;
		size_t last = n < most ? n++ : most - 1;
		memmove(out + at + 1, out + at, (last - at) * sizeof(*out));
		out[at] = t;
	}
	return n;
}

/* ---- beam ------------------------------------------------------------ */

#define NEAR_MOST 256

/* One parameter of one region, or the variant, changed. */
static void neighbours(Search *s, const Point *p, Proposals *out)
{
	uint32_t near[NEAR_MOST];

	for (uint32_t i = 0; i < space_regions(s->space, p->variant); i++) {
		size_t n = space_near(s->space, p, i, near, NEAR_MOST);
		for (size_t j = 0; j < n; j++)
			propose(s, out, space_with(s->space, p, i, near[j]));
	}
	for (uint32_t v = 0; v < s->space->variants.n; v++)
		if (v != p->variant)
			propose(s, out, space_carry(s->space, p, v));
}

/* Whether nothing is predicted of it, and something of others of its region:
 * it is a kernel of the user's, and was asked for. */
static bool is_asked_for(const Space *s, const CandRange *r, uint32_t cand)
{
	return !s->cands.p[cand].refused && s->cands.p[cand].cost.us <= 0 &&
	       s->cands.p[r->model].cost.us > 0;
}

/* These first, for by their costs they would come last; the plan's other
 * kernels as predicted. */
static bool asked_for(Search *s)
{
	const Space *space = s->space;
	Proposals x = {0};

	for (uint32_t v = 0; v < space->variants.n; v++)
		for (uint32_t i = 0; i < space_regions(space, v); i++) {
			const CandRange *r = &space->variants.p[v].of[i];
			Point p = space_model(space, v);
			for (uint32_t c = r->first; c < r->first + r->n; c++)
				if (is_asked_for(space, r, c))
					propose(s, &x,
						space_with(space, &p, i, c));
		}
	return try_proposals(s, &x, x.n);
}

/* The predicted best of every variant, and the rule's choice in it. */
static bool starts(Search *s, size_t most)
{
	Proposals x = {0};

	if (!asked_for(s))
		return false;
	for (uint32_t v = 0; v < s->space->variants.n; v++) {
		propose(s, &x, space_model(s->space, v));
		propose(s, &x, space_rule(s->space, v));
	}
	sort(&x);
	return try_proposals(s, &x, most);
}

bool policy_beam(Search *s, int64_t k)
{
	size_t width = (size_t)k, still = 0;
	const Tried **kept = arena_array(s->arena, const Tried *, width + 1);

	if (!starts(s, 4 * width))
		return false;
	while (still < 3) {
		Proposals x = {0};
		size_t best = s->best;
		size_t n = fastest(s, kept, width);
		/* what is tried moves: points first */
		Point *p = arena_array(s->arena, Point, n + 1);
		for (size_t i = 0; i < n; i++)
			p[i] = kept[i]->point;
		for (size_t i = 0; i < n; i++)
			neighbours(s, &p[i], &x);
		if (x.n == 0)
			return true;
		sort(&x);
		if (!try_proposals(s, &x, 4 * width))
			return false;
		still = s->best == best ? still + 1 : 0;
	}
	return true;
}

/* ---- evolve ---------------------------------------------------------- */

/* A legal candidate of the region, any. */
static uint32_t any_of(Search *s, uint32_t variant, uint32_t region)
{
	const CandRange *r = &s->space->variants.p[variant].of[region];
	uint64_t at = search_random(s, r->legal);

	for (uint32_t i = r->first;; i++)
		if (!s->space->cands.p[i].refused && at-- == 0)
			return i;
}

static Point any_point(Search *s)
{
	uint32_t v = (uint32_t)search_random(s, s->space->variants.n);
	Point p = space_rule(s->space, v);

	for (uint32_t i = 0; i < space_regions(s->space, v); i++)
		p = space_with(s->space, &p, i, any_of(s, v, i));
	return p;
}

/* The faster of two that were tried. */
static const Tried *parent(Search *s, const Tried *const *of, size_t n)
{
	const Tried *a = of[search_random(s, n)], *b = of[search_random(s, n)];

	return a->score <= b->score ? a : b;
}

/* Parameters of either parent, where that is legal; else p's. */
static uint32_t cross(Search *s, const Point *p, const Point *q,
		      uint32_t region)
{
	uint32_t a = p->cand[region], b = q->cand[region];
	const Cand *x = &s->space->cands.p[a], *y = &s->space->cands.p[b];
	Chosen c = x->chosen;
	Buf text;

	if (x->chosen.realisation != y->chosen.realisation)
		return search_random(s, 2) ? a : b;
	for (size_t i = 0; i < c.candidate.nparams; i++)
		if (search_random(s, 2))
			c.candidate.params[i] = y->chosen.candidate.params[i];
	buf_init(&text, s->arena);
	chosen_print(&text, &c);
	uint32_t found =
		space_find(s->space, p->variant, region, buf_str(&text));
	return found == NO_CAND ? a : found;
}

static uint32_t mutate(Search *s, const Point *p, uint32_t region)
{
	uint32_t near[NEAR_MOST];
	size_t n = space_near(s->space, p, region, near, NEAR_MOST);

	if (n == 0 || search_random(s, 8) == 0)
		return any_of(s, p->variant, region);
	return near[search_random(s, n)];
}

static Point child(Search *s, const Tried *const *of, size_t n)
{
	Point p = parent(s, of, n)->point;
	Point q = space_carry(s->space, &parent(s, of, n)->point, p.variant);
	size_t regions = space_regions(s->space, p.variant);

	if (s->space->variants.n > 1 && search_random(s, 8) == 0)
		return space_carry(
			s->space, &p,
			(uint32_t)search_random(s, s->space->variants.n));
	for (uint32_t i = 0; i < regions; i++)
		p = space_with(s->space, &p, i, cross(s, &p, &q, i));
	if (regions > 0 && search_random(s, 4) != 0) {
		uint32_t i = (uint32_t)search_random(s, regions);
		p = space_with(s->space, &p, i, mutate(s, &p, i));
	}
	return p;
}

/* Generations without a faster one that end it. */
#define STILL 6

bool policy_evolve(Search *s, int64_t n)
{
	size_t size = (size_t)n, still = 0;
	const Tried **kept = arena_array(s->arena, const Tried *, size + 1);
	Proposals first = {0};

	for (size_t i = 0; i < size; i++)
		propose(s, &first, any_point(s));
	if (!starts(s, size / 2 + 1) || !try_proposals(s, &first, size / 2))
		return false;
	while (still < STILL) {
		Proposals x = {0};
		size_t best = s->best, have = fastest(s, kept, size);
		if (have == 0)
			return true;
		for (size_t i = 0; i < 2 * size; i++)
			propose(s, &x, child(s, kept, have));
		/* one in four by chance, the others as predicted */
		for (size_t i = 0; i < x.n; i++)
			if (search_random(s, 4) == 0)
				x.p[i].cost = 0;
		sort(&x);
		if (!try_proposals(s, &x, size / 2 + 1))
			return false;
		still = s->best == best ? still + 1 : 0;
	}
	return true;
}

/* ---- all ------------------------------------------------------------- */

/* The fastest point of a variant so far; none ran: the predicted one. */
static Point fastest_of(const Search *s, uint32_t variant)
{
	const Tried *best = NULL;

	for (size_t i = 0; i < s->tried.n; i++) {
		const Tried *t = &s->tried.p[i];
		if (t->point.variant == variant && t->score > 0 &&
		    (!best || t->score < best->score))
			best = t;
	}
	return best ? best->point : space_model(s->space, variant);
}

/* Points of a variant to go on from: one of them may not run. */
static bool bases(Search *s, uint32_t v)
{
	Point best = s->best == SIZE_MAX ? space_rule(s->space, v)
					 : s->tried.p[s->best].point;
	Point p[] = {space_rule(s->space, v), space_model(s->space, v),
		     space_carry(s->space, &best, v)};

	return space_regions(s->space, v) < 2 || search_try(s, p, 3);
}

/* Those that another variant has too were tried there. */
static bool all_of_region(Search *s, uint32_t v, uint32_t region)
{
	const CandRange r = s->space->variants.p[v].of[region];
	Point base = fastest_of(s, v);
	Proposals x = {0};

	for (uint32_t c = r.first; c < r.first + r.n; c++)
		if (s->space->cands.p[c].state == CAND_LEFT)
			propose(s, &x, space_with(s->space, &base, region, c));
	sort(&x);
	return try_proposals(s, &x, x.n);
}

bool policy_all(Search *s, int64_t parameter)
{
	(void)parameter;
	if (!asked_for(s))
		return false;
	for (uint32_t v = 0; v < s->space->variants.n; v++) {
		if (!bases(s, v))
			return false;
		for (uint32_t i = 0; i < space_regions(s->space, v); i++)
			if (!all_of_region(s, v, i))
				return false;
	}
	return true;
}
