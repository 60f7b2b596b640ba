/*
 * emit_c_dot: tiles of matrix units, and the words they take.
 *
 * Instructions are printed as assembly in small functions: the compilers'
 * own names for them differ, and are declared in headers that take longer to
 * read than a kernel takes to compile.
 *
 * A unit of vectors keeps the tile's sums in registers and takes one word of
 * each row, repeated, and a vector of words of the columns at a time. One of
 * tiles keeps them in tile registers, numbered sums first, then operand 0,
 * then operand 1; their shape is set once a call of the phase, whose DOTs all
 * have one (ir/kernel_check.c).
 */
#include "emit/emit_c.h"

#include <inttypes.h>

#define LANES 16 /* words of a vector; rows and columns of a tile register */

static const Stmt *find_dot(const StmtList *l, bool tiles)
{
	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i], *in;
		if (s->kind == ST_DOT &&
		    (!tiles || unit_info[s->dot->unit].tiles))
			return s;
		in = find_dot(&s->body, tiles);
		if (!in)
			in = find_dot(&s->orelse, tiles);
		if (in)
			return in;
	}
	return NULL;
}

/* ---- instructions ---------------------------------------------------- */

static bool is_signed(const Stmt *s)
{
	return dtype_info[s->from].cls == DTC_I;
}

static const char *instruction(const Stmt *s)
{
	switch (s->dot->unit) {
	case UNIT_AVX512_BF16:
		return "vdpbf16ps";
	case UNIT_AVX512_VNNI:
		return "vpdpbusd";
	case UNIT_AMX_BF16:
	case UNIT_AMX_F16:
		return "tdpbf16ps";
	case UNIT_AMX_INT8:
		return is_signed(s) ? "tdpbssd" : "tdpbuud";
	case UNIT_FMA:
	case UNIT_MMA:
	case UNIT_WGMMA:
	case UNIT_COUNT:
		break;
	}
	bug("dot of unit %d", (int)s->dot->unit);
}

static void tile_macros(Buf *out, const Stmt *s)
{
	buf_printf(out,
		   "\n#define TN_TILE_LOAD(t, from, stride)                    "
		   "       \\\n"
		   "\t__asm__ volatile(\"tileloadd (%%0,%%1,1), %%%%tmm\" #t"
		   "           \\\n"
		   "\t\t\t :                                             \\\n"
		   "\t\t\t : \"r\"(from), \"r\"((int64_t)(stride))      \\\n"
		   "\t\t\t : \"memory\")\n"
		   "#define TN_TILE_STORE(t, to, stride)                      "
		   "       \\\n"
		   "\t__asm__ volatile(\"tilestored %%%%tmm\" #t \","
		   " (%%0,%%1,1)\"   \\\n"
		   "\t\t\t :                                             \\\n"
		   "\t\t\t : \"r\"(to), \"r\"((int64_t)(stride))        \\\n"
		   "\t\t\t : \"memory\")\n"
		   "#define TN_TILE_ZERO(t) __asm__ volatile(\"tilezero "
		   "%%tmm\" #t)\n"
		   "#define TN_TILE_DOT(c, a, b)                              "
		   "       \\\n"
		   "\t__asm__ volatile(\"%s %%tmm\" #b \", %%tmm\" #a \", "
		   "%%tmm\" #c)\n",
		   instruction(s));
}

/* vpdpbusd takes the unsigned operand second, the signed one first. */
static void vector_function(Buf *out, const Stmt *s)
{
	const char *sum = dtype_info[s->dtype].name;
	bool swap = s->dot->unit == UNIT_AVX512_VNNI && !is_signed(s);

	buf_printf(out,
		   "\nstatic inline __attribute__((always_inline)) "
		   "tn_%s_v16\n"
		   "tn_dot(tn_%s_v16 c, tn_u32_v16 a, tn_u32_v16 b)\n"
		   "{\n"
		   "\t__asm__(\"%s %%%d, %%%d, %%0\" : \"+v\"(c) : \"v\"(a), "
		   "\"v\"(b));\n"
		   "\treturn c;\n"
		   "}\n",
		   sum, sum, instruction(s), swap ? 1 : 2, swap ? 2 : 1);
}

