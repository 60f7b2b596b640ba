/*
 * tn_lex: .tn text to tokens.
 *
 * Python's layout rules, reduced to what the language has: a line ends at
 * its newline unless a bracket is open or a backslash ends it; indentation
 * opens and closes blocks; # starts a comment. Indentation is spaces or
 * tabs, never both in one file, so that no reader sees another structure
 * than the compiler.
 *
 * Algorithm: one pass over the bytes with a stack of indentations and a
 * stack of open brackets, both bounded.
 */
#include "front/tn_ast.h"

#include <string.h>

typedef struct Lexer {
	Ctx *ctx;
	Arena *arena;
	const char *s;
	size_t n, i;
	size_t line_start;
	Loc at; /* file and line of the current place */
	VEC(Token) out;
	Loc open[TN_MAX_NESTING]; /* brackets not closed yet */
	TokKind want[TN_MAX_NESTING];
	int nopen;
	uint32_t indents[16];
	int nindents;
	char indent_char; /* 0 until the first indented line */
} Lexer;

static const struct {
	const char *text;
	TokKind kind;
} fixed[] = {
#define TOK(e, text) {text, TK_##e},
	TN_TOKENS(TOK)
#undef TOK
};

const char *token_text(TokKind k)
{
	if (k == TK_EOF)
		return "the end of the file";
	if (k == TK_NEWLINE)
		return "the end of the line";
	if (k == TK_INDENT)
		return "indentation";
	if (k == TK_DEDENT)
		return "the end of the block";
	if (k == TK_NAME)
		return "a name";
	if (k == TK_NUMBER)
		return "a number";
	if (k == TK_STRING)
		return "a string";
	for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
		if (fixed[i].kind == k)
			return fixed[i].text;
	bug("no such token: %d", (int)k);
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static Loc place(const Lexer *l, size_t from, size_t len)
{
	Loc loc = l->at;
	loc.col = (uint32_t)(from - l->line_start) + 1;
	loc.len = len ? (uint32_t)len : 1;
	return loc;
}

static void push(Lexer *l, TokKind kind, Loc loc, const char *text)
{
	Token t = {.kind = kind, .loc = loc, .text = text};
	VEC_PUSH(l->arena, l->out, t);
}

static void next_line(Lexer *l)
{
	l->i++;
	l->line_start = l->i;
	l->at.line++;
}

/* Handles the indentation at the start of a line that has something on it. */
static bool indentation(Lexer *l)
{
	size_t from = l->i;
	while (l->i < l->n && (l->s[l->i] == ' ' || l->s[l->i] == '\t'))
		l->i++;
	char c = l->s[l->i];
	if (l->i >= l->n || c == '\n' || c == '#' ||
	    (c == '\r' && l->s[l->i + 1] == '\n'))
		return true;
	uint32_t width = (uint32_t)(l->i - from);
	for (size_t k = from; k < l->i; k++) {
		if (!l->indent_char)
			l->indent_char = l->s[k];
		if (l->s[k] != l->indent_char)
			return diag_error(l->ctx, place(l, from, width),
					  "use the same everywhere in the file",
					  "indentation mixes tabs and spaces");
	}
	uint32_t top = l->indents[l->nindents - 1];
	Loc loc = place(l, from, width);
	if (width > top) {
		if (l->nindents == (int)ARRAY_LEN(l->indents))
			return diag_error(l->ctx, loc, NULL,
					  "blocks are nested too deeply");
		l->indents[l->nindents++] = width;
		push(l, TK_INDENT, loc, NULL);
	}
	while (width < l->indents[l->nindents - 1]) {
		l->nindents--;
		push(l, TK_DEDENT, place(l, l->i, 1), NULL);
	}
	if (width != l->indents[l->nindents - 1])
		return diag_error(l->ctx, loc,
				  "align it with the lines of its block",
				  "indentation matches no enclosing block");
	return true;
}

static bool word(Lexer *l)
{
	size_t from = l->i;
	while (is_letter(l->s[l->i]) || is_digit(l->s[l->i]))
		l->i++;
	size_t len = l->i - from;
	Loc loc = place(l, from, len);
	if (len > TN_MAX_TOKEN)
		return diag_error(l->ctx, place(l, from, 1), NULL,
				  "a name of %zu characters is too long", len);
	for (size_t k = 0; k < ARRAY_LEN(fixed) && is_letter(fixed[k].text[0]);
	     k++) {
		if (strlen(fixed[k].text) == len &&
		    memcmp(fixed[k].text, l->s + from, len) == 0) {
			push(l, fixed[k].kind, loc, fixed[k].text);
			return true;
		}
	}
	push(l, TK_NAME, loc, arena_strndup(l->arena, l->s + from, len));
	return true;
}

/*
 * Takes every character that could belong to the number, so that `1.2.3`
 * or `12ab` is one bad number; its form is judged by literal_parse.
 */
static bool number(Lexer *l)
{
	size_t from = l->i;
	bool hex = l->s[from] == '0' &&
		   (l->s[from + 1] == 'x' || l->s[from + 1] == 'X');
	for (;;) {
		char c = l->s[l->i];
		char before = l->i > from ? l->s[l->i - 1] : 0;
		bool sign = (c == '+' || c == '-') && !hex &&
			    (before == 'e' || before == 'E');
		if (!is_letter(c) && !is_digit(c) && c != '.' && !sign)
			break;
		l->i++;
	}
	size_t len = l->i - from;
	if (len > TN_MAX_TOKEN)
		return diag_error(l->ctx, place(l, from, 1), NULL,
				  "a number of %zu characters is too long",
				  len);
	push(l, TK_NUMBER, place(l, from, len),
	     arena_strndup(l->arena, l->s + from, len));
	return true;
}

static bool string(Lexer *l)
{
	size_t from = l->i;
	char quote = l->s[l->i++];
	Buf b;
	buf_init(&b, l->arena);
	for (;; l->i++) {
		char c = l->s[l->i];
		if (l->i >= l->n || c == '\n')
			return diag_error(l->ctx, place(l, from, l->i - from),
					  "close it on the same line",
					  "unterminated string");
		if (c == quote)
			break;
		if ((unsigned char)c < ' ' || c == 127)
			return diag_error(l->ctx, place(l, l->i, 1), NULL,
					  "control character in a string");
		if (c == '\\') {
			c = l->s[++l->i];
			if (c != '\\' && c != '\'' && c != '"')
				return diag_error(
					l->ctx, place(l, l->i - 1, 2),
					"only \\\\, \\' and \\\" are known",
					"unknown escape in a string");
		}
		buf_putc(&b, c);
	}
	l->i++;
	if (l->i - from > TN_MAX_TOKEN)
		return diag_error(l->ctx, place(l, from, 1), NULL,
				  "a string of %zu characters is too long",
				  l->i - from);
	push(l, TK_STRING, place(l, from, l->i - from), buf_str(&b));
	return true;
}

/* Keeps the stack of open brackets. */
static bool bracket(Lexer *l, TokKind k, Loc loc)
{
	if (k == TK_LPAR || k == TK_LBRACKET) {
		if (l->nopen == TN_MAX_NESTING)
			return diag_error(l->ctx, loc, NULL,
					  "brackets are nested too deeply");
		l->open[l->nopen] = loc;
		l->want[l->nopen++] = k == TK_LPAR ? TK_RPAR : TK_RBRACKET;
	} else if (k == TK_RPAR || k == TK_RBRACKET) {
		if (!l->nopen)
			return diag_error(l->ctx, loc, NULL,
					  "`%s` closes nothing", token_text(k));
		if (l->want[--l->nopen] != k) {
			diag_error(l->ctx, loc, NULL,
				   "`%s` where `%s` is needed", token_text(k),
				   token_text(l->want[l->nopen]));
			diag_note(l->ctx, l->open[l->nopen],
				  "the bracket that is open");
			return false;
		}
	}
	return true;
}

static bool punctuation(Lexer *l)
{
	for (size_t k = 0; k < ARRAY_LEN(fixed); k++) {
		size_t len = strlen(fixed[k].text);
		if (is_letter(fixed[k].text[0]) ||
		    strncmp(fixed[k].text, l->s + l->i, len) != 0)
			continue;
		Loc loc = place(l, l->i, len);
		l->i += len;
		push(l, fixed[k].kind, loc, fixed[k].text);
		return bracket(l, fixed[k].kind, loc);
	}
	unsigned char c = (unsigned char)l->s[l->i];
	const char *hint = NULL;
	if (c == '!')
		hint = "write `not x`, or `!=` to compare";
	if (c == '{' || c == '}')
		hint = "lists are written [a, b]; blocks are indented";
	if (c > ' ' && c < 127)
		return diag_error(l->ctx, place(l, l->i, 1), hint,
				  "unexpected character `%c`", c);
	return diag_error(
		l->ctx, place(l, l->i, 1),
		"only strings and comments may hold others than ASCII",
		"unexpected byte 0x%02x", c);
}

static bool one_token(Lexer *l)
{
	char c = l->s[l->i];
	if (c == ' ' || c == '\t' || (c == '\r' && l->s[l->i + 1] == '\n')) {
		l->i++;
		return true;
	}
	if (c == '#') {
		while (l->i < l->n && l->s[l->i] != '\n')
			l->i++;
		return true;
	}
	if (c == '\n') {
		bool blank = l->out.n == 0 ||
			     l->out.p[l->out.n - 1].kind == TK_NEWLINE ||
			     l->out.p[l->out.n - 1].kind == TK_DEDENT ||
			     l->out.p[l->out.n - 1].kind == TK_INDENT;
		if (!l->nopen && !blank)
			push(l, TK_NEWLINE, place(l, l->i, 1), NULL);
		next_line(l);
		return l->nopen ? true : indentation(l);
	}
	if (c == '\\') {
		size_t k = l->i + 1;
		if (l->s[k] == '\r')
			k++;
		if (l->s[k] != '\n')
			return diag_error(l->ctx, place(l, l->i, 1), NULL,
					  "a backslash must end its line");
		l->i = k;
		next_line(l);
		return true;
	}
	if (is_letter(c))
		return word(l);
	if (is_digit(c) || (c == '.' && is_digit(l->s[l->i + 1])))
		return number(l);
	if (c == '"' || c == '\'')
		return string(l);
	return punctuation(l);
}

bool tn_lex(Ctx *ctx, Arena *a, uint32_t source, Token **tokens, size_t *n)
{
	const Source *src = &ctx->sources.p[source];
	Lexer l = {.ctx = ctx,
		   .arena = a,
		   .s = src->text,
		   .n = src->len,
		   .at = {.file = source, .line = 1, .col = 1, .len = 1},
		   .nindents = 1};
	if (src->len > TN_MAX_SOURCE)
		return diag_error(ctx, l.at, NULL,
				  "the source has %zu bytes; %u are the most",
				  src->len, TN_MAX_SOURCE);
	if (src->len >= 3 && memcmp(src->text, "\xef\xbb\xbf", 3) == 0)
		l.i = 3; /* a byte order mark */
	if (!indentation(&l))
		return false;
	while (l.i < l.n)
		if (!one_token(&l))
			return false;
	if (l.nopen)
		return diag_error(ctx, l.open[l.nopen - 1], NULL,
				  "this bracket is never closed");
	Loc end = place(&l, l.i, 1);
	if (l.out.n && l.out.p[l.out.n - 1].kind != TK_NEWLINE)
		push(&l, TK_NEWLINE, end, NULL);
	while (l.nindents-- > 1)
		push(&l, TK_DEDENT, end, NULL);
	push(&l, TK_EOF, end, NULL);
	*tokens = l.out.p;
	*n = l.out.n;
	return true;
}
