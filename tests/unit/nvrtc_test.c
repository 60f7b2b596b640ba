/*
 * nvrtc, cubin: compiling CUDA C without a GPU, and what is read from the
 * result. Kernels have a known number of matrix instructions, of bytes of
 * shared memory and stack, or spill by force. Skipped where no NVRTC is and
 * tools/setup has not brought one.
 */
#include "base/base.h"
#include "runtime/cubin.h"
#include "runtime/nvrtc.h"
#include "runtime/runtime.h"
#include "test.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

static const char none[] = "no NVRTC of 12 or later is here";
static Ctx ctx;
static Nvrtc nvrtc;
static bool here;

static void start(void)
{
	static bool once;
	if (!once) {
		ctx_init(&ctx);
		ctx.threads = 2;
		/* 11 knows neither sm_90a nor 8-bit floats */
		here = nvrtc_open(&ctx, NULL, &nvrtc) && nvrtc.major >= 12;
		if (!here)
			printf("%s", buf_str(&ctx.messages));
		ctx_clear_errors(&ctx);
	}
	once = true;
}

static bool said(const char *what)
{
	bool yes = strstr(buf_str(&ctx.messages), what) != NULL;
	if (!yes)
		printf("not said: %s\n  but: %s", what, buf_str(&ctx.messages));
	return yes;
}

static bool compile(const char *arch, const char *text, NvrtcSource *src)
{
	*src = (NvrtcSource){.name = "k0", .text = text, .arch = arch};
	ctx_clear_errors(&ctx);
	return nvrtc_compile(&ctx, &ctx.perm, &nvrtc, src, 1);
}

/* Compiles and reads it all; an empty result when something failed. */
static Cubin cubin_of(const char *arch, const char *text)
{
	NvrtcSource src;
	Cubin c = {0};
	if (!CHECK(compile(arch, text, &src)) ||
	    !CHECK(cubin_read(&ctx, &ctx.perm, src.cubin, src.size, &c)) ||
	    !CHECK(cubin_read_log(&ctx, &c, src.log))) {
		printf("%s", buf_str(&ctx.messages));
		c.n = 0;
	}
	return c;
}

static const CubinKernel *kernel_of(const Cubin *c, const char *name)
{
	static const CubinKernel missing;
	const CubinKernel *k = cubin_kernel(c, name);
	if (!k)
		printf("no kernel %s\n", name);
	CHECK(k != NULL);
	return k ? k : &missing;
}

/* ---- texts ----------------------------------------------------------- */

/* One warp's mma on D of 4 words, A of na and B of nb, `times` in a row. */
static const char *mma_text(const char *name, const char *kinds, int na, int nb,
			    int times)
{
	Buf b;
	buf_init(&b, &ctx.perm);
	buf_printf(&b,
		   "extern \"C\" __global__ void %s(unsigned *p)\n{\n"
		   "\tunsigned d[4], a[4], b[2], *q = p + 10 * threadIdx.x;\n"
		   "\tfor (int i = 0; i < 4; i++) d[i] = q[i];\n"
		   "\tfor (int i = 0; i < 4; i++) a[i] = q[4 + i];\n"
		   "\tfor (int i = 0; i < 2; i++) b[i] = q[8 + i];\n",
		   name);
	for (int i = 0; i < times; i++)
		buf_printf(&b,
			   "\tasm volatile(\"mma.sync.aligned.%s "
			   "{%%0, %%1, %%2, %%3}, %s, %s, "
			   "{%%0, %%1, %%2, %%3};\"\n"
			   "\t\t: \"+r\"(d[0]), \"+r\"(d[1]), \"+r\"(d[2]), "
			   "\"+r\"(d[3])\n"
			   "\t\t: \"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2]), "
			   "\"r\"(a[3]), \"r\"(b[0]), \"r\"(b[1]));\n",
			   kinds, na == 2 ? "{%4, %5}" : "{%4, %5, %6, %7}",
			   nb == 1 ? "{%8}" : "{%8, %9}");
	buf_puts(&b, "\tfor (int i = 0; i < 4; i++) q[i] = d[i];\n}\n");
	return buf_str(&b);
}

/*
 * A warpgroup's, of 64 by 8, A from shared memory or from registers; each of
 * other operands, since ptxas makes one of equal ones.
 */
