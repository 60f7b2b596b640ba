/*
 * external_device: a user's kernels of CUDA on a real device: what is right
 * passes all fixtures, what is wrong, traps, stores astray or hangs does not
 * win and does not bring a search down. Each test is a process of its own, in
 * which nothing has opened the device: a search asks for that. Skipped where no
 * device is; external_cuda_test.c has what needs none.
 *
 * tests/run: plain
 */
#include "tests/unit/tuned.h"

#include "runtime/cuda.h"

#include <sys/wait.h>

enum {
	CHILD_SKIPPED = 77
};

static int child(void (*fn)(void))
{
	int status = 0;

	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		alarm(120);
		fn();
		fflush(stdout);
		_exit(test_bad > 0);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void look(void)
{
	Ctx ctx;
	Cuda cuda;
	Nvrtc nvrtc;

	ctx_init(&ctx);
	bool here = nvrtc_open(&ctx, NULL, &nvrtc) &&
		    cuda_open(&ctx, NULL, 0, &cuda);
	ctx_release(&ctx);
	_exit(here ? 0 : CHILD_SKIPPED);
}

/* Files are in the parent's folder, which it removes. */
#define IN_CHILD(fn)                                                           \
	do {                                                                   \
		test_folder();                                                 \
		if (child(look) != 0)                                          \
			SKIP("no GPU, or no NVRTC for it, is here");           \
		CHECK(child(fn) == 0);                                         \
	} while (0)

/* ---- right ones ------------------------------------------------------- */

/* A product with its epilogue: a block a row, a thread a column. */
static const char affine[] =
	"dims d: M = 70\n"
	"def f(x: f32[M, 48], w: f32[48, 40], b: f32[40]):\n"
	"    return x @ w + b\n";
static const char affine_signature[] =
	"{\"name\": \"mine\", \"source\": \"mine.cu\", \"symbol\": "
	"\"affine\",\n"
	" \"inputs\": [{\"name\": \"x\", \"dtype\": \"f32\", "
	"\"shape\": [\"M\", 48]},\n"
	"  {\"name\": \"w\", \"dtype\": \"f32\", \"shape\": [48, 40]},\n"
	"  {\"name\": \"b\", \"dtype\": \"f32\", \"shape\": [40]}],\n"
	" \"results\": [{\"name\": \"y\", \"dtype\": \"f32\", "
	"\"shape\": [\"M\", 40]}],\n"
	" \"arguments\": [\"x\", \"w\", \"b\", \"y\"],\n"
	" \"tasks\": \"M\", \"threads\": 40}\n";
static const char affine_source[] =
	"extern \"C\" __global__ void affine(const float *x, const float *w,\n"
	"\tconst float *b, float *y)\n"
	"{\n"
	"\tint i = blockIdx.x, j = threadIdx.x;\n"
	"\tfloat sum = 0;\n"
	"\tfor (int k = 0; k < 48; k++)\n"
	"\t\tsum = fmaf(x[48 * i + k], w[40 * k + j], sum);\n"
	"\ty[40 * i + j] = sum + b[j];\n"
	"}\n";

/* 16-bit floats as their bits, a named dim, the block's memory, and a number
 * of threads that is no power of two. */
static const char square[] = "dims d: M = 70\n"
			     "def f(x: f16[M, 64], b: f32[64]):\n"
			     "    s = f32(x) + b\n"
			     "    return s * s\n";
static const char square_signature[] =
	"{\"name\": \"mine\", \"source\": \"mine.cu\", \"symbol\": "
	"\"square\",\n"
	" \"inputs\": [{\"name\": \"x\", \"dtype\": \"f16\", "
	"\"shape\": [\"M\", 64]},\n"
	"  {\"name\": \"b\", \"dtype\": \"f32\", \"shape\": [64]}],\n"
	" \"results\": [{\"name\": \"y\", \"dtype\": \"f32\", "
	"\"shape\": [\"M\", 64]}],\n"
	" \"arguments\": [\"M\", \"x\", \"b\", \"y\"],\n"
	" \"tasks\": \"(M + 3)//4\", \"threads\": 48, \"shared\": 65536}\n";
static const char square_source[] =
	"#include <stdint.h>\n"
	"extern \"C\" __global__ void square(int64_t M, const uint16_t *x,\n"
	"\tconst float *b, float *y)\n"
	"{\n"
	"\textern __shared__ float row[];\n"
	"\tfloat *last = row + 16384 - 64;\n"
	"\tfor (int64_t i = 4 * blockIdx.x; i < M && i < 4 * blockIdx.x + 4;"
	" i++)\n"
	"\t\tfor (int j = threadIdx.x; j < 64; j += blockDim.x) {\n"
	"\t\t\tfloat f;\n"
	"\t\t\tasm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(f) : "
	"\"h\"(x[64 * i + j]));\n"
	"\t\t\tlast[j] = f + b[j];\n"
	"\t\t\ty[64 * i + j] = last[j] * last[j];\n"
	"\t\t}\n"
	"}\n";

static bool passed(const Case *k, TenonPlan *p)
{
	TenonOutcome got = TENON_NONE;

	return works(k, tenon_check(p, NULL, 1, NULL, NULL, &got), "check") &&
	       CHECK(got == TENON_PASS);
}

/* Every family, sizes down to none, the plan from a file and adopted. */
static void one(const char *program, const char *signature, const char *source)
{
	static const char *const pins[] = {"external.kernel=mine"};
	static const int64_t sizes[] = {1, 0, 33, 1030};
	const char *path = test_path("mine.json");
	const char *file = test_path("plan.json");
	TenonPlanOptions o = {.target = "cuda",
			      .externals = &path,
			      .nexternals = 1,
			      .pins = pins,
			      .npins = 1};
	TenonPlanInfo was, is;
	Case k;

	file_put(test_path("mine.json"), signature);
	file_put(test_path("mine.cu"), source);
	if (!case_open(&k, "t", program, NULL) ||
	    !works(&k, tenon_compile(k.c, k.p, &o, &k.plan), "compile"))
		return;
	CHECK(kernel_foreign(&k.plan->kernels->kernels.p[0]) != NULL);
	passed(&k, k.plan);
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		TenonOutcome got = TENON_NONE;
		works(&k, tenon_set_dim(k.p, "M", sizes[i]), "M");
		if (!case_fill(&k, "random") || !case_run(&k))
			continue;
		works(&k, tenon_judge(k.plan, k.in, k.out, NULL, NULL, &got),
		      "judge");
		/* sums of random terms are not all shown right */
		CHECK(got == TENON_PASS || got == TENON_INCONCLUSIVE);
	}
	tenon_plan_info(k.plan, &was);
	if (works(&k, tenon_plan_save(k.plan, file), "save")) {
		CHECK(unlink(test_path("mine.cu")) == 0 &&
		      unlink(test_path("mine.json")) == 0);
		for (int adopt = 0; adopt < 2; adopt++) {
			TenonProgram *p;
			TenonPlan *q;
			if (!works(&k,
				   adopt ? tenon_plan_adopt(k.c, file, &p, &q)
					 : tenon_plan_load(k.c, file, &p, &q),
				   adopt ? "adopt" : "load"))
				continue;
			tenon_plan_info(q, &is);
			CHECK_STR(is.identity, was.identity);
			works(&k, tenon_set_dim(p, "M", 70), "M");
			passed(&k, q);
			tenon_plan_free(q);
			tenon_program_free(p);
		}
	}
	case_close(&k);
}

