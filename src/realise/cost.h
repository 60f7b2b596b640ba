/*
 * cost.h: what files of predicted costs share.
 *
 *   cost_walk.c  what the statements of a lowered kernel do under dims
 *   cost_cpu.c   their time on a CPU
 *   cost_gpu.c   their time on a GPU
 *
 * Kernels of loop and rowreduce are lowered to be costed: what is counted is
 * what would run. Constants are nominal: those of a machine are in its Rates,
 * those of an operation in one table of each of the two files.
 */
#ifndef TENON_REALISE_COST_H
#define TENON_REALISE_COST_H

#include "realise/lower.h"

/* Classes of operations that take as long as each other. */
typedef enum Work {
	WORK_SIMPLE,   /* one instruction: add, compare, where */
	WORK_CAST,     /* between dtypes of different width */
	WORK_DIVISION, /* by what differs from element to element; sqrt */
	WORK_BY_ROW,   /* by what is the same for the whole loop */
	WORK_EXP,      /* a polynomial with its reduction */
	WORK_OTHER,    /* the longer ones: tanh, erf, pow */
	WORK_FOLD,     /* into an accumulator */
	WORK_MOVE,     /* a load or a store, of what L1 holds */
	WORK_GATHER,   /* of elements that do not lie side by side */
	WORK_COUNT
} Work;

#define COST_MAX_LOOPS 24

/* A loop, or an axis of tasks. */
typedef struct CostLoop {
	int64_t axis;
	double extent;
	double times;  /* executions of the whole of it */
	double bodies; /* of the body as code has it: vectors */
	LoopMap map;
	int lanes, parent; /* parent: -1 none */
	bool task;
} CostLoop;

typedef struct CostAccess {
	uint32_t buffer;
	int loop; /* the innermost around it; -1: none */
	bool store, stream, ahead;
	bool apart;    /* lanes meet elements that lie apart */
	int bytes;     /* of an element */
	double run;    /* elements that it moves at once */
	double weight; /* the share of iterations that make it */
	const Ex *index;
	uint8_t nindex;
	/* of CPUs: bytes to the next iteration of each loop around it, -1
	 * where that is the same place; of the buffer */
	const double *steps;
	double all;
} CostAccess;
typedef VEC(CostAccess) CostAccesses;

/* A loop of lanes, or the statements outside of any. */
typedef struct CostSegment {
	int loop;                /* -1: outside */
	double work[WORK_COUNT]; /* vectors, or single elements, of all times */
	double folds, starts;    /* of accumulators; of the loop */
} CostSegment;

typedef struct CostPhase {
	const Phase *phase;
	double tasks;
	VEC(CostLoop) loops;
	CostAccesses accesses;
	VEC(CostSegment) segments;
} CostPhase;

typedef struct CostWalk {
	Arena *arena;
	const Kernels *ks;
	const Kernel *k;
	const Target *target;
	const int64_t *dims;
	int64_t *axes; /* each in the middle of its extent */
	bool *used;    /* by variable: some statement reads it */
	bool *outside; /* by variable: it is made outside of the lanes */
	VEC(CostPhase) phases;
} CostWalk;

/* Counts what the kernel does. */
void cost_walk(CostWalk *w);
/* Elements from one iteration of the loop to the next, in memory. */
double cost_step(const CostWalk *w, const CostAccess *a, const CostLoop *l);
bool cost_uses(const CostWalk *w, const CostAccess *a, const CostLoop *l);
/* Bytes of the buffer. */
double cost_bytes(const CostWalk *w, uint32_t buffer);
/* Bytes of the kernel's inputs and outputs. */
double cost_outer_bytes(const CostWalk *w);

Cost cost_cpu(CostWalk *w);
Cost cost_gpu(CostWalk *w);

/* Lowers the candidate, and predicts by what it does. */
Cost cost_lowered(const Realisation *re, const Regions *r, uint32_t region,
		  const Target *t, const Candidate *c, const int64_t *dims);

#endif
