/*
 * rspace: the candidates of a region, and their predicted costs.
 *
 * There are enough of them that differ in the kernel; each is legal or has a
 * reason; costs are finite, positive and grow with the sizes. Of the legal ones
 * a sample, of a fixed seed, is compiled and judged by the oracle on the CPU
 * and on a device of OpenCL, and made for CUDA without a device. TEST_ALL takes
 * hundreds in place of the sample.
 */
#include "runtime/nvrtc.h"

#include "tests/differential/judge.h"
#include "tests/unit/test.h"

#include <math.h>

static bool test_all(void)
{
	const char *all = getenv("TEST_ALL");

	return all && *all;
}

/* ---- the candidates of a program's region ------------------------ */

typedef struct Space {
	TenonContext *c;
	TenonProgram *p;
	Arena arena;
	Target target;
	Regions *r;
	uint32_t region; /* the one that is looked at */
	VEC(Chosen) legal;
	size_t refused, without_reason;
	int64_t dims[8];
} Space;

static bool note_candidate(void *arg, const Realisation *re, const Candidate *c,
			   const char *why)
{
	Space *s = arg;

	if (!why)
		VEC_PUSH(&s->arena, s->legal, ((Chosen){re, *c}));
	else
		s->refused++;
	s->without_reason += why && strlen(why) < 8;
	return true;
}

/* file or text; false: it could not be made. */
static bool space_open(Space *s, const char *target, const char *file,
		       const char *text)
{
	const Isa *isa;

	memset(s, 0, sizeof(*s));
	arena_init(&s->arena);
	s->c = tenon_context_new();
	if (!CHECK(s->c && !(text ? tenon_program_from_text(s->c, "t", text,
							    NULL, &s->p)
				  : tenon_program_from_file(s->c, file, NULL,
							    &s->p))) ||
	    !CHECK(target_find(s->c, &s->arena, target, false, &s->target,
			       &isa))) {
		printf("%s: %s", text ? text : file, tenon_message(s->c));
		return false;
	}
	Pipeline pl = {.c = s->c,
		       .arena = &s->arena,
		       .target = &s->target,
		       .program = s->p->p,
		       .stop_after = "partition"};
	if (!CHECK(pipeline_run(&pl, STAGE_PROGRAM)) ||
	    !CHECK(pl.regions->regions.n <= 2)) {
		printf("%s: too many regions\n%s", target ? target : "cpu",
		       text ? text : file);
		return false;
	}
	s->r = pl.regions;
	/* beside one that folds there may be one that does not */
	s->region =
		s->r->regions.n == 2 && s->r->regions.p[0].kind == REGION_LOOP;
	for (int i = 0; i < tenon_program_dims(s->p); i++)
		s->dims[i] = tenon_program_dim(s->p, i);
	realise_candidates(&s->arena, s->r, s->region, &s->target, NULL, 0,
			   note_candidate, s);
	return CHECK(s->without_reason == 0);
}

static void space_close(Space *s)
{
	tenon_program_free(s->p);
	tenon_context_free(s->c);
	arena_release(&s->arena);
}

static const char *value_of(Arena *a, const KParam *k)
{
	static const char *const operands[] = {"each", "staged", "forwarded"};

	if (!strcmp(k->name, "unit"))
		return unit_info[k->value].name;
	if (!strcmp(k->name, "operands"))
		return operands[k->value];
	if (!strcmp(k->name, "product"))
		return "cublaslt";
	return arena_printf(a, "%" PRId64, k->value);
}

/* A candidate as pins of all its parameters. */
static size_t pins_of(Arena *a, const Chosen *c, const char **out)
{
	size_t n = c->candidate.nparams;

	for (size_t i = 0; i < n; i++) {
		const KParam *k = &c->candidate.params[i];
		out[i] = arena_printf(a, "%s.%s=%s", c->realisation->name,
				      k->name, value_of(a, k));
	}
	return n;
}

static const char *text_of(Arena *a, const Chosen *c)
{
	Buf b;

	buf_init(&b, a);
	chosen_print(&b, c);
	return buf_str(&b);
}

/* ---- how many ---------------------------------------------------------- */