static const char *wgmma_text(const char *name, const char *kinds,
			      const char *tail, bool from_registers, int times)
{
	Buf b;
	buf_init(&b, &ctx.perm);
	buf_printf(&b,
		   "extern \"C\" __global__ void __launch_bounds__(128)\n"
		   "%s(unsigned *p, unsigned long long x, "
		   "unsigned long long y)\n{\n"
		   "\tunsigned d[4], a[4], *q = p + 8 * threadIdx.x;\n"
		   "\tfor (int i = 0; i < 4; i++) d[i] = q[i];\n"
		   "\tfor (int i = 0; i < 4; i++) a[i] = q[4 + i];\n"
		   "\tasm volatile(\"wgmma.fence.sync.aligned;\" ::: "
		   "\"memory\");\n",
		   name);
	for (int i = 0; i < times; i++)
		buf_printf(&b,
			   "\tasm volatile(\"{.reg .pred t; setp.ne.b32 t, 1, "
			   "0; wgmma.mma_async.sync.aligned.%s "
			   "{%%0, %%1, %%2, %%3}, %s, %%9, t%s;}\"\n"
			   "\t\t: \"+r\"(d[0]), \"+r\"(d[1]), \"+r\"(d[2]), "
			   "\"+r\"(d[3])\n"
			   "\t\t: \"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2]), "
			   "\"r\"(a[3]), \"l\"(x + %d), \"l\"(y + %d));\n",
			   kinds, from_registers ? "{%4, %5, %6, %7}" : "%8",
			   tail, i, i);
	buf_puts(&b, "\tasm volatile(\"wgmma.commit_group.sync.aligned;\" ::: "
		     "\"memory\");\n"
		     "\tasm volatile(\"wgmma.wait_group.sync.aligned 0;\" ::: "
		     "\"memory\");\n"
		     "\tfor (int i = 0; i < 4; i++) q[i] = d[i];\n}\n");
	return buf_str(&b);
}

static const char facts_text[] =
	"extern \"C\" __global__ void staged(float *o)\n{\n"
	"\t__shared__ float s[300];\n"
	"\textern __shared__ float more[];\n"
	"\tint t = threadIdx.x;\n"
	"\ts[t] = o[t];\n"
	"\tmore[t] = s[t];\n"
	"\t__syncthreads();\n"
	"\to[t] = s[299 - t] + more[5];\n}\n"
	"extern \"C\" __global__ void plain(float *o)\n{\n"
	"\to[threadIdx.x] += 1;\n}\n"
	"extern \"C\" __global__ void stacked(float *o, int n)\n{\n"
	"\tfloat v[50];\n"
	"\tfor (int i = 0; i < 50; i++) v[i] = o[i];\n"
	"\tfor (int i = 0; i < n; i++) v[i * 7 % 50] += v[n % 50];\n"
	"\to[threadIdx.x] = v[threadIdx.x % 50];\n}\n"
	"extern \"C\" __global__ void __launch_bounds__(1024, 2)\n"
	"spilling(float *o, int n)\n{\n"
	"\tfloat v[64];\n"
	"#pragma unroll\n"
	"\tfor (int i = 0; i < 64; i++) v[i] = o[i * 1024 + threadIdx.x];\n"
	"\tfor (int k = 0; k < n; k++) {\n"
	"#pragma unroll\n"
	"\t\tfor (int i = 0; i < 64; i++)\n"
	"\t\t\tv[i] = v[i] * v[(i + 7) % 64] + v[(i * 5 + 1) % 64];\n"
	"\t}\n"
	"#pragma unroll\n"
	"\tfor (int i = 0; i < 64; i++) o[i * 1024 + threadIdx.x] = v[i];\n"
	"}\n";

/* ---- what is read ---------------------------------------------------- */

static void facts_on(const char *arch)
{
	Cubin c = cubin_of(arch, facts_text);
	const CubinKernel *k = kernel_of(&c, "staged");
	CHECK(c.n == 4);
	CHECK(c.sm == atoi(arch + 3));
	CHECK(k->registers > 0 && k->registers <= 40);
	CHECK(k->shared == 1200);
	CHECK(k->local == 0);
	CHECK(k->code > 0 && k->code % 16 == 0);
	CHECK(k->spill_stores == 0 && k->spill_loads == 0 && !k->serialized);
	k = kernel_of(&c, "plain");
	CHECK(k->registers > 0 && k->registers <= 16);
	CHECK(k->shared == 0 && k->local == 0);
	k = kernel_of(&c, "stacked");
	CHECK(k->local == 200 && k->spill_stores == 0);
	k = kernel_of(&c, "spilling");
	CHECK(k->registers >= 32 && k->registers <= 64);
	CHECK(k->spill_stores > 0 && k->spill_loads > 0 && k->local > 0);
	for (size_t i = 0; i < c.n; i++) {
		for (int m = 0; m < CUBIN_MATRIX_COUNT; m++)
			CHECK(c.kernels[i].matrix[m] == 0);
	}
}

static void facts(void)
{
	start();
	if (!here)
		SKIP_UNTIL_SETUP(none);
	facts_on("sm_80");
	facts_on("sm_90a");
	for (int i = 0; i < nvrtc.arch_count; i++) {
		if (nvrtc.archs[i] > 80)
			facts_on(arena_printf(&ctx.perm, "sm_%d",
					      nvrtc.archs[i]));
	}
}

