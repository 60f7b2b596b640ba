/*
 * tn_parse: tokens to the syntax tree of tn_ast.h.
 *
 * Recursive descent for declarations and statements, precedence climbing
 * for operators (the table below, loosest first, as in Python). Recursion
 * is bounded by TN_MAX_NESTING and the height of a tree by TN_MAX_DEPTH, so
 * that no text exhausts the stack here or in a later walk. The first error
 * ends the parse.
 */
#include "front/tn_ast.h"

#include "ir/program.h"

#include <string.h>

typedef struct Parser {
	Ctx *ctx;
	Arena *arena;
	const Token *t; /* the next token */
	int nesting;
	bool prelude;
	Unit *unit;
} Parser;

/* Binary operators and how tightly they bind. */
static const struct {
	TokKind kind;
	int level;
} binary[] = {
	{TK_OR, 1},	    {TK_AND, 2},      {TK_EQ, 4},    {TK_NE, 4},
	{TK_LT, 4},	    {TK_LE, 4},	      {TK_GT, 4},    {TK_GE, 4},
	{TK_IS, 4},	    {TK_PIPE, 5},     {TK_CARET, 6}, {TK_AMP, 7},
	{TK_SHL, 8},	    {TK_SHR, 8},      {TK_PLUS, 9},  {TK_MINUS, 9},
	{TK_STAR, 10},	    {TK_SLASH, 10},   {TK_AT, 10},   {TK_PERCENT, 10},
	{TK_SLASHSLASH, 10},
};
enum { LEVEL_NOT = 3, LEVEL_COMPARE = 4, LEVEL_TIGHTEST = 10 };

/* Words of @contract and the bits they set; 0: known, not implemented. */
static const struct {
	const char *name;
	uint32_t relax;
} contracts[] = {
	{"single_rounding", RELAX_SINGLE_ROUNDING},
	{"contraction", RELAX_CONTRACTION},
	{"reassociate", RELAX_REASSOCIATE},
	{"row_invariant", RELAX_ROW_INVARIANT},
	{"tf32", 0},
	{"approx", 0},
};
#define CONTRACT_WORDS                                                         \
	"single_rounding, contraction, reassociate and row_invariant are "     \
	"implemented"

static bool expression(Parser *p, int level, const Node **out);
static bool conditional(Parser *p, const Node **out);

static bool fail_expected(Parser *p, const char *what)
{
	const Token *t = p->t;
	const char *quote = t->text ? "`" : "";
	return diag_error(p->ctx, t->loc, NULL, "expected %s, found %s%s%s",
			  what, quote, t->text ? t->text : token_text(t->kind),
			  quote);
}

static bool at(const Parser *p, TokKind k)
{
	return p->t->kind == k;
}

static bool accept(Parser *p, TokKind k)
{
	if (!at(p, k))
		return false;
	p->t++;
	return true;
}

static bool expect(Parser *p, TokKind k)
{
	if (accept(p, k))
		return true;
	const char *text = token_text(k);
	bool fixed = k > TK_STRING;
	return fail_expected(
		p, fixed ? arena_printf(p->arena, "`%s`", text) : text);
}

static bool name(Parser *p, const char *what, const char **text, Loc *loc)
{
	if (!at(p, TK_NAME))
		return fail_expected(p, what);
	*text = p->t->text;
	*loc = p->t->loc;
	p->t++;
	return true;
}

static bool at_word(const Parser *p, const char *w)
{
	return at(p, TK_NAME) && strcmp(p->t->text, w) == 0;
}

/* ---- expressions ----------------------------------------------------- */

static Node *node(Parser *p, NodeKind kind, Loc loc)
{
	Node *n = arena_new(p->arena, Node);
	n->kind = kind;
	n->loc = loc;
	n->depth = 1;
	return n;
}

/* The place from the start of a to the end of b, if on one line. */
static Loc span(Loc a, Loc b)
{
	if (a.line == b.line && b.col + b.len > a.col)
		a.len = b.col + b.len - a.col;
	return a;
}

static void deepen(Node *n, const Node *child)
{
	if (child && child->depth >= n->depth)
		n->depth = child->depth + 1;
}

