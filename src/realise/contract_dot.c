/*
 * contract_dot: products by matrix units.
 *
 * Where the accumulator that the program asks for admits it (docs/contract.md,
 * "Matrix units"), operands are packed as the unit takes them and a register
 * tile is one statement, DOT. What is around it is contract's own: panels,
 * blocks of K, tasks, sums in scratch between the blocks, the epilogue.
 *
 * Packed operands have steps of 64 bytes along k. A's rows lie below each
 * other, each step of a row as it was; B's elements are put together to words
 * of 4 bytes along k, 16 rows of words a step. The last step is filled up with
 * zeros on both sides: 0 * 0 adds nothing, whatever lies around.
 *
 * The order of a sum: steps one after another; what the unit does within one
 * is its own, and the same for every tile. So bits depend on row and column
 * alone here as well.
 */
#include "realise/contract.h"

#include <string.h>

/* Elements of a step, and of a word. */
static int64_t step_elements(const Product *p)
{
	return UNIT_BYTES / dtype_info[p->element].bytes;
}

static int word_elements(const Product *p)
{
	return WORD_BYTES / dtype_info[p->element].bytes;
}

static int parts(const Product *p)
{
	return unit_info[p->unit].parts;
}

/* ---- whether ---------------------------------------------------------- */

/* The same of one product; all of a region have operands of one dtype. */
static const char *product_refuses(Arena *a, const Regions *r, ValueId id,
				   DType first, MatrixUnit u)
{
	const Value *v = program_value(r->program, id);
	DType x = program_value(r->program, v->args[0])->dtype;
	DType y = program_value(r->program, v->args[1])->dtype;

	if (x != y || x != first || !unit_takes(u, x, v->acc, v->relax))
		return arena_printf(a,
				    "%s does not multiply %s and %s with "
				    "acc=%s",
				    unit_info[u].name, dtype_info[x].name,
				    dtype_info[y].name,
				    dtype_info[v->acc].name);
	if (v->relax & RELAX_REASSOCIATE)
		return "a sum that may merge with others uses fma";
	if (region_held(r, id) != NO_VALUE)
		return "rows held between products are read one element at a "
		       "time, which no matrix unit does";
	return NULL;
}

const char *contract_dot_refuses(Arena *a, const Regions *r, uint32_t region,
				 const Target *t, MatrixUnit u)
{
	const Region *reg = &r->regions.p[region];
	const char *name = unit_info[u].name, *why = NULL;
	DType first =
		program_value(r->program,
			      program_value(r->program, reg->anchor)->args[0])
			->dtype;
	size_t i = 0;

	while (i < t->nunits && t->units[i] != u)
		i++;
	if (i == t->nunits)
		return arena_printf(a, "%s has no %s", t->name, name);
	for (size_t k = 0; k < reg->values.n && !why; k++)
		if (r->part[reg->values.p[k]] == PART_ANCHOR)
			why = product_refuses(a, r, reg->values.p[k], first, u);
	if (why)
		return why;
	if (lower_is_scalar(r, region))
		return "values around the product may fault, and are "
		       "computed one by one";
	return NULL;
}

/* All products of a region are by one unit. */
static bool pays(const Regions *r, uint32_t region, MatrixUnit u)
{
	const Region *reg = &r->regions.p[region];

	for (size_t i = 0; i < reg->values.n; i++) {
		ValueId id = reg->values.p[i];
		if (r->part[id] == PART_ANCHOR &&
		    !unit_pays(u, r->program, program_value(r->program, id)))
			return false;
	}
	return true;
}

MatrixUnit contract_dot_unit(Arena *a, const Regions *r, uint32_t region,
			     const Target *t)
{
	for (size_t i = 0; i < t->nunits; i++)
		if (!contract_dot_refuses(a, r, region, t, t->units[i]) &&
		    (t->unit_pinned || pays(r, region, t->units[i])))
			return t->units[i];
	return UNIT_FMA;
}

