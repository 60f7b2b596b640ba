/*
 * lower: what the realisations share: a builder of kernel statements, and
 * the evaluation of a program's value at an index.
 *
 * A realisation opens loops, binds the values it computes itself (a
 * contraction's tile element, a reduction's result) to variables, and asks
 * for the others with lower_value(), which walks operands and views and
 * emits loads and operations at the place at hand. What was evaluated at
 * the same index in an enclosing scope is used again.
 */
#ifndef TENON_REALISE_LOWER_H
#define TENON_REALISE_LOWER_H

#include "realise/realise.h"

typedef struct Memo {
	ValueId value;
	const Ex *index;
	VarId var;
	const Ex *conds; /* its guard: zero where these do not all hold */
	size_t nconds;
} Memo;

/* A gather's checked index, made once for many elements. */
typedef struct Hoisted {
	ValueId value;
	Ex axis;
} Hoisted;

typedef struct LowerScope {
	StmtList *list; /* where the enclosing scope appends */
	size_t memo;
	size_t conds;
} LowerScope;

typedef struct Lower {
	Arena *arena;
	Kernels *ks;
	Kernel *k;
	Program *p;
	const Regions *r;
	const Region *region;
	uint32_t region_index;
	StmtList *at;
	VEC(LowerScope) scopes;
	VEC(Memo) memo;
	VEC(Ex) conds;       /* guard of the loads made now */
	uint32_t *buffer_of; /* kernel buffer + 1 by value */
	int threads;         /* of a worker of a GPU, of phases from here on */
	bool scalar;         /* a value may fault or binds indices: no lanes */
	bool is_flat;        /* all axes are one, of `flat` elements */
	Ex flat;
	VEC(Hoisted) hoisted;
} Lower;

/* Registers of a walk by runs, and what of memory they hold, in terms of the
 * walk's axes. */
typedef struct Held {
	KOperand from;
	Ex thread, turn, element;
	uint32_t registers;
} Held;
typedef VEC(Held) HeldList;

/* A walk over an axis by a GPU's threads, in runs of elements side by side. */
typedef struct Run {
	int width, turns; /* elements of a run; runs of a thread in a step */
	int most;         /* registers of a thread that may be held */
	bool one_by_one;  /* operands of a run are asked for as it comes */
	/* what lower_run_open() has opened, for the others */
	bool held; /* a step is the whole axis */
	Ex thread, step, turn, element;
	Ex first, left; /* a run's first element; elements from there on */
	Ex room;        /* left - width, which a branch asks where partial */
	bool partial, rest;
	StmtList *outer, *inner, *body;
	size_t outer_from, inner_from, body_from;
	HeldList operands;
} Run;

void lower_init(Lower *l, Kernels *ks, Kernel *k, const Regions *r);

/* Appends a phase and makes it the place at hand. */
Phase *lower_phase(Lower *l, const char *name);
/* A task axis of the current phase, as an expression; 0 where the extent is
 * 1 and no axis is needed, as for lower_for(). */
Ex lower_task(Lower *l, Ex extent);
/* Opens a loop; lower_end() closes it. Lanes 1 for SERIAL and UNROLL. */
Ex lower_for(Lower *l, Ex extent, LoopMap map, int lanes);
void lower_end(Lower *l);

/*
 * The index space extents[0 .. n-1] as one task axis over chunks of rows and
 * a loop over the rows of a chunk, to be closed by one lower_end(); index
 * receives the n indices. chunk: rows a task, at least 1.
 */
void lower_rows(Lower *l, const Ex *extents, int n, Ex chunk, Ex *index);
/* max(1, elements // max(1, length)): rows that make a task worth a claim. */
Ex lower_chunk(Lower *l, int64_t elements, Ex length);

uint32_t lower_buffer(Lower *l, BufScope scope, DType dtype, const Ex *shape,
		      uint8_t rank, const char *name);
/* The OUT buffer of an output value. */
uint32_t lower_output(Lower *l, ValueId v);
VarId lower_load(Lower *l, uint32_t buffer, const Ex *index);
void lower_store(Lower *l, uint32_t buffer, const Ex *index, VarId var);
/* A question for the element's line, of each vector of the loop around it: a
 * hint, which may lie outside of the buffer. */
