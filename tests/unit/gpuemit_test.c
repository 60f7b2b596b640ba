/*
 * gpuemit_test: kernels in CUDA C, compiled and not run.
 *
 * Each kernel of each example becomes a cubin, of sm_90a in f16 and of sm_80
 * in f32, that spills no register; so do those that pins ask for. Pins that
 * cannot be met are refused with the reason, on either kind of GPU. Skipped
 * where no NVRTC is and tools/setup has not brought one.
 *
 * tests/run: plain
 */
#include "tests/unit/api.h"

#include "runtime/cubin.h"
#include "runtime/nvrtc.h"

static const char none[] = "no NVRTC of 12 or later is here";

/* Sources of several programs, to be compiled side by side. */
typedef struct Batch {
	Ctx ctx;
	VEC(NvrtcSource) sources;
} Batch;

static bool batch_open(Batch *b, Nvrtc *nvrtc)
{
	memset(b, 0, sizeof(*b));
	ctx_init(&b->ctx);
	b->ctx.threads = 2;
	if (nvrtc_open(&b->ctx, NULL, nvrtc) && nvrtc->major >= 12)
		return true;
	printf("%s", buf_str(&b->ctx.messages));
	ctx_release(&b->ctx);
	return false;
}

static TenonError emit(Case *k, const char *target, const char *const *pins,
		       size_t npins)
{
	TenonPlanOptions o = {.target = target,
			      .pins = pins,
			      .npins = npins,
			      .emit_only = true};

	return tenon_compile(k->c, k->p, &o, &k->plan);
}

/* The sources of a plan; the batch keeps copies. */
static void batch_add(Batch *b, const Case *k, const char *what,
		      const char *arch)
{
	Arena *a = &b->ctx.perm;
	const Plan *plan = k->plan->plan;

	CHECK(plan->sources.n > 0);
	for (size_t i = 0; i < plan->launches.n; i++) {
		const Program *q = plan->kernels->program;
		int64_t shared = 0;
		(void)ex_is_const(&q->ex, plan->launches.p[i].scratch, &shared);
		if (!CHECK(shared <= (strcmp(arch, "sm_80") ? 227 : 163) << 10))
			printf("%s %s: %d bytes of a block's memory\n", what,
			       arch, (int)shared);
	}
	for (size_t i = 0; i < plan->sources.n; i++)
		VEC_PUSH(a, b->sources,
			 ((NvrtcSource){
				 .name = arena_printf(a, "%s %s k%zu", what,
						      arch, i),
				 .text = arena_strdup(a, plan->sources.p[i]),
				 .arch = arch,
			 }));
}

/* Compiles all; each kernel is there, at most so many of a source, and keeps
 * its variables in registers. */
static void batch_compile(Batch *b, const Nvrtc *nvrtc, size_t most)
{
	Arena *a = &b->ctx.perm;
	size_t kernels = 0;

	if (!CHECK(nvrtc_compile(&b->ctx, a, nvrtc, b->sources.p,
				 b->sources.n)))
		printf("%s", buf_str(&b->ctx.messages));
	for (size_t i = 0; i < b->sources.n && !b->ctx.errors; i++) {
		const NvrtcSource *s = &b->sources.p[i];
		Cubin cubin = {0};
		CHECK(cubin_read(&b->ctx, a, s->cubin, s->size, &cubin) &&
		      cubin_read_log(&b->ctx, &cubin, s->log));
		CHECK(cubin.n > 0 && cubin.n <= most);
		for (size_t n = 0; n < cubin.n; n++) {
			const CubinKernel *c = &cubin.kernels[n];
			if (!CHECK(c->logged && !c->spill_stores &&
				   !c->spill_loads && !c->serialized))
				printf("%s, %s: %d registers, %d and %d bytes "
				       "spilled\n",
				       s->name, c->name, c->registers,
				       (int)c->spill_stores,
				       (int)c->spill_loads);
			kernels++;
		}
	}
	printf("%zu sources, %zu kernels\n", b->sources.n, kernels);
	if (b->ctx.errors)
		printf("%s", buf_str(&b->ctx.messages));
	ctx_release(&b->ctx);
}

/* ---- examples -------------------------------------------------------- */

static void all_examples(void)
{
	static const struct {
		const char *target, *arch, *dtype;
	} rows[] = {
		{"cuda:sm_90a", "sm_90a", "f16"},
		{"cuda:sm_80", "sm_80", "f32"},
	};
	Batch b;
	Nvrtc nvrtc;
	glob_t g;

	if (!batch_open(&b, &nvrtc))
		SKIP_UNTIL_SETUP(none);
	size_t n = examples(&g);
	for (size_t i = 0; i < n; i++)
		for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
			Case k;
			if (case_open(&k, g.gl_pathv[i], NULL, rows[r].dtype) &&
			    works(&k, emit(&k, rows[r].target, NULL, 0),
				  g.gl_pathv[i]))
				batch_add(&b, &k, g.gl_pathv[i], rows[r].arch);
			case_close(&k);
		}
	globfree(&g);
	CHECK(b.sources.n >= 2 * n);
	batch_compile(&b, &nvrtc, SIZE_MAX);
}

/* ---- pins ------------------------------------------------------------ */

static const char product[] = "def f(x: f32[M, 300], w: f32[300, N]):\n"
			      "    return relu(x @ w)\n";
static const char rows[] = "def f(x: f16[M, 300]):\n"
			   "    return softmax(x, axis=-1)\n";
static const char each[] = "def f(x: f32[M, 300], y: f32[M, 300]):\n"
			   "    return x * 2 + y\n";

/* As they lie either way, and one of them computed. */
static const char along[] = "def f(x: f32[M, 301], w: f32[N, 301]):\n"
			    "    return x @ w.T\n";
static const char across[] = "def f(x: f64[72, 130], w: f64[72, 96]):\n"
			     "    return x.T @ w\n";
static const char computed[] = "def f(x: f32[M, 304], w: f32[304, 1000]):\n"
			       "    return (x * 2) @ w\n";

