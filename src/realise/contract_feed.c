/*
 * contract_feed: the next panel of B, while the tiles of one are computed.
 *
 * The first touch of a panel is slow: its rows lie far apart, so that no
 * hardware asks for them ahead, and the cache beyond L2 gives a core 7 bytes
 * a cycle, where one tile's multiply-adds take 9. So each tile does a share of
 * it every few steps along K, and the whole panel arrives in the time of a
 * column of tiles.
 *
 *   PACK_FED    a row of the next panel is packed, which was asked for some 64
 *               steps before. Two places for panels take turns.
 *   PACK_TASK   where memory runs along k, squares of the next panel are asked
 *               for, and transposed before its first tile, out of L2; of the
 *               same panel's next block of K where a task has only one.
 *   PACK_PHASE  a row of the next panel is asked for.
 *
 * With PACK_FED a task's first panel, what a shorter column of tiles left
 * undone, and the narrower panel at the end are packed before they are read.
 */
#include "realise/contract.h"

/* Steps along K between asking for a row and reading it: 64 of a tile take
 * some 300 ns. */
#define ASKED 64

/* Rows of the next panel that a tile packs in a block of K that is whole. */
static int64_t share(const Product *p)
{
	int64_t kc = p->par[P_KC], mb = p->par[P_MB];

	ex_is_const(p->t, p->kc, &kc);
	return kc < mb ? 1 : (kc + mb - 1) / mb;
}

/* Steps along K for each of them. */
static int64_t steps(const Product *p)
{
	int64_t kc = p->par[P_KC];

	ex_is_const(p->t, p->kc, &kc);
	return kc / share(p);
}

/* Rows that a tile packs in the block at hand. */
static Ex fed(const Product *p, const Block *b)
{
	Ex by = ex_const(p->t, steps(p));

	return ex_min(p->t, ex_const(p->t, share(p)),
		      ex_div(p->t, b->length, by));
}

/* Whether all of the product lies in cache: one task's multiply-adds. */
static bool is_small(const Product *p)
{
	int64_t m, n, k;

	return ex_is_const(p->t, p->m, &m) && ex_is_const(p->t, p->n, &n) &&
	       ex_is_const(p->t, p->k, &k) &&
	       (double)m * (double)n * (double)k < TASK_MACS;
}

bool contract_feeds(Product *p, const Block *b)
{
	if (p->unit != UNIT_FMA || p->plain || b->fills)
		return false;
	if (p->b.where == PACK_TASK)
		return !is_small(p);
	return p->b.where == PACK_FED ||
	       (p->b.where == PACK_PHASE && p->par[P_MB] >= FEW_TILES);
}

/* The elements of k of a panel that is packed. */
static void ask_packed(Product *p, const Block *b, Ex panel, const KAt *k)
{
	Lower *l = &p->l;
	Ex at[K_MAX_RANK];
	Ex j = lower_for(l, ex_const(p->t, p->b.wide), MAP_VUNROLL,
			 (int)p->par[P_LANES]);

	contract_packed(p, &p->b, b->batch, panel, k, j, at);
	lower_ask(l, p->b.buffer, at);
	lower_end(l);
}

/*
 * A vector along k of each lanes-th column of the panel: k counts those of a
 * square of lanes x lanes, and then the squares.
 */
static void ask_square(Product *p, const Block *b, Ex panel, const KAt *k)
{
	Lower *l = &p->l;
	ExprTab *t = p->t;
	Ex lanes = ex_const(t, p->par[P_LANES]);
	Ex first = ex_add(t, ex_mul(t, panel, ex_const(t, p->b.wide)),
			  ex_mod(t, k->in, lanes));
	Ex square = ex_mul(t, ex_div(t, k->in, lanes), lanes);

	for (int64_t n = 0; n < p->b.wide / p->par[P_LANES]; n++) {
		Ex column = ex_add(t, first, ex_mul(t, ex_const(t, n), lanes));
		KAt at = {k->block, ex_add(t, square,
					   lower_for(l, lanes, MAP_VUNROLL,
						     (int)p->par[P_LANES]))};
		contract_ask_element(p, &p->b, b->batch, column, &at);
		lower_end(l);
	}
}

/* Row s of the tile's share, unless it lies beyond the block: the last one is
 * then packed again. */
static void feed(Product *p, const Block *b, Ex s)
{
	ExprTab *t = p->t;
	Ex one = ex_const(t, 1), last = ex_sub(t, b->length, one);
	Ex row = ex_add(t, ex_mul(t, b->at[0], fed(p, b)), s);
	Ex later = ex_const(t, (ASKED + steps(p) - 1) / steps(p));
	Ex next = ex_add(t, b->pb, one);
	KAt k = {b->kk, ex_min(t, row, last)},
	    asked = {b->kk, ex_min(t, ex_add(t, row, later), last)};

	lower_if(&p->l, &b->more, 1);
	switch (p->b.where) {
	case PACK_FED:
		contract_pack_step(p, &p->b, b->batch, next, &k);
		contract_ask_row(p, &p->b, b->batch,
				 ex_mul(t, next, ex_const(t, p->b.wide)),
				 &asked);
		break;
	case PACK_PHASE:
		ask_packed(p, b, next, &k);
		break;
	default:
		if (p->par[P_NB] == 1) {
			next = b->pb;
			k.block = ex_add(t, k.block, one);
		}
		ask_square(p, b, next, &k);
		break;
	}
	lower_end(&p->l);
}

void contract_feed_fold(Product *p, const Block *b, uint32_t row)
{
	Lower *l = &p->l;
	ExprTab *t = p->t;
	Ex by = ex_const(t, steps(p)), done = ex_mul(t, fed(p, b), by);
	KAt k = {.block = b->kk};

	Ex s = lower_for(l, fed(p, b), MAP_SERIAL, 1);
	feed(p, b, s);
	k.in = ex_add(t, ex_mul(t, s, by), lower_for(l, by, MAP_SERIAL, 1));
	contract_step(p, b, row, &k, false);
	lower_end(l);
	lower_end(l);
	if (ex_equals(t, ex_sub(t, b->length, done), 0))
		return;
	k.in = ex_add(t, done,
		      lower_for(l, ex_sub(t, b->length, done), MAP_SERIAL, 1));
	contract_step(p, b, row, &k, false);
	lower_end(l);
}

/* Packs the rows of b's panel from `first` on. */
static void pack_from(Product *p, const Block *b, Ex first)
{
	Lower *l = &p->l;
	Ex left = ex_sub(p->t, b->length, first);
	KAt k = {b->kk, ex_add(p->t, first, lower_for(l, left, MAP_SERIAL, 1))};

	contract_pack_step(p, &p->b, b->batch, b->pb, &k);
	lower_end(l);
}

void contract_feed_rest(Product *p, const Block *b, const Span *span, Ex at,
			Ex rows)
{
	Lower *l = &p->l;
	ExprTab *t = p->t;
	Ex later = ex_sub(t, at, ex_const(t, 1));
	Ex done = ex_mul(t, rows, fed(p, b));

	if (span->last) {
		contract_pack_panel(p, &p->b, b->batch, b->pb, b->kk);
		return;
	}
	lower_if(l, &later, 1);
	pack_from(p, b, ex_min(t, done, b->length));
	lower_else(l);
	pack_from(p, b, ex_const(t, 0));
	lower_end(l);
}
