/*
 * gpu_contract_simt: a product by each thread's own multiply-adds.
 *
 * Threads lie side by side, `across` of them along the columns of the tile,
 * and each has sums of rows and columns in registers, in runs of 16 bytes that
 * alternate with its neighbours'. So a run of an operand is one access to the
 * block's memory, which for neighbours is next to each other. Both operands lie
 * there in the accumulator's dtype, k first, in a ring of two blocks of K or
 * more: while one is multiplied the next is on its way, through registers, or
 * by itself if it lies in memory as it is multiplied; and the threads wait for
 * each other once a block.
 *
 * The method is that of Volkov and Demmel, Benchmarking GPUs to tune dense
 * linear algebra (SC 2008), and of Tan et al., Fast implementation of DGEMM on
 * Fermi GPU (SC 2011).
 */
#include "realise/gpu_contract.h"

#include <string.h>

/* What is on the way to one operand's part of the block's memory. */
typedef struct Feed {
	bool along;      /* memory runs along k */
	bool forwarded;  /* no register sees it */
	int width;       /* elements that a thread takes at once */
	int64_t per;     /* takes along the run */
	int64_t side;    /* threads side by side there */
	int64_t turns;   /* takes of a thread */
	uint32_t staged; /* registers: [threads, turns, width] */
	uint32_t tile;   /* [stages, depth, rows or columns and a pad] */
	uint32_t own;    /* registers: [threads, runs, run], one k */
} Feed;

typedef struct Simt {
	GpuProduct *p;
	int64_t across, down;
	int64_t run[2], runs[2]; /* of a thread's rows and columns */
	Feed feed[2];
	uint32_t sums; /* registers: [threads, runs, run, runs, run] */
} Simt;

/* ---- the candidate --------------------------------------------------- */

static int64_t across_of(const int64_t *par)
{
	return par[P_THREADS] >= 128 ? 16 : 8;
}

/* Elements of a run of `each` rows or columns of a thread. */
static int64_t run_of(DType acc, int64_t each)
{
	int64_t bytes = dtype_info[acc].bytes, run = gp_run(acc);

	while (run > 1 && each % run)
		run /= 2;
	return run * bytes >= 4 ? run : 1;
}

/* Elements after a row of a tile: those of neighbouring k are in other banks,
 * and every row begins at a multiple of 16 bytes. */
static int64_t pad_of(DType acc)
{
	return GP_MOVE_BYTES / dtype_info[acc].bytes;
}

static int64_t bytes_of(DType acc, const int64_t *par)
{
	return par[P_STAGES] *
	       (par[P_ROWS] + par[P_COLUMNS] + 2 * pad_of(acc)) * par[P_DEPTH] *
	       dtype_info[acc].bytes;
}

/*
 * What was measured on an H200: the share of the best rate that a tile reaches
 * where there are many, the blocks that a multiprocessor has side by side, and
 * what one of them takes alone, in its share of the time of many.
 */
typedef struct Tile {
	int64_t rows, columns, threads, beside;
	double quality, alone;
} Tile;
static const Tile tiles[] = {
	{128, 128, 256, 2, 1.0, 1},   {128, 256, 256, 1, 0.98, 1},
	{64, 128, 128, 3, 0.95, 1.5}, {64, 64, 64, 8, 0.92, 2},
	{64, 64, 256, 3, 0.6, 1},     {32, 64, 128, 6, 0.5, 1.5},
	{32, 32, 64, 12, 0.4, 3},     {32, 128, 128, 6, 0.87, 3},
};
#define USUAL 4 /* tile where extents are not known */

/*
 * The time of all tiles, in those of a sum: rounds of as many as there is room
 * for, and a last one that is hardly shorter for being part empty.
 */
static double time_of(const Tile *x, int64_t count, const Target *t)
{
	int64_t room = t->processors * x->beside;
	int64_t rest = (count % room + t->processors - 1) / t->processors;
	double last = (double)rest, least = 0.67 * (double)x->beside;

	if (count < room)
		least = x->alone;
	if (rest && last < least)
		last = least;
	last += (double)(count / room * x->beside);
	return last * (double)(x->rows * x->columns) / x->quality;
}

