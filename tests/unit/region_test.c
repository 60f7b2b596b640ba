/* The partition: what joins what, and that the stage reads back. */
#include "region/region.h"

#include "front/front.h"
#include "rewrite/rewrite.h"

#include "tests/unit/regions.h"

static Make m;
static ValueId x, w, b;

/* x: f16[M, 768], w: f16[768, 1024], b: f16[1024]. */
static void linear(void)
{
	make_init(&m);
	x = input(&m, "x", DT_F16, dim(&m, "M"), num(&m, 768));
	w = input(&m, "w", DT_F16, num(&m, 768), num(&m, 1024));
	b = input(&m, "b", DT_F16, num(&m, 1024));
}

static void public_projection(void)
{
	linear();
	ValueId p = named(&m, matmul(&m, x, w), "p");
	ValueId y = bin(&m, OP_ADD, p, like(&m, b, p));
	result(&m, y, "y");
	result(&m, p, "p");
	Regions *r = part(&m, NULL, 0);
	CHECK_STR(kinds(&m, r), "contract");
	CHECK(r->regions.p[0].outputs.n == 2);
	CHECK_STR(condition(r, p, y), "epilogue");
	CHECK(strstr(r->decisions.p[0].values, "result=yes") != NULL);
	CHECK(strstr(r->decisions.p[0].values, "bytes=2048*M ") != NULL);
	CHECK(strstr(r->decisions.p[0].change, "p is a result") != NULL);
	CHECK(r->part[p] == PART_ANCHOR && r->part[y] == PART_EPILOGUE);
	make_release(&m);
}

/* A loop that the epilogue takes beside the product comes along. */
static void beside_product(void)
{
	linear();
	ValueId r = input(&m, "r", DT_F16, dim(&m, "M"), num(&m, 1024));
	ValueId y = matmul(&m, x, w);
	ValueId t = un(&m, OP_EXP, r);
	ValueId s = bin(&m, OP_MUL, t, like(&m, b, y));
	ValueId z = bin(&m, OP_ADD, y, s);
	result(&m, z, "z");
	Regions *reg = part(&m, NULL, 0);
	CHECK_STR(kinds(&m, reg), "contract");
	CHECK_STR(condition(reg, s, z), "epilogue");
	CHECK(reg->part[t] == PART_EPILOGUE && reg->part[s] == PART_EPILOGUE);
	CHECK(reg->regions.p[0].outputs.n == 1);
	/* another product's tile reads it too, in place: one kernel still */
	ValueId v = input(&m, "v", DT_F16, num(&m, 768), num(&m, 1024));
	ValueId u = bin(&m, OP_MUL, matmul(&m, x, v), t);
	result(&m, bin(&m, OP_ADD, u, z), "u");
	reg = part(&m, NULL, 0);
	CHECK_STR(kinds(&m, reg), "contract");
	CHECK(reg->part[t] == PART_EPILOGUE);
	/* a result keeps what it is made with in memory */
	result(&m, s, "s");
	reg = part(&m, NULL, 0);
	CHECK_STR(kinds(&m, reg), "loop contract");
	CHECK_STR(condition(reg, s, z), "other kernel");
	make_release(&m);
}

/* It stays where a load of the product reads it as well. */
static void beside_operand(void)
{
	make_init(&m);
	x = input(&m, "x", DT_F32, num(&m, 64), num(&m, 64));
	w = input(&m, "w", DT_F32, num(&m, 64), num(&m, 64));
	ValueId t = un(&m, OP_EXP, x);
	ValueId z = bin(&m, OP_ADD, matmul(&m, t, w), t);
	result(&m, z, "z");
	Regions *reg = part(&m, NULL, 0);
	CHECK_STR(kinds(&m, reg), "loop contract");
	CHECK_STR(condition(reg, t, z), "cycle");
	make_release(&m);
}

