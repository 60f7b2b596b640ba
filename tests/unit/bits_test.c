/*
 * bits: one plan gives the same bits whoever runs it and how often.
 *
 * Repeat runs, every thread count, code from the cache and compiled anew
 * agree for all examples. Under row_invariant a row's bits do not depend on
 * how many other rows there are, in one plan or in a plan of its own. One
 * plan of linear serves every M that the documentation names.
 */
#include "tests/unit/api.h"

/* ---- threads and repeats --------------------------------------------- */

static bool agrees(Case *k, const char *name, const char *how, uint64_t want)
{
	for (int i = 0; i < tenon_program_results(k->p); i++)
		memset(k->out[i].data, 0x5a, tenon_tensor_bytes(&k->out[i]));
	if (!case_run(k))
		return false;
	if (CHECK(case_hash(k) == want))
		return true;
	printf("%s: other bits %s\n", name, how);
	return false;
}

static void set_size(Case *k)
{
	/* a size that no tile divides, and enough of it for many tasks */
	static const struct {
		const char *dim;
		int64_t size;
	} sizes[] = {{"M", 131}, {"N", 203}, {"K", 190}};

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
		tenon_set_dim(k->p, sizes[i].dim, sizes[i].size);
}

/* Compiled without a cache, on another context. */
static void compiled_anew(const char *path, const Case *from, uint64_t want)
{
	Case k;

	if (case_open(&k, path, NULL, NULL)) {
		tenon_set_cache(k.c, "");
		set_size(&k);
		if (case_compile(&k)) {
			memcpy(k.in, from->in, sizeof(k.in));
			if (case_results(&k))
				agrees(&k, path, "when compiled anew", want);
			memset(k.in, 0, sizeof(k.in));
		}
	}
	case_close(&k);
}

static void example_bits(const char *path, bool anew)
{
	Case k;

	if (case_open(&k, path, NULL, NULL)) {
		set_size(&k);
		tenon_set_threads(k.c, 1);
		if (case_compile(&k) && case_fill(&k, "search") &&
		    case_run(&k)) {
			uint64_t want = case_hash(&k);
			agrees(&k, path, "when run again", want);
			for (int t = 2; t <= 8; t++) {
				char how[40];
				snprintf(how, sizeof(how), "on %d threads", t);
				tenon_set_threads(k.c, t);
				agrees(&k, path, how, want);
			}
			if (anew)
				compiled_anew(path, &k, want);
		}
	}
	case_close(&k);
}

static void threads_and_repeats(void)
{
	glob_t g;
	size_t n = examples(&g);

	CHECK(n >= 20);
	for (size_t i = 0; i < n; i++)
		example_bits(g.gl_pathv[i], test_all() || i % 8 == 5);
	globfree(&g);
}

/* ---- row_invariant --------------------------------------------------- */

#define ROWS 1000

typedef struct RowProgram {
	const char *name, *body; /* body: after the line of the def */
} RowProgram;

static const RowProgram row_programs[] = {
	{"matmul", "    return x @ w\n"},
	{"norm", "    m = mean(x * x, axis=-1, keepdims=True)\n"
		 "    return x / sqrt(m + 1e-5)\n"},
	{"softmax", "    return softmax(x, axis=-1)\n"},
	{"attention", "    return attention(x, w.T, w.T)\n"},
	{"two_layer", "    h = relu(x @ w + b)\n"
		      "    return h @ w.T + 1\n"},
};

static void row_text(char *text, size_t size, const RowProgram *r,
		     const char *rows, const char *dtype)
{
	snprintf(text, size,
		 "dims d: M = %d, K = 333, N = 77\n"
		 "@contract(row_invariant)\n"
		 "def f(x: %s[%s, K], w: %s[K, N], b: %s[N]):\n%s",
		 ROWS, dtype, rows, dtype, dtype, r->body);
}

/* Bytes of one row of t. */
static size_t row_bytes(const TenonTensor *t)
{
	return (size_t)t->strides[0];
}

