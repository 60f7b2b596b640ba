/*
 * attention: two contractions with the rows between them held in scratch.
 *
 * A task computes a block of `rows` queries against all keys. Lanes run
 * across the queries: a tile of the first product is `keys` keys by `rows`
 * queries, so that maxima, exponentials and sums of a query go down a lane
 * and keys, values and their tails are scalars that are read as stored.
 *
 *	scores   tile of keys x queries over the head dim, in registers; what
 *	         follows up to the first reductions, folded as tiles come
 *	passes   as in rowreduce: pass n folds what waits for n reductions
 *	values   the last pass, `block` keys at a time, and the second product
 *	         of these weights: a tile of `columns` x queries, in registers
 *	tile     what follows the second product, row by row
 *
 * What a later pass reads of an earlier one is held for all keys, in the
 * worker's scratch: rows x S elements. Why not an online softmax (Milakov
 * and Gimelshein, 2018; Dao et al., FlashAttention, 2022), which rescales
 * its sums by exp(old maximum - new maximum): it rounds the weights under a
 * maximum that the program does not have, so that boundaries move. Held
 * rows round exactly where the program says, serve any program between two
 * products, and cost one write and one read of a cache line a score, which
 * is little against the products. docs/decisions/attention.md has figures.
 *
 * Each sum goes by key in the order of keys, so that a query's bits depend
 * on nothing but its own row: not on the number of workers, of queries, or
 * on where it lies in its block.
 */
#include "realise/attention.h"

#include "ir/view.h"

#include <string.h>

static const char *const attention_params[] = {
	"rows",  "queries", "lanes",  "keys",  "columns",
	"block", "copy_k",  "copy_v", "ahead", NULL,
};

const char *attention_admit(Arena *a, const Regions *r, uint32_t region)
{
	(void)a;
	return r->regions.p[region].kind == REGION_ATTENTION
		       ? NULL
		       : "the region is not two products with rows between";
}

static const Value *second(const Regions *r, uint32_t region)
{
	return program_value(r->program, r->regions.p[region].anchor);
}

static ValueId first_id(const Regions *r, uint32_t region)
{
	const Region *reg = &r->regions.p[region];

	for (size_t i = 0; i < reg->values.n; i++)
		if (r->part[reg->values.p[i]] == PART_ANCHOR &&
		    reg->values.p[i] != reg->anchor)
			return reg->values.p[i];
	bug("region %u has no first product", region);
}

/*
 * Whether the tile reads the operand well where it is: stored in the
 * accumulator's dtype, with an axis whose neighbours are neighbours.
 */
static bool read_in_place(const Regions *r, ValueId v, DType acc)
{
	Program *p = (Program *)(uintptr_t)r->program;
	const Value *x = program_value(p, v);
	Ex map[TN_MAX_RANK];
	ValueId base = view_base(p, v, map);
	const Value *b = program_value(p, base);

	if (x->dtype != acc || b->op == OP_IOTA || b->rank < 2 ||
	    (region_computes(p, base) && r->part[base] == PART_PROLOGUE))
		return false;
	for (int d = x->rank - 2; d < x->rank; d++)
		if (map[b->rank - 1] == ex_axis(&p->ex, d))
			return true;
	return false;
}

/* Tiles of equal size of at most `most` that cover n, when n is known. */
static int64_t even_tile(const Program *p, Ex n, int64_t most)
{
	int64_t extent;

	if (!ex_is_const(&p->ex, n, &extent) || extent < 1)
		return most;
	int64_t tiles = (extent + most - 1) / most;
	return (extent + tiles - 1) / tiles;
}

/*
 * Register file: four vectors of queries for each key or column, or two of
 * 16 registers, and a scalar. A block of 8 tiles of keys keeps its values and
 * its weights (12 KB each at 64 columns and 64 rows) and the sums (16 KB) in
 * an L1 cache of 48 KB while the columns' tiles pass over them.
 */
