/*
 * opencl: devices, programs, memory and launches through the OpenCL loader
 * (libOpenCL), which is loaded at run time. No OpenCL header is needed to
 * build.
 */
#ifndef TENON_OPENCL_H
#define TENON_OPENCL_H

#include "base/base.h"

#define OPENCL_PLATFORMS 16
#define OPENCL_DEVICES   64

typedef struct _cl_platform_id *OpenclPlatformId;
typedef struct _cl_device_id *OpenclDeviceId;
typedef struct _cl_context *OpenclContext;
typedef struct _cl_command_queue *OpenclQueue;
typedef struct _cl_program *OpenclProgram;
typedef struct _cl_kernel *OpenclKernelId;
typedef struct _cl_mem *OpenclMem; /* on the device; NULL: none */
typedef struct _cl_event *OpenclEvent;

/* Entry points that are called: result, name, what it takes; all of 1.0. */
#define OPENCL_ENTRIES(X)                                                      \
	X(int, clGetPlatformIDs,                                               \
	  (unsigned n, OpenclPlatformId *ids, unsigned *count))                \
	X(int, clGetPlatformInfo,                                              \
	  (OpenclPlatformId p, unsigned what, size_t size, void *value,        \
	   size_t *used))                                                      \
	X(int, clGetDeviceIDs,                                                 \
	  (OpenclPlatformId p, uint64_t type, unsigned n, OpenclDeviceId *ids, \
	   unsigned *count))                                                   \
	X(int, clGetDeviceInfo,                                                \
	  (OpenclDeviceId d, unsigned what, size_t size, void *value,          \
	   size_t *used))                                                      \
	X(OpenclContext, clCreateContext,                                      \
	  (const intptr_t *properties, unsigned n,                             \
	   const OpenclDeviceId *devices,                                      \
	   void (*notify)(const char *, const void *, size_t, void *),         \
	   void *data, int *result))                                           \
	X(int, clReleaseContext, (OpenclContext c))                            \
	X(OpenclQueue, clCreateCommandQueue,                                   \
	  (OpenclContext c, OpenclDeviceId d, uint64_t properties,             \
	   int *result))                                                       \
	X(int, clReleaseCommandQueue, (OpenclQueue q))                         \
	X(OpenclProgram, clCreateProgramWithSource,                            \
	  (OpenclContext c, unsigned n, const char **texts,                    \
	   const size_t *sizes, int *result))                                  \
	X(OpenclProgram, clCreateProgramWithBinary,                            \
	  (OpenclContext c, unsigned n, const OpenclDeviceId *devices,         \
	   const size_t *sizes, const unsigned char **binaries, int *statuses, \
	   int *result))                                                       \
	X(int, clBuildProgram,                                                 \
	  (OpenclProgram p, unsigned n, const OpenclDeviceId *devices,         \
	   const char *options, void (*notify)(OpenclProgram, void *),         \
	   void *data))                                                        \
	X(int, clGetProgramBuildInfo,                                          \
	  (OpenclProgram p, OpenclDeviceId d, unsigned what, size_t size,      \
	   void *value, size_t *used))                                         \
	X(int, clGetProgramInfo,                                               \
	  (OpenclProgram p, unsigned what, size_t size, void *value,           \
	   size_t *used))                                                      \
	X(int, clReleaseProgram, (OpenclProgram p))                            \
	X(OpenclKernelId, clCreateKernel,                                      \
	  (OpenclProgram p, const char *name, int *result))                    \
	X(int, clGetKernelWorkGroupInfo,                                       \
	  (OpenclKernelId k, OpenclDeviceId d, unsigned what, size_t size,     \
	   void *value, size_t *used))                                         \
	X(int, clReleaseKernel, (OpenclKernelId k))                            \
	X(int, clSetKernelArg,                                                 \
	  (OpenclKernelId k, unsigned n, size_t size, const void *value))      \
	X(OpenclMem, clCreateBuffer,                                           \
	  (OpenclContext c, uint64_t flags, size_t size, void *host,           \
	   int *result))                                                       \
	X(int, clReleaseMemObject, (OpenclMem m))                              \
	X(int, clEnqueueWriteBuffer,                                           \
	  (OpenclQueue q, OpenclMem to, unsigned blocking, size_t at,          \
	   size_t size, const void *from, unsigned n,                          \
	   const OpenclEvent *after, OpenclEvent *event))                      \
	X(int, clEnqueueReadBuffer,                                            \
	  (OpenclQueue q, OpenclMem from, unsigned blocking, size_t at,        \
	   size_t size, void *to, unsigned n, const OpenclEvent *after,        \
	   OpenclEvent *event))                                                \
	X(int, clEnqueueCopyBuffer,                                            \
	  (OpenclQueue q, OpenclMem from, OpenclMem to, size_t from_at,        \
	   size_t to_at, size_t size, unsigned n, const OpenclEvent *after,    \
	   OpenclEvent *event))                                                \
	X(int, clEnqueueNDRangeKernel,                                         \
	  (OpenclQueue q, OpenclKernelId k, unsigned dims, const size_t *from, \
	   const size_t *global, const size_t *local, unsigned n,              \
	   const OpenclEvent *after, OpenclEvent *event))                      \
	X(int, clFinish, (OpenclQueue q))

