/*
 * What is common to all policies: ties, the final, held-out fixtures, and what
 * becomes of each candidate, over spaces of made-up candidates.
 */
#include "tests/unit/space.h"

/* ---- ties ------------------------------------------------------------ */

static double five(const Fake *f, const Cand *c)
{
	(void)f;
	return param(c, 0) == 0 ? 10 : 5;
}

static double ten(const Fake *f, const Cand *c)
{
	(void)f;
	(void)c;
	return 10;
}

/* The one that seems faster, but not beyond noise, came later. */
static void a_tie_leaves_the_earlier(void)
{
	Fake f;

	fake_init(&f, "tie.sqlite");
	f.time = five;
	f.tied = "0:3";
	add_variant(&f, "", 1, 5, 0, 0, 0);
	if (run_ok(&f, "all", (SearchOptions){0})) {
		CHECK_STR(chosen_text(&f), "line x=1");
		CHECK(rows(&f, "chosen = 'line x=3' AND state = 'tie'") == 1);
		adds_up(&f);
	}
	fake_close(&f);
}

static void noise_chooses_nothing(void)
{
	for (uint64_t seed = 1; seed <= 20; seed++)
		for (int flat = 0; flat < 2; flat++) {
			Fake f;
			fake_init(&f, NULL);
			f.time = flat ? ten : five;
			f.noise = .02;
			f.noise_seed = seed;
			add_variant(&f, "", 1, 9, 0, 0, 0);
			if (run_ok(&f, "all", (SearchOptions){0})) {
				CHECK_STR(chosen_text(&f),
					  flat ? "line x=0" : "line x=1");
				CHECK((f.s.gain == 0) == flat);
			}
			fake_close(&f);
		}
}

static double ten_less(const Fake *f, const Cand *c)
{
	(void)f;
	return 10 - (double)param(c, 0);
}

static void a_winner_must_beat_the_rule(void)
{
	Fake f;

	fake_init(&f, "final.sqlite");
	f.fickle = "0:1";
	add_variant(&f, "", 1, 2, 0, 0, 0);
	f.time = five;
	if (run_ok(&f, "all", (SearchOptions){0})) {
		CHECK_STR(chosen_text(&f), "line x=0");
		CHECK(f.s.gain == 0);
		CHECK(f.finals.n == 1);
		adds_up(&f);
	}
	fake_close(&f);
}

/* What a final shows is kept, and the next one is in it. */
static void a_winner_that_falls(void)
{
	Fake f;

	fake_init(&f, "falls.sqlite");
	f.falls = "0:4";
	f.time = ten_less;
	add_variant(&f, "", 1, 5, 0, 0, 0);
	if (run_ok(&f, "all", (SearchOptions){0})) {
		CHECK_STR(chosen_text(&f), "line x=3");
		CHECK(f.finals.n == 2);
		CHECK(rows(&f, "chosen = 'line x=4' AND state = 'crashed' AND "
			       "reason LIKE 'it was number%'") == 1);
		adds_up(&f);
	}
	fake_close(&f);
}

/* ---- held-out fixtures ----------------------------------------------- */

static double down(const Fake *f, const Cand *c)
{
	(void)f;
	return 20 - (double)param(c, 0);
}

/* Those of the greatest x fail, as many as the seed says. */
static bool fastest_fail(const Fake *f, const Point *p)
{
	return param(&f->space.cands.p[p->cand[0]], 0) > 8 - f->bad;
}

static void the_next_best_is_taken(void)
{
	/* more than the finals that may end without a winner */
	for (int64_t bad = 0; bad <= 7; bad++) {
		char where[120], text[40];
		Fake f;
		fake_init(&f, "held.sqlite");
		f.time = down;
		f.held = fastest_fail;
		f.bad = bad;
		add_variant(&f, "", 1, 9, 0, 0, 0);
		if (run_ok(&f, "all", (SearchOptions){0})) {
			snprintf(text, sizeof(text), "line x=%d", 8 - (int)bad);
			CHECK_STR(chosen_text(&f), text);
			CHECK(f.judged.n == (size_t)bad + 1);
			CHECK(f.s.counts[CAND_WRONG] == bad);
			snprintf(where, sizeof(where),
				 "state = 'wrong' AND reason LIKE 'fixture "
				 "specials%%' AND " SAMPLES "> 0");
			CHECK(rows(&f, where) == bad);
			usual(&f);
			adds_up(&f);
		}
		fake_close(&f);
	}
}

