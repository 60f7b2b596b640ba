/*
 * ledger_cands: the candidates of a search.
 *
 * For people, they are grouped by variant and region. Those refused and those
 * left are many and differ in little: they are counted by reason, unless their
 * state is asked for.
 */
#include "search/ledger_own.h"

#include <string.h>

/* Refused and left are counted in the text, not listed. */
#define COUNTED "c.state IN ('refused', 'left')"

/* ?1 the search; the query's state, region and realisation. */
#define WANTED                                                                 \
	"c.search = ?1 AND (?2 IS NULL OR c.state = ?2) "                      \
	"AND (?3 IS NULL OR c.region = ?3) "                                   \
	"AND (?4 IS NULL OR c.chosen = ?4 "                                    \
	"OR substr(c.chosen, 1, length(?4) + 1) = ?4 || ' ') "

/* A winner's variant first; what is timed by time; the rest as it came. */
#define IN_GROUPS                                                              \
	"(c.variant IN (SELECT variant FROM candidate "                        \
	"WHERE search = ?1 AND state = 'chosen')) DESC, c.variant, c.region"
#define IN_ORDER                                                               \
	"CASE c.state WHEN 'chosen' THEN 0 WHEN 'measured' THEN 1 "            \
	"WHEN 'tie' THEN 2 WHEN 'wrong' THEN 3 WHEN 'crashed' THEN 4 "         \
	"WHEN 'timed-out' THEN 5 WHEN 'no-memory' THEN 6 "                     \
	"WHEN 'failed' THEN 7 WHEN 'left' THEN 8 ELSE 9 END, "                 \
	"c.measured_us IS NULL, c.measured_us, c.ord"

typedef struct Cands {
	Arena *a;
	VEC(CandInfo) list;
} Cands;

static bool take_cand(void *arg, sqlite3_stmt *row)
{
	Cands *x = arg;
	CandInfo c;

	ledger_read_cand(x->a, row, &c);
	VEC_PUSH(x->a, x->list, c);
	return true;
}

/* Those of a state that were counted by reason. */
typedef struct Counted {
	const char *variant, *state, *reason;
	int64_t region, n;
	double best_us; /* the least that was predicted; 0: none */
} Counted;

typedef struct Counts {
	Arena *a;
	VEC(Counted) list;
} Counts;

static bool take_counted(void *arg, sqlite3_stmt *row)
{
	Counts *x = arg;
	Counted c = {.variant = ledger_text(x->a, row, 0),
		     .region = sqlite3_column_int64(row, 1),
		     .state = ledger_text(x->a, row, 2),
		     .reason = ledger_text(x->a, row, 3),
		     .n = sqlite3_column_int64(row, 4),
		     .best_us = sqlite3_column_double(row, 5)};

	VEC_PUSH(x->a, x->list, c);
	return true;
}

const char *query_region(const LedgerQuery *q)
{
	return q->region && strcmp(q->region, "all") == 0 ? "-1" : q->region;
}

static bool find_cands(Report *r, const SearchRow *s, bool counted, Cands *out)
{
	const LedgerQuery *q = r->q;

	return ledger_sql(r->l, take_cand, out,
			  "SELECT " CAND_COLUMNS " FROM " CAND_TABLES
			  " WHERE " WANTED "AND (?5 OR NOT " COUNTED
			  ") ORDER BY " IN_GROUPS ", " IN_ORDER,
			  "ittti", s->info.id, q->state, query_region(q),
			  q->realisation, (int64_t)counted);
}

static bool find_counts(Report *r, const SearchRow *s, Counts *out)
{
	const LedgerQuery *q = r->q;

	return ledger_sql(
		r->l, take_counted, out,
		"SELECT v.key, c.region, c.state, "
		"coalesce(c.reason, ''), count(*), "
		"min(c.predicted_us) FROM " CAND_TABLES " WHERE " WANTED
		"AND " COUNTED " GROUP BY c.variant, c.region, c.state, "
		"coalesce(c.reason, '') ORDER BY " IN_GROUPS
		", c.state, count(*) DESC, 4",
		"ittt", s->info.id, q->state, query_region(q), q->realisation);
}

