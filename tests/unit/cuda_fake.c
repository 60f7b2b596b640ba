/*
 * cuda_fake: a library with libcuda's names, which tests make and load in its
 * place. "Device" memory is on the host, kernels run when they are launched.
 * It does as the environment says:
 *
 *	FAKE_VERSION, FAKE_DEVICES
 *	FAKE_FAIL=CALL:RESULT
 *	FAKE_BUSY=N       so many queries find work unfinished; -1: all of them
 *	FAKE_CURRENT=1    a context is current already
 *	FAKE_ORDINAL=N    the device that memory is said to be of
 *	FAKE_ALLOCATIONS=N  so many are good, then memory is refused
 *	FAKE_COPY=N       kernels of cubins move N bytes from their first
 *	                  parameter to their second
 *	FAKE_NODES=TYPE   graphs do not know that type: memop or memset
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int fake_depth, fake_retained, fake_memory, fake_launches, fake_graphs;
int fake_updates; /* calls that changed a graph */
int fake_joined;  /* programmatic edges made */
int fake_fault;   /* a kernel failed: what every call returns from then on */
int fake_in, fake_out, fake_over; /* copies */
int fake_allocations;             /* of device memory, so far */
void *fake_stream;                /* of the last launch of a graph */
unsigned long fake_args[8];       /* the last kernel's of a cubin */

int fake_records; /* streams that were recorded */

/* What handles of functions point to. */
static char twice, plus, trap, signal, mapped, any;

static int number(const char *name, int otherwise)
{
	const char *v = getenv(name);
	return v ? atoi(v) : otherwise;
}

static int fails(const char *call)
{
	const char *v = getenv("FAKE_FAIL");
	size_t n = strlen(call);
	return v && !strncmp(v, call, n) && v[n] == ':' ? atoi(v + n + 1) : 0;
}

#define BEGIN                                                                  \
	if (fails(__func__))                                                   \
	return fails(__func__)
/* Calls that need the context current. */
#define INSIDE                                                                 \
	BEGIN;                                                                 \
	if (fake_depth != 1)                                                   \
		return 201;                                                    \
	if (fake_fault)                                                        \
	return fake_fault

/* ---- the driver and its devices -------------------------------------- */

int cuInit(unsigned flags)
{
	static pid_t process;
	BEGIN;
	process = process ? process : getpid();
	if (process != getpid())
		return 3;
	return (int)flags;
}

int cuDriverGetVersion(int *v)
{
	BEGIN;
	*v = number("FAKE_VERSION", 13000);
	return 0;
}

int cuDeviceGetCount(int *n)
{
	BEGIN;
	*n = number("FAKE_DEVICES", 1);
	return 0;
}

int cuDeviceGet(int *device, int n)
{
	BEGIN;
	*device = 7 + n;
	return 0;
}

int cuDeviceGetName(char *s, int n, int device)
{
	BEGIN;
	snprintf(s, (size_t)n, "Fake %d", device);
	return 0;
}

int cuDeviceGetAttribute(int *v, int attribute, int device)
{
	BEGIN;
	switch (attribute) {
	case 75:
		*v = 9;
		break;
	case 76:
		*v = 0;
		break;
	case 16:
		*v = 132;
		break;
	case 97:
		*v = 232448;
		break;
	default:
		return 1;
	}
	return device == 7 ? 0 : 101;
}

int cuDeviceTotalMem_v2(size_t *n, int device)
{
	BEGIN;
	*n = (size_t)3 << 30;
	return device == 7 ? 0 : 101;
}

int cuDevicePrimaryCtxRetain(void **c, int device)
{
	BEGIN;
	fake_retained++;
	*c = &fake_depth;
	return device == 7 ? 0 : 101;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
	BEGIN;
	fake_retained--;
	return device == 7 ? 0 : 101;
}

int cuCtxGetCurrent(void **c)
{
	BEGIN;
	*c = fake_depth > 0 || number("FAKE_CURRENT", 0) ? &fake_depth : NULL;
	return 0;
}

int cuCtxGetDevice(int *device)
{
	BEGIN;
	*device = 7;
	return 0;
}

