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
	ACC_KIND_COUNT,
} AccKind;
/* What explain, JSON and plans call it: f32.tc.avx512_bf16. */
extern const char *const acc_kind_name[ACC_KIND_COUNT];
bool acc_kind_parse(const char *name, AccKind *out);
/* Whether subnormal operands and sums are zeros. */
static inline bool acc_flushes(AccKind acc)
{
	return acc == ACC_AVX512_BF16 || acc == ACC_AMX_BF16;
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
} UnitInfo;
extern const UnitInfo unit_info[UNIT_COUNT];
bool unit_parse(const char *name, MatrixUnit *out);
/* Whether the unit multiplies elements of d and sums them in acc. */
bool unit_takes(MatrixUnit u, DType d, DType acc);
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

#endif
