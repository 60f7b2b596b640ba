/* unit: names and admitted dtypes of matrix units and accumulators. */
#include "ir/unit.h"

#include <math.h>
#include <string.h>

const char *const acc_kind_name[ACC_KIND_COUNT] = {
	[ACC_IEEE] = "ieee",
	[ACC_AVX512_BF16] = "f32.tc.avx512_bf16",
	[ACC_AMX_BF16] = "f32.tc.amx_bf16",
	[ACC_AMX_F16] = "f32.tc.amx_f16",
	[ACC_MMA] = "f32.tc.mma",
	[ACC_WGMMA] = "f32.tc.wgmma",
	[ACC_ANY] = "f32.tc.any",
	[ACC_ANY_BF16] = "f32.tc.any_bf16",
};

bool acc_kind_parse(const char *name, AccKind *out)
{
	for (int i = 0; i < ACC_KIND_COUNT; i++)
		if (!strcmp(acc_kind_name[i], name)) {
			*out = (AccKind)i;
			return true;
		}
	return false;
}

const UnitInfo unit_info[UNIT_COUNT] = {
	[UNIT_FMA] = {"fma", ACC_IEEE, false, 1, false},
	[UNIT_AVX512_BF16] = {"avx512_bf16", ACC_AVX512_BF16, false, 1, false},
	[UNIT_AVX512_VNNI] = {"avx512_vnni", ACC_IEEE, false, 1, false},
	[UNIT_AMX_BF16] = {"amx_bf16", ACC_AMX_BF16, true, 1, false},
	[UNIT_AMX_INT8] = {"amx_int8", ACC_IEEE, true, 1, false},
	[UNIT_AMX_F16] = {"amx_f16", ACC_AMX_F16, true, 2, false},
	[UNIT_MMA] = {"mma", ACC_MMA, false, 1, true},
	[UNIT_WGMMA] = {"wgmma", ACC_WGMMA, false, 1, true},
};

AccKind unit_acc(MatrixUnit u, DType acc)
{
	return dtype_is_float(acc) ? unit_info[u].acc : ACC_IEEE;
}

bool unit_parse(const char *name, MatrixUnit *out)
{
	if (!strcmp(name, "simt")) {
		*out = UNIT_FMA;
		return true;
	}
	for (int i = 0; i < UNIT_COUNT; i++)
		if (!strcmp(unit_info[i].name, name)) {
			*out = (MatrixUnit)i;
			return true;
		}
	return false;
}

bool unit_takes(MatrixUnit u, DType d, DType acc, uint32_t relax)
{
	switch (u) {
	case UNIT_FMA:
		return true;
	case UNIT_AVX512_BF16:
	case UNIT_AMX_BF16:
		return d == DT_BF16 && acc == DT_F32;
	case UNIT_AMX_F16:
		return d == DT_F16 && acc == DT_F32;
	case UNIT_AVX512_VNNI:
	case UNIT_AMX_INT8:
		return (d == DT_I8 || d == DT_U8) &&
		       (acc == DT_I32 || acc == DT_U32);
	case UNIT_MMA:
	case UNIT_WGMMA:
		if (d == DT_F16 || d == DT_BF16)
			return acc == DT_F32;
		if (d == DT_F32)
			return acc == DT_F32 && (relax & RELAX_TF32);
		return (d == DT_I8 || d == DT_U8) &&
		       (acc == DT_I32 || acc == DT_U32);
	case UNIT_COUNT:
		break;
	}
	bug("matrix unit %d", (int)u);
}

/* An extent, or so many where it is not known. */
static double extent_or(const Program *p, Ex extent, double unknown)
{
	int64_t n;

	return ex_is_const(&p->ex, extent, &n) ? (double)n : unknown;
}

static double round_up(double x, double by)
{
	return ceil(x / by) * by;
}

static bool is_fixed(const Program *p, ValueId id)
{
	const Value *v = program_value(p, id);

	while (op_info[v->op].cls == OPC_VIEW)
		v = program_value(p, v->args[0]);
	return v->op == OP_WEIGHT || v->op == OP_CONST;
}

/*
 * Measured on a Xeon of the fourth generation, in multiply-adds of vectors: one
 * by the tiles, whose rows, columns and steps are filled up, and taking an
 * element apart; a weight is taken apart before, but is twice as much to read.
 */
#define TILE_COST  0.28
#define PART_COST  17
#define FIXED_COST 8

bool unit_pays(MatrixUnit u, const Program *p, const Value *v)
{
	const Value *a = program_value(p, v->args[0]);
	double m, n, k, parts;

	if (unit_info[u].parts == 1)
		return true;
	/* the choice would depend on the number of rows */
	if (v->relax & RELAX_ROW_INVARIANT)
		return false;
	m = extent_or(p, v->shape[v->rank - 2], 1024);
	n = extent_or(p, v->shape[v->rank - 1], 1024);
	k = extent_or(p, a->shape[a->rank - 1], 1024);
	parts = PART_COST * m +
		(is_fixed(p, v->args[1]) ? FIXED_COST : PART_COST) * n;
	return m * n * k > TILE_COST * round_up(m, m > 16 ? 32 : 16) *
					   round_up(n, n > 16 ? 32 : 16) *
					   round_up(k, 32) +
				   parts * k;
}

DType unit_packed(MatrixUnit u, DType d)
{
	return unit_info[u].parts > 1 ? DT_BF16 : d;
}

/*
 * By halves, the four products of a step of 32 elements are added one after
 * another. Within one of them a term meets 15 others at most, then the sum of
 * the odd or even ones; then each product's sum of this step and of those
 * after it, the first of which is added to 0: 4 * steps + 15 roundings, and one
 * term more. Where few terms are not zero, each has four parts.
 */
double acc_terms(AccKind acc, double terms, double k)
{
	double steps = ceil(k / 32);

	if (acc != ACC_AMX_F16 || terms < 2)
		return terms;
	return fmin(4 * terms, 4 * steps + 16);
}
