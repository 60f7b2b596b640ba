/*
 * gpu: plans whose kernels run on a device.
 *
 * A plan keeps its code on the device, an instance the weights and what phases
 * that run once make of them, a call memory for its tensors and temporaries.
 * A run copies the inputs there, queues the launches and the copies of the
 * results, and waits. Faults come back as records by value (gpu-functions.md).
 */
#include "driver/driver.h"

#include "ir/kernel_text.h"

#include <string.h>

struct GpuPlan {
	Device *device; /* the context's */
	DeviceCode *code;
	size_t ncode;
	DeviceKernel *kernels; /* by launch */
	bool faults;           /* some value of the kernels may */
};

/* ---- devices --------------------------------------------------------- */

DeviceKind target_device(const char *name)
{
	return target_dialect(name) == CD_CUDA ? DEVICE_CUDA : DEVICE_OPENCL;
}

bool context_device(TenonContext *c, DeviceKind kind, Device **out)
{
	if (!c->devices[kind] && !device_open(&c->ctx, kind, &c->devices[kind]))
		return false;
	*out = c->devices[kind];
	return true;
}

void context_close_devices(TenonContext *c)
{
	for (int i = 0; i < DEVICE_KINDS; i++)
		device_close(c->devices[i]);
}

const char *target_arch(const char *target)
{
	return target_dialect(target) == CD_CUDA ? target + strlen("cuda:")
						 : "";
}

bool gpu_compiler(TenonContext *c, Arena *a, const char *target,
		  const char **compiler, const char **flags)
{
	DeviceKind kind = target_device(target);
	Device *d = NULL;

	if (kind == DEVICE_OPENCL && !context_device(c, kind, &d))
		return false;
	return device_compiler(&c->ctx, a, kind, d, target_arch(target),
			       compiler, flags);
}

/* ---- code ------------------------------------------------------------ */

static bool may_fault(const StmtList *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		if (s->kind == ST_BOUND || kstmt_may_fault(s) ||
		    may_fault(&s->body) || may_fault(&s->orelse))
			return true;
	}
	return false;
}

static bool find_kernels(TenonPlan *p)
{
	const Plan *plan = p->plan;
	GpuPlan *g = p->gpu;

	g->kernels = arena_array(&p->arena, DeviceKernel, plan->launches.n + 1);
	for (size_t i = 0; i < plan->launches.n; i++) {
		const PlanLaunch *l = &plan->launches.p[i];
		const Kernel *k = &plan->kernels->kernels.p[l->kernel];
		int64_t shared = 0;
		(void)ex_is_const(&plan->kernels->program->ex, l->scratch,
				  &shared);
		if (!device_kernel(&p->c->ctx, &p->arena, g->device,
				   &g->code[l->kernel],
				   plan_symbol(&p->arena, plan, l),
				   (size_t)shared, &g->kernels[i]))
			return false;
		g->faults |= may_fault(&k->phases.p[l->phase].body);
	}
	return true;
}

bool gpu_load(TenonPlan *p)
{
	const Plan *plan = p->plan;
	DeviceKind kind = target_device(plan->target);
	GpuPlan *g = arena_new(&p->arena, GpuPlan);
	const char *cache, *arch = target_arch(plan->target);
	double t0 = clock_seconds();

	if (!context_device(p->c, kind, &g->device) ||
	    !context_cache(p->c, &cache))
		return false;
	if (kind == DEVICE_CUDA && !device_runs(g->device, arch))
		return diag_fail(&p->c->ctx, ERR_ENV,
				 "use --emit-only to see its code, or the "
				 "device's own --target",
				 "target %s: this device, %s, is %s",
				 plan->target, device_name(g->device),
				 device_arch(g->device));
	g->ncode = plan->sources.n;
	g->code = arena_array(&p->arena, DeviceCode, g->ncode + 1);
	for (size_t i = 0; i < g->ncode; i++) {
		g->code[i].name = plan->kernels->kernels.p[i].name;
		g->code[i].text = plan->sources.p[i];
	}
	p->c->ctx.threads = context_threads(p->c);
	if (!device_load(&p->c->ctx, &p->arena, g->device, arch, cache, g->code,
			 g->ncode))
		return false;
	p->gpu = g;
	p->compile_ms = (clock_seconds() - t0) * 1e3;
	p->cached = true;
	for (size_t i = 0; i < g->ncode; i++)
		p->cached &= g->code[i].cached;
	return find_kernels(p);
}

