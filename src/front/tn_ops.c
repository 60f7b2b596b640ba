/*
 * tn_ops: the built-in functions.
 *
 * One table: name, parameters, maker. A parameter `x` must be given, `x=`
 * may be left out (it is then VAL_NONE), `*x` takes the remaining arguments
 * or one list. What can be said in the language itself is not here but in
 * prelude.c; what only the prelude may call is marked so.
 */
#include "front/tn_build.h"

#include <string.h>

/* ---- arguments ------------------------------------------------------- */

static bool flag(Build *b, const Val *v, const char *name, bool *out)
{
	*out = v->truth;
	return v->kind == VAL_NONE || v->kind == VAL_BOOL ||
	       fail_at(b, v->loc, NULL,
		       "`%s` must be True or False, and this "
		       "is %s",
		       name, val_text(b, v));
}

static bool dtype_or(Build *b, const Val *v, DType fallback, DType *out)
{
	*out = v->kind == VAL_DTYPE ? v->dtype : fallback;
	return v->kind == VAL_NONE || v->kind == VAL_DTYPE ||
	       fail_at(b, v->loc, "write dtype=f32",
		       "`dtype` must be a dtype, and this is %s",
		       val_text(b, v));
}

/* An axis number of a tensor of this rank; negative counts from the end. */
static bool axis_of(Build *b, const Val *v, int rank, uint32_t *out)
{
	int64_t n;
	if (v->kind == VAL_TENSOR && strncmp(b->called, "m", 1) == 0)
		return fail_at(b, v->loc,
			       "maximum(a, b) and minimum(a, b) compare two "
			       "tensors",
			       "`%s`: an axis is an integer, and this is %s",
			       b->called, val_text(b, v));
	if (!val_to_int(b, v, "an axis", &n))
		return false;
	if (n >= rank || n < -rank)
		return fail_at(b, v->loc,
			       rank ? arena_printf(b->arena,
						   "its axes are 0 to %d, or "
						   "-%d to -1 from the end",
						   rank - 1, rank)
				    : "a scalar has no axes",
			       "`%s`: axis %lld does not exist", b->called,
			       (long long)n);
	*out = (uint32_t)(n < 0 ? n + rank : n);
	return true;
}

/* A set of axes: all when v is None, else one integer or a list. */
static bool axes_of(Build *b, const Val *v, int rank, uint32_t *out)
{
	*out = (1u << rank) - 1;
	if (v->kind == VAL_NONE)
		return true;
	*out = 0;
	const Val *items = v->kind == VAL_LIST ? v->items : v;
	size_t n = v->kind == VAL_LIST ? v->n : 1;
	for (size_t i = 0; i < n; i++) {
		uint32_t axis;
		if (!axis_of(b, &items[i], rank, &axis))
			return false;
		if (*out >> axis & 1)
			return fail_at(b, items[i].loc, NULL,
				       "`%s`: axis %u is named twice",
				       b->called, axis);
		*out |= 1u << axis;
	}
	return true;
}

/* ---- elementwise ----------------------------------------------------- */

static bool make_one(Build *b, const Builtin *f, const Val *arg, Val *out)
{
	return make_unary(b, f->op, &arg[0], out);
}

static bool make_two(Build *b, const Builtin *f, const Val *arg, Val *out)
{
	return make_elementwise(b, f->op, f->name, arg, 2, out);
}

static bool make_where(Build *b, const Builtin *f, const Val *arg, Val *out)
{
	if (!need_tensor(b, &arg[0]))
		return false;
	if (val_value(b, &arg[0]).dtype != DT_BOOL)
		return fail_at(b, arg[0].loc, "compare first: x != 0",
			       "the condition of `where` is bool, and this is "
			       "%s",
			       val_text(b, &arg[0]));
	return make_elementwise(b, OP_WHERE, f->name, arg, 3, out);
}

static bool make_cast_to(Build *b, const Builtin *f, const Val *arg, Val *out)
{
	(void)f;
	DType d;
	return dtype_or(b, &arg[1], DT_F32, &d) &&
	       make_cast(b, &arg[0], d, out);
}

/* ---- views and movement ---------------------------------------------- */

