/*
 * cublaslt: finding cuBLASLt, and its products under the contract.
 *
 * Declarations and numbers are our own; they are those of cublasLt.h,
 * cublas_api.h and library_types.h, of CUDA 12 and 13 alike.
 *
 * The library's matrices are column-major, so that out = left right is asked
 * for as its transpose, out' = right' left': each operand as it lies, or
 * turned.
 *
 * Which algorithms are allowed. The heuristics name what they would take first,
 * of any kind; each is asked how it computes. Partial sums of a product that is
 * split along depth are added up in the compute type or not at all: schemes
 * "in place" and "output type" add them in the result's dtype, below the
 * accumulator. What multiplies must take the operands as they are (not as TF32
 * or bf16) and sum in the compute type (not in f16); Gaussian products are
 * sums of other terms. What an algorithm does not tell is refused.
 *
 * The first that is allowed is taken. Nothing is timed, so that a plan makes
 * the same bits in every process.
 */
#include "runtime/cublaslt.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* cublasStatus_t */
	SUCCESS = 0,
	NOT_INITIALIZED = 1,
	ALLOC_FAILED = 3,
	INVALID_VALUE = 7,
	ARCH_MISMATCH = 8,
	EXECUTION_FAILED = 13,
	NOT_SUPPORTED = 15,
	/* cublasOperation_t */
	OP_N = 0,
	OP_T = 1,
	/* cublasLtMatmulDescAttributes_t */
	DESC_TRANSA = 3,
	DESC_TRANSB = 4,
	/* cublasLtMatrixLayoutAttribute_t */
	LAYOUT_BATCHES = 5,
	LAYOUT_DISTANCE = 6,
	/* cublasLtMatmulPreferenceAttributes_t */
	PREFERENCE_WORKSPACE = 1,
	PREFERENCE_ALIGN_A = 5, /* then of B, C and D */
	/* cublasLtMatmulAlgoConfigAttributes_t */
	CONFIG_ID = 0,
	CONFIG_TILE = 1,
	CONFIG_SPLIT = 2,
	CONFIG_REDUCTION = 3,
	CONFIG_STAGES = 6,
	/* cublasLtMatmulAlgoCapAttributes_t */
	CAP_NUMERICS = 15,
	/* cublasLtReductionScheme_t */
	REDUCTION_NONE = 0,
	REDUCTION_IN_PLACE = 1,
	REDUCTION_COMPUTE = 2,
	REDUCTION_OUTPUT = 4,
};

/* cublasLtNumericalImplFlags_t */
#define FLAG(n)      (UINT64_C(1) << (n))
#define FLAG_SUMS    (FLAG(8) | FLAG(9) | FLAG(10) | FLAG(11))
#define FLAG_OPERAND (UINT64_C(0xff) << 16)
#define FLAG_GAUSS   FLAG(32)
enum {
	SUMS_16F = 8,
	SUMS_32F = 9,
	SUMS_64F = 10,
	SUMS_32I = 11,
	OPERAND_16F = 16,
	OPERAND_16BF = 17,
	OPERAND_TF32 = 18,
	OPERAND_32F = 19,
	OPERAND_64F = 20,
	OPERAND_8I = 21,
};

typedef struct TypeInfo {
	int number; /* cudaDataType_t */
	int bytes;
	uint64_t operand; /* flags, of which an algorithm has one or both */
} TypeInfo;

/* Algorithms for bf16 say that their operands are of 16F, in 13.1; that they
 * keep bf16's range is seen in their results (tests/unit/ondevice_test.c). */
static const TypeInfo type_info[] = {
	[LT_F16] = {2, 2, FLAG(OPERAND_16F)},
	[LT_BF16] = {14, 2, FLAG(OPERAND_16BF) | FLAG(OPERAND_16F)},
	[LT_F32] = {0, 4, FLAG(OPERAND_32F)},
	[LT_F64] = {1, 8, FLAG(OPERAND_64F)},
	[LT_I8] = {3, 1, FLAG(OPERAND_8I)},
	[LT_I32] = {10, 4, 0},
};

static const char install_hint[] =
	"install cuBLAS of CUDA 12 or later (libcublasLt; the CUDA toolkit has "
	"it, and the Python packages nvidia-cublas and nvidia-cublas-cu12), "
	"and "
	"set CUDA_HOME to the folder that has its lib or lib64; or leave the "
	"pin library.product out";