/* The candidate's kernels, but for their parameters. */
static uint64_t kernel_hash(Space *s, const Chosen *c)
{
	Ctx *ctx = &s->c->ctx;
	Buf b;

	Kernels *ks =
		realise_program(ctx, &s->arena, s->r, &s->target, NULL, 0, c);
	if (!CHECK(ks != NULL))
		return 0;
	ks->kernels.p[0].params.n = 0;
	ks->kernels.p[0].note = NULL;
	buf_init(&b, &s->arena);
	kernels_print(ks, &b);
	return hash_bytes(buf_str(&b), b.n, 1);
}

static size_t distinct(Space *s)
{
	uint64_t *seen = arena_array(&s->arena, uint64_t, s->legal.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < s->legal.n; i++) {
		uint64_t h = kernel_hash(s, &s->legal.p[i]);
		size_t j = 0;
		while (j < n && seen[j] != h)
			j++;
		seen[j] = h;
		n += j == n;
	}
	return n;
}

typedef struct Number {
	const char *target, *file, *text;
	size_t legal, differ; /* at least; 0: not counted */
} Number;

#define ROWS_FIXED(call)                                                       \
	"def f(x: f32[1024, 8192], g: f32[8192], b: f32[8192]):\n"             \
	"    return " call "\n"

static const Number numbers[] = {
	{"cpu:avx512", "examples/softmax.tn", NULL, 30, 30},
	{"cpu:avx512", "examples/rmsnorm.tn", NULL, 30, 30},
	{"cpu:avx512", "bench/programs/layernorm.tn", NULL, 30, 30},
	{"cpu:avx2", NULL, ROWS_FIXED("softmax(x)"), 30, 30},
	{"cpu:avx2", NULL, ROWS_FIXED("rms_norm(x, g)"), 30, 30},
	{"cpu:avx512", NULL, ROWS_FIXED("layer_norm(x, g, b)"), 30, 30},
	{"cpu:avx512", NULL, ROWS_FIXED("relu(x + b)"), 20, 10},
	{"cpu:avx512", NULL, "def f(x: f32[512, 300]):\n    return x.T\n", 20,
	 10},
	{"cuda:sm_90a", NULL, ROWS_FIXED("softmax(x)"), 100, 30},
	{"cuda:sm_90a", NULL, ROWS_FIXED("relu(x + b)"), 50, 20},
	{"cuda:sm_90a", "examples/weight_view.tn", NULL, 200, 0},
	{"cuda:sm_80", "examples/weight_view.tn", NULL, 200, 0},
	{"cuda:sm_90a", NULL,
	 "def f(x: f16[1024, 768], w: f16[768, 1024]):\n    return x @ w\n",
	 200, 0},
	{"cuda:sm_90a", NULL,
	 "def f(x: f32[1000, 768], w: f32[768, 1024]):\n    return x @ w\n",
	 200, 0},
	{"cuda:sm_90a", NULL,
	 "def f(q: f16[1, 16, 2048, 64], k: f16[1, 16, 2048, 64], "
	 "v: f16[1, 16, 2048, 64]):\n    return attention(q, k, v)\n",
	 30, 0},
	{"opencl", NULL, ROWS_FIXED("softmax(x)"), 100, 30},
};

static void counts(void)
{
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		const Number *n = &numbers[i];
		Space s;
		if (space_open(&s, n->target, n->file, n->text)) {
			size_t differ = n->differ ? distinct(&s) : 0;
			if (!CHECK(s.legal.n >= n->legal &&
				   differ >= n->differ))
				printf("%s %s: %zu legal, %zu differ\n",
				       n->target, n->file ? n->file : n->text,
				       s.legal.n, differ);
		}
		space_close(&s);
	}
}

/* ---- costs --------------------------------------------------------------- */

static bool is_cost(const Cost *c)
{
	const double term[] = {c->compute, c->memory, c->move, c->start};
	double both = c->compute > c->memory ? c->compute : c->memory;

	for (size_t i = 0; i < ARRAY_LEN(term); i++)
		if (!isfinite(term[i]) || term[i] < 0)
			return false;
	return c->us > 0 &&
	       fabs(both + c->move + c->start - c->us) < 1e-9 * c->us;
}

typedef struct Sized {
	const char *target, *text;
} Sized;

