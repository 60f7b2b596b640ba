/*
 * device: a GPU through CUDA, or any device through OpenCL, alike for whoever
 * runs kernels: memory, code, launches in one queue.
 */
#ifndef TENON_DEVICE_H
#define TENON_DEVICE_H

#include "runtime/cubin.h"

typedef enum DeviceKind {
	DEVICE_CUDA,
	DEVICE_OPENCL,
	DEVICE_KINDS,
} DeviceKind;

typedef struct Device Device;
/* Memory on the device; 0: none. */
typedef uint64_t DeviceMem;

/*
 * OpenCL: device `number`, which must keep the contract; -1: the first that
 * does. CUDA: that of the thread's current context, else the first. Kernels of
 * several threads may be launched on it, one thread at a time in its queue;
 * device_close() after all that is on it is gone. What fails is told as in
 * cuda.h and opencl.h.
 */
bool device_open(Ctx *ctx, DeviceKind kind, int number, Device **out);
void device_close(Device *d); /* NULL is fine */
const char *device_name(const Device *d);
DeviceKind device_kind(const Device *d);
int device_number(const Device *d); /* of OpenCL */
/*
 * Seconds that CUDA's kernels may take before a wait for them is an error; 0,
 * as at first: any time. After that error the device is of no use until they
 * end, and what is on it is not freed.
 */
void device_set_limit(Device *d, double seconds);
/* How runs are waited for, and what was measured to choose it; one line. */
void device_tell_wait(const Device *d, Buf *out);
/* CUDA: sm_90a, what code for exactly this device is compiled for. */
const char *device_arch(const Device *d);
/* Whether it runs code compiled for an architecture: sm_80 here on sm_89. */
bool device_runs(const Device *d, const char *arch);

/* ---- code ------------------------------------------------------------ */

typedef struct DeviceCode {
	const char *name; /* for messages: k0 */
	const char *text; /* CUDA C or OpenCL C */
	bool cached;      /* out: nothing was compiled */
	void *module;     /* out, where it was loaded */
	/* out, of CUDA: the cubin and what it says of its kernels, in the
	 * arena */
	const char *cubin;
	size_t size;
	const Cubin *facts;
} DeviceCode;

/*
 * What compiles, and how: what is not the same is another plan. arch: of CUDA.
 * Needs no device of CUDA's (d NULL), only NVRTC.
 */
bool device_compiler(Ctx *ctx, Arena *a, DeviceKind kind, const Device *d,
		     const char *arch, const char **compiler,
		     const char **flags);
/* Compiles n sources for an architecture of CUDA, kept in the cache folder
 * (NULL: nothing is); no device is needed. */
bool device_build(Ctx *ctx, Arena *a, const char *arch, const char *cache,
		  DeviceCode *code, size_t n);
/* Compiles n sources, kept in the cache folder (NULL: nothing is), and loads
 * them. On failure nothing stays loaded. */
bool device_load(Ctx *ctx, Arena *a, Device *d, const char *arch,
		 const char *cache, DeviceCode *code, size_t n);
void device_unload(Device *d, DeviceCode *code, size_t n);

typedef struct DeviceKernel {
	const char *name;
	void *function;
} DeviceKernel;
/* name must live as long; shared: bytes of block memory that launches give. */
bool device_kernel(Ctx *ctx, Arena *a, Device *d, const DeviceCode *code,
		   const char *name, size_t shared, DeviceKernel *out);
void device_kernel_free(Device *d, DeviceKernel *k);

/* ---- products by cuBLASLt (CUDA) ------------------------------------- */

struct LtProduct; /* cublaslt.h */
struct LtPlan;
/* Its version, for what is part of a plan; needs no device. */
bool device_library(Ctx *ctx, Arena *a, const char **version);
/*
 * A product of one size, in the arena. The library is loaded when it is first
 * asked for, by the thread that has the device (device_lock). On failure
 * nothing is left.
 */
bool device_product(Ctx *ctx, Arena *a, Device *d, const struct LtProduct *p,
		    struct LtPlan **out);
/* After every run that launches it; NULL is fine. */
void device_product_free(Device *d, struct LtPlan *p);

/* ---- memory and launches --------------------------------------------- */

bool device_alloc(Ctx *ctx, Device *d, size_t size, DeviceMem *out);
void device_free(Device *d, DeviceMem m);
/* Queued; the host's memory must stay until device_wait(). */
bool device_copy_in(Ctx *ctx, Device *d, DeviceMem to, const void *from,
		    size_t size);
bool device_copy_out(Ctx *ctx, Device *d, void *to, DeviceMem from,
		     size_t size);

bool device_copy_over(Ctx *ctx, Device *d, DeviceMem to, DeviceMem from,
		      size_t size);
/* CUDA: memory of the host that kernels read and write as it is. */
bool device_shared_alloc(Ctx *ctx, Device *d, size_t size, void **host,
			 DeviceMem *mem);
void device_shared_free(Device *d, void *host); /* NULL is fine */

/*
 * Memory that a caller holds: an address of CUDA's, a handle of OpenCL's.
 * What is his own is checked before it is used; ERR_USAGE says what it is.
 */
