/*
 * cuda: the CUDA driver, by dlopen.
 *
 * Declarations and numbers are our own; they are the driver's ABI, which
 * keeps what it once had (a symbol's _v2 is part of it). The library is never
 * closed. Each call that needs a context pushes the device's and pops it
 * again, so that a caller who uses CUDA himself finds his own current.
 * Results are looked at after every call, the pop included; of two errors
 * the first is told.
 */
#include "runtime/cuda.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

/* CUresult */
enum {
	SUCCESS = 0,
	OUT_OF_MEMORY = 2,
	NO_DEVICE = 100,
	INVALID_IMAGE = 200,
	NO_BINARY_FOR_GPU = 209,
	SYSTEM_DRIVER_MISMATCH = 803,
};

/* CUdevice_attribute, CUfunction_attribute, CUstream_flags, launch extras */
enum {
	DEVICE_MULTIPROCESSORS = 16,
	DEVICE_MAJOR = 75,
	DEVICE_MINOR = 76,
	DEVICE_SHARED_OPTIN = 97,
	FUNCTION_DYNAMIC_SHARED = 8,
	STREAM_NON_BLOCKING = 1,
	EXTRA_END = 0,
	EXTRA_BUFFER = 1,
	EXTRA_SIZE = 2,
};

/* ---- errors ---------------------------------------------------------- */

static const char *hint_of(int result)
{
	switch (result) {
	case NO_DEVICE:
		return "no GPU is visible: see what nvidia-smi lists, and "
		       "whether CUDA_VISIBLE_DEVICES hides it";
	case INVALID_IMAGE:
	case NO_BINARY_FOR_GPU:
		return "the code is for another architecture, or by a newer "
		       "NVRTC than the driver serves; tenon devices shows both";
	case SYSTEM_DRIVER_MISMATCH:
		return "libcuda and the kernel's driver differ: reboot after "
		       "an update, or install both of one version";
	default:
		return NULL;
	}
}

/* True on success, else reports "CALL failed WHERE: NAME (text)". */
static bool succeeded(Ctx *ctx, const Cuda *c, int result, const char *call,
		      const char *where)
{
	const char *name = NULL, *text = NULL;

	if (result == SUCCESS)
		return true;
	if (c->cuGetErrorName(result, &name) != SUCCESS || !name)
		name = "an error without a name";
	if (c->cuGetErrorString(result, &text) != SUCCESS || !text)
		text = "the driver has no text for it";
	return diag_fail(ctx, result == OUT_OF_MEMORY ? ERR_NOMEM : ERR_ENV,
			 hint_of(result), "%s failed%s%s: %s (%d: %s)", call,
			 *where ? " on " : "", where, name, result, text);
}

/* ---- the library ----------------------------------------------------- */

static bool library_missing(Ctx *ctx, const char *library)
{
	const char *why = dlerror();
	return diag_fail(ctx, ERR_ENV,
			 "install NVIDIA's driver for this GPU (libcuda comes "
			 "with it, not with the CUDA toolkit)",
			 "the CUDA driver is not found: %s",
			 why ? why : library);
}

static bool library_bind(Ctx *ctx, void *library, Cuda *out)
{
	struct link_map *map = NULL;

	if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map)
		snprintf(out->path, sizeof(out->path), "%s", map->l_name);
