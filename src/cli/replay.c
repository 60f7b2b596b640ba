/*
 * replay: run exactly the plan of a file, or refuse; or what was made of it by
 * hand.
 */
#include "cli.h"

int cli_replay(const Args *a)
{
	Session s;
	TenonError err;
	int code = session_init(&s, a);

	if (code == EXIT_GOOD) {
		err = arg_has(a, OPT_ADOPT)
			      ? tenon_plan_adopt(s.ctx, a->operand, &s.program,
						 &s.plan)
			      : tenon_plan_load(s.ctx, a->operand, &s.program,
						&s.plan);
		code = err ? session_fail(&s, err) : EXIT_GOOD;
	}
	if (code == EXIT_GOOD)
		code = execute(&s);
	session_clear(&s);
	return code;
}
