/*
 * library: a product that a library computes.
 *
 * The rule never takes it; `--pin library.product=cublaslt` does (on a CPU
 * openblas, onednn), for every product of the program, and
 * `library.algorithm=N` another of the algorithms that the contract allows. A
 * product is refused that the library would round otherwise than the contract
 * says, or whose operands are no matrices to it: rows or columns side by side,
 * batches at one distance.
 *
 * On a CPU a product is `down` x `across` calls, each by one thread of ours.
 * OpenBLAS cuts K into other pieces for other numbers of its threads, which is
 * another order of the sum; so that the bits are the same for every number, its
 * own threads are not asked for.
 *
 * The region is the product alone: what is before and after it has kernels of
 * its own, since a library's epilogue would be computed before the product is
 * rounded (docs/decisions/library.md).
 */
#include "realise/gpu_contract.h"

#include <math.h>
#include <string.h>

enum {
	L_PRODUCT,
	L_ALGORITHM, /* of a GPU */
	L_COUNT,
	L_DOWN = L_ALGORITHM, /* of a CPU */
	L_ACROSS,
	L_CPU_COUNT,
};
static const char *const library_params[] = {"product", "algorithm", NULL};
static const char *const cpu_params[] = {"product", "down", "across", NULL};

/* What cuBLAS's guide asks for on sm_90; more than it does elsewhere. */
#define WORKSPACE ((int64_t)32 << 20)
/* As many as the run time asks the heuristics for. */
#define MOST_ALGORITHMS 32

static const char *library_admit(Arena *a, const Regions *r, uint32_t region)
{
	const Region *x = &r->regions.p[region];

	(void)a;
	if (x->kind != REGION_CONTRACT)
		return "the region has no product";
	return x->values.n == 1
		       ? NULL
		       : "the region computes more than one product: a library "
			 "rounds its product once, and computes nothing else";
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

/* Columns or rows of a part that are worth a call of their own. */
#define PART_LEAST 64

static bool many(const ExprTab *t, Ex e, int64_t least)
{
	int64_t n;

	return ex_is_const(t, e, &n) && n >= least;
}

/*
 * As many parts as there are CPUs, of the columns where they are known to be
 * many: rows are often few. Batches are parts already.
 */
static Candidate cpu_rule(const Regions *r, uint32_t region, const Target *t)
{
	const ExprTab *x = &r->program->ex;
	const Value *v = program_value(r->program, r->regions.p[region].anchor);
	Ex rows = v->shape[v->rank - 2], columns = v->shape[v->rank - 1];
	int64_t down = 1, across = 1, ignored;
	bool batches = false;

	for (int d = 0; d < v->rank - 2; d++)
		batches |= many(x, v->shape[d], t->cpus);
	if (batches)
		;
	else if (many(x, columns, PART_LEAST * t->cpus))
		across = t->cpus;
	else if (many(x, rows, PART_LEAST * t->cpus) ||
		 !ex_is_const(x, rows, &ignored))
		down = t->cpus;
	else if (!ex_is_const(x, columns, &ignored))
		across = t->cpus;
	return (Candidate){
		.nparams = L_CPU_COUNT,
		.params = {{cpu_params[L_PRODUCT], LIBRARY_OPENBLAS},
			   {cpu_params[L_DOWN],
			    down > CALL_MAX_PARTS ? CALL_MAX_PARTS : down},
			   {cpu_params[L_ACROSS], across > CALL_MAX_PARTS
							  ? CALL_MAX_PARTS
							  : across}}};
}

static void cpu_domain(const Regions *r, uint32_t region, const Target *t,
		       Domain by[MAX_PARAMS])
{
	int64_t parts =
		t->cpus > CALL_MAX_PARTS / 2 ? CALL_MAX_PARTS / 2 : t->cpus;

	(void)r;
	(void)region;
	by[L_PRODUCT] = (Domain){{LIBRARY_OPENBLAS, LIBRARY_ONEDNN}, 2};
	by[L_DOWN] = by[L_ACROSS] = (Domain){{1, parts, 2 * parts}, 3};
}

/* ---- where operands lie ---------------------------------------------- */

typedef struct Product {
	Lower l;
	ExprTab *t;
	const Value *v;
	int batch; /* axes of batches; rows and columns come after them */
	const char *title; /* the library's */
	KCall call;
} Product;

static void product_init(Product *p, Kernels *ks, Kernel *k, const Regions *r,
			 const Candidate *c)
{
	memset(p, 0, sizeof(*p));
	p->call.library = (Library)c->params[L_PRODUCT].value;
	p->call.down = p->call.across = 1;
	p->title = library_info[p->call.library].title;
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
				    "read; %s reads memory",
				    side, p->title);
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

	while (i < COMPUTE_COUNT && !library_takes(p->call.library, (KCompute)i,
						   in, v->acc, v->dtype))
		i++;
	*out = (KCompute)i;
	if (i == COMPUTE_COUNT)
		return arena_printf(
			p->l.arena,
			"%s has no product of %s with sums in %s and "
			"results of %s that the contract allows; it takes %s",
			p->title, dtype_info[in].name, dtype_info[v->acc].name,
			dtype_info[v->dtype].name,
			library_info[p->call.library].takes);
	if (v->relax & RELAX_ROW_INVARIANT)
		return arena_printf(p->l.arena,
				    "row_invariant: %s chooses its algorithm "
				    "by the number of rows",
				    p->title);
	if (i == COMPUTE_32I &&
	    !at_least(p, number(p, COMPUTE_32I_TERMS), p->call.depth))
		return "a sum of more than 131071 products of i8 may overflow, "
		       "and it is not documented that cuBLASLt wraps; a "
		       "constant or bounded extent of K proves it shorter";
	return NULL;
}

