/*
 * runner: a plan in a child of the search: opened, judged, timed.
 *
 * The first run of a trial fills the results with a pattern and has the oracle
 * judge what the plan returns. It has its intermediates between pages that
 * nobody may touch, as results are; the runs that are timed have them where a
 * user's are.
 *
 * A plan has the same bits in every run. What was timed and won must have those
 * that were judged, in several runs: one of them over a pattern, the others
 * over what the run before has left.
 */
#include "driver/gpu.h"
#include "driver/tryout.h"

#include <stdio.h>
#include <string.h>

#define STALE 0xa5
#define AGAIN 3 /* runs after the timing */

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

/* The first value that has the slot. */
static const char *slot_name(const Runner *r, size_t slot)
{
	const Plan *p = r->plan->plan;

	for (size_t i = 0; i < p->buffers.n; i++) {
		const PlanBuffer *b = &p->buffers.p[i];
		if (b->kind != PLAN_TEMP || b->index != slot ||
		    b->value == NO_VALUE)
			continue;
		const char *name =
			program_value(p->kernels->program, b->value)->name;
		return name ? name
			    : arena_printf(&r->t->arena, "%%%u", b->value);
	}
	return "of phases";
}

static void *slot_new(void *arg, size_t slot, size_t bytes)
{
	Runner *r = arg;
	Guarded *g = guarded_new(bytes, TRYOUT_ALIGN);

	if (!g) {
		diag_fail(&r->t->c->ctx, ERR_NOMEM, NULL,
			  "out of memory: %zu bytes for an intermediate",
			  bytes);
		return NULL;
	}
	guarded_name(g, arena_printf(&r->t->arena, "intermediate %s",
				     slot_name(r, slot)));
	VEC_PUSH(&r->t->arena, r->slots, g);
	memset(guarded_data(g), STALE, bytes);
	return guarded_data(g);
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

static void apart_close(Runner *r)
{
	tenon_call_free(r->apart);
	r->apart = NULL;
	for (size_t i = 0; i < r->slots.n; i++)
		guarded_free(r->slots.p[i]);
	r->slots.n = 0;
}

static void forget(Runner *r)
{
	const Tryout *y = r->t->tryout;

	for (size_t i = 0; i < y->nout && r->judged; i++)
		tenon_release(r->judged[i], tenon_tensor_bytes(&y->out[i]));
	r->judged = NULL;
}

static void runner_close(void *state)
{
	Runner *r = state;
	Tryout *y = r->t->tryout;

	apart_close(r);
	forget(r);

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

static TrialState call(const Runner *r, TenonCall *c, char text[TRIAL_TEXT])
{
	TenonError e = tenon_call_run(c);

	return e ? state_of(r, e, tenon_call_message(c), text) : TRIAL_MEASURED;
}

static TrialState runner_run(void *state, char text[TRIAL_TEXT])
{
	Runner *r = state;
	size_t set = r->next;

	r->next = (set + 1) % r->t->tryout->sets;
	return call(r, r->calls[set], text);
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
	/* by family and result, and how many results of the family were told;
	 * NULL: nobody asks */
	bool *shown;
	size_t nout, told;
	const char *family;
} Failure;

static void note_shown(Failure *f, const TenonVerdict *v)
{
	size_t i = 0;

	if (!f->family || strcmp(f->family, v->family) != 0)
		f->told = 0;
	f->family = v->family;
	while (i < FAM_COUNT && strcmp(family_name[i], v->family) != 0)
		i++;
	if (i < FAM_COUNT && v->applies && f->told < f->nout)
		f->shown[i * f->nout + f->told++] = v->outcome == TENON_PASS;
}

/* The first verdict that fails, and all that are conclusive. */
static void note_verdict(void *arg, const TenonVerdict *v)
{
	Failure *f = arg;
	const char *sha = v->fixture_sha256;
	bool made = sha && *sha; /* by the check, with a seed of its own */

	if (f->shown)
		note_shown(f, v);
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
	Failure f = {.text = text, .seed = r->t->o->seed, .nout = y->nout};
	TenonOutcome outcome = TENON_NONE;
	TenonError e;

	text[0] = '\0';
	if (r->all)
		f.shown = y->shown;
	if (r->all)
		e = tenon_check(r->plan, NULL, f.seed, note_verdict, &f,
				&outcome);
	else
		e = tenon_judge(r->plan, y->in, y->out, note_verdict, &f,
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

/* One run, over a pattern where `stale`; results are on the host then. */
static TrialState run_for(Runner *r, TenonCall *c, bool stale,
			  char text[TRIAL_TEXT])
{
	Tryout *y = r->t->tryout;
	TenonError e = TENON_OK;

	for (size_t i = 0; i < y->nout && stale; i++)
		memset(y->out[i].data, STALE, tenon_tensor_bytes(&y->out[i]));
	if (stale)
		e = move_results(r, true);
	TrialState s = e ? fails(r, e, text) : call(r, c, text);
	if (s != TRIAL_MEASURED)
		return s;
	e = move_results(r, false);
	return e ? fails(r, e, text) : TRIAL_MEASURED;
}

/* Where the timed calls have their intermediates elsewhere. */
static TenonError apart_open(Runner *r)
{
	const Tryout *y = r->t->tryout;

	if (on_device(r) || r->plan->plan->slots.n == 0)
		return TENON_OK;
	r->memory = (CallMemory){.arg = r, .slot = slot_new};
	return call_new_in(r->plan, &r->memory, y->in, y->out, &r->apart);
}

static bool broken(const Runner *r, char text[TRIAL_TEXT])
{
	const Tryout *y = r->t->tryout;

	for (size_t i = 0; i < y->nguards; i++)
		if (guarded_broken(y->guards[i], text))
			return true;
	for (size_t i = 0; i < r->slots.n; i++)
		if (guarded_broken(r->slots.p[i], text))
			return true;
	return false;
}

/* What is judged, to be held against later runs. */
static TrialState remember(Runner *r, char text[TRIAL_TEXT])
{
	const Tryout *y = r->t->tryout;

	r->judged = arena_array(&r->t->arena, char *, y->nout + 1);
	for (size_t i = 0; i < y->nout; i++) {
		size_t bytes = tenon_tensor_bytes(&y->out[i]);
		r->judged[i] = tenon_alloc(bytes);
		if (!r->judged[i])
			return fails(r, TENON_ENOMEM, text);
		memcpy(r->judged[i], y->out[i].data, bytes);
	}
	return TRIAL_MEASURED;
}

/* Results in pages of this process's own, as a user's are. */
static bool renew_results(const Runner *r)
{
	const Tryout *y = r->t->tryout;

	for (size_t i = y->sets * y->nin; i < y->nguards; i++)
		if (!guarded_renew(y->guards[i]))
			return false;
	return true;
}

static TrialState check_first(Runner *r, char text[TRIAL_TEXT])
{
	if (!renew_results(r))
		return TRIAL_NO_MEMORY;
	TenonError e = apart_open(r);
	TrialState s =
		e ? fails(r, e, text)
		  : run_for(r, r->apart ? r->apart : r->calls[0], true, text);

	if (s == TRIAL_MEASURED && broken(r, text))
		s = TRIAL_WRONG;
	apart_close(r);
	if (s == TRIAL_MEASURED)
		s = remember(r, text);
	return s == TRIAL_MEASURED ? judged(r, text) : s;
}

/* The first element that has other bits than when it was judged. */
static bool differs(const Runner *r, char text[TRIAL_TEXT])
{
	const Tryout *y = r->t->tryout;

	for (size_t i = 0; i < y->nout; i++) {
		size_t bytes = tenon_tensor_bytes(&y->out[i]), at = 0;
		const char *now = y->out[i].data, *then = r->judged[i];
		if (!memcmp(now, then, bytes))
			continue;
		while (now[at] == then[at])
			at++;
		snprintf(text, TRIAL_TEXT,
			 "fixture search (seed %llu): element %zu of %s has "
			 "other bits than in the run that was judged",
			 (unsigned long long)r->t->o->seed,
			 at / tenon_dtype_size(y->out[i].dtype),
			 r->t->program->p->results.p[i].name);
		return true;
	}
	return false;
}

static TrialState check_again(Runner *r, char text[TRIAL_TEXT])
{
	for (int i = 0; i < AGAIN; i++) {
		char other[TRIAL_TEXT];
		TrialState s = run_for(r, r->calls[0], i == 0, text);
		if (s != TRIAL_MEASURED)
			return s;
		if (!differs(r, other))
			continue;
		s = judged(r, text); /* it may tell more */
		if (s != TRIAL_MEASURED)
			return s;
		memcpy(text, other, TRIAL_TEXT);
		return TRIAL_WRONG;
	}
	return broken(r, text) ? TRIAL_WRONG : TRIAL_MEASURED;
}

static TrialState runner_check(void *state, char text[TRIAL_TEXT])
{
	Runner *r = state;

	if (r->all)
		return judged(r, text);
	return r->judged ? check_again(r, text) : check_first(r, text);
}

/* A run of what was only to be checked. */
TrialState runner_nothing(void *state, char text[TRIAL_TEXT])
{
	(void)state;
	(void)text;
	return TRIAL_MEASURED;
}

TrialPath runner_path(Runner *r, bool checks)
{
	return (TrialPath){.state = r,
			   .open = runner_open,
			   .check = checks ? runner_check : NULL,
			   .run = runner_run,
			   .timed = r->t->target.cuda ? runner_timed : NULL,
			   .close = runner_close};
}
