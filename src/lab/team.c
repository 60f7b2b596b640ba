/*
 * team: the threads of the compiled loops, so that what a peer does not do
 * is done with as many threads as its products have.
 *
 * Workers spin for a short while after a run and sleep then; the caller is
 * worker 0 and spins until all are done.
 */
#include "lab.h"

#include <pthread.h>
#include <stdatomic.h>

#define SPIN_SECONDS 200e-6 /* longer than the gap between two steps */

struct LabTeam {
	int workers; /* with the caller */
	pthread_t *threads;
	int started;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	LabTeamFn *fn;
	void *arg;
	_Atomic unsigned turn; /* number of the run at hand */
	_Atomic int busy;      /* workers that have not ended it */
	_Atomic bool quit;
	_Atomic int next_index;
};

static void relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#endif
}

/* Waits for a turn after `seen`: spinning first, then asleep. */
static unsigned next_turn(LabTeam *t, unsigned seen)
{
	double end = lab_seconds() + SPIN_SECONDS;
	unsigned turn;

	while ((turn = atomic_load(&t->turn)) == seen && lab_seconds() < end)
		for (int i = 0; i < 16; i++)
			relax();
	if (turn != seen)
		return turn;
	pthread_mutex_lock(&t->lock);
	while ((turn = atomic_load(&t->turn)) == seen)
		pthread_cond_wait(&t->wake, &t->lock);
	pthread_mutex_unlock(&t->lock);
	return turn;
}

static void *worker(void *arg)
{
	LabTeam *t = arg;
	int index = atomic_fetch_add(&t->next_index, 1);
	unsigned seen = 0;

	for (;;) {
		seen = next_turn(t, seen);
		if (atomic_load(&t->quit))
			return NULL;
		t->fn(t->arg, index, t->workers);
		atomic_fetch_sub(&t->busy, 1);
	}
}

static void begin(LabTeam *t)
{
	pthread_mutex_lock(&t->lock);
	atomic_fetch_add(&t->turn, 1);
	pthread_cond_broadcast(&t->wake);
	pthread_mutex_unlock(&t->lock);
}

LabTeam *lab_team_new(LabMem *m, int workers)
{
	LabTeam *t = LAB_NEW(m, LabTeam, 1);

	t->workers = workers;
	t->threads = LAB_NEW(m, pthread_t, workers);
	atomic_store(&t->next_index, 1);
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->wake, NULL);
	while (t->started < workers - 1) {
		if (pthread_create(&t->threads[t->started], NULL, worker, t)) {
			lab_team_free(t);
			lab_fail(m, "cannot make %d threads", workers - 1);
			return NULL;
		}
		t->started++;
	}
	return t;
}

void lab_team_run(LabTeam *t, LabTeamFn *fn, void *arg)
{
	if (t->workers > 1) {
		t->fn = fn;
		t->arg = arg;
		atomic_store(&t->busy, t->workers - 1);
		begin(t);
	}
	fn(arg, 0, t->workers);
	while (atomic_load(&t->busy) > 0)
		relax();
}

void lab_team_free(LabTeam *t)
{
	if (!t)
		return;
	atomic_store(&t->quit, true);
	begin(t);
	for (int i = 0; i < t->started; i++)
		pthread_join(t->threads[i], NULL);
	pthread_mutex_destroy(&t->lock);
	pthread_cond_destroy(&t->wake);
}
