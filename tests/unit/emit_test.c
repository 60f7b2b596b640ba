/*
 * emit_test: kernels written by hand, printed as C, compiled, run, compared
 * with what the same loops in plain C yield.
 *
 * Every buffer ends where an unmapped page begins, so that an access past
 * the end is a crash. Sizes lie around multiples of the lanes and of the
 * four vectors a folding loop takes at once.
 */
#include "tests/unit/test.h"

#include "emit/emit.h"
#include "runtime/runtime.h"

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define WORKERS 3

/* ---- memory with a guard --------------------------------------------- */

static void *guarded(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t n = (bytes + page - 1) / page * page;
	char *p = mmap(NULL, n + page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED || mprotect(p + n, page, PROT_NONE) != 0)
		exit(3);
	return p + n - bytes;
}

static void unguard(void *data, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t n = (bytes + page - 1) / page * page;
	munmap((char *)data + bytes - n, n + page);
}

/* ---- compile and run ------------------------------------------------- */

typedef struct Unit {
	Ctx ctx;
	Kernels *ks;
	const Kernel *k; /* the only one */
	CodeSource src;
	LaunchScratch scratch;
	bool ok;
} Unit;

/* Sources of all tests, compiled elsewhere at the end. */
static const char *sources[256];
static size_t nsources;
static Arena kept;

static const char *const head = "program t\n"
				"dim M in 0..100000\n"
				"dim N in 0..100000\n";

static bool unit_compile(Unit *u, const char *compiler, const Isa *isa)
{
	Compiler cc;
	return compiler_find(&u->ctx, &u->ctx.perm, compiler, &cc) &&
	       code_load(&u->ctx, &u->ctx.perm, &cc, isa, NULL, &u->src, 1);
}

static void unit_init(Unit *u, const char *program, const char *kernel)
{
	memset(u, 0, sizeof(*u));
	ctx_init(&u->ctx);
	u->ctx.threads = 2;
	const char *text = arena_printf(
		&u->ctx.perm, "%s%skernels\nkernel k0 loop region 0\n%s", head,
		program, kernel);
	uint32_t s = ctx_add_source(&u->ctx, "t", text, strlen(text));
	u->ks = kernels_parse(&u->ctx, &u->ctx.perm, s);
	if (u->ks) {
		u->k = &u->ks->kernels.p[0];
		u->src.name = "k0";
		u->src.text = emit_c(&u->ctx.perm, u->ks, u->k);
		CHECK_STR(emit_c(&u->ctx.perm, u->ks, u->k), u->src.text);
		if (nsources < ARRAY_LEN(sources))
			sources[nsources++] = arena_strdup(&kept, u->src.text);
		u->ok = unit_compile(u, NULL, isa_host());
	}
	if (!CHECK(u->ok))
		printf("%s\n%s\n", buf_str(&u->ctx.messages), kernel);
}

static void unit_release(Unit *u)
{
	if (u->ok)
		code_unload(&u->src, 1);
	launch_release(&u->scratch);
	ctx_release(&u->ctx);
}

static TnStatus unit_run(Unit *u, void *const *buffers, int64_t m, int64_t n)
{
	int64_t dims[2] = {m, n};
	Launch launches[64];
	TnStatus status = {0};

	if (!u->ok)
		return (TnStatus){-2, 0, 0};
	for (size_t i = 0; i < u->k->phases.n; i++) {
		const Phase *ph = &u->k->phases.p[i];
		const char *name =
			arena_printf(&u->ctx.perm, "k0_%s", ph->name);
		void *fn = code_symbol(&u->src, name);
		memcpy(&launches[i].fn, &fn, sizeof(fn));
		launches[i].tasks = 1;
		for (size_t t = 0; t < ph->tasks.n; t++)
			launches[i].tasks *=
				ex_eval(&u->ks->program->ex,
					ph->tasks.p[t].extent, dims, NULL);
		launches[i].scratch =
			(size_t)ex_eval(&u->ks->program->ex,
					emit_scratch(u->ks, u->k), dims, NULL);
	}
	launch_run(launches, u->k->phases.n, buffers, dims, WORKERS,
		   &u->scratch, &status);
	return status;
}

static const int64_t sizes[] = {0,  1,  2,  3,  4,  5,  7,   8,   15,  16, 17,
				31, 32, 33, 63, 64, 65, 100, 127, 128, 129};

static float value(int64_t i)
{
	return (float)(i * 7 % 23 - 11) * 0.25f;
}

static float *floats(int64_t n)
{
	float *p = guarded((size_t)n * sizeof(float));
	for (int64_t i = 0; i < n; i++)
		p[i] = value(i);
	return p;
}

static void floats_free(float *p, int64_t n)
{
	unguard(p, (size_t)n * sizeof(float));
}

#define UNARY                                                                  \
	"%0 x: f32[M] = input index=0\n"                                       \
	"%1 y: f32[M] = neg %0\n"                                              \
	"return %1 as y\n"

/* Runs x: f32[M] -> y: f32[M] at every size against fn. */
static void check_unary(const char *kernel,
			float (*fn)(int64_t i, int64_t n, const float *x))
{
	Unit u;
	unit_init(&u, UNARY, kernel);
	for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
		int64_t n = sizes[s];
		float *x = floats(n), *y = floats(n);
		void *buffers[] = {x, y};
		TnStatus st = unit_run(&u, buffers, n, 0);
		bool same = st.code == 0;
		for (int64_t i = 0; i < n && same; i++) {
			float want = fn(i, n, x);
			same = memcmp(&y[i], &want, sizeof(want)) == 0;
			if (!same)
				printf("n %ld, i %ld: got %a, want %a\n",
				       (long)n, (long)i, (double)y[i],
				       (double)want);
		}
		CHECK(same);
		floats_free(x, n);
		floats_free(y, n);
	}
	unit_release(&u);
}

/* ---- maps ------------------------------------------------------------ */

static float square_plus(int64_t i, int64_t n, const float *x)
{
	(void)n;
	return x[i] * x[i] + 1.5f;
}

#define IO "\tbuffer in x: f32[M] %0\n\tbuffer out y: f32[M] %1\n"

