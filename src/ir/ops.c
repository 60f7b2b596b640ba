/*
 * ops: the tables of dtypes and ops, made from their .def files, and the
 * questions passes ask of them.
 */
#include "ir/program.h"

#include <string.h>

const DTypeInfo dtype_info[DT_COUNT] = {
#define DTYPE(e, name, bytes, cls, prec, npy)                                  \
	[DT_##e] = {name, bytes, DTC_##cls, prec, npy},
#include "ir/dtype.def"
#undef DTYPE
};

enum DomainLetter {
	F = 'F',
	I = 'I',
	B = 'B',
	N = 'N',
	A = 'A'
};

const OpInfo op_info[OP_COUNT] = {
#define OP(e, name, cls, arity, dom, attrs, ulp, result, synopsis)             \
	[OP_##e] = {name,  OPC_##cls, arity,        (char)dom,                 \
		    attrs, ulp,       OPR_##result, synopsis},
#include "ir/op.def"
#undef OP
};

bool dtype_parse(const char *name, DType *out)
{
	for (int d = 0; d < DT_COUNT; d++)
		if (strcmp(dtype_info[d].name, name) == 0) {
			*out = (DType)d;
			return true;
		}
	return false;
}

DType dtype_default_acc(DType d)
{
	return dtype_is_float(d) && dtype_info[d].bytes == 2 ? DT_F32 : d;
}

DType dtype_interior(DType d)
{
	return dtype_default_acc(d);
}

bool op_parse(const char *name, Op *out)
{
	for (int o = 0; o < OP_COUNT; o++)
		if (strcmp(op_info[o].name, name) == 0) {
			*out = (Op)o;
			return true;
		}
	return false;
}

bool op_has(Op op, char attr)
{
	return strchr(op_info[op].attrs, attr) != NULL;
}

bool op_admits(Op op, DType operand)
{
	DTypeClass c = dtype_info[operand].cls;
	switch (op_info[op].domain) {
	case F:
		return c == DTC_F;
	case I:
		return c == DTC_I || c == DTC_U;
	case B:
		return c == DTC_B;
	case N:
		return c != DTC_B;
	default:
		return true;
	}
}
