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

typedef struct Block {
	const Ex *batch;
	Ex kk, length; /* the block of K */
	Ex pa, pb;     /* panels */
	uint32_t tile;
	Ex at[2]; /* the tile's place in scratch, when it keeps all of them */
	bool keeps;
} Block;

/* Index of element i, j of the tile in scratch. */
static void tile_index(const Block *b, Ex i, Ex j, Ex *out)
{
	int n = 0;

	if (b->keeps) {
		out[n++] = b->at[0];
		out[n++] = b->at[1];
	}
	out[n++] = i;
	out[n] = j;
}

/* Zeros into the registers, or what the blocks of K before this one left. */
static void tile_start(Product *p, const Block *b, uint32_t acc)
{
	Lower *l = &p->l;
	Ex mr = ex_const(p->t, p->par[P_MR]), nr = ex_const(p->t, p->par[P_NR]);
	Ex at[2], from[4];

	at[0] = lower_for(l, mr, MAP_UNROLL, 1);
	at[1] = lower_for(l, nr, MAP_VUNROLL, (int)p->par[P_LANES]);
	tile_index(b, at[0], at[1], from);
	lower_store(l, acc, at,
		    b->keeps ? lower_load(l, b->tile, from)
			     : lower_zero(l, p->acc));
	lower_end(l);
	lower_end(l);
}

/* Zeros into every tile of the task. */
static void tiles_clear(Product *p, Block *b, Ex rows, Ex columns)
{
	Lower *l = &p->l;
	Ex mr = ex_const(p->t, p->par[P_MR]), nr = ex_const(p->t, p->par[P_NR]);
	Ex to[4];

	b->at[1] = lower_for(l, columns, MAP_SERIAL, 1);
	b->at[0] = lower_for(l, rows, MAP_SERIAL, 1);
	Ex i = lower_for(l, mr, MAP_SERIAL, 1);
	Ex j = lower_for(l, nr, MAP_VUNROLL, (int)p->par[P_LANES]);
	tile_index(b, i, j, to);
	lower_store(l, b->tile, to, lower_zero(l, p->acc));
	for (int n = 0; n < 4; n++)
		lower_end(l);
}

/* The sums over one block of K, left in scratch. */
static void tile_fold(Product *p, const Block *b)
{
	Lower *l = &p->l;
	Ex mr = ex_const(p->t, p->par[P_MR]), nr = ex_const(p->t, p->par[P_NR]);
	Ex shape[2] = {mr, nr}, at[2], to[4], from[K_MAX_RANK];
	int lanes = (int)p->par[P_LANES];
	uint32_t acc = lower_buffer(l, SCOPE_REG, p->acc, shape, 2, "acc");
	uint32_t row = lower_buffer(l, SCOPE_REG, p->acc, &nr, 1, "brow");

	tile_start(p, b, acc);
	KAt k = {b->kk, lower_for(l, b->length, MAP_SERIAL, 1)};
	Ex j = lower_for(l, nr, MAP_VUNROLL, lanes);
	contract_packed(p, &p->b, b->batch, b->pb, &k, j, from);
	lower_store(l, row, &j, lower_load(l, p->b.buffer, from));
	lower_end(l);
	at[0] = lower_for(l, mr, MAP_UNROLL, 1);
	contract_packed(p, &p->a, b->batch, b->pa, &k, at[0], from);
	VarId x = lower_load(l, p->a.buffer, from);
	at[1] = lower_for(l, nr, MAP_VUNROLL, lanes);
	VarId y = lower_load(l, row, &at[1]);
	VarId sum = lower_load(l, acc, at);
	lower_store(l, acc, at, lower_mac(l, p->acc, x, y, sum));
	lower_end(l);
	lower_end(l);
	lower_end(l);

	at[0] = lower_for(l, mr, MAP_UNROLL, 1);
	at[1] = lower_for(l, nr, MAP_VUNROLL, lanes);
	tile_index(b, at[0], at[1], to);
	lower_store(l, b->tile, to, lower_load(l, acc, at));
	lower_end(l);
	lower_end(l);
}

/* The product's boundary may go only where its def asks for it and nobody
 * but this tile sees the value. */
static bool drops_boundary(const Product *p)
{
	const Region *reg = p->l.region;

	if (!(p->v->relax & RELAX_SINGLE_ROUNDING))
		return false;
	for (size_t i = 0; i < reg->outputs.n; i++)
		if (reg->outputs.p[i] == reg->anchor)
			return false;
	return p->acc == DT_F32 && dtype_info[p->v->dtype].bytes == 2 &&
	       dtype_is_float(p->v->dtype);
}

