/*
 * tryout: plans of points, compiled together, each run in a child.
 *
 * Inputs are the search fixture's, in memory that nobody may write to; results
 * have a page before and behind them that nobody may touch. Each trial fills
 * the results with a pattern, runs the plan once and has the oracle judge what
 * it returns, all in the child.
 */
#include "driver/gpu.h"
#include "driver/tune.h"

#include <stdio.h>
#include <string.h>

#define STALE 0xa5
#define ALIGN 64

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

typedef struct Tryout {
	TenonTensor *in; /* of each set in turn */
	TenonTensor *out;
	Guarded **guards;
	size_t nin, nout, nguards, sets;
	VEC(TenonPlan *) kept; /* incumbents, to be opened again */
	VEC(const char *) keys;
} Tryout;

/* One plan in a child. */
typedef struct Runner {
	Tune *t;
	TenonPlan *plan;
	TenonCall **calls;
	TenonTensor *there; /* in the memory of a GPU; data NULL: none */
	size_t next;
	bool all; /* every family, rather than the search's */
} Runner;

/* ---- tensors --------------------------------------------------------- */

static bool guard(Tune *t, TenonTensor *x, const char *kind, const char *name)
{
	Tryout *y = t->tryout;
	size_t bytes = tenon_tensor_bytes(x);
	Guarded *g = guarded_new(bytes, ALIGN);

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
	bool ok = make_inputs(t, p, in);
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
	t->tryout = NULL;
}

/* ---- in the child ---------------------------------------------------- */

/*
 * Tensors of a plan for a GPU lie in its memory: the inputs of a set are copied
 * there, and what is judged is copied back.
 */
static TenonError resident(Runner *r, size_t set)
{
	Tryout *y = r->t->tryout;
	size_t n = y->nin + y->nout;

	for (size_t i = 0; i < n; i++) {
		TenonTensor *d = &r->there[set * n + i];
		const TenonTensor *h =
			i < y->nin ? &y->in[set * y->nin + i]
				   : &y->out[set * y->nout + i - y->nin];
		*d = *h;
		d->data = NULL;
		d->place = tenon_plan_place(r->plan);
		TenonError e = tenon_device_alloc(
			r->plan, tenon_tensor_bytes(h), &d->data);
		if (!e && i < y->nin)
			e = tenon_device_copy(r->plan, d, h);
		if (e)
			return e;
	}
	return TENON_OK;
}

static bool on_device(const Runner *r)
{
	return r->t->target.threads > 0;
}

/* After a fault of a kernel the device takes nothing more from this process. */
static bool is_lost(const Runner *r)
{
	Ctx own;

	if (!r->plan->gpu)
		return false;
	ctx_init(&own);
	bool there = device_wait(&own, r->plan->gpu->device);
	ctx_release(&own);
	return !there;
}

/* The first line of why is the text. */
static TrialState state_of(const Runner *r, TenonError e, const char *why,
			   char text[TRIAL_TEXT])
{
	snprintf(text, TRIAL_TEXT, "%.*s", (int)strcspn(why, "\n"), why);
	return e == TENON_ENOMEM     ? TRIAL_NO_MEMORY
	       : e == TENON_EPROGRAM ? TRIAL_WRONG
	       : is_lost(r)          ? TRIAL_CRASHED
				     : TRIAL_FAILED;
}

static TrialState fails(const Runner *r, TenonError e, char text[TRIAL_TEXT])
{
	return state_of(r, e, tenon_message(r->t->c), text);
}

static TrialState runner_open(void *state, char text[TRIAL_TEXT])
{
	Runner *r = state;
	Tryout *y = r->t->tryout;

	if (on_device(r) && !r->plan->gpu && !plan_load_code(r->plan))
		return fails(r, TENON_EENV, text);
	for (size_t k = 0; k < y->sets; k++) {
		const TenonTensor *in = y->in + k * y->nin;
		const TenonTensor *out = y->out + k * y->nout;
		TenonError e = on_device(r) ? resident(r, k) : TENON_OK;
		if (on_device(r)) {
			in = r->there + k * (y->nin + y->nout);
			out = in + y->nin;
		}
		if (!e)
			e = tenon_call_new(r->plan, in, out, &r->calls[k]);
		if (e)
			return fails(r, e, text);
	}
	return TRIAL_MEASURED;
}

static void runner_close(void *state)
{
	Runner *r = state;
	Tryout *y = r->t->tryout;

	for (size_t k = 0; k < y->sets; k++) {
		if (r->calls[k])
			tenon_call_free(r->calls[k]);
		r->calls[k] = NULL;
	}
	for (size_t i = 0; i < y->sets * (y->nin + y->nout); i++) {
		TenonTensor *d = &r->there[i];
		if (d->data)
			tenon_device_free(r->plan, d->data,
					  tenon_tensor_bytes(d));
		d->data = NULL;
	}
}

static TrialState call(Runner *r, size_t set, char text[TRIAL_TEXT])
{
	TenonError e = tenon_call_run(r->calls[set]);

	return e ? state_of(r, e, tenon_call_message(r->calls[set]), text)
		 : TRIAL_MEASURED;
}

static TrialState runner_run(void *state, char text[TRIAL_TEXT])
{
	Runner *r = state;
	size_t set = r->next;

	r->next = (set + 1) % r->t->tryout->sets;
	return call(r, set, text);
}

