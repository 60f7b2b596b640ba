/*
 * lower: statements, loops, guards and buffers of a kernel that is being made.
 *
 *   lower.c        the statements themselves
 *   lower_value.c  a value at an index, by what it is made of
 *   lower_walk.c   lanes of a region, and how its operands lie in memory
 *   lower_size.c   what pays only beyond the caches
 */
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

Stmt *lower_append(Lower *l, StmtKind kind)
{
	Stmt *s = arena_new(l->arena, Stmt);

	s->kind = kind;
	s->var = NO_VAR;
	s->value = NO_VALUE;
	VEC_PUSH(l->arena, *l->at, s);
	return s;
}

VarId lower_new_var(Lower *l)
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
	Phase ph = {.name = name, .threads = l->threads};

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
	Stmt *s = lower_append(l, ST_FOR);
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
	Stmt *s = lower_append(l, ST_IF);

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

	/* a row a block of threads: no chunks, no division */
	if (l->threads && ex_equals(t, chunk, 1)) {
		for (int d = 0; d < n; d++)
			index[d] = lower_task(l, extents[d]);
		(void)lower_for(l, chunk, MAP_SERIAL, 1);
		return;
	}
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
	Stmt *s = lower_append(l, ST_IF);
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
bool lower_is_space(const Lower *l, const Value *v)
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
uint32_t lower_value_buffer(Lower *l, ValueId v, BufScope scope)
{
	if (l->buffer_of[v])
		return l->buffer_of[v] - 1;
	const Value *val = program_value(l->p, v);
	const char *name = val->name && !val->via
				   ? arena_printf(l->arena, "b_%s", val->name)
				   : arena_printf(l->arena, "b%u", v);
	bool flat = l->is_flat && lower_is_space(l, val);
	uint32_t b =
		lower_buffer(l, scope, val->dtype, flat ? &l->flat : val->shape,
			     flat ? 1 : val->rank, name);
	l->k->buffers.p[b].value = v;
	l->buffer_of[v] = b + 1;
	return b;
}

uint32_t lower_output(Lower *l, ValueId v)
{
	return lower_value_buffer(l, v, SCOPE_OUT);
}

