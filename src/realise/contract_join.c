/*
 * contract_join: several products in one kernel.
 *
 * A step is the products of one tile shape and the elementwise values that
 * read their tiles (ir/region.h). For each block of K every product of a step
 * folds its tiles, each into a scratch of its own, and an operand that they
 * share is packed once and read while the cache holds it. After the last
 * block what follows is evaluated over all tiles, each product rounded at its
 * boundary first.
 *
 * With several steps a task owns a block of rows: a step makes its value for
 * all columns, in scratch, in the accumulator's dtype after its boundary; the
 * next one multiplies it as it lies, row by row. Held rows are contiguous
 * along K, a pitch apart that is no power of two, so that a tile's rows do
 * not fall on the same sets of L1; packing them again would move the bytes
 * once more for nothing, as A is read an element at a time.
 *
 * Every sum still adds its products one by one in the order of k: the bits
 * are those of kernels apart, for every number of threads.
 */
#include "realise/contract.h"

#include <string.h>

/* Blocks of columns up to which A is packed again for each of them rather
 * than by a phase, which writes and reads the copy in memory. */
#define FEW_REPEATS 2
/* Blocks of rows from which on a packed B pays for its packing. */
#define MANY_BLOCKS 8
/* Rows that lie a multiple of this apart fall on the same sets of an L1 of
 * 64 sets; those half of it apart on two of them, seven rows a set. */
#define SAME_SET 2048
/* A tile of two rows and two vectors, and what multiplies them. */
#define FEWEST_REGISTERS 8
/* Elements of K below which the sums' loads and stores cost too much. */
#define SHORT_BLOCK 16

typedef struct Term {
	ValueId id;
	const Value *v;
	Ex k, kc, blocks;
	Packed a, b;
	int like_a, like_b; /* an earlier term of the same operand, or -1 */
	uint32_t tile, acc; /* sums: in scratch, in registers */
} Term;
typedef VEC(Term) Terms;

typedef struct Step {
	Terms terms; /* those of equal K side by side */
	Ex n;
	ValueId held; /* what the next step multiplies, or NO_VALUE */
	uint32_t buffer;
	/* one block of K, and registers for a tile of each product: they fold
	 * together. direct: what follows reads the registers */
	bool once, direct;
} Step;

typedef struct Join {
	Product *p;
	Step *steps;
	int nsteps;
	int *of; /* by value: its step */
	Ex batch[TN_MAX_RANK];
	/* of the task at hand, in tiles */
	Ex i0, rows;
} Join;

bool contract_is_joined(const Regions *r, uint32_t region)
{
	const Region *reg = &r->regions.p[region];
	int n = 0;

	for (size_t i = 0; i < reg->values.n; i++)
		n += r->part[reg->values.p[i]] == PART_ANCHOR;
	return n > 1;
}

VarId contract_held(Product *p, const Block *b, const KAt *k, Ex i)
{
	Ex at = ex_add(p->t, ex_mul(p->t, k->block, p->kc), k->in);
	Ex from[3] = {b->at[0], i, at};

	return lower_load(&p->l, b->held, from);
}

/* ---- parameters ------------------------------------------------------ */

/* The largest of two extents; -1 where one is not known. */
static int64_t larger(int64_t a, int64_t b)
{
	return a < 0 || b < 0 ? -1 : a > b ? a : b;
}

/* What the products of a region have in common, for the model. */
typedef struct Common {
	Extents x;
	int steps;
	int64_t most;  /* products of a step */
	int64_t width; /* of all held rows, in elements */
	int64_t apart; /* bytes from row to row of the first left operands,
			  as a power of two that divides all of them */
} Common;

static void add_product(const Regions *r, uint32_t region, ValueId id,
			Common *c)
{
	const Value *v = program_value(r->program, id);
	const Value *a = program_value(r->program, v->args[0]);
	int64_t k = contract_known(r, a->shape[a->rank - 1]), bytes;
	bool fixed;

	c->x.n = larger(c->x.n, contract_known(r, v->shape[v->rank - 1]));
	c->x.k = larger(c->x.k, k);
	c->x.b_plain &=
		contract_is_plain(r, region, v->args[1], v->acc, 0, &fixed);
	c->x.b_fixed &= fixed;
	if (region_held(r, id) != NO_VALUE)
		return;
	c->x.a_plain &=
		contract_is_plain(r, region, v->args[0], v->acc, 0, &fixed);
	bytes = k * c->x.bytes;
	c->apart = k > 0 && (bytes & -bytes) < c->apart ? bytes & -bytes
							: c->apart;
}

