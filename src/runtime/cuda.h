/*
 * cuda: devices, memory and launches through the CUDA driver (libcuda), which
 * is loaded at run time. No CUDA header is needed to build.
 */
#ifndef TENON_CUDA_H
#define TENON_CUDA_H

#include "base/base.h"

typedef struct CUctx_st *CudaContext;
typedef struct CUmod_st *CudaModule;
typedef struct CUfunc_st *CudaFunction;
typedef struct CUstream_st *CudaStream; /* NULL: the default one */
typedef struct CUevent_st *CudaEvent;
typedef struct CUgraph_st *CudaGraphForm;     /* nodes and edges */
typedef struct CUgraphExec_st *CudaGraphExec; /* what is launched */
typedef struct CUgraphNode_st *CudaGraphNode;
typedef uint64_t CudaPtr; /* on the device; 0: none */

/* CUDA_KERNEL_NODE_PARAMS_v2, of CUDA 12 and 13 alike */
typedef struct CudaKernelNode {
	CudaFunction function;
	unsigned grid[3], block[3], shared;
	void **parameters, **extra;
	void *kernel; /* where `function` is NULL */
	CudaContext context;
} CudaKernelNode;

/* CUDA_MEMSET_NODE_PARAMS */
typedef struct CudaMemsetNode {
	CudaPtr to;
	size_t pitch;
	unsigned value, size; /* bytes of an element */
	size_t width, height;
} CudaMemsetNode;

/* CUstreamBatchMemOpParams, of a write of 32 bits */
typedef union CudaMemOp {
	struct {
		int operation;
		CudaPtr to;
		uint64_t value;
		unsigned flags;
		CudaPtr alias;
	} write;
	uint64_t pad[6];
} CudaMemOp;

/* CUDA_BATCH_MEM_OP_NODE_PARAMS */
typedef struct CudaMemOpNode {
	CudaContext context;
	unsigned count;
	CudaMemOp *operations;
	unsigned flags;
} CudaMemOpNode;

/*
 * Entry points that are called: our name, libcuda's, what it takes. Of those
 * with several versions it is the one that the headers of CUDA 12 and 13 both
 * call by the plain name, or that of CUDA 12 (cuEventElapsedTime); drivers of
 * either export them.
 */
