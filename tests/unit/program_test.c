/* program: inference and its errors, the verifier, copies, and the text. */
#include "ir/program.h"
#include "test.h"

#include <stdint.h>
#include <stdlib.h>

static Ctx ctx;
static Arena arena;
static Program prog;
static bool live;

static void fresh(void)
{
	if (live) {
		ctx_release(&ctx);
		arena_release(&arena);
	}
	live = true;
	ctx_init(&ctx);
	arena_init(&arena);
	program_init(&prog, &arena, "f");
	static const char line[] = "def f(x): return x\n";
	ctx_add_source(&ctx, "a.tn", line, sizeof(line) - 1);
}

static Loc loc(void)
{
	return (Loc){0, 1, 5, 1};
}

static Ex ex(const char *s)
{
	Ex e = 0;
	const char *at = s;
	CHECK(ex_parse(&prog.ex, &at, true, &e) == NULL);
	return e;
}

/* Fills rank and shape from "M, 768". */
static void shape(Value *v, const char *s)
{
	v->rank = 0;
	while (*s) {
		CHECK(ex_parse(&prog.ex, &s, true, &v->shape[v->rank++]) ==
		      NULL);
		while (*s == ',' || *s == ' ')
			s++;
	}
}

static ValueId add(Value v)
{
	v.loc = v.loc.line ? v.loc : loc();
	if (!CHECK(program_infer(&ctx, &prog, &v))) {
		printf("%s", buf_str(&ctx.messages));
		exit(1);
	}
	return program_add(&prog, &v);
}

static ValueId input(const char *name, DType d, const char *dims)
{
	Value v = {.op = OP_INPUT, .dtype = d, .name = name};
	v.index = (uint32_t)prog.inputs.n;
	shape(&v, dims);
	ValueId id = add(v);
	VEC_PUSH(&arena, prog.inputs, id);
	return id;
}

#define ARGS(...)                                                              \
	.args = (ValueId[]){__VA_ARGS__},                                      \
	.nargs = sizeof((ValueId[]){__VA_ARGS__}) / sizeof(ValueId)

static ValueId op(Op o, ValueId a)
{
	return add((Value){.op = o, ARGS(a)});
}

static ValueId op2(Op o, ValueId a, ValueId b)
{
	return add((Value){.op = o, ARGS(a, b)});
}

static void result(ValueId v, const char *name)
{
	Result r = {v, name, loc()};
	VEC_PUSH(&arena, prog.results, r);
}

static const char *type(ValueId v)
{
	Buf b;
	buf_init(&b, &arena);
	program_print_type(&b, &prog, program_value(&prog, v));
	return buf_str(&b);
}

/* ---- inference ------------------------------------------------------- */

static void shapes(void)
{
	fresh();
	ValueId x = input("x", DT_F16, "M, 768");
	ValueId w = input("w", DT_F16, "1024, 768");
	Value t = {.op = OP_TRANSPOSE, .perm = {1, 0}, ARGS(w)};
	ValueId wt = add(t);
	CHECK_STR(type(wt), "f16[768, 1024]");
	Value mm = {
		.op = OP_MATMUL, .dtype = DT_F16, .acc = DT_F32, ARGS(x, wt)};
	ValueId p = add(mm);
	CHECK_STR(type(p), "f16[M, 1024]");
	Value sum = {.op = OP_SUM,
		     .dtype = DT_F16,
		     .acc = DT_F32,
		     .axes = 2,
		     ARGS(p)};
	CHECK_STR(type(add(sum)), "f16[M]");
	CHECK_STR(type(add((Value){.op = OP_ARGMAX, .axes = 1, ARGS(p)})),
		  "i64[1024]");
	CHECK_STR(type(op2(OP_LT, p, p)), "bool[M, 1024]");
	ValueId half = input("h", DT_F16, "M, 24");
	CHECK_STR(type(add((Value){
			  .op = OP_CONCAT, .axis = 1, ARGS(p, half, p)})),
		  "f16[M, 2072]");
	ValueId at = input("at", DT_I64, "B, 3");
	CHECK_STR(type(add((Value){.op = OP_GATHER, .axis = 1, ARGS(p, at)})),
		  "f16[M, B, 3]");
	ValueId i1 = input("i1", DT_I32, "B"),
		u = input("u", DT_F16, "B, 1024");
	CHECK_STR(type(add((Value){.op = OP_SCATTER_ADD, ARGS(p, i1, u)})),
		  "f16[M, 1024]");
	Value r = {.op = OP_RESHAPE, ARGS(p)};
	shape(&r, "4*M, 256");
	CHECK_STR(type(add(r)), "f16[4*M, 256]");
	Value view = {.op = OP_VIEW, ARGS(p)};
	shape(&view, "1024, M");
	view.map[0] = ex("i1");
	view.map[1] = ex("1023 - i0");
	CHECK_STR(type(add(view)), "f16[1024, M]");
	ValueId c = op2(OP_GT, p, p);
	CHECK_STR(type(add((Value){.op = OP_WHERE, ARGS(c, p, p)})),
		  "f16[M, 1024]");
	Value cast = {.op = OP_CAST, .dtype = DT_I8, ARGS(p)};
	CHECK_STR(type(add(cast)), "i8[M, 1024]");
	CHECK(program_elements(&prog, p) == ex("1024*M"));
	/* what operands broadcast to */
	ValueId bias = input("b", DT_F16, "1024"),
		col = input("c", DT_F16, "M, 1");
	Value both = {.op = OP_ADD, .loc = loc(), ARGS(bias, col)};
	CHECK(program_broadcast_shape(&ctx, &prog, &both));
	CHECK(both.rank == 2 && both.shape[0] == ex("M") &&
	      both.shape[1] == ex("1024"));
	CHECK(ctx.errors == 0);
}