/* ---- tile and blocks --------------------------------------------------- */

/* Tiles of a task below each other: with more, sums leave L2. */
#define MOST_ROWS 8
/* Multiply-adds worth another task. */
#define DOT_TASK_MACS (1 << 24)

static int64_t clip(int64_t x, int64_t lo, int64_t hi)
{
	return x < lo ? lo : x > hi ? hi : x;
}

static int64_t round_up(int64_t x, int64_t by)
{
	return (x + by - 1) / by * by;
}

/* Eight tile registers: 2 x 2 sums read least; one row of tiles has 3. */
static void tile_of_tiles(const Extents *x, int64_t *par)
{
	par[P_MR] = par[P_NR] = 32;
	if (x->m >= 0 && x->m <= 16) {
		par[P_MR] = clip(x->m, 1, 16);
		par[P_NR] = 48;
	}
	if (x->n >= 0)
		par[P_NR] = clip(round_up(x->n, 16), 16, par[P_NR]);
}

/* Sums, a vector of each column and of the extra row, one of the words. */
static void tile_of_vectors(const Target *t, const Extents *x, MatrixUnit u,
			    int64_t *par)
{
	int64_t beside = u == UNIT_AVX512_VNNI ? 2 : 1;
	int64_t registers = t->vector_registers - 2;
	int64_t rows = registers / 2 - beside;

	par[P_NR] = 32;
	if (x->n >= 0)
		par[P_NR] = clip(round_up(x->n, 16), 16, 32);
	if (x->m > 0) {
		/* as even as can be */
		int64_t tiles = (x->m + rows - 1) / rows;
		rows = (x->m + tiles - 1) / tiles;
	}
	par[P_MR] = rows;
}

void contract_dot_model(const Target *t, const Extents *x, MatrixUnit u,
			int element_bytes, int64_t *par)
{
	int64_t l1 = t->cache[0], l2 = t->cache[1];
	bool few = x->m >= 0 && x->m <= FEW_ROWS;
	int64_t step = UNIT_BYTES / element_bytes;

	if (unit_info[u].tiles)
		tile_of_tiles(x, par);
	else
		tile_of_vectors(t, x, u, par);
	int64_t mr = par[P_MR], nr = par[P_NR];
	/* bytes along k of what is packed of a row */
	int64_t step_bytes = UNIT_BYTES * unit_info[u].parts;
	par[P_UNIT] = u;
	par[P_LANES] = UNIT_WORDS;
	par[P_A] = few ? PACK_TASK : PACK_PHASE;
	par[P_B] = PACK_PHASE;
	/* A panel of B that several rows of tiles use takes a third of L1, as
	 * does the panel of A beside it; one that is used once streams, and
	 * the longer it is the less often sums come and go. A block of A and
	 * the sums of a task take an eighth of L2 each at most. */
	bool once = x->m >= 0 && x->m <= mr;
	int64_t panel = once ? l2 / 8 : l1 / 3;
	int64_t steps = clip(panel / (step_bytes * nr), 1, 1 << 20);
	par[P_KC] = steps * step;
	if (x->k > 0)
		steps = clip((x->k + step - 1) / step, 1, steps);
	int64_t rows = clip(l2 / 8 / (round_up(mr, 16) * steps * step_bytes), 1,
			    MOST_ROWS);
	if (x->m >= 0 && (x->m + mr - 1) / mr <= rows) {
		/* every panel of B is used by one task: nothing to share */
		rows = clip((x->m + mr - 1) / mr, 1, rows);
		if (!x->b_fixed)
			par[P_B] = PACK_TASK;
	}
	par[P_MB] = rows;
	par[P_NB] = clip(l2 / 8 / (rows * mr * nr * WORD_BYTES), 1, 1 << 20);
	/* a plan for all sizes serves few rows too, where phases cost more than
	 * packing once more saves many */
	if (x->m < 0 && unit_info[u].parts > 1)
		par[P_A] = par[P_B] = PACK_TASK;
	if (x->m < 0 || x->n < 0 || x->k < 0)
		return;
	double macs = (double)x->m * (double)x->n * (double)x->k;
	int64_t panels = clip((x->n + nr - 1) / nr, 1, 1 << 20);
	int64_t tasks = macs < DOT_TASK_MACS ? 1 : 4;
	if (few || tasks == 1)
		par[P_NB] = clip((panels + tasks - 1) / tasks, 1,
				 tasks == 1 ? panels : par[P_NB]);
}