/* Those that only tie in the final take places; those refuted do not. */
static void places(void)
{
	for (int64_t bad = 0; bad <= 3; bad += 3) {
		Fake f;
		fake_init(&f, "places.sqlite");
		f.time = down;
		f.held = fastest_fail;
		f.bad = bad;
		f.all_tie = bad == 0;
		add_variant(&f, "", 1, 9, 0, 0, 0);
		if (run_ok(&f, "all", (SearchOptions){0})) {
			CHECK(f.finals.n == (bad ? 4 : 5));
			CHECK_STR(chosen_text(&f),
				  bad ? "line x=5" : "line x=0");
			adds_up(&f);
		}
		fake_close(&f);
	}
}

/* x=8 leaves verdict 2 open, and the rule's choice one of its own. */
static int eighth_is_open(const Fake *f, const Point *p)
{
	int64_t x = param(&f->space.cands.p[p->cand[0]], 0);

	return x == 8 ? 2 : x == 7 ? 0 : x == 0 ? (int)f->bad : -1;
}

/* No less is known of a winner than of the rule's choice, whose verdicts are
 * asked for once, and only then. */
static void open_verdicts(void)
{
	for (int64_t bad = -1; bad <= 2; bad++) {
		Fake f;
		size_t rules = 0;
		fake_init(&f, "open.sqlite");
		f.time = down;
		f.open = eighth_is_open;
		f.bad = bad;
		add_variant(&f, "", 1, 9, 0, 0, 0);
		if (run_ok(&f, "all", (SearchOptions){0})) {
			CHECK_STR(chosen_text(&f), bad == 2   ? "line x=8"
						   : bad == 0 ? "line x=7"
							      : "line x=6");
			CHECK(rows(&f,
				   "chosen = 'line x=8' AND state = 'wrong' "
				   "AND reason = 'fixture narrow: result z is "
				   "neither right nor wrong there, and right "
				   "by the rule''s choice'") == (bad != 2));
			for (size_t i = 0; i < f.judged.n; i++)
				rules += !strcmp(f.judged.p[i], rule_key(&f));
			CHECK(rules == 1);
			usual(&f);
			adds_up(&f);
		}
		fake_close(&f);
	}
	Fake f;
	fake_init(&f, NULL);
	f.time = down;
	add_variant(&f, "", 1, 9, 0, 0, 0);
	if (run_ok(&f, "all", (SearchOptions){0}))
		CHECK(f.judged.n == 1);
	fake_close(&f);
}

static bool not_rule(const Fake *f, const Point *p)
{
	return strcmp(key_of(f, p), rule_key(f)) != 0;
}

static bool any(const Fake *f, const Point *p)
{
	(void)f;
	(void)p;
	return true;
}

static void the_rule_is_last(void)
{
	Fake f;

	fake_init(&f, "last.sqlite");
	f.time = down;
	f.held = not_rule;
	add_variant(&f, "", 1, 9, 0, 0, 0);
	if (run_ok(&f, "all", (SearchOptions){0})) {
		CHECK_STR(chosen_text(&f), "line x=0");
		CHECK(f.s.gain == 0);
		CHECK(f.s.counts[CAND_WRONG] == (int64_t)f.judged.n - 1);
		usual(&f);
		adds_up(&f);
	}
	fake_close(&f);

	fake_init(&f, "last.sqlite");
	f.time = down;
	f.held = any;
	add_variant(&f, "", 1, 9, 0, 0, 0);
	CHECK(!fake_run(&f, "all", (SearchOptions){0}));
	CHECK(strstr(buf_str(&f.ctx.messages), "specials"));
	CHECK(rows(&f, "chosen = 'line x=0' AND state = 'wrong'") == 1);
	adds_up(&f);
	fake_close(&f);
}

/* ---- what candidates come to ----------------------------------------- */

