/*
 * view: the index maps of views, for every stage that reads through them.
 *
 * A VIEW-class value moves no data: its element i is an element of its
 * operand. A map gives, for each axis of the operand, the index over the
 * axes i0, i1, ... of the result.
 */
#ifndef TENON_IR_VIEW_H
#define TENON_IR_VIEW_H

#include "ir/program.h"

/*
 * The map of one VIEW-class value v of p: map[d], for operand axis d, over
 * the axes of v, simplified under v's extents. map has TN_MAX_RANK entries.
 * v lies in its operand: an operand axis of extent 1 has index 0.
 */
void view_map(Program *p, const Value *v, Ex *map);

/*
 * The value whose data v shows: v itself unless it is a view. map, for each
 * axis of that value, is over the axes of v.
 */
ValueId view_base(Program *p, ValueId v, Ex *map);

/* Whether a map says "the same element of a tensor of the same shape". */
bool view_is_identity(Program *p, ValueId v, ValueId base, const Ex *map);

/* Whether every index of the map of v, a view of x, is proved to lie in x. */
bool view_map_inside(Program *p, const Value *v, const Value *x, const Ex *map);

/* Whether v, if it is a SLICE, lies in its operand under the dims, which
 * verifying a program does not prove. Reports an error. */
bool slice_check(Ctx *ctx, const Program *p, ValueId v, const int64_t *dims);

/* Whether every element of v is at most 0, or NaN: x less a maximum of x. */
bool value_never_positive(Program *p, ValueId v);

/* Shapes equal for every binding, as far as the expressions tell. */
bool value_same_shape(const Value *a, const Value *b);

#endif
