/*
 * realise: stage 3 to stage 4, ways to compute a region.
 *
 * One file a realisation: loop.c, rowreduce.c, contract.c, attention.c (its
 * loops in attention_body.c); gpu_contract.c and gpu_attention.c are for GPUs,
 * library.c leaves a product to a library. lower.c holds what they share:
 * evaluating a value of the program at an index.
 */
#ifndef TENON_REALISE_REALISE_H
#define TENON_REALISE_REALISE_H

#include "ir/kernel.h"

/* What a realisation needs to know of the machine. */
typedef struct Target {
	const char *name; /* cpu:avx512 */
	int vector_bytes;
	int vector_registers;
	int cpus;
	/* of a GPU: threads of a block where a realisation has no reason for
	 * another number, 0: a CPU; bytes of memory that a block may have */
	int threads;
	int64_t shared;
	/* the most that a block may have where it is worth having few of them
	 * side by side; multiprocessors */
	int64_t block_memory;
	int processors;
	/* matrix units that it has, the one to choose first in front */
	const MatrixUnit *units;
	size_t nunits;
	bool unit_pinned; /* taken wherever it can be, not where it pays */
	bool cuda;        /* a GPU through CUDA, where cuBLASLt is */
	bool copies;      /* memory to the block's by themselves: cp.async */
	bool library;     /* products are a library's: pinned */
	/* bytes: L1d and L2 of a core, L3 that all of them may count on */
	int64_t cache[3];
} Target;

/* Bytes that a kernel may touch and leave in the caches of all CPUs. */
static inline int64_t target_cached(const Target *t)
{
	return t->cpus * t->cache[1] + t->cache[2];
}

#define MAX_PARAMS 16
typedef struct Candidate {
	KParam params[MAX_PARAMS];
	size_t nparams;
} Candidate;

/* A choice fixed by the user: realisation.param=value. */
typedef struct Pin {
	const char *realisation, *param;
	int64_t value;
	const char *text; /* as written, for errors */
	bool used;
} Pin;

/* The target with no other matrix unit than a pinned one. */
Target target_pinned(const Target *t, const Pin *pins, size_t n);

typedef struct Realisation {
	const char *name;
	/* Parameter names that can be pinned, NULL-terminated. */
	const char *const *params;
	/* NULL when the region can be computed this way, else the reason. */
	const char *(*admit)(Arena *a, const Regions *r, uint32_t region);
	/* The rule's choice; pins replace single parameters afterwards. */
	Candidate (*rule)(const Regions *r, uint32_t region, const Target *t);
	/* NULL when every parameter is in range, else the reason. */
	const char *(*legal)(Arena *a, const Regions *r, uint32_t region,
			     const Target *t, const Candidate *c);
	void (*lower)(Kernels *ks, Kernel *k, const Regions *r, const Target *t,
		      const Candidate *c);
	/* After pins: chooses what is not pinned anew, to go with them. NULL:
	 * every parameter stands by itself. */
	void (*settle)(const Regions *r, uint32_t region, const Target *t,
		       Candidate *c, const bool *pinned);
} Realisation;

extern const Realisation realise_loop, realise_rowreduce, realise_contract,
	realise_attention, realise_gpu_contract, realise_gpu_attention,
	realise_library;
/* What library.product names. */
typedef enum Library {
	LIBRARY_CUBLASLT,
} Library;

/*
 * Guards the load that the verifier could not prove by the two conditions
 * that keep it inside, axis by axis. They hold wherever the program's own
 * views stay inside, so that no value changes; memory is safe either way.
 * False for a store or a load that is guarded already.
 */
bool realise_guard(Kernels *ks);

/* Every region lowered by the rule and the pins; NULL: error reported. */
Kernels *realise_program(Ctx *ctx, Arena *a, const Regions *r, const Target *t,
			 Pin *pins, size_t npins);

#endif
