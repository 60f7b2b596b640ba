/*
 * plan: stage 6, kernels with their buffers, launches, guards and identity.
 *
 * A plan is a function of the program and of what compiled it; its JSON
 * holds the texts it is made of, a SHA-256 of each, and one over all: the
 * identity. Device, driver and time are evidence beside it, not part of it.
 */
#ifndef TENON_IR_PLAN_H
#define TENON_IR_PLAN_H

#include "ir/kernel.h"

typedef enum PlanBufKind {
	PLAN_INPUT,  /* caller's, argument number `index` */
	PLAN_RESULT, /* caller's, result number `index` */
	PLAN_CONST,  /* in the program; `value` */
	PLAN_WEIGHT, /* in a file, read at load; `value` */
	PLAN_TEMP,   /* in the plan's arena, slot `index` */
	PLAN_KEPT,   /* beside the weights, filled once; number `index` */
	PLAN_KIND_COUNT,
} PlanBufKind;
extern const char *const plan_buf_kind_name[PLAN_KIND_COUNT];

typedef struct PlanBuffer {
	PlanBufKind kind;
	uint32_t index;
	ValueId value; /* NO_VALUE: what phases of one kernel share */
	Ex bytes;
	uint32_t first, last; /* kernels that write it and read it last */
} PlanBuffer;

typedef struct PlanLaunch {
	uint32_t kernel, phase;
	bool once;             /* a binding of dims, not each run */
	Ex tasks;              /* count */
	Ex scratch;            /* bytes a worker */
	VEC(uint32_t) buffers; /* plan buffer by memory buffer of the kernel */
} PlanLaunch;

/* Results without a kernel of their own: copied when all launches ran. */
typedef struct PlanCopy {
	uint32_t result, from; /* result number; plan buffer */
} PlanCopy;

/* Result `result` may lie in the buffer of donated input `input`. */
typedef struct PlanDonation {
	uint32_t input, result;
} PlanDonation;

typedef struct Plan {
	Arena *arena;
	const Program *source; /* stage 1 */
	const Kernels *kernels;
	VEC(PlanBuffer) buffers;
	VEC(PlanLaunch) launches;
	VEC(PlanCopy) copies;
	VEC(PlanDonation) donations;
	/* Accumulators of contractions, by value of stage 1; NULL: all are
	 * ACC_IEEE. */
	const AccKind *acc;
	VEC(const char *) pins;    /* of regions, that made the partition */
	VEC(Ex) slots;             /* bytes of each arena slot */
	VEC(const char *) sources; /* stage 5, one a kernel */
	const char *target, *compiler, *flags;
	char identity[SHA256_HEX]; /* "": not asked for yet */
} Plan;

/* Symbol of a launch in its source: k0_main, or a user's own. */
const char *plan_symbol(Arena *a, const Plan *p, const PlanLaunch *l);

/* Fills identity. The JSON is canonical: the same plan, the same bytes. */
const char *plan_json(Plan *p);
/* The identity, worked out when it is first asked for. */
const char *plan_identity(Plan *p);

/* The accumulator of one contraction of stage 1. */
typedef struct PlanAcc {
	ValueId value;
	AccKind acc;
} PlanAcc;
/* What the kernels' DOTs say of each value of stage 1. */
const AccKind *plan_accumulators(Arena *a, const Program *source,
				 const Kernels *ks);
/* The accumulators that a file records, if they are what its kernels use. */
bool plan_use_accumulators(Plan *p, const PlanAcc *acc, size_t n);

/* The parts of a plan's JSON, for rebuilding it. Errors name the part. */
typedef struct PlanParts {
	const char *program, *kernels, *target, *compiler, *flags, *identity;
	VEC(const char *) sources;
	VEC(PlanAcc) acc;
	VEC(const char *) pins;   /* of regions */
	VEC(const char *) chosen; /* by kernel: contract mr=6 ... */
} PlanParts;
/* edited: the hashes need not be those of the parts. */
bool plan_parts(Ctx *ctx, Arena *a, const char *path, const char *text,
		size_t len, bool edited, PlanParts *out);

#endif