/* Sums of one k in a microsecond of a multiprocessor of an H200. */
#define RATE        170e3
#define LEAST_PART  64 /* of K: a part of less is its start and end */
#define START_TIME  1.0
#define LEAST_GAIN  0.9
#define UNEVEN      1.05 /* parts that differ by a block */
#define USUAL_DEPTH 16

/* Microseconds of all tiles, K being in parts. */
static double parts_time(const Tile *y, const GpuExtents *x, const Target *t,
			 DType acc, int64_t parts)
{
	int64_t count = gp_tile_count(x, y->rows, y->columns) * parts;
	int64_t blocks = (x->k + USUAL_DEPTH - 1) / USUAL_DEPTH;
	int64_t k = (blocks + parts - 1) / parts * USUAL_DEPTH;
	double time = time_of(y, count, t) * (double)k / RATE;

	if (blocks % parts)
		time *= UNEVEN;
	return START_TIME + time * (dtype_info[acc].bytes > 4 ? 2 : 1) +
	       gp_split_time(x, dtype_info[acc].bytes, parts);
}

static bool fits(const Tile *y, const Target *t, DType acc)
{
	int64_t par[P_COUNT] = {[P_ROWS] = y->rows,
				[P_COLUMNS] = y->columns,
				[P_DEPTH] = 8,
				[P_STAGES] = 2};

	/* a thread's sums of 64 bits take twice the registers */
	return (dtype_info[acc].bytes <= 4 ||
		y->rows * y->columns <= 32 * y->threads) &&
	       bytes_of(acc, par) <= t->block_memory;
}

/* Parts of K where the tiles leave multiprocessors idle, and the tile that goes
 * with them. */
static int64_t parts_of(const GpuExtents *x, const Target *t, DType acc,
			const Tile **choice)
{
	bool asked = x->least_parts > 1;
	int64_t parts = x->least_parts;
	double best = 0;

	if (!asked)
		best = LEAST_GAIN * parts_time(*choice, x, t, acc, 1);
	for (size_t i = 0; i < ARRAY_LEN(tiles); i++) {
		const Tile *y = &tiles[i];
		int64_t n = gp_tile_count(x, y->rows, y->columns);
		int64_t room = y->beside * t->processors;
		for (int64_t s = asked ? parts : 2; s <= x->most_parts; s++) {
			if (!fits(y, t, acc) ||
			    (!asked && (n >= room || n * s > 4 * room ||
					s * LEAST_PART > x->k)))
				break;
			double time = parts_time(y, x, t, acc, s);
			if (best != 0 && time >= best)
				continue;
			best = time;
			parts = s;
			*choice = y;
		}
	}
	return parts;
}

/* A tile that the table has not: by the sums of a thread, and by its registers
 * and threads. */
static Tile tile_of(const int64_t *par)
{
	int64_t each = par[P_ROWS] * par[P_COLUMNS] / par[P_THREADS];
	Tile y = {.rows = par[P_ROWS],
		  .columns = par[P_COLUMNS],
		  .threads = par[P_THREADS]};

	for (size_t i = 0; i < ARRAY_LEN(tiles); i++)
		if (tiles[i].rows == y.rows && tiles[i].columns == y.columns &&
		    tiles[i].threads == y.threads)
			return tiles[i];
	y.quality = each >= 64   ? 0.95
		    : each >= 32 ? 0.8
		    : each >= 16 ? 0.5
				 : 0.3;
	y.beside = (1 << 16) / (y.threads * (each + 48));
	y.beside = y.beside < 1 ? 1 : y.beside;
	y.alone = y.threads >= 256 ? 1 : y.threads >= 128 ? 1.5 : 2.5;
	return y;
}

