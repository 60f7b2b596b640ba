/*
 * loop: independent outputs, one evaluation each.
 *
 * Three ways to walk, the first that can be:
 *
 *   flat   every operand is of the region's own shape, or one element: all
 *          axes are one, so that lanes stay full whatever the last axis is
 *   tiles  operands lie the other way in memory (a transposed copy): lanes
 *          run along their contiguous axis, and tiles of as many rows as
 *          lanes are transposed in registers, in blocks that stay in L1
 *   rows   every axis but the last in chunks, the last in blocks and lanes
 *   scatter  the operand is copied, then updates are written in order: each
 *          task has all updates of its own elements, so that none meets
 *          another's
 *
 * An index read from memory that does not depend on the last axis (a gather
 * of rows) is checked once a row, so that the row is copied by lanes.
 */
#include "realise/cost.h"

#include "ir/view.h"

#include <string.h>

static const char *const loop_params[] = {"lanes",  "block", "walk",
					  "stream", "width", NULL};
enum {
	P_LANES,
	P_BLOCK,  /* elements a task */
	P_WALK,   /* 0 rows, 1 flat, 2 tiles, 3 scatter */
	P_STREAM, /* stores past the caches: 0 never, 1 by size, 2 always */
	P_WIDTH,  /* a GPU's: elements of a run, 0: single ones, in turn */
	P_COUNT,
	P_CPU = P_WIDTH
};
enum {
	WALK_ROWS,
	WALK_FLAT,
	WALK_TILES,
	WALK_SCATTER
};

static const char *loop_admit(Arena *a, const Regions *r, uint32_t region)
{
	(void)a;
	return r->regions.p[region].kind == REGION_LOOP
		       ? NULL
		       : "the region folds axes";
}

/* ---- which way to walk ----------------------------------------------- */

/* One element, read at the same place for every element of the region. */
static bool is_single(const Program *p, ValueId v)
{
	const Value *x = program_value(p, v);

	while (op_info[x->op].cls == OPC_VIEW)
		x = program_value(p, x->args[0]);
	return x->rank == 0;
}

static bool is_whole(const Regions *r, const Region *reg, ValueId v)
{
	const Value *x = program_value(r->program, v);

	if (op_info[x->op].cls == OPC_VIEW || x->op == OP_IOTA ||
	    x->rank != reg->rank)
		return false;
	for (int d = 0; d < x->rank; d++)
		if (x->shape[d] != reg->space[d])
			return false;
	return true;
}

static bool can_be_flat(const Regions *r, uint32_t region)
{
	const Region *reg = &r->regions.p[region];

	if (reg->rank == 0)
		return false;
	for (size_t i = 0; i < reg->values.n; i++) {
		const Value *v = program_value(r->program, reg->values.p[i]);
		if (op_info[v->op].cls != OPC_ELEM ||
		    !is_whole(r, reg, reg->values.p[i]))
			return false;
		for (uint32_t j = 0; j < v->nargs; j++)
			if (!is_whole(r, reg, v->args[j]) &&
			    !is_single(r->program, v->args[j]))
				return false;
	}
	return true;
}

/*
 * The axis along which the region's first operand that does not run along
 * the last one does, or -1. Tiles are for regions without faults, whose
 * outputs are all of the whole space. *most: as many outputs are made of
 * such operands as of those that run along the last axis.
 */
