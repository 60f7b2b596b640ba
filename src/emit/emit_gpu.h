/*
 * emit_gpu: what the files of the printer of CUDA C and OpenCL C share.
 *
 *   emit_gpu.c         kernels, loops, folds and single statements
 *   emit_gpu_move.c    elements moved several at a time
 *   emit_gpu_box.c     boxes brought by sm_90's copy engine
 *   emit_gpu_pair.c    16-bit floats two at a time
 *   emit_gpu_round.c   f16 results rounded as they are moved
 *   emit_gpu_quotient.c  a run divided by what its elements share
 *   emit_gpu_dot.c     products by a GPU's matrix unit
 *   emit_gpu_wgmma.c   and by that of sm_90a
 *   emit_gpu_operand.c operands of it in registers
 *   emit_gpu_narrow.c  whether 32 bits hold every index of a phase
 */
#ifndef TENON_EMIT_EMIT_GPU_H
#define TENON_EMIT_EMIT_GPU_H

#include "emit/emit_c.h"

/* ---- emit_gpu.c ------------------------------------------------------ */

/* Whether the registers' first axis is the threads', of which each has its
 * own. */
bool eg_by_thread(const Emit *e, const KBuffer *b, const Phase *ph);
/* The element of registers that a LOAD or STORE in a loop names, as text. */
const char *eg_reg(Emit *e, const Stmt *s, const Phase *ph, const Stmt *loop);

/* ---- emit_gpu_move.c ------------------------------------------------- */

void eg_copy(Emit *e, const Stmt *s, const Phase *ph, const Stmt *loop);
void eg_wait(Emit *e, const Stmt *s, const Phase *ph);
/* The functions that these call, where the kernel has them. */
void eg_move_head(const Emit *e, Buf *out);

/* ---- emit_gpu_box.c -------------------------------------------------- */

/* What the phase keeps of the block's memory for itself, 8 bytes aligned. */
int eg_box_bytes(const Phase *ph);
/* A parameter for each map, after all others. */
void eg_box_parameters(const Phase *ph, Buf *out);
/* offset: where its own part of the block's memory is. Only of a phase with
 * maps, as the others. */
void eg_box_open(Emit *e, const Phase *ph, const char *offset);
/* Whether the feeder goes through the statement. */
bool eg_box_is_fed(const Stmt *s);
/* As e->feeder says for the feeder, or for the others. */
void eg_box(Emit *e, const Stmt *s, const Phase *ph);
void eg_box_wait(Emit *e, const Stmt *s, const Phase *ph);
void eg_box_free(Emit *e, const Phase *ph);
/* Of the phase's threads, without the feeder. */
void eg_box_barrier(Emit *e, const Phase *ph);
void eg_box_head(const Emit *e, Buf *out);

/* ---- emit_gpu_pair.c ------------------------------------------------- */

/* Finds the loops of the phase that go by pairs, and packed registers. */
void eg_pair_find(Emit *e, const Phase *ph);
bool eg_is_paired(const Emit *e, const Stmt *loop);
void eg_pair_loop(Emit *e, const Stmt *s, const Phase *ph, const Stmt *loop);
/* The word of packed registers that has the element. */
const char *eg_word(Emit *e, const Stmt *s, const Phase *ph);
/* An element of registers, packed or not: its text, and what stores x there. */
const char *eg_reg_load(Emit *e, const Stmt *s, const Phase *ph,
			const Stmt *loop);
void eg_reg_store(Emit *e, const Stmt *s, const char *x, const Phase *ph,
		  const Stmt *loop);
void eg_pair_head(const Emit *e, Buf *out);

/* ---- emit_gpu_round.c ------------------------------------------------ */

/* Sets `rounds` of variables that need not be rounded before they are moved. */
void eg_round_late(Emit *e, const Phase *ph);

/* ---- emit_gpu_quotient.c --------------------------------------------- */

/* What the elements of an unrolled loop in a vector loop are divided by, if
 * that pays; else NO_VAR. */
VarId eg_divisor(Emit *e, const Stmt *loop);
/* Declares tn_y and tn_l, parts of its reciprocal, and tn_far. */
void eg_divisor_parts(Emit *e, VarId by);
/* The division by it, which sets tn_far where it was no good. */
void eg_divide(Emit *e, const Stmt *s);
void eg_quotient_head(const Emit *e, Buf *out);

/* ---- emit_gpu_dot.c -------------------------------------------------- */

void eg_dot(Emit *e, const Stmt *s, const Phase *ph);
void eg_runs(Emit *e, const Stmt *s);
/* How PTX writes what is multiplied: K of a step, and the dtypes of sums and
 * operands. */
typedef struct DotNames {
	const char *k, *sum, *in;
} DotNames;
DotNames eg_dot_names(const Stmt *s);
/* The C type of its sums. */
const char *eg_sum_type(const Stmt *s);
/* A DOT of the phase, NULL: it has none. */
const Stmt *eg_dot_of(const Phase *ph);
/* Whether the kernel has a DOT of the unit. */
bool eg_has_unit(const Emit *e, MatrixUnit u);
/* The functions that it calls, where the kernel has it. */
void eg_dot_head(const Emit *e, Buf *out);

/* ---- emit_gpu_wgmma.c ------------------------------------------------ */

void eg_wgmma(Emit *e, const Stmt *s);
void eg_wgmma_head(const Emit *e, Buf *out);
/* Waits for all DOTs but the last s->bit. */
void eg_settle(Emit *e, const Stmt *s, const Phase *ph);

/* ---- emit_gpu_operand.c ---------------------------------------------- */

/* What a store to registers puts there: where they are an operand of products
 * and of nothing else, what is yet to be rounded, once, with its neighbour. */
VarId eg_dot_stored(const Emit *e, const Stmt *s, const Phase *ph);
/* The words tn_x[i] of step s from an operand in registers, and the function
 * that makes them. */
void eg_operand_load(Emit *e, uint32_t buffer);
void eg_operand_head(const Stmt *s, Buf *out);

/* ---- emit_gpu_narrow.c ----------------------------------------------- */

/* Whether no index, address or condition of the phase, nor any part of one,
 * reaches 2^31 at any binding. */
bool eg_is_narrow(Emit *e, const Phase *ph);

#endif
