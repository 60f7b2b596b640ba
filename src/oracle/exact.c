/*
 * exact: inputs for which every legal order gives the same bits.
 *
 * Activations and weights are integers of few bits times a power of two, so
 * that all products are multiples of one quantum and no partial sum needs
 * more bits than the accumulator has; the roundings that the program
 * declares still act on nearly every sum, and every k has a nonzero term.
 * Every fourth row of an activation holds one number of all its dtype's bits
 * instead, whose place in the row wanders: lone products show the width in
 * which products are formed; where operands may be taken in TF32 they have the
 * bits that it has. Addends are as wide as sums, gains have as many
 * bits as make their product round. Weights behind another matmul have two
 * bits. Rows and columns repeat with a prime period, so that no tile size
 * divides it and the oracle computes few of them.
 *
 * How many bits a program bears is found by evaluation: the most bits are
 * taken for which all results are points. Extents that no sum runs over are
 * cut down for that, and one bit of the accumulator is held in reserve for
 * the rows and columns that were not tried.
 */
#include "oracle/fixture.h"

#define TRIED_EXTENT 53

static int log2_ceil(int64_t n)
{
	int b = 0;
	while (b < 62 && ((int64_t)1 << b) < n)
		b++;
	return b;
}

/* A nonzero integer of at most `bits` bits, either sign. */
static double short_integer(uint64_t h, int bits)
{
	uint64_t most = ((uint64_t)1 << bits) - 1;
	double m = (double)(1 + (h >> 1) % most);
	return h & 1 ? -m : m;
}

static double factor(uint64_t h, int64_t k)
{
	double v = h & 1 ? -1 : 1;
	switch (h >> 1 & 15) {
	case 0:
		return v * 2;
	case 1:
		return v * 0.5;
	}
	/* The odd parts of at most a few factors are not 1. */
	if ((h >> 8) % (uint64_t)(k / 4 + 1) == 0)
		return v * 1.5;
	return v;
}

static double addend(const Roles *rs, const Role *r, int bits, uint64_t h)
{
	int p = dtype_info[r->dtype].precision;
	int wide = 2 * bits + 3;
	double v = short_integer(h, wide < 52 ? wide : 52);
	int scale = 2 * (bits - 1) + log2_ceil(rs->k_most) / 2;
	return fmt_round(r->dtype, ldexp(v, p < 8 ? 0 : -scale));
}

const int64_t exact_period[TN_MAX_RANK] = {251, 241, 239, 233,
					   229, 227, 223, 211};

double exact_value(const Roles *rs, const Role *r, ExactLevel level,
		   uint64_t key, const int64_t *index, int rank)
{
	int p = dtype_info[r->dtype].precision;
	int own = r->tf32 ? TF32_BITS : p;
	int bits = level.bits < own ? level.bits : own;
	bool summed = r->left || r->weight || r->reduced;
	uint64_t row = key, all = key;
	int64_t k = 0, line = 0;
	for (int d = 0; d < rank; d++) {
		int64_t at = index[d];
		all = draw_bits(all, (uint64_t)at);
		if (d == r->k_axis) {
			k = at;
			continue;
		}
		row = draw_bits(row, (uint64_t)(at % exact_period[d]));
		line += at % exact_period[d];
	}
	uint64_t h = draw_bits(row, (uint64_t)k);
	if (r->gain) {
		int more = p + 1 - bits;
		if (!r->before || p >= rs->sum_bits)
			more = r->before ? 2 : p - 1;
		more = more > p - 1 ? p - 1 : more;
		return 1 + ldexp((double)(all % ((uint64_t)1 << more)), -more);
	}
	if (!summed && r->addend)
		return addend(rs, r, bits, all);
	if (!summed)
		return fmt_round(r->dtype, draw_normal(all, 0));
	if (r->product)
		return factor(h, r->k);
	if (r->weight) {
		int w = r->depth > 0 && bits > 2 ? 2 : bits;
		return ldexp(short_integer(h, w), 1 - w - log2_ceil(r->k) / 2);
	}
	if (level.lone && r->left && line % 4 == 1) {
		if ((uint64_t)k != (row >> 8) % (uint64_t)r->k)
			return 0;
		uint64_t m = (uint64_t)1 << (own - 1);
		double v = ldexp((double)(m + (h >> 8) % m), 1 - own);
		return h & 1 ? -v : v;
	}
	return ldexp(short_integer(h, bits), 1 - bits);
}

/* ---- the level ------------------------------------------------------- */

static bool uses_dim(const ExprTab *t, Ex e, int64_t dim)
{
	const ExNode *n = ex_node(t, e);
	switch (n->kind) {
	case EX_CONST:
	case EX_AXIS:
		return false;
	case EX_DIM:
		return n->value == dim;
	case EX_DIV:
	case EX_MOD:
	case EX_MIN:
	case EX_MAX:
		return uses_dim(t, n->a, dim) || uses_dim(t, n->b, dim);
	case EX_POLY:
		for (uint32_t i = 0; i < n->nterms; i++)
			for (uint32_t k = 0; k < n->terms[i].natoms; k++)
				if (uses_dim(t, n->terms[i].atoms[k], dim))
					return true;
		return false;
	}
	return true;
}

