/*
 * expr_text: expressions as text, for people and for C compilers, and back.
 *
 * Terms print in the table's order, those with a minus sign last, so that a
 * sum seldom starts with one. The grammar is Python's:
 *   sum     = term (("+" | "-") term)*
 *   term    = unary (("*" | "//" | "%") unary)*
 *   unary   = "-" unary | primary
 *   primary = integer | name | ("min" | "max") "(" sum "," sum ")"
 *           | "(" sum ")"
 */
#include "ir/expr.h"

#include "ir/internal.h"

#include <string.h>

typedef struct Printer {
	Buf *b;
	const ExprTab *t;
	bool c; /* the C form */
	const ExNames *names;
} Printer;

static void print_sum(const Printer *p, Ex e);

/* Constants that C reads as int are small enough to be multiplied. */
static void print_int(const Printer *p, int64_t v)
{
	const char *suffix = "";
	if (p->c && (v <= -32768 || v >= 32768))
		suffix = "LL";
	if (v == INT64_MIN)
		buf_printf(p->b, "(-9223372036854775807%s - 1)", suffix);
	else
		buf_printf(p->b, "%lld%s", (long long)v, suffix);
}

/* ---- what C's own / and % may do ------------------------------------- */

/* Never negative, seen from its form: dims from lo, axes from 0. */
static bool nonneg_form(const ExprTab *t, Ex e)
{
	const ExNode *n = ex_node(t, e);
	int64_t c;
	switch (n->kind) {
	case EX_CONST:
		return n->value >= 0;
	case EX_DIM:
		return t->dims.p[n->value].lo >= 0;
	case EX_AXIS:
		return true;
	case EX_MOD:
		return (ex_is_const(t, n->b, &c) && c > 0) ||
		       (nonneg_form(t, n->a) && nonneg_form(t, n->b));
	case EX_MAX:
		return nonneg_form(t, n->a) || nonneg_form(t, n->b);
	case EX_DIV:
	case EX_MIN:
		return nonneg_form(t, n->a) && nonneg_form(t, n->b);
	case EX_POLY:
		for (uint32_t i = 0; i < n->nterms; i++) {
			if (n->terms[i].coef < 0)
				return false;
			for (uint32_t k = 0; k < n->terms[i].natoms; k++)
				if (!nonneg_form(t, n->terms[i].atoms[k]))
					return false;
		}
		return true;
	}
	bug("kind %d", (int)n->kind);
}

/* At least 1, seen from its form. */
static bool positive_form(const ExprTab *t, Ex e)
{
	const ExNode *n = ex_node(t, e);
	switch (n->kind) {
	case EX_CONST:
		return n->value > 0;
	case EX_DIM:
		return t->dims.p[n->value].lo > 0;
	case EX_AXIS:
	case EX_DIV:
	case EX_MOD:
		return false;
	case EX_MIN:
		return positive_form(t, n->a) && positive_form(t, n->b);
	case EX_MAX:
		return positive_form(t, n->a) || positive_form(t, n->b);
	case EX_POLY:
		for (uint32_t i = 0; i < n->nterms && nonneg_form(t, e); i++) {
			const ExTerm *m = &n->terms[i];
			uint32_t k = 0;
			while (k < m->natoms && positive_form(t, m->atoms[k]))
				k++;
			if (k == m->natoms)
				return true;
		}
		return false;
	}
	bug("kind %d", (int)n->kind);
}

/* ---- printing -------------------------------------------------------- */

static void print_parens(const Printer *p, Ex e)
{
	buf_putc(p->b, '(');
	print_sum(p, e);
	buf_putc(p->b, ')');
}

static void print_call(const Printer *p, const char *name, const ExNode *n)
{
	buf_puts(p->b, name);
	buf_putc(p->b, '(');
	print_sum(p, n->a);
	buf_puts(p->b, ", ");
	print_sum(p, n->b);
	buf_putc(p->b, ')');
}

/* Whether e is a division or modulo written with an operator. */
static bool is_infix(const Printer *p, Ex e)
{
	const ExNode *n = ex_node(p->t, e);
	if (p->names && p->names->name(p->names->arg, e))
		return false;
	if (n->kind != EX_DIV && n->kind != EX_MOD)
		return false;
	return !p->c || (nonneg_form(p->t, n->a) && positive_form(p->t, n->b));
}

