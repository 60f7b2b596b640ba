/*
 * tn_ast: tokens and syntax tree of .tn text, shared by tn_lex.c, tn_parse.c
 * and the builder (tn_build.h). The tree keeps names and numbers as text;
 * it knows no dtypes, shapes or ops. All of it lives in one arena.
 */
#ifndef TENON_FRONT_TN_AST_H
#define TENON_FRONT_TN_AST_H

#include "base/base.h"

/* Limits that keep hostile text from exhausting stack or memory. */
#define TN_MAX_SOURCE  (16u << 20) /* bytes of one source */
#define TN_MAX_NESTING 200         /* brackets and operators within another */
#define TN_MAX_DEPTH   400         /* levels of one expression's tree */
#define TN_MAX_TOKEN   4096        /* characters of a name, number or string */

/* TOK(enum, text): fixed tokens; text as written. Words first. */
#define TN_TOKENS(TOK)                                                         \
	TOK(DEF, "def")                                                        \
	TOK(RETURN, "return")                                                  \
	TOK(AND, "and")                                                        \
	TOK(OR, "or")                                                          \
	TOK(NOT, "not")                                                        \
	TOK(IF, "if")                                                          \
	TOK(ELSE, "else")                                                      \
	TOK(IS, "is")                                                          \
	TOK(NONE, "None")                                                      \
	TOK(TRUE, "True")                                                      \
	TOK(FALSE, "False")                                                    \
	TOK(STARSTAR, "**")                                                    \
	TOK(SLASHSLASH, "//")                                                  \
	TOK(SHL, "<<")                                                         \
	TOK(SHR, ">>")                                                         \
	TOK(LE, "<=")                                                          \
	TOK(GE, ">=")                                                          \
	TOK(EQ, "==")                                                          \
	TOK(NE, "!=")                                                          \
	TOK(ARROW, "->")                                                       \
	TOK(ELLIPSIS, "...")                                                   \
	TOK(PLUS, "+")                                                         \
	TOK(MINUS, "-")                                                        \
	TOK(STAR, "*")                                                         \
	TOK(SLASH, "/")                                                        \
	TOK(PERCENT, "%")                                                      \
	TOK(AT, "@")                                                           \
	TOK(AMP, "&")                                                          \
	TOK(PIPE, "|")                                                         \
	TOK(CARET, "^")                                                        \
	TOK(TILDE, "~")                                                        \
	TOK(LT, "<")                                                           \
	TOK(GT, ">")                                                           \
	TOK(ASSIGN, "=")                                                       \
	TOK(LPAR, "(")                                                         \
	TOK(RPAR, ")")                                                         \
	TOK(LBRACKET, "[")                                                     \
	TOK(RBRACKET, "]")                                                     \
	TOK(COMMA, ",")                                                        \
	TOK(COLON, ":")                                                        \
	TOK(DOT, ".")                                                          \
	TOK(SEMI, ";")

typedef enum TokKind {
	TK_EOF,
	TK_NEWLINE,
	TK_INDENT,
	TK_DEDENT,
	TK_NAME,
	TK_NUMBER,
	TK_STRING,
#define TOK(e, text) TK_##e,
	TN_TOKENS(TOK)
#undef TOK
	TK_COUNT,
} TokKind;

typedef struct Token {
	TokKind kind;
	Loc loc;
	const char *text; /* NAME, NUMBER: as written; STRING: its value */
} Token;

/* Text of a fixed token; a description of the others. */
const char *token_text(TokKind k);
/* Tokens of a source, TK_EOF last. */
bool tn_lex(Ctx *ctx, Arena *a, uint32_t source, Token **tokens, size_t *n);

/* ---- tree ------------------------------------------------------------ */

typedef enum NodeKind {
	N_NUMBER, /* text */
	N_STRING, /* text */
	N_NAME,   /* text */
	N_BOOL,   /* truth */
	N_NONE,
	N_ELLIPSIS,
	N_LIST,    /* kids: [a, b] */
	N_TUPLE,   /* kids: (a, b) or a, b */
	N_UNARY,   /* op a */
	N_BINARY,  /* a op b, comparisons and `is` included */
	N_COND,    /* a if b else c */
	N_CALL,    /* a(kids...); a kid may be N_KEYWORD */
	N_KEYWORD, /* text = a */
	N_ATTR,    /* a.text */
	N_INDEX,   /* a[kids...]; a kid may be N_SLICE */
	N_SLICE,   /* a:b:c, each may be NULL */
} NodeKind;

typedef struct Node Node;
struct Node {
	NodeKind kind;
	TokKind op;
	Loc loc;
	uint32_t depth; /* 1 + that of the deepest child */
	bool truth;
	const char *text;
	const Node *a, *b, *c;
	const Node **kids;
	size_t nkids;
};

/* A type as written: dtype name and, where given, extents. */
typedef struct TypeNode {
	Loc loc;
	const char *dtype;
	const Node **dims;
	size_t ndims;
} TypeNode;

typedef struct Target {
	const char *name;
	Loc loc;
	const TypeNode *type; /* or NULL */
} Target;

typedef struct Stmt {
	Loc loc;
	bool is_return;
	const Target *targets;
	size_t ntargets;
	const Node *value;
} Stmt;

typedef struct Param {
	const char *name;
	Loc loc;
	const TypeNode *type; /* NULL in the prelude: any value */
	const Node *fallback; /* default, or NULL */
} Param;

typedef struct Word {
	const char *text;
	Loc loc;
} Word;

typedef struct Def {
	const char *name;
	Loc loc;
	const Param *params;
	size_t nparams;
	const TypeNode *results; /* as written after ->; nresults 0: none */
	size_t nresults;
	const Stmt *stmts;
	size_t nstmts;
	uint32_t relax;      /* Relax bits of @contract */
	const Word *donated; /* @donate */
	size_t ndonated;
	bool prelude;
} Def;

typedef struct ConstDecl {
	const char *name;
	Loc loc;
	const TypeNode *type;
	const Node *value;
} ConstDecl;

typedef struct DimEntry {
	const char *name;
	Loc loc;
	const Node *value;
} DimEntry;

typedef struct DimsDecl {
	const char *name;
	Loc loc;
	const DimEntry *entries;
	size_t nentries;
} DimsDecl;

/* One source, parsed. */
typedef struct Unit {
	VEC(Def) defs;
	VEC(ConstDecl) consts;
	VEC(DimsDecl) dims;
	/* every dtype name written in a type or an expression, in order */
	VEC(const char *) dtypes;
} Unit;

/* prelude: untyped parameters and static conditions are allowed. */
bool tn_parse(Ctx *ctx, Arena *a, uint32_t source, bool prelude, Unit **out);

/*
 * The name of the list that is nearest to the one given, or NULL when none
 * is near: for "did you mean".
 */
const char *nearest_name(const char *name, const char *const *list, size_t n);

#endif
