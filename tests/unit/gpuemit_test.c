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
	for (size_t i = 0; i < plan->sources.n; i++)
		VEC_PUSH(a, b->sources,
			 ((NvrtcSource){
				 .name = arena_printf(a, "%s %s k%zu", what,
						      arch, i),
				 .text = arena_strdup(a, plan->sources.p[i]),
				 .arch = arch,
			 }));
}

/* Compiles all; each kernel is there and keeps its variables in registers. */
static void batch_compile(Batch *b, const Nvrtc *nvrtc)
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
		CHECK(cubin.n > 0);
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
	batch_compile(&b, &nvrtc);
}

/* ---- pins ------------------------------------------------------------ */

static const char product[] = "def f(x: f32[M, 300], w: f32[300, N]):\n"
			      "    return relu(x @ w)\n";
static const char rows[] = "def f(x: f16[M, 300]):\n"
			   "    return softmax(x, axis=-1)\n";
static const char each[] = "def f(x: f32[M, 300], y: f32[M, 300]):\n"
			   "    return x * 2 + y\n";

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
	{rows, {"rowreduce.lanes=1"}, NULL},
	{rows, {"rowreduce.lanes=32"}, NULL},
	{rows, {"rowreduce.lanes=1024"}, NULL},
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
	{rows, {"rowreduce.lanes=16"}, "lanes (threads) must be 1 or 32"},
	{rows, {"rowreduce.lanes=48"}, "lanes (threads) must be 1 or 32"},
	{rows, {"rowreduce.lanes=2048"}, "lanes (threads) must be 1 or 32"},
	{each, {"loop.lanes=16"}, "lanes (threads) must be 32, 64"},
	{each, {"loop.lanes=33"}, "lanes (threads) must be 32, 64"},
	{each, {"loop.lanes=2048"}, "lanes (threads) must be 32, 64"},
	{each, {"loop.walk=2"}, "tiles are a CPU's"},
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
	batch_compile(&b, &nvrtc);
}

static void pins_refused(void)
{
	static const char *const targets[] = {"cuda:sm_90a", "opencl"};

	for (size_t i = 0; i < ARRAY_LEN(pin_cases); i++) {
		const PinCase *c = &pin_cases[i];
		for (size_t t = 0; c->why && t < ARRAY_LEN(targets); t++) {
			Case k;
			if (case_open(&k, "pins.tn", c->text, NULL))
				refused(&k,
					emit(&k, targets[t], c->pins,
					     count_pins(c)),
					TENON_EUSAGE, c->why);
			case_close(&k);
		}
	}
}

TEST_MAIN(TEST(all_examples), TEST(pins_met), TEST(pins_refused))
