/*
 * search: runs a policy, and what is common to all of them.
 *
 * Scores are relative: a point's time over that of the rule's choice, by way
 * of the incumbent that it met. The rule's choice is tried first. A tie leaves
 * the incumbent where it is, so that the earlier one wins, and in the end the
 * winner meets the rule's choice itself.
 */
#include "search/search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FINALISTS 5

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
		*parameter = strtoll(text + n + 1, &end, 10);
		bool number = end != text + n + 1 && !*end;
		bool fits = *parameter >= 1 && *parameter <= 1000;
		return p->parameter && number && fits ? p : NULL;
	}
	return NULL;
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

/* ---- rows of the ledger ---------------------------------------------- */

static void count(Search *s, CandState from, CandState to)
{
	s->counts[from]--;
	s->counts[to]++;
}

static bool row_new(Search *s, CandInfo *row)
{
	row->search = s->info.id;
	s->considered++;
	s->counts[row->state]++;
	return !s->ledger || ledger_add(s->ledger, row);
}

static CandInfo row_of(const Search *s, const Cand *c)
{
	const Variant *v = &s->space->variants.p[c->variant];

	return (CandInfo){
		.id = c->row,
		.search = s->info.id,
		.variant = v->key,
		.variant_how = v->how,
		.region = c->region,
		.chosen = c->text,
		.state = c->refused ? CAND_REFUSED : CAND_LEFT,
		.reason = c->refused,
		.predicted_us = c->cost.us,
		.compute_us = c->cost.compute,
		.memory_us = c->cost.memory,
		.move_us = c->cost.move,
		.start_us = c->cost.start,
	};
}

/* Every candidate that a search considers, before any is tried. */
static bool rows_open(Search *s)
{
	Space *space = s->space;
	size_t n = space->refused.n + space->cands.n, at = 0;
	CandInfo *rows = arena_array(s->arena, CandInfo, n + 1);

	for (size_t i = 0; i < space->refused.n; i++)
		rows[at++] = (CandInfo){.search = s->info.id,
					.region = -1,
					.variant = "",
					.variant_how = space->refused.p[i].how,
					.chosen = "",
					.state = CAND_REFUSED,
					.reason = space->refused.p[i].reason};
	for (size_t i = 0; i < space->cands.n; i++)
		rows[at++] = row_of(s, &space->cands.p[i]);
	if (s->ledger && !ledger_add_all(s->ledger, rows, n))
		return false;
	for (size_t i = 0; i < n; i++)
		s->counts[rows[i].state]++;
	s->considered += (int64_t)n;
	for (size_t i = 0; i < space->cands.n; i++) {
		Cand *c = &space->cands.p[i];
		c->row = rows[space->refused.n + i].id;
		c->settled = c->refused != NULL;
	}
	return true;
}

/* What the other regions of a point had; "": there are none. */
static const char *rest_of(const Search *s, const Point *p, uint32_t changed)
{
	char hex[SHA256_HEX];
	Buf b;

	buf_init(&b, s->arena);
	for (uint32_t i = 0; i < space_regions(s->space, p->variant); i++)
		if (p->cand[i] != changed)
			buf_printf(&b, "%u %s\n", i,
				   s->space->cands.p[p->cand[i]].text);
	if (!b.n)
		return "";
	sha256_hex(buf_str(&b), b.n, hex);
	return arena_printf(s->arena, "%.12s", hex);
}

/* The candidate of a point that no point had before; NO_CAND: all were had. */
static uint32_t fresh_of(const Search *s, const Point *p)
{
	for (size_t i = 0; i < space_regions(s->space, p->variant); i++)
		if (!s->space->cands.p[p->cand[i]].settled)
			return p->cand[i];
	return NO_CAND;
}

static const char *whole_text(const Search *s, const Point *p)
{
	Buf b;

	buf_init(&b, s->arena);
	for (size_t i = 0; i < space_regions(s->space, p->variant); i++)
		buf_printf(&b, i ? "; %s" : "%s",
			   s->space->cands.p[p->cand[i]].text);
	return buf_str(&b);
}

static CandInfo row_of_point(const Search *s, const Tried *t)
{
	const Space *space = s->space;
	const Variant *v = &space->variants.p[t->point.variant];
	CandInfo row = {.id = t->row,
			.variant = v->key,
			.variant_how = v->how,
			.region = -1,
			.rest = ""};

	if (t->changed != NO_CAND) {
		row = row_of(s, &space->cands.p[t->changed]);
		row.rest = rest_of(s, &t->point, t->changed);
	} else {
		row.chosen = whole_text(s, &t->point);
		row.predicted_us = space_cost(space, &t->point);
	}
	row.search = s->info.id;
	row.state = t->state;
	row.reason = t->reason;
	row.measured_us = t->us;
	row.ratio = t->ratio;
	row.lo = t->lo;
	row.hi = t->hi;
	row.plan = t->plan;
	return row;
}

