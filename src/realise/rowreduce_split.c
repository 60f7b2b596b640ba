/*
 * rowreduce_split: rows in pieces.
 *
 * Rows that are long, and few, are dealt in pieces: a phase for each pass
 * leaves an accumulator a piece, and one after it folds these, in order. How
 * a row is cut depends on its length alone, so that its bits are those of
 * any number of threads. Whether it is cut depends on the number of rows as
 * well, unless the def asks for row_invariant: then only on whether the row
 * is too long for a core's cache, where cutting costs nothing.
 */
#include "realise/rowreduce.h"

#include <string.h>

/* Elements of a row that with as much scratch, 4 bytes each, fits in L2. */
int64_t rows_longest(const Target *target)
{
	int64_t most = target->cache[1] / 8, least = PIECE * MIN_PIECES;

	return most > least ? most : least;
}

bool rows_can_split(const Rows *w)
{
	const Region *reg = w->reg;

	if (w->across || reg->reduced == 0 || w->nkept + 1 > TN_MAX_RANK)
		return false;
	for (size_t i = 0; i < reg->values.n; i++) {
		ValueId id = reg->values.p[i];
		const Value *v = program_value(w->l.p, id);
		if (rows_is_arg(v->op) || v->op == OP_CUMSUM ||
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
	int64_t least = PIECE * MIN_PIECES;
	Ex limit = ex_const(t, rows_longest(target));

	if (!(v->relax & RELAX_ROW_INVARIANT))
		limit = ex_min(t, limit,
			       ex_mul(t, ex_max(t, rows, ex_const(t, 1)),
				      ex_const(t, least)));
	return ex_min(t, ex_const(t, 1), ex_div(t, length, limit));
}

static void bind_shared(Rows *w, int level)
{
	Ex index[TN_MAX_RANK];

	for (size_t i = 0; i < w->reg->values.n; i++) {
		ValueId id = w->reg->values.p[i];
		if (!w->keep[id] || w->level[id] > level)
			continue;
		rows_kept_index(w, program_value(w->l.p, id), index);
		lower_bind(&w->l, id, index,
			   lower_load(&w->l, w->keep[id] - 1, w->row));
	}
}

/* The pieces' accumulators of a pass folded, and what rests on them. */
static void fold_pieces(Rows *w, int level)
{
	Lower *l = &w->l;
	Ex index[TN_MAX_RANK], at[TN_MAX_RANK + 1];

	bind_shared(w, level - 1);
	for (size_t i = 0; i < w->reg->values.n; i++) {
		ValueId id = w->reg->values.p[i];
		const Value *v = program_value(l->p, id);
		if (w->level[id] != level || op_info[v->op].cls != OPC_REDUCE)
			continue;
		Fold f = rows_open_fold(w, id, 0);
		memcpy(at, w->row, (size_t)w->nkept * sizeof(Ex));
		/* one of thousands of elements: not worth a vector's code */
		at[w->nkept] = lower_for(l, w->pieces, MAP_SERIAL, 1);
		lower_accum(l, f.acc, f.op, f.acc_dtype,
			    lower_load(l, w->acc[id] - 1, at));
		lower_end(l);
		rows_close_fold(w, &f);
	}
	rows_values(w, level);
	for (size_t i = 0; i < w->reg->values.n; i++) {
		ValueId id = w->reg->values.p[i];
		const Value *v = program_value(l->p, id);
		if (w->level[id] != level || rows_is_full(w, id))
			continue;
		rows_kept_index(w, v, index);
		w->keep[id] = lower_buffer(l, SCOPE_SHARED, v->dtype, w->kept,
					   (uint8_t)w->nkept, "kept") +
			      1;
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

static bool kept_at(const Rows *w, int level)
{
	for (size_t i = 0; i < w->reg->values.n; i++)
		if (w->level[w->reg->values.p[i]] == level &&
		    !rows_is_full(w, w->reg->values.p[i]))
			return true;
	return false;
}

void rows_lower_split(Rows *w, Ex where)
{
	Lower *l = &w->l;
	ExprTab *t = &l->p->ex;
	Ex inner = ex_const(t, 1);

	w->split = true;
	w->row_axis = -1;
	memset(w->cache, 0, l->p->values.n * sizeof(*w->cache));
	w->piece_axis = __builtin_ctz(w->reg->reduced);
	for (int d = w->piece_axis + 1; d < w->reg->rank; d++)
		if (rows_reduces(w->reg, d))
			inner = ex_mul(t, inner, w->reg->space[d]);
	Ex extent = w->reg->space[w->piece_axis];
	Ex size = lower_chunk(l, PIECE, inner);
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
