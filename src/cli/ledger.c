/*
 * ledger: what searches considered.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static int query(Session *s, TenonLedgerQuery *q)
{
	const Args *a = s->args;
	char *end = NULL;

	*q = (TenonLedgerQuery){
		.ledger = arg_value(a, OPT_LEDGER),
		.all = arg_has(a, OPT_ALL),
		.program = arg_value(a, OPT_PROGRAM),
		.state = arg_value(a, OPT_STATE),
		.refutation = arg_has(a, OPT_REFUTED),
		.samples = arg_has(a, OPT_SAMPLES),
		.json = arg_has(a, OPT_JSON),
	};
	if (a->operand) {
		q->search = strtoll(a->operand, &end, 10);
		if (end == a->operand || *end || q->search < 1)
			return session_fail_text(
				s, EXIT_USAGE, "--all lists them",
				"%s is no number of a search", a->operand);
	}
	return EXIT_GOOD;
}

static int print(Session *s)
{
	const char *both = arg_value(s->args, OPT_COMPARE), *comma;
	char first[80];
	TenonLedgerQuery q;
	TenonError err;
	int code = query(s, &q);

	if (code != EXIT_GOOD)
		return code;
	comma = both ? strchr(both, ',') : NULL;
	if (both && (!comma || comma == both || !comma[1] ||
		     (size_t)(comma - both) >= sizeof(first)))
		return session_fail_text(s, EXIT_USAGE, NULL,
					 "--compare: %s is not two plans, A,B",
					 both);
	if (both) {
		snprintf(first, sizeof(first), "%.*s", (int)(comma - both),
			 both);
		q.compare[0] = first;
		q.compare[1] = comma + 1;
	}
	err = tenon_ledger(s->ctx, &q, write_stdout, NULL);
	return err ? session_fail(s, err) : EXIT_GOOD;
}

int cli_ledger(const Args *a)
{
	Session s;
	int code = session_init(&s, a);

	if (code == EXIT_GOOD)
		code = print(&s);
	session_clear(&s);
	return code;
}
