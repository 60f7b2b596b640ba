/*
 * rowreduce: reductions over some axes and what surrounds them, in passes.
 *
 * The region's full space is split into kept axes (rows) and reduced ones.
 * Pass n walks a row and folds the reductions whose operands depend on n
 * others (softmax: the maximum in pass 0, the sum of exponentials in pass 1,
 * the quotient in pass 2). Values of kept shape are computed once a row.
 * A costly value that two passes need is kept in a row of scratch, so that
 * each input element is read from memory once when the row fits in cache.
 *
 * Where the last axis is reduced, lanes run along it, and a row is a worker's
 * (or, long and one of few, many workers': see below). The first pass brings
 * it into the core's cache, the others find it there, and the longest one
 * asks memory for the next row meanwhile. Where the last axis is kept, lanes
 * run across rows (rowreduce_across.c).
 */
#include "realise/rowreduce.h"

#include <string.h>

static const char *const rowreduce_params[] = {
	"lanes", "rows",     "stream", "ahead", "split",
	"keep",  "distance", "width",  "turns", NULL};

static const char *rowreduce_admit(Arena *a, const Regions *r, uint32_t region)
{
	(void)a;
	return r->regions.p[region].kind == REGION_ROWREDUCE
		       ? NULL
		       : "the region folds no axis";
}

bool rows_reduces(const Region *reg, int d)
{
	return reg->reduced >> d & 1;
}

/* Folds along the lanes that go element by element: a running value. */
static bool is_sequential(const Regions *r, const Region *reg)
{
	if (reg->rank > 0 && !rows_reduces(reg, reg->rank - 1))
		return false;
	for (size_t i = 0; i < reg->values.n; i++)
		if (program_value(r->program, reg->values.p[i])->op ==
		    OP_CUMSUM)
			return true;
	return false;
}

/*
 * On a GPU a row has a block of threads, and where its width is known lies in
 * their registers: few runs a thread, so that many rows are under way side by
 * side and each asks for all its bytes at once. A narrow row has a warp, which
 * folds without a barrier. A wide one has more elements a thread rather than
 * so many threads that a multiprocessor has room for one row only, and idles
 * while that folds. Where rows are fewer than multiprocessors a row has as many
 * threads as it can use.
 */
#define WARP     32
#define ROW_EACH 16  /* elements that a thread has of a row, */
#define ROW_RUNS 4   /* or as many runs, if these are more elements */
#define ROW_MOST 32  /* and at most, where a row is held */
#define ROW_ROOM 512 /* threads of a block that fits twice with such rows */

/* The width of the axis that threads share, 0: not known. */
static int64_t shared_width(const Regions *r, const Region *reg)
{
	int64_t width = 0;

	for (int d = 0; d < reg->rank; d++)
		if (rows_reduces(reg, d) &&
		    !ex_is_const(&r->program->ex, reg->space[d], &width))
			return 0;
	return width;
}

static bool is_invariant(const Regions *r, const Region *reg)
{
	return program_value(r->program, reg->anchor)->relax &
	       RELAX_ROW_INVARIANT;
}

/* The product of the extents of reduced, or of kept, axes; -1: not known. */
static int64_t known_extent(const Regions *r, const Region *reg, bool reduced)
{
	int64_t all = 1, n;

	for (int d = 0; d < reg->rank; d++) {
		if (rows_reduces(reg, d) != reduced)
			continue;
		if (!ex_is_const(&r->program->ex, reg->space[d], &n))
			return -1;
		all = n && all > INT64_MAX / n ? INT64_MAX : all * n;
	}
	return all;
}

/* Whether the region has fewer rows than the GPU multiprocessors. */
static bool has_few_rows(const Regions *r, const Region *reg, const Target *t)
{
	int64_t rows = known_extent(r, reg, false);

	return rows >= 0 && rows < t->processors;
}

/* Whether rows are dealt in pieces for sure: rows_split_where() on a GPU. */
static bool is_cut(const Regions *r, const Region *reg, const Target *t,
		   int64_t split)
{
	return split == 2 ||
	       (split == 1 && known_extent(r, reg, true) >= LEAST_CUT &&
		(is_invariant(r, reg) || has_few_rows(r, reg, t)));
}

