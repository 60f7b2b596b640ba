/*
 * once: phases that run once a binding of dims, on weights alone.
 *
 * Their stage-4 law and its text; that they run before the first run and
 * then never again (the weights' memory is spoiled in between, which a
 * second run would show); that what they wrote stays as it is; sizes that
 * change, plans and calls beside each other, saved plans, faults.
 */
#include "driver/driver.h"

#include "tests/unit/api.h"

#include <pthread.h>
#include <unistd.h>

#define K 40
#define N 50

static const char product[] = "const w: f32[40, 50] = file(\"w.npy\")\n"
			      "dims d: M = 33\n"
			      "def f(x: f32[M, 40]):\n"
			      "    return relu(x @ w)\n";

static bool write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	return CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static bool write_weight(Case *k, const char *name, TenonDType d, int rank,
			 int64_t rows, int64_t cols, void *data)
{
	TenonTensor t = {.dtype = d, .rank = rank, .data = data};
	int64_t size = (int64_t)tenon_dtype_size(d);

	t.shape[0] = rank == 2 ? rows : cols;
	t.shape[1] = rank == 2 ? cols : 0;
	t.strides[0] = rank == 2 ? cols * size : size;
	t.strides[1] = rank == 2 ? size : 0;
	return works(k, tenon_npy_write(k->c, test_path(name), &t), name);
}

/* The product with a weight from a file, compiled. */
static bool open_product(Case *k)
{
	static float w[K * N];
	Case maker = {.c = tenon_context_new()};

	for (int i = 0; i < K * N; i++)
		w[i] = (float)(i * 7 % 23 - 11) * 0.25f;
	bool ok = write_file(test_path("f.tn"), product) &&
		  write_weight(&maker, "w.npy", TENON_F32, 2, K, N, w);
	tenon_context_free(maker.c);
	if (!ok || !case_open(k, test_path("f.tn"), NULL, NULL))
		return false;
	tenon_set_threads(k->c, 2);
	return case_compile(k);
}

/* What the program must give: sums of few bits, so that any order is right. */
static bool is_product(const Case *k, const TenonTensor *y)
{
	const float *x = k->in[0].data, *got = y->data;

	for (int64_t i = 0; i < y->shape[0]; i++)
		for (int j = 0; j < N; j++) {
			float sum = 0;
			for (int l = 0; l < K; l++)
				sum += x[i * K + l] *
				       ((float)((l * N + j) * 7 % 23 - 11) *
					0.25f);
			if (got[i * N + j] != (sum > 0 ? sum : 0))
				return false;
		}
	return true;
}

/* Inputs of small integers. */
static bool fill(Case *k)
{
	if (!case_fill(k, "zeros"))
		return false;
	float *x = k->in[0].data;
	for (int64_t i = 0; i < k->in[0].shape[0] * K; i++)
		x[i] = (float)(i * 5 % 17 - 8);
	return true;
}

static uint64_t kept_hash(const Instance *in)
{
	return hash_bytes(in->kept, in->kept_size, 1);
}

static int once_launches(const TenonPlan *p)
{
	int n = 0;

	for (size_t i = 0; i < p->plan->launches.n; i++)
		n += p->plan->launches.p[i].once;
	return n;
}

static void spoil_weights(Instance *in)
{
	for (size_t v = 0; v < in->plan->program->p->values.n; v++)
		if (in->weights[v].data)
			memset(in->weights[v].data, 0xff,
			       tensor_bytes(&in->weights[v]));
}

/* ---- runs ------------------------------------------------------------ */

