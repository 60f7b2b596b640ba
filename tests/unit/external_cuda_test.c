/*
 * external_cuda: a user's kernels of CUDA, from the signature file to the cubin
 * and the plan. No device is needed; external_device_test.c runs them.
 */
#include "tests/unit/api.h"

#include "runtime/cubin.h"

#define PROGRAM                                                                \
	"dims d: M = 100\n"                                                    \
	"def f(x: f16[M, 64], b: f32[64]):\n"                                  \
	"    s = f32(x) + b\n"                                                 \
	"    return s * s\n"
#define SIGNATURE                                                              \
	"{\"name\": \"mine\", \"source\": \"mine.cu\",\n"                      \
	" \"symbol\": \"square\",\n"                                           \
	" \"inputs\": [{\"name\": \"x\", \"dtype\": \"f16\", "                 \
	"\"shape\": [\"M\", 64]},\n"                                           \
	"  {\"name\": \"b\", \"dtype\": \"f32\", \"shape\": [64]}],\n"         \
	" \"results\": [{\"name\": \"y\", \"dtype\": \"f32\", "                \
	"\"shape\": [\"M\", 64]}],\n"                                          \
	" \"arguments\": [\"M\", \"x\", \"b\", \"y\"],\n"                      \
	" \"tasks\": \"(M + 3)//4\", \"threads\": 96, \"shared\": 1024}\n"
#define HEAD                                                                   \
	"extern \"C\" __global__ void square(int64_t M, const uint16_t *x,\n"  \
	"\tconst float *__restrict__ b, float *y)\n"
#define SOURCE                                                                 \
	"#include <stdint.h>\n" HEAD "{\n"                                     \
	"\textern __shared__ float row[];\n"                                   \
	"\tfor (int64_t i = 4 * blockIdx.x; i < M && i < 4 * blockIdx.x + 4;"  \
	" i++)\n"                                                              \
	"\t\tfor (int j = threadIdx.x; j < 64; j += blockDim.x) {\n"           \
	"\t\t\tfloat f;\n"                                                     \
	"\t\t\tasm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(f)"                        \
	" : \"h\"(x[64 * i + j]));\n"                                          \
	"\t\t\trow[j] = f + b[j];\n"                                           \
	"\t\t\ty[64 * i + j] = row[j] * row[j];\n"                             \
	"\t\t}\n"                                                              \
	"}\n"

static const char *const pins[] = {"external.kernel=mine"};

/* Emitted only, and with `build` compiled too where NVRTC is. */
static TenonError compile(Case *k, const char *signature, const char *source,
			  const char *target, bool build)
{
	const char *path = test_path("mine.json");
	TenonPlanOptions o = {.target = target,
			      .externals = &path,
			      .nexternals = 1,
			      .pins = pins,
			      .npins = 1,
			      .emit_only = true,
			      .build = build};

	file_put(path, signature);
	file_put(test_path("mine.cu"), source);
	*k = (Case){.c = tenon_context_new()};
	if (!works(k, tenon_program_from_text(k->c, "t", PROGRAM, NULL, &k->p),
		   "program"))
		return TENON_EPROGRAM;
	return tenon_compile(k->c, k->p, &o, &k->plan);
}

static const char h100[] = "cuda:sm_90a";

static bool put(void *arg, const char *text, size_t n)
{
	buf_write(arg, text, n);
	return true;
}

static const char *dumped(Arena *a, const Case *k, const char *stage)
{
	Buf b;

	buf_init(&b, a);
	works(k, tenon_plan_dump(k->plan, stage, put, &b), stage);
	return buf_str(&b);
}

/* What is launched is what the signature says, and the text holds it. */
static void emitted(void)
{
	Arena a;
	Case k;

	arena_init(&a);
	if (works(&k, compile(&k, SIGNATURE, SOURCE, h100, false), "compile")) {
		const char *text = dumped(&a, &k, "kernels");
		const PlanLaunch *l = &k.plan->plan->launches.p[0];
		CHECK(k.plan->plan->launches.n == 1);
		CHECK_STR(plan_symbol(&a, k.plan->plan, l), "square");
		CHECK(ex_equals(&k.plan->kernels->program->ex, l->scratch,
				1024));
		CHECK(strstr(text, "its stores are not proved in bounds"));
		CHECK(strstr(text,
			     "phase main foreign mine symbol square file "
			     "\"mine.cu\" threads 96 shared 1024 tasks "
			     "(M + 3)//4 {\n\t\targuments dim 0 b_x b_b "));
		CHECK(strstr(dumped(&a, &k, "plan"),
			     "\"external kernel=mine\""));
		text = dumped(&a, &k, "sources");
		CHECK(strstr(text, "__launch_bounds__(96) square(int64_t, "
				   "const uint16_t *, const float *, float *);"
				   "\n#line 1 \"mine.cu\"\n" SOURCE));
	}
	case_close(&k);
	arena_release(&a);
}

