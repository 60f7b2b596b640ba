/*
 * ondevice: calls of plans on a real CUDA device: a caller's own memory,
 * streams and context, threads, processes, and what goes wrong. Each test is a
 * process of its own, since a fork does not take CUDA along. Skipped where no
 * device is; what needs none is in devicecall_test.c.
 *
 * tests/run: plain
 */
#include "runtime/cublaslt.h"
#include "runtime/nvrtc.h"
#include "tests/unit/api.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	CHILD_SKIPPED = 77
};

static const char no_gpu[] = "no GPU, or no NVRTC or cuBLASLt for it, is here";

/* Runs fn in a child; false: it was skipped. */
static bool in_child(void (*fn)(void))
{
	int status = 0;

	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		Ctx ctx;
		Cuda cuda;
		Nvrtc nvrtc;
		alarm(120);
		ctx_init(&ctx);
		if (!nvrtc_open(&ctx, NULL, &nvrtc) ||
		    !cuda_open(&ctx, NULL, 0, &cuda))
			_exit(CHILD_SKIPPED);
		ctx_release(&ctx);
		fn();
		fflush(stdout);
		_exit(test_bad > 0);
	}
	CHECK(waitpid(child, &status, 0) == child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_SKIPPED)
		return false;
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	return true;
}

#define IN_CHILD(fn)                                                           \
	do {                                                                   \
		if (!in_child(fn))                                             \
			SKIP(no_gpu);                                          \
	} while (0)

/* ---- a program -------------------------------------------------------- */

#define N 4099

static const char text[] = "dims d: N = 4099\n"
			   "def f(x: f32[N]):\n    return x * 2 + 1\n";
static const char division[] = "dims d: N = 4099\n"
			       "def f(x: i32[N]):\n    return 100 // x\n";

static bool begin(Case *k, const char *program)
{
	TenonPlanOptions o = {.target = "cuda"};

	if (!case_open(k, "t", program, NULL) ||
	    !works(k, tenon_compile(k->c, k->p, &o, &k->plan), "compile") ||
	    !works(k, tenon_input_desc(k->p, 0, &k->in[0]), "input"))
		return false;
	k->in[0].data = tenon_alloc(tenon_tensor_bytes(&k->in[0]));
	return case_results(k);
}

static float *x_of(Case *k)
{
	return k->in[0].data;
}

static void fill(Case *k, float by)
{
	for (int i = 0; i < N; i++)
		x_of(k)[i] = (float)i + by;
	memset(k->out[0].data, 0xa5, tenon_tensor_bytes(&k->out[0]));
}

static bool good(const Case *k, float by)
{
	const float *y = k->out[0].data;

	for (int i = 0; i < N; i++)
		if (y[i] != ((float)i + by) * 2 + 1)
			return false;
	return true;
}

static TenonTensor on_device(Case *k, const TenonTensor *t)
{
	TenonTensor d = *t;

	d.place = tenon_plan_place(k->plan);
	works(k, tenon_device_alloc(k->plan, tenon_tensor_bytes(t), &d.data),
	      "alloc");
	works(k, tenon_device_copy(k->plan, &d, t), "copy");
	return d;
}

static bool called(TenonCall *call, TenonError e)
{
	if (e)
		printf("%s", tenon_call_message(call));
	return CHECK(e == TENON_OK);
}

/* ---- tensors ---------------------------------------------------------- */

static void places(void)
{
	Case k;
	TenonCall *call;

	if (!begin(&k, text))
		return;
	fill(&k, 0);
	TenonTensor x = on_device(&k, &k.in[0]), y = on_device(&k, &k.out[0]);
	for (int way = 0; way < 4; way++) {
		fill(&k, (float)way);
		works(&k, tenon_device_copy(k.plan, &x, &k.in[0]), "copy");
		if (!works(&k,
			   tenon_call_new(k.plan, way & 1 ? &x : k.in,
					  way & 2 ? &y : k.out, &call),
			   "call"))
			return;
		called(call, tenon_call_run(call));
		if (way & 2)
			works(&k, tenon_device_copy(k.plan, &k.out[0], &y),
			      "copy");
		CHECK(good(&k, (float)way));
		tenon_call_free(call);
	}
	TenonTensor t = k.in[0];
	t.place = TENON_DEVICE;
	refused(&k, tenon_call_new(k.plan, &t, &y, &call), TENON_EUSAGE,
		"is no memory of a device");
	t = y;
	t.place = TENON_HOST;
	refused(&k, tenon_call_new(k.plan, &x, &t, &call), TENON_EUSAGE,
		"said to be the host's");
	t = x;
	t.data = (char *)t.data + 8;
	refused(&k, tenon_call_new(k.plan, &t, &y, &call), TENON_EUSAGE,
		"is not a multiple of 16");
	tenon_device_free(k.plan, x.data, tenon_tensor_bytes(&x));
	tenon_device_free(k.plan, y.data, tenon_tensor_bytes(&y));
	case_close(&k);
}

