/*
 * trial_own: what the files of trial share.
 *
 *   trial.c     the parent: deadlines, the pipe, what a death means
 *   child.c     the child: each candidate's steps
 *   race.c      paired timing and its verdict
 *   fault.c     words for a fault, said from the child's signal handler
 *   guarded.c   memory with pages around it that nobody may touch
 */
#ifndef TENON_SEARCH_TRIAL_OWN_H
#define TENON_SEARCH_TRIAL_OWN_H

#include "search/trial.h"

#include <stdatomic.h>
#include <sys/types.h>

/* ---- progress ---------------------------------------------------------- */

typedef enum TrialStep {
	STEP_BETWEEN, /* in no path's function */
	STEP_INCUMBENT_OPEN,
	STEP_INCUMBENT_RUN, /* alone, before a candidate is opened */
	STEP_OPEN,
	STEP_CHECK,
	STEP_RUN,
	STEP_BESIDE, /* the incumbent's run against the candidate */
	STEP_CHECK_AGAIN,
	STEP_CLOSE,
	STEP_INCUMBENT_CLOSE, /* the candidate is settled */
	STEPS,
} TrialStep;

/*
 * What the child is at, on a page that the parent sees: the step in the low
 * bits, above it a count that changes with each call. One word, so that the
 * parent never holds one step's time against another's limit.
 */
typedef struct Progress {
	_Atomic uint64_t word;
} Progress;

#define STEP_BITS 8

static inline void progress_at(Progress *p, TrialStep s)
{
	uint64_t word = atomic_load_explicit(&p->word, memory_order_relaxed);

	word = ((word >> STEP_BITS) + 1) << STEP_BITS | (uint64_t)s;
	atomic_store_explicit(&p->word, word, memory_order_relaxed);
}

/* ---- what the child tells ---------------------------------------------- */

typedef enum RecordKind {
	RECORD_RESULT,    /* candidate `index` is settled */
	RECORD_INCUMBENT, /* it did not run alone; state and text say why */
	RECORD_FAULT,     /* text: what ends the child */
	RECORD_DONE,      /* the child ends as it should */
	RECORDS,
} RecordKind;

#define RECORD_MAGIC 0x74726c31u

/* Shorter than PIPE_BUF, so that a write is whole or not at all. */
typedef struct Record {
	uint32_t magic, kind;
	uint64_t index;
	TrialResult result;
} Record;

/* ---- child --------------------------------------------------------------- */

typedef struct ChildJob {
	const TrialPath *incumbent; /* NULL: none */
	int number;                 /* of it in the batch; -1: it was given */
	const TrialPath *c;
	size_t next, n; /* candidates to try */
	const TrialOptions *o;
	double until; /* no candidate begins later */
	Progress *progress;
	int fd; /* of the pipe, to write to */
	pid_t parent;
} ChildJob;

/* Its status when the pipe does not take what it has to tell. */
#define CHILD_UNHEARD 113

/* All that the forked child does. */
TN_NORETURN void child_main(const ChildJob *job);
/* Tells the parent; where it does not listen any more, the child ends. */
void child_tell(int fd, Record *r);

/* ---- race ---------------------------------------------------------------- */

typedef struct Racer {
	const TrialPath *path; /* NULL: nobody */
	TrialStep step;
	double seconds; /* of one call; 0: not known yet */
	int64_t total;  /* calls made */
} Racer;

/*
 * Times the candidate beside the incumbent, or alone. Fills out but for the
 * checks and `incumbent`. What is not MEASURED is a call that failed:
 * *beside, one of the incumbent's.
 */
TrialState race_run(Progress *p, Racer *candidate, Racer *incumbent,
		    const TrialOptions *o, TrialResult *out, bool *beside);
/*
 * Ratio, bounds and verdict from the rounds so far, of `planned` in all;
 * true: no more are needed.
 */
bool race_judge(TrialResult *r, int planned, double hopeless);

/* ---- fault --------------------------------------------------------------- */

/* Text that a signal handler may put together. */
typedef struct Words {
	char *p;
	size_t n, cap;
} Words;

void words_init(Words *w, char *p, size_t cap);
void words_say(Words *w, const char *s);
void words_count(Words *w, uint64_t n);

/* In the child: faults and exit() are told through the pipe. */
void fault_install(int fd);
/* Limits what memory the process may take from now on, and has a fault told as
 * want of memory where most of it is taken. */
void fault_limit_memory(double bytes);
/* Names what a guarded area has at the address; false: there is none. */
bool guarded_tell(Words *w, const char *verb, uintptr_t address);

#endif
