/*
 * gpu_rows: rows and elementwise programs on a CUDA device against the
 * bandwidth of a copy.
 *
 * Softmax, RMSNorm and LayerNorm at the shapes of the study of compilers, and
 * x * 2 + y, each read and written once; and few long rows, of which several
 * launches each read what they need. A kernel and a copy of as many bytes
 * alternate, each as a graph of launches, so that the host's launch rate does
 * not count; the best of a few rounds is printed. Every measurement has a
 * process of its own, since a fault lasts as long as its process. Twice the
 * same launch must give the same bits.
 *
 *   build/bench/gpu_rows [--only TEXT] [--dtype f32] [--vs a.b=c[,d.e=f]]...
 *
 * --vs adds a plan of each program with those pins; what refuses a pin is left
 * out. Exit 0 when measured, 1 on a failure, 3 without a device.
 */
#include "driver/driver.h"
#include "emit/emit.h"
#include "runtime/cuda_graph.h"
#include "runtime/nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_VS      8
#define MAX_PINS    8
#define MAX_BUFFERS 16
#define MAX_STEPS   8 /* launches of a run */
#define ROUNDS      7
#define MOST        200 /* launches of a graph */

typedef struct RowOp {
	const char *name, *parameters, *result;
} RowOp;

/* $T the dtype, $M rows, $K their width. */
static const RowOp ops[] = {
	{"softmax", "x: $T[$M, $K]", "softmax(x)"},
	{"rms_norm", "x: $T[$M, $K], g: $T[$K]", "rms_norm(x, g)"},
	{"layer_norm", "x: $T[$M, $K], g: $T[$K], b: $T[$K]",
	 "layer_norm(x, g, b)"},
	{"x*2+y", "x: $T[$M, $K], y: $T[$M, $K]", "x * 2 + y"},
};
static const int shapes[][2] = {
	{37, 8191},    {1024, 8192}, {1024, 16384}, {4096, 8192}, {8192, 4096},
	{16384, 4096}, {1024, 1024}, {65536, 256},  {4, 1000000}, {1, 16777216},
};

static const char copy_text[] =
	"extern \"C\" __global__ void __launch_bounds__(256)\n"
	"copy(const uint4 *__restrict__ from, uint4 *__restrict__ to,\n"
	"     unsigned long long n)\n"
	"{\n"
	"\tunsigned long long at = blockIdx.x * 1024ull + threadIdx.x;\n"
	"\tuint4 v[4];\n"
	"\n"
	"#pragma unroll\n"
	"\tfor (int i = 0; i < 4; i++)\n"
	"\t\tif (at + 256 * i < n)\n"
	"\t\t\tv[i] = from[at + 256 * i];\n"
	"#pragma unroll\n"
	"\tfor (int i = 0; i < 4; i++)\n"
	"\t\tif (at + 256 * i < n)\n"
	"\t\t\t__stcs(to + at + 256 * i, v[i]);\n"
	"}\n";

/* ---- a device and what is timed on it --------------------------------- */

typedef struct Bench {
	Ctx ctx;
	Cuda cuda;
	CudaDevice device;
	Nvrtc nvrtc;
	CudaStream stream;
	char arch[16];
} Bench;

static bool bench_open(Bench *b)
{
	ctx_init(&b->ctx);
	if (!cuda_open(&b->ctx, NULL, 0, &b->cuda) ||
	    !cuda_device_open(&b->ctx, &b->cuda, 0, &b->device) ||
	    !nvrtc_open(&b->ctx, NULL, &b->nvrtc))
		return false;
	int n = 10 * b->device.info.major + b->device.info.minor;
	snprintf(b->arch, sizeof(b->arch), "sm_%d%s", n, n >= 90 ? "a" : "");
	return cuda_stream_new(&b->ctx, &b->device, &b->stream);
}

/* Runs of a kernel one after another. */
typedef struct Timed {
	CudaGraph graph;
	int runs;
	double best; /* seconds of one */
} Timed;