static int turned_axis(const Regions *r, uint32_t region, bool *most)
{
	const Region *reg = &r->regions.p[region];
	ScratchArena scratch;
	int found = -1, turned = 0, straight = 0;

	*most = false;
	if (reg->rank < 2 || lower_is_scalar(r, region))
		return -1;
	for (size_t i = 0; i < reg->outputs.n; i++) {
		const Value *v = program_value(r->program, reg->outputs.p[i]);
		for (int d = 0; d < reg->rank; d++)
			if (v->rank != reg->rank ||
			    v->shape[d] != reg->space[d])
				return -1;
	}
	scratch_begin(&scratch);
	Kernel k = {.region = region};
	Kernels ks = {.arena = &scratch.arena,
		      .program = (Program *)r->program};
	Lower l;
	Ex index[TN_MAX_RANK];
	lower_init(&l, &ks, &k, r);
	for (int d = 0; d < reg->rank; d++)
		index[d] = ex_axis(&l.p->ex, d);
	for (size_t i = 0; i < reg->outputs.n; i++) {
		int last = lower_stride(&l, reg->outputs.p[i], index,
					reg->rank - 1);
		straight += last == 1;
		for (int d = 0; last == -1 && d < reg->rank - 1; d++) {
			if (lower_stride(&l, reg->outputs.p[i], index, d) != 1)
				continue;
			found = found < 0 ? d : found;
			turned += found == d;
		}
	}
	scratch_end(&scratch);
	*most = found >= 0 && turned >= straight;
	return found;
}

/* Whether every run-time index of the region is the same along a row. */
static bool hoists_all(const Regions *r, uint32_t region)
{
	const Region *reg = &r->regions.p[region];

	for (size_t i = 0; i < reg->values.n; i++) {
		const Value *v = program_value(r->program, reg->values.p[i]);
		if (!op_has(v->op, 'T'))
			continue;
		const Value *x = program_value(r->program, v->args[0]);
		if (v->op == OP_GATHER) {
			const Value *ix = program_value(r->program, v->args[1]);
			if (v->axis + ix->rank >= v->rank ||
			    v->rank != reg->rank)
				return false;
		} else if (op_info[v->op].cls == OPC_MOVE ||
			   !dtype_is_float(x->dtype)) {
			return false;
		}
	}
	return reg->rank > 0;
}

/* A scatter is a region of its own. */
static bool is_scatter(const Regions *r, uint32_t region)
{
	const Region *reg = &r->regions.p[region];
	Op op = program_value(r->program, reg->values.p[0])->op;

	return reg->values.n == 1 && (op == OP_SCATTER || op == OP_SCATTER_ADD);
}

/* ---- the candidate --------------------------------------------------- */

/* A tile has as many rows as lanes: more than 16 is more code than gain. */
#define TILE_LANES 16
/*
 * A block of tiles: a few lines of each row that is read, so that a line is
 * used while it is near; and many of each row that is written, so that
 * memory sees runs and not single lines.
 */
#define TILE_READ  64
#define TILE_WRITE 512

/* Elements of a task that each thread of a GPU has, in runs or one by one. */
#define GPU_RUNS  8
#define GPU_EACH  4
#define GPU_LEAST 32 /* threads of a block */

/*
 * Elements of a run: of the whole region, whose last run may be a part of one,
 * or of rows, which must be whole runs. A value that may fault or is indexed
 * at run time is computed element by element.
 */
static int loop_width(const Regions *r, uint32_t region, int64_t walk)
{
	const Region *reg = &r->regions.p[region];
	ExprTab *t = (ExprTab *)&r->program->ex;

	if (walk > WALK_FLAT || lower_is_scalar(r, region) || reg->rank == 0)
		return 0;
	if (walk == WALK_FLAT)
		return lower_width_of(r, region, ex_const(t, 0));
	int width = lower_width_of(r, region, reg->space[reg->rank - 1]);
	return width > 1 ? width : 0;
}

/* What of a GPU's parameters is not pinned goes with what is. A narrow row has
 * no more threads than runs. */
static void loop_settle(const Regions *r, uint32_t region, const Target *t,
			Candidate *c, const bool *pinned)
{
	const Region *reg = &r->regions.p[region];
	int64_t walk = c->params[P_WALK].value, n;
	int64_t *lanes = &c->params[P_LANES].value;

	if (!t->threads)
		return;
	if (!pinned[P_WIDTH])
		c->params[P_WIDTH].value = loop_width(r, region, walk);
	int64_t width = c->params[P_WIDTH].value;
	if (!pinned[P_LANES] && walk == WALK_ROWS && width > 0 && reg->rank &&
	    ex_is_const(&r->program->ex, reg->space[reg->rank - 1], &n))
		while (*lanes > GPU_LEAST && *lanes / 2 * width >= n)
			*lanes /= 2;
	if (!pinned[P_BLOCK])
		c->params[P_BLOCK].value = *lanes * (width > GPU_RUNS ? width
						     : width          ? GPU_RUNS
							     : GPU_EACH);
}

