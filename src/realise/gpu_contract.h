/*
 * gpu_contract.h: what the files of the product on a GPU share.
 *
 *   gpu_contract.c       the candidate, operands, and what follows the sums
 *   gpu_contract_simt.c  by each thread's own multiply-adds
 *   gpu_contract_mma.c   by a matrix unit
 *   gpu_contract_wgmma.c by that of sm_90a, fed by its copy engine
 *   gpu_contract_end.c   where a unit leaves sums, and the end of a tile
 *   gpu_contract_pack.c  operands that are packed before
 *   gpu_contract_split.c parts of K, each summed by itself, and their sum
 *   gpu_contract_cost.c  what a search considers, and predicted times
 */
#ifndef TENON_REALISE_GPU_CONTRACT_H
#define TENON_REALISE_GPU_CONTRACT_H

#include "realise/lower.h"

enum {
	P_UNIT,    /* what multiplies: ir/unit.h */
	P_ROWS,    /* tile of a block of threads */
	P_COLUMNS, /* */
	P_DEPTH,   /* elements of K that are brought at a time */
	P_THREADS,
	P_STAGES,   /* blocks of K in the block's memory */
	P_OPERANDS, /* how they come there: OPERANDS_... */
	P_SMALL,    /* 1: another phase has smaller tiles, for few of them */
	P_SPLIT,    /* parts of K that are summed apart; 1: it is not split */
	P_COUNT
};

enum {
	OPERANDS_EACH = 0,      /* as it can */
	OPERANDS_STAGED = 1,    /* through registers, or a copy of the whole */
	OPERANDS_FORWARDED = 2, /* as they lie in memory, by themselves */
};

typedef struct GpuProduct {
	Lower l;
	ExprTab *t;
	const Target *target;
	int64_t par[P_COUNT];
	const Value *v;
	DType acc;
	int batch;
	Ex m, n, k;
	Ex at[TN_MAX_RANK]; /* batch indices */
	Ex row, column;     /* of the tile's first element */
	Ex part;            /* of K, that is the task's */
	Ex blocks;          /* of K in the part */
	uint32_t partial;   /* memory: the sums of each part */
	uint32_t *results;  /* registers of results, [threads, run] */
} GpuProduct;

/* Extents of a product, -1 where not known; the parts of K that the rule may
 * choose. */
typedef struct GpuExtents {
	int64_t batch, m, n, k;
	int64_t least_parts, most_parts;
	bool behind; /* what it reads is made by many short blocks before */
} GpuExtents;

/* ---- gpu_contract.c -------------------------------------------------- */

/* A product of a kernel that is not made, with batch indices. */
void gp_product_init(GpuProduct *p, Kernels *ks, Kernel *k, const Regions *r,
		     const Target *t, const int64_t *par);
/* The first unit of the target that multiplies the product's operands. */
MatrixUnit gp_unit_of(const Regions *r, const Value *v, const Target *t);
/* Bytes of an operand's element. */
int gp_element_bytes(const Program *q, const Value *v);

#define GP_MOVE_BYTES 16 /* the most of a thread at once */
/* Elements of the accumulator that a thread moves at once, or one. */
int gp_run(DType acc);

static inline Ex gp_num(const GpuProduct *p, int64_t n)
{
	return ex_const(p->t, n);
}

/* The tile's extent along the rows of operand 0, the columns of operand 1. */
static inline int64_t gp_wide(const GpuProduct *p, int number)
{
	return p->par[number ? P_COLUMNS : P_ROWS];
}

/* The index of an element of an operand: 0 A at [.., place, k], 1 B. */
ValueId gp_operand(const GpuProduct *p, int number, Ex place, Ex k, Ex *index);
/* Whether the operand's memory runs along k. */
bool gp_along_k(GpuProduct *p, int number);
/*
 * Whether `width` elements of the operand next to each other, along k or
 * across, from a multiple of width on, lie so in memory, in its dtype, and all
 * inside where the first of them is.
 */
bool gp_lies(GpuProduct *p, int number, bool along, int width);
/* The same where each of *n conditions holds, which are of dims alone: that
 * width divides them. At most GP_DIMS. */