/* For a matrix unit: as they lie either way, packed, bytes. */
static const char halves[] =
	"def f(x: f16[M, 304], w: f16[304, 1000], b: f16[1000]):\n"
	"    return relu(x @ w + b)\n";
static const char turned[] = "def f(x: bf16[304, 136], w: bf16[72, 304]):\n"
			     "    return x.T @ w.T\n";
static const char odd[] = "def f(x: bf16[M, 301], w: bf16[301, N]):\n"
			  "    return (x * 2) @ w\n";
static const char uneven[] =
	"def f(x: f16[129, 257], w: f16[257, 201], b: f16[201], "
	"r: f16[129, 201]):\n"
	"    y = x @ w + b\n"
	"    return y + r, y\n";
static const char pairs[] = "def f(x: bf16[130, 72], w: bf16[130, 72]):\n"
			    "    return silu(x @ w.T)\n";
static const char odd_bytes[] =
	"def f(x: i8[65, 257], w: i8[257, 127], r: i32[65, 127]):\n"
	"    return matmul(x, w, acc=i32, out=i32) + r\n";
static const char nothing[] = "def f(x: f16[64, 0], w: f16[0, 128]):\n"
			      "    return x @ w\n";
static const char bytes[] = "def f(x: i8[64, K], w: i8[K, 96]):\n"
			    "    return matmul(x, w, out=i32)\n";

/* f32 in TF32: across k, along it, computed, batches. */
static const char single[] = "@contract(tf32)\n"
			     "def f(x: f32[M, K], w: f32[K, N], b: f32[N]):\n"
			     "    return relu(x @ w + b)\n";
static const char single_along[] =
	"@contract(tf32)\n"
	"def f(x: f32[256, 512], w: f32[1024, 512]):\n"
	"    return x @ w.T\n";
static const char single_across[] =
	"@contract(tf32)\n"
	"def f(x: f32[256, 512], w: f32[512, 1024]):\n"
	"    return x @ w\n";
static const char single_odd[] = "@contract(tf32)\n"
				 "def f(x: f32[M, 301], w: f32[N, 301]):\n"
				 "    return (x * 2) @ w.T\n";
static const char single_batch[] =
	"@contract(tf32)\n"
	"def f(x: f32[B, 65, 72], w: f32[72, 201], v: f32[B, 201]):\n"
	"    return x @ w + reshape(v, B, 1, 201)\n";
static const char single_double[] = "@contract(tf32)\n"
				    "def f(x: f32[64, 64], w: f32[64, 64]):\n"
				    "    return matmul(x, w, acc=f64)\n";

/* Two products and rows between: as they lie, packed, tails. */
static const char attended[] = "def f(q: f16[50, 256, 64], k: f16[50, 512, "
			       "64], v: f16[50, 512, 128]):\n"
			       "    return attention(q, k, v)\n";
static const char causal[] =
	"def f(q: bf16[H, L, 64], k: bf16[H, S, 64], v: bf16[H, S, 48]):\n"
	"    return attention(q, k, v, causal=True)\n";
static const char weighed[] =
	"def f(q: f16[L, 32], k: f16[32, S], v: f16[S, 32]):\n"
	"    return softmax((q * 2) @ k) @ (v + 1)\n";

typedef struct PinCase {
	const char *text;
	const char *pins[4];
	const char *why; /* refused: in the message; NULL: met */
} PinCase;

