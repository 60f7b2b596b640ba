/* The rewrites: each rule fires where it is exact, and only there. */
#include "rewrite/rewrite.h"

#include "oracle/oracle.h"
#include "tests/unit/make.h"

#include <math.h>

static Make m;
static RewriteLog hits;

/* One pass over the program so far, verified. */
static Program *after(RewritePass *pass)
{
	Buf why;
	buf_init(&why, &m.arena);
	if (!CHECK(program_verify(&m.p, &why)))
		printf("before: %s\n", buf_str(&why));
	hits = (RewriteLog){0};
	Program *q = pass(&m.ctx, &m.arena, &m.p, &hits);
	if (q && !CHECK(program_verify(q, &why)))
		printf("after: %s\n", buf_str(&why));
	return q;
}

static bool hit(const char *rule)
{
	for (size_t i = 0; i < hits.hits.n; i++)
		if (strcmp(hits.hits.p[i].rule, rule) == 0)
			return true;
	return false;
}

static const Value *out(const Program *q, size_t i)
{
	return program_value(q, q->results.p[i].value);
}

static ValueId matrix(const char *name, DType d)
{
	return input(&m, name, d, dim(&m, "M"), num(&m, 8));
}

static ValueId splat(float x, ValueId to)
{
	return like(&m, const_f32(&m, x), to);
}

/* ---- identities ------------------------------------------------------ */

static void identities(void)
{
	make_init(&m);
	ValueId x = matrix("x", DT_F32);
	result(&m, bin(&m, OP_ADD, x, splat(-0.0f, x)), "a");
	result(&m, bin(&m, OP_SUB, x, splat(0.0f, x)), "b");
	result(&m, bin(&m, OP_MUL, splat(1, x), x), "c");
	result(&m, bin(&m, OP_DIV, x, splat(1, x)), "d");
	result(&m, un(&m, OP_NEG, un(&m, OP_NEG, x)), "e");
	result(&m, bin(&m, OP_MAXIMUM, x, x), "f");
	result(&m, cast(&m, DT_F32, x), "g");
	result(&m, cast(&m, DT_F32, cast(&m, DT_F64, x)), "h");
	ValueId c = bin(&m, OP_LT, x, splat(1, x));
	result(&m,
	       add(&m, (Value){.op = OP_WHERE,
			       .nargs = 3,
			       .args = (ValueId[]){c, x, x}}),
	       "i");
	ValueId t = bin(&m, OP_EQ, const_f32(&m, 1), const_f32(&m, 1));
	ValueId y = matrix("y", DT_F32);
	result(&m,
	       add(&m, (Value){.op = OP_WHERE,
			       .nargs = 3,
			       .args = (ValueId[]){like(&m, t, x), x, y}}),
	       "j");
	Program *q = after(rewrite_constants);
	for (size_t i = 0; i < q->results.n; i++)
		CHECK(q->results.p[i].value == q->inputs.p[0]);
	CHECK(hit("add_zero") && hit("sub_zero") && hit("mul_one"));
	CHECK(hit("div_one") && hit("involution") && hit("idempotent"));
	CHECK(hit("cast_same") && hit("cast_roundtrip"));
	CHECK(hit("where_same") && hit("where_known") && hit("fold_scalar"));
	make_release(&m);
}

/* Every index of a view is asked for a proof, on an axis of one as well. */
static void indices_inside(void)
{
	make_init(&m);
	ValueId one = input_n(&m, "x", DT_F32, 1, (Ex[]){num(&m, 1)});
	ValueId many = input_n(&m, "y", DT_F32, 1, (Ex[]){dim(&m, "M")});
	Value v = {.op = OP_VIEW, .rank = 1, .shape = {num(&m, 2)}};
	const Value *x = program_value(&m.p, one),
		    *y = program_value(&m.p, many);
	Ex i = ex_axis(&m.p.ex, 0),
	   last = ex_sub(&m.p.ex, dim(&m, "M"), num(&m, 1));

	CHECK(view_map_inside(&m.p, &v, x, (Ex[]){num(&m, 0)}));
	CHECK(view_map_inside(&m.p, &v, x,
			      (Ex[]){ex_div(&m.p.ex, i, num(&m, 2))}));
	CHECK(!view_map_inside(&m.p, &v, x, (Ex[]){i}));
	CHECK(!view_map_inside(&m.p, &v, x, (Ex[]){num(&m, 1)}));
	CHECK(!view_map_inside(&m.p, &v, x, (Ex[]){num(&m, -1)}));
	CHECK(!view_map_inside(&m.p, &v, x, (Ex[]){last}));
	CHECK(!view_map_inside(&m.p, &v, y, (Ex[]){num(&m, 0)}));
	v.shape[0] = dim(&m, "M");
	CHECK(view_map_inside(&m.p, &v, y, (Ex[]){ex_sub(&m.p.ex, last, i)}));
	CHECK(!view_map_inside(&m.p, &v, x, (Ex[]){i}));
	make_release(&m);
}

