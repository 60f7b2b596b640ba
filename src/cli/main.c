/*
 * main: the command line's first word chooses the command.
 *
 * Exit codes: 0 good, 1 the program or its result is wrong, 2 usage, 3 the
 * environment. A failed write to standard output is the environment's; only
 * a reader that went away (EPIPE) is not told about.
 */
#include "cli.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

static int command_run(int argc, char **argv)
{
	CommandId command;
	Args args;
	int code = command_find(argv[0], &command);

	if (code != EXIT_GOOD)
		return code;
	code = args_parse(command, argc - 1, argv + 1, &args);
	if (code != EXIT_GOOD)
		return code;
	if (arg_has(&args, OPT_HELP))
		help_command(command);
	else
		code = command_table[command].function(&args);
	args_release(&args);
	return code;
}

/* tenon help [COMMAND] */
static int help_run(int argc, char **argv)
{
	CommandId command;
	int code;

	if (argc < 2) {
		help_print();
		return EXIT_GOOD;
	}
	code = command_find(argv[1], &command);
	if (code == EXIT_GOOD)
		help_command(command);
	return code;
}

static int dispatch(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;

	if (!word)
		return fail(EXIT_USAGE, "tenon --help lists them",
			    "no command given");
	if (strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 ||
	    strcmp(word, "-h") == 0)
		return help_run(argc - 1, argv + 1);
	if (strcmp(word, "--version") == 0) {
		puts("tenon " TENON_VERSION);
		return EXIT_GOOD;
	}
	if (strcmp(word, "--man") == 0) {
		help_manual();
		return EXIT_GOOD;
	}
	return command_run(argc - 1, argv + 1);
}

/* Whether all that was printed was written; says why not, once. */
static bool output_ended_well(void)
{
	bool good = !ferror(stdout);

	/* The reason of an earlier failure is lost; the next write has it. */
	if (!good) {
		clearerr(stdout);
		putchar('\n');
	}
	errno = 0;
	if (fflush(stdout) == 0 && good)
		return true;
	if (errno != EPIPE)
		fail(EXIT_ENVIRONMENT, NULL,
		     "cannot write to standard output%s%s", errno ? ": " : "",
		     errno ? strerror(errno) : "");
	return false;
}

int main(int argc, char **argv)
{
	int code;

	/* A write to a closed pipe then fails, and is seen at the end. */
	signal(SIGPIPE, SIG_IGN);
	code = dispatch(argc, argv);
	return output_ended_well() ? code : EXIT_ENVIRONMENT;
}
