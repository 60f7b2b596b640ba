/*
 * call: a plan with its tensors, everything resolved, to be run many times.
 *
 * A call owns what its runs write besides the results: temporaries, unless they
 * are placed by whoever made it, scratch
 * of the workers, copies of tensors that the plan does not admit as they
 * are. So calls of one plan may run at the same time. A run touches neither
 * the context nor the plan; a fault is reported into the call's own
 * messages.
 */
#include "driver/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tensors --------------------------------------------------------- */

/* Element by element between a strided and a contiguous tensor. */
static void copy_elements(const TenonTensor *strided, char *flat, bool out)
{
	size_t size = tenon_dtype_size(strided->dtype);
	int64_t index[TN_MAX_RANK] = {0}, total = 1;

	for (int d = 0; d < strided->rank; d++)
		total *= strided->shape[d];
	for (int64_t n = 0; n < total; n++) {
		char *at = strided->data;
		for (int d = 0; d < strided->rank; d++)
			at += index[d] * strided->strides[d];
		if (out)
			memcpy(at, flat, size);
		else
			memcpy(flat, at, size);
		flat += size;
		for (int d = strided->rank - 1; d >= 0; d--) {
			if (++index[d] < strided->shape[d])
				break;
			index[d] = 0;
		}
	}
}

static bool admitted(const TenonTensor *t)
{
	Tensor x = tensor_from_api(t);

	return tensor_is_contiguous(&x) &&
	       (uintptr_t)t->data % tenon_dtype_size(t->dtype) == 0;
}

/* Memory of a device is used as it is, or not at all. */
static bool place_admitted(TenonCall *call, const TenonTensor *t,
			   const char *name)
{
	TenonPlan *p = call->plan;
	Tensor x = tensor_from_api(t);

	if (!p->gpu)
		return t->place == TENON_HOST ||
		       diag_fail(&p->c->ctx, ERR_USAGE,
				 "tenon_plan_place() tells where a plan's "
				 "tensors can be",
				 "%s: it is in memory of a device, and the "
				 "plan is for %s",
				 name, p->plan->target);
	if (t->place == TENON_DEVICE && !tensor_is_contiguous(&x))
		return diag_fail(&p->c->ctx, ERR_USAGE,
				 "copy it to one without gaps, or give the "
				 "program a transpose or slice of it",
				 "%s: a tensor in memory of a device has "
				 "contiguous strides",
				 name);
	return gpu_check_place(p, name, t);
}

static bool bind_tensor(TenonCall *call, const TenonTensor *t, const char *what,
			const char *name, Bound *out)
{
	TenonContext *c = call->plan->c;
	char text[200];

	*out = (Bound){
		.tensor = *t, .data = t->data, .bytes = tenon_tensor_bytes(t)};
	snprintf(text, sizeof(text), "%s %s", what, name);
	if (!place_admitted(call, t, text))
		return false;
	if (t->place == TENON_DEVICE || admitted(t))
		return true;
	out->copy = out->data = tenon_alloc(out->bytes);
	if (!out->copy)
		return diag_fail(&c->ctx, ERR_NOMEM, NULL,
				 "out of memory: %zu bytes for a copy of %s",
				 out->bytes, name);
	call->copies = true;
	api_notice(c,
		   "%s %s: copied, since its strides or alignment are not "
		   "what the plan admits",
		   what, name);
	return true;
}

void call_unbind(TenonCall *call)
{
	const Program *prog = call->plan->program->p;

	for (size_t i = 0; call->bound && i < prog->inputs.n + prog->results.n;
	     i++) {
		Bound *b = &call->bound[i];
		if (b->copy)
			tenon_release(b->copy, b->bytes);
		b->copy = NULL;
	}
	call->copies = false;
}

static void *buffer_data(const TenonCall *call, size_t buffer)
{
	const Plan *plan = call->plan->plan;
	const PlanBuffer *b = &plan->buffers.p[buffer];
	size_t inputs = call->plan->program->p->inputs.n;

	switch (b->kind) {
	case PLAN_INPUT:
		return call->bound[b->index].data;
	case PLAN_RESULT:
		return call->bound[inputs + b->index].data;
	case PLAN_CONST:
	case PLAN_WEIGHT:
	case PLAN_KEPT:
		return call->instance->fixed[buffer];
	case PLAN_TEMP:
		return call->slots[b->index];
	case PLAN_KIND_COUNT:
		break;
	}
	bug("plan buffer of kind %d", (int)b->kind);
}

