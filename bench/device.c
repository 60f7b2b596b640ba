/*
 * device: what a call costs on a GPU beside its kernels.
 *
 *	build/bench/device clocks [TARGET]   the four clocks, by way of waiting
 *	build/bench/device same [TARGET]     tensors on the device and on the
 *	                                     host give the same bits
 *
 * Clocks are of programs with one tiny kernel and with five, and of the
 * flagship, tensors in device memory: host single is one run that is waited
 * for, host batch many that are started and then waited for, device single and
 * batch are by the device's own clock. Ways of waiting take turns, round by
 * round; medians are shown, and the least and the 90th percentile of host
 * single. The default target is cuda.
 */
#include "driver/driver.h"
#include "runtime/cuda_wait.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TENSORS 8
#define ROUNDS  15
#define CALLS   100 /* a round */

static const char one[] = "def one(x: f32[256]):\n    return x + 1\n";
static const char five[] = "def five(x: f32[32, 32], w: f32[32, 32]):\n"
			   "    return ((((x @ w) @ w) @ w) @ w) @ w\n";

/* Device memory is the context's, but is given for a plan. */
typedef struct Case {
	const char *target;
	TenonContext *c;
	TenonProgram *p;
	TenonPlan *plan;
	int nin, nout;
	TenonTensor in[TENSORS], out[TENSORS];   /* on the host */
	TenonTensor din[TENSORS], dout[TENSORS]; /* on the device */
	double compile_ms;
	bool absent; /* it has no such set of dims */
} Case;

static bool fail(const Case *k, const char *what)
{
	fprintf(stderr, "device: %s\n%s", what, tenon_message(k->c));
	return false;
}

static void clean(Case *k)
{
	for (int i = 0; i < TENSORS; i++) {
		TenonTensor *host[] = {&k->in[i], &k->out[i]};
		TenonTensor *device[] = {&k->din[i], &k->dout[i]};
		for (int j = 0; j < 2; j++) {
			if (host[j]->data)
				tenon_release(host[j]->data,
					      tenon_tensor_bytes(host[j]));
			if (device[j]->data)
				tenon_device_free(
					k->plan, device[j]->data,
					tenon_tensor_bytes(device[j]));
		}
	}
	tenon_plan_free(k->plan);
	tenon_program_free(k->p);
}

static bool to_device(Case *k, const TenonTensor *t, TenonTensor *d)
{
	*d = *t;
	d->data = NULL;
	d->place = tenon_plan_place(k->plan);
	return (!tenon_device_alloc(k->plan, tenon_tensor_bytes(t), &d->data) &&
		!tenon_device_copy(k->plan, d, t)) ||
	       fail(k, "tensors on the device");
}

static bool tensors(Case *k)
{
	bool applies;

	if (tenon_fixture(k->p, "random", 1, k->in, &applies))
		return fail(k, "inputs");
	for (int i = 0; i < k->nout; i++) {
		TenonTensor *t = &k->out[i];
		if (tenon_result_desc(k->p, i, t))
			return fail(k, "results");
		t->data = tenon_alloc(tenon_tensor_bytes(t));
		if (!t->data)
			return fail(k, "results");
		memset(t->data, 0xa5, tenon_tensor_bytes(t));
		if (!to_device(k, t, &k->dout[i]))
			return false;
	}
	for (int i = 0; i < k->nin; i++)
		if (!to_device(k, &k->in[i], &k->din[i]))
			return false;
	return true;
}

/* A context's device is opened once: its first plan takes long. */
static bool open_case(Case *k, TenonContext *c, const char *target,
		      const char *path, const char *text, const char *dims,
		      const char *dtype)
{
	TenonProgramOptions po = {.dtype = dtype};
	TenonPlanOptions o = {.target = target};
	TenonPlanInfo info;

	*k = (Case){.target = target, .c = c};
	if (text ? tenon_program_from_text(k->c, path, text, &po, &k->p)
		 : tenon_program_from_file(k->c, path, &po, &k->p))
		return fail(k, path);
	if (dims && tenon_set_dims(k->p, dims)) {
		k->absent = true;
		return false;
	}
	k->nin = tenon_program_inputs(k->p);
	k->nout = tenon_program_results(k->p);
	if (tenon_compile(k->c, k->p, &o, &k->plan))
		return fail(k, path);
	tenon_plan_info(k->plan, &info);
	k->compile_ms = info.compile_ms;
	return tensors(k);
}