/* Evaluates what follows the product, on the finished tile. */
static void tile_finish(Product *p, const Block *b)
{
	Lower *l = &p->l;
	const Region *reg = l->region;
	Ex mr = ex_const(p->t, p->par[P_MR]), nr = ex_const(p->t, p->par[P_NR]);
	Ex row0 = ex_mul(p->t, b->pa, mr), col0 = ex_mul(p->t, b->pb, nr);
	Ex i, j, from[4], index[TN_MAX_RANK];
	int lanes = (int)p->par[P_LANES];

	i = lower_for(l, ex_min(p->t, mr, ex_sub(p->t, p->m, row0)), MAP_SERIAL,
		      1);
	j = lower_for(l, ex_min(p->t, nr, ex_sub(p->t, p->n, col0)),
		      p->plain ? MAP_SERIAL : MAP_VECTOR, p->plain ? 1 : lanes);
	memcpy(index, b->batch, (size_t)p->batch * sizeof(Ex));
	index[p->batch] = ex_add(p->t, row0, i);
	index[p->batch + 1] = ex_add(p->t, col0, j);
	tile_index(b, i, j, from);
	VarId sum = lower_load(l, b->tile, from);
	sum = drops_boundary(p)
		      ? lower_keep(l, p->v->dtype, sum, reg->anchor)
		      : lower_round(l, p->v->dtype, p->acc, sum, reg->anchor);
	lower_bind(l, reg->anchor, index, sum);
	for (size_t n = 0; n < reg->values.n; n++)
		if (l->r->part[reg->values.p[n]] == PART_EPILOGUE)
			lower_value(l, reg->values.p[n], index);
	for (size_t n = 0; n < reg->outputs.n; n++)
		lower_result(l, reg->outputs.p[n], index);
	lower_end(l);
	lower_end(l);
}

/* The tiles of one block of A, next to the panels of B of the task. */
static void block_tiles(Product *p, Block *b, Ex above, Ex rows, Ex columns)
{
	Lower *l = &p->l;
	ExprTab *t = p->t;
	Ex i0 = b->pa, j0 = b->pb;

	Ex j = lower_for(l, columns, MAP_SERIAL, 1);
	Ex i = lower_for(l, rows, MAP_SERIAL, 1);
	b->at[0] = ex_add(t, above, i);
	b->at[1] = j;
	b->pa = ex_add(t, i0, i);
	b->pb = ex_add(t, j0, j);
	tile_fold(p, b);
	if (b->keeps) {
		Ex next = ex_add(t, b->kk, ex_const(t, 1));
		Ex last = ex_sub(t, next, p->blocks);
		lower_if(l, &last, 1);
	}
	tile_finish(p, b);
	if (b->keeps)
		lower_end(l);
	lower_end(l);
	lower_end(l);
	b->pa = i0;
	b->pb = j0;
}

void contract_main(Product *p)
{
	Lower *l = &p->l;
	ExprTab *t = p->t;
	Ex mb = ex_const(t, p->par[P_MB]), nb = ex_const(t, p->par[P_NB]);
	Ex tall = ex_const(t, p->par[P_MB] * p->par[P_TI]);
	Ex batch[TN_MAX_RANK], shape[4] = {tall, nb};
	Block b = {.batch = batch, .keeps = !ex_equals(t, p->blocks, 1)};

	shape[b.keeps ? 2 : 0] = ex_const(t, p->par[P_MR]);
	shape[b.keeps ? 3 : 1] = ex_const(t, p->par[P_NR]);
	b.tile = lower_buffer(l, SCOPE_WORKER, p->acc, shape, b.keeps ? 4 : 2,
			      "tile");
	if (p->a.where == PACK_TASK)
		contract_pack_scratch(p, &p->a, mb, "pack_a");
	if (p->b.where == PACK_TASK)
		contract_pack_scratch(p, &p->b, nb, "pack_b");
	lower_phase(l, "main");
	for (int d = 0; d < p->batch; d++)
		batch[d] = lower_task(l, p->v->shape[d]);
	Ex i0 = ex_mul(t, lower_task(l, ex_ceil_div(t, p->a.panels, tall)),
		       tall);
	b.pb = ex_mul(t, lower_task(l, ex_ceil_div(t, p->b.panels, nb)), nb);
	Ex rows = ex_min(t, tall, ex_sub(t, p->a.panels, i0));
	Ex columns = ex_min(t, nb, ex_sub(t, p->b.panels, b.pb));

	if (b.keeps)
		tiles_clear(p, &b, rows, columns);
	b.kk = lower_for(l, p->blocks, MAP_SERIAL, 1);
	b.length = contract_k_length(p, b.kk);
	p->b.first = b.pb;
	if (p->b.where == PACK_TASK)
		contract_pack_block(p, &p->b, batch, columns, b.kk);
	Ex above = ex_mul(
		t, mb, lower_for(l, ex_ceil_div(t, rows, mb), MAP_SERIAL, 1));
	Ex high = ex_min(t, mb, ex_sub(t, rows, above));
	b.pa = p->a.first = ex_add(t, i0, above);
	if (p->a.where == PACK_TASK)
		contract_pack_block(p, &p->a, batch, high, b.kk);
	block_tiles(p, &b, above, high, columns);
	lower_end(l);
	lower_end(l);
}
