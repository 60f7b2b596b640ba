/*
 * tryout: plans of points, compiled together, each run in a child.
 *
 * Inputs are the search fixture's, in memory that nobody may write to; results
 * have a page before and behind them that nobody may touch.
 */
#include "driver/tryout.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* Limits in seconds: generous, for machines that are busy. */
#define OPEN_LIMIT  30
#define CHECK_LIMIT 300
#define RUN_LIMIT   60
/* Bytes, as generous. */
#define MEMORY_LEAST  0x1p30
#define MEMORY_THREAD 0x1p27
#define MEMORY_TIMES  128
/* Slower than the incumbent by this much after a few rounds: no more. */
#define HOPELESS 1.25
/* Data sets of a cold regime: together so many times the last cache. */
#define COLD_TIMES 4
#define COLD_MOST  64

/* ---- tensors --------------------------------------------------------- */

static bool guard(Tune *t, TenonTensor *x, const char *kind, const char *name)
{
	Tryout *y = t->tryout;
	size_t bytes = tenon_tensor_bytes(x);
	Guarded *g = guarded_new(bytes, TRYOUT_ALIGN);

	if (!g)
		return diag_fail(&t->c->ctx, ERR_NOMEM, NULL,
				 "out of memory: %zu bytes for %s %s", bytes,
				 kind, name);
	guarded_name(g, arena_printf(&t->arena, "%s %s", kind, name));
	y->guards[y->nguards++] = g;
	if (x->data) {
		memcpy(guarded_data(g), x->data, bytes);
		guarded_seal(g);
	}
	x->data = guarded_data(g);
	return true;
}

static bool make_inputs(Tune *t, const Program *p, TenonTensor *from)
{
	Tryout *y = t->tryout;

	for (size_t k = 0; k < y->sets; k++)
		for (size_t i = 0; i < y->nin; i++) {
			TenonTensor *x = &y->in[k * y->nin + i];
			*x = from[i];
			if (!guard(t, x, "input",
				   tenon_program_input_name(t->program,
							    (int)i)))
				return false;
		}
	for (size_t k = 0; k < y->sets; k++)
		for (size_t i = 0; i < y->nout; i++) {
			TenonTensor *x = &y->out[k * y->nout + i];
			Tensor d;
			if (!value_desc(p, p->results.p[i].value,
					t->program->dims, &d))
				return false;
			*x = tensor_to_api(&d);
			x->data = NULL;
			if (!guard(t, x, "result", p->results.p[i].name))
				return false;
		}
	return true;
}

static size_t sets_of(const Tune *t, const TenonTensor *in)
{
	const Program *p = t->program->p;
	double bytes = 1, last = (double)target_cached(&t->target);

	if (!t->o->cold)
		return 1;
	for (size_t i = 0; i < p->inputs.n; i++)
		bytes += (double)tenon_tensor_bytes(&in[i]);
	double n = COLD_TIMES * last / bytes + 1;
	return n > COLD_MOST ? COLD_MOST : (size_t)n;
}

/* ---- verdicts -------------------------------------------------------- */