bool call_bind(TenonCall *call, const TenonTensor *inputs,
	       const TenonTensor *results)
{
	const Plan *plan = call->plan->plan;
	TenonProgram *p = call->plan->program;
	size_t n = p->p->inputs.n;

	call_unbind(call);
	for (size_t i = 0; i < n; i++)
		if (!bind_tensor(call, &inputs[i], "input",
				 tenon_program_input_name(p, (int)i),
				 &call->bound[i]))
			return false;
	for (size_t i = 0; i < p->p->results.n; i++)
		if (!bind_tensor(call, &results[i], "result",
				 p->p->results.p[i].name, &call->bound[n + i]))
			return false;
	if (call->plan->gpu)
		return gpu_call_bind(call);
	for (size_t i = 0; i < plan->buffers.n; i++)
		call->data[i] = buffer_data(call, i);
	for (size_t i = 0; i < plan->launches.n; i++) {
		const PlanLaunch *l = &plan->launches.p[i];
		for (size_t j = 0; j < l->buffers.n; j++)
			call->tables[i][j] = call->data[l->buffers.p[j]];
	}
	call->moves = call->copies || plan->copies.n;
	return true;
}

/* ---- life ------------------------------------------------------------ */

TenonCall *call_new(TenonPlan *p)
{
	TenonCall *call = calloc(1, sizeof(*call));

	if (!call)
		oom_raise();
	call->plan = p;
	arena_init(&call->arena);
	ctx_init(&call->ctx);
	return call;
}

void call_free(TenonCall *call)
{
	if (!call)
		return;
	gpu_call_free(call); /* runs under way read what is bound */
	call_unbind(call);
	instance_drop(call->instance);
	launch_release(&call->set);
	tenon_release(call->memory, call->memory_size);
	ctx_release(&call->ctx);
	arena_release(&call->arena);
	free(call);
}

/* Memory of temporaries; what there is stays if it is enough. */
static bool reserve_memory(TenonCall *call, size_t bytes)
{
	if (bytes <= call->memory_size)
		return true;
	tenon_release(call->memory, call->memory_size);
	call->memory = tenon_alloc(bytes);
	call->memory_size = call->memory ? bytes : 0;
	return call->memory ||
	       diag_fail(&call->plan->c->ctx, ERR_NOMEM, NULL,
			 "out of memory: %zu bytes for intermediates", bytes);
}

static bool place_slots(TenonCall *call)
{
	const Plan *plan = call->plan->plan;
	const Instance *in = call->instance;

	call->slots = arena_array(&call->arena, char *, plan->slots.n + 1);
	if (!call->given && !reserve_memory(call, in->memory_size))
		return false;
	for (size_t i = 0; i < plan->slots.n; i++) {
		int64_t bytes = ex_eval(&plan->kernels->program->ex,
					plan->slots.p[i], in->dims, NULL);
		if (call->given)
			call->slots[i] = call->given->slot(call->given->arg, i,
							   (size_t)bytes);
		else
			call->slots[i] = call->memory + in->slots[i];
		if (call->given && !call->slots[i])
			return false;
	}
	return true;
}

/* Arrays of a call; those of its last binding are given up. */
static void make_tables(TenonCall *call)
{
	const Plan *plan = call->plan->plan;
	const Program *prog = call->plan->program->p;
	Arena *a = &call->arena;

	call->bound = NULL;
	arena_clear(a);
	call->bound =
		arena_array(a, Bound, prog->inputs.n + prog->results.n + 1);
	call->data = arena_array(a, void *, plan->buffers.n + 1);
	call->tables = arena_array(a, void **, plan->launches.n + 1);
	for (size_t i = 0; i < plan->launches.n; i++)
		call->tables[i] = arena_array(
			a, void *, plan->launches.p[i].buffers.n + 1);
}

static bool make_launches(TenonCall *call)
{
	const Plan *plan = call->plan->plan;
	const Instance *in = call->instance;
	Launch *l = arena_array(&call->arena, Launch, plan->launches.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < plan->launches.n; i++) {
		if (plan->launches.p[i].once)
			continue;
		l[n] = in->launches[i];
		l[n++].buffers = call->tables[i];
	}
	return launch_prepare(&call->set, &call->arena, l, n, in->dims,
			      call->threads) ||
	       diag_fail(&call->plan->c->ctx, ERR_NOMEM, NULL,
			 "out of memory: scratch of a kernel");
}