/* What looks like an identity and is none. */
static void not_identities(void)
{
	make_init(&m);
	ValueId x = matrix("x", DT_F32);
	ValueId h = matrix("h", DT_F16);
	result(&m, bin(&m, OP_ADD, x, splat(0.0f, x)), "a");
	result(&m, bin(&m, OP_SUB, x, splat(-0.0f, x)), "b");
	result(&m, bin(&m, OP_MUL, x, splat(0.0f, x)), "c");
	result(&m, bin(&m, OP_SUB, x, x), "d");
	result(&m, bin(&m, OP_DIV, x, x), "e");
	result(&m, bin(&m, OP_EQ, x, x), "f");
	result(&m, cast(&m, DT_F32, cast(&m, DT_F16, x)), "g");
	result(&m, cast(&m, DT_F16, cast(&m, DT_BF16, h)), "h");
	result(&m, bin(&m, OP_DIV, splat(1.0f, x), x), "i");
	result(&m, un(&m, OP_EXP, const_f32(&m, 1)), "j");
	Program *q = after(rewrite_constants);
	CHECK(hits.hits.n == 0);
	for (size_t i = 0; i < q->results.n; i++)
		CHECK(out(q, i)->op != OP_INPUT && out(q, i)->op != OP_CONST);
	make_release(&m);
}

static void integer_identities(void)
{
	make_init(&m);
	ValueId x = matrix("x", DT_I32);
	ValueId zero = like(&m, const_i32(&m, 0), x);
	result(&m, bin(&m, OP_ADD, zero, x), "a");
	result(&m, bin(&m, OP_BITXOR, x, zero), "b");
	result(&m, bin(&m, OP_SHL, x, zero), "c");
	result(&m, cast(&m, DT_I32, cast(&m, DT_F64, x)), "d");
	result(&m, un(&m, OP_BITNOT, un(&m, OP_BITNOT, x)), "e");
	result(&m, un(&m, OP_ABS, un(&m, OP_ABS, x)), "f");
	result(&m, cast(&m, DT_I32, cast(&m, DT_F32, x)), "g");
	result(&m, cast(&m, DT_I32, cast(&m, DT_U64, x)), "h");
	Program *q = after(rewrite_constants);
	for (size_t i = 0; i < 5; i++)
		CHECK(out(q, i)->op == OP_INPUT);
	CHECK(out(q, 5)->op == OP_ABS);
	CHECK(program_value(q, out(q, 5)->args[0])->op == OP_INPUT);
	CHECK(out(q, 6)->op == OP_CAST && out(q, 7)->op == OP_CAST);
	CHECK(hit("bits_unchanged") && hit("done_already"));
	make_release(&m);
}

/* ---- folding --------------------------------------------------------- */

/* The folded result of a rank-0 program of one value, as bits. */
static uint64_t folded(ValueId v)
{
	uint64_t bits = 0;
	m.p.results.n = 0;
	result(&m, v, "y");
	Program *q = after(rewrite_constants);
	const Value *y = out(q, 0);
	if (CHECK(y->op == OP_CONST))
		memcpy(&bits, y->data, y->data_size);
	return bits;
}

static ValueId const_bits(DType d, uint64_t bits)
{
	return leaf(&m,
		    (Value){.op = OP_CONST,
			    .dtype = d,
			    .data = &bits,
			    .data_size = (size_t)dtype_info[d].bytes},
		    0, NULL);
}

static ValueId const_f64(double x)
{
	uint64_t bits;
	memcpy(&bits, &x, 8);
	return const_bits(DT_F64, bits);
}

