/*
 * session: a context, a program and its plan, as the options ask; and how
 * errors leave the command: as text on stderr and, with --json, as an
 * object on stdout too.
 */
#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* ---- messages -------------------------------------------------------- */

static bool progress_shown;

void progress(const char *what)
{
	if (what && isatty(STDERR_FILENO)) {
		fprintf(stderr, "\r\033[K%s ...", what);
		progress_shown = true;
	} else if (!what && progress_shown) {
		fprintf(stderr, "\r\033[K");
		progress_shown = false;
	}
}

int fail(int code, const char *hint, const char *fmt, ...)
{
	va_list ap;

	progress(NULL);
	fprintf(stderr, "tenon: error: ");
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	if (hint)
		fprintf(stderr, "hint: %s\n", hint);
	return code;
}

bool write_stdout(void *arg, const char *text, size_t len)
{
	(void)arg;
	return fwrite(text, 1, len, stdout) == len;
}

static int exit_code(TenonError err)
{
	switch (err) {
	case TENON_OK:
		return EXIT_GOOD;
	case TENON_EPROGRAM:
		return EXIT_WRONG;
	case TENON_EUSAGE:
		return EXIT_USAGE;
	case TENON_EENV:
	case TENON_ENOMEM:
		break;
	}
	return EXIT_ENVIRONMENT;
}

static void report_error(Session *s, int code, const char *message)
{
	if (!s->report)
		return;
	json_object_set_new(
		s->report, "error",
		json_pack("{s:i, s:s}", "exit", code, "message", message));
	session_report(s, "error");
}

int session_fail(Session *s, TenonError err)
{
	const char *message = tenon_message(s->ctx);
	int code = exit_code(err);

	session_notices(s);
	if (!*message && err == TENON_ENOMEM)
		message = "tenon: error: out of memory\n";
	fputs(message, stderr);
	report_error(s, code, message);
	return code;
}

