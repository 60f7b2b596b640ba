/*
 * oracle: what the program's results may be, independent of any plan.
 *
 * Sees base and ir only, and shares no arithmetic with code generation.
 *
 *   fixture    inputs of each family, reproducible from (family, seed)
 *   reference  evaluation in FP64 (double-double for f64), rounded at
 *              every boundary, with the interval that legal orders reach
 *   judge      exact, interval and fixed verdicts on returned bits
 */
#ifndef TENON_ORACLE_H
#define TENON_ORACLE_H

#include "ir/unit.h"

typedef enum Family {
	FAM_EXACT,
	FAM_SEARCH,
	FAM_RANDOM, /* held out: never seen by a search */
	FAM_NARROW, /* few nonzero terms, rows of power-of-two norm: made so
		that interval verdicts are conclusive */
	FAM_ZEROS,
	FAM_STRUCTURED,
	FAM_CANCELLATION,
	FAM_SPECIALS,
	FAM_SENTINEL_BOUNDARY, /* one nonzero product a row; a skipped
		rounding shows as a nonzero where 0 is right */
	FAM_SENTINEL_JOIN,     /* products that nearly cancel */
	FAM_COUNT,
} Family;
extern const char *const family_name[FAM_COUNT];

/* What a program reads: inputs in argument order, then WEIGHT values in
 * value order. All contiguous. */
typedef struct Feeds {
	Tensor *inputs;
	size_t ninputs;
	Tensor *weights;
	size_t nweights;
} Feeds;

typedef struct Fixture {
	Family family;
	uint64_t seed;
	Feeds feeds;             /* weights are borrowed from the caller */
	char sha256[SHA256_HEX]; /* over dtype, shape and bytes of inputs */
	bool applies; /* false: the family has no meaning for this program */
	const char *why_not;
} Fixture;

/* Makes a fixture. Inputs' memory is big_alloc'd; fixture_release frees. */
bool fixture_make(Ctx *ctx, const Program *p, const Binding *b, Family f,
		  uint64_t seed, const Feeds *weights, Fixture *out);
void fixture_release(Fixture *f);

typedef enum Outcome {
	OUT_PASS,
	OUT_FAIL,
	OUT_INCONCLUSIVE,
	OUT_NONE, /* the verdict does not apply to this result or family */
} Outcome;

typedef struct ResultVerdict {
	const char *name;
	int64_t elements; /* judged; fewer than all above 2^32 multiply-adds */
	/* exact: applies when every element has one legal bit pattern */
	Outcome exact;
	int64_t points;     /* elements whose interval is a single value */
	int64_t mismatches; /* points whose bits differ */
	/* interval */
	Outcome interval;
	int64_t violations, undecided;
	double median_width; /* in ulp of the result */
	/* fixed: counted and shown, never decides */
	Outcome fixed;
	double rtol, atol;
	int64_t misses;
	/* the first violating element, else the element furthest from ref */
	int64_t worst;
	double got, ref, lo, hi;
} ResultVerdict;

typedef struct Verdict {
	ResultVerdict *results; /* one a result, in order */
	size_t nresults;
	bool fault; /* the program faults on these inputs: no results */
	ValueId fault_value;
	int64_t fault_index; /* flat element of that value */
	Outcome outcome;     /* all results together: FAIL if any verdict fails,
		    PASS if all pass, else INCONCLUSIVE */
} Verdict;

typedef struct OracleOptions {
	/* recorded for each contraction, by ValueId; NULL: all ACC_IEEE */
	const AccKind *acc;
	const char *cache; /* folder for references; NULL: none kept */
	bool sample;       /* false: judge every element whatever it costs */
} OracleOptions;

/*
 * Judges returned[i] (contiguous, dtype and shape of result i) for the
 * program (stage 1) under a binding. Memory of the verdict is from a. False
 * only for errors (memory, bad binding), never for a failed verdict.
 */
bool oracle_judge(Ctx *ctx, Arena *a, const Program *p, const Binding *b,
		  const Feeds *feeds, const Tensor *returned,
		  const OracleOptions *o, Verdict *out);

/*
 * The reference itself: value of each result, rounded at every boundary,
 * sums correctly rounded. For `import`, tests and cross-checks. out[i].data
 * is big_alloc'd.
 */
bool oracle_reference(Ctx *ctx, const Program *p, const Binding *b,
		      const Feeds *feeds, Tensor *out);

#endif
