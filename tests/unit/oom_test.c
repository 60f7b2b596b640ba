/*
 * oom: every call of the API with its Nth allocation refused.
 *
 * For each N until the call needs fewer, the Nth allocation of arenas and
 * of large data fails (oom_fail_nth), then the Nth of jansson's. The call
 * must return TENON_ENOMEM with its message, or do without the memory; the
 * context must work as before afterwards. Leaks and touched freed memory
 * are what the sanitizers' build reports. Long counts are sampled, twenty
 * times closer where TEST_ALL is set.
 */
#include "driver/driver.h"

#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/test.h"

#define POINTS 40 /* that a call is failed at, beyond the first few */
#define FIRST  12

static const char softmax_text[] = "dims d: M = 3, K = 40\n"
				   "def f(x: f32[M, K]):\n"
				   "    return softmax(x, axis=-1), x + 1\n";
static const char matmul_text[] =
	"dims d: M = 5, N = 9, K = 17\n"
	"def g(x: f16[M, K], w: f16[K, N], b: f16[N]):\n"
	"    p = x @ w\n"
	"    return relu(p + b), p\n";
static const char gather_text[] = "dims d: M = 6\n"
				  "@donate(x)\n"
				  "def h(x: i32[M], i: i32[3], c: bool):\n"
				  "    y = where(c, x[::-1] * 3, x)\n"
				  "    return y, gather(x, i)\n";
static const char wrong_text[] = "def f(x: f32[M, K], y: f32[K]):\n"
				 "    z = x + y.T + nothing(x)\n"
				 "    return z @\n";

/* Where files of these tests go; made once a process. */
static const char *folder(void)
{
	static char path[256];
	const char *tmp = getenv("TMPDIR");

	if (!path[0]) {
		snprintf(path, sizeof(path), "%s/oom-XXXXXX",
			 tmp && *tmp ? tmp : "/tmp");
		if (!mkdtemp(path))
			perror(path);
	}
	return path;
}

static const char *in_folder(const char *name)
{
	static char path[4][512];
	static int next;
	char *p = path[next++ % 4];

	snprintf(p, sizeof(path[0]), "%s/%s", folder(), name);
	return p;
}

static bool sink(void *arg, const char *text, size_t len)
{
	uint64_t *h = arg;

	*h = hash_bytes(text, len, *h);
	return true;
}

/* ---- what a call works on -------------------------------------------- */

#define MAX_TENSORS 4

typedef struct Work {
	TenonContext *c;
	const char *text;
	const char *path; /* of the program instead of its text */
	TenonProgram *p;
	TenonPlan *plan;
	TenonTensor in[MAX_TENSORS], out[MAX_TENSORS];
	uint64_t hash; /* of what the call gave */
} Work;

static void tensors_release(TenonTensor *t)
{
	for (int i = 0; i < MAX_TENSORS; i++) {
		if (t[i].data)
			tenon_release(t[i].data, tenon_tensor_bytes(&t[i]));
		t[i].data = NULL;
	}
}

static TenonError make_program(Work *w, TenonProgram **out)
{
	return w->path ? tenon_program_from_file(w->c, w->path, NULL, out)
		       : tenon_program_from_text(w->c, "t.tn", w->text, NULL,
						 out);
}

static bool work_program(Work *w)
{
	w->c = tenon_context_new();
	if (!CHECK(w->c != NULL))
		return false;
	tenon_set_threads(w->c, 2);
	instance_serial_steps = 0; /* the sizes here are small */
	if (!CHECK(!make_program(w, &w->p)))
		printf("%s", tenon_message(w->c));
	return w->p != NULL;
}

static bool work_plan(Work *w)
{
	bool applies;

	if (!work_program(w))
		return false;
	if (!CHECK(!tenon_compile(w->c, w->p, NULL, &w->plan)))
		printf("%s", tenon_message(w->c));
	if (!w->plan ||
	    !CHECK(!tenon_fixture(w->p, "search", 1, w->in, &applies)))
		return false;
	for (int i = 0; i < tenon_program_results(w->p); i++) {
		CHECK(!tenon_result_desc(w->p, i, &w->out[i]));
		w->out[i].data = tenon_alloc(tenon_tensor_bytes(&w->out[i]));
	}
	return true;
}

