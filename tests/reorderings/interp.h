/*
 * interp: stage 1 evaluated one value after the other, as a plain reading of
 * the contract would: each value rounded once to its dtype, sums in f32 in a
 * chosen order. It generates no code and shares no arithmetic with the
 * oracle. Only what the examples use: floats of 16 and 32 bits.
 *
 * Rows are independent in all of the examples, so row r of every value takes
 * the order number (r + shift) of the list: one evaluation tries many.
 */
#ifndef TENON_REORDERINGS_INTERP_H
#define TENON_REORDERINGS_INTERP_H

#include "ir/program.h"
#include "tests/reorderings/sums.h"

typedef struct Interp {
	Arena *a;
	const Program *p;
	const Binding *b;
	const Tensor *inputs;
	const Order *orders;
	size_t norders, shift;
	Tensor *shape; /* by value; no data */
	float **v;     /* by value, row-major */
} Interp;

/* ---- formats --------------------------------------------------------- */

/* x rounded once to the dtype, nearest, ties to even. */
static inline float dtype_round(DType d, double x)
{
	int p = dtype_info[d].precision, emin = d == DT_F16 ? -14 : -126;
	int e;

	if (d == DT_F32 || x == 0 || isnan(x) || isinf(x))
		return (float)x;
	frexp(x, &e);
	e = e - 1 < emin ? emin : e - 1;
	double ulp = ldexp(1, e - p + 1), r = rint(x / ulp) * ulp;
	double limit = d == DT_F16 ? 65504.0 : 0x1.fep127;
	if (fabs(r) > limit)
		r = INFINITY;
	return (float)copysign(r, x);
}

static inline float dtype_load(DType d, const void *data, int64_t i)
{
	uint32_t u;
	float f;

	if (d == DT_F32) {
		memcpy(&f, (const char *)data + 4 * i, 4);
		return f;
	}
	if (d != DT_F16 && d != DT_BF16)
		bug("interp: dtype %s", dtype_info[d].name);
	uint16_t h;
	memcpy(&h, (const char *)data + 2 * i, 2);
	if (d == DT_BF16) {
		u = (uint32_t)h << 16;
		memcpy(&f, &u, 4);
		return f;
	}
	int e = h >> 10 & 31, m = h & 1023;
	if (e == 31)
		f = m ? NAN : INFINITY;
	else
		f = (float)ldexp(e ? 1024 + m : m, (e ? e : 1) - 25);
	return h >> 15 ? -f : f;
}

/* x has the dtype already. */
static inline void dtype_store(DType d, void *data, int64_t i, float x)
{
	uint32_t u;
	uint16_t h;

	memcpy(&u, &x, 4);
	if (d == DT_F32) {
		memcpy((char *)data + 4 * i, &x, 4);
		return;
	}
	if (d == DT_BF16) {
		h = (uint16_t)(u >> 16);
		if (isnan(x))
			h = 0x7fc0;
	} else if (isnan(x)) {
		h = 0x7e00;
	} else if (isinf(x)) {
		h = 0x7c00;
	} else if (fabsf(x) < 0x1p-14f) {
		h = (uint16_t)lrintf(fabsf(x) * 0x1p24f);
	} else {
		h = (uint16_t)(((u >> 23 & 255) - 112) << 10 |
			       (u >> 13 & 1023));
	}
	if (d == DT_F16)
		h = (uint16_t)(h | (u >> 31) << 15);
	memcpy((char *)data + 2 * i, &h, 2);
}

/* ---- elements -------------------------------------------------------- */

static inline double greater_of(double a, double b)
{
	if (isnan(a) || isnan(b))
		return (double)NAN;
	if (a == b)
		return signbit(a) ? b : a;
	return a > b ? a : b;
}

/* One elementwise op before its boundary. Doubles hold what 16-bit floats
 * make of + - * / with room to spare, and f32 rounds them once. */
static inline double elem_op(const Value *v, const double *x, bool fma)
{
	switch ((int)v->op) {
	case OP_CAST:
		return x[0];
	case OP_NEG:
		return -x[0];
	case OP_ADD:
		return x[0] + x[1];
	case OP_SUB:
		return x[0] - x[1];
	case OP_MUL:
		return x[0] * x[1];
	case OP_DIV:
		return x[0] / x[1];
	case OP_MAXIMUM:
		return greater_of(x[0], x[1]);
	case OP_EXP:
		return (double)expf((float)x[0]);
	case OP_RSQRT: /* both are within 2 ulp */
		return fma ? (double)(float)(1 / sqrt(x[0]))
			   : (double)(1 / sqrtf((float)x[0]));
	}
	bug("interp: op %s", op_info[v->op].name);
}

static inline int64_t shape_elements(const Tensor *t)
{
	return tensor_elements(t);
}

static inline const Order *row_order(const Interp *in, int64_t row)
{
	return &in->orders[((size_t)row + in->shift) % in->norders];
}

static inline void eval_elem(Interp *in, const Value *v, ValueId id)
{
	int64_t n = shape_elements(&in->shape[id]);
	int64_t row = in->shape[id].rank ? in->shape[id].shape[0] : 1;

	for (int64_t i = 0; i < n; i++) {
		double x[3] = {0};
		for (uint32_t k = 0; k < v->nargs; k++)
			x[k] = (double)in->v[v->args[k]][i];
		const Order *o = row_order(in, row ? i / (n / row) : 0);
		in->v[id][i] = dtype_round(v->dtype, elem_op(v, x, o->fma));
	}
}

/* ---- views ----------------------------------------------------------- */