int cuCtxPushCurrent_v2(void *c)
{
	BEGIN;
	fake_depth++;
	return c == &fake_depth ? 0 : 201;
}

int cuCtxPopCurrent_v2(void **c)
{
	fake_depth--;
	BEGIN;
	*c = &fake_depth;
	return 0;
}

/* ---- modules --------------------------------------------------------- */

int cuModuleLoadData(void **m, const void *p)
{
	INSIDE;
	*m = (void *)p;
	return !memcmp(p, "cubin", 5) || !memcmp(p, ".version", 8) ||
			       !memcmp(p, "\177ELF", 4)
		       ? 0
		       : 200;
}

int cuModuleUnload(void *m)
{
	INSIDE;
	return m ? 0 : 400;
}

int cuModuleGetFunction(void **f, void *m, const char *name)
{
	INSIDE;
	if (m && !memcmp(m, "\177ELF", 4)) {
		*f = &any;
		return 0;
	}
	*f = !strcmp(name, "tenon_signal") ? &signal
	     : !strcmp(name, "twice")      ? &twice
	     : !strcmp(name, "plus")       ? &plus
	     : !strcmp(name, "trap")       ? &trap
	     : !strcmp(name, "mapped")     ? &mapped
					   : NULL;
	return !m ? 400 : *f ? 0 : 500;
}

int cuFuncSetAttribute(void *f, int attribute, int value)
{
	INSIDE;
	return f && attribute == 8 && (value == 99999 || f == &any) ? 0 : 1;
}

/* ---- memory ---------------------------------------------------------- */

/* What is allocated, for questions about pointers. */
static struct {
	unsigned long at;
	size_t n;
} blocks[256];

int cuMemAlloc_v2(unsigned long *p, size_t n)
{
	void *at;
	INSIDE;
	if (++fake_allocations > number("FAKE_ALLOCATIONS", 1 << 30))
		return 2;
	if (posix_memalign(&at, 256, n))
		return 2;
	fake_memory++;
	*p = (unsigned long)at;
	for (int i = 0; i < 256; i++)
		if (!blocks[i].at) {
			blocks[i].at = *p;
			blocks[i].n = n;
			break;
		}
	return 0;
}

int cuMemFree_v2(unsigned long p)
{
	free((void *)p);
	for (int i = 0; i < 256; i++)
		if (blocks[i].at == p)
			blocks[i].at = 0;
	INSIDE;
	fake_memory--;
	return 0;
}

/* What is not known stays as it is. */
int cuPointerGetAttributes(unsigned n, const int *attributes, void **values,
			   unsigned long p)
{
	INSIDE;
	for (int i = 0; i < 256; i++) {
		if (!blocks[i].at || p < blocks[i].at ||
		    p >= blocks[i].at + blocks[i].n)
			continue;
		for (unsigned k = 0; k < n; k++) {
			if (attributes[k] != 2 && attributes[k] != 9)
				return 999;
			*(int *)values[k] = attributes[k] == 2
						    ? 2
						    : number("FAKE_ORDINAL", 7);
		}
	}
	return 0;
}

/* What the driver refuses of a map; its address and axes, to be looked at. */
int cuTensorMapEncodeTiled(void *map, int type, unsigned rank,
			   unsigned long from, const unsigned long *extent,
			   const unsigned long *stride, const unsigned *box,
			   const unsigned *step, int interleave, int swizzle,
			   int promotion, int fill)
{
	unsigned long *out = map;

	INSIDE;
	if ((unsigned long)map % 64 || from % 16 || rank < 1 || rank > 5 ||
	    type < 0 || type > 4 || interleave || promotion > 3 || fill)
		return 1;
	for (unsigned i = 0; i < rank; i++)
		if (extent[i] < 1 || extent[i] > 1ul << 32 || box[i] < 1 ||
		    box[i] > 256 || step[i] != 1 ||
		    (i && (stride[i - 1] % 16 || stride[i - 1] >= 1ul << 40)))
			return 1;
	if (swizzle != 0 && swizzle != 3)
		return 1;
	memset(map, 0, 128);
	out[0] = from;
	for (unsigned i = 0; i < rank; i++)
		out[1 + i] = extent[i];
	for (unsigned i = 0; i + 1 < rank; i++)
		out[6 + i] = stride[i];
	out[10] = (unsigned long)swizzle;
	return 0;
}