static TrialState by_x(const Fake *f, const Point *p)
{
	static const TrialState of[] = {
		TRIAL_MEASURED,  TRIAL_WRONG,    TRIAL_CRASHED, TRIAL_TIMED_OUT,
		TRIAL_NO_MEMORY, TRIAL_MEASURED, TRIAL_FAILED,  TRIAL_MEASURED,
		TRIAL_WRONG,     TRIAL_MEASURED,
	};

	return of[param(&f->space.cands.p[p->cand[0]], 0)];
}

static void each_state_is_its_own(void)
{
	static const char *const state[] = {
		"measured", "wrong",  "crashed",  "timed-out", "no-memory",
		"measured", "failed", "measured", "wrong",     "chosen"};

	for (size_t i = 0; i < ARRAY_LEN(measuring); i++) {
		Fake f;
		fake_init(&f, "states.sqlite");
		f.time = down;
		f.outcome = by_x;
		add_variant(&f, "", 1, 10, 0, 0, 0);
		if (run_ok(&f, measuring[i], (SearchOptions){0})) {
			CHECK_STR(chosen_text(&f), "line x=9");
			usual(&f);
			adds_up(&f);
		}
		for (int x = 0; x < 10; x++) {
			char where[120];
			snprintf(where, sizeof(where),
				 "chosen = 'line x=%d' AND state = '%s'", x,
				 state[x]);
			if (!CHECK(rows(&f, where) == 1))
				printf("%s: %s\n", measuring[i], where);
		}
		/* all but the rule's choice met something */
		CHECK(rows(&f, "measured_us > 0 AND against IS NULL") == 1);
		CHECK(rows(&f, "measured_us > 0 AND against NOT IN (SELECT id "
			       "FROM candidate d WHERE d.search = c.search "
			       "AND d.measured_us > 0)") == 0);
		fake_close(&f);
	}
}

/* One that had won does not run any more: it is told twice, counts once. */
static void a_winner_that_breaks(void)
{
	static const char *const policy[] = {"beam", "all"};

	for (size_t i = 0; i < ARRAY_LEN(policy); i++) {
		Fake f;
		fake_init(&f, "breaks.sqlite");
		f.time = five;
		f.lost = "0:1";
		add_variant(&f, "", 1, 5, 0, 0, 0);
		if (run_ok(&f, policy[i], (SearchOptions){0})) {
			CHECK_STR(chosen_text(&f), "line x=2");
			CHECK(rows(&f,
				   "chosen = 'line x=1' AND state = "
				   "'crashed' AND reason LIKE 'when%'") == 1);
			CHECK(f.s.tried.n == 5);
			adds_up(&f);
		}
		fake_close(&f);
	}
}

/* The next best is then what the broken one had beaten. */
static double third_is_lost(const Fake *f, const Cand *c)
{
	static const double us[] = {10, 6, 5, 20, 20};

	(void)f;
	return us[param(c, 0)];
}

static void what_it_had_beaten(void)
{
	Fake f;

	fake_init(&f, NULL);
	f.time = third_is_lost;
	f.lost = "0:2";
	add_variant(&f, "", 1, 5, 0, 0, 0);
	if (run_ok(&f, "all", (SearchOptions){0}))
		CHECK_STR(chosen_text(&f), "line x=1");
	fake_close(&f);
}

static void rule_that_fails(void)
{
	static const TrialState how[] = {TRIAL_WRONG, TRIAL_CRASHED,
					 TRIAL_TIMED_OUT, TRIAL_NO_MEMORY,
					 TRIAL_FAILED};

	for (size_t i = 0; i < ARRAY_LEN(how); i++) {
		Fake f;
		fake_init(&f, "norule.sqlite");
		f.time = down;
		f.outcome = by_x;
		add_variant(&f, "", 1, 10, 0,
			    how[i] == TRIAL_FAILED ? 6 : (int64_t)how[i], 0);
		CHECK(!fake_run(&f, i % 2 ? "all" : "beam:2",
				(SearchOptions){0}));
		CHECK(strstr(buf_str(&f.ctx.messages), "rule's choice"));
		adds_up(&f);
		fake_close(&f);
	}
}