void gpu_unload(TenonPlan *p)
{
	GpuPlan *g = p->gpu;

	if (!g)
		return;
	for (size_t i = 0; g->kernels && i < p->plan->launches.n; i++)
		device_kernel_free(g->device, &g->kernels[i]);
	device_unload(g->device, g->code, g->ncode);
	p->gpu = NULL;
}

/* ---- launches -------------------------------------------------------- */

/* The instance's extents were checked when it was made. */
static size_t bytes_of(const Instance *in, Ex bytes)
{
	int64_t n = ex_eval(&in->plan->plan->kernels->program->ex, bytes,
			    in->dims, NULL);

	bug_if(n < 0);
	return (size_t)n;
}

/* Queues launch i on memory by plan buffer. */
static bool queue_launch(Ctx *ctx, const Instance *in, size_t i,
			 const DeviceMem *mem, DeviceMem records)
{
	const TenonPlan *p = in->plan;
	const Plan *plan = p->plan;
	const PlanLaunch *l = &plan->launches.p[i];
	const Kernel *k = &plan->kernels->kernels.p[l->kernel];
	size_t ndims = plan->kernels->program->ex.dims.n, n = 0;
	const Phase *ph = &k->phases.p[l->phase];
	bool cuda = target_device(plan->target) == DEVICE_CUDA;
	int64_t tasks = in->launches[i].tasks;
	int workers = cuda ? emit_workers(k, ph, tasks) : 1;
	uint64_t args[512];

	if (l->buffers.n + ndims + 1 > ARRAY_LEN(args))
		return diag_fail(ctx, ERR_PROGRAM, NULL,
				 "kernel %s has more parameters than a device "
				 "takes",
				 k->name);
	for (size_t j = 0; j < l->buffers.n; j++)
		args[n++] = mem[l->buffers.p[j]];
	for (size_t j = 0; j < ndims; j++)
		args[n++] = (uint64_t)in->dims[j];
	args[n++] = records;
	return device_launch(ctx, p->gpu->device,
			     &(DeviceLaunch){
				     .kernel = &p->gpu->kernels[i],
				     .tasks = (tasks + workers - 1) / workers,
				     .threads = ph->threads * workers,
				     .shared = in->launches[i].scratch,
				     .args = args,
				     .nargs = n,
			     });
}

/* ---- faults ---------------------------------------------------------- */

static size_t record_count(const TenonPlan *p)
{
	return p->plan->kernels->program->values.n;
}

static bool records_clear(Ctx *ctx, const TenonPlan *p, TnStatus *host,
			  DeviceMem records)
{
	size_t n = record_count(p);

	for (size_t i = 0; i < n; i++)
		host[i] = (TnStatus){0, 0, INT64_MAX};
	return device_copy_in(ctx, p->gpu->device, records, host,
			      n * sizeof(*host));
}

/* The fault that a CPU reports: of the first value, at its least index. */
static bool records_good(const TenonPlan *p, const TnStatus *host, TnStatus *st)
{
	for (size_t i = 0; i < record_count(p); i++)
		if (host[i].code) {
			*st = host[i];
			return false;
		}
	return true;
}

/* ---- instances ------------------------------------------------------- */

/* What a binding keeps on the device. */
struct GpuInstance {
	DeviceMem *fixed; /* by plan buffer; 0: not fixed */
};

void gpu_instance_free(Instance *in)
{
	if (!in->gpu)
		return;
	for (size_t i = 0; i < in->plan->plan->buffers.n; i++)
		device_free(in->plan->gpu->device, in->gpu->fixed[i]);
	in->gpu = NULL;
}