typedef struct OpenclPlatform {
	OpenclPlatformId id;
	char name[128], version[256]; /* OpenCL 3.0 and what more it says */
	int devices;
	char why[128]; /* there is none; "" where there is */
} OpenclPlatform;

typedef struct Opencl {
	char path[4096]; /* the file, as the loader found it */
	int platform_count;
	OpenclPlatform platforms[OPENCL_PLATFORMS];
	int devices; /* of all platforms, one after the other */
	struct {
		int platform; /* its number */
		OpenclDeviceId id;
	} device[OPENCL_DEVICES];
#define OPENCL_ENTRY(result, name, parameters) result(*name) parameters;
	OPENCL_ENTRIES(OPENCL_ENTRY)
#undef OPENCL_ENTRY
} Opencl;

/*
 * Loads libOpenCL (NULL: libOpenCL.so.1 in the loader's path; it stays
 * loaded) and lists platforms and their devices. A missing library, and a
 * machine without a platform or a device are ERR_ENV, each with what to do;
 * path and platforms are filled in as far as they are known even then. A
 * platform that does not tell its devices says so in `why`.
 */
bool opencl_open(Ctx *ctx, const char *library, Opencl *out);

typedef struct OpenclInfo {
	char name[256];
	char version[256]; /* of the device, as it says: OpenCL 3.0 ... */
	char driver[128];
	const OpenclPlatform *platform; /* the Opencl's */
	int major, minor;               /* of `version` */
	unsigned compute_units;
	uint64_t memory, largest; /* bytes; of one buffer */
	uint64_t local;           /* bytes of local memory a work-group */
	size_t work_group;        /* most work-items of one */
	size_t work_items[3];     /* in x, y, z */
	size_t multiple;          /* of work-items that it likes; 0: not told */
	bool available, compiles;
	bool fp16, fp64, subgroups;
	bool atomics64;  /* cl_khr_int64_extended_atomics */
	bool subnormals; /* of f32 are kept */
	bool divides;    /* f32 /, sqrt can be correctly rounded */
	bool ieee;       /* f32 rounds to nearest, has infinities and NaN */
} OpenclInfo;
/* Of device n, from 0; makes no context. */
bool opencl_info(Ctx *ctx, const Opencl *opencl, int n, OpenclInfo *out);

/*
 * Why programs cannot run there and keep their contract: it "flushes
 * subnormals of f32"; NULL where they can. docs/decisions/gpu-functions.md.
 */
const char *opencl_unsuited(const OpenclInfo *info);
/* The first device that is suited; ERR_ENV, with the first's reason: none is.
 */
bool opencl_find(Ctx *ctx, const Opencl *opencl, int *n);

