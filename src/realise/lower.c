/* lower: see lower.h. */
#include "realise/lower.h"

#include "ir/view.h"

#include <string.h>

void lower_init(Lower *l, Kernels *ks, Kernel *k, const Regions *r)
{
	*l = (Lower){0};
	l->arena = ks->arena;
	l->ks = ks;
	l->k = k;
	l->p = ks->program;
	l->r = r;
	l->region_index = k->region;
	l->region = &r->regions.p[k->region];
	l->buffer_of = arena_array(l->arena, uint32_t, l->p->values.n);
	l->scalar = lower_is_scalar(r, k->region);
}

/* ---- statements ------------------------------------------------------ */

static Stmt *append(Lower *l, StmtKind kind)
{
	Stmt *s = arena_new(l->arena, Stmt);

	s->kind = kind;
	s->var = NO_VAR;
	s->value = NO_VALUE;
	VEC_PUSH(l->arena, *l->at, s);
	return s;
}

static VarId new_var(Lower *l)
{
	return l->k->nvars++;
}

static void open_scope(Lower *l, StmtList *body)
{
	VEC_PUSH(l->arena, l->scopes,
		 ((LowerScope){l->at, l->memo.n, l->conds.n}));
	l->at = body;
}

Phase *lower_phase(Lower *l, const char *name)
{
	Phase ph = {.name = name};

	bug_if(l->scopes.n != 0);
	VEC_PUSH(l->arena, l->k->phases, ph);
	l->memo.n = 0;
	Phase *at = &l->k->phases.p[l->k->phases.n - 1];
	l->at = &at->body;
	return at;
}

Ex lower_task(Lower *l, Ex extent)
{
	Phase *ph = &l->k->phases.p[l->k->phases.n - 1];
	KAxis a = {l->k->naxes, extent};

	if (ex_equals(&l->p->ex, extent, 1))
		return ex_const(&l->p->ex, 0);
	l->k->naxes++;
	VEC_PUSH(l->arena, ph->tasks, a);
	return ex_axis(&l->p->ex, a.axis);
}

Ex lower_for(Lower *l, Ex extent, LoopMap map, int lanes)
{
	if (ex_equals(&l->p->ex, extent, 1)) {
		open_scope(l, l->at);
		return ex_const(&l->p->ex, 0);
	}
	Stmt *s = append(l, ST_FOR);
	s->axis = l->k->naxes++;
	s->extent = extent;
	s->map = map;
	s->lanes = lanes;
	open_scope(l, &s->body);
	return ex_axis(&l->p->ex, s->axis);
}

Ex lower_chunk(Lower *l, int64_t elements, Ex length)
{
	ExprTab *t = &l->p->ex;
	Ex one = ex_const(t, 1);

	return ex_max(t, one,
		      ex_div(t, ex_const(t, elements), ex_max(t, one, length)));
}

/*
 * A branch that is always taken: index[d] lies in its extent. It costs two
 * comparisons a row, and is what every index made from a row is proved by.
 * It belongs to the loop at hand and closes with it.
 */
static void guard_rows(Lower *l, const Ex *extents, int n, const Ex *index)
{
	ExprTab *t = &l->p->ex;
	Stmt *s = append(l, ST_IF);

	s->nconds = 2 * (uint32_t)n;
	s->conds = arena_array(l->arena, Ex, s->nconds);
	for (int d = 0; d < n; d++) {
		Ex last = ex_sub(t, extents[d], ex_const(t, 1));
		s->conds[2 * d] = index[d];
		s->conds[2 * d + 1] = ex_sub(t, last, index[d]);
	}
	l->at = &s->body;
}

void lower_rows(Lower *l, const Ex *extents, int n, Ex chunk, Ex *index)
{
	ExprTab *t = &l->p->ex;
	Ex rows = ex_const(t, 1);

	for (int d = 0; d < n; d++)
		rows = ex_mul(t, rows, extents[d]);
	Ex task = lower_task(l, ex_ceil_div(t, rows, chunk));
	Ex first = ex_mul(t, task, chunk);
	Ex rest = ex_sub(t, rows, first);
	Ex row = ex_add(t, first,
			lower_for(l, ex_min(t, chunk, rest), MAP_SERIAL, 1));
	for (int d = n - 1; d > 0; d--) {
		index[d] = ex_const(t, 0);
		if (ex_equals(t, extents[d], 0)) /* then there are no rows */
			continue;
		index[d] = ex_mod(t, row, extents[d]);
		row = ex_div(t, row, extents[d]);
	}
	if (n > 0)
		index[0] = row;
	if (n > 1)
		guard_rows(l, extents, n, index);
}

