/*
 * library: products by cuBLASLt, from the pin to the call.
 *
 * Stages 3 to 5 need no library. The run time is judged on two libraries of the
 * tests' own in place of the driver and cuBLASLt (cuda_fake.c,
 * cublaslt_fake.c), whose products are computed on the host; NVRTC compiles the
 * kernels beside them. With a GPU tests/gpu runs the same programs there.
 */
#include "runtime/cublaslt.h"
#include "tests/unit/api.h"

#include <dlfcn.h>
#include <unistd.h>

static const char *const by_library[] = {"library.product=cublaslt"};

static TenonError compile(Case *k, const char *text, const char *target,
			  const char *const *pins, size_t npins, bool emit_only)
{
	TenonPlanOptions o = {.target = target,
			      .pins = pins,
			      .npins = npins,
			      .emit_only = emit_only};

	*k = (Case){.c = tenon_context_new()};
	if (!works(k, tenon_program_from_text(k->c, "t", text, NULL, &k->p),
		   "program"))
		return TENON_EPROGRAM;
	return tenon_compile(k->c, k->p, &o, &k->plan);
}

static TenonError emit(Case *k, const char *text)
{
	return compile(k, text, "cuda:sm_90a", by_library, 1, true);
}

static bool put(void *arg, const char *text, size_t n)
{
	buf_write(arg, text, n);
	return true;
}

static const char *dump(Case *k, Arena *a, const char *stage)
{
	Buf b;

	buf_init(&b, a);
	works(k, tenon_plan_dump(k->plan, stage, put, &b), stage);
	return buf_str(&b);
}

/* ---- stages ----------------------------------------------------------- */

#define BIAS                                                                   \
	"def f(x: f16[M, 768], w: f16[1024, 768], b: f16[1024]):\n"            \
	"    return relu(x @ w.T + b)\n"

static void stages(void)
{
	Arena a;
	Case k;

	arena_init(&a);
	if (works(&k, emit(&k, BIAS), "compile")) {
		TenonPlanInfo info;
		tenon_plan_info(k.plan, &info);
		CHECK(info.kernels == 2 && info.launches == 2);
		const char *kernels = dump(&k, &a, "kernels");
		CHECK(strstr(kernels, "kernel k0 library region 0 product=0 "
				      "algorithm=0 note "));
		CHECK(strstr(kernels,
			     "\tphase main call cublaslt 32f algorithm 0 "
			     "workspace work {\n"
			     "\t\trows M columns 1024 depth 768 batches 1\n"
			     "\t\tout b4 from 0 by 1024, 1, 1024*M\n"
			     "\t\tleft b_x from 0 by 768, 1, 0\n"
			     "\t\tright b_w from 0 by 1, 768, 0\n"
			     "\t} as %4\n"));
		const char *source = dump(&k, &a, "sources");
		CHECK(strstr(source, "/* kernel k0: a product by cuBLASLt, "
				     "line 2 */\nvoid k0_main()\n"));
		CHECK(strstr(source, "compute CUBLAS_COMPUTE_32F, scale "
				     "CUDA_R_32F, alpha 1.0f, beta 0.0f;"));
		CHECK(strstr(source, "\tA = b_w + 0: CUDA_R_16F, CUBLAS_OP_T, "
				     "768 x 1024, leading dimension 768"));
		CHECK(strstr(source, "\tB = b_x + 0: CUDA_R_16F, CUBLAS_OP_N, "
				     "768 x M, leading dimension 768"));
		CHECK(strstr(dump(&k, &a, "regions"), "library call"));
		const char *plan = dump(&k, &a, "plan");
		CHECK(strstr(plan, "\"acc\": \"f32.tc.any\""));
	}
	case_close(&k);
	arena_release(&a);
}

