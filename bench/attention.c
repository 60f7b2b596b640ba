/*
 * attention: f32 attention, Tenon against a composition, paired.
 *
 * The peer computes softmax(q k^T / sqrt(E)) v head by head: OpenBLAS for
 * both products, Tenon's own softmax kernel between them. Each
 * thread takes whole heads with a single-threaded product, which is faster
 * than threads within a product. Rounds alternate which goes first; the
 * ratio is taken within a round; raw samples go to a CSV file when one is
 * named.
 *
 *   build/bench/attention [HEADS L S [threads [rounds [samples.csv]]]]
 *
 * Exit 0 when measured, 1 when Tenon fails or the two disagree, 3 when
 * OpenBLAS is missing.
 */
#include "tenon.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define HEAD        64 /* head dim and value dim, as the text below has them */
#define MAX_THREADS 64

typedef void Sgemm(int, int, int, int, int, int, float, const float *, int,
		   const float *, int, float, float *, int);

static const char attention_text[] =
	"def attend(q: f32[H, L, 64], k: f32[H, S, 64], v: f32[H, S, 64]):\n"
	"    return attention(q, k, v)\n";
static const char softmax_text[] = "def rows(x: f32[L, S]):\n"
				   "    return softmax(x)\n";

typedef struct Job {
	TenonContext *c;
	TenonProgram *program;
	TenonPlan *plan;
	TenonTensor in[3], out;
} Job;

struct Bench;
typedef struct Worker {
	struct Bench *b;
	int number;
	Job softmax;
} Worker;

typedef struct Bench {
	long h, l, s;
	int threads, rounds;
	FILE *csv;
	Job attend;
	float *peer_out;
	Sgemm *sgemm;
	Worker workers[MAX_THREADS];
} Bench;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int fail(const Job *j, const char *what)
{
	fprintf(stderr, "attention: %s\n%s", what,
		j && j->c ? tenon_message(j->c) : "");
	return 1;
}

static bool load_peer(Bench *b)
{
	void *h = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
	void (*set_threads)(int);

	if (!h)
		h = dlopen("libopenblas.so", RTLD_NOW | RTLD_LOCAL);
	if (!h)
		return false;
	b->sgemm = __extension__(Sgemm *) dlsym(h, "cblas_sgemm");
	set_threads = __extension__(void (*)(int))
		dlsym(h, "openblas_set_num_threads");
	if (set_threads)
		set_threads(1);
	return b->sgemm && set_threads;
}

static bool make(const Bench *b, Job *j, const char *text, int threads)
{
	bool applies;
	TenonError e;

	j->c = tenon_context_new();
	if (!j->c)
		return false;
	tenon_set_threads(j->c, threads);
	e = tenon_program_from_text(j->c, "bench", text, NULL, &j->program);
	if (!e && text == attention_text)
		e = tenon_set_dim(j->program, "H", b->h);
	if (!e)
		e = tenon_set_dim(j->program, "L", b->l);
	if (!e)
		e = tenon_set_dim(j->program, "S", b->s);
	if (!e)
		e = tenon_compile(j->c, j->program, NULL, &j->plan);
	if (!e)
		e = tenon_fixture(j->program, "random", 1, j->in, &applies);
	if (!e)
		e = tenon_result_desc(j->program, 0, &j->out);
	return !e;
}

static double run_tenon(Bench *b)
{
	double t = now();

	if (tenon_plan_run(b->attend.plan, b->attend.in, &b->attend.out))
		exit(fail(&b->attend, "the plan failed"));
	return now() - t;
}

static void *peer_heads(void *arg)
{
	Worker *w = arg;
	const Bench *b = w->b;
	int l = (int)b->l, s = (int)b->s;
	float *scores = w->softmax.in[0].data, *rows = w->softmax.out.data;

	for (long h = w->number; h < b->h; h += b->threads) {
		const float *q = b->attend.in[0].data,
			    *k = b->attend.in[1].data;
		const float *v = b->attend.in[2].data;
		float *y = b->peer_out + h * b->l * HEAD;
		b->sgemm(101, 111, 112, l, s, HEAD, 0.125f, q + h * b->l * HEAD,
			 HEAD, k + h * b->s * HEAD, HEAD, 0.0f, scores, s);
		if (tenon_plan_run(w->softmax.plan, w->softmax.in,
				   &w->softmax.out))
			exit(fail(&w->softmax, "softmax failed"));
		b->sgemm(101, 111, 111, l, HEAD, s, 1.0f, rows, s,
			 v + h * b->s * HEAD, HEAD, 0.0f, y, HEAD);
	}
	return NULL;
}

