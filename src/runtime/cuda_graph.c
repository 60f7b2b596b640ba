/*
 * cuda_graph: the launches of a plan as one CUDA graph.
 *
 * The nodes are added one by one rather than recorded from a stream: that
 * needs no stream of ours, disturbs no other thread, and leaves us with the
 * nodes, by which parameters are changed in the graph as it is. A graph that
 * is launched costs the host one call however many kernels it has.
 *
 * A dim that becomes 0 makes a grid that the driver does not take. Its node is
 * disabled then, which keeps its parameters and its place in the chain.
 *
 * A kernel that waits by itself for those before it is joined to the one before
 * by a programmatic edge: its blocks are there, and have begun, when that one's
 * last ones end. What such an edge means for a disabled node is not said: where
 * one of the two becomes disabled or enabled the graph is made anew, and such a
 * kernel that is disabled has no node, so that those around it are joined.
 * [CUDA Programming Guide, "Programmatic Dependent Launch", "in CUDA Graphs"]
 *
 * What a library queues is recorded by itself and is one node, a child graph:
 * when its memory moves it alone is recorded anew and put in that node's place.
 * Where it has other kernels the graph is made anew.
 */
#include "runtime/cuda_graph.h"

#include <string.h>

struct CudaStep {
	CudaGraphNode node;
	CudaLaunch now; /* what the node has; parameters are our copy */
	void *parameters;
	bool enabled;
	bool joined; /* to the step before, by a programmatic edge */
};

/* ---- making ---------------------------------------------------------- */

static void step_init(Arena *a, CudaStep *s, const CudaLaunch *l)
{
	s->now = *l;
	s->now.name = arena_strdup(a, l->name);
	s->parameters = arena_alloc(a, l->size > 0 ? l->size : 1, 16);
	if (l->size > 0)
		memcpy(s->parameters, l->parameters, l->size);
	s->now.parameters = s->parameters;
	s->enabled = !cuda_launch_is_empty(l);
	/* a place to be taken later, with a grid that the driver takes */
	for (int i = 0; i < 3 && !s->enabled; i++)
		s->now.grid[i] = s->now.block[i] = 1;
}

static const char *names_of(Arena *a, const CudaStep *steps, size_t n)
{
	Buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "%s%s", i > 0 ? ", " : "", steps[i].now.name);
	return buf_str(&b);
}

static CudaKernelNode node_of(const CudaLaunch *l, CudaExtra *extra)
{
	CudaKernelNode k = {.function = l->function, .shared = l->shared};

	cuda_extra(extra, l);
	k.parameters = extra->parameters;
	k.extra = extra->extra;
	memcpy(k.grid, l->grid, sizeof(k.grid));
	memcpy(k.block, l->block, sizeof(k.block));
	return k;
}

typedef struct Outcome {
	int result; /* 0: it went well */
	const char *call, *where;
} Outcome;

/* CU_STREAM_MEM_OP_WRITE_VALUE_32 */
#define WRITE_VALUE_32 2

static bool has_node(const CudaStep *s)
{
	return s->enabled || !s->now.waits;
}

/* The step before number i that has a node; NULL: none. */
static const CudaStep *step_before(const CudaGraph *g, size_t i)
{
	while (i-- > 0)
		if (has_node(&g->steps[i]))
			return &g->steps[i];
	return NULL;
}