static int row_threads(const Regions *r, const Region *reg, const Target *t,
		       int64_t run, int64_t split)
{
	int64_t width = shared_width(r, reg);
	bool few = has_few_rows(r, reg, t) && !is_invariant(r, reg);
	int threads = WARP;

	if (!width)
		return t->threads;
	if (reg->rank && !rows_reduces(reg, reg->rank - 1)) {
		/* columns: as many tasks as there can be */
		threads = t->threads;
		while (threads > WARP && threads * 2 >= width)
			threads /= 2;
		return threads;
	}
	if (is_cut(r, reg, t, split))
		return t->threads;
	while (threads < 4 * t->threads && threads < KERNEL_MAX_THREADS) {
		bool most = threads == WARP || threads >= ROW_ROOM;
		int64_t each =
			ROW_RUNS * run < ROW_EACH ? ROW_EACH : ROW_RUNS * run;
		each = few ? run : most || each > ROW_MOST ? ROW_MOST : each;
		if (threads * (each > run ? each : run) >= width)
			break;
		threads *= 2;
	}
	return threads;
}

static int64_t row_width(const Regions *r, uint32_t region)
{
	const Region *reg = &r->regions.p[region];
	int64_t width = shared_width(r, reg);

	if (!width || lower_is_scalar(r, region) ||
	    (reg->rank && !rows_reduces(reg, reg->rank - 1)))
		return 0;
	return lower_width_of(r, region,
			      ex_const((ExprTab *)&r->program->ex, width));
}

/* All of the row where a thread can have so much of it. */
static int64_t row_turns(const Regions *r, const Region *reg, int64_t threads,
			 int64_t run)
{
	int64_t width = shared_width(r, reg);

	if (!run)
		return 1;
	int64_t turns = (width + threads * run - 1) / (threads * run);
	if (turns < 1)
		return 1;
	return turns * run <= ROW_MOST ? turns
	       : run < ROW_EACH        ? ROW_EACH / run
				       : 1;
}

/* What goes with the pinned parameters. */
static void rowreduce_settle(const Regions *r, uint32_t region, const Target *t,
			     Candidate *c, const bool *pinned)
{
	const Region *reg = &r->regions.p[region];

	if (!t->threads)
		return;
	if (pinned[P_LANES] && c->params[P_LANES].value == 1 &&
	    !pinned[P_WIDTH])
		c->params[P_WIDTH].value = 0;
	int64_t width = c->params[P_WIDTH].value;
	if (!pinned[P_LANES] && !is_sequential(r, reg))
		c->params[P_LANES].value = row_threads(
			r, reg, t, width ? width : 1, c->params[P_SPLIT].value);
	if (!pinned[P_TURNS])
		c->params[P_TURNS].value =
			row_turns(r, reg, c->params[P_LANES].value, width);
}

static Candidate rowreduce_rule(const Regions *r, uint32_t region,
				const Target *t)
{
	const Region *reg = &r->regions.p[region];
	bool sequential = is_sequential(r, reg);
	int lanes = t->threads || sequential ? 1 : lower_lanes(r, region, t);
	Candidate c = {
		.params = {{"lanes", lanes},
			   {"rows", t->threads ? 1 : 16384},
			   {"stream", 1},
			   {"ahead", !t->threads},
			   {"split", 1},
			   {"keep", KEEP_COSTLY},
			   {"distance", 1},
			   {"width", sequential ? 0 : row_width(r, region)},
			   {"turns", 1}},
		.nparams = t->threads ? P_COUNT : P_CPU,
	};
	const bool pinned[MAX_PARAMS] = {false};

	rowreduce_settle(r, region, t, &c, pinned);
	return c;
}

/* Runs of the parameters go with the row. */
static const char *runs_legal(const Regions *r, uint32_t region,
			      const Candidate *c)
{
	const Region *reg = &r->regions.p[region];
	int64_t width = c->params[P_WIDTH].value;
	int64_t turns = c->params[P_TURNS].value;

	if (width < 0 || width > 16 || (width & (width - 1)))
		return "width must be 0 (single elements), 1, 2, 4, 8 or 16";
	if (turns < 1 || turns * (width ? width : 1) > KERNEL_MAX_UNROLL / 16)
		return "turns (runs of a thread) must be at least 1, and 256 "
		       "elements at most";
	if (width && (c->params[P_LANES].value == 1 || is_sequential(r, reg) ||
		      !row_width(r, region)))
		return "width must be 0: the row is no axis of a known width "
		       "that threads share";
	if (width && shared_width(r, reg) % width)
		return "width must divide the row";
	return NULL;
}