static const PinCase pin_cases[] = {
	{product, {"contract.rows=128", "contract.columns=128"}, NULL},
	{product, {"contract.rows=16", "contract.columns=256"}, NULL},
	{product, {"contract.depth=8"}, NULL},
	{product, {"contract.depth=32"}, NULL},
	{product, {"contract.threads=32"}, NULL},
	{product,
	 {"contract.threads=1024", "contract.rows=128", "contract.columns=64"},
	 NULL},
	{product, {"contract.unit=fma"}, NULL},
	{product, {"contract.tile=128x128", "contract.depth=16"}, NULL},
	{halves, {"contract.unit=simt", "contract.tile=128x256"}, NULL},
	{product,
	 {"contract.operands=forwarded", "contract.tile=128x128"},
	 NULL},
	{product, {"contract.operands=staged", "contract.tile=128x128"}, NULL},
	{along,
	 {"contract.operands=forwarded", "contract.stages=4",
	  "contract.tile=64x128"},
	 NULL},
	{along, {"contract.operands=forwarded", "contract.split=3"}, NULL},
	{across,
	 {"contract.operands=forwarded", "contract.stages=3",
	  "contract.tile=64x64"},
	 NULL},
	{halves, {"contract.unit=mma"}, NULL},
	{halves, {"contract.tile=128x256", "contract.stages=3"}, NULL},
	{halves, {"contract.operands=staged", "contract.depth=32"}, NULL},
	{turned, {"contract.operands=forwarded", "contract.tile=16x64"}, NULL},
	{odd, {"contract.unit=mma", "contract.threads=256"}, NULL},
	{bytes, {"contract.unit=mma", "contract.tile=64x64"}, NULL},
	{uneven, {"contract.unit=mma"}, NULL},
	/* sums in parts: what the ring leaves is less than a tile of them */
	{uneven,
	 {"contract.tile=128x256", "contract.depth=16", "contract.stages=2"},
	 NULL},
	{pairs, {"contract.unit=mma", "contract.tile=16x64"}, NULL},
	{odd_bytes, {"contract.unit=mma"}, NULL},
	{product, {"contract.split=3"}, NULL},
	{halves, {"contract.unit=mma", "contract.split=4"}, NULL},
	{turned, {"contract.tile=16x64", "contract.split=2"}, NULL},
	{odd, {"contract.unit=mma", "contract.split=7"}, NULL},
	{bytes, {"contract.split=2"}, NULL},
	{single, {"contract.unit=mma"}, NULL},
	{single, {"contract.unit=simt"}, NULL},
	{single_along, {"contract.operands=forwarded"}, NULL},
	{single_along, {"contract.unit=mma", "contract.tile=128x256"}, NULL},
	{single_odd, {"contract.unit=mma", "contract.split=3"}, NULL},
	{single_batch, {"contract.unit=mma", "contract.tile=32x64"}, NULL},
	{attended, {"attention.rows=128", "attention.threads=256"}, NULL},
	{attended, {"attention.keys=32", "attention.rows=32"}, NULL},
	{causal, {"attention.keys=16", "attention.stages=7"}, NULL},
	{causal, {"attention.unit=fma"}, NULL},
	{weighed, {"attention.join=1", "attention.keys=32"}, NULL},
	{rows, {"rowreduce.lanes=1"}, NULL},
	{rows, {"rowreduce.lanes=32"}, NULL},
	{rows, {"rowreduce.lanes=1024"}, NULL},
	{rows, {"rowreduce.width=0"}, NULL},
	{rows, {"rowreduce.width=2", "rowreduce.lanes=64"}, NULL},
	{each, {"loop.walk=0", "loop.width=2", "loop.lanes=64"}, NULL},
	{each, {"loop.lanes=32"}, NULL},
	{each, {"loop.lanes=1024"}, NULL},
	{product, {"contract.rows=24"}, "rows must be a multiple of 16"},
	{product, {"contract.rows=0"}, "rows must be a multiple of 16"},
	{product, {"contract.rows=512"}, "at most 256"},
	{product, {"contract.columns=24"}, "columns must be a multiple of 16"},
	{product, {"contract.columns=512"}, "at most 256"},
	{product, {"contract.depth=3"}, "depth must divide threads"},
	{product, {"contract.depth=0"}, "depth must divide threads"},
	{product, {"contract.depth=512"}, "depth must divide threads"},
	{product, {"contract.depth=256"}, "do not fit"},
	{product, {"contract.threads=16"}, "threads must be 32, 64 ... 1024"},
	{product, {"contract.threads=96"}, "threads must be 32, 64 ... 1024"},
	{product, {"contract.threads=2048"}, "threads must be 32, 64 ... 1024"},
	{product,
	 {"contract.threads=32", "contract.rows=128", "contract.columns=64"},
	 "at most 512 bytes of sums"},
	{product, {"contract.rows=48"}, "shared out evenly"},
	{product, {"contract.unit=amx_bf16"}, "no such unit"},
	{product, {"contract.mr=4"}, "unit rows columns depth threads"},
	{product, {"contract.tile=64"}, "a tile is rows x columns"},
	{product, {"contract.tile=64x"}, "a tile is rows x columns"},
	{product, {"contract.operands=1"}, "staged or forwarded"},
	{computed,
	 {"contract.operands=forwarded"},
	 "the left operand is computed or converted"},
	{bytes,
	 {"contract.unit=simt", "contract.operands=forwarded"},
	 "the left operand is computed or converted"},
	{product,
	 {"contract.operands=staged", "contract.stages=3"},
	 "operands that are staged have 2 stages"},
	{product, {"contract.stages=1"}, "2 to 4 stages"},
	{product,
	 {"contract.operands=forwarded", "contract.stages=5"},
	 "2 to 4 stages"},
	{product, {"contract.split=0"}, "split must be 1 to 64"},
	{product, {"contract.split=65"}, "split must be 1 to 64"},
	{rows, {"rowreduce.lanes=16"}, "lanes (threads) must be 1 or 32"},
	{rows, {"rowreduce.lanes=48"}, "lanes (threads) must be 1 or 32"},
	{rows, {"rowreduce.lanes=2048"}, "lanes (threads) must be 1 or 32"},
	{each, {"loop.lanes=16"}, "lanes (threads) must be 32, 64"},
	{each, {"loop.lanes=33"}, "lanes (threads) must be 32, 64"},
	{each, {"loop.lanes=2048"}, "lanes (threads) must be 32, 64"},
	{each, {"loop.walk=2"}, "tiles are a CPU's"},
	{each, {"loop.width=8"}, "16 bytes hold so many"},
	{each, {"loop.width=4", "loop.walk=3"}, "must be 0 on"},
	{each, {"loop.block=1000"}, "1 to 16 times lanes times width"},
	{rows, {"rowreduce.width=8"}, "width must divide the row"},
	{rows, {"rowreduce.width=4", "rowreduce.lanes=1"}, "must be 0"},
	{rows, {"rowreduce.turns=0"}, "at least 1"},
};

/* Met by sm_90a. */
static const PinCase hopper_cases[] = {
	{halves, {"contract.unit=wgmma"}, NULL},
	{halves, {"contract.unit=wgmma", "contract.tile=128x256"}, NULL},
	{turned, {"contract.unit=wgmma", "contract.tile=64x128"}, NULL},
	{odd, {"contract.unit=wgmma", "contract.stages=3"}, NULL},
	{bytes, {"contract.unit=wgmma"}, NULL},
	{nothing, {"contract.unit=wgmma"}, NULL},
	{uneven, {"contract.unit=wgmma"}, NULL},
	{uneven, {"contract.unit=wgmma", "contract.tile=128x192"}, NULL},
	{pairs, {"contract.unit=wgmma"}, NULL},
	{odd_bytes, {"contract.unit=wgmma"}, NULL},
	{halves, {"contract.split=3", "contract.tile=64x64"}, NULL},
	{halves, {"contract.split=2", "contract.small=1"}, NULL},
	{turned, {"contract.split=5", "contract.tile=64x128"}, NULL},
	{odd, {"contract.split=7"}, NULL},
	{bytes, {"contract.split=2", "contract.tile=64x64"}, NULL},
	{single, {"contract.unit=wgmma"}, NULL},
	{single_along, {"contract.unit=wgmma", "contract.tile=128x256"}, NULL},
	{single_odd, {"contract.split=3", "contract.tile=64x128"}, NULL},
	{single_batch, {"contract.unit=wgmma"}, NULL},
};

