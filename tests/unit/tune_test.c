/*
 * tenon_tune() with the real host: candidates are compiled, run in children,
 * judged and timed; what is found is kept, found again, saved, edited.
 * No result here depends on which candidate is the fastest.
 */
#include "driver/tune.h"

#include "tests/unit/tuned.h"

#include <sys/stat.h>

static const char small[] = "def small(x: f32[M, 8]):\n"
			    "    return x * x + x\n";

/* The same further down. */
static const char small_below[] = "# elsewhere\n\n"
				  "def  small( x: f32[M, 8] ):\n"
				  "    return (x * x) + x\n";

/* ---- searches -------------------------------------------------------- */

static void nothing_left(Tuned *t, int64_t first, const char *want)
{
	if (!tune(t))
		return;
	CHECK(t->r.found && t->r.search == first && t->r.tried == 0);
	CHECK(t->r.done && strlen(t->r.done) > 10);
	CHECK_STR(t->r.policy, t->o.policy);
	CHECK_STR(t->r.state, "complete");
	CHECK_STR(identity(t->k.plan), want);
}

/* As many candidates as begin a search, 4, and some that go on from there. */
#define SEARCHED 6

static void searched(const char *path, const char *dims, bool few)
{
	char want[80];
	Tuned t;

	if (!begin(&t, path, NULL, "searched.sqlite"))
		return;
	/* few values of each, and tiles that compile fast */
	static const char *const pins[] = {"contract.ahead=1", "contract.nr=16",
					   "contract.kc=16", "contract.mr=2"};
	t.plan.pins = pins;
	t.plan.npins = few ? ARRAY_LEN(pins) : 0;
	t.o.policy = "beam:1";
	t.o.candidates = SEARCHED;
	if (works(&t.k, tenon_set_dims(t.k.p, dims), dims) && tune(&t)) {
		CHECK(!t.r.found && t.r.tried == SEARCHED);
		CHECK_STR(t.r.state, "complete");
		CHECK(t.r.variants > 1);
		CHECK(t.r.counts[TENON_CAND_CHOSEN] > 0);
		CHECK(t.r.counts[TENON_CAND_LEFT] > 0);
		CHECK(t.r.counts[TENON_CAND_WRONG] == 0);
		CHECK(t.r.ratio >= 0 && t.r.ratio < 1 && t.r.hi < 1);
		adds_up(&t);
		passes(&t, t.k.plan);
		snprintf(want, sizeof(want), "%s", identity(t.k.plan));
		nothing_left(&t, t.r.search, want);
		passes(&t, t.k.plan);
	}
	case_close(&t.k);
}

static void weight_view(void)
{
	searched("examples/weight_view.tn", "inspect", false);
}

static void gated_projections(void)
{
	searched("examples/gated_projections.tn", "inspect", true);
}

/* The least predicted us of these candidates. */
static double least(const Tuned *t, const char *where)
{
	char sql[400];

	snprintf(sql, sizeof(sql),
		 "SELECT CAST(1e6 * min(predicted_us) AS INTEGER) FROM "
		 "candidate c JOIN variant v ON v.id = c.variant WHERE search "
		 "= %lld AND state <> 'refused' AND predicted_us > 0 AND %s",
		 (long long)t->r.search, where);
	return (double)ask(t->o.ledger, sql) / 1e6;
}

/* Of what the ledger says of each candidate, nothing is predicted to be
 * faster than the model's choice. */
static void the_models_choice(void)
{
	Tuned t;

	if (!begin(&t, "rows.tn",
		   "def rows(x: f32[M, 256]):\n"
		   "    return x / sum(x, axis=-1, keepdims=True)\n",
		   "model.sqlite"))
		return;
	t.o.policy = "model";
	if (tune(&t)) {
		double best = least(&t, "v.how = '' AND region = 0");
		adds_up(&t);
		CHECK(t.r.tried == 0 && t.r.ratio == 0);
		CHECK(best > 0 && t.r.predicted_us <= best + 1e-5);
		CHECK(t.r.predicted_us <= t.r.rule_predicted_us);
		if (!*t.r.how) {
			CHECK(t.r.predicted_us >= best - 1e-5);
			CHECK(least(&t, "state = 'chosen'") <= best + 1e-5);
		}
	}
	case_close(&t.k);
}

