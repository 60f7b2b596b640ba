/* Several products in a kernel: when stage 3 joins them, and the text. */
#include "region/region.h"

#include "tests/unit/regions.h"

static Make m;
static ValueId x, w, v;

/* x: [rows, k], w: [k, n], v: [k, n]. */
static void inputs(DType d, Ex rows, int64_t k, int64_t n)
{
	x = input(&m, "x", d, rows, num(&m, k));
	w = input(&m, "w", d, num(&m, k), num(&m, n));
	v = input(&m, "v", d, num(&m, k), num(&m, n));
}

static const Decision *decision(const Regions *r, ValueId from, ValueId to)
{
	for (size_t i = 0; i < r->decisions.n; i++)
		if (r->decisions.p[i].producer == from &&
		    r->decisions.p[i].consumer == to)
			return &r->decisions.p[i];
	return NULL;
}

static size_t anchors(const Regions *r, size_t region)
{
	const Region *at = &r->regions.p[region];
	size_t n = 0;
	for (size_t i = 0; i < at->values.n; i++)
		n += r->part[at->values.p[i]] == PART_ANCHOR;
	return n;
}

static void joined(void)
{
	make_init(&m);
	inputs(DT_F32, dim(&m, "M"), 64, 32);
	ValueId p = matmul(&m, x, w), q = matmul(&m, x, v);
	ValueId e = un(&m, OP_EXP, p), y = bin(&m, OP_MUL, e, q);
	ValueId u = input(&m, "u", DT_F32, num(&m, 64), num(&m, 32));
	ValueId z = bin(&m, OP_ADD, y, matmul(&m, x, u));
	result(&m, z, "z");
	result(&m, e, "e");
	Regions *r = part(&m, NULL, 0);
	CHECK_STR(kinds(&m, r), "contract");
	CHECK(anchors(r, 0) == 3 && r->regions.p[0].outputs.n == 2);
	CHECK_STR(condition(r, p, e), "epilogue");
	CHECK_STR(condition(r, e, y), "joined products");
	CHECK_STR(condition(r, y, z), "joined products");
	const Decision *d = decision(r, y, z);
	CHECK(d && strstr(d->values, "products=3"));
	/* a pin forbids it, and one cannot ask for it where nothing joins */
	RegionPin no = {.kind = PIN_JOIN, .text = "contract.join=0"};
	r = part(&m, &no, 1);
	CHECK_STR(kinds(&m, r), "contract contract contract");
	CHECK_STR(condition(r, e, y), "pinned products");
	make_release(&m);
	make_init(&m);
	inputs(DT_F32, dim(&m, "M"), 64, 32);
	result(&m, matmul(&m, x, w), "y");
	RegionPin yes = {
		.kind = PIN_JOIN, .join = true, .text = "contract.join=1"};
	CHECK(part(&m, &yes, 1) == NULL);
	CHECK(strstr(buf_str(&m.ctx.messages),
		     "pin `contract.join=1` cannot be met: no two products"));
	make_release(&m);
}

/* Different operands and lengths of the sums; other accumulators; too many. */
static void join_limits(void)
{
	make_init(&m);
	inputs(DT_F32, num(&m, 40), 64, 32);
	ValueId a = input(&m, "a", DT_F32, num(&m, 40), num(&m, 7));
	ValueId b = input(&m, "b", DT_F32, num(&m, 7), num(&m, 32));
	ValueId p = matmul(&m, x, w), q = matmul(&m, a, b);
	ValueId y = bin(&m, OP_ADD, p, q);
	result(&m, y, "y");
	CHECK_STR(kinds(&m, part(&m, NULL, 0)), "contract");
	make_release(&m);

	make_init(&m);
	inputs(DT_F32, num(&m, 40), 64, 32);
	a = input(&m, "a", DT_F64, num(&m, 40), num(&m, 7));
	b = input(&m, "b", DT_F64, num(&m, 7), num(&m, 32));
	p = matmul(&m, x, w);
	q = cast(&m, DT_F32, matmul(&m, a, b));
	y = bin(&m, OP_ADD, p, q);
	result(&m, y, "y");
	Regions *r = part(&m, NULL, 0);
	CHECK_STR(kinds(&m, r), "contract contract");
	CHECK_STR(condition(r, p, y), "other accumulator");
	make_release(&m);

	make_init(&m);
	inputs(DT_F32, num(&m, 40), 64, 32);
	y = matmul(&m, x, w);
	for (int i = 0; i < 20; i++) {
		ValueId u = input(&m, arena_printf(&m.arena, "u%d", i), DT_F32,
				  num(&m, 64), num(&m, 32));
		p = y;
		y = bin(&m, OP_ADD, y, matmul(&m, x, u));
	}
	result(&m, y, "y");
	r = part(&m, NULL, 0);
	CHECK(r && r->regions.n > 1 && r->regions.n < 6);
	bool many = false;
	for (size_t i = 0; r && i < r->decisions.n; i++)
		many |= !strcmp(r->decisions.p[i].condition, "many products");
	CHECK(many);
	make_release(&m);
}