/* Refused by one target, for its unit. */
static const struct {
	const char *target;
	PinCase pin;
} unit_cases[] = {
	{"cuda:sm_75",
	 {product,
	  {"contract.operands=forwarded"},
	  "cuda:sm_75 copies by way of registers"}},
	{"cuda:sm_75",
	 {product, {"contract.stages=3"}, "operands that are staged"}},
	{"opencl",
	 {product, {"contract.stages=3"}, "operands that are staged"}},
	{"cuda:sm_80",
	 {product,
	  {"contract.unit=mma"},
	  "mma does not multiply f32 and f32 with acc=f32 unless the def says "
	  "tf32"}},
	{"cuda:sm_90a",
	 {product, {"contract.unit=wgmma"}, "unless the def says tf32"}},
	{"cuda:sm_90a",
	 {single_double,
	  {"contract.unit=mma"},
	  "mma does not multiply f32 and f32 with acc=f64"}},
	{"opencl", {single, {"contract.unit=mma"}, "opencl has no mma"}},
	{"cuda:sm_75", {single, {"contract.unit=mma"}, "has no mma"}},
	{"cuda:sm_90a",
	 {single_across,
	  {"contract.operands=forwarded"},
	  "the right operand does not lie along k"}},
	{"cuda:sm_80",
	 {single,
	  {"contract.unit=mma", "contract.depth=12"},
	  "multiple of 8, at most 64"}},
	{"opencl", {halves, {"contract.unit=mma"}, "opencl has no mma"}},
	{"cuda:sm_75",
	 {halves, {"contract.unit=mma"}, "cuda:sm_75 has no mma"}},
	{"cuda:sm_80",
	 {halves, {"contract.unit=wgmma"}, "cuda:sm_80 has no wgmma"}},
	{"cuda:sm_90", {halves, {"contract.unit=wgmma"}, "has no wgmma"}},
	{"cuda:sm_90a",
	 {halves,
	  {"contract.unit=wgmma", "contract.tile=96x64"},
	  "rows of half the threads"}},
	{"cuda:sm_90a",
	 {halves,
	  {"contract.unit=wgmma", "contract.depth=32"},
	  "a depth of 64"}},
	{"cuda:sm_75", {attended, {"attention.join=1"}, "cannot be met"}},
	{"cuda:sm_80",
	 {attended, {"attention.unit=wgmma"}, "by mma, or its parts"}},
	{"cuda:sm_80",
	 {attended, {"attention.rows=24"}, "rows must be a multiple of 16"}},
	{"cuda:sm_80",
	 {attended,
	  {"attention.rows=256", "attention.threads=64"},
	  "rows must be a multiple of 16"}},
	{"cuda:sm_80", {attended, {"attention.keys=8"}, "multiple of 16"}},
	{"cuda:sm_80",
	 {attended, {"attention.threads=1024"}, "threads must be 32, 64"}},
	{"cuda:sm_80", {attended, {"attention.stages=1"}, "2 to 7"}},
	{"cuda:sm_80",
	 {attended,
	  {"attention.rows=128", "attention.threads=64"},
	  "192 scores"}},
	{"cuda:sm_80",
	 {attended,
	  {"attention.keys=128", "attention.stages=7"},
	  "do not fit"}},
	{"cuda:sm_80", {halves, {"contract.tile=24x64"}, "multiple of 16"}},
	{"cuda:sm_80",
	 {halves, {"contract.stages=8"}, "stages must be 2 to 7"}},
	{"cuda:sm_80", {halves, {"contract.depth=24"}, "multiple of 16"}},
	{"cuda:sm_80",
	 {halves,
	  {"contract.tile=256x256", "contract.threads=256"},
	  "at most 128 sums"}},
	{"cuda:sm_80",
	 {halves,
	  {"contract.tile=128x256", "contract.stages=7", "contract.depth=64"},
	  "do not fit"}},
	{"cuda:sm_90a",
	 {odd,
	  {"contract.operands=forwarded"},
	  "the left operand is computed on its way"}},
};

static size_t count_pins(const PinCase *c)
{
	size_t n = 0;

	while (n < ARRAY_LEN(c->pins) && c->pins[n])
		n++;
	return n;
}

static void pins_met(void)
{
	Batch b;
	Nvrtc nvrtc;

	if (!batch_open(&b, &nvrtc))
		SKIP_UNTIL_SETUP(none);
	for (size_t i = 0; i < ARRAY_LEN(pin_cases); i++) {
		const PinCase *c = &pin_cases[i];
		Case k;
		if (c->why)
			continue;
		if (case_open(&k, "pins.tn", c->text, NULL) &&
		    works(&k, emit(&k, "cuda:sm_80", c->pins, count_pins(c)),
			  c->pins[0]))
			batch_add(&b, &k, c->pins[0], "sm_80");
		case_close(&k);
	}
	for (size_t i = 0; i < ARRAY_LEN(hopper_cases); i++) {
		const PinCase *c = &hopper_cases[i];
		Case k;
		if (case_open(&k, "pins.tn", c->text, NULL) &&
		    works(&k, emit(&k, "cuda:sm_90a", c->pins, count_pins(c)),
			  c->pins[0]))
			batch_add(&b, &k, c->pins[0], "sm_90a");
		case_close(&k);
	}
	batch_compile(&b, &nvrtc, SIZE_MAX);
}

/* Each phase of a product's kernel is compiled by itself. */
static void phases_apart(void)
{
	Batch b;
	Nvrtc nvrtc;
	Case k;

	if (!batch_open(&b, &nvrtc))
		SKIP_UNTIL_SETUP(none);
	if (case_open(&k, "t.tn", odd, NULL) &&
	    works(&k, emit(&k, "cuda:sm_90a", NULL, 0), "odd"))
		for (int i = 0; i < 4; i++)
			VEC_PUSH(&b.ctx.perm, b.sources,
				 ((NvrtcSource){
					 .name = "k0",
					 .text = arena_printf(
						 &b.ctx.perm,
						 "#define TN_PHASE %d\n%s", i,
						 k.plan->plan->sources.p[0]),
					 .arch = "sm_90a",
				 }));
	case_close(&k);
	batch_compile(&b, &nvrtc, 1);
}

static void pin_refused(const PinCase *c, const char *target)
{
	Case k;

	if (case_open(&k, "pins.tn", c->text, NULL))
		refused(&k, emit(&k, target, c->pins, count_pins(c)),
			TENON_EUSAGE, c->why);
	case_close(&k);
}

