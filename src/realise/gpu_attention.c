/*
 * gpu_attention: attention on a GPU, both products by mma.sync: the candidate.
 */
#include "realise/gpu_attention.h"

#include <math.h>

#define USUAL_ROWS 64

static const char *const params[] = {"unit",    "rows",   "keys",
				     "threads", "stages", NULL};

/* ---- the candidate --------------------------------------------------- */

typedef struct Extents {
	int64_t batch, queries, head, width; /* -1: not known */
	int64_t folds;
} Extents;

static Extents extents_of(const Regions *r, uint32_t region)
{
	const Region *reg = &r->regions.p[region];
	const Program *p = r->program;
	const Value *o = program_value(p, reg->anchor);
	Extents x = {.batch = 1, .queries = -1, .head = -1, .width = -1};

	for (int d = 0; d + 2 < o->rank; d++) {
		int64_t n = -1;
		bool known = ex_is_const(&p->ex, o->shape[d], &n);
		x.batch = known && x.batch >= 0 ? x.batch * n : -1;
	}
	ex_is_const(&p->ex, o->shape[o->rank - 2], &x.queries);
	ex_is_const(&p->ex, o->shape[o->rank - 1], &x.width);
	for (size_t i = 0; i < reg->values.n; i++) {
		const Value *v = program_value(p, reg->values.p[i]);
		const Value *in = program_value(p, v->args[0]);
		x.folds += op_info[v->op].cls == OPC_REDUCE;
		if (r->part[reg->values.p[i]] == PART_ANCHOR &&
		    reg->values.p[i] != reg->anchor)
			ex_is_const(&p->ex, in->shape[in->rank - 1], &x.head);
	}
	return x;
}

/* Of the block's memory; folds keep 8 bytes a thread (emit/emit_gpu.c). */
static int64_t bytes_of(const Extents *x, const int64_t *par)
{
	int64_t pad = COPY_BYTES, row = 2 * x->head + pad;
	int64_t both = row + 2 * x->width + pad;

	return par[A_ROWS] * row + par[A_STAGES] * par[A_KEYS] * both +
	       x->folds * par[A_ROWS] * QUAD * 8 + 8 * x->width +
	       8 * par[A_THREADS];
}

static const char *check(Arena *a, const Extents *x, const Target *t,
			 const int64_t *par)
{
	int64_t warps = par[A_THREADS] / MMA_THREADS;

	if (par[A_UNIT] != UNIT_MMA)
		return "attention on a GPU is by mma, or its parts by fma";
	if (par[A_THREADS] < MMA_THREADS || par[A_THREADS] > 512 ||
	    (par[A_THREADS] & (par[A_THREADS] - 1)))
		return "threads must be 32, 64 ... 512";
	if (par[A_ROWS] < 1 || par[A_ROWS] % (MMA_ROWS * warps) ||
	    par[A_ROWS] > 4 * MMA_ROWS * warps)
		return "rows must be a multiple of 16 for each warp of 32 "
		       "threads, at most 64";
	if (par[A_KEYS] < 1 || par[A_KEYS] % (2 * MMA_COLUMNS) ||
	    par[A_KEYS] > 256)
		return "keys must be a multiple of 16, at most 256";
	if (par[A_ROWS] / warps / 4 * (par[A_KEYS] + x->width) / 8 > 192)
		return "a thread holds at most 192 scores and sums";
	if (par[A_STAGES] < 2 || par[A_STAGES] > KERNEL_MAX_GROUPS + 1)
		return "stages must be 2 to 7";
	if (bytes_of(x, par) > t->block_memory)
		return arena_printf(a,
				    "tiles of %d bytes do not fit the %d that "
				    "a block of threads has",
				    (int)bytes_of(x, par),
				    (int)t->block_memory);
	return NULL;
}

/* Twice as many queries read each key half as often, which pays where dims are
 * large and every multiprocessor still has a block. */
static bool has_large(const Extents *x, const Target *t)
{
	int64_t blocks = (x->queries + 2 * USUAL_ROWS - 1) / (2 * USUAL_ROWS);

	return x->head + x->width > 128 && x->batch >= 0 && x->queries >= 0 &&
	       x->batch * blocks >= t->processors;
}

/* What is not pinned, to go with what is. */
static void choose(const Extents *x, const Target *t, int64_t *par,
		   const bool *pinned)
{
	static const int64_t keys[] = {64, 32, 16};
	ScratchArena a;

	if (!pinned[A_ROWS]) {
		par[A_ROWS] = has_large(x, t) ? 2 * USUAL_ROWS : USUAL_ROWS;
		if (pinned[A_THREADS])
			par[A_ROWS] = par[A_THREADS] / 2;
		while (x->queries >= 0 && !pinned[A_THREADS] &&
		       par[A_ROWS] > MMA_ROWS && par[A_ROWS] / 2 >= x->queries)
			par[A_ROWS] /= 2;
	}
	for (int64_t n = MMA_THREADS; !pinned[A_THREADS]; n *= 2) {
		par[A_THREADS] = n;
		if (n == 256 || par[A_ROWS] % n)
			break;
	}
	if (!pinned[A_STAGES])
		par[A_STAGES] = 2;
	scratch_begin(&a);
	for (size_t i = 0; i < ARRAY_LEN(keys) && !pinned[A_KEYS]; i++) {
		par[A_KEYS] = keys[i];
		if (!check(&a.arena, x, t, par))
			break;
	}
	scratch_end(&a);
}

