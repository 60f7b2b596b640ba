/*
 * eval: the values of a program in order, each freed after its last use.
 *
 * Only values that reach a result are evaluated. Large arrays come from
 * big_alloc, linked so that one call releases them all, also when memory
 * runs out half way (the caller sets the trap).
 */
#include "oracle/eval.h"

#include "ir/view.h"

#include <stdatomic.h>

/* ---- memory ---------------------------------------------------------- */

struct Block {
	_Alignas(64) Block *next;
	Block *prev;
	size_t size;
};

void *eval_alloc(Eval *e, size_t bytes)
{
	Block *b = NULL;
	size_t size = sizeof(Block) + bytes;
	if (bytes <= SIZE_MAX / 2)
		b = big_alloc(size);
	if (!b)
		oom_raise();
	b->size = size;
	b->prev = NULL;
	b->next = e->blocks;
	if (e->blocks)
		e->blocks->prev = b;
	e->blocks = b;
	return b + 1;
}

void eval_free(Eval *e, void *p)
{
	if (!p)
		return;
	Block *b = (Block *)p - 1;
	if (b->next)
		b->next->prev = b->prev;
	if (b->prev)
		b->prev->next = b->next;
	else
		e->blocks = b->next;
	big_free(b, b->size);
}

Num *eval_nums(Eval *e, int64_t n)
{
	return eval_alloc(e, (size_t)n * sizeof(Num));
}

void ev_free(Eval *e, Ev *v)
{
	eval_free(e, v->ref);
	eval_free(e, v->lo);
	eval_free(e, v->hi);
	eval_free(e, v->flags);
	eval_free(e, v->parts);
	v->ref = v->lo = v->hi = NULL;
	v->flags = NULL;
	v->parts = NULL;
}

void ev_widen(Eval *e, Ev *v)
{
	if (v->lo)
		return;
	v->lo = eval_nums(e, v->n);
	v->hi = eval_nums(e, v->n);
	v->flags = eval_alloc(e, (size_t)v->n);
	for (int64_t i = 0; i < v->n; i++)
		v->lo[i] = v->hi[i] = v->ref[i];
	memset(v->flags, 0, (size_t)v->n);
}

const Ev *eval_held(Eval *e, const Ev *v, const Ev *out, Ev *copy)
{
	memset(copy, 0, sizeof *copy);
	if (v->list == out->list)
		return v;
	bug_if(v->list); /* sample_plan() gives such values no list */
	*copy = *v;
	copy->parts = NULL;
	copy->list = out->list;
	copy->n = out->n;
	copy->ref = eval_nums(e, out->n);
	if (v->lo) {
		copy->lo = eval_nums(e, out->n);
		copy->hi = eval_nums(e, out->n);
		copy->flags = eval_alloc(e, (size_t)out->n);
	}
	for (int64_t i = 0; i < out->n; i++) {
		int64_t at = out->list[i];
		copy->ref[i] = v->ref[at];
		if (v->lo) {
			Ival x = ev_ival(v, at);
			ev_set(copy, i, &x);
		}
	}
	return copy;
}

typedef struct Collapse {
	const Ev *v;
	atomic_bool wide;
} Collapse;

static void collapse_part(void *arg, int64_t first, int64_t end)
{
	Collapse *c = arg;
	const Ev *v = c->v;
	if (c->wide)
		return;
	uint64_t diff = 0;
	for (int64_t i = first; i < end; i++) {
		diff |= (uint64_t)(v->lo[i].i ^ v->hi[i].i);
		diff |= v->flags[i];
	}
	if (diff)
		c->wide = true;
}

void ev_collapse(Eval *e, Ev *v)
{
	if (!v->lo)
		return;
	Collapse c = {.v = v};
	eval_parallel(e->threads, v->n, 65536, collapse_part, &c);
	if (c.wide)
		return;
	eval_free(e, v->ref);
	eval_free(e, v->hi);
	eval_free(e, v->flags);
	v->ref = v->lo;
	v->lo = v->hi = NULL;
	v->flags = NULL;
	v->unrounded = false;
}

/* ---- threads --------------------------------------------------------- */

