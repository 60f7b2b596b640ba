/*
 * fold: arithmetic on constants, where the bits are certain.
 *
 * Folded are exact data movement, wrapping integer arithmetic, and the
 * correctly rounded operations + - * / sqrt and conversions of floats. An
 * elementary function has a tolerance, so its bits belong to the plan that
 * computes it, and nothing that can fault is folded.
 *
 * f16, bf16 and f32 are computed in double and rounded once more. That is
 * the correctly rounded result: double has at least 2p + 2 bits for their
 * precision p, for which double rounding of these five operations is
 * innocuous (Figueroa, "When is double rounding innocuous?", 1995), also
 * where the result is subnormal, since sums are then exact and products
 * have at most 2p bits. f64 is computed as it is.
 *
 * An op without a row in the tables below is not folded.
 */
#include "rewrite/rebuild.h"

#include "ir/view.h"

#include <math.h>
#include <string.h>

/* ---- elements -------------------------------------------------------- */

static double f16_value(uint16_t h)
{
	double sign = h & 0x8000 ? -1.0 : 1.0;
	int e = h >> 10 & 31, m = h & 1023;
	if (e == 31)
		return m ? (double)NAN : sign * (double)INFINITY;
	return sign * (e ? ldexp(1024 + m, e - 25) : ldexp(m, -24));
}

/* Nearest multiple of the last place of a format, ties to even; the format
 * has prec bits and the least positive value 2^least. */
static double round_to(double x, int prec, int least)
{
	if (x == 0 || !isfinite(x))
		return x;
	int e;
	(void)frexp(x, &e);
	int place = e - prec > least ? e - prec : least;
	return ldexp(nearbyint(ldexp(x, -place)), place);
}

static uint16_t f16_bits(double x)
{
	uint16_t sign = signbit(x) ? 0x8000 : 0;
	if (isnan(x))
		return 0x7e00;
	x = fabs(round_to(x, 11, -24));
	if (x > 65504)
		return sign | 0x7c00;
	int e;
	(void)frexp(x, &e);
	if (x < 0x1p-14)
		return (uint16_t)(sign | (int)ldexp(x, 24));
	int m = (int)ldexp(x, 11 - e) - 1024;
	return (uint16_t)(sign | (e + 14) << 10 | m);
}

static uint16_t bf16_bits(double x)
{
	if (isnan(x))
		return 0x7fc0;
	float f = (float)round_to(x, 8, -133);
	uint32_t u;
	memcpy(&u, &f, 4);
	return (uint16_t)(u >> 16);
}

static double float_load(DType d, const void *p, size_t i)
{
	uint16_t h;
	uint32_t u;
	float f;
	double x;
	if (d == DT_F64) {
		memcpy(&x, (const char *)p + 8 * i, 8);
		return x;
	}
	if (d == DT_F32) {
		memcpy(&f, (const char *)p + 4 * i, 4);
		return (double)f;
	}
	memcpy(&h, (const char *)p + 2 * i, 2);
	if (d == DT_F16)
		return f16_value(h);
	u = (uint32_t)h << 16;
	memcpy(&f, &u, 4);
	return (double)f;
}

/* Rounds once to d. */
static void float_store(DType d, void *p, size_t i, double x)
{
	float f;
	uint16_t h;
	if (d == DT_F64) {
		memcpy((char *)p + 8 * i, &x, 8);
	} else if (d == DT_F32) {
		f = (float)x;
		memcpy((char *)p + 4 * i, &f, 4);
	} else {
		h = d == DT_F16 ? f16_bits(x) : bf16_bits(x);
		memcpy((char *)p + 2 * i, &h, 2);
	}
}

/* Extended to 64 bits by its signedness. */
static uint64_t int_load(DType d, const void *p, size_t i)
{
	size_t bytes = (size_t)dtype_info[d].bytes;
	uint64_t u = 0;
	memcpy(&u, (const char *)p + bytes * i, bytes);
	int shift = 64 - 8 * (int)bytes;
	if (dtype_info[d].cls == DTC_I)
		return (uint64_t)((int64_t)(u << shift) >> shift);
	return u;
}

