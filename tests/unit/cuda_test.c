/*
 * cuda: the driver's errors, each told with what to do, and the order of
 * calls. No GPU is needed: cuda_fake.c, made here with the C compiler, takes
 * the place of libcuda. The last tests run on a real device and are skipped
 * where there is none, each in a process of its own: a kernel that faults
 * takes CUDA from its process.
 */
#include "base/base.h"
#include "runtime/cuda_wait.h"
#include "runtime/nvrtc.h"
#include "tests/unit/folder.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

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
	const char *root = getenv("ROOT");
	char command[4200];
	ctx_clear_errors(&ctx);
	unsetenv("FAKE_VERSION");
	unsetenv("FAKE_DEVICES");
	unsetenv("FAKE_FAIL");
	unsetenv("FAKE_BUSY");
	unsetenv("FAKE_CURRENT");
	unsetenv("FAKE_ORDINAL");
	unsetenv("FAKE_NODES");
	if (library[0])
		return true;
	ctx_init(&ctx);
	top = test_folder();
	atexit(finish);
	snprintf(library, sizeof(library), "%s/libcuda.so.1", top);
	snprintf(command, sizeof(command),
		 "cc -w -shared -fPIC -o %s %s/tests/unit/cuda_fake.c", library,
		 root ? root : ".");
	return CHECK(system(command) == 0);
}

/* A variable of the fake; of none before it is loaded. */
static int *fake_at(const char *name)
{
	static int none;
	void *h = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
	int *p = h ? dlsym(h, name) : NULL;
	if (h)
		dlclose(h); /* it stays loaded */
	none = -1;
	return p ? p : &none;
}