static bool upload(Ctx *ctx, Instance *in)
{
	const Plan *plan = in->plan->plan;
	Device *d = in->plan->gpu->device;

	for (size_t i = 0; i < plan->buffers.n; i++) {
		PlanBufKind kind = plan->buffers.p[i].kind;
		if (kind != PLAN_CONST && kind != PLAN_WEIGHT &&
		    kind != PLAN_KEPT)
			continue;
		size_t bytes = bytes_of(in, plan->buffers.p[i].bytes);
		if (!device_alloc(ctx, d, bytes, &in->gpu->fixed[i]))
			return false;
		if (kind != PLAN_KEPT &&
		    !device_copy_in(ctx, d, in->gpu->fixed[i], in->fixed[i],
				    bytes))
			return false;
	}
	return true;
}

static bool fill(Ctx *ctx, Instance *in, TnStatus *st)
{
	const TenonPlan *p = in->plan;
	const Plan *plan = p->plan;
	Device *d = p->gpu->device;
	size_t bytes = record_count(p) * sizeof(TnStatus);
	TnStatus *host = arena_array(&in->arena, TnStatus, record_count(p) + 1);
	DeviceMem records = 0;

	bool ok = upload(ctx, in) && device_alloc(ctx, d, bytes, &records) &&
		  records_clear(ctx, p, host, records);
	for (size_t i = 0; ok && i < plan->launches.n; i++)
		if (plan->launches.p[i].once)
			ok = queue_launch(ctx, in, i, in->gpu->fixed, records);
	ok = ok && device_copy_out(ctx, d, host, records, bytes);
	/* what is queued still reads and writes memory */
	ok = device_wait(ctx, d) && ok;
	device_free(d, records);
	return ok && records_good(p, host, st);
}

/* The queue for one piece of work, given back even if memory runs out. */
static bool alone(Device *d, bool (*work)(void *arg), void *arg)
{
	OomTrap trap;

	device_lock(d);
	if (OOM_TRAP(&trap)) {
		device_unlock(d);
		oom_raise();
	}
	bool ok = work(arg);
	oom_trap_pop(&trap);
	device_unlock(d);
	return ok;
}

typedef struct FillWork {
	Instance *in;
	TnStatus *st;
} FillWork;

static bool fill_work(void *arg)
{
	const FillWork *w = arg;

	return fill(&w->in->plan->c->ctx, w->in, w->st);
}

bool gpu_instance_fill(Instance *in, TnStatus *st)
{
	size_t n = in->plan->plan->buffers.n;
	GpuInstance *g = arena_new(&in->arena, GpuInstance);

	g->fixed = arena_array(&in->arena, DeviceMem, n + 1);
	in->gpu = g;
	if (alone(in->plan->gpu->device, fill_work, &(FillWork){in, st}))
		return true;
	gpu_instance_free(in);
	return false;
}

/* ---- calls ----------------------------------------------------------- */

struct GpuCall {
	DeviceMem *mem;   /* by plan buffer; fixed ones are the instance's */
	DeviceMem *slots; /* of temporaries, its own */
	DeviceMem records;
	TnStatus *host; /* of the records */
	size_t nslots, nbuffers;
};

static bool is_tensor(PlanBufKind kind)
{
	return kind == PLAN_INPUT || kind == PLAN_RESULT;
}

void gpu_call_free(TenonCall *call)
{
	GpuCall *g = call->gpu;
	const Plan *plan = call->plan->plan;

	if (!g)
		return;
	Device *d = call->plan->gpu->device;
	for (size_t i = 0; i < g->nbuffers; i++)
		if (is_tensor(plan->buffers.p[i].kind))
			device_free(d, g->mem[i]);
	for (size_t i = 0; i < g->nslots; i++)
		device_free(d, g->slots[i]);
	device_free(d, g->records);
	call->gpu = NULL;
}

static bool alloc_slots(TenonCall *call, GpuCall *g)
{
	const Plan *plan = call->plan->plan;
	Instance *in = call->instance;

	for (size_t i = 0; i < plan->slots.n; i++)
		if (!device_alloc(&call->plan->c->ctx, call->plan->gpu->device,
				  bytes_of(in, plan->slots.p[i]), &g->slots[i]))
			return false;
	return true;
}

