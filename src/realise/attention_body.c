/*
 * attention_body: the loops of an attention kernel.
 *
 * Both products are the same loop nest: a tile of `wide` scalars by the
 * block's queries, summed over the head dim or over keys. attention.c says
 * what each part is for.
 */
#include "realise/attention.h"

#include "ir/view.h"

#include <string.h>

static Ex num(const Attend *w, int64_t n)
{
	return ex_const(w->t, n);
}

/* A loop over the block's queries, lanes or whole. */
static Ex over_queries(Attend *w)
{
	return lower_for(&w->l, num(w, w->par[AP_ROWS]), MAP_VUNROLL,
			 (int)w->par[AP_LANES]);
}

static void row_index(const Attend *w, Ex row, Ex *index)
{
	memcpy(index, w->at, (size_t)w->batch * sizeof(Ex));
	index[w->batch] = row;
}

/* ---- operands -------------------------------------------------------- */

/*
 * A side of a product whose elements are the scalars of its tiles: K, read
 * transposed at [batch, e, key], or V at [batch, key, column]. `summed` is
 * the axis that the product sums over, `place` the tile's.
 */
typedef struct Side {
	ValueId value;
	int64_t wide;  /* scalars of a tile */
	uint32_t copy; /* buffer + 1 of what a tile or a block reads, or 0 */
} Side;

/* The operand's element, in the accumulator's dtype. */
static VarId operand(Attend *w, const Side *x, Ex summed, Ex place)
{
	Ex index[TN_MAX_RANK];

	memcpy(index, w->at, (size_t)w->batch * sizeof(Ex));
	index[w->batch] = summed;
	index[w->batch + 1] = place;
	return lower_cast(&w->l, w->acc, program_value(w->l.p, x->value)->dtype,
			  lower_value(&w->l, x->value, index));
}

/* Whether memory runs along the axis that the product sums over. */
static bool runs_along_sum(Attend *w, const Side *x)
{
	Ex index[TN_MAX_RANK];
	int64_t axis = w->l.k->naxes; /* that no loop uses */

	memcpy(index, w->at, (size_t)w->batch * sizeof(Ex));
	index[w->batch] = ex_axis(w->t, axis);
	index[w->batch + 1] = num(w, 0);
	return lower_stride(&w->l, x->value, index, axis) == 1;
}

#define LINE 64 /* bytes */
/* Elements of a row that are asked for without a loop, whose end would be
 * mispredicted: that costs more than the questions. */
#define ASKED_AT_ONCE 256

/*
 * Asks for `scalars` scalars from `place` on, each over `length` of the sum
 * from `start` on. Hardware sees that tiles follow each other only where their
 * rows do, and late.
 */
static void ask(Attend *w, const Side *x, Ex place, Ex scalars, Ex start,
		Ex length)
{
	Lower *l = &w->l;
	ExprTab *t = w->t;
	Ex index[TN_MAX_RANK];
	Ex *sum = &index[w->batch], *scalar = &index[w->batch + 1];
	bool along = runs_along_sum(w, x);
	int lanes =
		LINE / dtype_info[program_value(l->p, x->value)->dtype].bytes;
	Ex line = num(w, lanes), row = along ? length : scalars;
	LoopMap map = MAP_VECTOR;
	KOperand at;
	int64_t n;

	memcpy(index, w->at, (size_t)w->batch * sizeof(Ex));
	*sum = start;
	*scalar = place;
	if (!w->par[AP_AHEAD] || !lower_place(l, x->value, index, &at))
		return;
	if (ex_is_const(t, row, &n) && n <= ASKED_AT_ONCE) {
		row = ex_mul(t, ex_ceil_div(t, row, line), line);
		map = MAP_VUNROLL;
	}
	Ex i = lower_for(l, along ? scalars : length, MAP_SERIAL, 1);
	Ex j = lower_for(l, row, map, lanes);
	*sum = ex_add(t, start, along ? j : i);
	*scalar = ex_add(t, place, along ? i : j);
	lower_place(l, x->value, index, &at);
	lower_ask(l, at.buffer, at.index);
	lower_end(l);
	lower_end(l);
}

/* The keys of a tile, [keys, e]. Those beyond the last stay what they were:
 * what comes of them is not read. */