void gp_simt_rule(const GpuExtents *x, const Target *t, DType acc, int64_t *par)
{
	bool named = x->m < 0 || x->n < 0 || x->batch < 0;
	const Tile *choice = &tiles[USUAL];
	double best = 0;

	par[P_UNIT] = UNIT_FMA;
	par[P_STAGES] = 2;
	par[P_OPERANDS] = OPERANDS_EACH;
	par[P_SMALL] = 0;
	for (size_t i = 0; i < ARRAY_LEN(tiles) && !named; i++) {
		const Tile *y = &tiles[i];
		if (!fits(y, t, acc))
			continue;
		int64_t count = gp_tile_count(x, y->rows, y->columns);
		double time = time_of(y, count, t);
		if (best == 0 || time < best) {
			best = time;
			choice = y;
		}
	}
	par[P_SPLIT] = x->least_parts;
	if (!named && x->k >= 0 && x->most_parts > 1)
		par[P_SPLIT] = parts_of(x, t, acc, &choice);
	par[P_ROWS] = choice->rows;
	par[P_COLUMNS] = choice->columns;
	par[P_THREADS] = choice->threads;
	par[P_DEPTH] = USUAL_DEPTH;
	if (bytes_of(acc, par) > t->block_memory)
		par[P_DEPTH] = 8;
}

const char *gp_simt_legal(Arena *a, const Target *t, DType acc,
			  const int64_t *par)
{
	int64_t across = across_of(par), down = par[P_THREADS] / across;

	if (par[P_ROWS] < down || par[P_ROWS] % down || par[P_ROWS] > 256)
		return arena_printf(a,
				    "rows must be a multiple of %d, at most "
				    "256",
				    (int)down);
	if (par[P_COLUMNS] < across || par[P_COLUMNS] % across ||
	    par[P_COLUMNS] > 256)
		return arena_printf(
			a, "columns must be a multiple of %d, at most 256",
			(int)across);
	if (par[P_STAGES] < 2 || par[P_STAGES] > 4)
		return "multiply-adds have 2 to 4 stages";
	if (par[P_DEPTH] < 1 || par[P_DEPTH] > par[P_THREADS] ||
	    par[P_THREADS] % par[P_DEPTH])
		return "depth must divide threads";
	for (int i = P_ROWS; i <= P_COLUMNS; i++)
		if ((par[i] * par[P_DEPTH]) % par[P_THREADS] ||
		    (par[i] < par[P_THREADS] ? par[P_THREADS] % par[i]
					     : par[i] % par[P_THREADS]))
			return "a tile of an operand must be shared out evenly "
			       "to the threads";
	int64_t each = par[P_ROWS] * par[P_COLUMNS] / par[P_THREADS];
	if (each * dtype_info[acc].bytes > 128 * 4)
		return "a thread holds at most 512 bytes of sums";
	if (each * par[P_DEPTH] > KERNEL_MAX_UNROLL)
		return arena_printf(a,
				    "a block of K has at most %d "
				    "multiply-adds a thread",
				    KERNEL_MAX_UNROLL);
	if (bytes_of(acc, par) > t->block_memory)
		return arena_printf(a,
				    "tiles of %d bytes do not fit the %d that "
				    "a block of threads has",
				    (int)bytes_of(acc, par),
				    (int)t->block_memory);
	return NULL;
}

void gp_simt_settle(Arena *a, const Target *t, DType acc, int64_t *par,
		    const bool *pinned)
{
	static const int64_t depths[] = {16, 8, 32};
	int64_t each = par[P_ROWS] * par[P_COLUMNS] / 64, here[P_COUNT];
	int64_t first = 256;
	bool wide = dtype_info[acc].bytes > 4;

	while (first > 32 && first / 2 >= (wide ? 2 * each : each))
		first /= 2;
	/* the fewest that hold the sums, then more of them, then fewer */
	for (int i = 0; i < 8; i++) {
		memcpy(here, par, sizeof(here));
		if (!pinned[P_THREADS])
			here[P_THREADS] = i < 5 ? first << i : first >> (i - 4);
		for (size_t d = 0; d < ARRAY_LEN(depths); d++) {
			if (!pinned[P_DEPTH])
				here[P_DEPTH] = depths[d];
			if (here[P_THREADS] < 32 ||
			    here[P_THREADS] > KERNEL_MAX_THREADS ||
			    gp_simt_legal(a, t, acc, here))
				continue;
			memcpy(par, here, sizeof(here));
			return;
		}
	}
}

