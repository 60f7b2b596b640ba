/*
 * cuda: the driver's errors, each told with what to do, and the order of
 * calls. No GPU is needed: a library with libcuda's names, made here with the
 * C compiler, keeps "device" memory on the host and has one kernel. It does
 * as the environment says: FAKE_VERSION, FAKE_DEVICES, FAKE_FAIL=CALL:RESULT.
 */
#include "base/base.h"
#include "runtime/cuda.h"
#include "test.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static const char fake_text[] =
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"#include <string.h>\n"
	"int fake_depth, fake_retained, fake_memory, fake_launches;\n"
	"static int number(const char *name, int otherwise)\n{\n"
	"\tconst char *v = getenv(name);\n"
	"\treturn v ? atoi(v) : otherwise;\n}\n"
	"static int fails(const char *call)\n{\n"
	"\tconst char *v = getenv(\"FAKE_FAIL\");\n"
	"\tsize_t n = strlen(call);\n"
	"\treturn v && !strncmp(v, call, n) && v[n] == ':' ? atoi(v + n + 1)"
	" : 0;\n}\n"
	"#define BEGIN if (fails(__func__)) return fails(__func__);\n"
	"int cuInit(unsigned f) { BEGIN return f; }\n"
	"int cuDriverGetVersion(int *v)\n"
	"{ BEGIN *v = number(\"FAKE_VERSION\", 13000); return 0; }\n"
	"int cuDeviceGetCount(int *n)\n"
	"{ BEGIN *n = number(\"FAKE_DEVICES\", 1); return 0; }\n"
	"int cuDeviceGet(int *d, int n) { BEGIN *d = 7 + n; return 0; }\n"
	"int cuDeviceGetName(char *s, int n, int d)\n"
	"{ BEGIN snprintf(s, n, \"Fake %d\", d); return 0; }\n"
	"int cuDeviceGetAttribute(int *v, int a, int d)\n"
	"{ BEGIN *v = a == 75 ? 9 : a == 76 ? 0 : a == 16 ? 132 : a == 97 ? "
	"232448 : -1; return 0; }\n"
	"int cuDeviceTotalMem_v2(size_t *n, int d)\n"
	"{ BEGIN *n = (size_t)3 << 30; return 0; }\n"
	"int cuDevicePrimaryCtxRetain(void **c, int d)\n"
	"{ BEGIN fake_retained++; *c = &fake_depth; return d == 7 ? 0 : 101; }"
	"\n"
	"int cuDevicePrimaryCtxRelease_v2(int d)\n"
	"{ BEGIN fake_retained--; return 0; }\n"
	"int cuCtxPushCurrent_v2(void *c)\n"
	"{ BEGIN fake_depth++; return c == &fake_depth ? 0 : 201; }\n"
	"int cuCtxPopCurrent_v2(void **c)\n"
	"{ fake_depth--; BEGIN *c = &fake_depth; return 0; }\n"
	"#define INSIDE BEGIN if (fake_depth != 1) return 201;\n"
	"int cuModuleLoadData(void **m, const void *p)\n"
	"{ INSIDE *m = (void *)p; return memcmp(p, \"cubin\", 5) ? 200 : 0; }\n"
	"int cuModuleUnload(void *m) { INSIDE return 0; }\n"
	"int cuModuleGetFunction(void **f, void *m, const char *name)\n"
	"{ INSIDE *f = m; return strcmp(name, \"twice\") ? 500 : 0; }\n"
	"int cuFuncSetAttribute(void *f, int a, int v)\n"
	"{ INSIDE return a == 8 && v == 99999 ? 0 : 1; }\n"
	"int cuMemAlloc_v2(unsigned long *p, size_t n)\n"
	"{ INSIDE fake_memory++; *p = (unsigned long)malloc(n); return 0; }\n"
	"int cuMemFree_v2(unsigned long p)\n"
	"{ free((void *)p); INSIDE fake_memory--; return 0; }\n"
	"int cuMemcpyHtoDAsync_v2(unsigned long to, const void *p, size_t n, "
	"void *s)\n"
	"{ INSIDE memcpy((void *)to, p, n); return s ? 0 : 400; }\n"
	"int cuMemcpyDtoHAsync_v2(void *to, unsigned long p, size_t n, "
	"void *s)\n"
	"{ INSIDE memcpy(to, (void *)p, n); return s ? 0 : 400; }\n"
	"int cuStreamCreate(void **s, unsigned f)\n"
	"{ INSIDE *s = malloc(1); return f == 1 ? 0 : 1; }\n"
	"int cuStreamDestroy_v2(void *s) { free(s); INSIDE return 0; }\n"
	"int cuStreamSynchronize(void *s) { INSIDE return 0; }\n"
	"int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, "
	"unsigned bx, unsigned by, unsigned bz, unsigned shared, void *s, "
	"void **parameters, void **extra)\n{\n"
	"\tINSIDE\n"
	"\tstruct { int *p; int n; } *a = extra[1];\n"
	"\tif (parameters || extra[0] != (void *)1 || extra[2] != (void *)2 "
	"||\n"
	"\t    *(size_t *)extra[3] != 16 || extra[4])\n"
	"\t\treturn 1;\n"
	"\tif (gx != 3 || gy != 1 || gz != 1 || bx != 32 || by != 2 || bz != 1"
	" || shared != 99999)\n"
	"\t\treturn 1;\n"
	"\tfake_launches++;\n"
	"\tfor (int i = 0; i < a->n; i++) a->p[i] *= 2;\n"
	"\treturn 0;\n}\n"
	"int cuGetErrorName(int r, const char **s)\n"
	"{ *s = r == 719 ? \"CUDA_ERROR_LAUNCH_FAILED\" : r == 2 ? "
	"\"CUDA_ERROR_OUT_OF_MEMORY\" : r == 999 ? 0 : "
	"\"CUDA_ERROR_SOMETHING\"; return *s ? 0 : 1; }\n"
	"int cuGetErrorString(int r, const char **s)\n"
	"{ *s = \"what it means\"; return 0; }\n";

