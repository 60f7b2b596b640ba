/*
 * device: CUDA's driver and OpenCL's loader behind one interface. What each
 * can do beyond it (graphs, streams of a caller) is in their own headers.
 */
#include "runtime/device_own.h"

#include "runtime/clcode.h"
#include "runtime/gpucode.h"
#include "runtime/nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARGS_MAX 500

/* ---- life ------------------------------------------------------------ */

static bool open_cuda(Ctx *ctx, Device *d)
{
	Nvrtc nvrtc;

	if (!nvrtc_find(ctx, &nvrtc) ||
	    !cuda_open(ctx, NULL, 1000 * nvrtc.major, &d->cuda) ||
	    !cuda_device_share(ctx, &d->cuda, &d->gpu))
		return false;
	if (!cuda_stream_new(ctx, &d->gpu, &d->stream) ||
	    !cuda_waiter_new(ctx, &d->gpu, &d->waiter)) {
		cuda_stream_free(NULL, &d->gpu, d->stream);
		cuda_device_close(NULL, &d->gpu);
		return false;
	}
	snprintf(d->name, sizeof(d->name), "%s", d->gpu.info.name);
	snprintf(d->arch, sizeof(d->arch), "sm_%d%d%s", d->gpu.info.major,
		 d->gpu.info.minor, d->gpu.info.major >= 9 ? "a" : "");
	return true;
}

static bool open_opencl(Ctx *ctx, Device *d, int n)
{
	if (!opencl_open(ctx, NULL, &d->opencl) ||
	    (n < 0 && !opencl_find(ctx, &d->opencl, &n)) ||
	    !opencl_device_open(ctx, &d->opencl, n, &d->cl))
		return false;
	d->number = n;
	snprintf(d->name, sizeof(d->name), "%s", d->cl.info.name);
	return true;
}

bool device_open(Ctx *ctx, DeviceKind kind, int number, Device **out)
{
	Device *d = calloc(1, sizeof(*d));

	if (!d)
		oom_raise();
	d->kind = kind;
	pthread_mutex_init(&d->lock, NULL);
	if (kind == DEVICE_CUDA ? open_cuda(ctx, d)
				: open_opencl(ctx, d, number)) {
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
	if (d->kind == DEVICE_OPENCL) {
		opencl_device_close(&ctx, &d->cl);
	} else if (!d->hangs) {
		cublaslt_end(&d->lt, &d->gpu, d->lt_handle);
		cuda_waiter_free(&ctx, &d->gpu, &d->waiter);
		cuda_stream_free(&ctx, &d->gpu, d->stream);
		cuda_device_close(&ctx, &d->gpu);
	}
	ctx_release(&ctx); /* its messages interest nobody */
	while (d->given) {
		DeviceBlock *b = d->given;
		d->given = b->next;
		free(b);
	}
	pthread_mutex_destroy(&d->lock);
	free(d);
}

void device_set_limit(Device *d, double seconds)
{
	d->limit = seconds;
}

int device_number(const Device *d)
{
	return d->number;
}

DeviceKind device_kind(const Device *d)
{
	return d->kind;
}

void device_tell_wait(const Device *d, Buf *out)
{
	const CudaWaits *w = &d->waiter.waits;

	if (d->kind == DEVICE_OPENCL) {
		buf_puts(out, "clFinish");
		return;
	}
	buf_puts(out, cuda_wait_name[w->best]);
	if (w->us[w->best] <= 0) {
		buf_puts(out, ", not measured: the driver has no JIT compiler");
		return;
	}
	buf_printf(out,
		   ", measured in %.0f ms, us for an empty kernel:", w->ms);
	for (int i = 0; i < CUDA_WAITS; i++)
		if (w->us[i] > 0)
			buf_printf(out, " %s %.1f", cuda_wait_name[i],
				   w->us[i]);
}

/* ---- waits ----------------------------------------------------------- */

/* What hangs may end after all. */
bool device_usable(Ctx *ctx, Device *d)
{
	bool done = false;

	if (!d->hangs)
		return true;
	if (!cuda_stream_done(ctx, &d->gpu, d->hung, &done))
		return false;
	d->hangs = !done;
	return done ||
	       diag_fail(ctx, ERR_ENV, "what hangs ends with this process",
			 "%s still runs a kernel that did not end in time",
			 d->name);
}

bool device_cuda_wait(Ctx *ctx, Device *d, const CudaPending *p)
{
	bool late;

	if (cuda_wait(ctx, &d->gpu, p, d->limit, &late))
		return true;
	if (late) {
		d->hung = p->stream;
		d->hangs = true;
	}
	return false;
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
	if (!nvrtc_find(ctx, &nvrtc))
		return false;
	*compiler = arena_printf(a, "NVRTC %d.%d", nvrtc.major, nvrtc.minor);
	*flags = nvrtc_options(a, &nvrtc, &s);
	return true;
}

bool device_build(Ctx *ctx, Arena *a, const char *arch, const char *cache,
		  DeviceCode *code, size_t n)
{
	GpuSource *src = arena_array(a, GpuSource, n + 1);
	Nvrtc nvrtc;

	for (size_t i = 0; i < n; i++)
		src[i] = (GpuSource){.name = code[i].name,
				     .text = code[i].text,
				     .arch = arch};
	if (!nvrtc_find(ctx, &nvrtc) ||
	    !gpucode_load(ctx, a, &nvrtc, cache, src, n))
		return false;
	for (size_t i = 0; i < n; i++) {
		code[i].cached = src[i].cached;
		code[i].cubin = src[i].cubin;
		code[i].size = src[i].size;
		code[i].facts = &src[i].facts;
	}
	return true;
}

static bool load_cuda(Ctx *ctx, Arena *a, Device *d, const char *arch,
		      const char *cache, DeviceCode *code, size_t n)
{
	CudaModule m;

	if (!device_build(ctx, a, arch, cache, code, n))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!cuda_module_load(ctx, &d->gpu, code[i].cubin, &m))
			return false;
		code[i].module = m;
	}
	return true;
}