static const char *rowreduce_legal(Arena *a, const Regions *r, uint32_t region,
				   const Target *t, const Candidate *c)
{
	int64_t lanes = c->params[P_LANES].value;
	int64_t rows = c->params[P_ROWS].value;

	if (t->threads && lanes != 1 &&
	    (lanes < WARP || lanes > KERNEL_MAX_THREADS ||
	     (lanes & (lanes - 1))))
		return "lanes (threads) must be 1 or 32, 64 ... 1024";
	if (!t->threads && (lanes < 1 || lanes > 64 || (lanes & (lanes - 1))))
		return arena_printf(a, "lanes must be 1, 2, 4 ... 64");
	if (lanes > 1 && ((!t->threads && lower_is_scalar(r, region)) ||
			  is_sequential(r, &r->regions.p[region])))
		return "the region folds one element after another, so that "
		       "lanes must be 1";
	if (t->threads && runs_legal(r, region, c))
		return runs_legal(r, region, c);
	if (rows < 1 || rows > 1 << 30)
		return "rows (elements a task) must be 1 to 2^30";
	if (c->params[P_STREAM].value < 0 || c->params[P_STREAM].value > 2)
		return "stream must be 0 (never), 1 (by size) or 2 (always)";
	if (c->params[P_SPLIT].value < 0 || c->params[P_SPLIT].value > 2)
		return "split must be 0 (never), 1 (by length) or 2 (always)";
	if (c->params[P_AHEAD].value < 0 || c->params[P_AHEAD].value > 2)
		return "ahead must be 0 (never), 1 (by size) or 2 (always)";
	if (c->params[P_KEEP].value < KEEP_NONE ||
	    c->params[P_KEEP].value > KEEP_ALL)
		return "keep must be 0 (nothing), 1 (costly values) or 2 (all "
		       "that a later pass reads)";
	if (c->params[P_DISTANCE].value < 1 || c->params[P_DISTANCE].value > 64)
		return "distance (rows ahead) must be 1 to 64";
	return NULL;
}

/* ---- levels ---------------------------------------------------------- */

static bool in_region(const Rows *w, ValueId v)
{
	return w->l.r->of[v] == w->l.region_index;
}

/* Reductions of this region that v waits for, through views. */
static int level_of(const Rows *w, ValueId v)
{
	const Value *val = program_value(w->l.p, v);

	while (op_info[val->op].cls == OPC_VIEW && !in_region(w, v)) {
		v = val->args[0];
		val = program_value(w->l.p, v);
	}
	return in_region(w, v) ? w->level[v] : 0;
}

bool rows_is_arg(Op op)
{
	return op == OP_ARGMAX || op == OP_ARGMIN;
}

/* Along lanes the best value is found first, then the first place of it. */
bool rows_in_two(const Rows *w, const Value *v)
{
	return rows_is_arg(v->op) && !w->across && w->lanes > 1;
}

static void find_levels(Rows *w)
{
	for (size_t i = 0; i < w->reg->values.n; i++) {
		ValueId id = w->reg->values.p[i];
		const Value *v = program_value(w->l.p, id);
		int level = 0;
		for (uint32_t j = 0; j < v->nargs; j++) {
			int n = level_of(w, v->args[j]);
			level = n > level ? n : level;
		}
		level += rows_in_two(w, v);
		if (w->passes < level + 1)
			w->passes = level + 1;
		w->level[id] =
			level + (op_info[v->op].cls == OPC_REDUCE ? 1 : 0);
	}
}

/* Values computed per element of the full space, not once a row. */
bool rows_is_full(const Rows *w, ValueId id)
{
	const Value *v = program_value(w->l.p, id);

	if (op_info[v->op].cls == OPC_REDUCE || v->rank != w->reg->rank)
		return false;
	for (int d = 0; d < v->rank; d++)
		if (v->shape[d] != w->reg->space[d])
			return false;
	return true;
}