static void right(void)
{
	one(affine, affine_signature, affine_source);
	one(square, square_signature, square_source);
}

/* ---- a search among faults -------------------------------------------- */

/* Seconds of a call; five times as many of what is judged. */
#define LIMIT 0.4
#define SUM_PROGRAM                                                            \
	"def f(x: f32[M, 61], b: f32[M, 61]):\n"                               \
	"    return x + b\n"
#define SUM_SIGNATURE                                                          \
	"{\"name\": \"%s\", \"source\": \"%s.cu\", \"symbol\": \"%s\",\n"      \
	" \"inputs\": [{\"name\": \"x\", \"dtype\": \"f32\", "                 \
	"\"shape\": [\"M\", 61]},\n"                                           \
	"  {\"name\": \"b\", \"dtype\": \"f32\", \"shape\": [\"M\", 61]}],\n"  \
	" \"results\": [{\"name\": \"y\", \"dtype\": \"f32\", "                \
	"\"shape\": [\"M\", 61]}],\n"                                          \
	" \"arguments\": [\"x\", \"b\", \"y\", \"M\"],\n"                      \
	" \"tasks\": \"(61*M + 255)//256\", \"threads\": 256}\n"
#define SUM_SOURCE                                                             \
	"extern \"C\" __global__ void %s(const float *x, const float *b,\n"    \
	"\tfloat *y, int64_t M)\n"                                             \
	"{\n"                                                                  \
	"\tint64_t i = 256 * (int64_t)blockIdx.x + threadIdx.x, n = 61 * M;\n" \
	"\tif (i < n) {\n"                                                     \
	"\t\t%s\n"                                                             \
	"\t}\n"                                                                \
	"}\n"
