/*
 * contract_model: tile, blocks and forms from the machine's registers and
 * caches.
 *
 * The register tile. A tile of r rows and v vectors takes r*v accumulators, v
 * registers of B and one of A. For each k it issues r*v multiply-adds and
 * r + v loads, two of each a cycle, and no faster than one chain of
 * multiply-adds allows. Of the tiles that fit, the one with the fewest cycles
 * over the whole product wins, tails counted; a large product has none, and
 * the tile of two vectors, which reads least, is taken; one of a row's four
 * where K is so short that storing is most of the work.
 *
 * The form. Packing costs about 1/4 ns an element (1/8 while it stays in
 * cache), a multiply-add of a vector machine 1/50: a product with m rows pays
 * for packing B with 1/m of its time. B is therefore read where it lies if
 * memory runs along n, and packed otherwise: in each task while there are few
 * rows, so that no packed copy leaves the cache, else once by a phase. The
 * same holds for A and n: a tile broadcasts its elements, and finds the line of
 * each row in L1 for 16 steps along k, unless the rows of a tile lie on one set
 * of L1, which has fewer ways than they are: then L2 answers, and only a
 * narrow result is worth that.
 *
 * The blocks of many rows. The block of A (mb x mr x kc) is read anew for each
 * panel of B and takes a quarter of L2: the panels and the sums that pass have
 * as much, and the rest is others'. A panel of B (kc x nr) takes two thirds of
 * L1; one that was packed before comes as a stream, and may be twice as long.
 * Sums move once more for each block of K, so that up to twice as many elements
 * are one; where the sums of many rows fit into L2 too, a task has no more. A
 * task is as wide as makes packing its A worth little. Of a shallow product the
 * result is what moves most: a task's lies in a 16th of L2, so that whole
 * rows leave it together.
 *
 * The blocks of few rows. A panel of packed B is as large, the block of A and
 * the sums of a task an eighth of L2 each. B in place is read in runs of whole
 * rows of a task, kc of them, so that hardware sees few streams at a time: kc
 * is small and nb large. A product of one task lies in cache: it has one block
 * of K where nothing is packed, and blocks of A in half of L1 where A is.
 */
#include "realise/contract.h"

/* Latency of a multiply-add in cycles, on every machine of the last years. */
#define LATENCY 4
/* Tasks of a product of few rows: two for each core of a small machine. */
#define FEW_TASKS 4
/* Columns of a task that make packing A for them alone worth 2 %: 0.35 ns an
 * element of A, for each column a multiply-add of 0.01 ns. */
#define MANY_COLUMNS 2048
/* Vectors of a row of a small result, whose tile is chosen by its tails. */
#define FEW_VECTORS 4
/* Fewer rows than these wait for a B that lies along k, whose columns come one
 * by one: 32 columns and 64 elements of each at a time come 1.2 to 1.4 times as
 * fast as 200 columns and 32 elements, or 32 and 128. */
#define STREAM_ROWS    8
#define STREAM_VECTORS 2
#define STREAM_STEPS   4 /* vectors along k */

/* Tiles below each other that are enough for a task whose sums stay in L2. */
#define SUMS_TILES 16
/* Of a B of so many times L2 the first touch of a panel costs no more than its
 * first tile hides. */
#define NEAR 4

/* Columns of a result for which packing A takes 7 % of the time, and those for
 * which that is more than what rows on one set of L1 cost. */
#define IN_PLACE_COLUMNS 512
#define IN_PLACE_ONE_SET 128
#define L1_WAY           4096 /* bytes from one set to itself again */
/* Elements of K for which moving a result at 7 bytes a cycle takes as long as a
 * third of its multiply-adds. */
#define SHALLOW 96
/* Tiles below each other that pay for packing a panel of B behind one. */
#define SHALLOW_TILES 4

static int64_t at_least_one(int64_t n)
{
	return n < 1 ? 1 : n;
}

static int64_t ceil_div(int64_t a, int64_t b)
{
	return (a + b - 1) / b;
}

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Twice the cycles of one k in a tile of r rows and v vectors. */
static int64_t tile_cycles(int64_t r, int64_t v)
{
	return most(2 * LATENCY, most(r * v, r + v));
}

/* The same over all tiles of m rows and n vectors. */
static int64_t all_cycles(int64_t m, int64_t n, int64_t r, int64_t v)
{
	int64_t rows = m / r, columns = n / v, sum = 0;

	sum += rows * columns * tile_cycles(r, v);
	if (m % r)
		sum += columns * tile_cycles(m % r, v);
	if (n % v)
		sum += rows * tile_cycles(r, n % v);
	if (m % r && n % v)
		sum += tile_cycles(m % r, n % v);
	return sum;
}

/* Whether B comes at memory's pace, each column a stream of its own. */
static bool streams(const Extents *x)
{
	return !x->b_along && !x->b_fixed && x->m >= 0 && x->m < STREAM_ROWS;
}

