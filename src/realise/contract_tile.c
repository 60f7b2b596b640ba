/*
 * contract_tile: the register tile, and what follows it.
 *
 * A task is a block of mb x nb tiles. K is folded kc elements at a time, so
 * that the panels of a block stay in cache; between two such blocks of K the
 * sums of every tile lie in the task's scratch, in the accumulator's dtype.
 * A sum therefore adds its products one by one in the order of k, whatever
 * kc is, and its bits depend on its own row and column only: row_invariant
 * holds by construction, as does independence of the number of workers.
 */
#include "realise/contract.h"

#include <string.h>

/* Statements of an unrolled epilogue, at most: more would cost more time to
 * compile than a pass over the tile in scratch takes. */
#define DIRECT_MOST 128
/* Multiply-adds of a tile whose loop along K is written out, at most. */
#define UNROLL_MOST 256

/*
 * Steps along K for which B is asked ahead where it lies: 32 steps of a tile
 * take some 150 ns, in which any cache answers.
 */
#define AHEAD 32

void contract_tile_index(const Block *b, Ex i, Ex j, Ex *out)
{
	int n = 0;

	if (b->keeps) {
		/* tiles below each other follow each other in memory */
		out[n++] = b->at[1];
		out[n++] = b->at[0];
	}
	out[n++] = i;
	out[n] = j;
}

void contract_tile_for(Product *p, const Block *b, Ex at[static 2])
{
	at[0] = lower_for(&p->l, ex_const(p->t, b->rows), MAP_UNROLL, 1);
	at[1] = lower_for(&p->l, ex_const(p->t, b->columns), MAP_VUNROLL,
			  (int)p->par[P_LANES]);
}

static void tile_end(Product *p)
{
	lower_end(&p->l);
	lower_end(&p->l);
}

/* What the blocks of K before this one left into the registers, or zeros. */
static void tile_start(Product *p, const Block *b)
{
	Lower *l = &p->l;
	Ex at[2], from[4], later = ex_sub(p->t, b->kk, ex_const(p->t, 1));

	if (b->resumes) {
		lower_if(l, &later, 1);
		contract_tile_for(p, b, at);
		contract_tile_index(b, at[0], at[1], from);
		lower_store(l, b->acc, at, lower_load(l, b->tile, from));
		/* and soon those of the tile below */
		from[1] = ex_add(p->t, from[1], ex_const(p->t, 1));
		lower_ask(l, b->tile, from);
		tile_end(p);
		lower_else(l);
	}
	contract_tile_for(p, b, at);
	lower_store(l, b->acc, at, lower_zero(l, p->acc));
	tile_end(p);
	if (b->resumes)
		lower_end(l);
}

void contract_tile_keep(Product *p, const Block *b)
{
	Lower *l = &p->l;
	Ex at[2], to[4];

	contract_tile_for(p, b, at);
	contract_tile_index(b, at[0], at[1], to);
	lower_store(l, b->tile, to, lower_load(l, b->acc, at));
	tile_end(p);
}

void contract_tiles_clear(Product *p, Block *b, Ex rows, Ex columns)
{
	Lower *l = &p->l;
	Ex mr = ex_const(p->t, p->par[P_MR]), nr = ex_const(p->t, p->par[P_NR]);
	Ex to[4];

	b->at[1] = lower_for(l, columns, MAP_SERIAL, 1);
	b->at[0] = lower_for(l, rows, MAP_SERIAL, 1);
	Ex i = lower_for(l, mr, MAP_SERIAL, 1);
	Ex j = lower_for(l, nr, MAP_VUNROLL, (int)p->par[P_LANES]);
	contract_tile_index(b, i, j, to);
	lower_store(l, b->tile, to, lower_zero(l, p->acc));
	for (int n = 0; n < 4; n++)
		lower_end(l);
}