const char *contract_dot_legal(Arena *a, const Regions *r, uint32_t region,
			       const Target *t, const int64_t *par)
{
	const Value *v = program_value(r->program, r->regions.p[region].anchor);
	MatrixUnit u = (MatrixUnit)par[P_UNIT];
	const char *why = contract_dot_refuses(a, r, region, t, u);
	int64_t mr = par[P_MR], nr = par[P_NR];

	if (why)
		return why;
	int64_t step =
		UNIT_BYTES /
		dtype_info[program_value(r->program, v->args[0])->dtype].bytes;
	if (par[P_LANES] != UNIT_WORDS || nr < 16 || nr % 16 || nr > 256)
		return "a matrix unit has 16 lanes, and nr is a multiple of "
		       "them";
	if (mr < 1 || mr > 256)
		return "mr must be 1 to 256";
	int64_t down = (mr + 15) / 16, across = nr / 16;
	if (unit_info[u].tiles &&
	    ((mr > 16 && mr % 16) || down * across + down + across > 8))
		return arena_printf(a,
				    "%s has 8 tiles of 16 x 16: no tile of "
				    "%d x %d",
				    unit_info[u].name, (int)mr, (int)nr);
	int64_t extra = u == UNIT_AVX512_VNNI ? 1 : 0;
	int64_t used = (mr + 1 + extra) * across + 1 + extra;
	if (!unit_info[u].tiles && used > t->vector_registers)
		return arena_printf(a,
				    "a tile of %d x %d needs %d vector "
				    "registers and %s has %d",
				    (int)mr, (int)nr, (int)used, t->name,
				    t->vector_registers);
	if (par[P_KC] < step || par[P_KC] % step || par[P_KC] > 1 << 30)
		return arena_printf(a, "kc must be a multiple of %d for %s",
				    (int)step, unit_info[u].name);
	if (par[P_A] == PACK_NONE && !contract_dot_flat(r, region, u, mr))
		return "A is read where it lies only where it is memory along "
		       "k, of whole tiles and steps of constant extents";
	if (par[P_B] == PACK_NONE || par[P_B] == PACK_FED)
		return "a matrix unit takes packed words: b is 1 or 2";
	return NULL;
}

const char *contract_dot_note(const Product *p)
{
	const UnitInfo *u = &unit_info[p->unit];

	if (p->unit == UNIT_FMA)
		return NULL;
	if (u->acc == ACC_IEEE)
		return arena_printf(p->l.arena,
				    "products by the matrix unit %s, exact; "
				    "operands packed in its words",
				    u->name);
	return arena_printf(p->l.arena,
			    "products by the matrix unit %s, sums in its "
			    "accumulator %s (%s); operands packed in its words",
			    u->name, acc_kind_name[u->acc],
			    acc_flushes(u->acc)
				    ? "subnormals are zeros"
				    : "each element in parts, all products of "
				      "them added");
}

/*
 * Whether A may stay where it is: rows of memory that hold k next to each
 * other, whole tiles and whole steps, seen through no view.
 */
