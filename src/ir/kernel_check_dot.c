/*
 * kernel_check_dot: the laws of products by matrix units.
 *
 * Operands and sums of a tile are boxes of buffers, proved to lie inside; what
 * more a unit asks of them is in ir/kernel.h, at KDot.
 */
#include "ir/kernel_check.h"

/* index + count <= shape in one axis, and 0 <= index. */
static bool prove_box(Check *c, const Stmt *s, const KBuffer *b, int axis,
		      Ex index, Ex count)
{
	Ex room = ex_sub(c->t, ex_sub(c->t, b->shape[axis], index), count);

	if (ex_prove_nonneg(c->t, &c->facts, index) &&
	    ex_prove_nonneg(c->t, &c->facts, room))
		return true;
	c->ks->unproved = c->k;
	c->ks->unproved_at = s;
	return kcheck_breach(c, "%s: cannot prove 0 <= %s, %s + %s <= %s",
			     b->name, kcheck_text(c, index),
			     kcheck_text(c, index), kcheck_text(c, count),
			     kcheck_text(c, b->shape[axis]));
}

bool kcheck_area(Check *c, const Stmt *s, uint32_t buffer, uint8_t nindex,
		 const Ex *index, const Ex *count, int n)
{
	if (buffer >= c->k->buffers.n)
		return kcheck_breach(c, "no buffer %u", buffer);
	const KBuffer *b = &c->k->buffers.p[buffer];
	if (nindex != b->rank || nindex < n)
		return kcheck_breach(c, "%s has rank %u but %u indices",
				     b->name, b->rank, nindex);
	for (int d = 0; d < nindex; d++) {
		int last = d - (nindex - n);
		if (!kcheck_ex(c, index[d], "index") ||
		    !prove_box(c, s, b, d, index[d],
			       last < 0 ? ex_const(c->t, 1) : count[last]))
			return false;
	}
	return true;
}

/* Whether the last two extents are known when code is written. */
static bool has_constant_rows(Check *c, const KBuffer *b)
{
	int64_t size;

	return (ex_is_const(c->t, b->shape[b->rank - 2], &size) &&
		ex_is_const(c->t, b->shape[b->rank - 1], &size)) ||
	       kcheck_breach(c, "%s: a tile has constant rows", b->name);
}

/* What the unit's registers hold. */
static bool check_tile(Check *c, const KDot *d)
{
	int64_t rows = (d->rows + 15) / 16, columns = d->columns / 16;
	bool ok = d->rows >= 1 && d->columns >= 16 && d->columns % 16 == 0;

	if (unit_info[d->unit].tiles)
		ok = ok && (d->rows < 16 || d->rows % 16 == 0) &&
		     rows * columns + rows + columns <= 8;
	else
		ok = ok && d->rows * columns <= 32;
	return ok || kcheck_breach(c, "%s has no tile of %d x %d",
				   unit_info[d->unit].name, (int)d->rows,
				   (int)d->columns);
}

/* The registers of a unit of threads, [threads][i][j][2][2], all of them. */
static bool check_sums(Check *c, const Stmt *s, int64_t down, int64_t across)
{
	const KBuffer *b = &c->k->buffers.p[s->buffer];
	const KDot *d = s->dot;
	const int64_t shape[] = {c->phase->threads, d->rows / down / MMA_ROWS,
				 d->columns / across / MMA_COLUMNS, 2, 2};

	if (b->scope != SCOPE_REG || b->dtype != s->dtype ||
	    b->rank != ARRAY_LEN(shape) || s->nindex != b->rank)
		return kcheck_breach(c, "dot: %s is no tile in registers",
				     b->name);
	for (int i = 0; i < b->rank; i++)
		if (!ex_equals(c->t, b->shape[i], shape[i]) ||
		    !ex_equals(c->t, s->index[i], 0))
			return kcheck_breach(
				c, "dot: %s has not the tile's sums", b->name);
	return c->stored[s->buffer] ||
	       kcheck_breach(c, "dot: %s is added to and not stored", b->name);
}

