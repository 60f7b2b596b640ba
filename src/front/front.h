/*
 * front: from files to programs and tensors.
 *
 *   lex, parse   .tn text to a syntax tree                        tn_*.c
 *   build        syntax tree to an ir Program: names, dtypes, shapes,
 *                calls expanded, compositions from the prelude
 *   npy, safetensors   tensors in files
 */
#ifndef TENON_FRONT_H
#define TENON_FRONT_H

#include "ir/external.h"
#include "ir/program.h"

/* A dim that is read as a number. */
typedef struct FixedDim {
	const char *name;
	int64_t size;
	bool used; /* out: the program has such a dim */
} FixedDim;

typedef struct FrontOptions {
	const char *entry; /* def to compile; NULL: the last def of the file */
	bool has_dtype;    /* --dtype: the float dtype that the file's */
	DType dtype;       /* declarations use most is read as this one */
	const char
		*base; /* folder that file("...") paths start from; NULL: . */
	FixedDim *fixed;
	size_t nfixed;
} FrontOptions;

/* Names of the defs in a source, in order, for messages and --list. */
bool front_defs(Ctx *ctx, Arena *a, uint32_t source, const char ***names,
		size_t *n);
/* The entry def of a .tn source as a verified program. */
bool front_build(Ctx *ctx, Arena *a, uint32_t source, const FrontOptions *o,
		 Program **out);
/* The text of the prelude: the compositions, written in the language. */
const char *front_prelude(void);

/*
 * Reads a tensor; memory is from big_alloc and belongs to the caller
 * (tensor_bytes(t) bytes). Fortran order and big-endian are converted.
 * Truncated, oversized, object and unknown files are refused with the
 * reason. want: the dtype expected, or DT_COUNT for any; V2 and u2 data
 * read as bf16 only when bf16 is wanted.
 */
bool npy_read(Ctx *ctx, const char *path, DType want, Tensor *out);
bool npy_write(Ctx *ctx, const char *path, const Tensor *t);
/* One tensor of a .safetensors file, same ownership. */
bool safetensors_read(Ctx *ctx, const char *path, const char *name, DType want,
		      Tensor *out);
/* Dtype and shape only, for checking `const` declarations. */
bool weight_stat(Ctx *ctx, const char *path, const char *name, DType want,
		 Tensor *out);
/* Reads a WEIGHT value's data, checked against its dtype and shape. */
bool weight_read(Ctx *ctx, const Program *p, ValueId v, const Binding *b,
		 Tensor *out);

/* ---- kernels of the user's (external.c) -------------------------------- */

/* Reads a signature file and its source; a holds them. */
bool external_read(Ctx *ctx, Arena *a, const char *path, External *out);
/* Whether its names, dtypes, shapes and arguments are those of a program. */
bool external_check(Ctx *ctx, Arena *a, External *x, Program *p);

#endif