static void copy_keys(Attend *w, const Side *k, Ex place)
{
	Lower *l = &w->l;
	Ex to[2];

	to[0] = lower_for(
		l, ex_min(w->t, num(w, k->wide), ex_sub(w->t, w->keys, place)),
		MAP_SERIAL, 1);
	to[1] = lower_for(l, w->head, MAP_VECTOR, (int)w->par[AP_LANES]);
	lower_store(l, k->copy - 1, to,
		    operand(w, k, to[1], ex_add(w->t, place, to[0])));
	lower_end(l);
	lower_end(l);
}

/* A key's values, as row j of the block's, [block, columns]. */
static void copy_values(Attend *w, const Side *v, Ex key, Ex j)
{
	Lower *l = &w->l;
	Ex n = lower_for(l, w->width, MAP_VECTOR, (int)w->par[AP_LANES]);
	Ex to[2] = {j, n};

	lower_store(l, v->copy - 1, to, operand(w, v, key, n));
	lower_end(l);
}

/* ---- products -------------------------------------------------------- */

/*
 * One tile: to[row0 + i][query] (+)= sum over `length` of scalar i by
 * from[n][query]. The sum goes on from what `to` holds if it resumes.
 */
typedef struct Tile {
	const Side *side;
	bool keys;    /* K; else V */
	int64_t wide; /* scalars of this tile */
	Ex place;     /* of its first scalar on the operand's axis */
	Ex start;     /* of the sum on the operand's axis */
	Ex length;    /* of the sum */
	uint32_t from, to;
	Ex row0;
	bool resumes;
} Tile;

static VarId tile_scalar(Attend *w, const Tile *x, Ex n, Ex i)
{
	Ex at[2];

	if (!x->side->copy)
		return operand(w, x->side, ex_add(w->t, x->start, n),
			       ex_add(w->t, x->place, i));
	at[0] = x->keys ? i : n;
	at[1] = x->keys ? n : ex_add(w->t, x->place, i);
	return lower_load(&w->l, x->side->copy - 1, at);
}

static void tile(Attend *w, const Tile *x)
{
	Lower *l = &w->l;
	Ex wide = num(w, x->wide), queries = num(w, w->par[AP_QUERIES]);
	Ex shape[2] = {wide, queries}, at[2], to[2], from[2];
	uint32_t acc = lower_buffer(l, SCOPE_REG, w->acc, shape, 2, "acc");
	uint32_t right =
		lower_buffer(l, SCOPE_REG, w->acc, &queries, 1, "right");
	int lanes = (int)w->par[AP_LANES];

	/* scalars that the first part brought to the L1 cache serve all */
	Ex part = lower_for(l, ex_ceil_div(w->t, w->nrows, queries), MAP_SERIAL,
			    1);
	Ex first = ex_mul(w->t, part, queries);

	at[0] = lower_for(l, wide, MAP_UNROLL, 1);
	at[1] = lower_for(l, queries, MAP_VUNROLL, lanes);
	to[0] = ex_add(w->t, x->row0, at[0]);
	to[1] = ex_add(w->t, first, at[1]);
	lower_store(l, acc, at,
		    x->resumes ? lower_load(l, x->to, to)
			       : lower_zero(l, w->acc));
	lower_end(l);
	lower_end(l);

	from[0] = lower_for(l, x->length, MAP_SERIAL, 1);
	at[1] = lower_for(l, queries, MAP_VUNROLL, lanes);
	from[1] = ex_add(w->t, first, at[1]);
	lower_store(l, right, &at[1], lower_load(l, x->from, from));
	lower_end(l);
	at[0] = lower_for(l, wide, MAP_UNROLL, 1);
	VarId scalar = tile_scalar(w, x, from[0], at[0]);
	at[1] = lower_for(l, queries, MAP_VUNROLL, lanes);
	VarId lane = lower_load(l, right, &at[1]);
	VarId old = lower_load(l, acc, at);
	lower_store(l, acc, at, lower_mac(l, w->acc, scalar, lane, old));
	lower_end(l);
	lower_end(l);
	lower_end(l);

	at[0] = lower_for(l, wide, MAP_UNROLL, 1);
	at[1] = lower_for(l, queries, MAP_VUNROLL, lanes);
	to[0] = ex_add(w->t, x->row0, at[0]);
	to[1] = ex_add(w->t, first, at[1]);
	lower_store(l, x->to, to, lower_load(l, acc, at));
	lower_end(l);
	lower_end(l);
	lower_end(l);
}

