/*
 * front: the language, by what its programs become and how they fail.
 * Exact error texts are tests/errors/; here are types, names and limits.
 */
#include "front/front.h"
#include "front/tn_num.h"

#include "tests/unit/test.h"

#include <stdlib.h>

typedef struct World {
	Ctx ctx;
	Program *p;
} World;

static bool build(World *w, const char *text, const FrontOptions *o)
{
	ctx_init(&w->ctx);
	w->p = NULL;
	uint32_t s = ctx_add_source(&w->ctx, "t.tn", text, strlen(text));
	return front_build(&w->ctx, &w->ctx.perm, s, o, &w->p);
}

static const char *type_of(World *w, ValueId v)
{
	Buf b;
	buf_init(&b, &w->ctx.perm);
	program_print_type(&b, w->p, program_value(w->p, v));
	return buf_str(&b);
}

static const char *program_text(World *w)
{
	Buf b;
	buf_init(&b, &w->ctx.perm);
	program_print(w->p, &b);
	return buf_str(&b);
}

/* ---- literals -------------------------------------------------------- */

static void literals_round_once(void)
{
	static const struct {
		DType d;
		const char *text;
		NumberFit fit;
		uint64_t bits;
	} rows[] = {
		{DT_F16, "1.0048828125", NUMBER_OK, 0x3c05},
		{DT_F16, "65504", NUMBER_OK, 0x7bff},
		{DT_F16, "65519.99", NUMBER_OK, 0x7bff},
		{DT_F16, "65520", NUMBER_OVERFLOWS, 0},
		{DT_F16, "5.9604644775390625e-08", NUMBER_OK, 1},
		{DT_F16, "2.98023223876953125e-08", NUMBER_OK, 0},
		{DT_F16, "2.98023223876953125000001e-08", NUMBER_OK, 1},
		/* just above a midpoint of f16: rounding to f32 first gives
		 * the midpoint itself, and then the even neighbour below */
		{DT_F16, "1.00048828125", NUMBER_OK, 0x3c00},
		{DT_F16, "1.00048828125000001", NUMBER_OK, 0x3c01},
		{DT_BF16, "1.00390625", NUMBER_OK, 0x3f80},
		{DT_BF16, "1.00390625000000001", NUMBER_OK, 0x3f81},
		{DT_BF16, "3.39e38", NUMBER_OK, 0x7f7f},
		{DT_BF16, "3.4e38", NUMBER_OVERFLOWS, 0},
		{DT_F32, "0.1", NUMBER_OK, 0x3dcccccd},
		{DT_F32, "16777217", NUMBER_OK, 0x4b800000},
		{DT_F32, "16777217.0000001", NUMBER_OK, 0x4b800001},
		{DT_F32, "1e-46", NUMBER_OK, 0},
		{DT_F64, "0.1", NUMBER_OK, 0x3fb999999999999a},
		{DT_F64, "1.7976931348623157e308", NUMBER_OK,
		 0x7fefffffffffffff},
		{DT_F64, "1.7976931348623159e308", NUMBER_OVERFLOWS, 0},
		{DT_F64, "4.9406564584124654e-324", NUMBER_OK, 1},
		{DT_F64, "2.4e-324", NUMBER_OK, 0},
		{DT_F64, "1e-99999999999999999999", NUMBER_OK, 0},
		{DT_F64, "1e99999999999999999999", NUMBER_OVERFLOWS, 0},
		{DT_I8, "127", NUMBER_OK, 127},
		{DT_I8, "128", NUMBER_OVERFLOWS, 0},
		{DT_U8, "255", NUMBER_OK, 255},
		{DT_U8, "0xff", NUMBER_OK, 255},
		{DT_U8, "256", NUMBER_OVERFLOWS, 0},
		{DT_U64, "18446744073709551615", NUMBER_OK, UINT64_MAX},
		{DT_U64, "18446744073709551616", NUMBER_OVERFLOWS, 0},
		{DT_I64, "9_223_372_036_854_775_807", NUMBER_OK, INT64_MAX},
		{DT_I32, "1.0", NUMBER_NOT_INTEGER, 0},
	};
	Arena a;
	arena_init(&a);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		Number n;
		uint64_t bits = 0;
		CHECK(literal_parse(&a, rows[i].text, &n) == NULL);
		NumberFit fit = literal_round(&a, &n, rows[i].d, &bits);
		if (!CHECK(fit == rows[i].fit && bits == rows[i].bits))
			printf("  %s in %s: %llx\n", rows[i].text,
			       dtype_info[rows[i].d].name,
			       (unsigned long long)bits);
	}
	static const char *const bad[] = {
		"1.2.3", "1e",   "0x",
		"12ab",  "1__0", "1_",
		"0b12",  "1e+",  "0x1FFFFFFFFFFFFFFFF"};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		Number n;
		CHECK(literal_parse(&a, bad[i], &n) != NULL);
	}
	arena_release(&a);
}