static double run_peer(Bench *b)
{
	pthread_t id[MAX_THREADS];
	double t = now();

	for (int i = 1; i < b->threads; i++)
		if (pthread_create(&id[i], NULL, peer_heads, &b->workers[i]))
			exit(fail(NULL, "no thread"));
	peer_heads(&b->workers[0]);
	for (int i = 1; i < b->threads; i++)
		pthread_join(id[i], NULL);
	return now() - t;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double worst_difference(const Bench *b)
{
	const float *y = b->attend.out.data;
	double worst = 0;

	for (long i = 0; i < b->h * b->l * HEAD; i++) {
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
			"attention_f32_%ldx%ldx%ldx%d,%s,%d,%d,host single,"
			"warm,%.3f\n",
			b->h, b->l, b->s, HEAD, path, round, position,
			seconds * 1e6);
}

/* False when the results differ by more than f32 sums may: weights sum to
 * 1, and values are N(0, 1). */
static bool measure(Bench *b)
{
	double *ratio = calloc((size_t)b->rounds, sizeof(double));
	double *mine = calloc((size_t)b->rounds, sizeof(double));
	double flop = 4.0 * (double)b->h * (double)b->l * (double)b->s * HEAD;

	run_tenon(b);
	run_peer(b);
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
	printf("attention f32 %ld heads %ldx%ldx%d, %d threads: tenon %.1f ms "
	       "(%.0f GFLOP/s), %.2f of the composition's speed (%.2f to %.2f "
	       "over %d rounds), largest difference %.3g\n",
	       b->h, b->l, b->s, HEAD, b->threads, mine[b->rounds / 2] * 1e3,
	       flop / mine[b->rounds / 2] * 1e-9, ratio[b->rounds / 2],
	       ratio[0], ratio[b->rounds - 1], b->rounds, worst_difference(b));
	free(ratio);
	free(mine);
	return worst_difference(b) <= 1e-5;
}

static void release(Job *j, int inputs)
{
	for (int i = 0; i < inputs; i++)
		tenon_release(j->in[i].data, tenon_tensor_bytes(&j->in[i]));
	tenon_plan_free(j->plan);
	tenon_program_free(j->program);
	tenon_context_free(j->c);
}

int main(int argc, char **argv)
{
	Bench b = {.h = 16, .l = 2048, .s = 2048, .threads = 2, .rounds = 11};

	if (argc > 3) {
		b.h = atol(argv[1]);
		b.l = atol(argv[2]);
		b.s = atol(argv[3]);
	}
	if (argc > 4)
		b.threads = atoi(argv[4]);
	if (argc > 5)
		b.rounds = atoi(argv[5]);
	if (b.threads < 1 || b.threads > MAX_THREADS || b.rounds < 1)
		return fail(NULL, "threads are 1 to 64, rounds 1 at least");
	if (argc > 6 && !(b.csv = fopen(argv[6], "w")))
		return fail(NULL, "cannot write the samples");
	if (b.csv)
		fprintf(b.csv, "case,path,round,position,clock,regime,us\n");
	if (!load_peer(&b)) {
		fail(NULL, "OpenBLAS was not found (Debian's package "
			   "libopenblas0-pthread)");
		return 3;
	}
	if (!make(&b, &b.attend, attention_text, b.threads))
		return fail(&b.attend, "no plan");
	for (int i = 0; i < b.threads; i++) {
		b.workers[i] = (Worker){.b = &b, .number = i};
		if (!make(&b, &b.workers[i].softmax, softmax_text, 1))
			return fail(&b.workers[i].softmax, "no plan");
		TenonTensor *y = &b.workers[i].softmax.out;
		if (!(y->data = tenon_alloc(tenon_tensor_bytes(y))))
			return fail(NULL, "out of memory");
	}
	size_t bytes = tenon_tensor_bytes(&b.attend.out);
	b.attend.out.data = tenon_alloc(bytes);
	b.peer_out = tenon_alloc(bytes);
	if (!b.attend.out.data || !b.peer_out)
		return fail(NULL, "out of memory");
	if (!measure(&b))
		return fail(NULL, "the results differ");
	if (b.csv && fclose(b.csv))
		return fail(NULL, "cannot write the samples");
	tenon_release(b.attend.out.data, bytes);
	tenon_release(b.peer_out, bytes);
	release(&b.attend, 3);
	for (int i = 0; i < b.threads; i++) {
		tenon_release(b.workers[i].softmax.out.data,
			      tenon_tensor_bytes(&b.workers[i].softmax.out));
		release(&b.workers[i].softmax, 1);
	}
	return 0;
}
