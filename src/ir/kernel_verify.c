/*
 * kernel_verify: the laws of stage 4, and the proof of every access.
 *
 * One walk over each phase keeps what is in scope: variables with their
 * dtypes, axes with their ranges, and the conditions of the branches
 * around. For every load and store it proves 0 <= index < extent from
 * these; what cannot be proved is refused with the inequality at fault.
 *
 * A BOUND's axis lies in 0 .. extent-1 unless the extent is 0, when it is 0
 * after the fault; so its range is max(extent, 1).
 */
#include "ir/kernel_text.h"

#include <inttypes.h>
#include <string.h>

#define MAX_UNROLL 4096 /* copies of one body */
#define MAX_LANES  64

typedef struct VarState {
	enum {
		VAR_UNSEEN,
		VAR_VISIBLE,
		VAR_GONE
	} state;
	DType dtype;
	bool varies; /* differs between the lanes of the loop around */
	bool is_acc;
	Op fold;
	uint32_t loop; /* vector loop that declares it, 0: none */
	bool by_lanes; /* folded into by the vector loop around */
} VarState;

typedef struct AxisState {
	bool in_scope;
	LoopMap map;
} AxisState;

typedef struct Check {
	Kernels *ks;
	const Kernel *k;
	const Phase *phase;
	ExprTab *t;
	Arena *arena;
	Buf *why;
	ExFacts facts;
	VarState *vars;
	AxisState *axes;
	bool *stored;   /* by buffer */
	int *reg_lanes; /* by buffer */
	VEC(VarId) visible;
	int64_t vaxis; /* axis of the vector loop around, or -1 */
	int lanes;
	LoopMap vmap;
	uint32_t loop, loops; /* number of that loop; loops so far */
	int64_t copies;       /* product of the unrolled extents around */
} Check;

TN_PRINTF(2, 3) static bool breach(Check *c, const char *fmt, ...)
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

static const char *text(Check *c, Ex e)
{
	Buf b;

	buf_init(&b, c->arena);
	ex_print(&b, c->t, e);
	return buf_str(&b);
}

static bool is_name(const char *s)
{
	if (!s || !*s)
		return false;
	for (; *s; s++)
		if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
		      (*s >= '0' && *s <= '9') || *s == '_'))
			return false;
	return true;
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
static bool check_ex(Check *c, Ex e, const char *what)
{
	if (e >= c->t->nodes.n)
		return breach(c, "%s is no expression", what);
	return axes_in_scope(c, e, true) ||
	       breach(c, "%s %s uses an axis that is not in scope", what,
		      text(c, e));
}

/* An expression over dims alone. */
static bool check_dims(Check *c, Ex e, const char *what)
{
	if (e >= c->t->nodes.n)
		return breach(c, "%s is no expression", what);
	return axes_in_scope(c, e, false) ||
	       breach(c, "%s %s uses an axis", what, text(c, e));
}

static bool ex_varies(const Check *c, Ex e)
{
	return c->vaxis >= 0 && ex_uses_axis(c->t, e, c->vaxis);
}

static bool check_conds(Check *c, const Stmt *s)
{
	for (uint32_t i = 0; i < s->nconds; i++)
		if (!check_ex(c, s->conds[i], "condition"))
			return false;
	return true;
}

static bool conds_vary(const Check *c, const Stmt *s)
{
	for (uint32_t i = 0; i < s->nconds; i++)
		if (ex_varies(c, s->conds[i]))
			return true;
	return false;
}

/* ---- variables ------------------------------------------------------- */

static bool declare(Check *c, const Stmt *s, bool varies)
{
	if (s->var >= c->k->nvars)
		return breach(c, "v%u is no variable of the kernel", s->var);
	if (s->dtype >= DT_COUNT)
		return breach(c, "v%u has no dtype", s->var);
	VarState *v = &c->vars[s->var];
	if (v->state != VAR_UNSEEN)
		return breach(c, "v%u is assigned twice", s->var);
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
		return breach(c, "v%u is used where it is not assigned", id);
	const VarState *v = &c->vars[id];
	if (v->dtype != dtype)
		return breach(c, "v%u is %s where %s is expected", id,
			      dtype_info[v->dtype].name,
			      dtype_info[dtype].name);
	return true;
}

