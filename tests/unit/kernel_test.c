/*
 * kernel_test: stage 4's text form and its laws.
 *
 * The law of the text on a kernel with every statement; each law of the
 * verifier broken once; and damaged text, which must be refused or read,
 * never crash.
 */
#include "tests/unit/test.h"

#include "emit/emit.h"
#include "ir/kernel.h"

#define PROGRAM                                                                \
	"program t\n"                                                          \
	"dim M in 0..1000\n"                                                   \
	"dim E in 0..1000\n"                                                   \
	"%0 x: f32[M, 8] = input index=0\n"                                    \
	"%1 n: i64[M] = input index=1\n"                                       \
	"%2 h: f16[M, 8] = input index=2\n"                                    \
	"%3 e: f32[E] = input index=3\n"                                       \
	"%4 y: f32[M, 8] = neg %0\n"                                           \
	"return %4 as y\n"                                                     \
	"kernels\n"                                                            \
	"kernel k0 loop region 0 lanes=8 note \"a \\\"note\\\"\\n\"\n"

#define BUFFERS                                                                \
	"\tbuffer in x: f32[M, 8] %0\n"                                        \
	"\tbuffer in n: i64[M] %1\n"                                           \
	"\tbuffer in h: f16[M, 8] %2\n"                                        \
	"\tbuffer in e: f32[E] %3\n"                                           \
	"\tbuffer out y: f32[M, 8] %4\n"                                       \
	"\tbuffer worker w: f32[16]\n"                                         \
	"\tbuffer reg r: f32[4, 16]\n"                                         \
	"\tbuffer worker ds: f32[32, 32]\n"                                    \
	"\tbuffer worker da: bf16[2, 32, 32]\n"                                \
	"\tbuffer worker df: bf16[32, 64]\n"                                   \
	"\tbuffer worker db: u32[2, 16, 32]\n"

#define MAIN  "\tphase main tasks i0 < M {\n"
#define CLOSE "\t}\n"

/* Parses; NULL with the message in *why. */
static Kernels *parse(Ctx *ctx, const char *text, size_t n)
{
	uint32_t source = ctx_add_source(ctx, "t", text, n);
	return kernels_parse(ctx, &ctx->perm, source);
}

static const char *print(Ctx *ctx, const Kernels *k)
{
	Buf b;
	buf_init(&b, &ctx->perm);
	kernels_print(k, &b);
	return buf_str(&b);
}

/* print(parse(print(parse(text)))) == print(parse(text)) */
static void check_law(Ctx *ctx, const char *text)
{
	Kernels *k = parse(ctx, text, strlen(text));
	if (!CHECK(k != NULL)) {
		puts(buf_str(&ctx->messages));
		return;
	}
	const char *once = print(ctx, k);
	Kernels *again = parse(ctx, once, strlen(once));
	if (CHECK(again != NULL))
		CHECK_STR(print(ctx, again), once);
	else
		puts(buf_str(&ctx->messages));
}