/* ---- types of expressions -------------------------------------------- */

#define PARAMS                                                                 \
	"def f(x: f32[6, 4], h: f16[M, K], w: f16[K, N], i: i32[5], "          \
	"b: bool[6, 4], s: f32, v: f16[K], q: f32[2, 3, 4, 8], "               \
	"u: u8[3], e: f32[M, 2*M]):\n    return "

static void expression_types(void)
{
	static const char *const rows[][2] = {
		{"x + 1", "f32[6, 4]"},
		{"1.5 * h", "f16[M, K]"},
		{"x + s", "f32[6, 4]"},
		{"i // 2 % 3", "i32[5]"},
		{"x ** 2", "f32[6, 4]"},
		{"-x", "f32[6, 4]"},
		{"~i & 3 | 4 ^ 5", "i32[5]"},
		{"i << 2 >> 1", "i32[5]"},
		{"x < 0", "bool[6, 4]"},
		{"not b and (x == 1 or b)", "bool[6, 4]"},
		{"h @ w", "f16[M, N]"},
		{"h @ v", "f16[M]"},
		{"v @ w", "f16[N]"},
		{"v @ v", "f16"},
		{"matmul(h, w, out=f32)", "f32[M, N]"},
		{"matmul(h, w, acc=f16, out=f16)", "f16[M, N]"},
		{"q @ q.T[0, :, 0, 0][None]", "?"},
		{"q @ transpose(q, 0, 1, 3, 2)", "f32[2, 3, 4, 4]"},
		{"q @ x[:, None, :2].reshape(3, 4, 1)", "?"},
		{"reshape(q, 2, 3, 8, 4) @ x.reshape(3, 4, 2)",
		 "f32[2, 3, 8, 2]"},
		{"q.T", "f32[8, 4, 3, 2]"},
		{"h.T", "f16[K, M]"},
		{"transpose(q, 1, 0, -1, 2)", "f32[3, 2, 8, 4]"},
		{"reshape(q, -1)", "f32[192]"},
		{"reshape(e, -1)", "f32[2*M*M]"},
		{"reshape(e, 2, -1)", "f32[2, M*M]"},
		{"reshape(e, [M, M, -1])", "f32[M, M, 2]"},
		{"x[0]", "f32[4]"},
		{"x[-1, 2]", "f32"},
		{"x[1:3]", "f32[2, 4]"},
		{"x[1:100]", "f32[5, 4]"},
		{"x[4:2]", "f32[0, 4]"},
		{"x[::2, ::-1]", "f32[3, 4]"},
		{"x[::-2]", "f32[3, 4]"},
		{"x[4:1:-1]", "f32[3, 4]"},
		{"x[-2:]", "f32[2, 4]"},
		{"x[:-1]", "f32[5, 4]"},
		{"x[..., 0]", "f32[6]"},
		{"x[None, :, None]", "f32[1, 6, 1, 4]"},
		{"q[0, ..., 1:3]", "f32[3, 4, 2]"},
		{"h[:, ::2]", "f16[M, (K + 1)//2]"},
		{"h[M - 1]", "f16[K]"},
		{"h[0]", "f16[K]"},
		{"e[:, M:]", "f32[M, M]"},
		{"broadcast(s, 2, M)", "f32[2, M]"},
		{"concat([x, x], axis=1)", "f32[6, 8]"},
		{"concat([h, h[:1]])", "f16[M + min(M, 1), K]"},
		{"pad(x, 1, 2)", "f32[9, 7]"},
		{"pad(x, [0, 1], [M, 0], value=nan)", "f32[M + 6, 5]"},
		{"gather(x, i)", "f32[5, 4]"},
		{"gather(x, i, axis=1)", "f32[6, 5]"},
		{"gather(x, [[0, 1], [2, 3]], axis=-1)", "f32[6, 2, 2]"},
		{"scatter(x, [0, 1], 0)", "f32[6, 4]"},
		{"scatter(x, i, x[:5], add=True)", "f32[6, 4]"},
		{"iota(4)", "i64[4]"},
		{"iota([M, 3], axis=1, dtype=f32)", "f32[M, 3]"},
		{"one_hot(i, 7)", "f32[5, 7]"},
		{"one_hot(i, N, dtype=bool)", "bool[5, N]"},
		{"where(b, x, 0)", "f32[6, 4]"},
		{"where(x > 0, 1, x)", "f32[6, 4]"},
		{"maximum(x, 0)", "f32[6, 4]"},
		{"clip(x, -1, 1)", "f32[6, 4]"},
		{"clip(i, lo=0)", "i32[5]"},
		{"f16(x)", "f16[6, 4]"},
		{"bool(i)", "bool[5]"},
		{"cast(x, h.dtype)", "f16[6, 4]"},
		{"f32([[1, 2], [3, 4]])", "f32[2, 2]"},
		{"x + [1, 2, 3, 4]", "f32[6, 4]"},
		{"bool([True, False])", "bool[2]"},
		{"sum(x)", "f32"},
		{"x.sum(axis=-1, keepdims=True)", "f32[6, 1]"},
		{"sum(q, axis=(0, 2))", "f32[3, 8]"},
		{"sum(h, 0, acc=f16)", "f16[K]"},
		{"sum(u, out=i32)", "i32"},
		{"prod(i)", "i32"},
		{"max(x, axis=0)", "f32[4]"},
		{"min(q, axis=[1, 3], keepdims=True)", "f32[2, 1, 4, 1]"},
		{"mean(h, axis=1)", "f16[M]"},
		{"mean(h, out=f32)", "f32"},
		{"argmax(x, axis=0)", "i64[4]"},
		{"argmin(q)", "i64"},
		{"argmax(x, keepdims=True)", "i64[1, 1]"},
		{"cumsum(x, 1)", "f32[6, 4]"},
		{"softmax(h)", "f16[M, K]"},
		{"softmax(q, axis=(1, 2))", "f32[2, 3, 4, 8]"},
		{"logsumexp(h)", "f16[M]"},
		{"logsumexp(h, axis=0, keepdims=True)", "f16[1, K]"},
		{"rms_norm(h, v)", "f16[M, K]"},
		{"layer_norm(h, v, v, eps=1e-6)", "f16[M, K]"},
		{"gelu(h) + silu(h) + sigmoid(h) + relu(h)", "f16[M, K]"},
		{"attention(q, q, q)", "f32[2, 3, 4, 8]"},
		{"attention(h, h, h, causal=True, p=f32)", "f16[M, K]"},
		{"attention(x, x, x, mask=x[:, :1] > 0)", "f32[6, 4]"},
		{"conv(q, f32([[[[1]]]]), groups=3)", "?"},
		{"conv(q, broadcast(s, 5, 3, 2, 3), stride=2, pad=1)",
		 "f32[2, 5, 3, 4]"},
		{"conv(q, broadcast(s, 6, 1, 2, 3), groups=3)",
		 "f32[2, 6, 3, 6]"},
		{"conv(h.reshape(M, 1, K), broadcast(f16(1), 2, 1, 3), "
		 "pad=[[2, 0]])",
		 "f16[M, 2, K]"},
		{"x * M", "f32[6, 4]"},
		{"x * (M + 2*K)", "f32[6, 4]"},
		{"x * (M - K)", "?"},
		{"f32(M)", "f32"},
		{"x.reshape(x.shape[1], x.shape[0])", "f32[4, 6]"},
		{"reshape(x, 2**3, 1 << 1 + 0, -1)", "?"},
		{"reshape(x, 2**3, 3)", "f32[8, 3]"},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		World w;
		char text[1024];
		snprintf(text, sizeof(text), PARAMS "%s\n", rows[i][0]);
		bool ok = build(&w, text, NULL);
		const char *got =
			ok ? type_of(&w, w.p->results.p[0].value) : "?";
		/* what is refused is told why */
		bool fine = strcmp(got, rows[i][1]) == 0 &&
			    (ok || w.ctx.err == ERR_PROGRAM);
		if (!CHECK(fine))
			printf("  %s: got %s, want %s\n%s", rows[i][0], got,
			       rows[i][1], buf_str(&w.ctx.messages));
		ctx_release(&w.ctx);
	}
}

