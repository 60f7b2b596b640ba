/*
 * The vector machine of generated C: every function on every dtype, as
 * scalar and as vectors, for each instruction set this host runs and each
 * compiler there is. All must give the same bits, and those of an
 * independent reference in long double and 64-bit integers. Functions with
 * an error bound are measured against the C library in a wider format, and
 * give the same bits within one instruction set.
 * Code for aarch64 runs in an emulator, where there is one.
 * The code under test is generated, and no sanitizer sees it:
 * tests/run: plain
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emit/cfuncs.h"
#include "runtime/abi.h"
#include "unit/cfuncs_ref.h"
#include "unit/test.h"

#define N          4096 /* elements of a case; 16-bit unary cases take all 65536 */
#define MAX_N      65536
#define ACCURACY_N 1000000

/* ---- what is compiled ------------------------------------------------ */

/* One function under test. Its operands' dtype is d, but for WHERE's first,
 * which is bool. */
typedef struct Case {
	const char *name; /* tn_add_f16_ */
	Op op;
	DType d, to; /* to: the result's dtype */
	int arity;
	bool faults;
} Case;

static Case cases[1024];
static int ncases;
static Arena arena;

typedef void Fn(const char *const *in, char *out, int64_t n, TnStatus *st);

typedef struct Variant {
	const char *cc, *isa;
	const char *forms[4]; /* suffixes */
	bool floats;          /* only functions on floats alone */
	/* code of another machine: a program that serves calls over pipes */
	const char *emulator;
	pid_t pid;
	char path[256];
	void *handle;
	FILE *to, *from;
} Variant;

/* What the program is told before a call's operands. */
typedef struct Call {
	int64_t fn, n, in_bytes[3], out_bytes;
} Call;

#define AVX512 "-mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma -mf16c"
#define AVX2   "-mavx2 -mfma -mf16c"
/* The scalars and narrow vectors of the first stand on 2 and 4 lanes, and
 * f64 at full width on halves. Those with `floats` add what differs. */
static Variant variants[] = {
	{.cc = "gcc", .isa = "", .forms = {"s", "v4"}},
	{.cc = "gcc", .isa = AVX512, .forms = {"v16"}},
	{.cc = "clang-14", .isa = "", .forms = {"v4"}},
	{.cc = "gcc", .isa = AVX2, .forms = {"v8", "s"}, .floats = true},
	{.cc = "clang-14", .isa = AVX512, .forms = {"v16"}, .floats = true},
	{.cc = "aarch64-linux-gnu-gcc",
	 .isa = "-march=armv8-a",
	 .forms = {"s", "v4"},
	 .emulator = "qemu-aarch64 -L /usr/aarch64-linux-gnu"},
};

static bool host_runs(const Variant *v)
{
	const char *isa = v->isa;

	if (v->emulator)
		return system("command -v qemu-aarch64 "
			      "aarch64-linux-gnu-gcc >/dev/null") == 0;
#if defined __x86_64__
	if (strstr(isa, "avx512"))
		return __builtin_cpu_supports("avx512bw") &&
		       __builtin_cpu_supports("avx512dq") &&
		       __builtin_cpu_supports("avx512vl");
	if (strstr(isa, "avx2"))
		return __builtin_cpu_supports("avx2") &&
		       __builtin_cpu_supports("fma");
	return true;
#else
	return !isa[0];
#endif
}

static void add_case(Op op, DType d, DType to)
{
	Case *c = &cases[ncases++];
	bool cast = op == OP_CAST;

	c->op = op;
	c->d = d;
	c->to = to;
	c->arity = op_info[op].arity;
	c->faults = op_has(op, 'T') && !dtype_is_float(d);
	c->name = cast ? arena_printf(&arena, "tn_cast_%s_%s_",
				      dtype_info[d].name, dtype_info[to].name)
		       : arena_printf(&arena, "tn_%s_%s_", cfuncs_op(op),
				      dtype_info[d].name);
}

static void list_cases(void)
{
	for (int o = 0; o < OP_COUNT; o++) {
		Op op = (Op)o;

		if (op_info[op].cls != OPC_ELEM)
			continue;
		for (int i = 0; i < DT_COUNT; i++) {
			DType d = (DType)i;

			if (!op_admits(op, d))
				continue;
			for (int j = 0; op == OP_CAST && j < DT_COUNT; j++)
				add_case(op, d, (DType)j);
			if (op != OP_CAST)
				add_case(op, d,
					 op_info[op].result == OPR_bool
						 ? DT_BOOL
						 : d);
		}
	}
}

static DType operand(const Case *c, int k)
{
	return c->op == OP_WHERE && k == 0 ? DT_BOOL : c->d;
}

static void put_case(Buf *b, CFuncs *f, int i, const char *x)
{
	const Case *c = &cases[i];
	const char *to = dtype_info[c->to].name;
	int lanes = x[0] == 's' ? 1 : atoi(x + 1);
	const char *name = arena_printf(&arena, "%s%s", c->name, x);

	if (c->faults && lanes > 1) {
		CHECK(!cfuncs_has(name));
		return;
	}
	if (!cfuncs_has(name)) {
		printf("missing: %s\n", name);
		CHECK(false);
		return;
	}
	cfuncs_need(f, name);
	cfuncs_need(f, arena_printf(&arena, "tn_store_%s_%s", to, x));
	buf_printf(b,
		   "void f%d_%s(const char *const *in, char *out, int64_t n,\n"
		   "\tTnStatus *st);\n"
		   "void f%d_%s(const char *const *in, char *out, int64_t n,\n"
		   "\tTnStatus *st)\n{\n\t(void)st;\n"
		   "\tfor (int64_t i = 0; i < n; i += %d)\n"
		   "\t\ttn_store_%s_%s(out + i * %d, %s(",
		   i, x, i, x, lanes, to, x, dtype_info[c->to].bytes, name);
	for (int k = 0; k < c->arity; k++) {
		const DTypeInfo *d = &dtype_info[operand(c, k)];

		cfuncs_need(f,
			    arena_printf(&arena, "tn_load_%s_%s", d->name, x));
		buf_printf(b, "%stn_load_%s_%s(in[%d] + i * %d)", k ? ", " : "",
			   d->name, x, k, d->bytes);
	}
	buf_printf(b, "%s));\n}\n", c->faults ? ", st, 7, i" : "");
}