static bool make_transposed(Build *b, const Builtin *f, const Val *arg,
			    Val *out)
{
	(void)f;
	if (!need_tensor(b, &arg[0]))
		return false;
	int rank = val_value(b, &arg[0]).rank;
	uint8_t perm[TN_MAX_RANK];
	size_t n = arg[1].n;
	if (!n) {
		for (int i = 0; i < rank; i++)
			perm[i] = (uint8_t)(rank - 1 - i);
		return make_transpose(b, &arg[0], perm, out);
	}
	uint32_t seen = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t axis;
		if (!axis_of(b, &arg[1].items[i], rank, &axis))
			return false;
		if (seen >> axis & 1)
			return fail_at(b, arg[1].items[i].loc, NULL,
				       "`transpose`: axis %u is named twice",
				       axis);
		seen |= 1u << axis;
		perm[i] = (uint8_t)axis;
	}
	if (n != (size_t)rank)
		return fail_at(b, b->at, "name each axis once",
			       "`transpose` of %s names %zu axes",
			       val_text(b, &arg[0]), n);
	return make_transpose(b, &arg[0], perm, out);
}

/* Extents from a list; one -1 stands for what the others leave. */
static bool reshape_extents(Build *b, const Val *x, const Val *list, Ex *shape)
{
	ExprTab *t = &b->p->ex;
	Ex rest = ex_const(t, 1), total = program_elements(b->p, x->id);
	int64_t n;
	size_t unknown = list->n;
	for (size_t i = 0; i < list->n; i++) {
		if (!val_to_extent(b, &list->items[i], "an extent", &shape[i]))
			return false;
		if (!ex_is_const(t, shape[i], &n) || n >= 0) {
			rest = ex_mul(t, rest, shape[i]);
			continue;
		}
		if (n != -1 || unknown < list->n)
			return fail_at(b, list->items[i].loc,
				       "extents are 0 or more; one may be -1",
				       n == -1 ? "`reshape`: a second -1"
					       : "`reshape`: extent %lld is "
						 "negative",
				       (long long)n);
		unknown = i;
	}
	if (!extent_check(b))
		return false;
	if (unknown == list->n)
		return true;
	if (ex_equals(t, rest, 0) ||
	    !ex_divide(t, total, rest, &shape[unknown]))
		return fail_at(b, list->items[unknown].loc,
			       "write the extent instead",
			       "`reshape` of %s: -1 stands for no extent, as "
			       "%s elements are no multiple of %s",
			       val_text(b, x), extent_text(b, total),
			       extent_text(b, rest));
	return true;
}

static bool make_reshaped(Build *b, const Builtin *f, const Val *arg, Val *out)
{
	(void)f;
	Ex shape[TN_MAX_RANK];
	if (!need_tensor(b, &arg[0]))
		return false;
	if (arg[1].n > TN_MAX_RANK)
		return fail_at(b, b->at, NULL, "rank %zu; %d is the most",
			       arg[1].n, TN_MAX_RANK);
	return reshape_extents(b, &arg[0], &arg[1], shape) &&
	       make_reshape(b, &arg[0], shape, arg[1].n, out);
}

static bool make_broadcasted(Build *b, const Builtin *f, const Val *arg,
			     Val *out)
{
	(void)f;
	Ex shape[TN_MAX_RANK];
	size_t n;
	return need_tensor(b, &arg[0]) &&
	       val_to_extents(b, &arg[1], "an extent", shape, &n) &&
	       make_broadcast(b, &arg[0], shape, n, out);
}

static bool make_concat(Build *b, const Builtin *f, const Val *arg, Val *out)
{
	(void)f;
	if (arg[0].kind != VAL_LIST || !arg[0].n)
		return fail_at(b, arg[0].loc, "write concat([a, b], axis=0)",
			       "`concat` takes a list of tensors, and this is "
			       "%s",
			       val_text(b, &arg[0]));
	size_t n = arg[0].n;
	ValueId *ids = arena_array(b->arena, ValueId, n);
	const Val *typed = NULL;
	for (size_t i = 0; i < n && !typed; i++)
		if (arg[0].items[i].kind == VAL_TENSOR)
			typed = &arg[0].items[i];
	if (!typed)
		return need_tensor(b, &arg[0].items[0]);
	Value like = val_value(b, typed);
	for (size_t i = 0; i < n; i++) {
		Val v;
		if (!val_materialise(b, &arg[0].items[i], like.dtype, &v))
			return false;
		ids[i] = v.id;
	}
	Value v = {.op = OP_CONCAT, .nargs = (uint32_t)n, .args = ids};
	if (arg[1].kind != VAL_NONE && !axis_of(b, &arg[1], like.rank, &v.axis))
		return false;
	return emit(b, &v, out);
}

