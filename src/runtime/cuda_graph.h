/*
 * cuda_graph: the launches of a plan as one CUDA graph.
 */
#ifndef TENON_CUDA_GRAPH_H
#define TENON_CUDA_GRAPH_H

#include "runtime/cuda.h"

/*
 * How a graph tells that it is done, where it does: its last node writes 1 to
 * a word in memory of the host (cuda_host_alloc), which is seen there sooner
 * than the driver tells.
 */
typedef enum CudaSignalKind {
	CUDA_SIGNAL_NONE,
	CUDA_SIGNAL_MEMOP,  /* a write of the device's front end */
	CUDA_SIGNAL_MEMSET, /* a fill of one word */
	CUDA_SIGNAL_KERNEL, /* a store by a kernel of one thread */
} CudaSignalKind;
typedef struct CudaSignal {
	CudaSignalKind kind;
	volatile uint32_t *word;
	CudaFunction store; /* of kind KERNEL: it takes the word's address */
} CudaSignal;

typedef struct CudaStep CudaStep;
typedef struct CudaGraph {
	const CudaDevice *device; /* must live as long */
	CudaGraphForm form;       /* nodes of it are what updates name */
	CudaGraphExec exec;
	CudaStep *steps; /* one a launch, in the arena */
	size_t n;
	size_t live; /* steps whose launch is not empty */
	bool stale;  /* cuda_graph_remake() comes next */
	CudaSignal signal;
	const char *names; /* of its kernels, for messages */
} CudaGraph;

/*
 * Makes a graph of n launches, each after the one before. An empty launch (a
 * grid or block of 0) is a node that does nothing. What the launches point to
 * is copied, their names into the arena too. One thread uses a graph at a time.
 * signal: NULL for none.
 */
bool cuda_graph_new(Ctx *ctx, Arena *a, const CudaDevice *d,
		    const CudaLaunch *launches, size_t n,
		    const CudaSignal *signal, CudaGraph *out);
/*
 * Changes the i-th launch's parameters, grid, block and shared memory for the
 * runs to come; runs under way keep theirs. The function and the size of the
 * parameters stay. Does nothing where nothing is new. A child is changed for
 * one of the same nodes; where it has others, g->stale is set: the graph must
 * be made anew.
 */
bool cuda_graph_update(Ctx *ctx, CudaGraph *g, size_t i, const CudaLaunch *l);
/* Makes the same graph anew, of as many launches. */
bool cuda_graph_remake(Ctx *ctx, CudaGraph *g, const CudaLaunch *launches);
/* Queues one run, after what is in the stream and after the run before. */
bool cuda_graph_launch(Ctx *ctx, const CudaGraph *g, CudaStream s);
/*
 * What other code queues in the stream in between, instead of running it, as a
 * graph that can be a launch's child. Nothing else of this thread goes to the
 * stream. End follows begin, whatever failed; *out NULL then.
 */
bool cuda_record_begin(Ctx *ctx, const CudaDevice *d, CudaStream s);
bool cuda_record_end(Ctx *ctx, const CudaDevice *d, CudaStream s,
		     CudaGraphForm *out);
void cuda_record_free(const CudaDevice *d, CudaGraphForm f); /* NULL is fine */

/* A graph that was not made, or is freed already, is let alone. */
bool cuda_graph_free(Ctx *ctx, CudaGraph *g);

#endif