/* ---- passes ---------------------------------------------------------- */

typedef struct Fold {
	ValueId value;
	Op op;
	DType dtype;
	uint32_t acc; /* registers: [rows] */
} Fold;
typedef VEC(Fold) Folds;

static bool is_rows(const Attend *w, ValueId v)
{
	return w->l.r->part[v] == PART_BODY;
}

static bool is_reduce(const Value *v)
{
	return op_info[v->op].cls == OPC_REDUCE;
}

Op attend_fold(Op op)
{
	if (op == OP_SUM)
		return OP_ADD;
	if (op == OP_PROD)
		return OP_MUL;
	return op == OP_MAX ? OP_MAXIMUM : OP_MINIMUM;
}

/* The folds of a pass, each in registers that start from its identity. */
static Folds open_folds(Attend *w, int pass)
{
	Lower *l = &w->l;
	Folds folds = {0};
	Ex rows = num(w, w->par[AP_ROWS]);

	for (size_t i = 0; i < w->reg->values.n; i++) {
		ValueId id = w->reg->values.p[i];
		const Value *v = program_value(l->p, id);
		if (!is_rows(w, id) || !is_reduce(v) ||
		    w->level[id] != pass + 1)
			continue;
		bool sums = v->op == OP_SUM || v->op == OP_PROD;
		Fold f = {.value = id, .op = attend_fold(v->op)};
		f.dtype =
			sums ? v->acc : program_value(l->p, v->args[0])->dtype;
		f.acc = lower_buffer(l, SCOPE_REG, f.dtype, &rows, 1, "fold");
		Ex q = over_queries(w);
		lower_store(l, f.acc, &q, lower_identity(l, f.op, f.dtype));
		lower_end(l);
		VEC_PUSH(l->arena, folds, f);
	}
	return folds;
}

/* What is known once a query is bound at its index, for the query at q. */
static void bind_kept(Attend *w, int level, const Ex *row, Ex q)
{
	Lower *l = &w->l;
	Ex index[TN_MAX_RANK];

	for (size_t i = 0; i < w->reg->values.n; i++) {
		ValueId id = w->reg->values.p[i];
		if (!w->kept[id] || w->level[id] > level)
			continue;
		/* with extent 1 in place of the reduced axis, or without */
		memcpy(index, row, (size_t)(w->batch + 1) * sizeof(Ex));
		index[w->batch + 1] = num(w, 0);
		lower_bind(l, id, index, lower_load(l, w->kept[id] - 1, &q));
	}
}

/* Values a query that wait for exactly `level` reductions. */
static void kept_values(Attend *w, int level, const Folds *folds)
{
	Lower *l = &w->l;
	Ex rows = num(w, w->par[AP_ROWS]), row[TN_MAX_RANK];

	for (size_t i = 0; i < w->reg->values.n; i++) {
		ValueId id = w->reg->values.p[i];
		const Value *v = program_value(l->p, id);
		const Fold *f = NULL;
		if (!is_rows(w, id) || w->level[id] != level ||
		    (!is_reduce(v) && w->full[id]))
			continue;
		for (size_t k = 0; k < folds->n; k++)
			if (folds->p[k].value == id)
				f = &folds->p[k];
		uint32_t b = lower_buffer(l, SCOPE_WORKER, v->dtype, &rows, 1,
					  "kept");
		Ex q = over_queries(w);
		row_index(w, ex_add(w->t, w->row0, q), row);
		row[w->batch + 1] = num(w, 0);
		bind_kept(w, level, row, q);
		VarId x = f ? lower_round(l, v->dtype, f->dtype,
					  lower_load(l, f->acc, &q), id)
			    : lower_value(l, id, row);
		lower_store(l, b, &q, x);
		lower_end(l);
		w->kept[id] = b + 1;
	}
}

/*
 * The work of a pass on one key and the query at lane q: raw is the first
 * product's element in pass 0, to the second product's weight in the last.
 */