/* A dividend or divisor, in parentheses where it needs them. */
static void print_operand(const Printer *p, Ex e, bool right)
{
	const ExNode *n = ex_node(p->t, e);
	bool parens = n->kind == EX_POLY && (right || n->nterms > 1 || p->c);
	parens |= n->kind == EX_CONST && n->value < 0;
	parens |= is_infix(p, e) && (right || p->c);
	if (parens)
		print_parens(p, e);
	else
		print_sum(p, e);
}

static void print_atom(const Printer *p, Ex e)
{
	const ExNode *n = ex_node(p->t, e);
	static const char *const op[2][2] = {{"//", "%"}, {"/", " % "}};
	const char *name = p->names ? p->names->name(p->names->arg, e) : NULL;

	if (name) {
		buf_puts(p->b, name);
		return;
	}
	switch (n->kind) {
	case EX_DIM:
		buf_printf(p->b, "%s%s", p->c ? "d_" : "",
			   p->t->dims.p[n->value].name);
		return;
	case EX_AXIS:
		buf_printf(p->b, "i%lld", (long long)n->value);
		return;
	case EX_DIV:
	case EX_MOD:
		if (!is_infix(p, e)) {
			print_call(p, n->kind == EX_DIV ? "tn_div" : "tn_mod",
				   n);
			return;
		}
		print_operand(p, n->a, false);
		buf_puts(p->b, op[p->c][n->kind == EX_MOD]);
		print_operand(p, n->b, true);
		return;
	case EX_MIN:
		print_call(p, p->c ? "tn_min" : "min", n);
		return;
	case EX_MAX:
		print_call(p, p->c ? "tn_max" : "max", n);
		return;
	case EX_CONST:
	case EX_POLY:
		break;
	}
	bug("kind %d is no atom", (int)n->kind);
}

/* |coef| times the atoms; the sign has been printed. */
static void print_term(const Printer *p, const ExTerm *m, bool after_minus)
{
	bool alone = m->natoms == 1 && (m->coef == 1 || m->coef == -1);
	if (m->natoms == 0 || !(m->coef == 1 || m->coef == -1)) {
		print_int(p, m->coef > 0 || m->coef == INT64_MIN ? m->coef
								 : -m->coef);
		if (m->natoms)
			buf_putc(p->b, '*');
	}
	for (uint32_t k = 0; k < m->natoms; k++) {
		if (k)
			buf_putc(p->b, '*');
		bool parens =
			is_infix(p, m->atoms[k]) && (!alone || after_minus);
		if (parens)
			buf_putc(p->b, '(');
		print_atom(p, m->atoms[k]);
		if (parens)
			buf_putc(p->b, ')');
	}
}

static void print_sum(const Printer *p, Ex e)
{
	const ExNode *n = ex_node(p->t, e);
	if (n->kind == EX_CONST) {
		print_int(p, n->value);
		return;
	}
	if (n->kind != EX_POLY) {
		print_atom(p, e);
		return;
	}
	bool first = true;
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < n->nterms; i++) {
			const ExTerm *m = &n->terms[i];
			/* the most negative coefficient carries its own sign */
			bool minus = m->coef < 0 && m->coef != INT64_MIN;
			if (minus != (pass == 1))
				continue;
			if (!first)
				buf_puts(p->b, minus ? " - " : " + ");
			else if (minus)
				buf_putc(p->b, '-');
			print_term(p, m, first && minus);
			first = false;
		}
	}
}

void ex_print(Buf *b, const ExprTab *t, Ex e)
{
	print_sum(&(Printer){b, t, false, NULL}, e);
}

void ex_print_c(Buf *b, const ExprTab *t, Ex e, const ExNames *names)
{
	Printer p = {b, t, true, names};
	int64_t v;
	bool primary = ex_is_const(t, e, &v) ? v >= 0 || v == INT64_MIN
					     : ex_node(t, e)->kind != EX_POLY &&
						       !is_infix(&p, e);
	if (primary)
		print_sum(&p, e);
	else
		print_parens(&p, e);
}

/* ---- parsing --------------------------------------------------------- */

#define MAX_DEPTH 64

typedef struct Parser {
	ExprTab *t;
	const char *s;
	bool declare;
	int depth;
	const char *error; /* the first one */
} Parser;

static Ex parse_sum(Parser *p);

static Ex fail(Parser *p, const char *error)
{
	if (!p->error)
		p->error = error;
	return EX_ZERO;
}

static char peek(Parser *p)
{
	while (*p->s == ' ' || *p->s == '\t')
		p->s++;
	return *p->s;
}

