/*
 * ledger_report: what is printed of a ledger, for people and as JSON.
 */
#include "ir/plan.h"
#include "tests/unit/api.h"
#include "tests/unit/ledger.h"

#include <jansson.h>

static const char small_text[] = "dims d: M = 3, N = 5\n"
				 "def small(x: f32[M, N], b: f32[N]):\n"
				 "    return relu(x + b)\n";

static Ctx ctx;
static Arena arena;
static Ledger *l;
static const char *path;

static void begin(const char *name)
{
	ctx_init(&ctx);
	arena_init(&arena);
	path = test_path(name);
	l = ledger_at(&ctx, path);
}

static void finish(void)
{
	ledger_close(l);
	arena_release(&arena);
	ctx_release(&ctx);
}

static const char *report(LedgerQuery q)
{
	Buf out;

	ctx_clear_errors(&ctx);
	buf_init(&out, &arena);
	if (!CHECK(ledger_report(l, &arena, &q, &out)))
		printf("%s", buf_str(&ctx.messages));
	return buf_str(&out);
}

/* One that is refused; its message. */
static const char *no_report(LedgerQuery q, ErrKind kind)
{
	Buf out;

	ctx_clear_errors(&ctx);
	buf_init(&out, &arena);
	CHECK(!ledger_report(l, &arena, &q, &out));
	CHECK(ctx.err == kind);
	return buf_str(&ctx.messages);
}

static bool has(const char *text, const char *words)
{
	bool ok = strstr(text, words) != NULL;

	if (!ok)
		printf("no `%s` in\n%s\n", words, text);
	return ok;
}

/* Whether each begins after the one before it. */
static bool in_order(const char *text, const char *const *words, size_t n)
{
	const char *at = text;

	for (size_t i = 0; i < n; i++) {
		at = strstr(at, words[i]);
		if (!at) {
			printf("no `%s` in its place in\n%s\n", words[i], text);
			return false;
		}
		at += strlen(words[i]);
	}
	return true;
}

static json_t *json_report(LedgerQuery q)
{
	json_error_t e;

	q.json = true;
	json_t *j = json_loads(report(q), 0, &e);
	if (!CHECK(j != NULL))
		printf("%s in %s\n", e.text, report(q));
	CHECK_STR(json_string_value(json_object_get(j, "ledger")), path);
	return j;
}

static CandInfo add(const SearchInfo *s, const char *chosen, CandState state,
		    double predicted, double measured, const char *reason)
{
	CandInfo c = cand_of(s, chosen, state);

	c.predicted_us = predicted;
	c.measured_us = measured;
	c.reason = reason;
	if (measured > 0) {
		c.ratio = measured / 100;
		c.lo = c.ratio - 0.01;
		c.hi = c.ratio + 0.01;
	}
	CHECK(ledger_add(l, &c));
	return c;
}

/* Two variants; every kind of end that reports treat in its own way. */
static SearchInfo fill(void)
{
	SearchInfo s = search_of("f");

	CHECK(ledger_begin(l, &s));
	add(&s, "contract mr=6 nr=32", CAND_MEASURED, 95, 100, NULL);
	CandInfo c =
		add(&s, "contract mr=8 nr=32", CAND_CHOSEN, 85, 81.25, NULL);
	TrialResult t = trial_of(81.25, 100);
	CHECK(ledger_settle(l, &c, &t));
	add(&s, "contract mr=4 nr=32", CAND_TIE, 99, 101, NULL);
	add(&s, "contract mr=9 nr=16", CAND_MEASURED, 90, 90, NULL);
	add(&s, "contract mr=40 nr=32", CAND_REFUSED, 0, 0, "mr: 1 to 30");
	add(&s, "contract mr=41 nr=32", CAND_REFUSED, 0, 0, "mr: 1 to 30");
	add(&s, "contract mr=12 nr=64", CAND_REFUSED, 70, 0,
	    "too many vectors");
	add(&s, "contract mr=10 nr=32", CAND_WRONG, 60, 0,
	    "held-out 2, element 17 of y: 1.5, allowed 1.25 to 1.25");
	add(&s, "contractor x=1", CAND_LEFT, 200, 0, "budget");
	c = cand_of(&s, "loop", CAND_CRASHED);
	c.variant = "99998888777766665555";
	c.variant_how = "transpose-matmul";
	c.region = 1;
	c.reason = "signal 11: wrote behind y";
	CHECK(ledger_add(l, &c));
	s.state = "complete";
	s.plan = "0123456789abcdef";
	CHECK(ledger_end(l, &s));
	return s;
}

