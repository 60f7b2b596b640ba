/*
 * mutants: contract violations planted in generated code are rejected.
 * tests/run: plain
 *
 * For each row of mutants.h, program and dtype: the honest plan is compiled
 * through tenon.h, its C sources are edited, compiled beside and put in the
 * plan's place. At each shape the planted plan runs on every fixture family;
 * where no bit differs from the honest plan's results the pair counts as
 * unchanged, else tenon_check() on the families that differ must say FAIL
 * (one failing family fails the whole check). An edit that is not found, a
 * row that changes nothing anywhere and a survivor each fail the test. What a
 * relaxation admits must be rejected on no family.
 *
 * usage: mutants_test [--all] [--table] [--show] [--shape=NAME]
 *                     [--target=NAME] [--compiler=NAME] [NAME...]
 *
 * --all (or TEST_ALL in the environment) plants every row in every program
 * and dtype at every shape; --table prints docs/mutants.md;
 * --show prints the planted sources; NAMEs choose rows.
 */
#include "driver/driver.h"
#include "tests/mutants/mutants.h"

#include <stdio.h>
#include <stdlib.h>

#define SEED   1
#define STALE  0xa5 /* what results hold before a run */
#define SHAPES ARRAY_LEN(shapes)

typedef struct Shape {
	const char *name, *set;
	const char *dims; /* "NAME=SIZE ...", over the set's */
	bool quick;
	bool large; /* only for the first program of a row, as written */
} Shape;

static const Shape shapes[] = {
	{"inspect", "inspect", "", true, false},
	{"screen", "screen", "", true, false},
	{"odd", "inspect", "M=15 N=25 K=33", true, false},
	{"K=17", "inspect", "K=17", true, false},
	{"K=1025", "inspect", "K=1025", true, false},
	{"square", "inspect", "M=24 N=24 K=24", true, false},
	{"narrow", "narrow", "", false, true},
	{"tail", "tail", "", false, true},
	{"main", "main", "", false, true},
};

/* A program under one dtype, with its honest plan. */
typedef struct Subject {
	const char *name;
	const char *dtype; /* NULL: as written */
	const char *unit;  /* matrix unit of its products; NULL: none */
	TenonProgram *program;
	TenonPlan *plan;
	CodeSource *honest;
	size_t nhonest, nsources, ninputs, nresults;
} Subject;

/* A row planted in a subject. */
typedef struct Plant {
	const Mutant *m;
	Subject *s;
	bool first; /* of the row's programs */
	CodeSource *code;
	size_t *batch; /* for each source its number in the batch, or -1 */
} Plant;

typedef struct Tally {
	int plants, changed, rejected, unchanged, survivors;
	int missing;       /* edits that were not found */
	unsigned families; /* that rejected */
} Tally;

typedef struct Test {
	TenonContext *c;
	Arena a;
	bool all, table, show;
	const char *shape;
	TenonPlanOptions options;
	char **wanted;
	const char *planted; /* the text of planted.h */
	VEC(Subject *) subjects;
	VEC(Plant) plants;
	VEC(CodeSource) batch;
	Isa isa;
	Tally tally[ARRAY_LEN(mutants)];
} Test;

static void must(TenonContext *c, TenonError e, const char *what)
{
	if (e == TENON_OK)
		return;
	printf("%s: %s\n", what, tenon_message(c));
	printf("0 passed, 1 failed, 0 skipped\n");
	exit(1);
}

/* ---- subjects -------------------------------------------------------- */

static const char *program_path(Arena *a, const char *name)
{
	const char *path = arena_printf(a, "examples/%s.tn", name);

	return file_exists(path) ? path
				 : arena_printf(a, "tests/mutants/%s.tn", name);
}