static void elementwise(void)
{
	static const char *const maps[] = {"serial",    "vector 2",
					   "vector 4",  "vector 8",
					   "vector 16", "vector 32"};
	char text[1024];

	for (size_t i = 0; i < ARRAY_LEN(maps); i++) {
		snprintf(text, sizeof(text),
			 "%s\tphase main {\n"
			 "\t\tfor i0 < M %s {\n"
			 "\t\t\tv0: f32 = load x[i0] as %%0\n"
			 "\t\t\tv1: f32 = mul v0 v0\n"
			 "\t\t\tv2: f32 = const 0x1.8p+0\n"
			 "\t\t\tv3: f32 = add v1 v2 as %%1\n"
			 "\t\t\tstore y[i0] = v3\n"
			 "\t\t}\n\t}\n",
			 IO, maps[i]);
		check_unary(text, square_plus);
	}
	/* tasks, several axes, and workers that share them */
	check_unary(IO "\tphase main tasks i0 < (M + 11)//12, i1 < 3 {\n"
		       "\t\tfor i2 < min(M - 12*i0 - 4*i1, 4) vector 4 {\n"
		       "\t\t\tv0: f32 = load x[12*i0 + 4*i1 + i2]\n"
		       "\t\t\tv1: f32 = mul v0 v0\n"
		       "\t\t\tv2: f32 = const 0x1.8p+0\n"
		       "\t\t\tv3: f32 = add v1 v2\n"
		       "\t\t\tstore y[12*i0 + 4*i1 + i2] = v3\n"
		       "\t\t}\n\t}\n",
		    square_plus);
}

static float reverse(int64_t i, int64_t n, const float *x)
{
	return x[n - 1 - i] + x[0] + x[i / 3];
}

static float pairs(int64_t i, int64_t n, const float *x)
{
	(void)n;
	return x[i - i % 2] - x[i % 2];
}

/* Backwards, one for all, and lanes that each compute their place. */
static void walks(void)
{
	check_unary(IO "\tphase main {\n"
		       "\t\tfor i0 < M vector 8 {\n"
		       "\t\t\tv0: f32 = load x[M - 1 - i0]\n"
		       "\t\t\tv1: f32 = load x[0]\n"
		       "\t\t\tv2: f32 = load x[i0//3]\n"
		       "\t\t\tv3: f32 = add v0 v1\n"
		       "\t\t\tv4: f32 = add v3 v2\n"
		       "\t\t\tstore y[i0] = v4\n"
		       "\t\t}\n\t}\n",
		    reverse);
	/* divisions of the axis: a strided store of pairs */
	check_unary(IO "\tphase main {\n"
		       "\t\tfor i0 < M vector 4 {\n"
		       "\t\t\tv0: f32 = load x[i0 - i0%2]\n"
		       "\t\t\tv1: f32 = load x[min(i0%2, i0)]\n"
		       "\t\t\tv2: f32 = sub v0 v1\n"
		       "\t\t\tstore y[i0] = v2\n"
		       "\t\t}\n\t}\n",
		    pairs);
}

static float negated(int64_t i, int64_t n, const float *x)
{
	(void)n;
	return -x[i];
}

/* Stores with stride 3 and -1, and by lanes. */
static void scattered_stores(void)
{
	check_unary(IO "\tphase main {\n"
		       "\t\tfor i0 < M//3 vector 4 {\n"
		       "\t\t\tfor i1 < 3 unroll {\n"
		       "\t\t\t\tv0: f32 = load x[3*i0 + i1]\n"
		       "\t\t\t\tv1: f32 = neg v0\n"
		       "\t\t\t\tstore y[3*i0 + i1] = v1\n"
		       "\t\t\t}\n\t\t}\n"
		       "\t\tfor i2 < M - 3*(M//3) vector 2 {\n"
		       "\t\t\tv2: f32 = load x[M - 1 - i2]\n"
		       "\t\t\tv3: f32 = neg v2\n"
		       "\t\t\tstore y[M - 1 - i2] = v3\n"
		       "\t\t}\n\t}\n",
		    negated);
	/* each place is written twice, in lane order */
	check_unary(IO "\tphase main {\n"
		       "\t\tfor i0 < 2*M vector 8 {\n"
		       "\t\t\tv0: f32 = load x[i0//2]\n"
		       "\t\t\tv1: f32 = neg v0\n"
		       "\t\t\tstore y[i0//2] = v1\n"
		       "\t\t}\n\t}\n",
		    negated);
}

static float neighbours(int64_t i, int64_t n, const float *x)
{
	float left = i >= 2 ? x[i - 2] : 0, right = i + 1 < n ? x[i + 1] : 0;
	return left - right;
}

static float evens(int64_t i, int64_t n, const float *x)
{
	return 2 * i < n ? x[2 * i] : i % 3 == 0 ? 1.0f : -1.0f;
}

/* Guards that differ between lanes, on loads and as tests. */
static void guards(void)
{
	check_unary(IO "\tphase main {\n"
		       "\t\tfor i0 < M vector 8 {\n"
		       "\t\t\tv0: f32 = load x[i0 - 2] where i0 - 2 >= 0\n"
		       "\t\t\tv1: f32 = load x[i0 + 1] where M - i0 - 2 >= 0\n"
		       "\t\t\tv2: f32 = sub v0 v1\n"
		       "\t\t\tstore y[i0] = v2\n"
		       "\t\t}\n\t}\n",
		    neighbours);
	check_unary(IO
		    "\tphase main {\n"
		    "\t\tfor i0 < M vector 8 {\n"
		    "\t\t\tv0: f32 = load x[2*i0] where M - 2*i0 - 1 >= 0\n"
		    "\t\t\tv1: bool = test M - 2*i0 - 1 >= 0, i0 >= 0, M >= 0\n"
		    "\t\t\tv2: bool = test 0 - i0%3 >= 0\n"
		    "\t\t\tv3: f32 = const 0x1p+0\n"
		    "\t\t\tv4: f32 = const -0x1p+0\n"
		    "\t\t\tv5: f32 = where v2 v3 v4\n"
		    "\t\t\tv6: f32 = where v1 v0 v5\n"
		    "\t\t\tstore y[i0] = v6\n"
		    "\t\t}\n\t}\n",
		    evens);
}

static float ranks(int64_t i, int64_t n, const float *x)
{
	(void)n;
	return (float)i + (float)(3 * i - 1) + (float)(i / 4) + x[i] * 0;
}

static void indices(void)
{
	check_unary(IO "\tphase main {\n"
		       "\t\tfor i0 < M vector 8 {\n"
		       "\t\t\tv0: f32 = index i0\n"
		       "\t\t\tv1: f32 = index 3*i0 - 1\n"
		       "\t\t\tv2: i32 = index i0//4\n"
		       "\t\t\tv3: f32 = cast.i32 v2\n"
		       "\t\t\tv4: f32 = add v0 v1\n"
		       "\t\t\tv5: f32 = add v4 v3\n"
		       "\t\t\tv6: f32 = load x[i0]\n"
		       "\t\t\tv7: f32 = index 0\n"
		       "\t\t\tv8: f32 = mul v6 v7\n"
		       "\t\t\tv9: f32 = add v5 v8\n"
		       "\t\t\tstore y[i0] = v9\n"
		       "\t\t}\n\t}\n",
		    ranks);
}

