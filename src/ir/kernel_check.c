/*
 * kernel_check: the laws of stage 4's statements, and the proof of every
 * access.
 *
 * For every load and store 0 <= index < extent is proved from the ranges
 * and conditions in scope; what cannot be proved is refused with the
 * inequality at fault.
 *
 * A BOUND's axis lies in 0 .. extent-1 unless the extent is 0, when it is 0
 * after the fault; so its range is max(extent, 1).
 */
#include "ir/kernel_check.h"

#include "ir/kernel_text.h"

#include <inttypes.h>
#include <string.h>

bool kcheck_breach(Check *c, const char *fmt, ...)
{
	va_list ap;

	buf_printf(c->why, "kernel %s", c->k->name);
	if (c->phase)
		buf_printf(c->why, ", phase %s", c->phase->name);
	buf_puts(c->why, ": ");
	va_start(ap, fmt);
	buf_vprintf(c->why, fmt, ap);
	va_end(ap);
	return false;
}

const char *kcheck_text(Check *c, Ex e)
{
	Buf b;

	buf_init(&b, c->arena);
	ex_print(&b, c->t, e);
	return buf_str(&b);
}

/* ---- expressions ----------------------------------------------------- */

static bool axes_in_scope(Check *c, Ex e, bool any)
{
	const ExNode *n = ex_node(c->t, e);

	switch (n->kind) {
	case EX_CONST:
	case EX_DIM:
		return true;
	case EX_AXIS:
		return any && n->value >= 0 && n->value < c->k->naxes &&
		       c->axes[n->value].in_scope;
	case EX_DIV:
	case EX_MOD:
	case EX_MIN:
	case EX_MAX:
		return axes_in_scope(c, n->a, any) &&
		       axes_in_scope(c, n->b, any);
	case EX_POLY:
		for (uint32_t i = 0; i < n->nterms; i++)
			for (uint32_t k = 0; k < n->terms[i].natoms; k++)
				if (!axes_in_scope(c, n->terms[i].atoms[k],
						   any))
					return false;
		return true;
	}
	bug("expression kind %d", (int)n->kind);
}

/* An expression over dims and the axes in scope. */
bool kcheck_ex(Check *c, Ex e, const char *what)
{
	if (e >= c->t->nodes.n)
		return kcheck_breach(c, "%s is no expression", what);
	return axes_in_scope(c, e, true) ||
	       kcheck_breach(c, "%s %s uses an axis that is not in scope", what,
			     kcheck_text(c, e));
}

/* An expression over dims alone. */
bool kcheck_dims(Check *c, Ex e, const char *what)
{
	if (e >= c->t->nodes.n)
		return kcheck_breach(c, "%s is no expression", what);
	return axes_in_scope(c, e, false) ||
	       kcheck_breach(c, "%s %s uses an axis", what, kcheck_text(c, e));
}

static bool has_threads(const Check *c)
{
	return c->phase->threads > 0;
}

/* On a GPU an index that was read, and a count, may differ as well. */
bool kcheck_varies(const Check *c, Ex e)
{
	if (c->vaxis < 0)
		return false;
	if (ex_uses_axis(c->t, e, c->vaxis))
		return true;
	for (size_t r = 0; has_threads(c) && r < c->facts.ranges.n; r++) {
		int64_t axis = c->facts.ranges.p[r].axis;
		if (c->axes[axis].varies && ex_uses_axis(c->t, e, axis))
			return true;
	}
	return false;
}

bool kcheck_conds(Check *c, const Stmt *s)
{
	for (uint32_t i = 0; i < s->nconds; i++)
		if (!kcheck_ex(c, s->conds[i], "condition"))
			return false;
	return true;
}

bool kcheck_conds_vary(const Check *c, const Stmt *s)
{
	for (uint32_t i = 0; i < s->nconds; i++)
		if (kcheck_varies(c, s->conds[i]))
			return true;
	return false;
}

/* ---- variables ------------------------------------------------------- */

