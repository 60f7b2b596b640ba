/*
 * cuda_wait: how a thread learns that its kernels are done.
 *
 * The driver's own wait takes some microseconds from the last store of a
 * kernel to the return of the call. A word in memory of the host, written by
 * the graph's last node, is seen sooner where that node starts quickly. All
 * ways are timed on a graph of one kernel that does nothing, in turn and in
 * rounds, so that a change of clocks meets all of them; the least median wins.
 *
 * A kernel that faults never writes the word, and one that hangs neither, so
 * the stream is asked too, now and then: that tells faults, and the clock
 * tells the rest.
 */
#include "runtime/cuda_wait.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *const cuda_wait_name[CUDA_WAITS] = {
	[CUDA_WAIT_STREAM] = "stream", [CUDA_WAIT_QUERY] = "query",
	[CUDA_WAIT_EVENT] = "event",   [CUDA_WAIT_MEMOP] = "memop",
	[CUDA_WAIT_MEMSET] = "memset", [CUDA_WAIT_KERNEL] = "kernel",
};

CudaWaitKind cuda_wait_forced = CUDA_WAITS;

/* ---- waiting --------------------------------------------------------- */

#define SPIN_SECONDS  20e-3 /* then it sleeps between looks */
#define SLEEP_NS      50000
#define LOOKS         256    /* at the word, between looks at the clock */
#define QUERY_SECONDS 100e-6 /* between questions to the driver */

static void cpu_relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/* Whether the word was written, within some looks at it. */
static bool word_written(const CudaPending *p)
{
	for (int i = 0; i < LOOKS; i++) {
		if (__atomic_load_n(p->word, __ATOMIC_ACQUIRE))
			return true;
		cpu_relax();
	}
	return false;
}

static bool asked(Ctx *ctx, const CudaDevice *d, const CudaPending *p,
		  bool *done)
{
	return p->kind == CUDA_WAIT_EVENT
		       ? cuda_event_done(ctx, d, p->event, done)
		       : cuda_stream_done(ctx, d, p->stream, done);
}

static bool too_late(Ctx *ctx, const CudaDevice *d, const CudaPending *p,
		     double limit)
{
	bool one = !strchr(p->names, ',');

	return diag_fail(ctx, ERR_ENV,
			 "where the work is that long, "
			 "tenon_set_time_limit() allows it more; else a kernel "
			 "hangs, or other processes keep the device busy (see "
			 "nvidia-smi). What hangs ends with this process",
			 "%s %s did not end on %s within %g s",
			 one ? "kernel" : "one of the kernels", p->names,
			 d->info.name, limit);
}

bool cuda_wait(Ctx *ctx, const CudaDevice *d, const CudaPending *p,
	       double limit, bool *late)
{
	double start = -1, query = 0;
	bool done = false;

	*late = false;
	if (p->kind == CUDA_WAIT_STREAM)
		return cuda_synchronize(ctx, d, p->stream);
	for (;;) {
		if (p->word && word_written(p))
			break;
		double now = clock_seconds();
		if (start < 0)
			start = query = now;
		if (!p->word || now - query > QUERY_SECONDS) {
			if (!asked(ctx, d, p, &done))
				return false;
			if (done)
				break;
			query = now;
		}
		if (limit > 0 && now - start > limit) {
			*late = true;
			return too_late(ctx, d, p, limit);
		}
		if (now - start > SPIN_SECONDS)
			nanosleep(&(struct timespec){0, SLEEP_NS}, NULL);
	}
	cuda_ended(d, p->stream);
	return true;
}

/* ---- the kernel ------------------------------------------------------ */

/*
 * Stores 1, after all that was written before is seen everywhere. PTX, which
 * the driver compiles, so that no NVRTC is loaded for it.
 */
static const char store_ptx[] = ".version 7.0\n"
				".target sm_80\n"
				".address_size 64\n"
				".visible .entry tenon_signal(.param .u64 at)\n"
				"{\n"
				"\t.reg .b64 %to;\n"
				"\tld.param.u64 %to, [at];\n"
				"\tfence.sc.sys;\n"
				"\tst.release.sys.u32 [%to], 1;\n"
				"\tret;\n"
				"}\n";

CudaSignal cuda_wait_signal(const CudaWaiter *w, CudaWaitKind kind,
			    volatile uint32_t *word)
{
	CudaSignal s = {.word = word, .store = w->store};

	switch (kind) {
	case CUDA_WAIT_MEMOP:
		s.kind = CUDA_SIGNAL_MEMOP;
		break;
	case CUDA_WAIT_MEMSET:
		s.kind = CUDA_SIGNAL_MEMSET;
		break;
	case CUDA_WAIT_KERNEL:
		s.kind = CUDA_SIGNAL_KERNEL;
		break;
	case CUDA_WAIT_STREAM:
	case CUDA_WAIT_QUERY:
	case CUDA_WAIT_EVENT:
	case CUDA_WAITS:
		break;
	}
	return s;
}

/* ---- measuring ------------------------------------------------------- */

#define ROUNDS 31
#define WARM   4

/* One way under measurement. */
typedef struct Trial {
	bool works;
	CudaGraph graph;
	CudaPending pending;
	double us[ROUNDS];
} Trial;

typedef struct Bed {
	const CudaDevice *d;
	CudaStream stream;
	CudaEvent event;
	uint32_t *words; /* one a way, in lines of their own; then a spare */
	Trial trials[CUDA_WAITS];
} Bed;

#define LINE 16 /* words */

