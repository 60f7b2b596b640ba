/*
 * kernel_text: stage 4 as text, and what both directions of it share.
 *
 * The text holds the stage-2 program first, then the line `kernels`, then
 * each kernel:
 *
 *	kernel k0 contract region 0 mr=14 nr=32 note "why this choice"
 *		buffer in x: f16[M, 768] %0
 *		phase main tasks i0 < (M + 13)//14, i1 < 32 {
 *			for i2 < 768 serial {
 *				v3: f32 = load pa[i0, i2, 0]
 *				v5: f32 = mac v3 v4 v2
 *			}
 *		}
 *
 * The work of a phase may be a library's:
 *
 *		phase main call cublaslt 32f algorithm 0 workspace work {
 *			rows M columns 1024 depth 768 batches 1
 *			out y from 0 by 1024, 1, 0
 *			left x from 0 by 768, 1, 0
 *			right w from 0 by 1, 768, 0
 *		} as %3
 *
 * or a user's function's, whose source is in the text, a string a line:
 *
 *		phase main foreign mine symbol f file "mine.c" tasks 1 {
 *			arguments b_x b_y dim 0
 *			"void f(const float *x, float *y, int64_t m)"
 *			...
 *		}
 *
 * Of a kernel of CUDA ` threads 256`, and ` shared 1024` where it has a block's
 * memory, stand before ` tasks`.
 *
 * A trailing ` as %5` names the program's value that a statement computes.
 * kernel_parse.c reads it.
 */
#include "ir/kernel_text.h"

#include "ir/internal.h"

#include <inttypes.h>
#include <string.h>

/* ---- statements ------------------------------------------------------ */

typedef struct Printer {
	const Kernels *ks;
	const Kernel *k;
	const Phase *ph;
	Buf *b;
} Printer;

static void print_ex(Printer *p, Ex e)
{
	ex_print(p->b, &p->ks->program->ex, e);
}

static void print_exs(Printer *p, const Ex *e, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i)
			buf_puts(p->b, ", ");
		print_ex(p, e[i]);
	}
}

static void print_conds(Printer *p, const Stmt *s)
{
	for (uint32_t i = 0; i < s->nconds; i++) {
		if (i)
			buf_puts(p->b, ", ");
		print_ex(p, s->conds[i]);
		buf_puts(p->b, " >= 0");
	}
}

static void print_access(Printer *p, const Stmt *s)
{
	buf_printf(p->b, "%s[", p->k->buffers.p[s->buffer].name);
	print_exs(p, s->index, s->nindex);
	buf_putc(p->b, ']');
}

static void print_args(Printer *p, const Stmt *s)
{
	for (uint32_t i = 0; i < s->nargs; i++)
		buf_printf(p->b, " v%u", s->args[i]);
}

/* The part after `v3: f32 = ` of a statement that makes or folds a var. */
static void print_right(Printer *p, const Stmt *s)
{
	Buf *b = p->b;

	switch (s->kind) {
	case ST_LOAD:
		buf_puts(b, "load ");
		print_access(p, s);
		if (s->nconds) {
			buf_puts(b, " where ");
			print_conds(p, s);
		}
		break;
	case ST_OP:
		buf_puts(b, op_info[s->op].name);
		if (s->from != s->dtype)
			buf_printf(b, ".%s", dtype_info[s->from].name);
		print_args(p, s);
		if (kstmt_may_fault(s)) {
			buf_puts(b, " at ");
			print_ex(p, s->ex);
		}
		break;
	case ST_MAC:
		buf_puts(b, "mac");
		print_args(p, s);
		break;
	case ST_WORD:
	case ST_PART:
		buf_printf(b, "%s.%d", s->kind == ST_WORD ? "word" : "part",
			   s->bit);
		print_args(p, s);
		break;
	case ST_CONST:
		buf_puts(b, "const ");
		number_print(b, s->dtype, s->data);
		break;
	case ST_INDEX:
		buf_puts(b, "index ");
		print_ex(p, s->ex);
		break;
	case ST_TEST:
		buf_puts(b, "test ");
		print_conds(p, s);
		break;
	case ST_ROUND:
	case ST_KEEP:
		buf_puts(b, s->kind == ST_KEEP ? "unrounded" : "boundary");
		print_args(p, s);
		break;
	case ST_ACC:
	case ST_ACCUM:
		buf_printf(b, "%s %s", s->kind == ST_ACC ? "acc" : "accum",
			   op_info[s->op].name);
		print_args(p, s);
		break;
	case ST_ARG:
		buf_printf(b, "arg %s", op_info[s->op].name);
		print_args(p, s);
		buf_puts(b, " at ");
		print_ex(p, s->ex);
		break;
	case ST_FOR:
	case ST_IF:
	case ST_STORE:
	case ST_AHEAD:
	case ST_DOT:
	case ST_BOUND:
	case ST_BARRIER:
	case ST_COPY:
	case ST_BOX:
	case ST_WAIT:
	case ST_SETTLE:
	case ST_FREE:
	case ST_RUNS:
	case ST_COUNT:
		bug("statement kind %d makes no variable", (int)s->kind);
	}
}