/* ---- searches and candidates ------------------------------------------- */

static void lists(void)
{
	begin("list.sqlite");
	CHECK(has(report((LedgerQuery){.all = true}), "no searches in "));
	CHECK(has(report((LedgerQuery){0}), "no searches in "));
	fill();
	SearchInfo s = search_of("another");
	CHECK(ledger_begin(l, &s));
	const char *text = report((LedgerQuery){.all = true});
	CHECK(in_order(text,
		       (const char *[]){"search  program  dims", "considered",
					"2  another", "running", " 0 ", "1  f ",
					"K=768 M=1024 N=1024", "cpu:avx512",
					"beam:4", "7  complete", "10  ",
					"0123456789ab  ",
					"chosen 1, tie 1, measured 2",
					"refused 3, left 1\n"},
		       14));
	CHECK(!strstr(report((LedgerQuery){.all = true, .program = "f"}),
		      "another"));
	CHECK(!strstr(report((LedgerQuery){.all = true, .limit = 1}), "1  f"));
	CHECK(has(no_report((LedgerQuery){.program = "g"}, ERR_USAGE),
		  "has no search of g"));
	CHECK(has(no_report((LedgerQuery){.search = 9}, ERR_USAGE),
		  "has no search 9"));
	json_t *j = json_report((LedgerQuery){.all = true});
	json_t *list = json_object_get(j, "searches");
	CHECK(json_array_size(list) == 2);
	json_t *f = json_array_get(list, 1);
	CHECK(json_integer_value(json_object_get(f, "considered")) == 10);
	CHECK(json_is_true(json_object_get(f, "adds_up")));
	CHECK_STR(json_string_value(json_object_get(f, "seed")), "7");
	CHECK(!json_object_get(f, "candidates"));
	json_decref(j);
	finish();
}

static void one_search(void)
{
	begin("one.sqlite");
	SearchInfo s = fill();
	const char *text = report((LedgerQuery){0});
	CHECK(in_order(
		text,
		(const char *[]){
			"search 1   f   K=768 M=1024 N=1024   cpu:avx512\n",
			"policy    beam:4, seed 7, at most 60 s\n",
			"plan      0123456789abcdef\n",
			"program   c0ffee\n",
			"compiler  cc 12.2.0 -O3\n",
			s.key,
			"variant 111122223333 (as written), region 0\n",
			"contract mr=8 nr=32   chosen",
			"85.00",
			"81.25",
			"0.812 [0.802, 0.823]",
			"mr=9 nr=16   measured",
			"mr=6 nr=32   measured",
			"mr=4 nr=32   tie",
			"mr=10 nr=32  wrong",
			"held-out 2, element 17",
			"  left 1 (best predicted 200.0 us): budget\n",
			"  refused 2: mr: 1 to 30\n",
			"  refused 1 (best predicted 70.00 us): too many",
			"variant 999988887777 (transpose-matmul), region 1\n",
			"signal 11",
			"considered 10 = chosen 1 + tie 1 + measured 2 + "
			"crashed 1 + wrong 1 + refused 3 + left 1\n"},
		22));
	CHECK(!strstr(text, "mr=40"));
	text = report((LedgerQuery){.state = "refused"});
	CHECK(has(text, "mr=40") && has(text, "mr=41") && has(text, "mr=12"));
	CHECK(!strstr(text, "chosen   ") && !strstr(text, "999988887777"));
	text = report((LedgerQuery){.region = "1"});
	CHECK(has(text, "signal 11") && !strstr(text, "mr="));
	text = report((LedgerQuery){.realisation = "contract"});
	CHECK(has(text, "mr=8") && !strstr(text, "budget"));
	text = report((LedgerQuery){.limit = 2});
	CHECK(has(text, "\n4 more are not shown\n") && !strstr(text, "mr=6"));
	text = report(
		(LedgerQuery){.samples = true, .realisation = "contract"});
	CHECK(has(text, "samples of 1:  81.25/100.0  *82.25/99.00  83.25/"));
	CHECK(has(report((LedgerQuery){.region = "all"}),
		  "no such candidates"));
	CHECK(has(no_report((LedgerQuery){.state = "fast"}, ERR_USAGE),
		  "states are left, refused"));
	CHECK(has(no_report((LedgerQuery){.region = "x"}, ERR_USAGE),
		  "no region `x`"));
	finish();
}

