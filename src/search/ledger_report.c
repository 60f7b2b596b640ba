/*
 * ledger_report: searches, listed and one by one.
 *
 * All of a report is read in one transaction, so that counts hold against each
 * other while other processes write.
 */
#include "search/ledger_own.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *short_hash(Arena *a, const char *hash)
{
	return hash && *hash ? arena_strndup(a, hash, strnlen(hash, 12)) : "-";
}

const char *cand_place(Arena *a, const CandInfo *c)
{
	const char *how = c->variant_how && *c->variant_how ? c->variant_how
							    : "as written";
	if (c->region < 0)
		return arena_printf(a, "variant %s (%s), all regions",
				    short_hash(a, c->variant), how);
	return arena_printf(a, "variant %s (%s), region %lld",
			    short_hash(a, c->variant), how,
			    (long long)c->region);
}

/* ---- searches ---------------------------------------------------------- */

typedef struct Searches {
	Arena *a;
	VEC(SearchRow) list;
} Searches;

static bool take_search(void *arg, sqlite3_stmt *row)
{
	Searches *s = arg;
	SearchRow x = {0};

	ledger_read_search(s->a, row, &x.info);
	x.considered = sqlite3_column_int64(row, sqlite3_column_count(row) - 1);
	VEC_PUSH(s->a, s->list, x);
	return true;
}

static bool take_count(void *arg, sqlite3_stmt *row)
{
	SearchRow *s = arg;
	const char *name = (const char *)sqlite3_column_text(row, 0);
	int64_t n = sqlite3_column_int64(row, 1);

	for (int i = 0; name && i < CAND_STATES; i++)
		if (strcmp(name, cand_state_name[i]) == 0)
			s->count[i] = n;
	return true;
}

static bool find_searches(Report *r, Searches *out)
{
	const LedgerQuery *q = r->q;
	int64_t most = q->search || !q->all ? 1 : q->limit ? q->limit : -1;

	if (!ledger_sql(r->l, take_search, out,
			"SELECT " SEARCH_COLUMNS " FROM search "
			"WHERE (?1 = 0 OR id = ?1) "
			"AND (?2 IS NULL OR name = ?2) "
			"ORDER BY id DESC LIMIT ?3",
			"iti", q->search, q->program, most))
		return false;
	for (size_t i = 0; i < out->list.n; i++)
		if (!ledger_sql(r->l, take_count, &out->list.p[i],
				"SELECT state, count(*) FROM candidate "
				"WHERE search = ?1 GROUP BY state",
				"i", out->list.p[i].info.id))
			return false;
	if (out->list.n > 0 || (!q->search && !q->program))
		return true;
	if (q->search)
		return diag_fail(r->l->ctx, ERR_USAGE,
				 "`tenon ledger --all` lists those there are",
				 "the ledger %s has no search %lld%s%s",
				 r->l->path, (long long)q->search,
				 q->program ? " of " : "",
				 q->program ? q->program : "");
	return diag_fail(r->l->ctx, ERR_USAGE,
			 "`tenon ledger --all` lists those there are",
			 "the ledger %s has no search of %s", r->l->path,
			 q->program);
}

static int64_t sum_of(const SearchRow *s)
{
	int64_t sum = 0;

	for (int i = 0; i < CAND_STATES; i++)
		sum += s->count[i];
	return sum;
}

/* considered 812 = refused 500 + measured 312 */
static const char *sum_text(Arena *a, const SearchRow *s)
{
	int64_t sum = sum_of(s);
	Buf b;

	buf_init(&b, a);
	buf_printf(&b, "considered %lld", (long long)s->considered);
	const char *sep = sum == s->considered ? " = " : " is not ";
	for (int i = CAND_STATES - 1; i >= 0; i--)
		if (s->count[i]) {
			buf_printf(&b, "%s%s %lld", sep, cand_state_name[i],
				   (long long)s->count[i]);
			sep = " + ";
		}
	if (!sum)
		buf_printf(&b, "%s0", sep);
	return buf_str(&b);
}

static bool adds_up(Report *r, const SearchRow *s)
{
	int64_t sum = sum_of(s);

	return sum == s->considered ||
	       diag_fail(r->l->ctx, ERR_ENV,
			 "rows were added or removed by other means; search "
			 "anew",
			 "the ledger %s: search %lld has considered %lld "
			 "candidates, and holds %lld",
			 r->l->path, (long long)s->info.id,
			 (long long)s->considered, (long long)sum);
}

