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
typedef uint64_t CudaPtr;               /* on the device; 0: none */

/* Entry points that are called: our name, libcuda's, what it takes. */
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
	X(cuStreamCreate, cuStreamCreate, (CudaStream * s, unsigned flags))    \
	X(cuStreamDestroy, cuStreamDestroy_v2, (CudaStream s))                 \
	X(cuStreamSynchronize, cuStreamSynchronize, (CudaStream s))            \
	X(cuLaunchKernel, cuLaunchKernel,                                      \
	  (CudaFunction f, unsigned grid_x, unsigned grid_y, unsigned grid_z,  \
	   unsigned block_x, unsigned block_y, unsigned block_z,               \
	   unsigned shared, CudaStream s, void **parameters, void **extra))    \
	X(cuGetErrorName, cuGetErrorName, (int result, const char **text))     \
	X(cuGetErrorString, cuGetErrorString, (int result, const char **text))

typedef struct Cuda {
	char path[4096]; /* the file, as the loader found it */
	int version;     /* of the driver: 1000 * major + 10 * minor */
	int devices;
#define CUDA_ENTRY(name, symbol, parameters) int(*name) parameters;
	CUDA_ENTRIES(CUDA_ENTRY)
#undef CUDA_ENTRY
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
 * out of device memory is ERR_NOMEM, the rest ERR_ENV.
 */
typedef struct CudaDevice {
	const Cuda *cuda; /* must live as long */
	int device;
	CudaContext context; /* the device's primary one, others' too */
	CudaInfo info;
} CudaDevice;
bool cuda_device_open(Ctx *ctx, const Cuda *cuda, int n, CudaDevice *out);
bool cuda_device_close(Ctx *ctx, CudaDevice *d);

bool cuda_module_load(Ctx *ctx, const CudaDevice *d, const void *cubin,
		      CudaModule *out);
bool cuda_module_unload(Ctx *ctx, const CudaDevice *d, CudaModule m);
/* The kernel of that name; launches may use `shared` dynamic bytes. */
bool cuda_function(Ctx *ctx, const CudaDevice *d, CudaModule m,
		   const char *name, unsigned shared, CudaFunction *out);

bool cuda_alloc(Ctx *ctx, const CudaDevice *d, size_t size, CudaPtr *out);
bool cuda_free(Ctx *ctx, const CudaDevice *d, CudaPtr p);

bool cuda_stream_new(Ctx *ctx, const CudaDevice *d, CudaStream *out);
bool cuda_stream_free(Ctx *ctx, const CudaDevice *d, CudaStream s);
/* Waits. Faults of kernels that ran on the stream are reported here. */
bool cuda_synchronize(Ctx *ctx, const CudaDevice *d, CudaStream s);

/* Queued on the stream; the host's memory must stay until it is done. */
bool cuda_copy_in(Ctx *ctx, const CudaDevice *d, CudaPtr to, const void *from,
		  size_t size, CudaStream s);
bool cuda_copy_out(Ctx *ctx, const CudaDevice *d, void *to, CudaPtr from,
		   size_t size, CudaStream s);

typedef struct CudaLaunch {
	const char *name; /* for messages */
	CudaFunction function;
	unsigned grid[3], block[3]; /* x, y, z; one that is 0: no launch */
	unsigned shared;            /* dynamic bytes */
	const void *parameters;     /* laid out as the kernel declares them */
	size_t size;                /* of parameters; they are copied */
} CudaLaunch;
bool cuda_launch(Ctx *ctx, const CudaDevice *d, const CudaLaunch *l,
		 CudaStream s);

#endif