static bool declare(Check *c, const Stmt *s, bool varies)
{
	if (s->var >= c->k->nvars)
		return kcheck_breach(c, "v%u is no variable of the kernel",
				     s->var);
	if (s->dtype >= DT_COUNT)
		return kcheck_breach(c, "v%u has no dtype", s->var);
	VarState *v = &c->vars[s->var];
	if (v->state != VAR_UNSEEN)
		return kcheck_breach(c, "v%u is assigned twice", s->var);
	*v = (VarState){.state = VAR_VISIBLE,
			.dtype = s->dtype,
			.varies = varies,
			.is_acc = s->kind == ST_ACC,
			.fold = s->op,
			.loop = c->loop};
	VEC_PUSH(c->arena, c->visible, s->var);
	return true;
}

static bool check_visible(Check *c, VarId id, DType dtype)
{
	if (id >= c->k->nvars || c->vars[id].state != VAR_VISIBLE)
		return kcheck_breach(c, "v%u is used where it is not assigned",
				     id);
	const VarState *v = &c->vars[id];
	if (v->dtype != dtype)
		return kcheck_breach(c, "v%u is %s where %s is expected", id,
				     dtype_info[v->dtype].name,
				     dtype_info[dtype].name);
	return true;
}

/* An argument of a dtype that is in scope and whole. */
static bool check_arg(Check *c, VarId id, DType dtype)
{
	return check_visible(c, id, dtype) &&
	       (!c->vars[id].by_lanes ||
		kcheck_breach(
			c, "v%u is read in the vector loop that folds into it",
			id));
}

static bool args_vary(const Check *c, const Stmt *s)
{
	for (uint32_t i = 0; i < s->nargs; i++)
		if (c->vars[s->args[i]].varies)
			return true;
	return false;
}

/* Statements that work on one element at a time, as a thread does. */
bool kcheck_scalar(Check *c, const char *what)
{
	return c->vaxis < 0 || has_threads(c) ||
	       kcheck_breach(c, "%s in a vector loop", what);
}

/* An accumulator of the dtype and fold, declared by ACC. */
static bool check_acc(Check *c, VarId id, DType dtype, Op fold)
{
	if (!check_visible(c, id, dtype))
		return false;
	if (!c->vars[id].is_acc)
		return kcheck_breach(c, "v%u is no accumulator", id);
	return c->vars[id].fold == fold ||
	       kcheck_breach(c, "v%u folds by %s, not by %s", id,
			     op_info[c->vars[id].fold].name,
			     op_info[fold].name);
}

/* ---- memory ---------------------------------------------------------- */

static const char *access_text(Check *c, const Stmt *s)
{
	Buf b;

	buf_init(&b, c->arena);
	buf_printf(&b, "%s %s[",
		   s->kind == ST_LOAD    ? "load"
		   : s->kind == ST_STORE ? "store"
					 : "ahead",
		   c->k->buffers.p[s->buffer].name);
	for (int d = 0; d < s->nindex; d++) {
		if (d)
			buf_puts(&b, ", ");
		ex_print(&b, c->t, s->index[d]);
	}
	buf_puts(&b, "]");
	return buf_str(&b);
}

/* 0 <= index[d] < shape[d] under what holds here. */
static bool prove_access(Check *c, const Stmt *s)
{
	const KBuffer *b = &c->k->buffers.p[s->buffer];
	size_t facts = c->facts.facts.n;
	bool ok = true;

	for (uint32_t i = 0; s->kind == ST_LOAD && i < s->nconds; i++)
		VEC_PUSH(c->arena, c->facts.facts, s->conds[i]);
	for (int d = 0; ok && d < s->nindex; d++) {
		Ex i = s->index[d];
		Ex room = ex_sub(c->t, ex_sub(c->t, b->shape[d], i),
				 ex_const(c->t, 1));
		if (!ex_prove_nonneg(c->t, &c->facts, i))
			ok = kcheck_breach(c, "%s: cannot prove 0 <= %s",
					   access_text(c, s),
					   kcheck_text(c, i));
		else if (!ex_prove_nonneg(c->t, &c->facts, room))
			ok = kcheck_breach(c, "%s: cannot prove %s < %s",
					   access_text(c, s), kcheck_text(c, i),
					   kcheck_text(c, b->shape[d]));
	}
	if (!ok) {
		c->ks->unproved = c->k;
		c->ks->unproved_at = s;
	}
	c->facts.facts.n = facts;
	return ok;
}

