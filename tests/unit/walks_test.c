/*
 * walks: the ways in which rowreduce and loop walk memory, by their pins.
 *
 * Each program runs with pins that force a way (rows in pieces, stores past
 * the caches, hints), at sizes with tails and rows that are not aligned. The
 * oracle judges what one thread computes; more threads must give its bits.
 */
#include "tests/unit/api.h"

typedef struct Walk {
	const char *name, *text;
	const char *pins[4];
	const char *dim;
	int64_t sizes[4]; /* of dim, ends with 0 */
} Walk;

#define PAST  "loop.stream=2"
#define PASTR "rowreduce.stream=2", "rowreduce.ahead=2"

static const Walk walks[] = {
	{"pieces",
	 "dims d: M = 3, K = 1\n"
	 "def f(x: f32[M, K], g: f32[K]):\n"
	 "    return rms_norm(x, g), softmax(x), max(x, axis=1)\n",
	 {"rowreduce.split=2"},
	 "K",
	 {1, 16384, 40001}},
	{"pieces of all",
	 "dims d: M = 300, K = 1\n"
	 "def f(x: f32[M, K]):\n"
	 "    return sum(x), mean(x * x), min(x)\n",
	 {"rowreduce.split=2"},
	 "K",
	 {7, 131}},
	{"pieces by length",
	 "dims d: M = 1, K = 1\n"
	 "def f(x: f32[M, K]):\n"
	 "    return layer_norm(x), sum(x, axis=1)\n",
	 {0},
	 "K",
	 {65535, 65536}},
	{"rows past the caches",
	 "dims d: M = 7, K = 1\n"
	 "def f(x: f16[M, K], g: f16[K], b: f16[K]):\n"
	 "    return layer_norm(x, g, b)\n",
	 {PASTR},
	 "K",
	 {3, 16, 129}},
	{"softmax past the caches",
	 "dims d: M = 7, K = 1\n"
	 "def f(x: f32[M, K]):\n"
	 "    return softmax(x)\n",
	 {PASTR},
	 "K",
	 {1, 15, 143}},
	{"columns",
	 "dims d: M = 37, K = 1\n"
	 "def f(x: f32[M, K]):\n"
	 "    return softmax(x, axis=0), argmin(x, axis=0), cumsum(x, "
	 "axis=0)\n",
	 {PASTR},
	 "K",
	 {1, 37, 300}},
	{"middle",
	 "dims d: M = 19, K = 1\n"
	 "def f(x: bf16[3, M, K]):\n"
	 "    return logsumexp(x, axis=1), mean(x, axis=(0, 1))\n",
	 {0},
	 "K",
	 {5, 300}},
	{"arguments",
	 "dims d: M = 5, K = 1\n"
	 "def f(x: f32[M, K], i: i16[M, K]):\n"
	 "    y = relu(x)\n"
	 "    return argmax(y, axis=1), argmin(i, axis=1), argmax(x, axis=1)\n",
	 {0},
	 "K",
	 {1, 8, 100}},
	{"last axis of 3",
	 "dims d: M = 1\n"
	 "def f(x: f32[M, 3], y: f32[M, 3], s: f32):\n"
	 "    return x * s + y, x // y\n",
	 {PAST},
	 "M",
	 {1, 6, 5501}},
	{"bytes",
	 "dims d: M = 1\n"
	 "def f(x: i8[M, 3], y: bool[M, 3]):\n"
	 "    return where(y, x, x + 1), not y\n",
	 {PAST},
	 "M",
	 {5, 43}},
	{"transposed",
	 "dims d: M = 67, N = 1\n"
	 "def f(x: f32[M, N], y: f32[N, M]):\n"
	 "    return x.T, x.T + y\n",
	 {PAST},
	 "N",
	 {1, 17, 600}},
	{"transposed f16",
	 "dims d: M = 33, N = 1\n"
	 "def f(x: f16[2, M, N], y: f64[M, N]):\n"
	 "    return transpose(x, (2, 0, 1)), y.T\n",
	 {PAST},
	 "N",
	 {15, 530}},
	{"several transposed",
	 "dims d: M = 35, N = 1\n"
	 "def f(x: f32[M, N], y: bool[M, N]):\n"
	 "    return exp(x.T), x.T < 0, not y.T, x.T * x.T\n",
	 {PAST},
	 "N",
	 {1, 19, 530}},
	{"several transposed f64",
	 "dims d: M = 35, N = 1\n"
	 "def f(x: f64[M, N]):\n"
	 "    return tanh(x.T), i8(x.T)\n",
	 {0},
	 "N",
	 {7, 16, 530}},
	{"mostly straight",
	 "dims d: M = 35, N = 1\n"
	 "def f(x: f16[M, N], y: f16[N, M]):\n"
	 "    return x + 1, x * x, y.T + x, -x\n",
	 {0},
	 "N",
	 {1, 19, 530}},
	{"gathered rows",
	 "dims d: V = 11, M = 23, N = 1\n"
	 "def f(x: f32[V, N], i: i32[M], y: f32[M, N]):\n"
	 "    return gather(x, i, axis=0) + y\n",
	 {PAST},
	 "N",
	 {1, 31, 100}},
	{"scattered rows",
	 "dims d: V = 13, M = 23, N = 1\n"
	 "def f(x: f32[V, N], i: i32[M], u: f32[M, N]):\n"
	 "    return scatter(x, i, u, axis=0), scatter(x, i, u, axis=0, "
	 "add=True)\n",
	 {PAST},
	 "N",
	 {1, 31, 100}},
	{"scattered",
	 "dims d: V = 130, M = 1\n"
	 "def f(x: f16[3, V], i: i64[M], u: f16[3, M]):\n"
	 "    return scatter(x, i, u, axis=1), scatter(x, i, u, axis=1, "
	 "add=True)\n",
	 {0},
	 "M",
	 {1, 31, 400}},
	{"counted by 3",
	 "dims d: N = 1\n"
	 "def f(x: f32[N]):\n"
	 "    return x + f32(iota(3 * N)[::3])\n",
	 {0},
	 "N",
	 {5, 100}},
};

