/*
 * The typed functions in CUDA C and OpenCL C: every scalar function on every
 * dtype.
 *
 * NVRTC compiles them for the oldest and the newest architecture, without a
 * warning. CUDA C of scalars is C++ but for a few names, so a C++ compiler
 * makes the same text for this host, and its bits are compared with those of
 * the C functions, as compiled with fused multiply-adds: on all arguments of
 * 16 bits, a stride over all of f32, and samples and special values else.
 * Where there is a GPU, it runs the same kernels, and they are compared too.
 * So is OpenCL C on the first device that will do, which may be PoCL's.
 * The code under test is generated, and no sanitizer sees it:
 * tests/run: plain
 */
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emit/cfuncs.h"
#include "runtime/abi.h"
#include "runtime/cuda.h"
#include "runtime/nvrtc.h"
#include "runtime/opencl.h"
#include "unit/test.h"

#define N      (1 << 17) /* elements of a case */
#define N32    (1 << 21) /* of a case with one operand of f32 */
#define STRIDE 2039      /* between those, a prime: 2^32 / N32 nearly */

/* ---- the functions --------------------------------------------------- */

typedef struct Case {
	const char *name; /* tn_add_f16_s */
	DType in[3], to;
	int arity;
	/* arguments after the operands */
	enum {
		PLAIN,
		FAULTS,
		INDEX
	} more;
	bool small; /* the second operand is */
	bool far;   /* the C library's where the argument is large */
} Case;

static Case cases[1024];
static int ncases;
static Arena arena;

typedef void Fn(const char *a, const char *b, const char *c, char *out,
		int64_t n, TnStatus *st);

static Case *add_case(const char *name, DType d, DType to, int arity)
{
	Case *c = &cases[ncases++];

	*c = (Case){.name = name, .in = {d, d, d}, .to = to, .arity = arity};
	return c;
}

static void list_op(Op op, DType d)
{
	const char *name = arena_printf(&arena, "tn_%s_%s_s", cfuncs_op(op),
					dtype_info[d].name);
	DType to = op_info[op].result == OPR_bool ? DT_BOOL : d;
	Case *c = add_case(name, d, to, op_info[op].arity);

	if (op == OP_WHERE)
		c->in[0] = DT_BOOL;
	c->small = op == OP_POW && !dtype_is_float(d);
	c->far = op == OP_SIN || op == OP_COS;
	if (op_has(op, 'T') && !dtype_is_float(d))
		c->more = FAULTS;
}

static void list_cases(void)
{
	static const char *const helpers[] = {"tn_div", "tn_mod", "tn_min",
					      "tn_max", "tn_index"};

	for (int i = 0; i < DT_COUNT; i++) {
		DType d = (DType)i;
		const char *dn = dtype_info[d].name;

		for (int o = 0; o < OP_COUNT; o++)
			if (op_info[o].cls == OPC_ELEM && o != OP_CAST &&
			    op_admits((Op)o, d))
				list_op((Op)o, d);
		for (int j = 0; j < DT_COUNT; j++)
			add_case(arena_printf(&arena, "tn_cast_%s_%s_s", dn,
					      dtype_info[j].name),
				 d, (DType)j, 1);
		add_case(arena_printf(&arena, "tn_splat_%s_s", dn), d, d, 1);
		if (d != DT_BOOL)
			add_case(arena_printf(&arena, "tn_iota_%s_s", dn),
				 DT_I64, d, 1);
		if (d != DT_BOOL)
			add_case(arena_printf(&arena, "tn_mac_%s_s", dn), d, d,
				 3);
		if (d != DT_F16 && d != DT_BF16)
			continue;
		add_case(arena_printf(&arena, "tn_round_%s_s", dn), DT_F32, d,
			 1);
		add_case(arena_printf(&arena, "tn_round_%s_f64_s", dn), DT_F64,
			 d, 1);
	}
	add_case("tn_explow_f32_s", DT_F32, DT_F32, 1);
	for (size_t i = 0; i < ARRAY_LEN(helpers); i++) {
		Case *c = add_case(helpers[i], DT_I64, DT_I64, 2);

		c->more = i == 4 ? INDEX : PLAIN;
		c->small = i != 2 && i != 3; /* divisors and extents */
	}
}