/* What children write into; NULL: out of memory. */
static bool *shared_new(size_t n)
{
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

size_t tryout_verdicts(const Tryout *y)
{
	return FAM_COUNT * y->nout;
}

static const char *host_verdict(void *arg, size_t i)
{
	Tune *t = arg;
	size_t n = t->tryout->nout;

	return arena_printf(&t->arena, "fixture %s: result %s",
			    family_name[i / n],
			    t->program->p->results.p[i % n].name);
}

/* ---- opening and closing ---------------------------------------------- */

bool tryout_open(Tune *t)
{
	const Program *p = t->program->p;
	TenonTensor *in = arena_array(&t->arena, TenonTensor, p->inputs.n + 1);
	Tryout *y = t->tryout = arena_new(&t->arena, Tryout);
	bool applies;

	y->nin = p->inputs.n;
	y->nout = p->results.n;
	if (tenon_fixture(t->program, "search", t->o->seed, in, &applies))
		return false;
	if (!applies)
		return diag_fail(&t->c->ctx, ERR_PROGRAM,
				 "--policy rule and model need none",
				 "no inputs can be made for this program, so "
				 "that nothing can be measured");
	y->sets = sets_of(t, in);
	y->in = arena_array(&t->arena, TenonTensor, y->sets * y->nin + 1);
	y->out = arena_array(&t->arena, TenonTensor, y->sets * y->nout + 1);
	y->guards = arena_array(&t->arena, Guarded *,
				y->sets * (y->nin + y->nout) + 1);
	y->shown = shared_new(tryout_verdicts(y));
	bool ok = y->shown ? make_inputs(t, p, in)
			   : diag_fail(&t->c->ctx, ERR_NOMEM, NULL,
				       "out of memory: verdicts");
	for (size_t i = 0; i < y->nin; i++)
		tenon_release(in[i].data, tenon_tensor_bytes(&in[i]));
	return ok;
}

void tryout_close(Tune *t)
{
	Tryout *y = t->tryout;

	if (!y)
		return;
	for (size_t i = 0; i < y->nguards; i++)
		guarded_free(y->guards[i]);
	for (size_t i = 0; i < y->kept.n; i++)
		variants_free(t, y->kept.p[i]);
	if (y->shown)
		munmap(y->shown, tryout_verdicts(y));
	t->tryout = NULL;
}

/* ---- in the parent --------------------------------------------------- */

static TrialPath path_of(Tune *t, TenonPlan *plan, bool checks)
{
	Runner *r = arena_new(&t->arena, Runner);

	*r = (Runner){.t = t, .plan = plan};
	Tryout *y = t->tryout;
	r->calls = arena_array(&t->arena, TenonCall *, y->sets + 1);
	r->there = arena_array(&t->arena, TenonTensor,
			       y->sets * (y->nin + y->nout) + 1);
	return runner_path(r, checks);
}

/*
 * Memory that a child may take: room for every value of the program in the
 * oracle's numbers, several times over, and what threads and libraries have.
 * Of a GPU's processes the driver takes what it likes.
 */
static double memory_limit(const Tune *t)
{
	const Program *p = t->program->p;
	double bytes = 0;
	Tensor d;

	if (t->target.threads)
		return 0;
	for (ValueId v = 0; v < p->values.n; v++)
		if (value_desc(p, v, t->program->dims, &d))
			bytes += (double)tensor_bytes(&d);
	return MEMORY_LEAST + MEMORY_THREAD * context_threads(t->c) +
	       MEMORY_TIMES * bytes;
}

static TrialOptions limits(Tune *t)
{
	double run = t->o->limit > 0 ? t->o->limit : RUN_LIMIT;

	return (TrialOptions){.open_limit = OPEN_LIMIT,
			      .check_limit = CHECK_LIMIT * run / RUN_LIMIT,
			      .run_limit = run,
			      .rounds = TRIAL_ROUNDS,
			      .hopeless = HOPELESS,
			      .memory = memory_limit(t),
			      .seconds = search_left(&t->search),
			      .stop = t->search.final ? NULL : t->o->stop};
}

/* The plan of a point that was tried; made again where it is not kept. */
static TenonPlan *plan_of(Tune *t, const Point *p)
{
	Tryout *y = t->tryout;
	const char *key = space_key(&t->arena, &t->space, p), *why;

	for (size_t i = 0; i < y->kept.n; i++)
		if (!strcmp(y->keys.p[i], key))
			return y->kept.p[i];
	TenonPlan *plan = variants_plan(t, p);
	if (!plan)
		return NULL;
	if (!plans_load(t->c, &plan, 1, &why) || why) {
		if (why)
			diag_fail(&t->c->ctx, ERR_ENV, NULL, "%s", why);
		variants_free(t, plan);
		return NULL;
	}
	VEC_PUSH(&t->arena, y->kept, plan);
	VEC_PUSH(&t->arena, y->keys, key);
	return plan;
}

typedef struct Batch {
	Tune *t;
	size_t *at;       /* number of the point, by path */
	const char **ids; /* by path */
	TrialResult *out;
	void (*fn)(void *to, size_t i, const TrialResult *r, const char *plan);
	void *to;
} Batch;

static void told(void *arg, size_t i, const TrialResult *r)
{
	Batch *b = arg;
	TrialResult *out = &b->out[b->at[i]];

	*out = *r;
	if (r->incumbent >= 0)
		out->incumbent = (int)b->at[r->incumbent];
	b->fn(b->to, b->at[i], out, b->ids[i]);
}

static void not_made(Batch *b, size_t i, const char *why)
{
	TrialResult *r = &b->out[i];

	*r = (TrialResult){.state = TRIAL_FAILED};
	snprintf(r->text, TRIAL_TEXT, "%s", why);
	b->fn(b->to, i, r, NULL);
}

/* A plan that was made for its code, or is made now; NULL: reported. */
static TenonPlan *take_made(Tune *t, const Point *p)
{
	Tryout *y = t->tryout;
	const char *key = space_key(&t->arena, &t->space, p);

	for (size_t i = 0; i < y->made.n; i++) {
		TenonPlan *plan = y->made.p[i];
		if (strcmp(y->made_keys.p[i], key) != 0)
			continue;
		y->made.p[i] = y->made.p[--y->made.n];
		y->made_keys.p[i] = y->made_keys.p[--y->made_keys.n];
		return plan;
	}
	return variants_plan(t, p);
}

/* Those of points that are not tried. */
static void drop_made(Tune *t)
{
	Tryout *y = t->tryout;

	while (y->made.n > 0)
		variants_free(t, y->made.p[--y->made.n]);
	y->made_keys.n = 0;
}

static const char *host_code(void *arg, const Point *p)
{
	Tune *t = arg;
	Tryout *y = t->tryout;
	TenonPlan *plan = variants_plan(t, p);

	if (!plan) {
		ctx_clear_errors(&t->c->ctx); /* told when it is tried */
		return NULL;
	}
	VEC_PUSH(&t->arena, y->made, plan);
	VEC_PUSH(&t->arena, y->made_keys, space_key(&t->arena, &t->space, p));
	return plan_code_key(&t->arena, plan->plan);
}

/* Plans of the points, compiled together; NULL where there is none. */
static bool make_plans(Batch *b, const Point *p, size_t n, TenonPlan **plans)
{
	Tune *t = b->t;
	TenonPlan **made = arena_array(&t->arena, TenonPlan *, n + 1);
	const char **why = arena_array(&t->arena, const char *, n + 1);
	size_t *of = arena_array(&t->arena, size_t, n + 1), have = 0;

	for (size_t i = 0; i < n; i++) {
		plans[i] = take_made(t, &p[i]);
		if (!plans[i]) {
			not_made(b, i, context_take_error(t->c, &t->arena));
			continue;
		}
		of[have] = i;
		made[have++] = plans[i];
	}
	if (!plans_load(t->c, made, have, why))
		return false;
	for (size_t j = 0; j < have; j++) {
		if (!why[j])
			continue;
		not_made(b, of[j], why[j]);
		variants_free(t, plans[of[j]]);
		plans[of[j]] = NULL;
	}
	return true;
}

static bool run_batch(Batch *b, const TrialPath *incumbent, size_t n,
		      TenonPlan **plans, size_t *done)
{
	Tune *t = b->t;
	TrialPath *paths = arena_array(&t->arena, TrialPath, n + 1);
	TrialResult *r = arena_array(&t->arena, TrialResult, n + 1);
	TrialOptions o = limits(t);
	size_t have = 0, ran = 0;

	b->at = arena_array(&t->arena, size_t, n + 1);
	b->ids = arena_array(&t->arena, const char *, n + 1);
	for (size_t i = 0; i < n; i++) {
		if (!plans[i])
			continue;
		b->at[have] = i;
		b->ids[have] = plan_identity(plans[i]->plan);
		paths[have++] = path_of(t, plans[i], true);
	}
	bool ok = trial_batch(&t->c->ctx, incumbent, paths, have, &o, r, told,
			      b, &ran);
	*done = n - have + ran;
	return ok;
}

static bool host_try(void *arg, const Point *incumbent, const Point *p,
		     size_t n, TrialResult *out,
		     void (*fn)(void *to, size_t i, const TrialResult *r,
				const char *plan),
		     void *to, size_t *done)
{
	Tune *t = arg;
	TenonPlan **plans = arena_array(&t->arena, TenonPlan *, n + 1);
	Batch b = {.t = t, .out = out, .fn = fn, .to = to};
	TenonPlan *best = incumbent ? plan_of(t, incumbent) : NULL;
	TrialPath path;

	*done = 0;
	if (incumbent && !best)
		return false;
	if (best)
		path = path_of(t, best, false);
	bool ok = make_plans(&b, p, n, plans) &&
		  run_batch(&b, best ? &path : NULL, n, plans, done);
	for (size_t i = 0; i < n; i++)
		variants_free(t, plans[i]);
	drop_made(t);
	return ok;
}

static void host_held_out(void *arg, const Point *p, HeldOut *out)
{
	Tune *t = arg;
	size_t n = tryout_verdicts(t->tryout);
	bool *shown = t->tryout->shown;
	TenonPlan *plan = plan_of(t, p);
	TrialOptions o = limits(t);
	TrialResult r = {.state = TRIAL_FAILED};
	size_t done = 0;

	*out = (HeldOut){.state = TRIAL_FAILED};
	if (!plan) {
		snprintf(out->text, TRIAL_TEXT, "%s",
			 context_take_error(t->c, &t->arena));
		return;
	}
	memset(shown, 0, n * sizeof(*shown));
	TrialPath path = path_of(t, plan, true);
	((Runner *)path.state)->all = true;
	path.run = runner_nothing;
	path.timed = NULL;
	o.check_limit *= 10;
	if (!trial_batch(&t->c->ctx, NULL, &path, 1, &o, &r, NULL, NULL, &done))
		return;
	memcpy(out->text, r.text, TRIAL_TEXT);
	out->state = r.state;
	bool *copy = arena_array(&t->arena, bool, n + 1);
	memcpy(copy, shown, n * sizeof(*shown));
	out->shown = copy;
	out->n = n;
}

const SearchHost tryout_host = {.try = host_try,
				.held_out = host_held_out,
				.verdict = host_verdict,
				.code = host_code};