/* The text reads back, and is the same text. */
static void read_back(void)
{
	Arena a;
	Ctx ctx;
	Case k;
	Buf again;

	arena_init(&a);
	ctx_init(&ctx);
	buf_init(&again, &a);
	if (works(&k, compile(&k, SIGNATURE, SOURCE, h100, false), "compile")) {
		const char *text = dumped(&a, &k, "kernels");
		Kernels *ks = kernels_parse(
			&ctx, &a,
			ctx_add_source(&ctx, "k", text, strlen(text)));
		if (CHECK(ks != NULL)) {
			kernels_print(ks, &again);
			CHECK_STR(buf_str(&again), text);
		}
		/* laws: a task is a block, of so many threads */
		static const char *const rows[][2] = {
			{"arguments dim 0", "arguments task"},
			{"dim 0 b_x", "dim 1 b_x"},
			{"threads 96 shared", "shared"},
		};
		for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
			const char *bad =
				replaced(&a, text, rows[i][0], rows[i][1]);
			CHECK(!kernels_parse(
				&ctx, &a,
				ctx_add_source(&ctx, "k", bad, strlen(bad))));
		}
	}
	case_close(&k);
	ctx_release(&ctx);
	arena_release(&a);
}

static void compiled(void)
{
	static const char *const targets[] = {"cuda:sm_80", "cuda:sm_90a"};
	TenonCode code;
	Case k;

	if (!compiler_here())
		SKIP_UNTIL_SETUP("NVRTC is not here");
	for (size_t i = 0; i < ARRAY_LEN(targets); i++) {
		if (works(&k, compile(&k, SIGNATURE, SOURCE, targets[i], true),
			  "compile") &&
		    CHECK(tenon_plan_code(k.plan, 0, &code)))
			CHECK(code.registers > 0 && code.shared == 1024);
		case_close(&k);
	}
}

static void signatures(void)
{
	static const struct {
		const char *from, *to, *words;
	} rows[] = {
		{", \"threads\": 96", "",
		 "`threads` is missing, and a block of CUDA has 1 to 1024"},
		{"\"threads\": 96", "\"threads\": 0",
		 "`threads` is no such number"},
		{"\"threads\": 96", "\"threads\": 1025",
		 "`threads` is no such number"},
		{"\"threads\": 96", "\"threads\": \"96\"",
		 "`threads` is no such number"},
		{"\"shared\": 1024", "\"shared\": -1",
		 "`shared` is no number of bytes"},
		{"\"shared\": 1024", "\"shared\": \"1k\"",
		 "`shared` is no number of bytes"},
		{"\"shared\": 1024", "\"shared\": 232449",
		 "mine asks for 232449 bytes of a block's memory, of 232448"},
		{"\"b\", \"y\"]", "\"b\", \"y\", \"task\"]",
		 "`arguments`: a kernel of CUDA has no `task`: its block is "
		 "blockIdx.x"},
		{"\"tasks\"", "\"grid\"", "`grid` is no key of a signature"},
		{"(M + 3)//4", "(K + 3)//4", "`tasks`: `(K + 3)//4`: "},
		{"\"symbol\": \"square\"", "\"symbol\": \"cube\"",
		 "`symbol` is cube, which "},
		{"\"dtype\": \"f16\"", "\"dtype\": \"f32\"",
		 "`inputs`: x is f16 in the program, and `dtype` is f32"},
	};
	Arena a;
	Case k;

	arena_init(&a);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *s =
			replaced(&a, SIGNATURE, rows[i].from, rows[i].to);
		refused(&k, compile(&k, s, SOURCE, h100, false), TENON_EUSAGE,
			rows[i].words);
		case_close(&k);
	}
	arena_release(&a);
}