static void put_line(Buf *b, CFuncs *f, const char *fmt, ...) TN_PRINTF(3, 4);

/* A line of C; marks the functions it names. */
static void put_line(Buf *b, CFuncs *f, const char *fmt, ...)
{
	va_list ap;
	char *line, *end;

	va_start(ap, fmt);
	line = arena_vprintf(&arena, fmt, ap);
	va_end(ap);
	buf_printf(b, "%s\n", line);
	for (char *p = strstr(line, "tn_"); p; p = strstr(end, "tn_")) {
		end = p + strspn(p, "tn_0123456789abcdefghijklmopqrsuvwxyz");
		cfuncs_need(f, arena_strndup(&arena, p, (size_t)(end - p)));
	}
}

/* What moves and folds lanes; check_moves() says where results go. */
static void put_moves(Buf *b, CFuncs *f, DType dt, const char *x)
{
	const char *d = dtype_info[dt].name;
	int n = dtype_info[dt].bytes;

	buf_printf(b,
		   "void m_%s_%s(const char *in, char *out);\n"
		   "void m_%s_%s(const char *in, char *out)\n{\n",
		   d, x, d, x);
	put_line(b, f, "\ttn_%s_%s a = tn_loads_%s_%s(in, %d);", d, x, d, x,
		 3 * n);
	put_line(b, f, "\ttn_stores_%s_%s(out, %d, a);", d, x, 2 * n);
	put_line(b, f,
		 "\ttn_store_%s_%s(out + 1024, tn_splat_%s_%s("
		 "tn_load_%s_s(in)));",
		 d, x, d, x, d);
	put_line(b, f,
		 "\ttn_store_%s_%s(out + 2048, tn_join_%s_%s("
		 "tn_hi_%s_%s(a), tn_lo_%s_%s(a)));",
		 d, x, d, x, d, x, d, x);
	put_line(b, f, "\ttn_store_%s_s(out + 3072, tn_hmax_%s_%s(a));", d, d,
		 x);
	put_line(b, f, "\ttn_store_%s_s(out + 3080, tn_hmin_%s_%s(a));", d, d,
		 x);
	if (dt != DT_BOOL) {
		put_line(b, f, "\ttn_store_%s_s(out + 3088, tn_hsum_%s_%s(a));",
			 d, d, x);
		put_line(b, f,
			 "\ttn_store_%s_s(out + 3096, tn_hprod_%s_%s(a));", d,
			 d, x);
		put_line(b, f,
			 "\ttn_store_%s_%s(out + 4096, tn_iota_%s_%s(-3));", d,
			 x, d, x);
	}
	buf_puts(b, "}\n");
}

/* Lanes whose vectors of the dtype fill 16 to 64 bytes, memory and all. */
static bool part_lanes(DType d, int lanes)
{
	int bytes = dtype_info[d].bytes;
	bool wide = d == DT_F16 || d == DT_BF16 || d == DT_BOOL;

	return lanes * bytes >= 8 && lanes * (wide ? 4 : bytes) <= 64;
}

/* Parts of vectors, and stores past the caches; see check_parts(). */
static void put_parts(Buf *b, CFuncs *f, DType dt)
{
	const char *d = dtype_info[dt].name;

	for (int n = 2; n <= 64; n *= 2) {
		if (!part_lanes(dt, n))
			continue;
		buf_printf(b,
			   "void p_%s_v%d(const char *in, char *out, char *to,"
			   " int64_t n);\n"
			   "void p_%s_v%d(const char *in, char *out, char *to,"
			   " int64_t n)\n{\n",
			   d, n, d, n);
		put_line(b, f, "\ttn_%s_v%d a = tn_loadn_%s_v%d(in, n);", d, n,
			 d, n);
		put_line(b, f, "\ttn_%s_v%d c = tn_load_%s_v%d(out);", d, n, d,
			 n);
		put_line(b, f, "\ttn_store_%s_v%d(out, a);", d, n);
		put_line(b, f,
			 "\ttn_stream_%s_v%d(out + 64, tn_keepn_%s_v%d(a, c, "
			 "n), 1);",
			 d, n, d, n);
		put_line(b, f, "\ttn_stream_%s_v%d(out + 129, a, 0);", d, n);
		put_line(b, f, "\ttn_storen_%s_v%d(to, n, a);\n}", d, n);
	}
}

/* Division by one divisor. */
static void put_quotients(Buf *b, CFuncs *f, const char *x)
{
	put_line(b, f,
		 "void q_f32(const char *in, char *out, float d, int64_t n);\n"
		 "void q_f32(const char *in, char *out, float d, int64_t n)\n"
		 "{\n\tfor (int64_t i = 0; i < n; i += %s)",
		 x + 1);
	put_line(b, f,
		 "\t\ttn_store_f32_%s(out + 4 * i, tn_divby_f32_%s("
		 "tn_load_f32_%s(in + 4 * i), d, 1 / d));\n}",
		 x, x, x);
	put_line(b, f,
		 "int64_t x_head(const char *p, int64_t v, int64_t e, "
		 "int64_t n);\n"
		 "int64_t x_head(const char *p, int64_t v, int64_t e, "
		 "int64_t n)\n"
		 "{\n\ttn_ahead(p);\n\ttn_fence();\n"
		 "\treturn tn_head(p, v, e, n);\n}");
}

/* Exponentials, of any argument and of low ones. */
static void put_exps(Buf *b, CFuncs *f, const char *x)
{
	for (int low = 0; low < 2; low++) {
		put_line(b, f,
			 "void e%d_f32(const char *in, char *out, int64_t n);\n"
			 "void e%d_f32(const char *in, char *out, int64_t n)\n"
			 "{\n\tfor (int64_t i = 0; i < n; i += %s)",
			 low, low, x[1] ? x + 1 : "1");
		put_line(b, f,
			 "\t\ttn_store_f32_%s(out + 4 * i, tn_exp%s_f32_%s("
			 "tn_load_f32_%s(in + 4 * i)));\n}",
			 x, low ? "low" : "", x, x);
	}
}

static void put_helpers(Buf *b, CFuncs *f)
{
	put_line(b, f,
		 "int64_t x_index(int64_t i, int64_t n, TnStatus *st);\n"
		 "int64_t x_index(int64_t i, int64_t n, TnStatus *st)\n"
		 "{\n\treturn tn_index(i, n, st, 9);\n}");
	for (int k = 0; k < 4; k++) {
		const char *op = k == 0   ? "div"
				 : k == 1 ? "mod"
				 : k == 2 ? "min"
					  : "max";

		put_line(b, f,
			 "int64_t x_%s(int64_t a, int64_t b);\n"
			 "int64_t x_%s(int64_t a, int64_t b)\n"
			 "{\n\treturn tn_%s(a, b);\n}",
			 op, op, op);
	}
}

