/*
 * device: CUDA's driver and OpenCL's loader behind one interface. What each
 * can do beyond it (graphs, streams of a caller) is in their own headers.
 */
#include "runtime/device.h"

#include "runtime/cuda.h"
#include "runtime/gpucode.h"
#include "runtime/nvrtc.h"
#include "runtime/opencl.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARGS_MAX 500

struct Device {
	DeviceKind kind;
	char name[300], arch[16];
	pthread_mutex_t lock;
	/* CUDA */
	Cuda cuda;
	CudaDevice gpu;
	CudaStream stream;
	/* OpenCL */
	Opencl opencl;
	OpenclDevice cl;
};

/* ---- life ------------------------------------------------------------ */

static bool open_cuda(Ctx *ctx, Device *d)
{
	Nvrtc nvrtc;

	if (!nvrtc_open(ctx, NULL, &nvrtc) ||
	    !cuda_open(ctx, NULL, 1000 * nvrtc.major, &d->cuda) ||
	    !cuda_device_open(ctx, &d->cuda, 0, &d->gpu))
		return false;
	if (!cuda_stream_new(ctx, &d->gpu, &d->stream)) {
		cuda_device_close(ctx, &d->gpu);
		return false;
	}
	snprintf(d->name, sizeof(d->name), "%s", d->gpu.info.name);
	snprintf(d->arch, sizeof(d->arch), "sm_%d%d%s", d->gpu.info.major,
		 d->gpu.info.minor, d->gpu.info.major >= 9 ? "a" : "");
	return true;
}

static bool open_opencl(Ctx *ctx, Device *d)
{
	int n;

	if (!opencl_open(ctx, NULL, &d->opencl) ||
	    !opencl_find(ctx, &d->opencl, &n) ||
	    !opencl_device_open(ctx, &d->opencl, n, &d->cl))
		return false;
	snprintf(d->name, sizeof(d->name), "%s", d->cl.info.name);
	return true;
}

bool device_open(Ctx *ctx, DeviceKind kind, Device **out)
{
	Device *d = calloc(1, sizeof(*d));

	if (!d)
		oom_raise();
	d->kind = kind;
	pthread_mutex_init(&d->lock, NULL);
	if (kind == DEVICE_CUDA ? open_cuda(ctx, d) : open_opencl(ctx, d)) {
		*out = d;
		return true;
	}
	pthread_mutex_destroy(&d->lock);
	free(d);
	return false;
}

void device_close(Device *d)
{
	Ctx ctx;

	if (!d)
		return;
	ctx_init(&ctx);
	if (d->kind == DEVICE_CUDA) {
		cuda_stream_free(&ctx, &d->gpu, d->stream);
		cuda_device_close(&ctx, &d->gpu);
	} else {
		opencl_device_close(&ctx, &d->cl);
	}
	ctx_release(&ctx); /* its messages interest nobody */
	pthread_mutex_destroy(&d->lock);
	free(d);
}

const char *device_name(const Device *d)
{
	return d->name;
}

const char *device_arch(const Device *d)
{
	return d->arch;
}

/* A letter says: this one alone; else later ones of its generation too. */
bool device_runs(const Device *d, const char *arch)
{
	int n = atoi(arch + strlen("sm_"));
	int here = d->gpu.info.major * 10 + d->gpu.info.minor;
	char last = arch[strlen(arch) - 1];

	if (last == 'a')
		return n == here;
	return n / 10 == here / 10 && n <= here;
}

/* ---- code ------------------------------------------------------------ */

bool device_compiler(Ctx *ctx, Arena *a, DeviceKind kind, const Device *d,
		     const char *arch, const char **compiler,
		     const char **flags)
{
	Nvrtc nvrtc;
	NvrtcSource s = {.name = "", .text = "", .arch = arch};

	if (kind == DEVICE_OPENCL) {
		*compiler = arena_printf(a, "%s, %s, driver %s",
					 d->cl.info.platform->version,
					 d->cl.info.name, d->cl.info.driver);
		*flags = opencl_options(a, NULL);
		return true;
	}
	if (!nvrtc_open(ctx, NULL, &nvrtc))
		return false;
	*compiler = arena_printf(a, "NVRTC %d.%d", nvrtc.major, nvrtc.minor);
	*flags = nvrtc_options(a, &nvrtc, &s);
	return true;
}

static bool load_cuda(Ctx *ctx, Arena *a, Device *d, const char *arch,
		      const char *cache, DeviceCode *code, size_t n)
{
	GpuSource *src = arena_array(a, GpuSource, n + 1);
	Nvrtc nvrtc;
	CudaModule m;

	for (size_t i = 0; i < n; i++)
		src[i] = (GpuSource){.name = code[i].name,
				     .text = code[i].text,
				     .arch = arch};
	if (!nvrtc_open(ctx, NULL, &nvrtc) ||
	    !gpucode_load(ctx, a, &nvrtc, cache, src, n))
		return false;
	for (size_t i = 0; i < n; i++) {
		code[i].cached = src[i].cached;
		if (!cuda_module_load(ctx, &d->gpu, src[i].cubin, &m))
			return false;
		code[i].module = m;
	}
	return true;
}

static bool load_opencl(Ctx *ctx, Device *d, DeviceCode *code, size_t n)
{
	OpenclProgram p;

	for (size_t i = 0; i < n; i++) {
		if (!opencl_build(ctx, &d->cl, code[i].name, code[i].text, NULL,
				  &p))
			return false;
		code[i].module = p;
	}
	return true;
}

bool device_load(Ctx *ctx, Arena *a, Device *d, const char *arch,
		 const char *cache, DeviceCode *code, size_t n)
{
	bool ok = d->kind == DEVICE_CUDA
			  ? load_cuda(ctx, a, d, arch, cache, code, n)
			  : load_opencl(ctx, d, code, n);

	if (!ok)
		device_unload(d, code, n);
	return ok;
}

