/*
 * gpu_contract_mma: a product by a GPU's matrix unit, mma or wgmma.
 *
 * Operands come to the block's memory as they lie, 16 bytes a copy that no
 * register sees, in a ring of as many blocks of K as there are stages; each
 * turn waits for one of them, asks for another, and multiplies. Rows in the
 * block's memory are 16 bytes longer than what they hold, so that eight of them
 * below each other are in different banks. The scheme is CUTLASS's for sm_80
 * ("multistage": NVIDIA, CUTLASS 2.x, efficient_gemm.md).
 *
 * An operand that cannot be copied so - its rows are not multiples of 16 bytes,
 * or the program computes something on the way - is written to memory first, by
 * a phase of its own, in whole tiles that are filled up with zeros.
 */
#include "realise/gpu_contract.h"

#include <string.h>

#define MIN_STAGES    2
#define SMALL_COLUMNS 64

/* ---- the candidate --------------------------------------------------- */

static bool has_unit(const Target *t, MatrixUnit u)
{
	size_t i = 0;

	while (i < t->nunits && t->units[i] != u)
		i++;
	return i < t->nunits;
}

const char *gp_mma_refuses(Arena *a, const Regions *r, const Value *v,
			   const Target *t, MatrixUnit u)
{
	DType x = program_value(r->program, v->args[0])->dtype;
	DType y = program_value(r->program, v->args[1])->dtype;
	const char *name = unit_info[u].name;

	if (!has_unit(t, u))
		return arena_printf(a, "%s has no %s", t->name, name);
	if (x != y || !unit_takes(u, x, v->acc, v->relax))
		return arena_printf(
			a, "%s does not multiply %s and %s with acc=%s%s", name,
			dtype_info[x].name, dtype_info[y].name,
			dtype_info[v->acc].name,
			x == y && unit_takes(u, x, v->acc, RELAX_TF32)
				? " unless the def says tf32"
				: "");
	if (u == UNIT_WGMMA && v->rank > MAP_MAX_RANK)
		return arena_printf(a, "boxes have at most %d axes",
				    MAP_MAX_RANK);
	if (v->relax & RELAX_REASSOCIATE)
		return "a sum that may merge with others uses fma";
	return NULL;
}

/*
 * Warps below each other, so that those that read the same rows and columns
 * read as little as can be; 0: the tile cannot be shared out to them.
 */
static int64_t down_of(const int64_t *par)
{
	int64_t warps = par[P_THREADS] / MMA_THREADS, best = 0, least = 0;

	if (par[P_UNIT] == UNIT_WGMMA)
		return warps % WGMMA_WARPS || par[P_COLUMNS] % 64 ||
				       par[P_ROWS] != warps * MMA_ROWS
			       ? 0
			       : warps;
	for (int64_t down = 1; down <= warps; down *= 2) {
		int64_t across = warps / down;
		if (par[P_ROWS] % (MMA_ROWS * down) ||
		    par[P_COLUMNS] % (2 * MMA_COLUMNS * across))
			continue;
		int64_t reads = par[P_ROWS] / down + par[P_COLUMNS] / across;
		if (!best || reads < least) {
			best = down;
			least = reads;
		}
	}
	return best;
}

int64_t gp_mma_stage_bytes(const int64_t *par, int element)
{
	int64_t sum = 0;

	if (par[P_UNIT] == UNIT_WGMMA)
		return (par[P_ROWS] + par[P_COLUMNS]) * SWIZZLE_BYTES;
	for (int i = P_ROWS; i <= P_COLUMNS; i++) {
		int64_t flat =
			par[i] * (par[P_DEPTH] * element + GP_MOVE_BYTES);
		int64_t turned =
			par[P_DEPTH] * (par[i] * element + GP_MOVE_BYTES);
		sum += flat > turned ? flat : turned;
	}
	return sum;
}

static int64_t bytes_of(const int64_t *par, int element)
{
	/* folds keep 8 bytes a thread in front of all (emit/emit_gpu.c),
	 * tiles lie behind them at multiples, boxes have barriers */
	int64_t own = par[P_UNIT] == UNIT_WGMMA
			      ? 8 * SWIZZLE_BYTES + 8 * (MMA_MAX_STAGES + 1)
			      : 0;

	return par[P_STAGES] * gp_mma_stage_bytes(par, element) +
	       8 * par[P_THREADS] + own;
}

