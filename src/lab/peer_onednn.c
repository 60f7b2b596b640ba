/*
 * peer_onednn: oneDNN 2.x through its C interface: matmul, softmax and layer
 * normalization primitives, on plain layouts; as onednn-packed, constant
 * weights are reordered once into the layout that the primitive likes best.
 *
 * Descriptors are opaque here: buffers as large as any version 2 has them,
 * filled and read by the library alone. Memory objects are bound once and
 * given other data only when it changes.
 */
#include "lab.h"

#include <dlfcn.h>
#include <string.h>

enum { /* of dnnl_types.h, 2.6 */
	DNNL_CPU = 1,
	DNNL_F16 = 1,
	DNNL_BF16 = 2,
	DNNL_F32 = 3,
	DNNL_S32 = 4,
	DNNL_S8 = 5,
	DNNL_TAG_ANY = 1,
	DNNL_INFERENCE = 96,
	DNNL_QUERY_WEIGHTS = 131,
	DNNL_ARG_SRC = 1,
	DNNL_ARG_DST = 17,
	DNNL_ARG_WEIGHTS = 33,
	DNNL_ARG_BIAS = 41,
	DNNL_ARG_SCALE = 51,
	DNNL_ARG_SHIFT = 52,
	DNNL_USE_SCALE = 8,
	DNNL_USE_SHIFT = 16,
	DNNL_DIMS = 12,
};

typedef struct Desc { /* a memory descriptor has 696 bytes */
	_Alignas(16) char bytes[1024];
} Desc;
typedef struct OpDesc { /* the largest used has 3,496 */
	_Alignas(16) char bytes[8192];
} OpDesc;
typedef struct Arg {
	int arg;
	void *memory;
} Arg;
typedef struct Version {
	int major, minor, patch;
} Version;

enum Entry {
	ENGINE_CREATE,
	STREAM_CREATE,
	DESC_STRIDES,
	DESC_TAG,
	DESC_SIZE,
	MEMORY_CREATE,
	MEMORY_SET,
	MEMORY_DESTROY,
	MATMUL_INIT,
	SOFTMAX_INIT,
	NORM_INIT,
	PD_CREATE,
	PD_QUERY,
	PD_DESTROY,
	REORDER_CREATE,
	PRIMITIVE_CREATE,
	PRIMITIVE_DESTROY,
	EXECUTE,
	WAIT,
	VERSION,
	OMP_THREADS,
	OMP_PARALLEL,
	ENTRIES,
};
static const char *const names[ENTRIES] = {
	"dnnl_engine_create",
	"dnnl_stream_create",
	"dnnl_memory_desc_init_by_strides",
	"dnnl_memory_desc_init_by_tag",
	"dnnl_memory_desc_get_size",
	"dnnl_memory_create",
	"dnnl_memory_set_data_handle",
	"dnnl_memory_destroy",
	"dnnl_matmul_desc_init",
	"dnnl_softmax_forward_desc_init",
	"dnnl_layer_normalization_forward_desc_init",
	"dnnl_primitive_desc_create",
	"dnnl_primitive_desc_query_md",
	"dnnl_primitive_desc_destroy",
	"dnnl_reorder_primitive_desc_create",
	"dnnl_primitive_create",
	"dnnl_primitive_destroy",
	"dnnl_primitive_execute",
	"dnnl_stream_wait",
	"dnnl_version",
	"omp_set_num_threads",
	"GOMP_parallel",
};
/* CALL(p, ENTRY, int, (types), (arguments)) */
#define CALL(p, e, ret, types, args)                                           \
	((__extension__(ret(*) types)(p)->entry[e])args)

typedef struct Library {
	void *engine, *stream;
	bool f16; /* its matmul takes f16 */
} Library;

typedef struct Operand {
	Desc desc;
	void *memory;
	const void *data; /* that memory has now */
	int arg;
} Operand;

typedef struct Primitive {
	LabPeer *p;
	void *pd, *primitive;
	Operand operands[4];
	int n;
	Desc plain; /* of packed weights: as they are stored */
	bool pack;
} Primitive;

/* ---- pieces ---------------------------------------------------------- */

static int dnnl_dtype(TenonDType d)
{
	return d == TENON_F32    ? DNNL_F32
	       : d == TENON_BF16 ? DNNL_BF16
	       : d == TENON_F16  ? DNNL_F16
	       : d == TENON_I8   ? DNNL_S8
				 : DNNL_S32;
}

