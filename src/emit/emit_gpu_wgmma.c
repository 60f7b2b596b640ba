/*
 * emit_gpu_wgmma: products by the matrix unit of sm_90a, in PTX.
 *
 * wgmma reads both operands from the block's memory, by descriptors of swizzled
 * rows of 128 bytes (ir/kernel.h, KBuffer): groups of eight of them are 1024
 * bytes apart, and where k is the first axis the panels of 64 elements are a
 * whole panel apart. Four warps make one, 64 rows of the tile by all of its
 * columns; their sums lie in registers as mma's do. The compiler is kept from
 * moving what reads the sums before the SETTLE of all.
 * [PTX ISA 8.5, "Asynchronous warpgroup-level matrix instructions" and "Matrix
 * descriptor format"]
 */
#include "emit/emit_gpu.h"

#include <inttypes.h>

#define GROUP_BYTES (8 * SWIZZLE_BYTES)

/* ---- functions ------------------------------------------------------- */

static const char functions[] =
	"\nstatic __device__ __forceinline__ void tn_wgmma_open()\n"
	"{\n"
	"\tasm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\");\n"
	"}\n"
	"\nstatic __device__ __forceinline__ void tn_wgmma_commit()\n"
	"{\n"
	"\tasm volatile(\"wgmma.commit_group.sync.aligned;\" ::: "
	"\"memory\");\n"
	"}\n"
	"\ntemplate <int left>\n"
	"static __device__ __forceinline__ void tn_wgmma_wait()\n"
	"{\n"
	"\tasm volatile(\"wgmma.wait_group.sync.aligned %0;\" :: \"n\"(left) "
	": \"memory\");\n"
	"}\n"
	"\nstatic __device__ __forceinline__ uint64_t\n"
	"tn_descriptor(const void *at, unsigned leading)\n"
	"{\n"
	"\tunsigned low = (unsigned)__cvta_generic_to_shared(at) >> 4 & "
	"0x3fff;\n"
	"\n"
	"\treturn low | (uint64_t)(leading >> 4) << 16 |\n"
	"\t       (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;\n"
	"}\n";

/* One instruction; its sums are named one by one. */
static void put_instruction(Buf *out, const Stmt *s)
{
	int64_t columns = s->dot->columns / MMA_COLUMNS, n = 4 * columns;
	bool real = s->dtype == DT_F32;
	DotNames names = eg_dot_names(s);

	buf_printf(out,
		   "\nstatic __device__ __forceinline__ void\n"
		   "tn_wgmma(%s (&c)[%" PRId64
		   "][2][2], uint64_t a, uint64_t b)\n"
		   "{\n"
		   "\tasm volatile(\"wgmma.mma_async.sync.aligned.m64n%" PRId64
		   "%s.%s.%s.%s \"\n\t\t     \"{",
		   eg_sum_type(s), columns, s->dot->columns, names.k, names.sum,
		   names.in, names.in);
	for (int64_t i = 0; i < n; i++)
		buf_printf(out, "%s%%%" PRId64, i ? ", " : "", i);
	/* added to what is there; not negated; which way 16 bits lie */
	buf_printf(out, "}, %%%" PRId64 ", %%%" PRId64 ", 1", n, n + 1);
	if (real)
		buf_puts(out, ", 1, 1");
	if (real && dtype_info[s->from].bytes == 2)
		buf_printf(out, ", %d, %d", s->dot->turned[0],
			   s->dot->turned[1]);
	buf_puts(out, ";\"\n\t\t     : ");
	for (int64_t i = 0; i < n; i++)
		buf_printf(out, "%s\"+%c\"(c[%" PRId64 "][%d][%d])",
			   i ? ", " : "", real ? 'f' : 'r', i / 4,
			   (int)(i / 2 % 2), (int)(i % 2));
	buf_puts(out, "\n\t\t     : \"l\"(a), \"l\"(b));\n}\n");
}

