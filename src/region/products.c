/*
 * products: several products in one kernel.
 *
 * What: merges CONTRACT groups once every value is placed. Joined products
 * have tiles of one shape that feed the same elementwise values; a product of
 * products has what the first ones made as its left operand, held in scratch
 * for a block of rows.
 * Why: the values between never go to memory, and a shared operand is packed
 * once. Sums keep their order and boundaries their place, so that the bits
 * are those of kernels apart.
 * How: along the noted pairs, which are in topological order. A joined
 * product costs nothing that two kernels do not. Held rows may cost more than
 * they save: the second operands are read once a block of rows, and whole
 * rows make fewer tasks. That is estimated below, by whole nanoseconds.
 */
#include "region/internal.h"

#include "ir/view.h"

#include <string.h>

/*
 * The machine, roughly: two multiply-adds a cycle at 3 GHz; bytes a
 * nanosecond that one core copies in memory, reads from L3, and copies in its
 * own caches; packing an element takes a quarter of a nanosecond.
 */
#define FLOPS_A_LANE 12
#define COPY_RATE    14
#define READ_RATE    29
#define CACHE_RATE   56
/* Rows of a block that a product alone reads an operand for: an eighth of L2
 * at the usual 256 elements of K in f32. */
#define APART_BYTES (8 * 256 * 4)
/* Of L2, for tiles of 16 blocks of at most 32 vectors each, a product. */
#define TILE_PARTS   8
#define TILE_VECTORS (16 * 32)

/* What large joined products lose of the time of their multiply-adds, as
 * measured; few rows and small products lose nothing. */
#define JOIN_LOSS  0.07
#define FEW_ROWS   64
#define LARGE_MACS (1 << 24)

#define MAX_PRODUCTS 32

typedef struct Set {
	ValueId product[MAX_PRODUCTS], held[MAX_PRODUCTS];
	size_t n, nheld;
} Set;

static const Region *group_region(const Grouping *g, uint32_t group)
{
	return &g->groups.p[group].r;
}

ValueId product_held(const Grouping *g, ValueId product)
{
	ValueId b = g->base[program_value(g->p, product)->args[0]];
	return region_computes(g->p, b) && g->of[b] == g->of[product] &&
			       g->part[b] != PART_PROLOGUE
		       ? b
		       : NO_VALUE;
}

static bool set_add(const Grouping *g, uint32_t group, Set *s)
{
	const Region *r = group_region(g, group);
	for (size_t i = 0; i < r->values.n; i++) {
		ValueId v = r->values.p[i], h;
		bool known = false;
		if (g->part[v] != PART_ANCHOR)
			continue;
		if (s->n == MAX_PRODUCTS)
			return false;
		s->product[s->n++] = v;
		h = product_held(g, v);
		for (size_t k = 0; k < s->nheld; k++)
			known |= s->held[k] == h;
		if (h != NO_VALUE && !known)
			s->held[s->nheld++] = h;
	}
	return true;
}

/* Products that a matrix unit of the target computes. */
static size_t by_units(const Grouping *g, const Set *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->n; i++) {
		const Value *v = program_value(g->p, s->product[i]);
		DType x = program_value(g->p, v->args[0])->dtype;
		DType y = program_value(g->p, v->args[1])->dtype;
		bool takes = false;
		for (size_t k = 0; k < g->on.nunits && x == y; k++)
			takes |= unit_takes(g->on.units[k], x, v->acc,
					    v->relax) &&
				 (g->on.unit_pinned ||
				  unit_pays(g->on.units[k], g->p, v));
		n += takes;
	}
	return n;
}

static bool one_accumulator(const Grouping *g, const Set *s)
{
	size_t n = by_units(g, s);
	for (size_t i = 1; i < s->n; i++)
		if (program_value(g->p, s->product[i])->acc !=
		    program_value(g->p, s->product[0])->acc)
			return false;
	return n == 0 || n == s->n;
}

/* Moves a group's values into another, each with its part. */
static void move(Grouping *g, uint32_t into, uint32_t from)
{
	Region *to = &g->groups.p[into].r, *r = &g->groups.p[from].r;
	for (size_t i = 0; i < r->values.n; i++) {
		ValueId v = r->values.p[i];
		group_join(g, into, v, g->part[v]);
		if (g->part[v] == PART_ANCHOR && v > to->anchor)
			to->anchor = v;
	}
	r->values.n = 0;
	g->groups.p[from].dead = true;
}

static bool constant(const Grouping *g, Ex e, int64_t *n)
{
	return ex_is_const(&g->p->ex, e, n) && *n > 0;
}

