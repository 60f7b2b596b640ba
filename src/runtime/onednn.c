/*
 * onednn: oneDNN 2.x's matmul, through its C interface. Declarations and
 * numbers are those of dnnl_types.h, 2.6.
 *
 * Parts of a product have up to four shapes, for each of which a primitive is
 * made once, with the library's own threads at one; it is executed by several
 * of our workers at once, each with memory of its own (scratchpad mode `user`).
 * f32 is computed in f32 whatever the environment says (mode `strict`).
 */
#include "runtime/product.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

enum {
	CPU = 1,
	IN_ORDER = 1,
	BF16 = 2,
	F32 = 3,
	SCRATCHPAD_USER = 1,
	STRICT = 0,
	QUERY_SCRATCHPAD = 136,
	ARG_SRC = 1,
	ARG_DST = 17,
	ARG_WEIGHTS = 33,
	ARG_SCRATCHPAD = 80,
	DIMS = 12,
	/* dnnl_runtime_kind_t */
	SEQUENTIAL = 1,
	OPENMP = 2,
	/* dnnl_cpu_isa_t: avx512_core_bf16, which all later ones include */
	ISA_BF16 = 0xe7,
};

typedef struct Desc { /* a memory descriptor has 696 bytes */
	_Alignas(16) char bytes[1024];
} Desc;
typedef struct OpDesc { /* one of a matmul has 3,496 */
	_Alignas(16) char bytes[8192];
} OpDesc;
typedef struct Arg {
	int arg;
	void *memory;
} Arg;
typedef struct Version {
	int major, minor, patch;
	const char *hash;
	unsigned cpu_runtime, gpu_runtime;
} Version;

enum Entry {
	ENGINE_CREATE,
	STREAM_CREATE,
	STREAM_DESTROY,
	DESC_STRIDES,
	DESC_SIZE,
	MEMORY_CREATE,
	MEMORY_DESTROY,
	ATTR_CREATE,
	ATTR_SCRATCHPAD,
	ATTR_DESTROY,
	MATMUL_INIT,
	PD_CREATE,
	PD_QUERY,
	PD_DESTROY,
	PRIMITIVE_CREATE,
	PRIMITIVE_DESTROY,
	EXECUTE,
	WAIT,
	VERSION,
	ISA,
	ENTRIES,
};
static const char *const names[ENTRIES] = {
	"dnnl_engine_create",
	"dnnl_stream_create",
	"dnnl_stream_destroy",
	"dnnl_memory_desc_init_by_strides",
	"dnnl_memory_desc_get_size",
	"dnnl_memory_create",
	"dnnl_memory_destroy",
	"dnnl_primitive_attr_create",
	"dnnl_primitive_attr_set_scratchpad_mode",
	"dnnl_primitive_attr_destroy",
	"dnnl_matmul_desc_init",
	"dnnl_primitive_desc_create",
	"dnnl_primitive_desc_query_md",
	"dnnl_primitive_desc_destroy",
	"dnnl_primitive_create",
	"dnnl_primitive_destroy",
	"dnnl_primitive_execute",
	"dnnl_stream_wait",
	"dnnl_version",
	"dnnl_get_effective_cpu_isa",
};
static const char *const omp_names[2] = {"omp_set_num_threads",
					 "omp_get_max_threads"};
static const char *const files[] = {"libdnnl.so.2"};

static struct {
	pthread_once_t once;
	void *library;
	const char *lacks; /* a name; NULL: it has all */
	void *entry[ENTRIES], *omp[2];
	void *fpmath; /* of 2.5 and later */
	const Version *version;
	void *engine;
} dnn = {.once = PTHREAD_ONCE_INIT};

/* CALL(ENTRY, int, (types), (arguments)) */
#define CALL(e, ret, types, args)                                              \
	((__extension__(ret(*) types) dnn.entry[e])args)

static int enter(void)
{
	int before = 1;

	if (dnn.version->cpu_runtime == OPENMP) {
		before = (__extension__(int (*)(void)) dnn.omp[1])();
		(__extension__(void (*)(int)) dnn.omp[0])(1);
	}
	return before;
}

static void leave(int before)
{
	if (dnn.version->cpu_runtime == OPENMP)
		(__extension__(void (*)(int)) dnn.omp[0])(before);
}