static Candidate loop_rule(const Regions *r, uint32_t region, const Target *t)
{
	int lanes = lower_lanes(r, region, t);
	int walk = WALK_ROWS;
	bool turned = false;

	if (t->threads)
		lanes = t->threads; /* and each may fault */
	else
		(void)turned_axis(r, region, &turned);
	if (is_scatter(r, region)) {
		walk = WALK_SCATTER;
		lanes = t->threads ? lanes : lower_lanes_of(r, region, t);
	} else if (can_be_flat(r, region)) {
		walk = WALK_FLAT;
	} else if (turned) {
		walk = WALK_TILES;
		lanes = lanes > TILE_LANES ? TILE_LANES : lanes;
	} else if (!t->threads && hoists_all(r, region)) {
		lanes = lower_lanes_of(r, region, t);
	}
	Candidate c = {
		.params = {{"lanes", lanes},
			   {"block", 16384},
			   {"walk", walk},
			   {"stream", 1},
			   {"width", 0}},
		.nparams = t->threads ? P_COUNT : P_CPU,
	};
	const bool pinned[MAX_PARAMS] = {false};

	loop_settle(r, region, t, &c, pinned);
	return c;
}

/* Of runs: what a walk and a width allow. */
static const char *width_legal(const Regions *r, uint32_t region,
			       const Candidate *c)
{
	int64_t width = c->params[P_WIDTH].value;
	int64_t step = c->params[P_LANES].value * width;

	if (width < 0 || width > 16 || (width & (width - 1)))
		return "width must be 0 (single elements), 1, 2, 4, 8 or 16";
	int64_t walk = c->params[P_WALK].value;
	if (width && walk > WALK_FLAT)
		return "width must be 0 on this walk";
	if (width && !loop_width(r, region, walk))
		return "width must be 0: elements are computed one by one, or "
		       "rows are no whole runs";
	if (width > loop_width(r, region, walk))
		return "width must divide the rows, and 16 bytes hold so many "
		       "elements";
	if (width && (c->params[P_BLOCK].value % step ||
		      c->params[P_BLOCK].value / step > 16))
		return "block must be 1 to 16 times lanes times width";
	return NULL;
}

static const char *loop_legal(Arena *a, const Regions *r, uint32_t region,
			      const Target *t, const Candidate *c)
{
	int64_t lanes = c->params[P_LANES].value;
	int64_t block = c->params[P_BLOCK].value;
	int64_t walk = c->params[P_WALK].value;
	bool most;

	if (t->threads &&
	    (lanes < 32 || lanes > KERNEL_MAX_THREADS || (lanes & (lanes - 1))))
		return "lanes (threads) must be 32, 64 ... 1024";
	if (t->threads && width_legal(r, region, c))
		return width_legal(r, region, c);
	if (t->threads && walk == WALK_TILES)
		return "walk=2: tiles are a CPU's";
	if (!t->threads && (lanes < 1 || lanes > 64 || (lanes & (lanes - 1))))
		return arena_printf(a, "lanes must be 1, 2, 4 ... 64");
	if (!t->threads && lanes > 1 && lower_is_scalar(r, region) &&
	    !hoists_all(r, region) && walk != WALK_SCATTER)
		return "a value of the region may fault or is indexed at run "
		       "time, so that lanes must be 1";
	if (block < lanes || block > 1 << 30)
		return "block must be at least lanes and at most 2^30";
	if (walk < WALK_ROWS || walk > WALK_SCATTER)
		return "walk must be 0 (rows), 1 (flat), 2 (tiles) or 3 "
		       "(scatter)";
	if (walk == WALK_SCATTER && !is_scatter(r, region))
		return "walk=3: the region is no scatter";
	if (walk == WALK_FLAT && !can_be_flat(r, region))
		return "walk=1: some operand is not of the region's shape";
	if (walk == WALK_TILES && turned_axis(r, region, &most) < 0)
		return "walk=2: no operand lies the other way";
	if (walk == WALK_TILES && (lanes < 2 || lanes > TILE_LANES))
		return "walk=2: lanes must be 2 to 16";
	if (c->params[P_STREAM].value < 0 || c->params[P_STREAM].value > 2)
		return "stream must be 0 (never), 1 (by size) or 2 (always)";
	return NULL;
}