/* wgmma reads one slot while it has begun with the next, and wants a third. */
static int64_t least_stages(const int64_t *par)
{
	return par[P_UNIT] == UNIT_WGMMA ? 3 : MIN_STAGES;
}

/* As many stages, up to `most`, as there is room for in so many blocks beside
 * each other, or in fewer. */
static int64_t ring_of(const Target *t, const int64_t *par, int element,
		       int sides, int64_t most)
{
	int64_t here[P_COUNT];

	memcpy(here, par, sizeof(here));
	for (; sides > 0; sides--)
		for (here[P_STAGES] = most; here[P_STAGES] > 2;
		     here[P_STAGES]--)
			if (sides * bytes_of(here, element) <= t->block_memory)
				return here[P_STAGES];
	return least_stages(par);
}

/* As many stages as there is room for: three or four where a multiprocessor has
 * two blocks beside each other, else for one. */
static int64_t stages_of(const Target *t, const int64_t *par, int element)
{
	return ring_of(t, par, element, 2, 4);
}

/* The quality of a tile is what it was measured to reach of the most, where
 * all multiprocessors are busy. */
typedef struct Tile {
	int64_t rows, columns, threads;
	double quality;
} Tile;
static const Tile mma_tiles[] = {
	{128, 256, 256, 1.0}, {128, 128, 256, 0.98},
	{128, 64, 128, 0.8},  {64, 128, 128, 0.67},
	{64, 64, 128, 0.67},  {32, 64, 128, 0.4},
	{16, 64, 128, 0.25},  {0},
};
static const Tile wgmma_tiles[] = {
	{128, 256, 256, 1.0},  {128, 192, 256, 0.97},
	{128, 128, 256, 0.93}, {64, 256, 128, 0.8},
	{128, 64, 256, 0.75},  {64, 128, 128, 0.72},
	{64, 64, 128, 0.65},   {0},
};

/* What a tile of wgmma's takes beside its products, in sums of a block of K: 3
 * to 4 us, measured. */
#define TILE_COST 150000.0

/* The time of all tiles: of some of a wave that of whole tiles. */
static double time_of(const Tile *i, const GpuExtents *x, const Target *t,
		      MatrixUnit u, int element)
{
	int64_t n = gp_tile_count(x, i->rows, i->columns);
	int64_t waves = (n + t->processors - 1) / t->processors;
	int64_t depth = SWIZZLE_BYTES / element;
	int64_t blocks = x->k < 0 ? 64 : (x->k + depth - 1) / depth;
	double sums = (double)(i->rows * i->columns) / i->quality;

	if (u == UNIT_WGMMA)
		sums = sums * (double)blocks + TILE_COST;
	return (double)waves * sums;
}

/*
 * The same in microseconds where the tiles are few, so that it is their
 * operands that take time: measured on an H200.
 */
#define TILE_TIME    2.0
#define LINE_TIME    1.15e-3 /* 128 bytes of an operand */
#define SUM_TIME     2e-5    /* of a block of K, wgmma */
#define FIRST_BLOCKS 4       /* come at once */
#define UNEVEN       1.05    /* parts that differ by a block */
#define CACHED_BYTES 24e6    /* of an operand that does not come from afar */
#define FAR_RATE     4.9e6   /* bytes of one that does, in a microsecond */
#define NARROW_RATE  4.0e6   /* the same by tiles of less than 128 of it */
#define LEAST_GAIN   0.95
#define LONE_STAGES  6 /* of a tile by itself */

static double operand_bytes(const GpuExtents *x, int number, int element)
{
	return (double)(x->batch * x->k) *
	       (double)((number ? x->n : x->m) * element);
}

/* What operands take that caches do not hold, each read anew by every row or
 * column of tiles; all of n tasks at a time ask for them. */