/* ---- programs -------------------------------------------------------- */

static void calls_bind_dims(void)
{
	World w;
	CHECK(build(&w,
		    "def g(a: f32[P, Q], s: f32) -> f32[Q, P]:\n"
		    "    t = a * s\n"
		    "    return t.T\n"
		    "\n"
		    "@contract(contraction)\n"
		    "def f(x: f32[M, 3]):\n"
		    "    y = g(x, 0.5) + 1\n"
		    "    z = g(s=2, a=y)\n"
		    "    return z, z, y, x * 2\n",
		    NULL));
	CHECK_STR(type_of(&w, w.p->results.p[0].value), "f32[M, 3]");
	CHECK_STR(w.p->results.p[0].name, "z");
	CHECK_STR(w.p->results.p[1].name, "y1");
	CHECK_STR(w.p->results.p[2].name, "y");
	CHECK_STR(w.p->results.p[3].name, "y3");
	CHECK(w.p->ex.dims.n == 1);
	bool inside = false, outside = false;
	for (size_t i = 0; i < w.p->values.n; i++) {
		const Value *v = &w.p->values.p[i];
		if (v->op == OP_MUL && v->via) {
			CHECK_STR(v->via, "g");
			CHECK_STR(v->name, "t");
			/* the callee's contract, the callee's line */
			inside = v->relax == 0 && v->loc.line == 2;
		}
		if (v->op == OP_ADD)
			outside = v->relax == RELAX_CONTRACTION && !v->via;
	}
	CHECK(inside && outside);
	ctx_release(&w.ctx);
}