/* One product needs the other, through something that is a kernel itself. */
static void join_cycle(void)
{
	make_init(&m);
	x = input(&m, "x", DT_F32, num(&m, 32), num(&m, 32));
	w = input(&m, "w", DT_F32, num(&m, 32), num(&m, 32));
	ValueId p = matmul(&m, x, w);
	ValueId sum = reduce(&m, OP_SUM, p, 2);
	ValueId t = reshape(&m, sum, num(&m, 32), num(&m, 1));
	ValueId q = matmul(&m, bin(&m, OP_ADD, like(&m, t, x), x), w);
	ValueId y = bin(&m, OP_ADD, p, q);
	result(&m, y, "y");
	Regions *r = part(&m, NULL, 0);
	CHECK_STR(condition(r, p, y), "cycle");
	make_release(&m);
}

/* abs(-(x @ w) @ u), of M rows where they are -1. */
static ValueId held, last;
static Regions *chain(int64_t rows, int64_t k, int64_t n, int64_t o,
		      const RegionPin *pin)
{
	make_init(&m);
	inputs(DT_F32, rows < 0 ? dim(&m, "M") : num(&m, rows), k, n);
	ValueId u = input(&m, "u", DT_F32, num(&m, n), num(&m, o));
	held = un(&m, OP_NEG, matmul(&m, x, w));
	last = matmul(&m, held, u);
	result(&m, un(&m, OP_ABS, last), "y");
	return part(&m, pin, pin != NULL);
}

static void held_rows(void)
{
	RegionPin yes = {
		.kind = PIN_HOLD, .join = true, .text = "contract.hold=1"};
	RegionPin no = {.kind = PIN_HOLD, .text = "contract.hold=0"};
	/* many rows, short ones: both ways by pins */
	Regions *r = chain(16384, 64, 64, 48, NULL);
	CHECK_STR(kinds(&m, r), "contract");
	CHECK(anchors(r, 0) == 2 && r->regions.p[0].anchor == last);
	CHECK(r->regions.p[0].outputs.n == 1);
	CHECK_STR(condition(r, held, last), "held rows");
	const Decision *d = decision(r, held, last);
	CHECK(d && strstr(d->values, "rows=64 blocks=256 saved="));
	make_release(&m);
	r = chain(16384, 64, 64, 48, &no);
	CHECK_STR(kinds(&m, r), "contract contract");
	CHECK_STR(condition(r, held, last), "pinned rows");
	make_release(&m);
	/* few rows: each of two workers would read all operands */
	r = chain(32, 1024, 1024, 1024, NULL);
	CHECK_STR(kinds(&m, r), "contract contract");
	CHECK_STR(condition(r, held, last), "held rows cost more");
	d = decision(r, held, last);
	CHECK(d && strstr(d->values, "rows=16 blocks=2 "));
	CHECK(d && strstr(d->change, "contract.hold=1"));
	make_release(&m);
	r = chain(32, 1024, 1024, 1024, &yes);
	CHECK_STR(kinds(&m, r), "contract");
	make_release(&m);
	/* sizes that nobody knows, and a row that no cache holds */
	r = chain(-1, 64, 64, 64, NULL);
	CHECK_STR(condition(r, held, last), "rows not known");
	make_release(&m);
	r = chain(64, 8, 1 << 20, 8, NULL);
	CHECK_STR(condition(r, held, last), "row beyond the cache");
	make_release(&m);
}

