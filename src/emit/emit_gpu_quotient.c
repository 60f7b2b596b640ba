/*
 * emit_gpu_quotient: a run of elements divided by what they share.
 *
 * Division is some 14 instructions and a branch; with the reciprocal known it
 * is four, and as many that ask whether they were right to the last bit. Where
 * they were not for an element of the run, all of it is computed again as it
 * stands. With y = 1 / b rounded and l what that lacks, q = a y + a l is within
 * an ulp of a / b, and q + (a - q b) y rounds as division does (Markstein,
 * "IA-64 and Elementary Functions", 2000, theorem 8.6) where the remainder is
 * exact: for b in 2^-26 .. 2^26 and |a| from 2^-99 on, or 0. What overflows or
 * is no number ends as NaN.
 */
#include "emit/emit_gpu.h"

#include "ir/kernel_text.h"

#define LEAST_RUN 4 /* elements: fewer do not pay for the questions */

static bool defines(const StmtList *l, VarId v)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->p[i]->var == v)
			return true;
	return false;
}

/* Whether the statement may run twice, and nothing but registers sees it. */
static bool is_pure(const Emit *e, const Stmt *s)
{
	bool reg = (s->kind == ST_LOAD || s->kind == ST_STORE) &&
		   e->k->buffers.p[s->buffer].scope == SCOPE_REG;

	return reg || (s->kind == ST_OP && !kstmt_may_fault(s)) ||
	       s->kind == ST_CONST || s->kind == ST_MAC ||
	       s->kind == ST_ROUND || s->kind == ST_KEEP;
}

VarId eg_divisor(Emit *e, const Stmt *loop)
{
	VarId by = NO_VAR;
	int64_t n;

	if (loop->map != MAP_UNROLL || !ex_is_const(e->t, loop->extent, &n) ||
	    n < LEAST_RUN)
		return NO_VAR;
	for (size_t i = 0; i < loop->body.n; i++) {
		const Stmt *s = loop->body.p[i];
		if (!is_pure(e, s))
			return NO_VAR;
		if (s->kind == ST_OP && s->op == OP_DIV && s->from == DT_F32 &&
		    e->vars[s->var].live && by == NO_VAR &&
		    !defines(&loop->body, s->args[1]) &&
		    s->args[0] != s->args[1])
			by = s->args[1];
	}
	return by;
}

void eg_divide(Emit *e, const Stmt *s)
{
	ec_line(e, "%stn_quotient(v%u, v%u, tn_y, tn_l, &tn_far);\n",
		ec_declare(e, s, 0), s->args[0], s->args[1]);
}

void eg_divisor_parts(Emit *e, VarId by)
{
	const char *type = ec_type(e, DT_F32, 0);

	e->divides = true;
	ec_line(e, "const %s tn_y = %s(1.0f, v%u);\n", type,
		ec_fn(e, "div", DT_F32, 0), by);
	ec_line(e, "const %s tn_l = %s(-tn_y, v%u, 1.0f) * tn_y;\n", type,
		e->dialect == CD_CUDA ? "fmaf" : "fma", by);
	ec_line(e, "int tn_far = !(v%u >= 0x1p-26f && v%u <= 0x1p26f);\n", by,
		by);
}

void eg_quotient_head(const Emit *e, Buf *out)
{
	bool cuda = e->dialect == CD_CUDA;
	const char *fma = cuda ? "fmaf" : "fma", *f = cuda ? "f" : "";

	if (!e->divides)
		return;
	buf_printf(out,
		   "\n%s float\n"
		   "tn_quotient(float a, float b, float y, float l, int *far)\n"
		   "{\n"
		   "\tunsigned twice = %s(a) << 1;\n"
		   "\tfloat q = %s(a, y, a * l);\n"
		   "\n"
		   "\tq = %s(%s(-q, b, a), y, q);\n"
		   "\t*far |= twice - 1 < 0x1bffffff;\n"
		   "\t*far |= q != q;\n"
		   "\treturn copysign%s(q, a);\n"
		   "}\n",
		   cuda ? "static __device__ __forceinline__" : "static",
		   cuda ? "__float_as_uint" : "as_uint", fma, fma, fma, f);
}