/* dot amx_bf16 bf16 tile[0, 0] += pack_a[..] pack_b[..] tile 32 x 32 steps 16
 */
static void print_dot(Printer *p, const Stmt *s)
{
	const KDot *d = s->dot;

	buf_printf(p->b, "dot %s %s ", unit_info[d->unit].name,
		   dtype_info[s->from].name);
	print_access(p, s);
	buf_puts(p->b, " +=");
	for (int o = 0; o < 2; o++) {
		buf_printf(p->b, " %s[", p->k->buffers.p[d->in[o].buffer].name);
		print_exs(p, d->in[o].index, d->in[o].nindex);
		buf_puts(p->b, d->flat && o == 0 ? "] flat"
			       : d->turned[o]    ? "] turned"
						 : "]");
	}
	buf_printf(p->b, " tile %" PRId64 " x %" PRId64 " steps ", d->rows,
		   d->columns);
	print_ex(p, d->steps);
	buf_puts(p->b, " before ");
	print_ex(p, d->before);
	if (d->down)
		buf_printf(p->b, " down %" PRId64, d->down);
}

/* copy left[0, i3] = x[i1, i3] x 8 async where i1 >= 0 */
static void print_copy(Printer *p, const Stmt *s)
{
	const KCopy *c = s->copy;

	buf_puts(p->b, "copy ");
	print_access(p, s);
	buf_printf(p->b, " = %s[", p->k->buffers.p[c->from.buffer].name);
	print_exs(p, c->from.index, c->from.nindex);
	buf_printf(p->b, "] x %d%s", c->width, c->async ? " async" : "");
	if (s->stream)
		buf_puts(p->b, " stream");
	if (s->nconds) {
		buf_puts(p->b, " where ");
		print_conds(p, s);
	}
}

/* box left[i5 % 4, 0, 0] = map 0 [64 * i1, 64 * i5] where 9 - i5 >= 0 */
static void print_box(Printer *p, const Stmt *s)
{
	const KBox *b = s->box;

	buf_puts(p->b, "box ");
	print_access(p, s);
	buf_printf(p->b, " = map %u [", b->map);
	print_exs(p, b->at, p->ph->maps.p[b->map].rank);
	buf_putc(p->b, ']');
	if (s->nconds) {
		buf_puts(p->b, " where ");
		print_conds(p, s);
	}
}

static void print_list(Printer *p, const StmtList *l, int depth);