/* The value is refused, with these words in the message. */
static void refused(Value v, const char *words, const char *hint)
{
	v.loc = loc();
	ctx_clear_errors(&ctx);
	CHECK(!program_infer(&ctx, &prog, &v));
	const char *text = buf_str(&ctx.messages);
	if (!strstr(text, words) || (hint && !strstr(text, hint)) ||
	    !strstr(text, "a.tn:1:5: error: ")) {
		printf("got:  %s\nwant: %s | %s\n", text, words,
		       hint ? hint : "");
		CHECK(false);
	}
}

static void mismatches(void)
{
	fresh();
	ValueId x = input("x", DT_F16, "M, 768"),
		w = input("w", DT_F16, "1024, 768");
	ValueId f = input("f", DT_F32, "M, 768"),
		i = input("i", DT_I32, "M, 768");
	ValueId b = input("b", DT_BOOL, "M, 768"), v = input("v", DT_F16, "K");
	ValueId z = input("z", DT_F16, "M, 0"), y = input("y", DT_F16, "N");
	ValueId l = input("l", DT_I64, "M, 768");
	Value mm = {
		.op = OP_MATMUL, .dtype = DT_F16, .acc = DT_F32, ARGS(x, w)};
	refused(mm,
		"`@` of x: f16[M, 768] and w: f16[1024, 768]: axis 1 of the "
		"left is 768 and axis 0 of the right is 1024",
		"hint: did you mean w.T?");
	refused((Value){.op = OP_ADD, ARGS(x, f)},
		"the dtypes f16 and f32 differ", "convert one: f32(x)");
	refused((Value){.op = OP_ADD, ARGS(f, i)},
		"the dtypes f32 and i32 differ", "convert one: f32(i)");
	refused((Value){.op = OP_ADD, ARGS(i, l)},
		"the dtypes i32 and i64 differ", "convert one: i64(i)");
	refused((Value){.op = OP_ADD, ARGS(x, v)}, "ranks 2 and 1 differ",
		NULL);
	refused((Value){.op = OP_ADD, ARGS(v, y)},
		"axis 0 is K in one and N in the other",
		"`K` and `N` may differ when called; use one name for both");
	refused((Value){.op = OP_EXP, ARGS(i)}, "takes floats", "f32(x)");
	refused((Value){.op = OP_NEG, ARGS(b)}, "floats and integers",
		"convert the bool first");
	refused((Value){.op = OP_BITAND, ARGS(x, x)}, "takes integers",
		"bit operators");
	refused((Value){.op = OP_AND, ARGS(i, i)}, "takes bools", "x != 0");
	refused((Value){.op = OP_WHERE, ARGS(x, x, x)}, "condition", "x != 0");
	refused((Value){.op = OP_MAX, .axes = 2, ARGS(z)}, "axis 1 is empty",
		NULL);
	refused((Value){.op = OP_MAX, .axes = 4, ARGS(x)}, "axis 2 of x",
		"0 to 1");
	refused((Value){.op = OP_ARGMAX, .axes = 3, ARGS(x)}, "one axis",
		"reshape");
	refused((Value){.op = OP_SUM,
			.dtype = DT_I32,
			.acc = DT_I32,
			.axes = 1,
			ARGS(x)},
		"cannot have acc=i32", "a float");
	refused((Value){.op = OP_CONCAT, .axis = 0, ARGS(x, v)},
		"ranks 2 and 1", NULL);
	refused((Value){.op = OP_GATHER, .axis = 0, ARGS(x, f)}, "i32 or i64",
		"i64(x)");
	refused((Value){.op = OP_TRANSPOSE, .perm = {1, 1}, ARGS(x)},
		"not each named once", "0 to 1");
	Value r = {.op = OP_RESHAPE, ARGS(x)};
	shape(&r, "M, 700");
	refused(r, "768*M elements are not 700*M", NULL);
	Value big = {.op = OP_INPUT, .dtype = DT_F64};
	shape(&big, "4000000000, 4000000000");
	refused(big, "more than 2^63 bytes", NULL);
	shape(&big, "3, -2");
	refused(big, "the extent of axis 1 is -2", "0 or more");
	Value s = {.op = OP_SLICE,
		   .start = {ex("0"), ex("700")},
		   .step = {1, 1},
		   ARGS(x)};
	shape(&s, "M, 100");
	refused(s, "axis 1 runs from 700 to 799", NULL);
	s.step[1] = 0;
	refused(s, "the step of axis 1 is 0", NULL);
	Value view = {.op = OP_VIEW, ARGS(x)};
	shape(&view, "M");
	view.map[0] = ex("i0 + 1");
	refused(view, "the index i0 + 1 of axis 0 cannot", NULL);
	view.map[0] = ex("max(min(i9, 0), 0)");
	refused(view, "names an axis", NULL);
	Value br = {.op = OP_BROADCAST, ARGS(v)};
	shape(&br, "M, 7");
	refused(br, "axis 0 is K and would be 7", "`K` may be other than 7");
	br.rank = 0;
	refused(br, "the rank would shrink", NULL);
	Value both = {.op = OP_ADD, .loc = loc(), ARGS(x, v)};
	ctx_clear_errors(&ctx);
	CHECK(!program_broadcast_shape(&ctx, &prog, &both));
	CHECK(strstr(buf_str(&ctx.messages),
		     "axis 1 is 768 in one and axis 0 is K in the other"));
}

