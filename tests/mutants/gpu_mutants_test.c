/*
 * gpu_mutants: contract violations planted in a GPU's code are rejected.
 *
 * The honest plan passes tenon_check(). Then one function of the library that
 * its source brings along is another one that breaks the contract, the source
 * is compiled in its place, and the check must say FAIL. Functions are the same
 * in OpenCL C and CUDA C but for those of words of two 16-bit floats and of
 * matrix units, which CUDA has alone.
 *
 * By default a few rows on OpenCL's first device. TEST_TARGET names another
 * one, as tests/gpu/run does; then, and with TEST_ALL, all rows are planted.
 * tests/run: plain
 */
#include "tests/unit/api.h"

typedef enum Where {
	BOTH,
	OPENCL, /* CUDA has words of two in its place */
	CUDA,
} Where;

typedef struct Row {
	const char *name;
	bool quick; /* of `make test` */
	Where where;
	const char *program, *dtype, *pin;
	const char *function; /* is replaced; what it was is HONEST */
	const char *body;
} Row;

#define CUT(x, bits) "REAL(BITS(" x ") & " bits ")"
#define SIMT         "contract.unit=simt"

static const Row rows[] = {
	{"products in TF32", true, BOTH, "gemm", "f32", SIMT, "tn_mac_f32_s",
	 "return HONEST(" CUT("a", "0xffffe000u") ", " CUT(
		 "b", "0xffffe000u") ", c);"},
	{"an operand of bf16", false, BOTH, "gemm", "f32", SIMT, "tn_mac_f32_s",
	 "return HONEST(" CUT("a", "0xffff0000u") ", b, c);"},
	{"products cut to f16", true, BOTH, "gemm", "f16", SIMT, "tn_mac_f32_s",
	 "return " CUT("a * b", "0xffffe000u") " + c;"},
	{"sums cut to f16", false, BOTH, "gemm", "f16", SIMT, "tn_mac_f32_s",
	 "return " CUT("HONEST(a, b, c)", "0xffffe000u") ";"},
	{"sums of 16 bits", false, BOTH, "gemm", "f32", SIMT, "tn_mac_f32_s",
	 "return " CUT("HONEST(a, b, c)", "0xffffff00u") ";"},
	{"small terms left out", false, BOTH, "gemm", "f32", SIMT,
	 "tn_mac_f32_s",
	 "return a * b < 0x1p-6f && a * b > -0x1p-6f ? c : HONEST(a, b, c);"},
	{"a NaN that relu loses", false, BOTH, "relu", "f32", SIMT,
	 "tn_maximum_f32_s", "return a == a && b == b ? HONEST(a, b) : 0;"},
	{"an exponential of 12 bits", false, BOTH, "softmax", "f32", NULL,
	 "tn_explow_f32_s", "return HONEST(a * (1 + 0x1p-12f));"},
	{"a quotient of 12 bits", true, BOTH, "softmax", "f32", NULL,
	 "tn_div_f32_s", "return " CUT("HONEST(a, b)", "0xfffff000u") ";"},
	{"a root of 12 bits", false, BOTH, "rmsnorm", "f32", NULL,
	 "tn_rsqrt_f32_s", "return " CUT("HONEST(a)", "0xfffff000u") ";"},
	{"a boundary left out", true, OPENCL, "bias", "f16", SIMT,
	 "tn_round_f16_s", "return a;"},
	{"rounded towards zero", true, OPENCL, "bias", "f16", SIMT,
	 "tn_round_f16_s", "return HONEST(" CUT("a", "0xffffe000u") ");"},
	{"a sum of bf16", false, OPENCL, "bias", "f16", SIMT, "tn_add_f16_s",
	 "return HONEST(" CUT("a", "0xffff0000u") ", b);"},
	{"results not stored", true, OPENCL, "bias", "f16", SIMT,
	 "tn_store_f16_s", "(void)a;\n\t(void)b;"},
	{"zeros", false, OPENCL, "bias", "f16", SIMT, "tn_store_f16_s",
	 "HONEST(a, b * 0);"},
	{"two rounded towards zero", false, CUDA, "bias", "f16", NULL,
	 "tn_two_f16",
	 "return HONEST(" CUT("a", "0xffffe000u") ", " CUT("b",
							   "0xffffe000u") ");"},
	{"a boundary moved to bf16", false, CUDA, "bias", "f16", NULL,
	 "tn_two_f16", "return HONEST(" CUT("a", "0xffff0000u") ", b);"},
	{"a sum of ten bits", false, CUDA, "bias", "f16", NULL,
	 "tn_two_add_f16", "return HONEST(a, b) & 0xfffefffeu;"},
	{"columns not exchanged", false, CUDA, "gemm", "f16", NULL,
	 "tn_exchange", "(void)x;\n\t(void)y;"},
	{"a fourth of K left out", false, CUDA, "gemm", "f16",
	 "contract.unit=wgmma", "tn_wgmma",
	 "if ((a & 7) != 2)\n\t\tHONEST(c, a, b);"},
};

