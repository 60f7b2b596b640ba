/*
 * tryout: what the two sides of a trial share.
 *
 *   tryout.c   the search's process: tensors, plans, batches
 *   runner.c   its child: one plan that is run, judged and timed
 */
#ifndef TENON_DRIVER_TRYOUT_H
#define TENON_DRIVER_TRYOUT_H

#include "driver/tune.h"

/* Bytes that tensors and intermediates are aligned to. */
#define TRYOUT_ALIGN 64

typedef struct Tryout {
	TenonTensor *in; /* of each set in turn */
	TenonTensor *out;
	Guarded **guards;
	size_t nin, nout, nguards, sets;
	VEC(TenonPlan *) kept; /* incumbents, to be opened again */
	VEC(const char *) keys;
	VEC(TenonPlan *) made; /* for their code, and to be tried next */
	VEC(const char *) made_keys;
	bool *shown; /* by family and result: shown right, said by a child */
} Tryout;

/* One plan in a child. */
typedef struct Runner {
	Tune *t;
	TenonPlan *plan;
	TenonCall **calls;
	TenonTensor *there; /* in the memory of a GPU; data NULL: none */
	size_t next;
	bool all;         /* every family, rather than the search's */
	TenonCall *apart; /* its intermediates lie in `slots` */
	CallMemory memory;
	VEC(Guarded *) slots;
	char **judged; /* the bits of each result; NULL: not judged yet */
} Runner;

/* By family and result. */
size_t tryout_verdicts(const Tryout *y);
/* The functions of a path (search/trial.h); state is a Runner. */
TrialPath runner_path(Runner *r, bool checks);
/* What was only to be checked. */
TrialState runner_nothing(void *state, char text[TRIAL_TEXT]);

#endif