static bool variant_has(const Variant *v, const Case *c)
{
	return !v->floats || (dtype_is_float(c->d) && dtype_is_float(c->to));
}

/* The suffix of its last form, which is a vector's. */
static const char *last_form(const Variant *v)
{
	int k = 3;

	while (!v->forms[k])
		k--;
	return v->forms[k];
}

/* The table of a server's functions and its loop. */
static void put_server(Buf *b, const Variant *v)
{
	buf_printf(b,
		   "#include <stdio.h>\n"
		   "#define MAX %d\n"
		   "typedef void Fn(const char *const *, char *, int64_t, "
		   "TnStatus *);\nstatic Fn *const fns[] = {\n",
		   MAX_N * 8 + 64);
	for (int k = 0; k < 4 && v->forms[k]; k++)
		for (int i = 0; i < ncases; i++) {
			if (variant_has(v, &cases[i]) &&
			    cfuncs_has(arena_printf(&arena, "%s%s",
						    cases[i].name,
						    v->forms[k])))
				buf_printf(b, "\tf%d_%s,\n", i, v->forms[k]);
			else
				buf_puts(b, "\t0,\n");
		}
	buf_puts(b, "};\n"
		    "static char in[3][MAX], out[MAX];\n"
		    "int main(void)\n{\n"
		    "\tconst char *const args[] = {in[0], in[1], in[2]};\n"
		    "\tint64_t c[6];\n\n"
		    "\twhile (fread(c, sizeof(c), 1, stdin) == 1) {\n"
		    "\t\tTnStatus st = {0};\n\n"
		    "\t\tfor (int k = 0; k < 3; k++)\n"
		    "\t\t\tif (c[2 + k] && fread(in[k], (size_t)c[2 + k], 1,"
		    " stdin) != 1)\n\t\t\t\treturn 1;\n"
		    "\t\tfns[c[0]](args, out, c[1], &st);\n"
		    "\t\tif (fwrite(&st, sizeof(st), 1, stdout) != 1 ||\n"
		    "\t\t    fwrite(out, (size_t)c[5], 1, stdout) != 1 ||\n"
		    "\t\t    fflush(stdout) != 0)\n\t\t\treturn 1;\n"
		    "\t}\n\treturn 0;\n}\n");
}

/* Starts the compiler of a variant on everything. */
static void variant_start(Variant *v, const char *dir)
{
	CFuncs *f = cfuncs_new(&arena);
	Buf body, text;
	int n = (int)(v - variants);
	char src[256];
	FILE *out;

	buf_init(&body, &arena);
	buf_init(&text, &arena);
	for (int k = 0; k < 4 && v->forms[k]; k++)
		for (int i = 0; i < ncases; i++)
			if (variant_has(v, &cases[i]))
				put_case(&body, f, i, v->forms[k]);
	for (int i = 0; i < DT_COUNT && !v->floats && !v->emulator; i++)
		put_moves(&body, f, (DType)i, last_form(v));
	for (int i = 0; i < DT_COUNT; i++)
		if (!v->floats || dtype_is_float((DType)i))
			put_parts(&body, f, (DType)i);
	put_quotients(&body, f, last_form(v)[0] == 'v' ? last_form(v) : "v8");
	put_exps(&body, f, last_form(v));
	put_helpers(&body, f);
	if (v->emulator)
		put_server(&body, v);
	cfuncs_print(f, &text);
	snprintf(src, sizeof(src), "%s/v%d.c", dir, n);
	snprintf(v->path, sizeof(v->path), "%s/v%d.so", dir, n);
	out = fopen(src, "w");
	if (!CHECK(out != NULL))
		return;
	fputs(buf_str(&text), out);
	fputs(buf_str(&body), out);
	fclose(out);
	v->pid = fork();
	if (v->pid == 0) {
		execl("/bin/sh", "sh", "-c",
		      arena_printf(
			      &arena,
			      "exec %s %s -O2 -std=gnu17 -ffp-contract=off "
			      "-fno-math-errno -fno-trapping-math -fwrapv "
			      "-Wall -Wextra -Werror -Wno-psabi %s -o %s %s "
			      "-lm",
			      v->cc, v->isa, v->emulator ? "" : "-fPIC -shared",
			      v->path, src),
		      (char *)NULL);
		_exit(127);
	}
}

/* ---- judging -------------------------------------------------------- */

/* Whether got is right for element operands x of a case. */
static bool judge(const Case *c, const Val *x, Val got, bool *fault)
{
	long double f[3] = {x[0].f, x[1].f, x[2].f}, ref, u;
	bool rough = false;
	int64_t n;

	if (c->op == OP_WHERE)
		return memcmp(&got, x[0].i ? &x[1] : &x[2], sizeof(Val)) == 0 ||
		       (isnan(got.f) && isnan(x[0].i ? x[1].f : x[2].f));
	if (c->op == OP_CAST) {
		Val r = ref_cast(c->d, c->to, x[0]);

		if (!dtype_is_float(c->to))
			return r.i == got.i;
		return ulp_error(c->to, got.f, r.f) == 0;
	}
	if (!dtype_is_float(c->d)) {
		*fault = !ref_int(c->op, c->d, x[0].i, x[1].i, &n);
		return got.i == n;
	}
	if (c->to == DT_BOOL)
		return got.i == ref_compare(c->op, f[0], f[1]);
	if (op_info[c->op].ulp == 0) {
		ref = ref_float(c->op, c->d, f, &rough);
		if (rough && isfinite(ref))
			return fabsl(got.f - ref) <=
			       1 + ldexpl(fabsl(ref),
					  1 - dtype_info[c->d].precision);
		return ulp_error(c->to, got.f, ref) == 0;
	}
	ref = ref_function(c->op, f[0], f[1]);
	if (c->d == DT_F32 || c->d == DT_F64)
		return ulp_error(c->d, got.f, ref) <= op_info[c->op].ulp;
	if (!isfinite(ref) || ref == 0)
		return ulp_error(c->d, got.f, ref) == 0;
	u = ldexpl(fabsl(ref), -22) + 0x1p-148L; /* at least 2 ulp of f32 */
	return got.f >= fmt_round(c->d, ref - u, 0) &&
	       got.f <= fmt_round(c->d, ref + u, 0);
}