/* ---- lowering -------------------------------------------------------- */

typedef struct Loop {
	Lower l;
	ExprTab *t;
	const Region *reg;
	int lanes;
	int64_t block;
	int width; /* of a thread's runs, 0: single elements */
	Ex index[TN_MAX_RANK];
} Loop;

/* In topological order, so that lower_value never goes deep. */
static void body(Loop *p)
{
	const Region *reg = p->reg;

	for (size_t i = 0; i < reg->values.n; i++)
		lower_value(&p->l, reg->values.p[i], p->index);
	for (size_t i = 0; i < reg->outputs.n; i++)
		lower_result(&p->l, reg->outputs.p[i], p->index);
}

static LoopMap lane_map(const Loop *p)
{
	return p->lanes > 1 ? MAP_VECTOR : MAP_SERIAL;
}

/* A task a block of `size` of the extent, and the loop over the block. */
static Ex blocked(Loop *p, Ex extent, int64_t block)
{
	Ex size = ex_const(p->t, block);
	Ex first = ex_mul(
		p->t, lower_task(&p->l, ex_ceil_div(p->t, extent, size)), size);
	Ex rest = ex_sub(p->t, extent, first);

	return ex_add(p->t, first,
		      lower_for(&p->l, ex_min(p->t, size, rest), lane_map(p),
				p->lanes));
}

/* A task a block of the extent, each thread's part of it in runs. */
static void body_in_runs(Loop *p, Ex extent, Ex *index)
{
	Lower *l = &p->l;
	int64_t step = (int64_t)p->lanes * p->width;
	Run run = {.width = p->width, .turns = (int)(p->block / step)};
	Ex size = ex_const(p->t, p->block);
	Ex first = ex_mul(p->t, lower_task(l, ex_ceil_div(p->t, extent, size)),
			  size);

	*index = lower_run_open(l, &run, first, extent, ex_const(p->t, 1));
	body(p);
	*index = lower_run_rest(l, &run);
	if (run.rest)
		body(p);
	lower_run_close(l, &run, NULL);
}

static void walk_flat(Loop *p)
{
	Ex total = ex_const(p->t, 1);

	for (int d = 0; d < p->reg->rank; d++) {
		total = ex_mul(p->t, total, p->reg->space[d]);
		p->index[d] = ex_const(p->t, 0);
	}
	lower_flat(&p->l, total);
	if (p->width) {
		body_in_runs(p, total, &p->index[0]);
		return;
	}
	p->index[0] = blocked(p, total, p->block);
	body(p);
	lower_end(&p->l);
}

static void walk_rows(Loop *p)
{
	int rank = p->reg->rank;
	bool hoisted = false;

	if (rank == 0) {
		body(p);
		return;
	}
	Ex width = p->reg->space[rank - 1];
	lower_rows(&p->l, p->reg->space, rank - 1,
		   lower_chunk(&p->l, p->block, width), p->index);
	if (p->l.scalar && p->lanes > 1) {
		Ex some = ex_sub(p->t, width, ex_const(p->t, 1));
		lower_if(&p->l, &some, 1);
		p->index[rank - 1] = ex_const(p->t, 0);
		for (size_t i = 0; i < p->reg->values.n; i++)
			lower_hoist(&p->l, p->reg->values.p[i], p->index);
		p->l.scalar = false;
		hoisted = true;
	}
	if (p->width) {
		body_in_runs(p, width, &p->index[rank - 1]);
		lower_end(&p->l);
		return;
	}
	p->index[rank - 1] = blocked(p, width, p->block);
	body(p);
	lower_end(&p->l);
	if (hoisted)
		lower_end(&p->l);
	lower_end(&p->l);
}