VarId contract_load_a(Product *p, const Block *b, const KAt *k, Ex i)
{
	Ex from[K_MAX_RANK];

	if (p->a.where == PACK_HELD)
		return contract_held(p, b, k, i);
	if (p->a.where == PACK_NONE)
		return contract_element(p, &p->a, b->batch,
					ex_add(p->t, b->row, i), k, false);
	contract_packed(p, &p->a, b->batch, b->pa, k, i, from);
	return lower_load(&p->l, p->a.buffer, from);
}

VarId contract_load_b(Product *p, const Block *b, const KAt *k, Ex j)
{
	Ex from[K_MAX_RANK];

	if (p->b.where == PACK_NONE)
		return contract_element(p, &p->b, b->batch,
					ex_add(p->t, b->column, j), k, false);
	contract_packed(p, &p->b, b->batch, b->pb, k, j, from);
	return lower_load(&p->l, p->b.buffer, from);
}

/* An element of B where it lies, which goes to the panel as well. */
static VarId fill_b(Product *p, const Block *b, const KAt *k, Ex j)
{
	Ex to[K_MAX_RANK];

	VarId v =
		contract_element(p, &p->b, b->batch, ex_add(p->t, b->column, j),
				 k, contract_guarded(p, &p->b));
	contract_packed(p, &p->b, b->batch, b->pb, k, j, to);
	lower_store(&p->l, p->b.buffer, to, v);
	return v;
}

LoopMap contract_fold_map(const Product *p, const Block *b, int64_t vectors)
{
	int64_t k = 0, most = KERNEL_MAX_UNROLL / p->par[P_LANES];

	if (most > UNROLL_MOST)
		most = UNROLL_MOST;
	return !b->keeps && ex_is_const(p->t, b->length, &k) &&
			       k * vectors <= most
		       ? MAP_UNROLL
		       : MAP_SERIAL;
}

void contract_step(Product *p, const Block *b, uint32_t row, const KAt *k,
		   bool fill)
{
	Lower *l = &p->l;
	int lanes = (int)p->par[P_LANES];
	Ex rows = ex_const(p->t, b->rows), columns = ex_const(p->t, b->columns);
	Ex at[2];

	if (fill) {
		KAt later = {k->block,
			     ex_add(p->t, k->in, ex_const(p->t, AHEAD))};
		contract_ask_row(p, &p->b, b->batch, b->column, &later);
	}
	Ex j = lower_for(l, columns, MAP_VUNROLL, lanes);
	lower_store(l, row, &j,
		    fill ? fill_b(p, b, k, j) : contract_load_b(p, b, k, j));
	lower_end(l);
	at[0] = lower_for(l, rows, MAP_UNROLL, 1);
	VarId x = contract_load_a(p, b, k, at[0]);
	at[1] = lower_for(l, columns, MAP_VUNROLL, lanes);
	VarId y = lower_load(l, row, &at[1]);
	VarId sum = lower_load(l, b->acc, at);
	lower_store(l, b->acc, at, lower_mac(l, p->acc, x, y, sum));
	lower_end(l);
	lower_end(l);
}

/* Adds one block of K to the registers; fill: and packs B's panel. */
static void fold_block(Product *p, const Block *b, uint32_t row, LoopMap map,
		       bool fill)
{
	KAt k = {b->kk, lower_for(&p->l, b->length, map, 1)};

	contract_step(p, b, row, &k, fill);
	lower_end(&p->l);
}