static void conversions(void)
{
	make_init(&m);
	/* a double just above a midpoint of f16: through f32 it would tie to
	 * even and round down */
	double x = 1 + 0x1p-11 + 0x1p-40;
	CHECK(folded(cast(&m, DT_F16, const_f64(x))) == 0x3c01);
	CHECK(folded(cast(&m, DT_F16, const_f64(1 + 0x1p-11))) == 0x3c00);
	CHECK(folded(cast(&m, DT_F16, const_f64(65519.99))) == 0x7bff);
	CHECK(folded(cast(&m, DT_F16, const_f64(65520))) == 0x7c00);
	CHECK(folded(cast(&m, DT_F16, const_f64(-0x1p-24))) == 0x8001);
	CHECK(folded(cast(&m, DT_F16, const_f64(0x1p-25))) == 0);
	CHECK(folded(cast(&m, DT_F16, const_f64(0x1.8p-25))) == 1);
	CHECK(folded(cast(&m, DT_F16, const_f64(0x1.ff8p-15))) == 0x3ff);
	CHECK(folded(cast(&m, DT_F16, const_f64(0x1.ffcp-15))) == 0x400);
	CHECK(folded(cast(&m, DT_BF16, const_f64(1 + 0x1p-8))) == 0x3f80);
	x = 1 + 0x1p-8 + 0x1p-40;
	CHECK(folded(cast(&m, DT_BF16, const_f64(x))) == 0x3f81);
	CHECK(folded(cast(&m, DT_BF16, const_f64(0x1p-133))) == 1);
	CHECK(folded(cast(&m, DT_BF16, const_f64(1e39))) == 0x7f80);
	/* integers: 2^24 + 1 ties, one more bit far below decides */
	uint64_t n = (uint64_t)1 << 62 | (uint64_t)1 << 38;
	CHECK(folded(cast(&m, DT_F32, const_bits(DT_I64, n))) == 0x5e800000);
	CHECK(folded(cast(&m, DT_F32, const_bits(DT_I64, n | 1))) ==
	      0x5e800001);
	CHECK(folded(cast(&m, DT_I8, const_f64(-1e9))) == 0x80);
	CHECK(folded(cast(&m, DT_I8, const_f64(127.9))) == 127);
	CHECK(folded(cast(&m, DT_U8, const_f64(-3))) == 0);
	CHECK(folded(cast(&m, DT_U64, const_f64(1e30))) == UINT64_MAX);
	CHECK(folded(cast(&m, DT_I64, const_f64(1e30))) == INT64_MAX);
	CHECK(folded(cast(&m, DT_I32, const_f64((double)NAN))) == 0);
	CHECK(folded(cast(&m, DT_I8, const_bits(DT_I32, 0x1ff))) == 0xff);
	CHECK(folded(cast(&m, DT_BOOL, const_f64((double)NAN))) == 1);
	CHECK(folded(cast(&m, DT_F64, const_bits(DT_F16, 0x8001))) ==
	      folded(const_f64(-0x1p-24)));
	make_release(&m);
}