static void work_release(Work *w)
{
	tensors_release(w->in);
	tensors_release(w->out);
	tenon_plan_free(w->plan);
	tenon_program_free(w->p);
	tenon_context_free(w->c);
}

/* ---- the calls ------------------------------------------------------- */

typedef TenonError Call(Work *w);

static TenonError call_program(Work *w)
{
	TenonProgram *p;
	TenonError e = make_program(w, &p);

	CHECK(!e == !!p);
	tenon_program_free(p);
	return e;
}

/* The error is reported while memory is short. */
static TenonError call_wrong(Work *w)
{
	TenonProgram *p;
	TenonError e =
		tenon_program_from_text(w->c, "t.tn", wrong_text, NULL, &p);

	CHECK(e && !p);
	if (e == TENON_EPROGRAM)
		w->hash = hash_bytes(tenon_message(w->c),
				     strlen(tenon_message(w->c)), 0);
	return e == TENON_EPROGRAM ? TENON_OK : e;
}

static TenonError compile(Work *w, bool emit_only)
{
	const char *pins[] = {"loop.grain=64"};
	TenonPlanOptions o = {.emit_only = emit_only, .pins = pins, .npins = 0};
	TenonPlan *plan;
	TenonPlanInfo info;
	TenonError e = tenon_compile(w->c, w->p, &o, &plan);

	CHECK(!e == !!plan);
	if (e)
		return e;
	tenon_plan_info(plan, &info);
	w->hash = hash_bytes(info.identity, strlen(info.identity), 0);
	if (!*info.identity)
		e = TENON_ENOMEM;
	tenon_plan_free(plan);
	return e;
}

static TenonError call_emit(Work *w)
{
	return compile(w, true);
}

static TenonError call_compile(Work *w)
{
	return compile(w, false);
}

static TenonError call_run_plan(Work *w)
{
	TenonError e = tenon_plan_run(w->plan, w->in, w->out);

	w->hash = 0;
	for (int i = 0; !e && i < tenon_program_results(w->p); i++)
		w->hash = hash_bytes(w->out[i].data,
				     tenon_tensor_bytes(&w->out[i]), w->hash);
	return e;
}

/* The first run of a plan. */
static TenonError call_fresh_run(Work *w)
{
	Work fresh = *w;
	TenonError e = tenon_compile(w->c, w->p, NULL, &fresh.plan);

	if (!e)
		e = call_run_plan(&fresh);
	w->hash = fresh.hash;
	tenon_plan_free(fresh.plan);
	return e;
}

/* Inputs and results that the plan must copy. */
static TenonError call_run_strided(Work *w)
{
	TenonTensor in[MAX_TENSORS], out[MAX_TENSORS];
	char *spare[MAX_TENSORS];
	int results = tenon_program_results(w->p);

	memcpy(in, w->in, sizeof(in));
	memcpy(out, w->out, sizeof(out));
	in[0].strides[0] = 0; /* its first row again and again */
	for (int i = 0; i < results; i++) {
		spare[i] = malloc(tenon_tensor_bytes(&out[i]) + 1);
		out[i].data = spare[i] + 1; /* not aligned */
	}
	TenonError e = tenon_plan_run(w->plan, in, out);
	tenon_notices(w->c);
	w->hash = 0;
	for (int i = 0; i < results; i++) {
		if (!e)
			w->hash = hash_bytes(out[i].data,
					     tenon_tensor_bytes(&out[i]),
					     w->hash);
		free(spare[i]);
	}
	return e;
}

/* A call that is made, run and freed. */
static TenonError call_prepared(Work *w)
{
	TenonCall *call;
	TenonError e = tenon_call_new(w->plan, w->in, w->out, &call);

	CHECK(!e == !!call);
	if (e)
		return e;
	e = tenon_call_run(call);
	w->hash = 0;
	for (int i = 0; !e && i < tenon_program_results(w->p); i++)
		w->hash = hash_bytes(w->out[i].data,
				     tenon_tensor_bytes(&w->out[i]), w->hash);
	tenon_call_free(call);
	return e;
}

static TenonError call_check(Work *w)
{
	TenonOutcome o = TENON_NONE;
	TenonError e =
		tenon_check(w->plan, "exact,specials,zeros", 1, NULL, NULL, &o);

	CHECK(e || o != TENON_FAIL);
	return e;
}