static Common common(const Regions *r, uint32_t region)
{
	const Region *reg = &r->regions.p[region];
	const Value *last = program_value(r->program, reg->anchor);
	int bytes = dtype_info[dtype_interior(last->acc)].bytes;
	int *step = arena_array(r->arena, int, r->program->values.n);
	Common c = {.x.m = contract_known(r, last->shape[last->rank - 2]),
		    .apart = SAME_SET};

	c.x.bytes = bytes < 4 ? 4 : bytes;
	c.x.a_plain = c.x.b_plain = !lower_is_scalar(r, region);
	c.x.b_fixed = true;
	c.steps = region_steps(r, region, step);
	for (int s = 0; s < c.steps; s++) {
		int64_t n = 0, width = 0;
		for (size_t i = 0; i < reg->values.n; i++) {
			ValueId v = reg->values.p[i], h;
			if (r->part[v] != PART_ANCHOR || step[v] != s)
				continue;
			add_product(r, region, v, &c);
			h = region_held(r, v);
			n++;
			if (h == NO_VALUE)
				continue;
			const Value *x = program_value(r->program, h);
			width = region_pitch(larger(
				0, contract_known(r, x->shape[x->rank - 1])));
		}
		c.most = larger(c.most, n);
		c.width += width;
	}
	return c;
}

/* Panels of B a task, so that the sums of its tiles take a part of L2. */
static void limit_columns(const Target *t, const Common *c, int64_t *par,
			  int64_t part)
{
	int64_t tile = par[P_MB] * par[P_MR] * par[P_NR] * c->x.bytes;
	int64_t most = t->cache[1] / part / (c->most * tile);

	if (par[P_NB] > most)
		par[P_NB] = most < 1 ? 1 : most;
}

/* Products of held rows: blocks of rows that L2 keeps. */
static void held_model(const Regions *r, uint32_t region, const Target *t,
		       Common *c, int64_t *par)
{
	const Value *last =
		program_value(r->program, r->regions.p[region].anchor);
	int64_t batches = 1, rows;

	for (int d = 0; d < last->rank - 2; d++)
		batches *= contract_known(r, last->shape[d]);
	rows = region_rows(c->x.m, batches < 1 ? 1 : batches, c->width,
			   c->x.bytes, t->cache[1], t->cpus);
	/* each block reads all of B: worth packing for some of them */
	if (c->x.m < 0 || c->x.m >= MANY_BLOCKS * rows)
		c->x.b_plain = false;
	contract_model(t, &c->x, par);
	par[P_MB] = rows < par[P_MR] ? 1 : rows / par[P_MR];
	if (par[P_B] == PACK_NONE)
		par[P_KC] = 4 * par[P_LANES];
	else
		par[P_B] = PACK_PHASE;
	limit_columns(t, c, par, par[P_B] == PACK_NONE ? 4 : 8);
	bool once = c->x.n > 0 && c->x.n <= FEW_REPEATS * par[P_NB] * par[P_NR];
	if (c->x.a_plain && c->x.m > 0 && c->apart < SAME_SET)
		par[P_A] = PACK_NONE;
	else if (par[P_A] != PACK_NONE)
		par[P_A] = once ? PACK_TASK : PACK_PHASE;
}

/* Whether what follows the products is a loop over a tile in scratch, which
 * is best run once. */
static bool is_costly(const Regions *r, uint32_t region)
{
	const Region *reg = &r->regions.p[region];
	bool found = false;

	for (size_t i = 0; i < reg->values.n; i++)
		found |=
			op_info[program_value(r->program, reg->values.p[i])->op]
				.ulp > 0;
	return found;
}

static int element_bytes(const Regions *r, uint32_t region)
{
	const Value *v = program_value(r->program, r->regions.p[region].anchor);

	return dtype_info[program_value(r->program, v->args[0])->dtype].bytes;
}

/* Products that are one task each: their tiles stay in registers, together.
 * False where that does not pay. */
