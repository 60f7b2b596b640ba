/*
 * mutants: the contract violations that are planted, one row each.
 *
 * The edits are regular expressions (edit.h) on what emit makes of the
 * programs named; what they call is in planted.h. A row whose edits change
 * no bits of a program at a shape says nothing there; one that does must be
 * rejected, but in LEGAL rows, which a relaxation admits and which must not be.
 * The quick run plants a row in its first program under every
 * dtype, and in the second one as written. Products are by multiply-adds, but
 * for UNIT_MUTANT rows, which are left out where the unit is not there.
 */
#ifndef TENON_MUTANTS_MUTANTS_H
#define TENON_MUTANTS_MUTANTS_H

#include "edit.h"

#define MUT_EDITS 4

typedef struct Mutant {
	const char *name, *what;
	const char *programs; /* of examples/ or tests/mutants/ */
	const char *dtypes;   /* "-": only as written */
	Edit edits[MUT_EDITS];
	const char *unit; /* matrix unit that multiplies; NULL: none */
	bool legal;       /* must not be rejected */
} Mutant;

#define VAR   "(v[0-9]+)"
#define WIDTH "(s|v[0-9]+)"
#define SHORT "(f16|bf16)"

#define PROJECTIONS                                                            \
	"bias weight_view public_projection residual relu output_scale "       \
	"projection_join affine affine_relu residual_relu shared_projection "  \
	"two_layer gated_projections"
#define PRODUCTS                                                               \
	"gemm weight_view transposed_weight input_scale projection_chain "     \
	"norm_projection " PROJECTIONS

/* A store to a result or to a value that other kernels read. */
#define STORE                                                                  \
	"(tn_(store|storen|stream)_[a-z0-9]+_" WIDTH                           \
	"\\(b(_[a-z0-9_]+|[0-9]+) \\+ |"                                       \
	"b(_[a-z0-9_]+|[0-9]+)\\[).*;$"

static const Mutant mutants[] = {
#define EDIT(where, from, to)                                                  \
	{                                                                      \
		.within = where, .find = from, .put = to                       \
	}
#define EDIT_NTH(n, where, from, to)                                           \
	{                                                                      \
		.within = where, .find = from, .put = to, .nth = n             \
	}
#define EDIT_THEN(next, where, from, to)                                       \
	{                                                                      \
		.within = where, .find = from, .put = to, .then = next         \
	}
#define MUTANT(n, w, p, d, ...)         {n, w, p, d, {__VA_ARGS__}, NULL, false},
#define LEGAL(n, w, p, d, ...)          {n, w, p, d, {__VA_ARGS__}, NULL, true},
#define UNIT_MUTANT(u, n, w, p, d, ...) {n, w, p, d, {__VA_ARGS__}, u, false},
#include "tests/mutants/mutants.def"
#undef MUTANT
#undef LEGAL
#undef UNIT_MUTANT
#undef EDIT_THEN
#undef EDIT_NTH
#undef EDIT
};

#undef VAR
#undef WIDTH
#undef SHORT
#undef STORE
#undef PRODUCTS
#undef PROJECTIONS

#endif