static void calls(void)
{
	static const char text[] =
		"__noinline__ float f(float x, int n)\n{\n"
		"\tfloat v[20];\n"
		"\tfor (int i = 0; i < 20; i++) v[i] = x * i;\n"
		"\tfor (int i = 0; i < n; i++) v[i * 7 % 20] += v[n % 20];\n"
		"\treturn v[n % 20];\n}\n"
		"template <int N> __global__ void shape(float *o, int n)\n{\n"
		"\to[threadIdx.x] = f(o[threadIdx.x], n) + N;\n}\n"
		"template __global__ void shape<3>(float *, int);\n";
	start();
	if (!here)
		SKIP_UNTIL_SETUP(none);
	Cubin c = cubin_of("sm_80", text);
	CHECK(c.n == 1);
	CHECK(c.n == 1 && strstr(c.kernels[0].name, "shape") != NULL);
	CHECK(c.n == 1 && c.kernels[0].local == 80);
}

static void counts_are(const char *arch, const char *text, CubinMatrix which,
		       int times)
{
	Cubin c = cubin_of(arch, text);
	if (!CHECK(c.n == 1))
		return;
	for (int m = 0; m < CUBIN_MATRIX_COUNT; m++) {
		int64_t want = m == (int)which ? times : 0;
		if (c.kernels[0].matrix[m] != want)
			printf("%s: %lld %s, not %lld\n%s", arch,
			       (long long)c.kernels[0].matrix[m],
			       cubin_matrix_name((CubinMatrix)m),
			       (long long)want, text);
		CHECK(c.kernels[0].matrix[m] == want);
	}
}

