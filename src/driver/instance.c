/*
 * instance: a plan under one binding of its dims.
 *
 * What the binding fixes is worked out once and shared by every call of the
 * plan under it: weights, what phases that run once make of them, where
 * each temporary lies, and each launch's symbol, tasks and scratch. Nothing
 * in it changes while calls run.
 */
#include "driver/driver.h"

#include "ir/view.h"
#include "runtime/product.h"

#include <stdlib.h>
#include <string.h>

/*
 * Every value's extents, those of intermediates too, are 0 or more: shapes
 * such as [M - 2] say so only of sizes that are large enough.
 */
static bool check_extents(TenonPlan *p, const int64_t *dims)
{
	const Program *prog = p->plan->kernels->program;

	for (ValueId v = 0; v < prog->values.n; v++) {
		const Value *val = program_value(prog, v);
		Tensor t;
		Buf type;
		if (value_desc(prog, v, dims, &t))
			continue;
		buf_init(&type, &p->c->ctx.scratch);
		program_print_type(&type, prog, val);
		return diag_error(&p->c->ctx, val->loc,
				  "larger sizes make it 0 or more",
				  "%s has a negative or overflowing extent "
				  "under these sizes",
				  buf_str(&type));
	}
	return true;
}

/* Adds the size of a buffer, in whole lines. */
static bool add_bytes(Instance *in, Ex size, size_t *total)
{
	int64_t bytes;

	if (!ex_eval_checked(&in->plan->plan->kernels->program->ex, size,
			     in->dims, NULL, &bytes) ||
	    bytes < 0 || bytes > INT64_MAX / 4 || *total > INT64_MAX / 4)
		return diag_fail(&in->plan->c->ctx, ERR_PROGRAM, NULL,
				 "an intermediate's size overflows");
	*total += ((size_t)bytes + 63) / 64 * 64;
	return true;
}

/* Places the temporaries' slots one after another. */
static bool place_slots(Instance *in)
{
	const Plan *plan = in->plan->plan;
	size_t total = 0;

	in->slots = arena_array(&in->arena, size_t, plan->slots.n + 1);
	for (size_t i = 0; i < plan->slots.n; i++) {
		in->slots[i] = total;
		if (!add_bytes(in, plan->slots.p[i], &total))
			return false;
	}
	in->memory_size = total;
	return true;
}

/* The same for kept buffers. */
static bool place_kept(Instance *in)
{
	const Plan *plan = in->plan->plan;
	size_t total = 0;

	in->kept_at = arena_array(&in->arena, size_t, plan->buffers.n + 1);
	for (size_t i = 0; i < plan->buffers.n; i++) {
		if (plan->buffers.p[i].kind != PLAN_KEPT)
			continue;
		in->kept_at[i] = total;
		if (!add_bytes(in, plan->buffers.p[i].bytes, &total))
			return false;
	}
	in->kept_size = total;
	return true;
}

bool program_weights(TenonProgram *p, const int64_t *dims, Tensor *out)
{
	Binding b = {(int64_t *)dims, p->p->ex.dims.n};

	for (uint32_t v = 0; v < p->p->values.n; v++) {
		if (program_value(p->p, v)->op != OP_WEIGHT || out[v].data)
			continue;
		if (!weight_read(&p->c->ctx, p->p, v, &b, &out[v]))
			return false;
	}
	return true;
}

/* The stage-1 weight that a stage-2 WEIGHT value reads. */
static void *weight_data(const Instance *in, ValueId v)
{
	const TenonPlan *p = in->plan;
	const Value *want = program_value(p->plan->kernels->program, v);
	const Program *prog = p->program->p;

	for (uint32_t i = 0; i < prog->values.n; i++) {
		const Value *val = program_value(prog, i);
		if (val->op == OP_WEIGHT && !strcmp(val->file, want->file) &&
		    (!val->tensor || !want->tensor
			     ? val->tensor == want->tensor
			     : !strcmp(val->tensor, want->tensor)) &&
		    val->dtype == want->dtype)
			return in->weights[i].data;
	}
	bug("weight %%%u has no data", v);
}

