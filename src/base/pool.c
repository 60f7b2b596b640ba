/*
 * pool: one persistent set of threads for the process.
 *
 * A call publishes its job by storing one word, the ticket: the job's
 * number and how many more workers it takes. A thread joins by taking one
 * off that count, so that joining, numbering the workers and closing the
 * job are each one atomic operation, and the caller waits only for those
 * that did join: a thread that is asleep or descheduled costs nothing but
 * its share of the work. Idle threads spin for some microseconds, since
 * launches follow each other closely, and then sleep on the ticket (futex).
 *
 * The ticket has 20 bits of job number. A thread that sleeps through exactly
 * 2^20 jobs would take the new job for the old one and miss it, which the
 * scheme allows at any time.
 *
 * fork() leaves the child with its forking thread only; a handler then
 * resets the pool, and the child starts threads of its own.
 *
 * The CPUs that threads are bound to are a wish, written at any time; the
 * next caller that owns the pool has it followed. Without one, threads may
 * run on every CPU but the one that their caller was last seen on when it
 * woke them. Schedulers like to wake a thread beside its waker, and some
 * virtual machines pack threads on few CPUs; the worker then waits for the
 * caller's time slice, some 4 ms, while another CPU is idle.
 *
 * Measured on two cores of a virtual machine (Sapphire Rapids): a worker
 * that spins has joined and returned after 0.44 us, one that sleeps after
 * 38 us, of which the caller spends 1.2 on waking it. A product of 2.5 GFLOP
 * took 5.5 ms, or 10 to 12 when the worker was put on the caller's CPU, which
 * happened in a third of the calls that followed an idle spell.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#include "base/base.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SLOT_BITS    12
#define SLOT_MASK    ((1u << SLOT_BITS) - 1)
#define WORKERS_MAX  ((int)SLOT_MASK)
#define SPIN_SECONDS 30e-6
#define SPIN_BATCH   32
#define NO_CPU       (-1)

/* Each on its own cache line, for they change at different times. */
static struct {
	_Alignas(128) atomic_uint ticket; /* job << SLOT_BITS | slots left */
	PoolFn fn;                        /* these three: set before ticket */
	void *arg;
	unsigned extra;                 /* slots at the start */
	_Alignas(128) atomic_uint done; /* joined workers that returned */
	atomic_uint waiting;            /* the caller sleeps on done */
	atomic_uint no_memory;          /* a worker ran out of memory */
	_Alignas(128) atomic_uint sleepers;
	_Alignas(128) atomic_flag owned; /* a caller is inside pool_run */
	atomic_uint generation;          /* changed by fork */
	unsigned threads;                /* these four: by the owner only */
	unsigned bound;                  /* the wish that threads follow */
	int avoided;                     /* CPU that threads avoid, or none */
	pthread_t ids[WORKERS_MAX];
} pool = {.owned = ATOMIC_FLAG_INIT, .avoided = NO_CPU};

static struct {
	pthread_mutex_t lock;
	atomic_uint number; /* of this wish */
	unsigned n;         /* CPUs; 0: any that the process may use */
	int cpus[WORKERS_MAX + 1];
	cpu_set_t all;
	bool known; /* all is */
} wish = {.lock = PTHREAD_MUTEX_INITIALIZER};

static pthread_once_t pool_once = PTHREAD_ONCE_INIT;

static void futex_wait(atomic_uint *word, unsigned seen)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

static void futex_wake(atomic_uint *word, unsigned n)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0);
}

static void cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/* False if fn ran out of memory; the caller of pool_run then raises. */
static bool job_call(PoolFn fn, void *arg, int worker)
{
	OomTrap trap;
	if (OOM_TRAP(&trap))
		return false;
	fn(arg, worker);
	oom_trap_pop(&trap);
	return true;
}

/* Spins while *word is `seen`; the last value read. */
static unsigned spin_while(atomic_uint *word, unsigned seen)
{
	double until = 0;
	for (;;) {
		for (int i = 0; i < SPIN_BATCH; i++) {
			unsigned v = atomic_load(word);
			if (v != seen)
				return v;
			cpu_relax();
		}
		double now = clock_seconds();
		if (until == 0)
			until = now + SPIN_SECONDS;
		else if (now >= until)
			return seen;
	}
}

