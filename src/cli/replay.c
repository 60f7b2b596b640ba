/*
 * replay: run exactly the plan of a file, or refuse.
 */
#include "cli.h"

int cli_replay(const Args *a)
{
	Session s;
	TenonError err;
	int code = session_init(&s, a);

	if (code == EXIT_GOOD) {
		err = tenon_plan_load(s.ctx, a->operand, &s.program, &s.plan);
		code = err ? session_fail(&s, err) : EXIT_GOOD;
	}
	if (code == EXIT_GOOD)
		code = execute(&s);
	session_clear(&s);
	return code;
}
