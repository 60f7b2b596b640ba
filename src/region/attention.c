/*
 * attention: two contractions and the rows between them, as one region.
 *
 * What: merges the groups of a product q k^T, of the reductions over its
 * rows, and of a product of these rows with v into one ATTENTION group, so
 * that a kernel can hold the rows of a few queries at a time and the L x S
 * matrix is never in memory.
 * Why after the policy: each of the three is placed by its own rules first;
 * what is joined here is structure, whatever def or hand wrote it.
 * How: from the second product backwards. Its left operand must be a value
 * of the rows, read in place; the rows must be reduced over the last axis
 * alone and be those of a product; nobody else may see a value that has all
 * axes of the rows. Loops that only these groups read (a mask made of iota)
 * come along as programs on loads.
 */
#include "region/internal.h"

#include "ir/view.h"

#define MAX_MEMBERS 64

typedef struct Attention {
	Grouping *g;
	ValueId out;    /* the second product */
	ValueId scores; /* the first */
	uint32_t first, rows, second;
	uint32_t loops[MAX_MEMBERS]; /* evaluated at loads */
	size_t nloops;
} Attention;

static const Region *region_at(const Attention *a, uint32_t group)
{
	return &a->g->groups.p[group].r;
}

static bool is_member(const Attention *a, uint32_t group)
{
	bool found =
		group == a->first || group == a->rows || group == a->second;
	for (size_t i = 0; i < a->nloops; i++)
		found |= group == a->loops[i];
	return found;
}

/* The product whose tile the rows read in place. */
static bool find_scores(Attention *a)
{
	Grouping *g = a->g;
	const Region *rows = region_at(a, a->rows);
	for (size_t i = 0; i < rows->values.n; i++) {
		const Value *v = program_value(g->p, rows->values.p[i]);
		for (uint32_t k = 0; k < v->nargs; k++) {
			uint32_t h = operand_group(g, v, k);
			if (h == NO_REGION ||
			    region_at(a, h)->kind != REGION_CONTRACT)
				continue;
			const Region *c = region_at(a, h);
			const Value *m = program_value(g->p, c->anchor);
			int axis[TN_MAX_RANK];
			if (region_form(g->p, rows, m, axis) != FORM_FULL)
				continue;
			a->first = h;
			a->scores = c->anchor;
			return true;
		}
	}
	return false;
}

static bool is_accumulator(const Value *m)
{
	return dtype_is_float(m->dtype) &&
	       (m->acc == DT_F32 || m->acc == DT_F64);
}

/* Folds that a running value a row can hold. */
static Cond folds(const Attention *a)
{
	const Grouping *g = a->g;
	const Region *rows = region_at(a, a->rows);
	for (size_t i = 0; i < rows->values.n; i++) {
		const Value *v = program_value(g->p, rows->values.p[i]);
		if (op_info[v->op].cls == OPC_SCAN || v->op == OP_ARGMAX ||
		    v->op == OP_ARGMIN)
			return COND_SEQUENTIAL;
		if (op_has(v->op, 'T'))
			return COND_RUNTIME_INDEX;
	}
	return COND_NONE;
}

/* Whether v has all axes of the rows: an L x S matrix. */
static bool is_matrix(const Attention *a, ValueId v)
{
	const Value *x = program_value(a->g->p, v);
	int axis[TN_MAX_RANK];
	return op_info[x->op].cls != OPC_REDUCE &&
	       region_form(a->g->p, region_at(a, a->rows), x, axis) ==
		       FORM_FULL;
}

/*
 * Nobody outside sees a matrix of the group; inside it is read in place by
 * the rows, and by the second product as its left operand only.
 */
static Cond matrices_hidden(const Attention *a, uint32_t group)
{
	Grouping *g = a->g;
	const Region *from = region_at(a, group);
	for (size_t i = 0; i < from->values.n; i++) {
		ValueId v = from->values.p[i];
		if (g->part[v] == PART_PROLOGUE || !is_matrix(a, v))
			continue;
		if (g->is_result[v])
			return COND_MATRIX_SEEN;
		for (uint32_t k = g->first[v]; k < g->first[v + 1]; k++) {
			ValueId reader = g->reader[k];
			const Value *x = program_value(g->p, reader);
			uint32_t h = g->of[reader];
			if (g->base[reader] != reader)
				return COND_MATRIX_SEEN;
			if (reader == a->out && g->base[x->args[1]] != v)
				continue;
			if (h != a->first && h != a->rows)
				return COND_MATRIX_SEEN;
		}
	}
	return COND_NONE;
}