static float halves(int64_t i, int64_t n, const float *x)
{
	return 2 * i < n ? x[i] : -x[i];
}

static float upto_four(int64_t i, int64_t n, const float *x)
{
	(void)n;
	return x[i < 4 ? i : 4];
}

static void branches(void)
{
	check_unary(IO "\tphase main tasks i0 < M {\n"
		       "\t\tif M - 2*i0 - 1 >= 0 {\n"
		       "\t\t\tv0: f32 = load x[i0]\n"
		       "\t\t\tstore y[i0] = v0\n"
		       "\t\t} else {\n"
		       "\t\t\tv1: f32 = load x[i0]\n"
		       "\t\t\tv2: f32 = neg v1\n"
		       "\t\t\tstore y[i0] = v2\n"
		       "\t\t}\n\t}\n",
		    halves);
	/* in each branch the smaller one is known */
	check_unary(IO "\tphase main tasks i0 < M {\n"
		       "\t\tif i0 - 4 >= 0 {\n"
		       "\t\t\tv0: f32 = load x[min(i0, 4)]\n"
		       "\t\t\tstore y[i0] = v0\n"
		       "\t\t} else {\n"
		       "\t\t\tv1: f32 = load x[min(i0, 4)]\n"
		       "\t\t\tstore y[i0] = v1\n"
		       "\t\t}\n\t}\n",
		    upto_four);
}

/* ---- folds ----------------------------------------------------------- */

#define FOLD                                                                   \
	"%0 x: f32[M] = input index=0\n"                                       \
	"%1 y: f32[] = sum %0 acc=f32 axes=[0]\n"                              \
	"return %1 as y\n"

/* Exact in any order: quarters of small integers. */
static void folds(void)
{
	static const int lanes[] = {4, 8, 16};
	char text[2048];

	for (size_t l = 0; l < ARRAY_LEN(lanes); l++) {
		Unit u;
		snprintf(text, sizeof(text),
			 "\tbuffer in x: f32[M] %%0\n"
			 "\tbuffer out y: f32[] %%1\n"
			 "\tbuffer shared z: f32[5]\n"
			 "\tphase main {\n"
			 "\t\tv0: f32 = acc add\n"
			 "\t\tv1: f32 = acc maximum\n"
			 "\t\tv2: f32 = acc minimum\n"
			 "\t\tv3: f32 = acc mul\n"
			 "\t\tv4: f32 = const 0x1p-1\n"
			 "\t\tv5: f32 = acc add v4\n"
			 "\t\tv6: f32 = const 0x1p+0\n"
			 "\t\tfor i0 < M vector %d {\n"
			 "\t\t\tv7: f32 = load x[i0]\n"
			 "\t\t\tv8: f32 = abs v7\n"
			 "\t\t\tv9: f32 = minimum v8 v6\n"
			 "\t\t\tv10: f32 = maximum v9 v6\n"
			 "\t\t\tv0: f32 = accum add v7\n"
			 "\t\t\tv1: f32 = accum maximum v7\n"
			 "\t\t\tv2: f32 = accum minimum v7\n"
			 "\t\t\tv3: f32 = accum mul v10\n"
			 "\t\t\tv5: f32 = accum add v6\n"
			 "\t\t}\n"
			 "\t\tstore y[] = v0\n"
			 "\t\tstore z[0] = v0\n"
			 "\t\tstore z[1] = v1\n"
			 "\t\tstore z[2] = v2\n"
			 "\t\tstore z[3] = v3\n"
			 "\t\tstore z[4] = v5\n"
			 "\t}\n",
			 lanes[l]);
		unit_init(&u, FOLD, text);
		for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
			int64_t n = sizes[s];
			float *x = floats(n), *y = floats(1), *z = floats(5);
			void *buffers[] = {x, y, z};
			float sum = 0, most = -INFINITY, least = INFINITY;
			for (int64_t i = 0; i < n; i++) {
				sum += x[i];
				most = x[i] > most ? x[i] : most;
				least = x[i] < least ? x[i] : least;
			}
			CHECK(unit_run(&u, buffers, n, 0).code == 0);
			CHECK(y[0] == sum && z[0] == sum);
			CHECK(z[1] == most && z[2] == least);
			CHECK(z[3] == 1 && z[4] == (float)n + 0.5f);
			/* a NaN anywhere is the extremum */
			if (n > 0) {
				x[n / 2] = NAN;
				unit_run(&u, buffers, n, 0);
				CHECK(isnan(z[0]) && isnan(z[1]) &&
				      isnan(z[2]));
			}
			floats_free(x, n);
			floats_free(y, 1);
			floats_free(z, 5);
		}
		unit_release(&u);
	}
}

/* The lanes run over rows, or over columns, or a loop lies between. */
static void fold_rows(void)
{
	static const char *const kernels[] = {
		"\tphase main {\n"
		"\t\tfor i0 < M vector 4 {\n"
		"\t\t\tv0: f32 = acc add\n"
		"\t\t\tfor i1 < N serial {\n"
		"\t\t\t\tv1: f32 = load x[i0, i1]\n"
		"\t\t\t\tv0: f32 = accum add v1\n"
		"\t\t\t}\n"
		"\t\t\tstore y[i0] = v0\n"
		"\t\t}\n\t}\n",
		"\tphase main tasks i0 < M {\n"
		"\t\tv0: f32 = acc add\n"
		"\t\tfor i1 < N//3 vector 4 {\n"
		"\t\t\tfor i2 < 3 serial {\n"
		"\t\t\t\tv1: f32 = load x[i0, 3*i1 + i2]\n"
		"\t\t\t\tv0: f32 = accum add v1\n"
		"\t\t\t}\n\t\t}\n"
		"\t\tfor i3 < N - 3*(N//3) serial {\n"
		"\t\t\tv2: f32 = load x[i0, i3 + 3*(N//3)]\n"
		"\t\t\tv0: f32 = accum add v2\n"
		"\t\t}\n"
		"\t\tstore y[i0] = v0\n\t}\n",
		"\tphase main tasks i0 < M {\n"
		"\t\tv0: f32 = acc add\n"
		"\t\tfor i1 < (N + 15)//16 serial {\n"
		"\t\t\tfor i2 < 16 vunroll 8 {\n"
		"\t\t\t\tv1: f32 = load x[i0, 16*i1 + i2] where "
		"N - 16*i1 - i2 - 1 >= 0\n"
		"\t\t\t\tv0: f32 = accum add v1\n"
		"\t\t\t}\n\t\t}\n"
		"\t\tstore y[i0] = v0\n\t}\n",
	};

	for (size_t k = 0; k < ARRAY_LEN(kernels); k++) {
		Unit u;
		char text[1024];
		snprintf(text, sizeof(text),
			 "\tbuffer in x: f32[M, N] %%0\n"
			 "\tbuffer out y: f32[M] %%1\n%s",
			 kernels[k]);
		unit_init(&u,
			  "%0 x: f32[M, N] = input index=0\n"
			  "%1 y: f32[M] = sum %0 acc=f32 axes=[1]\n"
			  "return %1 as y\n",
			  text);
		for (int64_t m = 0; m < 12; m += 3) {
			for (int64_t n = 0; n < 40; n += 13) {
				float *x = floats(m * n), *y = floats(m);
				void *buffers[] = {x, y};
				CHECK(unit_run(&u, buffers, m, n).code == 0);
				for (int64_t i = 0; i < m; i++) {
					float sum = 0;
					for (int64_t j = 0; j < n; j++)
						sum += x[i * n + j];
					CHECK(y[i] == sum);
				}
				floats_free(x, m * n);
				floats_free(y, m);
			}
		}
		unit_release(&u);
	}
}

