/*
 * tune: a search for a faster plan, and what came of it.
 */
#include "cli.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define BUDGET 60.0 /* seconds */

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

static bool stopped(void)
{
	return interrupted;
}

static void show(void *arg, const char *line)
{
	(void)arg;
	progress(line);
}

/* 60s, 200 or both. */
static int budget(Session *s, TenonTuneOptions *o)
{
	const char *text = arg_value(s->args, OPT_BUDGET);

	for (const char *at = text; at;) {
		char *end;
		errno = 0;
		double v = strtod(at, &end);
		bool seconds = end != at && *end == 's';
		bool given = seconds ? o->seconds > 0 : o->candidates > 0;
		bool good = end != at && v > 0 && v < 1e9 && !errno && !given &&
			    (seconds || v == floor(v));
		end += seconds;
		if (!good || (*end && *end != ','))
			return session_fail_text(
				s, EXIT_USAGE, NULL,
				"--budget: %s is not seconds (60s), candidates "
				"(200) or both (60s,200)",
				text);
		if (seconds)
			o->seconds = v;
		else
			o->candidates = (int64_t)v;
		at = *end ? end + 1 : NULL;
	}
	if (!text && (!o->policy || strcmp(o->policy, "all") != 0))
		o->seconds = BUDGET;
	return EXIT_GOOD;
}

static int options(Session *s, TenonTuneOptions *o)
{
	const Args *a = s->args;
	const char *regime = arg_value(a, OPT_REGIME);
	int code;

	*o = (TenonTuneOptions){
		.policy = arg_value(a, OPT_POLICY),
		.seed = 1,
		.without = arg_value(a, OPT_WITHOUT),
		.ledger = arg_value(a, OPT_LEDGER),
		.again = arg_has(a, OPT_AGAIN),
		.cold = regime && !strcmp(regime, "cold"),
		.stop = stopped,
		.progress = show,
	};
	if (regime && !o->cold && strcmp(regime, "warm") != 0)
		return session_fail_text(s, EXIT_USAGE, NULL,
					 "--regime %s: it is warm or cold",
					 regime);
	const char *limit = arg_value(a, OPT_LIMIT);
	char *end = NULL;

	o->limit = limit ? strtod(limit, &end) : 0;
	if (limit && (end == limit || *end || !(o->limit > 0)))
		return session_fail_text(s, EXIT_USAGE, NULL,
					 "--limit %s: it is a number of "
					 "seconds",
					 limit);
	code = arg_number(a, OPT_SEED, 0, UINT64_MAX, &o->seed);
	return code == EXIT_GOOD ? budget(s, o) : code;
}

/* ---- telling --------------------------------------------------------- */

static void print_counts(const TenonTuneReport *r)
{
	const char *comma = "";

	printf("ledger   search %" PRId64 ": %s considered = ", r->search,
	       text_count(r->considered).s);
	for (int i = TENON_CAND_STATES - 1; i >= 0; i--) {
		if (!r->counts[i])
			continue;
		printf("%s%s %s", comma, text_count(r->counts[i]).s,
		       tenon_cand_state((TenonCandState)i));
		comma = " + ";
	}
	putchar('\n');
}

static void print_outcome(Session *s, const TenonTuneReport *r)
{
	TenonPlanInfo info;

	tenon_plan_info(s->plan, &info);
	print_head(s);
	if (r->found) {
		printf("search   %" PRId64 ", done %s by %s: nothing to do "
		       "(--again searches anew)\n",
		       r->search, r->done, r->policy);
	} else {
		printf("search   %s, %s: %s tried of %d variant%s in %s\n",
		       r->policy, r->state, text_count(r->tried).s, r->variants,
		       r->variants == 1 ? "" : "s",
		       text_ms(r->seconds * 1e3).s);
		print_counts(r);
		if (r->ratio > 0)
			printf("chosen   %.3f of the rule's time "
			       "[%.3f, %.3f]%s%s\n",
			       r->ratio, r->lo, r->hi, *r->how ? "; " : "",
			       r->how);
		else if (r->tried > 0)
			puts("chosen   the rule's choice: nothing was faster "
			     "beyond noise");
		else
			printf("chosen   predicted %.4g us, the rule's choice "
			       "%.4g us%s%s\n",
			       r->predicted_us, r->rule_predicted_us,
			       *r->how ? "; " : "", r->how);
	}
	printf("plan     %.12s   %d kernel%s, %d launch%s\n", info.identity,
	       info.kernels, info.kernels == 1 ? "" : "s", info.launches,
	       info.launches == 1 ? "" : "es");
}

static void report_outcome(Session *s, const TenonTuneReport *r)
{
	json_t *counts = json_object();

	report_head(s);
	for (int i = 0; i < TENON_CAND_STATES; i++)
		json_object_set_new(counts, tenon_cand_state((TenonCandState)i),
				    json_integer(r->counts[i]));
	json_object_set_new(
		s->report, "search",
		json_pack("{s:I, s:b, s:s, s:s, s:i, s:I, s:I, s:o, s:f, s:f, "
			  "s:f, s:f, s:f, s:f, s:s}",
			  "id", (json_int_t)r->search, "found", r->found,
			  "state", r->state, "policy", r->policy, "variants",
			  r->variants, "considered", (json_int_t)r->considered,
			  "tried", (json_int_t)r->tried, "counts", counts,
			  "ratio", r->ratio, "lo", r->lo, "hi", r->hi,
			  "predicted_us", r->predicted_us, "rule_predicted_us",
			  r->rule_predicted_us, "seconds", r->seconds, "how",
			  r->how));
	session_report(s, r->state);
}

static TenonError search(Session *s, const char **pins)
{
	TenonPlanOptions plan = plan_options(s->args, pins);
	TenonTuneOptions o;
	TenonTuneReport r;

	if ((s->code = options(s, &o)) != EXIT_GOOD)
		return TENON_OK;
	o.plan = &plan;
	TenonError err = tenon_tune(s->ctx, s->program, &o, &r, &s->plan);
	progress(NULL);
	if (err)
		return err;
	if (s->report)
		report_outcome(s, &r);
	else
		print_outcome(s, &r);
	if (!strcmp(r.state, "exhausted"))
		s->code = session_fail_text(
			s, EXIT_WRONG, "a larger --budget, or another --policy",
			"the budget ended the search: %" PRId64
			" candidates were not tried",
			r.counts[TENON_CAND_LEFT]);
	return TENON_OK;
}

static int tune(Session *s)
{
	const char *file;
	size_t cursor = 0;
	TenonError err;
	int code;

	if ((code = session_program(s)) != EXIT_GOOD ||
	    (code = session_sizes(s)) != EXIT_GOOD ||
	    (code = with_pins(s, search)) != EXIT_GOOD)
		return code;
	while (s->plan && (file = arg_next(s->args, OPT_OUTPUT, &cursor)))
		if ((err = tenon_plan_save(s->plan, file)))
			return session_fail(s, err);
	session_notices(s);
	return s->code;
}

int cli_tune(const Args *a)
{
	struct sigaction stop = {.sa_handler = on_interrupt}, before;
	Session s;
	int code = session_init(&s, a);

	sigaction(SIGINT, &stop, &before);
	if (code == EXIT_GOOD)
		code = tune(&s);
	sigaction(SIGINT, &before, NULL);
	session_clear(&s);
	return code;
}
