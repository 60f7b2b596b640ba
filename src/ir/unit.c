/* unit: names and admitted dtypes of matrix units and accumulators. */
#include "ir/unit.h"

#include <math.h>
#include <string.h>

const char *const acc_kind_name[ACC_KIND_COUNT] = {
	[ACC_IEEE] = "ieee",
	[ACC_AVX512_BF16] = "f32.tc.avx512_bf16",
	[ACC_AMX_BF16] = "f32.tc.amx_bf16",
	[ACC_AMX_F16] = "f32.tc.amx_f16",
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
	[UNIT_FMA] = {"fma", ACC_IEEE, false, 1},
	[UNIT_AVX512_BF16] = {"avx512_bf16", ACC_AVX512_BF16, false, 1},
	[UNIT_AVX512_VNNI] = {"avx512_vnni", ACC_IEEE, false, 1},
	[UNIT_AMX_BF16] = {"amx_bf16", ACC_AMX_BF16, true, 1},
	[UNIT_AMX_INT8] = {"amx_int8", ACC_IEEE, true, 1},
	[UNIT_AMX_F16] = {"amx_f16", ACC_AMX_F16, true, 2},
};

bool unit_parse(const char *name, MatrixUnit *out)
{
	for (int i = 0; i < UNIT_COUNT; i++)
		if (!strcmp(unit_info[i].name, name)) {
			*out = (MatrixUnit)i;
			return true;
		}
	return false;
}

bool unit_takes(MatrixUnit u, DType d, DType acc)
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
	case UNIT_COUNT:
		break;
	}
	bug("matrix unit %d", (int)u);
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
