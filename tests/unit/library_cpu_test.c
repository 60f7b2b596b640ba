/*
 * library_cpu: products by OpenBLAS and oneDNN, from the pin to the call.
 *
 * Stages 3 to 5 need no library. Runs are judged by the oracle, and by their
 * bits: the same for every number of threads and every run.
 */
#include "tests/unit/api.h"

#include "runtime/product.h"

#include <dlfcn.h>

static const char *const by_openblas[] = {"library.product=openblas"};
static const char *const by_onednn[] = {"library.product=onednn"};

static TenonError compile(Case *k, const char *text, const char *target,
			  const char *const *pins, size_t npins, bool emit_only)
{
	TenonPlanOptions o = {.target = target,
			      .pins = pins,
			      .npins = npins,
			      .emit_only = emit_only};

	instance_serial_steps = 0;
	*k = (Case){.c = tenon_context_new()};
	if (!works(k, tenon_program_from_text(k->c, "t", text, NULL, &k->p),
		   "program"))
		return TENON_EPROGRAM;
	return tenon_compile(k->c, k->p, &o, &k->plan);
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

/* NULL: the library is here; else why not. */
static const char *absent(ProductLibrary l, Arena *a)
{
	const char *version, *why;
	Ctx ctx;

	ctx_init(&ctx);
	why = product_library(&ctx, a, l, &version)
		      ? NULL
		      : arena_strdup(a, buf_str(&ctx.messages));
	ctx_release(&ctx);
	return why;
}

/* ---- stages ----------------------------------------------------------- */

#define BIAS                                                                   \
	"def f(x: f32[M, 768], w: f32[1024, 768], b: f32[1024]):\n"            \
	"    return relu(x @ w.T + b)\n"

static void stages(void)
{
	static const char *const pins[] = {"library.product=openblas",
					   "library.down=3"};
	Arena a;
	Case k;

	arena_init(&a);
	if (works(&k, compile(&k, BIAS, "cpu:avx2", pins, 2, true),
		  "compile")) {
		const char *s = dump(&k, &a, "kernels");
		CHECK(strstr(s, "kernel k0 library region 0 product=1 down=3 "
				"across="));
		CHECK(strstr(s, "\tphase main call openblas 32f_pedantic "
				"parts 3 x "));
		CHECK(strstr(s, "\t\tright b_w from 0 by 1, 768, 0\n"));
		CHECK(strstr(s, "kernel k1 loop region 1"));
		s = dump(&k, &a, "sources");
		CHECK(strstr(s, "/* kernel k0: a product by OpenBLAS, line 2 "
				"*/\nvoid k0_main()\n{\n"
				"\tb < 1, i < M, j < 1024, k < 768;\n"));
		CHECK(strstr(s, "cblas_sgemm: C = 1 A B + 0 C, sums in f32"));
		s = dump(&k, &a, "plan");
		CHECK(!strstr(s, "accumulators"));
	}
	case_close(&k);
	if (works(&k,
		  compile(&k,
			  "def f(x: bf16[M, 64], w: bf16[64, N]):\n"
			  "    return x @ w\n",
			  "cpu:avx512_bf16", by_onednn, 1, true),
		  "compile"))
		CHECK(strstr(dump(&k, &a, "plan"),
			     "\"acc\": \"f32.tc.any_bf16\""));
	case_close(&k);
	arena_release(&a);
}

static void refusals(void)
{
	static const char *const lt[] = {"library.product=cublaslt"};
	static const char *const none[] = {"library.product=openblas",
					   "library.down=0"};
	static const char *const far[] = {"library.product=openblas",
					  "library.across=257"};
	static const char *const algorithm[] = {"library.product=openblas",
						"library.algorithm=1"};
#define OF(dtype)                                                              \
	"def f(x: " dtype "[M, 64], w: " dtype "[64, N]):\n    return x @ w\n"
	static const struct {
		const char *text, *target;
		const char *const *pins;
		size_t npins;
		const char *words;
	} rows[] = {
		{BIAS, "cpu", lt, 1,
		 "cuBLASLt is for targets of CUDA, and this one is cpu"},
		{BIAS, "cuda:sm_90a", by_openblas, 1,
		 "OpenBLAS is for targets of CPUs, and this one is cuda"},
		{BIAS, "opencl", by_onednn, 1,
		 "oneDNN is for targets of CPUs, and this one is opencl"},
		{BIAS, "cpu", none, 2, "down is 1 ... 256"},
		{BIAS, "cpu", far, 2, "across is 1 ... 256"},
		{BIAS, "cpu", algorithm, 2,
		 "library has the parameters product down across"},
		{OF("f16"), "cpu", by_openblas, 1,
		 "OpenBLAS has no product of f16 with sums in f32 and results "
		 "of f16 that the contract allows; it takes f32 and f64"},
		{OF("f16"), "cpu", by_onednn, 1,
		 "version 2 has no f16 on CPUs"},
		{OF("bf16"), "cpu", by_openblas, 1,
		 "OpenBLAS has no product of bf16"},
		{OF("bf16"), "cpu:avx2", by_onednn, 1,
		 "without a dot product of bf16 oneDNN sums in an accumulator "
		 "of another kind"},
		{OF("f64"), "cpu", by_onednn, 1,
		 "oneDNN has no product of f64"},
		{"def f(x: i8[M, 64], w: i8[64, N]):\n"
		 "    return matmul(x, w, acc=i32, out=i32)\n",
		 "cpu", by_onednn, 1,
		 "its sums of i8 saturate on some of them"},
		{"def f(x: i32[M, 64], w: i32[64, N]):\n    return x @ w\n",
		 "cpu", by_openblas, 1, "OpenBLAS has no product of i32"},
		{"@contract(row_invariant)\n" OF("f32"), "cpu", by_openblas, 1,
		 "row_invariant: OpenBLAS chooses its algorithm by the number "
		 "of rows"},
		{"def f(x: f32[64, 128], w: f32[32, N]):\n"
		 "    return x[:, 0:64:2] @ w\n",
		 "cpu", by_openblas, 1,
		 "neither rows nor columns of the left operand lie side by "
		 "side"},
		{"def f(x: f32[2, B, M, 8], w: f32[B, 8, N]):\n"
		 "    return x @ w\n",
		 "cpu", by_openblas, 1,
		 "the right operand does not lie in memory at one distance"},
		{"def f(x: f32[N]):\n    return x + 1\n", "cpu", by_openblas, 1,
		 "no region of this program uses it"},
	};
	Case k;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		TenonError e = compile(&k, rows[i].text, rows[i].target,
				       rows[i].pins, rows[i].npins, true);
		refused(&k, e, TENON_EUSAGE, rows[i].words);
		case_close(&k);
	}
}