/* Whether the library is one of the target's, and it is here. */
static const char *fits(Arena *a, const Target *t, int64_t product)
{
	if (product < 0 || product >= LIBRARY_COUNT)
		return "libraries are cublaslt, openblas and onednn";
	bool gpu = product == LIBRARY_CUBLASLT;
	if (gpu ? !t->cuda : t->threads > 0)
		return arena_printf(a,
				    "%s is for targets of %s, and this one is "
				    "%s",
				    library_info[product].title,
				    gpu ? "CUDA" : "CPUs", t->name);
	return t->missing[product];
}

/* oneDNN sums bf16 by the same instructions as we do where there are any; what
 * it does elsewhere keeps subnormals, which is another accumulator. */
static const char *flushes(const Target *t)
{
	for (size_t i = 0; i < t->nunits; i++)
		if (t->units[i] == UNIT_AVX512_BF16 ||
		    t->units[i] == UNIT_AMX_BF16)
			return NULL;
	return "without a dot product of bf16 oneDNN sums in an accumulator of "
	       "another kind; targets cpu:avx512_bf16 and cpu:amx have one";
}

/* What the operands and sums must be. */
static const char *product_legal(Arena *a, const Regions *r, uint32_t region,
				 const Target *t, const Candidate *c)
{
	Kernels ks = {.arena = a, .program = (Program *)r->program};
	Kernel k = {.region = region};
	Product p;

	product_init(&p, &ks, &k, r, c);
	const char *why = compute_of(&p, &p.call.compute);
	if (!why && library_acc(p.call.library, p.call.compute) == ACC_ANY_BF16)
		why = flushes(t);
	return why ? why : operands(&p);
}

static const char *cpu_legal(Arena *a, const Regions *r, uint32_t region,
			     const Target *t, const Candidate *c)
{
	const char *why = fits(a, t, c->params[L_PRODUCT].value);

	for (int i = L_DOWN; !why && i <= L_ACROSS; i++)
		if (c->params[i].value < 1 ||
		    c->params[i].value > CALL_MAX_PARTS)
			why = arena_printf(a, "%s is 1 ... %d", cpu_params[i],
					   CALL_MAX_PARTS);
	return why ? why : product_legal(a, r, region, t, c);
}