bool contract_dot_flat(const Regions *r, uint32_t region, MatrixUnit u,
		       int64_t mr)
{
	const Program *q = r->program;
	const Value *v = program_value(q, r->regions.p[region].anchor);
	ValueId id = v->args[0];
	const Value *a = program_value(q, id);
	int64_t m, k, step = UNIT_BYTES / dtype_info[a->dtype].bytes;

	if (u == UNIT_FMA || u == UNIT_AVX512_VNNI || unit_info[u].parts > 1 ||
	    !ex_is_const(&q->ex, a->shape[a->rank - 2], &m) ||
	    !ex_is_const(&q->ex, a->shape[a->rank - 1], &k))
		return false;
	return contract_is_memory(r, region, id) && m > 0 && m % mr == 0 &&
	       k > 0 && k % step == 0;
}

/* ---- panels ------------------------------------------------------------ */

Ex contract_dot_kc(const Product *p)
{
	int64_t step = step_elements(p), kc = p->par[P_KC], k;

	if (ex_is_const(p->t, p->k, &k) && k <= kc)
		kc = round_up(k > 0 ? k : 1, step);
	return ex_const(p->t, kc);
}

DType contract_dot_panel(const Product *p, const Packed *x, Ex shape[3])
{
	ExprTab *t = p->t;

	shape[0] = ex_mul(t, ex_div(t, p->kc, ex_const(t, step_elements(p))),
			  ex_const(t, parts(p)));
	shape[1] = ex_const(t, x->rows ? x->pitch : UNIT_WORDS);
	shape[2] = ex_const(t, x->rows ? step_elements(p) : x->pitch);
	return x->rows ? unit_packed(p->unit, p->element) : DT_U32;
}

/* Steps of a block of K. */
static Ex block_steps(const Product *p, Ex block)
{
	ExprTab *t = p->t;
	Ex step = ex_const(t, step_elements(p));
	Ex left = ex_sub(t, p->k, ex_mul(t, block, p->kc));

	return ex_min(t, ex_div(t, p->kc, step), ex_ceil_div(t, left, step));
}

/* ---- packing ------------------------------------------------------------ */

typedef struct Pack {
	Product *p;
	const Packed *x;
	const Ex *batch;
	Ex panel, block, steps;
	Ex first;        /* row or column of the panel's first */
	bool edge, tail; /* the panel, the step may reach over the operand */
	bool loads;      /* the operand is memory, zero where guarded */
} Pack;

/* Whether the value is read from memory as it is. */
static bool is_loaded(const Product *p, ValueId id)
{
	const Regions *r = p->l.r;
	const Value *v = program_value(r->program, id);

	while (op_info[v->op].cls == OPC_VIEW) {
		id = v->args[0];
		v = program_value(r->program, id);
	}
	return contract_is_memory(r, p->l.region_index, id);
}

/*
 * The element of row or column `wide` of the panel at `k` of the block; zero
 * beyond K. Beyond the panel's operand it is anything: no stored result
 * depends on it.
 */
static VarId element(const Pack *k, Ex wide, Ex at_k)
{
	Product *p = k->p;
	Lower *l = &p->l;
	ExprTab *t = p->t;
	Ex at[TN_MAX_RANK], one = ex_const(t, 1);
	Ex n = ex_add(t, ex_mul(t, k->block, p->kc), at_k);
	Ex i = ex_add(t, k->first, wide);
	Ex inside = ex_sub(t, ex_sub(t, p->k, one), n);
	size_t guards = l->conds.n;

	if (k->edge)
		lower_guard(l, ex_sub(t, ex_sub(t, k->x->extent, one), i));
	if (k->tail)
		lower_guard(l, inside);
	contract_operand_index(p, k->x, k->batch, n, i, at);
	VarId v = lower_value(l, k->x->value, at);
	l->conds.n = guards;
	if (k->tail && !k->loads) {
		VarId args[3] = {lower_test(l, &inside, 1), v,
				 lower_zero(l, p->element)};
		v = lower_op(l, OP_WHERE, p->element, p->element, args, 3,
			     NO_VALUE);
	}
	return v;
}

/* The unit takes A's elements flipped where they would have the same sign
 * as B's (ir/kernel.h). */
