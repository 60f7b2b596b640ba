/*
 * contract_cost: the time that a product takes by a candidate, predicted.
 *
 * What is counted, in cycles of one CPU, summed over all tiles, and dealt to
 * the CPUs as tasks are:
 *
 *   compute  multiply-adds of the tiles, the smaller ones at the ends too: no
 *            faster than their loads, what a cycle issues, and one chain of
 *            sums allow; each visit of a tile; what follows the product
 *   memory   packed blocks of A and panels of B from where blocking leaves
 *            them, operands that are read where they lie, the result
 *   move     packing, as often as it is repeated; sums between blocks of K;
 *            what a tile waits for at the first touch of a panel
 *   start    phases and tasks
 *
 * Rates and caches are the target's. The constants below are cycles and
 * parts that every vector machine has, fitted to some 1,800 timed candidates
 * of 45 products (f32, f16, bf16, f64; one CPU of the fourth generation of
 * EPYC). Not counted: what the compiler makes of a tile, other processes.
 */
#include "realise/contract.h"

/* Cycles from one multiply-add to the next of a chain. */
#define LATENCY 4.0
/* Instructions that a cycle starts; of a step along K beside the tile's. */
#define ISSUE    5.0
#define STEP_OPS 2.0
/* Cycles that a visit of a tile takes beside its steps: loops end unforeseen,
 * and registers are set. */
#define VISIT 24.0
/* The same of a task, a panel that is packed, and a call. */
#define TASK_CYCLES 40.0
#define CALL_CYCLES 60.0
/* Instructions to convert a vector, or a scalar that all lanes have; to take
 * an element of a vector from a place of its own. */
#define CONVERT        2.0
#define CONVERT_SCALAR 0.7
#define GATHER         0.5
/* Instructions of a vector of an op that has an error bound, by series. */
#define SERIES 25.0
/* Packing, in cycles: a vector that is stored as it lies, by itself, by the
 * tile that reads it, or behind the tiles before; one of a square that is
 * transposed, where its rows are not half as many or fewer. */
#define PACK_VECTOR 2.0
#define PACK_FILLED 1.0
#define PACK_FED_BY 2.0
#define PACK_TURNED 5.5
/* Part of a cache that one operand finds room in, and of the last one, which
 * others use too. */
#define ROOM      0.75
#define ROOM_LAST 0.5
/* Of the bytes that are read where they lie far apart, the part that nothing
 * hides, and of a panel that no tile asks for ahead; of those that a phase
 * reads and writes, what they take of their rate: they follow each other. */
#define EXPOSED 0.25
#define UNASKED 0.2
#define PHASED  0.6
/* Memory answers runs of a few lines badly: of so many bytes, where they are
 * asked for one by one, and where hardware has to see them. */
#define RUN_AHEAD  80.0
#define RUN_TURNED 150.0
#define ASKED      0.8
/* Ways of L1, and bytes from one set to itself again; lines of rows so far
 * apart that L2 holds. */
#define L1_WAYS 8
#define L1_WAY  4096
#define L2_ROWS 256
/* Cycles of a step for rows beyond the ways, times the number of them: of so
 * many each line is gone before it is needed again. */
#define LET_GO 0.17
/* Work for which a second worker is woken (us), as driver/instance.c. */
#define SERIAL_US 10.0
#define WORKER_US 5.0

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

/* An operand of the product. */
typedef struct Side {
	double bytes; /* of an element where it lies */
	double ops;   /* that make an element of those */
	bool along;   /* A: memory runs along k; B: along its panels */
	bool plain;   /* in the accumulator's dtype */
	bool fixed;
	bool again; /* packed already, for a product before this one */
} Side;