/* Widths of a pad: one for all axes, or one an axis; none below 0. */
static bool pad_widths(Build *b, const Val *v, int rank, Ex *out)
{
	size_t n;
	int64_t k;
	if (!val_to_extents(b, v, "a width", out, &n))
		return false;
	if (v->kind != VAL_LIST)
		for (int i = 1; i < rank; i++)
			out[i] = out[0];
	else if (n != (size_t)rank)
		return fail_at(b, v->loc, "give one width an axis",
			       "`pad` has %zu widths for rank %d", n, rank);
	for (int i = 0; i < rank; i++)
		if (ex_is_const(&b->p->ex, out[i], &k) && k < 0)
			return fail_at(b, v->loc, "x[a:b] takes a part",
				       "`pad`: the width %lld is negative",
				       (long long)k);
	return true;
}

static bool make_padded(Build *b, const Builtin *f, const Val *arg, Val *out)
{
	(void)f;
	Ex before[TN_MAX_RANK], after[TN_MAX_RANK];
	Val fill, zero = {.kind = VAL_NUMBER, .loc = b->at};
	if (!need_tensor(b, &arg[0]))
		return false;
	Value x = val_value(b, &arg[0]);
	zero.number = literal_int(b->arena, 0);
	if (x.dtype == DT_BOOL)
		zero.kind = VAL_BOOL;
	if (!pad_widths(b, &arg[1], x.rank, before) ||
	    !pad_widths(b, &arg[2], x.rank, after) ||
	    !val_materialise(b, arg[3].kind == VAL_NONE ? &zero : &arg[3],
			     x.dtype, &fill))
		return false;
	return make_pad(b, &arg[0], before, after, &fill, out);
}

/* Numbers among the indices are judged against a known extent. */
static bool index_in_range(Build *b, const Val *index, const Value *x,
			   uint32_t axis)
{
	int64_t i, extent;
	if (index->kind == VAL_LIST) {
		for (size_t k = 0; k < index->n; k++)
			if (!index_in_range(b, &index->items[k], x, axis))
				return false;
		return true;
	}
	if (index->kind != VAL_NUMBER ||
	    !literal_to_int64(&index->number, &i) ||
	    !ex_is_const(&b->p->ex, x->shape[axis], &extent) ||
	    (i < extent && i >= -extent))
		return true;
	return fail_at(b, index->loc, NULL,
		       "index %lld is out of range for axis %u, of extent %lld",
		       (long long)i, axis, (long long)extent);
}

static bool make_gather(Build *b, const Builtin *f, const Val *arg, Val *out)
{
	(void)f;
	Val index;
	Value v = {.op = OP_GATHER, .nargs = 2};
	if (!need_tensor(b, &arg[0]))
		return false;
	Value x = val_value(b, &arg[0]);
	if (!x.rank)
		return fail_at(b, b->at, NULL, "`gather` of a scalar");
	if ((arg[2].kind != VAL_NONE &&
	     !axis_of(b, &arg[2], x.rank, &v.axis)) ||
	    !index_in_range(b, &arg[1], &x, v.axis) ||
	    !val_materialise(b, &arg[1], DT_I64, &index))
		return false;
	ValueId ids[2] = {arg[0].id, index.id};
	v.args = ids;
	return emit(b, &v, out);
}

static bool make_scatter(Build *b, const Builtin *f, const Val *arg, Val *out)
{
	(void)f;
	Val index, update;
	bool add;
	Value v = {.nargs = 3};
	if (!need_tensor(b, &arg[0]) || !flag(b, &arg[4], "add", &add))
		return false;
	v.op = add ? OP_SCATTER_ADD : OP_SCATTER;
	Value x = val_value(b, &arg[0]);
	if (!x.rank)
		return fail_at(b, b->at, NULL, "`scatter` into a scalar");
	if ((arg[3].kind != VAL_NONE &&
	     !axis_of(b, &arg[3], x.rank, &v.axis)) ||
	    !index_in_range(b, &arg[1], &x, v.axis) ||
	    !val_materialise(b, &arg[1], DT_I64, &index) ||
	    !val_materialise(b, &arg[2], x.dtype, &update))
		return false;
	Value i = val_value(b, &index);
	if (arg[2].kind != VAL_TENSOR && i.rank == 1) {
		/* a literal fills every slice */
		x.shape[v.axis] = i.shape[0];
		Val one = update;
		if (!make_broadcast(b, &one, x.shape, x.rank, &update))
			return false;
	}
	ValueId ids[3] = {arg[0].id, index.id, update.id};
	v.args = ids;
	return emit(b, &v, out);
}