static void host_that_fails(void)
{
	for (int64_t at = 1; at <= 3; at++) {
		Fake f;
		fake_init(&f, "host.sqlite");
		f.fails = at;
		add_variant(&f, "", 1, 8, 8, 0, 0);
		CHECK(!fake_run(&f, "beam:4", (SearchOptions){0}));
		CHECK(strstr(buf_str(&f.ctx.messages), "no process"));
		CHECK(f.batches == at);
		CHECK(f.s.tried.n == f.keys.n);
		CHECK(rows(&f, "state IN ('measured', 'tie')") ==
		      (int64_t)f.keys.n);
		adds_up(&f);
		fake_close(&f);
	}
}

/* Region 1's predicted best crashes in the second variant. */
static TrialState one_crashes(const Fake *f, const Point *p)
{
	const Cand *c = &f->space.cands.p[p->cand[p->variant ? 1 : 0]];

	return p->variant == 1 && param(c, 0) == 4 ? TRIAL_CRASHED
						   : TRIAL_MEASURED;
}

static double predicts_crash(const Fake *f, const Cand *c)
{
	return c->variant == 1 && param(c, 0) == 4 ? 1 : bowl(f, c);
}

/* A crash is held against what crashed, and hides nothing else. */
static void the_culprit_alone(void)
{
	Fake f;

	fake_init(&f, "culprit.sqlite");
	f.time = second_is_better;
	f.model = predicts_crash;
	f.outcome = one_crashes;
	add_variant(&f, "", 2, 7, 5, 0, 0);
	add_variant(&f, "join.h=no", 2, 7, 5, 0, 0);
	if (run_ok(&f, "all", (SearchOptions){0})) {
		usual(&f);
		adds_up(&f);
		CHECK(f.s.chosen.variant == 1);
		CHECK_STR(chosen_text(&f), "tile x=5 y=3; tile x=5 y=3");
		CHECK(rows(&f, "region = 0 AND state = 'crashed'") == 0);
		CHECK(rows(&f, "region = 1 AND state = 'crashed'") == 5);
	}
	fake_close(&f);
}

/* ---- points of the same code ------------------------------------------ */

/* x and x + 1 are one, for even x. */
static const char *in_pairs(const Fake *f, const Point *p)
{
	Buf b;

	buf_init(&b, f->space.arena);
	buf_printf(&b, "%u", p->variant);
	for (size_t i = 0; i < space_regions(&f->space, p->variant); i++)
		buf_printf(&b, " %lld",
			   (long long)param(&f->space.cands.p[p->cand[i]], 0) /
				   2);
	return buf_str(&b);
}

static double by_pair(const Fake *f, const Cand *c)
{
	(void)f;
	return 20 - (double)(param(c, 0) / 2);
}

static TrialState third_crashes(const Fake *f, const Point *p)
{
	return param(&f->space.cands.p[p->cand[0]], 0) / 2 == 2
		       ? TRIAL_CRASHED
		       : TRIAL_MEASURED;
}

/* Each code runs once, and its candidates have one outcome. */
static void one_code(void)
{
	for (size_t i = 0; i < ARRAY_LEN(measuring); i++) {
		Fake f;
		fake_init(&f, "code.sqlite");
		f.time = by_pair;
		f.code = in_pairs;
		f.outcome = third_crashes;
		add_variant(&f, "", 1, 10, 0, 0, 0);
		if (run_ok(&f, measuring[i], (SearchOptions){0})) {
			bool all = !strcmp(measuring[i], "all");
			CHECK(f.keys.n <= 5 && (!all || f.keys.n == 5));
			CHECK(!all || f.s.tried.n == 10);
			int64_t same = rows(
				&f, "reason LIKE 'same code as candidate %'");
			CHECK(same == (int64_t)(f.s.tried.n - f.keys.n));
			CHECK(rows(&f, "reason LIKE 'same code as candidate "
				       "%' AND " SAMPLES "> 0") == 0);
			CHECK(rows(&f,
				   "state = 'crashed' AND reason LIKE 'same "
				   "code as candidate %: it was number%'") ==
			      (all ? 1 : rows(&f, "state = 'crashed'") - 1));
			CHECK(param(&f.space.cands.p[f.s.chosen.cand[0]], 0) >=
			      8);
			usual(&f);
			adds_up(&f);
		}
		fake_close(&f);
	}
}