static void choose_tile(const Target *t, const Extents *x, int64_t *par)
{
	int64_t lanes = t->vector_bytes / x->bytes;
	int64_t registers = t->vector_registers, best = -1;
	int64_t n = ceil_div(most(x->n, 1), lanes);

	par[P_LANES] = lanes;
	par[P_MR] = (registers - 4) / 2;
	par[P_NR] = 2 * lanes;
	if (x->k >= 0 && x->k <= SHALLOW / 4 && n > registers / 8) {
		/* storing is most of the work: longer runs of a row */
		par[P_NR] = registers / 8 * lanes;
		par[P_MR] = (registers - 2) * 8 / registers - 1;
	}
	double macs = (double)x->m * (double)x->n * (double)x->k;
	bool narrow = n <= FEW_VECTORS && macs < TASK_MACS;
	if (x->m < 1 || x->n < 1 || (x->m > FEW_ROWS && !narrow))
		return;
	int64_t widest = streams(x) ? STREAM_VECTORS : registers / 2 - 1;
	for (int64_t v = 1; v <= widest; v++) {
		int64_t r = least((registers - 2 - v) / v, x->m);
		if (r < 1)
			break;
		/* as even as can be */
		r = ceil_div(x->m, ceil_div(x->m, r));
		int64_t cost = all_cycles(x->m, n, r, v);
		if (best >= 0 && cost >= best)
			continue;
		best = cost;
		par[P_MR] = r;
		par[P_NR] = v * lanes;
	}
}

/* Tasks below each other of m rows, a multiple of the CPUs where many. */
static int64_t choose_rows(const Target *t, int64_t m, bool along, int64_t *par)
{
	int64_t tiles = ceil_div(m, par[P_MR]), cpus = at_least_one(t->cpus);
	int64_t down = ceil_div(tiles, par[P_MB]);

	/* a task that transposes B anew had better be one of few */
	int64_t each = along ? 1 : 2;
	down = most(down, least(each * cpus, tiles / FEW_TILES));
	if (down > 1)
		down = ceil_div(down, cpus) * cpus;
	par[P_MB] = ceil_div(tiles, at_least_one(down));
	return ceil_div(tiles, par[P_MB]);
}

/* Blocks of a product of many rows, or of a number that is not known. */
static void choose_blocks(const Target *t, const Extents *x, int64_t *par)
{
	int64_t lanes = par[P_LANES], mr = par[P_MR], nr = par[P_NR];
	int64_t block = t->cache[1] / 4 / x->bytes; /* elements of A's */
	int64_t panel = t->cache[0] * 2 / 3 / (nr * x->bytes);
	int64_t whole = at_least_one(panel / lanes) * lanes * 2;
	int64_t kc = x->b_fixed ? whole : whole / 2;

	if (x->k > 0) {
		/* of one block the sums never leave the registers */
		int64_t blocks = x->k <= whole ? 1 : x->k / kc;
		kc = ceil_div(x->k, blocks);
		kc = ceil_div(kc, lanes) * lanes;
	}
	par[P_KC] = kc;
	par[P_MB] = ceil_div(block, kc * mr);
	/* rows whose sums stay in L2, if those are still many */
	int64_t fit = x->n > 0 ? t->cache[1] * 5 / 8 / x->bytes / mr /
					 (ceil_div(x->n, nr) * nr)
			       : 0;
	if (x->b_along && x->k > kc && fit >= SUMS_TILES)
		par[P_MB] = least(par[P_MB], fit);
	if (x->k >= 0 && x->k <= SHALLOW && x->n > 0) {
		fit = t->cache[1] / 16 / x->bytes / mr / x->n;
		par[P_MB] = least(par[P_MB], most(fit, SHALLOW_TILES));
	}
	int64_t down = x->m > 0 ? choose_rows(t, x->m, !x->b_along, par) : 1;
	int64_t across = ceil_div(2 * at_least_one(t->cpus), down);
	/* unknown rows may be few, and then tasks lie across */
	int64_t columns = x->m > 0 ? MANY_COLUMNS : MANY_COLUMNS / 2;
	int64_t panels = ceil_div(x->n > 0 ? x->n : columns, nr);
	if (down >= t->cpus)
		across = 1;
	across = most(across, panels * nr / columns);
	/* as many tasks for each CPU */
	if (down * across % at_least_one(t->cpus))
		across = ceil_div(across, t->cpus) * t->cpus;
	par[P_NB] = ceil_div(panels, at_least_one(least(panels, across)));
}

/*
 * Whether packing B hides better behind all tiles of a panel than behind the
 * first: where those are many, and B comes from beyond the part of the last
 * cache that a process may count on.
 */