int session_fail_text(Session *s, int code, const char *hint, const char *fmt,
		      ...)
{
	char message[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	session_notices(s);
	fail(code, hint, "%s", message);
	report_error(s, code, message);
	return code;
}

/* Each line of the notices to stderr, and into the report. */
void session_notices(Session *s)
{
	const char *text = tenon_notices(s->ctx);
	json_t *list = s->report ? json_object_get(s->report, "notices") : NULL;

	progress(NULL);
	while (*text) {
		size_t n = strcspn(text, "\n");

		fprintf(stderr, "tenon: %.*s\n", (int)n, text);
		if (list)
			json_array_append_new(list, json_stringn(text, n));
		text += n + (text[n] == '\n');
	}
}

void session_report(Session *s, const char *outcome)
{
	if (!s->report)
		return;
	json_object_set_new(s->report, "outcome", json_string(outcome));
	json_dumpf(s->report, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
	putchar('\n');
}

/* ---- life ------------------------------------------------------------ */

int session_init(Session *s, const Args *a)
{
	uint64_t threads = 0;
	int code = arg_number(a, OPT_THREADS, 1, 4096, &threads);

	*s = (Session){.args = a};
	if (code != EXIT_GOOD)
		return code;
	s->ctx = tenon_context_new();
	if (!s->ctx)
		return fail(EXIT_ENVIRONMENT, NULL, "out of memory");
	tenon_set_threads(s->ctx, (int)threads);
	const char *cpus = arg_value(a, OPT_AFFINITY);
	TenonError e = cpus ? tenon_set_affinity(s->ctx, cpus) : TENON_OK;
	if (e)
		return session_fail(s, e);
	tenon_set_cache(s->ctx, arg_value(a, OPT_CACHE));
	tenon_set_compiler(s->ctx, arg_value(a, OPT_CC));
	if (arg_has(a, OPT_JSON))
		s->report = json_pack(
			"{s:s, s:s, s:[]}", "tenon", TENON_VERSION, "command",
			command_table[a->command].name, "notices");
	return EXIT_GOOD;
}

void session_clear(Session *s)
{
	progress(NULL);
	json_decref(s->report);
	tenon_plan_free(s->plan);
	tenon_program_free(s->program);
	tenon_program_free(s->named);
	tenon_context_free(s->ctx);
	*s = (Session){.args = s->args};
}

/* ---- program, sizes, plan -------------------------------------------- */

/* Whether a dump of these stages can do without compiled code. */
static bool dump_only(const Args *a)
{
	const char *stages = arg_value(a, OPT_DUMP);

	return stages && !strstr(stages, "plan");
}

/* The plan's options; pins is the caller's array for them and externals. */
TenonPlanOptions plan_options(const Args *a, const char **pins)
{
	TenonPlanOptions o = {
		.target = arg_value(a, OPT_TARGET),
		.pins = pins,
		.skip = arg_value(a, OPT_SKIP),
		.stop_after = arg_value(a, OPT_STOP_AFTER),
		.emit_only = arg_has(a, OPT_EMIT_ONLY) || dump_only(a),
		.build = arg_has(a, OPT_EMIT_ONLY) && !dump_only(a),
	};
	const char *pin;
	size_t cursor = 0;

	while ((pin = arg_next(a, OPT_PIN, &cursor)))
		pins[o.npins++] = pin;
	/* both are options, so that there is room */
	o.externals = pins + o.npins;
	cursor = 0;
	while ((pin = arg_next(a, OPT_EXTERNAL, &cursor)))
		pins[o.npins + o.nexternals++] = pin;
	return o;
}

static TenonError resume(Session *s, const char **pins)
{
	TenonPlanOptions o = plan_options(s->args, pins);

	return tenon_resume(s->ctx, arg_value(s->args, OPT_FROM),
			    s->args->operand, &o, &s->program, &s->plan);
}

static TenonError compile(Session *s, const char **pins)
{
	TenonPlanOptions o = plan_options(s->args, pins);

	return tenon_compile(s->ctx, s->program, &o, &s->plan);
}

/* Calls make with room for every pin and external that was given. */
int with_pins(Session *s, TenonError (*make)(Session *, const char **))
{
	size_t size = s->args->capacity * sizeof(const char *);
	const char **pins = tenon_alloc(size);
	TenonError err;

	if (!pins)
		return session_fail(s, TENON_ENOMEM);
	progress("compiling");
	err = make(s, pins);
	progress(NULL);
	tenon_release(pins, size);
	return err ? session_fail(s, err) : EXIT_GOOD;
}

/* Reads the program again, its dims as the sizes that they have now. */
static TenonError fix_dims(Session *s, const char **texts, char *room)
{
	TenonProgramOptions o = {
		.entry = arg_value(s->args, OPT_ENTRY),
		.dtype = arg_value(s->args, OPT_DTYPE),
		.fixed = texts,
	};
	TenonProgram *fixed = NULL;
	TenonError err;

	for (int i = 0; i < tenon_program_dims(s->program); i++) {
		int64_t size = tenon_program_dim(s->program, i);
		if (size < 0)
			continue;
		texts[o.nfixed++] = room;
		room += sprintf(room, "%s=%lld",
				tenon_program_dim_name(s->program, i),
				(long long)size) +
			1;
	}
	err = tenon_program_from_file(s->ctx, s->args->operand, &o, &fixed);
	if (err)
		return err;
	/* names of its inputs are in use */
	s->named = s->program;
	s->program = fixed;
	return TENON_OK;
}

static int session_fix(Session *s)
{
	int n = tenon_program_dims(s->program);
	size_t room = 1;
	TenonError err;

	if (arg_has(s->args, OPT_FROM))
		return session_fail_text(s, EXIT_USAGE, NULL,
					 "--fix-dims has no meaning with "
					 "--from");
	/* a pointer, a name, =, at most 19 digits and the end */
	for (int i = 0; i < n; i++)
		room += sizeof(const char *) + 21 +
			strlen(tenon_program_dim_name(s->program, i));
	const char **texts = tenon_alloc(room);
	if (!texts)
		return session_fail(s, TENON_ENOMEM);
	err = fix_dims(s, texts, (char *)(texts + n));
	tenon_release(texts, room);
	return err ? session_fail(s, err) : EXIT_GOOD;
}

int session_sizes(Session *s)
{
	const char *set = arg_value(s->args, OPT_DIMS), *given, *text;
	size_t cursor = 0, n;
	TenonError err;

	if (set && (err = tenon_set_dims(s->program, set)))
		return session_fail(s, err);
	while ((given = arg_next(s->args, OPT_DIM, &cursor))) {
		char name[64], *end;
		long long size;
		int code = arg_pair(OPT_DIM, given, &n, &text);

		if (code != EXIT_GOOD)
			return code;
		errno = 0;
		size = strtoll(text, &end, 10);
		if (*end || errno || n >= sizeof(name))
			return session_fail_text(
				s, EXIT_USAGE, NULL,
				"--dim: %s is not of the form NAME=SIZE",
				given);
		snprintf(name, sizeof(name), "%.*s", (int)n, given);
		err = tenon_set_dim(s->program, name, size);
		if (err)
			return session_fail(s, err);
	}
	return arg_has(s->args, OPT_FIX_DIMS) ? session_fix(s) : EXIT_GOOD;
}

int session_program(Session *s)
{
	const Args *a = s->args;
	TenonProgramOptions o = {
		.entry = arg_value(a, OPT_ENTRY),
		.dtype = arg_value(a, OPT_DTYPE),
	};
	TenonError err;
	int code;

	if (arg_has(a, OPT_FROM)) {
		if (o.entry || o.dtype)
			return session_fail_text(
				s, EXIT_USAGE, NULL,
				"--%s has no meaning with --from",
				o.entry ? "entry" : "dtype");
		code = with_pins(s, resume);
		if (code != EXIT_GOOD)
			return code;
	} else {
		err = tenon_program_from_file(s->ctx, a->operand, &o,
					      &s->program);
		if (err)
			return session_fail(s, err);
	}
	return EXIT_GOOD;
}

/* --plan; what would choose another one has no meaning beside it. */
static int session_load(Session *s)
{
	static const OptionId none[] = {OPT_PIN, OPT_TARGET, OPT_SKIP, OPT_FROM,
					OPT_EMIT_ONLY};
	const char *path = arg_value(s->args, OPT_PLAN);
	TenonError err;

	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		if (arg_has(s->args, none[i]))
			return session_fail_text(
				s, EXIT_USAGE, NULL,
				"--%s has no meaning with --plan",
				option_table[none[i]].name);
	err = tenon_plan_load_for(s->program, path, &s->plan);
	return err ? session_fail(s, err) : EXIT_GOOD;
}

int session_plan(Session *s)
{
	const char *path = arg_value(s->args, OPT_SAVE_PLAN);
	TenonError err;
	int code;

	if (arg_has(s->args, OPT_STOP_AFTER) && !arg_has(s->args, OPT_DUMP))
		return session_fail_text(s, EXIT_USAGE, NULL,
					 "--stop-after needs --dump: there is "
					 "nothing to run");
	if (!s->plan && arg_has(s->args, OPT_PLAN)) {
		code = session_load(s);
		if (code != EXIT_GOOD)
			return code;
	} else if (!s->plan) {
		code = with_pins(s, compile);
		if (code != EXIT_GOOD)
			return code;
	}
	if (path && (err = tenon_plan_save(s->plan, path)))
		return session_fail(s, err);
	return EXIT_GOOD;
}

/* ---- dumps ----------------------------------------------------------- */

/* A TenonWriter into a JSON string that grows. */
static bool write_json(void *arg, const char *text, size_t len)
{
	json_t **string = arg;
	size_t old = json_string_length(*string);
	char *joined = tenon_alloc(old + len + 1);

	if (!joined)
		return false;
	memcpy(joined, json_string_value(*string), old);
	memcpy(joined + old, text, len);
	json_string_setn(*string, joined, old + len);
	tenon_release(joined, old + len + 1);
	return true;
}

static TenonError dump_stage(Session *s, const char *stage, bool heading)
{
	json_t *text;
	TenonError err;

	if (!s->report) {
		if (heading)
			printf("== %s ==\n", stage);
		return tenon_plan_dump(s->plan, stage, write_stdout, NULL);
	}
	text = json_string("");
	err = tenon_plan_dump(s->plan, stage, write_json, &text);
	json_object_set_new(json_object_get(s->report, "stages"), stage, text);
	return err;
}

static int dump_stages(Session *s, const char *list)
{
	bool several = strchr(list, ',') != NULL;

	while (*list) {
		char stage[32];
		size_t n = strcspn(list, ",");
		TenonError err;

		snprintf(stage, sizeof(stage), "%.*s", (int)n, list);
		err = dump_stage(s, stage, several);
		if (err)
			return session_fail(s, err);
		list += n + (list[n] == ',');
	}
	return EXIT_GOOD;
}

/* What was compiled, a line each; where nothing was, how to see the code. */
static void print_emitted(TenonPlan *plan, const TenonPlanInfo *info)
{
	TenonCode c;

	printf("emitted  %d kernel%s; ", info->kernels,
	       info->kernels == 1 ? "" : "s");
	if (*info->compiler)
		printf("compiled by %s, not run\n", info->compiler);
	else
		puts("nothing was compiled or run; --dump=sources prints the "
		     "code");
	for (int i = 0; i < info->launches; i++) {
		if (!tenon_plan_code(plan, i, &c))
			continue;
		printf("         %-12s %d registers, ",
		       tenon_plan_launch_name(plan, i), c.registers);
		if (c.spilled)
			printf("%" PRId64 " bytes spilled", c.spilled);
		else
			printf("no spills");
		if (c.shared >= 0)
			printf(", %" PRId64 " bytes shared", c.shared);
		printf(", %" PRId64 " bytes of code%s%s\n", c.code,
		       *c.matrix ? ", " : "", c.matrix);
	}
}

/* Sources, and what was compiled, to the folders that --output names. */
static int write_code(Session *s)
{
	const char *folder;
	size_t cursor = 0;
	TenonError err;

	while (arg_has(s->args, OPT_EMIT_ONLY) &&
	       (folder = arg_next(s->args, OPT_OUTPUT, &cursor)))
		if ((err = tenon_plan_write(s->plan, folder)))
			return session_fail(s, err);
	return EXIT_GOOD;
}

int session_dump(Session *s, bool *done)
{
	const char *list = arg_value(s->args, OPT_DUMP);
	TenonPlanInfo info;
	int code;

	*done = list || arg_has(s->args, OPT_EMIT_ONLY);
	if (!*done)
		return EXIT_GOOD;
	if (s->report) {
		report_head(s);
		json_object_set_new(s->report, "stages", json_object());
	}
	if (list) {
		code = dump_stages(s, list);
		if (code != EXIT_GOOD)
			return code;
	} else if (!s->report) {
		tenon_plan_info(s->plan, &info);
		print_head(s);
		print_emitted(s->plan, &info);
	}
	code = write_code(s);
	if (code != EXIT_GOOD)
		return code;
	session_notices(s);
	session_report(s, "emitted");
	return EXIT_GOOD;
}
