/*
 * cost_cpu: the time of a lowered kernel on a CPU.
 *
 * Arithmetic. Each loop of lanes has the cycles of its operations, a table by
 * class below, its starts and the ends of its folds.
 *
 * Traffic. What an access brings into a cache is counted by the largest part of
 * the walk around it that leaves everything it touches in that cache: there
 * each line comes once, however often it is read, and what another access of
 * the same part has brought does not come again. Lines come from the level
 * that holds the kernel's operands between calls. A line that is written comes
 * first and goes later; a store past the caches only goes.
 *
 * Overlap. A core works on a loop while memory is asked for that loop's next
 * lines, and waits for the longer of both; the loops of a row follow one
 * another, unless one asks ahead for what the next row's first one reads: then
 * they share the time of all.
 */
#include "realise/cost.h"

#define LINE 64.0

/* Cycles of a vector, with its share of a loop's own instructions; of folds in
 * several chains. */
static const double cycles[WORK_COUNT] = {
	[WORK_SIMPLE] = 0.6, [WORK_CAST] = 2.5,  [WORK_DIVISION] = 10,
	[WORK_BY_ROW] = 4,   [WORK_EXP] = 14,    [WORK_OTHER] = 30,
	[WORK_FOLD] = 1.2,   [WORK_MOVE] = 0.75, [WORK_GATHER] = 1.5,
};
#define START_CYCLES 12.0 /* a loop's */
#define FOLD_CYCLES  20.0 /* an accumulator across its lanes */
/* Lines that do not lie behind each other no hardware asks for ahead. */
#define APART 4.0
/* The share of the shorter of two that overlap that is not hidden. */
#define SEEN       0.25
#define SEEN_AHEAD 0.1
/* What lines take more that are asked for ahead, of the time of lines. */
#define ASKED 0.15

/* ---- what an access brings ------------------------------------------- */

typedef struct Scope {
	int loop;  /* -1: all of the phase */
	bool once; /* one iteration of it, not all */
} Scope;

static bool is_under(const CostPhase *ph, int at, int loop)
{
	while (at >= 0 && at != loop)
		at = ph->loops.p[at].parent;
	return loop < 0 || at == loop;
}

/* What every scope asks of an access, once. */
static void measure(const CostWalk *w, const CostPhase *ph, CostAccess *a)
{
	double *steps = arena_array(w->arena, double, ph->loops.n + 1);

	for (int at = a->loop; at >= 0; at = ph->loops.p[at].parent) {
		const CostLoop *l = &ph->loops.p[at];
		bool uses = cost_uses(w, a, l);
		steps[at] = uses ? cost_step(w, a, l) * a->bytes : -1;
	}
	a->steps = steps;
	a->all = cost_bytes(w, a->buffer);
}

/* Bytes of lines that the access touches in the scope. */
static double touched(const CostPhase *ph, const CostAccess *a, Scope s)
{
	double elements = a->run, step = LINE;

	if (a->run > 1)
		step = a->run * a->bytes;
	for (int at = a->loop; at >= 0; at = ph->loops.p[at].parent) {
		const CostLoop *l = &ph->loops.p[at];
		bool one = at == s.loop && s.once;
		double n = a->steps[at];
		if (n >= 0) {
			/* its next iteration has the rest of a line */
			elements *= one ? 1 : l->extent;
			if (n > 0 && n < step)
				step = n;
		}
		if (at == s.loop)
			break;
	}
	elements *= a->weight;
	double bytes = elements * (step < a->bytes ? a->bytes : step);
	return bytes < a->all ? bytes : a->all;
}