#define CUDA_ENTRIES(X)                                                        \
	X(cuInit, cuInit, (unsigned flags))                                    \
	X(cuDriverGetVersion, cuDriverGetVersion, (int *version))              \
	X(cuDeviceGetCount, cuDeviceGetCount, (int *n))                        \
	X(cuDeviceGet, cuDeviceGet, (int *device, int n))                      \
	X(cuDeviceGetName, cuDeviceGetName,                                    \
	  (char *name, int size, int device))                                  \
	X(cuDeviceGetAttribute, cuDeviceGetAttribute,                          \
	  (int *value, int attribute, int device))                             \
	X(cuDeviceTotalMem, cuDeviceTotalMem_v2, (size_t * bytes, int device)) \
	X(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain,                  \
	  (CudaContext * context, int device))                                 \
	X(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2,             \
	  (int device))                                                        \
	X(cuCtxGetCurrent, cuCtxGetCurrent, (CudaContext * context))           \
	X(cuCtxGetDevice, cuCtxGetDevice, (int *device))                       \
	X(cuCtxPushCurrent, cuCtxPushCurrent_v2, (CudaContext context))        \
	X(cuCtxPopCurrent, cuCtxPopCurrent_v2, (CudaContext * context))        \
	X(cuModuleLoadData, cuModuleLoadData,                                  \
	  (CudaModule * module, const void *cubin))                            \
	X(cuModuleUnload, cuModuleUnload, (CudaModule module))                 \
	X(cuModuleGetFunction, cuModuleGetFunction,                            \
	  (CudaFunction * f, CudaModule module, const char *name))             \
	X(cuFuncSetAttribute, cuFuncSetAttribute,                              \
	  (CudaFunction f, int attribute, int value))                          \
	X(cuMemAlloc, cuMemAlloc_v2, (CudaPtr * p, size_t size))               \
	X(cuMemFree, cuMemFree_v2, (CudaPtr p))                                \
	X(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2,                             \
	  (CudaPtr to, const void *from, size_t size, CudaStream s))           \
	X(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2,                             \
	  (void *to, CudaPtr from, size_t size, CudaStream s))                 \
	X(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2,                             \
	  (CudaPtr to, CudaPtr from, size_t size, CudaStream s))               \
	X(cuPointerGetAttributes, cuPointerGetAttributes,                      \
	  (unsigned n, const int *attributes, void **values, CudaPtr p))       \
	X(cuMemHostAlloc, cuMemHostAlloc,                                      \
	  (void **p, size_t size, unsigned flags))                             \
	X(cuMemFreeHost, cuMemFreeHost, (void *p))                             \
	X(cuMemsetD32Async, cuMemsetD32Async,                                  \
	  (CudaPtr p, unsigned value, size_t n, CudaStream s))                 \
	X(cuStreamCreate, cuStreamCreate, (CudaStream * s, unsigned flags))    \
	X(cuStreamDestroy, cuStreamDestroy_v2, (CudaStream s))                 \
	X(cuStreamSynchronize, cuStreamSynchronize, (CudaStream s))            \
	X(cuStreamQuery, cuStreamQuery, (CudaStream s))                        \
	X(cuStreamGetCtx, cuStreamGetCtx,                                      \
	  (CudaStream s, CudaContext * context))                               \
	X(cuEventCreate, cuEventCreate, (CudaEvent * e, unsigned flags))       \
	X(cuEventDestroy, cuEventDestroy_v2, (CudaEvent e))                    \
	X(cuEventRecord, cuEventRecord, (CudaEvent e, CudaStream s))           \
	X(cuEventQuery, cuEventQuery, (CudaEvent e))                           \
	X(cuEventSynchronize, cuEventSynchronize, (CudaEvent e))               \
	X(cuEventElapsedTime, cuEventElapsedTime,                              \
	  (float *ms, CudaEvent from, CudaEvent to))                           \
	X(cuLaunchKernel, cuLaunchKernel,                                      \
	  (CudaFunction f, unsigned grid_x, unsigned grid_y, unsigned grid_z,  \
	   unsigned block_x, unsigned block_y, unsigned block_z,               \
	   unsigned shared, CudaStream s, void **parameters, void **extra))    \
	X(cuGraphCreate, cuGraphCreate, (CudaGraphForm * g, unsigned flags))   \
	X(cuGraphAddKernelNode, cuGraphAddKernelNode_v2,                       \
	  (CudaGraphNode * node, CudaGraphForm g, const CudaGraphNode *after,  \
	   size_t n, const CudaKernelNode *kernel))                            \
	X(cuGraphAddMemsetNode, cuGraphAddMemsetNode,                          \
	  (CudaGraphNode * node, CudaGraphForm g, const CudaGraphNode *after,  \
	   size_t n, const CudaMemsetNode *fill, CudaContext context))         \
	X(cuGraphAddBatchMemOpNode, cuGraphAddBatchMemOpNode,                  \
	  (CudaGraphNode * node, CudaGraphForm g, const CudaGraphNode *after,  \
	   size_t n, const CudaMemOpNode *operations))                         \
	X(cuGraphInstantiateWithFlags, cuGraphInstantiateWithFlags,            \
	  (CudaGraphExec * e, CudaGraphForm g, unsigned long long flags))      \
	X(cuGraphExecKernelNodeSetParams, cuGraphExecKernelNodeSetParams_v2,   \
	  (CudaGraphExec e, CudaGraphNode node, const CudaKernelNode *kernel)) \
	X(cuGraphNodeSetEnabled, cuGraphNodeSetEnabled,                        \
	  (CudaGraphExec e, CudaGraphNode node, unsigned enabled))             \
	X(cuGraphLaunch, cuGraphLaunch, (CudaGraphExec e, CudaStream s))       \
	X(cuGraphExecDestroy, cuGraphExecDestroy, (CudaGraphExec e))           \
	X(cuGraphDestroy, cuGraphDestroy, (CudaGraphForm g))                   \
	X(cuTensorMapEncodeTiled, cuTensorMapEncodeTiled,                      \
	  (void *map, int type, unsigned rank, CudaPtr from,                   \
	   const uint64_t *extent, const uint64_t *stride,                     \
	   const uint32_t *box, const uint32_t *step, int interleave,          \
	   int swizzle, int promotion, int fill))                              \
	X(cuGetErrorName, cuGetErrorName, (int result, const char **text))     \
	X(cuGetErrorString, cuGetErrorString, (int result, const char **text))

/* CUgraphEdgeData */
typedef struct CudaEdge {
	unsigned char from_port, to_port, type, reserved[5];
} CudaEdge;