static bool prepare(TenonCall *call)
{
	const Plan *plan = call->plan->plan;
	const TenonPlan *p = call->plan;
	Instance *in = call->instance;
	Arena *a = &call->arena;
	Ctx *ctx = &p->c->ctx;
	GpuCall *g = arena_new(a, GpuCall);

	g->nbuffers = plan->buffers.n;
	g->nslots = plan->slots.n;
	g->mem = arena_array(a, DeviceMem, g->nbuffers + 1);
	g->slots = arena_array(a, DeviceMem, g->nslots + 1);
	g->host = arena_array(a, TnStatus, record_count(p) + 1);
	call->gpu = g;
	if (!alloc_slots(call, g) ||
	    !device_alloc(ctx, p->gpu->device,
			  record_count(p) * sizeof(TnStatus), &g->records))
		return false;
	for (size_t i = 0; i < g->nbuffers; i++) {
		const PlanBuffer *b = &plan->buffers.p[i];
		if (b->kind == PLAN_TEMP)
			g->mem[i] = g->slots[b->index];
		else if (!is_tensor(b->kind))
			g->mem[i] = in->gpu->fixed[i];
		else if (!device_alloc(ctx, p->gpu->device,
				       bytes_of(in, b->bytes), &g->mem[i]))
			return false;
	}
	return true;
}

/* Memory of the call's own, all of it or none; in->gpu is there. */
bool gpu_call_prepare(TenonCall *call)
{
	bool ok = prepare(call);

	if (!ok)
		gpu_call_free(call);
	return ok;
}

/* Inputs to the device, or results from it. */
static bool move_tensors(Ctx *ctx, TenonCall *call, bool in)
{
	const Plan *plan = call->plan->plan;
	Device *d = call->plan->gpu->device;
	Bound *results = call->bound + call->plan->program->p->inputs.n;

	for (size_t i = 0; i < plan->buffers.n; i++) {
		const PlanBuffer *b = &plan->buffers.p[i];
		const Bound *t =
			in ? &call->bound[b->index] : &results[b->index];
		if (b->kind != (in ? PLAN_INPUT : PLAN_RESULT))
			continue;
		if (in ? !device_copy_in(ctx, d, call->gpu->mem[i], t->data,
					 t->bytes)
		       : !device_copy_out(ctx, d, t->data, call->gpu->mem[i],
					  t->bytes))
			return false;
	}
	for (size_t i = 0; !in && i < plan->copies.n; i++) {
		const PlanCopy *c = &plan->copies.p[i];
		const Bound *t = &results[c->result];
		if (!device_copy_out(ctx, d, t->data, call->gpu->mem[c->from],
				     t->bytes))
			return false;
	}
	return true;
}

typedef struct RunWork {
	TenonCall *call;
	Ctx *ctx;
} RunWork;

static bool run_work(void *arg)
{
	const RunWork *w = arg;
	TenonCall *call = w->call;
	Ctx *ctx = w->ctx;
	const TenonPlan *p = call->plan;
	const Plan *plan = p->plan;
	GpuCall *g = call->gpu;
	bool faults = p->gpu->faults;
	Device *d = p->gpu->device;

	bool ok = move_tensors(ctx, call, true) &&
		  (!faults || records_clear(ctx, p, g->host, g->records));
	for (size_t i = 0; ok && i < plan->launches.n; i++)
		if (!plan->launches.p[i].once)
			ok = queue_launch(ctx, call->instance, i, g->mem,
					  g->records);
	ok = ok && move_tensors(ctx, call, false) &&
	     (!faults || device_copy_out(ctx, d, g->host, g->records,
					 record_count(p) * sizeof(TnStatus)));
	/* what is queued still reads and writes the caller's memory */
	return device_wait(ctx, d) && ok;
}

bool gpu_call_run(TenonCall *call, Ctx *ctx, TnStatus *st)
{
	const TenonPlan *p = call->plan;

	*st = (TnStatus){0};
	return alone(p->gpu->device, run_work, &(RunWork){call, ctx}) &&
	       (!p->gpu->faults || records_good(p, call->gpu->host, st));
}
