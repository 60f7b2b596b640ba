/*
 * external: kernels of the user's, from the signature file to the run.
 */
#include "tests/unit/api.h"

#include <fenv.h>

#define PROGRAM                                                                \
	"dims d: M = 100\n"                                                    \
	"def f(x: f32[M, 64], b: f32[64]):\n"                                  \
	"    s = x + b\n"                                                      \
	"    return s * x\n"
#define SIGNATURE                                                              \
	"{\"name\": \"mine\", \"source\": \"mine.c\", \"symbol\": \"mine\",\n" \
	" \"inputs\": [{\"name\": \"x\", \"dtype\": \"f32\", "                 \
	"\"shape\": [\"M\", 64]},\n"                                           \
	"  {\"name\": \"b\", \"dtype\": \"f32\", \"shape\": [64]}],\n"         \
	" \"results\": [{\"name\": \"y\", \"dtype\": \"f32\", "                \
	"\"shape\": [\"M\", 64]}],\n"                                          \
	" \"arguments\": [\"x\", \"b\", \"y\", \"M\", \"task\"],\n"            \
	" \"tasks\": \"(M + 15)//16\"}\n"
#define SOURCE                                                                 \
	"#include <stdint.h>\n"                                                \
	"void mine(const float *x, const float *b, float *y, int64_t M,\n"     \
	"\t  int64_t task)\n"                                                  \
	"{\n"                                                                  \
	"\tfor (int64_t i = 16 * task; i < M && i < 16 * task + 16; i++)\n"    \
	"\t\tfor (int64_t j = 0; j < 64; j++) {\n"                             \
	"\t\t\tfloat s = x[64 * i + j] + b[j];\n"                              \
	"\t\t\ty[64 * i + j] = s * x[64 * i + j];\n"                           \
	"\t\t}\n"                                                              \
	"}\n"

static const char *const pins[] = {"external.kernel=mine"};

static TenonError compile(Case *k, const char *program, const char *signature,
			  const char *source, bool pinned, bool emit_only)
{
	const char *path = test_path("mine.json");
	TenonPlanOptions o = {.externals = &path,
			      .nexternals = 1,
			      .pins = pins,
			      .npins = pinned,
			      .emit_only = emit_only};

	file_put(path, signature);
	file_put(test_path("mine.c"), source);
	instance_serial_steps = 0;
	*k = (Case){.c = tenon_context_new()};
	if (!works(k, tenon_program_from_text(k->c, "t", program, NULL, &k->p),
		   "program"))
		return TENON_EPROGRAM;
	return tenon_compile(k->c, k->p, &o, &k->plan);
}

/* Its bits are those of our own kernel, for every number of threads. */
static void runs(void)
{
	uint64_t want = 0;
	TenonOutcome got;
	Case k;

	for (int i = 0; i < 4; i++) {
		TenonError e =
			compile(&k, PROGRAM, SIGNATURE, SOURCE, i > 0, false);
		if (works(&k, e, "compile")) {
			tenon_set_threads(k.c, i);
			if (case_fill(&k, "random") && case_run(&k)) {
				CHECK(!i || case_hash(&k) == want);
				want = case_hash(&k);
			}
		}
		if (i == 3 &&
		    works(&k, tenon_check(k.plan, NULL, 1, NULL, NULL, &got),
			  "check"))
			CHECK(got == TENON_PASS);
		case_close(&k);
	}
}

/* How floats round is the caller's after a call, whatever the code leaves. */
static void rounding(void)
{
	Arena a;
	Case k;

	arena_init(&a);
	const char *bad = replaced(&a, SOURCE, "void mine(",
				   "int fesetround(int);\nvoid mine(");
	bad = replaced(&a, bad, "{\n",
		       arena_printf(&a, "{\n\tfesetround(%d);\n", FE_UPWARD));
	if (works(&k, compile(&k, PROGRAM, SIGNATURE, bad, true, false),
		  "compile")) {
		tenon_set_threads(k.c, 1);
		if (case_fill(&k, "random") && case_run(&k)) {
			volatile float one = 1, least = 0x1p-30f;
			CHECK(one + least == one);
		}
	}
	case_close(&k);
	arena_release(&a);
}

/* What computes something else is found out. */
static void refuted(void)
{
	TenonOutcome got = TENON_PASS;
	Arena a;
	Case k;

	arena_init(&a);
	const char *bad = replaced(&a, SOURCE, "float s =", "double s =");
	bad = replaced(&a, bad, "x[64 * i + j] + b",
		       "(double)x[64 * i + j] + b");
	if (works(&k, compile(&k, PROGRAM, SIGNATURE, bad, true, false),
		  "compile") &&
	    works(&k, tenon_check(k.plan, NULL, 1, NULL, NULL, &got), "check"))
		CHECK(got == TENON_FAIL);
	case_close(&k);
	arena_release(&a);
}

