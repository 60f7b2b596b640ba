/*
 * constants: what is known before the program runs.
 *
 * Requires: a verified program. Ensures: ops on constants whose result has
 * certain bits are constants; ops that give back an operand unchanged are
 * gone. Why: later stages see the arithmetic that the data needs, and a
 * compiled kernel does not depend on the compiler folding as IEEE 754 does.
 *
 * The signs of zeros are part of the contract, NaN payloads are not: x + 0
 * is not x, since -0 + 0 is +0, but x + (-0) and x - 0 are.
 */
#include "rewrite/rebuild.h"

#include "ir/view.h"

#include <string.h>

/* Operand i of v repeats the number x. */
static bool arg_is(Rebuild *r, const Value *v, uint32_t i, double x)
{
	const void *e = fold_splat(r, v->args[i]);
	return e && fold_is(program_value(r->q, v->args[i])->dtype, e, x);
}

/* The operand of a commutative v whose partner repeats x, or NO_VALUE. */
static ValueId partner_of(Rebuild *r, const Value *v, double x)
{
	if (arg_is(r, v, 1, x))
		return v->args[0];
	return arg_is(r, v, 0, x) ? v->args[1] : NO_VALUE;
}

/* v, remade as a constant of its own shape. */
static ValueId add_const(Rebuild *r, const Value *v, const void *data, size_t n)
{
	Value c = {.op = OP_CONST,
		   .dtype = v->dtype,
		   .rank = v->rank,
		   .data = data,
		   .data_size = n * (size_t)dtype_info[v->dtype].bytes,
		   .relax = v->relax,
		   .loc = v->loc,
		   .name = v->name,
		   .via = v->via};
	memcpy(c.shape, v->shape, sizeof(c.shape));
	return program_add(r->q, &c);
}

static void *new_data(Rebuild *r, const Value *v, size_t n)
{
	size_t bytes = (size_t)dtype_info[v->dtype].bytes;
	return arena_array(r->q->arena, char, n *bytes + 1);
}

/* ---- folding --------------------------------------------------------- */

#define MAX_FOLD_ARGS 3

/* One element, whatever the shape: a rank-0 constant and its broadcast. */
static ValueId fold_scalar(Rebuild *r, ValueId old TN_UNUSED, const Value *v)
{
	const void *args[MAX_FOLD_ARGS];
	DType from[MAX_FOLD_ARGS];
	if (op_info[v->op].cls != OPC_ELEM || v->nargs > MAX_FOLD_ARGS)
		return NO_VALUE;
	for (uint32_t i = 0; i < v->nargs; i++) {
		args[i] = fold_splat(r, v->args[i]);
		from[i] = program_value(r->q, v->args[i])->dtype;
		if (!args[i])
			return NO_VALUE;
	}
	void *out = new_data(r, v, 1);
	if (!fold_elem(v, 1, args, from, out))
		return NO_VALUE;
	Value scalar = *v;
	scalar.rank = 0;
	if (v->rank)
		scalar.name = NULL;
	ValueId c = add_const(r, &scalar, out, 1);
	if (!v->rank)
		return c;
	Value b = {.op = OP_BROADCAST,
		   .dtype = v->dtype,
		   .rank = v->rank,
		   .nargs = 1,
		   .args = &c,
		   .relax = v->relax,
		   .loc = v->loc,
		   .name = v->name,
		   .via = v->via};
	memcpy(b.shape, v->shape, sizeof(b.shape));
	return program_add(r->q, &b);
}

static ValueId fold_elements(Rebuild *r, ValueId old TN_UNUSED, const Value *v)
{
	const void *args[MAX_FOLD_ARGS];
	DType from[MAX_FOLD_ARGS];
	size_t n = 0;
	if (op_info[v->op].cls != OPC_ELEM || v->nargs > MAX_FOLD_ARGS)
		return NO_VALUE;
	for (uint32_t i = 0; i < v->nargs; i++) {
		args[i] = fold_data(r, v->args[i], &n);
		from[i] = program_value(r->q, v->args[i])->dtype;
		if (!args[i])
			return NO_VALUE;
	}
	void *out = new_data(r, v, n);
	if (!fold_elem(v, n, args, from, out))
		return NO_VALUE;
	return add_const(r, v, out, n);
}

/* A view that repeats elements is left: its consumers read in place. */
static ValueId fold_view(Rebuild *r, ValueId old TN_UNUSED, const Value *v)
{
	size_t n, from;
	if (op_info[v->op].cls != OPC_VIEW)
		return NO_VALUE;
	const Value *x = program_value(r->q, v->args[0]);
	if (x->op != OP_CONST || fold_splat(r, v->args[0]) ||
	    !fold_count(r, x, &from) || !fold_count(r, v, &n) || n > from)
		return NO_VALUE;
	/* The view itself is left without a use. */
	ValueId shown = program_add(r->q, v);
	const void *data = fold_data(r, shown, &n);
	return data ? add_const(r, v, data, n) : shown;
}

static ValueId fold_movement(Rebuild *r, ValueId old TN_UNUSED, const Value *v)
{
	size_t n;
	if (op_info[v->op].cls != OPC_MOVE || !fold_count(r, v, &n))
		return NO_VALUE;
	void *out = new_data(r, v, n);
	return fold_move(r, v, n, out) ? add_const(r, v, out, n) : NO_VALUE;
}

/* ---- identities ------------------------------------------------------ */

static ValueId add_zero(Rebuild *r, ValueId old TN_UNUSED, const Value *v)
{
	return v->op == OP_ADD ? partner_of(r, v, -0.0) : NO_VALUE;
}

static ValueId sub_zero(Rebuild *r, ValueId old TN_UNUSED, const Value *v)
{
	return v->op == OP_SUB && arg_is(r, v, 1, 0) ? v->args[0] : NO_VALUE;
}