static Candidate attention_rule(const Regions *r, uint32_t region,
				const Target *t)
{
	const Value *o = second(r, region);
	const Value *s = program_value(r->program, first_id(r, region));
	int lanes = t->vector_bytes / dtype_info[o->acc].bytes;
	int vectors = t->vector_registers < 32 ? 2 : 4, parts = 4 / vectors;
	int64_t most, queries;

	for (size_t i = 0; i < r->regions.p[region].values.n; i++) {
		const Value *v = program_value(
			r->program, r->regions.p[region].values.p[i]);
		if (v->dtype == DT_F64)
			lanes = t->vector_bytes / 8;
	}
	if (ex_is_const(&r->program->ex, s->shape[s->rank - 2], &queries) &&
	    queries <= vectors * lanes) {
		vectors = queries <= lanes
				  ? 1
				  : (int)((queries + lanes - 1) / lanes);
		parts = 1;
	}
	most = (t->vector_registers - 1) / vectors - 1;
	if (most > 14)
		most = 14;
	int64_t columns = even_tile(r->program, o->shape[o->rank - 1], most);
	return (Candidate){
		.params = {{"rows", parts * vectors * lanes},
			   {"queries", vectors * lanes},
			   {"lanes", lanes},
			   {"keys", most},
			   {"columns", columns},
			   {"block", 8 * most},
			   {"copy_k", !read_in_place(r, s->args[1], s->acc)},
			   {"copy_v", !read_in_place(r, o->args[1], o->acc)},
			   {"ahead", 1}},
		.nparams = AP_COUNT,
	};
}

static const char *attention_legal(Arena *a, const Regions *r, uint32_t region,
				   const Target *t, const Candidate *c)
{
	int64_t rows = c->params[AP_ROWS].value;
	int64_t lanes = c->params[AP_LANES].value;
	int64_t queries = c->params[AP_QUERIES].value;

	(void)r;
	(void)region;
	if (lanes < 2 || lanes > 64 || (lanes & (lanes - 1)))
		return "lanes must be 2, 4 ... 64";
	if (queries < lanes || queries % lanes)
		return arena_printf(a,
				    "queries must be a multiple of lanes (%d)",
				    (int)lanes);
	if (rows < queries || rows % queries || rows > 1024)
		return arena_printf(a,
				    "rows must be a multiple of queries (%d), "
				    "at most 1024",
				    (int)queries);
	for (int i = AP_KEYS; i <= AP_COLUMNS; i++) {
		int64_t n = c->params[i].value, v = queries / lanes;
		if (n < 1 || n * v + v + 1 > t->vector_registers)
			return arena_printf(
				a,
				"a tile of %d x %d needs %d vector registers "
				"and %s has %d",
				(int)n, (int)queries, (int)(n * v + v + 1),
				t->name, t->vector_registers);
	}
	if (c->params[AP_BLOCK].value < 1 ||
	    c->params[AP_BLOCK].value > 1 << 20)
		return "block (keys) must be 1 to 2^20";
	for (int i = AP_COPY_K; i <= AP_AHEAD; i++)
		if (c->params[i].value < 0 || c->params[i].value > 1)
			return "copy_k, copy_v and ahead are 0 or 1";
	return NULL;
}

/* ---- levels ---------------------------------------------------------- */

static bool is_body(const Attend *w, ValueId v)
{
	return w->l.r->of[v] == w->l.region_index &&
	       (w->l.r->part[v] == PART_BODY || v == w->first);
}

static bool is_reduce(const Attend *w, ValueId v)
{
	return op_info[program_value(w->l.p, v)->op].cls == OPC_REDUCE;
}

/* Values with all axes of the rows. */
static bool is_full(const Attend *w, ValueId id)
{
	const Value *v = program_value(w->l.p, id);

	if (!is_body(w, id) || is_reduce(w, id) || v->rank != w->reg->rank)
		return false;
	for (int d = 0; d < v->rank; d++)
		if (v->shape[d] != w->reg->space[d])
			return false;
	return true;
}

static ValueId base_of(const Attend *w, ValueId v)
{
	Ex map[TN_MAX_RANK];

	return view_base(w->l.p, v, map);
}

/* level: reductions a value waits for. readers: the last pass that reads a
 * full value. */
static void find_levels(Attend *w)
{
	ValueId weights = base_of(w, w->o->args[0]);

	w->last = 1;
	for (size_t i = 0; i < w->reg->values.n; i++) {
		ValueId id = w->reg->values.p[i];
		const Value *v = program_value(w->l.p, id);
		int level = 0;
		if (!is_body(w, id))
			continue;
		for (uint32_t j = 0; j < v->nargs; j++) {
			ValueId b = base_of(w, v->args[j]);
			if (is_body(w, b) && w->level[b] > level)
				level = w->level[b];
		}
		if ((is_reduce(w, id) || w->full[id]) && w->last < level)
			w->last = level;
		for (uint32_t j = 0; j < v->nargs; j++) {
			ValueId b = base_of(w, v->args[j]);
			if (is_body(w, b) && w->used[b] < level)
				w->used[b] = level;
		}
		w->level[id] = level + (is_reduce(w, id) ? 1 : 0);
	}
	w->used[weights] = w->last;
}