static bool make_iota(Build *b, const Builtin *f, const Val *arg, Val *out)
{
	(void)f;
	size_t rank;
	int64_t n;
	Value v = {.op = OP_IOTA};
	if (!val_to_extents(b, &arg[0], "an extent", v.shape, &rank) ||
	    !dtype_or(b, &arg[2], DT_I64, &v.dtype) ||
	    (arg[1].kind != VAL_NONE &&
	     !axis_of(b, &arg[1], (int)rank, &v.axis)))
		return false;
	v.rank = (uint8_t)rank;
	for (size_t i = 0; i < rank; i++)
		if (ex_is_const(&b->p->ex, v.shape[i], &n) && n < 0)
			return fail_at(b, arg[0].loc, "extents are 0 or more",
				       "`iota`: extent %lld is negative",
				       (long long)n);
	return emit(b, &v, out);
}

/* ---- reductions ------------------------------------------------------ */

static bool keep_axes(Build *b, const Val *x, const Val *r, uint32_t axes,
		      Val *out)
{
	Value from = val_value(b, x);
	Ex shape[TN_MAX_RANK];
	for (int d = 0; d < from.rank; d++)
		shape[d] =
			axes >> d & 1 ? ex_const(&b->p->ex, 1) : from.shape[d];
	return make_reshape(b, r, shape, from.rank, out);
}

/* sum prod max min: x, axis=, keepdims=, acc=, out= */
static bool make_reduce(Build *b, const Builtin *f, const Val *arg, Val *out)
{
	bool keep;
	Val r, none = {0};
	bool sum = op_info[f->op].result == OPR_attr;
	if (!need_tensor(b, &arg[0]))
		return false;
	Value x = val_value(b, &arg[0]);
	Value v = {.op = f->op, .nargs = 1, .args = &arg[0].id};
	if (!axes_of(b, &arg[1], x.rank, &v.axes) ||
	    !flag(b, &arg[2], "keepdims", &keep))
		return false;
	if (sum && !sum_dtypes(b, x.dtype, sum ? &arg[3] : &none,
			       sum ? &arg[4] : &none, &v.acc, &v.dtype))
		return false;
	if (!emit(b, &v, &r))
		return false;
	if (keep)
		return keep_axes(b, &arg[0], &r, v.axes, out);
	*out = r;
	return true;
}

/* argmax argmin: x, axis=, keepdims=; without axis, of all elements */
static bool make_arg_reduce(Build *b, const Builtin *f, const Val *arg,
			    Val *out)
{
	bool keep;
	uint32_t axis = 0;
	Val x = arg[0], r;
	if (!need_tensor(b, &x) || !flag(b, &arg[2], "keepdims", &keep))
		return false;
	int rank = val_value(b, &x).rank;
	uint32_t all = (1u << rank) - 1;
	if (arg[1].kind == VAL_NONE) {
		Ex n = program_elements(b->p, x.id);
		if (!extent_check(b) || !make_reshape(b, &arg[0], &n, 1, &x))
			return false;
	} else if (!axis_of(b, &arg[1], rank, &axis)) {
		return false;
	}
	Value v = {.op = f->op, .nargs = 1, .args = &x.id};
	v.axes = 1u << axis;
	if (!emit(b, &v, &r))
		return false;
	if (keep)
		return keep_axes(b, &arg[0], &r,
				 arg[1].kind == VAL_NONE ? all : v.axes, out);
	*out = r;
	return true;
}

static bool make_cumsum(Build *b, const Builtin *f, const Val *arg, Val *out)
{
	(void)f;
	if (!need_tensor(b, &arg[0]))
		return false;
	Value x = val_value(b, &arg[0]);
	Value v = {.op = OP_CUMSUM, .nargs = 1, .args = &arg[0].id};
	return axis_of(b, &arg[1], x.rank, &v.axis) &&
	       sum_dtypes(b, x.dtype, &arg[2], &arg[3], &v.acc, &v.dtype) &&
	       emit(b, &v, out);
}

static bool make_matmul_call(Build *b, const Builtin *f, const Val *arg,
			     Val *out)
{
	(void)f;
	return make_matmul(b, &arg[0], &arg[1], &arg[2], &arg[3], out);
}

/* ---- for the prelude ------------------------------------------------- */

/* The argument of a composition, which works on floats. */
static bool need_float(Build *b, const Val *v, DType *d)
{
	b->called = b->frame->def->name;
	if (!need_tensor(b, v))
		return false;
	*d = val_value(b, v).dtype;
	return dtype_is_float(*d) ||
	       fail_at(b, v->loc, "convert it first: f32(x)",
		       "`%s` takes floats, and this is %s", b->called,
		       val_text(b, v));
}

