/*
 * gpu_contract: a product on a GPU.
 *
 * A task is a tile of rows x columns of the result, computed by a block of
 * threads. Blocks of `depth` of K of both operands come to the block's memory
 * while those before are multiplied, and the sums stay in registers, where what
 * follows the product finishes them. Each sum is made by one thread or one
 * unit, in the order of k, so that a row's bits depend on nothing but its own
 * inputs and the plan.
 */
#include "realise/gpu_contract.h"

#include "ir/view.h"

#include <string.h>

static const char *const gpu_params[] = {
	"unit",   "rows",     "columns", "depth", "threads",
	"stages", "operands", "small",   "split", NULL};

/* ---- the candidate --------------------------------------------------- */

static const char *gpu_admit(Arena *a, const Regions *r, uint32_t region)
{
	(void)a;
	return r->regions.p[region].kind == REGION_CONTRACT
		       ? NULL
		       : "the region has no product";
}

static int64_t known(const ExprTab *t, Ex e)
{
	int64_t n;

	return ex_is_const(t, e, &n) ? n : -1;
}

/* Whether another phase of the kernel makes the operand, or a kernel that is no
 * product. */
static bool is_made_by_others(const Regions *r, uint32_t region, ValueId id)
{
	const Value *v = program_value(r->program, id);

	while (op_info[v->op].cls == OPC_VIEW) {
		id = v->args[0];
		v = program_value(r->program, id);
	}
	if (op_info[v->op].cls == OPC_LEAF)
		return false;
	return r->of[id] == region ||
	       r->regions.p[r->of[id]].kind != REGION_CONTRACT;
}

static GpuExtents extents_of(const Regions *r, const Value *v, const Target *t)
{
	const Program *q = r->program;
	const Value *x = program_value(q, v->args[0]);
	uint32_t region = r->of[v - q->values.p];
	bool invariant = v->relax & RELAX_ROW_INVARIANT;
	GpuExtents e = {
		.least_parts = 1,
		/* the choice would depend on the number of rows; its costs are
		 * those of CUDA */
		.most_parts = invariant || !t->cuda ? 1 : GP_MAX_SPLIT,
		.batch = 1,
		.m = known(&q->ex, v->shape[v->rank - 2]),
		.n = known(&q->ex, v->shape[v->rank - 1]),
		.k = known(&q->ex, x->shape[x->rank - 1]),
		.behind = is_made_by_others(r, region, v->args[0]) ||
			  is_made_by_others(r, region, v->args[1]),
	};

	for (int d = 0; d + 2 < v->rank; d++) {
		int64_t n = known(&q->ex, v->shape[d]);
		e.batch = n < 0 || e.batch < 0 ? -1 : e.batch * n;
	}
	return e;
}

int gp_element_bytes(const Program *q, const Value *v)
{
	return dtype_info[program_value(q, v->args[0])->dtype].bytes;
}

/* The first unit of the target that multiplies the product's operands. */
MatrixUnit gp_unit_of(const Regions *r, const Value *v, const Target *t)
{
	MatrixUnit unit = UNIT_FMA;
	ScratchArena a;

	scratch_begin(&a);
	for (size_t i = 0; i < t->nunits && unit == UNIT_FMA; i++)
		if (!gp_mma_refuses(&a.arena, r, v, t, t->units[i]))
			unit = t->units[i];
	scratch_end(&a);
	return unit;
}

int64_t gp_tile_count(const GpuExtents *x, int64_t rows, int64_t columns)
{
	return x->batch * ((x->m + rows - 1) / rows) *
	       ((x->n + columns - 1) / columns);
}

static void rule(const Regions *r, const Value *v, const Target *t,
		 const GpuExtents *x, int64_t *par)
{
	MatrixUnit unit = gp_unit_of(r, v, t);

	if (unit != UNIT_FMA)
		gp_mma_rule(x, t, unit, gp_element_bytes(r->program, v), par);
	else
		gp_simt_rule(x, t, v->acc, par);
}

static Candidate gpu_rule(const Regions *r, uint32_t region, const Target *t)
{
	const Value *v = program_value(r->program, r->regions.p[region].anchor);
	GpuExtents x = extents_of(r, v, t);
	int64_t par[P_COUNT];
	Candidate c = {.nparams = P_COUNT};

	rule(r, v, t, &x, par);
	for (int i = 0; i < P_COUNT; i++)
		c.params[i] = (KParam){gpu_params[i], par[i]};
	return c;
}

