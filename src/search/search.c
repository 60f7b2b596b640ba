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
		if (text[n + 1] < '0' || text[n + 1] > '9')
			return NULL;
		*parameter = strtoll(text + n + 1, &end, 10);
		bool fits = *parameter >= 1 && *parameter <= 1000;
		return p->parameter && !*end && fits ? p : NULL;
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

static bool refused_rows(Search *s)
{
	const Space *space = s->space;

	for (size_t i = 0; i < space->refused.n; i++) {
		CandInfo row = {.region = -1,
				.variant = "",
				.variant_how = space->refused.p[i].how,
				.chosen = "",
				.state = CAND_REFUSED,
				.reason = space->refused.p[i].reason,
				.predicted_us = space->refused.p[i].us};
		if (!row_new(s, &row))
			return false;
	}
	return true;
}

/* Rows of one transaction: a tenth of a second at most. */
#define ROWS 2000

/* Where the regions of every variant have their candidates. */
static bool space_rows(Search *s)
{
	const Space *space = s->space;
	const int64_t before = (int64_t)space->refused.n;
	VEC(SpaceInfo) rows = {0};

	for (uint32_t v = 0; v < space->variants.n; v++) {
		const Variant *x = &space->variants.p[v];
		size_t n = space_regions(space, v);
		SpaceInfo row = {.number = v,
				 .variant = x->key,
				 .variant_how = x->how,
				 .region = -1};
		if (n == 0)
			VEC_PUSH(s->arena, rows, row);
		for (size_t i = 0; i < n; i++) {
			row.region = (int64_t)i;
			row.first = before + x->of[i].first;
			row.n = x->of[i].n;
			VEC_PUSH(s->arena, rows, row);
		}
	}
	return !s->ledger ||
	       ledger_add_space(s->ledger, s->info.id, rows.p, rows.n);
}

static bool rows_open(Search *s)
{
	Space *space = s->space;
	CandInfo *row = arena_array(s->arena, CandInfo, ROWS);

	if (!refused_rows(s) || !space_rows(s))
		return false;
	for (size_t i = 0, n; i < space->cands.n; i += n) {
		Cand *c = &space->cands.p[i];
		for (n = 0; n < ROWS && i + n < space->cands.n; n++) {
			row[n] = row_of(s, &c[n]);
			row[n].search = s->info.id;
		}
		if (s->ledger && !ledger_add_all(s->ledger, row, n))
			return false;
		for (size_t j = 0; j < n; j++) {
			c[j].row = row[j].id;
			c[j].state = row[j].state;
			s->considered++;
			s->counts[row[j].state]++;
		}
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

/* The one candidate of a point that no point had before; NO_CAND: all were had,
 * or it is not the only one. */
static uint32_t fresh_of(const Search *s, const Point *p)
{
	uint32_t found = NO_CAND;

	for (size_t i = 0; i < space_regions(s->space, p->variant); i++) {
		uint32_t c = p->cand[i];
		if (s->space->cands.p[c].state != CAND_LEFT || c == found)
			continue;
		if (found != NO_CAND)
			return NO_CAND;
		found = c;
	}
	return found;
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

/* The variant, and of each region the order of its candidate. */
static const char *point_text(const Search *s, const Point *p)
{
	size_t before = s->space->refused.n;
	Buf b;

	buf_init(&b, s->arena);
	buf_printf(&b, "%u:", p->variant);
	for (size_t i = 0; i < space_regions(s->space, p->variant); i++)
		buf_printf(&b, i ? ",%zu" : "%zu", before + p->cand[i]);
	return buf_str(&b);
}

static void outcome_of(const Search *s, const Tried *t, CandInfo *row)
{
	row->trial = t - s->tried.p + 1;
	row->point = point_text(s, &t->point);
	row->state = t->state;
	row->reason = t->reason;
	row->measured_us = t->us;
	row->ratio = t->ratio;
	row->lo = t->lo;
	row->hi = t->hi;
	row->against = t->against;
	row->plan = t->plan;
}

/* A candidate as it was in a point. */
static CandInfo row_of_part(const Search *s, uint32_t cand, const Tried *t)
{
	const Cand *c = &s->space->cands.p[cand];
	CandInfo row = row_of(s, c);

	row.rest = rest_of(s, &t->point, cand);
	outcome_of(s, t, &row);
	return row;
}

static CandInfo row_of_point(const Search *s, const Tried *t)
{
	const Variant *v = &s->space->variants.p[t->point.variant];
	CandInfo row = {.id = t->row,
			.search = s->info.id,
			.variant = v->key,
			.variant_how = v->how,
			.region = -1,
			.chosen = whole_text(s, &t->point),
			.rest = "",
			.predicted_us = space_cost(s->space, &t->point)};

	if (t->changed != NO_CAND)
		return row_of_part(s, t->changed, t);
	outcome_of(s, t, &row);
	return row;
}

static bool settle(Search *s, const CandInfo *row, const TrialResult *r)
{
	return !s->ledger || ledger_settle(s->ledger, row, r);
}

static bool part_settle(Search *s, uint32_t cand, size_t at,
			const TrialResult *r)
{
	Cand *c = &s->space->cands.p[cand];
	const Tried *t = &s->tried.p[at];

	count(s, c->state, t->state);
	c->state = t->state;
	c->by = at;
	CandInfo row = row_of_part(s, cand, t);
	return settle(s, &row, r);
}

/* The row of a whole plan, which is made now. Candidates that it is the first
 * to have ran, if it did; what ended it is held against none of them. */
static bool whole_settle(Search *s, size_t at, const TrialResult *r)
{
	Tried *t = &s->tried.p[at];
	CandInfo row = row_of_point(s, t);

	row.state = CAND_LEFT;
	if (!row_new(s, &row))
		return false;
	t->row = row.id;
	count(s, CAND_LEFT, t->state);
	row = row_of_point(s, t);
	bool ok = settle(s, &row, r);
	for (size_t i = 0; i < space_regions(s->space, t->point.variant); i++) {
		uint32_t c = t->point.cand[i];
		if (t->score > 0 && s->space->cands.p[c].state == CAND_LEFT)
			ok = ok && part_settle(s, c, at, r);
	}
	return ok;
}

static bool row_settle(Search *s, size_t at, const TrialResult *r)
{
	Tried *t = &s->tried.p[at];

	if (t->changed == NO_CAND)
		return whole_settle(s, at, r);
	t->row = s->space->cands.p[t->changed].row;
	return part_settle(s, t->changed, at, r);
}

/* The state of a point that has one becomes another. */
static bool row_change(Search *s, Tried *t, CandState state, const char *reason)
{
	count(s, t->state, state);
	t->state = state;
	t->reason = reason;
	if (t->changed != NO_CAND)
		s->space->cands.p[t->changed].state = state;
	CandInfo row = row_of_point(s, t);
	return settle(s, &row, NULL);
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
	strmap_set(s->seen, space_key(s->arena, s->space, &t.point),
		   (uint32_t)s->tried.n);
	VEC_PUSH(s->arena, s->tried, t);
	if (!row_settle(s, b->at[i], r))
		s->failed = true;
	tell(s);
}

/* One batch of points that are all new. False: enough. */
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
	b.at = arena_array(s->arena, size_t, n);
	for (size_t i = 0; i < n; i++)
		b.at[i] = SIZE_MAX;
	s->begun += (int64_t)n;
	if (!s->host->try(s->host->arg, incumbent, p, n, r, one_tried, &b,
			  &done))
		s->failed = true;
	s->begun -= (int64_t)(n - done);
	s->stopped |= s->host->stop && s->host->stop();
	s->exhausted |= done < n && !s->failed && !s->stopped;
	return done == n && !s->failed && !s->stopped;
}

#define BATCH 8

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

static bool final_row(Search *s, const Tried *t, const TrialResult *r)
{
	static const char *const verdicts[] = {[TRIAL_FASTER] = "faster",
					       [TRIAL_TIE] = "tie",
					       [TRIAL_SLOWER] = "slower"};
	bool measured = r->state == TRIAL_MEASURED;
	FinalInfo row = {.search = s->info.id,
			 .candidate = t->row,
			 .against = s->tried.p[0].row,
			 .outcome = measured ? verdicts[r->verdict] : "failed",
			 .reason = r->text[0] ? r->text : NULL};

	return !s->ledger || ledger_add_final(s->ledger, &row, r);
}

/* Whether t is faster than the rule's choice, beyond noise. Where it ends
 * another way than before, that is what is kept of it. */
static bool beats_rule(Search *s, Tried *t, bool *faster)
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
	if (done == 0)
		return true;
	if (!final_row(s, t, &r))
		return false;
	return r.state == TRIAL_MEASURED || r.state == TRIAL_FAILED ||
	       row_change(s, t, state_of(&r), arena_strdup(s->arena, r.text));
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
			 "`tenon check` shows the same; please report it, "
			 "unless a kernel of your own is pinned",
			 "the rule's choice: %s: %s",
			 cand_state_name[rule->state],
			 rule->reason ? rule->reason : "");
}