bool call_prepare(TenonCall *call, const int64_t *dims)
{
	int threads = context_threads(call->plan->c);
	Instance *in = call->instance;

	if (in && call->threads == threads && instance_is(in, dims))
		return true;
	if (in && !instance_is(in, dims)) {
		call->instance = NULL;
		instance_drop(in);
	}
	if (!call->instance)
		call->instance = instance_take(call->plan, dims);
	in = call->instance;
	if (!in)
		return false;
	call->threads = 0; /* not ready */
	make_tables(call);
	if (call->plan->gpu) {
		call->threads = threads;
		return true;
	}
	if (!place_slots(call))
		return false;
	call->threads = threads;
	if (make_launches(call))
		return true;
	call->threads = 0;
	return false;
}

/* ---- runs ------------------------------------------------------------ */

static void copy_inputs(TenonCall *call)
{
	for (size_t i = 0; i < call->plan->program->p->inputs.n; i++)
		if (call->bound[i].copy)
			copy_elements(&call->bound[i].tensor,
				      call->bound[i].copy, false);
}

/* Results that no kernel wrote, and those that were written to a copy. */
static void copy_results(TenonCall *call)
{
	const Plan *plan = call->plan->plan;
	const Program *prog = call->plan->program->p;
	Bound *out = call->bound + prog->inputs.n;

	for (size_t i = 0; !call->plan->gpu && i < plan->copies.n; i++) {
		const PlanCopy *c = &plan->copies.p[i];
		if (out[c->result].bytes)
			memcpy(out[c->result].data, call->data[c->from],
			       out[c->result].bytes);
	}
	for (size_t i = 0; call->copies && i < prog->results.n; i++)
		if (out[i].copy)
			copy_elements(&out[i].tensor, out[i].copy, true);
}

static TN_NOINLINE bool run_moving(TenonCall *call, TnStatus *st)
{
	if (call->copies)
		copy_inputs(call);
	if (!launch_run(&call->set, st))
		return false;
	copy_results(call);
	return true;
}

static bool gpu_wait(TenonCall *call, Ctx *ctx, TnStatus *st)
{
	if (!gpu_call_wait(call, ctx, st))
		return false;
	if (call->copies)
		copy_results(call);
	return true;
}

/* What is under way ends before its copies are used again. */
static bool gpu_queue(TenonCall *call, Ctx *ctx, TnStatus *st, bool soon)
{
	bool moves = call->copies || gpu_call_moves(call);

	*st = (TnStatus){0};
	if (moves && gpu_call_pending(call) && !gpu_wait(call, ctx, st))
		return false;
	if (call->copies)
		copy_inputs(call);
	return gpu_call_start(call, ctx, soon);
}

static bool gpu_start(TenonCall *call, Ctx *ctx, TnStatus *st)
{
	return gpu_queue(call, ctx, st, false);
}

static TN_NOINLINE bool run_gpu(TenonCall *call, Ctx *ctx, TnStatus *st)
{
	return gpu_queue(call, ctx, st, true) && gpu_wait(call, ctx, st);
}

/* On a CPU; the smallest products take as long as a few more branches. */
static inline bool run_cpu(TenonCall *call, TnStatus *st)
{
	return call->moves ? run_moving(call, st) : launch_run(&call->set, st);
}

bool call_run(TenonCall *call, Ctx *ctx, TnStatus *st)
{
	return call->gpu ? run_gpu(call, ctx, st) : run_cpu(call, st);
}

/* ---- the public calls ------------------------------------------------ */

static bool call_make(TenonCall *call, const TenonTensor *inputs,
		      const TenonTensor *results)
{
	TenonPlan *p = call->plan;
	Arena *a = &p->c->ctx.scratch;
	TnStatus st;

	arena_clear(a);
	int64_t *dims = arena_array(a, int64_t, p->program->p->ex.dims.n + 1);
	if (!bind_inputs(p->program, inputs, dims) ||
	    !plan_admits(p, dims, inputs, results) || !call_prepare(call, dims))
		return false;
	if (!instance_fill(call->instance, call->threads, &st))
		return st.code && report_fault(p, &p->c->ctx, &st, dims);
	return call_bind(call, inputs, results);
}

TenonError tenon_call_new(TenonPlan *p, const TenonTensor *inputs,
			  const TenonTensor *results, TenonCall **out)
{
	return call_new_in(p, NULL, inputs, results, out);
}

TenonError call_new_in(TenonPlan *p, const CallMemory *m,
		       const TenonTensor *inputs, const TenonTensor *results,
		       TenonCall **out)
{
	OomTrap trap;

	*out = NULL;
	API_ENTER(p->c);
	TenonCall *call = call_new(p);
	call->given = m;
	if (OOM_TRAP(&trap)) {
		call_free(call);
		oom_raise();
	}
	bool ok = call_make(call, inputs, results);
	oom_trap_pop(&trap);
	/* places in messages refer to the context's sources */
	call->ctx.sources.p = p->c->ctx.sources.p;
	call->ctx.sources.n = p->c->ctx.sources.n;
	if (ok)
		*out = call;
	else
		call_free(call);
	return API_LEAVE(p->c, ok);
}

