/*
 * opencl: kernels on the first device that will do, which may be PoCL's; and
 * errors, each told with what to do, and the order of calls. For these a
 * library with libOpenCL's names, made here with the C compiler, keeps
 * "device" memory on the host and has one kernel. It does as the environment
 * says: FAKE_PLATFORMS, FAKE_DEVICES, FAKE_VERSION, FAKE_SINGLE,
 * FAKE_EXTENSIONS, FAKE_STATUS, FAKE_LOG, FAKE_FAIL=CALL:RESULT.
 */
#include "base/base.h"
#include "runtime/opencl.h"
#include "tests/unit/folder.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static const char fake_text[] =
	"#include <stdint.h>\n"
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"#include <string.h>\n"
	"int fake_live, fake_launches;\n"
	"static const char *word(const char *name, const char *otherwise)\n"
	"{ return getenv(name) ? getenv(name) : otherwise; }\n"
	"static int fails(const char *call)\n{\n"
	"\tconst char *v = getenv(\"FAKE_FAIL\");\n"
	"\tsize_t n = strlen(call);\n"
	"\treturn v && !strncmp(v, call, n) && v[n] == ':' ? atoi(v + n + 1)"
	" : 0;\n}\n"
	"static int put(const void *v, size_t n, size_t size, void *to, size_t "
	"*used)\n{\n"
	"\tif (used) *used = n;\n"
	"\tif (to && size < n) return -30;\n"
	"\tif (to) memcpy(to, v, n);\n"
	"\treturn 0;\n}\n"
	"#define TEXT(s) return put(s, strlen(s) + 1, size, to, used)\n"
	"#define NUMBER(type, v) { type n = v; "
	"return put(&n, sizeof(n), size, to, used); }\n"
	"#define INFO unsigned what, size_t size, void *to, size_t *used\n"
	"#define BEGIN if (fails(__func__)) return fails(__func__);\n"
	"#define MAKE(p) *e = fails(__func__); if (*e) return 0; "
	"fake_live++; return p;\n"
	"#define FREE fake_live--; BEGIN return 0;\n"
	"int clGetPlatformIDs(unsigned n, void **p, unsigned *count)\n"
	"{ BEGIN *count = atoi(word(\"FAKE_PLATFORMS\", \"2\")); "
	"for (long i = 0; i < n && i < *count; i++) p[i] = (void *)(i + 1); "
	"return *count ? 0 : -1001; }\n"
	"int clGetPlatformInfo(void *p, INFO)\n"
	"{ BEGIN if (what == 0x902) TEXT(p == (void *)1 ? \"Fakes\" : "
	"p == (void *)2 ? \"Empty\" : \"More\"); TEXT(\"OpenCL 3.0 of none\"); "
	"}\n"
	"int clGetDeviceIDs(void *p, uint64_t type, unsigned n, void **ids, "
	"unsigned *count)\n"
	"{ BEGIN if (p == (void *)2) return -1; "
	"*count = atoi(word(\"FAKE_DEVICES\", \"1\")); "
	"for (long i = 0; i < n && i < *count; i++) ids[i] = (void *)(i + 7); "
	"return *count ? 0 : -1; }\n"
	"int clGetDeviceInfo(void *d, INFO)\n{\n"
	"\tBEGIN\n"
	"\tchar name[20];\n"
	"\tsize_t items[3] = {64, 64, 16};\n"
	"\tsnprintf(name, 20, \"Fake %ld\", (long)d);\n"
	"\tswitch (what) {\n"
	"\tcase 0x1002: NUMBER(unsigned, 132)\n"
	"\tcase 0x1004: NUMBER(size_t, 64)\n"
	"\tcase 0x1005: return put(items, sizeof(items), size, to, used);\n"
	"\tcase 0x1010: NUMBER(uint64_t, 1u << 30)\n"
	"\tcase 0x101b: NUMBER(uint64_t, d == (void *)7 ? "
	"atoi(word(\"FAKE_SINGLE\", \"135\")) : 135)"
	"\n"
	"\tcase 0x101f: NUMBER(uint64_t, 3ul << 30)\n"
	"\tcase 0x1023: NUMBER(uint64_t, 49152)\n"
	"\tcase 0x1027: case 0x1028: NUMBER(unsigned, 1)\n"
	"\tcase 0x102b: TEXT(name);\n"
	"\tcase 0x102d: TEXT(\"13.7\");\n"
	"\tcase 0x102f: TEXT(word(\"FAKE_VERSION\", \"OpenCL 3.0 it is\"));\n"
	"\tcase 0x1030: TEXT(word(\"FAKE_EXTENSIONS\", \"cl_khr_fp16_not "
	"cl_khr_int64_extended_atomics cl_khr_fp64\"));\n"
	"\tcase 0x105c: NUMBER(unsigned, 2)\n"
	"\tcase 0x1067: NUMBER(size_t, 32)\n"
	"\t}\n"
	"\treturn -30;\n}\n";

