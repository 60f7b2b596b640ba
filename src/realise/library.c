/*
 * library: a product that a library computes.
 *
 * The rule never takes it; `--pin library.product=cublaslt` does, for every
 * product of the program, and `library.algorithm=N` another of the algorithms
 * that the contract allows. A product is refused that the library would round
 * otherwise than the contract says, or whose operands are no matrices to it:
 * rows or columns side by side, batches at one distance.
 *
 * The region is the product alone: what is before and after it has kernels of
 * its own, since a library's epilogue would be computed before the product is
 * rounded (docs/decisions/library.md).
 */
#include "realise/gpu_contract.h"

#include <string.h>

enum {
	L_PRODUCT,
	L_ALGORITHM,
	L_COUNT,
};
static const char *const library_params[] = {"product", "algorithm", NULL};

/* What cuBLAS's guide asks for on sm_90; more than it does elsewhere. */
#define WORKSPACE ((int64_t)32 << 20)
/* As many as the run time asks the heuristics for. */
#define MOST_ALGORITHMS 32

static const char *library_admit(Arena *a, const Regions *r, uint32_t region)
{
	(void)a;
	return r->regions.p[region].kind == REGION_CONTRACT
		       ? NULL
		       : "the region has no product";
}

static Candidate library_rule(const Regions *r, uint32_t region,
			      const Target *t)
{
	Candidate c = {.nparams = L_COUNT};

	(void)r;
	(void)region;
	(void)t;
	c.params[L_PRODUCT] =
		(KParam){library_params[L_PRODUCT], LIBRARY_CUBLASLT};
	c.params[L_ALGORITHM] = (KParam){library_params[L_ALGORITHM], 0};
	return c;
}

/* ---- where operands lie ---------------------------------------------- */

typedef struct Product {
	Lower l;
	ExprTab *t;
	const Value *v;
	int batch; /* axes of batches; rows and columns come after them */
	KCall call;
} Product;

static void product_init(Product *p, Kernels *ks, Kernel *k, const Regions *r)
{
	memset(p, 0, sizeof(*p));
	lower_init(&p->l, ks, k, r);
	p->t = &ks->program->ex;
	p->v = program_value(p->l.p, p->l.region->anchor);
	p->batch = p->v->rank - 2;
	const Value *left = program_value(p->l.p, p->v->args[0]);
	p->call.value = p->l.region->anchor;
	p->call.rows = p->v->shape[p->batch];
	p->call.columns = p->v->shape[p->batch + 1];
	p->call.depth = left->shape[p->batch + 1];
	p->call.batches = ex_const(p->t, 1);
	for (int d = 0; d < p->batch; d++)
		p->call.batches = ex_mul(p->t, p->call.batches, p->v->shape[d]);
}

static Ex number(const Product *p, int64_t n)
{
	return ex_const(p->t, n);
}

/* What x is where axis `one` is 1 and all n others are 0; -1: all are. */
static Ex at_axis(const Product *p, Ex x, int n, int one)
{
	Ex with[TN_MAX_RANK];

	for (int i = 0; i < n; i++)
		with[i] = number(p, i == one);
	return ex_subst_axes(p->t, x, with, (size_t)n);
}

/*
 * The element's number in its buffer as first + sum of step[i] axis i. False:
 * it is no such sum.
 */
static bool linear(const Product *p, const KOperand *o, int n, Ex *first,
		   Ex *step)
{
	const KBuffer *b = &p->l.k->buffers.p[o->buffer];
	Ex x = number(p, 0);

	for (int d = 0; d < o->nindex; d++)
		x = ex_add(p->t, ex_mul(p->t, x, b->shape[d]), o->index[d]);
	*first = at_axis(p, x, n, -1);
	Ex sum = *first;
	for (int i = 0; i < n; i++) {
		step[i] = ex_sub(p->t, at_axis(p, x, n, i), *first);
		sum = ex_add(p->t, sum,
			     ex_mul(p->t, step[i], ex_axis(p->t, i)));
	}
	return sum == x;
}

/* One distance for all batches; false: they have several. */
static bool batch_step(const Product *p, const Ex *step, Ex *out)
{
	Ex expected = number(p, 0);
	bool any = false;

	*out = number(p, 0);
	for (int d = p->batch - 1; d >= 0; d--) {
		if (ex_equals(p->t, p->v->shape[d], 1))
			continue;
		if (!any)
			*out = step[d];
		else if (step[d] != expected)
			return false;
		any = true;
		expected = ex_mul(p->t, step[d], p->v->shape[d]);
	}
	return true;
}

static bool proved(const Product *p, Ex e)
{
	ExFacts none = {0};

	return ex_prove_nonneg(p->t, &none, e);
}

static bool at_least(const Product *p, Ex a, Ex b)
{
	return proved(p, ex_sub(p->t, a, b));
}