static void open_once(void)
{
	dnn.library = product_load(files, ARRAY_LEN(files));
	if (!dnn.library)
		return;
	dnn.lacks = product_symbols(dnn.library, names, ENTRIES, dnn.entry);
	if (dnn.lacks)
		return;
	dnn.fpmath = dlsym(dnn.library, "dnnl_primitive_attr_set_fpmath_mode");
	dnn.version = CALL(VERSION, const Version *, (void), ());
	if (dnn.version->cpu_runtime == OPENMP)
		dnn.lacks = product_symbols(dnn.library, omp_names, 2, dnn.omp);
	if (dnn.lacks)
		return;
	int before = enter();
	if (CALL(ENGINE_CREATE, int, (void **, int, size_t),
		 (&dnn.engine, CPU, 0)) != 0)
		dnn.engine = NULL;
	leave(before);
}

static bool find(Ctx *ctx)
{
	pthread_once(&dnn.once, open_once);
	if (!dnn.library)
		return diag_fail(ctx, ERR_ENV,
				 "install it (Debian's package libdnnl2), "
				 "or " PRODUCT_LEAVE_OUT,
				 "oneDNN 2 is not found: tried libdnnl.so.2");
	if (dnn.lacks)
		return diag_fail(ctx, ERR_ENV,
				 "install oneDNN 2.6, or " PRODUCT_LEAVE_OUT,
				 "oneDNN has no %s", dnn.lacks);
	if (dnn.version->cpu_runtime != SEQUENTIAL &&
	    dnn.version->cpu_runtime != OPENMP)
		return diag_fail(ctx, ERR_ENV,
				 "install it for OpenMP, or " PRODUCT_LEAVE_OUT,
				 "oneDNN is built for a run time whose threads "
				 "cannot be kept at one");
	return dnn.engine || diag_fail(ctx, ERR_ENV, PRODUCT_LEAVE_OUT,
				       "oneDNN makes no engine here");
}

static bool onednn_version(Ctx *ctx, Arena *a, const char **out)
{
	if (!find(ctx))
		return false;
	*out = arena_printf(a, "oneDNN %d.%d.%d instructions 0x%x",
			    dnn.version->major, dnn.version->minor,
			    dnn.version->patch,
			    (unsigned)CALL(ISA, int, (void), ()));
	return true;
}

/* ---- primitives ------------------------------------------------------- */

typedef struct Primitive {
	int64_t rows, columns; /* 0: not made */
	Desc left, right, out, scratchpad;
	void *pd, *primitive;
} Primitive;
/* Of whole parts, of the last below, of the last beside, of the last. */
#define SHAPES 4

static void primitives_free(void *own)
{
	Primitive *x = own;

	for (int i = 0; i < SHAPES; i++) {
		if (x[i].primitive)
			CALL(PRIMITIVE_DESTROY, int, (void *),
			     (x[i].primitive));
		if (x[i].pd)
			CALL(PD_DESTROY, int, (void *), (x[i].pd));
	}
}

static bool desc_make(Desc *d, const ProductMatrix *m, int64_t rows,
		      int64_t columns)
{
	const int64_t shape[DIMS] = {rows, columns};
	const int64_t steps[DIMS] = {m->row, m->column};
	int type = m->type == PRODUCT_BF16 ? BF16 : F32;

	return CALL(DESC_STRIDES, int,
		    (Desc *, int, const int64_t *, int, const int64_t *),
		    (d, 2, shape, type, steps)) == 0;
}

static void *attributes(void)
{
	void *attr = NULL;

	if (CALL(ATTR_CREATE, int, (void **), (&attr)) != 0)
		return NULL;
	bool ok = CALL(ATTR_SCRATCHPAD, int, (void *, int),
		       (attr, SCRATCHPAD_USER)) == 0 &&
		  (!dnn.fpmath || (__extension__(int (*)(void *, int))
					   dnn.fpmath)(attr, STRICT) == 0);
	if (ok)
		return attr;
	CALL(ATTR_DESTROY, int, (void *), (attr));
	return NULL;
}

static bool primitive_make(const Product *p, Primitive *x)
{
	OpDesc op = {{0}};
	void *attr = attributes();
	bool ok = attr && desc_make(&x->left, &p->left, x->rows, p->depth) &&
		  desc_make(&x->right, &p->right, p->depth, x->columns) &&
		  desc_make(&x->out, &p->out, x->rows, x->columns) &&
		  CALL(MATMUL_INIT, int,
		       (OpDesc *, const Desc *, const Desc *, const Desc *,
			const Desc *),
		       (&op, &x->left, &x->right, NULL, &x->out)) == 0 &&
		  CALL(PD_CREATE, int,
		       (void **, const OpDesc *, void *, void *, void *),
		       (&x->pd, &op, attr, dnn.engine, NULL)) == 0 &&
		  CALL(PRIMITIVE_CREATE, int, (void **, void *),
		       (&x->primitive, x->pd)) == 0;

	if (attr)
		CALL(ATTR_DESTROY, int, (void *), (attr));
	if (ok)
		memcpy(&x->scratchpad,
		       CALL(PD_QUERY, const void *, (void *, int, int),
			    (x->pd, QUERY_SCRATCHPAD, 0)),
		       696);
	return ok;
}