#define OLDEST 120000 /* what cublasLtGetVersion says of 12.0.0 */

/* ---- the library ----------------------------------------------------- */

static const char *const library_names[] = {"libcublasLt.so.13",
					    "libcublasLt.so.12"};

typedef VEC(const char *) Files;

static void folder_add(Arena *a, Files *v, const char *root)
{
	static const char *const folders[] = {"lib64", "lib"};

	if (!root || root[0] != '/')
		return;
	for (size_t f = 0; f < ARRAY_LEN(folders); f++)
		for (size_t i = 0; i < ARRAY_LEN(library_names); i++)
			VEC_PUSH(a, *v,
				 arena_printf(a, "%s/%s/%s", root, folders[f],
					      library_names[i]));
}

const char *const *cublaslt_candidates(Arena *a)
{
	Files v = {0};

	for (size_t i = 0; i < ARRAY_LEN(library_names); i++)
		VEC_PUSH(a, v, library_names[i]);
	folder_add(a, &v, getenv("CUDA_HOME"));
	folder_add(a, &v, getenv("CUDA_PATH"));
	folder_add(a, &v, "/usr/local/cuda");
	VEC_PUSH(a, v, NULL);
	return v.p;
}

static void *library_load(Ctx *ctx, Arena *a, const char *const *files)
{
	Buf tried;

	buf_init(&tried, a);
	for (size_t i = 0; files[i]; i++) {
		void *library = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
		if (library)
			return library;
		const char *why = dlerror();
		buf_printf(&tried, "\n%s", why ? why : files[i]);
	}
	diag_fail(ctx, ERR_ENV, install_hint, "cuBLASLt is not found: tried%s",
		  buf_str(&tried));
	return NULL;
}

static bool library_bind(Ctx *ctx, void *library, CublasLt *out)
{
	struct link_map *map = NULL;

	snprintf(out->path, sizeof(out->path), "libcublasLt");
	if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map)
		snprintf(out->path, sizeof(out->path), "%s", map->l_name);