/* Elements that data say where to find, in rows that two passes read. */
static const Walk indexed[] = {
	{"one place",
	 "dims d: M = 9, K = 1\n"
	 "def f(x: f32[M, 4, K], i: i64):\n"
	 "    g = gather(x, i, axis=1)\n"
	 "    return g - sum(g, axis=-1, keepdims=True), argmax(g, axis=-1)\n",
	 {"rowreduce.ahead=2"},
	 "K",
	 {1, 16, 37}},
	{"places of a row",
	 "dims d: M = 9, K = 1\n"
	 "def f(x: i32[M, 5, K], i: i32[3]):\n"
	 "    g = gather(x, i, axis=1)\n"
	 "    return g - max(g, axis=(1, 2), keepdims=True), sum(g, axis=2)\n",
	 {"rowreduce.ahead=2"},
	 "K",
	 {1, 16, 37}},
	{"places along the row",
	 "dims d: M = 7, V = 5, K = 1\n"
	 "def f(x: f16[M, V], i: i64[K]):\n"
	 "    g = gather(x, i, axis=1)\n"
	 "    return g - max(g, axis=-1, keepdims=True), argmin(g, axis=-1), "
	 "cumsum(g, axis=-1)\n",
	 {"rowreduce.ahead=2", "rowreduce.keep=2"},
	 "K",
	 {1, 31, 100}},
	{"places of elements",
	 "dims d: M = 7, K = 1\n"
	 "def f(x: f32[11], i: i64[M, K]):\n"
	 "    e = exp(gather(x, i, axis=0))\n"
	 "    return e / sum(e, axis=-1, keepdims=True), softmax(e, axis=0)\n",
	 {"rowreduce.ahead=2"},
	 "K",
	 {1, 16, 37}},
	{"places that are computed",
	 "dims d: M = 7, K = 1\n"
	 "def f(x: f32[M, K, 6], s: f32[K]):\n"
	 "    g = gather(x, argmax(s, axis=0), axis=1)\n"
	 "    return g - mean(g, axis=1, keepdims=True), min(g, axis=0)\n",
	 {"rowreduce.ahead=2"},
	 "K",
	 {1, 16, 37}},
	{"places in pieces",
	 "dims d: M = 2, K = 1\n"
	 "def f(x: f32[M, 3, K], i: i32):\n"
	 "    return softmax(gather(x, i, axis=1))\n",
	 {"rowreduce.ahead=2", "rowreduce.split=2"},
	 "K",
	 {1, 16384, 40001}},
	{"places of places",
	 "dims d: M = 7, K = 1\n"
	 "def f(x: f32[9, K], i: i64[M], j: i64[4]):\n"
	 "    g = gather(x, gather(i, j, axis=0), axis=0)\n"
	 "    return g - max(g, axis=1, keepdims=True), sum(g * g, axis=1)\n",
	 {"rowreduce.ahead=2"},
	 "K",
	 {1, 16, 37}},
	{"a shift that data say",
	 "dims d: M = 7, K = 1\n"
	 "def f(x: i32[M, K], n: i32[K]):\n"
	 "    y = (x << n) // 3\n"
	 "    return y - min(y, axis=1, keepdims=True), argmax(y, axis=1)\n",
	 {"rowreduce.ahead=2"},
	 "K",
	 {1, 16, 37}},
};

static void walk_size(Case *k, const Walk *w, int64_t size)
{
	TenonOutcome o = TENON_NONE;

	tenon_set_dim(k->p, w->dim, size);
	tenon_set_threads(k->c, 1);
	if (!case_fill(k, "random") || !case_run(k) ||
	    !works(k, tenon_judge(k->plan, k->in, k->out, NULL, NULL, &o),
		   "judge"))
		return;
	if (!CHECK(o != TENON_FAIL))
		printf("%s: %s = %lld fails\n", w->name, w->dim,
		       (long long)size);
	uint64_t want = case_hash(k);
	for (int t = 2; t <= 3; t++) {
		tenon_set_threads(k->c, t);
		if (case_results(k) && case_run(k) &&
		    !CHECK(case_hash(k) == want))
			printf("%s: %s = %lld: other bits on %d threads\n",
			       w->name, w->dim, (long long)size, t);
	}
}