/* What is pinned has that value in every candidate. */
static void pinned_everywhere(const Tuned *t)
{
	char sql[160];

	snprintf(sql, sizeof(sql),
		 "SELECT count(*) FROM candidate WHERE search = %lld AND "
		 "chosen LIKE 'loop %%' AND chosen NOT LIKE '%% lanes=4 %%'",
		 (long long)t->r.search);
	CHECK(ask(t->o.ledger, sql) == 0);
	CHECK(t->r.found || t->r.counts[TENON_CAND_CHOSEN] == 1);
}

/* What the key is of: any change of it is another search. */
static void anew(void)
{
	static const char *const pins[] = {"loop.lanes=4"};
	Tuned t;
	int64_t n = 0;

	if (!begin(&t, "small.tn", small, "anew.sqlite"))
		return;
	t.o.policy = "rule";
#define NEW(found_)                                                            \
	do {                                                                   \
		if (tune(&t)) {                                                \
			CHECK(t.r.found == (found_));                          \
			n += !t.r.found;                                       \
			CHECK(ask(t.o.ledger,                                  \
				  "SELECT count(*) FROM search") == n);        \
		}                                                              \
	} while (0)
	NEW(false);
	adds_up(&t);
	NEW(true);
	tenon_set_threads(t.k.c, 1);
	NEW(false);
	NEW(true);
	tenon_set_threads(t.k.c, 2);
	NEW(true);
	works(&t.k, tenon_set_dim(t.k.p, "M", 65), "M");
	NEW(false);
	works(&t.k, tenon_set_dim(t.k.p, "M", 64), "M");
	NEW(true);
	t.o.policy = "model";
	NEW(false);
	NEW(true);
	t.o.seed = 2;
	NEW(false);
	t.o.seed = 1;
	t.o.again = true;
	NEW(false);
	t.o.again = false;
	NEW(true);
	t.plan.pins = pins;
	t.plan.npins = 1;
	NEW(false);
	NEW(true);
	pinned_everywhere(&t);
	t.plan.npins = 0;
	/* what has no part in it: where the program is written, the budget of
	 * what measures nothing, another name of the policy */
	t.o.policy = "rule";
	NEW(true);
	t.o.seconds = 7;
	t.o.candidates = 7;
	NEW(true);
	t.o.seconds = 0;
	t.o.candidates = 1;
	t.o.policy = "beam";
	NEW(false);
	CHECK_STR(t.r.policy, "beam:4");
	t.o.policy = "beam:4";
	NEW(true);
	t.o.candidates = 2;
	NEW(false);
	case_close(&t.k);
	if (!begin(&t, "folder/other.tn", small_below, "anew.sqlite"))
		return;
	t.o.policy = "rule";
	NEW(true);
	case_close(&t.k);
	/* another constant is another program */
	if (!begin(&t, "small.tn",
		   "def small(x: f32[M, 8]):\n    return x * x + 2\n",
		   "anew.sqlite"))
		return;
	t.o.policy = "rule";
	if (tune(&t))
		CHECK(!t.r.found);
	case_close(&t.k);
#undef NEW
}

static int lines;
static void count_lines(void *arg, const char *line)
{
	(void)arg;
	CHECK(strstr(line, "tried"));
	lines++;
}

static bool after_three(void)
{
	return lines >= 3;
}

static bool at_once(void)
{
	return true;
}

/* A search that the user ends has a plan, and is not taken for done. */
static void stopped(void)
{
	Tuned t;

	if (!begin(&t, "small.tn", small, "stopped.sqlite"))
		return;
	lines = 0;
	t.o.policy = "beam:2";
	t.o.candidates = 5; /* one batch of four behind the rule's choice */
	t.o.stop = after_three;
	t.o.progress = count_lines;
	if (tune(&t)) {
		CHECK_STR(t.r.state, "stopped");
		CHECK(t.r.tried >= 3 && t.r.tried < 5);
		adds_up(&t);
		passes(&t, t.k.plan);
	}
	t.o.stop = at_once;
	if (tune(&t)) {
		CHECK(!t.r.found);
		CHECK_STR(t.r.state, "stopped");
		adds_up(&t);
		passes(&t, t.k.plan);
	}
	case_close(&t.k);
}

static void all_is_exhausted(void)
{
	Tuned t;

	if (!begin(&t, "small.tn", small, "all.sqlite"))
		return;
	t.o.policy = "all";
	t.o.candidates = 2;
	if (tune(&t)) {
		CHECK_STR(t.r.state, "exhausted");
		CHECK(t.r.tried == 2);
		adds_up(&t);
		if (tune(&t)) {
			CHECK(t.r.found);
			CHECK_STR(t.r.state, "exhausted");
		}
	}
	case_close(&t.k);
}