static void pass_element(Attend *w, int pass, const Folds *folds, Ex key,
			 const Ex *raw, const Ex *weight)
{
	Lower *l = &w->l;
	Ex q = over_queries(w), index[TN_MAX_RANK], at[2] = {key, q};

	row_index(w, ex_add(w->t, w->row0, q), index);
	index[w->batch + 1] = key;
	bind_kept(w, pass, index, q);
	if (raw) {
		Ex from[2] = {*raw, q};
		VarId x = lower_load(l, w->raw, from);
		lower_bind(l, w->first, index,
			   lower_round(l, w->s->dtype, w->acc, x, w->first));
	}
	for (size_t i = 0; i < w->reg->values.n; i++) {
		ValueId id = w->reg->values.p[i];
		if (w->held[id] && w->level[id] < pass && w->used[id] >= pass)
			lower_bind(l, id, index,
				   lower_load(l, w->held[id] - 1, at));
	}
	for (size_t i = 0; i < folds->n; i++) {
		const Fold *f = &folds->p[i];
		const Value *v = program_value(l->p, f->value);
		VarId x = lower_value(l, v->args[0], index);
		VarId old = lower_load(l, f->acc, &q);
		VarId args[2] = {
			old,
			lower_cast(l, f->dtype,
				   program_value(l->p, v->args[0])->dtype, x)};
		lower_store(l, f->acc, &q,
			    lower_op(l, f->op, f->dtype, f->dtype, args, 2,
				     NO_VALUE));
	}
	if (weight) {
		ValueId id = w->o->args[0];
		Ex to[2] = {*weight, q};
		lower_store(l, w->weights, to,
			    lower_cast(l, w->acc,
				       program_value(l->p, id)->dtype,
				       lower_value(l, id, index)));
	}
	for (size_t i = 0; i < w->reg->values.n; i++) {
		ValueId id = w->reg->values.p[i];
		if (w->held[id] && w->level[id] == pass)
			lower_store(l, w->held[id] - 1, at,
				    lower_value(l, id, index));
	}
	lower_end(l);
}

/* ---- the task -------------------------------------------------------- */

/* The block's queries, transposed; 0 where there are fewer. */
static void load_queries(Attend *w)
{
	Lower *l = &w->l;
	ExprTab *t = w->t;
	Ex index[TN_MAX_RANK], to[2], last = ex_sub(t, w->queries, num(w, 1));
	ValueId q = w->s->args[0];
	int lanes = (int)w->par[AP_LANES];

	/* squares of lanes x lanes, which the emitter transposes */
	Ex g = lower_for(l, num(w, w->par[AP_ROWS] / lanes), MAP_SERIAL, 1);
	to[0] = lower_for(l, w->head, MAP_VECTOR, lanes);
	Ex i = lower_for(l, num(w, lanes), MAP_UNROLL, 1);
	to[1] = ex_add(t, ex_mul(t, g, num(w, lanes)), i);
	row_index(w, ex_add(t, w->row0, to[1]), index);
	index[w->batch + 1] = to[0];
	lower_guard(l, ex_sub(t, last, index[w->batch]));
	lower_store(l, w->query, to,
		    lower_cast(l, w->acc, program_value(l->p, q)->dtype,
			       lower_value(l, q, index)));
	lower_end(l);
	lower_end(l);
	lower_end(l);
}

/* Scores tile by tile, and the first pass on each. */
static void scores(Attend *w, const Side *k, const Folds *folds)
{
	Lower *l = &w->l;
	ExprTab *t = w->t;
	Ex wide = num(w, k->wide), whole = w->seen_tiles;
	Tile x = {.side = k,
		  .keys = true,
		  .wide = k->wide,
		  .length = w->head,
		  .from = w->query,
		  .to = w->raw,
		  .row0 = num(w, 0),
		  .start = num(w, 0)};

	if (!k->copy)
		whole = ex_div(t, w->keys, wide);
	if (!k->copy && w->causal)
		whole = ex_min(t, w->seen_tiles, whole);
	Ex n = lower_for(l, whole, MAP_SERIAL, 1);
	x.place = ex_mul(t, n, wide);
	if (k->copy)
		copy_keys(w, k, x.place);
	ask(w, k, ex_add(t, x.place, wide), wide, x.start, w->head);
	tile(w, &x);
	Ex used = k->copy ? ex_min(t, wide, ex_sub(t, w->keys, x.place)) : wide;
	Ex i = lower_for(l, used, MAP_SERIAL, 1);
	pass_element(w, 0, folds, ex_add(t, x.place, i), &i, NULL);
	lower_end(l);
	lower_end(l);
	if (k->copy)
		return;
	/* the keys that are left, one by one */
	Ex done = ex_mul(t, whole, wide);
	Ex rest = lower_for(l, ex_sub(t, w->seen, done), MAP_SERIAL, 1);
	x.wide = 1;
	x.place = ex_add(t, done, rest);
	tile(w, &x);
	pass_element(w, 0, folds, x.place, &x.row0, NULL);
	lower_end(l);
}

