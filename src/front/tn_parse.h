/*
 * tn_parse: what the two halves of the parser share: the tokens at hand,
 * and expressions (tn_expr.c) for declarations (tn_parse.c).
 */
#ifndef TENON_FRONT_TN_PARSE_H
#define TENON_FRONT_TN_PARSE_H

#include "front/tn_ast.h"

typedef struct Parser {
	Ctx *ctx;
	Arena *arena;
	const Token *t; /* the next token */
	int nesting;
	bool prelude;
	Unit *unit;
} Parser;

typedef VEC(const Node *) NodeVec;

bool parse_at(const Parser *p, TokKind k);
/* Takes the next token if it is k. */
bool parse_accept(Parser *p, TokKind k);
/* As parse_accept; else an error. */
bool parse_expect(Parser *p, TokKind k);
/* "expected WHAT, found ..." at the next token; returns false. */
bool parse_unexpected(Parser *p, const char *what);
bool parse_name(Parser *p, const char *what, const char **text, Loc *loc);
/* The place from the start of a to the end of b, if on one line. */
Loc parse_span(Loc a, Loc b);

bool parse_expression(Parser *p, const Node **out);
/* One value, or several with commas between: a tuple. */
bool parse_values(Parser *p, const Node **out);
/* Items up to a closing bracket; a trailing comma is allowed. */
bool parse_items(Parser *p, TokKind close, NodeVec *v, bool *comma);

#endif