/* A product, and how it is cut. */
typedef struct Cut {
	const Target *t;
	const int64_t *par;
	MatrixUnit unit;
	double m, n, k, batch;
	bool m_known, n_known; /* ends of tiles are smaller */
	bool joined;           /* of several products */
	bool chain;            /* of which one multiplies what another made: */
	bool held;             /* this one */
	double acc;            /* bytes */
	Side a, b;
	double out; /* bytes of an element of all results */
	double ops; /* of the epilogue: instructions for a vector */
	double all; /* bytes of all that the kernel touches */
	bool direct;
	/* derived */
	double mr, nr, kc, blocks, down, across; /* tiles */
	double rows, columns;                    /* tasks */
	double mb, nb;                           /* tiles of a whole task */
	double vector;                           /* elements */
	double fma, load;                        /* vectors a cycle */
} Cut;

/* Cycles, of one CPU. */
typedef struct Sum {
	double compute, memory, move;
} Sum;

/* Bytes a cycle that one CPU has of what lies in so many bytes. */
static double rate(const Target *t, double bytes)
{
	const Rates *r = &t->rates;
	double cpus = t->cpus < 1 ? 1 : t->cpus;

	if (bytes <= ROOM * (double)t->cache[0])
		return r->cache[0];
	if (bytes <= ROOM * (double)t->cache[1])
		return r->cache[1];
	if (bytes <= ROOM_LAST * (double)t->cache[2])
		return r->cache[2];
	return least(r->unit, r->memory / cpus) / r->clock;
}

/* ---- tiles ------------------------------------------------------------- */

/* Instructions a cycle of the vectors that hold `lanes` elements. */
static double vectors(const Cut *c, double columns)
{
	double lanes = (double)c->par[P_LANES];

	return up(columns, lanes) * up(lanes, c->vector);
}

/* Cycles of one element of K in a tile by multiply-adds. */
static double fma_step(const Cut *c, double rows, double columns)
{
	double v = vectors(c, columns), ops = rows * v, loads = rows + v;
	double extra = 0;

	if (c->par[P_A] == PACK_NONE && !c->a.plain)
		extra += rows * (CONVERT_SCALAR + c->a.ops);
	if (c->par[P_B] == PACK_NONE && !c->b.plain)
		extra += v * (CONVERT + c->b.ops);
	if (c->par[P_B] == PACK_NONE && !c->b.along)
		extra += columns * GATHER;
	double cycles = most(ops / c->fma, loads / c->load);
	cycles = most(cycles, (ops + loads + extra + STEP_OPS) / ISSUE);
	cycles = most(cycles, (ops + extra) / c->fma);
	return most(cycles, LATENCY);
}

/* The same of a matrix unit, whose step is 64 bytes of K. */
static double unit_step(const Cut *c, double rows, double columns)
{
	const UnitInfo *u = &unit_info[c->unit];
	double step = UNIT_BYTES / c->a.bytes, cycles;
	double products = u->parts * u->parts;

	if (u->tiles) {
		double down = up(rows, UNIT_WORDS);
		double across = up(columns, UNIT_WORDS);
		cycles = most(down * across * products,
			      (down + across) * u->parts / c->load) *
			 UNIT_WORDS;
	} else {
		double v = up(columns, UNIT_WORDS);
		cycles = UNIT_WORDS * most(LATENCY, most(rows * v / c->fma,
							 (rows + v) / c->load));
	}
	return cycles / step;
}

static double step(const Cut *c, double rows, double columns)
{
	return c->unit == UNIT_FMA ? fma_step(c, rows, columns)
				   : unit_step(c, rows, columns);
}

/* Cycles of what follows the product, for a tile. */
static double finish(const Cut *c, double rows, double columns)
{
	double v = rows * vectors(c, columns);
	double ops = 1 + c->ops + (c->direct ? 0 : 3);

	/* lanes along M are stored one by one */
	if (c->par[P_TURNED])
		ops += c->vector * GATHER;
	return v * ops / 2 + (c->direct ? 0 : VISIT);
}