/* Ends a node: its height from its children, bounded. */
static bool done(Parser *p, Node *n, const Node **out)
{
	deepen(n, n->a);
	deepen(n, n->b);
	deepen(n, n->c);
	for (size_t i = 0; i < n->nkids; i++)
		deepen(n, n->kids[i]);
	if (n->depth > TN_MAX_DEPTH)
		return diag_error(p->ctx, n->loc,
				  "name parts of it on lines of their own",
				  "the expression has more than %d levels",
				  TN_MAX_DEPTH);
	*out = n;
	return true;
}

static bool enter(Parser *p)
{
	if (++p->nesting > TN_MAX_NESTING)
		return diag_error(p->ctx, p->t->loc,
				  "name parts of it on lines of their own",
				  "the expression is nested too deeply");
	return true;
}

typedef VEC(const Node *) NodeVec;

/* Items up to a closing bracket; a trailing comma is allowed. */
static bool items(Parser *p, TokKind close, NodeVec *v, bool *comma)
{
	*comma = false;
	while (!at(p, close)) {
		const Node *e;
		if (!conditional(p, &e))
			return false;
		VEC_PUSH(p->arena, *v, e);
		if (at(p, close))
			break;
		if (!at(p, TK_COMMA))
			return fail_expected(
				p, arena_printf(p->arena, "`,` or `%s`",
						token_text(close)));
		p->t++;
		*comma = true;
	}
	return true;
}

static bool atom(Parser *p, const Node **out)
{
	const Token *t = p->t;
	Node *n = node(p, N_NAME, t->loc);
	n->text = t->text;
	if (accept(p, TK_NAME))
		return done(p, n, out);
	if (accept(p, TK_NUMBER)) {
		n->kind = N_NUMBER;
		return done(p, n, out);
	}
	if (accept(p, TK_STRING)) {
		n->kind = N_STRING;
		return done(p, n, out);
	}
	if (accept(p, TK_TRUE) || accept(p, TK_FALSE)) {
		n->kind = N_BOOL;
		n->truth = t->kind == TK_TRUE;
		return done(p, n, out);
	}
	if (accept(p, TK_NONE)) {
		n->kind = N_NONE;
		return done(p, n, out);
	}
	if (accept(p, TK_ELLIPSIS)) {
		n->kind = N_ELLIPSIS;
		return done(p, n, out);
	}
	bool list = at(p, TK_LBRACKET);
	if (!list && !at(p, TK_LPAR))
		return fail_expected(p, "an expression");
	TokKind close = list ? TK_RBRACKET : TK_RPAR;
	NodeVec v = {0};
	bool comma;
	p->t++;
	if (!items(p, close, &v, &comma))
		return false;
	Loc end = p->t->loc;
	p->t++;
	if (!list && v.n == 1 && !comma) {
		*out = v.p[0]; /* plain parentheses */
		return true;
	}
	n->kind = list ? N_LIST : N_TUPLE;
	n->loc = span(t->loc, end);
	n->kids = v.p;
	n->nkids = v.n;
	return done(p, n, out);
}

static bool call_arguments(Parser *p, Node *call)
{
	NodeVec v = {0};
	bool keywords = false;
	while (!at(p, TK_RPAR)) {
		const Node *e;
		if (at(p, TK_NAME) && p->t[1].kind == TK_ASSIGN) {
			Node *k = node(p, N_KEYWORD, p->t->loc);
			k->text = p->t->text;
			p->t += 2;
			if (!conditional(p, &k->a) || !done(p, k, &e))
				return false;
			keywords = true;
		} else {
			Loc loc = p->t->loc;
			if (!conditional(p, &e))
				return false;
			if (keywords)
				return diag_error(
					p->ctx, loc, NULL,
					"a positional argument cannot follow "
					"a named one");
		}
		VEC_PUSH(p->arena, v, e);
		if (!accept(p, TK_COMMA) && !at(p, TK_RPAR))
			return fail_expected(p, "`,` or `)`");
	}
	call->kids = v.p;
	call->nkids = v.n;
	return true;
}

static bool subscript(Parser *p, const Node **out)
{
	Node *s = node(p, N_SLICE, p->t->loc);
	if (!at(p, TK_COLON)) {
		if (!conditional(p, &s->a))
			return false;
		if (!at(p, TK_COLON)) {
			*out = s->a;
			return true;
		}
	}
	p->t++;
	if (!at(p, TK_COLON) && !at(p, TK_COMMA) && !at(p, TK_RBRACKET) &&
	    !conditional(p, &s->b))
		return false;
	if (accept(p, TK_COLON) && !at(p, TK_COMMA) && !at(p, TK_RBRACKET) &&
	    !conditional(p, &s->c))
		return false;
	s->loc = span(s->loc, p->t[-1].loc);
	return done(p, s, out);
}

