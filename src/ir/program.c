/*
 * program: building, copying and asking about programs, and tensors.
 */
#include "ir/program.h"

#include "ir/internal.h"

#include <string.h>

void program_init(Program *p, Arena *a, const char *name)
{
	*p = (Program){.arena = a, .name = arena_strdup(a, name)};
	expr_init(&p->ex, a);
}

static const char *copy_text(Arena *a, const char *s)
{
	return s ? arena_strdup(a, s) : NULL;
}

static void *copy_bytes(Arena *a, const void *p, size_t n, size_t align)
{
	if (!n)
		return NULL;
	void *q = arena_alloc(a, n, align);
	memcpy(q, p, n);
	return q;
}

ValueId program_add(Program *p, const Value *v)
{
	Arena *a = p->arena;
	Value x = *v;
	x.args = copy_bytes(a, v->args, v->nargs * sizeof(ValueId),
			    _Alignof(ValueId));
	/* data that is there but empty stays told from no data */
	x.data = copy_bytes(a, v->data, v->data_size, 64);
	x.file = copy_text(a, v->file);
	x.tensor = copy_text(a, v->tensor);
	x.name = copy_text(a, v->name);
	x.via = copy_text(a, v->via);
	VEC_PUSH(a, p->values, x);
	return (ValueId)p->values.n - 1;
}

Value *program_value(const Program *p, ValueId v)
{
	bug_if(v >= p->values.n);
	return &p->values.p[v];
}

Ex program_elements(Program *p, ValueId v)
{
	const Value *x = program_value(p, v);
	Ex n = EX_ONE;
	for (int d = 0; d < x->rank; d++)
		n = ex_mul(&p->ex, n, x->shape[d]);
	return n;
}

Program *program_copy(Arena *a, const Program *from)
{
	Program *p = arena_new(a, Program);
	program_init(p, a, from->name);
	p->loc = from->loc;
	/* all dims, in order, used or not: bindings count on their numbers */
	for (size_t i = 0; i < from->ex.dims.n; i++) {
		ExDim d = from->ex.dims.p[i];
		ex_dim(&p->ex, d.name, d.loc);
		p->ex.dims.p[i].lo = d.lo;
		p->ex.dims.p[i].hi = d.hi;
	}
	for (size_t i = 0; i < from->values.n; i++) {
		Value v = from->values.p[i];
		for (int d = 0; d < TN_MAX_RANK; d++) {
			v.shape[d] = ex_copy(&p->ex, &from->ex, v.shape[d]);
			v.start[d] = ex_copy(&p->ex, &from->ex, v.start[d]);
			v.map[d] = ex_copy(&p->ex, &from->ex, v.map[d]);
		}
		program_add(p, &v);
	}
	for (size_t i = 0; i < from->sources.n; i++)
		VEC_PUSH(a, p->sources, copy_text(a, from->sources.p[i]));
	for (size_t i = 0; i < from->inputs.n; i++)
		VEC_PUSH(a, p->inputs, from->inputs.p[i]);
	for (size_t i = 0; i < from->donated.n; i++)
		VEC_PUSH(a, p->donated, from->donated.p[i]);
	for (size_t i = 0; i < from->results.n; i++) {
		Result r = from->results.p[i];
		r.name = copy_text(a, r.name);
		VEC_PUSH(a, p->results, r);
	}
	for (size_t i = 0; i < from->dimsets.n; i++) {
		DimSet s = from->dimsets.p[i];
		s.name = copy_text(a, s.name);
		s.values = copy_bytes(a, s.values, s.nvalues * sizeof(int64_t),
				      _Alignof(int64_t));
		VEC_PUSH(a, p->dimsets, s);
	}
	return p;
}

/* ---- uses ------------------------------------------------------------ */

/* Whether args[k] repeats an earlier operand: counted once. */
static bool repeats(const Value *v, uint32_t k)
{
	for (uint32_t i = 0; i < k; i++)
		if (v->args[i] == v->args[k])
			return true;
	return false;
}

Uses program_uses(Arena *a, const Program *p)
{
	size_t n = p->values.n;
	Uses u = {arena_array(a, uint32_t, n + 1), NULL,
		  arena_array(a, bool, n + 1)};
	for (size_t i = 0; i < p->results.n; i++)
		u.is_result[p->results.p[i].value] = true;
	for (size_t i = 0; i < n; i++) {
		const Value *v = &p->values.p[i];
		for (uint32_t k = 0; k < v->nargs; k++)
			if (!repeats(v, k))
				u.first[v->args[k] + 1]++;
	}
	for (size_t i = 0; i < n; i++)
		u.first[i + 1] += u.first[i];
	u.list = arena_array(a, ValueId, u.first[n] + 1);
	uint32_t *next = arena_array(a, uint32_t, n + 1);
	memcpy(next, u.first, n * sizeof(*next));
	for (size_t i = 0; i < n; i++) {
		const Value *v = &p->values.p[i];
		for (uint32_t k = 0; k < v->nargs; k++)
			if (!repeats(v, k))
				u.list[next[v->args[k]]++] = (ValueId)i;
	}
	return u;
}

/* ---- verify ---------------------------------------------------------- */

static bool breach(Buf *why, ValueId v, const char *text)
{
	if (v == NO_VALUE)
		buf_printf(why, "%s", text);
	else
		buf_printf(why, "%%%u: %s", v, text);
	return false;
}

static bool same_type(const Value *a, const Value *b)
{
	return a->dtype == b->dtype && a->rank == b->rank &&
	       (a->rank == 0 ||
		memcmp(a->shape, b->shape, a->rank * sizeof(Ex)) == 0);
}

