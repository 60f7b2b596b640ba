/*
 * alternatives_extract: the k cheapest programs of the graph.
 *
 * What: a program is a choice of one node for each class that it needs. The
 * default is the node as written, or for a class that has none the one that is
 * cheapest by itself. A move chooses another node for a class (with the nodes
 * that the same application of a rule made for others), or has a cheap value
 * computed again for each reader.
 * How: best first: the cheapest program not yet looked at is taken, and every
 * move from it is tried, until none is left or MOST_TRIED have been.
 * Refused: a choice that goes round in a circle, or that computes elements of
 * one value of the program in two ways.
 */
#include "rewrite/alternatives_extract.h"

#include "ir/view.h"
#include "rewrite/rebuild.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_TRIED     320
#define WORK_PER_BYTE  8.0 /* operations in the time of a byte */
#define MOST_EXPANDED  48
#define MOST_OVERRIDES 12

typedef struct Override {
	ClassId cls;
	NodeId node; /* NO_NODE: computed again for each reader */
} Override;

typedef struct State {
	Override moves[MOST_OVERRIDES];
	size_t n;
	Alternative made; /* its program is only while it is at hand */
	NodeId *chosen;   /* by class; NO_NODE: not needed */
	double cost;
	bool seen; /* it is the program as written */
	bool expanded;
	size_t number; /* in the order they were found */
	uint32_t turn; /* cheaper ones by the same rules */
} State;

typedef struct Extract {
	Ctx *ctx;
	Egraph *g;
	Arena *a;        /* of the program at hand; cleared for the next */
	NodeId *written; /* by class: the default */
	double *alone;   /* by class: cost as a tree */
	double *cost;    /* the same by node */
	VEC(State) states;
	size_t tried;
	const char *without;
	StrMap *keys;
	/* the program at hand */
	const State *at;
	Program *q;
	ValueId *value; /* by class */
	NodeId *chosen;
	bool *open;    /* by class: its operands are being made */
	NodeId *nodes; /* by value of q */
	size_t fuel;   /* nodes that may still be tried */
} Extract;

/* ---- the default ----------------------------------------------------- */

static double alone(const Extract *x, const Value *v)
{
	int64_t n = 0, k = 0;
	double cost = 1, bytes;

	(void)egraph_elements(x->g, v, &n);
	bytes = (double)n * dtype_info[v->dtype].bytes;
	if (op_info[v->op].cls == OPC_VIEW || op_info[v->op].cls == OPC_LEAF)
		return cost;
	const Value *from = egraph_class(x->g, v->args[0]);
	if (op_info[v->op].cls == OPC_CONTRACT) {
		(void)ex_eval_checked(&x->g->q->ex, from->shape[from->rank - 1],
				      x->g->dims, NULL, &k);
		cost += 2 * (double)n * (double)k / WORK_PER_BYTE;
	} else {
		(void)egraph_elements(x->g, from, &k);
		cost += (double)k / WORK_PER_BYTE;
	}
	return cost + bytes;
}

static void defaults(Extract *x)
{
	size_t classes = x->g->q->values.n;
	bool changed = true;

	x->alone = arena_array(x->g->arena, double, classes + 1);
	x->written = arena_array(x->g->arena, NodeId, classes + 1);
	for (size_t c = 0; c < classes; c++) {
		x->alone[c] = (double)INFINITY;
		x->written[c] = NO_NODE;
	}
	double *cost = arena_array(x->g->arena, double, x->g->nodes.n + 1);
	x->cost = cost;
	for (size_t round = 0; changed && round <= classes; round++) {
		changed = false;
		for (NodeId n = 0; n < x->g->nodes.n; n++) {
			const ENode *e = egraph_node(x->g, n);
			if (e->dead)
				continue;
			ClassId c = egraph_find(x->g, e->cls);
			cost[n] = alone(x, &e->v);
			for (uint32_t k = 0; k < e->v.nargs; k++)
				cost[n] += x->alone[e->v.args[k]];
			if (cost[n] >= x->alone[c])
				continue;
			x->alone[c] = cost[n];
			changed = true;
		}
	}
	for (NodeId n = 0; n < x->g->nodes.n; n++) {
		const ENode *e = egraph_node(x->g, n);
		if (e->dead)
			continue;
		ClassId c = egraph_find(x->g, e->cls);
		NodeId old = x->written[c];
		bool mine = e->rule == AS_WRITTEN;
		bool its = old != NO_NODE &&
			   egraph_node(x->g, old)->rule == AS_WRITTEN;
		if (old == NO_NODE || (mine && !its) ||
		    (mine == its && cost[n] < cost[old]))
			x->written[c] = n;
	}
}