/* Whether the first axis of the registers is the threads', each of which
 * does one turn of the loop around. */
static bool is_by_thread(const Check *c, const Stmt *s)
{
	const KBuffer *b = &c->k->buffers.p[s->buffer];

	return has_threads(c) && c->vaxis >= 0 && c->vmap == MAP_VECTOR &&
	       s->nindex > 1 && s->index[0] == ex_axis(c->t, c->vaxis) &&
	       ex_equals(c->t, b->shape[0], c->phase->threads);
}

/* A register is known when the code is written. */
static bool check_register(Check *c, const Stmt *s)
{
	const KBuffer *b = &c->k->buffers.p[s->buffer];
	int64_t extent = 0;
	int first = is_by_thread(c, s) ? 1 : 0;

	/* emitters go by the shape */
	if (has_threads(c) && !first && s->nindex > 1 &&
	    ex_equals(c->t, b->shape[0], c->phase->threads))
		return kcheck_breach(c,
				     "%s: registers of as many rows as threads "
				     "are indexed by thread",
				     access_text(c, s));
	for (int d = first; d < s->nindex; d++) {
		for (size_t r = 0; r < c->facts.ranges.n; r++) {
			int64_t a = c->facts.ranges.p[r].axis;
			LoopMap m = c->axes[a].map;
			if (ex_uses_axis(c->t, s->index[d], a) &&
			    m != MAP_UNROLL && m != MAP_VUNROLL)
				return kcheck_breach(
					c, "%s: i%" PRId64 " is not unrolled",
					access_text(c, s), a);
		}
		if (ex_uses_any_axis(c->t, s->index[d]))
			continue;
		if (!ex_is_const(c->t, s->index[d], &extent))
			return kcheck_breach(c, "%s: an index is not constant",
					     access_text(c, s));
	}
	if (c->vmap != MAP_VUNROLL)
		return true;
	for (int d = 0; d + 1 < s->nindex; d++)
		if (kcheck_varies(c, s->index[d]))
			return kcheck_breach(
				c,
				"%s: only the last index may be the "
				"vector axis",
				access_text(c, s));
	if (!s->nindex || !kcheck_varies(c, s->index[s->nindex - 1]))
		return true;
	/* the vector axis itself, from a place aligned to the lanes */
	Ex from =
		ex_sub(c->t, s->index[s->nindex - 1], ex_axis(c->t, c->vaxis));
	Ex lanes = ex_const(c->t, c->lanes);
	bool aligned = !kcheck_varies(c, from) &&
		       ex_equals(c->t, ex_mod(c->t, from, lanes), 0) &&
		       ex_is_const(c->t, b->shape[s->nindex - 1], &extent) &&
		       extent % c->lanes == 0;
	int *used = &c->reg_lanes[s->buffer];
	if (!aligned || (*used && *used != c->lanes))
		return kcheck_breach(
			c, "%s: registers of %d lanes are read unaligned",
			access_text(c, s), *used ? *used : c->lanes);
	*used = c->lanes;
	return true;
}

static bool check_access(Check *c, const Stmt *s)
{
	if (s->buffer >= c->k->buffers.n)
		return kcheck_breach(c, "no buffer %u", s->buffer);
	const KBuffer *b = &c->k->buffers.p[s->buffer];
	if (s->nindex != b->rank)
		return kcheck_breach(c, "%s has rank %u but %u indices",
				     b->name, b->rank, s->nindex);
	for (int d = 0; d < s->nindex; d++)
		if (!kcheck_ex(c, s->index[d], "index"))
			return false;
	if (s->dtype != b->dtype)
		return kcheck_breach(c, "%s is %s, not %s", b->name,
				     dtype_info[b->dtype].name,
				     s->dtype < DT_COUNT
					     ? dtype_info[s->dtype].name
					     : "a dtype");
	if (b->swizzled)
		return kcheck_breach(c, "%s: only boxes are copied there",
				     access_text(c, s));
	if (!kcheck_conds(c, s) || (s->kind != ST_AHEAD && !prove_access(c, s)))
		return false;
	return b->scope != SCOPE_REG || check_register(c, s);
}