/* All steps and visits of `count` tiles of a size. */
static double tiles(const Cut *c, double count, double rows, double columns)
{
	double visit = VISIT;

	if (count <= 0 || rows <= 0 || columns <= 0)
		return 0;
	if (c->blocks > 1 || c->joined || c->unit != UNIT_FMA)
		visit += 2 * rows * vectors(c, columns) / c->load;
	return count * (c->k * step(c, rows, columns) + c->blocks * visit +
			finish(c, rows, columns));
}

static double compute(const Cut *c)
{
	double down = __builtin_floor(c->m / c->mr);
	double across = __builtin_floor(c->n / c->nr);
	double last_m = c->m - down * c->mr, last_n = c->n - across * c->nr;

	if (!c->m_known || c->unit != UNIT_FMA)
		last_m = last_m > 0 ? c->mr : 0;
	if (!c->n_known || c->unit != UNIT_FMA)
		last_n = last_n > 0 ? c->nr : 0;
	return tiles(c, down * across, c->mr, c->nr) +
	       tiles(c, across, last_m, c->nr) + tiles(c, down, c->mr, last_n) +
	       tiles(c, 1, last_m, last_n);
}

/* ---- packing ----------------------------------------------------------- */

/* Bytes that come at a rate, of whose cycles nothing hides a part. */
static void touch(Sum *s, double cycles, double exposed)
{
	s->memory += (1 - exposed) * cycles;
	s->move += exposed * cycles;
}

/* Whether the kernel's bytes come from memory. */
static bool is_far(const Cut *c)
{
	return c->all > ROOM_LAST * (double)c->t->cache[2] &&
	       c->all > ROOM * (double)c->t->cache[1];
}

/* Cycles to pack one element into panels `wide`, beside those of its bytes. */
static double pack_element(const Cut *c, const Side *x, bool turned,
			   double wide)
{
	double lanes = c->vector, ops = x->ops;
	double full = up(wide, lanes) * lanes, vector = PACK_VECTOR;

	if (turned) {
		int64_t rest = (int64_t)wide % (int64_t)lanes;
		if (!(rest & (rest - 1)) && rest)
			full += (double)rest - lanes;
		vector = PACK_TURNED;
	}
	if (!x->plain)
		ops += CONVERT;
	return (vector * full / wide + ops / 2) / lanes;
}

/* Memory answers short runs badly: how much longer it takes. */
static double runs(const Cut *c)
{
	double run;

	if (!is_far(c))
		return 1;
	if (!c->b.along) {
		run = RUN_TURNED / (c->kc * c->b.bytes);
		return (1 + run * run) * (c->nb > 1 ? 1 : ASKED);
	}
	if (c->par[P_B] == PACK_TASK || c->par[P_B] == PACK_PHASE)
		return 1;
	return 1 + RUN_AHEAD / (c->nr * c->b.bytes);
}

/* A phase that packs all of an operand, by itself. */
static void pack_phase(const Cut *c, const Side *x, double elements,
		       double each, Sum *s)
{
	double bytes = elements * (x->bytes + c->acc) / rate(c->t, c->all);

	if (!x->fixed)
		s->move += most(elements * each, PHASED * bytes * runs(c));
}

static void move_a(const Cut *c, Sum *s)
{
	double elements = c->m * c->k;
	double each = pack_element(c, &c->a, c->a.along, c->mr);
	double bytes = elements * c->a.bytes / rate(c->t, c->all);

	if (c->held || c->a.again)
		return;
	if (c->par[P_A] == PACK_TASK) {
		s->move += elements * each * c->columns;
		touch(s, bytes * c->columns, EXPOSED);
	} else if (c->par[P_A] == PACK_NONE) {
		touch(s, bytes, 0);
	} else {
		pack_phase(c, &c->a, elements, each, s);
	}
}

