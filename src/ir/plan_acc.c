/*
 * plan_acc: which accumulator each contraction of the program has.
 *
 * A DOT and a call name the value of stage 2 that they sum, and stage 2 knows
 * what became of each value of stage 1, which is what the oracle judges. A file
 * records the outcome, for stage 2 is read from text there. What it records
 * must be what its kernels do: the values are contractions that the unit takes,
 * and each accumulator has a DOT, and each DOT of such a unit a value.
 */
#include "ir/plan.h"

/* The accumulator of the DOTs of a stage-2 value. */
static AccKind find_dot(const StmtList *l, ValueId v)
{
	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		AccKind acc = ACC_IEEE;
		if (s->kind == ST_DOT && s->value == v)
			acc = unit_acc(s->dot->unit, s->dtype);
		if (acc == ACC_IEEE)
			acc = find_dot(&s->body, v);
		if (acc == ACC_IEEE)
			acc = find_dot(&s->orelse, v);
		if (acc != ACC_IEEE)
			return acc;
	}
	return ACC_IEEE;
}

static AccKind kind_of(const Kernels *ks, ValueId v)
{
	AccKind acc = ACC_IEEE;

	for (size_t i = 0; i < ks->kernels.n; i++) {
		const Kernel *k = &ks->kernels.p[i];
		const KCall *call = kernel_call(k);
		if (call && call->value == v)
			acc = library_acc(call->library, call->compute);
		for (size_t j = 0; acc == ACC_IEEE && j < k->phases.n; j++)
			acc = find_dot(&k->phases.p[j].body, v);
	}
	return acc;
}

const AccKind *plan_accumulators(Arena *a, const Program *source,
				 const Kernels *ks)
{
	const Program *p = ks->program;
	AccKind *out = arena_array(a, AccKind, source->values.n + 1);
	bool any = false;

	for (size_t i = 0; i < source->values.n; i++) {
		ValueId now = p->now ? NO_VALUE : (ValueId)i;
		if (p->now && i < p->nnow)
			now = p->now[i];
		if (source->values.p[i].op != OP_MATMUL || now == NO_VALUE)
			continue;
		out[i] = kind_of(ks, now);
		any |= out[i] != ACC_IEEE;
	}
	return any ? out : NULL;
}

static bool unit_admits(const Program *p, const PlanAcc *x)
{
	const Value *v = program_value(p, x->value);

	if (v->op != OP_MATMUL)
		return false;
	DType d = program_value(p, v->args[0])->dtype;
	for (int l = 0; l < LIBRARY_COUNT; l++)
		if (library_acc((Library)l, COMPUTE_32F) == x->acc)
			return library_takes((Library)l, COMPUTE_32F, d, v->acc,
					     v->dtype);
	for (int u = 0; u < UNIT_COUNT; u++)
		if (unit_acc((MatrixUnit)u, v->acc) == x->acc &&
		    unit_takes((MatrixUnit)u, d, v->acc, v->relax))
			return true;
	return false;
}

bool plan_use_accumulators(Plan *p, const PlanAcc *acc, size_t n)
{
	const Program *source = p->source, *q = p->kernels->program;
	AccKind *out = arena_array(p->arena, AccKind, source->values.n + 1);
	bool recorded[ACC_KIND_COUNT] = {0}, used[ACC_KIND_COUNT] = {0};

	for (ValueId v = 0; v < q->values.n; v++)
		if (q->values.p[v].op == OP_MATMUL)
			used[kind_of(p->kernels, v)] = true;
	for (size_t i = 0; i < n; i++) {
		if (acc[i].acc == ACC_IEEE ||
		    acc[i].value >= source->values.n ||
		    !unit_admits(source, &acc[i]))
			return false;
		out[acc[i].value] = acc[i].acc;
		recorded[acc[i].acc] = true;
	}
	for (int k = ACC_IEEE + 1; k < ACC_KIND_COUNT; k++)
		if (recorded[k] != used[k])
			return false;
	p->acc = n ? out : NULL;
	return true;
}