void contract_tile_fold(Product *p, Block *b)
{
	Lower *l = &p->l;
	int64_t lanes = p->par[P_LANES];
	int64_t wide = (b->columns + lanes - 1) / lanes * lanes;
	Ex shape[2] = {ex_const(p->t, b->rows), ex_const(p->t, wide)};
	/* a tile that packs B handles whole panels besides */
	int64_t vectors = b->rows * (wide / lanes);
	if (b->fills && vectors * lanes < p->b.wide)
		vectors = p->b.wide / lanes;
	LoopMap map = contract_fold_map(p, b, vectors);
	uint32_t row;

	b->acc = lower_buffer(l, SCOPE_REG, p->acc, shape, 2, "acc");
	row = lower_buffer(l, SCOPE_REG, p->acc, &shape[1], 1, "brow");
	tile_start(p, b);
	if (b->feeds && b->columns == p->b.wide) {
		contract_feed_fold(p, b, row);
		return;
	}
	if (!b->fills) {
		fold_block(p, b, row, map, false);
		return;
	}
	Ex first = ex_sub(p->t, ex_const(p->t, 0), b->at[0]);
	bool always = ex_equals(p->t, first, 0);
	lower_if(l, &first, 1);
	fold_block(p, b, row, map, true);
	if (!always) {
		lower_else(l);
		fold_block(p, b, row, map, false);
	}
	lower_end(l);
}

void contract_tile_dot(Product *p, const Block *b)
{
	Ex to[4], zero = ex_const(p->t, 0);

	contract_tile_index(b, zero, zero, to);
	DotTile dot = {b->pa, b->pb, b->kk, b->tile, to};
	contract_dot_fold(p, b->batch, &dot);
}

/* The product's boundary may go only where its def asks for it and nobody
 * but this tile sees the value. */
static bool drops_boundary(const Product *p, ValueId id)
{
	const Region *reg = p->l.region;

	if (!(p->v->relax & RELAX_SINGLE_ROUNDING))
		return false;
	for (size_t i = 0; i < reg->outputs.n; i++)
		if (reg->outputs.p[i] == id)
			return false;
	for (size_t i = 0; i < reg->values.n; i++)
		if (p->l.r->part[reg->values.p[i]] == PART_ANCHOR &&
		    region_held(p->l.r, reg->values.p[i]) == id)
			return false;
	return p->acc == DT_F32 && dtype_info[p->v->dtype].bytes == 2 &&
	       dtype_is_float(p->v->dtype);
}

void contract_bind(Product *p, ValueId id, VarId sum, const Ex *index)
{
	Lower *l = &p->l;

	sum = drops_boundary(p, id)
		      ? lower_keep(l, p->v->dtype, sum, id)
		      : lower_round(l, p->v->dtype, p->acc, sum, id);
	lower_bind(l, id, index, sum);
}

/* Evaluates what follows the product, of one sum, at its index. */
static void element_finish(Product *p, VarId sum, const Ex *index)
{
	contract_bind(p, p->l.region->anchor, sum, index);
	lower_epilogue(&p->l, index);
}

/* The same on the finished tile: in registers, or in scratch. */
static void tile_finish(Product *p, const Block *b)
{
	Lower *l = &p->l;
	Ex rows = ex_const(p->t, b->rows), columns = ex_const(p->t, b->columns);
	Ex at[2], from[4], index[TN_MAX_RANK];

	if (b->direct) {
		contract_tile_for(p, b, at);
	} else {
		rows = ex_min(p->t, rows, ex_sub(p->t, p->m, b->row));
		columns = ex_min(p->t, columns, ex_sub(p->t, p->n, b->column));
		at[0] = lower_for(l, rows, MAP_SERIAL, 1);
		at[1] = lower_for(l, columns,
				  p->plain ? MAP_SERIAL : MAP_VECTOR,
				  p->plain ? 1 : (int)p->par[P_LANES]);
	}
	memcpy(index, b->batch, (size_t)p->batch * sizeof(Ex));
	index[p->batch + p->turned] = ex_add(p->t, b->row, at[0]);
	index[p->batch + 1 - p->turned] = ex_add(p->t, b->column, at[1]);
	contract_tile_index(b, at[0], at[1], from);
	element_finish(p,
		       b->direct ? lower_load(l, b->acc, at)
				 : lower_load(l, b->tile, from),
		       index);
	tile_end(p);
}