/* Tiles of the block at hand: `lanes` columns unrolled under vectors of
 * rows, then the columns that are left, one by one. */
static void walk_tiles(Loop *p, int turned)
{
	Lower *l = &p->l;
	ExprTab *t = p->t;
	int last = p->reg->rank - 1;
	Ex read = ex_const(t, TILE_READ), write = ex_const(t, TILE_WRITE);
	Ex lanes = ex_const(t, p->lanes);

	for (int d = 0; d < last; d++)
		if (d != turned)
			p->index[d] = lower_task(l, p->reg->space[d]);
	Ex row = ex_mul(
		t, lower_task(l, ex_ceil_div(t, p->reg->space[turned], read)),
		read);
	Ex col = ex_mul(
		t, lower_task(l, ex_ceil_div(t, p->reg->space[last], write)),
		write);
	Ex rows = ex_min(t, read, ex_sub(t, p->reg->space[turned], row));
	Ex cols = ex_min(t, write, ex_sub(t, p->reg->space[last], col));
	Ex whole = ex_div(t, cols, lanes);

	p->index[turned] =
		ex_add(t, row, lower_for(l, rows, MAP_VECTOR, p->lanes));
	Ex tile = ex_add(t, col,
			 ex_mul(t, lower_for(l, whole, MAP_SERIAL, 1), lanes));
	p->index[last] = ex_add(t, tile, lower_for(l, lanes, MAP_UNROLL, 1));
	body(p);
	lower_end(l);
	lower_end(l);
	Ex left = ex_add(t, col, ex_mul(t, whole, lanes));
	p->index[last] = ex_add(
		t, left, lower_for(l, ex_mod(t, cols, lanes), MAP_SERIAL, 1));
	body(p);
	lower_end(l);
	lower_end(l);
}

/*
 * The updates in the order of their index. Tasks share out the elements
 * before and behind the axis; an empty axis has no elements and no faults.
 */
static void put_updates(Loop *p, ValueId id)
{
	Lower *l = &p->l;
	ExprTab *t = p->t;
	const Value *v = program_value(l->p, id);
	const Value *u = program_value(l->p, v->args[2]);
	Ex to[TN_MAX_RANK], from[TN_MAX_RANK], one = ex_const(t, 1);
	int axis = (int)v->axis, last = v->rank - 1;
	Ex extent = v->shape[axis], block = one;
	uint32_t out = lower_output(l, id);

	lower_phase(l, "scatter");
	(void)lower_task(l, ex_min(t, extent, one));
	for (int d = 0; d < v->rank; d++)
		if (d != axis && d != last)
			to[d] = lower_task(l, v->shape[d]);
	Ex size = ex_const(t, p->block);
	if (axis != last)
		block = ex_mul(
			t, lower_task(l, ex_ceil_div(t, v->shape[last], size)),
			size);
	Ex j = lower_for(l, u->shape[axis], MAP_SERIAL, 1);
	Ex i = lower_index(l, v->args[1], &j, extent, id);
	Ex inside = ex_sub(t, ex_sub(t, extent, i), one);
	lower_if(l, &inside, 1);
	if (axis != last) {
		Ex rest = ex_sub(t, v->shape[last], block);
		to[last] = ex_add(t, block,
				  lower_for(l, ex_min(t, size, rest),
					    lane_map(p), p->lanes));
	}
	memcpy(from, to, (size_t)v->rank * sizeof(Ex));
	to[axis] = i;
	from[axis] = j;
	VarId x = lower_value(l, v->args[2], from);
	if (v->op == OP_SCATTER_ADD) {
		VarId args[2] = {lower_load(l, out, to), x};
		x = lower_op(l, OP_ADD, v->dtype, v->dtype, args, 2, id);
	}
	lower_store(l, out, to, x);
	if (axis != last)
		lower_end(l);
	lower_end(l);
	lower_end(l);
}

