/*
 * gpu: plans whose kernels run on a device.
 *
 * A plan keeps its code on the device, an instance the weights and what phases
 * that run once make of them, a call memory for its temporaries and for those
 * of its tensors that are on the host. A run copies these there, launches, and
 * copies results back; tensors that are on the device stay where they are, and
 * then a run is its launches and nothing else. Faults come back as records by
 * value (gpu-functions.md).
 */
#include "driver/gpu.h"

#include "ir/kernel_text.h"
#include "runtime/cublaslt.h"

#include <stdlib.h>
#include <string.h>

/* ---- devices --------------------------------------------------------- */

DeviceKind target_device(const char *name)
{
	return strncmp(name, "cuda", 4) == 0 ? DEVICE_CUDA : DEVICE_OPENCL;
}

/* opencl:2 names a device; -1: opencl, any. */
static int target_number(const char *name)
{
	const char *colon = strchr(name, ':');

	return target_device(name) == DEVICE_OPENCL && colon ? atoi(colon + 1)
							     : -1;
}

bool context_device(TenonContext *c, const char *target, Device **out)
{
	DeviceKind kind = target_device(target);
	int number = target_number(target);
	Device **at = &c->devices[kind];

	if (!*at && !device_open(&c->ctx, kind, number, at))
		return false;
	*out = *at;
	device_set_limit(*out, c->time_limit);
	return number < 0 || number == device_number(*at) ||
	       diag_fail(&c->ctx, ERR_USAGE,
			 "another context can use the other one",
			 "target %s: this context uses OpenCL device %d",
			 target, device_number(*at));
}

void tenon_set_time_limit(TenonContext *c, double seconds)
{
	c->time_limit = seconds > 0 ? seconds : 0;
	for (int i = 0; i < DEVICE_KINDS; i++)
		if (c->devices[i])
			device_set_limit(c->devices[i], c->time_limit);
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

	if (c->probed.target && !strcmp(c->probed.target, target)) {
		*compiler = c->probed.compiler;
		*flags = c->probed.flags;
		return true;
	}
	if (kind == DEVICE_OPENCL && !context_device(c, target, &d))
		return false;
	return device_compiler(&c->ctx, a, kind, d, target_arch(target),
			       compiler, flags);
}

/* ---- launches -------------------------------------------------------- */

/* What a binding keeps on the device. */
struct GpuInstance {
	DeviceMem *fixed;  /* by plan buffer; 0: not fixed */
	LtPlan **products; /* by launch: of a library's; else NULL */
};

/* Of a kernel, 8 bytes each: every architecture of CUDA takes 4 KB. */
#define MOST_PARAMETERS 500
/* Along x, which is all that a user's kernel goes by (runtime/device.c). */
#define FOREIGN_MOST_TASKS (INT64_C(1) << 30)

/* The instance's extents were checked when it was made. */
static size_t bytes_of(const Instance *in, Ex bytes)
{
	int64_t n = ex_eval(&in->plan->plan->kernels->program->ex, bytes,
			    in->dims, NULL);

	bug_if(n < 0);
	return (size_t)n;
}

/* The number of a buffer among those of a kernel that are parameters. */
static size_t parameter_of(const Kernel *k, uint32_t buffer)
{
	size_t n = 0;

	for (uint32_t i = 0; i < buffer; i++) {
		BufScope s = k->buffers.p[i].scope;
		n += s != SCOPE_WORKER && s != SCOPE_REG;
	}
	return n;
}

static int64_t value_of(const Instance *in, Ex x)
{
	return ex_eval(&in->plan->plan->kernels->program->ex, x, in->dims,
		       NULL);
}

/* Map j of launch i, on memory by plan buffer. */
static DeviceMap make_map(const Instance *in, size_t i, uint32_t j,
			  const DeviceMem *mem)
{
	const PlanLaunch *l = &in->plan->plan->launches.p[i];
	const Kernel *k = &in->plan->plan->kernels->kernels.p[l->kernel];
	const KMap *m = &k->phases.p[l->phase].maps.p[j];
	int bytes = dtype_info[k->buffers.p[m->buffer].dtype].bytes;
	DeviceMem from = mem[l->buffers.p[parameter_of(k, m->buffer)]];
	DeviceMap d = {
		.name = k->buffers.p[m->buffer].name,
		.from = from + (uint64_t)(value_of(in, m->first) * bytes),
		.bytes = bytes,
		.rank = m->rank,
		.swizzled = m->swizzled,
	};

	for (int n = 0; n < m->rank; n++) {
		d.extent[n] = value_of(in, m->extent[n]);
		d.stride[n] = value_of(in, m->stride[n]);
		d.box[n] = (int)m->box[n];
	}
	return d;
}

