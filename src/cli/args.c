/*
 * args: argv read by the two tables.
 *
 * Takes --name value, --name=value, -l value, -lvalue; -- ends the options.
 * Operands and options may be mixed. What is unknown is refused with the
 * nearest known word, by edit distance.
 */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const CommandSpec command_table[CMD_COUNT] = {
#define COMMAND(id, name, operand, function, summary, text)                    \
	[CMD_##id] = {name, operand, function, summary, text},
#include "commands.def"
};

const OptionSpec option_table[OPT_COUNT] = {
#define OPTION(id, name, letter, meta, where, many, help)                      \
	[OPT_##id] = {name, letter, meta, where, many, help},
#include "options.def"
};

static const char *const later_table[] = {
#define LATER(name) name,
#include "commands.def"
};

/* ---- suggestions ----------------------------------------------------- */

#define WORD_MAX 32

/*
 * Edit distance with neighbours swapped as one edit (optimal string
 * alignment); words too long are far from everything.
 */
static size_t distance(const char *a, const char *b)
{
	size_t na = strlen(a), nb = strlen(b);
	size_t d[WORD_MAX + 1][WORD_MAX + 1];

	if (na > WORD_MAX || nb > WORD_MAX)
		return WORD_MAX;
	for (size_t i = 0; i <= na; i++)
		d[i][0] = i;
	for (size_t j = 0; j <= nb; j++)
		d[0][j] = j;
	for (size_t i = 1; i <= na; i++) {
		for (size_t j = 1; j <= nb; j++) {
			size_t best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);

			if (d[i - 1][j] + 1 < best)
				best = d[i - 1][j] + 1;
			if (d[i][j - 1] + 1 < best)
				best = d[i][j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < best)
				best = d[i - 2][j - 2] + 1;
			d[i][j] = best;
		}
	}
	return d[na][nb];
}

typedef struct Nearest {
	const char *word;
	size_t distance;
} Nearest;

/* Half of a word's letters may differ before it is no suggestion. */
static void nearest_add(Nearest *n, const char *given, const char *word)
{
	size_t d = distance(given, word);

	if (d * 2 <= strlen(word) && (!n->word || d < n->distance)) {
		n->word = word;
		n->distance = d;
	}
}

/* ---- commands -------------------------------------------------------- */

int command_find(const char *name, CommandId *out)
{
	Nearest near = {NULL, 0};
	char hint[WORD_MAX + 40];

	for (int c = 0; c < CMD_COUNT; c++) {
		if (strcmp(name, command_table[c].name) == 0) {
			*out = (CommandId)c;
			return EXIT_GOOD;
		}
		nearest_add(&near, name, command_table[c].name);
	}
	for (size_t i = 0; i < sizeof(later_table) / sizeof(*later_table); i++)
		if (strcmp(name, later_table[i]) == 0)
			return fail(EXIT_USAGE, NULL,
				    "%s is not available in this version",
				    name);
	if (near.word)
		snprintf(hint, sizeof(hint), "did you mean %s?", near.word);
	else
		snprintf(hint, sizeof(hint), "tenon --help lists them");
	return fail(EXIT_USAGE, hint, "unknown command %s", name);
}

/* ---- options --------------------------------------------------------- */

static bool taken_by(const OptionSpec *o, CommandId command)
{
	return o->where & (1u << command);
}

/* An option's name in argv is the n characters at `name`. */
static int unknown_option(CommandId command, const char *name, size_t n)
{
	const char *where = command_table[command].name;
	char given[WORD_MAX + 1], hint[2 * WORD_MAX + 80];
	Nearest near = {NULL, 0};

	snprintf(given, sizeof(given), "%.*s", (int)n, name);
	for (int i = 0; i < OPT_COUNT; i++) {
		const OptionSpec *o = &option_table[i];

		if (strcmp(given, o->name) == 0)
			return fail(EXIT_USAGE, NULL, "%s takes no option --%s",
				    where, given);
		if (taken_by(o, command))
			nearest_add(&near, given, o->name);
	}
	if (near.word)
		snprintf(hint, sizeof(hint), "did you mean --%s?", near.word);
	else
		snprintf(hint, sizeof(hint), "tenon %s --help lists them",
			 where);
	return fail(EXIT_USAGE, hint, "unknown option --%.*s", (int)n, name);
}

static int find_long(CommandId command, const char *name, size_t n,
		     OptionId *out)
{
	for (int i = 0; i < OPT_COUNT; i++) {
		const OptionSpec *o = &option_table[i];

		if (taken_by(o, command) && strlen(o->name) == n &&
		    memcmp(o->name, name, n) == 0) {
			*out = (OptionId)i;
			return EXIT_GOOD;
		}
	}
	return unknown_option(command, name, n);
}

static int find_letter(CommandId command, char letter, OptionId *out)
{
	char hint[64];

	for (int i = 0; i < OPT_COUNT; i++) {
		const OptionSpec *o = &option_table[i];

		if (taken_by(o, command) && o->letter == letter) {
			*out = (OptionId)i;
			return EXIT_GOOD;
		}
	}
	snprintf(hint, sizeof(hint), "tenon %s --help lists them",
		 command_table[command].name);
	return fail(EXIT_USAGE, hint, "unknown option -%c", letter);
}

/* Reads the option at argv[*i], and its value, which may be the next word. */
static int parse_option(CommandId command, int argc, char **argv, int *i,
			GivenOption *out)
{
	const char *word = argv[*i], *value = NULL, *name = word + 1;
	const OptionSpec *o;
	int code;

	if (word[1] == '-') {
		size_t n;

		name = word + 2;
		n = strcspn(name, "=");
		if (name[n] == '=')
			value = name + n + 1;
		code = find_long(command, name, n, &out->id);
	} else {
		if (word[2] != '\0')
			value = word + 2;
		code = find_letter(command, word[1], &out->id);
	}
	if (code != EXIT_GOOD)
		return code;
	o = &option_table[out->id];
	if (!o->meta && value)
		return fail(EXIT_USAGE, NULL, "option --%s takes no value",
			    o->name);
	if (o->meta && !value && *i + 1 < argc)
		value = argv[++*i];
	if (o->meta && !value)
		return fail(EXIT_USAGE, NULL, "option --%s needs a value: %s",
			    o->name, o->meta);
	out->value = value ? value : "";
	return EXIT_GOOD;
}

static int parse_words(int argc, char **argv, Args *out)
{
	const CommandSpec *c = &command_table[out->command];
	bool options = true;
	int code;

	for (int i = 0; i < argc; i++) {
		if (options && strcmp(argv[i], "--") == 0) {
			options = false;
		} else if (options && argv[i][0] == '-' && argv[i][1]) {
			code = parse_option(out->command, argc, argv, &i,
					    &out->given[out->ngiven]);
			if (code != EXIT_GOOD)
				return code;
			out->ngiven++;
		} else if (!*c->operand) {
			return fail(EXIT_USAGE, NULL, "%s takes no operand: %s",
				    c->name, argv[i]);
		} else if (out->operand) {
			return fail(EXIT_USAGE, NULL,
				    "%s takes one %s; %s is one too many",
				    c->name, c->operand, argv[i]);
		} else {
			out->operand = argv[i];
		}
	}
	/* In brackets: may be left out. */
	if (*c->operand && *c->operand != '[' && !out->operand &&
	    !arg_has(out, OPT_HELP)) {
		char hint[64];

		snprintf(hint, sizeof(hint), "tenon %s --help tells more",
			 c->name);
		return fail(EXIT_USAGE, hint, "%s needs a %s", c->name,
			    c->operand);
	}
	return EXIT_GOOD;
}

int args_parse(CommandId command, int argc, char **argv, Args *out)
{
	int code;

	*out = (Args){.command = command, .capacity = (size_t)argc + 1};
	out->given = tenon_alloc(out->capacity * sizeof(*out->given));
	if (!out->given)
		return fail(EXIT_ENVIRONMENT, NULL, "out of memory");
	code = parse_words(argc, argv, out);
	if (code != EXIT_GOOD)
		args_release(out);
	return code;
}

void args_release(Args *a)
{
	tenon_release(a->given, a->capacity * sizeof(*a->given));
	a->given = NULL;
}

/* ---- values ---------------------------------------------------------- */

bool arg_has(const Args *a, OptionId id)
{
	return arg_value(a, id) != NULL;
}

const char *arg_value(const Args *a, OptionId id)
{
	for (size_t i = a->ngiven; i-- > 0;)
		if (a->given[i].id == id)
			return a->given[i].value;
	return NULL;
}

const char *arg_next(const Args *a, OptionId id, size_t *cursor)
{
	while (*cursor < a->ngiven) {
		const GivenOption *g = &a->given[(*cursor)++];

		if (g->id == id)
			return g->value;
	}
	return NULL;
}

int arg_number(const Args *a, OptionId id, uint64_t low, uint64_t high,
	       uint64_t *out)
{
	const char *text = arg_value(a, id);
	unsigned long long v;
	char *end;

	if (!text)
		return EXIT_GOOD;
	errno = 0;
	v = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || v < low || v > high)
		return fail(EXIT_USAGE, NULL,
			    "--%s: %s is not a whole number from %llu to %llu",
			    option_table[id].name, text,
			    (unsigned long long)low, (unsigned long long)high);
	*out = v;
	return EXIT_GOOD;
}

int arg_pair(OptionId id, const char *given, size_t *name_len,
	     const char **value)
{
	const char *equals = strchr(given, '=');

	if (!equals || equals == given || !equals[1])
		return fail(EXIT_USAGE, NULL, "--%s: %s is not of the form %s",
			    option_table[id].name, given,
			    option_table[id].meta);
	*name_len = (size_t)(equals - given);
	*value = equals + 1;
	return EXIT_GOOD;
}