static const char *need(CFuncs *f, const char *stem, DType d)
{
	const char *name =
		arena_printf(&arena, "tn_%s_%s_s", stem, dtype_info[d].name);

	cfuncs_need(f, name);
	return name;
}

/* A function that applies case i to arrays. */
static void put_case(Buf *b, CFuncs *f, int i, CDialect dialect)
{
	static const struct {
		const char *kernel, *space, *id, *step;
	} in[] = {
		[CD_C] = {"", "", "0", "1"},
		[CD_CUDA] = {"extern \"C\" __global__ ", "",
			     "(int64_t)blockIdx.x * blockDim.x + threadIdx.x",
			     "(int64_t)gridDim.x * blockDim.x"},
		[CD_OPENCL] = {"TN_APART ", "__global ", "first", "all"},
	};
	static const char *const more[] = {"", ", st, 7, i", ", st, 7"};
	const Case *c = &cases[i];

	cfuncs_need(f, c->name);
	buf_printf(b, "%svoid f%d(", in[dialect].kernel, i);
	for (int k = 0; k < 3; k++)
		buf_printf(b, "%sconst char *%c, ", in[dialect].space,
			   "abc"[k]);
	buf_printf(b,
		   "%schar *out,\n\tint64_t n, %sTnStatus *st%s)\n{\n"
		   "\tint64_t i = %s, step = %s;\n"
		   "\n\t(void)a, (void)b, (void)c, (void)st;\n"
		   "\tfor (; i < n; i += step)\n\t\t%s(out + i * %d, %s(",
		   in[dialect].space, in[dialect].space,
		   dialect == CD_OPENCL ? ", int64_t first, int64_t all" : "",
		   in[dialect].id, in[dialect].step, need(f, "store", c->to),
		   dtype_info[c->to].bytes, c->name);
	for (int k = 0; k < c->arity; k++)
		buf_printf(b, "%s%s(%c + i * %d)", k ? ", " : "",
			   need(f, "load", c->in[k]), "abc"[k],
			   dtype_info[c->in[k]].bytes);
	buf_printf(b, "%s));\n}\n", more[c->more]);
}

/* One kernel for all cases: PoCL takes long for each. */
static void put_kernel(Buf *b, int part, int parts)
{
	buf_puts(b, "__kernel void cases(__global const char *a, "
		    "__global const char *b,\n\t__global const char *c, "
		    "__global char *out, int64_t n,\n\t__global TnStatus *st, "
		    "int which)\n{\n\tswitch (which) {\n");
	for (int i = part; i < ncases; i += parts)
		buf_printf(b,
			   "\tcase %d:\n\t\tf%d(a, b, c, out, n, st, "
			   "get_global_id(0), get_global_size(0));\n"
			   "\t\tbreak;\n",
			   i, i);
	buf_puts(b, "\t}\n}\n");
}

/* All cases whose number modulo parts is part. */
static const char *source(CDialect dialect, int part, int parts)
{
	CFuncs *f = cfuncs_new_in(&arena, dialect);
	Buf body, text;

	buf_init(&body, &arena);
	buf_init(&text, &arena);
	for (int i = 0; i < ncases; i++)
		if (i % parts == part)
			put_case(&body, f, i, dialect);
	if (dialect == CD_OPENCL)
		put_kernel(&body, part, parts);
	cfuncs_print(f, &text);
	buf_puts(&text, buf_str(&body));
	return buf_str(&text);
}

/* ---- on this host ---------------------------------------------------- */

