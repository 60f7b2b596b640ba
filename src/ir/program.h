/*
 * program: stages 1 and 2, what is computed.
 *
 * A Program is one entry def with every call expanded: values in
 * topological order, each with dtype, shape, operands and place. Every
 * value is a boundary: it is rounded once to its dtype. Broadcasts are
 * explicit views, so that the operands of an ELEM op have its shape.
 * Stage 2 is the same structure after exact rewrites.
 */
#ifndef TENON_IR_PROGRAM_H
#define TENON_IR_PROGRAM_H

#include "ir/expr.h"

#define TN_MAX_RANK 8

typedef enum DType {
#define DTYPE(e, name, bytes, cls, prec, npy) DT_##e,
#include "ir/dtype.def"
#undef DTYPE
	DT_COUNT,
} DType;

typedef enum DTypeClass {
	DTC_F,
	DTC_I,
	DTC_U,
	DTC_B
} DTypeClass;

typedef struct DTypeInfo {
	const char *name;
	int bytes;
	DTypeClass cls;
	int precision; /* significand bits of floats, value bits of others */
	const char *npy;
} DTypeInfo;
extern const DTypeInfo dtype_info[DT_COUNT];
bool dtype_parse(const char *name, DType *out);
static inline bool dtype_is_float(DType d)
{
	return dtype_info[d].cls == DTC_F;
}
/* The dtype that sums of d use unless said otherwise: f32 for 16-bit
 * floats, d itself else (integers wrap). */
DType dtype_default_acc(DType d);
/* The dtype of a composition's interior: max(f32, d) for floats. */
DType dtype_interior(DType d);

typedef enum Op {
#define OP(e, ...) OP_##e,
#include "ir/op.def"
#undef OP
	OP_COUNT,
} Op;

typedef enum OpClass {
	OPC_LEAF,
	OPC_ELEM,
	OPC_VIEW,
	OPC_MOVE,
	OPC_REDUCE,
	OPC_SCAN,
	OPC_CONTRACT,
} OpClass;

typedef enum OpResult {
	OPR_same,
	OPR_bool,
	OPR_index,
	OPR_attr,
} OpResult;

typedef struct OpInfo {
	const char *name;
	OpClass cls;
	int arity;
	char domain; /* 'F' 'I' 'B' 'N' 'A' */
	const char *attrs;
	double ulp;
	OpResult result;
	const char *synopsis;
} OpInfo;
extern const OpInfo op_info[OP_COUNT];
bool op_parse(const char *name, Op *out);
bool op_has(Op op, char attr);        /* one letter of attrs */
bool op_admits(Op op, DType operand); /* by domain */

/* Relaxations of @contract(...), a bit set a value. */
typedef enum Relax {
	RELAX_SINGLE_ROUNDING =
		1 << 0,             /* a matmul or reduction's boundary may be
	    dropped where its one consumer is elementwise in the same kernel */
	RELAX_CONTRACTION = 1 << 1, /* a product feeding an add or sub may lose
		its boundary: one fused multiply-add */
	RELAX_REASSOCIATE = 1 << 2, /* sums may merge across values */
	RELAX_ROW_INVARIANT = 1 << 3, /* not a relaxation: asks for more */
	RELAX_TF32 = 1 << 4, /* operands of f32 products may lose their bits
		below those of TF32 */
} Relax;

typedef uint32_t ValueId;
#define NO_VALUE UINT32_MAX

typedef struct Value {
	Op op;
	DType dtype;
	uint8_t rank;
	Ex shape[TN_MAX_RANK];
	uint32_t nargs;
	const ValueId *args;

	/* attributes; those an op does not use are zero */
	DType acc;                 /* SUM PROD CUMSUM MATMUL: the accumulator */
	uint32_t axes;             /* REDUCE: bit set of operand axes */
	uint32_t axis;             /* IOTA CONCAT GATHER SCATTER* CUMSUM */
	uint32_t index;            /* INPUT: argument number */
	uint8_t perm[TN_MAX_RANK]; /* TRANSPOSE */
	Ex start[TN_MAX_RANK];     /* SLICE; PAD: elements before */
	int64_t step[TN_MAX_RANK]; /* SLICE */
	Ex map[TN_MAX_RANK]; /* VIEW: one an operand axis, over axes i0... of
				the result */
	const void *data;    /* CONST: bytes, native order, row-major */
	size_t data_size;
	const char *file, *tensor; /* WEIGHT; tensor NULL for .npy */

	uint32_t relax;   /* Relax bits of the def that wrote it */
	Loc loc;          /* place in the user's text: the outermost call */
	const char *name; /* the author's name for it, or NULL */
	const char *via;  /* defs it was expanded from, outermost first, as
		`softmax` or `mlp/softmax`; NULL when written directly */
} Value;