/* ---- bad input ------------------------------------------------------- */

static void bad_options(void)
{
	Tuned t;

	if (!begin(&t, "examples/weight_view.tn", NULL, "bad.sqlite"))
		return;
	t.o.policy = "best";
	refused(&t.k, tenon_tune(t.k.c, t.k.p, &t.o, &t.r, &t.k.plan),
		TENON_EUSAGE, "--policy best: there is no such policy");
	CHECK(!t.k.plan);
	t.o.policy = "rule";
	static const char *const names[] = {"nosuch", "all,nosuch",
					    "nosuch,all", ","};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		t.o.without = names[i];
		refused(&t.k, tenon_tune(t.k.c, t.k.p, &t.o, &t.r, &t.k.plan),
			TENON_EUSAGE, "no rule of alternatives is named");
		CHECK(strstr(tenon_message(t.k.c), "hint: rules: cse "));
	}
	t.o.without = NULL;
	t.plan.target = "gpu";
	TenonError e = tenon_tune(t.k.c, t.k.p, &t.o, &t.r, &t.k.plan);
	CHECK(e != TENON_OK && !t.k.plan && *tenon_message(t.k.c));
	t.plan.target = NULL;
	static const char *const pins[] = {"contract.mr=999"};
	t.plan.pins = pins;
	t.plan.npins = 1;
	refused(&t.k, tenon_tune(t.k.c, t.k.p, &t.o, &t.r, &t.k.plan),
		TENON_EUSAGE, "contract.mr=999");
	CHECK(!t.k.plan);
	case_close(&t.k);
}

static bool discard(void *arg, const char *s, size_t n)
{
	(void)arg;
	(void)s;
	(void)n;
	return true;
}

static void truncated(void)
{
	Tuned t;
	struct stat st;
	TenonLedgerQuery q = {0};

	if (!begin(&t, "small.tn", small, "cut.sqlite"))
		return;
	t.o.policy = "rule";
	if (tune(&t) && CHECK(stat(t.o.ledger, &st) == 0) &&
	    CHECK(truncate(t.o.ledger, st.st_size / 2) == 0)) {
		tenon_plan_free(t.k.plan);
		t.k.plan = NULL;
		refused(&t.k, tenon_tune(t.k.c, t.k.p, &t.o, &t.r, &t.k.plan),
			TENON_EENV, "is damaged or cut short");
		CHECK(!t.k.plan);
		q.ledger = t.o.ledger;
		refused(&t.k, tenon_ledger(t.k.c, &q, discard, NULL),
			TENON_EENV, "is damaged or cut short");
	}
	case_close(&t.k);
}

/* ---- plans by hand --------------------------------------------------- */

static char *text_of(const char *path, size_t *n)
{
	static char text[1 << 20];
	FILE *f = fopen(path, "rb");

	if (!CHECK(f != NULL))
		return NULL;
	*n = fread(text, 1, sizeof(text) - 1, f);
	text[*n] = '\0';
	fclose(f);
	return text;
}

/* The file with what begins with `at` in its choices, up to one of `end`,
 * replaced; at "": what stands behind `pins`. */
static const char *edited(const char *path, const char *at, const char *end,
			  const char *by)
{
	size_t n;
	const char *out = test_path("edited.json");
	char *s = text_of(path, &n);
	char *from = s ? strstr(s, "\"choices\"") : NULL;
	FILE *f = fopen(out, "wb");

	if (!CHECK(f != NULL))
		return out;
	from = from ? strstr(from, at) : NULL;
	if (CHECK(from != NULL)) {
		const char *to =
			from + strlen(at) + strcspn(from + strlen(at), end);
		fwrite(s, 1, (size_t)(from - s), f);
		fputs(by, f);
		fputs(to, f);
	}
	fclose(f);
	return out;
}

