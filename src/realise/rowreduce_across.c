/*
 * rowreduce_across: reductions whose last axis is kept.
 *
 * A task has a block of columns, walks the reduced axes outside and the columns
 * inside, so that memory is read in runs, and keeps accumulators and kept
 * values of its columns in scratch, one a column. Lanes run across the columns.
 */
#include "realise/rowreduce.h"

/* Of a block: a few vectors of each in L1, or a column for each thread. */
static int64_t block_columns(const Rows *w)
{
	return w->l.threads ? w->l.threads : 16 * w->lanes;
}

/* The loop over the block's columns, to be closed by lower_end(). */
static void open_columns(Rows *w)
{
	Lower *l = &w->l;

	w->column = lower_for(l, w->columns,
			      w->lanes > 1 ? MAP_VECTOR : MAP_SERIAL, w->lanes);
	w->row[w->nkept - 1] = ex_add(&l->p->ex, w->first, w->column);
}

static uint32_t column_buffer(Rows *w, uint32_t *made, DType dtype,
			      const char *name)
{
	Ex size = ex_const(&w->l.p->ex, block_columns(w));

	if (!*made)
		*made = lower_buffer(&w->l, SCOPE_WORKER, dtype, &size, 1,
				     name) +
			1;
	return *made - 1;
}

/* Kept values below the level stand for what scratch has of them. */
static void bind_kept(Rows *w, int level)
{
	Ex index[TN_MAX_RANK];

	for (size_t i = 0; i < w->reg->values.n; i++) {
		ValueId id = w->reg->values.p[i];
		if (!w->keep[id] || w->level[id] >= level)
			continue;
		rows_kept_index(w, program_value(w->l.p, id), index);
		lower_bind(&w->l, id, index,
			   lower_load(&w->l, w->keep[id] - 1, &w->column));
	}
}

/* Kept values that wait for exactly n reductions: computed a column, stored
 * as results and in scratch. */
static void column_values(Rows *w, int n)
{
	Lower *l = &w->l;
	Ex index[TN_MAX_RANK];
	bool any = false;

	for (size_t i = 0; i < w->reg->values.n; i++)
		any |= w->level[w->reg->values.p[i]] == n &&
		       !rows_is_full(w, w->reg->values.p[i]);
	if (!any)
		return;
	open_columns(w);
	bind_kept(w, n);
	for (size_t i = 0; i < w->reg->values.n; i++) {
		ValueId id = w->reg->values.p[i];
		const Value *v = program_value(l->p, id);
		if (w->level[id] != n || op_info[v->op].cls != OPC_REDUCE)
			continue;
		Fold f = {.value = id, .acc_dtype = rows_fold_dtype(w, v)};
		f.acc = lower_load(l, w->acc[id] - 1, &w->column);
		rows_close_fold(w, &f);
	}
	rows_values(w, n);
	for (size_t i = 0; i < w->reg->values.n; i++) {
		ValueId id = w->reg->values.p[i];
		const Value *v = program_value(l->p, id);
		if (w->level[id] != n || rows_is_full(w, id))
			continue;
		rows_kept_index(w, v, index);
		lower_store(l, column_buffer(w, &w->keep[id], v->dtype, "kept"),
			    &w->column, lower_value(l, id, index));
	}
	lower_end(l);
}

static bool folds_in(const Rows *w, ValueId id, int pass)
{
	const Value *v = program_value(w->l.p, id);

	if (v->op == OP_CUMSUM)
		return w->level[id] <= pass;
	return op_info[v->op].cls == OPC_REDUCE && w->level[id] == pass + 1;
}

/* Accumulators of all columns as they are before the first row. */
static void clear_columns(Rows *w, int pass)
{
	Lower *l = &w->l;

	open_columns(w);
	for (size_t i = 0; i < w->reg->values.n; i++) {
		ValueId id = w->reg->values.p[i];
		const Value *v = program_value(l->p, id);
		if (!folds_in(w, id, pass))
			continue;
		Fold f = rows_open_fold(w, id, 0);
		DType d = rows_is_arg(v->op) ? DT_I64 : f.acc_dtype;
		lower_store(l, column_buffer(w, &w->acc[id], d, "acc"),
			    &w->column, f.acc);
		if (f.best != NO_VAR)
			lower_store(l,
				    column_buffer(w, &w->bests[id], f.acc_dtype,
						  "best"),
				    &w->column, f.best);
	}
	lower_end(l);
}

static void column_pass(Rows *w, int pass)
{
	Lower *l = &w->l;
	FoldList folds = {0};
	Ex index[TN_MAX_RANK];
	int kept = 0, loops = 0;

	clear_columns(w, pass);
	for (int d = 0; d < w->reg->rank; d++) {
		if (!rows_reduces(w->reg, d))
			continue;
		index[d] = lower_for(l, w->reg->space[d], MAP_SERIAL, 1);
		loops++;
	}
	open_columns(w);
	for (int d = 0; d < w->reg->rank; d++)
		if (!rows_reduces(w->reg, d))
			index[d] = w->row[kept++];
	bind_kept(w, pass + 1);
	for (size_t i = 0; i < w->reg->values.n; i++) {
		ValueId id = w->reg->values.p[i];
		const Value *v = program_value(l->p, id);
		if (!folds_in(w, id, pass))
			continue;
		Fold f = {.value = id,
			  .op = rows_fold_op(v->op),
			  .acc_dtype = rows_fold_dtype(w, v),
			  .best = NO_VAR};
		VarId acc = lower_load(l, w->acc[id] - 1, &w->column);
		if (rows_is_arg(v->op)) {
			VarId best =
				lower_load(l, w->bests[id] - 1, &w->column);
			f.best = lower_acc(l, f.op, f.acc_dtype, best);
			f.acc = lower_acc(l, OP_ADD, DT_I64, acc);
		} else {
			f.acc = lower_acc(l, f.op, f.acc_dtype, acc);
		}
		VEC_PUSH(l->arena, folds, f);
	}
	rows_pass_element(w, pass, folds.p, folds.n, index);
	for (size_t i = 0; i < folds.n; i++) {
		const Fold *f = &folds.p[i];
		lower_store(l, w->acc[f->value] - 1, &w->column, f->acc);
		if (f->best != NO_VAR)
			lower_store(l, w->bests[f->value] - 1, &w->column,
				    f->best);
	}
	lower_end(l);
	while (loops--)
		lower_end(l);
}

void rows_lower_across(Rows *w)
{
	Lower *l = &w->l;
	ExprTab *t = &l->p->ex;
	Ex width = w->kept[w->nkept - 1];
	Ex size = ex_const(t, block_columns(w));

	w->first = ex_mul(t, lower_task(l, ex_ceil_div(t, width, size)), size);
	w->columns = ex_min(t, size, ex_sub(t, width, w->first));
	for (int pass = 0; pass < w->passes; pass++) {
		column_values(w, pass);
		if (rows_pass_has_work(w, pass))
			column_pass(w, pass);
	}
	column_values(w, w->passes);
}