static bool small_model(const Regions *r, uint32_t region, const Target *t,
			const Common *c, int64_t *par)
{
	const Extents *x = &c->x;
	Target shared = *t;

	if (x->m < 0 || x->n < 0 || x->k < 0 ||
	    (double)x->m * (double)x->n * (double)x->k >= TASK_MACS)
		return false;
	contract_model(t, x, par);
	if (is_costly(r, region) && x->m <= par[P_MR] && x->n <= par[P_NR])
		return false;
	shared.vector_registers /= (int)c->most;
	if (shared.vector_registers < FEWEST_REGISTERS)
		return false;
	contract_model(&shared, x, par);
	par[P_KC] = larger(par[P_KC], x->k);
	return true;
}

/*
 * B read where it lies: hardware follows as many streams as one product has,
 * so that kc is shorter. Few rows finish sooner in wide tasks, as long as
 * there is one for each CPU.
 */
static void in_place_model(const Target *t, const Common *c, bool few,
			   int64_t *par)
{
	int64_t wide = par[P_NB] * c->most;

	par[P_KC] = larger(SHORT_BLOCK, par[P_KC] / c->most / (few ? 2 : 1));
	if (few && c->x.n >= wide * par[P_NR] * t->cpus)
		par[P_NB] = wide;
	limit_columns(t, c, par, 4);
}

/*
 * Panels of B can be read again soon: fewer rows a task leave L2 to the sums;
 * still fewer where these are finished after one block of K. A that is packed
 * in tasks is packed again for each block of columns, so that these are wide.
 */
static void packed_model(const Target *t, const Common *c, int64_t *par)
{
	bool tasks = par[P_A] == PACK_TASK;
	bool whole = !tasks && c->x.k > 0 && c->x.k <= par[P_KC];

	par[P_MB] = larger(1, par[P_MB] / c->most / (whole ? 2 : 1));
	limit_columns(t, c, par, tasks ? 1 : whole ? 32 : 8);
}

void contract_join_model(const Regions *r, uint32_t region, const Target *t,
			 MatrixUnit unit, int64_t *par)
{
	Common c = common(r, region);

	if (c.steps > 1) {
		held_model(r, region, t, &c, par);
	} else if (unit != UNIT_FMA) {
		contract_dot_model(t, &c.x, unit, element_bytes(r, region),
				   par);
		limit_columns(t, &c, par, 8);
	} else if (!small_model(r, region, t, &c, par)) {
		bool few = c.x.m >= 0 && c.x.m <= FEW_ROWS;
		/* many rows: panels of B are packed once, by phases */
		c.x.b_along = few && c.x.b_plain;
		contract_model(t, &c.x, par);
		if (par[P_B] == PACK_NONE)
			in_place_model(t, &c, few, par);
		else
			packed_model(t, &c, par);
	}
}

/* ---- steps and terms ------------------------------------------------- */

/* Makes p's product the term's. */
static void at_term(Product *p, const Step *s, const Term *t)
{
	p->v = t->v;
	p->id = t->id;
	p->n = s->n;
	p->k = t->k;
	p->kc = t->kc;
	p->blocks = t->blocks;
	p->a = t->a;
	p->b = t->b;
}

static void add_term(Join *j, Step *s, ValueId id)
{
	Product *p = j->p;
	Term t = {.id = id, .v = program_value(p->l.p, id)};
	const Value *a = program_value(p->l.p, t.v->args[0]);
	int64_t n;
	size_t at = 0;

	t.k = a->shape[a->rank - 1];
	t.kc = ex_const(p->t, p->par[P_KC]);
	if (ex_is_const(p->t, t.k, &n) && n <= p->par[P_KC])
		t.kc = ex_max(p->t, ex_const(p->t, 1), t.k);
	if (p->unit != UNIT_FMA) {
		p->k = t.k;
		t.kc = contract_dot_kc(p);
	}
	t.blocks =
		ex_max(p->t, ex_const(p->t, 1), ex_ceil_div(p->t, t.k, t.kc));
	s->n = t.v->shape[t.v->rank - 1];
	VEC_PUSH(p->l.arena, s->terms, t);
	for (size_t i = 0; i + 1 < s->terms.n; i++)
		if (s->terms.p[i].k == t.k)
			at = i + 1;
	if (at == 0)
		return;
	memmove(&s->terms.p[at + 1], &s->terms.p[at],
		(s->terms.n - 1 - at) * sizeof(Term));
	s->terms.p[at] = t;
}