/* ---- data ------------------------------------------------------------ */

static uint64_t rng = 1;

static uint64_t random_bits(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng * UINT64_C(0x2545f4914f6cdd1d);
}

/* Operand k of each dtype, MAX_N elements; small: exponents of POW. */
static char *data[3][DT_COUNT], *small[DT_COUNT];

static size_t specials(DType d, uint64_t *out)
{
	int w = dtype_info[d].bytes * 8, m = dtype_info[d].precision - 1;
	uint64_t sign = UINT64_C(1) << (w - 1);
	uint64_t inf = sign - (UINT64_C(1) << m), one;
	size_t n = 0;

	if (!dtype_is_float(d)) {
		const int64_t list[] = {0,   1,   2,  3,  5,  7,  8,  15,
					16,  17,  31, 32, 33, 63, 64, 65,
					100, 127, -1, -2, -3, -7, -8, -64};

		for (size_t i = 0; i < ARRAY_LEN(list); i++)
			out[n++] = (uint64_t)list[i];
		out[n++] = sign;
		out[n++] = sign - 1;
		out[n++] = sign + 1;
		out[n++] = sign >> 1;
		return n;
	}
	one = (inf >> 1) & ~((UINT64_C(1) << m) - 1);
	if (d != DT_F64 && d != DT_F32 && d != DT_BF16 && d != DT_F16)
		return 0;
	{
		const uint64_t half = UINT64_C(1) << (m - 1);
		const uint64_t list[] = {
			0,
			1,
			2,
			3,
			half,
			2 * half - 1,
			2 * half,
			2 * half + 1,
			one,
			one - 1,
			one + 1,
			one + half,
			one - 2 * half,
			one + 2 * half,
			one + 3 * half,
			one + 2 * half + half / 2,
			one + 1 + half,
			one + 10 * half,
			one + 19 * half,
			inf,
			inf - 1,
			inf - half,
			inf | half,
		};

		for (size_t i = 0; i < ARRAY_LEN(list); i++) {
			out[n++] = list[i];
			out[n++] = list[i] | sign;
		}
	}
	return n;
}

/* Any bits; or a float of moderate size with few digits. */
static uint64_t random_value(DType d)
{
	uint64_t r = random_bits();
	int w = dtype_info[d].bytes * 8, m = dtype_info[d].precision - 1;
	uint64_t sign = UINT64_C(1) << (w - 1);
	uint64_t inf = sign - (UINT64_C(1) << m);
	uint64_t one = (inf >> 1) & ~((UINT64_C(1) << m) - 1);

	if (d == DT_BOOL)
		return r & 1;
	if (!dtype_is_float(d)) /* of any magnitude */
		return (uint64_t)((int64_t)r >> (random_bits() % (unsigned)w));
	if (random_bits() % 2)
		return r;
	r = one + (r % 16 << m) - (UINT64_C(8) << m) +
	    (r >> 8 & ((UINT64_C(1) << m) - 1));
	if (random_bits() % 4 == 0)
		r &= ~((UINT64_C(1) << (m - 3)) - 1);
	return r | (random_bits() % 2 ? sign : 0);
}

static void put_value(char *p, DType d, size_t i, uint64_t v)
{
	size_t b = (size_t)dtype_info[d].bytes;

	memcpy(p + i * b, &v, b);
}

static void make_data(void)
{
	for (int i = 0; i < DT_COUNT; i++) {
		DType d = (DType)i;
		uint64_t s[64];
		size_t n = d == DT_BOOL ? 0 : specials(d, s);

		for (int k = 0; k < 3; k++) {
			char *p = malloc(MAX_N * 8 + 64);

			data[k][d] = p;
			for (size_t j = 0; j < MAX_N; j++)
				put_value(p, d, j, random_value(d));
			/* all pairs of specials */
			for (size_t j = 0; n && j < n * n; j++)
				put_value(p, d, j,
					  s[k == 0   ? j % n
					    : k == 1 ? j / n
						     : (j * 7 + j / n) % n]);
		}
		small[d] = malloc(MAX_N * 8 + 64);
		for (size_t j = 0; j < MAX_N; j++)
			put_value(small[d], d, j,
				  random_bits() % 40 - (is_signed(d) ? 2 : 0));
	}
	/* 16-bit unary cases see every value */
	for (int i = 0; i < DT_COUNT; i++)
		for (size_t j = 0; dtype_info[i].bytes <= 2 && j < MAX_N; j++)
			if (i != DT_BOOL)
				put_value(data[2][i], (DType)i, j, j);
}

/* ---- the comparisons ------------------------------------------------- */

static Fn *variant_fn(const Variant *v, const char *x, int i)
{
	char name[32];
	void *p;
	Fn *fn;

	snprintf(name, sizeof(name), "f%d_%s", i, x);
	p = dlsym(v->handle, name);
	memcpy(&fn, &p, sizeof(fn));
	return fn;
}

/* Bits of element i, all NaN alike. */
static uint64_t bits_of(DType d, const char *p, size_t i)
{
	size_t b = (size_t)dtype_info[d].bytes;
	uint64_t r = 0;

	if (dtype_is_float(d) && isnan(val_get(d, p + i * b).f))
		return UINT64_MAX;
	memcpy(&r, p + i * b, b);
	return r;
}

static void case_inputs(const Case *c, const char *in[3], int64_t *n)
{
	*n = N;
	for (int k = 0; k < c->arity; k++)
		in[k] = data[k][operand(c, k)];
	if (c->op == OP_POW && !dtype_is_float(c->d))
		in[1] = small[c->d];
	if (c->arity == 1 && dtype_info[c->d].bytes == 2) {
		*n = MAX_N;
		in[0] = data[2][c->d];
	}
}

/* Starts the program of a variant in its emulator. */
static bool start_server(Variant *v)
{
	int to[2], from[2];
	pid_t pid;

	if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0)
		return false;
	pid = fork();
	if (pid == 0) {
		dup2(to[0], 0);
		dup2(from[1], 1);
		execl("/bin/sh", "sh", "-c",
		      arena_printf(&arena, "exec %s %s", v->emulator, v->path),
		      (char *)NULL);
		_exit(127);
	}
	close(to[0]);
	close(from[1]);
	v->to = fdopen(to[1], "wb");
	v->from = fdopen(from[0], "rb");
	return pid > 0 && v->to && v->from;
}