static void int_store(DType d, void *p, size_t i, uint64_t u)
{
	size_t bytes = (size_t)dtype_info[d].bytes;
	memcpy((char *)p + bytes * i, &u, bytes);
}

/* ---- conversions ----------------------------------------------------- */

/*
 * A double that rounds to any format of at most 51 bits as the integer
 * itself does: bits that do not fit are kept as one sticky bit.
 */
static double int_sticky(uint64_t magnitude)
{
	if (magnitude >> 53 == 0)
		return (double)magnitude;
	uint64_t sticky = (magnitude & 0x7ff) != 0;
	return ldexp((double)(magnitude >> 11 | sticky), 11);
}

static double int_to_float(DType from, DType to, uint64_t u)
{
	bool negative = dtype_info[from].cls == DTC_I && (int64_t)u < 0;
	if (to == DT_F64)
		return negative ? (double)(int64_t)u : (double)u;
	double x = int_sticky(negative ? 0 - u : u);
	return negative ? -x : x;
}

/* Toward zero, saturating, NaN to 0. */
static uint64_t float_to_int(DType to, double x)
{
	int bits = 8 * dtype_info[to].bytes;
	if (isnan(x))
		return 0;
	x = trunc(x);
	if (dtype_info[to].cls == DTC_I) {
		double limit = ldexp(1, bits - 1);
		uint64_t top = (uint64_t)1 << (bits - 1);
		if (x >= limit)
			return top - 1;
		return x < -limit ? 0 - top : (uint64_t)(int64_t)x;
	}
	if (x >= ldexp(1, bits))
		return UINT64_MAX >> (64 - bits);
	return x <= 0 ? 0 : (uint64_t)x;
}

static void cast_element(DType from, DType to, const void *x, size_t i,
			 void *out)
{
	if (dtype_is_float(from)) {
		double f = float_load(from, x, i);
		if (dtype_is_float(to))
			float_store(to, out, i, f);
		else if (to == DT_BOOL)
			int_store(to, out, i, f != 0);
		else
			int_store(to, out, i, float_to_int(to, f));
	} else {
		uint64_t u = int_load(from, x, i);
		if (dtype_is_float(to))
			float_store(to, out, i, int_to_float(from, to, u));
		else
			int_store(to, out, i, to == DT_BOOL ? u != 0 : u);
	}
}

bool dtype_holds(DType b, DType a)
{
	const DTypeInfo *x = &dtype_info[a], *y = &dtype_info[b];
	if (x->cls == DTC_F)
		return b == a || b == DT_F64 || (b == DT_F32 && a != DT_F64);
	if (y->cls == DTC_B || (x->cls == DTC_I && y->cls == DTC_U))
		return a == b;
	return y->precision >= x->precision;
}

/* ---- floats ---------------------------------------------------------- */

static double f_neg(double a)
{
	return -a;
}

static double f_sign(double a)
{
	return a > 0 ? 1.0 : a < 0 ? -1.0 : a;
}

static double f_add(double a, double b)
{
	return a + b;
}

static double f_sub(double a, double b)
{
	return a - b;
}

static double f_mul(double a, double b)
{
	return a * b;
}

static double f_div(double a, double b)
{
	return a / b;
}

static double f_maximum(double a, double b)
{
	if (isnan(a) || isnan(b))
		return (double)NAN;
	if (a == b)
		return signbit(a) ? b : a;
	return a > b ? a : b;
}

static double f_minimum(double a, double b)
{
	return -f_maximum(-a, -b);
}

static double (*const float_unary[OP_COUNT])(double) = {
	[OP_NEG] = f_neg,   [OP_ABS] = fabs,  [OP_SIGN] = f_sign,
	[OP_FLOOR] = floor, [OP_CEIL] = ceil, [OP_ROUND] = nearbyint,
	[OP_SQRT] = sqrt,
};

static double (*const float_binary[OP_COUNT])(double, double) = {
	[OP_ADD] = f_add, [OP_SUB] = f_sub,         [OP_MUL] = f_mul,
	[OP_DIV] = f_div, [OP_MAXIMUM] = f_maximum, [OP_MINIMUM] = f_minimum,
};

