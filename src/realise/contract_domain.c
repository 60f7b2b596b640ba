/*
 * contract_domain: what a search considers beside the rule's choice.
 *
 * Tiles that fill the registers, of more vectors and of fewer rows than the
 * rule's; half and double of its blocks; every form that reads an operand the
 * way its memory runs; every unit that multiplies the dtypes. What is the same
 * kernel for a product of known extents is there once, as far as parameters
 * can say by themselves. A product of one task has few blocks to choose from.
 */
#include "realise/contract.h"

/* Candidates of a region, at most about this many: what is least likely to
 * matter goes first. */
#define MOST_CANDIDATES 2000
/* Vectors across a tile of a row or two: more than fill the registers of a
 * higher one. */
#define LOW_ROWS 2
/* Columns up to which lanes may lie along the rows. */
#define NARROW_COLUMNS 64

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t ceil_div(int64_t a, int64_t b)
{
	return (a + b - 1) / b;
}

static void add(Domain *d, int64_t value)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->values[i] == value)
			return;
	if (d->n < MAX_DOMAIN)
		d->values[d->n++] = value;
}

/* What the domain is chosen by. */
typedef struct Space {
	const Target *t;
	int64_t rule[P_COUNT];
	int64_t m, n, k;  /* of a tile's axes, turned or not; -1: not known */
	int64_t lanes;    /* of a vector of accumulators */
	bool one;         /* one task's work */
	bool small_known; /* the result stays in L2 for certain */
	bool large_known; /* and for certain not */
} Space;

/* Rows of a tile as even as can be. */
static int64_t even(int64_t m, int64_t mr)
{
	return m > 0 ? ceil_div(m, ceil_div(m, mr)) : mr;
}

static void tiles(const Space *s, Domain *by)
{
	int64_t registers = s->t->vector_registers;
	int64_t across = s->n > 0 ? ceil_div(s->n, s->lanes) : registers;
	bool low = s->m > 0 && s->m <= LOW_ROWS;
	int64_t most = low ? registers / 2 - 1 : registers / 8;

	for (int64_t v = 1; v <= least(most, across); v += low ? v : 1) {
		int64_t mr = (registers - 1) / v - 1;
		if (v == 1 && across > 1 && s->m != 1)
			continue; /* loads as much as it multiplies */
		add(&by[P_NR], v * s->lanes);
		add(&by[P_MR], even(s->m, s->m > 0 ? least(mr, s->m) : mr));
	}
}

/* A value, its half and its double, in steps, up to a known extent. */
static void around(Domain *d, int64_t value, int64_t step, int64_t extent)
{
	int64_t half = value / 2 / step * step, twice = 2 * value;

	if (half >= step && (extent < 0 || half < extent))
		add(d, half);
	if (extent < 0 || value < extent)
		add(d, extent < 0
			       ? twice
			       : least(twice, ceil_div(extent, step) * step));
}

static void blocks(const Space *s, Domain *by)
{
	const int64_t *rule = s->rule;
	int64_t down = s->m < 0 ? -1 : ceil_div(s->m, rule[P_MR]);
	int64_t across = s->n < 0 ? -1 : ceil_div(s->n, rule[P_NR]);
	int64_t step = rule[P_UNIT] == UNIT_FMA ? rule[P_LANES] : UNIT_BYTES;

	around(&by[P_KC], rule[P_KC], step, s->k);
	around(&by[P_MB], rule[P_MB], 1, down);
	around(&by[P_NB], rule[P_NB], 1, across);
}

/* Forms in which an operand's memory is read as it runs. */
static void forms(const Regions *r, uint32_t region, const Space *s, Domain *by)
{
	const Value *v = contract_product(r, region);
	int turned = (int)s->rule[P_TURNED];
	Operand a = contract_look(r, region, v->args[turned], turned);
	Operand b = contract_look(r, region, v->args[!turned], turned);

	for (int64_t i = PACK_NONE; i <= PACK_PHASE; i++)
		if (i != PACK_NONE || (s->m > 0 && a.memory && a.along))
			add(&by[P_A], i);
	for (int64_t i = PACK_NONE; i <= PACK_FED; i++)
		if ((i != PACK_NONE && i != PACK_FED) || (b.memory && b.along))
			add(&by[P_B], i);
}

static void ahead(const Regions *r, uint32_t region, const Space *s, Domain *by)
{
	const Value *v = contract_product(r, region);
	int64_t bytes = dtype_info[v->acc].bytes, n = bytes;

	for (int d = 0; d < v->rank && n >= 0; d++) {
		int64_t extent = contract_known(r, v->shape[d]);
		n = extent < 0 ? -1 : n * extent;
	}
	bool large = n >= s->t->cache[1] / 2;
	if (n < 0 || large)
		add(&by[P_AHEAD], AHEAD_NEVER);
	if (n < 0 || (!large && !s->one))
		add(&by[P_AHEAD], AHEAD_ALWAYS);
}

static void units(const Regions *r, uint32_t region, const Space *s, Domain *by)
{
	ScratchArena scratch;

	scratch_begin(&scratch);
	add(&by[P_UNIT], UNIT_FMA);
	for (size_t i = 0; i < s->t->nunits; i++)
		if (!contract_dot_refuses(&scratch.arena, r, region, s->t,
					  s->t->units[i]))
			add(&by[P_UNIT], s->t->units[i]);
	scratch_end(&scratch);
}

/* Tiles that registers hold, of the values there are. */
static double pairs(const Space *s, const Domain *by)
{
	double n = 0;

	for (size_t i = 0; i < by[P_MR].n; i++)
		for (size_t j = 0; j < by[P_NR].n; j++) {
			int64_t v = by[P_NR].values[j] / s->lanes;
			n += (by[P_MR].values[i] + 1) * v <
			     s->t->vector_registers;
		}
	return n < 1 ? 1 : n;
}

/* Leaves the rule's value and others away, until there are few enough. */
static void trim(const Space *s, Domain *by)
{
	static const int order[] = {P_AHEAD, P_NB, P_MB, P_KC};

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		double all = pairs(s, by);
		for (int p = 0; p < P_COUNT; p++)
			if (p != P_MR && p != P_NR && by[p].n)
				all *= (double)by[p].n;
		Domain *d = &by[order[i]];
		if (all > MOST_CANDIDATES && d->n > 1)
			d->n = order[i] == P_AHEAD ? 1 : 2;
	}
}

void contract_domain(const Regions *r, uint32_t region, const Target *t,
		     Domain by[MAX_PARAMS])
{
	Candidate c = realise_contract.rule(r, region, t);
	Space s = {.t = t};
	const Value *v = contract_product(r, region);
	const Value *a = program_value(r->program, v->args[0]);

	for (int i = 0; i < P_COUNT; i++) {
		s.rule[i] = c.params[i].value;
		add(&by[i], s.rule[i]);
	}
	bool turned = s.rule[P_TURNED];
	s.m = contract_known(r, v->shape[v->rank - 2 + turned]);
	s.n = contract_known(r, v->shape[v->rank - 1 - turned]);
	s.k = contract_known(r, a->shape[a->rank - 1]);
	s.lanes = s.rule[P_LANES];
	s.one = s.m >= 0 && s.n >= 0 && s.k >= 0 &&
		(double)s.m * (double)s.n * (double)s.k < TASK_MACS;
	tiles(&s, by);
	blocks(&s, by);
	forms(r, region, &s, by);
	units(r, region, &s, by);
	ahead(r, region, &s, by);
	if (s.n > 0 && s.n <= NARROW_COLUMNS)
		add(&by[P_TURNED], !turned);
	trim(&s, by);
}
