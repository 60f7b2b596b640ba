/*
 * emit: stage 4 to stage 5, kernels as source text.
 */
#ifndef TENON_EMIT_EMIT_H
#define TENON_EMIT_EMIT_H

#include "emit/cfuncs.h"
#include "ir/kernel.h"

/*
 * One self-contained C source: every phase of the kernel as a function
 * <kernel>_<phase> of type TnKernel (runtime/abi.h). Buffer n of the kernel
 * is args->buffers[n] for IN, OUT and SHARED scopes, numbered in their
 * order among these; WORKER buffers lie in scratch, each 64-aligned.
 */
const char *emit_c(Arena *a, const Kernels *ks, const Kernel *k);
/* Bytes of worker scratch as an expression (64-aligned buffers in order). */
Ex emit_scratch(const Kernels *ks, const Kernel *k);

/* The same in CUDA C or OpenCL C, of phases with threads: emit_gpu.c says what
 * the kernels' parameters are. */
const char *emit_gpu(Arena *a, const Kernels *ks, const Kernel *k,
		     CDialect dialect);
/* What is asked of a library, of a kernel that is its call. */
const char *emit_library(Arena *a, const Kernels *ks, const Kernel *k);
/* A user's function and its caller, of a kernel that is one. */
const char *emit_external(Arena *a, const Kernels *ks, const Kernel *k);
/* How a user's kernel of CUDA has to be declared. */
const char *emit_prototype(Arena *a, const Kernel *k);
/* Bytes of a block's memory that a launch of the phase gives. */
Ex emit_shared(const Kernels *ks, const Kernel *k, const Phase *ph,
	       CDialect dialect);
/* Workers that a block should have in CUDA C: some warps with a task each,
 * where there are many tasks, or one. */
int emit_workers(const Kernel *k, const Phase *ph, int64_t tasks);
/* Whether kernels for an architecture of CUDA wait by themselves for those that
 * were launched before them. */
bool emit_waits(const char *arch);
/* Threads of a block beside the phase's own. */
int emit_feeders(const Phase *ph);

#endif
