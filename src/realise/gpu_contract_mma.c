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

#define COPY_BYTES    16
#define MIN_STAGES    2
#define SMALL_COLUMNS 64
#define RUN           8
#define PACK_LINE     64 /* elements of a line that a block packs, or fewer */
#define PACK_ELEMENTS 8  /* of a thread */
#define NO_BLOCK      UINT32_MAX
#define RUN_COLUMNS   (4 * RUN) /* of four threads side by side */

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
	if (x != y || !unit_takes(u, x, v->acc))
		return arena_printf(a,
				    "%s does not multiply %s and %s with "
				    "acc=%s",
				    name, dtype_info[x].name,
				    dtype_info[y].name,
				    dtype_info[v->acc].name);
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

/* Of a stage, either way the operands lie. */
static int64_t stage_bytes(const int64_t *par, int element)
{
	int64_t sum = 0;

	if (par[P_UNIT] == UNIT_WGMMA)
		return (par[P_ROWS] + par[P_COLUMNS]) * SWIZZLE_BYTES;
	for (int i = P_ROWS; i <= P_COLUMNS; i++) {
		int64_t flat = par[i] * (par[P_DEPTH] * element + COPY_BYTES);
		int64_t turned = par[P_DEPTH] * (par[i] * element + COPY_BYTES);
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

	return par[P_STAGES] * stage_bytes(par, element) + 8 * par[P_THREADS] +
	       own;
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

static double parts_time(const Tile *i, const GpuExtents *x, const Target *t,
			 MatrixUnit u, int element, int64_t parts)
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
	if (per < FIRST_BLOCKS)
		per = FIRST_BLOCKS;
	double time = (double)((n + t->processors - 1) / t->processors * per);
	double far = n > 0 ? far_time(i, x, t, element, n) : 0;
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
		best = LEAST_GAIN * parts_time(*choice, x, t, u, element, 1);
	for (const Tile *i = tiles; i->rows; i++) {
		int64_t n = gp_tile_count(x, i->rows, i->columns);
		for (int64_t s = asked ? parts : 2; s <= x->most_parts; s++) {
			if (!asked &&
			    (n >= t->processors || n * s > 2 * t->processors ||
			     s * depth > x->k))
				break;
			double time = parts_time(i, x, t, u, element, s);
			if (best != 0 && time >= best)
				continue;
			best = time;
			parts = s;
			*choice = i;
		}
	}
	return parts;
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
	/* a block by itself asks as far ahead as it can for what comes from
	 * afar; near operands, and wide tiles, are no faster for it */
	if (u == UNIT_WGMMA && !named && choice->columns <= 128 &&
	    (operand_bytes(x, 0, element) > CACHED_BYTES ||
	     operand_bytes(x, 1, element) > CACHED_BYTES) &&
	    gp_tile_count(x, choice->rows, choice->columns) * par[P_SPLIT] <=
		    t->processors)
		par[P_STAGES] = ring_of(t, par, element, 1, MMA_MAX_STAGES);
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
	int64_t chunk = COPY_BYTES / element, step = MMA_BYTES / element;

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
		    (element == 2 &&
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

/* Whether the unit may be fed from where it lies, if the conditions hold. */
static bool lies(GpuProduct *p, int number, MmaOperand *o)
{
	DType d = program_value(p->l.p, p->v->args[number])->dtype;
	int chunk = COPY_BYTES / dtype_info[d].bytes;

	o->nconds = 0;
	o->along = gp_along_k(p, number);
	if (!o->along && dtype_info[d].bytes != 2)
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
		if (!lies(p, i, &o) || o.nconds)
			return arena_printf(
				p->l.arena,
				"the %s operand is computed on its way, or no "
				"rows of it are known to begin at multiples of "
				"16 bytes: it is staged",
				i ? "right" : "left");
	}
	return NULL;
}

static Ex round_up(const GpuProduct *p, Ex x, int64_t by)
{
	Ex one = gp_num(p, 1), n = gp_num(p, by);
	int64_t c;

	/* memory of nothing has an element all the same */
	if (!ex_is_const(p->t, x, &c) || c < 1)
		x = ex_max(p->t, x, one);
	return ex_mul(p->t, ex_ceil_div(p->t, x, n), n);
}

static Ex lines_of(const Mma *m, int number, bool lines)
{
	const GpuProduct *p = m->p;
	bool k = m->in[number].along != lines;

	return k ? round_up(p, p->k, p->par[P_DEPTH])
		 : round_up(p, number ? p->n : p->m, gp_wide(p, number));
}

/* What a worker packs: so many elements of so many lines. */
static void pack_shape(const Mma *m, int64_t shape[2])
{
	int64_t threads = m->p->l.threads;

	shape[1] = threads < PACK_LINE ? threads : PACK_LINE;
	shape[0] = PACK_ELEMENTS * threads / shape[1];
}

/* Reads element x of an operand, line and place along it, to the worker's
 * block, zero unless the conditions hold. */
static void read_element(Mma *m, int number, const Ex x[2], const Ex *to,
			 const Ex *conds, uint32_t n)
{
	Lower *l = &m->p->l;
	bool along = m->in[number].along;
	Ex index[TN_MAX_RANK];
	ValueId v = gp_operand(m->p, number, x[!along], x[along], index);

	lower_if(l, conds, n);
	lower_store(l, m->block, to, lower_value(l, v, index));
	if (n) {
		lower_else(l);
		lower_store(l, m->block, to, lower_zero(l, m->element));
	}
	lower_end(l);
}

/* The elements of a block, of which the first is at `first`: threads side by
 * side as the operand lies, each with every so many-th line of it. */
static void read_block(Mma *m, int number, const Ex first[2], LoopMap map,
		       const Ex extent[2], const bool *partial)
{
	GpuProduct *p = m->p;
	Lower *l = &p->l;
	ExprTab *t = p->t;
	Ex x[2], to[2], conds[2];
	int64_t shape[2];
	uint32_t n = 0;

	int turned = m->in[number].along != gp_along_k(p, number);
	pack_shape(m, shape);
	int64_t side = shape[!turned];
	int64_t down = l->threads / side;
	Ex tid = lower_for(l, gp_num(p, l->threads), MAP_VECTOR, l->threads);
	Ex turn = lower_for(l, gp_num(p, PACK_ELEMENTS), map, 1);
	to[turned] = ex_add(t, ex_div(t, tid, gp_num(p, side)),
			    ex_mul(t, turn, gp_num(p, down)));
	to[!turned] = ex_mod(t, tid, gp_num(p, side));
	for (int d = 0; d < 2; d++) {
		x[d] = ex_add(t, first[d], to[d]);
		if (partial[d])
			conds[n++] = ex_sub(t, ex_sub(t, extent[d], x[d]),
					    gp_num(p, 1));
	}
	read_element(m, number, x, to, conds, n);
	lower_end(l);
	lower_end(l);
}

/*
 * A block of an operand goes to the worker's memory and from there, 16 bytes a
 * thread, to where it is packed. What is read as it lies, and is there, is
 * asked for all at once.
 */
static void fill_block(Mma *m, int number, const Ex first[2])
{
	static const bool none[2];
	GpuProduct *p = m->p;
	Lower *l = &p->l;
	ExprTab *t = p->t;
	const MmaOperand *o = &m->in[number];
	Ex wide = number ? p->n : p->m;
	const Ex extent[2] = {o->along ? wide : p->k, o->along ? p->k : wide};
	Ex index[TN_MAX_RANK], room[2];
	bool partial[2];
	int64_t shape[2];
	KOperand from;
	uint32_t n = 0;

	pack_shape(m, shape);
	for (int d = 0; d < 2; d++) {
		Ex step = gp_num(p, shape[d]);
		partial[d] = !ex_equals(t, ex_mod(t, extent[d], step), 0);
		if (partial[d])
			room[n++] =
				ex_sub(t, ex_sub(t, extent[d], first[d]), step);
	}
	ValueId v =
		gp_operand(p, number, first[!o->along], first[o->along], index);
	if (!lower_place(l, v, index, &from)) {
		read_block(m, number, first, MAP_SERIAL, extent, partial);
		return;
	}
	lower_if(l, room, n);
	read_block(m, number, first, MAP_UNROLL, extent, none);
	if (n) {
		lower_else(l);
		read_block(m, number, first, MAP_SERIAL, extent, partial);
	}
	lower_end(l);
}

/* Writes an operand to memory, whole tiles of it, k along where it was or the
 * unit cannot turn it. */
static void pack(Mma *m, int number)
{
	GpuProduct *p = m->p;
	Lower *l = &p->l;
	ExprTab *t = p->t;
	MmaOperand *o = &m->in[number];
	Ex shape[K_MAX_RANK], to[K_MAX_RANK], conds[2];
	int64_t of[2];
	int n = 0;
	uint32_t nconds = 0;

	pack_shape(m, of);
	int64_t per = of[1] / m->chunk;
	o->along = gp_along_k(p, number) || m->chunk != 8;
	for (; n < p->batch; n++) {
		o->varies[n] = gp_batch_varies(p, number, n);
		shape[n] = o->varies[n] ? p->v->shape[n] : gp_num(p, 1);
	}
	shape[n] = lines_of(m, number, true);
	shape[n + 1] = lines_of(m, number, false);
	Ex tasks = ex_ceil_div(t, shape[n], gp_num(p, of[0]));
	o->packing = lower_buffer(l, SCOPE_SHARED, m->element, shape,
				  (uint8_t)(n + 2),
				  number ? "packed_b" : "packed_a");
	if (m->block == NO_BLOCK) {
		Ex block[2] = {gp_num(p, of[0]), gp_num(p, of[1] + m->chunk)};
		m->block = lower_buffer(l, SCOPE_WORKER, m->element, block, 2,
					"block");
	}
	lower_phase(l, number ? "pack_b" : "pack_a");
	if (o->nconds) { /* no tasks where it is used as it lies */
		Ex lacks = gp_num(p, 0);
		for (uint32_t i = 0; i < o->nconds; i++)
			lacks = ex_sub(t, lacks, o->conds[i]);
		tasks = ex_mul(t, tasks, ex_min(t, lacks, gp_num(p, 1)));
	}
	for (int d = 0; d < n; d++)
		p->at[d] = to[d] =
			o->varies[d] ? lower_task(l, shape[d]) : gp_num(p, 0);
	to[n] = ex_mul(t, lower_task(l, tasks), gp_num(p, of[0]));
	to[n + 1] =
		lower_task(l, ex_ceil_div(t, shape[n + 1], gp_num(p, of[1])));
	to[n + 1] = ex_mul(t, to[n + 1], gp_num(p, of[1]));
	fill_block(m, number, to + n);
	Ex i = lower_for(l, gp_num(p, of[0] * per), MAP_VECTOR, l->threads);
	KOperand from = {.buffer = m->block, .nindex = 2};
	from.index[0] = ex_div(t, i, gp_num(p, per));
	from.index[1] =
		ex_mul(t, ex_mod(t, i, gp_num(p, per)), gp_num(p, m->chunk));
	for (int d = 0; d < 2; d++) {
		Ex step = gp_num(p, of[d]);
		Ex whole = gp_num(p, d ? m->chunk : 1);
		to[n + d] = ex_add(t, to[n + d], from.index[d]);
		if (!ex_equals(t, ex_mod(t, shape[n + d], step), 0))
			conds[nconds++] = ex_sub(
				t, ex_sub(t, shape[n + d], to[n + d]), whole);
	}
	lower_if(l, conds, nconds);
	lower_copy(l, o->packing, to, &from, (int)m->chunk, false, NULL, 0);
	lower_end(l);
	lower_end(l);
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

/* ---- sums ------------------------------------------------------------ */

/* A warp's rows and columns of the tile. */
static int64_t warp_rows(const Mma *m)
{
	return m->p->par[P_ROWS] / m->down;
}

static int64_t warp_columns(const Mma *m)
{
	return m->p->par[P_COLUMNS] / m->across;
}

/* The place in the tile of row 16 i + 8 h + lane / 4 of the thread's warp, and
 * its first column; returns which of four lanes in a row the thread is. */
static Ex warp_place(const Mma *m, Ex thread, Ex i, Ex h, Ex place[2])
{
	const GpuProduct *p = m->p;
	ExprTab *t = p->t;
	Ex warp = ex_div(t, thread, gp_num(p, MMA_THREADS));
	Ex lane = ex_mod(t, thread, gp_num(p, MMA_THREADS));
	Ex across = gp_num(p, m->across), four = gp_num(p, 4);

	place[0] = ex_mul(t, ex_div(t, warp, across), gp_num(p, warp_rows(m)));
	place[0] = ex_add(t, place[0], ex_mul(t, i, gp_num(p, MMA_ROWS)));
	place[0] = ex_add(t, place[0], ex_mul(t, h, gp_num(p, 8)));
	place[0] = ex_add(t, place[0], ex_div(t, lane, four));
	place[1] =
		ex_mul(t, ex_mod(t, warp, across), gp_num(p, warp_columns(m)));
	return ex_mod(t, lane, four);
}

/* Loops over a thread's pairs of sums: their indices, and the place of the
 * first in the tile. Closed by close_pairs(). */
static void open_pairs(Mma *m, Ex at[5], Ex place[2])
{
	GpuProduct *p = m->p;
	Lower *l = &p->l;
	ExprTab *t = p->t;
	int64_t threads = p->par[P_THREADS];

	at[0] = lower_for(l, gp_num(p, threads), MAP_VECTOR, (int)threads);
	at[1] = lower_for(l, gp_num(p, warp_rows(m) / MMA_ROWS), MAP_UNROLL, 1);
	at[2] = lower_for(l, gp_num(p, warp_columns(m) / MMA_COLUMNS),
			  MAP_UNROLL, 1);
	at[3] = lower_for(l, gp_num(p, 2), MAP_UNROLL, 1);
	Ex of_four = warp_place(m, at[0], at[1], at[3], place);
	place[1] =
		ex_add(t, place[1], ex_mul(t, at[2], gp_num(p, MMA_COLUMNS)));
	place[1] = ex_add(t, place[1], ex_mul(t, of_four, gp_num(p, 2)));
}

static void close_pairs(Mma *m)
{
	for (int i = 0; i < 4; i++)
		lower_end(&m->p->l);
}

void gp_mma_clear(Mma *m)
{
	Ex at[5], place[2];

	open_pairs(m, at, place);
	at[4] = lower_for(&m->p->l, gp_num(m->p, 2), MAP_UNROLL, 1);
	lower_store(&m->p->l, m->sums, at, lower_zero(&m->p->l, m->p->acc));
	lower_end(&m->p->l);
	close_pairs(m);
}

/* As above, of runs of 8 sums side by side. */
static void open_runs(Mma *m, Ex at[5], Ex place[2])
{
	GpuProduct *p = m->p;
	Lower *l = &p->l;
	ExprTab *t = p->t;
	int64_t threads = p->par[P_THREADS];

	at[0] = lower_for(l, gp_num(p, threads), MAP_VECTOR, (int)threads);
	at[1] = lower_for(l, gp_num(p, warp_rows(m) / MMA_ROWS), MAP_UNROLL, 1);
	at[2] = lower_for(l, gp_num(p, 2), MAP_UNROLL, 1);
	at[3] = lower_for(l, gp_num(p, warp_columns(m) / RUN_COLUMNS),
			  MAP_UNROLL, 1);
	Ex of_four = warp_place(m, at[0], at[1], at[2], place);
	place[1] =
		ex_add(t, place[1], ex_mul(t, at[3], gp_num(p, RUN_COLUMNS)));
	place[1] = ex_add(t, place[1], ex_mul(t, of_four, gp_num(p, RUN)));
}

static void finish_runs(Mma *m)
{
	GpuProduct *p = m->p;
	Ex at[5], place[2];
	Ex shape[5] = {
		gp_num(p, p->par[P_THREADS]),
		gp_num(p, warp_rows(m) / MMA_ROWS),
		gp_num(p, 2),
		gp_num(p, warp_columns(m) / RUN_COLUMNS),
		gp_num(p, RUN),
	};
	/* half as much is exchanged of what is rounded */
	bool rounds = p->acc == DT_F32 && dtype_info[p->v->dtype].bytes == 2;
	uint32_t runs =
		lower_buffer(&p->l, SCOPE_REG, rounds ? p->v->dtype : p->acc,
			     shape, 5, "runs");

	lower_runs(&p->l, runs, m->sums, p->l.region->anchor);
	open_runs(m, at, place);
	at[4] = gp_num(p, 0);
	gp_finish(p, at[0], place[0], place[1], RUN, true, runs, at);
	close_pairs(m);
}

/*
 * Columns that the block's memory takes of the sums at a time, where the ring
 * was. Rows are 8 words longer, so that those that half a warp stores to are in
 * different banks.
 */
static int64_t stage_columns(const Mma *m)
{
	const int64_t *par = m->p->par;
	int64_t bytes =
		par[P_STAGES] * stage_bytes(par, dtype_info[m->element].bytes);
	int64_t n = par[P_COLUMNS];

	while (n % (2 * RUN) == 0 && par[P_ROWS] * (n + 8) * 4 > bytes)
		n /= 2;
	return n;
}

static void store_stage(Mma *m, uint32_t stage, Ex first, int64_t columns)
{
	GpuProduct *p = m->p;
	ExprTab *t = p->t;
	Ex at[5], place[2];

	open_pairs(m, at, place);
	at[4] = gp_num(p, 0);
	Ex to[2] = {place[0], ex_sub(t, place[1], first)};
	Ex here[2] = {to[1], ex_sub(t, gp_num(p, columns - 2), to[1])};
	lower_if(&p->l, here, columns < p->par[P_COLUMNS] ? 2 : 0);
	KOperand from = {.buffer = m->sums, .nindex = 5};
	memcpy(from.index, at, sizeof(at));
	lower_copy(&p->l, stage, to, &from, 2, false, NULL, 0);
	lower_end(&p->l);
	close_pairs(m);
}

/* A run of sums goes to registers first, whole words of it at once. */
static void finish_moved(Mma *m, Ex tid, const Ex at[2], Ex column, int64_t run,
			 uint32_t stage)
{
	GpuProduct *p = m->p;
	Ex shape[2] = {gp_num(p, p->par[P_THREADS]), gp_num(p, run)};
	Ex to[2] = {tid, gp_num(p, 0)};
	KOperand from = {.buffer = stage, .nindex = 2, .index = {at[0], at[1]}};
	int64_t most = COPY_BYTES / dtype_info[p->acc].bytes;
	uint32_t moved =
		lower_buffer(&p->l, SCOPE_REG, p->acc, shape, 2, "run");

	for (int64_t i = 0; i < run; i += most) {
		to[1] = gp_num(p, i);
		from.index[1] = ex_add(p->t, at[1], to[1]);
		lower_copy(&p->l, moved, to, &from,
			   (int)(run < most ? run : most), false, NULL, 0);
	}
	to[1] = gp_num(p, 0);
	gp_finish_inside(p, tid, at[0], column, run, true, moved, to);
}

/* Threads side by side along rows, `run` results each; a turn's rows below each
 * other. */
static void finish_stage(Mma *m, uint32_t stage, Ex first, int64_t columns,
			 int64_t run, bool whole)
{
	GpuProduct *p = m->p;
	Lower *l = &p->l;
	ExprTab *t = p->t;
	int64_t threads = p->par[P_THREADS], rows = p->par[P_ROWS], side = 1;
	Ex at[2], zero = gp_num(p, 0);

	while (columns / run % (2 * side) == 0 && 2 * side <= threads)
		side *= 2;
	int64_t down = threads / side < rows ? threads / side : rows;
	Ex by = gp_num(p, down), turns = gp_num(p, rows / down);
	Ex tid = lower_for(l, gp_num(p, side * down), MAP_VECTOR, (int)threads);
	Ex part = lower_for(l, gp_num(p, columns / run / side), MAP_SERIAL, 1);
	at[0] = ex_div(t, tid, gp_num(p, side));
	at[1] = ex_add(t, ex_mul(t, part, gp_num(p, side)),
		       ex_mod(t, tid, gp_num(p, side)));
	at[1] = ex_mul(t, at[1], gp_num(p, run));
	Ex column = ex_add(t, first, at[1]);
	Ex there = ex_sub(t, p->n, ex_add(t, p->column, column));
	there = ex_sub(t, there, gp_num(p, run));
	lower_if(l, &there, gp_whole(p, 1) ? 0 : 1);
	if (!gp_whole(p, 0)) { /* rows that there are */
		Ex left = ex_sub(t, p->m, ex_add(t, p->row, at[0]));
		left = ex_max(t, ex_ceil_div(t, left, by), zero);
		turns = ex_min(t, turns, left);
	}
	at[0] = ex_add(t, at[0],
		       ex_mul(t, lower_for(l, turns, MAP_SERIAL, 1), by));
	if (whole)
		finish_moved(m, tid, at, column, run, stage);
	else
		gp_finish_inside(p, tid, at[0], column, 1, false, stage, at);
	for (int i = 0; i < 4; i++)
		lower_end(l);
}

/*
 * Where not all rows of results are known to be whole runs: sums go through the
 * block's memory, so that threads side by side finish elements, or what runs
 * there are, side by side.
 */
static void finish_staged(Mma *m, const Ex *conds, uint32_t n)
{
	GpuProduct *p = m->p;
	Lower *l = &p->l;
	int64_t columns = stage_columns(m), run = RUN;
	Ex shape[2] = {gp_num(p, p->par[P_ROWS]), gp_num(p, columns + 8)};
	uint32_t stage =
		lower_buffer(l, SCOPE_WORKER, p->acc, shape, 2, "stage");

	l->k->buffers.p[stage].late = true;
	if (m->unit == UNIT_MMA) /* boxes have all been waited for */
		lower_wait(l, 0);
	Ex chunk = lower_for(l, gp_num(p, p->par[P_COLUMNS] / columns),
			     MAP_SERIAL, 1);
	Ex first = ex_mul(p->t, chunk, gp_num(p, columns));
	store_stage(m, stage, first, columns);
	(void)lower_append(l, ST_BARRIER);
	if (n) {
		lower_if(l, conds, n);
		finish_stage(m, stage, first, columns, run, true);
		lower_else(l);
		run /= 2;
	}
	while (run > 1 && !gp_stores_runs(p, run, NULL, NULL))
		run /= 2;
	if (n)
		p->results = NULL; /* of another width */
	finish_stage(m, stage, first, columns, run, run > 1);
	if (n)
		lower_end(l);
	lower_end(l);
}

static void store_part(Mma *m)
{
	Ex at[5], place[2];

	open_pairs(m, at, place);
	at[4] = gp_num(m->p, 0);
	gp_store_part(m->p, place[0], place[1], 2, m->sums, at);
	close_pairs(m);
}

/* By runs of results, which are 16 bytes and more, where rows are whole runs.
 */
void gp_mma_finish(Mma *m)
{
	GpuProduct *p = m->p;
	Ex conds[GP_DIMS];
	uint32_t n = 0;

	if (p->par[P_SPLIT] > 1) {
		store_part(m);
		return;
	}
	bool runs = gp_stores_runs(p, RUN, conds, &n);
	if (runs && !n && warp_columns(m) % RUN_COLUMNS == 0)
		finish_runs(m);
	else
		finish_staged(m, conds, runs ? n : 0);
}

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
	GpuProduct *p = m->p;
	Ex sums[5] = {
		gp_num(p, p->par[P_THREADS]),
		gp_num(p, warp_rows(m) / MMA_ROWS),
		gp_num(p, warp_columns(m) / MMA_COLUMNS),
		gp_num(p, 2),
		gp_num(p, 2),
	};

	if (m->unit == UNIT_WGMMA)
		gp_wgmma_buffers(m);
	else
		for (int i = 0; i < 2; i++)
			m->in[i].tile = tile_buffer(m, i);
	m->sums = lower_buffer(&p->l, SCOPE_REG, p->acc, sums, 5, "sums");
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

	return arena_printf(p->l.arena,
			    "products by the matrix unit %s, %s; a ring of "
			    "%d blocks of K in the block's memory, %s packed "
			    "before%s%s",
			    unit_info[m->unit].name, exact,
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
	Ex more =
		ex_sub(t, tiles, gp_num(p, p->target->processors * 3 / 4 - 1));
	return ex_min(t, ex_max(t, more, zero), one);
}

/* As large a tile as makes the same use of the same threads, by few columns. */
static void set_small(Mma *m)
{
	GpuProduct *p = m->p;

	p->par[P_COLUMNS] = SMALL_COLUMNS;
	p->par[P_STAGES] =
		stages_of(p->target, p->par, dtype_info[m->element].bytes);
	p->results = NULL;
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
		 .block = NO_BLOCK};
	bool none = ex_equals(p->t, p->k, 0);

	m.element = program_value(l->p, p->v->args[0])->dtype;
	m.chunk = COPY_BYTES / dtype_info[m.element].bytes;
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
			pack(&m, i);
	}
	Ex big = NO_FLAG;
	if (p->par[P_SMALL])
		big = is_big(p);
	gp_partial_buffer(p);
	lower_tiles(&m, "main", big, none);
	l->k->note = note(&m);
	if (p->par[P_SMALL]) {
		set_small(&m);
		lower_tiles(&m, "small", ex_sub(p->t, gp_num(p, 1), big), none);
	}
	gp_sum_parts(p);
}