static const char *date_text(Arena *a, int64_t when)
{
	time_t t = (time_t)when;
	struct tm tm;
	char text[32];

	if (!when || !gmtime_r(&t, &tm) ||
	    !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &tm))
		return "-";
	return arena_strdup(a, text);
}

static const char *time_text(Arena *a, const SearchInfo *s)
{
	return s->ended ? arena_printf(a, "%lld s",
				       (long long)(s->ended - s->started))
			: "-";
}

static const char *states_text(Arena *a, const SearchRow *s)
{
	Buf b;

	buf_init(&b, a);
	for (int i = CAND_STATES - 1; i >= 0; i--)
		if (s->count[i])
			buf_printf(&b, "%s%s %lld", b.n ? ", " : "",
				   cand_state_name[i], (long long)s->count[i]);
	return buf_str(&b);
}

static void list_text(Report *r, const Searches *s)
{
	Table t;
	Arena *a = r->a;

	if (!s->list.n)
		buf_printf(r->out, "no searches in %s\n", r->l->path);
	if (!s->list.n)
		return;
	table_init(&t, a,
		   ">search|program|dims|target|policy|>seed|state|>considered|"
		   ">time|plan|candidates");
	for (size_t i = 0; i < s->list.n; i++) {
		const SearchRow *x = &s->list.p[i];
		table_cell(&t, arena_printf(a, "%lld", (long long)x->info.id));
		table_cell(&t, x->info.name);
		table_cell(&t, x->info.parts.dims);
		table_cell(&t, x->info.parts.target);
		table_cell(&t, x->info.policy);
		table_cell(&t, arena_printf(a, "%llu",
					    (unsigned long long)x->info.seed));
		table_cell(&t, x->info.state);
		table_cell(&t,
			   arena_printf(a, "%lld", (long long)x->considered));
		table_cell(&t, time_text(a, &x->info));
		table_cell(&t, short_hash(a, x->info.plan));
		table_cell(&t, states_text(a, x));
	}
	table_print(&t, "", r->out);
}

void search_json(Report *r, const SearchRow *s)
{
	const SearchInfo *x = &s->info;
	const SearchKey *k = &x->parts;
	Json *j = &r->j;

	json_int(j, "id", x->id);
	json_text(j, "key", x->key);
	json_text(j, "program", x->name);
	json_text(j, "program_sha256", k->program);
	json_text(j, "dims", k->dims);
	json_text(j, "target", k->target);
	json_text(j, "device", k->device);
	json_text(j, "compiler", k->compiler);
	json_text(j, "options", k->options);
	json_text(j, "version", k->version);
	json_text(j, "policy", x->policy);
	/* 64 bits, more than a number of JSON is sure to keep */
	json_text(j, "seed",
		  arena_printf(r->a, "%llu", (unsigned long long)x->seed));
	json_us(j, "budget_seconds", x->seconds);
	json_int(j, "budget_candidates", x->candidates);
	json_int(j, "started", x->started);
	json_int(j, "ended", x->ended);
	json_text(j, "state", x->state);
	json_text(j, "plan", x->plan);
	json_int(j, "considered", s->considered);
	json_bool(j, "adds_up", sum_of(s) == s->considered);
	json_open(j, "states", '{');
	for (int i = 0; i < CAND_STATES; i++)
		json_int(j, cand_state_name[i], s->count[i]);
	json_close(j, '}');
}

/* ---- one search -------------------------------------------------------- */

void search_title(const Report *r, const SearchRow *s)
{
	const SearchInfo *x = &s->info;

	buf_printf(r->out, "search %lld   %s   %s   %s\n", (long long)x->id,
		   x->name ? x->name : "", x->parts.dims ? x->parts.dims : "",
		   x->parts.target ? x->parts.target : "");
}

static void head_line(Report *r, const char *name, const char *value)
{
	if (value && *value)
		buf_printf(r->out, "%-9s %s\n", name, value);
}

