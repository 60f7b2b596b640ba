/*
 * execute: one plan run on made or given inputs, for run and replay.
 *
 * Given inputs set the sizes that --dims and --dim leave open, before
 * anything is compiled. Results are
 * written before they are judged, so that a wrong one can be looked at. The
 * time is that of one call with its inputs in memory, waited for: after a
 * warm-up, 3 calls size a block of about 10 ms (at most 200 calls), and up
 * to 15 blocks are timed, a sample each; slow programs get as many as fit
 * in a second, and three at least. --repeat N times N calls instead.
 */
#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* A tensor of the run, and the file that it comes from or goes to. */
typedef struct Item {
	const char *name;
	TenonTensor t;
	const char *file;        /* NULL: none */
	char path[PATH_MAX + 1]; /* of a result in a folder */
} Item;

typedef struct Times {
	int samples, calls;             /* calls a sample */
	double median, p10, p90, first; /* ms */
} Times;

typedef struct Execution {
	Session *s;
	Item *items; /* inputs, then results */
	Item *inputs, *results;
	int ninputs, nresults;
	TenonTensor *tensors; /* of items, in order: what the API takes */
	/* of a plan for a GPU, while it is timed: the same in its memory */
	TenonTensor *resident;
	TenonCall *call;
	uint64_t seed, repeat;
	double first_ms;
	TenonOutcome outcome;
	json_t *verdicts;
} Execution;

#define REPEAT_AUTO UINT64_MAX
#define REPEAT_MAX  1000000

/* ---- items ----------------------------------------------------------- */

static int items_init(Execution *x)
{
	TenonProgram *p = x->s->program;
	size_t n;

	x->ninputs = tenon_program_inputs(p);
	x->nresults = tenon_program_results(p);
	n = (size_t)(x->ninputs + x->nresults) + 1;
	x->items = tenon_alloc(n * sizeof(*x->items));
	x->tensors = tenon_alloc(n * sizeof(*x->tensors));
	if (!x->items || !x->tensors)
		return session_fail(x->s, TENON_ENOMEM);
	memset(x->items, 0, n * sizeof(*x->items));
	x->inputs = x->items;
	x->results = x->items + x->ninputs;
	for (int i = 0; i < x->ninputs; i++)
		x->inputs[i].name = tenon_program_input_name(p, i);
	for (int i = 0; i < x->nresults; i++)
		x->results[i].name = tenon_program_result_name(p, i);
	return EXIT_GOOD;
}

static void items_clear(Execution *x)
{
	size_t n = (size_t)(x->ninputs + x->nresults);

	for (size_t i = 0; x->items && i < n; i++)
		tenon_release(x->items[i].t.data,
			      tenon_tensor_bytes(&x->items[i].t));
	tenon_release(x->items, (n + 1) * sizeof(*x->items));
	tenon_release(x->tensors, (n + 1) * sizeof(*x->tensors));
}

/* The item whose name is the n characters at `name`; else a usage error. */
static Item *item_find(Execution *x, Item *items, int count, const char *what,
		       const char *name, size_t n)
{
	char names[256] = "";
	size_t used = 0;

	for (int i = 0; i < count; i++) {
		if (strlen(items[i].name) == n &&
		    memcmp(items[i].name, name, n) == 0)
			return &items[i];
		if (used < sizeof(names))
			used += (size_t)snprintf(
				names + used, sizeof(names) - used, "%s%s",
				i ? ", " : "they are ", items[i].name);
	}
	session_fail_text(x->s, EXIT_USAGE, used ? names : NULL,
			  "the program has no %s %.*s", what, (int)n, name);
	return NULL;
}

/* ---- inputs ---------------------------------------------------------- */

static int inputs_read(Execution *x)
{
	const Args *a = x->s->args;
	const char *given, *path;
	size_t cursor = 0, n;

	while ((given = arg_next(a, OPT_IN, &cursor))) {
		Item *item;
		TenonError err;
		int code = arg_pair(OPT_IN, given, &n, &path);

		if (code != EXIT_GOOD)
			return code;
		item = item_find(x, x->inputs, x->ninputs, "input", given, n);
		if (!item)
			return EXIT_USAGE;
		if (item->file)
			return session_fail_text(x->s, EXIT_USAGE, NULL,
						 "--in: %s is given twice",
						 item->name);
		item->file = path;
		err = tenon_input_read(x->s->program, (int)(item - x->inputs),
				       path, &item->t);
		if (err)
			return session_fail(x->s, err);
	}
	return EXIT_GOOD;
}