static bool make_wide(Build *b, const Builtin *f, const Val *arg, Val *out)
{
	(void)f;
	DType d;
	return need_float(b, &arg[0], &d) &&
	       make_cast(b, &arg[0], dtype_interior(d), out);
}

static bool make_interior(Build *b, const Builtin *f, const Val *arg, Val *out)
{
	(void)f;
	DType d;
	if (!need_float(b, &arg[0], &d))
		return false;
	*out = (Val){.kind = VAL_DTYPE, .loc = b->at};
	out->dtype = dtype_interior(d);
	return true;
}

/* Number of elements that a reduction over axis= folds into one. */
static bool make_count(Build *b, const Builtin *f, const Val *arg, Val *out)
{
	(void)f;
	uint32_t axes;
	Value x = val_value(b, &arg[0]);
	if (!axes_of(b, &arg[1], x.rank, &axes))
		return false;
	Ex n = ex_const(&b->p->ex, 1);
	for (int d = 0; d < x.rank; d++)
		if (axes >> d & 1)
			n = ex_mul(&b->p->ex, n, x.shape[d]);
	*out = val_dim(b, n);
	return extent_check(b);
}

/* Without the axes that a reduction with keepdims left at extent 1. */
static bool make_squeeze(Build *b, const Builtin *f, const Val *arg, Val *out)
{
	(void)f;
	uint32_t axes;
	Value x = val_value(b, &arg[0]);
	Ex shape[TN_MAX_RANK];
	size_t n = 0;
	if (!axes_of(b, &arg[1], x.rank, &axes))
		return false;
	for (int d = 0; d < x.rank; d++)
		if (!(axes >> d & 1))
			shape[n++] = x.shape[d];
	return make_reshape(b, &arg[0], shape, n, out);
}

/* The last two axes exchanged. */
static bool make_swap(Build *b, const Builtin *f, const Val *arg, Val *out)
{
	(void)f;
	DType d;
	uint8_t perm[TN_MAX_RANK];
	if (!need_float(b, &arg[0], &d))
		return false;
	int rank = val_value(b, &arg[0]).rank;
	if (rank < 2)
		return fail_at(b, arg[0].loc, NULL,
			       "`%s` takes matrices, and this is %s", b->called,
			       val_text(b, &arg[0]));
	for (int i = 0; i < rank; i++)
		perm[i] = (uint8_t)i;
	perm[rank - 1] = (uint8_t)(rank - 2);
	perm[rank - 2] = (uint8_t)(rank - 1);
	return make_transpose(b, &arg[0], perm, out);
}

/* ---- the table ------------------------------------------------------- */

#define REDUCE_SUM "x, axis=, keepdims=, acc=, out="
#define REDUCE     "x, axis=, keepdims="

