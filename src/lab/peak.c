/*
 * peak: what this machine can do, measured: f32 multiply-adds in registers,
 * and reading, copying and copying around the caches, at three footprints:
 * half of L2 a thread, a part of the last-level cache, and beyond it. Each
 * is the best of some tries: a bound, not a typical case.
 */
#include "loops.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#define TRIES     7
#define FMA_LOOPS 2000000 /* about 10 ms */
#define CHAINS                                                                 \
	12 /* two units of latency 4 or 5 need 10; AVX2 has 16                 \
	    * registers */
#define LLC_GUESS (32 << 20)  /* where the system does not say */
#define LLC_MAX   (64 << 20)  /* within the last-level cache: enough to see */
#define MOVED     (256 << 20) /* bytes that small footprints move at least */

static const char text[] =
	"long peak_width(void) { return W; }\n"
	"float peak_fma(long n)\n{\n"
	"\tvf a = splat(0x1.fffffep-1f), b = splat(0x1p-30f);\n"
	"\tvf c0 = a, c1 = a, c2 = a, c3 = a, c4 = a, c5 = a, c6 = a, c7 = a,\n"
	"\t\tc8 = a, c9 = a, c10 = a, c11 = a;\n"
	/* opaque, or equal chains are one */
	"\t__asm__(\"\" : \"+m\"(a), \"+m\"(b), \"+m\"(c0), \"+m\"(c1), "
	"\"+m\"(c2),\n\t\t\"+m\"(c3), \"+m\"(c4), \"+m\"(c5), \"+m\"(c6), "
	"\"+m\"(c7),\n\t\t\"+m\"(c8), \"+m\"(c9), \"+m\"(c10), "
	"\"+m\"(c11));\n"
	"\tfor (long i = 0; i < n; i++) {\n"
	"\t\tc0 = fma_v(c0, a, b); c1 = fma_v(c1, a, b);\n"
	"\t\tc2 = fma_v(c2, a, b); c3 = fma_v(c3, a, b);\n"
	"\t\tc4 = fma_v(c4, a, b); c5 = fma_v(c5, a, b);\n"
	"\t\tc6 = fma_v(c6, a, b); c7 = fma_v(c7, a, b);\n"
	"\t\tc8 = fma_v(c8, a, b); c9 = fma_v(c9, a, b);\n"
	"\t\tc10 = fma_v(c10, a, b); c11 = fma_v(c11, a, b);\n"
	"\t}\n"
	"\treturn fold_sum(((c0 + c1) + (c2 + c3)) + ((c4 + c5) + (c6 + c7)) "
	"+\n"
	"\t\t((c8 + c9) + (c10 + c11)));\n}\n"
	"void peak_read(float *d, const float *s, long n)\n{\n"
	"\tvf a = splat(0), b = a, c = a, e = a;\n"
	"\tfor (long i = 0; i < n; i += 4 * W) {\n"
	"\t\ta = a + ld_f32(s + i, W); b = b + ld_f32(s + i + W, W);\n"
	"\t\tc = c + ld_f32(s + i + 2 * W, W);\n"
	"\t\te = e + ld_f32(s + i + 3 * W, W);\n"
	"\t}\n"
	"\td[0] = fold_sum((a + b) + (c + e));\n}\n"
	"void peak_copy(float *d, const float *s, long n)\n{\n"
	"\tfor (long i = 0; i < n; i += W)\n"
	"\t\tst_f32(d + i, ld_f32(s + i, W) + 0x1p-100f, W);\n}\n"
	"#if W == 16\n"
	"#define PUT(p, v) _mm512_stream_ps(p, (__m512)(v))\n"
	"#elif W == 8\n"
	"#define PUT(p, v) _mm256_stream_ps(p, (__m256)(v))\n"
	"#else\n"
	"#define PUT(p, v) st_f32(p, v, W)\n"
	"#endif\n"
	"void peak_stream(float *d, const float *s, long n)\n{\n"
	"\tfor (long i = 0; i < n; i += W)\n"
	"\t\tPUT(d + i, ld_f32(s + i, W));\n"
	"\t__sync_synchronize();\n}\n";

typedef struct Job {
	float (*fma)(long);
	LabMoveFn *move;
	float *d, *s, sink[64];
	long n, repeat; /* floats a thread; times over them */
} Job;

static void fma_part(void *arg, int worker, int chunk)
{
	Job *j = arg;

	(void)worker;
	j->sink[chunk % 64] = j->fma(j->n);
}

