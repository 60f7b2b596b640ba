/*
 * random: programs drawn from a seed, over all classes of ops.
 *
 * A program has one main dtype, three dims M, N, K, a few inputs and then
 * values one by one: the class of op is drawn by weight, the op among the
 * rows of that class in op.def whose domain has the dtype (so that a new
 * row is drawn without a change here, or does not compile), the operands
 * among the values there are, the later the likelier. An operand of a shape
 * that nobody has is made: another input, a broadcast of one, a constant, or
 * a conversion of a value.
 *
 * Divisors, exponents and indices are inputs of their own, which fixtures
 * keep legal, but for a few that must fault.
 */
#ifndef TENON_TEST_RANDOM_H
#define TENON_TEST_RANDOM_H

#include "tests/unit/make.h"

#include <inttypes.h>
#include <math.h>

typedef struct Gen {
	Make *m;
	uint64_t state;
	DType dtype;   /* of most values */
	int last;      /* values before this index are operands */
	bool positive; /* a reduction must not be empty */
	int inputs, matmuls;
} Gen;

static uint64_t gen_bits(Gen *g)
{
	uint64_t z = g->state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static int gen_below(Gen *g, int n)
{
	return (int)(gen_bits(g) % (uint64_t)n);
}

static bool gen_chance(Gen *g, int percent)
{
	return gen_below(g, 100) < percent;
}

static const Value *gen_value(const Gen *g, ValueId v)
{
	return program_value(&g->m->p, v);
}

static ExprTab *gen_ex(Gen *g)
{
	return &g->m->p.ex;
}

/* ---- extents --------------------------------------------------------- */

static bool gen_proved(Gen *g, Ex e)
{
	ExFacts none = {0};

	return ex_prove_nonneg(gen_ex(g), &none, e);
}

/* The larger or smaller of two extents, without a max where it is known. */
static Ex gen_max(Gen *g, Ex a, Ex b)
{
	ExprTab *t = gen_ex(g);

	if (gen_proved(g, ex_sub(t, a, b)))
		return a;
	return gen_proved(g, ex_sub(t, b, a)) ? b : ex_max(t, a, b);
}

static Ex gen_min(Gen *g, Ex a, Ex b)
{
	ExprTab *t = gen_ex(g);

	if (gen_proved(g, ex_sub(t, b, a)))
		return a;
	return gen_proved(g, ex_sub(t, a, b)) ? b : ex_min(t, a, b);
}

static Ex gen_extent(Gen *g)
{
	static const int sizes[] = {1, 1, 2, 3, 4, 5, 7, 8, 16, 17};
	static const char *const names[] = {"M", "N", "K"};

	if (gen_chance(g, 60))
		return dim(g->m, names[gen_below(g, 3)]);
	return num(g->m, sizes[gen_below(g, (int)ARRAY_LEN(sizes))]);
}

static DType gen_dtype(Gen *g)
{
	return gen_chance(g, 80) ? g->dtype : (DType)gen_below(g, DT_COUNT);
}

/* ---- operands -------------------------------------------------------- */

static ValueId gen_input(Gen *g, DType d, int rank, const Ex *shape)
{
	char name[16];

	snprintf(name, sizeof(name), "x%d", g->inputs++);
	return input_n(g->m, arena_strdup(&g->m->arena, name), d, rank, shape);
}

static ValueId gen_const(Gen *g, DType d)
{
	static const double floats[] = {0, 1,    -1,           0.5,
					2, -0.0, 1.0048828125, INFINITY};
	unsigned char bytes[8] = {0};
	double x = floats[gen_below(g, (int)ARRAY_LEN(floats))];
	float f = (float)x;

	/* little-endian; 16-bit floats: 1.0 or 0 */
	if (d == DT_F64)
		memcpy(bytes, &x, 8);
	else if (d == DT_F32)
		memcpy(bytes, &f, 4);
	else if (d == DT_F16)
		bytes[1] = gen_chance(g, 50) ? 0x3c : 0;
	else if (d == DT_BF16)
		memcpy(bytes, (char *)&f + 2, 2);
	else
		bytes[0] = (unsigned char)(d == DT_BOOL ? gen_below(g, 2)
							: gen_below(g, 9));
	return leaf(g->m,
		    (Value){.op = OP_CONST,
			    .dtype = d,
			    .data = bytes,
			    .data_size = (size_t)dtype_info[d].bytes},
		    0, NULL);
}

static bool gen_shaped(const Value *v, int rank, const Ex *shape)
{
	return v->rank == rank &&
	       !memcmp(v->shape, shape, (size_t)rank * sizeof(Ex));
}

/* A value whose dtype is in the domain; NO_VALUE if there is none. */
static ValueId gen_pick(Gen *g, Op op, int min_rank)
{
	for (int tries = 0; tries < 40; tries++) {
		int a = gen_below(g, g->last), b = gen_below(g, g->last);
		ValueId v = (ValueId)(gen_chance(g, 60) && b > a ? b : a);
		const Value *x = gen_value(g, v);
		if (x->rank >= min_rank && op_admits(op, x->dtype))
			return v;
	}
	return NO_VALUE;
}

static ValueId gen_broadcast(Gen *g, ValueId v, int rank, const Ex *shape)
{
	return view_as(g->m, OP_BROADCAST, v, rank, shape);
}

/* A value of this type: one there is, or made. */
static ValueId gen_match(Gen *g, DType d, int rank, const Ex *shape)
{
	Ex small[TN_MAX_RANK];
	int lead;

	if (gen_chance(g, 70))
		for (int tries = 0; tries < 30; tries++) {
			ValueId v = (ValueId)gen_below(g, g->last);
			const Value *x = gen_value(g, v);
			if (!gen_shaped(x, rank, shape))
				continue;
			if (x->dtype == d)
				return v;
			if (tries > 20)
				return cast(g->m, d, v);
		}
	switch (gen_below(g, 4)) {
	case 0:
		return gen_broadcast(g, gen_const(g, d), rank, shape);
	case 1:
		return gen_input(g, d, rank, shape);
	}
	lead = rank ? gen_below(g, rank + 1) : 0;
	for (int i = lead; i < rank; i++)
		small[i - lead] = gen_chance(g, 25) ? num(g->m, 1) : shape[i];
	return gen_broadcast(g, gen_input(g, d, rank - lead, small), rank,
			     shape);
}

static ValueId gen_like(Gen *g, ValueId a)
{
	const Value x = *gen_value(g, a);

	return gen_match(g, x.dtype, x.rank, x.shape);
}

static ValueId gen_index(Gen *g, int rank)
{
	Ex shape[2] = {gen_extent(g), gen_extent(g)};

	return gen_input(g, gen_chance(g, 50) ? DT_I64 : DT_I32, rank, shape);
}

/* ---- ops by class ---------------------------------------------------- */

static ValueId gen_op(Gen *g, Op op, DType d, const ValueId *args, uint32_t n)
{
	return add(g->m,
		   (Value){.op = op, .dtype = d, .nargs = n, .args = args});
}

/* A row of the class that admits the dtype. */
static Op gen_row(Gen *g, OpClass cls, DType d)
{
	for (;;) {
		Op op = (Op)gen_below(g, OP_COUNT);
		if (op_info[op].cls == cls && op_admits(op, d))
			return op;
	}
}

static ValueId gen_elem(Gen *g)
{
	ValueId a = gen_pick(g, OP_CAST, 0), args[3];
	const Value x = *gen_value(g, a);
	Op op = gen_row(g, OPC_ELEM, x.dtype);
	bool integer = !dtype_is_float(x.dtype);

	args[0] = a;
	if (op == OP_CAST)
		return cast(g->m, gen_dtype(g), a);
	if (op == OP_WHERE) {
		args[0] = gen_match(g, DT_BOOL, x.rank, x.shape);
		args[1] = a;
		args[2] = gen_like(g, a);
		return gen_op(g, op, x.dtype, args, 3);
	}
	for (int k = 1; k < op_info[op].arity; k++)
		args[k] = integer && op_has(op, 'T') && !gen_chance(g, 5)
				  ? gen_input(g, x.dtype, x.rank, x.shape)
				  : gen_like(g, a);
	if (op_info[op].arity == 2 && !op_has(op, 'T') && gen_chance(g, 30)) {
		ValueId swap = args[0];
		args[0] = args[1];
		args[1] = swap;
	}
	return gen_op(g, op, x.dtype, args, (uint32_t)op_info[op].arity);
}

static ValueId gen_transpose(Gen *g, ValueId a)
{
	Value v = {.op = OP_TRANSPOSE, .nargs = 1, .args = &a};
	int rank = gen_value(g, a)->rank;

	for (int d = 0; d < rank; d++)
		v.perm[d] = (uint8_t)d;
	for (int d = rank - 1; d > 0; d--) {
		int e = gen_below(g, d + 1);
		uint8_t swap = v.perm[d];
		v.perm[d] = v.perm[e];
		v.perm[e] = swap;
	}
	return add(g->m, v);
}

/* Merges two neighbours, splits a constant extent, or adds an axis of 1. */
static ValueId gen_reshape(Gen *g, ValueId a)
{
	const Value x = *gen_value(g, a);
	Ex shape[TN_MAX_RANK];
	int n = 0, at = x.rank ? gen_below(g, x.rank) : 0;
	int how = gen_below(g, 3);
	int64_t size;

	for (int d = 0; d < x.rank; d++) {
		shape[n++] = x.shape[d];
		if (d != at)
			continue;
		if (how == 0 && d + 1 < x.rank) {
			shape[n - 1] =
				ex_mul(gen_ex(g), x.shape[d], x.shape[d + 1]);
			d++;
		} else if (how == 1 && x.rank < 5 &&
			   ex_is_const(gen_ex(g), x.shape[d], &size) &&
			   size % 2 == 0 && size > 0) {
			shape[n - 1] = num(g->m, size / 2);
			shape[n++] = num(g->m, 2);
		} else if (x.rank < 5) {
			shape[n++] = num(g->m, 1);
		}
	}
	if (!x.rank)
		shape[n++] = num(g->m, 1);
	return view_as(g->m, OP_RESHAPE, a, n, shape);
}

/* An axis cut as the front end cuts it: x[a:], x[:b], x[::s], x[::-s]. */
static void gen_cut(Gen *g, Value *v, int d, Ex extent)
{
	ExprTab *t = gen_ex(g);
	Ex zero = num(g->m, 0), one = num(g->m, 1),
	   n = num(g->m, 1 + gen_below(g, 3));
	Ex last = ex_sub(t, extent, one);
	int step = 1 + gen_below(g, 3);

	v->start[d] = zero;
	v->step[d] = 1;
	v->shape[d] = extent;
	switch (gen_below(g, 5)) {
	case 0:
		return;
	case 1: /* x[n:] */
		v->start[d] = n;
		v->shape[d] = gen_max(g, ex_sub(t, extent, n), zero);
		break;
	case 2: /* x[:n] */
		v->shape[d] = gen_min(g, n, extent);
		break;
	case 3:
		break;
	case 4:
		v->start[d] = last;
		step = -step;
		break;
	}
	v->step[d] = step;
	v->shape[d] =
		ex_ceil_div(t, v->shape[d], num(g->m, step < 0 ? -step : step));
}

static ValueId gen_slice(Gen *g, ValueId a)
{
	const Value x = *gen_value(g, a);
	Value v = {.op = OP_SLICE, .nargs = 1, .args = &a, .rank = x.rank};

	for (int d = 0; d < x.rank; d++)
		gen_cut(g, &v, d, x.shape[d]);
	return add(g->m, v);
}

static ValueId gen_view(Gen *g)
{
	ValueId a = gen_pick(g, OP_VIEW, 0);
	const Value x = *gen_value(g, a);
	Ex shape[TN_MAX_RANK];

	switch (gen_below(g, 4)) {
	case 0:
		return gen_transpose(g, a);
	case 1:
		return gen_reshape(g, a);
	case 2:
		return gen_slice(g, a);
	}
	if (x.rank >= 4)
		return gen_transpose(g, a);
	shape[0] = gen_extent(g);
	for (int d = 0; d < x.rank; d++)
		shape[d + 1] = ex_equals(gen_ex(g), x.shape[d], 1)
				       ? gen_extent(g)
				       : x.shape[d];
	return gen_broadcast(g, a, x.rank + 1, shape);
}

static ValueId gen_pad(Gen *g, ValueId a)
{
	const Value x = *gen_value(g, a);
	ValueId args[2] = {a, gen_const(g, x.dtype)};
	Value v = {.op = OP_PAD, .nargs = 2, .args = args, .rank = x.rank};

	for (int d = 0; d < x.rank; d++) {
		int before = gen_below(g, 3), after = gen_below(g, 3);
		v.start[d] = num(g->m, before);
		v.shape[d] = ex_add(gen_ex(g), x.shape[d],
				    num(g->m, before + after));
	}
	return add(g->m, v);
}

static ValueId gen_concat(Gen *g, ValueId a)
{
	const Value x = *gen_value(g, a);
	ValueId args[3] = {a};
	uint32_t n = 1 + (uint32_t)gen_below(g, 3);
	uint32_t axis = (uint32_t)gen_below(g, x.rank);
	Ex shape[TN_MAX_RANK];

	for (uint32_t k = 1; k < n; k++) {
		memcpy(shape, x.shape, sizeof(shape));
		if (gen_chance(g, 50))
			shape[axis] = gen_extent(g);
		args[k] = gen_match(g, x.dtype, x.rank, shape);
	}
	return add(g->m, (Value){.op = OP_CONCAT,
				 .nargs = n,
				 .args = args,
				 .axis = axis});
}

static ValueId gen_scatter(Gen *g, Op op, ValueId a)
{
	const Value x = *gen_value(g, a);
	uint32_t axis = (uint32_t)gen_below(g, x.rank);
	ValueId args[3] = {a, gen_index(g, 1), 0};
	Ex shape[TN_MAX_RANK];

	memcpy(shape, x.shape, sizeof(shape));
	shape[axis] = gen_value(g, args[1])->shape[0];
	args[2] = gen_match(g, x.dtype, x.rank, shape);
	g->positive = true;
	return add(g->m,
		   (Value){.op = op, .nargs = 3, .args = args, .axis = axis});
}

static ValueId gen_move(Gen *g)
{
	ValueId a = gen_pick(g, OP_ADD, 1);
	if (a == NO_VALUE)
		return gen_elem(g);
	const Value x = *gen_value(g, a);
	Op op = gen_row(g, OPC_MOVE, x.dtype);
	int rank;

	switch ((int)op) { /* a row without a case is a bug */
	case OP_PAD:
		return gen_pad(g, a);
	case OP_CONCAT:
		return gen_concat(g, a);
	case OP_SCATTER:
	case OP_SCATTER_ADD:
		return gen_scatter(g, op, a);
	case OP_GATHER:
		rank = gen_below(g, x.rank > 3 ? 2 : 3);
		g->positive = true;
		return add(g->m,
			   (Value){.op = op,
				   .nargs = 2,
				   .args = (ValueId[]){a, gen_index(g, rank)},
				   .axis = (uint32_t)gen_below(g, x.rank)});
	default:
		bug("random.h draws no %s", op_info[op].name);
	}
}

/* acc and result of a sum of d. */
static void gen_acc(Gen *g, DType d, Value *v)
{
	v->dtype = d;
	v->acc = dtype_default_acc(d);
	if (!gen_chance(g, 25))
		return;
	if (dtype_is_float(d)) {
		v->acc = (DType)gen_below(g, 4);
		v->dtype = gen_chance(g, 50) ? d : (DType)gen_below(g, 4);
	} else {
		v->acc = v->dtype = DT_I64;
	}
}

static ValueId gen_reduce(Gen *g)
{
	ValueId a = gen_pick(g, OP_MAX, 1);
	if (a == NO_VALUE)
		return gen_elem(g);
	const Value x = *gen_value(g, a);
	Op op = gen_row(g, OPC_REDUCE, x.dtype);
	Value v = {.op = op, .nargs = 1, .args = &a};

	if (op_info[op].result == OPR_attr)
		gen_acc(g, x.dtype, &v);
	else
		g->positive = true;
	v.axes = 1u << (gen_chance(g, 60) ? x.rank - 1 : gen_below(g, x.rank));
	if (op_info[op].result != OPR_index)
		for (int d = 0; d < x.rank; d++)
			v.axes |= (uint32_t)gen_chance(g, 25) << d;
	if (op_info[op].result != OPR_attr)
		for (int d = 0; d < x.rank; d++)
			if (v.axes >> d & 1 &&
			    !gen_proved(g, ex_sub(gen_ex(g), x.shape[d],
						  num(g->m, 1))) &&
			    ex_node(gen_ex(g), x.shape[d])->kind != EX_DIM)
				return gen_elem(g);
	return add(g->m, v);
}

/* A reduced value back over the rows it came from: x - max(x). */
static ValueId gen_rows(Gen *g)
{
	ValueId a = gen_pick(g, OP_ADD, 2), r;
	if (a == NO_VALUE)
		return gen_elem(g);
	const Value x = *gen_value(g, a);
	Ex kept[TN_MAX_RANK];

	memcpy(kept, x.shape, sizeof(kept));
	kept[x.rank - 1] = num(g->m, 1);
	r = reduce(g->m, OP_SUM, a, 1u << (x.rank - 1));
	if (gen_chance(g, 30))
		r = un(g->m,
		       gen_row(g, OPC_ELEM, x.dtype) == OP_ABS ? OP_ABS
							       : OP_NEG,
		       r);
	r = view_as(g->m, OP_RESHAPE, r, x.rank, kept);
	r = gen_broadcast(g, r, x.rank, x.shape);
	return bin(g->m, gen_chance(g, 50) ? OP_SUB : OP_MAXIMUM, a, r);
}

static ValueId gen_scan(Gen *g)
{
	ValueId a = gen_pick(g, OP_CUMSUM, 1);
	if (a == NO_VALUE)
		return gen_elem(g);
	const Value x = *gen_value(g, a);
	Value v = {.op = OP_CUMSUM, .nargs = 1, .args = &a};

	gen_acc(g, x.dtype, &v);
	v.axis = (uint32_t)gen_below(g, x.rank);
	return add(g->m, v);
}

static ValueId gen_matmul(Gen *g)
{
	ValueId args[2];
	if (g->matmuls++ > 2)
		return gen_view(g);
	args[0] = gen_pick(g, OP_MATMUL, 2);
	if (args[0] == NO_VALUE)
		return gen_elem(g);
	const Value x = *gen_value(g, args[0]);
	Ex shape[TN_MAX_RANK];
	Value v = {.op = OP_MATMUL, .nargs = 2, .args = args};

	memcpy(shape, x.shape, sizeof(shape));
	shape[x.rank - 2] = x.shape[x.rank - 1];
	shape[x.rank - 1] = gen_extent(g);
	if (gen_chance(g, 30)) { /* b.T, as a weight is stored */
		Ex swap = shape[x.rank - 1];
		shape[x.rank - 1] = shape[x.rank - 2];
		shape[x.rank - 2] = swap;
		args[1] =
			transposed(g->m, gen_match(g, x.dtype, x.rank, shape));
	} else {
		args[1] = gen_match(g, x.dtype, x.rank, shape);
	}
	if (gen_value(g, args[1])->shape[x.rank - 1] == x.shape[x.rank - 2] &&
	    x.shape[x.rank - 1] == x.shape[x.rank - 2] && gen_chance(g, 30)) {
		ValueId swap = args[0];
		args[0] = args[1];
		args[1] = swap;
	}
	gen_acc(g, x.dtype, &v);
	if (x.dtype == DT_F64 || (v.acc > DT_F32 && v.acc <= DT_BF16))
		v.acc = x.dtype; /* one that holds the operands */
	return add(g->m, v);
}

static ValueId gen_leaf(Gen *g)
{
	Ex shape[3] = {gen_extent(g), gen_extent(g), gen_extent(g)};
	int rank = 1 + gen_below(g, 3);
	DType d = gen_dtype(g);
	int16_t data[12];

	if (gen_chance(g, 50)) {
		Value v = {.op = OP_IOTA,
			   .dtype = d == DT_BOOL ? DT_I64 : d,
			   .axis = (uint32_t)gen_below(g, rank)};
		return leaf(g->m, v, rank, shape);
	}
	for (size_t i = 0; i < ARRAY_LEN(data); i++)
		data[i] = (int16_t)(gen_below(g, 2000) - 1000);
	ValueId c = leaf(g->m,
			 (Value){.op = OP_CONST,
				 .dtype = DT_I16,
				 .data = data,
				 .data_size = sizeof(data)},
			 2, (Ex[]){num(g->m, 4), num(g->m, 3)});
	return cast(g->m, d, c);
}

static ValueId gen_class(Gen *g, OpClass cls)
{
	switch (cls) {
	case OPC_LEAF:
		return gen_leaf(g);
	case OPC_ELEM:
		return gen_elem(g);
	case OPC_VIEW:
		return gen_view(g);
	case OPC_MOVE:
		return gen_move(g);
	case OPC_REDUCE:
		return gen_chance(g, 40) ? gen_rows(g) : gen_reduce(g);
	case OPC_SCAN:
		return gen_scan(g);
	case OPC_CONTRACT:
		return gen_matmul(g);
	}
	bug("class");
}

/* ---- programs -------------------------------------------------------- */

static void gen_results(Gen *g)
{
	Uses u = program_uses(&g->m->arena, &g->m->p);
	int n = (int)g->m->p.values.n;
	char name[16];

	for (int i = n - 1; i >= 0; i--) {
		bool unused = u.first[i] == u.first[i + 1];
		if (gen_value(g, (ValueId)i)->op == OP_INPUT
			    ? !gen_chance(g, 3)
			    : !unused && !gen_chance(g, 10))
			continue;
		if (g->m->p.results.n >= 12)
			break;
		snprintf(name, sizeof(name), "y%zu", g->m->p.results.n);
		result(g->m, (ValueId)i, arena_strdup(&g->m->arena, name));
		if (gen_chance(g, 3)) {
			snprintf(name, sizeof(name), "y%zu", g->m->p.results.n);
			result(g->m, (ValueId)i,
			       arena_strdup(&g->m->arena, name));
		}
	}
}

/* The seed's program, in m (which is empty). *positive: no dim may be 0. */
TEST_ONLY static void gen_program(Make *m, uint64_t seed, bool *positive)
{
	static const int weight[] = {
		[OPC_LEAF] = 4,     [OPC_ELEM] = 40,   [OPC_VIEW] = 22,
		[OPC_MOVE] = 10,    [OPC_REDUCE] = 14, [OPC_SCAN] = 3,
		[OPC_CONTRACT] = 7,
	};
	Gen g = {.m = m, .state = seed * 0x2545f4914f6cdd1du + 99};
	int total = 0, values;

	dim(m, "M"), dim(m, "N"), dim(m, "K");
	g.dtype = (DType)gen_below(&g, DT_COUNT);
	if (gen_chance(&g, 50))
		g.dtype = (DType)gen_below(&g, 4);
	if (gen_chance(&g, 15))
		m->relax = 1u << gen_below(&g, 4);
	for (size_t i = 0; i < ARRAY_LEN(weight); i++)
		total += weight[i];
	for (int n = 1 + gen_below(&g, 3); n > 0; n--) {
		Ex shape[4];
		int rank = gen_below(&g, 5);
		for (int d = 0; d < rank; d++)
			shape[d] = gen_extent(&g);
		gen_input(&g, gen_dtype(&g), rank, shape);
	}
	values = 3 + gen_below(&g, 20);
	for (int i = 0; i < values; i++) {
		int w = gen_below(&g, total), cls = 0;
		while (w >= weight[cls])
			w -= weight[cls++];
		g.last = (int)m->p.values.n;
		gen_class(&g, (OpClass)cls);
	}
	gen_results(&g);
	*positive = g.positive;
}

/* ---- shrinking ------------------------------------------------------- */

/* One way to make a program smaller. */
typedef struct Edit {
	enum {
		EDIT_RESULT,
		EDIT_INPUT,
		EDIT_SKIP,
		EDIT_NONE
	} kind;
	uint32_t at;  /* result or value */
	uint32_t arg; /* EDIT_SKIP: the operand that takes its place */
} Edit;

/*
 * p with the edit made and without what no result needs, in m. False when
 * the edit does not apply.
 */
TEST_ONLY static bool gen_edit(Make *m, const Program *p, Edit e)
{
	Program *q = program_copy(&m->arena, p);
	size_t n = q->values.n;
	bool *live = arena_array(&m->arena, bool, n);
	ValueId *to = arena_array(&m->arena, ValueId, n);
	ValueId *skip = arena_array(&m->arena, ValueId, n);
	Value *v = q->values.p;
	size_t results = 0, values = 0;

	if (e.kind == EDIT_RESULT && q->results.n < 2)
		return false;
	if (e.kind == EDIT_INPUT) {
		if (op_info[v[e.at].op].cls == OPC_LEAF)
			return false;
		v[e.at] = (Value){.op = OP_INPUT,
				  .dtype = v[e.at].dtype,
				  .rank = v[e.at].rank,
				  .name = arena_printf(&m->arena, "v%u", e.at)};
		memcpy(v[e.at].shape, p->values.p[e.at].shape,
		       sizeof(v->shape));
	}
	for (size_t i = 0; i < n; i++)
		skip[i] = (ValueId)i;
	if (e.kind == EDIT_SKIP) {
		const Value *x, *y = &v[e.at];
		if (e.arg >= y->nargs)
			return false;
		x = &v[y->args[e.arg]];
		if (x->dtype != y->dtype || !gen_shaped(x, y->rank, y->shape))
			return false;
		skip[e.at] = y->args[e.arg];
	}
	for (size_t i = 0; i < q->results.n; i++) {
		if (e.kind == EDIT_RESULT && i == e.at)
			continue;
		Result r = q->results.p[i];
		live[r.value = skip[r.value]] = true;
		q->results.p[results++] = r;
	}
	q->results.n = results;
	for (size_t i = n; i-- > 0;)
		for (uint32_t k = 0; live[i] && k < v[i].nargs; k++)
			live[skip[v[i].args[k]]] = true;
	q->inputs.n = 0;
	q->donated.n = 0;
	for (size_t i = 0; i < n; i++) {
		if (!live[i])
			continue;
		ValueId *args = arena_array(&m->arena, ValueId, v[i].nargs + 1);
		for (uint32_t k = 0; k < v[i].nargs; k++)
			args[k] = to[skip[v[i].args[k]]];
		v[i].args = args;
		if (v[i].op == OP_INPUT) {
			v[i].index = (uint32_t)q->inputs.n;
			VEC_PUSH(&m->arena, q->inputs, (ValueId)values);
		}
		v[values] = v[i];
		to[i] = (ValueId)values++;
	}
	for (size_t i = 0; i < results; i++)
		q->results.p[i].value = to[q->results.p[i].value];
	q->values.n = values;
	m->p = *q;
	return values < n || e.kind == EDIT_RESULT || e.kind == EDIT_INPUT ||
	       e.kind == EDIT_SKIP;
}

#endif