static float sum_before(int64_t i, int64_t n, const float *x)
{
	float sum = 0;
	(void)n;
	for (int64_t k = 0; k < i; k++)
		sum += x[k];
	return sum;
}

/* An accumulator that is read above the place that folds into it. */
static void scan(void)
{
	check_unary(IO "\tphase main {\n"
		       "\t\tv0: f32 = acc add\n"
		       "\t\tfor i0 < M serial {\n"
		       "\t\t\tstore y[i0] = v0\n"
		       "\t\t\tv1: f32 = load x[i0]\n"
		       "\t\t\tv0: f32 = accum add v1\n"
		       "\t\t}\n\t}\n",
		    sum_before);
}

/* The first NaN, else the first best; and of integers. */
static void arguments(void)
{
	Unit u;
	unit_init(&u,
		  "%0 x: f32[M] = input index=0\n"
		  "%1 y: i64[] = argmax %0 axes=[0]\n"
		  "%2 z: i64[] = argmin %0 axes=[0]\n"
		  "return %1 as y, %2 as z\n",
		  "\tbuffer in x: f32[M] %0\n"
		  "\tbuffer out y: i64[] %1\n"
		  "\tbuffer out z: i64[] %2\n"
		  "\tphase main {\n"
		  "\t\tv0: f32 = acc maximum\n"
		  "\t\tv1: i64 = acc add\n"
		  "\t\tv2: i32 = acc minimum\n"
		  "\t\tv3: i64 = acc add\n"
		  "\t\tfor i0 < M serial {\n"
		  "\t\t\tv4: f32 = load x[i0]\n"
		  "\t\t\tv5: i32 = cast.f32 v4\n"
		  "\t\t\tv1: i64 = arg maximum v0 v4 at i0\n"
		  "\t\t\tv3: i64 = arg minimum v2 v5 at i0\n"
		  "\t\t}\n"
		  "\t\tstore y[] = v1\n\t\tstore z[] = v3\n\t}\n");
	static const struct {
		float x[5];
		int64_t most, least;
	} rows[] = {
		{{1, 3, 3, -2, -2}, 1, 3},
		{{-INFINITY, -INFINITY, 0, 0, 1}, 4, 0},
		{{-INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY}, 0, 0},
		{{1, 2, NAN, 9, NAN}, 2, 2},
		{{NAN, 2, 5, 9, -1}, 0, 4},
		{{0, -0.0f, 0, 0, 0}, 0, 0},
	};
	float *x = floats(5);
	int64_t *y = guarded(8), *z = guarded(8);
	void *buffers[] = {x, y, z};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		memcpy(x, rows[i].x, sizeof(rows[i].x));
		CHECK(unit_run(&u, buffers, 5, 0).code == 0);
		if (!CHECK(*y == rows[i].most && *z == rows[i].least))
			printf("row %zu: %ld %ld\n", i, (long)*y, (long)*z);
	}
	floats_free(x, 5);
	unguard(y, 8);
	unguard(z, 8);
	unit_release(&u);
}

/* An index buffer, also one that faults; a branch on a run-time value. */
static void bounds(void)
{
	Unit u;
	unit_init(&u,
		  "%0 x: f32[N] = input index=0\n"
		  "%1 n: i64[M] = input index=1\n"
		  "%2 y: f32[M] = gather %0 %1 axis=0\n"
		  "return %2 as y\n",
		  "\tbuffer in x: f32[N] %0\n"
		  "\tbuffer in n: i64[M] %1\n"
		  "\tbuffer out y: f32[M] %2\n"
		  "\tphase main tasks i0 < M {\n"
		  "\t\tv0: i64 = load n[i0]\n"
		  "\t\ti1 = bound v0 < N as %2\n"
		  "\t\tv1: f32 = load x[i1] where N - i1 - 1 >= 0\n"
		  "\t\tv2: i64 = const 2\n"
		  "\t\tv3: bool = eq.i64 v0 v2\n"
		  "\t\tv4: f32 = acc where v1\n"
		  "\t\tv5: f32 = const 0x1.9p+6\n"
		  "\t\tv4: f32 = accum where v5 v3\n"
		  "\t\tstore y[i0] = v4\n\t}\n");
	float *x = floats(4), *y = floats(5);
	int64_t *n = guarded(5 * 8);
	void *buffers[] = {x, n, y};
	static const int64_t good[5] = {0, 3, -1, -4, 2};
	memcpy(n, good, sizeof(good));
	CHECK(unit_run(&u, buffers, 5, 4).code == 0);
	CHECK(y[0] == x[0] && y[1] == x[3] && y[2] == x[3] && y[3] == x[0]);
	CHECK(y[4] == 100.0f);
	n[1] = 4;
	TnStatus st = unit_run(&u, buffers, 5, 4);
	CHECK(st.code == TN_FAULT_INDEX && st.value == 2 && st.index == 4);
	n[1] = -5;
	st = unit_run(&u, buffers, 5, 4);
	CHECK(st.code == TN_FAULT_INDEX && st.index == -5);
	st = unit_run(&u, (void *[]){x + 4, n, y}, 5, 0);
	CHECK(st.code == TN_FAULT_INDEX);
	floats_free(x, 4);
	floats_free(y, 5);
	unguard(n, 5 * 8);
	unit_release(&u);
}