/* The node that writes 1 to the signal's word, after the last launch. */
static Outcome signal_make(CudaGraph *g)
{
	const Cuda *c = g->device->cuda;
	Outcome o = {.where = g->names};
	const CudaStep *last = step_before(g, g->n);
	CudaGraphNode node;
	const CudaGraphNode *after = last ? &last->node : NULL;
	CudaPtr word = (uintptr_t)g->signal.word;
	CudaMemOp op = {
		.write = {.operation = WRITE_VALUE_32, .to = word, .value = 1}};
	CudaMemOpNode ops = {
		.context = g->device->context, .count = 1, .operations = &op};
	CudaMemsetNode fill = {.to = word,
			       .value = 1,
			       .size = sizeof(uint32_t),
			       .width = 1,
			       .height = 1};
	CudaLaunch store = {.function = g->signal.store,
			    .grid = {1, 1, 1},
			    .block = {1, 1, 1},
			    .parameters = &word,
			    .size = sizeof(word)};
	CudaExtra extra;
	CudaKernelNode kernel = node_of(&store, &extra);

	switch (g->signal.kind) {
	case CUDA_SIGNAL_NONE:
		break;
	case CUDA_SIGNAL_MEMOP:
		o.call = "cuGraphAddBatchMemOpNode";
		o.result = c->cuGraphAddBatchMemOpNode(&node, g->form, after,
						       last != NULL, &ops);
		break;
	case CUDA_SIGNAL_MEMSET:
		o.call = "cuGraphAddMemsetNode";
		o.result = c->cuGraphAddMemsetNode(&node, g->form, after,
						   last != NULL, &fill,
						   g->device->context);
		break;
	case CUDA_SIGNAL_KERNEL:
		o.call = "cuGraphAddKernelNode";
		o.result = c->cuGraphAddKernelNode(&node, g->form, after,
						   last != NULL, &kernel);
		break;
	}
	return o;
}

/* CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC
 */
static const CudaEdge programmatic = {.from_port = 1, .type = 1};

static bool is_kernel(const CudaStep *s)
{
	return s->enabled && s->now.function && !s->now.child;
}

/* The node of step i, after the one before. */
static Outcome step_make(CudaGraph *g, size_t i)
{
	const Cuda *c = g->device->cuda;
	CudaStep *s = &g->steps[i];
	const CudaStep *before = step_before(g, i);
	CudaExtra extra;
	CudaKernelNode k = node_of(&s->now, &extra);
	Outcome o = {.where = s->now.name};

	s->joined = before && s->now.waits && is_kernel(s) &&
		    is_kernel(before) && c->cuGraphAddDependencies &&
		    g->device->info.major >= 9;
	bool plain = before && !s->joined;
	const CudaGraphNode *after = plain ? &before->node : NULL;
	if (s->now.child) {
		o.call = "cuGraphAddChildGraphNode";
		o.result = c->cuGraphAddChildGraphNode(&s->node, g->form, after,
						       plain, s->now.child);
	} else if (!s->now.function) {
		o.call = "cuGraphAddEmptyNode";
		o.result =
			c->cuGraphAddEmptyNode(&s->node, g->form, after, plain);
	} else {
		o.call = "cuGraphAddKernelNode";
		o.result = c->cuGraphAddKernelNode(&s->node, g->form, after,
						   plain, &k);
	}
	if (o.result != 0 || !s->joined)
		return o;
	o.call = "cuGraphAddDependencies";
	o.result = c->cuGraphAddDependencies(g->form, &before->node, &s->node,
					     &programmatic, 1);
	return o;
}

/* All calls that make the graph; the first that fails ends it. */
static Outcome graph_make(CudaGraph *g)
{
	const Cuda *c = g->device->cuda;
	Outcome o = {.call = "cuGraphCreate", .where = g->names};

	o.result = c->cuGraphCreate(&g->form, 0);
	for (size_t i = 0; i < g->n && o.result == 0; i++)
		if (has_node(&g->steps[i]))
			o = step_make(g, i);
	if (o.result == 0 && g->signal.kind != CUDA_SIGNAL_NONE)
		o = signal_make(g);
	if (o.result != 0)
		return o;
	o = (Outcome){.call = "cuGraphInstantiateWithFlags", .where = g->names};
	o.result = c->cuGraphInstantiateWithFlags(&g->exec, g->form, 0);
	for (size_t i = 0; i < g->n && o.result == 0; i++) {
		CudaStep *s = &g->steps[i];
		if (s->enabled || !s->now.function || !has_node(s))
			continue;
		o.call = "cuGraphNodeSetEnabled";
		o.where = s->now.name;
		o.result = c->cuGraphNodeSetEnabled(g->exec, s->node, 0);
	}
	return o;
}