static bool desc_make(LabPeer *p, Desc *d, int n, const int64_t *shape,
		      TenonDType dtype, const int64_t *strides)
{
	int64_t dims[DNNL_DIMS] = {0}, steps[DNNL_DIMS] = {0};

	memcpy(dims, shape, (size_t)n * sizeof(*dims));
	memcpy(steps, strides, (size_t)n * sizeof(*steps));
	return CALL(p, DESC_STRIDES, int,
		    (Desc *, int, const int64_t *, int, const int64_t *),
		    (d, n, dims, dnnl_dtype(dtype), steps)) == 0;
}

static bool memory_make(LabPeer *p, Operand *o, int arg)
{
	Library *l = p->own;

	o->arg = arg;
	return CALL(p, MEMORY_CREATE, int,
		    (void **, const Desc *, void *, void *),
		    (&o->memory, &o->desc, l->engine, NULL)) == 0;
}

static void operand_set(LabPeer *p, Operand *o, const void *data)
{
	if (o->data == data)
		return;
	CALL(p, MEMORY_SET, int, (void *, void *), (o->memory, (void *)data));
	o->data = data;
}

static bool primitive_make(LabPeer *p, const OpDesc *op, Primitive *x)
{
	Library *l = p->own;

	return CALL(p, PD_CREATE, int,
		    (void **, const OpDesc *, void *, void *, void *),
		    (&x->pd, op, NULL, l->engine, NULL)) == 0 &&
	       CALL(p, PRIMITIVE_CREATE, int, (void **, void *),
		    (&x->primitive, x->pd)) == 0;
}

static bool execute(Primitive *x)
{
	Library *l = x->p->own;
	Arg args[4];

	for (int i = 0; i < x->n; i++)
		args[i] = (Arg){x->operands[i].arg, x->operands[i].memory};
	return CALL(x->p, EXECUTE, int, (void *, void *, int, const Arg *),
		    (x->primitive, l->stream, x->n, args)) == 0 &&
	       CALL(x->p, WAIT, int, (void *), (l->stream)) == 0;
}

static void primitive_free(void *state)
{
	Primitive *x = state;

	for (int i = 0; i < x->n; i++)
		if (x->operands[i].memory)
			CALL(x->p, MEMORY_DESTROY, int, (void *),
			     (x->operands[i].memory));
	if (x->primitive)
		CALL(x->p, PRIMITIVE_DESTROY, int, (void *), (x->primitive));
	if (x->pd)
		CALL(x->p, PD_DESTROY, int, (void *), (x->pd));
}

/* ---- products -------------------------------------------------------- */

enum {
	A,
	B,
	C,
	BIAS,
};

static void axes_fill(const LabProduct *d, int64_t m, int64_t n,
		      const int64_t *batch_strides, int64_t row, int64_t col,
		      int64_t *shape, int64_t *strides, bool broadcasts)
{
	for (int i = 0; i < d->nbatch; i++) {
		bool one = broadcasts && batch_strides[i] == 0;

		shape[i] = one ? 1 : d->batch[i];
		strides[i] = one ? m * n : batch_strides[i];
	}
	shape[d->nbatch] = m;
	shape[d->nbatch + 1] = n;
	/* Strides of extents of 1 are free; the library wants them dense. */
	strides[d->nbatch] = row ? row : n;
	strides[d->nbatch + 1] = col ? col : 1;
}

static bool descs_make(LabPeer *p, const LabProduct *d, Primitive *x)
{
	int64_t shape[DNNL_DIMS], strides[DNNL_DIMS];
	int r = d->nbatch + 2;

	axes_fill(d, d->m, d->k, d->a_batch, d->a_row, d->a_col, shape, strides,
		  true);
	if (!desc_make(p, &x->operands[A].desc, r, shape, d->in, strides))
		return false;
	axes_fill(d, d->k, d->n, d->b_batch, d->b_row, d->b_col, shape, strides,
		  true);
	if (!desc_make(p, &x->plain, r, shape, d->in, strides))
		return false;
	x->operands[B].desc = x->plain;
	if (d->pack &&
	    CALL(p, DESC_TAG, int, (Desc *, int, const int64_t *, int, int),
		 (&x->operands[B].desc, r, shape, dnnl_dtype(d->in),
		  DNNL_TAG_ANY)) != 0)
		return false;
	axes_fill(d, d->m, d->n, d->c_batch, d->c_row, 1, shape, strides,
		  false);
	if (!desc_make(p, &x->operands[C].desc, r, shape, d->out, strides))
		return false;
	for (int i = 0; i < r - 1; i++)
		shape[i] = 1;
	for (int i = 0; i < r; i++)
		strides[i] = i == r - 1 ? 1 : d->n;
	return desc_make(p, &x->operands[BIAS].desc, r, shape, TENON_F32,
			 strides);
}