/* Three products deep, joined ones between; the value between returned. */
static void held_steps(void)
{
	make_init(&m);
	inputs(DT_F16, num(&m, 8192), 64, 96);
	ValueId u = input(&m, "u", DT_F16, num(&m, 96), num(&m, 32));
	ValueId t = input(&m, "t", DT_F16, num(&m, 32), num(&m, 64));
	ValueId h = bin(&m, OP_MUL, matmul(&m, x, w), matmul(&m, x, v));
	ValueId g = matmul(&m, h, u), y = matmul(&m, g, t);
	result(&m, y, "y");
	result(&m, h, "h");
	Regions *r = part(&m, NULL, 0);
	CHECK_STR(kinds(&m, r), "contract");
	CHECK(anchors(r, 0) == 4 && r->regions.p[0].outputs.n == 2);
	CHECK_STR(condition(r, h, g), "held rows");
	CHECK_STR(condition(r, g, y), "held rows");
	int *step = arena_array(&m.arena, int, m.p.values.n);
	CHECK(region_steps(r, 0, step) == 3);
	CHECK(step[h] == 0 && step[g] == 1 && step[y] == 2);
	CHECK(region_held(r, g) == h && region_held(r, h - 1) == NO_VALUE);
	make_release(&m);
}

/* What holds no rows: read beside, on the right, through a view. */
static void held_elsewhere(void)
{
	static const char not_alone[] = "not a left operand alone";
	for (int k = 0; k < 3; k++) {
		make_init(&m);
		inputs(DT_F32, num(&m, 4096), 4096, 4096);
		ValueId h = un(&m, OP_NEG, matmul(&m, x, w)), y;
		if (k == 0)
			y = bin(&m, OP_ADD, matmul(&m, h, v), h);
		else if (k == 1)
			y = matmul(&m, x, h);
		else
			y = matmul(&m, transposed(&m, h), v);
		result(&m, y, "y");
		RegionPin yes = {.kind = PIN_HOLD,
				 .join = true,
				 .text = "contract.hold=1"};
		CHECK(part(&m, &yes, 1) == NULL);
		ctx_clear_errors(&m.ctx);
		Regions *r = part(&m, NULL, 0);
		CHECK_STR(kinds(&m, r), "contract contract");
		CHECK_STR(condition(r, h, k ? y : y - 1), not_alone);
		make_release(&m);
	}
	/* read by another kernel as well: held, and stored */
	make_init(&m);
	inputs(DT_F32, num(&m, 4096), 64, 64);
	ValueId h = un(&m, OP_NEG, matmul(&m, x, w));
	ValueId y = matmul(&m, h, v);
	result(&m, y, "y");
	result(&m, reduce(&m, OP_SUM, h, 2), "s");
	Regions *r = part(&m, NULL, 0);
	CHECK_STR(kinds(&m, r), "contract rowreduce");
	CHECK(r->regions.p[0].outputs.n == 2);
	make_release(&m);
}

static bool lawful(const Regions *r, Buf *why)
{
	buf_init(why, &m.arena);
	return regions_verify(r, why);
}

/* Laws that no policy may break. */
static void laws(void)
{
	make_init(&m);
	inputs(DT_F32, num(&m, 16384), 64, 64);
	ValueId a = matmul(&m, x, w), h = un(&m, OP_NEG, a);
	ValueId y = matmul(&m, h, v), z = un(&m, OP_ABS, y);
	result(&m, z, "z");
	Buf why;
	Regions *r = part(&m, NULL, 0);
	CHECK_STR(kinds(&m, r), "contract");
	r->part[h] = PART_PROLOGUE;
	CHECK(!lawful(r, &why));
	r->part[h] = PART_BODY;
	CHECK(!lawful(r, &why));
	r->part[h] = PART_EPILOGUE;
	r->part[a] = PART_EPILOGUE;
	CHECK(!lawful(r, &why));
	r->part[a] = PART_ANCHOR;
	r->regions.p[0].anchor = a;
	CHECK(!lawful(r, &why));
	CHECK(strstr(buf_str(&why), "its anchor is not of its last step"));
	r->regions.p[0].anchor = y;
	CHECK(lawful(r, &why));
	/* the second product's tile is no neighbour of the first one's */
	ValueId args[2] = {y, h};
	Value *abs = program_value(&m.p, z);
	abs->op = OP_ADD;
	abs->nargs = 2;
	abs->args = args;
	CHECK(!lawful(r, &why));
	CHECK(strstr(buf_str(&why), "at another place"));
	make_release(&m);
}

TEST_MAIN(TEST(joined), TEST(join_limits), TEST(join_cycle), TEST(held_rows),
	  TEST(held_steps), TEST(held_elsewhere), TEST(laws))