static void arithmetic(void)
{
	make_init(&m);
	ValueId a = const_bits(DT_F16, 0x3c00), b = const_bits(DT_F16, 0x1000);
	CHECK(folded(bin(&m, OP_ADD, a, b)) == 0x3c00); /* 1 + 2^-11: tie */
	b = const_bits(DT_F16, 0x1001);
	CHECK(folded(bin(&m, OP_ADD, a, b)) == 0x3c01);
	b = const_bits(DT_F16, 0x4200);
	CHECK(folded(bin(&m, OP_DIV, a, b)) == 0x3555); /* 1/3 */
	CHECK(folded(un(&m, OP_SQRT, const_bits(DT_F16, 0x4000))) == 0x3da8);
	/* WORKLOADS.md: the product of the boundary sentinel */
	a = cast(&m, DT_F16, const_f64(1.0048828125));
	b = cast(&m, DT_F16, const_f64(1.0927734375));
	CHECK(folded(cast(&m, DT_F64, bin(&m, OP_MUL, a, b))) ==
	      folded(const_f64(1.09765625)));
	a = const_bits(DT_I32, 0x80000000);
	CHECK(folded(un(&m, OP_NEG, a)) == 0x80000000);
	CHECK(folded(un(&m, OP_ABS, a)) == 0x80000000);
	CHECK(folded(bin(&m, OP_SHR, a, const_bits(DT_I32, 40))) == 0xffffffff);
	CHECK(folded(bin(&m, OP_SHL, a, const_bits(DT_I32, 0xffffffff))) == 0);
	CHECK(folded(bin(&m, OP_MUL, a, const_bits(DT_I32, 2))) == 0);
	CHECK(folded(bin(&m, OP_LT, a, const_bits(DT_I32, 0))) == 1);
	a = const_bits(DT_U32, 0x80000000);
	CHECK(folded(bin(&m, OP_LT, a, const_bits(DT_U32, 0))) == 0);
	CHECK(folded(bin(&m, OP_MAXIMUM, const_f64(-0.0), const_f64(0.0))) ==
	      0);
	CHECK(folded(bin(&m, OP_MINIMUM, const_f64(0.0), const_f64(-0.0))) ==
	      (uint64_t)1 << 63);
	CHECK(folded(bin(&m, OP_NE, const_f64((double)NAN), const_f64(0))) ==
	      1);
	/* faults and unfixed bits stay */
	m.p.results.n = 0;
	result(&m, bin(&m, OP_FLOORDIV, const_i32(&m, 4), const_i32(&m, 2)),
	       "y");
	CHECK(out(after(rewrite_constants), 0)->op == OP_FLOORDIV);
	make_release(&m);
}

static void fold_tensors(void)
{
	make_init(&m);
	int32_t data[6] = {1, 2, 3, 4, 5, 6};
	Value c = {.op = OP_CONST,
		   .dtype = DT_I32,
		   .data = data,
		   .data_size = sizeof(data)};
	ValueId k = leaf(&m, c, 2, (Ex[]){num(&m, 2), num(&m, 3)});
	ValueId t = transposed(&m, k);
	ValueId one = const_i32(&m, 1);
	ValueId y = bin(&m, OP_ADD, t, like(&m, one, t));
	ValueId z = add(&m, (Value){.op = OP_CONCAT,
				    .nargs = 2,
				    .args = (ValueId[]){y, t},
				    .axis = 1});
	Value pad = {.op = OP_PAD,
		     .nargs = 2,
		     .args = (ValueId[]){z, one},
		     .rank = 2,
		     .shape = {num(&m, 4), num(&m, 4)},
		     .start = {num(&m, 1), num(&m, 0)}};
	result(&m, add(&m, pad), "y");
	Program *q = after(rewrite_constants);
	int32_t want[16] = {1, 1, 1, 1, 2, 5, 1, 4, 3, 6, 2, 5, 4, 7, 3, 6};
	CHECK(out(q, 0)->op == OP_CONST && out(q, 0)->data_size == 64);
	CHECK(memcmp(out(q, 0)->data, want, 64) == 0);
	CHECK(hit("fold_view") && hit("fold_elements") && hit("fold_movement"));
	make_release(&m);
}

/* ---- cse, dead ------------------------------------------------------- */

static void cse(void)
{
	make_init(&m);
	ValueId x = matrix("x", DT_F32), y = matrix("y", DT_F32);
	ValueId a = bin(&m, OP_ADD, x, y);
	ValueId b = named(&m, bin(&m, OP_ADD, y, x), "sum");
	result(&m, bin(&m, OP_SUB, a, b), "d");
	result(&m, bin(&m, OP_SUB, x, y), "e");
	result(&m, bin(&m, OP_SUB, y, x), "f");
	ValueId c = const_f32(&m, 0), d = const_f32(&m, -0.0f);
	result(&m, bin(&m, OP_ADD, c, d), "g");
	m.relax = RELAX_CONTRACTION;
	result(&m, bin(&m, OP_SUB, x, y), "h");
	Program *q = after(rewrite_cse);
	CHECK(q->values.n == m.p.values.n - 1);
	CHECK(out(q, 0)->args[0] == out(q, 0)->args[1]);
	CHECK_STR(program_value(q, out(q, 0)->args[0])->name, "sum");
	CHECK(hits.hits.n == 1);
	CHECK_STR(hits.hits.p[0].what, "add sum becomes add sum");
	make_release(&m);
}

