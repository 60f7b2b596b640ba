/*
 * gpu_contract_end: where a matrix unit leaves its sums, and the end of a tile.
 *
 * A thread has pairs of sums side by side, of rows and columns all over its
 * warp's part of the tile. Where rows of results are whole runs of 16 bytes the
 * lanes of a quad exchange them, so that each has runs of 8, which go to memory
 * from there. Else they go through the block's memory. A part of K leaves its
 * sums as they are.
 */
#include "realise/gpu_contract.h"

#include <string.h>

#define PAIR        2
#define RUN         8
#define RUN_COLUMNS (4 * RUN) /* of four threads side by side */

/* ---- where sums are -------------------------------------------------- */

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

/* Loops over a thread's sums, `width` of them side by side (PAIR or RUN): their
 * indices but for the last one, and the place of the first in the tile. Closed
 * by close_sums(). */
static void open_sums(Mma *m, int64_t width, Ex at[5], Ex place[2])
{
	GpuProduct *p = m->p;
	Lower *l = &p->l;
	ExprTab *t = p->t;
	int64_t threads = p->par[P_THREADS], four = 4 * width;
	int half = width == PAIR ? 3 : 2, column = 5 - half;

	at[0] = lower_for(l, gp_num(p, threads), MAP_VECTOR, (int)threads);
	at[1] = lower_for(l, gp_num(p, warp_rows(m) / MMA_ROWS), MAP_UNROLL, 1);
	for (int d = 2; d < 4; d++) {
		int64_t n = d == half ? 2 : warp_columns(m) / four;
		at[d] = lower_for(l, gp_num(p, n), MAP_UNROLL, 1);
	}
	Ex of_four = warp_place(m, at[0], at[1], at[half], place);
	place[1] = ex_add(t, place[1], ex_mul(t, at[column], gp_num(p, four)));
	place[1] = ex_add(t, place[1], ex_mul(t, of_four, gp_num(p, width)));
	at[4] = gp_num(p, 0);
}

static void close_sums(Mma *m)
{
	for (int i = 0; i < 4; i++)
		lower_end(&m->p->l);
}

void gp_mma_sums(Mma *m)
{
	GpuProduct *p = m->p;
	const Ex shape[5] = {
		gp_num(p, p->par[P_THREADS]),
		gp_num(p, warp_rows(m) / MMA_ROWS),
		gp_num(p, warp_columns(m) / MMA_COLUMNS),
		gp_num(p, 2),
		gp_num(p, PAIR),
	};

	m->sums = lower_buffer(&p->l, SCOPE_REG, p->acc, shape, 5, "sums");
}

void gp_mma_clear(Mma *m)
{
	Ex at[5], place[2];

	open_sums(m, PAIR, at, place);
	at[4] = lower_for(&m->p->l, gp_num(m->p, PAIR), MAP_UNROLL, 1);
	lower_store(&m->p->l, m->sums, at, lower_zero(&m->p->l, m->p->acc));
	lower_end(&m->p->l);
	close_sums(m);
}

/* ---- ends ------------------------------------------------------------ */

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
	open_sums(m, RUN, at, place);
	gp_finish(p, at[0], place[0], place[1], RUN, true, runs, at);
	close_sums(m);
}

/*
 * Columns that the block's memory takes of the sums at a time, where the ring
 * was. Rows are 8 words longer, so that those that half a warp stores to are in
 * different banks.
 */
static int64_t stage_columns(const Mma *m)
{
	const int64_t *par = m->p->par;
	int64_t bytes = par[P_STAGES] *
			gp_mma_stage_bytes(par, dtype_info[m->element].bytes);
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

	open_sums(m, PAIR, at, place);
	Ex to[2] = {place[0], ex_sub(t, place[1], first)};
	Ex here[2] = {to[1], ex_sub(t, gp_num(p, columns - PAIR), to[1])};
	lower_if(&p->l, here, columns < p->par[P_COLUMNS] ? 2 : 0);
	KOperand from = {.buffer = m->sums, .nindex = 5};
	memcpy(from.index, at, sizeof(at));
	lower_copy(&p->l, stage, to, &from, PAIR, false, NULL, 0);
	lower_end(&p->l);
	close_sums(m);
}

/* A run of sums goes to registers first, whole words of it at once. */
static void finish_moved(Mma *m, Ex tid, const Ex at[2], Ex column, int64_t run,
			 uint32_t stage)
{
	GpuProduct *p = m->p;
	Ex shape[2] = {gp_num(p, p->par[P_THREADS]), gp_num(p, run)};
	Ex to[2] = {tid, gp_num(p, 0)};
	KOperand from = {.buffer = stage, .nindex = 2, .index = {at[0], at[1]}};
	int64_t most = GP_MOVE_BYTES / dtype_info[p->acc].bytes;
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
	int64_t down = threads / side;
	while (rows % down)
		down /= 2;
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

	open_sums(m, PAIR, at, place);
	gp_store_part(m->p, place[0], place[1], PAIR, m->sums, at);
	close_sums(m);
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