/* ---- one program ----------------------------------------------------- */

/* The node that a move chose for the class, or NO_NODE. */
static NodeId moved(const Extract *x, ClassId c)
{
	for (size_t i = 0; i < x->at->n; i++)
		if (x->at->moves[i].cls == c && x->at->moves[i].node != NO_NODE)
			return x->at->moves[i].node;
	return NO_NODE;
}

/* After n, the next dearer node of the class that is not the default. */
static NodeId next_choice(const Extract *x, ClassId c, NodeId n)
{
	size_t count;
	const NodeId *list = egraph_nodes(x->g, c, &count);
	NodeId best = NO_NODE;
	bool first = n == x->written[c];

	for (size_t i = 0; i < count; i++) {
		NodeId k = list[i];
		bool later = first || x->cost[k] > x->cost[n] ||
			     (x->cost[k] == x->cost[n] && k > n);
		if (k != x->written[c] && later &&
		    (best == NO_NODE || x->cost[k] < x->cost[best]))
			best = k;
	}
	return best;
}

/* v as it goes into the program: its expressions and operands are that one's,
 * and its names the author's of the class. */
static Value copied(Extract *x, const ENode *e, ClassId c, const ValueId *args)
{
	const ExprTab *from = &x->g->q->ex;
	const Value *named = egraph_class(x->g, c);
	Value v = e->v;

	v.args = args;
	for (int d = 0; d < TN_MAX_RANK; d++) {
		v.shape[d] = ex_copy(&x->q->ex, from, v.shape[d]);
		v.start[d] = ex_copy(&x->q->ex, from, v.start[d]);
		v.map[d] = ex_copy(&x->q->ex, from, v.map[d]);
	}
	if (e->rule != AS_WRITTEN) {
		v.name = op_info[v.op].cls == OPC_LEAF ? NULL : named->name;
		/* it may be read otherwise than the author's */
		v.relax &= ~(uint32_t)RELAX_SINGLE_ROUNDING;
	}
	return v;
}

static ValueId put(Extract *x, const Value *v, NodeId n)
{
	ValueId made = program_add(x->q, v);

	x->nodes[made] = n;
	return made;
}

/* A view of a view is one view, where the map has a proof. */
static ValueId put_view(Extract *x, Value v, NodeId n)
{
	const Value *inner = program_value(x->q, v.args[0]);
	Ex map[TN_MAX_RANK];

	if (inner->op == OP_VIEW) {
		Value w = v;
		const Value *base = program_value(x->q, inner->args[0]);
		for (size_t d = 0; d < base->rank; d++)
			map[d] = ex_subst_axes(&x->q->ex, inner->map[d], v.map,
					       inner->rank);
		memset(w.map, 0, sizeof(w.map));
		memcpy(w.map, map, base->rank * sizeof(Ex));
		w.args = inner->args;
		view_map(x->q, &w, map);
		memcpy(w.map, map, base->rank * sizeof(Ex));
		if (!x->q->ex.overflow &&
		    view_map_inside(x->q, &w, base, w.map))
			v = w;
		x->q->ex.overflow = false;
	}
	const Value *base = program_value(x->q, v.args[0]);
	bool same = value_same_shape(&v, base);
	for (size_t d = 0; same && d < base->rank; d++)
		same = ex_equals(&x->q->ex, base->shape[d], 1) ||
		       v.map[d] == ex_axis(&x->q->ex, (int64_t)d);
	return same ? v.args[0] : put(x, &v, n);
}

static ValueId emit(Extract *x, ClassId c);

