/*
 * emit_gpu_dot: products by a GPU's matrix unit, in PTX.
 *
 * All threads of a block make a tile (ir/kernel.h, KDot). Each warp has its
 * part of it: of each step of 32 bytes along k it loads the rows and columns to
 * registers with ldmatrix, where mma.sync wants them, and adds all their
 * products to its sums. ldmatrix takes 8 x 8 elements of 16 bits, a row of 16
 * bytes each, and gives thread t elements 2 (t % 4) and the next of row t / 4;
 * with .trans those of the matrix turned over. Bytes lie in it two by two. [PTX
 * ISA 8.5, "Matrix fragments for mma.m16n8k16" and "ldmatrix"]
 */
#include "emit/emit_gpu.h"

#include <inttypes.h>

static const Stmt *find_dot(const StmtList *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i], *in;
		if (s->kind == ST_DOT)
			return s;
		in = find_dot(&s->body);
		if (!in)
			in = find_dot(&s->orelse);
		if (in)
			return in;
	}
	return NULL;
}

const Stmt *eg_dot_of(const Phase *ph)
{
	return find_dot(&ph->body);
}

static const Stmt *first_dot(const Emit *e)
{
	const Stmt *s = NULL;

	for (size_t i = 0; !s && i < e->k->phases.n; i++)
		s = eg_dot_of(&e->k->phases.p[i]);
	return s;
}

bool eg_has_unit(const Emit *e, MatrixUnit u)
{
	const Stmt *s = first_dot(e);

	return s && s->dot->unit == u;
}

const char *eg_sum_type(const Stmt *s)
{
	return s->dtype == DT_F32   ? "float"
	       : s->dtype == DT_I32 ? "int"
				    : "unsigned";
}

/* ---- functions ------------------------------------------------------- */

static const char ldmatrix_text[] =
	"\ntemplate <bool turned>\n"
	"static __device__ __forceinline__ void\n"
	"tn_ldmatrix(unsigned &a, unsigned &b, unsigned &c, unsigned &d, "
	"unsigned at)\n"
	"{\n"
	"\tif constexpr (turned)\n"
	"\t\tasm volatile(\"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 \"\n"
	"\t\t\t     \"{%0, %1, %2, %3}, [%4];\"\n"
	"\t\t\t     : \"=r\"(a), \"=r\"(b), \"=r\"(c), \"=r\"(d) : "
	"\"r\"(at) : \"memory\");\n"
	"\telse\n"
	"\t\tasm volatile(\"ldmatrix.sync.aligned.m8n8.x4.shared.b16 \"\n"
	"\t\t\t     \"{%0, %1, %2, %3}, [%4];\"\n"
	"\t\t\t     : \"=r\"(a), \"=r\"(b), \"=r\"(c), \"=r\"(d) : "
	"\"r\"(at) : \"memory\");\n"
	"}\n";

/*
 * Of four columns j of pairs each thread of four has its own pair; afterwards
 * it has all four pairs of one j. First neighbours exchange, so that each has
 * half of the pairs of two j, then those beyond.
 */
static const char runs_text[] =
	"\ntemplate <typename T>\n"
	"static __device__ __forceinline__ void\n"
	"tn_exchange(T &x, T &y, int with, bool upper)\n"
	"{\n"
	"\tT mine = upper ? x : y;\n"
	"\tT other = __shfl_xor_sync(0xffffffffu, mine, with);\n"
	"\n"
	"\tif (upper)\n"
	"\t\tx = other;\n"
	"\telse\n"
	"\t\ty = other;\n"
	"}\n";

DotNames eg_dot_names(const Stmt *s)
{
	switch (s->from) {
	case DT_F16:
		return (DotNames){"k16", "f32", "f16"};
	case DT_BF16:
		return (DotNames){"k16", "f32", "bf16"};
	case DT_I8:
		return (DotNames){"k32", "s32", "s8"};
	case DT_U8:
		return (DotNames){"k32", "s32", "u8"};
	case DT_F32: /* the unit ignores what TF32 has not */
		return (DotNames){"k8", "f32", "tf32"};
	case DT_F64:
	case DT_I64:
	case DT_I32:
	case DT_I16:
	case DT_U16:
	case DT_U32:
	case DT_U64:
	case DT_BOOL:
	case DT_COUNT:
		break;
	}
	bug("matrix unit and dtype %d", (int)s->from);
}