/* ---- integers and bool ----------------------------------------------- */

static bool int_less(uint64_t a, uint64_t b, DType d)
{
	return dtype_info[d].cls == DTC_I ? (int64_t)a < (int64_t)b : a < b;
}

static uint64_t i_neg(uint64_t a, uint64_t b TN_UNUSED, DType d TN_UNUSED)
{
	return 0 - a;
}

static uint64_t i_abs(uint64_t a, uint64_t b TN_UNUSED, DType d)
{
	return int_less(a, 0, d) ? 0 - a : a;
}

static uint64_t i_sign(uint64_t a, uint64_t b TN_UNUSED, DType d)
{
	return int_less(a, 0, d) ? UINT64_MAX : a != 0;
}

static uint64_t i_not(uint64_t a, uint64_t b TN_UNUSED, DType d TN_UNUSED)
{
	return !a;
}

static uint64_t i_bitnot(uint64_t a, uint64_t b TN_UNUSED, DType d TN_UNUSED)
{
	return ~a;
}

static uint64_t i_add(uint64_t a, uint64_t b, DType d TN_UNUSED)
{
	return a + b;
}

static uint64_t i_sub(uint64_t a, uint64_t b, DType d TN_UNUSED)
{
	return a - b;
}

static uint64_t i_mul(uint64_t a, uint64_t b, DType d TN_UNUSED)
{
	return a * b;
}

static uint64_t i_maximum(uint64_t a, uint64_t b, DType d)
{
	return int_less(a, b, d) ? b : a;
}

static uint64_t i_minimum(uint64_t a, uint64_t b, DType d)
{
	return int_less(a, b, d) ? a : b;
}

static uint64_t i_and(uint64_t a, uint64_t b, DType d TN_UNUSED)
{
	return a & b;
}

static uint64_t i_or(uint64_t a, uint64_t b, DType d TN_UNUSED)
{
	return a | b;
}

static uint64_t i_xor(uint64_t a, uint64_t b, DType d TN_UNUSED)
{
	return a ^ b;
}

/* A shift count at or over the width, read as unsigned, shifts all out. */
static bool shifts_out(uint64_t b, DType d)
{
	uint64_t width = 8 * (uint64_t)dtype_info[d].bytes;
	return (b & (UINT64_MAX >> (64 - width))) >= width;
}

static uint64_t i_shl(uint64_t a, uint64_t b, DType d)
{
	return shifts_out(b, d) ? 0 : a << b;
}

static uint64_t i_shr(uint64_t a, uint64_t b, DType d)
{
	if (dtype_info[d].cls == DTC_I)
		return (uint64_t)((int64_t)a >> (shifts_out(b, d) ? 63 : b));
	return shifts_out(b, d) ? 0 : a >> b;
}

static uint64_t (*const int_op[OP_COUNT])(uint64_t, uint64_t, DType) = {
	[OP_NEG] = i_neg,         [OP_ABS] = i_abs,
	[OP_SIGN] = i_sign,       [OP_NOT] = i_not,
	[OP_BITNOT] = i_bitnot,   [OP_ADD] = i_add,
	[OP_SUB] = i_sub,         [OP_MUL] = i_mul,
	[OP_MAXIMUM] = i_maximum, [OP_MINIMUM] = i_minimum,
	[OP_BITAND] = i_and,      [OP_BITOR] = i_or,
	[OP_BITXOR] = i_xor,      [OP_AND] = i_and,
	[OP_OR] = i_or,           [OP_SHL] = i_shl,
	[OP_SHR] = i_shr,
};

/* ---- comparisons ----------------------------------------------------- */

enum {
	LESS = 1,
	EQUAL = 2,
	GREATER = 4,
	UNORDERED = 8
};

static const int compare_mask[OP_COUNT] = {
	[OP_EQ] = EQUAL,   [OP_NE] = LESS | GREATER | UNORDERED,
	[OP_LT] = LESS,    [OP_LE] = LESS | EQUAL,
	[OP_GT] = GREATER, [OP_GE] = GREATER | EQUAL,
};

