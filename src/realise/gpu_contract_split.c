/*
 * gpu_contract_split: a product whose K is split.
 *
 * Where the tiles of a result are fewer than multiprocessors, blocks of K are
 * dealt in turn to parts, so that none has two more than another, and a task is
 * a part of a tile. It leaves its sums in memory, in the accumulator's dtype; a
 * phase after it adds the parts of each element, the first one first, and does
 * what follows the product. So the bits of a result depend on the plan alone. A
 * part that has no blocks leaves zeros.
 *
 * The scheme is the "parallel reduction splitK" of NVIDIA, CUTLASS 2.x,
 * efficient_gemm.md, with the order of the additions fixed.
 */
#include "realise/gpu_contract.h"

#include <string.h>

static bool is_split(const GpuProduct *p)
{
	return p->par[P_SPLIT] > 1;
}

/* Measured on an H200: one more launch, and bytes in a microsecond. */
#define LAUNCH_TIME 1.0
#define SUM_RATE    4.5e6

double gp_split_time(const GpuExtents *x, int bytes, int64_t parts)
{
	double all = (double)(x->batch * x->m) * (double)(x->n * bytes * parts);

	return parts > 1 ? LAUNCH_TIME + 2 * all / SUM_RATE : 0;
}

const char *gp_split_note(const GpuProduct *p)
{
	if (!is_split(p))
		return "";
	return arena_printf(p->l.arena,
			    "; K in %d parts, whose sums a phase after it adds "
			    "in order",
			    (int)p->par[P_SPLIT]);
}

/* ---- parts ----------------------------------------------------------- */

static Ex all_blocks(const GpuProduct *p)
{
	return ex_ceil_div(p->t, p->k, gp_num(p, p->par[P_DEPTH]));
}

void gp_take_part(GpuProduct *p)
{
	ExprTab *t = p->t;
	Ex parts = gp_num(p, p->par[P_SPLIT]), left = all_blocks(p);

	p->part = lower_task(&p->l, parts);
	if (!gp_divides(p, p->par[P_SPLIT], left))
		left = ex_sub(t, left, p->part);
	p->blocks = ex_ceil_div(t, left, parts);
}

/* The number in K of a block of the part. */
static Ex number_of(const GpuProduct *p, Ex block)
{
	Ex parts = gp_num(p, p->par[P_SPLIT]);

	return ex_add(p->t, p->part, ex_mul(p->t, block, parts));
}

Ex gp_first_k(const GpuProduct *p, Ex block)
{
	return ex_mul(p->t, number_of(p, block), gp_num(p, p->par[P_DEPTH]));
}

Ex gp_there(const GpuProduct *p, Ex block)
{
	Ex last = ex_sub(p->t, all_blocks(p), gp_num(p, 1));

	return ex_sub(p->t, last, number_of(p, block));
}

/* Elements of a row of the partial sums: whole tiles. */
static Ex row_of(const GpuProduct *p)
{
	Ex columns = gp_num(p, p->par[P_COLUMNS]);

	return ex_mul(p->t, ex_ceil_div(p->t, p->n, columns), columns);
}

void gp_partial_buffer(GpuProduct *p)
{
	Ex shape[K_MAX_RANK] = {gp_num(p, p->par[P_SPLIT])};
	int n = 1;

	if (!is_split(p))
		return;
	for (int d = 0; d < p->batch; d++)
		shape[n++] = p->v->shape[d];
	shape[n++] = p->m;
	shape[n++] = row_of(p);
	p->partial = lower_buffer(&p->l, SCOPE_SHARED, p->acc, shape,
				  (uint8_t)n, "partial");
}

/* Where a part's sum of an element lies. */
static KOperand place_of(const GpuProduct *p, Ex part, Ex row, Ex column)
{
	KOperand o = {.buffer = p->partial, .index = {part}};

	o.nindex = p->l.k->buffers.p[p->partial].rank;
	memcpy(o.index + 1, p->at, (size_t)p->batch * sizeof(Ex));
	o.index[p->batch + 1] = row;
	o.index[p->batch + 2] = column;
	return o;
}

/* Conditions of a run's being in the memory of a part, which are not known to
 * hold for every tile. Returns their number. */
static uint32_t inside(const GpuProduct *p, Ex row, Ex column, int64_t run,
		       Ex conds[2])
{
	const KBuffer *b = &p->l.k->buffers.p[p->partial];
	Ex width = b->shape[b->rank - 1];
	uint32_t n = 0;

	if (!gp_divides(p, p->par[P_ROWS], p->m))
		conds[n++] =
			ex_sub(p->t, ex_sub(p->t, p->m, row), gp_num(p, 1));
	if (!gp_divides(p, p->par[P_COLUMNS], width))
		conds[n++] = ex_sub(p->t, ex_sub(p->t, width, column),
				    gp_num(p, run));
	return n;
}