static void prologue(void)
{
	linear();
	ValueId s = input(&m, "s", DT_F16, num(&m, 768));
	ValueId xs = bin(&m, OP_MUL, x, like(&m, s, x));
	ValueId y = matmul(&m, xs, w);
	result(&m, y, "y");
	Regions *r = part(&m, NULL, 0);
	CHECK_STR(kinds(&m, r), "contract");
	CHECK_STR(condition(r, xs, y), "load prologue");
	CHECK(r->part[xs] == PART_PROLOGUE);
	CHECK(r->regions.p[0].outputs.n == 1);
	CHECK_STR(r->decisions.p[0].change, "");
	/* another reader, then a result: each keeps it in memory */
	ValueId z = matmul(&m, xs, w);
	result(&m, z, "z");
	r = part(&m, NULL, 0);
	CHECK_STR(kinds(&m, r), "loop contract contract");
	CHECK_STR(condition(r, xs, y), "several uses");
	CHECK_STR(condition(r, xs, z), "several uses");
	make_release(&m);
}

static void observed_prologue(void)
{
	linear();
	ValueId xs = un(&m, OP_NEG, x);
	ValueId y = matmul(&m, xs, w);
	result(&m, y, "y");
	result(&m, transposed(&m, xs), "t");
	Regions *r = part(&m, NULL, 0);
	CHECK_STR(kinds(&m, r), "loop contract loop");
	CHECK_STR(condition(r, xs, y), "observed result");
	make_release(&m);
}

/* Both operands from one loop: it would be evaluated at two loads. */
static void gram(void)
{
	linear();
	ValueId xs = un(&m, OP_NEG, x);
	ValueId y = matmul(&m, xs, transposed(&m, xs));
	result(&m, y, "y");
	Regions *r = part(&m, NULL, 0);
	CHECK_STR(kinds(&m, r), "loop contract");
	CHECK_STR(condition(r, xs, y), "several uses");
	make_release(&m);
}

/* A load through two reshapes has an index that no proof reaches. */
static void two_reshapes(void)
{
	make_init(&m);
	x = input(&m, "x", DT_F32, num(&m, 4), num(&m, 6));
	w = input(&m, "w", DT_F32, num(&m, 6), num(&m, 3));
	ValueId t = un(&m, OP_ABS, reshape(&m, x, num(&m, 6), num(&m, 4)));
	ValueId y = matmul(&m, reshape(&m, t, num(&m, 4), num(&m, 6)), w);
	result(&m, y, "y");
	Regions *r = part(&m, NULL, 0);
	CHECK_STR(kinds(&m, r), "loop contract");
	CHECK_STR(condition(r, t, y), "two reshapes");
	make_release(&m);
}

static void two_products(void)
{
	linear();
	ValueId v = input(&m, "v", DT_F16, num(&m, 768), num(&m, 1024));
	ValueId p = matmul(&m, x, w), q = matmul(&m, x, v);
	ValueId y = bin(&m, OP_ADD, p, q);
	result(&m, y, "y");
	Regions *r = part(&m, NULL, 0);
	CHECK_STR(kinds(&m, r), "contract");
	CHECK_STR(condition(r, p, y), "joined products");
	CHECK_STR(condition(r, q, y), "epilogue");
	make_release(&m);
	/* projection_chain */
	linear();
	v = input(&m, "v", DT_F16, num(&m, 1024), num(&m, 64));
	p = matmul(&m, x, w);
	q = matmul(&m, p, v);
	result(&m, q, "y");
	r = part(&m, NULL, 0);
	CHECK_STR(kinds(&m, r), "contract contract");
	CHECK_STR(condition(r, p, q), "rows not known");
	make_release(&m);
}

static void two_layer(void)
{
	linear();
	ValueId v = input(&m, "v", DT_F16, num(&m, 1024), num(&m, 64));
	ValueId p = matmul(&m, x, w);
	ValueId a = bin(&m, OP_ADD, p, like(&m, b, p));
	ValueId zero = cast(&m, DT_F16, const_f32(&m, 0));
	ValueId h = bin(&m, OP_MAXIMUM, a, like(&m, zero, a));
	ValueId y = matmul(&m, h, v);
	result(&m, y, "y");
	Regions *r = part(&m, NULL, 0);
	/* the cast of a literal is a loop until rewrite folds it */
	CHECK_STR(kinds(&m, r), "loop contract contract");
	CHECK_STR(condition(r, a, h), "epilogue");
	CHECK_STR(condition(r, zero, h), "not the same element");
	make_release(&m);
}

