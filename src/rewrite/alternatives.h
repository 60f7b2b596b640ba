/*
 * alternatives: programs equal to one of stage 2, from an e-graph.
 *
 * Values are hash-consed into classes of equal bit patterns; named rules merge
 * classes where both sides are equal by an exact argument, which each states
 * as its witness. None removes, adds or moves a boundary: the order of a sum is
 * a choice inside one value's kernel and no rule. Saturation ends when nothing
 * is new, or at a stated budget. Extraction returns the k cheapest programs
 * that differ in substance: in values, their shapes or layouts, never in names.
 */
#ifndef TENON_REWRITE_ALTERNATIVES_H
#define TENON_REWRITE_ALTERNATIVES_H

#include "rewrite/rewrite.h"

typedef struct AlternativeOptions {
	size_t most;         /* programs, with the one as written */
	size_t nodes;        /* budget of the graph; 0: a default */
	size_t rounds;       /* of all rules; 0: a default */
	int64_t max_bytes;   /* cap on an intermediate value; 0: 4 times the
				largest value of the program */
	const int64_t *dims; /* sizes to weigh by; every one is known */
	const char *without; /* rules left out, comma-separated, or all; NULL */
} AlternativeOptions;

typedef struct Alternative {
	const Program *program; /* stage 2; `now` leads from stage 1 */
	const char *rules;      /* that it needs beyond the program as written,
				   comma-separated; "": it is that program */
	char key[SHA256_HEX]; /* of the program's text without names, places */
	double work;          /* arithmetic operations */
	double bytes; /* of values stored and read, as the weights have it */
} Alternative;

/* A rule that fired: where, and what it merged. */
typedef struct AlternativeHit {
	const char *rule;
	const char *what; /* "%7 = matmul(%1, %2) is transpose(matmul(...))" */
	Loc loc;
} AlternativeHit;

typedef struct Alternatives {
	VEC(Alternative) list; /* the program as written first */
	VEC(AlternativeHit) hits;
	VEC(const char *) pruned; /* what the cap removed, a line each */
	size_t classes, nodes, rounds;
	bool saturated; /* false: the budget ended it */
	struct Egraph *graph;
} Alternatives;

/* Whether each is a rule's name, or `all`; false: an error, reported. */
bool rewrite_rules_known(Ctx *ctx, Arena *a, const char *list);
/* p: stage 2, verified, after its passes. False: an error, reported. */
bool rewrite_alternatives(Ctx *ctx, Arena *a, const Program *p,
			  const AlternativeOptions *o, Alternatives *out);
/* The rules, as rewrite_rules() has those of the passes. */
size_t alternative_rules(const RewriteRule **rows);
/* The saturated graph, which rule fired where, and what was extracted. */
void alternatives_print(const Alternatives *x, Buf *b);

#endif