/* A kernel is for one kind of target, whether it is pinned or not. */
static void targets(void)
{
	static const struct {
		const char *target, *words;
	} rows[] = {
		{"cpu:avx2", "mine.json: `source` is mine.cu, a kernel of "
			     "CUDA, and the target is cpu:avx2\n"
			     "hint: use --target cuda"},
		{"cuda:sm_80", "mine.json: `source` is mine.c, a function of "
			       "C, and the target is cuda:sm_80\n"
			       "hint: use --target cpu"},
	};
	Arena a;
	Case k;

	arena_init(&a);
	refused(&k, compile(&k, SIGNATURE, SOURCE, rows[0].target, false),
		TENON_EUSAGE, rows[0].words);
	case_close(&k);
	file_put(test_path("mine.c"), SOURCE);
	const char *s = replaced(&a, SIGNATURE, "mine.cu", "mine.c");
	s = replaced(&a, s, ", \"threads\": 96, \"shared\": 1024", "");
	refused(&k, compile(&k, s, SOURCE, rows[1].target, false), TENON_EUSAGE,
		rows[1].words);
	case_close(&k);
	arena_release(&a);
}

/* The compiler's errors are at the user's lines. */
static void sources(void)
{
	static const struct {
		const char *from, *to, *words;
	} rows[] = {
		{"int64_t M", "int M", "mine.cu(2): error: more than one"},
		{"const uint16_t *x", "uint16_t *x", "mine.cu(2): error: "},
		{"__global__ ", "", "mine.cu(2): error: "},
		{"row[j] = f", "raw[j] = f", "mine.cu(10): error: "},
		{"<stdint.h>", "<cuda_fp16.h>", "mine.cu(1): "},
		/* to C++ another function */
		{"extern \"C\" __global__ void square(int64_t M",
		 "__global__ void square(int M",
		 "mine.cu: it defines no kernel `square` (`symbol`) that is "
		 "extern \"C\" and has these `arguments`\n"
		 "hint: extern \"C\" __global__ void square(int64_t, const "
		 "uint16_t *, const float *, float *)"},
		{"void square(", "void /* square */ cube(",
		 "mine.cu: it defines no kernel `square`"},
	};
	Arena a;
	Case k;

	if (!compiler_here())
		SKIP_UNTIL_SETUP("NVRTC is not here");
	arena_init(&a);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *s = replaced(&a, SOURCE, rows[i].from, rows[i].to);
		refused(&k, compile(&k, SIGNATURE, s, h100, true), TENON_EENV,
			rows[i].words);
		case_close(&k);
	}
	arena_release(&a);
}

/* A saved plan holds the source; without a device it is read up to there. */
static void saved(void)
{
	const char *plan = test_path("plan.json");
	TenonProgram *p;
	TenonPlan *q;
	Arena a;
	Case k;

	if (!compiler_here())
		SKIP_UNTIL_SETUP("NVRTC is not here");
	arena_init(&a);
	if (works(&k, compile(&k, SIGNATURE, SOURCE, h100, true), "compile") &&
	    works(&k, tenon_plan_save(k.plan, plan), "save")) {
		CHECK(unlink(test_path("mine.cu")) == 0 &&
		      unlink(test_path("mine.json")) == 0);
		TenonPlanOptions o = {
			.target = h100, .emit_only = true, .build = true};
		const char *kernels = test_path("mine.kernels");
		file_put(kernels, dumped(&a, &k, "kernels"));
		TenonPlan *from = NULL;
		TenonProgram *read = NULL;
		if (works(&k,
			  tenon_resume(k.c, "kernels", kernels, &o, &read,
				       &from),
			  "from its kernels")) {
			TenonPlanInfo was, is;
			tenon_plan_info(k.plan, &was);
			tenon_plan_info(from, &is);
			CHECK(is.kernels == was.kernels);
			tenon_plan_free(from);
			tenon_program_free(read);
		}
		TenonError e = tenon_plan_load(k.c, plan, &p, &q);
		CHECK(e == TENON_OK || e == TENON_EENV);
		if (!CHECK(!e || strstr(tenon_message(k.c), "CUDA")))
			printf("%s", tenon_message(k.c));
		if (!e) {
			tenon_plan_free(q);
			tenon_program_free(p);
		}
		/* nor does OpenCL run it */
		TenonPlanOptions cl = {.target = "opencl", .emit_only = true};
		refused(&k,
			tenon_resume(k.c, "kernels", kernels, &cl, &read,
				     &from),
			TENON_EENV, "a user's kernel of CUDA, which opencl");
	}
	case_close(&k);
	arena_release(&a);
	test_folder_remove();
}

TEST_MAIN(TEST(emitted), TEST(read_back), TEST(compiled), TEST(signatures),
	  TEST(targets), TEST(sources), TEST(saved))