void lower_end(Lower *l)
{
	bug_if(l->scopes.n == 0);
	LowerScope s = l->scopes.p[--l->scopes.n];
	l->at = s.list;
	l->memo.n = s.memo;
	l->conds.n = s.conds;
}

void lower_guard(Lower *l, Ex cond)
{
	VEC_PUSH(l->arena, l->conds, cond);
}

void lower_if(Lower *l, const Ex *conds, uint32_t n)
{
	Ex *left = arena_array(l->arena, Ex, n + 1);
	uint32_t nleft = 0;
	int64_t c;

	for (uint32_t i = 0; i < n; i++)
		if (!ex_is_const(&l->p->ex, conds[i], &c) || c < 0)
			left[nleft++] = conds[i];
	if (nleft == 0) {
		open_scope(l, l->at);
		return;
	}
	Stmt *s = append(l, ST_IF);
	s->nconds = nleft;
	s->conds = left;
	open_scope(l, &s->body);
}

void lower_else(Lower *l)
{
	const LowerScope *s = &l->scopes.p[l->scopes.n - 1];
	Stmt *branch = s->list->p[s->list->n - 1];

	bug_if(branch->kind != ST_IF);
	l->memo.n = s->memo;
	l->conds.n = s->conds;
	l->at = &branch->orelse;
}

const char *lower_name(Lower *l, const char *want)
{
	char *name = arena_strdup(l->arena, want);
	int tries = 0;

	for (char *c = name; *c; c++) {
		bool ok = (*c >= 'a' && *c <= 'z') ||
			  (*c >= 'A' && *c <= 'Z') ||
			  (*c >= '0' && *c <= '9') || *c == '_';
		if (!ok)
			*c = '_';
	}
	const char *base = name;
	for (;;) {
		bool taken = false;
		for (size_t i = 0; i < l->k->buffers.n; i++)
			taken |= !strcmp(l->k->buffers.p[i].name, name);
		if (!taken)
			return name;
		name = arena_printf(l->arena, "%s_%d", base, ++tries);
	}
}

uint32_t lower_buffer(Lower *l, BufScope scope, DType dtype, const Ex *shape,
		      uint8_t rank, const char *name)
{
	KBuffer b = {.scope = scope, .dtype = dtype, .rank = rank};

	bug_if(rank > K_MAX_RANK);
	memcpy(b.shape, shape, rank * sizeof(Ex));
	b.value = NO_VALUE;
	b.name = lower_name(l, name);
	VEC_PUSH(l->arena, l->k->buffers, b);
	return (uint32_t)l->k->buffers.n - 1;
}

/* Whether the value has the shape of the region's space. */
static bool is_space(const Lower *l, const Value *v)
{
	if (v->rank != l->region->rank || v->rank == 0)
		return false;
	for (int d = 0; d < v->rank; d++)
		if (v->shape[d] != l->region->space[d])
			return false;
	return true;
}

void lower_flat(Lower *l, Ex elements)
{
	l->is_flat = true;
	l->flat = elements;
}

/* The buffer of a value that memory holds, made at its first use. */
static uint32_t value_buffer(Lower *l, ValueId v, BufScope scope)
{
	if (l->buffer_of[v])
		return l->buffer_of[v] - 1;
	const Value *val = program_value(l->p, v);
	const char *name = val->name && !val->via
				   ? arena_printf(l->arena, "b_%s", val->name)
				   : arena_printf(l->arena, "b%u", v);
	bool flat = l->is_flat && is_space(l, val);
	uint32_t b =
		lower_buffer(l, scope, val->dtype, flat ? &l->flat : val->shape,
			     flat ? 1 : val->rank, name);
	l->k->buffers.p[b].value = v;
	l->buffer_of[v] = b + 1;
	return b;
}

uint32_t lower_output(Lower *l, ValueId v)
{
	return value_buffer(l, v, SCOPE_OUT);
}