static bool subscripts(Parser *p, Node *index)
{
	NodeVec v = {0};
	if (at(p, TK_RBRACKET))
		return fail_expected(p, "an index");
	while (!at(p, TK_RBRACKET)) {
		const Node *e;
		if (!subscript(p, &e))
			return false;
		VEC_PUSH(p->arena, v, e);
		if (!accept(p, TK_COMMA) && !at(p, TK_RBRACKET))
			return fail_expected(p, "`,`, `:` or `]`");
	}
	index->kids = v.p;
	index->nkids = v.n;
	return true;
}

static bool postfix(Parser *p, const Node **out)
{
	const Node *e;
	if (!atom(p, &e))
		return false;
	for (;;) {
		Node *n;
		if (accept(p, TK_DOT)) {
			n = node(p, N_ATTR, e->loc);
			Loc loc = {0};
			if (!name(p, "a name after `.`", &n->text, &loc))
				return false;
			n->loc = span(e->loc, loc);
		} else if (accept(p, TK_LPAR)) {
			n = node(p, N_CALL, e->loc);
			if (!call_arguments(p, n))
				return false;
			n->loc = span(e->loc, p->t->loc);
			p->t++;
		} else if (accept(p, TK_LBRACKET)) {
			n = node(p, N_INDEX, e->loc);
			if (!subscripts(p, n))
				return false;
			n->loc = span(e->loc, p->t->loc);
			p->t++;
		} else {
			*out = e;
			return true;
		}
		n->a = e;
		if (!done(p, n, &e))
			return false;
	}
}

static bool unary(Parser *p, const Node **out);

/* Power binds tighter than a sign on its left, not than one on its right. */
static bool power(Parser *p, const Node **out)
{
	const Node *base;
	if (!postfix(p, &base))
		return false;
	if (!at(p, TK_STARSTAR)) {
		*out = base;
		return true;
	}
	p->t++;
	Node *n = node(p, N_BINARY, base->loc);
	n->op = TK_STARSTAR;
	n->a = base;
	if (!unary(p, &n->b))
		return false;
	n->loc = span(base->loc, n->b->loc);
	return done(p, n, out);
}

static bool unary(Parser *p, const Node **out)
{
	if (!at(p, TK_MINUS) && !at(p, TK_PLUS) && !at(p, TK_TILDE)) {
		if (!enter(p) || !power(p, out))
			return false;
		p->nesting--;
		return true;
	}
	Node *n = node(p, N_UNARY, p->t->loc);
	n->op = p->t->kind;
	p->t++;
	if (!enter(p) || !unary(p, &n->a))
		return false;
	p->nesting--;
	n->loc = span(n->loc, n->a->loc);
	return done(p, n, out);
}

static int level_of(TokKind k)
{
	for (size_t i = 0; i < ARRAY_LEN(binary); i++)
		if (binary[i].kind == k)
			return binary[i].level;
	return 0;
}

/* An expression whose operators bind at least as tightly as `level`. */
static bool expression(Parser *p, int level, const Node **out)
{
	const Node *left;
	if (at(p, TK_NOT) && level <= LEVEL_NOT) {
		Node *n = node(p, N_UNARY, p->t->loc);
		n->op = TK_NOT;
		p->t++;
		if (!enter(p) || !expression(p, LEVEL_NOT, &n->a))
			return false;
		p->nesting--;
		n->loc = span(n->loc, n->a->loc);
		if (!done(p, n, &left))
			return false;
	} else if (at(p, TK_NOT)) {
		return diag_error(p->ctx, p->t->loc,
				  "put parentheses around `not ...`",
				  "`not` cannot stand to the right of this "
				  "operator");
	} else if (!unary(p, &left)) {
		return false;
	}
	for (;;) {
		TokKind op = p->t->kind;
		int l = level_of(op);
		if (!l || l < level)
			break;
		if (op == TK_IS && !p->prelude)
			return diag_error(p->ctx, p->t->loc,
					  "compare values with `==`",
					  "`is` is not part of the language");
		Node *n = node(p, N_BINARY, left->loc);
		n->op = op;
		n->a = left;
		p->t++;
		if (!expression(p, l + 1, &n->b))
			return false;
		n->loc = span(left->loc, n->b->loc);
		if (!done(p, n, &left))
			return false;
		if (l == LEVEL_COMPARE && level_of(p->t->kind) == LEVEL_COMPARE)
			return diag_error(
				p->ctx, p->t->loc,
				arena_printf(p->arena,
					     "write `(a %s b) and (b %s c)`",
					     token_text(op),
					     token_text(p->t->kind)),
				"comparisons do not chain");
	}
	*out = left;
	return true;
}

