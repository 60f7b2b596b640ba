/*
 * space: spaces of made-up candidates and a host that makes up their times,
 * for tests of the policies.
 *
 * A region is a grid: `tile x=.. y=..`, the rule's choice first. What a
 * candidate takes, is predicted to take, and comes to, are functions of the
 * test's. The host answers as trial.h has it: what cannot be made is told
 * first, the incumbent is the fastest so far, a tie leaves it.
 */
#ifndef TENON_TEST_SPACE_H
#define TENON_TEST_SPACE_H

#include "search/search.h"

#include <math.h>

#include "tests/unit/ledger.h"

static const char *const tile_params[] = {"x", "y", NULL};
static const char *const line_params[] = {"x", NULL};
static const Realisation tile = {.name = "tile", .params = tile_params};
static const Realisation line = {.name = "line", .params = line_params};

typedef struct Fake Fake;
struct Fake {
	Ctx ctx;
	Arena arena;
	Space space;
	Program program; /* a value a region: its anchor */
	Search s;
	SearchHost host;
	const char *path; /* of the ledger; NULL: none */
	/* what the test says; NULL: nothing is refused, there is no model,
	 * all is right */
	double (*time)(const Fake *f, const Cand *c);
	const char *(*refuse)(int64_t x, int64_t y);
	double (*model)(const Fake *f, const Cand *c);
	TrialState (*outcome)(const Fake *f, const Point *p);
	bool (*held)(const Fake *f, const Point *p); /* fails its fixtures */
	/* the verdict, of VERDICTS, that is open; below 0: none is */
	int (*open)(const Fake *f, const Point *p);
	const char *(*code)(const Fake *f, const Point *p);
	double noise; /* relative, to either side */
	uint64_t noise_seed;
	int64_t bad;        /* for functions of the test */
	const char *tied;   /* 1 % faster than what it met, it seems */
	const char *fickle; /* a tie in the final, whatever it was */
	bool all_tie;       /* in the final */
	const char *falls;  /* crashes in the final */
	const char *lost;   /* wins, and does not run when it is opened again */
	size_t stop_after;  /* points tried; 0: never */
	size_t short_after; /* points, behind which the budget ends a batch */
	bool stop_now;      /* before the first */
	int64_t fails;      /* the batch that no process is made for; 0: none */
	double nap;         /* seconds a point */
	/* what was seen */
	VEC(const char *) keys;   /* of points as they were tried first */
	VEC(const char *) finals; /* of points tried again */
	VEC(const char *) judged; /* by held_out */
	int64_t batches;
	bool late; /* a point was tried after the finals */
};

#define VERDICTS 3

static int64_t param(const Cand *c, size_t i)
{
	return c->chosen.candidate.params[i].value;
}

/* A bowl, whose least is 10 at (5, 3). */
TEST_ONLY static double bowl(const Fake *f, const Cand *c)
{
	double x = (double)param(c, 0) - 5, y = (double)param(c, 1) - 3;

	(void)f;
	return 10 + x * x + 2 * y * y + 3 * c->variant;
}

TEST_ONLY static double no_model(const Fake *f, const Cand *c)
{
	(void)f;
	(void)c;
	return 0;
}

TEST_ONLY static void fake_init(Fake *f, const char *ledger)
{
	memset(f, 0, sizeof(*f));
	ctx_init(&f->ctx);
	arena_init(&f->arena);
	program_init(&f->program, &f->arena, "fake");
	f->space.arena = &f->arena;
	f->time = bowl;
	f->model = no_model;
	f->path = ledger ? test_path(ledger) : NULL;
	if (f->path)
		remove(f->path);
}

