/*
 * peer_cublaslt: cuBLASLt, on a program's one product.
 *
 * The bare product of operands as they lie in the device's memory: what is
 * before and after it in the program is not computed, and the result is rounded
 * once, so that the time is one to compare with and not a way through the
 * program. Of the algorithms that the library's heuristics name, each is timed
 * on the device and the fastest is taken. The oracle judges the result as that
 * of a program of one line.
 *
 * Matrices are column-major there: c = a b is asked for as c' = b' a', each
 * operand as it is stored and turned where need be. Numbers are cublasLt.h's,
 * cublas_api.h's, library_types.h's and cuda.h's, of CUDA 12 and 13 alike.
 */
#include "lab.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum {
	SUCCESS = 0,
	COMPUTE_32F = 68,
	COMPUTE_64F = 70,
	REAL_16F = 2,
	REAL_32F = 0,
	REAL_64F = 1,
	REAL_16BF = 14,
	DESC_TRANSA = 3,
	DESC_TRANSB = 4,
	PREF_WORKSPACE = 1,
	OP_N = 0,
	OP_T = 1,
	STREAM_NON_BLOCKING = 1,
	CAPTURE_THREAD = 1,
};

/* Bytes: what its guide says for sm_90. */
#define WORKSPACE  ((size_t)32 << 20)
#define ALGORITHMS 16
#define BATCH      20 /* products in a graph that is timed */
#define TRIES      5

/* cublasLtMatmulHeuristicResult_t */
typedef struct Heuristic {
	uint64_t algorithm[8];
	size_t workspace;
	int state;
	float waves;
	int reserved[4];
} Heuristic;

typedef struct Lt *LtHandle;
typedef struct LtDesc *LtDesc;
typedef struct LtLayout *LtLayout;
typedef struct LtPreference *LtPreference;
typedef struct CuStream *CuStream;
typedef struct CuEvent *CuEvent;
typedef struct CuGraph *CuGraph;
typedef struct CuExec *CuExec;

#define LT_ENTRIES(X)                                                          \
	X(size_t, cublasLtGetVersion, (void))                                  \
	X(int, cublasLtCreate, (LtHandle *))                                   \
	X(int, cublasLtDestroy, (LtHandle))                                    \
	X(int, cublasLtMatmulDescCreate, (LtDesc *, int compute, int scale))   \
	X(int, cublasLtMatmulDescDestroy, (LtDesc))                            \
	X(int, cublasLtMatmulDescSetAttribute,                                 \
	  (LtDesc, int attribute, const void *value, size_t size))             \
	X(int, cublasLtMatrixLayoutCreate,                                     \
	  (LtLayout *, int type, uint64_t rows, uint64_t cols, int64_t ld))    \
	X(int, cublasLtMatrixLayoutDestroy, (LtLayout))                        \
	X(int, cublasLtMatmulPreferenceCreate, (LtPreference *))               \
	X(int, cublasLtMatmulPreferenceDestroy, (LtPreference))                \
	X(int, cublasLtMatmulPreferenceSetAttribute,                           \
	  (LtPreference, int attribute, const void *value, size_t size))       \
	X(int, cublasLtMatmulAlgoGetHeuristic,                                 \
	  (LtHandle, LtDesc, LtLayout a, LtLayout b, LtLayout c, LtLayout d,   \
	   LtPreference, int want, Heuristic *, int *got))                     \
	X(int, cublasLtMatmul,                                                 \
	  (LtHandle, LtDesc, const void *alpha, const void *a, LtLayout,       \
	   const void *b, LtLayout, const void *beta, const void *c, LtLayout, \
	   void *d, LtLayout, const uint64_t *algorithm, void *workspace,      \
	   size_t bytes, CuStream))