/* ---- operands -------------------------------------------------------- */

/* Whether the operand's elements may be copied by themselves. */
static bool lies(GpuProduct *p, int number)
{
	DType own = program_value(p->l.p, p->v->args[number])->dtype;
	int bytes = dtype_info[p->acc].bytes;
	Ex index[TN_MAX_RANK], zero = gp_num(p, 0);
	KOperand o;

	ValueId v = gp_operand(p, number, zero, zero, index);
	return own == p->acc && (bytes == 4 || bytes == 8) &&
	       lower_place(&p->l, v, index, &o) && o.nindex &&
	       p->l.k->buffers.p[o.buffer].dtype == own;
}

/*
 * Where it was measured to be faster (H200, f32): 16 bytes at a time, two
 * blocks of 256 threads beside each other, of 64 sums a thread. Copies of 4
 * bytes, as an operand that runs along k needs them, were not, nor other tiles.
 */
static bool pays(GpuProduct *p, int number)
{
	int64_t threads = p->par[P_THREADS];
	int bytes = dtype_info[p->acc].bytes;

	return p->target->copies && bytes == 4 && threads == 256 &&
	       p->par[P_ROWS] * p->par[P_COLUMNS] == 64 * threads &&
	       gp_lies(p, number, false, GP_MOVE_BYTES / bytes);
}

static bool is_forwarded(GpuProduct *p, int number)
{
	if (p->par[P_OPERANDS] == OPERANDS_EACH && !pays(p, number))
		return false;
	return p->par[P_OPERANDS] != OPERANDS_STAGED && lies(p, number);
}

const char *gp_simt_refuses(GpuProduct *p)
{
	bool forwarded = p->par[P_OPERANDS] == OPERANDS_FORWARDED;
	const Target *t = p->target;

	if (forwarded && t->cuda && !t->copies)
		return arena_printf(p->l.arena,
				    "%s copies by way of registers: operands "
				    "are staged",
				    t->name);
	for (int i = 0; i < 2 && forwarded; i++)
		if (!lies(p, i))
			return arena_printf(
				p->l.arena,
				"the %s operand is computed or converted on "
				"its way, or has elements of less than 4 "
				"bytes: it is staged",
				i ? "right" : "left");
	if (p->par[P_STAGES] > 2 && !is_forwarded(p, 0) && !is_forwarded(p, 1))
		return "operands that are staged have 2 stages";
	return NULL;
}

/* The measured shares of the time of operands that are staged, 16 of K at a
 * time. */
#define FORWARDED_TIME 1.04
#define PAYING_TIME    0.96
#define SHALLOW_TIME   0.037 /* more, for each block more in 16 */

double gp_simt_time(GpuProduct *p, const GpuExtents *x)
{
	Tile y = tile_of(p->par);
	double depth = (double)p->par[P_DEPTH];
	double time = parts_time(&y, x, p->target, p->acc, p->par[P_SPLIT]);

	if (p->par[P_OPERANDS] == OPERANDS_FORWARDED)
		time *= FORWARDED_TIME;
	else if (is_forwarded(p, 0) || is_forwarded(p, 1))
		time *= PAYING_TIME;
	if (depth < USUAL_DEPTH)
		time *= 1 + SHALLOW_TIME * (USUAL_DEPTH / depth - 1);
	return time;
}

/* Elements next to each other in memory go to different rows of the tile: the
 * most rows that lie in different banks. */
#define SIDE 8

/* Takes several elements at once where they lie so and all threads have as
 * many of them. */