/* The edited plan is refused; and, `why` NULL, adopted, else refused too. */
static void by_hand(Tuned *t, const char *path, const char *at, const char *end,
		    const char *by, const char *why)
{
	const char *file = edited(path, at, end, by);
	TenonProgram *p = NULL;
	TenonPlan *plan = NULL;

	refused(&t->k, tenon_plan_load(t->k.c, file, &p, &plan), TENON_EPROGRAM,
		"part `choices` was changed");
	CHECK(!p && !plan);
	TenonError e = tenon_plan_adopt(t->k.c, file, &p, &plan);
	if (why) {
		if (!CHECK(e != TENON_OK && !p && !plan) ||
		    !CHECK(strstr(tenon_message(t->k.c), why)))
			printf("%s: %s", by, tenon_message(t->k.c));
		tenon_plan_free(plan);
		tenon_program_free(p);
		return;
	}
	if (!works(&t->k, e, by))
		return;
	works(&t->k, tenon_set_dims(p, "inspect"), "inspect");
	passes(t, plan);
	CHECK(strcmp(identity(plan), identity(t->k.plan)) != 0);
	/* it is a plan as any other now */
	const char *kept = test_path("adopted.json");
	TenonProgram *q = NULL;
	TenonPlan *again = NULL;
	if (works(&t->k, tenon_plan_save(plan, kept), "save") &&
	    works(&t->k, tenon_plan_load(t->k.c, kept, &q, &again), "load"))
		CHECK_STR(identity(again), identity(plan));
	tenon_plan_free(again);
	tenon_program_free(q);
	tenon_plan_free(plan);
	tenon_program_free(p);
}

/* `join.%7=no` of the product. */
static const char *pin_of_product(const Case *k)
{
	static char text[80];
	const Program *p = k->p->p;

	for (size_t v = 0; v < p->values.n; v++)
		if (p->values.p[v].op == OP_MATMUL)
			snprintf(text, sizeof(text),
				 "\"pins\": [\"join.%%%zu=no\"", v);
	return text;
}

static void plans_by_hand(void)
{
	char file[300];
	Tuned t;
	TenonPlan *again = NULL;
	TenonProgram *p = NULL;

	if (!begin(&t, "examples/weight_view.tn", NULL, "hand.sqlite"))
		return;
	t.o.policy = "rule";
	snprintf(file, sizeof(file), "%s", test_path("kept.json"));
	works(&t.k, tenon_set_dims(t.k.p, "inspect"), "inspect");
	if (!tune(&t) || !works(&t.k, tenon_plan_save(t.k.plan, file), "save"))
		return;
	/* as it is */
	if (works(&t.k, tenon_plan_load(t.k.c, file, &p, &again), "load"))
		CHECK_STR(identity(again), identity(t.k.plan));
	tenon_plan_free(again);
	tenon_program_free(p);
	if (works(&t.k, tenon_plan_load_for(t.k.p, file, &again), "for")) {
		CHECK_STR(identity(again), identity(t.k.plan));
		passes(&t, again);
	}
	tenon_plan_free(again);
	/* legal */
	by_hand(&t, file, " mr=", " \"", " mr=2", NULL);
	by_hand(&t, file, " mb=", " \"", " mb=3", NULL);
	/* not legal, or no choice at all */
	by_hand(&t, file, " mr=", " \"", " mr=999", "vector registers");
	by_hand(&t, file, " mr=", " \"", " mr=0", "contract");
	by_hand(&t, file, " mr=", " \"", " mr=-1", "contract");
	by_hand(&t, file, " mr=", " \"", " mr=two", "no realisation");
	by_hand(&t, file, " mr=", " \"", " mr=99999999999999999999", "refused");
	by_hand(&t, file, " mr=", " \"", " colour=4", "no realisation");
	by_hand(&t, file, "\"contract", "\"", "\"", "no realisation");
	by_hand(&t, file, "\"contract", "\"", "\"rowreduce", "rowreduce");
	by_hand(&t, file, "\"contract", "\"", "\"library product=0", "");
	by_hand(&t, file, "\"pins\": [", "]", "\"pins\": [\"join.nosuch=no\"",
		"nosuch");
	by_hand(&t, file, "\"pins\": [", "]", "\"pins\": [\"join.x\"",
		"join.x");
	by_hand(&t, file, "\"pins\": [", "]", "\"pins\": [7", "pin");
	by_hand(&t, file, "\"contract", "\"", "\"contract\", \"loop", "kernel");
	/* one kernel more by a pin: its choices are missing */
	by_hand(&t, file, "\"pins\": [", "]", pin_of_product(&t.k), "kernel");
	case_close(&t.k);
}