void lower_ask(Lower *l, uint32_t buffer, const Ex *index);
/* to[index...] = `width` elements from `from` on, where every cond >= 0. */
void lower_copy(Lower *l, uint32_t to, const Ex *index, const KOperand *from,
		int width, bool async, const Ex *conds, uint32_t nconds);
/* The thread's copies are a group; all but `groups` of them are there. */
void lower_wait(Lower *l, int groups);
/* A map of the phase that is open; its number there. */
uint32_t lower_map(Lower *l, const KMap *m);
/* to[index...] and what follows = the map's box at `at`, if every cond >= 0. */
void lower_box(Lower *l, uint32_t to, const Ex *index, uint32_t map,
	       const Ex *at, const Ex *conds, uint32_t nconds);
/* Registers of runs from those of a DOT's sums; rounded where they are of 16
 * bits, as value's boundary. */
void lower_runs(Lower *l, uint32_t to, uint32_t sums, ValueId value);
/* All DOTs but the last ones are done. */
void lower_settle(Lower *l, int dots);
VarId lower_op(Lower *l, Op op, DType dtype, DType from, const VarId *args,
	       uint32_t n, ValueId value);
VarId lower_cast(Lower *l, DType to, DType from, VarId x);
VarId lower_round(Lower *l, DType to, DType from, VarId x, ValueId value);
/* An f32 sum as a 16-bit value whose boundary is dropped. */
VarId lower_keep(Lower *l, DType to, VarId x, ValueId value);
VarId lower_mac(Lower *l, DType dtype, VarId a, VarId b, VarId c);
/* The element's bits from `bit` of a word on, beside those of `word` unless
 * that is NO_VAR. */
VarId lower_word(Lower *l, DType from, VarId element, int bit, VarId word);
/* A part of an f16, as ST_PART has them. */
VarId lower_part(Lower *l, DType from, VarId element, int part);
/* buffer[index] += the tile d of elements of `from`, of `value`'s sums. */
void lower_dot(Lower *l, const KDot *d, DType from, uint32_t buffer,
	       const Ex *index, ValueId value);
/* Whether every cond >= 0. */
VarId lower_test(Lower *l, const Ex *conds, uint32_t n);
VarId lower_zero(Lower *l, DType dtype);
/* One element of the dtype, of static life. */
VarId lower_constant(Lower *l, DType dtype, const void *data);
VarId lower_index_value(Lower *l, DType dtype, Ex index);
/* What a fold by op starts from: ADD, MUL, MAXIMUM or MINIMUM of floats. */
VarId lower_identity(Lower *l, Op op, DType dtype);
/* A fold: acc declared here; accum inside the loops below it. */
VarId lower_acc(Lower *l, Op op, DType dtype, VarId init);
void lower_accum(Lower *l, VarId acc, Op op, DType dtype, VarId x);

/* ---- lower_run.c ----------------------------------------------------- */

/* The most elements that 16 bytes hold of every operand and result, and that
 * divide the extent. */
int lower_width_of(const Regions *r, uint32_t region, Ex extent);
/*
 * Opens the loops over base .. extent - 1, in `steps` steps, width, turns and
 * most being set; returns the element's index. Where a run may be a part of
 * one, what is lowered is for whole runs; lower_run_rest() goes on to single
 * elements of the others and returns their index, or the first element where
 * there are none.
 */
Ex lower_run_open(Lower *l, Run *r, Ex base, Ex extent, Ex steps);
Ex lower_run_rest(Lower *l, Run *r);
/* Moves what can be at once and closes the loops. Where a step is the whole
 * axis, operands in `held` (or NULL) are not brought again, and those that are
 * brought are added. */
void lower_run_close(Lower *l, Run *r, HeldList *held);
/* The same of one run of a thread, in loops that are there: opens a loop over
 * its elements, r->element; what that loads side by side is moved at once in
 * front of it, and it is closed. Stores stay. */
void lower_run_around(Lower *l, Run *r, Ex thread, int width);
void lower_run_bring(Lower *l, Run *r);
/* Registers for each of a step's elements, and the index of the one at hand. */
uint32_t lower_run_buffer(Lower *l, const Run *r, DType d, const char *name);
void lower_run_index(const Run *r, Ex *index);