#define BIND(result, name, parameters)                                         \
	out->name = __extension__(result(*) parameters) dlsym(library, #name); \
	if (!out->name)                                                        \
		return diag_fail(ctx, ERR_ENV, install_hint,                   \
				 "%s is no cuBLASLt that will do: it has no "  \
				 "%s",                                         \
				 out->path, #name);
	CUBLASLT_ENTRIES(BIND)
#undef BIND
	size_t version = out->cublasLtGetVersion();
	out->major = (int)(version / 10000);
	out->minor = (int)(version / 100 % 100);
	out->patch = (int)(version % 100);
	return version >= OLDEST ||
	       diag_fail(ctx, ERR_ENV, install_hint,
			 "%s is too old: cuBLASLt %d.%d.%d, and 12.0 is needed",
			 out->path, out->major, out->minor, out->patch);
}

bool cublaslt_open(Ctx *ctx, const char *const *files, CublasLt *out)
{
	Arena scratch;
	OomTrap trap;

	memset(out, 0, sizeof(*out));
	arena_init(&scratch);
	if (OOM_TRAP(&trap)) {
		arena_release(&scratch);
		oom_raise();
	}
	void *library = library_load(
		ctx, &scratch, files ? files : cublaslt_candidates(&scratch));
	bool ok = library && library_bind(ctx, library, out);
	oom_trap_pop(&trap);
	arena_release(&scratch);
	return ok;
}

/* ---- results --------------------------------------------------------- */

static const char *status_name(int status)
{
	switch (status) {
	case NOT_INITIALIZED:
		return "not initialized";
	case ALLOC_FAILED:
		return "out of memory";
	case INVALID_VALUE:
		return "invalid value";
	case ARCH_MISMATCH:
		return "not for this architecture";
	case EXECUTION_FAILED:
		return "execution failed";
	case NOT_SUPPORTED:
		return "not supported";
	default:
		return "see cublasStatus_t";
	}
}

static bool succeeded(Ctx *ctx, const CublasLt *lt, int status,
		      const char *call, const char *where)
{
	if (status == SUCCESS)
		return true;
	return diag_fail(ctx, status == ALLOC_FAILED ? ERR_NOMEM : ERR_ENV,
			 status == NOT_INITIALIZED
				 ? "the driver may be older than the library; "
				   "tenon devices shows both"
				 : NULL,
			 "%s of cuBLASLt %d.%d.%d failed on %s: %s (%d)", call,
			 lt->major, lt->minor, lt->patch, where,
			 status_name(status), status);
}

bool cublaslt_start(Ctx *ctx, const CublasLt *lt, const CudaDevice *d,
		    LtHandle *out)
{
	*out = NULL;
	if (!cuda_enter(ctx, d))
		return false;
	int status = lt->cublasLtCreate(out);
	return cuda_leave(ctx, d, SUCCESS, "", "") &&
	       succeeded(ctx, lt, status, "cublasLtCreate", d->info.name);
}

void cublaslt_end(const CublasLt *lt, const CudaDevice *d, LtHandle h)
{
	if (!h || !cuda_enter(NULL, d))
		return;
	lt->cublasLtDestroy(h);
	cuda_leave(NULL, d, SUCCESS, "", "");
}

/* ---- what is asked for ------------------------------------------------ */

static int scale_type(LtCompute c)
{
	return type_info[c == LT_COMPUTE_32I            ? LT_I32
			 : c == LT_COMPUTE_64F_PEDANTIC ? LT_F64
							: LT_F32]
		.number;
}

typedef struct Outcome {
	int status;
	const char *call;
} Outcome;

/* The matrix rows x columns as the library's columns: turned where rows do not
 * lie side by side. */
static Outcome layout_make(LtPlan *p, int i, const LtMatrix *m, int64_t rows,
			   int64_t columns, int *op)
{
	const CublasLt *lt = p->lt;
	bool flat = m->column == 1;
	int32_t batches = (int32_t)p->product.batches;
	Outcome o = {.call = "cublasLtMatrixLayoutCreate"};

	*op = flat ? OP_N : OP_T;
	o.status = lt->cublasLtMatrixLayoutCreate(
		&p->layout[i], type_info[m->type].number,
		(uint64_t)(flat ? columns : rows),
		(uint64_t)(flat ? rows : columns), flat ? m->row : m->column);
	if (o.status || batches == 1)
		return o;
	o.call = "cublasLtMatrixLayoutSetAttribute";
	o.status = lt->cublasLtMatrixLayoutSetAttribute(
		p->layout[i], LAYOUT_BATCHES, &batches, sizeof(batches));
	if (!o.status)
		o.status = lt->cublasLtMatrixLayoutSetAttribute(
			p->layout[i], LAYOUT_DISTANCE, &m->batch,
			sizeof(m->batch));
	return o;
}

static Outcome describe(LtPlan *p)
{
	const CublasLt *lt = p->lt;
	const LtProduct *x = &p->product;
	int op[3] = {OP_N, OP_N, OP_N};
	Outcome o = {.call = "cublasLtMatmulDescCreate"};

	o.status = lt->cublasLtMatmulDescCreate(&p->desc, (int)x->compute,
						scale_type(x->compute));
	if (!o.status)
		o = layout_make(p, 0, &x->right, x->depth, x->columns, &op[0]);
	if (!o.status)
		o = layout_make(p, 1, &x->left, x->rows, x->depth, &op[1]);
	if (!o.status)
		o = layout_make(p, 2, &x->out, x->rows, x->columns, &op[2]);
	for (int i = 0; i < 2 && !o.status; i++) {
		o.call = "cublasLtMatmulDescSetAttribute";
		o.status = lt->cublasLtMatmulDescSetAttribute(
			p->desc, i ? DESC_TRANSB : DESC_TRANSA, &op[i],
			sizeof(op[i]));
	}
	return o;
}

static Outcome prefer(const LtPlan *p, LtPreference *out)
{
	const CublasLt *lt = p->lt;
	const LtProduct *x = &p->product;
	uint64_t workspace = x->workspace;
	const uint32_t align[4] = {x->right.align, x->left.align, x->out.align,
				   x->out.align};
	Outcome o = {.call = "cublasLtMatmulPreferenceCreate"};

	o.status = lt->cublasLtMatmulPreferenceCreate(out);
	if (o.status)
		return o;
	o.call = "cublasLtMatmulPreferenceSetAttribute";
	o.status = lt->cublasLtMatmulPreferenceSetAttribute(
		*out, PREFERENCE_WORKSPACE, &workspace, sizeof(workspace));
	for (int i = 0; i < 4 && !o.status; i++)
		o.status = lt->cublasLtMatmulPreferenceSetAttribute(
			*out, PREFERENCE_ALIGN_A + i, &align[i],
			sizeof(align[i]));
	return o;
}

/* ---- what is allowed -------------------------------------------------- */

static int sums_of(LtCompute c)
{
	return c == LT_COMPUTE_32I            ? SUMS_32I
	       : c == LT_COMPUTE_64F_PEDANTIC ? SUMS_64F
					      : SUMS_32F;
}

static const char *refusal_of(const LtProduct *p, const LtCandidate *c,
			      int state)
{
	uint64_t sums = FLAG(sums_of(p->compute));
	uint64_t operand = c->numerics & FLAG_OPERAND;

	if (state != SUCCESS)
		return "the library says that it cannot run";
	if (c->reduction == REDUCTION_IN_PLACE)
		return "it adds parts of sums in place, in the result's dtype";
	if (c->reduction == REDUCTION_OUTPUT)
		return "it adds parts of sums in the result's dtype";
	if (c->reduction != REDUCTION_NONE && c->reduction != REDUCTION_COMPUTE)
		return "it adds parts of sums in a way that is not known";
	if (c->workspace > p->workspace)
		return "it wants a larger workspace";
	if (c->numerics & FLAG_GAUSS)
		return "it sums other terms (Gaussian products)";
	if ((c->numerics & FLAG_SUMS) == FLAG(SUMS_16F))
		return "it sums in f16";
	if ((c->numerics & FLAG_SUMS) != sums)
		return "it does not say that it sums in the compute type";
	if (operand == FLAG(OPERAND_TF32))
		return "it rounds operands to TF32";
	if (!operand || (operand & ~type_info[p->left.type].operand) != 0)
		return "it does not say that it multiplies operands of this "
		       "dtype as they are";
	return NULL;
}

/* Attributes of size n; false: the algorithm does not tell. */
static bool config(const LtPlan *p, const LtAlgorithm *a, int attribute,
		   void *value, size_t n)
{
	size_t written = 0;

	return p->lt->cublasLtMatmulAlgoConfigGetAttribute(
		       a, attribute, value, n, &written) == SUCCESS &&
	       written == n;
}

static void candidate_read(const LtPlan *p, const LtHeuristic *h,
			   LtCandidate *c)
{
	const LtAlgorithm *a = &h->algorithm;
	size_t written = 0;

	*c = (LtCandidate){.split = 1, .workspace = h->workspace};
	if (h->state != SUCCESS) {
		c->refused = refusal_of(&p->product, c, h->state);
		return;
	}
	bool told =
		config(p, a, CONFIG_ID, &c->id, sizeof(c->id)) &&
		config(p, a, CONFIG_TILE, &c->tile, sizeof(c->tile)) &&
		config(p, a, CONFIG_SPLIT, &c->split, sizeof(c->split)) &&
		config(p, a, CONFIG_STAGES, &c->stages, sizeof(c->stages)) &&
		config(p, a, CONFIG_REDUCTION, &c->reduction,
		       sizeof(c->reduction)) &&
		p->lt->cublasLtMatmulAlgoCapGetAttribute(
			a, CAP_NUMERICS, &c->numerics, sizeof(c->numerics),
			&written) == SUCCESS &&
		written == sizeof(c->numerics);
	c->refused = told ? refusal_of(&p->product, c, h->state)
			  : "it does not tell how it computes";
}

static void candidate_tell(const LtCandidate *c, Buf *b)
{
	static const char *const reductions[] = {
		[REDUCTION_NONE] = "none",
		[REDUCTION_IN_PLACE] = "in place",
		[REDUCTION_COMPUTE] = "compute type",
		[REDUCTION_OUTPUT] = "output type"};
	const char *reduction = c->reduction < ARRAY_LEN(reductions)
					? reductions[c->reduction]
					: NULL;

	buf_printf(b,
		   "algorithm %" PRId32 ", tile %" PRIu32 ", stages %" PRIu32
		   ", split %" PRId32 ", reduction %s, numerics 0x%" PRIx64
		   ", workspace %zu",
		   c->id, c->tile, c->stages, c->split,
		   reduction ? reduction : "unknown", c->numerics,
		   c->workspace);
}

void cublaslt_tell(const LtPlan *p, Buf *out)
{
	for (int i = 0; i < p->count; i++) {
		const LtCandidate *c = &p->candidates[i];
		buf_printf(out, "     %2d ", i);
		candidate_tell(c, out);
		buf_printf(out, ": %s%s\n",
			   c->refused      ? "refused: "
			   : i == p->taken ? "taken"
					   : "allowed",
			   c->refused ? c->refused : "");
	}
	if (!p->count)
		buf_puts(out, cublaslt_plan_is_empty(p)
				      ? "     nothing to compute\n"
				      : "     none\n");
}

/* ---- plans ----------------------------------------------------------- */

bool cublaslt_plan_is_empty(const LtPlan *p)
{
	const LtProduct *x = &p->product;

	return x->rows == 0 || x->columns == 0 || x->batches == 0;
}

static void sizes_tell(const LtProduct *x, Buf *b)
{
	buf_printf(b, "%" PRId64 " x %" PRId64 " x %" PRId64, x->rows,
		   x->columns, x->depth);
	if (x->batches != 1)
		buf_printf(b, ", %" PRId64 " batches", x->batches);
}

/* No algorithm: what was named, and why it is not taken. */
static bool none_left(Ctx *ctx, const LtPlan *p, int status)
{
	const CublasLt *lt = p->lt;
	int allowed = 0;
	Buf sizes, list;

	buf_init(&sizes, &ctx->scratch);
	buf_init(&list, &ctx->scratch);
	sizes_tell(&p->product, &sizes);
	for (int i = 0; i < p->count; i++)
		allowed += !p->candidates[i].refused;
	if (p->count)
		buf_putc(&list, '\n');
	for (int i = 0; i < p->count; i++) {
		const LtCandidate *c = &p->candidates[i];
		buf_puts(&list, i ? "\n  " : "  ");
		candidate_tell(c, &list);
		buf_printf(&list, ": %s", c->refused ? c->refused : "allowed");
	}
	if (status != SUCCESS)
		return diag_fail(ctx, ERR_ENV,
				 "it asks for other sizes, or operands that "
				 "begin at more bytes; leave the pin "
				 "library.product out",
				 "cuBLASLt %d.%d.%d refuses the product of %s "
				 "(%s): %s (%d)",
				 lt->major, lt->minor, lt->patch,
				 p->product.name, buf_str(&sizes),
				 status_name(status), status);
	return diag_fail(ctx, ERR_ENV,
			 allowed ? "library.algorithm counts them from 0"
				 : "leave the pin library.product out",
			 "cuBLASLt %d.%d.%d: %d of the %d algorithms that its "
			 "heuristics name for the product of %s (%s) are "
			 "allowed%s%s",
			 lt->major, lt->minor, lt->patch, allowed, p->count,
			 p->product.name, buf_str(&sizes),
			 allowed ? arena_printf(&ctx->scratch,
						", and number %" PRId64
						" is pinned",
						p->product.algorithm)
				 : "",
			 buf_str(&list));
}

/* Asks the heuristics; records and chooses. */
static Outcome choose(LtPlan *p, LtPreference preference)
{
	const CublasLt *lt = p->lt;
	LtHeuristic h[LT_ALGORITHMS];
	int64_t left = p->product.algorithm;
	Outcome o = {.call = "cublasLtMatmulAlgoGetHeuristic"};

	memset(h, 0, sizeof(h));
	o.status = lt->cublasLtMatmulAlgoGetHeuristic(
		p->handle, p->desc, p->layout[0], p->layout[1], p->layout[2],
		p->layout[2], preference, LT_ALGORITHMS, h, &p->count);
	if (o.status || p->count < 0 || p->count > LT_ALGORITHMS)
		p->count = 0;
	for (int i = 0; i < p->count; i++) {
		candidate_read(p, &h[i], &p->candidates[i]);
		if (p->candidates[i].refused || p->taken >= 0 || left-- > 0)
			continue;
		p->taken = i;
		p->algorithm = h[i].algorithm;
	}
	return o;
}

static _Atomic uint64_t serials = 1;

static bool fits(Ctx *ctx, const LtProduct *p)
{
	return p->batches <= INT32_MAX ||
	       diag_fail(ctx, ERR_ENV, "leave the pin library.product out",
			 "product of %s: %" PRId64
			 " batches are more than cuBLASLt takes",
			 p->name, p->batches);
}

bool cublaslt_plan(Ctx *ctx, const CublasLt *lt, const CudaDevice *d,
		   LtHandle h, const LtProduct *x, LtPlan *out)
{
	LtPreference preference = NULL;
	bool asked = false;

	*out = (LtPlan){.lt = lt,
			.handle = h,
			.product = *x,
			.taken = -1,
			.serial = atomic_fetch_add(&serials, 1)};
	if (cublaslt_plan_is_empty(out) || x->depth == 0)
		return true;
	if (!fits(ctx, x) || !cuda_enter(ctx, d))
		return false;
	Outcome o = describe(out);
	if (!o.status)
		o = prefer(out, &preference);
	if (!o.status) {
		asked = true;
		o = choose(out, preference);
	}
	if (preference)
		lt->cublasLtMatmulPreferenceDestroy(preference);
	if (!cuda_leave(ctx, d, SUCCESS, "", ""))
		return false;
	bool refused = asked && (o.status == NOT_SUPPORTED || !o.status);
	if (!refused)
		return succeeded(ctx, lt, o.status, o.call, x->name);
	return out->taken >= 0 || none_left(ctx, out, o.status);
}

void cublaslt_plan_free(const CudaDevice *d, LtPlan *p)
{
	if (!p->lt || !cuda_enter(NULL, d))
		return;
	for (int i = 0; i < 3; i++)
		if (p->layout[i])
			p->lt->cublasLtMatrixLayoutDestroy(p->layout[i]);
	if (p->desc)
		p->lt->cublasLtMatmulDescDestroy(p->desc);
	cuda_leave(NULL, d, SUCCESS, "", "");
	*p = (LtPlan){0};
}

/* ---- running --------------------------------------------------------- */

/* 1 and 0 of each scale type. */
static const float one_f32 = 1, zero_f32 = 0;
static const double one_f64 = 1, zero_f64 = 0;
static const int32_t one_i32 = 1, zero_i32 = 0;

static void *pointer(CudaPtr p)
{
	return (void *)(uintptr_t)p;
}

static int queue(const LtPlan *p, const CudaPtr memory[4], CudaStream s)
{
	LtCompute c = p->product.compute;
	const void *one = c == LT_COMPUTE_32I ? (const void *)&one_i32
			  : c == LT_COMPUTE_64F_PEDANTIC
				  ? (const void *)&one_f64
				  : &one_f32;
	const void *zero = c == LT_COMPUTE_32I ? (const void *)&zero_i32
			   : c == LT_COMPUTE_64F_PEDANTIC
				   ? (const void *)&zero_f64
				   : &zero_f32;

	return p->lt->cublasLtMatmul(
		p->handle, p->desc, one, pointer(memory[2]), p->layout[0],
		pointer(memory[1]), p->layout[1], zero, pointer(memory[0]),
		p->layout[2], pointer(memory[0]), p->layout[2], &p->algorithm,
		pointer(memory[3]), p->product.workspace, s);
}

bool cublaslt_queue(Ctx *ctx, const LtPlan *p, const CudaDevice *d,
		    const CudaPtr memory[4], CudaStream s)
{
	const LtProduct *x = &p->product;

	if (cublaslt_plan_is_empty(p))
		return true;
	if (x->depth == 0) { /* the sum of nothing */
		size_t elements = (size_t)(x->rows * x->columns * x->batches);
		size_t bytes = (size_t)type_info[x->out.type].bytes;
		return cuda_zero(ctx, d, memory[0], elements * bytes, s);
	}
	if (!cuda_enter(ctx, d))
		return false;
	int status = queue(p, memory, s);
	return cuda_leave(ctx, d, SUCCESS, "", "") &&
	       succeeded(ctx, p->lt, status, "cublasLtMatmul", x->name);
}
