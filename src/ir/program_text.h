/*
 * program_text: what the files of the program's text form share: a printer,
 * a reader of tokens, and the attributes of values.
 */
#ifndef TENON_IR_PROGRAM_TEXT_H
#define TENON_IR_PROGRAM_TEXT_H

#include "ir/program.h"

typedef struct Printer {
	Buf *b;
	const Program *p;
	uint32_t *number; /* of each source of p; UINT32_MAX: not named */
	uint32_t nsources;
	bool plain; /* no places */
} Printer;

typedef struct Reader {
	Ctx *ctx;
	Program *p;
	uint32_t source;
	const char *s, *end, *line_start;
	uint32_t line;
	VEC(uint32_t) sources; /* number in the text to index in ctx */
	bool returned;
} Reader;

/* ---- tokens (program_lex.c) ------------------------------------------ */

/* Whether a bare word may start so; others are quoted. */
bool word_starts(char c);
void printer_word(Buf *b, const char *s);
void printer_quoted(Buf *b, const char *s);

Loc reader_here(const Reader *r);
#define reader_error(r, ...)                                                   \
	diag_error((r)->ctx, reader_here(r), NULL, __VA_ARGS__)
/* These report what they miss at its place and return false. */
bool reader_expect(Reader *r, const char *text);
bool reader_end(Reader *r); /* of the line */
bool reader_number(Reader *r, int64_t *v);
bool reader_count(Reader *r, int64_t most, uint32_t *v); /* 0 to most */
bool reader_quoted(Reader *r, const char **out);
bool reader_word(Reader *r, const char **out); /* bare or quoted */
bool reader_ex(Reader *r, Ex *out);
bool reader_dtype(Reader *r, DType *out);
/* `[a, b, ...]` of at most TN_MAX_RANK items, each read by `item`. */
typedef bool ReadItem(Reader *r, Value *v, uint32_t i);
bool reader_list(Reader *r, ReadItem *item, Value *v, uint32_t *n);
/* A list of as many items as it must have. */
bool reader_exact(Reader *r, ReadItem *item, Value *v, uint32_t want);

void reader_skip(Reader *r); /* blanks */
bool reader_accept(Reader *r, const char *text);

/* ---- attributes (program_attr.c) ------------------------------------- */

void attrs_print(const Printer *w, const Value *v);
/* op, dtype, rank, shape and operands of v are there. */
bool attrs_read(Reader *r, Value *v);

#endif