/* Programs and what a call of theirs must say. */
static void matrices(void)
{
	static const struct {
		const char *text, *words;
	} rows[] = {
		{"def f(x: f32[M, K], w: f32[K, N]):\n    return x @ w\n",
		 "right b_w from 0 by N, 1, 0\n"},
		{"def f(x: f32[M, K], w: f32[K, N]):\n    return x @ w\n",
		 "call cublaslt 32f_pedantic"},
		{"def f(x: f64[M, K], w: f64[K, N]):\n    return x @ w\n",
		 "call cublaslt 64f_pedantic"},
		{"def f(x: i8[M, 64], w: i8[64, N]):\n"
		 "    return matmul(x, w, acc=i32, out=i32)\n",
		 "call cublaslt 32i "},
		{"def f(x: bf16[M, K], w: bf16[K, N]):\n"
		 "    return matmul(x, w, acc=f32, out=f32)\n",
		 "call cublaslt 32f "},
		{"def f(x: f16[B, M, K], w: f16[K, N]):\n    return x @ w\n",
		 "batches B\n"},
		{"def f(x: f16[B, M, K], w: f16[K, N]):\n    return x @ w\n",
		 "left b_x from 0 by K, 1, K*M\n"},
		{"def f(x: f16[B, M, K], w: f16[K, N]):\n    return x @ w\n",
		 "right b_w from 0 by N, 1, 0\n"},
		{"def f(x: f16[2, B, M, 8], w: f16[2, B, N, 8]):\n"
		 "    return x @ w.transpose(0, 1, 3, 2)\n",
		 "batches 2*B\n"},
		{"def f(x: f16[2, B, M, 8], w: f16[2, B, N, 8]):\n"
		 "    return x @ w.transpose(0, 1, 3, 2)\n",
		 "right b_w from 0 by 1, 8, 8*N\n"},
		/* part of a matrix */
		{"def f(x: f16[64, 128], w: f16[32, N]):\n"
		 "    return x[8:24, 64:96] @ w\n",
		 "left b_x from 1088 by 128, 1, 0\n"},
		{"def f(x: f16[64, 128], w: f16[16, N]):\n"
		 "    return x[:, 0:64:4] @ w\n",
		 NULL},
		/* one row, one column */
		{"def f(x: f16[1, 64], w: f16[64, N]):\n    return x @ w\n",
		 "left b_x from 0 by 64, 1, 0\n"},
		{"def f(x: f16[M, 64], w: f16[64, 1]):\n    return x @ w\n",
		 "right b_w from 0 by 1, 1, 0\n"},
		{"def f(x: f16[M, M]):\n    return x @ x.T\n",
		 "right b_x from 0 by 1, M, 0\n"},
	};
	Arena a;
	Case k;

	arena_init(&a);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		TenonError e = emit(&k, rows[i].text);
		if (!rows[i].words) {
			refused(&k, e, TENON_EUSAGE,
				"neither rows nor columns of the left operand "
				"lie side by side");
		} else if (works(&k, e, rows[i].text)) {
			const char *s = dump(&k, &a, "kernels");
			if (!CHECK(strstr(s, rows[i].words)))
				printf("%s%s", rows[i].text, s);
		}
		case_close(&k);
	}
	arena_release(&a);
}