static void move_b(const Cut *c, Sum *s)
{
	double elements = c->n * c->k, times = c->rows, exposed = 0, fed;
	double each = pack_element(c, &c->b, !c->b.along, c->nr);
	double vector = 1 / c->vector;

	if (c->b.again)
		return;
	switch (c->par[P_B]) {
	case PACK_PHASE:
		pack_phase(c, &c->b, elements, each, s);
		return;
	case PACK_TASK:
		if (c->b.along && !c->joined && c->unit == UNIT_FMA)
			each += (PACK_FILLED - PACK_VECTOR) * vector;
		/* of what is asked for meanwhile */
		s->compute += elements * times * each;
		exposed = is_far(c) && c->b.along ? EXPOSED : 0;
		break;
	case PACK_FED:
		/* what too few tiles leave of a panel is packed by itself */
		fed = least(1, c->down / (c->rows * c->mb));
		s->compute += elements * times * fed * PACK_FED_BY * vector;
		s->move += elements * times * (1 - fed) * each;
		exposed = (1 - fed) * EXPOSED;
		break;
	default:
		exposed = is_far(c) ? 1 : 0;
		break;
	}
	touch(s, elements * times * c->b.bytes * runs(c) / rate(c->t, c->all),
	      exposed);
}

/* ---- memory ------------------------------------------------------------ */

/* Whether the rows of a tile share a set of L1 that has fewer ways. */
static bool in_one_set(const Cut *c)
{
	int64_t row = (int64_t)(c->k * c->a.bytes);

	return c->a.along && row > 0 && row % L1_WAY == 0 && c->mr > L1_WAYS;
}

/* Whether the rows of B that a tile reads share a set of L1. */
static bool b_in_one_set(const Cut *c)
{
	int64_t row = (int64_t)(c->n * c->b.bytes);

	return c->b.along && row > 0 && row % L1_WAY == 0 && c->kc > L1_WAYS;
}

/* Bytes a cycle of rows that do: of L2, as many as it holds. */
static double far_rows(const Cut *c, double rows)
{
	return c->t->rates.cache[rows > L2_ROWS ? 2 : 1];
}

/* Reads of A and B by the tiles, beyond L1. */
static void reads(const Cut *c, Sum *s)
{
	double tall = least(c->mb, c->down);
	double a_block = tall * c->mr * c->kc * c->acc;
	double b_panel = c->kc * c->nr * c->acc;
	double tiles = c->down * c->across * c->k; /* steps of all tiles */
	double a = rate(c->t, a_block + 2 * b_panel);
	double b = rate(c->t, b_panel + 2 * c->mr * c->acc * 16);

	if (c->par[P_A] == PACK_NONE && !c->held && in_one_set(c)) {
		/* lines that L1 let go come anew at each step */
		double over = c->mr - L1_WAYS;
		s->move += tiles * over * over * LET_GO *
			   (tall * c->mr > L2_ROWS ? 1.5 : 1);
	} else {
		s->memory += tiles * c->mr * c->acc / a;
	}
	if (c->par[P_B] == PACK_NONE && b_in_one_set(c))
		touch(s, tiles * c->nr * c->acc / far_rows(c, c->kc),
		      c->kc > L2_ROWS ? EXPOSED : 0);
	else if (tall > 1)
		s->memory += tiles * c->nr * c->acc / b;
	else if (c->par[P_B] == PACK_TASK && !c->b.again)
		/* written and read once, from where the panel has room */
		s->move += c->rows * c->n * c->k * c->acc *
			   (2 / b - 2 / c->t->rates.cache[0]);
	/* each panel's first touch in a task, asked for where that pays */
	if (c->par[P_B] == PACK_PHASE)
		touch(s,
		      c->rows * c->n * c->k * c->acc /
			      rate(c->t, c->n * c->k * c->acc),
		      c->par[P_MB] < FEW_TILES ? UNASKED : 0);
}

static void results(const Cut *c, Sum *s)
{
	double bytes = c->m * c->n * c->out;

	s->memory += 2 * bytes / rate(c->t, c->all);
	if (c->blocks > 1) {
		double sums = least(c->mb, c->down) * least(c->nb, c->across) *
			      c->mr * c->nr * c->acc;
		s->move += (c->blocks - 1) * c->m * c->n * c->acc * 2 *
			   EXPOSED / rate(c->t, sums);
	}
}

