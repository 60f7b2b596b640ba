/*
 * alternatives_rules: what the files of rules share, and nobody else sees.
 */
#ifndef TENON_REWRITE_ALTERNATIVES_RULES_H
#define TENON_REWRITE_ALTERNATIVES_RULES_H

#include "rewrite/egraph.h"

#include "ir/view.h"

/* The first node of class c with that op, or NULL. The Value lasts as long as
 * the arena; what is added later does not change it. */
const Value *class_node(const Egraph *g, ClassId c, Op op, NodeId *at);
/* A value of v's dtype, shape, relaxations and place. */
Value value_like(const Value *v, Op op, uint32_t nargs, const ClassId *args);
/*
 * x shown in the shape of `like` through a map over its axes; x itself where
 * that changes nothing. NO_VALUE when x is, or the map has no proof.
 */
ClassId view_of(Egraph *g, ClassId x, const Value *like, const Ex *map);
/* a has fewer elements than b (or as many), under the sizes at hand. */
bool fewer(const Egraph *g, const Value *a, const Value *b, bool or_equal);

/* ---- elementwise values, casts, views (alternatives_elem.c) ---------- */

void view_chain(Egraph *g, NodeId n);
void view_of_elem(Egraph *g, NodeId n);
void elem_of_view(Egraph *g, NodeId n);
void cast_of_select(Egraph *g, NodeId n);
void select_of_cast(Egraph *g, NodeId n);
void cast_of_move(Egraph *g, NodeId n);
void move_of_cast(Egraph *g, NodeId n);
void cast_chain(Egraph *g, NodeId n);

#endif
