/* devices: targets, compilers and libraries of this machine. */
#include "driver/driver.h"

#include "runtime/cublaslt.h"
#include "runtime/nvrtc.h"
#include "runtime/opencl.h"

#include <dlfcn.h>
#include <string.h>

typedef VEC(TenonDevice) Devices;

/* The first "model name" of /proc/cpuinfo. */
static const char *cpu_model(TenonContext *c)
{
	Arena *a = &c->ctx.perm;
	char *text, *at;
	size_t len;

	if (!file_exists("/proc/cpuinfo") ||
	    !file_read(&c->ctx, a, "/proc/cpuinfo", &text, &len))
		return "unknown model";
	at = strstr(text, "model name");
	at = at ? strchr(at, ':') : NULL;
	if (!at)
		return "unknown model";
	at += 1 + strspn(at + 1, " \t");
	return arena_strndup(a, at, strcspn(at, "\n"));
}

static void add_targets(TenonContext *c, Devices *d)
{
	Arena *a = &c->ctx.perm;
	const char *model = cpu_model(c);

	for (size_t i = 0; i < isa_count; i++) {
		const Isa *isa = &isa_table[i];
		bool here = isa_runs_here(isa);
		TenonDevice dev = {
			.target = arena_printf(a, "cpu:%s", isa->name),
			.kind = "cpu",
			.text = here ? arena_printf(a,
						    "%s, %d CPUs, %d-byte "
						    "vectors",
						    model, cpu_count(),
						    isa->vector_bytes)
				     : "not on this machine",
			.available = here,
			.chosen = isa == isa_host(),
		};
		VEC_PUSH(a, *d, dev);
	}
}

static void add_compilers(TenonContext *c, Devices *d)
{
	static const char *const names[] = {"cc", "gcc", "clang"};
	Arena *a = &c->ctx.perm;
	bool chosen = false;

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		Compiler cc;
		bool found = compiler_find(&c->ctx, a, names[i], &cc);
		TenonDevice dev = {
			.target = names[i],
			.kind = "compiler",
			.text = found ? arena_printf(a, "%s (%s)", cc.version,
						     cc.path)
				      : "not on PATH",
			.available = found,
			.chosen = found && !chosen,
		};
		chosen |= found;
		ctx_clear_errors(&c->ctx); /* a missing one is an answer */
		VEC_PUSH(a, *d, dev);
	}
}

/* The last part of a path. */
static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static void add_cuda_device(TenonContext *c, Devices *d, const Cuda *cuda,
			    int n)
{
	Arena *a = &c->ctx.perm;
	CudaInfo info;
	TenonDevice dev = {.kind = "cuda"};

	dev.available = cuda_info(&c->ctx, cuda, n, &info);
	if (dev.available) {
		dev.target =
			arena_printf(a, "cuda:sm_%d%d", info.major, info.minor);
		dev.text = arena_printf(
			a,
			"%s, %zu MiB, %d multiprocessors, "
			"driver for CUDA %d.%d",
			info.name, info.memory >> 20, info.multiprocessors,
			cuda->version / 1000, cuda->version % 1000 / 10);
		if (n > 0) {
			dev.available = false;
			dev.text = arena_printf(
				a,
				"%s; not used: --target cuda takes device 0 "
				"(CUDA_VISIBLE_DEVICES chooses)",
				dev.text);
		}
	} else {
		dev.target = "cuda";
		dev.text = arena_printf(a, "device %d: %s", n,
					context_take_error(c, &c->ctx.perm));
	}
	VEC_PUSH(a, *d, dev);
}

/*
 * CUDA devices; the row of the driver, for among the libraries. A driver that
 * does not start or has no device is here, and its error is told.
 */
static TenonDevice add_cuda(TenonContext *c, Devices *d)
{
	Arena *a = &c->ctx.perm;
	Cuda *cuda = arena_new(a, Cuda);
	bool ok = cuda_open(&c->ctx, NULL, 0, cuda);
	TenonDevice driver = {
		.target = "libcuda.so.1",
		.kind = "library",
		.text = "CUDA driver, not found",
		.available = ok,
	};

	if (ok)
		driver.text =
			arena_printf(a,
				     "CUDA driver for CUDA %d.%d, found "
				     "(%s)",
				     cuda->version / 1000,
				     cuda->version % 1000 / 10, cuda->path);
	else if (cuda->path[0])
		driver.text = arena_printf(a, "CUDA driver, found (%s): %s",
					   cuda->path,
					   context_take_error(c, &c->ctx.perm));
	ctx_clear_errors(&c->ctx);
	for (int i = 0; ok && i < cuda->devices; i++)
		add_cuda_device(c, d, cuda, i);
	return driver;
}

static void add_opencl_device(TenonContext *c, Devices *d, const Opencl *cl,
			      int n)
{
	Arena *a = &c->ctx.perm;
	OpenclInfo info;
	const char *why;
	TenonDevice dev = {.kind = "opencl",
			   .target = arena_printf(a, "opencl:%d", n)};

	if (opencl_info(&c->ctx, cl, n, &info)) {
		why = opencl_unsuited(&info);
		dev.available = !why;
		dev.text = arena_printf(
			a,
			"%s, %zu MiB, %u compute units, %zu KiB local%s%s%s, "
			"OpenCL %d.%d, %s %s%s%s",
			info.name, (size_t)(info.memory >> 20),
			info.compute_units, (size_t)(info.local >> 10),
			info.fp16 ? ", fp16" : "", info.fp64 ? ", fp64" : "",
			info.subgroups ? ", subgroups" : "", info.major,
			info.minor, info.platform->name, info.driver,
			why ? "; refused: it " : "", why ? why : "");
	} else {
		dev.text = context_take_error(c, &c->ctx.perm);
	}
	VEC_PUSH(a, *d, dev);
}