static VarId flipped(Product *p, VarId v)
{
	static const uint8_t top = 0x80;

	if (p->unit != UNIT_AVX512_VNNI)
		return v;
	VarId args[2] = {v, lower_constant(&p->l, p->element, &top)};
	return lower_op(&p->l, OP_BITXOR, p->element, p->element, args, 2,
			NO_VALUE);
}

static void pack_panel_at(Pack *k, Ex panel)
{
	ExprTab *t = k->p->t;

	k->panel = panel;
	k->first = ex_mul(t, panel, ex_const(t, k->x->wide));
}

/* Where a part of a step lies. */
static Ex part_step(const Product *p, Ex step, int part)
{
	return ex_add(p->t, ex_mul(p->t, step, ex_const(p->t, parts(p))),
		      ex_const(p->t, part));
}

/* What the unit takes of an element. */
static VarId part_of(Product *p, VarId v, int part)
{
	if (parts(p) > 1)
		return lower_part(&p->l, p->element, v, part);
	return flipped(p, v);
}

static void store_a(const Pack *k, Ex step, Ex row, Ex in)
{
	Product *p = k->p;
	Ex to[K_MAX_RANK];
	int n = contract_panel_index(p, k->x, k->batch, k->panel, k->block, to);
	Ex at_k = ex_add(
		p->t, ex_mul(p->t, step, ex_const(p->t, step_elements(p))), in);
	VarId v = element(k, row, at_k);

	to[n + 1] = row;
	to[n + 2] = in;
	for (int i = 0; i < parts(p); i++) {
		to[n] = part_step(p, step, i);
		lower_store(&p->l, k->x->buffer, to, part_of(p, v, i));
	}
}

/* Lanes along k: a step of a row is stored as it lies in memory. */
static void pack_rows(const Pack *k)
{
	Product *p = k->p;
	Lower *l = &p->l;
	int64_t step = step_elements(p);
	/* bytes fill a vector where nothing is computed with them */
	int lanes = k->loads && step == 64 ? 64 : UNIT_WORDS;

	Ex row = lower_for(l, ex_const(p->t, k->x->wide), MAP_SERIAL, 1);
	Ex s = lower_for(l, k->steps, MAP_SERIAL, 1);
	Ex in = lower_for(l, ex_const(p->t, step), MAP_VUNROLL, lanes);
	store_a(k, s, row, in);
	lower_end(l);
	lower_end(l);
	lower_end(l);
}

/* Memory runs along the rows: squares of 16 rows and 16 elements, transposed
 * in registers. */
static void pack_turned(const Pack *k)
{
	Product *p = k->p;
	Lower *l = &p->l;
	ExprTab *t = p->t;
	Ex by = ex_const(t, UNIT_WORDS);
	Ex parts = ex_const(t, step_elements(p) / UNIT_WORDS);

	Ex s = lower_for(l, k->steps, MAP_SERIAL, 1);
	Ex part = lower_for(l, parts, MAP_SERIAL, 1);
	Ex row = lower_for(l, ex_const(t, k->x->pitch), MAP_VECTOR, UNIT_WORDS);
	Ex in = lower_for(l, by, MAP_UNROLL, 1);
	store_a(k, s, row, ex_add(t, ex_mul(t, part, by), in));
	for (int i = 0; i < 4; i++)
		lower_end(l);
}

static void store_word(const Pack *k, Ex step, Ex word, Ex column, VarId v)
{
	Product *p = k->p;
	Ex to[K_MAX_RANK];
	int n = contract_panel_index(p, k->x, k->batch, k->panel, k->block, to);

	to[n++] = step;
	to[n++] = word;
	to[n] = column;
	lower_store(&p->l, k->x->buffer, to, v);
}