static void product_init(GpuProduct *p, Kernels *ks, Kernel *k,
			 const Regions *r, const int64_t *par)
{
	*p = (GpuProduct){.t = &ks->program->ex};
	lower_init(&p->l, ks, k, r);
	memcpy(p->par, par, sizeof(p->par));
	p->l.threads = (int)par[P_THREADS];
	p->v = program_value(p->l.p, p->l.region->anchor);
	p->acc = p->v->acc;
	p->batch = p->v->rank - 2;
	p->m = p->v->shape[p->batch];
	p->n = p->v->shape[p->batch + 1];
	p->k = program_value(p->l.p, p->v->args[0])->shape[p->batch + 1];
}

void gp_product_init(GpuProduct *p, Kernels *ks, Kernel *k, const Regions *r,
		     const Target *t, const int64_t *par)
{
	product_init(p, ks, k, r, par);
	p->target = t;
	for (int d = 0; d < p->batch; d++)
		p->at[d] = ex_axis(p->t, k->naxes++);
}

/* What lowering would find out of operands, of a kernel that is not made. */
static const char *refuses(Arena *a, const Regions *r, uint32_t region,
			   const Target *t, const int64_t *par)
{
	Kernels ks = {.arena = a, .program = (Program *)r->program};
	Kernel k = {.region = region};
	GpuProduct p;

	gp_product_init(&p, &ks, &k, r, t, par);
	if (par[P_UNIT] == UNIT_FMA)
		return gp_simt_refuses(&p);
	return par[P_OPERANDS] == OPERANDS_FORWARDED ? gp_mma_forwards(&p)
						     : NULL;
}

static const char *gpu_legal(Arena *a, const Regions *r, uint32_t region,
			     const Target *t, const Candidate *c)
{
	int64_t par[P_COUNT];
	const Value *v = program_value(r->program, r->regions.p[region].anchor);
	const char *why;

	for (int i = 0; i < P_COUNT; i++)
		par[i] = c->params[i].value;
	if (par[P_THREADS] < 32 || par[P_THREADS] > KERNEL_MAX_THREADS ||
	    (par[P_THREADS] & (par[P_THREADS] - 1)))
		return "threads must be 32, 64 ... 1024";
	if (par[P_OPERANDS] < OPERANDS_EACH ||
	    par[P_OPERANDS] > OPERANDS_FORWARDED)
		return "operands are staged or forwarded";
	if (par[P_SMALL] && (par[P_SMALL] != 1 || par[P_UNIT] != UNIT_WGMMA))
		return "small is 0, or 1 with unit=wgmma";
	if (par[P_SPLIT] < 1 || par[P_SPLIT] > GP_MAX_SPLIT)
		return arena_printf(a, "split must be 1 to %d", GP_MAX_SPLIT);
	if (par[P_UNIT] == UNIT_FMA) {
		why = gp_simt_legal(a, t, v->acc, par);
	} else {
		if (par[P_UNIT] != UNIT_MMA && par[P_UNIT] != UNIT_WGMMA)
			return arena_printf(a, "%s has no such unit", t->name);
		why = gp_mma_refuses(a, r, v, t, (MatrixUnit)par[P_UNIT]);
		if (!why)
			why = gp_mma_legal(
				a, t, gp_element_bytes(r->program, v), par);
	}
	return why ? why : refuses(a, r, region, t, par);
}

/* A tile that goes with the parts, and no parts with a tile. */
static void settle_split(const Regions *r, const Value *v, const Target *t,
			 int64_t *par, const bool *pinned)
{
	GpuExtents x = extents_of(r, v, t);
	int64_t here[P_COUNT];
	bool tile = pinned[P_ROWS] || pinned[P_COLUMNS] || pinned[P_THREADS];

	if (tile && !pinned[P_SPLIT])
		par[P_SPLIT] = 1;
	if (tile || !pinned[P_SPLIT] || par[P_SPLIT] < 1)
		return;
	x.least_parts = x.most_parts = par[P_SPLIT];
	rule(r, v, t, &x, here);
	for (int i = 0; i < P_COUNT; i++)
		if (!pinned[i] && i != P_SMALL)
			par[i] = here[i];
}