/* The last pass and the second product of what it yields, by blocks. */
static void values(Attend *w, const Side *v, const Folds *folds)
{
	Lower *l = &w->l;
	ExprTab *t = w->t;
	Ex block = num(w, w->par[AP_BLOCK]), wide = num(w, v->wide);
	int64_t width;

	Ex n = lower_for(l, ex_ceil_div(t, w->seen, block), MAP_SERIAL, 1);
	Ex start = ex_mul(t, n, block);
	Ex length = ex_min(t, block, ex_sub(t, w->seen, start));
	Ex j = lower_for(l, length, MAP_SERIAL, 1);
	Ex key = ex_add(t, start, j);
	if (v->copy)
		copy_values(w, v, key, j);
	if (!runs_along_sum(w, v))
		ask(w, v, num(w, 0), w->width, ex_add(t, key, block),
		    num(w, 1));
	pass_element(w, w->last, folds, key, NULL, &j);
	lower_end(l);
	Tile x = {.side = v,
		  .wide = v->wide,
		  .start = start,
		  .length = length,
		  .from = w->weights,
		  .to = w->out,
		  .resumes = true};
	Ex whole = v->copy ? ex_ceil_div(t, w->width, wide)
			   : ex_div(t, w->width, wide);
	x.place = x.row0 = ex_mul(t, lower_for(l, whole, MAP_SERIAL, 1), wide);
	tile(w, &x);
	lower_end(l);
	if (!v->copy) {
		/* the columns that are left: at once when known, or singly */
		Ex done = ex_mul(t, whole, wide);
		bool known = ex_is_const(t, w->width, &width);
		Ex left = ex_sub(t, w->width, done);
		x.wide = known ? width % v->wide : 1;
		Ex i = known ? num(w, 0) : lower_for(l, left, MAP_SERIAL, 1);
		x.place = x.row0 = ex_add(t, done, i);
		if (x.wide)
			tile(w, &x);
		if (!known)
			lower_end(l);
	}
	lower_end(l);
}

/*
 * What keys that were skipped add to each column: 0 times their values, so
 * NaN where one is infinite or NaN. A 64th of the work that was skipped.
 */
static void poison(Attend *w, const Side *v)
{
	Lower *l = &w->l;
	Ex n = lower_for(l, w->width, MAP_VECTOR, (int)w->par[AP_LANES]);
	VarId sum = lower_acc(l, OP_ADD, w->acc, NO_VAR);
	Ex i = lower_for(l, ex_sub(w->t, w->keys, w->seen), MAP_SERIAL, 1);
	VarId args[2] = {
		lower_zero(l, w->acc),
		operand(w, v, ex_add(w->t, w->seen, i), n),
	};
	lower_accum(l, sum, OP_ADD, w->acc,
		    lower_op(l, OP_MUL, w->acc, w->acc, args, 2, NO_VALUE));
	lower_end(l);
	lower_store(l, w->poison, &n, sum);
	lower_end(l);
}

/* Whether what follows the second product reads memory, which runs along
 * columns, beside it. */
static bool tile_loads(const Attend *w)
{
	const Regions *r = w->l.r;

	for (size_t i = 0; i < w->reg->values.n; i++) {
		const Value *v = program_value(w->l.p, w->reg->values.p[i]);
		if (r->part[w->reg->values.p[i]] != PART_EPILOGUE)
			continue;
		for (uint32_t k = 0; k < v->nargs; k++) {
			Ex map[TN_MAX_RANK];
			ValueId b = view_base(w->l.p, v->args[k], map);
			if (program_value(w->l.p, b)->rank > 0 &&
			    r->of[b] != w->l.region_index)
				return true;
		}
	}
	return false;
}

