/*
 * cost_walk: what the statements of a lowered kernel do under dims.
 *
 * A walk over every phase counts operations by class, loop by loop, and notes
 * each access to memory with the loops around it; axes stand in the middle of
 * their extents, where a branch decides by them. What is never read is not
 * counted: compilers leave it out.
 */
#include "realise/cost.h"

/* A part of a vector is masked, which costs more than a whole one. */
#define PART_VECTOR 1.5
/* Half a vector: as much as a whole one on cores whose units are as wide, half
 * of that on others. */
#define HALF      0.7
#define HALF_LONG 0.9 /* whose latency counts too */
/* Simple operations of a vector that is transposed with others; of a store that
 * asks whether it is to go past the caches. */
#define TURN_WORK 8
#define ASK_WORK  2

typedef struct Walk {
	CostWalk *w;
	CostPhase *ph;
	int loop;    /* the innermost; -1: none */
	int lanes;   /* of the loop of lanes around; 1: none */
	int segment; /* 0: outside of lanes */
	double bodies;
	double weight; /* of the branches around */
} Walk;

static int64_t value_of(const CostWalk *w, Ex e)
{
	int64_t n;

	return ex_eval_checked(&w->ks->program->ex, e, w->dims, w->axes, &n)
		       ? n
		       : 0;
}

static double extent_of(const CostWalk *w, Ex e)
{
	int64_t n = value_of(w, e);

	return n < 0 ? 0 : (double)n;
}

double cost_bytes(const CostWalk *w, uint32_t buffer)
{
	const KBuffer *b = &w->k->buffers.p[buffer];
	double bytes = dtype_info[b->dtype].bytes;

	for (int d = 0; d < b->rank; d++)
		bytes *= extent_of(w, b->shape[d]);
	return bytes;
}

double cost_outer_bytes(const CostWalk *w)
{
	double sum = 0;

	for (uint32_t i = 0; i < w->k->buffers.n; i++)
		if (w->k->buffers.p[i].scope <= SCOPE_SHARED)
			sum += cost_bytes(w, i);
	return sum;
}

/* ---- accesses -------------------------------------------------------- */

static int64_t number_of(const CostWalk *w, const CostAccess *a)
{
	const KBuffer *b = &w->k->buffers.p[a->buffer];
	int64_t at = 0;

	for (int d = 0; d < a->nindex; d++)
		at = at * value_of(w, b->shape[d]) + value_of(w, a->index[d]);
	return at;
}

double cost_step(const CostWalk *w, const CostAccess *a, const CostLoop *l)
{
	int64_t from = number_of(w, a);

	w->axes[l->axis]++;
	int64_t to = number_of(w, a);
	w->axes[l->axis]--;
	return (double)(to > from ? to - from : from - to);
}

bool cost_uses(const CostWalk *w, const CostAccess *a, const CostLoop *l)
{
	for (int d = 0; d < a->nindex; d++)
		if (ex_uses_axis(&w->ks->program->ex, a->index[d], l->axis))
			return true;
	return false;
}

/* ---- statements ------------------------------------------------------ */

/* Registers that elements of the dtype take. */
static double vectors(const Walk *x, DType d)
{
	int bytes = d == DT_BOOL ? 4 : dtype_info[dtype_interior(d)].bytes;
	int all = x->lanes * bytes, one = x->w->target->vector_bytes;

	if (!one || x->lanes == 1)
		return 1;
	return all > one ? (double)all / one : all * 2 <= one ? HALF : 1;
}

static Work work_of(const CostWalk *w, const Stmt *s)
{
	Op op = s->op;

	if (op == OP_CAST)
		return WORK_CAST;
	if (op == OP_EXP || op == OP_RSQRT || op == OP_LOG)
		return WORK_EXP;
	if (op_info[op].ulp > 0)
		return WORK_OTHER;
	if (op == OP_DIV && w->outside[s->args[1]])
		return WORK_BY_ROW;
	if (op == OP_DIV || op == OP_SQRT || op == OP_FLOORDIV || op == OP_MOD)
		return WORK_DIVISION;
	return WORK_SIMPLE;
}

static void count(Walk *x, Work work, double n)
{
	if (n == HALF && (work == WORK_EXP || work == WORK_OTHER))
		n = HALF_LONG;
	x->ph->segments.p[x->segment].work[work] += n * x->bodies;
}