/* A call of form x of a case; false where there is no such function. */
static bool call(const Variant *v, const char *x, int i, const char *const *in,
		 char *out, int64_t n, TnStatus *st)
{
	const Case *c = &cases[i];
	Call head = {.n = n, .out_bytes = n * dtype_info[c->to].bytes};
	int k = 0;

	if (!v->emulator) {
		Fn *fn = variant_fn(v, x, i);

		if (fn)
			fn(in, out, n, st);
		return fn != NULL;
	}
	while (strcmp(v->forms[k], x) != 0)
		k++;
	head.fn = k * ncases + i;
	if (!cfuncs_has(arena_printf(&arena, "%s%s", c->name, x)))
		return false;
	for (k = 0; k < c->arity; k++)
		head.in_bytes[k] = n * dtype_info[operand(c, k)].bytes;
	fwrite(&head, sizeof(head), 1, v->to);
	for (k = 0; k < c->arity; k++)
		fwrite(in[k], (size_t)head.in_bytes[k], 1, v->to);
	return CHECK(fflush(v->to) == 0) &&
	       CHECK(fread(st, sizeof(*st), 1, v->from) == 1) &&
	       CHECK(fread(out, (size_t)head.out_bytes, 1, v->from) == 1);
}

static void show(const Case *c, const char *const *in, const char *out,
		 int64_t i, const char *what)
{
	printf("%s of %s: element %ld:", what, c->name, (long)i);
	for (int k = 0; k < c->arity; k++) {
		DType d = operand(c, k);
		Val v = val_get(d, in[k] + i * dtype_info[d].bytes);

		printf(dtype_is_float(d) ? " %.21Lg" : " %.0Lf%ld", v.f,
		       (long)v.i);
	}
	printf(" -> %.21Lg %ld\n",
	       val_get(c->to, out + i * dtype_info[c->to].bytes).f,
	       (long)val_get(c->to, out + i * dtype_info[c->to].bytes).i);
}

/* One case in one form against the reference or, later, the first form. */
static bool check_case(const Variant *v, const char *x, int i, char *out,
		       const char *first)
{
	const Case *c = &cases[i];
	const char *in[3] = {0};
	int64_t n, fault = -1;
	TnStatus st = {0};

	case_inputs(c, in, &n);
	if (!call(v, x, i, in, out, n, &st))
		return c->faults && x[0] != 's';
	for (int64_t k = 0; k < n; k++) {
		Val a[3] = {0}, got;
		bool fails = false;

		if (first) {
			if (bits_of(c->to, out, (size_t)k) ==
			    bits_of(c->to, first, (size_t)k))
				continue;
			show(c, in, first, k, "first form");
			show(c, in, out, k, x);
			printf("(%s %s)\n", v->cc, v->isa);
			return false;
		}
		for (int o = 0; o < c->arity; o++)
			a[o] = val_get(
				operand(c, o),
				in[o] + k * dtype_info[operand(c, o)].bytes);
		got = val_get(c->to, out + k * dtype_info[c->to].bytes);
		if (!judge(c, a, got, &fails)) {
			show(c, in, out, k, "wrong result");
			return false;
		}
		if (fails && fault < 0)
			fault = k;
	}
	if (!first && fault >= 0 &&
	    !(st.code == (c->op == OP_POW ? TN_FAULT_EXPONENT
					  : TN_FAULT_DIVISION) &&
	      st.value == 7 && st.index == fault)) {
		printf("%s: fault %d at %ld, not %ld\n", c->name, (int)st.code,
		       (long)st.index, (long)fault);
		return false;
	}
	return first || fault >= 0 || st.code == 0;
}

static bool variant_ready(Variant *v)
{
	int status;

	if (v->pid > 0 && waitpid(v->pid, &status, 0) == v->pid) {
		v->pid = 0;
		if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
			return false; /* no such compiler */
		if (CHECK(status == 0) && v->emulator)
			CHECK(start_server(v));
		else if (status == 0)
			CHECK((v->handle =
				       dlopen(v->path, RTLD_NOW | RTLD_LOCAL)));
	}
	return v->handle || v->from;
}

static char *first_out[ARRAY_LEN(cases)];

static void reference(void)
{
	Variant *v = &variants[0];

	if (!variant_ready(v))
		SKIP("no gcc");
	for (int i = 0; i < ncases; i++) {
		first_out[i] = malloc(MAX_N * 8 + 64);
		CHECK(check_case(v, "s", i, first_out[i], NULL));
	}
}

/*
 * One case in one form. Where the op has an error bound, the first form of
 * an instruction set is judged, and the others have its bits.
 */
static void check_form(const Variant *v, const char *x, int i, char *out)
{
	static const char *isa[ARRAY_LEN(variants)];
	static char *isa_out[ARRAY_LEN(variants)][ARRAY_LEN(cases)];
	size_t n = 0;

	if (op_info[cases[i].op].ulp == 0 || v->isa == variants[0].isa) {
		CHECK(check_case(v, x, i, out, first_out[i]));
		return;
	}
	while (isa[n] && strcmp(isa[n], v->isa) != 0)
		n++;
	isa[n] = v->isa;
	if (isa_out[n][i]) {
		CHECK(check_case(v, x, i, out, isa_out[n][i]));
	} else {
		isa_out[n][i] = malloc(MAX_N * 8 + 64);
		CHECK(check_case(v, x, i, isa_out[n][i], NULL));
	}
}

static void same_bits(void)
{
	char *out = malloc(MAX_N * 8 + 64);

	for (size_t k = 0; k < ARRAY_LEN(variants); k++) {
		Variant *v = &variants[k];

		if (!host_runs(v) || !variant_ready(v)) {
			printf("left out: %s %s\n", v->cc, v->isa);
			continue;
		}
		for (int f = 0; f < 4 && v->forms[f]; f++)
			for (int i = 0; i < ncases; i++)
				if (variant_has(v, &cases[i]))
					check_form(v, v->forms[f], i, out);
	}
	free(out);
}