static void move_part(void *arg, int worker, int chunk)
{
	const Job *j = arg;

	(void)worker;
	for (long r = 0; r < j->repeat; r++)
		j->move(j->d + chunk * j->n, j->s + chunk * j->n, j->n);
}

/* Least seconds of a run of all threads. */
static double best(LabTeam *team, int threads, LabTeamFn *fn, Job *j)
{
	double least = 0;

	for (int i = 0; i < TRIES; i++) {
		double start = lab_seconds(), took;

		lab_team_run(team, NULL, fn, j, threads);
		took = lab_seconds() - start;
		least = i == 0 || took < least ? took : least;
	}
	return least;
}

static int64_t footprint(LabLevel level, const LabMachine *m, int threads)
{
	int64_t l3 = m->l3 ? m->l3 : LLC_GUESS;
	int64_t memory =
		(int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);

	switch (level) {
	case LAB_L2:
		return (m->l2 ? m->l2 : 1 << 20) / 2 * threads;
	case LAB_L3:
		return l3 / 2 < LLC_MAX ? l3 / 2 : LLC_MAX;
	case LAB_MEMORY:
		break;
	case LAB_LEVELS:
		return 0;
	}
	return 2 * l3 < memory / 8 ? 2 * l3 : memory / 8;
}

static bool moves(LabMem *m, void *library, LabTeam *team, int threads,
		  const LabMachine *machine, LabPeaks *out)
{
	static const char *const names[] = {"peak_read", "peak_copy",
					    "peak_stream"};
	int64_t most = footprint(LAB_MEMORY, machine, threads);
	size_t bytes = (size_t)most + (1 << 16);
	float *d = tenon_alloc(bytes / 2), *s = tenon_alloc(bytes);
	bool ok = d && s;

	if (ok) {
		memset(d, 0, bytes / 2);
		memset(s, 0, bytes);
	}
	for (int l = 0; l < LAB_LEVELS && ok; l++)
		for (int k = 0; k < LAB_MOVES && ok; k++) {
			int64_t all = footprint((LabLevel)l, machine, threads);
			/* What is read and what is written share it. */
			long n = (long)(all / (k ? 2 : 1) / threads / 4 / 64) *
				 64;
			Job j = {.d = d, .s = s, .n = n};
			double moved;

			j.repeat = 1 + MOVED / (all + 1);
			j.move = __extension__(LabMoveFn *)
				dlsym(library, names[k]);
			moved = (double)n * 4 * threads * (double)j.repeat *
				(k ? 2 : 1);
			out->bytes[l] = all;
			out->gbs[l][k] = moved * 1e-9 /
					 best(team, threads, move_part, &j);
		}
	if (d)
		tenon_release(d, bytes / 2);
	if (s)
		tenon_release(s, bytes);
	return ok || lab_fail(m, "no memory to measure bandwidth with");
}

bool lab_peak_build(LabMem *m, const char *compiler, void **library)
{
	LabText t = {.mem = m};

	for (int i = 0; lab_loops_prelude[i]; i++)
		lab_text(&t, "%s", lab_loops_prelude[i]);
	lab_text(&t, "%s", text);
	return lab_build(m, compiler, t.p, library);
}

bool lab_peaks(LabMem *m, const char *compiler, LabTeam *team, int threads,
	       const LabMachine *machine, LabPeaks *out)
{
	void *library;
	long (*width)(void);
	Job j = {.n = FMA_LOOPS};
	bool ok;

	*out = (LabPeaks){.threads = threads};
	if (!lab_peak_build(m, compiler, &library))
		return false;
	width = __extension__(long (*)(void)) dlsym(library, "peak_width");
	j.fma = __extension__(float (*)(long)) dlsym(library, "peak_fma");
	out->gflops = 2.0 * CHAINS * (double)width() * FMA_LOOPS * threads *
		      1e-9 / best(team, threads, fma_part, &j);
	ok = moves(m, library, team, threads, machine, out);
	dlclose(library);
	return ok;
}

double lab_roof(const LabPeaks *p, double flop, double bytes, double written)
{
	bool reads = written * 3 < bytes;
	double compute = flop / p->gflops * 1e-3, move, speed;
	int l = 0;

	while (l < LAB_MEMORY && bytes > (double)p->bytes[l])
		l++;
	speed = p->gbs[l][LAB_READ];
	if (!reads)
		speed = p->gbs[l][LAB_COPY] > p->gbs[l][LAB_STREAM]
				? p->gbs[l][LAB_COPY]
				: p->gbs[l][LAB_STREAM];
	move = bytes / speed * 1e-3;
	return compute > move ? compute : move;
}