/* Which operands are packed, and which of them before. */
static void set_operands(Join *j, int step)
{
	Product *p = j->p;
	Terms *ts = &j->steps[step].terms;

	for (size_t i = 0; i < ts->n; i++) {
		Term *t = &ts->p[i];
		p->n = j->steps[step].n;
		t->a = contract_operand(p, t->v, 0);
		t->b = contract_operand(p, t->v, 1);
		if (step > 0)
			t->a.where = PACK_HELD;
		t->like_a = t->like_b = -1;
		for (size_t k = i; k-- > 0;) {
			const Value *v = ts->p[k].v;
			if (ts->p[k].k != t->k)
				continue;
			if (v->args[0] == t->v->args[0])
				t->like_a = (int)k;
			if (v->args[1] == t->v->args[1])
				t->like_b = (int)k;
		}
	}
}

/* Whether registers hold a tile of each product over one block of K. */
static bool is_once(const Join *j, const Step *s, const Target *target)
{
	const Product *p = j->p;
	int64_t vectors = p->par[P_NR] / p->par[P_LANES];
	int64_t each = (p->par[P_MR] + 1) * vectors;

	for (size_t i = 0; i < s->terms.n; i++)
		if (p->unit != UNIT_FMA || s->terms.p[i].k != s->terms.p[0].k ||
		    !ex_equals(p->t, s->terms.p[i].blocks, 1))
			return false;
	return (int64_t)s->terms.n * each < target->vector_registers;
}

static void find_steps(Join *j, const Target *target)
{
	Product *p = j->p;
	const Regions *r = p->l.r;
	const Region *reg = p->l.region;

	j->of = arena_array(p->l.arena, int, p->l.p->values.n);
	j->nsteps = region_steps(r, p->l.region_index, j->of);
	j->steps = arena_array(p->l.arena, Step, (size_t)j->nsteps);
	for (int s = 0; s < j->nsteps; s++)
		j->steps[s].held = NO_VALUE;
	for (size_t i = 0; i < reg->values.n; i++) {
		ValueId v = reg->values.p[i];
		if (r->part[v] != PART_ANCHOR)
			continue;
		add_term(j, &j->steps[j->of[v]], v);
		if (j->of[v] > 0)
			j->steps[j->of[v] - 1].held = region_held(r, v);
	}
	for (int s = 0; s < j->nsteps; s++) {
		Step *at = &j->steps[s];
		set_operands(j, s);
		at->once = is_once(j, at, target);
		at_term(p, at, &at->terms.p[0]);
		at->direct = at->once && contract_is_direct(p, j->of, s);
	}
}

/* Phases that pack; what a term shares with an earlier one is its. */
static void pack_phases(Join *j)
{
	Product *p = j->p;
	int na = 0, nb = 0;

	for (int s = 0; s < j->nsteps; s++)
		for (size_t i = 0; i < j->steps[s].terms.n; i++) {
			Term *t = &j->steps[s].terms.p[i];
			at_term(p, &j->steps[s], t);
			if (t->like_a >= 0)
				t->a = j->steps[s].terms.p[t->like_a].a;
			else if (t->a.where == PACK_PHASE)
				contract_pack_phase(p, &t->a,
						    arena_printf(p->l.arena,
								 "pack_a%d",
								 na++));
			if (t->like_b >= 0)
				t->b = j->steps[s].terms.p[t->like_b].b;
			else if (t->b.where == PACK_PHASE)
				contract_pack_phase(p, &t->b,
						    arena_printf(p->l.arena,
								 "pack_b%d",
								 nb++));
		}
}