/* Every statement kind, map and scope. */
static const char every[] = PROGRAM BUFFERS
	"\tbuffer shared s: i32[M, 2]\n"
	"\tphase first tasks i0 < M {\n"
	"\t\tv50: i32 = const -2147483648\n"
	"\t\tfor i1 < 2 unroll {\n"
	"\t\t\tstore s[i0, i1] = v50\n"
	"\t\t}\n"
	"\t}\n"
	"\tphase main tasks i0 < M, i20 < (E + 7)//8 {\n"
	"\t\tv0: f32 = acc add\n"
	"\t\tv1: i64 = acc add\n"
	"\t\tv2: f32 = acc maximum\n"
	"\t\tfor i2 < 8 vector 4 {\n"
	"\t\t\tv3: f32 = load x[i0, i2] where 7 - i2 >= 0, i0 >= 0 as %0\n"
	"\t\t\tv4: f16 = load h[i0, i2]\n"
	"\t\t\tv5: f32 = cast.f16 v4\n"
	"\t\t\tv6: f32 = mac v3 v5 v5\n"
	"\t\t\tv7: f32 = index 2*i2 + 1\n"
	"\t\t\tv8: bool = test i2 - 1 >= 0, M - i0 >= 0\n"
	"\t\t\tv9: f32 = where v8 v6 v7\n"
	"\t\t\tv10: bool = lt.f32 v9 v6\n"
	"\t\t\tv0: f32 = accum add v9\n"
	"\t\t\tv11: f16 = boundary v9 as %4\n"
	"\t\t\tv12: f32 = round v9\n"
	"\t\t\tstore w[i2] = v9\n"
	"\t\t}\n"
	"\t\tfor i3 < 4 unroll {\n"
	"\t\t\tfor i4 < 16 vunroll 8 {\n"
	"\t\t\t\tstore r[i3, i4] = v0\n"
	"\t\t\t}\n"
	"\t\t}\n"
	"\t\tfor i5 < 8 serial {\n"
	"\t\t\tv13: f32 = load w[i5]\n"
	"\t\t\tv1: i64 = arg maximum v2 v13 at i5\n"
	"\t\t}\n"
	"\t\tv14: i64 = load n[i0]\n"
	"\t\tv15: i64 = const 3\n"
	"\t\tv16: i64 = floordiv v14 v15 at i0 as %4\n"
	"\t\ti6 = bound v16 < E as %4\n"
	"\t\tv17: f32 = acc where v0\n"
	"\t\tv18: bool = test E - i6 - 1 >= 0\n"
	"\t\tv19: f32 = load e[i6] where E - i6 - 1 >= 0\n"
	"\t\tv17: f32 = accum where v19 v18\n"
	"\t\tif E - i6 - 1 >= 0 {\n"
	"\t\t\tv20: f32 = load e[i6]\n"
	"\t\t\tstore y[i0, 0] = v20 as %4\n"
	"\t\t} else {\n"
	"\t\t\tv21: f32 = const -0x1.8p-3\n"
	"\t\t\tv22: f32 = const inf\n"
	"\t\t\tv23: bool = const 1\n"
	"\t\t\tstore y[i0, 1] = v21\n"
	"\t\t}\n"
	"\t}\n";

static void law(void)
{
	Ctx ctx;
	ctx_init(&ctx);
	check_law(&ctx, every);
	/* it is printed as it was written */
	Kernels *k = parse(&ctx, every, strlen(every));
	if (CHECK(k != NULL))
		CHECK_STR(print(&ctx, k), every);
	ctx_release(&ctx);
}

/* Each bit pattern of a float constant survives. */
static void constants(void)
{
	static const struct {
		const char *dtype, *text;
	} rows[] = {
		{"f32", "nan:0x7fc00001"},
		{"f32", "-0x0p+0"},
		{"f32", "0x1p-149"},
		{"f16", "0x1p-24"},
		{"f16", "0x1.ffcp+15"},
		{"bf16", "0x1.fep+127"},
		{"f64", "0x1p-1074"},
		{"f64", "-inf"},
		{"i8", "-128"},
		{"u64", "18446744073709551615"},
		{"i64", "-9223372036854775808"},
	};
	Ctx ctx;
	ctx_init(&ctx);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *text = arena_printf(
			&ctx.perm, "%s" MAIN "\t\tv0: %s = const %s\n" CLOSE,
			PROGRAM BUFFERS, rows[i].dtype, rows[i].text);
		check_law(&ctx, text);
	}
	ctx_release(&ctx);
}

#define IN_LANES "for i8 < 16 vunroll 16 {\n"
#define DOT(unit, dtype, tile, steps)                                          \
	"dot " unit " " dtype                                                  \
	" ds[0, 0] += da[0, 0, 0] db[0, 0, 0] tile " tile " steps " steps      \
	" before 0\n"
/* Something in both operands. */
#define STORED                                                                 \
	IN_LANES "v90: bf16 = const 0x0p+0\nv91: u32 = word.0 v90\n"           \
		 "v92: u32 = word.16 v90 v91\nstore da[0, 0, i8] = v90\n"      \
		 "store db[0, 0, i8] = v92\nstore df[0, i8] = v90\n}\n"

typedef struct Refusal {
	const char *body; /* of a phase, after MAIN */
	const char *why;  /* must be in the message */
} Refusal;