static void divisions(void)
{
	Unit u;
	unit_init(&u,
		  "%0 a: i32[M] = input index=0\n"
		  "%1 b: i32[M] = input index=1\n"
		  "%2 y: i32[M] = floordiv %0 %1\n"
		  "return %2 as y\n",
		  "\tbuffer in a: i32[M] %0\n"
		  "\tbuffer in b: i32[M] %1\n"
		  "\tbuffer out y: i32[M] %2\n"
		  "\tphase main tasks i0 < M {\n"
		  "\t\tv0: i32 = load a[i0]\n"
		  "\t\tv1: i32 = load b[i0]\n"
		  "\t\tv2: i32 = floordiv v0 v1 at i0 as %2\n"
		  "\t\tv3: i32 = mod v0 v1 at i0 as %2\n" /* result unused */
		  "\t\tstore y[i0] = v2\n\t}\n");
	int32_t *a = guarded(16), *b = guarded(16), *y = guarded(16);
	void *buffers[] = {a, b, y};
	memcpy(a, (int32_t[]){7, -7, 7, INT32_MIN}, 16);
	memcpy(b, (int32_t[]){2, 2, -2, -1}, 16);
	CHECK(unit_run(&u, buffers, 4, 0).code == 0);
	CHECK(y[0] == 3 && y[1] == -4 && y[2] == -4 && y[3] == INT32_MIN);
	b[2] = 0;
	TnStatus st = unit_run(&u, buffers, 4, 0);
	CHECK(st.code == TN_FAULT_DIVISION && st.value == 2 && st.index == 2);
	unguard(a, 16);
	unguard(b, 16);
	unguard(y, 16);
	unit_release(&u);
}

/* ---- dtypes ---------------------------------------------------------- */

/* Constants of every dtype reach memory bit for bit. */
static void constants(void)
{
	static const struct {
		const char *dtype, *text;
		uint64_t bits;
	} rows[] = {
		{"f64", "0x1.8p-1", 0x3fe8000000000000},
		{"f64", "-inf", 0xfff0000000000000},
		{"f64", "nan:0x7ff8000000000123", 0x7ff8000000000123},
		{"f32", "-0x0p+0", 0x80000000},
		{"f32", "0x1p-149", 1},
		{"f32", "inf", 0x7f800000},
		{"f32", "nan:0xffc00001", 0xffc00001},
		{"f16", "0x1.ffcp+15", 0x7bff},
		{"f16", "0x1p-24", 1},
		{"f16", "-inf", 0xfc00},
		{"f16", "nan:0xfe00", 0xfe00},
		{"bf16", "0x1.8p-130", 0x000c},
		{"bf16", "nan:0xffc1", 0xffc1},
		{"i64", "-9223372036854775808", 0x8000000000000000},
		{"i32", "-2147483648", 0x80000000},
		{"i16", "-32768", 0x8000},
		{"i8", "-128", 0x80},
		{"u64", "18446744073709551615", UINT64_MAX},
		{"u32", "4294967295", 0xffffffff},
		{"u16", "65535", 0xffff},
		{"u8", "255", 0xff},
		{"bool", "1", 1},
	};
	Unit u;
	Arena a = {0};
	Buf program, kernel, body;

	arena_init(&a);
	buf_init(&program, &a);
	buf_init(&kernel, &a);
	buf_init(&body, &a);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		buf_printf(&program, "%%%zu: %s[3] = input index=%zu\n", i,
			   rows[i].dtype, i);
		buf_printf(&kernel, "\tbuffer shared b%zu: %s[3]\n", i,
			   rows[i].dtype);
		/* once as a scalar, once in a lane */
		buf_printf(&body,
			   "\t\tv%zu: %s = const %s\n\t\tstore b%zu[2] = v%zu\n"
			   "\t\tfor i%zu < 2 vector 2 {\n"
			   "\t\t\tstore b%zu[i%zu] = v%zu\n\t\t}\n",
			   i, rows[i].dtype, rows[i].text, i, i, i, i, i, i);
	}
	buf_puts(&program, "return %0 as y\n");
	buf_printf(&kernel, "\tphase main {\n%s\t}\n", buf_str(&body));
	unit_init(&u, buf_str(&program), buf_str(&kernel));
	void *buffers[ARRAY_LEN(rows)];
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		buffers[i] = guarded(24);
	CHECK(unit_run(&u, buffers, 0, 0).code == 0);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		DType d = DT_F64;
		CHECK(dtype_parse(rows[i].dtype, &d));
		size_t bytes = (size_t)dtype_info[d].bytes;
		uint64_t got[2] = {0, 0};
		memcpy(&got[0], buffers[i], bytes);
		memcpy(&got[1], (char *)buffers[i] + 2 * bytes, bytes);
		if (!CHECK(got[0] == rows[i].bits && got[1] == rows[i].bits))
			printf("%s %s: %lx %lx\n", rows[i].dtype, rows[i].text,
			       (unsigned long)got[0], (unsigned long)got[1]);
		unguard(buffers[i], 24);
	}
	arena_release(&a);
	unit_release(&u);
}

