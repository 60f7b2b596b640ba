/*
 * tn_eval: expressions, evaluated where they stand.
 *
 * eval() walks a tree of bounded height; calls of defs nest further walks,
 * so the levels of all of them together are bounded too. b->at is the place
 * that new values and errors belong to: the node itself in the user's text,
 * the user's call while the prelude is expanded.
 */
#include "front/tn_build.h"

#include <string.h>

/* How each operator is written, and the op it makes. */
static const struct {
	TokKind tok;
	Op op;
} binary_ops[] = {
	{TK_PLUS, OP_ADD},
	{TK_MINUS, OP_SUB},
	{TK_STAR, OP_MUL},
	{TK_SLASH, OP_DIV},
	{TK_SLASHSLASH, OP_FLOORDIV},
	{TK_PERCENT, OP_MOD},
	{TK_STARSTAR, OP_POW},
	{TK_AMP, OP_BITAND},
	{TK_PIPE, OP_BITOR},
	{TK_CARET, OP_BITXOR},
	{TK_SHL, OP_SHL},
	{TK_SHR, OP_SHR},
	{TK_AND, OP_AND},
	{TK_OR, OP_OR},
	{TK_EQ, OP_EQ},
	{TK_NE, OP_NE},
	{TK_LT, OP_LT},
	{TK_LE, OP_LE},
	{TK_GT, OP_GT},
	{TK_GE, OP_GE},
};

static bool is_integer(const Val *v)
{
	return v->kind == VAL_DIM ||
	       (v->kind == VAL_NUMBER && v->number.kind == NUMBER_INT);
}

/* ---- static operators ------------------------------------------------ */

static uint32_t terms_of(const Build *b, Ex e)
{
	const ExNode *n = ex_node(&b->p->ex, e);
	return n->kind == EX_POLY ? n->nterms : 1;
}

static bool static_power(Build *b, Ex x, Ex y, Ex *out)
{
	int64_t e;
	ExprTab *t = &b->p->ex;
	if (!ex_is_const(t, y, &e) || e < 0 || e > 64)
		return fail_at(b, b->at, NULL,
			       "the exponent of an integer must be a number "
			       "from 0 to 64");
	*out = ex_const(t, 1);
	for (int64_t i = 0; i < e; i++) {
		if ((uint64_t)terms_of(b, *out) * terms_of(b, x) >
		    TN_MAX_EXPR_TERM)
			return fail_at(b, b->at, NULL,
				       "the expression has too many terms");
		*out = ex_mul(t, *out, x);
		if (!extent_check(b))
			return false;
	}
	return true;
}

/* Bits and shifts of two numbers; false for other operators. */
static bool static_bits(Build *b, TokKind op, Ex ex, Ex ey, Ex *out)
{
	int64_t x, y, r;
	ExprTab *t = &b->p->ex;
	if (!ex_is_const(t, ex, &x) || !ex_is_const(t, ey, &y))
		return false;
	bool shift = op == TK_SHL || op == TK_SHR;
	if (shift && (y < 0 || y > 62))
		return false;
	if (op == TK_AMP)
		r = x & y;
	else if (op == TK_PIPE)
		r = x | y;
	else if (op == TK_CARET)
		r = x ^ y;
	else if (op == TK_SHR)
		r = x >> y;
	else if (op != TK_SHL || __builtin_mul_overflow(x, INT64_C(1) << y, &r))
		return false;
	*out = ex_const(t, r);
	return true;
}