#define GP_DIMS 3
bool gp_lies_where(GpuProduct *p, int number, bool along, int width,
		   Ex conds[GP_DIMS], uint32_t *n);
/* The place of its element in memory, which gp_lies() has promised. */
KOperand gp_place(GpuProduct *p, int number, Ex place, Ex k);
/* Whether width divides x, term by term, by what is known or where each of *n
 * conditions holds, to which it adds; conds NULL: by what is known. */
bool gp_divided(const GpuProduct *p, Ex x, int width, Ex *conds, uint32_t *n);
/* Whether all tiles are whole along rows (0) or columns (1). */
bool gp_whole(const GpuProduct *p, int axis);
/*
 * What keeps elements inside of the operand, width[0] of them across and
 * width[1] along k, of which the first is named: conditions that are not known
 * to hold for every tile. Returns their number, at most 2.
 */
uint32_t gp_inside(const GpuProduct *p, int number, Ex place, Ex k,
		   const int width[2], Ex *conds);
/* Whether the operand differs between the elements of batch axis d. */
bool gp_batch_varies(const GpuProduct *p, int number, int d);
/* Opens a phase with a task for each tile, and for each part of K. flag: none
 * where this is 0, else it is 1; NO_FLAG: there are always. */
#define NO_FLAG UINT32_MAX
void gp_tasks(GpuProduct *p, const char *name, Ex flag);
/* Whether results of a run may go to memory at once: by what is known, or where
 * each of *n conditions holds, as gp_divided() has them. */
bool gp_stores_runs(const GpuProduct *p, int64_t run, Ex *conds, uint32_t *n);
/*
 * The boundaries of `run` sums side by side in the tile, of which row and
 * column are the first one's, and what follows them, where there is a result.
 * at: the indices of the first sum, of which the last one counts the run.
 * whole: the results of a run go to memory at once.
 */
void gp_finish(GpuProduct *p, Ex thread, Ex row, Ex column, int64_t run,
	       bool whole, uint32_t sums, const Ex *at);

/* The same where they are all results; whole or of one sum. */
void gp_finish_inside(GpuProduct *p, Ex thread, Ex row, Ex column, int64_t run,
		      bool whole, uint32_t sums, const Ex *at);

/* Whether `by` divides the extent, by what is known. */
bool gp_divides(const GpuProduct *p, int64_t by, Ex extent);

/* Tiles of the result. */
int64_t gp_tile_count(const GpuExtents *x, int64_t rows, int64_t columns);

/* ---- gpu_contract_split.c -------------------------------------------- */

#define GP_MAX_SPLIT 64

/* Microseconds that the sums of parts take, written, read and added. */
double gp_split_time(const GpuExtents *x, int bytes, int64_t parts);
/* What explain's note says of it. */
const char *gp_split_note(const GpuProduct *p);
/* The part of K of the tasks of the phase that is open. */
void gp_take_part(GpuProduct *p);
/* The first element along K of a block of the part, and a condition that says
 * that there is such a block. */
Ex gp_first_k(const GpuProduct *p, Ex block);
Ex gp_there(const GpuProduct *p, Ex block);
/* The memory for the sums of parts; before the phase that stores them. */
void gp_partial_buffer(GpuProduct *p);
/* In place of gp_finish(): stores `run` sums side by side as the part has them.
 */
void gp_store_part(GpuProduct *p, Ex row, Ex column, int64_t run, uint32_t sums,
		   const Ex *at);
/* The phase that adds the parts and finishes the sums; p is of no use after. */
void gp_sum_parts(GpuProduct *p);

/* ---- gpu_contract_cost.c --------------------------------------------- */

void gp_domain(const Regions *r, uint32_t region, const Target *t,
	       Domain by[MAX_PARAMS]);
Cost gp_cost(const Regions *r, uint32_t region, const Target *t,
	     const Candidate *c, const int64_t *dims);
/* Of cuBLASLt's product. */
Cost gp_library_cost(const Regions *r, uint32_t region, const Target *t,
		     const int64_t *dims);

/* ---- gpu_contract_simt.c --------------------------------------------- */

void gp_simt_rule(const GpuExtents *x, const Target *t, DType acc,
		  int64_t *par);
