/*
 * saved: plans in files. A plan is loaded as it was written, or refused.
 */
#include "driver/driver.h"

#include <string.h>

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
	for (size_t i = 0; i < parts->pins.n; i++)
		VEC_PUSH(&p->arena, p->plan->pins, parts->pins.p[i]);
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

static bool load_text(TenonPlan *p, const char *path, const char *text,
		      size_t len)
{
	PlanParts parts = {0};
	const char *compiler, *flags;
	Target target;

	if (!plan_parts(&p->c->ctx, &p->arena, path, text, len, false, &parts))
		return false;
	if (!rebuild(p, path, text, &parts) ||
	    !target_find(p->c, &p->arena, parts.target, true, &target,
			 &p->isa) ||
	    !plan_units_fit(p, p->kernels, &target) ||
	    !plan_compiler(p, target.name, p->kernels, &compiler, &flags))
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
	return plan_load_code(p);
}

static bool load_plan(TenonPlan *p, const char *path)
{
	char *text;
	size_t len;

	return file_read(&p->c->ctx, &p->arena, path, &text, &len) &&
	       load_text(p, path, text, len);
}

/* The plan and its program are the caller's, or neither is there. */
static void plan_give(TenonPlan *p, bool ok, TenonProgram **program,
		      TenonPlan **out)
{
	if (ok) {
		*program = p->program;
		*out = p;
		return;
	}
	TenonProgram *made = p->program;
	tenon_plan_free(p);
	tenon_program_free(made);
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
	plan_give(p, ok, program, out);
	return API_LEAVE(c, ok);
}

bool plan_read(TenonContext *c, const char *name, const char *text, size_t len,
	       TenonPlan **out)
{
	TenonPlan *p = plan_new(c);
	TenonProgram *program = NULL;

	*out = NULL;
	plan_give(p, load_text(p, name, text, len), &program, out);
	if (*out)
		(*out)->owned = program;
	return *out != NULL;
}

/* Names of files and places in them are no part of what is computed. */
static bool same_program(TenonPlan *p, const char *path, const Program *want)
{
	Buf mine, file;

	buf_init(&mine, &p->arena);
	buf_init(&file, &p->arena);
	program_print_plain(want, &mine);
	program_print_plain(p->program->p, &file);
	const char *a = buf_str(&mine), *b = buf_str(&file);
	while (*a || *b) {
		size_t n = strcspn(a, "\n"), k = strcspn(b, "\n");
		if (n != k || strncmp(a, b, n) != 0)
			return refuse_plan(p, path,
					   "it is for another program: `%.*s` "
					   "in the plan, `%.*s` here",
					   (int)k, b, (int)n, a);
		a += n + (a[n] == '\n');
		b += k + (b[k] == '\n');
	}
	return true;
}

TenonError tenon_plan_load_for(TenonProgram *program, const char *path,
			       TenonPlan **out)
{
	TenonContext *c = program->c;
	TenonProgram *own = NULL;

	*out = NULL;
	API_ENTER(c);
	arena_clear(&c->ctx.scratch);
	TenonPlan *p = plan_new(c);
	bool ok = load_plan(p, path) && same_program(p, path, program->p);
	plan_give(p, ok, &own, out);
	if (ok) {
		p->owned = own;
		memcpy(own->dims, program->dims,
		       program->p->ex.dims.n * sizeof(int64_t));
	}
	return API_LEAVE(c, ok);
}

/* ---- edited plans ---------------------------------------------------- */

/* Stage 2 made anew, which must be the file's. */
static bool same_stage2(TenonPlan *p, const char *path, const Kernels *ks,
			Pipeline *pl)
{
	Buf made, file;

	pl->stop_after = "dead";
	if (!pipeline_run(pl, STAGE_PROGRAM))
		return false;
	pl->stop_after = NULL;
	buf_init(&made, &p->arena);
	buf_init(&file, &p->arena);
	program_print(pl->rewritten, &made);
	program_print(ks->program, &file);
	if (!strcmp(buf_str(&made), buf_str(&file)))
		return true;
	const Program *other = variants_program(p->program, pl->rewritten,
						&p->arena, buf_str(&file));
	if (!other)
		return refuse_plan(p, path,
				   "the program of its kernels is none that "
				   "this version makes of its program");
	pl->rewritten = other;
	return true;
}

