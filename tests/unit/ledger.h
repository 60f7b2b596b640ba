/*
 * ledger.h: a ledger with rows of a test's own.
 */
#ifndef TENON_TEST_LEDGER_H
#define TENON_TEST_LEDGER_H

#include "search/ledger.h"

#include <sqlite3.h>

#include "tests/unit/folder.h"
#include "tests/unit/test.h"

TEST_ONLY static SearchInfo search_of(const char *name)
{
	return (SearchInfo){.name = name,
			    .parts = {.program = "c0ffee",
				      .dims = "K=768 M=1024 N=1024",
				      .target = "cpu:avx512",
				      .device = "a CPU",
				      .compiler = "cc 12.2.0 -O3",
				      .options = "threads 2",
				      .version = "0.1.0"},
			    .policy = "beam:4",
			    .seed = 7,
			    .seconds = 60};
}

TEST_ONLY static CandInfo cand_of(const SearchInfo *s, const char *chosen,
				  CandState state)
{
	return (CandInfo){.search = s->id,
			  .variant = "11112222333344445555",
			  .variant_how = "",
			  .chosen = chosen,
			  .rest = "0123",
			  .state = state};
}

/* A full set of rounds around us, against an incumbent of other_us. */
TEST_ONLY static TrialResult trial_of(double us, double other_us)
{
	TrialResult t = {.state = TRIAL_MEASURED,
			 .rounds = TRIAL_ROUNDS,
			 .calls = 4,
			 .median_us = us,
			 .check_ms = 1.5,
			 .time_ms = 20};

	for (int i = 0; i < TRIAL_ROUNDS; i++) {
		t.us[i] = us + i;
		t.other_us[i] = other_us - i;
		t.first[i] = i % 2 == 0;
	}
	return t;
}

/* A database of its own, opened; NULL is a failure that is printed. */
TEST_ONLY static Ledger *ledger_at(Ctx *ctx, const char *path)
{
	Ledger *l = ledger_open(ctx, path);

	if (!CHECK(l != NULL))
		printf("%s", buf_str(&ctx->messages));
	return l;
}

/* One number that SQL gives, by a connection of its own; -1: an error. */
TEST_ONLY static int64_t ask(const char *path, const char *sql)
{
	sqlite3 *db;
	sqlite3_stmt *s = NULL;
	int64_t n = -1;

	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) ==
		    SQLITE_OK &&
	    sqlite3_busy_timeout(db, 5000) == SQLITE_OK &&
	    sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK &&
	    sqlite3_step(s) == SQLITE_ROW)
		n = sqlite3_column_int64(s, 0);
	else
		printf("%s: %s\n", sql, sqlite3_errmsg(db));
	sqlite3_finalize(s);
	sqlite3_close(db);
	return n;
}

/* Runs statements by a connection of its own. */
TEST_ONLY static bool tell(const char *path, const char *sql)
{
	sqlite3 *db;
	char *why = NULL;
	bool ok = sqlite3_open(path, &db) == SQLITE_OK &&
		  sqlite3_exec(db, sql, NULL, NULL, &why) == SQLITE_OK;

	if (!CHECK(ok))
		printf("%s: %s\n", sql, why ? why : "");
	sqlite3_free(why);
	sqlite3_close(db);
	return ok;
}

#endif