void device_unload(Device *d, DeviceCode *code, size_t n)
{
	Ctx ctx;

	ctx_init(&ctx);
	for (size_t i = 0; i < n; i++) {
		if (!code[i].module)
			continue;
		if (d->kind == DEVICE_CUDA)
			cuda_module_unload(&ctx, &d->gpu, code[i].module);
		else
			opencl_program_free(&ctx, &d->cl, code[i].module);
		code[i].module = NULL;
	}
	ctx_release(&ctx);
}

bool device_kernel(Ctx *ctx, Arena *a, Device *d, const DeviceCode *code,
		   const char *name, size_t shared, DeviceKernel *out)
{
	CudaFunction f;

	*out = (DeviceKernel){.name = name};
	if (d->kind == DEVICE_CUDA) {
		if (!cuda_function(ctx, &d->gpu, code->module, name,
				   (unsigned)shared, &f))
			return false;
		out->function = f;
		return true;
	}
	OpenclKernel *k = arena_new(a, OpenclKernel);
	if (!opencl_kernel(ctx, &d->cl, code->module, name, k))
		return false;
	out->function = k;
	return true;
}

void device_kernel_free(Device *d, DeviceKernel *k)
{
	Ctx ctx;

	if (!k->function || d->kind == DEVICE_CUDA)
		return;
	ctx_init(&ctx);
	opencl_kernel_free(&ctx, &d->cl, k->function);
	k->function = NULL;
	ctx_release(&ctx);
}

/* ---- memory ---------------------------------------------------------- */

static OpenclMem cl_mem(DeviceMem m)
{
	return (OpenclMem)(uintptr_t)m;
}

bool device_alloc(Ctx *ctx, Device *d, size_t size, DeviceMem *out)
{
	OpenclMem m = NULL;
	CudaPtr p = 0;

	*out = 0;
	if (size == 0)
		return true;
	if (d->kind == DEVICE_CUDA) {
		if (!cuda_alloc(ctx, &d->gpu, size, &p))
			return false;
		*out = p;
		return true;
	}
	if (!opencl_alloc(ctx, &d->cl, size, &m))
		return false;
	*out = (uintptr_t)m;
	return true;
}

void device_free(Device *d, DeviceMem m)
{
	Ctx ctx;

	if (!m)
		return;
	ctx_init(&ctx);
	if (d->kind == DEVICE_CUDA)
		cuda_free(&ctx, &d->gpu, m);
	else
		opencl_free(&ctx, &d->cl, cl_mem(m));
	ctx_release(&ctx);
}

bool device_copy_in(Ctx *ctx, Device *d, DeviceMem to, const void *from,
		    size_t size)
{
	if (size == 0)
		return true;
	return d->kind == DEVICE_CUDA
		       ? cuda_copy_in(ctx, &d->gpu, to, from, size, d->stream)
		       : opencl_copy_in(ctx, &d->cl, cl_mem(to), 0, from, size);
}

bool device_copy_out(Ctx *ctx, Device *d, void *to, DeviceMem from, size_t size)
{
	if (size == 0)
		return true;
	return d->kind == DEVICE_CUDA
		       ? cuda_copy_out(ctx, &d->gpu, to, from, size, d->stream)
		       : opencl_copy_out(ctx, &d->cl, to, cl_mem(from), 0,
					 size);
}

/* ---- launches -------------------------------------------------------- */

/* Blocks along x; those along y are as many as it takes. */
#define GRID_X (INT64_C(1) << 30)

bool device_launch(Ctx *ctx, Device *d, const DeviceLaunch *l)
{
	int64_t x = l->tasks < GRID_X ? l->tasks : GRID_X;
	int64_t y = x ? (l->tasks + x - 1) / x : 0;
	size_t threads = (size_t)l->threads;

	if (l->tasks <= 0)
		return true;
	if (y > 65535 || l->nargs > ARGS_MAX)
		return diag_fail(ctx, ERR_ENV, NULL,
				 "kernel %s: %s than a device takes",
				 l->kernel->name,
				 y > 65535 ? "more tasks" : "more parameters");
	if (d->kind == DEVICE_CUDA) {
		CudaLaunch c = {
			.name = l->kernel->name,
			.function = l->kernel->function,
			.grid = {(unsigned)x, (unsigned)y, 1},
			.block = {(unsigned)threads, 1, 1},
			.shared = (unsigned)l->shared,
			.parameters = l->args,
			.size = l->nargs * sizeof(*l->args),
		};
		return cuda_launch(ctx, &d->gpu, &c, d->stream);
	}
	OpenclArg args[ARGS_MAX + 1];
	for (size_t i = 0; i < l->nargs; i++)
		args[i] = (OpenclArg){&l->args[i], sizeof(*l->args)};
	args[l->nargs] = (OpenclArg){NULL, l->shared};
	return opencl_launch(
		ctx, &d->cl,
		&(OpenclLaunch){
			.kernel = l->kernel->function,
			.global = {(size_t)l->tasks * threads, 1, 1},
			.local = {threads, 1, 1},
			.args = args,
			.count = (unsigned)l->nargs + 1,
		});
}

void device_lock(Device *d)
{
	pthread_mutex_lock(&d->lock);
}

void device_unlock(Device *d)
{
	pthread_mutex_unlock(&d->lock);
}

bool device_wait(Ctx *ctx, Device *d)
{
	return d->kind == DEVICE_CUDA
		       ? cuda_synchronize(ctx, &d->gpu, d->stream)
		       : opencl_finish(ctx, &d->cl);
}