static bool has_bytes(const StmtList *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		if ((s->kind == ST_WORD && s->from != DT_BF16) ||
		    has_bytes(&s->body) || has_bytes(&s->orelse))
			return true;
	}
	return false;
}

/* Bytes to the lowest bits of words; gcc would widen by halves. */
static void byte_macro(Buf *out)
{
	buf_puts(out,
		 "\ntypedef char TnBytes __attribute__((vector_size(16)));\n"
		 "typedef uint8_t TnUBytes __attribute__((vector_size(16)));\n"
		 "typedef int TnWords __attribute__((vector_size(64)));\n"
		 "#if defined __AVX512F__ && !defined __clang__\n"
		 "#define TN_BYTE(x)                                         "
		 "      \\\n"
		 "\t((tn_u32_v16)__builtin_ia32_pmovzxbd512_mask(           "
		 "      \\\n"
		 "\t\t(TnBytes)(x), (TnWords){0}, -1))\n"
		 "#else\n"
		 "#define TN_BYTE(x) __builtin_convertvector((TnUBytes)(x), "
		 "tn_u32_v16)\n"
		 "#endif\n");
}

void ec_dot_head(Buf *out, const Kernel *k)
{
	const Stmt *s = NULL;
	bool bytes = false;

	for (size_t i = 0; !bytes && i < k->phases.n; i++)
		bytes = has_bytes(&k->phases.p[i].body);
	if (bytes)
		byte_macro(out);

	for (size_t i = 0; !s && i < k->phases.n; i++)
		s = find_dot(&k->phases.p[i].body, false);
	if (!s)
		return;
	if (unit_info[s->dot->unit].tiles)
		tile_macros(out, s);
	else
		vector_function(out, s);
}

/* ---- around the tasks of a phase ------------------------------------- */

static int64_t tile_rows(const KDot *d)
{
	return d->rows < LANES ? d->rows : LANES;
}

/* Bytes a row at 16, rows at 48, a register each; palette 1. */
void ec_dot_open(Emit *e, const Phase *ph)
{
	const Stmt *s = find_dot(&ph->body, true);

	if (!s)
		return;
	int64_t down = (s->dot->rows + LANES - 1) / LANES;
	int64_t across = s->dot->columns / LANES, used = down * across;
	ec_line(e, "static const struct {\n");
	ec_line(e, "\tuint8_t palette, start, unused[14];\n");
	ec_line(e, "\tuint16_t bytes[16];\n");
	ec_line(e, "\tuint8_t rows[16];\n");
	ec_line(e, "} tn_tiles = {1, 0, {0}, {");
	for (int64_t i = 0; i < used + down + across; i++)
		buf_printf(e->out, "%s%d", i ? ", " : "", UNIT_BYTES);
	buf_puts(e->out, "}, {");
	for (int64_t i = 0; i < used + down + across; i++)
		buf_printf(e->out, "%s%" PRId64, i ? ", " : "",
			   i < used + down ? tile_rows(s->dot) : LANES);
	buf_puts(e->out, "}};\n\n");
	ec_line(e,
		"__asm__ volatile(\"ldtilecfg %%0\" : : \"m\"(tn_tiles));\n");
}

void ec_dot_close(Emit *e, const Phase *ph)
{
	if (find_dot(&ph->body, true))
		ec_line(e, "__asm__ volatile(\"tilerelease\");\n");
}

/* ---- one tile -------------------------------------------------------- */

/* The place of an operand, in bytes. */
static const char *place(Emit *e, uint32_t buffer, const Ex *index,
			 uint8_t nindex)
{
	const KBuffer *b = &e->k->buffers.p[buffer];
	Ex x = ex_const(e->t, 0);

	for (int d = 0; d < nindex; d++)
		x = ex_add(e->t, ex_mul(e->t, x, b->shape[d]), index[d]);
	x = ex_simplify(e->t, &e->facts, x);
	return arena_printf(e->arena, "(%s + %s)", ec_buffer(e, buffer),
			    ec_ex(e, x));
}