/* steps: the launches of a run, each by its name in the text. */
static bool timed_open(Bench *b, const char *text, CudaLaunch *steps, size_t n,
		       double bytes, Timed *t)
{
	Arena *a = &b->ctx.perm;
	NvrtcSource s = {.name = "rows", .text = text, .arch = b->arch};
	CudaModule m;
	double about = bytes / 4e12 + 2e-6 * (double)n;
	CudaLaunch *all = arena_array(a, CudaLaunch, MOST * n);

	if (!nvrtc_compile(&b->ctx, a, &b->nvrtc, &s, 1) ||
	    !cuda_module_load(&b->ctx, &b->device, s.cubin, &m))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!cuda_function(&b->ctx, &b->device, m, steps[i].name,
				   steps[i].shared, &steps[i].function))
			return false;
	t->best = 1e9;
	t->runs = (int)(2e-3 / about) + 1;
	t->runs = t->runs > MOST ? MOST : t->runs;
	for (size_t i = 0; i < (size_t)t->runs * n; i++)
		all[i] = steps[i % n];
	return cuda_graph_new(&b->ctx, a, &b->device, all, (size_t)t->runs * n,
			      NULL, &t->graph);
}

static bool timed_round(Bench *b, Timed *t, bool counts)
{
	double start = clock_seconds();

	if (!cuda_graph_launch(&b->ctx, &t->graph, b->stream) ||
	    !cuda_synchronize(&b->ctx, &b->device, b->stream))
		return false;
	double each = (clock_seconds() - start) / t->runs;
	if (counts && each < t->best)
		t->best = each;
	return true;
}

/* ---- a program -------------------------------------------------------- */

static const char *filled(Arena *a, const char *text, const char *dtype,
			  const int *shape)
{
	Buf b;

	buf_init(&b, a);
	for (; *text; text++) {
		if (*text != '$') {
			buf_printf(&b, "%c", *text);
			continue;
		}
		text++;
		if (*text == 'T')
			buf_puts(&b, dtype);
		else
			buf_printf(&b, "%d", shape[*text == 'K']);
	}
	return buf_str(&b);
}

static TenonPlan *compiled(Arena *a, const char *text, const char *target,
			   const char *pins)
{
	TenonContext *c = tenon_context_new();
	TenonProgram *p;
	TenonPlan *plan = NULL;
	const char *list[MAX_PINS];
	TenonPlanOptions o = {
		.target = target, .pins = list, .emit_only = true};

	for (char *s = pins ? arena_strdup(a, pins) : NULL; s && *s;) {
		char *end = strchr(s, ',');
		if (end)
			*end = 0;
		if (o.npins < MAX_PINS)
			list[o.npins++] = s;
		s = end ? end + 1 : NULL;
	}
	if (!c || tenon_program_from_text(c, "rows", text, NULL, &p) ||
	    tenon_compile(c, p, &o, &plan)) {
		if (!pins && c)
			fputs(tenon_message(c), stderr);
		return NULL;
	}
	return plan;
}

/* Numbers of [-2, 2), which every float dtype reads as such. */
static void fill(void *data, size_t bytes, const char *dtype)
{
	uint32_t s = 12345;

	for (size_t i = 0; i < bytes / 2; i++) {
		s = s * 1664525u + 1013904223u;
		if (strcmp(dtype, "f32") != 0)
			((uint16_t *)data)[i] =
				(uint16_t)((s >> 16 & 0x83ff) | 0x3c00);
		else if (i % 2 == 0)
			((float *)data)[i / 2] =
				(float)((int)(s >> 8) - (1 << 23)) * 0x1p-22f;
	}
}

typedef struct Memory {
	CudaPtr at[MAX_BUFFERS]; /* by buffer of the plan */
	CudaPtr result, records;
	size_t result_bytes;
	double bytes; /* of inputs and results */
} Memory;