/* ---- a program with everything --------------------------------------- */

static ValueId constant(DType d, const char *dims, const void *data,
			size_t size)
{
	Value v = {.op = OP_CONST, .dtype = d, .data = data, .data_size = size};
	shape(&v, dims);
	return add(v);
}

static void build(void)
{
	fresh();
	ctx_add_source(&ctx, "lib \"two\".tn", "", 0);
	ValueId x = input("x", DT_F16, "M, 768");
	ValueId w = input("w", DT_F16, "N, 768");
	Value t = {.op = OP_TRANSPOSE, .perm = {1, 0}, ARGS(w)};
	ValueId wt = add(t);
	Value mm = {.op = OP_MATMUL,
		    .dtype = DT_F16,
		    .acc = DT_F32,
		    .relax = RELAX_CONTRACTION | RELAX_ROW_INVARIANT |
			     RELAX_TF32,
		    .name = "odd name",
		    ARGS(x, wt)};
	ValueId p = add(mm);
	/* every kind of float, down to the bits of a NaN */
	static const uint32_t f32[] = {0x3f8ccccd, 0x80000000, 0x7f800000,
				       0xff800000, 0x7fc12345, 0x00000001,
				       0x007fffff, 0x7f7fffff, 0xffa00000};
	static const uint16_t f16[] = {0x3c01, 0x8000, 0x7c00, 0xfe12,
				       0x0001, 0x03ff, 0x7bff};
	static const uint64_t f64[] = {0x3fb999999999999a, 1,
				       0x7ff0000000000001};
	constant(DT_F32, "3, 3", f32, sizeof(f32));
	constant(DT_F16, "7", f16, sizeof(f16));
	constant(DT_BF16, "7", f16, sizeof(f16));
	constant(DT_F64, "3, 1", f64, sizeof(f64));
	constant(DT_I8, "3", "\x80\x7f\xff", 3);
	constant(DT_U64, "", f64 + 2, 8);
	constant(DT_BOOL, "2", "\0\1", 2);
	constant(DT_I64, "0, 5", NULL, 0);
	static const int32_t many[100] = {1, -1, 3};
	constant(DT_I32, "10, 10", many, sizeof(many));
	ValueId half = constant(DT_F16, "", f16, 2);
	Value pad = {
		.op = OP_PAD, .start = {ex("0"), ex("M//2")}, ARGS(p, half)};
	shape(&pad, "M, N + M");
	ValueId q = add(pad);
	Value slice = {.op = OP_SLICE,
		       .start = {ex("M - 1"), ex("0")},
		       .step = {-1, 1},
		       .via = "flip",
		       ARGS(q)};
	shape(&slice, "M, min(3, N)");
	slice.loc = (Loc){1, 7, 3, 9};
	add(slice);
	Value view = {.op = OP_VIEW, .via = "a/b c", ARGS(p)};
	shape(&view, "M*N");
	view.map[0] = ex("i0//N");
	view.map[1] = ex("i0%N");
	ValueId flat = add(view);
	Value iota = {.op = OP_IOTA, .dtype = DT_I32, .axis = 1};
	shape(&iota, "2, N");
	add(iota);
	Value wf = {.op = OP_WEIGHT,
		    .dtype = DT_BF16,
		    .file = "w \"1\"\n\\t.st",
		    .tensor = "layer.0"};
	shape(&wf, "768, 768");
	add(wf);
	Value sum = {.op = OP_CUMSUM,
		     .dtype = DT_F16,
		     .acc = DT_F32,
		     .axis = 0,
		     ARGS(flat)};
	ValueId y = add(sum);
	Value red = {.op = OP_SUM,
		     .dtype = DT_F16,
		     .acc = DT_F16,
		     .axes = 0,
		     ARGS(y)};
	add(red);
	result(y, "y");
	result(p, "p");
	VEC_PUSH(&arena, prog.donated, x);
	prog.ex.dims.p[0].lo = 1;
	prog.ex.dims.p[0].hi = 4096;
	prog.ex.dims.p[0].loc = (Loc){1, 2, 3, 4};
	static const int64_t sizes[] = {1024, 768}, some[] = {-1, 8};
	DimSet main_set = {"main", sizes, 2, loc()};
	DimSet tail = {"tail end", some, 2, LOC_NONE};
	VEC_PUSH(&arena, prog.dimsets, main_set);
	VEC_PUSH(&arena, prog.dimsets, tail);
	prog.loc = loc();
}

