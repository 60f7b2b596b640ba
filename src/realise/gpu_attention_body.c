/*
 * gpu_attention_body: the kernel of attention on a GPU.
 *
 * A task is a block of queries against all keys. Tiles of keys and values come
 * to the block's memory by asynchronous copies, in a ring, while those before
 * are multiplied; scores, weights and sums stay in registers, a warp having
 * whole rows of 16 queries, so that a row's folds are a thread's own until the
 * keys are done, and four threads' then.
 *
 *	sweep n	scores of all keys, tile by tile; folds of what waits for n
 *		reductions of the row
 *	last	the same, and the second product of the weights as they come
 *	tile	what follows the second product
 *
 * Each sweep makes the scores anew, from the same operands in the same order,
 * so to the same bits. Online softmax (Milakov and Gimelshein, 2018; Dao et
 * al., FlashAttention, 2022; its second version has the warps' rows and the
 * weights in registers that are used here) makes one sweep, and rounds the
 * weights under a maximum that the program does not have: boundaries move
 * (docs/decisions/attention.md). A second sweep costs half as much multiplying
 * again and no exponentials, and nothing is rescaled.
 *
 * An operand that cannot be copied as it lies is written to memory first, by a
 * phase of its own, as gpu_contract_mma.c does.
 */
#include "realise/gpu_attention.h"

#include "ir/view.h"
#include "realise/gpu_contract.h"

#include <string.h>

/* An operand of a product: its memory, and where tiles of it go. */
typedef struct Side {
	GpuProduct p;   /* for questions of its memory */
	int number;     /* of the operand */
	bool across;    /* V: the product sums over its rows */
	bool lies;      /* copies take it as it lies */
	int64_t length; /* elements of a row */
	uint32_t packing, tile;
	bool varies[TN_MAX_RANK]; /* with the batch axis */
} Side;

typedef struct GpuAttend {
	Attend w;
	int64_t par[A_COUNT];
	int64_t head, width, parts; /* E, V, tiles of 16 rows a warp */
	DType element;
	Side q, k, v;
	uint32_t scores, weights, out, skipped, poison;
	int last;
	uint32_t *results; /* registers of pairs of results */
} GpuAttend;

typedef struct Fold {
	ValueId value;
	Op op;
	DType dtype;
	uint32_t acc; /* registers [threads][parts][2] */
} Fold;
typedef VEC(Fold) Folds;

/* ---- small things ---------------------------------------------------- */

static Ex num(const GpuAttend *x, int64_t n)
{
	return ex_const(x->w.t, n);
}

static bool divides(const GpuAttend *x, int64_t by, Ex extent)
{
	return ex_equals(x->w.t, ex_mod(x->w.t, extent, num(x, by)), 0);
}

static Ex over_threads(GpuAttend *x)
{
	int64_t threads = x->par[A_THREADS];

	return lower_for(&x->w.l, num(x, threads), MAP_VECTOR, (int)threads);
}

/* Opens a branch that is taken where `at` is below the extent; nothing where
 * that is known, the extent being whole blocks of `by`. */
static bool open_inside(GpuAttend *x, Ex at, Ex extent, int64_t by)
{
	ExprTab *t = x->w.t;
	bool whole = divides(x, by, extent);
	Ex room = ex_sub(t, ex_sub(t, extent, at), num(x, 1));

	lower_if(&x->w.l, &room, whole ? 0 : 1);
	return !whole;
}

static void row_index(const Attend *w, Ex row, Ex *index)
{
	memcpy(index, w->at, (size_t)w->batch * sizeof(Ex));
	index[w->batch] = row;
	index[w->batch + 1] = ex_const(w->t, 0);
}

/* A thread's sums: row of the block and first column of sums [t][i][j][h]. */
static Ex row_of(const GpuAttend *x, const Ex *at)
{
	ExprTab *t = x->w.t;
	Ex warp = ex_div(t, at[0], num(x, MMA_THREADS));
	Ex lane = ex_mod(t, at[0], num(x, MMA_THREADS));
	Ex row = ex_mul(t, warp, num(x, MMA_ROWS * x->parts));

	row = ex_add(t, row, ex_mul(t, at[1], num(x, MMA_ROWS)));
	row = ex_add(t, row, ex_mul(t, at[3], num(x, MMA_ROWS / 2)));
	return ex_add(t, row, ex_div(t, lane, num(x, QUAD)));
}

