/*
 * target: what --target names, and the language that its kernels are in.
 *
 *	cpu, cpu:ISA    C
 *	cuda            CUDA C, for the device that is here
 *	cuda:sm_90a     CUDA C
 *	opencl          OpenCL C, for the first device that keeps the contract
 *	opencl:1        OpenCL C, for that one of tenon devices
 */
#include "driver/driver.h"

#include <stdlib.h>
#include <string.h>

static bool starts(const char *s, const char *with)
{
	return s && strncmp(s, with, strlen(with)) == 0;
}

CDialect target_dialect(const char *name)
{
	return starts(name, "cuda:")    ? CD_CUDA
	       : starts(name, "opencl") ? CD_OPENCL
					: CD_C;
}

const char *target_emit(Arena *a, const char *name, const Kernels *ks,
			const Kernel *k)
{
	CDialect d = target_dialect(name);

	if (kernel_call(k))
		return emit_library(a, ks, k);
	if (kernel_foreign(k))
		return emit_external(a, ks, k);
	return d == CD_C ? emit_c(a, ks, k) : emit_gpu(a, ks, k, d);
}

static bool unknown_target(TenonContext *c, const char *name)
{
	Buf known;

	buf_init(&known, &c->ctx.scratch);
	buf_puts(&known, "targets: cpu");
	for (size_t i = 0; i < isa_count; i++)
		buf_printf(&known, " cpu:%s", isa_table[i].name);
	buf_puts(&known, " cuda cuda:sm_80 cuda:sm_90a opencl");
	return diag_fail(&c->ctx, ERR_USAGE, buf_str(&known),
			 "--target %s: not available in this version", name);
}

/* ---- CPUs ------------------------------------------------------------ */

static bool find_cpu(TenonContext *c, Arena *a, const char *name, bool must_run,
		     Target *out, const Isa **isa)
{
	bool host = !name || !strcmp(name, "cpu");

	*isa = host ? isa_host() : isa_find(name + strlen("cpu:"));
	if (!*isa)
		return unknown_target(c, name);
	if (must_run && !isa_runs_here(*isa))
		return diag_fail(&c->ctx, ERR_ENV,
				 "use --emit-only to see its code, or another "
				 "--target",
				 "target cpu:%s: this machine cannot run it",
				 (*isa)->name);
	/* a set by name is for any machine that has it, not for this one */
	Machine m = (*isa)->usual;
	if (host)
		machine_probe(*isa, &m);
	MatrixUnit *units = arena_array(a, MatrixUnit, UNIT_COUNT);
	size_t n = 0;
	for (; (*isa)->units[n]; n++)
		bug_if(!unit_parse((*isa)->units[n], &units[n]));
	*out = (Target){
		.units = units,
		.nunits = n,
		.name = arena_printf(a, "cpu:%s", (*isa)->name),
		.vector_bytes = (*isa)->vector_bytes,
		.vector_registers = (*isa)->vector_registers,
		.cpus = m.cpus,
	};
	memcpy(out->cache, m.cache, sizeof(out->cache));
	/* two vectors of multiply-adds and of loads a cycle; bandwidths of a
	 * server's core and its share of the memory */
	out->rates = (Rates){
		.clock = 3.5,
		.macs = 2.0 * out->vector_bytes / 4,
		.cache = {2.0 * out->vector_bytes, 32, 12},
		.memory = 17.0 * m.cpus,
		.unit = 26,
		.launch = 1,
		.claim = 0.1,
	};
	return true;
}

/* ---- GPUs ------------------------------------------------------------ */

/* Memory that every device gives a block of threads without being asked. */
#define BLOCK_MEMORY (40 << 10)
/* OpenCL's least for an embedded device is 1 kB; what runs kernels has 32. */
#define GROUP_MEMORY (24 << 10)

/* sm_80, sm_90a: two digits or three, and a letter. */
static bool is_arch(const char *s)
{
	size_t digits = strspn(s, "0123456789");

	s += digits;
	return digits >= 2 && digits <= 3 &&
	       (!*s || ((*s == 'a' || *s == 'f') && !s[1]));
}

static int arch_number(const char *arch)
{
	return (int)strtol(arch, NULL, 10);
}