/* Bytes from one row of the last axis to the next. */
static int64_t row_bytes(Emit *e, uint32_t buffer)
{
	const KBuffer *b = &e->k->buffers.p[buffer];
	int64_t n = 0;

	bug_if(!ex_is_const(e->t, b->shape[b->rank - 1], &n));
	return n * dtype_info[b->dtype].bytes;
}

/* Bytes of one step of a packed operand. */
static int64_t step_bytes(Emit *e, uint32_t buffer)
{
	const KBuffer *b = &e->k->buffers.p[buffer];
	int64_t n = 0;

	bug_if(!ex_is_const(e->t, b->shape[b->rank - 2], &n));
	return n * row_bytes(e, buffer);
}

static void next_step(Emit *e, const KDot *d)
{
	int parts = unit_info[d->unit].parts;

	ec_line(e, "tn_left += %" PRId64 ";\n",
		d->flat ? UNIT_BYTES : parts * step_bytes(e, d->in[0].buffer));
	ec_line(e, "tn_right += %" PRId64 ";\n",
		parts * step_bytes(e, d->in[1].buffer));
}

/* Whether nothing was summed before, wherever the statement runs. */
static bool from_zero(const Emit *e, const KDot *d)
{
	return ex_equals(e->t, d->before, 0);
}

/* The place of tile i among the sums, in bytes. */
static int64_t tile_at(int64_t i, int64_t across, int64_t stride)
{
	return i / across * LANES * stride + i % across * UNIT_BYTES;
}

/* Bytes from one row of operand 0 to the next, as text. */
static const char *left_stride(Emit *e, const KDot *d)
{
	const KBuffer *b = &e->k->buffers.p[d->in[0].buffer];
	Ex bytes = ex_const(e->t, dtype_info[b->dtype].bytes);

	if (!d->flat)
		return arena_printf(e->arena, "%d", UNIT_BYTES);
	return ec_ex(e, ex_mul(e->t, b->shape[b->rank - 1], bytes));
}

/* Adds the product of one part of each operand of a step. */
static void tile_parts(Emit *e, const KDot *d, int left_part, int right_part)
{
	int64_t down = (d->rows + LANES - 1) / LANES;
	int64_t across = d->columns / LANES, sums = down * across;
	int64_t left = 0, right = right_part * step_bytes(e, d->in[1].buffer);
	bool first = left_part == unit_info[d->unit].parts - 1;

	if (!d->flat)
		left = left_part * step_bytes(e, d->in[0].buffer);
	for (int64_t j = 0; first && j < across; j++)
		ec_line(e,
			"TN_TILE_LOAD(%" PRId64 ", tn_right + %" PRId64
			", %" PRId64 ");\n",
			sums + down + j, right + j * UNIT_BYTES,
			row_bytes(e, d->in[1].buffer));
	for (int64_t i = 0; i < down; i++) {
		ec_line(e,
			"TN_TILE_LOAD(%" PRId64 ", tn_left + %" PRId64
			" * %s%s, %s);\n",
			sums + i, i * LANES, left_stride(e, d),
			left ? arena_printf(e->arena, " + %" PRId64, left) : "",
			left_stride(e, d));
		for (int64_t j = 0; j < across; j++)
			ec_line(e,
				"TN_TILE_DOT(%" PRId64 ", %" PRId64 ", %" PRId64
				");\n",
				i * across + j, sums + i, sums + down + j);
	}
}

