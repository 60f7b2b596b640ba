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

#include <string.h>

static const char *const gpu_params[] = {"unit",  "rows",    "columns",
					 "depth", "threads", NULL};

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

static GpuExtents extents_of(const Program *q, const Value *v)
{
	const Value *x = program_value(q, v->args[0]);
	GpuExtents e = {
		.batch = 1,
		.m = known(&q->ex, v->shape[v->rank - 2]),
		.n = known(&q->ex, v->shape[v->rank - 1]),
		.k = known(&q->ex, x->shape[x->rank - 1]),
	};

	for (int d = 0; d + 2 < v->rank; d++) {
		int64_t n = known(&q->ex, v->shape[d]);
		e.batch = n < 0 || e.batch < 0 ? -1 : e.batch * n;
	}
	return e;
}

static Candidate gpu_rule(const Regions *r, uint32_t region, const Target *t)
{
	const Value *v = program_value(r->program, r->regions.p[region].anchor);
	GpuExtents x = extents_of(r->program, v);
	int64_t par[P_COUNT];
	Candidate c = {.nparams = P_COUNT};

	gp_simt_rule(&x, t, v->acc, par);
	for (int i = 0; i < P_COUNT; i++)
		c.params[i] = (KParam){gpu_params[i], par[i]};
	return c;
}

static const char *gpu_legal(Arena *a, const Regions *r, uint32_t region,
			     const Target *t, const Candidate *c)
{
	int64_t par[P_COUNT];
	const Value *v = program_value(r->program, r->regions.p[region].anchor);

	for (int i = 0; i < P_COUNT; i++)
		par[i] = c->params[i].value;
	if (par[P_THREADS] < 32 || par[P_THREADS] > KERNEL_MAX_THREADS ||
	    (par[P_THREADS] & (par[P_THREADS] - 1)))
		return "threads must be 32, 64 ... 1024";
	if (par[P_UNIT] != UNIT_FMA)
		return arena_printf(a, "%s has no such unit", t->name);
	return gp_simt_legal(a, t, v->acc, par);
}

static void gpu_settle(const Regions *r, uint32_t region, const Target *t,
		       Candidate *c, const bool *pinned)
{
	const Value *v = program_value(r->program, r->regions.p[region].anchor);
	int64_t par[P_COUNT];
	Arena a;

	for (int i = 0; i < P_COUNT; i++)
		par[i] = c->params[i].value;
	arena_init(&a);
	gp_simt_settle(&a, t, v->acc, par, pinned);
	arena_release(&a);
	for (int i = 0; i < P_COUNT; i++)
		c->params[i].value = par[i];
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
	ValueId v = gp_operand(p, number, gp_num(p, 0), ex_axis(p->t, axis),
			       index);

	return lower_stride(&p->l, v, index, axis) == 1;
}

bool gp_lies(GpuProduct *p, int number, bool along, int width)
{
	ExprTab *t = p->t;
	Ex index[TN_MAX_RANK], zero = gp_num(p, 0), w = gp_num(p, width);
	int64_t run = p->l.k->naxes; /* that no loop uses, as the next one */
	Ex a = ex_mul(t, ex_axis(t, run), w), b = ex_axis(t, run + 1);
	ValueId v = gp_operand(p, number, along ? b : a, along ? a : b, index);
	Ex extent = along ? p->k : number ? p->n : p->m;
	KOperand o;

	if (!lower_place(&p->l, v, index, &o) || !o.nindex)
		return false;
	const KBuffer *buffer = &p->l.k->buffers.p[o.buffer];
	if (buffer->dtype != program_value(p->l.p, v)->dtype ||
	    !ex_equals(t, ex_mod(t, extent, w), 0))
		return false;
	Ex number_of = zero;
	for (int d = 0; d < o.nindex; d++) {
		bool last = d == o.nindex - 1;
		Ex x = last ? ex_sub(t, o.index[d], a) : o.index[d];
		if (ex_uses_axis(t, x, run))
			return false;
		number_of = ex_add(t, ex_mul(t, number_of, buffer->shape[d]),
				   o.index[d]);
	}
	return ex_equals(t, ex_mod(t, number_of, w), 0);
}

KOperand gp_place(GpuProduct *p, int number, Ex place, Ex k)
{
	Ex index[TN_MAX_RANK];
	KOperand o;

	bug_if(!lower_place(&p->l, gp_operand(p, number, place, k, index),
			    index, &o));
	return o;
}

static bool divides(const GpuProduct *p, int64_t by, Ex extent)
{
	return ex_equals(p->t, ex_mod(p->t, extent, gp_num(p, by)), 0);
}

uint32_t gp_inside(const GpuProduct *p, int number, Ex place, Ex k, Ex *conds)
{
	Ex extent = number ? p->n : p->m, one = gp_num(p, 1);
	uint32_t n = 0;

	if (!divides(p, gp_wide(p, number), extent))
		conds[n++] = ex_sub(p->t, ex_sub(p->t, extent, place), one);
	if (!divides(p, p->par[P_DEPTH], p->k))
		conds[n++] = ex_sub(p->t, ex_sub(p->t, p->k, k), one);
	return n;
}

/* ---- results --------------------------------------------------------- */

void gp_finish(GpuProduct *p, Ex row, Ex column, uint32_t sums, const Ex *at)
{
	Lower *l = &p->l;
	ExprTab *t = p->t;
	Ex index[TN_MAX_RANK], inside[2], one = gp_num(p, 1);
	uint32_t n = 0;

	row = ex_add(t, p->row, row);
	column = ex_add(t, p->column, column);
	if (!divides(p, p->par[P_ROWS], p->m))
		inside[n++] = ex_sub(t, ex_sub(t, p->m, row), one);
	if (!divides(p, p->par[P_COLUMNS], p->n))
		inside[n++] = ex_sub(t, ex_sub(t, p->n, column), one);
	lower_if(l, inside, n);
	memcpy(index, p->at, (size_t)p->batch * sizeof(Ex));
	index[p->batch] = row;
	index[p->batch + 1] = column;
	ValueId id = l->region->anchor;
	lower_bind(
		l, id, index,
		lower_round(l, p->v->dtype, p->acc, lower_load(l, sums, at), id));
	lower_epilogue(l, index);
	lower_end(l);
}

/* ---- the kernel ------------------------------------------------------ */

static void gpu_lower(Kernels *ks, Kernel *k, const Regions *r,
		      const Target *target, const Candidate *c)
{
	GpuProduct p = {.t = &ks->program->ex, .target = target};
	Lower *l = &p.l;

	lower_init(l, ks, k, r);
	for (int i = 0; i < P_COUNT; i++)
		p.par[i] = c->params[i].value;
	l->threads = (int)p.par[P_THREADS];
	p.v = program_value(l->p, l->region->anchor);
	p.acc = p.v->acc;
	p.batch = p.v->rank - 2;
	p.m = p.v->shape[p.batch];
	p.n = p.v->shape[p.batch + 1];
	p.k = program_value(l->p, p.v->args[0])->shape[p.batch + 1];
	p.blocks = ex_ceil_div(p.t, p.k, gp_num(&p, p.par[P_DEPTH]));
	gp_simt_lower(&p);
}

const Realisation realise_gpu_contract = {
	"contract", gpu_params, gpu_admit, gpu_rule, gpu_legal, gpu_lower, gpu_settle,
};