static const Refusal refusals[] = {
	/* the proof of every access */
	{"v0: f32 = load x[i0 + 1, 0]\n", "cannot prove i0 + 1 < M"},
	{"v0: f32 = load x[i0 - 1, 0]\n", "cannot prove 0 <= i0 - 1"},
	{"v0: f32 = load x[i0, 8]\n", "cannot prove 8 < 8"},
	{"for i1 < 9 serial {\nv0: f32 = load x[i0, i1]\n}\n",
	 "load x[i0, i1]: cannot prove i1 < 8"},
	{"for i1 < M vector 4 {\nv0: f32 = load e[i1]\n}\n",
	 "cannot prove i1 < E"},
	{"if E - i0 >= 0 {\nv0: f32 = load e[i0]\n}\n", "cannot prove i0 < E"},
	{"v0: f32 = load e[i0] where E - i0 >= 0\n", "cannot prove i0 < E"},
	{"v1: i64 = load n[i0]\ni1 = bound v1 < E as %4\n"
	 "v2: f32 = load e[i1]\n",
	 "cannot prove i1 < E"},
	{"if E - i0 - 1 >= 0 {\nv9: f32 = const 0x0p+0\n} else {\n"
	 "v0: f32 = load e[i0]\n}\n",
	 "cannot prove i0 < E"},
	/* variables */
	{"v0: f32 = neg v1\n", "v1 is used where it is not assigned"},
	{"v0: f32 = const 0x0p+0\nv0: f32 = const 0x0p+0\n",
	 "v0 is assigned twice"},
	{"for i1 < 2 serial {\nv0: f32 = const 0x0p+0\n}\nv1: f32 = neg v0\n",
	 "v0 is used where it is not assigned"},
	{"v0: f32 = const 0x0p+0\nv1: f64 = neg v0\n", "v0 is f32 where f64"},
	{"v0: f32 = const 0x0p+0\nv1: f64 = neg.f32 v0\n",
	 "does not yield f64"},
	{"v0: f32 = const 0x0p+0\nv1: f32 = add v0\n", "takes 2 operands"},
	{"v0: f32 = const 0x0p+0\nv1: f32 = bitand v0 v0\n",
	 "does not take this dtype"},
	{"v0: f32 = const 0x0p+0\nv1: f32 = sum v0\n", "no elementwise"},
	{"v0: f32 = const 0x0p+0\nv1: i32 = boundary v0\n", "no rounding"},
	{"v0: f32 = const 0x0p+0\nv1: f64 = mac v0 v0 v0\n",
	 "v0 is f32 where f64"},
	/* accumulators */
	{"v0: f32 = const 0x0p+0\nv0: f32 = accum add v0\n",
	 "v0 is no accumulator"},
	{"v0: f32 = acc add\nv1: f32 = const 0x0p+0\nv0: f32 = accum mul v1\n",
	 "folds by add"},
	{"v0: f32 = acc sub\n", "no such accumulator"},
	{"v0: f32 = acc where\n", "has no identity"},
	{"v0: f32 = acc add\nfor i1 < 8 vector 4 {\nv1: f32 = load x[i0, i1]\n"
	 "v0: f32 = accum add v1\nv2: f32 = neg v0\n}\n",
	 "read in the vector loop that folds into it"},
	{"v0: i64 = acc bitxor\nv1: i64 = const 1\nfor i1 < 8 vector 4 {\n"
	 "v0: i64 = accum bitxor v1\n}\n",
	 "lanes do not fold"},
	{"v0: i64 = acc add\nv1: f32 = acc maximum\nfor i1 < 8 vector 4 {\n"
	 "v2: f32 = load x[i0, i1]\nv0: i64 = arg maximum v1 v2 at i1\n}\n",
	 "arg in a vector loop"},
	/* axes */
	{"v0: f32 = load x[i0, i1]\n", "not in scope"},
	{"for i1 < 2 serial {\n}\nv0: f32 = load x[i0, i1]\n", "not in scope"},
	{"for i0 < 2 serial {\n}\n", "i0 is in use already"},
	{"v0: i64 = index i7\n", "not in scope"},
	/* mappings */
	{"for i1 < M unroll {\n}\n", "not constant"},
	{"for i1 < 5000 unroll {\n}\n", "unrolled too often"},
	{"for i1 < 100 unroll {\nfor i2 < 100 unroll {\n}\n}\n",
	 "unrolled too often"},
	{"for i1 < M vunroll 4 {\n}\n", "not constant"},
	{"for i1 < 6 vector 3 {\n}\n", "3 lanes"},
	{"for i1 < 6 vector 128 {\n}\n", "128 lanes"},
	{"for i1 < 8 vector 4 {\nfor i2 < 8 vector 4 {\n}\n}\n",
	 "a vector loop in another"},
	{"for i1 < 8 vector 4 {\nfor i2 < i1 serial {\n}\n}\n",
	 "differs between lanes"},
	{"for i1 < 8 vector 4 {\nif i1 - 2 >= 0 {\n}\n}\n",
	 "branch that differs between lanes"},
	{"v1: i64 = load n[i0]\nfor i1 < 8 vector 4 {\n"
	 "v2: i64 = floordiv v1 v1 at i0 as %4\n}\n",
	 "may fault in a vector loop"},
	{"v1: i64 = load n[i0]\nfor i1 < 8 vector 4 {\n"
	 "i2 = bound v1 < E as %4\n}\n",
	 "bound in a vector loop"},
	{"for i1 < 8 vector 4 {\nv0: f32 = load x[i0, i1]\n"
	 "store y[i0, 0] = v0\n}\n",
	 "every lane stores to one place"},
	/* memory */
	{"v0: f32 = const 0x0p+0\nstore x[i0, 0] = v0\n", "is an input"},
	{"v0: f32 = load y[i0, 0]\n", "loaded before it is stored"},
	{"v0: f32 = load w[0]\n", "loaded before it is stored"},
	/* past the caches, ahead */
	{"v0: f32 = const 0x0p+0\nstore w[0] = v0 stream\n",
	 "only an output is streamed"},
	{"v0: f32 = const 0x0p+0\nstore y[i0, 0] = v0 stream where i0 >= 0\n",
	 "condition i0 uses an axis"},
	{"ahead r[0, 0]\n", "registers are not asked for"},
	{"ahead x[i0, 0] where i0 >= 0\n", "condition i0 uses an axis"},
	{"ahead x[i0]\n", "x has rank 2 but 1 indices"},
	{"v0: f32 = const 0x0p+0\nv1: f32 = acc maximum\n"
	 "v2: i64 = acc add\nfor i1 < 8 vector 4 {\n"
	 "v3: f32 = load x[i0, i1]\nv2: i64 = arg maximum v1 v3 at i1\n}\n",
	 "arg in a vector loop"},
	{"v0: f32 = load x[i0]\n", "has rank 2 but 1 indices"},
	{"v0: f16 = load x[i0, 0]\n", "x is f32, not f16"},
	{"v0: f16 = const 0x0p+0\nstore y[i0, 0] = v0\n", "v0 is f16"},
	/* registers */
	{"v0: f32 = const 0x0p+0\nfor i1 < 4 serial {\nstore r[i1, 0] = "
	 "v0\n}\n",
	 "i1 is not unrolled"},
	{"v0: f32 = const 0x0p+0\nfor i1 < 8 vunroll 4 {\n"
	 "store r[0, i1 + 2] = v0\n}\n",
	 "unaligned"},
	{"v0: f32 = const 0x0p+0\nfor i1 < 4 vunroll 4 {\n"
	 "store r[i1, 0] = v0\n}\n",
	 "only the last index"},
	{"v0: f32 = const 0x0p+0\nfor i1 < 8 vunroll 4 {\nstore r[0, i1] = v0\n"
	 "}\nfor i2 < 8 vunroll 8 {\nstore r[0, i2] = v0\n}\n",
	 "registers of 4 lanes"},
	/* faults say where */
	{"v1: i64 = load n[i0]\nv2: i64 = floordiv v1 v1 at i0\n",
	 "names no value"},
	{"v1: i64 = load n[i0]\ni2 = bound v1 < E\n", "names no value"},
	/* words, and tiles of matrix units */
	{"v0: f32 = const 0x0p+0\nv1: u32 = word.0 v0\n", "made in 16 lanes"},
	{"for i8 < 8 vunroll 8 {\nv0: bf16 = const 0x0p+0\n"
	 "v1: u32 = word.0 v0\n}\n",
	 "made in 16 lanes"},
	{IN_LANES "v0: f32 = const 0x0p+0\nv1: u32 = word.0 v0\n}\n",
	 "no such word"},
	{IN_LANES "v0: bf16 = const 0x0p+0\nv1: u32 = word.8 v0\n}\n",
	 "no element starts at bit 8"},
	{IN_LANES "v0: bf16 = const 0x0p+0\nv1: u32 = word.0 v0 v0\n}\n",
	 "v0 is bf16 where u32"},
	{DOT("amx_bf16", "bf16", "32 x 32", "2"), "not stored"},
	{STORED DOT("amx_bf16", "bf16", "32 x 32", "3"),
	 "cannot prove 0 <= 0, 0 + 3 <= 2"},
	{STORED "dot amx_bf16 bf16 ds[0, 0] += df[0, 1] flat db[0, 0, 0] tile "
		"32 x 32 steps 2 before 0\n",
	 "cannot prove 0 <= 1, 1 + 64 <= 64"},
	{STORED "dot amx_bf16 bf16 ds[0, 0] += df[1, 0] flat db[0, 0, 0] tile "
		"32 x 32 steps 2 before 0\n",
	 "cannot prove 0 <= 1, 1 + 32 <= 32"},
	{STORED DOT("amx_bf16", "bf16", "48 x 32", "2"), "no tile of 48 x 32"},
	{STORED DOT("amx_bf16", "bf16", "20 x 16", "2"), "no tile of 20 x 16"},
	{STORED DOT("amx_bf16", "bf16", "16 x 48", "2"),
	 "cannot prove 0 <= 0, 0 + 48 <= 32"},
	{STORED DOT("amx_int8", "bf16", "32 x 32", "2"), "no unit takes"},
	{STORED DOT("fma", "bf16", "32 x 32", "2"), "no unit takes"},
	{STORED DOT("amx_int8", "i8", "32 x 32", "2"), "no unit takes"},
	{STORED DOT("avx512_bf16", "bf16", "32 x 32", "2"), "no tile of 32"},
	{STORED IN_LANES DOT("amx_bf16", "bf16", "32 x 32", "2") "}\n",
	 "dot in a vector loop"},
	{STORED DOT("amx_bf16", "bf16", "32 x 32", "2")
		 DOT("amx_bf16", "bf16", "16 x 32", "2"),
	 "tiles of two shapes in one phase"},
	{STORED "dot amx_bf16 bf16 ds[0, 0] += db[0, 0, 0] da[0, 0, 0] tile 16 "
		"x 16 steps 2 before 0\n",
	 "other dtypes"},
	{STORED "dot amx_bf16 bf16 ds[0, 0] += da[0, 0, 0] db[0, 0, 0] tile 16 "
		"x 16 steps i9 before 0\n",
	 "not in scope"},
};

