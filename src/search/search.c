/*
 * search: runs a policy, and what is common to all of them.
 *
 * Scores are relative: a point's time over that of the rule's choice, by way
 * of the incumbent that it met. The rule's choice is tried first. A tie leaves
 * the incumbent where it is, so that the earlier one wins, and in the end the
 * winner meets the rule's choice itself.
 */
#include "search/search_own.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Policy {
	const char *name;
	int64_t parameter; /* the default; 0: it takes none */
	bool measures;
	bool whole; /* a budget that ends it leaves it undone */
	PolicyFn *run;
} Policy;

static bool policy_rule(Search *s, int64_t parameter)
{
	(void)parameter;
	s->chosen = space_rule(s->space, 0);
	return true;
}

/* The variant without a model is the rule's or none. */
static bool policy_model(Search *s, int64_t parameter)
{
	uint32_t best = 0;

	(void)parameter;
	for (uint32_t i = 1; i < s->space->variants.n; i++) {
		double us = s->space->variants.p[i].cost;
		double least = s->space->variants.p[best].cost;
		if (us > 0 && least > 0 && us < least)
			best = i;
	}
	s->chosen = space_model(s->space, best);
	return true;
}

static const Policy policies[] = {
	{"rule", 0, false, false, policy_rule},
	{"model", 0, false, false, policy_model},
	{"beam", 4, true, false, policy_beam},
	{"evolve", 16, true, false, policy_evolve},
	{"all", 0, true, true, policy_all},
};

static const Policy *policy_find(const char *text, int64_t *parameter)
{
	size_t n = strcspn(text, ":");

	for (size_t i = 0; i < ARRAY_LEN(policies); i++) {
		const Policy *p = &policies[i];
		char *end;
		if (strlen(p->name) != n || strncmp(p->name, text, n) != 0)
			continue;
		*parameter = p->parameter;
		if (!text[n])
			return p;
		if (text[n + 1] < '0' || text[n + 1] > '9')
			return NULL;
		*parameter = strtoll(text + n + 1, &end, 10);
		bool fits = *parameter >= 1 && *parameter <= 1000;
		return p->parameter && !*end && fits ? p : NULL;
	}
	return NULL;
}

const char *policy_text(Arena *a, const char *name)
{
	int64_t parameter;
	const Policy *p = policy_find(name, &parameter);

	return p && p->parameter ? arena_printf(a, "%s:%lld", p->name,
						(long long)parameter)
				 : name;
}

bool policy_parse(Ctx *ctx, const char *name, bool *measures)
{
	int64_t parameter;
	const Policy *p = policy_find(name, &parameter);

	*measures = p && p->measures;
	return p ||
	       diag_fail(ctx, ERR_USAGE,
			 "policies: rule, model, beam:K, evolve:N (K and N "
			 "1 to 1000, by default 4 and 16), all",
			 "--policy %s: there is no such policy", name);
}

/* ---- trying ---------------------------------------------------------- */

uint64_t search_random(Search *s, uint64_t n)
{
	uint64_t x = s->random += 0x9e3779b97f4a7c15u;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return (x ^ (x >> 31)) % n;
}

size_t search_seen(const Search *s, const Point *p)
{
	uint32_t at;

	return strmap_get(s->seen, space_key(s->arena, s->space, p), &at)
		       ? at
		       : SIZE_MAX;
}

double search_left(const Search *s)
{
	if (s->o.seconds <= 0 || s->final)
		return INFINITY;
	double left = s->o.seconds - (clock_seconds() - s->began);
	return left > 0 ? left : 0;
}

static bool out_of_budget(Search *s)
{
	if (s->host->stop && s->host->stop())
		s->stopped = true;
	if (search_left(s) <= 0)
		s->exhausted = true;
	if (s->o.candidates > 0 && s->begun >= s->o.candidates)
		s->exhausted = true;
	return s->stopped || s->exhausted || s->failed;
}

/* Points that run together. */
typedef struct Batch {
	Search *s;
	const Point *p;
	const char *const *code; /* by point; NULL: not known */
	size_t *at;    /* by point: in tried; SIZE_MAX: not told yet */
	size_t before; /* the incumbent that was given, in tried */
} Batch;

