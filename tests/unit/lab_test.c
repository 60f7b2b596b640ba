/*
 * lab: statistics against values worked out by hand, the balance of orders,
 * peers that are missing or wrong, and files of samples that are whole or
 * not there.
 */
#include "lab/lab.h"

#include "tests/unit/test.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static jmp_buf refused;

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-12;
}

/* ---- statistics ------------------------------------------------------ */

static void medians(void)
{
	double odd[] = {5, 1, 3}, even[] = {4, 1, 3, 2}, one[] = {7};
	const double sorted[] = {10, 20, 30, 40, 50};

	CHECK(near(lab_median(odd, 3), 3));
	CHECK(near(lab_median(even, 4), 2.5));
	CHECK(near(lab_median(one, 1), 7));
	CHECK(near(lab_quantile(sorted, 5, 0.1), 14)); /* 10 + 0.4 * 10 */
	CHECK(near(lab_quantile(sorted, 5, 0.9), 46));
	CHECK(near(lab_quantile(sorted, 5, 1), 50));
}

/*
 * Of two values a and b a resample's median is a, b or their mean, with
 * probabilities 1/4, 1/4 and 1/2: both ends of 95 % are a and b. Of equal
 * values nothing varies.
 */
static void bootstrap(void)
{
	const double two[] = {1, 3}, same[] = {2, 2, 2, 2};
	const double nine[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
	LabInterval v = lab_bootstrap(two, 2, 2000, 1), w;

	CHECK(near(v.median, 2) && near(v.low, 1) && near(v.high, 3));
	CHECK(near(v.least, 1) && near(v.most, 3));
	v = lab_bootstrap(same, 4, 100, 1);
	CHECK(near(v.median, 2) && near(v.low, 2) && near(v.high, 2));
	/* The median of nine draws is k or less when five of them are: a
	 * binomial tail, 0.0013 for k = 1 and 0.030 for k = 2 (and so from
	 * above): the 2.5 % and 97.5 % points are 2 and 8. */
	v = lab_bootstrap(nine, 9, 4000, 7);
	CHECK(near(v.low, 2) && near(v.high, 8) && near(v.median, 5));
	w = lab_bootstrap(nine, 9, 4000, 7);
	CHECK(memcmp(&v, &w, sizeof(v)) == 0);
}

static void verdicts(void)
{
	CHECK(lab_verdict((LabInterval){.low = 1.01, .high = 2}) == LAB_FASTER);
	CHECK(lab_verdict((LabInterval){.low = 0.5, .high = 0.99}) ==
	      LAB_SLOWER);
	CHECK(lab_verdict((LabInterval){.low = 0.5, .high = 1.5}) == LAB_TIE);
	CHECK(lab_verdict((LabInterval){.low = 1, .high = 1}) == LAB_TIE);
}

static void drifts(void)
{
	const double up[] = {10, 90, 12}, one[] = {4};

	CHECK(near(lab_drift(up, 3), 0.2));
	CHECK(near(lab_drift(one, 1), 0));
	CHECK(lab_drift(up, 3) > LAB_DRIFT_FLAG);
}

/* ---- order ----------------------------------------------------------- */

static void orders(void)
{
	for (int n = 1; n <= 9; n++) {
		int at[9][9] = {{0}}, next[9][9] = {{0}}, order[9];
		int before[9][9] = {{0}}, rows = lab_order_rows(n);

		for (int r = 0; r < rows; r++) {
			lab_order_row(n, r, order);
			for (int k = 0; k < n; k++) {
				at[order[k]][k]++;
				if (k + 1 < n)
					next[order[k]][order[k + 1]]++;
				for (int j = k + 1; j < n; j++)
					before[order[k]][order[j]]++;
			}
		}
		for (int i = 0; i < n; i++)
			for (int k = 0; k < n; k++) {
				CHECK(at[i][k] * n == rows);
				CHECK(before[i][k] == before[k][i]);
				CHECK(next[i][k] == next[k][i]);
				if (i != k)
					CHECK(next[i][k] * n == rows);
			}
	}
	CHECK(lab_rounds(2, 15) == 16 && lab_rounds(5, 15) == 20);
	CHECK(lab_rounds(4, 16) == 16 && lab_rounds(1, 1) == 2);
}

typedef struct Log {
	int path, sets[64], n;
	bool fails;
} Log;

static bool logged(void *state, int set)
{
	Log *l = state;

	if (l->n < 64)
		l->sets[l->n++] = set;
	return !l->fails;
}

/* Sets in turn; a path that fails is left out, the others are not. */
static void sets_in_turn(void)
{
	LabMem m = {.refused = &refused};
	Log a = {0}, b = {.fails = true};
	LabPath paths[] = {
		{.name = "a", .run = logged, .state = &a},
		{.name = "b", .run = logged, .state = &b},
	};
	LabSamples s[2];

	if (setjmp(refused))
		return;
	CHECK(lab_measure(&m, paths, 2, 2, 3, NULL, s));
	for (int i = 0; i < a.n; i++)
		CHECK(a.sets[i] == i % 3);
	CHECK(!s[0].failed && s[0].us[1] > 0 && s[0].calls == 200);
	CHECK(s[1].failed && s[1].failed_set == 0);
	lab_release(&m);
}

/* ---- peers ----------------------------------------------------------- */

/* A library that is there, with a product that takes a sum for another. */
static bool open_here(LabMem *m, LabPeer *p)
{
	(void)m;
	p->version = "1";
	return true;
}

static bool open_missing(LabMem *m, LabPeer *p)
{
	static const char *const files[] = {"libtenon-no-such.so.1",
					    "libtenon-no-such.so"};

	return lab_peer_load(m, p, files, 2);
}

typedef struct Plain {
	LabProduct d;
	float wrong;
} Plain;

static void *plain_new(LabMem *m, LabPeer *p, const LabProduct *d)
{
	Plain *s = LAB_NEW(m, Plain, 1);

	s->d = *d;
	s->wrong = strcmp(p->spec->name, "wrong") == 0 ? 1 : 0;
	return s;
}

static void plain_one(const Plain *s, const float *a, const float *b, float *c)
{
	const LabProduct *d = &s->d;

	for (int64_t i = 0; i < d->m; i++)
		for (int64_t j = 0; j < d->n; j++) {
			float sum = i == 1 && j == 2 ? s->wrong : 0;

			for (int64_t k = 0; k < d->k; k++)
				sum += a[i * d->a_row + k * d->a_col] *
				       b[k * d->b_row + j * d->b_col];
			c[i * d->c_row + j] = sum;
		}
}

/* Two batch axes at most. */
static bool plain_run(void *state, const void *a, const void *b,
		      const void *bias, void *c)
{
	const Plain *s = state;
	const LabProduct *d = &s->d;
	int64_t n0 = d->nbatch > 0 ? d->batch[0] : 1;
	int64_t n1 = d->nbatch > 1 ? d->batch[1] : 1;

	(void)bias;
	for (int64_t i = 0; i < n0; i++)
		for (int64_t j = 0; j < n1; j++)
			plain_one(s,
				  (const float *)a + i * d->a_batch[0] +
					  j * d->a_batch[1],
				  (const float *)b + i * d->b_batch[0] +
					  j * d->b_batch[1],
				  (float *)c + i * d->c_batch[0] +
					  j * d->c_batch[1]);
	return true;
}

static const LabPeerSpec right = {.name = "right",
				  .title = "Right",
				  .open = open_here,
				  .takes = lab_cblas_takes,
				  .product_new = plain_new,
				  .product_run = plain_run};
static const LabPeerSpec wrong = {.name = "wrong",
				  .title = "Wrong",
				  .open = open_here,
				  .takes = lab_cblas_takes,
				  .product_new = plain_new,
				  .product_run = plain_run};
static const LabPeerSpec missing = {.name = "missing",
				    .title = "Missing",
				    .package = "the package missing",
				    .open = open_missing};
static const LabPeerSpec *const specs[] = {&right, &wrong, &missing};

typedef struct Fixture {
	TenonContext *c;
	TenonProgram *p;
	TenonPlan *plan;
	LabMem m;
	LabResult r;
} Fixture;

static bool setup(Fixture *f, const char *text)
{
	*f = (Fixture){.c = tenon_context_new(), .m = {.refused = &refused}};
	return CHECK(
		f->c &&
		!tenon_program_from_text(f->c, "t.tn", text, NULL, &f->p) &&
		!tenon_compile(f->c, f->p, NULL, &f->plan));
}

static void teardown(Fixture *f)
{
	lab_release(&f->m);
	tenon_plan_free(f->plan);
	tenon_program_free(f->p);
	tenon_context_free(f->c);
}

static TenonError bench(Fixture *f, const char *peers, bool strict)
{
	LabOptions o = {.peers = peers,
			.strict = strict,
			.specs = specs,
			.nspecs = 3,
			.threads = 2,
			.rounds = 1,
			.check = true,
			.seed = 1};

	return lab_bench(&f->m, f->c, f->p, f->plan, &o, &f->r);
}

static const char product[] = "dims d: M = 5, K = 7, N = 19\n"
			      "def f(x: f32[M, K], w: f32[N, K], b: f32[N]):\n"
			      "    return relu(x @ w.T + b)\n";

static void wrong_peer_fails(void)
{
	Fixture f;

	if (!setup(&f, product))
		return;
	CHECK(!bench(&f, "right,wrong", true));
	CHECK(f.r.npaths == 3 && f.r.paths[0].outcome == TENON_PASS);
	CHECK(f.r.paths[1].outcome == TENON_PASS);
	CHECK_STR(f.r.paths[1].steps, "product, loop");
	/* It is timed all the same. */
	CHECK(f.r.paths[2].outcome == TENON_FAIL && f.r.paths[2].wrong > 0);
	CHECK(!f.r.paths[2].why_not && f.r.paths[2].median > 0);
	CHECK(f.r.flop == 2 * 5 * 7 * 19);
	CHECK(f.r.bytes == 4 * (5 * 7 + 19 * 7 + 19 + 5 * 19));
	teardown(&f);
}

static void missing_peer(void)
{
	static const char why[] =
		"not found: tried libtenon-no-such.so.1, libtenon-no-such.so; "
		"install the package missing";
	Fixture f;

	if (!setup(&f, product))
		return;
	CHECK(bench(&f, "right,missing", true) == TENON_EENV);
	CHECK(f.m.why && strstr(f.m.why, why));
	/* In a suite it stays in the record; unnamed it is not there. */
	CHECK(!bench(&f, "right,missing", false));
	CHECK(f.r.npaths == 3 && f.r.paths[2].missing);
	CHECK_STR(f.r.paths[2].why_not, why);
	CHECK(!bench(&f, NULL, true) && f.r.npaths == 3);
	CHECK_STR(f.r.paths[2].name, "wrong");
	teardown(&f);
}

/* ---- compositions ---------------------------------------------------- */

/* Every kind of step, judged by the oracle on both families. */
static void compositions(void)
{
	static const char *const texts[] = {
		"def f(x: f16[M, K], w: f16[K, N], v: f16[K, N]):\n"
		"    return silu(x @ w) * (x @ v), x @ w\n",
		"def f(x: bf16[M, K], w: bf16[N, K], b: bf16[N]):\n"
		"    return softmax(x @ w.T + b)\n",
		"def f(x: f32[M, K], g: f32[K], b: f32[K], w: f32[K, N]):\n"
		"    return layer_norm(x, g, b) @ w\n",
		"def f(q: f32[2, 3, M, K], k: f32[2, 3, N, K],\n"
		"      v: f32[2, 3, N, K]):\n"
		"    return attention(q, k, v, causal=True)\n",
		"def f(q: f32[2, M, 3, K], k: f32[2, M, 3, K]):\n"
		"    return transpose(q, 0, 2, 1, 3) @ "
		"transpose(k, 0, 2, 3, 1)\n",
		"def f(x: f32[M, K]):\n"
		"    return where(x > 0, sqrt(abs(x)), -x) / max(x, axis=-1, "
		"keepdims=True), x[::-1]\n",
		"def f(x: f32[1, K], w: f32[K, N], v: f32[N, 1]):\n"
		"    return x @ w @ v, x @ w\n",
		"def f(x: f32[M, K], w: f32[K, M]):\n"
		"    h = tanh(x @ w)\n"
		"    return h @ h, h\n",
	};
	char text[512];

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		Fixture f;

		snprintf(text, sizeof(text),
			 "dims d: M = 5, K = 35, N = 19\n%s", texts[i]);
		if (!setup(&f, text))
			continue;
		CHECK(!bench(&f, "right", true));
		if (!f.m.why || f.r.npaths) {
			bool judged =
				f.r.paths[1].outcome == TENON_PASS ||
				f.r.paths[1].outcome == TENON_INCONCLUSIVE;

			if (!CHECK(!f.r.paths[1].why_not && judged))
				printf("%s%s\n", text, f.r.paths[1].why_not);
		}
		teardown(&f);
	}
}