static void add_cand(Fake *f, CandRange *r, uint32_t region,
		     const Realisation *re, int64_t x, int64_t y)
{
	Cand c = {.variant = (uint32_t)f->space.variants.n - 1,
		  .region = region,
		  .chosen = {.realisation = re}};
	Candidate *k = &c.chosen.candidate;
	Buf text;

	k->params[k->nparams++] = (KParam){re->params[0], x};
	if (re->params[1])
		k->params[k->nparams++] = (KParam){re->params[1], y};
	buf_init(&text, &f->arena);
	chosen_print(&text, &c.chosen);
	c.text = buf_str(&text);
	c.refused = f->refuse && r->n > 0 ? f->refuse(x, y) : NULL;
	if (!c.refused)
		c.cost = (Cost){.compute = f->model(f, &c)};
	cost_total(&c.cost);
	VEC_PUSH(&f->arena, f->space.cands, c);
	r->n++;
	r->legal += !c.refused;
}

/* Fills a grid of nx by ny, the rule's choice (rx, ry) in front; ny 0: a
 * line. */
static void add_grid(Fake *f, Variant *v, uint32_t region, int64_t nx,
		     int64_t ny, int64_t rx, int64_t ry)
{
	CandRange *r = &v->of[region];
	const Realisation *re = ny ? &tile : &line;

	*r = (CandRange){.first = (uint32_t)f->space.cands.n};
	add_cand(f, r, region, re, rx, ry);
	for (int64_t x = 0; x < nx; x++)
		for (int64_t y = 0; y < (ny ? ny : 1); y++)
			if (x != rx || (ny && y != ry))
				add_cand(f, r, region, re, x, y);
	r->rule = r->model = r->first;
	for (uint32_t i = r->first; i < r->first + r->n; i++) {
		const Cand *c = &f->space.cands.p[i];
		const Cand *m = &f->space.cands.p[r->model];
		if (!c->refused && c->cost.us > 0 &&
		    (m->cost.us <= 0 || c->cost.us < m->cost.us))
			r->model = i;
	}
}

/* A variant of n regions, each a grid of nx by ny. */
TEST_ONLY static void add_variant(Fake *f, const char *how, size_t n,
				  int64_t nx, int64_t ny, int64_t rx,
				  int64_t ry)
{
	Regions *r = arena_new(&f->arena, Regions);
	Variant v = {.how = how, .program = &f->program, .regions = r};

	snprintf(v.key, sizeof(v.key), "%064zx", f->space.variants.n + 1);
	v.of = arena_array(&f->arena, CandRange, n + 1);
	VEC_PUSH(&f->arena, f->space.variants, v);
	Variant *to = &f->space.variants.p[f->space.variants.n - 1];
	for (uint32_t i = 0; i < n; i++) {
		Value anchor = {.op = OP_MATMUL, .loc = {.line = i + 1}};
		if (i >= f->program.values.n)
			VEC_PUSH(&f->arena, f->program.values, anchor);
		Region region = {.anchor = i};
		VEC_PUSH(&f->arena, r->regions, region);
		add_grid(f, to, i, nx, ny, rx, ry);
	}
	bool known = true;
	for (size_t i = 0; i < n; i++) {
		double us = f->space.cands.p[to->of[i].model].cost.us;
		known &= us > 0;
		to->cost += us;
	}
	if (!known)
		to->cost = 0;
}

/* ---- the host -------------------------------------------------------- */

static double time_of(const Fake *f, const Point *p)
{
	double sum = 0;

	for (size_t i = 0; i < space_regions(&f->space, p->variant); i++)
		sum += f->time(f, &f->space.cands.p[p->cand[i]]);
	return sum;
}

/* In -1 ... 1, another each time. */
static double jitter(Fake *f)
{
	f->noise_seed = f->noise_seed * 6364136223846793005u + 1;
	return (double)(f->noise_seed >> 40) / (1 << 23) - 1;
}

static bool had(const Fake *f, const char *key)
{
	for (size_t i = 0; i < f->keys.n; i++)
		if (!strcmp(f->keys.p[i], key))
			return true;
	return false;
}

static const char *key_of(const Fake *f, const Point *p)
{
	return space_key(f->space.arena, &f->space, p);
}