/* Makes and stores the words of column j of the panel at hand. */
static void make_word(const Pack *k, Ex s, Ex w, Ex j)
{
	Product *p = k->p;
	Lower *l = &p->l;
	ExprTab *t = p->t;
	int per = word_elements(p);
	VarId v[WORD_BYTES];
	Ex first = ex_add(t, ex_mul(t, s, ex_const(t, step_elements(p))),
			  ex_mul(t, w, ex_const(t, per)));

	for (int i = 0; i < per; i++)
		v[i] = element(k, j, ex_add(t, first, ex_const(t, i)));
	for (int n = 0; n < parts(p); n++) {
		VarId word = NO_VAR, x;
		for (int i = 0; i < per; i++) {
			x = v[i];
			if (parts(p) > 1)
				x = lower_part(l, p->element, x, n);
			word = lower_word(l, unit_packed(p->unit, p->element),
					  x, 8 * WORD_BYTES / per * i, word);
		}
		store_word(k, part_step(p, s, n), w, j, word);
	}
}

/* Rows of B are read in runs of this many panels. */
#define GROUP 8

int64_t contract_dot_group(const Product *p, const Packed *x)
{
	return p->unit != UNIT_FMA && !x->rows ? GROUP : 1;
}

/*
 * Lanes along the columns: a word's elements come from rows of B that follow
 * each other. All panels at hand take from a row before the next one is read,
 * so that memory is read in runs.
 */
static void pack_words(Pack *k, Ex first_panel, Ex panels)
{
	Product *p = k->p;
	Lower *l = &p->l;
	ExprTab *t = p->t;

	Ex s = lower_for(l, k->steps, MAP_SERIAL, 1);
	Ex w = lower_for(l, ex_const(t, UNIT_WORDS), MAP_SERIAL, 1);
	pack_panel_at(
		k, ex_add(t, first_panel, lower_for(l, panels, MAP_SERIAL, 1)));
	Ex j = lower_for(l, ex_const(t, k->x->wide), MAP_VUNROLL, UNIT_WORDS);
	make_word(k, s, w, j);
	for (int i = 0; i < 4; i++)
		lower_end(l);
}

/* Memory runs along k: squares of 16 words and 16 columns, transposed in
 * registers. */
static void pack_words_turned(const Pack *k)
{
	Product *p = k->p;
	Lower *l = &p->l;
	ExprTab *t = p->t;
	Ex by = ex_const(t, UNIT_WORDS);

	Ex part = lower_for(l, ex_const(t, k->x->wide / UNIT_WORDS), MAP_SERIAL,
			    1);
	Ex s = lower_for(l, k->steps, MAP_SERIAL, 1);
	Ex w = lower_for(l, by, MAP_VECTOR, UNIT_WORDS);
	Ex j = lower_for(l, by, MAP_UNROLL, 1);
	make_word(k, s, w, ex_add(t, ex_mul(t, part, by), j));
	for (int i = 0; i < 4; i++)
		lower_end(l);
}

void contract_dot_pack(Product *p, const Packed *x, const Ex *batch, Ex first,
		       Ex panels, Ex block)
{
	ExprTab *t = p->t;
	Ex at[TN_MAX_RANK], wide = ex_const(t, x->wide);
	Pack k = {
		.p = p,
		.x = x,
		.batch = batch,
		.block = block,
		.steps = block_steps(p, block),
		.loads = is_loaded(p, x->value),
	};

	k.edge = x->pitch != x->wide ||
		 !ex_equals(t, ex_mod(t, x->extent, wide), 0);
	k.tail = !ex_equals(t, ex_mod(t, p->k, ex_const(t, step_elements(p))),
			    0);
	/* which way memory runs, by axes that no loop uses */
	int64_t axis = p->l.k->naxes;
	Ex ak = ex_axis(t, axis), aw = ex_axis(t, axis + 1);
	contract_operand_index(p, x, batch, ak, aw, at);
	bool along_k = lower_stride(&p->l, x->value, at, axis) == 1;
	bool turned = lower_stride(&p->l, x->value, at, axis + 1) == 1;
	/* bytes are put together to words as they lie across */
	if (!x->rows && !(along_k && word_elements(p) == 2)) {
		pack_words(&k, first, panels);
		return;
	}
	pack_panel_at(
		&k, ex_add(t, first, lower_for(&p->l, panels, MAP_SERIAL, 1)));
	if (!x->rows)
		pack_words_turned(&k);
	else if (turned)
		pack_turned(&k);
	else
		pack_rows(&k);
	lower_end(&p->l);
}

