/*
 * relaxations: the two that rewrite the program, where a def asks for them.
 *
 * Requires: a verified program. Ensures: under @contract(contraction) a
 * product with one reader, an addition or subtraction, has become one fused
 * multiply-add; under @contract(reassociate) a sum of a sum is one sum, and
 * the sum of two products is one product over both depths. Each drops a
 * boundary, and the log says which. Both values must come from a def that
 * asks: a boundary belongs to the def that wrote it. single_rounding is not
 * a rewrite; a kernel applies it on its tile.
 */
#include "rewrite/rebuild.h"

#include <string.h>

/* The old value that operand k of old shows, if it has op, no other use,
 * no result, and the relaxation; else NULL. */
static const Value *lone_operand(const Rebuild *r, ValueId old, uint32_t k,
				 Op op, uint32_t relax)
{
	const Value *v = &r->olds[old];
	ValueId x = v->args[k];
	for (uint32_t i = 0; i < v->nargs; i++)
		if (i != k && v->args[i] == x)
			return NULL;
	const Value *o = &r->olds[x];
	bool lone = r->uses.first[x + 1] - r->uses.first[x] == 1 &&
		    !r->uses.is_result[x];
	return lone && o->op == op && (o->relax & relax) ? o : NULL;
}

/* v with another op and operands: its place, name and dtype. */
static ValueId remake(Rebuild *r, const Value *v, Op op, uint32_t nargs,
		      const ValueId *args)
{
	Value w = {.op = op,
		   .dtype = v->dtype,
		   .rank = v->rank,
		   .nargs = nargs,
		   .args = args,
		   .relax = v->relax,
		   .loc = v->loc,
		   .name = v->name,
		   .via = v->via};
	memcpy(w.shape, v->shape, sizeof(w.shape));
	return program_add(r->q, &w);
}

/* -x for an operand: exact. */
static ValueId negated(Rebuild *r, const Value *v, ValueId x)
{
	Value like = *v;
	like.name = NULL;
	return remake(r, &like, OP_NEG, 1, &x);
}

static const char *dropped(Rebuild *r, const Value *v)
{
	return arena_printf(r->q->arena, "the boundary of %s%s%s is dropped",
			    op_info[v->op].name, v->name ? " " : "",
			    v->name ? v->name : "");
}

static ValueId contraction(Rebuild *r, ValueId old, const Value *v)
{
	if ((v->op != OP_ADD && v->op != OP_SUB) || !dtype_is_float(v->dtype))
		return NO_VALUE;
	for (uint32_t k = 0; k < 2; k++) {
		const Value *mul =
			lone_operand(r, old, k, OP_MUL, RELAX_CONTRACTION);
		if (!mul)
			continue;
		ValueId a = r->map[mul->args[0]], b = r->map[mul->args[1]];
		ValueId c = v->args[1 - k];
		if (v->op == OP_SUB && k == 0)
			c = negated(r, v, c);
		if (v->op == OP_SUB && k == 1)
			a = negated(r, v, a);
		r->note = dropped(r, mul);
		return remake(r, v, OP_FMA, 3, (ValueId[]){a, b, c});
	}
	return NO_VALUE;
}

static ValueId sum_of_sum(Rebuild *r, ValueId old, const Value *v)
{
	if (v->op != OP_SUM)
		return NO_VALUE;
	const Value *inner = lone_operand(r, old, 0, OP_SUM, RELAX_REASSOCIATE);
	if (!inner || inner->acc != v->acc || inner->dtype != v->dtype)
		return NO_VALUE;
	const Value *x = program_value(r->q, r->map[inner->args[0]]);
	Value w = *v;
	w.args = &r->map[inner->args[0]];
	w.axes = inner->axes;
	uint32_t at = 0; /* axis of the inner sum's result */
	for (uint32_t d = 0; d < x->rank; d++)
		if (!(inner->axes >> d & 1))
			w.axes |= (v->axes >> at++ & 1) << d;
	r->note = dropped(r, inner);
	return program_add(r->q, &w);
}

/* a and b end to end along an axis. */
static ValueId joined(Rebuild *r, const Value *like, ValueId a, ValueId b,
		      uint32_t axis)
{
	Value w = *program_value(r->q, a);
	const Value *y = program_value(r->q, b);
	ValueId args[2] = {a, b};
	Value c = {.op = OP_CONCAT,
		   .dtype = w.dtype,
		   .rank = w.rank,
		   .nargs = 2,
		   .args = args,
		   .axis = axis,
		   .relax = like->relax,
		   .loc = like->loc,
		   .via = like->via};
	memcpy(c.shape, w.shape, sizeof(c.shape));
	c.shape[axis] = ex_add(&r->q->ex, w.shape[axis], y->shape[axis]);
	return program_add(r->q, &c);
}

static ValueId sum_of_products(Rebuild *r, ValueId old, const Value *v)
{
	if (v->op != OP_ADD)
		return NO_VALUE;
	const Value *m0 = lone_operand(r, old, 0, OP_MATMUL, RELAX_REASSOCIATE);
	const Value *m1 = lone_operand(r, old, 1, OP_MATMUL, RELAX_REASSOCIATE);
	if (!m0 || !m1 || m0->acc != m1->acc ||
	    r->olds[m0->args[0]].dtype != r->olds[m1->args[0]].dtype)
		return NO_VALUE;
	ValueId args[2] = {
		joined(r, m0, r->map[m0->args[0]], r->map[m1->args[0]],
		       m0->rank - 1U),
		joined(r, m0, r->map[m0->args[1]], r->map[m1->args[1]],
		       m0->rank - 2U),
	};
	r->note = arena_printf(r->q->arena, "%s; %s", dropped(r, m0),
			       dropped(r, m1));
	Value w = *v;
	w.op = OP_MATMUL;
	w.acc = m0->acc;
	w.nargs = 2;
	w.args = args;
	return program_add(r->q, &w);
}

static const Rule rows[] = {
	{"contraction", contraction,
	 "the fused result lies in the hull that dropping the product's "
	 "boundary admits",
	 RELAX_CONTRACTION},
	{"sum_of_sum", sum_of_sum,
	 "one sum in any order is a legal order of both, without the inner "
	 "boundary",
	 RELAX_REASSOCIATE},
	{"sum_of_products", sum_of_products,
	 "one accumulator over both depths, without the products' boundaries",
	 RELAX_REASSOCIATE},
};

const RuleSet relaxations_rules = {rows, ARRAY_LEN(rows)};

Program *rewrite_relaxations(Ctx *ctx, Arena *a, const Program *p,
			     RewriteLog *log)
{
	Rebuild r;
	rebuild_begin(&r, ctx, a, p, log);
	rebuild_all(&r, &relaxations_rules);
	return rebuild_end(&r);
}
