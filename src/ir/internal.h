/*
 * internal: what the files of ir share among themselves and with nobody
 * else: polynomials as they are worked on, and inference without a Ctx.
 */
#ifndef TENON_IR_INTERNAL_H
#define TENON_IR_INTERNAL_H

#include "ir/program.h"

/* Ids that every table starts with. */
#define EX_ZERO ((Ex)0)
#define EX_ONE  ((Ex)1)

#define MAX_TERMS  64
#define MAX_DEGREE 16

typedef struct Mono {
	int64_t coef;
	uint32_t n;
	Ex atoms[MAX_DEGREE];
} Mono;

/* Monomials in order, no coefficient 0. */
typedef struct Poly {
	size_t n;
	Mono m[MAX_TERMS];
} Poly;

void poly_load(const ExprTab *t, Ex e, Poly *p);
/* p += m; false on overflow, which it also records in the table. */
bool poly_add(ExprTab *t, Poly *p, const Mono *m);
Ex poly_make(ExprTab *t, const Poly *p);

/* The largest axis number that e names; -1 if it names none. */
int64_t ex_last_axis(const ExprTab *t, Ex e);

/* Whether a binding that f admits makes e negative; false: none was found. */
bool ex_refuted(const ExprTab *t, const ExFacts *f, Ex e);

/* Records an overflow and stands for the expression that has none. */
Ex ex_overflow(ExprTab *t);

/* program_infer whose error goes to ctx, or, if that is NULL, to why. */
bool infer_value(Ctx *ctx, Buf *why, Program *p, Value *v);

/*
 * One element as text that reads back to the same bits: integers in
 * decimal, floats as C's %a writes them, `inf`, and `nan:0x` with the bits.
 * number_parse advances *s; NULL on success, else what is wrong.
 */
void number_print(Buf *b, DType d, const void *p);
const char *number_parse(const char **s, DType d, void *out);

#endif
