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

/* One write, so that reports of several threads do not mix. */
TN_NORETURN void bug_at(const char *file, int line, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fprintf(stderr, "tenon: bug at %s:%d%s%s: %s\n", file, line,
		stage_now ? " in stage " : "", stage_now ? stage_now : "",
		text);
	abort();
}