/* softmax of v over its last axis, keepdims written as reshapes. */
static ValueId softmax(ValueId v)
{
	const Value *t = program_value(&m.p, v);
	Ex rows = t->shape[0];
	ValueId f = cast(&m, DT_F32, v);
	ValueId top = reduce(&m, OP_MAX, f, 2);
	top = reshape(&m, top, rows, num(&m, 1));
	ValueId e = un(&m, OP_EXP, bin(&m, OP_SUB, f, like(&m, top, f)));
	ValueId sum = reduce(&m, OP_SUM, e, 2);
	sum = reshape(&m, sum, rows, num(&m, 1));
	ValueId q = bin(&m, OP_DIV, e, like(&m, sum, e));
	return cast(&m, DT_F16, q);
}

static void rows(void)
{
	linear();
	result(&m, softmax(x), "y");
	Regions *r = part(&m, NULL, 0);
	CHECK_STR(kinds(&m, r), "rowreduce");
	CHECK(r->regions.p[0].reduced == 2);
	CHECK(r->regions.p[0].outputs.n == 1);
	make_release(&m);
	/* of a product: the row is spread over tiles */
	linear();
	ValueId p = matmul(&m, x, w);
	result(&m, softmax(p), "y");
	r = part(&m, NULL, 0);
	CHECK_STR(kinds(&m, r), "contract rowreduce");
	make_release(&m);
}

/* rms_norm in f32, gain g, with the kept value shaped [M, 1]. */
static ValueId rms_norm(ValueId v, ValueId g)
{
	Ex rows = program_value(&m.p, v)->shape[0];
	ValueId f = cast(&m, DT_F32, v);
	ValueId s = reduce(&m, OP_SUM, bin(&m, OP_MUL, f, f), 2);
	s = reshape(&m, s, rows, num(&m, 1));
	s = bin(&m, OP_ADD, s, like(&m, const_f32(&m, 1e-5f), s));
	s = un(&m, OP_RSQRT, s);
	ValueId y = bin(&m, OP_MUL, f, like(&m, s, f));
	y = cast(&m, DT_F16, y);
	return bin(&m, OP_MUL, y, like(&m, g, y));
}

static void norms(void)
{
	linear();
	ValueId g = input(&m, "g", DT_F16, num(&m, 768));
	ValueId n = rms_norm(x, g);
	result(&m, n, "y");
	Regions *r = part(&m, NULL, 0);
	CHECK_STR(kinds(&m, r), "rowreduce");
	ValueId y = matmul(&m, n, w);
	m.p.results.n = 0;
	result(&m, y, "y");
	r = part(&m, NULL, 0);
	CHECK_STR(kinds(&m, r), "rowreduce contract");
	CHECK_STR(condition(r, n, y), "reduction at the load");
	make_release(&m);
}

/* Two reductions of one input that meet in a row become one kernel. */
static void rows_merge(void)
{
	linear();
	ValueId f = input(&m, "f", DT_F32, dim(&m, "M"), num(&m, 768));
	ValueId lo = reduce(&m, OP_MIN, f, 2), hi = reduce(&m, OP_MAX, f, 2);
	ValueId d = bin(&m, OP_SUB, hi, lo);
	Ex shape[2] = {dim(&m, "M"), num(&m, 1)};
	ValueId wide = like(&m, view_as(&m, OP_RESHAPE, d, 2, shape), f);
	ValueId y = bin(&m, OP_DIV, f, wide);
	result(&m, y, "y");
	Regions *r = part(&m, NULL, 0);
	CHECK_STR(kinds(&m, r), "rowreduce");
	CHECK_STR(condition(r, lo, d), "rows");
	/* other axes: other rows */
	ValueId c = reduce(&m, OP_SUM, y, 1);
	result(&m, c, "c");
	r = part(&m, NULL, 0);
	CHECK_STR(kinds(&m, r), "rowreduce rowreduce");
	CHECK_STR(condition(r, y, c), "other rows");
	make_release(&m);
}

/* An axis shorter by one square: the broadcast must go along the reduced
 * axes, not just fit the shape. */
static void square_rows(void)
{
	make_init(&m);
	ValueId f = input(&m, "f", DT_F32, num(&m, 64), num(&m, 64));
	ValueId s = reduce(&m, OP_SUM, f, 2);
	ValueId y = bin(&m, OP_SUB, f, like(&m, s, f));
	result(&m, y, "y");
	Regions *r = part(&m, NULL, 0);
	CHECK_STR(kinds(&m, r), "rowreduce loop");
	CHECK_STR(condition(r, s, y), "other rows");
	make_release(&m);
}