/* ---- all of it --------------------------------------------------------- */

/* A task of a chain has all columns. */
static double count_tasks(const Cut *c)
{
	return c->batch * c->rows * (c->chain ? 1 : c->columns);
}

/* How much longer the last CPU works than all of them would on average. */
static double uneven(const Cut *c, double cpus)
{
	double tasks = count_tasks(c);
	double columns = c->chain ? 1 : least(1, c->nb / c->across);
	double whole = least(1, c->mb / c->down) * columns / c->batch;
	double rounds = up(tasks, cpus) * whole;

	if (tasks <= 1)
		return cpus;
	return most(1, least(rounds * cpus, 1 + whole * (cpus - 1)));
}

static Sum product(Cut *c)
{
	Sum s = {0};
	const int64_t *par = c->par;

	c->vector = (double)c->t->vector_bytes / c->acc;
	c->fma = c->t->rates.macs * 4 / c->t->vector_bytes;
	c->load = c->t->rates.cache[0] / c->t->vector_bytes;
	c->mr = (double)par[P_MR];
	c->nr = (double)par[P_NR];
	c->kc = most(1, least((double)par[P_KC], c->k));
	c->blocks = most(1, up(c->k, c->kc));
	c->down = up(c->m, c->mr);
	c->across = up(c->n, c->nr);
	c->mb = (double)par[P_MB];
	c->nb = (double)par[P_NB];
	c->rows = up(c->down, c->mb);
	c->columns = up(c->across, c->nb);
	s.compute = compute(c);
	move_a(c, &s);
	move_b(c, &s);
	reads(c, &s);
	results(c, &s);
	return s;
}

static double extent(const Regions *r, Ex e, const int64_t *dims)
{
	return (double)realise_extent(r, e, dims);
}

/* Values of a part of the region, weighed as instructions of a vector. */
static double count_ops(const Regions *r, uint32_t region, Part part)
{
	const Region *reg = &r->regions.p[region];
	double n = 0;

	for (size_t i = 0; i < reg->values.n; i++) {
		const Value *v = program_value(r->program, reg->values.p[i]);
		if (r->part[reg->values.p[i]] != part ||
		    op_info[v->op].cls == OPC_VIEW)
			continue;
		n += op_info[v->op].ulp > 0 ? SERIES : 1.5;
	}
	return n;
}

static Side side(const Regions *r, uint32_t region, const Value *v, bool left,
		 bool turned)
{
	ValueId id = v->args[left == turned];
	Operand o = contract_look(r, region, id, turned);

	return (Side){
		.bytes = dtype_info[o.dtype].bytes,
		.ops = o.memory ? 0 : count_ops(r, region, PART_PROLOGUE),
		.along = o.along,
		.plain = o.memory && o.dtype == v->acc,
		.fixed = o.fixed,
	};
}

static Cut cut(const Regions *r, uint32_t region, ValueId id,
	       const int64_t *par, const int64_t *dims)
{
	const Value *v = program_value(r->program, id);
	const Value *a = program_value(r->program, v->args[0]);
	bool turned = par[P_TURNED];
	Ex m = v->shape[v->rank - 2 + turned],
	   n = v->shape[v->rank - 1 - turned];
	int bytes = dtype_info[dtype_interior(v->acc)].bytes;
	Cut c = {
		.par = par,
		.unit = (MatrixUnit)par[P_UNIT],
		.m = extent(r, m, dims),
		.n = extent(r, n, dims),
		.k = extent(r, a->shape[a->rank - 1], dims),
		.batch = 1,
		.m_known = contract_known(r, m) >= 0,
		.n_known = contract_known(r, n) >= 0,
		.held = region_held(r, id) != NO_VALUE,
		.acc = bytes < 4 ? 4 : bytes,
		.a = side(r, region, v, true, turned),
		.b = side(r, region, v, false, turned),
		.out = dtype_info[v->dtype].bytes,
		.ops = count_ops(r, region, PART_EPILOGUE),
	};

	for (int d = 0; d < v->rank - 2; d++)
		c.batch *= extent(r, v->shape[d], dims);
	c.direct =
		c.m_known && c.n_known && c.unit == UNIT_FMA && c.ops < SERIES;
	return c;
}

