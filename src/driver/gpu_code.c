/*
 * gpu_code: a plan's sources compiled for a device, and loaded there.
 *
 * What is compiled at once is a unit: a kernel, or a phase of one. CUDA C is
 * compiled where no device is, too; then nothing is loaded.
 */
#include "driver/gpu.h"

#include "emit/emit.h"
#include "ir/kernel_text.h"

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

/* The first line of the program that the statements compute; 0: none. */
static uint32_t line_of(const Program *q, const StmtList *l)
{
	uint32_t line = 0;

	for (size_t i = 0; i < l->n && !line; i++) {
		const Stmt *s = l->p[i];
		const Value *v = s->value != NO_VALUE
					 ? program_value(q, s->value)
					 : NULL;
		if (v && op_info[v->op].cls != OPC_LEAF)
			line = v->loc.line;
		if (!line)
			line = line_of(q, &s->body);
		if (!line)
			line = line_of(q, &s->orelse);
	}
	return line;
}

/* How messages name a kernel: k0_main (line 9). */
static const char *name_of(TenonPlan *p, const Phase *ph, const char *symbol)
{
	uint32_t line = line_of(p->kernels->program, &ph->body);

	return line ? arena_printf(&p->arena, "%s (line %u)", symbol, line)
		    : symbol;
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
		if (plan_call(plan, i)) {
			g->kernels[i].name = plan_symbol(&p->arena, plan, l);
			continue;
		}
		(void)ex_is_const(&plan->kernels->program->ex, l->scratch,
				  &shared);
		if (!device_kernel(&p->c->ctx, &p->arena, g->device,
				   &g->code[g->code_of[i]],
				   plan_symbol(&p->arena, plan, l),
				   (size_t)shared, &g->kernels[i]))
			return false;
		g->kernels[i].name =
			name_of(p, &k->phases.p[l->phase], g->kernels[i].name);
		g->faults |= may_fault(&k->phases.p[l->phase].body);
	}
	return true;
}

static size_t add_code(GpuPlan *g, const char *name, const char *text)
{
	g->code[g->ncode] = (DeviceCode){.name = name, .text = text};
	return g->ncode++;
}

/*
 * What is compiled by itself: each kernel, or in CUDA C, where there is only
 * one, each of its phases, so that all CPUs have something to compile. Those
 * that are prepared for, which take longest, come first.
 */
static void list_code(TenonPlan *p, GpuPlan *g)
{
	const Plan *plan = p->plan;
	const Kernel *k = plan->kernels->kernels.p;
	size_t n = plan->sources.n, first = n == 1 ? k->phases.n : 0;
	size_t *of = arena_array(&p->arena, size_t, n + first + 1);
	bool phases = first > 1 && target_device(plan->target) == DEVICE_CUDA;

	g->code = arena_array(&p->arena, DeviceCode, n + first + 1);
	g->code_of = arena_array(&p->arena, size_t, plan->launches.n + 1);
	for (size_t i = first; phases && i-- > 0;)
		of[i] = add_code(g, k->name,
				 arena_printf(&p->arena,
					      "#define TN_PHASE %zu\n%s", i,
					      plan->sources.p[0]));
	for (size_t i = 0; !phases && i < n; i++)
		if (!kernel_call(&k[i]))
			of[i] = add_code(g, k[i].name, plan->sources.p[i]);
	for (size_t i = 0; i < plan->launches.n; i++) {
		const PlanLaunch *l = &plan->launches.p[i];
		g->code_of[i] = of[phases ? l->phase : l->kernel];
	}
}

/* What was compiled, since t0. */
static void note_code(TenonPlan *p, const GpuPlan *g, double t0)
{
	const Plan *plan = p->plan;

	p->compile_ms = (clock_seconds() - t0) * 1e3;
	p->cached = true;
	for (size_t i = 0; i < g->ncode; i++)
		p->cached &= g->code[i].cached;
	if (target_device(plan->target) != DEVICE_CUDA)
		return;
	p->built = arena_array(&p->arena, const DeviceCode *,
			       plan->launches.n + 1);
	for (size_t i = 0; i < plan->launches.n; i++)
		if (!plan_call(plan, i))
			p->built[i] = &g->code[g->code_of[i]];
}

/*
 * Whether users' sources have what they are to have: a kernel of the right name
 * and other parameters is another one to C++, unless it is `extern "C"`.
 */
static bool find_foreign(TenonPlan *p, const GpuPlan *g)
{
	const Plan *plan = p->plan;

	for (size_t i = 0; i < plan->launches.n; i++) {
		const Kernel *k =
			&plan->kernels->kernels.p[plan->launches.p[i].kernel];
		const KForeign *f = kernel_foreign(k);
		if (f && !cubin_kernel(g->code[g->code_of[i]].facts, f->symbol))
			return diag_fail(&p->c->ctx, ERR_ENV,
					 emit_prototype(&p->arena, k),
					 "%s: it defines no kernel `%s` "
					 "(`symbol`) that is extern \"C\" and "
					 "has these `arguments`",
					 f->file, f->symbol);
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

	if (!context_device(p->c, plan->target, &g->device) ||
	    !context_cache(p->c, &cache))
		return false;
	if (kind == DEVICE_CUDA && !device_runs(g->device, arch))
		return diag_fail(&p->c->ctx, ERR_ENV,
				 "use --emit-only to see its code, or the "
				 "device's own --target",
				 "target %s: this device, %s, is %s",
				 plan->target, device_name(g->device),
				 device_arch(g->device));
	list_code(p, g);
	p->c->ctx.threads = context_threads(p->c);
	if (!device_load(&p->c->ctx, &p->arena, g->device, arch, cache, g->code,
			 g->ncode))
		return false;
	p->gpu = g;
	note_code(p, g, t0);
	return find_foreign(p, g) && find_kernels(p);
}

bool gpu_build(TenonPlan *p)
{
	GpuPlan g = {0};
	const char *cache;
	double t0 = clock_seconds();

	if (!context_cache(p->c, &cache))
		return false;
	list_code(p, &g);
	p->c->ctx.threads = context_threads(p->c);
	if (!device_build(&p->c->ctx, &p->arena, target_arch(p->plan->target),
			  cache, g.code, g.ncode))
		return false;
	note_code(p, &g, t0);
	return find_foreign(p, &g);
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