static double far_time(const Tile *i, const GpuExtents *x, const Target *t,
		       int element, int64_t n)
{
	const int64_t extent[2] = {x->m, x->n}, wide[2] = {i->rows, i->columns};
	double most = 0;

	for (int o = 0; o < 2; o++) {
		double bytes = operand_bytes(x, o, element);
		int64_t lines = (extent[!o] + wide[!o] - 1) / wide[!o];
		double rate = wide[o] < 128 ? NARROW_RATE : FAR_RATE;
		double time = bytes * (double)lines / rate;
		if (bytes > CACHED_BYTES && time > most)
			most = time;
	}
	if (n < t->processors)
		most *= (double)t->processors / (double)n;
	return most;
}

/* What a ring makes of it: us that a block of K takes at least, and the share
 * of far_time(). */
typedef struct Ring {
	double least, far;
} Ring;
static const Ring usual_ring = {0, 1};

static double parts_time(const Tile *i, const GpuExtents *x, const Target *t,
			 MatrixUnit u, int element, int64_t parts,
			 const Ring *ring)
{
	int64_t depth = SWIZZLE_BYTES / element;
	int64_t blocks = (x->k + depth - 1) / depth;
	int64_t per = (blocks + parts - 1) / parts;
	int64_t n = gp_tile_count(x, i->rows, i->columns) * parts;
	double each = (double)(i->rows * i->columns) / i->quality * SUM_TIME;
	double lines = (double)(i->rows + i->columns) * LINE_TIME;

	if (u == UNIT_MMA)
		each *= 2;
	if (each < lines)
		each = lines;
	if (each < ring->least)
		each = ring->least;
	if (per < FIRST_BLOCKS)
		per = FIRST_BLOCKS;
	double time = (double)((n + t->processors - 1) / t->processors * per);
	double far = n > 0 ? far_time(i, x, t, element, n) * ring->far : 0;
	time *= each;
	if (time < far) /* of tiles alike in this the quicker */
		time = far + time / 10;
	if (blocks % parts)
		time *= UNEVEN;
	return TILE_TIME + time + gp_split_time(x, 4, parts);
}

/* Parts of K where the tiles are fewer than multiprocessors, and the tile that
 * goes with them. */
static int64_t parts_of(const GpuExtents *x, const Target *t, MatrixUnit u,
			int element, const Tile *tiles, const Tile **choice)
{
	bool asked = x->least_parts > 1;
	int64_t parts = x->least_parts, depth = SWIZZLE_BYTES / element;
	double best = 0;

	if (!asked)
		best = LEAST_GAIN *
		       parts_time(*choice, x, t, u, element, 1, &usual_ring);
	for (const Tile *i = tiles; i->rows; i++) {
		int64_t n = gp_tile_count(x, i->rows, i->columns);
		for (int64_t s = asked ? parts : 2; s <= x->most_parts; s++) {
			if (!asked &&
			    (n >= t->processors || n * s > 2 * t->processors ||
			     s * depth > x->k))
				break;
			double time =
				parts_time(i, x, t, u, element, s, &usual_ring);
			if (best != 0 && time >= best)
				continue;
			best = time;
			parts = s;
			*choice = i;
		}
	}
	return parts;
}

/* Of a tile that the table has not: by the lines that it reads for a sum. */
#define LEAST_QUALITY 0.2

static double quality_of(const Tile *tiles, const int64_t *par)
{
	double rows = (double)par[P_ROWS], columns = (double)par[P_COLUMNS];
	const Tile *first = tiles;
	double most = (double)(first->rows + first->columns) /
		      (double)(first->rows * first->columns);
	double q = 1 - 20 * ((rows + columns) / (rows * columns) - most);

	for (const Tile *i = tiles; i->rows; i++)
		if (i->rows == par[P_ROWS] && i->columns == par[P_COLUMNS] &&
		    i->threads == par[P_THREADS])
			return i->quality;
	return q > 1 ? 1 : q < LEAST_QUALITY ? LEAST_QUALITY : q;
}

/*
 * A ring as measured: a block of K is there so long after it was asked for, of
 * which the blocks before hide more than their number; what comes from afar
 * comes a little faster to a long one. Tiles that have a multiprocessor to
 * themselves though two of them would fit it with a shorter ring are slower.
 */
#define NEAR_LATENCY 1.76
#define FAR_LATENCY  2.5
#define FAR_GAIN     0.04 /* for each stage above four */
#define ALONE        1.05
#define ALONE_SUMS   (128 * 128)
#define BLOCK_COST   0.065 /* us of a block of mma, beside its products */

