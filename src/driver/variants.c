/*
 * variants: the programs and partitions that a search considers.
 *
 * A variant is made by pins, as a user would give them: what the rule joins is
 * kept apart, one value at a time, then two, and pairs of products are joined
 * or not. What cannot be met is kept with the reason. Two ways to the same
 * regions are one variant.
 */
#include "driver/tune.h"

#include "rewrite/alternatives.h"

#include <string.h>

/* Of one program, and of all. */
#define PROGRAM_MOST 12
#define ALL_MOST     32
#define TOGGLES_MOST 12
#define PROGRAMS     6
#define KINDS        6 /* pins of pairs of products */

typedef struct Maker {
	Tune *t;
	const Program *program;
	const char *how; /* rules that made it; "" */
	size_t first;    /* its first variant */
} Maker;

static const char **pins_with(const Tune *t, Arena *a, const char *const *own,
			      size_t n, size_t *count)
{
	const TenonPlanOptions *o = t->o->plan;
	size_t given = o ? o->npins : 0;
	const char **all = arena_array(a, const char *, given + n + 1);

	for (size_t i = 0; i < given; i++)
		all[i] = o->pins[i];
	for (size_t i = 0; i < n; i++)
		all[given + i] = own[i];
	*count = given + n;
	return all;
}

/* A copy that leads from stage 1 as the program does. */
static Program *stage2_copy(Arena *a, const Program *p)
{
	Program *q = program_copy(a, p);
	ValueId *now = arena_array(a, ValueId, p->nnow + 1);

	if (!p->now)
		return q;
	memcpy(now, p->now, p->nnow * sizeof(*now));
	q->now = now;
	q->nnow = p->nnow;
	return q;
}

/* The pipeline of a variant up to its regions. */
static bool partition(Tune *t, Pipeline *pl, Arena *a, const Program *p,
		      const char *const *own, size_t n)
{
	size_t count;
	const char **pins = pins_with(t, a, own, n, &count);

	*pl = (Pipeline){.c = t->c,
			 .arena = a,
			 .target = &t->target,
			 .program = t->program->p,
			 .rewritten = stage2_copy(a, p),
			 .stop_after = "partition"};
	const TenonPlanOptions *o = t->o->plan;
	return (!o || pipeline_externals(pl, o->externals, o->nexternals)) &&
	       pipeline_pins(pl, pins, count) &&
	       pipeline_run(pl, STAGE_REWRITTEN);
}

static void regions_key(Arena *a, const Regions *r, char key[SHA256_HEX])
{
	Buf b;

	buf_init(&b, a);
	regions_print(r, &b);
	sha256_hex(buf_str(&b), b.n, key);
}

static bool there(const Space *s, const char *key)
{
	for (size_t i = 0; i < s->variants.n; i++)
		if (!strcmp(s->variants.p[i].key, key))
			return true;
	return false;
}

static const char *how_of(const Maker *m, Arena *a, const char *const *own,
			  size_t n)
{
	Buf b;

	buf_init(&b, a);
	buf_puts(&b, m->how);
	for (size_t i = 0; i < n; i++)
		buf_printf(&b, b.n ? ", %s" : "%s", own[i]);
	return buf_str(&b);
}

/* us: predicted; 0: no model, or nobody asked. */
static void refuse(Space *s, const char *how, const char *why, double us)
{
	VariantRefused no = {how, why, us};

	VEC_PUSH(s->arena, s->refused, no);
}

/* Adds the variant of these pins; false: it is refused, and kept as such. */
static bool add(Maker *m, const char *const *own, size_t n)
{
	Tune *t = m->t;
	Arena *a = &t->arena;
	Space *s = &t->space;
	Pipeline pl;
	Variant v = {.npins = n};
	const char **pins = arena_array(a, const char *, n + 1);

	for (size_t i = 0; i < n; i++)
		pins[i] = own[i];
	v.pins = pins;
	v.how = how_of(m, a, own, n);
	if (!partition(t, &pl, a, m->program, own, n)) {
		refuse(s, v.how, context_take_error(t->c, a), 0);
		return false;
	}
	v.program = m->program;
	v.regions = pl.regions;
	v.fixed = pl.pins;
	v.nfixed = pl.npins;
	regions_key(a, v.regions, v.key);
	const char *no = there(s, v.key) ? NULL : space_add(s, &v);
	if (no)
		refuse(s, v.how, no, 0);
	return !no;
}

/* ---- toggles --------------------------------------------------------- */

static bool kept_already(const char *const *toggles, size_t n, const char *text)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(toggles[i], text))
			return true;
	return false;
}