static bool take_sample(void *arg, sqlite3_stmt *row)
{
	Report *r = arg;
	double us = sqlite3_column_double(row, 0);
	double other = sqlite3_column_double(row, 1);
	bool first = sqlite3_column_int64(row, 2) != 0;

	if (r->q->json) {
		json_open(&r->j, NULL, '{');
		json_us(&r->j, "us", us);
		json_us(&r->j, "other_us", other);
		json_bool(&r->j, "first", first);
		json_close(&r->j, '}');
	} else {
		buf_printf(r->out, "  %s%s/%s", first ? "" : "*",
			   us_text(r->a, us), us_text(r->a, other));
	}
	return true;
}

static bool put_samples(Report *r, int64_t cand)
{
	return ledger_sql(r->l, take_sample, r,
			  "SELECT us, other_us, first FROM sample "
			  "WHERE candidate = ?1 ORDER BY round",
			  "i", cand);
}

const char *ratio_text(Arena *a, const CandInfo *c)
{
	return c->ratio > 0 ? arena_printf(a, "%.3f [%.3f, %.3f]", c->ratio,
					   c->lo, c->hi)
			    : "-";
}

static void cand_row(Table *t, const CandInfo *c)
{
	Arena *a = t->a;

	table_cell(t, arena_printf(a, "%lld", (long long)c->order));
	table_cell(t, c->region < 0
			      ? "all"
			      : arena_printf(a, "%lld", (long long)c->region));
	table_cell(t, c->chosen);
	table_cell(t, c->state < CAND_STATES ? cand_state_name[c->state] : "?");
	table_cell(t, us_text(a, c->predicted_us));
	table_cell(t, us_text(a, c->measured_us));
	table_cell(t, ratio_text(a, c));
	table_cell(t, short_hash(a, c->plan));
	table_cell(t, c->reason);
}

static bool same_group(const CandInfo *c, const char *variant, int64_t region)
{
	return c->region == region && strcmp(c->variant ? c->variant : "",
					     variant ? variant : "") == 0;
}

/* One candidate's rounds, its time and the incumbent's. */
static bool samples_text(Report *r, const CandInfo *c, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!(c[i].measured_us > 0))
			continue;
		buf_printf(r->out, "  samples of %lld:", (long long)c[i].order);
		if (!put_samples(r, c[i].id))
			return false;
		buf_putc(r->out, '\n');
	}
	return true;
}

static bool group_rows(Report *r, const CandInfo *c, size_t n)
{
	Table t;

	table_init(&t, r->a,
		   ">order|>region|realisation|state|>predicted us|"
		   ">measured us|ratio|plan|reason");
	for (size_t i = 0; i < n; i++)
		cand_row(&t, &c[i]);
	table_print(&t, "  ", r->out);
	return !r->q->samples || samples_text(r, c, n);
}

static void counted_text(Report *r, const Counted *c)
{
	buf_printf(r->out, "  %s %lld", c->state, (long long)c->n);
	if (c->best_us > 0)
		buf_printf(r->out, " (best predicted %s us)",
			   us_text(r->a, c->best_us));
	buf_printf(r->out, ": %s\n",
		   *c->reason ? c->reason : "no reason given");
}

/*
 * Both lists are in the order of groups. A group is where the next of either
 * one is; *left rows may still be shown.
 */
typedef struct Groups {
	const Cands *cands;
	const Counts *counts;
	size_t i, k;
	int64_t left; /* negative: no limit */
	int64_t hidden;
} Groups;

static bool put_group(Report *r, Groups *g, const CandInfo *at)
{
	size_t n = 0, shown;
	const CandInfo *c = g->cands->list.p + g->i;

	while (g->i + n < g->cands->list.n &&
	       same_group(&c[n], at->variant, at->region))
		n++;
	shown = g->left >= 0 && (int64_t)n > g->left ? (size_t)g->left : n;
	g->hidden += (int64_t)(n - shown);
	if (g->left >= 0)
		g->left -= (int64_t)shown;
	buf_printf(r->out, "\n%s\n", cand_place(r->a, at));
	if (shown > 0 && !group_rows(r, c, shown))
		return false;
	g->i += n;
	for (; g->k < g->counts->list.n; g->k++) {
		const Counted *x = &g->counts->list.p[g->k];
		if (!same_group(at, x->variant, x->region))
			break;
		counted_text(r, x);
	}
	return true;
}