/* Nothing is edited but a blank: it is the same plan. */
static void adopted_as_it_is(const char *path, const char *text,
			     const char *target, const char *const *with,
			     size_t n)
{
	char file[300];
	Tuned t;
	TenonProgram *p = NULL;
	TenonPlan *plan = NULL;

	if (!begin(&t, path, text, "asis.sqlite"))
		return;
	t.o.policy = "rule";
	t.plan.target = target;
	t.plan.pins = with;
	t.plan.npins = n;
	snprintf(file, sizeof(file), "%s", test_path("kept.json"));
	works(&t.k, tenon_set_dims(t.k.p, "inspect"), "inspect");
	if (tune(&t) && works(&t.k, tenon_plan_save(t.k.plan, file), "save")) {
		const char *out = edited(file, "\"pins\":", " ", "\"pins\": ");
		works(&t.k, tenon_plan_adopt(t.k.c, out, &p, &plan), "adopt");
		if (plan && !CHECK(!strcmp(identity(plan), identity(t.k.plan))))
			printf("%s, %s, %zu pins\n", path,
			       target ? target : "cpu", n);
	}
	tenon_plan_free(plan);
	tenon_program_free(p);
	case_close(&t.k);
}

static void adopted_unedited(void)
{
	static const char *const pins[] = {"contract.unit=fma",
					   "contract.hold=0"};
	char named[80];

	snprintf(named, sizeof(named), "cpu:%s", isa_host()->name);
	/* its kernel has the sizes of caches in it */
	static const char rows[] =
		"def rows(x: f32[M, K]):\n"
		"    return x / sum(x, axis=-1, keepdims=True)\n"
		"dims inspect: M = 8, K = 8\n";
	adopted_as_it_is("rows.tn", rows, NULL, NULL, 0);
	adopted_as_it_is("rows.tn", rows, named, NULL, 0);
	adopted_as_it_is("examples/affine.tn", NULL, NULL, pins,
			 ARRAY_LEN(pins));
}

/* What shapes the partition is in `choices`. */
static void pins_are_kept(void)
{
	static const char *const pins[] = {"contract.mr=2", "contract.unit=fma",
					   "contract.join=0"};
	char file[300];
	size_t n;
	Tuned t;

	if (!begin(&t, "examples/weight_view.tn", NULL, "pins.sqlite"))
		return;
	t.o.policy = "rule";
	t.plan.pins = pins;
	t.plan.npins = ARRAY_LEN(pins);
	snprintf(file, sizeof(file), "%s", test_path("kept.json"));
	works(&t.k, tenon_set_dims(t.k.p, "inspect"), "inspect");
	if (tune(&t) && works(&t.k, tenon_plan_save(t.k.plan, file), "save")) {
		char *s = text_of(file, &n);
		char *at = s ? strstr(s, "\"pins\": [") : NULL;
		char *end = at ? strchr(at, ']') : NULL;
		if (CHECK(end != NULL)) {
			*end = '\0';
			CHECK(strstr(at, "\"contract.unit=fma\""));
			CHECK(strstr(at, "\"contract.join=0\""));
			CHECK(!strstr(at, "contract.mr"));
		}
		by_hand(&t, file, " unit=", " \"", " unit=1",
			"kernel 0: a pin fixes unit=0, and 1 is chosen");
	}
	case_close(&t.k);
}

/* Both kernels of a join that is undone. */
static void join_undone(void)
{
	char file[300];
	char by[400];
	Tuned t;

	if (!begin(&t, "examples/weight_view.tn", NULL, "join.sqlite"))
		return;
	t.o.policy = "rule";
	snprintf(file, sizeof(file), "%s", test_path("kept.json"));
	works(&t.k, tenon_set_dims(t.k.p, "inspect"), "inspect");
	if (!tune(&t) || !works(&t.k, tenon_plan_save(t.k.plan, file), "save"))
		return;
	snprintf(by, sizeof(by),
		 "%s], \"kernels\": [\"contract\", \"loop\"]}, \"was\": {\"x\"",
		 pin_of_product(&t.k));
	const char *cut = edited(file, "\"pins\": [", "}", by);
	size_t n;
	char *s = text_of(cut, &n);
	char *was = s ? strstr(s, ", \"was\": {\"x\"") : NULL;
	TenonProgram *p = NULL;
	TenonPlan *plan = NULL;
	if (CHECK(was != NULL)) {
		memmove(was, was + strlen(", \"was\": {\"x\"}"),
			strlen(was + strlen(", \"was\": {\"x\"}")) + 1);
		FILE *f = fopen(cut, "wb");
		fputs(s, f);
		fclose(f);
	}
	if (works(&t.k, tenon_plan_adopt(t.k.c, cut, &p, &plan), "adopt")) {
		TenonPlanInfo info;
		tenon_plan_info(plan, &info);
		CHECK(info.kernels == 2);
		CHECK(strcmp(info.identity, identity(t.k.plan)) != 0);
		works(&t.k, tenon_set_dims(p, "inspect"), "inspect");
		passes(&t, plan);
	}
	tenon_plan_free(plan);
	tenon_program_free(p);
	case_close(&t.k);
}