/* Scratch: tiles and panels of each term, the rows between steps. */
static void scratch(Join *j)
{
	Product *p = j->p;
	ExprTab *t = p->t;
	Ex tall = ex_const(t, p->par[P_MB]);
	Ex mr = ex_const(t, p->par[P_MR]), nb = ex_const(t, p->par[P_NB]);
	Ex shape[4] = {nb, tall, mr, ex_const(t, p->par[P_NR])};
	Ex line = ex_const(t, 16), one = ex_const(t, 1);
	/* steps use the same, one after another */
	VEC(uint32_t) tiles = {0}, single = {0};

	for (int s = 0; s < j->nsteps; s++) {
		Step *at = &j->steps[s];
		for (size_t i = 0; i < at->terms.n; i++) {
			Term *x = &at->terms.p[i];
			at_term(p, at, x);
			while (!at->once && tiles.n <= i)
				VEC_PUSH(p->l.arena, tiles,
					 lower_buffer(&p->l, SCOPE_WORKER,
						      p->acc, shape, 4,
						      "tile"));
			while (at->once && !at->direct && single.n <= i)
				VEC_PUSH(p->l.arena, single,
					 lower_buffer(&p->l, SCOPE_WORKER,
						      p->acc, shape + 2, 2,
						      "tile"));
			if (!at->direct)
				x->tile = at->once ? single.p[i] : tiles.p[i];
			if (x->like_a >= 0)
				x->a = at->terms.p[x->like_a].a;
			else if (x->a.where == PACK_TASK)
				contract_pack_scratch(p, &x->a,
						      ex_const(t, p->par[P_MB]),
						      "pack_a");
			if (x->like_b >= 0)
				x->b = at->terms.p[x->like_b].b;
			else if (x->b.where == PACK_TASK)
				contract_pack_scratch(p, &x->b, one, "pack_b");
		}
		if (at->held == NO_VALUE)
			continue;
		/* as region_pitch */
		Ex pitch = ex_add(
			t, ex_mul(t, ex_ceil_div(t, at->n, line), line), line);
		Ex rows[3] = {tall, mr, pitch};
		at->buffer = lower_buffer(&p->l, SCOPE_WORKER, p->acc, rows, 3,
					  "held");
	}
}

/* ---- the task -------------------------------------------------------- */

/* What follows the products of a step, on their finished tiles. */
static void finish(Join *j, int step, const Block *b)
{
	Product *p = j->p;
	Lower *l = &p->l;
	ExprTab *t = p->t;
	const Region *reg = l->region;
	const Step *s = &j->steps[step];
	Ex rows = ex_const(t, b->rows), columns = ex_const(t, b->columns);
	Ex at[2], from[4], index[TN_MAX_RANK];

	if (s->direct) {
		contract_tile_for(p, b, at);
	} else {
		rows = ex_min(t, rows, ex_sub(t, p->m, b->row));
		columns = ex_min(t, columns, ex_sub(t, p->n, b->column));
		at[0] = lower_for(l, rows, MAP_SERIAL, 1);
		at[1] = lower_for(l, columns,
				  p->plain ? MAP_SERIAL : MAP_VECTOR,
				  p->plain ? 1 : (int)p->par[P_LANES]);
	}
	memcpy(index, b->batch, (size_t)p->batch * sizeof(Ex));
	index[p->batch] = ex_add(t, b->row, at[0]);
	index[p->batch + 1] = ex_add(t, b->column, at[1]);
	contract_tile_index(b, at[0], at[1], from);
	for (size_t k = 0; k < s->terms.n; k++) {
		const Term *x = &s->terms.p[k];
		at_term(p, s, x);
		contract_bind(p, x->id,
			      s->direct ? lower_load(l, x->acc, at)
					: lower_load(l, x->tile, from),
			      index);
	}
	for (size_t k = 0; k < reg->values.n; k++) {
		ValueId v = reg->values.p[k];
		if (l->r->part[v] == PART_EPILOGUE && j->of[v] == step)
			lower_value(l, v, index);
	}
	for (size_t k = 0; k < reg->outputs.n; k++)
		if (j->of[reg->outputs.p[k]] == step)
			lower_result(l, reg->outputs.p[k], index);
	if (s->held != NO_VALUE) {
		Ex to[3] = {ex_sub(t, b->pa, j->i0), at[0],
			    index[p->batch + 1]};
		lower_store(l, s->buffer, to,
			    lower_cast(l, p->acc,
				       program_value(l->p, s->held)->dtype,
				       lower_value(l, s->held, index)));
	}
	lower_end(l);
	lower_end(l);
}

/* Packs what the terms from..to-1 pack in tasks: A's block, a panel of B. */
static void pack_a(Join *j, Step *s, size_t from, size_t to, Ex kk)
{
	for (size_t i = from; i < to; i++) {
		Term *x = &s->terms.p[i];
		x->a.first = j->i0;
		at_term(j->p, s, x);
		if (x->a.where == PACK_TASK && x->like_a < 0)
			contract_pack_block(j->p, &x->a, j->batch, j->rows, kk);
	}
}