static Ring ring_for(const GpuExtents *x, int element, const int64_t *par,
		     double beside, bool many)
{
	bool far = operand_bytes(x, 0, element) > CACHED_BYTES ||
		   operand_bytes(x, 1, element) > CACHED_BYTES;
	double n = (double)(par[P_STAGES] - 1);
	double bytes = (double)(par[P_DEPTH] * element) / SWIZZLE_BYTES;
	Ring r = {.far = 1};

	r.least = (far ? FAR_LATENCY : NEAR_LATENCY) / (n * n) / beside;
	r.least /= bytes; /* for each 128 bytes of K */
	if (par[P_UNIT] == UNIT_MMA)
		r.least += BLOCK_COST * (1 / bytes - 1);
	if (n > 3 && !many)
		r.far -= FAR_GAIN * (n - 3);
	return r;
}

double gp_mma_time(const GpuExtents *x, const Target *t, int element,
		   const int64_t *par)
{
	MatrixUnit u = (MatrixUnit)par[P_UNIT];
	const Tile *tiles = u == UNIT_WGMMA ? wgmma_tiles : mma_tiles;
	Tile i = {par[P_ROWS], par[P_COLUMNS], par[P_THREADS],
		  quality_of(tiles, par)};
	int64_t sums = i.rows * i.columns, tasks;
	double side = (double)(t->block_memory / bytes_of(par, element));
	double most = (double)(ALONE_SUMS * 2 / sums);

	side = side > most ? most : side;
	side = side < 1 ? 1 : side;
	tasks = gp_tile_count(x, i.rows, i.columns) * par[P_SPLIT];
	bool many = tasks > t->processors;
	double here = (double)((tasks + t->processors - 1) / t->processors);
	if (many && side < 2 && sums <= ALONE_SUMS)
		i.quality /= ALONE;
	here = here > side ? side : here < 1 ? 1 : here;
	Ring ring = ring_for(x, element, par, here, many);
	return parts_time(&i, x, t, u, element, par[P_SPLIT], &ring);
}

void gp_mma_rule(const GpuExtents *x, const Target *t, MatrixUnit u,
		 int element, int64_t *par)
{
	const Tile *tiles = u == UNIT_WGMMA ? wgmma_tiles : mma_tiles;
	bool named = x->m < 0 || x->n < 0 || x->batch < 0;
	/* of sizes that are named the most that may be: the largest of wgmma's,
	 * beside which there are small ones */
	const Tile *choice = &tiles[u == UNIT_WGMMA ? 0 : 1];
	double best = 0;

	for (const Tile *i = tiles; i->rows && !named; i++) {
		double time = time_of(i, x, t, u, element);
		if (best == 0 || time < best) {
			best = time;
			choice = i;
		}
	}
	par[P_SPLIT] = x->least_parts;
	if (!named && x->k >= 0 && x->most_parts > 1)
		par[P_SPLIT] = parts_of(x, t, u, element, tiles, &choice);
	par[P_UNIT] = u;
	par[P_ROWS] = choice->rows;
	par[P_COLUMNS] = choice->columns;
	par[P_THREADS] = choice->threads;
	par[P_DEPTH] = SWIZZLE_BYTES / element;
	par[P_OPERANDS] = OPERANDS_EACH;
	par[P_SMALL] = u == UNIT_WGMMA && named;
	par[P_STAGES] = stages_of(t, par, element);
	bool alone = u == UNIT_WGMMA && !named && choice->columns <= 128 &&
		     gp_tile_count(x, choice->rows, choice->columns) *
				     par[P_SPLIT] <=
			     t->processors;
	/* a block by itself asks as far ahead as it can for what comes from
	 * afar; near operands, and wide tiles, are no faster for it */
	if (alone && (operand_bytes(x, 0, element) > CACHED_BYTES ||
		      operand_bytes(x, 1, element) > CACHED_BYTES))
		par[P_STAGES] = ring_of(t, par, element, 1, MMA_MAX_STAGES);
	/* with room for two, processors that end what is before first would
	 * have two and others none: 1.3 to 1.4 times the time, measured */
	else if (alone && x->behind)
		par[P_STAGES] = ring_of(t, par, element, 1, LONE_STAGES);
	/* a ring of two has no time to spare */
	if (par[P_STAGES] < 3 && u == UNIT_MMA) {
		par[P_DEPTH] /= 2;
		par[P_STAGES] = stages_of(t, par, element);
	}
}

