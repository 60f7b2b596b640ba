/*
 * kernel_check: what the files of stage 4's verifier share.
 *
 * kernel_verify.c walks loops, branches and phases and keeps what is in
 * scope; kernel_check.c holds the laws of the statements without a body,
 * kernel_check_dot.c those of products by matrix units, kernel_check_box.c
 * those of maps and boxes, kernel_check_call.c those of products by libraries.
 */
#ifndef TENON_IR_KERNEL_CHECK_H
#define TENON_IR_KERNEL_CHECK_H

#include "ir/kernel.h"

typedef struct VarState {
	enum {
		VAR_UNSEEN,
		VAR_VISIBLE,
		VAR_GONE
	} state;
	DType dtype;
	bool varies; /* differs between the lanes of the loop around */
	bool is_acc;
	Op fold;
	uint32_t loop; /* vector loop that declares it, 0: none */
	bool by_lanes; /* folded into by the vector loop around */
} VarState;

typedef struct AxisState {
	bool in_scope;
	bool varies; /* differs between the threads of the loop around */
	LoopMap map;
} AxisState;

typedef struct Check {
	Kernels *ks;
	const Kernel *k;
	const Phase *phase;
	ExprTab *t;
	Arena *arena;
	Buf *why;
	ExFacts facts;
	VarState *vars;
	AxisState *axes;
	bool *stored;     /* by buffer */
	int *reg_lanes;   /* by buffer */
	const KDot *tile; /* of the phase, for units of tiles */
	/* a DOT of a unit of threads, of the kernel, and where */
	const Stmt *block;
	const Phase *block_in;
	VEC(VarId) visible;
	VEC(const Stmt *) around; /* serial loops, outermost first */
	int64_t vaxis;            /* axis of the vector loop around, or -1 */
	int lanes;
	LoopMap vmap;
	uint32_t loop, loops; /* number of that loop; loops so far */
	int64_t copies;       /* product of the unrolled extents around */
} Check;

/* Writes what is wrong, and where, into why; false. */
bool kcheck_breach(Check *c, const char *fmt, ...) TN_PRINTF(2, 3);
const char *kcheck_text(Check *c, Ex e);
/* An expression over dims and the axes in scope; over dims alone. */
bool kcheck_ex(Check *c, Ex e, const char *what);
bool kcheck_dims(Check *c, Ex e, const char *what);
/* Whether e differs between the lanes around. */
bool kcheck_varies(const Check *c, Ex e);
bool kcheck_conds(Check *c, const Stmt *s);
bool kcheck_conds_vary(const Check *c, const Stmt *s);
/* Puts an axis in scope; takes out those after the first `ranges`. */
bool kcheck_open_axis(Check *c, int64_t axis, Ex extent, LoopMap map);
void kcheck_close_axes(Check *c, size_t ranges);
/* Statements that work on one element at a time, as a thread does. */
bool kcheck_scalar(Check *c, const char *what);
/* Whether width divides the number of the place's element. */
bool kcheck_aligned(Check *c, const KOperand *o, int width);
/* Whether width divides x, by itself or where it divides dims of which a branch
 * around says so. */
bool kcheck_divided(Check *c, Ex x, int width);
/* A place in a buffer, of which the last `n` axes are touched `count` on. */
bool kcheck_area(Check *c, const Stmt *s, uint32_t buffer, uint8_t nindex,
		 const Ex *index, const Ex *count, int n);
/* The laws of a map and of a BOX, in kernel_check_box.c. */
bool kcheck_map(Check *c, const KMap *m);
bool kcheck_box(Check *c, const Stmt *s);
/* That FREEs hold back the feeder of a phase with maps. */
bool kcheck_feeder(Check *c, const Phase *ph);
/* The laws of a DOT and of RUNS of its sums, in kernel_check_dot.c. */
bool kcheck_dot(Check *c, const Stmt *s);
bool kcheck_runs(Check *c, const Stmt *s);
/* The laws of a phase that is a library's, in kernel_check_call.c. */
bool kcheck_call(Check *c, const Phase *ph);
bool kcheck_foreign(Check *c, const Phase *ph);
/* The laws of a statement that is neither FOR nor IF. */
bool kcheck_simple(Check *c, const Stmt *s);

#endif