static void measure(Fake *f, double us, double other, const char *key,
		    TrialResult *r)
{
	double a = us * (1 + f->noise * jitter(f));
	double b = other * (1 + f->noise * jitter(f));
	double band = 2.5 * f->noise;

	r->rounds = 5;
	r->calls = 1;
	r->median_us = a;
	for (int i = 0; i < r->rounds; i++) {
		r->us[i] = a;
		r->other_us[i] = b;
	}
	if (other <= 0)
		return; /* FASTER, without a ratio */
	r->ratio = a / b;
	r->lo = r->ratio * (1 - band);
	r->hi = r->ratio * (1 + band);
	bool final = f->finals.n > 0;
	if ((f->tied && !strcmp(f->tied, key)) ||
	    (final && (f->all_tie || (f->fickle && !strcmp(f->fickle, key))))) {
		r->ratio = .99;
		r->lo = .9;
		r->hi = 1.1;
	}
	r->verdict = r->hi < 1   ? TRIAL_FASTER
		     : r->lo > 1 ? TRIAL_SLOWER
				 : TRIAL_TIE;
}

typedef void Told(void *to, size_t i, const TrialResult *r, const char *plan);

/* What was the best does not run any more. */
static int lose(Fake *f, const Point *p, TrialResult *out, int best, Told *fn,
		void *to)
{
	const char *key = best < 0 ? "" : key_of(f, &p[best]);

	if (!f->lost || strcmp(f->lost, key) != 0)
		return best;
	TrialResult *r = &out[best];
	r->state = TRIAL_CRASHED;
	snprintf(r->text, TRIAL_TEXT, "when it was to run again: SIGSEGV");
	fn(to, (size_t)best, r, "plan");
	return r->incumbent;
}

static void note(Fake *f, const Point *incumbent, const Point *p)
{
	const char *key = key_of(f, p);

	if (had(f, key)) {
		VEC_PUSH(&f->arena, f->finals, key);
		CHECK(incumbent && f->keys.n &&
		      !strcmp(key_of(f, incumbent), f->keys.p[0]));
		return;
	}
	f->late |= f->finals.n > 0;
	VEC_PUSH(&f->arena, f->keys, key);
}

static bool fake_try(void *arg, const Point *incumbent, const Point *p,
		     size_t n, TrialResult *out, Told *fn, void *to,
		     size_t *done)
{
	Fake *f = arg;
	int best = -1;

	*done = 0;
	f->batches++;
	if (f->fails == f->batches)
		return diag_fail(&f->ctx, ERR_ENV, NULL, "no process");
	for (size_t i = 0; i < n; i++) {
		TrialState s =
			f->outcome ? f->outcome(f, &p[i]) : TRIAL_MEASURED;
		out[i] = (TrialResult){.state = s, .incumbent = -1};
		if (s != TRIAL_FAILED)
			continue;
		note(f, incumbent, &p[i]);
		snprintf(out[i].text, TRIAL_TEXT, "cc: an error");
		fn(to, i, &out[i], NULL);
	}
	for (size_t i = 0; i < n; i++, ++*done) {
		TrialResult *r = &out[i];
		const Point *other = best < 0 ? incumbent : &p[best];
		if (r->state == TRIAL_FAILED)
			continue;
		size_t most = f->stop_after ? f->stop_after : f->short_after;
		if (most && f->keys.n >= most && !had(f, key_of(f, &p[i])))
			return true;
		best = lose(f, p, out, best, fn, to);
		other = best < 0 ? incumbent : &p[best];
		note(f, incumbent, &p[i]);
		r->incumbent = best;
		if (f->falls && f->finals.n > 0 &&
		    !strcmp(f->falls, key_of(f, &p[i])))
			r->state = TRIAL_CRASHED;
		if (r->state == TRIAL_MEASURED)
			measure(f, time_of(f, &p[i]),
				other ? time_of(f, other) : 0, key_of(f, &p[i]),
				r);
		else
			snprintf(r->text, TRIAL_TEXT, "it was number %d",
				 (int)r->state);
		if (r->state == TRIAL_MEASURED && r->verdict == TRIAL_FASTER)
			best = (int)i;
		double until = clock_seconds() + f->nap;
		while (f->nap > 0 && clock_seconds() < until)
			;
		fn(to, i, r, "plan");
	}
	return true;
}