static bool matmul_make(LabPeer *p, const LabProduct *d, Primitive *x)
{
	static const int args[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST,
				   DNNL_ARG_BIAS};
	OpDesc op = {{0}};

	x->p = p;
	x->pack = d->pack;
	if (!descs_make(p, d, x) ||
	    CALL(p, MATMUL_INIT, int,
		 (OpDesc *, const Desc *, const Desc *, const Desc *,
		  const Desc *),
		 (&op, &x->operands[A].desc, &x->operands[B].desc,
		  d->bias ? &x->operands[BIAS].desc : NULL,
		  &x->operands[C].desc)) != 0 ||
	    !primitive_make(p, &op, x))
		return false;
	if (x->pack)
		memcpy(&x->operands[B].desc,
		       CALL(p, PD_QUERY, const void *, (void *, int, int),
			    (x->pd, DNNL_QUERY_WEIGHTS, 0)),
		       696);
	for (x->n = 0; x->n < 3 + d->bias; x->n++)
		if (!memory_make(p, &x->operands[x->n], args[x->n]))
			return false;
	return true;
}

static void *product_new(LabMem *m, LabPeer *p, const LabProduct *d)
{
	Primitive *x = LAB_NEW(m, Primitive, 1);

	if (matmul_make(p, d, x))
		return x;
	primitive_free(x);
	lab_fail(m, "oneDNN has no such matmul");
	return NULL;
}

/* Weights in the primitive's own layout. */
static const void *product_pack(LabMem *m, void *state, const void *b)
{
	Primitive *x = state, reorder = {.p = x->p, .n = 2};
	Library *l = x->p->own;
	void *out = lab_alloc(m, CALL(x->p, DESC_SIZE, size_t, (const Desc *),
				      (&x->operands[B].desc)));
	bool ok;

	reorder.operands[0].desc = x->plain;
	reorder.operands[1].desc = x->operands[B].desc;
	ok = CALL(x->p, REORDER_CREATE, int,
		  (void **, const Desc *, void *, const Desc *, void *, void *),
		  (&reorder.pd, &x->plain, l->engine, &x->operands[B].desc,
		   l->engine, NULL)) == 0 &&
	     CALL(x->p, PRIMITIVE_CREATE, int, (void **, void *),
		  (&reorder.primitive, reorder.pd)) == 0 &&
	     memory_make(x->p, &reorder.operands[0], DNNL_ARG_SRC) &&
	     memory_make(x->p, &reorder.operands[1], DNNL_ARG_DST);
	if (ok) {
		operand_set(x->p, &reorder.operands[0], b);
		operand_set(x->p, &reorder.operands[1], out);
		ok = execute(&reorder);
	}
	primitive_free(&reorder);
	if (!ok)
		lab_fail(m, "oneDNN cannot reorder the weights");
	return ok ? out : NULL;
}

static bool product_run(void *state, const void *a, const void *b,
			const void *bias, void *c)
{
	Primitive *x = state;

	operand_set(x->p, &x->operands[A], a);
	operand_set(x->p, &x->operands[B], b);
	operand_set(x->p, &x->operands[C], c);
	if (x->n > BIAS)
		operand_set(x->p, &x->operands[BIAS], bias);
	return execute(x);
}

/* ---- rows ------------------------------------------------------------ */