/* p and a loop over p's transpose meet again: the loop waits for all of p. */
static void no_cycle(void)
{
	make_init(&m);
	x = input(&m, "x", DT_F32, num(&m, 64), num(&m, 64));
	ValueId p = matmul(&m, x, x);
	ValueId t = un(&m, OP_NEG, transposed(&m, p));
	ValueId y = bin(&m, OP_ADD, p, t);
	result(&m, y, "y");
	Regions *r = part(&m, NULL, 0);
	CHECK_STR(kinds(&m, r), "contract loop");
	CHECK_STR(condition(r, p, t), "not the same element");
	CHECK_STR(condition(r, p, y), "cycle");
	CHECK_STR(condition(r, t, y), "same element");
	make_release(&m);
	/* the same with loops: merging them would read itself */
	make_init(&m);
	x = input(&m, "x", DT_F32, num(&m, 64), num(&m, 64));
	ValueId a = un(&m, OP_ABS, x);
	ValueId c = un(&m, OP_NEG, transposed(&m, a));
	ValueId d = un(&m, OP_NEG, transposed(&m, c));
	y = bin(&m, OP_ADD, a, d);
	result(&m, y, "y");
	r = part(&m, NULL, 0);
	CHECK_STR(kinds(&m, r), "loop loop loop");
	CHECK_STR(condition(r, a, y), "cycle");
	make_release(&m);
}

static void moves(void)
{
	make_init(&m);
	x = input(&m, "x", DT_F32, dim(&m, "M"), num(&m, 8));
	ValueId i = input(&m, "i", DT_I64, num(&m, 5));
	w = input(&m, "w", DT_F32, num(&m, 8), num(&m, 4));
	ValueId a = un(&m, OP_ABS, x);
	ValueId g = bin(&m, OP_GATHER, a, i);
	ValueId h = un(&m, OP_NEG, g);
	ValueId y = matmul(&m, h, w);
	result(&m, y, "y");
	Regions *r = part(&m, NULL, 0);
	CHECK_STR(kinds(&m, r), "loop loop contract");
	CHECK_STR(condition(r, a, g), "not the same element");
	CHECK_STR(condition(r, g, h), "same element");
	CHECK_STR(condition(r, h, y), "runtime index");
	ValueId s = add(&m, (Value){.op = OP_SCATTER,
				    .nargs = 3,
				    .args = (ValueId[]){h, i, g}});
	ValueId t = un(&m, OP_NEG, s);
	result(&m, t, "t");
	r = part(&m, NULL, 0);
	CHECK_STR(condition(r, s, t), "runtime index");
	make_release(&m);
}

static void copies(void)
{
	linear();
	ValueId t = transposed(&m, w);
	result(&m, t, "t");
	result(&m, x, "same");
	result(&m, const_f32(&m, 2), "two");
	Value iota = {.op = OP_IOTA, .dtype = DT_I64};
	ValueId i = leaf(&m, iota, 1, (Ex[]){num(&m, 5)});
	result(&m, i, "i");
	ValueId n = un(&m, OP_NEG, t);
	result(&m, n, "n");
	Regions *r = part(&m, NULL, 0);
	CHECK_STR(kinds(&m, r), "loop loop loop");
	CHECK(r->of[t] != NO_REGION && r->of[i] != NO_REGION);
	CHECK(r->of[x] == NO_REGION && r->of[w] == NO_REGION);
	make_release(&m);
}

static void pins(void)
{
	linear();
	ValueId p = named(&m, matmul(&m, x, w), "p");
	ValueId y = named(&m, bin(&m, OP_ADD, p, like(&m, b, p)), "y");
	ValueId z = matmul(&m, y, transposed(&m, w));
	result(&m, z, "z");
	RegionPin no = {.producer = "p", .join = false, .text = "join.p=no"};
	Regions *r = part(&m, &no, 1);
	CHECK_STR(kinds(&m, r), "contract contract");
	CHECK_STR(condition(r, p, y), "pinned apart");
	CHECK_STR(condition(r, y, z), "load prologue");
	RegionPin both[2] = {
		no, {.producer = "y", .join = false, .text = "join.y=no"}};
	r = part(&m, both, 2);
	CHECK_STR(kinds(&m, r), "contract loop contract");
	CHECK_STR(condition(r, y, z), "pinned apart");
	RegionPin yes = {.producer = "p", .join = true, .text = "join.p=yes"};
	CHECK(part(&m, &yes, 1) != NULL);
	RegionPin wrong = {.producer = "y", .join = true, .text = "join.y=yes"};
	CHECK(part(&m, &wrong, 1) == NULL);
	CHECK(strstr(buf_str(&m.ctx.messages),
		     "pin `join.y=yes` cannot be met: `y` does not join its "
		     "consumer matmul: rows not known") != NULL);
	ctx_clear_errors(&m.ctx);
	RegionPin none = {.producer = "q", .join = true, .text = "join.q=yes"};
	CHECK(part(&m, &none, 1) == NULL);
	CHECK(strstr(buf_str(&m.ctx.messages), "no value `q`") != NULL);
	make_release(&m);
}

