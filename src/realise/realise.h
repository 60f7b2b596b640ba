/*
 * realise: stage 3 to stage 4, ways to compute a region.
 *
 * One file a realisation: loop.c, rowreduce.c, contract.c, attention.c (its
 * loops in attention_body.c); gpu_contract.c and gpu_attention.c are for GPUs,
 * library.c leaves a product to a library, of a GPU or a CPU, external.c a
 * region to a user's function. lower.c holds
 * what they share: evaluating a value of the program at an index.
 */
#ifndef TENON_REALISE_REALISE_H
#define TENON_REALISE_REALISE_H

#include "ir/external.h"
#include "ir/kernel.h"

/*
 * Nominal rates of a machine, for predicted costs: what is chosen follows from
 * their ratios, the same on every machine of the kind. A unit is a CPU or a
 * GPU's multiprocessor.
 */
typedef struct Rates {
	double clock;    /* GHz */
	double macs;     /* f32 multiply-adds a cycle of a unit */
	double cache[3]; /* bytes a cycle that a unit has from L1, L2, L3; of a
			    GPU from a block's memory, and L2 for all */
	double memory;   /* bytes a ns, all units together */
	double unit;     /* bytes a ns that one unit can have of it */
	double launch;   /* us: a phase more */
	double claim;    /* us: a task more */
} Rates;

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
	/* by Library: why it is not here; NULL: it is, or nobody asked */
	const char *missing[LIBRARY_COUNT];
	/* kernels of the user's; -1: none is pinned */
	const External *externals;
	size_t nexternals;
	int64_t external_pinned;
	/* bytes: L1d and L2 of a core, L3 that all of them may count on */
	int64_t cache[3];
	Rates rates;
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

/* Values of a parameter that are worth considering, in the order in which
 * they are considered. */
#define MAX_DOMAIN 24
typedef struct Domain {
	int64_t values[MAX_DOMAIN];
	size_t n;
} Domain;

/*
 * A predicted time. Arithmetic and traffic overlap; what is moved before or
 * after, and what starts and waits, does not:
 * us = max(compute, memory) + move + start.
 */
typedef struct Cost {
	double compute; /* us: operations at the rate they can have here, with
			   tails, and units that have less to do than others */
	double memory;  /* us: bytes over the bandwidth of where they lie */
	double move;    /* us: packing, parts added up, a second pass */
	double start;   /* us: phases and tasks */
	double us;
} Cost;
/* Fills us from the terms. */
void cost_total(Cost *c);

/* A choice fixed by the user: realisation.param=value. */
typedef struct Pin {
	const char *realisation, *param;
	int64_t value;
	const char *text; /* as written, for errors */
	bool used;
} Pin;

/* Whether it decides what shares a kernel, so that a plan made without it is
 * another. */
bool pin_shapes_regions(const Pin *p);
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
	/* What a search considers: by parameter, the values beside the rule's.
	 * The product of all is some hundreds, of which legal() refuses some.
	 * NULL: the rule's choice alone. */
	void (*domain)(const Regions *r, uint32_t region, const Target *t,
		       Domain by[MAX_PARAMS]);
	/* Predicts the time of a legal candidate under dims, which are all
	 * known. */
	Cost (*cost)(const Regions *r, uint32_t region, const Target *t,
		     const Candidate *c, const int64_t *dims);
} Realisation;

extern const Realisation realise_loop, realise_rowreduce, realise_contract,
	realise_attention, realise_gpu_contract, realise_gpu_attention,
	realise_library, realise_cpu_library, realise_external;

/*
 * Guards the load that the verifier could not prove by the two conditions
 * that keep it inside, axis by axis. They hold wherever the program's own
 * views stay inside, so that no value changes; memory is safe either way.
 * False for a store or a load that is guarded already.
 */
bool realise_guard(Kernels *ks);

/* What a region is computed by; realisation NULL: what the rule says. */
typedef struct Chosen {
	const Realisation *realisation;
	Candidate candidate;
} Chosen;

/*
 * Every region lowered by what is chosen for it, or by the rule where chosen
 * is NULL, and the pins; NULL: error reported.
 */
Kernels *realise_program(Ctx *ctx, Arena *a, const Regions *r, const Target *t,
			 Pin *pins, size_t npins, const Chosen *chosen);

/* Receives a candidate of a region. refused: why it is not legal, else NULL;
 * c NULL: no candidate of the realisation is. False ends the walk. */
typedef bool CandidateFn(void *arg, const Realisation *re, const Candidate *c,
			 const char *refused);
/*
 * Every candidate of a region, each once, the rule's first, in an order that
 * depends on nothing else. Parameters that are pinned have that value alone;
 * the rule's choice is refused where it is not legal with them.
 */
void realise_candidates(Arena *a, const Regions *r, uint32_t region,
			const Target *t, const Pin *pins, size_t npins,
			CandidateFn *fn, void *arg);
/* Cost of a candidate; us 0 where the realisation has no model. */
Cost realise_cost(const Regions *r, uint32_t region, const Target *t,
		  const Chosen *c, const int64_t *dims);
/* An extent under dims. */
int64_t realise_extent(const Regions *r, Ex extent, const int64_t *dims);
/* `contract mr=6 nr=32 ...`, and the same read back; false: it is none. */
void chosen_print(Buf *b, const Chosen *c);
bool chosen_parse(const Target *t, const char *text, Chosen *out);

#endif
