/*
 * tn_num: the numbers that a text can write, kept exactly until a dtype is
 * known, then rounded once. Used by the builder and by its tests.
 */
#ifndef TENON_FRONT_TN_NUM_H
#define TENON_FRONT_TN_NUM_H

#include "ir/program.h"

typedef enum NumberKind {
	NUMBER_INT,   /* magnitude, unless it needs more than 64 bits */
	NUMBER_FLOAT, /* digits * 10^exponent */
	NUMBER_INF,
	NUMBER_NAN,
} NumberKind;

typedef struct Number {
	NumberKind kind;
	bool negative;
	bool big; /* NUMBER_INT beyond 64 bits: only digits hold it */
	uint64_t magnitude;
	const char *digits; /* decimal digits without point, at least one */
	int64_t exponent;   /* power of ten of the last digit */
	const char *text;   /* as written, for messages */
} Number;

/* Reads a number token; NULL on success, else what is wrong with it. */
const char *literal_parse(Arena *a, const char *text, Number *out);
Number literal_int(Arena *a, int64_t v);
/* False when the value does not fit int64. */
bool literal_to_int64(const Number *n, int64_t *v);

typedef enum NumberFit {
	NUMBER_OK,
	NUMBER_OVERFLOWS,   /* not representable: too large or negative */
	NUMBER_NOT_INTEGER, /* a float for an integer or bool dtype */
} NumberFit;
/*
 * The number in dtype d, rounded once (to nearest, ties to even) from its
 * exact value; writes dtype_info[d].bytes bytes in native order.
 */
NumberFit literal_round(Arena *scratch, const Number *n, DType d, void *out);

#endif