static void dead(void)
{
	make_init(&m);
	ValueId x = matrix("x", DT_F32);
	ValueId y = matrix("y", DT_F32);
	un(&m, OP_EXP, un(&m, OP_NEG, y));
	result(&m, un(&m, OP_NEG, x), "r");
	Program *q = after(rewrite_dead);
	CHECK(q->values.n == 3 && q->inputs.n == 2 && hits.hits.n == 2);
	CHECK_STR(q->ex.dims.p[0].name, "M");
	make_release(&m);
}

/* ---- views ----------------------------------------------------------- */

/* The map of result i, which must be a VIEW of an input, as text. */
static const char *map_text(const Program *q, size_t i)
{
	Buf b;
	buf_init(&b, &m.arena);
	const Value *v = out(q, i);
	if (v->op != OP_VIEW)
		return op_info[v->op].name;
	const Value *x = program_value(q, v->args[0]);
	if (x->op != OP_INPUT)
		return "not of an input";
	for (size_t d = 0; d < x->rank; d++) {
		buf_puts(&b, d ? ", " : "");
		ex_print(&b, &q->ex, v->map[d]);
	}
	return buf_str(&b);
}

static ValueId slice(ValueId a, int64_t start, int64_t step, Ex extent)
{
	const Value *x = program_value(&m.p, a);
	Value v = {.op = OP_SLICE, .nargs = 1, .args = &a, .rank = x->rank};
	for (int d = 0; d < x->rank; d++) {
		v.shape[d] = x->shape[d];
		v.step[d] = 1;
	}
	v.shape[x->rank - 1] = extent;
	v.start[x->rank - 1] = num(&m, start);
	v.step[x->rank - 1] = step;
	return add(&m, v);
}

static void views(void)
{
	make_init(&m);
	Ex M = dim(&m, "M"), one = num(&m, 1);
	ValueId x = matrix("x", DT_F32);
	ValueId b = input(&m, "b", DT_F32, num(&m, 8));
	ValueId w = input(&m, "w", DT_F32, num(&m, 4), num(&m, 6));
	result(&m, transposed(&m, transposed(&m, x)), "a");
	result(&m, transposed(&m, x), "b");
	result(&m, like(&m, b, x), "c");
	ValueId wide = reshape(&m, x, M, one, num(&m, 8));
	result(&m, wide, "d");
	result(&m, reshape(&m, wide, M, num(&m, 8)), "e");
	result(&m, reshape(&m, x, M, num(&m, 2), num(&m, 4)), "f");
	result(&m, reshape(&m, x, ex_mul(&m.p.ex, M, num(&m, 8))), "g");
	ValueId flat = reshape(&m, w, num(&m, 24));
	result(&m, flat, "h");
	result(&m, reshape(&m, w, num(&m, 6), num(&m, 4)), "i");
	result(&m, reshape(&m, flat, num(&m, 4), num(&m, 6)), "j");
	result(&m, slice(slice(x, 7, -1, num(&m, 8)), 1, 2, num(&m, 3)), "k");
	result(&m, reshape(&m, transposed(&m, w), num(&m, 24)), "l");
	result(&m, slice(x, 2, 1, one), "m");
	result(&m, reshape(&m, w, num(&m, 2), num(&m, 2), num(&m, 6)), "n");
	result(&m, like(&m, x, x), "o");
	Ex A = dim(&m, "A"), two = num(&m, 2), three = num(&m, 3);
	Ex MA = ex_mul(&m.p.ex, M, A);
	ValueId s = input(&m, "s", DT_F32, M, A, num(&m, 6));
	result(&m, reshape(&m, s, MA, num(&m, 6)), "p");
	result(&m, reshape(&m, s, A, M, num(&m, 6)), "q");
	result(&m, reshape(&m, s, MA, two, three), "r");
	result(&m, reshape(&m, s, M, ex_mul(&m.p.ex, A, two), three), "s");
	Program *q = after(rewrite_views);
	CHECK_STR(map_text(q, 15), "i0//A, i0%A, i1");
	CHECK_STR(map_text(q, 16), "(M*i0 + i1)//A, (M*i0 + i1)%A, i2");
	CHECK_STR(map_text(q, 17), "i0//A, i0%A, 3*i1 + i2");
	CHECK_STR(map_text(q, 18), "i0, i1//2, i2 + 3*(i1%2)");
	CHECK_STR(map_text(q, 0), "input");
	CHECK_STR(map_text(q, 1), "i1, i0");
	CHECK_STR(map_text(q, 2), "i1");
	CHECK_STR(map_text(q, 3), "i0, i2");
	CHECK_STR(map_text(q, 4), "input");
	CHECK_STR(map_text(q, 5), "i0, 4*i1 + i2");
	CHECK_STR(map_text(q, 6), "i0//8, i0%8");
	CHECK_STR(map_text(q, 7), "i0//6, i0%6");
	CHECK_STR(map_text(q, 8), "(4*i0 + i1)//6, (4*i0 + i1)%6");
	CHECK_STR(map_text(q, 9), "input");
	CHECK_STR(map_text(q, 10), "i0, 6 - 2*i1");
	CHECK_STR(map_text(q, 11), "i0%4, i0//4");
	CHECK_STR(map_text(q, 12), "i0, 2");
	CHECK_STR(map_text(q, 13), "2*i0 + i1, i2");
	CHECK_STR(map_text(q, 14), "input");
	CHECK(hit("view_none") && hit("view_chain") && hit("view_map"));
	make_release(&m);
}

