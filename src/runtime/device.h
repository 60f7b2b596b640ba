/*
 * device: a GPU through CUDA, or any device through OpenCL, alike for whoever
 * runs kernels: memory, code, launches in one queue.
 */
#ifndef TENON_DEVICE_H
#define TENON_DEVICE_H

#include "base/base.h"

typedef enum DeviceKind {
	DEVICE_CUDA,
	DEVICE_OPENCL,
	DEVICE_KINDS,
} DeviceKind;

typedef struct Device Device;
/* Memory on the device; 0: none. */
typedef uint64_t DeviceMem;

/*
 * The first device of its kind that keeps the contract. Kernels of several
 * threads may be launched on it, one thread at a time: device_close() after all
 * that is on it is gone. What fails is told as in cuda.h and opencl.h.
 */
bool device_open(Ctx *ctx, DeviceKind kind, Device **out);
void device_close(Device *d); /* NULL is fine */
const char *device_name(const Device *d);
/* CUDA: sm_90a, what code for exactly this device is compiled for. */
const char *device_arch(const Device *d);
/* Whether it runs code compiled for an architecture: sm_80 here on sm_89. */
bool device_runs(const Device *d, const char *arch);

/* ---- code ------------------------------------------------------------ */

typedef struct DeviceCode {
	const char *name; /* for messages: k0 */
	const char *text; /* CUDA C or OpenCL C */
	bool cached;      /* out: nothing was compiled */
	void *module;     /* out */
} DeviceCode;

/*
 * What compiles, and how: what is not the same is another plan. arch: of CUDA.
 * Needs no device of CUDA's (d NULL), only NVRTC.
 */
bool device_compiler(Ctx *ctx, Arena *a, DeviceKind kind, const Device *d,
		     const char *arch, const char **compiler,
		     const char **flags);
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

/* ---- memory and launches --------------------------------------------- */

bool device_alloc(Ctx *ctx, Device *d, size_t size, DeviceMem *out);
void device_free(Device *d, DeviceMem m);
/* Queued; the host's memory must stay until device_wait(). */
bool device_copy_in(Ctx *ctx, Device *d, DeviceMem to, const void *from,
		    size_t size);
bool device_copy_out(Ctx *ctx, Device *d, void *to, DeviceMem from,
		     size_t size);

typedef struct DeviceLaunch {
	const DeviceKernel *kernel;
	int64_t tasks; /* blocks; 0: no launch */
	int threads;   /* of a block */
	size_t shared; /* bytes of a block's memory */
	/* parameters in order, each of 8 bytes: memory or a number. The
	 * block's memory comes after them where the language wants it. */
	const uint64_t *args;
	size_t nargs;
} DeviceLaunch;
bool device_launch(Ctx *ctx, Device *d, const DeviceLaunch *l);
/* One thread at a time has the queue. */
void device_lock(Device *d);
void device_unlock(Device *d);
/* Waits for all that is queued; faults of kernels are told here. */
bool device_wait(Ctx *ctx, Device *d);

#endif