/* Beside what asks: what does. */
static const char fake_calls[] =
	"void *clCreateContext(intptr_t *p, unsigned n, void **d, void *f, "
	"void *a, int *e)\n"
	"{ if (p[0] != 0x1084 || p[1] != 1 || p[2] || n != 1 || *d != (void "
	"*)7)"
	" abort(); MAKE(p) }\n"
	"int clReleaseContext(void *c) { FREE }\n"
	"void *clCreateCommandQueue(void *c, void *d, uint64_t p, int *e)\n"
	"{ if (p) abort(); MAKE(d) }\n"
	"int clReleaseCommandQueue(void *q) { FREE }\n"
	"void *clCreateProgramWithSource(void *c, unsigned n, const char **s, "
	"size_t *sizes, int *e)\n"
	"{ MAKE((void *)*s) }\n"
	"void *clCreateProgramWithBinary(void *c, unsigned n, void **d, "
	"size_t *sizes, void **b, int *status, int *e)\n"
	"{ if (*sizes != 6) abort(); if (getenv(\"FAKE_STATUS\")) "
	"{ *e = 0; *status = -42; fake_live++; return *b; } MAKE(*b) }\n"
	"int clBuildProgram(void *p, unsigned n, void **d, const char "
	"*options, "
	"void *f, void *a)\n"
	"{ BEGIN if (strcmp(options, \"-cl-fp32-correctly-rounded-divide-sqrt "
	"-w\")) abort(); return strncmp(p, \"kernel\", 6) ? -11 : 0; }\n"
	"int clGetProgramBuildInfo(void *p, void *d, INFO)\n"
	"{ BEGIN char s[10000]; snprintf(s, 10000, \"%-*s\", "
	"atoi(word(\"FAKE_LOG\", \"0\")), \"line 1: no kernel\"); TEXT(s); "
	"}\n"
	"int clGetProgramInfo(void *p, INFO)\n"
	"{ BEGIN if (what == 0x1165) NUMBER(size_t, 6) "
	"memcpy(*(char **)to, \"kernel\", 6); return 0; }\n"
	"int clReleaseProgram(void *p) { FREE }\n"
	"void *clCreateKernel(void *p, const char *name, int *e)\n"
	"{ if (strcmp(name, \"twice\")) { *e = -46; return 0; } MAKE(p) }\n"
	"int clGetKernelWorkGroupInfo(void *k, void *d, INFO)\n"
	"{ BEGIN if (what == 0x11b0) NUMBER(size_t, 48) "
	"if (what == 0x11b2) NUMBER(uint64_t, 152) NUMBER(size_t, 8) }\n"
	"int clReleaseKernel(void *k) { FREE }\n"
	"static int *p, n;\n"
	"int clSetKernelArg(void *k, unsigned i, size_t size, const void *v)\n"
	"{ BEGIN if (i == 0 && size == 8) p = *(int **)v; "
	"else if (i == 1 && size == 64 && !v) n = 0; "
	"else if (i == 2 && size == 4) n = *(int *)v; "
	"else return -51; return 0; }\n"
	"void *clCreateBuffer(void *c, uint64_t flags, size_t size, void *h, "
	"int *e)\n"
	"{ if (flags != 1 || h) abort(); MAKE(malloc(size)) }\n"
	"int clReleaseMemObject(void *m) { free(m); FREE }\n"
	"int clEnqueueWriteBuffer(void *q, char *m, unsigned block, size_t at, "
	"size_t size, void *from, unsigned n, void *w, void *ev)\n"
	"{ BEGIN memcpy(m + at, from, size); return block ? -30 : 0; }\n"
	"int clEnqueueReadBuffer(void *q, char *m, unsigned block, size_t at, "
	"size_t size, void *to, unsigned n, void *w, void *ev)\n"
	"{ BEGIN memcpy(to, m + at, size); return block ? -30 : 0; }\n"
	"int clEnqueueCopyBuffer(void *q, char *m, char *to, size_t at, size_t "
	"to_at, size_t size, unsigned n, void *w, void *ev)\n"
	"{ BEGIN memcpy(to + to_at, m + at, size); return 0; }\n"
	"int clEnqueueNDRangeKernel(void *q, void *k, unsigned dims, size_t "
	"*at, "
	"size_t *g, size_t *l, unsigned nw, void *w, void *ev)\n"
	"{ BEGIN if (dims != 3 || at || g[0] != 96 || g[1] != 1 || g[2] != 1 "
	"|| "
	"l[0] != 32 || l[1] != 1 || l[2] != 1) return -54;\n"
	"fake_launches++; for (int i = 0; i < n; i++) p[i] *= 2; return 0; }\n"
	"int clFinish(void *q) { BEGIN return 0; }\n";

/* Platforms keep what they made until the process ends. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libpocl\nleak:libLLVM\nleak:libclang\nleak:libOpenCL\n";
}

static Ctx ctx;
static const char *top;
static char library[300];

static void finish(void)
{
	test_folder_remove();
	ctx_release(&ctx);
}

static bool start(void)
{
	char command[700];
	ctx_clear_errors(&ctx);
	unsetenv("FAKE_PLATFORMS");
	unsetenv("FAKE_DEVICES");
	unsetenv("FAKE_VERSION");
	unsetenv("FAKE_SINGLE");
	unsetenv("FAKE_EXTENSIONS");
	unsetenv("FAKE_STATUS");
	unsetenv("FAKE_LOG");
	unsetenv("FAKE_FAIL");
	if (library[0])
		return true;
	ctx_init(&ctx);
	top = test_folder();
	atexit(finish);
	setenv("POCL_CACHE_DIR", top, 1);
	snprintf(library, sizeof(library), "%s/libOpenCL.so.1", top);
	snprintf(command, sizeof(command), "%s/fake.c", top);
	const char *text =
		arena_printf(&ctx.perm, "%s%s", fake_text, fake_calls);
	CHECK(file_write_atomic(&ctx, command, text, strlen(text)));
	snprintf(command, sizeof(command),
		 "cc -w -shared -fPIC -o %s %s/fake.c", library, top);
	return CHECK(system(command) == 0);
}

/* A counter of the fake. */
static int fake(const char *name)
{
	void *h = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
	int *p = h ? dlsym(h, name) : NULL;
	int value = p ? *p : -1;
	if (h)
		dlclose(h);
	return value;
}

