/*
 * model: how good predicted costs and searches are.
 *
 * For each program: the plan of the rule, that of the least predicted cost, and
 * the fastest that a search finds, timed in turns in one child; each ratio is a
 * median of same-round ratios, its bounds are the 4th smallest and largest
 * of 15.
 *
 *   build/bench/model [--target T] [--dims SET] [--dtype D] [--budget S]
 *                     [--policy P] [--named] FILE.tn...
 *
 * Sizes are fixed but with --named. A line a program: model / best, rule /
 * best, and what was chosen; the medians over all programs at the end.
 */
#include "tenon.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS  15
#define PLANS   3
#define TENSORS 32
#define BLOCK   0.004
#define MOST    200
#define FILES   64

static const char *target, *dims, *dtype, *policy = "beam:8";
static double budget = 20;
static int named;

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int fail(TenonContext *c, const char *what)
{
	fprintf(stderr, "%s: %s", what, tenon_message(c));
	return 1;
}

/* The program with the sizes of the set, fixed unless named. */
static TenonProgram *program(TenonContext *c, const char *file)
{
	TenonProgramOptions o = {.dtype = dtype};
	static char texts[TENSORS][64];
	const char *fixed[TENSORS];
	TenonProgram *p, *q;

	if (tenon_program_from_file(c, file, &o, &p) ||
	    (dims && tenon_set_dims(p, dims)))
		return NULL;
	if (named)
		return p;
	for (int i = 0; i < tenon_program_dims(p) && i < TENSORS; i++) {
		snprintf(texts[i], sizeof(texts[i]), "%s=%lld",
			 tenon_program_dim_name(p, i),
			 (long long)tenon_program_dim(p, i));
		fixed[o.nfixed++] = texts[i];
	}
	o.fixed = fixed;
	if (tenon_program_from_file(c, file, &o, &q))
		return NULL;
	return q;
}

/* ---- in the child ------------------------------------------------------ */

typedef struct Ready {
	TenonProgram *program;
	TenonPlan *plan;
	TenonCall *call;
	int calls;
} Ready;

static double sample(Ready *r, int calls)
{
	double us, start = seconds();

	if (target && !strncmp(target, "cuda", 4)) {
		if (tenon_calls_device_time(&r->call, 1, calls, &us))
			exit(1);
		return us * 1e-6;
	}
	for (int i = 0; i < calls; i++)
		if (tenon_call_run(r->call))
			exit(1);
	return (seconds() - start) / calls;
}

static int ready(TenonContext *c, const char *path, Ready *r)
{
	TenonTensor in[TENSORS], out[TENSORS];
	bool applies;

	if (tenon_plan_load(c, path, &r->program, &r->plan) ||
	    (dims && named && tenon_set_dims(r->program, dims)) ||
	    tenon_fixture(r->program, "search", 1, in, &applies) || !applies)
		return fail(c, path);
	int n = tenon_program_inputs(r->program);
	int m = tenon_program_results(r->program);
	for (int i = 0; i < n + m; i++) {
		TenonTensor h, *d = i < n ? &in[i] : &out[i - n];
		if (i >= n && tenon_result_desc(r->program, i - n, d))
			return fail(c, path);
		h = *d;
		d->place = tenon_plan_place(r->plan);
		if (tenon_device_alloc(r->plan, tenon_tensor_bytes(d),
				       &d->data) ||
		    (i < n && tenon_device_copy(r->plan, d, &h)))
			return fail(c, path);
	}
	if (tenon_call_new(r->plan, in, out, &r->call))
		return fail(c, path);
	double first = 0;
	for (int i = 0; i < 5; i++)
		first = sample(r, 1);
	r->calls = (int)(BLOCK / (first > 1e-9 ? first : 1e-9));
	r->calls = r->calls < 1 ? 1 : r->calls > MOST ? MOST : r->calls;
	return 0;
}

/* Times of each plan, round by round, who begins in turn. */
static int race(char paths[PLANS][64], int fd)
{
	TenonContext *c = tenon_context_new();
	Ready r[PLANS] = {{0}};
	double s[PLANS][ROUNDS];

	for (int i = 0; i < PLANS; i++)
		if (ready(c, paths[i], &r[i]))
			return 1;
	for (int k = 0; k < ROUNDS; k++)
		for (int i = 0; i < PLANS; i++) {
			int at = (i + k) % PLANS;
			sample(&r[at], 1);
			s[at][k] = sample(&r[at], r[at].calls);
		}
	return write(fd, s, sizeof(s)) != (ssize_t)sizeof(s);
}

