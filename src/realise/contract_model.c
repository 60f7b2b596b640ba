/*
 * contract_model: tile and blocks from the machine's registers and caches.
 *
 * The register tile: as many rows as leave room for two vectors of B, one
 * element of A and one spare register, two vectors wide: two loads of B and
 * mr broadcasts feed 2 mr multiply-adds.
 *
 * Blocks: a panel of B (kc x nr) is read anew for each of the mb tiles below
 * each other and may take two thirds of L1. The block of A (mb x mr x kc) is
 * read anew for each panel of B, and the sums of the task's mb x nb tiles for
 * each block of K: each may take an eighth of L2, which leaves room for what
 * streams through and for cache sets that fill unevenly.
 */
#include "realise/contract.h"

static int64_t at_least_one(int64_t n)
{
	return n < 1 ? 1 : n;
}

void contract_model(const Target *t, const Extents *x, int64_t *par)
{
	int64_t lanes = t->vector_bytes / x->bytes;
	int64_t mr = (t->vector_registers - 4) / 2, nr = 2 * lanes;
	int64_t pitch = (mr + lanes - 1) / lanes * lanes;
	int64_t l1 = t->cache[0], l2 = t->cache[1];
	int64_t kc = l1 * 2 / 3 / (nr * x->bytes) / lanes * lanes;
	int64_t k = x->k > 0 && x->k < kc ? x->k : at_least_one(kc);
	int64_t mb = at_least_one(l2 / 8 / (pitch * k * x->bytes));
	int64_t nb = l2 / 8 / (mb * mr * nr * x->bytes);

	par[P_MR] = mr;
	par[P_NR] = nr;
	par[P_LANES] = lanes;
	par[P_MB] = mb > 64 ? 64 : mb;
	par[P_NB] = at_least_one(nb);
	par[P_KC] = at_least_one(kc);
	par[P_TI] = 1;
	par[P_A] = PACK_PHASE;
	par[P_B] = PACK_PHASE;
}
