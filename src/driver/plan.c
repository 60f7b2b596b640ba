/*
 * plan: compile, resume from a stage's text, save, load, dump.
 */
#include "driver/driver.h"

#include "runtime/nvrtc.h"
#include "runtime/product.h"
#include "emit/emit.h"

#include <stdlib.h>
#include <string.h>

TenonPlan *plan_new(TenonContext *c)
{
	TenonPlan *p = calloc(1, sizeof(*p));

	if (!p)
		oom_raise();
	p->c = c;
	arena_init(&p->arena);
	c->new_plan = p;
	return p;
}

void tenon_plan_free(TenonPlan *p)
{
	if (!p)
		return;
	call_free(p->call);
	gpu_unload(p);
	if (p->code)
		code_unload(p->code, p->ncode);
	tenon_program_free(p->owned);
	arena_release(&p->arena);
	free(p);
}

/* ---- units --------------------------------------------------------- */

/* A DOT whose unit the target lacks; NULL: none. */
static const Stmt *missing_unit(const StmtList *l, const Target *t)
{
	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i], *in;
		size_t u = 0;
		while (s->kind == ST_DOT && u < t->nunits &&
		       t->units[u] != s->dot->unit)
			u++;
		if (s->kind == ST_DOT && u == t->nunits)
			return s;
		in = missing_unit(&s->body, t);
		if (!in)
			in = missing_unit(&s->orelse, t);
		if (in)
			return in;
	}
	return NULL;
}

/* Threads that a GPU through OpenCL has too. */
static bool foreign_fits(TenonPlan *p, const Kernel *k, const Target *t)
{
	return !kernel_foreign(k) || !t->threads || t->cuda ||
	       diag_fail(&p->c->ctx, ERR_ENV, "use a target of CUDA",
			 "kernel %s is a user's kernel of CUDA, which %s does "
			 "not run",
			 k->name, t->name);
}

static bool call_fits(TenonPlan *p, const KCall *c, const Target *t)
{
	bool gpu = c && c->library == LIBRARY_CUBLASLT;

	return !c || (gpu ? t->cuda : !t->threads) ||
	       diag_fail(&p->c->ctx, ERR_ENV,
			 gpu ? "use a target of CUDA" : "use a target of CPUs",
			 "a kernel is a call of %s, which %s has not",
			 library_info[c->library].title, t->name);
}

/* Kernels that were read from text may ask for what the target lacks. */
bool plan_units_fit(TenonPlan *p, const Kernels *ks, const Target *t)
{
	for (size_t i = 0; i < ks->kernels.n; i++) {
		const Kernel *k = &ks->kernels.p[i];
		if (!call_fits(p, kernel_call(k), t) || !foreign_fits(p, k, t))
			return false;
		bool threads = k->phases.p[0].threads > 0;
		if (!kernel_call(k) && threads != (t->threads > 0))
			return diag_fail(&p->c->ctx, ERR_ENV,
					 "use a target of the kind that the "
					 "kernels were made for",
					 "kernel %s is %s, and the target is "
					 "%s",
					 k->name,
					 threads ? "for blocks of threads"
						 : "for a CPU",
					 t->name);
		for (size_t j = 0; j < k->phases.n; j++) {
			const Stmt *s = missing_unit(&k->phases.p[j].body, t);
			if (s)
				return diag_fail(
					&p->c->ctx, ERR_ENV,
					"use a target that has it",
					"kernel %s needs the matrix unit %s, "
					"which %s has not",
					k->name, unit_info[s->dot->unit].name,
					t->name);
		}
	}
	return true;
}

/* ---- stages 2 to 6 --------------------------------------------------- */

/* Libraries are as much of the plan as the compiler. */
static bool add_libraries(TenonPlan *p, const Kernels *ks,
			  const char **compiler)
{
	bool used[LIBRARY_COUNT] = {false};
	const char *version;

	for (size_t i = 0; i < ks->kernels.n; i++) {
		const KCall *c = kernel_call(&ks->kernels.p[i]);
		if (!c || used[c->library])
			continue;
		used[c->library] = true;
		if (!plan_library(p, c->library, &version))
			return false;
		*compiler =
			arena_printf(&p->arena, "%s, %s", *compiler, version);
	}
	return true;
}

/* What compiles for the target, and how. */
bool plan_compiler(TenonPlan *p, const char *target, const Kernels *ks,
		   const char **compiler, const char **flags)
{
	const char *cache = NULL;

	/* an unusable cache folder is told before a compiler is looked for */
	if (!context_cache(p->c, &cache))
		return false;
	if (!p->isa)
		return gpu_compiler(p->c, &p->arena, target, compiler, flags) &&
		       add_libraries(p, ks, compiler);
	if (!compiler_find(&p->c->ctx, &p->arena, p->c->compiler, &p->cc))
		return false;
	*compiler = p->cc.version;
	*flags = code_flags(&p->arena, &p->cc, p->isa);
	return add_libraries(p, ks, compiler);
}

/* Whether a plan that is emitted only can be compiled too: for CUDA, by NVRTC.
 * Where it cannot a notice says why. */