/* An expression, with the static condition that the prelude may use. */
static bool conditional(Parser *p, const Node **out)
{
	const Node *e;
	if (!enter(p) || !expression(p, 1, &e))
		return false;
	if (at(p, TK_IF)) {
		if (!p->prelude)
			return diag_error(
				p->ctx, p->t->loc,
				"choose between values with where(c, a, b)",
				"control flow is not implemented yet");
		Node *n = node(p, N_COND, e->loc);
		p->t++;
		n->a = e;
		if (!expression(p, 1, &n->b) || !expect(p, TK_ELSE) ||
		    !conditional(p, &n->c) || !done(p, n, &e))
			return false;
	}
	p->nesting--;
	*out = e;
	return true;
}

/* One value, or several with commas between: a tuple. */
static bool values(Parser *p, const Node **out)
{
	const Node *e;
	if (!conditional(p, &e))
		return false;
	if (!at(p, TK_COMMA)) {
		*out = e;
		return true;
	}
	NodeVec v = {0};
	VEC_PUSH(p->arena, v, e);
	while (accept(p, TK_COMMA)) {
		if (at(p, TK_NEWLINE) || at(p, TK_SEMI))
			break;
		if (!conditional(p, &e))
			return false;
		VEC_PUSH(p->arena, v, e);
	}
	Node *n = node(p, N_TUPLE, v.p[0]->loc);
	n->loc = span(v.p[0]->loc, e->loc);
	n->kids = v.p;
	n->nkids = v.n;
	return done(p, n, out);
}

/* ---- types ----------------------------------------------------------- */

/* The dtype meant by a name of NumPy's or PyTorch's, or a near one. */
static const char *suggest_dtype(Parser *p, const char *written)
{
	static const struct {
		const char *prefix, *ours;
	} families[] = {
		{"bfloat", "bf"}, {"float", "f"}, {"uint", "u"}, {"int", "i"}};
	const char *list[DT_COUNT];
	DType d;
	for (size_t i = 0; i < ARRAY_LEN(families); i++) {
		size_t n = strlen(families[i].prefix);
		if (strncmp(written, families[i].prefix, n) != 0)
			continue;
		const char *ours = arena_printf(p->arena, "%s%s",
						families[i].ours, written + n);
		if (dtype_parse(ours, &d))
			return dtype_info[d].name;
	}
	for (int i = 0; i < DT_COUNT; i++)
		list[i] = dtype_info[i].name;
	return nearest_name(written, list, DT_COUNT);
}

static bool type(Parser *p, TypeNode *t)
{
	DType d;
	t->loc = p->t->loc;
	if (!at(p, TK_NAME))
		return fail_expected(p, "a dtype");
	if (!dtype_parse(p->t->text, &d)) {
		const char *near = suggest_dtype(p, p->t->text);
		return diag_error(
			p->ctx, p->t->loc,
			near ? arena_printf(p->arena, "did you mean `%s`?",
					    near)
			     : "the dtypes are f64 f32 f16 bf16 i64 i32 i16 "
			       "i8 u64 u32 u16 u8 bool",
			"`%s` is not a dtype", p->t->text);
	}
	t->dtype = p->t->text;
	p->t++;
	if (!accept(p, TK_LBRACKET))
		return true; /* rank 0 */
	NodeVec v = {0};
	bool comma;
	if (!items(p, TK_RBRACKET, &v, &comma))
		return false;
	t->loc = span(t->loc, p->t->loc);
	p->t++;
	if (v.n > TN_MAX_RANK)
		return diag_error(p->ctx, t->loc, NULL,
				  "rank %zu; %d is the most", v.n,
				  TN_MAX_RANK);
	t->dims = v.p;
	t->ndims = v.n;
	return true;
}

static bool type_after_colon(Parser *p, const TypeNode **out)
{
	TypeNode *t = arena_new(p->arena, TypeNode);
	p->t++;
	*out = t;
	return type(p, t);
}