/* Class c by way of node n; NO_VALUE: that goes round in a circle. */
static ValueId emit_node(Extract *x, ClassId c, NodeId n)
{
	const ENode *e = egraph_node(x->g, n);
	ValueId *args = arena_array(x->a, ValueId, e->v.nargs + 1);

	for (uint32_t k = 0; k < e->v.nargs; k++) {
		args[k] = emit(x, e->v.args[k]);
		if (args[k] == NO_VALUE)
			return NO_VALUE;
	}
	Value v = copied(x, e, c, args);
	x->chosen[c] = n;
	return v.op == OP_VIEW ? put_view(x, v, n) : put(x, &v, n);
}

static ValueId emit(Extract *x, ClassId c)
{
	c = egraph_find(x->g, c);
	if (x->value[c] != NO_VALUE)
		return x->value[c];
	if (x->open[c])
		return NO_VALUE;
	x->open[c] = true;
	NodeId n = moved(x, c);
	bool fixed = n != NO_NODE;
	if (!fixed)
		n = x->written[c];
	while (n != NO_NODE && x->value[c] == NO_VALUE && x->fuel) {
		x->fuel--;
		x->value[c] = emit_node(x, c, n);
		n = fixed ? NO_NODE : next_choice(x, c, n);
	}
	x->open[c] = false;
	return x->value[c];
}

/* Forgets the choices for classes that turned out not to be needed. */
static void keep_needed(Extract *x, ClassId c, bool *needed)
{
	c = egraph_find(x->g, c);
	if (needed[c])
		return;
	needed[c] = true;
	const ENode *e = egraph_node(x->g, x->chosen[c]);
	for (uint32_t k = 0; k < e->v.nargs; k++)
		keep_needed(x, e->v.args[k], needed);
}

/* No value of the program is computed in two ways. */
static bool computed_once(const Extract *x)
{
	const Egraph *g = x->g;
	NodeId *by = arena_array(x->a, NodeId, g->source->values.n + 1);

	for (size_t i = 0; i < g->source->values.n; i++)
		by[i] = NO_NODE;
	for (ClassId c = 0; c < g->q->values.n; c++) {
		NodeId n = x->chosen[c];
		const ENode *e = n == NO_NODE ? NULL : egraph_node(g, n);
		for (size_t i = 0; e && i < e->roots.n; i++) {
			if (by[e->roots.p[i]] != NO_NODE)
				return false;
			by[e->roots.p[i]] = n;
		}
	}
	return true;
}

/* A boundary that may be dropped towards the one reader the author wrote is
 * kept towards others. */
static void keep_boundaries(Extract *x, ValueId v)
{
	Value *y = program_value(x->q, v);

	y->relax &= ~(uint32_t)RELAX_SINGLE_ROUNDING;
	if (op_info[y->op].cls == OPC_VIEW)
		keep_boundaries(x, y->args[0]);
}

/* By value of the source: the value of the program before the passes. */
static ValueId *stands_for(Extract *x)
{
	const Egraph *g = x->g;
	size_t n = g->source->values.n;
	ValueId *at = arena_array(x->a, ValueId, n + 1);

	for (size_t i = 0; i < n; i++)
		at[i] = x->value[egraph_find(g, g->cls[i])];
	/* sums are where they are computed */
	for (ValueId v = 0; v < x->q->values.n; v++) {
		const ENode *e = egraph_node(g, x->nodes[v]);
		bool used = x->chosen[egraph_find(g, e->cls)] == x->nodes[v];
		for (size_t i = 0; used && i < e->roots.n; i++)
			at[e->roots.p[i]] = v;
	}
	return at;
}

static Program *passes(Extract *x)
{
	Program *q = rewrite_cse(x->ctx, x->a, x->q, NULL);

	return rewrite_dead(x->ctx, x->a, q, NULL);
}

