/*
 * help: --help and the manual page, both printed from commands.def,
 * options.def and the sections below, so that they cannot disagree with
 * what args.c accepts. In the tables `word` marks what is typed: the manual
 * page sets it bold.
 */
#include "cli.h"

#include <string.h>

#define COLUMNS     79
#define HELP_INDENT 24

/* What the tables do not hold: general sections, in order. */
static const struct {
	const char *title;
	bool in_help; /* also at the end of tenon --help */
	struct {
		const char *term, *text;
	} rows[5];
} section_table[] = {
	{"EXIT STATUS",
	 true,
	 {{"0", "Good."},
	  {"1", "The program, its data or its result is wrong."},
	  {"2", "Wrong usage: an option, a name, a value of an option."},
	  {"3", "The environment: compiler, file system, memory, machine."}}},
	{"ENVIRONMENT",
	 false,
	 {{"PATH", "Where the C compiler is looked for."},
	  {"XDG_CACHE_HOME", "Compiled code is kept in its folder tenon, mode "
			     "0700; ~/.cache/tenon when it is not set."},
	  {"TMPDIR", "Where code is compiled when none is kept."}}},
	{"EXAMPLES",
	 false,
	 {{"tenon run examples/weight_view.tn --dims main",
	   "Compiles, runs, checks and times the program at its main sizes."},
	  {"tenon run layer.tn --in x=x.npy -o results/",
	   "Reads the input x, makes the others from a seed, and writes each "
	   "result to results/."},
	  {"tenon check layer.tn --dtype bf16",
	   "Judges the program, read in bf16, on every family of inputs."},
	  {"tenon explain layer.tn --dump=kernels",
	   "Prints the kernels, in the form that --from reads."}}},
};
#define SECTIONS (sizeof(section_table) / sizeof(*section_table))
#define ROWS     (sizeof(section_table[0].rows) / sizeof(section_table[0].rows[0]))

/* ---- --help ---------------------------------------------------------- */

/* Words of text, wrapped; `column` is where the cursor stands. */
static void wrap(const char *text, int indent, int column)
{
	while (*text) {
		int n = (int)strcspn(text, " ");

		if (column > indent && column + 1 + n > COLUMNS) {
			printf("\n%*s", indent, "");
			column = indent;
		} else if (column > indent) {
			putchar(' ');
			column++;
		}
		printf("%.*s", n, text);
		column += n;
		text += n;
		text += strspn(text, " ");
	}
	putchar('\n');
}

/* A term, and its text in the column to the right. */
static void entry_print(const char *term, const char *text)
{
	int n = printf("  %s", term);

	if (n + 2 > HELP_INDENT) {
		putchar('\n');
		n = 0;
	}
	printf("%*s", HELP_INDENT - n, "");
	wrap(text, HELP_INDENT, HELP_INDENT);
}

static void option_spell(const OptionSpec *o, char *out, size_t size)
{
	char letter[8] = "";

	if (o->letter)
		snprintf(letter, sizeof(letter), "-%c, ", o->letter);
	snprintf(out, size, "%s--%s%s%s", letter, o->name, o->meta ? " " : "",
		 o->meta ? o->meta : "");
}

static void sections_print(void)
{
	for (size_t i = 0; i < SECTIONS; i++) {
		if (!section_table[i].in_help)
			continue;
		printf("\n%s\n", section_table[i].title);
		for (size_t j = 0; j < ROWS; j++)
			if (section_table[i].rows[j].term)
				entry_print(section_table[i].rows[j].term,
					    section_table[i].rows[j].text);
	}
}

void help_print(void)
{
	printf("usage: tenon COMMAND [options]\n\n"
	       "Compiles tensor programs to kernels that keep a declared "
	       "numerical contract,\nand shows every decision on the way.\n\n"
	       "COMMANDS\n");
	for (int c = 0; c < CMD_COUNT; c++)
		entry_print(command_table[c].name, command_table[c].summary);
	printf("\ntenon COMMAND --help describes one; tenon --version prints "
	       "the version.\n");
	sections_print();
}