static bool memory_open(Bench *b, const Plan *p, const char *dtype, Memory *m)
{
	const ExprTab *t = &p->kernels->program->ex;

	for (size_t i = 0; i < p->buffers.n; i++) {
		const PlanBuffer *buf = &p->buffers.p[i];
		int64_t bytes = 0;
		if (i == MAX_BUFFERS || !ex_is_const(t, buf->bytes, &bytes) ||
		    !cuda_alloc(&b->ctx, &b->device, (size_t)bytes, &m->at[i]))
			return false;
		if (buf->kind == PLAN_INPUT || buf->kind == PLAN_RESULT)
			m->bytes += (double)bytes;
		if (buf->kind == PLAN_RESULT) {
			m->result = m->at[i];
			m->result_bytes = (size_t)bytes;
		}
		if (buf->kind != PLAN_INPUT)
			continue;
		void *host = malloc((size_t)bytes);
		if (!host)
			return false;
		fill(host, (size_t)bytes, dtype);
		bool ok = cuda_copy_in(&b->ctx, &b->device, m->at[i], host,
				       (size_t)bytes, b->stream) &&
			  cuda_synchronize(&b->ctx, &b->device, b->stream);
		free(host);
		if (!ok)
			return false;
	}
	return cuda_alloc(&b->ctx, &b->device, 1 << 16, &m->records) &&
	       cuda_fill(&b->ctx, &b->device, m->records, 0, 1 << 14,
			 b->stream) &&
	       m->result != 0;
}

/* A launch of the plan; false where its size is not known. */
static bool step_of(Arena *a, const Plan *p, const PlanLaunch *l,
		    const Memory *m, CudaLaunch *out)
{
	const ExprTab *t = &p->kernels->program->ex;
	const Kernel *k = &p->kernels->kernels.p[l->kernel];
	const Phase *ph = &k->phases.p[l->phase];
	uint64_t *args = arena_array(a, uint64_t, l->buffers.n + 1);
	int64_t tasks = 0, shared = 0;

	if (!ex_is_const(t, l->tasks, &tasks) ||
	    !ex_is_const(t, l->scratch, &shared))
		return false;
	for (size_t i = 0; i < l->buffers.n; i++)
		args[i] = m->at[l->buffers.p[i]];
	args[l->buffers.n] = m->records;
	int workers = emit_workers(k, ph, tasks);
	*out = (CudaLaunch){
		.name = plan_symbol(a, p, l),
		.grid = {(unsigned)((tasks + workers - 1) / workers), 1, 1},
		.block = {(unsigned)(ph->threads * workers), 1, 1},
		.shared = (unsigned)shared,
		.parameters = args,
		.size = (l->buffers.n + 1) * sizeof(*args)};
	return true;
}

static bool result_hash(Bench *b, const Memory *m, uint64_t *hash)
{
	void *host = malloc(m->result_bytes);
	bool ok = host &&
		  cuda_copy_out(&b->ctx, &b->device, host, m->result,
				m->result_bytes, b->stream) &&
		  cuda_synchronize(&b->ctx, &b->device, b->stream);

	if (ok)
		*hash = hash_bytes(host, m->result_bytes, 0);
	free(host);
	return ok;
}

static bool copy_open(Bench *b, double bytes, Timed *t)
{
	struct {
		CudaPtr from, to;
		uint64_t n;
	} args = {.n = (uint64_t)(bytes / 32)};
	CudaLaunch l = {.name = "copy",
			.grid = {(unsigned)((args.n + 1023) / 1024), 1, 1},
			.block = {256, 1, 1},
			.parameters = &args,
			.size = sizeof(args)};

	return cuda_alloc(&b->ctx, &b->device, args.n * 16, &args.from) &&
	       cuda_alloc(&b->ctx, &b->device, args.n * 16, &args.to) &&
	       timed_open(b, copy_text, &l, 1, bytes, t);
}