static bool static_binary(Build *b, TokKind op, const Val *x, const Val *y,
			  Val *out)
{
	Ex ex, ey, r = 0;
	int64_t zero;
	ExprTab *t = &b->p->ex;
	if (!val_to_extent(b, x, "an operand", &ex) ||
	    !val_to_extent(b, y, "an operand", &ey))
		return false;
	bool divides = op == TK_SLASHSLASH || op == TK_PERCENT;
	if (divides && ex_is_const(t, ey, &zero) && zero == 0)
		return fail_at(b, b->at, NULL, "integer division by zero");
	if (op == TK_STAR &&
	    (uint64_t)terms_of(b, ex) * terms_of(b, ey) > TN_MAX_EXPR_TERM)
		return fail_at(b, b->at, NULL,
			       "the expression has too many terms");
	if (op == TK_PLUS)
		r = ex_add(t, ex, ey);
	else if (op == TK_MINUS)
		r = ex_sub(t, ex, ey);
	else if (op == TK_STAR)
		r = ex_mul(t, ex, ey);
	else if (op == TK_SLASHSLASH)
		r = ex_div(t, ex, ey);
	else if (op == TK_PERCENT)
		r = ex_mod(t, ex, ey);
	else if (op == TK_STARSTAR && !static_power(b, ex, ey, &r))
		return false;
	else if (op != TK_STARSTAR && !static_bits(b, op, ex, ey, &r))
		return fail_at(b, b->at,
			       op == TK_SLASH
				       ? "integers divide with `//`; to divide "
					 "values give one a dtype: f32(...)"
				       : "give one a dtype: i64(...)",
			       "`%s` of %s and %s: neither has a dtype",
			       token_text(op), val_text(b, x), val_text(b, y));
	if (!extent_check(b))
		return false;
	*out = val_dim(b, r);
	return true;
}

/* Equality of what is known while building; for the prelude's conditions. */
static bool static_equal(const Val *x, const Val *y)
{
	if (x->kind != y->kind)
		return false;
	if (x->kind == VAL_DTYPE)
		return x->dtype == y->dtype;
	if (x->kind == VAL_DIM)
		return x->dim == y->dim;
	return x->kind == VAL_NONE ||
	       (x->kind == VAL_BOOL && x->truth == y->truth);
}

bool val_binary(Build *b, TokKind op, Val *x, Val *y, Val *out)
{
	if (op == TK_AT) {
		Val none = {0};
		b->called = "@";
		return make_matmul(b, x, y, &none, &none, out);
	}
	if (op == TK_IS || ((op == TK_EQ || op == TK_NE) &&
			    x->kind == VAL_DTYPE && y->kind == VAL_DTYPE)) {
		*out = (Val){.kind = VAL_BOOL, .loc = b->at};
		out->truth = static_equal(x, y) == (op != TK_NE);
		return true;
	}
	if (is_integer(x) && is_integer(y))
		return static_binary(b, op, x, y, out);
	for (size_t i = 0; i < ARRAY_LEN(binary_ops); i++) {
		if (binary_ops[i].tok != op)
			continue;
		Val args[2] = {*x, *y};
		return make_elementwise(b, binary_ops[i].op, token_text(op),
					args, 2, out);
	}
	bug("no op for `%s`", token_text(op));
}

static bool eval_binary(Build *b, const Node *n, Val *out)
{
	Val x, y;
	if (!eval(b, n->a, &x))
		return false;
	/* the prelude's static conditions, which decide what is evaluated */
	if ((n->op == TK_AND || n->op == TK_OR) && x.kind == VAL_BOOL &&
	    b->frame->prelude) {
		if (x.truth == (n->op == TK_AND))
			return eval(b, n->b, out);
		*out = x;
		return true;
	}
	return eval(b, n->b, &y) && val_binary(b, n->op, &x, &y, out);
}

static bool eval_unary(Build *b, const Node *n, Val *out)
{
	Val x;
	if (!eval(b, n->a, &x))
		return false;
	if (x.kind == VAL_NUMBER && (n->op == TK_MINUS || n->op == TK_PLUS)) {
		*out = x;
		out->loc = b->at;
		out->number.negative = x.number.negative != (n->op == TK_MINUS);
		return true;
	}
	if (x.kind == VAL_DIM && (n->op == TK_MINUS || n->op == TK_PLUS)) {
		ExprTab *t = &b->p->ex;
		*out = val_dim(b, n->op == TK_PLUS
					  ? x.dim
					  : ex_sub(t, ex_const(t, 0), x.dim));
		return extent_check(b);
	}
	if (x.kind == VAL_BOOL && n->op == TK_NOT) {
		*out = x;
		out->truth = !x.truth;
		return true;
	}
	b->called = token_text(n->op);
	if (!need_tensor(b, &x))
		return false;
	Value v = val_value(b, &x);
	if (n->op == TK_PLUS) {
		*out = x;
		return v.dtype != DT_BOOL ||
		       fail_at(b, b->at, NULL, "`+` of a bool");
	}
	if (n->op == TK_TILDE && v.dtype == DT_BOOL)
		return fail_at(b, b->at, "write `not x`",
			       "`~` takes integers, and this is %s",
			       val_text(b, &x));
	return make_unary(b,
			  n->op == TK_MINUS ? OP_NEG
			  : n->op == TK_NOT ? OP_NOT
					    : OP_BITNOT,
			  &x, out);
}