/* What the rows and the epilogue read of members is read in place. */
static bool in_place(const Attention *a, uint32_t group)
{
	Grouping *g = a->g;
	const Value *o = program_value(g->p, a->out);
	Region tile = *region_at(a, a->rows);
	const Region *r = region_at(a, group);
	if (group == a->second)
		for (int d = 0; d < o->rank; d++)
			tile.space[d] = o->shape[d];
	for (size_t i = 0; i < r->values.n; i++) {
		ValueId id = r->values.p[i];
		const Value *v = program_value(g->p, id);
		if (g->part[id] == PART_PROLOGUE)
			continue;
		for (uint32_t k = 0; k < v->nargs; k++) {
			ValueId x = v->args[k];
			uint32_t h = operand_group(g, v, k);
			if (id == a->scores || id == a->out ||
			    (h != a->first && h != a->rows && h != a->second))
				continue;
			if (!region_aligned(g->p, &tile, x, g->base[x],
					    g->map[x]))
				return false;
		}
	}
	return true;
}

/* Whether a loop can be evaluated wherever the members read it. */
static bool is_load_program(const Attention *a, uint32_t group)
{
	Grouping *g = a->g;
	const Region *r = region_at(a, group);
	if (r->kind != REGION_LOOP || g->groups.p[group].closed)
		return false;
	for (size_t i = 0; i < r->values.n; i++) {
		ValueId v = r->values.p[i];
		const Value *x = program_value(g->p, v);
		if (op_info[x->op].cls != OPC_ELEM || op_has(x->op, 'T') ||
		    g->is_result[v] || g->apart[v])
			return false;
		for (uint32_t k = g->first[v]; k < g->first[v + 1]; k++) {
			ValueId reader = g->reader[k];
			if (g->base[reader] != reader)
				return false;
			if (g->of[reader] != group &&
			    !is_member(a, g->of[reader]))
				return false;
		}
	}
	return !group_depends(g, group, a->first) &&
	       !group_depends(g, group, a->rows) &&
	       !group_depends(g, group, a->second);
}

/* Adds loops that the group's values read, and what those read in turn. */
static void take_loops(Attention *a, uint32_t group)
{
	Grouping *g = a->g;
	for (size_t i = 0; i < region_at(a, group)->values.n; i++) {
		ValueId id = region_at(a, group)->values.p[i];
		const Value *v = program_value(g->p, id);
		for (uint32_t k = 0; k < v->nargs; k++) {
			uint32_t h = operand_group(g, v, k);
			if (h == NO_REGION || is_member(a, h) ||
			    a->nloops == MAX_MEMBERS || !is_load_program(a, h))
				continue;
			a->loops[a->nloops++] = h;
		}
	}
}

/* Whether a group that is not a member needs one and is needed by one. */
static bool closes_cycle(const Attention *a)
{
	Grouping *g = a->g;
	uint32_t members[MAX_MEMBERS + 3] = {a->first, a->rows, a->second};
	size_t n = 3;
	for (size_t i = 0; i < a->nloops; i++)
		members[n++] = a->loops[i];
	for (size_t i = 0; i < n; i++) {
		const Region *r = region_at(a, members[i]);
		for (size_t j = 0; j < r->values.n; j++) {
			const Value *v = program_value(g->p, r->values.p[j]);
			for (uint32_t k = 0; k < v->nargs; k++) {
				uint32_t h = operand_group(g, v, k);
				if (h == NO_REGION || is_member(a, h))
					continue;
				for (size_t m = 0; m < n; m++)
					if (group_depends(g, h, members[m]))
						return true;
			}
		}
	}
	return false;
}

/* A pin keeps a value of these groups from one of its readers here. */
static bool pinned(const Attention *a)
{
	const Grouping *g = a->g;
	const uint32_t groups[] = {a->first, a->rows};
	for (size_t i = 0; i < ARRAY_LEN(groups); i++) {
		const Region *r = region_at(a, groups[i]);
		for (size_t j = 0; j < r->values.n; j++)
			if (g->apart[r->values.p[j]])
				return true;
	}
	return false;
}

/* What GPUs sum by: tiles of mma.sync, whose sums stay in registers. */
#define MOST_COLUMNS 128

/* Whether n is known and makes whole tiles of one block of threads. */
static bool is_tile(const Grouping *g, Ex n)
{
	int64_t c;
	return ex_is_const(&g->p->ex, n, &c) && c > 0 && c <= MOST_COLUMNS &&
	       c % (2 * MMA_COLUMNS) == 0;
}

/* On a GPU both products are a matrix unit's, with operands of one dtype. */
static Cond unit_joins(const Attention *a)
{
	const Grouping *g = a->g;
	const Value *s = program_value(g->p, a->scores);
	const Value *o = program_value(g->p, a->out);
	DType d = program_value(g->p, s->args[0])->dtype;
	size_t u = 0;
	while (u < g->on.nunits && g->on.units[u] != UNIT_MMA)
		u++;
	if (u == g->on.nunits || o->acc != DT_F32 ||
	    !unit_takes(UNIT_MMA, d, o->acc, 0) ||
	    program_value(g->p, s->args[1])->dtype != d ||
	    program_value(g->p, o->args[0])->dtype != d ||
	    program_value(g->p, o->args[1])->dtype != d ||
	    ((s->relax | o->relax) & RELAX_REASSOCIATE))
		return COND_UNIT_ROWS;
	Ex head = program_value(g->p, s->args[0])->shape[s->rank - 1];
	return is_tile(g, head) && is_tile(g, o->shape[o->rank - 1])
		       ? COND_NONE
		       : COND_UNIT_ROWS;
}

