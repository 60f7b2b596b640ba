/*
 * call: what a caller's tensors may be: overlapping, donated, strided,
 * unaligned, empty, of the wrong shape; and what is refused with which
 * words.
 */
#include "tests/unit/api.h"

static bool compiled(Case *k, const char *text)
{
	return case_open(k, "t.tn", text, NULL) && case_compile(k);
}

/* ---- overlap and donation -------------------------------------------- */

static const char two_results[] = "dims d: M = 5, N = 7\n"
				  "def f(x: f32[M, N]):\n"
				  "    return x + x, x * x\n";

static void overlap(void)
{
	Case k;

	if (compiled(&k, two_results) && case_fill(&k, "search")) {
		TenonTensor out[2] = {k.out[0], k.out[1]};
		out[1].data = out[0].data;
		refused(&k, tenon_plan_run(k.plan, k.in, out), TENON_EUSAGE,
			"results y0 and y1 overlap in memory; give each its "
			"own buffer");
		/* by one element */
		char *both = tenon_alloc(2 * 140);
		CHECK(!tenon_plan_run(k.plan, k.in, k.out));
		out[0].data = both;
		out[1].data = both + 136;
		refused(&k, tenon_plan_run(k.plan, k.in, out), TENON_EUSAGE,
			"results y0 and y1 overlap in memory");
		out[1].data = both + 140;
		CHECK(!tenon_plan_run(k.plan, k.in, out));
		CHECK(!memcmp(both, k.out[0].data, 140));
		CHECK(!memcmp(both + 140, k.out[1].data, 140));
		/* from its end */
		out[0].data = both + 139;
		out[1].data = both;
		refused(&k, tenon_plan_run(k.plan, k.in, out), TENON_EUSAGE,
			"overlap");
		tenon_release(both, 2 * 140);
		out[0].data = k.in[0].data;
		out[1].data = k.out[1].data;
		refused(&k, tenon_plan_run(k.plan, k.in, out), TENON_EUSAGE,
			"result y0 overlaps input x; inputs are immutable");
	}
	case_close(&k);
}

/* Runs with result 0 in the buffer of input 0: 1 as apart, 0 refused. */
static int in_place(const char *text)
{
	Case k;
	int got = -1;

	if (compiled(&k, text) && case_fill(&k, "search") && case_run(&k)) {
		TenonTensor out[CASE_TENSORS];
		uint64_t want = case_hash(&k);
		void *apart = k.out[0].data;
		memcpy(out, k.out, sizeof(out));
		out[0].data = k.in[0].data;
		TenonError e = tenon_plan_run(k.plan, k.in, out);
		if (e)
			refused(&k, e, TENON_EUSAGE, "overlaps input x");
		k.out[0].data = k.in[0].data;
		if (!e && !CHECK(case_hash(&k) == want))
			printf("%s", text);
		k.out[0].data = apart;
		got = !e;
	}
	case_close(&k);
	return got;
}

#define DIMS "dims d: M = 33, N = 65, K = 40\n"