/* Groups in SQL's order; those that have counts alone too. */
typedef struct Places {
	Arena *a;
	VEC(CandInfo) list;
} Places;

static bool take_place(void *arg, sqlite3_stmt *row)
{
	Places *p = arg;
	CandInfo c = {.variant = ledger_text(p->a, row, 0),
		      .variant_how = ledger_text(p->a, row, 1),
		      .region = sqlite3_column_int64(row, 2)};

	VEC_PUSH(p->a, p->list, c);
	return true;
}

static bool find_places(Report *r, const SearchRow *s, Places *out)
{
	const LedgerQuery *q = r->q;

	return ledger_sql(r->l, take_place, out,
			  "SELECT v.key, v.how, c.region FROM " CAND_TABLES
			  " WHERE " WANTED "GROUP BY c.variant, c.region "
			  "ORDER BY " IN_GROUPS,
			  "ittt", s->info.id, q->state, query_region(q),
			  q->realisation);
}

static bool cands_text(Report *r, const SearchRow *s)
{
	Cands cands = {.a = r->a};
	Counts counts = {.a = r->a};
	Places places = {.a = r->a};
	Groups g = {.cands = &cands,
		    .counts = &counts,
		    .left = r->q->limit ? r->q->limit : -1};

	if (!find_places(r, s, &places) ||
	    !find_cands(r, s, r->q->state != NULL, &cands) ||
	    (!r->q->state && !find_counts(r, s, &counts)))
		return false;
	for (size_t i = 0; i < places.list.n; i++)
		if (!put_group(r, &g, &places.list.p[i]))
			return false;
	if (g.hidden)
		buf_printf(r->out, "\n%lld more are not shown\n",
			   (long long)g.hidden);
	if (!places.list.n)
		buf_puts(r->out, "\nno such candidates\n");
	return true;
}

void cand_json(Report *r, const CandInfo *c)
{
	Json *j = &r->j;

	json_int(j, "id", c->id);
	json_int(j, "search", c->search);
	json_int(j, "order", c->order);
	json_text(j, "variant", c->variant);
	json_text(j, "variant_how", c->variant_how);
	json_int(j, "region", c->region);
	json_text(j, "chosen", c->chosen);
	json_text(j, "rest", c->rest);
	json_text(j, "state",
		  c->state < CAND_STATES ? cand_state_name[c->state] : NULL);
	json_text(j, "reason", c->reason);
	json_us(j, "predicted_us", c->predicted_us);
	json_us(j, "compute_us", c->compute_us);
	json_us(j, "memory_us", c->memory_us);
	json_us(j, "move_us", c->move_us);
	json_us(j, "start_us", c->start_us);
	json_us(j, "measured_us", c->measured_us);
	json_us(j, "ratio", c->ratio);
	json_us(j, "lo", c->lo);
	json_us(j, "hi", c->hi);
	if (c->against)
		json_int(j, "against", c->against);
	else
		json_text(j, "against", NULL);
	json_text(j, "plan", c->plan);
}

static bool cands_json(Report *r, const SearchRow *s)
{
	Cands cands = {.a = r->a};
	size_t n;

	if (!find_cands(r, s, true, &cands))
		return false;
	n = cands.list.n;
	if (r->q->limit && n > (size_t)r->q->limit)
		n = (size_t)r->q->limit;
	json_open(&r->j, "candidates", '[');
	for (size_t i = 0; i < n; i++) {
		buf_puts(r->out, i ? "" : "\n  ");
		json_open(&r->j, NULL, '{');
		cand_json(r, &cands.list.p[i]);
		if (r->q->samples) {
			json_open(&r->j, "samples", '[');
			if (!put_samples(r, cands.list.p[i].id))
				return false;
			json_close(&r->j, ']');
		}
		json_close(&r->j, '}');
		buf_puts(r->out, i + 1 < n ? "" : "\n");
	}
	json_close(&r->j, ']');
	return true;
}

bool report_cands(Report *r, const SearchRow *s)
{
	return r->q->json ? cands_json(r, s) : cands_text(r, s);
}
