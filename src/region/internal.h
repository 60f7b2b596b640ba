/* internal: what the files of region share among themselves. */
#ifndef TENON_REGION_INTERNAL_H
#define TENON_REGION_INTERNAL_H

#include "region/groups.h"

/* Puts v into a group, as the rule policy has it, and notes the pairs. */
void policy_place(Grouping *g, ValueId v);

/* Joins products with the rows between them, once every value is placed. */
void attention_join(Grouping *g);

/* Joins products of one tile, and products of products (products.c). */
void products_join(Grouping *g);

/* The value of its own group that a product has as left operand, or NO_VALUE.
 */
ValueId product_held(const Grouping *g, ValueId product);

/* Takes loops that only a product's tile reads along (epilogue.c). */
void epilogues_complete(Grouping *g);

/* What a condition means and what would change it, for Decision. */
const char *cond_name(Cond c);
const char *cond_change(Arena *a, const Program *p, Cond c, ValueId producer);

#endif