static void walk_all(const Walk *w, size_t n)
{
	for (const Walk *end = w + n; w < end; w++) {
		TenonPlanOptions o = {.pins = w->pins};
		Case k;
		while (o.npins < 4 && w->pins[o.npins])
			o.npins++;
		if (case_open(&k, w->name, w->text, NULL) &&
		    works(&k, tenon_compile(k.c, k.p, &o, &k.plan), w->name))
			for (int s = 0; s < 4 && w->sizes[s]; s++)
				walk_size(&k, w, w->sizes[s]);
		case_close(&k);
	}
}

static void ways(void)
{
	walk_all(walks, ARRAY_LEN(walks));
}

static void runtime_indices(void)
{
	walk_all(indexed, ARRAY_LEN(indexed));
}

/* What the GPUs' kernels keep of it without a device. */
static void runtime_indices_elsewhere(void)
{
	static const char *const targets[] = {"cpu:base", "cuda:sm_80",
					      "cuda:sm_90a", "opencl"};

	for (size_t i = 0; i < ARRAY_LEN(indexed) * ARRAY_LEN(targets); i++) {
		const Walk *w = &indexed[i / ARRAY_LEN(targets)];
		const char *target = targets[i % ARRAY_LEN(targets)];
		TenonPlanOptions o = {.target = target,
				      .emit_only = true,
				      .stop_after = "emit"};
		Case k;
		if (case_open(&k, w->name, w->text, NULL))
			works(&k, tenon_compile(k.c, k.p, &o, &k.plan), target);
		case_close(&k);
	}
}

/* Rows of more and of fewer elements than a core's cache holds: the bits of
 * a row do not depend on how many there are. */
static void rows_in_pieces(void)
{
	static const char text[] = "dims d: M = 2, K = 1\n"
				   "@contract(row_invariant)\n"
				   "def f(x: f32[M, K]):\n"
				   "    return layer_norm(x), sum(x, axis=1)\n";
	static const int64_t sizes[] = {70001, 1 << 20};
	Case k;

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		if (case_open(&k, "pieces.tn", text, NULL) &&
		    case_compile(&k)) {
			tenon_set_dim(k.p, "K", sizes[i]);
			if (case_fill(&k, "random") && case_run(&k)) {
				TenonTensor in = k.in[0], out[2];
				float sum = 0;
				memcpy(out, k.out, sizeof(out));
				size_t bytes = (size_t)out[0].strides[0];
				char *row = tenon_alloc(bytes);
				in.shape[0] = out[0].shape[0] = 1;
				out[1].shape[0] = 1;
				out[0].data = row;
				out[1].data = &sum;
				in.data = (char *)in.data + bytes;
				if (works(&k, tenon_plan_run(k.plan, &in, out),
					  "one row"))
					CHECK(!memcmp(row,
						      (char *)k.out[0].data +
							      bytes,
						      bytes) &&
					      !memcmp(&sum,
						      (char *)k.out[1].data + 4,
						      4));
				tenon_release(row, bytes);
			}
		}
		case_close(&k);
	}
}

/* More than 2^31 elements, of a byte each: places do not fit in 32 bits. */
static void many_elements(void)
{
	static const char text[] = "dims d: M = 65537, N = 32769\n"
				   "def f(x: u8[M, N]):\n"
				   "    return x + 1, max(x, axis=1), x.T\n";
	const size_t m = 65537, n = 32769;
	Case k;

	if (!test_all())
		SKIP("needs 7 GB: TEST_ALL=1");
	if (case_open(&k, "many.tn", text, NULL) && case_compile(&k)) {
		unsigned char *x = tenon_alloc(m * n);
		CHECK(tenon_input_desc(k.p, 0, &k.in[0]) == TENON_OK);
		k.in[0].data = x;
		for (size_t i = 0; x && i < m; i++)
			memset(x + i * n, (int)(i % 251), n);
		if (CHECK(x != NULL) && case_results(&k) && case_run(&k)) {
			const unsigned char *y = k.out[0].data;
			const unsigned char *max = k.out[1].data;
			const unsigned char *t = k.out[2].data;
			int bad = 0;
			for (size_t i = 0; i < m; i++)
				for (size_t j = 0; j < n; j += 631) {
					bad += y[i * n + j] != i % 251 + 1;
					bad += t[j * m + i] != i % 251;
				}
			for (size_t i = 0; i < m; i++)
				bad += max[i] != i % 251;
			CHECK(bad == 0);
		}
	}
	case_close(&k);
}

TEST_MAIN(TEST(ways), TEST(runtime_indices), TEST(runtime_indices_elsewhere),
	  TEST(rows_in_pieces), TEST(many_elements))