typedef enum Lie {
	LIE_STRAIGHT, /* lanes meet elements side by side, or all the same */
	LIE_TURNED,   /* what a loop within them that is written out has so */
	LIE_APART,
} Lie;

static Lie how_lies(const Walk *x, const CostAccess *a)
{
	int at = x->loop, inner = -1;

	for (; at >= 0; at = x->ph->loops.p[at].parent) {
		const CostLoop *l = &x->ph->loops.p[at];
		double step = cost_step(x->w, a, l);
		if (l->map == MAP_VECTOR || l->map == MAP_VUNROLL)
			return step <= a->run ? LIE_STRAIGHT
			       : inner >= 0   ? LIE_TURNED
					      : LIE_APART;
		if (l->map == MAP_UNROLL && step == 1 && l->extent > 1)
			inner = at;
	}
	return LIE_STRAIGHT;
}

static void access(Walk *x, const Stmt *s, const KOperand *o, bool store,
		   double run)
{
	CostWalk *w = x->w;
	const KBuffer *b = &w->k->buffers.p[o->buffer];
	CostAccess a = {
		.buffer = o->buffer,
		.loop = x->loop,
		.store = store,
		.ahead = s->kind == ST_AHEAD,
		.bytes = dtype_info[b->dtype].bytes,
		.run = run,
		.weight = x->weight,
		.index = o->index,
		.nindex = o->nindex,
	};
	bool conds = true;

	if (b->scope == SCOPE_REG)
		return;
	for (uint32_t i = 0; i < s->nconds; i++)
		conds &= value_of(w, s->conds[i]) >= 0;
	if (s->kind == ST_AHEAD && !conds)
		return;
	Lie lie = x->lanes > 1 ? how_lies(x, &a) : LIE_STRAIGHT;
	a.stream = store && s->stream && conds;
	a.apart = lie == LIE_APART;
	VEC_PUSH(w->arena, x->ph->accesses, a);
	if (s->kind == ST_AHEAD)
		return;
	if (lie == LIE_APART)
		count(x, WORK_GATHER,
		      w->target->threads ? 1 : (double)x->lanes);
	else
		count(x, WORK_MOVE, vectors(x, b->dtype));
	if (lie == LIE_TURNED)
		count(x, WORK_SIMPLE, TURN_WORK);
	if (store && s->stream && s->nconds)
		count(x, WORK_SIMPLE, ASK_WORK);
}

/* The mean of a loop's extent over those around it, of which the last iteration
 * may have less. */
static double mean_extent(const Walk *x, Ex e)
{
	CostWalk *w = x->w;
	double n = extent_of(w, e), times = 1;
	int64_t keep[COST_MAX_LOOPS], axis[COST_MAX_LOOPS];
	int used = 0;

	for (int at = x->loop; at >= 0 && used < COST_MAX_LOOPS;
	     at = x->ph->loops.p[at].parent) {
		const CostLoop *l = &x->ph->loops.p[at];
		if (!ex_uses_axis(&w->ks->program->ex, e, l->axis))
			continue;
		keep[used] = w->axes[l->axis];
		axis[used++] = l->axis;
		w->axes[l->axis] = l->extent < 1 ? 0 : (int64_t)l->extent - 1;
		times *= l->extent;
	}
	double last = extent_of(w, e);
	for (int i = 0; i < used; i++)
		w->axes[axis[i]] = 0;
	double first = extent_of(w, e);
	for (int i = 0; i < used; i++)
		w->axes[axis[i]] = keep[i];
	return used && times >= 1 ? (first * (times - 1) + last) / times : n;
}

static void list(Walk *x, const StmtList *l);

static void segment(Walk *x)
{
	CostSegment s = {.loop = x->loop};

	x->segment = (int)x->ph->segments.n;
	VEC_PUSH(x->w->arena, x->ph->segments, s);
}