#define CU_ENTRIES(X)                                                          \
	X(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain,                  \
	  (void **context, int device))                                        \
	X(cuCtxGetCurrent, cuCtxGetCurrent, (void **context))                  \
	X(cuCtxSetCurrent, cuCtxSetCurrent, (void *context))                   \
	X(cuMemAlloc, cuMemAlloc_v2, (uint64_t *, size_t))                     \
	X(cuMemFree, cuMemFree_v2, (uint64_t))                                 \
	X(cuStreamCreate, cuStreamCreate, (CuStream *, unsigned flags))        \
	X(cuStreamDestroy, cuStreamDestroy_v2, (CuStream))                     \
	X(cuStreamSynchronize, cuStreamSynchronize, (CuStream))                \
	X(cuStreamBeginCapture, cuStreamBeginCapture_v2, (CuStream, int mode)) \
	X(cuStreamEndCapture, cuStreamEndCapture, (CuStream, CuGraph *))       \
	X(cuGraphInstantiate, cuGraphInstantiateWithFlags,                     \
	  (CuExec *, CuGraph, unsigned long long flags))                       \
	X(cuGraphLaunch, cuGraphLaunch, (CuExec, CuStream))                    \
	X(cuGraphExecDestroy, cuGraphExecDestroy, (CuExec))                    \
	X(cuGraphDestroy, cuGraphDestroy, (CuGraph))                           \
	X(cuEventCreate, cuEventCreate, (CuEvent *, unsigned flags))           \
	X(cuEventDestroy, cuEventDestroy_v2, (CuEvent))                        \
	X(cuEventRecord, cuEventRecord, (CuEvent, CuStream))                   \
	X(cuEventElapsedTime, cuEventElapsedTime, (float *ms, CuEvent, CuEvent))

typedef struct Api {
#define LT_FIELD(result, name, parameters) result(*name) parameters;
	LT_ENTRIES(LT_FIELD)
#define CU_FIELD(name, symbol, parameters) int(*name) parameters;
	CU_ENTRIES(CU_FIELD)
} Api;

/* ---- the library ----------------------------------------------------- */

static bool bind_driver(LabMem *m, LabPeer *p, Api *api)
{
	void *cuda = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!cuda) {
		p->why = lab_printf(m, "the CUDA driver is not found: tried "
				       "libcuda.so.1");
		return false;
	}