static const char *print(const Program *p)
{
	Buf b;
	buf_init(&b, &arena);
	program_print(p, &b);
	return buf_str(&b);
}

static bool verifies(const Program *p)
{
	Buf why;
	buf_init(&why, &arena);
	bool ok = program_verify(p, &why);
	CHECK(ok == (why.n == 0));
	return ok;
}

static Program *parse(const char *text, size_t len)
{
	uint32_t s = ctx_add_source(&ctx, "stage", text, len);
	return program_parse(&ctx, &arena, s);
}

static void round_trip(void)
{
	build();
	CHECK(verifies(&prog));
	const char *text = print(&prog);
	CHECK(strncmp(text,
		      "program f @0:1:5+1\n"
		      "source 0 \"a.tn\"\n"
		      "source 1 \"lib \\\"two\\\".tn\"\n"
		      "dim M in 1..4096 @1:2:3+4\n"
		      "dim N in 0..1099511627776\n"
		      "dimset main M=1024 N=768 @0:1:5+1\n"
		      "dimset \"tail end\" N=8\n"
		      "%0 x: f16[M, 768] = input index=0 @0:1:5+1\n",
		      300) == 0 ||
	      strstr(text, "dimset \"tail end\" N=8\n"));
	CHECK(strstr(text, "data=[0x1.19999ap+0, -0x0p+0, inf, -inf, "
			   "nan:0x7fc12345, 0x1p-149, 0x1.fffffcp-127, "
			   "0x1.fffffep+127, nan:0xffa00000] "));
	CHECK(strstr(text, "data=[-128, 127, -1] "));
	CHECK(strstr(text, "map=[i0//N, i0%N] via=\"a/b c\" @0:1:5+1\n"));
	Program *p = parse(text, strlen(text));
	if (!CHECK(p != NULL)) {
		printf("%s", buf_str(&ctx.messages));
		return;
	}
	CHECK_STR(print(p), text);
	CHECK(p->inputs.n == 2 && p->results.n == 2 && p->donated.n == 1);
	for (size_t i = 0; i < p->values.n; i++) {
		const Value *a = program_value(&prog, (ValueId)i);
		const Value *b = program_value(p, (ValueId)i);
		CHECK(a->data_size == b->data_size &&
		      (a->data_size == 0 ||
		       memcmp(a->data, b->data, a->data_size) == 0));
		CHECK(a->loc.file == b->loc.file && a->loc.line == b->loc.line);
	}
	CHECK_STR(print(program_copy(&arena, &prog)), text);
	/* a fresh context knows no sources and gives the same text */
	Ctx other;
	ctx_init(&other);
	uint32_t s = ctx_add_source(&other, "stage", text, strlen(text));
	p = program_parse(&other, &arena, s);
	CHECK(p && strcmp(print(p), text) == 0);
	ctx_release(&other);
}

