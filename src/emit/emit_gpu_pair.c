/*
 * emit_gpu_pair: 16-bit floats two at a time, in CUDA C.
 *
 * An unrolled loop in which such floats are but loaded, rounded, added,
 * subtracted, multiplied, compared and stored takes two of its elements at
 * once, in a word: half as many instructions, and no conversions to f32 and
 * back. The bits are those of the f32 operation rounded to 16 bits, since f32
 * has more than twice their precision and two bits (Figueroa, "When is double
 * rounding innocuous?", 1995).
 *
 * Registers of 16-bit floats that such a loop touches, or that RUNS fills, are
 * packed: words of two elements. All other registers hold them as f32.
 */
#include "emit/emit_gpu.h"

#include <inttypes.h>
#include <string.h>

/* ---- what is taken in pairs ------------------------------------------ */

static bool is_half(DType d)
{
	return d == DT_F16 || d == DT_BF16;
}

static bool is_register(const Emit *e, uint32_t buffer)
{
	return e->k->buffers.p[buffer].scope == SCOPE_REG;
}

/* x at the element after. */
static Ex after(Emit *e, Ex x, int64_t axis)
{
	size_t n = (size_t)e->k->naxes;
	Ex *with = arena_array(e->arena, Ex, n);

	for (size_t i = 0; i < n; i++)
		with[i] = ex_axis(e->t, (int64_t)i);
	with[axis] = ex_add(e->t, with[axis], ex_const(e->t, 1));
	return ex_subst_axes(e->t, x, with, n);
}

/* How the number x moves from an element to the next; -1: otherwise. */
static int64_t step_of(Emit *e, Ex x, int64_t axis)
{
	int64_t n;

	return ex_is_const(e->t, ex_sub(e->t, after(e, x, axis), x), &n) ? n
									 : -1;
}

/* Elements of registers next to each other, of which the first of a pair has an
 * even place. */
static bool is_in_order(Emit *e, const Stmt *s, int64_t axis)
{
	int last = s->nindex - 1;
	Ex from = ex_sub(e->t, s->index[last], ex_axis(e->t, axis));

	for (int d = 0; d < last; d++)
		if (ex_uses_axis(e->t, s->index[d], axis))
			return false;
	return !ex_uses_axis(e->t, from, axis) &&
	       ex_equals(e->t, ex_mod(e->t, from, ex_const(e->t, 2)), 0);
}

static bool is_paired_op(const Stmt *s)
{
	static const Op ops[] = {OP_ADD,     OP_SUB,     OP_MUL,
				 OP_MAXIMUM, OP_MINIMUM, OP_NEG};

	for (size_t i = 0; i < ARRAY_LEN(ops); i++)
		if (s->op == ops[i])
			return s->dtype == s->from;
	return false;
}

static bool is_pairable(Emit *e, const Stmt *s, int64_t axis)
{
	bool half = is_half(s->dtype);

	if (s->var != NO_VAR && !e->vars[s->var].live)
		return true;
	if (s->kind == ST_LOAD && !is_register(e, s->buffer))
		return half && !s->nconds && s->nindex &&
		       e->k->buffers.p[s->buffer].scope != SCOPE_WORKER &&
		       step_of(e, ec_linear(e, s), axis) >= 0;
	if (s->kind == ST_LOAD)
		return (half || s->dtype == DT_F32) && !s->nconds &&
		       is_in_order(e, s, axis);
	if (s->kind == ST_STORE)
		return half && is_register(e, s->buffer) &&
		       is_in_order(e, s, axis);
	return half &&
	       ((s->kind == ST_ROUND && s->from == DT_F32) ||
		(s->kind == ST_OP && is_paired_op(s)) || s->kind == ST_CONST);
}

/* What else may not touch registers that are packed. */
static bool is_plain(const Emit *e, const StmtList *l, uint32_t buffer)
{
	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		if (s->kind == ST_DOT && (s->dot->in[0].buffer == buffer ||
					  s->dot->in[1].buffer == buffer))
			return true;
		if (is_plain(e, &s->body, buffer) ||
		    is_plain(e, &s->orelse, buffer))
			return true;
	}
	return false;
}

/* Whether its registers can be words: whole ones, of a thread. */
static bool can_pack(const Emit *e, const Phase *ph, uint32_t buffer)
{
	const KBuffer *b = &e->k->buffers.p[buffer];
	int64_t n;

	return b->scope == SCOPE_REG && is_half(b->dtype) && b->rank > 1 &&
	       eg_by_thread(e, b, ph) &&
	       ex_is_const(e->t, b->shape[b->rank - 1], &n) && n % 2 == 0 &&
	       !e->reg_lanes[buffer] && !is_plain(e, &ph->body, buffer);
}

