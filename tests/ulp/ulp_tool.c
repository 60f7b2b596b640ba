/*
 * ulp: error and speed of the elementary functions, for any instruction set.
 *
 *   ulp [--dtype f32|f64] [--isa NAME]... [--cc CC] [--run EMULATOR]
 *       [--step N | --count N] [--time] [function ...]
 *
 * The functions are compiled as for a kernel into a program that computes
 * what it reads, so that code of another machine runs in an emulator. It
 * computes each block (each 16th when all arguments are taken) with every
 * number of lanes that fits the instruction set, and fails where their bits
 * differ.
 *
 * f32: every Nth argument (--step; all 2^32 by default) against the C
 * library in double, whose own error of less than 1 ulp of double does not
 * show. f64, and pow: --count arguments drawn from several families against
 * long double, which needs a host whose long double has 64 bits or more.
 * Several sets are judged by one computation of the reference. Prints the
 * worst argument of each, and fails above the bound of op.def.
 *
 * --time: nanoseconds an element instead, one thread, arguments in the
 * first cache and drawn from the range where the function does its work.
 */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emit/cfuncs.h"
#include "runtime/runtime.h"

#define BLOCK   65536 /* arguments a task */
#define WORKERS 64
#define SETS    4

typedef struct Function {
	const char *name;
	double (*ref)(double);
	long double (*long_ref)(long double);
	double low, high; /* of the arguments timed */
} Function;

static double rsqrt(double x)
{
	return 1 / sqrt(x);
}

static long double rsqrtl(long double x)
{
	return 1 / sqrtl(x);
}

static const Function functions[] = {
	{"exp", exp, expl, -20, 20},      {"expm1", expm1, expm1l, -5, 5},
	{"log", log, logl, 0.01, 100},    {"log1p", log1p, log1pl, -0.9, 10},
	{"tanh", tanh, tanhl, -6, 6},     {"erf", erf, erfl, -4, 4},
	{"sin", sin, sinl, -20, 20},      {"cos", cos, cosl, -20, 20},
	{"rsqrt", rsqrt, rsqrtl, 0.1, 9}, {"pow", NULL, NULL, 0.1, 9},
};

typedef struct Worst {
	double ulp;
	double x, y, got;
	long wrong; /* NaN, or sign of zero, where it should not be */
	bool broken;
} Worst;

/* A program compiled for one instruction set. */
typedef struct Set {
	const Isa *isa;
	const char *program;
} Set;

typedef struct Task {
	const Function *f;
	const Set *sets;
	size_t nsets;
	const char *emulator;
	const char *every; /* blocks to one where all forms are computed */
	DType d;
	bool sampled;
	uint64_t step, blocks;
	uint64_t next;
	Worst worst[SETS][WORKERS];
} Task;

/* ---- the program under test ------------------------------------------ */

static const char main_text[] =
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"#include <time.h>\n"
	"static T x[BLOCK], y[BLOCK], out[BLOCK], more[BLOCK];\n"
	"static double now(void)\n{\n"
	"\tstruct timespec t;\n"
	"\tclock_gettime(CLOCK_MONOTONIC, &t);\n"
	"\treturn (double)t.tv_sec * 1e9 + (double)t.tv_nsec;\n}\n"
	"/* argv: function, and blocks to one that takes all forms; to time,\n"
	" * low and high of the arguments too */\n"
	"int main(int argc, char **argv)\n{\n"
	"\tconst Row *row = &rows[atoi(argv[1])];\n"
	"\tint every = atoi(argv[2]);\n"
	"\tif (argc > 3) {\n"
	"\t\tdouble low = atof(argv[3]), high = atof(argv[4]);\n"
	"\t\tdouble best = 1e30;\n"
	"\t\tfor (int i = 0; i < 2048; i++) {\n"
	"\t\t\tx[i] = (T)(low + (high - low) * rand() / RAND_MAX);\n"
	"\t\t\ty[i] = (T)(6.0 * rand() / RAND_MAX - 3);\n\t\t}\n"
	"\t\tfor (int k = 0; k < 60; k++) {\n"
	"\t\t\tdouble t = now();\n"
	"\t\t\tfor (int i = 0; i < 50; i++)\n"
	"\t\t\t\trow->fn[0](x, y, out, 2048);\n"
	"\t\t\tt = now() - t;\n"
	"\t\t\tbest = t < best ? t : best;\n\t\t}\n"
	"\t\tprintf(\"%.3f\\n\", best / 50 / 2048);\n"
	"\t\treturn 0;\n\t}\n"
	"\tfor (int n = 0; fread(x, sizeof(x), 1, stdin) == 1 &&\n"
	"\t\t\tfread(y, sizeof(y), 1, stdin) == 1; n++) {\n"
	"\t\trow->fn[0](x, y, out, BLOCK);\n"
	"\t\tfor (int k = 1; n % every == 0 && row->fn[k]; k++) {\n"
	"\t\t\trow->fn[k](x, y, more, BLOCK);\n"
	"\t\t\tfor (int i = 0; i < BLOCK; i++)\n"
	"\t\t\t\tif (__builtin_memcmp(&more[i], &out[i], sizeof(T)) &&\n"
	"\t\t\t\t    (more[i] == more[i] || out[i] == out[i])) {\n"
	"\t\t\t\t\tfprintf(stderr, \"%s: form %d of %a, %a: \"\n"
	"\t\t\t\t\t\t\"%a, not %a\\n\", row->name, k,\n"
	"\t\t\t\t\t\t(double)x[i], (double)y[i],\n"
	"\t\t\t\t\t\t(double)more[i], (double)out[i]);\n"
	"\t\t\t\t\treturn 1;\n\t\t\t\t}\n\t\t}\n"
	"\t\tif (fwrite(out, sizeof(out), 1, stdout) != 1 ||\n"
	"\t\t    fflush(stdout) != 0)\n\t\t\treturn 2;\n\t}\n"
	"\treturn 0;\n}\n";