VarId lower_load(Lower *l, uint32_t buffer, const Ex *index)
{
	const KBuffer *b = &l->k->buffers.p[buffer];
	Stmt *s = append(l, ST_LOAD);

	s->var = new_var(l);
	s->dtype = b->dtype;
	s->buffer = buffer;
	s->nindex = b->rank;
	memcpy(s->index, index, b->rank * sizeof(Ex));
	s->nconds = (uint32_t)l->conds.n;
	s->conds = arena_array(l->arena, Ex, l->conds.n);
	if (l->conds.n)
		memcpy(s->conds, l->conds.p, l->conds.n * sizeof(Ex));
	s->value = b->value;
	return s->var;
}

void lower_store(Lower *l, uint32_t buffer, const Ex *index, VarId var)
{
	const KBuffer *b = &l->k->buffers.p[buffer];
	Stmt *s = append(l, ST_STORE);

	s->dtype = b->dtype;
	s->buffer = buffer;
	s->nindex = b->rank;
	memcpy(s->index, index, b->rank * sizeof(Ex));
	s->nargs = 1;
	s->args[0] = var;
	s->value = b->value;
}

VarId lower_op(Lower *l, Op op, DType dtype, DType from, const VarId *args,
	       uint32_t n, ValueId value)
{
	Stmt *s = append(l, ST_OP);

	s->op = op;
	s->var = new_var(l);
	s->dtype = dtype;
	s->from = from;
	s->nargs = n;
	memcpy(s->args, args, n * sizeof(VarId));
	s->value = value;
	return s->var;
}

VarId lower_cast(Lower *l, DType to, DType from, VarId x)
{
	if (to == from)
		return x;
	return lower_op(l, OP_CAST, to, from, &x, 1, NO_VALUE);
}

VarId lower_round(Lower *l, DType to, DType from, VarId x, ValueId value)
{
	Stmt *s = append(l, ST_ROUND);

	s->var = new_var(l);
	s->dtype = to;
	s->from = from;
	s->nargs = 1;
	s->args[0] = x;
	s->value = value;
	return s->var;
}

VarId lower_keep(Lower *l, DType to, VarId x, ValueId value)
{
	VarId var = lower_round(l, to, DT_F32, x, value);

	l->at->p[l->at->n - 1]->kind = ST_KEEP;
	return var;
}

VarId lower_mac(Lower *l, DType dtype, VarId a, VarId b, VarId c)
{
	Stmt *s = append(l, ST_MAC);

	s->var = new_var(l);
	s->dtype = s->from = dtype;
	s->nargs = 3;
	s->args[0] = a;
	s->args[1] = b;
	s->args[2] = c;
	return s->var;
}

VarId lower_word(Lower *l, DType from, VarId element, int bit, VarId word)
{
	Stmt *s = append(l, ST_WORD);

	s->var = new_var(l);
	s->dtype = DT_U32;
	s->from = from;
	s->bit = bit;
	s->args[s->nargs++] = element;
	if (word != NO_VAR)
		s->args[s->nargs++] = word;
	return s->var;
}

void lower_dot(Lower *l, const KDot *d, DType from, uint32_t buffer,
	       const Ex *index, ValueId value)
{
	const KBuffer *b = &l->k->buffers.p[buffer];
	Stmt *s = append(l, ST_DOT);
	KDot *copy = arena_new(l->arena, KDot);

	*copy = *d;
	s->dot = copy;
	s->dtype = b->dtype;
	s->from = from;
	s->buffer = buffer;
	s->nindex = b->rank;
	memcpy(s->index, index, b->rank * sizeof(Ex));
	s->value = value;
}

VarId lower_zero(Lower *l, DType dtype)
{
	Stmt *s = append(l, ST_CONST);

	s->var = new_var(l);
	s->dtype = dtype;
	s->data = arena_alloc(l->arena, 8, 8);
	return s->var;
}

VarId lower_constant(Lower *l, DType dtype, const void *data)
{
	VarId var = lower_zero(l, dtype);
	l->at->p[l->at->n - 1]->data = data;
	return var;
}