/* The index of a kept-shape value in the row at hand. */
void rows_kept_index(const Rows *w, const Value *v, Ex *index)
{
	Ex zero = ex_const(&w->l.p->ex, 0);
	int n = 0;

	if (v->rank == w->reg->rank) {
		for (int d = 0; d < v->rank; d++)
			index[d] = rows_reduces(w->reg, d) ? zero : w->row[n++];
		return;
	}
	bug_if(v->rank != w->nkept);
	memcpy(index, w->row, (size_t)w->nkept * sizeof(Ex));
}

/* ---- passes ---------------------------------------------------------- */

Op rows_fold_op(Op op)
{
	if (op == OP_SUM || op == OP_CUMSUM)
		return OP_ADD;
	if (op == OP_PROD)
		return OP_MUL;
	return op == OP_MAX || op == OP_ARGMAX ? OP_MAXIMUM : OP_MINIMUM;
}

/* What accumulates: the dtype of a sum, of an index that of its operand. */
DType rows_fold_dtype(const Rows *w, const Value *v)
{
	bool sums = v->op == OP_SUM || v->op == OP_PROD || v->op == OP_CUMSUM;

	return sums ? v->acc : program_value(w->l.p, v->args[0])->dtype;
}

/* part 0: all of it; of an index along lanes 1: the best value, 2: its
 * place. */
Fold rows_open_fold(Rows *w, ValueId id, int part)
{
	const Value *v = program_value(w->l.p, id);
	DType x = program_value(w->l.p, v->args[0])->dtype;
	Fold f = {.value = id,
		  .op = rows_fold_op(v->op),
		  .best = NO_VAR,
		  .part = part};

	f.acc_dtype = rows_fold_dtype(w, v);
	if (part == 1) {
		f.acc = w->best[id] = lower_acc(&w->l, f.op, x, NO_VAR);
	} else if (part == 2) {
		f.op = OP_MINIMUM;
		f.acc = lower_acc(&w->l, f.op, DT_I64, NO_VAR);
	} else if (rows_is_arg(v->op)) {
		f.best = lower_acc(&w->l, f.op, x, NO_VAR);
		f.acc = lower_acc(&w->l, OP_ADD, DT_I64, NO_VAR);
	} else {
		f.acc = lower_acc(&w->l, f.op, f.acc_dtype, NO_VAR);
	}
	return f;
}

/* The place of x if it is the best, or NaN as the best then is. */
static VarId place_of(Rows *w, const Fold *f, VarId x, DType from, Ex at)
{
	Lower *l = &w->l;
	static const int64_t nowhere = INT64_MAX;
	VarId args[3] = {x, w->best[f->value]};
	VarId is = lower_op(l, OP_EQ, DT_BOOL, from, args, 2, NO_VALUE);

	if (dtype_is_float(from)) {
		args[1] = x;
		args[0] = lower_op(l, OP_NE, DT_BOOL, from, (VarId[2]){x, x}, 2,
				   NO_VALUE);
		args[1] = is;
		is = lower_op(l, OP_OR, DT_BOOL, DT_BOOL, args, 2, NO_VALUE);
	}
	args[0] = is;
	args[1] = lower_index_value(l, DT_I64, at);
	args[2] = lower_constant(l, DT_I64, &nowhere);
	return lower_op(l, OP_WHERE, DT_I64, DT_I64, args, 3, NO_VALUE);
}

static void fold_element(Rows *w, const Fold *f, const Ex *index)
{
	Lower *l = &w->l;
	const Value *v = program_value(l->p, f->value);
	VarId x = lower_value(l, v->args[0], index);
	DType from = program_value(l->p, v->args[0])->dtype;

	if (f->part == 1) {
		lower_accum(l, f->acc, f->op, from, x);
		return;
	}
	if (f->part == 2) {
		Ex at = index[__builtin_ctz(v->axes)];
		lower_accum(l, f->acc, f->op, DT_I64,
			    place_of(w, f, x, from, at));
		return;
	}
	if (rows_is_arg(v->op)) {
		/* the one reduced axis of an argmax is the region's */
		Stmt *s = arena_new(l->arena, Stmt);
		s->kind = ST_ARG;
		s->var = f->acc;
		s->dtype = DT_I64;
		s->from = from;
		s->op = f->op;
		s->nargs = 2;
		s->args[0] = f->best;
		s->args[1] = x;
		s->ex = index[__builtin_ctz(v->axes)];
		s->value = f->value;
		VEC_PUSH(l->arena, *l->at, s);
		return;
	}
	x = lower_cast(l, f->acc_dtype, from, x);
	lower_accum(l, f->acc, f->op, f->acc_dtype, x);
	if (v->op == OP_CUMSUM)
		lower_bind(l, f->value, index,
			   lower_round(l, v->dtype, f->acc_dtype, f->acc,
				       f->value));
}