/* More than the stage holds at once, by one thread and by several. */
static void large(void)
{
	enum {
		MANY = 7654321
	};
	Case k;

	if (!begin(&k, text))
		return;
	TenonTensor x = k.in[0], y = k.out[0];
	x.shape[0] = y.shape[0] = MANY;
	x.data = tenon_alloc(tenon_tensor_bytes(&x));
	y.data = tenon_alloc(tenon_tensor_bytes(&y));
	float *in = x.data, *out = y.data;
	for (int round = 0; round < 6; round++) {
		int wrong = 0;
		tenon_set_threads(k.c, round % 2 ? 4 : 1);
		for (int i = 0; i < MANY; i++) {
			in[i] = (float)((i + round) % 8191);
			out[i] = -1;
		}
		works(&k, tenon_plan_run(k.plan, &x, &y), "run");
		for (int i = 0; i < MANY; i++)
			wrong += out[i] != in[i] * 2 + 1;
		if (!CHECK(wrong == 0))
			printf("round %d: %d wrong\n", round, wrong);
	}
	tenon_release(x.data, tenon_tensor_bytes(&x));
	tenon_release(y.data, tenon_tensor_bytes(&y));
	case_close(&k);
}

/* The caller's memory, stream and context, which is left current. */
static void owned(bool primary)
{
	void *cuda = dlopen("libcuda.so.1", RTLD_NOW);
	int (*retain)(CudaContext *, int) =
		__extension__(int (*)(CudaContext *, int))
			dlsym(cuda, "cuDevicePrimaryCtxRetain");
	int (*create)(CudaContext *, unsigned, int) =
		__extension__(int (*)(CudaContext *, unsigned, int))
			dlsym(cuda, "cuCtxCreate_v2");
	int (*use)(CudaContext) = __extension__(int (*)(CudaContext))
		dlsym(cuda, "cuCtxSetCurrent");
	int (*alloc)(uint64_t *, size_t) =
		__extension__(int (*)(uint64_t *, size_t))
			dlsym(cuda, "cuMemAlloc_v2");
	int (*stream_new)(CudaStream *, unsigned) =
		__extension__(int (*)(CudaStream *, unsigned))
			dlsym(cuda, "cuStreamCreate");
	int (*copy_in)(uint64_t, const void *, size_t, CudaStream) =
		__extension__(
			int (*)(uint64_t, const void *, size_t, CudaStream))
			dlsym(cuda, "cuMemcpyHtoDAsync_v2");
	int (*copy_out)(void *, uint64_t, size_t, CudaStream) =
		__extension__(int (*)(void *, uint64_t, size_t, CudaStream))
			dlsym(cuda, "cuMemcpyDtoHAsync_v2");
	int (*sync)(CudaStream) = __extension__(int (*)(CudaStream))
		dlsym(cuda, "cuStreamSynchronize");
	int (*current)(CudaContext *) = __extension__(int (*)(CudaContext *))
		dlsym(cuda, "cuCtxGetCurrent");
	CudaContext context = NULL, after = NULL;
	CudaStream stream = NULL;
	uint64_t x = 0, y = 0;
	Case k;
	TenonCall *call;

	CHECK((primary ? retain(&context, 0) : create(&context, 0, 0)) == 0);
	CHECK(use(context) == 0 && alloc(&x, N * sizeof(float)) == 0 &&
	      alloc(&y, N * sizeof(float)) == 0 && stream_new(&stream, 1) == 0);
	if (test_bad || !begin(&k, text))
		return;
	TenonTensor in = k.in[0], out = k.out[0];
	in.place = out.place = TENON_DEVICE;
	in.data = (void *)(uintptr_t)x;
	out.data = (void *)(uintptr_t)y;
	if (!works(&k, tenon_call_new(k.plan, &in, &out, &call), "call"))
		return;
	called(call, tenon_call_stream(call, stream));
	for (int i = 0; i < 20; i++) {
		fill(&k, (float)i);
		CHECK(copy_in(x, k.in[0].data, N * sizeof(float), stream) == 0);
		called(call, tenon_call_start(call));
		CHECK(copy_out(k.out[0].data, y, N * sizeof(float), stream) ==
		      0);
		CHECK(sync(stream) == 0);
		CHECK(good(&k, (float)i));
	}
	called(call, tenon_call_wait(call));
	CHECK(current(&after) == 0 && after == context);
	tenon_call_free(call);
	case_close(&k);
}