static void walk_scatter(Loop *p)
{
	Lower *l = &p->l;
	ValueId id = p->reg->values.p[0];
	const Value *v = program_value(l->p, id);
	int last = v->rank - 1;
	Ex width = v->shape[last];

	lower_rows(l, v->shape, last, lower_chunk(l, p->block, width),
		   p->index);
	p->index[last] = blocked(p, width, p->block);
	lower_store(l, lower_output(l, id), p->index,
		    lower_value(l, v->args[0], p->index));
	lower_end(l);
	lower_end(l);
	put_updates(p, id);
}

static void loop_lower(Kernels *ks, Kernel *k, const Regions *r,
		       const Target *target, const Candidate *c)
{
	Loop p = {.t = &ks->program->ex,
		  .reg = &r->regions.p[k->region],
		  .lanes = (int)c->params[P_LANES].value,
		  .block = c->params[P_BLOCK].value};

	const char *how;
	bool most;

	lower_init(&p.l, ks, k, r);
	if (target->threads) {
		p.l.threads = p.lanes;
		p.l.scalar = false;
		p.width = (int)c->params[P_WIDTH].value;
	}
	lower_phase(&p.l, "main");
	switch (c->params[P_WALK].value) {
	case WALK_FLAT:
		walk_flat(&p);
		how = "all axes are one: every operand has this shape";
		break;
	case WALK_TILES:
		walk_tiles(&p, turned_axis(r, k->region, &most));
		how = "tiles transposed in registers, in blocks of 64 x 512";
		break;
	case WALK_SCATTER:
		walk_scatter(&p);
		how = "the operand is copied, then updates written in order";
		break;
	default:
		walk_rows(&p);
		how = "every output element is computed on its own";
	}
	k->note = how;
	if (target->threads) {
		lower_by_size(&p.l, ST_COPY, c->params[P_STREAM].value, target);
		return;
	}
	k->note = arena_printf(ks->arena,
			       "%s; past the caches beyond %lld kB of inputs "
			       "and outputs",
			       how, (long long)target_cached(target) >> 10);
	/* updates may fall on one place again and again */
	if (c->params[P_WALK].value != WALK_SCATTER)
		lower_by_size(&p.l, ST_STORE, c->params[P_STREAM].value,
			      target);
}

static void loop_domain(const Regions *r, uint32_t region, const Target *t,
			Domain by[MAX_PARAMS])
{
	int lanes = lower_lanes(r, region, t);

	by[P_WALK] = (Domain){{WALK_ROWS, WALK_FLAT, WALK_TILES}, 3};
	if (t->threads) {
		by[P_LANES] = (Domain){{64, 128, 256, 512}, 4};
		by[P_BLOCK] = (Domain){{512, 1024, 2048, 4096, 8192}, 5};
		by[P_WIDTH] = (Domain){{0, 2, 4, 8}, 4};
		by[P_STREAM] = (Domain){{2}, 1};
		return;
	}
	by[P_STREAM] = (Domain){{0, 2}, 2};
	by[P_LANES] = (Domain){{lanes / 2}, lanes > 1};
	by[P_BLOCK] = (Domain){{2048, 4096, 65536, 262144}, 4};
}

static Cost loop_cost(const Regions *r, uint32_t region, const Target *t,
		      const Candidate *c, const int64_t *dims)
{
	return cost_lowered(&realise_loop, r, region, t, c, dims);
}

const Realisation realise_loop = {
	"loop",     loop_params, loop_admit,  loop_rule, loop_legal,
	loop_lower, loop_settle, loop_domain, loop_cost,
};