#define BIND(name, symbol, parameters)                                         \
	out->name = __extension__(int(*) parameters) dlsym(library, #symbol);  \
	if (!out->name)                                                        \
		return diag_fail(ctx, ERR_ENV, "update the driver",            \
				 "%s is no CUDA driver that will do: it has "  \
				 "no %s",                                      \
				 out->path, #symbol);
	CUDA_ENTRIES(BIND)
#undef BIND
	return true;
}

static bool driver_start(Ctx *ctx, int needs, Cuda *c)
{
	if (!succeeded(ctx, c, c->cuDriverGetVersion(&c->version),
		       "cuDriverGetVersion", ""))
		return false;
	if (c->version < needs)
		return diag_fail(ctx, ERR_ENV,
				 "update the driver, or compile with an older "
				 "NVRTC",
				 "the CUDA driver is too old: it serves CUDA "
				 "%d.%d, and %d.%d is needed",
				 c->version / 1000, c->version % 1000 / 10,
				 needs / 1000, needs % 1000 / 10);
	return succeeded(ctx, c, c->cuInit(0), "cuInit", "") &&
	       succeeded(ctx, c, c->cuDeviceGetCount(&c->devices),
			 "cuDeviceGetCount", "");
}

bool cuda_open(Ctx *ctx, const char *library, int needs, Cuda *out)
{
	void *handle;

	memset(out, 0, sizeof(*out));
	library = library ? library : "libcuda.so.1";
	handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return library_missing(ctx, library);
	if (!library_bind(ctx, handle, out) || !driver_start(ctx, needs, out))
		return false;
	if (out->devices > 0)
		return true;
	return diag_fail(ctx, ERR_ENV, hint_of(NO_DEVICE),
			 "the CUDA driver %d.%d is here, but no device",
			 out->version / 1000, out->version % 1000 / 10);
}

/* ---- devices --------------------------------------------------------- */

static bool device_get(Ctx *ctx, const Cuda *c, int n, int *device)
{
	if (n < 0 || n >= c->devices)
		return diag_fail(ctx, ERR_ENV, NULL,
				 "there is no CUDA device %d: devices are "
				 "numbered from 0, and there %s %d",
				 n, c->devices == 1 ? "is" : "are", c->devices);
	return succeeded(ctx, c, c->cuDeviceGet(device, n), "cuDeviceGet", "");
}

bool cuda_info(Ctx *ctx, const Cuda *c, int n, CudaInfo *out)
{
	const struct {
		int attribute, *value;
	} rows[] = {
		{DEVICE_MAJOR, &out->major},
		{DEVICE_MINOR, &out->minor},
		{DEVICE_MULTIPROCESSORS, &out->multiprocessors},
		{DEVICE_SHARED_OPTIN, &out->shared},
	};
	int device;

	memset(out, 0, sizeof(*out));
	if (!device_get(ctx, c, n, &device) ||
	    !succeeded(ctx, c,
		       c->cuDeviceGetName(out->name, (int)sizeof(out->name) - 1,
					  device),
		       "cuDeviceGetName", "") ||
	    !succeeded(ctx, c, c->cuDeviceTotalMem(&out->memory, device),
		       "cuDeviceTotalMem", out->name))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (!succeeded(ctx, c,
			       c->cuDeviceGetAttribute(rows[i].value,
						       rows[i].attribute,
						       device),
			       "cuDeviceGetAttribute", out->name))
			return false;
	}
	return true;
}

bool cuda_device_open(Ctx *ctx, const Cuda *c, int n, CudaDevice *out)
{
	memset(out, 0, sizeof(*out));
	out->cuda = c;
	return device_get(ctx, c, n, &out->device) &&
	       cuda_info(ctx, c, n, &out->info) &&
	       succeeded(
		       ctx, c,
		       c->cuDevicePrimaryCtxRetain(&out->context, out->device),
		       "cuDevicePrimaryCtxRetain", out->info.name);
}

bool cuda_device_close(Ctx *ctx, CudaDevice *d)
{
	if (!d->context)
		return true;
	d->context = NULL;
	return succeeded(ctx, d->cuda,
			 d->cuda->cuDevicePrimaryCtxRelease(d->device),
			 "cuDevicePrimaryCtxRelease", d->info.name);
}

/* ---- calls in the device's context ----------------------------------- */

static bool enter(Ctx *ctx, const CudaDevice *d)
{
	return succeeded(ctx, d->cuda, d->cuda->cuCtxPushCurrent(d->context),
			 "cuCtxPushCurrent", d->info.name);
}

static bool leave(Ctx *ctx, const CudaDevice *d, int result, const char *call,
		  const char *where)
{
	CudaContext popped;
	int pop = d->cuda->cuCtxPopCurrent(&popped);

	return succeeded(ctx, d->cuda, result, call, where) &&
	       succeeded(ctx, d->cuda, pop, "cuCtxPopCurrent", d->info.name);
}

bool cuda_module_load(Ctx *ctx, const CudaDevice *d, const void *cubin,
		      CudaModule *out)
{
	*out = NULL;
	return enter(ctx, d) &&
	       leave(ctx, d, d->cuda->cuModuleLoadData(out, cubin),
		     "cuModuleLoadData", d->info.name);
}

bool cuda_module_unload(Ctx *ctx, const CudaDevice *d, CudaModule m)
{
	return !m || (enter(ctx, d) && leave(ctx, d, d->cuda->cuModuleUnload(m),
					     "cuModuleUnload", d->info.name));
}