/* ---- statements ------------------------------------------------------ */

static bool refuse_control_flow(Parser *p)
{
	static const char *const words[] = {"for", "while", "elif", "pass",
					    "import", "class", "lambda", "with",
					    "try", "yield"};
	const char *w = at(p, TK_NAME) || at(p, TK_IF) || at(p, TK_ELSE)
				? p->t->text
				: "";
	bool flow = at(p, TK_IF) || at(p, TK_ELSE);
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		flow = flow || (strcmp(w, words[i]) == 0 &&
				(p->t[1].kind == TK_NAME ||
				 p->t[1].kind == TK_COLON ||
				 p->t[1].kind == TK_NEWLINE ||
				 p->t[1].kind == TK_NUMBER ||
				 p->t[1].kind == TK_TRUE));
	if (!flow)
		return true;
	return diag_error(p->ctx, p->t->loc,
			  "a def is a list of assignments and one return; "
			  "where(c, a, b) chooses between values",
			  "`%s` is not implemented yet", w);
}

static bool statement(Parser *p, Stmt *s)
{
	s->loc = p->t->loc;
	if (!refuse_control_flow(p))
		return false;
	if (accept(p, TK_RETURN)) {
		s->is_return = true;
		if (at(p, TK_NEWLINE) || at(p, TK_SEMI))
			return fail_expected(p, "a value to return");
		return values(p, &s->value);
	}
	if (at(p, TK_DEF))
		return diag_error(p->ctx, p->t->loc,
				  "write it at the start of a line",
				  "a def cannot stand inside another");
	VEC(Target) targets = {0};
	for (;;) {
		Target t = {0};
		if (!name(p, "a statement (`name = ...` or `return ...`)",
			  &t.name, &t.loc))
			return false;
		if (at(p, TK_COLON) && !type_after_colon(p, &t.type))
			return false;
		VEC_PUSH(p->arena, targets, t);
		if (!accept(p, TK_COMMA))
			break;
	}
	if (!at(p, TK_ASSIGN)) {
		bool augmented = p->t[1].kind == TK_ASSIGN;
		return diag_error(
			p->ctx, p->t->loc,
			augmented ? "give the new value a name of its own"
				  : "a statement is `name = ...` or "
				    "`return ...`",
			"expected `=`, found `%s`",
			p->t->text ? p->t->text : token_text(p->t->kind));
	}
	p->t++;
	s->targets = targets.p;
	s->ntargets = targets.n;
	return values(p, &s->value);
}

/* Statements of one line, `;` between them. */
static bool line(Parser *p, Def *d, size_t *cap)
{
	do {
		if (at(p, TK_NEWLINE))
			break;
		Stmt s = {0};
		if (!statement(p, &s))
			return false;
		Stmt *all = arena_grow(p->arena, (void *)(uintptr_t)d->stmts,
				       sizeof(Stmt), d->nstmts, cap);
		all[d->nstmts++] = s;
		d->stmts = all;
	} while (accept(p, TK_SEMI));
	if (at(p, TK_NEWLINE)) {
		p->t++;
		return true;
	}
	return fail_expected(p, "the end of the line");
}

static bool body(Parser *p, Def *d)
{
	size_t cap = 0;
	if (!at(p, TK_NEWLINE))
		return line(p, d, &cap);
	p->t++;
	if (!at(p, TK_INDENT))
		return diag_error(p->ctx, p->t->loc,
				  "indent the lines that belong to the def",
				  "expected the body of `%s`", d->name);
	p->t++;
	while (!accept(p, TK_DEDENT)) {
		if (at(p, TK_INDENT))
			return diag_error(
				p->ctx, p->t->loc,
				"align it with the line above",
				"this line is indented more than its block");
		if (!line(p, d, &cap))
			return false;
	}
	return true;
}

/* ---- declarations ---------------------------------------------------- */

static bool contract(Parser *p, Def *d)
{
	while (!at(p, TK_RPAR)) {
		const char *w = NULL;
		Loc loc = {0};
		if (!name(p, "a contract word", &w, &loc))
			return false;
		size_t i = 0;
		while (i < ARRAY_LEN(contracts) &&
		       strcmp(contracts[i].name, w) != 0)
			i++;
		if (i == ARRAY_LEN(contracts))
			return diag_error(p->ctx, loc, CONTRACT_WORDS,
					  "`%s` is not a word of @contract", w);
		if (!contracts[i].relax)
			return diag_error(p->ctx, loc, CONTRACT_WORDS,
					  "@contract(%s) is not implemented "
					  "yet",
					  w);
		if (at(p, TK_ASSIGN))
			return diag_error(p->ctx, p->t->loc, NULL,
					  "`%s` takes no value", w);
		d->relax |= contracts[i].relax;
		if (!accept(p, TK_COMMA) && !at(p, TK_RPAR))
			return fail_expected(p, "`,` or `)`");
	}
	return true;
}