static unsigned ticket_wait(unsigned seen)
{
	unsigned t = spin_while(&pool.ticket, seen);
	if (t != seen)
		return t;
	/*
	 * The caller stores the ticket and then reads `sleepers`; we add to
	 * `sleepers` and then have the kernel compare the ticket. In one
	 * order or the other a new job is seen.
	 */
	atomic_fetch_add(&pool.sleepers, 1);
	while ((t = atomic_load(&pool.ticket)) == seen)
		futex_wait(&pool.ticket, seen);
	atomic_fetch_sub(&pool.sleepers, 1);
	return t;
}

static void *pool_thread(void *arg)
{
	(void)arg;
	unsigned last = ~0u >> SLOT_BITS; /* the job we were in */
	unsigned t = atomic_load(&pool.ticket);
	for (;;) {
		unsigned job = t >> SLOT_BITS, slots = t & SLOT_MASK;
		if (slots == 0 || job == last) {
			t = ticket_wait(t);
			continue;
		}
		if (!atomic_compare_exchange_weak(&pool.ticket, &t, t - 1))
			continue;
		last = job;
		int worker = (int)(pool.extra - slots + 1);
		if (!job_call(pool.fn, pool.arg, worker))
			atomic_store(&pool.no_memory, 1);
		atomic_fetch_add(&pool.done, 1);
		if (atomic_load(&pool.waiting))
			futex_wake(&pool.done, 1);
		t = atomic_load(&pool.ticket);
	}
	return NULL;
}

static void pool_after_fork(void)
{
	pthread_mutex_init(&wish.lock, NULL); /* another thread may hold it */
	atomic_store(&pool.ticket, 0);
	atomic_store(&pool.done, 0);
	atomic_store(&pool.waiting, 0);
	atomic_store(&pool.no_memory, 0);
	atomic_store(&pool.sleepers, 0);
	atomic_fetch_add(&pool.generation, 1);
	pool.threads = 0;
	atomic_flag_clear(&pool.owned);
}

static void pool_init(void)
{
	pthread_atfork(NULL, NULL, pool_after_fork);
}

/* The CPUs that the process had when it was first asked; under wish.lock. */
static bool all_known(void)
{
	if (!wish.known)
		wish.known =
			sched_getaffinity(0, sizeof(wish.all), &wish.all) == 0;
	return wish.known;
}

/* The CPU that we run on, if threads can do without it. */
static int avoidable(void)
{
	int cpu = sched_getcpu();

	if (wish.n > 0 || !all_known() || cpu < 0 || cpu >= CPU_SETSIZE ||
	    !CPU_ISSET((size_t)cpu, &wish.all) || CPU_COUNT(&wish.all) == 1)
		return NO_CPU;
	return cpu;
}

/*
 * Threads go where they are wished, or away from the CPU that we run on. A
 * system call that fails leaves a thread where it was, which is slower and
 * not wrong.
 */
static void threads_bind(void)
{
	cpu_set_t set;

	pthread_mutex_lock(&wish.lock);
	pool.bound = atomic_load(&wish.number);
	pool.avoided = avoidable();
	set = wish.all;
	if (pool.avoided != NO_CPU)
		CPU_CLR((size_t)pool.avoided, &set);
	for (unsigned i = 0; i < pool.threads && wish.known; i++) {
		if (wish.n > 0) {
			CPU_ZERO(&set);
			CPU_SET((size_t)wish.cpus[(i + 1) % wish.n], &set);
		}
		pthread_setaffinity_np(pool.ids[i], sizeof(set), &set);
	}
	pthread_mutex_unlock(&wish.lock);
}

/* Threads asleep are woken away from the CPU that we run on. */
static void threads_wake(unsigned n)
{
	if (pool.avoided != NO_CPU && pool.avoided != sched_getcpu())
		threads_bind();
	futex_wake(&pool.ticket, n);
}