/* ---- random programs ------------------------------------------------- */

static uint64_t rng;

static uint32_t roll(uint32_t n)
{
	rng = rng * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(rng >> 33) % n;
}

/* A value from v and u, all of them 8 x 8; i is an index. */
static ValueId random_step(ValueId v, ValueId u, ValueId i)
{
	ValueId t;
	Ex eight = num(&m, 8), one = num(&m, 1);
	switch (roll(12)) {
	case 0:
	case 1:
		return un(&m, OP_EXP, v);
	case 2:
	case 3:
	case 4:
		return bin(&m, OP_ADD, v, u);
	case 5:
		return transposed(&m, v);
	case 6:
		return matmul(&m, v, roll(2) ? u : transposed(&m, u));
	case 7:
		t = reduce(&m, OP_MAX, v, 2);
		return like(&m, reshape(&m, t, eight, one), v);
	case 8:
		return like(&m, un(&m, OP_NEG, reduce(&m, OP_SUM, v, 1)), v);
	case 9:
		return add(&m, (Value){.op = OP_CUMSUM,
				       .dtype = DT_F32,
				       .acc = DT_F32,
				       .axis = roll(2),
				       .nargs = 1,
				       .args = &v});
	case 10:
		return add(&m, (Value){.op = OP_GATHER,
				       .axis = roll(2),
				       .nargs = 2,
				       .args = (ValueId[]){v, i}});
	default:
		return add(&m, (Value){.op = OP_SCATTER,
				       .axis = roll(2),
				       .nargs = 3,
				       .args = (ValueId[]){v, i, u}});
	}
}

/* Whatever the program and the pins, the regions keep their laws. */
static void random_programs(void)
{
	for (uint64_t seed = 0; seed < 400; seed++) {
		rng = seed * 31 + 5;
		make_init(&m);
		ValueId i = input(&m, "i", DT_I64, num(&m, 8));
		ValueId v[16];
		v[0] = input(&m, "x", DT_F32, num(&m, 8), num(&m, 8));
		v[1] = input(&m, "y", DT_F32, num(&m, 8), num(&m, 8));
		for (uint32_t k = 2; k < 16; k++) {
			v[k] = random_step(v[k - 1 - roll(2)], v[roll(k)], i);
			named(&m, v[k], roll(4) ? "other" : "apart");
		}
		result(&m, v[15], "a");
		result(&m, v[roll(16)], "b");
		CHECK(part(&m, NULL, 0) != NULL);
		RegionPin pin = {.producer = "apart",
				 .join = false,
				 .text = "join.apart=no"};
		Regions *r = part(&m, &pin, 1);
		for (size_t k = 0; r && k < r->decisions.n; k++) {
			const Decision *d = &r->decisions.p[k];
			const char *name =
				program_value(&m.p, d->producer)->name;
			CHECK(!d->joined || !name || strcmp(name, "apart"));
		}
		/* legal or not, but lawful */
		RegionPin hold = {.kind = PIN_HOLD,
				  .join = true,
				  .text = "contract.hold=1"};
		part(&m, &hold, 1);
		ctx_clear_errors(&m.ctx);
		if (test_bad) {
			printf("seed %d\n", (int)seed);
			make_release(&m);
			return;
		}
		make_release(&m);
	}
}

/* ---- the examples ---------------------------------------------------- */