static void packed_once(void)
{
	Case k;

	if (open_product(&k) && CHECK(once_launches(k.plan) == 1) && fill(&k) &&
	    case_run(&k)) {
		Instance *in = k.plan->instances;
		uint64_t kept = kept_hash(in);
		CHECK(in->kept_size == 4 * K * 64 && in->users == 1);
		CHECK(is_product(&k, &k.out[0]));
		spoil_weights(in);
		for (int n = 0; n < 3; n++) {
			memset(k.out[0].data, 0xff, 4);
			CHECK(case_run(&k) && is_product(&k, &k.out[0]));
			CHECK(kept_hash(in) == kept);
		}
		/* a call under the same sizes shares them */
		TenonCall *call = NULL;
		CHECK(!tenon_call_new(k.plan, k.in, k.out, &call));
		CHECK(k.plan->instances == in && !in->next && in->users == 2);
		memset(k.out[0].data, 0xff, 4);
		CHECK(!tenon_call_run(call) && is_product(&k, &k.out[0]));
		CHECK(kept_hash(in) == kept);
		tenon_call_free(call);
	}
	case_close(&k);
}

static void sizes_change(void)
{
	static const int64_t sizes[] = {33, 1, 0, 100, 33};
	Case k;
	TenonCall *call = NULL;

	if (open_product(&k) && fill(&k)) {
		TenonTensor in = k.in[0], out = k.out[0];
		CHECK(!tenon_call_new(k.plan, &in, &out, &call));
		k.in[0].data = k.out[0].data = NULL;
		for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
			CHECK(!tenon_set_dim(k.p, "M", sizes[i]));
			CHECK(fill(&k) && case_run(&k) &&
			      is_product(&k, &k.out[0]));
			/* only what calls hold is kept */
			CHECK(!k.plan->instances->next ||
			      !k.plan->instances->next->next);
			/* of one binding; the next reads its own */
			spoil_weights(k.plan->instances);
		}
		CHECK(!tenon_call_run(call));
		CHECK(!memcmp(out.data, k.out[0].data, 4 * 33 * N));
		tenon_release(in.data, tenon_tensor_bytes(&in));
		tenon_release(out.data, tenon_tensor_bytes(&out));
	}
	tenon_call_free(call);
	case_close(&k);
}

static void two_plans(void)
{
	Case k;
	TenonPlan *other = NULL;

	if (open_product(&k) && fill(&k) && case_run(&k) &&
	    works(&k, tenon_compile(k.c, k.p, NULL, &other), "again")) {
		spoil_weights(k.plan->instances);
		memset(k.out[0].data, 0xff, 4);
		CHECK(!tenon_plan_run(other, k.in, k.out));
		CHECK(is_product(&k, &k.out[0]));
		CHECK(other->instances != k.plan->instances);
		tenon_plan_free(k.plan);
		k.plan = other;
		memset(k.out[0].data, 0xff, 4);
		CHECK(case_run(&k) && is_product(&k, &k.out[0]));
	}
	case_close(&k);
}

typedef struct Caller {
	pthread_t id;
	TenonCall *call;
	bool ok;
} Caller;

static void *caller_runs(void *arg)
{
	Caller *c = arg;

	c->ok = true;
	for (int n = 0; n < 100; n++)
		c->ok &= tenon_call_run(c->call) == TENON_OK;
	return NULL;
}

static void two_threads(void)
{
	Case k;
	Caller callers[3] = {0};
	TenonTensor out[3];

	if (open_product(&k) && fill(&k)) {
		for (int i = 0; i < 3; i++) {
			out[i] = k.out[0];
			out[i].data = tenon_alloc(tenon_tensor_bytes(&out[i]));
			CHECK(!tenon_call_new(k.plan, k.in, &out[i],
					      &callers[i].call));
		}
		uint64_t kept = kept_hash(k.plan->instances);
		for (int i = 0; i < 3; i++)
			CHECK(!pthread_create(&callers[i].id, NULL, caller_runs,
					      &callers[i]));
		for (int i = 0; i < 3; i++) {
			pthread_join(callers[i].id, NULL);
			CHECK(callers[i].ok && is_product(&k, &out[i]));
		}
		CHECK(kept_hash(k.plan->instances) == kept);
		for (int i = 0; i < 3; i++) {
			tenon_call_free(callers[i].call);
			tenon_release(out[i].data, tenon_tensor_bytes(&out[i]));
		}
		CHECK(!k.plan->instances); /* the last call took it along */
	}
	case_close(&k);
}