static void tell(Search *s)
{
	char line[120];

	if (!s->host->progress)
		return;
	snprintf(line, sizeof(line),
		 "%s: %zu tried, the fastest takes %.3f of the rule's time",
		 s->info.policy, s->tried.n,
		 s->best == SIZE_MAX ? 1.0 : s->tried.p[s->best].score);
	s->host->progress(s->host->progress_arg, line);
}

/* What a point met, in tried; SIZE_MAX: nothing. */
static size_t met(const Batch *b, const TrialResult *r)
{
	return r->incumbent < 0 ? b->before : b->at[r->incumbent];
}

static void take_times(const Batch *b, const TrialResult *r, Tried *t)
{
	const Search *s = b->s;
	size_t at = met(b, r);
	bool alone = at == SIZE_MAX || r->rounds == 0 || r->other_us[0] <= 0;
	const Tried *rule = s->tried.n > 0 ? &s->tried.p[0] : NULL;

	t->us = r->median_us;
	t->ratio = t->lo = t->hi = 1;
	t->score = 1;
	if (alone && rule && rule->us > 0)
		t->score = t->us / rule->us;
	if (alone)
		return;
	t->ratio = r->ratio;
	t->lo = r->lo;
	t->hi = r->hi;
	t->score = s->tried.p[at].score * t->ratio;
	t->against = s->tried.p[at].row;
}

/* It had won, and does not run any more: what it had met is the best again. */
static void told_again(Batch *b, size_t i, const TrialResult *r)
{
	Search *s = b->s;
	Tried *t = &s->tried.p[b->at[i]];

	if (s->best == b->at[i])
		s->best = met(b, r);
	t->score = 0;
	if (!row_change(s, t, state_of(r), arena_strdup(s->arena, r->text)))
		s->failed = true;
}

static void take(Search *s, const Tried *t, const TrialResult *r)
{
	size_t at = s->tried.n;

	strmap_set(s->seen, space_key(s->arena, s->space, &t->point),
		   (uint32_t)at);
	VEC_PUSH(s->arena, s->tried, *t);
	if (!row_settle(s, at, r))
		s->failed = true;
	tell(s);
}

static void one_tried(void *to, size_t i, const TrialResult *r,
		      const char *plan)
{
	Batch *b = to;
	Search *s = b->s;
	Tried t = {.point = b->p[i],
		   .changed = fresh_of(s, &b->p[i]),
		   .state = state_of(r),
		   .plan = plan ? arena_strdup(s->arena, plan) : NULL};

	if (b->at[i] != SIZE_MAX) {
		told_again(b, i, r);
		return;
	}
	if (r->text[0])
		t.reason = arena_strdup(s->arena, r->text);
	if (r->state == TRIAL_MEASURED || r->median_us > 0)
		take_times(b, r, &t);
	if (r->state != TRIAL_MEASURED)
		t.score = 0;
	else if (r->verdict == TRIAL_FASTER)
		s->best = s->tried.n;
	b->at[i] = s->tried.n;
	if (b->code[i])
		strmap_set(s->codes, b->code[i], (uint32_t)s->tried.n);
	take(s, &t, r);
}

/* A point whose code has run, number `at` of tried: that it is no faster than
 * what it equals is known, so that it has no score and goes no further. */
static void take_same(Search *s, const Point *p, size_t at)
{
	const Tried *of = &s->tried.p[at];
	Tried t = {.point = *p,
		   .changed = fresh_of(s, p),
		   .state = of->state,
		   .reason = same_reason(s, at),
		   .same = at + 1,
		   .us = of->us,
		   .ratio = of->ratio,
		   .lo = of->lo,
		   .hi = of->hi,
		   .against = of->against};

	take(s, &t, NULL);
}