/* The boundary of each accumulator dtype, in lanes and in the tail. */
static void boundaries(void)
{
	Unit u;
	unit_init(&u,
		  "%0 x: f32[M] = input index=0\n"
		  "%1 y: f16[M] = cast %0\n"
		  "%2 z: bf16[M] = cast %0\n"
		  "%3 w: f64[M] = cast %0\n"
		  "%4 i: i16[M] = cast %0\n"
		  "return %1 as y, %2 as z, %3 as w, "
		  "%4 as i\n",
		  "\tbuffer in x: f32[M] %0\n"
		  "\tbuffer out y: f16[M] %1\n"
		  "\tbuffer out z: bf16[M] %2\n"
		  "\tbuffer out w: f64[M] %3\n"
		  "\tbuffer out i: i16[M] %4\n"
		  "\tphase main {\n"
		  "\t\tfor i0 < M vector 8 {\n"
		  "\t\t\tv0: f32 = load x[i0] as %0\n"
		  "\t\t\tv1: f16 = boundary v0 as %1\n"
		  "\t\t\tv2: f64 = cast.f32 v0\n"
		  "\t\t\tv3: bf16 = boundary v2 as %2\n"
		  "\t\t\tv4: f64 = boundary v2 as %3\n"
		  "\t\t\tv5: i64 = cast.f32 v0\n"
		  "\t\t\tv6: i16 = boundary v5 as %4\n"
		  "\t\t\tstore y[i0] = v1\n\t\t\tstore z[i0] = v3\n"
		  "\t\t\tstore w[i0] = v4\n\t\t\tstore i[i0] = v6\n"
		  "\t\t}\n\t}\n");
	static const struct {
		float x;
		uint16_t y, z;
		int16_t i;
	} rows[] = {
		{0x1.002p+0f, 0x3c00, 0x3f80, 1}, /* ties to even */
		{0x1.006p+0f, 0x3c02, 0x3f80, 1},
		{0x1.01p+0f, 0x3c04, 0x3f80, 1},
		{0x1.03p+0f, 0x3c0c, 0x3f82, 1},
		{65519.0f, 0x7bff, 0x4780, -17},
		{65520.0f, 0x7c00, 0x4780, -16},
		{0x1p-25f, 0x0000, 0x3300, 0},
		{0x1.8p-25f, 0x0001, 0x3340, 0},
		{-0.0f, 0x8000, 0x8000, 0},
		{-3.0f, 0xc200, 0xc040, -3},
		{70000.0f, 0x7c00, 0x4789, 4464},
	};
	size_t n = ARRAY_LEN(rows);
	float *x = floats((int64_t)n);
	uint16_t *y = guarded(2 * n), *z = guarded(2 * n);
	double *w = guarded(8 * n);
	int16_t *v = guarded(2 * n);
	void *buffers[] = {x, y, z, w, v};
	for (size_t i = 0; i < n; i++)
		x[i] = rows[i].x;
	CHECK(unit_run(&u, buffers, (int64_t)n, 0).code == 0);
	for (size_t i = 0; i < n; i++)
		if (!CHECK(y[i] == rows[i].y && z[i] == rows[i].z &&
			   w[i] == (double)rows[i].x && v[i] == rows[i].i))
			printf("%a: %x %x %a %d\n", (double)rows[i].x, y[i],
			       z[i], w[i], v[i]);
	floats_free(x, (int64_t)n);
	unguard(y, 2 * n);
	unguard(z, 2 * n);
	unguard(w, 8 * n);
	unguard(v, 2 * n);
	unit_release(&u);
}

/* An f16 accumulator rounds at every step. */
static void half_folds(void)
{
	Unit u;
	unit_init(&u,
		  "%0 x: f16[M] = input index=0\n"
		  "%1 y: f16[] = sum %0 acc=f16 axes=[0]\n"
		  "return %1 as y\n",
		  "\tbuffer in x: f16[M] %0\n"
		  "\tbuffer out y: f16[] %1\n"
		  "\tphase main {\n"
		  "\t\tv0: f16 = acc add\n"
		  "\t\tfor i0 < M serial {\n"
		  "\t\t\tv1: f16 = load x[i0]\n"
		  "\t\t\tv0: f16 = accum add v1\n"
		  "\t\t}\n"
		  "\t\tstore y[] = v0\n\t}\n");
	/* 2048 + 1 stays 2048, tie to even, each time */
	uint16_t *x = guarded(2 * 9), *y = guarded(2);
	void *buffers[] = {x, y};
	x[0] = 0x6800;
	for (int i = 1; i < 9; i++)
		x[i] = 0x3c00;
	CHECK(unit_run(&u, buffers, 9, 0).code == 0);
	CHECK(*y == 0x6800);
	unguard(x, 2 * 9);
	unguard(y, 2);
	unit_release(&u);
}

/* ---- every dtype, mapped either way ------------------------------------ */

/*
 * Two phases a dtype with the same body, one on single elements and one on
 * lanes: loads and stores that are next to each other, backwards, spread
 * and guarded; arithmetic, comparison, choice; folds.
 */
static void mapping_phase(Buf *b, DType d, const char *map, int to)
{
	const char *name = dtype_info[d].name;
	const char *op = d == DT_BOOL ? "maximum" : "add";
	int v = 100 * (2 * (int)d + to);

	buf_printf(b, "\tphase %s_%d {\n", name, to);
	buf_printf(b, "\t\tv%d: %s = acc %s\n", v, name, op);
	buf_printf(b, "\t\tv%d: %s = acc maximum\n", v + 1, name);
	buf_printf(b, "\t\tv%d: %s = acc minimum\n", v + 2, name);
	buf_printf(b, "\t\tfor i0 < M %s {\n", map);
	buf_printf(b, "\t\t\tv%d: %s = load x_%s[i0]\n", v + 3, name, name);
	buf_printf(b, "\t\t\tv%d: %s = load x_%s[M - 1 - i0]\n", v + 4, name,
		   name);
	buf_printf(b,
		   "\t\t\tv%d: %s = load x_%s[3*i0] where M - 3*i0 - 1 >= 0\n",
		   v + 5, name, name);
	buf_printf(b, "\t\t\tv%d: %s = load x_%s[i0//2]\n", v + 6, name, name);
	buf_printf(b, "\t\t\tv%d: %s = %s v%d v%d\n", v + 7, name, op, v + 3,
		   v + 4);
	buf_printf(b, "\t\t\tv%d: bool = lt.%s v%d v%d\n", v + 8, name, v + 5,
		   v + 6);
	buf_printf(b, "\t\t\tv%d: %s = where v%d v%d v%d\n", v + 9, name, v + 8,
		   v + 7, v + 5);
	buf_printf(b, "\t\t\tv%d: %s = accum %s v%d\n", v, name, op, v + 3);
	buf_printf(b, "\t\t\tv%d: %s = accum maximum v%d\n", v + 1, name,
		   v + 9);
	buf_printf(b, "\t\t\tv%d: %s = accum minimum v%d\n", v + 2, name,
		   v + 9);
	buf_printf(b, "\t\t\tstore y_%s[%d, i0] = v%d\n", name, to, v + 9);
	buf_printf(b, "\t\t\tstore z_%s[%d, M - 1 - i0, 1] = v%d\n", name, to,
		   v + 7);
	buf_printf(b, "\t\t}\n");
	for (int i = 0; i < 3; i++)
		buf_printf(b, "\t\tstore s_%s[%d, %d] = v%d\n", name, to, i,
			   v + i);
	buf_puts(b, "\t}\n");
}

