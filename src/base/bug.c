/*
 * bug: faults of Tenon itself. The only code in the library that prints or
 * ends the process; the place and the stage at hand make a report useful.
 */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>

static TN_THREAD const char *stage_now;

void bug_stage(const char *stage)
{
	stage_now = stage;
}

TN_NORETURN void bug_at(const char *file, int line, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	fprintf(stderr, "tenon: bug at %s:%d", file, line);
	if (stage_now)
		fprintf(stderr, " in stage %s", stage_now);
	fputs(": ", stderr);
	vfprintf(stderr, fmt, ap);
	fputs("\n", stderr);
	va_end(ap);
	abort();
}