int cuMemHostAlloc(void **p, size_t n, unsigned flags)
{
	INSIDE;
	fake_memory++;
	*p = malloc(n);
	return flags == 3 ? 0 : 1;
}

int cuMemFreeHost(void *p)
{
	free(p);
	INSIDE;
	fake_memory--;
	return 0;
}

int cuMemcpyHtoDAsync_v2(unsigned long to, const void *p, size_t n, void *s)
{
	INSIDE;
	fake_in++;
	memcpy((void *)to, p, n);
	return s ? 0 : 400;
}

int cuMemcpyDtoHAsync_v2(void *to, unsigned long p, size_t n, void *s)
{
	INSIDE;
	fake_out++;
	memcpy(to, (void *)p, n);
	return s ? 0 : 400;
}

int cuMemcpyDtoDAsync_v2(unsigned long to, unsigned long p, size_t n, void *s)
{
	INSIDE;
	fake_over++;
	memcpy((void *)to, (void *)p, n);
	return s ? 0 : 400;
}

/* A stream that is recorded, and into what; there is one at most. */
static void *recorded;
static struct Graph *record;
static int record_fill(unsigned long p, unsigned char value, size_t n);

int cuMemsetD8Async(unsigned long p, unsigned char value, size_t n, void *s)
{
	INSIDE;
	if (s && s == recorded)
		return record_fill(p, value, n);
	memset((void *)p, value, n);
	return s ? 0 : 400;
}

int cuMemsetD32Async(unsigned long p, unsigned value, size_t n, void *s)
{
	INSIDE;
	for (size_t i = 0; i < n; i++)
		((unsigned *)p)[i] = value;
	return s ? 0 : 400;
}

/* ---- streams and events ---------------------------------------------- */

static int busy(void)
{
	static int asked;
	if (asked++ < number("FAKE_BUSY", 0) || number("FAKE_BUSY", 0) < 0)
		return 600;
	asked = 0;
	return 0;
}

int cuStreamCreate(void **s, unsigned flags)
{
	INSIDE;
	*s = malloc(1);
	return flags == 1 ? 0 : 1;
}

int cuStreamDestroy_v2(void *s)
{
	free(s);
	INSIDE;
	return 0;
}

int cuStreamGetCtx(void *s, void **c)
{
	INSIDE;
	*c = s == &fake_stream ? NULL : &fake_depth;
	return s ? 0 : 400;
}

int cuStreamSynchronize(void *s)
{
	INSIDE;
	return s ? 0 : 400;
}

int cuStreamQuery(void *s)
{
	INSIDE;
	return s ? busy() : 400;
}

int cuEventCreate(void **e, unsigned flags)
{
	INSIDE;
	*e = malloc(1);
	fake_memory++;
	return flags == 0 || flags == 2 || flags == 3 ? 0 : 1;
}

int cuEventDestroy_v2(void *e)
{
	free(e);
	INSIDE;
	fake_memory--;
	return 0;
}

int cuEventRecord(void *e, void *s)
{
	INSIDE;
	return e && s ? 0 : 400;
}

int cuEventQuery(void *e)
{
	INSIDE;
	return e ? busy() : 400;
}

int cuEventElapsedTime(float *ms, void *e, void *f)
{
	INSIDE;
	*ms = 0.5f;
	return e && f ? 0 : 400;
}

int cuEventSynchronize(void *e)
{
	INSIDE;
	return e ? 0 : 400;
}

/* ---- launches -------------------------------------------------------- */

typedef struct Block {
	int *p;
	int n;
} Block;

/* A kernel with a map takes its parameters one by one: a word, the map. */
static const void *words_of(void **parameters, size_t *size)
{
	static char words[8 + 128];

	memcpy(words, parameters[0], 8);
	memcpy(words + 8, parameters[1], 128);
	*size = sizeof(words);
	return words;
}

/* The parameters of a launch and their size; NULL where they are not as they
 * should be. */