bool contract_is_direct(const Product *p, const int *of, int step)
{
	const Region *reg = p->l.region;
	int64_t n, lanes = p->par[P_LANES];
	int64_t copies = p->par[P_MR] * (p->par[P_NR] / lanes), each = 1;

	if (p->plain || p->unit != UNIT_FMA || !ex_is_const(p->t, p->m, &n) ||
	    !ex_is_const(p->t, p->n, &n))
		return false;
	for (size_t i = 0; i < reg->values.n; i++) {
		ValueId id = reg->values.p[i];
		const OpInfo *op = &op_info[program_value(p->l.p, id)->op];
		if (p->l.r->part[id] != PART_EPILOGUE || op->cls == OPC_VIEW ||
		    (of && of[id] != step))
			continue;
		if (op->ulp > 0)
			return false;
		each++;
	}
	return copies * each <= DIRECT_MOST;
}

int contract_spans(Product *p, const Packed *x, Ex first, Ex count, Span out[2])
{
	ExprTab *t = p->t;
	int64_t n = 0, size = x->wide;
	int used = 0;

	bool known = ex_is_const(t, x->extent, &n);
	if (known && n == 0)
		return 0;
	/* a unit has tiles of one size: its panels are filled up */
	if (p->unit != UNIT_FMA || !known || n % size == 0) {
		out[0] = (Span){.size = size, .first = first, .count = count};
		return 1;
	}
	Ex whole = ex_const(t, n / size);
	Ex end = ex_add(t, first, count);
	Ex full = ex_sub(t, ex_min(t, end, whole), ex_min(t, first, whole));
	if (n >= size)
		out[used++] =
			(Span){.size = size, .first = first, .count = full};
	out[used++] = (Span){
		.size = n % size,
		.first = whole,
		.count = ex_sub(t, count, full),
		.last = true,
	};
	return used;
}

/* One tile, at rows b->pa and columns b->pb of the panels. */
static void block_tile(Product *p, Block *b, Ex i0, Ex j0, const Span *rows,
		       const Span *columns)
{
	Lower *l = &p->l;
	ExprTab *t = p->t;
	Ex mb = ex_const(t, p->par[P_MB]), nb = ex_const(t, p->par[P_NB]);
	Ex one = ex_const(t, 1);

	b->rows = rows->size;
	b->columns = columns->size;
	b->row = ex_mul(t, b->pa, ex_const(t, p->a.wide));
	b->column = ex_mul(t, b->pb, ex_const(t, p->b.wide));
	b->at[0] = ex_sub(t, b->pa, i0);
	b->at[1] = ex_sub(t, b->pb, j0);
	/* always so where the loops run: what a last tile's place is proved
	 * by, which is known by its count alone */
	Ex inside[4] = {b->at[0], ex_sub(t, mb, ex_add(t, b->at[0], one)),
			b->at[1], ex_sub(t, nb, ex_add(t, b->at[1], one))};
	bool guarded = rows->last || columns->last;
	if (guarded)
		lower_if(l, inside, 4);
	size_t first = l->at->n, made;
	Ex last = ex_sub(t, ex_add(t, b->kk, one), p->blocks);
	if (p->unit != UNIT_FMA)
		contract_tile_dot(p, b);
	else
		contract_tile_fold(p, b);
	if (p->unit == UNIT_FMA && !b->direct)
		contract_tile_keep(p, b);
	if (b->keeps)
		lower_if(l, &last, 1);
	tile_finish(p, b);
	if (b->keeps && b->direct) {
		lower_else(l);
		contract_tile_keep(p, b);
	}
	if (b->keeps)
		lower_end(l);
	if (p->asks) {
		made = l->at->n;
		tile_finish(p, b);
		contract_ask_finish(p, first, made, last);
	}
	if (guarded)
		lower_end(l);
}