VarId lower_identity(Lower *l, Op op, DType dtype)
{
	double f64 = op == OP_MAXIMUM   ? -__builtin_inf()
		     : op == OP_MINIMUM ? __builtin_inf()
		     : op == OP_MUL     ? 1
					: 0;
	float f32 = (float)f64;
	uint32_t bits;
	VarId var = lower_zero(l, dtype);
	void *data = arena_alloc(l->arena, 8, 8);

	bug_if(!dtype_is_float(dtype));
	memcpy(&bits, &f32, sizeof(bits));
	uint16_t bf16 = (uint16_t)(bits >> 16);
	uint16_t f16 =
		(uint16_t)((bits >> 16 & 0x8000) | (op == OP_ADD   ? 0
						    : op == OP_MUL ? 0x3c00
								   : 0x7c00));
	if (dtype == DT_F64)
		memcpy(data, &f64, sizeof(f64));
	else if (dtype == DT_F32)
		memcpy(data, &f32, sizeof(f32));
	else
		memcpy(data, dtype == DT_F16 ? &f16 : &bf16, sizeof(f16));
	l->at->p[l->at->n - 1]->data = data;
	return var;
}

VarId lower_index_value(Lower *l, DType dtype, Ex index)
{
	Stmt *s = append(l, ST_INDEX);

	s->var = new_var(l);
	s->dtype = dtype;
	s->ex = index;
	return s->var;
}

VarId lower_acc(Lower *l, Op op, DType dtype, VarId init)
{
	Stmt *s = append(l, ST_ACC);

	s->op = op;
	s->var = new_var(l);
	s->dtype = s->from = dtype;
	if (init != NO_VAR) {
		s->nargs = 1;
		s->args[0] = init;
	}
	return s->var;
}

void lower_accum(Lower *l, VarId acc, Op op, DType dtype, VarId x)
{
	Stmt *s = append(l, ST_ACCUM);

	s->op = op;
	s->var = acc;
	s->dtype = s->from = dtype;
	s->nargs = 1;
	s->args[0] = x;
}

static void accum_where(Lower *l, VarId acc, Op op, DType dtype, VarId x,
			VarId cond)
{
	lower_accum(l, acc, op, dtype, x);
	Stmt *s = l->at->p[l->at->n - 1];
	s->nargs = 2;
	s->args[1] = cond;
}

VarId lower_test(Lower *l, const Ex *conds, uint32_t n)
{
	Stmt *s = append(l, ST_TEST);

	s->var = new_var(l);
	s->dtype = DT_BOOL;
	s->nconds = n;
	s->conds = arena_array(l->arena, Ex, n);
	memcpy(s->conds, conds, n * sizeof(Ex));
	return s->var;
}

static Ex bound(Lower *l, VarId x, DType from, Ex extent, ValueId value)
{
	Stmt *s = append(l, ST_BOUND);

	s->axis = l->k->naxes++;
	s->extent = extent;
	s->nargs = 1;
	s->args[0] = x;
	s->from = from;
	s->value = value;
	return ex_axis(&l->p->ex, s->axis);
}

/* ---- values ---------------------------------------------------------- */

void lower_bind(Lower *l, ValueId v, const Ex *index, VarId var)
{
	uint8_t rank = program_value(l->p, v)->rank;
	Ex *copy = arena_array(l->arena, Ex, rank + 1);

	if (rank > 0) /* index may be NULL otherwise */
		memcpy(copy, index, rank * sizeof(Ex));
	VEC_PUSH(l->arena, l->memo, ((Memo){v, copy, var}));
}

/* Whether two indices of v are one: an axis of one element has index 0,
 * which a view may say where a loop says its counter. */
static bool same_index(const Lower *l, const Value *v, const Ex *a, const Ex *b)
{
	int64_t n;

	for (int d = 0; d < v->rank; d++)
		if (a[d] != b[d] &&
		    !(ex_is_const(&l->p->ex, v->shape[d], &n) && n == 1))
			return false;
	return true;
}

static VarId recall(const Lower *l, ValueId v, const Ex *index)
{
	const Value *val = program_value(l->p, v);

	for (size_t i = l->memo.n; i-- > 0;) {
		const Memo *m = &l->memo.p[i];
		if (m->value == v && same_index(l, val, m->index, index))
			return m->var;
	}
	return NO_VAR;
}

static Ex flat_index(Lower *l, const Value *v, const Ex *index)
{
	ExprTab *t = &l->p->ex;
	Ex flat = ex_const(t, 0);

	if (l->is_flat && is_space(l, v))
		return index[0];
	for (int d = 0; d < v->rank; d++)
		flat = ex_add(t, ex_mul(t, flat, v->shape[d]), index[d]);
	return flat;
}