static void signatures(void)
{
	static const struct {
		const char *from, *to, *words;
	} rows[] = {
		{"{\"name\": \"mine\"", "[", "mine.json: not JSON: line 1"},
		{"\"name\": \"mine\", ", "", "`name` is missing"},
		{"\"name\": \"mine\"", "\"name\": \"my kernel\"",
		 "`name` is `my kernel`, which is no name"},
		{"\"tasks\"", "\"task\"", "`task` is no key of a signature"},
		{"\"dtype\": \"f32\"", "\"dtype\": \"float\"",
		 "`dtype` of x is `float`, which is none"},
		{"\"dtype\": \"f32\"", "\"dtype\": \"f16\"",
		 "`inputs`: x is f32 in the program, and `dtype` is f16"},
		{"[\"M\", 64]", "[64]",
		 "`inputs`: x has 2 axes in the program, and `shape` has 1"},
		{"[\"M\", 64]", "[\"M\", 65]",
		 "`inputs`: axis 1 of x is 64 in the program, and `shape` has "
		 "65"},
		{"[\"M\", 64]", "[\"N\", 64]", "`inputs`: `N`: "},
		{"[\"M\", 64]", "\"M\"", "`shape` of x is no list"},
		{"\"name\": \"b\"", "\"name\": \"c\"",
		 "`inputs`: the program has no value `c`"},
		{"\"name\": \"y\"", "\"name\": \"z\"",
		 "`results`: the program has no value `z`"},
		{", \"y\", \"M\"", ", \"M\"",
		 "`arguments`: y is there 0 times, not once"},
		{"\"M\", \"task\"", "\"M\", \"K\"",
		 "`arguments`: K is no input, result or dim, and not `task`"},
		{"(M + 15)//16", "M +", "`tasks`: `M +`: "},
		{"\"tasks\"", "\"threads\": 64, \"tasks\"",
		 "`threads` is of kernels of CUDA, and `source` is mine.c"},
		{"\"tasks\"", "\"shared\": 64, \"tasks\"",
		 "`shared` is of kernels of CUDA, and `source` is mine.c"},
		{"mine.c", "gone.c", "gone.c: No such file"},
		{"\"symbol\": \"mine\"", "\"symbol\": \"other\"",
		 "`symbol` is other, which "},
	};
	Arena a;
	Case k;

	arena_init(&a);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *s =
			replaced(&a, SIGNATURE, rows[i].from, rows[i].to);
		TenonError e = compile(&k, PROGRAM, s, SOURCE, true, true);
		if (!CHECK(e != TENON_OK) ||
		    !CHECK(strstr(tenon_message(k.c), rows[i].words)))
			printf("%s -> %s:\n%s", rows[i].from, rows[i].to,
			       tenon_message(k.c));
		case_close(&k);
	}
	arena_release(&a);
}

/* The compiler's and the linker's errors name the user's lines. */
static void sources(void)
{
	static const struct {
		const char *from, *to, *words;
	} rows[] = {
		{"int64_t task)", "int task)",
		 "mine.c:2:6: error: conflicting types for"},
		{"float s =", "flout s =", "mine.c:7:"},
		{"void mine(", "/* mine */ void his(", "hidden symbol"},
	};
	Arena a;
	Case k;

	arena_init(&a);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *s = replaced(&a, SOURCE, rows[i].from, rows[i].to);
		refused(&k, compile(&k, PROGRAM, SIGNATURE, s, true, false),
			TENON_EENV, rows[i].words);
		case_close(&k);
	}
	arena_release(&a);
}

/* A kernel for a region that there is not. */
static void regions(void)
{
	static const struct {
		const char *program, *words;
	} rows[] = {
		{"def f(x: f32[M, 64], b: f32[64]):\n"
		 "    s = x + b\n"
		 "    y = s * x\n"
		 "    return y, s\n",
		 "region 0: the region stores s too, and mine does not"},
		{"def f(x: f32[M, 64], b: f32[64]):\n"
		 "    y = x + 1\n"
		 "    return y, b\n",
		 "region 0: mine reads b, and the region does not"},
		{"def f(x: f32[M, 64], b: f32[64], c: f32[64]):\n"
		 "    return (x + b) * c\n",
		 "no region of this program uses it: region 0: the region "
		 "reads "
		 "c too, and mine does not"},
	};
	Case k;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		refused(&k,
			compile(&k, rows[i].program, SIGNATURE, SOURCE, true,
				true),
			TENON_EUSAGE, rows[i].words);
		case_close(&k);
	}
}