/* Whether a product before this one has the same operand. */
static bool is_again(const Regions *r, uint32_t region, ValueId id, int arg)
{
	const Region *reg = &r->regions.p[region];
	ValueId x = program_value(r->program, id)->args[arg];

	for (size_t i = 0; reg->values.p[i] != id; i++) {
		ValueId v = reg->values.p[i];
		if (r->part[v] == PART_ANCHOR &&
		    program_value(r->program, v)->args[arg] == x)
			return true;
	}
	return false;
}

/* All products of a region. */
typedef struct All {
	Sum sum;
	double bytes; /* that they touch */
	double worst, tasks;
	int phases;
} All;

static void add_product(All *all, Cut *c)
{
	c->all = all->bytes;
	Sum s = product(c);

	all->sum.compute += c->batch * s.compute;
	all->sum.memory += c->batch * s.memory;
	all->sum.move += c->batch * s.move;
	all->worst =
		most(all->worst, uneven(c, c->t->cpus < 1 ? 1 : c->t->cpus));
	all->tasks = most(all->tasks, count_tasks(c));
	all->phases += c->par[P_A] == PACK_PHASE && !c->a.fixed &&
		       !c->a.again && !c->held;
	all->phases += c->par[P_B] == PACK_PHASE && !c->b.fixed && !c->b.again;
}

static All add_up(const Regions *r, uint32_t region, const Target *t,
		  const int64_t *par, const int64_t *dims)
{
	const Region *reg = &r->regions.p[region];
	All all = {.worst = 1, .phases = 1};
	bool chain = false;

	for (size_t i = 0; i < reg->values.n; i++) {
		ValueId id = reg->values.p[i];
		if (r->part[id] != PART_ANCHOR)
			continue;
		Cut c = cut(r, region, id, par, dims);
		all.bytes +=
			c.batch * (c.m * c.k * c.a.bytes +
				   c.k * c.n * c.b.bytes + c.m * c.n * c.out);
		chain |= c.held;
	}
	for (size_t i = 0; i < reg->values.n; i++) {
		ValueId id = reg->values.p[i];
		if (r->part[id] != PART_ANCHOR)
			continue;
		Cut c = cut(r, region, id, par, dims);
		c.t = t;
		c.joined = contract_is_joined(r, region);
		c.chain = chain;
		c.a.again = is_again(r, region, id, 0);
		c.b.again = is_again(r, region, id, 1);
		add_product(&all, &c);
	}
	return all;
}

Cost contract_cost(const Regions *r, uint32_t region, const Target *t,
		   const Candidate *cand, const int64_t *dims)
{
	int64_t par[P_COUNT];
	double cycle = 1e-3 / t->rates.clock; /* us */
	double cpus = t->cpus < 1 ? 1 : t->cpus, workers, each;

	for (int i = 0; i < P_COUNT; i++)
		par[i] = cand->params[i].value;
	All a = add_up(r, region, t, par, dims);
	double us = (most(a.sum.compute, a.sum.memory) + a.sum.move) * cycle;
	workers = us < SERIAL_US ? 1 : least(cpus, most(2, us / WORKER_US));
	each = cycle * least(a.worst, workers) / workers;
	Cost c = {
		.compute = a.sum.compute * each,
		.memory = a.sum.memory * each,
		.move = a.sum.move * each,
		.start = CALL_CYCLES * cycle,
	};
	if (workers > 1)
		c.start += a.phases * t->rates.launch +
			   a.tasks * t->rates.claim / workers;
	else
		c.start += a.tasks * TASK_CYCLES * cycle;
	return c;
}
