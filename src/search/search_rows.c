/*
 * search_rows: what the ledger has of a search.
 *
 * Each candidate is in one state, here and in its row; a whole plan has a row
 * of its own where it is the first to have several candidates, or none. An
 * outcome is one transaction.
 */
#include "search/search_own.h"

#include <string.h>

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

bool rows_open(Search *s)
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

uint32_t fresh_of(const Search *s, const Point *p)
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

/* A candidate of a point that no point had before: its row, settled. */
static CandInfo part_take(Search *s, uint32_t cand, size_t at)
{
	Cand *c = &s->space->cands.p[cand];
	const Tried *t = &s->tried.p[at];

	count(s, c->state, t->state);
	c->state = t->state;
	c->by = at;
	return row_of_part(s, cand, t);
}

static bool settle_all(Search *s, CandInfo *row, size_t n, const TrialResult *r)
{
	return !s->ledger || ledger_settle_all(s->ledger, row, n, r);
}

/* The row of a whole plan, which is made now. Candidates that it is the first
 * to have ran, if it did; what ended it is held against none of them. */
static bool whole_settle(Search *s, size_t at, const TrialResult *r)
{
	Tried *t = &s->tried.p[at];
	size_t regions = space_regions(s->space, t->point.variant), n = 1;
	CandInfo *row = arena_array(s->arena, CandInfo, regions + 1);

	t->order = s->considered++;
	s->counts[t->state]++;
	row[0] = row_of_point(s, t);
	for (size_t i = 0; i < regions; i++) {
		uint32_t c = t->point.cand[i];
		if (t->score > 0 && s->space->cands.p[c].state == CAND_LEFT)
			row[n++] = part_take(s, c, at);
	}
	bool ok = settle_all(s, row, n, r);
	t->row = row[0].id;
	return ok;
}

bool row_settle(Search *s, size_t at, const TrialResult *r)
{
	Tried *t = &s->tried.p[at];

	if (t->changed == NO_CAND)
		return whole_settle(s, at, r);
	t->row = s->space->cands.p[t->changed].row;
	t->order = (int64_t)s->space->refused.n + t->changed;
	CandInfo row = part_take(s, t->changed, at);
	return settle_all(s, &row, 1, r);
}

/* ---- points of the same code ----------------------------------------- */

const char *same_reason(const Search *s, size_t at)
{
	const Tried *t = &s->tried.p[at];

	return arena_printf(s->arena, "same code as candidate %lld%s%s",
			    (long long)t->order, t->reason ? ": " : "",
			    t->reason ? t->reason : "");
}

static bool row_restate(Search *s, Tried *t, CandState state,
			const char *reason)
{
	count(s, t->state, state);
	t->state = state;
	t->reason = reason;
	if (t->changed != NO_CAND)
		s->space->cands.p[t->changed].state = state;
	CandInfo row = row_of_point(s, t);
	return settle(s, &row, NULL);
}

bool row_change(Search *s, Tried *t, CandState state, const char *reason)
{
	size_t at = (size_t)(t - s->tried.p);
	bool ok = row_restate(s, t, state, reason);

	for (size_t i = at + 1; i < s->tried.n && ok; i++)
		if (s->tried.p[i].same == at + 1)
			ok = row_restate(s, &s->tried.p[i], state,
					 same_reason(s, at));
	return ok;
}

/* ---- the end --------------------------------------------------------- */

bool mark_chosen(Search *s)
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
		if (!row.trial || !s->tried.p[c->by].same)
			row.reason = NULL;
		if (at != SIZE_MAX)
			row.plan = s->tried.p[at].plan;
		if (!settle(s, &row, NULL))
			return false;
	}
	return true;
}

bool tell_left(Search *s)
{
	const char *why = s->stopped     ? "stop"
			  : s->exhausted ? "budget"
					 : "policy";

	return !s->ledger || ledger_left(s->ledger, s->info.id, why);
}