void help_command(CommandId command)
{
	const CommandSpec *c = &command_table[command];
	char term[80];

	printf("usage: tenon %s%s%s [options]\n\n", c->name,
	       *c->operand ? " " : "", c->operand);
	wrap(c->text, 0, 0);
	printf("\nOPTIONS\n");
	for (int i = 0; i < OPT_COUNT; i++) {
		if (!(option_table[i].where & (1u << command)))
			continue;
		option_spell(&option_table[i], term, sizeof(term));
		entry_print(term, option_table[i].help);
	}
}

/* ---- the manual page ------------------------------------------------- */

/* Text as troff: its special characters escaped, `word` in bold. */
static void troff(const char *text)
{
	bool bold = false;

	for (; *text; text++) {
		switch (*text) {
		case '\\':
			fputs("\\e", stdout);
			break;
		case '-':
			fputs("\\-", stdout);
			break;
		case '~':
			fputs("\\(ti", stdout);
			break;
		case '`':
			bold = !bold;
			fputs(bold ? "\\fB" : "\\fR", stdout);
			break;
		default:
			putchar(*text);
		}
	}
}

static void troff_line(const char *before, const char *text, const char *after)
{
	fputs(before, stdout);
	troff(text);
	fputs(after, stdout);
}

static void manual_commands(void)
{
	printf(".SH COMMANDS\n");
	for (int c = 0; c < CMD_COUNT; c++) {
		printf(".TP\n\\fBtenon %s\\fR", command_table[c].name);
		if (*command_table[c].operand)
			troff_line(" \\fI", command_table[c].operand, "\\fR");
		troff_line("\n", command_table[c].text, "\n");
	}
}

/* Each option, with the commands that take it unless all do. */
static void manual_options(void)
{
	printf(".SH OPTIONS\nEach is followed by the commands that take "
	       "it.\n");
	for (int i = 0; i < OPT_COUNT; i++) {
		const OptionSpec *o = &option_table[i];
		const char *comma = "";

		printf(".TP\n");
		if (o->letter)
			printf("\\fB\\-%c\\fR, ", o->letter);
		troff_line("\\fB\\-\\-", o->name, "\\fR");
		if (o->meta)
			troff_line(" \\fI", o->meta, "\\fR");
		troff_line("\n", o->help, " (");
		for (int c = 0; c < CMD_COUNT; c++) {
			if (!(o->where & (1u << c)))
				continue;
			printf("%s%s", comma, command_table[c].name);
			comma = ", ";
		}
		printf(")\n");
	}
}

static void manual_sections(void)
{
	for (size_t i = 0; i < SECTIONS; i++) {
		printf(".SH %s\n", section_table[i].title);
		for (size_t j = 0; j < ROWS; j++) {
			if (!section_table[i].rows[j].term)
				continue;
			troff_line(".TP\n\\fB", section_table[i].rows[j].term,
				   "\\fR\n");
			troff_line("", section_table[i].rows[j].text, "\n");
		}
	}
}

void help_manual(void)
{
	printf(".\\\" Made by: tenon --man\n"
	       ".TH TENON 1 \"\" \"Tenon %s\" \"User Commands\"\n"
	       ".SH NAME\n"
	       "tenon \\- compile tensor programs that keep a numerical "
	       "contract\n"
	       ".SH SYNOPSIS\n",
	       TENON_VERSION);
	for (int c = 0; c < CMD_COUNT; c++) {
		printf("%s\\fBtenon %s\\fR", c ? ".br\n" : "",
		       command_table[c].name);
		if (*command_table[c].operand)
			troff_line(" \\fI", command_table[c].operand, "\\fR");
		printf(" [\\fIoptions\\fR]\n");
	}
	printf(".br\n\\fBtenon \\-\\-help\\fR | \\fB\\-\\-version\\fR\n"
	       ".SH DESCRIPTION\n"
	       "Tenon compiles tensor programs to kernels that keep a declared "
	       "numerical\ncontract, judges their results against an "
	       "independent evaluator, and shows\nevery decision on the way.\n"
	       "The language is described in docs/language.md, the contract "
	       "in\n"
	       "docs/contract.md, and the output of \\fB\\-\\-json\\fR in "
	       "docs/json.md.\n");
	manual_commands();
	manual_options();
	manual_sections();
}
