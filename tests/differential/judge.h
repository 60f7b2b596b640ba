/*
 * judge: what the differential tests share: a program is compiled for a
 * target, run under several bindings and judged by the oracle; then its
 * runs are compared with each other.
 *
 *   judge_program   every family by tenon_check: no verdict may fail, and
 *                   where asked each result must be conclusive somewhere
 *   judge_repeat    1, 2, 3 and 7 threads, twice: the same bits
 *   judge_strides   unaligned and strided tensors of a caller: the same
 *                   bits, and a notice
 *   judge_stages    each stage's text reads back, and resuming from it
 *                   gives the same bits
 *
 * Failures are text in Judge.why; nothing is printed here.
 */
#ifndef TENON_TEST_JUDGE_H
#define TENON_TEST_JUDGE_H

#include "driver/driver.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JUDGE_UNUSED      __attribute__((unused))
#define JUDGE_FOLDER      "build/test/differential"
#define JUDGE_MAX_RESULTS 128

typedef enum JudgeFlags {
	JUDGE_CONCLUSIVE = 1 << 0, /* each result on at least one family */
	JUDGE_REPEAT = 1 << 1,
	JUDGE_STRIDES = 1 << 2,
	JUDGE_STAGES = 1 << 3,
	JUDGE_ALL = 15,
} JudgeFlags;

typedef struct Judge {
	TenonContext *c;
	const char *target;   /* NULL: the host's */
	const char *families; /* NULL: all */
	const char *const *pins;
	size_t npins;
	uint64_t seed;
	Arena arena;         /* texts of the failure */
	Buf why;             /* empty: nothing failed */
	long judged, faults; /* verdicts seen */
	bool conclusive[JUDGE_MAX_RESULTS];
} Judge;

JUDGE_UNUSED static void judge_init(Judge *j)
{
	instance_serial_steps = 0; /* the sizes here are small */
	memset(j, 0, sizeof(*j));
	j->c = tenon_context_new();
	if (!j->c)
		abort();
	dir_make(NULL, JUDGE_FOLDER "/cache");
	/* a file where the oracle would keep references: thousands of small
	 * ones take longer to write than to compute */
	file_write_atomic(NULL, JUDGE_FOLDER "/cache/oracle", "", 0);
	tenon_set_cache(j->c, JUDGE_FOLDER "/cache");
	arena_init(&j->arena);
	buf_init(&j->why, &j->arena);
	j->seed = 1;
}

JUDGE_UNUSED static void judge_release(Judge *j)
{
	arena_release(&j->arena);
	tenon_context_free(j->c);
}

/* TEST_TARGET has all programs run elsewhere: on a GPU. */
static const char *judge_target(const Judge *j)
{
	const char *other = getenv("TEST_TARGET");

	return other && *other ? other : j->target;
}

/* Whether a device of OpenCL's is here. */
JUDGE_UNUSED static bool judge_has_opencl(TenonContext *c)
{
	const TenonDevice *all;
	size_t n = 0;
	bool found = false;

	if (tenon_devices(c, &all, &n))
		return false;
	for (size_t i = 0; i < n; i++)
		found |= !strcmp(all[i].kind, "opencl") && all[i].available;
	return found;
}

/* Forgets the failure. */
JUDGE_UNUSED static void judge_clear(Judge *j)
{
	arena_clear(&j->arena);
	buf_init(&j->why, &j->arena);
}

static bool judge_failed(const Judge *j)
{
	return j->why.n > 0;
}

static void judge_error(Judge *j, const char *what)
{
	buf_printf(&j->why, "%s: %s", what, tenon_message(j->c));
}

/* ---- verdicts -------------------------------------------------------- */

static void judge_binding(Judge *j, const TenonProgram *p)
{
	for (int i = 0; i < tenon_program_dims(p); i++)
		buf_printf(&j->why, " %s=%" PRId64,
			   tenon_program_dim_name(p, i),
			   tenon_program_dim(p, i));
}

typedef struct JudgeAt {
	Judge *j;
	TenonProgram *p;
} JudgeAt;