/* A widening moves below the view; a rounding does not. */
static void views_and_casts(void)
{
	make_init(&m);
	ValueId x = matrix("x", DT_F32);
	ValueId g = input(&m, "g", DT_F16, num(&m, 8));
	ValueId b = input(&m, "b", DT_F64, num(&m, 8));
	result(&m, like(&m, cast(&m, DT_F32, g), x), "y");
	result(&m, like(&m, cast(&m, DT_F32, b), x), "z");
	ValueId seen = cast(&m, DT_F64, g);
	result(&m, like(&m, seen, x), "u");
	result(&m, seen, "v");
	Program *q = after(rewrite_views);
	CHECK(out(q, 0)->op == OP_CAST && out(q, 0)->rank == 2);
	CHECK(program_value(q, out(q, 0)->args[0])->op == OP_VIEW);
	CHECK(out(q, 1)->op == OP_VIEW && out(q, 2)->op == OP_VIEW);
	CHECK(hit("view_below_cast"));
	make_release(&m);
}

/* ---- relaxations ----------------------------------------------------- */

static void contraction(void)
{
	make_init(&m);
	m.relax = RELAX_CONTRACTION;
	ValueId x = matrix("x", DT_F32), y = matrix("y", DT_F32);
	ValueId z = matrix("z", DT_F32);
	result(&m, bin(&m, OP_ADD, bin(&m, OP_MUL, x, y), z), "a");
	result(&m, bin(&m, OP_SUB, bin(&m, OP_MUL, x, y), z), "b");
	result(&m, bin(&m, OP_SUB, z, bin(&m, OP_MUL, x, y)), "c");
	ValueId p = bin(&m, OP_MUL, x, z);
	result(&m, bin(&m, OP_ADD, p, z), "d");
	result(&m, p, "p");
	m.relax = 0;
	result(&m, bin(&m, OP_ADD, bin(&m, OP_MUL, x, y), z), "e");
	Program *q = after(rewrite_relaxations);
	CHECK(out(q, 0)->op == OP_FMA && out(q, 0)->args[2] == 2);
	CHECK(out(q, 1)->op == OP_FMA);
	CHECK(program_value(q, out(q, 1)->args[2])->op == OP_NEG);
	CHECK(out(q, 2)->op == OP_FMA && out(q, 2)->args[2] == 2);
	CHECK(program_value(q, out(q, 2)->args[0])->op == OP_NEG);
	CHECK(out(q, 3)->op == OP_ADD); /* p is a result */
	CHECK(out(q, 5)->op == OP_ADD); /* not asked for */
	CHECK(hits.hits.n == 3);
	CHECK_STR(hits.hits.p[0].what,
		  "add becomes fma: the boundary of mul is dropped");
	make_release(&m);
}