static void find_fixed(Instance *in)
{
	const Plan *plan = in->plan->plan;

	in->fixed = arena_array(&in->arena, void *, plan->buffers.n + 1);
	for (size_t i = 0; i < plan->buffers.n; i++) {
		const PlanBuffer *b = &plan->buffers.p[i];
		if (b->kind == PLAN_CONST)
			in->fixed[i] = (void *)program_value(
					       plan->kernels->program, b->value)
					       ->data;
		else if (b->kind == PLAN_WEIGHT)
			in->fixed[i] = weight_data(in, b->value);
	}
}

/*
 * A step (ir/kernel_work.c) is about 0.25 ns. A launch of less than 10 us
 * stays on its caller: a second thread would save a few of them at best,
 * and costs 38 where it has to be woken. Above, a worker for each 5 us.
 */
double instance_serial_steps = 40e3;
#define STEPS_A_WORKER 20e3

static int workers_worth(double steps)
{
	if (instance_serial_steps <= 0)
		return 0;
	if (steps < instance_serial_steps)
		return 1;
	double n = steps / STEPS_A_WORKER;
	return n < 2 ? 2 : n < 1e6 ? (int)n : 1000000;
}

static bool find_product(Instance *in, size_t launch)
{
	Launch *l = &in->launches[launch];

	l->product = plan_cpu_product(&in->plan->c->ctx, &in->arena,
				      in->plan->plan, launch, in->dims);
	if (!l->product)
		return false;
	l->scratch = l->product->scratch;
	return true;
}

static bool find_launches(Instance *in)
{
	const TenonPlan *p = in->plan;
	const Plan *plan = p->plan;
	const ExprTab *t = &plan->kernels->program->ex;

	in->launches = arena_array(&in->arena, Launch, plan->launches.n + 1);
	for (size_t i = 0; i < plan->launches.n; i++) {
		const PlanLaunch *l = &plan->launches.p[i];
		const Kernel *k = &plan->kernels->kernels.p[l->kernel];
		double steps = phase_work(&in->arena, plan->kernels, k,
					  &k->phases.p[l->phase], in->dims);
		in->launches[i] = (Launch){
			.most = workers_worth(steps),
			.fn = p->gpu ? NULL : p->symbols[i],
			.tasks = ex_eval(t, l->tasks, in->dims, NULL),
			.scratch =
				(size_t)ex_eval(t, l->scratch, in->dims, NULL),
		};
		if (!p->gpu && plan_call(plan, i) && !find_product(in, i))
			return false;
	}
	return true;
}

static void instance_free(Instance *in)
{
	if (in->weights)
		for (size_t v = 0; v < in->plan->program->p->values.n; v++)
			tenon_release(in->weights[v].data,
				      tensor_bytes(&in->weights[v]));
	gpu_instance_free(in);
	launch_release(&in->once);
	tenon_release(in->kept, in->kept_size);
	arena_release(&in->arena);
	free(in);
}

static bool check_slices(TenonPlan *p, const int64_t *dims)
{
	const Program *prog = p->program->p;

	for (ValueId v = 0; v < prog->values.n; v++)
		if (!slice_check(&p->c->ctx, prog, v, dims))
			return false;
	return true;
}

static bool instance_init(Instance *in, const int64_t *dims)
{
	TenonPlan *p = in->plan;
	const Program *prog = p->program->p;
	size_t n = prog->ex.dims.n;

	in->dims = arena_array(&in->arena, int64_t, n + 1);
	memcpy(in->dims, dims, n * sizeof(*dims));
	in->weights = arena_array(&in->arena, Tensor, prog->values.n + 1);
	if (!check_extents(p, dims) || !check_slices(p, dims) ||
	    !place_slots(in) || !place_kept(in) ||
	    !program_weights(p->program, dims, in->weights))
		return false;
	find_fixed(in);
	return find_launches(in);
}