static void refusals(void)
{
	static const char *const other[] = {"library.product=blas"};
	static const char *const algorithm[] = {"library.algorithm=1"};
	static const char *const far[] = {"library.product=cublaslt",
					  "library.algorithm=32"};
	static const char *const unit[] = {"library.product=cublaslt",
					   "contract.unit=mma"};
	static const struct {
		const char *text, *words;
		const char *const *pins;
		size_t npins;
		const char *target;
	} rows[] = {
		{BIAS, "libraries are cublaslt", other, 1, "cuda:sm_90a"},
		{BIAS, "no region of this program uses it", algorithm, 1,
		 "cuda:sm_90a"},
		{BIAS, "algorithms are 0 ... 31", far, 2, "cuda:sm_90a"},
		{BIAS, "--pin contract.unit=mma: no region", unit, 2,
		 "cuda:sm_90a"},
		{BIAS,
		 "cuBLASLt is for targets of CUDA, and this one is "
		 "opencl",
		 by_library, 1, "opencl"},
		{BIAS, "cuBLASLt is for targets of CUDA, and this one is cpu",
		 by_library, 1, "cpu"},
		{"def f(x: f32[N]):\n    return x + 1\n",
		 "no region of this program uses it", by_library, 1,
		 "cuda:sm_90a"},
		{"def f(x: u8[M, 64], w: u8[64, N]):\n"
		 "    return matmul(x, w, acc=u32, out=u32)\n",
		 "cuBLASLt has no product of u8", by_library, 1, "cuda:sm_90a"},
		{"def f(x: f16[M, 64], w: f16[64, N]):\n"
		 "    return matmul(x, w, acc=f16, out=f16)\n",
		 "cuBLASLt has no product of f16 with sums in f16", by_library,
		 1, "cuda:sm_90a"},
		{"def f(x: i8[M, K], w: i8[K, N]):\n"
		 "    return matmul(x, w, acc=i32, out=i32)\n",
		 "a sum of more than 131071 products of i8 may overflow",
		 by_library, 1, "cuda:sm_90a"},
		{"@contract(row_invariant)\n"
		 "def f(x: f16[M, 64], w: f16[64, N]):\n    return x @ w\n",
		 "row_invariant", by_library, 1, "cuda:sm_90a"},
		{"def f(x: f16[2, B, M, 8], w: f16[B, 8, N]):\n"
		 "    return x @ w\n",
		 "the right operand does not lie in memory at one distance",
		 by_library, 1, "cuda:sm_90a"},
	};
	Case k;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		TenonError e = compile(&k, rows[i].text, rows[i].target,
				       rows[i].pins, rows[i].npins, true);
		refused(&k, e, TENON_EUSAGE, rows[i].words);
		case_close(&k);
	}
}

/* ---- laws ------------------------------------------------------------- */

static void laws(void)
{
	static const struct {
		const char *from, *to, *words;
	} rows[] = {
		{"left b_x from 0 by 768", "left b_x from 1 by 768",
		 "b_x: cannot prove 768*M + 1 <= 768*M"},
		{"left b_x from 0 by 768", "left b_x from -1 by 768",
		 "b_x: cannot prove 0 <= -1"},
		{"left b_x from 0 by 768", "left b_x from 0 by 769",
		 "b_x: cannot prove"},
		{"left b_x from 0 by 768, 1", "left b_x from 0 by 767, 0",
		 "b_x: neither rows nor columns lie side by side"},
		{"left b_x from 0 by 768, 1", "left b_x from 0 by 100, 1",
		 "b_x: neither rows nor columns lie side by side"},
		{"right b_w from 0 by 1, 768", "right b_w from 0 by 1, 767",
		 "b_w: neither rows nor columns lie side by side"},
		{"by 1024, 1, 1024*M", "by 1023, 1, 1024*M",
		 "b4: elements are stored twice"},
		{"by 1024, 1, 1024*M", "by 1, M, 1024*M",
		 "b4: elements are stored twice"},
		{"\t\tleft b_x", "\t\tleft b4", "b4 is no input"},
		{"workspace work", "workspace b4",
		 "the workspace is no shared memory"},
		{"cublaslt 32f ", "cublaslt 32f_pedantic ",
		 "32f_pedantic computes no such product"},
		{"cublaslt 32f ", "cublaslt 16f ",
		 "expected what it computes in"},
		{"depth 768", "depth i0", "extent i0 uses an axis"},
		{"} as %4", "} as %3", "the result is no product"},
		{"} as %4", "}", "expected `as`"},
		{"batches 1", "batches 2", "cannot prove"},
		{"work {", "work 3 {", "expected `{`"},
	};
	Ctx ctx;
	Arena a;
	Case k;

	ctx_init(&ctx);
	arena_init(&a);
	if (works(&k, emit(&k, BIAS), "compile")) {
		const char *text = dump(&k, &a, "kernels");
		Kernels *ks = kernels_parse(
			&ctx, &a,
			ctx_add_source(&ctx, "k", text, strlen(text)));
		Buf b;
		buf_init(&b, &a);
		if (CHECK(ks != NULL)) {
			kernels_print(ks, &b);
			CHECK_STR(buf_str(&b), text);
		}
		for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
			const char *bad =
				replaced(&a, text, rows[i].from, rows[i].to);
			ctx_clear_errors(&ctx);
			ks = kernels_parse(
				&ctx, &a,
				ctx_add_source(&ctx, "k", bad, strlen(bad)));
			if (!CHECK(!ks) || !CHECK(strstr(buf_str(&ctx.messages),
							 rows[i].words)))
				printf("%s -> %s:\n%s", rows[i].from,
				       rows[i].to, buf_str(&ctx.messages));
		}
	}
	case_close(&k);
	arena_release(&a);
	ctx_release(&ctx);
}