/* The same of a user's kernel, whose parameters are his, and which waits for
 * nothing by itself. */
static bool make_foreign(Ctx *ctx, Arena *a, const Instance *in, size_t i,
			 const DeviceMem *mem, DeviceLaunch *out)
{
	const PlanLaunch *l = &in->plan->plan->launches.p[i];
	const Kernel *k = &in->plan->plan->kernels->kernels.p[l->kernel];
	const KForeign *f = kernel_foreign(k);
	int64_t tasks = in->launches[i].tasks;
	uint64_t *args = arena_array(a, uint64_t, f->args.n + 1);

	if (tasks > FOREIGN_MOST_TASKS)
		return diag_fail(ctx, ERR_PROGRAM, NULL,
				 "%s of %s: %lld blocks, and a launch has up "
				 "to 2^30",
				 f->symbol, f->file, (long long)tasks);
	for (size_t j = 0; j < f->args.n; j++) {
		const KArg *x = &f->args.p[j];
		args[j] = x->kind == KARG_BUFFER
				  ? mem[l->buffers.p[parameter_of(k, x->n)]]
				  : (uint64_t)in->dims[x->n];
	}
	*out = (DeviceLaunch){
		.kernel = &in->plan->gpu->kernels[i],
		.tasks = tasks,
		.threads = k->phases.p[0].threads,
		.shared = in->launches[i].scratch,
		.args = args,
		.nargs = f->args.n,
	};
	return true;
}

/* Launch i on memory by plan buffer; its arguments are in the arena. */
static bool make_launch(Ctx *ctx, Arena *a, const Instance *in, size_t i,
			const DeviceMem *mem, DeviceMem records,
			DeviceLaunch *out)
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
	size_t plain = l->buffers.n + ndims + 1;
	size_t nargs = plain + ph->maps.n * DEVICE_MAP_WORDS;
	uint64_t *args = arena_array(a, uint64_t, nargs);

	if (ph->call) {
		*out = (DeviceLaunch){
			.kernel = &p->gpu->kernels[i],
			.args = plan_product_args(a, plan, i, in->dims, mem),
			.nargs = DEVICE_PRODUCT_ARGS,
			.product = in->gpu->products[i],
		};
		return true;
	}
	if (ph->foreign && ph->foreign->args.n <= MOST_PARAMETERS)
		return make_foreign(ctx, a, in, i, mem, out);
	if (ph->foreign || nargs > MOST_PARAMETERS)
		return diag_fail(ctx, ERR_PROGRAM, NULL,
				 "kernel %s has more parameters than a device "
				 "takes",
				 k->name);
	for (size_t j = 0; j < l->buffers.n; j++)
		args[n++] = mem[l->buffers.p[j]];
	for (size_t j = 0; j < ndims; j++)
		args[n++] = (uint64_t)in->dims[j];
	args[n++] = records;
	if (ph->maps.n && tasks > 0)
		for (uint32_t j = 0; j < ph->maps.n; j++) {
			DeviceMap m = make_map(in, i, j, mem);
			if (!device_map(ctx, p->gpu->device, &m,
					args + plain + j * DEVICE_MAP_WORDS))
				return false;
		}
	*out = (DeviceLaunch){
		.kernel = &p->gpu->kernels[i],
		.tasks = (tasks + workers - 1) / workers,
		.threads = ph->threads * workers + emit_feeders(ph),
		.shared = in->launches[i].scratch,
		.args = args,
		.nargs = nargs,
		.maps = ph->maps.n,
		.waits = cuda && emit_waits(target_arch(plan->target)),
	};
	return true;
}

/* ---- faults ---------------------------------------------------------- */

static size_t record_count(const TenonPlan *p)
{
	return p->plan->kernels->program->values.n;
}

