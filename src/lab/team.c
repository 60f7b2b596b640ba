/*
 * team: the threads of the compiled loops, so that what a peer does not do
 * is done with as many threads as its products have.
 *
 * A peer whose threads are OpenMP's lends them, as its user would write
 * `#pragma omp parallel`. Otherwise the team has workers of its own, which
 * sleep between runs: spinning, they would hold a CPU that the library's
 * workers need for the next product. Chunks are claimed, by the caller too,
 * so that a worker that wakes late delays nobody.
 */
#include "lab.h"

#include <pthread.h>
#include <stdatomic.h>

struct LabTeam {
	int workers; /* with the caller */
	pthread_t *threads;
	int started;
	pthread_mutex_t lock;
	pthread_cond_t wake, left;
	unsigned turn; /* number of the run at hand; under lock */
	int joined;    /* workers in it */
	bool open, quit;
	LabTeamFn *fn;
	void *arg;
	int chunks;
	_Atomic int chunk, index; /* the next ones */
};

static void claim(LabTeam *t)
{
	int index = atomic_fetch_add(&t->index, 1), chunk;

	/* OpenMP may bring more threads than there is scratch for. */
	if (index >= t->workers)
		return;
	while ((chunk = atomic_fetch_add(&t->chunk, 1)) < t->chunks)
		t->fn(t->arg, index, chunk);
}

static void *worker(void *arg)
{
	LabTeam *t = arg;
	unsigned seen = 0;

	pthread_mutex_lock(&t->lock);
	while (!t->quit) {
		if (t->turn == seen || !t->open) {
			pthread_cond_wait(&t->wake, &t->lock);
			continue;
		}
		seen = t->turn;
		t->joined++;
		pthread_mutex_unlock(&t->lock);
		claim(t);
		pthread_mutex_lock(&t->lock);
		if (--t->joined == 0)
			pthread_cond_signal(&t->left);
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

LabTeam *lab_team_new(LabMem *m, int workers)
{
	LabTeam *t = LAB_NEW(m, LabTeam, 1);

	t->workers = workers;
	t->threads = LAB_NEW(m, pthread_t, workers);
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->wake, NULL);
	pthread_cond_init(&t->left, NULL);
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

static void claim_omp(void *arg)
{
	claim(arg);
}

static void prepare(LabTeam *t, LabTeamFn *fn, void *arg, int chunks)
{
	t->fn = fn;
	t->arg = arg;
	t->chunks = chunks;
	atomic_store(&t->chunk, 0);
	atomic_store(&t->index, 0);
}

void lab_team_run(LabTeam *t, LabOmpParallel *omp, LabTeamFn *fn, void *arg,
		  int chunks)
{
	if (omp) {
		prepare(t, fn, arg, chunks);
		omp(claim_omp, t, (unsigned)t->workers, 0);
		return;
	}
	pthread_mutex_lock(&t->lock);
	prepare(t, fn, arg, chunks);
	t->turn++;
	t->open = true;
	pthread_mutex_unlock(&t->lock);
	pthread_cond_broadcast(&t->wake);
	claim(t);
	pthread_mutex_lock(&t->lock);
	t->open = false;
	while (t->joined > 0)
		pthread_cond_wait(&t->left, &t->lock);
	pthread_mutex_unlock(&t->lock);
}

void lab_team_free(LabTeam *t)
{
	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	t->quit = true;
	pthread_mutex_unlock(&t->lock);
	pthread_cond_broadcast(&t->wake);
	for (int i = 0; i < t->started; i++)
		pthread_join(t->threads[i], NULL);
	pthread_mutex_destroy(&t->lock);
	pthread_cond_destroy(&t->wake);
	pthread_cond_destroy(&t->left);
}