/* What --external calls a tensor of a kernel. */
static ExternalTensor tensor_of(Arena *a, const Program *p, const KBuffer *b)
{
	ExternalTensor t = {.dtype = b->dtype, .rank = b->rank};

	for (size_t i = 0; i < p->results.n && !t.name; i++)
		if (p->results.p[i].value == b->value)
			t.name = p->results.p[i].name;
	if (!t.name)
		t.name = program_value(p, b->value)->name;
	if (!t.name)
		t.name = ""; /* which nothing is called */
	for (int d = 0; d < b->rank; d++) {
		Buf text;
		buf_init(&text, a);
		ex_print(&text, &p->ex, b->shape[d]);
		t.shape[d] = buf_str(&text);
	}
	return t;
}

/* A signature as the kernel has it. */
static External external_of(Arena *a, const char *path, const Kernels *ks,
			    const Kernel *k)
{
	const Program *p = ks->program;
	const KForeign *f = kernel_foreign(k);
	External x = {.path = path,
		      .name = f->name,
		      .file = f->file,
		      .symbol = f->symbol,
		      .text = f->text,
		      .threads = k->phases.p[0].threads,
		      .shared = f->shared};
	Buf tasks;

	for (size_t i = 0; i < f->args.n; i++) {
		const KArg *arg = &f->args.p[i];
		const char *name = EXTERNAL_TASK;
		if (arg->kind == KARG_DIM)
			name = p->ex.dims.p[arg->n].name;
		if (arg->kind == KARG_BUFFER) {
			const KBuffer *b = &k->buffers.p[arg->n];
			ExternalTensor t = tensor_of(a, p, b);
			name = t.name;
			if (b->scope == SCOPE_IN)
				VEC_PUSH(a, x.inputs, t);
			else
				VEC_PUSH(a, x.results, t);
		}
		VEC_PUSH(a, x.args, name);
	}
	buf_init(&tasks, a);
	ex_print(&tasks, &p->ex, f->tasks);
	x.tasks = buf_str(&tasks);
	return x;
}

/* The users' kernels that the plan has, each under its number. */
static bool externals_of(TenonPlan *p, const char *path, const Kernels *ks,
			 Pipeline *pl)
{
	pl->externals = arena_array(&p->arena, External, MAX_DOMAIN);
	for (size_t i = 0; i < ks->kernels.n; i++) {
		const Kernel *k = &ks->kernels.p[i];
		int64_t n = k->params.n ? k->params.p[0].value : -1;
		if (!kernel_foreign(k))
			continue;
		if (n < 0 || n >= MAX_DOMAIN || pl->externals[n].text)
			return refuse_plan(p, path,
					   "kernel %s is a user's, and has no "
					   "number of its own",
					   k->name);
		pl->externals[n] = external_of(&p->arena, path, ks, k);
		if ((size_t)n >= pl->nexternals)
			pl->nexternals = (size_t)n + 1;
	}
	return true;
}

static bool chosen_of(TenonPlan *p, const char *path, const PlanParts *parts,
		      const Target *t, Pipeline *pl)
{
	Chosen *c = arena_array(&p->arena, Chosen, parts->chosen.n + 1);

	for (size_t i = 0; i < parts->chosen.n; i++)
		if (!chosen_parse(t, parts->chosen.p[i], &c[i]))
			return refuse_plan(p, path,
					   "choices, kernel %zu: `%s` is no "
					   "realisation with its parameters",
					   i, parts->chosen.p[i]);
	pl->chosen = c;
	pl->nchosen = parts->chosen.n;
	return true;
}