static void tile_dot(Emit *e, const Stmt *s, const char *steps)
{
	const KDot *d = s->dot;
	int64_t down = (d->rows + LANES - 1) / LANES;
	int64_t across = d->columns / LANES, sums = down * across;
	int64_t stride = row_bytes(e, s->buffer);
	int parts = unit_info[d->unit].parts;

	if (!from_zero(e, d)) {
		ec_line(e, "if (tn_before) {\n");
		e->depth++;
		for (int64_t i = 0; i < sums; i++)
			ec_line(e,
				"TN_TILE_LOAD(%" PRId64 ", tn_sum + %" PRId64
				", %" PRId64 ");\n",
				i, tile_at(i, across, stride), stride);
		e->depth--;
		ec_line(e, "} else {\n");
		e->depth++;
	}
	for (int64_t i = 0; i < sums; i++)
		ec_line(e, "TN_TILE_ZERO(%" PRId64 ");\n", i);
	if (!from_zero(e, d)) {
		e->depth--;
		ec_line(e, "}\n");
	}
	ec_line(e, "for (int64_t tn_step = 0; tn_step < %s; tn_step++) {\n",
		steps);
	e->depth++;
	for (int right = parts - 1; right >= 0; right--)
		for (int left = parts - 1; left >= 0; left--)
			tile_parts(e, d, left, right);
	next_step(e, d);
	e->depth--;
	ec_line(e, "}\n");
	for (int64_t i = 0; i < sums; i++)
		ec_line(e,
			"TN_TILE_STORE(%" PRId64 ", tn_sum + %" PRId64
			", %" PRId64 ");\n",
			i, tile_at(i, across, stride), stride);
}

/* The name of the sums of vector j in row i. */
static const char *sum_name(Emit *e, int64_t i, int64_t j)
{
	return arena_printf(e->arena, "tn_sum_%" PRId64 "_%" PRId64, i, j);
}

/*
 * One more row, of elements 128 in place of the flipped ones: what flipping
 * has added to every sum, or taken from it.
 */
static bool has_extra(const Stmt *s)
{
	return s->dot->unit == UNIT_AVX512_VNNI;
}

static void vector_loop(Emit *e, const Stmt *s, const char *steps)
{
	const KDot *d = s->dot;
	int64_t across = d->columns / LANES;
	const char *word = ec_type(e, DT_U32, LANES);
	const char *splat = ec_fn(e, "splat", DT_U32, LANES);

	ec_line(e, "for (int64_t tn_step = 0; tn_step < %s; tn_step++) {\n",
		steps);
	e->depth++;
	ec_line(e, "for (int64_t tn_at = 0; tn_at < %d; tn_at++) {\n",
		UNIT_WORDS);
	e->depth++;
	for (int64_t j = 0; j < across; j++)
		ec_line(e,
			"const %s tn_b%" PRId64 " = %s(tn_right + %" PRId64
			" * tn_at + %" PRId64 ");\n",
			word, j, ec_fn(e, "load", DT_U32, LANES),
			row_bytes(e, d->in[1].buffer), j * UNIT_BYTES);
	for (int64_t i = 0; i < d->rows; i++) {
		ec_line(e,
			"const %s tn_a%" PRId64 " = %s(%s(tn_left + %" PRId64
			" * %s + %d * tn_at));\n",
			word, i, splat, ec_fn(e, "load", DT_U32, 0), i,
			left_stride(e, d), WORD_BYTES);
		for (int64_t j = 0; j < across; j++)
			ec_line(e,
				"%s = tn_dot(%s, tn_a%" PRId64 ", tn_b%" PRId64
				");\n",
				sum_name(e, i, j), sum_name(e, i, j), i, j);
	}
	for (int64_t j = 0; has_extra(s) && j < across; j++)
		ec_line(e,
			"tn_extra_%" PRId64 " = tn_dot(tn_extra_%" PRId64
			", tn_128, tn_b%" PRId64 ");\n",
			j, j, j);
	e->depth--;
	ec_line(e, "}\n");
	next_step(e, d);
	e->depth--;
	ec_line(e, "}\n");
}