VarId lower_load(Lower *l, uint32_t buffer, const Ex *index)
{
	const KBuffer *b = &l->k->buffers.p[buffer];
	Stmt *s = lower_append(l, ST_LOAD);

	s->var = lower_new_var(l);
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

void lower_ask(Lower *l, uint32_t buffer, const Ex *index)
{
	const KBuffer *b = &l->k->buffers.p[buffer];
	Stmt *s = lower_append(l, ST_AHEAD);

	s->dtype = b->dtype;
	s->buffer = buffer;
	s->nindex = b->rank;
	memcpy(s->index, index, b->rank * sizeof(Ex));
}

void lower_store(Lower *l, uint32_t buffer, const Ex *index, VarId var)
{
	const KBuffer *b = &l->k->buffers.p[buffer];
	Stmt *s = lower_append(l, ST_STORE);

	s->dtype = b->dtype;
	s->buffer = buffer;
	s->nindex = b->rank;
	memcpy(s->index, index, b->rank * sizeof(Ex));
	s->nargs = 1;
	s->args[0] = var;
	s->value = b->value;
}

void lower_copy(Lower *l, uint32_t to, const Ex *index, const KOperand *from,
		int width, bool async, const Ex *conds, uint32_t nconds)
{
	const KBuffer *b = &l->k->buffers.p[to];
	Stmt *s = lower_append(l, ST_COPY);
	KCopy *copy = arena_new(l->arena, KCopy);

	*copy = (KCopy){.from = *from, .width = width, .async = async};
	s->copy = copy;
	s->dtype = b->dtype;
	s->buffer = to;
	s->nindex = b->rank;
	memcpy(s->index, index, b->rank * sizeof(Ex));
	s->nconds = nconds;
	s->conds = arena_array(l->arena, Ex, nconds + 1);
	if (nconds)
		memcpy(s->conds, conds, nconds * sizeof(Ex));
	s->value = l->k->buffers.p[from->buffer].value;
}

void lower_wait(Lower *l, int groups)
{
	lower_append(l, ST_WAIT)->bit = groups;
}

uint32_t lower_map(Lower *l, const KMap *m)
{
	Phase *ph = &l->k->phases.p[l->k->phases.n - 1];

	VEC_PUSH(l->arena, ph->maps, *m);
	return (uint32_t)ph->maps.n - 1;
}

void lower_box(Lower *l, uint32_t to, const Ex *index, uint32_t map,
	       const Ex *at, const Ex *conds, uint32_t nconds)
{
	const KBuffer *b = &l->k->buffers.p[to];
	const Phase *ph = &l->k->phases.p[l->k->phases.n - 1];
	Ex *left = arena_array(l->arena, Ex, nconds + 1);
	uint32_t nleft = 0;
	int64_t n;

	for (uint32_t i = 0; i < nconds; i++) {
		bool known = ex_is_const(&l->p->ex, conds[i], &n);
		if (known && n < 0)
			return;
		if (!known)
			left[nleft++] = conds[i];
	}
	Stmt *s = lower_append(l, ST_BOX);
	KBox *x = arena_new(l->arena, KBox);

	x->map = map;
	memcpy(x->at, at, ph->maps.p[map].rank * sizeof(Ex));
	s->box = x;
	s->nconds = nleft;
	s->conds = left;
	s->dtype = b->dtype;
	s->buffer = to;
	s->nindex = b->rank;
	memcpy(s->index, index, b->rank * sizeof(Ex));
}

void lower_runs(Lower *l, uint32_t to, uint32_t sums, ValueId value)
{
	Stmt *s = lower_append(l, ST_RUNS);

	s->dtype = l->k->buffers.p[to].dtype;
	s->buffer = to;
	s->sums = sums;
	if (s->dtype != l->k->buffers.p[sums].dtype)
		s->value = value;
}

void lower_settle(Lower *l, int dots)
{
	lower_append(l, ST_SETTLE)->bit = dots;
}

VarId lower_op(Lower *l, Op op, DType dtype, DType from, const VarId *args,
	       uint32_t n, ValueId value)
{
	Stmt *s = lower_append(l, ST_OP);

	s->op = op;
	s->var = lower_new_var(l);
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
	Stmt *s = lower_append(l, ST_ROUND);

	s->var = lower_new_var(l);
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
	Stmt *s = lower_append(l, ST_MAC);

	s->var = lower_new_var(l);
	s->dtype = s->from = dtype;
	s->nargs = 3;
	s->args[0] = a;
	s->args[1] = b;
	s->args[2] = c;
	return s->var;
}

VarId lower_word(Lower *l, DType from, VarId element, int bit, VarId word)
{
	Stmt *s = lower_append(l, ST_WORD);

	s->var = lower_new_var(l);
	s->dtype = DT_U32;
	s->from = from;
	s->bit = bit;
	s->args[s->nargs++] = element;
	if (word != NO_VAR)
		s->args[s->nargs++] = word;
	return s->var;
}

VarId lower_part(Lower *l, DType from, VarId element, int part)
{
	Stmt *s = lower_append(l, ST_PART);

	s->var = lower_new_var(l);
	s->dtype = DT_BF16;
	s->from = from;
	s->bit = part;
	s->args[s->nargs++] = element;
	return s->var;
}

void lower_dot(Lower *l, const KDot *d, DType from, uint32_t buffer,
	       const Ex *index, ValueId value)
{
	const KBuffer *b = &l->k->buffers.p[buffer];
	Stmt *s = lower_append(l, ST_DOT);
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
	Stmt *s = lower_append(l, ST_CONST);

	s->var = lower_new_var(l);
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
	Stmt *s = lower_append(l, ST_INDEX);

	s->var = lower_new_var(l);
	s->dtype = dtype;
	s->ex = index;
	return s->var;
}

VarId lower_acc(Lower *l, Op op, DType dtype, VarId init)
{
	Stmt *s = lower_append(l, ST_ACC);

	s->op = op;
	s->var = lower_new_var(l);
	s->dtype = s->from = dtype;
	if (init != NO_VAR) {
		s->nargs = 1;
		s->args[0] = init;
	}
	return s->var;
}

void lower_accum(Lower *l, VarId acc, Op op, DType dtype, VarId x)
{
	Stmt *s = lower_append(l, ST_ACCUM);

	s->op = op;
	s->var = acc;
	s->dtype = s->from = dtype;
	s->nargs = 1;
	s->args[0] = x;
}

void lower_accum_where(Lower *l, VarId acc, Op op, DType dtype, VarId x,
		       VarId cond)
{
	lower_accum(l, acc, op, dtype, x);
	Stmt *s = l->at->p[l->at->n - 1];
	s->nargs = 2;
	s->args[1] = cond;
}

VarId lower_test(Lower *l, const Ex *conds, uint32_t n)
{
	Stmt *s = lower_append(l, ST_TEST);

	s->var = lower_new_var(l);
	s->dtype = DT_BOOL;
	s->nconds = n;
	s->conds = arena_array(l->arena, Ex, n);
	memcpy(s->conds, conds, n * sizeof(Ex));
	return s->var;
}

Ex lower_bound(Lower *l, VarId x, DType from, Ex extent, ValueId value)
{
	Stmt *s = lower_append(l, ST_BOUND);

	s->axis = l->k->naxes++;
	s->extent = extent;
	s->nargs = 1;
	s->args[0] = x;
	s->from = from;
	s->value = value;
	return ex_axis(&l->p->ex, s->axis);
}