static void accuracy(void)
{
	Variant *v = &variants[0];
	size_t n = ACCURACY_N / 64 * 64;
	char *a = malloc(n * 8), *b = malloc(n * 8), *out = malloc(n * 8);
	const char *in[2] = {a, b};

	for (size_t k = 0; k < ARRAY_LEN(variants); k++)
		if (variants[k].handle &&
		    strlen(variants[k].isa) >= strlen(v->isa))
			v = &variants[k];
	if (!v->handle)
		SKIP("no gcc");
	for (int i = 0; i < ncases; i++) {
		const Case *c = &cases[i];
		bool wide = c->d == DT_F64;
		size_t m = wide ? n / 16 : n;
		double worst = 0;

		if (op_info[c->op].ulp == 0 || (!wide && c->d != DT_F32))
			continue;
		for (size_t j = 0; j < m; j++) {
			put_value(a, c->d, j, random_value(c->d));
			put_value(b, c->d, j, random_value(c->d));
		}
		variant_fn(v, v->forms[0], i)(in, out, (int64_t)m, NULL);
		for (size_t j = 0; j < m; j++) {
			size_t w = (size_t)dtype_info[c->d].bytes;
			long double x = val_get(c->d, a + j * w).f;
			long double y = val_get(c->d, b + j * w).f;
			double e = ulp_error(c->d, val_get(c->d, out + j * w).f,
					     ref_function(c->op, x, y));

			if (e > worst)
				worst = e;
		}
		printf("%s %.3f ulp\n", c->name, worst);
		CHECK(worst <= op_info[c->op].ulp);
	}
	free(a);
	free(b);
	free(out);
}

/*
 * Quotients whose bits repeat the dividend's: with b = 2^53 - 1 those of a
 * come twice, so that the second half starts at the rounding bit. With few
 * integer bits the floor makes it a tie, and the ceiling (of a negative
 * quotient) more than that; with many, what follows breaks the tie.
 */
static void long_quotients(void)
{
	static const struct {
		double a, b, want;
	} rows[] = {
		{0x10000000000002p60, 0x1fffffffffffffp0, 0x10000000000002p7},
		{-0x10000000000002p60, 0x1fffffffffffffp0, -0x10000000000003p7},
		{0x10000000000002p600, 0x1fffffffffffffp0,
		 0x10000000000003p547},
		{0x10000000000002p600, -0x1fffffffffffffp0,
		 -0x10000000000003p547},
		{0x10000000000002p100, 0x1fffffffffffffp0, 0x10000000000002p47},
		{0x10000000000002p105, 0x1fffffffffffffp0, 0x10000000000003p52},
		{0x1p1023, -0x1p-1074, -INFINITY},
		{-0x1p-1074, 0x1p1023, -1},
		{-1, INFINITY, -0.0},
	};
	int i = 0;

	if (!variants[0].handle)
		SKIP("no gcc");
	while (cases[i].op != OP_FLOORDIV || cases[i].d != DT_F64)
		i++;
	for (size_t k = 0; k < ARRAY_LEN(rows); k++) {
		double out;
		const char *in[2] = {(const char *)&rows[k].a,
				     (const char *)&rows[k].b};

		variant_fn(&variants[0], "s", i)(in, (char *)&out, 1, NULL);
		if (!CHECK(memcmp(&out, &rows[k].want, sizeof(out)) == 0))
			printf("%a // %a = %a\n", rows[k].a, rows[k].b, out);
	}
}

/* ---- moves, folds, helpers ------------------------------------------- */

static void *variant_symbol(const Variant *v, const char *name)
{
	return dlsym(v->handle, name);
}

static Val ref_binary(Op op, DType d, Val a, Val b)
{
	long double f[3] = {a.f, b.f, 0};
	Val r = {0};
	bool rough;

	if (dtype_is_float(d))
		r.f = ref_float(op, d, f, &rough);
	else
		(void)ref_int(d == DT_BOOL ? op == OP_MAXIMUM ? OP_OR : OP_AND
					   : op,
			      d, a.i, b.i, &r.i);
	return r;
}

static bool same_val(DType d, Val a, Val b)
{
	return dtype_is_float(d) ? ulp_error(d, a.f, b.f) == 0 : a.i == b.i;
}

/* Halves folded together, as the machine does. */
static Val ref_fold(Op op, DType d, const Val *x, int n)
{
	Val v[64];

	memcpy(v, x, (size_t)n * sizeof(Val));
	for (n /= 2; n > 0; n /= 2)
		for (int i = 0; i < n; i++)
			v[i] = ref_binary(op, d, v[i], v[i + n]);
	return v[0];
}

static void check_moves(const Variant *v, DType d)
{
	static const Op folds[] = {OP_MAXIMUM, OP_MINIMUM, OP_ADD, OP_MUL};
	const char *x = last_form(v);
	int n = atoi(x + 1), b = dtype_info[d].bytes;
	void (*fn)(const char *, char *);
	char out[8192] = {0};
	void *p = variant_symbol(
		v, arena_printf(&arena, "m_%s_%s", dtype_info[d].name, x));

	if (!CHECK(p != NULL))
		return;
	memcpy(&fn, &p, sizeof(fn));
	for (int at = 0; at < 2000; at += 97) {
		const char *in = data[0][d] + at * b;
		Val a[64];

		fn(in, out);
		for (int i = 0; i < n; i++) {
			Val iota = ref_cast(DT_I64, d, (Val){.i = i - 3});

			a[i] = val_get(d, in + i * 3 * b);
			CHECK(same_val(d, val_get(d, out + i * 2 * b), a[i]));
			CHECK(same_val(d, val_get(d, out + 1024 + i * b),
				       a[0]));
			if (d != DT_BOOL)
				CHECK(same_val(d,
					       val_get(d, out + 4096 + i * b),
					       iota));
		}
		for (int i = 0; i < n; i++)
			CHECK(same_val(d, val_get(d, out + 2048 + i * b),
				       a[(i + n / 2) % n]));
		for (int k = 0; k < (d == DT_BOOL ? 2 : 4); k++)
			CHECK(same_val(d, val_get(d, out + 3072 + 8 * k),
				       ref_fold(folds[k], d, a, n)));
	}
}

static void moves(void)
{
	if (!variants[0].handle)
		SKIP("no gcc");
	for (size_t k = 0; k < ARRAY_LEN(variants); k++)
		for (int d = 0; d < DT_COUNT; d++)
			if (variants[k].handle && !variants[k].floats)
				check_moves(&variants[k], (DType)d);
}