static int fake(const char *name)
{
	return *fake_at(name);
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

typedef struct Device {
	Cuda cuda;
	CudaDevice d;
	CudaModule m;
	CudaStream s;
	CudaEvent e;
	CudaGraph g;
	CudaPtr p;
	int *host;
} Device;

/* Whether the device's first n ints are i. */
static bool holds(Device *x, int i, int n)
{
	if (!cuda_copy_out(&ctx, &x->d, x->host, x->p, (size_t)n * sizeof(int),
			   x->s) ||
	    !cuda_synchronize(&ctx, &x->d, x->s))
		return false;
	for (int k = 0; k < n; k++)
		CHECK(x->host[k] == i);
	return true;
}

static CudaLaunch launch_of(const char *name, Parameters *p)
{
	return (CudaLaunch){.name = name,
			    .grid = {3, 1, 1},
			    .block = {32, 2, 1},
			    .shared = 99999,
			    .parameters = p,
			    .size = sizeof(*p)};
}

static bool make(Device *x, CudaLaunch l[2], size_t size)
{
	static const char cubin[] = "cubin";
	return cuda_open(&ctx, library, 0, &x->cuda) &&
	       cuda_device_open(&ctx, &x->cuda, 0, &x->d) &&
	       cuda_module_load(&ctx, &x->d, cubin, &x->m) &&
	       cuda_function(&ctx, &x->d, x->m, l[0].name, 99999,
			     &l[0].function) &&
	       cuda_function(&ctx, &x->d, x->m, l[1].name, 99999,
			     &l[1].function) &&
	       cuda_stream_new(&ctx, &x->d, &x->s) &&
	       cuda_event_new(&ctx, &x->d, true, &x->e) &&
	       cuda_host_alloc(&ctx, &x->d, size, (void **)&x->host) &&
	       cuda_alloc(&ctx, &x->d, size, &x->p);
}

static bool unmake(Ctx *to, Device *x)
{
	bool ok = true;
	if (!x->d.context)
		return true;
	ok &= cuda_graph_free(to, &x->g);
	ok &= cuda_free(to, &x->d, x->p);
	ok &= cuda_host_free(to, &x->d, x->host);
	ok &= cuda_event_free(to, &x->d, x->e);
	ok &= cuda_stream_free(to, &x->d, x->s);
	ok &= cuda_module_unload(to, &x->d, x->m);
	ok &= cuda_device_close(to, &x->d);
	CHECK(cuda_device_close(to, &x->d));
	return ok;
}

/* Launches by themselves, and an event after them. */
static bool run_alone(Device *x, const CudaLaunch l[2])
{
	bool done = false;
	for (int i = 0; i < 40; i++)
		x->host[i] = 3;
	if (!cuda_copy_in(&ctx, &x->d, x->p, x->host, 40 * sizeof(int), x->s) ||
	    !cuda_launch(&ctx, &x->d, &l[0], x->s) ||
	    !cuda_launch(&ctx, &x->d, &l[1], x->s) ||
	    !cuda_event_record(&ctx, &x->d, x->e, x->s) ||
	    !cuda_event_wait(&ctx, &x->d, x->e) ||
	    !cuda_event_done(&ctx, &x->d, x->e, &done) || !CHECK(done) ||
	    !cuda_stream_done(&ctx, &x->d, x->s, &done) || !CHECK(done))
		return false;
	return holds(x, 7, 40);
}

/* The same as a graph; then its second launch for fewer, then for none. */
static bool run_graph(Device *x, CudaLaunch l[2], Parameters *p)
{
	if (!cuda_fill(&ctx, &x->d, x->p, 5, 40, x->s) ||
	    !cuda_graph_new(&ctx, &ctx.perm, &x->d, l, 2, NULL, &x->g) ||
	    !cuda_graph_launch(&ctx, &x->g, x->s) || !holds(x, 11, 40))
		return false;
	p->n = 1;
	if (!cuda_graph_update(&ctx, &x->g, 1, &l[1]) ||
	    !cuda_fill(&ctx, &x->d, x->p, 0, 1, x->s) ||
	    !cuda_graph_launch(&ctx, &x->g, x->s) || !holds(x, 1, 1) ||
	    !CHECK(x->host[1] == 11))
		return false;
	l[1].grid[2] = 0;
	return cuda_graph_update(&ctx, &x->g, 1, &l[1]) &&
	       cuda_graph_launch(&ctx, &x->g, x->s) && holds(x, 2, 1);
}

/* Graphs of both launches whose last node writes a word. */
static bool run_signals(Device *x, const CudaLaunch l[2])
{
	for (int kind = CUDA_SIGNAL_MEMOP; kind <= CUDA_SIGNAL_MEMSET; kind++) {
		CudaSignal s = {.kind = (CudaSignalKind)kind,
				.word = (uint32_t *)x->host};
		CudaGraph g;
		x->host[0] = 0;
		if (!cuda_graph_new(&ctx, &ctx.perm, &x->d, l, 2, &s, &g))
			return false;
		bool ok = cuda_graph_launch(&ctx, &g, x->s);
		CHECK(!ok || x->host[0] == 1);
		if (!cuda_graph_free(&ctx, &g) || !ok)
			return false;
	}
	return true;
}

/* The first n words set to 0, when that is launched. */
static bool record(Device *x, size_t n, CudaGraphForm *out)
{
	bool ok = cuda_record_begin(&ctx, &x->d, x->s);

	if (!ok)
		return false;
	ok = cuda_zero(&ctx, &x->d, x->p, n * sizeof(int), x->s);
	return cuda_record_end(ok ? &ctx : NULL, &x->d, x->s, out) && ok;
}

static bool second_is(Device *x, int want)
{
	return cuda_copy_out(&ctx, &x->d, x->host, x->p, 2 * sizeof(int),
			     x->s) &&
	       CHECK(x->host[1] == want);
}

static bool run_recorded_in(Device *x, CudaGraph *g, CudaGraphForm form[2])
{
	CudaLaunch l[2] = {{.name = "zero", .grid = {1, 1, 1}},
			   {.name = "nothing"}};

	memcpy(l[0].block, l[0].grid, sizeof(l[0].grid));
	l[0].child = form[0];
	if (!cuda_graph_new(&ctx, &ctx.perm, &x->d, l, 2, NULL, g) ||
	    !CHECK(g->live == 1) || !cuda_fill(&ctx, &x->d, x->p, 5, 2, x->s) ||
	    !cuda_graph_launch(&ctx, g, x->s) || !holds(x, 0, 1) ||
	    !second_is(x, 5))
		return false;
	/* another in its place */
	l[0].child = form[1];
	if (!cuda_graph_update(&ctx, g, 0, &l[0]) || !CHECK(!g->stale) ||
	    !cuda_graph_update(&ctx, g, 1, &l[1]) || !CHECK(!g->stale) ||
	    !cuda_fill(&ctx, &x->d, x->p, 5, 2, x->s) ||
	    !cuda_graph_launch(&ctx, g, x->s) || !holds(x, 0, 2))
		return false;
	/* where there was nothing */
	l[1] = l[0];
	l[1].child = form[0];
	l[0] = (CudaLaunch){.name = "nothing"};
	return cuda_graph_update(&ctx, g, 0, &l[0]) && CHECK(g->stale) &&
	       cuda_graph_remake(&ctx, g, l) && CHECK(!g->stale) &&
	       CHECK(g->live == 1) &&
	       cuda_fill(&ctx, &x->d, x->p, 5, 2, x->s) &&
	       cuda_graph_launch(&ctx, g, x->s) && holds(x, 0, 1) &&
	       second_is(x, 5);
}

/* What other code queues, as a launch of a graph. */
static bool run_recorded(Device *x)
{
	CudaGraphForm form[2] = {NULL, NULL};
	CudaGraph g = {.device = &x->d};
	bool ok = record(x, 1, &form[0]) && record(x, 2, &form[1]) &&
		  run_recorded_in(x, &g, form);

	ok = cuda_graph_free(ok ? &ctx : NULL, &g) && ok;
	for (int i = 0; i < 2; i++)
		cuda_record_free(&x->d, form[i]);
	return ok;
}

/* A context that was there before. */
static bool run_shared(Device *x)
{
	CudaDevice d;
	setenv("FAKE_CURRENT", "1", 1);
	bool ok = cuda_device_share(&ctx, &x->cuda, &d);
	unsetenv("FAKE_CURRENT");
	if (!ok)
		return false;
	CHECK(d.borrowed && d.device == x->d.device);
	CHECK_STR(d.info.name, "Fake 7");
	return cuda_device_close(&ctx, &d);
}

/* What callers bring: memory, streams; and what they ask: time. */
static bool run_others(Device *x)
{
	CudaPlace at;
	CudaEvent timed;
	double us = 0;
	if (!run_shared(x) || !cuda_place(&ctx, &x->d, x->p, &at) ||
	    !CHECK(at.known && at.device && at.ordinal == 7) ||
	    !cuda_place(&ctx, &x->d, (uintptr_t)&at, &at) ||
	    !CHECK(!at.known && !at.device) ||
	    !cuda_stream_check(&ctx, &x->d, x->s) ||
	    !cuda_copy_over(&ctx, &x->d, x->p + 8, x->p, 8, x->s) ||
	    !cuda_event_timed(&ctx, &x->d, &timed))
		return false;
	bool ok = cuda_event_us(&ctx, &x->d, timed, timed, &us);
	CHECK(!ok || us == 500);
	return cuda_event_free(&ctx, &x->d, timed) && ok;
}

/* A kernel that takes a map of rows of 8 elements of 2 bytes, by itself and in
 * a graph. */
static bool run_map(Device *x)
{
	struct {
		_Alignas(64) uint64_t map[16];
		uint64_t parameters[17];
	} on = {.parameters = {x->p}};
	CudaMap m = {.from = x->p,
		     .bytes = 2,
		     .rank = 2,
		     .extent = {8, 5},
		     .stride = {16},
		     .box = {8, 4},
		     .swizzled = true};
	CudaLaunch l = {.name = "mapped",
			.grid = {1, 1, 1},
			.block = {32, 1, 1},
			.parameters = on.parameters,
			.size = sizeof(on.parameters),
			.maps = 1};
	CudaGraph g;

	if (!cuda_map(&ctx, &x->d, "rows", &m, on.map) ||
	    !CHECK(on.map[0] == x->p && on.map[1] == 8 && on.map[2] == 5 &&
		   on.map[6] == 16 && on.map[10] == 3) ||
	    !cuda_function(&ctx, &x->d, x->m, l.name, 99999, &l.function))
		return false;
	memcpy(on.parameters + 1, on.map, sizeof(on.map));
	if (!cuda_fill(&ctx, &x->d, x->p, 1, 2, x->s) ||
	    !cuda_launch(&ctx, &x->d, &l, x->s) || !holds(x, 8, 1) ||
	    !cuda_fill(&ctx, &x->d, x->p, 1, 2, x->s) ||
	    !cuda_graph_new(&ctx, &ctx.perm, &x->d, &l, 1, NULL, &g))
		return false;
	bool ok = cuda_graph_launch(&ctx, &g, x->s) && holds(x, 8, 1);
	return cuda_graph_free(&ctx, &g) && ok;
}

/* Everything once, to the end or to the first failure; then all is freed. */
static bool work(void)
{
	Device x = {0};
	Parameters p[2] = {{.n = 40}, {.n = 40}};
	CudaLaunch l[2] = {launch_of("twice", &p[0]), launch_of("plus", &p[1])};
	bool ok = make(&x, l, 40 * sizeof(int));
	p[0].p = p[1].p = x.p;
	ok = ok && run_alone(&x, l) && run_signals(&x, l) && run_others(&x) &&
	     run_map(&x) && run_recorded(&x) && run_graph(&x, l, &p[1]);
	return unmake(&ctx, &x) && ok;
}

static void works(void)
{
	if (!start())
		return;
	int launches = fake("fake_launches");
	CHECK(work());
	/* two alone, two in each of two graphs that signal, two in a graph
	 * three times, the last of them disabled; two with maps */
	CHECK(fake("fake_launches") == (launches < 0 ? 13 : launches + 13));
	CHECK(fake("fake_depth") == 0);
	CHECK(fake("fake_retained") == 0);
	CHECK(fake("fake_memory") == 0);
	CHECK(fake("fake_graphs") == 0);
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
		/* 1 of a child: that it has other nodes */
		bool child = strstr(symbols[i], "ChildGraphNodeSet") != NULL;
		setenv("FAKE_FAIL",
		       arena_printf(&ctx.perm, "%s:%d", symbols[i],
				    child ? 999 : 1),
		       1);
		CHECK(!work());
		CHECK(ctx.err == ERR_ENV);
		CHECK(said(arena_printf(&ctx.perm, "error: %.*s failed", (int)n,
					symbols[i])));
		CHECK(fake("fake_depth") == 0);
		count++;
	}
	CHECK(count == 55);
	setenv("FAKE_FAIL", "cuStreamSynchronize:1", 1);
	CHECK(!work());
	CHECK(said("cuStreamSynchronize failed on Fake 7: "
		   "CUDA_ERROR_SOMETHING (1: what it means)"));
	setenv("FAKE_FAIL", "cuGraphInstantiateWithFlags:1", 1);
	CHECK(!work());
	CHECK(said("cuGraphInstantiateWithFlags failed on twice, plus: "));
	setenv("FAKE_FAIL", "cuGraphAddKernelNode_v2:2", 1);
	CHECK(!work());
	CHECK(ctx.err == ERR_NOMEM);
	CHECK(said("cuGraphAddKernelNode failed on twice: "));
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
	CHECK(cuda_fill(&ctx, &d, 0, 0, 0, NULL));
	void *host;
	CHECK(cuda_host_alloc(&ctx, &d, 0, &host) && !host);
	CHECK(cuda_host_free(&ctx, &d, NULL));
	setenv("FAKE_FAIL", "cuMemHostAlloc:2", 1);
	CHECK(!cuda_host_alloc(&ctx, &d, 4567, &host));
	CHECK(ctx.err == ERR_NOMEM && !host);
	CHECK(said("out of memory of the host that stays where it is: 4567 "
		   "bytes were refused"));
	CHECK(fake("fake_depth") == 0);
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

/* ---- waits ----------------------------------------------------------- */

static void waits(void)
{
	Device x = {0};
	Parameters p[2] = {{.n = 0}, {.n = 0}};
	CudaLaunch l[2] = {launch_of("twice", &p[0]), launch_of("plus", &p[1])};
	bool done = true;
	if (!start() || !CHECK(make(&x, l, 4)))
		return;
	setenv("FAKE_BUSY", "2", 1);
	for (int i = 0; i < 3; i++) {
		CHECK(cuda_stream_done(&ctx, &x.d, x.s, &done));
		CHECK(done == (i == 2));
	}
	for (int i = 0; i < 3; i++) {
		CHECK(cuda_event_done(&ctx, &x.d, x.e, &done));
		CHECK(done == (i == 2));
	}
	CudaEvent spins;
	CHECK(cuda_event_new(&ctx, &x.d, false, &spins));
	CHECK(cuda_event_free(&ctx, &x.d, spins));
	CHECK(unmake(&ctx, &x) && ctx.errors == 0);
}

/* The ways of waiting: which work, which is taken, and their errors. */
static void choices(void)
{
	Device x = {0};
	Parameters p[2] = {{.n = 0}, {.n = 0}};
	CudaLaunch l[2] = {launch_of("twice", &p[0]), launch_of("plus", &p[1])};
	CudaWaiter w, again;
	bool late = false;
	if (!start() || !CHECK(make(&x, l, 4)))
		return;
	int memory = fake("fake_memory"), graphs = fake("fake_graphs");
	/* a node that the driver does not know is no way */
	setenv("FAKE_NODES", "memset", 1);
	CHECK(cuda_waiter_new(&ctx, &x.d, &w));
	CHECK(w.store && w.waits.ms > 0);
	for (int i = 0; i < CUDA_WAITS; i++)
		CHECK((w.waits.us[i] > 0) == (i != CUDA_WAIT_MEMSET));
	CHECK(w.waits.best != CUDA_WAIT_STREAM &&
	      w.waits.best != CUDA_WAIT_MEMSET);
	for (int i = CUDA_WAIT_QUERY; i < CUDA_WAITS; i++)
		CHECK(w.waits.us[i] <= 0 ||
		      w.waits.us[w.waits.best] <= w.waits.us[i]);
	/* what was measured is kept, the node not asked for again */
	unsetenv("FAKE_NODES");
	CHECK(cuda_waiter_new(&ctx, &x.d, &again));
	CHECK(again.waits.us[CUDA_WAIT_MEMSET] <= 0 &&
	      again.waits.best == w.waits.best);
	CHECK(cuda_waiter_free(&ctx, &x.d, &again));
	CHECK(cuda_waiter_free(&ctx, &x.d, &w));
	CHECK(fake("fake_memory") == memory && fake("fake_graphs") == graphs);
	/* a driver that compiles no PTX */
	setenv("FAKE_FAIL", "cuModuleLoadData:221", 1);
	CHECK(cuda_waiter_new(&ctx, &x.d, &w));
	CHECK(!w.store && w.waits.best == CUDA_WAIT_QUERY);
	CHECK(ctx.errors == 0);
	unsetenv("FAKE_FAIL");
	/* work that does not end; a word that is never written */
	uint32_t word = 0;
	CudaPending pending = {.stream = x.s,
			       .kind = CUDA_WAIT_MEMOP,
			       .word = &word,
			       .event = x.e,
			       .names = "twice, plus"};
	setenv("FAKE_BUSY", "-1", 1);
	CHECK(!cuda_wait(&ctx, &x.d, &pending, 0.03, &late) && late);
	CHECK(ctx.err == ERR_ENV);
	CHECK(strstr(buf_str(&ctx.messages), "tenon_set_time_limit()"));
	CHECK(said("error: one of the kernels twice, plus did not end on Fake "
		   "7 within 0.03 s"));
	pending = (CudaPending){
		.stream = x.s, .kind = CUDA_WAIT_QUERY, .names = "plus"};
	CHECK(!cuda_wait(&ctx, &x.d, &pending, 0.001, &late) && late);
	CHECK(said("error: kernel plus did not end on Fake 7 within 0.001 s"));
	/* work that ends late, and that of a kernel that failed */
	setenv("FAKE_BUSY", "100", 1);
	CHECK(cuda_wait(&ctx, &x.d, &pending, 60, &late) && !late);
	pending.kind = CUDA_WAIT_EVENT;
	pending.event = x.e;
	CHECK(cuda_wait(&ctx, &x.d, &pending, 0, &late) && !late);
	pending.kind = CUDA_WAIT_STREAM;
	CHECK(cuda_wait(&ctx, &x.d, &pending, 0, &late) && !late);
	pending.kind = CUDA_WAIT_MEMSET;
	pending.word = &word;
	*fake_at("fake_fault") = 719;
	CHECK(!cuda_wait(&ctx, &x.d, &pending, 60, &late) && !late);
	CHECK(said("CUDA_ERROR_LAUNCH_FAILED"));
	*fake_at("fake_fault") = 0;
	CHECK(unmake(&ctx, &x) && ctx.errors == 0);
}

/* What a forked child is told; and that its parent is told nothing. */
static void forks(void)
{
	Device x = {0};
	Parameters p[2] = {{.n = 0}, {.n = 0}};
	CudaLaunch l[2] = {launch_of("twice", &p[0]), launch_of("plus", &p[1])};
	int status = 1;
	if (!start() || !CHECK(make(&x, l, 4)))
		return;
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		Cuda c;
		CHECK(!cuda_synchronize(&ctx, &x.d, x.s));
		CHECK(ctx.err == ERR_ENV);
		CHECK(strstr(buf_str(&ctx.messages), "hint: CUDA does not"));
		CHECK(said("error: this process was forked after CUDA was "
			   "started, and cannot use the device"));
		CHECK(!cuda_open(&ctx, library, 0, &c));
		CHECK(strstr(buf_str(&ctx.messages), "hint: CUDA does not"));
		CHECK(said("cuInit failed"));
		fflush(stdout);
		_exit(test_bad > 0);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	CHECK(cuda_synchronize(&ctx, &x.d, x.s));
	CHECK(unmake(&ctx, &x) && ctx.errors == 0);
	setenv("FAKE_FAIL", "cuDevicePrimaryCtxRetain:46", 1);
	CHECK(!make(&x, l, 4));
	CHECK(strstr(buf_str(&ctx.messages), "hint: another process has the "
					     "device for itself alone"));
	CHECK(said("cuDevicePrimaryCtxRetain failed on Fake 7"));
}

/* ---- graphs ---------------------------------------------------------- */

/* Launches that wait by themselves are joined, anew where one of them goes or
 * comes. */
static void joined(void)
{
	Device x = {0};
	Parameters p[3] = {{.n = 1}, {.n = 1}, {.n = 1}};
	CudaLaunch l[3] = {launch_of("twice", &p[0]), launch_of("plus", &p[1]),
			   launch_of("twice", &p[2])};
	if (!start() || !CHECK(make(&x, l, 2 * sizeof(int))))
		return;
	l[2].function = l[0].function;
	p[0].p = p[1].p = p[2].p = x.p;
	l[1].waits = l[2].waits = true;
	int before = fake("fake_joined"), graphs = fake("fake_graphs");
	CHECK(cuda_graph_new(&ctx, &ctx.perm, &x.d, l, 3, NULL, &x.g));
	CHECK(fake("fake_joined") == before + 2);
	CHECK(cuda_fill(&ctx, &x.d, x.p, 5, 2, x.s));
	CHECK(cuda_graph_launch(&ctx, &x.g, x.s) && holds(&x, 22, 1));
	/* over what is empty, which has no node */
	l[1].grid[0] = 0;
	CHECK(cuda_graph_update(&ctx, &x.g, 1, &l[1]) && x.g.stale);
	CHECK(cuda_graph_remake(&ctx, &x.g, l) && !x.g.stale);
	CHECK(fake("fake_joined") == before + 3);
	CHECK(cuda_fill(&ctx, &x.d, x.p, 5, 2, x.s));
	CHECK(cuda_graph_launch(&ctx, &x.g, x.s) && holds(&x, 20, 1));
	l[1].grid[0] = 3;
	CHECK(cuda_graph_update(&ctx, &x.g, 1, &l[1]) && x.g.stale);
	CHECK(cuda_graph_remake(&ctx, &x.g, l));
	CHECK(fake("fake_joined") == before + 5);
	CHECK(cuda_fill(&ctx, &x.d, x.p, 5, 2, x.s));
	CHECK(cuda_graph_launch(&ctx, &x.g, x.s) && holds(&x, 22, 1));
	/* one that cannot be made anew is no graph any more */
	setenv("FAKE_FAIL", "cuGraphAddDependencies_v2:1", 1);
	l[0].grid[0] = 0;
	CHECK(!cuda_graph_remake(&ctx, &x.g, l));
	CHECK(said("cuGraphAddDependencies failed on twice: "));
	unsetenv("FAKE_FAIL");
	CHECK(fake("fake_graphs") == graphs);
	CHECK(cuda_graph_launch(&ctx, &x.g, x.s));
	CHECK(unmake(&ctx, &x));
}

static void graphs(void)
{
	Device x = {0};
	Parameters p[3] = {{.n = 1}, {.n = 1}, {.n = 1}};
	CudaLaunch l[3] = {launch_of("twice", &p[0]), launch_of("plus", &p[1]),
			   launch_of("twice", &p[2])};
	if (!start() || !CHECK(make(&x, l, 2 * sizeof(int))))
		return;
	l[2].function = l[0].function;
	int graphs_before = fake("fake_graphs");
	p[0].p = p[1].p = p[2].p = x.p;
	/* one that is empty at first takes its place later */
	l[1].block[0] = 0;
	setenv("FAKE_FAIL", "cuGraphNodeSetEnabled:1", 1);
	CHECK(!cuda_graph_new(&ctx, &ctx.perm, &x.d, l, 3, NULL, &x.g));
	CHECK(said("cuGraphNodeSetEnabled failed on plus: "));
	CHECK(fake("fake_graphs") == graphs_before);
	CHECK(cuda_graph_launch(&ctx, &x.g, x.s)); /* not made: nothing */
	unsetenv("FAKE_FAIL");
	CHECK(cuda_graph_new(&ctx, &ctx.perm, &x.d, l, 3, NULL, &x.g));
	CHECK(cuda_fill(&ctx, &x.d, x.p, 5, 2, x.s));
	CHECK(cuda_graph_launch(&ctx, &x.g, x.s) && holds(&x, 20, 1));
	l[1].block[0] = 32;
	CHECK(cuda_graph_update(&ctx, &x.g, 1, &l[1]));
	CHECK(cuda_fill(&ctx, &x.d, x.p, 5, 2, x.s));
	CHECK(cuda_graph_launch(&ctx, &x.g, x.s) && holds(&x, 22, 1));
	/* nothing new: nothing is called */
	int updates = fake("fake_updates");
	for (size_t i = 0; i < 3; i++)
		CHECK(cuda_graph_update(&ctx, &x.g, i, &l[i]));
	CHECK(fake("fake_updates") == updates);
	/* empty, and as before: its parameters were kept */
	l[1].grid[0] = 0;
	CHECK(cuda_graph_update(&ctx, &x.g, 1, &l[1]));
	l[1].grid[0] = 3;
	CHECK(cuda_graph_update(&ctx, &x.g, 1, &l[1]));
	CHECK(fake("fake_updates") == updates + 2);
	/* another pointer */
	p[1].p = x.p + sizeof(int);
	CHECK(cuda_graph_update(&ctx, &x.g, 1, &l[1]));
	CHECK(fake("fake_updates") == updates + 3);
	CHECK(cuda_fill(&ctx, &x.d, x.p, 5, 2, x.s));
	CHECK(cuda_graph_launch(&ctx, &x.g, x.s) && holds(&x, 20, 1));
	CHECK(cuda_copy_out(&ctx, &x.d, x.host, x.p, 8, x.s));
	CHECK(x.host[1] == 6);
	/* refused: the graph stays as it was */
	setenv("FAKE_FAIL", "cuGraphExecKernelNodeSetParams_v2:1", 1);
	p[1].p = x.p;
	CHECK(!cuda_graph_update(&ctx, &x.g, 1, &l[1]));
	CHECK(said("cuGraphExecKernelNodeSetParams failed on plus: "));
	unsetenv("FAKE_FAIL");
	CHECK(cuda_graph_launch(&ctx, &x.g, x.s));
	CHECK(cuda_copy_out(&ctx, &x.d, x.host, x.p, 8, x.s));
	CHECK(x.host[1] == 7);
	/* all empty: nothing is launched */
	for (size_t i = 0; i < 3; i++) {
		l[i].grid[1] = 0;
		CHECK(cuda_graph_update(&ctx, &x.g, i, &l[i]));
	}
	setenv("FAKE_FAIL", "cuGraphLaunch:1", 1);
	CHECK(cuda_graph_launch(&ctx, &x.g, x.s));
	unsetenv("FAKE_FAIL");
	CHECK(cuda_graph_free(&ctx, &x.g) && cuda_graph_free(&ctx, &x.g));
	CHECK(cuda_graph_launch(&ctx, &x.g, x.s)); /* freed: nothing */
	CHECK(cuda_graph_new(&ctx, &ctx.perm, &x.d, NULL, 0, NULL, &x.g));
	CHECK(cuda_graph_launch(&ctx, &x.g, x.s));
	CHECK(unmake(&ctx, &x) && ctx.errors == 0);
	CHECK(fake("fake_graphs") == graphs_before);
}

/* ---- faults ---------------------------------------------------------- */

/* A device whose kernels are `trap` and `plus`, the fault cleared. */
static bool make_trap(Device *x, CudaLaunch l[2])
{
	*x = (Device){0};
	*fake_at("fake_fault") = 0;
	return CHECK(make(x, l, 4));
}

static void faults(void)
{
	Device x;
	Parameters p[2] = {{.n = 0}, {.n = 0}};
	CudaLaunch l[2] = {launch_of("trap", &p[0]), launch_of("plus", &p[1])};
	if (!start() || !make_trap(&x, l))
		return;
	CHECK(cuda_launch(&ctx, &x.d, &l[0], x.s));
	CHECK(!cuda_synchronize(&ctx, &x.d, x.s));
	CHECK(ctx.err == ERR_ENV);
	CHECK(strstr(buf_str(&ctx.messages), "hint: it read or wrote where"));
	CHECK(said("error: kernel trap failed on Fake 7: "
		   "CUDA_ERROR_LAUNCH_FAILED (719: what it means), as "
		   "cuStreamSynchronize tells"));
	/* every later call says the same, the launch of another kernel too */
	CHECK(!cuda_launch(&ctx, &x.d, &l[1], x.s));
	CHECK(said("kernel trap failed on Fake 7: "));
	CHECK(!unmake(NULL, &x) && ctx.errors == 0);

	/* what was seen to end is not named */
	if (!make_trap(&x, l))
		return;
	CHECK(cuda_launch(&ctx, &x.d, &l[1], x.s));
	CHECK(cuda_synchronize(&ctx, &x.d, x.s));
	CHECK(cuda_launch(&ctx, &x.d, &l[0], x.s));
	CHECK(!cuda_alloc(&ctx, &x.d, 4, &(CudaPtr){0}));
	CHECK(said("error: kernel trap failed on Fake 7: "));
	unmake(NULL, &x);

	/* what was not, is; a graph's kernels together */
	if (!make_trap(&x, l))
		return;
	CHECK(cuda_launch(&ctx, &x.d, &l[1], x.s));
	CHECK(cuda_launch(&ctx, &x.d, &l[1], x.s));
	CHECK(cuda_graph_new(&ctx, &ctx.perm, &x.d, l, 2, NULL, &x.g));
	CHECK(cuda_graph_launch(&ctx, &x.g, x.s));
	CHECK(!cuda_event_record(&ctx, &x.d, x.e, x.s));
	CHECK(said("error: one of the kernels plus, trap, plus failed on "
		   "Fake 7: CUDA_ERROR_LAUNCH_FAILED (719: what it means), as "
		   "cuEventRecord tells"));
	unmake(NULL, &x);

	if (!make_trap(&x, l))
		return;
	CHECK(cuda_graph_new(&ctx, &ctx.perm, &x.d, l, 2, NULL, &x.g));
	CHECK(cuda_graph_launch(&ctx, &x.g, x.s));
	CHECK(!cuda_graph_launch(&ctx, &x.g, x.s));
	CHECK(said("error: one of the kernels trap, plus failed on "));
	unmake(NULL, &x);

	/* one that we know nothing of */
	if (!make_trap(&x, l))
		return;
	*fake_at("fake_fault") = 700;
	CHECK(!cuda_synchronize(&ctx, &x.d, x.s));
	CHECK(said("error: a kernel that this thread did not queue failed on "
		   "Fake 7: CUDA_ERROR_ILLEGAL_ADDRESS (700: "));
	unmake(NULL, &x);
	*fake_at("fake_fault") = 0;
}

/* More launches than are remembered, and names longer than that. */
static void many_names(void)
{
	Device x;
	Parameters p[2] = {{.n = 0}, {.n = 0}};
	CudaLaunch l[2] = {launch_of("trap", &p[0]), launch_of("plus", &p[1])};
	char names[12][400];
	if (!start() || !make_trap(&x, l))
		return;
	for (int i = 0; i < 12; i++) {
		snprintf(names[i], sizeof(names[i]), "n%d%0*d", i,
			 i == 11 ? 300 : 100 + i, 0);
		l[1].name = names[i];
		CHECK(cuda_launch(&ctx, &x.d, &l[1], x.s));
	}
	*fake_at("fake_fault") = 719;
	CHECK(!cuda_synchronize(&ctx, &x.d, x.s));
	CHECK(strstr(buf_str(&ctx.messages), ", n100000"));
	CHECK(strstr(buf_str(&ctx.messages), ", n110000"));
	CHECK(strstr(buf_str(&ctx.messages), "0000... failed on Fake 7"));
	CHECK(!strstr(buf_str(&ctx.messages), "n300"));
	CHECK(said("one of the kernels ..., n40000"));
	unmake(NULL, &x);
	*fake_at("fake_fault") = 0;
}

/* ---- a GPU ----------------------------------------------------------- */

enum {
	CHILD_SKIPPED = 77
};

/*
 * Runs fn in a child: no other test may have called the real driver, which a
 * fork does not survive. Its checks count as ours. What it skips is skipped.
 */
static int in_child(int (*fn)(void))
{
	int status = 0;
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		alarm(120);
		int code = fn();
		fflush(stdout);
		_exit(code ? code : test_bad > 0);
	}
	CHECK(waitpid(child, &status, 0) == child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_SKIPPED)
		return CHILD_SKIPPED;
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	return 0;
}