static TenonError call_judge(Work *w)
{
	TenonOutcome o = TENON_NONE;
	TenonError e = tenon_judge(w->plan, w->in, w->out, NULL, NULL, &o);

	CHECK(e || o != TENON_FAIL);
	return e;
}

static TenonError call_fixture(Work *w)
{
	TenonTensor in[MAX_TENSORS] = {0};
	bool applies;
	TenonError e = tenon_fixture(w->p, "exact", 1, in, &applies);

	tensors_release(in);
	return e;
}

static TenonError call_explain(Work *w)
{
	w->hash = 0;
	return tenon_explain(w->plan, false, sink, &w->hash);
}

static TenonError call_explain_json(Work *w)
{
	w->hash = 0;
	return tenon_explain(w->plan, true, sink, &w->hash);
}

static TenonError call_dump(Work *w)
{
	static const char *const stages[] = {"program", "rewritten", "regions",
					     "kernels", "sources",   "plan"};
	TenonError e = TENON_OK;

	w->hash = 0;
	for (size_t i = 0; !e && i < ARRAY_LEN(stages); i++)
		e = tenon_plan_dump(w->plan, stages[i], sink, &w->hash);
	return e;
}

static TenonError call_save(Work *w)
{
	return tenon_plan_save(w->plan, in_folder("saved.json"));
}

static TenonError loaded(Work *w, TenonError e, TenonProgram *p,
			 TenonPlan *plan)
{
	TenonPlanInfo info;

	CHECK(!e == !!plan && !e == !!p);
	if (e)
		return e;
	tenon_plan_info(plan, &info);
	w->hash = hash_bytes(info.identity, strlen(info.identity), 0);
	if (!*info.identity)
		e = TENON_ENOMEM;
	tenon_plan_free(plan);
	tenon_program_free(p);
	return e;
}

static TenonError call_load(Work *w)
{
	TenonProgram *p;
	TenonPlan *plan;
	TenonError e = tenon_plan_load(w->c, in_folder("plan.json"), &p, &plan);

	return loaded(w, e, p, plan);
}

static TenonError resume(Work *w, const char *stage)
{
	TenonPlanOptions o = {.emit_only = true};
	TenonProgram *p;
	TenonPlan *plan;
	TenonError e =
		tenon_resume(w->c, stage, in_folder(stage), &o, &p, &plan);

	return loaded(w, e, p, plan);
}

static TenonError call_resume_program(Work *w)
{
	return resume(w, "program");
}

static TenonError call_resume_regions(Work *w)
{
	return resume(w, "regions");
}

static TenonError call_resume_kernels(Work *w)
{
	return resume(w, "kernels");
}

static TenonError call_sizes(Work *w)
{
	TenonTensor t;
	TenonError e = tenon_set_dims(w->p, "d");

	if (!e)
		e = tenon_set_dim(w->p, "M", 2);
	if (!e)
		e = tenon_input_desc(w->p, 0, &t);
	if (!e)
		e = tenon_set_dims(w->p, "d");
	if (!e && tenon_set_dim(w->p, "Q", 2) != TENON_EUSAGE)
		e = TENON_ENOMEM;
	return e;
}

static TenonError call_npy(Work *w)
{
	TenonTensor t = {0};
	const char *path = in_folder("x.npy");
	TenonError e = tenon_npy_write(w->c, path, &w->in[0]);

	if (!e)
		e = tenon_npy_read(w->c, path, TENON_DTYPE_COUNT, &t);
	if (t.data)
		tenon_release(t.data, tenon_tensor_bytes(&t));
	t.data = NULL;
	if (!e)
		e = tenon_input_read(w->p, 0, path, &t);
	if (t.data)
		tenon_release(t.data, tenon_tensor_bytes(&t));
	return e;
}

static TenonError call_context(Work *w)
{
	TenonContext *c = tenon_context_new();

	(void)w;
	if (!c)
		return TENON_ENOMEM;
	tenon_set_cache(c, "/nowhere");
	tenon_set_compiler(c, "cc");
	tenon_notices(c);
	tenon_context_free(c);
	return TENON_OK;
}

