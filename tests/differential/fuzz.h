/*
 * fuzz: random programs through every pass, judged by the oracle.
 *
 * Each seed runs in a process of its own, so that a bug() or a crash is a
 * failure like any other. A failure is shrunk: results are dropped, values
 * become inputs or are replaced by an operand, sizes fall, as long as it
 * fails in the same way; then the program is printed as the text of stage
 * 1, ready to be kept under tests/differential/cases/.
 */
#ifndef TENON_TEST_FUZZ_H
#define TENON_TEST_FUZZ_H

#include "tests/differential/judge.h"
#include "tests/differential/random.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#define FUZZ_TEXT  6000
#define FUZZ_SIZES 2

typedef struct Subject {
	Make m;
	Sizes sizes[FUZZ_SIZES];
	uint64_t seed;
	const char *target;
} Subject;

/* ---- sizes ----------------------------------------------------------- */

/* The most elements that a value or a product has; -1: it is no program. */
static double subject_work(const Program *p, const Sizes *s)
{
	double most = 0;

	for (ValueId id = 0; id < p->values.n; id++) {
		const Value *v = program_value(p, id);
		double n = 1;
		for (int d = 0; d < v->rank; d++) {
			int64_t x;
			if (!ex_eval_checked(&p->ex, v->shape[d], s->dim, NULL,
					     &x) ||
			    x < 0)
				return -1;
			n *= (double)x;
		}
		if (v->op == OP_MATMUL) {
			const Value *a = program_value(p, v->args[0]);
			n *= (double)ex_eval(&p->ex, a->shape[a->rank - 1],
					     s->dim, NULL);
		}
		most = n > most ? n : most;
	}
	return most;
}

static void subject_sizes(Subject *s, bool positive)
{
	static const int64_t pool[] = {1,  2,  3,  4,  5,  7,  8,  9,  13,
				       16, 17, 23, 31, 32, 33, 63, 64, 65};
	Gen g = {.state = s->seed ^ 0x517e5};

	for (int i = 0; i < FUZZ_SIZES; i++) {
		for (int most = (int)ARRAY_LEN(pool);; most -= most > 3) {
			for (int d = 0; d < 6; d++)
				s->sizes[i].dim[d] = pool[gen_below(&g, most)];
			if (i == 1 && !positive && gen_chance(&g, 50))
				s->sizes[i].dim[gen_below(&g, 3)] = 0;
			if (subject_work(&s->m.p, &s->sizes[i]) < 50000 ||
			    most <= 3)
				break;
		}
	}
}

static void subject_make(Subject *s, uint64_t seed)
{
	static const char *const targets[] = {NULL, NULL, "cpu:avx2",
					      "cpu:base"};
	bool positive = false;

	memset(s, 0, sizeof(*s));
	make_init(&s->m);
	s->seed = seed;
	gen_program(&s->m, seed, &positive);
	subject_sizes(s, positive);
	s->target = targets[seed % ARRAY_LEN(targets)];
	if (s->target && !isa_runs_here(isa_find(s->target + 4)))
		s->target = NULL;
}

static void subject_release(Subject *s)
{
	make_release(&s->m);
}

/* ---- one run in a process -------------------------------------------- */

typedef struct Child {
	pid_t pid;
	int fd;
	char text[FUZZ_TEXT];
	size_t n;
} Child;

/* Kernels for a GPU, whose verifier has a say; they do not run. */
static bool emits_for_gpu(Judge *j, TenonProgram *p, uint64_t seed)
{
	TenonPlanOptions o = {.target = seed % 2 ? "cuda:sm_80" : "cuda:sm_90a",
			      .emit_only = true,
			      .stop_after = "emit"};
	TenonPlan *plan = NULL;

	if (tenon_compile(j->c, p, &o, &plan))
		judge_error(j, o.target);
	tenon_plan_free(plan);
	return !judge_failed(j);
}

TN_NORETURN static void child_main(Subject *s, int fd)
{
	Judge j;
	Buf why;

	dup2(fd, 2);
	alarm(120);
	judge_init(&j);
	buf_init(&why, &s->m.arena);
	if (!program_verify(&s->m.p, &why)) {
		dprintf(fd, "generator: %s\n", buf_str(&why));
		_exit(3);
	}
	j.target = s->target;
	j.seed = s->seed;
	j.families = "exact,random,narrow,specials";
	TenonProgram *p = program_adopt(j.c, &s->m.p);
	unsigned flags =
		JUDGE_STAGES | (s->seed % 2 ? JUDGE_REPEAT : JUDGE_STRIDES);
	bool ok = judge_program(&j, p, s->sizes, FUZZ_SIZES, flags) &&
		  emits_for_gpu(&j, p, s->seed);
	if (!ok)
		dprintf(fd, "%.*s", FUZZ_TEXT - 1, buf_str(&j.why));
	_exit(ok ? 0 : 1);
}

static void child_start(Child *c, Subject *s)
{
	int fd[2];

	memset(c, 0, sizeof(*c));
	fflush(stdout);
	if (pipe(fd))
		abort();
	c->pid = fork();
	if (c->pid < 0)
		abort();
	if (c->pid == 0) {
		close(fd[0]);
		child_main(s, fd[1]);
	}
	close(fd[1]);
	c->fd = fd[0];
}