static const char gpu_text[] =
	"extern \"C\" __global__ void scale(float *to, const float *from, "
	"float by, int n)\n{\n"
	"\tint i = blockIdx.x * blockDim.x + threadIdx.x;\n"
	"\tif (i < n) to[i] = from[i] * by;\n}\n"
	"extern \"C\" __global__ void shift(float *to, const float *from, "
	"float by, int n)\n{\n"
	"\textern __shared__ float s[];\n"
	"\tint i = blockIdx.x * blockDim.x + threadIdx.x;\n"
	"\ts[threadIdx.x] = i < n ? from[i] : 0;\n"
	"\t__syncthreads();\n"
	"\tif (i < n) to[i] = s[threadIdx.x] + by;\n}\n"
	"extern \"C\" __global__ void trap(float *to, const float *from, "
	"float by, int n)\n{\n"
	"\tif (threadIdx.x == 5) __trap();\n}\n"
	"extern \"C\" __global__ void astray(float *to, const float *from, "
	"float by, int n)\n{\n"
	"\t*(float *)(8 + 4 * (unsigned long long)n) = by;\n}\n"
	"extern \"C\" __global__ void until(float *to, const float *from, "
	"float by, int n)\n{\n"
	"\twhile (*(volatile float *)to != by)\n\t\t;\n}\n";

