/*
 * egraph: hash-consing, union-find, congruence.
 *
 * Source of the method: Willsey et al., "egg: Fast and Extensible Equality
 * Saturation", POPL 2021: merges are collected and congruence is restored
 * once a round. Graphs here are small, so a rebuild looks at every node.
 */
#include "rewrite/egraph.h"

#include "ir/view.h"

#include <string.h>

/* ---- nodes ----------------------------------------------------------- */

static bool moves_only(Op op)
{
	OpClass c = op_info[op].cls;
	return c == OPC_VIEW || c == OPC_MOVE || c == OPC_LEAF;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Relaxations say nothing of what is only moved. */
static bool same_attributes(const Value *a, const Value *b)
{
	return a->op == b->op && a->dtype == b->dtype && a->nargs == b->nargs &&
	       a->acc == b->acc && a->axes == b->axes && a->axis == b->axis &&
	       a->index == b->index &&
	       (moves_only(a->op) || a->relax == b->relax) &&
	       a->data_size == b->data_size && value_same_shape(a, b) &&
	       memcmp(a->perm, b->perm, sizeof(a->perm)) == 0 &&
	       memcmp(a->start, b->start, sizeof(a->start)) == 0 &&
	       memcmp(a->step, b->step, sizeof(a->step)) == 0 &&
	       memcmp(a->map, b->map, sizeof(a->map)) == 0 &&
	       (!a->data_size || memcmp(a->data, b->data, a->data_size) == 0) &&
	       same_text(a->file, b->file) && same_text(a->tensor, b->tensor);
}

static bool same_node(const Value *a, const Value *b)
{
	if (!same_attributes(a, b))
		return false;
	if (op_has(a->op, 'C') && a->args[0] == b->args[1] &&
	    a->args[1] == b->args[0])
		return true;
	return !a->nargs ||
	       memcmp(a->args, b->args, a->nargs * sizeof(ClassId)) == 0;
}

static uint64_t node_hash(const Value *v)
{
	uint64_t h = (uint64_t)v->op * 64 + v->dtype, args = 0;

	h = hash_bytes(v->map, sizeof(v->map), h);
	if (v->data_size)
		h = hash_bytes(v->data, v->data_size, h);
	for (uint32_t i = 0; i < v->nargs; i++)
		args += hash_bytes(&v->args[i], sizeof(ClassId), h);
	return hash_bytes(&args, sizeof(args), h);
}

/* The slot of an equal node, or the free one where it would be. */
static uint32_t *slot_of(const Egraph *g, const Value *v)
{
	size_t at = node_hash(v) & (g->cap - 1);

	while (g->table[at] && !same_node(&g->nodes.p[g->table[at] - 1].v, v))
		at = (at + 1) & (g->cap - 1);
	return &g->table[at];
}

static void table_make(Egraph *g, size_t nodes)
{
	size_t cap = 256;

	while (cap < 4 * nodes)
		cap *= 2;
	if (cap > g->cap)
		g->table = arena_array(g->arena, uint32_t, cap);
	else
		memset(g->table, 0, g->cap * sizeof(*g->table));
	g->cap = cap > g->cap ? cap : g->cap;
}

static void table_grow(Egraph *g)
{
	if (g->nodes.n * 2 < g->cap)
		return;
	table_make(g, g->nodes.n);
	for (NodeId n = 0; n < g->nodes.n; n++)
		if (!g->nodes.p[n].dead)
			*slot_of(g, &g->nodes.p[n].v) = n + 1;
}

bool value_may_fault(const Egraph *g, const Value *v)
{
	if (!op_has(v->op, 'T'))
		return false;
	return op_info[v->op].cls == OPC_MOVE ||
	       !dtype_is_float(egraph_class(g, v->args[0])->dtype);
}

bool value_is_free(const Egraph *g, const Value *v)
{
	switch (op_info[v->op].cls) {
	case OPC_LEAF:
	case OPC_VIEW:
	case OPC_MOVE:
		return false;
	case OPC_ELEM:
		return op_info[v->op].ulp > 0;
	case OPC_REDUCE:
	case OPC_SCAN:
	case OPC_CONTRACT:
		break;
	}
	return op_info[v->op].result == OPR_attr &&
	       dtype_is_float(egraph_class(g, v->args[0])->dtype);
}

static void add_root(Egraph *g, NodeId n, ValueId root)
{
	ENode *x = &g->nodes.p[n];

	for (size_t i = 0; i < x->roots.n; i++)
		if (x->roots.p[i] == root)
			return;
	VEC_PUSH(g->arena, x->roots, root);
	g->changed = true;
}

static void share_roots(Egraph *g, NodeId to, NodeId from)
{
	for (size_t i = 0; i < g->nodes.p[from].roots.n; i++)
		add_root(g, to, g->nodes.p[from].roots.p[i]);
}

bool egraph_elements(const Egraph *g, const Value *v, int64_t *n)
{
	*n = 1;
	for (size_t d = 0; d < v->rank; d++) {
		int64_t e;
		if (!ex_eval_checked(&g->q->ex, v->shape[d], g->dims, NULL,
				     &e) ||
		    __builtin_mul_overflow(*n, e, n))
			return false;
	}
	return true;
}

/* A value that would be stored is not over the cap. */
static bool fits(Egraph *g, const Value *v)
{
	int64_t bytes;

	if (op_info[v->op].cls == OPC_VIEW || !g->max_bytes)
		return true;
	if (!egraph_elements(g, v, &bytes) ||
	    __builtin_mul_overflow(bytes, dtype_info[v->dtype].bytes, &bytes))
		bytes = INT64_MAX;
	if (bytes <= g->max_bytes)
		return true;
	if (g->over)
		g->over(g->arg, v, bytes);
	return false;
}

static NodeId push(Egraph *g, const Value *v, uint32_t rule, ValueId old)
{
	ENode n = {.v = *v, .rule = rule, .hit = g->hit, .old = old};
	bool faults = value_may_fault(g, v);

	for (uint32_t i = 0; i < v->nargs; i++)
		faults |= g->faults.p[egraph_find(g, v->args[i])];
	n.cls = program_add(g->q, v);
	n.v.args = egraph_class(g, n.cls)->args;
	n.v.data = egraph_class(g, n.cls)->data;
	VEC_PUSH(g->arena, g->parent, n.cls);
	VEC_PUSH(g->arena, g->faults, faults);
	VEC_PUSH(g->arena, g->nodes, n);
	g->changed = true;
	return (NodeId)g->nodes.n - 1;
}

ClassId egraph_add(Egraph *g, const Value *v, NodeId like)
{
	Value w = *v;
	ClassId *args = arena_array(g->arena, ClassId, v->nargs + 1);
	bool whole = !g->q->ex.overflow;

	g->q->ex.overflow = false;
	for (uint32_t i = 0; i < v->nargs; i++) {
		whole = whole && v->args[i] != NO_VALUE;
		args[i] = whole ? egraph_find(g, v->args[i]) : NO_VALUE;
	}
	if (!whole)
		return NO_VALUE;
	w.args = args;
	w.name = NULL;
	table_grow(g);
	uint32_t *slot = slot_of(g, &w);
	if (!*slot) {
		if (g->nodes.n >= g->max_nodes) {
			g->full = true;
			return NO_VALUE;
		}
		if (!fits(g, &w))
			return NO_VALUE;
		*slot = push(g, &w, g->rule, NO_VALUE) + 1;
	}
	NodeId n = *slot - 1;
	if (like != NO_NODE)
		share_roots(g, n, like);
	return egraph_find(g, g->nodes.p[n].cls);
}

/* ---- classes --------------------------------------------------------- */

ClassId egraph_find(const Egraph *g, ClassId c)
{
	while (g->parent.p[c] != c)
		c = g->parent.p[c];
	return c;
}

bool egraph_merge(Egraph *g, ClassId a, ClassId b, uint32_t rule)
{
	a = egraph_find(g, a);
	b = egraph_find(g, b);
	const Value *x = egraph_class(g, a), *y = egraph_class(g, b);
	if (a == b || x->dtype != y->dtype || !value_same_shape(x, y))
		return false;
	/* the older one stays, which is the program's where there is one */
	ClassId keep = a < b ? a : b, gone = a < b ? b : a;
	g->parent.p[gone] = keep;
	/* the program's values were the first classes */
	if (gone < g->source->values.n) {
		Join j = {keep, rule};
		VEC_PUSH(g->arena, g->joins, j);
	}
	g->faults.p[keep] |= g->faults.p[gone];
	g->changed = true;
	return true;
}

static void lists_make(Egraph *g, ClassLists *l, bool users)
{
	size_t n = g->q->values.n, total = 0;

	l->first = arena_array(g->arena, uint32_t, n + 2);
	for (int fill = 0; fill < 2; fill++) {
		for (NodeId i = 0; i < g->nodes.n; i++) {
			const ENode *x = &g->nodes.p[i];
			if (x->dead)
				continue;
			uint32_t times = users ? x->v.nargs : 1;
			for (uint32_t k = 0; k < times; k++) {
				ClassId c = users ? x->v.args[k]
						  : egraph_find(g, x->cls);
				if (fill)
					l->list[l->first[c]++] = i;
				else
					l->first[c + 1]++;
				total += !fill;
			}
		}
		for (size_t c = 0; !fill && c <= n; c++)
			l->first[c + 1] += l->first[c];
		if (!fill)
			l->list = arena_array(g->arena, NodeId, total + 1);
	}
	/* filling moved each offset to its end */
	for (size_t c = n + 1; c > 0; c--)
		l->first[c] = l->first[c - 1];
	l->first[0] = 0;
}

/* One node for equal ones; false: nothing merged. */
static bool congruence(Egraph *g)
{
	bool merged = false;

	table_make(g, g->nodes.n);
	for (NodeId n = 0; n < g->nodes.n; n++) {
		ENode *x = &g->nodes.p[n];
		if (x->dead)
			continue;
		ClassId *args = (ClassId *)(uintptr_t)x->v.args;
		for (uint32_t i = 0; i < x->v.nargs; i++)
			args[i] = egraph_find(g, args[i]);
		uint32_t *slot = slot_of(g, &x->v);
		if (!*slot) {
			*slot = n + 1;
			continue;
		}
		NodeId first = *slot - 1;
		x->dead = true;
		share_roots(g, first, n);
		if (!egraph_merge(g, g->nodes.p[first].cls, x->cls,
				  alternatives_cse))
			continue;
		merged = true;
		if (x->rule == AS_WRITTEN && g->same)
			g->same(g->arg, first, n);
	}
	return merged;
}

void egraph_rebuild(Egraph *g)
{
	while (congruence(g))
		continue;
	lists_make(g, &g->of, false);
	lists_make(g, &g->users, true);
	g->seen = g->q->values.n;
}

static const NodeId *listed(const Egraph *g, const ClassLists *l, ClassId c,
			    size_t *n)
{
	*n = c < g->seen ? l->first[c + 1] - l->first[c] : 0;
	return *n ? l->list + l->first[c] : NULL;
}

const NodeId *egraph_nodes(const Egraph *g, ClassId c, size_t *n)
{
	return listed(g, &g->of, c, n);
}

const NodeId *egraph_users(const Egraph *g, ClassId c, size_t *n)
{
	return listed(g, &g->users, c, n);
}

size_t egraph_classes(const Egraph *g)
{
	size_t n = 0;

	for (ClassId c = 0; c < g->parent.n; c++)
		n += g->parent.p[c] == c;
	return n;
}

void egraph_init(Egraph *g, Arena *a, const Program *p)
{
	Program *q = program_copy(a, p);
	const Value *olds = q->values.p;
	size_t n = q->values.n;

	q->values.p = NULL;
	q->values.n = q->values.cap = 0;
	g->arena = a;
	g->source = p;
	g->q = q;
	g->cls = arena_array(a, ClassId, n + 1);
	g->rule = AS_WRITTEN;
	for (ValueId old = 0; old < n; old++) {
		Value v = olds[old];
		ClassId *args = arena_array(a, ClassId, v.nargs + 1);
		for (uint32_t i = 0; i < v.nargs; i++)
			args[i] = g->cls[v.args[i]];
		v.args = args;
		NodeId made = push(g, &v, AS_WRITTEN, old);
		if (value_is_free(g, &v))
			add_root(g, made, old);
		g->cls[old] = g->nodes.p[made].cls;
	}
	egraph_rebuild(g);
}