static bool said(const char *what)
{
	bool yes = strstr(buf_str(&ctx.messages), what) != NULL;
	if (!yes)
		printf("not said: %s\n  but: %s", what, buf_str(&ctx.messages));
	ctx_clear_errors(&ctx);
	return yes;
}

static bool hinted(const char *what)
{
	return strstr(buf_str(&ctx.messages), what) != NULL;
}

/* ---- opening --------------------------------------------------------- */

static void missing(void)
{
	Opencl c;
	start();
	CHECK(!opencl_open(&ctx, "libtenon-none.so.1", &c));
	CHECK(ctx.err == ERR_ENV);
	CHECK(c.platform_count == 0 && c.devices == 0 && !c.path[0]);
	CHECK(hinted("hint: install an OpenCL loader"));
	CHECK(said("the OpenCL loader is not found: libtenon-none.so.1"));
	CHECK(!opencl_open(&ctx, "libm.so.6", &c));
	CHECK(said("libm.so.6 is no OpenCL loader: it has no "
		   "clGetPlatformIDs"));
}

static void opens(void)
{
	Opencl c;
	OpenclInfo info;
	if (!start())
		return;
	CHECK(opencl_open(&ctx, library, &c));
	CHECK_STR(c.path, library);
	CHECK(c.platform_count == 2 && c.devices == 1);
	CHECK_STR(c.platforms[0].name, "Fakes");
	CHECK_STR(c.platforms[0].version, "OpenCL 3.0 of none");
	CHECK_STR(c.platforms[0].why, "");
	CHECK_STR(c.platforms[1].name, "Empty");
	CHECK_STR(c.platforms[1].why, "it has no device");
	CHECK(opencl_info(&ctx, &c, 0, &info));
	CHECK_STR(info.name, "Fake 7");
	CHECK_STR(info.version, "OpenCL 3.0 it is");
	CHECK_STR(info.driver, "13.7");
	CHECK_STR(info.platform->name, "Fakes");
	CHECK(info.major == 3 && info.minor == 0);
	CHECK(info.compute_units == 132 && info.local == 49152);
	CHECK(info.memory == UINT64_C(3) << 30 && info.largest == 1u << 30);
	CHECK(info.work_group == 64 && info.multiple == 32);
	CHECK(info.work_items[0] == 64 && info.work_items[2] == 16);
	CHECK(!info.fp16 && info.fp64 && info.subgroups && info.atomics64);
	CHECK(info.subnormals && info.divides && info.ieee);
	CHECK(opencl_unsuited(&info) == NULL);
	CHECK(!opencl_info(&ctx, &c, 1, &info));
	CHECK(said("there is no OpenCL device 1: devices are numbered from 0, "
		   "and there is 1"));
	CHECK(!opencl_info(&ctx, &c, -1, &info));
	CHECK(said("there is no OpenCL device -1"));
	setenv("FAKE_PLATFORMS", "3", 1);
	CHECK(opencl_open(&ctx, library, &c) && c.devices == 2);
	CHECK(opencl_info(&ctx, &c, 1, &info));
	CHECK_STR(info.platform->name, "More");
	/* before 2.1 and 3.0 neither of these is asked for */
	setenv("FAKE_VERSION", "OpenCL 1.2 old", 1);
	CHECK(opencl_info(&ctx, &c, 0, &info));
	CHECK(!info.subgroups && info.multiple == 0);
	CHECK(opencl_unsuited(&info) == NULL);
	setenv("FAKE_VERSION", "CLOpen", 1);
	CHECK(!opencl_info(&ctx, &c, 0, &info));
	CHECK(said("Fake 7 does not tell its version of OpenCL, but "
		   "\"CLOpen\""));
}

static void refusals(void)
{
	Opencl c;
	if (!start())
		return;
	setenv("FAKE_PLATFORMS", "0", 1);
	CHECK(!opencl_open(&ctx, library, &c));
	CHECK(ctx.err == ERR_ENV && c.path[0]);
	CHECK(hinted("hint: install a platform"));
	CHECK(said("the OpenCL loader is here, but no platform"));
	setenv("FAKE_PLATFORMS", "1", 1);
	setenv("FAKE_DEVICES", "0", 1);
	CHECK(!opencl_open(&ctx, library, &c));
	CHECK(hinted("hint: see whether the driver"));
	CHECK(said("there is no OpenCL device; of 1 platform, the first is "
		   "Fakes: it has no device"));
	setenv("FAKE_PLATFORMS", "90", 1);
	setenv("FAKE_DEVICES", "90", 1);
	CHECK(opencl_open(&ctx, library, &c));
	CHECK(c.platform_count == OPENCL_PLATFORMS);
	CHECK(c.devices == OPENCL_DEVICES);
}