static void one_search_json(void)
{
	begin("onejson.sqlite");
	fill();
	json_t *j = json_report((LedgerQuery){.samples = true});
	json_t *s = json_array_get(json_object_get(j, "searches"), 0);
	json_t *c = json_object_get(s, "candidates"), *x, *state;
	const char *name;
	json_int_t sum = 0;
	CHECK(json_array_size(c) == 10);
	json_object_foreach(json_object_get(s, "states"), name, state)
	{
		sum += json_integer_value(state);
	}
	CHECK(sum == 10);
	x = json_array_get(c, 0);
	CHECK_STR(json_string_value(json_object_get(x, "state")), "chosen");
	CHECK(json_number_value(json_object_get(x, "measured_us")) == 81.25);
	CHECK(json_is_null(json_object_get(x, "reason")));
	x = json_object_get(x, "samples");
	CHECK(json_array_size(x) == TRIAL_ROUNDS);
	x = json_array_get(x, 1);
	CHECK(json_number_value(json_object_get(x, "us")) == 82.25);
	CHECK(json_is_false(json_object_get(x, "first")));
	json_decref(j);
	finish();
}

/* The count of the search is held against its rows. */
static void adding_up(void)
{
	begin("sum.sqlite");
	fill();
	CHECK(tell(path, "DELETE FROM candidate WHERE ord = 4"));
	CHECK(has(no_report((LedgerQuery){0}, ERR_ENV),
		  "has considered 10 candidates, and holds 9"));
	Buf out;
	buf_init(&out, &arena);
	CHECK(!ledger_report(l, &arena, &(LedgerQuery){0}, &out));
	CHECK(has(buf_str(&out), "considered 10 is not chosen 1 + "));
	/* removing a whole search by hand leaves nothing behind */
	CHECK(tell(path, "PRAGMA foreign_keys = ON; DELETE FROM search"));
	CHECK(ask(path, "SELECT count(*) FROM candidate") == 0);
	CHECK(ask(path, "SELECT count(*) FROM sample") == 0);
	finish();
}

/* ---- the refutation report --------------------------------------------- */

