/* tune: a search through the public API, its keys and its outcome. */
#include "driver/tune.h"

#include "rewrite/alternatives.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define STATE(s) _Static_assert((int)TENON_CAND_##s == (int)CAND_##s, "states")
STATE(LEFT);
STATE(REFUSED);
STATE(FAILED);
STATE(WRONG);
STATE(CRASHED);
STATE(TIMED_OUT);
STATE(NO_MEMORY);
STATE(MEASURED);
STATE(TIE);
STATE(CHOSEN);
STATE(STATES);

const char *tenon_cand_state(TenonCandState s)
{
	return cand_state_name[s];
}

/* ---- the key --------------------------------------------------------- */

static bool add_weights(Tune *t, Sha256 *h)
{
	const Program *p = t->program->p;
	Tensor *w = arena_array(&t->arena, Tensor, p->values.n + 1);
	bool ok = program_weights(t->program, t->program->dims, w);

	for (size_t v = 0; v < p->values.n; v++) {
		if (!w[v].data)
			continue;
		if (ok)
			sha256_add(h, w[v].data, tensor_bytes(&w[v]));
		tenon_release(w[v].data, tensor_bytes(&w[v]));
	}
	return ok;
}

static bool program_hash(Tune *t, const char **out)
{
	Sha256 *h = sha256_new(&t->arena);
	char hex[SHA256_HEX];
	Buf b;

	buf_init(&b, &t->arena);
	program_print_plain(t->program->p, &b);
	sha256_add(h, buf_str(&b), b.n);
	if (!add_weights(t, h))
		return false;
	sha256_end(h, hex);
	*out = arena_strdup(&t->arena, hex);
	return true;
}

static const char *dims_text(Tune *t)
{
	const ExprTab *x = &t->program->p->ex;
	Buf b;

	buf_init(&b, &t->arena);
	for (size_t i = 0; i < x->dims.n; i++)
		buf_printf(&b, i ? " %s=%lld" : "%s=%lld", x->dims.p[i].name,
			   (long long)t->program->dims[i]);
	return buf_str(&b);
}

static const char *options_text(Tune *t, const Plan *rule)
{
	const TenonPlanOptions *o = t->o->plan;
	Buf b;

	buf_init(&b, &t->arena);
	buf_printf(&b, "threads=%d regime=%s", context_threads(t->c),
		   t->o->cold ? "cold" : "warm");
	for (size_t i = 0; o && i < o->npins; i++)
		buf_printf(&b, " %s", o->pins[i]);
	if (o && o->skip)
		buf_printf(&b, " skip=%s", o->skip);
	if (t->o->without)
		buf_printf(&b, " without=%s", t->o->without);
	/* what this version makes of the program, to the last line of code */
	buf_printf(&b, " rule=%.12s", plan_code_key(&t->arena, rule));
	return buf_str(&b);
}

/* The model of what runs it, which for CPUs is that of the host. */
static bool device_text(Tune *t, const char **out)
{
	const TenonDevice *d;
	size_t n;

	*out = "";
	if (t->target.threads) {
		*out = t->c->probed.text;
		return true;
	}
	if (tenon_devices(t->c, &d, &n))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!strcmp(d[i].target, t->target.name) && d[i].available)
			*out = arena_strdup(&t->arena, d[i].text);
	return true;
}

/* Fills the search's key from the rule's plan, which it makes. */
static bool fill_key(Tune *t)
{
	SearchInfo *info = &t->search.info;
	SearchKey *k = &info->parts;
	Point rule = space_rule(&t->space, 0);
	TenonPlan *p = variants_plan(t, &rule);

	if (!p)
		return false;
	k->target = t->target.name;
	k->compiler = arena_printf(&t->arena, "%s %s", p->plan->compiler,
				   p->plan->flags);
	k->options = options_text(t, p->plan);
	k->version = TENON_VERSION;
	k->dims = dims_text(t);
	variants_free(t, p);
	if (!program_hash(t, &k->program) || !device_text(t, &k->device))
		return false;
	search_key(k, info->key);
	return true;
}

/* ---- the ledger ------------------------------------------------------ */

static bool ledger_of(TenonContext *c, const char *path, Ledger **out)
{
	*out = ledger_open(&c->ctx, path);
	return *out != NULL;
}