void rows_close_fold(Rows *w, const Fold *f)
{
	const Value *v = program_value(w->l.p, f->value);
	Ex index[TN_MAX_RANK];
	VarId var = f->acc;

	if (v->op == OP_CUMSUM || f->part == 1)
		return;
	if (!rows_is_arg(v->op))
		var = lower_round(&w->l, v->dtype, f->acc_dtype, var, f->value);
	rows_kept_index(w, v, index);
	lower_bind(&w->l, f->value, index, var);
}

/* Kept-shape values that wait for exactly n reductions, and their stores. */
void rows_values(Rows *w, int n)
{
	for (size_t i = 0; i < w->reg->values.n; i++) {
		ValueId id = w->reg->values.p[i];
		const Value *v = program_value(w->l.p, id);
		Ex index[TN_MAX_RANK];
		if (w->level[id] != n || rows_is_full(w, id))
			continue;
		rows_kept_index(w, v, index);
		if (op_info[v->op].cls != OPC_REDUCE)
			lower_value(&w->l, id, index);
		for (size_t j = 0; j < w->reg->outputs.n; j++)
			if (w->reg->outputs.p[j] == id)
				lower_result(&w->l, id, index);
	}
}

static bool is_output(const Rows *w, ValueId id)
{
	for (size_t j = 0; j < w->reg->outputs.n; j++)
		if (w->reg->outputs.p[j] == id)
			return true;
	return false;
}

/* The reduced axes' part of an index, for the row cache. */
static uint8_t cache_index(const Rows *w, const Ex *index, Ex *out)
{
	uint8_t n = 0;

	for (int d = 0; d < w->reg->rank; d++)
		if (rows_reduces(w->reg, d))
			out[n++] = index[d];
	return n;
}

void rows_pass_element(Rows *w, int pass, const Fold *folds, size_t n,
		       const Ex *index)
{
	Lower *l = &w->l;
	Ex at[TN_MAX_RANK];

	if (w->held)
		lower_run_index(&w->run, at);
	else
		cache_index(w, index, at);
	for (size_t i = 0; i < w->reg->values.n; i++) {
		ValueId id = w->reg->values.p[i];
		if (w->cache[id] && w->level[id] < pass)
			lower_bind(l, id, index,
				   lower_load(l, w->cache[id] - 1, at));
	}
	/* In topological order: a scan is bound before its consumers read it.
	 */
	for (size_t i = 0; i < w->reg->values.n; i++) {
		ValueId id = w->reg->values.p[i];
		const Value *v = program_value(l->p, id);
		for (size_t j = 0; j < n; j++)
			if (folds[j].value == id)
				fold_element(w, &folds[j], index);
		if (!rows_is_full(w, id) || w->level[id] > pass ||
		    v->op == OP_CUMSUM)
			continue;
		if (w->level[id] == pass && w->cache[id])
			lower_store(l, w->cache[id] - 1, at,
				    lower_value(l, id, index));
	}
	for (size_t i = 0; i < w->reg->outputs.n; i++) {
		ValueId id = w->reg->outputs.p[i];
		if (rows_is_full(w, id) && w->level[id] == pass)
			lower_result(l, id, index);
	}
}

bool rows_pass_has_work(const Rows *w, int pass)
{
	for (size_t i = 0; i < w->reg->values.n; i++) {
		ValueId id = w->reg->values.p[i];
		const Value *v = program_value(w->l.p, id);
		if (op_info[v->op].cls == OPC_REDUCE &&
		    (w->level[id] == pass + 1 ||
		     (rows_in_two(w, v) && w->level[id] == pass + 2)))
			return true;
		if (rows_is_full(w, id) && is_output(w, id) &&
		    w->level[id] == pass)
			return true;
	}
	return false;
}

/* ---- the passes ------------------------------------------------------ */