static void plan_feed(Simt *s, int number)
{
	GpuProduct *p = s->p;
	Feed *f = &s->feed[number];
	int64_t threads = p->par[P_THREADS], depth = p->par[P_DEPTH];
	int64_t wide = gp_wide(p, number);
	DType own = program_value(p->l.p, p->v->args[number])->dtype;

	f->along = gp_along_k(p, number);
	f->forwarded = is_forwarded(p, number);
	bool turned = f->forwarded && f->along;
	int64_t run = f->along ? depth : wide, other = f->along ? wide : depth;
	f->width = gp_run(p->acc);
	int64_t per = run / f->width;
	if (own != p->acc || f->width == 1 || turned || run % f->width ||
	    per > threads || threads % per || other % (threads / per) ||
	    !gp_lies(p, number, f->along, f->width))
		f->width = 1;
	f->per = run / f->width;
	f->side = f->per < threads ? f->per : threads;
	if (turned && f->per % SIDE == 0 && other % (threads / SIDE) == 0)
		f->side = SIDE;
	f->turns = wide * depth / threads / f->width;
}

/* The k and the row or column, in the tile, of a thread's take. */
static void take(const Simt *s, int number, Ex tid, Ex turn, Ex at[2])
{
	const Feed *f = &s->feed[number];
	ExprTab *t = s->p->t;
	int64_t threads = s->p->par[P_THREADS];
	Ex inner = tid, outer = gp_num(s->p, 0);

	if (f->side < threads) {
		Ex side = gp_num(s->p, f->side);
		inner = ex_mod(t, tid, side);
		outer = ex_div(t, tid, side);
	}
	/* the turns of one line, then those below */
	Ex n = gp_num(s->p, f->per / f->side);
	inner = ex_add(t, inner,
		       ex_mul(t, ex_mod(t, turn, n), gp_num(s->p, f->side)));
	outer = ex_add(
		t, outer,
		ex_mul(t, ex_div(t, turn, n), gp_num(s->p, threads / f->side)));
	inner = ex_mul(t, inner, gp_num(s->p, f->width));
	at[0] = f->along ? inner : outer;
	at[1] = f->along ? outer : inner;
}

static Ex open_takes(Simt *s, int number, Ex *tid)
{
	GpuProduct *p = s->p;
	int64_t threads = p->par[P_THREADS];

	*tid = lower_for(&p->l, gp_num(p, threads), MAP_VECTOR, (int)threads);
	return lower_for(&p->l, gp_num(p, s->feed[number].turns), MAP_UNROLL,
			 1);
}

/* The slot of the ring that is a block's. */
static Ex slot_of(const Simt *s, Ex block)
{
	return ex_mod(s->p->t, block, gp_num(s->p, s->p->par[P_STAGES]));
}

/* A block of K of an operand's tile to registers, or by itself to the block's
 * memory; zeros where there is none. */
static void fetch(Simt *s, int number, Ex block)
{
	GpuProduct *p = s->p;
	Lower *l = &p->l;
	ExprTab *t = p->t;
	const Feed *f = &s->feed[number];
	Ex tid, at[2], conds[2], index[TN_MAX_RANK];

	Ex turn = open_takes(s, number, &tid);
	Ex to[3] = {tid, turn, gp_num(p, 0)};
	take(s, number, tid, turn, at);
	Ex k = ex_add(t, gp_first_k(p, block), at[0]);
	Ex place = ex_add(t, number ? p->column : p->row, at[1]);
	const int width[2] = {f->along ? 1 : f->width, f->along ? f->width : 1};
	uint32_t n = gp_inside(p, number, place, k, width, conds);
	if (f->forwarded) {
		Ex tile[3] = {slot_of(s, block), at[0], at[1]};
		KOperand from = gp_place(p, number, place, k);
		lower_copy(l, f->tile, tile, &from, f->width, true, conds, n);
	} else if (f->width > 1) {
		KOperand from = gp_place(p, number, place, k);
		lower_copy(l, f->staged, to, &from, f->width, false, conds, n);
	} else {
		ValueId v = gp_operand(p, number, place, k, index);
		lower_if(l, conds, n);
		lower_store(l, f->staged, to,
			    lower_cast(l, p->acc, program_value(l->p, v)->dtype,
				       lower_value(l, v, index)));
		if (n) {
			lower_else(l);
			lower_store(l, f->staged, to, lower_zero(l, p->acc));
		}
		lower_end(l);
	}
	lower_end(l);
	lower_end(l);
}