static int compare_element(DType d, const void *x, const void *y, size_t i)
{
	if (dtype_is_float(d)) {
		double a = float_load(d, x, i), b = float_load(d, y, i);
		return a < b    ? LESS
		       : a > b  ? GREATER
		       : a == b ? EQUAL
				: UNORDERED;
	}
	uint64_t a = int_load(d, x, i), b = int_load(d, y, i);
	return a == b ? EQUAL : int_less(a, b, d) ? LESS : GREATER;
}

/* ---- the evaluator --------------------------------------------------- */

static void where_element(DType d, const void *const *args, size_t i, void *out)
{
	size_t bytes = (size_t)dtype_info[d].bytes;
	const char *from = args[int_load(DT_BOOL, args[0], i) ? 1 : 2];
	memcpy((char *)out + bytes * i, from + bytes * i, bytes);
}

static bool has_row(Op op, bool is_float)
{
	if (op == OP_CAST || op == OP_WHERE || compare_mask[op])
		return true;
	return is_float ? float_unary[op] || float_binary[op]
			: int_op[op] != NULL;
}

bool fold_elem(const Value *v, size_t n, const void *const *args,
	       const DType *from, void *out)
{
	Op op = v->op;
	DType d = v->dtype;
	bool is_float = dtype_is_float(from[0]);
	if (op_has(op, 'T') || !has_row(op, is_float))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (op == OP_CAST) {
			cast_element(from[0], d, args[0], i, out);
		} else if (op == OP_WHERE) {
			where_element(d, args, i, out);
		} else if (compare_mask[op]) {
			int c = compare_element(from[0], args[0], args[1], i);
			int_store(DT_BOOL, out, i, (c & compare_mask[op]) != 0);
		} else if (is_float && float_unary[op]) {
			double a = float_load(d, args[0], i);
			float_store(d, out, i, float_unary[op](a));
		} else if (is_float) {
			double a = float_load(d, args[0], i);
			double b = float_load(d, args[1], i);
			float_store(d, out, i, float_binary[op](a, b));
		} else {
			uint64_t a = int_load(d, args[0], i), b = 0;
			if (v->nargs > 1)
				b = int_load(d, args[1], i);
			int_store(d, out, i, int_op[op](a, b, d));
		}
	}
	return true;
}

bool fold_is(DType d, const void *element, double x)
{
	if (!dtype_is_float(d))
		return int_load(d, element, 0) == (uint64_t)(int64_t)x;
	double e = float_load(d, element, 0);
	return e == x && !signbit(e) == !signbit(x);
}

/* ---- constants through views ----------------------------------------- */

/* The constant extents of v and their product; false when symbolic or too
 * many elements. */
static bool const_shape(Rebuild *r, const Value *v, int64_t *shape, size_t *n)
{
	int64_t total = 1;
	for (size_t d = 0; d < v->rank; d++) {
		if (!ex_is_const(&r->q->ex, v->shape[d], &shape[d]) ||
		    shape[d] < 0 || shape[d] > FOLD_MAX_ELEMENTS)
			return false;
		total *= shape[d];
		if (total > FOLD_MAX_ELEMENTS)
			return false;
	}
	*n = (size_t)total;
	return true;
}

bool fold_count(Rebuild *r, const Value *v, size_t *n)
{
	int64_t shape[TN_MAX_RANK];
	return const_shape(r, v, shape, n);
}

/* The next index in row-major order. */
static void index_next(int64_t *at, const int64_t *shape, size_t rank)
{
	for (size_t d = rank; d-- > 0;) {
		if (++at[d] < shape[d])
			return;
		at[d] = 0;
	}
}