static void refused(void)
{
	for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
		Ctx ctx;
		ctx_init(&ctx);
		const char *text =
			arena_printf(&ctx.perm, "%s%s" CLOSE,
				     PROGRAM BUFFERS MAIN, refusals[i].body);
		const Kernels *k = parse(&ctx, text, strlen(text));
		const char *why = buf_str(&ctx.messages);
		if (!CHECK(k == NULL && strstr(why, refusals[i].why)))
			printf("body:\n%swant: %s\ngot: %s\n", refusals[i].body,
			       refusals[i].why, k ? "(accepted)" : why);
		ctx_release(&ctx);
	}
}

/* What the refusals above break, kept: each must be accepted. */
static void accepted(void)
{
	static const char *const bodies[] = {
		"for i1 < 8 serial {\nv0: f32 = load x[i0, i1]\n}\n",
		"if E - i0 - 1 >= 0 {\nv0: f32 = load e[i0]\n}\n",
		"v0: f32 = load e[i0] where E - i0 - 1 >= 0\n",
		"if i0 - E >= 0 {\n} else {\nv0: f32 = load e[i0]\n}\n",
		"v1: i64 = load n[i0]\ni1 = bound v1 < E as %4\n"
		"v2: f32 = load e[i1] where E - i1 - 1 >= 0\n",
		"v1: i64 = load n[i0]\ni1 = bound v1 < 8 as %4\n"
		"v2: f32 = load x[i0, i1]\n",
		"for i1 < 2 serial {\n}\nfor i1 < 8 serial {\n"
		"v0: f32 = load x[i0, i1]\n}\n",
		"v0: f32 = const 0x0p+0\nfor i1 < 8 vunroll 4 {\n"
		"store r[0, i1 + 8] = v0\n}\nv1: f32 = load r[1, 3]\n",
		"for i1 < 8 vector 4 {\nv0: f32 = load x[i0, i1]\n"
		"v1: f32 = acc add\nv1: f32 = accum add v0\nv2: f32 = neg v1\n"
		"store y[i0, i1] = v2\n}\n",
		STORED DOT("amx_bf16", "bf16", "32 x 32", "2"),
		STORED DOT("amx_bf16", "bf16", "7 x 32", "min(M, 2)"),
		STORED "dot amx_bf16 bf16 ds[0, 0] += df[16, 32] flat db[0, 0, "
		       "0] tile 16 x 32 steps 1 before M\n",
		STORED DOT("avx512_bf16", "bf16", "14 x 32",
			   "1") "dot avx512_bf16 bf16 ds[14, 0] += da[1, 14, "
				"0] db[1, "
				"0, 16] tile 14 x 16 steps 1 before i0\n",
	};

	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		Ctx ctx;
		ctx_init(&ctx);
		check_law(&ctx, arena_printf(&ctx.perm, "%s%s" CLOSE,
					     PROGRAM BUFFERS MAIN, bodies[i]));
		ctx_release(&ctx);
	}
}