/* Operand 0 in registers, as the sums of another product lie. */
static bool check_register_operand(Check *c, const Stmt *s, int64_t steps)
{
	const KDot *d = s->dot;
	const KBuffer *b = &c->k->buffers.p[d->in[0].buffer];
	int64_t elements = MMA_BYTES / dtype_info[s->from].bytes;
	const int64_t shape[] = {c->phase->threads,
				 d->rows / d->down / MMA_ROWS,
				 steps * elements / MMA_COLUMNS, 2, 2};

	if (d->unit != UNIT_MMA || d->turned[0] ||
	    d->down * MMA_THREADS != c->phase->threads ||
	    dtype_info[s->from].bytes != 2 || b->dtype != s->from ||
	    b->rank != ARRAY_LEN(shape) || d->in[0].nindex != b->rank)
		return kcheck_breach(c, "dot: %s is no operand in registers",
				     b->name);
	for (int i = 0; i < b->rank; i++)
		if (!ex_equals(c->t, b->shape[i], shape[i]) ||
		    !ex_equals(c->t, d->in[0].index[i], 0))
			return kcheck_breach(
				c, "dot: %s has not the operand's elements",
				b->name);
	return c->stored[d->in[0].buffer] ||
	       kcheck_breach(c, "dot of what is not stored");
}

/* Operand o of a unit of threads. */
static bool check_block_operand(Check *c, const Stmt *s, int o, Ex k)
{
	const KDot *d = s->dot;
	const KOperand *in = &d->in[o];
	int64_t wide = o ? d->columns : d->rows;
	int width = 16 / dtype_info[s->from].bytes;
	bool swizzled = d->unit == UNIT_WGMMA;
	Ex panel = ex_const(c->t, 8 * width);
	Ex box[3] = {ex_const(c->t, wide), k};
	int n = 2;

	if (d->turned[o] && swizzled) {
		box[0] = ex_const(c->t, wide / (8 * width));
		box[2] = panel;
		n = 3;
	} else if (d->turned[o]) {
		box[0] = k;
		box[1] = ex_const(c->t, wide);
	}
	if (!kcheck_area(c, s, in->buffer, in->nindex, in->index, box, n))
		return false;
	const KBuffer *b = &c->k->buffers.p[in->buffer];
	if (b->scope != SCOPE_WORKER || b->dtype != s->from)
		return kcheck_breach(c, "dot: %s is not in the block's memory",
				     b->name);
	if (!c->stored[in->buffer])
		return kcheck_breach(c, "dot of what is not stored");
	if (d->turned[o] && dtype_info[s->from].bytes != 2)
		return kcheck_breach(c, "dot: only 16 bits are turned");
	if (b->swizzled != swizzled ||
	    (swizzled && d->turned[o] && wide % (8 * width)))
		return kcheck_breach(c, "dot: %s lies otherwise than %s reads",
				     b->name, unit_info[d->unit].name);
	if (!has_constant_rows(c, b))
		return false;
	/* in a slot only steps along k are passed over */
	for (int i = 0; swizzled && i < n; i++) {
		Ex at = in->index[in->nindex - 1 - i];
		bool along = i == (d->turned[o] ? 1 : 0);
		int step = MMA_BYTES / dtype_info[s->from].bytes;
		if (along ? !kcheck_divided(c, at, step)
			  : !ex_equals(c->t, at, 0))
			return kcheck_breach(c, "dot: %s begins in a slot",
					     b->name);
	}
	int64_t rows = 0;
	if (swizzled &&
	    (!ex_is_const(c->t, b->shape[b->rank - 2], &rows) || rows % 8))
		return kcheck_breach(c, "dot: %s has no groups of 8 rows",
				     b->name);
	if (!kcheck_aligned(c, in, width) ||
	    !ex_equals(
		    c->t,
		    ex_mod(c->t, b->shape[b->rank - 1], ex_const(c->t, width)),
		    0))
		return kcheck_breach(c,
				     "dot: rows of %s do not begin at "
				     "multiples of 16 bytes",
				     b->name);
	return true;
}

