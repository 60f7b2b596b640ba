/*
 * explain: Part A and Part B of a program's plan.
 */
#include "cli.h"

static int explain(Session *s)
{
	bool done, json = arg_has(s->args, OPT_JSON);
	TenonError err;
	int code;

	if ((code = session_program(s)) != EXIT_GOOD ||
	    (code = session_sizes(s)) != EXIT_GOOD ||
	    (code = session_plan(s)) != EXIT_GOOD)
		return code;
	if (arg_has(s->args, OPT_DUMP))
		return session_dump(s, &done);
	err = tenon_explain(s->plan, json, write_stdout, NULL);
	if (err)
		return session_fail(s, err);
	session_notices(s);
	return EXIT_GOOD;
}

int cli_explain(const Args *a)
{
	Session s;
	int code = session_init(&s, a);

	if (code == EXIT_GOOD)
		code = explain(&s);
	session_clear(&s);
	return code;
}