/* Whether it passed; else c->text says how it failed. */
static bool child_end(Child *c)
{
	int status;

	for (;;) {
		char rest[512];
		bool room = c->n < FUZZ_TEXT - 1;
		ssize_t k = read(c->fd, room ? c->text + c->n : rest,
				 room ? FUZZ_TEXT - 1 - c->n : sizeof(rest));
		if (k <= 0)
			break;
		c->n += room ? (size_t)k : 0;
	}
	close(c->fd);
	waitpid(c->pid, &status, 0);
	if (WIFSIGNALED(status) && c->n < FUZZ_TEXT - 64)
		snprintf(c->text + c->n, FUZZ_TEXT - c->n, "signal %d\n",
			 WTERMSIG(status));
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* What stays the same while shrinking: the text without its numbers. */
static void failure_kind(const char *text, char *kind, size_t size)
{
	size_t n = 0, words = 0;

	for (; *text && n + 1 < size && words < 5; text++) {
		if (*text >= '0' && *text <= '9')
			continue;
		words += *text == ' ';
		kind[n++] = *text;
	}
	kind[n] = 0;
}

/* ---- shrinking ------------------------------------------------------- */

static bool fails_alike(Subject *s, const char *kind)
{
	Child c;
	char now[64];

	child_start(&c, s);
	if (child_end(&c))
		return false;
	failure_kind(c.text, now, sizeof(now));
	return !strcmp(now, kind);
}

static bool shrink_try(Subject *s, Edit e, const char *kind)
{
	Subject t = *s;

	make_init(&t.m);
	if (gen_edit(&t.m, &s->m.p, e) && fails_alike(&t, kind)) {
		subject_release(s);
		*s = t;
		return true;
	}
	subject_release(&t);
	return false;
}

static void shrink_sizes(Subject *s, const char *kind, double end)
{
	static const int64_t smaller[] = {1, 2, 3, 5, 9, 17, 33};

	for (int i = 0; i < FUZZ_SIZES; i++)
		for (int d = 0; d < 3; d++)
			for (size_t k = 0; k < ARRAY_LEN(smaller); k++) {
				int64_t was = s->sizes[i].dim[d];
				if (smaller[k] >= was || clock_seconds() > end)
					break;
				s->sizes[i].dim[d] = smaller[k];
				if (fails_alike(s, kind))
					break;
				s->sizes[i].dim[d] = was;
			}
}

static void shrink(Subject *s, const char *kind, double seconds)
{
	double end = clock_seconds() + seconds;
	bool again = true;

	while (again && clock_seconds() < end) {
		again = false;
		for (uint32_t r = 0;
		     r < s->m.p.results.n && clock_seconds() < end; r++)
			again |= shrink_try(s, (Edit){EDIT_RESULT, r, 0}, kind);
		for (uint32_t v = (uint32_t)s->m.p.values.n;
		     v-- > 0 && clock_seconds() < end;) {
			bool done = false;
			if (v >= s->m.p.values.n)
				continue;
			for (uint32_t k = 0; k < 3 && !done; k++)
				done = shrink_try(s, (Edit){EDIT_SKIP, v, k},
						  kind);
			if (!done)
				done = shrink_try(s, (Edit){EDIT_INPUT, v, 0},
						  kind);
			again |= done;
		}
	}
	shrink_sizes(s, kind, end + seconds / 4);
}

static void subject_report(Subject *s, const char *text)
{
	Buf b;

	buf_init(&b, &s->m.arena);
	DimSet set = {.name = "main",
		      .values = s->sizes[0].dim,
		      .nvalues = s->m.p.ex.dims.n};
	VEC_PUSH(&s->m.arena, s->m.p.dimsets, set);
	program_print(&s->m.p, &b);
	printf("FAIL seed %" PRIu64 " target %s\n%s\nother sizes:", s->seed,
	       s->target ? s->target : "cpu", text);
	for (int d = 0; d < 3; d++)
		printf(" %" PRId64, s->sizes[1].dim[d]);
	printf("\n%s\n", buf_str(&b));
	fflush(stdout);
}

/* A failure of the seed, shrunk and printed. */
static void fuzz_failed(uint64_t seed, const char *text, double seconds)
{
	Subject s;
	Child c;
	char kind[64];

	subject_make(&s, seed);
	failure_kind(text, kind, sizeof(kind));
	shrink(&s, kind, seconds);
	child_start(&c, &s);
	bool passed = child_end(&c);
	subject_report(&s, passed ? text : c.text);
	subject_release(&s);
}

/*
 * Runs seeds first, first + 1, ... jobs at a time until n are done or the
 * seconds are over (0: no limit). Returns the failures; *ran counts seeds.
 */
TEST_ONLY static int fuzz_run(uint64_t first, uint64_t n, double seconds,
			      int jobs, double shrink_seconds, uint64_t *ran)
{
	double end = clock_seconds() + seconds;
	int failed = 0;

	dir_make(NULL, JUDGE_FOLDER "/cache");
	*ran = 0;
	for (uint64_t i = 0; i < n; i += (uint64_t)jobs) {
		Subject s[8];
		Child c[8];
		int started = 0;
		if (seconds > 0 && clock_seconds() > end)
			break;
		for (; started < jobs && i + (uint64_t)started < n; started++) {
			subject_make(&s[started],
				     first + i + (uint64_t)started);
			child_start(&c[started], &s[started]);
		}
		for (int k = 0; k < started; k++) {
			bool ok = child_end(&c[k]);
			subject_release(&s[k]);
			(*ran)++;
			if (ok)
				continue;
			failed++;
			fuzz_failed(first + i + (uint64_t)k, c[k].text,
				    shrink_seconds);
		}
	}
	return failed;
}

#endif
