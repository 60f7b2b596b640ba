/*
 * fixed_test: programs whose dims are fixed: kernels made for one size.
 *
 * Every sum of a product adds in the order of k, so that a plan for one size
 * returns the bits of the plan for all sizes, whatever tiles both have, where
 * one unit multiplies; the oracle judges them too.
 */
#include "tests/unit/api.h"

static const char *const programs[] = {
	"def f(x: f32[M, K], w: f32[K, N]):\n    return x @ w\n",
	"def f(x: f32[M, K], w: f32[N, K], b: f32[N]):\n"
	"    return relu(x @ w.T + b)\n",
	"def f(x: f16[2, M, K], w: f16[K, N], b: f16[M, N]):\n"
	"    y = x @ w\n"
	"    return y, y + b\n",
	"def f(x: f64[K, M], w: f64[K, N]):\n    return exp(x.T @ w) * 2\n",
	"def f(x: f32[M, K], w: f32[K, N], v: f32[K, N]):\n"
	"    return (x + x) @ (w * 2) - x @ v\n",
};

/* M, N, K */
static const int sizes[][3] = {
	{1, 1, 1},    {2, 3, 5},     {8, 24, 16}, {17, 17, 17},
	{37, 65, 29}, {16, 33, 129}, {70, 40, 3}, {0, 24, 70},
	{70, 0, 24},  {70, 24, 0},   {0, 0, 0},
};

/* Blocks of K between which sums rest in scratch, and small tasks. */
static const char *const pins[] = {"contract.kc=7", "contract.mb=2",
				   "contract.nb=1"};

static bool run_fixed(const Case *all, const char *text, const int *size,
		      const TenonPlanOptions *o)
{
	char value[3][20];
	const char *fixed[3];
	TenonProgramOptions po = {.fixed = fixed, .nfixed = 3};
	TenonOutcome judged = TENON_NONE;
	Case k = {.c = all->c};
	bool ok;

	for (int i = 0; i < 3; i++) {
		snprintf(value[i], sizeof(value[i]), "%c=%d", "MNK"[i],
			 size[i]);
		fixed[i] = value[i];
	}
	ok = works(&k, tenon_program_from_text(k.c, "fixed", text, &po, &k.p),
		   "program") &&
	     works(&k, tenon_compile(k.c, k.p, o, &k.plan), "compile") &&
	     case_fill(&k, "random") && case_run(&k) &&
	     CHECK(case_hash(&k) == case_hash(all)) &&
	     CHECK(tenon_program_dims(k.p) == 0);
	/* where an exponential follows, nothing is exact */
	if (ok && !strstr(text, "exp"))
		ok = case_fill(&k, "exact") && case_run(&k) &&
		     works(&k,
			   tenon_judge(k.plan, k.in, k.out, NULL, NULL,
				       &judged),
			   "judge") &&
		     CHECK(judged == TENON_PASS);
	if (!ok)
		printf("M, N, K = %d, %d, %d, pins %zu, of\n%s", size[0],
		       size[1], size[2], o->npins, text);
	tensors_release(k.in);
	tensors_release(k.out);
	tenon_plan_free(k.plan);
	tenon_program_free(k.p);
	return ok;
}

static bool has_unit(const char *unit)
{
	for (size_t i = 0; isa_host()->units[i]; i++)
		if (!strcmp(isa_host()->units[i], unit))
			return true;
	return false;
}

/* The rule may take another unit for few rows: it is pinned. */
static void same_bits_by(const char *unit)
{
	bool fma = !strcmp(unit, "fma");
	char by[40];
	const char *pin[4] = {by, pins[0], pins[1], pins[2]};
	const TenonPlanOptions plain = {.pins = pin, .npins = 1};
	const TenonPlanOptions pinned = {.pins = pin, .npins = 4};
	char text[300];

	snprintf(by, sizeof(by), "contract.unit=%s", unit);
	for (size_t i = 0; i < ARRAY_LEN(programs); i++) {
		Case all;

		snprintf(text, sizeof(text), "dims d: M = 1, N = 1, K = 1\n%s",
			 programs[i]);
		if (!fma && !strstr(text, "f16"))
			continue;
		if (!case_open(&all, "all", text, NULL) ||
		    !works(&all, tenon_compile(all.c, all.p, &plain, &all.plan),
			   "compile"))
			continue;
		for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
			bool sampled = test_all() || (s + i) % 2 == 0;
			for (int d = 0; d < 3; d++)
				tenon_set_dim(all.p, (char[]){"MNK"[d], 0},
					      sizes[s][d]);
			if (!sampled || !case_fill(&all, "random") ||
			    !case_run(&all))
				continue;
			run_fixed(&all, text, sizes[s], &plain);
			if (sizes[s][2] > 7 && fma)
				run_fixed(&all, text, sizes[s], &pinned);
		}
		case_close(&all);
	}
}

static void same_bits(void)
{
	same_bits_by("fma");
}

static void same_bits_of_parts(void)
{
	if (!has_unit("amx_f16"))
		SKIP("no amx_f16 here");
	same_bits_by("amx_f16");
}

static void refusals(void)
{
	static const struct {
		const char *fixed, *words;
	} bad[] = {
		{"Q=3", "no dim named `Q`"},
		{"M", "M: not of the form NAME=SIZE"},
		{"M=", "M=: not of the form NAME=SIZE"},
		{"M=1x", "M=1x: not of the form NAME=SIZE"},
		{"M=-1", "M=-1: not of the form NAME=SIZE"},
	};
	Case k;

	if (!case_open(&k, "all", programs[0], NULL))
		return;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		TenonProgramOptions o = {.fixed = &bad[i].fixed, .nfixed = 1};
		TenonProgram *p = NULL;

		refused(&k,
			tenon_program_from_text(k.c, "t", programs[0], &o, &p),
			TENON_EUSAGE, bad[i].words);
		CHECK(!p);
	}
	case_close(&k);
}

/* A fixed dim is a number wherever its name stands. */
static void names(void)
{
	const char *text = "def f(x: f32[M, K]):\n"
			   "    return sum(x, axis=1) / M, x.reshape(M * K)\n";
	const char *fixed[] = {"M=3"};
	TenonProgramOptions o = {.fixed = fixed, .nfixed = 1};
	TenonTensor t;
	Case k;

	if (!case_open(&k, "all", programs[0], NULL))
		return;
	tenon_program_free(k.p);
	k.p = NULL;
	if (works(&k, tenon_program_from_text(k.c, "t", text, &o, &k.p),
		  "text")) {
		CHECK(tenon_program_dims(k.p) == 1);
		CHECK_STR(tenon_program_dim_name(k.p, 0), "K");
		tenon_set_dim(k.p, "K", 5);
		CHECK(tenon_result_desc(k.p, 1, &t) == TENON_OK &&
		      t.shape[0] == 15);
	}
	case_close(&k);
}

TEST_MAIN(TEST(same_bits), TEST(same_bits_of_parts), TEST(refusals),
	  TEST(names))