const void *fold_data(Rebuild *r, ValueId id, size_t *elements)
{
	Program *q = r->q;
	const Value *v = program_value(q, id);
	int64_t shape[TN_MAX_RANK], from[TN_MAX_RANK], at[TN_MAX_RANK] = {0};
	Ex map[TN_MAX_RANK];
	size_t n, nbase;
	if (!const_shape(r, v, shape, &n))
		return NULL;
	*elements = n;
	if (v->op == OP_CONST)
		return v->data;
	const Value *base = program_value(q, view_base(q, id, map));
	if (base->op != OP_CONST || !const_shape(r, base, from, &nbase))
		return NULL;
	/* constant shapes at both ends may have a named one between */
	for (size_t d = 0; d < base->rank; d++)
		if (ex_uses_any_dim(&q->ex, map[d]))
			return NULL;
	size_t bytes = (size_t)dtype_info[v->dtype].bytes;
	char *out = arena_array(q->arena, char, n *bytes + 1);
	for (size_t i = 0; i < n; i++) {
		int64_t flat = 0;
		for (size_t d = 0; d < base->rank; d++)
			flat = flat * from[d] +
			       ex_eval(&q->ex, map[d], NULL, at);
		memcpy(out + i * bytes,
		       (const char *)base->data + (size_t)flat * bytes, bytes);
		index_next(at, shape, v->rank);
	}
	return out;
}

const void *fold_splat(Rebuild *r, ValueId id)
{
	for (;;) {
		const Value *v = program_value(r->q, id);
		if (v->op == OP_CONST) {
			for (size_t d = 0; d < v->rank; d++)
				if (!ex_equals(&r->q->ex, v->shape[d], 1))
					return NULL;
			return v->data;
		}
		if (op_info[v->op].cls != OPC_VIEW)
			return NULL;
		id = v->args[0];
	}
}

/* ---- data movement --------------------------------------------------- */

/*
 * Copies operand x into out where output index minus start lies in x; the
 * rest of out is as it was. Shapes are constant.
 */
static void place(Rebuild *r, const Value *x, const char *data,
		  const int64_t *start, const int64_t *shape, size_t n,
		  char *out)
{
	size_t bytes = (size_t)dtype_info[x->dtype].bytes;
	int64_t extent[TN_MAX_RANK], at[TN_MAX_RANK] = {0};
	for (size_t d = 0; d < x->rank; d++)
		extent[d] = ex_eval(&r->q->ex, x->shape[d], NULL, NULL);
	for (size_t i = 0; i < n; i++) {
		int64_t flat = 0;
		bool inside = true;
		for (size_t d = 0; d < x->rank; d++) {
			int64_t k = at[d] - start[d];
			inside = inside && k >= 0 && k < extent[d];
			flat = flat * extent[d] + k;
		}
		if (inside)
			memcpy(out + i * bytes, data + (size_t)flat * bytes,
			       bytes);
		index_next(at, shape, x->rank);
	}
}

bool fold_move(Rebuild *r, const Value *v, size_t n, void *out)
{
	int64_t shape[TN_MAX_RANK], start[TN_MAX_RANK] = {0};
	size_t total, count;
	if ((v->op != OP_PAD && v->op != OP_CONCAT) ||
	    !const_shape(r, v, shape, &total) || total != n)
		return false;
	size_t bytes = (size_t)dtype_info[v->dtype].bytes;
	if (v->op == OP_PAD) {
		const char *data = fold_data(r, v->args[0], &count);
		const char *fill = fold_data(r, v->args[1], &count);
		if (!data || !fill)
			return false;
		for (size_t d = 0; d < v->rank; d++)
			if (!ex_is_const(&r->q->ex, v->start[d], &start[d]))
				return false;
		for (size_t i = 0; i < n; i++)
			memcpy((char *)out + i * bytes, fill, bytes);
		place(r, program_value(r->q, v->args[0]), data, start, shape, n,
		      out);
		return true;
	}
	for (uint32_t k = 0; k < v->nargs; k++)
		if (!fold_data(r, v->args[k], &count))
			return false;
	for (uint32_t k = 0; k < v->nargs; k++) {
		const Value *x = program_value(r->q, v->args[k]);
		place(r, x, fold_data(r, v->args[k], &count), start, shape, n,
		      out);
		start[v->axis] +=
			ex_eval(&r->q->ex, x->shape[v->axis], NULL, NULL);
	}
	return true;
}