/* Element i of dtype d: small, so that sums are exact in any order. */
static void put(DType d, void *p, int64_t i)
{
	int64_t v = i * 5 % 7;
	double f = (double)(v - 3);
	float g = (float)f;
	uint32_t bits;
	static const uint16_t halves_of[] = {0xc200, 0xc000, 0xbc00, 0,
					     0x3c00, 0x4000, 0x4200};
	uint16_t h = halves_of[v];
	uint8_t flag = v < 3;

	memcpy(&bits, &g, 4);
	uint16_t bf = (uint16_t)(bits >> 16);
	int64_t s = dtype_info[d].cls == DTC_I ? v - 3 : v;
	const void *from = d == DT_F64    ? (const void *)&f
			   : d == DT_F32  ? (const void *)&g
			   : d == DT_F16  ? (const void *)&h
			   : d == DT_BF16 ? (const void *)&bf
			   : d == DT_BOOL ? (const void *)&flag
					  : (const void *)&s;
	memcpy(p, from, (size_t)dtype_info[d].bytes);
}

static void mappings(void)
{
	Arena a;
	Buf buffers_text, phases;
	Unit u;

	arena_init(&a);
	buf_init(&buffers_text, &a);
	buf_init(&phases, &a);
	for (int d = 0; d < DT_COUNT; d++) {
		const char *n = dtype_info[d].name;
		buf_printf(&buffers_text,
			   "\tbuffer shared x_%s: %s[M]\n"
			   "\tbuffer shared y_%s: %s[2, M]\n"
			   "\tbuffer shared z_%s: %s[2, M, 2]\n"
			   "\tbuffer shared s_%s: %s[2, 3]\n",
			   n, n, n, n, n, n, n, n);
		/* filled by the test, as far as the verifier knows here */
		buf_printf(&phases,
			   "\tphase fill_%s {\n\t\tfor i1 < N serial {\n"
			   "\t\t\tv%d: %s = const 0%s\n"
			   "\t\t\tif M - i1 - 1 >= 0 {\n"
			   "\t\t\t\tstore x_%s[i1] = v%d\n"
			   "\t\t\t}\n\t\t}\n\t}\n",
			   n, 100 * (2 * d) + 50, n,
			   dtype_is_float((DType)d) ? "x0p+0" : "", n,
			   100 * (2 * d) + 50);
		mapping_phase(&phases, (DType)d, "serial", 0);
		mapping_phase(&phases, (DType)d, "vector 8", 1);
	}
	buf_puts(&buffers_text, buf_str(&phases));
	unit_init(&u, UNARY, buf_str(&buffers_text));
	for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
		int64_t n = sizes[s];
		void *buffers[4 * DT_COUNT];
		size_t bytes[4 * DT_COUNT];
		for (int d = 0; d < DT_COUNT; d++) {
			size_t e = (size_t)dtype_info[d].bytes;
			size_t per[4] = {e * (size_t)n, 2 * e * (size_t)n,
					 4 * e * (size_t)n, 6 * e};
			for (int k = 0; k < 4; k++) {
				bytes[4 * d + k] = per[k];
				buffers[4 * d + k] = guarded(per[k]);
			}
			for (int64_t i = 0; i < n; i++)
				put((DType)d,
				    (char *)buffers[4 * d] + e * (size_t)i, i);
		}
		CHECK(unit_run(&u, buffers, n, 0).code == 0);
		for (int i = 0; i < 4 * DT_COUNT; i++) {
			size_t half = bytes[i] / 2;
			const char *b = buffers[i];
			if (i % 4 != 0 && !CHECK(!memcmp(b, b + half, half)))
				printf("%s, buffer %d, size %ld\n",
				       dtype_info[i / 4].name, i % 4, (long)n);
		}
		for (int i = 0; i < 4 * DT_COUNT; i++)
			unguard(buffers[i], bytes[i]);
	}
	unit_release(&u);
	arena_release(&a);
}

/* ---- registers, phases, scratch -------------------------------------- */

#define MATMUL                                                                 \
	"%0 a: f32[M, 5] = input index=0\n"                                    \
	"%1 b: f32[5, N] = input index=1\n"                                    \
	"%2 y: f32[M, N] = matmul %0 %1 acc=f32\n"                             \
	"return %2 as y\n"

/* A small contraction: packs, register tile, scratch, tails. */
static void contraction(void)
{
	Unit u;
	unit_init(&u, MATMUL,
		  "\tbuffer in a: f32[M, 5] %0\n"
		  "\tbuffer in b: f32[5, N] %1\n"
		  "\tbuffer out y: f32[M, N] %2\n"
		  "\tbuffer shared pa: f32[(M + 2)//3, 5, 3]\n"
		  "\tbuffer shared pb: f32[(N + 7)//8, 5, 8]\n"
		  "\tbuffer reg acc: f32[3, 8]\n"
		  "\tbuffer worker before: f32[7]\n"
		  "\tbuffer worker tile: f32[3, 8]\n"
		  "\tphase pack_a tasks i0 < (M + 2)//3 {\n"
		  "\t\tfor i1 < 5 serial {\n"
		  "\t\t\tfor i2 < 3 serial {\n"
		  "\t\t\t\tv0: f32 = load a[3*i0 + i2, i1] where "
		  "M - 3*i0 - i2 - 1 >= 0\n"
		  "\t\t\t\tstore pa[i0, i1, i2] = v0\n"
		  "\t\t\t}\n\t\t}\n\t}\n"
		  "\tphase pack_b tasks i0 < (N + 7)//8 {\n"
		  "\t\tfor i1 < 5 serial {\n"
		  "\t\t\tfor i2 < 8 vector 4 {\n"
		  "\t\t\t\tv1: f32 = load b[i1, 8*i0 + i2] where "
		  "N - 8*i0 - i2 - 1 >= 0\n"
		  "\t\t\t\tstore pb[i0, i1, i2] = v1\n"
		  "\t\t\t}\n\t\t}\n\t}\n"
		  "\tphase main tasks i0 < (M + 2)//3, i1 < (N + 7)//8 {\n"
		  "\t\tv2: f32 = const 0x0p+0\n"
		  "\t\tstore before[6] = v2\n"
		  "\t\tfor i2 < 3 unroll {\n"
		  "\t\t\tfor i3 < 8 vunroll 4 {\n"
		  "\t\t\t\tstore acc[i2, i3] = v2\n"
		  "\t\t\t}\n\t\t}\n"
		  "\t\tfor i4 < 5 serial {\n"
		  "\t\t\tfor i2 < 3 unroll {\n"
		  "\t\t\t\tv3: f32 = load pa[i0, i4, i2]\n"
		  "\t\t\t\tfor i3 < 8 vunroll 4 {\n"
		  "\t\t\t\t\tv4: f32 = load pb[i1, i4, i3]\n"
		  "\t\t\t\t\tv5: f32 = load acc[i2, i3]\n"
		  "\t\t\t\t\tv6: f32 = mac v3 v4 v5\n"
		  "\t\t\t\t\tstore acc[i2, i3] = v6\n"
		  "\t\t\t\t}\n\t\t\t}\n\t\t}\n"
		  "\t\tfor i2 < 3 unroll {\n"
		  "\t\t\tfor i3 < 8 vunroll 4 {\n"
		  "\t\t\t\tv7: f32 = load acc[i2, i3]\n"
		  "\t\t\t\tstore tile[i2, i3] = v7\n"
		  "\t\t\t}\n\t\t}\n"
		  /* one element of a vector register, read and written */
		  "\t\tv8: f32 = load acc[1, 6]\n"
		  "\t\tstore acc[1, 6] = v8\n"
		  "\t\tv9: f32 = load acc[1, 6]\n"
		  "\t\tstore tile[1, 6] = v9\n"
		  "\t\tfor i5 < min(M - 3*i0, 3) serial {\n"
		  "\t\t\tfor i6 < min(N - 8*i1, 8) vector 4 {\n"
		  "\t\t\t\tv10: f32 = load tile[i5, i6]\n"
		  "\t\t\t\tv12: f32 = load before[6]\n"
		  "\t\t\t\tv13: f32 = add v10 v12\n"
		  "\t\t\t\tv11: f32 = boundary v13 as %2\n"
		  "\t\t\t\tstore y[3*i0 + i5, 8*i1 + i6] = v11\n"
		  "\t\t\t}\n\t\t}\n\t}\n");
	for (int64_t m = 0; m < 8; m++) {
		for (int64_t n = 0; n < 20; n += 3) {
			int64_t na = (m + 2) / 3 * 15, nb = (n + 7) / 8 * 40;
			float *a = floats(m * 5), *b = floats(5 * n);
			float *y = floats(m * n), *pa = floats(na),
			      *pb = floats(nb);
			void *buffers[] = {a, b, y, pa, pb};
			CHECK(unit_run(&u, buffers, m, n).code == 0);
			for (int64_t i = 0; i < m * n; i++) {
				float sum = 0;
				for (int64_t k = 0; k < 5; k++)
					sum += a[i / n * 5 + k] *
					       b[k * n + i % n];
				CHECK(y[i] == sum);
			}
			floats_free(a, m * 5);
			floats_free(b, 5 * n);
			floats_free(y, m * n);
			floats_free(pa, na);
			floats_free(pb, nb);
		}
	}
	if (u.ok)
		CHECK(ex_equals(&u.ks->program->ex, emit_scratch(u.ks, u.k),
				64 + 128));
	unit_release(&u);
}