static void donate(void)
{
	CHECK(in_place(DIMS "@donate(x)\n"
			    "def f(x: f32[M, N], y: f32[N]):\n"
			    "    return relu(x * y + 1)\n") == 1);
	/* not donated */
	CHECK(in_place(DIMS "def f(x: f32[M, N], y: f32[N]):\n"
			    "    return relu(x * y + 1)\n") == 0);
	/* read after it would be written */
	CHECK(in_place(DIMS "@donate(x)\n"
			    "def f(x: f32[M, N]):\n"
			    "    return x[::-1] + x\n") == 0);
	/* another dtype */
	CHECK(in_place(DIMS "@donate(x)\n"
			    "def f(x: f32[M, N]):\n"
			    "    return i32(x)\n") == 0);
	/* read whole, packed, before any element is written */
	CHECK(in_place(DIMS "@donate(x)\n"
			    "def f(x: f16[M, M], w: f16[M, M]):\n"
			    "    return x @ w\n") >= 0);
	CHECK(in_place(DIMS "@donate(x)\n"
			    "def f(x: f16[M, N], a: f16[M, K], w: f16[K, N]):\n"
			    "    return a @ w + x\n") >= 0);
	CHECK(in_place(DIMS "@donate(x)\n"
			    "def f(x: f32[M, N]):\n"
			    "    return softmax(x, axis=-1)\n") == 1);
	/* each row is read whole before it is written, three times over */
	CHECK(in_place(DIMS "@donate(x)\n"
			    "def f(x: f32[M, N], g: f32[N]):\n"
			    "    return layer_norm(x, g)\n") == 1);
	/* long rows in pieces */
	CHECK(in_place("dims d: M = 1, N = 70001\n"
		       "@donate(x)\n"
		       "def f(x: f32[M, N]):\n"
		       "    return layer_norm(x)\n") == 1);
	/* columns are read along rows */
	CHECK(in_place(DIMS "@donate(x)\n"
			    "def f(x: f32[M, N]):\n"
			    "    return softmax(x, axis=0)\n") >= 0);
	/* rows that other rows read */
	CHECK(in_place(DIMS "@donate(x)\n"
			    "def f(x: f32[M, N]):\n"
			    "    return softmax(x) + x[::-1]\n") == 0);
	/* another result's kernel reads x too */
	CHECK(in_place(DIMS "@donate(x)\n"
			    "def f(x: f32[M, N]):\n"
			    "    return x + 1, x @ x.T\n") >= 0);
	CHECK(in_place(DIMS "@donate(x)\n"
			    "def f(x: f32[M, N]):\n"
			    "    y = x + 1\n"
			    "    return y, softmax(y, axis=-1), x * 2\n") >= 0);
	/* written without being read */
	CHECK(in_place(DIMS "@donate(x)\n"
			    "def f(x: f32[M, N], y: f32[M, N]):\n"
			    "    return y + 1, x * 2\n") >= 0);
	CHECK(in_place(DIMS "@donate(x)\n"
			    "def f(x: f32[M, N], y: f32[M, N]):\n"
			    "    return y, x\n") == 0);
	CHECK(in_place(DIMS "@donate(x)\n"
			    "def f(x: f32[M, M]):\n"
			    "    return x + x.T\n") == 0);
	CHECK(in_place(DIMS "@donate(x)\n"
			    "def f(x: f32[M, N]):\n"
			    "    return cumsum(x, axis=0)\n") >= 0);
	CHECK(in_place(DIMS "@donate(x)\n"
			    "def f(x: f32[M, N]):\n"
			    "    return x - sum(x, axis=0)\n") >= 0);
}

/* ---- strides and alignment ------------------------------------------- */

static const char strided_text[] = "dims d: M = 6, N = 10\n"
				   "def f(x: f32[M, N], y: f32[N]):\n"
				   "    return x * y + 1\n";

/* t's elements in another layout of the same shape. */
static TenonTensor laid_out(const TenonTensor *t, char *space, int64_t s0,
			    int64_t s1, bool fill)
{
	TenonTensor r = *t;
	const char *from = t->data;

	r.strides[0] = s0;
	r.strides[1] = s1;
	r.data = space;
	for (int64_t i = 0; fill && i < t->shape[0]; i++)
		for (int64_t j = 0; j < t->shape[1]; j++, from += 4)
			memcpy(space + i * s0 + j * s1, from, 4);
	return r;
}

static bool same_elements(const TenonTensor *t, const TenonTensor *flat)
{
	const char *want = flat->data;

	for (int64_t i = 0; i < t->shape[0]; i++)
		for (int64_t j = 0; j < t->shape[1]; j++, want += 4)
			if (memcmp((char *)t->data + i * t->strides[0] +
					   j * t->strides[1],
				   want, 4))
				return false;
	return true;
}

static void run_laid_out(Case *k, const char *name, size_t start, int64_t s0,
			 int64_t s1)
{
	char in_space[4096], out_space[4096];
	TenonTensor in[2] = {
		laid_out(&k->in[0], in_space + start, s0, s1, true), k->in[1]};
	TenonTensor out =
		laid_out(&k->out[0], out_space + start, s0, s1, false);

	memset(out_space, 0, sizeof(out_space));
	tenon_notices(k->c);
	if (!works(k, tenon_plan_run(k->plan, in, &out), name) ||
	    !CHECK(same_elements(&out, &k->out[0])))
		printf("%s\n", name);
	CHECK_STR(tenon_notices(k->c),
		  "input x: copied, since its strides or alignment are not "
		  "what the plan admits\n"
		  "result y: copied, since its strides or alignment are not "
		  "what the plan admits\n");
}

