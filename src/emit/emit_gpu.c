/*
 * emit_gpu: a kernel as CUDA C or OpenCL C.
 *
 * A phase is one kernel, a task one block of threads. Each thread takes every
 * `threads`-th element of a vector loop; what stands outside of these loops all
 * of them do alike, and the first one stores. Values are scalars: statements
 * without a body print as in C, one element at a time (emit_c_stmt.c).
 *
 * In CUDA C workers of a warp that have no memory of the block share one: as
 * many as the block has warps. Kernels go by blockDim, so that either launch is
 * right.
 *
 * Parameters of every kernel of a source, in order: a pointer for each IN, OUT
 * and SHARED buffer, the dims (int64_t), the records of faults, one for each
 * value of the program, and the block's memory: in CUDA C it is dynamic, in
 * OpenCL C the last parameter. In CUDA C the maps of its phase follow. Tasks
 * are counted along x; CUDA's grids have a y beyond 2^30, and blocks after the
 * last task do nothing. Indices are int64_t, or int in CUDA C where every one
 * of a phase is known to fit.
 */
#include "emit/emit_gpu.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WARP 32
/* What the folds of a block use in front of its memory. */
#define PART_BYTES(threads) (8 * (threads))
#define WORKERS             8   /* warps of a block that share nothing */
#define BLOCKS              128 /* that any GPU should rather have than these */

static void print_list(Emit *e, const StmtList *l, const Phase *ph,
		       const Stmt *loop);

/* ---- text that differs ----------------------------------------------- */

static const char *barrier_text(const Emit *e)
{
	return e->workers > 1 ? "__syncwarp()"
	       : e->dialect == CD_CUDA
		       ? "__syncthreads()"
		       : "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)";
}

static const char *unroll_text(const Emit *e)
{
	return e->dialect == CD_CUDA ? "#pragma unroll\n"
				     : "__attribute__((opencl_unroll_hint))\n";
}

static void put_unroll(Emit *e)
{
	buf_indent(e->out, e->depth);
	buf_puts(e->out, unroll_text(e));
}

/* ---- folds over the threads ------------------------------------------ */

static const char *fold_name(Emit *e, Op op, DType d)
{
	return arena_printf(e->arena, "tn_threads_%s_%s", cfuncs_op(op),
			    dtype_info[d].name);
}

/* The fold of what the warps have found: four at a time, which lie side by
 * side and do not wait for each other, then these. */
static void print_warps(Buf *out, const char *type, const char *both, int warps)
{
	int side = warps < 4 ? warps : 4;

	buf_printf(out,
		   "\n\t%s *part = (%s *)shared, four[%d];\n\n"
		   "\tif (again)\n"
		   "\t\t__syncthreads();\n"
		   "\tif (tn_t %% %d == 0)\n"
		   "\t\tpart[tn_t / %d] = x;\n"
		   "\t__syncthreads();\n"
		   "#pragma unroll\n"
		   "\tfor (int n = 0; n < %d; n++)\n"
		   "\t\tfour[n] = part[n];\n"
		   "#pragma unroll\n"
		   "\tfor (int n = %d; n < %d; n++) {\n"
		   "\t\t%s y = part[n];\n\n"
		   "\t\tx = four[n %% %d];\n"
		   "\t\tfour[n %% %d] = %s;\n"
		   "\t}\n"
		   "\tx = four[0];\n"
		   "#pragma unroll\n"
		   "\tfor (int n = 1; n < %d; n++) {\n"
		   "\t\t%s y = four[n];\n\n"
		   "\t\tx = %s;\n"
		   "\t}\n",
		   type, type, side, WARP, WARP, side, side, warps, type, side,
		   side, both, side, type, both);
}

/*
 * The fold of each thread's x, for all of them, in one order whoever comes
 * first. In CUDA within warps by exchange, then over the warps.
 */