typedef struct Pieces {
	_Atomic int64_t next;
	int64_t n, grain;
	RangeFn *fn;
	void *arg;
} Pieces;

static void pieces_work(void *arg, int worker)
{
	Pieces *p = arg;
	(void)worker;
	for (;;) {
		int64_t first = atomic_fetch_add(&p->next, p->grain);
		if (first >= p->n)
			return;
		int64_t end = first + p->grain;
		p->fn(p->arg, first, end < p->n ? end : p->n);
	}
}

void eval_parallel(int threads, int64_t n, int64_t grain, RangeFn *fn,
		   void *arg)
{
	Pieces p = {.n = n, .grain = grain, .fn = fn, .arg = arg};
	int64_t pieces = (n + grain - 1) / grain;
	if (pieces <= 0)
		return;
	if (pieces < threads)
		threads = (int)pieces;
	if (threads <= 1)
		fn(arg, 0, n);
	else
		pool_run(threads, pieces_work, &p);
}

/* ---- set-up ---------------------------------------------------------- */

void eval_mark(Eval *e)
{
	const Program *p = e->p;
	memset(e->live, 0, p->values.n * sizeof *e->live);
	memset(e->uses, 0, p->values.n * sizeof *e->uses);
	for (size_t r = 0; r < p->results.n; r++) {
		e->live[p->results.p[r].value] = true;
		e->uses[p->results.p[r].value]++;
	}
	for (size_t i = p->values.n; i-- > 0;) {
		const Value *v = &p->values.p[i];
		if (!e->live[i] || e->known[i])
			continue;
		for (uint32_t k = 0; k < v->nargs; k++) {
			e->live[v->args[k]] = true;
			e->uses[v->args[k]]++;
		}
	}
	for (size_t i = 0; i < p->values.n; i++) {
		ValueId more[4];
		size_t n = 0;
		if (e->live[i] && !e->known[i])
			n = relax_reads(e, (ValueId)i, more);
		for (size_t k = 0; k < n; k++)
			e->uses[more[k]]++;
	}
}

void eval_init(Eval *e, Ctx *ctx, Arena *a, const Program *p, const Binding *b,
	       const Feeds *feeds)
{
	memset(e, 0, sizeof *e);
	e->ctx = ctx;
	e->arena = a;
	e->p = p;
	e->dims = b->dims;
	e->feeds = feeds;
	e->threads = ctx->threads > 0 ? ctx->threads : 1;
	e->v = arena_array(a, Ev, p->values.n);
	e->live = arena_array(a, bool, p->values.n);
	e->known = arena_array(a, bool, p->values.n);
	e->uses = arena_array(a, uint32_t, p->values.n);
	eval_mark(e);
}

static bool shape_of(Eval *e, ValueId id)
{
	const Value *v = program_value(e->p, id);
	Ev *x = &e->v[id];
	x->dtype = v->dtype;
	x->rank = v->rank;
	x->n = 1;
	for (int d = 0; d < v->rank; d++) {
		int64_t s;
		if (!ex_eval_checked(&e->p->ex, v->shape[d], e->dims, NULL,
				     &s) ||
		    s < 0)
			return diag_error(e->ctx, v->loc, NULL,
					  "extent %d of this value is not a "
					  "size under the given dims",
					  d);
		x->shape[d] = s;
		if (__builtin_mul_overflow(x->n, s, &x->n))
			return diag_error(e->ctx, v->loc, NULL,
					  "this value has more than 2^63 "
					  "elements");
	}
	return true;
}

static bool feed_fits(Eval *e, ValueId id, const Tensor *t)
{
	const Value *v = program_value(e->p, id);
	const Ev *x = &e->v[id];
	bool same = t && t->dtype == x->dtype && t->rank == x->rank;
	for (int d = 0; same && d < x->rank; d++)
		same = t->shape[d] == x->shape[d];
	if (same && (t->data || x->n == 0))
		return true;
	return diag_error(e->ctx, v->loc, NULL,
			  "the tensor given for `%s` has not the dtype and "
			  "shape declared",
			  v->name ? v->name : op_info[v->op].name);
}