static bool trial_make(Bed *b, Arena *a, const CudaWaiter *w, CudaWaitKind kind)
{
	Trial *t = &b->trials[kind];
	CudaPtr spare = (uintptr_t)&b->words[CUDA_WAITS * LINE];
	volatile uint32_t *word = &b->words[(size_t)kind * LINE];
	CudaSignal s = cuda_wait_signal(w, kind, word);
	CudaLaunch l = {.name = "tenon_signal",
			.function = w->store,
			.grid = {1, 1, 1},
			.block = {1, 1, 1},
			.parameters = &spare,
			.size = sizeof(spare)};

	t->pending = (CudaPending){
		.stream = b->stream,
		.kind = kind,
		.word = s.kind != CUDA_SIGNAL_NONE ? word : NULL,
		.event = b->event,
		.names = l.name,
	};
	/* a way that the driver does not know is none */
	t->works = cuda_graph_new(NULL, a, b->d, &l, 1, &s, &t->graph);
	return t->works;
}

static bool trial_run(Ctx *ctx, Bed *b, Trial *t, double *us)
{
	double start = clock_seconds();
	bool late;

	if (t->pending.word)
		*t->pending.word = 0;
	if (!cuda_graph_launch(ctx, &t->graph, b->stream) ||
	    (t->pending.kind == CUDA_WAIT_EVENT &&
	     !cuda_event_record(ctx, b->d, b->event, b->stream)) ||
	    !cuda_wait(ctx, b->d, &t->pending, 5, &late))
		return false;
	*us = (clock_seconds() - start) * 1e6;
	/* what the next one finds is an idle stream */
	return cuda_synchronize(ctx, b->d, b->stream);
}

static int compare(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

static bool bed_run(Ctx *ctx, Bed *b, CudaWaits *out)
{
	for (int r = -WARM; r < ROUNDS; r++)
		for (int k = 0; k < CUDA_WAITS; k++) {
			Trial *t = &b->trials[k];
			double us;
			if (t->works && !trial_run(ctx, b, t, &us))
				return false;
			if (t->works && r >= 0)
				t->us[r] = us;
		}
	for (int k = 0; k < CUDA_WAITS; k++) {
		Trial *t = &b->trials[k];
		if (!t->works)
			continue;
		qsort(t->us, ROUNDS, sizeof(*t->us), compare);
		out->us[k] = t->us[ROUNDS / 2];
		if (k != CUDA_WAIT_STREAM && out->us[k] < out->us[out->best])
			out->best = (CudaWaitKind)k;
	}
	return true;
}

static bool waits_measure(Ctx *ctx, Arena *a, const CudaWaiter *w,
			  const CudaDevice *d, CudaWaits *out)
{
	Bed b = {.d = d};
	double start = clock_seconds();
	bool ok = cuda_stream_new(ctx, d, &b.stream) &&
		  cuda_event_new(ctx, d, false, &b.event) &&
		  cuda_host_alloc(ctx, d,
				  (CUDA_WAITS + 1) * LINE * sizeof(*b.words),
				  (void **)&b.words);

	out->best = CUDA_WAIT_QUERY;
	for (int k = 0; ok && k < CUDA_WAITS; k++)
		if (!trial_make(&b, a, w, (CudaWaitKind)k) &&
		    k <= CUDA_WAIT_QUERY) /* then graphs do not work at all */
			ok = diag_fail(ctx, ERR_ENV, "update the driver",
				       "CUDA graphs do not work on %s",
				       d->info.name);
	ok = ok && bed_run(ctx, &b, out);
	for (int k = 0; k < CUDA_WAITS; k++)
		if (b.trials[k].works)
			cuda_graph_free(NULL, &b.trials[k].graph);
	cuda_host_free(NULL, d, b.words);
	cuda_event_free(NULL, d, b.event);
	cuda_stream_free(NULL, d, b.stream);
	out->ms = (clock_seconds() - start) * 1e3;
	return ok;
}

/* ---- what is kept ---------------------------------------------------- */

#define DEVICES 64

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	bool known;
	CudaWaits waits;
} kept[DEVICES];

static bool waits_find(int device, CudaWaits *out)
{
	bool known = false;

	if (device < 0 || device >= DEVICES)
		return false;
	pthread_mutex_lock(&lock);
	known = kept[device].known;
	*out = known ? kept[device].waits : *out;
	pthread_mutex_unlock(&lock);
	return known;
}

static void waits_keep(int device, const CudaWaits *w)
{
	if (device < 0 || device >= DEVICES)
		return;
	pthread_mutex_lock(&lock);
	kept[device].known = true;
	kept[device].waits = *w;
	pthread_mutex_unlock(&lock);
}

static void store_load(const CudaDevice *d, CudaWaiter *w)
{
	if (!cuda_module_load(NULL, d, store_ptx, &w->module))
		return;
	if (!cuda_function(NULL, d, w->module, "tenon_signal", 0, &w->store))
		w->store = NULL;
}

bool cuda_waiter_new(Ctx *ctx, const CudaDevice *d, CudaWaiter *out)
{
	Arena a;
	OomTrap trap;
	bool ok;

	*out = (CudaWaiter){.waits = {.best = CUDA_WAIT_QUERY}};
	store_load(d, out);
	if (!out->store || waits_find(d->device, &out->waits))
		return true;
	arena_init(&a);
	if (OOM_TRAP(&trap)) {
		arena_release(&a);
		cuda_waiter_free(NULL, d, out);
		oom_raise();
	}
	ok = waits_measure(ctx, &a, out, d, &out->waits);
	oom_trap_pop(&trap);
	arena_release(&a);
	if (ok)
		waits_keep(d->device, &out->waits);
	else
		cuda_waiter_free(NULL, d, out);
	return ok;
}

bool cuda_waiter_free(Ctx *ctx, const CudaDevice *d, CudaWaiter *w)
{
	CudaModule m = w->module;

	w->module = NULL;
	w->store = NULL;
	return cuda_module_unload(ctx, d, m);
}
