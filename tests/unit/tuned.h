/*
 * tuned: a search through tenon_tune() with a ledger of its own, for tests.
 */
#ifndef TENON_TEST_TUNED_H
#define TENON_TEST_TUNED_H

#include "tests/unit/api.h"
#include "tests/unit/ledger.h"

typedef struct Tuned {
	Case k;
	TenonTuneReport r;
	TenonTuneOptions o;
	TenonPlanOptions plan;
	char ledger[300];
} Tuned;

TEST_ONLY static bool begin(Tuned *t, const char *path, const char *text,
			    const char *ledger)
{
	memset(t, 0, sizeof(*t));
	snprintf(t->ledger, sizeof(t->ledger), "%s", test_path(ledger));
	t->o = (TenonTuneOptions){
		.plan = &t->plan, .seed = 1, .ledger = t->ledger};
	if (!case_open(&t->k, path, text, NULL))
		return false;
	tenon_set_threads(t->k.c, 2);
	return !text || works(&t->k, tenon_set_dim(t->k.p, "M", 64), "M");
}

TEST_ONLY static bool tune(Tuned *t)
{
	tenon_plan_free(t->k.plan);
	t->k.plan = NULL;
	return works(&t->k,
		     tenon_tune(t->k.c, t->k.p, &t->o, &t->r, &t->k.plan),
		     "tune");
}

TEST_ONLY static const char *identity(const TenonPlan *p)
{
	TenonPlanInfo info;

	tenon_plan_info((TenonPlan *)p, &info);
	return info.identity;
}

/* Considered is the sum of the states, here and in the ledger. */
TEST_ONLY static void adds_up(const Tuned *t)
{
	int64_t sum = 0;
	char sql[200];

	for (int i = 0; i < TENON_CAND_STATES; i++) {
		snprintf(sql, sizeof(sql),
			 "SELECT count(*) FROM candidate WHERE search = %lld "
			 "AND state = '%s'",
			 (long long)t->r.search,
			 tenon_cand_state((TenonCandState)i));
		CHECK(ask(t->o.ledger, sql) == t->r.counts[i]);
		sum += t->r.counts[i];
	}
	CHECK(sum == t->r.considered);
	snprintf(sql, sizeof(sql),
		 "SELECT count(*) FROM search WHERE id = %lld AND ended > 0 "
		 "AND state = '%s' AND plan = '%s' AND considered = %lld",
		 (long long)t->r.search, t->r.state, identity(t->k.plan),
		 (long long)sum);
	CHECK(ask(t->o.ledger, sql) == 1);
}

TEST_ONLY static void passes(const Tuned *t, TenonPlan *p)
{
	TenonOutcome outcome = TENON_NONE;

	if (works(&t->k,
		  tenon_check(p, "exact,random", 1, NULL, NULL, &outcome),
		  "check"))
		CHECK(outcome == TENON_PASS);
}

#endif