static void print_fold(Emit *e, Buf *out, Op op, DType d, int threads)
{
	const char *type = ec_type(e, d, 0);
	const char *name = fold_name(e, op, d);
	const char *both = ec_fold(e, op, d, 0, "x", "y");

	if (e->dialect == CD_OPENCL) {
		buf_printf(
			out,
			"static %s %s(%s x, __local void *shared, int tn_t)\n"
			"{\n"
			"\t__local %s *part = shared;\n\n"
			"\t%s;\n"
			"\tpart[tn_t] = x;\n"
			"\t%s;\n"
			"\tfor (int n = %d; n > 0; n /= 2) {\n"
			"\t\tif (tn_t < n) {\n"
			"\t\t\t%s y = part[tn_t + n];\n\n"
			"\t\t\tx = %s;\n"
			"\t\t\tpart[tn_t] = x;\n"
			"\t\t}\n"
			"\t\t%s;\n"
			"\t}\n"
			"\treturn part[0];\n"
			"}\n",
			type, name, type, type, barrier_text(e),
			barrier_text(e), threads / 2, type, both,
			barrier_text(e));
		return;
	}
	int lanes = threads < WARP ? threads : WARP;
	buf_printf(
		out,
		"static __device__ __forceinline__ %s %s(%s x, void *shared, "
		"int tn_t, bool again)\n"
		"{\n"
		"#pragma unroll\n"
		"\tfor (int n = %d; n > 0; n /= 2) {\n"
		"\t\t%s y = __shfl_xor_sync(0x%xu, x, n);\n\n"
		"\t\tx = %s;\n"
		"\t}\n",
		type, name, type, lanes / 2, type,
		(unsigned)((UINT64_C(1) << lanes) - 1), both);
	if (threads <= WARP)
		buf_puts(out, "\t__syncwarp();\n");
	else
		print_warps(out, type, both, threads / WARP);
	buf_puts(out, "\treturn x;\n}\n");
}

/* ---- registers ------------------------------------------------------- */

/*
 * An array, whose indices are constants once loops are unrolled. Its first
 * axis may be the threads', its last one shared out to them.
 */
bool eg_by_thread(const Emit *e, const KBuffer *b, const Phase *ph)
{
	return b->rank > 1 && ex_equals(e->t, b->shape[0], ph->threads);
}

static void print_register(Emit *e, uint32_t number, const Phase *ph)
{
	const KBuffer *b = &e->k->buffers.p[number];
	Buf row;

	buf_init(&row, e->arena);
	for (int d = eg_by_thread(e, b, ph) ? 1 : 0; d < b->rank; d++) {
		int64_t n = 0;
		bug_if(!ex_is_const(e->t, b->shape[d], &n));
		if (e->reg_lanes[number] && d == b->rank - 1)
			n = (n + ph->threads - 1) / ph->threads;
		if (e->packed[number] && d == b->rank - 1)
			n /= 2;
		buf_printf(&row, "[%" PRId64 "]", n);
	}
	ec_line(e, "%s r_%s%s;\n",
		e->packed[number] ? "unsigned" : ec_type(e, b->dtype, 0),
		b->name, buf_str(&row));
}

const char *eg_reg(Emit *e, const Stmt *s, const Phase *ph, const Stmt *loop)
{
	const KBuffer *b = &e->k->buffers.p[s->buffer];
	Buf text;

	e->buffer_used[s->buffer] = true;
	buf_init(&text, e->arena);
	buf_printf(&text, "r_%s", b->name);
	for (int d = eg_by_thread(e, b, ph) ? 1 : 0; d < s->nindex; d++) {
		Ex x = s->index[d];
		if (e->reg_lanes[s->buffer] && d == s->nindex - 1 && loop &&
		    ex_uses_axis(e->t, x, loop->axis)) {
			Ex n = ex_const(e->t, ph->threads);
			x = ex_sub(e->t, x, ex_axis(e->t, loop->axis));
			x = ex_div(e->t, x, n);
			buf_printf(&text, "[%s + u%" PRId64 "]",
				   ec_ex_raw(e, x), loop->axis);
			continue;
		}
		buf_printf(&text, "[%s]", ec_bare(e, ec_ex_raw(e, x)));
	}
	return buf_str(&text);
}

/* ---- loops ----------------------------------------------------------- */

typedef VEC(const Stmt *) AccList;

/* Accumulators from outside that the threads of a loop fold into. Where none
 * is live, the loop still ends with a barrier (ir/kernel_hazard.c). */