static void compositions_point_at_the_call(void)
{
	World w;
	CHECK(build(&w,
		    "def f(x: f16[M, 8]):\n"
		    "    return layer_norm(x)\n",
		    NULL));
	size_t via = 0;
	for (size_t i = 1; i < w.p->values.n; i++) {
		const Value *v = &w.p->values.p[i];
		CHECK(v->loc.line == 2 && v->loc.col == 12);
		via += strcmp(v->via, "layer_norm/mean") == 0;
		/* the interior is f32 but for the last cast */
		CHECK(v->dtype == DT_F32 || i + 1 == w.p->values.n);
	}
	CHECK(via > 0);
	ctx_release(&w.ctx);
}

static void dims_and_donation(void)
{
	World w;
	CHECK(build(&w,
		    "dims main: M = 4 * 1024, Z = 3\n"
		    "dims small: K = 2\n"
		    "@donate(x)\n"
		    "def f(x: f32[M, K]):\n"
		    "    return x + 1\n",
		    NULL));
	CHECK(w.p->dimsets.n == 2 && w.p->donated.n == 1);
	CHECK(w.p->dimsets.p[0].nvalues == 2);
	CHECK(w.p->dimsets.p[0].values[0] == 4096);
	CHECK(w.p->dimsets.p[0].values[1] == -1);
	CHECK(w.p->dimsets.p[1].values[0] == -1);
	CHECK(w.p->dimsets.p[1].values[1] == 2);
	CHECK_STR(w.p->results.p[0].name, "y");
	ctx_release(&w.ctx);
}

static void dtype_option(void)
{
	static const char text[] = "def g(x: f16[N]):\n"
				   "    return x * 0.1\n"
				   "\n"
				   "def f(x: f16[N], y: f32[N], i: i32[N]):\n"
				   "    return g(x) + f16(y), f32(i) + y\n";
	FrontOptions o = {.has_dtype = true, .dtype = DT_F64};
	World w;
	CHECK(build(&w, text, &o));
	CHECK_STR(type_of(&w, w.p->results.p[0].value), "f64[N]");
	CHECK_STR(type_of(&w, w.p->results.p[1].value), "f32[N]");
	CHECK_STR(type_of(&w, w.p->inputs.p[0]), "f64[N]");
	CHECK_STR(type_of(&w, w.p->inputs.p[1]), "f32[N]");
	CHECK(strstr(program_text(&w), "0x1.999999999999ap-4") != NULL);
	ctx_release(&w.ctx);
}

/* Of dtypes written equally often the first one is replaced. */
static void dtype_option_tie(void)
{
	FrontOptions o = {.has_dtype = true, .dtype = DT_F64};
	World w;
	CHECK(build(&w,
		    "def f(y: bf16[N], x: f16[N]):\n"
		    "    return x, y\n",
		    &o));
	CHECK_STR(type_of(&w, w.p->results.p[0].value), "f16[N]");
	CHECK_STR(type_of(&w, w.p->results.p[1].value), "f64[N]");
	ctx_release(&w.ctx);
}

