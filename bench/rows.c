/*
 * rows: softmax, RMSNorm and LayerNorm against the bandwidth of a copy.
 *
 * Each program reads and writes every element once, so a copy of the same
 * bytes with non-temporal stores, on the same threads and in the same round,
 * is the floor. Paths of one case alternate within a round; the ratio is
 * taken within the round. Raw samples go to a CSV file when one is named.
 *
 *   build/bench/rows [--dtype f32] [--threads N] [--rounds N] [--csv FILE]
 *                    [--pin a.b=c]... [--vs a.b=c]... [--only NAME]
 *                    [ROWSxWIDTH...]
 *
 * --pin is for every plan; --vs adds a second plan of each program with that
 * pin, timed as a path of its own. Exit 0 when measured, 1 on a failure.
 */
#include "base/base.h"
#include "tenon.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#define MAX_PINS   8
#define MAX_ROUNDS 99
#define MAX_PATHS  3 /* the copy, the plan, the plan with --vs */

typedef struct Program {
	const char *name, *text;
} Program;

static const Program programs[] = {
	{"softmax", "def f(x: f32[M, K]):\n    return softmax(x)\n"},
	{"rms_norm", "def f(x: f32[M, K], g: f32[K]):\n"
		     "    return rms_norm(x, g)\n"},
	{"layer_norm", "def f(x: f32[M, K], g: f32[K], b: f32[K]):\n"
		       "    return layer_norm(x, g, b)\n"},
};

typedef struct Bench {
	const char *dtype, *only;
	int threads, rounds;
	FILE *csv;
	const char *pins[MAX_PINS], *vs[MAX_PINS];
	size_t npins, nvs;
	TenonContext *c;
} Bench;

typedef struct Copy {
	char *to;
	const char *from;
	size_t bytes;
	int workers;
} Copy;

/* One worker's part, whole cache lines past the ordinary caches. */
static void copy_part(void *arg, int worker)
{
	const Copy *c = arg;
	size_t lines = c->bytes / 64;
	size_t from = lines * (size_t)worker / (size_t)c->workers;
	size_t to = lines * ((size_t)worker + 1) / (size_t)c->workers;

#if defined(__x86_64__)
	for (size_t i = from; i < to; i++) {
		const __m128i *x =
			(const __m128i *)(const void *)c->from + 4 * i;
		__m128i *y = (__m128i *)(void *)c->to + 4 * i;
		for (int k = 0; k < 4; k++)
			_mm_stream_si128(y + k, _mm_load_si128(x + k));
	}
	_mm_sfence();
#else
	memcpy(c->to + 64 * from, c->from + 64 * from, 64 * (to - from));
#endif
}

static void fail(const Bench *b, const char *what)
{
	fprintf(stderr, "rows: %s\n%s", what, b->c ? tenon_message(b->c) : "");
	exit(1);
}

