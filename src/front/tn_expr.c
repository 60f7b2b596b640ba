/*
 * tn_expr: expressions of .tn text, to the syntax tree of tn_ast.h.
 *
 * Precedence climbing over the table below (loosest first, as in Python).
 * Recursion is bounded by TN_MAX_NESTING and the height of a tree by
 * TN_MAX_DEPTH, so that no text exhausts the stack here or in a later walk.
 */
#include "front/tn_parse.h"

/* Binary operators and how tightly they bind. */
static const struct {
	TokKind kind;
	int level;
} binary[] = {
	{TK_OR, 1},          {TK_AND, 2},    {TK_EQ, 4},    {TK_NE, 4},
	{TK_LT, 4},          {TK_LE, 4},     {TK_GT, 4},    {TK_GE, 4},
	{TK_IS, 4},          {TK_PIPE, 5},   {TK_CARET, 6}, {TK_AMP, 7},
	{TK_SHL, 8},         {TK_SHR, 8},    {TK_PLUS, 9},  {TK_MINUS, 9},
	{TK_STAR, 10},       {TK_SLASH, 10}, {TK_AT, 10},   {TK_PERCENT, 10},
	{TK_SLASHSLASH, 10},
};
enum {
	LEVEL_NOT = 3,
	LEVEL_COMPARE = 4,
	LEVEL_TIGHTEST = 10
};

static bool expression(Parser *p, int level, const Node **out);

/* ---- tokens ---------------------------------------------------------- */

bool parse_unexpected(Parser *p, const char *what)
{
	const Token *t = p->t;
	const char *quote = t->text ? "`" : "";
	return diag_error(p->ctx, t->loc, NULL, "expected %s, found %s%s%s",
			  what, quote, t->text ? t->text : token_text(t->kind),
			  quote);
}

bool parse_at(const Parser *p, TokKind k)
{
	return p->t->kind == k;
}

bool parse_accept(Parser *p, TokKind k)
{
	if (!parse_at(p, k))
		return false;
	p->t++;
	return true;
}

bool parse_expect(Parser *p, TokKind k)
{
	if (parse_accept(p, k))
		return true;
	const char *text = token_text(k);
	bool fixed = k > TK_STRING;
	return parse_unexpected(p, fixed ? arena_printf(p->arena, "`%s`", text)
					 : text);
}