/* An argument of a dtype that is in scope and whole. */
static bool check_arg(Check *c, VarId id, DType dtype)
{
	return check_visible(c, id, dtype) &&
	       (!c->vars[id].by_lanes ||
		breach(c, "v%u is read in the vector loop that folds into it",
		       id));
}

static bool args_vary(const Check *c, const Stmt *s)
{
	for (uint32_t i = 0; i < s->nargs; i++)
		if (c->vars[s->args[i]].varies)
			return true;
	return false;
}

/* Statements that work on one element at a time. */
static bool check_scalar(Check *c, const char *what)
{
	return c->vaxis < 0 || breach(c, "%s in a vector loop", what);
}

/* An accumulator of the dtype and fold, declared by ACC. */
static bool check_acc(Check *c, VarId id, DType dtype, Op fold)
{
	if (!check_visible(c, id, dtype))
		return false;
	if (!c->vars[id].is_acc)
		return breach(c, "v%u is no accumulator", id);
	return c->vars[id].fold == fold ||
	       breach(c, "v%u folds by %s, not by %s", id,
		      op_info[c->vars[id].fold].name, op_info[fold].name);
}

/* ---- memory ---------------------------------------------------------- */

static const char *access_text(Check *c, const Stmt *s)
{
	Buf b;

	buf_init(&b, c->arena);
	buf_printf(&b, "%s %s[", s->kind == ST_LOAD ? "load" : "store",
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

	for (uint32_t i = 0; i < s->nconds; i++)
		VEC_PUSH(c->arena, c->facts.facts, s->conds[i]);
	for (int d = 0; ok && d < s->nindex; d++) {
		Ex i = s->index[d];
		Ex room = ex_sub(c->t, ex_sub(c->t, b->shape[d], i),
				 ex_const(c->t, 1));
		if (!ex_prove_nonneg(c->t, &c->facts, i))
			ok = breach(c, "%s: cannot prove 0 <= %s",
				    access_text(c, s), text(c, i));
		else if (!ex_prove_nonneg(c->t, &c->facts, room))
			ok = breach(c, "%s: cannot prove %s < %s",
				    access_text(c, s), text(c, i),
				    text(c, b->shape[d]));
	}
	c->facts.facts.n = facts;
	return ok;
}

/* A register is known when the code is written. */
static bool check_register(Check *c, const Stmt *s)
{
	const KBuffer *b = &c->k->buffers.p[s->buffer];
	int64_t extent = 0;

	for (int d = 0; d < s->nindex; d++) {
		for (size_t r = 0; r < c->facts.ranges.n; r++) {
			int64_t a = c->facts.ranges.p[r].axis;
			LoopMap m = c->axes[a].map;
			if (ex_uses_axis(c->t, s->index[d], a) &&
			    m != MAP_UNROLL && m != MAP_VUNROLL)
				return breach(
					c, "%s: i%" PRId64 " is not unrolled",
					access_text(c, s), a);
		}
		if (ex_uses_any_axis(c->t, s->index[d]))
			continue;
		if (!ex_is_const(c->t, s->index[d], &extent))
			return breach(c, "%s: an index is not constant",
				      access_text(c, s));
	}
	if (c->vmap != MAP_VUNROLL)
		return true;
	for (int d = 0; d + 1 < s->nindex; d++)
		if (ex_varies(c, s->index[d]))
			return breach(c,
				      "%s: only the last index may be the "
				      "vector axis",
				      access_text(c, s));
	if (!s->nindex || !ex_varies(c, s->index[s->nindex - 1]))
		return true;
	/* the vector axis itself, from a place aligned to the lanes */
	Ex from =
		ex_sub(c->t, s->index[s->nindex - 1], ex_axis(c->t, c->vaxis));
	Ex lanes = ex_const(c->t, c->lanes);
	bool aligned = !ex_varies(c, from) &&
		       ex_equals(c->t, ex_mod(c->t, from, lanes), 0) &&
		       ex_is_const(c->t, b->shape[s->nindex - 1], &extent) &&
		       extent % c->lanes == 0;
	int *used = &c->reg_lanes[s->buffer];
	if (!aligned || (*used && *used != c->lanes))
		return breach(c, "%s: registers of %d lanes are read unaligned",
			      access_text(c, s), *used ? *used : c->lanes);
	*used = c->lanes;
	return true;
}

static bool check_access(Check *c, const Stmt *s)
{
	if (s->buffer >= c->k->buffers.n)
		return breach(c, "no buffer %u", s->buffer);
	const KBuffer *b = &c->k->buffers.p[s->buffer];
	if (s->nindex != b->rank)
		return breach(c, "%s has rank %u but %u indices", b->name,
			      b->rank, s->nindex);
	for (int d = 0; d < s->nindex; d++)
		if (!check_ex(c, s->index[d], "index"))
			return false;
	if (s->dtype != b->dtype)
		return breach(c, "%s is %s, not %s", b->name,
			      dtype_info[b->dtype].name,
			      s->dtype < DT_COUNT ? dtype_info[s->dtype].name
						  : "a dtype");
	if (!check_conds(c, s) || !prove_access(c, s))
		return false;
	return b->scope != SCOPE_REG || check_register(c, s);
}

static bool access_varies(const Check *c, const Stmt *s)
{
	for (int d = 0; d < s->nindex; d++)
		if (ex_varies(c, s->index[d]))
			return true;
	return false;
}

static bool check_load(Check *c, const Stmt *s)
{
	if (!check_access(c, s))
		return false;
	const KBuffer *b = &c->k->buffers.p[s->buffer];
	if (b->scope != SCOPE_IN && !c->stored[s->buffer])
		return breach(c, "%s is loaded before it is stored", b->name);
	if (b->scope == SCOPE_REG && s->nconds)
		return breach(c, "%s: a register needs no guard",
			      access_text(c, s));
	return declare(c, s, access_varies(c, s) || conds_vary(c, s));
}

static bool check_store(Check *c, const Stmt *s)
{
	if (s->nargs != 1 || s->nconds)
		return breach(c, "a store takes one variable and no guard");
	if (!check_access(c, s) || !check_arg(c, s->args[0], s->dtype))
		return false;
	const KBuffer *b = &c->k->buffers.p[s->buffer];
	if (b->scope == SCOPE_IN)
		return breach(c, "%s is stored to and is an input", b->name);
	if (c->vars[s->args[0]].varies && !access_varies(c, s))
		return breach(c, "%s: every lane stores to one place",
			      access_text(c, s));
	c->stored[s->buffer] = true;
	return true;
}

/* ---- statements ------------------------------------------------------ */

static bool check_op(Check *c, const Stmt *s)
{
	const OpInfo *op = &op_info[s->op < OP_COUNT ? s->op : 0];

	if (s->op >= OP_COUNT || op->cls != OPC_ELEM)
		return breach(c, "v%u: %s is no elementwise operation", s->var,
			      op->name);
	if (s->from >= DT_COUNT || !op_admits(s->op, s->from))
		return breach(c, "v%u: %s does not take this dtype", s->var,
			      op->name);
	if ((int)s->nargs != op->arity)
		return breach(c, "v%u: %s takes %d operands, not %u", s->var,
			      op->name, op->arity, s->nargs);
	for (uint32_t i = 0; i < s->nargs; i++) {
		bool cond = s->op == OP_WHERE && i == 0;
		if (!check_arg(c, s->args[i], cond ? DT_BOOL : s->from))
			return false;
	}
	if ((op->result == OPR_same && s->dtype != s->from) ||
	    (op->result == OPR_bool && s->dtype != DT_BOOL))
		return breach(c, "v%u: %s of %s does not yield %s", s->var,
			      op->name, dtype_info[s->from].name,
			      dtype_info[s->dtype].name);
	if (kstmt_may_fault(s)) {
		if (!check_scalar(c, "an operation that may fault") ||
		    !check_ex(c, s->ex, "element"))
			return false;
		if (s->value == NO_VALUE)
			return breach(c, "v%u may fault and names no value",
				      s->var);
	}
	return declare(c, s, args_vary(c, s));
}

static bool check_mac(Check *c, const Stmt *s)
{
	if (s->nargs != 3 || s->dtype >= DT_COUNT || s->dtype == DT_BOOL)
		return breach(c, "v%u: mac takes three numbers", s->var);
	for (int i = 0; i < 3; i++)
		if (!check_arg(c, s->args[i], s->dtype))
			return false;
	return declare(c, s, args_vary(c, s));
}

static bool check_round(Check *c, const Stmt *s)
{
	if (s->nargs != 1 || s->from >= DT_COUNT || s->dtype >= DT_COUNT)
		return breach(c, "v%u: a boundary takes one variable", s->var);
	if (!check_arg(c, s->args[0], s->from))
		return false;
	if (dtype_is_float(s->from) != dtype_is_float(s->dtype) ||
	    (s->from == DT_BOOL) != (s->dtype == DT_BOOL))
		return breach(c, "v%u: %s is no rounding of %s", s->var,
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
		return breach(c, "v%u: no such accumulator", s->var);
	if (s->nargs && !check_arg(c, s->args[0], s->dtype))
		return false;
	if (s->op == OP_WHERE && !s->nargs)
		return breach(c, "v%u: where has no identity", s->var);
	return declare(c, s, c->vaxis >= 0);
}

static bool check_accum(Check *c, const Stmt *s)
{
	if (s->nargs < 1 || s->nargs > 2 || s->dtype >= DT_COUNT)
		return breach(c, "v%u: accum takes one or two variables",
			      s->var);
	if (!check_acc(c, s->var, s->dtype, s->op) ||
	    !check_arg(c, s->args[0], s->dtype))
		return false;
	const VarState *v = &c->vars[s->var];
	if (s->nargs == 2 && (!check_scalar(c, "a conditional accum") ||
			      !check_arg(c, s->args[1], DT_BOOL)))
		return false;
	bool lanes = s->op == OP_ADD || s->op == OP_MUL ||
		     s->op == OP_MAXIMUM || s->op == OP_MINIMUM;
	if (c->vaxis >= 0 && v->loop != c->loop && !lanes)
		return breach(c, "v%u: lanes do not fold by %s", s->var,
			      op_info[s->op].name);
	return true;
}

static bool check_argument(Check *c, const Stmt *s)
{
	if (s->nargs != 2 || s->from >= DT_COUNT || s->dtype >= DT_COUNT ||
	    dtype_info[s->dtype].cls == DTC_F || s->dtype == DT_BOOL)
		return breach(c, "v%u: arg takes a best and a candidate",
			      s->var);
	if (s->op != OP_MAXIMUM && s->op != OP_MINIMUM)
		return breach(c, "v%u: arg is of maximum or minimum", s->var);
	if (!check_visible(c, s->var, s->dtype))
		return false;
	if (!c->vars[s->var].is_acc)
		return breach(c, "v%u is no accumulator", s->var);
	return check_scalar(c, "arg") &&
	       check_acc(c, s->args[0], s->from, s->op) &&
	       check_arg(c, s->args[1], s->from) &&
	       check_ex(c, s->ex, "position");
}

static bool open_axis(Check *c, int64_t axis, Ex extent, LoopMap map)
{
	if (axis < 0 || axis >= c->k->naxes)
		return breach(c, "i%" PRId64 " is no axis of the kernel", axis);
	if (c->axes[axis].in_scope)
		return breach(c, "i%" PRId64 " is in use already", axis);
	if (!check_ex(c, extent, "extent"))
		return false;
	if (ex_varies(c, extent))
		return breach(c, "extent %s differs between lanes",
			      text(c, extent));
	c->axes[axis] = (AxisState){true, map};
	VEC_PUSH(c->arena, c->facts.ranges, ((ExRange){axis, extent}));
	return true;
}

static void close_axes(Check *c, size_t ranges)
{
	while (c->facts.ranges.n > ranges)
		c->axes[c->facts.ranges.p[--c->facts.ranges.n].axis].in_scope =
			false;
}

static bool check_bound(Check *c, const Stmt *s)
{
	if (s->nargs != 1 || s->from >= DT_COUNT || dtype_is_float(s->from) ||
	    s->from == DT_BOOL)
		return breach(c, "bound takes one integer");
	if (!check_arg(c, s->args[0], s->from) || !check_scalar(c, "bound"))
		return false;
	if (s->value == NO_VALUE)
		return breach(c, "bound may fault and names no value");
	if (!check_dims(c, s->extent, "extent"))
		return false;
	Ex one = ex_const(c->t, 1);
	Ex range = s->extent;
	if (!ex_prove_nonneg(c->t, &c->facts, ex_sub(c->t, range, one)))
		range = ex_max(c->t, range, one);
	return open_axis(c, s->axis, range, MAP_SERIAL);
}

static bool check_list(Check *c, const StmtList *l);

/* ---- loops ----------------------------------------------------------- */

/* Marks the accumulators from outside that a vector body folds into. */
static bool mark_folds(Check *c, const StmtList *l, bool on)
{
	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		if (!mark_folds(c, &s->body, on) ||
		    !mark_folds(c, &s->orelse, on))
			return false;
		if (s->kind != ST_ACCUM)
			continue;
		if (s->var >= c->k->nvars)
			return breach(c, "v%u is no variable of the kernel",
				      s->var);
		if (c->vars[s->var].state == VAR_VISIBLE)
			c->vars[s->var].by_lanes = on;
	}
	return true;
}

static bool check_lanes(Check *c, const Stmt *s)
{
	int64_t n = 0;

	if (c->vaxis >= 0)
		return breach(c, "i%" PRId64 ": a vector loop in another",
			      s->axis);
	if (s->lanes < 2 || s->lanes > MAX_LANES ||
	    (s->lanes & (s->lanes - 1)) != 0)
		return breach(c, "i%" PRId64 ": %d lanes", s->axis, s->lanes);
	if (s->map == MAP_VUNROLL && ex_is_const(c->t, s->extent, &n) &&
	    n % s->lanes != 0)
		return breach(c,
			      "i%" PRId64 ": extent %" PRId64
			      " is no multiple of %d lanes",
			      s->axis, n, s->lanes);
	return true;
}

static bool check_loop(Check *c, const Stmt *s)
{
	bool unrolled = s->map == MAP_UNROLL || s->map == MAP_VUNROLL;
	bool vector = s->map == MAP_VECTOR || s->map == MAP_VUNROLL;
	int64_t n = 0, copies = c->copies;
	size_t ranges = c->facts.ranges.n;

	if (s->map >= MAP_COUNT)
		return breach(c, "i%" PRId64 ": no such map", s->axis);
	if (vector && !check_lanes(c, s))
		return false;
	if (!open_axis(c, s->axis, s->extent, s->map))
		return false;
	if (unrolled) {
		if (!ex_is_const(c->t, s->extent, &n) || n < 0)
			return breach(c,
				      "i%" PRId64
				      ": extent %s is unrolled and not "
				      "constant",
				      s->axis, text(c, s->extent));
		if (n > MAX_UNROLL || copies * (n ? n : 1) > MAX_UNROLL)
			return breach(c, "i%" PRId64 ": unrolled too often",
				      s->axis);
		c->copies = copies * (n ? n : 1);
	}
	if (vector) {
		c->vaxis = s->axis;
		c->lanes = s->lanes;
		c->vmap = s->map;
		c->loop = ++c->loops;
		if (!mark_folds(c, &s->body, true))
			return false;
	}
	if (!check_list(c, &s->body))
		return false;
	if (vector) {
		(void)mark_folds(c, &s->body, false);
		c->vaxis = -1;
		c->lanes = 0;
		c->vmap = MAP_SERIAL;
		c->loop = 0;
	}
	c->copies = copies;
	close_axes(c, ranges);
	return true;
}

static bool check_branch(Check *c, const Stmt *s)
{
	size_t facts = c->facts.facts.n;

	if (!s->nconds)
		return breach(c, "a branch without a condition");
	if (!check_conds(c, s))
		return false;
	if (conds_vary(c, s))
		return breach(c, "a branch that differs between lanes");
	for (uint32_t i = 0; i < s->nconds; i++)
		VEC_PUSH(c->arena, c->facts.facts, s->conds[i]);
	if (!check_list(c, &s->body))
		return false;
	c->facts.facts.n = facts;
	/* not x >= 0: -x - 1 >= 0 */
	if (s->nconds == 1)
		VEC_PUSH(c->arena, c->facts.facts,
			 ex_sub(c->t, ex_const(c->t, -1), s->conds[0]));
	if (!check_list(c, &s->orelse))
		return false;
	c->facts.facts.n = facts;
	return true;
}

static bool check_stmt(Check *c, const Stmt *s)
{
	if (s->value != NO_VALUE && s->value >= c->ks->program->values.n)
		return breach(c, "no value %%%u", s->value);
	switch (s->kind) {
	case ST_FOR:
		return check_loop(c, s);
	case ST_IF:
		return check_branch(c, s);
	case ST_LOAD:
		return check_load(c, s);
	case ST_STORE:
		return check_store(c, s);
	case ST_OP:
		return check_op(c, s);
	case ST_MAC:
		return check_mac(c, s);
	case ST_CONST:
		return s->data ? declare(c, s, false)
			       : breach(c, "v%u: a constant without data",
					s->var);
	case ST_INDEX:
		if (s->dtype >= DT_COUNT || s->dtype == DT_BOOL)
			return breach(c, "v%u: an index is a number", s->var);
		return check_ex(c, s->ex, "index") &&
		       declare(c, s, ex_varies(c, s->ex));
	case ST_TEST:
		if (s->dtype != DT_BOOL || !s->nconds)
			return breach(c, "v%u: a test is bool", s->var);
		return check_conds(c, s) && declare(c, s, conds_vary(c, s));
	case ST_ROUND:
		return check_round(c, s);
	case ST_ACC:
		return check_accumulator(c, s);
	case ST_ACCUM:
		return check_accum(c, s);
	case ST_ARG:
		return check_argument(c, s);
	case ST_BOUND:
		return check_bound(c, s);
	case ST_COUNT:
		break;
	}
	return breach(c, "no statement of kind %d", (int)s->kind);
}

/* A block: what it declares is gone after it. */
static bool check_list(Check *c, const StmtList *l)
{
	size_t visible = c->visible.n, ranges = c->facts.ranges.n;

	for (size_t i = 0; i < l->n; i++)
		if (!check_stmt(c, l->p[i]))
			return false;
	while (c->visible.n > visible)
		c->vars[c->visible.p[--c->visible.n]].state = VAR_GONE;
	close_axes(c, ranges);
	return true;
}

/* ---- kernels --------------------------------------------------------- */

/* Memory of a value's size at least; registers of a constant number. */
static bool check_size(Check *c, const KBuffer *b)
{
	Ex n = ex_const(c->t, 1);
	int64_t count = 0;

	for (int d = 0; d < b->rank; d++)
		n = ex_mul(c->t, n, b->shape[d]);
	if (b->scope == SCOPE_REG)
		return (ex_is_const(c->t, n, &count) && count >= 0 &&
			count <= MAX_UNROLL) ||
		       breach(c, "%s: registers need a small constant shape",
			      b->name);
	if (b->value == NO_VALUE)
		return true;
	Ex room = ex_sub(c->t, program_elements(c->ks->program, b->value), n);
	ExFacts none = {0};
	return ex_prove_nonneg(c->t, &none, room) ||
	       breach(c, "%s is larger than %%%u", b->name, b->value);
}

static bool check_buffer(Check *c, size_t i)
{
	const KBuffer *b = &c->k->buffers.p[i];

	if (!is_name(b->name))
		return breach(c, "buffer %zu has no name", i);
	for (size_t k = 0; k < i; k++)
		if (!strcmp(c->k->buffers.p[k].name, b->name))
			return breach(c, "two buffers %s", b->name);
	if (b->scope >= SCOPE_COUNT || b->dtype >= DT_COUNT ||
	    b->rank > K_MAX_RANK)
		return breach(c, "buffer %s has no scope, dtype or rank",
			      b->name);
	for (int d = 0; d < b->rank; d++)
		if (!check_dims(c, b->shape[d], "shape"))
			return false;
	bool holds = b->scope == SCOPE_IN || b->scope == SCOPE_OUT;
	if (holds != (b->value != NO_VALUE))
		return breach(c, "%s %s", b->name,
			      holds ? "holds no value" : "holds a value");
	if (!holds)
		return check_size(c, b);
	if (b->value >= c->ks->program->values.n ||
	    program_value(c->ks->program, b->value)->dtype != b->dtype)
		return breach(c, "%s is not of its value's dtype", b->name);
	return check_size(c, b);
}

static bool check_phase(Check *c, const Phase *ph)
{
	c->phase = ph;
	if (!is_name(ph->name))
		return breach(c, "a phase has no name");
	for (const Phase *q = c->k->phases.p; q < ph; q++)
		if (!strcmp(q->name, ph->name))
			return breach(c, "two phases %s", ph->name);
	/* what lived within a task of another phase is gone */
	for (size_t i = 0; i < c->k->buffers.n; i++) {
		BufScope scope = c->k->buffers.p[i].scope;
		if (scope == SCOPE_WORKER || scope == SCOPE_REG)
			c->stored[i] = false;
		c->reg_lanes[i] = 0;
	}
	for (size_t i = 0; i < ph->tasks.n; i++) {
		const KAxis *a = &ph->tasks.p[i];
		if (!check_dims(c, a->extent, "task extent") ||
		    !open_axis(c, a->axis, a->extent, MAP_SERIAL))
			return false;
	}
	if (ph->tasks.n > K_MAX_RANK)
		return breach(c, "too many task axes");
	if (!check_list(c, &ph->body))
		return false;
	close_axes(c, 0);
	c->phase = NULL;
	return true;
}

static bool kernel_verify(Kernels *ks, const Kernel *k, Buf *why)
{
	Check c = {.ks = ks,
		   .k = k,
		   .t = &ks->program->ex,
		   .arena = why->arena,
		   .why = why,
		   .vaxis = -1,
		   .vmap = MAP_SERIAL,
		   .copies = 1};
	bool overflow = c.t->overflow;

	if (!is_name(k->name) || !is_name(k->realisation)) {
		buf_puts(why, "a kernel has no name or realisation");
		return false;
	}
	if (k->naxes < 0 || k->phases.n == 0)
		return breach(&c, "it has no phases");
	c.vars = arena_array(c.arena, VarState, k->nvars + 1);
	c.axes = arena_array(c.arena, AxisState, k->naxes + 1);
	c.stored = arena_array(c.arena, bool, k->buffers.n + 1);
	c.reg_lanes = arena_array(c.arena, int, k->buffers.n + 1);
	c.t->overflow = false;
	bool ok = true;
	for (size_t i = 0; ok && i < k->params.n; i++)
		ok = is_name(k->params.p[i].name) ||
		     breach(&c, "a parameter has no name");
	for (size_t i = 0; ok && i < k->buffers.n; i++)
		ok = check_buffer(&c, i);
	for (size_t i = 0; ok && i < k->phases.n; i++)
		ok = check_phase(&c, &k->phases.p[i]);
	if (ok && c.t->overflow)
		ok = breach(&c, "an expression is too large");
	c.t->overflow = overflow;
	return ok;
}

bool kernels_verify(Kernels *ks, Buf *why)
{
	for (size_t i = 0; i < ks->kernels.n; i++) {
		const Kernel *k = &ks->kernels.p[i];
		if (!kernel_verify(ks, k, why))
			return false;
		for (size_t j = 0; j < i; j++)
			if (!strcmp(ks->kernels.p[j].name, k->name)) {
				buf_printf(why, "two kernels %s", k->name);
				return false;
			}
	}
	return true;
}