static bool access_varies(const Check *c, const Stmt *s)
{
	for (int d = 0; d < s->nindex; d++)
		if (kcheck_varies(c, s->index[d]))
			return true;
	return false;
}

static bool check_load(Check *c, const Stmt *s)
{
	if (!check_access(c, s))
		return false;
	const KBuffer *b = &c->k->buffers.p[s->buffer];
	if (b->scope != SCOPE_IN && !c->stored[s->buffer])
		return kcheck_breach(c, "%s is loaded before it is stored",
				     b->name);
	if (b->scope == SCOPE_REG && s->nconds)
		return kcheck_breach(c, "%s: a register needs no guard",
				     access_text(c, s));
	return declare(c, s, access_varies(c, s) || kcheck_conds_vary(c, s));
}

static bool conds_of_dims(Check *c, const Stmt *s)
{
	for (uint32_t i = 0; i < s->nconds; i++)
		if (!kcheck_dims(c, s->conds[i], "condition"))
			return false;
	return true;
}

static bool check_store(Check *c, const Stmt *s)
{
	if (s->nargs != 1 || (s->nconds && !s->stream))
		return kcheck_breach(c,
				     "a store takes one variable and no guard");
	if (!conds_of_dims(c, s))
		return false;
	if (!check_access(c, s) || !check_arg(c, s->args[0], s->dtype))
		return false;
	const KBuffer *b = &c->k->buffers.p[s->buffer];
	if (b->scope == SCOPE_IN)
		return kcheck_breach(c, "%s is stored to and is an input",
				     b->name);
	if (c->vars[s->args[0]].varies && !access_varies(c, s))
		return kcheck_breach(c, "%s: every lane stores to one place",
				     access_text(c, s));
	if (s->stream && b->scope != SCOPE_OUT && b->scope != SCOPE_SHARED)
		return kcheck_breach(c, "%s: only an output is streamed",
				     access_text(c, s));
	c->stored[s->buffer] = true;
	return true;
}

/* Whether a branch around says that width divides the dim: -(dim % n) >= 0. */
static bool divides_dim(const Check *c, Ex dim, int width)
{
	for (size_t i = 0; i < c->facts.facts.n; i++) {
		Ex minus = ex_sub(c->t, ex_const(c->t, 0), c->facts.facts.p[i]);
		const ExNode *n = ex_node(c->t, minus);
		int64_t by;
		if (n->kind == EX_MOD && n->a == dim &&
		    ex_is_const(c->t, n->b, &by) && by % width == 0)
			return true;
	}
	return false;
}

/* Whether width divides each term. */
static bool terms_divided(const Check *c, Ex x, int width)
{
	const ExNode *n = ex_node(c->t, x);

	if (n->kind != EX_POLY)
		return n->kind == EX_DIM && divides_dim(c, x, width);
	for (uint32_t i = 0; i < n->nterms; i++) {
		const ExTerm *m = &n->terms[i];
		bool good = m->coef % width == 0;
		for (uint32_t k = 0; k < m->natoms && !good; k++)
			good = ex_node(c->t, m->atoms[k])->kind == EX_DIM &&
			       divides_dim(c, m->atoms[k], width);
		if (!good)
			return false;
	}
	return true;
}

bool kcheck_divided(Check *c, Ex x, int width)
{
	Ex n = ex_const(c->t, width);

	return ex_equals(c->t, ex_mod(c->t, x, n), 0) ||
	       terms_divided(c, x, width) ||
	       ex_equals(c->t, ex_simplify(c->t, &c->facts, ex_mod(c->t, x, n)),
			 0);
}

/* Element numbers of the place are multiples of the width. */
bool kcheck_aligned(Check *c, const KOperand *o, int width)
{
	const KBuffer *b = &c->k->buffers.p[o->buffer];
	Ex x = ex_const(c->t, 0);

	for (int d = 0; d < o->nindex; d++)
		x = ex_add(c->t, ex_mul(c->t, x, b->shape[d]), o->index[d]);
	return kcheck_divided(c, x, width);
}