static void refutations(void)
{
	begin("refuted.sqlite");
	SearchInfo s = fill();
	LedgerQuery q = {.refutation = true};
	CHECK(in_order(
		report(q),
		(const char *[]){
			"chosen     1: contract mr=8 nr=32",
			"predicted 85.00 us, measured 81.25 us\n",
			"the fastest that is wrong or illegal\n",
			"  candidate  7: contract mr=10 nr=32",
			"  ruled out  wrong: held-out 2, element 17 of y",
			"  cost       predicted 60.00 us, not timed: it was",
			"  given up   25.00 us of the 85.00 predicted us "
			"(29.4 %)\n",
			"the fastest of the refused\n", "  candidate  6:",
			"  ruled out  refused: too many vectors\n",
			"not timed: it is refused\n",
			"  given up   15.00 us of the 85.00",
			"wrong 1, of which 0 have no time to be weighed by\n",
			"crashed 1, of which 1 have no time",
			"refused 3, of which 2 have no time"},
		15));
	json_t *j = json_report(q);
	json_t *x = json_array_get(json_object_get(j, "refutations"), 0);
	CHECK(json_is_null(
		json_object_get(json_object_get(x, "by_state"), "crashed")));
	x = json_object_get(x, "fastest");
	CHECK(json_integer_value(json_object_get(x, "order")) == 7);
	CHECK(json_number_value(json_object_get(x, "given_up_us")) == 25);
	json_decref(j);
	/* measured: it is weighed by that, whatever was predicted */
	add(&s, "library", CAND_REFUSED, 500, 40.625, "adds before it rounds");
	CHECK(in_order(report(q),
		       (const char *[]){"candidate  10: library",
					"predicted 500.0 us, measured 40.62 us",
					"40.62 us of the 81.25 measured us "
					"(50.0 %)"},
		       3));
	/* so is one of another place: it is the time of a whole call */
	CandInfo second = cand_of(&s, "loop lanes=8", CAND_CHOSEN);
	second.region = 1;
	second.predicted_us = 15;
	second.measured_us = 90;
	CHECK(ledger_add(l, &second));
	CandInfo far = cand_of(&s, "external kernel=mine", CAND_WRONG);
	far.variant = "another";
	far.region = 3;
	far.reason = "fixture specials: element 3";
	far.measured_us = 20.3125;
	CHECK(ledger_add(l, &far));
	CHECK(in_order(report(q),
		       (const char *[]){"candidate  12: external kernel=mine",
					"cost       measured 20.31 us\n",
					"60.94 us of the 81.25 measured us "
					"(75.0 %)"},
		       3));
	/* what is predicted of a whole plan, against all that is chosen */
	far.state = CAND_REFUSED;
	far.region = -1;
	far.chosen = "";
	far.measured_us = 0;
	far.predicted_us = 25;
	CHECK(ledger_add(l, &far));
	CHECK(in_order(report(q),
		       (const char *[]){"the fastest of the refused",
					"75.00 us of the 100.0 predicted us "
					"(75.0 %)"},
		       2));
	/* nothing chosen, nothing refuted */
	SearchInfo none = search_of("g");
	CHECK(ledger_begin(l, &none));
	CHECK(has(report(q), "none was wrong or illegal"));
	add(&none, "loop", CAND_WRONG, 0, 0, "x");
	CHECK(has(report(q), "none that was wrong or illegal has a time"));
	add(&none, "loop", CAND_WRONG, 3, 0, "x");
	CHECK(has(report(q), "given up   not known"));
	add(&none, "loop", CAND_CHOSEN, 2, 0, NULL);
	CHECK(has(report(q),
		  "given up   nothing: the chosen one is predicted"));
	finish();
}

/* ---- plans ------------------------------------------------------------- */

typedef struct Text {
	char *p;
	char identity[SHA256_HEX];
} Text;

static bool keep(void *arg, const char *text, size_t len)
{
	((Text *)arg)->p = strndup(text, len);
	return true;
}

/* The JSON of a plan of the small program. */
static Text plan_of(const char *pin)
{
	Case k;
	Text t = {0};
	PlanParts parts = {0};
	TenonPlanOptions o = {.target = "cpu:avx2",
			      .emit_only = true,
			      .pins = &pin,
			      .npins = pin ? 1 : 0};

	if (case_open(&k, "small.tn", small_text, NULL) &&
	    works(&k, tenon_compile(k.c, k.p, &o, &k.plan), "compile"))
		works(&k, tenon_plan_dump(k.plan, "plan", keep, &t), "plan");
	case_close(&k);
	if (CHECK(t.p && plan_parts(&ctx, &arena, "plan", t.p, strlen(t.p),
				    false, &parts)))
		memcpy(t.identity, parts.identity, SHA256_HEX);
	return t;
}

