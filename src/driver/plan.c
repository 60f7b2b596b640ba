/*
 * plan: compile, resume from a stage's text, save, load, dump.
 */
#include "driver/driver.h"

#include "runtime/nvrtc.h"
#include "runtime/product.h"
#include "emit/emit.h"

#include <stdlib.h>
#include <string.h>

static TenonPlan *plan_new(TenonContext *c)
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
static bool units_fit(TenonPlan *p, const Kernels *ks, const Target *t)
{
	for (size_t i = 0; i < ks->kernels.n; i++) {
		const Kernel *k = &ks->kernels.p[i];
		if (!call_fits(p, kernel_call(k), t))
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
static bool load_code(TenonPlan *p)
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
static bool find_compiler(TenonPlan *p, const char *target, const Kernels *ks,
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
	    !find_compiler(p, target->name, pl->kernels, &compiler, &flags))
		return false;
	Plan *plan =
		plan_build(&p->arena, p->program->p, pl->kernels, target->name);
	for (size_t i = 0; i < pl->kernels->kernels.n; i++)
		VEC_PUSH(&p->arena, plan->sources, pl->sources[i]);
	plan->compiler = compiler;
	plan->flags = flags;
	p->plan = plan;
	return build ? gpu_build(p) : emit_only || load_code(p);
}

static bool compile_from(TenonPlan *p, Pipeline *pl, Stage from,
			 const TenonPlanOptions *o)
{
	double t0 = clock_seconds();
	bool emit_only = o && o->emit_only;
	Target target;

	pl->c = p->c;
	pl->arena = &p->arena;
	pl->target = &target;
	if (o) {
		pl->skip = o->skip;
		pl->stop_after = o->stop_after;
		if (!pipeline_externals(pl, o->externals, o->nexternals))
			return false;
		if (!pipeline_pins(pl, o->pins, o->npins))
			return false;
	}
	if (!target_find(p->c, &p->arena, o ? o->target : NULL, !emit_only,
			 &target, &p->isa))
		return false;
	target.externals = pl->externals;
	target.nexternals = pl->nexternals;
	if (pl->kernels && !units_fit(p, pl->kernels, &target))
		return false;
	if (!pipeline_run(pl, from))
		return false;
	p->plan_ms = (clock_seconds() - t0) * 1e3;
	return finish(p, pl, &target, o);
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
	bool ok = compile_from(p, &pl, STAGE_PROGRAM, o);
	if (ok)
		*out = p;
	else
		tenon_plan_free(p);
	return API_LEAVE(c, ok);
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
	       compile_from(p, &pl, from, o);
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

/* ---- saved plans ----------------------------------------------------- */

TenonError tenon_plan_save(TenonPlan *p, const char *path)
{
	API_ENTER(p->c);
	bool ok = p->code || p->gpu || p->built ||
		  api_usage(p->c, "only a compiled plan is saved");
	if (ok) {
		const char *text = plan_json(p->plan);
		ok = file_write_atomic(&p->c->ctx, path, text, strlen(text));
	}
	return API_LEAVE(p->c, ok);
}

static bool refuse_plan(TenonPlan *p, const char *path, const char *fmt, ...)
	TN_PRINTF(3, 4);
static bool refuse_plan(TenonPlan *p, const char *path, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	const char *text = arena_vprintf(&p->arena, fmt, ap);
	va_end(ap);
	return diag_fail(&p->c->ctx, ERR_PROGRAM,
			 "a plan runs exactly as it was written, or not at all",
			 "%s: %s", path, text);
}

/* The first line in which two texts differ. */
static bool same_text(TenonPlan *p, const char *path, const char *part,
		      const char *file, const char *made)
{
	int line = 1;

	while (*file && *file == *made) {
		line += *file == '\n';
		file++;
		made++;
	}
	if (*file == *made)
		return true;
	return refuse_plan(p, path,
			   "%s is not what this version makes of it: "
			   "line %d, `%.*s` in the file, `%.*s` made anew",
			   part, line, (int)strcspn(file, "\n"), file,
			   (int)strcspn(made, "\n"), made);
}

/* Whether two programs' values are bound to the same memory. */
static bool same_type(ExprTab *t, const Program *p, ValueId a, const Program *q,
		      ValueId b)
{
	const Value *x = program_value(p, a), *y = program_value(q, b);
	ExFacts none = {0};

	if (x->dtype != y->dtype || x->rank != y->rank)
		return false;
	for (int d = 0; d < x->rank; d++) {
		Ex e = ex_copy(t, &p->ex, x->shape[d]);
		Ex f = ex_copy(t, &q->ex, y->shape[d]);
		if (e != f && (!ex_prove_nonneg(t, &none, ex_sub(t, e, f)) ||
			       !ex_prove_nonneg(t, &none, ex_sub(t, f, e))))
			return false;
	}
	return true;
}

/* Kernels run on the tensors and sizes of the program that they are for. */
static bool same_interface(Arena *a, const Program *p, const Program *q)
{
	ExprTab t;

	if (p->ex.dims.n != q->ex.dims.n || p->inputs.n != q->inputs.n ||
	    p->results.n != q->results.n)
		return false;
	for (size_t i = 0; i < p->ex.dims.n; i++) {
		const ExDim *d = &p->ex.dims.p[i], *e = &q->ex.dims.p[i];
		if (strcmp(d->name, e->name) || d->lo != e->lo ||
		    d->hi != e->hi)
			return false;
	}
	expr_init(&t, a);
	for (size_t i = 0; i < p->inputs.n; i++)
		if (!same_type(&t, p, p->inputs.p[i], q, q->inputs.p[i]))
			return false;
	for (size_t i = 0; i < p->results.n; i++)
		if (!same_type(&t, p, p->results.p[i].value, q,
			       q->results.p[i].value))
			return false;
	return true;
}

/* Kernels, sources and memory plan made anew from the file's parts must be
 * the file, byte for byte. */
static bool rebuild(TenonPlan *p, const char *path, const char *text,
		    const PlanParts *parts)
{
	Ctx *ctx = &p->c->ctx;
	Program *source = program_parse(
		ctx, &p->arena,
		ctx_add_source(ctx, arena_printf(&p->arena, "%s#program", path),
			       parts->program, strlen(parts->program)));
	if (!source)
		return false;
	Kernels *ks = kernels_parse(
		ctx, &p->arena,
		ctx_add_source(ctx, arena_printf(&p->arena, "%s#kernels", path),
			       parts->kernels, strlen(parts->kernels)));
	if (!ks)
		return false;
	if (parts->sources.n != ks->kernels.n)
		return refuse_plan(p, path, "%zu sources for %zu kernels",
				   parts->sources.n, ks->kernels.n);
	if (!same_interface(&p->arena, source, ks->program))
		return refuse_plan(p, path,
				   "the kernels' inputs, results and dims are "
				   "not the program's");
	p->program = program_adopt(p->c, source);
	p->rewritten = ks->program;
	p->kernels = ks;
	p->plan = plan_build(&p->arena, p->program->p, ks, parts->target);
	if (!plan_use_accumulators(p->plan, parts->acc.p, parts->acc.n))
		return refuse_plan(p, path,
				   "the accumulators it records are not those "
				   "of its kernels");
	p->plan->compiler = parts->compiler;
	p->plan->flags = parts->flags;
	for (size_t i = 0; i < ks->kernels.n; i++) {
		const char *made = target_emit(&p->arena, parts->target, ks,
					       &ks->kernels.p[i]);
		if (!same_text(p, path,
			       arena_printf(&p->arena, "source %zu", i),
			       parts->sources.p[i], made))
			return false;
		VEC_PUSH(&p->arena, p->plan->sources, parts->sources.p[i]);
	}
	return same_text(p, path, "the file", text, plan_json(p->plan));
}

/* Code that no law of ours holds for is told, wherever it was read from. */
static void tell_foreign(TenonPlan *p, const char *path, const Kernels *ks)
{
	for (size_t i = 0; i < ks->kernels.n; i++) {
		const KForeign *f = kernel_foreign(&ks->kernels.p[i]);
		if (f)
			api_notice(p->c,
				   "%s: kernel %s is %s of %s, a user's code "
				   "whose stores are not proved in bounds",
				   path, ks->kernels.p[i].name, f->symbol,
				   f->file);
	}
}

static bool load_plan(TenonPlan *p, const char *path)
{
	PlanParts parts = {0};
	const char *compiler, *flags;
	Target target;
	char *text;
	size_t len;

	if (!file_read(&p->c->ctx, &p->arena, path, &text, &len) ||
	    !plan_parts(&p->c->ctx, &p->arena, path, text, len, &parts))
		return false;
	if (!rebuild(p, path, text, &parts) ||
	    !target_find(p->c, &p->arena, parts.target, true, &target,
			 &p->isa) ||
	    !units_fit(p, p->kernels, &target) ||
	    !find_compiler(p, target.name, p->kernels, &compiler, &flags))
		return false;
	tell_foreign(p, path, p->kernels);
	if (strcmp(compiler, parts.compiler))
		return refuse_plan(p, path,
				   "compiled by `%s`; this machine's compiler "
				   "is `%s`",
				   parts.compiler, compiler);
	if (strcmp(flags, parts.flags))
		return refuse_plan(p, path,
				   "compiled with flags `%s`; this version "
				   "uses `%s`",
				   parts.flags, flags);
	return load_code(p);
}

TenonError tenon_plan_load(TenonContext *c, const char *path,
			   TenonProgram **program, TenonPlan **out)
{
	*out = NULL;
	*program = NULL;
	API_ENTER(c);
	arena_clear(&c->ctx.scratch);
	TenonPlan *p = plan_new(c);
	bool ok = load_plan(p, path);
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
	bool ok = stage_parse(stage, &s) ||
		  diag_fail(&p->c->ctx, ERR_USAGE,
			    "stages: program, rewritten, regions, kernels, "
			    "sources, plan",
			    "--dump=%s: no such stage", stage);
	buf_init(&b, &p->arena);
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