/*
 * Buffers for the values that a later pass reads, for all keys. One whose
 * last reader is the pass that makes the next takes it in place.
 */
static void plan_held(Attend *w)
{
	Ex shape[2] = {w->padded, ex_const(w->t, w->par[AP_ROWS])};
	size_t n = w->reg->values.n;
	int *busy = arena_array(w->l.arena, int, w->l.k->buffers.n + n + 1);

	for (int pass = 0; pass < w->last; pass++) {
		for (size_t i = 0; i < n; i++) {
			ValueId id = w->reg->values.p[i];
			DType d = program_value(w->l.p, id)->dtype;
			if (!w->full[id] || w->level[id] != pass ||
			    w->used[id] <= pass)
				continue;
			uint32_t b = 0, count = (uint32_t)w->l.k->buffers.n;
			for (uint32_t k = 0; k < count && !b; k++)
				if (busy[k] && busy[k] <= pass &&
				    w->l.k->buffers.p[k].dtype == d)
					b = k + 1;
			if (!b)
				b = lower_buffer(&w->l, SCOPE_WORKER, d, shape,
						 2, "held") +
				    1;
			busy[b - 1] = w->used[id];
			w->held[id] = b;
		}
	}
}

/* ---- what is masked -------------------------------------------------- */

static bool is_minus_inf(const Attend *w, ValueId v)
{
	const Value *c = program_value(w->l.p, base_of(w, v));
	uint16_t half;

	if (c->op != OP_CONST || c->rank != 0)
		return false;
	if (c->dtype == DT_F64)
		return *(const double *)c->data == -__builtin_inf();
	if (c->dtype == DT_F32)
		return *(const float *)c->data == -__builtin_inff();
	memcpy(&half, c->data, sizeof(half));
	return (c->dtype == DT_F16 && half == 0xfc00) ||
	       (c->dtype == DT_BF16 && half == 0xff80);
}

static bool is_float_cast(const Attend *w, const Value *v)
{
	return v->op == OP_CAST && dtype_is_float(v->dtype) &&
	       dtype_is_float(program_value(w->l.p, v->args[0])->dtype);
}

enum {
	MASK_NONE,
	MASK_INF,  /* -infinity where masked */
	MASK_DIFF, /* so too, less a row's maximum */
	MASK_ZERO, /* 0 where masked, or the row's weights are all NaN */
};

/* What the full or folded value v is at keys that `where` hides. */
static int masked_as(const Attend *w, const uint8_t *is, const Value *v)
{
	const Program *p = w->l.p;
	ValueId a = base_of(w, v->args[0]);
	ValueId b = v->nargs > 1 ? base_of(w, v->args[1]) : NO_VALUE;

	if (is_float_cast(w, v) && is[a] != MASK_DIFF)
		return is[a];
	if (v->op == OP_SUB && is[a] == MASK_INF && b != NO_VALUE &&
	    program_value(p, b)->op == OP_MAX &&
	    base_of(w, program_value(p, b)->args[0]) == a)
		return MASK_DIFF;
	if (v->op == OP_EXP && is[a] == MASK_DIFF)
		return MASK_ZERO;
	if (v->op == OP_DIV && is[a] == MASK_ZERO && b != NO_VALUE &&
	    program_value(p, b)->op == OP_SUM &&
	    is[base_of(w, program_value(p, b)->args[0])] == MASK_ZERO)
		return MASK_ZERO;
	return MASK_NONE;
}

/* Whether `visible` is query + c - key >= 0, for every batch alike. */
static bool is_diagonal(Attend *w)
{
	Ex index[TN_MAX_RANK], cond[2], next[2];
	Ex one = ex_const(w->t, 1);
	int64_t axis = w->l.k->naxes; /* that no loop uses */

	for (int d = 0; d < w->batch + 2; d++)
		index[d] = ex_axis(w->t, axis + d);
	if (lower_compare(&w->l, w->visible, index, cond) != 1)
		return false;
	for (int d = 0; d < w->batch; d++)
		if (ex_uses_axis(w->t, cond[0], axis + d))
			return false;
	for (int d = w->batch; d < w->batch + 2; d++) {
		Ex saved = index[d];
		index[d] = ex_add(w->t, saved, one);
		lower_compare(&w->l, w->visible, index, next);
		index[d] = saved;
		Ex step = d == w->batch ? ex_sub(w->t, next[0], cond[0])
					: ex_sub(w->t, cond[0], next[0]);
		if (step != one)
			return false;
	}
	return true;
}