/* ---- one program ------------------------------------------------------- */

typedef struct Ratio {
	double mid, lo, hi;
} Ratio;

static Ratio ratio(const double *a, const double *b)
{
	double x[ROUNDS];

	for (int i = 0; i < ROUNDS; i++)
		x[i] = a[i] / b[i];
	qsort(x, ROUNDS, sizeof(*x), by_size);
	return (Ratio){x[ROUNDS / 2], x[3], x[ROUNDS - 4]};
}

static int tune(TenonContext *c, TenonProgram *p, const char *by, char *path,
		TenonTuneReport *report)
{
	TenonPlanOptions plan = {.target = target};
	TenonTuneOptions o = {.plan = &plan,
			      .policy = by,
			      .seconds = budget,
			      .seed = 1,
			      .ledger = "/tmp/tenon-model.sqlite",
			      .again = true};
	TenonPlan *out;

	if (tenon_tune(c, p, &o, report, &out) || tenon_plan_save(out, path))
		return fail(c, by);
	tenon_plan_free(out);
	return 0;
}

static int one(const char *file, double *model, double *rule)
{
	const char *by[PLANS] = {"rule", "model", policy};
	char paths[PLANS][64];
	double s[PLANS][ROUNDS];
	TenonTuneReport report[PLANS];
	TenonContext *c = tenon_context_new();
	TenonProgram *p = program(c, file);
	int ends[2], status;

	if (!p)
		return fail(c, file);
	for (int i = 0; i < PLANS; i++) {
		snprintf(paths[i], sizeof(paths[i]), "/tmp/tenon-model-%d-%d",
			 (int)getpid(), i);
		if (tune(c, p, by[i], paths[i], &report[i]))
			return 1;
	}
	fflush(stdout);
	if (pipe(ends))
		return 1;
	pid_t pid = fork();
	if (pid == 0)
		_exit(race(paths, ends[1]));
	close(ends[1]);
	ssize_t got = read(ends[0], s, sizeof(s));
	close(ends[0]);
	waitpid(pid, &status, 0);
	for (int i = 0; i < PLANS; i++)
		unlink(paths[i]);
	if (got != (ssize_t)sizeof(s))
		return 1;
	Ratio m = ratio(s[1], s[2]), r = ratio(s[0], s[2]);
	*model = m.mid;
	*rule = r.mid;
	printf("%-28s %8.1f us  model %.3f [%.3f, %.3f]  rule %.3f [%.3f, "
	       "%.3f]  %lld tried, %s%s\n",
	       strrchr(file, '/') ? strrchr(file, '/') + 1 : file,
	       s[2][ROUNDS / 2] * 1e6, m.mid, m.lo, m.hi, r.mid, r.lo, r.hi,
	       (long long)report[2].tried, report[2].state,
	       report[2].ratio > 0 ? "" : ", the rule's choice");
	tenon_program_free(p);
	tenon_context_free(c);
	return 0;
}

static void summary(const char *what, double *x, int n)
{
	qsort(x, (size_t)n, sizeof(*x), by_size);
	if (n > 0)
		printf("%s / best: median %.3f, worst %.3f of %d\n", what,
		       x[n / 2], x[n - 1], n);
}

int main(int argc, char **argv)
{
	double model[FILES], rule[FILES];
	int n = 0, bad = 0;

	for (int i = 1; i < argc; i++) {
		const char *next = i + 1 < argc ? argv[i + 1] : "";
		bool takes = true;
		if (!strcmp(argv[i], "--target"))
			target = next;
		else if (!strcmp(argv[i], "--dims"))
			dims = next;
		else if (!strcmp(argv[i], "--dtype"))
			dtype = next;
		else if (!strcmp(argv[i], "--policy"))
			policy = next;
		else if (!strcmp(argv[i], "--budget"))
			budget = strtod(next, NULL);
		else
			takes = false;
		named |= !strcmp(argv[i], "--named");
		i += takes;
		if (takes || argv[i][0] == '-' || n == FILES)
			continue;
		if (one(argv[i], &model[n], &rule[n]))
			bad++;
		else
			n++;
	}
	summary("model", model, n);
	summary("rule", rule, n);
	return bad > 0;
}