static void another_program(void)
{
	char file[300];
	TenonPlan *plan = NULL;
	Tuned t, u;

	if (!begin(&t, "small.tn", small, "other.sqlite"))
		return;
	t.o.policy = "rule";
	snprintf(file, sizeof(file), "%s", test_path("kept.json"));
	if (tune(&t))
		works(&t.k, tenon_plan_save(t.k.plan, file), "save");
	case_close(&t.k);
	if (!begin(&u, "small.tn",
		   "def small(x: f32[M, 8]):\n    return x * x - x\n",
		   "other.sqlite"))
		return;
	refused(&u.k, tenon_plan_load_for(u.k.p, file, &plan), TENON_EPROGRAM,
		"it is for another program: `");
	CHECK(!plan && strstr(tenon_message(u.k.c), "sub"));
	case_close(&u.k);
	/* the same one in another file is the same */
	if (!begin(&u, "elsewhere.tn", small, "other.sqlite"))
		return;
	works(&u.k, tenon_plan_load_for(u.k.p, file, &plan), "elsewhere");
	tenon_plan_free(plan);
	case_close(&u.k);
}

/* ---- verdicts --------------------------------------------------------- */

typedef struct Seen {
	HeldOut h;
	size_t nout, at, passed, applies;
	Tune *t;
} Seen;

/* Each verdict is where the search looks for it. */
static void see(void *arg, const TenonVerdict *v)
{
	Seen *x = arg;
	char name[200];

	if (!v->applies)
		return;
	snprintf(name, sizeof(name), "fixture %s: result %s", v->family,
		 v->result);
	while (x->at < x->h.n &&
	       strcmp(tryout_host.verdict(x->t, x->at), name) != 0)
		CHECK(!x->h.shown[x->at++]); /* of what does not apply */
	if (!CHECK(x->at < x->h.n))
		return;
	CHECK(x->h.shown[x->at++] == (v->outcome == TENON_PASS));
	x->passed += v->outcome == TENON_PASS;
	x->applies++;
}

static void verdicts(void)
{
	Tuned u;

	if (!begin(&u, "two.tn",
		   "def two(x: f32[M, 7]):\n"
		   "    return x + 1, sum(exp(x), axis=-1)\n",
		   "verdicts.sqlite"))
		return;
	Tune t = {.c = u.k.c, .program = u.k.p, .o = &u.o};
	arena_init(&t.arena);
	if (CHECK(target_find(t.c, &t.arena, NULL, true, &t.target, &t.isa)) &&
	    CHECK(variants_make(&t)) && CHECK(tryout_open(&t))) {
		Point rule = space_rule(&t.space, 0);
		Seen x = {.t = &t, .nout = 2};
		tryout_host.held_out(&t, &rule, &x.h);
		CHECK(x.h.state == TRIAL_MEASURED);
		CHECK(x.h.n == 2 * FAM_COUNT);
		if (case_compile(&u.k)) {
			TenonOutcome outcome;
			works(&u.k,
			      tenon_check(u.k.plan, NULL, 1, see, &x, &outcome),
			      "check");
			while (x.at < x.h.n)
				CHECK(!x.h.shown[x.at++]);
		}
		CHECK(x.passed > 0 && x.applies > FAM_COUNT);
	}
	tryout_close(&t);
	while (t.plans.n > 0)
		variants_free(&t, t.plans.p[0]);
	arena_release(&t.arena);
	case_close(&u.k);
}

static void over(void)
{
	test_folder_remove();
}

TEST_MAIN(TEST(weight_view), TEST(gated_projections), TEST(the_models_choice),
	  TEST(anew), TEST(stopped), TEST(all_is_exhausted), TEST(bad_options),
	  TEST(truncated), TEST(plans_by_hand), TEST(join_undone),
	  TEST(adopted_unedited), TEST(pins_are_kept), TEST(verdicts),
	  TEST(another_program), TEST(over))