static void every_float(void)
{
	fresh();
	static uint16_t all[65536];
	for (size_t i = 0; i < 65536; i++)
		all[i] = (uint16_t)i;
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < 65536; i += 64)
			constant(k ? DT_BF16 : DT_F16, "64", all + i, 128);
	result(0, "y");
	const char *text = print(&prog);
	Program *p = parse(text, strlen(text));
	if (!CHECK(p != NULL)) {
		printf("%.300s", buf_str(&ctx.messages));
		return;
	}
	for (size_t i = 0; i < p->values.n; i++)
		CHECK(memcmp(program_value(p, (ValueId)i)->data,
			     all + i % 1024 * 64, 128) == 0);
}

/* ---- what is refused ------------------------------------------------- */

static void bad_text(const char *text, const char *want)
{
	fresh();
	CHECK(parse(text, strlen(text)) == NULL);
	const char *got = buf_str(&ctx.messages);
	if (ctx.errors != 1 || strncmp(got, want, strlen(want)) != 0) {
		printf("got:  %s\nwant: %s\n", got, want);
		CHECK(false);
	}
}

static void bad_texts(void)
{
#define HEAD "program f\ndim M in 0..9\n%0 x: f16[M] = input index=0\n"
	bad_text("", "stage:1:1: error: expected `program `");
	bad_text("program f\n", "stage:2:1: error: expected `return`");
	bad_text("program f\nreturn %0 as y\n",
		 "stage:2:8: error: there is no value %0 before this");
	bad_text("program f\n%0 x: f16[M] = input index=0\n",
		 "stage:2:12: error: a name that is no declared dim");
	bad_text("program f\n%0 x: f17[3] = input index=0\n",
		 "stage:2:7: error: `f17` is no dtype");
	bad_text("program f\n%0: f16[3] = frob index=0\n",
		 "stage:2:14: error: `frob` is no op");
	bad_text("program f\n%1: f16[3] = input index=0\n",
		 "stage:2:1: error: this is value %0, not %1");
	bad_text(HEAD "%1: f16[M] = add %0\n",
		 "stage:4:20: error: `add` takes 2 operands, not 1");
	bad_text(HEAD "%1: f16[M] = add %0 %1\n",
		 "stage:4:21: error: there is no value %1 before this");
	bad_text(HEAD "%1: f32[M] = add %0 %0\n",
		 "stage:4:1: error: the operands give f16[M]");
	bad_text(HEAD "%1: f16[7] = add %0 %0\n",
		 "stage:4:1: error: the operands give f16[M]");
	bad_text(HEAD "%1: f16[] = sum %0 axes=[0]\n",
		 "stage:4:20: error: `sum` needs acc= here");
	bad_text(HEAD "%1: f16 = const data=0x1.001p+0\n",
		 "stage:4:22: error: a number is none of its dtype's values");
	bad_text(HEAD "%1: f16 = const data=0x1p-25\n",
		 "stage:4:22: error: a number is none of its dtype's values");
	bad_text(HEAD "%1: f16 = const data=0x1p+16\n",
		 "stage:4:22: error: a number is none of its dtype's values");
	bad_text(HEAD "%1: f16[3] = const data=[1, 2]\n",
		 "stage:4:1: error: a constant f16[3] holds 4 bytes of data");
	bad_text(HEAD "%1: f16[1099511627776] = const data=[]\n",
		 "stage:4:1: error: a constant f16[1099511627776] holds 0");
	bad_text(HEAD "%1: f16[M] = neg %0 @3:1:1+1\n",
		 "stage:4:29: error: source 3 is not declared");
	bad_text(HEAD "%1: f16[M] = view %0 map=[i0 + 1]\n",
		 "stage:4:1: error: `view` of x: f16[M] to f16[M]: the index");
	bad_text(HEAD "return %0 as y, %0 as y\n",
		 "stage:1:1: error: the program does not hold together: "
		 "%0: two results share a name");
	bad_text(HEAD "return %0 as y\nreturn %0 as z\n",
		 "stage:5:8: error: this line is not expected here");
	bad_text("program f\ndim i0 in 0..9\n",
		 "stage:2:5: error: `i0` cannot name a dim");
	bad_text("program \"f\n", "stage:1:11: error: expected `\"` before");
	fresh();
	CHECK(parse(HEAD "return %0 as y\n\0x", sizeof(HEAD) + 16) == NULL);
#undef HEAD
}

