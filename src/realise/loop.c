/*
 * loop: independent outputs, one evaluation each.
 *
 * Rows (every axis but the last) are dealt in chunks, the last axis in
 * blocks of `block` elements and vector lanes.
 */
#include "realise/lower.h"

static const char *const loop_params[] = {"lanes", "block", NULL};

static const char *loop_admit(Arena *a, const Regions *r, uint32_t region)
{
	(void)a;
	return r->regions.p[region].kind == REGION_LOOP
		       ? NULL
		       : "the region folds axes";
}

static Candidate loop_rule(const Regions *r, uint32_t region, const Target *t)
{
	return (Candidate){
		.params = {{"lanes", lower_lanes(r, region, t)},
			   {"block", 8192}},
		.nparams = 2,
	};
}

static const char *loop_legal(Arena *a, const Regions *r, uint32_t region,
			      const Target *t, const Candidate *c)
{
	int64_t lanes = c->params[0].value, block = c->params[1].value;

	(void)t;
	if (lanes < 1 || lanes > 64 || (lanes & (lanes - 1)))
		return arena_printf(a, "lanes must be 1, 2, 4 ... 64");
	if (lanes > 1 && lower_is_scalar(r, region))
		return "a value of the region may fault or is indexed at run "
		       "time, so that lanes must be 1";
	if (block < lanes || block > 1 << 30)
		return "block must be at least lanes and at most 2^30";
	return NULL;
}

static void loop_lower(Kernels *ks, Kernel *k, const Regions *r,
		       const Target *target, const Candidate *c)
{
	Lower l;
	ExprTab *t = &ks->program->ex;
	const Region *reg = &r->regions.p[k->region];
	int lanes = (int)c->params[0].value, rank = reg->rank;
	int64_t block = c->params[1].value;
	Ex index[TN_MAX_RANK];

	(void)target;
	lower_init(&l, ks, k, r);
	lower_phase(&l, "main");
	if (rank > 0) {
		Ex width = reg->space[rank - 1], size = ex_const(t, block);
		lower_rows(&l, reg->space, rank - 1,
			   lower_chunk(&l, block, width), index);
		Ex first = ex_mul(
			t, lower_task(&l, ex_ceil_div(t, width, size)), size);
		Ex j = lower_for(&l, ex_min(t, size, ex_sub(t, width, first)),
				 lanes > 1 ? MAP_VECTOR : MAP_SERIAL, lanes);
		index[rank - 1] = ex_add(t, first, j);
	}
	/* In topological order, so that lower_value never goes deep. */
	for (size_t i = 0; i < reg->values.n; i++)
		lower_value(&l, reg->values.p[i], index);
	for (size_t i = 0; i < reg->outputs.n; i++)
		lower_result(&l, reg->outputs.p[i], index);
	if (rank > 0) {
		lower_end(&l);
		lower_end(&l);
	}
	k->note = "every output element is computed on its own";
}

const Realisation realise_loop = {
	"loop", loop_params, loop_admit, loop_rule, loop_legal, loop_lower,
};