/* What may win, in order: the best so far, which ties have left where it is,
 * then the others by their scores. */
static size_t finalists(Search *s, const Tried **order)
{
	size_t n = 0, first = s->best != SIZE_MAX;

	if (first)
		order[n++] = &s->tried.p[s->best];
	for (size_t i = 0; i < s->tried.n; i++)
		if (s->tried.p[i].score > 0 && i != s->best)
			order[n++] = &s->tried.p[i];
	qsort(order + first, n - first, sizeof(*order), by_score);
	return n < FINALISTS ? n : FINALISTS;
}

static bool conclude(Search *s)
{
	const Tried **order =
		arena_array(s->arena, const Tried *, s->tried.n + 1);

	if (s->failed)
		return false;
	s->final = true;
	if (s->tried.n == 0) { /* ended before it began: nothing is known */
		s->chosen = space_rule(s->space, 0);
		return true;
	}
	if (s->tried.p[0].score <= 0)
		return choose_rule(s);
	size_t n = finalists(s, order);
	for (size_t i = 0; i < n; i++) {
		Tried *t = &s->tried.p[order[i] - s->tried.p];
		bool faster, passes;
		if (t == &s->tried.p[0])
			break;
		if (!beats_rule(s, t, &faster))
			return false;
		if (!faster)
			continue;
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
		uint32_t cand = s->chosen.cand[i];
		Cand *c = &s->space->cands.p[cand];
		if (c->state == CAND_CHOSEN) /* of a region before it too */
			continue;
		CandInfo row =
			c->state == CAND_LEFT
				? row_of(s, c)
				: row_of_part(s, cand, &s->tried.p[c->by]);
		count(s, c->state, CAND_CHOSEN);
		row.state = c->state = CAND_CHOSEN;
		row.reason = NULL;
		if (at != SIZE_MAX)
			row.plan = s->tried.p[at].plan;
		if (!settle(s, &row, NULL))
			return false;
	}
	return true;
}

/* What passed by those that are left. */
static bool tell_left(Search *s)
{
	const char *why = s->stopped     ? "stop"
			  : s->exhausted ? "budget"
					 : "policy";

	return !s->ledger || ledger_left(s->ledger, s->info.id, why);
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