static VarId lower_elem(Lower *l, ValueId id, const Value *v, const Ex *index)
{
	VarId args[3];
	DType from = v->dtype;

	bug_if(v->nargs > 3);
	for (uint32_t i = 0; i < v->nargs; i++) {
		args[i] = lower_value(l, v->args[i], index);
		if (v->op != OP_WHERE)
			from = program_value(l->p, v->args[i])->dtype;
	}
	VarId var = lower_op(l, v->op, v->dtype, from, args, v->nargs, id);
	if (op_has(v->op, 'T') && !dtype_is_float(from))
		l->at->p[l->at->n - 1]->ex = flat_index(l, v, index);
	return var;
}

/* The integer that v is at the index, if positions alone say it. int64 and
 * the sums of a few positions: nothing wraps. */
static bool as_position(Lower *l, ValueId id, const Ex *index, int depth,
			Ex *out)
{
	ExprTab *t = &l->p->ex;
	const Value *v = program_value(l->p, id);
	Ex map[TN_MAX_RANK], a, b;
	int64_t n;

	if (v->dtype != DT_I64 || depth > 8)
		return false;
	if (v->op == OP_IOTA) {
		*out = index[v->axis];
		return true;
	}
	if (v->op == OP_CONST && v->rank == 0) {
		memcpy(&n, v->data, sizeof(n));
		*out = ex_const(t, n);
		return n >= -(INT64_C(1) << 40) && n <= INT64_C(1) << 40;
	}
	if (op_info[v->op].cls == OPC_VIEW) {
		const Value *x = program_value(l->p, v->args[0]);
		view_map(l->p, v, map);
		for (int d = 0; d < x->rank; d++)
			map[d] = ex_subst_axes(t, map[d], index, v->rank);
		return as_position(l, v->args[0], map, depth + 1, out);
	}
	if ((v->op != OP_ADD && v->op != OP_SUB) ||
	    !as_position(l, v->args[0], index, depth + 1, &a) ||
	    !as_position(l, v->args[1], index, depth + 1, &b))
		return false;
	*out = v->op == OP_ADD ? ex_add(t, a, b) : ex_sub(t, a, b);
	return true;
}

uint32_t lower_compare(Lower *l, ValueId id, const Ex *index, Ex *conds)
{
	ExprTab *t = &l->p->ex;
	const Value *v = program_value(l->p, id);
	Ex map[TN_MAX_RANK], a, b, one = ex_const(t, 1);

	if (op_info[v->op].cls == OPC_VIEW) {
		const Value *x = program_value(l->p, v->args[0]);
		view_map(l->p, v, map);
		for (int d = 0; d < x->rank; d++)
			map[d] = ex_subst_axes(t, map[d], index, v->rank);
		return lower_compare(l, v->args[0], map, conds);
	}
	if ((v->op != OP_LE && v->op != OP_LT && v->op != OP_GE &&
	     v->op != OP_GT && v->op != OP_EQ) ||
	    !as_position(l, v->args[0], index, 0, &a) ||
	    !as_position(l, v->args[1], index, 0, &b))
		return 0;
	bool less = v->op == OP_LE || v->op == OP_LT;
	conds[0] = less ? ex_sub(t, b, a) : ex_sub(t, a, b);
	if (v->op == OP_LT || v->op == OP_GT)
		conds[0] = ex_sub(t, conds[0], one);
	conds[1] = ex_sub(t, b, a);
	return v->op == OP_EQ ? 2 : 1;
}

/* Adds what keeps `index` inside 0 .. extent-1 to conds. */
static uint32_t inside(Lower *l, Ex index, Ex extent, Ex *conds)
{
	ExprTab *t = &l->p->ex;

	conds[0] = index;
	conds[1] = ex_sub(t, ex_sub(t, extent, index), ex_const(t, 1));
	return 2;
}

static void push_conds(Lower *l, const Ex *conds, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		VEC_PUSH(l->arena, l->conds, conds[i]);
}

static VarId lower_pad(Lower *l, const Value *v, const Ex *index)
{
	ExprTab *t = &l->p->ex;
	const Value *x = program_value(l->p, v->args[0]);
	Ex at[TN_MAX_RANK], conds[2 * TN_MAX_RANK];
	uint32_t n = 0;
	size_t memo = l->memo.n, guard = l->conds.n;

	for (int d = 0; d < v->rank; d++) {
		at[d] = ex_sub(t, index[d], v->start[d]);
		if (!ex_equals(t, v->start[d], 0) || v->shape[d] != x->shape[d])
			n += inside(l, at[d], x->shape[d], conds + n);
	}
	push_conds(l, conds, n);
	VarId args[3];
	args[1] = lower_value(l, v->args[0], at);
	l->conds.n = guard;
	l->memo.n = memo; /* made under the guard: of no use outside it */
	args[2] = lower_value(l, v->args[1], NULL);
	if (n == 0)
		return args[1];
	args[0] = lower_test(l, conds, n);
	return lower_op(l, OP_WHERE, v->dtype, v->dtype, args, 3, NO_VALUE);
}