static void owned_primary(void)
{
	owned(true);
}

static void owned_context(void)
{
	owned(false);
}

/* ---- threads and processes -------------------------------------------- */

typedef struct Worker {
	TenonCall *call;
	bool bad;
} Worker;

static void *worker_run(void *arg)
{
	Worker *w = arg;

	for (int i = 0; i < 500; i++)
		w->bad |= tenon_call_run(w->call) != TENON_OK;
	return NULL;
}

static void threads(void)
{
	enum {
		WORKERS = 4
	};
	Case k;
	Worker w[WORKERS];
	pthread_t t[WORKERS];
	TenonTensor y[WORKERS];

	if (!begin(&k, text))
		return;
	fill(&k, 3);
	TenonTensor x = on_device(&k, &k.in[0]);
	for (int i = 0; i < WORKERS; i++) {
		y[i] = on_device(&k, &k.out[0]);
		w[i].bad = false;
		if (!works(&k, tenon_call_new(k.plan, &x, &y[i], &w[i].call),
			   "call"))
			return;
	}
	for (int i = 0; i < WORKERS; i++)
		CHECK(pthread_create(&t[i], NULL, worker_run, &w[i]) == 0);
	for (int i = 0; i < WORKERS; i++) {
		pthread_join(t[i], NULL);
		CHECK(!w[i].bad);
		works(&k, tenon_device_copy(k.plan, &k.out[0], &y[i]), "copy");
		CHECK(good(&k, 3));
		memset(k.out[0].data, 0xa5, N * sizeof(float));
		tenon_call_free(w[i].call);
		tenon_device_free(k.plan, y[i].data, N * sizeof(float));
	}
	tenon_device_free(k.plan, x.data, N * sizeof(float));
	case_close(&k);
}

/* Two processes on one device at once. */
static void work(float by)
{
	Case k;
	TenonCall *call;

	if (!begin(&k, text) ||
	    !works(&k, tenon_call_new(k.plan, k.in, k.out, &call), "call"))
		return;
	for (int i = 0; i < 300; i++) {
		fill(&k, by);
		called(call, tenon_call_run(call));
		CHECK(good(&k, by));
	}
	tenon_call_free(call);
	case_close(&k);
}

static void two_processes(void)
{
	int status[2] = {1, 1};
	pid_t child[2];

	for (int i = 0; i < 2; i++) {
		fflush(stdout);
		child[i] = fork();
		if (child[i] == 0) {
			execl("/proc/self/exe", "ondevice_test",
			      i ? "--work2" : "--work1", (char *)NULL);
			_exit(1);
		}
	}
	for (int i = 0; i < 2; i++)
		CHECK(waitpid(child[i], &status[i], 0) == child[i] &&
		      status[i] == 0);
}

static void forked(void)
{
	Case k;
	TenonCall *call;
	int status = 1;

	if (!begin(&k, text) ||
	    !works(&k, tenon_call_new(k.plan, k.in, k.out, &call), "call"))
		return;
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		CHECK(tenon_call_run(call) == TENON_EENV);
		CHECK(strstr(tenon_call_message(call), "was forked after CUDA "
						       "was started"));
		/* not even a new context will do */
		TenonContext *c = tenon_context_new();
		TenonPlanOptions o = {.target = "cuda"};
		TenonProgram *p;
		TenonPlan *plan;
		CHECK(!tenon_program_from_text(c, "t", text, NULL, &p));
		CHECK(tenon_compile(c, p, &o, &plan) == TENON_EENV);
		CHECK(strstr(tenon_message(c), "CUDA does not survive a fork"));
		fflush(stdout);
		_exit(test_bad > 0);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	fill(&k, 5);
	called(call, tenon_call_run(call));
	CHECK(good(&k, 5));
	tenon_call_free(call);
	case_close(&k);
}