void eg_dot_head(const Emit *e, Buf *out)
{
	const Stmt *s = first_dot(e);

	if (e->runs)
		buf_puts(out, runs_text);
	if (!s)
		return;
	if (s->dot->unit == UNIT_WGMMA) {
		eg_wgmma_head(e, out);
		return;
	}
	eg_operand_head(s, out);
	char is = s->dtype == DT_F32 ? 'f' : 'r';
	DotNames n = eg_dot_names(s);
	buf_puts(out, ldmatrix_text);
	buf_printf(out,
		   "\nstatic __device__ __forceinline__ void\n"
		   "tn_mma(%s (&c)[2][2], const unsigned (&a)[4], const "
		   "unsigned (&b)[2])\n"
		   "{\n"
		   "\tasm(\"mma.sync.aligned.m16n8%s.row.col.%s.%s.%s.%s \"\n"
		   "\t    \"{%%0, %%1, %%2, %%3}, {%%4, %%5, %%6, %%7}, "
		   "{%%8, %%9}, \"\n"
		   "\t    \"{%%0, %%1, %%2, %%3};\"\n"
		   "\t    : \"+%c\"(c[0][0]), \"+%c\"(c[0][1]), "
		   "\"+%c\"(c[1][0]), \"+%c\"(c[1][1])\n"
		   "\t    : \"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2]), "
		   "\"r\"(a[3]), \"r\"(b[0]), \"r\"(b[1]));\n"
		   "}\n",
		   eg_sum_type(s), n.k, n.sum, n.in, n.in, n.sum, is, is, is,
		   is);
}

/* ---- a tile ---------------------------------------------------------- */

/* One operand of it. */
typedef struct Side {
	const char *name;    /* of its address */
	int64_t pitch;       /* bytes from one row in memory to the next */
	int64_t along, wide; /* bytes from a step, from 8 rows or columns, to
				the next */
	const char *turned;
} Side;

/*
 * The address of the row that this thread gives to ldmatrix, of the warp's
 * first step. The four matrices are, of operand 0: rows 0 and 8, then both 16
 * bytes further along k; of operand 1 the 16 bytes come first.
 */
static Side open_side(Emit *e, const Stmt *s, int o, const char *part)
{
	const KDot *d = s->dot;
	const KBuffer *b = &e->k->buffers.p[d->in[o].buffer];
	int64_t bytes = dtype_info[s->from].bytes, pitch = 0;
	Ex x = ex_const(e->t, 0);
	Side side = {.name = o ? "tn_b" : "tn_a",
		     .turned = d->turned[o] ? "true" : "false"};

	for (int i = 0; i < d->in[o].nindex; i++)
		x = ex_add(e->t, ex_mul(e->t, x, b->shape[i]),
			   d->in[o].index[i]);
	bug_if(!ex_is_const(e->t, b->shape[b->rank - 1], &pitch));
	side.pitch = pitch * bytes;
	side.along = d->turned[o] ? 16 * side.pitch : MMA_BYTES;
	side.wide = d->turned[o] ? 8 * bytes : 8 * side.pitch;
	/* which of the four matrices, and which of its rows, is the thread's */
	const char *k8 = o ? "tn_t / 8 % 2" : "tn_t / 16 % 2";
	const char *w8 = o ? "tn_t / 16 % 2" : "tn_t / 8 % 2";
	int64_t half = d->turned[o] ? 8 * side.pitch : MMA_BYTES / 2;
	ec_line(e,
		"const unsigned %s = (unsigned)__cvta_generic_to_shared(%s + "
		"%s) + %s * %" PRId64 " + %s * %" PRId64 " + %s * %" PRId64
		" + tn_t %% 8 * %" PRId64 ";\n",
		side.name, ec_buffer(e, d->in[o].buffer),
		ec_ex_raw(e, ec_subst(e, x)), part, side.wide, k8, half, w8,
		side.wide, side.pitch);
	return side;
}