static bool graph_finish(Ctx *ctx, CudaGraph *g)
{
	if (g->n == 0)
		return true;
	if (!cuda_enter(ctx, g->device))
		return false;
	Outcome o = graph_make(g);
	if (cuda_leave(ctx, g->device, o.result, o.call, o.where))
		return true;
	cuda_graph_free(NULL, g);
	return false;
}

bool cuda_graph_new(Ctx *ctx, Arena *a, const CudaDevice *d,
		    const CudaLaunch *launches, size_t n,
		    const CudaSignal *signal, CudaGraph *out)
{
	*out = (CudaGraph){.device = d, .n = n};
	if (signal)
		out->signal = *signal;
	out->steps = arena_array(a, CudaStep, n > 0 ? n : 1);
	for (size_t i = 0; i < n; i++) {
		step_init(a, &out->steps[i], &launches[i]);
		out->live += out->steps[i].enabled;
	}
	out->names = names_of(a, out->steps, n);
	return graph_finish(ctx, out);
}

/* ---- changing -------------------------------------------------------- */

static bool launch_is(const CudaLaunch *a, const CudaLaunch *b)
{
	return memcmp(a->grid, b->grid, sizeof(a->grid)) == 0 &&
	       memcmp(a->block, b->block, sizeof(a->block)) == 0 &&
	       a->shared == b->shared &&
	       (a->size == 0 ||
		memcmp(a->parameters, b->parameters, a->size) == 0);
}

static void step_keep(CudaStep *s, const CudaLaunch *l)
{
	memcpy(s->now.grid, l->grid, sizeof(l->grid));
	memcpy(s->now.block, l->block, sizeof(l->block));
	s->now.shared = l->shared;
	s->now.child = l->child;
	if (l->size > 0)
		memcpy(s->parameters, l->parameters, l->size);
}

static bool step_set(Ctx *ctx, CudaGraph *g, CudaStep *s, const CudaLaunch *l)
{
	CudaExtra extra;
	CudaKernelNode k = node_of(l, &extra);

	if (!cuda_enter(ctx, g->device) ||
	    !cuda_leave(ctx, g->device,
			g->device->cuda->cuGraphExecKernelNodeSetParams(
				g->exec, s->node, &k),
			"cuGraphExecKernelNodeSetParams", s->now.name))
		return false;
	step_keep(s, l);
	return true;
}

static bool step_enable(Ctx *ctx, CudaGraph *g, CudaStep *s, bool enabled)
{
	const CudaStep *next = s + 1, *end = g->steps + g->n;

	while (next < end && !has_node(next))
		next++;
	if (s->joined || (next < end && next->joined) || s->now.waits) {
		g->stale = true;
		return true;
	}
	if (!cuda_enter(ctx, g->device) ||
	    !cuda_leave(ctx, g->device,
			g->device->cuda->cuGraphNodeSetEnabled(g->exec, s->node,
							       enabled),
			"cuGraphNodeSetEnabled", s->now.name))
		return false;
	g->live += enabled;
	g->live -= s->enabled;
	s->enabled = enabled;
	return true;
}

/* CUresult: a child that has other nodes; what cannot be changed. */
enum {
	INVALID_VALUE = 1,
	NOT_SUPPORTED = 801,
	UPDATE_FAILURE = 910,
};

static bool child_set(Ctx *ctx, CudaGraph *g, CudaStep *s, const CudaLaunch *l)
{
	int result;

	if (l->child == s->now.child)
		return true;
	if (!l->child || !s->now.child) {
		g->stale = true;
		return true;
	}
	if (!cuda_enter(ctx, g->device))
		return false;
	result = g->device->cuda->cuGraphExecChildGraphNodeSetParams(
		g->exec, s->node, l->child);
	if (result == UPDATE_FAILURE || result == NOT_SUPPORTED ||
	    result == INVALID_VALUE) {
		g->stale = true;
		result = 0;
	}
	step_keep(s, l);
	return cuda_leave(ctx, g->device, result,
			  "cuGraphExecChildGraphNodeSetParams", s->now.name);
}