/* From there to the slot of the block's memory that is the block's. */
static void put(Simt *s, int number, Ex block)
{
	GpuProduct *p = s->p;
	Lower *l = &p->l;
	ExprTab *t = p->t;
	const Feed *f = &s->feed[number];
	Ex tid, at[2];

	Ex turn = open_takes(s, number, &tid);
	take(s, number, tid, turn, at);
	Ex to[3] = {slot_of(s, block), at[0], at[1]};
	if (f->width > 1 && !f->along) {
		KOperand from = {.buffer = f->staged,
				 .nindex = 3,
				 .index = {tid, turn, gp_num(p, 0)}};
		lower_copy(l, f->tile, to, &from, f->width, false, NULL, 0);
	} else {
		Ex i = lower_for(l, gp_num(p, f->width), MAP_UNROLL, 1);
		Ex from[3] = {tid, turn, i};
		int d = f->along ? 1 : 2;
		to[d] = ex_add(t, to[d], i);
		lower_store(l, f->tile, to, lower_load(l, f->staged, from));
		lower_end(l);
	}
	lower_end(l);
	lower_end(l);
}

/* ---- sums ------------------------------------------------------------ */

/*
 * A thread's place among those along rows and columns. Of a warp 8 lie side by
 * side and 4 below each other, lanes 2 i and 2 i + 1 in one column, so that
 * each half of it reads 128 bytes of the columns at most and 32 of the rows.
 */
static void place_thread(const Simt *s, Ex tid, Ex own[2])
{
	ExprTab *t = s->p->t;
	Ex two = gp_num(s->p, 2), eight = gp_num(s->p, 8);
	Ex lane = ex_mod(t, tid, gp_num(s->p, 32));
	Ex warp = ex_div(t, tid, gp_num(s->p, 32));
	Ex warps = gp_num(s->p, s->across / 8);

	own[0] = ex_add(t, ex_mul(t, ex_div(t, lane, gp_num(s->p, 16)), two),
			ex_mod(t, lane, two));
	own[0] = ex_add(t, own[0],
			ex_mul(t, ex_div(t, warp, warps), gp_num(s->p, 4)));
	own[1] = ex_mod(t, ex_div(t, lane, two), eight);
	own[1] = ex_add(t, own[1], ex_mul(t, ex_mod(t, warp, warps), eight));
}

/* Loops over a thread's sums below the thread's own, or over runs of them side
 * by side; at: the indices of the sum, place: of the tile. */
static void open_sums(Simt *s, Ex at[5], Ex place[2], bool runs)
{
	GpuProduct *p = s->p;
	ExprTab *t = p->t;
	int64_t threads[2] = {s->down, s->across};
	Ex own[2];

	place_thread(s, at[0], own);
	for (int i = 0; i < 2; i++) {
		Ex run = gp_num(p, s->run[i]);
		Ex r = lower_for(&p->l, gp_num(p, s->runs[i]), MAP_UNROLL, 1);
		Ex e = gp_num(p, 0);
		if (!runs || i == 0)
			e = lower_for(&p->l, run, MAP_UNROLL, 1);
		at[1 + 2 * i] = r;
		at[2 + 2 * i] = e;
		r = ex_add(t, ex_mul(t, r, gp_num(p, threads[i])), own[i]);
		place[i] = ex_add(t, ex_mul(t, r, run), e);
	}
}

static void close(Simt *s, int loops)
{
	while (loops--)
		lower_end(&s->p->l);
}