/* Runs n of the rows from `row` on, by k's plan or p's, against k's. */
static void rows_agree(const Case *k, TenonPlan *plan, int64_t row, int64_t n,
		       const char *name)
{
	TenonTensor in[CASE_TENSORS], out = k->out[0];
	size_t bytes = row_bytes(&k->out[0]) * (size_t)n;

	memcpy(in, k->in, sizeof(in));
	in[0].shape[0] = out.shape[0] = n;
	in[0].data = (char *)in[0].data + (size_t)row * row_bytes(&in[0]);
	out.data = tenon_alloc(bytes);
	memset(out.data, 0x5a, bytes);
	if (works(k, tenon_plan_run(plan, in, &out), name) &&
	    !CHECK(memcmp(out.data,
			  (char *)k->out[0].data +
				  (size_t)row * row_bytes(&out),
			  bytes) == 0))
		printf("%s: M = %lld: rows from %lld on have other bits\n",
		       name, (long long)n, (long long)row);
	tenon_release(out.data, bytes);
}

/* The same def with its number of rows written in it. */
static void rows_of_own_plan(const Case *k, const RowProgram *r, int64_t n,
			     const char *dtype)
{
	char text[600], rows[20];
	Case own;

	snprintf(rows, sizeof(rows), "%lld", (long long)n);
	row_text(text, sizeof(text), r, rows, dtype);
	if (case_open(&own, "own.tn", text, NULL) && case_compile(&own))
		rows_agree(k, own.plan, 5, n, r->name);
	case_close(&own);
}

static void rows_of(const RowProgram *r, const char *dtype)
{
	static const int64_t sizes[] = {1, 7, 32};
	char text[600];
	Case k;

	row_text(text, sizeof(text), r, "M", dtype);
	if (case_open(&k, r->name, text, NULL) && case_compile(&k) &&
	    case_fill(&k, "search") && case_run(&k)) {
		for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
			int64_t last = ROWS - sizes[i];
			rows_agree(&k, k.plan, 0, sizes[i], r->name);
			rows_agree(&k, k.plan, 501 % (last + 1), sizes[i],
				   r->name);
			rows_agree(&k, k.plan, last, sizes[i], r->name);
		}
		rows_of_own_plan(&k, r, 1, dtype);
		if (test_all())
			rows_of_own_plan(&k, r, 7, dtype);
	}
	case_close(&k);
}

static void row_invariant(void)
{
	static const char *const dtypes[] = {"f16", "f32", "bf16", "f64"};

	for (size_t i = 0; i < ARRAY_LEN(row_programs); i++)
		for (size_t d = 0; d < (test_all() ? 4 : 2); d++)
			rows_of(&row_programs[i], dtypes[d]);
}

/* ---- one plan for every size ----------------------------------------- */

static size_t compiled_files(const char *cache)
{
	char pattern[600];
	glob_t g;
	size_t n = 0;

	snprintf(pattern, sizeof(pattern), "%s/code/*.so", cache);
	if (glob(pattern, 0, NULL, &g) == 0) {
		n = g.gl_pathc;
		globfree(&g);
	}
	return n;
}

static void judged(Case *k, int64_t m)
{
	TenonOutcome o = TENON_NONE;

	if (works(k, tenon_judge(k->plan, k->in, k->out, NULL, NULL, &o),
		  "judge") &&
	    !CHECK(o == TENON_PASS))
		printf("M = %lld: judged %d\n", (long long)m, (int)o);
}

static void one_plan(void)
{
	static const int64_t sizes[] = {1,  2,  3,   13,  14,  15,   16,
					31, 64, 100, 257, 512, 1000, 2048};
	const char *cache = test_path("cache");
	TenonPlanInfo info;
	TenonPlan *again;
	Case k;

	if (case_open(&k, "examples/linear.tn", NULL, NULL)) {
		tenon_set_cache(k.c, cache);
		if (case_compile(&k)) {
			tenon_plan_info(k.plan, &info);
			CHECK(!info.cached);
			CHECK(compiled_files(cache) == (size_t)info.launches);
			for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
				tenon_set_dim(k.p, "M", sizes[i]);
				if (case_fill(&k, "search") && case_run(&k) &&
				    (sizes[i] <= 16 || test_all()))
					judged(&k, sizes[i]);
			}
			CHECK(compiled_files(cache) == (size_t)info.launches);
			if (works(&k, tenon_compile(k.c, k.p, NULL, &again),
				  "again")) {
				TenonPlanInfo b;
				tenon_plan_info(again, &b);
				CHECK(b.cached);
				CHECK_STR(b.identity, info.identity);
				tenon_plan_free(again);
			}
			CHECK(compiled_files(cache) == (size_t)info.launches);
		}
	}
	case_close(&k);
	test_folder_remove();
}

TEST_MAIN(TEST(threads_and_repeats), TEST(row_invariant), TEST(one_plan))