/* Of all accesses in the scope, each buffer by the one that touches most. */
static double footprint(const CostPhase *ph, Scope s)
{
	double sum = 0;

	for (size_t i = 0; i < ph->accesses.n; i++) {
		const CostAccess *a = &ph->accesses.p[i];
		if (a->ahead || !is_under(ph, a->loop, s.loop))
			continue;
		double most = touched(ph, a, s);
		bool later = false;
		for (size_t j = 0; j < ph->accesses.n && !later; j++) {
			const CostAccess *b = &ph->accesses.p[j];
			if (b->buffer != a->buffer || b->ahead || j == i ||
			    !is_under(ph, b->loop, s.loop))
				continue;
			double other = touched(ph, b, s);
			later = other > most || (other == most && j < i);
		}
		sum += later ? 0 : most;
	}
	return sum;
}

/* Times that the scope brings the access's lines: where it is an iteration that
 * touches the same ones as the next, these are there already. */
static double executions(const CostPhase *ph, const CostAccess *a, Scope s)
{
	if (s.loop < 0)
		return 1;
	const CostLoop *l = &ph->loops.p[s.loop];
	double n = l->times * (s.once ? l->extent : 1);
	for (int at = s.loop; s.once && at >= 0; at = l->parent) {
		l = &ph->loops.p[at];
		if (a->steps[at] >= 0)
			break;
		n = l->times;
	}
	return n;
}

/* Whether an access before this one, in the scope, has touched as much. */
static bool is_brought(const CostPhase *ph, size_t i, Scope s)
{
	const CostAccess *a = &ph->accesses.p[i];
	double bytes = touched(ph, a, s);

	for (size_t j = 0; j < i; j++) {
		const CostAccess *b = &ph->accesses.p[j];
		if (b->buffer == a->buffer && !b->ahead && !b->stream &&
		    is_under(ph, b->loop, s.loop) && touched(ph, b, s) >= bytes)
			return true;
	}
	return false;
}

/* Bytes that the access brings, in all, into a cache of the size. */
static double brought(const CostPhase *ph, size_t i, double size)
{
	const CostAccess *a = &ph->accesses.p[i];
	int path[COST_MAX_LOOPS], n = 0;
	Scope s = {-1, false};

	for (int at = a->loop; at >= 0 && n < COST_MAX_LOOPS;
	     at = ph->loops.p[at].parent)
		path[n++] = at;
	while (footprint(ph, s) > size) {
		if (s.loop >= 0 && !s.once) {
			s.once = true;
			continue;
		}
		if (!n) /* not even one iteration */
			break;
		s = (Scope){path[--n], false};
	}
	return is_brought(ph, i, s) ? 0
				    : executions(ph, a, s) * touched(ph, a, s);
}

/* ---- the time -------------------------------------------------------- */

typedef struct Machine {
	double l1, l2;      /* bytes */
	bool in_l1, in_l2;  /* all operands stay there */
	bool far;           /* they lie in memory */
	double near, third; /* bytes a us from L2, L3, of one CPU */
	double memory;      /* of one CPU while all are at work */
	double workers;
} Machine;

static Machine machine_of(const CostWalk *w, const CostPhase *ph)
{
	const Target *t = w->target;
	const Rates *r = &t->rates;
	double bytes = cost_outer_bytes(w);
	double n = ph->tasks < t->cpus ? ph->tasks : t->cpus;
	Machine m = {.workers = n < 1 ? 1 : n};

	m.l1 = (double)t->cache[0];
	m.l2 = (double)t->cache[1];
	m.in_l1 = bytes <= m.l1 * m.workers;
	m.in_l2 = bytes <= m.l2 * m.workers;
	m.far = bytes > (double)target_cached(t);
	m.near = r->cache[1] * r->clock * 1e3;
	m.third = r->cache[2] * r->clock * 1e3;
	m.memory = r->memory / m.workers;
	m.memory = (m.memory < r->unit ? m.memory : r->unit) * 1e3;
	return m;
}

/* us of one CPU that has all of it, of arithmetic and what comes from L2; and
 * of what comes from behind that. */
typedef struct Time {
	double near, far;
} Time;