static Ex column_of(const GpuAttend *x, const Ex *at)
{
	ExprTab *t = x->w.t;
	Ex quad = ex_mod(t, at[0], num(x, QUAD));

	return ex_add(t, ex_mul(t, at[2], num(x, MMA_COLUMNS)),
		      ex_mul(t, quad, num(x, 2)));
}

/* Opens loops over threads and their rows, at[0], at[1] and at[3]. */
static void open_rows(GpuAttend *x, Ex at[5])
{
	at[0] = over_threads(x);
	at[1] = lower_for(&x->w.l, num(x, x->parts), MAP_UNROLL, 1);
	at[3] = lower_for(&x->w.l, num(x, 2), MAP_UNROLL, 1);
	at[2] = at[4] = num(x, 0);
}

static void close(GpuAttend *x, int loops)
{
	while (loops--)
		lower_end(&x->w.l);
}

static void clear(GpuAttend *x, uint32_t sums)
{
	Lower *l = &x->w.l;
	const KBuffer *b = &l->k->buffers.p[sums];
	Ex at[5], columns = b->shape[2];
	DType d = b->dtype;

	open_rows(x, at);
	at[2] = lower_for(l, columns, MAP_UNROLL, 1);
	at[4] = lower_for(l, num(x, 2), MAP_UNROLL, 1);
	lower_store(l, sums, at, lower_zero(l, d));
	close(x, 5);
}

/* ---- operands -------------------------------------------------------- */

/* Names an element: row is a query or a key, e its place in the row. */
static ValueId element_at(const Side *s, Ex row, Ex e, Ex *index)
{
	return s->across ? gp_operand(&s->p, s->number, e, row, index)
			 : gp_operand(&s->p, s->number, row, e, index);
}

static void set_batch(GpuAttend *x, Side *s)
{
	memcpy(s->p.at, x->w.at, sizeof(s->p.at));
}

/* Writes K or V to memory, whole tiles of keys filled up with zeros. */
static void pack(GpuAttend *x, Side *s, const char *phase, const char *buffer)
{
	Lower *l = &x->w.l;
	ExprTab *t = x->w.t;
	Ex shape[K_MAX_RANK], to[K_MAX_RANK], index[TN_MAX_RANK];
	Ex keys = num(x, x->par[A_KEYS]), row = num(x, s->length);
	int n = 0;

	for (; n < x->w.batch; n++)
		shape[n] = s->varies[n] ? s->p.v->shape[n] : num(x, 1);
	shape[n] = ex_mul(t, ex_max(t, x->w.tiles, num(x, 1)), keys);
	shape[n + 1] = row;
	s->packing = lower_buffer(l, SCOPE_SHARED, x->element, shape,
				  (uint8_t)(n + 2), buffer);
	lower_phase(l, phase);
	for (int d = 0; d < n; d++)
		x->w.at[d] = to[d] =
			s->varies[d] ? lower_task(l, shape[d]) : num(x, 0);
	set_batch(x, s);
	Ex tile = lower_task(l, ex_max(t, x->w.tiles, num(x, 1)));
	Ex i = lower_for(l, ex_mul(t, keys, row), MAP_VECTOR, l->threads);
	to[n] = ex_add(t, ex_mul(t, tile, keys), ex_div(t, i, row));
	to[n + 1] = ex_mod(t, i, row);
	bool part = open_inside(x, to[n], x->w.keys, x->par[A_KEYS]);
	ValueId v = element_at(s, to[n], to[n + 1], index);
	lower_store(l, s->packing, to, lower_value(l, v, index));
	if (part) {
		lower_else(l);
		lower_store(l, s->packing, to, lower_zero(l, x->element));
	}
	close(x, 2);
}

/* A thread's pieces of 16 bytes of a tile of `rows` rows: opens the loops over
 * them, to be closed by close(x, 3). */
