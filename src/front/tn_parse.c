/*
 * tn_parse: tokens to the declarations of tn_ast.h: dims, consts and defs
 * with their types and statements. Recursive descent; the first error ends
 * the parse.
 */
#include "front/tn_parse.h"

#include "ir/program.h"

#include <string.h>

/* Words of @contract and the bits they set; 0: known, not implemented. */
static const struct {
	const char *name;
	uint32_t relax;
} contracts[] = {
	{"single_rounding", RELAX_SINGLE_ROUNDING},
	{"contraction", RELAX_CONTRACTION},
	{"reassociate", RELAX_REASSOCIATE},
	{"row_invariant", RELAX_ROW_INVARIANT},
	{"tf32", RELAX_TF32},
	{"approx", 0},
};
#define CONTRACT_WORDS                                                         \
	"single_rounding, contraction, reassociate, row_invariant and tf32 "   \
	"are implemented"

static bool at_word(const Parser *p, const char *w)
{
	return parse_at(p, TK_NAME) && strcmp(p->t->text, w) == 0;
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
	if (!parse_at(p, TK_NAME))
		return parse_unexpected(p, "a dtype");
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
	if (!parse_accept(p, TK_LBRACKET))
		return true; /* rank 0 */
	NodeVec v = {0};
	bool comma;
	if (!parse_items(p, TK_RBRACKET, &v, &comma))
		return false;
	t->loc = parse_span(t->loc, p->t->loc);
	p->t++;
	if (v.n > TN_MAX_RANK)
		return diag_error(p->ctx, t->loc, NULL,
				  "rank %zu; %d is the most", v.n, TN_MAX_RANK);
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
	static const char *const words[] = {"for",    "while", "elif",   "pass",
					    "import", "class", "lambda", "with",
					    "try",    "yield"};
	const char *w = parse_at(p, TK_NAME) || parse_at(p, TK_IF) ||
					parse_at(p, TK_ELSE)
				? p->t->text
				: "";
	bool flow = parse_at(p, TK_IF) || parse_at(p, TK_ELSE);
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		flow = flow ||
		       (strcmp(w, words[i]) == 0 &&
			(p->t[1].kind == TK_NAME || p->t[1].kind == TK_COLON ||
			 p->t[1].kind == TK_NEWLINE ||
			 p->t[1].kind == TK_NUMBER || p->t[1].kind == TK_TRUE));
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
	if (parse_accept(p, TK_RETURN)) {
		s->is_return = true;
		if (parse_at(p, TK_NEWLINE) || parse_at(p, TK_SEMI))
			return parse_unexpected(p, "a value to return");
		return parse_values(p, &s->value);
	}
	if (parse_at(p, TK_DEF))
		return diag_error(p->ctx, p->t->loc,
				  "write it at the start of a line",
				  "a def cannot stand inside another");
	VEC(Target) targets = {0};
	for (;;) {
		Target t = {0};
		if (!parse_name(p, "a statement (`name = ...` or `return ...`)",
				&t.name, &t.loc))
			return false;
		if (parse_at(p, TK_COLON) && !type_after_colon(p, &t.type))
			return false;
		VEC_PUSH(p->arena, targets, t);
		if (!parse_accept(p, TK_COMMA))
			break;
	}
	if (!parse_at(p, TK_ASSIGN)) {
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
	return parse_values(p, &s->value);
}

/* Statements of one line, `;` between them. */
static bool line(Parser *p, Def *d, size_t *cap)
{
	do {
		if (parse_at(p, TK_NEWLINE))
			break;
		Stmt s = {0};
		if (!statement(p, &s))
			return false;
		Stmt *all = arena_grow(p->arena, (void *)(uintptr_t)d->stmts,
				       sizeof(Stmt), d->nstmts, cap);
		all[d->nstmts++] = s;
		d->stmts = all;
	} while (parse_accept(p, TK_SEMI));
	if (parse_at(p, TK_NEWLINE)) {
		p->t++;
		return true;
	}
	return parse_unexpected(p, "the end of the line");
}

static bool body(Parser *p, Def *d)
{
	size_t cap = 0;
	if (!parse_at(p, TK_NEWLINE))
		return line(p, d, &cap);
	p->t++;
	if (!parse_at(p, TK_INDENT))
		return diag_error(p->ctx, p->t->loc,
				  "indent the lines that belong to the def",
				  "expected the body of `%s`", d->name);
	p->t++;
	while (!parse_accept(p, TK_DEDENT)) {
		if (parse_at(p, TK_INDENT))
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
	while (!parse_at(p, TK_RPAR)) {
		const char *w = NULL;
		Loc loc = {0};
		if (!parse_name(p, "a contract word", &w, &loc))
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
		if (parse_at(p, TK_ASSIGN))
			return diag_error(p->ctx, p->t->loc, NULL,
					  "`%s` takes no value", w);
		d->relax |= contracts[i].relax;
		if (!parse_accept(p, TK_COMMA) && !parse_at(p, TK_RPAR))
			return parse_unexpected(p, "`,` or `)`");
	}
	return true;
}

static bool donate(Parser *p, Def *d)
{
	VEC(Word) v = {0};
	for (size_t i = 0; i < d->ndonated; i++)
		VEC_PUSH(p->arena, v, d->donated[i]);
	while (!parse_at(p, TK_RPAR)) {
		Word w;
		if (!parse_name(p, "the name of a parameter", &w.text, &w.loc))
			return false;
		VEC_PUSH(p->arena, v, w);
		if (!parse_accept(p, TK_COMMA) && !parse_at(p, TK_RPAR))
			return parse_unexpected(p, "`,` or `)`");
	}
	d->donated = v.p;
	d->ndonated = v.n;
	return true;
}

static bool decorators(Parser *p, Def *d)
{
	while (parse_accept(p, TK_AT)) {
		const char *w = NULL;
		Loc loc = {0};
		if (!parse_name(p, "`contract` or `donate` after `@`", &w,
				&loc))
			return false;
		bool is_contract = strcmp(w, "contract") == 0;
		if (!is_contract && strcmp(w, "donate") != 0)
			return diag_error(p->ctx, loc,
					  "there are @contract(...) and "
					  "@donate(...)",
					  "unknown decorator `@%s`", w);
		if (!parse_expect(p, TK_LPAR) ||
		    !(is_contract ? contract(p, d) : donate(p, d)))
			return false;
		p->t++;
		if (!parse_expect(p, TK_NEWLINE))
			return false;
		if (!parse_at(p, TK_AT) && !parse_at(p, TK_DEF))
			return diag_error(p->ctx, p->t->loc, NULL,
					  "a decorator must stand above a def");
	}
	return true;
}

static bool parameters(Parser *p, Def *d)
{
	VEC(Param) v = {0};
	while (!parse_at(p, TK_RPAR)) {
		Param q = {0};
		if (!parse_name(p, "a parameter's name", &q.name, &q.loc))
			return false;
		for (size_t i = 0; i < v.n; i++)
			if (strcmp(v.p[i].name, q.name) == 0)
				return diag_error(
					p->ctx, q.loc, NULL,
					"two parameters are named `%s`",
					q.name);
		if (parse_at(p, TK_COLON)) {
			if (!type_after_colon(p, &q.type))
				return false;
		} else if (!p->prelude) {
			return diag_error(p->ctx, q.loc,
					  arena_printf(p->arena,
						       "write `%s: f32[M, N]`",
						       q.name),
					  "parameter `%s` has no type", q.name);
		}
		if (parse_at(p, TK_ASSIGN)) {
			if (!p->prelude)
				return diag_error(
					p->ctx, p->t->loc, NULL,
					"parameters have no defaults");
			p->t++;
			if (!parse_expression(p, &q.fallback))
				return false;
		}
		VEC_PUSH(p->arena, v, q);
		if (!parse_accept(p, TK_COMMA) && !parse_at(p, TK_RPAR))
			return parse_unexpected(p, "`,` or `)`");
	}
	d->params = v.p;
	d->nparams = v.n;
	return true;
}

static bool result_types(Parser *p, Def *d)
{
	VEC(TypeNode) v = {0};
	bool bracket = parse_accept(p, TK_LPAR);
	do {
		TypeNode t = {0};
		if (bracket && parse_at(p, TK_RPAR))
			break;
		if (!type(p, &t))
			return false;
		VEC_PUSH(p->arena, v, t);
	} while (parse_accept(p, TK_COMMA));
	d->results = v.p;
	d->nresults = v.n;
	return !bracket || parse_expect(p, TK_RPAR);
}

static bool def(Parser *p)
{
	Def d = {.prelude = p->prelude};
	if (!decorators(p, &d))
		return false;
	p->t++; /* def */
	if (!parse_name(p, "the def's name", &d.name, &d.loc) ||
	    !parse_expect(p, TK_LPAR) || !parameters(p, &d))
		return false;
	p->t++;
	if (parse_accept(p, TK_ARROW) && !result_types(p, &d))
		return false;
	if (!parse_expect(p, TK_COLON) || !body(p, &d))
		return false;
	for (size_t i = 0; i < d.nstmts; i++) {
		if (d.stmts[i].is_return && i + 1 < d.nstmts)
			return diag_error(p->ctx, d.stmts[i + 1].loc, NULL,
					  "nothing may follow `return`");
	}
	if (!d.nstmts || !d.stmts[d.nstmts - 1].is_return)
		return diag_error(p->ctx, d.loc, "end it with `return ...`",
				  "`%s` returns nothing", d.name);
	VEC_PUSH(p->arena, p->unit->defs, d);
	return true;
}

static bool constant(Parser *p)
{
	ConstDecl c = {0};
	p->t++; /* const */
	if (!parse_name(p, "the const's name", &c.name, &c.loc))
		return false;
	if (!parse_at(p, TK_COLON))
		return diag_error(p->ctx, p->t->loc,
				  "write `const w: f16[K, N] = "
				  "file(\"w.safetensors\", \"w\")`",
				  "const `%s` has no type", c.name);
	if (!type_after_colon(p, &c.type) || !parse_expect(p, TK_ASSIGN) ||
	    !parse_expression(p, &c.value) || !parse_expect(p, TK_NEWLINE))
		return false;
	VEC_PUSH(p->arena, p->unit->consts, c);
	return true;
}

static bool dims(Parser *p)
{
	DimsDecl d = {0};
	VEC(DimEntry) v = {0};
	p->t++; /* dims */
	if (!parse_name(p, "the name of the set", &d.name, &d.loc) ||
	    !parse_expect(p, TK_COLON))
		return false;
	do {
		DimEntry e = {0};
		if (!parse_name(p, "a dim's name", &e.name, &e.loc) ||
		    !parse_expect(p, TK_ASSIGN) ||
		    !parse_expression(p, &e.value))
			return false;
		VEC_PUSH(p->arena, v, e);
	} while (parse_accept(p, TK_COMMA));
	d.entries = v.p;
	d.nentries = v.n;
	VEC_PUSH(p->arena, p->unit->dims, d);
	return parse_expect(p, TK_NEWLINE);
}

static bool declaration(Parser *p)
{
	if (parse_at(p, TK_INDENT))
		return diag_error(p->ctx, p->t->loc,
				  "start the line at the margin",
				  "unexpected indentation");
	if (parse_at(p, TK_DEF) || parse_at(p, TK_AT))
		return def(p);
	if (at_word(p, "const") && p->t[1].kind == TK_NAME)
		return constant(p);
	if (at_word(p, "dims") && p->t[1].kind == TK_NAME)
		return dims(p);
	return parse_unexpected(p, "`def`, `const` or `dims`");
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
	while (!parse_at(&p, TK_EOF))
		if (!declaration(&p))
			return false;
	*out = p.unit;
	return true;
}

/* ---- names ----------------------------------------------------------- */

enum {
	NEAR_MAX = 32
};

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