static void pins_refused(void)
{
	static const char *const targets[] = {"cuda:sm_90a", "opencl"};

	for (size_t i = 0; i < ARRAY_LEN(pin_cases); i++)
		for (size_t t = 0; t < ARRAY_LEN(targets); t++)
			if (pin_cases[i].why)
				pin_refused(&pin_cases[i], targets[t]);
	for (size_t i = 0; i < ARRAY_LEN(unit_cases); i++)
		pin_refused(&unit_cases[i].pin, unit_cases[i].target);
}

/* ---- indices --------------------------------------------------------- */

/* 32 bits where each index is known to fit, and nowhere else: 70000 squared is
 * beyond them, and so may M times 64 be. */
static void narrow_indices(void)
{
	static const struct {
		const char *text;
		bool narrow;
	} sizes[] = {
		{"def f(x: f32[1000, 1000]):\n    return x + 1\n", true},
		{"def f(x: f32[70000, 70000]):\n    return x + 1\n", false},
		{"def f(x: f32[M, 64]):\n    return x + 1\n", false},
		{"def f(x: f16[4096, 4096], w: f16[4096, 4096]):\n"
		 "    return x @ w\n",
		 true},
		{"def f(x: f32[4096, 600000], w: f32[600000, 4096]):\n"
		 "    return x @ w\n",
		 false},
		/* boxes are named by the indices of their axes */
		{"def f(x: f16[4096, 600000], w: f16[600000, 64]):\n"
		 "    return x @ w\n",
		 true},
		{"def f(x: i8[20000, 70000]):\n    return sum(x, axis=0)\n",
		 true},
	};

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		Case k;
		if (case_open(&k, "t.tn", sizes[i].text, NULL) &&
		    works(&k, emit(&k, "cuda:sm_90a", NULL, 0),
			  sizes[i].text)) {
			const char *text = k.plan->plan->sources.p[0];
			bool narrow = strstr(text, "const int t = ") != NULL;
			if (!CHECK(narrow == sizes[i].narrow))
				puts(sizes[i].text);
		}
		case_close(&k);
	}
}

/* ---- named sizes ------------------------------------------------------ */

/* Batches of products whose sizes are names: every access is proved. */
static void named_batches(void)
{
	static const char *const batches[] = {"", "2, ", "B, 3, ", "B, C, "};
	static const char *const dtypes[] = {"f16", "f32"};
	static const char *const targets[] = {"cuda:sm_90a", "cuda:sm_80"};
	static const char *const results[] = {"x @ w", "relu(x @ w) * r",
					      "(x * 2) @ w + r"};

	for (size_t i = 0; i < ARRAY_LEN(batches) * ARRAY_LEN(dtypes) *
				       ARRAY_LEN(targets) * ARRAY_LEN(results);
	     i++) {
		const char *b = batches[i % 4], *d = dtypes[i / 4 % 2];
		char text[256];
		Case k;
		snprintf(text, sizeof(text),
			 "def f(x: %s[%sM, K], w: %s[%sK, N], r: %s[%sM, N]):"
			 "\n    return %s\n",
			 d, b, d, b, d, b, results[i / 16]);
		if (case_open(&k, "t.tn", text, NULL))
			works(&k, emit(&k, targets[i / 8 % 2], NULL, 0), text);
		case_close(&k);
	}
}

/* Sizes that are expressions of names: a copy whose place has no proof is
 * guarded, itself. */
static void computed_sizes(void)
{
	static const char *const sizes[][3] = {{"M", "K + 3", "N"},
					       {"10", "N + 3", "M"},
					       {"M + 1", "K", "2 * N"},
					       {"M", "K // 2 + 1", "17"},
					       {"M, 3 * N", "K + 1", "N"}};
	static const char *const dtypes[] = {"f16", "bf16", "f32", "i8"};
	static const char *const targets[] = {"cuda:sm_90a", "cuda:sm_80",
					      "cuda:sm_75"};

	for (size_t i = 0;
	     i < ARRAY_LEN(sizes) * ARRAY_LEN(dtypes) * ARRAY_LEN(targets);
	     i++) {
		const char *const *n = sizes[i % 5], *d = dtypes[i / 5 % 4];
		char text[256];
		Case k;
		snprintf(text, sizeof(text),
			 "def f(m: f32[M], n: f32[N], k: f32[K], "
			 "x: %s[%s, %s], w: %s[%s, %s]):\n"
			 "    return x @ w\n",
			 d, n[0], n[1], d, n[1], n[2]);
		if (case_open(&k, "t.tn", text, NULL))
			works(&k, emit(&k, targets[i / 20], NULL, 0), text);
		case_close(&k);
	}
}

/* ---- text ------------------------------------------------------------ */

/* The text with the first `from` after the kernels' line replaced. */
static const char *edited(Arena *a, const char *text, const char *from,
			  const char *to)
{
	const char *at = strstr(strstr(text, "\nkernels\n"), from);

	if (!CHECK(at != NULL))
		return text;
	return arena_printf(a, "%.*s%s%s", (int)(at - text), text, to,
			    at + strlen(from));
}

/* What is put in the place of what, and what it is refused for. */
typedef struct Breach {
	const char *from, *to, *why;
} Breach;

/* A product's kernels print and read back, and without their laws do not. */
static void text_case(const char *source, const char *const *pins, size_t npins,
		      const Breach *breaches, size_t n)
{
	Case k;
	Ctx ctx;
	Buf once, again;

	ctx_init(&ctx);
	if (!case_open(&k, "t.tn", source, NULL) ||
	    !works(&k, emit(&k, "cuda:sm_90a", pins, npins), source))
		goto end;
	buf_init(&once, &ctx.perm);
	buf_init(&again, &ctx.perm);
	kernels_print(k.plan->plan->kernels, &once);
	const char *text = buf_str(&once);
	uint32_t at = ctx_add_source(&ctx, "t", text, strlen(text));
	Kernels *ks = kernels_parse(&ctx, &ctx.perm, at);
	if (CHECK(ks != NULL)) {
		kernels_print(ks, &again);
		CHECK_STR(buf_str(&again), text);
	} else {
		puts(buf_str(&ctx.messages));
	}
	for (size_t b = 0; b < n; b++) {
		const char *bad = edited(&ctx.perm, text, breaches[b].from,
					 breaches[b].to);
		ctx_clear_errors(&ctx);
		at = ctx_add_source(&ctx, "t", bad, strlen(bad));
		CHECK(!kernels_parse(&ctx, &ctx.perm, at));
		const char *said = buf_str(&ctx.messages);
		if (!CHECK(strstr(said, breaches[b].why)))
			printf("%s: %s\n", breaches[b].to, said);
	}
end:
	case_close(&k);
	ctx_release(&ctx);
}