/* ---- sums that are not finite ---- */

/*
 * Parts of an infinity are an infinity and NaN: its sums come out as NaN, where
 * they should be infinite for most of the other operand. Sums of finite f16 are
 * finite. So a tile whose sums add up to NaN is looked through once K is done,
 * row by row, and those that are NaN are added up again from the operands.
 * The others of the row stay as they are: their bits depend on no neighbour.
 */
static VarId whole_sum(Product *p, const Ex *batch, Ex row, Ex column)
{
	Lower *l = &p->l;
	VarId sum = lower_acc(l, OP_ADD, p->acc, NO_VAR);
	KAt k = {ex_const(p->t, 0), lower_for(l, p->k, MAP_SERIAL, 1)};
	VarId x = contract_element(p, &p->a, batch, row, &k, false);
	VarId y = contract_element(p, &p->b, batch, column, &k, false);
	VarId args[2] = {x, y};

	lower_accum(l, sum, OP_ADD, p->acc,
		    lower_op(l, OP_MUL, p->acc, p->acc, args, 2, NO_VALUE));
	lower_end(l);
	return sum;
}

static VarId is_nan(Product *p, VarId x)
{
	VarId args[2] = {x, x};

	return lower_op(&p->l, OP_NE, DT_BOOL, p->acc, args, 2, NO_VALUE);
}

/* The body of what is opened here runs where the sum is NaN. Conditions are of
 * axes alone, and an index that is checked, here below 2, is one. */
static void open_if_nan(Product *p, VarId sum)
{
	Lower *l = &p->l;
	VarId nan = lower_cast(l, DT_I32, DT_BOOL, is_nan(p, sum));
	Ex which = lower_bound(l, nan, DT_I32, ex_const(p->t, 2), p->id);
	Ex cond = ex_sub(p->t, which, ex_const(p->t, 1));

	lower_if(l, &cond, 1);
}

/* The place of a sum of the tile. */
static const Ex *sum_at(Product *p, const DotTile *tile, Ex i, Ex j, Ex *out)
{
	int n = p->l.k->buffers.p[tile->buffer].rank;

	memcpy(out, tile->index, (size_t)n * sizeof(Ex));
	out[n - 2] = i;
	out[n - 1] = j;
	return out;
}

/* Rows of a tile that are added up side by side. */
#define CHAINS 4

/* NaN if a sum of the tile is. */
static VarId sum_of_sums(Product *p, const DotTile *tile)
{
	Lower *l = &p->l;
	ExprTab *t = p->t;
	Ex at[K_MAX_RANK];
	int64_t mr = p->par[P_MR], chains = mr % CHAINS ? 1 : CHAINS;
	VarId all = lower_acc(l, OP_ADD, p->acc, NO_VAR), chain[CHAINS];

	Ex j = lower_for(l, ex_const(t, p->par[P_NR]), MAP_VUNROLL, UNIT_WORDS);
	for (int c = 0; c < chains; c++)
		chain[c] = lower_acc(l, OP_ADD, p->acc, NO_VAR);
	Ex i = lower_for(l, ex_const(t, mr / chains), MAP_SERIAL, 1);
	for (int c = 0; c < chains; c++) {
		Ex row = ex_add(t, ex_mul(t, i, ex_const(t, chains)),
				ex_const(t, c));
		lower_accum(l, chain[c], OP_ADD, p->acc,
			    lower_load(l, tile->buffer,
				       sum_at(p, tile, row, j, at)));
	}
	lower_end(l);
	for (int c = 0; c < chains; c++)
		lower_accum(l, all, OP_ADD, p->acc, chain[c]);
	lower_end(l);
	return all;
}

