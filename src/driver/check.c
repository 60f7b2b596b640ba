/*
 * check: fixtures, and the oracle's verdicts on what a plan returns.
 *
 * Result buffers are filled with a byte pattern before each run, so that an
 * element that no kernel writes cannot pass for an earlier right answer.
 */
#include "driver/driver.h"

#include <string.h>

#define STALE 0xa5

static const char *oracle_folder(TenonContext *c)
{
	const char *cache;

	if (!context_cache(c, &cache) || !cache)
		return NULL;
	return arena_printf(&c->ctx.scratch, "%s/oracle", cache);
}

static Binding binding(const TenonProgram *p, int64_t *dims)
{
	return (Binding){dims, p->p->ex.dims.n};
}

static Tensor *from_api(Arena *a, const TenonTensor *t, size_t n)
{
	Tensor *r = arena_array(a, Tensor, n + 1);

	for (size_t i = 0; i < n; i++)
		r[i] = tensor_from_api(&t[i]);
	return r;
}

/* ---- results of a check ---------------------------------------------- */

typedef struct Results {
	TenonTensor *t;
	size_t n;
} Results;

static void results_release(Results *r)
{
	for (size_t i = 0; i < r->n; i++)
		tenon_release(r->t[i].data, tenon_tensor_bytes(&r->t[i]));
	r->n = 0;
}

static bool results_make(TenonPlan *p, const int64_t *dims, Results *out)
{
	const Program *prog = p->program->p;

	out->t = arena_array(&p->c->ctx.scratch, TenonTensor,
			     prog->results.n + 1);
	out->n = 0;
	for (size_t i = 0; i < prog->results.n; i++) {
		Tensor t;
		if (!value_desc(prog, prog->results.p[i].value, dims, &t) ||
		    tensor_elements(&t) < 0)
			return api_usage(p->c,
					 "result %s: its extents are "
					 "unset, negative or overflow",
					 prog->results.p[i].name);
		t.data = tenon_alloc(tensor_bytes(&t));
		if (!t.data)
			return diag_fail(&p->c->ctx, ERR_NOMEM, NULL,
					 "out of memory: %zu bytes for result "
					 "%s",
					 tensor_bytes(&t),
					 prog->results.p[i].name);
		memset(t.data, STALE, tensor_bytes(&t));
		out->t[out->n++] = tensor_to_api(&t);
	}
	return true;
}

static TenonVerdict verdict_start(const char *family, const char *result)
{
	return (TenonVerdict){.family = family,
			      .result = result,
			      .fixture_sha256 = "",
			      .exact = TENON_NONE,
			      .interval = TENON_NONE,
			      .fixed = TENON_NONE,
			      .outcome = TENON_NONE};
}

static TenonOutcome both(TenonOutcome exact, TenonOutcome interval)
{
	if (exact == TENON_FAIL || interval == TENON_FAIL)
		return TENON_FAIL;
	if (exact == TENON_PASS || interval == TENON_PASS)
		return TENON_PASS;
	return interval;
}

static TenonVerdict verdict_from(const ResultVerdict *r, const char *family)
{
	TenonVerdict v = verdict_start(family, r->name);

	v.applies = true;
	v.exact = (TenonOutcome)r->exact;
	v.interval = (TenonOutcome)r->interval;
	v.fixed = (TenonOutcome)r->fixed;
	v.elements = r->elements;
	v.points = r->points;
	v.mismatches = r->mismatches;
	v.violations = r->violations;
	v.undecided = r->undecided;
	v.median_width = r->median_width;
	v.misses = r->misses;
	v.rtol = r->rtol;
	v.atol = r->atol;
	v.worst = r->worst;
	v.got = r->got;
	v.ref = r->ref;
	v.lo = r->lo;
	v.hi = r->hi;
	v.outcome = both(v.exact, v.interval);
	return v;
}

/* A fault must be the oracle's and the plan's, or neither's. */
static bool fault_verdict(const Verdict *v, const RunFault *f,
			  const char *family, TenonVerdict *out)
{
	if (!v->fault && !f->fault)
		return false;
	*out = verdict_start(family, "(fault)");
	out->applies = true;
	out->fault = v->fault && f->fault;
	out->exact = out->outcome = out->fault ? TENON_PASS : TENON_FAIL;
	return true;
}

/* ---- one fixture ----------------------------------------------------- */

typedef struct Check {
	TenonPlan *p;
	int64_t *dims;
	uint64_t seed;
	TenonVerdictFn *fn;
	void *arg;
	bool *conclusive; /* by result */
	bool failed;
} Check;

