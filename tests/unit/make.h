/*
 * make: programs built value by value, for tests of the passes.
 *
 * A Make holds a context and a program; each function adds a value with
 * inferred dtype and shape. Dims are made by dim(), constants by num().
 */
#ifndef TENON_TEST_MAKE_H
#define TENON_TEST_MAKE_H

#include "ir/program.h"
#include "ir/view.h"

#include "tests/unit/test.h"

#define TEST_ONLY __attribute__((unused))

typedef struct Make {
	Ctx ctx;
	Arena arena;
	Program p;
	uint32_t relax; /* of values made from now on */
} Make;

TEST_ONLY static void make_init(Make *m)
{
	memset(m, 0, sizeof(*m));
	ctx_init(&m->ctx);
	arena_init(&m->arena);
	program_init(&m->p, &m->arena, "test");
}

TEST_ONLY static void make_release(Make *m)
{
	arena_release(&m->arena);
	ctx_release(&m->ctx);
}

TEST_ONLY static Ex dim(Make *m, const char *name)
{
	return ex_dim(&m->p.ex, name, LOC_NONE);
}

TEST_ONLY static Ex num(Make *m, int64_t n)
{
	return ex_const(&m->p.ex, n);
}

/* Adds v with what its op and operands decide filled in. */
TEST_ONLY static ValueId add(Make *m, Value v)
{
	v.relax = m->relax;
	if (!program_infer(&m->ctx, &m->p, &v))
		printf("%s", buf_str(&m->ctx.messages));
	return program_add(&m->p, &v);
}

TEST_ONLY static ValueId named(Make *m, ValueId v, const char *name)
{
	program_value(&m->p, v)->name = name;
	return v;
}

TEST_ONLY static ValueId leaf(Make *m, Value v, int rank, const Ex *shape)
{
	v.rank = (uint8_t)rank;
	for (int d = 0; d < rank; d++)
		v.shape[d] = shape[d];
	return add(m, v);
}

TEST_ONLY static ValueId input_n(Make *m, const char *name, DType d, int rank,
				 const Ex *shape)
{
	ValueId v = (ValueId)m->p.values.n;
	Value x = {.op = OP_INPUT,
		   .dtype = d,
		   .index = (uint32_t)m->p.inputs.n,
		   .name = name};
	VEC_PUSH(&m->arena, m->p.inputs, v);
	return leaf(m, x, rank, shape);
}

#define SHAPE(...)                                                             \
	(int)ARRAY_LEN(((Ex[]){__VA_ARGS__})), (Ex[])                          \
	{                                                                      \
		__VA_ARGS__                                                    \
	}
#define input(m, name, d, ...) input_n(m, name, d, SHAPE(__VA_ARGS__))

TEST_ONLY static ValueId const_f32(Make *m, float x)
{
	return leaf(m,
		    (Value){.op = OP_CONST,
			    .dtype = DT_F32,
			    .data = &x,
			    .data_size = sizeof(x)},
		    0, NULL);
}

TEST_ONLY static ValueId const_i32(Make *m, int32_t x)
{
	return leaf(m,
		    (Value){.op = OP_CONST,
			    .dtype = DT_I32,
			    .data = &x,
			    .data_size = sizeof(x)},
		    0, NULL);
}

TEST_ONLY static ValueId un(Make *m, Op op, ValueId a)
{
	return add(m, (Value){.op = op, .nargs = 1, .args = &a});
}

TEST_ONLY static ValueId cast(Make *m, DType d, ValueId a)
{
	return add(m,
		   (Value){.op = OP_CAST, .dtype = d, .nargs = 1, .args = &a});
}

TEST_ONLY static ValueId bin(Make *m, Op op, ValueId a, ValueId b)
{
	return add(m, (Value){.op = op, .nargs = 2, .args = (ValueId[]){a, b}});
}

/* a in the shape of b. */
TEST_ONLY static ValueId view_as(Make *m, Op op, ValueId a, int rank,
				 const Ex *shape)
{
	Value v = {.op = op, .nargs = 1, .args = &a, .rank = (uint8_t)rank};
	for (int d = 0; d < rank; d++)
		v.shape[d] = shape[d];
	return add(m, v);
}

TEST_ONLY static ValueId like(Make *m, ValueId a, ValueId b)
{
	const Value *to = program_value(&m->p, b);
	return view_as(m, OP_BROADCAST, a, to->rank, to->shape);
}

#define reshape(m, a, ...) view_as(m, OP_RESHAPE, a, SHAPE(__VA_ARGS__))

/* The last two axes exchanged. */
TEST_ONLY static ValueId transposed(Make *m, ValueId a)
{
	int rank = program_value(&m->p, a)->rank;
	Value v = {.op = OP_TRANSPOSE, .nargs = 1, .args = &a};
	for (int d = 0; d < rank; d++)
		v.perm[d] = (uint8_t)d;
	v.perm[rank - 1] = (uint8_t)(rank - 2);
	v.perm[rank - 2] = (uint8_t)(rank - 1);
	return add(m, v);
}

TEST_ONLY static ValueId matmul(Make *m, ValueId a, ValueId b)
{
	DType d = program_value(&m->p, a)->dtype;
	return add(m, (Value){.op = OP_MATMUL,
			      .dtype = d,
			      .acc = dtype_default_acc(d),
			      .nargs = 2,
			      .args = (ValueId[]){a, b}});
}

TEST_ONLY static ValueId reduce(Make *m, Op op, ValueId a, uint32_t axes)
{
	DType d = program_value(&m->p, a)->dtype;
	Value v = {.op = op, .dtype = d, .axes = axes, .nargs = 1, .args = &a};
	if (op == OP_SUM || op == OP_PROD)
		v.acc = dtype_default_acc(d);
	return add(m, v);
}

TEST_ONLY static void result(Make *m, ValueId v, const char *name)
{
	Result r = {.value = v, .name = name};
	VEC_PUSH(&m->arena, m->p.results, r);
}

#endif