/* False: where the access of a copy has no proof, a guard is the copy's. */
static bool without_proof(Check *c, const Stmt *one, const Stmt *copy)
{
	if (c->ks->unproved_at == one)
		c->ks->unproved_at = copy;
	return false;
}

/* One side of a copy, as the load or store of its first element, and the
 * bounds of its last one. */
static bool check_side(Check *c, const Stmt *s, const KOperand *o,
		       StmtKind kind)
{
	Stmt *one = arena_new(c->arena, Stmt);
	int width = s->copy->width;

	*one = (Stmt){.kind = kind,
		      .buffer = o->buffer,
		      .nindex = o->nindex,
		      .dtype = s->dtype,
		      .nconds = kind == ST_LOAD ? s->nconds : 0,
		      .conds = s->conds,
		      .copy = s->copy,
		      .value = NO_VALUE,
		      .var = NO_VAR};
	memcpy(one->index, o->index, sizeof(one->index));
	if (!check_access(c, one))
		return without_proof(c, one, s);
	if (!o->nindex)
		return width == 1 || kcheck_breach(c, "%s is one element",
						   access_text(c, one));
	if (!kcheck_aligned(c, o, width))
		return kcheck_breach(c,
				     "%s: cannot prove that %d divides where "
				     "the copy begins",
				     access_text(c, one), width);
	Ex *last = &one->index[o->nindex - 1];
	*last = ex_add(c->t, *last, ex_const(c->t, width - 1));
	return prove_access(c, one) || without_proof(c, one, s);
}

static bool check_copy(Check *c, const Stmt *s)
{
	const KCopy *y = s->copy;
	KOperand to = {s->buffer, s->nindex, {0}};

	if (!has_threads(c) || c->vaxis < 0)
		return kcheck_breach(c, "a copy is made in a loop of threads");
	if (!y || s->dtype >= DT_COUNT || y->width < 1 || y->width > 16)
		return kcheck_breach(c, "a copy of no elements");
	int bytes = y->width * dtype_info[s->dtype].bytes;
	if (bytes != 4 && bytes != 8 && bytes != 16)
		return kcheck_breach(c, "a copy of %d bytes, not 4, 8 or 16",
				     bytes);
	memcpy(to.index, s->index, sizeof(to.index));
	if (!kcheck_conds(c, s) || !check_side(c, s, &y->from, ST_LOAD) ||
	    !check_side(c, s, &to, ST_STORE))
		return false;
	const KBuffer *from = &c->k->buffers.p[y->from.buffer];
	const KBuffer *b = &c->k->buffers.p[s->buffer];
	bool global = from->scope == SCOPE_IN || from->scope == SCOPE_OUT ||
		      from->scope == SCOPE_SHARED;
	if (from->scope != SCOPE_IN && !c->stored[y->from.buffer])
		return kcheck_breach(c, "%s is copied before it is stored",
				     from->name);
	if (b->scope == SCOPE_IN)
		return kcheck_breach(c, "%s is copied to and is an input",
				     b->name);
	if (y->from.buffer == s->buffer)
		return kcheck_breach(c, "%s is copied to itself", b->name);
	if (s->stream && b->scope != SCOPE_OUT && b->scope != SCOPE_SHARED)
		return kcheck_breach(c, "%s: only an output is streamed",
				     b->name);
	if (y->async && c->phase->maps.n)
		return kcheck_breach(c, "asynchronous copies and boxes in one "
					"phase");
	if (y->async && (!global || b->scope != SCOPE_WORKER))
		return kcheck_breach(c, "an asynchronous copy goes from global "
					"memory to the block's");
	c->stored[s->buffer] = true;
	return true;
}

static bool check_ahead(Check *c, const Stmt *s)
{
	if (s->nargs)
		return kcheck_breach(c, "ahead takes a place only");
	if (!check_access(c, s) || !conds_of_dims(c, s))
		return false;
	BufScope scope = c->k->buffers.p[s->buffer].scope;
	return scope == SCOPE_IN || scope == SCOPE_OUT ||
	       scope == SCOPE_WORKER || scope == SCOPE_SHARED ||
	       kcheck_breach(c, "%s: registers are not asked for",
			     access_text(c, s));
}

/* ---- matrix units ---------------------------------------------------- */