static void judge_verdict(void *arg, const TenonVerdict *v)
{
	JudgeAt *at = arg;
	Judge *j = at->j;

	if (!v->applies)
		return;
	j->judged++;
	j->faults += v->fault;
	for (int i = 0; v->outcome == TENON_PASS && i < JUDGE_MAX_RESULTS &&
			i < tenon_program_results(at->p);
	     i++)
		if (!strcmp(tenon_program_result_name(at->p, i), v->result))
			j->conclusive[i] = true;
	if (v->outcome != TENON_FAIL || j->why.n > 4000)
		return;
	buf_printf(&j->why,
		   "family %s seed %" PRIu64 " result %s: exact %d (%" PRId64
		   " of %" PRId64 " differ) interval %d (%" PRId64
		   " violations): element %" PRId64
		   " is %.17g, expected %.17g in [%.17g, %.17g]%s;",
		   v->family, v->seed, v->result, v->exact, v->mismatches,
		   v->points, v->interval, v->violations, v->worst, v->got,
		   v->ref, v->lo, v->hi,
		   !strcmp(v->result, "(fault)")
			   ? " only one of plan and oracle faults"
			   : "");
	judge_binding(j, at->p);
	buf_putc(&j->why, '\n');
}

/* ---- runs ------------------------------------------------------------ */

typedef struct JudgeRun {
	TenonTensor *in, *out;
	int nin, nout;
	TenonError error;
} JudgeRun;

static size_t judge_bytes(const TenonTensor *t)
{
	size_t n = tenon_dtype_size(t->dtype);

	for (int d = 0; d < t->rank; d++)
		n *= (size_t)t->shape[d];
	return n;
}

static void judge_free(TenonTensor *t, int n)
{
	for (int i = 0; t && i < n; i++)
		tenon_release(t[i].data, judge_bytes(&t[i]));
	free(t);
}

/* The seed's inputs of a family and empty results. */
static bool judge_inputs(Judge *j, TenonProgram *p, const char *family,
			 JudgeRun *r)
{
	bool applies;

	memset(r, 0, sizeof(*r));
	r->nin = tenon_program_inputs(p);
	r->nout = tenon_program_results(p);
	r->in = calloc((size_t)r->nin + 1, sizeof(*r->in));
	r->out = calloc((size_t)r->nout + 1, sizeof(*r->out));
	if (tenon_fixture(p, family, j->seed, r->in, &applies) || !applies) {
		judge_error(j, "fixture");
		return false;
	}
	for (int i = 0; i < r->nout; i++) {
		if (tenon_result_desc(p, i, &r->out[i])) {
			judge_error(j, "result");
			return false;
		}
		r->out[i].data = tenon_alloc(judge_bytes(&r->out[i]) + 1);
		memset(r->out[i].data, 0x5a, judge_bytes(&r->out[i]));
	}
	return true;
}

static void judge_run_free(JudgeRun *r)
{
	judge_free(r->in, r->nin);
	for (int i = 0; r->out && i < r->nout; i++)
		tenon_release(r->out[i].data, judge_bytes(&r->out[i]) + 1);
	free(r->out);
}

/* Whether two runs ended alike and gave the same bits. */
static bool judge_same(Judge *j, TenonProgram *p, const JudgeRun *a,
		       const JudgeRun *b, const char *what)
{
	if (a->error != b->error) {
		buf_printf(&j->why, "%s: error %d instead of %d:", what,
			   (int)b->error, (int)a->error);
		judge_binding(j, p);
		judge_error(j, "");
		return false;
	}
	for (int i = 0; i < a->nout && !a->error; i++) {
		size_t n = judge_bytes(&a->out[i]), k = 0;
		const char *x = a->out[i].data, *y = b->out[i].data;
		while (k < n && x[k] == y[k])
			k++;
		if (k == n)
			continue;
		buf_printf(&j->why,
			   "%s: result %s has other bits at element %zu:", what,
			   tenon_program_result_name(p, i),
			   k / tenon_dtype_size(a->out[i].dtype));
		judge_binding(j, p);
		buf_putc(&j->why, '\n');
		return false;
	}
	return true;
}

static bool judge_once(Judge *j, TenonProgram *p, TenonPlan *plan,
		       const char *family, int threads, JudgeRun *r)
{
	int was = tenon_threads(j->c);

	if (!judge_inputs(j, p, family, r))
		return false;
	tenon_set_threads(j->c, threads);
	r->error = tenon_plan_run(plan, r->in, r->out);
	tenon_set_threads(j->c, was);
	if (r->error && r->error != TENON_EPROGRAM) {
		judge_error(j, "run");
		return false;
	}
	return true;
}

