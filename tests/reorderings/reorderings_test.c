/*
 * reorderings: honest evaluations are never rejected, whatever the order of
 * their sums.
 * tests/run: plain
 *
 * interp.h evaluates the twenty examples on every fixture family, each row
 * with another order of sums.h: forward, from the end, shuffled, blocked by
 * 4 to 512, pairwise, in lanes, split over threads, with and without fused
 * multiply-adds. The oracle may find a verdict inconclusive, never a failure.
 * The reference points of WORKLOADS.md, and results that are wrong in ways
 * that look right, are judged too.
 *
 * usage: reorderings_test [--all] [--verbose] [PROGRAM...]
 *
 * TEST_ALL in the environment is --all: the larger shapes as well, as written
 * and with M = 64, and every order at K = 1025.
 */
#include "driver/driver.h"
#include "tests/reorderings/interp.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const programs[] = {
	"gemm",
	"bias",
	"weight_view",
	"input_scale",
	"output_scale",
	"residual",
	"public_projection",
	"relu",
	"projection_join",
	"projection_chain",
	"affine",
	"affine_relu",
	"residual_relu",
	"shared_projection",
	"two_layer",
	"gated_projections",
	"transposed_weight",
	"softmax",
	"rmsnorm",
	"norm_projection",
};
static const char *const dtypes[] = {NULL, "f32", "bf16"};

typedef struct Shape {
	const char *set, *dims;
	bool quick;
	bool written; /* the quick run has it as written only */
	bool every;   /* the quick run tries every order, too */
} Shape;
static const Shape shapes[] = {
	{"inspect", "", true, false, true},
	{"screen", "", true, false, true},
	{"inspect", "K=17", true, false, true},
	{"inspect", "K=1025", true, true, false},
	{"inspect", "M=15 N=25 K=33", true, false, true},
	{"narrow", "M=64", false, true, false},
	{"tail", "M=64", false, true, false},
	{"main", "M=64", false, true, false},
};

#define MAX_ORDERS 128

typedef struct Test {
	TenonContext *c;
	Order orders[MAX_ORDERS];
	size_t norders;
	bool all, verbose;
	int passed, failed;
	long rows, judged;
} Test;

/* ---- orders ---------------------------------------------------------- */

static void order_add(Test *t, OrderKind kind, int size, int shuffle)
{
	for (int fma = 0; fma < 2; fma++) {
		if (t->norders == MAX_ORDERS)
			bug("too many orders");
		bool first = t->norders % 4 > 1;
		t->orders[t->norders++] =
			(Order){kind, size, shuffle, fma == 1, first};
	}
}

static void orders_make(Test *t)
{
	for (int shuffle = 0; shuffle < 6; shuffle++)
		order_add(t, ORD_SEQUENCE, 0, shuffle);
	for (int size = 4; size <= 512; size *= 2) {
		order_add(t, ORD_BLOCKS, size, 0);
		order_add(t, ORD_BLOCKS, size, 1);
	}
	for (int size = 1; size <= 16; size *= 4) {
		order_add(t, ORD_PAIRS, size, 0);
		order_add(t, ORD_PAIRS, size, 7);
	}
	for (int size = 2; size <= 64; size *= 2) {
		order_add(t, ORD_LANES, size, 0);
		order_add(t, ORD_LANES, size, 1);
	}
	for (int size = 2; size <= 16; size++)
		order_add(t, ORD_THREADS, size, size % 3);
}

/* ---- judging --------------------------------------------------------- */

static Verdict judge(Test *t, Arena *a, const Program *p, const Binding *b,
		     const Feeds *feeds, const Tensor *results)
{
	OracleOptions o = {0};
	Verdict v;

	t->c->ctx.threads = 1;
	if (!oracle_judge(&t->c->ctx, a, p, b, feeds, results, &o, &v)) {
		printf("%s\n", tenon_message(t->c));
		bug("the oracle cannot judge");
	}
	return v;
}