/* What the texts use of CUDA. */
static const char shim[] =
	"#define __device__\n"
	"#define __global__\n"
	"#define __forceinline__ inline __attribute__((always_inline))\n"
	"#define __noinline__ __attribute__((noinline))\n"
	"static const struct { unsigned x; } blockIdx = {0}, threadIdx = {0},\n"
	"\tblockDim = {1}, gridDim = {1};\n"
	"static inline float __int_as_float(int a)\n"
	"{\n\tfloat r;\n\t__builtin_memcpy(&r, &a, 4);\n\treturn r;\n}\n"
	"static inline double __longlong_as_double(long long a)\n"
	"{\n\tdouble r;\n\t__builtin_memcpy(&r, &a, 8);\n\treturn r;\n}\n"
	"static inline void atomicMin(long long *p, long long v)\n"
	"{\n\tif (v < *p)\n\t\t*p = v;\n}\n"
	"#define F1(name) \\\n"
	"\tstatic inline double name(double a) \\\n"
	"\t{ return __builtin_##name(a); } \\\n"
	"\tstatic inline float name##f(float a) \\\n"
	"\t{ return __builtin_##name##f(a); }\n"
	"#define F2(name) \\\n"
	"\tstatic inline double name(double a, double b) \\\n"
	"\t{ return __builtin_##name(a, b); } \\\n"
	"\tstatic inline float name##f(float a, float b) \\\n"
	"\t{ return __builtin_##name##f(a, b); }\n"
	"F1(fabs) F1(sqrt) F1(rint) F1(floor) F1(ceil) F1(sin) F1(cos)\n"
	"F2(fmod) F2(copysign)\n"
	"static inline double fma(double a, double b, double c)\n"
	"{ return __builtin_fma(a, b, c); }\n"
	"static inline float fmaf(float a, float b, float c)\n"
	"{ return __builtin_fmaf(a, b, c); }\n"
	"static inline double frexp(double a, int *e)\n"
	"{ return __builtin_frexp(a, e); }\n"
	"static inline double ldexp(double a, int e)\n"
	"{ return __builtin_ldexp(a, e); }\n";

static char dir[] = "/tmp/tenon-gpufuncs-XXXXXX";

static bool fused(void)
{
#if defined __x86_64__
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
	return true;
#endif
}

/* Compiles a text here; -1: there is no compiler. */
static pid_t compile(const char *cc, const char *flags, const char *name,
		     const char *head, const char *text)
{
	const char *path = arena_printf(&arena, "%s/%s", dir, name);
	FILE *out = fopen(path, "w");
	pid_t pid;

	if (!CHECK(out != NULL))
		return -1;
	fputs(head, out);
	fputs(text, out);
	fclose(out);
	pid = fork();
	if (pid == 0) {
		execl("/bin/sh", "sh", "-c",
		      arena_printf(&arena,
				   "exec %s %s %s -O1 -ffp-contract=off "
				   "-fno-math-errno -fno-trapping-math -fPIC "
				   "-shared -o %s.so %s -lm",
				   cc, flags,
#if defined __x86_64__
				   "-mavx2 -mfma -mf16c",
#else
				   "",
#endif
				   path, path),
		      (char *)NULL);
		_exit(127);
	}
	return pid;
}

static void *finish(pid_t pid, const char *name)
{
	int status = 0;
	void *handle;

	if (pid < 0 || waitpid(pid, &status, 0) != pid || !CHECK(status == 0))
		return NULL;
	handle = dlopen(arena_printf(&arena, "%s/%s.so", dir, name), RTLD_NOW);
	CHECK(handle != NULL);
	return handle;
}