static void emit_verdict(Check *k, TenonVerdict *v, size_t result,
			 const Fixture *f)
{
	v->seed = k->seed;
	v->fixture_sha256 = f->sha256;
	k->failed |= v->outcome == TENON_FAIL;
	/* Zeros are right for many wrong plans, and a fault that both sides
	 * find leaves no result: neither is evidence by itself. */
	if (v->outcome == TENON_PASS && !v->fault && f->family != FAM_ZEROS)
		k->conclusive[result] = true;
	if (k->fn)
		k->fn(k->arg, v);
}

static bool judge_run(Check *k, const Fixture *f, const TenonTensor *inputs,
		      const Results *res, const RunFault *fault)
{
	TenonPlan *p = k->p;
	Ctx *ctx = &p->c->ctx;
	const Program *prog = p->program->p;
	Binding b = binding(p->program, k->dims);
	OracleOptions o = {.acc = p->plan->acc,
			   .cache = oracle_folder(p->c),
			   .sample = true};
	Feeds feeds = f->feeds, weights;
	Verdict v;
	TenonVerdict tv;

	if (!plan_weights(p, k->dims, &weights))
		return false;
	feeds.inputs = from_api(&ctx->scratch, inputs, prog->inputs.n);
	feeds.ninputs = prog->inputs.n;
	feeds.weights = weights.weights;
	feeds.nweights = weights.nweights;
	if (!oracle_judge(ctx, &ctx->scratch, prog, &b, &feeds,
			  from_api(&ctx->scratch, res->t, res->n), &o, &v))
		return false;
	if (fault_verdict(&v, fault, family_name[f->family], &tv)) {
		for (size_t i = 0; i < prog->results.n; i++)
			emit_verdict(k, &tv, i, f);
		return true;
	}
	for (size_t i = 0; i < v.nresults; i++) {
		tv = verdict_from(&v.results[i], family_name[f->family]);
		emit_verdict(k, &tv, i, f);
	}
	return true;
}

static bool check_fixture(Check *k, Fixture *f)
{
	TenonPlan *p = k->p;
	size_t n = p->program->p->inputs.n;
	TenonTensor *in = arena_array(&p->c->ctx.scratch, TenonTensor, n + 1);
	Results *res = arena_new(&p->c->ctx.scratch, Results);
	RunFault fault = {0};
	OomTrap trap;

	for (size_t i = 0; i < n; i++)
		in[i] = tensor_to_api(&f->feeds.inputs[i]);
	if (OOM_TRAP(&trap)) {
		results_release(res);
		oom_raise();
	}
	bool ok = results_make(p, k->dims, res) &&
		  plan_run(p, k->dims, in, res->t, &fault) &&
		  judge_run(k, f, in, res, &fault);
	oom_trap_pop(&trap);
	results_release(res);
	return ok;
}

static bool check_family(Check *k, Family family)
{
	TenonPlan *p = k->p;
	Binding b = binding(p->program, k->dims);
	Fixture *f = arena_new(&p->c->ctx.scratch, Fixture);
	Feeds weights = {0};
	OomTrap trap;

	if (!plan_weights(p, k->dims, &weights) ||
	    !fixture_make(&p->c->ctx, p->program->p, &b, family, k->seed,
			  &weights, f))
		return false;
	if (!f->applies) {
		TenonVerdict v = verdict_start(family_name[family], "");
		v.why_not = f->why_not;
		v.seed = k->seed;
		if (k->fn)
			k->fn(k->arg, &v);
		fixture_release(f);
		return true;
	}
	if (OOM_TRAP(&trap)) {
		fixture_release(f);
		oom_raise();
	}
	bool ok = check_fixture(k, f);
	oom_trap_pop(&trap);
	fixture_release(f);
	return ok;
}

static bool family_find(TenonContext *c, const char *name, size_t len,
			Family *out)
{
	Buf known;

	buf_init(&known, &c->ctx.scratch);
	for (int i = 0; i < FAM_COUNT; i++) {
		if (strlen(family_name[i]) == len &&
		    !strncmp(family_name[i], name, len)) {
			*out = (Family)i;
			return true;
		}
		buf_printf(&known, "%s%s",
			   i ? ", " : "families: ", family_name[i]);
	}
	return diag_fail(&c->ctx, ERR_USAGE, buf_str(&known),
			 "no fixture family named `%.*s`", (int)len, name);
}

static bool check_all(Check *k, const char *families)
{
	if (!families) {
		for (int i = 0; i < FAM_COUNT; i++)
			if (!check_family(k, (Family)i))
				return false;
		return true;
	}
	for (const char *s = families; *s;) {
		size_t len = strcspn(s, ",");
		Family f;
		if (!family_find(k->p->c, s, len, &f) || !check_family(k, f))
			return false;
		s += len + (s[len] == ',');
	}
	return true;
}

