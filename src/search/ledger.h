/*
 * ledger: the record of every candidate considered, in SQLite.
 *
 * One database for all searches of a user, in the cache folder, that several
 * processes write at the same time (WAL). A candidate's row is there before it
 * is tried, and its outcome is one transaction: a search that is killed loses
 * at most what it was doing. A search that died is seen as such by the next
 * one that opens the database.
 */
#ifndef TENON_SEARCH_LEDGER_H
#define TENON_SEARCH_LEDGER_H

#include "base/base.h"
#include "search/trial.h"

/* What became of a candidate. Each has exactly one. */
typedef enum CandState {
	CAND_LEFT,      /* not tried: budget, stop, or a policy passed it by */
	CAND_REFUSED,   /* not legal: reason */
	CAND_FAILED,    /* to compile or load: reason */
	CAND_WRONG,     /* fixture and element that refute it */
	CAND_CRASHED,   /* signal */
	CAND_TIMED_OUT, /* limit */
	CAND_NO_MEMORY,
	CAND_MEASURED, /* slower than the incumbent it met */
	CAND_TIE,      /* within noise of it */
	CAND_CHOSEN,
	CAND_STATES,
} CandState;
extern const char *const cand_state_name[CAND_STATES];

/* What makes two searches the same work: all of it is hashed to the key. */
typedef struct SearchKey {
	const char *program;  /* SHA-256 of stage 1, constants and weights */
	const char *dims;     /* "K=768 M=1024 N=1024" */
	const char *target;   /* cpu:avx512 */
	const char *device;   /* model and driver; evidence for a plan, part of
				 a search's key */
	const char *compiler; /* with flags */
	const char *options;  /* threads, pins, regime, skipped passes */
	const char *version;  /* of Tenon */
} SearchKey;

typedef struct SearchInfo {
	int64_t id;
	char key[SHA256_HEX];
	const char *name; /* of the program */
	SearchKey parts;
	const char *policy; /* beam:4 */
	uint64_t seed;
	double seconds; /* budget; 0: none */
	int64_t candidates;
	int64_t started, ended; /* Unix time; ended 0: not yet, or killed */
	const char *state; /* running, complete, exhausted, stopped, failed,
			      killed */
	const char *plan;  /* identity of the plan chosen; NULL: none */
} SearchInfo;

typedef struct CandInfo {
	int64_t id, search;
	int64_t order;       /* in which it was considered, from 0 */
	const char *variant; /* key of the program and partition */
	const char
		*variant_how; /* rules and joins that make it; "": as written */
	int64_t region;       /* -1: the whole */
	const char *chosen;   /* contract mr=6 ...; or the realisation */
	const char *rest;     /* what the other regions had: a hash */
	CandState state;
	const char *reason; /* rule and reason, fixture and element, signal */
	double predicted_us, compute_us, memory_us, move_us, start_us; /* 0: no
		model */
	double measured_us, ratio, lo, hi; /* 0: not measured */
	int64_t against;   /* candidate that was the incumbent; 0: none */
	const char *plan;  /* identity; NULL: none was made */
	int64_t trial;     /* in which it ran, from 1; 0: none */
	const char *point; /* what that ran: `1:17,203`, number of the variant
			      and for each region the order of its candidate */
} CandInfo;

/* Where a region of a variant has its candidates: those of an equal region
 * stand in the ledger once. */
typedef struct SpaceInfo {
	int64_t number; /* of the variant in the search; 0: the rule's */
	const char *variant, *variant_how;
	int64_t region;   /* -1: it has none */
	int64_t first, n; /* by order */
} SpaceInfo;

/* A candidate's plan met the rule's choice itself. */
typedef struct FinalInfo {
	int64_t search, candidate;
	int64_t against;     /* the row of the rule's choice */
	const char *outcome; /* faster, tie, slower, failed */
	const char *reason;  /* why it failed */
} FinalInfo;

typedef struct Ledger Ledger;

/*
 * Opens or makes the database; NULL: reported (not a database, truncated, of a
 * newer version, no room). path NULL: ledger.sqlite in the cache folder. It
 * lives in the context, and is closed with it at the latest.
 *
 * A forked child has no use of it: calls there are bugs, and closing it does
 * nothing. One thread at a time. All errors are reported to the context.
 */
Ledger *ledger_open(Ctx *ctx, const char *path);
void ledger_close(Ledger *l);
/* How long a call waits for another process's transaction; tests wait less. */
extern int ledger_wait_ms;

/* SHA-256 over the parts; NULL is as "". */
void search_key(const SearchKey *k, char out[SHA256_HEX]);
/*
 * The latest search that ended complete or exhausted with a plan, and has the
 * parts, policy, seed and budgets of `want`; false: none. Texts are in the
 * arena. out may be want.
 */
bool ledger_find(Ledger *l, Arena *a, const SearchInfo *want, SearchInfo *out);
/* Begins a search: fills id, key, started, ended and state. */
bool ledger_begin(Ledger *l, SearchInfo *s);
/* Its state and plan; to be called on every way out but death. */
bool ledger_end(Ledger *l, const SearchInfo *s);
/* Adds a candidate in whatever state it has; fills id and order. */
bool ledger_add(Ledger *l, CandInfo *c);
/* The same for many, all or none of them: one transaction, which other
 * processes wait for. */
bool ledger_add_all(Ledger *l, CandInfo *c, size_t n);
/*
 * Its outcome, all but what it is (variant, region, chosen, order); with
 * samples where it was measured; rest NULL stays what it was. It may be settled
 * again: a chosen one that is passed becomes measured; samples NULL then keeps
 * those it has.
 */
bool ledger_settle(Ledger *l, const CandInfo *c, const TrialResult *samples);
/* The same for all rows that tell of one trial, in one transaction; one without
 * an id is added first. */
bool ledger_settle_all(Ledger *l, CandInfo *c, size_t n,
		       const TrialResult *samples);
/* Variants of a search and their regions, in one transaction. */
bool ledger_add_space(Ledger *l, int64_t search, const SpaceInfo *x, size_t n);
/* Its samples are those of r, where that was measured. */
bool ledger_add_final(Ledger *l, const FinalInfo *f, const TrialResult *r);
/* Why those of a search were not tried that are left. */
bool ledger_left(Ledger *l, int64_t search, const char *reason);
/*
 * Keeps a plan's JSON under its identity, which must be its own; and finds it.
 * NULL: there is none, or what is there is not that plan, which is warned of.
 */
bool ledger_keep_plan(Ledger *l, const char *identity, const char *json);
const char *ledger_plan(Ledger *l, Arena *a, const char *identity);

/* What the latest search that chose the plan considered, counted by state, and
 * its fastest candidates beside the chosen ones; nothing where there is none.
 */
bool ledger_field(Ledger *l, Arena *a, const char *plan, Buf *out);

/* ---- reading ----------------------------------------------------------- */

typedef struct LedgerQuery {
	int64_t search; /* 0: the latest; with all: every one */
	bool all;
	const char *program; /* name; NULL: any */
	const char *state;   /* of candidates; NULL: any */
	const char *region, *realisation;
	int64_t limit;          /* rows; 0: no limit */
	const char *compare[2]; /* identities of plans, or their beginnings */
	bool refutation;        /* the report of what was faster and wrong */
	bool samples;
	bool json;
} LedgerQuery;
/*
 * Prints what is asked for. False: reported, out may hold a part; a search
 * whose candidates do not add up is printed, and then is an error.
 */
bool ledger_report(Ledger *l, Arena *a, const LedgerQuery *q, Buf *out);

#endif