static void find_accs(Emit *e, const StmtList *l, AccList *own, AccList *out)
{
	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		bool known = false;
		if (s->kind == ST_ACC)
			VEC_PUSH(e->arena, *own, s);
		find_accs(e, &s->body, own, out);
		find_accs(e, &s->orelse, own, out);
		if (s->kind != ST_ACCUM)
			continue;
		for (size_t k = 0; k < own->n; k++)
			known |= own->p[k]->var == s->var;
		for (size_t k = 0; k < out->n; k++)
			known |= out->p[k]->var == s->var;
		if (!known)
			VEC_PUSH(e->arena, *out, s);
	}
}

static void declare_parts(Emit *e, const AccList *accs)
{
	for (size_t i = 0; i < accs->n; i++) {
		const Stmt *s = accs->p[i];
		if (!e->vars[s->var].live)
			continue;
		e->vars[s->var].by_lanes = true;
		ec_line(e, "%s v%u_0 = %s;\n", ec_type(e, s->dtype, 0), s->var,
			ec_identity(e, s->op, s->dtype));
	}
}

/*
 * The first folds of a phase have parts of the block's memory to themselves,
 * which no thread may still be reading; others wait for that.
 */
static bool is_again(const Emit *e)
{
	return e->around || e->nfolds >= WARP - 1;
}

static const char *part_text(Emit *e, const Phase *ph)
{
	int own = is_again(e) ? WARP - 1 : e->nfolds;

	if (e->dialect == CD_OPENCL || ph->threads < WARP)
		return "tn_part";
	return arena_printf(e->arena, "tn_shared + %d",
			    own * PART_BYTES(ph->threads) / WARP);
}

static void fold_parts(Emit *e, const AccList *accs, const Phase *ph)
{
	bool met = false;

	for (size_t i = 0; i < accs->n; i++) {
		const Stmt *s = accs->p[i];
		if (!e->vars[s->var].live)
			continue;
		met = true;
		const char *self = arena_printf(e->arena, "v%u", s->var);
		const char *all = arena_printf(
			e->arena, "%s(v%u_0, %s, tn_t%s)",
			fold_name(e, s->op, s->dtype), s->var, part_text(e, ph),
			e->dialect == CD_OPENCL ? ""
			: is_again(e)           ? ", true"
						: ", false");
		e->nfolds++;
		VEC_PUSH(e->arena, e->folds, s);
		ec_line(e, "%s = %s;\n", self,
			ec_fold(e, s->op, s->dtype, 0, self, all));
		e->vars[s->var].by_lanes = false;
	}
	if (!met)
		ec_line(e, "%s;\n", barrier_text(e));
}

static void open_for(Emit *e, const char *fmt, ...) TN_PRINTF(2, 3);
static void open_for(Emit *e, const char *fmt, ...)
{
	va_list ap;

	buf_indent(e->out, e->depth);
	va_start(ap, fmt);
	buf_vprintf(e->out, fmt, ap);
	va_end(ap);
	e->depth++;
}

static void close_block(Emit *e)
{
	e->depth--;
	ec_line(e, "}\n");
}

/* Elements t, t + threads, ... of a loop. */
static void vector_loop(Emit *e, const Stmt *s, Ex extent, const Phase *ph)
{
	int64_t i = s->axis, n;
	bool known = ex_is_const(e->t, ec_subst(e, extent), &n);
	const char *end = ec_bare(e, ec_ex(e, extent));

	if (known && n == ph->threads) {
		open_for(e, "{\n");
		ec_line(e, "const %s i%" PRId64 " = tn_t;\n", ec_index_type(e),
			i);
	} else if (known && n < ph->threads) {
		open_for(e, "if (tn_t < %" PRId64 ") {\n", n);
		ec_line(e, "const %s i%" PRId64 " = tn_t;\n", ec_index_type(e),
			i);
	} else {
		open_for(e,
			 "for (%s i%" PRId64 " = tn_t; i%" PRId64
			 " < %s; i%" PRId64 " += %d) {\n",
			 ec_index_type(e), i, i, end, i, ph->threads);
	}
	print_list(e, &s->body, ph, s);
	close_block(e);
}