static bool check_word(Check *c, const Stmt *s)
{
	if (c->vaxis < 0 || c->lanes != UNIT_WORDS)
		return kcheck_breach(c, "v%u: words are made in %d lanes",
				     s->var, UNIT_WORDS);
	if (s->nargs < 1 || s->nargs > 2 || s->dtype != DT_U32 ||
	    s->from >= DT_COUNT ||
	    (s->from != DT_BF16 && s->from != DT_I8 && s->from != DT_U8))
		return kcheck_breach(c, "v%u: no such word", s->var);
	int bits = 8 * dtype_info[s->from].bytes;
	if (s->bit < 0 || s->bit >= 8 * WORD_BYTES || s->bit % bits)
		return kcheck_breach(c, "v%u: no element starts at bit %d",
				     s->var, s->bit);
	if (!check_arg(c, s->args[0], s->from) ||
	    (s->nargs == 2 && !check_arg(c, s->args[1], DT_U32)))
		return false;
	return declare(c, s, args_vary(c, s));
}

static bool check_part(Check *c, const Stmt *s)
{
	if (s->nargs != 1 || s->dtype != DT_BF16 || s->from != DT_F16 ||
	    s->bit < 0 || s->bit > 1)
		return kcheck_breach(c, "v%u: no such part", s->var);
	return check_arg(c, s->args[0], s->from) &&
	       declare(c, s, args_vary(c, s));
}

/* ---- statements ------------------------------------------------------ */

static bool check_op(Check *c, const Stmt *s)
{
	const OpInfo *op = &op_info[s->op < OP_COUNT ? s->op : 0];

	if (s->op >= OP_COUNT || op->cls != OPC_ELEM)
		return kcheck_breach(c, "v%u: %s is no elementwise operation",
				     s->var, op->name);
	if (s->from >= DT_COUNT || !op_admits(s->op, s->from))
		return kcheck_breach(c, "v%u: %s does not take this dtype",
				     s->var, op->name);
	if ((int)s->nargs != op->arity)
		return kcheck_breach(c, "v%u: %s takes %d operands, not %u",
				     s->var, op->name, op->arity, s->nargs);
	for (uint32_t i = 0; i < s->nargs; i++) {
		bool cond = s->op == OP_WHERE && i == 0;
		if (!check_arg(c, s->args[i], cond ? DT_BOOL : s->from))
			return false;
	}
	if ((op->result == OPR_same && s->dtype != s->from) ||
	    (op->result == OPR_bool && s->dtype != DT_BOOL))
		return kcheck_breach(c, "v%u: %s of %s does not yield %s",
				     s->var, op->name, dtype_info[s->from].name,
				     dtype_info[s->dtype].name);
	if (kstmt_may_fault(s)) {
		if (!kcheck_scalar(c, "an operation that may fault") ||
		    !kcheck_ex(c, s->ex, "element"))
			return false;
		if (s->value == NO_VALUE)
			return kcheck_breach(
				c, "v%u may fault and names no value", s->var);
	}
	return declare(c, s, args_vary(c, s));
}

static bool check_mac(Check *c, const Stmt *s)
{
	if (s->nargs != 3 || s->dtype >= DT_COUNT || s->dtype == DT_BOOL)
		return kcheck_breach(c, "v%u: mac takes three numbers", s->var);
	for (int i = 0; i < 3; i++)
		if (!check_arg(c, s->args[i], s->dtype))
			return false;
	return declare(c, s, args_vary(c, s));
}

static bool check_round(Check *c, const Stmt *s)
{
	if (s->nargs != 1 || s->from >= DT_COUNT || s->dtype >= DT_COUNT)
		return kcheck_breach(c, "v%u: a boundary takes one variable",
				     s->var);
	if (!check_arg(c, s->args[0], s->from))
		return false;
	if (dtype_is_float(s->from) != dtype_is_float(s->dtype) ||
	    (s->from == DT_BOOL) != (s->dtype == DT_BOOL))
		return kcheck_breach(c, "v%u: %s is no rounding of %s", s->var,
				     dtype_info[s->dtype].name,
				     dtype_info[s->from].name);
	return declare(c, s, args_vary(c, s));
}