/* The matrix of a value, rows x columns; why not, or NULL. */
static const char *matrix_of(Product *p, ValueId v, const char *side, Ex rows,
			     Ex columns, KMatrix *out)
{
	Arena *a = p->l.arena;
	int n = p->batch + 2;
	Ex index[TN_MAX_RANK], step[TN_MAX_RANK], one = number(p, 1);
	KOperand o;

	for (int i = 0; i < n; i++)
		index[i] = ex_axis(p->t, i);
	if (!lower_place(&p->l, v, index, &o))
		return arena_printf(a,
				    "the %s operand is computed where it is "
				    "read; cuBLASLt reads memory",
				    side);
	out->buffer = o.buffer;
	if (!linear(p, &o, n, &out->first, step) ||
	    !batch_step(p, step, &out->batch))
		return arena_printf(a,
				    "the %s operand does not lie in memory at "
				    "one distance from row to row, column to "
				    "column and batch to batch",
				    side);
	out->row = step[p->batch];
	out->column = step[p->batch + 1];
	if (ex_equals(p->t, columns, 1))
		out->column = one;
	bool flat = ex_equals(p->t, out->column, 1);
	if (!flat && ex_equals(p->t, rows, 1))
		out->row = one;
	Ex *lead = flat ? &out->row : &out->column;
	Ex extent = flat ? columns : rows;
	if (ex_equals(p->t, flat ? rows : columns, 1) &&
	    !at_least(p, *lead, extent))
		*lead = extent;
	if ((!flat && !ex_equals(p->t, out->row, 1)) ||
	    !at_least(p, *lead, extent) || !proved(p, out->batch) ||
	    !proved(p, out->first))
		return arena_printf(a,
				    "neither rows nor columns of the %s "
				    "operand lie side by side, one after "
				    "another",
				    side);
	return NULL;
}

static const char *operands(Product *p)
{
	KCall *c = &p->call;
	const char *why = matrix_of(p, p->v->args[0], "left", c->rows, c->depth,
				    &c->left);

	return why ? why
		   : matrix_of(p, p->v->args[1], "right", c->depth, c->columns,
			       &c->right);
}

/* ---- what the contract allows ---------------------------------------- */

/* How the product is computed; why it may not be, or NULL. */
static const char *compute_of(Product *p, KCompute *out)
{
	const Value *v = p->v;
	DType in = program_value(p->l.p, v->args[0])->dtype;
	int i = 0;

	while (i < COMPUTE_COUNT &&
	       !compute_takes((KCompute)i, in, v->acc, v->dtype))
		i++;
	*out = (KCompute)i;
	if (i == COMPUTE_COUNT)
		return arena_printf(
			p->l.arena,
			"cuBLASLt has no product of %s with sums in %s and "
			"results of %s that the contract allows; it takes f16 "
			"and bf16 (sums in f32, results of their dtype or "
			"f32), "
			"f32, f64, and i8 (sums and results i32)",
			dtype_info[in].name, dtype_info[v->acc].name,
			dtype_info[v->dtype].name);
	if (v->relax & RELAX_ROW_INVARIANT)
		return "row_invariant: cuBLASLt chooses its algorithm by the "
		       "number of rows";
	if (i == COMPUTE_32I &&
	    !at_least(p, number(p, COMPUTE_32I_TERMS), p->call.depth))
		return "a sum of more than 131071 products of i8 may overflow, "
		       "and it is not documented that cuBLASLt wraps; a "
		       "constant or bounded extent of K proves it shorter";
	return NULL;
}

static const char *library_legal(Arena *a, const Regions *r, uint32_t region,
				 const Target *t, const Candidate *c)
{
	Kernels ks = {.arena = a, .program = (Program *)r->program};
	Kernel k = {.region = region};
	const char *why;
	Product p;

	if (!t->cuda)
		return arena_printf(a,
				    "cuBLASLt is for targets of CUDA, and this "
				    "one is %s",
				    t->name);
	if (c->params[L_PRODUCT].value != LIBRARY_CUBLASLT)
		return "libraries are cublaslt";
	if (c->params[L_ALGORITHM].value < 0 ||
	    c->params[L_ALGORITHM].value >= MOST_ALGORITHMS)
		return arena_printf(a, "algorithms are 0 ... %d",
				    MOST_ALGORITHMS - 1);
	product_init(&p, &ks, &k, r);
	why = compute_of(&p, &p.call.compute);
	return why ? why : operands(&p);
}

/* ---- the kernel ------------------------------------------------------ */

static void library_lower(Kernels *ks, Kernel *k, const Regions *r,
			  const Target *target, const Candidate *c)
{
	KCall *call = arena_new(ks->arena, KCall);
	Product p;

	(void)target;
	product_init(&p, ks, k, r);
	bug_if(compute_of(&p, &p.call.compute) || operands(&p));
	Ex bytes = number(&p, WORKSPACE), one = number(&p, 1);
	p.call.algorithm = c->params[L_ALGORITHM].value;
	p.call.workspace =
		lower_buffer(&p.l, SCOPE_SHARED, DT_U8, &bytes, 1, "work");
	p.call.out = (KMatrix){
		.buffer = lower_output(&p.l, p.call.value),
		.first = number(&p, 0),
		.row = p.call.columns,
		.column = one,
		.batch = ex_mul(p.t, p.call.rows, p.call.columns),
	};
	*call = p.call;
	lower_phase(&p.l, "main")->call = call;
	k->note = arena_printf(
		ks->arena, "pinned: cuBLASLt, %s, no epilogue, sums in %s%s",
		compute_name[call->compute], dtype_info[p.v->acc].name,
		call->compute == COMPUTE_32F
			? " in any order, cut off or rounded (f32.tc.any)"
			: "");
}

static Cost library_cost(const Regions *r, uint32_t region, const Target *t,
			 const Candidate *c, const int64_t *dims)
{
	(void)c;
	return gp_library_cost(r, region, t, dims);
}

const Realisation realise_library = {
	"library",    library_params, library_admit,
	library_rule, library_legal,  library_lower,
	NULL,         NULL,           library_cost,
};
