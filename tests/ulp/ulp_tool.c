/*
 * ulp: the largest error of the elementary functions in f32, over all 2^32
 * arguments. Run by hand, minutes a function:
 *
 *   ulp [--step N] [--cc CC] [--isa FLAGS] [function ...]
 *
 * --step N takes every Nth argument. The functions are compiled as for a
 * kernel and compared with the C library's in double, whose own error of
 * less than 1 ulp of double does not show. Prints the worst argument of
 * each, and fails above the bound of op.def.
 */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emit/cfuncs.h"

#define BLOCK 65536 /* arguments a task */

typedef void Fn(const float *x, float *y, int64_t n);

typedef struct Function {
	const char *name;
	double (*ref)(double);
	Fn *fn;
} Function;

static double rsqrt(double x)
{
	return 1 / sqrt(x);
}

static Function functions[] = {
	{.name = "exp", .ref = exp},     {.name = "expm1", .ref = expm1},
	{.name = "log", .ref = log},     {.name = "log1p", .ref = log1p},
	{.name = "tanh", .ref = tanh},   {.name = "erf", .ref = erf},
	{.name = "sin", .ref = sin},     {.name = "cos", .ref = cos},
	{.name = "rsqrt", .ref = rsqrt},
};

typedef struct Worst {
	double ulp;
	float x, y;
	long wrong; /* NaN, or sign of zero, where it should not be */
} Worst;

typedef struct Task {
	const Function *f;
	uint64_t step, blocks;
	uint64_t next;
	Worst worst[64]; /* by worker */
} Task;

/* |y - ref| in units of the last place of f32 at ref. */
static double error(float y, double ref)
{
	int e;

	if (isnan(y) || isnan(ref))
		return isnan(y) && isnan(ref) ? 0 : INFINITY;
	if (ref == 0)
		return y == 0 && !signbit(y) == !signbit(ref) ? 0 : INFINITY;
	if (isinf(ref))
		return ref == (double)y ? 0 : INFINITY;
	if (isinf(y)) /* stands for the next value after the largest */
		return fabs(ref) >= 0x1.fffffep127 - 0x1p104 ? 0 : INFINITY;
	(void)frexp(ref, &e);
	e = e - 24 < -149 ? -149 : e - 24;
	return ldexp(fabs((double)y - ref), -e);
}

static void work(void *arg, int worker)
{
	Task *t = arg;
	Worst *w = &t->worst[worker];
	float *x = malloc(BLOCK * sizeof(float));
	float *y = malloc(BLOCK * sizeof(float));
	uint64_t b;

	while (x && y &&
	       (b = __atomic_fetch_add(&t->next, 1, __ATOMIC_RELAXED)) <
		       t->blocks) {
		for (uint64_t i = 0; i < BLOCK; i++) {
			uint32_t u = (uint32_t)((b * BLOCK + i) * t->step);

			memcpy(&x[i], &u, sizeof(u));
		}
		t->f->fn(x, y, BLOCK);
		for (uint64_t i = 0; i < BLOCK; i++) {
			double e = error(y[i], t->f->ref(x[i]));

			w->wrong += isinf(e);
			if (e > w->ulp)
				*w = (Worst){e, x[i], y[i], w->wrong};
		}
	}
	free(x);
	free(y);
}

static bool compile(Arena *a, const char *cc, const char *isa)
{
	CFuncs *f = cfuncs_new(a);
	Buf text, body;
	char dir[] = "/tmp/tenon-ulp-XXXXXX";
	FILE *out;
	void *h;

	if (!mkdtemp(dir) || chdir(dir) != 0)
		return false;
	buf_init(&text, a);
	buf_init(&body, a);
	cfuncs_need(f, "tn_load_f32_v16");
	cfuncs_need(f, "tn_store_f32_v16");
	for (size_t i = 0; i < ARRAY_LEN(functions); i++) {
		const char *name = functions[i].name;

		cfuncs_need(f, arena_printf(a, "tn_%s_f32_v16", name));
		buf_printf(&body,
			   "void %s(const float *x, float *y, int64_t n);\n"
			   "void %s(const float *x, float *y, int64_t n)\n{\n"
			   "\tfor (int64_t i = 0; i < n; i += 16)\n"
			   "\t\ttn_store_f32_v16(y + i, tn_%s_f32_v16(\n"
			   "\t\t\ttn_load_f32_v16(x + i)));\n}\n",
			   arena_printf(a, "u_%s", name),
			   arena_printf(a, "u_%s", name), name);
	}
	cfuncs_print(f, &text);
	out = fopen("u.c", "w");
	if (!out)
		return false;
	fputs(buf_str(&text), out);
	fputs(buf_str(&body), out);
	if (fclose(out) != 0 ||
	    system(arena_printf(a,
				"%s %s -O2 -std=gnu17 -ffp-contract=off "
				"-fno-math-errno -fno-trapping-math -fwrapv "
				"-Wno-psabi -fPIC -shared -o u.so u.c -lm",
				cc, isa)) != 0)
		return false;
	h = dlopen("./u.so", RTLD_NOW);
	unlink("u.c");
	unlink("u.so");
	rmdir(dir);
	for (size_t i = 0; h && i < ARRAY_LEN(functions); i++) {
		void *p = dlsym(h, arena_printf(a, "u_%s", functions[i].name));

		memcpy(&functions[i].fn, &p, sizeof(p));
	}
	return h != NULL;
}

static bool measure(const Function *f, uint64_t step)
{
	static Task t;
	Worst w = {0};
	int workers = cpu_count() < 64 ? cpu_count() : 64;
	Op op;

	t = (Task){.f = f,
		   .step = step,
		   .blocks = (UINT64_C(1) << 32) / BLOCK / step};
	pool_run(workers, work, &t);
	for (int i = 0; i < workers; i++) {
		long wrong = w.wrong + t.worst[i].wrong;

		if (t.worst[i].ulp > w.ulp)
			w = t.worst[i];
		w.wrong = wrong;
	}
	printf("%-6s %.4f ulp at %a -> %a, %ld wrong\n", f->name, w.ulp,
	       (double)w.x, (double)w.y, w.wrong);
	fflush(stdout);
	return w.wrong == 0 && op_parse(f->name, &op) &&
	       w.ulp <= op_info[op].ulp;
}

int main(int argc, char **argv)
{
	Arena a;
	uint64_t step = 1;
	const char *cc = "cc", *isa = "-march=native";
	bool ok = true, named = false;

	arena_init(&a);
	for (int i = 1; i < argc; i++) {
		if (i + 1 < argc && strcmp(argv[i], "--step") == 0)
			step = strtoull(argv[++i], NULL, 10);
		else if (i + 1 < argc && strcmp(argv[i], "--cc") == 0)
			cc = argv[++i];
		else if (i + 1 < argc && strcmp(argv[i], "--isa") == 0)
			isa = argv[++i];
		else
			named = true;
	}
	if (step == 0 || !compile(&a, cc, isa))
		return 3;
	for (size_t f = 0; f < ARRAY_LEN(functions); f++) {
		bool wanted = !named;

		for (int i = 1; i < argc; i++)
			wanted |= strcmp(argv[i], functions[f].name) == 0;
		if (wanted)
			ok &= measure(&functions[f], step);
	}
	arena_release(&a);
	return !ok;
}