/* Dims M and K; each grows to eight times. */
static const Sized sized[] = {
	{"cpu:avx512", "dims d: M = 100, K = 1000\n"
		       "def f(x: f32[M, K]):\n    return softmax(x)\n"},
	{"cpu:avx2", "dims d: M = 64, K = 515\n"
		     "def f(x: f16[K, M]):\n    return sum(x, axis=0)\n"},
	{"cpu:avx512", "dims d: M = 64, K = 515\n"
		       "def f(x: f32[K, M]):\n    return x.T + 1.0\n"},
	{"cuda:sm_90a", "dims d: M = 200, K = 1000\n"
			"def f(x: f32[M, K]):\n    return softmax(x)\n"},
	{"cuda:sm_80", "dims d: M = 200, K = 1000\n"
		       "def f(x: f32[M, K]):\n    return exp(x) + x\n"},
	{"cuda:sm_90a", "dims d: M = 200, K = 1024\n"
			"def f(x: f16[M, K], w: f16[K, M]):\n"
			"    return x @ w\n"},
	{"cuda:sm_80", "dims d: M = 200, K = 1024\n"
		       "def f(x: f32[M, K], w: f32[K, M]):\n"
		       "    return x @ w\n"},
	{"cuda:sm_90a", "dims d: M = 1000, K = 1024\n"
			"def f(q: f16[1, 4, M, 64], k: f16[1, 4, K, 64], "
			"v: f16[1, 4, K, 64]):\n"
			"    return attention(q, k, v)\n"},
};

static void costs_of(const Space *s, const Sized *x)
{
	size_t step = s->legal.n > 60 && !test_all() ? s->legal.n / 60 : 1;
	Arena a;

	arena_init(&a);
	for (size_t i = 0; i < s->legal.n; i += step) {
		const Chosen *c = &s->legal.p[i];
		Cost small =
			realise_cost(s->r, s->region, &s->target, c, s->dims);
		bool good = is_cost(&small);
		/* one dim, which more workers may share; both */
		for (int d = 0; d < 3 && good; d++) {
			int64_t dims[2] = {s->dims[0] * (d == 1 ? 1 : 8),
					   s->dims[1] * (d == 0 ? 1 : 8)};
			Cost large = realise_cost(s->r, s->region, &s->target,
						  c, dims);
			good = is_cost(&large) &&
			       large.us > small.us * (d == 2 ? 1.5 : 0.97);
			if (!good)
				printf("dims %" PRId64 " %" PRId64
				       ": %g us from %g\n",
				       dims[0], dims[1], large.us, small.us);
		}
		if (!CHECK(good))
			printf("%s: %s\n%s", x->target, text_of(&a, c),
			       x->text);
	}
	arena_release(&a);
}

static void costs(void)
{
	for (size_t i = 0; i < ARRAY_LEN(sized); i++) {
		Space s;
		if (space_open(&s, sized[i].target, NULL, sized[i].text))
			costs_of(&s, &sized[i]);
		space_close(&s);
	}
}

/* Empty rows and columns too have a cost, which is a number. */
static void costs_of_nothing(void)
{
	for (size_t i = 0; i < ARRAY_LEN(sized); i++) {
		Space s;
		if (!space_open(&s, sized[i].target, NULL, sized[i].text))
			continue;
		for (int d = 0; d < 2; d++) {
			int64_t dims[2] = {d ? 5 : 0, d ? 0 : 5};
			Cost c = realise_cost(s.r, s.region, &s.target,
					      s.legal.p, dims);
			CHECK(is_cost(&c));
		}
		space_close(&s);
	}
}