/* Expressions of shapes name dims only; those of maps, result axes too. */
static bool verify_exprs(const Program *p, const Value *v)
{
	for (int d = 0; d < TN_MAX_RANK; d++) {
		if (v->shape[d] >= p->ex.nodes.n ||
		    v->start[d] >= p->ex.nodes.n || v->map[d] >= p->ex.nodes.n)
			return false;
		if (ex_uses_any_axis(&p->ex, v->shape[d]) ||
		    ex_uses_any_axis(&p->ex, v->start[d]))
			return false;
	}
	return true;
}

static bool verify_value(Program *p, ValueId id, Buf *why)
{
	const Value *v = &p->values.p[id];
	if ((unsigned)v->op >= OP_COUNT || (unsigned)v->dtype >= DT_COUNT ||
	    (unsigned)v->acc >= DT_COUNT || v->rank > TN_MAX_RANK)
		return breach(why, id, "op, dtype or rank out of range");
	for (uint32_t k = 0; k < v->nargs; k++)
		if (v->args[k] >= id)
			return breach(why, id,
				      "an operand does not come before it");
	if (!verify_exprs(p, v))
		return breach(why, id, "an extent is no expression of dims");
	Value x = *v;
	size_t before = why->n;
	buf_printf(why, "%%%u: ", id);
	if (!infer_value(NULL, why, p, &x))
		return false;
	why->n = before;
	if (why->p)
		why->p[before] = '\0';
	if (!same_type(v, &x))
		return breach(why, id,
			      "its dtype or shape is not what its operands "
			      "give");
	if (v->op == OP_INPUT &&
	    (v->index >= p->inputs.n || p->inputs.p[v->index] != id))
		return breach(why, id, "is not the input its number says");
	return true;
}

static bool verify_results(const Program *p, Buf *why)
{
	if (!p->results.n)
		return breach(why, NO_VALUE, "no results");
	for (size_t i = 0; i < p->results.n; i++) {
		const Result *r = &p->results.p[i];
		if (r->value >= p->values.n || !r->name)
			return breach(why, NO_VALUE, "a result is missing");
		for (size_t k = 0; k < i; k++)
			if (strcmp(p->results.p[k].name, r->name) == 0)
				return breach(why, r->value,
					      "two results share a name");
	}
	return true;
}

static bool verify_inputs(const Program *p, Buf *why)
{
	for (size_t i = 0; i < p->inputs.n; i++) {
		ValueId v = p->inputs.p[i];
		if (v >= p->values.n || p->values.p[v].op != OP_INPUT ||
		    p->values.p[v].index != i)
			return breach(why, NO_VALUE,
				      "an input is not an input value");
	}
	for (size_t i = 0; i < p->donated.n; i++) {
		ValueId v = p->donated.p[i];
		if (v >= p->values.n || p->values.p[v].op != OP_INPUT)
			return breach(why, NO_VALUE,
				      "what is donated is not an input");
		for (size_t k = 0; k < i; k++)
			if (p->donated.p[k] == v)
				return breach(why, v, "donated twice");
	}
	return true;
}

static bool verify_dims(const Program *p, Buf *why)
{
	for (size_t i = 0; i < p->ex.dims.n; i++) {
		const ExDim *d = &p->ex.dims.p[i];
		if (d->lo < 0 || d->lo > d->hi)
			return breach(why, NO_VALUE,
				      "a dim's range is empty or negative");
	}
	for (size_t i = 0; i < p->dimsets.n; i++) {
		const DimSet *s = &p->dimsets.p[i];
		if (!s->name || s->nvalues > p->ex.dims.n)
			return breach(why, NO_VALUE, "a bad set of dims");
		for (size_t k = 0; k < s->nvalues; k++)
			if (s->values[k] < -1)
				return breach(why, NO_VALUE,
					      "a dim bound below 0");
	}
	return true;
}

bool program_verify(const Program *p, Buf *why)
{
	/* The prover makes expressions; what the program says stays. */
	Program *mut = (Program *)(uintptr_t)p;
	if (!verify_dims(p, why) || !verify_inputs(p, why))
		return false;
	for (size_t i = 0; i < p->values.n; i++)
		if (!verify_value(mut, (ValueId)i, why))
			return false;
	return verify_results(p, why);
}

/* ---- tensors --------------------------------------------------------- */

int64_t tensor_elements(const Tensor *t)
{
	int64_t n = 1;
	bool overflow = false;
	for (int d = 0; d < t->rank; d++) {
		if (t->shape[d] == 0)
			return 0;
		overflow |= t->shape[d] < 0 ||
			    __builtin_mul_overflow(n, t->shape[d], &n);
	}
	return overflow ? -1 : n;
}

size_t tensor_bytes(const Tensor *t)
{
	int64_t n = tensor_elements(t);
	size_t bytes;
	if (n < 0 ||
	    __builtin_mul_overflow((size_t)n,
				   (size_t)dtype_info[t->dtype].bytes, &bytes))
		return SIZE_MAX;
	return bytes;
}

bool tensor_is_contiguous(const Tensor *t)
{
	if (tensor_elements(t) == 0)
		return true;
	int64_t stride = dtype_info[t->dtype].bytes;
	for (int d = t->rank; d-- > 0;) {
		if (t->shape[d] != 1 && t->strides[d] != stride)
			return false;
		stride *= t->shape[d];
	}
	return true;
}

void tensor_set_contiguous(Tensor *t)
{
	/* zero extents count as 1: strides stay distinct and harmless */
	uint64_t stride = (uint64_t)dtype_info[t->dtype].bytes;
	for (int d = t->rank; d-- > 0;) {
		t->strides[d] = (int64_t)stride;
		stride *= t->shape[d] > 0 ? (uint64_t)t->shape[d] : 1;
	}
}
