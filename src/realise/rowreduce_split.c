/*
 * rowreduce_split: rows in pieces.
 *
 * Rows that are long, and few, are dealt in pieces: a phase for each pass
 * leaves an accumulator a piece, and one after it folds these, in order. How
 * a row is cut depends on its length alone, so that its bits are those of
 * any number of threads. Whether it is cut depends on the number of rows as
 * well, unless the def asks for row_invariant: then only on whether the row
 * is too long for a core's cache, where cutting costs nothing.
 *
 * On a GPU a piece has a block of threads, whose part of the row is the same
 * whatever the row's length. Rows are cut where there are fewer than
 * multiprocessors and they are long enough to pay for the launches.
 */
#include "realise/rowreduce.h"

#include <string.h>

/* Elements of a row that with as much scratch, 4 bytes each, fits in L2. */
int64_t rows_longest(const Target *target)
{
	int64_t most = target->cache[1] / 8;

	return most > LEAST_CUT ? most : LEAST_CUT;
}

/* Steps of a GPU's block in a piece, and elements of a thread in one where they
 * come one by one. */
#define PIECE_STEPS 2
#define STEP_EACH   16

int64_t rows_piece(const Rows *w)
{
	int64_t each =
		w->run.width ? (int64_t)w->run.width * w->run.turns : STEP_EACH;

	return w->l.threads ? PIECE_STEPS * each * w->l.threads : PIECE;
}

bool rows_can_split(const Rows *w)
{
	const Region *reg = w->reg;

	if (w->across || reg->reduced == 0 || w->nkept + 1 > TN_MAX_RANK)
		return false;
	for (size_t i = 0; i < reg->values.n; i++) {
		ValueId id = reg->values.p[i];
		const Value *v = program_value(w->l.p, id);
		bool arg = rows_is_arg(v->op) &&
			   !(w->l.threads && rows_in_two(w, v));
		if (arg || v->op == OP_CUMSUM ||
		    (w->level[id] == 0 && !rows_is_full(w, id)))
			return false;
	}
	return true;
}

/* 1 where rows are cut, else 0. */
Ex rows_split_where(const Rows *w, const Target *target, Ex rows, Ex length)
{
	ExprTab *t = &w->l.p->ex;
	const Value *v = program_value(w->l.p, w->reg->anchor);
	bool invariant = v->relax & RELAX_ROW_INVARIANT;
	Ex one = ex_const(t, 1), least = ex_const(t, LEAST_CUT);
	Ex limit = ex_const(t, rows_longest(target));

	if (w->l.threads) {
		Ex cut = ex_min(t, one, ex_div(t, length, least));
		Ex many = ex_div(t, rows, ex_const(t, target->processors));
		return invariant ? cut
				 : ex_mul(t, cut,
					  ex_max(t, ex_const(t, 0),
						 ex_sub(t, one, many)));
	}
	if (!invariant)
		limit = ex_min(t, limit,
			       ex_mul(t, ex_max(t, rows, one), least));
	return ex_min(t, one, ex_div(t, length, limit));
}

/* ---- what goes from phase to phase ------------------------------------ */

/* The accumulators of all pieces; of an index those of its best value or of
 * its place. */
static uint32_t *parts_of(Rows *w, const Fold *f)
{
	return f->part == 1 ? &w->bests[f->value] : &w->acc[f->value];
}

void rows_store_part(Rows *w, const Fold *f)
{
	Ex at[TN_MAX_RANK + 1], shape[TN_MAX_RANK + 1];
	size_t n = (size_t)w->nkept;
	uint32_t *parts = parts_of(w, f);

	memcpy(shape, w->kept, n * sizeof(Ex));
	memcpy(at, w->row, n * sizeof(Ex));
	shape[n] = w->pieces;
	at[n] = w->piece;
	if (!*parts)
		*parts = lower_buffer(&w->l, SCOPE_SHARED,
				      f->part == 2 ? DT_I64 : f->acc_dtype,
				      shape, (uint8_t)(n + 1), "part") +
			 1;
	lower_store(&w->l, *parts - 1, at, f->acc);
}

static uint32_t kept_buffer(Rows *w, DType d, const char *name)
{
	return lower_buffer(&w->l, SCOPE_SHARED, d, w->kept, (uint8_t)w->nkept,
			    name) +
	       1;
}

/* What phases before have found out about the row at hand. */
static void bind_shared(Rows *w, int level)
{
	Ex index[TN_MAX_RANK];

	for (size_t i = 0; i < w->reg->values.n; i++) {
		ValueId id = w->reg->values.p[i];
		if (w->place[id] && w->level[id] == level + 1)
			w->best[id] =
				lower_load(&w->l, w->place[id] - 1, w->row);
		if (!w->keep[id] || w->level[id] > level)
			continue;
		rows_kept_index(w, program_value(w->l.p, id), index);
		lower_bind(&w->l, id, index,
			   lower_load(&w->l, w->keep[id] - 1, w->row));
	}
}