/* What is known of each: two candidates, of which the first is the cheaper. */
static const struct {
	const char *target, *text, *cheap, *dear;
} ordered[] = {
	/* a row past the caches; exp twice; columns read across */
	{"cpu:avx512", "def f(x: f32[4096, 8192]):\n    return softmax(x)\n",
	 "rowreduce lanes=16 rows=16384 stream=2 ahead=2 split=0 keep=1 "
	 "distance=1",
	 "rowreduce lanes=16 rows=16384 stream=0 ahead=0 split=0 keep=1 "
	 "distance=1"},
	{"cpu:avx512", "def f(x: f32[64, 1024]):\n    return softmax(x)\n",
	 "rowreduce lanes=16 rows=16384 stream=0 ahead=0 split=0 keep=1 "
	 "distance=1",
	 "rowreduce lanes=16 rows=16384 stream=0 ahead=0 split=0 keep=0 "
	 "distance=1"},
	{"cpu:avx512", "def f(x: f32[64, 1024]):\n    return softmax(x)\n",
	 "rowreduce lanes=16 rows=16384 stream=0 ahead=0 split=0 keep=1 "
	 "distance=1",
	 "rowreduce lanes=16 rows=16384 stream=2 ahead=0 split=0 keep=1 "
	 "distance=1"},
	{"cpu:avx512", "def f(x: f32[2048, 2048]):\n    return x.T + 1.0\n",
	 "loop lanes=16 block=16384 walk=2 stream=0",
	 "loop lanes=16 block=16384 walk=0 stream=0"},
	/* as measured on an H200 */
	{"cuda:sm_90a", "def f(x: f16[4096, 8192]):\n    return softmax(x)\n",
	 "rowreduce lanes=256 rows=1 stream=1 ahead=0 split=1 keep=1 "
	 "distance=1 width=8 "
	 "turns=4",
	 "rowreduce lanes=1024 rows=1 stream=1 ahead=0 split=1 keep=1 "
	 "distance=1 width=8 "
	 "turns=1"},
	{"cuda:sm_90a",
	 "def f(x: f16[64, 8192], w: f16[8192, 1024]):\n    return x @ w\n",
	 "contract unit=7 rows=64 columns=64 depth=64 threads=128 stages=4 "
	 "operands=0 small=0 split=8",
	 "contract unit=7 rows=64 columns=64 depth=64 threads=128 stages=4 "
	 "operands=0 small=0 split=1"},
	{"cuda:sm_90a",
	 "def f(x: f16[4096, 4096], w: f16[4096, 4096]):\n    return x @ w\n",
	 "contract unit=7 rows=128 columns=256 depth=64 threads=256 stages=4 "
	 "operands=0 small=0 split=1",
	 "contract unit=6 rows=128 columns=256 depth=64 threads=256 stages=4 "
	 "operands=0 small=0 split=1"},
	{"cuda:sm_90a",
	 "def f(x: f32[512, 512], w: f32[512, 512]):\n    return x @ w\n",
	 "contract unit=0 rows=64 columns=64 depth=16 threads=64 stages=2 "
	 "operands=0 small=0 split=4",
	 "contract unit=0 rows=64 columns=64 depth=16 threads=64 stages=2 "
	 "operands=0 small=0 split=1"},
};

static void order(void)
{
	for (size_t i = 0; i < ARRAY_LEN(ordered); i++) {
		const char *text[2] = {ordered[i].cheap, ordered[i].dear};
		double us[2] = {0};
		Space s;
		if (!space_open(&s, ordered[i].target, NULL, ordered[i].text))
			continue;
		for (int k = 0; k < 2; k++) {
			Chosen c;
			if (CHECK(chosen_parse(&s.target, text[k], &c)))
				us[k] = realise_cost(s.r, s.region, &s.target,
						     &c, s.dims)
						.us;
		}
		if (!CHECK(us[0] < us[1]))
			printf("%s %g, %s %g\n", text[0], us[0], text[1],
			       us[1]);
		space_close(&s);
	}
}

/* ---- what is legal runs, and is right ---------------------------------- */

typedef struct Small {
	const char *text;
	int64_t sizes[3][2]; /* of M, K; ends with -1 */
} Small;

#define DIMS "dims d: M = 3, K = 37\n"