/* Copies of one line, and whether all threads make as many of a tile. */
static bool shares_out(const int64_t *par, int64_t lines, int64_t run,
		       int64_t chunk)
{
	int64_t threads = par[P_THREADS], per = run / chunk;

	return run % chunk == 0 && per >= 1 && per <= threads &&
	       threads % per == 0 && lines % (threads / per) == 0;
}

const char *gp_mma_legal(Arena *a, const Target *t, int element,
			 const int64_t *par)
{
	int64_t chunk = GP_MOVE_BYTES / element, step = MMA_BYTES / element;

	bool swizzled = par[P_UNIT] == UNIT_WGMMA;

	if (swizzled && (!down_of(par) || par[P_COLUMNS] > 256))
		return "wgmma has rows of half the threads, by 64, and columns "
		       "by 64, at most 256";
	if (!down_of(par) || par[P_ROWS] > 256 || par[P_COLUMNS] > 256)
		return "rows must be a multiple of 16, columns of 16, by the "
		       "warps of 32 threads, and both at most 256";
	if (par[P_ROWS] * par[P_COLUMNS] / par[P_THREADS] > 128)
		return "a thread holds at most 128 sums";
	if (par[P_DEPTH] < step || par[P_DEPTH] % step ||
	    par[P_DEPTH] * element > 256)
		return arena_printf(a,
				    "depth must be a multiple of %d, at most "
				    "%d",
				    (int)step, 256 / element);
	if (swizzled && par[P_DEPTH] * element != SWIZZLE_BYTES)
		return arena_printf(a, "wgmma has a depth of %d",
				    SWIZZLE_BYTES / element);
	if (swizzled && par[P_THREADS] > 512)
		return "wgmma has at most 512 threads";
	if (par[P_STAGES] < least_stages(par) || par[P_STAGES] > MMA_MAX_STAGES)
		return arena_printf(a, "stages must be %d to %d",
				    (int)least_stages(par), MMA_MAX_STAGES);
	for (int i = P_ROWS; i <= P_COLUMNS && !swizzled; i++)
		if (!shares_out(par, par[i], par[P_DEPTH], chunk) ||
		    (element == 2 && /* it may lie across k */
		     !shares_out(par, par[P_DEPTH], par[i], chunk)))
			return "a tile of an operand must be shared out evenly "
			       "to the threads";
	if (bytes_of(par, element) > t->block_memory)
		return arena_printf(a,
				    "tiles of %d bytes do not fit the %d that "
				    "a block of threads has",
				    (int)bytes_of(par, element),
				    (int)t->block_memory);
	return NULL;
}

void gp_mma_settle(Arena *a, const Target *t, int element, int64_t *par,
		   const bool *pinned)
{
	static const int64_t depths[] = {128, 64, 32, 256};
	static const int64_t threads[] = {128, 256, 64, 32, 512, 1024};
	bool swizzled = par[P_UNIT] == UNIT_WGMMA;
	int64_t here[P_COUNT];

	for (size_t i = 0; i < ARRAY_LEN(threads); i++)
		for (size_t d = 0; d < ARRAY_LEN(depths); d++) {
			memcpy(here, par, sizeof(here));
			if (!pinned[P_THREADS])
				here[P_THREADS] = threads[i];
			if (!pinned[P_DEPTH])
				here[P_DEPTH] = depths[d] / element;
			if (!pinned[P_STAGES])
				here[P_STAGES] = stages_of(t, here, element);
			/* two warps for a tile of 64 x 64 at most */
			if (!pinned[P_THREADS] && i == 0 && !swizzled &&
			    here[P_ROWS] * here[P_COLUMNS] >
				    64 * here[P_THREADS])
				continue;
			if (gp_mma_legal(a, t, element, here))
				continue;
			memcpy(par, here, sizeof(here));
			return;
		}
}

/* ---- operands -------------------------------------------------------- */