/* What a block may ask for: table "Technical specifications per compute
 * capability" of the CUDA C++ programming guide; a kilobyte is the system's. */
static int64_t block_memory(const char *arch)
{
	int n = arch_number(arch);

	if (n < 70)
		return 48 << 10;
	if (n < 80)
		return 64 << 10;
	if (n == 80 || n == 87)
		return 163 << 10;
	return n < 90 || n >= 120 ? 99 << 10 : 227 << 10;
}

/* Bytes of the cache that all multiprocessors share, of the same device: the
 * architectures' white papers. */
static int64_t last_cache(const char *arch)
{
	int n = arch_number(arch);

	return (n < 80 ? 6 : n == 80 ? 40 : n < 90 ? 6 : 50) << 20;
}

/* Of the usual device of an architecture, by name: the same plan is made
 * wherever it is made. */
static int processors(const char *arch)
{
	int n = arch_number(arch);

	return n < 80 ? 80 : n < 90 ? 108 : 132;
}

/* Of the same devices: the vendor's data sheets, and for sm_90 what an H200 was
 * measured to reach. arch 0: any device of OpenCL. */
static Rates gpu_rates(int arch)
{
	Rates r = {.clock = 1.4, .macs = 64, .cache = {128, 2000, 0}};

	r.memory = arch < 80 ? 900 : arch < 90 ? 1900 : 4100;
	r.unit = arch < 90 ? 40 : 60;
	r.launch = 0.6;
	if (arch >= 86) {
		r.clock = 1.7;
		r.macs = 128;
		r.cache[1] = 3200;
	}
	return r;
}

static bool is_number(const char *s)
{
	size_t digits = strspn(s, "0123456789");

	return digits >= 1 && digits <= 3 && !s[digits];
}

static bool find_gpu(TenonContext *c, Arena *a, const char *name, Target *out)
{
	Device *d;

	if (!strcmp(name, "cuda")) {
		if (!context_device(c, name, &d))
			return false;
		name = arena_printf(a, "cuda:%s", device_arch(d));
	}
	bool cuda = starts(name, "cuda");

	if (cuda && (!starts(name, "cuda:sm_") || !is_arch(name + 8)))
		return diag_fail(&c->ctx, ERR_USAGE,
				 "as in cuda:sm_80 or cuda:sm_90a; `tenon "
				 "devices` says what a GPU here is",
				 "--target %s names no architecture of CUDA",
				 name);
	if (!cuda && strcmp(name, "opencl") != 0 && !is_number(name + 7))
		return diag_fail(&c->ctx, ERR_USAGE,
				 "as in opencl, the first that keeps the "
				 "contract, or opencl:1, which `tenon devices` "
				 "lists",
				 "--target %s names no device of OpenCL", name);
	static const MatrixUnit units[] = {UNIT_WGMMA, UNIT_MMA};
	int arch = cuda ? arch_number(name + 8) : 0;
	bool hopper = cuda && !strcmp(name + 8, "90a");
	*out = (Target){
		.name = arena_strdup(a, name),
		.cpus = 1,
		.units = hopper ? units : units + 1,
		.nunits = arch < 80 ? 0
			  : hopper  ? 2
				    : 1,
		.block_memory = cuda ? block_memory(name + 8) : GROUP_MEMORY,
		.processors = cuda ? processors(name + 8) : 8,
		.threads = cuda ? 256 : 64,
		.cuda = cuda,
		.copies = arch >= 80,
		.cache = {0, 0, cuda ? last_cache(name + 8) : 1 << 20},
		.shared = cuda ? BLOCK_MEMORY : GROUP_MEMORY,
		.rates = gpu_rates(arch),
	};
	return true;
}

bool target_find(TenonContext *c, Arena *a, const char *name, bool must_run,
		 Target *out, const Isa **isa)
{
	*isa = NULL;
	if (!name || !strcmp(name, "cpu") || starts(name, "cpu:"))
		return find_cpu(c, a, name, must_run, out, isa);
	if (!strcmp(name, "cuda") || starts(name, "cuda:") ||
	    !strcmp(name, "opencl") || starts(name, "opencl:"))
		return find_gpu(c, a, name, out);
	return unknown_target(c, name);
}
