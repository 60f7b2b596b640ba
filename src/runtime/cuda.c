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
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* CUresult */
enum {
	SUCCESS = 0,
	OUT_OF_MEMORY = 2,
	NOT_INITIALIZED = 3,
	NO_DEVICE = 100,
	NOT_READY = 600,
};

/* CUdevice_attribute, CUfunction_attribute, CUstream_flags, launch extras,
 * CU_MEMHOSTALLOC_PORTABLE and _DEVICEMAP, CUevent_flags,
 * CUpointer_attribute, CUmemorytype */
enum {
	DEVICE_MULTIPROCESSORS = 16,
	DEVICE_MAJOR = 75,
	DEVICE_MINOR = 76,
	DEVICE_SHARED_OPTIN = 97,
	FUNCTION_DYNAMIC_SHARED = 8,
	STREAM_NON_BLOCKING = 1,
	HOST_PORTABLE = 1,
	HOST_MAPPED = 2,
	EVENT_SLEEPS = 1,
	EVENT_UNTIMED = 2,
	POINTER_MEMORY_TYPE = 2,
	POINTER_ORDINAL = 9,
	MEMORY_OF_DEVICE = 2,
	EXTRA_END = 0,
	EXTRA_BUFFER = 1,
	EXTRA_SIZE = 2,
};

/* ---- the process ----------------------------------------------------- */

/*
 * What a fork leaves of the driver in the child is of no use: its calls fail,
 * or never return. So forks are counted, by a handler that runs in the child.
 */
static volatile int forks;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

static void fork_count(void)
{
	forks++;
}

static void fork_register(void)
{
	pthread_atfork(NULL, NULL, fork_count);
}

bool cuda_unforked(Ctx *ctx, const Cuda *c)
{
	return c->forks == forks ||
	       diag_fail(ctx, ERR_ENV, cuda_hint(NOT_INITIALIZED),
			 "this process was forked after CUDA was started, and "
			 "cannot use the device");
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
	out->cuGraphAddDependencies = __extension__(
		int (*)(CudaGraphForm, const CudaGraphNode *,
			const CudaGraphNode *, const CudaEdge *, size_t))
		dlsym(library, "cuGraphAddDependencies_v2");
	return true;
}