/*
 * Finds where(key <= query + c, u, -inf) such that the rest of the rows is
 * a softmax of it: keys beyond the last query of a block weigh exactly 0,
 * or the whole row is NaN, whether they are computed or not. What a weight
 * of 0 makes of an infinite or NaN value is left to poison().
 */
static bool find_causal(Attend *w)
{
	uint8_t *is = arena_array(w->l.arena, uint8_t, w->l.p->values.n);
	ValueId found = NO_VALUE;

	for (size_t i = 0; i < w->reg->values.n; i++) {
		ValueId id = w->reg->values.p[i];
		const Value *v = program_value(w->l.p, id);
		if (w->full[id] && v->op == OP_WHERE && !w->level[id] &&
		    is_minus_inf(w, v->args[2]))
			found = id;
	}
	if (found == NO_VALUE)
		return false;
	is[found] = MASK_INF;
	for (size_t i = 0; i < w->reg->values.n; i++) {
		ValueId id = w->reg->values.p[i];
		const Value *v = program_value(w->l.p, id);
		if (!is_body(w, id) || id == found || id == w->first)
			continue;
		is[id] = (uint8_t)masked_as(w, is, v);
		ValueId a = base_of(w, v->args[0]);
		if (is_reduce(w, id)
			    ? !((v->op == OP_MAX && is[a] == MASK_INF) ||
				(v->op == OP_SUM && is[a] == MASK_ZERO))
			    : w->full[id] && w->level[id] && !is[id])
			return false;
		/* what hides no key must not be read beside what does */
		for (uint32_t k = 0; w->level[id] && k < v->nargs; k++) {
			ValueId b = base_of(w, v->args[k]);
			if (w->full[b] && !is[b])
				return false;
		}
	}
	if (is[base_of(w, w->o->args[0])] != MASK_ZERO)
		return false;
	w->visible = program_value(w->l.p, found)->args[0];
	return is_diagonal(w);
}

/* ---- the kernel ------------------------------------------------------ */

void attend_init(Attend *w, Kernels *ks, Kernel *k, const Regions *r,
		 int64_t keys)
{
	size_t values = ks->program->values.n;
	Ex tile = ex_const(&ks->program->ex, keys);

	*w = (Attend){.t = &ks->program->ex, .reg = &r->regions.p[k->region]};
	lower_init(&w->l, ks, k, r);
	w->first = first_id(r, k->region);
	w->s = program_value(w->l.p, w->first);
	w->o = second(r, k->region);
	w->batch = w->o->rank - 2;
	w->acc = w->o->acc;
	w->queries = w->s->shape[w->batch];
	w->keys = w->s->shape[w->batch + 1];
	w->width = w->o->shape[w->batch + 1];
	w->head = program_value(w->l.p, w->s->args[0])->shape[w->batch + 1];
	w->tiles = ex_ceil_div(w->t, w->keys, tile);
	w->padded = ex_mul(w->t, w->tiles, tile);
	w->level = arena_array(ks->arena, int, values);
	w->used = arena_array(ks->arena, int, values);
	w->held = arena_array(ks->arena, uint32_t, values);
	w->kept = arena_array(ks->arena, uint32_t, values);
	w->full = arena_array(ks->arena, bool, values);
	for (size_t i = 0; i < w->reg->values.n; i++)
		w->full[w->reg->values.p[i]] = is_full(w, w->reg->values.p[i]);
	find_levels(w);
	w->causal = find_causal(w);
}

static void attention_lower(Kernels *ks, Kernel *k, const Regions *r,
			    const Target *target, const Candidate *c)
{
	Attend w;

	(void)target;
	attend_init(&w, ks, k, r, c->params[AP_KEYS].value);
	for (int i = 0; i < AP_COUNT; i++)
		w.par[i] = c->params[i].value;
	plan_held(&w);
	attend_kernel(&w);
	k->note = w.causal ? "rows of a block of queries held in scratch; keys "
			     "that no query of the block sees are skipped"
			   : "rows of a block of queries held in scratch, "
			     "never the whole matrix";
}

const Realisation realise_attention = {
	"attention",    attention_params, attention_admit,
	attention_rule, attention_legal,  attention_lower,
	NULL,           attention_domain, attention_cost,
};
