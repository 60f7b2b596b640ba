/*
 * alternatives_weigh: what a program costs, as far as its text tells; and
 * values computed again for each reader.
 *
 * A value stays in its kernel when each reader takes it at the place where it
 * is computed, or when one product alone loads it; else it is written once and
 * read by each reader. Kernels are chosen later and by better estimates: this
 * one only orders programs.
 */
#include "rewrite/alternatives_extract.h"

#include "ir/view.h"

#include <string.h>

#define CALL_WORK 16 /* operations of an elementary function */

typedef struct Weigh {
	Program *p;
	const int64_t *dims;
	Uses uses;
	bool *stored;
} Weigh;

static double elements(const Weigh *w, const Value *v)
{
	double n = 1;

	for (size_t d = 0; d < v->rank; d++) {
		int64_t e = 0;
		(void)ex_eval_checked(&w->p->ex, v->shape[d], w->dims, NULL,
				      &e);
		n *= (double)e;
	}
	return n;
}

static bool is_view(const Program *p, ValueId v)
{
	return op_info[program_value(p, v)->op].cls == OPC_VIEW;
}

static bool is_computed(const Value *v)
{
	return op_info[v->op].cls != OPC_LEAF && op_info[v->op].cls != OPC_VIEW;
}

static ValueId shown(const Program *p, ValueId v)
{
	while (is_view(p, v))
		v = program_value(p, v)->args[0];
	return v;
}

/* Rows' factors are read along the row. */
static bool along_rows(const Weigh *w, const Value *view)
{
	const Value *x = program_value(w->p, view->args[0]);

	if (view->op != OP_VIEW || op_info[x->op].cls != OPC_REDUCE)
		return false;
	for (size_t d = 0; d < x->rank; d++)
		if (ex_node(&w->p->ex, view->map[d])->kind != EX_AXIS &&
		    !ex_equals(&w->p->ex, view->map[d], 0))
			return false;
	return true;
}

/* What readers of v, views seen through, ask of it. */
typedef struct Readers {
	int n, products;
	bool in_place, result;
} Readers;

static void readers(const Weigh *w, ValueId v, const Value *view, Readers *r)
{
	const Value *x = program_value(w->p, shown(w->p, v));

	r->result |= w->uses.is_result[v];
	for (uint32_t i = w->uses.first[v]; i < w->uses.first[v + 1]; i++) {
		ValueId u = w->uses.list[i];
		const Value *y = program_value(w->p, u);
		OpClass c = op_info[y->op].cls;
		if (c == OPC_VIEW) {
			readers(w, u, y, r);
			continue;
		}
		bool row = c == OPC_REDUCE || c == OPC_SCAN;
		bool place = !view || (along_rows(w, view) && c == OPC_ELEM);
		r->n++;
		r->products += c == OPC_CONTRACT;
		r->in_place &=
			place && (c == OPC_ELEM || (row && x->op != OP_MATMUL));
	}
}

static bool is_stored(const Weigh *w, ValueId v)
{
	const Value *x = program_value(w->p, v);
	OpClass c = op_info[x->op].cls;
	Readers r = {.in_place = true};

	readers(w, v, NULL, &r);
	if (r.result || op_has(x->op, 'T'))
		return true;
	if (r.n == 1 && r.products == 1 && (c == OPC_ELEM || c == OPC_MOVE))
		return false;
	return !r.in_place;
}

static double work_of(const Weigh *w, const Value *v)
{
	const Value *x = v->nargs ? program_value(w->p, v->args[0]) : v;
	double n = elements(w, v), depth = 1;

	switch (op_info[v->op].cls) {
	case OPC_LEAF:
	case OPC_VIEW:
	case OPC_MOVE:
		return 0;
	case OPC_ELEM:
		return op_info[v->op].ulp > 0 ? CALL_WORK * n : n;
	case OPC_REDUCE:
	case OPC_SCAN:
		return elements(w, x);
	case OPC_CONTRACT:
		break;
	}
	int64_t k = 0;
	(void)ex_eval_checked(&w->p->ex, x->shape[x->rank - 1], w->dims, NULL,
			      &k);
	depth = (double)k;
	return 2 * n * depth;
}

static double size_of(const Weigh *w, ValueId v)
{
	const Value *x = program_value(w->p, v);

	return elements(w, x) * dtype_info[x->dtype].bytes;
}

/* Bytes that a computed value reads of memory. */
static double reads(const Weigh *w, ValueId v)
{
	const Value *x = program_value(w->p, v);
	double total = 0;

	for (uint32_t k = 0; k < x->nargs; k++) {
		ValueId base = shown(w->p, x->args[k]);
		bool again = false;
		for (uint32_t i = 0; i < k; i++)
			again |= shown(w->p, x->args[i]) == base;
		if (again || (is_computed(program_value(w->p, base)) &&
			      !w->stored[base]))
			continue;
		double all = size_of(w, base), part = size_of(w, x->args[k]);
		total += part < all ? part : all;
	}
	return total;
}