static void open_pieces(GpuAttend *x, const Side *s, int64_t rows, Ex *row,
			Ex *at)
{
	Lower *l = &x->w.l;
	ExprTab *t = x->w.t;
	int64_t width = COPY_BYTES / 2, per = s->length / width;
	int64_t pieces = rows * per, threads = x->par[A_THREADS];
	int64_t turns = (pieces + threads - 1) / threads;
	Ex tid = over_threads(x);
	Ex turn = lower_for(l, num(x, turns), MAP_UNROLL, 1);
	Ex piece = ex_add(t, tid, ex_mul(t, turn, num(x, threads)));
	Ex room = ex_sub(t, num(x, pieces - 1), piece);

	lower_if(l, &room, pieces % threads ? 1 : 0);
	*row = ex_div(t, piece, num(x, per));
	*at = ex_mul(t, ex_mod(t, piece, num(x, per)), num(x, width));
}

/* Asks for a tile of K or V. */
static void ask(GpuAttend *x, Side *s, Ex tile)
{
	Lower *l = &x->w.l;
	ExprTab *t = x->w.t;
	int64_t keys = x->par[A_KEYS];
	KOperand from = {.buffer = s->packing};
	Ex to[3], row, cond;
	uint32_t nconds = 0;

	set_batch(x, s);
	open_pieces(x, s, keys, &row, &to[2]);
	to[0] = ex_mod(t, tile, num(x, x->par[A_STAGES]));
	to[1] = row;
	row = ex_add(t, ex_mul(t, tile, num(x, keys)), row);
	if (s->lies) {
		from = s->across ? gp_place(&s->p, s->number, to[2], row)
				 : gp_place(&s->p, s->number, row, to[2]);
		cond = ex_sub(t, ex_sub(t, x->w.keys, row), num(x, 1));
		nconds = divides(x, keys, x->w.keys) ? 0 : 1;
	} else {
		for (; from.nindex < x->w.batch; from.nindex++)
			from.index[from.nindex] = s->varies[from.nindex]
							  ? x->w.at[from.nindex]
							  : num(x, 0);
		from.index[from.nindex++] = row;
		from.index[from.nindex++] = to[2];
	}
	lower_copy(l, s->tile, to, &from, COPY_BYTES / 2, true, &cond, nconds);
	close(x, 3);
}

/* The block's queries, zeros where there are none. */
static void load_queries(GpuAttend *x)
{
	Lower *l = &x->w.l;
	ExprTab *t = x->w.t;
	Side *s = &x->q;
	Ex to[2], row, index[TN_MAX_RANK];

	set_batch(x, s);
	if (s->lies) {
		open_pieces(x, s, x->par[A_ROWS], &to[0], &to[1]);
		row = ex_add(t, x->w.row0, to[0]);
		KOperand from = gp_place(&s->p, 0, row, to[1]);
		Ex cond = ex_sub(t, ex_sub(t, x->w.queries, row), num(x, 1));
		lower_copy(l, s->tile, to, &from, COPY_BYTES / 2, true, &cond,
			   divides(x, x->par[A_ROWS], x->w.queries) ? 0 : 1);
		close(x, 3);
		return;
	}
	Ex n = num(x, s->length);
	Ex i = lower_for(l, num(x, x->par[A_ROWS] * s->length), MAP_VECTOR,
			 l->threads);
	to[0] = ex_div(t, i, n);
	to[1] = ex_mod(t, i, n);
	row = ex_add(t, x->w.row0, to[0]);
	bool part = open_inside(x, row, x->w.queries, x->par[A_ROWS]);
	ValueId v = element_at(s, row, to[1], index);
	lower_store(l, s->tile, to, lower_value(l, v, index));
	if (part) {
		lower_else(l);
		lower_store(l, s->tile, to, lower_zero(l, x->element));
	}
	close(x, 2);
}

/* ---- what causal masks skip ------------------------------------------ */

/*
 * What the keys of a tile add to each column where they weigh nothing: 0 times
 * their values, NaN where one is infinite or NaN.
 */
