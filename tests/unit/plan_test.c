/*
 * plan: every stage's text and the plan's JSON read back as they were
 * written, and a plan that was changed is refused.
 */
#include "driver/driver.h"

#include "tests/unit/api.h"

static const char small_text[] = "dims d: M = 3, N = 5\n"
				 "def small(x: f32[M, N], b: f32[N]):\n"
				 "    return relu(x + b)\n";

/* ---- texts ----------------------------------------------------------- */

typedef struct Text {
	char *p;
	size_t n;
} Text;

static bool keep(void *arg, const char *text, size_t len)
{
	Text *t = arg;

	free(t->p);
	t->p = strndup(text, len);
	t->n = len;
	return true;
}

static bool put(const char *path, const char *text, size_t n)
{
	FILE *f = fopen(path, "w");

	return CHECK(f && fwrite(text, 1, n, f) == n && fclose(f) == 0);
}

static Text get(const char *path)
{
	Text t = {malloc(1 << 20), 0};
	FILE *f = fopen(path, "r");

	if (CHECK(f && t.p)) {
		t.n = fread(t.p, 1, (1 << 20) - 1, f);
		t.p[t.n] = '\0';
		fclose(f);
	}
	return t;
}

/* ---- round trip ------------------------------------------------------ */

static bool dump(const Case *k, TenonPlan *plan, const char *stage, Text *out)
{
	return works(k, tenon_plan_dump(plan, stage, keep, out), stage);
}

/* print(parse(print(x))) == print(x); what is made of it is the same too. */
static void reads_back(const Case *k, const char *stage, const char *sources)
{
	TenonPlanOptions o = {.target = "cpu:avx2", .emit_only = true};
	const char *path = test_path(stage);
	TenonProgram *p = NULL;
	TenonPlan *plan = NULL;
	Text text = {0}, again = {0}, made = {0};

	if (!dump(k, k->plan, stage, &text) || !put(path, text.p, text.n))
		return;
	if (works(k, tenon_resume(k->c, stage, path, &o, &p, &plan), stage)) {
		dump(k, plan, stage, &again);
		CHECK_STR(again.p, text.p);
		/* a stage's text gives places by line: sources name none */
		dump(k, plan, "sources", &made);
		CHECK_STR(made.p, sources);
	}
	free(text.p);
	free(again.p);
	free(made.p);
	tenon_plan_free(plan);
	tenon_program_free(p);
}

static void stages(void)
{
	static const char *const names[] = {"program", "rewritten", "regions",
					    "kernels"};
	TenonPlanOptions o = {.target = "cpu:avx2", .emit_only = true};
	glob_t g;
	size_t n = examples(&g);

	CHECK(n >= 20);
	for (size_t i = 0; i < n; i++) {
		Case k;
		Text sources = {0};
		if (case_open(&k, g.gl_pathv[i], NULL, NULL) &&
		    works(&k, tenon_compile(k.c, k.p, &o, &k.plan), "emit") &&
		    dump(&k, k.plan, "sources", &sources))
			for (size_t s = 0; s < ARRAY_LEN(names); s++)
				reads_back(&k, names[s], sources.p);
		free(sources.p);
		case_close(&k);
	}
	globfree(&g);
}

/* ---- saved plans ----------------------------------------------------- */

static bool saved(Case *k, const char *path, const char *text, Text *out)
{
	const char *file = test_path("plan.json");

	if (!case_open(k, path, text, NULL) || !case_compile(k) ||
	    !works(k, tenon_plan_save(k->plan, file), "save"))
		return false;
	*out = get(file);
	return out->n > 0;
}

/* Loads, runs on k's inputs and compares the bits. */
static void replays(Case *k, const char *file)
{
	TenonPlanInfo a, b;
	Case l = {.c = k->c};

	if (!works(k, tenon_plan_load(k->c, file, &l.p, &l.plan), file))
		return;
	tenon_plan_info(k->plan, &a);
	tenon_plan_info(l.plan, &b);
	CHECK_STR(b.identity, a.identity);
	CHECK(b.cached);
	uint64_t want = case_hash(k);
	for (int i = 0; i < tenon_program_results(k->p); i++)
		memset(k->out[i].data, 0xa5, tenon_tensor_bytes(&k->out[i]));
	if (works(k, tenon_plan_run(l.plan, k->in, k->out), "replay"))
		CHECK(case_hash(k) == want);
	tenon_plan_free(l.plan);
	tenon_program_free(l.p);
}

static void replay(void)
{
	glob_t g;
	size_t n = examples(&g);

	for (size_t i = 0; i < n; i++) {
		Case k;
		Text text = {0};
		if (saved(&k, g.gl_pathv[i], NULL, &text)) {
			tenon_set_dims(k.p, "inspect"); /* linear has none */
			if (case_fill(&k, "search") && case_run(&k))
				replays(&k, test_path("plan.json"));
		}
		free(text.p);
		case_close(&k);
	}
	globfree(&g);
}

/* Every plan text but the one that was written is refused with a reason. */
static void refuses(Case *k, const char *text, size_t n, size_t at)
{
	const char *file = test_path("edited.json");
	TenonProgram *p;
	TenonPlan *plan;

	if (!put(file, text, n))
		return;
	TenonError e = tenon_plan_load(k->c, file, &p, &plan);
	const char *m = tenon_message(k->c);
	bool named = strstr(m, "not JSON: line") || strstr(m, "part `") ||
		     strstr(m, "is not what this version makes of it") ||
		     strstr(m, "it holds no hashes") ||
		     strstr(m, "the identity does not match") ||
		     strstr(m, "not a plan of this format");
	if (!CHECK(e == TENON_EPROGRAM && !p && !plan) || !CHECK(named))
		printf("byte %zu of %zu, error %d: %s", at, n, (int)e, m);
	tenon_plan_free(plan);
	tenon_program_free(p);
}

