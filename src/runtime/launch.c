/*
 * launch: runs a plan's kernels in order on the pool.
 *
 * Tasks are claimed from one counter, so the bits of a result never depend
 * on which worker computed what. Each worker has a status of its own, and
 * the fault reported is the one of the first value in the program and its
 * lowest index: workers claim tasks in order and the lowest faulting task is
 * always claimed, so that the report too is the same for every worker count
 * wherever index follows task order.
 */
#include "runtime/runtime.h"

#define LINE 128 /* two cache lines: processors fetch them in pairs */

typedef struct Job {
	TnKernel *fn;
	TnArgs args;
	int workers;
	char *status; /* a TnStatus every LINE bytes */
} Job;

static size_t round_up(size_t n)
{
	return (n + LINE - 1) / LINE * LINE;
}

static TnStatus *job_status(const Job *j, int worker)
{
	return (TnStatus *)(void *)(j->status + (size_t)worker * LINE);
}

static void job_work(void *arg, int worker)
{
	const Job *j = arg;
	j->fn(&j->args, worker, j->workers, job_status(j, worker));
}

/* Grows the block kept between calls; no contents survive. */
static bool scratch_reserve(LaunchScratch *s, size_t size)
{
	if (size <= s->size)
		return true;
	launch_release(s);
	s->p = big_alloc(size);
	if (!s->p)
		return false;
	s->size = size;
	return true;
}

/* The worst case over launches: statuses, then each worker's scratch. */
static bool scratch_need(const Launch *launches, size_t n, int workers,
			 size_t *need)
{
	size_t most = 0;
	for (size_t i = 0; i < n; i++) {
		if (launches[i].scratch > most)
			most = launches[i].scratch;
	}
	if (most > PTRDIFF_MAX - LINE)
		return false;
	return !__builtin_mul_overflow(round_up(most) + LINE, (size_t)workers,
				       need);
}

static bool status_before(const TnStatus *a, const TnStatus *b)
{
	if (a->value != b->value)
		return a->value < b->value;
	return a->index < b->index;
}

static bool job_faulted(const Job *j, TnStatus *first)
{
	for (int w = 0; w < j->workers; w++) {
		const TnStatus *s = job_status(j, w);
		if (s->code != TN_FAULT_NONE &&
		    (first->code == TN_FAULT_NONE || status_before(s, first)))
			*first = *s;
	}
	return first->code != TN_FAULT_NONE;
}

bool launch_run(const Launch *launches, size_t n, void *const *buffers,
		const int64_t *dims, int workers, LaunchScratch *scratch,
		TnStatus *status)
{
	_Alignas(LINE) int64_t next[LINE / sizeof(int64_t)];
	size_t need;
	*status = (TnStatus){0};
	if (workers < 1)
		workers = 1;
	if (!scratch_need(launches, n, workers, &need) ||
	    !scratch_reserve(scratch, need)) {
		status->code = -1;
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		const Launch *l = &launches[i];
		if (l->tasks <= 0)
			continue;
		Job j = {.fn = l->fn, .workers = workers};
		if (l->tasks < workers)
			j.workers = (int)l->tasks;
		next[0] = 0;
		j.status = scratch->p;
		j.args = (TnArgs){
			.buffers = buffers,
			.dims = dims,
			.scratch = scratch->p + (size_t)workers * LINE,
			.scratch_stride = (int64_t)round_up(l->scratch),
			.next = next};
		for (int w = 0; w < j.workers; w++)
			*job_status(&j, w) = (TnStatus){0};
		pool_run(j.workers, job_work, &j);
		if (job_faulted(&j, status))
			return false;
	}
	return true;
}

void launch_release(LaunchScratch *scratch)
{
	if (scratch->p)
		big_free(scratch->p, scratch->size);
	*scratch = (LaunchScratch){0};
}
