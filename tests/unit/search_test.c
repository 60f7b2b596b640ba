/*
 * Policies over spaces of made-up candidates: the optimum is known. What they
 * choose, in which order they try, and what ends them.
 */
#include "tests/unit/space.h"

/* ---- names ----------------------------------------------------------- */

static void names(void)
{
	static const struct {
		const char *name;
		bool good, measures;
	} cases[] = {
		{"rule", true, false},
		{"model", true, false},
		{"beam", true, true},
		{"beam:1", true, true},
		{"beam:1000", true, true},
		{"evolve", true, true},
		{"evolve:16", true, true},
		{"all", true, true},
		{"", false, false},
		{"beam:0", false, false},
		{"beam:1001", false, false},
		{"beam:-1", false, false},
		{"beam:", false, false},
		{"beam:x", false, false},
		{"beam:4x", false, false},
		{"beam: 4", false, false},
		{"beam:+4", false, false},
		{"beam:4:4", false, false},
		{"evolve:0", false, false},
		{"rule:1", false, false},
		{"model:1", false, false},
		{"all:1", false, false},
		{"Beam", false, false},
		{"beams", false, false},
		{"best", false, false},
		{"bea", false, false},
		{":4", false, false},
		{"beam:1e2", false, false},
		{"beam:18446744073709551617", false, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		Ctx ctx;
		bool measures = false;
		ctx_init(&ctx);
		bool ok = policy_parse(&ctx, cases[i].name, &measures);
		if (!CHECK(ok == cases[i].good) ||
		    !CHECK(!ok || measures == cases[i].measures))
			printf("%s\n", cases[i].name);
		if (!ok) {
			CHECK(ctx.err == ERR_USAGE);
			CHECK(strstr(buf_str(&ctx.messages), "beam:K"));
		}
		ctx_release(&ctx);
	}
}

static const char *odd_is_illegal(int64_t x, int64_t y)
{
	return (x + y) % 3 == 2 ? "x + y is illegal" : NULL;
}

/* ---- points ---------------------------------------------------------- */

static void points(void)
{
	uint32_t near[40];
	Fake f;

	fake_init(&f, NULL);
	f.refuse = odd_is_illegal;
	f.model = bowl;
	add_variant(&f, "", 2, 4, 4, 0, 0);
	add_variant(&f, "join.h=no", 3, 4, 4, 3, 3);
	const Space *s = &f.space;
	Point p = space_rule(s, 0), q = space_model(s, 1);
	CHECK_STR(key_of(&f, &p), "0:0,16");
	CHECK(space_regions(s, 0) == 2 && space_regions(s, 1) == 3);
	/* one parameter, and legal: x=1 y=0, x=3 y=0, x=0 y=1, x=0 y=3 */
	CHECK(space_near(s, &p, 1, near, 40) == 4);
	for (int i = 0; i < 4; i++)
		CHECK(near[i] > 16 && near[i] < 32 &&
		      !s->cands.p[near[i]].refused);
	CHECK(space_near(s, &p, 1, near, 3) == 3);
	p = space_with(s, &p, 1, near[0]);
	CHECK(p.cand[0] == 0 && p.cand[1] == near[0]);
	CHECK(space_find(s, 0, 1, s->cands.p[near[0]].text) == near[0]);
	CHECK(space_find(s, 0, 0, "tile x=1 y=1") == NO_CAND); /* refused */
	CHECK(space_find(s, 0, 0, "tile x=9 y=9") == NO_CAND);
	/* what has the same anchor is carried, the third is predicted */
	Point r = space_carry(s, &p, 1);
	CHECK(r.variant == 1 && r.cand[2] == q.cand[2]);
	for (int i = 0; i < 2; i++)
		CHECK_STR(s->cands.p[r.cand[i]].text,
			  s->cands.p[p.cand[i]].text);
	CHECK(space_cost(s, &p) ==
	      s->cands.p[p.cand[0]].cost.us + s->cands.p[p.cand[1]].cost.us);
	f.space.cands.p[0].cost.us = 0;
	CHECK(space_cost(s, &p) == 0); /* one without a model */
	const Chosen *c = space_chosen(&f.arena, s, &p);
	CHECK(c[0].realisation == &tile &&
	      c[1].candidate.params[0].value ==
		      param(&s->cands.p[p.cand[1]], 0));
	fake_close(&f);
}

/* ---- policies that measure nothing ----------------------------------- */

static void rule_measures_nothing(void)
{
	Fake f;

	fake_init(&f, "rule.sqlite");
	f.model = bowl;
	add_variant(&f, "", 2, 8, 8, 1, 2);
	add_variant(&f, "join.h=no", 1, 8, 8, 3, 2);
	if (run_ok(&f, "rule", (SearchOptions){0})) {
		CHECK_STR(chosen_text(&f), "tile x=1 y=2; tile x=1 y=2");
		CHECK(f.batches == 0 && f.judged.n == 0);
		CHECK_STR(f.s.info.state, "complete");
		CHECK(f.s.counts[CAND_CHOSEN] == 2);
		CHECK(f.s.counts[CAND_LEFT] == (int64_t)legal(&f) - 2);
		adds_up(&f);
	}
	fake_close(&f);
}

/* Costs as in a table of a program's: ties, and some without a model. */
static double table_model(const Fake *f, const Cand *c)
{
	static const double us[3][4] = {
		{9, 7, 0, 7}, {8, 6.5, 6.5, 30}, {0, 0, 0, 0}};

	(void)f;
	return us[c->variant][param(c, 0)] + (double)c->region;
}

/* The least sum of costs, found without what the space says of itself. */
static void argmin(const Fake *f, uint32_t *variant, uint32_t cand[4])
{
	double least = 0;

	for (uint32_t v = 0; v < f->space.variants.n; v++) {
		uint32_t at[4] = {NO_CAND, NO_CAND, NO_CAND, NO_CAND};
		double sum = 0;
		bool known = true;
		for (uint32_t r = 0; r < space_regions(&f->space, v); r++) {
			double us = 0;
			for (uint32_t i = 0; i < f->space.cands.n; i++) {
				const Cand *c = &f->space.cands.p[i];
				if (c->variant != v || c->region != r ||
				    c->refused || c->cost.us <= 0)
					continue;
				if (us > 0 && c->cost.us >= us)
					continue;
				us = c->cost.us;
				at[r] = i;
			}
			if (at[r] == NO_CAND)
				at[r] = f->space.variants.p[v].of[r].rule;
			known &= us > 0;
			sum += us;
		}
		if (v == 0 || (known && least > 0 && sum < least)) {
			*variant = v;
			memcpy(cand, at, sizeof(at));
			least = known ? sum : 0;
		}
	}
}

static const char *no_x1(int64_t x, int64_t y)
{
	(void)y;
	return x == 1 ? "x=1 is illegal" : NULL;
}

static void check_model(Fake *f)
{
	uint32_t variant = 0, cand[4];

	argmin(f, &variant, cand);
	if (!run_ok(f, "model", (SearchOptions){0}))
		return;
	CHECK(f->s.chosen.variant == variant);
	for (size_t r = 0; r < space_regions(&f->space, variant); r++)
		CHECK(f->s.chosen.cand[r] == cand[r]);
	CHECK(f->batches == 0 && f->judged.n == 0);
	CHECK_STR(f->s.info.state, "complete");
	adds_up(f);
}

static void model_is_the_argmin(void)
{
	for (int i = 0; i < 4; i++) {
		Fake f;
		fake_init(&f, "model.sqlite");
		f.model = table_model;
		f.refuse = i & 1 ? no_x1 : NULL;
		add_variant(&f, "", 1, 4, 0, 2 * (i & 1), 0);
		add_variant(&f, "join.h=no", 1 + (size_t)i / 2, 4, 0, 0, 0);
		add_variant(&f, "join.g=no", 1, 4, 0, 0, 0);
		/* in the last, a refused one that would take least of all */
		for (size_t j = 0; j < f.space.cands.n; j++)
			if (f.space.cands.p[j].refused)
				f.space.cands.p[j].cost.us = 1;
		check_model(&f);
		static const char *const best[] = {"line x=1", "line x=2",
						   "line x=1", "line x=3"};
		CHECK_STR(chosen_text(&f), best[i]);
		fake_close(&f);
	}
}

/* Of two variants that cost the same the first is taken. */
static void model_ties(void)
{
	Fake f;

	fake_init(&f, "ties.sqlite");
	f.model = bowl;
	add_variant(&f, "", 1, 8, 8, 0, 0);
	add_variant(&f, "join.h=no", 1, 8, 8, 0, 0);
	add_variant(&f, "join.g=no", 1, 8, 8, 0, 0);
	for (size_t i = 64; i < 192; i++)
		f.space.cands.p[i].cost.us -= i < 128 ? 4 : 7;
	f.space.variants.p[1].cost = f.space.variants.p[2].cost = 9;
	check_model(&f);
	CHECK(f.s.chosen.variant == 1);
	fake_close(&f);
}

/* Without a model of the rule's variant nothing can be compared with it. */
static void no_model_is_the_rule(void)
{
	for (int first = 0; first < 2; first++) {
		Fake f;
		fake_init(&f, "nomodel.sqlite");
		f.model = first ? bowl : no_model;
		add_variant(&f, "", 1, 3, 3, 2, 2);
		f.model = first ? no_model : bowl;
		add_variant(&f, "join.h=no", 1, 8, 8, 0, 0);
		check_model(&f);
		CHECK(f.s.chosen.variant == 0);
		CHECK_STR(chosen_text(&f), "tile x=2 y=2");
		fake_close(&f);
	}
}

/* ---- what the policies find ------------------------------------------ */

/* What is slowest is predicted to be fastest. */
static double upside_down(const Fake *f, const Cand *c)
{
	return 200 - bowl(f, c);
}

static void finds(const char *policy, uint64_t seed, int way)
{
	/* of two regions by chance: near it, and exactly else */
	bool near = !strncmp(policy, "evolve", 6) && way == 3;
	Fake f;

	fake_init(&f, way == 3 ? "finds.sqlite" : NULL);
	f.model = way == 1 ? bowl : way == 2 ? upside_down : no_model;
	f.time = way == 3 ? second_is_better : bowl;
	add_variant(&f, "", way == 3 ? 2 : 1, 8, 6, 0, 0);
	if (way == 3)
		add_variant(&f, "join.h=no", 2, 8, 6, 7, 5);
	if (run_ok(&f, policy, (SearchOptions){.seed = seed})) {
		double least = way == 3 ? 16 : 10;
		if (!CHECK(time_of(&f, &f.s.chosen) <=
			   least * (near ? 1.25 : 1)))
			printf("%s, seed %d, way %d: %s, %zu tried\n", policy,
			       (int)seed, way, chosen_text(&f), f.keys.n);
		CHECK(f.s.chosen.variant == (way == 3 ? 1 : 0));
		CHECK_STR(f.s.info.state, "complete");
		usual(&f);
		if (f.path)
			adds_up(&f);
	}
	fake_close(&f);
}

static void the_optimum_is_found(void)
{
	for (size_t i = 0; i < ARRAY_LEN(measuring); i++)
		for (int way = 0; way < 4; way++)
			finds(measuring[i], 7, way);
	for (uint64_t seed = 0; seed < 5; seed++)
		finds("evolve", seed, seed % 2 ? 3 : 1);
}

/* Without order or sense. */
static double rugged(const Fake *f, const Cand *c)
{
	uint64_t h = f->s.o.seed * 977 + c->variant * 131 + c->region * 31 +
		     (uint64_t)param(c, 0) * 7 + (uint64_t)param(c, 1);

	h *= 0x9e3779b97f4a7c15u;
	return 10 + (double)(h >> 54) / 100;
}

static void never_behind_the_rule(void)
{
	for (uint64_t seed = 1; seed <= 12; seed++)
		for (size_t i = 0; i < ARRAY_LEN(measuring); i++) {
			Fake f;
			fake_init(&f, NULL);
			f.time = rugged;
			f.noise = seed % 3 ? 0 : .01;
			f.noise_seed = seed;
			add_variant(&f, "", 2, 5, 5, 1, 1);
			add_variant(&f, "join.h=no", 1, 5, 5, 0, 0);
			if (run_ok(&f, measuring[i],
				   (SearchOptions){.seed = seed,
						   .candidates = 25}))
				usual(&f);
			fake_close(&f);
		}
}

static void all_tries_each_once(void)
{
	Fake f;

	fake_init(&f, "all.sqlite");
	f.refuse = odd_is_illegal;
	add_variant(&f, "", 1, 9, 7, 4, 4);
	VariantRefused no = {.how = "join.g=no",
			     .reason = "two products need one kernel"};
	VEC_PUSH(&f.arena, f.space.refused, no);
	if (run_ok(&f, "all", (SearchOptions){0})) {
		usual(&f);
		adds_up(&f);
		CHECK(f.keys.n == legal(&f));
		for (uint32_t c = 0, i = 0; c < f.space.cands.n; c++) {
			Point p = {0, &c};
			if (!f.space.cands.p[c].refused)
				CHECK_STR(f.keys.p[i++], key_of(&f, &p));
		}
		CHECK(f.s.counts[CAND_REFUSED] ==
		      (int64_t)(f.space.cands.n - legal(&f)) + 1);
		CHECK(f.s.counts[CAND_LEFT] == 0);
		CHECK(f.s.considered == (int64_t)f.space.cands.n + 1);
		CHECK(rows(&f, "state = 'refused' AND reason = 'two products "
			       "need one kernel' AND region = -1") == 1);
	}
	fake_close(&f);
}

/* What is predicted to be fastest is tried first. */
static void all_in_order_of_costs(void)
{
	double last = 0;
	Fake f;

	fake_init(&f, NULL);
	f.model = upside_down;
	add_variant(&f, "", 1, 6, 6, 0, 0);
	run_ok(&f, "all", (SearchOptions){0});
	for (size_t i = 1; i < f.s.tried.n; i++) {
		double us = space_cost(&f.space, &f.s.tried.p[i].point);
		CHECK(us >= last);
		last = us;
	}
	CHECK(f.s.tried.n == 36);
	fake_close(&f);
}

/* Nothing is predicted of the last two, which are best. */
static double two_unknown(const Fake *f, const Cand *c)
{
	return param(c, 0) >= 18 ? 0 : bowl(f, c);
}

static double last_is_best(const Fake *f, const Cand *c)
{
	return 40 - (double)param(c, 0) + (f->bad ? 3 * c->region : 0);
}

/* What has no model is tried at once, however small the budget. */
static void unknown_is_first(void)
{
	for (size_t i = 0; i < ARRAY_LEN(measuring); i++)
		for (int two = 0; two < 2; two++) {
			Fake f;
			fake_init(&f, "unknown.sqlite");
			f.model = two_unknown;
			f.time = last_is_best;
			add_variant(&f, "", 1 + (size_t)two, 20, 0, 2, 0);
			int64_t n = two ? 5 : 3;
			if (run_ok(&f, measuring[i],
				   (SearchOptions){.candidates = n})) {
				usual(&f);
				adds_up(&f);
				CHECK(f.keys.n == (size_t)n);
				/* the rule's choice and its like: one of two */
				CHECK(rows(&f, "chosen IN ('line x=18', "
					       "'line x=19') AND state IN "
					       "('measured', 'tie', "
					       "'chosen')") == n - 1);
			}
			fake_close(&f);
		}
}

/* Of several regions, each candidate is in a plan that was tried. */
static void all_of_several_regions(void)
{
	Fake f;

	fake_init(&f, "several.sqlite");
	add_variant(&f, "", 2, 4, 4, 0, 0);
	add_variant(&f, "join.h=no", 3, 3, 3, 2, 2);
	if (run_ok(&f, "all", (SearchOptions){0})) {
		usual(&f);
		adds_up(&f);
		CHECK(f.s.counts[CAND_LEFT] == 0);
	}
	fake_close(&f);
}

/* ---- budgets and ends ------------------------------------------------ */

static void budget_in_candidates(void)
{
	for (int64_t n = 1; n <= 48; n += n < 10 ? 1 : 7)
		for (size_t i = 0; i < ARRAY_LEN(measuring); i++) {
			Fake f;
			bool all = !strcmp(measuring[i], "all");
			fake_init(&f, n % 8 == 1 ? "budget.sqlite" : NULL);
			f.model = upside_down;
			add_variant(&f, "", 1, 8, 8, 0, 0);
			if (!run_ok(&f, measuring[i],
				    (SearchOptions){.seed = 3,
						    .candidates = n})) {
				fake_close(&f);
				continue;
			}
			usual(&f);
			if (f.path)
				adds_up(&f);
			if (!CHECK(f.keys.n == (size_t)n))
				printf("%s: %zu tried of %d\n", measuring[i],
				       f.keys.n, (int)n);
			CHECK_STR(f.s.info.state,
				  all ? "exhausted" : "complete");
			fake_close(&f);
		}
}

/* A budget that all of it fits in has not ended it. */
static void budget_that_is_enough(void)
{
	for (int64_t more = 0; more < 3; more++) {
		Fake f;
		fake_init(&f, NULL);
		add_variant(&f, "", 1, 4, 4, 0, 0);
		if (run_ok(&f, "all", (SearchOptions){.candidates = 16 + more}))
			CHECK_STR(f.s.info.state, "complete");
		CHECK(f.keys.n == 16);
		fake_close(&f);
	}
}

static void budget_in_seconds(void)
{
	for (size_t i = 0; i < ARRAY_LEN(measuring); i++)
		for (int tiny = 0; tiny < 2; tiny++) {
			SearchOptions o = {.seconds = tiny ? 1e-9 : .02};
			Fake f;
			fake_init(&f, NULL);
			f.nap = .002;
			add_variant(&f, "", 1, 100, 100, 0, 0);
			if (run_ok(&f, measuring[i], o)) {
				usual(&f);
				CHECK(f.keys.n < 1000);
				CHECK_STR(f.s.info.state,
					  strcmp(measuring[i], "all")
						  ? "complete"
						  : "exhausted");
			}
			fake_close(&f);
		}
}

/* The seconds are over within a batch. */
static void budget_ends_a_batch(void)
{
	Fake f;

	fake_init(&f, "short.sqlite");
	f.short_after = 12;
	add_variant(&f, "", 1, 8, 8, 0, 0);
	if (run_ok(&f, "all", (SearchOptions){.seconds = 1e6})) {
		usual(&f);
		adds_up(&f);
		CHECK(f.keys.n == 12);
		CHECK_STR(f.s.info.state, "exhausted");
		CHECK(f.s.counts[CAND_LEFT] == 52);
	}
	fake_close(&f);
}

static void stop_keeps_the_best(void)
{
	for (size_t i = 0; i < ARRAY_LEN(measuring); i++)
		for (size_t n = 1; n < 20; n += 6) {
			Fake f;
			double best = 1e9;
			fake_init(&f, "stop.sqlite");
			f.stop_after = n;
			add_variant(&f, "", 1, 9, 9, 0, 0);
			if (run_ok(&f, measuring[i], (SearchOptions){0})) {
				usual(&f);
				adds_up(&f);
				CHECK(f.keys.n == n);
				CHECK_STR(f.s.info.state, "stopped");
				for (size_t j = 0; j < f.s.tried.n; j++)
					best = fmin(
						best,
						time_of(&f,
							&f.s.tried.p[j].point));
				CHECK(time_of(&f, &f.s.chosen) == best);
			}
			fake_close(&f);
		}
}

/* Before anything is tried there is the rule's choice, or an error that
 * says so; never an error without a word. */
static void stop_at_once(void)
{
	Fake f;

	fake_init(&f, "once.sqlite");
	f.stop_now = true;
	add_variant(&f, "", 2, 4, 4, 0, 0);
	if (fake_run(&f, "beam:2", (SearchOptions){0})) {
		CHECK_STR(chosen_text(&f), "tile x=0 y=0; tile x=0 y=0");
		CHECK_STR(f.s.info.state, "stopped");
	} else {
		CHECK(*buf_str(&f.ctx.messages));
	}
	adds_up(&f);
	fake_close(&f);
}

/* ---- order ----------------------------------------------------------- */

static const char *order_of(const char *policy, uint64_t seed, bool other,
			    Arena *a)
{
	Fake f;
	Buf b;

	fake_init(&f, NULL);
	f.model = bowl;
	f.time = other ? upside_down : bowl;
	add_variant(&f, "", 1, 8, 8, 0, 0);
	add_variant(&f, "join.h=no", 1, 1, 1, 0, 0);
	buf_init(&b, a);
	if (run_ok(&f, policy, (SearchOptions){.seed = seed, .candidates = 40}))
		for (size_t i = 0; i < f.keys.n; i++)
			buf_printf(&b, "%s ", f.keys.p[i]);
	fake_close(&f);
	return buf_str(&b);
}

static void order_is_the_seeds(void)
{
	Arena a;

	arena_init(&a);
	for (size_t i = 0; i < ARRAY_LEN(measuring); i++) {
		const char *once = order_of(measuring[i], 5, false, &a);
		CHECK_STR(order_of(measuring[i], 5, false, &a), once);
		bool random = !strncmp(measuring[i], "evolve", 6);
		const char *other = order_of(measuring[i], 6, false, &a);
		CHECK(random == (strcmp(other, once) != 0));
	}
	CHECK_STR(order_of("all", 5, true, &a), order_of("all", 5, false, &a));
	arena_release(&a);
}

static void over(void)
{
	test_folder_remove();
}

TEST_MAIN(TEST(names), TEST(points), TEST(rule_measures_nothing),
	  TEST(model_is_the_argmin), TEST(model_ties),
	  TEST(no_model_is_the_rule), TEST(the_optimum_is_found),
	  TEST(never_behind_the_rule), TEST(all_tries_each_once),
	  TEST(all_in_order_of_costs), TEST(unknown_is_first),
	  TEST(all_of_several_regions), TEST(budget_in_candidates),
	  TEST(budget_that_is_enough), TEST(budget_in_seconds),
	  TEST(budget_ends_a_batch), TEST(stop_keeps_the_best),
	  TEST(stop_at_once), TEST(order_is_the_seeds), TEST(over))
