/*
 * emit_test: each statement and each way to map a loop, against the same
 * loops in plain C.
 * The code under test is generated, and no sanitizer sees it:
 * tests/run: plain
 */
#include "tests/unit/kernel_run.h"

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

static float some(int64_t i, int64_t n, const float *x)
{
	return (n >= 20 ? x[i] + x[0] + x[n - 1 - i] : 0) +
	       (i / 3 >= 2 ? x[i / 3] : 0);
}

/* Guards that differ between lanes, on loads and as tests. */
static void guards(void)
{
	/* one guard for all lanes; a guard of lanes that walk unevenly */
	check_unary(IO "\tphase main {\n"
		       "\t\tfor i0 < M vector 8 {\n"
		       "\t\t\tv0: f32 = load x[i0] where M - 20 >= 0\n"
		       "\t\t\tv1: f32 = load x[0] where M - 20 >= 0\n"
		       "\t\t\tv2: f32 = load x[M - 1 - i0] where M - 20 >= 0\n"
		       "\t\t\tv3: f32 = load x[i0//3] where i0//3 - 2 >= 0\n"
		       "\t\t\tv4: f32 = add v0 v1\n"
		       "\t\t\tv5: f32 = add v4 v2\n"
		       "\t\t\tv6: f32 = add v5 v3\n"
		       "\t\t\tstore y[i0] = v6\n"
		       "\t\t}\n\t}\n",
		    some);
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

TEST_MAIN(TEST(elementwise), TEST(walks), TEST(scattered_stores), TEST(guards),
	  TEST(indices), TEST(branches), TEST(folds), TEST(fold_rows),
	  TEST(scan), TEST(arguments), TEST(bounds), TEST(divisions),
	  TEST(contraction), TEST(names), TEST(unused), TEST(elsewhere))