void contract_main(Product *p)
{
	Lower *l = &p->l;
	ExprTab *t = p->t;
	Ex mb = ex_const(t, p->par[P_MB]), nb = ex_const(t, p->par[P_NB]);
	Ex one = ex_const(t, 1), batch[TN_MAX_RANK], shape[4] = {nb, mb};
	Block b = {.batch = batch,
		   .keeps = !ex_equals(t, p->blocks, 1),
		   .direct = contract_is_direct(p, NULL, 0)};

	b.resumes = b.keeps;
	Span rs[2], cs[2];

	shape[b.keeps ? 2 : 0] = ex_const(t, p->par[P_MR]);
	shape[b.keeps ? 3 : 1] = ex_const(t, p->par[P_NR]);
	if (b.keeps || !b.direct)
		b.tile = lower_buffer(l, SCOPE_WORKER, p->acc, shape,
				      b.keeps ? 4 : 2, "tile");
	if (p->a.where == PACK_TASK)
		contract_pack_scratch(p, &p->a, mb, "pack_a");
	if (p->b.where == PACK_TASK)
		contract_pack_scratch(p, &p->b, p->unit == UNIT_FMA ? one : nb,
				      "pack_b");
	if (p->b.where == PACK_FED)
		contract_pack_scratch(p, &p->b, ex_const(t, 2), "pack_b");
	lower_phase(l, "main");
	for (int d = 0; d < p->batch; d++)
		batch[d] = lower_task(l, p->v->shape[d]);
	Ex i0 = ex_mul(t, lower_task(l, ex_ceil_div(t, p->a.panels, mb)), mb);
	Ex j0 = ex_mul(t, lower_task(l, ex_ceil_div(t, p->b.panels, nb)), nb);
	Ex rows = ex_min(t, mb, ex_sub(t, p->a.panels, i0));
	Ex columns = ex_min(t, nb, ex_sub(t, p->b.panels, j0));
	int nrs = contract_spans(p, &p->a, i0, rows, rs);
	int ncs = contract_spans(p, &p->b, j0, columns, cs);

	/* to transpose a panel is work of its own; else the first tile that
	 * reads B stores it as well, behind its multiply-adds */
	b.fills = p->b.where == PACK_TASK && p->unit == UNIT_FMA && !p->plain &&
		  !contract_runs_along_k(p, &p->b, batch);
	b.feeds = contract_feeds(p, &b);
	b.kk = lower_for(l, p->blocks, MAP_SERIAL, 1);
	b.length = contract_k_length(p, b.kk);
	p->a.first = i0;
	if (p->a.where == PACK_TASK)
		contract_pack_block(p, &p->a, batch, rows, b.kk);
	/* a unit's packing reads runs of B for many panels at a time */
	bool whole = p->b.where == PACK_TASK && p->unit != UNIT_FMA;
	p->b.first = j0;
	if (whole)
		contract_pack_block(p, &p->b, batch, columns, b.kk);
	for (int j = 0; j < ncs; j++) {
		Ex at = lower_for(l, cs[j].count, MAP_SERIAL, 1);
		b.pb = ex_add(t, cs[j].first, at);
		if (!whole && p->b.where != PACK_FED)
			p->b.first = b.pb;
		b.more = ex_sub(t, ex_sub(t, cs[j].count, one),
				ex_add(t, at, one));
		if (p->b.where == PACK_TASK && p->par[P_NB] == 1)
			b.more = ex_sub(t, ex_sub(t, p->blocks, one),
					ex_add(t, b.kk, one));
		if (p->b.where == PACK_FED)
			contract_feed_rest(p, &b, &cs[j], at, rows);
		if (p->b.where == PACK_TASK && !whole && !b.fills)
			contract_pack_block(p, &p->b, batch, one, b.kk);
		for (int i = 0; i < nrs; i++) {
			at = lower_for(l, rs[i].count, MAP_SERIAL, 1);
			b.pa = ex_add(t, rs[i].first, at);
			block_tile(p, &b, i0, j0, &rs[i], &cs[j]);
			lower_end(l);
		}
		lower_end(l);
	}
	lower_end(l);
}
