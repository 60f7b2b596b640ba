/*
 * emit_gpu_move: elements moved several at a time.
 *
 * In CUDA C a copy is one load and one store of 4, 8 or 16 bytes; where the
 * copy is asynchronous and the GPU has it (sm_80), it is cp.async, which fills
 * up with zeros what it does not read. Registers hold 16-bit floats as f32
 * (cfuncs.h), so that these are converted on the way. In OpenCL C all copies
 * are element by element.
 */
#include "emit/emit_gpu.h"

#include <inttypes.h>
#include <string.h>

static bool has(const StmtList *l, StmtKind kind)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->p[i]->kind == kind || has(&l->p[i]->body, kind) ||
		    has(&l->p[i]->orelse, kind))
			return true;
	return false;
}

/* Beside what the PTX manual says of cp.async: with fewer bytes to read than to
 * write the rest is zeros, and with none the address is not used. */
static const char functions[] =
	"\ntemplate <int bytes>\n"
	"static __device__ __forceinline__ void\n"
	"tn_copy_async(void *to, const void *from, bool there)\n"
	"{\n"
	"#if __CUDA_ARCH__ >= 800\n"
	"\tunsigned at = (unsigned)__cvta_generic_to_shared(to);\n"
	"\tint size = there ? bytes : 0;\n"
	"\n"
	"\tif constexpr (bytes == 16)\n"
	"\t\tasm volatile(\"cp.async.cg.shared.global [%0], [%1], 16, "
	"%2;\"\n"
	"\t\t\t     :: \"r\"(at), \"l\"(from), \"r\"(size) : "
	"\"memory\");\n"
	"\telse\n"
	"\t\tasm volatile(\"cp.async.ca.shared.global [%0], [%1], %2, "
	"%3;\"\n"
	"\t\t\t     :: \"r\"(at), \"l\"(from), \"n\"(bytes), "
	"\"r\"(size)\n"
	"\t\t\t     : \"memory\");\n"
	"#else\n"
	"\tfor (int i = 0; i < bytes / 4; i++)\n"
	"\t\t((unsigned *)to)[i] = there ? ((const unsigned *)from)[i] : "
	"0;\n"
	"#endif\n"
	"}\n"
	"\ntemplate <int groups>\n"
	"static __device__ __forceinline__ void tn_wait()\n"
	"{\n"
	"#if __CUDA_ARCH__ >= 800\n"
	"\tasm volatile(\"cp.async.commit_group;\" ::: \"memory\");\n"
	"\tasm volatile(\"cp.async.wait_group %0;\" :: \"n\"(groups) : "
	"\"memory\");\n"
	"#endif\n"
	"}\n";

void eg_move_head(const Emit *e, Buf *out)
{
	bool any = false;

	for (size_t i = 0; i < e->k->phases.n; i++)
		any |= has(&e->k->phases.p[i].body, ST_COPY) ||
		       has(&e->k->phases.p[i].body, ST_WAIT);
	if (any && e->dialect == CD_CUDA)
		buf_puts(out, functions);
}

/* Element j of one side, as the statement that would touch it. */
static Stmt *element(Emit *e, const Stmt *s, const KOperand *o, StmtKind kind,
		     int j)
{
	Stmt *one = arena_new(e->arena, Stmt);

	*one = (Stmt){.kind = kind,
		      .var = (VarId)e->k->nvars, /* beside the kernel's own */
		      .dtype = s->dtype,
		      .buffer = o->buffer,
		      .nindex = o->nindex,
		      .value = NO_VALUE};
	memcpy(one->index, o->index, sizeof(one->index));
	if (kind == ST_STORE) {
		one->nargs = 1;
		one->args[0] = one->var;
	} else {
		one->nconds = s->nconds;
		one->conds = s->conds;
	}
	if (o->nindex) {
		Ex *last = &one->index[o->nindex - 1];
		*last = ex_add(e->t, *last, ex_const(e->t, j));
	}
	return one;
}

static bool is_register(const Emit *e, uint32_t buffer)
{
	return e->k->buffers.p[buffer].scope == SCOPE_REG;
}

/* Whether a register's element is the memory's, bit by bit. */
static bool is_plain(DType d)
{
	return d != DT_F16 && d != DT_BF16 && d != DT_BOOL;
}

static const char *pointer(Emit *e, const Stmt *s)
{
	return arena_printf(e->arena, "%s + %s", ec_buffer(e, s->buffer),
			    ec_ex_raw(e, ec_linear(e, s)));
}

static void by_element(Emit *e, const Stmt *s, const KOperand *to,
		       const Phase *ph, const Stmt *loop)
{
	const KOperand *from = &s->copy->from;
	VarId v = (VarId)e->k->nvars;

	e->vars[v] = (EVar){.live = true};
	for (int j = 0; j < s->copy->width; j++) {
		Stmt *load = element(e, s, from, ST_LOAD, j);
		Stmt *store = element(e, s, to, ST_STORE, j);
		ec_line(e, "{\n");
		e->depth++;
		if (is_register(e, from->buffer)) {
			const char *x = eg_reg_load(e, load, ph, loop);
			if (s->nconds)
				x = arena_printf(
					e->arena, "%s ? %s : 0",
					ec_conds(e, s->conds, s->nconds), x);
			ec_line(e, "%s%s;\n", ec_declare(e, load, 0), x);
		} else {
			ec_load(e, load);
		}
		if (is_register(e, to->buffer))
			eg_reg_store(e, store, arena_printf(e->arena, "v%u", v),
				     ph, loop);
		else
			ec_store(e, store);
		e->depth--;
		ec_line(e, "}\n");
	}
}