/* Values that share a kernel with a reader, to be kept apart from it. */
static size_t find_toggles(Maker *m, const char **out)
{
	Tune *t = m->t;
	const Regions *r = t->space.variants.p[m->first].regions;
	static const char *const kinds[KINDS] = {
		"attention.join=0", "attention.join=1", "contract.join=0",
		"contract.join=1",  "contract.hold=0",  "contract.hold=1"};
	size_t n = 0;
	size_t products = 0;

	for (ValueId v = 0; v < r->program->values.n; v++)
		products += program_value(r->program, v)->op == OP_MATMUL;
	for (size_t i = 0; i < r->decisions.n && n < TOGGLES_MOST; i++) {
		const Decision *d = &r->decisions.p[i];
		const char *text =
			arena_printf(&t->arena, "join.%%%u=no", d->producer);
		if (d->joined && !kept_already(out, n, text))
			out[n++] = text;
	}
	for (size_t i = 0; i < ARRAY_LEN(kinds) && products > 1; i++)
		out[n++] = kinds[i];
	for (size_t i = 0; i < LIBRARY_COUNT && products > 0; i++)
		if ((i == LIBRARY_CUBLASLT) == t->target.cuda)
			out[n++] = arena_printf(&t->arena, "library.product=%s",
						library_info[i].name);
	return n;
}

static bool full(const Maker *m)
{
	size_t n = m->t->space.variants.n;

	return n >= ALL_MOST || n - m->first >= PROGRAM_MOST;
}

static void partitions(Maker *m)
{
	const char *toggles[TOGGLES_MOST + KINDS + LIBRARY_COUNT], *two[2];
	size_t before = m->t->space.variants.n;

	m->first = before;
	add(m, NULL, 0);
	if (m->t->space.variants.n == before)
		return; /* the same regions as another program's */
	size_t n = find_toggles(m, toggles);
	size_t left = 0; /* of those that can be met */
	for (size_t i = 0; i < n && !full(m); i++)
		if (add(m, &toggles[i], 1))
			toggles[left++] = toggles[i];
	n = left;
	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n && !full(m); j++) {
			two[0] = toggles[i];
			two[1] = toggles[j];
			add(m, two, 2);
		}
}

/* ---- the space ------------------------------------------------------- */

static bool rewrite(Tune *t)
{
	const TenonPlanOptions *o = t->o->plan;
	Pipeline pl = {.c = t->c,
		       .arena = &t->arena,
		       .target = &t->target,
		       .program = t->program->p,
		       .skip = o ? o->skip : NULL,
		       .stop_after = "dead"};

	if (!pipeline_run(&pl, STAGE_PROGRAM))
		return false;
	t->rewritten = pl.rewritten;
	t->log = pl.log;
	return true;
}

/* Whether no rule may make another program. */
static bool without_all(const Tune *t)
{
	for (const char *s = t->o->without; s && *s;) {
		size_t len = strcspn(s, ",");
		if (len == 3 && !strncmp(s, "all", 3))
			return true;
		s += len + (s[len] == ',');
	}
	return false;
}

/* Equal programs, each with its partitions. */
static bool alternatives(Maker *m)
{
	Tune *t = m->t;
	Alternatives x = {0};
	AlternativeOptions o = {.most = PROGRAMS,
				.dims = t->program->dims,
				.without = t->o->without};

	if (without_all(t))
		return true;
	if (!rewrite_alternatives(&t->c->ctx, &t->arena, t->rewritten, &o, &x))
		return false;
	for (size_t i = 1; i < x.list.n; i++) {
		m->program = x.list.p[i].program;
		m->how = x.list.p[i].rules;
		partitions(m);
	}
	return true;
}

/* ---- what the contract forbids ------------------------------------------ */

/* Of a program whose every value has the relaxation; 0: none, or no model. */
static double relaxed_cost(Tune *t, uint32_t relax)
{
	Arena *a = &t->arena;
	Program *p = program_copy(a, t->program->p);
	Pipeline pl = {.c = t->c,
		       .arena = a,
		       .target = &t->target,
		       .program = p,
		       .stop_after = "partition"};
	Space s = {.arena = a, .target = &t->target, .dims = t->space.dims};
	size_t n;
	const char **pins = pins_with(t, a, NULL, 0, &n);

	for (ValueId v = 0; v < p->values.n; v++)
		program_value(p, v)->relax |= relax;
	if (!pipeline_pins(&pl, pins, n) || !pipeline_run(&pl, STAGE_PROGRAM)) {
		ctx_clear_errors(&t->c->ctx);
		return 0;
	}
	Variant v = {.program = pl.rewritten,
		     .regions = pl.regions,
		     .how = "",
		     .fixed = pl.pins,
		     .nfixed = pl.npins};
	return space_add(&s, &v) ? 0 : s.variants.p[0].cost;
}

/* Relaxations that the program does not ask for and that are predicted to pay:
 * refused, with what they would take. */