static const Builtin builtins[] = {
	/* elementwise */
	{"abs", "x", make_one, OP_ABS, false},
	{"neg", "x", make_one, OP_NEG, false},
	{"sign", "x", make_one, OP_SIGN, false},
	{"floor", "x", make_one, OP_FLOOR, false},
	{"ceil", "x", make_one, OP_CEIL, false},
	{"round", "x", make_one, OP_ROUND, false},
	{"sqrt", "x", make_one, OP_SQRT, false},
	{"rsqrt", "x", make_one, OP_RSQRT, false},
	{"exp", "x", make_one, OP_EXP, false},
	{"expm1", "x", make_one, OP_EXPM1, false},
	{"log", "x", make_one, OP_LOG, false},
	{"log1p", "x", make_one, OP_LOG1P, false},
	{"tanh", "x", make_one, OP_TANH, false},
	{"erf", "x", make_one, OP_ERF, false},
	{"sin", "x", make_one, OP_SIN, false},
	{"cos", "x", make_one, OP_COS, false},
	{"maximum", "a, b", make_two, OP_MAXIMUM, false},
	{"minimum", "a, b", make_two, OP_MINIMUM, false},
	{"where", "condition, a, b", make_where, OP_WHERE, false},
	{"cast", "x, dtype", make_cast_to, OP_CAST, false},
	/* views and movement */
	{"transpose", "x, *perm", make_transposed, OP_TRANSPOSE, false},
	{"reshape", "x, *shape", make_reshaped, OP_RESHAPE, false},
	{"broadcast", "x, *shape", make_broadcasted, OP_BROADCAST, false},
	{"concat", "xs, axis=", make_concat, OP_CONCAT, false},
	{"pad", "x, before, after, value=", make_padded, OP_PAD, false},
	{"gather", "x, index, axis=", make_gather, OP_GATHER, false},
	{"scatter", "x, index, updates, axis=, add=", make_scatter, OP_SCATTER,
	 false},
	{"iota", "shape, axis=, dtype=", make_iota, OP_IOTA, false},
	/* sums */
	{"sum", REDUCE_SUM, make_reduce, OP_SUM, false},
	{"prod", REDUCE_SUM, make_reduce, OP_PROD, false},
	{"max", REDUCE, make_reduce, OP_MAX, false},
	{"min", REDUCE, make_reduce, OP_MIN, false},
	{"argmax", REDUCE, make_arg_reduce, OP_ARGMAX, false},
	{"argmin", REDUCE, make_arg_reduce, OP_ARGMIN, false},
	{"cumsum", "x, axis, acc=, out=", make_cumsum, OP_CUMSUM, false},
	{"matmul", "a, b, acc=, out=", make_matmul_call, OP_MATMUL, false},
	{"conv", "x, w, stride=, pad=, dilation=, groups=, acc=, out=",
	 conv_make, OP_MATMUL, false},
	/* for the prelude */
	{"wide", "x", make_wide, OP_CAST, true},
	{"interior", "x", make_interior, OP_CAST, true},
	{"count", "x, axis", make_count, OP_CONST, true},
	{"squeeze", "x, axis", make_squeeze, OP_RESHAPE, true},
	{"swap", "x", make_swap, OP_TRANSPOSE, true},
};

const Builtin *builtin_find(const char *name, bool prelude)
{
	for (size_t i = 0; i < ARRAY_LEN(builtins); i++)
		if (strcmp(builtins[i].name, name) == 0)
			return builtins[i].prelude_only && !prelude
				       ? NULL
				       : &builtins[i];
	return NULL;
}

size_t builtin_names(const char **names, size_t cap)
{
	size_t n = 0;
	for (size_t i = 0; i < ARRAY_LEN(builtins) && n < cap; i++)
		if (!builtins[i].prelude_only)
			names[n++] = builtins[i].name;
	return n;
}

/* Folds the arguments beyond the others into one list, for `*name`. */
static void fold_rest(Build *b, Args *args, size_t fixed)
{
	Val rest = {.kind = VAL_LIST, .loc = b->at};
	if (args->n == fixed + 1 && args->p[fixed].kind == VAL_LIST)
		return;
	if (args->n > fixed) {
		rest.items = args->p + fixed;
		rest.n = args->n - fixed;
		rest.loc = rest.items[0].loc;
	}
	Val *p = arena_array(b->arena, Val, fixed + 1);
	for (size_t i = 0; i < fixed && i < args->n; i++)
		p[i] = args->p[i];
	if (args->n < fixed)
		return; /* too few: build_bind says so */
	p[fixed] = rest;
	args->p = p;
	args->n = fixed + 1;
}

bool builtin_call(Build *b, const Builtin *f, const Args *args, Val *out)
{
	const char *params[TN_MAX_ARGS];
	bool optional[TN_MAX_ARGS] = {false};
	Val bound[TN_MAX_ARGS];
	size_t n = 0, rest = TN_MAX_ARGS;
	Args a = *args;
	for (const char *s = f->params; *s;) {
		size_t len = strcspn(s, ",");
		const char *end = s + len;
		if (*s == '*') {
			rest = n;
			s++;
		}
		optional[n] = end[-1] == '=';
		params[n] = arena_strndup(b->arena, s,
					  (size_t)(end - s) - optional[n]);
		n++;
		s = *end ? end + 2 : end;
	}
	if (rest < TN_MAX_ARGS && !(a.nnamed && a.n <= rest))
		fold_rest(b, &a, rest);
	const char *outer = b->called;
	b->called = f->name;
	if (!build_bind(b, f->name, params, optional, n, &a, bound))
		return false;
	if (rest < TN_MAX_ARGS && bound[rest].kind != VAL_LIST) {
		/* shape=6 given by name: a list of one */
		Val *one = arena_new(b->arena, Val);
		*one = bound[rest];
		bound[rest] = (Val){.kind = VAL_LIST, .loc = one->loc};
		bound[rest].items = one;
		bound[rest].n = 1;
	}
	bool ok = f->make(b, f, bound, out);
	b->called = outer;
	return ok;
}
