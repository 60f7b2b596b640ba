/*
 * openblas: f32 matrix product, Tenon against OpenBLAS, paired.
 *
 * Both compute y = x @ w on the same data with the same number of threads
 * in one process. Rounds alternate which goes first; the ratio is taken
 * within a round; raw samples go to a CSV file when one is named.
 *
 *   build/bench/openblas [M K N [threads [rounds [samples.csv]]]]
 *
 * Exit 0 when measured, 1 when Tenon fails or the two disagree beyond the
 * rounding of their sums, 3 when OpenBLAS is missing.
 */
#include "tenon.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void Sgemm(int, int, int, int, int, int, float, const float *, int,
		   const float *, int, float, float *, int);

typedef struct Bench {
	long m, k, n;
	int threads, rounds;
	FILE *csv;
	TenonContext *c;
	TenonProgram *program;
	TenonPlan *plan;
	TenonTensor in[2], out;
	float *peer_out;
	Sgemm *sgemm;
} Bench;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Exit code of a failure; 3 is for a missing peer alone. */
static int fail(const Bench *b, const char *what)
{
	fprintf(stderr, "openblas: %s\n%s", what,
		b->c ? tenon_message(b->c) : "");
	return 1;
}

static bool load_peer(Bench *b)
{
	static const char *const names[] = {"libopenblas.so.0",
					    "libopenblas.so"};
	void *h = NULL;
	void (*set_threads)(int);

	for (size_t i = 0; !h && i < 2; i++)
		h = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (!h)
		return false;
	b->sgemm = __extension__(Sgemm *) dlsym(h, "cblas_sgemm");
	set_threads = __extension__(void (*)(int))
		dlsym(h, "openblas_set_num_threads");
	if (set_threads)
		set_threads(b->threads);
	return b->sgemm != NULL;
}

static TenonError make_plan(Bench *b)
{
	static const char text[] = "def gemm(x: f32[M, K], w: f32[K, N]):\n"
				   "    return x @ w\n";
	bool applies;
	TenonError e;

	tenon_set_threads(b->c, b->threads);
	e = tenon_program_from_text(b->c, "gemm", text, NULL, &b->program);
	if (!e)
		e = tenon_set_dim(b->program, "M", b->m);
	if (!e)
		e = tenon_set_dim(b->program, "K", b->k);
	if (!e)
		e = tenon_set_dim(b->program, "N", b->n);
	if (!e)
		e = tenon_compile(b->c, b->program, NULL, &b->plan);
	if (!e)
		e = tenon_fixture(b->program, "random", 1, b->in, &applies);
	if (!e)
		e = tenon_result_desc(b->program, 0, &b->out);
	return e;
}

static double run_tenon(Bench *b)
{
	double t = now();

	if (tenon_plan_run(b->plan, b->in, &b->out))
		exit(fail(b, "the plan failed"));
	return now() - t;
}

static double run_peer(Bench *b)
{
	double t = now();

	b->sgemm(101, 111, 111, (int)b->m, (int)b->n, (int)b->k, 1.0f,
		 b->in[0].data, (int)b->k, b->in[1].data, (int)b->n, 0.0f,
		 b->peer_out, (int)b->n);
	return now() - t;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Both results must agree to f32 rounding of sums of k products. */
static double worst_difference(const Bench *b)
{
	const float *y = b->out.data;
	double worst = 0;

	for (long i = 0; i < b->m * b->n; i++) {
		double d = (double)y[i] - (double)b->peer_out[i];
		d = d < 0 ? -d : d;
		worst = d > worst ? d : worst;
	}
	return worst;
}

static void sample(const Bench *b, const char *path, int round, int position,
		   double seconds)
{
	if (b->csv)
		fprintf(b->csv,
			"gemm_f32_%ldx%ldx%ld,%s,%d,%d,host single,warm,"
			"%.3f\n",
			b->m, b->k, b->n, path, round, position, seconds * 1e6);
}

/* False when the results differ. */
static bool measure(Bench *b)
{
	double *ratio = calloc((size_t)b->rounds, sizeof(double));
	double *mine = calloc((size_t)b->rounds, sizeof(double));
	double flop = 2.0 * (double)b->m * (double)b->k * (double)b->n;

	for (int r = 0; r < 3; r++) {
		run_tenon(b);
		run_peer(b);
	}
	for (int r = 0; r < b->rounds; r++) {
		double t, p;
		if (r % 2) {
			p = run_peer(b);
			t = run_tenon(b);
		} else {
			t = run_tenon(b);
			p = run_peer(b);
		}
		sample(b, "tenon", r, r % 2, t);
		sample(b, "openblas", r, !(r % 2), p);
		ratio[r] = p / t;
		mine[r] = t;
	}
	qsort(ratio, (size_t)b->rounds, sizeof(double), by_value);
	qsort(mine, (size_t)b->rounds, sizeof(double), by_value);
	printf("gemm f32 %ldx%ldx%ld, %d threads: tenon %.1f GFLOP/s, "
	       "%.2f of OpenBLAS's speed (%.2f to %.2f over %d rounds), "
	       "largest difference %.3g\n",
	       b->m, b->k, b->n, b->threads, flop / mine[b->rounds / 2] * 1e-9,
	       ratio[b->rounds / 2], ratio[0], ratio[b->rounds - 1], b->rounds,
	       worst_difference(b));
	free(ratio);
	free(mine);
	/* Twice K u S, where the K products of a sum have magnitude S =
	 * sqrt(K) together: activations N(0, 1), weights N(0, 1)/sqrt(K). */
	double k = (double)b->k, limit = 1;
	while (limit * limit < k)
		limit *= 2;
	return worst_difference(b) <= 2 * k * 0x1p-24 * limit;
}

int main(int argc, char **argv)
{
	Bench b = {.m = 1024, .k = 1024, .n = 1024, .threads = 2, .rounds = 31};

	if (argc > 3) {
		b.m = atol(argv[1]);
		b.k = atol(argv[2]);
		b.n = atol(argv[3]);
	}
	if (argc > 4)
		b.threads = atoi(argv[4]);
	if (argc > 5)
		b.rounds = atoi(argv[5]);
	if (argc > 6 && !(b.csv = fopen(argv[6], "w")))
		return fail(&b, "cannot write the samples");
	if (b.csv)
		fprintf(b.csv, "case,path,round,position,clock,regime,us\n");
	if (!load_peer(&b)) {
		fail(&b, "OpenBLAS was not found (Debian's package "
			 "libopenblas0-pthread)");
		return 3;
	}
	b.c = tenon_context_new();
	if (!b.c || make_plan(&b))
		return fail(&b, "no plan");
	b.out.data = tenon_alloc(tenon_tensor_bytes(&b.out));
	b.peer_out = tenon_alloc(tenon_tensor_bytes(&b.out));
	if (!b.out.data || !b.peer_out)
		return fail(&b, "out of memory");
	if (!measure(&b))
		return fail(&b, "the results differ");
	if (b.csv && fclose(b.csv))
		return fail(&b, "cannot write the samples");
	tenon_release(b.out.data, tenon_tensor_bytes(&b.out));
	tenon_release(b.peer_out, tenon_tensor_bytes(&b.out));
	for (int i = 0; i < 2; i++)
		tenon_release(b.in[i].data, tenon_tensor_bytes(&b.in[i]));
	tenon_plan_free(b.plan);
	tenon_program_free(b.program);
	tenon_context_free(b.c);
	return 0;
}