/* ---- names ----------------------------------------------------------- */

static Local *find_local(const Frame *f, const char *name)
{
	uint32_t i;
	return f->index && strmap_get(f->index, name, &i) ? &f->locals.p[i]
							  : NULL;
}

static bool find_const(const Unit *u, const char *name, size_t *i)
{
	for (*i = 0; *i < u->consts.n; ++*i)
		if (strcmp(u->consts.p[*i].name, name) == 0)
			return true;
	return false;
}

/* i0, i1, ... are axes in the text of the stages. */
static bool is_axis_name(const char *name)
{
	return name[0] == 'i' && name[1] &&
	       strspn(name + 1, "0123456789") == strlen(name + 1);
}

static bool special_number(Build *b, const char *name, Val *out)
{
	bool inf = strcmp(name, "inf") == 0;
	if (!inf && strcmp(name, "nan") != 0)
		return false;
	*out = (Val){.kind = VAL_NUMBER, .loc = b->at};
	out->number = (Number){.kind = inf ? NUMBER_INF : NUMBER_NAN,
			       .text = inf ? "inf" : "nan",
			       .digits = "0"};
	return true;
}

static bool is_function(const Build *b, const char *name)
{
	return build_find_def(b->prelude, name) ||
	       builtin_find(name, b->frame->prelude) ||
	       (!b->frame->prelude && build_find_def(b->user, name));
}

/* All names that would have been found here. */
static const char *suggest(Build *b, const char *name, bool functions)
{
	VEC(const char *) list = {0};
	const char *builtins[128];
	size_t n = functions ? builtin_names(builtins, 128) : 0;
	for (size_t i = 0; i < n; i++)
		VEC_PUSH(b->arena, list, builtins[i]);
	for (size_t i = 0; functions && i < b->prelude->defs.n; i++)
		VEC_PUSH(b->arena, list, b->prelude->defs.p[i].name);
	for (size_t i = 0; functions && i < b->user->defs.n; i++)
		VEC_PUSH(b->arena, list, b->user->defs.p[i].name);
	for (int i = 0; functions && i < DT_COUNT; i++)
		VEC_PUSH(b->arena, list, dtype_info[i].name);
	for (size_t i = 0; !functions && i < b->frame->locals.n; i++)
		VEC_PUSH(b->arena, list, b->frame->locals.p[i].name);
	for (size_t i = 0; !functions && i < b->user->consts.n; i++)
		VEC_PUSH(b->arena, list, b->user->consts.p[i].name);
	const char *near = nearest_name(name, list.p, list.n);
	return near ? arena_printf(b->arena, "did you mean `%s`?", near) : NULL;
}

static bool eval_name(Build *b, const char *name, Val *out)
{
	DType d;
	Local *l = find_local(b->frame, name);
	if (l) {
		*out = l->val;
		out->loc = b->at;
		return true;
	}
	size_t c;
	if (!b->declare_dims && !b->frame->prelude &&
	    find_const(b->user, name, &c)) {
		bool ok = build_const(b, c, out);
		out->loc = b->at;
		return ok;
	}
	if (dtype_parse(name, &d)) {
		*out = (Val){.kind = VAL_DTYPE, .loc = b->at};
		out->dtype = build_dtype(b, d);
		return true;
	}
	if (special_number(b, name, out))
		return true;
	if (is_function(b, name))
		return fail_at(b, b->at,
			       arena_printf(b->arena, "call it: %s(...)", name),
			       "`%s` is a function, not a value", name);
	if (!b->frame->prelude &&
	    (b->declare_dims || build_file_dim(b, name))) {
		if (is_axis_name(name))
			return fail_at(b, b->at, "choose another name",
				       "`%s` cannot name a dim: dumps name "
				       "loop axes so",
				       name);
		*out = val_dim(b, build_dim(b, name));
		return true;
	}
	const char *hint = suggest(b, name, false);
	if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0)
		hint = "write True or False";
	return fail_at(b, b->at, hint, "unknown name `%s`", name);
}

