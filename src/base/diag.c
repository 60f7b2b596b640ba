/*
 * diag: sources, places, and the messages about them.
 *
 * Messages are formatted when they are reported and collected in the Ctx;
 * the caller decides where they go. The source line is shown as it is but
 * for control and ill-formed bytes, which become '?', so that a terminal
 * cannot be driven by a program text. The caret line repeats the tabs of
 * the source line and so stands under it at any tab width.
 */
#include "base/base.h"

#include <string.h>

#define LINE_SHOWN ((size_t)200) /* bytes of a long line */

const Loc LOC_NONE = {0, 0, 0, 0};

void ctx_init(Ctx *ctx)
{
	*ctx = (Ctx){.threads = 1};
	arena_init(&ctx->perm);
	arena_init(&ctx->scratch);
	buf_init(&ctx->messages, &ctx->perm);
}

void ctx_release(Ctx *ctx)
{
	arena_release(&ctx->perm);
	arena_release(&ctx->scratch);
	*ctx = (Ctx){.threads = 1};
}

void ctx_clear_errors(Ctx *ctx)
{
	ctx->err = ERR_NONE;
	ctx->errors = 0;
	buf_init(&ctx->messages, &ctx->perm);
}

uint32_t ctx_add_source(Ctx *ctx, const char *name, const char *text,
			size_t len)
{
	Source s = {.name = arena_strdup(&ctx->perm, name),
		    .text = arena_strndup(&ctx->perm, text, len),
		    .len = len};
	VEC_PUSH(&ctx->perm, ctx->sources, s);
	return (uint32_t)(ctx->sources.n - 1);
}

/* The bytes of a line, counted from 1; false if the source has no such. */
static bool source_line(const Source *s, uint32_t line, const char **text,
			size_t *len)
{
	const char *p = s->text, *end = s->text + s->len;
	for (uint32_t i = 1; i < line; i++) {
		p = memchr(p, '\n', (size_t)(end - p));
		if (!p)
			return false;
		p++;
	}
	const char *stop = memchr(p, '\n', (size_t)(end - p));
	*text = p;
	*len = (size_t)((stop ? stop : end) - p);
	if (*len > 0 && p[*len - 1] == '\r')
		(*len)--;
	return true;
}

/* Bytes of the character at s, an ill-formed byte counting as one. */
static size_t char_length(const char *s, size_t n)
{
	size_t len = utf8_length(s, n);
	return len > 0 ? len : 1;
}

static void put_line(Buf *b, const char *s, size_t n)
{
	buf_puts(b, "    ");
	while (n > 0) {
		size_t len = utf8_length(s, n);
		unsigned char c = (unsigned char)*s;
		/* U+0080 to U+009F are control characters as well. */
		bool control =
			(c < 0x20 && c != '\t') || c == 0x7f ||
			(len == 2 && c == 0xc2 && (unsigned char)s[1] < 0xa0);
		if (len == 0 || control)
			buf_putc(b, '?');
		else
			buf_write(b, s, len);
		len = char_length(s, n);
		s += len;
		n -= len;
	}
	buf_putc(b, '\n');
}

/* at, len: bytes of the line under the caret. */
static void put_caret(Buf *b, const char *s, size_t n, size_t at, size_t len)
{
	buf_puts(b, "    ");
	size_t i = 0;
	while (i < at && i < n) {
		buf_putc(b, s[i] == '\t' ? '\t' : ' ');
		i += char_length(s + i, n - i);
	}
	buf_putc(b, '^');
	if (i < n)
		i += char_length(s + i, n - i);
	while (i < at + len && i < n) {
		buf_putc(b, '~');
		i += char_length(s + i, n - i);
	}
	buf_putc(b, '\n');
}

static void put_place(Buf *b, const Source *src, Loc loc)
{
	const char *s;
	size_t n;
	if (!source_line(src, loc.line, &s, &n))
		return;
	size_t at = loc.col > 0 ? loc.col - 1 : 0;
	size_t len = loc.len > 0 ? loc.len : 1;
	if (at > n)
		at = n;
	if (n > LINE_SHOWN) {
		/* A window that shows the place, cut between characters. */
		size_t from = at > LINE_SHOWN / 2 ? at - LINE_SHOWN / 2 : 0;
		while (from > 0 && ((unsigned char)s[from] & 0xc0) == 0x80)
			from--;
		size_t to = n - from > LINE_SHOWN ? from + LINE_SHOWN : n;
		while (to < n && ((unsigned char)s[to] & 0xc0) == 0x80)
			to++;
		s += from;
		n = to - from;
		at -= from;
	}
	put_line(b, s, n);
	put_caret(b, s, n, at, len);
}

TN_PRINTF(5, 0)
static void put_message(Ctx *ctx, Loc loc, const char *what, const char *hint,
			const char *fmt, va_list ap)
{
	Buf *b = &ctx->messages;
	bool placed = loc.line > 0 && loc.file < ctx->sources.n;
	if (placed)
		buf_printf(b, "%s:%u:%u: ", ctx->sources.p[loc.file].name,
			   loc.line, loc.col);
	else
		buf_puts(b, "tenon: ");
	buf_printf(b, "%s: ", what);
	buf_vprintf(b, fmt, ap);
	buf_putc(b, '\n');
	if (placed)
		put_place(b, &ctx->sources.p[loc.file], loc);
	if (hint)
		buf_printf(b, "hint: %s\n", hint);
}

static void count_error(Ctx *ctx, ErrKind kind)
{
	if (ctx->err == ERR_NONE)
		ctx->err = kind;
	ctx->errors++;
}

bool diag_error(Ctx *ctx, Loc loc, const char *hint, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	count_error(ctx, ERR_PROGRAM);
	put_message(ctx, loc, "error", hint, fmt, ap);
	va_end(ap);
	return false;
}

void diag_note(Ctx *ctx, Loc loc, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	put_message(ctx, loc, "note", NULL, fmt, ap);
	va_end(ap);
}

bool diag_fail(Ctx *ctx, ErrKind kind, const char *hint, const char *fmt, ...)
{
	if (!ctx)
		return false;
	va_list ap;
	va_start(ap, fmt);
	count_error(ctx, kind);
	put_message(ctx, LOC_NONE, "error", hint, fmt, ap);
	va_end(ap);
	return false;
}

void diag_warn(Ctx *ctx, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	const char *text = arena_vprintf(&ctx->perm, fmt, ap);
	va_end(ap);
	VEC_PUSH(&ctx->perm, ctx->warnings, text);
}