static void clear(Simt *s)
{
	GpuProduct *p = s->p;
	int64_t threads = p->par[P_THREADS];
	Ex at[5], place[2];

	at[0] = lower_for(&p->l, gp_num(p, threads), MAP_VECTOR, (int)threads);
	open_sums(s, at, place, false);
	lower_store(&p->l, s->sums, at, lower_zero(&p->l, p->acc));
	close(s, 5);
}

/* One operand's elements at k, to a thread's registers. */
static void pick(Simt *s, int number, Ex tid, Ex slot, Ex k)
{
	GpuProduct *p = s->p;
	Lower *l = &p->l;
	ExprTab *t = p->t;
	const Feed *f = &s->feed[number];
	Ex run = gp_num(p, s->run[number]), zero = gp_num(p, 0), own[2];

	place_thread(s, tid, own);
	Ex r = lower_for(l, gp_num(p, s->runs[number]), MAP_UNROLL, 1);
	Ex place = ex_mul(
		t,
		ex_add(t, ex_mul(t, r, gp_num(p, number ? s->across : s->down)),
		       own[number]),
		run);
	Ex to[3] = {tid, r, zero};
	KOperand from = {
		.buffer = f->tile, .nindex = 3, .index = {slot, k, place}};
	if (s->run[number] > 1)
		lower_copy(l, f->own, to, &from, (int)s->run[number], false,
			   NULL, 0);
	else
		lower_store(l, f->own, to, lower_load(l, f->tile, from.index));
	lower_end(l);
}

static void multiply(Simt *s, Ex block)
{
	GpuProduct *p = s->p;
	Lower *l = &p->l;
	int64_t threads = p->par[P_THREADS];
	Ex slot = slot_of(s, block), at[5], place[2];

	at[0] = lower_for(l, gp_num(p, threads), MAP_VECTOR, (int)threads);
	Ex k = lower_for(l, gp_num(p, p->par[P_DEPTH]), MAP_UNROLL, 1);
	pick(s, 0, at[0], slot, k);
	pick(s, 1, at[0], slot, k);
	open_sums(s, at, place, false);
	Ex left[3] = {at[0], at[1], at[2]}, right[3] = {at[0], at[3], at[4]};
	VarId x = lower_load(l, s->feed[0].own, left);
	VarId y = lower_load(l, s->feed[1].own, right);
	VarId old = lower_load(l, s->sums, at);
	lower_store(l, s->sums, at, lower_mac(l, p->acc, x, y, old));
	close(s, 6);
}

static void finish(Simt *s)
{
	GpuProduct *p = s->p;
	int64_t threads = p->par[P_THREADS];
	Ex at[5], place[2];

	at[0] = lower_for(&p->l, gp_num(p, threads), MAP_VECTOR, (int)threads);
	open_sums(s, at, place, true);
	at[4] = gp_num(p, 0);
	if (p->par[P_SPLIT] > 1)
		gp_store_part(p, place[0], place[1], s->run[1], s->sums, at);
	else
		gp_finish(p, at[0], place[0], place[1], s->run[1],
			  gp_stores_runs(p, s->run[1], NULL, NULL), s->sums,
			  at);
	close(s, 4);
}

/* ---- the kernel ------------------------------------------------------ */

static void buffers(Simt *s)
{
	GpuProduct *p = s->p;
	Lower *l = &p->l;
	Ex threads = gp_num(p, p->par[P_THREADS]);
	Ex sums[5] = {threads};

	for (int i = 0; i < 2; i++) {
		Feed *f = &s->feed[i];
		Ex run = gp_num(p, s->run[i]), runs = gp_num(p, s->runs[i]);
		Ex staged[3] = {threads, gp_num(p, f->turns),
				gp_num(p, f->width)};
		Ex tile[3] = {gp_num(p, p->par[P_STAGES]),
			      gp_num(p, p->par[P_DEPTH]),
			      gp_num(p, gp_wide(p, i) + pad_of(p->acc))};
		Ex own[3] = {threads, runs, run};
		sums[1 + 2 * i] = runs;
		sums[2 + 2 * i] = run;
		f->tile = lower_buffer(l, SCOPE_WORKER, p->acc, tile, 3,
				       i ? "right" : "left");
		if (!f->forwarded)
			f->staged = lower_buffer(l, SCOPE_REG, p->acc, staged,
						 3, i ? "next_b" : "next_a");
		f->own = lower_buffer(l, SCOPE_REG, p->acc, own, 3,
				      i ? "b" : "a");
	}
	s->sums = lower_buffer(l, SCOPE_REG, p->acc, sums, 5, "sums");
}