/* ---- what goes wrong -------------------------------------------------- */

static void memory(void)
{
	Case k;
	void *data;
	void *held[64];
	int n = 0;

	if (!begin(&k, text))
		return;
	CHECK(tenon_device_alloc(k.plan, (size_t)1 << 50, &data) ==
		      TENON_ENOMEM &&
	      !data);
	CHECK(strstr(tenon_message(k.c), "out of device memory: "));
	/* all that there is, then a call */
	for (size_t size = (size_t)1 << 36; size >= (size_t)1 << 20; size /= 2)
		while (n < 64 && !tenon_device_alloc(k.plan, size, &held[n]))
			n++;
	TenonTensor x = k.in[0], y = k.out[0];
	x.shape[0] = y.shape[0] = 1 << 24;
	x.data = tenon_alloc(tenon_tensor_bytes(&x));
	y.data = tenon_alloc(tenon_tensor_bytes(&y));
	TenonCall *call;
	TenonError e = tenon_call_new(k.plan, &x, &y, &call);
	CHECK(e == TENON_ENOMEM);
	CHECK(strstr(tenon_message(k.c), "out of device memory: "));
	tenon_release(x.data, tenon_tensor_bytes(&x));
	tenon_release(y.data, tenon_tensor_bytes(&y));
	while (n > 0)
		tenon_device_free(k.plan, held[--n], 1);
	fill(&k, 1);
	works(&k, tenon_plan_run(k.plan, k.in, k.out), "run");
	CHECK(good(&k, 1));
	case_close(&k);
}

/* Faults of the program, of one run among several too. */
static void faults(void)
{
	Case k;
	TenonCall *call;

	if (!begin(&k, division))
		return;
	int32_t *x = k.in[0].data;
	for (int i = 0; i < N; i++)
		x[i] = i + 1;
	TenonTensor dx = on_device(&k, &k.in[0]), dy = on_device(&k, &k.out[0]);
	if (!works(&k, tenon_call_new(k.plan, &dx, &dy, &call), "call"))
		return;
	called(call, tenon_call_run(call));
	x[1234] = x[77] = 0;
	works(&k, tenon_device_copy(k.plan, &dx, &k.in[0]), "copy");
	for (int i = 0; i < 3; i++) {
		CHECK(tenon_call_run(call) == TENON_EPROGRAM);
		CHECK(strstr(tenon_call_message(call),
			     "integer division by zero at element [77]"));
	}
	CHECK(tenon_call_start(call) == TENON_OK);
	CHECK(tenon_call_start(call) == TENON_OK);
	CHECK(tenon_call_wait(call) == TENON_EPROGRAM);
	x[1234] = x[77] = 7;
	works(&k, tenon_device_copy(k.plan, &dx, &k.in[0]), "copy");
	called(call, tenon_call_run(call));
	works(&k, tenon_device_copy(k.plan, &k.out[0], &dy), "copy");
	CHECK(((int32_t *)k.out[0].data)[77] == 14);
	tenon_call_free(call);
	case_close(&k);
}

/* ---- products by cuBLASLt --------------------------------------------- */

static const char *const products[] = {
	"dims d: M = 33, N = 65, K = 67\n"
	"def f(x: f16[M, K], w: f16[K, N], b: f16[N]):\n"
	"    return relu(x @ w + b)\n",
	"dims d: M = 128, N = 96, K = 256\n"
	"def f(x: bf16[M, K], w: bf16[N, K]):\n    return x @ w.T\n",
	"dims d: M = 128, N = 96, K = 256\n"
	"def f(x: f16[M, K], w: f16[N, K]):\n"
	"    return matmul(x, w.T, acc=f32, out=f32)\n",
	"dims d: M = 65, N = 33, K = 129\n"
	"def f(x: f32[M, K], w: f32[N, K]):\n    return x @ w.T\n",
	"dims d: B = 3, M = 17, N = 24, K = 40\n"
	"def f(x: f16[B, M, K], w: f16[B, N, K]):\n"
	"    return x @ w.transpose(0, 2, 1)\n",
	"dims d: M = 64, N = 48\n"
	"def f(x: i8[M, 64], w: i8[N, 64]):\n"
	"    return matmul(x, w.T, acc=i32, out=i32)\n",
};