/* OpenCL devices, platforms without one; the loader's row, as add_cuda. */
static TenonDevice add_opencl(TenonContext *c, Devices *d)
{
	Arena *a = &c->ctx.perm;
	Opencl *cl = arena_new(a, Opencl);
	bool ok = opencl_open(&c->ctx, NULL, cl);
	TenonDevice loader = {
		.target = "libOpenCL.so.1",
		.kind = "library",
		.text = "OpenCL loader, not found",
		.available = ok,
	};

	if (ok)
		loader.text = arena_printf(
			a, "OpenCL loader, %d platform%s, found (%s)",
			cl->platform_count, cl->platform_count == 1 ? "" : "s",
			cl->path);
	else if (cl->path[0])
		loader.text = arena_printf(a, "OpenCL loader, found (%s): %s",
					   cl->path,
					   context_take_error(c, &c->ctx.perm));
	ctx_clear_errors(&c->ctx);
	for (int i = 0; i < cl->devices; i++)
		add_opencl_device(c, d, cl, i);
	for (int i = 0; i < cl->platform_count; i++) {
		const OpenclPlatform *p = &cl->platforms[i];
		TenonDevice dev = {
			.target = "opencl",
			.kind = "opencl",
			.text = arena_printf(a, "platform %s (%s): %s", p->name,
					     p->version, p->why),
		};
		if (p->devices == 0)
			VEC_PUSH(a, *d, dev);
	}
	return loader;
}

static void add_nvrtc(TenonContext *c, Devices *d)
{
	Arena *a = &c->ctx.perm;
	Nvrtc *n = arena_new(a, Nvrtc);
	bool ok = nvrtc_open(&c->ctx, NULL, n);
	TenonDevice dev = {
		.target = ok ? file_name(n->path) : "libnvrtc",
		.kind = "library",
		.text = ok ? arena_printf(a, "NVRTC %d.%d, found (%s)",
					  n->major, n->minor, n->path)
			   : "NVRTC, not found",
		.available = ok,
	};

	if (!ok && n->path[0])
		dev.text = arena_printf(a, "NVRTC, found (%s): %s", n->path,
					context_take_error(c, &c->ctx.perm));
	ctx_clear_errors(&c->ctx);
	VEC_PUSH(a, *d, dev);
}

static void add_cublaslt(TenonContext *c, Devices *d)
{
	Arena *a = &c->ctx.perm;
	CublasLt *lt = arena_new(a, CublasLt);
	bool ok = cublaslt_open(&c->ctx, NULL, lt);
	TenonDevice dev = {
		.target = ok ? file_name(lt->path) : "libcublasLt",
		.kind = "library",
		.text = ok ? arena_printf(a, "cuBLASLt %d.%d.%d, found (%s)",
					  lt->major, lt->minor, lt->patch,
					  lt->path)
			   : "cuBLASLt, not found",
		.available = ok,
	};

	if (!ok && lt->path[0])
		dev.text = arena_printf(a, "cuBLASLt, found (%s): %s", lt->path,
					context_take_error(c, &c->ctx.perm));
	ctx_clear_errors(&c->ctx);
	VEC_PUSH(a, *d, dev);
}

/* Libraries of CPUs' products, and what each is of use for. */
static void add_libraries(TenonContext *c, Devices *d)
{
	static const char candidate[] =
		"for candidates of products and tenon bench";
	static const struct {
		const char *file, *what, *use;
	} libs[] = {
		{"libopenblas.so.0", "OpenBLAS", candidate},
		{"libblis.so.4", "BLIS", "for tenon bench"},
		{"libdnnl.so.2", "oneDNN", candidate},
	};
	Arena *a = &c->ctx.perm;

	for (size_t i = 0; i < ARRAY_LEN(libs); i++) {
		void *h = dlopen(libs[i].file, RTLD_LAZY | RTLD_LOCAL);
		TenonDevice dev = {
			.target = libs[i].file,
			.kind = "library",
			.text = h ? arena_printf(a, "%s, found (%s)",
						 libs[i].what, libs[i].use)
				  : arena_printf(a, "%s, not found",
						 libs[i].what),
			.available = h != NULL,
		};
		if (h)
			dlclose(h);
		VEC_PUSH(a, *d, dev);
	}
}

TenonError tenon_devices(TenonContext *c, const TenonDevice **out, size_t *n)
{
	API_ENTER(c);
	Devices d = {0};
	add_targets(c, &d);
	TenonDevice driver = add_cuda(c, &d);
	TenonDevice loader = add_opencl(c, &d);
	add_compilers(c, &d);
	VEC_PUSH(&c->ctx.perm, d, driver);
	add_nvrtc(c, &d);
	add_cublaslt(c, &d);
	VEC_PUSH(&c->ctx.perm, d, loader);
	add_libraries(c, &d);
	*out = d.p;
	*n = d.n;
	return API_LEAVE(c, true);
}
