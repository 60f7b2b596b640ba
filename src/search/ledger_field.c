/*
 * ledger_field: what the search behind a plan measured, for `tenon explain`.
 */
#include "search/ledger_own.h"

#include <string.h>

#define BEST 3

typedef struct Field {
	Arena *a;
	Buf *b;
	SearchInfo search;
	bool found;
	size_t n;
} Field;

static bool take_search(void *arg, sqlite3_stmt *row)
{
	Field *f = arg;

	ledger_read_search(f->a, row, &f->search);
	f->found = true;
	return true;
}

/* `refused 5, measured 3` */
static bool put_count(void *arg, sqlite3_stmt *row)
{
	Field *f = arg;

	buf_printf(f->b, "%s%s %lld", f->n++ ? ", " : ": ",
		   ledger_text(f->a, row, 0),
		   (long long)sqlite3_column_int64(row, 1));
	return true;
}

static bool put_best(void *arg, sqlite3_stmt *row)
{
	Field *f = arg;
	CandInfo c;

	ledger_read_cand(f->a, row, &c);
	buf_printf(f->b, "       %s %s us, predicted %s us, %s: %s\n",
		   c.state == CAND_CHOSEN ? "chosen: measured" : "measured",
		   us_text(f->a, c.measured_us), us_text(f->a, c.predicted_us),
		   c.ratio > 0
			   ? arena_printf(f->a,
					  "%.3f [%.3f, %.3f] of what it met",
					  c.ratio, c.lo, c.hi)
			   : "alone",
		   c.chosen);
	return true;
}

bool ledger_field(Ledger *l, Arena *a, const char *plan, Buf *out)
{
	Field f = {.a = a, .b = out};

	if (!ledger_sql(l, take_search, &f,
			"SELECT " SEARCH_COLUMNS " FROM search WHERE plan = ?1 "
			"ORDER BY id DESC LIMIT 1",
			"t", plan))
		return false;
	if (!f.found)
		return true;
	buf_printf(out, "   search %lld of the ledger chose this plan, by %s",
		   (long long)f.search.id, f.search.policy);
	if (!ledger_sql(l, put_count, &f,
			"SELECT state, count(*) FROM candidate "
			"WHERE search = ?1 GROUP BY state ORDER BY 2 DESC",
			"i", f.search.id))
		return false;
	buf_putc(out, '\n');
	return ledger_sql(l, put_best, &f,
			  "SELECT " CAND_COLUMNS " FROM " CAND_TABLES
			  " WHERE c.search = ?1 AND c.measured_us IS NOT NULL "
			  "AND c.state IN ('chosen', 'tie', 'measured') "
			  "AND c.reason IS NULL " /* of another's code */
			  "AND (c.region < 0 OR coalesce(c.rest, '') = '') "
			  "ORDER BY c.state = 'chosen' DESC, c.measured_us "
			  "LIMIT ?2",
			  "ii", f.search.id, (int64_t)BEST);
}