/* ---- calls ----------------------------------------------------------- */

static bool eval_arguments(Build *b, const Node *call, const Val *self,
			   Args *args)
{
	VEC(Val) pos = {0}, named = {0};
	VEC(Word) names = {0};
	if (self)
		VEC_PUSH(b->arena, pos, *self);
	for (size_t i = 0; i < call->nkids; i++) {
		const Node *k = call->kids[i];
		bool keyword = k->kind == N_KEYWORD;
		Val v;
		if (!eval(b, keyword ? k->a : k, &v))
			return false;
		if (!keyword) {
			VEC_PUSH(b->arena, pos, v);
			continue;
		}
		Word w = {k->text, b->frame->prelude ? b->at : k->loc};
		for (size_t j = 0; j < names.n; j++)
			if (strcmp(names.p[j].text, w.text) == 0)
				return fail_at(b, w.loc, NULL,
					       "argument `%s` is given twice",
					       w.text);
		VEC_PUSH(b->arena, names, w);
		VEC_PUSH(b->arena, named, v);
	}
	*args = (Args){pos.p, pos.n, names.p, named.p, named.n};
	return true;
}

/* f32(x): a conversion, or the dtype of a literal. */
static bool eval_cast(Build *b, DType written, const Args *args, Val *out)
{
	const char *name = dtype_info[written].name;
	if (args->n != 1 || args->nnamed)
		return fail_at(b, b->at, NULL,
			       "`%s` takes one argument, the value to convert",
			       name);
	return make_cast(b, &args->p[0], build_dtype(b, written), out);
}

static bool call_function(Build *b, const char *name, const Args *args,
			  Val *out)
{
	const Def *d = NULL;
	if (!b->frame->prelude)
		d = build_find_def(b->user, name);
	if (!d)
		d = build_find_def(b->prelude, name);
	if (d)
		return build_call_def(b, d, args, out);
	const Builtin *f = builtin_find(name, b->frame->prelude);
	bug_if(!f);
	return builtin_call(b, f, args, out);
}

static bool eval_call(Build *b, const Node *n, Val *out)
{
	Val self;
	Args args;
	DType d;
	const Node *f = n->a;
	if (f->kind != N_NAME && f->kind != N_ATTR)
		return fail_at(b, b->at, NULL, "this is not a function");
	const char *name = f->text;
	if (f->kind == N_NAME && find_local(b->frame, name))
		return fail_at(b, b->at, NULL,
			       "`%s` is a value here, not a function", name);
	bool cast = f->kind == N_NAME && dtype_parse(name, &d);
	if (!cast && !is_function(b, name)) {
		if (f->kind == N_NAME && strcmp(name, "file") == 0)
			return fail_at(b, b->at,
				       "const w: f16[K, N] = file(\"w.npy\")",
				       "`file` stands only in a const");
		return fail_at(b, b->frame->prelude ? b->at : f->loc,
			       suggest(b, name, true),
			       f->kind == N_ATTR ? "unknown method `%s`"
						 : "unknown function `%s`",
			       name);
	}
	if (f->kind == N_ATTR && !eval(b, f->a, &self))
		return false;
	if (!eval_arguments(b, n, f->kind == N_ATTR ? &self : NULL, &args))
		return false;
	return cast ? eval_cast(b, d, &args, out)
		    : call_function(b, name, &args, out);
}

/* ---- attributes and lists -------------------------------------------- */