#define GPU_N 5000

typedef struct GpuParameters {
	CudaPtr to, from;
	float by;
	int n;
} GpuParameters;

typedef struct Gpu {
	Nvrtc nvrtc;
	Cuda cuda;
	CudaDevice d;
	CudaModule m;
	CudaStream s;
	CudaPtr p[3]; /* GPU_N floats each */
	float *host;
	GpuParameters parameters[2];
	CudaLaunch l[2];
} Gpu;

/* False where no device is, or no compiler for it. */
static bool gpu_open(Gpu *g, const char *first, const char *second)
{
	const char *names[] = {first, second};
	NvrtcSource src = {.name = "gpu", .text = gpu_text};
	ctx_init(&ctx);
	if (!nvrtc_open(&ctx, NULL, &g->nvrtc) ||
	    !cuda_open(&ctx, NULL, 1000 * g->nvrtc.major, &g->cuda)) {
		printf("%s", buf_str(&ctx.messages));
		return false;
	}
	CHECK(cuda_device_open(&ctx, &g->cuda, 0, &g->d));
	src.arch = arena_printf(&ctx.perm, "sm_%d%d", g->d.info.major,
				g->d.info.minor);
	CHECK(nvrtc_compile(&ctx, &ctx.perm, &g->nvrtc, &src, 1) &&
	      cuda_module_load(&ctx, &g->d, src.cubin, &g->m) &&
	      cuda_stream_new(&ctx, &g->d, &g->s) &&
	      cuda_host_alloc(&ctx, &g->d, GPU_N * sizeof(float),
			      (void **)&g->host));
	for (int i = 0; i < 3; i++)
		CHECK(cuda_alloc(&ctx, &g->d, GPU_N * sizeof(float), &g->p[i]));
	for (int i = 0; i < 2; i++) {
		g->parameters[i] = (GpuParameters){.to = g->p[i + 1],
						   .from = g->p[i],
						   .by = 3.0f,
						   .n = GPU_N};
		g->l[i] = (CudaLaunch){.name = names[i],
				       .grid = {(GPU_N + 127) / 128, 1, 1},
				       .block = {128, 1, 1},
				       .shared = 128 * sizeof(float),
				       .parameters = &g->parameters[i],
				       .size = sizeof(g->parameters[i])};
		CHECK(cuda_function(&ctx, &g->d, g->m, names[i], g->l[i].shared,
				    &g->l[i].function));
	}
	if (test_bad > 0)
		printf("%s", buf_str(&ctx.messages));
	return true;
}