static void fake_held_out(void *arg, const Point *p, HeldOut *out)
{
	Fake *f = arg;
	const char *key = key_of(f, p);
	bool *shown = arena_array(&f->arena, bool, VERDICTS);
	int open = f->open ? f->open(f, p) : -1;

	VEC_PUSH(&f->arena, f->judged, key);
	for (int i = 0; i < VERDICTS; i++)
		shown[i] = i != open;
	*out = (HeldOut){.shown = shown, .n = VERDICTS};
	if (!f->held || !f->held(f, p))
		return;
	out->state = TRIAL_WRONG;
	snprintf(out->text, TRIAL_TEXT, "fixture specials: element 3 of %s",
		 key);
}

static const char *fake_verdict(void *arg, size_t i)
{
	(void)arg;
	return i == 0   ? "fixture exact: result y"
	       : i == 1 ? "fixture narrow: result y"
			: "fixture narrow: result z";
}

static const char *fake_code(void *arg, const Point *p)
{
	const Fake *f = arg;

	return f->code(f, p);
}

static Fake *stopping;
static bool fake_stop(void)
{
	return stopping->stop_now || stopping->keys.n >= stopping->stop_after;
}

/* Runs a policy with a new ledger's rows; whether it ended well. */
TEST_ONLY static bool fake_run(Fake *f, const char *policy, SearchOptions o)
{
	Search *s = &f->s;

	f->host = (SearchHost){.arg = f,
			       .try = fake_try,
			       .held_out = fake_held_out,
			       .verdict = fake_verdict,
			       .code = f->code ? fake_code : NULL};
	if (f->stop_after || f->stop_now) {
		stopping = f;
		f->host.stop = fake_stop;
	}
	*s = (Search){.ctx = &f->ctx,
		      .arena = &f->arena,
		      .space = &f->space,
		      .host = &f->host,
		      .o = o,
		      .info = {.name = "fake",
			       .policy = policy,
			       .seed = o.seed,
			       .seconds = o.seconds,
			       .candidates = o.candidates,
			       .state = "complete"}};
	if (f->path) {
		s->ledger = ledger_at(&f->ctx, f->path);
		if (!s->ledger || !CHECK(ledger_begin(s->ledger, &s->info)))
			return false;
	}
	return search_run(s);
}

TEST_ONLY static void fake_close(Fake *f)
{
	if (f->s.ledger)
		ledger_close(f->s.ledger);
	arena_release(&f->arena);
	ctx_release(&f->ctx);
}

/* ---- what is asked of it --------------------------------------------- */

/* `tile x=5 y=3; tile x=0 y=0`: of the chosen point. */
TEST_ONLY static const char *chosen_text(const Fake *f)
{
	Buf b;
	const Point *p = &f->s.chosen;

	buf_init(&b, f->space.arena);
	for (size_t i = 0; p->cand && i < space_regions(&f->space, p->variant);
	     i++)
		buf_printf(&b, i ? "; %s" : "%s",
			   f->space.cands.p[p->cand[i]].text);
	return buf_str(&b);
}

TEST_ONLY static size_t legal(const Fake *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->space.cands.n; i++)
		n += !f->space.cands.p[i].refused;
	return n;
}

/* Rows of this search under a condition. */
TEST_ONLY static int64_t rows(const Fake *f, const char *where)
{
	char sql[400];

	snprintf(sql, sizeof(sql),
		 "SELECT count(*) FROM candidate c WHERE search = %lld AND %s",
		 (long long)f->s.info.id, where);
	return ask(f->path, sql);
}

#define SAMPLES "(SELECT count(*) FROM sample s WHERE s.candidate = c.id) "

