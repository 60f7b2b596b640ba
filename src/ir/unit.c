/* unit: names and admitted dtypes of matrix units and accumulators. */
#include "ir/unit.h"

#include <string.h>

const char *const acc_kind_name[ACC_KIND_COUNT] = {
	[ACC_IEEE] = "ieee",
	[ACC_AVX512_BF16] = "f32.tc.avx512_bf16",
	[ACC_AMX_BF16] = "f32.tc.amx_bf16",
	[ACC_MMA] = "f32.tc.mma",
	[ACC_WGMMA] = "f32.tc.wgmma",
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
	[UNIT_FMA] = {"fma", ACC_IEEE, false, false},
	[UNIT_AVX512_BF16] = {"avx512_bf16", ACC_AVX512_BF16, false, false},
	[UNIT_AVX512_VNNI] = {"avx512_vnni", ACC_IEEE, false, false},
	[UNIT_AMX_BF16] = {"amx_bf16", ACC_AMX_BF16, true, false},
	[UNIT_AMX_INT8] = {"amx_int8", ACC_IEEE, true, false},
	[UNIT_MMA] = {"mma", ACC_MMA, false, true},
	[UNIT_WGMMA] = {"wgmma", ACC_WGMMA, false, true},
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

bool unit_takes(MatrixUnit u, DType d, DType acc)
{
	switch (u) {
	case UNIT_FMA:
		return true;
	case UNIT_AVX512_BF16:
	case UNIT_AMX_BF16:
		return d == DT_BF16 && acc == DT_F32;
	case UNIT_AVX512_VNNI:
	case UNIT_AMX_INT8:
		return (d == DT_I8 || d == DT_U8) &&
		       (acc == DT_I32 || acc == DT_U32);
	case UNIT_MMA:
	case UNIT_WGMMA:
		return dtype_is_float(d)
			       ? (d == DT_F16 || d == DT_BF16) && acc == DT_F32
			       : (d == DT_I8 || d == DT_U8) &&
					 (acc == DT_I32 || acc == DT_U32);
	case UNIT_COUNT:
		break;
	}
	bug("matrix unit %d", (int)u);
}