#define RIGHT "y[i] = x[i] + b[i];"

static const struct {
	const char *name, *body;
	/* patterns of SQL's LIKE: of states, and of the reason */
	const char *state, *reason;
} planted[] = {
	{"traps", RIGHT " if (i == 5) __trap();", "crashed", "%CUDA_ERROR%"},
	{"sometimes", "y[i] = x[i] > 0.5f ? x[i] : x[i] + b[i];", "wrong",
	 "fixture search (seed 1): element % of y is %"},
	{"good", RIGHT, "%", NULL},
	{"astray", RIGHT " if (i == 5) y[(int64_t)1 << 42] = 1;", "crashed",
	 "%CUDA_ERROR%"},
	{"empty", "if (i == n) " RIGHT, "wrong",
	 "fixture search (seed 1): element 0 of y is %"},
	{"hangs",
	 RIGHT "\n\t\twhile (*(volatile const float *)x != 12345.5f)\n"
	       "\t\t\t__nanosleep(1000);",
	 "timed-out", "in check: no end within %"},
	{"again", RIGHT, "%", NULL},
};

/* Children alone had the device; now it is this process's. */
static void chosen_passes(const Tuned *t)
{
	const char *file = test_path("chosen.json");
	TenonProgram *p;
	TenonPlan *q;

	if (!works(&t->k, tenon_plan_save(t->k.plan, file), "save") ||
	    !works(&t->k, tenon_plan_load(t->k.c, file, &p, &q), "load"))
		return;
	works(&t->k, tenon_set_dim(p, "M", 70), "M");
	passes(t, q);
	tenon_plan_free(q);
	tenon_program_free(p);
}

static void faults(void)
{
	enum {
		COUNT = ARRAY_LEN(planted)
	};
	static const char *const pins[] = {"loop.lanes=256", "loop.walk=0",
					   "loop.block=1024", "loop.stream=0",
					   "loop.width=0"};
	const char *paths[COUNT];
	Arena a;
	Tuned t;

	arena_init(&a);
	if (!begin(&t, "planted.tn", SUM_PROGRAM, "planted.sqlite"))
		return;
	for (size_t i = 0; i < COUNT; i++) {
		const char *name = planted[i].name;
		const char *file = arena_printf(&a, "%s.json", name);
		file_put(test_path(file),
			 arena_printf(&a, SUM_SIGNATURE, name, name, name));
		file_put(test_path(arena_printf(&a, "%s.cu", name)),
			 arena_printf(&a, SUM_SOURCE, name, planted[i].body));
		paths[i] = arena_strdup(&a, test_path(file));
	}
	t.plan = (TenonPlanOptions){.target = "cuda",
				    .pins = pins,
				    .npins = ARRAY_LEN(pins),
				    .externals = paths,
				    .nexternals = COUNT};
	t.o.policy = "all";
	t.o.without = "all";
	t.o.limit = LIMIT;
	if (tune(&t)) {
		CHECK_STR(t.r.state, "complete");
		for (size_t i = 0; i < COUNT; i++) {
			const char *sql = arena_printf(
				&a,
				"SELECT count(*) FROM candidate WHERE search "
				"= %lld AND region = 0 AND chosen = 'external "
				"kernel=%s' AND state LIKE '%s' AND "
				"ifnull(reason, '') LIKE '%s'",
				(long long)t.r.search, planted[i].name,
				planted[i].state,
				planted[i].reason ? planted[i].reason : "%");
			if (!CHECK(ask(t.o.ledger, sql) == 1))
				printf("%s: not %s, %s\n", planted[i].name,
				       planted[i].state,
				       planted[i].reason ? planted[i].reason
							 : "");
			/* those that are right were raced to the end */
			sql = arena_printf(
				&a,
				"SELECT count(*) FROM candidate WHERE search "
				"= %lld AND region = 0 AND chosen = 'external "
				"kernel=%s' AND state IN ('chosen', "
				"'measured', 'tie') AND measured_us > 0",
				(long long)t.r.search, planted[i].name);
			CHECK(ask(t.o.ledger, sql) == !planted[i].reason);
		}
		adds_up(&t);
		chosen_passes(&t);
	}
	case_close(&t.k);
	arena_release(&a);
}

/* ---- tests ------------------------------------------------------------ */

static void right_(void)
{
	IN_CHILD(right);
}

static void faults_(void)
{
	IN_CHILD(faults);
}

static void folder(void)
{
	test_folder_remove();
}

TEST_MAIN({"right", right_}, {"faults", faults_}, TEST(folder))