static void gpu_settle(const Regions *r, uint32_t region, const Target *t,
		       Candidate *c, const bool *pinned)
{
	const Value *v = program_value(r->program, r->regions.p[region].anchor);
	int64_t par[P_COUNT];
	bool any = false;
	ScratchArena a;

	for (int i = 0; i < P_COUNT; i++) {
		par[i] = c->params[i].value;
		any |= pinned[i] && i != P_UNIT && i != P_OPERANDS;
	}
	if (!any)
		return;
	if (!pinned[P_SMALL])
		par[P_SMALL] = 0;
	settle_split(r, v, t, par, pinned);
	scratch_begin(&a);
	if (par[P_UNIT] == UNIT_FMA)
		gp_simt_settle(&a.arena, t, v->acc, par, pinned);
	else if (!gp_mma_refuses(&a.arena, r, v, t, (MatrixUnit)par[P_UNIT]))
		gp_mma_settle(&a.arena, t, gp_element_bytes(r->program, v), par,
			      pinned);
	scratch_end(&a);
	for (int i = 0; i < P_COUNT; i++)
		c->params[i].value = par[i];
}

int gp_run(DType acc)
{
	/* registers hold 16-bit floats and bools otherwise than memory */
	bool plain = acc != DT_F16 && acc != DT_BF16 && acc != DT_BOOL;

	return plain ? GP_MOVE_BYTES / dtype_info[acc].bytes : 1;
}

/* ---- operands -------------------------------------------------------- */

ValueId gp_operand(const GpuProduct *p, int number, Ex place, Ex k, Ex *index)
{
	memcpy(index, p->at, (size_t)p->batch * sizeof(Ex));
	index[p->batch + number] = place;
	index[p->batch + 1 - number] = k;
	return p->v->args[number];
}

bool gp_along_k(GpuProduct *p, int number)
{
	Ex index[TN_MAX_RANK];
	int64_t axis = p->l.k->naxes; /* that no loop uses */
	ValueId v =
		gp_operand(p, number, gp_num(p, 0), ex_axis(p->t, axis), index);

	return lower_stride(&p->l, v, index, axis) == 1;
}

/* Adds a condition that width divides a dim, unless it is there. */
static bool need_dim(const GpuProduct *p, Ex dim, int width, Ex *conds,
		     uint32_t *n)
{
	Ex cond =
		ex_sub(p->t, gp_num(p, 0), ex_mod(p->t, dim, gp_num(p, width)));

	for (uint32_t i = 0; n && i < *n; i++)
		if (conds[i] == cond)
			return true;
	if (!n || *n == GP_DIMS)
		return false;
	conds[(*n)++] = cond;
	return true;
}

bool gp_divided(const GpuProduct *p, Ex x, int width, Ex *conds, uint32_t *n)
{
	const ExNode *node = ex_node(p->t, x);

	if (ex_equals(p->t, ex_mod(p->t, x, gp_num(p, width)), 0))
		return true;
	if (node->kind == EX_DIM)
		return need_dim(p, x, width, conds, n);
	if (node->kind != EX_POLY)
		return false;
	for (uint32_t i = 0; i < node->nterms; i++) {
		const ExTerm *m = &node->terms[i];
		bool good = m->coef % width == 0;
		for (uint32_t k = 0; k < m->natoms && !good; k++)
			good = ex_node(p->t, m->atoms[k])->kind == EX_DIM &&
			       need_dim(p, m->atoms[k], width, conds, n);
		if (!good)
			return false;
	}
	return true;
}

bool gp_lies_where(GpuProduct *p, int number, bool along, int width,
		   Ex conds[GP_DIMS], uint32_t *n)
{
	ExprTab *t = p->t;
	Ex index[TN_MAX_RANK], w = gp_num(p, width), at[TN_MAX_RANK];
	int64_t run = p->l.k->naxes; /* that no loop uses, as the next ones */
	Ex a = ex_mul(t, ex_axis(t, run), w), b = ex_axis(t, run + 1);
	Ex extent = along ? p->k : number ? p->n : p->m, number_of = 0;
	KOperand o;

	memcpy(at, p->at, sizeof(at));
	for (int d = 0; d < p->batch; d++)
		p->at[d] = ex_axis(t, run + 2 + d);
	ValueId v = gp_operand(p, number, along ? b : a, along ? a : b, index);
	memcpy(p->at, at, sizeof(at));
	if (!lower_place(&p->l, v, index, &o) || !o.nindex)
		return false;
	const KBuffer *buffer = &p->l.k->buffers.p[o.buffer];
	if (buffer->dtype != program_value(p->l.p, v)->dtype ||
	    !gp_divided(p, extent, width, conds, n))
		return false;
	for (int d = 0; d < o.nindex; d++) {
		bool last = d == o.nindex - 1;
		Ex x = last ? ex_sub(t, o.index[d], a) : o.index[d];
		if (ex_uses_axis(t, x, run))
			return false;
		number_of = ex_add(t, ex_mul(t, number_of, buffer->shape[d]),
				   o.index[d]);
	}
	return gp_divided(p, number_of, width, conds, n);
}

