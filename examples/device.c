/*
 * device: a program that is called again and again on tensors that stay in a
 * device's memory. docs/gpu.md tells the rest.
 *
 *	build/examples/device [TARGET]
 *
 * TARGET is cpu (the default), opencl or cuda; on a CPU the device is the CPU.
 */
#include "tenon.h"

#include <stdio.h>
#include <stdlib.h>

static const char text[] = "dims main: M = 64, N = 48, K = 32\n"
			   "def layer(x: f32[M, K], w: f32[N, K], b: f32[N]):\n"
			   "    return relu(x @ w.T + b)\n";

typedef struct Layer {
	TenonContext *context;
	TenonProgram *program;
	TenonPlan *plan;
	TenonTensor host[4];   /* x, w, b, and the result */
	TenonTensor device[4]; /* the same, where the plan runs */
	TenonCall *call;
} Layer;

static bool failed(const Layer *l, TenonError e)
{
	if (e)
		fprintf(stderr, "%s", tenon_message(l->context));
	return e != TENON_OK;
}

static bool compile(Layer *l, const char *target)
{
	TenonPlanOptions o = {.target = target};

	return !failed(l, tenon_program_from_text(l->context, "layer", text,
						  NULL, &l->program)) &&
	       !failed(l, tenon_compile(l->context, l->program, &o, &l->plan));
}

static bool tensors(Layer *l)
{
	bool applies;

	if (failed(l,
		   tenon_fixture(l->program, "random", 1, l->host, &applies)) ||
	    failed(l, tenon_result_desc(l->program, 0, &l->host[3])))
		return false;
	l->host[3].data = tenon_alloc(tenon_tensor_bytes(&l->host[3]));
	for (int i = 0; i < 4; i++) {
		TenonTensor *d = &l->device[i];
		*d = l->host[i];
		d->place = tenon_plan_place(l->plan);
		d->data = NULL;
		if (failed(l, tenon_device_alloc(l->plan, tenon_tensor_bytes(d),
						 &d->data)) ||
		    (i < 3 &&
		     failed(l, tenon_device_copy(l->plan, d, &l->host[i]))))
			return false;
	}
	return l->host[3].data != NULL;
}

/* Ten runs, queued one behind the other, and one wait for all of them. */
static bool run(Layer *l)
{
	if (failed(l,
		   tenon_call_new(l->plan, l->device, &l->device[3], &l->call)))
		return false;
	TenonError e = TENON_OK;
	for (int i = 0; i < 10 && !e; i++)
		e = tenon_call_start(l->call);
	if (!e)
		e = tenon_call_wait(l->call);
	if (e)
		fprintf(stderr, "%s", tenon_call_message(l->call));
	return !e && !failed(l, tenon_device_copy(l->plan, &l->host[3],
						  &l->device[3]));
}

/* Whether the oracle has nothing against the result. */
static bool good(Layer *l)
{
	TenonOutcome outcome;

	return !failed(l, tenon_judge(l->plan, l->host, &l->host[3], NULL, NULL,
				      &outcome)) &&
	       outcome != TENON_FAIL;
}

static void clean(Layer *l)
{
	if (l->call)
		tenon_call_free(l->call);
	for (int i = 0; i < 4; i++) {
		size_t bytes = tenon_tensor_bytes(&l->host[i]);
		tenon_release(l->host[i].data, bytes);
		if (l->device[i].data)
			tenon_device_free(l->plan, l->device[i].data, bytes);
	}
	if (l->plan)
		tenon_plan_free(l->plan);
	if (l->program)
		tenon_program_free(l->program);
	tenon_context_free(l->context);
}

int main(int argc, char **argv)
{
	Layer l = {.context = tenon_context_new()};
	bool ok = l.context && compile(&l, argc > 1 ? argv[1] : "cpu") &&
		  tensors(&l) && run(&l) && good(&l);

	printf("%s\n", ok ? "ten runs, judged good" : "it failed");
	clean(&l);
	return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