/* Keeps the compiler from moving what touches the sums to before it. */
static void put_sums(Buf *out, const Stmt *s)
{
	int64_t columns = s->dot->columns / MMA_COLUMNS;
	char is = s->dtype == DT_F32 ? 'f' : 'r';

	buf_printf(out,
		   "\nstatic __device__ __forceinline__ void\n"
		   "tn_wgmma_sums(%s (&c)[%" PRId64 "][2][2])\n"
		   "{\n"
		   "#pragma unroll\n"
		   "\tfor (int j = 0; j < %" PRId64 "; j++)\n"
		   "\t\tasm volatile(\"\" : \"+%c\"(c[j][0][0]), "
		   "\"+%c\"(c[j][0][1]), \"+%c\"(c[j][1][0]), "
		   "\"+%c\"(c[j][1][1]) :: \"memory\");\n"
		   "}\n",
		   eg_sum_type(s), columns, columns, is, is, is, is);
}

/* Functions for the tiles of each phase, that differ by their columns. */
void eg_wgmma_head(const Emit *e, Buf *out)
{
	buf_puts(out, functions);
	for (size_t i = 0; i < e->k->phases.n; i++) {
		const Stmt *dot = eg_dot_of(&e->k->phases.p[i]);
		bool known = !dot;
		for (size_t k = 0; k < i && !known; k++) {
			const Stmt *other = eg_dot_of(&e->k->phases.p[k]);
			known = other &&
				other->dot->columns == dot->dot->columns;
		}
		if (known)
			continue;
		put_instruction(out, dot);
		put_sums(out, dot);
	}
}

/* ---- a tile ---------------------------------------------------------- */

/* The descriptor of an operand's first step, named; what is added to it for the
 * next one, in units of 16 bytes. */
static int64_t open_descriptor(Emit *e, const Stmt *s, int o, const char *name)
{
	const KDot *d = s->dot;
	const KBuffer *b = &e->k->buffers.p[d->in[o].buffer];
	int64_t bytes = dtype_info[s->from].bytes, lines = 0;
	const char *part = "";
	Ex x = ex_const(e->t, 0);

	for (int i = 0; i < d->in[o].nindex; i++)
		x = ex_add(e->t, ex_mul(e->t, x, b->shape[i]),
			   d->in[o].index[i]);
	bug_if(!ex_is_const(e->t, b->shape[b->rank - 2], &lines));
	/* 64 rows for each four warps: a panel, or as many rows of memory */
	int64_t rows = d->turned[o] ? lines : 64;
	if (o == 0 && d->rows > 64)
		part = arena_printf(e->arena, " + tn_t / 128 * %" PRId64,
				    rows * SWIZZLE_BYTES / bytes);
	ec_line(e,
		"const uint64_t %s = tn_descriptor(%s + %s%s, %" PRId64 ");\n",
		name, ec_buffer(e, d->in[o].buffer),
		ec_ex_raw(e, ec_subst(e, x)), part,
		d->turned[o] ? lines * SWIZZLE_BYTES : 16);
	return (d->turned[o] ? 2 * GROUP_BYTES : MMA_BYTES) / 16;
}

void eg_wgmma(Emit *e, const Stmt *s)
{
	const char *sums = e->k->buffers.p[s->buffer].name;
	int64_t steps = 0;

	bug_if(!ex_is_const(e->t, s->dot->steps, &steps));
	ec_line(e, "{\n");
	e->depth++;
	int64_t a = open_descriptor(e, s, 0, "tn_a");
	int64_t b = open_descriptor(e, s, 1, "tn_b");
	ec_line(e, "tn_wgmma_open();\n");
	buf_puts(e->out, "#pragma unroll\n");
	ec_line(e, "for (int s = 0; s < %" PRId64 "; s++)\n", steps);
	ec_line(e,
		"\ttn_wgmma(r_%s[0], tn_a + s * %" PRId64
		", tn_b + s * %" PRId64 ");\n",
		sums, a, b);
	ec_line(e, "tn_wgmma_commit();\n");
	e->depth--;
	ec_line(e, "}\n");
}

void eg_settle(Emit *e, const Stmt *s, const Phase *ph)
{
	const Stmt *dot = eg_dot_of(ph);

	if (!dot)
		return;
	ec_line(e, "tn_wgmma_wait<%d>();\n", s->bit);
	if (s->bit == 0)
		ec_line(e, "tn_wgmma_sums(r_%s[0]);\n",
			e->k->buffers.p[dot->buffer].name);
}