static void replayed(void)
{
	Case k;
	Case l = {0};
	const char *file = test_path("plan.json");

	if (open_product(&k) && fill(&k) &&
	    works(&k, tenon_plan_save(k.plan, file), "save") &&
	    works(&k, tenon_plan_load(k.c, file, &l.p, &l.plan), "load")) {
		CHECK(once_launches(l.plan) == 1);
		CHECK(!tenon_plan_run(l.plan, k.in, k.out));
		spoil_weights(l.plan->instances);
		memset(k.out[0].data, 0xff, 4);
		CHECK(!tenon_plan_run(l.plan, k.in, k.out));
		CHECK(is_product(&k, &k.out[0]));
	}
	tenon_plan_free(l.plan);
	tenon_program_free(l.p);
	case_close(&k);
}

/* ---- faults ---------------------------------------------------------- */

/* y = x + 100 / w, the quotients made once. */
static const char dividing_head[] = "program f @0:1:1+1\n"
				    "source 0 \"f.tn\"\n"
				    "%0 x: i32[4] = input index=0\n"
				    "%1 w: i32[4] = weight file=\"";
static const char dividing_tail[] = "\"\n"
				    "%2: i32[4] = floordiv %1 %1 @0:1:3+2\n"
				    "%3: i32[4] = add %0 %2\n"
				    "return %3 as y\n"
				    "kernels\n"
				    "kernel k0 loop region 0\n"
				    "\tbuffer in x: i32[4] %0\n"
				    "\tbuffer in w: i32[4] %1\n"
				    "\tbuffer shared q: i32[4]\n"
				    "\tbuffer out y: i32[4] %3\n"
				    "\tphase prepare once tasks i0 < 4 {\n"
				    "\t\tv0: i32 = load w[i0]\n"
				    "\t\tv1: i32 = const 100\n"
				    "\t\tv2: i32 = floordiv v1 v0 at i0 as %2\n"
				    "\t\tstore q[i0] = v2\n"
				    "\t}\n"
				    "\tphase main {\n"
				    "\t\tfor i0 < 4 serial {\n"
				    "\t\t\tv4: i32 = load x[i0]\n"
				    "\t\t\tv5: i32 = load q[i0]\n"
				    "\t\t\tv6: i32 = add v4 v5\n"
				    "\t\t\tstore y[i0] = v6\n"
				    "\t\t}\n"
				    "\t}\n";

static bool write_dividing(void)
{
	FILE *f = fopen(test_path("divide.kernels"), "w");

	return CHECK(f && fputs(dividing_head, f) >= 0 &&
		     fputs(test_path("divisor.npy"), f) >= 0 &&
		     fputs(dividing_tail, f) >= 0 && fclose(f) == 0);
}

static void divide(int32_t *w, TenonError want)
{
	Case k = {.c = tenon_context_new()};
	TenonCall *call = NULL;
	int32_t x[4] = {1, 2, 3, 4}, y[4] = {0};
	TenonTensor in = {TENON_I32, 1, {4}, {4}, x, TENON_HOST};
	TenonTensor out = {TENON_I32, 1, {4}, {4}, y, TENON_HOST};

	if (write_dividing() &&
	    write_weight(&k, "divisor.npy", TENON_I32, 1, 0, 4, w) &&
	    works(&k,
		  tenon_resume(k.c, "kernels", test_path("divide.kernels"),
			       NULL, &k.p, &k.plan),
		  "resume")) {
		CHECK(once_launches(k.plan) == 1);
		for (int n = 0; n < 2; n++) {
			TenonError e = tenon_plan_run(k.plan, &in, &out);
			TenonError f = tenon_call_new(k.plan, &in, &out, &call);
			if (!CHECK(e == want && f == want && !call == !!want))
				printf("%s", tenon_message(k.c));
			if (want)
				CHECK(strstr(tenon_message(k.c),
					     "integer division by zero at "
					     "element [2]"));
			else
				CHECK(y[0] == 101 && y[3] == 29 &&
				      !tenon_call_run(call));
			tenon_call_free(call);
			call = NULL;
		}
	}
	case_close(&k);
}

