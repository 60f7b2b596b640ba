/*
 * unit: the matrix units of processors, and the accumulators they sum in.
 *
 * A unit multiplies words of 32 bits that hold elements next to each other
 * along k, and adds all products of two words to one 32-bit sum. What it
 * rounds, and in which order, is the unit's own: a float unit has an
 * accumulator of its own name (docs/contract.md, "Matrix units"), which a plan
 * records for each contraction and the oracle judges by. Integers are exact
 * modulo 2^32 in any unit.
 */
#ifndef TENON_IR_UNIT_H
#define TENON_IR_UNIT_H

#include "ir/program.h"

/* The accumulator a plan recorded for a contraction. */
typedef enum AccKind {
	ACC_IEEE, /* multiply-add in the Value's acc dtype, in any order */
	/* exact products of bf16, sums in f32 rounded to nearest; subnormal
	 * operands count as zeros, subnormal sums become zeros */
	ACC_AVX512_BF16,
	ACC_AMX_BF16,
	/* exact products of the halves of f16, sums in f32 rounded to
	 * nearest; nothing is subnormal */
	ACC_AMX_F16,
	/* exact products of f16, bf16 or TF32, in groups of at least four:
	 * these and the sum so far are cut off at a common place and added, and
	 * the sum is cut off to f32; nothing is flushed */
	ACC_MMA,
	ACC_WGMMA, /* the same, by its own name */
	/* exact products of f16 or bf16, added in any order by such groups of
	 * any size or one by one, rounded to nearest: a library's */
	ACC_ANY,
	/* exact products of bf16, sums in f32 rounded to nearest in any order;
	 * subnormals as in ACC_AVX512_BF16: a library's */
	ACC_ANY_BF16,
	ACC_KIND_COUNT,
} AccKind;
/* What explain, JSON and plans call it: f32.tc.avx512_bf16. */
extern const char *const acc_kind_name[ACC_KIND_COUNT];
bool acc_kind_parse(const char *name, AccKind *out);
/* Whether subnormal operands and sums are zeros. */
static inline bool acc_flushes(AccKind acc)
{
	return acc == ACC_AVX512_BF16 || acc == ACC_AMX_BF16 ||
	       acc == ACC_ANY_BF16;
}
/* Whether groups of terms are cut off at a common place. */
static inline bool acc_cuts(AccKind acc)
{
	return acc == ACC_MMA || acc == ACC_WGMMA || acc == ACC_ANY;
}
/*
 * A sum of k terms, `terms` of them not zero, is off by no more than a sum in
 * any order of so many terms may be.
 */
double acc_terms(AccKind acc, double terms, double k);

typedef enum MatrixUnit {
	UNIT_FMA, /* none: multiply-adds of vectors */
	UNIT_AVX512_BF16,
	UNIT_AVX512_VNNI,
	UNIT_AMX_BF16,
	UNIT_AMX_INT8,
	UNIT_AMX_F16,
	UNIT_MMA,   /* of a GPU: mma.sync of CUDA's sm_80 and later */
	UNIT_WGMMA, /* wgmma of sm_90a */
	UNIT_COUNT,
} MatrixUnit;

typedef struct UnitInfo {
	const char *name;
	AccKind acc;
	bool tiles; /* whole tiles of 16 rows x 64 bytes in a register */
	/*
	 * Parts that an element is the sum of, each of its own in the packed
	 * operands; all products of two parts are added. 1: the element is
	 * taken as it is. 2: an f16 as two bf16, its upper 8 significant bits
	 * and the rest (kernel.h, PART).
	 */
	int parts;
	bool threads; /* all threads of a block work on one DOT */
} UnitInfo;
extern const UnitInfo unit_info[UNIT_COUNT];
/* A GPU's own multiply-adds go by the name simt as well. */
bool unit_parse(const char *name, MatrixUnit *out);
/* The accumulator of sums of dtype acc; integers are exact in every unit. */
AccKind unit_acc(MatrixUnit u, DType acc);
/* Whether the unit multiplies elements of d and sums them in acc, in a def of
 * such relaxations: f32 goes in as TF32 where it says so. */
bool unit_takes(MatrixUnit u, DType d, DType acc, uint32_t relax);
/*
 * Whether a matmul by the unit takes less time than by multiply-adds, as far as
 * its extents are known; the unit takes it.
 */
bool unit_pays(MatrixUnit u, const Program *p, const Value *matmul);
/* The dtype of elements of d in packed operands. */
DType unit_packed(MatrixUnit u, DType d);

/* A set of units. */
#define UNIT_BIT(u) (1u << (u))

/* Bytes of a row of elements, or of a vector of words, that a unit folds at a
 * time; words in it. */
#define UNIT_BYTES 64
#define UNIT_WORDS 16
#define WORD_BYTES 4

/* Of a unit of threads: rows and columns of one instruction's sums, bytes along
 * k of its operands, threads that make it. A WGMMA is made by four warps below
 * each other, each with its rows, and has as many columns as the tile. */
#define MMA_ROWS    16
#define MMA_COLUMNS 8
#define MMA_BYTES   32
#define MMA_THREADS 32
#define WGMMA_WARPS 4

#endif
