/*
 * prepared: TenonCalls, plans with their tensors bound once and run often.
 *
 * Each gives what tenon_plan_run gives, bit for bit: again and again, with
 * other data in the same tensors, on tensors that the plan must copy, after
 * a fault, beside other calls of the same plan, and from several threads at
 * the same time.
 */
#include "tests/unit/api.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define CALLERS 4
#define RUNS    50

static bool opened(Case *k, const char *text, int threads)
{
	if (!case_open(k, "t.tn", text, NULL))
		return false;
	tenon_set_threads(k->c, threads);
	return case_compile(k);
}

/* Tensors like t with memory of their own and the same data. */
static void like(const TenonTensor *t, int n, TenonTensor *out)
{
	for (int i = 0; i < n; i++) {
		size_t bytes = tenon_tensor_bytes(&t[i]);
		out[i] = t[i];
		out[i].data = tenon_alloc(bytes);
		memcpy(out[i].data, t[i].data, bytes);
	}
}

static uint64_t hash_of(const TenonTensor *t, int n)
{
	uint64_t h = 1;

	for (int i = 0; i < n; i++)
		h = hash_bytes(t[i].data, tenon_tensor_bytes(&t[i]), h);
	return h;
}

/* Runs the call after spoiling the results; their hash. */
static uint64_t run(const Case *k, TenonCall *call, TenonTensor *out)
{
	int n = tenon_program_results(k->p);

	for (int i = 0; i < n; i++)
		memset(out[i].data, 0x5a, tenon_tensor_bytes(&out[i]));
	if (!CHECK(tenon_call_run(call) == TENON_OK))
		printf("%s", tenon_call_message(call));
	return hash_of(out, n);
}

/* ---- the same results ------------------------------------------------ */

static const char *const texts[] = {
	"dims d: M = 3, N = 4\n"
	"def f(x: f32[M, N], y: f32[N]):\n"
	"    return x * y + 1\n",
	"dims d: M = 70, N = 300\n"
	"def f(x: f32[M, N]):\n"
	"    return softmax(x, axis=-1), x + 1\n",
	"dims d: M = 37, N = 90, K = 61\n"
	"def f(x: f32[M, K], w: f32[K, N], v: f32[N, N]):\n"
	"    p = x @ w\n"
	"    return relu(p) @ v, p\n",
	/* results that no kernel writes, and one task for all */
	"def f(x: f32[], y: f32[1, 1], z: f32[1, 1]):\n"
	"    return x, y @ z, x\n",
	/* nothing to run */
	"dims d: M = 0\n"
	"def f(x: f32[M, 5]):\n"
	"    return x + 1\n",
};

static void same_results(void)
{
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		for (int threads = 1; threads <= 3; threads += 2) {
			Case k;
			TenonCall *call = NULL;
			if (opened(&k, texts[i], threads) &&
			    case_fill(&k, "search") && case_run(&k) &&
			    works(&k,
				  tenon_call_new(k.plan, k.in, k.out, &call),
				  "call")) {
				uint64_t want = case_hash(&k);
				for (int n = 0; n < 3; n++)
					CHECK(run(&k, call, k.out) == want);
				/* other data in the same memory */
				size_t bytes = tenon_tensor_bytes(&k.in[0]);
				memset(k.in[0].data, 0, bytes);
				uint64_t other = run(&k, call, k.out);
				CHECK(bytes == 0 || other != want);
				CHECK(case_run(&k) && case_hash(&k) == other);
				CHECK_STR(tenon_call_message(call), "");
			}
			tenon_call_free(call);
			case_close(&k);
		}
}