/* ---- the text -------------------------------------------------------- */

static float twice(int64_t i, int64_t n, const float *x)
{
	(void)n;
	return x[i] + x[i];
}

/* Buffers may be named as C and the emitter name things. */
static void names(void)
{
	static const char *const pairs[][2] = {
		{"int", "double"}, {"v0", "i0"},      {"t", "tasks"},
		{"args", "st"},    {"d_M", "n0"},     {"x_int", "int"},
		{"l", "l0"},       {"y0", "exp"},     {"worker", "workers"},
		{"9a", "_x"},      {"tn_min", "asm"},
	};

	for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
		char text[512];
		const char *x = pairs[i][0], *y = pairs[i][1];
		snprintf(text, sizeof(text),
			 "\tbuffer in %s: f32[M] %%0\n"
			 "\tbuffer out %s: f32[M] %%1\n"
			 "\tphase main {\n\t\tfor i0 < M vector 4 {\n"
			 "\t\t\tv0: f32 = load %s[i0]\n"
			 "\t\t\tv1: f32 = add v0 v0\n"
			 "\t\t\tstore %s[i0] = v1\n\t\t}\n\t}\n",
			 x, y, x, y);
		check_unary(text, twice);
	}
}

/* What is not used is not there. */
static void unused(void)
{
	Unit u;
	unit_init(&u, UNARY,
		  IO "\tbuffer worker w: f32[N]\n"
		     "\tbuffer reg r: f32[4]\n"
		     "\tphase main tasks i0 < M, i1 < 1 {\n"
		     "\t\tv0: f32 = const 0x0p+0\n"
		     "\t\tv1: f32 = neg v0\n"
		     "\t\tv2: f32 = exp v1\n"
		     "\t\tv3: f32 = acc add\n"
		     "\t\tv3: f32 = accum add v2\n"
		     "\t\tv4: f32 = load x[i0]\n"
		     "\t\tv5: i64 = const 3\n"
		     "\t\ti2 = bound v5 < 4 as %1\n"
		     "\t\tstore r[2] = v0\n"
		     "\t\tstore y[i0] = v0\n\t}\n");
	if (u.ok) {
		CHECK(strstr(u.src.text, "tn_exp") == NULL);
		CHECK(strstr(u.src.text, "d_N") == NULL);
		CHECK(strstr(u.src.text, "buffers[0]") == NULL);
	}
	unit_release(&u);
}

/* Every source above, for other compilers and instruction sets. */
static void elsewhere(void)
{
	static const struct {
		const char *compiler, *isa;
	} rows[] = {{"clang", NULL}, {"gcc", "base"}, {"gcc", "avx2"}};
	size_t done = 0;

	for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
		Ctx ctx;
		Compiler cc;
		ctx_init(&ctx);
		ctx.threads = 2;
		const Isa *isa =
			rows[r].isa ? isa_find(rows[r].isa) : isa_host();
		if (isa && (!rows[r].isa || isa_runs_here(isa)) &&
		    compiler_find(&ctx, &ctx.perm, rows[r].compiler, &cc)) {
			CodeSource *src = arena_array(&ctx.perm, CodeSource,
						      nsources + 1);
			for (size_t i = 0; i < nsources; i++) {
				src[i].name = "k0";
				src[i].text = sources[i];
			}
			bool ok = code_load(&ctx, &ctx.perm, &cc, isa, NULL,
					    src, nsources);
			if (!CHECK(ok))
				puts(buf_str(&ctx.messages));
			else
				code_unload(src, nsources);
			done++;
		}
		ctx_release(&ctx);
	}
	if (!done)
		SKIP("no other compiler or instruction set here");
}

TEST_MAIN(TEST(elementwise), TEST(walks), TEST(scattered_stores), TEST(guards),
	  TEST(indices), TEST(branches), TEST(folds), TEST(fold_rows),
	  TEST(scan), TEST(arguments), TEST(bounds), TEST(divisions),
	  TEST(constants), TEST(boundaries), TEST(half_folds), TEST(mappings),
	  TEST(contraction), TEST(names), TEST(unused), TEST(elsewhere))