static bool check_threads_dot(Check *c, const Stmt *s)
{
	const KDot *d = s->dot;
	int64_t warps = c->phase->threads / MMA_THREADS, steps;

	if (c->vaxis >= 0 || warps < 1)
		return kcheck_breach(c, "dot: all threads of a block make it");
	if (d->flat || d->down < 1 || warps % d->down || d->rows < 1 ||
	    d->columns < 1 || d->rows % (MMA_ROWS * d->down) ||
	    d->columns % (2 * MMA_COLUMNS * (warps / d->down)))
		return kcheck_breach(c, "%s has no tile of %d x %d",
				     unit_info[d->unit].name, (int)d->rows,
				     (int)d->columns);
	if (c->block &&
	    (c->block->dot->unit != d->unit || c->block->from != s->from ||
	     c->block->dtype != s->dtype))
		return kcheck_breach(c, "dots of two kinds in one kernel");
	if (c->block && d->unit == UNIT_WGMMA &&
	    ((c->block_in == c->phase &&
	      (c->block->dot->rows != d->rows ||
	       c->block->dot->columns != d->columns)) ||
	     c->block->dot->turned[0] != d->turned[0] ||
	     c->block->dot->turned[1] != d->turned[1]))
		return kcheck_breach(c, "dots of two tiles in one kernel");
	c->block = s;
	c->block_in = c->phase;
	if (d->unit == UNIT_WGMMA &&
	    (d->down != warps || warps % WGMMA_WARPS ||
	     d->rows != warps * MMA_ROWS || d->columns > 256))
		return kcheck_breach(c, "%s has no tile of %d x %d",
				     unit_info[d->unit].name, (int)d->rows,
				     (int)d->columns);
	if (!kcheck_ex(c, d->before, "what was before") ||
	    !ex_is_const(c->t, d->steps, &steps) || steps < 1 ||
	    steps * (d->rows / d->down) > KERNEL_MAX_UNROLL)
		return kcheck_breach(c, "dot: steps are a small constant");
	Ex k = ex_const(c->t, steps * (MMA_BYTES / dtype_info[s->from].bytes));
	bool registers = d->in[0].buffer < c->k->buffers.n &&
			 c->k->buffers.p[d->in[0].buffer].scope == SCOPE_REG;
	return check_sums(c, s, d->down, warps / d->down) &&
	       (registers ? check_register_operand(c, s, steps)
			  : check_block_operand(c, s, 0, k)) &&
	       check_block_operand(c, s, 1, k);
}