static Candidate rule(const Regions *r, uint32_t region, const Target *t)
{
	Extents x = extents_of(r, region);
	const bool none[A_COUNT] = {false};
	int64_t par[A_COUNT] = {UNIT_MMA};
	Candidate c = {.nparams = A_COUNT};

	choose(&x, t, par, none);
	for (int i = 0; i < A_COUNT; i++)
		c.params[i] = (KParam){params[i], par[i]};
	return c;
}

static void settle(const Regions *r, uint32_t region, const Target *t,
		   Candidate *c, const bool *pinned)
{
	Extents x = extents_of(r, region);
	int64_t par[A_COUNT];

	for (int i = 0; i < A_COUNT; i++)
		par[i] = c->params[i].value;
	choose(&x, t, par, pinned);
	for (int i = 0; i < A_COUNT; i++)
		c->params[i].value = par[i];
}

static const char *legal(Arena *a, const Regions *r, uint32_t region,
			 const Target *t, const Candidate *c)
{
	Extents x = extents_of(r, region);
	int64_t par[A_COUNT];

	for (int i = 0; i < A_COUNT; i++)
		par[i] = c->params[i].value;
	return check(a, &x, t, par);
}

static void lower(Kernels *ks, Kernel *k, const Regions *r,
		  const Target *target, const Candidate *c)
{
	int64_t par[A_COUNT];

	(void)target;
	for (int i = 0; i < A_COUNT; i++)
		par[i] = c->params[i].value;
	gpu_attend_lower(ks, k, r, par);
}

/* ---- what a search considers ------------------------------------------ */

static void domain(const Regions *r, uint32_t region, const Target *t,
		   Domain by[MAX_PARAMS])
{
	(void)r;
	(void)region;
	(void)t;
	by[A_ROWS] = (Domain){{16, 32, 64, 128}, 4};
	by[A_KEYS] = (Domain){{16, 32, 64, 128}, 4};
	by[A_THREADS] = (Domain){{32, 64, 128, 256}, 4};
	by[A_STAGES] = (Domain){{2, 3, 4}, 3};
}

/*
 * Measured on an H200 (bench/results/2026-11-30-h200-attention.txt):
 * multiply-adds that a multiprocessor makes in a microsecond beside the rows'
 * own work, and scores that it makes weights of; a block's begin and end, a
 * tile of keys' barriers; the share of the rates where a warp has more rows
 * than 16, or fewer keys than 64 at a time.
 */
#define MAC_RATE   0.78e6
#define EXP_RATE   16e3
#define BLOCK_TIME 2.0
#define TILE_TIME  0.12
#define MORE_ROWS  0.97
#define FEW_KEYS   0.98
#define WARPS      4 /* that keep a unit busy */

static int64_t keys_under(const Regions *r, const Region *reg,
			  const int64_t *dims)
{
	return realise_extent(r, reg->space[reg->rank - 1], dims);
}

static Cost cost(const Regions *r, uint32_t region, const Target *t,
		 const Candidate *c, const int64_t *dims)
{
	const Region *reg = &r->regions.p[region];
	const Value *o = program_value(r->program, reg->anchor);
	Extents x = extents_of(r, region);
	int64_t par[A_COUNT];
	Cost out = {.start = t->rates.launch};
	double quality = 1, batch = 1;

	for (int i = 0; i < A_COUNT; i++)
		par[i] = c->params[i].value;
	for (int d = 0; d + 2 < o->rank; d++)
		batch *= (double)realise_extent(r, o->shape[d], dims);
	double queries = (double)realise_extent(r, o->shape[o->rank - 2], dims);
	double keys = (double)keys_under(r, reg, dims);
	double rows = (double)par[A_ROWS];
	double warps = (double)(par[A_THREADS] / MMA_THREADS);
	double blocks = batch * ceil(queries / rows);
	double tiles = ceil(keys / (double)par[A_KEYS]);
	double beside = (double)(t->block_memory / bytes_of(&x, par));
	double most = 16 / warps; /* by a thread's registers */
	beside = beside > most ? most : beside;
	beside = beside < 1 ? 1 : beside;
	if (rows / warps > MMA_ROWS)
		quality *= MORE_ROWS;
	if (par[A_KEYS] < 64)
		quality *= FEW_KEYS;
	double here = ceil(blocks / t->processors);
	here = here > beside ? beside : here < 1 ? 1 : here;
	double busy = here * warps / WARPS;
	quality *= busy < 1 ? busy : 1;
	/* the most blocks of a multiprocessor, one behind another; those beside
	 * each other share its rate and wait at the same time */
	double turns = ceil(blocks / t->processors);
	double scores = rows * tiles * (double)par[A_KEYS];
	double each = (double)(x.head + x.width) / MAC_RATE + 1 / EXP_RATE;
	out.compute = turns * scores * each / quality;
	out.move =
		turns / here *
		(BLOCK_TIME + tiles * TILE_TIME / (double)(par[A_STAGES] - 1));
	double bytes = batch * keys * 2 * (double)(x.head + x.width) *
		       ceil(queries / rows);
	out.memory = bytes / (t->rates.cache[1] * t->rates.clock * 1e3);
	cost_total(&out);
	return out;
}

const Realisation realise_gpu_attention = {
	"attention", params, attention_admit, rule, legal,
	lower,       settle, domain,          cost,
};