static void print_failure(const char *what, const Verdict *v)
{
	printf("REJECTED %s\n", what);
	for (size_t i = 0; i < v->nresults; i++) {
		const ResultVerdict *r = &v->results[i];
		printf("    %s: exact %d, interval %d; %lld mismatches, %lld "
		       "violations of %lld; element %lld: got %a, ref %a in "
		       "[%a, %a]\n",
		       r->name, (int)r->exact, (int)r->interval,
		       (long long)r->mismatches, (long long)r->violations,
		       (long long)r->elements, (long long)r->worst, r->got,
		       r->ref, r->lo, r->hi);
	}
}

static void count(Test *t, bool ok, const char *what, const Verdict *v)
{
	t->passed += ok;
	t->failed += !ok;
	if (!ok)
		print_failure(what, v);
}

/* ---- one program ----------------------------------------------------- */

typedef struct Case {
	TenonProgram *program;
	Binding b;
	char name[120];
} Case;

static bool has_dim(const TenonProgram *p, const char *name)
{
	for (int i = 0; i < tenon_program_dims(p); i++)
		if (!strcmp(tenon_program_dim_name(p, i), name))
			return true;
	return false;
}

static bool case_shape(Test *t, Case *k, const Shape *s)
{
	const char *d = s->dims;

	if (tenon_set_dims(k->program, s->set) != TENON_OK)
		return false;
	while (*d) {
		char name[8] = {*d};
		char *end;
		long n = strtol(d + 2, &end, 10);
		/* softmax and rmsnorm have no N */
		if (has_dim(k->program, name) &&
		    tenon_set_dim(k->program, name, n) != TENON_OK)
			bug("%s", tenon_message(t->c));
		d = end + strspn(end, " ");
	}
	k->b = (Binding){k->program->dims, k->program->p->ex.dims.n};
	return true;
}

/* Orders in turn, so that each of them gets rows of this fixture. */
static bool try_fixture(Test *t, Case *k, const Fixture *f, bool every)
{
	const Program *p = k->program->p;
	int64_t m = f->feeds.inputs[0].shape[0];
	size_t shifts =
		every && m > 0 ? (t->norders + (size_t)m - 1) / (size_t)m : 1;
	bool ok = true;

	for (size_t s = 0; s < shifts && ok; s++) {
		Arena a;
		arena_init(&a);
		Interp in = {.a = &a, .p = p, .b = &k->b};
		in.inputs = f->feeds.inputs;
		in.orders = t->orders;
		in.norders = t->norders;
		in.shift = s * (size_t)m + (size_t)f->family * 11;
		Tensor *out = interp_run(&in);
		Verdict v = judge(t, &a, p, &k->b, &f->feeds, out);
		ok = v.outcome != OUT_FAIL && !v.fault;
		t->rows += m;
		t->judged++;
		char what[200];
		snprintf(what, sizeof what, "%s, %s, orders from %zu", k->name,
			 family_name[f->family], in.shift % t->norders);
		count(t, ok, what, &v);
		arena_release(&a);
	}
	return ok;
}

static void try_shape(Test *t, Case *k, const Shape *s)
{
	for (int f = 0; f < FAM_COUNT; f++) {
		Fixture fx = {0};
		if (!fixture_make(&t->c->ctx, k->program->p, &k->b, (Family)f,
				  1, NULL, &fx))
			bug("%s", tenon_message(t->c));
		if (fx.applies)
			try_fixture(t, k, &fx,
				    s->every || (t->all && s->quick));
		fixture_release(&fx);
	}
}

static Case case_open(Test *t, const char *name, const char *dtype)
{
	TenonProgramOptions o = {.dtype = dtype};
	Case k = {0};
	char path[80];

	snprintf(path, sizeof path, "examples/%s.tn", name);
	if (tenon_program_from_file(t->c, path, &o, &k.program) != TENON_OK)
		bug("%s", tenon_message(t->c));
	return k;
}

static void try_program(Test *t, const char *name)
{
	for (size_t d = 0; d < ARRAY_LEN(dtypes); d++) {
		Case k = case_open(t, name, dtypes[d]);
		for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
			const Shape *s = &shapes[i];
			if (t->all ? !s->quick && d > 0
				   : !s->quick || (s->written && d > 0))
				continue;
			if (!case_shape(t, &k, s))
				bug("%s has no dims %s", name, s->set);
			snprintf(k.name, sizeof k.name, "%s %s %s %s", name,
				 dtypes[d] ? dtypes[d] : "f16", s->set,
				 s->dims);
			double t0 = clock_seconds();
			try_shape(t, &k, s);
			if (t->verbose)
				printf("%s: %.2f s\n", k.name,
				       clock_seconds() - t0);
		}
		tenon_program_free(k.program);
	}
}

