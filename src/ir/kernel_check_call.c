/*
 * kernel_check_call: the laws of products by libraries.
 *
 * What the library may touch are the windows of three matrices and its
 * workspace. A window is proved in bounds by its first and last element, since
 * all steps are 0 or more; where an extent is 0 nothing is touched. Elements of
 * the result are stored once each.
 */
#include "ir/kernel_check.h"

static bool proved(Check *c, Ex e)
{
	return ex_prove_nonneg(c->t, &c->facts, e);
}

static Ex less(Check *c, Ex a, Ex b)
{
	return ex_sub(c->t, a, b);
}

/* One more than the number of the window's last element. */
static Ex window_end(Check *c, const KMatrix *m, Ex rows, Ex columns,
		     Ex batches)
{
	const Ex extents[3] = {rows, columns, batches};
	const Ex steps[3] = {m->row, m->column, m->batch};
	Ex one = ex_const(c->t, 1), end = ex_add(c->t, m->first, one);

	for (int i = 0; i < 3; i++)
		end = ex_add(c->t, end,
			     ex_mul(c->t, less(c, extents[i], one), steps[i]));
	return end;
}

static bool check_window(Check *c, const KMatrix *m, Ex rows, Ex columns,
			 Ex batches)
{
	const Ex numbers[4] = {m->first, m->row, m->column, m->batch};
	Ex size = ex_const(c->t, 1);

	if (m->buffer >= c->k->buffers.n)
		return kcheck_breach(c, "no buffer %u", m->buffer);
	const KBuffer *b = &c->k->buffers.p[m->buffer];
	for (int i = 0; i < 4; i++) {
		if (!kcheck_dims(c, numbers[i], "step"))
			return false;
		if (!proved(c, numbers[i])) /* lowering asks the same */
			return kcheck_breach(c, "%s: cannot prove 0 <= %s",
					     b->name,
					     kcheck_text(c, numbers[i]));
	}
	for (int d = 0; d < b->rank; d++)
		size = ex_mul(c->t, size, b->shape[d]);
	Ex end = window_end(c, m, rows, columns, batches);
	if (proved(c, less(c, size, end)))
		return true;
	c->ks->unproved = c->k;
	c->ks->unproved_at = NULL;
	return kcheck_breach(c, "%s: cannot prove %s <= %s", b->name,
			     kcheck_text(c, end), kcheck_text(c, size));
}

/* Whether rows of a matrix lie one after another, whole. */
static bool lies(Check *c, Ex step, Ex other, Ex extent)
{
	return ex_equals(c->t, step, 1) && proved(c, less(c, other, extent));
}

static bool check_operand(Check *c, const KMatrix *m, Ex rows, Ex columns)
{
	if (!check_window(c, m, rows, columns, c->phase->call->batches))
		return false;
	const KBuffer *b = &c->k->buffers.p[m->buffer];
	if (b->scope != SCOPE_IN)
		return kcheck_breach(c, "%s is no input", b->name);
	return lies(c, m->column, m->row, columns) ||
	       lies(c, m->row, m->column, rows) ||
	       kcheck_breach(c, "%s: neither rows nor columns lie side by side",
			     b->name);
}

static bool check_out(Check *c, const KCall *y)
{
	const KMatrix *m = &y->out;

	if (!check_window(c, m, y->rows, y->columns, y->batches))
		return false;
	const KBuffer *b = &c->k->buffers.p[m->buffer];
	if (b->scope != SCOPE_OUT)
		return kcheck_breach(c, "%s is no output", b->name);
	bool apart =
		lies(c, m->column, m->row, y->columns) &&
		(ex_equals(c->t, y->batches, 1) ||
		 proved(c, less(c, m->batch, ex_mul(c->t, y->rows, m->row))));
	if (!apart)
		return kcheck_breach(c, "%s: elements are stored twice",
				     b->name);
	c->stored[m->buffer] = true;
	return true;
}

static bool check_extents(Check *c, const KCall *y)
{
	const Ex extents[4] = {y->rows, y->columns, y->batches, y->depth};

	for (int i = 0; i < 4; i++)
		if (!kcheck_dims(c, extents[i], "extent"))
			return false;
	return y->compute != COMPUTE_32I ||
	       proved(c,
		      less(c, ex_const(c->t, COMPUTE_32I_TERMS), y->depth)) ||
	       kcheck_breach(c, "a sum of %s products of i8 may overflow",
			     kcheck_text(c, y->depth));
}

