/*
 * simt_test: products by multiply-adds whose operands are copied by themselves.
 *
 * On a device of OpenCL, where such copies are made element by element: the
 * bits are those of operands that go through registers, at ends of rows,
 * columns and K, with more slots than blocks, in parts; the oracle judges some.
 * Skipped where no OpenCL device is and tools/setup has not brought one.
 *
 * tests/run: plain
 */
#include "tests/differential/judge.h"
#include "tests/unit/test.h"

static const char no_device[] = "no OpenCL device is here";

typedef struct Product {
	const char *text;
	const char *stages, *depth, *split;
} Product;

/* Small tiles compile faster. */
#define TILE "contract.tile=16x32", "contract.threads=64"

static const Product products[] = {
	/* single elements and 16 bytes; ends of all three */
	{"def f(x: f32[37, 70], w: f32[70, 96]):\n"
	 "    return x @ w\n",
	 "contract.stages=3", "contract.depth=8", "contract.split=1"},
	/* both run along K, one block and a part of it for four slots */
	{"def f(x: f32[33, 13], w: f32[53, 13], b: f32[53]):\n"
	 "    p = x @ w.T\n"
	 "    return relu(p + b), p\n",
	 "contract.stages=4", "contract.depth=8", "contract.split=1"},
	/* both by rows of odd length */
	{"def f(x: f32[70, 17], w: f32[70, 53]):\n"
	 "    return x.T @ w\n",
	 "contract.stages=2", "contract.depth=8", "contract.split=1"},
	{"def f(x: f64[2, 3, 9, 40], w: f64[3, 40, 34]):\n"
	 "    return x @ w\n",
	 "contract.stages=3", "contract.depth=8", "contract.split=1"},
	{"def f(x: i32[20, 100], w: i32[100, 12], u: u8[20, 12]):\n"
	 "    return (x @ w) * i32(u)\n",
	 "contract.stages=4", "contract.depth=8", "contract.split=1"},
	{"def f(x: f32[37, 100], w: f32[52, 100]):\n"
	 "    return x @ w.T\n",
	 "contract.stages=3", "contract.depth=16", "contract.split=5"},
};

/* The results' bytes, of inputs that a seed gives; NULL: it did not run. */
static uint8_t *results(Judge *j, TenonProgram *p, const Product *x,
			const char *operands, size_t *bytes)
{
	bool forwarded = strstr(operands, "forwarded") != NULL;
	const char *pins[] = {TILE, x->depth, x->split, operands,
			      forwarded ? x->stages : "contract.stages=2"};
	TenonPlanOptions o = {
		.target = "opencl", .pins = pins, .npins = ARRAY_LEN(pins)};
	int nin = tenon_program_inputs(p), nout = tenon_program_results(p);
	TenonTensor in[4] = {0}, out[2] = {0};
	TenonPlan *plan = NULL;
	uint8_t *all = NULL;
	bool applies;

	if (!CHECK(!tenon_compile(j->c, p, &o, &plan) &&
		   !tenon_fixture(p, "random", 1, in, &applies) && applies)) {
		printf("%s%s", x->text, tenon_message(j->c));
		return NULL;
	}
	*bytes = 0;
	for (int i = 0; i < nout; i++) {
		tenon_result_desc(p, i, &out[i]);
		*bytes += tenon_tensor_bytes(&out[i]);
	}
	all = arena_array(&j->arena, uint8_t, *bytes);
	uint8_t *at = all;
	for (int i = 0; i < nout; i++) {
		out[i].data = at;
		at += tenon_tensor_bytes(&out[i]);
	}
	CHECK(!tenon_plan_run(plan, in, out));
	for (int i = 0; i < nin; i++)
		tenon_release(in[i].data, tenon_tensor_bytes(&in[i]));
	/* it says how operands come */
	const char *note = plan->plan->kernels->kernels.p[0].note;
	CHECK((strstr(note, "a ring of") != NULL) == forwarded);
	tenon_plan_free(plan);
	return all;
}

static void bits(void)
{
	Judge j;

	judge_init(&j);
	bool here = judge_has_opencl(j.c);
	for (size_t i = 0; here && i < ARRAY_LEN(products); i++) {
		const Product *x = &products[i];
		size_t n = 0, m = 0;
		TenonProgram *p;
		if (!CHECK(!tenon_program_from_text(j.c, "simt", x->text, NULL,
						    &p)))
			break;
		const uint8_t *want =
			results(&j, p, x, "contract.operands=staged", &n);
		const uint8_t *got =
			results(&j, p, x, "contract.operands=forwarded", &m);
		if (!CHECK(want && got && n == m && !memcmp(want, got, n)))
			printf("other bits:\n%s", x->text);
		tenon_program_free(p);
	}
	judge_release(&j);
	if (!here)
		SKIP_UNTIL_SETUP(no_device);
}