/* ---- the libraries ---------------------------------------------------- */

static const char *top;
static void *driver, *library;

static void finish(void)
{
	test_folder_remove();
}

static void *load_one(const char *source, const char *soname)
{
	const char *root = getenv("ROOT");
	char command[8600], file[4200];

	snprintf(file, sizeof(file), "%s/%s", top, soname);
	snprintf(command, sizeof(command),
		 "cc -w -shared -fPIC -Wl,-soname,%s -o %s %s/tests/unit/%s",
		 soname, file, root ? root : ".", source);
	return CHECK(system(command) == 0) ? dlopen(file, RTLD_NOW) : NULL;
}

static bool load(void)
{
	static const char *const names[] = {"FAKE_FAIL",       "FAKE_COPY",
					    "FAKE_LT_VERSION", "FAKE_LT_FAIL",
					    "FAKE_LT_ONLY",    "FAKE_LT_ALIGN",
					    "FAKE_ALLOCATIONS"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		unsetenv(names[i]);
	if (library)
		return true;
	top = test_folder();
	atexit(finish);
	driver = load_one("cuda_fake.c", "libcuda.so.1");
	library = load_one("cublaslt_fake.c", "libcublasLt.so.13");
	return CHECK(driver && library);
}

#define START                                                                  \
	do {                                                                   \
		if (!compiler_here())                                          \
			SKIP_UNTIL_SETUP("NVRTC is not here");                 \
		if (!load())                                                   \
			return;                                                \
	} while (0)

static int fake(const char *name)
{
	void *at = dlsym(driver, name);

	return *(int *)(at ? at : dlsym(library, name));
}

static void gone(void)
{
	CHECK(fake("fake_memory") == 0);
	CHECK(fake("fake_graphs") == 0);
	CHECK(fake("fake_depth") == 0);
	CHECK(fake("fake_lt_objects") == 0);
}

static void absent(void)
{
	static const char *const nowhere[] = {"/nowhere/libcublasLt.so.13",
					      "libnowhere.so.1", NULL};
	bool there = false;
	CublasLt lt;
	Arena a;
	Ctx ctx;

	ctx_init(&ctx);
	arena_init(&a);
	CHECK(!cublaslt_open(&ctx, nowhere, &lt) && ctx.err == ERR_ENV);
	const char *m = buf_str(&ctx.messages);
	CHECK(strstr(m, "error: cuBLASLt is not found: tried"));
	CHECK(strstr(m, "/nowhere/libcublasLt.so.13"));
	CHECK(strstr(m, "libnowhere.so.1: "));
	CHECK(strstr(m, "hint: install cuBLAS"));
	setenv("CUDA_HOME", "/cuda", 1);
	const char *const *files = cublaslt_candidates(&a);
	CHECK_STR(files[0], "libcublasLt.so.13");
	for (int i = 0; files[i]; i++)
		there |= !strcmp(files[i], "/cuda/lib64/libcublasLt.so.12");
	CHECK(there);
	unsetenv("CUDA_HOME");
	arena_release(&a);
	ctx_release(&ctx);
}

static void versions(void)
{
	CublasLt lt;
	Ctx ctx;

	if (!load())
		return;
	ctx_init(&ctx);
	CHECK(cublaslt_open(&ctx, NULL, &lt));
	CHECK(lt.major == 13 && lt.minor == 0 && lt.patch == 2);
	setenv("FAKE_LT_VERSION", "111103", 1);
	CHECK(!cublaslt_open(&ctx, NULL, &lt) && ctx.err == ERR_ENV);
	CHECK(strstr(buf_str(&ctx.messages),
		     "is too old: cuBLASLt 11.11.3, and 12.0 is needed"));
	ctx_release(&ctx);
	unsetenv("FAKE_LT_VERSION");
}

/* ---- calls ------------------------------------------------------------ */

#define M 5
#define K 6
#define N 7

static const char f32_text[] =
	"def f(x: f32[A, B], w: f32[C, B]):\n    return x @ w.T\n";

typedef struct Sizes {
	int64_t a, b, c;
} Sizes;

static bool sized(Case *k, Sizes s)
{
	return works(k, tenon_set_dim(k->p, "A", s.a), "A") &&
	       works(k, tenon_set_dim(k->p, "B", s.b), "B") &&
	       works(k, tenon_set_dim(k->p, "C", s.c), "C");
}

static TenonTensor on_device(Case *k, const TenonTensor *t)
{
	TenonTensor d = *t;

	d.place = TENON_DEVICE;
	works(k, tenon_device_alloc(k->plan, tenon_tensor_bytes(t), &d.data),
	      "device_alloc");
	return d;
}

static void fill(TenonTensor *t, int seed)
{
	float *x = t->data;

	for (size_t i = 0; i < tenon_tensor_bytes(t) / sizeof(float); i++)
		x[i] = (float)((int)(i * 7 + (size_t)seed) % 11 - 5);
}

static bool is_product(const Case *k, Sizes s)
{
	const float *x = k->in[0].data, *w = k->in[1].data;
	const float *y = k->out[0].data;

	for (int64_t i = 0; i < s.a; i++)
		for (int64_t j = 0; j < s.c; j++) {
			float sum = 0;
			for (int64_t b = 0; b < s.b; b++)
				sum += x[i * s.b + b] * w[j * s.b + b];
			if (y[i * s.c + j] != sum)
				return false;
		}
	return true;
}

static bool descriptions(Case *k, Sizes s)
{
	tensors_release(k->in);
	if (!sized(k, s) ||
	    !works(k, tenon_input_desc(k->p, 0, &k->in[0]), "x") ||
	    !works(k, tenon_input_desc(k->p, 1, &k->in[1]), "w"))
		return false;
	for (int i = 0; i < 2; i++) {
		k->in[i].data = tenon_alloc(tenon_tensor_bytes(&k->in[i]));
		fill(&k->in[i], i);
	}
	return case_results(k);
}

static void runs(void)
{
	static const Sizes sizes[] = {{5, 6, 7}, {9, 3, 2}, {5, 6, 7},
				      {0, 6, 7}, {4, 0, 3}, {1, 1, 1}};
	Case k;

	START;
	if (works(&k,
		  compile(&k, f32_text, "cuda:sm_90a", by_library, 1, false),
		  "compile")) {
		TenonPlanInfo info;
		tenon_plan_info(k.plan, &info);
		CHECK(strstr(info.compiler, ", cuBLASLt 13.0.2"));
		for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
			if (!descriptions(&k, sizes[i]) || !case_run(&k) ||
			    !CHECK(is_product(&k, sizes[i])))
				printf("sizes %zu\n", i);
			if (sizes[i].a && sizes[i].b)
				CHECK(fake("fake_lt_taken") == 6);
		}
	}
	case_close(&k);
	gone();
}

