/*
 * devicecall: calls of plans for CUDA: where tensors lie, how runs are queued
 * and waited for, and what goes wrong. cuda_fake.c takes the place of libcuda,
 * so that no GPU is needed: its kernels move FAKE_COPY bytes from their first
 * parameter to their second, which is enough to see what was copied where.
 * NVRTC compiles the kernels that are not run.
 */
#include "tests/unit/api.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *top;
static void *library;

static void finish(void)
{
	test_folder_remove();
}

/* The fake, loaded under libcuda's name, which is then the one that is here. */
static bool load(void)
{
	const char *root = getenv("ROOT");
	char command[4200];

	if (library)
		return true;
	top = test_folder();
	atexit(finish);
	snprintf(command, sizeof(command),
		 "cc -w -shared -fPIC -Wl,-soname,libcuda.so.1 -o %s/fake.so "
		 "%s/tests/unit/cuda_fake.c",
		 top, root ? root : ".");
	if (!CHECK(system(command) == 0))
		return false;
	snprintf(command, sizeof(command), "%s/fake.so", top);
	library = dlopen(command, RTLD_NOW);
	return CHECK(library != NULL);
}

static void set(const char *name, long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", value);
	setenv(name, text, 1);
}

static bool ready(void)
{
	static const char *const names[] = {"FAKE_FAIL", "FAKE_BUSY",
					    "FAKE_ORDINAL", "FAKE_CURRENT",
					    "FAKE_ALLOCATIONS"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		unsetenv(names[i]);
	return load();
}

#define START                                                                  \
	do {                                                                   \
		if (!compiler_here())                                          \
			SKIP_UNTIL_SETUP("NVRTC is not here");                 \
		if (!ready())                                                  \
			return;                                                \
	} while (0)

static int fake(const char *name)
{
	return *(int *)dlsym(library, name);
}

static uint64_t fake_arg(int i)
{
	return ((uint64_t *)dlsym(library, "fake_args"))[i];
}

/* ---- a program -------------------------------------------------------- */

#define N 1000

static const char text[] = "def f(x: f32[N]):\n    return x + 1\n";

typedef struct Fake {
	Case k;
	_Alignas(64) float x[N];
	_Alignas(64) float y[N];
	TenonTensor dx, dy; /* the same on the device */
} Fake;

static TenonTensor on_device(Case *k, const TenonTensor *t)
{
	TenonTensor d = *t;

	d.place = tenon_plan_place(k->plan);
	CHECK(d.place == TENON_DEVICE);
	works(k, tenon_device_alloc(k->plan, tenon_tensor_bytes(t), &d.data),
	      "device_alloc");
	return d;
}

static bool compile(Case *k, const char *program, int64_t n)
{
	TenonPlanOptions o = {.target = "cuda:sm_90a"};

	*k = (Case){.c = tenon_context_new()};
	return works(k,
		     tenon_program_from_text(k->c, "t", program, NULL, &k->p),
		     "program") &&
	       works(k, tenon_set_dim(k->p, "N", n), "dim") &&
	       works(k, tenon_compile(k->c, k->p, &o, &k->plan), "compile") &&
	       works(k, tenon_input_desc(k->p, 0, &k->in[0]), "input") &&
	       works(k, tenon_result_desc(k->p, 0, &k->out[0]), "result");
}

static void unmake(Case *k)
{
	tenon_plan_free(k->plan);
	tenon_program_free(k->p);
	tenon_context_free(k->c);
}

static bool begin(Fake *f)
{
	if (!compile(&f->k, text, N))
		return false;
	set("FAKE_COPY", sizeof(f->x));
	for (int i = 0; i < N; i++) {
		f->x[i] = (float)i;
		f->y[i] = -1;
	}
	f->k.in[0].data = f->x;
	f->k.out[0].data = f->y;
	f->dx = on_device(&f->k, &f->k.in[0]);
	f->dy = on_device(&f->k, &f->k.out[0]);
	return works(&f->k, tenon_device_copy(f->k.plan, &f->dx, &f->k.in[0]),
		     "copy to the device");
}

static void end(Fake *f)
{
	tenon_device_free(f->k.plan, f->dx.data, sizeof(f->x));
	tenon_device_free(f->k.plan, f->dy.data, sizeof(f->y));
	unmake(&f->k);
	CHECK(fake("fake_memory") == 0);
	CHECK(fake("fake_graphs") == 0);
	CHECK(fake("fake_depth") == 0);
	CHECK(fake("fake_retained") == 0);
}

/* Whether y is x; then it is made stale. */
static bool same(Fake *f)
{
	bool yes = memcmp(f->x, f->y, sizeof(f->x)) == 0;

	memset(f->y, 0xa5, sizeof(f->y));
	return yes;
}

static bool called(TenonCall *call, TenonError e)
{
	if (e)
		printf("%s", tenon_call_message(call));
	return CHECK(e == TENON_OK);
}

/* ---- places ----------------------------------------------------------- */

static void host(void)
{
	Fake f;
	TenonCall *call;

	START;
	if (!begin(&f))
		return;
	if (works(&f.k, tenon_call_new(f.k.plan, f.k.in, f.k.out, &call),
		  "call")) {
		int in = fake("fake_in"), out = fake("fake_out");
		for (int i = 0; i < 3; i++) {
			f.x[7] = (float)-i;
			called(call, tenon_call_run(call));
			CHECK(same(&f));
		}
		CHECK(fake("fake_in") == in + 3 && fake("fake_out") == out + 3);
		/* one that cannot be queued, and the next, which can */
		setenv("FAKE_FAIL", "cuGraphLaunch:1", 1);
		CHECK(tenon_call_run(call) == TENON_EENV);
		CHECK(strstr(tenon_call_message(call),
			     "cuGraphLaunch failed on k0_main (line 2)"));
		unsetenv("FAKE_FAIL");
		CHECK(!same(&f));
		called(call, tenon_call_run(call));
		CHECK(same(&f));
		/* results are there after the wait */
		called(call, tenon_call_start(call));
		CHECK(!same(&f));
		/* a start waits for the run before it */
		called(call, tenon_call_start(call));
		CHECK(same(&f));
		called(call, tenon_call_wait(call));
		CHECK(same(&f));
		called(call, tenon_call_wait(call));
		tenon_call_free(call);
	}
	end(&f);
}

static void device(void)
{
	Fake f;
	TenonCall *call;

	START;
	if (!begin(&f))
		return;
	if (works(&f.k, tenon_call_new(f.k.plan, &f.dx, &f.dy, &call),
		  "call")) {
		int in = fake("fake_in"), out = fake("fake_out");
		int launches = fake("fake_launches");
		called(call, tenon_call_run(call));
		CHECK(fake("fake_in") == in && fake("fake_out") == out);
		CHECK(fake_arg(0) == (uintptr_t)f.dx.data);
		CHECK(fake_arg(1) == (uintptr_t)f.dy.data);
		works(&f.k, tenon_device_copy(f.k.plan, &f.k.out[0], &f.dy),
		      "copy to the host");
		CHECK(same(&f));
		launches = fake("fake_launches");
		for (int i = 0; i < 3; i++)
			called(call, tenon_call_start(call));
		called(call, tenon_call_wait(call));
		CHECK(fake("fake_launches") >= launches + 3);
		tenon_call_free(call);
	}
	end(&f);
}

static void mixed(void)
{
	Fake f;
	TenonCall *call;

	START;
	if (!begin(&f))
		return;
	if (works(&f.k, tenon_call_new(f.k.plan, &f.dx, f.k.out, &call),
		  "call")) {
		int in = fake("fake_in"), out = fake("fake_out");
		called(call, tenon_call_run(call));
		CHECK(same(&f));
		CHECK(fake("fake_in") == in && fake("fake_out") == out + 1);
		tenon_call_free(call);
	}
	if (works(&f.k, tenon_call_new(f.k.plan, f.k.in, &f.dy, &call),
		  "call")) {
		int in = fake("fake_in"), out = fake("fake_out");
		called(call, tenon_call_run(call));
		CHECK(fake("fake_in") == in + 1 && fake("fake_out") == out);
		works(&f.k, tenon_device_copy(f.k.plan, &f.k.out[0], &f.dy),
		      "copy");
		CHECK(same(&f));
		tenon_call_free(call);
	}
	end(&f);
}

/* A result that is a copy of an input, on the device. */
static void copies(void)
{
	Case k;
	float x[N], z[N];

	START;
	if (!compile(&k, "def f(x: f32[N]):\n    return x + 1, x\n", N))
		return;
	for (int i = 0; i < N; i++)
		x[i] = (float)i;
	TenonTensor out[2] = {on_device(&k, &k.out[0]),
			      on_device(&k, &k.out[0])};
	TenonTensor back = k.out[0];
	k.in[0].data = x;
	back.data = z;
	int over = fake("fake_over");
	works(&k, tenon_plan_run(k.plan, k.in, out), "run");
	CHECK(fake("fake_over") == over + 1);
	works(&k, tenon_device_copy(k.plan, &back, &out[1]), "copy");
	CHECK(memcmp(z, x, sizeof(z)) == 0);
	for (int i = 0; i < 2; i++)
		tenon_device_free(k.plan, out[i].data, sizeof(z));
	unmake(&k);
	CHECK(fake("fake_memory") == 0);
}

/* Through the halves of the stage. */
static void large(void)
{
	enum {
		MANY = 5000000
	};
	Case k;
	float *x, *y;

	START;
	x = malloc(MANY * sizeof(*x));
	y = calloc(MANY, sizeof(*y));
	if (CHECK(x && y) && compile(&k, text, MANY)) {
		for (int i = 0; i < MANY; i++)
			x[i] = (float)(i % 65521);
		set("FAKE_COPY", (long)(MANY * sizeof(*x)));
		k.in[0].data = x;
		k.out[0].data = y;
		works(&k, tenon_plan_run(k.plan, k.in, k.out), "run");
		memset(y, 0, MANY * sizeof(*y));
		int in = fake("fake_in"), out = fake("fake_out");
		works(&k, tenon_plan_run(k.plan, k.in, k.out), "run");
		CHECK(memcmp(x, y, MANY * sizeof(*x)) == 0);
		CHECK(fake("fake_in") == in + 3 && fake("fake_out") == out + 3);
		unmake(&k);
	}
	free(x);
	free(y);
	CHECK(fake("fake_memory") == 0);
}

static void not_called(Fake *f, const TenonTensor *in, const TenonTensor *out,
		       const char *want)
{
	TenonCall *call = NULL;
	TenonError e = tenon_call_new(f->k.plan, in, out, &call);

	if (!CHECK(e == TENON_EUSAGE && !call) ||
	    !CHECK(strstr(tenon_message(f->k.c), want)))
		printf("%s: %s", want, tenon_message(f->k.c));
	if (call)
		tenon_call_free(call);
}

static void places(void)
{
	Fake f;
	TenonTensor t;
	TenonVerdictFn *none = NULL;
	TenonOutcome outcome;

	START;
	if (!begin(&f))
		return;
	t = f.k.in[0];
	t.place = TENON_DEVICE;
	not_called(&f, &t, &f.dy, "is no memory of a device: it is the host's");
	t.data = (char *)t.data + 4;
	not_called(&f, &t, &f.dy, "is not a multiple of 16");
	t = f.dy;
	t.place = TENON_HOST;
	not_called(&f, &f.dx, &t, "said to be the host's");
	t = f.dx;
	t.data = (char *)t.data + 160;
	not_called(&f, &t, &f.dy, "input x: 0x"); /* its end is beyond */
	t = f.dx;
	t.strides[0] = 8;
	not_called(&f, &t, f.k.out,
		   "input x: a tensor in memory of a device has");
	not_called(&f, &f.dx, &f.dx, "overlaps input x");
	set("FAKE_ORDINAL", 1);
	not_called(&f, &f.dx, &f.dy,
		   "is memory of CUDA device 1, and the plan is for device 7");
	unsetenv("FAKE_ORDINAL");
	CHECK(tenon_judge(f.k.plan, &f.dx, f.k.out, none, NULL, &outcome) ==
	      TENON_EUSAGE);
	CHECK(strstr(tenon_message(f.k.c), "is neither judged nor written"));
	CHECK(tenon_npy_write(f.k.c, "none.npy", &f.dx) == TENON_EUSAGE);
	t = f.dx;
	t.shape[0] = N / 2;
	CHECK(tenon_device_copy(f.k.plan, &t, f.k.in) == TENON_EUSAGE);
	end(&f);
}

/* A plan for a CPU has no device, and says so. */
static void cpu(void)
{
	Case k = {.c = tenon_context_new()};
	float x[4] = {1, 2, 3, 4}, y[4];
	TenonCall *call;
	void *data;

	if (!works(&k, tenon_program_from_text(k.c, "t", text, NULL, &k.p),
		   "program") ||
	    !works(&k, tenon_compile(k.c, k.p, NULL, &k.plan), "compile") ||
	    !works(&k, tenon_set_dim(k.p, "N", 4), "dim") ||
	    !works(&k, tenon_input_desc(k.p, 0, &k.in[0]), "input") ||
	    !works(&k, tenon_result_desc(k.p, 0, &k.out[0]), "result"))
		return;
	k.in[0].data = x;
	k.out[0].data = y;
	CHECK(tenon_plan_place(k.plan) == TENON_HOST);
	works(&k, tenon_device_alloc(k.plan, 16, &data), "alloc");
	TenonTensor t = k.in[0];
	t.data = data;
	works(&k, tenon_device_copy(k.plan, &t, &k.in[0]), "copy");
	works(&k, tenon_call_new(k.plan, &t, k.out, &call), "call");
	called(call, tenon_call_start(call));
	called(call, tenon_call_wait(call));
	CHECK(y[3] == 5);
	double us;
	CHECK(tenon_call_stream(call, NULL) == TENON_EUSAGE);
	CHECK(strstr(tenon_call_message(call), "which has no streams"));
	CHECK(tenon_calls_device_time(&call, 1, 1, &us) == TENON_EUSAGE);
	CHECK(strstr(tenon_call_message(call), "no clock of its own"));
	tenon_call_free(call);
	tenon_device_free(k.plan, data, 16);
	t.place = TENON_DEVICE;
	CHECK(tenon_call_new(k.plan, &t, k.out, &call) == TENON_EUSAGE);
	CHECK(strstr(tenon_message(k.c), "it is in memory of a device, and the "
					 "plan is for cpu:"));
	CHECK(tenon_device_copy(k.plan, &t, &k.in[0]) == TENON_EUSAGE);
	unmake(&k);
}

/* ---- graphs and streams ----------------------------------------------- */

/* A call's two graphs are made once, and changed where pointers or sizes are
 * new. */
static void updates(void)
{
	Fake f;

	START;
	if (!begin(&f))
		return;
	works(&f.k, tenon_plan_run(f.k.plan, f.k.in, f.k.out), "run");
	works(&f.k, tenon_plan_run(f.k.plan, &f.dx, &f.dy), "run");
	int graphs = fake("fake_graphs"), updates = fake("fake_updates");
	CHECK(same(&f));
	f.y[10] = -1;
	works(&f.k, tenon_plan_run(f.k.plan, &f.dx, &f.dy), "run");
	CHECK(fake("fake_updates") == updates);
	TenonTensor other = on_device(&f.k, &f.k.out[0]);
	works(&f.k, tenon_plan_run(f.k.plan, &f.dx, &other), "run");
	CHECK(fake("fake_updates") == updates + 2);
	CHECK(fake_arg(1) == (uintptr_t)other.data);
	/* fewer, on the host */
	TenonTensor x = f.k.in[0], y = f.k.out[0];
	x.shape[0] = y.shape[0] = 10;
	set("FAKE_COPY", 40);
	works(&f.k, tenon_plan_run(f.k.plan, &x, &y), "run");
	CHECK(fake("fake_updates") == updates + 4);
	CHECK(f.y[9] == 9 && f.y[10] == -1);
	/* none */
	x.shape[0] = y.shape[0] = 0;
	int launches = fake("fake_launches");
	works(&f.k, tenon_plan_run(f.k.plan, &x, &y), "run");
	CHECK(fake("fake_launches") == launches);
	set("FAKE_COPY", sizeof(f.x));
	works(&f.k, tenon_plan_run(f.k.plan, f.k.in, f.k.out), "run");
	CHECK(same(&f));
	CHECK(fake("fake_graphs") == graphs);
	tenon_device_free(f.k.plan, other.data, sizeof(f.y));
	end(&f);
}

static void streams(void)
{
	Fake f;
	TenonCall *call;
	char stream;
	double us;

	START;
	if (!begin(&f))
		return;
	void **used = dlsym(library, "fake_stream");
	if (works(&f.k, tenon_call_new(f.k.plan, &f.dx, &f.dy, &call),
		  "call")) {
		called(call, tenon_call_run(call));
		void *own = *used;
		called(call, tenon_call_stream(call, &stream));
		called(call, tenon_call_start(call));
		CHECK(*used == &stream);
		called(call, tenon_call_start(call));
		called(call, tenon_call_wait(call));
		CHECK(tenon_call_stream(call, used) == TENON_EUSAGE);
		CHECK(strstr(tenon_call_message(call),
			     "the stream is of another CUDA context than the "
			     "plan's on Fake 7"));
		called(call, tenon_call_run(call));
		CHECK(*used == &stream);
		called(call, tenon_call_stream(call, NULL));
		called(call, tenon_call_run(call));
		CHECK(*used == own);
		/* the fake's clock goes 500 us from one event to the next */
		int launches = fake("fake_launches");
		called(call, tenon_calls_device_time(&call, 1, 50, &us));
		CHECK(us == 10);
		CHECK(fake("fake_launches") == launches + 100);
		tenon_call_free(call);
	}
	/* on the host too: what is moved is not part of it */
	if (works(&f.k, tenon_call_new(f.k.plan, f.k.in, f.k.out, &call),
		  "call")) {
		called(call, tenon_call_stream(call, &stream));
		called(call, tenon_call_run(call));
		CHECK(*used == &stream && same(&f));
		int in = fake("fake_in");
		called(call, tenon_calls_device_time(&call, 1, 1, &us));
		CHECK(us == 500 && fake("fake_in") == in);
		tenon_call_free(call);
	}
	end(&f);
}

/* A context that is current is used, and is left as it was. */
static void shared(void)
{
	Fake f;

	START;
	setenv("FAKE_CURRENT", "1", 1);
	int retained = fake("fake_retained");
	if (!begin(&f))
		return;
	CHECK(fake("fake_retained") == retained);
	works(&f.k, tenon_plan_run(f.k.plan, f.k.in, f.k.out), "run");
	CHECK(same(&f));
	end(&f);
}

/* ---- what goes wrong -------------------------------------------------- */

/* The n-th allocation is refused, for every n that there is. */
static void memory(void)
{
	Fake f;
	bool good = false;

	START;
	if (!begin(&f))
		return;
	int before = fake("fake_memory");
	for (int n = 0; n < 10 && !good; n++) {
		TenonCall *call = NULL;
		set("FAKE_ALLOCATIONS", fake("fake_allocations") + n);
		TenonError e = tenon_call_new(f.k.plan, f.k.in, f.k.out, &call);
		unsetenv("FAKE_ALLOCATIONS");
		good = e == TENON_OK;
		if (good) {
			CHECK(n > 0);
			called(call, tenon_call_run(call));
			CHECK(same(&f));
			tenon_call_free(call);
		} else {
			CHECK(e == TENON_ENOMEM && !call);
			CHECK(strstr(tenon_message(f.k.c),
				     " bytes were refused on Fake 7, which"));
		}
		CHECK(fake("fake_memory") == before);
	}
	CHECK(good);
	void *data;
	setenv("FAKE_FAIL", "cuMemAlloc_v2:2", 1);
	CHECK(tenon_device_alloc(f.k.plan, 10, &data) == TENON_ENOMEM && !data);
	unsetenv("FAKE_FAIL");
	end(&f);
}

static void hang(void)
{
	Fake f;
	TenonCall *call;
	void *data;

	START;
	if (!begin(&f))
		return;
	tenon_set_time_limit(f.k.c, 0.02);
	if (works(&f.k, tenon_call_new(f.k.plan, &f.dx, &f.dy, &call),
		  "call")) {
		called(call, tenon_call_run(call));
		setenv("FAKE_BUSY", "-1", 1);
		CHECK(tenon_call_run(call) == TENON_EENV);
		CHECK(strstr(
			tenon_call_message(call),
			"kernel k0_main (line 2) did not end on Fake 7 within "
			"0.02 s"));
		CHECK(strstr(tenon_call_message(call), "hint: where the work"));
		CHECK(tenon_call_run(call) == TENON_EENV);
		CHECK(strstr(tenon_call_message(call),
			     "Fake 7 still runs a kernel that did not end in "
			     "time"));
		CHECK(tenon_device_alloc(f.k.plan, 10, &data) == TENON_EENV);
		CHECK(tenon_plan_run(f.k.plan, f.k.in, f.k.out) == TENON_EENV);
		/* it ends after all */
		unsetenv("FAKE_BUSY");
		called(call, tenon_call_run(call));
		/* no limit, and work that takes its time */
		tenon_set_time_limit(f.k.c, 0);
		setenv("FAKE_BUSY", "50", 1);
		called(call, tenon_call_run(call));
		unsetenv("FAKE_BUSY");
		tenon_call_free(call);
	}
	end(&f);
}

/* A fault is told by the run that met it, and by every one after. */
static void faults(void)
{
	Fake f;
	TenonCall *call;

	START;
	if (!begin(&f))
		return;
	int *fault = dlsym(library, "fake_fault");
	if (works(&f.k, tenon_call_new(f.k.plan, &f.dx, &f.dy, &call),
		  "call")) {
		called(call, tenon_call_start(call));
		*fault = 719;
		setenv("FAKE_BUSY", "-1", 1);
		TenonError e = tenon_call_wait(call);
		/* a word that was written before it tells no fault */
		CHECK(e == TENON_OK || e == TENON_EENV);
		CHECK(tenon_call_run(call) == TENON_EENV);
		CHECK(strstr(tenon_call_message(call),
			     "CUDA_ERROR_LAUNCH_FAILED"));
		*fault = 0;
		unsetenv("FAKE_BUSY");
		tenon_call_free(call);
	}
	end(&f);
}

/* A forked child is told; what it frees and closes harms nobody. */
static void forked(void)
{
	Fake f;
	TenonCall *call;
	int status = 1;

	START;
	if (!begin(&f))
		return;
	if (works(&f.k, tenon_call_new(f.k.plan, f.k.in, f.k.out, &call),
		  "call")) {
		fflush(stdout);
		pid_t child = fork();
		if (child == 0) {
			CHECK(tenon_call_run(call) == TENON_EENV);
			CHECK(strstr(tenon_call_message(call),
				     "this process was forked after CUDA was "
				     "started"));
			TenonCall *other;
			CHECK(tenon_call_new(f.k.plan, f.k.in, f.k.out,
					     &other) == TENON_EENV);
			tenon_call_free(call);
			unmake(&f.k);
			fflush(stdout);
			_exit(test_bad > 0);
		}
		CHECK(waitpid(child, &status, 0) == child && status == 0);
		called(call, tenon_call_run(call));
		CHECK(same(&f));
		tenon_call_free(call);
	}
	end(&f);
}

/* ---- a user's kernel -------------------------------------------------- */

static const char signature[] =
	"{\"name\": \"mine\", \"source\": \"mine.cu\", \"symbol\": \"mine\",\n"
	" \"inputs\": [{\"name\": \"x\", \"dtype\": \"f32\", "
	"\"shape\": [\"N\"]}],\n"
	" \"results\": [{\"name\": \"y\", \"dtype\": \"f32\", "
	"\"shape\": [\"N\"]}],\n"
	" \"arguments\": [\"x\", \"y\", \"N\"], \"tasks\": \"(N + 31)//32\",\n"
	" \"threads\": 32}\n";
static const char source[] =
	"extern \"C\" __global__ void mine(const float *x, float *y, "
	"int64_t N)\n"
	"{\n"
	"\tint64_t i = 32 * (int64_t)blockIdx.x + threadIdx.x;\n"
	"\tif (i < N)\n"
	"\t\ty[i] = x[i] + 1;\n"
	"}\n";

/* It has its signature's parameters; no task is no launch. */
static void foreign_runs(Case *k, TenonPlan *plan)
{
	static const int64_t sizes[] = {N, 0, 5};
	static float x[N], y[N];

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		TenonTensor in = k->in[0], out = k->out[0];
		int launches = fake("fake_launches");
		TenonCall *call;
		in.shape[0] = out.shape[0] = sizes[i];
		in.data = x;
		out.data = y;
		x[0] = (float)(i + 3);
		y[0] = -1;
		set("FAKE_COPY", sizes[i] ? 4 : 0);
		if (!works(k, tenon_call_new(plan, &in, &out, &call), "call"))
			return;
		called(call, tenon_call_run(call));
		CHECK(y[0] == (sizes[i] ? x[0] : -1));
		CHECK(fake("fake_launches") == launches + (sizes[i] > 0));
		CHECK(!sizes[i] || fake_arg(2) == (uint64_t)sizes[i]);
		tenon_call_free(call);
	}
}