/* Whether the unit takes elements that lie across k. */
static bool turns(const GpuProduct *p, int number)
{
	DType d = program_value(p->l.p, p->v->args[number])->dtype;

	return dtype_info[d].bytes == 2;
}

/* Whether the unit may be fed from where it lies, if the conditions hold. */
static bool lies(GpuProduct *p, int number, MmaOperand *o)
{
	DType d = program_value(p->l.p, p->v->args[number])->dtype;
	int chunk = GP_MOVE_BYTES / dtype_info[d].bytes;

	o->nconds = 0;
	o->along = gp_along_k(p, number);
	if (!o->along && !turns(p, number))
		return false;
	return p->par[P_UNIT] == UNIT_WGMMA
		       ? gp_wgmma_lies(p, number, o)
		       : gp_lies_where(p, number, o->along, chunk, o->conds,
				       &o->nconds);
}

const char *gp_mma_forwards(GpuProduct *p)
{
	for (int i = 0; i < 2; i++) {
		MmaOperand o;
		const char *name = i ? "right" : "left";
		bool good = lies(p, i, &o);
		if (!good && !o.along && !turns(p, i))
			return arena_printf(p->l.arena,
					    "the %s operand does not lie along "
					    "k, and only 16 bits are turned: "
					    "it is staged",
					    name);
		if (!good || o.nconds)
			return arena_printf(
				p->l.arena,
				"the %s operand is computed on its way, or no "
				"rows of it are known to begin at multiples of "
				"16 bytes: it is staged",
				name);
	}
	return NULL;
}

bool gp_mma_packs(GpuProduct *p, int number, const int64_t *dims)
{
	MmaOperand o;
	bool good = lies(p, number, &o);
	int64_t n;

	for (uint32_t i = 0; good && i < o.nconds; i++)
		good = ex_eval_checked(p->t, o.conds[i], dims, NULL, &n) &&
		       n >= 0;
	return !good || p->par[P_OPERANDS] == OPERANDS_STAGED;
}

/* Where a copy's element goes: line and place in the block's tile, and the k
 * and the row or column that they are. */
typedef struct Spot {
	Ex to[3];
	Ex k, wide;
} Spot;

/* Opens the loops over a thread's copies: threads side by side along a line of
 * memory. */
static Spot open_copies(Mma *m, int number)
{
	GpuProduct *p = m->p;
	Lower *l = &p->l;
	ExprTab *t = p->t;
	const MmaOperand *o = &m->in[number];
	int64_t threads = p->par[P_THREADS], depth = p->par[P_DEPTH];
	int64_t wide = gp_wide(p, number);
	int64_t run = o->along ? depth : wide, lines = o->along ? wide : depth;
	int64_t per = run / m->chunk, step = threads / per;
	Spot s;

	Ex tid = lower_for(l, gp_num(p, threads), MAP_VECTOR, (int)threads);
	Ex turn = lower_for(l, gp_num(p, lines / step), MAP_UNROLL, 1);
	s.to[1] = ex_add(t, ex_div(t, tid, gp_num(p, per)),
			 ex_mul(t, turn, gp_num(p, step)));
	s.to[2] =
		ex_mul(t, ex_mod(t, tid, gp_num(p, per)), gp_num(p, m->chunk));
	s.k = s.to[o->along ? 2 : 1];
	s.wide = s.to[o->along ? 1 : 2];
	return s;
}

/* Asks for a block of K of an operand's tile, from where it was packed or as it
 * lies. */
static void ask_from(Mma *m, int number, Ex block, bool packed)
{
	GpuProduct *p = m->p;
	Lower *l = &p->l;
	ExprTab *t = p->t;
	const MmaOperand *o = &m->in[number];
	int chunk = (int)m->chunk;
	const int width[2] = {o->along ? 1 : chunk, o->along ? chunk : 1};
	Ex conds[2];
	uint32_t nconds = 0;
	KOperand from = {0};

	Spot s = open_copies(m, number);
	s.to[0] = ex_mod(t, block, gp_num(p, p->par[P_STAGES]));
	Ex k = ex_add(t, gp_first_k(p, block), s.k);
	Ex place = ex_add(t, number ? p->column : p->row, s.wide);
	if (packed) {
		int n = 0;
		for (; n < p->batch; n++)
			from.index[n] = o->varies[n] ? p->at[n] : gp_num(p, 0);
		from.index[n++] = o->along ? place : k;
		from.index[n++] = o->along ? k : place;
		from.nindex = (uint8_t)n;
		from.buffer = o->packing;
	} else {
		from = gp_place(p, number, place, k);
		nconds = gp_inside(p, number, place, k, width, conds);
	}
	lower_copy(l, o->tile, s.to, &from, chunk, true, conds, nconds);
	lower_end(l);
	lower_end(l);
}

