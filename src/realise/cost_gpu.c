/*
 * cost_gpu: the time of a lowered kernel on a GPU.
 *
 * A multiprocessor has as many blocks of threads side by side as their threads,
 * registers and memory allow. What bounds the time is the longest of: all bytes
 * at the bandwidth of where they lie, all operations at the rate of all
 * multiprocessors, and the rounds of blocks, of which each waits for what it
 * asks for and for its threads' folds. A block that reads again what it had
 * read finds it in the cache that all share if the blocks under way fit there.
 *
 * The figures are those of an H200, by which they were fitted
 * (bench/results/2026-11-30-h200-rows-inductor.txt).
 */
#include "realise/cost.h"

/* Of a multiprocessor: CUDA C++ Programming Guide, technical specifications. */
#define MAX_THREADS   2048
#define MAX_BLOCKS    32
#define REGISTERS     65536
#define OWN_REGISTERS 18  /* of a thread, beside those that hold operands */
#define HELD_SHARE    0.5 /* of these are alive together */
#define WARP          32
#define SECTOR        32.0 /* bytes that memory gives at a time */

/* us: an answer of memory, of the shared cache, of a block's own; a fold of a
 * warp, of any block, and more for each of its threads; a block's begin and
 * end.
 */
#define FAR_ANSWER  0.75
#define NEAR_ANSWER 0.45
#define OWN_ANSWER  0.2
#define WARP_FOLD   0.03
#define BLOCK_FOLD  0.2
#define THREAD_FOLD 0.7e-3
#define BLOCK_TIME  0.6
/* Iterations of a loop that are asked for together. */
#define PIPELINED 4
/* The share of the next longest that is not hidden by the longest. */
#define SEEN 0.15
/* What is read again by every block comes from its own cache mostly. */
#define SHARED_READ 0.3

/* Cycles of a thread's operation where all units do the same: an f32 addition
 * is one. */
static const double cycles[WORK_COUNT] = {
	[WORK_SIMPLE] = 1, [WORK_CAST] = 2, [WORK_DIVISION] = 12,
	[WORK_BY_ROW] = 5, [WORK_EXP] = 12, [WORK_OTHER] = 40,
	[WORK_FOLD] = 1.5, [WORK_MOVE] = 1, [WORK_GATHER] = 4,
};

typedef struct Blocks {
	double threads;
	double beside;  /* on a multiprocessor */
	double rounds;  /* of all blocks */
	double at_once; /* blocks at work */
} Blocks;

static double register_bytes(const CostWalk *w)
{
	double sum = 0;

	for (uint32_t i = 0; i < w->k->buffers.n; i++)
		if (w->k->buffers.p[i].scope == SCOPE_REG)
			sum += cost_bytes(w, i);
	return sum;
}