static void verifier(void)
{
	build();
	Value *v = program_value(&prog, 3);
	Value keep = *v;
	v->shape[0] = ex("N");
	CHECK(!verifies(&prog));
	*v = keep;
	v->dtype = DT_F32;
	CHECK(verifies(&prog) == false);
	*v = keep;
	v->args = (ValueId[]){0, 5};
	CHECK(!verifies(&prog));
	*v = keep;
	v->nargs = 1;
	CHECK(!verifies(&prog));
	*v = keep;
	v->rank = 9;
	CHECK(!verifies(&prog));
	*v = keep;
	CHECK(verifies(&prog));
	v = program_value(&prog, (ValueId)prog.values.n - 1);
	v->shape[0] = ex("N");
	CHECK(!verifies(&prog));
	v->shape[0] = ex("M*N");
	CHECK(verifies(&prog));
	prog.results.p[1].value = 1000;
	CHECK(!verifies(&prog));
	prog.results.p[1].value = 0;
	prog.results.p[1].name = "y";
	CHECK(!verifies(&prog));
	prog.results.p[1].name = "z";
	CHECK(verifies(&prog));
	prog.inputs.p[0] = 1;
	CHECK(!verifies(&prog));
	prog.inputs.p[0] = 0;
	prog.donated.p[0] = 2;
	CHECK(!verifies(&prog));
	prog.donated.p[0] = 1;
	CHECK(verifies(&prog));
	prog.ex.dims.p[0].hi = 0;
	CHECK(!verifies(&prog));
}

static void uses(void)
{
	fresh();
	ValueId x = input("x", DT_F32, "M"), y = input("y", DT_F32, "M");
	ValueId a = op2(OP_ADD, x, x), b = op2(OP_MUL, a, y);
	ValueId c = op(OP_NEG, a);
	result(c, "c");
	result(a, "a");
	Uses u = program_uses(&arena, &prog);
	CHECK(u.first[x + 1] - u.first[x] == 1 && u.list[u.first[x]] == a);
	CHECK(u.first[a + 1] - u.first[a] == 2 && u.list[u.first[a]] == b &&
	      u.list[u.first[a] + 1] == c);
	CHECK(u.first[c + 1] == u.first[c]);
	CHECK(u.is_result[a] && u.is_result[c] && !u.is_result[b]);
}