/* By the device's clock, submitted together. */
static TrialState runner_timed(void *state, int n, double *seconds,
			       char text[TRIAL_TEXT])
{
	Runner *r = state;
	double us;
	TenonError e = tenon_calls_device_time(r->calls,
					       (int)r->t->tryout->sets, n, &us);

	if (e)
		return state_of(r, e, tenon_call_message(r->calls[0]), text);
	*seconds = us * 1e-6;
	return TRIAL_MEASURED;
}

typedef struct Failure {
	char *text;
	uint64_t seed; /* of the search's fixture */
} Failure;

/* The first verdict that fails. */
static void note_failure(void *arg, const TenonVerdict *v)
{
	Failure *f = arg;
	const char *sha = v->fixture_sha256;
	bool made = sha && *sha; /* by the check, with a seed of its own */

	if (f->text[0] || v->outcome != TENON_FAIL)
		return;
	if (v->fault) {
		snprintf(f->text, TRIAL_TEXT, "%s: a fault", v->family);
		return;
	}
	snprintf(f->text, TRIAL_TEXT,
		 "fixture %s (seed %llu%s%.12s): element %lld of %s is %.9g, "
		 "and %.9g to %.9g is legal; %lld elements are wrong",
		 v->family, (unsigned long long)(made ? v->seed : f->seed),
		 made ? ", " : "", made ? sha : "", (long long)v->worst,
		 v->result, v->got, v->lo, v->hi,
		 (long long)(v->violations ? v->violations : v->mismatches));
}

/* What the oracle says of the results at hand, or of every family's. */
static TrialState judged(const Runner *r, char text[TRIAL_TEXT])
{
	const Tryout *y = r->t->tryout;
	Failure f = {text, r->t->o->seed};
	TenonOutcome outcome = TENON_NONE;
	TenonError e;

	text[0] = '\0';
	if (r->all)
		e = tenon_check(r->plan, NULL, f.seed, note_failure, &f,
				&outcome);
	else
		e = tenon_judge(r->plan, y->in, y->out, note_failure, &f,
				&outcome);
	if (e)
		return fails(r, e, text);
	bug_if(outcome == TENON_NONE);
	return outcome == TENON_FAIL ? TRIAL_WRONG : TRIAL_MEASURED;
}

/* The first set's results, to the device or from it. */
static TenonError move_results(Runner *r, bool to)
{
	Tryout *y = r->t->tryout;
	TenonError e = TENON_OK;

	for (size_t i = 0; i < y->nout && !e && on_device(r); i++) {
		TenonTensor *d = &r->there[y->nin + i], *h = &y->out[i];
		e = tenon_device_copy(r->plan, to ? d : h, to ? h : d);
	}
	return e;
}

static TrialState runner_check(void *state, char text[TRIAL_TEXT])
{
	Runner *r = state;
	Tryout *y = r->t->tryout;

	if (r->all)
		return judged(r, text);
	for (size_t i = y->sets * y->nin; i < y->nguards; i++)
		if (!guarded_renew(y->guards[i]))
			return TRIAL_NO_MEMORY;
	for (size_t i = 0; i < y->nout; i++)
		memset(y->out[i].data, STALE, tenon_tensor_bytes(&y->out[i]));
	TenonError e = move_results(r, true);
	TrialState s = e ? fails(r, e, text) : call(r, 0, text);
	if (s != TRIAL_MEASURED)
		return s;
	e = move_results(r, false);
	if (e)
		return fails(r, e, text);
	for (size_t i = 0; i < y->nguards; i++)
		if (guarded_broken(y->guards[i], text))
			return TRIAL_WRONG;
	return judged(r, text);
}

/* A run of what was only to be checked. */
static TrialState runner_nothing(void *state, char text[TRIAL_TEXT])
{
	(void)state;
	(void)text;
	return TRIAL_MEASURED;
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
	return (TrialPath){.state = r,
			   .open = runner_open,
			   .check = checks ? runner_check : NULL,
			   .run = runner_run,
			   .timed = t->target.cuda ? runner_timed : NULL,
			   .close = runner_close};
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

/* Plans of the points, compiled together; NULL where there is none. */
static bool make_plans(Batch *b, const Point *p, size_t n, TenonPlan **plans)
{
	Tune *t = b->t;
	TenonPlan **made = arena_array(&t->arena, TenonPlan *, n + 1);
	const char **why = arena_array(&t->arena, const char *, n + 1);
	size_t *of = arena_array(&t->arena, size_t, n + 1), have = 0;

	for (size_t i = 0; i < n; i++) {
		plans[i] = variants_plan(t, &p[i]);
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
	return ok;
}

static TrialState host_held_out(void *arg, const Point *p,
				char text[TRIAL_TEXT])
{
	Tune *t = arg;
	TenonPlan *plan = plan_of(t, p);
	TrialOptions o = limits(t);
	TrialResult r = {.state = TRIAL_FAILED};
	size_t done = 0;

	if (!plan) {
		snprintf(text, TRIAL_TEXT, "%s",
			 context_take_error(t->c, &t->arena));
		return TRIAL_FAILED;
	}
	TrialPath path = path_of(t, plan, true);
	((Runner *)path.state)->all = true;
	path.run = runner_nothing;
	path.timed = NULL;
	o.check_limit *= 10;
	if (!trial_batch(&t->c->ctx, NULL, &path, 1, &o, &r, NULL, NULL, &done))
		return TRIAL_FAILED;
	memcpy(text, r.text, TRIAL_TEXT);
	return r.state;
}

const SearchHost tryout_host = {.try = host_try, .held_out = host_held_out};
