/*
 * region_steps: regions of several products.
 *
 * Products of one tile shape that feed the same elementwise values are one
 * step of a kernel; a product of what an earlier step made is in a later one.
 * The steps are not stored: who reads whom says them.
 */
#include "ir/region.h"

#include "ir/view.h"

/*
 * What is held may take an eighth of L2, beside the tiles' sums and what
 * streams through; beyond some rows the reads of the other operands hide
 * behind the multiply-adds, and shorter blocks leave more of the cache.
 */
#define L2_PART   8
#define MOST_ROWS 64
/* Blocks a CPU beyond which a last round of fewer blocks costs little. */
#define EVEN_BLOCKS 16

ValueId region_held(const Regions *r, ValueId product)
{
	Ex map[TN_MAX_RANK];
	Program *p = (Program *)(uintptr_t)r->program;
	ValueId b = view_base(p, program_value(p, product)->args[0], map);

	return region_computes(p, b) && r->of[b] == r->of[product] &&
			       r->part[b] != PART_PROLOGUE
		       ? b
		       : NO_VALUE;
}

int region_steps(const Regions *r, uint32_t region, int *step)
{
	const Region *at = &r->regions.p[region];
	Program *p = (Program *)(uintptr_t)r->program;
	int last = 0;

	for (size_t i = 0; i < at->values.n; i++) {
		ValueId v = at->values.p[i];
		const Value *x = program_value(p, v);
		step[v] = 0;
		if (r->part[v] == PART_ANCHOR) {
			ValueId held = region_held(r, v);
			step[v] = held == NO_VALUE ? 0 : step[held] + 1;
		}
		for (uint32_t k = 0;
		     r->part[v] == PART_EPILOGUE && k < x->nargs; k++) {
			Ex map[TN_MAX_RANK];
			ValueId b = view_base(p, x->args[k], map);
			if (region_computes(p, b) && r->of[b] == region &&
			    r->part[b] != PART_PROLOGUE && step[b] > step[v])
				step[v] = step[b];
		}
		if (step[v] > last)
			last = step[v];
	}
	return last + 1;
}

int64_t region_rows(int64_t rows, int64_t batches, int64_t width, int bytes,
		    int64_t l2, int cpus)
{
	int64_t most = l2 / L2_PART / (width * bytes);
	if (most > MOST_ROWS)
		most = MOST_ROWS;
	if (rows < 1 || batches < 1 || most < 1)
		return most < 1 ? 0 : 1;
	int64_t blocks = (rows + most - 1) / most;
	while (blocks * batches < (int64_t)EVEN_BLOCKS * cpus &&
	       blocks * batches % cpus && blocks < rows)
		blocks++;
	return (rows + blocks - 1) / blocks;
}