static Fn *function(void *handle, int i)
{
	void *p = dlsym(handle, arena_printf(&arena, "f%d", i));
	Fn *fn;

	memcpy(&fn, &p, sizeof(fn));
	return fn;
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

/* Any bits; or a float of moderate size, or an integer of any magnitude. */
static uint64_t random_value(DType d)
{
	uint64_t r = random_bits();
	int w = dtype_info[d].bytes * 8, m = dtype_info[d].precision - 1;
	uint64_t one, mantissa;

	if (d == DT_BOOL)
		return r & 1;
	if (!dtype_is_float(d))
		return (uint64_t)((int64_t)r >> (random_bits() % (unsigned)w));
	if (random_bits() % 4 == 0)
		return r;
	mantissa = (UINT64_C(1) << m) - 1;
	one = ((UINT64_C(1) << (w - 2)) - 1) & ~mantissa;
	return (one + (r >> 8 & mantissa) + ((r % 16) << m) -
		(UINT64_C(8) << m)) |
	       (random_bits() % 2 << (w - 1));
}

static size_t specials(DType d, uint64_t *out)
{
	int w = dtype_info[d].bytes * 8, m = dtype_info[d].precision - 1;
	uint64_t sign = UINT64_C(1) << (w - 1), inf, one;
	size_t n = 0;

	if (d == DT_BOOL)
		return 0;
	if (!dtype_is_float(d)) {
		for (int64_t i = -4; i < 5; i++) {
			out[n++] = (uint64_t)i;
			out[n++] = sign + (uint64_t)i;
			out[n++] = (uint64_t)(w + i);
		}
		return n;
	}
	inf = sign - (UINT64_C(1) << m);
	one = (UINT64_C(1) << (w - 2)) - (UINT64_C(1) << m);
	for (uint64_t i = 0; i < 3; i++) {
		const uint64_t some[] = {i,
					 (UINT64_C(1) << m) - 1 + i,
					 one - 1 + i,
					 one + (i << m),
					 one + (i << (m - 1)),
					 inf - 1 + i,
					 inf + (i << (m - 1))};

		for (size_t k = 0; k < ARRAY_LEN(some); k++) {
			out[n++] = some[k];
			out[n++] = some[k] | sign;
		}
	}
	return n;
}

static void put_value(char *p, DType d, size_t i, uint64_t v)
{
	size_t b = (size_t)dtype_info[d].bytes;

	if (d == DT_BOOL)
		v &= 1;
	memcpy(p + i * b, &v, b);
}

static char *operands[3], *results[2];

/* Fills the operands; returns how many there are. */
static size_t make_operands(const Case *c)
{
	size_t n = c->arity == 1 && c->in[0] == DT_F32 ? N32 : N;

	rng = 1;
	for (int k = 0; k < c->arity; k++) {
		uint64_t s[64];
		DType d = c->in[k];
		size_t ns = specials(d, s);
		uint64_t least = dtype_info[d].cls == DTC_U ? 0 : 2;

		for (size_t j = 0; j < n; j++)
			put_value(operands[k], d, j,
				  k == 1 && c->small
					  ? random_bits() % 40 - least
					  : random_value(d));
		for (size_t j = 0; j < n && c->arity == 1; j++) {
			if (d == DT_F32)
				put_value(operands[k], d, j, j * STRIDE);
			else if (dtype_info[d].bytes < 4)
				put_value(operands[k], d, j, j);
		}
		/* all pairs, at the end */
		for (size_t j = 0; ns && !c->small && j < ns * ns; j++)
			put_value(operands[k], d, n - 1 - j,
				  s[k == 0   ? j % ns
				    : k == 1 ? j / ns
					     : (j * 7 + j / ns) % ns]);
	}
	return n;
}

/* Bits of element i, all NaN alike, in the order of their values. */
static int64_t bits_of(DType d, const char *p, size_t i)
{
	size_t b = (size_t)dtype_info[d].bytes;
	int w = (int)b * 8, m = dtype_info[d].precision - 1;
	uint64_t r = 0, magnitude, sign = UINT64_C(1) << (w - 1);

	memcpy(&r, p + i * b, b);
	if (!dtype_is_float(d))
		return (int64_t)r;
	magnitude = r & (sign - 1);
	if (magnitude > sign - (UINT64_C(1) << m))
		return INT64_MAX;
	return r & sign ? ~(int64_t)magnitude : (int64_t)magnitude;
}

static void show(const Case *c, size_t i)
{
	printf("%s, element %zu:", c->name, i);
	for (int k = 0; k < c->arity; k++)
		printf(" %#lx",
		       (unsigned long)bits_of(c->in[k], operands[k], i));
	printf(" gives %#lx, in C %#lx\n",
	       (unsigned long)bits_of(c->to, results[1], i),
	       (unsigned long)bits_of(c->to, results[0], i));
}

/* Both results and faults of a case are the same. */
static bool same(const Case *c, size_t n, const TnStatus *st, int64_t apart)
{
	for (size_t i = 0; i < n; i++) {
		int64_t x = bits_of(c->to, results[0], i);
		int64_t y = bits_of(c->to, results[1], i);

		if (x != y && (apart == 0 || x - y > apart || y - x > apart)) {
			show(c, i);
			return false;
		}
	}
	if (st[0].code == st[1].code &&
	    (st[0].code == 0 ||
	     (st[0].value == st[1].value && st[0].index == st[1].index)))
		return true;
	printf("%s: fault %d at %ld, in C %d at %ld\n", c->name, st[1].code,
	       (long)st[1].index, st[0].code, (long)st[0].index);
	return false;
}

static void *c_handle;

/* In C, of the operands at hand; an index in C is the first, not the least. */
static void run_c(int i, size_t n, TnStatus st[2])
{
	st[0] = (TnStatus){0};
	st[1] = (TnStatus){.index = INT64_MAX};
	function(c_handle, i)(operands[0], operands[1], operands[2], results[0],
			      (int64_t)n, &st[0]);
}

static bool start_c(void)
{
	if (!c_handle && fused())
		c_handle = finish(compile("gcc", "-std=gnu17 -fwrapv -w", "c.c",
					  "", source(CD_C, 0, 1)),
				  "c.c");
	return c_handle != NULL;
}

static void host_bits(void)
{
	pid_t pid;
	void *handle;
	int wrong = 0, faults = 0;

	if (!fused())
		SKIP("no fused multiply-adds here");
	if (system("command -v g++ >/dev/null") != 0)
		SKIP("no g++");
	pid = compile("g++",
		      "-std=c++17 -Wall -Wextra -Werror "
		      "-fsanitize=signed-integer-overflow "
		      "-fsanitize-undefined-trap-on-error",
		      "cuda.cc", shim, source(CD_CUDA, 0, 1));
	if (!start_c())
		return;
	handle = finish(pid, "cuda.cc");
	for (int i = 0; handle && i < ncases && wrong < 20; i++) {
		size_t n = make_operands(&cases[i]);
		TnStatus st[2];

		run_c(i, n, st);
		function(handle, i)(operands[0], operands[1], operands[2],
				    results[1], (int64_t)n, &st[1]);
		wrong += !same(&cases[i], n, st, 0);
		faults += st[1].code != 0;
	}
	CHECK(wrong == 0);
	CHECK(faults > 16);
}

/* ---- NVRTC ----------------------------------------------------------- */

#define PARTS 4

/* Whether the log has nothing but what ptxas -v tells of every kernel. */
static bool quiet(const char *log)
{
	for (const char *end; *log; log = *end ? end + 1 : end) {
		end = log + strcspn(log, "\n");
		/* a line that goes on has no word where `info` stands */
		if (end > log && strncmp(log, "ptxas info", 10) != 0 &&
		    strncmp(log, "ptxas     ", 10) != 0)
			return false;
	}
	return true;
}

/* All functions for an architecture, in parts; false where the compiler has
 * anything to say. */
static bool compile_parts(Ctx *ctx, const Nvrtc *nvrtc, const char *arch,
			  NvrtcSource src[static PARTS])
{
	bool ok;

	for (int i = 0; i < PARTS; i++)
		src[i] = (NvrtcSource){.name = "t",
				       .text = source(CD_CUDA, i, PARTS),
				       .arch = arch};
	ok = CHECK(nvrtc_compile(ctx, &arena, nvrtc, src, PARTS));
	for (int i = 0; i < PARTS && ok; i++)
		if (!CHECK(quiet(src[i].log))) {
			printf("%s\n%s\n", arch, src[i].log);
			ok = false;
		}
	return ok;
}

static void compiles(void)
{
	static const char *const archs[] = {"sm_80", "sm_90a"};
	NvrtcSource src[PARTS];
	Nvrtc nvrtc;
	Ctx ctx;

	ctx_init(&ctx);
	ctx.threads = 2;
	bool found = nvrtc_open(&ctx, NULL, &nvrtc);
	if (!found)
		printf("%s", buf_str(&ctx.messages));
	for (size_t k = 0; k < ARRAY_LEN(archs) && found; k++)
		compile_parts(&ctx, &nvrtc, archs[k], src);
	ctx_release(&ctx);
	if (!found)
		SKIP_UNTIL_SETUP("no NVRTC is here");
}

/* ---- a GPU ----------------------------------------------------------- */

typedef struct Gpu {
	Ctx *ctx;
	CudaDevice device;
	CudaModule modules[PARTS];
	CudaPtr at[5]; /* operands, results, status */
} Gpu;

static bool gpu_load(Gpu *g, const Nvrtc *nvrtc)
{
	const CudaInfo *info = &g->device.info;
	const char *arch =
		arena_printf(&arena, "sm_%d%d%s", info->major, info->minor,
			     info->major >= 9 ? "a" : "");
	NvrtcSource src[PARTS];
	bool ok = compile_parts(g->ctx, nvrtc, arch, src);

	for (int i = 0; i < PARTS && ok; i++)
		ok = CHECK(cuda_module_load(g->ctx, &g->device, src[i].cubin,
					    &g->modules[i]));
	for (int k = 0; k < 5 && ok; k++)
		ok = CHECK(cuda_alloc(g->ctx, &g->device, (size_t)N32 * 8,
				      &g->at[k]));
	return ok;
}

/* Case i on n elements, as run_c: results[1] and *st. */
static bool run_gpu(const Gpu *g, int i, size_t n, TnStatus *st)
{
	const Case *c = &cases[i];
	const CudaDevice *d = &g->device;
	uint64_t parameters[] = {g->at[0], g->at[1], g->at[2],
				 g->at[3], n,        g->at[4]};
	CudaLaunch l = {.name = arena_printf(&arena, "f%d", i),
			.grid = {512, 1, 1},
			.block = {256, 1, 1},
			.parameters = parameters,
			.size = sizeof(parameters)};

	for (int k = 0; k < c->arity; k++)
		if (!cuda_copy_in(g->ctx, d, g->at[k], operands[k],
				  n * (size_t)dtype_info[c->in[k]].bytes, NULL))
			return false;
	return cuda_copy_in(g->ctx, d, g->at[4], st, sizeof(*st), NULL) &&
	       cuda_function(g->ctx, d, g->modules[i % PARTS], l.name, 0,
			     &l.function) &&
	       cuda_launch(g->ctx, d, &l, NULL) &&
	       cuda_copy_out(g->ctx, d, results[1], g->at[3],
			     n * (size_t)dtype_info[c->to].bytes, NULL) &&
	       cuda_copy_out(g->ctx, d, st, g->at[4], sizeof(*st), NULL) &&
	       cuda_synchronize(g->ctx, d, NULL);
}

static void gpu_cases(const Gpu *g)
{
	int wrong = 0;

	for (int i = 0; i < ncases && wrong < 20; i++) {
		Case *c = &cases[i];
		size_t n = make_operands(c);
		TnStatus st[2];

		run_c(i, n, st);
		if (!CHECK(run_gpu(g, i, n, &st[1])))
			return;
		/* far: 2 ulp of the other library, and 1 of this */
		wrong += !same(c, n, st, c->far ? 3 : 0);
	}
	CHECK(wrong == 0);
}

static void gpu_bits(void)
{
	Cuda cuda;
	Nvrtc nvrtc;
	Ctx ctx;
	Gpu g = {.ctx = &ctx};

	ctx_init(&ctx);
	ctx.threads = 2;
	bool found = fused() && nvrtc_open(&ctx, NULL, &nvrtc) &&
		     cuda_open(&ctx, NULL, 1000 * nvrtc.major, &cuda) &&
		     cuda_device_open(&ctx, &cuda, 0, &g.device);
	if (found && start_c() && gpu_load(&g, &nvrtc))
		gpu_cases(&g);
	if (found)
		CHECK(cuda_device_close(&ctx, &g.device));
	ctx_release(&ctx);
	if (!found)
		SKIP("no GPU, or no NVRTC or fused multiply-adds here");
}

/* ---- OpenCL ---------------------------------------------------------- */

typedef struct Ocl {
	Ctx *ctx;
	Opencl opencl;
	OpenclDevice device;
	OpenclProgram program;
	OpenclKernel kernel;
	OpenclMem at[5]; /* operands, results, status */
} Ocl;

static bool ocl_load(Ocl *o)
{
	bool ok = opencl_build(o->ctx, &o->device, "cases",
			       source(CD_OPENCL, 0, 1), NULL, &o->program) &&
		  opencl_kernel(o->ctx, &o->device, o->program, "cases",
				&o->kernel);

	for (int k = 0; k < 5 && ok; k++)
		ok = opencl_alloc(o->ctx, &o->device, (size_t)N32 * 8,
				  &o->at[k]);
	return ok;
}

/* Case i on n elements, as run_c: results[1] and *st. */
static bool run_ocl(const Ocl *o, int i, size_t n, TnStatus *st)
{
	const Case *c = &cases[i];
	const OpenclDevice *d = &o->device;
	int64_t count = (int64_t)n;
	OpenclArg args[] = {
		{&o->at[0], sizeof(OpenclMem)},
		{&o->at[1], sizeof(OpenclMem)},
		{&o->at[2], sizeof(OpenclMem)},
		{&o->at[3], sizeof(OpenclMem)},
		{&count, sizeof(count)},
		{&o->at[4], sizeof(OpenclMem)},
		{&i, sizeof(i)},
	};
	OpenclLaunch l = {.kernel = &o->kernel,
			  .global = {4096, 1, 1},
			  .local = {64, 1, 1},
			  .args = args,
			  .count = ARRAY_LEN(args)};

	for (int k = 0; k < c->arity; k++)
		if (!opencl_copy_in(o->ctx, d, o->at[k], 0, operands[k],
				    n * (size_t)dtype_info[c->in[k]].bytes))
			return false;
	return opencl_copy_in(o->ctx, d, o->at[4], 0, st, sizeof(*st)) &&
	       opencl_launch(o->ctx, d, &l) &&
	       opencl_copy_out(o->ctx, d, results[1], o->at[3], 0,
			       n * (size_t)dtype_info[c->to].bytes) &&
	       opencl_copy_out(o->ctx, d, st, o->at[4], 0, sizeof(*st)) &&
	       opencl_finish(o->ctx, d);
}

static void ocl_cases(const Ocl *o)
{
	int wrong = 0;

	for (int i = 0; i < ncases && wrong < 20; i++) {
		Case *c = &cases[i];
		size_t n = make_operands(c);
		TnStatus st[2];

		run_c(i, n, st);
		if (!CHECK(run_ocl(o, i, n, &st[1])))
			return;
		wrong += !same(c, n, st, c->far ? 3 : 0);
	}
	CHECK(wrong == 0);
}

static void ocl_close(Ocl *o)
{
	for (int k = 0; k < 5; k++)
		CHECK(opencl_free(o->ctx, &o->device, o->at[k]));
	CHECK(opencl_kernel_free(o->ctx, &o->device, &o->kernel));
	CHECK(opencl_program_free(o->ctx, &o->device, o->program));
	CHECK(opencl_device_close(o->ctx, &o->device));
}

static void opencl_bits(void)
{
	static Ocl o;
	Ctx ctx;
	int n;

	if (!fused())
		SKIP("no fused multiply-adds here");
	ctx_init(&ctx);
	o.ctx = &ctx;
	/* PoCL is enough, and tools/setup sees that it is there */
	if (CHECK(opencl_open(&ctx, NULL, &o.opencl) &&
		  opencl_find(&ctx, &o.opencl, &n) &&
		  opencl_device_open(&ctx, &o.opencl, n, &o.device)) &&
	    start_c() && CHECK(ocl_load(&o)))
		ocl_cases(&o);
	if (o.device.context)
		ocl_close(&o);
	if (ctx.err)
		printf("%s", buf_str(&ctx.messages));
	ctx_release(&ctx);
}

/* ---- names ----------------------------------------------------------- */

static void names(void)
{
	CHECK(cfuncs_has_in(CD_CUDA, "tn_exp_f16_s"));
	CHECK(cfuncs_has_in(CD_CUDA, "tn_fault"));
	CHECK(cfuncs_has_in(CD_CUDA, "tn_bool_s"));
	CHECK(!cfuncs_has_in(CD_CUDA, "tn_exp_f16_v1"));
	CHECK(!cfuncs_has_in(CD_CUDA, "tn_exp_f16_v4"));
	CHECK(!cfuncs_has_in(CD_CUDA, "tn_hsum_f32_v4"));
	CHECK(!cfuncs_has_in(CD_CUDA, "tn_head"));
	CHECK(!cfuncs_has("tn_exp_f16_v1"));
	CHECK(cfuncs_has("tn_head"));
}

/* A source has what it uses: of log in f32 neither f64 nor words of CPUs. */
static void only_used(void)
{
	CFuncs *f = cfuncs_new_in(&arena, CD_CUDA);
	Buf text;

	buf_init(&text, &arena);
	cfuncs_need(f, "tn_sin_f32_s");
	cfuncs_need(f, "tn_pow_f64_s");
	cfuncs_print(f, &text);
	CHECK(strstr(buf_str(&text), "tn_fma_f64_v1") != NULL);
	CHECK(strstr(buf_str(&text), "__FMA__") == NULL);
	CHECK(strstr(buf_str(&text), "ia32") == NULL);
	CHECK(strstr(buf_str(&text), "sinwide") == NULL);
	CHECK(strstr(buf_str(&text), "powfar") == NULL);
	f = cfuncs_new_in(&arena, CD_CUDA);
	buf_init(&text, &arena);
	cfuncs_need(f, "tn_add_f32_s");
	cfuncs_print(f, &text);
	CHECK(strstr(buf_str(&text), "TnLane") == NULL);
}

int main(int argc, char **argv)
{
	static const TestCase tests[] = {TEST(names),     TEST(only_used),
					 TEST(host_bits), TEST(compiles),
					 TEST(gpu_bits),  TEST(opencl_bits)};
	int status;

	arena_init(&arena);
	list_cases();
	for (int k = 0; k < 3; k++)
		operands[k] = calloc(N32, 8);
	for (int k = 0; k < 2; k++)
		results[k] = calloc(N32, 8);
	if (!mkdtemp(dir))
		return 3;
	setenv("POCL_CACHE_DIR", dir, 1);
	status = test_main(argc, argv, tests, ARRAY_LEN(tests));
	if (system(arena_printf(&arena, "rm -r %s", dir)) != 0)
		return 3;
	return status;
}