static const void *block_of(const char *f, void **parameters, void **extra,
			    size_t *size)
{
	if (f == &mapped)
		return parameters && !extra ? words_of(parameters, size) : NULL;
	if (parameters || !extra || extra[0] != (void *)1 ||
	    extra[2] != (void *)2 || extra[4])
		return NULL;
	*size = *(size_t *)extra[3];
	if (f == &any || *size == (f == &signal ? 8 : sizeof(Block)))
		return extra[1];
	return NULL;
}

static int shape_is_good(const char *f, const unsigned g[3],
			 const unsigned b[3], unsigned shared)
{
	if (f == &any || f == &mapped)
		return g[0] > 0 && g[2] == 1 && b[0] > 0 && b[1] == 1;
	if (f == &signal)
		return g[0] == 1 && b[0] == 1;
	return g[0] == 3 && g[1] == 1 && g[2] == 1 && b[0] == 32 && b[1] == 2 &&
	       b[2] == 1 && shared == 99999;
}

static void kernel_run(const char *f, const void *parameters, size_t size)
{
	const Block *a = parameters;
	const unsigned long *args = parameters;

	fake_launches++;
	if (f == &any) {
		size = size < sizeof(fake_args) ? size : sizeof(fake_args);
		memcpy(fake_args, args, size);
		memmove((void *)args[1], (void *)args[0],
			(size_t)number("FAKE_COPY", 0));
		return;
	}
	if (f == &mapped) { /* tells the first extent */
		*(unsigned long *)args[0] = args[2];
		return;
	}
	if (f == &signal) {
		if (number("FAKE_BUSY", 0) >= 0)
			*(unsigned *)args[0] = 1;
		return;
	}
	if (f == &trap)
		fake_fault = 719;
	for (int i = 0; i < a->n && !fake_fault; i++)
		a->p[i] = f == &twice ? 2 * a->p[i] : a->p[i] + 1;
}

int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
		   unsigned by, unsigned bz, unsigned shared, void *s,
		   void **parameters, void **extra)
{
	const unsigned g[3] = {gx, gy, gz}, b[3] = {bx, by, bz};
	size_t size;
	const void *a = block_of(f, parameters, extra, &size);
	INSIDE;
	if (!f || !s || !a || !shape_is_good(f, g, b, shared))
		return 1;
	kernel_run(f, a, size);
	return 0;
}

/* ---- graphs ---------------------------------------------------------- */

typedef struct Kernel {
	void *f;
	unsigned grid[3], block[3], shared;
	void **parameters, **extra;
	void *kernel, *context;
} Kernel;

typedef struct Node {
	void *f;
	unsigned grid[3], block[3], shared;
	char parameters[4096];
	size_t size;
	unsigned *word; /* of a node that writes it; then f is NULL */
	int enabled;
	/* of a library's nodes, which run `host`, or fill `size` bytes */
	void (*host)(const void *parameters);
	unsigned char *fill;
	unsigned char value;
	struct Graph *child; /* a copy; of a node that is one */
} Node;

/* What is instantiated is a copy; nodes are named by where they were. */
typedef struct Graph {
	Node nodes[200];
	size_t n;
	int loose; /* the last node is not after the one before yet */
	const struct Graph *of;
} Graph;

static void graph_free(Graph *g)
{
	for (size_t i = 0; g && i < g->n; i++)
		graph_free(g->nodes[i].child);
	free(g);
}

static Graph *graph_copy(const Graph *g)
{
	Graph *copy = malloc(sizeof(Graph));

	*copy = *g;
	for (size_t i = 0; i < g->n; i++)
		if (g->nodes[i].child)
			copy->nodes[i].child = graph_copy(g->nodes[i].child);
	copy->of = g;
	return copy;
}

static int node_set(Node *node, const Kernel *k)
{
	const void *a = block_of(k->f, k->parameters, k->extra, &node->size);
	if (!k->f || k->kernel || k->context || !a || k->grid[0] == 0 ||
	    k->block[0] == 0)
		return 1;
	node->f = k->f;
	node->shared = k->shared;
	memcpy(node->grid, k->grid, sizeof(node->grid));
	memcpy(node->block, k->block, sizeof(node->block));
	memcpy(node->parameters, a, node->size);
	return 0;
}