/* Files must have the sizes that --dims and --dim fix. */
static int inputs_fit(Execution *x)
{
	const Args *a = x->s->args;

	if (!arg_has(a, OPT_DIMS) && !arg_has(a, OPT_DIM))
		return EXIT_GOOD;
	for (int i = 0; i < x->ninputs; i++) {
		const Item *in = &x->inputs[i];
		TenonTensor want;
		TenonError err;

		if (!in->file)
			continue;
		err = tenon_input_desc(x->s->program, i, &want);
		if (err)
			return session_fail(x->s, err);
		if (memcmp(want.shape, in->t.shape,
			   (size_t)want.rank * sizeof(*want.shape)) != 0)
			return session_fail_text(
				x->s, EXIT_USAGE,
				"leave --dims and --dim out to take the sizes "
				"of the file",
				"%s holds %s, but %s is %s under the sizes "
				"given",
				in->file, text_type(&in->t).s, in->name,
				text_type(&want).s);
	}
	return EXIT_GOOD;
}

/* Makes, from the seed, the inputs that no file gave. */
static int inputs_make(Execution *x)
{
	bool applies, all = true;
	TenonError err;

	for (int i = 0; i < x->ninputs; i++)
		all = all && x->inputs[i].file;
	if (all)
		return EXIT_GOOD;
	memset(x->tensors, 0, (size_t)x->ninputs * sizeof(*x->tensors));
	progress("making inputs");
	err = tenon_fixture(x->s->program, "search", x->seed, x->tensors,
			    &applies);
	progress(NULL);
	if (err)
		return session_fail(x->s, err);
	if (!applies)
		return session_fail_text(
			x->s, EXIT_USAGE, "give every input with --in",
			"no inputs can be made for this program");
	for (int i = 0; i < x->ninputs; i++) {
		if (x->inputs[i].file)
			tenon_release(x->tensors[i].data,
				      tenon_tensor_bytes(&x->tensors[i]));
		else
			x->inputs[i].t = x->tensors[i];
	}
	return EXIT_GOOD;
}

static int results_make(Execution *x)
{
	for (int i = 0; i < x->nresults; i++) {
		TenonTensor t;
		TenonError err = tenon_result_desc(x->s->program, i, &t);
		size_t bytes;

		if (err)
			return session_fail(x->s, err);
		bytes = tenon_tensor_bytes(&t);
		t.data = tenon_alloc(bytes ? bytes : 1);
		if (!t.data)
			return session_fail(x->s, TENON_ENOMEM);
		x->results[i].t = t;
	}
	for (int i = 0; i < x->ninputs + x->nresults; i++)
		x->tensors[i] = x->items[i].t;
	return EXIT_GOOD;
}

/* ---- output files ---------------------------------------------------- */

static int output_folder(Execution *x, const char *folder)
{
	if (mkdir(folder, 0777) != 0 && errno != EEXIST)
		return session_fail_text(x->s, EXIT_ENVIRONMENT, NULL,
					 "cannot make %s: %s", folder,
					 strerror(errno));
	for (int i = 0; i < x->nresults; i++) {
		Item *r = &x->results[i];
		size_t n = (size_t)snprintf(r->path, sizeof(r->path),
					    "%s/%s.npy", folder, r->name);

		if (n >= sizeof(r->path))
			return session_fail_text(x->s, EXIT_ENVIRONMENT, NULL,
						 "%s: name too long", folder);
		r->file = r->path;
	}
	return EXIT_GOOD;
}

/* Reads -o: which result goes where. */
static int outputs_name(Execution *x)
{
	const char *given, *path;
	size_t cursor = 0, n;

	while ((given = arg_next(x->s->args, OPT_OUTPUT, &cursor))) {
		Item *r;
		int code = EXIT_GOOD;

		if (!strchr(given, '=')) {
			code = output_folder(x, given);
		} else {
			code = arg_pair(OPT_OUTPUT, given, &n, &path);
			if (code != EXIT_GOOD)
				return code;
			r = item_find(x, x->results, x->nresults, "result",
				      given, n);
			if (!r)
				return EXIT_USAGE;
			r->file = path;
		}
		if (code != EXIT_GOOD)
			return code;
	}
	return EXIT_GOOD;
}