/* The folds of a pass, declared at the place at hand. */
static FoldList open_folds(Rows *w, int pass)
{
	FoldList folds = {0};

	for (size_t i = 0; i < w->reg->values.n; i++) {
		ValueId id = w->reg->values.p[i];
		const Value *v = program_value(w->l.p, id);
		bool two = rows_in_two(w, v);
		/* every pass that may read a scan runs it again, in order */
		bool scan = v->op == OP_CUMSUM && w->level[id] <= pass;
		bool first = two && w->level[id] == pass + 2;
		bool now = op_info[v->op].cls == OPC_REDUCE &&
			   w->level[id] == pass + 1;
		if (!scan && !first && !now)
			continue;
		Fold f = rows_open_fold(w, id, first ? 1 : two ? 2 : 0);
		VEC_PUSH(w->l.arena, folds, f);
	}
	return folds;
}

/* The threads' walk over the row, or the piece of it, in steps. A piece is not
 * in the caches: its operands are asked for at once. */
static Ex open_run(Rows *w, Ex extent, bool piece)
{
	ExprTab *t = &w->l.p->ex;
	int64_t step = (int64_t)w->run.width * w->run.turns * w->l.threads;
	Ex base = piece ? w->piece_first : ex_const(t, 0);
	Ex size = piece ? ex_const(t, rows_piece(w)) : extent;

	w->run = (Run){.width = w->run.width,
		       .turns = w->run.turns,
		       .most = w->run.most,
		       .one_by_one = w->pass.n > 0 && !w->split};
	return lower_run_open(&w->l, &w->run, base, extent,
			      ex_ceil_div(t, size, ex_const(t, step)));
}

void rows_lower_pass(Rows *w, int pass)
{
	Lower *l = &w->l;
	const Region *reg = w->reg;
	FoldList folds = open_folds(w, pass);
	Ex index[TN_MAX_RANK];
	int kept = 0, loops = 0, last = -1; /* of the reduced axes */

	for (int d = 0; d < reg->rank; d++)
		last = rows_reduces(reg, d) ? d : last;
	for (int d = 0; d < reg->rank; d++) {
		if (!rows_reduces(reg, d)) {
			index[d] = w->row[kept++];
			continue;
		}
		bool lanes = d == last && !w->across && w->lanes > 1;
		bool piece = w->split && d == w->piece_axis;
		if (lanes && w->run.width) {
			index[d] = open_run(w, reg->space[d], piece);
			continue;
		}
		index[d] = lower_for(l, piece ? w->piece_size : reg->space[d],
				     lanes ? MAP_VECTOR : MAP_SERIAL,
				     lanes ? w->lanes : 1);
		if (piece)
			index[d] = ex_add(&l->p->ex, w->piece_first, index[d]);
		loops++;
	}
	rows_pass_element(w, pass, folds.p, folds.n, index);
	Pass p = {.body = l->at, .cost = rows_body_cost(w, l->at)};
	memcpy(p.index, index, sizeof(index));
	VEC_PUSH(l->arena, w->pass, p);
	if (w->run.width)
		lower_run_close(l, &w->run, w->held ? &w->operands : NULL);
	while (loops--)
		lower_end(l);
	for (size_t i = 0; i < folds.n; i++)
		if (w->split)
			rows_store_part(w, &folds.p[i]);
		else
			rows_close_fold(w, &folds.p[i]);
}

/*
 * Row buffers for values that a later pass reads, by the rule those of an
 * inexact elementary function: computing them again would cost more than the
 * store.
 */
static void plan_cache(Rows *w, int64_t keep)
{
	const Region *reg = w->reg;
	Uses uses = program_uses(w->l.arena, w->l.p);
	Ex shape[TN_MAX_RANK];
	uint8_t rank = cache_index(w, reg->space, shape);
	Ex length = ex_const(&w->l.p->ex, 1);
	int64_t elements = 0, left = w->shared;

	for (int d = 0; d < rank; d++)
		length = ex_mul(&w->l.p->ex, length, shape[d]);
	/* a GPU's block has little memory: there what does not fit surely is
	 * computed again, to the same bits */
	if (w->l.threads && !ex_is_const(&w->l.p->ex, length, &elements))
		return;

	for (size_t i = 0; i < reg->values.n; i++) {
		ValueId id = reg->values.p[i];
		const Value *v = program_value(w->l.p, id);
		bool later = false;
		bool costly = op_info[v->op].ulp > 0;
		if (!(keep == KEEP_ALL || (keep == KEEP_COSTLY && costly)) ||
		    !rows_is_full(w, id) || op_info[v->op].cls != OPC_ELEM)
			continue;
		for (uint32_t u = uses.first[id]; u < uses.first[id + 1]; u++)
			later |= in_region(w, uses.list[u]) &&
				 rows_is_full(w, uses.list[u]) &&
				 w->level[uses.list[u]] > w->level[id];
		int64_t bytes = elements * dtype_info[v->dtype].bytes;
		if (later && w->held) {
			w->cache[id] = lower_run_buffer(&w->l, &w->run,
							v->dtype, "row") +
				       1;
			continue;
		}
		if (later && w->l.threads && (left -= bytes) < 0)
			continue;
		if (later)
			w->cache[id] =
				lower_buffer(&w->l, SCOPE_WORKER, v->dtype,
					     shape, rank, "row") +
				1;
	}
}

