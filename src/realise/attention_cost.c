/*
 * attention_cost: what a search considers for an attention kernel, and the
 * time it is predicted to take.
 *
 * Counted, in cycles of one CPU, for all blocks of queries:
 *
 *   compute  multiply-adds of both products' tiles, no faster than their
 *            loads, what a cycle issues and one chain of sums allow; what is
 *            computed of a score in the passes, exponentials most of all;
 *            queries of the last block that are there or not
 *   memory   keys and values, once a block of queries; scores that are held
 *   move     keys and values into scratch; queries and results, transposed
 *   start    tasks
 *
 * Rates and caches are the target's. Constants are those of contract_cost.c,
 * fitted on the same machine.
 */
#include "realise/attention.h"

#include "ir/view.h"

/* Cycles from one multiply-add to the next of a chain. */
#define LATENCY 4.0
/* Instructions that a cycle starts; of a step of a sum beside the tile's. */
#define ISSUE    5.0
#define STEP_OPS 2.0
/* Cycles that a visit of a tile, and a task, take beside. */
#define VISIT       8.0
#define TASK_CYCLES 500.0
/* Instructions for a vector: an exponential, another op, a copy, a square that
 * is transposed; for a scalar that is converted. */
#define SERIES         22.0
#define OTHER          1.5
#define COPIED         3.0
#define TURNED         6.0
#define CONVERT_SCALAR 0.7
/* Of the bytes of keys and values, the part that nothing hides if they are
 * not asked for. */
#define EXPOSED 0.5
/* Part of a cache that one operand finds room in. */
#define ROOM 0.75
/* Work for which a second worker is woken (us), as driver/instance.c. */
#define SERIAL_US 10.0

static double most(double a, double b)
{
	return a > b ? a : b;
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

static double up(double a, double by)
{
	return __builtin_ceil(a / by);
}

/* ---- domain ------------------------------------------------------------ */

static void add(Domain *d, int64_t value)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->values[i] == value)
			return;
	if (d->n < MAX_DOMAIN)
		d->values[d->n++] = value;
}

/* Tiles of equal size that cover n, when n is known. */
static int64_t even(int64_t n, int64_t tile)
{
	int64_t tiles = n > 0 ? (n + tile - 1) / tile : 0;

	return n > 0 ? (n + tiles - 1) / tiles : tile;
}

void attention_domain(const Regions *r, uint32_t region, const Target *t,
		      Domain by[MAX_PARAMS])
{
	Candidate rule = realise_attention.rule(r, region, t);
	const Value *o = program_value(r->program, r->regions.p[region].anchor);
	int64_t lanes = rule.params[AP_LANES].value;
	int64_t rows = rule.params[AP_ROWS].value;
	int64_t block = rule.params[AP_BLOCK].value, width;

	if (!ex_is_const(&r->program->ex, o->shape[o->rank - 1], &width))
		width = -1;
	add(&by[AP_ROWS], rows / 2);
	add(&by[AP_ROWS], 2 * rows);
	for (int64_t v = 1; v <= t->vector_registers / 8; v *= 2) {
		int64_t most_of = (t->vector_registers - 1) / v - 1;
		add(&by[AP_QUERIES], v * lanes);
		add(&by[AP_KEYS], most_of > 14 ? 14 : most_of);
		add(&by[AP_COLUMNS], even(width, most_of > 14 ? 14 : most_of));
	}
	add(&by[AP_BLOCK], block / 2);
	add(&by[AP_BLOCK], 2 * block);
	for (int i = AP_COPY_K; i <= AP_AHEAD; i++) {
		add(&by[i], 0);
		add(&by[i], 1);
	}
}

/* ---- cost -------------------------------------------------------------- */

typedef struct Work {
	const Target *t;
	const int64_t *par;
	double queries, keys, head, width, batch; /* extents */
	double seen;    /* keys that a block of queries computes, on average */
	double acc;     /* bytes */
	double k, v, q; /* bytes of an element where it lies */
	double ops;     /* instructions for a vector of scores, in all passes */
	double held;    /* bytes that are held of a score */
	double vectors; /* of a tile's queries */
	double parts;   /* tiles side by side in a block */
	double fma, load, vector;
} Work;