static void foreign(void)
{
	static const char *const pins[] = {"external.kernel=mine"};
	const char *path = test_path("mine.json"), *file = test_path("p.json");
	TenonPlanOptions o = {.target = "cuda:sm_90a",
			      .externals = &path,
			      .nexternals = 1,
			      .pins = pins,
			      .npins = 1};
	TenonPlanInfo was, is;
	Case k;

	START;
	file_put(path, signature);
	file_put(test_path("mine.cu"), source);
	if (!compile(&k, text, N))
		return;
	tenon_plan_free(k.plan);
	k.plan = NULL;
	if (works(&k, tenon_compile(k.c, k.p, &o, &k.plan), "compile") &&
	    works(&k, tenon_plan_save(k.plan, file), "save")) {
		foreign_runs(&k, k.plan);
		CHECK(unlink(test_path("mine.cu")) == 0 && unlink(path) == 0);
		tenon_plan_info(k.plan, &was);
		for (int adopt = 0; adopt < 2; adopt++) {
			TenonProgram *p;
			TenonPlan *q;
			if (!works(&k,
				   adopt ? tenon_plan_adopt(k.c, file, &p, &q)
					 : tenon_plan_load(k.c, file, &p, &q),
				   adopt ? "adopt" : "load"))
				continue;
			tenon_plan_info(q, &is);
			CHECK_STR(is.identity, was.identity);
			foreign_runs(&k, q);
			tenon_plan_free(q);
			tenon_program_free(p);
		}
	}
	unmake(&k);
}

TEST_MAIN(TEST(host), TEST(device), TEST(mixed), TEST(copies), TEST(large),
	  TEST(places), TEST(cpu), TEST(updates), TEST(streams), TEST(shared),
	  TEST(memory), TEST(foreign), TEST(hang), TEST(faults), TEST(forked))
