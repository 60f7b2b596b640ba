/*
 * cuda_error: what the CUDA driver's results mean, and which kernel a fault
 * is of.
 *
 * A fault of a kernel shows in some later call, and in all after it. So each
 * thread remembers the kernels that it queued on a stream until it has seen
 * the stream end, and the error names them. Names are copied: their owner may
 * be gone by then.
 */
#include "runtime/cuda.h"

#include <stdio.h>
#include <string.h>

/* CUresult */
enum {
	SUCCESS = 0,
	OUT_OF_MEMORY = 2,
	NOT_INITIALIZED = 3,
	DEVICE_UNAVAILABLE = 46,
	NO_DEVICE = 100,
	INVALID_IMAGE = 200,
	NO_BINARY_FOR_GPU = 209,
	SYSTEM_DRIVER_MISMATCH = 803,
};

/*
 * Faults of kernels, and of a device (226, 911): as cuda.h of CUDA 13 has it,
 * the context, if not the process, is of no use from then on.
 */
static const int faults[] = {226, 700, 702, 710, 714, 715,
			     716, 717, 718, 719, 911};

/* ---- errors ---------------------------------------------------------- */

const char *cuda_hint(int result)
{
	switch (result) {
	case NO_DEVICE:
		return "no GPU is visible: see what nvidia-smi lists, and "
		       "whether CUDA_VISIBLE_DEVICES hides it";
	case NOT_INITIALIZED:
		return "CUDA does not survive a fork: start it in the child "
		       "first, or run another program there";
	case DEVICE_UNAVAILABLE:
		return "another process has the device for itself alone: see "
		       "nvidia-smi -q -d COMPUTE,PIDS";
	case INVALID_IMAGE:
	case NO_BINARY_FOR_GPU:
		return "the code is for another architecture, or by a newer "
		       "NVRTC than the driver serves; tenon devices shows both";
	case SYSTEM_DRIVER_MISMATCH:
		return "libcuda and the kernel's driver differ: reboot after "
		       "an update, or install both of one version";
	default:
		return NULL;
	}
}

typedef struct Words {
	const char *name, *text;
} Words;

static Words words_of(const Cuda *c, int result)
{
	Words w = {NULL, NULL};

	if (c->cuGetErrorName(result, &w.name) != SUCCESS || !w.name)
		w.name = "an error without a name";
	if (c->cuGetErrorString(result, &w.text) != SUCCESS || !w.text)
		w.text = "the driver has no text for it";
	return w;
}

bool cuda_succeeded(Ctx *ctx, const Cuda *c, int result, const char *call,
		    const char *where)
{
	if (result == SUCCESS)
		return true;
	Words w = words_of(c, result);
	return diag_fail(ctx, result == OUT_OF_MEMORY ? ERR_NOMEM : ERR_ENV,
			 cuda_hint(result), "%s failed%s%s: %s (%d: %s)", call,
			 *where ? " on " : "", where, w.name, result, w.text);
}

/* ---- what a thread has queued ---------------------------------------- */

#define TRAIL      8
#define TRAIL_NAME 200

typedef struct Queued {
	CudaContext context;
	CudaStream stream;
	size_t kernels;
	char names[TRAIL_NAME];
} Queued;

static TN_THREAD struct {
	Queued p[TRAIL]; /* the oldest first */
	size_t n;
	bool more; /* older ones were dropped */
} trail;

/* The names as they are kept: cut where they are too long. */
static void names_copy(char to[TRAIL_NAME], const char *names)
{
	size_t n = strlen(names);

	if (n >= TRAIL_NAME) {
		n = TRAIL_NAME - 1;
		memcpy(to + n - 3, "...", 3);
		memcpy(to, names, n - 3);
	} else {
		memcpy(to, names, n);
	}
	to[n] = '\0';
}

void cuda_queued(const CudaDevice *d, CudaStream s, const char *names, size_t n)
{
	Queued q = {.context = d->context, .stream = s, .kernels = n};

	names_copy(q.names, names);
	for (size_t i = 0; i < trail.n; i++) {
		const Queued *old = &trail.p[i];
		if (old->context == q.context && old->stream == s &&
		    strcmp(old->names, q.names) == 0)
			return;
	}
	if (trail.n == TRAIL) {
		memmove(trail.p, trail.p + 1, (TRAIL - 1) * sizeof(q));
		trail.n--;
		trail.more = true;
	}
	trail.p[trail.n++] = q;
}

/* Forgets what is of the context, on the stream or on any. */
static void trail_drop(CudaContext context, CudaStream s, bool any)
{
	size_t kept = 0;

	for (size_t i = 0; i < trail.n; i++) {
		const Queued *q = &trail.p[i];
		if (q->context != context || (q->stream != s && !any))
			trail.p[kept++] = *q;
	}
	trail.n = kept;
	trail.more = trail.more && kept > 0;
}

void cuda_ended(const CudaDevice *d, CudaStream s)
{
	trail_drop(d->context, s, false);
}

void cuda_closed(const CudaDevice *d)
{
	trail_drop(d->context, NULL, true);
}

static bool is_fault(int result)
{
	for (size_t i = 0; i < ARRAY_LEN(faults); i++) {
		if (faults[i] == result)
			return true;
	}
	return false;
}

static bool faulted(Ctx *ctx, const CudaDevice *d, int result, const char *call)
{
	char names[TRAIL * (TRAIL_NAME + 2) + 8] = "";
	size_t at = 0, kernels = 0;
	const char *what = "a kernel that this thread did not queue";
	Words w = words_of(d->cuda, result);

	for (size_t i = 0; i < trail.n; i++) {
		if (trail.p[i].context != d->context)
			continue;
		at += (size_t)snprintf(names + at, sizeof(names) - at, "%s%s",
				       at > 0 ? ", " : "", trail.p[i].names);
		kernels += trail.p[i].kernels;
	}
	if (kernels == 1)
		what = "kernel ";
	else if (kernels > 1)
		what = trail.more ? "one of the kernels ..., "
				  : "one of the kernels ";
	return diag_fail(ctx, ERR_ENV,
			 "it read or wrote where it may not, or gave up; this "
			 "process must end before it can use the device "
			 "again. compute-sanitizer shows the place",
			 "%s%s failed on %s: %s (%d: %s), as %s tells", what,
			 names, d->info.name, w.name, result, w.text, call);
}

/* ---- calls in the device's context ----------------------------------- */

static bool checked(Ctx *ctx, const CudaDevice *d, int result, const char *call,
		    const char *where)
{
	return is_fault(result)
		       ? faulted(ctx, d, result, call)
		       : cuda_succeeded(ctx, d->cuda, result, call, where);
}

bool cuda_enter(Ctx *ctx, const CudaDevice *d)
{
	return cuda_unforked(ctx, d->cuda) &&
	       checked(ctx, d, d->cuda->cuCtxPushCurrent(d->context),
		       "cuCtxPushCurrent", d->info.name);
}

bool cuda_leave(Ctx *ctx, const CudaDevice *d, int result, const char *call,
		const char *where)
{
	CudaContext popped;
	int pop = d->cuda->cuCtxPopCurrent(&popped);

	return checked(ctx, d, result, call, where) &&
	       checked(ctx, d, pop, "cuCtxPopCurrent", d->info.name);
}
