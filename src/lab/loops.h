/*
 * loops: C text of the compiled loops of a composition. One function a step,
 * rows (all axes but the last) outside, vectors along the last axis inside;
 * reductions along it become loops of their own before.
 */
#ifndef TENON_LAB_LOOPS_H
#define TENON_LAB_LOOPS_H

#include "lab.h"

/* Where a value lies, dense and row-major; dtype may be wider than its own. */
typedef struct LabSlot {
	bool set;
	int pointer; /* index into the table that steps get */
	TenonDType dtype;
} LabSlot;

typedef struct LabLoops {
	LabMem *m;
	const LabProgram *p;
	LabSlot *slots; /* by value; the caller fills them in */
	LabText text;   /* so far */
	int rows_max;   /* row buffers of the step that has most of them */
	int64_t width_max;
	int steps;
	struct LabScope *scope;
	int temps;
	int row_buffers;
	struct LabKnown *scalars; /* reductions of this row; row buffers */
} LabLoops;

void lab_loops_init(LabLoops *l, LabMem *m, const LabProgram *p,
		    LabSlot *slots);
/*
 * Appends void step<N>(void *const *p, float *scratch, long lo, long hi),
 * which computes rows lo to hi-1 of each of the values (of one shape) into
 * its target, and of each reduction in `also` (of values[0], along the last
 * axis) too. False: m->why, the values are beyond these loops.
 */
bool lab_loops_step(LabLoops *l, const int *values, const LabSlot *targets,
		    int n, const int *also, const LabSlot *also_targets,
		    int nalso);
/* Floats of scratch that each worker needs. */
size_t lab_loops_scratch(const LabLoops *l);
extern const char *const lab_loops_prelude[]; /* ends with NULL */

#endif