JUDGE_UNUSED static void judge_repeat(Judge *j, TenonProgram *p,
				      TenonPlan *plan, const char *family)
{
	static const int threads[] = {1, 1, 2, 3, 7, 7};
	JudgeRun first, r;

	bool ok = judge_once(j, p, plan, family, 0, &first);
	for (size_t i = 0; ok && i < ARRAY_LEN(threads); i++) {
		char what[32];
		snprintf(what, sizeof(what), "%d threads", threads[i]);
		ok = judge_once(j, p, plan, family, threads[i], &r) &&
		     judge_same(j, p, &first, &r, what);
		judge_run_free(&r);
	}
	judge_run_free(&first);
}

/* ---- tensors of a caller --------------------------------------------- */

/*
 * A tensor of the same shape whose elements lie two apart, at an odd
 * address, the even axes backwards.
 */
static TenonTensor judge_spread(const TenonTensor *t, char **memory)
{
	TenonTensor s = *t;
	int64_t size = (int64_t)tenon_dtype_size(t->dtype), step = 2 * size;
	char *at;

	*memory = calloc(1, 2 * judge_bytes(t) + 64);
	at = *memory + 1;
	for (int d = t->rank - 1; d >= 0; d--) {
		s.strides[d] = step;
		step *= t->shape[d];
	}
	for (int d = 0; d < t->rank; d += 2) {
		if (t->shape[d] < 1)
			continue;
		at += (t->shape[d] - 1) * s.strides[d];
		s.strides[d] = -s.strides[d];
	}
	s.data = at;
	return s;
}

static void judge_copy(TenonTensor *to, const TenonTensor *from)
{
	size_t size = tenon_dtype_size(to->dtype),
	       total = judge_bytes(to) / size;

	for (size_t n = 0; n < total; n++) {
		char *a = to->data;
		const char *b = from->data;
		size_t rest = n;
		for (int d = to->rank - 1; d >= 0; d--) {
			int64_t i = (int64_t)(rest % (size_t)to->shape[d]);
			rest /= (size_t)to->shape[d];
			a += i * to->strides[d];
			b += i * from->strides[d];
		}
		memcpy(a, b, size);
	}
}

JUDGE_UNUSED static void judge_strides(Judge *j, TenonProgram *p,
				       TenonPlan *plan, const char *family)
{
	JudgeRun flat, r;
	bool wants = false;

	if (judge_once(j, p, plan, family, 0, &flat) &&
	    judge_inputs(j, p, family, &r)) {
		size_t n = (size_t)(r.nin + r.nout);
		TenonTensor *t = calloc(n + 1, sizeof(*t));
		char **memory = calloc(n + 1, sizeof(*memory));
		for (int i = 0; i < r.nin + r.nout; i++) {
			TenonTensor *x =
				i < r.nin ? &r.in[i] : &r.out[i - r.nin];
			t[i] = judge_spread(x, &memory[i]);
			wants |= judge_bytes(x) > tenon_dtype_size(x->dtype);
			judge_copy(&t[i], x);
		}
		tenon_notices(j->c);
		r.error = tenon_plan_run(plan, t, t + r.nin);
		for (int i = 0; i < r.nout; i++)
			judge_copy(&r.out[i], &t[r.nin + i]);
		if (judge_same(j, p, &flat, &r, "strided tensors") && wants &&
		    !strstr(tenon_notices(j->c), "copied"))
			buf_puts(&j->why, "strided tensors: no notice\n");
		for (size_t i = 0; i < n; i++)
			free(memory[i]);
		free(memory);
		free(t);
		judge_run_free(&r);
	}
	judge_run_free(&flat);
}

/* ---- stages ---------------------------------------------------------- */

static void judge_text(void *arg, const char *text, size_t len)
{
	buf_write(arg, text, len);
}

static bool judge_writer(void *arg, const char *text, size_t len)
{
	judge_text(arg, text, len);
	return true;
}

static const char *judge_dump(Judge *j, TenonPlan *plan, const char *stage)
{
	Buf b;

	buf_init(&b, &j->arena);
	if (tenon_plan_dump(plan, stage, judge_writer, &b)) {
		judge_error(j, stage);
		return NULL;
	}
	return buf_str(&b);
}