int cuGraphCreate(void **g, unsigned flags)
{
	INSIDE;
	*g = calloc(1, sizeof(Graph));
	fake_graphs++;
	return (int)flags;
}

/* A node at the end of the chain that every graph here is. */
static int node_add(Graph *g, void *const *after, size_t n, void **node)
{
	if (g->n == sizeof(g->nodes) / sizeof(*g->nodes) || n > (g->n > 0) ||
	    g->loose || (n > 0 && after[0] != &g->nodes[g->n - 1]))
		return 0;
	g->loose = n == 0 && g->n > 0;
	*node = &g->nodes[g->n++];
	((Node *)*node)->enabled = 1;
	return 1;
}

int cuGraphAddKernelNode_v2(void **node, void *graph, void *const *after,
			    size_t n, const Kernel *k)
{
	Graph *g = graph;
	INSIDE;
	if (!node_add(g, after, n, node))
		return 1;
	return node_set(*node, k);
}

/* CUgraphEdgeData: programmatic, of the last two nodes. */
int cuGraphAddDependencies_v2(void *graph, void *const *from, void *const *to,
			      const unsigned char *edges, size_t n)
{
	Graph *g = graph;
	INSIDE;
	if (n != 1 || !g->loose || from[0] != &g->nodes[g->n - 2] ||
	    to[0] != &g->nodes[g->n - 1] || edges[0] != 1 || edges[1] ||
	    edges[2] != 1)
		return 1;
	g->loose = 0;
	fake_joined++;
	return 0;
}

/* CUDA_MEMSET_NODE_PARAMS */
typedef struct Fill {
	unsigned long to;
	size_t pitch;
	unsigned value, size;
	size_t width, height;
} Fill;

static int unknown(const char *type)
{
	const char *v = getenv("FAKE_NODES");
	return v && strcmp(v, type) == 0;
}

int cuGraphAddMemsetNode(void **node, void *graph, void *const *after, size_t n,
			 const Fill *f, void *context)
{
	INSIDE;
	if (unknown("memset"))
		return 801;
	if (!node_add(graph, after, n, node) || f->value != 1 || f->size != 4 ||
	    f->width != 1 || f->height != 1 || context != &fake_depth)
		return 1;
	((Node *)*node)->word = (unsigned *)f->to;
	return 0;
}

/* CUDA_BATCH_MEM_OP_NODE_PARAMS */
typedef struct Operations {
	void *context;
	unsigned count;
	struct {
		int operation;
		unsigned long to, value;
		unsigned flags;
	} * list;
	unsigned flags;
} Operations;

int cuGraphAddBatchMemOpNode(void **node, void *graph, void *const *after,
			     size_t n, const Operations *o)
{
	INSIDE;
	if (unknown("memop"))
		return 801;
	if (!node_add(graph, after, n, node) || o->count != 1 || o->flags ||
	    o->context != &fake_depth || o->list->operation != 2 ||
	    (unsigned)o->list->value != 1 || o->list->flags)
		return 1;
	((Node *)*node)->word = (unsigned *)o->list->to;
	return 0;
}

int cuGraphInstantiateWithFlags(void **e, void *graph, unsigned long long flags)
{
	INSIDE;
	*e = graph_copy(graph);
	fake_graphs++;
	return (int)flags;
}

static Node *node_in(Graph *g, const void *node)
{
	for (size_t i = 0; i < g->n; i++)
		if (&g->of->nodes[i] == node)
			return &g->nodes[i];
	return NULL;
}

int cuGraphExecKernelNodeSetParams_v2(void *e, void *node, const Kernel *k)
{
	Node *at = node_in(e, node);
	INSIDE;
	fake_updates++;
	return at && at->f == k->f ? node_set(at, k) : 1;
}

int cuGraphNodeSetEnabled(void *e, void *node, unsigned enabled)
{
	Node *at = node_in(e, node);
	INSIDE;
	fake_updates++;
	if (!at || enabled > 1)
		return 1;
	at->enabled = (int)enabled;
	return 0;
}

int cuGraphAddChildGraphNode(void **node, void *graph, void *const *after,
			     size_t n, void *child)
{
	INSIDE;
	if (!child || !node_add(graph, after, n, node))
		return 1;
	((Node *)*node)->child = graph_copy(child);
	return 0;
}