static const char *library_legal(Arena *a, const Regions *r, uint32_t region,
				 const Target *t, const Candidate *c)
{
	const char *why = fits(a, t, c->params[L_PRODUCT].value);

	if (why)
		return why;
	if (c->params[L_ALGORITHM].value < 0 ||
	    c->params[L_ALGORITHM].value >= MOST_ALGORITHMS)
		return arena_printf(a, "algorithms are 0 ... %d",
				    MOST_ALGORITHMS - 1);
	return product_legal(a, r, region, t, c);
}

/* ---- predicted time ---------------------------------------------------- */

/* Of its calls at the rate of a good kernel, and no fewer than are made. */
#define LIBRARY_RATE 0.8

static Cost cpu_cost(const Regions *r, uint32_t region, const Target *t,
		     const Candidate *c, const int64_t *dims)
{
	const Program *p = r->program;
	const Value *v = program_value(p, r->regions.p[region].anchor);
	const Value *left = program_value(p, v->args[0]);
	double sizes[TN_MAX_RANK + 1], batches = 1;
	int n = v->rank;

	for (int d = 0; d < n; d++)
		sizes[d] = (double)realise_extent(r, v->shape[d], dims);
	for (int d = 0; d < n - 2; d++)
		batches *= sizes[d];
	double m = sizes[n - 2], w = sizes[n - 1];
	double k = (double)realise_extent(r, left->shape[n - 1], dims);
	double down = (double)c->params[L_DOWN].value;
	double across = (double)c->params[L_ACROSS].value;
	double calls = batches * down * across, cpus = t->cpus;
	double turns = ceil(calls / cpus); /* of the CPU that has most to do */
	double macs = ceil(m / down) * ceil(w / across) * k * turns;
	double lanes = t->rates.macs * 4 / dtype_info[v->acc].bytes;
	double bytes = dtype_info[left->dtype].bytes * (m * k + k * w) +
		       dtype_info[v->dtype].bytes * m * w;
	double packed = m / down * k + k * w / across;

	return (Cost){
		.compute = macs / (lanes * t->rates.clock * LIBRARY_RATE) / 1e3,
		.memory = batches * bytes / t->rates.memory / 1e3,
		/* each call packs what it reads, 1/4 ns an element */
		.move = turns * packed / 4e3,
		.start = t->rates.launch + turns * t->rates.claim,
	};
}

/* ---- the kernel ------------------------------------------------------ */

static void library_lower(Kernels *ks, Kernel *k, const Regions *r,
			  const Target *target, const Candidate *c)
{
	KCall *call = arena_new(ks->arena, KCall);
	Product p;

	product_init(&p, ks, k, r, c);
	bug_if(compute_of(&p, &p.call.compute) || operands(&p));
	Ex bytes = number(&p, WORKSPACE), one = number(&p, 1);
	if (target->threads) {
		p.call.algorithm = c->params[L_ALGORITHM].value;
		p.call.workspace = lower_buffer(&p.l, SCOPE_SHARED, DT_U8,
						&bytes, 1, "work");
	} else {
		p.call.down = c->params[L_DOWN].value;
		p.call.across = c->params[L_ACROSS].value;
	}
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
		ks->arena, "pinned: %s, %s, no epilogue, sums in %s%s", p.title,
		compute_name[call->compute], dtype_info[p.v->acc].name,
		call->compute != COMPUTE_32F ? ""
		: target->threads
			? " in any order, cut off or rounded (f32.tc.any)"
			: " in any order (f32.tc.any_bf16)");
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

const Realisation realise_cpu_library = {
	"library",     cpu_params, library_admit, cpu_rule, cpu_legal,
	library_lower, NULL,       cpu_domain,    cpu_cost,
};