static void judge_resumed(Judge *j, TenonPlan *plan, TenonProgram *p,
			  const JudgeRun *first, const char *family,
			  const char *stage)
{
	bool parts = !strcmp(stage, "program") || !strcmp(stage, "rewritten");
	TenonPlanOptions o = {.target = judge_target(j),
			      .pins = j->pins,
			      .npins = parts ? j->npins : 0};
	const char *path = arena_printf(&j->arena, JUDGE_FOLDER "/%s.%d", stage,
					(int)getpid());
	const char *text = judge_dump(j, plan, stage), *again;
	TenonProgram *q = NULL;
	TenonPlan *other = NULL;
	JudgeRun r = {0};

	if (!text || !file_write_atomic(NULL, path, text, strlen(text))) {
		buf_printf(&j->why, "%s: no text, or it is not written\n",
			   stage);
		return;
	}
	if (tenon_resume(j->c, stage, path, &o, &q, &other)) {
		judge_error(j, stage);
		return;
	}
	unlink(path);
	again = judge_dump(j, other, stage);
	if (again && strcmp(text, again))
		buf_printf(&j->why, "%s: reads back as\n%s\ninstead of\n%s\n",
			   stage, again, text);
	for (int i = 0; i < tenon_program_dims(p); i++)
		for (int k = 0; k < tenon_program_dims(q); k++)
			if (!strcmp(tenon_program_dim_name(p, i),
				    tenon_program_dim_name(q, k)))
				tenon_set_dim(q, tenon_program_dim_name(q, k),
					      tenon_program_dim(p, i));
	if (judge_inputs(j, p, family, &r)) {
		r.error = tenon_plan_run(other, r.in, r.out);
		judge_same(j, p, first, &r,
			   arena_printf(&j->arena, "resumed from %s", stage));
	}
	judge_run_free(&r);
	tenon_plan_free(other);
	tenon_program_free(q);
}

JUDGE_UNUSED static void judge_stages(Judge *j, TenonProgram *p,
				      TenonPlan *plan, const char *family)
{
	static const char *const stages[] = {"program", "rewritten", "regions",
					     "kernels"};
	JudgeRun first;

	if (judge_once(j, p, plan, family, 0, &first))
		for (size_t i = 0; i < ARRAY_LEN(stages) && !judge_failed(j);
		     i++)
			judge_resumed(j, plan, p, &first, family, stages[i]);
	judge_run_free(&first);
}

/* ---- one program ----------------------------------------------------- */

/* A size for each dim of the program, in order. */
typedef struct Sizes {
	int64_t dim[6];
} Sizes;

static bool judge_sizes(Judge *j, TenonProgram *p, const Sizes *s)
{
	for (int i = 0; i < tenon_program_dims(p) && s; i++)
		if (tenon_set_dim(p, tenon_program_dim_name(p, i), s->dim[i])) {
			judge_error(j, "dims");
			return false;
		}
	return true;
}

/*
 * Compiles p once and judges it under each binding. sizes NULL: as the
 * program's first set of dims says. False with the reason in j->why.
 */
JUDGE_UNUSED static bool judge_program(Judge *j, TenonProgram *p,
				       const Sizes *sizes, size_t n,
				       unsigned flags)
{
	TenonPlanOptions o = {
		.target = judge_target(j), .pins = j->pins, .npins = j->npins};
	TenonPlan *plan = NULL;
	TenonOutcome outcome;
	JudgeAt at = {j, p};

	memset(j->conclusive, 0, sizeof(j->conclusive));
	if (tenon_compile(j->c, p, &o, &plan)) {
		judge_error(j, "compile");
		return false;
	}
	for (size_t i = 0; i < (sizes ? n : 1) && !judge_failed(j); i++) {
		if (!judge_sizes(j, p, sizes ? &sizes[i] : NULL))
			break;
		if (tenon_check(plan, j->families, j->seed, judge_verdict, &at,
				&outcome)) {
			judge_error(j, "check");
			judge_binding(j, p);
			break;
		}
		if (flags & JUDGE_REPEAT && !judge_failed(j))
			judge_repeat(j, p, plan, i % 2 ? "specials" : "random");
		if (flags & JUDGE_STRIDES && !judge_failed(j))
			judge_strides(j, p, plan, "random");
	}
	if (!judge_failed(j) && !j->judged)
		buf_puts(&j->why, "no result was judged\n");
	if (flags & JUDGE_STAGES && !judge_failed(j))
		judge_stages(j, p, plan, "random");
	for (int i = 0;
	     i < tenon_program_results(p) && flags & JUDGE_CONCLUSIVE; i++)
		if (!judge_failed(j) && !j->conclusive[i])
			buf_printf(&j->why,
				   "result %s is judged conclusively "
				   "on no family\n",
				   tenon_program_result_name(p, i));
	tenon_plan_free(plan);
	return !judge_failed(j);
}

#endif