int cuGraphAddEmptyNode(void **node, void *graph, void *const *after, size_t n)
{
	INSIDE;
	return node_add(graph, after, n, node) ? 0 : 1;
}

/* Another kernel, or as many nodes more or less, is another graph. */
int cuGraphExecChildGraphNodeSetParams(void *e, void *node, void *child)
{
	Node *at = node_in(e, node);
	Graph *with = child;
	INSIDE;
	fake_updates++;
	if (!at || !at->child || !with)
		return 1;
	if (at->child->n != with->n)
		return 910;
	for (size_t i = 0; i < with->n; i++)
		if (with->nodes[i].host != at->child->nodes[i].host)
			return 910;
	graph_free(at->child);
	at->child = graph_copy(with);
	return 0;
}

/* ---- what a library queues ------------------------------------------- */

int cuStreamBeginCapture_v2(void *s, int mode)
{
	INSIDE;
	if (!s || recorded || mode != 2)
		return 1;
	recorded = s;
	record = calloc(1, sizeof(Graph));
	return 0;
}

int cuStreamEndCapture(void *s, void **g)
{
	Graph *made = record;

	if (!s || s != recorded)
		return 401;
	recorded = NULL;
	record = NULL;
	*g = NULL;
	if (fails(__func__)) {
		graph_free(made);
		return fails(__func__);
	}
	INSIDE;
	*g = made;
	fake_graphs++;
	fake_records++;
	return 0;
}

static int record_fill(unsigned long p, unsigned char value, size_t n)
{
	Node *node = &record->nodes[record->n++];

	node->enabled = 1;
	node->fill = (unsigned char *)p;
	node->value = value;
	node->size = n;
	return 0;
}

/* For cublaslt_fake.c: a function of the host, when the stream gets there. */
int fake_queue(void (*host)(const void *parameters), const void *parameters,
	       size_t size, void *s)
{
	INSIDE;
	if (!s || size > sizeof(record->nodes[0].parameters))
		return 1;
	if (s != recorded) {
		host(parameters);
		return 0;
	}
	Node *node = &record->nodes[record->n++];
	node->enabled = 1;
	node->host = host;
	node->size = size;
	memcpy(node->parameters, parameters, size);
	return 0;
}

static int graph_run(Graph *g);

static int own_run(Node *node)
{
	if (node->child)
		return graph_run(node->child);
	if (node->fill)
		memset(node->fill, node->value, node->size);
	if (node->host) {
		fake_launches++;
		node->host(node->parameters);
	}
	return 0;
}

static int graph_run(Graph *g)
{
	for (size_t i = 0; i < g->n; i++) {
		Node *node = &g->nodes[i];
		if (!node->enabled)
			continue;
		if (node->word) {
			if (number("FAKE_BUSY", 0) >= 0 && !fake_fault)
				*node->word = 1;
			continue;
		}
		if (!node->f) {
			if (own_run(node))
				return 1;
			continue;
		}
		if (!shape_is_good(node->f, node->grid, node->block,
				   node->shared))
			return 1;
		kernel_run(node->f, node->parameters, node->size);
	}
	return 0;
}

int cuGraphLaunch(void *e, void *s)
{
	INSIDE;
	if (!s)
		return 400;
	fake_stream = s;
	return graph_run(e);
}

int cuGraphExecDestroy(void *e)
{
	graph_free(e);
	INSIDE;
	fake_graphs--;
	return 0;
}

int cuGraphDestroy(void *g)
{
	graph_free(g);
	INSIDE;
	fake_graphs--;
	return 0;
}

/* ---- errors ---------------------------------------------------------- */

int cuGetErrorName(int r, const char **s)
{
	*s = r == 719   ? "CUDA_ERROR_LAUNCH_FAILED"
	     : r == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS"
	     : r == 2   ? "CUDA_ERROR_OUT_OF_MEMORY"
	     : r == 999 ? NULL
			: "CUDA_ERROR_SOMETHING";
	return *s ? 0 : 1;
}

int cuGetErrorString(int r, const char **s)
{
	*s = "what it means";
	return r ? 0 : 1;
}