/* The same, written out, of a constant extent. */
static void vunrolled_loop(Emit *e, const Stmt *s, const Phase *ph)
{
	int64_t i = s->axis, n = 0;

	bug_if(!ex_is_const(e->t, s->extent, &n));
	put_unroll(e);
	open_for(e,
		 "for (int u%" PRId64 " = 0; u%" PRId64 " < %" PRId64
		 "; u%" PRId64 "++) {\n",
		 i, i, (n + ph->threads - 1) / ph->threads, i);
	ec_line(e, "const %s i%" PRId64 " = tn_t + u%" PRId64 " * %d;\n",
		ec_index_type(e), i, i, ph->threads);
	if (n % ph->threads)
		open_for(e, "if (i%" PRId64 " < %" PRId64 ") {\n", i, n);
	print_list(e, &s->body, ph, s);
	if (n % ph->threads)
		close_block(e);
	close_block(e);
}

/* A turn of a loop over blocks of K is long enough: written out it would take
 * more registers than there are. */
static bool is_long(const StmtList *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->p[i]->kind == ST_DOT || l->p[i]->kind == ST_COPY ||
		    l->p[i]->kind == ST_BOX || is_long(&l->p[i]->body) ||
		    is_long(&l->p[i]->orelse))
			return true;
	return false;
}

static void turns_of(Emit *e, const Stmt *s, Ex extent, const Phase *ph,
		     const Stmt *loop)
{
	int64_t i = s->axis;

	if (s->map == MAP_UNROLL)
		put_unroll(e);
	else if (e->dialect == CD_CUDA && !loop && is_long(&s->body))
		ec_line(e, "#pragma unroll 1\n");
	open_for(e,
		 "for (%s i%" PRId64 " = 0; i%" PRId64 " < %s; i%" PRId64
		 "++) {\n",
		 ec_index_type(e), i, i, ec_bare(e, ec_ex(e, extent)), i);
	e->around++;
	print_list(e, &s->body, ph, loop);
	e->around--;
	close_block(e);
}

static void plain_loop(Emit *e, const Stmt *s, Ex extent, const Phase *ph,
		       const Stmt *loop)
{
	VarId by = loop ? eg_divisor(e, s) : NO_VAR;

	if (eg_is_paired(e, s)) {
		eg_pair_loop(e, s, ph, loop);
		return;
	}
	if (by == NO_VAR) {
		turns_of(e, s, extent, ph, loop);
		return;
	}
	open_for(e, "{\n");
	eg_divisor_parts(e, by);
	e->divisor = by + 1;
	turns_of(e, s, extent, ph, loop);
	e->divisor = 0;
	open_for(e, "if (tn_far) {\n");
	turns_of(e, s, extent, ph, loop);
	close_block(e);
	close_block(e);
}

static void print_loop(Emit *e, const Stmt *s, const Phase *ph,
		       const Stmt *loop)
{
	size_t ranges = e->facts.ranges.n;
	bool vector = s->map == MAP_VECTOR || s->map == MAP_VUNROLL;
	Ex extent = ec_simplify(e, s, s->extent);
	AccList accs = {0}, own = {0};

	VEC_PUSH(e->arena, e->facts.ranges, ((ExRange){s->axis, s->extent}));
	if (vector)
		find_accs(e, &s->body, &own, &accs);
	if (accs.n) {
		open_for(e, "{\n");
		declare_parts(e, &accs);
	}
	if (s->map == MAP_VECTOR)
		vector_loop(e, s, extent, ph);
	else if (s->map == MAP_VUNROLL)
		vunrolled_loop(e, s, ph);
	else
		plain_loop(e, s, extent, ph, loop);
	if (accs.n) {
		fold_parts(e, &accs, ph);
		close_block(e);
	}
	e->facts.ranges.n = ranges;
}

static void print_branch(Emit *e, const Stmt *s, const Phase *ph,
			 const Stmt *loop)
{
	size_t facts = e->facts.facts.n;

	open_for(e, "if (%s) {\n", ec_conds(e, s->conds, s->nconds));
	for (uint32_t i = 0; i < s->nconds; i++)
		VEC_PUSH(e->arena, e->facts.facts, s->conds[i]);
	print_list(e, &s->body, ph, loop);
	e->facts.facts.n = facts;
	if (s->orelse.n) {
		e->depth--;
		open_for(e, "} else {\n");
		print_list(e, &s->orelse, ph, loop);
	}
	close_block(e);
}

/* ---- statements ------------------------------------------------------ */