static void put_form(Buf *b, CFuncs *f, Arena *a, const char *op, const char *d,
		     int lanes)
{
	const char *x = lanes > 1 ? arena_printf(a, "v%d", lanes) : "s";
	bool two = strcmp(op, "pow") == 0;

	cfuncs_need(f, arena_printf(a, "tn_load_%s_%s", d, x));
	cfuncs_need(f, arena_printf(a, "tn_store_%s_%s", d, x));
	cfuncs_need(f, arena_printf(a, "tn_%s_%s_%s", op, d, x));
	buf_printf(b,
		   "static void u_%s_%s(const T *x, const T *y, T *o, "
		   "int64_t n)\n{\n\t(void)y;\n"
		   "\tfor (int64_t i = 0; i < n; i += %d)\n"
		   "\t\ttn_store_%s_%s(o + i, tn_%s_%s_%s(\n"
		   "\t\t\ttn_load_%s_%s(x + i)",
		   op, x, lanes, d, x, op, d, x, d, x);
	if (two)
		buf_printf(b, ", tn_load_%s_%s(y + i)", d, x);
	buf_puts(b, "));\n}\n");
}

static bool compile(Arena *a, DType dt, const char *cc, const Isa *isa,
		    const char *source, const char *program)
{
	CFuncs *f = cfuncs_new(a);
	const char *d = dtype_info[dt].name;
	int most = isa->vector_bytes / dtype_info[dt].bytes;
	Buf text, body, rows, flags;
	FILE *out;

	buf_init(&text, a);
	buf_init(&body, a);
	buf_init(&rows, a);
	buf_init(&flags, a);
	buf_printf(&body, "#define BLOCK %d\ntypedef tn_%s_s T;\n", BLOCK, d);
	buf_puts(&rows, "typedef struct Row {\n\tconst char *name;\n"
			"\tvoid (*fn[8])(const T *, const T *, T *, "
			"int64_t);\n} Row;\nstatic const Row rows[] = {\n");
	for (size_t i = 0; i < ARRAY_LEN(functions); i++) {
		const char *name = functions[i].name;

		buf_printf(&rows, "\t{\"%s\", {", name);
		for (int lanes = most; lanes > 0; lanes /= 2) {
			put_form(&body, f, a, name, d, lanes);
			buf_printf(&rows,
				   lanes > 1 ? "u_%s_v%d, " : "u_%s_s}},\n",
				   name, lanes);
		}
	}
	buf_puts(&rows, "};\n");
	for (size_t i = 0; isa->flags[i]; i++)
		buf_printf(&flags, "%s ", isa->flags[i]);
	cfuncs_print(f, &text);
	out = fopen(source, "w");
	if (!out)
		return false;
	fprintf(out, "%s%s%s%s", buf_str(&text), buf_str(&body), buf_str(&rows),
		main_text);
	/* the flags of runtime/code.c that bear on values */
	return fclose(out) == 0 &&
	       system(arena_printf(
		       a,
		       "%s %s-O2 -std=gnu17 -ffp-contract=off -fno-math-errno "
		       "-fwrapv -fno-strict-aliasing -Wno-psabi -o %s %s -lm",
		       cc, buf_str(&flags), program, source)) == 0;
}