static void one_byte(void)
{
	static const char edits[] = {1, 2, 16, 32};
	Case k;
	Text text = {0};

	if (!saved(&k, "small.tn", small_text, &text))
		return;
	size_t step = test_all() ? 1 : text.n / 1000 + 1;
	for (size_t i = 0; i < text.n; i += step) {
		char old = text.p[i];
		text.p[i] = (char)(old ^ edits[i % 4]);
		refuses(&k, text.p, text.n, i);
		text.p[i] = old;
	}
	/* a byte less or more, at the ends and inside */
	refuses(&k, text.p, text.n - 1, 0);
	refuses(&k, text.p, text.n / 2, 0);
	refuses(&k, text.p, 0, 0);
	refuses(&k, text.p + 1, text.n - 1, 0);
	for (size_t i = 0; i < text.n; i += 40 * step) {
		char *more = malloc(text.n + 2);
		memcpy(more, text.p, i);
		more[i] = text.p[i] == ' ' ? '\n' : ' ';
		memcpy(more + i + 1, text.p + i, text.n - i + 1);
		refuses(&k, more, text.n + 1, i);
		memmove(more + i, more + i + 2, text.n - i);
		refuses(&k, more, text.n - 1, i);
		free(more);
	}
	free(text.p);
	case_close(&k);
}

/* A plan whose hashes are right and whose content is another's. */
static void refuses_plan(Case *k, TenonError e, const char *words)
{
	const char *file = test_path("edited.json");
	const char *text = plan_json(k->plan->plan);
	TenonProgram *p;
	TenonPlan *plan;

	if (put(file, text, strlen(text)))
		refused(k, tenon_plan_load(k->c, file, &p, &plan), e, words);
}

/* The kernels of k's plan under the program of another text. */
static void another_program(Case *k, const char *text)
{
	Plan *plan = k->plan->plan;
	const Program *old = plan->source;
	Case other;

	if (case_open(&other, "small.tn", text, NULL)) {
		plan->source = other.p->p;
		refuses_plan(k, TENON_EPROGRAM,
			     "the kernels' inputs, results and dims are not "
			     "the program's");
		plan->source = old;
	}
	case_close(&other);
}

static void another_origin(void)
{
	Case k;
	Text text = {0};

	if (saved(&k, "small.tn", small_text, &text)) {
		Plan *plan = k.plan->plan;
		Plan old = *plan;
		plan->compiler = "cc 1.0";
		refuses_plan(&k, TENON_EPROGRAM,
			     "compiled by `cc 1.0`; this "
			     "machine's compiler is `");
		*plan = old;
		plan->flags = "-O3 -ffast-math";
		refuses_plan(&k, TENON_EPROGRAM,
			     "compiled with flags `-O3 -ffast-math`; this "
			     "version uses `");
		*plan = old;
		plan->target = "cpu:neon";
		if (!isa_runs_here(isa_find("neon")))
			refuses_plan(&k, TENON_EENV, "this machine cannot run");
		plan->target = "tpu";
		refuses_plan(&k, TENON_EUSAGE, "not available");
		*plan = old;
		const char *source = plan->sources.p[0];
		plan->sources.p[0] = "int k0_main(void);\n";
		refuses_plan(&k, TENON_EPROGRAM,
			     "source 0 is not what this version makes of it: "
			     "line 1, `int k0_main(void);` in the file");
		plan->sources.p[0] = source;
		plan->sources.n = 0;
		refuses_plan(&k, TENON_EPROGRAM, "0 sources for 1 kernels");
		*plan = old;
		plan->launches.n = 0;
		refuses_plan(&k, TENON_EPROGRAM,
			     "the file is not what this version makes of it");
		*plan = old;
#define OTHER(inputs, result)                                                  \
	another_program(&k, "dims d: M = 3, N = 5\n"                           \
			    "def small(" inputs "):\n    return " result "\n")
		OTHER("x: f32[M, N]", "relu(x)");
		OTHER("x: f32[M, N], b: f32[N], c: f32", "relu(x + b)");
		OTHER("x: f32[M, N], b: f32[N]", "relu(x + b), x + b");
		OTHER("x: f32[M, N], b: f32[M]", "relu(x)");
		OTHER("x: f64[M, N], b: f64[N]", "relu(x + b)");
		OTHER("x: f32[M, N], b: f32[N]", "relu(x + b)[1:]");
		OTHER("b: f32[N], x: f32[M, N]", "relu(x + b)");
		OTHER("x: f32[M, K], b: f32[K]", "relu(x + b)");
	}
	free(text.p);
	case_close(&k);
}

/* The same program, another process's plan file: the same bytes. */
static void same_plan_again(void)
{
	Case k;
	Text a = {0}, b = {0};

	if (saved(&k, "small.tn", small_text, &a)) {
		case_close(&k);
		if (saved(&k, "small.tn", small_text, &b))
			CHECK_STR(b.p, a.p);
	}
	free(a.p);
	free(b.p);
	case_close(&k);
}

static void nothing_is_left(void)
{
	test_folder_remove();
}

TEST_MAIN(TEST(stages), TEST(replay), TEST(one_byte), TEST(another_origin),
	  TEST(same_plan_again), TEST(nothing_is_left))