static void skipped_values(GpuAttend *x)
{
	Lower *l = &x->w.l;
	ExprTab *t = x->w.t;
	Side *s = &x->v;
	Ex shape[K_MAX_RANK], to[K_MAX_RANK], index[TN_MAX_RANK];
	Ex keys = num(x, x->par[A_KEYS]);
	int n = 0;

	for (; n < x->w.batch; n++)
		shape[n] = s->varies[n] ? s->p.v->shape[n] : num(x, 1);
	shape[n] = ex_max(t, x->w.tiles, num(x, 1));
	shape[n + 1] = num(x, x->width);
	x->skipped = lower_buffer(l, SCOPE_SHARED, x->w.acc, shape,
				  (uint8_t)(n + 2), "skipped");
	lower_phase(l, "skipped");
	for (int d = 0; d < n; d++)
		x->w.at[d] = to[d] =
			s->varies[d] ? lower_task(l, shape[d]) : num(x, 0);
	set_batch(x, s);
	to[n] = lower_task(l, shape[n]);
	to[n + 1] = lower_for(l, shape[n + 1], MAP_VECTOR, l->threads);
	VarId sum = lower_acc(l, OP_ADD, x->w.acc, NO_VAR);
	Ex first = ex_mul(t, to[n], keys);
	Ex i = lower_for(l, ex_min(t, keys, ex_sub(t, x->w.keys, first)),
			 MAP_SERIAL, 1);
	ValueId v = element_at(s, ex_add(t, first, i), to[n + 1], index);
	VarId args[2] = {
		lower_zero(l, x->w.acc),
		lower_cast(l, x->w.acc, x->element, lower_value(l, v, index))};
	lower_accum(l, sum, OP_ADD, x->w.acc,
		    lower_op(l, OP_MUL, x->w.acc, x->w.acc, args, 2, NO_VALUE));
	close(x, 1);
	lower_store(l, x->skipped, to, sum);
	close(x, 1);
}

/* The sum of that over the tiles that the block skips. */
static void poison(GpuAttend *x)
{
	Lower *l = &x->w.l;
	ExprTab *t = x->w.t;
	Ex at[K_MAX_RANK], width = num(x, x->width);
	int n = 0;

	x->poison =
		lower_buffer(l, SCOPE_WORKER, x->w.acc, &width, 1, "poison");
	for (; n < x->w.batch; n++)
		at[n] = x->v.varies[n] ? x->w.at[n] : num(x, 0);
	at[n + 1] = lower_for(l, width, MAP_VECTOR, l->threads);
	VarId sum = lower_acc(l, OP_ADD, x->w.acc, NO_VAR);
	Ex i = lower_for(l, ex_sub(t, x->w.tiles, x->w.seen_tiles), MAP_SERIAL,
			 1);
	at[n] = ex_add(t, x->w.seen_tiles, i);
	lower_accum(l, sum, OP_ADD, x->w.acc, lower_load(l, x->skipped, at));
	close(x, 1);
	lower_store(l, x->poison, &at[n + 1], sum);
	close(x, 1);
}

/* ---- sweeps ---------------------------------------------------------- */

static bool is_reduce(const Value *v)
{
	return op_info[v->op].cls == OPC_REDUCE;
}

static bool is_fold(const GpuAttend *x, ValueId id, int level)
{
	return x->w.l.r->part[id] == PART_BODY &&
	       is_reduce(program_value(x->w.l.p, id)) &&
	       x->w.level[id] == level;
}

/* The folds of a sweep, in registers that start from their identities. */
static Folds open_folds(GpuAttend *x, int sweep)
{
	Lower *l = &x->w.l;
	Ex shape[3] = {num(x, x->par[A_THREADS]), num(x, x->parts), num(x, 2)};
	Folds folds = {0};

	for (size_t i = 0; i < x->w.reg->values.n; i++) {
		ValueId id = x->w.reg->values.p[i];
		const Value *v = program_value(l->p, id);
		if (!is_fold(x, id, sweep + 1))
			continue;
		bool sums = v->op == OP_SUM || v->op == OP_PROD;
		Fold f = {
			.value = id,
			.op = attend_fold(v->op),
			.dtype = sums ? v->acc
				      : program_value(l->p, v->args[0])->dtype};
		f.acc = lower_buffer(l, SCOPE_REG, f.dtype, shape, 3, "fold");
		Ex at[5];
		open_rows(x, at);
		Ex to[3] = {at[0], at[1], at[3]};
		lower_store(l, f.acc, to, lower_identity(l, f.op, f.dtype));
		close(x, 3);
		VEC_PUSH(l->arena, folds, f);
	}
	return folds;
}

/* What four threads have folded of a row, in the order of threads: all of them
 * keep it. */