/* A plan of the ledger; its sizes are the program's. */
static bool load_kept(Tune *t, const char *json, TenonPlan **out)
{
	if (!plan_read(t->c, "the ledger's plan", json, strlen(json), out))
		return false;
	memcpy((*out)->program->dims, t->program->dims,
	       t->program->p->ex.dims.n * sizeof(int64_t));
	return true;
}

static const char *when(TenonContext *c, int64_t seconds)
{
	time_t at = (time_t)seconds;
	struct tm tm;
	char text[40] = "";

	if (gmtime_r(&at, &tm))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M UTC", &tm);
	return arena_strdup(&c->ctx.perm, text);
}

/* The outcome of the same search, if it was done; *found then. */
static bool find_done(Tune *t, TenonTuneReport *r, TenonPlan **out, bool *found)
{
	Arena *perm = &t->c->ctx.perm;
	SearchInfo old;

	*found = false;
	if (t->o->again || !t->ledger ||
	    !ledger_find(t->ledger, &t->arena, &t->search.info, &old) ||
	    !old.plan)
		return true;
	const char *json = ledger_plan(t->ledger, &t->arena, old.plan);
	if (!json || !load_kept(t, json, out)) {
		/* it was pruned, or this version makes another of it */
		ctx_clear_errors(&t->c->ctx);
		return true;
	}
	*found = true;
	*r = (TenonTuneReport){.search = old.id,
			       .found = true,
			       .done = when(t->c, old.ended),
			       .state = arena_strdup(perm, old.state),
			       .policy = arena_strdup(perm, old.policy),
			       .how = ""};
	return true;
}

/* ---- the search ------------------------------------------------------ */

static void fill_report(Tune *t, TenonTuneReport *r)
{
	const Search *s = &t->search;
	Arena *perm = &t->c->ctx.perm;
	Point rule = space_rule(&t->space, 0);

	*r = (TenonTuneReport){
		.search = s->info.id,
		.state = arena_strdup(perm, s->info.state),
		.policy = arena_strdup(perm, s->info.policy),
		.variants = (int)t->space.variants.n,
		.considered = s->considered,
		.tried = (int64_t)s->tried.n,
		.ratio = s->gain,
		.lo = s->gain_lo,
		.hi = s->gain_hi,
		.predicted_us = space_cost(&t->space, &s->chosen),
		.rule_predicted_us = space_cost(&t->space, &rule),
		.seconds = clock_seconds() - s->began,
		.how = arena_strdup(perm,
				    t->space.variants.p[s->chosen.variant].how),
	};
	for (int i = 0; i < CAND_STATES; i++)
		r->counts[i] = s->counts[i];
}

static bool choose(Tune *t, TenonPlan **out)
{
	SearchInfo *info = &t->search.info;
	TenonPlan *p = variants_plan(t, &t->search.chosen);
	const char *why = NULL;

	if (!p)
		return false;
	if (!plans_load(t->c, &p, 1, &why) || why) {
		variants_free(t, p);
		return why ? diag_fail(&t->c->ctx, ERR_ENV, NULL, "%s", why)
			   : false;
	}
	info->plan = arena_strdup(&t->arena, plan_identity(p->plan));
	*out = p;
	variants_give(t, p);
	return !t->ledger ||
	       ledger_keep_plan(t->ledger, info->plan, plan_json(p->plan));
}

static bool run_search(Tune *t, bool measures, TenonPlan **out)
{
	Search *s = &t->search;
	SearchHost host = tryout_host;

	host.arg = t;
	host.stop = t->o->stop;
	host.progress = t->o->progress;
	host.progress_arg = t->o->progress_arg;
	s->host = &host;
	s->info.started = (int64_t)time(NULL);
	s->info.state = "complete";
	if (measures && !tryout_open(t))
		return false;
	if (t->ledger && !ledger_begin(t->ledger, &s->info))
		return false;
	bool ok = search_run(s) && choose(t, out);
	if (!ok)
		s->info.state = "failed";
	s->info.ended = (int64_t)time(NULL);
	return (!t->ledger || ledger_end(t->ledger, &s->info)) && ok;
}

/* A GPU is opened by children alone. */
static bool find_target(Tune *t, const char *name)
{
	bool cpu = !name || !strncmp(name, "cpu", 3);

	if (!cpu) {
		if (!probe_device(t->c, name))
			return false;
		name = t->c->probed.target;
	}
	t->target_name = name;
	return target_find(t->c, &t->arena, name, true, &t->target, &t->isa);
}

