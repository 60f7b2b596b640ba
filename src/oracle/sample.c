/*
 * sample: which elements are judged where all would take too long.
 *
 * Above 2^32 multiply-adds one random element of every 16x16 block of each
 * result is judged, and all of its edges. The lists are carried backwards:
 * an elementwise op needs the same elements of its operands, a view those
 * that it shows, a matmul whole operands. A value that two consumers want
 * different elements of, or whose op runs over an axis, is evaluated whole.
 *
 * Inputs of the exact family repeat with a prime period; their products are
 * computed once for each pair of distinct rows and columns, so that every
 * element is judged at any size.
 */
#include "oracle/fixture.h"

#define LIMIT ((double)((int64_t)1 << 32))
#define BLOCK 16

typedef enum Demand {
	WANT_NOTHING,
	WANT_LIST,
	WANT_ALL
} Demand;

typedef struct Plan {
	Eval *e;
	Demand *want;
	const int64_t **list;
	int64_t *n;
} Plan;

static double multiply_adds(const Eval *e)
{
	double sum = 0;
	for (ValueId id = 0; id < e->p->values.n; id++) {
		const Value *v = program_value(e->p, id);
		if (!e->live[id] || op_info[v->op].cls != OPC_CONTRACT)
			continue;
		const Ev *a = &e->v[v->args[0]];
		sum += (double)e->v[id].n * (double)a->shape[a->rank - 1];
	}
	return sum;
}

/* Whether a matrix repeats along the axis that is not summed over. */
static bool repeats(const Tensor *t, int k_axis)
{
	size_t size = (size_t)dtype_info[t->dtype].bytes;
	if (t->rank != 2 || k_axis < 0)
		return false;
	int axis = 1 - k_axis;
	int64_t rows = t->shape[0], cols = t->shape[1];
	int64_t period = exact_period[axis];
	const char *p = t->data;
	if (t->shape[axis] < 2 * period)
		return false;
	if (axis == 0)
		return memcmp(p, p + (size_t)(period * cols) * size,
			      (size_t)((rows - period) * cols) * size) == 0;
	for (int64_t r = 0; r < rows; r++) {
		const char *row = p + (size_t)(r * cols) * size;
		if (memcmp(row, row + (size_t)period * size,
			   (size_t)(cols - period) * size) != 0)
			return false;
	}
	return true;
}

static bool all_repeat(Eval *e)
{
	Roles rs = roles_find(e->arena, e);
	bool any = false;
	for (size_t i = 0; i < rs.n; i++) {
		const Role *r = &rs.r[i];
		if (!r->left && !r->weight)
			continue;
		any = true;
		if (!repeats(&e->feeds->inputs[i], r->k_axis))
			return false;
	}
	return any;
}

static int64_t *sample_of(Eval *e, const Ev *v, uint64_t key, int64_t *n)
{
	int64_t rows = v->shape[v->rank - 2], cols = v->shape[v->rank - 1];
	int64_t batches = rows && cols ? v->n / (rows * cols) : 0;
	int64_t blocks =
		((rows + BLOCK - 1) / BLOCK) * ((cols + BLOCK - 1) / BLOCK);
	int64_t most = batches * (blocks + 2 * (rows + cols));
	int64_t *list = eval_alloc(e, (size_t)(most + 1) * sizeof *list);
	*n = 0;
	for (int64_t t = 0; t < batches; t++) {
		int64_t base = t * rows * cols;
		for (int64_t i = 0; i < rows; i += BLOCK) {
			for (int64_t j = 0; j < cols; j += BLOCK) {
				uint64_t h = draw_bits(key, (uint64_t)*n);
				int64_t y = i + (int64_t)(h % BLOCK);
				int64_t x = j + (int64_t)(h / BLOCK % BLOCK);
				y = y < rows ? y : rows - 1;
				x = x < cols ? x : cols - 1;
				list[(*n)++] = base + y * cols + x;
			}
		}
		for (int64_t x = 0; x < cols; x++) {
			list[(*n)++] = base + x;
			list[(*n)++] = base + (rows - 1) * cols + x;
		}
		for (int64_t y = 0; y < rows; y++) {
			list[(*n)++] = base + y * cols;
			list[(*n)++] = base + y * cols + cols - 1;
		}
	}
	return list;
}

static void want(Plan *p, ValueId id, const int64_t *list, int64_t n)
{
	if (p->want[id] == WANT_NOTHING && list) {
		p->want[id] = WANT_LIST;
		p->list[id] = list;
		p->n[id] = n;
	} else if (p->want[id] != WANT_LIST || p->list[id] != list) {
		p->want[id] = WANT_ALL;
	}
}

static bool can_list(const Eval *e, ValueId id)
{
	const Value *v = program_value(e->p, id);
	switch (op_info[v->op].cls) {
	case OPC_LEAF:
	case OPC_ELEM:
	case OPC_VIEW:
		return true;
	case OPC_CONTRACT:
		return v->rank == 2 && dtype_is_float(v->dtype);
	case OPC_MOVE:
	case OPC_REDUCE:
	case OPC_SCAN:
		break;
	}
	return false;
}

static void want_operands(Plan *p, ValueId id)
{
	Eval *e = p->e;
	const Value *v = program_value(e->p, id);
	bool listed = p->want[id] == WANT_LIST;
	OpClass c = op_info[v->op].cls;
	const int64_t *list = listed && c == OPC_ELEM ? p->list[id] : NULL;
	int64_t n = p->n[id];
	if (listed && c == OPC_VIEW) {
		int64_t *from = eval_alloc(e, (size_t)(n + 1) * sizeof *from);
		view_sources(e, id, p->list[id], n, from);
		list = from;
	}
	for (uint32_t k = 0; k < v->nargs; k++)
		want(p, v->args[k], list, n);
}

bool sample_plan(Eval *e)
{
	const Program *prog = e->p;
	size_t n = prog->values.n;
	bool relaxed = false;
	for (size_t i = 0; i < n; i++)
		relaxed |= (prog->values.p[i].relax &
			    ~(uint32_t)(RELAX_ROW_INVARIANT | RELAX_TF32)) != 0;
	if (relaxed || multiply_adds(e) <= LIMIT || all_repeat(e))
		return false;
	Plan p = {.e = e};
	p.want = arena_array(e->arena, Demand, n + 1);
	p.list = arena_array(e->arena, const int64_t *, n + 1);
	p.n = arena_array(e->arena, int64_t, n + 1);
	/* Results of one shape share a list, so that operands can. */
	for (size_t r = 0; r < prog->results.n; r++) {
		ValueId id = prog->results.p[r].value;
		const Ev *v = &e->v[id];
		const int64_t *list = NULL;
		int64_t count = 0;
		for (size_t q = 0; q < r; q++) {
			ValueId other = prog->results.p[q].value;
			const Ev *o = &e->v[other];
			if (o->rank == v->rank && p.list[other] &&
			    memcmp(o->shape, v->shape, sizeof v->shape) == 0) {
				list = p.list[other];
				count = p.n[other];
			}
		}
		if (!list && v->rank >= 2)
			list = sample_of(e, v, r + 1, &count);
		want(&p, id, list, count);
	}
	for (ValueId id = (ValueId)n; id-- > 0;) {
		if (!e->live[id])
			continue;
		if (p.want[id] == WANT_LIST && !can_list(e, id))
			p.want[id] = WANT_ALL;
		want_operands(&p, id);
	}
	for (ValueId id = 0; id < n; id++) {
		if (p.want[id] != WANT_LIST)
			continue;
		e->v[id].list = p.list[id];
		e->v[id].n = p.n[id];
	}
	return true;
}