bool kcheck_dot(Check *c, const Stmt *s)
{
	const KDot *d = s->dot;
	const Program *p = c->ks->program;
	bool named = s->value < p->values.n;
	uint32_t relax = named ? program_value(p, s->value)->relax : 0;

	if (!d || d->unit >= UNIT_COUNT || d->unit == UNIT_FMA ||
	    s->dtype >= DT_COUNT || s->from >= DT_COUNT ||
	    !unit_takes(d->unit, s->from, s->dtype, relax))
		return kcheck_breach(c, "no unit takes such a dot");
	if (unit_info[d->unit].threads)
		return check_threads_dot(c, s);
	if (d->turned[0] || d->turned[1] || d->down)
		return kcheck_breach(c, "dot: %s turns no operand",
				     unit_info[d->unit].name);
	if (!kcheck_scalar(c, "dot") || !check_tile(c, d) ||
	    !kcheck_ex(c, d->steps, "steps") ||
	    !kcheck_ex(c, d->before, "what was before"))
		return false;
	int parts = unit_info[d->unit].parts;
	DType packed = unit_packed(d->unit, s->from);
	Ex full = ex_const(c->t, UNIT_BYTES / dtype_info[packed].bytes);
	Ex words = ex_const(c->t, UNIT_WORDS);
	Ex steps = ex_mul(c->t, d->steps, ex_const(c->t, parts));
	Ex rows = ex_const(c->t, d->rows), columns = ex_const(c->t, d->columns);
	Ex k = ex_mul(c->t, d->steps, full);
	const Ex sums[] = {rows, columns}, left[] = {steps, rows, full},
		 flat[] = {rows, k}, right[] = {steps, words, columns};
	const KOperand *a = &d->in[0], *b = &d->in[1];
	if (!kcheck_area(c, s, s->buffer, s->nindex, s->index, sums, 2) ||
	    !kcheck_area(c, s, a->buffer, a->nindex, a->index,
			 d->flat ? flat : left, d->flat ? 2 : 3) ||
	    !kcheck_area(c, s, b->buffer, b->nindex, b->index, right, 3))
		return false;
	const KBuffer *to = &c->k->buffers.p[s->buffer];
	const KBuffer *pa = &c->k->buffers.p[a->buffer];
	const KBuffer *pb = &c->k->buffers.p[b->buffer];
	if (to->dtype != s->dtype || pa->dtype != packed || pb->dtype != DT_U32)
		return kcheck_breach(c, "dot of buffers of other dtypes");
	if (!has_constant_rows(c, to) || !has_constant_rows(c, pb) ||
	    (!d->flat && !has_constant_rows(c, pa)))
		return false;
	if ((!d->flat && !ex_equals(c->t, pa->shape[pa->rank - 1],
				    UNIT_BYTES / dtype_info[packed].bytes)) ||
	    !ex_equals(c->t, pb->shape[pb->rank - 2], UNIT_WORDS))
		return kcheck_breach(c, "dot of operands that are not packed");
	if (d->flat && (d->unit == UNIT_AVX512_VNNI || parts > 1))
		return kcheck_breach(c, "flipped elements and parts do not lie "
					"flat");
	if (to->scope != SCOPE_WORKER || pa->scope == SCOPE_REG ||
	    pb->scope == SCOPE_REG)
		return kcheck_breach(c, "dot: %s is no scratch", to->name);
	if ((pa->scope != SCOPE_IN && !c->stored[a->buffer]) ||
	    !c->stored[b->buffer])
		return kcheck_breach(c, "dot of what is not stored");
	if (unit_info[d->unit].tiles && c->tile &&
	    (c->tile->unit != d->unit || c->tile->rows != d->rows ||
	     c->tile->columns != d->columns))
		return kcheck_breach(c, "tiles of two shapes in one phase");
	c->tile = d;
	c->stored[s->buffer] = true;
	return true;
}

bool kcheck_runs(Check *c, const Stmt *s)
{
	if (s->buffer >= c->k->buffers.n || s->sums >= c->k->buffers.n)
		return kcheck_breach(c, "no buffer %u", s->buffer);
	const KBuffer *to = &c->k->buffers.p[s->buffer];
	const KBuffer *from = &c->k->buffers.p[s->sums];
	int64_t i, j;

	if (c->vaxis >= 0 || c->phase->threads < MMA_THREADS)
		return kcheck_breach(c,
				     "runs: all threads of a warp make them");
	bool rounds = from->dtype == DT_F32 && dtype_is_float(to->dtype) &&
		      dtype_info[to->dtype].bytes == 2;
	if (to->scope != SCOPE_REG || from->scope != SCOPE_REG ||
	    (to->dtype != from->dtype && !rounds) || s->dtype != to->dtype ||
	    dtype_info[from->dtype].bytes != 4 || to->rank != 5 ||
	    from->rank != 5 || !ex_is_const(c->t, from->shape[1], &i) ||
	    !ex_is_const(c->t, from->shape[2], &j) || j % 4)
		return kcheck_breach(c, "runs: %s and %s are no such registers",
				     to->name, from->name);
	const int64_t sums[] = {c->phase->threads, i, j, 2, 2};
	const int64_t runs[] = {c->phase->threads, i, 2, j / 4, 8};
	for (int d = 0; d < 5; d++)
		if (!ex_equals(c->t, from->shape[d], sums[d]) ||
		    !ex_equals(c->t, to->shape[d], runs[d]))
			return kcheck_breach(
				c, "runs: %s and %s are no such registers",
				to->name, from->name);
	if (!c->stored[s->sums])
		return kcheck_breach(c, "%s is loaded before it is stored",
				     from->name);
	c->stored[s->buffer] = true;
	return true;
}