/* What refutes one refutes the other, which takes no place in the final. */
static bool pair_fails(const Fake *f, const Point *p)
{
	return param(&f->space.cands.p[p->cand[0]], 0) / 2 == 4;
}

static void one_code_is_refuted(void)
{
	Fake f;

	fake_init(&f, "both.sqlite");
	f.time = by_pair;
	f.code = in_pairs;
	f.held = pair_fails;
	add_variant(&f, "", 1, 10, 0, 0, 0);
	if (run_ok(&f, "all", (SearchOptions){0})) {
		CHECK(f.finals.n == 2 && f.judged.n == 2);
		CHECK(f.s.counts[CAND_WRONG] == 2);
		CHECK(rows(&f, "state = 'wrong' AND reason LIKE 'same code as "
			       "candidate %: fixture specials%'") == 1);
		CHECK(param(&f.space.cands.p[f.s.chosen.cand[0]], 0) / 2 == 3);
		usual(&f);
		adds_up(&f);
	}
	fake_close(&f);
}

/* Plans of several new candidates, and a budget that ends between. */
static void one_code_of_several(void)
{
	for (int64_t n = 0; n < 12; n++) {
		Fake f;
		fake_init(&f, "codes.sqlite");
		f.time = by_pair;
		f.code = in_pairs;
		add_variant(&f, "", 2, 4, 0, 0, 0);
		add_variant(&f, "join.h=no", 2, 4, 0, 0, 0);
		if (run_ok(&f, n % 2 ? "all" : "evolve:8",
			   (SearchOptions){.seed = 3, .candidates = n})) {
			CHECK(n == 0 || f.s.tried.n <= (size_t)n);
			usual(&f);
			adds_up(&f);
		}
		fake_close(&f);
	}
}

/* ---- one transaction -------------------------------------------------- */

/* A whole plan's row is there with its outcome, or not at all. */
static void whole_or_none(void)
{
	Fake f;

	fake_init(&f, "whole.sqlite");
	add_variant(&f, "", 2, 3, 0, 0, 0);
	add_variant(&f, "join.h=no", 2, 3, 0, 0, 0);
	Ledger *l = ledger_at(&f.ctx, f.path);
	CHECK(l != NULL);
	ledger_close(l);
	tell(f.path, "CREATE TRIGGER no BEFORE UPDATE ON candidate WHEN "
		     "NEW.region = -1 AND NEW.state <> 'left' BEGIN SELECT "
		     "RAISE(ABORT, 'no room'); END");
	CHECK(!fake_run(&f, "all", (SearchOptions){0}));
	CHECK(rows(&f, "region = -1") == 0);
	fake_close(&f);
}

/* Regions that compute the same have the same candidates: each counts once. */
static void alike_regions(void)
{
	static const char *const policy[] = {"rule", "all", "beam:2"};

	for (size_t i = 0; i < ARRAY_LEN(policy); i++) {
		Fake f;
		fake_init(&f, "alike.sqlite");
		add_variant(&f, "", 2, 4, 4, 0, 0);
		Variant *v = &f.space.variants.p[0];
		v->of[1] = v->of[0];
		f.space.cands.n = v->of[0].n;
		if (run_ok(&f, policy[i], (SearchOptions){0})) {
			const Point *p = &f.s.chosen;
			CHECK(f.s.counts[CAND_CHOSEN] ==
			      (p->cand[0] == p->cand[1] ? 1 : 2));
			adds_up(&f);
			if (i > 0)
				usual(&f);
		}
		fake_close(&f);
	}
}

static void over(void)
{
	test_folder_remove();
}

TEST_MAIN(TEST(a_tie_leaves_the_earlier), TEST(noise_chooses_nothing),
	  TEST(a_winner_must_beat_the_rule), TEST(a_winner_that_falls),
	  TEST(the_next_best_is_taken), TEST(the_rule_is_last),
	  TEST(each_state_is_its_own), TEST(a_winner_that_breaks),
	  TEST(what_it_had_beaten), TEST(rule_that_fails),
	  TEST(host_that_fails), TEST(the_culprit_alone), TEST(alike_regions),
	  TEST(places), TEST(open_verdicts), TEST(one_code),
	  TEST(one_code_is_refuted), TEST(one_code_of_several),
	  TEST(whole_or_none), TEST(over))
