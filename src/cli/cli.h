/*
 * cli: the command `tenon`, on the public header and jansson only.
 *
 *   args      commands.def and options.def read from argv           args.c
 *   help      --help and the manual page, from the same tables      help.c
 *   session   context, program, sizes and plan; errors; dumps       session.c
 *   execute   inputs, run, times and verdicts, for run and replay   execute.c
 *   print     aligned text and JSON                                 print.c
 *
 * and one file a command. Functions that can fail return an exit code; by
 * then what went wrong has been printed.
 */
#ifndef TENON_CLI_H
#define TENON_CLI_H

#include "tenon.h"

#include <jansson.h>
#include <stdio.h>

enum {
	EXIT_GOOD = 0,
	EXIT_WRONG = 1, /* the program or its result */
	EXIT_USAGE = 2,
	EXIT_ENVIRONMENT = 3,
};

/* ---- args ------------------------------------------------------------ */

typedef enum CommandId {
#define COMMAND(id, name, operand, function, summary, text) CMD_##id,
#include "commands.def"
	CMD_COUNT,
} CommandId;

typedef enum OptionId {
#define OPTION(id, name, letter, meta, where, many, help) OPT_##id,
#include "options.def"
	OPT_COUNT,
} OptionId;

#define ON(id) (1u << CMD_##id)

typedef struct Args Args;

typedef struct CommandSpec {
	const char *name, *operand;
	int (*function)(const Args *);
	const char *summary, *text;
} CommandSpec;
extern const CommandSpec command_table[CMD_COUNT];

typedef struct OptionSpec {
	const char *name;
	char letter;
	const char *meta;
	unsigned where;
	bool many;
	const char *help;
} OptionSpec;
extern const OptionSpec option_table[OPT_COUNT];

typedef struct GivenOption {
	OptionId id;
	const char *value; /* "" for an option that takes none */
} GivenOption;

struct Args {
	CommandId command;
	GivenOption *given; /* in order */
	size_t ngiven;
	const char *operand; /* NULL for a command without one */
	size_t capacity;     /* of given */
};

/* Finds a command by name; suggests the nearest if there is none. */
int command_find(const char *name, CommandId *out);
/* Reads what follows the command's name. --help needs no operand. */
int args_parse(CommandId command, int argc, char **argv, Args *out);
void args_release(Args *a);
bool arg_has(const Args *a, OptionId id);
/* The last value given, or NULL. */
const char *arg_value(const Args *a, OptionId id);
/* The value after *cursor (which starts at 0), or NULL. */
const char *arg_next(const Args *a, OptionId id, size_t *cursor);
/* A whole number in [low, high]; *out is left alone when not given. */
int arg_number(const Args *a, OptionId id, uint64_t low, uint64_t high,
	       uint64_t *out);
/* Splits NAME=VALUE at its first '='; 0, or EXIT_USAGE with a message. */
int arg_pair(OptionId id, const char *given, size_t *name_len,
	     const char **value);

/* ---- help ------------------------------------------------------------ */

void help_print(void);                /* all commands */
void help_command(CommandId command); /* one */
void help_manual(void);               /* the manual page, as troff */

/* ---- session --------------------------------------------------------- */

typedef struct Session {
	const Args *args;
	TenonContext *ctx;
	TenonProgram *program;
	TenonProgram *named; /* as written, where `program` has fixed dims */
	TenonPlan *plan;
	json_t *report; /* the object that --json prints, else NULL */
	int code;       /* of a command that goes on after what it reports */
} Session;

int session_init(Session *s, const Args *a);
void session_clear(Session *s);
/* The program from FILE; with --from, its plan too. */
int session_program(Session *s);
/* --dims and --dim. */
int session_sizes(Session *s);
/* The plan's options; pins is the caller's array for them. */
TenonPlanOptions plan_options(const Args *a, const char **pins);
/* Calls make with room for every pin that was given. */
int with_pins(Session *s, TenonError (*make)(Session *, const char **));
/* The plan, unless there is one, and --save-plan. */
int session_plan(Session *s);
/* --dump and --emit-only, which end the work: *done. */
int session_dump(Session *s, bool *done);
/* Prints the context's message for err; returns its exit code. */
int session_fail(Session *s, TenonError err);
/* The same for an error that the command itself found. */
int session_fail_text(Session *s, int code, const char *hint, const char *fmt,
		      ...) __attribute__((format(printf, 4, 5)));
/* Prints notices so far to stderr, and adds them to the report. */
void session_notices(Session *s);
/* Prints the report, if there is one, with its outcome. */
void session_report(Session *s, const char *outcome);
/* A TenonWriter on stdout; arg is not used. */
bool write_stdout(void *arg, const char *text, size_t len);

/* "tenon: error: TEXT" and, unless NULL, "hint: HINT"; returns code. */
int fail(int code, const char *hint, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* On a terminal, one line that says what takes long; NULL erases it. */
void progress(const char *what);

/* ---- execute --------------------------------------------------------- */

/*
 * Inputs, run, verdicts, times, files and report of a session that has its
 * program; makes the plan when there is none yet.
 */
int execute(Session *s);

/* ---- print ----------------------------------------------------------- */

#define TEXT_MAX 256 /* eight extents of 20 digits fit */
typedef struct Text {
	char s[TEXT_MAX];
} Text;

Text text_type(const TenonTensor *t);     /* f16 [1024, 768]; f16 */
Text text_count(int64_t n);               /* 1,048,576 */
Text text_bytes(int64_t n);               /* 1.5 MiB */
Text text_ms(double ms);                  /* 1.23 ms */
Text text_real(double v);                 /* the shortest that reads back */
const char *outcome_name(TenonOutcome o); /* pass fail inconclusive - */

/* The first line of run, check and replay: name, sizes, target, threads. */
void print_head(Session *s);
/* One result's verdict, a line each of exact, interval and fixed. */
void print_verdict(const TenonVerdict *v, const TenonTensor *result);

json_t *json_text(const char *s); /* null for NULL */
json_t *json_ms(double ms);
json_t *json_tensor(const char *name, const TenonTensor *t);
json_t *json_verdict(const TenonVerdict *v);
json_t *json_plan(TenonPlan *plan);
/* Program, file, sizes and threads into the report. */
void report_head(Session *s);

/* ---- commands -------------------------------------------------------- */

#define COMMAND(id, name, operand, function, summary, text)                    \
	int function(const Args *);
#include "commands.def"

#endif