static void strided(void)
{
	Case k;

	if (compiled(&k, strided_text) && case_fill(&k, "search") &&
	    case_run(&k)) {
		CHECK_STR(tenon_notices(k.c), "");
		run_laid_out(&k, "padded rows", 0, 64, 4);
		run_laid_out(&k, "transposed", 0, 4, 24);
		run_laid_out(&k, "every second", 0, 80, 8);
		run_laid_out(&k, "backwards", 1000, -40, 4);
		run_laid_out(&k, "both backwards", 1000, -48, -4);
		run_laid_out(&k, "unaligned", 1, 40, 4);
		run_laid_out(&k, "odd strides", 3, 57, 5);
		/* one row for all */
		TenonTensor in[2] = {k.in[0], k.in[1]}, out = k.out[0];
		in[0].strides[0] = 0;
		CHECK(!tenon_plan_run(k.plan, in, &out));
		CHECK(!memcmp(out.data, (char *)out.data + 40, 40));
	}
	case_close(&k);
}

/* ---- sizes ----------------------------------------------------------- */

static void empty_and_scalar(void)
{
	Case k;
	float x = 3, y = 0;

	if (compiled(&k, "def f(x: f32):\n    return x * x\n")) {
		TenonTensor in = {.dtype = TENON_F32, .data = &x};
		TenonTensor out = {.dtype = TENON_F32, .data = &y};
		CHECK(!tenon_plan_run(k.plan, &in, &out) && y == 9);
	}
	case_close(&k);
	if (compiled(&k, "dims d: M = 0, K = 3\n"
			 "def f(x: f32[M, K], w: f32[K, 2]):\n"
			 "    return x @ w, sum(x, axis=0), x + 1\n") &&
	    case_fill(&k, "search") && case_run(&k)) {
		const float *s = k.out[1].data;
		CHECK(s[0] == 0 && s[1] == 0 && s[2] == 0);
		/* K = 0: sums of nothing */
		tenon_set_dim(k.p, "M", 2);
		tenon_set_dim(k.p, "K", 0);
		if (case_fill(&k, "search") && case_run(&k)) {
			const float *p = k.out[0].data;
			CHECK(p[0] == 0 && p[1] == 0 && p[2] == 0 && p[3] == 0);
		}
	}
	case_close(&k);
}

static void wrong_tensors(void)
{
	Case k;
	TenonTensor in[2], out;

	if (!compiled(&k, strided_text) || !case_fill(&k, "search"))
		return;
#define RESET (memcpy(in, k.in, sizeof(in)), out = k.out[0])
#define REFUSED(e, words)                                                      \
	refused(&k, tenon_plan_run(k.plan, in, &out), e, words)
	RESET;
	in[0].dtype = TENON_F16;
	REFUSED(TENON_EUSAGE, "input x: dtype is f16, the program wants f32");
	RESET;
	in[0].dtype = (TenonDType)77;
	REFUSED(TENON_EUSAGE, "input x: dtype is ?, the program wants f32");
	RESET;
	in[0].rank = 1;
	REFUSED(TENON_EUSAGE, "input x: rank is 1, the program wants 2");
	RESET;
	in[0].rank = 12;
	REFUSED(TENON_EUSAGE, "input x: rank is 12, the program wants 2");
	RESET;
	in[0].shape[0] = -1;
	REFUSED(TENON_EUSAGE, "input x: negative extent");
	RESET;
	in[1].shape[0] = 9;
	REFUSED(TENON_EPROGRAM,
		"input y: axis 0 has extent 9, but N is 10 here");
	RESET;
	in[0].shape[0] = INT64_MAX;
	REFUSED(TENON_EUSAGE, "input x: axis 0 makes M = 9223372036854775807, "
			      "which must be 0 to ");
	RESET;
	in[0].shape[0] = (int64_t)1 << 39;
	in[0].shape[1] = in[1].shape[0] = (int64_t)1 << 39;
	REFUSED(TENON_EUSAGE, "overflow");
	RESET;
	out.shape[1] = 11;
	REFUSED(TENON_EUSAGE, "result y: axis 1 has extent 11, 10 wanted");
	RESET;
	out.dtype = TENON_I32;
	REFUSED(TENON_EUSAGE,
		"result y: dtype i32 and rank 2 given, f32 and 2 wanted");
	RESET;
	out.rank = 0;
	REFUSED(TENON_EUSAGE,
		"result y: dtype f32 and rank 0 given, f32 and 2 wanted");
	RESET;
	CHECK(!tenon_plan_run(k.plan, in, &out));
	case_close(&k);
}