static double block_bytes(const CostWalk *w)
{
	double sum = 0;

	for (uint32_t i = 0; i < w->k->buffers.n; i++)
		if (w->k->buffers.p[i].scope == SCOPE_WORKER)
			sum += cost_bytes(w, i);
	return sum;
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

static Blocks blocks_of(const CostWalk *w, const CostPhase *ph)
{
	const Target *t = w->target;
	Blocks b = {.threads = ph->phase->threads};
	double held = HELD_SHARE * register_bytes(w) / 4,
	       memory = block_bytes(w);

	b.beside = least(MAX_THREADS / b.threads, MAX_BLOCKS);
	b.beside =
		least(b.beside, REGISTERS / (OWN_REGISTERS * b.threads + held));
	if (memory > 0)
		b.beside = least(b.beside, (double)t->block_memory / memory);
	b.beside = b.beside < 1 ? 1 : (double)(int64_t)b.beside;
	double room = b.beside * t->processors;
	b.rounds = (double)(int64_t)((ph->tasks + room - 1) / room);
	b.at_once = least(ph->tasks, room);
	return b;
}

/* Times that the access is made, in all, by its loops. */
static double moved(const CostPhase *ph, const CostAccess *a)
{
	double n = a->run * a->weight;

	for (int at = a->loop; at >= 0; at = ph->loops.p[at].parent)
		n *= ph->loops.p[at].extent;
	return n * (a->apart ? SECTOR : a->bytes);
}

/* Answers that a block waits for, one after another, in an access's loops;
 * those of a loop that is written out, or of threads, come at once. */
static double answers(const CostPhase *ph, const CostAccess *a)
{
	double n = 1;

	for (int at = a->loop; at >= 0; at = ph->loops.p[at].parent) {
		const CostLoop *l = &ph->loops.p[at];
		if (l->map == MAP_SERIAL && !l->task)
			n *= l->extent > PIPELINED ? l->extent / PIPELINED : 1;
		if (l->map == MAP_VECTOR && l->lanes)
			n *= (double)(int64_t)((l->extent + l->lanes - 1) /
					       l->lanes);
	}
	return n;
}

static bool is_global(const CostWalk *w, const CostAccess *a)
{
	return w->k->buffers.p[a->buffer].scope <= SCOPE_SHARED;
}

/* Whether an access before has read or written the buffer. */
static bool is_again(const CostPhase *ph, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (ph->accesses.p[j].buffer == ph->accesses.p[i].buffer)
			return true;
	return false;
}

typedef struct Traffic {
	double far, near; /* bytes */
	double wait;      /* us of a block */
} Traffic;

static Traffic traffic_of(const CostWalk *w, const CostPhase *ph,
			  const Blocks *b)
{
	double cache = (double)w->target->cache[2];
	bool far = cost_outer_bytes(w) > cache;
	double under_way = 0;
	Traffic t = {0};

	for (size_t i = 0; i < ph->accesses.n; i++)
		if (is_global(w, &ph->accesses.p[i]) && !is_again(ph, i))
			under_way += moved(ph, &ph->accesses.p[i]);
	under_way *= b->at_once / (ph->tasks < 1 ? 1 : ph->tasks);
	bool kept = under_way < cache / 2;
	int last = -2;
	double most = 0;
	for (size_t i = 0; i < ph->accesses.n; i++) {
		const CostAccess *a = &ph->accesses.p[i];
		if (!is_global(w, a))
			continue;
		double bytes = moved(ph, a), all = cost_bytes(w, a->buffer);
		double once = least(bytes, all);
		bool again = is_again(ph, i);
		t.near += bytes > 2 * all ? bytes * SHARED_READ : bytes;
		if (far && (!again || (!kept && bytes >= all)))
			t.far += once;
		if (a->store)
			continue;
		/* what loops of the same place ask for comes together */
		double n = answers(ph, a);
		n *= bytes > 2 * all ? OWN_ANSWER
		     : far           ? FAR_ANSWER
				     : NEAR_ANSWER;
		if (a->loop != last) {
			t.wait += most;
			most = 0;
		}
		most = n > most ? n : most;
		last = a->loop;
	}
	t.wait += most;
	return t;
}

/* What three that overlap take beyond the longer of the first two. */
static double unhidden(double a, double b, double c)
{
	double both = a > b ? a : b, other = least(a, b);
	double longest = both > c ? both : c;
	double second = both > c ? (other > c ? other : c) : both;

	return longest + SEEN * second - both;
}

static void phase_cost(const CostWalk *w, const CostPhase *ph, Cost *cost)
{
	const Target *t = w->target;
	const Rates *r = &t->rates;
	double work = 0, folds = 0;

	cost->start += r->launch;
	if (ph->tasks < 1)
		return;
	Blocks b = blocks_of(w, ph);
	Traffic x = traffic_of(w, ph, &b);
	for (size_t i = 0; i < ph->segments.n; i++) {
		const CostSegment *s = &ph->segments.p[i];
		for (int j = 0; j < WORK_COUNT; j++)
			work += s->work[j] * cycles[j];
		folds += s->folds;
	}
	/* cycles of a thread, of all its blocks */
	double busy = least(ph->tasks, t->processors);
	double each = b.threads / r->macs;
	each = each < 1 ? 1 : each;
	double compute = work * each / busy / (r->clock * 1e3);
	double alone = work / ph->tasks * each / (r->clock * 1e3);
	double memory = x.far / (r->memory * 1e3);
	double near = x.near / (r->cache[1] * r->clock * 1e3);
	double fold = b.threads > WARP ? BLOCK_FOLD + THREAD_FOLD * b.threads
				       : WARP_FOLD;
	double block = BLOCK_TIME + x.wait + folds / ph->tasks * fold + alone;
	/* few blocks have not all of the bandwidth */
	double share = busy * r->unit * 1e3;
	if ((x.far > 0 ? x.far : x.near) / share > memory)
		memory = (x.far > 0 ? x.far : x.near) / share;
	memory = near > memory ? near : memory;
	cost->compute += compute;
	cost->memory += memory;
	cost->move += unhidden(compute, memory, b.rounds * block);
}

Cost cost_gpu(CostWalk *w)
{
	Cost cost = {0};

	for (size_t i = 0; i < w->phases.n; i++)
		phase_cost(w, &w->phases.p[i], &cost);
	cost_total(&cost);
	return cost;
}