static void print_stmt(Printer *p, const Stmt *s, int depth)
{
	Buf *b = p->b;

	buf_indent(b, depth);
	switch (s->kind) {
	case ST_FOR:
		buf_printf(b, "for i%" PRId64 " < ", s->axis);
		print_ex(p, s->extent);
		buf_printf(b, " %s", loop_map_name[s->map]);
		if (s->map == MAP_VECTOR || s->map == MAP_VUNROLL)
			buf_printf(b, " %d", s->lanes);
		buf_puts(b, " {\n");
		print_list(p, &s->body, depth + 1);
		buf_indent(b, depth);
		buf_puts(b, "}\n");
		return;
	case ST_IF:
		buf_puts(b, "if ");
		print_conds(p, s);
		buf_puts(b, " {\n");
		print_list(p, &s->body, depth + 1);
		buf_indent(b, depth);
		if (s->orelse.n) {
			buf_puts(b, "} else {\n");
			print_list(p, &s->orelse, depth + 1);
			buf_indent(b, depth);
		}
		buf_puts(b, "}\n");
		return;
	case ST_STORE:
		buf_puts(b, "store ");
		print_access(p, s);
		buf_puts(b, " =");
		print_args(p, s);
		if (s->stream) {
			buf_puts(b, " stream");
			if (s->nconds) {
				buf_puts(b, " where ");
				print_conds(p, s);
			}
		}
		break;
	case ST_AHEAD:
		buf_puts(b, "ahead ");
		print_access(p, s);
		if (s->nconds) {
			buf_puts(b, " where ");
			print_conds(p, s);
		}
		break;
	case ST_DOT:
		print_dot(p, s);
		break;
	case ST_BOUND:
		buf_printf(b, "i%" PRId64 " = bound", s->axis);
		print_args(p, s);
		buf_puts(b, " < ");
		print_ex(p, s->extent);
		break;
	case ST_BARRIER:
		buf_puts(b, "barrier");
		break;
	case ST_COPY:
		print_copy(p, s);
		break;
	case ST_BOX:
		print_box(p, s);
		break;
	case ST_WAIT:
		buf_printf(b, "wait %d", s->bit);
		break;
	case ST_SETTLE:
		buf_printf(b, "settle %d", s->bit);
		break;
	case ST_FREE:
		buf_puts(b, "free");
		break;
	case ST_RUNS:
		buf_printf(b, "runs %s = %s", p->k->buffers.p[s->buffer].name,
			   p->k->buffers.p[s->sums].name);
		break;
	case ST_LOAD:
	case ST_OP:
	case ST_MAC:
	case ST_WORD:
	case ST_PART:
	case ST_CONST:
	case ST_INDEX:
	case ST_TEST:
	case ST_ROUND:
	case ST_KEEP:
	case ST_ACC:
	case ST_ACCUM:
	case ST_ARG:
		buf_printf(b, "v%u: %s = ", s->var, dtype_info[s->dtype].name);
		print_right(p, s);
		break;
	case ST_COUNT:
		bug("statement kind %d", (int)s->kind);
	}
	if (s->value != NO_VALUE)
		buf_printf(b, " as %%%u", s->value);
	buf_putc(b, '\n');
}

static void print_list(Printer *p, const StmtList *l, int depth)
{
	for (size_t i = 0; i < l->n; i++)
		print_stmt(p, l->p[i], depth);
}

/* ---- kernels --------------------------------------------------------- */

static void print_buffer(Printer *p, const KBuffer *f)
{
	buf_printf(p->b, "\tbuffer %s %s: %s[", buf_scope_name[f->scope],
		   f->name, dtype_info[f->dtype].name);
	print_exs(p, f->shape, f->rank);
	buf_putc(p->b, ']');
	if (f->value != NO_VALUE)
		buf_printf(p->b, " %%%u", f->value);
	if (f->swizzled)
		buf_puts(p->b, " swizzled");
	if (f->late)
		buf_puts(p->b, " late");
	buf_putc(p->b, '\n');
}

/* map x from 0 shape [M, K] by [K, 1] box [64, 64] */
static void print_map(Printer *p, const KMap *m)
{
	buf_printf(p->b, "\t\tmap %s from ", p->k->buffers.p[m->buffer].name);
	print_ex(p, m->first);
	buf_puts(p->b, " shape [");
	print_exs(p, m->extent, m->rank);
	buf_puts(p->b, "] by [");
	print_exs(p, m->stride, m->rank);
	buf_puts(p->b, "] box [");
	for (int d = 0; d < m->rank; d++)
		buf_printf(p->b, "%s%" PRId64, d ? ", " : "", m->box[d]);
	buf_printf(p->b, "]%s\n", m->swizzled ? " swizzled" : "");
}

static void print_matrix(Printer *p, const char *what, const KMatrix *m)
{
	const Ex by[3] = {m->row, m->column, m->batch};

	buf_printf(p->b, "\t\t%s %s from ", what,
		   p->k->buffers.p[m->buffer].name);
	print_ex(p, m->first);
	buf_puts(p->b, " by ");
	print_exs(p, by, 3);
	buf_putc(p->b, '\n');
}