static void pack_b(Join *j, Step *s, size_t term, const Block *b)
{
	Term *x = &s->terms.p[term];

	x->b.first = b->pb;
	at_term(j->p, s, x);
	if (x->b.where == PACK_TASK && x->like_b < 0)
		contract_pack_block(j->p, &x->b, j->batch, ex_const(j->p->t, 1),
				    b->kk);
}

/* The sums of all terms of a step, each in its registers; an element of an A
 * that they share is loaded once. */
static void fold_together(Join *j, Step *s, Block *b)
{
	Product *p = j->p;
	Lower *l = &p->l;
	ExprTab *t = p->t;
	int lanes = (int)p->par[P_LANES];
	int64_t vectors = (b->columns + lanes - 1) / lanes;
	Ex shape[2] = {ex_const(t, b->rows), ex_const(t, vectors * lanes)};
	Ex columns = ex_const(t, b->columns), at[2];
	size_t n = s->terms.n;
	uint32_t *row = arena_array(l->arena, uint32_t, n);
	VarId *x = arena_array(l->arena, VarId, n);

	for (size_t i = 0; i < n; i++) {
		Term *term = &s->terms.p[i];
		term->acc = lower_buffer(l, SCOPE_REG, p->acc, shape, 2, "acc");
		row[i] = lower_buffer(l, SCOPE_REG, p->acc, &shape[1], 1,
				      "brow");
		contract_tile_for(p, b, at);
		lower_store(l, term->acc, at, lower_zero(l, p->acc));
		lower_end(l);
		lower_end(l);
	}
	KAt k = {b->kk, lower_for(l, b->length,
				  contract_fold_map(
					  p, b, (int64_t)n * b->rows * vectors),
				  1)};
	for (size_t i = 0; i < n; i++) {
		at_term(p, s, &s->terms.p[i]);
		Ex c = lower_for(l, columns, MAP_VUNROLL, lanes);
		lower_store(l, row[i], &c, contract_load_b(p, b, &k, c));
		lower_end(l);
	}
	at[0] = lower_for(l, shape[0], MAP_UNROLL, 1);
	for (size_t i = 0; i < n; i++) {
		const Term *term = &s->terms.p[i];
		at_term(p, s, term);
		x[i] = term->like_a < 0 ? contract_load_a(p, b, &k, at[0])
					: x[term->like_a];
		at[1] = lower_for(l, columns, MAP_VUNROLL, lanes);
		VarId y = lower_load(l, row[i], &at[1]);
		VarId sum = lower_load(l, term->acc, at);
		lower_store(l, term->acc, at,
			    lower_mac(l, p->acc, x[i], y, sum));
		lower_end(l);
	}
	lower_end(l);
	lower_end(l);
}

/* The tiles of a column of the terms from..to-1, all or one by one. */
static void column_tiles(Join *j, int step, size_t from, size_t to, Block *b,
			 const Span *rows, bool guarded)
{
	Product *p = j->p;
	Lower *l = &p->l;
	ExprTab *t = p->t;
	Step *s = &j->steps[step];
	Ex one = ex_const(t, 1), nb = ex_const(t, p->par[P_NB]);
	Ex mb = ex_const(t, p->par[P_MB]);

	Ex i = lower_for(l, rows->count, MAP_SERIAL, 1);
	b->rows = rows->size;
	b->pa = ex_add(t, rows->first, i);
	b->row = ex_mul(t, b->pa, ex_const(t, p->a.wide));
	b->at[0] = ex_sub(t, b->pa, j->i0);
	/* as in contract_tile.c: what a last tile's place is proved by */
	Ex inside[4] = {b->at[0], ex_sub(t, mb, ex_add(t, b->at[0], one)),
			b->at[1], ex_sub(t, nb, ex_add(t, b->at[1], one))};
	if (guarded)
		lower_if(l, inside, 4);
	size_t first = l->at->n, made;
	if (s->once)
		fold_together(j, s, b);
	for (size_t k = from; k < to; k++) {
		Term *x = &s->terms.p[k];
		at_term(p, s, x);
		b->tile = x->tile;
		if (s->once)
			b->acc = x->acc;
		else if (p->unit == UNIT_FMA)
			contract_tile_fold(p, b);
		else
			contract_tile_dot(p, b);
		if (p->unit == UNIT_FMA && !s->direct)
			contract_tile_keep(p, b);
	}
	if (to == s->terms.n) {
		Ex last = ex_sub(t, ex_add(t, b->kk, one), p->blocks);
		lower_if(l, &last, 1);
		finish(j, step, b);
		lower_end(l);
		if (p->asks) {
			made = l->at->n;
			finish(j, step, b);
			contract_ask_finish(p, first, made, last);
		}
	}
	if (guarded)
		lower_end(l);
	lower_end(l);
}