static void ask(Mma *m, int number, Ex block)
{
	const MmaOperand *o = &m->in[number];
	Lower *l = &m->p->l;

	if (!o->nconds) {
		ask_from(m, number, block, o->packed);
		return;
	}
	lower_if(l, o->conds, o->nconds);
	ask_from(m, number, block, false);
	lower_else(l);
	ask_from(m, number, block, true);
	lower_end(l);
}

static void ask_both(Mma *m, Ex block)
{
	GpuProduct *p = m->p;
	Ex there = gp_there(p, block);

	lower_if(&p->l, &there, 1);
	ask(m, 0, block);
	ask(m, 1, block);
	lower_end(&p->l);
}

/* ---- products -------------------------------------------------------- */

void gp_mma_multiply(Mma *m, Ex block, int64_t first, int64_t steps)
{
	GpuProduct *p = m->p;
	Ex zero = gp_num(p, 0), at[5] = {zero, zero, zero, zero, zero};
	int64_t step = MMA_BYTES / dtype_info[m->element].bytes;
	KDot d = {
		.unit = m->unit,
		.before = gp_num(p, 1),
		.rows = p->par[P_ROWS],
		.columns = p->par[P_COLUMNS],
		.steps = gp_num(p, steps),
		.down = m->down,
	};

	for (int i = 0; i < 2; i++) {
		d.in[i].buffer = m->in[i].tile;
		d.in[i].nindex = p->l.k->buffers.p[m->in[i].tile].rank;
		d.in[i].index[0] =
			ex_mod(p->t, block, gp_num(p, p->par[P_STAGES]));
		for (int n = 1; n < d.in[i].nindex; n++)
			d.in[i].index[n] = zero;
		d.turned[i] = !m->in[i].along;
		d.in[i].index[d.in[i].nindex - 1 - d.turned[i]] =
			gp_num(p, first * step);
	}
	lower_dot(&p->l, &d, m->element, m->sums, at, p->l.region->anchor);
}

/* ---- the kernel ------------------------------------------------------ */

/* A ring of tiles of an operand in the block's memory. */
static uint32_t tile_buffer(Mma *m, int number)
{
	GpuProduct *p = m->p;
	bool along = m->in[number].along;
	int64_t wide = gp_wide(p, number), depth = p->par[P_DEPTH];
	Ex shape[3] = {
		gp_num(p, p->par[P_STAGES]),
		gp_num(p, along ? wide : depth),
		gp_num(p, (along ? depth : wide) + m->chunk),
	};

	return lower_buffer(&p->l, SCOPE_WORKER, m->element, shape, 3,
			    number ? "right" : "left");
}

static void buffers(Mma *m)
{
	if (m->unit == UNIT_WGMMA)
		gp_wgmma_buffers(m);
	else
		for (int i = 0; i < 2; i++)
			m->in[i].tile = tile_buffer(m, i);
	gp_mma_sums(m);
}

static const char *note(const Mma *m)
{
	const GpuProduct *p = m->p;
	const char *exact =
		dtype_is_float(p->acc)
			? arena_printf(p->l.arena, "sums in its accumulator %s",
				       acc_kind_name[unit_acc(m->unit, p->acc)])
			: "exact";
	const char *packed = m->in[0].packed && m->in[1].packed
				     ? "both operands"
			     : m->in[0].packed ? "the left operand"
			     : m->in[1].packed ? "the right operand"
					       : "no operand";

	const char *cut = m->element == DT_F32 ? "operands cut off to TF32 by "
						 "@contract(tf32), "
					       : "";

	return arena_printf(p->l.arena,
			    "products by the matrix unit %s, %s%s; a ring of "
			    "%d blocks of K in the block's memory, %s packed "
			    "before%s%s",
			    unit_info[m->unit].name, cut, exact,
			    (int)p->par[P_STAGES], packed,
			    p->par[P_SMALL] ? "; smaller tiles where they "
					      "would be few"
					    : "",
			    gp_split_note(p));
}