static bool instance_init_or_free(Instance *in, const int64_t *dims)
{
	OomTrap trap;

	if (OOM_TRAP(&trap)) {
		instance_free(in);
		oom_raise();
	}
	bool ok = instance_init(in, dims);
	oom_trap_pop(&trap);
	if (!ok)
		instance_free(in);
	return ok;
}

static Instance *instance_new(TenonPlan *p, const int64_t *dims)
{
	Instance *in = calloc(1, sizeof(*in));

	if (!in)
		oom_raise();
	in->plan = p;
	arena_init(&in->arena);
	return instance_init_or_free(in, dims) ? in : NULL;
}

/* ---- what is made of weights once ------------------------------------ */

static bool reserve_kept(Instance *in)
{
	const Plan *plan = in->plan->plan;

	if (in->kept || !in->kept_size)
		return true;
	in->kept = tenon_alloc(in->kept_size);
	if (!in->kept)
		return diag_fail(&in->plan->c->ctx, ERR_NOMEM, NULL,
				 "out of memory: %zu bytes for what is made of "
				 "weights",
				 in->kept_size);
	for (size_t i = 0; i < plan->buffers.n; i++)
		if (plan->buffers.p[i].kind == PLAN_KEPT)
			in->fixed[i] = in->kept + in->kept_at[i];
	return true;
}

static size_t once_launches(const Instance *in, Arena *a, Launch *out)
{
	const Plan *plan = in->plan->plan;
	size_t n = 0;

	for (size_t i = 0; i < plan->launches.n; i++) {
		const PlanLaunch *l = &plan->launches.p[i];
		if (!l->once)
			continue;
		void **table = arena_array(a, void *, l->buffers.n + 1);
		for (size_t j = 0; j < l->buffers.n; j++)
			table[j] = in->fixed[l->buffers.p[j]];
		out[n] = in->launches[i];
		out[n++].buffers = table;
	}
	return n;
}

static bool run_once(Instance *in, int threads, TnStatus *st)
{
	Arena *a = &in->plan->c->ctx.scratch;
	Launch *l = arena_array(a, Launch, in->plan->plan->launches.n + 1);
	size_t n = once_launches(in, a, l);

	if (n == 0)
		return true;
	if (!launch_prepare(&in->once, a, l, n, in->dims, threads))
		return diag_fail(&in->plan->c->ctx, ERR_NOMEM, NULL,
				 "out of memory: scratch of a kernel");
	return launch_run(&in->once, st);
}

bool instance_fill(Instance *in, int threads, TnStatus *st)
{
	*st = (TnStatus){0};
	if (in->filled)
		return true;
	if (in->plan->gpu) {
		in->filled = gpu_instance_fill(in, st);
		return in->filled;
	}
	if (!reserve_kept(in))
		return false;
	/* a fault leaves it unfilled, so that each run reports it */
	in->filled = run_once(in, threads, st);
	launch_release(&in->once);
	return in->filled;
}

bool instance_is(const Instance *in, const int64_t *dims)
{
	size_t n = in->plan->program->p->ex.dims.n;

	return !memcmp(in->dims, dims, n * sizeof(*dims));
}

Instance *instance_take(TenonPlan *p, const int64_t *dims)
{
	Instance *in = p->instances;

	while (in && !instance_is(in, dims))
		in = in->next;
	if (!in) {
		in = instance_new(p, dims);
		if (!in)
			return NULL;
		in->next = p->instances;
		p->instances = in;
	}
	in->users++;
	return in;
}

void instance_drop(Instance *in)
{
	Instance **at;

	if (!in || --in->users)
		return;
	at = &in->plan->instances;
	while (*at != in)
		at = &(*at)->next;
	*at = in->next;
	instance_free(in);
}