static void reassociate(void)
{
	make_init(&m);
	m.relax = RELAX_REASSOCIATE;
	ValueId x =
		input(&m, "x", DT_F32, dim(&m, "M"), num(&m, 8), num(&m, 4));
	result(&m, reduce(&m, OP_SUM, reduce(&m, OP_SUM, x, 2), 2), "a");
	ValueId a = input(&m, "a", DT_F16, num(&m, 3), num(&m, 8));
	ValueId b = input(&m, "b", DT_F16, num(&m, 8), num(&m, 5));
	ValueId c = input(&m, "c", DT_F16, num(&m, 3), num(&m, 2));
	ValueId d = input(&m, "d", DT_F16, num(&m, 2), num(&m, 5));
	result(&m, bin(&m, OP_ADD, matmul(&m, a, b), matmul(&m, c, d)), "y");
	m.relax = 0;
	result(&m, reduce(&m, OP_SUM, reduce(&m, OP_SUM, x, 2), 2), "b");
	Program *q = after(rewrite_relaxations);
	CHECK(out(q, 0)->op == OP_SUM && out(q, 0)->axes == 6);
	CHECK(out(q, 1)->op == OP_MATMUL);
	const Value *k = program_value(q, out(q, 1)->args[0]);
	CHECK(k->op == OP_CONCAT && k->axis == 1);
	CHECK(ex_equals(&q->ex, k->shape[1], 10));
	k = program_value(q, out(q, 1)->args[1]);
	CHECK(k->op == OP_CONCAT && k->axis == 0);
	CHECK(out(q, 2)->axes == 2);
	CHECK(hit("sum_of_sum") && hit("sum_of_products"));
	make_release(&m);
}

/* ---- random programs ------------------------------------------------- */

static uint64_t rng;

static uint32_t roll(uint32_t n)
{
	rng = rng * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(rng >> 33) % n;
}

static const Ex *shape_of(ValueId v)
{
	return program_value(&m.p, v)->shape;
}

static ValueId random_const(ValueId to)
{
	static const double number[] = {0, -0.0, 1, -1, 2, 0.5, 3, 1e5};
	DType d = program_value(&m.p, to)->dtype;
	return like(&m, cast(&m, d, const_f64(number[roll(8)])), to);
}

/* A value made of v and others of its shape, 4 x 6 or 6 x 4. */
static ValueId random_step(ValueId v, ValueId w)
{
	static const Op unary[] = {OP_NEG, OP_ABS, OP_SIGN, OP_NEG};
	static const Op binary[] = {OP_ADD, OP_SUB, OP_MUL, OP_MAXIMUM,
				    OP_MINIMUM};
	const Value *x = program_value(&m.p, v);
	Ex a = shape_of(v)[0], b = shape_of(v)[1];
	ValueId t;
	if (shape_of(w)[0] != a)
		w = transposed(&m, w);
	switch (roll(12)) {
	case 0:
		return un(&m, unary[roll(4)], v);
	case 1:
	case 2:
		return bin(&m, binary[roll(5)], v, random_const(v));
	case 3:
		return bin(&m, binary[roll(5)], random_const(v), v);
	case 4:
	case 5:
		return bin(&m, binary[roll(5)], v, w);
	case 6:
		return transposed(&m, v);
	case 7:
		t = reshape(&m, v, num(&m, 2), num(&m, 12));
		return reshape(&m, transposed(&m, t), b, a);
	case 8:
		t = slice(v, ex_eval(&m.p.ex, b, NULL, NULL) - 1, -1, b);
		return bin(&m, binary[roll(5)], t, v);
	case 9:
		t = reduce(&m, roll(2) ? OP_SUM : OP_MAX, v, 2);
		return like(&m, reshape(&m, t, a, num(&m, 1)), v);
	case 10:
		t = bin(&m, OP_LT, v, w);
		return add(&m, (Value){.op = OP_WHERE,
				       .nargs = 3,
				       .args = (ValueId[]){t, v, w}});
	default:
		t = cast(&m, roll(2) ? DT_F64 : DT_I16, v);
		return cast(&m, x->dtype, t);
	}
}