static const Small small[] = {
	{DIMS "def f(x: f32[M, K], g: f32[K], b: f32[K]):\n"
	      "    return layer_norm(x, g, b)\n",
	 {{3, 37}, {5, 1}, {2, 130}}},
	{DIMS "def f(x: f16[M, K]):\n    return softmax(x)\n",
	 {{3, 67}, {1, 1}, {40, 16}}},
	{DIMS "def f(x: bf16[M, K], g: bf16[K]):\n    return rms_norm(x, g)\n",
	 {{3, 67}, {0, 5}, {7, 128}}},
	{DIMS "def f(x: f64[M, K]):\n    return logsumexp(x, axis=-1)\n",
	 {{3, 67}, {2, 1}, {1, 300}}},
	{DIMS "def f(x: f32[M, K]):\n    return argmax(x, axis=1)\n",
	 {{3, 67}, {9, 1}, {2, 131}}},
	{DIMS "def f(x: f32[M, K]):\n    return cumsum(x, axis=1)\n",
	 {{3, 67}, {2, 0}, {1, 17}}},
	{DIMS "def f(x: f32[M, 4, K]):\n    return sum(x, axis=(0, 2))\n",
	 {{3, 37}, {1, 1}, {2, 0}}},
	{DIMS "def f(x: f16[M, K]):\n    return mean(x, axis=0)\n",
	 {{3, 67}, {19, 1}, {1, 515}}},
	{DIMS "def f(x: i32[M, K]):\n    return max(x, axis=1) - x[:, 0]\n",
	 {{3, 37}, {2, 1}, {2, 64}}},
	{"def f(x: f32[5, 61], y: f32[61]):\n    return softmax(x * y) * x\n",
	 {{-1}}},
	{"def f(x: f32[6, 4096]):\n    return softmax(x)\n", {{-1}}},
	{DIMS "def f(x: f32[M, K], y: f32[M, K]):\n    return gelu(x) * y\n",
	 {{3, 37}, {0, 9}, {1, 257}}},
	{DIMS "def f(x: f16[K, M]):\n    return x.T * x.T\n",
	 {{3, 37}, {70, 33}, {1, 1}}},
	{DIMS "def f(x: f64[K, M], b: f64[K]):\n    return x.T - b\n",
	 {{3, 37}, {17, 16}, {0, 3}}},
	{DIMS "def f(x: f32[M, K]):\n    return f16(x[:, ::-1] + 1.0)\n",
	 {{3, 37}, {2, 1}, {2, 64}}},
	{"def f(x: f32[16, 48], y: f32[16, 48]):\n    return exp(x) / y\n",
	 {{-1}}},
};