static int count_stores(const StmtList *l, uint32_t buffer)
{
	int n = 0;

	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		n += (s->kind == ST_STORE && s->buffer == buffer) +
		     count_stores(&s->body, buffer) +
		     count_stores(&s->orelse, buffer);
	}
	return n;
}

static bool is_paired(Emit *e, const Phase *ph, const Stmt *loop)
{
	int64_t n;
	bool any = false;

	if (loop->map != MAP_UNROLL || !ex_is_const(e->t, loop->extent, &n) ||
	    n % 2)
		return false;
	for (size_t i = 0; i < loop->body.n; i++) {
		const Stmt *s = loop->body.p[i];
		if (!is_pairable(e, s, loop->axis))
			return false;
		if (s->kind != ST_STORE)
			continue;
		/* single elements would be put into words one by one */
		if (!can_pack(e, ph, s->buffer) ||
		    count_stores(&ph->body, s->buffer) !=
			    count_stores(&loop->body, s->buffer))
			return false;
		any = true;
	}
	return any;
}

static void pack(Emit *e, uint32_t buffer)
{
	e->packed[buffer] = true;
	e->pairs[e->k->buffers.p[buffer].dtype == DT_BF16] = true;
}

static void find(Emit *e, const Phase *ph, const StmtList *l, bool vector)
{
	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		bool in = vector || s->map == MAP_VECTOR;
		if (s->kind == ST_RUNS && can_pack(e, ph, s->buffer))
			pack(e, s->buffer);
		find(e, ph, &s->orelse, vector);
		find(e, ph, &s->body, s->kind == ST_FOR ? in : vector);
		if (s->kind != ST_FOR || !vector || !is_paired(e, ph, s))
			continue;
		VEC_PUSH(e->arena, e->paired, s);
		for (size_t j = 0; j < s->body.n; j++) {
			const Stmt *x = s->body.p[j];
			bool reg = x->kind == ST_LOAD || x->kind == ST_STORE;
			if (reg && can_pack(e, ph, x->buffer))
				pack(e, x->buffer);
		}
	}
}

void eg_pair_find(Emit *e, const Phase *ph)
{
	e->paired.n = 0;
	e->packed = arena_array(e->arena, bool, e->k->buffers.n + 1);
	if (e->dialect == CD_CUDA)
		find(e, ph, &ph->body, false);
}

bool eg_is_paired(const Emit *e, const Stmt *loop)
{
	for (size_t i = 0; i < e->paired.n; i++)
		if (e->paired.p[i] == loop)
			return true;
	return false;
}

/* ---- functions ------------------------------------------------------- */

/* $: f16 or bf16. [PTX ISA 8.5, "Half Precision Floating Point Instructions"
 * and "cvt"] */
static const char functions[] =
	"\nstatic __device__ __forceinline__ unsigned tn_two_$(float a, float "
	"b)\n"
	"{\n"
	"\tunsigned w;\n"
	"\n"
	"\tasm(\"cvt.rn.$x2.f32 %0, %1, %2;\" : \"=r\"(w) : \"f\"(b), "
	"\"f\"(a));\n"
	"\treturn w;\n"
	"}\n";

static const char arithmetic[] =
	"\nstatic __device__ __forceinline__ unsigned tn_two_~_$(unsigned a, "
	"unsigned b)\n"
	"{\n"
	"\tunsigned w;\n"
	"\n"
	"\tasm(\"@.$x2 %0, %1, %2;\" : \"=r\"(w) : \"r\"(a), \"r\"(b));\n"
	"\treturn w;\n"
	"}\n";

/* Before sm_90 there are only multiply-adds of bf16: a * 1 + b, b * -1 + a, and
 * a * b + -0, to the same bits. */
static const char multiply_add[] =
	"\nstatic __device__ __forceinline__ unsigned tn_two_~_bf16(unsigned "
	"a, "
	"unsigned b)\n"
	"{\n"
	"\tunsigned w;\n"
	"\n"
	"#if __CUDA_ARCH__ >= 900\n"
	"\tasm(\"~.rn.bf16x2 %0, %1, %2;\" : \"=r\"(w) : \"r\"(a), "
	"\"r\"(b));\n"
	"#else\n"
	"\tasm(\"fma.rn.bf16x2 %0, %1, %2, %3;\" : \"=r\"(w) : @);\n"
	"#endif\n"
	"\treturn w;\n"
	"}\n";