static void end_fold(GpuAttend *x, const Fold *f)
{
	Lower *l = &x->w.l;
	ExprTab *t = x->w.t;
	const Value *v = program_value(l->p, f->value);
	Ex shape[3] = {num(x, x->par[A_ROWS]), num(x, QUAD), 0}, at[5], to[2];
	uint32_t part =
		lower_buffer(l, SCOPE_WORKER, f->dtype, shape, 2, "part");

	open_rows(x, at);
	Ex own[3] = {at[0], at[1], at[3]};
	to[0] = row_of(x, at);
	to[1] = ex_mod(t, at[0], num(x, QUAD));
	lower_store(l, part, to, lower_load(l, f->acc, own));
	close(x, 3);

	shape[0] = num(x, x->par[A_THREADS]);
	shape[1] = num(x, x->parts);
	shape[2] = num(x, 2);
	uint32_t kept = lower_buffer(l, SCOPE_REG, v->dtype, shape, 3, "kept");
	open_rows(x, at);
	own[0] = at[0];
	own[1] = at[1];
	own[2] = at[3];
	to[0] = row_of(x, at);
	to[1] = num(x, 0);
	VarId all = lower_load(l, part, to);
	for (int i = 1; i < QUAD; i++) {
		to[1] = num(x, i);
		VarId args[2] = {all, lower_load(l, part, to)};
		all = lower_op(l, f->op, f->dtype, f->dtype, args, 2, NO_VALUE);
	}
	lower_store(l, kept, own,
		    lower_round(l, v->dtype, f->dtype, all, f->value));
	close(x, 3);
	x->w.kept[f->value] = kept + 1;
}

/* Binds what is known of a row after `level` reductions. */
static void bind_kept(GpuAttend *x, int level, const Ex *at, Ex row)
{
	Attend *w = &x->w;
	Ex index[TN_MAX_RANK], own[3] = {at[0], at[1], at[3]};

	row_index(w, row, index);
	for (size_t i = 0; i < w->reg->values.n; i++) {
		ValueId id = w->reg->values.p[i];
		if (w->kept[id] && w->level[id] <= level)
			lower_bind(&w->l, id, index,
				   lower_load(&w->l, w->kept[id] - 1, own));
	}
}

/* A score, and what the sweep makes of it. */
static void element(GpuAttend *x, const Folds *folds, const Ex *at,
		    const Ex *index, bool weighs)
{
	Attend *w = &x->w;
	Lower *l = &w->l;

	lower_bind(l, w->first, index,
		   lower_round(l, w->s->dtype, w->acc,
			       lower_load(l, x->scores, at), w->first));
	for (size_t i = 0; i < folds->n; i++) {
		const Fold *f = &folds->p[i];
		const Value *v = program_value(l->p, f->value);
		Ex own[3] = {at[0], at[1], at[3]};
		VarId in = lower_value(l, v->args[0], index);
		VarId args[2] = {
			lower_load(l, f->acc, own),
			lower_cast(l, f->dtype,
				   program_value(l->p, v->args[0])->dtype, in)};
		lower_store(l, f->acc, own,
			    lower_op(l, f->op, f->dtype, f->dtype, args, 2,
				     NO_VALUE));
	}
	if (weighs)
		lower_store(l, x->weights, at,
			    lower_value(l, w->o->args[0], index));
}

/* All scores that the threads have of a tile; of one that is not whole those
 * whose keys there are. */
static void elements(GpuAttend *x, int sweep, const Folds *folds, Ex tile,
		     bool whole)
{
	Attend *w = &x->w;
	Lower *l = &w->l;
	ExprTab *t = w->t;
	Ex at[5], index[TN_MAX_RANK];
	int64_t keys = x->par[A_KEYS];
	bool weighs = sweep == x->last;

	open_rows(x, at);
	Ex row = ex_add(t, w->row0, row_of(x, at));
	open_inside(x, row, w->queries, x->par[A_ROWS]);
	bind_kept(x, sweep, at, row);
	at[2] = lower_for(l, num(x, keys / MMA_COLUMNS), MAP_UNROLL, 1);
	at[4] = lower_for(l, num(x, 2), MAP_UNROLL, 1);
	row_index(w, row, index);
	Ex key = ex_add(t, ex_mul(t, tile, num(x, keys)),
			ex_add(t, column_of(x, at), at[4]));
	index[w->batch + 1] = key;
	Ex room = ex_sub(t, ex_sub(t, w->keys, key), num(x, 1));
	lower_if(l, &room, whole ? 0 : 1);
	element(x, folds, at, index, weighs);
	if (!whole && weighs) {
		lower_else(l);
		lower_store(l, x->weights, at, lower_zero(l, x->element));
	}
	close(x, 7);
}