static void print_call(Printer *p, const Phase *ph)
{
	const KCall *c = ph->call;

	buf_printf(p->b, "\tphase %s call %s %s ", ph->name,
		   library_info[c->library].name, compute_name[c->compute]);
	if (c->library == LIBRARY_CUBLASLT)
		buf_printf(p->b, "algorithm %" PRId64 " workspace %s",
			   c->algorithm, p->k->buffers.p[c->workspace].name);
	else
		buf_printf(p->b, "parts %" PRId64 " x %" PRId64, c->down,
			   c->across);
	buf_puts(p->b, " {\n\t\trows ");
	print_ex(p, c->rows);
	buf_puts(p->b, " columns ");
	print_ex(p, c->columns);
	buf_puts(p->b, " depth ");
	print_ex(p, c->depth);
	buf_puts(p->b, " batches ");
	print_ex(p, c->batches);
	buf_putc(p->b, '\n');
	print_matrix(p, "out", &c->out);
	print_matrix(p, "left", &c->left);
	print_matrix(p, "right", &c->right);
	buf_printf(p->b, "\t} as %%%u\n", c->value);
}

static void print_foreign(Printer *p, const Phase *ph)
{
	const KForeign *f = ph->foreign;

	buf_printf(p->b, "\tphase %s foreign %s symbol %s file ", ph->name,
		   f->name, f->symbol);
	buf_json_string(p->b, f->file);
	if (ph->threads)
		buf_printf(p->b, " threads %d", ph->threads);
	if (f->shared)
		buf_printf(p->b, " shared %" PRId64, f->shared);
	buf_puts(p->b, " tasks ");
	print_ex(p, f->tasks);
	buf_puts(p->b, " {\n\t\targuments");
	for (size_t i = 0; i < f->args.n; i++) {
		const KArg *a = &f->args.p[i];
		if (a->kind == KARG_BUFFER)
			buf_printf(p->b, " %s", p->k->buffers.p[a->n].name);
		else if (a->kind == KARG_DIM)
			buf_printf(p->b, " dim %u", a->n);
		else
			buf_puts(p->b, " task");
	}
	buf_putc(p->b, '\n');
	for (const char *s = f->text; *s;) {
		size_t n = strcspn(s, "\n");
		buf_puts(p->b, "\t\t");
		buf_json_string(p->b, arena_strndup(p->ks->arena, s, n));
		buf_putc(p->b, '\n');
		s += n + (s[n] == '\n');
	}
	buf_puts(p->b, "\t}\n");
}

static void print_phase(Printer *p, const Phase *ph)
{
	if (ph->foreign) {
		print_foreign(p, ph);
		return;
	}
	if (ph->call) {
		print_call(p, ph);
		return;
	}
	p->ph = ph;
	buf_printf(p->b, "\tphase %s%s", ph->name, ph->once ? " once" : "");
	if (ph->threads)
		buf_printf(p->b, " threads %d", ph->threads);
	for (size_t i = 0; i < ph->tasks.n; i++) {
		buf_printf(p->b, "%s i%" PRId64 " < ", i ? "," : " tasks",
			   ph->tasks.p[i].axis);
		print_ex(p, ph->tasks.p[i].extent);
	}
	buf_puts(p->b, " {\n");
	for (size_t i = 0; i < ph->maps.n; i++)
		print_map(p, &ph->maps.p[i]);
	print_list(p, &ph->body, 2);
	buf_puts(p->b, "\t}\n");
}

void kernel_print(const Kernels *ks, const Kernel *k, Buf *b)
{
	Printer p = {.ks = ks, .k = k, .b = b};

	buf_printf(b, "kernel %s %s region %u", k->name, k->realisation,
		   k->region);
	for (size_t i = 0; i < k->params.n; i++)
		buf_printf(b, " %s=%" PRId64, k->params.p[i].name,
			   k->params.p[i].value);
	if (k->note) {
		buf_puts(b, " note ");
		buf_json_string(b, k->note);
	}
	buf_putc(b, '\n');
	for (size_t i = 0; i < k->buffers.n; i++)
		print_buffer(&p, &k->buffers.p[i]);
	for (size_t i = 0; i < k->phases.n; i++)
		print_phase(&p, &k->phases.p[i]);
}

void kernels_print(const Kernels *ks, Buf *b)
{
	program_print(ks->program, b);
	buf_puts(b, KERNELS_LINE "\n");
	for (size_t i = 0; i < ks->kernels.n; i++)
		kernel_print(ks, &ks->kernels.p[i], b);
}