static void laws(void)
{
	static const struct {
		const char *from, *to, *words;
	} rows[] = {
		{"call openblas", "call blas", "the name of a library"},
		{"openblas 32f_pedantic", "openblas 64f_pedantic",
		 "OpenBLAS's 64f_pedantic computes no such product"},
		{"call openblas 32f_pedantic parts", "call onednn 32f parts",
		 "oneDNN's 32f computes no such product"},
		{"parts 3 x", "parts 0 x", "no such call"},
		{"parts 3 x", "parts 257 x", "no such call"},
		{"left b_x from 0 by 768", "left b_x from 1 by 768",
		 "b_x: cannot prove 768*M + 1 <= 768*M"},
		{"by 1024, 1, 1024*M", "by 1023, 1, 1024*M",
		 "b4: elements are stored twice"},
		{"\tphase main call",
		 "\tbuffer shared work: u8[64]\n"
		 "\tphase main call",
		 "work is nobody's"},
	};
	static const char *const pins[] = {"library.product=openblas",
					   "library.down=3"};
	Ctx ctx;
	Arena a;
	Case k;

	ctx_init(&ctx);
	arena_init(&a);
	if (works(&k, compile(&k, BIAS, "cpu:avx2", pins, 2, true),
		  "compile")) {
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

/* ---- candidates ------------------------------------------------------- */

typedef struct Seen {
	int legal, refused;
	const char *why; /* the last one's */
} Seen;

static bool see(void *arg, const Realisation *re, const Candidate *c,
		const char *refused_for)
{
	Seen *s = arg;

	(void)c;
	if (strcmp(re->name, "library"))
		return true;
	s->legal += !refused_for;
	s->refused += refused_for != NULL;
	if (refused_for)
		s->why = refused_for;
	return true;
}

/* Of region 0 as it is partitioned with these pins. */
static Seen candidates(Case *k, const char *text, bool alone)
{
	const char *missing = "oneDNN is not here";
	Target t;
	const Isa *isa;
	Seen s = {0};

	if (!works(k,
		   compile(k, text, "cpu:avx2", by_openblas, alone ? 1 : 0,
			   true),
		   "compile") ||
	    !CHECK(target_find(k->c, &k->plan->arena, "cpu:avx2", false, &t,
			       &isa)))
		return s;
	if (alone)
		t.missing[LIBRARY_ONEDNN] = missing;
	realise_candidates(&k->plan->arena, k->plan->regions, 0, &t, NULL, 0,
			   see, &s);
	CHECK(!alone || s.why == missing);
	return s;
}

static void search(void)
{
	Case k;
	Seen s = candidates(&k, BIAS, true);

	CHECK(s.legal >= 4 && s.refused == s.legal);
	case_close(&k);
	s = candidates(&k, BIAS, false);
	CHECK(!s.legal && s.refused == 1 &&
	      strstr(s.why, "computes more than one product"));
	case_close(&k);
	s = candidates(&k,
		       "def f(x: i8[9, 64], w: i8[64, 8]):\n"
		       "    return matmul(x, w, acc=i32, out=i32)\n",
		       false);
	CHECK(!s.legal && s.refused && strstr(s.why, "has no product of i8"));
	case_close(&k);
}

/* A candidate's time falls with its work, and it has one. */
static void costs(void)
{
	const int64_t few[] = {32}, many[] = {4096};
	Target t;
	const Isa *isa;
	Case k;

	if (works(&k, compile(&k, BIAS, "cpu:avx2", by_openblas, 1, true),
		  "compile") &&
	    CHECK(target_find(k.c, &k.plan->arena, "cpu:avx2", false, &t,
			      &isa))) {
		const Regions *r = k.plan->regions;
		Chosen c = {&realise_cpu_library,
			    realise_cpu_library.rule(r, 0, &t)};
		double small = realise_cost(r, 0, &t, &c, few).us;
		CHECK(small > 0 &&
		      realise_cost(r, 0, &t, &c, many).us > 20 * small);
	}
	case_close(&k);
}

/* ---- runs ------------------------------------------------------------- */

/* Each with sizes at which OpenBLAS's own threads change the order of sums
 * (1000 x 1000 x 1000 and 5 x 1000 x 3000 by its kernels for AVX-512). */
static const struct {
	const char *text;
	bool onednn;
} products[] = {
	{"dims d: M = 1000\n"
	 "def f(x: f32[M, 1000], w: f32[1000, 1000]):\n    return x @ w\n",
	 true},
	{"dims d: M = 5, N = 1000, K = 3000\n"
	 "def f(x: f32[M, K], w: f32[N, K]):\n    return x @ w.T\n",
	 true},
	{"dims d: M = 1000, N = 5, K = 3000\n"
	 "def f(x: f32[K, M], w: f32[K, N]):\n    return x.T @ w\n",
	 true},
	{"dims d: M = 3, N = 2, K = 20011\n"
	 "def f(x: f32[M, K], w: f32[K, N]):\n    return x @ w\n",
	 true},
	{"dims d: B = 3, M = 31, N = 70, K = 129\n"
	 "def f(x: f64[B, M, K], w: f64[B, N, K]):\n"
	 "    return x @ w.transpose(0, 2, 1)\n",
	 false},
	{"dims d: M = 1, N = 1, K = 1\n"
	 "def f(x: f32[M, K], w: f32[K, N]):\n    return x @ w\n",
	 true},
	{"dims d: M = 3, N = 4, K = 0\n"
	 "def f(x: f32[M, K], w: f32[K, N]):\n    return x @ w\n",
	 true},
	{"dims d: M = 0, N = 4, K = 3\n"
	 "def f(x: f32[M, K], w: f32[K, N]):\n    return x @ w\n",
	 true},
	{"dims d: M = 40\n"
	 "def f(x: f32[64, 128], w: f32[32, M]):\n"
	 "    return relu(x[8:24, 64:96] @ w) + 1\n",
	 true},
};

/* One run in a new context, by that many threads. */
static uint64_t bits(const char *text, const char *const *pins, int threads)
{
	uint64_t h = 0;
	Case k;

	TenonError e = compile(&k, text, "cpu", pins, 1, false);
	if (works(&k, e, text)) {
		tenon_set_threads(k.c, threads);
		if (case_fill(&k, "random"))
			for (int i = 0; i < 2; i++) {
				uint64_t before = h;
				h = case_run(&k) ? case_hash(&k) : 0;
				CHECK(!i || h == before);
			}
	}
	case_close(&k);
	return h;
}

static void same_bits(ProductLibrary l, const char *const *pins)
{
	Arena a;

	arena_init(&a);
	const char *why = absent(l, &a);
	if (why)
		printf("%s", why);
	for (size_t i = 0; !why && i < ARRAY_LEN(products); i++) {
		if (l == PRODUCT_ONEDNN && !products[i].onednn)
			continue;
		uint64_t one = bits(products[i].text, pins, 1);
		if (!CHECK(one == bits(products[i].text, pins, 2) &&
			   one == bits(products[i].text, pins, 5)))
			printf("%s", products[i].text);
	}
	arena_release(&a);
	if (why)
		SKIP("the library is not here");
}

static void openblas_bits(void)
{
	same_bits(PRODUCT_OPENBLAS, by_openblas);
}

static void onednn_bits(void)
{
	same_bits(PRODUCT_ONEDNN, by_onednn);
}

/* Every family is judged, at sizes with tails, one row and one column. */
static void judge(ProductLibrary l, const char *const *pins, const char *dtype)
{
	static const int64_t sizes[][3] = {{33, 70, 129},
					   {1, 40, 65},
					   {40, 1, 65},
					   {1, 1, 300},
					   {3, 4, 0}};
	Arena a;

	arena_init(&a);
	const char *why = absent(l, &a);
	if (why)
		printf("%s", why);
	for (size_t i = 0; !why && i < ARRAY_LEN(sizes); i++) {
		TenonOutcome got = TENON_PASS;
		const int64_t *n = sizes[i];
		const char *text = arena_printf(
			&a,
			"dims d: M = %d, N = %d, K = %d\n"
			"def f(x: %s[M, K], w: %s[K, N], b: %s[N]):\n"
			"    return relu(x @ w + b)\n",
			(int)n[0], (int)n[1], (int)n[2], dtype, dtype, dtype);
		Case k;
		if (works(&k, compile(&k, text, "cpu", pins, 1, false), text) &&
		    works(&k, tenon_check(k.plan, NULL, 1, NULL, NULL, &got),
			  "check") &&
		    !CHECK(got == TENON_PASS))
			printf("%s", text);
		case_close(&k);
	}
	arena_release(&a);
	if (why)
		SKIP("the library is not here");
}

static void openblas_f32(void)
{
	judge(PRODUCT_OPENBLAS, by_openblas, "f32");
}

static void openblas_f64(void)
{
	judge(PRODUCT_OPENBLAS, by_openblas, "f64");
}

static void onednn_f32(void)
{
	judge(PRODUCT_ONEDNN, by_onednn, "f32");
}

/* Where the processor has dot products of bf16. */
static void onednn_bf16(void)
{
	const Isa *isa = isa_find("avx512_bf16");

	if (!isa || !isa_runs_here(isa))
		SKIP("no dot product of bf16 here");
	judge(PRODUCT_ONEDNN, by_onednn, "bf16");
}

/* Subnormal operands of bf16 are zeros, as the recorded accumulator says: a
 * row of them times large numbers gives zeros, in every shape. */
static void onednn_flushes(void)
{
	static const int64_t sizes[][2] = {{1, 1}, {1, 40}, {40, 1}, {20, 40}};
	const Isa *isa = isa_find("avx512_bf16");
	Arena a;

	arena_init(&a);
	bool here = !absent(PRODUCT_ONEDNN, &a) && isa && isa_runs_here(isa);
	for (size_t i = 0; here && i < ARRAY_LEN(sizes); i++) {
		TenonOutcome got = TENON_FAIL;
		const char *text =
			arena_printf(&a,
				     "dims d: M = %d, N = %d\n"
				     "def f(x: bf16[M, 65], w: bf16[65, N]):\n"
				     "    return x @ w\n",
				     (int)sizes[i][0], (int)sizes[i][1]);
		Case k;
		if (works(&k, compile(&k, text, "cpu", by_onednn, 1, false),
			  text) &&
		    case_fill(&k, "zeros")) {
			uint16_t *x = k.in[0].data, *w = k.in[1].data;
			for (int64_t j = 0; j < sizes[i][0] * 65; j++)
				x[j] = 0x0008; /* 2^-130 */
			for (int64_t j = 0; j < sizes[i][1] * 65; j++)
				w[j] = 0x7180; /* 2^100 */
			CHECK(case_run(&k) &&
			      *(const uint16_t *)k.out[0].data == 0);
			works(&k,
			      tenon_judge(k.plan, k.in, k.out, NULL, NULL,
					  &got),
			      "judge");
			if (!CHECK(got != TENON_FAIL))
				printf("%s", text);
		}
		case_close(&k);
	}
	arena_release(&a);
	if (!here)
		SKIP("no oneDNN or no dot product of bf16 here");
}

/* OpenBLAS's number of threads is the caller's again after each run. */
static void threads(void)
{
	uint64_t h = 0;
	Arena a;

	arena_init(&a);
	const char *why = absent(PRODUCT_OPENBLAS, &a);
	arena_release(&a);
	if (why)
		SKIP("OpenBLAS is not here");
	void *lib = dlopen("libopenblas.so.0", RTLD_NOW);
	if (!lib)
		SKIP("it has another name");
	void (*set)(int) = __extension__(void (*)(int))
		dlsym(lib, "openblas_set_num_threads");
	int (*get)(void) = __extension__(int (*)(void))
		dlsym(lib, "openblas_get_num_threads");
	for (int n = 1; n <= 3; n++) {
		set(n);
		uint64_t got = bits(products[0].text, by_openblas, 3);
		CHECK(get() == n);
		CHECK(n == 1 || got == h);
		h = got;
	}
	dlclose(lib);
}

/* A plan that was saved is the same plan. */
static void replay(void)
{
	TenonProgram *p;
	TenonPlan *plan;
	TenonPlanInfo was, is;
	const char *top = test_folder();
	char file[4200];
	Arena a;
	Case k;

	arena_init(&a);
	const char *why = absent(PRODUCT_OPENBLAS, &a);
	arena_release(&a);
	if (why || !top)
		SKIP("OpenBLAS is not here");
	snprintf(file, sizeof(file), "%s/plan.json", top);
	if (works(&k, compile(&k, BIAS, "cpu", by_openblas, 1, false),
		  "compile") &&
	    works(&k, tenon_plan_save(k.plan, file), "save") &&
	    works(&k, tenon_plan_load(k.c, file, &p, &plan), "load")) {
		tenon_plan_info(k.plan, &was);
		tenon_plan_info(plan, &is);
		CHECK_STR(is.identity, was.identity);
		CHECK(strstr(is.compiler, ", OpenBLAS 0."));
		tenon_plan_free(plan);
		tenon_program_free(p);
	}
	case_close(&k);
	test_folder_remove();
}

#ifdef __SANITIZE_ADDRESS__
int __lsan_is_turned_off(void);

/* What oneDNN maps takes the search for leaks a minute, or ends it. */
int __lsan_is_turned_off(void)
{
	return 1;
}
#endif

TEST_MAIN(TEST(stages), TEST(refusals), TEST(laws), TEST(search), TEST(costs),
	  TEST(openblas_bits), TEST(onednn_bits), TEST(openblas_f32),
	  TEST(openblas_f64), TEST(onednn_f32), TEST(onednn_bf16),
	  TEST(onednn_flushes), TEST(threads), TEST(replay))
