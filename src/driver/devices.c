/* devices: instruction sets, compilers and libraries of this machine. */
#include "driver/driver.h"

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

/* Libraries that later targets and comparisons load at run time. */
static void add_libraries(TenonContext *c, Devices *d)
{
	static const char bench[] = "for tenon bench";
	static const char later[] = "not used by this version";
	static const struct {
		const char *file, *what, *use;
	} libs[] = {
		{"libopenblas.so.0", "OpenBLAS", bench},
		{"libblis.so.4", "BLIS", bench},
		{"libdnnl.so.2", "oneDNN", bench},
		{"libcuda.so.1", "CUDA driver", later},
		{"libnvrtc.so.13", "NVRTC", later},
		{"libOpenCL.so.1", "OpenCL loader", later},
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
	add_compilers(c, &d);
	add_libraries(c, &d);
	*out = d.p;
	*n = d.n;
	return API_LEAVE(c, true);
}