static void print_access(Emit *e, const Stmt *s, const Phase *ph,
			 const Stmt *loop)
{
	bool reg = e->k->buffers.p[s->buffer].scope == SCOPE_REG;

	if (reg && s->kind == ST_LOAD) {
		ec_line(e, "%s%s;\n", ec_declare(e, s, 0),
			eg_reg_load(e, s, ph, loop));
	} else if (reg) {
		VarId v = eg_dot_stored(e, s, ph);
		if (e->vars[v].rounds)
			v = e->vars[v].rounds - 1;
		eg_reg_store(e, s, arena_printf(e->arena, "v%u", v), ph, loop);
	} else if (s->kind == ST_LOAD) {
		ec_load(e, s);
	} else if (loop) {
		ec_store(e, s);
	} else {
		open_for(e, "if (tn_t == 0) {\n");
		ec_store(e, s);
		close_block(e);
	}
}

static void print_stmt(Emit *e, const Stmt *s, const Phase *ph,
		       const Stmt *loop)
{
	if (s->kind == ST_FOR)
		print_loop(e, s, ph, loop);
	else if (s->kind == ST_IF)
		print_branch(e, s, ph, loop);
	else if (s->kind == ST_COPY)
		eg_copy(e, s, ph, loop);
	else if (s->kind == ST_WAIT)
		eg_wait(e, s, ph);
	else if (s->kind == ST_BOX)
		eg_box(e, s, ph);
	else if (s->kind == ST_FREE)
		eg_box_free(e, ph);
	else if (s->kind == ST_SETTLE)
		eg_settle(e, s, ph);
	else if (s->kind == ST_DOT)
		eg_dot(e, s, ph);
	else if (s->kind == ST_RUNS)
		eg_runs(e, s);
	else if (e->divisor && s->kind == ST_OP && s->op == OP_DIV &&
		 s->from == DT_F32 && s->args[1] == e->divisor - 1 &&
		 e->vars[s->var].live)
		eg_divide(e, s);
	else if (s->kind == ST_BARRIER && ph->maps.n)
		eg_box_barrier(e, ph);
	else if (s->kind == ST_BARRIER)
		ec_line(e, "%s;\n", barrier_text(e));
	else if (s->kind == ST_STORE ||
		 (s->kind == ST_LOAD && e->vars[s->var].live))
		print_access(e, s, ph, loop);
	else if (s->kind != ST_LOAD && s->kind != ST_AHEAD)
		ec_stmt(e, s);
}

static void print_list(Emit *e, const StmtList *l, const Phase *ph,
		       const Stmt *loop)
{
	size_t ranges = e->facts.ranges.n;

	for (size_t i = 0; i < l->n; i++)
		if (!e->feeder || eg_box_is_fed(l->p[i]))
			print_stmt(e, l->p[i], ph, loop);
	e->facts.ranges.n = ranges;
}

/* ---- kernels --------------------------------------------------------- */

/* Bytes of an element in the block's memory, where OpenCL keeps 16-bit floats
 * as they live in registers. */
static int shared_bytes(CDialect dialect, DType d)
{
	bool wide = dialect == CD_OPENCL && (d == DT_F16 || d == DT_BF16);

	return wide ? 4 : dtype_info[d].bytes;
}

static Ex padded_bytes(ExprTab *t, CDialect dialect, const KBuffer *b)
{
	Ex n = ex_const(t, shared_bytes(dialect, b->dtype));

	for (int d = 0; d < b->rank; d++)
		n = ex_mul(t, n, b->shape[d]);
	Ex line = ex_const(t, 16);
	return ex_mul(t, ex_ceil_div(t, n, line), line);
}

static bool touches(const StmtList *l, uint32_t buffer)
{
	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		bool has = (s->kind == ST_LOAD || s->kind == ST_STORE ||
			    s->kind == ST_COPY || s->kind == ST_BOX ||
			    s->kind == ST_DOT) &&
			   s->buffer == buffer;
		if (s->kind == ST_COPY)
			has |= s->copy->from.buffer == buffer;
		for (int o = 0; s->kind == ST_DOT && o < 2; o++)
			has |= s->dot->in[o].buffer == buffer;
		if (has || touches(&s->body, buffer) ||
		    touches(&s->orelse, buffer))
			return true;
	}
	return false;
}

/* Whether the block's memory holds the buffer while the phase runs. */
static bool is_shared(const Kernel *k, const Phase *ph, uint32_t buffer)
{
	return k->buffers.p[buffer].scope == SCOPE_WORKER &&
	       touches(&ph->body, buffer);
}