static int outputs_write(Execution *x)
{
	for (int i = 0; i < x->nresults; i++) {
		Item *r = &x->results[i];
		TenonError err;

		if (!r->file)
			continue;
		err = tenon_npy_write(x->s->ctx, r->file, &r->t);
		if (err)
			return session_fail(x->s, err);
	}
	return EXIT_GOOD;
}

/* ---- run and time ---------------------------------------------------- */

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static TenonError call(Execution *x)
{
	if (x->call)
		return tenon_call_run(x->call);
	return tenon_plan_run(x->s->plan, x->tensors, x->tensors + x->ninputs);
}

/* One sample: the mean time of a call over `calls` of them. */
static TenonError sample(Execution *x, int calls, double *ms)
{
	double start = now_ms();
	TenonError err = TENON_OK;

	for (int i = 0; i < calls && !err; i++)
		err = call(x);
	*ms = (now_ms() - start) / calls;
	return err;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double quantile(const double *sorted, int n, double q)
{
	double place = q * (n - 1);
	int low = (int)place, high = low + (low + 1 < n);

	return sorted[low] + (place - low) * (sorted[high] - sorted[low]);
}

static void summarise(double *samples, Times *t)
{
	qsort(samples, (size_t)t->samples, sizeof(*samples), by_size);
	t->median = quantile(samples, t->samples, 0.5);
	t->p10 = quantile(samples, t->samples, 0.1);
	t->p90 = quantile(samples, t->samples, 0.9);
}

static TenonError time_blocks(Execution *x, Times *t)
{
	enum {
		BLOCKS = 15,
		WARM_UP = 10
	};
	double samples[BLOCKS], ms = 0, start = now_ms();
	TenonError err = TENON_OK;

	for (int i = 0; i < WARM_UP && now_ms() - start < 200 && !err; i++)
		err = call(x);
	if (!err)
		err = sample(x, x->first_ms < 50 ? 3 : 1, &ms);
	t->calls = ms > 10 ? 1 : ms < 0.05 ? 200 : (int)(10 / ms);
	start = now_ms();
	while (!err && t->samples < BLOCKS &&
	       (t->samples < 3 || now_ms() - start < 1000))
		err = sample(x, t->calls, &samples[t->samples++]);
	if (!err)
		summarise(samples, t);
	return err;
}

static TenonError time_calls(Execution *x, Times *t)
{
	size_t n = (size_t)x->repeat;
	double *samples = tenon_alloc(n * sizeof(*samples));
	TenonError err = samples ? TENON_OK : TENON_ENOMEM;

	t->calls = 1;
	while (!err && (size_t)t->samples < n)
		err = sample(x, 1, &samples[t->samples++]);
	if (!err)
		summarise(samples, t);
	tenon_release(samples, n * sizeof(*samples));
	return err;
}

/* What is timed on a GPU has its tensors there. */
static TenonError reside(Execution *x)
{
	int n = x->ninputs + x->nresults;
	TenonPlan *p = x->s->plan;
	TenonError err = TENON_OK;

	x->resident = tenon_alloc(((size_t)n + 1) * sizeof(*x->resident));
	if (!x->resident)
		return TENON_ENOMEM;
	for (int i = 0; i < n; i++) {
		x->resident[i] = x->tensors[i];
		x->resident[i].place = tenon_plan_place(p);
		x->resident[i].data = NULL;
	}
	for (int i = 0; i < n && !err; i++)
		err = tenon_device_alloc(p, tenon_tensor_bytes(&x->tensors[i]),
					 &x->resident[i].data);
	for (int i = 0; i < n && !err; i++)
		err = tenon_device_copy(p, &x->resident[i], &x->tensors[i]);
	return err ? err
		   : tenon_call_new(p, x->resident, x->resident + x->ninputs,
				    &x->call);
}

static void leave(Execution *x)
{
	int n = x->ninputs + x->nresults;

	if (x->call)
		tenon_call_free(x->call);
	for (int i = 0; x->resident && i < n; i++)
		tenon_device_free(x->s->plan, x->resident[i].data,
				  tenon_tensor_bytes(&x->resident[i]));
	tenon_release(x->resident, ((size_t)n + 1) * sizeof(*x->resident));
	x->call = NULL;
	x->resident = NULL;
}

static int measured(Execution *x, TenonError err)
{
	int code = EXIT_GOOD;

	if (err && x->call && *tenon_call_message(x->call)) {
		fputs(tenon_call_message(x->call), stderr);
		code = EXIT_ENVIRONMENT;
	} else if (err) {
		code = session_fail(x->s, err);
	}
	leave(x);
	return code;
}

static int measure(Execution *x, Times *t)
{
	TenonError err = TENON_OK;

	t->first = x->first_ms;
	progress("timing");
	if (x->repeat > 0 && tenon_plan_place(x->s->plan) == TENON_DEVICE)
		err = reside(x);
	if (x->repeat == REPEAT_AUTO && !err)
		err = time_blocks(x, t);
	else if (x->repeat > 0 && !err)
		err = time_calls(x, t);
	progress(NULL);
	return measured(x, err);
}

/* ---- text ------------------------------------------------------------ */

static void print_items(const Execution *x)
{
	int width = 0, type = 0;

	for (int i = 0; i < x->ninputs + x->nresults; i++) {
		int n = (int)strlen(x->items[i].name);
		int m = (int)strlen(text_type(&x->items[i].t).s);

		width = n > width ? n : width;
		type = m > type ? m : type;
	}
	for (int i = 0; i < x->ninputs; i++) {
		printf("%-8s %-*s  %-*s   ", i ? "" : "input", width,
		       x->inputs[i].name, type, text_type(&x->inputs[i].t).s);
		if (x->inputs[i].file)
			printf("%s\n", x->inputs[i].file);
		else
			printf("seed %llu\n", (unsigned long long)x->seed);
	}
	for (int i = 0; i < x->nresults; i++) {
		const char *file = x->results[i].file;

		printf("%-8s %-*s  ", i ? "" : "result", width,
		       x->results[i].name);
		if (file)
			printf("%-*s   %s\n", type,
			       text_type(&x->results[i].t).s, file);
		else
			printf("%s\n", text_type(&x->results[i].t).s);
	}
}

static void print_plan(const Execution *x)
{
	TenonPlan *plan = x->s->plan;
	TenonPlanInfo p;

	tenon_plan_info(plan, &p);
	printf("plan     %.12s   %d kernel%s, %d launch%s, %s of "
	       "intermediates\n",
	       p.identity, p.kernels, p.kernels == 1 ? "" : "s", p.launches,
	       p.launches == 1 ? "" : "es", text_bytes(p.arena_bytes).s);
	printf("        ");
	for (int i = 0; i < p.launches; i++)
		printf(" %s", tenon_plan_launch_name(plan, i));
	printf("\ncompile  %s   ",
	       text_ms(p.front_ms + p.plan_ms + p.compile_ms).s);
	if (p.front_ms > 0)
		printf("program %s, ", text_ms(p.front_ms).s);
	if (p.plan_ms > 0)
		printf("plan %s, ", text_ms(p.plan_ms).s);
	if (p.cached)
		printf("code from the cache\n");
	else
		printf("code %s by %s\n", text_ms(p.compile_ms).s, p.compiler);
}

static void print_times(const Execution *x, const Times *t)
{
	const char *where = tenon_plan_place(x->s->plan) == TENON_DEVICE
				    ? "; tensors on the device"
				    : "";

	if (t->samples == 0)
		printf("run      %s, the first call\n", text_ms(t->first).s);
	else if (t->calls == 1)
		printf("run      %s   median of %d call%s, p10 %s, p90 %s%s\n",
		       text_ms(t->median).s, t->samples,
		       t->samples == 1 ? "" : "s", text_ms(t->p10).s,
		       text_ms(t->p90).s, where);
	else
		printf("run      %s   median of %d blocks of %d calls, p10 %s, "
		       "p90 %s%s\n",
		       text_ms(t->median).s, t->samples, t->calls,
		       text_ms(t->p10).s, text_ms(t->p90).s, where);
	fflush(stdout);
}

/* ---- verdicts -------------------------------------------------------- */

static void judged(void *arg, const TenonVerdict *v)
{
	Execution *x = arg;

	progress(NULL);
	if (x->verdicts) {
		json_array_append_new(x->verdicts, json_verdict(v));
		return;
	}
	for (int i = 0; i < x->nresults; i++)
		if (v->result && strcmp(x->results[i].name, v->result) == 0)
			print_verdict(v, &x->results[i].t);
}

static int judge(Execution *x)
{
	TenonError err;

	progress("judging");
	err = tenon_judge(x->s->plan, x->tensors, x->tensors + x->ninputs,
			  judged, x, &x->outcome);
	progress(NULL);
	return err ? session_fail(x->s, err) : EXIT_GOOD;
}

/* ---- report ---------------------------------------------------------- */

static json_t *json_items(const Item *items, int n)
{
	json_t *list = json_array();

	for (int i = 0; i < n; i++) {
		json_t *o = json_tensor(items[i].name, &items[i].t);

		json_object_set_new(o, "file", json_text(items[i].file));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *json_times(const Times *t)
{
	json_t *o = json_object();

	json_object_set_new(o, "first_ms", json_ms(t->first));
	json_object_set_new(o, "samples", json_integer(t->samples));
	if (t->samples == 0)
		return o;
	json_object_set_new(o, "calls_a_sample", json_integer(t->calls));
	json_object_set_new(o, "median_ms", json_ms(t->median));
	json_object_set_new(o, "p10_ms", json_ms(t->p10));
	json_object_set_new(o, "p90_ms", json_ms(t->p90));
	return o;
}

static void report(Execution *x, const Times *t)
{
	json_t *r = x->s->report;

	report_head(x->s);
	json_object_set_new(r, "seed", json_integer((json_int_t)x->seed));
	json_object_set_new(r, "inputs", json_items(x->inputs, x->ninputs));
	json_object_set_new(r, "results", json_items(x->results, x->nresults));
	json_object_set_new(r, "time", json_times(t));
	x->verdicts = json_array();
	json_object_set_new(r, "verdicts", x->verdicts);
}

/* ---- all of it ------------------------------------------------------- */

static int execute_plan(Execution *x)
{
	Session *s = x->s;
	Times times = {0};
	TenonError err;
	int code;

	if ((code = inputs_make(x)) != EXIT_GOOD ||
	    (code = results_make(x)) != EXIT_GOOD ||
	    (code = outputs_name(x)) != EXIT_GOOD)
		return code;
	progress("running");
	x->first_ms = now_ms();
	err = call(x);
	x->first_ms = now_ms() - x->first_ms;
	progress(NULL);
	if (err)
		return session_fail(s, err);
	if ((code = measure(x, &times)) != EXIT_GOOD ||
	    (code = outputs_write(x)) != EXIT_GOOD)
		return code;
	session_notices(s);
	if (s->report) {
		report(x, &times);
	} else {
		print_head(s);
		putchar('\n');
		print_items(x);
		print_plan(x);
		print_times(x, &times);
	}
	if (arg_has(s->args, OPT_NO_CHECK)) {
		session_report(s, "unchecked");
		return EXIT_GOOD;
	}
	code = judge(x);
	if (code != EXIT_GOOD)
		return code;
	session_report(s, outcome_name(x->outcome));
	return x->outcome == TENON_FAIL ? EXIT_WRONG : EXIT_GOOD;
}

int execute(Session *s)
{
	Execution x = {.s = s, .seed = 1, .repeat = REPEAT_AUTO};
	bool done = false;
	int code;

	if ((code = arg_number(s->args, OPT_SEED, 0, INT64_MAX, &x.seed)) ||
	    (code = arg_number(s->args, OPT_REPEAT, 0, REPEAT_MAX, &x.repeat)))
		return code;
	if ((code = items_init(&x)) == EXIT_GOOD &&
	    (code = inputs_read(&x)) == EXIT_GOOD &&
	    (code = session_sizes(s)) == EXIT_GOOD &&
	    (code = inputs_fit(&x)) == EXIT_GOOD &&
	    (code = session_plan(s)) == EXIT_GOOD &&
	    (code = session_dump(s, &done)) == EXIT_GOOD && !done)
		code = execute_plan(&x);
	items_clear(&x);
	return code;
}