/* ---- joined ---------------------------------------------------------- */

/*
 * Whether large products gain by a shared kernel, where extents are known: a
 * product alone packs B behind its first tile, which joined ones do not.
 */
static bool join_pays(Grouping *g, const Set *s, const Value *passed)
{
	double rate, saved, macs = 0, batches = 1;
	int64_t m = 0, n = 0, k;
	const Value *v = program_value(g->p, s->product[0]);
	int bytes = dtype_info[dtype_interior(v->acc)].bytes;

	if (g->pin[PIN_JOIN] == PINNED_YES || by_units(g, s))
		return true;
	for (int d = 0; d < v->rank - 2; d++, batches *= (double)n)
		if (!constant(g, v->shape[d], &n))
			return true;
	for (size_t i = 0; i < s->n; i++) {
		v = program_value(g->p, s->product[i]);
		const Value *a = program_value(g->p, v->args[0]);
		if (!constant(g, v->shape[v->rank - 2], &m) ||
		    !constant(g, v->shape[v->rank - 1], &n) ||
		    !constant(g, a->shape[a->rank - 1], &k))
			return true;
		macs += (double)m * (double)n * (double)k * batches;
	}
	if (m <= FEW_ROWS || macs < LARGE_MACS)
		return true;
	rate = (double)(g->on.vector_bytes / (bytes < 4 ? 4 : bytes) *
			FLOPS_A_LANE);
	saved = (double)m * (double)n * batches * 2 *
		dtype_info[passed->dtype].bytes / COPY_RATE;
	return saved > 2 * macs / rate * JOIN_LOSS;
}

static Cond may_join(Grouping *g, uint32_t into, uint32_t from, Pair *pair)
{
	Set s = {0};
	const Partition *on = &g->on;
	if (g->pin[PIN_JOIN] == PINNED_NO)
		return COND_NO_JOIN;
	if (!group_same_space(group_region(g, into), group_region(g, from)))
		return COND_NOT_SAME_ELEMENT;
	bool few = set_add(g, into, &s) && set_add(g, from, &s);
	pair->numbers = arena_printf(g->arena, " products=%zu", s.n);
	if (!few || (int64_t)s.n > on->l2 / TILE_PARTS /
					   (TILE_VECTORS * on->vector_bytes))
		return COND_MANY_PRODUCTS;
	if (!one_accumulator(g, &s))
		return COND_SUMS;
	if (!join_pays(g, &s, program_value(g->p, pair->producer)))
		return COND_JOIN_DEAR;
	return group_may_merge(g, into, from) ? COND_NONE : COND_CYCLE;
}

/* ---- held ------------------------------------------------------------ */

/* The product's left operand is a value of the other group, read in place;
 * nothing else of its group reads that one. */
static Cond reads_rows(Grouping *g, uint32_t group, uint32_t from, ValueId h)
{
	const Region *r = group_region(g, group);
	for (size_t i = 0; i < r->values.n; i++) {
		ValueId id = r->values.p[i];
		const Value *v = program_value(g->p, id);
		bool product = g->part[id] == PART_ANCHOR;
		ValueId left = v->nargs ? v->args[0] : NO_VALUE;
		if (product && (g->base[left] != h ||
				!view_is_identity(g->p, left, h, g->map[left])))
			return COND_OTHER_OPERAND;
		for (uint32_t k = product; k < v->nargs; k++)
			if (operand_group(g, v, k) == from)
				return COND_OTHER_OPERAND;
	}
	return COND_NONE;
}

typedef struct Cost {
	int64_t rows, blocks; /* of a block; of one batch */
	double saved, reread, uneven;
} Cost;