static bool check_dtypes(Check *c, const KCall *y)
{
	const Program *p = c->ks->program;
	const KBuffer *b = c->k->buffers.p;

	if (y->value >= p->values.n ||
	    program_value(p, y->value)->op != OP_MATMUL ||
	    b[y->out.buffer].value != y->value)
		return kcheck_breach(c, "the result is no product");
	DType in = b[y->left.buffer].dtype;
	return (b[y->right.buffer].dtype == in &&
		library_takes(y->library, y->compute, in,
			      program_value(p, y->value)->acc,
			      b[y->out.buffer].dtype)) ||
	       kcheck_breach(c, "%s's %s computes no such product",
			     library_info[y->library].title,
			     compute_name[y->compute]);
}

/* Libraries of CPUs have memory of their own. */
static bool check_workspace(Check *c, const KCall *y)
{
	const KBuffer *b = c->k->buffers.p;

	if (y->library != LIBRARY_CUBLASLT) {
		for (size_t i = 0; i < c->k->buffers.n; i++)
			if (b[i].scope == SCOPE_SHARED)
				return kcheck_breach(c, "%s is nobody's",
						     b[i].name);
		return true;
	}
	return (y->workspace < c->k->buffers.n &&
		b[y->workspace].scope == SCOPE_SHARED &&
		b[y->workspace].dtype == DT_U8) ||
	       kcheck_breach(c, "the workspace is no shared memory");
}

/* That an extent is not 0. */
static void suppose(Check *c, Ex extent)
{
	VEC_PUSH(c->arena, c->facts.facts, less(c, extent, ex_const(c->t, 1)));
}

/* Of a user's function all that can be asked is that its arguments are those
 * that it may have; what it stores is its user's to know. */
bool kcheck_foreign(Check *c, const Phase *ph)
{
	const KForeign *f = ph->foreign;

	bool alone = !ph->once && !ph->tasks.n && !ph->body.n && !ph->call &&
		     !ph->maps.n && c->k->phases.n == 1;
	for (size_t i = 0; i < c->k->buffers.n; i++) {
		alone &= c->k->buffers.p[i].scope <= SCOPE_OUT;
		c->stored[i] = c->k->buffers.p[i].scope == SCOPE_OUT;
	}
	if (!alone)
		return kcheck_breach(c, "a user's function is all of a kernel");
	for (size_t i = 0; i < f->args.n; i++) {
		const KArg *a = &f->args.p[i];
		if ((a->kind == KARG_BUFFER && a->n >= c->k->buffers.n) ||
		    (a->kind == KARG_DIM && a->n >= c->t->dims.n) ||
		    (a->kind == KARG_TASK && ph->threads))
			return kcheck_breach(c, "no such argument");
	}
	if (f->shared < 0 || f->shared > INT32_MAX ||
	    (f->shared && !ph->threads))
		return kcheck_breach(c, "%lld bytes of a block's memory",
				     (long long)f->shared);
	return kcheck_dims(c, f->tasks, "tasks");
}

bool kcheck_call(Check *c, const Phase *ph)
{
	const KCall *y = ph->call;
	size_t facts = c->facts.facts.n;

	bool alone = !ph->once && !ph->threads && !ph->tasks.n && !ph->body.n &&
		     c->k->phases.n == 1;
	for (size_t i = 0; i < c->k->buffers.n; i++)
		alone &= c->k->buffers.p[i].scope <= SCOPE_SHARED;
	if (!alone)
		return kcheck_breach(c, "a library's call is all of a kernel");
	if (y->library >= LIBRARY_COUNT || y->compute >= COMPUTE_COUNT ||
	    y->algorithm < 0 || y->down < 1 || y->down > CALL_MAX_PARTS ||
	    y->across < 1 || y->across > CALL_MAX_PARTS)
		return kcheck_breach(c, "no such call");
	if (!check_workspace(c, y) || !check_extents(c, y))
		return false;
	/* else nothing is touched; of the operands, nor for a depth of 0 */
	suppose(c, y->rows);
	suppose(c, y->columns);
	suppose(c, y->batches);
	bool ok = check_out(c, y);
	suppose(c, y->depth);
	ok = ok && check_operand(c, &y->left, y->rows, y->depth) &&
	     check_operand(c, &y->right, y->depth, y->columns) &&
	     check_dtypes(c, y);
	c->facts.facts.n = facts;
	return ok;
}
