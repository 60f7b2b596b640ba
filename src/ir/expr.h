/*
 * expr: integer expressions over named dims and loop axes.
 *
 * Shapes, strides, offsets, guards and index maps of every stage are these.
 * An expression is a 32-bit id in an ExprTab, hash-consed in a canonical
 * form: a polynomial with integer coefficients over atoms, where an atom is
 * a named dim, an axis, or a floor division, modulo, minimum or maximum of
 * expressions. Two expressions are known equal when their ids are equal.
 *
 * Values are int64. A constant that overflows, an expression beyond the
 * limits of expr.c and a division by the constant 0 set tab->overflow, which
 * the caller turns into an error at the place at hand. Id 0 is the constant
 * 0 and id 1 the constant 1 in every table.
 */
#ifndef TENON_IR_EXPR_H
#define TENON_IR_EXPR_H

#include "base/base.h"

typedef uint32_t Ex;

typedef enum ExKind {
	EX_CONST, /* value */
	EX_DIM,   /* named dim, index into the table's dims */
	EX_AXIS,  /* loop axis, or output index number in an index map */
	EX_DIV,   /* floor(a / b) */
	EX_MOD,   /* a - b * floor(a / b) */
	EX_MIN,
	EX_MAX,
	EX_POLY, /* sum of coefficient times product of atoms */
} ExKind;

typedef struct ExTerm {
	int64_t coef;
	uint32_t natoms; /* 0 for the constant term */
	const Ex *atoms; /* sorted by ex_compare, repeated for powers */
} ExTerm;

typedef struct ExNode {
	ExKind kind;
	int64_t value; /* EX_CONST; the index for EX_DIM and EX_AXIS */
	Ex a, b;       /* EX_DIV, EX_MOD, EX_MIN, EX_MAX */
	uint32_t nterms;
	const ExTerm *terms; /* EX_POLY: sorted, at least one with atoms */
	uint32_t size;       /* nodes when written out as a tree; bounded */
} ExNode;

typedef struct ExDim {
	const char *name;
	Loc loc;        /* where it was first named */
	int64_t lo, hi; /* values that a binding may take, inclusive */
} ExDim;

typedef struct ExprTab {
	Arena *arena;
	VEC(ExNode) nodes;
	VEC(ExDim) dims;
	uint32_t *hash;
	size_t hash_cap;
	bool overflow;
	void *scratch; /* the prover's; its memory goes with the arena's */
} ExprTab;

void expr_init(ExprTab *t, Arena *a);
Ex ex_const(ExprTab *t, int64_t v);
/* Finds or makes the named dim (lo 0, hi 2^40). */
Ex ex_dim(ExprTab *t, const char *name, Loc loc);
Ex ex_axis(ExprTab *t, int64_t index);
Ex ex_add(ExprTab *t, Ex a, Ex b);
Ex ex_sub(ExprTab *t, Ex a, Ex b);
Ex ex_mul(ExprTab *t, Ex a, Ex b);
Ex ex_div(ExprTab *t, Ex a, Ex b); /* floor; b must not be the constant 0 */
Ex ex_mod(ExprTab *t, Ex a, Ex b);
Ex ex_min(ExprTab *t, Ex a, Ex b);
Ex ex_max(ExprTab *t, Ex a, Ex b);
Ex ex_ceil_div(ExprTab *t, Ex a, Ex b);

const ExNode *ex_node(const ExprTab *t, Ex e);
bool ex_is_const(const ExprTab *t, Ex e, int64_t *v);
bool ex_equals(const ExprTab *t, Ex e, int64_t v);
/* A total order by structure and names, the same in every table. */
int ex_compare(const ExprTab *t, Ex a, Ex b);
bool ex_uses_axis(const ExprTab *t, Ex e, int64_t axis);
bool ex_uses_any_axis(const ExprTab *t, Ex e);
bool ex_uses_any_dim(const ExprTab *t, Ex e);
/* p such that a == p * b exactly; false when no such p is found. */
bool ex_divide(ExprTab *t, Ex a, Ex b, Ex *p);
/* Value under a binding: dims[i] for dim i, axes[i] for axis i. */
int64_t ex_eval(const ExprTab *t, Ex e, const int64_t *dims,
		const int64_t *axes);
/* As ex_eval, but false on int64 overflow or division by zero. */
bool ex_eval_checked(const ExprTab *t, Ex e, const int64_t *dims,
		     const int64_t *axes, int64_t *out);
/* Replaces axis i by with[i] for every i < n (others stay). */
Ex ex_subst_axes(ExprTab *t, Ex e, const Ex *with, size_t n);
/* Re-makes an expression of another table; dims matched by name. */
Ex ex_copy(ExprTab *to, const ExprTab *from, Ex e);

/* ---- what is known of a value ---------------------------------------- */

/*
 * The loops around a place and the conditions that hold there. ranges[i]
 * says 0 <= axis < extent; facts say fact >= 0. The prover uses them and
 * the dims' lo/hi.
 */
typedef struct ExRange {
	int64_t axis;
	Ex extent;
} ExRange;

typedef struct ExFacts {
	VEC(ExRange) ranges; /* outermost first */
	VEC(Ex) facts;
} ExFacts;

/* True only if e >= 0 is proved for every binding the facts allow. */
bool ex_prove_nonneg(ExprTab *t, const ExFacts *f, Ex e);
/* Uses the facts to drop divisions, modulos, minima and maxima. */
Ex ex_simplify(ExprTab *t, const ExFacts *f, Ex e);

/* ---- text ------------------------------------------------------------ */

/*
 * Prints with the least parentheses: `2*M + 1`, `(i0 + 3)//4`, `min(M, 8)`.
 * Axes print as i0, i1, ... The C form prints a complete int64_t expression
 * for generated code, with tn_div/tn_mod/tn_min/tn_max for those operators,
 * dims as d_NAME and axes as i0, i1, ... An expression that is no sum and for
 * which names (may be NULL) has a name prints as that.
 */
typedef struct ExNames {
	const char *(*name)(void *arg, Ex e); /* NULL: none */
	void *arg;
} ExNames;
void ex_print(Buf *b, const ExprTab *t, Ex e);
void ex_print_c(Buf *b, const ExprTab *t, Ex e, const ExNames *names);
/*
 * Parses what ex_print prints (and any expression of + - * // % min max and
 * parentheses) from *s, advancing it. NULL on success, else what is wrong.
 * Names of the form i<digits> are axes; other names must be dims already
 * declared, unless declare is set.
 */
const char *ex_parse(ExprTab *t, const char **s, bool declare, Ex *out);

#endif