static void unit_text(void)
{
	static const char *const texts[] = {
		halves, turned,       odd,        bytes,
		single, single_along, single_odd, single_batch};
	static const Breach mma[] = {
		{"\t\t\twait 2\n", "\t\t\twait 3\n", "nothing has waited for"},
		{"barrier\n", "", "a barrier is missing"},
		{"down 2", "down 3", "has no tile"},
		{"down 2", "down 4", "has not the tile's sums"},
		{"] turned", "]", "cannot prove"},
		{"steps 4", "steps 5", "cannot prove"},
		{"steps 4", "steps i0", "a small constant"},
		{"tile 128 x", "tile 64 x", "has not the tile's sums"},
		{"dot mma f16", "dot mma bf16", "is not in the block's"},
		{"dot mma f16", "dot amx_bf16 f16", "no unit takes"},
		{"dot mma f16", "dot wgmma f16", "has no tile"},
		{"x 8 async", "x 5 async", "a copy of 10 bytes"},
		{"buffer worker left: f16[4, 128, 72]",
		 "buffer worker left: f16[4, 128, 68]", "divides"},
	};
	static const Breach wgmma[] = {
		{"\t\t\twait 2\n", "\t\t\twait 3\n", "nothing has waited for"},
		{"\t\twait 0\n", "\t\twait 1\n", "nothing has waited for"},
		{"free\n", "barrier\n", "a free is missing"},
		/* the feeder does not come to barriers, nor to folds */
		{"settle 1\n\t\t\tfree\n",
		 "free\n\t\t\tsettle 1\n\t\t\tbarrier\n",
		 "a barrier is missing"},
		{"\t\twait 0\n",
		 "\t\twait 0\n\t\tv90: f32 = acc add\n"
		 "\t\tfor i90 < 256 vector 256 {\n"
		 "\t\t\tv91: f32 = const 0x0p+0\n"
		 "\t\t\tv90: f32 = accum add v91\n\t\t}\n",
		 "a fold of threads beside boxes"},
		{"free\n", "settle 0\n", "a free is missing"},
		{"\t\twait 0\n", "\t\twait 0\n\t\twait 0\n\t\twait 0\n",
		 "a free is missing"},
		{"settle 1\n", "settle 2\n", "nothing has waited for"},
		{"\t\tsettle 0\n", "\t\tsettle 1\n", "nothing has waited for"},
		{"settle 1\n", "settle 4\n", "a wait for 4 products"},
		{"box left[i6%4", "box left[(i6 + 1)%4",
		 "nothing has waited for"},
		{"box right[i6%4, 1", "box right[i6%4, 0",
		 "nothing has waited for"},
		{"down 8", "down 4", "has no tile"},
		{"] turned", "]", "cannot prove"},
		{"64] swizzled", "64]", "are not the map's"},
		{"left: f16[4, 128, 64] swizzled",
		 "left: f16[4, 256, 32] swizzled", "rows of 128 bytes"},
		{"dot wgmma f16", "dot mma f16", "lies otherwise"},
		{"map b_x from 0 ", "map b_x from 8 ",
		 "cannot prove that element"},
		{"shape [256, 512]", "shape [257, 512]",
		 "cannot prove that element"},
		{"by [512, 1]", "by [511, 1]", "multiples of 16 bytes"},
		{"by [512, 1]", "by [1, 512]", "next to each other"},
		{"box [128, 64]", "box [129, 64]", "cannot prove"},
		{"box [128, 64]", "box [128, 60]", "multiples of 16 bytes"},
		{"box [128, 64]", "box [512, 64]", "a box of 512"},
		{"map b_x from", "map left from", "not in global memory"},
		{"reg runs: f16", "reg runs: i16", "are no such registers"},
		{"reg runs: f16[256, 1, 2, 8, 8]",
		 "reg runs: f16[256, 1, 2, 4, 16]", "are no such registers"},
		{"runs runs = sums", "runs sums = runs",
		 "are no such registers"},
	};
	static const Breach staged[] = {
		{"settle 0\n\t\tbarrier\n", "settle 0\n",
		 "a barrier is missing"},
		{"}\n\t\tbarrier\n", "}\n", "a barrier is missing"},
		{"settle 0\n\t\tbarrier\n", "barrier\n\t\tsettle 0\n",
		 "a barrier is missing"},
		{"\t\twait 0\n", "\t\twait 1\n", "nothing has waited for"},
		{"] late", "] late swizzled", "expected"},
		{"copy stage[", "copy stage[1 + ", "cannot prove"},
	};
	static const Breach packed[] = {
		{"barrier\n", "", "a barrier is missing"},
		{"block: f16[32, 72]", "block: f16[32, 70]", "divides"},
	};
	static const Breach tf32[] = {
		{"down 1 as %3", "down 1", "no unit takes"},
		{"] right[", "] turned right[", "only 16 bits are turned"},
		{"steps 4", "steps 8", "cannot prove"},
	};
	static const Breach attend[] = {
		{"wait 0\n", "wait 1\n", "nothing has waited for"},
		{"\t\t\tbarrier\n", "", "a barrier is missing"},
		{"barrier\n\t\tfor", "for", "a barrier is missing"},
		{"weights: f16[128, 1, 8,", "weights: f16[128, 1, 16,",
		 "has not the operand's"},
		{"+= weights[0, 0, 0, 0, 0] values[i37%2, 0, 0] turned",
		 "+= weights[0, 0, 0, 0, 0] turned values[i37%2, 0, 0] turned",
		 "is no operand in registers"},
		{"+= weights[0, 0,", "+= weights[0, 1,", "operand's elements"},
		{"+= weights[0, 0, 0, 0, 0]", "+= out[0, 0, 0, 0, 0]",
		 "is no operand in registers"},
		{"tile 64 x 128 steps 4 before 1 down 4",
		 "tile 64 x 128 steps 4 before 1 down 2", "sums"},
		{"dot mma f16 out", "dot mma bf16 out", "two kinds"},
		{"] turned tile 64 x 128", "] tile 64 x 128", "cannot prove"},
	};
	static const char fixed[] =
		"def f(x: f16[256, 512], w: f16[512, 1024]):\n"
		"    return x @ w\n";
	static const char wide[] =
		"def f(x: f16[256, 512], w: f16[512, 1001]):\n"
		"    return x @ w\n";
	static const char *const pins[] = {"contract.tile=128x256",
					   "contract.unit=mma"};
	static const char *const low[] = {"contract.tile=32x64",
					  "contract.unit=mma"};
	static const char *const hopper[] = {"contract.tile=128x256",
					     "contract.unit=wgmma"};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		text_case(texts[i], NULL, 0, NULL, 0);
		text_case(texts[i], &hopper[1], 1, NULL, 0);
	}
	text_case(fixed, pins, 2, mma, ARRAY_LEN(mma));
	text_case(fixed, hopper, 2, wgmma, ARRAY_LEN(wgmma));
	text_case(wide, pins, 2, packed, ARRAY_LEN(packed));
	text_case(wide, hopper, 2, packed, ARRAY_LEN(packed));
	text_case(wide, hopper, 2, staged, ARRAY_LEN(staged));
	text_case(single_along, low, 2, tf32, ARRAY_LEN(tf32));
	text_case(attended, NULL, 0, attend, ARRAY_LEN(attend));
	text_case(causal, NULL, 0, NULL, 0);
	text_case(weighed, NULL, 0, NULL, 0);
}