/* Whether the plan, run on these, gives the product of k's inputs. */
static bool gives(Case *k, Sizes s, const TenonTensor in[2], TenonTensor *out)
{
	return works(k, tenon_plan_run(k->plan, in, out), "run") &&
	       works(k, tenon_device_copy(k->plan, &k->out[0], out), "copy") &&
	       CHECK(is_product(k, s));
}

/* Tensors that move: the product alone is recorded anew. */
static void moves(void)
{
	static const Sizes s = {M, K, N};
	TenonTensor d[5], in[2];
	Case k;

	START;
	if (!works(&k,
		   compile(&k, f32_text, "cuda:sm_90a", by_library, 1, false),
		   "compile") ||
	    !descriptions(&k, s))
		return;
	for (int i = 0; i < 4; i++) {
		d[i] = on_device(&k, &k.in[i % 2]);
		tenon_device_copy(k.plan, &d[i], &k.in[i % 2]);
	}
	d[4] = on_device(&k, &k.out[0]);
	in[0] = d[0];
	in[1] = d[1];
	gives(&k, s, in, &d[4]);
	int made = fake("fake_graphs"), records = fake("fake_records");
	int updates = fake("fake_updates");
	/* the same memory: nothing is asked for */
	gives(&k, s, in, &d[4]);
	CHECK(fake("fake_records") == records &&
	      fake("fake_updates") == updates);
	in[0] = d[2];
	((float *)k.in[0].data)[3] = 40;
	tenon_device_copy(k.plan, &d[2], &k.in[0]);
	gives(&k, s, in, &d[4]);
	CHECK(fake("fake_records") == records + 1 &&
	      fake("fake_graphs") == made && fake("fake_updates") > updates);
	/* what cannot be put in its place makes the graph anew */
	setenv("FAKE_FAIL", "cuGraphExecChildGraphNodeSetParams:910", 1);
	in[0] = d[0];
	((float *)k.in[0].data)[3] = 50;
	tenon_device_copy(k.plan, &d[0], &k.in[0]);
	gives(&k, s, in, &d[4]);
	CHECK(fake("fake_graphs") == made);
	/* failures are told, and free what was made */
	setenv("FAKE_FAIL", "cuGraphExecChildGraphNodeSetParams:999", 1);
	in[0] = d[2];
	refused(&k, tenon_plan_run(k.plan, in, &d[4]), TENON_EENV,
		"cuGraphExecChildGraphNodeSetParams");
	setenv("FAKE_FAIL", "cuStreamEndCapture:901", 1);
	refused(&k, tenon_plan_run(k.plan, in, &d[4]), TENON_EENV,
		"cuStreamEndCapture");
	unsetenv("FAKE_FAIL");
	setenv("FAKE_LT_FAIL", "cublasLtMatmul:13", 1);
	refused(&k, tenon_plan_run(k.plan, in, &d[4]), TENON_EENV,
		"cublasLtMatmul of cuBLASLt 13.0.2 failed on k0_main: "
		"execution failed (13)");
	unsetenv("FAKE_LT_FAIL");
	in[0] = d[0];
	gives(&k, s, in, &d[4]);
	for (int i = 0; i < 5; i++)
		tenon_device_free(k.plan, d[i].data, tenon_tensor_bytes(&d[i]));
	case_close(&k);
	gone();
}