static TenonPlan *make_plan(const Bench *b, TenonProgram *p, bool vs)
{
	const char *pins[2 * MAX_PINS];
	TenonPlanOptions o = {.pins = pins};
	TenonPlan *plan;

	for (size_t i = 0; i < b->npins; i++)
		pins[o.npins++] = b->pins[i];
	for (size_t i = 0; vs && i < b->nvs; i++)
		pins[o.npins++] = b->vs[i];
	if (tenon_compile(b->c, p, &o, &plan))
		fail(b, "no plan");
	return plan;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(const double *x, int n)
{
	double s[MAX_ROUNDS];

	memcpy(s, x, (size_t)n * sizeof(double));
	qsort(s, (size_t)n, sizeof(double), compare);
	return s[n / 2];
}

typedef struct Case {
	char name[96];
	TenonPlan *plan[MAX_PATHS]; /* [0]: none, the copy */
	int paths;
	TenonTensor in[3], out;
	Copy copy;
} Case;

static void run_path(const Bench *b, Case *c, int path)
{
	if (path == 0)
		pool_run(c->copy.workers, copy_part, &c->copy);
	else if (tenon_plan_run(c->plan[path], c->in, &c->out))
		fail(b, "the run failed");
}

/* Seconds a call; blocks of about 10 ms. */
static double sample(const Bench *b, Case *c, int path, int calls)
{
	double t0;

	run_path(b, c, path);
	t0 = clock_seconds();
	for (int i = 0; i < calls; i++)
		run_path(b, c, path);
	return (clock_seconds() - t0) / calls;
}

static void measure(const Bench *b, Case *c)
{
	static const char *const names[] = {"copy", "tenon", "tenon-vs"};
	static double us[MAX_PATHS][MAX_ROUNDS], ratio[MAX_ROUNDS];
	double once;
	int calls;

	for (int i = 0; i < c->paths; i++)
		run_path(b, c, i);
	once = sample(b, c, 1, 1);
	calls = once > 10e-3 ? 1 : (int)(10e-3 / once);
	calls = calls > 200 ? 200 : calls;
	for (int r = 0; r < b->rounds; r++)
		for (int i = 0; i < c->paths; i++) {
			int path = (i + r) % c->paths;
			us[path][r] = sample(b, c, path, calls) * 1e6;
			if (b->csv)
				fprintf(b->csv,
					"%s,%s,%d,%d,host-batch,warm,%.3f\n",
					c->name, names[path], r, i,
					us[path][r]);
		}
	double bytes = 2.0 * (double)tenon_tensor_bytes(&c->out);
	printf("%-28s copy %8.1f us %6.1f GB/s", c->name,
	       median(us[0], b->rounds),
	       bytes / median(us[0], b->rounds) * 1e-3);
	for (int i = 1; i < c->paths; i++) {
		for (int r = 0; r < b->rounds; r++)
			ratio[r] = us[0][r] / us[i][r];
		printf("  %s %8.1f us %5.1f %%", names[i],
		       median(us[i], b->rounds),
		       100 * median(ratio, b->rounds));
	}
	printf("\n");
	fflush(stdout);
}

static void run_case(const Bench *b, const Program *prog, long rows, long width)
{
	TenonProgramOptions o = {.dtype = b->dtype};
	Case c = {.paths = b->nvs ? 3 : 2};
	TenonProgram *p;
	bool applies;

	snprintf(c.name, sizeof(c.name), "%s-%s-%ldx%ld-%dt", prog->name,
		 b->dtype, rows, width, b->threads);
	if (tenon_program_from_text(b->c, prog->name, prog->text, &o, &p) ||
	    tenon_set_dim(p, "M", rows) || tenon_set_dim(p, "K", width) ||
	    tenon_fixture(p, "random", 1, c.in, &applies) ||
	    tenon_result_desc(p, 0, &c.out))
		fail(b, c.name);
	c.out.data = tenon_alloc(tenon_tensor_bytes(&c.out));
	if (!c.out.data)
		fail(b, "no memory");
	for (int i = 1; i < c.paths; i++)
		c.plan[i] = make_plan(b, p, i == 2);
	c.copy = (Copy){c.out.data, c.in[0].data, tenon_tensor_bytes(&c.out),
			b->threads};
	measure(b, &c);
	for (int i = 1; i < c.paths; i++)
		tenon_plan_free(c.plan[i]);
	for (int i = 0; i < tenon_program_inputs(p); i++)
		tenon_release(c.in[i].data, tenon_tensor_bytes(&c.in[i]));
	tenon_release(c.out.data, tenon_tensor_bytes(&c.out));
	tenon_program_free(p);
}

static const char *value(int argc, char **argv, int *i)
{
	if (*i + 1 >= argc) {
		fprintf(stderr, "rows: %s needs a value\n", argv[*i]);
		exit(1);
	}
	return argv[++*i];
}

int main(int argc, char **argv)
{
	static const long shapes[][2] = {{37, 8191},    {1024, 8192},
					 {1024, 16384}, {4096, 8192},
					 {8192, 4096},  {16384, 4096}};
	Bench b = {.dtype = "f32", .rounds = 9, .threads = cpu_count()};
	bool given = false;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--dtype"))
			b.dtype = value(argc, argv, &i);
		else if (!strcmp(argv[i], "--only"))
			b.only = value(argc, argv, &i);
		else if (!strcmp(argv[i], "--threads"))
			b.threads = atoi(value(argc, argv, &i));
		else if (!strcmp(argv[i], "--rounds"))
			b.rounds = atoi(value(argc, argv, &i));
		else if (!strcmp(argv[i], "--csv"))
			b.csv = fopen(value(argc, argv, &i), "w");
		else if (!strcmp(argv[i], "--pin") && b.npins < MAX_PINS)
			b.pins[b.npins++] = value(argc, argv, &i);
		else if (!strcmp(argv[i], "--vs") && b.nvs < MAX_PINS)
			b.vs[b.nvs++] = value(argc, argv, &i);
		else
			given = true;
	}
	if (b.rounds < 1 || b.rounds > MAX_ROUNDS || b.threads < 1)
		fail(&b, "rounds or threads out of range");
	b.c = tenon_context_new();
	if (!b.c)
		fail(&b, "no context");
	tenon_set_threads(b.c, b.threads);
	if (b.csv)
		fprintf(b.csv, "case,path,round,position,clock,regime,us\n");
	for (size_t k = 0; k < ARRAY_LEN(programs); k++) {
		if (b.only && strcmp(b.only, programs[k].name) != 0)
			continue;
		for (int i = 1; given && i < argc; i++) {
			long rows, width;
			if (sscanf(argv[i], "%ldx%ld", &rows, &width) == 2)
				run_case(&b, &programs[k], rows, width);
		}
		for (size_t i = 0; !given && i < ARRAY_LEN(shapes); i++)
			run_case(&b, &programs[k], shapes[i][0], shapes[i][1]);
	}
	tenon_context_free(b.c);
	if (b.csv)
		fclose(b.csv);
	return 0;
}
