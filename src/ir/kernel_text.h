/*
 * kernel_text: what the files of stage 4 share, and what emit asks of
 * a statement.
 */
#ifndef TENON_IR_KERNEL_TEXT_H
#define TENON_IR_KERNEL_TEXT_H

#include "ir/kernel.h"

/* The line between the program and the kernels. */
#define KERNELS_LINE "kernels"

/* An OP that needs a status and the element: integer //, %, **. */
static inline bool kstmt_may_fault(const Stmt *s)
{
	return s->kind == ST_OP && op_has(s->op, 'T') &&
	       !dtype_is_float(s->from);
}

/* One kernel of the text form, without the program. */
void kernel_print(const Kernels *ks, const Kernel *k, Buf *b);

#endif