bool gp_lies(GpuProduct *p, int number, bool along, int width)
{
	return gp_lies_where(p, number, along, width, NULL, NULL);
}

KOperand gp_place(GpuProduct *p, int number, Ex place, Ex k)
{
	Ex index[TN_MAX_RANK];
	KOperand o;

	bug_if(!lower_place(&p->l, gp_operand(p, number, place, k, index),
			    index, &o));
	return o;
}

bool gp_batch_varies(const GpuProduct *p, int number, int d)
{
	const Value *v = program_value(p->l.p, p->v->args[number]), *x;
	Ex map[TN_MAX_RANK];

	if (op_info[v->op].cls != OPC_VIEW)
		return true;
	x = program_value(p->l.p, v->args[0]);
	view_map(p->l.p, v, map);
	for (int i = 0; i < x->rank; i++)
		if (ex_uses_axis(p->t, map[i], d))
			return true;
	return false;
}

void gp_tasks(GpuProduct *p, const char *name, Ex flag)
{
	Lower *l = &p->l;
	ExprTab *t = p->t;
	Ex rows = gp_num(p, p->par[P_ROWS]);
	Ex columns = gp_num(p, p->par[P_COLUMNS]);
	Ex down = ex_ceil_div(t, p->m, rows);

	lower_phase(l, name);
	gp_take_part(p);
	for (int d = 0; d < p->batch; d++)
		p->at[d] = lower_task(l, p->v->shape[d]);
	if (flag != NO_FLAG) /* apart from rows, of which much is proved */
		(void)lower_task(l, flag);
	p->row = ex_mul(t, lower_task(l, down), rows);
	p->column = ex_mul(t, lower_task(l, ex_ceil_div(t, p->n, columns)),
			   columns);
}

bool gp_divides(const GpuProduct *p, int64_t by, Ex extent)
{
	return ex_equals(p->t, ex_mod(p->t, extent, gp_num(p, by)), 0);
}

bool gp_whole(const GpuProduct *p, int axis)
{
	return gp_divides(p, gp_wide(p, axis), axis ? p->n : p->m);
}

uint32_t gp_inside(const GpuProduct *p, int number, Ex place, Ex k,
		   const int width[2], Ex *conds)
{
	Ex extent = number ? p->n : p->m;
	uint32_t n = 0;

	if (!gp_divides(p, gp_wide(p, number), extent))
		conds[n++] = ex_sub(p->t, ex_sub(p->t, extent, place),
				    gp_num(p, width[0]));
	if (!gp_divides(p, p->par[P_DEPTH], p->k))
		conds[n++] = ex_sub(p->t, ex_sub(p->t, p->k, k),
				    gp_num(p, width[1]));
	return n;
}

/* ---- results --------------------------------------------------------- */

bool gp_stores_runs(const GpuProduct *p, int64_t run, Ex *conds, uint32_t *n)
{
	const Lower *l = &p->l;

	for (size_t i = 0; i < l->region->outputs.n; i++) {
		const Value *v = program_value(l->p, l->region->outputs.p[i]);
		int64_t bytes = run * dtype_info[v->dtype].bytes;
		if (v->rank != p->v->rank ||
		    memcmp(v->shape, p->v->shape, v->rank * sizeof(Ex)) != 0 ||
		    (bytes != 4 && bytes != 8 && bytes % GP_MOVE_BYTES))
			return false;
	}
	return run > 1 && l->region->outputs.n > 0 &&
	       gp_divided(p, p->n, (int)run, conds, n);
}

/* Rounds the sum of the element at index, unless it was, and binds it. */
static void finish_element(GpuProduct *p, uint32_t sums, const Ex *at,
			   const Ex *index)
{
	Lower *l = &p->l;
	ValueId id = l->region->anchor;
	VarId x = lower_load(l, sums, at);

	if (l->k->buffers.p[sums].dtype == p->acc)
		x = lower_round(l, p->v->dtype, p->acc, x, id);
	lower_bind(l, id, index, x);
}

