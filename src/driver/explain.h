/*
 * explain: the facts that both forms of `tenon explain` print.
 */
#ifndef TENON_DRIVER_EXPLAIN_H
#define TENON_DRIVER_EXPLAIN_H

#include "driver/driver.h"

/* `add %4 %2 (from softmax)`. */
const char *explain_formula(Arena *a, const Program *p, ValueId v);
/* What the value's boundary does: "rounded once to f16". */
const char *explain_meaning(Arena *a, const Program *p, ValueId v);
/* Where it happens: "k0.main, in registers, stored to b_y"; "" if dropped. */
const char *explain_place(Arena *a, const Kernels *ks, ValueId v);

/* What else each kernel could be (explain_field.c). */
void explain_field(Buf *b, Arena *a, TenonPlan *p);

void explain_text(TenonPlan *p, Buf *b);
void explain_json(TenonPlan *p, Buf *b);

#endif