/* The same of any tile. */
static void tile_elements(GpuAttend *x, int sweep, const Folds *folds, Ex tile)
{
	ExprTab *t = x->w.t;
	Ex keys = num(x, x->par[A_KEYS]);
	Ex room = ex_sub(t, x->w.keys, ex_mul(t, tile, keys));

	room = ex_sub(t, room, keys);
	if (divides(x, x->par[A_KEYS], x->w.keys)) {
		elements(x, sweep, folds, tile, true);
		return;
	}
	lower_if(&x->w.l, &room, 1);
	elements(x, sweep, folds, tile, true);
	lower_else(&x->w.l);
	elements(x, sweep, folds, tile, false);
	close(x, 1);
}

static void multiply(GpuAttend *x, bool values, Ex tile)
{
	Ex zero = num(x, 0), at[5] = {zero, zero, zero, zero, zero};
	const Side *s = values ? &x->v : &x->k;
	int64_t step = MMA_BYTES / 2;
	KDot d = {
		.unit = UNIT_MMA,
		.before = num(x, 1),
		.rows = x->par[A_ROWS],
		.columns = values ? x->width : x->par[A_KEYS],
		.steps = num(x, (values ? x->par[A_KEYS] : x->head) / step),
		.down = x->par[A_THREADS] / MMA_THREADS,
		.turned = {false, values},
		.in = {{values ? x->weights : x->q.tile,
			values ? 5 : 2,
			{zero, zero, zero, zero, zero}},
		       {s->tile,
			3,
			{ex_mod(x->w.t, tile, num(x, x->par[A_STAGES])), zero,
			 zero}}},
	};

	lower_dot(&x->w.l, &d, x->element, values ? x->out : x->scores, at,
		  values ? x->w.reg->anchor : x->w.first);
}

static void ask_both(GpuAttend *x, bool values, Ex tile)
{
	ExprTab *t = x->w.t;
	Ex there = ex_sub(t, ex_sub(t, x->w.seen_tiles, num(x, 1)), tile);

	lower_if(&x->w.l, &there, 1);
	ask(x, &x->k, tile);
	if (values)
		ask(x, &x->v, tile);
	close(x, 1);
}

static void sweep(GpuAttend *x, int number)
{
	Lower *l = &x->w.l;
	ExprTab *t = x->w.t;
	int stages = (int)x->par[A_STAGES];
	bool values = number == x->last;
	Folds folds = open_folds(x, number);

	for (int i = 0; i + 1 < stages; i++) {
		ask_both(x, values, num(x, i));
		if (i + 2 < stages)
			lower_wait(l, stages - 2);
	}
	Ex tile = lower_for(l, x->w.seen_tiles, MAP_SERIAL, 1);
	lower_wait(l, stages - 2);
	(void)lower_append(l, ST_BARRIER);
	ask_both(x, values, ex_add(t, tile, num(x, stages - 1)));
	clear(x, x->scores);
	multiply(x, false, tile);
	tile_elements(x, number, &folds, tile);
	if (values)
		multiply(x, true, tile);
	close(x, 1);
	lower_wait(l, 0);
	for (size_t i = 0; i < folds.n; i++)
		end_fold(x, &folds.p[i]);
}

/* ---- results --------------------------------------------------------- */

static bool is_rows(const GpuAttend *x, ValueId v)
{
	return x->w.l.r->part[v] == PART_BODY;
}

/* Whether pairs of a result go to memory at once. */
static bool stores_pairs(const GpuAttend *x, ValueId id)
{
	const Value *v = program_value(x->w.l.p, id);

	return v->rank == x->w.o->rank &&
	       !memcmp(v->shape, x->w.o->shape, v->rank * sizeof(Ex)) &&
	       dtype_info[v->dtype].bytes >= 2;
}