static bool row_settle(Search *s, Tried *t, const TrialResult *r)
{
	if (t->changed == NO_CAND && !t->row) {
		CandInfo row = row_of_point(s, t);
		row.state = CAND_LEFT;
		if (!row_new(s, &row))
			return false;
		t->row = row.id;
		s->counts[CAND_LEFT]--;
		s->counts[t->state]++;
	} else if (t->changed != NO_CAND) {
		Cand *c = &s->space->cands.p[t->changed];
		t->row = c->row;
		count(s, CAND_LEFT, t->state);
		c->settled = true;
	}
	CandInfo row = row_of_point(s, t);
	return !s->ledger || ledger_settle(s->ledger, &row, r);
}

/* The state of a point that has one becomes another. */
static bool row_change(Search *s, Tried *t, CandState state, const char *reason)
{
	count(s, t->state, state);
	t->state = state;
	t->reason = reason;
	CandInfo row = row_of_point(s, t);
	return !s->ledger || ledger_settle(s->ledger, &row, NULL);
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

static CandState state_of(const TrialResult *r)
{
	switch (r->state) {
	case TRIAL_MEASURED:
		return r->verdict == TRIAL_TIE ? CAND_TIE : CAND_MEASURED;
	case TRIAL_WRONG:
		return CAND_WRONG;
	case TRIAL_CRASHED:
		return CAND_CRASHED;
	case TRIAL_TIMED_OUT:
		return CAND_TIMED_OUT;
	case TRIAL_NO_MEMORY:
		return CAND_NO_MEMORY;
	case TRIAL_FAILED:
	case TRIAL_STATES:
		break;
	}
	return CAND_FAILED;
}

typedef struct Batch {
	Search *s;
	const Point *p;
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

/* A winner that would not run again has another state now. */
static void tried_again(Search *s, size_t at, const TrialResult *r)
{
	Tried *t = &s->tried.p[at];

	t->score = 0;
	if (!row_change(s, t, state_of(r), arena_strdup(s->arena, r->text)))
		s->failed = true;
	s->best = SIZE_MAX;
	for (size_t i = 0; i < s->tried.n; i++) {
		double score = s->tried.p[i].score;
		if (score > 0 &&
		    (s->best == SIZE_MAX || score < s->tried.p[s->best].score))
			s->best = i;
	}
}

static void one_tried(void *to, size_t i, const TrialResult *r,
		      const char *plan)
{
	Batch *b = to;
	Search *s = b->s;
	size_t at_before = search_seen(s, &b->p[i]);

	if (at_before != SIZE_MAX) {
		tried_again(s, at_before, r);
		return;
	}
	Tried t = {.point = b->p[i],
		   .changed = fresh_of(s, &b->p[i]),
		   .state = state_of(r),
		   .plan = plan ? arena_strdup(s->arena, plan) : NULL};

	if (r->text[0])
		t.reason = arena_strdup(s->arena, r->text);
	if (r->state == TRIAL_MEASURED) {
		size_t at = r->incumbent < 0
				    ? b->before
				    : search_seen(s, &b->p[r->incumbent]);
		double score = at == SIZE_MAX ? 1 : s->tried.p[at].score;
		bool alone = at == SIZE_MAX;
		t.us = r->median_us;
		t.ratio = alone ? 1 : r->ratio;
		t.lo = alone ? 1 : r->lo;
		t.hi = alone ? 1 : r->hi;
		t.score = score * t.ratio;
		if (r->verdict == TRIAL_FASTER)
			s->best = s->tried.n;
	}
	strmap_set(s->seen, space_key(s->arena, s->space, &t.point),
		   (uint32_t)s->tried.n);
	VEC_PUSH(s->arena, s->tried, t);
	if (!row_settle(s, &s->tried.p[s->tried.n - 1], r))
		s->failed = true;
	tell(s);
}

/* One batch of points that are all new. */
static bool try_batch(Search *s, const Point *p, size_t n)
{
	Batch b = {.s = s, .p = p, .before = s->best};
	TrialResult *r = arena_array(s->arena, TrialResult, n);
	const Point *incumbent =
		s->best == SIZE_MAX ? NULL : &s->tried.p[s->best].point;
	Point copy;
	size_t done = 0;

	if (incumbent) { /* tried grows meanwhile */
		copy = *incumbent;
		incumbent = &copy;
	}
	s->begun += (int64_t)n;
	if (!s->host->try(s->host->arg, incumbent, p, n, r, one_tried, &b,
			  &done))
		s->failed = true;
	s->begun -= (int64_t)(n - done);
	if (done < n && search_left(s) <= 0)
		s->exhausted = true;
	return !s->failed && done == n;
}

#define BATCH 8

bool search_try(Search *s, const Point *p, size_t n)
{
	Point batch[BATCH];
	size_t have = 0;

	for (size_t i = 0; i <= n; i++) {
		size_t most = BATCH;
		if (s->o.candidates > 0 && s->o.candidates - s->begun < BATCH)
			most = (size_t)(s->o.candidates - s->begun);
		if (have > 0 && (have >= most || i == n)) {
			if (!try_batch(s, batch, have))
				return false;
			have = 0;
		}
		if (i == n || out_of_budget(s))
			break;
		bool twice = search_seen(s, &p[i]) != SIZE_MAX;
		for (size_t j = 0; j < have && !twice; j++)
			twice = !strcmp(
				space_key(s->arena, s->space, &p[i]),
				space_key(s->arena, s->space, &batch[j]));
		if (!twice)
			batch[have++] = p[i];
	}
	return !out_of_budget(s);
}

/* ---- the end --------------------------------------------------------- */

static int by_score(const void *a, const void *b)
{
	const Tried *x = *(const Tried *const *)a,
		    *y = *(const Tried *const *)b;

	if (x->score != y->score)
		return x->score < y->score ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void ignore(void *to, size_t i, const TrialResult *r, const char *plan)
{
	(void)to;
	(void)i;
	(void)r;
	(void)plan;
}

/* Whether t is faster than the rule's choice, beyond noise. */
static bool beats_rule(Search *s, const Tried *t, bool *faster)
{
	const Point rule = s->tried.p[0].point;
	TrialResult r = {0};
	size_t done = 0;

	*faster = false;
	if (!s->host->try(s->host->arg, &rule, &t->point, 1, &r, ignore, NULL,
			  &done))
		return false;
	*faster = done == 1 && r.state == TRIAL_MEASURED &&
		  r.verdict == TRIAL_FASTER;
	if (*faster) {
		s->gain = r.ratio;
		s->gain_lo = r.lo;
		s->gain_hi = r.hi;
	}
	return true;
}

/* Its fixtures; a point that fails keeps what refutes it. */
static bool held_out(Search *s, Tried *t, bool *passes)
{
	TrialResult r = {0};

	r.state = s->host->held_out(s->host->arg, &t->point, r.text);
	*passes = r.state == TRIAL_MEASURED;
	return *passes ||
	       row_change(s, t, state_of(&r), arena_strdup(s->arena, r.text));
}

static bool choose_rule(Search *s)
{
	Tried *rule = &s->tried.p[0];
	bool passes = rule->score > 0;

	if (passes && !held_out(s, rule, &passes))
		return false;
	s->chosen = rule->point;
	return passes ||
	       diag_fail(s->ctx, ERR_PROGRAM,
			 "`tenon check` shows the same; please report it",
			 "the rule's choice %s: %s",
			 cand_state_name[rule->state],
			 rule->reason ? rule->reason : "");
}

static bool conclude(Search *s)
{
	const Tried **order =
		arena_array(s->arena, const Tried *, s->tried.n + 1);
	size_t n = 0;

	if (s->tried.n == 0 || s->failed)
		return false;
	s->final = true;
	for (size_t i = 0; i < s->tried.n; i++)
		if (s->tried.p[i].score > 0)
			order[n++] = &s->tried.p[i];
	qsort(order, n, sizeof(*order), by_score);
	for (size_t i = 0; i < n && i < FINALISTS; i++) {
		Tried *t = &s->tried.p[order[i] - s->tried.p];
		bool faster, passes;
		if (t == &s->tried.p[0])
			break;
		if (!beats_rule(s, t, &faster))
			return false;
		if (!faster) {
			s->gain = 0;
			continue;
		}
		if (!held_out(s, t, &passes))
			return false;
		if (passes) {
			s->chosen = t->point;
			return true;
		}
		s->gain = 0;
	}
	return choose_rule(s);
}

/* The candidates of the chosen point. */
static bool mark_chosen(Search *s)
{
	size_t at = search_seen(s, &s->chosen);

	for (size_t i = 0; i < space_regions(s->space, s->chosen.variant);
	     i++) {
		const Cand *c = &s->space->cands.p[s->chosen.cand[i]];
		CandInfo row = row_of(s, c);
		CandState before = c->settled ? CAND_MEASURED : CAND_LEFT;
		for (size_t j = 0; j < s->tried.n; j++)
			if (s->tried.p[j].row == c->row && c->row) {
				row = row_of_point(s, &s->tried.p[j]);
				before = s->tried.p[j].state;
				s->tried.p[j].state = CAND_CHOSEN;
			}
		count(s, before, CAND_CHOSEN);
		row.state = CAND_CHOSEN;
		if (at != SIZE_MAX)
			row.plan = s->tried.p[at].plan;
		if (s->ledger && !ledger_settle(s->ledger, &row, NULL))
			return false;
	}
	return true;
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
	s->best = SIZE_MAX;
	if (!rows_open(s))
		return false;
	if (!p->measures)
		return p->run(s, parameter) && mark_chosen(s);
	rule = space_rule(s->space, 0);
	if (search_try(s, &rule, 1))
		p->run(s, parameter);
	s->info.state = s->stopped                 ? "stopped"
			: p->whole && s->exhausted ? "exhausted"
						   : "complete";
	return conclude(s) && mark_chosen(s);
}