static bool eval_attribute(Build *b, const Node *n, Val *out)
{
	Val x;
	if (!eval(b, n->a, &x))
		return false;
	if (x.kind != VAL_TENSOR)
		return fail_at(b, b->at, NULL, "%s has no attribute `%s`",
			       val_text(b, &x), n->text);
	Value v = val_value(b, &x);
	if (strcmp(n->text, "T") == 0) {
		uint8_t perm[TN_MAX_RANK] = {0};
		for (int i = 0; i < v.rank; i++)
			perm[i] = (uint8_t)(v.rank - 1 - i);
		return make_transpose(b, &x, perm, out);
	}
	if (strcmp(n->text, "shape") == 0) {
		*out = (Val){.kind = VAL_LIST, .loc = b->at, .n = v.rank};
		out->items = arena_array(b->arena, Val, v.rank + 1);
		for (int i = 0; i < v.rank; i++)
			out->items[i] = val_dim(b, v.shape[i]);
		return true;
	}
	if (strcmp(n->text, "dtype") == 0) {
		*out = (Val){.kind = VAL_DTYPE, .loc = b->at};
		out->dtype = v.dtype;
		return true;
	}
	if (strcmp(n->text, "ndim") == 0) {
		*out = val_dim(b, ex_const(&b->p->ex, v.rank));
		return true;
	}
	return fail_at(
		b, b->at,
		is_function(b, n->text)
			? arena_printf(b->arena, "call it: .%s(...)", n->text)
			: "there are .T, .shape, .dtype and .ndim",
		"a tensor has no attribute `%s`", n->text);
}

static bool eval_list(Build *b, const Node *n, Val *out)
{
	Val *items = arena_array(b->arena, Val, n->nkids + 1);
	for (size_t i = 0; i < n->nkids; i++)
		if (!eval(b, n->kids[i], &items[i]))
			return false;
	*out = (Val){.kind = VAL_LIST, .loc = b->at, .items = items};
	out->n = n->nkids;
	out->tuple = n->kind == N_TUPLE;
	return true;
}

static bool eval_condition(Build *b, const Node *n, Val *out)
{
	Val c;
	if (!eval(b, n->b, &c))
		return false;
	if (c.kind != VAL_BOOL)
		return fail_at(b, c.loc, NULL,
			       "`%s` must be True or False, and this is %s",
			       n->b->kind == N_NAME ? n->b->text : "this",
			       val_text(b, &c));
	return eval(b, c.truth ? n->a : n->c, out);
}

static bool eval_index(Build *b, const Node *n, Val *out)
{
	Val x;
	return eval(b, n->a, &x) && make_index(b, &x, n, out);
}

static bool eval_number(Build *b, const Node *n, Val *out)
{
	*out = (Val){.kind = VAL_NUMBER, .loc = b->at};
	const char *why = literal_parse(b->arena, n->text, &out->number);
	return !why || fail_at(b, b->at, why, "malformed number `%s`", n->text);
}

static bool eval_kind(Build *b, const Node *n, Val *out)
{
	*out = (Val){.loc = b->at};
	switch (n->kind) {
	case N_NUMBER:
		return eval_number(b, n, out);
	case N_STRING:
		out->kind = VAL_STRING;
		out->text = n->text;
		return true;
	case N_NAME:
		return eval_name(b, n->text, out);
	case N_BOOL:
		out->kind = VAL_BOOL;
		out->truth = n->truth;
		return true;
	case N_NONE:
		return true;
	case N_ELLIPSIS:
		out->kind = VAL_ELLIPSIS;
		return true;
	case N_LIST:
	case N_TUPLE:
		return eval_list(b, n, out);
	case N_UNARY:
		return eval_unary(b, n, out);
	case N_BINARY:
		return eval_binary(b, n, out);
	case N_COND:
		return eval_condition(b, n, out);
	case N_CALL:
		return eval_call(b, n, out);
	case N_ATTR:
		return eval_attribute(b, n, out);
	case N_INDEX:
		return eval_index(b, n, out);
	case N_KEYWORD:
	case N_SLICE:
		break; /* parts of calls and indexes, never alone */
	}
	bug("a syntax node where no expression can be");
}

bool eval(Build *b, const Node *n, Val *out)
{
	Loc outer = b->at;
	if (!b->frame->prelude)
		b->at = n->loc;
	if (++b->levels > TN_MAX_EVAL)
		return fail_at(b, b->at,
			       "name parts of it on lines of their own",
			       "expressions and calls are nested too deeply");
	bool ok = eval_kind(b, n, out);
	b->levels--;
	b->at = outer;
	return ok;
}

bool eval_extent(Build *b, const Node *n, Ex *out)
{
	Val v;
	return eval(b, n, &v) && val_to_extent(b, &v, "an extent", out);
}