static void wrong_sizes(void)
{
	Case k;
	TenonTensor t;

	if (case_open(&k, "t.tn",
		      "def f(x: f32[M, N]):\n    return x[3:], x @ x.T\n",
		      NULL)) {
		refused(&k, tenon_input_desc(k.p, 0, &t), TENON_EUSAGE,
			"x: its shape has a dim that is unset");
		refused(&k, tenon_set_dim(k.p, "M", -1), TENON_EUSAGE,
			"dim M = -1: must be ");
		refused(&k, tenon_set_dim(k.p, "M", INT64_MAX), TENON_EUSAGE,
			"dim M = 9223372036854775807: must be ");
		refused(&k, tenon_set_dim(k.p, "Q", 1), TENON_EUSAGE,
			"no dim named `Q`");
		refused(&k, tenon_set_dims(k.p, "main"), TENON_EUSAGE,
			"no set of dims named `main`");
		CHECK(!tenon_set_dim(k.p, "N", (int64_t)1 << 39));
		CHECK(!tenon_set_dim(k.p, "M", (int64_t)1 << 39));
		refused(&k, tenon_input_desc(k.p, 0, &t), TENON_EUSAGE,
			"x: its size overflows 64 bits");
	}
	case_close(&k);
}

typedef struct Cut {
	const char *from, *to, *start, *step;
	int64_t in, out; /* sizes of M that are and are not right */
} Cut;

static bool cut_open(Case *k, const Cut *c)
{
	TenonPlanOptions o = {0};
	const char *path = test_path("slice.program");
	FILE *f = fopen(path, "w");

	*k = (Case){.c = tenon_context_new()};
	if (!CHECK(f != NULL && k->c != NULL))
		return false;
	fprintf(f,
		"program p\ndim M in 0..100\n"
		"%%0 x: f32[%s] = input index=0\n"
		"%%1: f32[%s] = slice %%0 start=[%s] step=[%s]\n"
		"%%2: f32[%s] = neg %%1\nreturn %%2 as y\n",
		c->from, c->to, c->start, c->step, c->to);
	return CHECK(fclose(f) == 0) &&
	       works(k,
		     tenon_resume(k->c, "program", path, &o, &k->p, &k->plan),
		     "slice");
}

/* A stage 1 may hold slices that lie in their operands under some sizes only,
 * also where an extent is 1. */
static void slices_outside(void)
{
	static const Cut cuts[] = {
		{"1", "1", "M", "1", 0, 3},
		{"1", "1", "M - 1", "1", 1, 2},
		{"1", "M", "0", "1", 1, 2},
		{"1", "M", "0", "-1", 1, 4},
		{"5", "1", "M", "1", 4, 30},
		{"5", "1", "M - 1", "1", 5, 0},
		{"5", "M", "1", "2", 2, 3},
		{"M", "2", "4", "-3", 5, 4},
		{"2, M", "1, 0", "M, 0", "1, 1", 9, -1}, /* shows nothing */
	};

	for (size_t i = 0; i < ARRAY_LEN(cuts); i++) {
		TenonOutcome out = TENON_FAIL;
		bool applies;
		Case k;
		if (cut_open(&k, &cuts[i]) &&
		    !tenon_set_dim(k.p, "M", cuts[i].in) &&
		    case_fill(&k, "random") && case_run(&k) &&
		    works(&k,
			  tenon_judge(k.plan, k.in, k.out, NULL, NULL, &out),
			  "judge"))
			CHECK(out == TENON_PASS);
		tensors_release(k.in);
		if (cuts[i].out >= 0 &&
		    CHECK(!tenon_set_dim(k.p, "M", cuts[i].out)) &&
		    works(&k, tenon_input_desc(k.p, 0, &k.in[0]), "input")) {
			k.in[0].data =
				tenon_alloc(tenon_tensor_bytes(&k.in[0]));
			refused(&k,
				tenon_fixture(k.p, "random", 1, &k.in[1],
					      &applies),
				TENON_EPROGRAM, "`slice`: axis 0 runs from");
			if (case_results(&k)) {
				refused(&k, tenon_plan_run(k.plan, k.in, k.out),
					TENON_EPROGRAM, "`slice`: axis 0 runs");
				refused(&k,
					tenon_judge(k.plan, k.in, k.out, NULL,
						    NULL, &out),
					TENON_EPROGRAM, "`slice`: axis 0 runs");
			}
		}
		case_close(&k);
	}
	test_folder_remove();
}