static void tensors(void)
{
	Tensor t = {.dtype = DT_F32, .rank = 3, .shape = {2, 3, 4}};
	tensor_set_contiguous(&t);
	CHECK(t.strides[0] == 48 && t.strides[2] == 4);
	CHECK(tensor_elements(&t) == 24 && tensor_bytes(&t) == 96);
	CHECK(tensor_is_contiguous(&t));
	t.strides[1] = 4;
	CHECK(!tensor_is_contiguous(&t));
	t.shape[1] = 1;
	t.strides[0] = 16;
	CHECK(tensor_is_contiguous(&t));
	t.shape[1] = 0;
	CHECK(tensor_elements(&t) == 0 && tensor_is_contiguous(&t));
	t.shape[1] = INT64_MAX / 4;
	CHECK(tensor_elements(&t) == -1 && tensor_bytes(&t) == SIZE_MAX);
	t.rank = 0;
	CHECK(tensor_elements(&t) == 1 && tensor_bytes(&t) == 4);
	DType d;
	CHECK(dtype_parse("bf16", &d) && d == DT_BF16 &&
	      !dtype_parse("f8", &d));
	Op o;
	CHECK(op_parse("scatter_add", &o) && o == OP_SCATTER_ADD);
	CHECK(op_has(OP_ADD, 'C') && !op_has(OP_SUB, 'C'));
	CHECK(op_admits(OP_EXP, DT_BF16) && !op_admits(OP_EXP, DT_I8));
	CHECK(op_admits(OP_NOT, DT_BOOL) && !op_admits(OP_SUM, DT_BOOL));
	CHECK(dtype_default_acc(DT_BF16) == DT_F32 &&
	      dtype_default_acc(DT_I16) == DT_I16 &&
	      dtype_interior(DT_F64) == DT_F64);
}

/*
 * Damaged texts neither crash nor, if they are accepted, fail to read back.
 */
static void damage(void)
{
	build();
	const char *text = print(&prog);
	size_t n = strlen(text);
	char *copy = malloc(n + 1);
	uint64_t state = 99;
	long accepted = 0;
	static const char bytes[] = "0123456789MNi[]()%=@:+-*/,. \n\"x\\fe";
	Ctx c;
	Arena a;
	for (int i = 0; i < 3000; i++) {
		memcpy(copy, text, n + 1);
		size_t len = n;
		for (uint64_t k = 0; k < 1 + (uint64_t)i % 3; k++) {
			state = state * 6364136223846793005u +
				1442695040888963407u;
			size_t at = (size_t)(state >> 33) % len;
			size_t what = (size_t)(state >> 20) % 3;
			char byte = bytes[(state >> 12) % (sizeof(bytes) - 1)];
			if (what == 0) {
				copy[at] = byte;
			} else if (what == 1) {
				memmove(copy + at, copy + at + 1, len - at);
				len--;
			} else {
				len = (size_t)i % 7 ? len : at + 1;
				copy[len] = '\0';
			}
		}
		ctx_init(&c);
		arena_init(&a);
		Program *p = program_parse(
			&c, &a, ctx_add_source(&c, "stage", copy, len));
		CHECK((p == NULL) == (c.errors == 1));
		if (p) {
			accepted++;
			const char *once = print(p);
			uint32_t s =
				ctx_add_source(&c, "again", once, strlen(once));
			Program *q = program_parse(&c, &a, s);
			CHECK(q && strcmp(print(q), once) == 0);
		}
		arena_release(&a);
		ctx_release(&c);
	}
	CHECK(accepted > 100);
	free(copy);
}

/* Memory refused at any point unwinds, and nothing is left behind. */
static void refused_memory(void)
{
	build();
	const char *text = print(&prog);
	size_t len = strlen(text);
	bool done = false;
	int n = 1;
	for (; !done && n < 1000; n++) {
		static Ctx c;
		static Arena a;
		static OomTrap trap;
		ctx_init(&c);
		arena_init(&a);
		oom_fail_nth(n);
		if (!OOM_TRAP(&trap)) {
			uint32_t s = ctx_add_source(&c, "stage", text, len);
			Program *p = program_parse(&c, &a, s);
			CHECK(p != NULL);
			p = program_copy(&a, p);
			Buf b;
			buf_init(&b, &a);
			program_print(p, &b);
			CHECK_STR(buf_str(&b), text);
			program_uses(&a, p);
			oom_trap_pop(&trap);
			done = true;
		}
		oom_fail_nth(0);
		arena_release(&a);
		ctx_release(&c);
	}
	CHECK(done && n > 5);
}

TEST_MAIN(TEST(shapes), TEST(mismatches), TEST(round_trip), TEST(every_float),
	  TEST(bad_texts), TEST(verifier), TEST(uses), TEST(tensors),
	  TEST(damage), TEST(refused_memory))
