/*
 * trial: a candidate is run, checked and timed in a process of its own.
 *
 * What: a batch of candidates runs in one forked child, one after the other;
 * each is first checked, then timed in interleaved pairs with the incumbent,
 * the best that the child has seen. The parent learns each outcome by a pipe.
 * Why: code that crashes, hangs, or writes where it must not, takes the child
 * along and not the search; the next child goes on behind it.
 *
 * This file knows nothing of plans: a path is functions and a state.
 */
#ifndef TENON_SEARCH_TRIAL_H
#define TENON_SEARCH_TRIAL_H

#include "base/base.h"

#define TRIAL_ROUNDS 15
#define TRIAL_TEXT   400

typedef enum TrialState {
	TRIAL_MEASURED,
	TRIAL_WRONG,   /* text: fixture, element, got and allowed */
	TRIAL_CRASHED, /* text: signal, and what it touched; a device's fault */
	TRIAL_TIMED_OUT, /* text: where it was, and the limit */
	TRIAL_NO_MEMORY,
	TRIAL_FAILED, /* it could not be run: compiler, library, device */
	TRIAL_STATES,
} TrialState;

typedef enum TrialVerdict {
	TRIAL_FASTER, /* than the incumbent, beyond noise */
	TRIAL_TIE,
	TRIAL_SLOWER,
} TrialVerdict;

typedef struct TrialResult {
	TrialState state;
	char text[TRIAL_TEXT];
	/* MEASURED, and WRONG where it ran on: paired rounds, us a call of the
	 * candidate and of the incumbent, and who began. The first candidate of
	 * all has no incumbent: other_us is 0, the verdict FASTER. */
	int rounds, calls; /* calls: of a block */
	double us[TRIAL_ROUNDS], other_us[TRIAL_ROUNDS];
	bool first[TRIAL_ROUNDS];
	double median_us;
	/* of same-round ratios, its time / the incumbent's: median and the
	 * bounds that decided */
	double ratio, lo, hi;
	TrialVerdict verdict;
	int incumbent; /* number in the batch; -1: the one that was given */
	double check_ms, time_ms;
} TrialResult;

/*
 * In the child alone, but for `open` of what is checked elsewhere. Each
 * returns a state; anything but MEASURED ends the candidate, with text, and
 * CRASHED the child: what the process has of a device is lost. The
 * child has the parent's memory, but of its files and devices only stderr,
 * and no threads but its own (a pool's are started anew): what else a path
 * needs, `open` makes. A candidate may be opened in several children.
 */
typedef struct TrialPath {
	void *state;
	/* Loads what there is to load, and binds the tensors. */
	TrialState (*open)(void *state, char text[TRIAL_TEXT]);
	/* Whether what it computes is right; NULL: known to be. Once before
	 * timing, and for a winner once more after it. */
	TrialState (*check)(void *state, char text[TRIAL_TEXT]);
	/* One call, waited for. */
	TrialState (*run)(void *state, char text[TRIAL_TEXT]);
	/* NULL: nothing to do. Not called for what is open when the child
	 * ends. */
	void (*close)(void *state);
	/* n calls by a clock of the path's own, seconds a call; NULL: run is
	 * timed. */
	TrialState (*timed)(void *state, int n, double *seconds,
			    char text[TRIAL_TEXT]);
} TrialPath;

typedef struct TrialOptions {
	/* Seconds, open's for close too; run's of one call. INFINITY: any. */
	double open_limit, check_limit, run_limit;
	/* At most TRIAL_ROUNDS; below five nothing but hopeless is decided. */
	int rounds;
	double hopeless; /* after three rounds slower than this: no more */
	/* seconds that remain for the whole batch (INFINITY: any); candidates
	 * not begun by then are left: trial_batch says how many are done */
	double seconds;
	bool (*stop)(void); /* Ctrl-C; NULL: none */
	/* bytes that a child may take beside what it begins with; 0: any */
	double memory;
} TrialOptions;

/*
 * Tries n candidates in turn. incumbent NULL: there is none yet. Fills out[i]
 * for i < *done; fn, where not NULL, is told each as it comes, so that nothing
 * is lost when the search is killed. False: no child can be made; reported.
 *
 * A winner that does not run when the next child opens it is told once more,
 * with the state that it then has; what it had beaten takes its place. Where
 * that was the given incumbent, there is a warning and none any more. No other
 * thread may be inside dlopen meanwhile, whose lock a child would inherit.
 */
bool trial_batch(Ctx *ctx, const TrialPath *incumbent, const TrialPath *c,
		 size_t n, const TrialOptions *o, TrialResult *out,
		 void (*fn)(void *arg, size_t i, const TrialResult *r),
		 void *arg, size_t *done);

/* ---- memory that shows who touches it --------------------------------- */

/*
 * Memory with pages before and behind that nobody may touch; the end is flush
 * with the page behind it but for what alignment (a power of two, at most a
 * page) takes, which is filled with a pattern. Children that are forked later
 * see what is there, and keep what they write to themselves. NULL: refused.
 */
typedef struct Guarded Guarded;
Guarded *guarded_new(size_t bytes, size_t alignment);
void *guarded_data(const Guarded *g);
/* Zeros again, in pages that this process shares with none. False: memory. */
bool guarded_renew(Guarded *g);
/* From now on a write is a fault, in this process. */
void guarded_seal(Guarded *g);
/* Whether the pattern around the bytes is not whole, and where: `wrote 4 bytes
 * behind result y`. */
bool guarded_broken(const Guarded *g, char text[TRIAL_TEXT]);
void guarded_free(Guarded *g);
/*
 * A name for faults: "result y" or "input x". A fault at an address of a
 * guarded area is told as `wrote 4 bytes behind result y`, `wrote to input x`.
 */
void guarded_name(Guarded *g, const char *name);

#endif