static void multiply_all(Mma *m)
{
	GpuProduct *p = m->p;
	Lower *l = &p->l;
	int64_t stages = p->par[P_STAGES];

	for (int64_t i = 0; i + 1 < stages; i++) {
		ask_both(m, gp_num(p, i));
		if (i + 2 < stages)
			lower_wait(l, (int)stages - 2);
	}
	Ex block = lower_for(l, p->blocks, MAP_SERIAL, 1);
	lower_wait(l, (int)stages - 2);
	(void)lower_append(l, ST_BARRIER);
	ask_both(m, ex_add(p->t, block, gp_num(p, stages - 1)));
	gp_mma_multiply(m, block, 0,
			p->par[P_DEPTH] * dtype_info[m->element].bytes /
				MMA_BYTES);
	lower_end(l);
}

/* As large a tile as makes the same use of the same threads, by few columns. */
void gp_mma_small(const Target *t, int element, int64_t *par)
{
	par[P_COLUMNS] = SMALL_COLUMNS;
	par[P_STAGES] = stages_of(t, par, element);
}

/* 1 where tiles are as many as keep most of the processors busy, else 0. */
static Ex is_big(const GpuProduct *p)
{
	ExprTab *t = p->t;
	Ex one = gp_num(p, 1), zero = gp_num(p, 0);
	Ex tiles = ex_mul(t, ex_ceil_div(t, p->m, gp_num(p, p->par[P_ROWS])),
			  ex_ceil_div(t, p->n, gp_num(p, p->par[P_COLUMNS])));

	tiles = ex_mul(t, tiles, gp_num(p, p->par[P_SPLIT]));
	for (int d = 0; d < p->batch; d++)
		tiles = ex_mul(t, tiles, p->v->shape[d]);
	Ex more = ex_sub(t, tiles, gp_num(p, gp_mma_many(p->target) - 1));
	return ex_min(t, ex_max(t, more, zero), one);
}

/* A phase that multiplies, of tiles as p has them. */
static void lower_tiles(Mma *m, const char *name, Ex flag, bool none)
{
	buffers(m);
	gp_tasks(m->p, name, flag);
	gp_mma_clear(m);
	if (!none && m->unit == UNIT_WGMMA)
		gp_wgmma_main(m);
	else if (!none)
		multiply_all(m);
	gp_mma_finish(m);
}

void gp_mma_lower(GpuProduct *p)
{
	Lower *l = &p->l;
	Mma m = {.p = p,
		 .unit = (MatrixUnit)p->par[P_UNIT],
		 .down = down_of(p->par),
		 .block = GP_NO_BLOCK};
	bool none = ex_equals(p->t, p->k, 0);

	m.element = program_value(l->p, p->v->args[0])->dtype;
	m.chunk = GP_MOVE_BYTES / dtype_info[m.element].bytes;
	m.across = p->par[P_THREADS] / MMA_THREADS / m.down;
	for (int d = 0; d < p->batch; d++)
		p->at[d] = gp_num(p, 0);
	for (int i = 0; i < 2 && !none; i++) {
		MmaOperand *o = &m.in[i];
		bool good = lies(p, i, o);
		if (p->par[P_OPERANDS] == OPERANDS_STAGED || !good)
			o->nconds = 0;
		o->packed = p->par[P_OPERANDS] == OPERANDS_STAGED || !good ||
			    o->nconds;
		if (o->packed)
			gp_mma_pack(&m, i);
	}
	Ex big = NO_FLAG;
	if (p->par[P_SMALL])
		big = is_big(p);
	gp_partial_buffer(p);
	lower_tiles(&m, "main", big, none);
	l->k->note = note(&m);
	if (p->par[P_SMALL]) {
		gp_mma_small(p->target, dtype_info[m.element].bytes, p->par);
		p->results = NULL;
		lower_tiles(&m, "small", ex_sub(p->t, gp_num(p, 1), big), none);
	}
	gp_sum_parts(p);
}