static void loop(Walk *x, const Stmt *s)
{
	CostWalk *w = x->w;
	Walk at = *x;
	double n = mean_extent(x, s->extent), turns = n;
	bool lanes = s->map == MAP_VECTOR || s->map == MAP_VUNROLL;
	CostLoop l = {.axis = s->axis,
		      .extent = n,
		      .map = s->map,
		      .lanes = s->lanes,
		      .parent = x->loop};

	l.times = x->loop < 0 ? 1
			      : x->ph->loops.p[x->loop].times *
					x->ph->loops.p[x->loop].extent;
	if (lanes && s->lanes > 1) {
		double whole = (double)((int64_t)n / s->lanes);
		double rest = n > whole * s->lanes;
		turns = whole + rest * (w->target->threads ? 1 : PART_VECTOR);
		at.lanes = s->lanes;
	}
	w->axes[s->axis] = (int64_t)n / 2;
	VEC_PUSH(w->arena, x->ph->loops, l);
	at.loop = (int)x->ph->loops.n - 1;
	if (lanes && x->segment == 0)
		segment(&at);
	x->ph->segments.p[at.segment].starts +=
		s->map == MAP_UNROLL ? 0 : x->bodies;
	at.bodies = x->bodies * turns;
	list(&at, &s->body);
}

static bool all_hold(const CostWalk *w, const Stmt *s)
{
	for (uint32_t i = 0; i < s->nconds; i++)
		if (value_of(w, s->conds[i]) < 0)
			return false;
	return true;
}

static bool asks(const CostWalk *w, const Stmt *s, int64_t axis)
{
	for (uint32_t i = 0; i < s->nconds; i++)
		if (ex_uses_axis(&w->ks->program->ex, s->conds[i], axis))
			return true;
	return false;
}

/* Places of each loop that a branch asks of, and the most of these loops. */
#define SAMPLES    8
#define MOST_ASKED 3

/* The share of the iterations around for which the branch holds: of samples of
 * the loops from `at` outwards. */
static double share_of(Walk *x, const Stmt *s, int at, int left)
{
	while (at >= 0 && !asks(x->w, s, x->ph->loops.p[at].axis))
		at = x->ph->loops.p[at].parent;
	if (at < 0 || left == 0)
		return all_hold(x->w, s);
	const CostLoop *l = &x->ph->loops.p[at];
	int64_t *axis = &x->w->axes[l->axis], kept = *axis;
	double sum = 0;
	int n = l->extent < SAMPLES ? (int)l->extent : SAMPLES;
	for (int i = 0; i < n; i++) {
		*axis = (int64_t)(l->extent * (2 * i + 1) / (2 * n));
		sum += share_of(x, s, l->parent, left - 1);
	}
	*axis = kept;
	return n ? sum / n : 0;
}

/* A GPU's threads do not overlap what different branches do. */
#define BRANCHED 1.5

static void branch(Walk *x, const Stmt *s)
{
	double share = share_of(x, s, x->loop, MOST_ASKED);
	Walk in = *x;

	in.weight *= share;
	in.bodies *= share * (x->w->target->threads ? BRANCHED : 1);
	if (share > 0)
		list(&in, &s->body);
	in.weight = x->weight * (1 - share);
	in.bodies = x->bodies * (1 - share);
	/* beside whole runs there is part of one */
	if (share == 0)
		list(&in, &s->orelse);
}

static void statement(Walk *x, const Stmt *s)
{
	KOperand o = {.buffer = s->buffer, .nindex = s->nindex};
	const Ex *index = s->index;

	for (int d = 0; d < s->nindex; d++)
		o.index[d] = index[d];
	if (s->var != NO_VAR && s->kind != ST_ACCUM && !x->w->used[s->var])
		return;
	switch (s->kind) {
	case ST_FOR:
		loop(x, s);
		break;
	case ST_IF:
		branch(x, s);
		break;
	case ST_AHEAD:
	case ST_LOAD:
	case ST_STORE: {
		KOperand *kept = arena_new(x->w->arena, KOperand);
		*kept = o;
		access(x, s, kept, s->kind == ST_STORE, 1);
		break;
	}
	case ST_COPY: {
		KOperand *kept = arena_new(x->w->arena, KOperand);
		*kept = o;
		access(x, s, &s->copy->from, false, s->copy->width);
		access(x, s, kept, true, s->copy->width);
		break;
	}
	case ST_OP:
		count(x, work_of(x->w, s), vectors(x, s->dtype));
		break;
	case ST_ROUND:
		count(x, s->dtype == s->from ? WORK_SIMPLE : WORK_CAST,
		      s->dtype == s->from ? 0 : vectors(x, s->dtype));
		break;
	case ST_ACCUM:
	case ST_ARG:
		count(x, WORK_FOLD, vectors(x, s->dtype));
		break;
	case ST_ACC:
		x->ph->segments.p[x->segment].folds += x->bodies;
		break;
	case ST_BOUND:
		x->w->axes[s->axis] = value_of(x->w, s->extent) / 2;
		count(x, WORK_SIMPLE, 2);
		break;
	case ST_MAC:
	case ST_INDEX:
	case ST_TEST:
	case ST_WORD:
	case ST_PART:
		count(x, WORK_SIMPLE, vectors(x, s->dtype));
		break;
	case ST_BOX:
	case ST_RUNS:
	case ST_DOT:
	case ST_CONST:
	case ST_KEEP:
	case ST_BARRIER:
	case ST_WAIT:
	case ST_SETTLE:
	case ST_FREE:
	case ST_COUNT:
		break;
	}
}