/* The plan of what the pipeline was given, for a target; not loaded. */
static bool adopt_for(TenonPlan *p, const Pipeline *given, const char *target,
		      const PlanParts *parts)
{
	Pipeline pl = *given;
	TenonPlanOptions o = {.target = target,
			      .pins = parts->pins.p,
			      .npins = parts->pins.n};

	pl.later = true;
	return plan_compile(p, &pl, STAGE_REWRITTEN, &o);
}

/*
 * A plan for CPUs is made for the sizes of this machine's caches, or for those
 * that are usual, where the target was named (target.c). The file does not say
 * which. Where nothing was edited one of them makes the same plan; else it is
 * this machine that runs it.
 */
static bool adopt_choices(TenonPlan *p, const Pipeline *pl,
			  const PlanParts *parts)
{
	const Isa *host = isa_host();
	bool here = p->isa && host && p->isa == host;

	if (!adopt_for(p, pl, here ? "cpu" : parts->target, parts))
		return false;
	if (!here || !strcmp(plan_identity(p->plan), parts->identity))
		return true;
	if (!adopt_for(p, pl, parts->target, parts)) {
		ctx_clear_errors(&p->c->ctx);
		return adopt_for(p, pl, "cpu", parts);
	}
	return !strcmp(plan_identity(p->plan), parts->identity) ||
	       adopt_for(p, pl, "cpu", parts);
}

/* Whether each kernel has the parameters that the file gives it: a pin of the
 * file's goes before them. */
static bool choices_hold(TenonPlan *p, const char *path, const Pipeline *pl)
{
	for (size_t i = 0; i < pl->nchosen; i++) {
		const Candidate *c = &pl->chosen[i].candidate;
		const Kernel *k = &p->kernels->kernels.p[i];
		for (size_t j = 0; j < c->nparams; j++)
			for (size_t n = 0; n < k->params.n; n++)
				if (!strcmp(k->params.p[n].name,
					    c->params[j].name) &&
				    k->params.p[n].value != c->params[j].value)
					return refuse_plan(
						p, path,
						"choices, kernel %zu: a pin "
						"fixes %s=%lld, and %lld is "
						"chosen",
						i, c->params[j].name,
						(long long)k->params.p[n].value,
						(long long)c->params[j].value);
	}
	return true;
}

static bool adopt(TenonPlan *p, const char *path)
{
	Ctx *ctx = &p->c->ctx;
	PlanParts parts = {0};
	Pipeline pl = {.c = p->c, .arena = &p->arena};
	Target target;
	char *text;
	size_t len;

	if (!file_read(ctx, &p->arena, path, &text, &len) ||
	    !plan_parts(ctx, &p->arena, path, text, len, true, &parts))
		return false;
	Program *source = program_parse(
		ctx, &p->arena,
		ctx_add_source(ctx, arena_printf(&p->arena, "%s#program", path),
			       parts.program, strlen(parts.program)));
	if (!source)
		return false;
	p->program = program_adopt(p->c, source);
	pl.program = p->program->p;
	Kernels *ks = kernels_parse(
		ctx, &p->arena,
		ctx_add_source(ctx, arena_printf(&p->arena, "%s#kernels", path),
			       parts.kernels, strlen(parts.kernels)));
	if (!ks ||
	    !target_find(p->c, &p->arena, parts.target, true, &target,
			 &p->isa) ||
	    !same_stage2(p, path, ks, &pl) || !externals_of(p, path, ks, &pl))
		return false;
	target.externals = pl.externals;
	target.nexternals = pl.nexternals;
	if (!chosen_of(p, path, &parts, &target, &pl))
		return false;
	if (!adopt_choices(p, &pl, &parts) || !choices_hold(p, path, &pl) ||
	    !plan_load_code(p))
		return false;
	tell_foreign(p, path, p->kernels);
	return true;
}

TenonError tenon_plan_adopt(TenonContext *c, const char *path,
			    TenonProgram **program, TenonPlan **out)
{
	*out = NULL;
	*program = NULL;
	API_ENTER(c);
	arena_clear(&c->ctx.scratch);
	TenonPlan *p = plan_new(c);
	bool ok = adopt(p, path);
	plan_give(p, ok, program, out);
	return API_LEAVE(c, ok);
}