static void matrix_warp(void)
{
	static const struct {
		const char *kinds;
		int a, b;
		CubinMatrix which;
	} rows[] = {
		{"m16n8k16.row.col.f32.f16.f16.f32", 4, 2, CUBIN_HMMA},
		{"m16n8k8.row.col.f32.f16.f16.f32", 2, 1, CUBIN_HMMA},
		{"m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, CUBIN_HMMA},
		{"m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, CUBIN_HMMA},
		{"m16n8k32.row.col.s32.s8.s8.s32", 4, 2, CUBIN_IMMA},
		{"m16n8k256.row.col.s32.b1.b1.s32.and.popc", 4, 2, CUBIN_BMMA},
	};
	start();
	if (!here)
		SKIP_UNTIL_SETUP(none);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		counts_are(i % 2 ? "sm_90a" : "sm_80",
			   mma_text("k", rows[i].kinds, rows[i].a, rows[i].b,
				    (int)i + 2),
			   rows[i].which, (int)i + 2);
	counts_are("sm_89",
		   mma_text("k", "m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 2, 3),
		   CUBIN_QMMA, 3);
	counts_are("sm_80",
		   "extern \"C\" __global__ void k(double *d)\n{\n"
		   "\tdouble x = d[threadIdx.x], y = d[threadIdx.x + 32];\n"
		   "\tasm volatile(\"mma.sync.aligned.m8n8k4.row.col."
		   "f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};\"\n"
		   "\t\t: \"+d\"(x), \"+d\"(y) : \"d\"(d[64]), \"d\"(d[65]));\n"
		   "\td[threadIdx.x] = x + y;\n}\n",
		   CUBIN_DMMA, 1);
}

static void matrix_warpgroup(void)
{
	static const struct {
		const char *kinds, *tail, *tail_registers;
		CubinMatrix which;
	} rows[] = {
		{"m64n8k16.f32.f16.f16", ", 1, 1, 0, 0", ", 1, 1, 0",
		 CUBIN_HGMMA},
		{"m64n8k16.f32.bf16.bf16", ", 1, 1, 0, 0", ", 1, 1, 0",
		 CUBIN_HGMMA},
		{"m64n8k8.f32.tf32.tf32", ", 1, 1", ", 1, 1", CUBIN_HGMMA},
		{"m64n8k32.s32.s8.s8", "", "", CUBIN_IGMMA},
		{"m64n8k256.s32.b1.b1.and.popc", "", "", CUBIN_BGMMA},
		{"m64n8k32.f32.e4m3.e4m3", ", 1, 1", ", 1, 1", CUBIN_QGMMA},
	};
	start();
	if (!here)
		SKIP_UNTIL_SETUP(none);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		int n = (int)i + 1;
		counts_are(
			"sm_90a",
			wgmma_text("k", rows[i].kinds, rows[i].tail, false, n),
			rows[i].which, n);
		counts_are("sm_90a",
			   wgmma_text("k", rows[i].kinds,
				      rows[i].tail_registers, true, n),
			   rows[i].which, n);
	}
}

/* Accumulators that are touched in flight make ptxas wait each time. */
static void serialized(void)
{
	static const char text[] =
		"extern \"C\" __global__ void __launch_bounds__(128)\n"
		"waits(float *o, unsigned long long x, unsigned long long y, "
		"int n)\n{\n"
		"\tfloat d[4], *q = o + 4 * threadIdx.x;\n"
		"\tfor (int i = 0; i < 4; i++) d[i] = q[i];\n"
		"\tfor (int k = 0; k < n; k++) {\n"
		"\t\tasm volatile(\"wgmma.fence.sync.aligned;\" ::: "
		"\"memory\");\n"
		"\t\tasm volatile(\"{.reg .pred t; setp.ne.b32 t, 1, 0; "
		"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
		"{%0, %1, %2, %3}, %4, %5, t, 1, 1, 0, 0;}\"\n"
		"\t\t\t: \"+f\"(d[0]), \"+f\"(d[1]), \"+f\"(d[2]), "
		"\"+f\"(d[3]) : \"l\"(x), \"l\"(y));\n"
		"\t\tasm volatile(\"wgmma.commit_group.sync.aligned;\" ::: "
		"\"memory\");\n"
		"\t\td[0] *= 1.5f;\n"
		"\t}\n"
		"\tasm volatile(\"wgmma.wait_group.sync.aligned 0;\" ::: "
		"\"memory\");\n"
		"\tfor (int i = 0; i < 4; i++) q[i] = d[i];\n}\n";
	start();
	if (!here)
		SKIP_UNTIL_SETUP(none);
	Buf b;
	buf_init(&b, &ctx.perm);
	buf_puts(&b, text);
	buf_puts(&b, facts_text);
	Cubin c = cubin_of("sm_90a", buf_str(&b));
	CHECK(kernel_of(&c, "waits")->serialized);
	CHECK(!kernel_of(&c, "plain")->serialized);
	c = cubin_of("sm_90a", wgmma_text("k", "m64n8k16.f32.f16.f16",
					  ", 1, 1, 0, 0", false, 4));
	CHECK(!kernel_of(&c, "k")->serialized);
}

/* ---- errors ---------------------------------------------------------- */

static void log_disagrees(void)
{
	NvrtcSource src;
	Cubin c;
	start();
	if (!here)
		SKIP_UNTIL_SETUP(none);
	CHECK(compile("sm_80",
		      "extern \"C\" __global__ void k(int *p)\n{\n"
		      "\tp[0] = 1;\n}\n",
		      &src));
	CHECK(cubin_read(&ctx, &ctx.perm, src.cubin, src.size, &c));
	CHECK(cubin_read_log(&ctx, &c, src.log));
	CHECK(!cubin_read_log(&ctx, &c,
			      "ptxas info    : Compiling entry function 'k' "
			      "for 'sm_80'\n"
			      "ptxas info    : Used 99 registers\n"));
	CHECK(said("kernel k: the compiler's log says 99 registers, its "
		   "cubin "));
	ctx_clear_errors(&ctx);
	CHECK(cubin_read(&ctx, &ctx.perm, src.cubin, src.size, &c));
	CHECK(!cubin_read_log(&ctx, &c, "ptxas info : nothing"));
	CHECK(said("does not tell of kernel k"));
	ctx_clear_errors(&ctx);
}

static void compile_errors(void)
{
	static const char *const odd[] = {"--no-such-option", NULL};
	NvrtcSource src;
	start();
	if (!here)
		SKIP_UNTIL_SETUP(none);
	CHECK(!compile("sm_80",
		       "extern \"C\" __global__ void k(float *o)\n{\n"
		       "\to[0] = missing;\n}\n",
		       &src));
	CHECK(ctx.err == ERR_ENV);
	CHECK(said("failed on kernel k0 for sm_80: NVRTC_ERROR_COMPILATION"));
	CHECK(said("k0.cu(3): error: identifier \"missing\" is undefined"));
	CHECK(src.cubin == NULL);
	/* ptxas's own: */
	CHECK(!compile("sm_80",
		       "extern \"C\" __global__ void k(float *o)\n{\n"
		       "\tasm volatile(\"wgmma.fence.sync.aligned;\");\n}\n",
		       &src));
	CHECK(said("wgmma"));
	Buf b;
	buf_init(&b, &ctx.perm);
	for (int i = 0; i < 2000; i++)
		buf_printf(&b, "int x%d = y%d;\n", i, i);
	CHECK(!compile("sm_80", buf_str(&b), &src));
	CHECK(ctx.messages.n > 3000 && ctx.messages.n < 4500);
	src = (NvrtcSource){
		.name = "k0", .text = "", .arch = "sm_80", .options = odd};
	ctx_clear_errors(&ctx);
	CHECK(!nvrtc_compile(&ctx, &ctx.perm, &nvrtc, &src, 1));
	CHECK(said("no-such-option"));
	ctx_clear_errors(&ctx);
}

static void unknown_archs(void)
{
	static const char *const archs[] = {"sm_33",
					    "sm_80a",
					    "sm_90x",
					    "sm_90f",
					    "sm_",
					    "80",
					    "",
					    "sm_-80",
					    "sm_080",
					    "sm_80 -lm",
					    "sm_999999999999"};
	NvrtcSource src;
	start();
	if (!here)
		SKIP_UNTIL_SETUP(none);
	for (size_t i = 0; i < ARRAY_LEN(archs); i++) {
		CHECK(!compile(archs[i], "", &src));
		CHECK(ctx.err == ERR_USAGE);
		CHECK(said(arena_printf(&ctx.perm,
					"does not know the architecture %s",
					archs[i])));
		CHECK(said("hint: it knows sm_"));
		CHECK(said(" sm_80 "));
	}
	ctx_clear_errors(&ctx);
}

static void missing_library(void)
{
	static const char *const files[] = {"libtenon-none.so.13",
					    "/nonexistent/lib64/libnvrtc.so.12",
					    NULL};
	static const char *const other[] = {"libtenon-none.so", "libm.so.6",
					    NULL};
	static const char *const text[] = {"/proc/self/status", NULL};
	Nvrtc n;
	start();
	ctx_clear_errors(&ctx);
	CHECK(!nvrtc_open(&ctx, files, &n));
	CHECK(ctx.err == ERR_ENV);
	CHECK(said("looked for libtenon-none.so.13, "
		   "/nonexistent/lib64/libnvrtc.so.12\n"));
	CHECK(said("hint: install"));
	ctx_clear_errors(&ctx);
	CHECK(!nvrtc_open(&ctx, other, &n));
	CHECK(said("libm.so.6 is no NVRTC of 11.2 or later: it has no "
		   "nvrtcVersion"));
	ctx_clear_errors(&ctx);
	/* there, but no library: the loader's words are told */
	CHECK(!nvrtc_open(&ctx, text, &n));
	CHECK(said("looked for /proc/self/status\n/proc/self/status: "));
	ctx_clear_errors(&ctx);
}

static bool is_candidate(const char *const *list, const char *file)
{
	for (size_t i = 0; list[i]; i++) {
		if (strcmp(list[i], file) == 0)
			return true;
	}
	return false;
}

/* A cache folder of its own for one test. */
static char top[32];
static const char *cache_was;

static bool cache_take(void)
{
	const char *cache = getenv("XDG_CACHE_HOME");
	cache_was = cache ? arena_strdup(&ctx.perm, cache) : NULL;
	snprintf(top, sizeof(top), "/tmp/tenon-nvrtc-XXXXXX");
	if (!CHECK(mkdtemp(top) != NULL))
		return false;
	setenv("XDG_CACHE_HOME", top, 1);
	return true;
}

static void cache_give_back(void)
{
	CHECK(system(arena_printf(&ctx.perm, "rm -rf %s", top)) == 0);
	if (cache_was)
		setenv("XDG_CACHE_HOME", cache_was, 1);
	else
		unsetenv("XDG_CACHE_HOME");
}

/* The one in the cache folder comes last, and only where it is ours. */
static void private_candidate(void)
{
	if (!cache_take())
		return;
	const char *folder = arena_printf(&ctx.perm, "%s/tenon/nvrtc", top);
	const char *file =
		arena_printf(&ctx.perm, "%s/lib/libnvrtc.so.11.2", folder);
	CHECK(!is_candidate(nvrtc_candidates(&ctx.perm), file));
	CHECK(dir_make(&ctx, folder));
	const char *const *list = nvrtc_candidates(&ctx.perm);
	size_t n = 0;
	while (list[n])
		n++;
	CHECK_STR(list[n - 1], file);
	CHECK(chmod(folder, 0777) == 0);
	CHECK(!is_candidate(nvrtc_candidates(&ctx.perm), file));
	cache_give_back();
}

static void finds(const Nvrtc *want, bool loaded)
{
	Nvrtc n;
	if (!CHECK(nvrtc_find(&ctx, &n)))
		return;
	CHECK_STR(n.path, want->path);
	CHECK(n.major == want->major && n.minor == want->minor);
	CHECK(n.arch_count == want->arch_count &&
	      memcmp(n.archs, want->archs, sizeof(n.archs)) == 0);
	CHECK((n.nvrtcVersion != NULL) == loaded);
	CHECK(nvrtc_load(&ctx, &n) && n.nvrtcVersion != NULL);
}

/* Found by notes; by loading where a note is gone, damaged or of old. */
static void noted(void)
{
	Nvrtc n;
	start();
	if (!here)
		SKIP_UNTIL_SETUP(none);
	if (!cache_take())
		return;
	/* the one of tools/setup may be the only one */
	if (cache_was)
		CHECK(system(arena_printf(&ctx.perm,
					  "mkdir -p -m 700 %s/tenon && "
					  "ln -s %s/tenon/nvrtc %s/tenon/nvrtc",
					  top, cache_was, top)) == 0);
	const char *path = getenv("LD_LIBRARY_PATH");
	path = path ? arena_strdup(&ctx.perm, path) : NULL;
	if (CHECK(nvrtc_open(&ctx, NULL, &n))) {
		finds(&n, true);
		finds(&n, false);
		setenv("LD_LIBRARY_PATH", "/nonexistent", 1);
		finds(&n, true);
		finds(&n, false);
		const char *stamp = file_stamp(&ctx.perm, n.path);
		note_keep(&ctx.perm, n.path, stamp, "13 0 80 what");
		finds(&n, true);
		note_keep(&ctx.perm, n.path, stamp, "13");
		finds(&n, true);
		char *was = arena_strdup(&ctx.perm, stamp);
		was[strlen(was) - 1] ^= 1;
		note_keep(&ctx.perm, n.path, was, "99 9 80");
		finds(&n, true);
		finds(&n, false);
	}
	if (path)
		setenv("LD_LIBRARY_PATH", path, 1);
	else
		unsetenv("LD_LIBRARY_PATH");
	cache_give_back();
}

static void candidates(void)
{
	static const char *const variables[] = {"CUDA_HOME", "CUDA_PATH"};
	const char *kept[2];
	start();
	for (int i = 0; i < 2; i++) {
		const char *v = getenv(variables[i]);
		kept[i] = v ? arena_strdup(&ctx.perm, v) : NULL;
	}
	setenv("CUDA_HOME", "/some/where", 1);
	setenv("CUDA_PATH", "relative", 1);
	const char *const *list = nvrtc_candidates(&ctx.perm);
	CHECK_STR(list[0], "libnvrtc.so.13");
	CHECK_STR(list[1], "libnvrtc.so.12");
	CHECK_STR(list[2], "libnvrtc.so.11.2");
	CHECK_STR(list[3], "/some/where/lib64/libnvrtc.so.13");
	CHECK(is_candidate(list, "/some/where/lib/libnvrtc.so.11.2"));
	CHECK(is_candidate(list, "/usr/local/cuda/lib64/libnvrtc.so.13"));
	private_candidate();
	for (size_t i = 0; list[i]; i++)
		CHECK(strstr(list[i], "relative") == NULL);
	for (int i = 0; i < 2; i++) {
		if (kept[i])
			setenv(variables[i], kept[i], 1);
		else
			unsetenv(variables[i]);
	}
}

static void options(void)
{
	static const char *const more[] = {"-DN=3", NULL};
	NvrtcSource src = {.arch = "sm_80", .options = more};
	Nvrtc n = {.major = 13};
	start();
	CHECK_STR(nvrtc_options(&ctx.perm, &n, &src),
		  "--gpu-architecture=sm_80 --std=c++17 --fmad=false "
		  "--prec-div=true --prec-sqrt=true --ftz=false "
		  "--device-as-default-execution-space --ptxas-options=-v "
		  "--no-cache -DN=3");
	n = (Nvrtc){.major = 12, .minor = 6};
	CHECK(!strstr(nvrtc_options(&ctx.perm, &n, &src), "--no-cache"));
}

/* ---- damaged files --------------------------------------------------- */

/* In memory of exactly that size, so that a read beyond it is seen. */
static bool read_part(const char *file, size_t n)
{
	Arena a;
	Cubin c;
	char *copy = malloc(n > 0 ? n : 1);
	arena_init(&a);
	memcpy(copy, file, n);
	bool ok = cubin_read(&ctx, &a, copy, n, &c);
	CHECK(ok || ctx.err == ERR_ENV);
	if (ok)
		for (size_t i = 0; i < c.n; i++)
			CHECK(c.kernels[i].registers >= 0);
	ctx_clear_errors(&ctx);
	arena_release(&a);
	free(copy);
	return ok;
}

static uint64_t random_next(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

static void damaged_on(const char *arch)
{
	NvrtcSource src;
	uint64_t state = 20261130;
	int sound = 0;
	if (!CHECK(compile(arch, facts_text, &src)))
		return;
	CHECK(read_part(src.cubin, src.size));
	/* CUDA's program headers come last; a file without them still reads */
	for (size_t n = 0; n < src.size; n += 64)
		sound += read_part(src.cubin, n);
	CHECK(sound <= 16);
	for (size_t n = 0; n < 64; n++)
		CHECK(!read_part(src.cubin, n));
	for (int i = 0; i < 6000; i++) {
		char *copy = arena_alloc(&ctx.scratch, src.size, 16);
		int flips = 1 + (int)(random_next(&state) % 8);
		memcpy(copy, src.cubin, src.size);
		while (flips-- > 0) {
			/* half of them where the structure is */
			size_t at = random_next(&state) % src.size;
			if (random_next(&state) % 2)
				at = random_next(&state) % 2
					     ? at % 64
					     : src.size - 1 - at % 3000;
			copy[at] = (char)random_next(&state);
		}
		read_part(copy, src.size);
		arena_clear(&ctx.scratch);
	}
}

static void damaged(void)
{
	start();
	if (!here)
		SKIP_UNTIL_SETUP(none);
	damaged_on("sm_80");
	damaged_on("sm_90a");
}

/* Little-endian numbers of `n` bytes at p. */
static uint64_t get(const char *p, int n)
{
	uint64_t v = 0;
	for (int i = n; i-- > 0;)
		v = v << 8 | (unsigned char)p[i];
	return v;
}

static void put(char *p, int n, uint64_t v)
{
	for (int i = 0; i < n; i++, v >>= 8)
		p[i] = (char)v;
}

/* Damage that random bytes seldom do, each with its own answer. */
typedef enum Damage {
	MACHINE,
	OLD_CODE,
	SECTIONS_AWAY,
	NAMES_INDEX,
	NAMES_OPEN,
	SYMBOLS_UNNAMED,
	SYMBOL_NAME_OPEN,
	CODE_ODD,
	CODE_SHARED,
	CODE_NONE,
	INFO_SYMBOL,
	INFO_FORM,
	INFO_CUT,
	DAMAGES
} Damage;
static const char *const damage_words[DAMAGES] = {
	[MACHINE] = "another machine",
	[OLD_CODE] = "not of sm_70 or later",
	[SECTIONS_AWAY] = "its sections lie outside of it",
	[NAMES_INDEX] = "its sections have no names",
	[NAMES_OPEN] = "a section's name does not end",
	[SYMBOLS_UNNAMED] = "its symbols have no names",
	[SYMBOL_NAME_OPEN] = "a kernel's name does not end",
	[CODE_ODD] = "not of whole instructions",
	[CODE_SHARED] = "two kernels have the same code",
	[CODE_NONE] = "a kernel has no code",
	[INFO_SYMBOL] = ".nv.info names no symbol",
	[INFO_FORM] = ".nv.info has no such record",
	[INFO_CUT] = ".nv.info is cut short",
};

/* Headers in a copy of a sound cubin. */
typedef struct Parts {
	char *names, *symbols, *strings, *code, *info;
} Parts;

static Parts parts_find(char *p)
{
	Parts parts = {0};
	char *s = p + get(p + 40, 8);
	parts.names = s + 64 * get(p + 62, 2);
	for (uint64_t i = 0; i < get(p + 60, 2); i++) {
		char *at = s + 64 * i;
		if (get(at + 4, 4) == 2)
			parts.symbols = at;
		if (get(at + 8, 8) & 4)
			parts.code = at;
		if (get(at + 4, 4) == 0x70000000 && get(at + 44, 4) == 0)
			parts.info = at;
	}
	parts.strings = s + 64 * get(parts.symbols + 40, 4);
	return parts;
}

/* A string section that ends where the file does, without a NUL. */
static void leave_open(char *p, size_t size, char *section)
{
	put(section + 24, 8, size - 8);
	put(section + 32, 8, 8);
	memset(p + size - 8, 'x', 8);
}

static void symbols_put(char *p, const Parts *parts, size_t at, int n,
			uint64_t value)
{
	char *s = p + get(parts->symbols + 24, 8);
	uint64_t count = get(parts->symbols + 32, 8) / 24;
	for (uint64_t i = 0; i < count; i++, s += 24)
		put(s + at, n, value);
}

static void damage(char *p, size_t size, Damage kind)
{
	Parts parts = parts_find(p);
	char *record = p + get(parts.info + 24, 8);
	switch (kind) {
	case MACHINE:
		put(p + 18, 2, 62);
		break;
	case OLD_CODE:
		put(p + 48, 4, 0x3d003d);
		break;
	case SECTIONS_AWAY:
		put(p + 40, 8, UINT64_MAX - 63);
		break;
	case NAMES_INDEX:
		put(p + 62, 2, 0xfff0);
		break;
	case NAMES_OPEN:
		leave_open(p, size, parts.names);
		break;
	case SYMBOLS_UNNAMED:
		put(parts.symbols + 40, 4, UINT32_MAX);
		break;
	case SYMBOL_NAME_OPEN:
		leave_open(p, size, parts.strings);
		symbols_put(p, &parts, 0, 4, 3);
		break;
	case CODE_ODD:
		put(parts.code + 32, 8, get(parts.code + 32, 8) - 8);
		break;
	case CODE_SHARED:
		symbols_put(p, &parts, 6, 2,
			    (uint64_t)(parts.code - p - (long)get(p + 40, 8)) /
				    64);
		break;
	case CODE_NONE:
		symbols_put(p, &parts, 6, 2, 0xfff1);
		break;
	case INFO_SYMBOL:
		put(record + 4, 4, UINT32_MAX);
		break;
	case INFO_FORM:
		put(record, 1, 9);
		break;
	case INFO_CUT:
		put(record + 2, 2, 0xffff);
		break;
	case DAMAGES:
		break;
	}
}

static void crafted(void)
{
	static const char *const archs[] = {"sm_80", "sm_90a"};
	NvrtcSource src;
	start();
	if (!here)
		SKIP_UNTIL_SETUP(none);
	for (int i = 0; i < 2 * DAMAGES; i++) {
		if (!CHECK(compile(archs[i / DAMAGES], facts_text, &src)))
			return;
		Cubin c;
		char *copy = malloc(src.size);
		memcpy(copy, src.cubin, src.size);
		damage(copy, src.size, (Damage)(i % DAMAGES));
		CHECK(!cubin_read(&ctx, &ctx.perm, copy, src.size, &c));
		CHECK(said(damage_words[i % DAMAGES]));
		CHECK(c.n == 0);
		free(copy);
	}
	ctx_clear_errors(&ctx);
}

/* ---- several at once ------------------------------------------------- */

typedef struct Twin {
	pthread_t thread;
	const char *arch;
	int wrong;
} Twin;

static void *twin_run(void *arg)
{
	Twin *t = arg;
	Ctx own;
	Nvrtc n;
	ctx_init(&own);
	own.threads = 2;
	for (int i = 0; i < 3; i++) {
		NvrtcSource src = {
			.name = "k0", .text = facts_text, .arch = t->arch};
		Cubin c;
		t->wrong +=
			!nvrtc_open(&own, NULL, &n) ||
			!nvrtc_compile(&own, &own.perm, &n, &src, 1) ||
			!cubin_read(&own, &own.perm, src.cubin, src.size, &c) ||
			c.n != 4 || !cubin_read_log(&own, &c, src.log);
	}
	if (own.errors)
		printf("%s", buf_str(&own.messages));
	ctx_release(&own);
	return NULL;
}

static void two_threads(void)
{
	Twin t[2] = {{.arch = "sm_80"}, {.arch = "sm_90a"}};
	start();
	if (!here)
		SKIP_UNTIL_SETUP(none);
	for (int i = 0; i < 2; i++)
		CHECK(pthread_create(&t[i].thread, NULL, twin_run, &t[i]) == 0);
	for (int i = 0; i < 2; i++) {
		pthread_join(t[i].thread, NULL);
		CHECK(t[i].wrong == 0);
	}
}

/* Several sources in one call; one wrong source fails them all. */
static void many(void)
{
	NvrtcSource src[5];
	start();
	if (!here)
		SKIP_UNTIL_SETUP(none);
	for (int i = 0; i < 5; i++)
		src[i] = (NvrtcSource){
			.name = arena_printf(&ctx.perm, "k%d", i),
			.text = arena_printf(&ctx.perm,
					     "extern \"C\" __global__ void "
					     "f%d(int *p)\n{\n\t*p = %d;\n}\n",
					     i, i),
			.arch = "sm_80"};
	CHECK(nvrtc_compile(&ctx, &ctx.perm, &nvrtc, src, 5));
	for (int i = 0; i < 5; i++) {
		Cubin c;
		CHECK(cubin_read(&ctx, &ctx.perm, src[i].cubin, src[i].size,
				 &c));
		CHECK(c.n == 1);
		CHECK(cubin_kernel(&c, arena_printf(&ctx.perm, "f%d", i)));
		CHECK(src[i].ms > 0);
	}
	src[3].text = "what";
	CHECK(!nvrtc_compile(&ctx, &ctx.perm, &nvrtc, src, 5));
	CHECK(said("kernel k3"));
	ctx_clear_errors(&ctx);
	CHECK(nvrtc_compile(&ctx, &ctx.perm, &nvrtc, src, 0));
}

/* Every allocation refused in turn: raised, nothing lost, usable after. */
static void out_of_memory(void)
{
	start();
	if (!here)
		SKIP_UNTIL_SETUP(none);
	for (long nth = 1;; nth++) {
		Arena a;
		OomTrap trap;
		Nvrtc n;
		Cubin c;
		NvrtcSource src = {
			.name = "k0",
			.text = "extern \"C\" __global__ void k(int *p)\n"
				"{\n\t*p = 1;\n}\n",
			.arch = "sm_80"};
		volatile bool raised = false, ok = false;
		arena_init(&a);
		if (OOM_TRAP(&trap)) {
			raised = true;
		} else {
			oom_fail_nth(nth);
			ok = nvrtc_open(&ctx, NULL, &n) &&
			     nvrtc_compile(&ctx, &a, &n, &src, 1) &&
			     cubin_read(&ctx, &a, src.cubin, src.size, &c) &&
			     cubin_read_log(&ctx, &c, src.log);
			oom_fail_nth(0);
			oom_trap_pop(&trap);
		}
		arena_release(&a);
		CHECK(raised || ok);
		ctx_clear_errors(&ctx);
		if (!raised) {
			CHECK(nth > 4);
			break;
		}
	}
}

TEST_MAIN(TEST(candidates), TEST(noted), TEST(missing_library), TEST(options),
	  TEST(facts), TEST(calls), TEST(matrix_warp), TEST(matrix_warpgroup),
	  TEST(serialized), TEST(log_disagrees), TEST(compile_errors),
	  TEST(unknown_archs), TEST(damaged), TEST(crafted), TEST(two_threads),
	  TEST(many), TEST(out_of_memory))