#define DEVICE_ALIGN 16 /* bytes: what kernels take for granted */
bool device_give(Ctx *ctx, Device *d, size_t size, void **out);
void device_take_back(Device *d, void *p); /* NULL is fine */
/* Whether p and size bytes from it are the device's memory; `what` is whose,
 * for messages. */
bool device_check(Ctx *ctx, Device *d, const char *what, const void *p,
		  size_t size);
/* Whether p is not some device's memory. */
bool device_check_host(Ctx *ctx, Device *d, const char *what, const void *p);

/*
 * A window on memory, from which sm_90's copy engine brings boxes: elements of
 * 1 to 8 bytes, the slowest axis first, the last stride being 1. Zeros come
 * from outside of it; `swizzled` as ir/kernel.h has rows of 128 bytes.
 */
#define DEVICE_MAP_RANK  5
#define DEVICE_MAP_WORDS 16 /* of a parameter */
typedef struct DeviceMap {
	const char *name; /* for messages */
	DeviceMem from;
	int bytes, rank;
	int64_t extent[DEVICE_MAP_RANK], stride[DEVICE_MAP_RANK];
	int box[DEVICE_MAP_RANK];
	bool swizzled;
} DeviceMap;
/*
 * The window as a parameter of a kernel. One that has no elements, or rows that
 * do not begin at multiples of 16 bytes, must not be used and is zeros.
 * CUDA only.
 */
bool device_map(Ctx *ctx, Device *d, const DeviceMap *m,
		uint64_t out[DEVICE_MAP_WORDS]);

typedef struct DeviceLaunch {
	const DeviceKernel *kernel;
	int64_t tasks; /* blocks; 0: no launch */
	int threads;   /* of a block */
	size_t shared; /* bytes of a block's memory */
	/* parameters in order, each of 8 bytes: memory or a number. The
	 * block's memory comes after them where the language wants it. */
	const uint64_t *args;
	size_t nargs;
	size_t maps; /* the last ones are so many maps, DEVICE_MAP_WORDS each */
	bool waits;  /* by itself for launches before it: cuda.h */
	/* In runs on CUDA, not NULL: a library's work in place of the kernel's,
	 * on args, which are out, left, right and its workspace. It must live
	 * as long as runs of it. `kernel` has its name. */
	const struct LtPlan *product;
} DeviceLaunch;
#define DEVICE_PRODUCT_ARGS 4
bool device_launch(Ctx *ctx, Device *d, const DeviceLaunch *l);
/* One thread at a time has the queue. */
void device_lock(Device *d);
void device_unlock(Device *d);
/* Waits for all that is queued; faults of kernels are told here. */
bool device_wait(Ctx *ctx, Device *d);

/* ---- runs ------------------------------------------------------------- */

/*
 * Launches that are run together, many times. On CUDA they are one graph in a
 * stream of their own, so that runs of several threads go side by side; on
 * OpenCL they are queued one by one, by the thread that has the queue.
 */
typedef struct DeviceRun DeviceRun;

typedef struct DeviceMove {
	DeviceMem mem;
	void *host;
	size_t bytes;
} DeviceMove;

typedef struct DeviceCopy {
	DeviceMem to, from;
	size_t bytes;
} DeviceCopy;

typedef struct DeviceWork {
	const DeviceLaunch *launches;
	size_t nlaunches;
	const DeviceMove *in;     /* from the host, before the launches */
	const DeviceMove *out;    /* to it, after the copies */
	const DeviceCopy *copies; /* after the launches */
	size_t nin, nout, ncopies;
	int threads; /* that may help to copy on the host */
} DeviceWork;

bool device_run_new(Ctx *ctx, Device *d, DeviceRun **out);
void device_run_free(DeviceRun *r); /* waits; NULL is fine */
/*
 * What the next runs do. All is copied; memory it names stays the caller's. A
 * second work has as many launches, of the same kernels: where it differs, the
 * graph is changed. No run is under way.
 */
bool device_run_set(Ctx *ctx, DeviceRun *r, const DeviceWork *w);
/*
 * CUDA: runs go to a caller's stream (CUstream), NULL: to their own again. No
 * run is under way. ERR_USAGE on OpenCL, or where it is of another context.
 */
bool device_run_stream(Ctx *ctx, DeviceRun *r, void *stream);
/*
 * Queues a run; the host's memory that is moved stays as it is until the wait.
 * Without moves any number may be under way, else one. soon: the next call is
 * the wait.
 */
bool device_run_start(Ctx *ctx, DeviceRun *r, bool soon);
/* Waits for all that were started; nothing to do where none was. */
bool device_run_wait(Ctx *ctx, DeviceRun *r);
bool device_run_pending(const DeviceRun *r);
bool device_run_moves(const DeviceRun *r); /* anything, from or to the host */
/*
 * Device time of a run in us, by the device's clock: the launches of runs 0, 1,
 * ..., n-1 in turn, `times` in all, submitted as one graph. Nothing is moved.
 * ERR_USAGE on OpenCL.
 */
bool device_run_time(Ctx *ctx, DeviceRun *const *runs, size_t n, size_t times,
		     double *us);

#endif