static bool donate(Parser *p, Def *d)
{
	VEC(Word) v = {0};
	for (size_t i = 0; i < d->ndonated; i++)
		VEC_PUSH(p->arena, v, d->donated[i]);
	while (!at(p, TK_RPAR)) {
		Word w;
		if (!name(p, "the name of a parameter", &w.text, &w.loc))
			return false;
		VEC_PUSH(p->arena, v, w);
		if (!accept(p, TK_COMMA) && !at(p, TK_RPAR))
			return fail_expected(p, "`,` or `)`");
	}
	d->donated = v.p;
	d->ndonated = v.n;
	return true;
}

static bool decorators(Parser *p, Def *d)
{
	while (accept(p, TK_AT)) {
		const char *w = NULL;
		Loc loc = {0};
		if (!name(p, "`contract` or `donate` after `@`", &w, &loc))
			return false;
		bool is_contract = strcmp(w, "contract") == 0;
		if (!is_contract && strcmp(w, "donate") != 0)
			return diag_error(p->ctx, loc,
					  "there are @contract(...) and "
					  "@donate(...)",
					  "unknown decorator `@%s`", w);
		if (!expect(p, TK_LPAR) ||
		    !(is_contract ? contract(p, d) : donate(p, d)))
			return false;
		p->t++;
		if (!expect(p, TK_NEWLINE))
			return false;
		if (!at(p, TK_AT) && !at(p, TK_DEF))
			return diag_error(p->ctx, p->t->loc, NULL,
					  "a decorator must stand above a def");
	}
	return true;
}

static bool parameters(Parser *p, Def *d)
{
	VEC(Param) v = {0};
	while (!at(p, TK_RPAR)) {
		Param q = {0};
		if (!name(p, "a parameter's name", &q.name, &q.loc))
			return false;
		for (size_t i = 0; i < v.n; i++)
			if (strcmp(v.p[i].name, q.name) == 0)
				return diag_error(
					p->ctx, q.loc, NULL,
					"two parameters are named `%s`",
					q.name);
		if (at(p, TK_COLON)) {
			if (!type_after_colon(p, &q.type))
				return false;
		} else if (!p->prelude) {
			return diag_error(
				p->ctx, q.loc,
				arena_printf(p->arena,
					     "write `%s: f32[M, N]`", q.name),
				"parameter `%s` has no type", q.name);
		}
		if (at(p, TK_ASSIGN)) {
			if (!p->prelude)
				return diag_error(
					p->ctx, p->t->loc, NULL,
					"parameters have no defaults");
			p->t++;
			if (!conditional(p, &q.fallback))
				return false;
		}
		VEC_PUSH(p->arena, v, q);
		if (!accept(p, TK_COMMA) && !at(p, TK_RPAR))
			return fail_expected(p, "`,` or `)`");
	}
	d->params = v.p;
	d->nparams = v.n;
	return true;
}

static bool result_types(Parser *p, Def *d)
{
	VEC(TypeNode) v = {0};
	bool bracket = accept(p, TK_LPAR);
	do {
		TypeNode t = {0};
		if (bracket && at(p, TK_RPAR))
			break;
		if (!type(p, &t))
			return false;
		VEC_PUSH(p->arena, v, t);
	} while (accept(p, TK_COMMA));
	d->results = v.p;
	d->nresults = v.n;
	return !bracket || expect(p, TK_RPAR);
}