/* The text with ~ and @ and $ replaced. */
static void put(Buf *out, const char *text, const char *name, const char *how,
		const char *dtype)
{
	for (; *text; text++) {
		const char *x = *text == '~'   ? name
				: *text == '@' ? how
				: *text == '$' ? dtype
					       : NULL;
		if (x)
			buf_puts(out, x);
		else
			buf_putc(out, *text);
	}
}

void eg_pair_head(const Emit *e, Buf *out)
{
	static const char *const two[2] = {"f16", "bf16"};

	for (int i = 0; i < 2; i++) {
		if (!e->pairs[i])
			continue;
		put(out, functions, "", "", two[i]);
		put(out, arithmetic, "maximum", "max.NaN", two[i]);
		put(out, arithmetic, "minimum", "min.NaN", two[i]);
	}
	if (e->pairs[0]) {
		put(out, arithmetic, "add", "add.rn", "f16");
		put(out, arithmetic, "sub", "sub.rn", "f16");
		put(out, arithmetic, "mul", "mul.rn", "f16");
	}
	if (e->pairs[1]) {
		put(out, multiply_add, "add",
		    "\"r\"(a), \"r\"(0x3f803f80u), \"r\"(b)", "bf16");
		put(out, multiply_add, "sub",
		    "\"r\"(b), \"r\"(0xbf80bf80u), \"r\"(a)", "bf16");
		put(out, multiply_add, "mul",
		    "\"r\"(a), \"r\"(b), \"r\"(0x80008000u)", "bf16");
	}
}

/* ---- single elements of what is packed -------------------------------- */

const char *eg_word(Emit *e, const Stmt *s, const Phase *ph)
{
	const KBuffer *b = &e->k->buffers.p[s->buffer];
	Buf text;

	e->buffer_used[s->buffer] = true;
	buf_init(&text, e->arena);
	buf_printf(&text, "r_%s", b->name);
	for (int d = eg_by_thread(e, b, ph) ? 1 : 0; d < s->nindex; d++) {
		Ex x = s->index[d];
		if (d + 1 == s->nindex)
			x = ex_div(e->t, x, ex_const(e->t, 2));
		buf_printf(&text, "[%s]", ec_bare(e, ec_ex_raw(e, x)));
	}
	return buf_str(&text);
}

/* Bits below the element in its word. */
static const char *half_of(Emit *e, const Stmt *s)
{
	Ex x = ex_mod(e->t, s->index[s->nindex - 1], ex_const(e->t, 2));

	return ec_ex_raw(e, ex_mul(e->t, x, ex_const(e->t, 16)));
}

const char *eg_reg_load(Emit *e, const Stmt *s, const Phase *ph,
			const Stmt *loop)
{
	if (!e->packed[s->buffer])
		return eg_reg(e, s, ph, loop);
	return arena_printf(e->arena, "%s((uint16_t)(%s >> %s))",
			    ec_fn(e, "unpack", s->dtype, 0), eg_word(e, s, ph),
			    half_of(e, s));
}

void eg_reg_store(Emit *e, const Stmt *s, const char *x, const Phase *ph,
		  const Stmt *loop)
{
	if (!e->packed[s->buffer]) {
		ec_line(e, "%s = %s;\n", eg_reg(e, s, ph, loop), x);
		return;
	}
	const char *word = eg_word(e, s, ph), *half = half_of(e, s);
	ec_line(e, "%s = (%s & ~(0xffffu << %s)) | (unsigned)%s(%s) << %s;\n",
		word, word, half, ec_fn(e, "pack", s->dtype, 0), x, half);
}

/* ---- a pair ---------------------------------------------------------- */

static const char *fn(Emit *e, const char *op, DType d)
{
	return arena_printf(e->arena, "tn_two%s%s_%s", op ? "_" : "",
			    op ? op : "", dtype_info[d].name);
}

static bool is_made_in(const Stmt *loop, VarId v)
{
	for (size_t i = 0; i < loop->body.n; i++)
		if (loop->body.p[i]->var == v)
			return true;
	return false;
}

/* A word of the variable, which may be one element of around the loop. */
static const char *word_of(Emit *e, const Stmt *pairs, VarId v, DType d)
{
	return is_made_in(pairs, v) ? arena_printf(e->arena, "v%u", v)
				    : arena_printf(e->arena, "%s(v%u, v%u)",
						   fn(e, NULL, d), v, v);
}

/* Its second element. */
static Stmt next(Emit *e, const Stmt *s)
{
	Stmt one = *s;
	Ex *last = &one.index[s->nindex - 1];

	*last = ex_add(e->t, *last, ex_const(e->t, 1));
	return one;
}

