/*
 * emit_gpu_operand: an operand of mma.sync that is in registers already.
 *
 * A thread's sums of two tiles of 8 columns beside each other are what mma.sync
 * wants of 16 elements of a row [PTX ISA 8.5, "Matrix fragments for
 * mma.m16n8k16"], two of them in a word. Registers hold them as f32 (cfuncs.h);
 * where nothing but products reads them they are rounded when a word is made,
 * both by one instruction, and not before.
 */
#include "emit/emit_gpu.h"

/* Whether a DOT reads the buffer, and whether anything else does. */
static void find_readers(const StmtList *l, uint32_t buffer, bool *dot,
			 bool *other)
{
	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		if (s->kind == ST_DOT)
			*dot |= s->dot->in[0].buffer == buffer;
		*other |=
			(s->kind == ST_LOAD && s->buffer == buffer) ||
			(s->kind == ST_COPY && s->copy->from.buffer == buffer);
		find_readers(&s->body, buffer, dot, other);
		find_readers(&s->orelse, buffer, dot, other);
	}
}

static const Stmt *find_definition(const StmtList *l, VarId v)
{
	const Stmt *found = NULL;

	for (size_t i = 0; i < l->n && !found; i++) {
		const Stmt *s = l->p[i];
		if ((s->kind == ST_OP || s->kind == ST_ROUND) && s->var == v)
			return s;
		found = find_definition(&s->body, v);
		if (!found)
			found = find_definition(&s->orelse, v);
	}
	return found;
}

VarId eg_dot_stored(const Emit *e, const Stmt *s, const Phase *ph)
{
	bool dot = false, other = false;

	if (dtype_info[s->dtype].bytes != 2 || !dtype_is_float(s->dtype))
		return s->args[0];
	for (size_t i = 0; i < e->k->phases.n; i++)
		find_readers(&e->k->phases.p[i].body, s->buffer, &dot, &other);
	if (!dot || other)
		return s->args[0];
	const Stmt *made = find_definition(&ph->body, s->args[0]);
	bool rounds = made && made->from == DT_F32 &&
		      (made->kind == ST_ROUND || made->op == OP_CAST);
	return rounds ? made->args[0] : s->args[0];
}

/* Two values of the dtype in a word, the first in the lower half, rounded to it
 * unless they were. [PTX ISA, "cvt"] */
static const char pair_text[] =
	"\nstatic __device__ __forceinline__ unsigned tn_pair(const float "
	"(&x)[2])\n"
	"{\n"
	"\tunsigned w;\n"
	"\n"
	"\tasm(\"cvt.rn.%sx2.f32 %%0, %%1, %%2;\" : \"=r\"(w) : "
	"\"f\"(x[1]), \"f\"(x[0]));\n"
	"\treturn w;\n"
	"}\n";

void eg_operand_head(const Stmt *s, Buf *out)
{
	if (dtype_info[s->from].bytes == 2)
		buf_printf(out, pair_text, eg_dot_names(s).in);
}

void eg_operand_load(Emit *e, uint32_t buffer)
{
	e->buffer_used[buffer] = true;
	buf_puts(e->out, "#pragma unroll\n");
	ec_line(e, "\t\tfor (int j = 0; j < 4; j++)\n");
	ec_line(e,
		"\t\t\ttn_x[i][j] = tn_pair(r_%s[i][2 * s + j / 2]"
		"[j %% 2]);\n",
		e->k->buffers.p[buffer].name);
}