/* What became of stage 1, by way of the source and the passes. */
static void follow(const Extract *x, Program *q, const ValueId *at)
{
	const Program *p = x->g->source;
	size_t n = p->now ? p->nnow : p->values.n;
	ValueId *now = arena_array(x->a, ValueId, n + 1);

	for (size_t i = 0; i < n; i++) {
		ValueId old = p->now ? p->now[i] : (ValueId)i;
		ValueId v = old == NO_VALUE ? NO_VALUE : at[old];
		now[i] = v == NO_VALUE ? NO_VALUE : q->now[v];
	}
	q->now = now;
	q->nnow = n;
}

static Program *shell(const Extract *x)
{
	Program *q = program_copy(x->a, x->g->source);

	q->values.p = NULL;
	q->values.n = q->values.cap = 0;
	return q;
}

static bool emit_all(Extract *x)
{
	const Egraph *g = x->g;
	const Program *p = g->source;
	size_t classes = g->q->values.n;

	x->q = shell(x);
	x->value = arena_array(x->a, ValueId, classes + 1);
	x->chosen = arena_array(x->a, NodeId, classes + 1);
	x->fuel = 4 * x->g->nodes.n + 64;
	x->nodes = arena_array(x->a, NodeId, x->fuel + 1);
	bool *needed = arena_array(x->a, bool, classes + 1);
	x->open = arena_array(x->a, bool, classes + 1);
	for (size_t c = 0; c < classes; c++) {
		x->value[c] = NO_VALUE;
		x->chosen[c] = NO_NODE;
	}
	for (size_t i = 0; i < p->inputs.n; i++)
		x->q->inputs.p[i] = emit(x, g->cls[p->inputs.p[i]]);
	for (size_t i = 0; i < p->donated.n; i++)
		x->q->donated.p[i] = emit(x, g->cls[p->donated.p[i]]);
	for (size_t i = 0; i < p->results.n; i++) {
		ValueId v = emit(x, g->cls[p->results.p[i].value]);
		if (v == NO_VALUE)
			return false;
		x->q->results.p[i].value = v;
		keep_needed(x, g->cls[p->results.p[i].value], needed);
	}
	for (size_t c = 0; c < classes; c++)
		if (!needed[c])
			x->chosen[c] = NO_NODE;
	return computed_once(x);
}

/* ---- what it is called ----------------------------------------------- */

typedef struct Ordered {
	const Value *from;
	Program *q;
	ValueId *map;
} Ordered;

static ValueId in_order(Ordered *s, ValueId v)
{
	if (s->map[v] != NO_VALUE)
		return s->map[v];
	Value x = s->from[v];
	ValueId *args = arena_array(s->q->arena, ValueId, x.nargs + 1);
	for (uint32_t k = 0; k < x.nargs; k++)
		args[k] = in_order(s, x.args[k]);
	x.args = args;
	x.loc = LOC_NONE;
	x.name = x.via = NULL;
	s->map[v] = program_add(s->q, &x);
	return s->map[v];
}

/* Of the text, its values in the order in which the results ask for them and
 * without names and places. */
static void key_of(Arena *a, const Program *p, char key[SHA256_HEX])
{
	Program *q = program_copy(a, p);
	Ordered s = {q->values.p, q, arena_array(a, ValueId, p->values.n + 1)};
	Buf b;

	for (size_t i = 0; i < p->values.n; i++)
		s.map[i] = NO_VALUE;
	q->values.p = NULL;
	q->values.n = q->values.cap = 0;
	for (size_t i = 0; i < q->inputs.n; i++)
		q->inputs.p[i] = in_order(&s, q->inputs.p[i]);
	for (size_t i = 0; i < q->donated.n; i++)
		q->donated.p[i] = in_order(&s, q->donated.p[i]);
	for (size_t i = 0; i < q->results.n; i++) {
		Result *r = &q->results.p[i];
		r->value = in_order(&s, r->value);
		r->loc = LOC_NONE;
	}
	for (size_t i = 0; i < q->dimsets.n; i++)
		q->dimsets.p[i].loc = LOC_NONE;
	for (size_t i = 0; i < q->ex.dims.n; i++)
		q->ex.dims.p[i].loc = LOC_NONE;
	q->sources.n = 0;
	q->loc = LOC_NONE;
	buf_init(&b, a);
	program_print(q, &b);
	sha256_hex(buf_str(&b), b.n, key);
}