/* The results of one element, at lane or row i of the block. */
static void result_element(Attend *w, Ex column, Ex i, Ex *index)
{
	Lower *l = &w->l;
	const Region *reg = w->reg;
	Ex from[2] = {column, i};
	VarId sum = lower_load(l, w->out, from);

	index[w->batch + 1] = column;
	if (w->causal) {
		VarId args[2] = {sum, lower_load(l, w->poison, &column)};
		sum = lower_op(l, OP_ADD, w->acc, w->acc, args, 2, NO_VALUE);
	}
	lower_bind(l, reg->anchor, index,
		   lower_round(l, w->o->dtype, w->acc, sum, reg->anchor));
	for (size_t k = 0; k < reg->values.n; k++)
		if (l->r->part[reg->values.p[k]] == PART_EPILOGUE)
			lower_value(l, reg->values.p[k], index);
	for (size_t k = 0; k < reg->outputs.n; k++)
		if (!is_rows(w, reg->outputs.p[k]))
			lower_result(l, reg->outputs.p[k], index);
}

/* Opens a loop over the block's rows, in which their kept values are bound. */
static Ex over_rows(Attend *w, LoopMap map, Ex *index)
{
	Ex i = lower_for(&w->l, w->nrows, map,
			 map == MAP_VECTOR ? (int)w->par[AP_LANES] : 1);

	row_index(w, ex_add(w->t, w->row0, i), index);
	index[w->batch + 1] = num(w, 0);
	bind_kept(w, w->last + 1, index, i);
	return i;
}

/*
 * The second product's boundary and what follows. Sums lie by columns and
 * results by rows: squares of lanes x lanes, which the emitter transposes,
 * and the columns that are left row by row.
 */
static void results(Attend *w)
{
	Lower *l = &w->l;
	ExprTab *t = w->t;
	Ex index[TN_MAX_RANK], done = num(w, 0), i;
	int lanes = (int)w->par[AP_LANES];

	i = over_rows(w, MAP_VECTOR, index);
	for (size_t k = 0; k < w->reg->outputs.n; k++)
		if (is_rows(w, w->reg->outputs.p[k]))
			lower_result(l, w->reg->outputs.p[k], index);
	lower_end(l);
	if (!tile_loads(w)) {
		Ex squares = ex_div(t, w->width, num(w, lanes));
		Ex g = lower_for(l, squares, MAP_SERIAL, 1);
		i = over_rows(w, MAP_VECTOR, index);
		Ex n = lower_for(l, num(w, lanes), MAP_UNROLL, 1);
		result_element(w, ex_add(t, ex_mul(t, g, num(w, lanes)), n), i,
			       index);
		lower_end(l);
		lower_end(l);
		lower_end(l);
		done = ex_mul(t, squares, num(w, lanes));
	}
	Ex left = ex_sub(t, w->width, done);
	if (ex_equals(t, left, 0))
		return;
	i = over_rows(w, MAP_SERIAL, index);
	Ex n = lower_for(l, left, MAP_VECTOR, lanes);
	result_element(w, ex_add(t, done, n), i, index);
	lower_end(l);
	lower_end(l);
}

/*
 * Tiles of keys that some query of the block sees: visible is key <= row + c
 * and the last row sees the most. One tile at least, so that a row that sees
 * nothing still has its NaN.
 */
void attend_bound(Attend *w, int64_t rows, int64_t keys)
{
	ExprTab *t = w->t;
	Ex index[TN_MAX_RANK], cond[2], tile = num(w, keys);

	w->seen = w->keys;
	w->seen_tiles = w->tiles;
	if (!w->causal)
		return;
	row_index(w, ex_add(t, w->row0, num(w, rows - 1)), index);
	index[w->batch + 1] = num(w, 0);
	lower_compare(&w->l, w->visible, index, cond);
	Ex most = ex_max(t, num(w, 1), ex_add(t, cond[0], num(w, 1)));
	w->seen_tiles = ex_min(t, w->tiles, ex_ceil_div(t, most, tile));
	w->seen = ex_min(t, w->keys, ex_mul(t, w->seen_tiles, tile));
}