/* What is done for a block of operands that are forwarded, or of those that are
 * not; nothing where there is no such block. */
static void bring(Simt *s, Ex block, bool forwarded,
		  void (*what)(Simt *s, int number, Ex block))
{
	Ex there = gp_there(s->p, block);

	if (s->feed[0].forwarded != forwarded &&
	    s->feed[1].forwarded != forwarded)
		return;
	lower_if(&s->p->l, &there, 1);
	for (int i = 0; i < 2; i++)
		if (s->feed[i].forwarded == forwarded)
			what(s, i, block);
	lower_end(&s->p->l);
}

static void multiply_all(Simt *s)
{
	GpuProduct *p = s->p;
	Lower *l = &p->l;
	ExprTab *t = p->t;
	int64_t ahead = p->par[P_STAGES] - 1;
	bool ring = s->feed[0].forwarded || s->feed[1].forwarded;
	Ex zero = gp_num(p, 0);

	for (int64_t i = 0; i < ahead && ring; i++) {
		bring(s, gp_num(p, i), true, fetch);
		if (i + 1 < ahead)
			lower_wait(l, (int)ahead - 1);
	}
	bring(s, zero, false, fetch);
	bring(s, zero, false, put);
	Ex block = lower_for(l, p->blocks, MAP_SERIAL, 1);
	Ex next = ex_add(t, block, gp_num(p, 1));
	if (ring) {
		lower_wait(l, (int)ahead - 1);
		(void)lower_append(l, ST_BARRIER);
		bring(s, ex_add(t, block, gp_num(p, ahead)), true, fetch);
	}
	bring(s, next, false, fetch);
	multiply(s, block);
	bring(s, next, false, put);
	lower_end(l);
}

static const char *note(const Simt *s)
{
	const GpuProduct *p = s->p;
	bool left = s->feed[0].forwarded, right = s->feed[1].forwarded;

	if (!left && !right)
		return arena_printf(
			p->l.arena,
			"a tile a block of threads; operands by way of its "
			"memory, the next block of K while one is multiplied; "
			"sums in registers%s",
			gp_split_note(p));
	return arena_printf(p->l.arena,
			    "a tile a block of threads; a ring of %d blocks of "
			    "K in its memory, %s copied there by %s; sums in "
			    "registers%s",
			    (int)p->par[P_STAGES],
			    left && right ? "both operands"
			    : left        ? "the left operand"
					  : "the right operand",
			    left && right ? "themselves" : "itself",
			    gp_split_note(p));
}

void gp_simt_lower(GpuProduct *p)
{
	Simt s = {.p = p, .across = across_of(p->par)};
	Lower *l = &p->l;

	s.down = p->par[P_THREADS] / s.across;
	for (int i = 0; i < 2; i++) {
		int64_t each = gp_wide(p, i) / (i ? s.across : s.down);
		s.run[i] = run_of(p->acc, each);
		s.runs[i] = each / s.run[i];
	}
	gp_partial_buffer(p);
	gp_tasks(p, "main", NO_FLAG);
	plan_feed(&s, 0);
	plan_feed(&s, 1);
	buffers(&s);
	clear(&s);
	if (!ex_equals(p->t, p->k, 0))
		multiply_all(&s);
	finish(&s);
	l->k->note = note(&s);
	gp_sum_parts(p);
}