static void unsuited(void)
{
	static const struct {
		const char *name, *value, *why;
	} rows[] = {
		{"FAKE_SINGLE", "134", "flushes subnormals of f32"},
		{"FAKE_SINGLE", "7",
		 "does not divide and take square roots of f32 with correct "
		 "rounding"},
		{"FAKE_SINGLE", "133",
		 "does not round f32 to nearest with infinities and NaN"},
		{"FAKE_SINGLE", "131",
		 "does not round f32 to nearest with infinities and NaN"},
		{"FAKE_EXTENSIONS", "cl_khr_int64_extended_atomics2",
		 "has no 64-bit atomics (cl_khr_int64_extended_atomics)"},
		{"FAKE_VERSION", "OpenCL 1.1",
		 "has a version of OpenCL before 1.2"},
	};
	Opencl c;
	OpenclInfo info;
	OpenclDevice d;
	int n;
	if (!start())
		return;
	CHECK(opencl_open(&ctx, library, &c));
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		setenv(rows[i].name, rows[i].value, 1);
		CHECK(opencl_info(&ctx, &c, 0, &info));
		CHECK_STR(opencl_unsuited(&info), rows[i].why);
		CHECK(!opencl_device_open(&ctx, &c, 0, &d));
		CHECK(ctx.err == ERR_ENV);
		CHECK(said(arena_printf(
			&ctx.perm,
			"OpenCL device 0, Fake 7, will not do: it %s",
			rows[i].why)));
		unsetenv(rows[i].name);
	}
	setenv("FAKE_SINGLE", "134", 1);
	CHECK(!opencl_find(&ctx, &c, &n));
	CHECK(hinted("hint: tenon devices shows what each lacks"));
	CHECK(said("OpenCL device 0, Fake 7, will not do: it flushes"));
	setenv("FAKE_DEVICES", "2", 1);
	CHECK(opencl_open(&ctx, library, &c));
	CHECK(opencl_find(&ctx, &c, &n) && n == 1);
	unsetenv("FAKE_SINGLE");
	CHECK(opencl_find(&ctx, &c, &n) && n == 0);
	info.available = info.compiles = false;
	CHECK_STR(opencl_unsuited(&info), "is not available");
	info.available = true;
	CHECK_STR(opencl_unsuited(&info), "has no compiler");
	CHECK(fake("fake_live") == 0);
}

/* ---- the fake's device ----------------------------------------------- */

/* Everything once, to the end or to the first failure; then all is freed. */
static bool work(void)
{
	int numbers[40], back[40] = {0}, n = 40;
	Opencl c;
	OpenclDevice d = {0};
	OpenclProgram p = NULL, again = NULL;
	OpenclKernel k = {0};
	OpenclMem m = NULL, copy = NULL;
	OpenclArg args[] = {
		{&m, sizeof(m)},
		{NULL, 64},
		{&n, sizeof(n)},
	};
	OpenclLaunch l = {.kernel = &k,
			  .global = {96, 1, 1},
			  .local = {32, 1, 1},
			  .args = args,
			  .count = 3};
	void *bytes;
	size_t size;
	for (int i = 0; i < 40; i++)
		numbers[i] = i;
	bool ok = opencl_open(&ctx, library, &c) &&
		  opencl_device_open(&ctx, &c, 0, &d) &&
		  opencl_build(&ctx, &d, "k0", "kernel", "-w", &p) &&
		  opencl_binary(&ctx, &ctx.perm, &d, p, &bytes, &size) &&
		  opencl_load(&ctx, &d, "k0", bytes, size, "-w", &again) &&
		  opencl_kernel(&ctx, &d, again, "twice", &k) &&
		  opencl_alloc(&ctx, &d, sizeof(numbers), &m) &&
		  opencl_alloc(&ctx, &d, sizeof(numbers), &copy) &&
		  opencl_copy_in(&ctx, &d, m, 0, numbers, sizeof(numbers)) &&
		  opencl_launch(&ctx, &d, &l) &&
		  opencl_copy_over(&ctx, &d, copy, m, sizeof(numbers)) &&
		  opencl_copy_out(&ctx, &d, back, copy, 8, sizeof(back) - 8) &&
		  opencl_finish(&ctx, &d);
	for (int i = 0; ok && i < 38; i++)
		CHECK(back[i] == 2 * (i + 2));
	if (d.context) {
		ok &= opencl_free(&ctx, &d, m);
		ok &= opencl_free(&ctx, &d, copy);
		ok &= opencl_kernel_free(&ctx, &d, &k);
		ok &= opencl_program_free(&ctx, &d, again);
		ok &= opencl_program_free(&ctx, &d, p);
		ok &= opencl_device_close(&ctx, &d);
		CHECK(opencl_device_close(&ctx, &d));
	}
	return ok;
}

static void works(void)
{
	if (!start())
		return;
	int launches = fake("fake_launches");
	CHECK(work());
	CHECK(fake("fake_launches") == (launches < 0 ? 1 : launches + 1));
	CHECK(fake("fake_live") == 0);
}

/* Each call fails in turn: reported by name, all freed. */
static void failures(void)
{
#define NAME(result, name, parameters) #name,
	static const char *const names[] = {OPENCL_ENTRIES(NAME)};
#undef NAME
	int count = 0;
	if (!start())
		return;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (strcmp(names[i], "clGetPlatformInfo") == 0 ||
		    strcmp(names[i], "clGetProgramBuildInfo") == 0)
			continue; /* texts that an error or a list can miss */
		setenv("FAKE_FAIL", arena_printf(&ctx.perm, "%s:-36", names[i]),
		       1);
		CHECK(!work());
		CHECK(ctx.err == ERR_ENV);
		CHECK(hinted("CL_INVALID_COMMAND_QUEUE (-36)"));
		CHECK(said(arena_printf(&ctx.perm, "%s failed", names[i])));
		CHECK(fake("fake_live") == 0);
		count++;
	}
	CHECK(count == 23);
	setenv("FAKE_FAIL", "clFinish:-5", 1);
	CHECK(!work());
	CHECK(ctx.err == ERR_ENV);
	CHECK(hinted("hint: a kernel wanted more registers"));
	CHECK(said("clFinish failed on Fake 7: CL_OUT_OF_RESOURCES (-5)"));
	setenv("FAKE_FAIL", "clSetKernelArg:-9999", 1);
	CHECK(!work());
	CHECK(said("clSetKernelArg failed on twice, argument 0: an error "
		   "without a name (-9999)"));
	setenv("FAKE_FAIL", "clGetPlatformInfo:-30", 1);
	CHECK(work());
	unsetenv("FAKE_FAIL");
	CHECK(work());
}