static void load_memory(Emit *e, const Stmt *s, int64_t axis)
{
	const char *name = ec_buffer(e, s->buffer);
	Ex at = ec_linear(e, s);
	const char *x = ec_ex_raw(e, at);
	Ex *with = arena_array(e->arena, Ex, (size_t)e->k->naxes);

	e->buffer_used[s->buffer] = true;
	for (int64_t i = 0; i < e->k->naxes; i++)
		with[i] = ex_axis(e->t, i);
	with[axis] = ex_const(e->t, 0);
	Ex first = ex_subst_axes(e->t, at, with, (size_t)e->k->naxes);
	int64_t step = step_of(e, at, axis);
	bool even = ex_equals(e->t, ex_mod(e->t, first, ex_const(e->t, 2)), 0);
	buf_indent(e->out, e->depth);
	if (step == 0)
		buf_printf(e->out, "const unsigned v%u = %s[%s] * 0x10001u;\n",
			   s->var, name, x);
	else if (step == 1 && even)
		buf_printf(e->out,
			   "const unsigned v%u = *(const unsigned *)(%s + "
			   "%s);\n",
			   s->var, name, x);
	else
		buf_printf(e->out,
			   "const unsigned v%u = %s[%s] | (unsigned)%s[%s + "
			   "%" PRId64 "] << 16;\n",
			   s->var, name, x, name, x, step);
}

static void load(Emit *e, const Stmt *s, const Stmt *pairs, const Phase *ph,
		 const Stmt *loop)
{
	Stmt second = next(e, s);

	if (!is_register(e, s->buffer)) {
		load_memory(e, s, pairs->axis);
	} else if (s->dtype == DT_F32) {
		ec_line(e, "const float v%u_0 = %s;\n", s->var,
			eg_reg(e, s, ph, loop));
		ec_line(e, "const float v%u_1 = %s;\n", s->var,
			eg_reg(e, &second, ph, loop));
	} else if (e->packed[s->buffer]) {
		ec_line(e, "const unsigned v%u = %s;\n", s->var,
			eg_word(e, s, ph));
	} else {
		ec_line(e, "const unsigned v%u = %s(%s, %s);\n", s->var,
			fn(e, NULL, s->dtype), eg_reg(e, s, ph, loop),
			eg_reg(e, &second, ph, loop));
	}
}

static void operation(Emit *e, const Stmt *s, const Stmt *pairs)
{
	const char *a = word_of(e, pairs, s->args[0], s->dtype);

	if (s->op == OP_NEG)
		ec_line(e, "const unsigned v%u = %s ^ 0x80008000u;\n", s->var,
			a);
	else
		ec_line(e, "const unsigned v%u = %s(%s, %s);\n", s->var,
			fn(e, cfuncs_op(s->op), s->dtype), a,
			word_of(e, pairs, s->args[1], s->dtype));
}

static void statement(Emit *e, const Stmt *s, const Stmt *pairs,
		      const Phase *ph, const Stmt *loop)
{
	uint16_t bits = 0;

	if (s->var != NO_VAR && !e->vars[s->var].live)
		return;
	if (s->kind != ST_LOAD)
		ec_comment(e, s);
	if (s->kind == ST_LOAD) {
		load(e, s, pairs, ph, loop);
	} else if (s->kind == ST_STORE) {
		ec_line(e, "%s = %s;\n", eg_word(e, s, ph),
			word_of(e, pairs, s->args[0], s->dtype));
	} else if (s->kind == ST_ROUND) {
		bool two = is_made_in(pairs, s->args[0]);
		ec_line(e,
			two ? "const unsigned v%u = %s(v%u_0, v%u_1);\n"
			    : "const unsigned v%u = %s(v%u, v%u);\n",
			s->var, fn(e, NULL, s->dtype), s->args[0], s->args[0]);
	} else if (s->kind == ST_CONST) {
		memcpy(&bits, s->data, sizeof(bits));
		ec_line(e, "const unsigned v%u = 0x%04x%04xu;\n", s->var, bits,
			bits);
	} else {
		operation(e, s, pairs);
	}
}

void eg_pair_loop(Emit *e, const Stmt *s, const Phase *ph, const Stmt *loop)
{
	int64_t n = 0;

	bug_if(!ex_is_const(e->t, s->extent, &n));
	buf_indent(e->out, e->depth);
	buf_puts(e->out, "#pragma unroll\n");
	ec_line(e,
		"for (%s i%" PRId64 " = 0; i%" PRId64 " < %" PRId64
		"; i%" PRId64 " += 2) {\n",
		ec_index_type(e), s->axis, s->axis, n, s->axis);
	e->depth++;
	for (size_t i = 0; i < s->body.n; i++)
		statement(e, s->body.p[i], s, ph, loop);
	e->depth--;
	ec_line(e, "}\n");
}
