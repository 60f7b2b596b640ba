/*
 * load: a plan's sources compiled and loaded, and those of many plans at once.
 */
#include "driver/driver.h"

#include "runtime/product.h"

#include <string.h>

static TnKernel *find_symbol(const TenonPlan *p, const char *name)
{
	void *found = NULL;

	for (size_t i = 0; i < p->ncode && !found; i++)
		found = code_symbol(&p->code[i], name);
	return __extension__(TnKernel *) found;
}

void plan_use_code(TenonPlan *p, CodeSource *code, size_t ncode)
{
	const Plan *plan = p->plan;
	size_t n = plan->launches.n;

	p->code = code;
	p->ncode = ncode;
	call_free(p->call);
	p->call = NULL;
	if (!p->symbols)
		p->symbols = arena_array(&p->arena, TnKernel *, n + 1);
	for (size_t i = 0; i < n; i++) {
		const PlanLaunch *l = &plan->launches.p[i];
		const char *symbol = plan_symbol(&p->arena, plan, l);
		if (plan_call(plan, i)) {
			p->symbols[i] = product_kernel;
			continue;
		}
		p->symbols[i] = find_symbol(p, symbol);
		if (!p->symbols[i])
			bug("no symbol %s in the compiled code", symbol);
	}
}

/* Statements as the source has them: unrolled loops are written out. */
static int64_t statements(const ExprTab *t, const StmtList *l)
{
	int64_t n = 0, times;

	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		if (s->kind != ST_FOR || s->map != MAP_UNROLL ||
		    !ex_is_const(t, s->extent, &times))
			times = 1;
		n += 1 + times * (statements(t, &s->body) +
				  statements(t, &s->orelse));
	}
	return n;
}

/*
 * What is compiled by itself: each kernel, or where there is only one, each of
 * its phases, the longest first, so that all CPUs have something to compile.
 */
static CodeSource *code_units(TenonPlan *p, size_t *count)
{
	const Plan *plan = p->plan;
	const ExprTab *t = &plan->kernels->program->ex;
	const Kernel *first = plan->kernels->kernels.p;
	size_t n = plan->sources.n;
	bool phases = n == 1 && first->phases.n > 1;

	*count = phases ? first->phases.n : n;
	CodeSource *code = arena_array(&p->arena, CodeSource, *count + 1);
	int64_t *size = arena_array(&p->arena, int64_t, *count + 1);
	for (size_t i = 0; i < *count; i++) {
		CodeSource unit = {.name = first->name};
		size_t at = i;
		if (!phases) {
			code[i].name = first[i].name;
			code[i].text = plan->sources.p[i];
			continue;
		}
		int64_t len = statements(t, &first->phases.p[i].body);
		unit.text = arena_printf(&p->arena, "#define TN_PHASE %zu\n%s",
					 i, plan->sources.p[0]);
		for (; at > 0 && size[at - 1] < len; at--) {
			code[at] = code[at - 1];
			size[at] = size[at - 1];
		}
		code[at] = unit;
		size[at] = len;
	}
	return code;
}

/* Nothing compiles a library's call. */
static size_t drop_calls(const Kernels *ks, CodeSource *code, size_t n)
{
	size_t left = 0;

	if (n != ks->kernels.n)
		return n; /* phases of one kernel, which is none */
	for (size_t i = 0; i < n; i++)
		if (!kernel_call(&ks->kernels.p[i]))
			code[left++] = code[i];
	return left;
}

/* Compiles and loads the sources of a plan. */
bool plan_load_code(TenonPlan *p)
{
	TenonContext *c = p->c;

	if (!p->isa)
		return gpu_load(p);
	size_t n;
	const char *cache;
	double t0 = clock_seconds();

	if (!context_cache(c, &cache))
		return false;
	CodeSource *code = code_units(p, &n);
	n = drop_calls(p->kernels, code, n);
	c->ctx.threads = context_threads(c);
	if (!code_load(&c->ctx, &p->arena, &p->cc, p->isa, cache, code, n))
		return false;
	plan_use_code(p, code, n);
	p->compile_ms = (clock_seconds() - t0) * 1e3;
	p->cached = true;
	for (size_t i = 0; i < n; i++)
		p->cached &= code[i].cached;
	if (!p->cached)
		context_trim(c);
	return true;
}

/* ---- many plans ------------------------------------------------------ */

/* Of the first of those that are loaded one by one; the error of one is its
 * own. */
static const char *load_alone(TenonContext *c, TenonPlan *p)
{
	/* a device that only children open: the code is made, where that needs
	 * no device, and kept in the cache for them */
	bool probed = c->probed.target && !p->isa;
	bool made = probed ? target_device(p->plan->target) != DEVICE_CUDA ||
				     gpu_build(p)
			   : plan_load_code(p);
	if (made)
		return NULL;
	return context_take_error(c, &p->arena);
}

/* Units of all plans, one after the other. */
static CodeSource *all_units(TenonContext *c, TenonPlan *const *plans, size_t n,
			     size_t *of, size_t *count)
{
	CodeSource **parts = arena_array(&c->ctx.scratch, CodeSource *, n + 1);
	size_t at = 0;

	*count = 0;
	for (size_t i = 0; i < n; i++) {
		parts[i] = code_units(plans[i], &of[i]);
		of[i] = drop_calls(plans[i]->kernels, parts[i], of[i]);
		*count += of[i];
	}
	CodeSource *all = arena_array(&c->ctx.scratch, CodeSource, *count + 1);
	for (size_t i = 0; i < n; at += of[i++])
		memcpy(all + at, parts[i], of[i] * sizeof(*all));
	return all;
}

bool plans_load(TenonContext *c, TenonPlan *const *plans, size_t n,
		const char **why)
{
	const char *cache;
	size_t *of = arena_array(&c->ctx.scratch, size_t, n + 1), count, at = 0;

	memset(why, 0, n * sizeof(*why));
	if (n == 0)
		return true;
	if (!plans[0]->isa) {
		for (size_t i = 0; i < n; i++)
			why[i] = load_alone(c, plans[i]);
		return true;
	}
	if (!context_cache(c, &cache))
		return false;
	CodeSource *all = all_units(c, plans, n, of, &count);
	c->ctx.threads = context_threads(c);
	if (!code_load(&c->ctx, &c->ctx.scratch, &plans[0]->cc, plans[0]->isa,
		       cache, all, count)) {
		ctx_clear_errors(&c->ctx); /* whose it is, is found out */
		for (size_t i = 0; i < n; i++)
			why[i] = load_alone(c, plans[i]);
		return true;
	}
	for (size_t i = 0; i < n; at += of[i++]) {
		CodeSource *own =
			arena_array(&plans[i]->arena, CodeSource, of[i] + 1);
		memcpy(own, all + at, of[i] * sizeof(*own));
		plan_use_code(plans[i], own, of[i]);
	}
	context_trim(c);
	return true;
}