void eg_dot(Emit *e, const Stmt *s, const Phase *ph)
{
	const KDot *d = s->dot;
	int64_t warps = ph->threads / MMA_THREADS, across = warps / d->down;
	int64_t rows = d->rows / d->down / MMA_ROWS;
	int64_t columns = d->columns / across / MMA_COLUMNS, steps = 0;
	const char *sums = e->k->buffers.p[s->buffer].name;

	bug_if(e->dialect != CD_CUDA);
	bug_if(!ex_is_const(e->t, d->steps, &steps));
	e->buffer_used[s->buffer] = true;
	if (d->unit == UNIT_WGMMA) {
		eg_wgmma(e, s);
		return;
	}
	const KBuffer *left = &e->k->buffers.p[d->in[0].buffer];
	bool registers = left->scope == SCOPE_REG;
	Side a = {0};

	ec_line(e, "{\n");
	e->depth++;
	if (!registers)
		a = open_side(e, s, 0,
			      arena_printf(e->arena,
					   "(tn_t / 32 / %" PRId64
					   ") * %" PRId64,
					   across, rows * 2));
	Side b = open_side(e, s, 1,
			   arena_printf(e->arena,
					"(tn_t / 32 %% %" PRId64 ") * %" PRId64,
					across, columns));
	ec_line(e, "unsigned tn_x[%" PRId64 "][4], tn_y[%" PRId64 "][2];\n\n",
		rows, columns);
	buf_puts(e->out, "#pragma unroll\n");
	ec_line(e, "for (int s = 0; s < %" PRId64 "; s++) {\n", steps);
	buf_puts(e->out, "#pragma unroll\n");
	ec_line(e, "\tfor (int i = 0; i < %" PRId64 "; i++)\n", rows);
	if (registers) {
		eg_operand_load(e, d->in[0].buffer);
	} else {
		ec_line(e,
			"\t\ttn_ldmatrix<%s>(tn_x[i][0], tn_x[i][1], "
			"tn_x[i][2], tn_x[i][3], tn_a + s * %" PRId64
			" + i * %" PRId64 ");\n",
			a.turned, a.along, 2 * a.wide);
	}
	buf_puts(e->out, "#pragma unroll\n");
	ec_line(e, "\tfor (int j = 0; j < %" PRId64 "; j += 2)\n", columns);
	ec_line(e,
		"\t\ttn_ldmatrix<%s>(tn_y[j][0], tn_y[j][1], tn_y[j + 1][0], "
		"tn_y[j + 1][1], tn_b + s * %" PRId64 " + j * %" PRId64 ");\n",
		b.turned, b.along, b.wide);
	buf_puts(e->out, "#pragma unroll\n");
	ec_line(e, "\tfor (int i = 0; i < %" PRId64 "; i++)\n", rows);
	buf_puts(e->out, "#pragma unroll\n");
	ec_line(e, "\t\tfor (int j = 0; j < %" PRId64 "; j++)\n", columns);
	ec_line(e, "\t\t\ttn_mma(r_%s[i][j], tn_x[i], tn_y[j]);\n", sums);
	ec_line(e, "}\n");
	e->depth--;
	ec_line(e, "}\n");
}

/* ---- runs ------------------------------------------------------------ */

void eg_runs(Emit *e, const Stmt *s)
{
	const char *to = e->k->buffers.p[s->buffer].name;
	const char *from = e->k->buffers.p[s->sums].name;
	const Ex *shape = e->k->buffers.p[s->sums].shape;
	int64_t rows = 0, columns = 0;
	bool rounds = e->packed[s->buffer];
	const char *type = rounds ? "unsigned" : ec_type(e, s->dtype, 0);
	int words = rounds ? 1 : 2; /* of the two sums side by side */

	bug_if(!ex_is_const(e->t, shape[1], &rows) ||
	       !ex_is_const(e->t, shape[2], &columns));
	e->buffer_used[s->buffer] = e->buffer_used[s->sums] = true;
	e->runs = true;
	ec_comment(e, s);
	buf_puts(e->out, "#pragma unroll\n");
	ec_line(e, "for (int n = 0; n < %" PRId64 "; n++) {\n",
		rows * columns / 2 * words);
	e->depth++;
	ec_line(e,
		"const int i = n / %" PRId64 ", g = n / %d %% %" PRId64
		", h = n / %d %% 2, q = n %% %d;\n",
		columns / 2 * words, 2 * words, columns / 4, words, words);
	/* pair q of j 0 to 3, which become pairs 0 to 3 of the thread's j */
	for (int j = 0; j < 4; j++)
		if (rounds)
			ec_line(e,
				"%s x%d = tn_two_%s(r_%s[i][4 * g + %d][h][0], "
				"r_%s[i][4 * g + %d][h][1]);\n",
				type, j, dtype_info[s->dtype].name, from, j,
				from, j);
		else
			ec_line(e, "%s x%d = r_%s[i][4 * g + %d][h][q];\n",
				type, j, from, j);
	ec_line(e, "tn_exchange(x0, x1, 1, tn_t %% 2);\n");
	ec_line(e, "tn_exchange(x2, x3, 1, tn_t %% 2);\n");
	ec_line(e, "tn_exchange(x0, x2, 2, tn_t / 2 %% 2);\n");
	ec_line(e, "tn_exchange(x1, x3, 2, tn_t / 2 %% 2);\n");
	for (int j = 0; j < 4; j++)
		ec_line(e, "r_%s[i][h][g][%d + q] = x%d;\n", to, words * j, j);
	e->depth--;
	ec_line(e, "}\n");
}
