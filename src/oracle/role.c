/*
 * role: what each input is used for, read off the program.
 *
 * From every input the values that depend on it elementwise or as a view
 * are followed, and which of its axes each of their axes is. The rules:
 *   - It is a weight if that reaches the right operand of a matmul and never
 *     a left one; its scale is 1/sqrt(K) of that matmul.
 *   - It is a gain if its rank is at most 1 and the first op other than a
 *     view or a conversion is a multiplication; an addend if that op is an
 *     addition or subtraction whose other operand is another input's.
 *   - The axis summed over first (matmul, reduction, scan) is its k_axis.
 *   - It is drawn from TF32 in families that are exact if a matmul may take it
 *     so (RELAX_TF32).
 *   - An integer that reaches an index, divisor, shift or exponent operand
 *     stays in the range that is legal there.
 */
#include "oracle/fixture.h"

typedef struct Follow {
	bool seen;
	bool direct;              /* only views and conversions so far */
	int8_t axis[TN_MAX_RANK]; /* input's axis of each axis, or -1 */
} Follow;

static void sum_axis(Role *r, const Eval *e, const Follow *f, int axis)
{
	if (r->k_axis >= 0 || f->axis[axis] < 0)
		return;
	r->k_axis = f->axis[axis];
	r->k = e->v[r->value].shape[r->k_axis];
}

/* The axes of a view's result, from its operand's. */
static void view_axes(const Eval *e, const Value *v, ValueId id,
		      const Follow *from, Follow *to)
{
	const Ev *x = &e->v[v->args[0]], *y = &e->v[id];
	int lead = y->rank - x->rank, at = 0;
	for (int d = 0; d < TN_MAX_RANK; d++)
		to->axis[d] = -1;
	switch ((int)v->op) {
	case OP_TRANSPOSE:
		for (int d = 0; d < y->rank; d++)
			to->axis[d] = from->axis[v->perm[d]];
		return;
	case OP_SLICE:
		memcpy(to->axis, from->axis, sizeof to->axis);
		return;
	case OP_BROADCAST:
		for (int d = 0; d < x->rank; d++)
			if (x->shape[d] == y->shape[d + lead])
				to->axis[d + lead] = from->axis[d];
		return;
	case OP_RESHAPE: /* extents that appear in both, in order */
		for (int d = 0; d < y->rank; d++) {
			if (y->shape[d] == 1)
				continue;
			while (at < x->rank && x->shape[at] == 1)
				at++;
			if (at == x->rank || x->shape[at] != y->shape[d])
				return;
			to->axis[d] = from->axis[at++];
		}
		return;
	}
}

static void index_use(Role *r, const Eval *e, const Value *v)
{
	int64_t len = e->v[v->args[0]].shape[v->axis];
	if (r->index_len == 0 || len < r->index_len)
		r->index_len = len;
}

static void elem_use(Role *r, const Eval *e, const Value *v, uint32_t k,
		     bool direct)
{
	Op op = v->op;
	bool fl = dtype_is_float(e->v[v->args[k]].dtype);
	if (k == 1 && !fl) {
		r->divisor |= op == OP_FLOORDIV || op == OP_MOD;
		r->exponent |= op == OP_POW;
		r->shift |= op == OP_SHL || op == OP_SHR;
	}
	r->positive |= direct && (op == OP_LOG || op == OP_SQRT ||
				  op == OP_RSQRT || op == OP_POW);
	if (!direct || v->args[0] == v->args[v->nargs - 1])
		return;
	if (op == OP_MUL && e->v[r->value].rank <= 1)
		r->gain = true;
	r->addend |= op == OP_ADD || op == OP_SUB;
}

static void use(Role *r, const Eval *e, ValueId id, uint32_t k,
		const Follow *from, Follow *to)
{
	const Value *v = program_value(e->p, id);
	const Ev *x = &e->v[v->args[k]];
	switch (op_info[v->op].cls) {
	case OPC_LEAF:
		return;
	case OPC_ELEM:
		elem_use(r, e, v, k, from->direct);
		if (!to->seen)
			*to = *from;
		to->direct = from->direct && v->op == OP_CAST;
		to->seen = true;
		return;
	case OPC_VIEW:
		view_axes(e, v, id, from, to);
		to->direct = from->direct;
		to->seen = true;
		return;
	case OPC_MOVE:
		if (k == 1 && v->op != OP_PAD && v->op != OP_CONCAT)
			index_use(r, e, v);
		else if (v->op == OP_PAD || v->op == OP_CONCAT) {
			*to = *from;
			to->seen = true;
		}
		return;
	case OPC_REDUCE:
		r->reduced = true;
		r->product |= v->op == OP_PROD;
		for (int d = 0; d < x->rank; d++)
			if (v->axes >> d & 1)
				sum_axis(r, e, from, d);
		return;
	case OPC_SCAN:
		r->reduced = true;
		sum_axis(r, e, from, (int)v->axis);
		return;
	case OPC_CONTRACT:
		if (k == 0)
			r->left = true;
		else
			r->weight = true;
		r->tf32 |= takes_tf32(e, id);
		sum_axis(r, e, from, k == 0 ? x->rank - 1 : x->rank - 2);
		return;
	}
}