/* What every dtype gives, of numbers that are exact in all of them. */
static void dtypes(void)
{
	static const char *const names[] = {"f16", "bf16", "f32", "f64"};
	static const char text[] = "def f(x: f32[3, 4, 8], w: f32[3, 5, 8]):\n"
				   "    return x @ w.transpose(0, 2, 1)\n";

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		TenonProgramOptions po = {.dtype = names[i]};
		TenonPlanOptions o = {.target = "cuda:sm_90a",
				      .pins = by_library,
				      .npins = 1};
		Case k = {.c = tenon_context_new()};
		TenonOutcome outcome = TENON_FAIL;
		START;
		if (works(&k,
			  tenon_program_from_text(k.c, "t", text, &po, &k.p),
			  names[i]) &&
		    works(&k, tenon_compile(k.c, k.p, &o, &k.plan), names[i]) &&
		    case_fill(&k, "exact") && case_run(&k) &&
		    works(&k,
			  tenon_judge(k.plan, k.in, k.out, NULL, NULL,
				      &outcome),
			  "judge"))
			CHECK(outcome == TENON_PASS);
		case_close(&k);
	}
	gone();
}

static const char *explained(Case *k, Arena *a, bool json)
{
	Buf b;

	buf_init(&b, a);
	works(k, tenon_explain(k->plan, json, put, &b), "explain");
	return buf_str(&b);
}

