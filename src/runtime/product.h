/*
 * product: products that a library computes on the CPU, found with dlopen when
 * a plan needs one. openblas.c and onednn.c know the libraries, product.c
 * shares a product out to our workers.
 *
 * A product is cut into parts by its plan alone, and a part is one call of the
 * library on the thread of one worker: what the library does with threads of
 * its own, which may be another order of a sum for each number of them, is
 * switched off for as long as a call takes.
 */
#ifndef TENON_RUNTIME_PRODUCT_H
#define TENON_RUNTIME_PRODUCT_H

#include "runtime/runtime.h"

typedef enum ProductLibrary {
	PRODUCT_OPENBLAS,
	PRODUCT_ONEDNN,
	PRODUCT_LIBRARIES,
} ProductLibrary;

typedef enum ProductType {
	PRODUCT_F32,
	PRODUCT_F64,
	PRODUCT_BF16,
} ProductType;

/* Element (i, j) of batch b is the buffer's first + i row + j column +
 * b batch; row or column is 1. */
typedef struct ProductMatrix {
	ProductType type;
	uint32_t buffer; /* of the launch */
	int64_t first, row, column, batch;
} ProductMatrix;

/*
 * out = left right of every batch, in down x across parts. Sums of f32 and
 * bf16 are in f32, of f64 in f64.
 */
struct Product {
	const char *name; /* of the launch, for messages */
	uint32_t value;   /* for status */
	ProductLibrary library;
	int64_t rows, columns, depth, batches, down, across;
	ProductMatrix out, left, right;
	/* of product_prepare */
	int64_t part_rows, part_columns; /* but for the last ones */
	size_t scratch;                  /* bytes a worker */
	void *own;                       /* the library's */
};

/* A part: what is multiplied, rows x columns of the result. */
typedef struct ProductPart {
	int64_t rows, columns;
	void *out;
	const void *left, *right;
	char *scratch;
} ProductPart;

/*
 * Finds the library; *version, of its name, version and whatever else decides
 * its bits on this machine, is part of a plan's identity. False: reported.
 */
bool product_library(Ctx *ctx, Arena *a, ProductLibrary l,
		     const char **version);
/*
 * Settles all that the sizes decide; a holds it, and frees the library's own.
 * False: reported, where the library has no such product.
 */
bool product_prepare(Ctx *ctx, Arena *a, Product *p);
/* Of launches that have a product; its status may be TN_FAULT_LIBRARY, with
 * what the library returned as its index. */
TnKernel product_kernel;
#define TN_FAULT_LIBRARY 100
/* Of hints. */
#define PRODUCT_LEAVE_OUT "leave the pin library.product out"

/* ---- the libraries (openblas.c, onednn.c) ----------------------------- */

typedef struct ProductCalls {
	const char *title;
	bool (*version)(Ctx *ctx, Arena *a, const char **out);
	bool (*prepare)(Ctx *ctx, Arena *a, Product *p);
	/* The library's threads for this thread's calls: one, and as before. */
	int (*enter)(void);
	void (*leave)(int before);
	/* 0, or what the library says went wrong */
	int (*part)(const Product *p, const ProductPart *part);
} ProductCalls;
extern const ProductCalls product_openblas, product_onednn;

/*
 * The first of n files that can be loaded, NULL: none. It stays: a library's
 * threads outlive it badly.
 */
void *product_load(const char *const *files, size_t n);
/* Fills entry by name; the first name that is missing, or NULL. */
const char *product_symbols(void *library, const char *const *names, size_t n,
			    void **entry);

#endif
