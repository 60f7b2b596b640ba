/*
 * program_lex: words, numbers, texts, expressions and lists of the program's
 * text form. Words outside [A-Za-z0-9_./-] are quoted; in quotes only \",
 * \\ and \xHH are escapes. Nothing reads past the NUL that ends a source.
 */
#include "ir/program_text.h"

#include "ir/internal.h"

#include <string.h>

static bool is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '/' ||
	       c == '-';
}

bool word_starts(char c)
{
	return is_word_char(c) && !(c >= '0' && c <= '9') && c != '-' &&
	       c != '.' && c != '/';
}

void printer_quoted(Buf *b, const char *s)
{
	buf_putc(b, '"');
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		if (c == '"' || c == '\\')
			buf_printf(b, "\\%c", c);
		else if (c < ' ' || c >= 0x7f) /* plans are JSON: ASCII only */
			buf_printf(b, "\\x%02x", c);
		else
			buf_putc(b, (char)c);
	}
	buf_putc(b, '"');
}

void printer_word(Buf *b, const char *s)
{
	size_t n = 0;
	while (is_word_char(s[n]))
		n++;
	if (s[n] || !word_starts(s[0]))
		printer_quoted(b, s);
	else
		buf_puts(b, s);
}

Loc reader_here(const Reader *r)
{
	return (Loc){r->source, r->line, (uint32_t)(r->s - r->line_start) + 1,
		     1};
}

void reader_skip(Reader *r)
{
	while (*r->s == ' ' || *r->s == '\t')
		r->s++;
}

bool reader_accept(Reader *r, const char *text)
{
	reader_skip(r);
	size_t n = strlen(text);
	/* the source ends in NUL, so this stops there */
	if (strncmp(r->s, text, n) != 0)
		return false;
	r->s += n;
	return true;
}

bool reader_expect(Reader *r, const char *text)
{
	if (reader_accept(r, text))
		return true;
	return reader_error(r, "expected `%s`", text);
}

bool reader_end(Reader *r)
{
	reader_skip(r);
	if (*r->s != '\n' && *r->s != '\0')
		return reader_error(r, "expected the end of the line");
	return true;
}

bool reader_number(Reader *r, int64_t *v)
{
	reader_skip(r);
	const char *s = r->s;
	const char *error = number_parse(&s, DT_I64, v);
	if (error)
		return reader_error(r, "%s", error);
	r->s = s;
	return true;
}

bool reader_count(Reader *r, int64_t most, uint32_t *v)
{
	int64_t n;
	reader_skip(r);
	Reader at = *r;
	if (!reader_number(r, &n))
		return false;
	if (n < 0 || n > most)
		return reader_error(&at, "expected a number of at most %lld",
				    (long long)most);
	*v = (uint32_t)n;
	return true;
}

bool reader_quoted(Reader *r, const char **out)
{
	Buf b;
	buf_init(&b, r->p->arena);
	if (!reader_expect(r, "\""))
		return false;
	while (*r->s != '"') {
		char c = *r->s;
		if (c == '\0' || c == '\n')
			return reader_error(
				r, "expected `\"` before the line ends");
		r->s++;
		if (c == '\\' && (*r->s == '"' || *r->s == '\\')) {
			c = *r->s++;
		} else if (c == '\\') {
			unsigned v = 0;
			if (*r->s++ != 'x')
				return reader_error(
					r, "only \\\", \\\\ and \\x escape");
			for (int i = 0; i < 2; i++, r->s++) {
				const char *digits = "0123456789abcdef";
				const char *at =
					*r->s ? strchr(digits, *r->s) : NULL;
				if (!at)
					return reader_error(
						r, "expected a hex digit");
				v = v << 4 | (unsigned)(at - digits);
			}
			if (!v)
				return reader_error(r,
						    "a text cannot hold \\x00");
			c = (char)v;
		}
		buf_putc(&b, c);
	}
	r->s++;
	*out = buf_str(&b);
	return true;
}

bool reader_word(Reader *r, const char **out)
{
	reader_skip(r);
	if (*r->s == '"')
		return reader_quoted(r, out);
	size_t n = 0;
	while (is_word_char(r->s[n]))
		n++;
	if (!n || !word_starts(r->s[0]))
		return reader_error(r, "expected a name");
	*out = arena_strndup(r->p->arena, r->s, n);
	r->s += n;
	return true;
}

bool reader_dtype(Reader *r, DType *out)
{
	const char *name;
	reader_skip(r);
	Reader at = *r;
	if (!reader_word(r, &name))
		return false;
	return dtype_parse(name, out) ||
	       reader_error(&at, "`%s` is no dtype", name);
}

bool reader_ex(Reader *r, Ex *out)
{
	reader_skip(r);
	const char *s = r->s;
	const char *error = ex_parse(&r->p->ex, &s, false, out);
	if (!error) {
		r->s = s;
		return true;
	}
	if (s <= r->end)
		r->s = s;
	return reader_error(r, "%s", error);
}

bool reader_list(Reader *r, ReadItem *item, Value *v, uint32_t *n)
{
	*n = 0;
	if (!reader_expect(r, "["))
		return false;
	if (reader_accept(r, "]"))
		return true;
	do {
		if (*n == TN_MAX_RANK)
			return reader_error(r, "more than %d items",
					    TN_MAX_RANK);
		if (!item(r, v, *n))
			return false;
		++*n;
	} while (reader_accept(r, ","));
	return reader_expect(r, "]");
}

bool reader_exact(Reader *r, ReadItem *item, Value *v, uint32_t want)
{
	uint32_t n;
	if (!reader_list(r, item, v, &n))
		return false;
	if (n != want)
		return reader_error(r, "expected %u items, not %u", want, n);
	return true;
}