static void faults(void)
{
	divide((int32_t[]){1, 2, 3, 4}, TENON_OK);
	divide((int32_t[]){1, 2, 0, 0}, TENON_EPROGRAM);
}

/* ---- the law --------------------------------------------------------- */

#define PROGRAM                                                                \
	"program t\n"                                                          \
	"%0 x: f32[8] = input index=0\n"                                       \
	"%1 w: f32[8] = weight file=\"w.npy\"\n"                               \
	"%2 y: f32[8] = add %0 %1\n"                                           \
	"return %2 as y\n"                                                     \
	"kernels\n"                                                            \
	"kernel k0 loop region 0\n"                                            \
	"\tbuffer in x: f32[8] %0\n"                                           \
	"\tbuffer in w: f32[8] %1\n"                                           \
	"\tbuffer out y: f32[8] %2\n"                                          \
	"\tbuffer shared s: f32[8]\n"                                          \
	"\tbuffer shared t: f32[8]\n"

#define COPY(var, phase, from, to)                                             \
	"\tphase " phase " {\n"                                                \
	"\t\tfor i0 < 8 serial {\n"                                            \
	"\t\t\t" var ": f32 = load " from "[i0]\n"                             \
	"\t\t\tstore " to "[i0] = " var "\n"                                   \
	"\t\t}\n"                                                              \
	"\t}\n"

static void law(void)
{
	static const struct {
		const char *phases, *why; /* NULL: lawful */
	} rows[] = {
		{COPY("v0", "a once", "w", "s") COPY("v1", "b", "s", "y"),
		 NULL},
		{COPY("v0", "a once", "w", "s") COPY("v1", "b once", "s", "t")
			 COPY("v2", "c", "t", "y"),
		 NULL},
		{COPY("v0", "a once", "x", "s") COPY("v1", "b", "s", "y"),
		 "it reads x"},
		{COPY("v0", "a", "w", "s") COPY("v1", "b once", "s", "t"),
		 "it reads s"},
		{COPY("v0", "a once", "w", "y"), "it writes y"},
		{COPY("v0", "a once", "w", "s") COPY("v1", "b", "x", "s"),
		 "another phase too writes s"},
		{COPY("v0", "a once", "w", "s") COPY("v1", "b once", "w", "s"),
		 "another phase too writes s"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		Ctx ctx;
		Buf b;
		ctx_init(&ctx);
		const char *text = arena_printf(&ctx.perm, "%s%s", PROGRAM,
						rows[i].phases);
		Kernels *ks = kernels_parse(
			&ctx, &ctx.perm,
			ctx_add_source(&ctx, "t", text, strlen(text)));
		buf_init(&b, &ctx.perm);
		if (ks)
			kernels_print(ks, &b);
		if (CHECK(!ks == !!rows[i].why)) {
			if (ks)
				CHECK_STR(buf_str(&b), text);
			else
				CHECK(strstr(buf_str(&ctx.messages),
					     rows[i].why));
		}
		if (ks) { /* what is marked is what may be */
			Kernel *k = &ks->kernels.p[0];
			bool was[3];
			for (size_t p = 0; p < k->phases.n; p++)
				was[p] = k->phases.p[p].once;
			kernel_mark_once(ks, k);
			for (size_t p = 0; p < k->phases.n; p++)
				CHECK(k->phases.p[p].once == was[p]);
		}
		ctx_release(&ctx);
	}
}

static void nothing_is_left(void)
{
	test_folder_remove();
}

TEST_MAIN(TEST(packed_once), TEST(sizes_change), TEST(two_plans),
	  TEST(two_threads), TEST(replayed), TEST(faults), TEST(law),
	  TEST(nothing_is_left))