static void add_traffic(const CostWalk *w, const CostPhase *ph, size_t i,
			const Machine *m, Time *time)
{
	const CostAccess *a = &ph->accesses.p[i];
	BufScope scope = w->k->buffers.p[a->buffer].scope;
	double one = m->in_l1 ? 0 : brought(ph, i, m->l1);
	double two = m->in_l2 ? 0 : brought(ph, i, m->l2);
	double ways = (a->store ? 2 : 1) * (a->apart ? APART : 1);

	if (a->stream) {
		/* lines that a cache holds are sent away first */
		double us = brought(ph, i, m->l1) / m->memory;
		time->far += m->far ? us : 0;
		time->near += m->far ? 0 : us * (m->in_l2 ? 2 : 1);
		return;
	}
	if (scope == SCOPE_WORKER && w->target->cache[1] > 0 &&
	    cost_bytes(w, a->buffer) < m->l2)
		two = 0; /* scratch of a worker is there from task to task */
	time->near += ways * one / m->near;
	time->far += ways * two / (m->far ? m->memory : m->third);
}

static Time segment_time(const CostWalk *w, const CostPhase *ph,
			 const Machine *m, const CostSegment *s)
{
	Time time = {0};

	for (int i = 0; i < WORK_COUNT; i++)
		time.near += s->work[i] * cycles[i];
	time.near += s->starts * START_CYCLES + s->folds * FOLD_CYCLES;
	time.near /= w->target->rates.clock * 1e3;
	for (size_t i = 0; i < ph->accesses.n; i++) {
		const CostAccess *a = &ph->accesses.p[i];
		int first = ph->segments.p[0].loop == s->loop ? 0 : 1;
		int of = -1;
		for (int at = a->loop; at >= 0; at = ph->loops.p[at].parent)
			for (size_t j = 1; j < ph->segments.n; j++)
				if (ph->segments.p[j].loop == at)
					of = at;
		if (!a->ahead && (first ? of == s->loop : of < 0))
			add_traffic(w, ph, i, m, &time);
	}
	return time;
}

static double together(Time t, double seen)
{
	return t.near > t.far ? t.near + seen * t.far : t.far + seen * t.near;
}

/* us of what memory is asked for ahead. */
static double asked_time(const CostPhase *ph, const Machine *m)
{
	const Scope whole = {-1, false};
	double bytes = 0;

	for (size_t i = 0; i < ph->accesses.n; i++)
		if (ph->accesses.p[i].ahead)
			bytes += touched(ph, &ph->accesses.p[i], whole);
	return bytes / (m->far ? m->memory : m->third);
}

static void phase_cost(const CostWalk *w, CostPhase *ph, Cost *cost)
{
	const Rates *r = &w->target->rates;
	Machine m = machine_of(w, ph);
	double sum = 0, uneven = 1;
	Time all = {0};

	cost->start += r->launch;
	if (ph->tasks < 1)
		return;
	for (size_t i = 0; i < ph->accesses.n; i++)
		measure(w, ph, &ph->accesses.p[i]);
	for (size_t i = 0; i < ph->segments.n; i++) {
		Time t = segment_time(w, ph, &m, &ph->segments.p[i]);
		all.near += t.near;
		all.far += t.far;
		sum += together(t, SEEN);
	}
	double asked = asked_time(ph, &m);
	if (asked > 0)
		sum = together(all, SEEN_AHEAD) + ASKED * asked;
	double turns =
		(double)(int64_t)((ph->tasks + m.workers - 1) / m.workers);
	uneven = turns / ph->tasks; /* of all of it, the busiest has */
	cost->compute += all.near * uneven;
	cost->memory += all.far * uneven;
	double both = all.near > all.far ? all.near : all.far;
	cost->move += (sum - both) * uneven;
	cost->start += r->claim * turns;
}

Cost cost_cpu(CostWalk *w)
{
	Cost cost = {0};

	for (size_t i = 0; i < w->phases.n; i++)
		phase_cost(w, &w->phases.p[i], &cost);
	cost_total(&cost);
	return cost;
}
