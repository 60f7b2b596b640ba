/*
 * forms_test: one product in every form of its operands.
 *
 * Each program's bits in a form and with blocks of sizes that leave ends are
 * those of the form that the model chose, which the oracle judges: sums keep
 * their order, so that nothing may differ. Extents are constants, or named
 * dims.
 *
 *   forms_test         a dtype and a fifth of the forms for each
 *   forms_test --all   every dtype, every form judged too
 *
 * tests/run: plain
 */
#include "tests/differential/judge.h"

#include <ctype.h>
#include <sys/wait.h>

/* M, K and N become numbers, or stay dims. */
static const char *const programs[][2] = {
	{"plain", "(x: f32[M, K], w: f32[K, N]):\n"
		  "    return x @ w\n"},
	{"along", "(x: f32[M, K], w: f32[N, K], b: f32[N]):\n"
		  "    return relu(x @ w.T + b)\n"},
	{"turned", "(x: f32[K, M], w: f32[K, N]):\n"
		   "    return x.T @ w\n"},
	{"scaled", "(x: f32[M, K], w: f32[K, N], s: f32[K]):\n"
		   "    return (x * s) @ (w * 0.5 + 1)\n"},
	{"batches", "(x: f32[2, M, K], w: f32[2, K, N]):\n"
		    "    return x @ w\n"},
	{"parts", "(x: f32[M, K], w: f32[K, N], v: f32[K, N]):\n"
		  "    return x @ where(w > v, w, v)\n"},
	{"moved", "(x: f32[M, K], w: f32[N, K], b: f32[N]):\n"
		  "    return x @ (w * 2).T - b\n"},
};

/* A task of several panels and tiles, of one, blocks of K with short ends. */
static const char *const forms[][4] = {
	{"contract.b=1", "contract.kc=48"},
	{"contract.b=2", "contract.mb=13", "contract.kc=32"},
	{"contract.b=3"},
	{"contract.b=3", "contract.kc=16", "contract.mb=13"},
	{"contract.b=3", "contract.mb=2", "contract.nb=2"},
	{"contract.b=3", "contract.mb=1", "contract.kc=48", "contract.nb=3"},
	{"contract.b=1", "contract.nb=1", "contract.kc=32"},
	{"contract.b=1", "contract.mb=14", "contract.nb=3"},
	{"contract.b=3", "contract.a=2", "contract.mb=40", "contract.kc=16"},
	{"contract.b=2", "contract.a=2", "contract.mb=12", "contract.nb=4"},
};

/* Tiles, panels and blocks with ends; fewer than one of each; nothing. */
static const int64_t sizes[][3] = {
	{230, 100, 130}, {37, 70, 96}, {2, 3, 5}, {17, 0, 40}};

static const char *const dtypes[] = {"f32", "f16", "bf16", "f64"};

static const char *with_sizes(Arena *a, const char *text, const int64_t *n)
{
	static const char names[] = "MKN";
	Buf b;

	buf_init(&b, a);
	buf_puts(&b, "def f");
	for (const char *s = text; *s; s++) {
		const char *at = strchr(names, *s);
		if (at && !isalnum((unsigned char)s[1]))
			buf_printf(&b, "%" PRId64, n[at - names]);
		else
			buf_putc(&b, *s);
	}
	return buf_str(&b);
}

static const char *with_dims(Arena *a, const char *text, const int64_t *n)
{
	return arena_printf(a,
			    "dims d: M = %" PRId64 ", K = %" PRId64
			    ", N = %" PRId64 "\ndef f%s",
			    n[0], n[1], n[2], text);
}

/* The pins of a form, and none of a matrix unit; how many. */
static size_t pins_of(size_t form, const char **pins)
{
	size_t n = 0;

	pins[n++] = "contract.unit=fma";
	for (size_t i = 0; i < 4 && forms[form][i]; i++)
		pins[n++] = forms[form][i];
	return n;
}

static void compare(Judge *j, TenonProgram *p, const JudgeRun *first,
		    size_t form)
{
	const char *pins[5];
	TenonPlanOptions o = {.pins = pins, .npins = pins_of(form, pins)};
	TenonPlan *plan = NULL;
	JudgeRun run;

	if (tenon_compile(j->c, p, &o, &plan)) {
		judge_error(j, "compile");
		return;
	}
	if (judge_once(j, p, plan, "random", 2, &run))
		judge_same(j, p, first, &run, forms[form][0]);
	judge_run_free(&run);
	tenon_plan_free(plan);
}

static bool passes(const char *text, const char *dtype, size_t turn, bool all)
{
	TenonProgramOptions o = {.dtype = dtype};
	const char *pins[5] = {"contract.unit=fma"};
	TenonPlanOptions plain = {.pins = pins, .npins = 1};
	TenonProgram *p;
	TenonPlan *plan = NULL;
	JudgeRun first = {0};
	/* resumed from regions, the rule takes a matrix unit for short floats
	 */
	unsigned flags = JUDGE_REPEAT;
	Judge j;

	if (strcmp(dtype, "bf16") && strcmp(dtype, "f16"))
		flags |= JUDGE_STAGES;
	judge_init(&j);
	j.pins = pins;
	j.npins = 1;
	if (tenon_program_from_text(j.c, "forms", text, &o, &p)) {
		judge_error(&j, "program");
	} else if (judge_program(&j, p, NULL, 0, 0)) {
		if (tenon_compile(j.c, p, &plain, &plan))
			judge_error(&j, "compile");
		else if (judge_once(&j, p, plan, "random", 2, &first))
			for (size_t f = 0; f < ARRAY_LEN(forms); f++)
				if (all || f % 5 == turn % 5)
					compare(&j, p, &first, f);
		judge_run_free(&first);
		tenon_plan_free(plan);
	}
	for (size_t f = 0; all && f < ARRAY_LEN(forms); f++) {
		j.npins = pins_of(f, pins);
		if (!judge_failed(&j))
			judge_program(&j, p, NULL, 0, flags);
	}
	bool ok = !judge_failed(&j);
	if (!ok)
		printf("FAIL %s\n%s\n%s\n", dtype, text, buf_str(&j.why));
	judge_release(&j);
	return ok;
}

/* In a process of its own. */
static bool run(const char *text, const char *dtype, size_t turn, bool all)
{
	int status;

	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		bool ok = passes(text, dtype, turn, all);
		fflush(stdout);
		_exit(!ok);
	}
	waitpid(pid, &status, 0);
	if (WIFSIGNALED(status))
		printf("FAIL %s: signal %d\n%s\n", dtype, WTERMSIG(status),
		       text);
	return status == 0;
}

int main(int argc, char **argv)
{
	bool all = argc > 1 && !strcmp(argv[1], "--all");
	int passed = 0, failed = 0;
	size_t turn = 0;
	Arena a;

	arena_init(&a);
	for (size_t i = 0; i < ARRAY_LEN(programs); i++)
		for (size_t s = 0; s < ARRAY_LEN(sizes); s++)
			for (int named = 0; named < 2; named++, turn++) {
				const char *text =
					named ? with_dims(&a, programs[i][1],
							  sizes[s])
					      : with_sizes(&a, programs[i][1],
							   sizes[s]);
				for (size_t d = 0; d < ARRAY_LEN(dtypes); d++)
					if (all || d == (turn + i) % 4)
						*(run(text, dtypes[d], turn,
						      all)
							  ? &passed
							  : &failed) += 1;
			}
	printf("%d passed, %d failed, 0 skipped\n", passed, failed);
	arena_release(&a);
	return failed != 0;
}