static const char *vector_type(int bytes)
{
	return bytes == 16 ? "uint4" : bytes == 8 ? "uint2" : "unsigned";
}

/* Stores all at once. Where sizes are named the compiler may not see that the
 * place is a multiple of 16 bytes, and would write words. */
static void put_whole(Emit *e, const Stmt *s, const char *type, const char *at)
{
	bool words =
		!e->narrow && e->k->buffers.p[s->buffer].scope != SCOPE_WORKER;

	if (s->stream || words)
		ec_line(e, "%s((%s *)(%s), tn_w.bits);\n",
			s->stream ? "__stcs" : "__stwb", type, at);
	else
		ec_line(e, "*(%s *)(%s) = tn_w.bits;\n", type, at);
}

/* The bits of all elements in one variable, tn_w.bits and tn_w.x[], which is
 * as memory holds them. */
static void whole(Emit *e, const Stmt *s, const KOperand *to, const Phase *ph,
		  const Stmt *loop)
{
	const KOperand *from = &s->copy->from;
	int width = s->copy->width;
	const char *type = vector_type(width * dtype_info[s->dtype].bytes);
	bool source = is_register(e, from->buffer);
	bool target = is_register(e, to->buffer);

	ec_line(e, "{\n");
	e->depth++;
	bool words = (source && e->packed[from->buffer]) ||
		     (target && e->packed[to->buffer]);
	int step = words ? 2 : 1;
	if (source || target)
		ec_line(e, "union { %s bits; %s x[%d]; } tn_w;\n", type,
			words                ? "unsigned"
			: is_plain(s->dtype) ? ec_type(e, s->dtype, 0)
					     : ec_memory_type(s->dtype),
			width / step);
	else
		ec_line(e, "struct { %s bits; } tn_w;\n", type);
	if (s->nconds) {
		ec_line(e, "tn_w.bits = %s();\n", type);
		ec_line(e, "if (%s) {\n", ec_conds(e, s->conds, s->nconds));
		e->depth++;
	}
	for (int j = 0; source && j < width; j += step) {
		Stmt *one = element(e, s, from, ST_LOAD, j);
		const char *x =
			words ? eg_word(e, one, ph) : eg_reg(e, one, ph, loop);
		if (words)
			ec_line(e, "tn_w.x[%d] = %s;\n", j / 2, x);
		else if (is_plain(s->dtype))
			ec_line(e, "tn_w.x[%d] = %s;\n", j, x);
		else
			ec_line(e, "%s(&tn_w.x[%d], %s);\n",
				ec_fn(e, "store", s->dtype, 0), j, x);
	}
	if (!source)
		ec_line(e, "tn_w.bits = *(const %s *)(%s);\n", type,
			pointer(e, element(e, s, from, ST_LOAD, 0)));
	if (s->nconds) {
		e->depth--;
		ec_line(e, "}\n");
	}
	for (int j = 0; target && j < width; j += step) {
		Stmt *one = element(e, s, to, ST_STORE, j);
		const char *x =
			words ? eg_word(e, one, ph) : eg_reg(e, one, ph, loop);
		if (words)
			ec_line(e, "%s = tn_w.x[%d];\n", x, j / 2);
		else if (is_plain(s->dtype))
			ec_line(e, "%s = tn_w.x[%d];\n", x, j);
		else
			ec_line(e, "%s = %s(&tn_w.x[%d]);\n", x,
				ec_fn(e, "load", s->dtype, 0), j);
	}
	if (!target)
		put_whole(e, s, type,
			  pointer(e, element(e, s, to, ST_STORE, 0)));
	e->depth--;
	ec_line(e, "}\n");
}

void eg_copy(Emit *e, const Stmt *s, const Phase *ph, const Stmt *loop)
{
	KOperand to = {s->buffer, s->nindex, {0}};
	const KOperand *from = &s->copy->from;

	memcpy(to.index, s->index, sizeof(to.index));
	if (e->dialect == CD_OPENCL ||
	    (is_register(e, s->buffer) && is_register(e, from->buffer))) {
		by_element(e, s, &to, ph, loop);
		return;
	}
	if (!s->copy->async) {
		whole(e, s, &to, ph, loop);
		return;
	}
	ec_line(e, "tn_copy_async<%d>(%s, %s, %s);\n",
		s->copy->width * dtype_info[s->dtype].bytes,
		pointer(e, element(e, s, &to, ST_STORE, 0)),
		pointer(e, element(e, s, from, ST_LOAD, 0)),
		s->nconds ? ec_conds(e, s->conds, s->nconds) : "true");
}

void eg_wait(Emit *e, const Stmt *s, const Phase *ph)
{
	if (ph->maps.n)
		eg_box_wait(e, s, ph);
	else if (e->dialect == CD_CUDA)
		ec_line(e, "tn_wait<%d>();\n", s->bit);
}