/* ---- arguments ------------------------------------------------------- */

static uint64_t mix(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static double to_dtype(DType d, double x)
{
	return d == DT_F32 ? (double)(float)x : x;
}

/* Argument i: any bits, of moderate size, near 1, or an edge. */
static double draw(DType d, uint64_t i)
{
	static const double edges[] = {0,
				       1,
				       INFINITY,
				       NAN,
				       0x1p-1074,
				       0x1p-149,
				       0x1p-1022,
				       0x1p-126,
				       0x1.fffffffffffffp1023,
				       0x1.fffffep127,
				       0.5,
				       2,
				       709.782712893384,
				       -745.1332191019412,
				       88.72284,
				       -103.97208};
	uint64_t r = mix(i);
	double m = 1 + (double)(r >> 12) * 0x1p-52;
	uint64_t k = mix(r);
	double sign = k & 1 ? -1 : 1, x;
	uint32_t u;
	float f;

	switch (k >> 1 & 7) {
	case 0:
	case 1:
		u = (uint32_t)r;
		memcpy(&f, &u, sizeof(f));
		memcpy(&x, &r, sizeof(x));
		if (isnan(d == DT_F32 ? (double)f : x))
			return copysign(NAN, sign); /* none that signals */
		return d == DT_F32 ? (double)f : x;
	case 2: /* |x| in [2^-30, 2^12) */
		return to_dtype(d,
				sign * ldexp(m, (int)(k >> 8 & 63) % 42 - 30));
	case 3: /* near 1 */
		return to_dtype(d,
				1 + sign * ldexp(m, -(int)(k >> 8 & 63) - 1));
	case 4: /* [-800, 800) */
		return to_dtype(d, sign * (m - 1) * (d == DT_F32 ? 110 : 800));
	case 5: /* near multiples of pi / 2 */
		x = (double)(k >> 8 & 0xfffff) * 0x1.921fb54442d18p0;
		return to_dtype(d, sign * x + ((double)(r & 3) - 1) * 0x1p-40);
	case 6: /* [-8, 8) */
		return to_dtype(d, sign * (m - 1) * 8);
	default:
		if (k >> 16 & 15)
			return to_dtype(d, sign * m);
		return to_dtype(d, sign * edges[k >> 8 & 15]);
	}
}

/* The exponent of pow: half of them so that the result is of any size. */
static double draw_exponent(DType d, uint64_t i, double x)
{
	double l = log2(fabs(x));

	if (mix(i) & 1 || !isfinite(l) || l == 0)
		return draw(d, mix(i) ^ i);
	return to_dtype(d, ((double)(mix(i) >> 12) * 0x1p-51 - 1) *
				   (d == DT_F32 ? 155 : 1090) / l);
}

static void fill(const Task *t, uint64_t block, char *x, char *y)
{
	for (uint64_t i = 0; i < BLOCK; i++) {
		uint64_t n = block * BLOCK + i;
		uint32_t u = (uint32_t)(n * t->step);
		double v = t->sampled ? draw(t->d, n) : 0;
		double w = t->f->ref ? 0 : draw_exponent(t->d, n, v);
		float fv = (float)v, fw = (float)w;

		if (t->d == DT_F64) {
			memcpy(x + 8 * i, &v, 8);
			memcpy(y + 8 * i, &w, 8);
		} else {
			memcpy(x + 4 * i, t->sampled ? (void *)&fv : &u, 4);
			memcpy(y + 4 * i, &fw, 4);
		}
	}
}

static double element(DType d, const char *p, size_t i)
{
	double v;
	float f;

	memcpy(&v, p + i * (d == DT_F64 ? 8 : 0), sizeof(v));
	memcpy(&f, p + i * 4, sizeof(f));
	return d == DT_F64 ? v : (double)f;
}

/* ---- judging --------------------------------------------------------- */

/* |y - ref| in units of the last place of the dtype at ref. */
static double error(DType d, double y, long double ref)
{
	int digits = dtype_info[d].precision;
	int least = d == DT_F32 ? -149 : -1074, most = d == DT_F32 ? 128 : 1024;
	int e;

	if (isnan(y) || isnan(ref))
		return isnan(y) && isnan(ref) ? 0 : INFINITY;
	if (ref == 0)
		return y == 0 && !signbit(y) == !signbit(ref) ? 0 : INFINITY;
	if (isinf(ref))
		return isinf(y) && (y > 0) == (ref > 0) ? 0 : INFINITY;
	(void)frexpl(ref, &e);
	e = e > most ? most : e;
	if (isinf(y)) { /* stands for the value after the largest */
		if ((y > 0) != (ref > 0))
			return INFINITY;
		if (fabsl(ref) >= ldexpl(1, most))
			return 0;
		return (double)ldexpl(ldexpl(1, most) - fabsl(ref),
				      digits - most);
	}
	e = e - digits < least ? least : e - digits;
	return (double)ldexpl(fabsl((long double)y - ref), -e);
}

/* The same for normal and finite y of f32 by bits, else negative. */
static double quick_error(double y, double ref)
{
	uint64_t u;
	double unit;

	memcpy(&u, &ref, sizeof(u));
	u = (u >> 52 & 0x7ff) - 1023;
	if (u + 126 > 253 || !(fabs(y) < INFINITY))
		return -1;
	u = (1023 + 23 - u) << 52;
	memcpy(&unit, &u, sizeof(unit));
	return fabs(y - ref) * unit;
}

static void references(const Task *t, const char *x, const char *y,
		       long double *ref)
{
	for (size_t i = 0; i < BLOCK; i++) {
		double a = element(t->d, x, i);

		if (!t->f->ref)
			ref[i] = powl(a, element(t->d, y, i));
		else
			ref[i] = t->d == DT_F32 ? (long double)t->f->ref(a)
						: t->f->long_ref(a);
	}
}

static void judge(const Task *t, Worst *w, const char *x, const char *y,
		  const char *out, const long double *ref)
{
	for (size_t i = 0; i < BLOCK; i++) {
		double got = element(t->d, out, i), e = -1;

		if (t->d == DT_F32)
			e = quick_error(got, (double)ref[i]);
		if (e < 0)
			e = error(t->d, got, ref[i]);
		w->wrong += isinf(e);
		if (e > w->ulp) {
			w->ulp = e;
			w->x = element(t->d, x, i);
			w->y = element(t->d, y, i);
			w->got = got;
		}
	}
}

/* Starts the program on our pipes. */
static pid_t start(const Task *t, const Set *set, int *in, int *out)
{
	int to[2], from[2];
	char number[16];
	pid_t pid;

	if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0)
		return -1;
	snprintf(number, sizeof(number), "%d", (int)(t->f - functions));
	pid = fork();
	if (pid == 0) {
		dup2(to[0], 0);
		dup2(from[1], 1);
		if (t->emulator)
			execlp("/bin/sh", "sh", "-c",
			       "exec $0 \"$1\" \"$2\" \"$3\"", t->emulator,
			       set->program, number, t->every, (char *)NULL);
		else
			execl(set->program, set->program, number, t->every,
			      (char *)NULL);
		_exit(127);
	}
	close(to[0]);
	close(from[1]);
	*in = to[1];
	*out = from[0];
	return pid;
}