typedef struct Cuda {
	char path[4096]; /* the file, as the loader found it */
	int version;     /* of the driver: 1000 * major + 10 * minor */
	int devices;
	int forks; /* of the process, when it was opened */
#define CUDA_ENTRY(name, symbol, parameters) int(*name) parameters;
	CUDA_ENTRIES(CUDA_ENTRY)
#undef CUDA_ENTRY
	/* since CUDA 12.3; NULL: it is not there */
	int (*cuGraphAddDependencies)(CudaGraphForm g,
				      const CudaGraphNode *from,
				      const CudaGraphNode *to,
				      const CudaEdge *edges, size_t n);
} Cuda;

/*
 * Loads libcuda (NULL: libcuda.so.1 in the loader's path; it stays loaded) and
 * starts the driver. `needs` is the oldest version that will do, as `version`
 * counts; 0: any. A missing library, a driver that is too old or does not
 * start, and a machine without a device are ERR_ENV, each with what to do;
 * path and version are filled in as far as they are known even then.
 */
bool cuda_open(Ctx *ctx, const char *library, int needs, Cuda *out);

typedef struct CudaInfo {
	char name[256];
	int major, minor; /* compute capability: 9, 0 */
	size_t memory;    /* bytes */
	int multiprocessors;
	int shared; /* most bytes of shared memory a block, when asked for */
} CudaInfo;
/* Of device n, from 0; makes no context. */
bool cuda_info(Ctx *ctx, const Cuda *cuda, int n, CudaInfo *out);

/*
 * All below: any thread; the calling thread's current context is the same
 * afterwards as before. What fails reports which call did and how; running
 * out of device memory is ERR_NOMEM, the rest ERR_ENV. With ctx NULL nothing is
 * reported: for cleaning up after an error.
 *
 * A kernel that faults makes every later call in the device's context fail, for
 * good. That is reported as a fault of the kernels that this thread has queued
 * and not seen end, not of the call that happened to tell.
 */
typedef struct CudaDevice {
	const Cuda *cuda; /* must live as long */
	int device;
	CudaContext context; /* the device's primary one, others' too */
	bool borrowed;       /* it is the caller's: he ends it */
	CudaInfo info;
} CudaDevice;
bool cuda_device_open(Ctx *ctx, const Cuda *cuda, int n, CudaDevice *out);
/*
 * The same in the context that is current to this thread, which must live as
 * long; where none is, in the primary one of device 0.
 */
bool cuda_device_share(Ctx *ctx, const Cuda *cuda, CudaDevice *out);
bool cuda_device_close(Ctx *ctx, CudaDevice *d);

bool cuda_module_load(Ctx *ctx, const CudaDevice *d, const void *cubin,
		      CudaModule *out);
bool cuda_module_unload(Ctx *ctx, const CudaDevice *d, CudaModule m);
/* The kernel of that name; launches may use `shared` dynamic bytes. */
bool cuda_function(Ctx *ctx, const CudaDevice *d, CudaModule m,
		   const char *name, unsigned shared, CudaFunction *out);

bool cuda_alloc(Ctx *ctx, const CudaDevice *d, size_t size, CudaPtr *out);
bool cuda_free(Ctx *ctx, const CudaDevice *d, CudaPtr p);

/* What the driver knows of an address. */
typedef struct CudaPlace {
	bool known;  /* to the driver: else ordinary memory of the host */
	bool device; /* of a device; else of the host */
	int ordinal; /* which one, as cuDeviceGet counts */
} CudaPlace;
bool cuda_place(Ctx *ctx, const CudaDevice *d, CudaPtr p, CudaPlace *out);

/*
 * Memory of the host that stays where it is: copies to and from it run beside
 * the host, and every device can read and write it at the same address.
 */
bool cuda_host_alloc(Ctx *ctx, const CudaDevice *d, size_t size, void **out);
bool cuda_host_free(Ctx *ctx, const CudaDevice *d, void *p);

bool cuda_stream_new(Ctx *ctx, const CudaDevice *d, CudaStream *out);
bool cuda_stream_free(Ctx *ctx, const CudaDevice *d, CudaStream s);
/* Whether a caller's stream is of the device's context. */
bool cuda_stream_check(Ctx *ctx, const CudaDevice *d, CudaStream s);
/* Waits. Faults of kernels that ran on the stream are reported here. */
bool cuda_synchronize(Ctx *ctx, const CudaDevice *d, CudaStream s);
/* Whether all is done that was queued; does not wait. */
bool cuda_stream_done(Ctx *ctx, const CudaDevice *d, CudaStream s, bool *done);