bool parse_name(Parser *p, const char *what, const char **text, Loc *loc)
{
	if (!parse_at(p, TK_NAME))
		return parse_unexpected(p, what);
	*text = p->t->text;
	*loc = p->t->loc;
	p->t++;
	return true;
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
Loc parse_span(Loc a, Loc b)
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

/* Items up to a closing bracket; a trailing comma is allowed. */
bool parse_items(Parser *p, TokKind close, NodeVec *v, bool *comma)
{
	*comma = false;
	while (!parse_at(p, close)) {
		const Node *e;
		if (!parse_expression(p, &e))
			return false;
		VEC_PUSH(p->arena, *v, e);
		if (parse_at(p, close))
			break;
		if (!parse_at(p, TK_COMMA))
			return parse_unexpected(
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
	if (parse_accept(p, TK_NAME))
		return done(p, n, out);
	if (parse_accept(p, TK_NUMBER)) {
		n->kind = N_NUMBER;
		return done(p, n, out);
	}
	if (parse_accept(p, TK_STRING)) {
		n->kind = N_STRING;
		return done(p, n, out);
	}
	if (parse_accept(p, TK_TRUE) || parse_accept(p, TK_FALSE)) {
		n->kind = N_BOOL;
		n->truth = t->kind == TK_TRUE;
		return done(p, n, out);
	}
	if (parse_accept(p, TK_NONE)) {
		n->kind = N_NONE;
		return done(p, n, out);
	}
	if (parse_accept(p, TK_ELLIPSIS)) {
		n->kind = N_ELLIPSIS;
		return done(p, n, out);
	}
	bool list = parse_at(p, TK_LBRACKET);
	if (!list && !parse_at(p, TK_LPAR))
		return parse_unexpected(p, "an expression");
	TokKind close = list ? TK_RBRACKET : TK_RPAR;
	NodeVec v = {0};
	bool comma;
	p->t++;
	if (!parse_items(p, close, &v, &comma))
		return false;
	Loc end = p->t->loc;
	p->t++;
	if (!list && v.n == 1 && !comma) {
		*out = v.p[0]; /* plain parentheses */
		return true;
	}
	n->kind = list ? N_LIST : N_TUPLE;
	n->loc = parse_span(t->loc, end);
	n->kids = v.p;
	n->nkids = v.n;
	return done(p, n, out);
}

static bool call_arguments(Parser *p, Node *call)
{
	NodeVec v = {0};
	bool keywords = false;
	while (!parse_at(p, TK_RPAR)) {
		const Node *e;
		if (parse_at(p, TK_NAME) && p->t[1].kind == TK_ASSIGN) {
			Node *k = node(p, N_KEYWORD, p->t->loc);
			k->text = p->t->text;
			p->t += 2;
			if (!parse_expression(p, &k->a) || !done(p, k, &e))
				return false;
			keywords = true;
		} else {
			Loc loc = p->t->loc;
			if (!parse_expression(p, &e))
				return false;
			if (keywords)
				return diag_error(
					p->ctx, loc, NULL,
					"a positional argument cannot follow "
					"a named one");
		}
		VEC_PUSH(p->arena, v, e);
		if (!parse_accept(p, TK_COMMA) && !parse_at(p, TK_RPAR))
			return parse_unexpected(p, "`,` or `)`");
	}
	call->kids = v.p;
	call->nkids = v.n;
	return true;
}

static bool subscript(Parser *p, const Node **out)
{
	Node *s = node(p, N_SLICE, p->t->loc);
	if (!parse_at(p, TK_COLON)) {
		if (!parse_expression(p, &s->a))
			return false;
		if (!parse_at(p, TK_COLON)) {
			*out = s->a;
			return true;
		}
	}
	p->t++;
	if (!parse_at(p, TK_COLON) && !parse_at(p, TK_COMMA) &&
	    !parse_at(p, TK_RBRACKET) && !parse_expression(p, &s->b))
		return false;
	if (parse_accept(p, TK_COLON) && !parse_at(p, TK_COMMA) &&
	    !parse_at(p, TK_RBRACKET) && !parse_expression(p, &s->c))
		return false;
	s->loc = parse_span(s->loc, p->t[-1].loc);
	return done(p, s, out);
}

static bool subscripts(Parser *p, Node *index)
{
	NodeVec v = {0};
	if (parse_at(p, TK_RBRACKET))
		return parse_unexpected(p, "an index");
	while (!parse_at(p, TK_RBRACKET)) {
		const Node *e;
		if (!subscript(p, &e))
			return false;
		VEC_PUSH(p->arena, v, e);
		if (!parse_accept(p, TK_COMMA) && !parse_at(p, TK_RBRACKET))
			return parse_unexpected(p, "`,`, `:` or `]`");
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
		if (parse_accept(p, TK_DOT)) {
			n = node(p, N_ATTR, e->loc);
			Loc loc = {0};
			if (!parse_name(p, "a name after `.`", &n->text, &loc))
				return false;
			n->loc = parse_span(e->loc, loc);
		} else if (parse_accept(p, TK_LPAR)) {
			n = node(p, N_CALL, e->loc);
			if (!call_arguments(p, n))
				return false;
			n->loc = parse_span(e->loc, p->t->loc);
			p->t++;
		} else if (parse_accept(p, TK_LBRACKET)) {
			n = node(p, N_INDEX, e->loc);
			if (!subscripts(p, n))
				return false;
			n->loc = parse_span(e->loc, p->t->loc);
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
	if (!parse_at(p, TK_STARSTAR)) {
		*out = base;
		return true;
	}
	p->t++;
	Node *n = node(p, N_BINARY, base->loc);
	n->op = TK_STARSTAR;
	n->a = base;
	if (!unary(p, &n->b))
		return false;
	n->loc = parse_span(base->loc, n->b->loc);
	return done(p, n, out);
}

static bool unary(Parser *p, const Node **out)
{
	if (!parse_at(p, TK_MINUS) && !parse_at(p, TK_PLUS) &&
	    !parse_at(p, TK_TILDE)) {
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
	n->loc = parse_span(n->loc, n->a->loc);
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
	if (parse_at(p, TK_NOT) && level <= LEVEL_NOT) {
		Node *n = node(p, N_UNARY, p->t->loc);
		n->op = TK_NOT;
		p->t++;
		if (!enter(p) || !expression(p, LEVEL_NOT, &n->a))
			return false;
		p->nesting--;
		n->loc = parse_span(n->loc, n->a->loc);
		if (!done(p, n, &left))
			return false;
	} else if (parse_at(p, TK_NOT)) {
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
		n->loc = parse_span(left->loc, n->b->loc);
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
bool parse_expression(Parser *p, const Node **out)
{
	const Node *e;
	if (!enter(p) || !expression(p, 1, &e))
		return false;
	if (parse_at(p, TK_IF)) {
		if (!p->prelude)
			return diag_error(
				p->ctx, p->t->loc,
				"choose between values with where(c, a, b)",
				"control flow is not implemented yet");
		Node *n = node(p, N_COND, e->loc);
		p->t++;
		n->a = e;
		if (!expression(p, 1, &n->b) || !parse_expect(p, TK_ELSE) ||
		    !parse_expression(p, &n->c) || !done(p, n, &e))
			return false;
	}
	p->nesting--;
	*out = e;
	return true;
}

/* One value, or several with commas between: a tuple. */
bool parse_values(Parser *p, const Node **out)
{
	const Node *e;
	if (!parse_expression(p, &e))
		return false;
	if (!parse_at(p, TK_COMMA)) {
		*out = e;
		return true;
	}
	NodeVec v = {0};
	VEC_PUSH(p->arena, v, e);
	while (parse_accept(p, TK_COMMA)) {
		if (parse_at(p, TK_NEWLINE) || parse_at(p, TK_SEMI))
			break;
		if (!parse_expression(p, &e))
			return false;
		VEC_PUSH(p->arena, v, e);
	}
	Node *n = node(p, N_TUPLE, v.p[0]->loc);
	n->loc = parse_span(v.p[0]->loc, e->loc);
	n->kids = v.p;
	n->nkids = v.n;
	return done(p, n, out);
}