static bool accept(Parser *p, char c)
{
	/* blanks are left alone unless what was looked for follows */
	const char *s = p->s;
	if (peek(p) == c) {
		p->s++;
		return true;
	}
	p->s = s;
	return false;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool parse_digits(Parser *p, int64_t *v)
{
	*v = 0;
	for (; is_digit(*p->s); p->s++)
		if (__builtin_mul_overflow(*v, (int64_t)10, v) ||
		    __builtin_add_overflow(*v, (int64_t)(*p->s - '0'), v))
			return false;
	return true;
}

static Ex parse_min_max(Parser *p, bool min)
{
	if (!accept(p, '('))
		return fail(p, "expected ( after min or max");
	Ex a = parse_sum(p);
	if (!p->error && !accept(p, ','))
		return fail(p, "expected , between the operands of min or max");
	Ex b = parse_sum(p);
	if (!p->error && !accept(p, ')'))
		return fail(p, "expected )");
	return min ? ex_min(p->t, a, b) : ex_max(p->t, a, b);
}

static Ex parse_name(Parser *p)
{
	char name[256];
	size_t n = 0;
	bool axis = *p->s == 'i';
	for (; is_letter(*p->s) || is_digit(*p->s); p->s++) {
		if (n == sizeof(name) - 1)
			return fail(p, "a name is too long");
		axis = axis && (n == 0 || is_digit(*p->s));
		name[n++] = *p->s;
	}
	name[n] = '\0';
	if (axis && n > 1) {
		if (n > 7)
			return fail(p, "an axis number is too large");
		int64_t v = 0;
		for (size_t i = 1; i < n; i++)
			v = 10 * v + (name[i] - '0');
		return ex_axis(p->t, v);
	}
	if (strcmp(name, "min") == 0 || strcmp(name, "max") == 0)
		return parse_min_max(p, name[1] == 'i');
	for (size_t i = 0; i < p->t->dims.n && !p->declare; i++)
		if (strcmp(p->t->dims.p[i].name, name) == 0)
			return ex_dim(p->t, name, LOC_NONE);
	if (!p->declare)
		return fail(p, "a name that is no declared dim");
	return ex_dim(p->t, name, LOC_NONE);
}

static Ex parse_primary(Parser *p)
{
	char c = peek(p);
	int64_t v;
	if (is_digit(c)) {
		if (!parse_digits(p, &v))
			return fail(p, "a number overflows 64 bits");
		if (is_letter(*p->s))
			return fail(p, "a number ends in a letter");
		return ex_const(p->t, v);
	}
	if (is_letter(c))
		return parse_name(p);
	if (accept(p, '(')) {
		Ex e = parse_sum(p);
		if (!p->error && !accept(p, ')'))
			return fail(p, "expected )");
		return e;
	}
	return fail(p, "expected a number, a name or (");
}

static Ex parse_unary(Parser *p)
{
	if (p->error)
		return EX_ZERO;
	if (++p->depth > MAX_DEPTH)
		return fail(p, "an expression is nested too deeply");
	Ex e = accept(p, '-') ? ex_sub(p->t, EX_ZERO, parse_unary(p))
			      : parse_primary(p);
	p->depth--;
	return e;
}

static Ex parse_term(Parser *p)
{
	Ex e = parse_unary(p);
	while (!p->error) {
		const char *before = p->s;
		char c = peek(p);
		bool div = c == '/' && p->s[1] == '/';
		if (c != '*' && c != '%' && !div) {
			p->s = before;
			break;
		}
		p->s += div ? 2 : 1;
		Ex r = parse_unary(p);
		if (p->error)
			break;
		if (c != '*' && r == EX_ZERO)
			return fail(p, "a division by 0");
		e = c == '*' ? ex_mul(p->t, e, r)
		    : div    ? ex_div(p->t, e, r)
			     : ex_mod(p->t, e, r);
	}
	return e;
}

static Ex parse_sum(Parser *p)
{
	Ex e = parse_term(p);
	while (!p->error) {
		if (accept(p, '+'))
			e = ex_add(p->t, e, parse_term(p));
		else if (accept(p, '-'))
			e = ex_sub(p->t, e, parse_term(p));
		else
			break;
	}
	return e;
}

const char *ex_parse(ExprTab *t, const char **s, bool declare, Ex *out)
{
	Parser p = {t, *s, declare, 0, NULL};
	bool overflow = t->overflow;
	t->overflow = false;
	*out = parse_sum(&p);
	if (!p.error && t->overflow)
		p.error = "an expression is too large";
	t->overflow = overflow;
	*s = p.s;
	return p.error;
}
