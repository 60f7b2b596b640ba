/*
 * run: compile a program, run it once on made or given inputs, judge, time.
 */
#include "cli.h"

int cli_run(const Args *a)
{
	Session s;
	int code = session_init(&s, a);

	if (code == EXIT_GOOD)
		code = session_program(&s);
	if (code == EXIT_GOOD)
		code = execute(&s);
	session_clear(&s);
	return code;
}