static void buffers(void)
{
	static const Refusal rows[] = {
		{"buffer in x: f16[M, 8] %0\n", "not of its value's dtype"},
		{"buffer in x: f32[M, 9] %0\n", "x is larger than %0"},
		{"buffer in x: f32[M, 8]\n", "holds no value"},
		{"buffer worker x: f32[M, 8] %0\n", "holds a value"},
		{"buffer reg x: f32[M]\n", "small constant shape"},
		{"buffer reg x: f32[5000]\n", "small constant shape"},
		{"buffer in x: f32[i0, 8] %0\n", "uses an axis"},
		{"buffer in x: f32[M, 8] %0\nbuffer in x: f32[M, 8] %0\n",
		 "two buffers"},
		{"buffer in x: f32[M, 8] %77\n", "too large"},
		{"phase a {\n}\nphase a {\n}\n", "two phases a"},
		/* scratch of another phase's task */
		{"buffer worker w: f32[16]\nphase a {\n"
		 "v0: f32 = const 0x0p+0\nstore w[0] = v0\n}\n"
		 "phase b {\nv1: f32 = load w[0]\n}\n",
		 "w is loaded before it is stored"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		Ctx ctx;
		ctx_init(&ctx);
		const char *text = arena_printf(&ctx.perm, "%s%s%s", PROGRAM,
						rows[i].body, MAIN CLOSE);
		const Kernels *k = parse(&ctx, text, strlen(text));
		const char *why = buf_str(&ctx.messages);
		if (!CHECK(k == NULL && strstr(why, rows[i].why)))
			printf("%swant: %s\ngot: %s\n", rows[i].body,
			       rows[i].why, k ? "(accepted)" : why);
		ctx_release(&ctx);
	}
}

static void nested(void)
{
	Ctx ctx;
	Buf b;
	ctx_init(&ctx);
	buf_init(&b, &ctx.perm);
	buf_puts(&b, PROGRAM MAIN);
	for (int i = 0; i < 100000; i++)
		buf_puts(&b, "if M >= 0 {\n");
	CHECK(!parse(&ctx, buf_str(&b), b.n));
	CHECK(strstr(buf_str(&ctx.messages), "nest too deeply") != NULL);
	ctx_release(&ctx);
}

static uint32_t draw(uint64_t *state, uint32_t below)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*state >> 33) % below);
}