static void vector_dot(Emit *e, const Stmt *s, const char *steps)
{
	const KDot *d = s->dot;
	int64_t across = d->columns / LANES;
	int64_t stride = row_bytes(e, s->buffer);
	const char *type = ec_type(e, s->dtype, LANES);
	const char *load = ec_fn(e, "load", s->dtype, LANES);

	for (int64_t i = 0; i < d->rows * across; i++)
		ec_line(e, "%s %s = {0};\n", type,
			sum_name(e, i / across, i % across));
	if (!from_zero(e, d)) {
		ec_line(e, "if (tn_before) {\n");
		for (int64_t i = 0; i < d->rows * across; i++)
			ec_line(e, "\t%s = %s(tn_sum + %" PRId64 ");\n",
				sum_name(e, i / across, i % across), load,
				i / across * stride + i % across * UNIT_BYTES);
		ec_line(e, "}\n");
	}
	for (int64_t j = 0; has_extra(s) && j < across; j++)
		ec_line(e, "%s tn_extra_%" PRId64 " = {0};\n", type, j);
	if (has_extra(s))
		ec_line(e, "const %s tn_128 = %s(0x80808080u);\n",
			ec_type(e, DT_U32, LANES),
			ec_fn(e, "splat", DT_U32, LANES));
	vector_loop(e, s, steps);
	for (int64_t i = 0; i < d->rows * across; i++) {
		const char *name = sum_name(e, i / across, i % across);
		if (has_extra(s))
			name = arena_printf(e->arena, "%s - tn_extra_%" PRId64,
					    name, i % across);
		ec_line(e, "%s(tn_sum + %" PRId64 ", %s);\n",
			ec_fn(e, "store", s->dtype, LANES),
			i / across * stride + i % across * UNIT_BYTES, name);
	}
}

void ec_dot(Emit *e, const Stmt *s)
{
	const KDot *d = s->dot;
	Ex steps = ex_simplify(e->t, &e->facts, d->steps);
	const char *n = ec_bare(e, ec_ex(e, steps));

	ec_line(e, "{\n");
	e->depth++;
	ec_line(e, "char *const tn_sum = (char *)%s;\n",
		place(e, s->buffer, s->index, s->nindex));
	ec_line(e, "const char *tn_left = (const char *)%s;\n",
		place(e, d->in[0].buffer, d->in[0].index, d->in[0].nindex));
	ec_line(e, "const char *tn_right = (const char *)%s;\n",
		place(e, d->in[1].buffer, d->in[1].index, d->in[1].nindex));
	if (!from_zero(e, d))
		ec_line(e, "const int tn_before = %s > 0;\n",
			ec_ex(e, d->before));
	if (unit_info[d->unit].tiles)
		tile_dot(e, s, n);
	else
		vector_dot(e, s, n);
	e->depth--;
	ec_line(e, "}\n");
}

/* ---- words ----------------------------------------------------------- */

/* A bf16 lies in the upper half of an f32 register. */
void ec_word(Emit *e, const Stmt *s)
{
	const char *word = ec_type(e, DT_U32, e->lanes);
	const char *x = ec_var(e, s->args[0], s->from, e->lanes);
	const char *low;

	if (s->from == DT_BF16 && s->bit)
		low = arena_printf(e->arena, "((%s)%s & 0xffff0000u)", word, x);
	else if (s->from == DT_BF16)
		low = arena_printf(e->arena, "(%s)%s >> 16", word, x);
	else
		low = arena_printf(e->arena, "TN_BYTE(%s)", x);
	if (s->from != DT_BF16 && s->bit)
		low = arena_printf(e->arena, "%s << %d", low, s->bit);
	if (s->nargs == 2)
		low = arena_printf(e->arena, "(%s) | %s", low,
				   ec_var(e, s->args[1], DT_U32, e->lanes));
	ec_line(e, "%s%s;\n", ec_declare(e, s, e->lanes), low);
}

/* Both lie in f32 registers. The rest has 3 significant bits at most. */
void ec_part(Emit *e, const Stmt *s)
{
	const char *word = ec_type(e, DT_U32, e->lanes);
	const char *x = ec_var(e, s->args[0], s->from, e->lanes);
	const char *top = ec_type(e, s->dtype, e->lanes);

	top = arena_printf(e->arena, "(%s)((%s)%s & 0xffff0000u)", top, word,
			   x);
	if (s->bit)
		ec_line(e, "%s%s - %s;\n", ec_declare(e, s, e->lanes), x, top);
	else
		ec_line(e, "%s%s;\n", ec_declare(e, s, e->lanes), top);
}
