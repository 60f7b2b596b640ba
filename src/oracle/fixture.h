/*
 * fixture: what the files that make inputs share.
 */
#ifndef TENON_ORACLE_FIXTURE_H
#define TENON_ORACLE_FIXTURE_H

#include "oracle/eval.h"

/* What an input is used for; see role.c. */
typedef struct Role {
	ValueId value;
	DType dtype;
	bool left;     /* left operand of a matmul */
	bool weight;   /* right operand of a matmul, and never left */
	bool reduced;  /* summed or searched over an axis */
	bool product;  /* reduced by prod */
	bool gain;     /* rank 0 or 1, multiplied into something */
	bool before;   /* a gain on the way into a matmul */
	bool addend;   /* added to something that it is not part of */
	bool positive; /* under a logarithm or a root */
	bool tf32;     /* operand of a matmul that may have it in TF32 */
	bool divisor, shift, exponent;
	int64_t index_len; /* index into an axis of this extent; 0: none */
	int k_axis;        /* its axis that is summed over first; -1: none */
	int64_t k;         /* that axis's extent; 1 if none */
	int depth;         /* weight: matmuls before the one it feeds */
	int order;         /* number among inputs of the same kind */
} Role;

/* Facts of a program under a binding, and a role for each input. */
typedef struct Roles {
	Role *r;
	size_t n;
	bool joined;    /* two matmuls meet in an addition */
	bool added;     /* a matmul's result meets an addition */
	int64_t k_most; /* greatest extent summed over */
	int depth;      /* most matmuls on one path */
	Op inexact;     /* an op with an error bound; OP_COUNT: none */
	int sum_bits;   /* least precision of a float accumulator; 0: none */
} Roles;
/* shapes: an Eval whose eval_shapes() has run. */
Roles roles_find(Arena *a, const Eval *shapes);

/* ---- draw.c ---------------------------------------------------------- */

/* The i-th 64-bit number of a stream; any i, in any order. */
uint64_t draw_bits(uint64_t key, uint64_t i);
uint64_t draw_key(uint64_t seed, uint64_t a, uint64_t b);
/* Normal deviates of mean 0 and variance 1, the same on every machine. */
double draw_normal(uint64_t key, uint64_t i);

/* ---- exact.c --------------------------------------------------------- */

/* How fine the exact family's numbers are. */
typedef struct ExactLevel {
	int bits;  /* of activations and first weights */
	bool lone; /* every fourth row: one number of all bits */
} ExactLevel;
/* Rows and columns repeat with these periods, by axis. */
extern const int64_t exact_period[TN_MAX_RANK];
double exact_value(const Roles *rs, const Role *r, ExactLevel level,
		   uint64_t key, const int64_t *index, int rank);
/*
 * The finest level for which every result is a point, tried under the
 * binding with the dims shrunk that no sum depends on. False: none, with
 * the reason.
 */
bool exact_level(Ctx *ctx, Arena *a, const Program *p, const Binding *b,
		 uint64_t seed, const Feeds *weights, ExactLevel *out,
		 const char **why_not);

/* ---- fixture.c ------------------------------------------------------- */

/* Fills the inputs of one family; memory from big_alloc. */
bool inputs_make(Ctx *ctx, Arena *a, const Program *p, const Binding *b,
		 Family f, uint64_t seed, ExactLevel level, Tensor *inputs);
void inputs_free(Tensor *inputs, size_t n);

#endif