/* ---- samples on disk ------------------------------------------------- */

static void csv_is_whole_or_missing(void)
{
	char path[] = "/tmp/tenon-lab-XXXXXX", line[128];
	LabMem m = {.refused = &refused};
	double us[] = {1.5, 2.25};
	int position[] = {0, 1};
	LabPathResult p = {.name = "tenon",
			   .samples = {.us = us, .position = position}};
	LabResult r = {.name = "a,b",
		       .regime = "warm",
		       .clock = "host single",
		       .rounds = 2,
		       .npaths = 1,
		       .paths = &p};
	LabMachine machine = {
		.model = "m", .commit = "c", .compiler = "cc", .system = "s"};
	int fd = mkstemp(path);
	LabCsv *c;
	FILE *in;

	CHECK(fd >= 0);
	close(fd);
	unlink(path);
	c = lab_csv_open(&m, path);
	if (!CHECK(c != NULL))
		return;
	CHECK(lab_csv_add(&m, c, &r));
	CHECK(access(path, F_OK) != 0); /* not before it is complete */
	lab_csv_abandon(c);
	CHECK(access(path, F_OK) != 0);
	CHECK(access(lab_printf(&m, "%s.part", path), F_OK) != 0);
	c = lab_csv_open(&m, path);
	CHECK(lab_csv_add(&m, c, &r) && lab_csv_close(&m, c, &machine, &r));
	in = fopen(path, "r");
	if (CHECK(in != NULL)) {
		CHECK(fgets(line, sizeof(line), in));
		CHECK_STR(line, "case,path,round,position,clock,regime,us\n");
		CHECK(fgets(line, sizeof(line), in));
		CHECK_STR(line, "a;b,tenon,0,0,host single,warm,1.5000\n");
		fclose(in);
	}
	CHECK(unlink(path) == 0);
	CHECK(unlink(lab_printf(&m, "%s.json", path)) == 0);
	c = lab_csv_open(&m, "/dev/full");
	CHECK(c && !lab_csv_add(&m, c, &r));
	if (c)
		lab_csv_abandon(c);
	lab_release(&m);
}

TEST_MAIN(TEST(medians), TEST(bootstrap), TEST(verdicts), TEST(drifts),
	  TEST(orders), TEST(sets_in_turn), TEST(wrong_peer_fails),
	  TEST(missing_peer), TEST(compositions), TEST(csv_is_whole_or_missing))