static const Tensor *feed_of(const Eval *e, ValueId id)
{
	const Value *v = program_value(e->p, id);
	if (v->op == OP_INPUT)
		return v->index < e->feeds->ninputs
			       ? &e->feeds->inputs[v->index]
			       : NULL;
	size_t n = 0;
	for (ValueId i = 0; i < id; i++)
		n += program_value(e->p, i)->op == OP_WEIGHT;
	return n < e->feeds->nweights ? &e->feeds->weights[n] : NULL;
}

bool eval_shapes(Eval *e)
{
	for (ValueId id = 0; id < e->p->values.n; id++) {
		Op op = program_value(e->p, id)->op;
		if (!e->live[id] && op != OP_INPUT)
			continue;
		if (!shape_of(e, id) || !slice_check(e->ctx, e->p, id, e->dims))
			return false;
		if (!e->feeds || !e->live[id])
			continue;
		if (op == OP_INPUT || op == OP_WEIGHT)
			if (!feed_fits(e, id, feed_of(e, id)))
				return false;
	}
	return true;
}

/* ---- leaves ---------------------------------------------------------- */

typedef struct Load {
	DType dtype;
	const int64_t *list;
	const void *data;
	Num *out;
} Load;

static void load_part(void *arg, int64_t first, int64_t end)
{
	Load *l = arg;
	if (!l->list) {
		nums_load(l->dtype, l->data, first, end - first,
			  l->out + first);
		return;
	}
	for (int64_t i = first; i < end; i++)
		nums_load(l->dtype, l->data, l->list[i], 1, l->out + i);
}

static void leaf(Eval *e, ValueId id)
{
	const Value *v = program_value(e->p, id);
	Ev *x = &e->v[id];
	x->ref = eval_nums(e, x->n);
	Load l = {.dtype = v->dtype, .list = x->list, .out = x->ref};
	int64_t inner = 1;
	switch ((int)v->op) {
	case OP_IOTA:
		for (int d = (int)v->axis + 1; d < v->rank; d++)
			inner *= x->shape[d];
		for (int64_t i = 0; i < x->n; i++) {
			int64_t at = x->list ? x->list[i] : i;
			int64_t k = at / inner % x->shape[v->axis];
			if (dtype_is_float(v->dtype))
				x->ref[i].f = fmt_from_int(v->dtype, k, false);
			else
				x->ref[i].i = int_wrap(v->dtype, k);
		}
		return;
	case OP_CONST:
		l.data = v->data;
		break;
	default:
		l.data = feed_of(e, id)->data;
	}
	eval_parallel(e->threads, x->n, 65536, load_part, &l);
}

/* ---- one value ------------------------------------------------------- */

void eval_fault(Eval *e, ValueId v, int64_t index)
{
	if (e->fault)
		return;
	e->fault = true;
	e->fault_value = v;
	e->fault_index = index;
}

void eval_drop(Eval *e, ValueId id)
{
	if (--e->uses[id] == 0)
		ev_free(e, &e->v[id]);
}

bool eval_value(Eval *e, ValueId id)
{
	const Value *v = program_value(e->p, id);
	if (e->known[id])
		return true;
	switch (op_info[v->op].cls) {
	case OPC_LEAF:
		leaf(e, id);
		break;
	case OPC_ELEM:
		elem_eval(e, id);
		break;
	case OPC_VIEW:
		view_eval(e, id);
		break;
	case OPC_MOVE:
		move_eval(e, id);
		break;
	case OPC_REDUCE:
	case OPC_SCAN:
		reduce_eval(e, id);
		break;
	case OPC_CONTRACT:
		contract_eval(e, id);
		break;
	}
	if (e->fault)
		return false;
	if (e->intervals)
		relax_value(e, id);
	ValueId more[4];
	size_t n = relax_reads(e, id, more);
	for (uint32_t k = 0; k < v->nargs; k++)
		eval_drop(e, v->args[k]);
	for (size_t k = 0; k < n; k++)
		eval_drop(e, more[k]);
	return true;
}

void eval_release(Eval *e)
{
	while (e->blocks)
		eval_free(e, e->blocks + 1);
}