static void memory(void)
{
	static const char *const results[] = {"-4", "-5", "-6", "-61"};
	Opencl c;
	OpenclDevice d;
	OpenclMem m;
	if (!start())
		return;
	CHECK(opencl_open(&ctx, library, &c));
	CHECK(opencl_device_open(&ctx, &c, 0, &d));
	for (size_t i = 0; i < ARRAY_LEN(results); i++) {
		setenv("FAKE_FAIL",
		       arena_printf(&ctx.perm, "clCreateBuffer:%s", results[i]),
		       1);
		CHECK(!opencl_alloc(&ctx, &d, 123456, &m));
		CHECK(ctx.err == ERR_NOMEM && !m);
		CHECK(said("out of device memory: 123456 bytes were refused on "
			   "Fake 7, which has 3221225472, at most 1073741824 "
			   "in one buffer"));
	}
	unsetenv("FAKE_FAIL");
	CHECK(!opencl_alloc(&ctx, &d, (1u << 30) + 1, &m));
	CHECK(ctx.err == ERR_NOMEM);
	CHECK(said("out of device memory: 1073741825 bytes were refused"));
	/* memory may be taken late */
	setenv("FAKE_FAIL", "clEnqueueWriteBuffer:-4", 1);
	CHECK(opencl_alloc(&ctx, &d, 4, &m));
	CHECK(!opencl_copy_in(&ctx, &d, m, 0, "abc", 4));
	CHECK(ctx.err == ERR_NOMEM);
	CHECK(said("CL_MEM_OBJECT_ALLOCATION_FAILURE (-4)"));
	CHECK(opencl_free(&ctx, &d, m));
	/* nothing asked for: nothing called */
	CHECK(opencl_alloc(&ctx, &d, 0, &m) && !m);
	CHECK(opencl_free(&ctx, &d, NULL));
	CHECK(opencl_copy_in(&ctx, &d, NULL, 0, NULL, 0));
	CHECK(opencl_copy_out(&ctx, &d, NULL, NULL, 0, 0));
	CHECK(opencl_program_free(&ctx, &d, NULL));
	CHECK(opencl_device_close(&ctx, &d));
	CHECK(fake("fake_live") == 0);
}

static void programs(void)
{
	Opencl c;
	OpenclDevice d;
	OpenclProgram p;
	OpenclKernel k;
	if (!start())
		return;
	CHECK(opencl_open(&ctx, library, &c));
	CHECK(opencl_device_open(&ctx, &c, 0, &d));
	CHECK(!opencl_build(&ctx, &d, "k3", "nothing", "-w", &p) && !p);
	CHECK(ctx.err == ERR_ENV);
	CHECK(said("clBuildProgram failed on kernel k3 for Fake 7: "
		   "CL_BUILD_PROGRAM_FAILURE (-11)\nline 1: no kernel\n"));
	setenv("FAKE_LOG", "9000", 1);
	CHECK(!opencl_build(&ctx, &d, "k3", "nothing", "-w", &p) && !p);
	CHECK(buf_str(&ctx.messages)[0] && ctx.messages.n < 4200);
	CHECK(said("line 1: no kernel         "));
	setenv("FAKE_FAIL", "clGetProgramBuildInfo:-30", 1);
	CHECK(!opencl_build(&ctx, &d, "k3", "nothing", "-w", &p) && !p);
	CHECK(said("CL_BUILD_PROGRAM_FAILURE (-11)\n"));
	setenv("FAKE_FAIL", "clBuildProgram:-6", 1);
	CHECK(!opencl_build(&ctx, &d, "k3", "kernel", "-w", &p));
	CHECK(ctx.err == ERR_NOMEM);
	CHECK(said("CL_OUT_OF_HOST_MEMORY (-6)"));
	unsetenv("FAKE_FAIL");
	CHECK(opencl_build(&ctx, &d, "k3", "kernel", "-w", &p));
	CHECK(!opencl_kernel(&ctx, &d, p, "thrice", &k) && !k.id);
	CHECK(said("clCreateKernel failed on thrice: CL_INVALID_KERNEL_NAME"));
	CHECK(opencl_kernel_free(&ctx, &d, &k));
	CHECK(opencl_program_free(&ctx, &d, p));
	CHECK(opencl_device_close(&ctx, &d));
	CHECK(fake("fake_live") == 0);
}

/* One failing call after another, until memory is out; whether it was. */
static bool fail_until(const OpenclDevice *d, OpenclProgram p, long nth)
{
	Ctx own;
	OomTrap trap;
	OpenclDevice other;
	OpenclProgram none;
	OpenclKernel k;
	ctx_init(&own);
	oom_fail_nth(nth);
	if (OOM_TRAP(&trap)) {
		oom_fail_nth(0);
		ctx_release(&own);
		return true;
	}
	setenv("FAKE_FAIL", "clCreateCommandQueue:-36", 1);
	CHECK(!opencl_device_open(&own, d->opencl, 0, &other));
	setenv("FAKE_FAIL", "clGetKernelWorkGroupInfo:-36", 1);
	CHECK(!opencl_kernel(&own, d, p, "twice", &k));
	setenv("FAKE_FAIL", "none", 1);
	CHECK(!opencl_build(&own, d, "k3", "nothing", "-w", &none));
	oom_trap_pop(&trap);
	oom_fail_nth(0);
	ctx_release(&own);
	return false;
}