/* The first input transposed in memory, the result off its alignment. */
static void copied(void)
{
	Case k;
	TenonCall *call = NULL;

	if (opened(&k, texts[0], 1) && case_fill(&k, "search") &&
	    case_run(&k)) {
		float turned[12], *x = k.in[0].data;
		char space[4 * 12 + 1];
		TenonTensor in[2] = {k.in[0], k.in[1]}, out = k.out[0];
		in[0].data = turned;
		in[0].strides[0] = 4;
		in[0].strides[1] = 12;
		out.data = space + 1;
		tenon_notices(k.c);
		CHECK(!tenon_call_new(k.plan, in, &out, &call));
		CHECK_STR(tenon_notices(k.c),
			  "input x: copied, since its strides or alignment are "
			  "not what the plan admits\n"
			  "result y: copied, since its strides or alignment "
			  "are not what the plan admits\n");
		for (int n = 0; n < 2; n++) {
			x[5] = (float)n;
			for (int i = 0; i < 12; i++)
				turned[i % 4 * 3 + i / 4] = x[i];
			CHECK(case_run(&k) &&
			      run(&k, call, &out) == case_hash(&k));
		}
	}
	tenon_call_free(call);
	case_close(&k);
}

/* ---- refusals and faults --------------------------------------------- */

static void refusals(void)
{
	Case k;
	TenonCall *call = (TenonCall *)&k;

	if (opened(&k, texts[0], 1) && case_fill(&k, "search")) {
		TenonTensor out = k.out[0], in[2] = {k.in[0], k.in[1]};
		out.shape[1]++;
		refused(&k, tenon_call_new(k.plan, in, &out, &call),
			TENON_EUSAGE, "result y: axis 1 has extent 5");
		CHECK(!call);
		out = k.out[0];
		out.data = in[0].data;
		refused(&k, tenon_call_new(k.plan, in, &out, &call),
			TENON_EUSAGE, "result y overlaps input x");
		in[1].rank = 0;
		refused(&k, tenon_call_new(k.plan, in, k.out, &call),
			TENON_EUSAGE, "input y: rank is 0");
	}
	case_close(&k);
}

static void faults(void)
{
	Case k;
	TenonCall *call = NULL;

	if (opened(&k,
		   "def f(x: i32[300000], y: i32[300000]):\n"
		   "    return x // y\n",
		   3) &&
	    case_fill(&k, "zeros")) {
		int32_t *y = k.in[1].data;
		for (int i = 0; i < 300000; i++)
			y[i] = 1;
		CHECK(!tenon_call_new(k.plan, k.in, k.out, &call));
		uint64_t good = run(&k, call, k.out);
		for (int n = 0; n < 3; n++) {
			y[200000] = y[290000] = 0;
			CHECK(tenon_call_run(call) == TENON_EPROGRAM);
			CHECK_STR(tenon_call_message(call),
				  "t.tn:2:12: error: integer division by zero "
				  "at element [200000]\n"
				  "        return x // y\n"
				  "               ^~~~~~\n");
			CHECK_STR(tenon_message(k.c), "");
			y[200000] = y[290000] = 1;
			CHECK(run(&k, call, k.out) == good);
		}
	}
	tenon_call_free(call);
	case_close(&k);
}

/* ---- workers --------------------------------------------------------- */

/* Workers of the one launch of x + 1 on n elements, of 64 threads. */
static int workers_for(int64_t n, double break_even)
{
	Case k;
	TenonCall *call = NULL;
	int workers = -1;

	if (opened(&k, "def f(x: f32[M]):\n    return x + 1\n", 64)) {
		instance_serial_steps = break_even;
		CHECK(!tenon_set_dim(k.p, "M", n));
		if (case_fill(&k, "zeros") &&
		    works(&k, tenon_call_new(k.plan, k.in, k.out, &call),
			  "call") &&
		    CHECK(call->set.n == 1))
			workers = call->set.steps[0].workers;
	}
	tenon_call_free(call);
	case_close(&k);
	return workers;
}