static void result_element(GpuAttend *x, const Ex *at, const Ex *index)
{
	Lower *l = &x->w.l;
	const Region *reg = x->w.reg;
	VarId sum = lower_load(l, x->out, at);

	if (x->w.causal) {
		VarId args[2] = {
			sum, lower_load(l, x->poison, &index[x->w.batch + 1])};
		sum = lower_op(l, OP_ADD, x->w.acc, x->w.acc, args, 2,
			       NO_VALUE);
	}
	lower_bind(l, reg->anchor, index,
		   lower_round(l, x->w.o->dtype, x->w.acc, sum, reg->anchor));
	for (size_t i = 0; i < reg->values.n; i++)
		if (l->r->part[reg->values.p[i]] == PART_EPILOGUE)
			lower_value(l, reg->values.p[i], index);
	for (size_t i = 0; i < reg->outputs.n; i++) {
		ValueId v = reg->outputs.p[i];
		Ex to[2] = {at[0], at[4]};
		if (is_rows(x, v))
			continue;
		if (stores_pairs(x, v))
			lower_store(l, x->results[i], to,
				    lower_value(l, v, index));
		else
			lower_result(l, v, index);
	}
}

static void results(GpuAttend *x)
{
	Lower *l = &x->w.l;
	ExprTab *t = x->w.t;
	const Region *reg = x->w.reg;
	Ex at[5], index[TN_MAX_RANK];
	Ex pair[2] = {num(x, x->par[A_THREADS]), num(x, 2)};

	x->results = arena_array(l->arena, uint32_t, reg->outputs.n + 1);
	for (size_t i = 0; i < reg->outputs.n; i++)
		if (!is_rows(x, reg->outputs.p[i]) &&
		    stores_pairs(x, reg->outputs.p[i]))
			x->results[i] = lower_buffer(
				l, SCOPE_REG,
				program_value(l->p, reg->outputs.p[i])->dtype,
				pair, 2, "result");
	open_rows(x, at);
	Ex row = ex_add(t, x->w.row0, row_of(x, at));
	open_inside(x, row, x->w.queries, x->par[A_ROWS]);
	bind_kept(x, x->last + 1, at, row);
	row_index(&x->w, row, index);
	/* a row's own results, by the first of its threads */
	Ex first = ex_sub(t, num(x, 0), ex_mod(t, at[0], num(x, QUAD)));
	lower_if(l, &first, 1);
	for (size_t i = 0; i < reg->outputs.n; i++)
		if (is_rows(x, reg->outputs.p[i]))
			lower_result(l, reg->outputs.p[i], index);
	close(x, 1);
	at[2] = lower_for(l, num(x, x->width / MMA_COLUMNS), MAP_UNROLL, 1);
	Ex column = column_of(x, at);
	at[4] = lower_for(l, num(x, 2), MAP_UNROLL, 1);
	index[x->w.batch + 1] = ex_add(t, column, at[4]);
	result_element(x, at, index);
	close(x, 1);
	index[x->w.batch + 1] = column;
	for (size_t i = 0; i < reg->outputs.n; i++) {
		ValueId v = reg->outputs.p[i];
		KOperand from = {.buffer = x->results[i],
				 .nindex = 2,
				 .index = {at[0], num(x, 0)}};
		if (!is_rows(x, v) && stores_pairs(x, v))
			lower_copy(l, lower_output(l, v), index, &from, 2,
				   false, NULL, 0);
	}
	close(x, 5);
}

/* ---- the kernel ------------------------------------------------------ */

static void side_init(GpuAttend *x, Side *s, const Value *v, int number,
		      int64_t length)
{
	const Attend *w = &x->w;
	GpuProduct *p = &s->p;

	*p = (GpuProduct){.l = w->l, .t = w->t, .v = v, .batch = w->batch};
	p->m = w->queries;
	p->n = v->shape[w->batch + 1];
	p->k = program_value(w->l.p, v->args[0])->shape[w->batch + 1];
	s->number = number;
	s->across = number && v == w->o;
	s->length = length;
	for (int d = 0; d < w->batch; d++) {
		p->at[d] = num(x, 0);
		s->varies[d] = gp_batch_varies(p, number, d);
	}
	s->lies = gp_lies(p, number, !s->across, COPY_BYTES / 2);
}

