/*
 * check: a program judged on every family of inputs. A line is printed as
 * soon as a result of a family is judged, so that long work is seen to move.
 */
#include "cli.h"

#include <string.h>

typedef struct Check {
	Session *s;
	int name_width;
	const char *family; /* of the line before */
	int families;
	json_t *verdicts; /* NULL for text */
} Check;

/* "pass", "FAIL 12", "?" or "-", where only failures are counted. */
static Text outcome_text(TenonOutcome o, int64_t count)
{
	Text x = {"-"};

	switch (o) {
	case TENON_PASS:
		snprintf(x.s, TEXT_MAX, "pass");
		break;
	case TENON_FAIL:
		snprintf(x.s, TEXT_MAX, "FAIL %.32s", text_count(count).s);
		break;
	case TENON_INCONCLUSIVE:
		snprintf(x.s, TEXT_MAX, "?");
		break;
	case TENON_NONE:
		break;
	}
	return x;
}

static void row_print(const Check *c, const char *family, const TenonVerdict *v)
{
	if (!v->applies) {
		printf("%-17s  does not apply: %s\n", family, v->why_not);
		return;
	}
	printf("%-17s  %-*s  ", family, c->name_width,
	       v->result ? v->result : "");
	if (v->fault) {
		printf("%s: a run-time fault of the program\n",
		       v->outcome == TENON_FAIL ? "FAIL" : "as it must");
		return;
	}
	printf("%-8s  ", outcome_text(v->exact, v->mismatches).s);
	if (v->interval == TENON_NONE)
		printf("%-8s %9s %9s", "-", "-", "-");
	else
		printf("%-8s %9.2g %9s",
		       outcome_text(v->interval, v->violations).s,
		       v->median_width, text_count(v->undecided).s);
	if (v->fixed == TENON_NONE)
		printf(" %9s\n", "-");
	else
		printf(" %9s\n", text_count(v->misses).s);
	if (v->exact == TENON_FAIL || v->interval == TENON_FAIL)
		printf("%-17s  element %lld is %s; reference %s, allowed %s to "
		       "%s\n",
		       "", (long long)v->worst, text_real(v->got).s,
		       text_real(v->ref).s, text_real(v->lo).s,
		       text_real(v->hi).s);
}

static void judged(void *arg, const TenonVerdict *v)
{
	Check *c = arg;
	bool same = c->family && strcmp(c->family, v->family) == 0;

	c->families += !same && v->applies;
	if (c->verdicts) {
		json_array_append_new(c->verdicts, json_verdict(v));
		progress(v->family);
	} else {
		progress(NULL);
		row_print(c, same ? "" : v->family, v);
		fflush(stdout);
	}
	c->family = v->family;
}

static void head_print(Check *c)
{
	const TenonProgram *p = c->s->program;

	for (int i = 0; i < tenon_program_results(p); i++) {
		int n = (int)strlen(tenon_program_result_name(p, i));

		c->name_width = n > c->name_width ? n : c->name_width;
	}
	if (c->name_width < 6)
		c->name_width = 6;
	print_head(c->s);
	printf("\n%-17s  %-*s  %-8s  %-8s %9s %9s %9s\n", "family",
	       c->name_width, "result", "exact", "interval", "width/ulp",
	       "undecided", "fixed");
	progress("judging");
}

static void verdict_print(const Check *c, TenonOutcome outcome)
{
	static const char *const text[] = {
		[TENON_PASS] = "exact and interval hold, and every result is "
			       "judged conclusively",
		[TENON_FAIL] = "a result is not what the contract allows",
		[TENON_INCONCLUSIVE] = "nothing is violated, but no family "
				       "judges every result conclusively",
		[TENON_NONE] = "no family applies",
	};

	printf("\n%s: %d famil%s, %s\n", outcome_name(outcome), c->families,
	       c->families == 1 ? "y" : "ies", text[outcome]);
}

static int check(Session *s)
{
	Check c = {.s = s};
	TenonOutcome outcome;
	uint64_t seed = 1;
	TenonError err;
	bool done;
	int code = arg_number(s->args, OPT_SEED, 0, INT64_MAX, &seed);

	if (code != EXIT_GOOD || (code = session_program(s)) != EXIT_GOOD ||
	    (code = session_sizes(s)) != EXIT_GOOD ||
	    (code = session_plan(s)) != EXIT_GOOD ||
	    (code = session_dump(s, &done)) != EXIT_GOOD || done)
		return code;
	if (s->report) {
		report_head(s);
		json_object_set_new(s->report, "seed",
				    json_integer((json_int_t)seed));
		c.verdicts = json_array();
		json_object_set_new(s->report, "verdicts", c.verdicts);
		progress("judging");
	} else {
		head_print(&c);
	}
	err = tenon_check(s->plan, arg_value(s->args, OPT_FAMILIES), seed,
			  judged, &c, &outcome);
	if (err)
		return session_fail(s, err);
	session_notices(s);
	if (!s->report)
		verdict_print(&c, outcome);
	session_report(s, outcome_name(outcome));
	return outcome == TENON_PASS ? EXIT_GOOD : EXIT_WRONG;
}

int cli_check(const Args *a)
{
	Session s;
	int code = session_init(&s, a);

	if (code == EXIT_GOOD)
		code = check(&s);
	session_clear(&s);
	return code;
}