static bool is_fold(Op op, DType d)
{
	if (op == OP_WHERE)
		return true;
	return op < OP_COUNT && op_info[op].cls == OPC_ELEM &&
	       op_info[op].arity == 2 && op_info[op].result == OPR_same &&
	       op_has(op, 'C') && op_admits(op, d);
}

static bool check_accumulator(Check *c, const Stmt *s)
{
	if (s->nargs > 1 || s->dtype >= DT_COUNT || !is_fold(s->op, s->dtype))
		return kcheck_breach(c, "v%u: no such accumulator", s->var);
	if (s->nargs && !check_arg(c, s->args[0], s->dtype))
		return false;
	if (s->op == OP_WHERE && !s->nargs)
		return kcheck_breach(c, "v%u: where has no identity", s->var);
	return declare(c, s, c->vaxis >= 0);
}

static bool check_accum(Check *c, const Stmt *s)
{
	if (s->nargs < 1 || s->nargs > 2 || s->dtype >= DT_COUNT)
		return kcheck_breach(c, "v%u: accum takes one or two variables",
				     s->var);
	if (!check_acc(c, s->var, s->dtype, s->op) ||
	    !check_arg(c, s->args[0], s->dtype))
		return false;
	const VarState *v = &c->vars[s->var];
	if (s->nargs == 2 && (!kcheck_scalar(c, "a conditional accum") ||
			      !check_arg(c, s->args[1], DT_BOOL)))
		return false;
	bool lanes = s->op == OP_ADD || s->op == OP_MUL ||
		     s->op == OP_MAXIMUM || s->op == OP_MINIMUM;
	if (c->vaxis >= 0 && v->loop != c->loop && !lanes)
		return kcheck_breach(c, "v%u: lanes do not fold by %s", s->var,
				     op_info[s->op].name);
	return true;
}

static bool check_argument(Check *c, const Stmt *s)
{
	if (s->nargs != 2 || s->from >= DT_COUNT || s->dtype >= DT_COUNT ||
	    dtype_info[s->dtype].cls == DTC_F || s->dtype == DT_BOOL)
		return kcheck_breach(c, "v%u: arg takes a best and a candidate",
				     s->var);
	if (s->op != OP_MAXIMUM && s->op != OP_MINIMUM)
		return kcheck_breach(c, "v%u: arg is of maximum or minimum",
				     s->var);
	if (!check_visible(c, s->var, s->dtype))
		return false;
	if (!c->vars[s->var].is_acc)
		return kcheck_breach(c, "v%u is no accumulator", s->var);
	/* in lanes each has its own best, of the loop's body */
	bool own = c->vaxis >= 0 && c->vars[s->var].loop == c->loop;
	return (own || kcheck_scalar(c, "arg")) &&
	       check_acc(c, s->args[0], s->from, s->op) &&
	       check_arg(c, s->args[1], s->from) &&
	       kcheck_ex(c, s->ex, "position");
}

bool kcheck_open_axis(Check *c, int64_t axis, Ex extent, LoopMap map)
{
	if (axis < 0 || axis >= c->k->naxes)
		return kcheck_breach(c, "i%" PRId64 " is no axis of the kernel",
				     axis);
	if (c->axes[axis].in_scope)
		return kcheck_breach(c, "i%" PRId64 " is in use already", axis);
	if (!kcheck_ex(c, extent, "extent"))
		return false;
	bool varies = kcheck_varies(c, extent);
	if (varies && (!has_threads(c) || map != MAP_SERIAL))
		return kcheck_breach(c, "extent %s differs between lanes",
				     kcheck_text(c, extent));
	c->axes[axis] = (AxisState){true, varies, map};
	VEC_PUSH(c->arena, c->facts.ranges, ((ExRange){axis, extent}));
	return true;
}

void kcheck_close_axes(Check *c, size_t ranges)
{
	while (c->facts.ranges.n > ranges)
		c->axes[c->facts.ranges.p[--c->facts.ranges.n].axis].in_scope =
			false;
}