static void list(Walk *x, const StmtList *l)
{
	for (size_t i = 0; i < l->n; i++)
		statement(x, l->p[i]);
}

/* ---- phases ---------------------------------------------------------- */

static void mark_used(CostWalk *w, const StmtList *l, bool lanes)
{
	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		bool in = lanes ||
			  (s->kind == ST_FOR &&
			   (s->map == MAP_VECTOR || s->map == MAP_VUNROLL));
		for (uint32_t j = 0; j < s->nargs; j++)
			w->used[s->args[j]] = true;
		if (s->var != NO_VAR && !lanes)
			w->outside[s->var] = true;
		mark_used(w, &s->body, in);
		mark_used(w, &s->orelse, in);
	}
}

static void phase(CostWalk *w, CostPhase *ph)
{
	Walk x = {.w = w,
		  .ph = ph,
		  .loop = -1,
		  .lanes = 1,
		  .bodies = 1,
		  .weight = 1};

	ph->tasks = 1;
	segment(&x);
	for (size_t i = 0; i < ph->phase->tasks.n; i++) {
		const KAxis *a = &ph->phase->tasks.p[i];
		CostLoop l = {.axis = a->axis,
			      .extent = extent_of(w, a->extent),
			      .times = ph->tasks,
			      .parent = x.loop,
			      .lanes = 1,
			      .task = true};
		w->axes[a->axis] = (int64_t)l.extent / 2;
		ph->tasks *= l.extent;
		VEC_PUSH(w->arena, ph->loops, l);
		x.loop = (int)ph->loops.n - 1;
	}
	x.bodies = ph->tasks;
	list(&x, &ph->phase->body);
}

void cost_walk(CostWalk *w)
{
	const Kernel *k = w->k;

	w->axes = arena_array(w->arena, int64_t, k->naxes + 1);
	w->used = arena_array(w->arena, bool, k->nvars + 1);
	w->outside = arena_array(w->arena, bool, k->nvars + 1);
	for (size_t i = 0; i < k->phases.n; i++)
		mark_used(w, &k->phases.p[i].body, false);
	for (size_t i = 0; i < k->phases.n; i++) {
		CostPhase ph = {.phase = &k->phases.p[i]};
		if (kernel_call(k))
			continue;
		phase(w, &ph);
		VEC_PUSH(w->arena, w->phases, ph);
	}
}

Cost cost_lowered(const Realisation *re, const Regions *r, uint32_t region,
		  const Target *t, const Candidate *c, const int64_t *dims)
{
	ExprTab *table = (ExprTab *)&r->program->ex;
	bool overflow = table->overflow;
	ScratchArena a;

	scratch_begin(&a);
	Kernels ks = {.arena = &a.arena, .program = (Program *)r->program};
	Kernel k = {.name = "k", .region = region};
	CostWalk w = {.arena = &a.arena,
		      .ks = &ks,
		      .k = &k,
		      .target = t,
		      .dims = dims};
	re->lower(&ks, &k, r, t, c);
	cost_walk(&w);
	Cost cost = t->threads ? cost_gpu(&w) : cost_cpu(&w);
	scratch_end(&a);
	table->overflow = overflow;
	return cost;
}