static VarId lower_concat(Lower *l, const Value *v, const Ex *index)
{
	ExprTab *t = &l->p->ex;
	Ex at[TN_MAX_RANK], offset = ex_const(t, 0);
	VarId result = NO_VAR;

	memcpy(at, index, v->rank * sizeof(Ex));
	for (uint32_t i = 0; i < v->nargs; i++) {
		const Value *x = program_value(l->p, v->args[i]);
		size_t memo = l->memo.n, guard = l->conds.n;
		Ex conds[2];

		at[v->axis] = ex_sub(t, index[v->axis], offset);
		uint32_t n = inside(l, at[v->axis], x->shape[v->axis], conds);
		push_conds(l, conds, n);
		VarId part = lower_value(l, v->args[i], at);
		l->conds.n = guard;
		l->memo.n = memo;
		if (result == NO_VAR) {
			result = part;
		} else {
			VarId args[3] = {lower_test(l, conds, n), part, result};
			result = lower_op(l, OP_WHERE, v->dtype, v->dtype, args,
					  3, NO_VALUE);
		}
		offset = ex_add(t, offset, x->shape[v->axis]);
	}
	return result;
}

/*
 * A checked index into x's axis. Loads behind it are guarded by a
 * non-empty axis: with an empty one the check faults and yields 0.
 */
static void guard_index(Lower *l, Ex i, Ex extent)
{
	ExprTab *t = &l->p->ex;
	int64_t c;

	if (!ex_is_const(t, extent, &c) || c < 1) {
		Ex cond = ex_sub(t, ex_sub(t, extent, i), ex_const(t, 1));
		VEC_PUSH(l->arena, l->conds, cond);
	}
}

Ex lower_index(Lower *l, ValueId index, const Ex *at, Ex extent, ValueId user)
{
	VarId x = lower_value(l, index, at);
	Ex i = bound(l, x, program_value(l->p, index)->dtype, extent, user);

	guard_index(l, i, extent);
	return i;
}

static const Hoisted *find_hoisted(const Lower *l, ValueId v)
{
	for (size_t i = 0; i < l->hoisted.n; i++)
		if (l->hoisted.p[i].value == v)
			return &l->hoisted.p[i];
	return NULL;
}

void lower_hoist(Lower *l, ValueId id, const Ex *index)
{
	const Value *v = program_value(l->p, id);

	if (v->op != OP_GATHER)
		return;
	const Value *x = program_value(l->p, v->args[0]);
	size_t guard = l->conds.n;
	Ex axis = lower_index(l, v->args[1], index + v->axis, x->shape[v->axis],
			      id);
	l->conds.n = guard; /* only loads behind the index need it */
	VEC_PUSH(l->arena, l->hoisted, ((Hoisted){id, axis}));
}

static VarId lower_gather(Lower *l, ValueId id, const Value *v, const Ex *index)
{
	const Value *x = program_value(l->p, v->args[0]);
	const Value *ix = program_value(l->p, v->args[1]);
	size_t memo = l->memo.n, guard = l->conds.n;
	Ex at[TN_MAX_RANK];

	memcpy(at, index, v->axis * sizeof(Ex));
	const Hoisted *made = find_hoisted(l, id);
	if (made)
		guard_index(l, at[v->axis] = made->axis, x->shape[v->axis]);
	else
		at[v->axis] = lower_index(l, v->args[1], index + v->axis,
					  x->shape[v->axis], id);
	for (int d = (int)v->axis + 1; d < x->rank; d++)
		at[d] = index[d - 1 + ix->rank];
	VarId var = lower_value(l, v->args[0], at);
	l->conds.n = guard;
	l->memo.n = memo;
	return var;
}

