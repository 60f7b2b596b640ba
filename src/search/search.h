/*
 * search: a policy chooses a point of a space.
 *
 *	rule      the rule's choice: nothing is measured
 *	model     the point of least predicted cost: nothing is measured
 *	beam:K    from the rule's and the predicted best, steps of one parameter
 *	          or one variant, of which the K fastest are kept
 *	evolve    mutation and crossover of a population, from a seed
 *	all       every candidate of every region of every variant, the others
 *	          of the plan as they are fastest so far
 *
 * A policy proposes points; search.c tries them through the host, keeps the
 * fastest, writes the ledger and ends with what is common to all that measure:
 * the final against the rule's choice, and the held-out fixtures, which the
 * winner passes or makes room for the next. What has the code of a point that
 * ran takes that one's outcome.
 */
#ifndef TENON_SEARCH_SEARCH_H
#define TENON_SEARCH_SEARCH_H

#include "search/ledger.h"
#include "search/space.h"
#include "search/trial.h"

typedef struct Search Search;

/* What the fixtures of a point come to. */
typedef struct HeldOut {
	TrialState state; /* MEASURED: none refutes it */
	char text[TRIAL_TEXT];
	const bool *shown; /* by verdict: it is right there, beyond doubt */
	size_t n;          /* verdicts */
} HeldOut;

/* What makes plans of points and runs them. */
typedef struct SearchHost {
	void *arg;
	/*
	 * Makes plans of n points and tries each against the incumbent (NULL:
	 * none yet; out[i].incumbent as trial_batch() has it, a number of p).
	 * fn is told each as it comes, those first that cannot be made; with
	 * the identity of its plan, or NULL where there is none. One that had
	 * won and does not run any more is told again. False: nothing can be
	 * tried at all, reported.
	 */
	bool (*try)(void *arg, const Point *incumbent, const Point *p, size_t n,
		    TrialResult *out,
		    void (*fn)(void *to, size_t i, const TrialResult *r,
			       const char *plan),
		    void *to, size_t *done);
	/* Judges a point on every fixture; verdicts are the same ones, in the
	 * same order, for all points. */
	void (*held_out)(void *arg, const Point *p, HeldOut *out);
	/* `fixture specials: result y`: what a verdict is of. */
	const char *(*verdict)(void *arg, size_t i);
	/* A text that two points share only if what runs is the same; NULL: it
	 * is not known. NULL function: of none. */
	const char *(*code)(void *arg, const Point *p);
	/* The user wants to end it. */
	bool (*stop)(void);
	void (*progress)(void *arg, const char *line);
	void *progress_arg;
} SearchHost;

typedef struct SearchOptions {
	double seconds;     /* budget; 0: none */
	int64_t candidates; /* tried at most; 0: any number */
	uint64_t seed;
} SearchOptions;

/* A point that was tried. */
typedef struct Tried {
	Point point;
	uint32_t changed;   /* the candidate that its row is of: the one that no
			       point had before; NO_CAND: there is none, or there
			       are several, and the row is of the whole */
	int64_t row, order; /* its row, and that one's order */
	int64_t against;    /* row of what it met; 0: nothing */
	size_t same; /* it did not run: the number in tried of one that did and
			has its code, and 1; 0: it ran */
	CandState state;
	const char *reason;
	const char *plan;
	double score; /* time over that of the rule's choice; 0: it may not
			 win, or did not run itself */
	double us, ratio, lo, hi;
} Tried;

struct Search {
	Ctx *ctx;
	Arena *arena;
	Space *space;
	Ledger *ledger; /* NULL: none is kept */
	SearchInfo info;
	const SearchHost *host;
	SearchOptions o;
	double began;
	uint64_t random;
	VEC(Tried) tried;
	StrMap *seen;  /* by space_key: number in tried */
	StrMap *codes; /* by code, of those that ran: the same */
	size_t best;   /* in tried */
	int64_t begun;
	bool exhausted, stopped, failed;
	bool final;    /* which neither budget nor stop() ends */
	HeldOut *rule; /* of the rule's choice; NULL: not asked for yet */
	/* outcome */
	Point chosen;
	int64_t considered, counts[CAND_STATES];
	double gain, gain_lo, gain_hi; /* of the final: the winner's time over
		the rule's; 0: it is the rule's choice */
};

/* False: reported. The policy's name is checked first. */
bool search_run(Search *s);
bool policy_parse(Ctx *ctx, const char *name, bool *measures);
/* Its one name: `beam:4` of `beam`. */
const char *policy_text(Arena *a, const char *name);

/* ---- for policies ------------------------------------------------------ */

/*
 * Tries those points that were not tried, in their order, and tells where they
 * are in s->tried (SIZE_MAX: not tried). `from`: the point each was made of, so
 * that its row is of the candidate that changed. False: enough, for any reason.
 */
bool search_try(Search *s, const Point *p, size_t n);
/* Number in tried; SIZE_MAX: it was not. */
size_t search_seen(const Search *s, const Point *p);
/* Seconds that trials may still take; INFINITY: any. */
double search_left(const Search *s);
/* Uniform in 0 ... n-1. */
uint64_t search_random(Search *s, uint64_t n);

typedef bool PolicyFn(Search *s, int64_t parameter);
PolicyFn policy_beam, policy_evolve, policy_all;

#endif