static bool check_bound(Check *c, const Stmt *s)
{
	if (s->nargs != 1 || s->from >= DT_COUNT || dtype_is_float(s->from) ||
	    s->from == DT_BOOL)
		return kcheck_breach(c, "bound takes one integer");
	if (!check_arg(c, s->args[0], s->from) || !kcheck_scalar(c, "bound"))
		return false;
	if (s->value == NO_VALUE)
		return kcheck_breach(c, "bound may fault and names no value");
	if (!kcheck_dims(c, s->extent, "extent"))
		return false;
	Ex one = ex_const(c->t, 1);
	Ex range = s->extent;
	if (!ex_prove_nonneg(c->t, &c->facts, ex_sub(c->t, range, one)))
		range = ex_max(c->t, range, one);
	if (!kcheck_open_axis(c, s->axis, range, MAP_SERIAL))
		return false;
	c->axes[s->axis].varies = c->vaxis >= 0;
	return true;
}

/* All threads come to it: never in a loop that is shared out. */
static bool check_barrier(Check *c)
{
	if (!has_threads(c))
		return kcheck_breach(c, "a barrier and no threads");
	return c->vaxis < 0 || kcheck_breach(c, "a barrier in a vector loop");
}

static bool check_wait(Check *c, const Stmt *s)
{
	bool copies = s->kind == ST_WAIT;

	if (!has_threads(c) || c->vaxis >= 0)
		return kcheck_breach(c, "a wait is outside of loops of "
					"threads");
	if (s->kind == ST_FREE)
		return c->phase->maps.n ||
		       kcheck_breach(c, "free, and there are no boxes");
	return (s->bit >= 0 &&
		s->bit <= (copies ? KERNEL_MAX_GROUPS : KERNEL_MAX_DOTS)) ||
	       kcheck_breach(c, "a wait for %d %s", s->bit,
			     copies ? "groups" : "products");
}

bool kcheck_simple(Check *c, const Stmt *s)
{
	switch (s->kind) {
	case ST_LOAD:
		return check_load(c, s);
	case ST_STORE:
		return check_store(c, s);
	case ST_AHEAD:
		return check_ahead(c, s);
	case ST_OP:
		return check_op(c, s);
	case ST_MAC:
		return check_mac(c, s);
	case ST_WORD:
		return check_word(c, s);
	case ST_PART:
		return check_part(c, s);
	case ST_DOT:
		return kcheck_dot(c, s);
	case ST_CONST:
		return s->data ? declare(c, s, false)
			       : kcheck_breach(c,
					       "v%u: a constant without data",
					       s->var);
	case ST_INDEX:
		if (s->dtype >= DT_COUNT || s->dtype == DT_BOOL)
			return kcheck_breach(c, "v%u: an index is a number",
					     s->var);
		return kcheck_ex(c, s->ex, "index") &&
		       declare(c, s, kcheck_varies(c, s->ex));
	case ST_TEST:
		if (s->dtype != DT_BOOL || !s->nconds)
			return kcheck_breach(c, "v%u: a test is bool", s->var);
		return kcheck_conds(c, s) &&
		       declare(c, s, kcheck_conds_vary(c, s));
	case ST_ROUND:
		return check_round(c, s);
	case ST_KEEP:
		if (s->from != DT_F32 || s->dtype >= DT_COUNT ||
		    !dtype_is_float(s->dtype) ||
		    dtype_info[s->dtype].bytes != 2)
			return kcheck_breach(c,
					     "v%u: only a 16-bit float is "
					     "kept unrounded, in f32",
					     s->var);
		return check_round(c, s);
	case ST_ACC:
		return check_accumulator(c, s);
	case ST_ACCUM:
		return check_accum(c, s);
	case ST_ARG:
		return check_argument(c, s);
	case ST_BOUND:
		return check_bound(c, s);
	case ST_BARRIER:
		return check_barrier(c);
	case ST_COPY:
		return check_copy(c, s);
	case ST_BOX:
		return kcheck_box(c, s);
	case ST_RUNS:
		return kcheck_runs(c, s);
	case ST_WAIT:
	case ST_SETTLE:
	case ST_FREE:
		return check_wait(c, s);
	case ST_FOR:
	case ST_IF:
	case ST_COUNT:
		break;
	}
	return kcheck_breach(c, "no statement of kind %d", (int)s->kind);
}