const char *gp_simt_legal(Arena *a, const Target *t, DType acc,
			  const int64_t *par);
/* Threads and depth that go with a pinned tile. */
void gp_simt_settle(Arena *a, const Target *t, DType acc, int64_t *par,
		    const bool *pinned);
/* Why operands cannot come as the candidate says; NULL: they can. */
const char *gp_simt_refuses(GpuProduct *p);
void gp_simt_lower(GpuProduct *p);
/* Microseconds of the product of known extents. */
double gp_simt_time(GpuProduct *p, const GpuExtents *x);

/* ---- gpu_contract_mma.c ---------------------------------------------- */

/* NULL where the unit multiplies v's operands, else why not. */
const char *gp_mma_refuses(Arena *a, const Regions *r, const Value *v,
			   const Target *t, MatrixUnit u);
/* element: bytes of an operand's. */
void gp_mma_rule(const GpuExtents *x, const Target *t, MatrixUnit u,
		 int element, int64_t *par);
const char *gp_mma_legal(Arena *a, const Target *t, int element,
			 const int64_t *par);
void gp_mma_settle(Arena *a, const Target *t, int element, int64_t *par,
		   const bool *pinned);
/* Why an operand cannot be forwarded; NULL: both can. */
const char *gp_mma_forwards(GpuProduct *p);
void gp_mma_lower(GpuProduct *p);
/* Microseconds of the product of known extents, without packing. */
double gp_mma_time(const GpuExtents *x, const Target *t, int element,
		   const int64_t *par);
/* Whether the operand is packed before, under dims. */
bool gp_mma_packs(GpuProduct *p, int number, const int64_t *dims);
/* Makes the tile that of the phase of few tiles; how many are not few. */
void gp_mma_small(const Target *t, int element, int64_t *par);
static inline int64_t gp_mma_many(const Target *t)
{
	return t->processors * 3 / 4;
}

#define MMA_MAX_STAGES (KERNEL_MAX_GROUPS + 1)

typedef struct MmaOperand {
	bool packed; /* by a phase of its own, unless each of these holds */
	Ex conds[GP_DIMS];
	uint32_t nconds;
	bool along;               /* in memory k is the last axis */
	uint32_t packing;         /* its memory */
	bool varies[TN_MAX_RANK]; /* with the batch axis */
	uint32_t tile;            /* the block's: a ring of tiles */
	/* wgmma: windows on it as it lies, and packed; their numbers in the
	 * phase */
	KMap lying, whole;
	uint32_t lying_number, whole_number;
} MmaOperand;

typedef struct Mma {
	GpuProduct *p;
	MatrixUnit unit;
	DType element;
	int64_t chunk;        /* elements of 16 bytes */
	int64_t down, across; /* warps */
	MmaOperand in[2];
	uint32_t block; /* what a worker packs, or GP_NO_BLOCK */
	uint32_t sums;
} Mma;

/* Of a stage of the ring, either way the operands lie. */
int64_t gp_mma_stage_bytes(const int64_t *par, int element);
/* Adds the products of a block of K to the sums: of so many of its steps. */
void gp_mma_multiply(Mma *m, Ex block, int64_t first, int64_t steps);

/* ---- gpu_contract_end.c ---------------------------------------------- */

/* The registers of the sums. */
void gp_mma_sums(Mma *m);
/* Zeros, and what follows the sums. */
void gp_mma_clear(Mma *m);
void gp_mma_finish(Mma *m);

/* ---- gpu_contract_pack.c --------------------------------------------- */

#define GP_NO_BLOCK UINT32_MAX
/* A phase that writes the operand to memory, k along where it was or the unit
 * cannot turn it; none of its tasks where its conditions hold. */
void gp_mma_pack(Mma *m, int number);

/* ---- gpu_contract_wgmma.c -------------------------------------------- */

/* Whether boxes may bring the operand as it lies, where the conditions hold;
 * if so fills its window. */
bool gp_wgmma_lies(GpuProduct *p, int number, MmaOperand *o);
/* The tile buffers; the phase that is open multiplies. */
void gp_wgmma_buffers(Mma *m);
void gp_wgmma_main(Mma *m);

#endif
