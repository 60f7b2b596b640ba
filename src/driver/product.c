/*
 * product: a library's call of a plan under one binding of its dims.
 */
#include "driver/driver.h"

#include "runtime/cublaslt.h"
#include "runtime/product.h"

static LtCompute compute_number(KCompute c)
{
	switch (c) {
	case COMPUTE_32F:
		return LT_COMPUTE_32F;
	case COMPUTE_32F_PEDANTIC:
		return LT_COMPUTE_32F_PEDANTIC;
	case COMPUTE_64F_PEDANTIC:
		return LT_COMPUTE_64F_PEDANTIC;
	case COMPUTE_32I:
		return LT_COMPUTE_32I;
	case COMPUTE_COUNT:
		break;
	}
	bug("compute type %d", (int)c);
}

/* Of the dtypes that compute_takes() admits. */
static LtType type_number(DType d)
{
	return d == DT_F16    ? LT_F16
	       : d == DT_BF16 ? LT_BF16
	       : d == DT_F32  ? LT_F32
	       : d == DT_F64  ? LT_F64
	       : d == DT_I8   ? LT_I8
			      : LT_I32;
}

typedef struct Sizes {
	const Plan *plan;
	const Kernel *k;
	const int64_t *dims;
} Sizes;

static int64_t size_of(const Sizes *s, Ex e)
{
	return ex_eval(&s->plan->kernels->program->ex, e, s->dims, NULL);
}

static DType dtype_of(const Sizes *s, const KMatrix *m)
{
	return s->k->buffers.p[m->buffer].dtype;
}

/* Bytes from the buffer's begin to the matrix. */
static uint64_t matrix_at(const Sizes *s, const KMatrix *m)
{
	return (uint64_t)size_of(s, m->first) *
	       (uint64_t)dtype_info[dtype_of(s, m)].bytes;
}

static LtMatrix matrix_of(const Sizes *s, const KMatrix *m)
{
	uint64_t at = matrix_at(s, m) | CALL_ALIGN;

	return (LtMatrix){
		.type = type_number(dtype_of(s, m)),
		.row = size_of(s, m->row),
		.column = size_of(s, m->column),
		.batch = size_of(s, m->batch),
		.align = (uint32_t)(at & -at),
	};
}

static const Kernel *kernel_of(const Plan *p, size_t launch)
{
	return &p->kernels->kernels.p[p->launches.p[launch].kernel];
}

const KCall *plan_call(const Plan *p, size_t launch)
{
	return kernel_call(kernel_of(p, launch));
}

LtProduct plan_product(Arena *a, const Plan *p, size_t launch,
		       const int64_t *dims)
{
	const Sizes s = {p, kernel_of(p, launch), dims};
	const KCall *c = kernel_call(s.k);

	return (LtProduct){
		.name = plan_symbol(a, p, &p->launches.p[launch]),
		.compute = compute_number(c->compute),
		.rows = size_of(&s, c->rows),
		.columns = size_of(&s, c->columns),
		.depth = size_of(&s, c->depth),
		.batches = size_of(&s, c->batches),
		.out = matrix_of(&s, &c->out),
		.left = matrix_of(&s, &c->left),
		.right = matrix_of(&s, &c->right),
		.workspace = (size_t)size_of(
			&s, s.k->buffers.p[c->workspace].shape[0]),
		.algorithm = c->algorithm,
	};
}

/* ---- of a CPU --------------------------------------------------------- */

static ProductLibrary library_number(Library l)
{
	return l == LIBRARY_OPENBLAS ? PRODUCT_OPENBLAS : PRODUCT_ONEDNN;
}

bool plan_library(TenonPlan *p, Library library, const char **version)
{
	Ctx *ctx = &p->c->ctx;

	return library == LIBRARY_CUBLASLT
		       ? device_library(ctx, &p->arena, version)
		       : product_library(ctx, &p->arena,
					 library_number(library), version);
}

/* Buffers of a launch are those of its kernel, in order: a call has no other.
 */
static ProductMatrix cpu_matrix(const Sizes *s, const KMatrix *m)
{
	DType d = dtype_of(s, m);

	return (ProductMatrix){
		.type = d == DT_F64    ? PRODUCT_F64
			: d == DT_BF16 ? PRODUCT_BF16
				       : PRODUCT_F32,
		.buffer = m->buffer,
		.first = size_of(s, m->first),
		.row = size_of(s, m->row),
		.column = size_of(s, m->column),
		.batch = size_of(s, m->batch),
	};
}

const Product *plan_cpu_product(Ctx *ctx, Arena *a, const Plan *p,
				size_t launch, const int64_t *dims)
{
	const Sizes s = {p, kernel_of(p, launch), dims};
	const KCall *c = kernel_call(s.k);
	Product *out = arena_new(a, Product);

	*out = (Product){
		.name = plan_symbol(a, p, &p->launches.p[launch]),
		.value = c->value,
		.library = library_number(c->library),
		.rows = size_of(&s, c->rows),
		.columns = size_of(&s, c->columns),
		.depth = size_of(&s, c->depth),
		.batches = size_of(&s, c->batches),
		.down = c->down,
		.across = c->across,
		.out = cpu_matrix(&s, &c->out),
		.left = cpu_matrix(&s, &c->left),
		.right = cpu_matrix(&s, &c->right),
	};
	return product_prepare(ctx, a, out) ? out : NULL;
}

/* ---- of a GPU --------------------------------------------------------- */

const uint64_t *plan_product_args(Arena *a, const Plan *p, size_t launch,
				  const int64_t *dims, const DeviceMem *mem)
{
	const Sizes s = {p, kernel_of(p, launch), dims};
	const PlanLaunch *l = &p->launches.p[launch];
	const KCall *c = kernel_call(s.k);
	const KMatrix *matrices[] = {&c->out, &c->left, &c->right};
	uint64_t *args = arena_array(a, uint64_t, DEVICE_PRODUCT_ARGS);

	/* all buffers of its kernel are the launch's (verified) */
	for (size_t i = 0; i < ARRAY_LEN(matrices); i++)
		args[i] = mem[l->buffers.p[matrices[i]->buffer]] +
			  matrix_at(&s, matrices[i]);
	args[DEVICE_PRODUCT_ARGS - 1] = mem[l->buffers.p[c->workspace]];
	return args;
}