/* No thread is asked for what it would not gain, nor without a task. */
static void worth_workers(void)
{
	double normal = instance_serial_steps;

	CHECK(normal > 0);
	CHECK(workers_for(100, normal) == 1);
	CHECK(workers_for(20000, normal) == 1);
	int some = workers_for(200000, normal);
	CHECK(some > 1 && some < 16);
	CHECK(workers_for(1 << 24, normal) == 64);
	CHECK(workers_for(100, 0) == 1);
	CHECK(workers_for(200000, 0) > some);
}

/* ---- several calls --------------------------------------------------- */

static void several_sizes(void)
{
	Case k;
	TenonCall *call[2] = {0};

	if (opened(&k, texts[2], 2)) {
		TenonTensor in[2][CASE_TENSORS] = {0}, out[2][CASE_TENSORS];
		uint64_t want[2];
		memset(out, 0, sizeof(out));
		for (int i = 0; i < 2; i++) {
			CHECK(!tenon_set_dim(k.p, "M", i ? 5 : 37));
			if (!case_fill(&k, "search") || !case_run(&k))
				break;
			want[i] = case_hash(&k);
			like(k.in, 3, in[i]);
			like(k.out, 2, out[i]);
			CHECK(!tenon_call_new(k.plan, in[i], out[i], &call[i]));
		}
		for (int n = 0; n < 4; n++)
			CHECK(run(&k, call[n % 2], out[n % 2]) == want[n % 2]);
		tenon_call_free(call[0]);
		call[0] = NULL;
		CHECK(run(&k, call[1], out[1]) == want[1]);
		CHECK(case_run(&k) && case_hash(&k) == want[1]);
		for (int i = 0; i < 2; i++) {
			tensors_release(in[i]);
			tensors_release(out[i]);
		}
	}
	tenon_call_free(call[1]);
	case_close(&k);
}

typedef struct Caller {
	pthread_t id;
	TenonCall *call;
	TenonTensor out[CASE_TENSORS];
	int results;
	uint64_t want;
	bool ok;
} Caller;

static atomic_int at_work;

static void *caller_runs(void *arg)
{
	Caller *c = arg;

	c->ok = true;
	atomic_fetch_add(&at_work, 1);
	while (atomic_load(&at_work) < CALLERS)
		;
	for (int n = 0; n < RUNS; n++) {
		for (int i = 0; i < c->results; i++)
			memset(c->out[i].data, n,
			       tenon_tensor_bytes(&c->out[i]));
		c->ok &= tenon_call_run(c->call) == TENON_OK &&
			 hash_of(c->out, c->results) == c->want;
	}
	return NULL;
}

/* Callers run calls of one plan while the context's thread runs it too. */
static void run_together(Case *k)
{
	Caller callers[CALLERS];
	int started = 0;

	memset(callers, 0, sizeof(callers));
	atomic_store(&at_work, 0);
	for (; started < CALLERS; started++) {
		Caller *c = &callers[started];
		c->results = tenon_program_results(k->p);
		c->want = case_hash(k);
		like(k->out, c->results, c->out);
		CHECK(!tenon_call_new(k->plan, k->in, c->out, &c->call));
	}
	for (int i = 0; i < started; i++)
		CHECK(!pthread_create(&callers[i].id, NULL, caller_runs,
				      &callers[i]));
	for (int n = 0; n < RUNS; n++)
		CHECK(case_run(k) && case_hash(k) == callers[0].want);
	for (int i = 0; i < started; i++) {
		pthread_join(callers[i].id, NULL);
		CHECK(callers[i].ok);
		tenon_call_free(callers[i].call);
		tensors_release(callers[i].out);
	}
}

static void several_threads(void)
{
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		Case k;
		if (opened(&k, texts[i], 2) && case_fill(&k, "search") &&
		    case_run(&k))
			run_together(&k);
		case_close(&k);
	}
}

TEST_MAIN(TEST(worth_workers), TEST(same_results), TEST(copied), TEST(refusals),
	  TEST(faults), TEST(several_sizes), TEST(several_threads))