/* ---- clocks ----------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double at(double *x, int n, double q)
{
	qsort(x, (size_t)n, sizeof(*x), by_value);
	return x[(int)(q * (n - 1) + 0.5)];
}

typedef struct Clocks {
	TenonCall *call;
	double single[ROUNDS * CALLS];
	double batch[ROUNDS], device_single[ROUNDS], device_batch[ROUNDS];
} Clocks;

static bool round_of(Clocks *k, int r)
{
	double start;

	for (int i = 0; i < 10; i++)
		if (tenon_call_run(k->call))
			return false;
	for (int i = 0; i < CALLS; i++) {
		start = clock_seconds();
		if (tenon_call_run(k->call))
			return false;
		k->single[r * CALLS + i] = (clock_seconds() - start) * 1e6;
	}
	start = clock_seconds();
	for (int i = 0; i < CALLS; i++)
		if (tenon_call_start(k->call))
			return false;
	if (tenon_call_wait(k->call))
		return false;
	k->batch[r] = (clock_seconds() - start) * 1e6 / CALLS;
	return !tenon_calls_device_time(&k->call, 1, 1, &k->device_single[r]) &&
	       !tenon_calls_device_time(&k->call, 1, 20, &k->device_batch[r]);
}

static void show(const char *name, const char *wait, Clocks *k)
{
	int n = ROUNDS * CALLS;
	double host = at(k->single, n, 0.5);
	double device = at(k->device_batch, ROUNDS, 0.5);

	printf("%-12s %-8s %7.2f %7.2f %7.2f %9.2f %9.2f %9.2f %9.2f\n", name,
	       wait, host, at(k->single, n, 0), at(k->single, n, 0.9),
	       at(k->batch, ROUNDS, 0.5), at(k->device_single, ROUNDS, 0.5),
	       device, host - device);
}

static bool clocks(Case *k, const char *name)
{
	static Clocks all[CUDA_WAITS];
	bool ok = true;
	double start;

	memset(all, 0, sizeof(all));
	for (int w = 0; ok && w < CUDA_WAITS; w++) {
		cuda_wait_forced = (CudaWaitKind)w;
		start = clock_seconds();
		ok = !tenon_call_new(k->plan, k->din, k->dout, &all[w].call) ||
		     fail(k, name);
		if (ok && w == 0)
			printf("%s: compile %.1f ms, call_new %.0f us\n", name,
			       k->compile_ms, (clock_seconds() - start) * 1e6);
	}
	for (int r = 0; ok && r < ROUNDS; r++)
		for (int w = 0; ok && w < CUDA_WAITS; w++)
			if (!round_of(&all[w], r)) {
				fprintf(stderr, "device: %s, %s: %s", name,
					cuda_wait_name[w],
					tenon_call_message(all[w].call));
				ok = false;
			}
	for (int w = 0; w < CUDA_WAITS; w++) {
		if (ok)
			show(name, cuda_wait_name[w], &all[w]);
		if (all[w].call)
			tenon_call_free(all[w].call);
	}
	cuda_wait_forced = CUDA_WAITS;
	return ok;
}

/* What a plan's own call costs: tensors are checked, and nothing is new. */
static bool unprepared(Case *k, const char *name)
{
	double us[ROUNDS];

	for (int r = 0; r < ROUNDS; r++) {
		double start = clock_seconds();
		for (int i = 0; i < CALLS; i++)
			if (tenon_plan_run(k->plan, k->din, k->dout))
				return fail(k, name);
		us[r] = (clock_seconds() - start) * 1e6 / CALLS;
	}
	printf("%-12s %-8s %7.2f", name, "plan_run", at(us, ROUNDS, 0.5));
	for (int r = 0; r < ROUNDS; r++) {
		double start = clock_seconds();
		for (int i = 0; i < 10; i++)
			if (tenon_plan_run(k->plan, k->in, k->out))
				return fail(k, name);
		us[r] = (clock_seconds() - start) * 1e6 / 10;
	}
	printf(", from and to the host %.2f\n", at(us, ROUNDS, 0.5));
	return true;
}

/* What a context more costs, kernels being kept and the device open. */
static bool start(const char *target)
{
	TenonContext *c = tenon_context_new();
	double begin = clock_seconds();
	Case k;

	bool ok = open_case(&k, c, target, "examples/weight_view.tn", NULL,
			    "screen", NULL);
	clean(&k);
	tenon_context_free(c);
	c = tenon_context_new();
	double middle = clock_seconds();
	ok = ok && open_case(&k, c, target, "examples/weight_view.tn", NULL,
			     "screen", NULL);
	printf("a context, a plan and its tensors: %.1f ms, again %.1f ms\n",
	       (middle - begin) * 1e3, (clock_seconds() - middle) * 1e3);
	clean(&k);
	tenon_context_free(c);
	return ok;
}