/* The same numbers everywhere. */
static uint32_t drawn(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

static void judge_one(Space *s, const Small *x, const Chosen *c,
		      const char *target)
{
	const char *pins[MAX_PARAMS];
	Sizes sizes[3];
	size_t n = 0;
	Judge j;

	judge_init(&j);
	for (; n < 3 && x->sizes[0][0] >= 0; n++)
		memcpy(sizes[n].dim, x->sizes[n], sizeof(x->sizes[n]));
	j.target = target;
	j.families = "exact,random,specials";
	j.pins = pins;
	j.npins = pins_of(&s->arena, c, pins);
	TenonProgram *p = NULL;
	if (test_all()) {
		printf("%s\n", text_of(&s->arena, c));
		fflush(stdout);
	}
	if (!CHECK(!tenon_program_from_text(j.c, "t", x->text, NULL, &p)) ||
	    !CHECK(judge_program(&j, p, n ? sizes : NULL, n, 0)))
		printf("%s: %s\n%s%s", target ? target : "cpu",
		       text_of(&s->arena, c), x->text, buf_str(&j.why));
	tenon_program_free(p);
	judge_release(&j);
}

/* `each` candidates of every step-th program. */
static void judge_some(const char *target, size_t step, size_t each,
		       uint32_t seed)
{
	for (size_t i = 0; i < ARRAY_LEN(small); i += step) {
		Space s;
		if (space_open(&s, target, NULL, small[i].text))
			for (size_t k = 0; k < each; k++)
				judge_one(&s, &small[i],
					  &s.legal.p[drawn(&seed) % s.legal.n],
					  target);
		space_close(&s);
	}
}

static void on_cpu(void)
{
	judge_some(NULL, 1, test_all() ? 25 : 1, 5);
}

static void on_opencl(void)
{
	TenonContext *c = tenon_context_new();
	bool here = judge_has_opencl(c);

	tenon_context_free(c);
	if (!here)
		SKIP_UNTIL_SETUP("no OpenCL device is here");
	judge_some("opencl", test_all() ? 1 : 4, test_all() ? 20 : 1, 7);
}

/* ---- CUDA, without a device --------------------------------------------- */

static const Sized cuda[] = {
	{"cuda:sm_90a", "def f(x: f16[300, 200], w: f16[200, 520]):\n"
			"    return relu(x @ w)\n"},
	{"cuda:sm_80", "def f(x: bf16[300, 200], w: bf16[520, 200]):\n"
		       "    return x @ w.T\n"},
	{"cuda:sm_90a", "dims d: M = 100, K = 77\n"
			"def f(x: f16[M, K], w: f16[K, M], b: f16[M]):\n"
			"    return x @ w + b\n"},
	{"cuda:sm_80", "dims d: M = 100, K = 77\n"
		       "def f(x: f32[M, K], w: f32[K, M]):\n"
		       "    return x @ w\n"},
	{"cuda:sm_90a", "def f(x: f64[2, 50, 60], w: f64[2, 60, 70]):\n"
			"    return x @ w\n"},
	{"cuda:sm_90a", "def f(x: i8[64, 100], w: i8[200, 100]):\n"
			"    return matmul(x, w.T, acc=i32, out=i32)\n"},
	{"cuda:sm_90a", "def f(x: f32[512, 4096]):\n    return softmax(x)\n"},
	{"cuda:sm_80", "dims d: M = 100, K = 77\n"
		       "def f(x: f16[M, K], g: f16[K]):\n"
		       "    return rms_norm(x, g)\n"},
	{"cuda:sm_90a", "def f(x: f32[60, 7, 30]):\n"
			"    return sum(x, axis=0)\n"},
	{"cuda:sm_80", "def f(x: f16[100, 64]):\n    return gelu(x) + x\n"},
	{"cuda:sm_90a", "dims d: M = 100, K = 77\n"
			"def f(x: f32[K, M]):\n    return x.T * 2.0\n"},
	{"cuda:sm_90a",
	 "def f(q: f16[1, 16, 2048, 64], k: f16[1, 16, 2048, 64], "
	 "v: f16[1, 16, 2048, 64]):\n"
	 "    return attention(q, k, v)\n"},
	{"cuda:sm_80",
	 "def f(q: f16[1, 16, 2048, 128], k: f16[1, 16, 2048, 128], "
	 "v: f16[1, 16, 2048, 128]):\n"
	 "    return attention(q, k, v, causal=True)\n"},
};

/* Made up to its sources, and through NVRTC where asked. */
static void make_one(Space *s, const Sized *x, const Chosen *c, bool build)
{
	const char *pins[MAX_PARAMS];
	TenonPlanOptions o = {.target = x->target,
			      .pins = pins,
			      .npins = pins_of(&s->arena, c, pins),
			      .emit_only = true,
			      .build = build};
	TenonPlan *plan = NULL;

	if (test_all()) {
		printf("%s\n", text_of(&s->arena, c));
		fflush(stdout);
	}
	if (!CHECK(!tenon_compile(s->c, s->p, &o, &plan)))
		printf("%s: %s\n%s%s", x->target, text_of(&s->arena, c),
		       x->text, tenon_message(s->c));
	tenon_plan_free(plan);
}

static void for_cuda(void)
{
	size_t each = test_all() ? 40 : 12;
	uint32_t seed = 3;

	for (size_t i = 0; i < ARRAY_LEN(cuda); i++) {
		Space s;
		if (space_open(&s, cuda[i].target, NULL, cuda[i].text))
			for (size_t k = 0; k < each; k++) {
				size_t at = drawn(&seed) % s.legal.n;
				make_one(&s, &cuda[i], &s.legal.p[at], false);
			}
		space_close(&s);
	}
}

static void through_nvrtc(void)
{
	size_t each = test_all() ? 6 : 1, step = test_all() ? 1 : 5;
	uint32_t seed = 11;
	Ctx ctx;
	Nvrtc n;

	ctx_init(&ctx);
	bool here = nvrtc_open(&ctx, NULL, &n);
	ctx_release(&ctx);
	if (!here)
		SKIP_UNTIL_SETUP("NVRTC is not here");
	for (size_t i = 0; i < ARRAY_LEN(cuda); i += step) {
		Space s;
		if (space_open(&s, cuda[i].target, NULL, cuda[i].text))
			for (size_t k = 0; k < each; k++) {
				size_t at = drawn(&seed) % s.legal.n;
				make_one(&s, &cuda[i], &s.legal.p[at], true);
			}
		space_close(&s);
	}
}

/* Platforms keep what they made until the process ends. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libpocl\nleak:libLLVM\nleak:libclang\nleak:libOpenCL\n";
}

TEST_MAIN(TEST(counts), TEST(costs), TEST(costs_of_nothing), TEST(order),
	  TEST(on_cpu), TEST(on_opencl), TEST(for_cuda), TEST(through_nvrtc))
