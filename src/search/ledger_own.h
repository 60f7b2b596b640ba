/*
 * ledger_own: what the files of the ledger share.
 *
 *   ledger.c          the database: schema, versions, statements, errors
 *   ledger_process.c  whether the process of a search is gone
 *   ledger_rows.c     searches, candidates and plans, written and found
 *   ledger_table.c    aligned columns, JSON
 *   ledger_report.c   searches
 *   ledger_cands.c    the candidates of one
 *   ledger_refuted.c  the refutation report
 *   ledger_compare.c  two plans
 *   ledger_field.c    what the search behind a plan measured
 */
#ifndef TENON_SEARCH_LEDGER_OWN_H
#define TENON_SEARCH_LEDGER_OWN_H

#include "search/ledger.h"

#include <sqlite3.h>
#include <sys/types.h>

/* Statements that are kept prepared: those of the loop of a search. */
#define LEDGER_KEPT 24

struct Ledger {
	Ctx *ctx;
	const char *path;
	sqlite3 *db;
	pid_t owner; /* a child that was forked is not */
	struct {
		const char *sql; /* by address: a literal */
		sqlite3_stmt *statement;
	} kept[LEDGER_KEPT];
	size_t nkept;
};

/* ---- ledger.c ---------------------------------------------------------- */

/* Receives a row; false ends the walk, and ledger_sql returns false. */
typedef bool LedgerRow(void *arg, sqlite3_stmt *row);
/*
 * Runs one statement, a literal. By types, what follows is bound to ?1, ?2 ...:
 * i int64_t, d double, t text, where NULL stays NULL; I and D are NULL where
 * they are 0. fn NULL: rows are not looked at. fn may run out of memory.
 */
bool ledger_sql(Ledger *l, LedgerRow *fn, void *arg, const char *sql,
		const char *types, ...);
bool ledger_begin_write(Ledger *l); /* waits for other processes */
bool ledger_begin_read(Ledger *l);  /* all that follows sees one state */
/* ok: commits. Else, or where that fails, takes all back; false. */
bool ledger_finish(Ledger *l, bool ok);
/* A column's text in the arena; NULL stays NULL. */
const char *ledger_text(Arena *a, sqlite3_stmt *row, int column);

/* ---- ledger_process.c -------------------------------------------------- */

/* This process, as it is stored with a search. */
#define PROCESS_TEXT 160
void process_text(char out[PROCESS_TEXT]);
bool process_is_gone(const char *stored); /* false where it cannot be told */

/* ---- ledger_rows.c ----------------------------------------------------- */

/* Columns of a search in the order of ledger_read_search. */
#define SEARCH_COLUMNS                                                         \
	"id, key, name, program, dims, target, device, compiler, options, "    \
	"version, policy, seed, seconds, candidates, started, ended, state, "  \
	"plan, considered"
void ledger_read_search(Arena *a, sqlite3_stmt *row, SearchInfo *out);

/* Candidates with their variants, and columns of ledger_read_cand. */
#define CAND_COLUMNS                                                           \
	"c.id, c.search, c.ord, v.key, v.how, c.region, c.chosen, c.rest, "    \
	"c.state, c.reason, c.predicted_us, c.compute_us, c.memory_us, "       \
	"c.move_us, c.start_us, c.measured_us, c.ratio, c.lo, c.hi, "          \
	"c.against, c.plan, c.trial"
#define CAND_TABLES "candidate c JOIN variant v ON v.id = c.variant"
void ledger_read_cand(Arena *a, sqlite3_stmt *row, CandInfo *out);

/* The kept text of a plan, checked; why it is none, in words, else NULL. */
const char *ledger_plan_text(Ledger *l, Arena *a, const char *identity,
			     const char **why);

/* ---- ledger_table.c ---------------------------------------------------- */

#define TABLE_COLUMNS 12
typedef struct Table {
	Arena *a;
	size_t ncols;
	bool right[TABLE_COLUMNS]; /* aligned to the right */
	VEC(const char *) cells;
} Table;

/* Titles, separated by |; one that begins with > is aligned to the right. */
void table_init(Table *t, Arena *a, const char *titles);
void table_cell(Table *t, const char *text); /* NULL: empty */
/* Each line behind the indent; a trailing empty cell leaves no blanks. */
void table_print(const Table *t, const char *indent, Buf *out);

/* Times for people: four digits; "-" where there is none. */
const char *us_text(Arena *a, double us);

/* JSON, written as it goes: a key of NULL is an item of an array. */
typedef struct Json {
	Buf *b;
	bool first;
} Json;

void json_open(Json *j, const char *key, char bracket);
void json_close(Json *j, char bracket);
void json_text(Json *j, const char *key, const char *value); /* or null */
void json_int(Json *j, const char *key, int64_t value);
void json_bool(Json *j, const char *key, bool value);
/* null where it is 0 or not a number. */
void json_us(Json *j, const char *key, double value);

/* ---- reports ----------------------------------------------------------- */

typedef struct Report {
	Ledger *l;
	Arena *a;
	const LedgerQuery *q;
	Buf *out;
	Json j; /* where q->json */
} Report;

typedef struct SearchRow {
	SearchInfo info;
	int64_t considered;         /* as the search counted them */
	int64_t count[CAND_STATES]; /* as they are */
} SearchRow;

const char *short_hash(Arena *a, const char *hash); /* 12 digits; "-" */
/* contract mr=6 ..., and where in the program it is. */
const char *cand_place(Arena *a, const CandInfo *c);
const char *ratio_text(Arena *a, const CandInfo *c); /* 0.9 [0.8, 1.0] */
void search_title(const Report *r, const SearchRow *s);
void search_json(Report *r, const SearchRow *s); /* fields */
void cand_json(Report *r, const CandInfo *c);    /* an item */

/* A number, or NULL for every region; `all` is the whole program. */
const char *query_region(const LedgerQuery *q);
bool report_cands(Report *r, const SearchRow *s);
bool report_refuted(Report *r, const SearchRow *s);
bool report_compare(Report *r);

#endif