/* A block of threads takes so many queries of one element of the batch, and
 * mma.sync so many rows at once. */
#define BLOCK_ROWS 64

/* Whether blocks of threads would be too few, as far as is known: parts that
 * spread the keys over them as well are faster then. */
static bool has_few_blocks(const Attention *a)
{
	const Grouping *g = a->g;
	const Value *o = program_value(g->p, a->out);
	int64_t blocks, n;
	if (!ex_is_const(&g->p->ex, o->shape[o->rank - 2], &n))
		return false;
	if (n < MMA_ROWS)
		return true;
	blocks = (n + BLOCK_ROWS - 1) / BLOCK_ROWS;
	for (int d = 0; d + 2 < o->rank; d++) {
		if (!ex_is_const(&g->p->ex, o->shape[d], &n))
			return false;
		blocks *= n;
	}
	return blocks < g->on.processors;
}

static Cond may_join(Attention *a)
{
	Grouping *g = a->g;
	Cond why;
	if (g->pin[PIN_ATTENTION] == PINNED_NO)
		return COND_NO_ATTENTION;
	if (pinned(a))
		return COND_PINNED;
	if (g->on.gpu && (why = unit_joins(a)) != COND_NONE)
		return why;
	if (g->on.gpu && g->pin[PIN_ATTENTION] != PINNED_YES &&
	    has_few_blocks(a))
		return COND_FEW_BLOCKS;
	if (!is_accumulator(program_value(g->p, a->scores)) ||
	    program_value(g->p, a->scores)->acc !=
		    program_value(g->p, a->out)->acc)
		return COND_ACCUMULATOR;
	if (!is_matrix(a, g->base[program_value(g->p, a->out)->args[0]]))
		return COND_OTHER_ROWS;
	why = folds(a);
	if (why == COND_NONE)
		why = matrices_hidden(a, a->first);
	if (why == COND_NONE)
		why = matrices_hidden(a, a->rows);
	if (why != COND_NONE)
		return why;
	if (!in_place(a, a->first) || !in_place(a, a->rows) ||
	    !in_place(a, a->second))
		return COND_OTHER_ROWS;
	take_loops(a, a->first);
	take_loops(a, a->rows);
	take_loops(a, a->second);
	for (size_t i = 0; i < a->nloops; i++)
		take_loops(a, a->loops[i]);
	return closes_cycle(a) ? COND_CYCLE : COND_NONE;
}

static void move(Attention *a, uint32_t from, Part epilogue)
{
	Grouping *g = a->g;
	Region *r = &g->groups.p[from].r;
	for (size_t i = 0; i < r->values.n; i++) {
		ValueId v = r->values.p[i];
		Part part = g->part[v];
		if (part != PART_PROLOGUE && part != PART_ANCHOR)
			part = epilogue;
		group_join(g, a->second, v, part);
	}
	r->values.n = 0;
	g->groups.p[from].dead = true;
}

static void join(Attention *a)
{
	Region *to = &a->g->groups.p[a->second].r;
	const Region *rows = region_at(a, a->rows);
	to->kind = REGION_ATTENTION;
	to->rank = rows->rank;
	for (int d = 0; d < rows->rank; d++)
		to->space[d] = rows->space[d];
	to->reduced = rows->reduced;
	move(a, a->first, PART_BODY);
	move(a, a->rows, PART_BODY);
	for (size_t i = 0; i < a->nloops; i++)
		move(a, a->loops[i], PART_PROLOGUE);
}

/* The reason is stored with the pair that would have been joined. */
static void refuse(Attention *a, Cond why)
{
	Grouping *g = a->g;
	ValueId weights = g->base[program_value(g->p, a->out)->args[0]];
	for (size_t i = 0; i < g->pairs.n; i++)
		if (g->pairs.p[i].producer == weights &&
		    g->pairs.p[i].consumer == a->out)
			g->pairs.p[i].apart = why;
}

void attention_join(Grouping *g)
{
	for (uint32_t i = 0; i < g->groups.n; i++) {
		const Region *r = &g->groups.p[i].r;
		if (g->groups.p[i].dead || r->kind != REGION_CONTRACT)
			continue;
		Attention a = {.g = g, .out = r->anchor, .second = i};
		const Value *o = program_value(g->p, a.out);
		ValueId left = o->args[0];
		a.rows = operand_group(g, o, 0);
		if (a.rows == NO_REGION || a.rows == i ||
		    region_at(&a, a.rows)->kind != REGION_ROWREDUCE ||
		    region_at(&a, a.rows)->reduced !=
			    (uint32_t)1 << (o->rank - 1) ||
		    !view_is_identity(g->p, left, g->base[left],
				      g->map[left]) ||
		    !find_scores(&a))
			continue;
		Cond why = may_join(&a);
		if (why == COND_NONE)
			join(&a);
		else
			refuse(&a, why);
	}
}