/* Whether n floats at p are `want`, others 0. */
static bool gpu_holds(Gpu *g, CudaPtr p, float want, int n)
{
	if (!CHECK(cuda_copy_out(&ctx, &g->d, g->host, p, GPU_N * sizeof(float),
				 g->s)) ||
	    !CHECK(cuda_synchronize(&ctx, &g->d, g->s)))
		return false;
	for (int i = 0; i < GPU_N; i++) {
		if (g->host[i] != (i < n ? want : 0.0f)) {
			printf("[%d] is %g, not %g\n", i, (double)g->host[i],
			       (double)want);
			return false;
		}
	}
	return true;
}

/* 2.0 to p[0], 0 elsewhere. */
static bool gpu_reset(Gpu *g)
{
	return cuda_fill(&ctx, &g->d, g->p[0], 0x40000000, GPU_N, g->s) &&
	       cuda_fill(&ctx, &g->d, g->p[1], 0, GPU_N, g->s) &&
	       cuda_fill(&ctx, &g->d, g->p[2], 0, GPU_N, g->s);
}

static int gpu_graph(void)
{
	static Gpu g;
	CudaGraph graph;
	CudaEvent e;
	bool done = false;
	if (!gpu_open(&g, "scale", "shift"))
		return CHILD_SKIPPED;
	CHECK(cuda_graph_new(&ctx, &ctx.perm, &g.d, g.l, 2, NULL, &graph));
	CHECK(gpu_reset(&g) && cuda_graph_launch(&ctx, &graph, g.s));
	CHECK(gpu_holds(&g, g.p[1], 6, GPU_N));
	CHECK(gpu_holds(&g, g.p[2], 9, GPU_N));
	/* pointers: the second reads what was given to the first */
	g.parameters[1].from = g.p[0];
	CHECK(cuda_graph_update(&ctx, &graph, 1, &g.l[1]));
	CHECK(gpu_reset(&g) && cuda_graph_launch(&ctx, &graph, g.s));
	CHECK(gpu_holds(&g, g.p[2], 5, GPU_N));
	/* a dim, and with it the grid */
	for (int i = 0; i < 2; i++) {
		g.parameters[i].n = 300;
		g.l[i].grid[0] = 3;
		CHECK(cuda_graph_update(&ctx, &graph, (size_t)i, &g.l[i]));
	}
	CHECK(gpu_reset(&g) && cuda_graph_launch(&ctx, &graph, g.s));
	CHECK(gpu_holds(&g, g.p[1], 6, 300));
	CHECK(gpu_holds(&g, g.p[2], 5, 300));
	/* no first kernel; then both again, many runs in a row */
	g.l[0].grid[0] = 0;
	CHECK(cuda_graph_update(&ctx, &graph, 0, &g.l[0]));
	CHECK(gpu_reset(&g) && cuda_graph_launch(&ctx, &graph, g.s));
	CHECK(gpu_holds(&g, g.p[1], 0, GPU_N));
	CHECK(gpu_holds(&g, g.p[2], 5, 300));
	g.l[0].grid[0] = 3;
	g.parameters[0].to = g.p[0]; /* in place: doubled each time */
	g.parameters[0].by = 2.0f;
	CHECK(cuda_graph_update(&ctx, &graph, 0, &g.l[0]));
	CHECK(gpu_reset(&g) && cuda_event_new(&ctx, &g.d, true, &e));
	for (int i = 0; i < 10; i++)
		CHECK(cuda_graph_launch(&ctx, &graph, g.s));
	CHECK(cuda_event_record(&ctx, &g.d, e, g.s));
	while (!done)
		if (!CHECK(cuda_event_done(&ctx, &g.d, e, &done)))
			break;
	CHECK(cuda_event_wait(&ctx, &g.d, e));
	CHECK(cuda_stream_done(&ctx, &g.d, g.s, &done) && done);
	CHECK(gpu_holds(&g, g.p[2], 2048 + 3, 300));
	CHECK(cuda_event_free(&ctx, &g.d, e));
	CHECK(cuda_graph_free(&ctx, &graph));
	for (int i = 0; i < 3; i++)
		CHECK(cuda_free(&ctx, &g.d, g.p[i]));
	CHECK(cuda_host_free(&ctx, &g.d, g.host));
	CHECK(cuda_stream_free(&ctx, &g.d, g.s));
	CHECK(cuda_module_unload(&ctx, &g.d, g.m));
	CHECK(cuda_device_close(&ctx, &g.d));
	if (test_bad > 0)
		printf("%s", buf_str(&ctx.messages));
	return 0;
}