void alternatives_weigh(const Program *p, const int64_t *dims, double *work,
			double *bytes)
{
	Weigh w = {(Program *)(uintptr_t)p, dims, program_uses(p->arena, p),
		   arena_array(p->arena, bool, p->values.n + 1)};

	*work = *bytes = 0;
	for (ValueId v = 0; v < p->values.n; v++)
		w.stored[v] =
			is_computed(program_value(p, v)) && is_stored(&w, v);
	for (ValueId v = 0; v < p->values.n; v++) {
		const Value *x = program_value(p, v);
		bool used = w.uses.is_result[v] ||
			    w.uses.first[v] < w.uses.first[v + 1];
		if (!used)
			continue;
		*work += work_of(&w, x);
		if (is_computed(x))
			*bytes += reads(&w, v);
		if (w.stored[v])
			*bytes += size_of(&w, v);
		if (w.uses.is_result[v] && !is_computed(x))
			*bytes += 2 * size_of(&w, v);
	}
}

/* ---- recompute ------------------------------------------------------- */

#define CHEAP_CHAIN 8

typedef struct Again {
	const Program *p;
	Program *q;
	Uses uses;
	bool *copied; /* values that each reader gets a copy of */
	ValueId *map, *now;
} Again;

static bool is_cheap(const Program *p, ValueId v)
{
	const Value *x = program_value(p, v);

	return op_info[x->op].cls == OPC_ELEM && op_info[x->op].ulp == 0 &&
	       (!op_has(x->op, 'T') ||
		dtype_is_float(program_value(p, x->args[0])->dtype));
}

/* Computed values that read v, views seen through, outside the copied. */
static size_t count_readers(const Again *s, ValueId v, bool *result)
{
	size_t n = 0;

	*result |= s->uses.is_result[v];
	for (uint32_t i = s->uses.first[v]; i < s->uses.first[v + 1]; i++) {
		ValueId u = s->uses.list[i];
		if (is_view(s->p, u))
			n += count_readers(s, u, result);
		else
			n += !s->copied[u];
	}
	return n;
}

/* Marks v and the elementwise values that only the marked read. */
static size_t mark_chain(Again *s, ValueId v)
{
	size_t n = 1;

	s->copied[v] = true;
	const Value *x = program_value(s->p, v);
	for (uint32_t k = 0; k < x->nargs; k++) {
		ValueId base = shown(s->p, x->args[k]);
		bool result = false;
		if (!s->copied[base] && is_cheap(s->p, base) &&
		    count_readers(s, base, &result) == 0 && !result)
			n += mark_chain(s, base);
	}
	return n;
}

static bool shows_copied(const Again *s, ValueId v)
{
	return s->copied[shown(s->p, v)];
}

/* v of p for one more reader: copied where it is or shows such a value. */
static ValueId again(Again *s, ValueId v)
{
	if (!shows_copied(s, v))
		return s->map[v];
	Value x = *program_value(s->p, v);
	ValueId *args = arena_array(s->q->arena, ValueId, x.nargs + 1);
	for (uint32_t k = 0; k < x.nargs; k++)
		args[k] = again(s, x.args[k]);
	x.args = args;
	if (s->map[v] != NO_VALUE)
		x.name = NULL;
	ValueId made = program_add(s->q, &x);
	if (s->map[v] == NO_VALUE)
		s->map[v] = made;
	return made;
}

Program *alternatives_recomputed(Arena *a, const Program *p, ValueId v)
{
	Again s = {.p = p};
	bool result = false;

	if (!is_cheap(p, v))
		return NULL;
	s.uses = program_uses(a, p);
	s.copied = arena_array(a, bool, p->values.n + 1);
	if (mark_chain(&s, v) > CHEAP_CHAIN ||
	    count_readers(&s, v, &result) < 2 || result)
		return NULL;
	s.q = program_copy(a, p);
	const Value *olds = s.q->values.p;
	s.q->values.p = NULL;
	s.q->values.n = s.q->values.cap = 0;
	Program from = *s.q;
	from.values.p = (Value *)(uintptr_t)olds;
	from.values.n = p->values.n;
	s.p = &from;
	s.map = arena_array(a, ValueId, p->values.n + 1);
	for (ValueId i = 0; i < p->values.n; i++)
		s.map[i] = NO_VALUE;
	for (ValueId i = 0; i < p->values.n; i++) {
		if (shows_copied(&s, i))
			continue; /* made for its readers */
		Value x = olds[i];
		ValueId *args = arena_array(a, ValueId, x.nargs + 1);
		for (uint32_t k = 0; k < x.nargs; k++) {
			args[k] = again(&s, x.args[k]);
			for (uint32_t j = 0; j < k; j++)
				if (x.args[j] == x.args[k])
					args[k] = args[j];
		}
		x.args = args;
		s.map[i] = program_add(s.q, &x);
	}
	Program *q = s.q;
	for (size_t i = 0; i < q->inputs.n; i++)
		q->inputs.p[i] = s.map[q->inputs.p[i]];
	for (size_t i = 0; i < q->donated.n; i++)
		q->donated.p[i] = s.map[q->donated.p[i]];
	for (size_t i = 0; i < q->results.n; i++)
		q->results.p[i].value = s.map[q->results.p[i].value];
	ValueId *now = arena_array(a, ValueId, p->nnow + 1);
	for (size_t i = 0; p->now && i < p->nnow; i++)
		now[i] = p->now[i] == NO_VALUE ? NO_VALUE : s.map[p->now[i]];
	q->now = p->now ? now : NULL;
	q->nnow = p->now ? p->nnow : 0;
	return q;
}