typedef struct Result {
	ValueId value;
	const char *name; /* never NULL; unique; y, or y0 y1 ... if unnamed */
	Loc loc;
} Result;

/* A named set of sizes: `dims main: M = 1024, K = 768`. The first set is the
 * default binding. values[i] belongs to dim i; -1 where the set is silent. */
typedef struct DimSet {
	const char *name;
	const int64_t *values;
	size_t nvalues;
	Loc loc;
} DimSet;

typedef struct Program {
	Arena *arena;
	ExprTab ex;
	const char *name; /* of the entry def */
	VEC(Value) values;
	VEC(ValueId) inputs; /* in argument order */
	VEC(Result) results;
	VEC(ValueId) donated; /* inputs whose buffer a result may reuse */
	VEC(DimSet) dimsets;
	VEC(const char *)
	sources; /* names of the context's sources, for the
text form; program_infer keeps them up */
	Loc loc;
	/* Stage 2: the value that stands for each of stage 1, NO_VALUE: none;
	 * in an alternative, for a sum of floats, the one whose kernel sums its
	 * elements. NULL where nothing was rewritten, or it was read from text.
	 */
	const ValueId *now;
	size_t nnow;
} Program;

void program_init(Program *p, Arena *a, const char *name);
/* Appends a value (args and data are copied into the arena). */
ValueId program_add(Program *p, const Value *v);
Value *program_value(const Program *p, ValueId v);
/* Number of elements as an expression. */
Ex program_elements(Program *p, ValueId v);
/* A program with everything copied into arena a. */
Program *program_copy(Arena *a, const Program *p);

/*
 * Shape and dtype rules, one for the front end and the rewriter: fills
 * v->dtype (unless the op's result is `attr`), rank and shape from op,
 * args and attributes, or reports at v->loc why it cannot. Leaves, RESHAPE,
 * SLICE, BROADCAST, VIEW and PAD need their result's rank and shape beside
 * their attributes; ops whose result is `attr` need dtype and acc.
 */
bool program_infer(Ctx *ctx, Program *p, Value *v);
/*
 * Before the broadcasts of an elementwise value are made: fills v->rank and
 * v->shape with what its operands (v->args) broadcast to, aligned at the
 * right, or reports at v->loc which extents disagree.
 */
bool program_broadcast_shape(Ctx *ctx, Program *p, Value *v);
/* `f16[M, 768]`; a scalar is its dtype alone. */
void program_print_type(Buf *b, const Program *p, const Value *v);

/* The stage's laws; any breach is a bug of Tenon: false, with text in why. */
bool program_verify(const Program *p, Buf *why);

void program_print(const Program *p, Buf *b);
/* The same without places and names of sources: what is computed, wherever it
 * is written. It does not read back. */
void program_print_plain(const Program *p, Buf *b);
/*
 * Reads what program_print writes, whatever the bytes; what the rules of
 * inference or the verifier refuse is an error at its place. NULL then. The
 * sources that it names are added to ctx without text, unless there.
 */
Program *program_parse(Ctx *ctx, Arena *a, uint32_t source);

/* Users of each value, args counted once each; results count as uses. */
typedef struct Uses {
	uint32_t *first; /* nvalues + 1 offsets into list */
	ValueId *list;
	bool *is_result;
} Uses;
Uses program_uses(Arena *a, const Program *p);

/* ---- data ------------------------------------------------------------ */

/*
 * A tensor in memory. strides in bytes; contiguous row-major unless a
 * caller says otherwise. bool is one byte, 0 or 1.
 */
typedef struct Tensor {
	DType dtype;
	uint8_t rank;
	int64_t shape[TN_MAX_RANK];
	int64_t strides[TN_MAX_RANK];
	void *data;
} Tensor;

int64_t tensor_elements(const Tensor *t); /* rank 0: 1; -1 on overflow */
size_t tensor_bytes(const Tensor *t);
bool tensor_is_contiguous(const Tensor *t);
void tensor_set_contiguous(Tensor *t); /* strides from shape */

/* dims[i] for each dim of p->ex. */
typedef struct Binding {
	int64_t *dims;
	size_t ndims;
} Binding;

#endif
