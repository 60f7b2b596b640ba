/*
 * launch: runs a plan's kernels in order on the pool.
 *
 * What does not change from run to run (memory, workers, arguments) is
 * settled by launch_prepare, so that a run is a loop over calls. A launch
 * of one worker is a plain call; others go to the pool.
 *
 * Tasks are claimed (abi.h), so the bits of a result never depend on which
 * worker computed what. Each worker has a status of its own, and the fault
 * reported is the one of the first value in the program and its lowest index:
 * every task is run, so that the report too is the same for every worker
 * count. Statuses are clear between runs; only a fault makes them otherwise.
 */
#include "runtime/runtime.h"

#define LINE 128 /* two cache lines: processors fetch them in pairs */

static size_t round_up(size_t n)
{
	return (n + LINE - 1) / LINE * LINE;
}

/* The block: task counters, a status a worker, scratch a worker. */
static int64_t *set_next(const LaunchSet *s)
{
	return (int64_t *)(void *)s->block;
}

static size_t next_size(const LaunchSet *s)
{
	return round_up((size_t)s->workers * sizeof(int64_t));
}

static TnStatus *set_status(const LaunchSet *s, int worker)
{
	return (TnStatus *)(void *)(s->block + next_size(s) +
				    (size_t)worker * LINE);
}

static void block_free(LaunchSet *s)
{
	if (s->block)
		big_free(s->block, s->size);
	s->block = NULL;
	s->size = 0;
}

static bool block_reserve(LaunchSet *s, const Launch *launches, size_t n)
{
	size_t most = 0, need;

	for (size_t i = 0; i < n; i++)
		if (launches[i].scratch > most)
			most = launches[i].scratch;
	if (most > PTRDIFF_MAX - 2 * LINE ||
	    __builtin_mul_overflow(round_up(most) + LINE, (size_t)s->workers,
				   &need))
		return false;
	need += next_size(s);
	if (need <= s->size)
		return true;
	block_free(s);
	s->block = big_alloc(need);
	s->size = s->block ? need : 0;
	return s->block;
}

bool launch_prepare(LaunchSet *s, Arena *a, const Launch *launches, size_t n,
		    const int64_t *dims, int workers)
{
	s->steps = arena_array(a, LaunchStep, n + 1);
	s->n = 0;
	s->workers = 1;
	for (size_t i = 0; i < n; i++) {
		const Launch *l = &launches[i];
		LaunchStep step = {
			.fn = l->fn, .workers = workers, .product = l->product};
		if (l->tasks <= 0)
			continue;
		if (l->tasks < step.workers)
			step.workers = (int)l->tasks;
		if (l->most > 0 && l->most < step.workers)
			step.workers = l->most;
		if (step.workers < 1)
			step.workers = 1;
		if (step.workers > s->workers)
			s->workers = step.workers;
		step.args.buffers = l->buffers;
		step.args.dims = dims;
		step.args.scratch_stride = (int64_t)round_up(l->scratch);
		s->steps[s->n++] = step;
	}
	if (!block_reserve(s, launches, n)) {
		s->n = 0;
		return false;
	}
	for (size_t i = 0; i < s->n; i++) {
		TnArgs *args = &s->steps[i].args;
		args->next = set_next(s);
		args->scratch = (char *)set_status(s, s->workers);
	}
	for (int w = 0; w < s->workers; w++)
		*set_status(s, w) = (TnStatus){0};
	s->first = set_status(s, 0);
	return true;
}

typedef struct Job {
	const LaunchSet *set;
	const LaunchStep *step;
} Job;

static void job_work(void *arg, int worker)
{
	const Job *j = arg;

	j->step->fn(&j->step->args, worker, j->step->workers,
		    set_status(j->set, worker));
}

static bool status_before(const TnStatus *a, const TnStatus *b)
{
	if (a->value != b->value)
		return a->value < b->value;
	return a->index < b->index;
}

/* Takes the first fault of the step's workers, and clears them. */
static bool step_faulted(const LaunchSet *set, const LaunchStep *step,
			 TnStatus *first)
{
	for (int w = 0; w < step->workers; w++) {
		TnStatus *s = set_status(set, w);
		if (s->code == TN_FAULT_NONE)
			continue;
		if (first->code == TN_FAULT_NONE || status_before(s, first))
			*first = *s;
		*s = (TnStatus){0};
	}
	return first->code != TN_FAULT_NONE;
}

static TN_NOINLINE bool run_steps(const LaunchSet *set, TnStatus *status)
{
	TnStatus *alone = set_status(set, 0);

	*status = (TnStatus){0};
	for (size_t i = 0; i < set->n; i++) {
		const LaunchStep *step = &set->steps[i];
		if (step->workers == 1) {
			step->fn(&step->args, 0, 1, alone);
			if (alone->code == TN_FAULT_NONE)
				continue;
		} else {
			Job j = {set, step};
			for (int w = 0; w < step->workers; w++)
				set_next(set)[w] = 0;
			pool_run(step->workers, job_work, &j);
		}
		if (step_faulted(set, step, status))
			return false;
	}
	return true;
}

/*
 * The commonest set is one launch of one worker. A small kernel takes no
 * longer than the calls around it, so that it has a way of its own, without
 * a loop and with nothing saved but what the kernel's call needs.
 */
bool launch_run(const LaunchSet *set, TnStatus *status)
{
	const LaunchStep *step = set->steps;

	if (set->n != 1 || step->workers != 1)
		return run_steps(set, status);
	step->fn(&step->args, 0, 1, set->first);
	*status = (TnStatus){0};
	if (set->first->code == TN_FAULT_NONE)
		return true;
	return !step_faulted(set, set->steps, status);
}

void launch_release(LaunchSet *s)
{
	block_free(s);
	s->n = 0;
}