static void records_clear(const TenonPlan *p, TnStatus *host)
{
	for (size_t i = 0; i < record_count(p); i++)
		host[i] = (TnStatus){0, 0, INT64_MAX};
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

void gpu_instance_free(Instance *in)
{
	if (!in->gpu)
		return;
	for (size_t i = 0; i < in->plan->plan->buffers.n; i++)
		device_free(in->plan->gpu->device, in->gpu->fixed[i]);
	for (size_t i = 0; i < in->plan->plan->launches.n; i++)
		device_product_free(in->plan->gpu->device,
				    in->gpu->products[i]);
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

static bool products_make(Ctx *ctx, Instance *in)
{
	const TenonPlan *p = in->plan;

	for (size_t i = 0; i < p->plan->launches.n; i++)
		if (plan_call(p->plan, i)) {
			LtProduct x =
				plan_product(&in->arena, p->plan, i, in->dims);
			if (!device_product(ctx, &in->arena, p->gpu->device, &x,
					    &in->gpu->products[i]))
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
	DeviceLaunch l;

	records_clear(p, host);
	bool ok = upload(ctx, in) && products_make(ctx, in) &&
		  device_alloc(ctx, d, bytes, &records) &&
		  device_copy_in(ctx, d, records, host, bytes);
	for (size_t i = 0; ok && i < plan->launches.n; i++)
		if (plan->launches.p[i].once)
			ok = make_launch(ctx, &in->arena, in, i, in->gpu->fixed,
					 records, &l) &&
			     device_launch(ctx, d, &l);
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

typedef struct TellWork {
	const TenonPlan *p;
	Buf *out;
} TellWork;

/* What the library names for the program's sizes, and what becomes of it. */
static void product_tell(const TenonPlan *p, size_t i, Buf *out)
{
	Ctx *ctx = &p->c->ctx;
	LtPlan *made;

	LtProduct x = plan_product(&ctx->scratch, p->plan, i, p->program->dims);
	buf_printf(out,
		   "     algorithms of %s, as cuBLASLt's heuristics order "
		   "them:\n",
		   x.name);
	if (device_product(ctx, &ctx->scratch, p->gpu->device, &x, &made)) {
		cublaslt_tell(made, out);
		device_product_free(p->gpu->device, made);
		return;
	}
	/* that there is none is an answer */
	buf_printf(out, "     %s", buf_str(&ctx->messages));
	ctx_clear_errors(ctx);
}

static bool tell_work(void *arg)
{
	const TellWork *w = arg;
	const TenonPlan *p = w->p;
	bool known = true;

	for (size_t d = 0; d < p->program->p->ex.dims.n; d++)
		known &= p->program->dims[d] >= 0;
	for (size_t i = 0; i < p->plan->launches.n; i++)
		if (plan_call(p->plan, i) && known)
			product_tell(p, i, w->out);
		else if (plan_call(p->plan, i))
			buf_printf(w->out,
				   "     algorithms of %s are chosen by its "
				   "sizes, which --dim gives\n",
				   p->gpu->kernels[i].name);
	return true;
}

void gpu_tell(const TenonPlan *p, Buf *out)
{
	Device *d = p->gpu->device;

	buf_printf(out,
		   "     on %s; the end of a run is seen by: ", device_name(d));
	device_tell_wait(d, out);
	buf_putc(out, '\n');
}

void gpu_tell_algorithms(const TenonPlan *p, Buf *out)
{
	alone(p->gpu->device, tell_work, &(TellWork){p, out});
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
	g->products = arena_array(&in->arena, LtPlan *,
				  in->plan->plan->launches.n + 1);
	in->gpu = g;
	if (alone(in->plan->gpu->device, fill_work, &(FillWork){in, st}))
		return true;
	gpu_instance_free(in);
	return false;
}

/* ---- calls ----------------------------------------------------------- */

/* Memory that a call has made; it is kept where it is large enough. */
typedef struct Owned {
	DeviceMem mem;
	size_t bytes;
} Owned;

struct GpuCall {
	Arena arena;
	DeviceRun *run;
	DeviceMem *mem; /* by plan buffer, as kernels are given it */
	Owned *tensors; /* by plan buffer: of tensors on the host */
	Owned *slots;   /* of temporaries */
	size_t ntensors, nslots;
	TnStatus *host; /* records of faults */
	DeviceMem records;
	bool shared; /* kernels write to `host` itself */
};

static bool is_tensor(PlanBufKind kind)
{
	return kind == PLAN_INPUT || kind == PLAN_RESULT;
}

void gpu_call_free(TenonCall *call)
{
	GpuCall *g = call->gpu;

	if (!g)
		return;
	Device *d = call->plan->gpu->device;
	device_run_free(g->run);
	for (size_t i = 0; i < g->ntensors; i++)
		device_free(d, g->tensors[i].mem);
	for (size_t i = 0; i < g->nslots; i++)
		device_free(d, g->slots[i].mem);
	if (g->shared)
		device_shared_free(d, g->host);
	else
		device_free(d, g->records);
	arena_release(&g->arena);
	free(g);
	call->gpu = NULL;
}

static bool make_records(Ctx *ctx, const TenonPlan *p, GpuCall *g)
{
	size_t n = record_count(p), bytes = (n + 1) * sizeof(TnStatus);
	Device *d = p->gpu->device;
	void *host;

	g->shared = device_kind(d) == DEVICE_CUDA;
	if (g->shared) {
		if (!device_shared_alloc(ctx, d, bytes, &host, &g->records))
			return false;
		g->host = host;
	} else {
		g->host = arena_array(&g->arena, TnStatus, n + 1);
		if (!device_alloc(ctx, d, bytes, &g->records))
			return false;
	}
	records_clear(p, g->host);
	return true;
}

static bool gpu_call_new(TenonCall *call)
{
	const Plan *plan = call->plan->plan;
	Ctx *ctx = &call->plan->c->ctx;
	GpuCall *g = calloc(1, sizeof(*g));

	if (!g)
		oom_raise();
	arena_init(&g->arena);
	call->gpu = g; /* freed with the call, whatever happens */
	g->mem = arena_array(&g->arena, DeviceMem, plan->buffers.n + 1);
	g->tensors = arena_array(&g->arena, Owned, plan->buffers.n + 1);
	g->ntensors = plan->buffers.n;
	g->slots = arena_array(&g->arena, Owned, plan->slots.n + 1);
	g->nslots = plan->slots.n;
	return make_records(ctx, call->plan, g) &&
	       device_run_new(ctx, call->plan->gpu->device, &g->run);
}

static bool reserve(Ctx *ctx, Device *d, Owned *o, size_t bytes)
{
	if (bytes <= o->bytes)
		return true;
	device_free(d, o->mem);
	o->bytes = 0;
	if (!device_alloc(ctx, d, bytes, &o->mem))
		return false;
	o->bytes = bytes;
	return true;
}

/* The tensor of a buffer, or of result i where no buffer is its own. */
static const Bound *bound_of(const TenonCall *call, const PlanBuffer *b)
{
	size_t inputs = call->plan->program->p->inputs.n;

	return &call->bound[b->kind == PLAN_INPUT ? b->index
						  : inputs + b->index];
}

static bool on_device(const Bound *t)
{
	return t->tensor.place == TENON_DEVICE;
}

static bool place_buffers(TenonCall *call)
{
	const Plan *plan = call->plan->plan;
	Ctx *ctx = &call->plan->c->ctx;
	Device *d = call->plan->gpu->device;
	Instance *in = call->instance;
	GpuCall *g = call->gpu;

	for (size_t i = 0; i < plan->slots.n; i++)
		if (!reserve(ctx, d, &g->slots[i],
			     bytes_of(in, plan->slots.p[i])))
			return false;
	for (size_t i = 0; i < plan->buffers.n; i++) {
		const PlanBuffer *b = &plan->buffers.p[i];
		if (b->kind == PLAN_TEMP) {
			g->mem[i] = g->slots[b->index].mem;
		} else if (!is_tensor(b->kind)) {
			g->mem[i] = in->gpu->fixed[i];
		} else if (on_device(bound_of(call, b))) {
			g->mem[i] = (uintptr_t)bound_of(call, b)->data;
		} else {
			if (!reserve(ctx, d, &g->tensors[i],
				     bytes_of(in, b->bytes)))
				return false;
			g->mem[i] = g->tensors[i].mem;
		}
	}
	return true;
}

/* What is moved for the tensors that are on the host. */
static void add_moves(const TenonCall *call, DeviceWork *w, DeviceMove *in,
		      DeviceMove *out, DeviceCopy *copies)
{
	const Plan *plan = call->plan->plan;
	const GpuCall *g = call->gpu;
	const Bound *results = call->bound + call->plan->program->p->inputs.n;

	for (size_t i = 0; i < plan->buffers.n; i++) {
		const PlanBuffer *b = &plan->buffers.p[i];
		if (!is_tensor(b->kind) || on_device(bound_of(call, b)))
			continue;
		const Bound *t = bound_of(call, b);
		DeviceMove m = {g->mem[i], t->data, t->bytes};
		if (b->kind == PLAN_INPUT)
			in[w->nin++] = m;
		else
			out[w->nout++] = m;
	}
	for (size_t i = 0; i < plan->copies.n; i++) {
		const PlanCopy *c = &plan->copies.p[i];
		const Bound *t = &results[c->result];
		if (on_device(t))
			copies[w->ncopies++] = (DeviceCopy){
				(uintptr_t)t->data, g->mem[c->from], t->bytes};
		else
			out[w->nout++] = (DeviceMove){g->mem[c->from], t->data,
						      t->bytes};
	}
}

static bool make_work(TenonCall *call, DeviceWork *w)
{
	const Plan *plan = call->plan->plan;
	const TenonPlan *p = call->plan;
	Ctx *ctx = &p->c->ctx;
	Arena *a = &ctx->scratch;
	GpuCall *g = call->gpu;
	size_t moves = plan->buffers.n + plan->copies.n + 1;
	DeviceLaunch *l = arena_array(a, DeviceLaunch, plan->launches.n + 1);
	DeviceMove *in = arena_array(a, DeviceMove, moves);
	DeviceMove *out = arena_array(a, DeviceMove, moves);
	DeviceCopy *copies = arena_array(a, DeviceCopy, moves);
	DeviceMove records = {g->records, g->host,
			      record_count(p) * sizeof(TnStatus)};

	*w = (DeviceWork){.launches = l,
			  .in = in,
			  .out = out,
			  .copies = copies,
			  .threads = call->threads};
	for (size_t i = 0; i < plan->launches.n; i++)
		if (!plan->launches.p[i].once &&
		    !make_launch(ctx, a, call->instance, i, g->mem, g->records,
				 &l[w->nlaunches++]))
			return false;
	add_moves(call, w, in, out, copies);
	if (p->gpu->faults && !g->shared) {
		in[w->nin++] = records;
		out[w->nout++] = records;
	}
	return true;
}

static bool bind_work(void *arg)
{
	TenonCall *call = arg;
	Ctx *ctx = &call->plan->c->ctx;
	DeviceWork w;

	return device_run_wait(ctx, call->gpu->run) && place_buffers(call) &&
	       make_work(call, &w) && device_run_set(ctx, call->gpu->run, &w);
}

/* Runs and waits touch OpenCL's one queue; CUDA's calls have their own. */
static bool in_turn(const TenonCall *call, bool (*work)(void *arg), void *arg)
{
	Device *d = call->plan->gpu->device;

	return device_kind(d) == DEVICE_CUDA ? work(arg) : alone(d, work, arg);
}

bool gpu_call_bind(TenonCall *call)
{
	/* one that memory ran out for is made anew */
	if (call->gpu && !call->gpu->run)
		gpu_call_free(call);
	if ((call->gpu || gpu_call_new(call)) && in_turn(call, bind_work, call))
		return true;
	gpu_call_free(call);
	return false;
}

/* Whether a tensor lies where the caller says. */
bool gpu_check_place(TenonPlan *p, const char *what, const TenonTensor *t)
{
	Device *d = p->gpu->device;
	size_t bytes = tenon_tensor_bytes(t);

	if (bytes == 0)
		return true;
	return t->place == TENON_DEVICE
		       ? device_check(&p->c->ctx, d, what, t->data, bytes)
		       : device_check_host(&p->c->ctx, d, what, t->data);
}

typedef struct RunWork {
	TenonCall *call;
	Ctx *ctx;
	bool soon;
} RunWork;

static bool start_work(void *arg)
{
	const RunWork *w = arg;

	return device_run_start(w->ctx, w->call->gpu->run, w->soon);
}

static bool wait_work(void *arg)
{
	const RunWork *w = arg;

	return device_run_wait(w->ctx, w->call->gpu->run);
}

bool gpu_call_start(TenonCall *call, Ctx *ctx, bool soon)
{
	return in_turn(call, start_work, &(RunWork){call, ctx, soon});
}

bool gpu_call_wait(TenonCall *call, Ctx *ctx, TnStatus *st)
{
	const TenonPlan *p = call->plan;
	GpuCall *g = call->gpu;

	*st = (TnStatus){0};
	if (!in_turn(call, wait_work, &(RunWork){call, ctx, false}))
		return false;
	if (!p->gpu->faults || records_good(p, g->host, st))
		return true;
	records_clear(p, g->host);
	return false;
}

bool gpu_call_pending(const TenonCall *call)
{
	return device_run_pending(call->gpu->run);
}

bool gpu_call_moves(const TenonCall *call)
{
	return device_run_moves(call->gpu->run);
}

bool gpu_call_stream(TenonCall *call, Ctx *ctx, void *stream)
{
	return device_run_stream(ctx, call->gpu->run, stream);
}

bool gpu_calls_time(TenonCall *const *calls, size_t n, size_t times, Ctx *ctx,
		    double *us)
{
	DeviceRun **runs = arena_array(&ctx->scratch, DeviceRun *, n);

	for (size_t i = 0; i < n; i++)
		runs[i] = calls[i]->gpu->run;
	return device_run_time(ctx, runs, n, times, us);
}

/* ---- memory of callers ------------------------------------------------ */

TenonPlace tenon_plan_place(const TenonPlan *p)
{
	return p->gpu ? TENON_DEVICE : TENON_HOST;
}

static bool give(TenonPlan *p, size_t bytes, void **out)
{
	if (p->gpu)
		return device_give(&p->c->ctx, p->gpu->device, bytes, out);
	*out = tenon_alloc(bytes);
	return *out ||
	       diag_fail(&p->c->ctx, ERR_NOMEM, NULL,
			 "out of memory: %zu bytes for a tensor", bytes);
}

TenonError tenon_device_alloc(TenonPlan *p, size_t bytes, void **out)
{
	*out = NULL;
	API_ENTER(p->c);
	bool ok = give(p, bytes, out);
	return API_LEAVE(p->c, ok);
}

void tenon_device_free(TenonPlan *p, void *data, size_t bytes)
{
	if (!p->gpu)
		tenon_release(data, bytes);
	else if (data)
		device_take_back(p->gpu->device, data);
}

typedef struct CopyWork {
	TenonPlan *p;
	const TenonTensor *to, *from;
	size_t bytes;
} CopyWork;

static bool copy_work(void *arg)
{
	const CopyWork *w = arg;
	Ctx *ctx = &w->p->c->ctx;
	Device *d = w->p->gpu->device;
	bool in = w->from->place == TENON_HOST, ok;

	if (w->to->place == TENON_HOST)
		ok = device_copy_out(ctx, d, w->to->data,
				     (uintptr_t)w->from->data, w->bytes);
	else if (in)
		ok = device_copy_in(ctx, d, (uintptr_t)w->to->data,
				    w->from->data, w->bytes);
	else
		ok = device_copy_over(ctx, d, (uintptr_t)w->to->data,
				      (uintptr_t)w->from->data, w->bytes);
	return device_wait(ctx, d) && ok;
}

static bool copy_refused(TenonContext *c, const TenonTensor *to,
			 const TenonTensor *from)
{
	Tensor a = tensor_from_api(to), b = tensor_from_api(from);

	if (to->dtype != from->dtype || to->rank != from->rank)
		return !api_usage(c, "a copy is between tensors of one dtype "
				     "and shape");
	for (int i = 0; i < to->rank; i++)
		if (to->shape[i] != from->shape[i])
			return !api_usage(c, "a copy is between tensors of "
					     "one dtype and shape");
	return !(tensor_is_contiguous(&a) && tensor_is_contiguous(&b)) &&
	       !api_usage(c, "a copy to or from a device is of tensors "
			     "without gaps");
}

static bool copy(TenonPlan *p, const TenonTensor *to, const TenonTensor *from)
{
	bool host = to->place == TENON_HOST && from->place == TENON_HOST;
	CopyWork w = {p, to, from, tenon_tensor_bytes(to)};

	if (copy_refused(p->c, to, from))
		return false;
	if (!host && !p->gpu)
		return api_usage(p->c, "a tensor is in memory of a device, and "
				       "the plan is for a CPU");
	if (p->gpu && !(gpu_check_place(p, "what is copied to", to) &&
			gpu_check_place(p, "what is copied from", from)))
		return false;
	if (!host)
		return alone(p->gpu->device, copy_work, &w);
	if (w.bytes)
		memmove(to->data, from->data, w.bytes);
	return true;
}

TenonError tenon_device_copy(TenonPlan *p, const TenonTensor *to,
			     const TenonTensor *from)
{
	API_ENTER(p->c);
	bool ok = copy(p, to, from);
	return API_LEAVE(p->c, ok);
}