/* Scratch of a worker. */
static void scratch(Attend *w, Side *k, Side *v)
{
	Ex rows = num(w, w->par[AP_ROWS]);
	Ex shape[2] = {w->head, rows};
	Ex wide = num(w, v->wide);

	w->query = lower_buffer(&w->l, SCOPE_WORKER, w->acc, shape, 2, "query");
	shape[0] = num(w, w->par[AP_KEYS]);
	w->raw = lower_buffer(&w->l, SCOPE_WORKER, w->acc, shape, 2, "raw");
	shape[0] = num(w, w->par[AP_BLOCK]);
	w->weights =
		lower_buffer(&w->l, SCOPE_WORKER, w->acc, shape, 2, "weights");
	shape[0] = ex_mul(w->t, ex_ceil_div(w->t, w->width, wide), wide);
	w->out = lower_buffer(&w->l, SCOPE_WORKER, w->acc, shape, 2, "out");
	if (w->par[AP_COPY_K]) {
		shape[0] = num(w, k->wide);
		shape[1] = w->head;
		k->copy = lower_buffer(&w->l, SCOPE_WORKER, w->acc, shape, 2,
				       "k_copy") +
			  1;
	}
	if (w->par[AP_COPY_V]) {
		shape[1] =
			ex_mul(w->t, ex_ceil_div(w->t, w->width, wide), wide);
		shape[0] = num(w, w->par[AP_BLOCK]);
		v->copy = lower_buffer(&w->l, SCOPE_WORKER, w->acc, shape, 2,
				       "v_copy") +
			  1;
	}
	if (w->causal)
		w->poison = lower_buffer(&w->l, SCOPE_WORKER, w->acc, &w->width,
					 1, "poison");
}

static void clear_out(Attend *w)
{
	Lower *l = &w->l;
	Ex to[2];

	to[0] = lower_for(l, l->k->buffers.p[w->out].shape[0], MAP_SERIAL, 1);
	to[1] = over_queries(w);
	lower_store(l, w->out, to, lower_zero(l, w->acc));
	lower_end(l);
	lower_end(l);
}

static void middle_pass(Attend *w, int pass)
{
	Folds folds = open_folds(w, pass);
	Ex key = lower_for(&w->l, w->seen, MAP_SERIAL, 1);

	pass_element(w, pass, &folds, key, NULL, NULL);
	lower_end(&w->l);
	kept_values(w, pass + 1, &folds);
}

void attend_kernel(Attend *w)
{
	Lower *l = &w->l;
	ExprTab *t = w->t;
	Side k = {.value = w->s->args[1], .wide = w->par[AP_KEYS]};
	Side v = {.value = w->o->args[1], .wide = w->par[AP_COLUMNS]};
	Ex rows = num(w, w->par[AP_ROWS]);
	Folds none = {0};

	lower_phase(l, "main");
	for (int d = 0; d < w->batch; d++)
		w->at[d] = lower_task(l, w->o->shape[d]);
	w->row0 = ex_mul(t, lower_task(l, ex_ceil_div(t, w->queries, rows)),
			 rows);
	w->nrows = ex_min(t, rows, ex_sub(t, w->queries, w->row0));
	attend_bound(w, w->par[AP_ROWS], w->par[AP_KEYS]);
	scratch(w, &k, &v);
	load_queries(w);
	clear_out(w);
	/* literals and the scale, once */
	for (size_t i = 0; i < w->reg->values.n; i++) {
		ValueId id = w->reg->values.p[i];
		if (program_value(l->p, id)->rank == 0 &&
		    l->r->part[id] == PART_PROLOGUE)
			lower_value(l, id, NULL);
	}
	kept_values(w, 0, &none);
	Folds folds = open_folds(w, 0);
	scores(w, &k, &folds);
	kept_values(w, 1, &folds);
	for (int pass = 1; pass < w->last; pass++)
		middle_pass(w, pass);
	folds = open_folds(w, w->last);
	values(w, &v, &folds);
	kept_values(w, w->last + 1, &folds);
	if (w->causal)
		poison(w, &v);
	results(w);
}