/* Part of the reduction that the pieces of pass level - 1 fold: as
 * rows_open_fold() has it, -1: none. */
static int part_at(const Rows *w, ValueId id, int level)
{
	const Value *v = program_value(w->l.p, id);
	bool two = rows_in_two(w, v);

	if (op_info[v->op].cls != OPC_REDUCE)
		return -1;
	if (two && w->level[id] == level + 1)
		return 1;
	return w->level[id] != level ? -1 : two ? 2 : 0;
}

static void fold_one(Rows *w, ValueId id, int part)
{
	Lower *l = &w->l;
	Ex at[TN_MAX_RANK + 1];
	Fold f = rows_open_fold(w, id, part);
	DType d = part == 2 ? DT_I64 : f.acc_dtype;

	memcpy(at, w->row, (size_t)w->nkept * sizeof(Ex));
	/* on a CPU one of thousands of elements: not worth a vector's code */
	at[w->nkept] =
		lower_for(l, w->pieces, l->threads ? MAP_VECTOR : MAP_SERIAL,
			  l->threads ? l->threads : 1);
	lower_accum(l, f.acc, f.op, d, lower_load(l, *parts_of(w, &f) - 1, at));
	lower_end(l);
	if (part == 1) {
		w->place[id] = kept_buffer(w, d, "best");
		lower_store(l, w->place[id] - 1, w->row, f.acc);
	}
	rows_close_fold(w, &f);
}

/* The pieces' accumulators of a pass folded, and what rests on them. */
static void fold_pieces(Rows *w, int level)
{
	Lower *l = &w->l;
	Ex index[TN_MAX_RANK];

	bind_shared(w, level - 1);
	for (size_t i = 0; i < w->reg->values.n; i++) {
		int part = part_at(w, w->reg->values.p[i], level);
		if (part >= 0)
			fold_one(w, w->reg->values.p[i], part);
	}
	rows_values(w, level);
	for (size_t i = 0; i < w->reg->values.n && level < w->passes; i++) {
		ValueId id = w->reg->values.p[i];
		const Value *v = program_value(l->p, id);
		if (w->level[id] != level || rows_is_full(w, id))
			continue;
		rows_kept_index(w, v, index);
		w->keep[id] = kept_buffer(w, v->dtype, "kept");
		lower_store(l, w->keep[id] - 1, w->row,
			    lower_value(l, id, index));
	}
}

/* A phase of the split over rows; lower_end() closes the row. */
static void open_split(Rows *w, const char *name, int pass, Ex where)
{
	Lower *l = &w->l;

	lower_phase(l, arena_printf(l->arena, "%s%d", name, pass));
	(void)lower_task(l, where);
	lower_rows(l, w->kept, w->nkept, ex_const(&l->p->ex, 1), w->row);
}

/* Whether something follows from the pieces of pass level - 1. */
static bool kept_at(const Rows *w, int level)
{
	for (size_t i = 0; i < w->reg->values.n; i++) {
		ValueId id = w->reg->values.p[i];
		if ((w->level[id] == level && !rows_is_full(w, id)) ||
		    part_at(w, id, level) == 1)
			return true;
	}
	return false;
}

void rows_lower_split(Rows *w, Ex where)
{
	Lower *l = &w->l;
	ExprTab *t = &l->p->ex;
	Ex inner = ex_const(t, 1);

	w->split = true;
	w->held = false;
	w->row_axis = -1;
	memset(w->cache, 0, l->p->values.n * sizeof(*w->cache));
	w->piece_axis = __builtin_ctz(w->reg->reduced);
	for (int d = w->piece_axis + 1; d < w->reg->rank; d++)
		if (rows_reduces(w->reg, d))
			inner = ex_mul(t, inner, w->reg->space[d]);
	Ex extent = w->reg->space[w->piece_axis];
	Ex size = lower_chunk(l, rows_piece(w), inner);
	w->pieces = ex_ceil_div(t, extent, size);
	for (int pass = 0; pass < w->passes; pass++) {
		if (rows_pass_has_work(w, pass)) {
			open_split(w, "pass", pass, where);
			w->piece = lower_task(l, w->pieces);
			w->piece_first = ex_mul(t, w->piece, size);
			w->piece_size = ex_min(
				t, size, ex_sub(t, extent, w->piece_first));
			bind_shared(w, pass);
			rows_lower_pass(w, pass);
			lower_end(l);
		}
		if (kept_at(w, pass + 1)) {
			open_split(w, "fold", pass, where);
			fold_pieces(w, pass + 1);
			lower_end(l);
		}
	}
}