static void unwinds(void)
{
	Opencl c;
	OpenclDevice d;
	OpenclProgram p;
	long nth = 1;
	if (!start())
		return;
	CHECK(opencl_open(&ctx, library, &c));
	CHECK(opencl_device_open(&ctx, &c, 0, &d));
	CHECK(opencl_build(&ctx, &d, "k0", "kernel", "-w", &p));
	while (fail_until(&d, p, nth)) {
		if (!CHECK(fake("fake_live") == 3))
			break;
		nth++;
	}
	CHECK(nth > 8);
	unsetenv("FAKE_FAIL");
	CHECK(opencl_program_free(&ctx, &d, p));
	CHECK(opencl_device_close(&ctx, &d));
	CHECK(fake("fake_live") == 0);
}

/* Bytes that are refused: no error, and no program. */
static void binaries(void)
{
	static const char *const refusals[] = {
		"clCreateProgramWithBinary:-42", "clBuildProgram:-42",
		"clBuildProgram:-11", "clBuildProgram:-3"};
	Opencl c;
	OpenclDevice d;
	OpenclProgram p;
	void *bytes;
	size_t size;
	if (!start())
		return;
	CHECK(opencl_open(&ctx, library, &c));
	CHECK(opencl_device_open(&ctx, &c, 0, &d));
	CHECK(opencl_build(&ctx, &d, "k3", "kernel", "-w", &p));
	CHECK(opencl_binary(&ctx, &ctx.perm, &d, p, &bytes, &size));
	CHECK(size == 6 + 64 && memcmp(bytes, "kernel", 6) == 0);
	CHECK(opencl_program_free(&ctx, &d, p));
	for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
		setenv("FAKE_FAIL", refusals[i], 1);
		CHECK(opencl_load(&ctx, &d, "k3", bytes, size, "-w", &p) && !p);
	}
	setenv("FAKE_FAIL", "clBuildProgram:-6", 1);
	CHECK(!opencl_load(&ctx, &d, "k3", bytes, size, "-w", &p) && !p);
	CHECK(ctx.err == ERR_NOMEM);
	CHECK(said("clBuildProgram failed on k3: CL_OUT_OF_HOST_MEMORY"));
	unsetenv("FAKE_FAIL");
	setenv("FAKE_STATUS", "1", 1);
	CHECK(opencl_load(&ctx, &d, "k3", bytes, size, "-w", &p) && !p);
	unsetenv("FAKE_STATUS");
	/* these the platform does not get to see */
	setenv("FAKE_FAIL", "clCreateProgramWithBinary:-36", 1);
	CHECK(!opencl_load(&ctx, &d, "k3", bytes, size, "-w", &p));
	ctx_clear_errors(&ctx);
	for (size_t n = 0; n < size; n++) {
		char *byte = (char *)bytes + n;
		CHECK(opencl_load(&ctx, &d, "k3", bytes, n, "-w", &p) && !p);
		*byte ^= 1;
		CHECK(opencl_load(&ctx, &d, "k3", bytes, size, "-w", &p) && !p);
		*byte ^= 1;
	}
	snprintf(d.info.driver, sizeof(d.info.driver), "13.8");
	CHECK(opencl_load(&ctx, &d, "k3", bytes, size, "-w", &p) && !p);
	CHECK(ctx.err == ERR_NONE);
	CHECK(opencl_device_close(&ctx, &d));
	CHECK(fake("fake_live") == 0);
}

/* Of launch sizes, what the device or CL would not take. */
static void sizes(void)
{
	static const struct {
		size_t global[3], local[3], bytes;
		const char *what;
	} rows[] = {
		{{96, 1, 1},
		 {36, 1, 1},
		 0,
		 "kernel twice has 96 work-items "
		 "along axis 0, which are not groups "
		 "of 36"},
		{{96, 1, 1},
		 {32, 0, 1},
		 0,
		 "kernel twice has 1 work-items "
		 "along axis 1, which are not groups "
		 "of 0"},
		{{96, 2, 1},
		 {32, 2, 1},
		 0,
		 "kernel twice wants groups of 32 x "
		 "2 x 1 work-items; on Fake 7 it can "
		 "have 48, and at most 64 x 64 x 16"},
		{{1, 1, 32}, {1, 1, 32}, 0, "groups of 1 x 1 x 32"},
		{{(size_t)1 << 63, 2, 1},
		 {(size_t)1 << 63, 2, 1},
		 0,
		 "groups of 9223372036854775808 x 2 x 1"},
		{{32, 1, 1},
		 {32, 1, 1},
		 49001,
		 "kernel twice wants 49153 bytes "
		 "of local memory; a group of "
		 "Fake 7 has 49152"},
	};
	Opencl c;
	OpenclDevice d;
	OpenclProgram p;
	OpenclKernel k;
	if (!start())
		return;
	CHECK(opencl_open(&ctx, library, &c));
	CHECK(opencl_device_open(&ctx, &c, 0, &d));
	CHECK(opencl_build(&ctx, &d, "k0", "kernel", "-w", &p));
	CHECK(opencl_kernel(&ctx, &d, p, "twice", &k));
	CHECK(k.work_group == 48 && k.multiple == 8 && k.local == 152);
	int launches = fake("fake_launches");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		OpenclArg arg = {NULL, rows[i].bytes};
		OpenclLaunch l = {.kernel = &k, .args = &arg, .count = 1};
		memcpy(l.global, rows[i].global, sizeof(l.global));
		memcpy(l.local, rows[i].local, sizeof(l.local));
		CHECK(!opencl_launch(&ctx, &d, &l));
		CHECK(said(rows[i].what));
		/* nothing to do is done, whatever the groups */
		l.global[i % 3] = 0;
		CHECK(opencl_launch(&ctx, &d, &l));
	}
	CHECK(fake("fake_launches") == launches);
	CHECK(opencl_kernel_free(&ctx, &d, &k));
	CHECK(opencl_program_free(&ctx, &d, p));
	CHECK(opencl_device_close(&ctx, &d));
}