/* ---- along the rows ---------------------------------------------------- */

static void lower_along(Rows *w, int64_t distance)
{
	for (int pass = 0; pass < w->passes; pass++) {
		rows_values(w, pass);
		if (rows_pass_has_work(w, pass))
			rows_lower_pass(w, pass);
	}
	rows_values(w, w->passes);
	if (w->row_axis >= 0 && w->pass.n > 1)
		rows_read_ahead(w, distance);
}

/* ---- the kernel ------------------------------------------------------- */

/*
 * Rows a task: worth a claim, and no more tasks than 16 a CPU, which deals
 * them evenly and lets most rows follow another in their task. Rows are
 * independent, so no bit depends on it.
 */
static Ex task_rows(Rows *w, const Target *target, int64_t elements, Ex length)
{
	ExprTab *t = &w->l.p->ex;
	Ex rows = ex_const(t, 1);

	if (w->l.threads)
		return ex_const(t, elements);
	for (int d = 0; d < w->nkept; d++)
		rows = ex_mul(t, rows, w->kept[d]);
	Ex share = ex_div(t, rows, ex_const(t, 16 * target->cpus));
	return ex_max(t, lower_chunk(&w->l, elements, length), share);
}

/* Whole rows, or blocks of columns, a task; none where rows are split. */
static void lower_whole(Rows *w, const Target *target, const Candidate *c,
			Ex split, Ex length)
{
	Lower *l = &w->l;
	ExprTab *t = &l->p->ex;
	int outer = w->across ? w->nkept - 1 : w->nkept;

	lower_phase(l, "main");
	(void)lower_task(l, ex_sub(t, ex_const(t, 1), split));
	Ex chunk = task_rows(w, target, c->params[P_ROWS].value, length);
	const StmtList *tasks = l->at;
	lower_rows(l, w->kept, outer, chunk, w->row);
	if (c->params[P_AHEAD].value && !w->across && tasks->n == 1 &&
	    tasks->p[0]->kind == ST_FOR) {
		w->row_axis = tasks->p[0]->axis;
		w->row_extent = tasks->p[0]->extent;
	}
	if (w->across)
		rows_lower_across(w);
	else
		lower_along(w, c->params[P_DISTANCE].value);
	lower_end(l);
}

/* What the choice rests on: the machine's figures. */
static const char *row_note(const Rows *w, const Target *target, bool split,
			    bool whole)
{
	Arena *a = w->l.arena;
	const Value *v = program_value(w->l.p, w->reg->anchor);
	const char *few =
		arena_printf(a, " or of %d times their number,", LEAST_CUT);
	Buf b;

	buf_init(&b, a);
	if (w->l.threads && split)
		buf_printf(&b,
			   "rows of %d elements or more%s are cut into pieces "
			   "of %lld, a block of %d threads each",
			   LEAST_CUT,
			   v->relax & RELAX_ROW_INVARIANT
				   ? ""
				   : arena_printf(a, ", fewer than %d,",
						  target->processors),
			   (long long)rows_piece(w), w->l.threads);
	if (w->l.threads && split && whole)
		buf_puts(&b, "; of others ");
	if (w->l.threads && whole) {
		buf_printf(&b,
			   w->across ? "a block of %d threads has as many "
				       "columns: the last axis is kept"
			   : w->l.threads == WARP
				   ? "a warp (%d threads) has a row"
				   : "a block of %d threads has a row",
			   w->l.threads);
		if (w->held)
			buf_printf(&b,
				   " in registers: %d elements a thread, %d "
				   "side by side",
				   w->run.turns * w->run.width, w->run.width);
	}
	if (w->l.threads)
		return buf_str(&b);
	buf_puts(&b, w->across ? "lanes run across rows: the last axis is kept"
			       : "lanes run along the row: the last axis is "
				 "folded");
	buf_printf(&b,
		   "; past the caches beyond %lld kB of inputs and outputs, "
		   "which is what %d CPUs keep",
		   (long long)target_cached(target) >> 10, target->cpus);
	if (split)
		buf_printf(&b,
			   "; rows of %lld elements, which fill a core's "
			   "cache,%s are cut into pieces of %d",
			   (long long)rows_longest(target),
			   v->relax & RELAX_ROW_INVARIANT ? "" : few, PIECE);
	return buf_str(&b);
}