/* Whether a sum, an index or the data of the program depend on a dim. */
static bool dim_matters(const Program *p, int64_t dim)
{
	for (ValueId id = 0; id < p->values.n; id++) {
		const Value *v = program_value(p, id);
		OpClass c = op_info[v->op].cls;
		bool data = v->op == OP_WEIGHT || v->op == OP_CONST;
		for (int d = 0; data && d < v->rank; d++)
			if (uses_dim(&p->ex, v->shape[d], dim))
				return true;
		if (c == OPC_LEAF || c == OPC_ELEM)
			continue;
		const Value *x = program_value(p, v->args[0]);
		for (int d = 0; d < x->rank; d++) {
			bool runs = c == OPC_MOVE || c == OPC_SCAN ||
				    v->op == OP_SLICE || v->op == OP_VIEW;
			runs |= c == OPC_REDUCE && (v->axes >> d & 1);
			runs |= c == OPC_CONTRACT && d == x->rank - 1;
			if (runs && uses_dim(&p->ex, x->shape[d], dim))
				return true;
		}
	}
	return false;
}

/* Whether every result is a point on these inputs. */
static bool all_points(Eval *e)
{
	const Program *p = e->p;
	for (ValueId id = 0; id < p->values.n; id++) {
		if (!e->live[id])
			continue;
		if (!eval_value(e, id))
			return false;
		for (size_t r = 0; r < p->results.n; r++) {
			const Ev *v = &e->v[id];
			if (p->results.p[r].value != id)
				continue;
			for (int64_t i = 0; v->lo && i < v->n; i++) {
				Ival x = ev_ival(v, i);
				bool zero = dtype_is_float(v->dtype) &&
					    x.lo.f == 0 && x.hi.f == 0;
				if (x.flags || (x.lo.i != x.hi.i && !zero))
					return false;
			}
			eval_drop(e, id);
		}
	}
	return true;
}

typedef struct Trial {
	Ctx *ctx;
	Arena *a;
	const Program *p;
	const Binding *b;
	int margin;
	uint64_t seed;
	const Feeds *weights;
} Trial;

static bool level_tried(const Trial *t, ExactLevel level)
{
	Ctx *ctx = t->ctx;
	Arena *a = t->a;
	const Program *p = t->p;
	Feeds feeds = {.ninputs = p->inputs.n};
	feeds.inputs = arena_array(a, Tensor, p->inputs.n + 1);
	if (t->weights) {
		feeds.weights = t->weights->weights;
		feeds.nweights = t->weights->nweights;
	}
	Eval *e = arena_new(a, Eval);
	if (!inputs_make(ctx, a, p, t->b, FAM_EXACT, t->seed, level,
			 feeds.inputs))
		return false;
	OomTrap trap;
	if (OOM_TRAP(&trap)) {
		eval_release(e);
		inputs_free(feeds.inputs, feeds.ninputs);
		oom_raise();
	}
	eval_init(e, ctx, a, p, t->b, &feeds);
	e->intervals = true;
	e->acc_margin = t->margin;
	bool ok = eval_shapes(e) && all_points(e);
	oom_trap_pop(&trap);
	eval_release(e);
	inputs_free(feeds.inputs, feeds.ninputs);
	return ok;
}

bool exact_level(Ctx *ctx, Arena *a, const Program *p, const Binding *b,
		 uint64_t seed, const Feeds *weights, ExactLevel *out,
		 const char **why_not)
{
	Binding small = {.ndims = b->ndims};
	small.dims = arena_array(a, int64_t, b->ndims + 1);
	int margin = 0;
	for (size_t d = 0; d < b->ndims; d++) {
		small.dims[d] = b->dims[d];
		if (b->dims[d] > TRIED_EXTENT && !dim_matters(p, (int64_t)d)) {
			small.dims[d] = TRIED_EXTENT;
			margin = 1;
		}
	}
	Eval shapes;
	eval_init(&shapes, ctx, a, p, &small, NULL);
	if (!eval_shapes(&shapes))
		return false;
	Roles rs = roles_find(a, &shapes);
	if (rs.inexact != OP_COUNT) {
		*why_not = arena_printf(
			a,
			"`%s` is bound to %g ulp, which leaves results more "
			"than one legal bit pattern",
			op_info[rs.inexact].name, op_info[rs.inexact].ulp);
		return false;
	}
	int p_acc = rs.sum_bits ? rs.sum_bits : 24;
	int most = (p_acc - log2_ceil(rs.k_most)) / 2;
	most = most < 1 ? 1 : most > 20 ? 20 : most;
	Trial t = {.ctx = ctx,
		   .a = a,
		   .p = p,
		   .b = &small,
		   .margin = margin,
		   .seed = seed,
		   .weights = weights};
	out->bits = most;
	out->lone = true;
	if (level_tried(&t, *out))
		return true;
	/* Fewer bits never make a sum less exact: bisect without the lone
	 * numbers, then see whether they can stay. */
	int low = 0, high = most;
	while (low < high) {
		ExactLevel l = {.bits = (low + high + 1) / 2};
		if (level_tried(&t, l))
			low = l.bits;
		else
			high = l.bits - 1;
	}
	out->bits = low;
	if (low > 0) {
		out->lone = level_tried(&t, *out);
		return true;
	}
	*why_not = "no inputs were found for which every legal order of its "
		   "sums gives the same bits";
	return false;
}