/* ---- refusing -------------------------------------------------------- */

static long json_count, json_fail_at;

static void *json_refusing(size_t n)
{
	return ++json_count == json_fail_at ? NULL : malloc(n);
}

/* One of the two ways to count and refuse allocations. */
typedef struct Refusal {
	const char *name;
	void (*at)(long n); /* 0: never */
	long (*count)(void);
	bool misread; /* the call may refuse the text for it */
} Refusal;

static void json_fail_nth(long n)
{
	json_fail_at = n > 0 ? json_count + n : 0;
}

static long json_allocations(void)
{
	return json_count;
}

static const Refusal arenas = {"arenas", oom_fail_nth, oom_allocations, false};
static const Refusal jansson = {"jansson", json_fail_nth, json_allocations,
				false};
/* Its reader drops text that it has no memory for, and meets nonsense. */
static const Refusal jansson_reading = {"jansson", json_fail_nth,
					json_allocations, true};

/* Fails `call` at each N; `limit` points, spread over all. */
static void refuse(Work *w, Call *call, const Refusal *r, const char *what,
		   long limit)
{
	const char *all = getenv("TEST_ALL");
	long before = r->count(), refused = 0;

	if (!CHECK(call(w) == TENON_OK)) {
		printf("%s: %s", what, tenon_message(w->c));
		return;
	}
	uint64_t want = w->hash;
	long total = r->count() - before;
	long step = total / (all && *all ? 20 * limit : limit) + 1;
	for (long n = 1; n <= total; n += n < FIRST ? 1 : step) {
		r->at(n);
		TenonError e = call(w);
		r->at(0);
		refused += e == TENON_ENOMEM;
		if (e == TENON_EPROGRAM && r->misread)
			continue;
		if (e && !CHECK(e == TENON_ENOMEM))
			printf("%s, %s: allocation %ld of %ld: error %d: %s",
			       what, r->name, n, total, (int)e,
			       tenon_message(w->c));
		if (e == TENON_ENOMEM &&
		    !CHECK(strstr(tenon_message(w->c), "out of memory")))
			printf("%s: allocation %ld: message `%s`\n", what, n,
			       tenon_message(w->c));
		if (!e && !CHECK(w->hash == want))
			printf("%s, %s: allocation %ld of %ld: another "
			       "result\n",
			       what, r->name, n, total);
	}
	if (call != call_context && !CHECK(refused > 0))
		printf("%s, %s: of %ld allocations none was missed\n", what,
		       r->name, total);
	CHECK(call(w) == TENON_OK);
	CHECK(w->hash == want);
}

#define REFUSE(w, call) refuse(w, call, &arenas, #call, POINTS)

/* ---- tests ----------------------------------------------------------- */

static void dump_to(Work *w, const char *stage);

static void contexts(void)
{
	Work w = {.text = softmax_text};

	if (work_program(&w))
		REFUSE(&w, call_context);
	work_release(&w);
}

static void programs(void)
{
	static const char *const texts[] = {softmax_text, matmul_text,
					    gather_text};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		Work w = {.text = texts[i]};
		if (work_program(&w)) {
			REFUSE(&w, call_program);
			REFUSE(&w, call_wrong);
			REFUSE(&w, call_sizes);
			REFUSE(&w, call_fixture);
		}
		work_release(&w);
	}
}

static void compiling(void)
{
	static const char *const texts[] = {softmax_text, matmul_text,
					    gather_text};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		Work w = {.text = texts[i]};
		if (work_plan(&w)) {
			REFUSE(&w, call_emit);
			REFUSE(&w, call_compile);
		}
		work_release(&w);
	}
}

static void running(void)
{
	static const char *const texts[] = {softmax_text, matmul_text,
					    gather_text};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		Work w = {.text = texts[i]};
		if (work_plan(&w)) {
			REFUSE(&w, call_fresh_run);
			REFUSE(&w, call_run_strided);
			REFUSE(&w, call_run_plan);
			REFUSE(&w, call_prepared);
			REFUSE(&w, call_judge);
			REFUSE(&w, call_check);
			REFUSE(&w, call_npy);
		}
		work_release(&w);
	}
}