static bool transfer(int fd, char *p, size_t n, bool out)
{
	while (n > 0) {
		ssize_t k = out ? write(fd, p, n) : read(fd, p, n);

		if (k <= 0)
			return false;
		p += k;
		n -= (size_t)k;
	}
	return true;
}

static void work(void *arg, int worker)
{
	Task *t = arg;
	size_t bytes = BLOCK * (size_t)dtype_info[t->d].bytes;
	char *p = malloc(3 * bytes + 8);
	long double *ref = malloc(BLOCK * sizeof(*ref));
	int in[SETS], out[SETS], status = 0;
	pid_t pid[SETS];
	bool broken = !p || !ref;
	uint64_t b;

	for (size_t k = 0; k < t->nsets; k++) {
		in[k] = out[k] = -1;
		pid[k] = start(t, &t->sets[k], &in[k], &out[k]);
		broken |= pid[k] < 0;
	}
	while (!broken &&
	       (b = __atomic_fetch_add(&t->next, 1, __ATOMIC_RELAXED)) <
		       t->blocks) {
		fill(t, b, p, p + bytes);
		references(t, p, p + bytes, ref);
		for (size_t k = 0; k < t->nsets && !broken; k++) {
			broken = !transfer(in[k], p, 2 * bytes, true) ||
				 !transfer(out[k], p + 2 * bytes, bytes, false);
			if (!broken)
				judge(t, &t->worst[k][worker], p, p + bytes,
				      p + 2 * bytes, ref);
		}
	}
	for (size_t k = 0; k < t->nsets; k++) {
		close(in[k]);
		close(out[k]);
		broken |= waitpid(pid[k], &status, 0) != pid[k] || status != 0;
		t->worst[k][worker].broken = broken;
	}
	free(ref);
	free(p);
}