static VarId lower_scatter(Lower *l, ValueId id, const Value *v,
			   const Ex *index)
{
	ExprTab *t = &l->p->ex;
	const Value *x = program_value(l->p, v->args[0]);
	const Value *u = program_value(l->p, v->args[2]);
	bool add = v->op == OP_SCATTER_ADD;
	Op fold = add ? OP_ADD : OP_WHERE;
	VarId acc =
		lower_acc(l, fold, v->dtype, lower_value(l, v->args[0], index));
	Ex j = lower_for(l, u->shape[v->axis], MAP_SERIAL, 1);
	Ex i = lower_index(l, v->args[1], &j, x->shape[v->axis], id);
	Ex at[TN_MAX_RANK];

	memcpy(at, index, v->rank * sizeof(Ex));
	at[v->axis] = j;
	VarId update = lower_value(l, v->args[2], at);
	Ex conds[2] = {ex_sub(t, i, index[v->axis]),
		       ex_sub(t, index[v->axis], i)};
	accum_where(l, acc, fold, v->dtype, update, lower_test(l, conds, 2));
	lower_end(l);
	return acc;
}

static VarId lower_view(Lower *l, const Value *v, const Ex *index)
{
	const Value *x = program_value(l->p, v->args[0]);
	Ex map[TN_MAX_RANK], at[TN_MAX_RANK];

	view_map(l->p, v, map);
	for (int d = 0; d < x->rank; d++)
		at[d] = ex_subst_axes(&l->p->ex, map[d], index, v->rank);
	return lower_value(l, v->args[0], at);
}

static VarId lower_const(Lower *l, const Value *v, ValueId id)
{
	Stmt *s = append(l, ST_CONST);

	s->var = new_var(l);
	s->dtype = v->dtype;
	s->data = v->data;
	s->value = id;
	return s->var;
}

static VarId lower_iota(Lower *l, const Value *v, Ex index, ValueId id)
{
	Stmt *s = append(l, ST_INDEX);

	s->var = new_var(l);
	s->dtype = v->dtype;
	s->ex = index;
	s->value = id;
	return s->var;
}

/* Whether memory holds v when this kernel runs. */
static bool in_memory(const Lower *l, ValueId v, const Value *val)
{
	if (op_info[val->op].cls == OPC_LEAF)
		return val->op != OP_IOTA &&
		       !(val->op == OP_CONST && val->rank == 0);
	return l->r->of[v] != NO_REGION && l->r->of[v] != l->region_index &&
	       op_info[val->op].cls != OPC_VIEW;
}

VarId lower_value(Lower *l, ValueId id, const Ex *index)
{
	const Value *v = program_value(l->p, id);
	VarId var = recall(l, id, index);

	if (var != NO_VAR)
		return var;
	if (in_memory(l, id, v)) {
		var = lower_load(l, value_buffer(l, id, SCOPE_IN), index);
		lower_bind(l, id, index, var);
		return var;
	}
	switch (op_info[v->op].cls) {
	case OPC_LEAF:
		var = v->op == OP_IOTA ? lower_iota(l, v, index[v->axis], id)
				       : lower_const(l, v, id);
		break;
	case OPC_ELEM: {
		Ex conds[2];
		uint32_t n = lower_compare(l, id, index, conds);
		if (n) {
			var = lower_test(l, conds, n);
			l->at->p[l->at->n - 1]->value = id;
		} else {
			var = lower_elem(l, id, v, index);
		}
		break;
	}
	case OPC_VIEW:
		var = lower_view(l, v, index);
		break;
	case OPC_MOVE:
		if (v->op == OP_PAD)
			var = lower_pad(l, v, index);
		else if (v->op == OP_CONCAT)
			var = lower_concat(l, v, index);
		else if (v->op == OP_GATHER)
			var = lower_gather(l, id, v, index);
		else
			var = lower_scatter(l, id, v, index);
		break;
	case OPC_REDUCE:
	case OPC_SCAN:
	case OPC_CONTRACT:
		bug("%%%u (%s) is not bound where it is read", id,
		    op_info[v->op].name);
	}
	lower_bind(l, id, index, var);
	return var;
}