/* Consts from files, which the plan holds from its first run on. */
static void weights(void)
{
	static const char text[] =
		"const w: f32[4, 6] = file(\"w.npy\")\n"
		"const v: f32[6] = file(\"v.safetensors\", \"v\")\n"
		"dims d: M = 3\n"
		"def f(x: f32[M, 4]):\n"
		"    return x @ w + v\n";
	static const char head[] = "\x3a\0\0\0\0\0\0\0"
				   "{\"v\":{\"dtype\":\"F32\",\"shape\":[6],"
				   "\"data_offsets\":[0,24]}}   ";
	float data[24] = {1, 2, 3, 4, 5, 6, 7, 8};
	TenonTensor t = {.dtype = TENON_F32,
			 .rank = 2,
			 .shape = {4, 6},
			 .strides = {24, 4},
			 .data = data};
	Work w = {.path = in_folder("w.tn")};
	FILE *tn = fopen(in_folder("w.tn"), "w");
	FILE *v = fopen(in_folder("v.safetensors"), "w");

	if (!CHECK(tn && v))
		return;
	fputs(text, tn);
	fwrite(head, 1, 8 + 0x3a, v);
	fwrite(data, 4, 6, v);
	fclose(tn);
	fclose(v);
	TenonContext *c = tenon_context_new();
	CHECK(c && !tenon_npy_write(c, in_folder("w.npy"), &t));
	tenon_context_free(c);
	if (work_plan(&w)) {
		REFUSE(&w, call_program);
		REFUSE(&w, call_fixture);
		REFUSE(&w, call_fresh_run);
		REFUSE(&w, call_prepared);
		REFUSE(&w, call_check);
	}
	work_release(&w);
}

static void explaining(void)
{
	Work w = {.text = matmul_text};

	if (work_plan(&w)) {
		REFUSE(&w, call_explain);
		REFUSE(&w, call_explain_json);
		REFUSE(&w, call_dump);
	}
	work_release(&w);
}

static bool to_file(void *arg, const char *text, size_t len)
{
	return fwrite(text, 1, len, arg) == len;
}

static void dump_to(Work *w, const char *stage)
{
	FILE *f = fopen(in_folder(stage), "w");

	if (!CHECK(f != NULL))
		return;
	CHECK(!tenon_plan_dump(w->plan, stage, to_file, f));
	fclose(f);
}

static void resuming(void)
{
	Work w = {.text = matmul_text};

	if (work_plan(&w)) {
		dump_to(&w, "program");
		dump_to(&w, "regions");
		dump_to(&w, "kernels");
		REFUSE(&w, call_resume_program);
		REFUSE(&w, call_resume_regions);
		REFUSE(&w, call_resume_kernels);
	}
	work_release(&w);
}

static void saving(void)
{
	Work w = {.text = softmax_text};

	if (work_plan(&w) &&
	    CHECK(!tenon_plan_save(w.plan, in_folder("plan.json")))) {
		REFUSE(&w, call_save);
		REFUSE(&w, call_load);
	}
	work_release(&w);
}

static void in_jansson(void)
{
	Work w = {.text = softmax_text};
	json_malloc_t old_malloc;
	json_free_t old_free;

	json_get_alloc_funcs(&old_malloc, &old_free);
	json_set_alloc_funcs(json_refusing, free);
	if (work_plan(&w) &&
	    CHECK(!tenon_plan_save(w.plan, in_folder("plan.json")))) {
		refuse(&w, call_emit, &jansson, "emit", 40);
		refuse(&w, call_save, &jansson, "save", 40);
		refuse(&w, call_load, &jansson_reading, "load", 40);
	}
	work_release(&w);
	json_set_alloc_funcs(old_malloc, old_free);
}

/* The last test: nothing of the others may stay in the folder. */
static void folder_goes(void)
{
	static const char *const names[] = {
		"saved.json", "plan.json", "x.npy", "program",       "regions",
		"kernels",    "w.tn",      "w.npy", "v.safetensors",
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		unlink(in_folder(names[i]));
	CHECK(rmdir(folder()) == 0);
}

TEST_MAIN(TEST(contexts), TEST(programs), TEST(compiling), TEST(running),
	  TEST(weights), TEST(explaining), TEST(resuming), TEST(saving),
	  TEST(in_jansson), TEST(folder_goes))