static bool put(void *arg, const char *text, size_t n)
{
	buf_write(arg, text, n);
	return true;
}

/* A plan has the source: it needs neither file, and is the same plan. */
static void replay(void)
{
	const char *plan = test_path("plan.json");
	TenonPlanInfo was, is;
	TenonProgram *p;
	TenonPlan *q;
	Arena a;
	Case k;
	Buf b;

	arena_init(&a);
	buf_init(&b, &a);
	if (works(&k, compile(&k, PROGRAM, SIGNATURE, SOURCE, true, false),
		  "compile") &&
	    works(&k, tenon_plan_dump(k.plan, "kernels", put, &b), "dump") &&
	    works(&k, tenon_plan_save(k.plan, plan), "save")) {
		CHECK(strstr(buf_str(&b), "its stores are not proved"));
		CHECK(strstr(buf_str(&b), "\t\t\"#include <stdint.h>\"\n"));
		CHECK(unlink(test_path("mine.c")) == 0 &&
		      unlink(test_path("mine.json")) == 0);
		if (works(&k, tenon_plan_load(k.c, plan, &p, &q), "load")) {
			CHECK(strstr(tenon_notices(k.c),
				     "a user's code whose stores are not "
				     "proved in bounds"));
			tenon_plan_info(k.plan, &was);
			tenon_plan_info(q, &is);
			CHECK_STR(is.identity, was.identity);
			tenon_plan_free(q);
			tenon_program_free(p);
		}
	}
	case_close(&k);
	arena_release(&a);
}

/* A file with one part of its text replaced, which may be there twice. */
static void edited(Arena *a, const char *from, const char *to, const char *old,
		   const char *new)
{
	char *text;
	size_t len;
	Ctx ctx;

	ctx_init(&ctx);
	if (CHECK(file_read(&ctx, a, from, &text, &len)))
		file_put(to, replaced(a, text, old, new));
	ctx_release(&ctx);
}

/* An edited plan takes its users' kernels from itself. */
static void adopted(void)
{
	const char *plan = test_path("plan.json"), *q = test_path("q.json");
	TenonOutcome got = TENON_NONE;
	TenonPlanInfo was, is;
	TenonProgram *p;
	TenonPlan *made;
	Arena a;
	Case k;

	arena_init(&a);
	if (!works(&k, compile(&k, PROGRAM, SIGNATURE, SOURCE, true, false),
		   "compile") ||
	    !works(&k, tenon_plan_save(k.plan, plan), "save"))
		goto out;
	CHECK(unlink(test_path("mine.c")) == 0 &&
	      unlink(test_path("mine.json")) == 0);
	tenon_plan_info(k.plan, &was);
	if (works(&k, tenon_plan_adopt(k.c, plan, &p, &made), "as it is")) {
		tenon_plan_info(made, &is);
		CHECK_STR(is.identity, was.identity);
		tenon_plan_free(made);
		tenon_program_free(p);
	}
	/* what a user may change: the source, and who computes it */
	edited(&a, plan, q, "float s =", "float const s =");
	if (works(&k, tenon_plan_adopt(k.c, q, &p, &made), "another source")) {
		tenon_plan_info(made, &is);
		CHECK(strcmp(is.identity, was.identity) != 0);
		CHECK(strstr(tenon_notices(k.c), "a user's code"));
		works(&k, tenon_check(made, "random", 1, NULL, NULL, &got),
		      "check");
		CHECK(got == TENON_PASS);
		tenon_plan_free(made);
		tenon_program_free(p);
	}
	edited(&a, plan, q, "\"external kernel=mine\"", "\"loop block=1024\"");
	if (works(&k, tenon_plan_adopt(k.c, q, &p, &made), "no external")) {
		CHECK(!kernel_foreign(&made->kernels->kernels.p[0]));
		tenon_plan_free(made);
		tenon_program_free(p);
	}
	edited(&a, plan, q, "\"external kernel=mine\"",
	       "\"external kernel=his\"");
	refused(&k, tenon_plan_adopt(k.c, q, &p, &made), TENON_EPROGRAM,
		"`external kernel=his` is no realisation with its parameters");
	edited(&a, plan, q, "region 0 kernel=0", "region 0 kernel=77");
	refused(&k, tenon_plan_adopt(k.c, q, &p, &made), TENON_EPROGRAM,
		"kernel k0 is a user's, and has no number of its own");
out:
	case_close(&k);
	arena_release(&a);
	test_folder_remove();
}

TEST_MAIN(TEST(runs), TEST(rounding), TEST(refuted), TEST(signatures),
	  TEST(sources), TEST(regions), TEST(replay), TEST(adopted))