static bool driver_start(Ctx *ctx, int needs, Cuda *c)
{
	if (!cuda_succeeded(ctx, c, c->cuDriverGetVersion(&c->version),
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
	pthread_once(&fork_once, fork_register);
	c->forks = forks;
	return cuda_succeeded(ctx, c, c->cuInit(0), "cuInit", "") &&
	       cuda_succeeded(ctx, c, c->cuDeviceGetCount(&c->devices),
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
	return diag_fail(ctx, ERR_ENV, cuda_hint(NO_DEVICE),
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
	return cuda_succeeded(ctx, c, c->cuDeviceGet(device, n), "cuDeviceGet",
			      "");
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
	    !cuda_succeeded(ctx, c,
			    c->cuDeviceGetName(out->name,
					       (int)sizeof(out->name) - 1,
					       device),
			    "cuDeviceGetName", "") ||
	    !cuda_succeeded(ctx, c, c->cuDeviceTotalMem(&out->memory, device),
			    "cuDeviceTotalMem", out->name))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (!cuda_succeeded(ctx, c,
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
	return cuda_unforked(ctx, c) && device_get(ctx, c, n, &out->device) &&
	       cuda_info(ctx, c, n, &out->info) &&
	       cuda_succeeded(
		       ctx, c,
		       c->cuDevicePrimaryCtxRetain(&out->context, out->device),
		       "cuDevicePrimaryCtxRetain", out->info.name);
}

bool cuda_device_share(Ctx *ctx, const Cuda *c, CudaDevice *out)
{
	CudaContext current = NULL;
	int device = 0, n = 0, other;

	if (!cuda_unforked(ctx, c) ||
	    !cuda_succeeded(ctx, c, c->cuCtxGetCurrent(&current),
			    "cuCtxGetCurrent", ""))
		return false;
	if (!current)
		return cuda_device_open(ctx, c, 0, out);
	memset(out, 0, sizeof(*out));
	out->cuda = c;
	if (!cuda_succeeded(ctx, c, c->cuCtxGetDevice(&device),
			    "cuCtxGetDevice", ""))
		return false;
	for (n = 0; n < c->devices; n++)
		if (c->cuDeviceGet(&other, n) == SUCCESS && other == device)
			break;
	if (!device_get(ctx, c, n, &out->device) ||
	    !cuda_info(ctx, c, n, &out->info))
		return false;
	out->context = current;
	out->borrowed = true;
	return true;
}

bool cuda_device_close(Ctx *ctx, CudaDevice *d)
{
	bool borrowed = d->borrowed;

	if (!d->context)
		return true;
	cuda_closed(d);
	d->context = NULL;
	if (borrowed)
		return true;
	if (!cuda_unforked(ctx, d->cuda))
		return false;
	return cuda_succeeded(ctx, d->cuda,
			      d->cuda->cuDevicePrimaryCtxRelease(d->device),
			      "cuDevicePrimaryCtxRelease", d->info.name);
}

/* ---- modules and memory ---------------------------------------------- */

bool cuda_module_load(Ctx *ctx, const CudaDevice *d, const void *cubin,
		      CudaModule *out)
{
	*out = NULL;
	return cuda_enter(ctx, d) &&
	       cuda_leave(ctx, d, d->cuda->cuModuleLoadData(out, cubin),
			  "cuModuleLoadData", d->info.name);
}

bool cuda_module_unload(Ctx *ctx, const CudaDevice *d, CudaModule m)
{
	return !m || (cuda_enter(ctx, d) &&
		      cuda_leave(ctx, d, d->cuda->cuModuleUnload(m),
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
	if (!cuda_enter(ctx, d))
		return false;
	result = d->cuda->cuModuleGetFunction(out, m, name);
	if (result == SUCCESS && shared > 0) {
		call = "cuFuncSetAttribute";
		result = d->cuda->cuFuncSetAttribute(
			*out, FUNCTION_DYNAMIC_SHARED, (int)shared);
	}
	return cuda_leave(ctx, d, result, call, name);
}

bool cuda_alloc(Ctx *ctx, const CudaDevice *d, size_t size, CudaPtr *out)
{
	int result;

	*out = 0;
	if (size == 0)
		return true;
	if (!cuda_enter(ctx, d))
		return false;
	result = d->cuda->cuMemAlloc(out, size);
	if (result != OUT_OF_MEMORY)
		return cuda_leave(ctx, d, result, "cuMemAlloc", d->info.name);
	*out = 0;
	if (!cuda_leave(ctx, d, SUCCESS, "", ""))
		return false;
	return diag_fail(ctx, ERR_NOMEM,
			 "other processes may hold some: see nvidia-smi",
			 "out of device memory: %zu bytes were refused on %s, "
			 "which has %zu",
			 size, d->info.name, d->info.memory);
}

bool cuda_free(Ctx *ctx, const CudaDevice *d, CudaPtr p)
{
	return p == 0 ||
	       (cuda_enter(ctx, d) && cuda_leave(ctx, d, d->cuda->cuMemFree(p),
						 "cuMemFree", d->info.name));
}

bool cuda_place(Ctx *ctx, const CudaDevice *d, CudaPtr p, CudaPlace *out)
{
	static const int what[] = {POINTER_MEMORY_TYPE, POINTER_ORDINAL};
	unsigned type = 0; /* as it stays where the driver knows nothing */
	int ordinal = 0;
	void *values[] = {&type, &ordinal};

	*out = (CudaPlace){0};
	if (!cuda_enter(ctx, d) ||
	    !cuda_leave(ctx, d,
			d->cuda->cuPointerGetAttributes(2, what, values, p),
			"cuPointerGetAttributes", d->info.name))
		return false;
	out->known = type != 0;
	out->device = type == MEMORY_OF_DEVICE;
	out->ordinal = out->device ? ordinal : 0;
	return true;
}

bool cuda_host_alloc(Ctx *ctx, const CudaDevice *d, size_t size, void **out)
{
	int result;

	*out = NULL;
	if (size == 0)
		return true;
	if (!cuda_enter(ctx, d))
		return false;
	result =
		d->cuda->cuMemHostAlloc(out, size, HOST_PORTABLE | HOST_MAPPED);
	if (result != OUT_OF_MEMORY)
		return cuda_leave(ctx, d, result, "cuMemHostAlloc",
				  d->info.name);
	*out = NULL;
	if (!cuda_leave(ctx, d, SUCCESS, "", ""))
		return false;
	return diag_fail(ctx, ERR_NOMEM, NULL,
			 "out of memory of the host that stays where it is: "
			 "%zu bytes were refused",
			 size);
}

bool cuda_host_free(Ctx *ctx, const CudaDevice *d, void *p)
{
	return !p || (cuda_enter(ctx, d) &&
		      cuda_leave(ctx, d, d->cuda->cuMemFreeHost(p),
				 "cuMemFreeHost", d->info.name));
}

/* ---- streams and events ---------------------------------------------- */

bool cuda_stream_new(Ctx *ctx, const CudaDevice *d, CudaStream *out)
{
	*out = NULL;
	return cuda_enter(ctx, d) &&
	       cuda_leave(ctx, d,
			  d->cuda->cuStreamCreate(out, STREAM_NON_BLOCKING),
			  "cuStreamCreate", d->info.name);
}

bool cuda_stream_free(Ctx *ctx, const CudaDevice *d, CudaStream s)
{
	return !s || (cuda_enter(ctx, d) &&
		      cuda_leave(ctx, d, d->cuda->cuStreamDestroy(s),
				 "cuStreamDestroy", d->info.name));
}

bool cuda_stream_check(Ctx *ctx, const CudaDevice *d, CudaStream s)
{
	CudaContext of = NULL;

	if (!cuda_enter(ctx, d) ||
	    !cuda_leave(ctx, d, d->cuda->cuStreamGetCtx(s, &of),
			"cuStreamGetCtx", d->info.name))
		return false;
	return of == d->context ||
	       diag_fail(ctx, ERR_USAGE,
			 "give a stream of the context that was current when "
			 "the first plan for the device was compiled",
			 "the stream is of another CUDA context than the "
			 "plan's on %s",
			 d->info.name);
}

bool cuda_synchronize(Ctx *ctx, const CudaDevice *d, CudaStream s)
{
	if (!cuda_enter(ctx, d) ||
	    !cuda_leave(ctx, d, d->cuda->cuStreamSynchronize(s),
			"cuStreamSynchronize", d->info.name))
		return false;
	cuda_ended(d, s);
	return true;
}

bool cuda_stream_done(Ctx *ctx, const CudaDevice *d, CudaStream s, bool *done)
{
	int result;

	*done = false;
	if (!cuda_enter(ctx, d))
		return false;
	result = d->cuda->cuStreamQuery(s);
	*done = result == SUCCESS;
	if (*done)
		cuda_ended(d, s);
	return cuda_leave(ctx, d, result == NOT_READY ? SUCCESS : result,
			  "cuStreamQuery", d->info.name);
}

bool cuda_event_new(Ctx *ctx, const CudaDevice *d, bool sleeps, CudaEvent *out)
{
	unsigned flags = EVENT_UNTIMED | (sleeps ? EVENT_SLEEPS : 0u);

	*out = NULL;
	return cuda_enter(ctx, d) &&
	       cuda_leave(ctx, d, d->cuda->cuEventCreate(out, flags),
			  "cuEventCreate", d->info.name);
}

bool cuda_event_timed(Ctx *ctx, const CudaDevice *d, CudaEvent *out)
{
	*out = NULL;
	return cuda_enter(ctx, d) &&
	       cuda_leave(ctx, d, d->cuda->cuEventCreate(out, 0),
			  "cuEventCreate", d->info.name);
}

bool cuda_event_us(Ctx *ctx, const CudaDevice *d, CudaEvent from, CudaEvent to,
		   double *us)
{
	float ms = 0;

	if (!cuda_enter(ctx, d) ||
	    !cuda_leave(ctx, d, d->cuda->cuEventElapsedTime(&ms, from, to),
			"cuEventElapsedTime", d->info.name))
		return false;
	*us = (double)ms * 1e3;
	return true;
}

bool cuda_event_free(Ctx *ctx, const CudaDevice *d, CudaEvent e)
{
	return !e || (cuda_enter(ctx, d) &&
		      cuda_leave(ctx, d, d->cuda->cuEventDestroy(e),
				 "cuEventDestroy", d->info.name));
}

bool cuda_event_record(Ctx *ctx, const CudaDevice *d, CudaEvent e, CudaStream s)
{
	return cuda_enter(ctx, d) &&
	       cuda_leave(ctx, d, d->cuda->cuEventRecord(e, s), "cuEventRecord",
			  d->info.name);
}

bool cuda_event_done(Ctx *ctx, const CudaDevice *d, CudaEvent e, bool *done)
{
	int result;

	*done = false;
	if (!cuda_enter(ctx, d))
		return false;
	result = d->cuda->cuEventQuery(e);
	*done = result == SUCCESS;
	return cuda_leave(ctx, d, result == NOT_READY ? SUCCESS : result,
			  "cuEventQuery", d->info.name);
}

bool cuda_event_wait(Ctx *ctx, const CudaDevice *d, CudaEvent e)
{
	return cuda_enter(ctx, d) &&
	       cuda_leave(ctx, d, d->cuda->cuEventSynchronize(e),
			  "cuEventSynchronize", d->info.name);
}

/* ---- copies and launches --------------------------------------------- */

bool cuda_copy_in(Ctx *ctx, const CudaDevice *d, CudaPtr to, const void *from,
		  size_t size, CudaStream s)
{
	return size == 0 ||
	       (cuda_enter(ctx, d) &&
		cuda_leave(ctx, d,
			   d->cuda->cuMemcpyHtoDAsync(to, from, size, s),
			   "cuMemcpyHtoDAsync", d->info.name));
}

bool cuda_copy_out(Ctx *ctx, const CudaDevice *d, void *to, CudaPtr from,
		   size_t size, CudaStream s)
{
	return size == 0 ||
	       (cuda_enter(ctx, d) &&
		cuda_leave(ctx, d,
			   d->cuda->cuMemcpyDtoHAsync(to, from, size, s),
			   "cuMemcpyDtoHAsync", d->info.name));
}

bool cuda_copy_over(Ctx *ctx, const CudaDevice *d, CudaPtr to, CudaPtr from,
		    size_t size, CudaStream s)
{
	return size == 0 ||
	       (cuda_enter(ctx, d) &&
		cuda_leave(ctx, d,
			   d->cuda->cuMemcpyDtoDAsync(to, from, size, s),
			   "cuMemcpyDtoDAsync", d->info.name));
}

bool cuda_zero(Ctx *ctx, const CudaDevice *d, CudaPtr p, size_t size,
	       CudaStream s)
{
	return size == 0 ||
	       (cuda_enter(ctx, d) &&
		cuda_leave(ctx, d, d->cuda->cuMemsetD8Async(p, 0, size, s),
			   "cuMemsetD8Async", d->info.name));
}

bool cuda_fill(Ctx *ctx, const CudaDevice *d, CudaPtr p, uint32_t value,
	       size_t n, CudaStream s)
{
	return n == 0 ||
	       (cuda_enter(ctx, d) &&
		cuda_leave(ctx, d, d->cuda->cuMemsetD32Async(p, value, n, s),
			   "cuMemsetD32Async", d->info.name));
}

/* CU_TENSOR_MAP_...: DATA_TYPE_UINT8, UINT16, UINT32, UINT64; SWIZZLE_128B;
 * L2_PROMOTION_L2_256B */
#define SWIZZLE_128B   3
#define PROMOTION_256B 3

bool cuda_map(Ctx *ctx, const CudaDevice *d, const char *name, const CudaMap *m,
	      void *out)
{
	static const int types[] = {[1] = 0, [2] = 1, [4] = 2, [8] = 4};
	const uint32_t step[CUDA_MAP_RANK] = {1, 1, 1, 1, 1};

	return cuda_enter(ctx, d) &&
	       cuda_leave(ctx, d,
			  d->cuda->cuTensorMapEncodeTiled(
				  out, types[m->bytes], (unsigned)m->rank,
				  m->from, m->extent, m->stride, m->box, step,
				  0, m->swizzled ? SWIZZLE_128B : 0,
				  PROMOTION_256B, 0),
			  "cuTensorMapEncodeTiled", name);
}

bool cuda_launch_is_empty(const CudaLaunch *l)
{
	for (int i = 0; i < 3; i++) {
		if (l->grid[i] == 0 || l->block[i] == 0)
			return true;
	}
	return false;
}

void cuda_extra(CudaExtra *e, const CudaLaunch *l)
{
	/* The driver only reads the parameters, though it does not say so. */
	union {
		const void *given;
		char *taken;
	} all = {.given = l->parameters};
	size_t words = (l->size - l->maps * CUDA_MAP_BYTES) / 8;

	e->parameters = e->extra = NULL;
	if (l->maps > 0) {
		bug_if(words + l->maps > ARRAY_LEN(e->each));
		for (size_t i = 0; i < words; i++)
			e->each[i] = all.taken + 8 * i;
		for (size_t i = 0; i < l->maps; i++)
			e->each[words + i] =
				all.taken + 8 * words + CUDA_MAP_BYTES * i;
		e->parameters = e->each;
		return;
	}
	e->size = l->size;
	e->block[0] = (void *)EXTRA_BUFFER;
	e->block[1] = all.taken;
	e->block[2] = (void *)EXTRA_SIZE;
	e->block[3] = &e->size;
	e->block[4] = (void *)EXTRA_END;
	if (l->size > 0)
		e->extra = e->block;
}

bool cuda_launch(Ctx *ctx, const CudaDevice *d, const CudaLaunch *l,
		 CudaStream s)
{
	CudaExtra extra;

	if (cuda_launch_is_empty(l))
		return true;
	cuda_extra(&extra, l);
	if (!cuda_enter(ctx, d) ||
	    !cuda_leave(ctx, d,
			d->cuda->cuLaunchKernel(
				l->function, l->grid[0], l->grid[1], l->grid[2],
				l->block[0], l->block[1], l->block[2],
				l->shared, s, extra.parameters, extra.extra),
			"cuLaunchKernel", l->name))
		return false;
	cuda_queued(d, s, l->name, 1);
	return true;
}