void gp_store_part(GpuProduct *p, Ex row, Ex column, int64_t run, uint32_t sums,
		   const Ex *at)
{
	Lower *l = &p->l;
	KOperand from = {.buffer = sums, .nindex = l->k->buffers.p[sums].rank};
	Ex conds[2];

	row = ex_add(p->t, p->row, row);
	column = ex_add(p->t, p->column, column);
	memcpy(from.index, at, from.nindex * sizeof(Ex));
	KOperand to = place_of(p, p->part, row, column);
	lower_if(l, conds, inside(p, row, column, run, conds));
	if (run > 1)
		lower_copy(l, p->partial, to.index, &from, (int)run, false,
			   NULL, 0);
	else
		lower_store(l, p->partial, to.index,
			    lower_load(l, sums, from.index));
	lower_end(l);
}

/* ---- their sum ------------------------------------------------------- */

/* Threads side by side along a row. */
static int64_t across_of(const GpuProduct *p, int64_t run)
{
	int64_t across = p->par[P_THREADS], n;

	if (!ex_is_const(p->t, p->n, &n))
		return 32;
	while (across > 1 && across / 2 * run >= n)
		across /= 2;
	return across;
}

static void bring(GpuProduct *p, uint32_t to, Ex tid, const KOperand *from,
		  int64_t run)
{
	Ex at[2] = {tid, gp_num(p, 0)};

	if (run > 1)
		lower_copy(&p->l, to, at, from, (int)run, false, NULL, 0);
	else
		lower_store(&p->l, to, at,
			    lower_load(&p->l, from->buffer, from->index));
}

/* The sums of one run of elements of each thread, and what follows. */
static void sum_runs(GpuProduct *p, int64_t parts, int64_t run, int64_t across,
		     bool whole)
{
	Lower *l = &p->l;
	ExprTab *t = p->t;
	int64_t threads = p->par[P_THREADS];
	Ex shape[2] = {gp_num(p, threads), gp_num(p, run)}, conds[2];
	uint32_t sums = lower_buffer(l, SCOPE_REG, p->acc, shape, 2, "sums");
	uint32_t next = lower_buffer(l, SCOPE_REG, p->acc, shape, 2, "next");

	Ex tid = lower_for(l, gp_num(p, threads), MAP_VECTOR, (int)threads);
	Ex own = ex_div(t, tid, gp_num(p, across));
	Ex side = ex_mul(t, ex_mod(t, tid, gp_num(p, across)), gp_num(p, run));
	Ex row = ex_add(t, p->row, own), column = ex_add(t, p->column, side);
	lower_if(l, conds, inside(p, row, column, run, conds));
	KOperand from = place_of(p, gp_num(p, 0), row, column);
	bring(p, sums, tid, &from, run);
	Ex part = lower_for(l, gp_num(p, parts - 1), MAP_UNROLL, 1);
	from = place_of(p, ex_add(t, part, gp_num(p, 1)), row, column);
	bring(p, next, tid, &from, run);
	Ex at[2] = {tid, lower_for(l, gp_num(p, run), MAP_UNROLL, 1)};
	VarId x[2] = {lower_load(l, sums, at), lower_load(l, next, at)};
	lower_store(l, sums, at,
		    lower_op(l, OP_ADD, p->acc, p->acc, x, 2, NO_VALUE));
	lower_end(l);
	lower_end(l);
	at[1] = gp_num(p, 0);
	gp_finish(p, tid, own, side, run, whole, sums, at);
	lower_end(l);
	lower_end(l);
}

void gp_sum_parts(GpuProduct *p)
{
	Lower *l = &p->l;
	int64_t parts = p->par[P_SPLIT], run = gp_run(p->acc);
	int64_t across = across_of(p, run);
	Ex conds[GP_DIMS];
	uint32_t n = 0;

	if (!is_split(p))
		return;
	p->par[P_SPLIT] = 1;
	p->par[P_ROWS] = p->par[P_THREADS] / across;
	p->par[P_COLUMNS] = across * run;
	p->results = NULL;
	gp_tasks(p, "sum", NO_FLAG);
	bool whole = gp_stores_runs(p, run, conds, &n);
	if (!whole)
		n = 0;
	lower_if(l, conds, n);
	sum_runs(p, parts, run, across, whole);
	if (n) {
		lower_else(l);
		sum_runs(p, parts, run, across, false);
	}
	lower_end(l);
}