static void plans(void)
{
	char words[100];

	begin("plans.sqlite");
	Text t = plan_of(NULL), other = plan_of("loop.lanes=4");
	CHECK(strcmp(t.identity, other.identity) != 0);
	CHECK(!ledger_plan(l, &arena, t.identity) && !ctx.warnings.n);
	CHECK(ledger_keep_plan(l, t.identity, t.p));
	CHECK(ledger_keep_plan(l, t.identity, t.p));
	CHECK(ask(path, "SELECT count(*) FROM plan") == 1);
	CHECK_STR(ledger_plan(l, &arena, t.identity), t.p);
	CHECK(!ctx.warnings.n && !ctx.errors);
	/* bytes that were changed, then with their hash too */
	CHECK(tell(path,
		   "UPDATE plan SET json = replace(json, 'relu', 'abs_')"));
	CHECK(!ledger_plan(l, &arena, t.identity) && ctx.warnings.n == 1);
	CHECK(has(ctx.warnings.p[0], "its text is not what was kept"));
	CHECK(has(no_report((LedgerQuery){.compare = {t.identity, t.identity}},
			    ERR_ENV),
		  "its text is not what was kept"));
	/* kept anew, it is whole again */
	CHECK(ledger_keep_plan(l, t.identity, t.p));
	CHECK_STR(ledger_plan(l, &arena, t.identity), t.p);
	snprintf(words, sizeof(words), "UPDATE plan SET identity = '%s'",
		 other.identity);
	CHECK(tell(path, words));
	CHECK(!ledger_plan(l, &arena, other.identity));
	CHECK(has(ctx.warnings.p[1], "its text is another plan's"));
	ctx_clear_errors(&ctx);
	CHECK(!ledger_keep_plan(l, other.identity, t.p));
	CHECK(has(buf_str(&ctx.messages), "was to be kept as such"));
	free(t.p);
	free(other.p);
	finish();
}

static void compared(void)
{
	begin("compare.sqlite");
	Text a = plan_of(NULL), b = plan_of("loop.lanes=4");
	SearchInfo s = search_of("small");
	CHECK(ledger_keep_plan(l, a.identity, a.p) &&
	      ledger_keep_plan(l, b.identity, b.p));
	CHECK(ledger_begin(l, &s));
	CandInfo c = add(&s, "loop width=8", CAND_CHOSEN, 5, 6.5, NULL);
	c.plan = a.identity;
	CHECK(ledger_settle(l, &c, NULL));
	char first[13], second[13];
	snprintf(first, sizeof(first), "%.12s", a.identity);
	snprintf(second, sizeof(second), "%.12s", b.identity);
	LedgerQuery q = {.compare = {first, second}};
	CHECK(in_order(
		report(q),
		(const char *[]){
			a.identity, b.identity, "program    same\n",
			"target     same\n", "kernel 0   differs in line 1\n",
			"  a  k0 loop region 0 lanes=8 ",
			"  b  k0 loop region 0 lanes=4 ",
			"source 0   differs in line ", "times of a\n", "chosen",
			"5.000", "6.500", "0.065 [0.055, 0.075]",
			"times of b\n  none in the ledger\n"},
		14));
	json_t *j = json_report(q);
	json_t *x = json_object_get(j, "compare");
	CHECK_STR(json_string_value(json_object_get(x, "b")), b.identity);
	CHECK(json_array_size(json_object_get(x, "times_a")) == 1);
	CHECK(json_array_size(json_object_get(x, "parts")) == 6);
	json_decref(j);
	q.compare[1] = first;
	CHECK(!strstr(report(q), "differs"));
	q.compare[1] = "ffff00001111";
	CHECK(has(no_report(q, ERR_USAGE), "keeps no plan ffff00001111"));
	q.compare[1] = "abc";
	CHECK(has(no_report(q, ERR_USAGE), "`abc` is no identity"));
	q.compare[1] = NULL;
	CHECK(has(no_report(q, ERR_USAGE), "is no identity"));
	CHECK(tell(path, "UPDATE plan SET identity = 'abcd' || identity"));
	q.compare[1] = "abcd";
	CHECK(has(no_report((LedgerQuery){.compare = {"abcd", "abcd"}},
			    ERR_USAGE),
		  "give more digits"));
	free(a.p);
	free(b.p);
	finish();
}

static void folder_goes(void)
{
	test_folder_remove();
}

TEST_MAIN(TEST(lists), TEST(one_search), TEST(one_search_json), TEST(adding_up),
	  TEST(refutations), TEST(plans), TEST(compared), TEST(folder_goes))