static bool report(const Task *t, size_t k, int workers)
{
	const char *name = t->f->name;
	Worst w = {0};
	bool broken = false;
	Op op;

	for (int i = 0; i < workers; i++) {
		const Worst *x = &t->worst[k][i];
		long wrong = w.wrong + x->wrong;

		broken |= x->broken;
		if (x->ulp > w.ulp)
			w = *x;
		w.wrong = wrong;
	}
	printf("%-6s %s %-6s %.4f ulp at %a", t->sets[k].isa->name,
	       dtype_info[t->d].name, name, w.ulp, w.x);
	if (!t->f->ref)
		printf(", %a", w.y);
	printf(" -> %a, %ld wrong%s\n", w.got, w.wrong,
	       broken ? ", failed" : "");
	fflush(stdout);
	return !broken && w.wrong == 0 && op_parse(name, &op) &&
	       w.ulp <= op_info[op].ulp;
}

static bool measure(Task *t)
{
	int workers = cpu_count() < WORKERS ? cpu_count() : WORKERS;
	bool ok = true;

	pool_run(workers, work, t);
	for (size_t k = 0; k < t->nsets; k++)
		ok &= report(t, k, workers);
	return ok;
}

static bool speed(Arena *a, const Task *t)
{
	bool ok = true;

	for (size_t k = 0; k < t->nsets; k++) {
		printf("%-6s %s %-6s ", t->sets[k].isa->name,
		       dtype_info[t->d].name, t->f->name);
		fflush(stdout);
		ok &= system(arena_printf(a, "%s %s %d 1 %g %g",
					  t->emulator ? t->emulator : "",
					  t->sets[k].program,
					  (int)(t->f - functions), t->f->low,
					  t->f->high)) == 0;
	}
	return ok;
}

int main(int argc, char **argv)
{
	Arena a;
	uint64_t step = 1, count = 0;
	const char *cc = "cc", *emulator = NULL;
	Set sets[SETS] = {{isa_host(), NULL}};
	size_t nsets = 0;
	bool ok, compiled = true, named = false, timed = false;
	char dir[] = "/tmp/tenon-ulp-XXXXXX";
	const char *source;
	DType d = DT_F32;

	arena_init(&a);
	for (int i = 1; i < argc; i++) {
		bool more = i + 1 < argc;

		if (more && strcmp(argv[i], "--step") == 0)
			step = strtoull(argv[++i], NULL, 10);
		else if (more && strcmp(argv[i], "--count") == 0)
			count = strtoull(argv[++i], NULL, 10);
		else if (more && strcmp(argv[i], "--cc") == 0)
			cc = argv[++i];
		else if (more && strcmp(argv[i], "--isa") == 0 && nsets < SETS)
			sets[nsets++].isa = isa_find(argv[++i]);
		else if (more && strcmp(argv[i], "--run") == 0)
			emulator = argv[++i];
		else if (more && strcmp(argv[i], "--dtype") == 0)
			d = strcmp(argv[++i], "f64") == 0 ? DT_F64 : DT_F32;
		else if (strcmp(argv[i], "--time") == 0)
			timed = true;
		else
			named = true;
	}
	nsets += nsets == 0;
	if (step == 0 || !mkdtemp(dir))
		return 2;
	source = arena_printf(&a, "%s/u.c", dir);
	for (size_t k = 0; k < nsets; k++) {
		sets[k].program = arena_printf(&a, "%s/u%zu", dir, k);
		compiled = compiled && sets[k].isa &&
			   compile(&a, d, cc, sets[k].isa, source,
				   sets[k].program);
	}
	ok = compiled;
	for (size_t f = 0; compiled && f < ARRAY_LEN(functions); f++) {
		static Task t;
		bool wanted = !named;
		bool sampled = d == DT_F64 || !functions[f].ref || count;
		uint64_t n = (UINT64_C(1) << 32) / step;

		for (int i = 1; i < argc; i++)
			wanted |= strcmp(argv[i], functions[f].name) == 0;
		if (sampled)
			n = count ? count : UINT64_C(1) << 24;
		t = (Task){.f = &functions[f],
			   .sets = sets,
			   .every = sampled || step > 1 ? "1" : "16",
			   .nsets = nsets,
			   .emulator = emulator,
			   .d = d,
			   .sampled = sampled,
			   .step = step,
			   .blocks = (n + BLOCK - 1) / BLOCK};
		if (wanted)
			ok &= timed ? speed(&a, &t) : measure(&t);
	}
	unlink(source);
	for (size_t k = 0; k < nsets; k++)
		if (sets[k].program)
			unlink(sets[k].program);
	rmdir(dir);
	arena_release(&a);
	return !ok;
}