static Ctx ctx;
static char top[] = "/tmp/tenon-cuda-XXXXXX";
static char library[64];

static void finish(void)
{
	char command[100];
	snprintf(command, sizeof(command), "rm -rf %s", top);
	if (system(command) != 0)
		printf("left behind: %s\n", top);
	ctx_release(&ctx);
}

static bool start(void)
{
	char command[300];
	ctx_clear_errors(&ctx);
	unsetenv("FAKE_VERSION");
	unsetenv("FAKE_DEVICES");
	unsetenv("FAKE_FAIL");
	if (library[0])
		return true;
	ctx_init(&ctx);
	if (!CHECK(mkdtemp(top) != NULL))
		return false;
	atexit(finish);
	snprintf(library, sizeof(library), "%s/libcuda.so.1", top);
	snprintf(command, sizeof(command), "%s/fake.c", top);
	CHECK(file_write_atomic(&ctx, command, fake_text, strlen(fake_text)));
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

/* ---- opening --------------------------------------------------------- */

static void missing(void)
{
	Cuda c;
	start();
	CHECK(!cuda_open(&ctx, "libtenon-none.so.1", 0, &c));
	CHECK(ctx.err == ERR_ENV);
	CHECK(c.version == 0 && c.devices == 0);
	CHECK(strstr(buf_str(&ctx.messages), "hint: install NVIDIA's driver"));
	CHECK(said("the CUDA driver is not found: libtenon-none.so.1"));
	CHECK(!cuda_open(&ctx, "libm.so.6", 0, &c));
	CHECK(said("libm.so.6 is no CUDA driver that will do: it has no "
		   "cuInit"));
}

static void opens(void)
{
	Cuda c;
	CudaInfo info;
	if (!start())
		return;
	CHECK(cuda_open(&ctx, library, 13000, &c));
	CHECK_STR(c.path, library);
	CHECK(c.version == 13000 && c.devices == 1);
	CHECK(cuda_info(&ctx, &c, 0, &info));
	CHECK_STR(info.name, "Fake 7");
	CHECK(info.major == 9 && info.minor == 0);
	CHECK(info.multiprocessors == 132 && info.shared == 232448);
	CHECK(info.memory == (size_t)3 << 30);
	CHECK(!cuda_info(&ctx, &c, 1, &info));
	CHECK(said("there is no CUDA device 1: devices are numbered from 0, "
		   "and there is 1"));
	CHECK(!cuda_info(&ctx, &c, -1, &info));
	CHECK(said("there is no CUDA device -1"));
}

static void refusals(void)
{
	Cuda c;
	if (!start())
		return;
	setenv("FAKE_VERSION", "11040", 1);
	CHECK(!cuda_open(&ctx, library, 12060, &c));
	CHECK(ctx.err == ERR_ENV && c.version == 11040);
	CHECK(strstr(buf_str(&ctx.messages), "hint: update the driver"));
	CHECK(said("the CUDA driver is too old: it serves CUDA 11.4, and 12.6 "
		   "is needed"));
	unsetenv("FAKE_VERSION");
	setenv("FAKE_DEVICES", "0", 1);
	CHECK(!cuda_open(&ctx, library, 0, &c));
	CHECK(strstr(buf_str(&ctx.messages), "hint: no GPU is visible"));
	CHECK(said("the CUDA driver 13.0 is here, but no device"));
	unsetenv("FAKE_DEVICES");
	setenv("FAKE_FAIL", "cuInit:803", 1);
	CHECK(!cuda_open(&ctx, library, 0, &c));
	CHECK(c.version == 13000);
	CHECK(strstr(buf_str(&ctx.messages), "hint: libcuda and the kernel's"));
	CHECK(said("cuInit failed: CUDA_ERROR_SOMETHING (803: what it means)"));
	setenv("FAKE_FAIL", "cuInit:999", 1);
	CHECK(!cuda_open(&ctx, library, 0, &c));
	CHECK(said("cuInit failed: an error without a name (999: "));
}

/* ---- a device -------------------------------------------------------- */

typedef struct Parameters {
	CudaPtr p;
	int n;
} Parameters;

/* Everything once, to the end or to the first failure; then all is freed. */
static bool work(void)
{
	static const char cubin[] = "cubin";
	int numbers[40], back[40] = {0};
	Cuda c;
	CudaDevice d = {0};
	CudaModule m = NULL;
	CudaStream s = NULL;
	CudaPtr p = 0;
	Parameters parameters = {.n = 40};
	CudaLaunch l = {.name = "twice",
			.grid = {3, 1, 1},
			.block = {32, 2, 1},
			.shared = 99999,
			.parameters = &parameters,
			.size = sizeof(parameters)};
	for (int i = 0; i < 40; i++)
		numbers[i] = i;
	bool ok = cuda_open(&ctx, library, 0, &c) &&
		  cuda_device_open(&ctx, &c, 0, &d) &&
		  cuda_module_load(&ctx, &d, cubin, &m) &&
		  cuda_function(&ctx, &d, m, "twice", 99999, &l.function) &&
		  cuda_stream_new(&ctx, &d, &s) &&
		  cuda_alloc(&ctx, &d, sizeof(numbers), &p) &&
		  cuda_copy_in(&ctx, &d, p, numbers, sizeof(numbers), s);
	parameters.p = p;
	ok = ok && cuda_launch(&ctx, &d, &l, s) &&
	     cuda_copy_out(&ctx, &d, back, p, sizeof(back), s) &&
	     cuda_synchronize(&ctx, &d, s);
	for (int i = 0; ok && i < 40; i++)
		CHECK(back[i] == 2 * i);
	if (d.context) {
		ok &= cuda_free(&ctx, &d, p);
		ok &= cuda_stream_free(&ctx, &d, s);
		ok &= cuda_module_unload(&ctx, &d, m);
		ok &= cuda_device_close(&ctx, &d);
		CHECK(cuda_device_close(&ctx, &d));
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
	CHECK(fake("fake_depth") == 0);
	CHECK(fake("fake_retained") == 0);
	CHECK(fake("fake_memory") == 0);
}

/* Each call fails in turn: reported by name, contexts popped, all freed. */
static void failures(void)
{
#define NAME(name, symbol, parameters) #symbol,
	static const char *const symbols[] = {CUDA_ENTRIES(NAME)};
#undef NAME
	int count = 0;
	if (!start())
		return;
	for (size_t i = 0; i < ARRAY_LEN(symbols); i++) {
		const char *end = strstr(symbols[i], "_v2");
		size_t n =
			end ? (size_t)(end - symbols[i]) : strlen(symbols[i]);
		if (strncmp(symbols[i], "cuGetError", 10) == 0)
			continue; /* asked only about errors */
		setenv("FAKE_FAIL",
		       arena_printf(&ctx.perm, "%s:719", symbols[i]), 1);
		CHECK(!work());
		CHECK(ctx.err == ERR_ENV);
		CHECK(said(arena_printf(&ctx.perm, "error: %.*s failed", (int)n,
					symbols[i])));
		CHECK(fake("fake_depth") == 0);
		count++;
	}
	CHECK(count == 23);
	setenv("FAKE_FAIL", "cuStreamSynchronize:719", 1);
	CHECK(!work());
	CHECK(said("cuStreamSynchronize failed on Fake 7: "
		   "CUDA_ERROR_LAUNCH_FAILED (719: what it means)"));
	unsetenv("FAKE_FAIL");
	CHECK(work());
}

static void memory(void)
{
	Cuda c;
	CudaDevice d;
	CudaPtr p;
	if (!start())
		return;
	CHECK(cuda_open(&ctx, library, 0, &c));
	CHECK(cuda_device_open(&ctx, &c, 0, &d));
	setenv("FAKE_FAIL", "cuMemAlloc_v2:2", 1);
	CHECK(!cuda_alloc(&ctx, &d, 123456, &p));
	CHECK(ctx.err == ERR_NOMEM && p == 0);
	CHECK(said("out of device memory: 123456 bytes were refused on Fake 7, "
		   "which has 3221225472"));
	CHECK(fake("fake_depth") == 0);
	/* nothing asked for: nothing called */
	CHECK(cuda_alloc(&ctx, &d, 0, &p) && p == 0);
	CHECK(cuda_free(&ctx, &d, 0));
	CHECK(cuda_copy_in(&ctx, &d, 0, NULL, 0, NULL));
	CHECK(cuda_copy_out(&ctx, &d, NULL, 0, 0, NULL));
	setenv("FAKE_FAIL", "cuStreamCreate:2", 1);
	CudaStream s;
	CHECK(!cuda_stream_new(&ctx, &d, &s));
	CHECK(ctx.err == ERR_NOMEM);
	ctx_clear_errors(&ctx);
	CHECK(cuda_device_close(&ctx, &d));
}

static void kernels(void)
{
	Cuda c;
	CudaDevice d;
	CudaModule m;
	CudaFunction f;
	if (!start())
		return;
	CHECK(cuda_open(&ctx, library, 0, &c));
	CHECK(cuda_device_open(&ctx, &c, 0, &d));
	CHECK(!cuda_module_load(&ctx, &d, "not one", &m));
	CHECK(strstr(buf_str(&ctx.messages), "hint: the code is for another"));
	CHECK(said("cuModuleLoadData failed on Fake 7: "));
	CHECK(cuda_module_load(&ctx, &d, "cubin", &m));
	CHECK(!cuda_function(&ctx, &d, m, "thrice", 0, &f));
	CHECK(said("cuModuleGetFunction failed on thrice: "));
	CHECK(!cuda_function(&ctx, &d, m, "twice", 232449, &f));
	CHECK(said("kernel twice wants 232449 bytes of shared memory; a block "
		   "of Fake 7 has 232448"));
	CHECK(cuda_function(&ctx, &d, m, "twice", 0, &f));
	/* an empty grid is no launch */
	CudaLaunch l = {.name = "twice",
			.function = f,
			.grid = {4, 0, 1},
			.block = {1, 1, 1}};
	int launches = fake("fake_launches");
	CHECK(cuda_launch(&ctx, &d, &l, NULL));
	CHECK(fake("fake_launches") == launches);
	CHECK(cuda_module_unload(&ctx, &d, m));
	CHECK(cuda_device_close(&ctx, &d));
}

TEST_MAIN(TEST(missing), TEST(opens), TEST(refusals), TEST(works),
	  TEST(failures), TEST(memory), TEST(kernels))
