/*
 * products_test: several products in one kernel against kernels apart.
 *
 * Each program is judged by the oracle with its products joined and its rows
 * held, at sizes around tiles and blocks, in one dtype of each kind in turn;
 * then its bits are compared with those of kernels apart: sums keep their
 * order, so that nothing may differ.
 *
 *   products_test         the quick run
 *   products_test --all   every dtype at every size
 *
 * tests/run: plain
 */
#include "tests/differential/judge.h"

#include <ctype.h>
#include <sys/wait.h>

typedef struct Case {
	const char *name, *text;
	bool holds;      /* has rows to hold */
	bool zero;       /* at sizes with an empty axis too */
	const char *pin; /* one more, or NULL */
} Case;

/* M, K, N and O become numbers; C..F stay dims. */
static const Case cases[] = {
	{"sum",
	 "(x: f32[M, K], w: f32[K, N], v: f32[K, N]):\n"
	 "    return (x @ w) + (x @ v)\n",
	 false, true, NULL},
	{"named",
	 "(x: f32[C, D], w: f32[D, E], v: f32[D, E]):\n"
	 "    return silu(x @ w) * (x @ v)\n",
	 false, false, NULL},
	{"gated",
	 "(x: f32[M, K], w: f32[K, N], v: f32[K, N]):\n"
	 "    p = x @ w\n"
	 "    return silu(p) * (x @ v), p\n",
	 false, false, NULL},
	{"three",
	 "(x: f32[M, K], w: f32[K, N], v: f32[N, K], u: f32[K, N]):\n"
	 "    return (x @ w - x @ v.T) * (x @ u)\n",
	 false, false, NULL},
	{"other",
	 "(x: f32[M, K], w: f32[K, N], y: f32[M, O], v: f32[O, N]):\n"
	 "    return (y @ v) + (x @ w) + (y @ (v * v))\n",
	 false, true, NULL},
	{"right",
	 "(x: f32[M, K], y: f32[M, K], w: f32[K, N], s: f32[K]):\n"
	 "    return maximum((x * s) @ w, y @ w)\n",
	 false, false, NULL},
	{"batch",
	 "(x: f32[3, M, K], w: f32[K, N], v: f32[3, K, N]):\n"
	 "    return (x @ w) + (x @ v)\n",
	 false, false, NULL},
	{"integer",
	 "(x: i32[M, K], w: i32[K, N], v: i32[K, N], u: i32[N, O]):\n"
	 "    return ((x @ w) * (x @ v)) @ u\n",
	 true, false, NULL},
	{"many",
	 "(x: f32[M, K], a: f32[K, N], b: f32[K, N], c: f32[K, N], "
	 "d: f32[K, N], e: f32[K, N], f: f32[K, N]):\n"
	 "    return x @ a + x @ b - x @ c + x @ d - x @ e + x @ f\n",
	 false, false, NULL},
	{"bytes",
	 "(x: i8[M, K], w: i8[K, N], v: i8[N, K]):\n"
	 "    return matmul(x, w, acc=i32, out=i32) - "
	 "matmul(x, v.T, acc=i32, out=i32)\n",
	 false, false, NULL},
	{"chain",
	 "(x: f32[M, K], w: f32[K, N], v: f32[N, O]):\n"
	 "    return (x @ w) @ v\n",
	 true, false, NULL},
	{"layers",
	 "(x: f32[M, K], w: f32[K, N], b: f32[N], v: f32[N, O], "
	 "c: f32[O]):\n"
	 "    h = relu(x @ w + b)\n"
	 "    return h @ v + c, h\n",
	 true, false, NULL},
	{"turned",
	 "(x: f32[K, M], w: f32[N, K], v: f32[O, N]):\n"
	 "    return -((x.T @ w.T) @ v.T)\n",
	 true, false, NULL},
	{"deep",
	 "(x: f32[M, K], w: f32[K, N], v: f32[N, O], u: f32[O, K]):\n"
	 "    return ((x @ w) @ v) @ u\n",
	 true, false, NULL},
	{"glu",
	 "(x: f32[2, M, K], w: f32[K, N], v: f32[K, N], u: f32[N, O], "
	 "t: f32[N, O]):\n"
	 "    h = silu(x @ w) * (x @ v)\n"
	 "    return (h @ u) * (h @ t)\n",
	 true, false, NULL},
	{"tasks",
	 "(x: f32[M, K], w: f32[K, N], v: f32[N, O]):\n"
	 "    return (x @ w) @ v\n",
	 true, false, "contract.a=1"},
	{"panels",
	 "(x: f32[M, K], w: f32[K, N], v: f32[K, N]):\n"
	 "    return (x @ w) + (x @ v)\n",
	 false, false, "contract.b=1"},
	{"blocks",
	 "(x: f32[M, K], w: f32[K, N], v: f32[N, O]):\n"
	 "    return (x @ w) @ v\n",
	 true, false, "contract.kc=16"},
};