static double rate(const Target *t, double bytes)
{
	const Rates *r = &t->rates;

	for (int i = 0; i < 3; i++)
		if (bytes <= ROOM * (double)t->cache[i])
			return r->cache[i];
	return least(r->unit, r->memory / most(1, t->cpus)) / r->clock;
}

/* Cycles of a tile of `wide` scalars over `length` steps. */
static double tile(const Work *w, double wide, double length, bool convert,
		   bool resumes)
{
	double ops = wide * w->vectors, loads = wide + w->vectors;
	double extra = convert ? wide * CONVERT_SCALAR : 0;
	double step = most(ops / w->fma, loads / w->load);

	step = most(step, (ops + loads + extra + STEP_OPS) / ISSUE);
	step = most(most(step, (ops + extra) / w->fma), LATENCY);
	return length * step + VISIT + (resumes ? 2 : 1) * ops / w->load;
}

static double scores(const Work *w)
{
	double wide = (double)w->par[AP_KEYS];
	bool copy = w->par[AP_COPY_K], convert = !copy && w->k != w->acc;
	double whole =
		copy ? up(w->seen, wide) : __builtin_floor(w->seen / wide);
	double cycles = whole * tile(w, wide, w->head, convert, false);

	if (!copy)
		cycles += (w->seen - whole * wide) *
			  tile(w, 1, w->head, convert, false);
	return cycles * w->parts;
}

static double values(const Work *w)
{
	double wide = (double)w->par[AP_COLUMNS];
	double block = (double)w->par[AP_BLOCK], blocks = up(w->seen, block);
	bool convert = !w->par[AP_COPY_V] && w->v != w->acc;
	double length = w->seen / most(1, blocks);
	double whole = __builtin_floor(w->width / wide);
	double rest = w->width - whole * wide;
	double cycles = whole * tile(w, wide, length, convert, true);

	if (rest > 0)
		cycles += tile(w, w->par[AP_COPY_V] ? wide : rest, length,
			       convert, true);
	return cycles * blocks * w->parts;
}

/* Cycles of one block of queries. */
static Cost block_cost(const Work *w)
{
	double rows = (double)w->par[AP_ROWS];
	double vectors = up(rows, w->vector);
	double k = w->seen * w->head, v = w->seen * w->width;
	double each = w->batch * (w->keys * (w->head * w->k + w->width * w->v));
	double held = w->seen * rows * w->held;
	double bytes = (k * w->k + v * w->v) / rate(w->t, each);
	Cost c = {.compute = scores(w) + values(w)};

	c.compute += w->seen * vectors * w->ops / 2;
	c.compute += w->seen * VISIT / 2;
	/* what hidden keys add to the columns: one chain */
	c.compute += (w->keys - w->seen) * up(w->width, w->vector) * LATENCY;
	c.memory = bytes + 2 * held / rate(w->t, held);
	if (!w->par[AP_AHEAD])
		c.move += EXPOSED * bytes;
	if (w->par[AP_COPY_K])
		c.move += k / w->vector * COPIED / 2;
	if (w->par[AP_COPY_V])
		c.move += v / w->vector * COPIED / 2;
	c.move += rows * (w->head + w->width) / w->vector * TURNED;
	return c;
}

/* What is computed of each score, and what of it is held. */
static void count(const Regions *r, uint32_t region, Work *w)
{
	const Region *reg = &r->regions.p[region];

	for (size_t i = 0; i < reg->values.n; i++) {
		ValueId id = reg->values.p[i];
		const Value *v = program_value(r->program, id);
		const OpInfo *op = &op_info[v->op];
		if (r->part[id] != PART_BODY || op->cls == OPC_VIEW)
			continue;
		bool full = v->rank == reg->rank;
		for (int d = 0; d < v->rank && full; d++)
			full = v->shape[d] == reg->space[d];
		if (op->cls == OPC_REDUCE)
			w->ops += 1;
		else if (full)
			w->ops += op->ulp > 0 ? SERIES : OTHER;
	}
	/* a store and a load in each pass */
	w->ops += 4;
	w->held = w->acc;
}