static void buffers(GpuAttend *x)
{
	Lower *l = &x->w.l;
	int64_t threads = x->par[A_THREADS], keys = x->par[A_KEYS];
	int64_t pad = COPY_BYTES / 2;
	Ex two = num(x, 2);
	Ex sums[5] = {num(x, threads), num(x, x->parts),
		      num(x, keys / MMA_COLUMNS), two, two};
	Ex tile[3] = {num(x, x->par[A_ROWS]), num(x, x->head + pad), 0};

	x->q.tile =
		lower_buffer(l, SCOPE_WORKER, x->element, tile, 2, "queries");
	tile[0] = num(x, x->par[A_STAGES]);
	tile[1] = num(x, keys);
	tile[2] = num(x, x->head + pad);
	x->k.tile = lower_buffer(l, SCOPE_WORKER, x->element, tile, 3, "keys");
	tile[2] = num(x, x->width + pad);
	x->v.tile =
		lower_buffer(l, SCOPE_WORKER, x->element, tile, 3, "values");
	x->scores = lower_buffer(l, SCOPE_REG, x->w.acc, sums, 5, "scores");
	x->weights = lower_buffer(l, SCOPE_REG, x->element, sums, 5, "weights");
	sums[2] = num(x, x->width / MMA_COLUMNS);
	x->out = lower_buffer(l, SCOPE_REG, x->w.acc, sums, 5, "out");
}

/* Sweeps that the reductions and the weights need. */
static int last_sweep(const GpuAttend *x)
{
	Ex map[TN_MAX_RANK];
	const Attend *w = &x->w;
	int last = w->level[view_base(w->l.p, w->o->args[0], map)];

	for (size_t i = 0; i < w->reg->values.n; i++) {
		ValueId id = w->reg->values.p[i];
		if (w->l.r->part[id] == PART_BODY &&
		    is_reduce(program_value(w->l.p, id)) &&
		    w->level[id] > last + 1)
			last = w->level[id] - 1;
	}
	return last;
}

void gpu_attend_lower(Kernels *ks, Kernel *k, const Regions *r,
		      const int64_t *par)
{
	GpuAttend x;
	Attend *w = &x.w;
	Lower *l = &w->l;

	memset(&x, 0, sizeof(x));
	for (int i = 0; i < A_COUNT; i++)
		x.par[i] = par[i];
	attend_init(w, ks, k, r, x.par[A_KEYS]);
	l->threads = (int)x.par[A_THREADS];
	ExprTab *t = w->t;
	bug_if(!ex_is_const(t, w->head, &x.head) ||
	       !ex_is_const(t, w->width, &x.width));
	x.element = program_value(l->p, w->s->args[0])->dtype;
	x.parts = x.par[A_ROWS] * MMA_THREADS / MMA_ROWS / x.par[A_THREADS];
	x.last = last_sweep(&x);
	side_init(&x, &x.q, w->s, 0, x.head);
	side_init(&x, &x.k, w->s, 1, x.head);
	side_init(&x, &x.v, w->o, 1, x.width);
	if (!x.k.lies)
		pack(&x, &x.k, "pack_k", "packed_k");
	if (!x.v.lies)
		pack(&x, &x.v, "pack_v", "packed_v");
	if (w->causal)
		skipped_values(&x);
	buffers(&x);

	lower_phase(l, "main");
	Ex rows = num(&x, x.par[A_ROWS]);
	Ex blocks = ex_ceil_div(t, w->queries, rows), block = num(&x, 0);
	/* the longest first, so that the last to be done are short */
	if (w->causal)
		block = ex_sub(t, ex_sub(t, blocks, num(&x, 1)),
			       lower_task(l, blocks));
	for (int d = 0; d < w->batch; d++)
		w->at[d] = lower_task(l, w->o->shape[d]);
	if (!w->causal)
		block = lower_task(l, blocks);
	w->row0 = ex_mul(t, block, rows);
	attend_bound(w, x.par[A_ROWS], x.par[A_KEYS]);
	load_queries(&x);
	clear(&x, x.out);
	clear(&x, x.weights);
	/* literals and the scale, once */
	for (size_t i = 0; i < w->reg->values.n; i++) {
		ValueId id = w->reg->values.p[i];
		if (program_value(l->p, id)->rank == 0 &&
		    l->r->part[id] == PART_PROLOGUE)
			lower_value(l, id, NULL);
	}
	for (int i = 0; i <= x.last; i++)
		sweep(&x, i);
	if (w->causal)
		poison(&x);
	results(&x);
	k->note = arena_printf(
		l->arena,
		"both products by the matrix unit mma, sums in its "
		"accumulator %s; scores and weights in registers, made anew "
		"in each of %d sweeps over the keys%s",
		acc_kind_name[unit_acc(UNIT_MMA, w->acc)], x.last + 1,
		w->causal ? "; keys that no query of a block sees are skipped"
			  : "");
}