static bool tune(Tune *t, TenonTuneReport *report, TenonPlan **out)
{
	Ctx *ctx = &t->c->ctx;
	Search *s = &t->search;
	const TenonPlanOptions *po = t->o->plan;
	const char *name = po ? po->target : NULL;
	const char *policy = t->o->policy ? t->o->policy : "beam";
	bool measures, found;

	s->ctx = ctx;
	s->arena = &t->arena;
	s->space = &t->space;
	s->o = (SearchOptions){.seconds = t->o->seconds,
			       .candidates = t->o->candidates,
			       .seed = t->o->seed};
	if (!policy_parse(ctx, policy, &measures) ||
	    !rewrite_rules_known(ctx, &t->arena, t->o->without))
		return false;
	s->info = (SearchInfo){.name = t->program->p->name,
			       .policy = policy_text(&t->arena, policy),
			       .seed = t->o->seed};
	if (measures) { /* what measures nothing has no budget */
		s->info.seconds = t->o->seconds;
		s->info.candidates = t->o->candidates;
	}
	if (!dims_set(t->program) || !find_target(t, name) ||
	    !variants_make(t) || !fill_key(t) ||
	    !ledger_of(t->c, t->o->ledger, &t->ledger) ||
	    !find_done(t, report, out, &found))
		return false;
	if (found)
		return true;
	s->ledger = t->ledger;
	if (!run_search(t, measures, out))
		return false;
	fill_report(t, report);
	return true;
}

static void tune_close(Tune *t)
{
	tryout_close(t);
	while (t->plans.n > 0)
		variants_free(t, t->plans.p[0]);
	if (t->ledger)
		ledger_close(t->ledger);
	arena_release(&t->arena);
}

static bool tune_trapped(TenonContext *c, TenonProgram *program,
			 const TenonTuneOptions *o, TenonTuneReport *report,
			 TenonPlan **out)
{
	Tune t = {.c = c, .program = program, .o = o};
	OomTrap trap;

	arena_init(&t.arena);
	if (OOM_TRAP(&trap)) {
		tune_close(&t);
		tenon_plan_free(*out);
		*out = NULL;
		oom_raise();
	}
	bool ok = tune(&t, report, out);
	oom_trap_pop(&trap);
	tune_close(&t);
	return ok;
}

TenonError tenon_tune(TenonContext *c, TenonProgram *program,
		      const TenonTuneOptions *o, TenonTuneReport *report,
		      TenonPlan **out)
{
	static const TenonTuneOptions defaults = {.seed = 1};

	*out = NULL;
	*report = (TenonTuneReport){.state = "", .how = "", .policy = ""};
	API_ENTER(c);
	bool ok = tune_trapped(c, program, o ? o : &defaults, report, out);
	if (!ok) {
		tenon_plan_free(*out);
		*out = NULL;
	}
	return API_LEAVE(c, ok);
}

/* ---- reading the ledger ---------------------------------------------- */

static bool report_ledger(TenonContext *c, const TenonLedgerQuery *q, Buf *b)
{
	LedgerQuery query = {
		.search = q->search,
		.all = q->all,
		.program = q->program,
		.state = q->state,
		.realisation = q->realisation,
		.limit = q->limit,
		.compare = {q->compare[0], q->compare[1]},
		.refutation = q->refutation,
		.samples = q->samples,
		.json = q->json,
	};
	Ledger *l;

	/* to look for one is not to make it */
	if (q->ledger && !file_exists(q->ledger))
		return diag_fail(&c->ctx, ERR_ENV, NULL,
				 "cannot open the ledger %s: it is not there",
				 q->ledger);
	if (!ledger_of(c, q->ledger, &l))
		return false;
	bool ok = ledger_report(l, &c->ctx.scratch, &query, b);
	ledger_close(l);
	return ok;
}

TenonError tenon_ledger(TenonContext *c, const TenonLedgerQuery *q,
			TenonWriter *w, void *arg)
{
	Buf b;

	API_ENTER(c);
	arena_clear(&c->ctx.scratch);
	buf_init(&b, &c->ctx.scratch);
	bool ok = report_ledger(c, q, &b);
	if (ok)
		w(arg, buf_str(&b), b.n);
	return API_LEAVE(c, ok);
}