static ValueId mul_one(Rebuild *r, ValueId old TN_UNUSED, const Value *v)
{
	return v->op == OP_MUL ? partner_of(r, v, 1) : NO_VALUE;
}

static ValueId div_one(Rebuild *r, ValueId old TN_UNUSED, const Value *v)
{
	return v->op == OP_DIV && arg_is(r, v, 1, 1) ? v->args[0] : NO_VALUE;
}

static ValueId where_known(Rebuild *r, ValueId old TN_UNUSED, const Value *v)
{
	if (v->op != OP_WHERE)
		return NO_VALUE;
	const void *c = fold_splat(r, v->args[0]);
	return c ? v->args[fold_is(DT_BOOL, c, 0) ? 2 : 1] : NO_VALUE;
}

static ValueId where_same(Rebuild *r TN_UNUSED, ValueId old TN_UNUSED,
			  const Value *v)
{
	return v->op == OP_WHERE && v->args[1] == v->args[2] ? v->args[1]
							     : NO_VALUE;
}

static ValueId cast_same(Rebuild *r, ValueId old TN_UNUSED, const Value *v)
{
	if (v->op != OP_CAST ||
	    program_value(r->q, v->args[0])->dtype != v->dtype)
		return NO_VALUE;
	return v->args[0];
}

static ValueId cast_roundtrip(Rebuild *r, ValueId old TN_UNUSED, const Value *v)
{
	if (v->op != OP_CAST)
		return NO_VALUE;
	const Value *wide = program_value(r->q, v->args[0]);
	if (wide->op != OP_CAST)
		return NO_VALUE;
	DType from = program_value(r->q, wide->args[0])->dtype;
	if (from != v->dtype || !dtype_holds(wide->dtype, from))
		return NO_VALUE;
	return wide->args[0];
}

static ValueId involution(Rebuild *r, ValueId old TN_UNUSED, const Value *v)
{
	if (v->op != OP_NEG && v->op != OP_NOT && v->op != OP_BITNOT)
		return NO_VALUE;
	const Value *x = program_value(r->q, v->args[0]);
	return x->op == v->op ? x->args[0] : NO_VALUE;
}

static bool makes_integer(Op op)
{
	return op == OP_FLOOR || op == OP_CEIL || op == OP_ROUND;
}

static ValueId done_already(Rebuild *r, ValueId old TN_UNUSED, const Value *v)
{
	if (op_info[v->op].cls != OPC_ELEM || v->nargs != 1)
		return NO_VALUE;
	Op inner = program_value(r->q, v->args[0])->op;
	bool same = inner == v->op && (v->op == OP_ABS || v->op == OP_SIGN);
	return same || (makes_integer(v->op) && makes_integer(inner))
		       ? v->args[0]
		       : NO_VALUE;
}

static ValueId idempotent(Rebuild *r TN_UNUSED, ValueId old TN_UNUSED,
			  const Value *v)
{
	bool op = v->op == OP_MAXIMUM || v->op == OP_MINIMUM ||
		  v->op == OP_BITAND || v->op == OP_BITOR || v->op == OP_AND ||
		  v->op == OP_OR;
	return op && v->args[0] == v->args[1] ? v->args[0] : NO_VALUE;
}

static ValueId bits_unchanged(Rebuild *r, ValueId old TN_UNUSED, const Value *v)
{
	if (v->op == OP_SHL || v->op == OP_SHR)
		return arg_is(r, v, 1, 0) ? v->args[0] : NO_VALUE;
	if (v->op == OP_BITOR || v->op == OP_BITXOR || v->op == OP_OR)
		return partner_of(r, v, 0);
	return v->op == OP_AND ? partner_of(r, v, 1) : NO_VALUE;
}

/* ---- the rows -------------------------------------------------------- */

static const Rule rows[] = {
	{"fold_scalar", fold_scalar,
	 "one element of the same op on the same bits, correctly rounded or "
	 "exact, repeated",
	 0},
	{"fold_elements", fold_elements,
	 "every element is exact or correctly rounded, so all evaluations "
	 "agree",
	 0},
	{"fold_view", fold_view, "moving elements changes none", 0},
	{"fold_movement", fold_movement, "moving elements changes none", 0},
	{"add_zero", add_zero,
	 "x + (-0) is x for every x: -0 + -0 is -0; integers have one zero", 0},
	{"sub_zero", sub_zero, "x - (+0) is x for every x: -0 - 0 is -0", 0},
	{"mul_one", mul_one, "x * 1 is exact, subnormals and zeros included",
	 0},
	{"div_one", div_one, "x / 1 is exact, subnormals and zeros included",
	 0},
	{"where_known", where_known, "the condition is the same everywhere", 0},
	{"where_same", where_same, "both choices are one value", 0},
	{"cast_same", cast_same, "every value of the dtype is its own rounding",
	 0},
	{"cast_roundtrip", cast_roundtrip,
	 "the wider dtype holds every value of the narrower one exactly", 0},
	{"involution", involution, "a flip of bits undone, or -(-x)", 0},
	{"done_already", done_already,
	 "the operand is already of the form that the op makes", 0},
	{"idempotent", idempotent, "the op of x and x is x, NaN included", 0},
	{"bits_unchanged", bits_unchanged,
	 "shifts by 0, or with 0, xor 0, and true, or false", 0},
};

const RuleSet constants_rules = {rows, ARRAY_LEN(rows)};

Program *rewrite_constants(Ctx *ctx, Arena *a, const Program *p,
			   RewriteLog *log)
{
	Rebuild r;
	rebuild_begin(&r, ctx, a, p, log);
	rebuild_all(&r, &constants_rules);
	return rebuild_end(&r);
}