/* How many of n were tried. */
static size_t run_batch(Search *s, const Point *p, const char *const *code,
			size_t n)
{
	Batch b = {.s = s, .p = p, .code = code, .before = s->best};
	TrialResult *r = arena_array(s->arena, TrialResult, n);
	const Point *incumbent =
		s->best == SIZE_MAX ? NULL : &s->tried.p[s->best].point;
	Point copy;
	size_t done = 0;

	if (incumbent) { /* tried grows meanwhile */
		copy = *incumbent;
		incumbent = &copy;
	}
	b.at = arena_array(s->arena, size_t, n);
	for (size_t i = 0; i < n; i++)
		b.at[i] = SIZE_MAX;
	if (!s->host->try(s->host->arg, incumbent, p, n, r, one_tried, &b,
			  &done))
		s->failed = true;
	return done;
}

#define BATCH 8

/* Points of a batch: those that run, and those of the same code as one that
 * ran, or does. */
typedef struct Parts {
	Point run[BATCH], same[BATCH];
	const char *code[BATCH], *same_code[BATCH];
	size_t nrun, nsame;
} Parts;

static void part_of(Search *s, const Point *p, Parts *out)
{
	const char *code =
		s->host->code ? s->host->code(s->host->arg, p) : NULL;
	uint32_t at;
	bool same = code && strmap_get(s->codes, code, &at);

	for (size_t i = 0; i < out->nrun && code && !same; i++)
		same = out->code[i] && !strcmp(out->code[i], code);
	if (same) {
		out->same[out->nsame] = *p;
		out->same_code[out->nsame++] = code;
	} else {
		out->run[out->nrun] = *p;
		out->code[out->nrun++] = code;
	}
}

/* One batch of points that are all new. False: enough. */
static bool try_batch(Search *s, const Point *p, size_t n)
{
	Parts x = {.nrun = 0};
	size_t done = 0;

	for (size_t i = 0; i < n; i++)
		part_of(s, &p[i], &x);
	s->begun += (int64_t)n;
	if (x.nrun > 0)
		done = run_batch(s, x.run, x.code, x.nrun);
	for (size_t i = 0; i < x.nsame && !s->failed; i++) {
		uint32_t at;
		if (!strmap_get(s->codes, x.same_code[i], &at))
			continue; /* that one was not tried */
		take_same(s, &x.same[i], at);
		done++;
	}
	s->begun -= (int64_t)(n - done);
	s->stopped |= s->host->stop && s->host->stop();
	s->exhausted |= done < n && !s->failed && !s->stopped;
	return done == n && !s->failed && !s->stopped;
}

/* Points of one batch that the budget has room for. */
static size_t room(const Search *s)
{
	int64_t left = s->o.candidates - s->begun;

	return s->o.candidates > 0 && left < BATCH ? (size_t)left : BATCH;
}

static bool is_new(const Search *s, const Point *p, const Point *batch,
		   size_t n)
{
	const char *key = space_key(s->arena, s->space, p);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(key, space_key(s->arena, s->space, &batch[i])))
			return false;
	return search_seen(s, p) == SIZE_MAX;
}

bool search_try(Search *s, const Point *p, size_t n)
{
	Point batch[BATCH];
	size_t have = 0;

	for (size_t i = 0; i < n; i++) {
		if (!is_new(s, &p[i], batch, have))
			continue;
		if (have > 0 && have == room(s)) {
			if (!try_batch(s, batch, have))
				return false;
			have = 0;
		}
		if (out_of_budget(s))
			return false;
		batch[have++] = p[i];
	}
	return have == 0 || try_batch(s, batch, have);
}

bool search_run(Search *s)
{
	int64_t parameter;
	const Policy *p = policy_find(s->info.policy, &parameter);
	Point rule;

	bug_if(!p);
	s->info.state = "complete";
	s->began = clock_seconds();
	s->random = s->o.seed;
	s->seen = strmap_new(s->arena);
	s->codes = strmap_new(s->arena);
	s->best = SIZE_MAX;
	if (!rows_open(s))
		return false;
	if (!p->measures)
		return p->run(s, parameter) && mark_chosen(s) && tell_left(s);
	rule = space_rule(s->space, 0);
	/* whatever the budget; without it nothing has a score */
	if (try_batch(s, &rule, 1) && s->tried.p[0].score > 0)
		p->run(s, parameter);
	s->info.state = s->stopped                 ? "stopped"
			: p->whole && s->exhausted ? "exhausted"
						   : "complete";
	return conclude(s) && mark_chosen(s) && tell_left(s);
}
