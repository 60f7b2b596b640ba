/*
 * space: all that a program can be computed by, as one set of choices.
 *
 * A variant is a program of stage 2 (the one as written, or an alternative)
 * with a partition into regions; a candidate is a realisation of one of its
 * regions with every parameter. A point takes a variant and a candidate for
 * each of its regions: one plan. The host makes variants, realisations name
 * their candidates.
 */
#ifndef TENON_SEARCH_SPACE_H
#define TENON_SEARCH_SPACE_H

#include "realise/realise.h"
#include "search/ledger.h"

typedef struct Cand {
	uint32_t variant, region; /* where it was met first */
	Chosen chosen; /* no parameters: none of the realisation is legal */
	const char *text;
	const char *refused; /* why it is not legal; NULL: it is */
	Cost cost;           /* us 0: no model */
	int64_t row;         /* in the ledger; 0: none */
	CandState state;     /* of that row */
	size_t by;           /* the point, in tried, that the row tells of */
} Cand;

/*
 * Candidates of a region, in the order of realise_candidates(). Regions that
 * compute the same, in several variants, have the same ones.
 */
typedef struct CandRange {
	uint32_t first, n;
	uint32_t rule;  /* the rule's choice */
	uint32_t model; /* the legal one of least predicted cost; the rule's
			   where there is no model */
	uint32_t legal; /* how many */
} CandRange;

typedef struct Variant {
	const Program *program;  /* stage 2 */
	const char *const *pins; /* texts of the pins that make it */
	size_t npins;
	Pin *fixed; /* of parameters, the user's among them */
	size_t nfixed;
	const Regions *regions;
	const char
		*how; /* "join.h=no", a rule's name; "": as the rule has it */
	char key[SHA256_HEX];
	CandRange *of;           /* by region */
	const char *const *what; /* by region: a hash of what it computes */
	double cost; /* predicted, of the best of every region; 0: no model */
} Variant;

/* What could not be a variant. */
typedef struct VariantRefused {
	const char *how, *reason;
	double us; /* predicted, of its best; 0: no model */
} VariantRefused;

typedef struct Space {
	Arena *arena;
	const Target *target;
	const int64_t *dims;   /* all known */
	VEC(Variant) variants; /* the rule's first */
	VEC(VariantRefused) refused;
	VEC(Cand) cands;
} Space;

/* Adds a variant and its candidates. NULL, or why it is not added: the rule's
 * choice is not legal with what is fixed. */
const char *space_add(Space *s, const Variant *v);

typedef struct Point {
	uint32_t variant;
	const uint32_t *cand; /* by region, numbers in Space.cands */
} Point;

/* The rule's choice, and the one of least predicted cost, of a variant. */
Point space_rule(const Space *s, uint32_t variant);
Point space_model(const Space *s, uint32_t variant);
size_t space_regions(const Space *s, uint32_t variant);
/* The point with another candidate for the region. */
Point space_with(const Space *s, const Point *p, uint32_t region,
		 uint32_t cand);
/* The variant's point that has as much of p as it can: candidates of the same
 * text, and those of least predicted cost. */
Point space_carry(const Space *s, const Point *p, uint32_t variant);
/* Legal candidates that differ from the region's in one parameter; their
 * number. */
size_t space_near(const Space *s, const Point *p, uint32_t region,
		  uint32_t *out, size_t most);
/* A legal candidate of that region with these values; NO_CAND: none is. */
#define NO_CAND UINT32_MAX
uint32_t space_find(const Space *s, uint32_t variant, uint32_t region,
		    const char *text);
double space_cost(const Space *s, const Point *p); /* us; 0: no model */
/* Unique to the point in this space: `1:17,203`. */
const char *space_key(Arena *a, const Space *s, const Point *p);
/* By region: what it is chosen by. */
const Chosen *space_chosen(Arena *a, const Space *s, const Point *p);

#endif