/* ---- a device -------------------------------------------------------- */

static const char real_text[] =
	"__kernel void add(__global const float *a, __global const float *b,\n"
	"\t\t  __global float *out, int n, __global float *none)\n"
	"{\n"
	"\tint i = get_global_id(0) + get_global_size(0) * get_global_id(1);\n"
	"\tif (i < n && !none)\n"
	"\t\tout[i] = a[i] + b[i];\n"
	"}\n"
	"__kernel void sum(__global const int *a, __global int *out,\n"
	"\t\t  __local int *s)\n"
	"{\n"
	"\t__local int twice;\n"
	"\tint i = get_local_id(0);\n"
	"\ts[i] = a[get_global_id(0)];\n"
	"\tfor (int n = get_local_size(0) / 2; n > 0; n /= 2) {\n"
	"\t\tbarrier(CLK_LOCAL_MEM_FENCE);\n"
	"\t\tif (i < n)\n"
	"\t\t\ts[i] += s[i + n];\n"
	"\t}\n"
	"\tif (i == 0)\n"
	"\t\ttwice = 2 * s[0];\n"
	"\tbarrier(CLK_LOCAL_MEM_FENCE);\n"
	"\tif (i == get_local_size(0) - 1)\n"
	"\t\tout[get_group_id(0)] = twice;\n"
	"}\n";

static Opencl real_cl;
static OpenclDevice real;
static OpenclProgram real_program;

/*
 * The first device that will do. Without one the test fails: tools/setup has
 * seen to it.
 */
static bool real_open(void)
{
	int n;
	bool ok = start() && opencl_open(&ctx, NULL, &real_cl) &&
		  opencl_find(&ctx, &real_cl, &n) &&
		  opencl_device_open(&ctx, &real_cl, n, &real) &&
		  opencl_build(&ctx, &real, "real", real_text, NULL,
			       &real_program);

	if (!CHECK(ok))
		printf("%s", buf_str(&ctx.messages));
	ctx_clear_errors(&ctx);
	return ok;
}

static void real_close(void)
{
	CHECK(opencl_program_free(&ctx, &real, real_program));
	CHECK(opencl_device_close(&ctx, &real));
	CHECK_STR(buf_str(&ctx.messages), "");
}

/* add on two axes, of a program; parts of buffers are copied. */
static void add_with(OpenclProgram program)
{
	enum {
		N = 1000
	};
	static float host[3][N];
	const OpenclDevice *d = &real;
	OpenclKernel k;
	OpenclMem m[3], none;
	int n = N;
	OpenclArg args[] = {
		{&m[0], sizeof(m[0])}, {&m[1], sizeof(m[1])},
		{&m[2], sizeof(m[2])}, {&n, sizeof(n)},
		{&none, sizeof(none)},
	};
	OpenclLaunch l = {.kernel = &k,
			  .global = {64, 16, 1},
			  .local = {16, 2, 1},
			  .args = args,
			  .count = ARRAY_LEN(args)};
	CHECK(opencl_kernel(&ctx, d, program, "add", &k));
	CHECK(k.work_group >= 32);
	CHECK(opencl_alloc(&ctx, d, 0, &none));
	for (int i = 0; i < N; i++) {
		host[0][i] = (float)i;
		host[1][i] = 0x1p-140F * (float)(i & 1); /* subnormal */
		host[2][i] = -1;
	}
	for (int i = 0; i < 3; i++) {
		CHECK(opencl_alloc(&ctx, d, sizeof(host[i]), &m[i]));
		CHECK(opencl_copy_in(&ctx, d, m[i], 0, host[i],
				     sizeof(host[i])));
	}
	CHECK(opencl_finish(&ctx, d));
	host[0][1] = 0;
	CHECK(opencl_copy_in(&ctx, d, m[0], 4, &host[0][1], 4));
	CHECK(opencl_launch(&ctx, d, &l));
	CHECK(opencl_copy_out(&ctx, d, host[2], m[2], 0, 8));
	CHECK(opencl_copy_out(&ctx, d, &host[2][2], m[2], 8,
			      sizeof(host[2]) - 8));
	CHECK(opencl_finish(&ctx, d));
	int wrong = 0;
	for (int i = 0; i < N; i++)
		wrong += host[2][i] != host[0][i] + host[1][i];
	CHECK(wrong == 0 && host[2][1] == 0x1p-140F);
	for (int i = 0; i < 3; i++)
		CHECK(opencl_free(&ctx, d, m[i]));
	CHECK(opencl_kernel_free(&ctx, d, &k));
}

static void real_adds(void)
{
	if (!real_open())
		return;
	printf("on %s, %s\n", real.info.name, real.info.version);
	add_with(real_program);
	real_close();
}