/* One to three bytes changed, dropped or copied from elsewhere. */
static size_t damage(char *text, size_t n, uint64_t *state)
{
	for (uint32_t k = draw(state, 3) + 1; k > 0; k--) {
		size_t at = draw(state, (uint32_t)n);
		uint32_t how = draw(state, 4);
		if (how == 0) {
			text[at] = (char)draw(state, 256);
		} else if (how == 1) {
			text[at] = text[draw(state, (uint32_t)n)];
		} else if (how == 2 && n > 40) {
			size_t len = draw(state, 16) + 1;
			if (at + len > n)
				len = n - at;
			memmove(text + at, text + at + len, n - at - len);
			n -= len;
		} else {
			size_t from = draw(state, (uint32_t)n);
			size_t len = draw(state, 16) + 1;
			if (from + len <= n && at + len <= n)
				memmove(text + at, text + from, len);
		}
	}
	return n;
}

/* Any bytes: refused, or read and then lawful and fit to emit. */
static void damaged(void)
{
	static char text[sizeof(every)];
	uint64_t state = 1;
	int read = 0;

	for (int i = 0; i < 3000; i++) {
		Ctx ctx;
		ctx_init(&ctx);
		memcpy(text, every, sizeof(every));
		size_t n = damage(text, sizeof(every) - 1, &state);
		Kernels *k = parse(&ctx, text, n);
		if (k) {
			read++;
			check_law(&ctx, print(&ctx, k));
			for (size_t j = 0; j < k->kernels.n; j++)
				CHECK(emit_c(&ctx.perm, k, &k->kernels.p[j]) !=
				      NULL);
		}
		ctx_release(&ctx);
	}
	CHECK(read > 10);
}

TEST_MAIN(TEST(law), TEST(constants), TEST(refused), TEST(accepted),
	  TEST(buffers), TEST(nested), TEST(damaged))