/* ---- reference points ------------------------------------------------ */

static Tensor matrix(Arena *a, DType d, int64_t rows, int64_t columns,
		     const double *x)
{
	Tensor t = {.dtype = d, .rank = 2, .shape = {rows, columns}};

	if (rows < 0) {
		t.rank = 1;
		t.shape[0] = columns;
		rows = 1;
	}
	tensor_set_contiguous(&t);
	t.data = arena_array(a, char, tensor_bytes(&t) + 1);
	for (int64_t i = 0; i < rows * columns; i++)
		dtype_store(d, t.data, i, dtype_round(d, x[i]));
	return t;
}

static Verdict judge_point(Test *t, Arena *a, const char *program,
			   Tensor *inputs, size_t n, int64_t k, double result)
{
	Case c = case_open(t, program, NULL);
	Feeds feeds = {.inputs = inputs, .ninputs = n};

	if (tenon_set_dim(c.program, "M", 1) != TENON_OK ||
	    tenon_set_dim(c.program, "N", 1) != TENON_OK ||
	    tenon_set_dim(c.program, "K", k) != TENON_OK)
		bug("%s", tenon_message(t->c));
	c.b = (Binding){c.program->dims, c.program->p->ex.dims.n};
	Tensor out = matrix(a, DT_F16, 1, 1, &result);
	Verdict v = judge(t, a, c.program->p, &c.b, &feeds, &out);
	tenon_program_free(c.program);
	return v;
}

/* One product, 1.098109245300293, whose boundary the addend takes away. */
static void point_boundary(Test *t)
{
	Arena a;
	arena_init(&a);
	Tensor in[3] = {
		matrix(&a, DT_F16, 1, 1, (const double[]){1.0048828125}),
		matrix(&a, DT_F16, 1, 1, (const double[]){1.0927734375}),
		matrix(&a, DT_F16, -1, 1, (const double[]){-1.09765625}),
	};
	Verdict v = judge_point(t, &a, "bias", in, 3, 1, 0);
	count(t, v.outcome == OUT_PASS, "the rounded product and its negative",
	      &v);
	v = judge_point(t, &a, "bias", in, 3, 1, 0.00045299530029296875);
	count(t, v.outcome == OUT_FAIL && v.results[0].exact == OUT_FAIL,
	      "a skipped boundary must fail", &v);
	arena_release(&a);
}

/*
 * 7 * 293 * 2^-13 lies between two f16 numbers. Three terms of -2^-27 decide
 * which is nearer, but are lost when each is added to it alone. Minus the
 * lower one and 0.01953125 is the other product.
 */
static void point_join(Test *t)
{
	double e = 0x1p-10, f = -0x1p-17;
	Arena a;
	arena_init(&a);
	Tensor in[3] = {
		matrix(&a, DT_F16, 1, 5, (const double[]){7, e, e, e, 1}),
		matrix(&a, DT_F16, 5, 1,
		       (const double[]){293 * 0x1p-13, f, f, f, 0}),
		matrix(&a, DT_F16, 5, 1,
		       (const double[]){0, 0, 0, 0, -0.269775390625}),
	};
	Verdict v =
		judge_point(t, &a, "projection_join", in, 3, 5, -0.01953125);
	/* one element, 8 numbers wide: inconclusive at most, but admitted */
	count(t, v.outcome != OUT_FAIL && v.results[0].ref == -0.01953125,
	      "the rounded reference", &v);
	v = judge_point(t, &a, "projection_join", in, 3, 5, -0.019287109375);
	count(t, v.outcome != OUT_FAIL && v.results[0].fixed == OUT_FAIL,
	      "an honest f32 sum that the fixed rule misses", &v);
	v = judge_point(t, &a, "projection_join", in, 3, 5, -0.01904296875);
	count(t, v.outcome == OUT_FAIL, "two numbers away must fail", &v);
	arena_release(&a);
}

