/*
 * abi: what generated code and the run time agree on. emit prints these
 * declarations, word for word, at the top of every source (no includes).
 */
#ifndef TENON_RUNTIME_ABI_H
#define TENON_RUNTIME_ABI_H

#include <stdint.h>

/*
 * The fault of a run, of the first value and there of the lowest index, of all
 * that happen. Generated code stores it with tn_fault(), never
 * signals, exits, or touches memory outside its buffers.
 */
typedef struct TnStatus {
	int32_t code;   /* TnFault, 0: none */
	uint32_t value; /* value id in the program (stage 1 or 2 of the plan) */
	int64_t index;  /* offending index or flat element */
} TnStatus;

typedef enum TnFault {
	TN_FAULT_NONE,
	TN_FAULT_INDEX,    /* an index out of range; `index` is the index */
	TN_FAULT_DIVISION, /* integer division or modulo by zero; element */
	TN_FAULT_EXPONENT, /* integer to a negative power; element */
} TnFault;

typedef struct TnArgs {
	void *const *buffers; /* by buffer number of the plan */
	const int64_t *dims;  /* by dim number of the plan */
	char *scratch;        /* workers * scratch_stride bytes, 64-aligned */
	int64_t scratch_stride;
	int64_t *next; /* tasks taken of each worker's part; for more workers
			  than one */
} TnArgs;

/*
 * The task after t that falls to this worker, -1: its first; `tasks`: none is
 * left. Alone, it takes all in order and needs no locked instruction. Else
 * every worker has a part of them, the same in each run, so that what it left
 * in its caches serves it again; it goes on with what the next ones have not
 * begun. *done counts the parts that it found empty. The counters lie
 * side by side: a worker that has one has the others near it too.
 */
static inline __attribute__((unused)) int64_t tn_task(const TnArgs *args,
						      int worker, int workers,
						      int64_t tasks, int64_t t,
						      int *done)
{
	if (workers == 1)
		return t + 1;
	for (; *done < workers; ++*done) {
		int part = (worker + *done) % workers;
		int64_t n = tasks / workers, more = tasks % workers;
		int64_t first = part * n + (part < more ? part : more);
		int64_t i = __atomic_fetch_add(&args->next[part], 1,
					       __ATOMIC_RELAXED);
		if (i < n + (part < more))
			return first + i;
	}
	return tasks;
}

/*
 * One launch: each of `workers` calls, numbered from 0, takes tasks by
 * tn_task until none is left. The counters at args->next are 0 when more than
 * one start. Every task is run, however many of the workers come; worker 0
 * always does.
 */
typedef void TnKernel(const TnArgs *args, int worker, int workers,
		      TnStatus *status);

#endif