static bool rows_make(LabPeer *p, const LabRows *d, Primitive *x)
{
	int64_t shape[] = {d->rows, d->width}, strides[] = {d->width, 1};
	int64_t one[] = {1};
	OpDesc op = {{0}};
	Desc stats;
	int err;

	x->p = p;
	if (!desc_make(p, &x->operands[0].desc, 2, shape, d->dtype, strides) ||
	    !desc_make(p, &stats, 1, shape, TENON_F32, one) ||
	    !desc_make(p, &x->operands[2].desc, 1, shape + 1, TENON_F32, one))
		return false;
	x->operands[1].desc = x->operands[0].desc;
	x->operands[3].desc = x->operands[2].desc;
	if (d->layer_norm)
		err = CALL(p, NORM_INIT, int,
			   (OpDesc *, int, const Desc *, const Desc *, float,
			    unsigned),
			   (&op, DNNL_INFERENCE, &x->operands[0].desc, &stats,
			    (float)d->eps, DNNL_USE_SCALE | DNNL_USE_SHIFT));
	else
		err = CALL(p, SOFTMAX_INIT, int,
			   (OpDesc *, int, const Desc *, int),
			   (&op, DNNL_INFERENCE, &x->operands[0].desc, 1));
	if (err != 0 || !primitive_make(p, &op, x))
		return false;
	x->n = d->layer_norm ? 4 : 2;
	return memory_make(p, &x->operands[0], DNNL_ARG_SRC) &&
	       memory_make(p, &x->operands[1], DNNL_ARG_DST) &&
	       (!d->layer_norm ||
		(memory_make(p, &x->operands[2], DNNL_ARG_SCALE) &&
		 memory_make(p, &x->operands[3], DNNL_ARG_SHIFT)));
}

static void *rows_new(LabMem *m, LabPeer *p, const LabRows *d)
{
	Primitive *x = LAB_NEW(m, Primitive, 1);

	if (rows_make(p, d, x))
		return x;
	primitive_free(x);
	lab_fail(m, "oneDNN has no such %s",
		 d->layer_norm ? "layer normalization" : "softmax");
	return NULL;
}

static bool rows_run(void *state, const void *in, const void *gain,
		     const void *shift, void *y)
{
	Primitive *x = state;

	operand_set(x->p, &x->operands[0], in);
	operand_set(x->p, &x->operands[1], y);
	if (x->n == 4) {
		operand_set(x->p, &x->operands[2], gain);
		operand_set(x->p, &x->operands[3], shift);
	}
	return execute(x);
}

/* ---- the library ----------------------------------------------------- */

/* Whether a small f16 product can be made. */
static bool takes_f16(LabPeer *p)
{
	LabProduct d = {.in = TENON_F16,
			.out = TENON_F16,
			.m = 16,
			.n = 16,
			.k = 16,
			.a_row = 16,
			.a_col = 1,
			.b_row = 16,
			.b_col = 1,
			.c_row = 16};
	Primitive x = {0};
	bool ok = matmul_make(p, &d, &x);

	x.p = p;
	primitive_free(&x);
	return ok;
}

static bool open_library(LabMem *m, LabPeer *p)
{
	static const char *const files[] = {"libdnnl.so.2"};
	const Version *v;
	Library *l = LAB_NEW(m, Library, 1);

	if (!lab_peer_load(m, p, files, 1) ||
	    !lab_peer_symbols(m, p, names, ENTRIES))
		return false;
	p->own = l;
	p->omp = __extension__(LabOmpParallel *) p->entry[OMP_PARALLEL];
	CALL(p, OMP_THREADS, void, (int), (p->threads));
	if (CALL(p, ENGINE_CREATE, int, (void **, int, size_t),
		 (&l->engine, DNNL_CPU, 0)) != 0 ||
	    CALL(p, STREAM_CREATE, int, (void **, void *, unsigned),
		 (&l->stream, l->engine, 1)) != 0) {
		p->why = "oneDNN makes no engine here";
		return false;
	}
	l->f16 = takes_f16(p);
	v = CALL(p, VERSION, const Version *, (void), ());
	p->version =
		lab_printf(m, "oneDNN %d.%d.%d", v->major, v->minor, v->patch);
	return true;
}

static bool takes(const LabPeer *p, TenonDType in, TenonDType out)
{
	const Library *l = p->own;

	return (in == TENON_F32 && out == TENON_F32) ||
	       (in == TENON_BF16 && (out == TENON_BF16 || out == TENON_F32)) ||
	       (in == TENON_F16 && out == TENON_F16 && l->f16) ||
	       (in == TENON_I8 && out == TENON_I32);
}

#define COMMON                                                                 \
	.title = "oneDNN", .package = "Debian's package libdnnl2",             \
	.open = open_library, .takes = takes, .bias = true,                    \
	.product_new = product_new, .product_pack = product_pack,              \
	.product_run = product_run, .product_free = primitive_free,            \
	.rows_new = rows_new, .rows_run = rows_run,                            \
	.rows_free = primitive_free

const LabPeerSpec lab_peer_onednn = {.name = "onednn", COMMON};
const LabPeerSpec lab_peer_onednn_packed = {
	.name = "onednn-packed", .pack = true, COMMON};
