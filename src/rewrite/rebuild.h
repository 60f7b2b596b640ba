/*
 * rebuild: what the passes of rewrite share, and nobody else sees.
 *
 * A pass walks the old program in topological order and makes a new one: a
 * value is kept with its operands mapped, or a rule replaces it. Ids of the
 * old program and of the new one never mix: `old` in a name means an id of
 * the old one.
 */
#ifndef TENON_REWRITE_REBUILD_H
#define TENON_REWRITE_REBUILD_H

#include "rewrite/rewrite.h"

typedef struct Rebuild {
	Ctx *ctx;
	Program *q; /* the new program; shares the old expressions' ids */
	const Program *old;
	const Value *olds; /* the old values; args are old ids */
	size_t nolds;
	ValueId *map; /* by old id; NO_VALUE: not made yet, or dropped */
	Uses uses;    /* of the old program */
	RewriteLog *log;
	const char *note; /* set by a rule that hit: what it gave up, or NULL */
} Rebuild;

/*
 * One rule. v is the value to be made next: old value `old` with its args
 * mapped. Returns the id that stands for it, or NO_VALUE when the rule has
 * nothing to say; then nothing was changed. NULL in the rows of a pass that
 * walks the program itself.
 */
typedef struct Rule {
	const char *name;
	ValueId (*apply)(Rebuild *r, ValueId old, const Value *v);
	const char *witness;
	uint32_t relax;
} Rule;

typedef struct RuleSet {
	const Rule *rules;
	size_t n;
} RuleSet;
extern const RuleSet constants_rules, cse_rules, views_rules, relaxations_rules,
	dead_rules;

void rebuild_begin(Rebuild *r, Ctx *ctx, Arena *a, const Program *p,
		   RewriteLog *log);
/* The old value as it goes into the new program; args in the arena. */
Value rebuild_value(const Rebuild *r, ValueId old);
/*
 * Walks every value with the rules of a set, in the order of the set, the
 * first that applies wins; a value without one is kept.
 */
void rebuild_all(Rebuild *r, const RuleSet *set);
/* Inputs, results and donations mapped; the new program. */
Program *rebuild_end(Rebuild *r);

/*
 * Counts a hit on old value `old` and logs it: it became `made`, which takes
 * over the author's name if it has none, or, with NO_VALUE, nothing.
 */
void rule_hit(Rebuild *r, const Rule *rule, ValueId old, ValueId made);

/* ---- constants (fold.c) ---------------------------------------------- */

#define FOLD_MAX_ELEMENTS 4096

/* Every value of a has the same meaning in b: a cast to b is exact. */
bool dtype_holds(DType b, DType a);
/* The number of elements, if it is a constant and at most that. */
bool fold_count(Rebuild *r, const Value *v, size_t *n);
/*
 * The elements, row-major, of a value that is a constant or a view of one
 * and has a constant shape of at most FOLD_MAX_ELEMENTS; else NULL. Memory
 * is the new program's arena.
 */
const void *fold_data(Rebuild *r, ValueId v, size_t *elements);
/* The one element that v repeats: of a constant with one element, through
 * any views; NULL when there is none. */
const void *fold_splat(Rebuild *r, ValueId v);
/* Whether that element equals the number x, bit for bit (-0 is not 0). */
bool fold_is(DType d, const void *element, double x);
/*
 * Evaluates the ELEM value v on n elements: args[i] to arrays of dtype
 * from[i]. False when the result's bits are not certain (elementary
 * functions), or the op may fault.
 */
bool fold_elem(const Value *v, size_t n, const void *const *args,
	       const DType *from, void *out);
/* PAD and CONCAT of constants; false when not foldable. */
bool fold_move(Rebuild *r, const Value *v, size_t n, void *out);

#endif
