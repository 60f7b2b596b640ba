/*
 * edit: text edits of generated code, as regular expressions over lines.
 *
 * An edit is tried on every line of the kernels' functions (after the
 * helpers); `put` may use \0 to \9, $ for the program's dtype, @ for the narrow
 * format to round to where none belongs, ~ for a dtype that it does not
 * declare, and {x} for the memory of its input x. An edit that matches
 * nowhere is an error of the caller, never passed over.
 */
#ifndef TENON_MUTANTS_EDIT_H
#define TENON_MUTANTS_EDIT_H

#include "base/base.h"

#include <regex.h>
#include <stdio.h>
#include <string.h>

typedef struct Edit {
	const char *within; /* part of the function's name; NULL: any */
	const char *find, *put;
	const char *then; /* the next line of code must match; NULL: any */
	int nth;          /* only this match, from 1; 0: every match */
} Edit;

typedef struct Dialect {
	const char *dtype;  /* of the program, $ */
	const char *narrow; /* @ */
	const char *other;  /* ~ */
} Dialect;

#define EDIT_GROUPS 10

static inline void edit_compile(regex_t *re, const char *pattern)
{
	if (regcomp(re, pattern, REG_EXTENDED))
		bug("regular expression: %s", pattern);
}

static inline bool edit_matches(const char *pattern, const char *line)
{
	regex_t re;

	edit_compile(&re, pattern);
	bool yes = !regexec(&re, line, 0, NULL, 0);
	regfree(&re);
	return yes;
}

/* The memory of a buffer by the program's name for it, `args->buffers[3]`,
 * as the source declares it; `{x}` in put. */
static inline void edit_buffer(Buf *b, const char *source, const char *name)
{
	char pattern[120];
	regex_t re;
	regmatch_t m[EDIT_GROUPS];

	snprintf(pattern, sizeof pattern,
		 "const (b_)?b_%s = (args->buffers\\[[0-9]+\\]);", name);
	edit_compile(&re, pattern);
	if (regexec(&re, source, EDIT_GROUPS, m, 0))
		bug("no buffer %s in the source", name);
	buf_write(b, source + m[2].rm_so, (size_t)(m[2].rm_eo - m[2].rm_so));
	regfree(&re);
}

static inline void edit_put(Buf *b, const char *put, const char *line,
			    const regmatch_t *m, const Dialect *d,
			    const char *source)
{
	for (const char *s = put; *s; s++) {
		if (*s == '\\' && s[1] >= '0' && s[1] <= '9') {
			const regmatch_t *g = &m[*++s - '0'];
			if (g->rm_so >= 0)
				buf_write(b, line + g->rm_so,
					  (size_t)(g->rm_eo - g->rm_so));
		} else if (*s == '@') {
			buf_puts(b, d->narrow);
		} else if (*s == '$') {
			buf_puts(b, d->dtype);
		} else if (*s == '~') {
			buf_puts(b, d->other);
		} else if (*s == '{' && strchr(s, '}') == s + 2) {
			char name[2] = {s[1], 0};
			edit_buffer(b, source, name);
			s += 2;
		} else {
			buf_putc(b, *s);
		}
	}
}

/* The next line that is not a comment. */
static inline const char *edit_next(Arena *a, const char *text)
{
	for (;;) {
		size_t n = strcspn(text, "\n");
		const char *line = arena_strndup(a, text, n);
		if (!text[n] || !strstr(line, "/*"))
			return line;
		text += n + 1;
	}
}

/* source with the edit made; *found: how often. */
static inline const char *edit_apply(Arena *a, const char *source,
				     const Edit *e, const Dialect *d,
				     int *found)
{
	const char *s = source;
	bool kernels = false, inside = false;
	int seen = 0;
	regex_t re;
	regmatch_t m[EDIT_GROUPS];
	Buf b;

	buf_init(&b, a);
	edit_compile(&re, e->find);
	*found = 0;
	while (*s) {
		size_t n = strcspn(s, "\n");
		const char *line = arena_strndup(a, s, n);
		s += n + (s[n] == '\n');
		if (!strncmp(line, "TN_EXPORT", 9)) {
			const char *name = strstr(line, "void ");
			kernels = true;
			inside =
				!e->within || (name && strstr(name, e->within));
		}
		bool hit = kernels && inside &&
			   !regexec(&re, line, EDIT_GROUPS, m, 0) &&
			   (!e->then || edit_matches(e->then, edit_next(a, s)));
		if (hit)
			seen++;
		if (hit && (!e->nth || e->nth == seen)) {
			++*found;
			buf_write(&b, line, (size_t)m[0].rm_so);
			edit_put(&b, e->put, line, m, d, source);
			buf_puts(&b, line + m[0].rm_eo);
		} else {
			buf_puts(&b, line);
		}
		buf_putc(&b, '\n');
	}
	regfree(&re);
	return buf_str(&b);
}

/* Puts text before the first kernel. */
static inline const char *edit_prelude(Arena *a, const char *source,
				       const char *text)
{
	const char *at = strstr(source, "\nTN_EXPORT");

	if (!at)
		bug("a source without a kernel");
	return arena_printf(a, "%.*s\n%s%s", (int)(at - source), source, text,
			    at);
}

#endif