/*
 * From here on values of the region's shape are rows of `elements`: their
 * buffers have one axis, and index[0] is the element, the others 0.
 */
void lower_flat(Lower *l, Ex elements);
/* A checked index into an axis of this extent; loads made until the scope
 * ends are guarded where the extent may be 0. user: the value that faults. */
Ex lower_index(Lower *l, ValueId index, const Ex *at, Ex extent, ValueId user);
/* If v is a GATHER: its index is checked here, for all elements evaluated
 * from now on, which must differ in the last axis only. */
void lower_hoist(Lower *l, ValueId v, const Ex *index);
/* Loads made until the enclosing scope ends yield zero where cond < 0. */
void lower_guard(Lower *l, Ex cond);
/* Opens a branch that runs where every cond >= 0; lower_else() goes on to
 * where they do not all hold, lower_end() closes it. */
void lower_if(Lower *l, const Ex *conds, uint32_t n);
void lower_else(Lower *l);

/* The variable stands for the value at this index in the current scope. */
void lower_bind(Lower *l, ValueId v, const Ex *index, VarId var);
/* Evaluates value v at index[0 .. rank-1]. */
VarId lower_value(Lower *l, ValueId v, const Ex *index);
/*
 * Where the element lies in memory: its buffer, and its index there through
 * views. False where it is computed.
 */
bool lower_place(Lower *l, ValueId v, const Ex *index, KOperand *out);
/* Evaluates and stores an output of the region at its index. */
void lower_result(Lower *l, ValueId v, const Ex *index);
/* What follows a product whose element is bound at this index: the epilogue's
 * values and every output of the region. */
void lower_epilogue(Lower *l, const Ex *index);

/*
 * A comparison of integers that positions alone decide (iota, literals, their
 * sums and differences): the conditions, each >= 0, that together say it
 * holds at the index. Returns their number, at most 2; 0: it is none.
 */
uint32_t lower_compare(Lower *l, ValueId v, const Ex *index, Ex *conds);

/*
 * Whether evaluating v can fault or needs a run-time index, so that the
 * kernel must work on single elements.
 */
bool lower_is_scalar(const Regions *r, uint32_t region);
/* Lanes that fill a vector of the target with the region's widest dtype; 1
 * where the region must work on single elements. */
int lower_lanes(const Regions *r, uint32_t region, const Target *t);
/* The same whether it must or not; indices of a gather do not count. */
int lower_lanes_of(const Regions *r, uint32_t region, const Target *t);
/*
 * How the linear address of the largest memory operand under v moves with
 * the axis when v is read at index: 1 next to each other, 0 not at all,
 * -1 otherwise.
 */
int lower_stride(Lower *l, ValueId v, const Ex *index, int64_t axis);
/*
 * What serves memory and harms caches: kind ST_STORE has the stores of
 * vector loops to outputs go past the caches, ST_COPY copies, ST_AHEAD keeps
 * hints or drops them. when 0: never, 2: always, 1: where the kernel's inputs
 * and outputs are more than the target's caches hold.
 */
void lower_by_size(Lower *l, StmtKind kind, int64_t when, const Target *target);
/* A string as a buffer name: letters, digits, _ only, unique in k. */
const char *lower_name(Lower *l, const char *want);

/* ---- between the files of lower -------------------------------------- */

/* Appends a statement of no variable and no value. */
Stmt *lower_append(Lower *l, StmtKind kind);
VarId lower_new_var(Lower *l);
/* An accumulation of x where cond holds. */
void lower_accum_where(Lower *l, VarId acc, Op op, DType dtype, VarId x,
		       VarId cond);
/* Binds a new axis to x, an integer of dtype `from` that is checked against
 * 0 .. extent - 1; faults name `value`. */
Ex lower_bound(Lower *l, VarId x, DType from, Ex extent, ValueId value);
/* The kernel's buffer of a value in memory. */
uint32_t lower_value_buffer(Lower *l, ValueId v, BufScope scope);
/* Whether v has the region's own space, of which a flat kernel has one axis. */
bool lower_is_space(const Lower *l, const Value *v);
/* Whether memory holds v when this kernel runs. */
bool lower_in_memory(const Lower *l, ValueId v, const Value *val);
/* The number of v's element at an index. */
Ex lower_flat_index(Lower *l, const Value *v, const Ex *index);

#endif