static bool feeds(const Target *t, const Extents *x, const int64_t *par)
{
	double bytes = (double)x->k * (double)x->n * x->bytes;

	if (x->m < 0 || par[P_MB] < FEW_TILES)
		return false;
	return x->k < 0 || x->n < 0 || bytes > NEAR * (double)t->cache[1];
}

/* Whether A is read where it lies: see above. */
static bool in_place(const Extents *x)
{
	int64_t row = x->k * x->bytes, columns = IN_PLACE_COLUMNS;

	if (!x->a_plain || x->m < 0)
		return false;
	if (x->m <= FEW_ROWS)
		return true;
	if (row > 0 && row % L1_WAY == 0)
		columns = IN_PLACE_ONE_SET;
	return x->k >= 0 && x->n >= 0 && x->n <= columns;
}

void contract_model(const Target *t, const Extents *x, int64_t *par)
{
	int64_t l1 = t->cache[0], l2 = t->cache[1];
	bool few = x->m >= 0 && x->m <= FEW_ROWS;
	bool known = x->m >= 0 && x->n >= 0 && x->k >= 0;
	double macs = known ? (double)x->m * (double)x->n * (double)x->k : 0;

	par[P_UNIT] = UNIT_FMA;
	choose_tile(t, x, par);
	if (!few && !(known && macs < TASK_MACS)) {
		choose_blocks(t, x, par);
		par[P_A] = in_place(x) ? PACK_NONE : PACK_TASK;
		int64_t tiles = ceil_div(x->m, par[P_MR]);
		par[P_B] = PACK_PHASE;
		if (x->b_along && !x->b_fixed)
			par[P_B] = feeds(t, x, par) ? PACK_FED : PACK_TASK;
		/* few tasks transpose B sooner than a phase and its memory */
		else if (!x->b_fixed && x->m > 0 &&
			 tiles <= FEW_TASKS * par[P_MB])
			par[P_B] = PACK_TASK;
		return;
	}
	int64_t lanes = par[P_LANES], mr = par[P_MR], nr = par[P_NR];

	par[P_A] = in_place(x) ? PACK_NONE : PACK_TASK;
	par[P_B] = x->b_fixed ? PACK_PHASE : PACK_TASK;
	par[P_KC] = l1 * 2 / 3 / (nr * x->bytes) / lanes * lanes;
	/* of a B that is transposed, the block after this one comes to L1 too,
	 * unless all of it is there */
	if (!x->b_along && !x->b_fixed && (!known || macs >= TASK_MACS))
		par[P_KC] = par[P_KC] / 2 / lanes * lanes;
	if (streams(x))
		par[P_KC] = STREAM_STEPS * lanes;
	if (x->b_plain && x->n >= 0 && (!x->b_fixed || x->m == 1)) {
		/* the first touch of a panel is slow, and hides behind the
		 * multiply-adds of the rows */
		par[P_B] = PACK_NONE;
		par[P_KC] = few ? 4 * lanes : 8 * lanes;
	}
	par[P_KC] = at_least_one(par[P_KC]);
	int64_t k = x->k > 0 ? least(x->k, par[P_KC]) : par[P_KC];
	int64_t mb = at_least_one(l2 / 8 / (mr * k * x->bytes));
	par[P_MB] = least(mb, at_least_one(ceil_div(x->m, mr)));
	par[P_NB] = at_least_one(l2 / 8 / (par[P_MB] * mr * nr * x->bytes));
	if (par[P_B] == PACK_NONE)
		par[P_NB] =
			at_least_one(l2 / 2 / (par[P_MB] * mr * nr * x->bytes));
	if (!known)
		return;
	int64_t tasks = macs < TASK_MACS ? 1 : FEW_TASKS;
	int64_t panels = ceil_div(x->n, nr);
	int64_t nb = least(par[P_NB], ceil_div(panels, tasks));
	par[P_NB] = at_least_one(tasks == 1 ? panels : nb);
	if (tasks == 1)
		par[P_MB] = at_least_one(ceil_div(x->m, mr));
	/* rows of a shallow result that L1 holds */
	if (tasks == 1 && x->k <= SHALLOW && x->n > 0)
		par[P_MB] = least(par[P_MB], most(SHALLOW_TILES,
						  l1 / x->bytes / mr / x->n));
	/* a block of A that is packed, used, and forgotten in L1 */
	if (tasks == 1 && par[P_A] == PACK_TASK)
		par[P_MB] = at_least_one(least(
			par[P_MB], l1 / 2 / at_least_one(mr * k * x->bytes)));
	else if (par[P_B] == PACK_TASK)
		par[P_NB] = 1; /* packed, used, and forgotten in L1 */
	/* all of it lies in cache: sums stay in registers */
	if (tasks == 1 && par[P_A] == PACK_NONE && par[P_B] == PACK_NONE)
		par[P_KC] = at_least_one(x->k);
}