#define CU_BIND(name, symbol, parameters)                                      \
	api->name = __extension__(int(*) parameters) dlsym(cuda, #symbol);     \
	if (!api->name) {                                                      \
		p->why = lab_printf(m, "the driver has no %s", #symbol);       \
		return false;                                                  \
	}
	CU_ENTRIES(CU_BIND)
	return true;
}

static bool open_library(LabMem *m, LabPeer *p)
{
	const char *home = getenv("CUDA_HOME");
	const char *files[] = {"libcublasLt.so.13", "libcublasLt.so.12",
			       lab_printf(m, "%s/lib64/libcublasLt.so",
					  home ? home : "/usr/local/cuda"),
			       "/usr/local/cuda/lib64/libcublasLt.so"};
	Api *api = LAB_NEW(m, Api, 1);

	if (!lab_peer_load(m, p, files, 4))
		return false;
#define LT_BIND(result, name, parameters)                                      \
	api->name =                                                            \
		__extension__(result(*) parameters) dlsym(p->library, #name);  \
	if (!api->name) {                                                      \
		p->why = lab_printf(m, "the library has no %s", #name);        \
		return false;                                                  \
	}
	LT_ENTRIES(LT_BIND)
	if (!bind_driver(m, p, api))
		return false;
	size_t v = api->cublasLtGetVersion();
	p->version = lab_printf(m, "cuBLASLt %zu.%zu.%zu", v / 10000,
				v / 100 % 100, v % 100);
	p->own = api;
	return true;
}

/* ---- the product ----------------------------------------------------- */

/* A matrix operand in an input's memory. Strides in elements. */
typedef struct Operand {
	int input;
	int64_t rows, cols, row, col;
} Operand;

struct LabLt {
	LabMem *m;
	const Api *api;
	TenonContext *c;
	TenonPlan *plan; /* the bench's: whose device it is */
	Operand a, b;
	TenonDType in, out;
	int sets, filled;                 /* that are timed; that there are */
	const TenonTensor *const *inputs; /* by set, on the device */
	TenonTensor result;               /* of the host */
	void **results;                   /* by set, on the device */
	/* the library's */
	LtHandle handle;
	LtDesc desc;
	LtLayout layout[3];
	LtPreference preference;
	Heuristic best;
	uint64_t workspace;
	CuStream stream;
	CuEvent event[2];
	double one[2]; /* 1 and 0 of f64 */
	float onef[2]; /* of f32 */
	/* judging */
	TenonProgram *line;
	TenonPlan *line_plan;
	const char *steps;
};

static bool tell(LabLt *t, int result, const char *what)
{
	return result == SUCCESS ||
	       lab_fail(t->m, "%s failed with status %d", what, result);
}

/* Element (i, j) of v in the memory of an input; false where it is in none. */
static bool offset_of(const LabProgram *p, int v, int64_t i, int64_t j,
		      int *input, int64_t *off)
{
	int64_t at[LAB_VARS] = {i, j}, next[LAB_VARS] = {0};

	while (strcmp(p->values[v].op, "view") == 0) {
		const LabValue *view = &p->values[v];

		for (int d = 0; d < view->nmap; d++)
			if (!lab_index_eval(p, view->map[d], at, &next[d]))
				return false;
		memcpy(at, next, sizeof(at));
		v = view->args[0];
	}
	const LabValue *base = &p->values[v];
	if (strcmp(base->op, "input") != 0 || base->rank != 2)
		return false;
	*input = base->input;
	*off = at[0] * base->shape[1] + at[1];
	return true;
}

static bool operand_of(const LabProgram *p, int v, Operand *o)
{
	const LabValue *val = &p->values[v];
	int64_t zero, at;

	if (val->rank != 2)
		return false;
	o->rows = val->shape[0];
	o->cols = val->shape[1];
	if (o->rows < 2 || o->cols < 2 ||
	    !offset_of(p, v, 0, 0, &o->input, &zero) || zero != 0)
		return false;
	if (!offset_of(p, v, 1, 0, &o->input, &o->row) ||
	    !offset_of(p, v, 0, 1, &o->input, &o->col) ||
	    !offset_of(p, v, o->rows - 1, o->cols - 1, &o->input, &at))
		return false;
	return at == (o->rows - 1) * o->row + (o->cols - 1) * o->col &&
	       (o->row == 1 || o->col == 1);
}

static int type_of(TenonDType d)
{
	return d == TENON_F16    ? REAL_16F
	       : d == TENON_BF16 ? REAL_16BF
	       : d == TENON_F32  ? REAL_32F
				 : REAL_64F;
}

/* The program's only product, on inputs as they are. */
static bool product_find(LabLt *t, const LabProgram *p)
{
	int found = -1;

	for (int v = 0; v < p->nvalues; v++)
		if (strcmp(p->values[v].op, "matmul") == 0) {
			if (found >= 0)
				return lab_fail(t->m, "the program has several "
						      "products");
			found = v;
		}
	if (found < 0)
		return lab_fail(t->m, "the program has no product");
	const LabValue *v = &p->values[found];
	if (!operand_of(p, v->args[0], &t->a) ||
	    !operand_of(p, v->args[1], &t->b))
		return lab_fail(t->m, "the product's operands are not inputs "
				      "as they are stored");
	t->in = p->values[v->args[0]].dtype;
	t->out = v->dtype;
	if (t->in != t->out || (t->in != TENON_F16 && t->in != TENON_BF16 &&
				t->in != TENON_F32 && t->in != TENON_F64))
		return lab_fail(t->m, "no such product in the library");
	t->result = (TenonTensor){
		.dtype = t->out, .rank = 2, .shape = {t->a.rows, t->b.cols}};
	int64_t size = (int64_t)tenon_dtype_size(t->out);
	t->result.strides[1] = size;
	t->result.strides[0] = size * t->b.cols;
	return true;
}

/* An operand as column-major: turned is whether it is used as stored. */
static bool layout_make(LabLt *t, const Operand *o, LtLayout *out, int *op)
{
	bool rows = o->col == 1; /* row-major, which turned is column-major */

	*op = rows ? OP_N : OP_T;
	return tell(t,
		    t->api->cublasLtMatrixLayoutCreate(
			    out, type_of(t->in),
			    (uint64_t)(rows ? o->cols : o->rows),
			    (uint64_t)(rows ? o->rows : o->cols),
			    rows ? o->row : o->col),
		    "cublasLtMatrixLayoutCreate");
}

static bool describe(LabLt *t)
{
	const Api *x = t->api;
	bool wide = t->in == TENON_F64;
	size_t workspace = WORKSPACE;
	int op[2];

	return tell(t, x->cublasLtCreate(&t->handle), "cublasLtCreate") &&
	       tell(t,
		    x->cublasLtMatmulDescCreate(
			    &t->desc, wide ? COMPUTE_64F : COMPUTE_32F,
			    wide ? REAL_64F : REAL_32F),
		    "cublasLtMatmulDescCreate") &&
	       layout_make(t, &t->b, &t->layout[0], &op[0]) &&
	       layout_make(t, &t->a, &t->layout[1], &op[1]) &&
	       tell(t,
		    x->cublasLtMatrixLayoutCreate(
			    &t->layout[2], type_of(t->out), (uint64_t)t->b.cols,
			    (uint64_t)t->a.rows, t->b.cols),
		    "cublasLtMatrixLayoutCreate") &&
	       tell(t,
		    x->cublasLtMatmulDescSetAttribute(t->desc, DESC_TRANSA,
						      &op[0], sizeof(int)),
		    "cublasLtMatmulDescSetAttribute") &&
	       tell(t,
		    x->cublasLtMatmulDescSetAttribute(t->desc, DESC_TRANSB,
						      &op[1], sizeof(int)),
		    "cublasLtMatmulDescSetAttribute") &&
	       tell(t, x->cublasLtMatmulPreferenceCreate(&t->preference),
		    "cublasLtMatmulPreferenceCreate") &&
	       tell(t,
		    x->cublasLtMatmulPreferenceSetAttribute(
			    t->preference, PREF_WORKSPACE, &workspace,
			    sizeof(workspace)),
		    "cublasLtMatmulPreferenceSetAttribute");
}

/* ---- running --------------------------------------------------------- */

static int product(const LabLt *t, const Heuristic *h, int set)
{
	bool wide = t->in == TENON_F64;
	const void *one = wide ? (const void *)&t->one[0] : &t->onef[0];
	const void *zero = wide ? (const void *)&t->one[1] : &t->onef[1];
	void *c = t->results[set];
	union {
		uint64_t at;
		void *p;
	} workspace = {t->workspace};

	return t->api->cublasLtMatmul(
		t->handle, t->desc, one, t->inputs[set][t->b.input].data,
		t->layout[0], t->inputs[set][t->a.input].data, t->layout[1],
		zero, c, t->layout[2], c, t->layout[2], h->algorithm,
		workspace.p, WORKSPACE, t->stream);
}

bool lab_lt_run(void *lt, int set)
{
	const LabLt *t = lt;

	return product(t, &t->best, set) == SUCCESS &&
	       t->api->cuStreamSynchronize(t->stream) == SUCCESS;
}

/* n products from `set` on as one graph; NULL: that cannot be. */
static CuExec graph_make(const LabLt *t, const Heuristic *h, int set, int n)
{
	const Api *x = t->api;
	CuGraph graph = NULL;
	CuExec exec = NULL;
	bool good;

	if (x->cuStreamBeginCapture(t->stream, CAPTURE_THREAD) != SUCCESS)
		return NULL;
	good = true;
	for (int i = 0; i < n; i++)
		good &= product(t, h, (set + i) % t->sets) == SUCCESS;
	if (x->cuStreamEndCapture(t->stream, &graph) != SUCCESS || !graph)
		return NULL;
	if (good && x->cuGraphInstantiate(&exec, graph, 0) != SUCCESS)
		exec = NULL;
	x->cuGraphDestroy(graph);
	return exec;
}

/* Seconds of one of n products, by the device's clock; < 0: failed. */
static double device_seconds(const LabLt *t, const Heuristic *h, int set, int n)
{
	const Api *x = t->api;
	CuExec exec = graph_make(t, h, set, n);
	float ms = -1;
	bool good = exec != NULL;

	/* the first time it is brought to the device */
	for (int i = 0; i < 2 && good; i++)
		good = x->cuEventRecord(t->event[0], t->stream) == SUCCESS &&
		       x->cuGraphLaunch(exec, t->stream) == SUCCESS &&
		       x->cuEventRecord(t->event[1], t->stream) == SUCCESS &&
		       x->cuStreamSynchronize(t->stream) == SUCCESS &&
		       x->cuEventElapsedTime(&ms, t->event[0], t->event[1]) ==
			       SUCCESS;
	if (exec)
		x->cuGraphExecDestroy(exec);
	return good ? (double)ms * 1e-3 / n : -1;
}

double lab_lt_timed(void *lt, LabClock clock, int set, int n)
{
	const LabLt *t = lt;
	double start = lab_seconds();

	if (clock == LAB_DEVICE_SINGLE)
		return device_seconds(t, &t->best, set, 1);
	if (clock == LAB_DEVICE_BATCH)
		return device_seconds(t, &t->best, set,
				      n < LAB_BATCH ? n : LAB_BATCH);
	for (int i = 0; i < n; i++)
		if (product(t, &t->best, (set + i) % t->sets) != SUCCESS)
			return -1;
	if (t->api->cuStreamSynchronize(t->stream) != SUCCESS)
		return -1;
	return (lab_seconds() - start) / n;
}

/* The fastest of those that the heuristics name. */
static bool choose(LabLt *t)
{
	Heuristic h[ALGORITHMS];
	double least = -1;
	int n = 0, tried = 0, rank = 0;

	memset(h, 0, sizeof(h));
	if (!tell(t,
		  t->api->cublasLtMatmulAlgoGetHeuristic(
			  t->handle, t->desc, t->layout[0], t->layout[1],
			  t->layout[2], t->layout[2], t->preference, ALGORITHMS,
			  h, &n),
		  "cublasLtMatmulAlgoGetHeuristic"))
		return false;
	for (int i = 0; i < n; i++) {
		double best = -1;

		if (h[i].state != SUCCESS)
			continue;
		for (int k = 0; k < TRIES; k++) {
			double s = device_seconds(t, &h[i], 0, BATCH);
			if (s >= 0 && (best < 0 || s < best))
				best = s;
		}
		if (best < 0)
			continue;
		tried++;
		if (least < 0 || best < least) {
			least = best;
			t->best = h[i];
			rank = i + 1;
		}
	}
	if (least < 0)
		return lab_fail(t->m, "no algorithm of the library's works");
	t->steps = lab_printf(t->m,
			      "the bare product, rounded once: algorithm %d of "
			      "%d that its heuristics name",
			      rank, tried);
	return true;
}

/* ---- life ------------------------------------------------------------ */

/* A program of one line, which only the oracle looks at. */
static bool line_make(LabLt *t)
{
	const char *dtype = tenon_dtype_name(t->in);
	bool ta = t->a.col != 1, tb = t->b.col != 1;
	long a[2] = {ta ? t->a.cols : t->a.rows, ta ? t->a.rows : t->a.cols};
	long b[2] = {tb ? t->b.cols : t->b.rows, tb ? t->b.rows : t->b.cols};
	const char *text =
		lab_printf(t->m,
			   "def product(a: %s[%ld, %ld], b: %s[%ld, %ld]):\n"
			   "    return a%s @ b%s\n",
			   dtype, a[0], a[1], dtype, b[0], b[1], ta ? ".T" : "",
			   tb ? ".T" : "");
	TenonPlanInfo info;
	tenon_plan_info(t->plan, &info);
	TenonPlanOptions o = {.target = info.target, .emit_only = true};

	return (!tenon_program_from_text(t->c, "product", text, NULL,
					 &t->line) &&
		!tenon_compile(t->c, t->line, &o, &t->line_plan)) ||
	       lab_fail(t->m, "%s", tenon_message(t->c));
}

/* The context that Tenon's plans of this thread are in. */
static bool context_enter(LabLt *t)
{
	void *context = NULL;

	return (t->api->cuCtxGetCurrent(&context) == SUCCESS && context) ||
	       (tell(t, t->api->cuDevicePrimaryCtxRetain(&context, 0),
		     "cuDevicePrimaryCtxRetain") &&
		tell(t, t->api->cuCtxSetCurrent(context), "cuCtxSetCurrent"));
}

static bool memory_make(LabLt *t)
{
	size_t bytes = tenon_tensor_bytes(&t->result);

	t->results = LAB_NEW(t->m, void *, t->filled);
	for (int s = 0; s < t->filled; s++)
		if (tenon_device_alloc(t->plan, bytes, &t->results[s]))
			return lab_fail(t->m, "%s", tenon_message(t->c));
	t->result.data = lab_alloc(t->m, bytes);
	return tell(t, t->api->cuMemAlloc(&t->workspace, WORKSPACE),
		    "cuMemAlloc") &&
	       tell(t, t->api->cuStreamCreate(&t->stream, STREAM_NON_BLOCKING),
		    "cuStreamCreate") &&
	       tell(t, t->api->cuEventCreate(&t->event[0], 0),
		    "cuEventCreate") &&
	       tell(t, t->api->cuEventCreate(&t->event[1], 0), "cuEventCreate");
}

LabLt *lab_lt_new(LabMem *m, LabPeer *peer, const LabProgram *p,
		  TenonContext *c, TenonPlan *plan,
		  const TenonTensor *const *inputs, int sets, int filled)
{
	LabLt *t = LAB_NEW(m, LabLt, 1);

	*t = (LabLt){.m = m,
		     .api = peer->own,
		     .c = c,
		     .plan = plan,
		     .inputs = inputs,
		     .sets = sets,
		     .filled = filled,
		     .one = {1, 0},
		     .onef = {1, 0}};
	if (product_find(t, p) && context_enter(t) && memory_make(t) &&
	    describe(t) && choose(t) && line_make(t))
		return t;
	lab_lt_free(t);
	return NULL;
}

const char *lab_lt_steps(const LabLt *t)
{
	return t->steps;
}

static TenonTensor device_result(const LabLt *t, int set)
{
	TenonTensor d = t->result;

	d.data = t->results[set];
	d.place = TENON_DEVICE;
	return d;
}

TenonError lab_lt_judge(LabLt *t, const TenonTensor *inputs, int set,
			TenonVerdictFn *fn, void *arg, TenonOutcome *out)
{
	TenonTensor d = device_result(t, set), in[2];
	TenonError e;

	memset(t->result.data, 0xa5, tenon_tensor_bytes(&t->result));
	e = tenon_device_copy(t->plan, &d, &t->result);
	if (e || !lab_lt_run(t, set))
		return e ? e : TENON_EENV;
	e = tenon_device_copy(t->plan, &t->result, &d);
	in[0] = inputs[t->a.input];
	in[1] = inputs[t->b.input];
	return e ? e : tenon_judge(t->line_plan, in, &t->result, fn, arg, out);
}

void lab_lt_free(LabLt *t)
{
	if (!t)
		return;
	const Api *x = t->api;
	tenon_plan_free(t->line_plan);
	tenon_program_free(t->line);
	if (t->preference)
		x->cublasLtMatmulPreferenceDestroy(t->preference);
	for (int i = 0; i < 3; i++)
		if (t->layout[i])
			x->cublasLtMatrixLayoutDestroy(t->layout[i]);
	if (t->desc)
		x->cublasLtMatmulDescDestroy(t->desc);
	if (t->handle)
		x->cublasLtDestroy(t->handle);
	for (int i = 0; i < 2; i++)
		if (t->event[i])
			x->cuEventDestroy(t->event[i]);
	if (t->stream)
		x->cuStreamDestroy(t->stream);
	if (t->workspace)
		x->cuMemFree(t->workspace);
	for (int s = 0; t->results && s < t->filled; s++)
		tenon_device_free(t->plan, t->results[s],
				  tenon_tensor_bytes(&t->result));
}

const LabPeerSpec lab_peer_cublaslt = {
	.name = "cublaslt",
	.title = "cuBLASLt",
	.package = "NVIDIA's CUDA toolkit (libcublas)",
	.device = true,
	.open = open_library,
};