/* Forgets what the last run said. */
static void clear_messages(TenonCall *call)
{
	arena_clear(&call->ctx.perm);
	arena_clear(&call->ctx.scratch);
	ctx_clear_errors(&call->ctx);
	call->out_of_memory = false;
}

static TenonError call_fault(TenonCall *call, const TnStatus *st)
{
	OomTrap trap;

	clear_messages(call);
	if (OOM_TRAP(&trap)) {
		call->out_of_memory = true;
		return TENON_ENOMEM;
	}
	report_fault(call->plan, &call->ctx, st, call->instance->dims);
	oom_trap_pop(&trap);
	return call->ctx.err == ERR_ENV ? TENON_EENV : TENON_EPROGRAM;
}

typedef bool CallWork(TenonCall *call, Ctx *ctx, TnStatus *st);

/* What may fail for other reasons than a fault. */
static TN_NOINLINE TenonError on_device(TenonCall *call, CallWork *work)
{
	OomTrap trap;
	TnStatus st = {0};

	clear_messages(call);
	if (OOM_TRAP(&trap)) {
		call->out_of_memory = true;
		return TENON_ENOMEM;
	}
	bool ok = work(call, &call->ctx, &st);
	oom_trap_pop(&trap);
	if (ok)
		return TENON_OK;
	if (st.code)
		return call_fault(call, &st);
	return call->ctx.err == ERR_NOMEM   ? TENON_ENOMEM
	       : call->ctx.err == ERR_USAGE ? TENON_EUSAGE
					    : TENON_EENV;
}

static TenonError run_here(TenonCall *call)
{
	TnStatus st;

	return run_cpu(call, &st) ? TENON_OK : call_fault(call, &st);
}

TenonError tenon_call_run(TenonCall *call)
{
	return call->gpu ? on_device(call, run_gpu) : run_here(call);
}

TenonError tenon_call_start(TenonCall *call)
{
	return call->gpu ? on_device(call, gpu_start) : run_here(call);
}

TenonError tenon_call_wait(TenonCall *call)
{
	return call->gpu ? on_device(call, gpu_wait) : TENON_OK;
}

static bool no_device(TenonCall *call, const char *what)
{
	return diag_fail(&call->ctx, ERR_USAGE, NULL,
			 "the plan is for %s, which has no %s",
			 call->plan->plan->target, what);
}

static bool use_stream(TenonCall *call, void *stream)
{
	TnStatus st;

	if (!call->gpu)
		return no_device(call, "streams");
	return gpu_wait(call, &call->ctx, &st) &&
	       gpu_call_stream(call, &call->ctx, stream);
}

TenonError tenon_call_stream(TenonCall *call, void *stream)
{
	OomTrap trap;

	clear_messages(call);
	if (OOM_TRAP(&trap)) {
		call->out_of_memory = true;
		return TENON_ENOMEM;
	}
	bool ok = use_stream(call, stream);
	oom_trap_pop(&trap);
	return ok ? TENON_OK : (TenonError)call->ctx.err;
}

static bool calls_time(TenonCall *const *calls, int n, int times, double *us)
{
	Ctx *ctx = &calls[0]->ctx;

	for (int i = 0; i < n; i++)
		if (calls[i]->plan != calls[0]->plan)
			return diag_fail(ctx, ERR_USAGE, NULL,
					 "the calls are of several plans");
	if (!calls[0]->gpu)
		return no_device(calls[0], "clock of its own");
	return gpu_calls_time(calls, (size_t)n, (size_t)times, ctx, us);
}

TenonError tenon_calls_device_time(TenonCall *const *calls, int n, int times,
				   double *us)
{
	OomTrap trap;

	*us = 0;
	if (n < 1 || times < 1)
		return TENON_EUSAGE;
	clear_messages(calls[0]);
	if (OOM_TRAP(&trap)) {
		calls[0]->out_of_memory = true;
		return TENON_ENOMEM;
	}
	bool ok = calls_time(calls, n, times, us);
	oom_trap_pop(&trap);
	return ok ? TENON_OK : (TenonError)calls[0]->ctx.err;
}

const char *tenon_call_message(const TenonCall *call)
{
	if (call->out_of_memory)
		return OUT_OF_MEMORY_TEXT;
	return call->ctx.messages.p ? call->ctx.messages.p : "";
}

void tenon_call_free(TenonCall *call)
{
	call_free(call);
}