/* A row is held where it is one axis that a step of all threads covers. */
static void open_runs(Rows *w, const Candidate *c)
{
	int64_t width, step;

	w->run = (Run){.width = (int)c->params[P_WIDTH].value,
		       .turns = (int)c->params[P_TURNS].value,
		       .most = 2 * ROW_MOST};
	step = (int64_t)w->run.width * w->run.turns * w->l.threads;
	w->held = w->run.width &&
		  (w->reg->reduced & (w->reg->reduced - 1)) == 0 &&
		  ex_is_const(&w->l.p->ex, w->reg->space[w->reg->rank - 1],
			      &width) &&
		  width <= step;
}

static void rowreduce_lower(Kernels *ks, Kernel *k, const Regions *r,
			    const Target *target, const Candidate *c)
{
	Rows w = {.reg = &r->regions.p[k->region],
		  .lanes = (int)c->params[P_LANES].value,
		  .row_axis = -1};
	ExprTab *t = &ks->program->ex;
	int rank = w.reg->rank;
	Ex length = ex_const(t, 1);

	lower_init(&w.l, ks, k, r);
	if (target->threads) {
		w.l.threads = w.lanes > 1 ? w.lanes : WARP;
		w.l.scalar = false;
		w.shared = target->shared;
	}
	w.level = arena_array(ks->arena, int, ks->program->values.n);
	w.cache = arena_array(ks->arena, uint32_t, ks->program->values.n);
	for (int d = 0; d < rank; d++) {
		if (rows_reduces(w.reg, d))
			length = ex_mul(t, length, w.reg->space[d]);
		else
			w.kept[w.nkept++] = w.reg->space[d];
	}
	w.across = rank > 0 && !rows_reduces(w.reg, rank - 1);
	w.keep = arena_array(ks->arena, uint32_t, ks->program->values.n);
	w.acc = arena_array(ks->arena, uint32_t, ks->program->values.n);
	w.bests = arena_array(ks->arena, uint32_t, ks->program->values.n);
	w.place = arena_array(ks->arena, uint32_t, ks->program->values.n);
	w.best = arena_array(ks->arena, VarId, ks->program->values.n);
	find_levels(&w);
	if (target->threads)
		open_runs(&w, c);
	if (!w.across)
		plan_cache(&w, c->params[P_KEEP].value);

	Ex n_rows = ex_const(t, 1), where = ex_const(t, 0);
	for (int d = 0; d < w.nkept; d++)
		n_rows = ex_mul(t, n_rows, w.kept[d]);
	if (c->params[P_SPLIT].value && rows_can_split(&w))
		where = c->params[P_SPLIT].value == 2
				? ex_const(t, 1)
				: rows_split_where(&w, target, n_rows, length);
	if (!ex_equals(t, where, 1))
		lower_whole(&w, target, c, where, length);
	if (!ex_equals(t, where, 0))
		rows_lower_split(&w, where);
	lower_by_size(&w.l, target->threads ? ST_COPY : ST_STORE,
		      c->params[P_STREAM].value, target);
	lower_by_size(&w.l, ST_AHEAD, c->params[P_AHEAD].value, target);
	k->note = row_note(&w, target, !ex_equals(t, where, 0),
			   !ex_equals(t, where, 1));
}

const Realisation realise_rowreduce = {
	"rowreduce",      rowreduce_params, rowreduce_admit,
	rowreduce_rule,   rowreduce_legal,  rowreduce_lower,
	rowreduce_settle, rows_domain,      rows_cost,
};