static bool all_clocks(const char *target)
{
	static const struct {
		const char *name, *path, *text, *dims;
	} rows[] = {
		{"one", "one", one, NULL},
		{"five", "five", five, NULL},
		{"weight_view", "examples/weight_view.tn", NULL, "main"},
	};
	TenonContext *c = tenon_context_new();
	bool ok = true;
	Device *d;
	Buf b;

	for (size_t i = 0; ok && i < ARRAY_LEN(rows); i++) {
		Case k;
		double start = clock_seconds();
		ok = open_case(&k, c, target, rows[i].path, rows[i].text,
			       rows[i].dims, NULL);
		if (ok && i == 0 && context_device(k.c, target, &d)) {
			buf_init(&b, &k.c->ctx.scratch);
			device_tell_wait(d, &b);
			printf("%s\nopened in %.0f ms; wait: %s\n\n",
			       device_name(d), (clock_seconds() - start) * 1e3,
			       buf_str(&b));
		}
		if (ok && i == 0)
			printf("us           wait      single   least     p90 "
			       "    batch dev single dev batch      over\n");
		ok = ok && clocks(&k, rows[i].name) &&
		     unprepared(&k, rows[i].name);
		clean(&k);
	}
	ok = ok && start(target);
	tenon_context_free(c);
	return ok;
}

/* ---- same bits -------------------------------------------------------- */

static bool equal(Case *k, const char *path)
{
	for (int i = 0; i < k->nout; i++) {
		size_t n = tenon_tensor_bytes(&k->out[i]);
		TenonTensor back = k->out[i];
		back.data = tenon_alloc(n);
		if (!back.data ||
		    tenon_device_copy(k->plan, &back, &k->dout[i]))
			return fail(k, path);
		bool same = memcmp(back.data, k->out[i].data, n) == 0;
		/* what a run that did nothing would leave */
		memset(back.data, 0xa5, n);
		if (tenon_device_copy(k->plan, &k->dout[i], &back))
			return fail(k, path);
		tenon_release(back.data, n);
		if (!same) {
			printf("FAIL %s: result %d differs\n", path, i);
			return false;
		}
	}
	return true;
}

/* From the host once, then on the device again and again. */
static bool same(Case *k, const char *path, int times)
{
	TenonCall *call;
	bool ok;

	if (tenon_plan_run(k->plan, k->in, k->out) ||
	    tenon_call_new(k->plan, k->din, k->dout, &call))
		return fail(k, path);
	ok = true;
	for (int i = 0; ok && i < times; i++) {
		ok = !tenon_call_run(call) ||
		     (fputs(tenon_call_message(call), stderr), false);
		ok = ok && equal(k, path);
	}
	tenon_call_free(call);
	return ok;
}

static bool all_same(const char *target)
{
	static const char *const sets[] = {"main", "screen", "tail", "narrow"};
	static const char *const dtypes[] = {"f16", "f32", "bf16"};
	TenonContext *c = tenon_context_new();
	int good = 0, bad = 0;
	glob_t g;

	if (glob("examples/*.tn", 0, NULL, &g)) {
		fprintf(stderr, "device: run it where examples/ is\n");
		return false;
	}
	for (size_t i = 0; i < g.gl_pathc; i++)
		for (size_t s = 0; s < ARRAY_LEN(sets); s++)
			for (size_t t = 0; t < ARRAY_LEN(dtypes); t++) {
				Case k;
				bool ok =
					open_case(&k, c, target, g.gl_pathv[i],
						  NULL, sets[s], dtypes[t]) &&
					same(&k, g.gl_pathv[i], 3);
				good += ok;
				bad += !ok && !k.absent;
				clean(&k);
			}
	globfree(&g);
	tenon_context_free(c);
	printf("same bits: %d good, %d bad\n", good, bad);
	return bad == 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "clocks";
	const char *target = argc > 2 ? argv[2] : "cuda";

	if (!strcmp(what, "clocks"))
		return all_clocks(target) ? 0 : 1;
	if (!strcmp(what, "same"))
		return all_same(target) ? 0 : 1;
	fprintf(stderr, "usage: build/bench/device clocks|same [TARGET]\n");
	return 2;
}