static int gpu_trap(void)
{
	static Gpu g;
	CudaGraph graph;
	if (!gpu_open(&g, "scale", "trap"))
		return CHILD_SKIPPED;
	CHECK(cuda_graph_new(&ctx, &ctx.perm, &g.d, g.l, 2, NULL, &graph));
	CHECK(cuda_graph_launch(&ctx, &graph, g.s));
	CHECK(!cuda_synchronize(&ctx, &g.d, g.s));
	CHECK(ctx.err == ERR_ENV);
	CHECK(strstr(buf_str(&ctx.messages), "one of the kernels scale, trap "
					     "failed on "));
	CHECK(strstr(buf_str(&ctx.messages), "CUDA_ERROR_LAUNCH_FAILED (719") ||
	      strstr(buf_str(&ctx.messages),
		     "CUDA_ERROR_ILLEGAL_INSTRUCTION (715"));
	CHECK(said("as cuStreamSynchronize tells"));
	CHECK(!cuda_launch(&ctx, &g.d, &g.l[0], g.s));
	CHECK(said("one of the kernels scale, trap failed on "));
	return 0;
}

static int gpu_astray(void)
{
	static Gpu g;
	if (!gpu_open(&g, "scale", "astray"))
		return CHILD_SKIPPED;
	CHECK(cuda_launch(&ctx, &g.d, &g.l[0], g.s));
	CHECK(cuda_synchronize(&ctx, &g.d, g.s));
	CHECK(cuda_launch(&ctx, &g.d, &g.l[1], g.s));
	CHECK(!cuda_synchronize(&ctx, &g.d, g.s));
	CHECK(said("kernel astray failed on "));
	return 0;
}