/* Bits of an f32, in either language. */
static const char bits[] = "\n#if defined __OPENCL_VERSION__\n"
			   "#define BITS as_uint\n"
			   "#define REAL as_float\n"
			   "#else\n"
			   "#define BITS __float_as_uint\n"
			   "#define REAL __uint_as_float\n"
			   "#endif\n";

/* ---- planting --------------------------------------------------------- */

/* A function's definition: its first line, its name, the brace after its head
 * and what is behind it. */
typedef struct Definition {
	const char *head, *name, *brace, *end;
} Definition;

static bool find_definition(const char *text, const char *name, Definition *d)
{
	size_t n = strlen(name);

	for (const char *at = text; (at = strstr(at, name)); at += n) {
		const char *brace = strstr(at, ")\n{\n");
		const char *call = strchr(at, ';');
		if (at[n] != '(' || !brace || (call && call < brace))
			continue;
		*d = (Definition){at, at, brace, strstr(brace, "\n}\n")};
		while (d->head > text &&
		       !(d->head[-1] == '\n' &&
			 (d->head[-2] == '\n' || d->head[-2] == '}')))
			d->head--;
		d->end = d->end ? d->end + 3 : NULL;
		return d->end != NULL;
	}
	return false;
}

/* The source with the function called NAME_honest, and the planted one behind
 * it; NULL: it has no such function. */
static const char *planted(Arena *a, const char *text, const Row *r)
{
	size_t n = strlen(r->function);
	Definition d;
	Buf b;

	if (!find_definition(text, r->function, &d))
		return NULL;
	buf_init(&b, a);
	buf_printf(&b, "%.*s%s%.*s_honest%.*s", (int)(d.head - text), text,
		   bits, (int)(d.name + n - d.head), d.head,
		   (int)(d.end - d.name - (ptrdiff_t)n), d.name + n);
	buf_printf(&b, "#define HONEST %s_honest\n%.*s)\n{\n\t%s\n}\n%s",
		   r->function, (int)(d.brace - d.head), d.head, r->body,
		   d.end);
	return buf_str(&b);
}

/* Puts the function in place of the plan's own; false: nowhere. The plan has
 * not run: what it makes ready for its runs holds its code. */
static bool plant(Case *k, const Row *r)
{
	TenonPlan *p = k->plan;
	Plan *plan = p->plan;
	bool any = false;

	for (size_t i = 0; i < plan->sources.n; i++) {
		const char *text = planted(&p->arena, plan->sources.p[i], r);
		if (!text)
			continue;
		plan->sources.p[i] = text;
		any = true;
	}
	gpu_unload(p);
	return any && gpu_load(p);
}

/* ---- rows ------------------------------------------------------------- */

/* Of a new plan, with the row's function planted or as it is. NONE: failed
 * otherwise, and told; *missing: for want of the device. */
static TenonOutcome check(Case *k, const Row *r, const TenonPlanOptions *o,
			  bool plants, bool *missing)
{
	TenonOutcome outcome = TENON_NONE;
	TenonError e;

	tenon_plan_free(k->plan);
	k->plan = NULL;
	e = tenon_compile(k->c, k->p, o, &k->plan);
	*missing = e == TENON_EENV;
	if (*missing || !works(k, e, r->name))
		return TENON_NONE;
	if (plants && !CHECK(plant(k, r)))
		printf("%s: not planted: %s\n", r->name,
		       buf_str(&k->c->ctx.messages));
	else
		works(k, tenon_check(k->plan, NULL, 1, NULL, NULL, &outcome),
		      r->name);
	return outcome;
}

/* False: the device may be missing, and is. */
static bool row(const Row *r, const char *target, bool may)
{
	TenonPlanOptions o = {
		.target = target, .pins = &r->pin, .npins = r->pin != NULL};
	/* ends of tiles in registers are those of known sizes */
	static const char *const screen[] = {"M=128", "N=256", "K=256"};
	TenonProgramOptions of = {.dtype = r->dtype,
				  .fixed = screen,
				  .nfixed = r->where == CUDA ? 3 : 0};
	TenonOutcome honest, outcome;
	bool missing;
	char path[64];
	Case k;

	snprintf(path, sizeof(path), "examples/%s.tn", r->program);
	k = (Case){.c = tenon_context_new()};
	if (!CHECK(k.c != NULL) ||
	    !works(&k, tenon_program_from_file(k.c, path, &of, &k.p), path) ||
	    (!of.nfixed && !works(&k, tenon_set_dims(k.p, "screen"), path)))
		return true;
	honest = check(&k, r, &o, false, &missing);
	if (missing && may) {
		case_close(&k);
		return false;
	}
	if (CHECK(honest == TENON_PASS)) {
		outcome = check(&k, r, &o, true, &missing);
		if (!CHECK(outcome == TENON_FAIL))
			printf("%s: survives\n", r->name);
	}
	case_close(&k);
	return true;
}

static void plants(void)
{
	const char *given = getenv("TEST_TARGET");
	const char *target = given ? given : "opencl";
	Where other = strncmp(target, "cuda", 4) == 0 ? OPENCL : CUDA;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if ((rows[i].quick || given || test_all()) &&
		    rows[i].where != other && !row(&rows[i], target, !given))
			SKIP_UNTIL_SETUP("no such device is here");
}

TEST_MAIN(TEST(plants))
