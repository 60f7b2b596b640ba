/*
 * rowreduce_cost: what a search considers of a row reduction, and what each is
 * predicted to take: that of the kernel it is lowered to (cost.h).
 *
 * Lanes narrower than a vector leave memory the time; tasks of many rows have
 * few claims; stores past the caches, and hints one or two rows ahead, pay
 * where rows come from memory; pieces where rows are long and few; and what a
 * later pass reads is kept, or computed again.
 */
#include "realise/rowreduce.h"

#include "realise/cost.h"

static bool has_costly(const Regions *r, const Region *reg)
{
	for (size_t i = 0; i < reg->values.n; i++) {
		const Value *v = program_value(r->program, reg->values.p[i]);
		if (op_info[v->op].ulp > 0 && v->rank == reg->rank)
			return true;
	}
	return false;
}

void rows_domain(const Regions *r, uint32_t region, const Target *t,
		 Domain by[MAX_PARAMS])
{
	int lanes = lower_lanes(r, region, t);
	bool costly = has_costly(r, &r->regions.p[region]);

	by[P_SPLIT] = (Domain){{2}, 1};
	by[P_KEEP] = (Domain){{KEEP_ALL, KEEP_NONE}, costly ? 2 : 1};
	if (t->threads) {
		by[P_LANES] = (Domain){{32, 64, 128, 256, 512, 1024}, 6};
		by[P_STREAM] = (Domain){{2}, 1};
		by[P_KEEP] = (Domain){{KEEP_NONE}, costly};
		by[P_WIDTH] = (Domain){{0}, 1};
		by[P_TURNS] = (Domain){{1, 2, 4, 8}, 4};
		return;
	}
	by[P_STREAM] = by[P_AHEAD] = (Domain){{0, 2}, 2};
	by[P_LANES] = (Domain){{lanes / 2}, lanes > 1};
	by[P_ROWS] = (Domain){{1 << 17, 1 << 20}, 2};
	by[P_DISTANCE] = (Domain){{2}, 1};
}

Cost rows_cost(const Regions *r, uint32_t region, const Target *t,
	       const Candidate *c, const int64_t *dims)
{
	return cost_lowered(&realise_rowreduce, r, region, t, c, dims);
}