static void head_text(Report *r, const SearchRow *s)
{
	const SearchInfo *x = &s->info;
	const SearchKey *k = &x->parts;
	Buf b;

	search_title(r, s);
	buf_init(&b, r->a);
	buf_printf(&b, "%s, seed %llu", x->policy ? x->policy : "",
		   (unsigned long long)x->seed);
	if (x->seconds > 0)
		buf_printf(&b, ", at most %g s", x->seconds);
	if (x->candidates > 0)
		buf_printf(&b, ", at most %lld candidates",
			   (long long)x->candidates);
	head_line(r, "policy", buf_str(&b));
	head_line(r, "state",
		  arena_printf(r->a, "%s, began %s, took %s", x->state,
			       date_text(r->a, x->started),
			       time_text(r->a, x)));
	head_line(r, "plan", x->plan ? x->plan : "none");
	head_line(r, "program", k->program);
	head_line(r, "device", k->device);
	head_line(r, "compiler", k->compiler);
	head_line(r, "options", k->options);
	head_line(r, "version", k->version);
	head_line(r, "key", x->key);
}

/* ---- the whole --------------------------------------------------------- */

/* A list of searches, unless candidates are asked for. */
static bool wants_list(const LedgerQuery *q)
{
	return q->all && !q->search && !q->state && !q->region &&
	       !q->realisation && !q->samples;
}

static bool put_json(Report *r, const Searches *s)
{
	bool ok = true;
	const char *name = r->q->refutation ? "refutations" : "searches";

	json_open(&r->j, name, '[');
	for (size_t i = 0; ok && i < s->list.n; i++) {
		json_open(&r->j, NULL, '{');
		search_json(r, &s->list.p[i]);
		if (r->q->refutation)
			ok = report_refuted(r, &s->list.p[i]);
		else if (!wants_list(r->q))
			ok = report_cands(r, &s->list.p[i]);
		json_close(&r->j, '}');
	}
	json_close(&r->j, ']');
	return ok;
}

static bool put_text(Report *r, const Searches *s)
{
	if (!s->list.n || (wants_list(r->q) && !r->q->refutation)) {
		list_text(r, s);
		return true;
	}
	for (size_t i = 0; i < s->list.n; i++) {
		const SearchRow *x = &s->list.p[i];
		buf_puts(r->out, i ? "\n" : "");
		if (r->q->refutation) {
			if (!report_refuted(r, x))
				return false;
			continue;
		}
		head_text(r, x);
		if (!report_cands(r, x))
			return false;
		buf_printf(r->out, "\n%s\n", sum_text(r->a, x));
	}
	return true;
}

static bool check_query(Report *r)
{
	const LedgerQuery *q = r->q;
	bool known = !q->state;
	Buf names;
	char *end;

	buf_init(&names, r->a);
	for (int i = 0; i < CAND_STATES; i++) {
		known |= q->state && strcmp(q->state, cand_state_name[i]) == 0;
		buf_printf(&names, "%s%s", i ? ", " : "", cand_state_name[i]);
	}
	if (!known)
		return diag_fail(
			r->l->ctx, ERR_USAGE,
			arena_printf(r->a, "states are %s", buf_str(&names)),
			"candidates have no state `%s`", q->state);
	if (!q->region)
		return true;
	const char *region = query_region(q);
	(void)strtoll(region, &end, 10);
	return (*region && !*end) ||
	       diag_fail(r->l->ctx, ERR_USAGE,
			 "a region is a number, or `all` for the whole program",
			 "there is no region `%s`", q->region);
}

static bool put_searches(Report *r)
{
	Searches s = {.a = r->a};
	bool ok = check_query(r) && find_searches(r, &s) &&
		  (r->q->json ? put_json(r, &s) : put_text(r, &s));

	for (size_t i = 0; ok && i < s.list.n; i++)
		ok = adds_up(r, &s.list.p[i]);
	return ok;
}

bool ledger_report(Ledger *l, Arena *a, const LedgerQuery *q, Buf *out)
{
	Report r = {.l = l, .a = a, .q = q, .out = out, .j = {out, true}};

	if (q->json) {
		json_open(&r.j, NULL, '{');
		json_text(&r.j, "ledger", l->path);
	}
	bool ok = ledger_begin_read(l) &&
		  ledger_finish(l, q->compare[0] ? report_compare(&r)
						 : put_searches(&r));
	if (q->json) {
		json_close(&r.j, '}');
		buf_putc(out, '\n');
	}
	return ok;
}