bool cuda_function(Ctx *ctx, const CudaDevice *d, CudaModule m,
		   const char *name, unsigned shared, CudaFunction *out)
{
	const char *call = "cuModuleGetFunction";
	int result;

	*out = NULL;
	if (shared > (unsigned)d->info.shared)
		return diag_fail(ctx, ERR_ENV, NULL,
				 "kernel %s wants %u bytes of shared memory; a "
				 "block of %s has %d",
				 name, shared, d->info.name, d->info.shared);
	if (!enter(ctx, d))
		return false;
	result = d->cuda->cuModuleGetFunction(out, m, name);
	if (result == SUCCESS && shared > 0) {
		call = "cuFuncSetAttribute";
		result = d->cuda->cuFuncSetAttribute(
			*out, FUNCTION_DYNAMIC_SHARED, (int)shared);
	}
	return leave(ctx, d, result, call, name);
}

bool cuda_alloc(Ctx *ctx, const CudaDevice *d, size_t size, CudaPtr *out)
{
	int result;

	*out = 0;
	if (size == 0)
		return true;
	if (!enter(ctx, d))
		return false;
	result = d->cuda->cuMemAlloc(out, size);
	if (result != OUT_OF_MEMORY)
		return leave(ctx, d, result, "cuMemAlloc", d->info.name);
	*out = 0;
	if (!leave(ctx, d, SUCCESS, "", ""))
		return false;
	return diag_fail(ctx, ERR_NOMEM,
			 "other processes may hold some: see nvidia-smi",
			 "out of device memory: %zu bytes were refused on %s, "
			 "which has %zu",
			 size, d->info.name, d->info.memory);
}

bool cuda_free(Ctx *ctx, const CudaDevice *d, CudaPtr p)
{
	return p == 0 || (enter(ctx, d) && leave(ctx, d, d->cuda->cuMemFree(p),
						 "cuMemFree", d->info.name));
}

bool cuda_stream_new(Ctx *ctx, const CudaDevice *d, CudaStream *out)
{
	*out = NULL;
	return enter(ctx, d) &&
	       leave(ctx, d, d->cuda->cuStreamCreate(out, STREAM_NON_BLOCKING),
		     "cuStreamCreate", d->info.name);
}

bool cuda_stream_free(Ctx *ctx, const CudaDevice *d, CudaStream s)
{
	return !s ||
	       (enter(ctx, d) && leave(ctx, d, d->cuda->cuStreamDestroy(s),
				       "cuStreamDestroy", d->info.name));
}

bool cuda_synchronize(Ctx *ctx, const CudaDevice *d, CudaStream s)
{
	return enter(ctx, d) && leave(ctx, d, d->cuda->cuStreamSynchronize(s),
				      "cuStreamSynchronize", d->info.name);
}

bool cuda_copy_in(Ctx *ctx, const CudaDevice *d, CudaPtr to, const void *from,
		  size_t size, CudaStream s)
{
	return size == 0 ||
	       (enter(ctx, d) &&
		leave(ctx, d, d->cuda->cuMemcpyHtoDAsync(to, from, size, s),
		      "cuMemcpyHtoDAsync", d->info.name));
}

bool cuda_copy_out(Ctx *ctx, const CudaDevice *d, void *to, CudaPtr from,
		   size_t size, CudaStream s)
{
	return size == 0 ||
	       (enter(ctx, d) &&
		leave(ctx, d, d->cuda->cuMemcpyDtoHAsync(to, from, size, s),
		      "cuMemcpyDtoHAsync", d->info.name));
}

bool cuda_launch(Ctx *ctx, const CudaDevice *d, const CudaLaunch *l,
		 CudaStream s)
{
	/* The driver only reads the block, though it does not say so. */
	union {
		const void *given;
		void *taken;
	} block = {.given = l->parameters};
	size_t size = l->size;
	void *extra[] = {
		(void *)EXTRA_BUFFER, block.taken, (void *)EXTRA_SIZE, &size,
		(void *)EXTRA_END,
	};

	for (int i = 0; i < 3; i++) {
		if (l->grid[i] == 0 || l->block[i] == 0)
			return true;
	}
	return enter(ctx, d) &&
	       leave(ctx, d,
		     d->cuda->cuLaunchKernel(
			     l->function, l->grid[0], l->grid[1], l->grid[2],
			     l->block[0], l->block[1], l->block[2], l->shared,
			     s, NULL, l->size > 0 ? extra : NULL),
		     "cuLaunchKernel", l->name);
}