static bool can_build(TenonPlan *p, const char *target, const Kernels *ks)
{
	Nvrtc nvrtc;

	if (p->isa || target_device(target) != DEVICE_CUDA)
		return false;
	if (kernels_call(ks)) {
		api_notice(p->c, "nothing is compiled: products are "
				 "cuBLASLt's, which needs a device");
		return false;
	}
	if (nvrtc_find(&p->c->ctx, &nvrtc))
		return true;
	ctx_clear_errors(&p->c->ctx); /* only --emit-only does without */
	api_notice(p->c, "nothing is compiled: NVRTC is not found");
	return false;
}

static bool finish(TenonPlan *p, Pipeline *pl, const Target *target,
		   const TenonPlanOptions *o)
{
	bool emit_only = o && o->emit_only, build = false;

	p->regions = pl->regions;
	p->rewritten = pl->rewritten;
	p->kernels = pl->kernels;
	p->log = pl->log;
	if (pl->stopped && !pl->sources)
		return true;
	const char *compiler = "", *flags = "";
	if (emit_only && o->build)
		build = can_build(p, target->name, pl->kernels);
	if ((!emit_only || build) &&
	    !plan_compiler(p, target->name, pl->kernels, &compiler, &flags))
		return false;
	Plan *plan =
		plan_build(&p->arena, p->program->p, pl->kernels, target->name);
	for (size_t i = 0; i < pl->kernels->kernels.n; i++)
		VEC_PUSH(&p->arena, plan->sources, pl->sources[i]);
	plan->compiler = compiler;
	plan->flags = flags;
	for (size_t i = 0; i < pl->nregion_pins; i++)
		VEC_PUSH(&p->arena, plan->pins, pl->region_pins[i].text);
	for (size_t i = 0; i < pl->npins; i++)
		if (pin_shapes_regions(&pl->pins[i]))
			VEC_PUSH(&p->arena, plan->pins, pl->pins[i].text);
	p->plan = plan;
	if (pl->later)
		return true;
	return build ? gpu_build(p) : emit_only || plan_load_code(p);
}

bool plan_compile(TenonPlan *p, Pipeline *pl, Stage from,
		  const TenonPlanOptions *o)
{
	double t0 = clock_seconds();
	bool emit_only = o && o->emit_only;
	Target *target = arena_new(&p->arena, Target);

	pl->c = p->c;
	pl->arena = &p->arena;
	pl->target = target;
	if (o) {
		pl->skip = o->skip;
		pl->stop_after = o->stop_after;
		if (o->nexternals &&
		    !pipeline_externals(pl, o->externals, o->nexternals))
			return false;
		if (!pipeline_pins(pl, o->pins, o->npins))
			return false;
	}
	if (!target_find(p->c, &p->arena, o ? o->target : NULL, !emit_only,
			 target, &p->isa))
		return false;
	target->externals = pl->externals;
	target->nexternals = pl->nexternals;
	if (pl->kernels && !plan_units_fit(p, pl->kernels, target))
		return false;
	if (!pipeline_run(pl, from))
		return false;
	p->plan_ms = (clock_seconds() - t0) * 1e3;
	return finish(p, pl, target, o);
}

TenonError tenon_compile(TenonContext *c, TenonProgram *program,
			 const TenonPlanOptions *o, TenonPlan **out)
{
	*out = NULL;
	API_ENTER(c);
	arena_clear(&c->ctx.scratch);
	TenonPlan *p = plan_new(c);
	Pipeline pl = {.program = program->p};
	p->program = program;
	bool ok = plan_compile(p, &pl, STAGE_PROGRAM, o);
	if (ok)
		*out = p;
	else
		tenon_plan_free(p);
	return API_LEAVE(c, ok);
}

TenonPlan *plan_of_rewritten(TenonProgram *program, const Program *rewritten,
			     const TenonPlanOptions *o)
{
	TenonPlan *p = plan_new(program->c);
	Pipeline pl = {.program = program->p, .rewritten = rewritten};

	p->program = program;
	if (plan_compile(p, &pl, STAGE_REWRITTEN, o))
		return p;
	tenon_plan_free(p);
	return NULL;
}

/* ---- resuming -------------------------------------------------------- */

static bool read_stage(TenonPlan *p, Pipeline *pl, Stage stage, uint32_t source)
{
	Ctx *ctx = &p->c->ctx;
	Program *read = NULL;

	switch (stage) {
	case STAGE_PROGRAM:
		pl->program = read = program_parse(ctx, &p->arena, source);
		break;
	case STAGE_REWRITTEN:
		pl->rewritten = read = program_parse(ctx, &p->arena, source);
		break;
	case STAGE_REGIONS:
		pl->regions = regions_parse(ctx, &p->arena, source);
		if (pl->regions)
			read = (Program *)pl->regions->program;
		pl->rewritten = read;
		break;
	case STAGE_KERNELS:
		pl->kernels = kernels_parse(ctx, &p->arena, source);
		if (pl->kernels)
			read = pl->kernels->program;
		pl->rewritten = read;
		break;
	case STAGE_SOURCES:
	case STAGE_PLAN:
	case STAGE_COUNT:
		return api_usage(p->c,
				 "--from=%s: resumes from program, rewritten, "
				 "regions or kernels",
				 stage_name[stage]);
	}
	if (!read)
		return false;
	p->program = program_adopt(p->c, read);
	return true;
}