static bool def(Parser *p)
{
	Def d = {.prelude = p->prelude};
	if (!decorators(p, &d))
		return false;
	p->t++; /* def */
	if (!name(p, "the def's name", &d.name, &d.loc) ||
	    !expect(p, TK_LPAR) || !parameters(p, &d))
		return false;
	p->t++;
	if (accept(p, TK_ARROW) && !result_types(p, &d))
		return false;
	if (!expect(p, TK_COLON) || !body(p, &d))
		return false;
	for (size_t i = 0; i < d.nstmts; i++) {
		if (d.stmts[i].is_return && i + 1 < d.nstmts)
			return diag_error(p->ctx, d.stmts[i + 1].loc, NULL,
					  "nothing may follow `return`");
	}
	if (!d.nstmts || !d.stmts[d.nstmts - 1].is_return)
		return diag_error(p->ctx, d.loc,
				  "end it with `return ...`",
				  "`%s` returns nothing", d.name);
	VEC_PUSH(p->arena, p->unit->defs, d);
	return true;
}

static bool constant(Parser *p)
{
	ConstDecl c = {0};
	p->t++; /* const */
	if (!name(p, "the const's name", &c.name, &c.loc))
		return false;
	if (!at(p, TK_COLON))
		return diag_error(p->ctx, p->t->loc,
				  "write `const w: f16[K, N] = "
				  "file(\"w.safetensors\", \"w\")`",
				  "const `%s` has no type", c.name);
	if (!type_after_colon(p, &c.type) || !expect(p, TK_ASSIGN) ||
	    !conditional(p, &c.value) || !expect(p, TK_NEWLINE))
		return false;
	VEC_PUSH(p->arena, p->unit->consts, c);
	return true;
}

static bool dims(Parser *p)
{
	DimsDecl d = {0};
	VEC(DimEntry) v = {0};
	p->t++; /* dims */
	if (!name(p, "the name of the set", &d.name, &d.loc) ||
	    !expect(p, TK_COLON))
		return false;
	do {
		DimEntry e = {0};
		if (!name(p, "a dim's name", &e.name, &e.loc) ||
		    !expect(p, TK_ASSIGN) || !conditional(p, &e.value))
			return false;
		VEC_PUSH(p->arena, v, e);
	} while (accept(p, TK_COMMA));
	d.entries = v.p;
	d.nentries = v.n;
	VEC_PUSH(p->arena, p->unit->dims, d);
	return expect(p, TK_NEWLINE);
}

static bool declaration(Parser *p)
{
	if (at(p, TK_INDENT))
		return diag_error(p->ctx, p->t->loc,
				  "start the line at the margin",
				  "unexpected indentation");
	if (at(p, TK_DEF) || at(p, TK_AT))
		return def(p);
	if (at_word(p, "const") && p->t[1].kind == TK_NAME)
		return constant(p);
	if (at_word(p, "dims") && p->t[1].kind == TK_NAME)
		return dims(p);
	return fail_expected(p, "`def`, `const` or `dims`");
}

bool tn_parse(Ctx *ctx, Arena *a, uint32_t source, bool prelude, Unit **out)
{
	Token *tokens;
	size_t n;
	if (!tn_lex(ctx, a, source, &tokens, &n))
		return false;
	Parser p = {.ctx = ctx, .arena = a, .t = tokens, .prelude = prelude};
	p.unit = arena_new(a, Unit);
	for (size_t i = 0; i < n; i++) {
		DType d;
		if (tokens[i].kind == TK_NAME &&
		    dtype_parse(tokens[i].text, &d))
			VEC_PUSH(a, p.unit->dtypes, tokens[i].text);
	}
	while (!at(&p, TK_EOF))
		if (!declaration(&p))
			return false;
	*out = p.unit;
	return true;
}

/* ---- names ----------------------------------------------------------- */

enum { NEAR_MAX = 32 };

/* Levenshtein distance, adjacent swaps counted as one edit. */
static int distance(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	if (n > NEAR_MAX || m > NEAR_MAX)
		return NEAR_MAX;
	int d[NEAR_MAX + 1][NEAR_MAX + 1];
	for (size_t i = 0; i <= n; i++) {
		for (size_t j = 0; j <= m; j++) {
			if (!i || !j) {
				d[i][j] = (int)(i + j);
				continue;
			}
			int best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
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
	return d[n][m];
}

const char *nearest_name(const char *name_given, const char *const *list,
			 size_t n)
{
	const char *best = NULL;
	int limit = (int)strlen(name_given) / 3 + 1;
	int near = limit < 3 ? limit : 3;
	for (size_t i = 0; i < n; i++) {
		int d = distance(name_given, list[i]);
		/* one edit of a one-letter name is another name */
		if (d <= near && d < (int)strlen(name_given)) {
			near = d - 1;
			best = list[i];
		}
	}
	return best;
}