/* ---- results that look right ----------------------------------------- */

typedef enum Fake {
	FAKE_EARLIER, /* right for other inputs */
	FAKE_NAN,     /* one NaN */
	FAKE_ZEROS,
	FAKE_DTYPE, /* rounded to bf16 on the way */
	FAKE_NEXT,  /* every element one number further from 0 */
	FAKE_COUNT,
} Fake;
static const char *const fake_name[] = {
	"results of an earlier call", "a NaN out of nowhere",    "zeros",
	"results of another dtype",   "results one number away",
};

static void fake_make(Fake fake, Tensor *out, const Tensor *earlier)
{
	int64_t n = tensor_elements(out);

	for (int64_t i = 0; i < n; i++) {
		float x = dtype_load(out->dtype, out->data, i);
		uint16_t h;
		switch (fake) {
		case FAKE_EARLIER:
			x = dtype_load(out->dtype, earlier->data, i);
			break;
		case FAKE_NAN:
			x = i == n / 2 ? NAN : x;
			break;
		case FAKE_ZEROS:
			x = 0;
			break;
		case FAKE_DTYPE:
			x = dtype_round(DT_BF16, (double)x);
			break;
		case FAKE_NEXT:
			memcpy(&h, (char *)out->data + 2 * i, 2);
			h++;
			memcpy((char *)out->data + 2 * i, &h, 2);
			continue;
		case FAKE_COUNT:
			break;
		}
		dtype_store(out->dtype, out->data, i, x);
	}
}

static Tensor *honest(Test *t, Arena *a, Case *k, Fixture *f, uint64_t seed)
{
	if (!fixture_make(&t->c->ctx, k->program->p, &k->b, FAM_RANDOM, seed,
			  NULL, f))
		bug("%s", tenon_message(t->c));
	Interp in = {.a = a, .p = k->program->p, .b = &k->b};
	in.inputs = f->feeds.inputs;
	in.orders = t->orders;
	in.norders = t->norders;
	return interp_run(&in);
}

static void try_fakes(Test *t, const char *name)
{
	for (int fake = 0; fake < FAKE_COUNT; fake++) {
		Case k = case_open(t, name, NULL);
		Fixture now = {0}, before = {0};
		char what[120];
		Arena a;
		arena_init(&a);
		if (!case_shape(t, &k, &shapes[0]))
			bug("%s", tenon_message(t->c));
		Tensor *out = honest(t, &a, &k, &now, 2);
		Tensor *earlier = honest(t, &a, &k, &before, 1);
		for (size_t r = 0; r < k.program->p->results.n; r++)
			fake_make((Fake)fake, &out[r], &earlier[r]);
		Verdict v = judge(t, &a, k.program->p, &k.b, &now.feeds, out);
		snprintf(what, sizeof what, "%s: %s must fail", name,
			 fake_name[fake]);
		count(t, v.outcome == OUT_FAIL, what, &v);
		fixture_release(&now);
		fixture_release(&before);
		arena_release(&a);
		tenon_program_free(k.program);
	}
}

static bool wanted(char **names, const char *name)
{
	if (!*names)
		return true;
	for (; *names; names++)
		if (!strcmp(*names, name))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	static Test t;
	const char *all = getenv("TEST_ALL");
	int flags = 1;

	setvbuf(stdout, NULL, _IOLBF, 0);
	t.all = all && *all;
	for (; flags < argc && argv[flags][0] == '-'; flags++) {
		t.all |= !strcmp(argv[flags], "--all");
		t.verbose |= !strcmp(argv[flags], "--verbose");
	}
	t.c = tenon_context_new();
	if (!t.c)
		return 1;
	orders_make(&t);
	for (size_t i = 0; i < ARRAY_LEN(programs); i++) {
		if (!wanted(argv + flags, programs[i]))
			continue;
		try_program(&t, programs[i]);
		try_fakes(&t, programs[i]);
	}
	point_boundary(&t);
	point_join(&t);
	printf("%zu orders, %ld rows, %ld results judged\n", t.norders, t.rows,
	       t.judged);
	tenon_context_free(t.c);
	printf("%d passed, %d failed, 0 skipped\n", t.passed, t.failed);
	return t.failed > 0;
}
