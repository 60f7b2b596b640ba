/*
 * external: a user's own kernel as its signature file describes it
 * (docs/external.md). front/external.c reads it.
 */
#ifndef TENON_IR_EXTERNAL_H
#define TENON_IR_EXTERNAL_H

#include "ir/program.h"

typedef struct ExternalTensor {
	const char *name;
	DType dtype;
	uint8_t rank;
	const char *shape[TN_MAX_RANK]; /* expressions over dims */
} ExternalTensor;

typedef struct External {
	const char *path; /* the signature file, for errors */
	const char *name, *file, *symbol;
	const char *text; /* the source; NULL: a number that is nobody's */
	VEC(ExternalTensor) inputs, results;
	VEC(const char *) args; /* names of tensors and dims, or task */
	const char *tasks;
	/* of CUDA: threads of a block, 0: a kernel of C; bytes of a block's
	 * memory that a launch gives */
	int threads;
	int64_t shared;
} External;

#define EXTERNAL_TASK "task"

/* The value of that name: an input, a result or a named value; NO_VALUE. */
ValueId external_value(const Program *p, const char *name);

#endif