/* Part n of a vector at the very end of what may be read and written. */
static void check_part(const Variant *v, DType d, int lanes, char *end)
{
	int b = dtype_info[d].bytes;
	void (*fn)(const char *, char *, char *, int64_t);
	static _Alignas(64) char out[256];
	void *p = variant_symbol(
		v, arena_printf(&arena, "p_%s_v%d", dtype_info[d].name, lanes));

	if (!CHECK(p != NULL))
		return;
	memcpy(&fn, &p, sizeof(fn));
	for (int n = 1; n < lanes; n++) {
		char *part = end - n * b;
		const char *in = data[0][d] + n * b;

		memcpy(part, in, (size_t)(n * b));
		memcpy(out, data[1][d], (size_t)(lanes * b));
		part[-1] = 77;
		fn(part, out, part, n);
		CHECK(part[-1] == 77);
		for (int i = 0; i < lanes; i++) {
			Val x = val_get(d, in + i * b), none = {0};
			Val kept = val_get(d, data[1][d] + i * b);

			CHECK(same_val(d, val_get(d, out + i * b),
				       i < n ? x : none));
			CHECK(same_val(d, val_get(d, out + 64 + i * b),
				       i < n ? x : kept));
			CHECK(same_val(d, val_get(d, out + 129 + i * b),
				       i < n ? x : none));
			if (i < n)
				CHECK(same_val(d, val_get(d, part + i * b), x));
		}
	}
}

static void parts(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (!variants[0].handle)
		SKIP("no gcc");
	if (!CHECK(p != MAP_FAILED) ||
	    !CHECK(mprotect(p + page, page, PROT_NONE) == 0))
		return;
	for (size_t k = 0; k < ARRAY_LEN(variants); k++)
		for (int d = 0; d < DT_COUNT; d++)
			for (int n = 2; n <= 64; n *= 2)
				if (variants[k].handle &&
				    part_lanes((DType)d, n) &&
				    (!variants[k].floats ||
				     dtype_is_float((DType)d)))
					check_part(&variants[k], (DType)d, n,
						   p + page);
	munmap(p, 2 * page);
}

/* a / b by the reciprocal of b has the bits of a / b. */
static void check_quotients(const Variant *v)
{
	static const float few[] = {1,       3,        0x1.fffffep0f, 8192,
				    0x1p60f, 0x1p-60f, 0x1p-126f,     0x1p-149f,
				    0,       INFINITY, NAN,           -7};
	static float in[4096], out[4096];
	void (*fn)(const char *, char *, float, int64_t);
	void *p = variant_symbol(v, "q_f32");
	uint32_t seed = 1;
	int bad = 0;

	if (!CHECK(p != NULL))
		return;
	memcpy(&fn, &p, sizeof(fn));
	for (int round = 0; round < 400; round++) {
		float d = 0;
		for (size_t i = 0; i < ARRAY_LEN(in); i++) {
			uint32_t u = seed = seed * 1664525u + 1013904223u;
			/* whole vectors of ordinary, then of any numbers */
			if (i < 3072 || round % 8)
				u = (u & 0x807fffff) | (100 + (u >> 9) % 40)
							       << 23;
			if (i % 64 == 5)
				u = 0;
			memcpy(&in[i], &u, 4);
		}
		if (round < (int)ARRAY_LEN(few)) {
			d = few[round];
		} else {
			seed = seed * 1664525u + 1013904223u;
			uint32_t u = (seed & 0x807fffff) |
				     (uint32_t)(90 + round % 70) << 23;
			memcpy(&d, &u, 4);
		}
		fn((const char *)in, (char *)out, d, ARRAY_LEN(in));
		for (size_t i = 0; i < ARRAY_LEN(in); i++) {
			float want = in[i] / d;
			bad += memcmp(&want, &out[i], 4) != 0 &&
			       !(isnan(want) && isnan(out[i]));
		}
	}
	CHECK(bad == 0);
}

/* Of arguments up to 64 explow has the bits of exp. */
static void check_exps(const Variant *v)
{
	static float in[1 << 16], out[2][1 << 16];
	void (*fn)(const char *, char *, int64_t);
	const size_t n = ARRAY_LEN(in);
	uint32_t u = 0;
	int bad = 0;

	for (int round = 0; round < 64; round++) {
		for (size_t i = 0; i < n; i++, u += 1021) {
			memcpy(&in[i], &u, 4);
			if (in[i] > 64)
				in[i] = in[i] < 1000 ? in[i] - 1000 : 64;
		}
		in[0] = -INFINITY;
		in[1] = 64;
		for (int low = 0; low < 2; low++) {
			void *p = variant_symbol(v, low ? "e1_f32" : "e0_f32");
			if (!CHECK(p != NULL))
				return;
			memcpy(&fn, &p, sizeof(fn));
			fn((const char *)in, (char *)out[low], (int64_t)n);
		}
		for (size_t i = 0; i < n; i++)
			bad += memcmp(&out[0][i], &out[1][i], 4) != 0 &&
			       !(isnan(out[0][i]) && isnan(out[1][i]));
	}
	CHECK(bad == 0);
}

static void exps(void)
{
	if (!variants[0].handle)
		SKIP("no gcc");
	for (size_t k = 0; k < ARRAY_LEN(variants); k++)
		if (variants[k].handle)
			check_exps(&variants[k]);
}

static void quotients(void)
{
	int64_t (*head)(const char *, int64_t, int64_t, int64_t);
	static _Alignas(64) char at[128];

	if (!variants[0].handle)
		SKIP("no gcc");
	for (size_t k = 0; k < ARRAY_LEN(variants); k++)
		if (variants[k].handle)
			check_quotients(&variants[k]);
	void *p = variant_symbol(&variants[0], "x_head");
	memcpy(&head, &p, sizeof(p));
	CHECK(head(at, 64, 4, 100) == 0 && head(at + 4, 64, 4, 100) == 15);
	CHECK(head(at + 60, 64, 4, 100) == 1 && head(at + 4, 64, 4, 3) == 3);
	CHECK(head(at + 2, 64, 4, 100) == 0); /* never aligned */
	CHECK(head(at + 34, 32, 2, 100) == 15);
}