/* M, K, N, O: more than a block of K, of a step after, and tails. */
static const int64_t sizes[][4] = {
	{37, 300, 65, 33},
	{130, 19, 290, 16},
	{1, 1, 1, 1},
	{15, 48, 32, 64},
};
static const int64_t empty[][4] = {{5, 0, 7, 0}, {0, 5, 3, 2}};

static const char *const dtypes[] = {"f32", "f16", "bf16", "f64"};

static const char *at_sizes(Arena *a, const char *text, const int64_t *n)
{
	static const char names[] = "MKNO";
	Buf b;

	buf_init(&b, a);
	buf_puts(&b, "dims d: C = 37, D = 300, E = 65\ndef f");
	for (const char *s = text; *s; s++) {
		const char *at = strchr(names, *s);
		bool word = s > text && (isalnum((unsigned char)s[-1]) ||
					 isalnum((unsigned char)s[1]));
		if (at && !word)
			buf_printf(&b, "%" PRId64, n[at - names]);
		else
			buf_putc(&b, *s);
	}
	const char *out = buf_str(&b);
	/* a set of dims must name what the program has */
	return strstr(text, "[C, D]") ? out : strstr(out, "def");
}

/* The same bits from kernels apart. */
static void compare(Judge *j, TenonProgram *p, bool holds)
{
	/* held rows are for multiply-adds alone */
	static const char *const apart[] = {
		"contract.join=0", "contract.hold=0", "contract.unit=fma"};
	TenonPlanOptions one = {.pins = j->pins, .npins = j->npins};
	TenonPlanOptions two = {.pins = apart, .npins = holds ? 3 : 2};
	TenonPlan *a = NULL, *b = NULL;
	JudgeRun x, y;

	if (tenon_compile(j->c, p, &one, &a) ||
	    tenon_compile(j->c, p, &two, &b)) {
		judge_error(j, "compile");
		return;
	}
	if (a->kernels->kernels.n >= b->kernels->kernels.n)
		buf_puts(&j->why, "nothing is joined\n");
	if (judge_once(j, p, a, "random", 2, &x)) {
		if (judge_once(j, p, b, "random", 2, &y))
			judge_same(j, p, &x, &y, "apart");
		judge_run_free(&y);
	}
	judge_run_free(&x);
	tenon_plan_free(a);
	tenon_plan_free(b);
}

static bool passes(const Case *k, const int64_t *n, const char *dtype)
{
	const char *pins[2];
	TenonProgramOptions o = {.dtype = dtype};
	TenonProgram *p;
	Judge j;

	judge_init(&j);
	j.pins = pins;
	pins[j.npins++] = k->holds ? "contract.hold=1" : "contract.join=1";
	if (k->pin)
		pins[j.npins++] = k->pin;
	const char *text = at_sizes(&j.arena, k->text, n);
	if (tenon_program_from_text(j.c, k->name, text, &o, &p))
		judge_error(&j, "program");
	else if (judge_program(&j, p, NULL, 0, JUDGE_REPEAT | JUDGE_STAGES))
		compare(&j, p, k->holds);
	bool ok = !judge_failed(&j);
	if (!ok)
		printf("FAIL %s %s\n%s\n%s\n", k->name, dtype, text,
		       buf_str(&j.why));
	judge_release(&j);
	return ok;
}

/* In a process of its own. */
static bool run(const Case *k, const int64_t *n, const char *dtype)
{
	int status;

	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		bool ok = passes(k, n, dtype);
		fflush(stdout);
		_exit(!ok);
	}
	waitpid(pid, &status, 0);
	if (WIFSIGNALED(status))
		printf("FAIL %s %s: signal %d\n", k->name, dtype,
		       WTERMSIG(status));
	return status == 0;
}

int main(int argc, char **argv)
{
	bool all = argc > 1 && !strcmp(argv[1], "--all");
	int passed = 0, failed = 0;
	size_t turn = 0;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const Case *k = &cases[i];
		for (size_t s = 0; s < ARRAY_LEN(sizes); s++)
			for (size_t d = 0; d < ARRAY_LEN(dtypes); d++) {
				/* quick: a dtype at one or two sizes */
				if (!all && (d != turn % 4 || (i + s) % 3))
					continue;
				*(run(k, sizes[s], dtypes[d]) ? &passed
							      : &failed) += 1;
				turn++;
				if (!all)
					break;
			}
		for (size_t s = 0; k->zero && s < ARRAY_LEN(empty); s++)
			*(run(k, empty[s], "f32") ? &passed : &failed) += 1;
	}
	printf("%d passed, %d failed, 0 skipped\n", passed, failed);
	return failed != 0;
}