/* The rule takes a unit for f32 where the def says tf32, and says so. */
static void tf32(void)
{
	static const struct {
		const char *text, *target, *has;
	} cases[] = {
		{single, "cuda:sm_90a", "f32.tf32.tf32 "},
		{single_along, "cuda:sm_90a", "k8.f32.tf32.tf32 "},
		{single, "cuda:sm_80", "row.col.f32.tf32.tf32.f32 "},
		{single, "cuda:sm_75", NULL},
		{single_double, "cuda:sm_80", NULL},
		{product, "cuda:sm_90a", NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		Case k;
		if (case_open(&k, "t.tn", cases[i].text, NULL) &&
		    works(&k, emit(&k, cases[i].target, NULL, 0),
			  cases[i].text)) {
			const char *source = k.plan->plan->sources.p[0];
			const char *has = cases[i].has;
			CHECK(has ? strstr(source, has) != NULL
				  : !strstr(source, "tf32"));
			CHECK((strstr(k.plan->plan->kernels->kernels.p[0].note,
				      "@contract(tf32)") != NULL) ==
			      (has != NULL));
		}
		case_close(&k);
	}
}

/* ---- ends ------------------------------------------------------------- */

static int count(const char *text, const char *what)
{
	int n = 0;

	while ((text = strstr(text, what))) {
		text += strlen(what);
		n++;
	}
	return n;
}

/* Sums that go through the block's memory take the ring's, and the feeder meets
 * the others once, at the start; whole runs stay in registers. */
static void ends(void)
{
	static const struct {
		const char *text;
		int met, ends; /* barriers without the feeder; epilogues */
	} cases[] = {
		{"def f(x: f16[256, 512], w: f16[512, 1000]):\n"
		 "    return -(x @ w)\n",
		 0, 1},
		{"def f(x: f16[256, 512], w: f16[512, 1001]):\n"
		 "    return -(x @ w)\n",
		 2, 1},
		{"def f(x: f16[256, 512], w: f16[512, N]):\n"
		 "    return -(x @ w)\n",
		 2, 2},
	};
	static const char *const pins[] = {"contract.unit=wgmma",
					   "contract.tile=128x256"};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		Case k;
		if (case_open(&k, "t.tn", cases[i].text, NULL) &&
		    works(&k, emit(&k, "cuda:sm_90a", pins, 2),
			  cases[i].text)) {
			const char *text =
				strstr(k.plan->plan->sources.p[0], "k0_main(");
			CHECK(count(text, "__syncthreads()") == 1);
			CHECK(count(text, "bar.sync 1, 256;") == cases[i].met);
			CHECK(count(text, "= neg: ") == cases[i].ends);
			CHECK((strstr(text, "left = (uint16_t *)(tn_shared + "
					    "2048)") != NULL));
			CHECK((strstr(text, "stage = (float *)(tn_shared + "
					    "2048)") != NULL) ==
			      (cases[i].met > 0));
		}
		case_close(&k);
	}
}

/* ---- runs ------------------------------------------------------------- */