static void examples(void)
{
	static const char *const want[][2] = {
		{"gemm", "contract"},
		{"bias", "contract"},
		{"weight_view", "contract"},
		{"input_scale", "contract"},
		{"output_scale", "contract"},
		{"residual", "contract"},
		{"public_projection", "contract"},
		{"relu", "contract"},
		{"projection_join", "contract"},
		{"projection_chain", "contract contract"},
		{"affine", "contract"},
		{"attention", "attention"},
		{"affine_relu", "contract"},
		{"residual_relu", "contract"},
		{"shared_projection", "contract"},
		{"two_layer", "contract contract"},
		{"gated_projections", "contract"},
		{"transposed_weight", "contract"},
		{"softmax", "rowreduce"},
		{"rmsnorm", "rowreduce"},
		{"norm_projection", "rowreduce contract"},
	};
	static RewritePass *const passes[] = {
		rewrite_constants, rewrite_relaxations, rewrite_views,
		rewrite_cse, rewrite_dead};
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		make_init(&m);
		const char *path =
			arena_printf(&m.arena, "examples/%s.tn", want[i][0]);
		FrontOptions o = {0};
		char *text;
		size_t n;
		Program *p;
		if (!CHECK(file_read(&m.ctx, &m.arena, path, &text, &n)))
			return;
		uint32_t source = ctx_add_source(&m.ctx, path, text, n);
		if (!CHECK(front_build(&m.ctx, &m.arena, source, &o, &p)))
			return;
		for (size_t k = 0; k < ARRAY_LEN(passes); k++)
			p = passes[k](&m.ctx, &m.arena, p, NULL);
		m.p = *p;
		CHECK_STR(kinds(&m, part(&m, NULL, 0)), want[i][1]);
		make_release(&m);
	}
}

/* softmax(x @ w) @ v, before its results are named. */
static ValueId scores, weights, attended;
static void attend(void)
{
	linear();
	ValueId v = input(&m, "v", DT_F16, num(&m, 1024), num(&m, 64));
	scores = named(&m, matmul(&m, x, w), "s");
	weights = named(&m, softmax(scores), "p");
	attended = matmul(&m, weights, v);
}

static void held_rows(void)
{
	attend();
	ValueId c = input(&m, "c", DT_F16, num(&m, 64));
	ValueId y = bin(&m, OP_ADD, attended, like(&m, c, attended));
	result(&m, y, "y");
	Regions *r = part(&m, NULL, 0);
	CHECK_STR(kinds(&m, r), "attention");
	CHECK(r->regions.p[0].reduced == 2);
	CHECK(r->regions.p[0].anchor == attended);
	CHECK(r->regions.p[0].outputs.n == 1);
	CHECK_STR(condition(r, weights, attended), "attention");
	CHECK_STR(condition(r, attended, y), "epilogue");
	/* apart by either kind of pin */
	RegionPin none = {.join = false, .text = "attention.join=0"};
	r = part(&m, &none, 1);
	CHECK_STR(kinds(&m, r), "contract rowreduce contract");
	CHECK_STR(condition(r, weights, attended), "pinned composition");
	RegionPin p = {.producer = "p", .join = false, .text = "join.p=no"};
	r = part(&m, &p, 1);
	CHECK_STR(kinds(&m, r), "contract rowreduce contract");
	CHECK_STR(condition(r, weights, attended), "pinned apart");
	make_release(&m);
}

/* On a GPU only where its matrix unit makes both products, in enough blocks. */
static void held_by_unit(void)
{
	static const MatrixUnit units[] = {UNIT_WGMMA, UNIT_MMA};
	static const char dims[] = "rows of no matrix unit";
	static const char few[] = "few blocks of threads";
	static const struct {
		int64_t rows, head, width; /* rows 0: M */
		size_t first, n;           /* of the units */
		const char *why;           /* NULL: held */
		bool pinned;
	} cases[] = {
		{0, 64, 128, 0, 2, NULL, false},
		{0, 128, 16, 1, 1, NULL, false},
		{0, 64, 64, 0, 1, dims, false},
		{0, 64, 64, 0, 0, dims, false},
		{0, 24, 64, 0, 2, dims, false},
		{0, 64, 24, 0, 2, dims, false},
		{0, 144, 64, 0, 2, dims, false},
		{0, 64, 256, 0, 2, dims, false},
		{64 * 10, 64, 64, 0, 2, NULL, false},
		{64 * 9, 64, 64, 0, 2, few, false},
		{64 * 9, 64, 64, 0, 2, NULL, true},
		{1, 64, 64, 0, 2, few, false},
	};
	RegionPin yes = {.join = true, .text = "attention.unit=mma"};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		Partition gpu = {.gpu = true,
				 .processors = 10,
				 .units = units + cases[i].first,
				 .nunits = cases[i].n};
		const char *why = cases[i].why;
		make_init(&m);
		Ex rows = cases[i].rows ? num(&m, cases[i].rows) : dim(&m, "M");
		x = input(&m, "x", DT_F16, rows, num(&m, cases[i].head));
		w = input(&m, "w", DT_F16, num(&m, cases[i].head),
			  num(&m, 1024));
		ValueId v = input(&m, "v", DT_F16, num(&m, 1024),
				  num(&m, cases[i].width));
		weights = softmax(matmul(&m, x, w));
		attended = matmul(&m, weights, v);
		result(&m, attended, "y");
		Regions *r = part_on(&m, &gpu, &yes, cases[i].pinned);
		CHECK_STR(kinds(&m, r),
			  why ? "contract rowreduce contract" : "attention");
		CHECK_STR(condition(r, weights, attended),
			  why ? why : "attention");
		make_release(&m);
	}
}