/* Terms from..to-1, which have one K, over the block of columns at j0. */
static void run_terms(Join *j, int step, size_t from, size_t to, Ex j0,
		      Ex columns)
{
	Product *p = j->p;
	Lower *l = &p->l;
	ExprTab *t = p->t;
	Step *s = &j->steps[step];
	Block b = {.batch = j->batch, .keeps = !s->once};
	Span rs[2], cs[2];

	at_term(p, s, &s->terms.p[from]);
	b.resumes = !s->once && !ex_equals(t, p->blocks, 1);
	b.held = step ? j->steps[step - 1].buffer : 0;
	for (size_t i = from; i < to && b.resumes && p->unit == UNIT_FMA; i++) {
		b.tile = s->terms.p[i].tile;
		contract_tiles_clear(p, &b, j->rows, columns);
	}
	int nrs = contract_spans(p, &p->a, j->i0, j->rows, rs);
	int ncs = contract_spans(p, &p->b, j0, columns, cs);
	b.kk = lower_for(l, p->blocks, MAP_SERIAL, 1);
	b.length = contract_k_length(p, b.kk);
	pack_a(j, s, from, to, b.kk);
	for (int c = 0; c < ncs; c++) {
		Ex column = lower_for(l, cs[c].count, MAP_SERIAL, 1);
		b.columns = cs[c].size;
		b.pb = ex_add(t, cs[c].first, column);
		b.column = ex_mul(t, b.pb, ex_const(t, p->b.wide));
		b.at[1] = ex_sub(t, b.pb, j0);
		for (size_t i = from; i < to; i++) {
			pack_b(j, s, i, &b);
			bool all = s->once && i + 1 == to;
			for (int r = 0; r < nrs && (all || !s->once); r++)
				column_tiles(j, step, all ? from : i, i + 1, &b,
					     &rs[r], rs[r].last || cs[c].last);
		}
		lower_end(l);
	}
	lower_end(l);
}

static void run_step(Join *j, int step)
{
	Product *p = j->p;
	ExprTab *t = p->t;
	const Step *s = &j->steps[step];
	Ex nb = ex_const(t, p->par[P_NB]), j0;

	at_term(p, s, &s->terms.p[0]);
	Ex blocks = ex_ceil_div(t, p->b.panels, nb);
	j0 = j->nsteps == 1 ? lower_task(&p->l, blocks)
			    : lower_for(&p->l, blocks, MAP_SERIAL, 1);
	j0 = ex_mul(t, j0, nb);
	Ex columns = ex_min(t, nb, ex_sub(t, p->b.panels, j0));
	Ex panels = ex_sub(t, p->a.panels, j->i0);
	j->rows = ex_min(t, ex_const(t, p->par[P_MB]), panels);
	for (size_t from = 0, to; from < s->terms.n; from = to) {
		for (to = from + 1; to < s->terms.n; to++)
			if (s->terms.p[to].k != s->terms.p[from].k)
				break;
		run_terms(j, step, from, to, j0, columns);
	}
	if (j->nsteps > 1)
		lower_end(&p->l);
}

void contract_join_lower(Product *p, const Target *target)
{
	Join j = {.p = p};
	ExprTab *t = p->t;
	Ex tall = ex_const(t, p->par[P_MB]);

	find_steps(&j, target);
	pack_phases(&j);
	scratch(&j);
	lower_phase(&p->l, "main");
	for (int d = 0; d < p->batch; d++)
		j.batch[d] = lower_task(&p->l, p->v->shape[d]);
	Ex panels = j.steps[0].terms.p[0].a.panels;
	j.i0 = ex_mul(t, lower_task(&p->l, ex_ceil_div(t, panels, tall)), tall);
	for (int s = 0; s < j.nsteps; s++)
		run_step(&j, s);
	p->l.k->note =
		j.nsteps > 1
			? "a block of rows a task, held in scratch from "
			  "product to product"
			: "products of one tile shape, a register tile each "
			  "over kc elements of K at a time, one epilogue on "
			  "all tiles";
}