static void forbidden(Tune *t)
{
	static const struct {
		uint32_t relax;
		const char *name, *what;
	} rows[] = {
		{RELAX_SINGLE_ROUNDING, "single_rounding",
		 "boundaries of products and sums"},
		{RELAX_CONTRACTION, "contraction",
		 "boundaries of products that are added"},
		{RELAX_REASSOCIATE, "reassociate",
		 "boundaries between sums that are added"},
		{RELAX_TF32, "tf32", "bits of the operands of f32 products"},
	};
	Arena *a = &t->arena;
	double base = t->space.variants.p[0].cost;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		double us = relaxed_cost(t, rows[i].relax);
		if (us <= 0 || us >= base)
			continue;
		refuse(&t->space,
		       arena_printf(a, "@contract(%s)", rows[i].name),
		       arena_printf(a,
				    "the program does not ask for %s, which "
				    "drops %s",
				    rows[i].name, rows[i].what),
		       us);
	}
}

bool variants_make(Tune *t)
{
	Maker m = {.t = t, .how = ""};
	Space *s = &t->space;

	*s = (Space){.arena = &t->arena,
		     .target = &t->target,
		     .dims = t->program->dims};
	if (!rewrite(t))
		return false;
	/* the rule's own, with the user's pins: what is wrong there is an
	 * error */
	Pipeline pl;
	if (!partition(t, &pl, &t->arena, t->rewritten, NULL, 0))
		return false;
	t->target.externals = pl.externals;
	t->target.nexternals = pl.nexternals;
	if (!realise_program(&t->c->ctx, &t->arena, pl.regions, &t->target,
			     pl.pins, pl.npins, NULL))
		return false;
	m.program = t->rewritten;
	partitions(&m);
	forbidden(t);
	return alternatives(&m);
}

/* Sizes to weigh by where none are set. */
#define SOME_SIZE 256
/* Whatever sizes it was found by, it is among so many. */
#define MANY 64

static const int64_t *some_dims(const TenonProgram *program, Arena *a)
{
	size_t n = program->p->ex.dims.n;
	int64_t *dims = arena_array(a, int64_t, n + 1);

	for (size_t i = 0; i < n; i++)
		dims[i] = program->dims[i] < 0 ? SOME_SIZE : program->dims[i];
	return dims;
}

bool variants_dump(TenonPlan *p, Buf *b)
{
	AlternativeOptions o = {.most = PROGRAMS,
				.dims = some_dims(p->program, &p->arena)};
	Alternatives x = {0};

	if (!p->rewritten)
		return api_usage(p->c, "--dump=alternatives: this run has no "
				       "stage 2");
	if (!rewrite_alternatives(&p->c->ctx, &p->arena, p->rewritten, &o, &x))
		return false;
	alternatives_print(&x, b);
	return true;
}

const Program *variants_program(const TenonProgram *program,
				const Program *rewritten, Arena *a,
				const char *text)
{
	AlternativeOptions o = {.most = MANY, .dims = some_dims(program, a)};
	Alternatives x = {0};

	if (!rewrite_alternatives(&program->c->ctx, a, rewritten, &o, &x))
		return NULL;
	for (size_t i = 1; i < x.list.n; i++) {
		Buf b;
		buf_init(&b, a);
		program_print(x.list.p[i].program, &b);
		if (!strcmp(buf_str(&b), text))
			return x.list.p[i].program;
	}
	return NULL;
}

TenonPlan *variants_plan(Tune *t, const Point *p)
{
	const Variant *v = &t->space.variants.p[p->variant];
	const TenonPlanOptions *given = t->o->plan;
	TenonPlanOptions o = given ? *given : (TenonPlanOptions){0};
	TenonPlan *plan = plan_new(t->c);
	Pipeline pl = {
		.program = t->program->p,
		.rewritten = stage2_copy(&plan->arena, v->program),
		.chosen = space_chosen(&plan->arena, &t->space, p),
		.later = true,
	};

	o.target = t->target_name;
	o.pins = pins_with(t, &plan->arena, v->pins, v->npins, &o.npins);
	o.skip = o.stop_after = NULL;
	plan->program = t->program;
	pl.log = t->log;
	VEC_PUSH(&t->arena, t->plans, plan);
	t->c->new_plan = NULL;
	if (plan_compile(plan, &pl, STAGE_REWRITTEN, &o))
		return plan;
	variants_free(t, plan);
	return NULL;
}

void variants_give(Tune *t, TenonPlan *p)
{
	for (size_t i = 0; i < t->plans.n; i++)
		if (t->plans.p[i] == p)
			t->plans.p[i--] = t->plans.p[--t->plans.n];
}

void variants_free(Tune *t, TenonPlan *p)
{
	variants_give(t, p);
	tenon_plan_free(p);
}
