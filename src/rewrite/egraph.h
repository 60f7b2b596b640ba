/*
 * egraph: classes of values with equal bits, and the nodes that compute them.
 *
 * A node is a Value whose operands are classes. Nodes are hash-consed, classes
 * are merged by union-find, and egraph_rebuild restores congruence: nodes with
 * one op, attributes and operands are one node. Rules see the graph as the last
 * rebuild left it; what they add is seen after the next.
 */
#ifndef TENON_REWRITE_EGRAPH_H
#define TENON_REWRITE_EGRAPH_H

#include "rewrite/rewrite.h"

/* A class is an id of a value in Egraph.q that has its dtype and shape. */
typedef uint32_t ClassId;
typedef uint32_t NodeId;
#define NO_NODE    UINT32_MAX
#define AS_WRITTEN UINT32_MAX

typedef struct ENode {
	Value v; /* args are classes */
	ClassId cls;
	uint32_t rule; /* number of the rule that made it; AS_WRITTEN */
	uint32_t hit;  /* nodes of one application have one */
	bool said;     /* it is what the rule said a class is */
	ValueId old;   /* of the program, where it is as written */
	bool dead;     /* another node is the same */
	/*
	 * Values of the program whose bits depend on how they are computed
	 * (sums of floats, elementary functions) and of which this computes
	 * elements. Two nodes that share one are never in one program: a value
	 * has one bit pattern for all its consumers.
	 */
	VEC(ValueId) roots;
} ENode;

/* Lists by class: list[first[c] .. first[c + 1]]. */
typedef struct ClassLists {
	uint32_t *first;
	NodeId *list;
} ClassLists;

/* Two classes of the program became one: by which rule. */
typedef struct Join {
	ClassId cls;
	uint32_t rule;
} Join;

typedef struct Egraph Egraph;
struct Egraph {
	Arena *arena;
	const Program *source;
	Program *q;   /* expressions, and a value for each class */
	ClassId *cls; /* by value of the source; to be found */
	VEC(ENode) nodes;
	VEC(ClassId) parent; /* by class */
	VEC(bool) faults;    /* by class: what it is made of may fault */
	uint32_t *table;     /* node plus one */
	size_t cap;
	size_t seen; /* classes at the last rebuild */
	ClassLists of, users;
	VEC(Join) joins;
	bool changed;
	/* the rule at work */
	uint32_t rule, hit;
	/* limits */
	size_t max_nodes;
	bool full;
	int64_t max_bytes;
	const int64_t *dims;
	/* who is told of a value over the cap; may be NULL */
	void (*over)(void *arg, const Value *v, int64_t bytes);
	/* two values of the program are the same */
	void (*same)(void *arg, NodeId a, NodeId b);
	void *arg;
};

/* Takes the program in: every value a node in a class of its own, but equal
 * ones. Limits and who is told are set before. */
void egraph_init(Egraph *g, Arena *a, const Program *p);
ClassId egraph_find(const Egraph *g, ClassId c);
/*
 * The class of a node with v's op, attributes, shape, dtype and operands
 * (classes), made if need be. like: the node whose roots it shares; NULL.
 * NO_VALUE when an operand is, over a limit, or an expression overflows.
 */
ClassId egraph_add(Egraph *g, const Value *v, NodeId like);
/* By the rule at hand. False: they were one, or cannot be. */
bool egraph_merge(Egraph *g, ClassId a, ClassId b, uint32_t rule);
void egraph_rebuild(Egraph *g);

static inline const ENode *egraph_node(const Egraph *g, NodeId n)
{
	return &g->nodes.p[n];
}
static inline const Value *egraph_class(const Egraph *g, ClassId c)
{
	return program_value(g->q, c);
}
/* Nodes of class c, or that read it, at the last rebuild: n of them. */
const NodeId *egraph_nodes(const Egraph *g, ClassId c, size_t *n);
const NodeId *egraph_users(const Egraph *g, ClassId c, size_t *n);
size_t egraph_classes(const Egraph *g);

/* Under g->dims; false: beyond 64 bits. */
bool egraph_elements(const Egraph *g, const Value *v, int64_t *n);
/* Bits depend on how it is computed. */
bool value_is_free(const Egraph *g, const Value *v);
/* It may fault at run time; args are classes. */
bool value_may_fault(const Egraph *g, const Value *v);

/* ---- rules (alternatives_rules.c) ------------------------------------ */

typedef struct AltRule {
	const char *name;
	void (*apply)(Egraph *g, NodeId n); /* NULL: applied elsewhere */
	const char *witness;
	uint32_t relax;
} AltRule;
extern const AltRule alternatives_table[];
extern const size_t alternatives_count;
extern const uint32_t alternatives_cse, alternatives_recompute;
/* Tests: a rule beside those of the table. */
extern TN_THREAD const AltRule *alternatives_planted;

/* Node n's class and that of `made` are one: what a rule says. Counted and
 * logged where it is news; `made` may be NO_VALUE. */
void alternatives_say(Egraph *g, NodeId n, ClassId made);

#endif