/* Sizes that are names: no run of a row is known to be 16 bytes. */
static void judged(void)
{
	static const char text[] = "def f(x: f32[M, K], w: f32[N, K]):\n"
				   "    return x @ w.T\n";
	static const char *const pins[] = {TILE, "contract.operands=forwarded",
					   "contract.stages=3",
					   "contract.depth=8"};
	static const Sizes sizes[] = {
		{{37, 70, 96}}, {{1, 1, 1}}, {{17, 0, 40}}, {{40, 64, 31}}};
	TenonProgram *p = NULL;
	Judge j;

	judge_init(&j);
	j.target = "opencl";
	j.pins = pins;
	j.npins = ARRAY_LEN(pins);
	bool here =
		judge_has_opencl(j.c) &&
		CHECK(!tenon_program_from_text(j.c, "simt", text, NULL, &p));
	if (here &&
	    !CHECK(judge_program(&j, p, sizes, ARRAY_LEN(sizes), JUDGE_REPEAT)))
		printf("%s", buf_str(&j.why));
	judge_clear(&j);
	tenon_program_free(p);
	judge_release(&j);
	if (!here)
		SKIP_UNTIL_SETUP(no_device);
}

/* ---- the rule -------------------------------------------------------- */

#define ACROSS                                                                 \
	"def f(x: f32[2048, 512], w: f32[512, 2048]):\n"                       \
	"    return x @ w\n"
#define TWICE                                                                  \
	"def f(x: f32[512, 2048], w: f32[512, 2048]):\n"                       \
	"    return (x * 2).T @ w\n"

/* What each target takes of operands that may come either way. */
static void rule(void)
{
	static const struct {
		const char *target, *text, *tile;
		const char *says; /* in the note; NULL: they are staged */
	} cases[] = {
		{"cuda:sm_90a", ACROSS, "128x128", "the right operand copied"},
		{"cuda:sm_80", ACROSS, "128x128", "the right operand copied"},
		{"cuda:sm_90a", TWICE, "128x128", "the right operand copied"},
		{"cuda:sm_90a",
		 "def f(x: f32[512, 2048], w: f32[512, 2048]):\n"
		 "    return x.T @ w\n",
		 "128x128", "both operands copied"},
		{"cuda:sm_75", ACROSS, "128x128", NULL},
		{"opencl", ACROSS, "64x64", NULL},
		{"cuda:sm_90a", ACROSS, "128x256", NULL},
		{"cuda:sm_90a", ACROSS, "64x128", NULL},
		/* along K; by rows that are no runs of 16 bytes; of 8 bytes */
		{"cuda:sm_90a",
		 "def f(x: f32[2048, 512], w: f32[2048, 512]):\n"
		 "    return x @ w.T\n",
		 "128x128", NULL},
		{"cuda:sm_90a",
		 "def f(x: f32[2048, 512], w: f32[512, 2047]):\n"
		 "    return x @ w\n",
		 "128x128", NULL},
		{"cuda:sm_90a",
		 "def f(x: f64[2048, 512], w: f64[512, 2048]):\n"
		 "    return x @ w\n",
		 "64x128", NULL},
	};
	Judge j;

	judge_init(&j);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *pin = arena_printf(&j.arena, "contract.tile=%s",
					       cases[i].tile);
		TenonPlanOptions o = {.target = cases[i].target,
				      .pins = &pin,
				      .npins = 1,
				      .emit_only = true};
		TenonProgram *p = NULL;
		TenonPlan *plan = NULL;
		const char *note = "", *says = cases[i].says;
		if (CHECK(!tenon_program_from_text(j.c, "rule", cases[i].text,
						   NULL, &p)) &&
		    CHECK(!tenon_compile(j.c, p, &o, &plan)))
			note = plan->plan->kernels->kernels.p[0].note;
		if (!CHECK(strstr(note, says ? says : "the next block of K")))
			printf("%s, %s: %s\n%s", cases[i].target, cases[i].tile,
			       note, cases[i].text);
		tenon_plan_free(plan);
		tenon_program_free(p);
	}
	judge_release(&j);
}

TEST_MAIN(TEST(bits), TEST(judged), TEST(rule))