bool cuda_graph_update(Ctx *ctx, CudaGraph *g, size_t i, const CudaLaunch *l)
{
	CudaStep *s;
	bool enabled = !cuda_launch_is_empty(l);

	bug_if(i >= g->n);
	s = &g->steps[i];
	if (!l->function)
		return child_set(ctx, g, s, l);
	bug_if(l->function != s->now.function || l->size != s->now.size);
	if (!has_node(s)) {
		g->stale |= enabled;
		return true;
	}
	if (enabled && !launch_is(&s->now, l) && !step_set(ctx, g, s, l))
		return false;
	return enabled == s->enabled || step_enable(ctx, g, s, enabled);
}

bool cuda_graph_remake(Ctx *ctx, CudaGraph *g, const CudaLaunch *launches)
{
	if (!cuda_graph_free(ctx, g))
		return false;
	g->stale = false;
	for (size_t i = 0; i < g->n; i++) {
		CudaStep *s = &g->steps[i];
		const CudaLaunch *l = &launches[i];
		s->enabled = !cuda_launch_is_empty(l);
		g->live += s->enabled;
		if (s->enabled || !l->function)
			step_keep(s, l);
	}
	return graph_finish(ctx, g);
}

/* ---- what libraries queue -------------------------------------------- */

/* CU_STREAM_CAPTURE_MODE_RELAXED: a library may load its code meanwhile */
#define CAPTURE_RELAXED 2

bool cuda_record_begin(Ctx *ctx, const CudaDevice *d, CudaStream s)
{
	return cuda_enter(ctx, d) &&
	       cuda_leave(ctx, d,
			  d->cuda->cuStreamBeginCapture(s, CAPTURE_RELAXED),
			  "cuStreamBeginCapture", d->info.name);
}

bool cuda_record_end(Ctx *ctx, const CudaDevice *d, CudaStream s,
		     CudaGraphForm *out)
{
	*out = NULL;
	return cuda_enter(ctx, d) &&
	       cuda_leave(ctx, d, d->cuda->cuStreamEndCapture(s, out),
			  "cuStreamEndCapture", d->info.name);
}

void cuda_record_free(const CudaDevice *d, CudaGraphForm f)
{
	if (f && cuda_enter(NULL, d))
		cuda_leave(NULL, d, d->cuda->cuGraphDestroy(f),
			   "cuGraphDestroy", d->info.name);
}

/* ---- running --------------------------------------------------------- */

bool cuda_graph_launch(Ctx *ctx, const CudaGraph *g, CudaStream s)
{
	if (g->live == 0)
		return true;
	if (!cuda_enter(ctx, g->device) ||
	    !cuda_leave(ctx, g->device,
			g->device->cuda->cuGraphLaunch(g->exec, s),
			"cuGraphLaunch", g->names))
		return false;
	cuda_queued(g->device, s, g->names, g->n);
	return true;
}

bool cuda_graph_free(Ctx *ctx, CudaGraph *g)
{
	const CudaDevice *d = g->device;
	bool ok = true;

	if (g->exec)
		ok = cuda_enter(ctx, d) &&
		     cuda_leave(ctx, d, d->cuda->cuGraphExecDestroy(g->exec),
				"cuGraphExecDestroy", g->names);
	if (g->form)
		ok &= cuda_enter(ctx, d) &&
		      cuda_leave(ctx, d, d->cuda->cuGraphDestroy(g->form),
				 "cuGraphDestroy", g->names);
	g->exec = NULL;
	g->form = NULL;
	g->live = 0;
	return ok;
}