static int64_t last_of(int64_t n, int64_t each)
{
	return n % each ? n % each : each;
}

static const Primitive *primitive_of(const Product *p, int64_t rows,
				     int64_t columns)
{
	const Primitive *x = p->own;

	while (x->rows != rows || x->columns != columns)
		x++;
	return x;
}

static bool make_shapes(const Product *p, Primitive *x, size_t *scratch)
{
	int before = enter();
	bool ok = true;

	for (int i = 0; ok && i < SHAPES; i++) {
		x[i].rows =
			i & 1 ? last_of(p->rows, p->part_rows) : p->part_rows;
		x[i].columns = i & 2 ? last_of(p->columns, p->part_columns)
				     : p->part_columns;
		if (x[i].rows > p->rows || x[i].columns > p->columns ||
		    primitive_of(p, x[i].rows, x[i].columns) != &x[i])
			continue;
		ok = primitive_make(p, &x[i]);
		size_t n = ok ? CALL(DESC_SIZE, size_t, (const Desc *),
				     (&x[i].scratchpad))
			      : 0;
		*scratch = n > *scratch ? n : *scratch;
	}
	leave(before);
	return ok;
}

static bool onednn_prepare(Ctx *ctx, Arena *a, Product *p)
{
	if (!find(ctx))
		return false;
	int isa = CALL(ISA, int, (void), ());
	if (p->left.type == PRODUCT_BF16 && (isa & ISA_BF16) != ISA_BF16)
		return diag_fail(ctx, ERR_ENV,
				 "see that ONEDNN_MAX_CPU_ISA allows them, "
				 "or " PRODUCT_LEAVE_OUT,
				 "%s: oneDNN does without the dot products of "
				 "bf16 that the plan's accumulator is",
				 p->name);
	Primitive *x = arena_array(a, Primitive, SHAPES);
	arena_defer(a, primitives_free, x);
	p->own = x;
	return make_shapes(p, x, &p->scratch) ||
	       diag_fail(ctx, ERR_ENV, PRODUCT_LEAVE_OUT,
			 "%s: oneDNN has no product of %lld x %lld x %lld such "
			 "as this",
			 p->name, (long long)p->rows, (long long)p->columns,
			 (long long)p->depth);
}

/* ---- a run ------------------------------------------------------------ */

static int memory_make(Arg *arg, int which, const Desc *d, const void *data)
{
	arg->arg = which;
	return CALL(MEMORY_CREATE, int, (void **, const Desc *, void *, void *),
		    (&arg->memory, d, dnn.engine, (void *)data));
}

static int execute(const Primitive *x, int n, const Arg *args)
{
	void *stream = NULL;
	int e = CALL(STREAM_CREATE, int, (void **, void *, unsigned),
		     (&stream, dnn.engine, IN_ORDER));

	if (e)
		return e;
	e = CALL(EXECUTE, int, (void *, void *, int, const Arg *),
		 (x->primitive, stream, n, args));
	if (!e)
		e = CALL(WAIT, int, (void *), (stream));
	CALL(STREAM_DESTROY, int, (void *), (stream));
	return e;
}

static int onednn_part(const Product *p, const ProductPart *part)
{
	const Primitive *x = primitive_of(p, part->rows, part->columns);
	Arg args[4] = {{0}};
	int e = memory_make(&args[0], ARG_SRC, &x->left, part->left);

	if (!e)
		e = memory_make(&args[1], ARG_WEIGHTS, &x->right, part->right);
	if (!e)
		e = memory_make(&args[2], ARG_DST, &x->out, part->out);
	if (!e)
		e = memory_make(&args[3], ARG_SCRATCHPAD, &x->scratchpad,
				part->scratch);
	if (!e)
		e = execute(x, 4, args);
	for (int i = 0; i < 4; i++)
		if (args[i].memory)
			CALL(MEMORY_DESTROY, int, (void *), (args[i].memory));
	return e;
}

const ProductCalls product_onednn = {
	.title = "oneDNN",
	.version = onednn_version,
	.prepare = onednn_prepare,
	.enter = enter,
	.leave = leave,
	.part = onednn_part,
};