/* A place in a stream; who waits for it sleeps, or spins, as is said here. */
bool cuda_event_new(Ctx *ctx, const CudaDevice *d, bool sleeps, CudaEvent *out);
/* One that tells the time; who waits for it spins. */
bool cuda_event_timed(Ctx *ctx, const CudaDevice *d, CudaEvent *out);
/* Microseconds between two of those, which are done. */
bool cuda_event_us(Ctx *ctx, const CudaDevice *d, CudaEvent from, CudaEvent to,
		   double *us);
bool cuda_event_free(Ctx *ctx, const CudaDevice *d, CudaEvent e);
bool cuda_event_record(Ctx *ctx, const CudaDevice *d, CudaEvent e,
		       CudaStream s);
bool cuda_event_done(Ctx *ctx, const CudaDevice *d, CudaEvent e, bool *done);
bool cuda_event_wait(Ctx *ctx, const CudaDevice *d, CudaEvent e);

/* Queued on the stream; the host's memory must stay until it is done. */
bool cuda_copy_in(Ctx *ctx, const CudaDevice *d, CudaPtr to, const void *from,
		  size_t size, CudaStream s);
bool cuda_copy_out(Ctx *ctx, const CudaDevice *d, void *to, CudaPtr from,
		   size_t size, CudaStream s);
/* Within the device. */
bool cuda_copy_over(Ctx *ctx, const CudaDevice *d, CudaPtr to, CudaPtr from,
		    size_t size, CudaStream s);
/* n words of 32 bits. */
bool cuda_fill(Ctx *ctx, const CudaDevice *d, CudaPtr p, uint32_t value,
	       size_t n, CudaStream s);

/* A tensor map, 128 bytes at a multiple of 64: the fastest axis first, strides
 * in bytes of all axes but that one; elements of 1, 2, 4 or 8 bytes. */
#define CUDA_MAP_RANK 5
typedef struct CudaMap {
	CudaPtr from;
	int bytes, rank;
	uint64_t extent[CUDA_MAP_RANK], stride[CUDA_MAP_RANK];
	uint32_t box[CUDA_MAP_RANK];
	bool swizzled;
} CudaMap;
bool cuda_map(Ctx *ctx, const CudaDevice *d, const char *name, const CudaMap *m,
	      void *out);

typedef struct CudaLaunch {
	const char *name; /* for messages */
	CudaFunction function;
	unsigned grid[3], block[3]; /* x, y, z; one that is 0: no launch */
	unsigned shared;            /* dynamic bytes */
	const void *parameters;     /* laid out as the kernel declares them */
	size_t size;                /* of parameters; they are copied */
	/* Of the parameters the last ones are so many tensor maps, and those
	 * before them words of 8 bytes; where maps lie a kernel decides. */
	size_t maps;
	/* The kernel waits by itself for those before it (griddepcontrol.wait),
	 * and may begin before they have ended: compute capability 9.0. */
	bool waits;
} CudaLaunch;
#define CUDA_MAP_BYTES 128
bool cuda_launch(Ctx *ctx, const CudaDevice *d, const CudaLaunch *l,
		 CudaStream s);
bool cuda_launch_is_empty(const CudaLaunch *l);

/* ---- between cuda.c, cuda_graph.c and cuda_error.c -------------------- */

/* True on success, else reports "CALL failed on WHERE: NAME (text)". */
bool cuda_succeeded(Ctx *ctx, const Cuda *c, int result, const char *call,
		    const char *where);
const char *cuda_hint(int result); /* what to do; NULL if that is not known */
/*
 * Around calls in the device's context. cuda_leave reports `result`, as
 * cuda_succeeded does or as a fault of kernels.
 */
bool cuda_enter(Ctx *ctx, const CudaDevice *d);
bool cuda_leave(Ctx *ctx, const CudaDevice *d, int result, const char *call,
		const char *where);
/* False, reported, where the process was forked after the driver started. */
bool cuda_unforked(Ctx *ctx, const Cuda *cuda);
/* n kernels, names with commas, are on their way in the stream. */
void cuda_queued(const CudaDevice *d, CudaStream s, const char *names,
		 size_t n);
/* All that this thread queued in the stream is done. */
void cuda_ended(const CudaDevice *d, CudaStream s);
void cuda_closed(const CudaDevice *d); /* or in any stream of the device */
/* The parameters as the driver takes them, for as long as both live: as one
 * block, or where there are maps one by one. */
typedef struct CudaExtra {
	void **parameters, **extra; /* NULL: none so */
	size_t size;
	void *block[5];
	void *each[512]; /* the most that 4 KB hold */
} CudaExtra;
void cuda_extra(CudaExtra *e, const CudaLaunch *l);

#endif