static void fill(Tensor *t, const Value *v, size_t bits)
{
	t->dtype = v->dtype;
	t->rank = v->rank;
	for (int d = 0; d < v->rank; d++)
		t->shape[d] = ex_eval(&m.p.ex, v->shape[d], NULL, NULL);
	tensor_set_contiguous(t);
	t->data = big_alloc(tensor_bytes(t));
	uint8_t *p = t->data;
	for (size_t i = 0; i < tensor_bytes(t); i++)
		p[i] = (uint8_t)roll(256);
	/* small exponents now and then, so that sums are not all lost */
	for (size_t i = bits / 8 - 1; i < tensor_bytes(t); i += bits / 8)
		if (roll(4))
			p[i] = (uint8_t)(0x3c | (roll(2) << 7));
}

/* NaN payloads and signs are outside the contract. */
static bool same_bits(const Tensor *a, const Tensor *b)
{
	size_t n = (size_t)dtype_info[a->dtype].bytes;
	const uint8_t *x = a->data, *y = b->data;
	for (size_t i = 0; i < tensor_bytes(a); i += n) {
		uint32_t u = 0, v = 0;
		memcpy(&u, x + i, n);
		memcpy(&v, y + i, n);
		uint32_t inf = a->dtype == DT_F32 ? 0x7f800000 : 0x7c00;
		uint32_t sign = a->dtype == DT_F32 ? 0x80000000 : 0x8000;
		bool nans = dtype_is_float(a->dtype) && (u & ~sign) > inf &&
			    (v & ~sign) > inf;
		if (u != v && !nans)
			return false;
	}
	return true;
}

/* What the oracle says of 300 programs, before and after. */
static void same_results(void)
{
	static const DType dtypes[] = {DT_F32, DT_F16, DT_I32};
	for (uint64_t seed = 0; seed < 300; seed++) {
		rng = seed * 77 + 1;
		make_init(&m);
		DType d = dtypes[seed % 3];
		ValueId v[12];
		v[0] = input(&m, "x", d, num(&m, 4), num(&m, 6));
		v[1] = input(&m, "y", d, num(&m, 6), num(&m, 4));
		for (size_t i = 2; i < 12; i++)
			v[i] = random_step(v[i - 1 - roll(2)],
					   v[roll((uint32_t)i)]);
		result(&m, v[11], "a");
		result(&m, v[10], "b");
		Program *q = after(rewrite_constants);
		RewritePass *const rest[] = {rewrite_views, rewrite_cse,
					     rewrite_constants, rewrite_dead};
		for (size_t i = 0; i < ARRAY_LEN(rest); i++)
			q = rest[i](&m.ctx, &m.arena, q, NULL);
		Buf why;
		buf_init(&why, &m.arena);
		if (!CHECK(program_verify(q, &why)))
			printf("%s\n", buf_str(&why));
		Tensor in[2] = {0}, want[2] = {0}, got[2] = {0};
		size_t bits = 8 * (size_t)dtype_info[d].bytes;
		fill(&in[0], program_value(&m.p, v[0]), bits);
		fill(&in[1], program_value(&m.p, v[1]), bits);
		Feeds feeds = {.inputs = in, .ninputs = 2};
		Binding none = {0};
		CHECK(oracle_reference(&m.ctx, &m.p, &none, &feeds, want));
		CHECK(oracle_reference(&m.ctx, q, &none, &feeds, got));
		for (int i = 0; i < 2; i++)
			if (!CHECK(same_bits(&want[i], &got[i])))
				printf("seed %d result %d\n", (int)seed, i);
		for (int i = 0; i < 2; i++) {
			big_free(in[i].data, tensor_bytes(&in[i]));
			big_free(want[i].data, tensor_bytes(&want[i]));
			big_free(got[i].data, tensor_bytes(&got[i]));
		}
		make_release(&m);
	}
}

/* Every row of the table was hit by the tests above. */
static void all_rules_hit(void)
{
	const RewriteRule *rows;
	size_t n = rewrite_rules(&rows);
	CHECK(n > 15);
	for (size_t i = 0; i < n; i++)
		if (!CHECK(rows[i].hits > 0 && rows[i].witness[0]))
			printf("never hit: %s\n", rows[i].name);
}

TEST_MAIN(TEST(identities), TEST(not_identities), TEST(indices_inside),
	  TEST(integer_identities), TEST(conversions), TEST(arithmetic),
	  TEST(fold_tensors), TEST(cse), TEST(dead), TEST(views),
	  TEST(views_and_casts), TEST(contraction), TEST(reassociate),
	  TEST(same_results), TEST(all_rules_hit))