int emit_workers(const Kernel *k, const Phase *ph, int64_t tasks)
{
	int workers = WORKERS;

	if (ph->threads != WARP)
		return 1;
	for (uint32_t i = 0; i < k->buffers.n; i++)
		if (is_shared(k, ph, i))
			return 1;
	while (workers > 1 && tasks < workers * BLOCKS)
		workers /= 2;
	return workers;
}

/* sm_90 and later */
bool emit_waits(const char *arch)
{
	return strncmp(arch, "sm_", 3) == 0 && atoi(arch + 3) >= 90;
}

/*
 * On sm_90 and later a kernel may begin before those launched before it have
 * ended (PTX ISA, griddepcontrol). It touches no memory before it has waited
 * for that, and lets those behind it begin after that.
 */
static const char wait_text[] =
	"\nstatic __device__ __forceinline__ void tn_wait_before()\n"
	"{\n"
	"#if __CUDA_ARCH__ >= 900\n"
	"\tasm volatile(\"griddepcontrol.wait;\" ::: \"memory\");\n"
	"\tasm volatile(\"griddepcontrol.launch_dependents;\" ::: "
	"\"memory\");\n"
	"#endif\n"
	"}\n";

/* The block's memory: its buffers one after another, and over them the late
 * ones. */
typedef struct Layout {
	ExprTab *t;
	CDialect dialect;
	Ex first, end[2];
} Layout;

static Layout layout_of(ExprTab *t, CDialect dialect, const Phase *ph)
{
	Ex first = ex_const(t, PART_BYTES(ph->threads));

	return (Layout){t, dialect, first, {first, first}};
}

/* Where the next buffer begins. */
static Ex place_next(Layout *y, const KBuffer *b)
{
	Ex by = ex_const(y->t, SWIZZLE_BYTES * 8), at = y->end[b->late];

	if (b->swizzled)
		at = ex_mul(y->t, ex_ceil_div(y->t, at, by), by);
	y->end[b->late] = ex_add(y->t, at, padded_bytes(y->t, y->dialect, b));
	return at;
}

/* Where the rest of it begins. */
static Ex end_of(const Layout *y)
{
	return y->end[1] == y->first ? y->end[0]
				     : ex_max(y->t, y->end[0], y->end[1]);
}

Ex emit_shared(const Kernels *ks, const Kernel *k, const Phase *ph,
	       CDialect dialect)
{
	ExprTab *t = &ks->program->ex;
	Layout y = layout_of(t, dialect, ph);

	for (uint32_t i = 0; i < k->buffers.n; i++)
		if (is_shared(k, ph, i))
			(void)place_next(&y, &k->buffers.p[i]);
	return ex_add(t, end_of(&y), ex_const(t, eg_box_bytes(ph)));
}

/* The buffers there; where the rest of it begins. */
static Ex print_shared(Emit *e, const Phase *ph)
{
	const char *space = e->dialect == CD_OPENCL ? "__local " : "";
	Layout y = layout_of(e->t, e->dialect, ph);

	for (uint32_t i = 0; i < e->k->buffers.n; i++) {
		const KBuffer *b = &e->k->buffers.p[i];
		if (!is_shared(e->k, ph, i))
			continue;
		Ex offset = place_next(&y, b);
		if (e->buffer_used[i]) {
			const char *type = e->dialect == CD_OPENCL
						   ? ec_type(e, b->dtype, 0)
						   : ec_memory_type(b->dtype);
			ec_line(e,
				"%s%s *const %s = (%s%s *)(tn_shared + %s);\n",
				space, type, ec_buffer(e, i), space, type,
				ec_ex_raw(e, offset));
		}
	}
	return end_of(&y);
}

static void print_parameters(Emit *e, Buf *out)
{
	bool cl = e->dialect == CD_OPENCL;

	for (uint32_t i = 0; i < e->k->buffers.n; i++) {
		const KBuffer *b = &e->k->buffers.p[i];
		if (b->scope == SCOPE_WORKER || b->scope == SCOPE_REG)
			continue;
		buf_printf(out, "%s%s%s *%s %s,\n\t", cl ? "__global " : "",
			   b->scope == SCOPE_IN ? "const " : "",
			   ec_memory_type(b->dtype),
			   cl ? "restrict" : "__restrict__", ec_buffer(e, i));
	}
	for (size_t i = 0; i < e->t->dims.n; i++)
		buf_printf(out, "int64_t d_%s, ", e->t->dims.p[i].name);
	buf_printf(out, "%sTnStatus *st", cl ? "__global " : "");
	if (cl)
		buf_puts(out, ", __local uchar *tn_shared");
}