/* NaN if a sum of row i is, of the columns that the product has. */
static VarId sum_of_row(Product *p, const DotTile *tile, Ex i, Ex columns)
{
	Lower *l = &p->l;
	Ex at[K_MAX_RANK];
	VarId all = lower_acc(l, OP_ADD, p->acc, NO_VAR);
	Ex j = lower_for(l, columns, MAP_VECTOR, UNIT_WORDS);

	lower_accum(l, all, OP_ADD, p->acc,
		    lower_load(l, tile->buffer, sum_at(p, tile, i, j, at)));
	lower_end(l);
	return all;
}

static void mend(Product *p, const Ex *batch, const DotTile *tile)
{
	Lower *l = &p->l;
	ExprTab *t = p->t;
	Ex mr = ex_const(t, p->par[P_MR]), nr = ex_const(t, p->par[P_NR]);
	Ex row = ex_mul(t, tile->pa, ex_const(t, p->a.wide));
	Ex column = ex_mul(t, tile->pb, ex_const(t, p->b.wide));
	Ex rows = ex_min(t, mr, ex_sub(t, p->m, row));
	Ex columns = ex_min(t, nr, ex_sub(t, p->n, column));
	Ex at[K_MAX_RANK], one = ex_const(t, 1);
	Ex last = ex_sub(t, ex_add(t, tile->block, one), p->blocks);

	lower_if(l, &last, 1);
	open_if_nan(p, sum_of_sums(p, tile));
	Ex i = lower_for(l, rows, MAP_SERIAL, 1);
	open_if_nan(p, sum_of_row(p, tile, i, columns));
	Ex j = lower_for(l, columns, MAP_VECTOR, UNIT_WORDS);
	VarId whole =
		whole_sum(p, batch, ex_add(t, row, i), ex_add(t, column, j));
	VarId old = lower_load(l, tile->buffer, sum_at(p, tile, i, j, at));
	VarId args[3] = {is_nan(p, old), whole, old};
	lower_store(l, tile->buffer, at,
		    lower_op(l, OP_WHERE, p->acc, p->acc, args, 3, NO_VALUE));
	for (int n = 0; n < 5; n++)
		lower_end(l);
}

/* ---- the tile ----------------------------------------------------------- */

void contract_dot_fold(Product *p, const Ex *batch, const DotTile *tile)
{
	Lower *l = &p->l;
	Ex zero = ex_const(p->t, 0);
	KDot d = {
		.unit = p->unit,
		.before = tile->block,
		.rows = p->par[P_MR],
		.columns = p->par[P_NR],
		.steps = block_steps(p, tile->block),
	};
	const Packed *in[2] = {&p->a, &p->b};
	const Ex panel[2] = {tile->pa, tile->pb};

	d.flat = p->a.where == PACK_NONE;
	if (d.flat) {
		Ex at[TN_MAX_RANK];
		Ex row = ex_mul(p->t, tile->pa, ex_const(p->t, p->a.wide));
		Ex k = ex_mul(p->t, tile->block, p->kc);
		contract_operand_index(p, &p->a, batch, k, row, at);
		bug_if(!lower_place(l, p->a.value, at, &d.in[0]));
	}
	for (int o = d.flat; o < 2; o++) {
		KOperand *k = &d.in[o];
		int n = contract_panel_index(p, in[o], batch, panel[o],
					     tile->block, k->index);
		for (int i = 0; i < 3; i++)
			k->index[n++] = zero;
		k->buffer = in[o]->buffer;
		k->nindex = (uint8_t)n;
	}
	lower_dot(l, &d, p->element, tile->buffer, tile->index, p->id);
	if (parts(p) > 1)
		mend(p, batch, tile);
}