bool lower_place(Lower *l, ValueId id, const Ex *index, KOperand *out)
{
	Ex map[TN_MAX_RANK], at[TN_MAX_RANK];
	const Value *v = program_value(l->p, id);

	memcpy(at, index, v->rank * sizeof(Ex));
	while (!in_memory(l, id, v) && op_info[v->op].cls == OPC_VIEW) {
		const Value *x = program_value(l->p, v->args[0]);
		view_map(l->p, v, map);
		for (int d = 0; d < x->rank; d++)
			map[d] = ex_subst_axes(&l->p->ex, map[d], at, v->rank);
		memcpy(at, map, x->rank * sizeof(Ex));
		id = v->args[0];
		v = x;
	}
	if (!in_memory(l, id, v) || l->is_flat)
		return false;
	out->buffer = value_buffer(l, id, SCOPE_IN);
	out->nindex = v->rank;
	memcpy(out->index, at, v->rank * sizeof(Ex));
	return true;
}

void lower_result(Lower *l, ValueId v, const Ex *index)
{
	lower_store(l, lower_output(l, v), index, lower_value(l, v, index));
}

bool lower_is_scalar(const Regions *r, uint32_t region)
{
	const Region *reg = &r->regions.p[region];

	for (size_t i = 0; i < reg->values.n; i++) {
		const Value *v = program_value(r->program, reg->values.p[i]);
		if (!op_has(v->op, 'T'))
			continue;
		const Value *x = program_value(r->program, v->args[0]);
		if (op_info[v->op].cls == OPC_MOVE || !dtype_is_float(x->dtype))
			return true;
	}
	return false;
}

int lower_lanes(const Regions *r, uint32_t region, const Target *t)
{
	return lower_is_scalar(r, region) ? 1 : lower_lanes_of(r, region, t);
}

int lower_lanes_of(const Regions *r, uint32_t region, const Target *t)
{
	const Region *reg = &r->regions.p[region];
	int widest = 1;

	for (size_t i = 0; i < reg->values.n; i++) {
		const Value *v = program_value(r->program, reg->values.p[i]);
		for (uint32_t j = 0; j <= v->nargs; j++) {
			if (v->op == OP_GATHER && j == 1)
				continue;
			DType d = j == v->nargs ? v->dtype
						: program_value(r->program,
								v->args[j])
							  ->dtype;
			/* bool is 32 bits wide in a vector */
			int bytes =
				d == DT_BOOL
					? 4
					: dtype_info[dtype_interior(d)].bytes;
			widest = bytes > widest ? bytes : widest;
		}
	}
	return t->vector_bytes / widest;
}

/* ---- how memory is walked -------------------------------------------- */

typedef struct Walk {
	Ex best; /* linear address of the largest operand so far */
	int64_t weight;
	bool any;
} Walk;

static void walk(Lower *l, ValueId id, const Ex *index, Walk *w, int depth)
{
	ExprTab *t = &l->p->ex;
	const Value *v = program_value(l->p, id);

	if (in_memory(l, id, v)) {
		Ex addr = flat_index(l, v, index);
		/* more dims read: a larger operand; ties keep the first */
		int64_t weight = v->rank;
		if (!w->any || weight > w->weight)
			*w = (Walk){addr, weight, true};
		return;
	}
	if (depth > 200)
		return;
	if (op_info[v->op].cls == OPC_VIEW) {
		const Value *x = program_value(l->p, v->args[0]);
		Ex map[TN_MAX_RANK], at[TN_MAX_RANK];
		view_map(l->p, v, map);
		for (int d = 0; d < x->rank; d++)
			at[d] = ex_subst_axes(t, map[d], index, v->rank);
		walk(l, v->args[0], at, w, depth + 1);
	} else if (op_info[v->op].cls == OPC_ELEM) {
		for (uint32_t i = 0; i < v->nargs; i++)
			walk(l, v->args[i], index, w, depth + 1);
	} else if (v->op == OP_PAD || v->op == OP_CONCAT) {
		walk(l, v->args[0], index, w, depth + 1);
	}
}

int lower_stride(Lower *l, ValueId v, const Ex *index, int64_t axis)
{
	ExprTab *t = &l->p->ex;
	Walk w = {0};

	walk(l, v, index, &w, 0);
	if (!w.any || !ex_uses_axis(t, w.best, axis))
		return 0;
	/* address(axis + 1) - address(axis) */
	Ex *with = arena_array(l->arena, Ex, axis + 1);
	for (int64_t i = 0; i <= axis; i++)
		with[i] = ex_axis(t, i);
	with[axis] = ex_add(t, with[axis], ex_const(t, 1));
	Ex next = ex_subst_axes(t, w.best, with, (size_t)axis + 1);
	return ex_equals(t, ex_sub(t, next, w.best), 1) ? 1 : -1;
}