static const char *rule_name(uint32_t rule)
{
	return rule < alternatives_count ? alternatives_table[rule].name
					 : alternatives_planted->name;
}

/* Rules of the nodes chosen, of what made written values one, of copies. */
static const char *rules_of(const Extract *x, bool again)
{
	size_t n = alternatives_count + 1;
	bool *used = arena_array(x->a, bool, n);
	Buf b;

	buf_init(&b, x->a);
	for (ClassId c = 0; c < x->g->q->values.n; c++)
		if (x->chosen[c] != NO_NODE) {
			uint32_t rule = egraph_node(x->g, x->chosen[c])->rule;
			if (rule != AS_WRITTEN)
				used[rule] = true;
		}
	for (size_t i = 0; i < x->g->joins.n; i++) {
		const Join *j = &x->g->joins.p[i];
		used[j->rule] |=
			x->chosen[egraph_find(x->g, j->cls)] != NO_NODE;
	}
	used[alternatives_recompute] |= again;
	for (uint32_t r = 0; r < n; r++)
		if (used[r])
			buf_printf(&b, "%s%s", b.n ? "," : "", rule_name(r));
	return buf_str(&b);
}

/* Makes s->made and s->cost; false: there is no such program. */
static bool make(Extract *x, State *s)
{
	bool again = false;

	x->at = s;
	if (!emit_all(x))
		return false;
	for (ValueId v = 0; v < x->q->values.n; v++) {
		const Value *y = program_value(x->q, v);
		bool made = egraph_node(x->g, x->nodes[v])->rule != AS_WRITTEN;
		for (uint32_t k = 0; made && k < y->nargs; k++)
			keep_boundaries(x, y->args[k]);
	}
	const ValueId *at = stands_for(x);
	Program *q = passes(x);
	for (size_t i = 0; i < s->n; i++) {
		if (s->moves[i].node != NO_NODE)
			continue;
		ValueId v = x->value[s->moves[i].cls];
		v = v == NO_VALUE ? NO_VALUE : q->now[v];
		Program *twice = v == NO_VALUE
					 ? NULL
					 : alternatives_recomputed(x->a, q, v);
		if (!twice)
			return false;
		q = twice;
		again = true;
	}
	follow(x, q, at);
	key_of(x->a, q, s->made.key);
	s->made.program = q;
	s->made.rules = rules_of(x, again);
	alternatives_weigh(q, x->g->dims, &s->made.work, &s->made.bytes);
	s->cost = s->made.work / WORK_PER_BYTE + s->made.bytes;
	s->number = x->states.n;
	return true;
}

/* ---- moves ----------------------------------------------------------- */

static bool set_move(State *s, ClassId c, NodeId n)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->moves[i].cls == c &&
		    (s->moves[i].node == NO_NODE) == (n == NO_NODE)) {
			s->moves[i].node = n;
			return true;
		}
	if (s->n == MOST_OVERRIDES)
		return false;
	s->moves[s->n++] = (Override){c, n};
	return true;
}

/* Node n for its class, and what was made with it for others as written. */
static bool choose(const Extract *x, State *s, NodeId n)
{
	const ENode *e = egraph_node(x->g, n);

	if (!set_move(s, egraph_find(x->g, e->cls), n))
		return false;
	for (NodeId i = 0; e->rule != AS_WRITTEN && i < x->g->nodes.n; i++) {
		const ENode *y = egraph_node(x->g, i);
		ClassId c = egraph_find(x->g, y->cls);
		NodeId by = x->written[c];
		if (i == n || y->dead || y->hit != e->hit || !y->said ||
		    egraph_node(x->g, by)->rule != AS_WRITTEN)
			continue;
		if (!set_move(s, c, i))
			return false;
	}
	return true;
}

/* Adds a program that is none of those there are; the defaults' at any rate,
 * which others are made from. */