static TenonOutcome check_outcome(const Check *k)
{
	if (k->failed)
		return TENON_FAIL;
	for (size_t i = 0; i < k->p->program->p->results.n; i++)
		if (!k->conclusive[i])
			return TENON_INCONCLUSIVE;
	return TENON_PASS;
}

bool dims_set(TenonProgram *p)
{
	for (size_t i = 0; i < p->p->ex.dims.n; i++)
		if (p->dims[i] < 0)
			return diag_fail(&p->c->ctx, ERR_USAGE,
					 "give it with --dim NAME=SIZE or "
					 "--dims SET",
					 "dim %s has no size",
					 p->p->ex.dims.p[i].name);
	return true;
}

TenonError tenon_check(TenonPlan *p, const char *families, uint64_t seed,
		       TenonVerdictFn *fn, void *arg, TenonOutcome *out)
{
	API_ENTER(p->c);
	Arena *a = &p->c->ctx.scratch;
	arena_clear(a);
	Check k = {.p = p, .seed = seed, .fn = fn, .arg = arg};
	k.dims = p->program->dims;
	k.conclusive = arena_array(a, bool, p->program->p->results.n + 1);
	p->c->ctx.threads = context_threads(p->c);
	bool ok = dims_set(p->program) && check_all(&k, families);
	if (ok)
		*out = check_outcome(&k);
	context_trim(p->c);
	return API_LEAVE(p->c, ok);
}

TenonError tenon_judge(TenonPlan *p, const TenonTensor *inputs,
		       const TenonTensor *results, TenonVerdictFn *fn,
		       void *arg, TenonOutcome *out)
{
	API_ENTER(p->c);
	Arena *a = &p->c->ctx.scratch;
	arena_clear(a);
	size_t n = p->program->p->results.n;
	Check k = {.p = p, .fn = fn, .arg = arg};
	Fixture none = {.family = FAM_SEARCH};
	Results res = {.t = (TenonTensor *)results, .n = n};
	RunFault fault = {0};
	k.dims = arena_array(a, int64_t, p->program->p->ex.dims.n + 1);
	k.conclusive = arena_array(a, bool, n + 1);
	p->c->ctx.threads = context_threads(p->c);
	bool ok = on_host(p->c, inputs, p->program->p->inputs.n) &&
		  on_host(p->c, results, n) &&
		  bind_inputs(p->program, inputs, k.dims) &&
		  judge_run(&k, &none, inputs, &res, &fault);
	if (ok)
		*out = check_outcome(&k);
	context_trim(p->c);
	return API_LEAVE(p->c, ok);
}

/* Makes the fixture with weights that are read into w, by value id. */
static bool fixture_with(TenonProgram *p, Family family, uint64_t seed,
			 Tensor *w, Fixture *out)
{
	Binding b = binding(p, p->dims);
	VEC(Tensor) list = {0};

	if (!program_weights(p, p->dims, w))
		return false;
	for (uint32_t v = 0; v < p->p->values.n; v++)
		if (program_value(p->p, v)->op == OP_WEIGHT)
			VEC_PUSH(&p->c->ctx.scratch, list, w[v]);
	Feeds weights = {.weights = list.p, .nweights = list.n};
	return fixture_make(&p->c->ctx, p->p, &b, family, seed, &weights, out);
}

static void weights_release(Tensor *w, size_t n)
{
	for (size_t v = 0; v < n; v++)
		tenon_release(w[v].data, w[v].data ? tensor_bytes(&w[v]) : 0);
}

static bool fixture_for(TenonProgram *p, Family family, uint64_t seed,
			Fixture *out)
{
	size_t n = p->p->values.n;
	Tensor *w = arena_array(&p->c->ctx.scratch, Tensor, n + 1);
	OomTrap trap;

	if (OOM_TRAP(&trap)) {
		weights_release(w, n);
		oom_raise();
	}
	bool ok = fixture_with(p, family, seed, w, out);
	oom_trap_pop(&trap);
	weights_release(w, n);
	return ok;
}

TenonError tenon_fixture(TenonProgram *p, const char *family, uint64_t seed,
			 TenonTensor *inputs, bool *applies)
{
	Fixture f = {0};
	Family fam;

	*applies = false;
	API_ENTER(p->c);
	arena_clear(&p->c->ctx.scratch);
	p->c->ctx.threads = context_threads(p->c);
	bool ok = dims_set(p) &&
		  family_find(p->c, family, strlen(family), &fam) &&
		  fixture_for(p, fam, seed, &f);
	*applies = ok && f.applies;
	/* the inputs are the caller's from here */
	for (size_t i = 0; *applies && i < p->p->inputs.n; i++)
		inputs[i] = tensor_to_api(&f.feeds.inputs[i]);
	return API_LEAVE(p->c, ok);
}