/* A kernel that runs until it is told: the wait is over before. */
static int gpu_until(void)
{
	static Gpu g;
	bool late;
	if (!gpu_open(&g, "until", "scale"))
		return CHILD_SKIPPED;
	CudaPending p = {
		.stream = g.s, .kind = CUDA_WAIT_QUERY, .names = "until"};
	volatile float *word = g.host;
	*word = 0;
	g.parameters[0].to = (uintptr_t)g.host;
	CHECK(cuda_launch(&ctx, &g.d, &g.l[0], g.s));
	CHECK(!cuda_wait(&ctx, &g.d, &p, 0.3, &late) && late);
	CHECK(said("kernel until did not end on "));
	*word = 3;
	CHECK(cuda_wait(&ctx, &g.d, &p, 10, &late) && !late);
	return 0;
}

/* Every way of waiting, and that what was written before is seen. */
static int gpu_waits(void)
{
	static Gpu g;
	CudaWaiter w;
	CudaEvent e;
	bool late;
	if (!gpu_open(&g, "scale", "shift"))
		return CHILD_SKIPPED;
	CHECK(cuda_waiter_new(&ctx, &g.d, &w) && w.store);
	CHECK(cuda_event_new(&ctx, &g.d, false, &e));
	printf("measured in %.1f ms:", w.waits.ms);
	for (int k = 0; k < CUDA_WAITS; k++)
		printf(" %s %.2f", cuda_wait_name[k], w.waits.us[k]);
	printf(" us; best: %s\n", cuda_wait_name[w.waits.best]);
	uint32_t *word = (uint32_t *)&g.host[GPU_N - 1];
	/* the second kernel writes to the host's memory itself */
	g.parameters[1].to = (uintptr_t)g.host;
	g.parameters[1].n = GPU_N - 100;
	CHECK(gpu_reset(&g) && cuda_synchronize(&ctx, &g.d, g.s));
	for (int k = 0; k < CUDA_WAITS; k++) {
		CudaSignal s = cuda_wait_signal(&w, (CudaWaitKind)k, word);
		CudaPending p = {.stream = g.s,
				 .kind = (CudaWaitKind)k,
				 .word = s.kind ? word : NULL,
				 .event = e,
				 .names = "scale, shift"};
		CudaGraph graph;
		CHECK(w.waits.us[k] > 0);
		CHECK(cuda_graph_new(&ctx, &ctx.perm, &g.d, g.l, 2, &s,
				     &graph));
		for (int i = 0; i < 200; i++) {
			memset(g.host, 0, GPU_N * sizeof(float));
			if (!CHECK(cuda_graph_launch(&ctx, &graph, g.s)) ||
			    (k == CUDA_WAIT_EVENT &&
			     !CHECK(cuda_event_record(&ctx, &g.d, e, g.s))) ||
			    !CHECK(cuda_wait(&ctx, &g.d, &p, 10, &late)))
				break;
			int wrong = 0;
			for (int j = 0; j < GPU_N - 100; j++)
				wrong += g.host[j] != 9;
			if (!CHECK(wrong == 0))
				printf("%s: %d not there yet\n",
				       cuda_wait_name[k], wrong);
			CHECK(cuda_synchronize(&ctx, &g.d, g.s));
		}
		CHECK(cuda_graph_free(&ctx, &graph));
	}
	if (test_bad > 0)
		printf("%s", buf_str(&ctx.messages));
	return 0;
}

static const char no_gpu[] = "no GPU, or no NVRTC for it, is here";

static void on_gpu_graph(void)
{
	if (in_child(gpu_graph) == CHILD_SKIPPED)
		SKIP(no_gpu);
}

static void on_gpu_trap(void)
{
	if (in_child(gpu_trap) == CHILD_SKIPPED)
		SKIP(no_gpu);
}

static void on_gpu_astray(void)
{
	if (in_child(gpu_astray) == CHILD_SKIPPED)
		SKIP(no_gpu);
}

static void on_gpu_until(void)
{
	if (in_child(gpu_until) == CHILD_SKIPPED)
		SKIP(no_gpu);
}

static void on_gpu_waits(void)
{
	if (in_child(gpu_waits) == CHILD_SKIPPED)
		SKIP(no_gpu);
}

TEST_MAIN(TEST(missing), TEST(opens), TEST(refusals), TEST(works),
	  TEST(failures), TEST(memory), TEST(kernels), TEST(waits),
	  TEST(choices), TEST(forks), TEST(graphs), TEST(joined), TEST(faults),
	  TEST(many_names), TEST(on_gpu_graph), TEST(on_gpu_trap),
	  TEST(on_gpu_astray), TEST(on_gpu_until), TEST(on_gpu_waits))