static void real_reduces(void)
{
	int a[4096], out[64];
	OpenclKernel k;
	OpenclMem in, to;
	OpenclArg args[] = {
		{&in, sizeof(in)}, {&to, sizeof(to)}, {NULL, 64 * sizeof(int)}};
	OpenclLaunch l = {.kernel = &k,
			  .global = {4096, 1, 1},
			  .local = {64, 1, 1},
			  .args = args,
			  .count = 3};
	if (!real_open())
		return;
	for (int i = 0; i < 4096; i++)
		a[i] = i * i;
	CHECK(opencl_kernel(&ctx, &real, real_program, "sum", &k));
	CHECK(opencl_alloc(&ctx, &real, sizeof(a), &in));
	CHECK(opencl_alloc(&ctx, &real, sizeof(out), &to));
	CHECK(opencl_copy_in(&ctx, &real, in, 0, a, sizeof(a)));
	CHECK(opencl_launch(&ctx, &real, &l));
	CHECK(opencl_copy_out(&ctx, &real, out, to, 0, sizeof(out)));
	CHECK(opencl_finish(&ctx, &real));
	for (int g = 0; g < 64; g++) {
		int sum = 0;
		for (int i = 0; i < 64; i++)
			sum += 2 * a[64 * g + i];
		CHECK(out[g] == sum);
	}
	CHECK(opencl_free(&ctx, &real, in));
	CHECK(opencl_free(&ctx, &real, to));
	CHECK(opencl_kernel_free(&ctx, &real, &k));
	real_close();
}

static void real_log(void)
{
	OpenclProgram p;
	if (!real_open())
		return;
	CHECK(!opencl_build(&ctx, &real, "k7",
			    "__kernel void f(__global int *p)\n"
			    "{\n\t*p = no_such_name;\n}\n",
			    NULL, &p));
	CHECK(ctx.err == ERR_ENV && !p);
	CHECK(hinted("clBuildProgram failed on kernel k7 for "));
	CHECK(hinted("CL_BUILD_PROGRAM_FAILURE (-11)"));
	CHECK(said("no_such_name"));
	CHECK(opencl_build(&ctx, &real, "k7",
			   "__kernel void f(__global int *p)\n"
			   "{\n\t*p = NUMBER;\n}\n",
			   "-DNUMBER=7", &p));
	CHECK(opencl_program_free(&ctx, &real, p));
	real_close();
}

static void real_binary(void)
{
	OpenclProgram again;
	void *bytes;
	size_t size;
	if (!real_open())
		return;
	CHECK(opencl_binary(&ctx, &ctx.perm, &real, real_program, &bytes,
			    &size));
	CHECK(size > 0);
	CHECK(opencl_load(&ctx, &real, "real", bytes, size, NULL, &again));
	if (CHECK(again != NULL))
		add_with(again);
	CHECK(opencl_program_free(&ctx, &real, again));
	((char *)bytes)[size / 2] ^= 1;
	CHECK(opencl_load(&ctx, &real, "real", bytes, size, NULL, &again));
	CHECK(!again);
	CHECK(opencl_load(&ctx, &real, "real", bytes, size / 2, NULL, &again));
	CHECK(!again);
	real_close();
}

static void real_sizes(void)
{
	char byte = 0;
	OpenclKernel k;
	OpenclMem m;
	OpenclArg arg = {&byte, sizeof(byte)};
	OpenclLaunch l = {.kernel = &k, .args = &arg, .count = 1};
	if (!real_open())
		return;
	const OpenclDevice *d = &real;
	CHECK(opencl_kernel(&ctx, d, real_program, "sum", &k));
	CHECK(!opencl_alloc(&ctx, d, SIZE_MAX, &m));
	CHECK(ctx.err == ERR_NOMEM);
	CHECK(said("out of device memory: 18446744073709551615 bytes"));
	CHECK(opencl_alloc(&ctx, d, 16, &m));
	CHECK(!opencl_copy_in(&ctx, d, m, 16, &byte, 1));
	CHECK(said("clEnqueueWriteBuffer failed on "));
	CHECK(!opencl_copy_out(&ctx, d, &byte, m, 16, 1));
	CHECK(hinted("CL_INVALID_VALUE (-30)"));
	CHECK(said("clEnqueueReadBuffer failed on "));
	l.global[0] = l.local[0] = k.work_group + 1;
	l.global[1] = l.local[1] = l.global[2] = l.local[2] = 1;
	CHECK(!opencl_launch(&ctx, d, &l));
	CHECK(said("kernel sum wants groups of "));
	l.global[0] = l.local[0] = 8;
	CHECK(!opencl_launch(&ctx, d, &l));
	CHECK(hinted("CL_INVALID_ARG_SIZE (-51)"));
	CHECK(said("clSetKernelArg failed on sum, argument 0"));
	/* more than there is, whatever the kernel itself is said to have: some
	 * versions of PoCL leave its own variables out */
	arg = (OpenclArg){NULL, d->info.local + 1};
	CHECK(!opencl_launch(&ctx, d, &l));
	CHECK(said("kernel sum wants "));
	l.count = 0;
	CHECK(!opencl_launch(&ctx, d, &l));
	CHECK(said("clEnqueueNDRangeKernel failed on sum: "
		   "CL_INVALID_KERNEL_ARGS (-52)"));
	l.global[1] = 0;
	CHECK(opencl_launch(&ctx, d, &l));
	CHECK(opencl_kernel_free(&ctx, d, &k));
	CHECK(!opencl_kernel(&ctx, d, real_program, "none", &k));
	CHECK(said("clCreateKernel failed on none: CL_INVALID_KERNEL_NAME"));
	CHECK(opencl_free(&ctx, d, m));
	CHECK(opencl_finish(&ctx, d));
	real_close();
}

TEST_MAIN(TEST(missing), TEST(opens), TEST(refusals), TEST(unsuited),
	  TEST(works), TEST(failures), TEST(memory), TEST(programs),
	  TEST(unwinds), TEST(binaries), TEST(sizes), TEST(real_adds),
	  TEST(real_reduces), TEST(real_log), TEST(real_binary),
	  TEST(real_sizes))