static bool resume(TenonPlan *p, const char *stage, const char *path,
		   const TenonPlanOptions *o)
{
	Ctx *ctx = &p->c->ctx;
	Pipeline pl = {0};
	Stage from;
	char *text;
	size_t len;

	if (!stage_parse(stage, &from))
		return api_usage(p->c, "--from=%s: no such stage", stage);
	if (!file_read(ctx, &p->arena, path, &text, &len))
		return false;
	return read_stage(p, &pl, from, ctx_add_source(ctx, path, text, len)) &&
	       plan_compile(p, &pl, from, o);
}

TenonError tenon_resume(TenonContext *c, const char *stage, const char *path,
			const TenonPlanOptions *o, TenonProgram **program,
			TenonPlan **out)
{
	*out = NULL;
	*program = NULL;
	API_ENTER(c);
	arena_clear(&c->ctx.scratch);
	TenonPlan *p = plan_new(c);
	bool ok = resume(p, stage, path, o);
	if (ok) {
		*program = p->program;
		*out = p;
	} else {
		TenonProgram *made = p->program;
		tenon_plan_free(p);
		tenon_program_free(made);
	}
	return API_LEAVE(c, ok);
}

/* ---- dumps and facts ------------------------------------------------- */

static bool dump(TenonPlan *p, Stage stage, Buf *b)
{
	const Plan *plan = p->plan;

	switch (stage) {
	case STAGE_PROGRAM:
		program_print(p->program->p, b);
		return true;
	case STAGE_REWRITTEN:
		if (p->rewritten)
			program_print(p->rewritten, b);
		return p->rewritten != NULL;
	case STAGE_REGIONS:
		if (p->regions)
			regions_print(p->regions, b);
		return p->regions != NULL;
	case STAGE_KERNELS:
		if (p->kernels)
			kernels_print(p->kernels, b);
		return p->kernels != NULL;
	case STAGE_SOURCES:
		for (size_t i = 0; plan && i < plan->sources.n; i++)
			buf_puts(b, plan->sources.p[i]);
		return plan != NULL;
	case STAGE_PLAN:
		if (plan)
			buf_puts(b, plan_json(p->plan));
		return plan != NULL;
	case STAGE_COUNT:
		break;
	}
	return false;
}

TenonError tenon_plan_dump(TenonPlan *p, const char *stage, TenonWriter *w,
			   void *arg)
{
	Stage s;
	Buf b;

	API_ENTER(p->c);
	buf_init(&b, &p->arena);
	if (!strcmp(stage, "alternatives")) {
		bool found = variants_dump(p, &b);
		if (found)
			w(arg, buf_str(&b), b.n);
		return API_LEAVE(p->c, found);
	}
	bool ok = stage_parse(stage, &s) ||
		  diag_fail(&p->c->ctx, ERR_USAGE,
			    "stages: program, rewritten, alternatives, "
			    "regions, kernels, sources, plan",
			    "--dump=%s: no such stage", stage);
	if (ok && !dump(p, s, &b))
		ok = api_usage(p->c, "--dump=%s: this run has no such stage",
			       stage);
	if (ok)
		w(arg, buf_str(&b), b.n);
	return API_LEAVE(p->c, ok);
}

static const char *identity_of(TenonPlan *p)
{
	OomTrap trap;

	if (OOM_TRAP(&trap)) {
		p->c->out_of_memory = true;
		return "";
	}
	const char *id = plan_identity(p->plan);
	oom_trap_pop(&trap);
	return id;
}

void tenon_plan_info(TenonPlan *p, TenonPlanInfo *out)
{
	const Plan *plan = p->plan;
	int64_t bytes = 0, n;

	*out = (TenonPlanInfo){.identity = "",
			       .target = "",
			       .compiler = "",
			       .front_ms = p->program->front_ms,
			       .plan_ms = p->plan_ms,
			       .compile_ms = p->compile_ms,
			       .cached = p->cached};
	if (!plan)
		return;
	out->identity = identity_of(p);
	out->kernels = (int)plan->kernels->kernels.n;
	out->launches = (int)plan->launches.n;
	out->target = plan->target;
	out->compiler = plan->compiler;
	for (size_t i = 0; i < plan->slots.n; i++)
		if (ex_eval_checked(&plan->kernels->program->ex,
				    plan->slots.p[i], p->program->dims, NULL,
				    &n))
			bytes += n;
	out->arena_bytes = bytes;
}

const char *tenon_plan_launch_name(const TenonPlan *p, int i)
{
	const Plan *plan = p->plan;
	const PlanLaunch *l = &plan->launches.p[i];
	const Kernel *k = &plan->kernels->kernels.p[l->kernel];
	OomTrap trap;

	if (OOM_TRAP(&trap))
		return k->name;
	const char *name = arena_printf(plan->arena, "%s.%s", k->name,
					k->phases.p[l->phase].name);
	oom_trap_pop(&trap);
	return name;
}