static bool same_dtype(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/*
 * With products by the unit, or by multiply-adds as every machine has them: a
 * program without products needs no such pin, and refuses it.
 */
static TenonError compile(Test *t, Subject *s)
{
	const char *pin = arena_printf(&t->a, "contract.unit=%s",
				       s->unit ? s->unit : "fma");
	TenonPlanOptions o = t->options;

	o.pins = &pin;
	o.npins = 1;
	TenonError e = tenon_compile(t->c, s->program, &o, &s->plan);
	if (e != TENON_OK && !s->unit)
		e = tenon_compile(t->c, s->program, &t->options, &s->plan);
	return e;
}

static Subject *subject(Test *t, const char *name, const char *dtype,
			const char *unit)
{
	for (size_t i = 0; i < t->subjects.n; i++)
		if (!strcmp(t->subjects.p[i]->name, name) &&
		    same_dtype(t->subjects.p[i]->dtype, dtype) &&
		    same_dtype(t->subjects.p[i]->unit, unit))
			return t->subjects.p[i];
	Subject *s = arena_new(&t->a, Subject);
	TenonProgramOptions o = {.dtype = dtype};
	s->name = name;
	s->dtype = dtype;
	s->unit = unit;
	must(t->c,
	     tenon_program_from_file(t->c, program_path(&t->a, name), &o,
				     &s->program),
	     name);
	must(t->c, compile(t, s), name);
	s->honest = s->plan->code;
	s->nhonest = s->plan->ncode;
	s->nsources = s->plan->plan->sources.n;
	s->ninputs = (size_t)tenon_program_inputs(s->program);
	s->nresults = (size_t)tenon_program_results(s->program);
	VEC_PUSH(&t->a, t->subjects, s);
	return s;
}

/* ---- planting -------------------------------------------------------- */

static Dialect dialect(const Subject *s)
{
	const char *d = s->dtype ? s->dtype : "f16";

	if (!strcmp(d, "f32"))
		return (Dialect){"f32", "tf32", "f16"};
	if (!strcmp(d, "bf16"))
		return (Dialect){"bf16", "bf16", "f16"};
	return (Dialect){"f16", "f16", "bf16"};
}

static void plant(Test *t, const Mutant *m, Subject *s, bool first)
{
	Dialect d = dialect(s);
	Plant p = {.m = m, .s = s, .first = first};
	int total[MUT_EDITS] = {0};
	bool found = true;

	p.batch = arena_array(&t->a, size_t, s->nsources + 1);
	p.code = arena_array(&t->a, CodeSource, s->nsources + 1);
	for (size_t i = 0; i < s->nsources; i++) {
		const char *old = s->plan->plan->sources.p[i], *text = old;
		int hits = 0, all = 0;
		for (int e = 0; e < MUT_EDITS && m->edits[e].find; e++) {
			text = edit_apply(&t->a, text, &m->edits[e], &d, &hits);
			total[e] += hits;
			all += hits;
		}
		p.batch[i] = SIZE_MAX;
		if (!all)
			continue;
		text = edit_prelude(&t->a, text, t->planted);
		if (t->show)
			puts(text);
		p.batch[i] = t->batch.n;
		CodeSource code = {.text = text};
		code.name = arena_printf(&t->a, "%s in %s", m->name, s->name);
		VEC_PUSH(&t->a, t->batch, code);
	}
	for (int e = 0; e < MUT_EDITS && m->edits[e].find; e++)
		found &= total[e] > 0;
	Tally *y = &t->tally[m - mutants];
	y->plants++;
	if (found) {
		VEC_PUSH(&t->a, t->plants, p);
		return;
	}
	y->missing++;
	printf("%s: not found in the code of %s %s\n", m->name, s->name,
	       d.dtype);
}

/* Calls fn for each word; false from it stops. */
static const char *next_word(Arena *a, const char **s)
{
	*s += strspn(*s, " ");
	size_t n = strcspn(*s, " ");
	const char *word = n ? arena_strndup(a, *s, n) : NULL;

	*s += n;
	return word;
}

/* Whether the set that code is made for has the unit. */
static bool has_unit(const Test *t, const char *unit)
{
	const char *name = t->options.target;
	const Isa *isa =
		name && strlen(name) > 4 ? isa_find(name + 4) : isa_host();

	for (size_t i = 0; isa && isa->units[i]; i++)
		if (!strcmp(isa->units[i], unit))
			return true;
	return false;
}

static bool row_wanted(const Test *t, const Mutant *m)
{
	if (m->unit && !has_unit(t, m->unit))
		return false;
	if (!*t->wanted)
		return true;
	for (char **w = t->wanted; *w; w++)
		if (!strcmp(*w, m->name))
			return true;
	return false;
}

static void plant_row(Test *t, const Mutant *m)
{
	const char *programs = m->programs, *program, *dtype;

	for (int i = 0; (program = next_word(&t->a, &programs)); i++) {
		const char *dtypes = m->dtypes;
		for (int k = 0; (dtype = next_word(&t->a, &dtypes)); k++) {
			bool quick = i == 0 || (i == 1 && k == 0);
			bool written = *dtype == '-' || !strcmp(dtype, "f16");
			if (!t->all && !quick)
				continue;
			plant(t, m,
			      subject(t, program, written ? NULL : dtype,
				      m->unit),
			      i == 0);
		}
	}
}

static void compile_batch(Test *t)
{
	TenonContext *c = t->c;
	const char *folder =
		t->all ? "build/test/mutants-all" : "build/test/mutants";
	static const char *flags[24];
	size_t n = 0;

	if (!t->plants.n)
		return;
	/* a quick compilation; it changes no result of IEEE arithmetic */
	const TenonPlan *any = t->plants.p[0].s->plan;
	for (t->isa = *any->isa; t->isa.flags[n] && n < 22; n++)
		flags[n] = t->isa.flags[n];
	flags[n] = "-O1";
	t->isa.flags = flags;
	c->ctx.threads = cpu_count();
	if (!dir_make(&c->ctx, folder) ||
	    !code_load(&c->ctx, &t->a, &any->cc, &t->isa, folder, t->batch.p,
		       t->batch.n))
		must(c, TENON_EENV, "compiling planted code");
	for (size_t i = 0; i < t->plants.n; i++) {
		Plant *p = &t->plants.p[i];
		for (size_t k = 0; k < p->s->nsources; k++)
			p->code[k] = p->batch[k] == SIZE_MAX
					     ? p->s->honest[k]
					     : t->batch.p[p->batch[k]];
	}
}

/* ---- running --------------------------------------------------------- */

typedef struct Run {
	bool applies;
	TenonTensor *inputs;
	TenonTensor *honest, *planted;
} Run;

static void tensors_free(TenonTensor *t, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (t[i].data)
			tenon_release(t[i].data, tenon_tensor_bytes(&t[i]));
}

static TenonTensor *results_make(Test *t, Arena *a, const Subject *s)
{
	TenonTensor *r = arena_array(a, TenonTensor, s->nresults + 1);

	for (size_t i = 0; i < s->nresults; i++) {
		must(t->c, tenon_result_desc(s->program, (int)i, &r[i]),
		     s->name);
		r[i].data = tenon_alloc(tenon_tensor_bytes(&r[i]));
		if (!r[i].data)
			must(t->c, TENON_ENOMEM, "results");
	}
	return r;
}

static void run_plan(Test *t, const Subject *s, const Run *r,
		     TenonTensor *results)
{
	for (size_t i = 0; i < s->nresults; i++)
		memset(results[i].data, STALE, tenon_tensor_bytes(&results[i]));
	must(t->c, tenon_plan_run(s->plan, r->inputs, results), s->name);
}

static double element(const TenonTensor *t, int64_t i)
{
	const unsigned char *p = (const unsigned char *)t->data +
				 (size_t)i * tenon_dtype_size(t->dtype);
	uint16_t h;
	float f;
	double d;
	int64_t q;

	switch (t->dtype) {
	case TENON_F64:
		memcpy(&d, p, sizeof d);
		return d;
	case TENON_F32:
		memcpy(&f, p, sizeof f);
		return (double)f;
	case TENON_BF16: {
		memcpy(&h, p, sizeof h);
		uint32_t u = (uint32_t)h << 16;
		memcpy(&f, &u, sizeof f);
		return (double)f;
	}
	case TENON_F16: {
		memcpy(&h, p, sizeof h);
		int e = h >> 10 & 31, m = h & 1023;
		if (e == 31)
			d = m ? (double)__builtin_nanf("")
			      : (double)__builtin_inff();
		else
			d = __builtin_ldexp(e ? 1024 + m : m, (e ? e : 1) - 25);
		return h >> 15 ? -d : d;
	}
	case TENON_I64:
	case TENON_U64:
		memcpy(&q, p, sizeof q);
		return (double)q;
	case TENON_I32:
	case TENON_I16:
	case TENON_I8:
	case TENON_U32:
	case TENON_U16:
	case TENON_U8:
	case TENON_BOOL:
	case TENON_DTYPE_COUNT:
		break;
	}
	return (double)(signed char)*p;
}

static int64_t elements(const TenonTensor *t)
{
	return (int64_t)(tenon_tensor_bytes(t) / tenon_dtype_size(t->dtype));
}

/* The first element with other bits (one NaN is as good as another). */
static bool differ(const TenonTensor *a, const TenonTensor *b, int64_t *at)
{
	size_t size = tenon_dtype_size(a->dtype);

	if (!memcmp(a->data, b->data, tenon_tensor_bytes(a)))
		return false;
	for (int64_t i = 0; i < elements(a); i++) {
		size_t o = (size_t)i * size;
		double x = element(a, i), y = element(b, i);
		if (!memcmp((char *)a->data + o, (char *)b->data + o, size) ||
		    (x != x && y != y))
			continue;
		*at = i;
		return true;
	}
	return false;
}

/* ---- verdicts -------------------------------------------------------- */

static void print_verdict(void *arg, const TenonVerdict *v)
{
	(void)arg;
	printf("    %s %s: outcome %d, %lld mismatches of %lld points, "
	       "%lld violations, median width %g ulp; element %lld: got %a, "
	       "ref %a in [%a, %a]\n",
	       v->family, v->result, (int)v->outcome, (long long)v->mismatches,
	       (long long)v->points, (long long)v->violations, v->median_width,
	       (long long)v->worst, v->got, v->ref, v->lo, v->hi);
}

static void print_survivor(Test *t, const Plant *p, const Shape *shape,
			   const char *families)
{
	TenonOutcome out;

	printf("%s %s: %s %s at %s, changed on %s\n",
	       p->m->legal ? "REJECTED" : "SURVIVOR", p->m->name, p->s->name,
	       dialect(p->s).dtype, shape->name, families);
	must(t->c,
	     tenon_check(p->s->plan, families, SEED, print_verdict, NULL, &out),
	     "check");
}

static void judge_plant(Test *t, const Plant *p, const Shape *shape, Run *runs)
{
	Subject *s = p->s;
	Tally *y = &t->tally[p->m - mutants];
	Buf changed;
	bool rejected = false;
	int64_t at;

	buf_init(&changed, &t->a);
	plan_use_code(s->plan, p->code, s->nsources);
	for (int f = 0; f < FAM_COUNT; f++) {
		Run *r = &runs[f];
		bool other = false;
		if (!r->applies)
			continue;
		run_plan(t, s, r, r->planted);
		for (size_t i = 0; i < s->nresults; i++)
			other |= differ(&r->honest[i], &r->planted[i], &at);
		if (other)
			buf_printf(&changed, "%s%s", changed.n ? "," : "",
				   family_name[f]);
		if (!other || rejected)
			continue;
		TenonOutcome out;
		must(t->c,
		     tenon_check(s->plan, family_name[f], SEED, NULL, NULL,
				 &out),
		     "check");
		if (out == TENON_FAIL) {
			rejected = true;
			y->families |= 1u << f;
			if (!t->show)
				break;
		}
	}
	y->changed += changed.n > 0;
	y->unchanged += changed.n == 0;
	y->rejected += rejected;
	if (changed.n && rejected == p->m->legal) {
		y->survivors++;
		print_survivor(t, p, shape, buf_str(&changed));
	}
	plan_use_code(s->plan, s->honest, s->nhonest);
}

/* ---- shapes ---------------------------------------------------------- */

static bool shape_set(Test *t, Subject *s, const Shape *shape)
{
	const char *dims = shape->dims, *word;

	if (tenon_set_dims(s->program, shape->set) != TENON_OK)
		return false;
	while ((word = next_word(&t->a, &dims))) {
		const char *eq = strchr(word, '=');
		for (int i = 0; i < tenon_program_dims(s->program); i++) {
			const char *name =
				tenon_program_dim_name(s->program, i);
			if (strlen(name) == (size_t)(eq - word) &&
			    !strncmp(name, word, strlen(name)))
				must(t->c,
				     tenon_set_dim(s->program, name,
						   atoll(eq + 1)),
				     word);
		}
	}
	return true;
}

static bool shape_wanted(const Test *t, const Plant *p, const Shape *shape)
{
	if (t->shape ? strcmp(t->shape, shape->name) != 0
		     : !t->all && !shape->quick)
		return false;
	return !shape->large || (!t->table && p->first && !p->s->dtype);
}

static void run_shape(Test *t, Subject *s, const Shape *shape)
{
	Arena a;
	Run runs[FAM_COUNT] = {0};
	bool any = false;

	for (size_t i = 0; i < t->plants.n; i++)
		any |= t->plants.p[i].s == s &&
		       shape_wanted(t, &t->plants.p[i], shape);
	if (!any || !shape_set(t, s, shape))
		return;
	arena_init(&a);
	for (int f = 0; f < FAM_COUNT; f++) {
		Run *r = &runs[f];
		r->inputs = arena_array(&a, TenonTensor, s->ninputs + 1);
		must(t->c,
		     tenon_fixture(s->program, family_name[f], SEED, r->inputs,
				   &r->applies),
		     s->name);
		if (!r->applies)
			continue;
		r->honest = results_make(t, &a, s);
		r->planted = results_make(t, &a, s);
		run_plan(t, s, r, r->honest);
	}
	for (size_t i = 0; i < t->plants.n; i++) {
		Plant *p = &t->plants.p[i];
		if (p->s == s && shape_wanted(t, p, shape))
			judge_plant(t, p, shape, runs);
	}
	for (int f = 0; f < FAM_COUNT; f++) {
		if (!runs[f].applies)
			continue;
		tensors_free(runs[f].inputs, s->ninputs);
		tensors_free(runs[f].honest, s->nresults);
		tensors_free(runs[f].planted, s->nresults);
	}
	arena_release(&a);
}

/* ---- reports --------------------------------------------------------- */

static const char *families_text(Arena *a, unsigned set)
{
	Buf b;

	buf_init(&b, a);
	for (int f = 0; f < FAM_COUNT; f++)
		if (set >> f & 1)
			buf_printf(&b, "%s%s", b.n ? " " : "", family_name[f]);
	return buf_str(&b);
}

static const char table_head[] =
	"# Planted contract violations\n\n"
	"Each row is a fault planted in the C code that a plan generates, by "
	"a\n"
	"text edit (`tests/mutants/mutants.def`). *Plants* counts programs "
	"and\n"
	"dtypes; each runs at the shapes inspect, screen, K = 17, K = 1025, "
	"odd\n"
	"(M = 15, N = 25, K = 33) and square. A plant at a shape is *changed*\n"
	"where some fixture family's result has other bits than the honest\n"
	"plan's, and must then be *rejected* by `tenon check`; where no bits\n"
	"differ there is nothing to reject. What a relaxation of the def "
	"admits\n"
	"must not be rejected. The last column names the first families to "
	"fail.\n\n"
	"Made by `build/tests/mutants/mutants_test --all --table`. `make "
	"test`\n"
	"runs a part of it; `make test-all` runs all of it, and the first\n"
	"program of each row at narrow, tail and main as well.\n\n"
	"| fault | what is wrong | plants | changed | rejected | unchanged | "
	"rejected on |\n|---|---|---|---|---|---|---|\n";

static int report(Test *t)
{
	int passed = 0, failed = 0, changed = 0, rejected = 0;

	if (t->table)
		fputs(table_head, stdout);
	for (size_t i = 0; i < ARRAY_LEN(mutants); i++) {
		const Mutant *m = &mutants[i];
		const Tally *y = &t->tally[i];
		if (!y->plants)
			continue;
		bool ok = (y->changed > 0 || t->shape) &&
			  y->rejected == (m->legal ? 0 : y->changed) &&
			  !y->missing;
		const char *by = families_text(&t->a, y->families);
		if (t->table)
			printf("| %s | %s | %d | %d | %d | %d | %s |\n",
			       m->name, m->what, y->plants, y->changed,
			       y->rejected, y->unchanged, by);
		else
			printf("%s %-22s %3d plants, %3d changed, %3d "
			       "rejected, %3d unchanged; by %s\n",
			       ok ? "ok  " : "FAIL", m->name, y->plants,
			       y->changed, y->rejected, y->unchanged, by);
		passed += ok;
		failed += !ok;
		changed += m->legal ? 0 : y->changed;
		rejected += y->rejected;
	}
	if (t->table)
		printf("\n%d of %d changed plants are rejected.\n", rejected,
		       changed);
	else
		printf("%d passed, %d failed, 0 skipped\n", passed, failed);
	return failed > 0;
}

int main(int argc, char **argv)
{
	static Test t;
	int flags = 1;
	const char *all = getenv("TEST_ALL"), *compiler = NULL;
	char *text;
	size_t len;

	setvbuf(stdout, NULL, _IOLBF, 0);
	arena_init(&t.a);
	t.all = all && *all;
	for (; flags < argc && argv[flags][0] == '-'; flags++) {
		t.all |= !strcmp(argv[flags], "--all");
		t.table |= !strcmp(argv[flags], "--table");
		t.show |= !strcmp(argv[flags], "--show");
		if (!strncmp(argv[flags], "--shape=", 8))
			t.shape = argv[flags] + 8;
		if (!strncmp(argv[flags], "--target=", 9))
			t.options.target = argv[flags] + 9;
		if (!strncmp(argv[flags], "--compiler=", 11))
			compiler = argv[flags] + 11;
	}
	t.wanted = argv + flags;
	t.c = tenon_context_new();
	if (t.c && compiler)
		tenon_set_compiler(t.c, compiler);
	if (!t.c ||
	    !file_read(&t.c->ctx, &t.a, "tests/mutants/planted.h", &text, &len))
		bug("run from the project's root");
	t.planted = text;
	for (size_t i = 0; i < ARRAY_LEN(mutants); i++)
		if (row_wanted(&t, &mutants[i]))
			plant_row(&t, &mutants[i]);
	compile_batch(&t);
	/* planted code counts its calls: one thread makes that repeatable */
	tenon_set_threads(t.c, 1);
	for (size_t i = 0; i < t.subjects.n; i++)
		for (size_t k = 0; k < SHAPES; k++)
			run_shape(&t, t.subjects.p[i], &shapes[k]);
	int failed = report(&t);
	code_unload(t.batch.p, t.batch.n);
	for (size_t i = 0; i < t.subjects.n; i++) {
		tenon_plan_free(t.subjects.p[i]->plan);
		tenon_program_free(t.subjects.p[i]->program);
	}
	arena_release(&t.a);
	tenon_context_free(t.c);
	return failed;
}