bool pool_affinity(const int *cpus, unsigned n)
{
	bool ok = n <= WORKERS_MAX;

	pthread_mutex_lock(&wish.lock);
	ok = ok && all_known();
	for (unsigned i = 0; i < n && ok; i++)
		ok = cpus[i] >= 0 && cpus[i] < CPU_SETSIZE &&
		     CPU_ISSET((size_t)cpus[i], &wish.all);
	if (ok) {
		wish.n = n;
		for (unsigned i = 0; i < n; i++)
			wish.cpus[i] = cpus[i];
		atomic_fetch_add(&wish.number, 1);
	}
	pthread_mutex_unlock(&wish.lock);
	return ok;
}

/*
 * Signals are for the program's own threads, so ours block them all but for
 * faults: a blocked one would end the process past its handler.
 */
static void signals_of_threads(sigset_t *blocked)
{
	sigfillset(blocked);
	sigdelset(blocked, SIGSEGV);
	sigdelset(blocked, SIGBUS);
	sigdelset(blocked, SIGFPE);
	sigdelset(blocked, SIGILL);
}

static void pool_grow(unsigned want)
{
	sigset_t blocked, old;
	pthread_attr_t attr;
	if (pool.bound != atomic_load(&wish.number))
		threads_bind();
	if (pool.threads >= want || pthread_attr_init(&attr) != 0)
		return;
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	signals_of_threads(&blocked);
	pthread_sigmask(SIG_SETMASK, &blocked, &old);
	while (pool.threads < want &&
	       pthread_create(&pool.ids[pool.threads], &attr, pool_thread,
			      NULL) == 0)
		pool.threads++;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	threads_bind();
}

static void done_wait(unsigned joined)
{
	unsigned d;
	while ((d = atomic_load(&pool.done)) != joined) {
		if (spin_while(&pool.done, d) != d)
			continue;
		atomic_store(&pool.waiting, 1);
		if (atomic_load(&pool.done) == d)
			futex_wait(&pool.done, d);
		atomic_store(&pool.waiting, 0);
	}
}

void pool_run(int workers, PoolFn fn, void *arg)
{
	if (workers > WORKERS_MAX)
		workers = WORKERS_MAX;
	if (workers <= 1) {
		fn(arg, 0);
		return;
	}
	pthread_once(&pool_once, pool_init);
	if (atomic_flag_test_and_set(&pool.owned)) {
		fn(arg, 0); /* busy, or called from within a job */
		return;
	}
	unsigned generation = atomic_load(&pool.generation);
	pool_grow((unsigned)workers - 1);
	unsigned extra = (unsigned)workers - 1;
	if (extra > pool.threads)
		extra = pool.threads;
	if (extra == 0) {
		atomic_flag_clear(&pool.owned);
		fn(arg, 0);
		return;
	}
	unsigned job = (atomic_load(&pool.ticket) >> SLOT_BITS) + 1;
	pool.fn = fn;
	pool.arg = arg;
	pool.extra = extra;
	atomic_store(&pool.done, 0);
	atomic_store(&pool.ticket, job << SLOT_BITS | extra);
	if (atomic_load(&pool.sleepers) > 0)
		threads_wake(extra);

	bool ok = job_call(fn, arg, 0);
	if (generation != atomic_load(&pool.generation))
		return; /* fn forked and this is the child */
	unsigned left = atomic_fetch_and(&pool.ticket, ~SLOT_MASK) & SLOT_MASK;
	done_wait(extra - left);
	if (atomic_exchange(&pool.no_memory, 0))
		ok = false;
	atomic_flag_clear(&pool.owned);
	if (!ok)
		oom_raise();
}

int cpu_count(void)
{
	/* The kernel refuses a set smaller than its own. */
	static atomic_int known;
	int n = atomic_load(&known);
	if (n > 0)
		return n;
	for (int cpus = 1024; cpus <= 1 << 16 && n <= 0; cpus *= 2) {
		cpu_set_t *set = CPU_ALLOC((size_t)cpus);
		size_t size = CPU_ALLOC_SIZE((size_t)cpus);
		if (!set)
			break;
		if (sched_getaffinity(0, size, set) == 0)
			n = CPU_COUNT_S(size, set);
		CPU_FREE(set);
	}
	if (n <= 0)
		n = 1;
	atomic_store(&known, n);
	return n;
}