static void finish_run(GpuProduct *p, Ex thread, Ex *index, int64_t run,
		       uint32_t sums, Ex *at, Ex *sum)
{
	Lower *l = &p->l;
	const Region *r = l->region;
	Ex first = index[p->batch + 1];

	if (!p->results) { /* registers, the same for all runs */
		p->results = arena_array(l->arena, uint32_t, r->outputs.n + 1);
		Ex shape[2] = {gp_num(p, p->par[P_THREADS]), gp_num(p, run)};
		for (size_t i = 0; i < r->outputs.n; i++)
			p->results[i] = lower_buffer(
				l, SCOPE_REG,
				program_value(l->p, r->outputs.p[i])->dtype,
				shape, 2, "result");
	}
	Run loop;
	lower_run_around(l, &loop, thread, (int)run);
	Ex last = loop.element;
	*sum = ex_add(p->t, *sum, last);
	index[p->batch + 1] = ex_add(p->t, first, last);
	finish_element(p, sums, at, index);
	for (size_t i = 0; i < r->values.n; i++)
		if (l->r->part[r->values.p[i]] == PART_EPILOGUE)
			lower_value(l, r->values.p[i], index);
	for (size_t i = 0; i < r->outputs.n; i++) {
		Ex to[2] = {thread, last};
		lower_store(l, p->results[i], to,
			    lower_value(l, r->outputs.p[i], index));
	}
	lower_run_bring(l, &loop);
	index[p->batch + 1] = first;
	for (size_t i = 0; i < r->outputs.n; i++) {
		ValueId v = r->outputs.p[i];
		int64_t most = GP_MOVE_BYTES /
			       dtype_info[program_value(l->p, v)->dtype].bytes;
		for (int64_t c = 0; c < run; c += most) {
			KOperand from = {.buffer = p->results[i],
					 .nindex = 2,
					 .index = {thread, gp_num(p, c)}};
			index[p->batch + 1] = ex_add(p->t, first, gp_num(p, c));
			lower_copy(l, lower_output(l, v), index, &from,
				   (int)(run < most ? run : most), false, NULL,
				   0);
		}
		index[p->batch + 1] = first;
	}
}

void gp_finish_inside(GpuProduct *p, Ex thread, Ex row, Ex column, int64_t run,
		      bool whole, uint32_t sums, const Ex *at)
{
	Lower *l = &p->l;
	Ex index[TN_MAX_RANK], own[K_MAX_RANK];
	int last = l->k->buffers.p[sums].rank - 1;

	memcpy(own, at, (size_t)(last + 1) * sizeof(Ex));
	memcpy(index, p->at, (size_t)p->batch * sizeof(Ex));
	index[p->batch] = ex_add(p->t, p->row, row);
	index[p->batch + 1] = ex_add(p->t, p->column, column);
	if (whole) {
		finish_run(p, thread, index, run, sums, own, &own[last]);
		return;
	}
	finish_element(p, sums, own, index);
	lower_epilogue(l, index);
}

void gp_finish(GpuProduct *p, Ex thread, Ex row, Ex column, int64_t run,
	       bool whole, uint32_t sums, const Ex *at)
{
	Lower *l = &p->l;
	ExprTab *t = p->t;
	Ex inside[2], one = gp_num(p, 1), own[K_MAX_RANK];
	int last = l->k->buffers.p[sums].rank - 1;
	Ex width = gp_num(p, whole ? run : 1);
	uint32_t n = 0;

	memcpy(own, at, (size_t)(last + 1) * sizeof(Ex));
	if (!whole) {
		Ex next = lower_for(l, gp_num(p, run), MAP_UNROLL, 1);
		own[last] = ex_add(t, own[last], next);
		column = ex_add(t, column, next);
	}
	Ex down = ex_sub(t, p->m, ex_add(t, p->row, row));
	Ex across = ex_sub(t, p->n, ex_add(t, p->column, column));
	if (!gp_whole(p, 0))
		inside[n++] = ex_sub(t, down, one);
	if (!gp_whole(p, 1))
		inside[n++] = ex_sub(t, across, width);
	lower_if(l, inside, n);
	gp_finish_inside(p, thread, row, column, run, whole, sums, own);
	lower_end(l);
	if (!whole)
		lower_end(l);
}

/* ---- the kernel ------------------------------------------------------ */

static void gpu_lower(Kernels *ks, Kernel *k, const Regions *r,
		      const Target *target, const Candidate *c)
{
	GpuProduct p;
	int64_t par[P_COUNT];

	for (int i = 0; i < P_COUNT; i++)
		par[i] = c->params[i].value;
	product_init(&p, ks, k, r, par);
	p.target = target;
	if (par[P_UNIT] != UNIT_FMA)
		gp_mma_lower(&p);
	else
		gp_simt_lower(&p);
}

const Realisation realise_gpu_contract = {
	"contract", gpu_params, gpu_admit, gpu_rule, gpu_legal,
	gpu_lower,  gpu_settle, gp_domain, gp_cost,
};