/* Memory of a plan begins at multiples of 64 bytes, of which the compiler takes
 * neighbouring elements at once. */
static void print_alignment(Emit *e)
{
	for (uint32_t i = 0; i < e->k->buffers.n; i++) {
		const KBuffer *b = &e->k->buffers.p[i];
		if (!e->buffer_used[i] || b->scope == SCOPE_WORKER ||
		    b->scope == SCOPE_REG)
			continue;
		const char *name = ec_buffer(e, i);
		ec_line(e, "%s = (%s%s *)__builtin_assume_aligned(%s, 16);\n",
			name, b->scope == SCOPE_IN ? "const " : "",
			ec_memory_type(b->dtype), name);
	}
}

static void print_head(Emit *e, Buf *out, const Phase *ph)
{
	if (e->dialect == CD_CUDA)
		buf_printf(out,
			   "\nextern \"C\" __global__ void "
			   "__launch_bounds__(%d)\n%s_%s(",
			   ph->threads * e->workers + emit_feeders(ph),
			   e->k->name, ph->name);
	else
		buf_printf(out,
			   "\n__kernel "
			   "__attribute__((reqd_work_group_size(%d, 1, 1)))\n"
			   "void %s_%s(",
			   ph->threads, e->k->name, ph->name);
	print_parameters(e, out);
	eg_box_parameters(ph, out);
	buf_puts(out, ")\n{\n");
	e->depth = 1;
	if (e->dialect == CD_CUDA)
		ec_line(e,
			"extern __shared__ __align__(%d) unsigned char "
			"tn_shared[];\n",
			eg_has_unit(e, UNIT_WGMMA) ? SWIZZLE_BYTES * 8 : 16);
	ec_line(e, "const int tn_t = %s;\n",
		e->workers > 1          ? "threadIdx.x % 32"
		: e->dialect == CD_CUDA ? "threadIdx.x"
					: "(int)get_local_id(0)");
	ec_line(e, "%svoid *const tn_part = tn_shared;\n",
		e->dialect == CD_CUDA ? "" : "__local ");
	if (e->workers > 1)
		ec_line(e,
			"const %s t = %s * (blockDim.x / 32) + threadIdx.x / "
			"32;\n",
			ec_index_type(e),
			e->narrow ? "blockIdx.x"
				  : "(blockIdx.x + (int64_t)gridDim.x * "
				    "blockIdx.y)");
	else
		ec_line(e, "const %s t = %s;\n", ec_index_type(e),
			e->narrow ? "(int)blockIdx.x"
			: e->dialect == CD_CUDA
				? "blockIdx.x + (int64_t)gridDim.x * blockIdx.y"
				: "(int64_t)get_group_id(0)");
}

/* Statements of the feeder before the first that waits for other threads. */
static size_t lead_of(const Phase *ph)
{
	size_t n = 0;

	while (n < ph->body.n && (!eg_box_is_fed(ph->body.p[n]) ||
				  ph->body.p[n]->kind == ST_BOX ||
				  ph->body.p[n]->kind == ST_WAIT))
		n++;
	return n;
}

/*
 * The warp after the phase's threads, of which one goes through the phase. It
 * asks for the first boxes while the others are still on their way to it.
 */
static void print_feeder(Emit *e, const Phase *ph)
{
	size_t lead = lead_of(ph);
	StmtList first = {.p = ph->body.p, .n = lead};
	StmtList rest = {.p = ph->body.p + lead, .n = ph->body.n - lead};

	e->feeder = true;
	open_for(e, "if (tn_t == %d) {\n", ph->threads);
	print_list(e, &first, ph, NULL);
	close_block(e);
	ec_line(e, "__syncthreads();\n");
	open_for(e, "if (tn_t >= %d) {\n", ph->threads);
	open_for(e, "if (tn_t == %d) {\n", ph->threads);
	print_list(e, &rest, ph, NULL);
	close_block(e);
	ec_line(e, "return;\n");
	close_block(e);
	e->feeder = false;
}