static inline int64_t view_source(const Interp *in, const Value *v,
				  const int64_t *at)
{
	const Tensor *x = &in->shape[v->args[0]];
	int64_t src[TN_MAX_RANK] = {0}, flat = 0;
	int lead = v->rank - x->rank;

	for (int d = 0; d < v->rank; d++) {
		if (v->op == OP_TRANSPOSE)
			src[v->perm[d]] = at[d];
		else if (v->op == OP_SLICE)
			src[d] = ex_eval(&in->p->ex, v->start[d], in->b->dims,
					 NULL) +
				 v->step[d] * at[d];
		else if (d >= lead)
			src[d - lead] = x->shape[d - lead] == 1 ? 0 : at[d];
	}
	for (int d = 0; d < x->rank; d++)
		flat = flat * x->shape[d] + src[d];
	return flat;
}

static inline void eval_view(Interp *in, const Value *v, ValueId id)
{
	const Tensor *t = &in->shape[id];
	int64_t n = shape_elements(t), at[TN_MAX_RANK] = {0};

	for (int64_t i = 0; i < n; i++) {
		int64_t from = v->op == OP_RESHAPE ? i : view_source(in, v, at);
		in->v[id][i] = in->v[v->args[0]][from];
		for (int d = t->rank - 1; d >= 0; d--) {
			if (++at[d] < t->shape[d])
				break;
			at[d] = 0;
		}
	}
}

/* ---- reductions ------------------------------------------------------ */

/* Rows are all axes but the last, which alone is folded. */
static inline void eval_fold(Interp *in, const Value *v, ValueId id)
{
	const Tensor *x = &in->shape[v->args[0]];
	int64_t k = x->rank ? x->shape[x->rank - 1] : 1;
	int64_t rows = shape_elements(&in->shape[id]);
	const float *from = in->v[v->args[0]];

	if (v->axes != 1u << (x->rank - 1) ||
	    (v->op == OP_SUM && v->acc != DT_F32))
		bug("interp: a fold other than of the last axis in f32");
	for (int64_t r = 0; r < rows; r++) {
		double best = -INFINITY;
		float s;
		Terms t = {.b = from + r * k, .step = 1, .n = 1};
		t.o = row_order(in, r);
		t.arena = in->a;
		if (v->op == OP_SUM)
			sum_terms(&t, k, &s);
		for (int64_t i = 0; v->op == OP_MAX && i < k; i++)
			best = greater_of(best, (double)from[r * k + i]);
		in->v[id][r] = dtype_round(v->dtype,
					   v->op == OP_SUM ? (double)s : best);
	}
}

static inline void eval_matmul(Interp *in, const Value *v, ValueId id)
{
	const Tensor *x = &in->shape[v->args[0]], *y = &in->shape[id];
	int64_t k = x->shape[1], n = y->shape[1];

	if (y->rank != 2 || v->acc != DT_F32)
		bug("interp: a matmul other than of rank 2 in f32");
	Arena rows;
	arena_init(&rows);
	for (int64_t r = 0; r < y->shape[0]; r++) {
		float *out = in->v[id] + r * n;
		Terms t = {.a = in->v[v->args[0]] + r * k, .n = n, .step = n};
		t.b = in->v[v->args[1]];
		t.o = row_order(in, r);
		t.arena = &rows;
		sum_terms(&t, k, out);
		for (int64_t i = 0; i < n; i++)
			out[i] = dtype_round(v->dtype, (double)out[i]);
		arena_clear(&rows);
	}
	arena_release(&rows);
}

/* ---- programs -------------------------------------------------------- */

static inline void eval_leaf(Interp *in, const Value *v, ValueId id)
{
	int64_t n = shape_elements(&in->shape[id]);
	const void *data =
		v->op == OP_INPUT ? in->inputs[v->index].data : v->data;

	for (int64_t i = 0; i < n; i++)
		in->v[id][i] = v->op == OP_IOTA
				       ? dtype_round(v->dtype, (double)i)
				       : dtype_load(v->dtype, data, i);
}

static inline void eval_one(Interp *in, ValueId id)
{
	const Value *v = program_value(in->p, id);
	Tensor *t = &in->shape[id];

	t->dtype = v->dtype;
	t->rank = v->rank;
	for (int d = 0; d < v->rank; d++)
		t->shape[d] =
			ex_eval(&in->p->ex, v->shape[d], in->b->dims, NULL);
	tensor_set_contiguous(t);
	in->v[id] = arena_array(in->a, float, shape_elements(t) + 1);
	switch (op_info[v->op].cls) {
	case OPC_LEAF:
		eval_leaf(in, v, id);
		return;
	case OPC_ELEM:
		eval_elem(in, v, id);
		return;
	case OPC_VIEW:
		eval_view(in, v, id);
		return;
	case OPC_REDUCE:
		eval_fold(in, v, id);
		return;
	case OPC_CONTRACT:
		eval_matmul(in, v, id);
		return;
	case OPC_MOVE:
	case OPC_SCAN:
		break;
	}
	bug("interp: op %s", op_info[v->op].name);
}

/* The results, in memory of in->a. */
static inline Tensor *interp_run(Interp *in)
{
	const Program *p = in->p;
	Tensor *out = arena_array(in->a, Tensor, p->results.n + 1);

	in->shape = arena_array(in->a, Tensor, p->values.n + 1);
	in->v = arena_array(in->a, float *, p->values.n + 1);
	for (ValueId id = 0; id < p->values.n; id++)
		eval_one(in, id);
	for (size_t r = 0; r < p->results.n; r++) {
		ValueId id = p->results.p[r].value;
		out[r] = in->shape[id];
		int64_t n = shape_elements(&out[r]);
		out[r].data =
			arena_array(in->a, char, tensor_bytes(&out[r]) + 1);
		for (int64_t i = 0; i < n; i++)
			dtype_store(out[r].dtype, out[r].data, i, in->v[id][i]);
	}
	return out;
}

#endif
