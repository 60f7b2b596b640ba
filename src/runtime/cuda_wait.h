/*
 * cuda_wait: how a thread learns that its kernels are done. Which way is the
 * shortest differs by device, driver and machine, so it is measured.
 */
#ifndef TENON_CUDA_WAIT_H
#define TENON_CUDA_WAIT_H

#include "runtime/cuda_graph.h"

typedef enum CudaWaitKind {
	CUDA_WAIT_STREAM, /* the driver waits; it can be told no time limit */
	CUDA_WAIT_QUERY,  /* the stream is asked again and again */
	CUDA_WAIT_EVENT,  /* an event behind the graph is */
	/* a word that the graph's last node writes (cuda_graph.h) */
	CUDA_WAIT_MEMOP,
	CUDA_WAIT_MEMSET,
	CUDA_WAIT_KERNEL,
	CUDA_WAITS,
} CudaWaitKind;
extern const char *const cuda_wait_name[CUDA_WAITS];

/* Launch of a graph of one kernel that does nothing, and wait for it. */
typedef struct CudaWaits {
	CudaWaitKind best;     /* of those that know a time limit */
	double us[CUDA_WAITS]; /* medians; 0: it does not work here */
	double ms;             /* that measuring took */
} CudaWaits;

/* What a device of the process needs for them. */
typedef struct CudaWaiter {
	CudaWaits waits;
	CudaModule module;
	CudaFunction store; /* NULL: no KERNEL */
} CudaWaiter;

/*
 * Chooses, by some milliseconds of measurement when the process first asks
 * for the device. Without a JIT compiler in the driver nothing is measured:
 * QUERY.
 */
bool cuda_waiter_new(Ctx *ctx, const CudaDevice *d, CudaWaiter *out);
bool cuda_waiter_free(Ctx *ctx, const CudaDevice *d, CudaWaiter *w);
/* Tests and bench: this kind, whatever was measured; CUDA_WAITS: none. */
extern CudaWaitKind cuda_wait_forced;
/* The signal that a graph needs for the kind; kind NONE for most. */
CudaSignal cuda_wait_signal(const CudaWaiter *w, CudaWaitKind kind,
			    volatile uint32_t *word);

typedef struct CudaPending {
	CudaStream stream;
	CudaWaitKind kind;
	volatile uint32_t *word; /* of kinds that have one: 0 until then */
	CudaEvent event;         /* of EVENT */
	const char *names;       /* of the kernels, for messages */
} CudaPending;

/*
 * Waits for at most `limit` seconds, 0: as long as it takes. The thread spins
 * at first, and sleeps between looks after 20 ms. *late: the limit is over,
 * which is an error that names the kernels; they run on.
 */
bool cuda_wait(Ctx *ctx, const CudaDevice *d, const CudaPending *p,
	       double limit, bool *late);

#endif