/* How a row's width and number decide who has it, and what is moved. */
static void rows_in_runs(void)
{
	static const struct {
		const char *text, *pin, *kernel, *source;
	} cases[] = {
		{"def f(x: f32[8192, 4096]):\n    return softmax(x)\n", NULL,
		 "lanes=256 rows=1 stream=1 ahead=0 split=1 keep=1 distance=1 "
		 "width=4 turns=4",
		 "__stcs((uint4 *)"},
		{"def f(x: f32[512, 4096]):\n    return softmax(x)\n", NULL,
		 " x 4\n", "*(uint4 *)"},
		{"def f(x: f16[1000, 1024]):\n    return softmax(x)\n", NULL,
		 "lanes=32 rows=1 stream=1 ahead=0 split=1 keep=1 distance=1 "
		 "width=8 turns=4",
		 "__launch_bounds__(256)"},
		{"def f(x: f16[4096, 8192]):\n    return softmax(x)\n", NULL,
		 "lanes=256", "turns=4"},
		{"def f(x: f32[37, 8191]):\n    return softmax(x)\n", NULL,
		 "lanes=1024 rows=1 stream=1 ahead=0 split=1 keep=1 distance=1 "
		 "width=1 turns=8",
		 "__launch_bounds__(1024)"},
		{"def f(x: f32[37, 40000]):\n    return softmax(x)\n", NULL,
		 "width=4 turns=4", "__launch_bounds__(1024)"},
		{"def f(x: f32[512, 4096]):\n    return softmax(x)\n",
		 "rowreduce.lanes=64", "width=4 turns=4",
		 "__launch_bounds__(64)"},
		{"def f(x: f32[4, 100000]):\n    return softmax(x)\n", NULL,
		 "cut into pieces of 8192", "k0_pass2("},
		{"def f(x: f32[132, 100000]):\n    return softmax(x)\n", NULL,
		 "lanes=1024", "k0_main("},
		{"def f(x: f32[N, K]):\n    return softmax(x)\n", NULL,
		 "; of others a block of 256 threads", "k0_main("},
		{"@contract(row_invariant)\n"
		 "def f(x: f32[7, 8192]):\n    return softmax(x)\n",
		 NULL, "lanes=512", "k0_main("},
		{"@contract(row_invariant)\n"
		 "def f(x: f32[700, 80000]):\n    return softmax(x)\n",
		 NULL, "lanes=256", "k0_pass0("},
		{"def f(x: f16[7, 131]):\n    return x * 2\n", NULL, "width=8",
		 "uint4"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		Case k;
		if (case_open(&k, "t.tn", cases[i].text, NULL) &&
		    works(&k,
			  emit(&k, "cuda:sm_90a", &cases[i].pin,
			       cases[i].pin != NULL),
			  cases[i].text)) {
			const Plan *plan = k.plan->plan;
			Arena a;
			Buf b;
			arena_init(&a);
			buf_init(&b, &a);
			kernels_print(plan->kernels, &b);
			if (!CHECK(strstr(buf_str(&b), cases[i].kernel)) ||
			    !CHECK(strstr(plan->sources.p[0], cases[i].source)))
				printf("%s%s", cases[i].text, buf_str(&b));
			arena_release(&a);
		}
		case_close(&k);
	}
}

/* ---- pairs ------------------------------------------------------------ */

#define EPILOGUE(rest)                                                         \
	"def f(x: f16[256, 512], w: f16[512, 1024], b: f16[1024], "            \
	"r: f16[256, 1024]):\n    return " rest "\n"
#define EACH(dtype, rest)                                                      \
	"def f(x: " dtype "[96, 64], y: " dtype "[96, 64], b: " dtype          \
	"[96, 1]):\n    return " rest "\n"

/* What goes by words of two 16-bit floats, and what does not. */
static void by_pairs(void)
{
	static const struct {
		const char *text, *has, *lacks;
	} cases[] = {
		{EPILOGUE("x @ w + b"), "tn_two_add_f16(v", "tn_add_f16_s"},
		{EPILOGUE("(x @ w + b) * r"), "tn_two_mul_f16(v",
		 "tn_add_f16_s"},
		{EPILOGUE("relu(r - x @ w)"), "tn_two_maximum_f16(v",
		 "tn_sub_f16_s"},
		{EPILOGUE("minimum(x @ w, -r)"), "^ 0x80008000u;",
		 "tn_minimum_f16_s"},
		{EPILOGUE("x @ w"), "tn_two_f16(r_sums", "tn_round_f16_s"},
		/* runs are words; what follows is not in pairs */
		{EPILOGUE("sigmoid(x @ w)"), "= tn_unpack_f16_s((uint16_t)(r_",
		 "tn_two_add_f16(v"},
		{EPILOGUE("(x @ w) / r"), "tn_div_f16_s(v", "tn_two_add_f16(v"},
		{EACH("f16", "x * y + x"), "tn_two_mul_f16(v", "tn_mul_f16_s"},
		{EACH("bf16", "x - y"), "tn_two_sub_bf16(v", "tn_sub_bf16_s"},
		{EACH("bf16", "x * 3 + b"), "0x40404040u;", "tn_add_bf16_s"},
		{EACH("f16", "x + f16(f32(y) * 3)"), "tn_add_f16_s",
		 "tn_two_add_f16(v"},
		/* side by side, 64 apart, the same one */
		{EACH("f16", "x[:, 1:33] + y[:, 1:33]"), "+ 1] << 16", "+ 64]"},
		{EACH("f16", "x.T * 2 + y.T"), "+ 64] << 16", "+ 1] << 16"},
		{EACH("bf16", "x + b"), "* 0x10001u", "<< 16"},
		{EACH("i16", "x + y"), "tn_add_i16_s", "tn_two"},
	};
	static const char *const targets[] = {"cuda:sm_90a", "cuda:sm_80"};
	Batch b;
	Nvrtc nvrtc;

	if (!batch_open(&b, &nvrtc))
		SKIP_UNTIL_SETUP(none);
	for (size_t i = 0; i < 2 * ARRAY_LEN(cases); i++) {
		const char *text = cases[i / 2].text;
		Case k;
		if (case_open(&k, "t.tn", text, NULL) &&
		    works(&k, emit(&k, targets[i % 2], NULL, 0), text)) {
			const char *source = k.plan->plan->sources.p[0];
			if (!CHECK(strstr(source, cases[i / 2].has) &&
				   !strstr(source, cases[i / 2].lacks)))
				printf("%s%s", text, source);
			batch_add(&b, &k, text, targets[i % 2] + 5);
		}
		case_close(&k);
	}
	batch_compile(&b, &nvrtc, SIZE_MAX);
}

TEST_MAIN(TEST(all_examples), TEST(pins_met), TEST(phases_apart),
	  TEST(pins_refused), TEST(narrow_indices), TEST(named_batches),
	  TEST(computed_sizes), TEST(unit_text), TEST(tf32), TEST(ends),
	  TEST(rows_in_runs), TEST(by_pairs))