static void contract_words_add_up(void)
{
	World w;
	CHECK(build(&w,
		    "@contract(single_rounding, contraction)\n"
		    "@contract(row_invariant, tf32)\n"
		    "def f(x: f32[N]):\n"
		    "    return x + 1\n",
		    NULL));
	CHECK(program_value(w.p, w.p->results.p[0].value)->relax ==
	      (RELAX_SINGLE_ROUNDING | RELAX_CONTRACTION | RELAX_ROW_INVARIANT |
	       RELAX_TF32));
	ctx_release(&w.ctx);
}

static void entry_option(void)
{
	static const char text[] = "def first(x: f32[N]):\n    return x\n"
				   "def second(x: f32[N]):\n    return x + 1\n";
	World w;
	FrontOptions o = {.entry = "first"};
	CHECK(build(&w, text, NULL));
	CHECK_STR(w.p->name, "second");
	ctx_release(&w.ctx);
	CHECK(build(&w, text, &o));
	CHECK_STR(w.p->name, "first");
	const char **names;
	size_t n;
	CHECK(front_defs(&w.ctx, &w.ctx.perm, 0, &names, &n));
	CHECK(n == 2 && strcmp(names[1], "second") == 0);
	ctx_release(&w.ctx);
	o.entry = "frist";
	CHECK(!build(&w, text, &o));
	CHECK(w.ctx.err == ERR_USAGE);
	CHECK_STR(buf_str(&w.ctx.messages),
		  "tenon: error: t.tn has no def `frist`\n"
		  "hint: did you mean `first`?\n");
	ctx_release(&w.ctx);
}

static void layout_forms(void)
{
	static const char *const good[] = {
		"def f(x: f32[N]): return x",
		"\xef\xbb\xbf"
		"def f(x: f32[N]):\r\n\treturn x\r\n",
		"def f(x: f32[N]):\n    y = x; z = y + 1\n    return z, y",
		"def f(x: f32[N],\n      y: f32[N],\n):\n"
		"    # comment\n\n  # another\n    return (x +\n y)\n",
		"def f(x: f32[N]):\n    return x \\\n        + 1\n",
		"# dims\ndims a: N = 1\nconst c: f32[2] = [1, 2]\n"
		"def f(x: f32[2]) -> (f32[2], f32[2]):\n    return x, c\n",
		"def f(dims: f32[N], const: f32[N]):\n"
		"    return dims + const\n",
	};
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		World w;
		if (!CHECK(build(&w, good[i], NULL)))
			printf("%s", buf_str(&w.ctx.messages));
		ctx_release(&w.ctx);
	}
}

/* ---- limits ---------------------------------------------------------- */

static char *repeated(const char *head, const char *unit, size_t n,
		      const char *tail)
{
	size_t h = strlen(head), u = strlen(unit), t = strlen(tail);
	char *s = malloc(h + n * u + t + 1);
	memcpy(s, head, h);
	for (size_t i = 0; i < n; i++)
		memcpy(s + h + i * u, unit, u);
	memcpy(s + h + n * u, tail, t + 1);
	return s;
}

static void deep_texts_are_refused(void)
{
	static const struct {
		const char *head, *unit, *tail;
	} rows[] = {
		{"def f(x: f32[N]):\n    return ", "(", "x"},
		{"def f(x: f32[N]):\n    return ", "-", "x"},
		{"def f(x: f32[N]):\n    return ", "not ", "x"},
		{"def f(x: f32[N]):\n    return x", " + x", "\n"},
		{"def f(x: f32[N]):\n    return x", " ** x", "\n"},
		{"def f(x: f32[N]):\n    return x", ".T", "\n"},
		{"def f(x: f32[N]):\n    return x", "[0:]", "\n"},
		{"def f(x: f32[N]):\n    return x", "(x)", "\n"},
		{"def f(x: f32[N]):\n    return ", "exp(", "x"},
		{"def f(x: f32[N]):\n    return f32(", "[", "x"},
		{"def f(x: f32[", "M*M*", "M]):\n    return x\n"},
		{"def f(x: f32[(M+N+K)", "*(M+N+K+L+O)", "]):\n    return x\n"},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		World w;
		char *s = repeated(rows[i].head, rows[i].unit, 20000,
				   rows[i].tail);
		CHECK(!build(&w, s, NULL));
		CHECK(w.ctx.err == ERR_PROGRAM);
		ctx_release(&w.ctx);
		free(s);
	}
}