static void helpers(void)
{
	int64_t (*index)(int64_t, int64_t, TnStatus *);
	int64_t (*fn[4])(int64_t, int64_t);
	TnStatus st = {0};
	void *p;

	if (!variants[0].handle)
		SKIP("no gcc");
	p = variant_symbol(&variants[0], "x_index");
	memcpy(&index, &p, sizeof(p));
	CHECK(index(3, 4, &st) == 3 && index(-4, 4, &st) == 0 &&
	      index(-1, 4, &st) == 3 && st.code == TN_FAULT_NONE);
	CHECK(index(4, 4, &st) == 0 && st.code == TN_FAULT_INDEX &&
	      st.value == 9 && st.index == 4);
	/* the least stays, whichever comes first */
	CHECK(index(-5, 4, &st) == 0 && st.index == -5);
	CHECK(index(7, 4, &st) == 0 && st.index == -5);
	st = (TnStatus){.code = TN_FAULT_INDEX, .value = 8, .index = 50};
	CHECK(index(4, 4, &st) == 0 && st.value == 8 && st.index == 50);
	st.value = 10;
	CHECK(index(60, 4, &st) == 0 && st.value == 9 && st.index == 60);
	st = (TnStatus){0};
	CHECK(index(INT64_MIN, 4, &st) == 0 && st.index == INT64_MIN);
	st = (TnStatus){0};
	CHECK(index(0, 0, &st) == 0 && st.code == TN_FAULT_INDEX);
	for (int k = 0; k < 4; k++) {
		p = variant_symbol(&variants[0], k == 0   ? "x_div"
						 : k == 1 ? "x_mod"
						 : k == 2 ? "x_min"
							  : "x_max");
		memcpy(&fn[k], &p, sizeof(p));
	}
	for (int64_t a = -9; a < 10; a++)
		for (int64_t b = -4; b < 5; b++) {
			int64_t q, r;

			CHECK(fn[2](a, b) == (a < b ? a : b));
			CHECK(fn[3](a, b) == (a < b ? b : a));
			if (b == 0)
				continue;
			(void)ref_int(OP_FLOORDIV, DT_I64, a, b, &q);
			(void)ref_int(OP_MOD, DT_I64, a, b, &r);
			CHECK(fn[0](a, b) == q && fn[1](a, b) == r);
		}
}

/* ---- the ABI --------------------------------------------------------- */

/* The words of C text without comments and preprocessor lines. */
static char *words(const char *s)
{
	Buf b;

	buf_init(&b, &arena);
	while (*s) {
		if (s[0] == '/' && s[1] == '*') {
			s = strstr(s, "*/") + 2;
		} else if (*s == '#') {
			s += strcspn(s, "\n");
		} else if (*s == ' ' || *s == '\t' || *s == '\n') {
			s++;
		} else {
			buf_putc(&b, *s++);
		}
	}
	return b.p;
}

static void abi(void)
{
	Ctx ctx;
	Buf text;
	char *header, *printed;
	size_t len;

	buf_init(&text, &arena);
	cfuncs_print(cfuncs_new(&arena), &text);
	printed = strstr(buf_str(&text), "typedef struct TnStatus");
	ctx_init(&ctx);
	if (CHECK(file_read(&ctx, &arena, "src/runtime/abi.h", &header,
			    &len)) &&
	    CHECK(printed != NULL))
		CHECK_STR(words(printed), words(header));
	ctx_release(&ctx);
}

/* The linkage of a function that a kernel calls so often. */
static bool out_of_line(const char *name, int calls)
{
	CFuncs *f = cfuncs_new(&arena);
	Buf text;
	char *at;

	buf_init(&text, &arena);
	for (int i = 0; i < calls; i++)
		cfuncs_need(f, name);
	cfuncs_print(f, &text);
	at = strstr(buf_str(&text), arena_printf(&arena, " %s(", name));
	if (!CHECK(at != NULL))
		return false;
	while (at > text.p && at[-1] != '\n')
		at--;
	return strncmp(at, "TN_APART ", 9) == 0;
}

/* A kernel with few calls has them inline, and one with many compiles fast. */
static void linkage(void)
{
	CHECK(!out_of_line("tn_exp_f32_v16", 4));
	CHECK(out_of_line("tn_exp_f32_v16", 40));
	CHECK(!out_of_line("tn_erf_f32_v16", 2));
	CHECK(out_of_line("tn_pow_f64_v8", 8));
	CHECK(!out_of_line("tn_add_f32_v16", 1000));
	CHECK(!out_of_line("tn_load_f16_v16", 1000));
}

static void unknown_names(void)
{
	CHECK(cfuncs_has("tn_f16_v16"));
	CHECK(cfuncs_has("tn_index"));
	CHECK(!cfuncs_has("tn_round_f32_s"));
	CHECK(!cfuncs_has("tn_add_f32_v3"));
	CHECK(!cfuncs_has("tn_add_f32_v128"));
	CHECK(!cfuncs_has("tn_add_f32"));
	CHECK(!cfuncs_has("tn_add_bool_s"));
	CHECK(!cfuncs_has("tn_cast_f32_s"));
	CHECK(!cfuncs_has("tn_floordiv_i32_v4"));
	CHECK(!cfuncs_has("add_f32_s"));
	CHECK_STR(cfuncs_op(OP_ROUND), "rint");
	CHECK_STR(cfuncs_op(OP_ADD), "add");
}

/* ---- run ------------------------------------------------------------- */

static void remove_files(const char *dir)
{
	char src[300];

	for (size_t i = 0; i < ARRAY_LEN(variants); i++) {
		snprintf(src, sizeof(src), "%s/v%zu.c", dir, i);
		unlink(src);
		unlink(variants[i].path);
	}
	rmdir(dir);
}

int main(int argc, char **argv)
{
	static const TestCase tests[] = {
		TEST(abi),       TEST(linkage),   TEST(unknown_names),
		TEST(reference), TEST(same_bits), TEST(accuracy),
		TEST(moves),     TEST(parts),     TEST(quotients),
		TEST(exps),      TEST(helpers),   TEST(long_quotients)};
	char dir[] = "/tmp/tenon-cfuncs-XXXXXX";
	int status;

	arena_init(&arena);
	list_cases();
	if (!mkdtemp(dir))
		return 3;
	for (size_t i = 0; i < ARRAY_LEN(variants); i++)
		if (host_runs(&variants[i]))
			variant_start(&variants[i], dir);
	make_data();
	status = test_main(argc, argv, tests, ARRAY_LEN(tests));
	for (size_t i = 0; i < ARRAY_LEN(variants); i++)
		(void)variant_ready(&variants[i]);
	remove_files(dir);
	return status;
}