static void try_state(Extract *x, State *s)
{
	size_t classes = x->g->q->values.n;
	uint32_t seen;

	if (x->tried++ >= MOST_TRIED)
		return;
	arena_clear(x->a);
	if (!make(x, s))
		return;
	s->seen = strmap_get(x->keys, s->made.key, &seen);
	if (s->seen && s->n)
		return;
	strmap_set(x->keys, s->made.key, 1);
	s->chosen = arena_array(x->g->arena, NodeId, classes + 1);
	memcpy(s->chosen, x->chosen, classes * sizeof(NodeId));
	s->made.rules = arena_strdup(x->g->arena, s->made.rules);
	s->made.program = NULL;
	VEC_PUSH(x->g->arena, x->states, *s);
}

static void expand(Extract *x, size_t at)
{
	State from = x->states.p[at];
	const Egraph *g = x->g;

	x->states.p[at].expanded = true;
	for (ClassId c = 0; c < g->q->values.n; c++) {
		size_t n;
		const NodeId *list = egraph_nodes(g, c, &n);
		if (from.chosen[c] == NO_NODE || egraph_find(g, c) != c)
			continue;
		for (size_t i = 0; i < n; i++) {
			State s = from;
			s.expanded = false;
			if (list[i] != from.chosen[c] && choose(x, &s, list[i]))
				try_state(x, &s);
		}
		if (x->without && strstr(x->without, "recompute"))
			continue;
		State s = from;
		s.expanded = false;
		if (op_info[egraph_node(g, from.chosen[c])->v.op].cls ==
			    OPC_ELEM &&
		    set_move(&s, c, NO_NODE))
			try_state(x, &s);
	}
}

static int by_cost(const void *a, const void *b)
{
	const State *x = a, *y = b;

	if (x->cost != y->cost)
		return x->cost < y->cost ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* The cheapest that is not expanded. */
static size_t next_state(const Extract *x)
{
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < x->states.n; i++)
		if (!x->states.p[i].expanded &&
		    (best == SIZE_MAX ||
		     by_cost(&x->states.p[i], &x->states.p[best]) < 0))
			best = i;
	return best;
}

static void release(void *arena)
{
	arena_release(arena);
}

static int by_turn(const void *a, const void *b)
{
	const State *x = a, *y = b;

	if (x->turn != y->turn)
		return x->turn < y->turn ? -1 : 1;
	return by_cost(a, b);
}

/* The best, made once more to stay: the cheapest by each set of rules, then
 * the second of each. */
static void keep_best(Extract *x, size_t most, Alternatives *out)
{
	x->a = x->g->arena;
	qsort(x->states.p, x->states.n, sizeof(*x->states.p), by_cost);
	StrMap *turns = strmap_new(x->a);
	for (size_t i = 0; i < x->states.n; i++) {
		State *s = &x->states.p[i];
		(void)strmap_get(turns, s->made.rules, &s->turn);
		strmap_set(turns, s->made.rules, s->turn + 1);
	}
	qsort(x->states.p, x->states.n, sizeof(*x->states.p), by_turn);
	for (size_t i = 0; i < x->states.n && out->list.n < most; i++) {
		State *s = &x->states.p[i];
		if (s->seen)
			continue;
		bug_if(!make(x, s));
		VEC_PUSH(x->a, out->list, s->made);
	}
}

void alternatives_extract(Ctx *ctx, Egraph *g, const AlternativeOptions *o,
			  Alternatives *out)
{
	Extract x = {.ctx = ctx, .g = g, .without = o->without};
	Arena *own = arena_new(g->arena, Arena);
	State base = {0};

	arena_init(own);
	arena_defer(g->arena, release, own);
	x.a = own;
	x.keys = strmap_new(g->arena);
	Alternative first = {.program = g->source, .rules = ""};
	key_of(g->arena, g->source, first.key);
	alternatives_weigh(g->source, g->dims, &first.work, &first.bytes);
	VEC_PUSH(g->arena, out->list, first);
	strmap_set(x.keys, first.key, 1);
	defaults(&x);
	try_state(&x, &base);
	for (size_t k = 0; k < MOST_EXPANDED && x.tried < MOST_TRIED; k++) {
		size_t at = next_state(&x);
		if (at == SIZE_MAX)
			break;
		expand(&x, at);
	}
	if (x.states.n)
		keep_best(&x, o->most, out);
	arena_release(own);
}