/* An L x S matrix that someone sees is in memory. */
static void seen_rows(void)
{
	static ValueId *const seen[] = {&scores, &weights};
	for (size_t i = 0; i < ARRAY_LEN(seen); i++) {
		attend();
		result(&m, attended, "y");
		result(&m, *seen[i], "z");
		Regions *r = part(&m, NULL, 0);
		CHECK_STR(kinds(&m, r), "contract rowreduce contract");
		CHECK_STR(condition(r, weights, attended), "matrix seen");
		RegionPin pin = {.join = true, .text = "attention.join=1"};
		CHECK(part(&m, &pin, 1) == NULL);
		CHECK(strstr(buf_str(&m.ctx.messages),
			     "pin `attention.join=1` cannot be met") != NULL);
		ctx_clear_errors(&m.ctx);
		make_release(&m);
	}
	/* read by another product too */
	attend();
	ValueId again = matmul(&m, weights, transposed(&m, w));
	result(&m, attended, "y");
	result(&m, again, "z");
	Regions *r = part(&m, NULL, 0);
	CHECK_STR(kinds(&m, r), "contract rowreduce contract contract");
	CHECK_STR(condition(r, weights, attended), "matrix seen");
	make_release(&m);
	/* weights on the right: their rows are not what is summed over */
	linear();
	ValueId g = matmul(&m, transposed(&m, w), w);
	result(&m, matmul(&m, w, softmax(g)), "y");
	CHECK_STR(kinds(&m, part(&m, NULL, 0)), "contract rowreduce contract");
	make_release(&m);
}

/* A value of one element a row may leave the kernel; loops that only it
 * reads come along. */
static void kept_rows(void)
{
	linear();
	ValueId v = input(&m, "v", DT_F16, num(&m, 1024), num(&m, 64));
	ValueId c = input(&m, "c", DT_F16, num(&m, 1024));
	ValueId s = matmul(&m, x, w);
	ValueId half = bin(&m, OP_MUL, c, c);
	ValueId t = bin(&m, OP_ADD, s, like(&m, half, s));
	ValueId most = reduce(&m, OP_MAX, t, 2);
	ValueId top = reshape(&m, most, dim(&m, "M"), num(&m, 1));
	ValueId e = un(&m, OP_EXP, bin(&m, OP_SUB, t, like(&m, top, t)));
	result(&m, matmul(&m, e, v), "y");
	result(&m, most, "m");
	Regions *r = part(&m, NULL, 0);
	CHECK_STR(kinds(&m, r), "attention");
	CHECK(r->regions.p[0].outputs.n == 2);
	CHECK_STR(condition(r, half, t), "load prologue");
	make_release(&m);
}

TEST_MAIN(TEST(public_projection), TEST(beside_product), TEST(beside_operand),
	  TEST(prologue), TEST(observed_prologue), TEST(gram),
	  TEST(two_reshapes), TEST(two_products), TEST(two_layer), TEST(rows),
	  TEST(norms), TEST(rows_merge), TEST(square_rows), TEST(no_cycle),
	  TEST(held_rows), TEST(held_by_unit), TEST(seen_rows), TEST(kept_rows),
	  TEST(moves), TEST(copies), TEST(pins), TEST(random_programs),
	  TEST(examples))