/* Each def calls the one before twice: 2^40 values if nothing stops it. */
static void expansion_is_bounded(void)
{
	char text[8192];
	size_t n = 0;
	n += (size_t)snprintf(text, sizeof(text),
			      "def g0(x: f32[N]):\n    return x + x\n");
	for (int i = 1; i < 40; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "def g%d(x: f32[N]):\n"
				      "    return g%d(g%d(x))\n",
				      i, i - 1, i - 1);
	World w;
	CHECK(!build(&w, text, NULL));
	CHECK(strstr(buf_str(&w.ctx.messages), "than 65536 values"));
	ctx_release(&w.ctx);
}

static const char everything[] =
	"dims main: M = 8, K = 4\n"
	"const t: f32[2, 2] = [[1, 2], [3, 4]]\n"
	"def g(x: f16[A, B], s: f16) -> f16[A, B]:\n"
	"    h = x * s\n"
	"    return softmax(h)\n"
	"@contract(single_rounding, row_invariant)\n"
	"@donate(x)\n"
	"def f(x: f16[M, K], w: f16[K, N], i: i32[5], q: f32[2, 4, 6]):\n"
	"    p = g(x, 1.5) @ w\n"
	"    a, b = p.sum(axis=1), mean(p, axis=(0, 1), keepdims=True)\n"
	"    c = attention(q, q, q, causal=True) + layer_norm(q)[:, ::-1, "
	"-9:]\n"
	"    return a, b, q[0, ..., None], gather(x, i), one_hot(i, K), t @ "
	"t\n";

/* Any bytes: an error or a program, never a crash; see also make fuzz. */
static void mutated_texts(void)
{
	uint64_t s = 88172645463325252ull;
	char text[sizeof(everything)];
	for (int run = 0; run < 1500; run++) {
		World w;
		size_t n = sizeof(everything) - 1;
		memcpy(text, everything, sizeof(text));
		for (int k = 0; k < 1 + run % 4; k++) {
			s ^= s << 13, s ^= s >> 7, s ^= s << 17;
			size_t at = (size_t)(s >> 8) % n;
			char from = everything[(size_t)(s >> 32) % n];
			text[at] = s & 1 ? from : (char)(s >> 24);
		}
		ctx_init(&w.ctx);
		uint32_t src = ctx_add_source(&w.ctx, "t.tn", text, n);
		bool ok = front_build(&w.ctx, &w.ctx.perm, src, NULL, &w.p);
		CHECK(ok == (w.ctx.errors == 0));
		ctx_release(&w.ctx);
	}
}

/* Builds with the nth allocation refused; whether it was reached. */
static bool build_refused(long nth)
{
	World w;
	OomTrap trap;
	volatile bool refused = false;
	ctx_init(&w.ctx);
	oom_fail_nth(nth);
	if (OOM_TRAP(&trap)) {
		refused = true;
	} else {
		uint32_t s = ctx_add_source(&w.ctx, "t.tn", everything,
					    sizeof(everything) - 1);
		CHECK(front_build(&w.ctx, &w.ctx.perm, s, NULL, &w.p));
		oom_trap_pop(&trap);
	}
	oom_fail_nth(0);
	ctx_release(&w.ctx);
	return refused;
}

static void refused_memory(void)
{
	long nth = 1;
	while (build_refused(nth))
		nth++;
	CHECK(nth > 2);
}

/* What is built prints, reads back, and prints the same. */
static void round_trip(void)
{
	World w;
	CHECK(build(&w, everything, NULL));
	const char *text = program_text(&w);
	uint32_t s = ctx_add_source(&w.ctx, "dump", text, strlen(text));
	Program *q = program_parse(&w.ctx, &w.ctx.perm, s);
	CHECK(q != NULL);
	if (q) {
		w.p = q;
		CHECK_STR(program_text(&w), text);
	}
	ctx_release(&w.ctx);
}

TEST_MAIN(TEST(literals_round_once), TEST(expression_types),
	  TEST(calls_bind_dims), TEST(compositions_point_at_the_call),
	  TEST(dims_and_donation), TEST(dtype_option), TEST(dtype_option_tie),
	  TEST(contract_words_add_up), TEST(entry_option), TEST(layout_forms),
	  TEST(deep_texts_are_refused), TEST(expansion_is_bounded),
	  TEST(mutated_texts), TEST(refused_memory), TEST(round_trip))