static void print_phase(Emit *e, Buf *out, const Phase *ph)
{
	Buf body, feeder, axes;

	ec_open_phase(e, ph);
	eg_pair_find(e, ph);
	eg_round_late(e, ph);
	e->narrow = e->dialect == CD_CUDA && eg_is_narrow(e, ph);
	e->nfolds = 0;
	e->workers =
		e->dialect == CD_CUDA ? emit_workers(e->k, ph, INT64_MAX) : 1;
	buf_init(&body, e->arena);
	buf_init(&axes, e->arena);
	e->out = &body;
	e->depth = 1;
	print_list(e, &ph->body, ph, NULL);
	buf_init(&feeder, e->arena);
	e->out = &feeder;
	e->depth = 1;
	if (ph->maps.n)
		print_feeder(e, ph);
	e->out = &axes;
	e->depth = 1;
	ec_task_axes(e, ph);
	const char *count = ec_bare(e, ec_task_count(e, ph));
	e->out = out;
	print_head(e, out, ph);
	for (size_t i = 0; i < e->consts.n; i++) {
		Buf text;
		buf_init(&text, e->arena);
		ex_print_c(&text, e->t, e->consts.p[i], NULL);
		ec_line(e, "const %s c%zu = %s;\n", ec_index_type(e), i,
			ec_bare(e, buf_str(&text)));
	}
	if (e->dialect == CD_CUDA)
		print_alignment(e);
	Ex rest = print_shared(e, ph);
	ec_line(e, "(void)tn_part;\n");
	ec_line(e, "(void)st;\n");
	if (e->dialect == CD_CUDA)
		ec_line(e, "if (t >= %s)\n\t\treturn;\n", count);
	if (ph->maps.n)
		eg_box_open(e, ph, ec_ex_raw(e, rest));
	if (e->dialect == CD_CUDA)
		ec_line(e, "tn_wait_before();\n");
	for (uint32_t i = 0; i < e->k->buffers.n; i++)
		if (e->k->buffers.p[i].scope == SCOPE_REG && e->buffer_used[i])
			print_register(e, i, ph);
	buf_puts(out, buf_str(&axes));
	buf_puts(out, buf_str(&feeder));
	buf_puts(out, buf_str(&body));
	buf_puts(out, "}\n");
}

/* Each fold that the phases use, once. */
static void print_folds(Emit *e, Buf *out, int threads)
{
	for (size_t i = 0; i < e->folds.n; i++) {
		const Stmt *s = e->folds.p[i];
		bool known = false;
		for (size_t k = 0; k < i; k++)
			known |= e->folds.p[k]->op == s->op &&
				 e->folds.p[k]->dtype == s->dtype;
		if (!known)
			print_fold(e, out, s->op, s->dtype, threads);
	}
}

const char *emit_gpu(Arena *a, const Kernels *ks, const Kernel *k,
		     CDialect dialect)
{
	Emit e = {.arena = a,
		  .ks = ks,
		  .k = k,
		  .t = &ks->program->ex,
		  .dialect = dialect};
	bool overflow = e.t->overflow;
	Buf code, folds, out;

	e.fn = cfuncs_new_in(a, dialect);
	buf_init(&code, a);
	buf_init(&folds, a);
	for (size_t i = 0; i < k->phases.n; i++) {
		bool apart = dialect == CD_CUDA && k->phases.n > 1;
		if (apart)
			buf_printf(&code,
				   "\n#if !defined TN_PHASE || TN_PHASE == "
				   "%zu",
				   i);
		print_phase(&e, &code, &k->phases.p[i]);
		if (apart)
			buf_puts(&code, "#endif\n");
	}
	print_folds(&e, &folds, k->phases.p[0].threads);
	if (e.t->overflow && !overflow)
		bug("an address of kernel %s is too large", k->name);
	buf_init(&out, a);
	ec_head(&e, &out);
	cfuncs_print(e.fn, &out);
	if (dialect == CD_CUDA)
		buf_puts(&out, wait_text);
	eg_quotient_head(&e, &out);
	eg_pair_head(&e, &out);
	eg_move_head(&e, &out);
	eg_box_head(&e, &out);
	eg_dot_head(&e, &out);
	buf_puts(&out, buf_str(&folds));
	buf_puts(&out, buf_str(&code));
	return buf_str(&out);
}
