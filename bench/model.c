/*
 * model: how good predicted costs and searches are.
 *
 * For each program: the plan of the rule, that of the least predicted cost, and
 * the fastest that a search finds, timed in turns in one child; each ratio is a
 * median of same-round ratios, its bounds are the 4th smallest and largest
 * of 15.
 *
 *   build/bench/model [--target T] [--dims SET] [--dtype D] [--budget S]
 *                     [--policy P] [--named] [--seeds N] FILE.tn...
 *
 * Sizes are fixed but with --named. A line a program: model / best, rule /
 * best, and what was chosen; the medians over all programs at the end.
 *
 * With --seeds: what beam and evolve find from each of the seeds 1 to N, a line
 * each with its time / rule's, and whether the intervals of all overlap.
 */
#include "tenon.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS  15
#define PLANS   21 /* of a race */
#define SEEDS   10
#define TENSORS 32
#define BLOCK   0.004
#define MOST    200
#define FILES   64

static const char *target, *dims, *dtype, *policy = "beam:8";
static double budget = 20;
static int named, seeds;

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

/* Inputs and results, the same for all: how memory lies is worth more than most
 * plans differ by. */
static int tensors(TenonContext *c, const Ready *r, TenonTensor *in,
		   TenonTensor *out)
{
	bool applies;

	if (tenon_fixture(r->program, "search", 1, in, &applies) || !applies)
		return fail(c, "inputs");
	int n = tenon_program_inputs(r->program);
	int m = tenon_program_results(r->program);
	for (int i = 0; i < n + m; i++) {
		TenonTensor h, *d = i < n ? &in[i] : &out[i - n];
		if (i >= n && tenon_result_desc(r->program, i - n, d))
			return fail(c, "results");
		h = *d;
		d->place = tenon_plan_place(r->plan);
		if (tenon_device_alloc(r->plan, tenon_tensor_bytes(d),
				       &d->data) ||
		    (i < n && tenon_device_copy(r->plan, d, &h)))
			return fail(c, "memory");
	}
	return 0;
}