static void record(void)
{
	static const char *const second[] = {"library.product=cublaslt",
					     "library.algorithm=1"};
	static const char *const third[] = {"library.product=cublaslt",
					    "library.algorithm=2"};
	static const char *const reasons[] = {
		"reduction in place, ",
		"refused: it adds parts of sums in place",
		"refused: it adds parts of sums in the result's dtype",
		"refused: it sums in f16",
		"refused: it rounds operands to TF32",
		"refused: it sums other terms",
		"refused: the library says that it cannot run",
		"algorithm 66, tile 1, stages 6, split 1, reduction none, "
		"numerics 0x80202, workspace 384: taken\n",
		"reduction compute type, numerics 0x80202, workspace 448: "
		"allowed\n",
		"refused: it does not say that it sums in the compute type",
	};
	Arena a;
	Case k;

	START;
	arena_init(&a);
	if (works(&k,
		  compile(&k, f32_text, "cuda:sm_90a", by_library, 1, false),
		  "compile")) {
		CHECK(strstr(explained(&k, &a, false),
			     "algorithms of k0_main are "
			     "chosen by its sizes"));
		sized(&k, (Sizes){M, K, N});
		const char *s = explained(&k, &a, false);
		for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
			if (!CHECK(strstr(s, reasons[i])))
				printf("no `%s`\n", reasons[i]);
		CHECK(strstr(explained(&k, &a, true),
			     "\"0 algorithm 60, tile 1, stages 6, split 4, "
			     "reduction in place, numerics 0x80202, workspace "
			     "0: refused: it adds"));
		/* all are refused */
		setenv("FAKE_LT_ONLY", "6", 1);
		CHECK(strstr(explained(&k, &a, false),
			     "0 of the 6 algorithms that its heuristics name "
			     "for the product of k0_main (5 x 7 x 6) are "
			     "allowed"));
		descriptions(&k, (Sizes){M, K, N});
		refused(&k, tenon_plan_run(k.plan, k.in, k.out), TENON_EENV,
			"it rounds operands to TF32");
		setenv("FAKE_LT_ONLY", "9", 1);
		setenv("FAKE_LT_ALIGN", "32", 1);
		refused(&k, tenon_plan_run(k.plan, k.in, k.out), TENON_EENV,
			"cuBLASLt 13.0.2 refuses the product of k0_main (5 x 7 "
			"x 6): not supported (15)");
		unsetenv("FAKE_LT_ALIGN");
		setenv("FAKE_LT_FAIL", "cublasLtMatrixLayoutCreate:3", 1);
		refused(&k, tenon_plan_run(k.plan, k.in, k.out), TENON_ENOMEM,
			"cublasLtMatrixLayoutCreate");
		unsetenv("FAKE_LT_FAIL");
		/* and after all that it runs */
		CHECK(case_run(&k) && is_product(&k, (Sizes){M, K, N}));
	}
	case_close(&k);
	gone();
	if (works(&k, compile(&k, f32_text, "cuda:sm_90a", second, 2, false),
		  "compile") &&
	    descriptions(&k, (Sizes){M, K, N}) && case_run(&k))
		CHECK(is_product(&k, (Sizes){M, K, N}) &&
		      fake("fake_lt_taken") == 7);
	case_close(&k);
	if (works(&k, compile(&k, f32_text, "cuda:sm_90a", third, 2, false),
		  "compile") &&
	    descriptions(&k, (Sizes){M, K, N}))
		refused(&k, tenon_plan_run(k.plan, k.in, k.out), TENON_EENV,
			"2 of the 9 algorithms that its heuristics name for "
			"the product of k0_main (5 x 7 x 6) are allowed, and "
			"number 2 is pinned");
	case_close(&k);
	gone();
	arena_release(&a);
}

/* A plan that was saved runs with that version of the library, or not. */
static void replay(void)
{
	TenonProgram *p;
	TenonPlan *plan;
	char file[4200];
	Case k;

	START;
	snprintf(file, sizeof(file), "%s/plan.json", top);
	if (works(&k,
		  compile(&k, f32_text, "cuda:sm_90a", by_library, 1, false),
		  "compile") &&
	    works(&k, tenon_plan_save(k.plan, file), "save")) {
		if (works(&k, tenon_plan_load(k.c, file, &p, &plan), "load")) {
			tenon_plan_free(plan);
			tenon_program_free(p);
		}
		setenv("FAKE_LT_VERSION", "120801", 1);
		refused(&k, tenon_plan_load(k.c, file, &p, &plan),
			TENON_EPROGRAM, "cuBLASLt 12.8.1");
		unsetenv("FAKE_LT_VERSION");
	}
	case_close(&k);
	gone();
}

TEST_MAIN(TEST(stages), TEST(matrices), TEST(refusals), TEST(laws),
	  TEST(absent), TEST(versions), TEST(runs), TEST(moves), TEST(dtypes),
	  TEST(record), TEST(replay))