static void follow(Role *r, const Eval *e, Follow *f, const int *depth)
{
	size_t n = e->p->values.n;
	memset(f, 0, n * sizeof *f);
	f[r->value].seen = f[r->value].direct = true;
	for (int d = 0; d < TN_MAX_RANK; d++)
		f[r->value].axis[d] = (int8_t)d;
	for (ValueId id = r->value + 1; id < n; id++) {
		const Value *v = program_value(e->p, id);
		for (uint32_t k = 0; k < v->nargs && e->live[id]; k++) {
			bool was = r->weight;
			if (!f[v->args[k]].seen)
				continue;
			use(r, e, id, k, &f[v->args[k]], &f[id]);
			if (r->weight && !was)
				r->depth = depth[id] - 1;
		}
	}
	r->weight &= !r->left;
	r->before = r->gain && r->left;
	if (r->gain)
		r->left = false;
}

/* The matmul that a value comes from through views, or NO_VALUE. */
static ValueId matmul_behind(const Eval *e, ValueId id)
{
	for (;;) {
		const Value *v = program_value(e->p, id);
		OpClass c = op_info[v->op].cls;
		if (c == OPC_CONTRACT)
			return id;
		if (c != OPC_VIEW && v->op != OP_CAST)
			return NO_VALUE;
		id = v->args[0];
	}
}

static void facts(Roles *rs, const Eval *e, int *depth)
{
	rs->k_most = 1;
	rs->inexact = OP_COUNT;
	for (ValueId id = 0; id < e->p->values.n; id++) {
		const Value *v = program_value(e->p, id);
		bool fl = dtype_is_float(v->dtype);
		if (!e->live[id])
			continue;
		for (uint32_t k = 0; k < v->nargs; k++)
			if (depth[v->args[k]] > depth[id])
				depth[id] = depth[v->args[k]];
		OpClass c = op_info[v->op].cls;
		depth[id] += c == OPC_CONTRACT;
		if (depth[id] > rs->depth)
			rs->depth = depth[id];
		if (fl && op_info[v->op].ulp > 0)
			rs->inexact = v->op;
		bool sums = c == OPC_CONTRACT || v->op == OP_SUM ||
			    v->op == OP_CUMSUM || v->op == OP_PROD;
		if (sums && fl) {
			const Ev *x = &e->v[v->args[0]];
			int64_t k = 1;
			if (c == OPC_CONTRACT)
				k = x->shape[x->rank - 1];
			else if (c == OPC_SCAN)
				k = x->shape[v->axis];
			for (int d = 0; c == OPC_REDUCE && d < x->rank; d++)
				if (v->axes >> d & 1)
					k *= x->shape[d];
			rs->k_most = k > rs->k_most ? k : rs->k_most;
			int bits = fmt_info[v->acc].p;
			if (rs->sum_bits == 0 || bits < rs->sum_bits)
				rs->sum_bits = bits;
		}
		if ((v->op == OP_ADD || v->op == OP_SUB) && fl) {
			ValueId a = matmul_behind(e, v->args[0]);
			ValueId b = matmul_behind(e, v->args[1]);
			rs->added |= a != NO_VALUE || b != NO_VALUE;
			rs->joined |= a != NO_VALUE && b != NO_VALUE && a != b;
		}
	}
}

Roles roles_find(Arena *a, const Eval *e)
{
	const Program *p = e->p;
	Roles rs = {.n = p->inputs.n};
	rs.r = arena_array(a, Role, rs.n + 1);
	int *depth = arena_array(a, int, p->values.n + 1);
	Follow *f = arena_array(a, Follow, p->values.n + 1);
	facts(&rs, e, depth);
	int weights = 0, lefts = 0, addends = 0;
	for (size_t i = 0; i < rs.n; i++) {
		Role *r = &rs.r[i];
		r->value = p->inputs.p[i];
		r->dtype = program_value(p, r->value)->dtype;
		r->k_axis = -1;
		r->k = 1;
		if (e->live[r->value])
			follow(r, e, f, depth);
		if (r->weight)
			r->order = weights++;
		else if (r->addend && !r->left)
			r->order = addends++;
		else
			r->order = lefts++;
	}
	return rs;
}