static int ready(TenonContext *c, const char *path, Ready *r, TenonTensor *in,
		 TenonTensor *out)
{
	if (tenon_plan_load(c, path, &r->program, &r->plan) ||
	    (dims && named && tenon_set_dims(r->program, dims)))
		return fail(c, path);
	if (!out[0].data && tensors(c, r, in, out))
		return 1;
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
static int race(char paths[PLANS][64], int n, int fd)
{
	TenonContext *c = tenon_context_new();
	Ready r[PLANS] = {{0}};
	TenonTensor in[TENSORS] = {{0}}, out[TENSORS] = {{0}};
	double s[PLANS][ROUNDS];

	for (int i = 0; i < n; i++)
		if (ready(c, paths[i], &r[i], in, out))
			return 1;
	for (int k = 0; k < ROUNDS; k++)
		for (int i = 0; i < n; i++) {
			int at = (i + k) % n;
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

static double middle(const double *a)
{
	double x[ROUNDS];

	memcpy(x, a, sizeof(x));
	qsort(x, ROUNDS, sizeof(*x), by_size);
	return x[ROUNDS / 2];
}

/* What is raced of a program. */
typedef struct Field {
	int n;
	const char *policy[PLANS];
	int seed[PLANS];
	TenonTuneReport report[PLANS];
	char path[PLANS][64];
	double s[PLANS][ROUNDS];
} Field;

static void enter(Field *f, const char *by, int seed)
{
	f->policy[f->n] = by;
	f->seed[f->n++] = seed;
}

static int tune(TenonContext *c, TenonProgram *p, Field *f, int i)
{
	TenonPlanOptions plan = {.target = target};
	TenonTuneOptions o = {.plan = &plan,
			      .policy = f->policy[i],
			      .seconds = budget,
			      .seed = (uint64_t)f->seed[i],
			      .ledger = "/tmp/tenon-model.sqlite",
			      .again = true};
	TenonPlan *out;

	snprintf(f->path[i], sizeof(f->path[i]), "/tmp/tenon-model-%d-%d",
		 (int)getpid(), i);
	if (tenon_tune(c, p, &o, &f->report[i], &out) ||
	    tenon_plan_save(out, f->path[i]))
		return fail(c, f->policy[i]);
	tenon_plan_free(out);
	return 0;
}

/* Makes the field's plans and times them. */
static int measure(const char *file, Field *f)
{
	TenonContext *c = tenon_context_new();
	TenonProgram *p = program(c, file);
	int ends[2], status;

	if (!p)
		return fail(c, file);
	for (int i = 0; i < f->n; i++)
		if (tune(c, p, f, i))
			return 1;
	fflush(stdout);
	if (pipe(ends))
		return 1;
	pid_t pid = fork();
	if (pid == 0)
		_exit(race(f->path, f->n, ends[1]));
	close(ends[1]);
	ssize_t got = 0, n;
	while ((n = read(ends[0], (char *)f->s + got,
			 sizeof(f->s) - (size_t)got)) > 0)
		got += n;
	close(ends[0]);
	waitpid(pid, &status, 0);
	for (int i = 0; i < f->n; i++)
		unlink(f->path[i]);
	tenon_program_free(p);
	tenon_context_free(c);
	return got != (ssize_t)sizeof(f->s);
}

static const char *base(const char *file)
{
	return strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
}

static int one(const char *file, double *model, double *rule)
{
	static Field f;

	f = (Field){0};
	enter(&f, "rule", 1);
	enter(&f, "model", 1);
	enter(&f, policy, 1);
	if (measure(file, &f))
		return 1;
	Ratio m = ratio(f.s[1], f.s[2]), r = ratio(f.s[0], f.s[2]);
	*model = m.mid;
	*rule = r.mid;
	printf("%-28s %8.1f us  model %.3f [%.3f, %.3f]  rule %.3f [%.3f, "
	       "%.3f]  %lld tried, %s%s\n",
	       base(file), middle(f.s[2]) * 1e6, m.mid, m.lo, m.hi, r.mid, r.lo,
	       r.hi, (long long)f.report[2].tried, f.report[2].state,
	       f.report[2].ratio > 0 ? "" : ", the rule's choice");
	return 0;
}

/* Beam and evolve, seed by seed. */
static int of_seeds(const char *file)
{
	static Field f;
	double most_lo = 0, least_hi = 1e30;
	int behind = 0;

	f = (Field){0};
	enter(&f, "rule", 1);
	for (int i = 0; i < 2 * seeds; i++)
		enter(&f, i < seeds ? "beam:4" : "evolve:16", i % seeds + 1);
	if (measure(file, &f))
		return 1;
	printf("%s, the rule's: %.1f us\n", base(file), middle(f.s[0]) * 1e6);
	for (int i = 1; i < f.n; i++) {
		Ratio r = ratio(f.s[i], f.s[0]);
		most_lo = r.lo > most_lo ? r.lo : most_lo;
		least_hi = r.hi < least_hi ? r.hi : least_hi;
		behind += r.lo > 1;
		printf("  %-10s seed %d  %8.1f us  / rule %.3f [%.3f, %.3f]  "
		       "%lld tried%s\n",
		       f.policy[i], f.seed[i], middle(f.s[i]) * 1e6, r.mid,
		       r.lo, r.hi, (long long)f.report[i].tried,
		       f.report[i].ratio > 0 ? "" : ", the rule's choice");
	}
	printf("  intervals %s; behind the rule: %d\n",
	       most_lo <= least_hi ? "overlap" : "do not all overlap", behind);
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

	setvbuf(stdout, NULL, _IOLBF, 0);
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
		else if (!strcmp(argv[i], "--seeds"))
			seeds = atoi(next);
		else
			takes = false;
		named |= !strcmp(argv[i], "--named");
		i += takes;
		if (takes || argv[i][0] == '-' || n == FILES)
			continue;
		seeds = seeds > SEEDS ? SEEDS : seeds;
		if (seeds > 0)
			bad += of_seeds(argv[i]);
		else if (one(argv[i], &model[n], &rule[n]))
			bad++;
		else
			n++;
	}
	summary("model", model, n);
	summary("rule", rule, n);
	return bad > 0;
}