static bool load_opencl(Ctx *ctx, Arena *a, Device *d, const char *cache,
			DeviceCode *code, size_t n)
{
	ClSource *src = arena_array(a, ClSource, n + 1);

	for (size_t i = 0; i < n; i++) {
		src[i].name = code[i].name;
		src[i].text = code[i].text;
	}
	if (!clcode_load(ctx, &d->cl, cache, src, n))
		return false;
	for (size_t i = 0; i < n; i++) {
		code[i].cached = src[i].cached;
		code[i].module = src[i].program;
	}
	return true;
}

bool device_load(Ctx *ctx, Arena *a, Device *d, const char *arch,
		 const char *cache, DeviceCode *code, size_t n)
{
	bool ok = d->kind == DEVICE_CUDA
			  ? load_cuda(ctx, a, d, arch, cache, code, n)
			  : load_opencl(ctx, a, d, cache, code, n);

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

/* ---- products -------------------------------------------------------- */

bool device_library(Ctx *ctx, Arena *a, const char **version)
{
	CublasLt *lt = arena_new(a, CublasLt);

	if (!cublaslt_open(ctx, NULL, lt))
		return false;
	*version = arena_printf(a, "cuBLASLt %d.%d.%d", lt->major, lt->minor,
				lt->patch);
	return true;
}

bool device_product(Ctx *ctx, Arena *a, Device *d, const LtProduct *p,
		    LtPlan **out)
{
	LtPlan *plan = arena_new(a, LtPlan);

	*out = NULL;
	if (!device_usable(ctx, d))
		return false;
	if (!d->lt_handle &&
	    (!cublaslt_open(ctx, NULL, &d->lt) ||
	     !cublaslt_start(ctx, &d->lt, &d->gpu, &d->lt_handle)))
		return false;
	if (!cublaslt_plan(ctx, &d->lt, &d->gpu, d->lt_handle, p, plan)) {
		cublaslt_plan_free(&d->gpu, plan);
		return false;
	}
	*out = plan;
	return true;
}

void device_product_free(Device *d, LtPlan *p)
{
	if (p && !d->hangs)
		cublaslt_plan_free(&d->gpu, p);
}

/* ---- memory ---------------------------------------------------------- */

bool device_alloc(Ctx *ctx, Device *d, size_t size, DeviceMem *out)
{
	OpenclMem m = NULL;
	CudaPtr p = 0;

	*out = 0;
	if (size == 0)
		return true;
	if (d->kind == DEVICE_CUDA) {
		if (!device_usable(ctx, d) ||
		    !cuda_alloc(ctx, &d->gpu, size, &p))
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

	/* freeing waits for all that runs */
	if (!m || d->hangs)
		return;
	ctx_init(&ctx);
	if (d->kind == DEVICE_CUDA)
		cuda_free(&ctx, &d->gpu, m);
	else
		opencl_free(&ctx, &d->cl, cl_mem(m));
	ctx_release(&ctx);
}

bool device_shared_alloc(Ctx *ctx, Device *d, size_t size, void **host,
			 DeviceMem *mem)
{
	*mem = 0;
	*host = NULL;
	if (!device_usable(ctx, d) ||
	    !cuda_host_alloc(ctx, &d->gpu, size, host))
		return false;
	*mem = (uintptr_t)*host;
	return true;
}

void device_shared_free(Device *d, void *host)
{
	if (!d->hangs)
		cuda_host_free(NULL, &d->gpu, host);
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

bool device_copy_over(Ctx *ctx, Device *d, DeviceMem to, DeviceMem from,
		      size_t size)
{
	if (size == 0)
		return true;
	return d->kind == DEVICE_CUDA
		       ? cuda_copy_over(ctx, &d->gpu, to, from, size, d->stream)
		       : opencl_copy_over(ctx, &d->cl, cl_mem(to), cl_mem(from),
					  size);
}

/* ---- memory of callers ------------------------------------------------ */

bool device_give(Ctx *ctx, Device *d, size_t size, void **out)
{
	DeviceMem m;
	DeviceBlock *b;

	*out = NULL;
	if (!device_alloc(ctx, d, size ? size : 1, &m))
		return false;
	*out = (void *)(uintptr_t)m;
	if (d->kind == DEVICE_CUDA)
		return true;
	b = malloc(sizeof(*b));
	if (!b) {
		device_free(d, m);
		*out = NULL;
		return diag_fail(ctx, ERR_NOMEM, NULL, "out of memory");
	}
	device_lock(d);
	*b = (DeviceBlock){d->given, m, size};
	d->given = b;
	device_unlock(d);
	return true;
}

void device_take_back(Device *d, void *p)
{
	DeviceMem m = (uintptr_t)p;

	device_lock(d);
	for (DeviceBlock **at = &d->given; *at; at = &(*at)->next)
		if ((*at)->mem == m) {
			DeviceBlock *b = *at;
			*at = b->next;
			free(b);
			break;
		}
	device_unlock(d);
	device_free(d, m);
}

/* Of OpenCL only what was given: its handles tell nothing. */
static bool check_given(Ctx *ctx, Device *d, const char *what, const void *p,
			size_t size)
{
	const DeviceBlock *b;

	device_lock(d);
	b = d->given;
	while (b && b->mem != (uintptr_t)p)
		b = b->next;
	size_t bytes = b ? b->bytes : 0;
	device_unlock(d);
	if (!b)
		return diag_fail(ctx, ERR_USAGE,
				 "memory of an OpenCL device is what "
				 "tenon_device_alloc() gave, from its start",
				 "%s: %p is no memory of %s", what, p, d->name);
	return size <= bytes ||
	       diag_fail(ctx, ERR_USAGE, NULL,
			 "%s: %zu bytes are needed, and its memory has %zu",
			 what, size, bytes);
}

static bool check_address(Ctx *ctx, Device *d, const char *what, CudaPtr p)
{
	CudaPlace at;

	if (!cuda_place(ctx, &d->gpu, p, &at))
		return false;
	if (at.device && at.ordinal == d->gpu.device)
		return true;
	if (at.device)
		return diag_fail(
			ctx, ERR_USAGE, "copy it to the plan's device first",
			"%s: 0x%llx is memory of CUDA device %d, and "
			"the plan is for device %d",
			what, (unsigned long long)p, at.ordinal, d->gpu.device);
	return diag_fail(ctx, ERR_USAGE,
			 "place is TENON_HOST for memory of the host",
			 "%s: 0x%llx is no memory of a device: it is %s", what,
			 (unsigned long long)p,
			 at.known ? "the host's, known to CUDA"
				  : "the host's, or freed");
}

bool device_check(Ctx *ctx, Device *d, const char *what, const void *p,
		  size_t size)
{
	CudaPtr at = (uintptr_t)p;

	if (d->kind == DEVICE_OPENCL)
		return check_given(ctx, d, what, p, size);
	if (at % DEVICE_ALIGN)
		return diag_fail(ctx, ERR_USAGE,
				 "kernels read 16 bytes at once: move the "
				 "tensor, or copy it",
				 "%s: 0x%llx is not a multiple of %d", what,
				 (unsigned long long)at, DEVICE_ALIGN);
	return size == 0 || (check_address(ctx, d, what, at) &&
			     check_address(ctx, d, what, at + size - 1));
}

bool device_check_host(Ctx *ctx, Device *d, const char *what, const void *p)
{
	CudaPlace at;

	if (d->kind == DEVICE_OPENCL || !p)
		return true;
	if (!cuda_place(ctx, &d->gpu, (uintptr_t)p, &at))
		return false;
	return !at.device ||
	       diag_fail(ctx, ERR_USAGE,
			 "place is TENON_DEVICE for memory of a device",
			 "%s: %p is memory of CUDA device %d, said to be the "
			 "host's",
			 what, p, at.ordinal);
}

/* ---- launches -------------------------------------------------------- */

/* Blocks along x; those along y are as many as it takes. */
#define GRID_X (INT64_C(1) << 30)

static bool launch_fits(Ctx *ctx, const DeviceLaunch *l)
{
	bool many = l->tasks / GRID_X >= 65535;

	if (!many && l->nargs <= ARGS_MAX)
		return true;
	return diag_fail(ctx, ERR_ENV, NULL,
			 "kernel %s: %s than a device takes", l->kernel->name,
			 many ? "more tasks" : "more parameters");
}

bool device_map(Ctx *ctx, Device *d, const DeviceMap *m,
		uint64_t out[DEVICE_MAP_WORDS])
{
	_Alignas(64) uint64_t words[DEVICE_MAP_WORDS] = {0};
	CudaMap c = {.from = m->from,
		     .bytes = m->bytes,
		     .rank = m->rank,
		     .swizzled = m->swizzled};
	bool used = m->from % 16 == 0;

	for (int i = 0; i < m->rank; i++)
		if (m->extent[i] > INT32_MAX)
			return diag_fail(ctx, ERR_PROGRAM,
					 "--pin contract.unit=mma has no such "
					 "limit",
					 "%s: the copy engine takes extents "
					 "below 2^31, not %lld",
					 m->name, (long long)m->extent[i]);

	for (int i = 0; i < m->rank; i++) {
		int from = m->rank - 1 - i; /* the fastest axis comes first */
		int64_t stride = m->stride[from] * m->bytes;
		c.extent[i] = (uint64_t)m->extent[from];
		c.box[i] = (uint32_t)m->box[from];
		used = used && m->extent[from] > 0;
		if (i == 0)
			continue;
		c.stride[i - 1] = (uint64_t)stride;
		used = used && stride > 0 && stride % 16 == 0;
	}
	bool ok = !used || cuda_map(ctx, &d->gpu, m->name, &c, words);
	memcpy(out, words, sizeof(words));
	return ok;
}

bool device_cuda_launch(Ctx *ctx, const DeviceLaunch *l, CudaLaunch *out)
{
	int64_t tasks = l->tasks > 0 ? l->tasks : 0;
	int64_t x = tasks < GRID_X ? tasks : GRID_X;
	int64_t y = x ? (tasks + x - 1) / x : 0;

	if (!launch_fits(ctx, l))
		return false;
	*out = (CudaLaunch){
		.name = l->kernel->name,
		.function = l->kernel->function,
		.grid = {(unsigned)x, (unsigned)y, 1},
		.block = {(unsigned)l->threads, 1, 1},
		.shared = (unsigned)l->shared,
		.parameters = l->args,
		.size = l->nargs * sizeof(*l->args),
		.maps = l->maps,
		.waits = l->waits,
	};
	return true;
}

bool device_opencl_launch(Ctx *ctx, Device *d, const DeviceLaunch *l)
{
	size_t threads = (size_t)l->threads;
	OpenclArg args[ARGS_MAX + 1];

	if (l->tasks <= 0)
		return true;
	if (!launch_fits(ctx, l))
		return false;
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

bool device_launch(Ctx *ctx, Device *d, const DeviceLaunch *l)
{
	CudaLaunch c;

	bug_if(l->product);
	if (d->kind == DEVICE_OPENCL)
		return device_opencl_launch(ctx, d, l);
	return device_cuda_launch(ctx, l, &c) &&
	       cuda_launch(ctx, &d->gpu, &c, d->stream);
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
	if (d->kind == DEVICE_OPENCL)
		return opencl_finish(ctx, &d->cl);
	return device_cuda_wait(
		ctx, d,
		&(CudaPending){.stream = d->stream,
			       .kind = CUDA_WAIT_QUERY,
			       .names = "that is run once or a copy"});
}
