/*
 * gpu_contract_cost: what a search considers of a product on a GPU, and the
 * predicted time of each.
 *
 * The time is that of the models that the rule chooses by (gpu_contract_mma.c,
 * gpu_contract_simt.c), for any tile and ring, and what they leave out because
 * it is the same for all that they compare: packing, and a phase that has no
 * tiles under these sizes. It is told as the time of the tiles (compute), of
 * packing and of adding parts up (move), and of the phases (start).
 */
#include "realise/gpu_contract.h"

void gp_domain(const Regions *r, uint32_t region, const Target *t,
	       Domain by[MAX_PARAMS])
{
	const Value *v = program_value(r->program, r->regions.p[region].anchor);
	int element = gp_element_bytes(r->program, v);
	Domain *unit = &by[P_UNIT];

	for (size_t i = 0; i < t->nunits; i++)
		unit->values[unit->n++] = (int64_t)t->units[i];
	unit->values[unit->n++] = UNIT_FMA;
	by[P_ROWS] = (Domain){{32, 64, 128}, 3};
	by[P_COLUMNS] = (Domain){{64, 128, 256}, 3};
	by[P_THREADS] = (Domain){{128, 256}, 2};
	by[P_STAGES] = (Domain){{2, 3, 4, 6}, 4};
	by[P_DEPTH] = (Domain){{16}, 1};
	by[P_OPERANDS] = (Domain){{OPERANDS_STAGED}, 1};
	by[P_SMALL] = (Domain){{0}, 1};
	if (t->nunits)
		by[P_DEPTH].values[by[P_DEPTH].n++] = SWIZZLE_BYTES / element;
	if (t->cuda && !(v->relax & RELAX_ROW_INVARIANT))
		by[P_SPLIT] = (Domain){{1, 2, 4, 8}, 4};
}

/* Bytes of both operands that are packed, read and written. */
static double packed_bytes(GpuProduct *p, const GpuExtents *x, int element,
			   const int64_t *dims, int *phases)
{
	double bytes = 0;

	for (int i = 0; i < 2; i++) {
		double all = (double)((i ? x->n : x->m) * x->k * x->batch);
		if (!gp_mma_packs(p, i, dims))
			continue;
		bytes += 2 * all * element;
		++*phases;
	}
	return bytes;
}

static GpuExtents extents_under(const Regions *r, const Value *v,
				const int64_t *dims)
{
	const Value *a = program_value(r->program, v->args[0]);
	GpuExtents x = {
		.batch = 1,
		.least_parts = 1,
		.most_parts = 1,
		.m = realise_extent(r, v->shape[v->rank - 2], dims),
		.n = realise_extent(r, v->shape[v->rank - 1], dims),
		.k = realise_extent(r, a->shape[a->rank - 1], dims),
	};

	for (int d = 0; d + 2 < v->rank; d++)
		x.batch *= realise_extent(r, v->shape[d], dims);
	return x;
}

/* Packing adds its bytes; an operand that is near when it is read needs no more
 * than a launch. */
#define PACK_TIME 1.0

Cost gp_cost(const Regions *r, uint32_t region, const Target *t,
	     const Candidate *c, const int64_t *dims)
{
	const Value *v = program_value(r->program, r->regions.p[region].anchor);
	int element = gp_element_bytes(r->program, v), phases = 0;
	GpuExtents x = extents_under(r, v, dims);
	int64_t par[P_COUNT];
	Cost cost = {.start = t->rates.launch};
	GpuProduct p;
	ScratchArena a;

	for (int i = 0; i < P_COUNT; i++)
		par[i] = c->params[i].value;
	scratch_begin(&a);
	Kernels ks = {.arena = &a.arena, .program = (Program *)r->program};
	Kernel k = {.region = region};
	gp_product_init(&p, &ks, &k, r, t, par);
	cost.move = gp_split_time(&x, dtype_info[v->acc].bytes, par[P_SPLIT]);
	if (par[P_UNIT] == UNIT_FMA) {
		cost.compute = gp_simt_time(&p, &x) - cost.move;
	} else {
		int64_t tiles = gp_tile_count(&x, par[P_ROWS], par[P_COLUMNS]);
		double bytes = packed_bytes(&p, &x, element, dims, &phases);
		cost.start += par[P_SMALL] ? t->rates.launch : 0;
		if (par[P_SMALL] && tiles * par[P_SPLIT] < gp_mma_many(t))
			gp_mma_small(t, element, par);
		cost.compute = gp_mma_time(&x, t, element, par) - cost.move;
		cost.move += bytes / (t->rates.memory * 1e3);
		cost.start += phases * PACK_TIME;
	}
	scratch_end(&a);
	cost_total(&cost);
	return cost;
}

/* ---- a library's ----------------------------------------------------- */

/*
 * cuBLASLt's choice by its own heuristics, measured on an H200: about the time
 * of the best of these kernels, less by multiply-adds, and far more where rows
 * do not begin at multiples of 16 bytes.
 */
#define LIBRARY_SIMT 0.93
#define LIBRARY_ODD  3.4

Cost gp_library_cost(const Regions *r, uint32_t region, const Target *t,
		     const int64_t *dims)
{
	const Value *v = program_value(r->program, r->regions.p[region].anchor);
	int element = gp_element_bytes(r->program, v);
	GpuExtents x = extents_under(r, v, dims);
	int64_t par[P_COUNT];
	Cost cost = {.start = t->rates.launch};
	GpuProduct p;
	ScratchArena a;

	x.least_parts = 1;
	x.most_parts = GP_MAX_SPLIT;
	scratch_begin(&a);
	Kernels ks = {.arena = &a.arena, .program = (Program *)r->program};
	Kernel k = {.region = region};
	MatrixUnit unit = gp_unit_of(r, v, t);
	if (unit != UNIT_FMA) {
		bool odd = (x.k * element) % GP_MOVE_BYTES ||
			   (x.n * element) % GP_MOVE_BYTES;
		gp_mma_rule(&x, t, unit, element, par);
		cost.compute = gp_mma_time(&x, t, element, par);
		cost.compute *= odd ? LIBRARY_ODD : 1;
	} else {
		gp_simt_rule(&x, t, v->acc, par);
		gp_product_init(&p, &ks, &k, r, t, par);
		cost.compute = LIBRARY_SIMT * gp_simt_time(&p, &x);
	}
	scratch_end(&a);
	cost_total(&cost);
	return cost;
}
