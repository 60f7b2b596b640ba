/*
 * rewrite: stage 1 to stage 2, equal programs by exact rules.
 *
 * Each pass takes a program and rebuilds it; each rule is a named row with
 * the witness that makes it exact, and counts its hits. No rule removes,
 * adds or moves a boundary, but those under a relaxation that the value's
 * def asks for.
 */
#ifndef TENON_REWRITE_H
#define TENON_REWRITE_H

#include "ir/program.h"

typedef struct RewriteRule {
	const char *name;    /* cse */
	const char *witness; /* why both sides have the same bits */
	uint32_t relax;      /* Relax bit it needs, or 0 */
	long hits;           /* of this thread's passes so far */
} RewriteRule;

/* The rules, for explain, docs and the test that each is hit by a golden. */
size_t rewrite_rules(const RewriteRule **rows);

/* What fired, for explain: the rule and the value it made or removed. */
typedef struct RewriteHit {
	const char *rule;
	const char *what; /* one line: "%7 = %4: same op and operands" */
	Loc loc;
} RewriteHit;

typedef struct RewriteLog {
	VEC(RewriteHit) hits;
} RewriteLog;

/*
 * Passes. Requires a verified program; ensures a verified one with the same
 * inputs (numbers and order, even if unused), results and dims. The new
 * program is in arena a; log may be NULL. NULL with an error reported only
 * where a chain of views has a map beyond the limits of an expression.
 */
typedef Program *RewritePass(Ctx *ctx, Arena *a, const Program *p,
			     RewriteLog *log);
RewritePass rewrite_constants;   /* folds what is known and bit-certain */
RewritePass rewrite_cse;         /* one value for equal op, args, attributes */
RewritePass rewrite_views;       /* chains of views become one VIEW, or none */
RewritePass rewrite_relaxations; /* contraction, reassociate where asked */
RewritePass rewrite_dead;        /* values no result needs */

#endif