/* False when an extent is not known. */
static bool cost_of(Grouping *g, const Set *s, Cost *c)
{
	const Partition *on = &g->on;
	const Value *v = program_value(g->p, s->product[0]);
	int bytes = dtype_info[dtype_interior(v->acc)].bytes;
	int64_t m, n, k, batches = 1, width = 0;
	double macs = 0, second = 0;
	if (!constant(g, v->shape[v->rank - 2], &m))
		return false;
	for (int d = 0; d < v->rank - 2; d++) {
		if (!constant(g, v->shape[d], &n))
			return false;
		batches *= n;
	}
	bytes = bytes < 4 ? 4 : bytes;
	for (size_t i = 0; i < s->n; i++) {
		v = program_value(g->p, s->product[i]);
		const Value *a = program_value(g->p, v->args[0]);
		if (!constant(g, v->shape[v->rank - 1], &n) ||
		    !constant(g, a->shape[a->rank - 1], &k))
			return false;
		macs += (double)n * (double)k;
	}
	second = macs * bytes; /* bytes of all second operands */
	macs *= (double)m * (double)batches;
	for (size_t i = 0; i < s->nheld; i++) {
		v = program_value(g->p, s->held[i]);
		int size = dtype_info[v->dtype].bytes;
		if (!constant(g, v->shape[v->rank - 1], &n))
			return false;
		width += region_pitch(n);
		double elements = (double)m * (double)n * (double)batches;
		bool cached = elements * size < on->cpus * (double)on->l2 / 2;
		c->saved += elements *
			    (2.0 * size / (cached ? CACHE_RATE : COPY_RATE) +
			     (cached ? 0.125 : 0.25));
	}
	c->rows = region_rows(m, batches, width, bytes, on->l2, on->cpus);
	if (!c->rows)
		return true;
	c->blocks = (m + c->rows - 1) / c->rows;
	double apart = (double)m / ((double)on->l2 / APART_BYTES);
	double more = (double)c->blocks - (apart < 1 ? 1 : apart);
	double rate = (double)(on->vector_bytes / bytes * FLOPS_A_LANE);
	/* reading hides behind the multiply-adds of a block as far as it takes
	 * less time than they */
	double exposed =
		bytes / (double)READ_RATE / (2 * (double)c->rows / rate);
	exposed = exposed < 1 ? exposed : 1;
	c->reread =
		more > 0 ? exposed * more * (double)batches * second / READ_RATE
			 : 0;
	int64_t tasks = c->blocks * batches;
	int64_t rounds = (tasks + on->cpus - 1) / on->cpus;
	double share = (double)(rounds * on->cpus * c->rows) /
		       ((double)m * (double)batches);
	c->uneven = share > 1 ? 2 * macs / rate * (share - 1) : 0;
	c->saved /= on->cpus;
	c->reread /= on->cpus;
	c->uneven /= on->cpus;
	return true;
}

static Cond may_hold(Grouping *g, uint32_t into, uint32_t from, Pair *pair)
{
	Set s = {0};
	Cost c = {0};
	if (g->pin[PIN_HOLD] == PINNED_NO)
		return COND_NO_HOLD;
	if (g->apart[pair->producer])
		return COND_PINNED;
	Cond why = reads_rows(g, into, from, pair->producer);
	if (why != COND_NONE)
		return why;
	if (group_closes_cycle(g, into, from))
		return COND_CYCLE;
	if (!set_add(g, into, &s) || !set_add(g, from, &s))
		return COND_MANY_PRODUCTS;
	s.held[s.nheld++] = pair->producer;
	if (!one_accumulator(g, &s))
		return COND_SUMS;
	if (!cost_of(g, &s, &c))
		return COND_ROWS_UNKNOWN;
	pair->numbers = arena_printf(
		g->arena,
		" rows=%lld blocks=%lld saved=%lldns reread=%lldns "
		"uneven=%lldns",
		(long long)c.rows, (long long)c.blocks, (long long)c.saved,
		(long long)c.reread, (long long)c.uneven);
	if (!c.rows)
		return COND_ROW_LONG;
	if (g->pin[PIN_HOLD] == PINNED_YES)
		return COND_NONE;
	if (by_units(g, &s))
		return COND_UNIT;
	return c.saved > c.reread + c.uneven ? COND_NONE : COND_ROWS_DEAR;
}

/* ---- all ------------------------------------------------------------- */

static bool is_product(const Grouping *g, uint32_t group)
{
	return group != NO_REGION &&
	       group_region(g, group)->kind == REGION_CONTRACT;
}

void products_join(Grouping *g)
{
	for (size_t i = 0; i < g->pairs.n; i++) {
		Pair *p = &g->pairs.p[i];
		uint32_t from = g->of[p->producer], into = g->of[p->consumer];
		if (p->apart != COND_ONE_CONTRACTION || from == into ||
		    !is_product(g, from) || !is_product(g, into))
			continue;
		p->apart = may_join(g, into, from, p);
		if (p->apart != COND_NONE)
			continue;
		p->several = true;
		move(g, into, from);
	}
	for (size_t i = 0; i < g->pairs.n; i++) {
		Pair *p = &g->pairs.p[i];
		uint32_t from = g->of[p->producer], into = g->of[p->consumer];
		if (p->apart != COND_CONTRACTION || from == into ||
		    g->part[p->consumer] != PART_ANCHOR ||
		    !is_product(g, from) || !is_product(g, into))
			continue;
		p->apart = may_hold(g, into, from, p);
		if (p->apart == COND_NONE)
			move(g, into, from);
	}
}
