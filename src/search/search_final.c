/*
 * search_final: who wins.
 *
 * What is fastest meets the rule's choice itself, and then fixtures that no
 * trial has seen. One that is refuted there makes room for the next, however
 * many there are; those that are merely not faster take one of a few places,
 * since each costs a race. A verdict that leaves open what the rule's choice
 * is shown to have right refutes too: else less could be known of a winner
 * than of what it takes the place of.
 */
#include "search/search_own.h"

#include <stdlib.h>
#include <string.h>

/* Finals that may end without a winner. */
#define PLACES 5

CandState state_of(const TrialResult *r)
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

/* It does not win, for what was seen of it since it was tried. */
static bool refute(Search *s, Tried *t, CandState state, const char *text)
{
	t->score = 0;
	return row_change(s, t, state, arena_strdup(s->arena, text));
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
	       refute(s, t, state_of(&r), r.text);
}

/* What the rule's choice comes to, once. */
static const HeldOut *rule_held_out(Search *s)
{
	if (!s->rule) {
		s->rule = arena_new(s->arena, HeldOut);
		s->host->held_out(s->host->arg, &s->tried.p[0].point, s->rule);
	}
	return s->rule;
}

/* The first verdict that is open, and is not of the rule's choice; n: none. */
static size_t less_known(Search *s, const HeldOut *h)
{
	size_t i = 0;

	while (i < h->n && h->shown[i])
		i++;
	if (i == h->n)
		return i;
	const HeldOut *rule = rule_held_out(s);
	while (i < h->n && (h->shown[i] || i >= rule->n || !rule->shown[i]))
		i++;
	return i;
}

/* Its fixtures; a point that fails keeps what refutes it. */
static bool held_out(Search *s, Tried *t, bool *passes)
{
	HeldOut h = {0};
	TrialResult r = {0};

	s->host->held_out(s->host->arg, &t->point, &h);
	r.state = h.state;
	*passes = h.state == TRIAL_MEASURED;
	if (!*passes)
		return refute(s, t, state_of(&r), h.text);
	size_t open = less_known(s, &h);
	*passes = open == h.n;
	return *passes ||
	       refute(s, t, CAND_WRONG,
		      arena_printf(s->arena,
				   "%s is neither right nor wrong there, and "
				   "right by the rule's choice",
				   s->host->verdict(s->host->arg, open)));
}

static bool choose_rule(Search *s)
{
	Tried *rule = &s->tried.p[0];
	bool passes = rule->score > 0;

	if (passes) {
		const HeldOut *h = rule_held_out(s);
		TrialResult r = {.state = h->state};
		passes = h->state == TRIAL_MEASURED;
		if (!passes && !refute(s, rule, state_of(&r), h->text))
			return false;
	}
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
	return n;
}

/* Whether t may not win: it is not faster, or was refuted. */
static bool falls(Search *s, Tried *t, bool *out)
{
	bool faster, passes = false;

	if (!beats_rule(s, t, &faster) || (faster && !held_out(s, t, &passes)))
		return false;
	*out = !passes;
	if (*out)
		s->gain = 0;
	else
		s->chosen = t->point;
	return true;
}

bool conclude(Search *s)
{
	const Tried **order =
		arena_array(s->arena, const Tried *, s->tried.n + 1);
	int places = PLACES;

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
	for (size_t i = 0; i < n && places > 0; i++) {
		Tried *t = &s->tried.p[order[i] - s->tried.p];
		bool out;
		if (t == &s->tried.p[0])
			break;
		if (!falls(s, t, &out))
			return false;
		if (!out)
			return true;
		places -= t->score > 0;
	}
	return choose_rule(s);
}