/* Whether scores are masked by what is computed of their indices: keys beyond a
 * block's last query are then skipped. */
static bool skips(const Regions *r, uint32_t region)
{
	const Region *reg = &r->regions.p[region];

	for (size_t i = 0; i < reg->values.n; i++) {
		const Value *v = program_value(r->program, reg->values.p[i]);
		Ex map[TN_MAX_RANK];
		if (v->op != OP_WHERE)
			continue;
		ValueId base = view_base((Program *)(uintptr_t)r->program,
					 v->args[0], map);
		if (op_info[program_value(r->program, base)->op].cls !=
		    OPC_LEAF)
			return true;
	}
	return false;
}

static double extent(const Regions *r, Ex e, const int64_t *dims)
{
	return (double)realise_extent(r, e, dims);
}

static double element(const Regions *r, ValueId id)
{
	return dtype_info[program_value(r->program, id)->dtype].bytes;
}

/* The products' extents; false where one of them is empty. */
static bool measure(const Regions *r, uint32_t region, const int64_t *dims,
		    Work *w)
{
	const Region *reg = &r->regions.p[region];
	const Value *o = program_value(r->program, reg->anchor), *s = o;

	for (size_t i = 0; i < reg->values.n; i++)
		if (r->part[reg->values.p[i]] == PART_ANCHOR &&
		    reg->values.p[i] != reg->anchor)
			s = program_value(r->program, reg->values.p[i]);
	const Value *q = program_value(r->program, s->args[0]);
	w->queries = extent(r, s->shape[s->rank - 2], dims);
	w->keys = extent(r, s->shape[s->rank - 1], dims);
	w->head = extent(r, q->shape[q->rank - 1], dims);
	w->width = extent(r, o->shape[o->rank - 1], dims);
	w->batch = 1;
	for (int d = 0; d < o->rank - 2; d++)
		w->batch *= extent(r, o->shape[d], dims);
	w->acc = dtype_info[dtype_interior(o->acc)].bytes;
	w->acc = most(4, w->acc);
	w->q = element(r, s->args[0]);
	w->k = element(r, s->args[1]);
	w->v = element(r, o->args[1]);
	return w->batch * w->queries > 0;
}

Cost attention_cost(const Regions *r, uint32_t region, const Target *t,
		    const Candidate *c, const int64_t *dims)
{
	int64_t par[AP_COUNT];
	Work w = {.t = t, .par = par};
	double cycle = 1e-3 / t->rates.clock, cpus = most(1, t->cpus);

	for (int i = 0; i < AP_COUNT; i++)
		par[i] = c->params[i].value;
	if (!measure(r, region, dims, &w))
		return (Cost){.start = TASK_CYCLES * cycle};
	w.fma = t->rates.macs * 4 / t->vector_bytes;
	w.load = t->rates.cache[0] / t->vector_bytes;
	w.vector = (double)t->vector_bytes / w.acc;
	w.vectors = (double)par[AP_QUERIES] / (double)par[AP_LANES] *
		    up((double)par[AP_LANES], w.vector);
	double rows = (double)par[AP_ROWS];
	double tasks = w.batch * up(w.queries, rows);
	w.parts = least(up(w.queries, (double)par[AP_QUERIES]),
			rows / (double)par[AP_QUERIES]);
	w.seen = w.keys;
	if (skips(r, region))
		w.seen = least(w.keys, (least(w.queries, w.keys) + rows) / 2);
	count(r, region, &w);
	Cost one = block_cost(&w);
	double us = tasks * (most(one.compute, one.memory) + one.move) * cycle;
	double workers = us < SERIAL_US ? 1 : least(cpus, tasks);
	double each = cycle * up(tasks, workers);
	return (Cost){
		.compute = one.compute * each,
		.memory = one.memory * each,
		.move = one.move * each,
		.start = (workers > 1 ? t->rates.launch +
						tasks * t->rates.claim / workers
				      : 0) +
			 up(tasks, workers) * TASK_CYCLES * cycle,
	};
}