/* Judged as any kernel, and the same bits each time, wherever tensors lie. */
static void by_library(const char *program)
{
	static const char *const pins[] = {"library.product=cublaslt"};
	TenonPlanOptions o = {.target = "cuda", .pins = pins, .npins = 1};
	TenonOutcome outcome = TENON_FAIL;
	uint64_t hash = 0;
	Case k;

	if (!case_open(&k, "t", program, NULL) ||
	    !works(&k, tenon_compile(k.c, k.p, &o, &k.plan), program))
		return;
	if (works(&k, tenon_check(k.plan, NULL, 1, NULL, NULL, &outcome),
		  program) &&
	    !CHECK(outcome == TENON_PASS))
		printf("%s", program);
	for (int i = 0; i < 5 && case_fill(&k, "random") && case_run(&k); i++) {
		CHECK(i == 0 || hash == case_hash(&k));
		hash = case_hash(&k);
	}
	case_close(&k);
}

static void library(void)
{
	CublasLt lt;
	Ctx ctx;

	ctx_init(&ctx);
	if (!cublaslt_open(&ctx, NULL, &lt))
		_exit(CHILD_SKIPPED);
	ctx_release(&ctx);
	for (size_t i = 0; i < ARRAY_LEN(products); i++)
		by_library(products[i]);
}

/* ---- bits ------------------------------------------------------------- */

/* A plan's results have the same bits a hundred times. */
static void repeated(void)
{
	static const struct {
		const char *file, *dtype, *pin;
	} cases[] = {
		{"examples/weight_view.tn", "f16", NULL},
		{"examples/weight_view.tn", "bf16", "contract.unit=mma"},
		{"examples/public_projection.tn", "f32", NULL},
		{"examples/attention.tn", "f16", NULL},
		{"examples/softmax.tn", "f32", "rowreduce.split=2"},
		{"examples/norm_projection.tn", "f16", NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		TenonPlanOptions o = {.target = "cuda",
				      .pins = &cases[i].pin,
				      .npins = cases[i].pin != NULL};
		uint64_t hash = 0;
		int other = 0;
		Case k;
		if (!case_open(&k, cases[i].file, NULL, cases[i].dtype) ||
		    !works(&k, tenon_set_dims(k.p, "main"), "dims") ||
		    !works(&k, tenon_compile(k.c, k.p, &o, &k.plan),
			   cases[i].file) ||
		    !case_fill(&k, "random"))
			return;
		for (int n = 0; n < 100 && case_run(&k); n++) {
			other += n > 0 && case_hash(&k) != hash;
			hash = case_hash(&k);
			for (int r = 0; r < tenon_program_results(k.p); r++)
				memset(k.out[r].data, 0xa5,
				       tenon_tensor_bytes(&k.out[r]));
		}
		if (!CHECK(other == 0))
			printf("%s: %d of 100 differ\n", cases[i].file, other);
		case_close(&k);
	}
}

#define ON_GPU(fn)                                                             \
	static void on_##fn(void)                                              \
	{                                                                      \
		IN_CHILD(fn);                                                  \
	}
ON_GPU(places)
ON_GPU(large)
ON_GPU(owned_primary)
ON_GPU(owned_context)
ON_GPU(threads)
ON_GPU(two_processes)
ON_GPU(forked)
ON_GPU(memory)
ON_GPU(faults)
ON_GPU(library)
ON_GPU(repeated)

int main(int argc, char **argv)
{
	static const TestCase cases[] = {
		TEST(on_places),        TEST(on_large),
		TEST(on_owned_primary), TEST(on_owned_context),
		TEST(on_threads),       TEST(on_two_processes),
		TEST(on_forked),        TEST(on_memory),
		TEST(on_faults),        TEST(on_library),
		TEST(on_repeated),
	};

	if (argc > 1 && strncmp(argv[1], "--work", 6) == 0) {
		work(argv[1][6] == '1' ? 1 : 20);
		return test_bad > 0;
	}
	return test_main(argc, argv, cases, ARRAY_LEN(cases));
}