/*
 * All below: any thread, but launches of one kernel by one thread at a time,
 * since its arguments are a part of it. What fails reports which call did
 * and how; running out of device memory is ERR_NOMEM, the rest ERR_ENV.
 */
typedef struct OpenclDevice {
	const Opencl *opencl; /* must live as long */
	OpenclDeviceId id;
	OpenclContext context;
	OpenclQueue queue; /* in order */
	OpenclInfo info;
} OpenclDevice;
/* Refuses a device that is unsuited. */
bool opencl_device_open(Ctx *ctx, const Opencl *opencl, int n,
			OpenclDevice *out);
bool opencl_device_close(Ctx *ctx, OpenclDevice *d);

/*
 * OpenCL C, compiled with opencl_options(a, options); options and the name in
 * messages are the caller's. The compiler's log is in the error.
 */
bool opencl_build(Ctx *ctx, const OpenclDevice *d, const char *name,
		  const char *text, const char *options, OpenclProgram *out);
/* What all sources need of an OpenCL compiler, then `options` (or NULL): what
 * a key is made of. */
const char *opencl_options(Arena *a, const char *options);
/* A built program for opencl_load, in the arena; size 0: there is no form. */
bool opencl_binary(Ctx *ctx, Arena *a, const OpenclDevice *d, OpenclProgram p,
		   void **bytes, size_t *size);
/*
 * A program from opencl_binary's bytes, with the options of its build. True
 * with *out NULL: they are damaged, made by another device or version, or
 * refused by the platform, and the source is to be built anew.
 */
bool opencl_load(Ctx *ctx, const OpenclDevice *d, const char *name,
		 const void *bytes, size_t size, const char *options,
		 OpenclProgram *out);
bool opencl_program_free(Ctx *ctx, const OpenclDevice *d, OpenclProgram p);

typedef struct OpenclKernel {
	OpenclKernelId id;
	const char *name;  /* the caller's; must live as long */
	size_t work_group; /* most work-items of one */
	size_t multiple;   /* of work-items that the device likes */
	uint64_t local;    /* bytes that it declares itself */
} OpenclKernel;
bool opencl_kernel(Ctx *ctx, const OpenclDevice *d, OpenclProgram p,
		   const char *name, OpenclKernel *out);
bool opencl_kernel_free(Ctx *ctx, const OpenclDevice *d, OpenclKernel *k);

/* Of size 0: NULL, which is good as an argument. */
bool opencl_alloc(Ctx *ctx, const OpenclDevice *d, size_t size, OpenclMem *out);
bool opencl_free(Ctx *ctx, const OpenclDevice *d, OpenclMem m);

/*
 * Queued; the host's memory must stay until it is done. `at` counts bytes
 * from the buffer's start.
 */
bool opencl_copy_in(Ctx *ctx, const OpenclDevice *d, OpenclMem to, size_t at,
		    const void *from, size_t size);
bool opencl_copy_out(Ctx *ctx, const OpenclDevice *d, void *to, OpenclMem from,
		     size_t at, size_t size);
/* Within the device, from the start of both. */
bool opencl_copy_over(Ctx *ctx, const OpenclDevice *d, OpenclMem to,
		      OpenclMem from, size_t size);
/* Waits for all that is queued. Drivers tell faults of kernels here, if at
 * all. */
bool opencl_finish(Ctx *ctx, const OpenclDevice *d);

typedef struct OpenclArg {
	const void *value; /* its bytes (a buffer: &mem); NULL: local memory */
	size_t size;       /* of the value, or of the local memory */
} OpenclArg;
typedef struct OpenclLaunch {
	const OpenclKernel *kernel;
	size_t global[3]; /* work-items in x, y, z; one that is 0: no launch */
	size_t local[3];  /* of a work-group; divides global */
	const OpenclArg *args; /* in order, all of them; they are copied */
	unsigned count;
} OpenclLaunch;
bool opencl_launch(Ctx *ctx, const OpenclDevice *d, const OpenclLaunch *l);

#endif