/* Every candidate has one state, here and in the ledger. */
TEST_ONLY static void adds_up(const Fake *f)
{
	int64_t sum = 0;
	char where[80];

	for (int i = 0; i < CAND_STATES; i++) {
		sum += f->s.counts[i];
		snprintf(where, sizeof(where), "state = '%s'",
			 cand_state_name[i]);
		int64_t n = rows(f, where);
		if (!CHECK(n == f->s.counts[i]))
			printf("%s: %lld counted, %lld in the ledger\n",
			       cand_state_name[i], (long long)f->s.counts[i],
			       (long long)n);
	}
	CHECK(sum == f->s.considered);
	CHECK(rows(f, "1") == sum);
	CHECK((size_t)sum >= f->space.cands.n + f->space.refused.n);
	CHECK(rows(f,
		   "state IN ('refused', 'failed', 'wrong', 'crashed', "
		   "'timed-out', 'no-memory') AND ifnull(reason, '') = ''") ==
	      0);
	CHECK(rows(f, "state IN ('measured', 'tie') AND measured_us > 0 "
		      "AND (" SAMPLES "> 0) = (reason IS NULL)") ==
	      f->s.counts[CAND_MEASURED] + f->s.counts[CAND_TIE]);
	CHECK(rows(f, "state IN ('measured', 'tie') AND reason IS NOT NULL "
		      "AND reason NOT LIKE 'same code as candidate %'") == 0);
	CHECK(rows(f, "state = 'left' AND (measured_us > 0 OR " SAMPLES
		      "> 0)") == 0);
}

/* The second variant is the faster one. */
TEST_ONLY static double second_is_better(const Fake *f, const Cand *c)
{
	return bowl(f, c) - (c->variant == 1 ? 5 : 0);
}

/* ---- what holds after every search ----------------------------------- */

TEST_ONLY static const char *const measuring[] = {"beam:2", "beam", "evolve:8",
						  "all"};

TEST_ONLY static bool run_ok(Fake *f, const char *policy, SearchOptions o)
{
	bool ok = fake_run(f, policy, o);

	if (!CHECK(ok))
		printf("%s: %s", policy, buf_str(&f->ctx.messages));
	return ok;
}

TEST_ONLY static double rule_time(const Fake *f)
{
	Point p = space_rule(&f->space, 0);

	return time_of(f, &p);
}

TEST_ONLY static const char *rule_key(const Fake *f)
{
	Point p = space_rule(&f->space, 0);

	return key_of(f, &p);
}

TEST_ONLY static bool was_judged(const Fake *f, const char *key)
{
	for (size_t i = 0; i < f->judged.n; i++)
		if (!strcmp(f->judged.p[i], key))
			return true;
	return false;
}

/* What holds after every search that measures and ends well. */
TEST_ONLY static void usual(const Fake *f)
{
	const Search *s = &f->s;
	double rule = rule_time(f);

	CHECK(f->code || (f->keys.n == s->tried.n && f->keys.n > 0));
	CHECK_STR(f->keys.p[0], rule_key(f));
	CHECK(!f->late);
	CHECK(time_of(f, &s->chosen) <= rule * (1 + 2 * f->noise));
	/* the winner has met the rule's choice, and has passed its fixtures */
	const char *chosen = key_of(f, &s->chosen);
	CHECK(was_judged(f, chosen));
	if (strcmp(chosen, f->keys.p[0]) != 0) {
		CHECK_STR(f->finals.n ? f->finals.p[f->finals.n - 1] : "",
			  chosen);
		CHECK(s->gain > 0 && s->gain_hi < 1 && s->gain_lo <= s->gain);
	} else {
		CHECK(s->gain == 0);
	}
	for (size_t i = 0; i < s->tried.n && f->noise == 0; i++) {
		const Tried *t = &s->tried.p[i];
		double score = time_of(f, &t->point) / rule;
		if (!f->code)
			CHECK_STR(key_of(f, &t->point),
				  f->keys.p[search_seen(s, &t->point)]);
		if (t->score > 0 && !f->tied &&
		    !CHECK(fabs(t->score - score) < 1e-9))
			printf("%s: %g of the rule's time, and not %g\n",
			       key_of(f, &t->point), score, t->score);
	}
}

#endif