/* ---- what only a run can tell ---------------------------------------- */

static void faults(void)
{
	Case k;
	int32_t index = 4, zero[] = {1, 0}, got[2];

	if (compiled(&k, "def f(x: f32[4], i: i32):\n"
			 "    return gather(x, i)\n") &&
	    case_fill(&k, "zeros")) {
		tenon_release(k.in[1].data, sizeof(index));
		k.in[1].data = &index;
		refused(&k, tenon_plan_run(k.plan, k.in, k.out), TENON_EPROGRAM,
			"t.tn:2:12: error: index 4 is out of range for axis 0 "
			"of extent 4\n");
		index = -5;
		refused(&k, tenon_plan_run(k.plan, k.in, k.out), TENON_EPROGRAM,
			"index -5 is out of range");
		index = -4;
		CHECK(case_run(&k));
		k.in[1].data = NULL;
	}
	case_close(&k);
	if (compiled(&k, "def f(x: i32[2], y: i32[2]):\n"
			 "    return x // y\n")) {
		TenonTensor in[2] = {{.dtype = TENON_I32,
				      .rank = 1,
				      .shape = {2},
				      .strides = {4},
				      .data = zero}};
		TenonTensor out = in[0];
		in[1] = in[0];
		out.data = got;
		refused(&k, tenon_plan_run(k.plan, in, &out), TENON_EPROGRAM,
			"t.tn:2:12: error: integer division by zero at "
			"element [1]");
	}
	case_close(&k);
}

/* ---- options --------------------------------------------------------- */

static void compile_refused(Case *k, const TenonPlanOptions *o, TenonError e,
			    const char *words)
{
	TenonPlan *plan;

	refused(k, tenon_compile(k->c, k->p, o, &plan), e, words);
	CHECK(plan == NULL);
	tenon_plan_free(plan);
}

static void options(void)
{
	static const struct {
		const char *pin, *words;
	} pins[] = {
		{"contract", "--pin contract: not a pin"},
		{"contract.mr", "--pin contract.mr: not a pin"},
		{".mr=1", "--pin .mr=1: not a pin"},
		{"loop.lanes=x", "the value is not a number"},
		{"loop.lanes=", "the value is not a number"},
		{"nothing.mr=2", "--pin nothing.mr=2: "},
		{"loop.nothing=2", "--pin loop.nothing=2: "},
		{"loop.lanes=3", "--pin loop.lanes=3: "},
		{"contract.mr=0", "--pin contract.mr=0: "},
		{"join.q=yes",
		 "pin `join.q=yes`: the program has no value `q`"},
		{"join.y=maybe", "join takes yes or no"},
	};
	Case k;

	if (case_open(&k, "t.tn", strided_text, NULL)) {
		for (size_t i = 0; i < ARRAY_LEN(pins); i++) {
			TenonPlanOptions o = {.pins = &pins[i].pin, .npins = 1};
			compile_refused(&k, &o, TENON_EUSAGE, pins[i].words);
		}
		compile_refused(&k, &(TenonPlanOptions){.target = "vulkan"},
				TENON_EUSAGE, "--target vulkan: not available");
		compile_refused(&k, &(TenonPlanOptions){.target = "cpu:"},
				TENON_EUSAGE, "--target cpu:: not available");
		compile_refused(&k, &(TenonPlanOptions){.skip = "realise"},
				TENON_EUSAGE, "--skip realise: no such pass");
		TenonPlanOptions emit = {.emit_only = true};
		if (case_fill(&k, "search") &&
		    works(&k, tenon_compile(k.c, k.p, &emit, &k.plan),
			  "emit")) {
			refused(&k, tenon_plan_run(k.plan, k.in, k.out),
				TENON_EUSAGE,
				"the plan was emitted only, not compiled");
			refused(&k, tenon_plan_save(k.plan, "x"), TENON_EUSAGE,
				"only a compiled plan is saved");
			refused(&k, tenon_plan_dump(k.plan, "soup", NULL, NULL),
				TENON_EUSAGE, "--dump=soup: no such stage");
		}
	}
	case_close(&k);
}

TEST_MAIN(TEST(overlap), TEST(donate), TEST(strided), TEST(empty_and_scalar),
	  TEST(wrong_tensors), TEST(wrong_sizes), TEST(slices_outside),
	  TEST(faults), TEST(options))