/* In a process of its own; returns its exit code. */
static int measure(const char *name, const char *text, const char *dtype,
		   const char *pins)
{
	static Bench b;
	Timed kernel = {0}, copy = {0};
	Memory m = {0};
	uint64_t first = 0, last = 1;

	if (!bench_open(&b)) {
		fputs(buf_str(&b.ctx.messages), stderr);
		return 3;
	}
	Arena *a = &b.ctx.perm;
	TenonPlan *plan =
		compiled(a, text, arena_printf(a, "cuda:%s", b.arch), pins);
	if (!plan)
		return pins ? 0 : 1;
	const Plan *p = plan->plan;
	CudaLaunch steps[MAX_STEPS];
	size_t n = p->launches.n;
	bool ok = memory_open(&b, p, dtype, &m);
	if (n == 0 || n > MAX_STEPS || p->sources.n != 1) {
		fprintf(stderr, "%s is not one kernel\n", name);
		return 1;
	}
	for (size_t i = 0; ok && i < n; i++)
		ok = step_of(a, p, &p->launches.p[i], &m, &steps[i]);
	ok = ok &&
	     timed_open(&b, p->sources.p[0], steps, n, m.bytes, &kernel) &&
	     copy_open(&b, m.bytes, &copy) && timed_round(&b, &kernel, false) &&
	     result_hash(&b, &m, &first);
	for (int i = 0; ok && i < ROUNDS; i++)
		ok = timed_round(&b, &copy, i > 0) &&
		     timed_round(&b, &kernel, i > 0);
	if (!ok || !result_hash(&b, &m, &last)) {
		fprintf(stderr, "%s: %s", name, buf_str(&b.ctx.messages));
		return 1;
	}
	printf("%-32s %-36s %8.2f us %7.0f GB/s  %4.2f of a copy%s\n", name,
	       pins ? pins : "", kernel.best * 1e6,
	       m.bytes / kernel.best * 1e-9, copy.best / kernel.best,
	       first == last ? "" : "  OTHER BITS");
	return first == last ? 0 : 1;
}

int main(int argc, char **argv)
{
	static const char *const dtypes[] = {"f32", "f16"};
	const char *only = "", *dtype = NULL, *vs[MAX_VS + 1] = {NULL};
	size_t nvs = 1;
	Arena a;
	int worst = 0;

	for (int i = 1; i < argc; i += 2) {
		if (i + 1 < argc && !strcmp(argv[i], "--only")) {
			only = argv[i + 1];
		} else if (i + 1 < argc && !strcmp(argv[i], "--dtype")) {
			dtype = argv[i + 1];
		} else if (i + 1 < argc && !strcmp(argv[i], "--vs") &&
			   nvs <= MAX_VS) {
			vs[nvs++] = argv[i + 1];
		} else {
			fputs("usage: gpu_rows [--only TEXT] [--dtype f32|f16] "
			      "[--vs PINS]...\n",
			      stderr);
			return 2;
		}
	}
	arena_init(&a);
	for (size_t n = 0;
	     n < ARRAY_LEN(ops) * ARRAY_LEN(dtypes) * ARRAY_LEN(shapes); n++) {
		const int *shape = shapes[n % ARRAY_LEN(shapes)];
		const char *d = dtypes[n / ARRAY_LEN(shapes) / ARRAY_LEN(ops)];
		const RowOp *op = &ops[n / ARRAY_LEN(shapes) % ARRAY_LEN(ops)];
		const char *name = arena_printf(&a, "%s %s %dx%d", op->name, d,
						shape[0], shape[1]);
		const char *text =
			filled(&a,
			       arena_printf(&a, "def f(%s):\n    return %s\n",
					    op->parameters, op->result),
			       d, shape);
		if (!strstr(name, only) || (dtype && strcmp(d, dtype) != 0))
			continue;
		for (size_t i = 0; i < nvs && worst != 3; i++) {
			int status = 0;
			fflush(stdout);
			pid_t child = fork();
			if (child == 0) {
				int code = measure(name, text, d, vs[i]);
				fflush(stdout);
				_exit(code);
			}
			if (child < 0 || waitpid(child, &status, 0) < 0)
				return 1;
			int code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
			worst = code > worst ? code : worst;
		}
	}
	arena_release(&a);
	return worst;
}
