/*
 * trial: the parent of the processes that candidates run in.
 *
 * A child works through the batch and writes a record for each candidate
 * into a pipe; what it is at stands on a page that both see, so that a timed
 * call costs no system call. The parent waits for records in short slices and
 * looks at that page: a step that has not moved for longer than its limit
 * ends the child. A limit may thus be overrun by a slice, and is never cut
 * short.
 *
 * A child that dies takes along the candidate that it was at; the next child
 * goes on behind it, with the best so far as its incumbent. A death is held
 * against a candidate only in a child that began with it: what an earlier one
 * broke may come to light under the next. The incumbent is called alone
 * first; should it fail there, the one that it had beaten takes its place.
 *
 * Children are waited for by id only. Where SIGCHLD is ignored, or another
 * thread waits for every child, how one ended is lost, but not that it did.
 */
#include "search/trial_own.h"

#include <math.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SLICE         50  /* ms between two looks at the child */
#define BETWEEN_LIMIT 20. /* seconds for what is ours; a busy machine's */
#define END_GRACE     1.  /* seconds from the pipe's end to that of the child */
#define REAP_LIMIT    10. /* seconds from SIGKILL to the end */
#define FORKS         6   /* attempts while the system has no room */
#define PIPE_CLOSED   "the search's pipe was closed"

typedef enum End {
	END_NOT_YET,
	END_DONE,    /* as it should */
	END_TOLD,    /* it said why: text */
	END_UNTOLD,  /* it is dead, or does not speak any more */
	END_GARBAGE, /* what came through the pipe was no record */
	END_LATE,
	END_STOPPED,
} End;

typedef struct Batch {
	Ctx *ctx;
	const TrialPath *given, *c;
	size_t n, next; /* next: the first without a result */
	int best;       /* the incumbent; -1: given */
	const TrialOptions *o;
	TrialResult *out;
	void (*fn)(void *arg, size_t i, const TrialResult *r);
	void *arg;
	double until;
	Progress *progress;
	/* the child at hand */
	pid_t pid; /* 0: none */
	int fd;    /* of the pipe, to read from */
	size_t first;
	uint64_t seen; /* of progress, and since when */
	double since;
	union {
		Record record;
		char bytes[sizeof(Record)];
	} in;
	size_t have;     /* bytes of `in` */
	TrialState told; /* of END_TOLD, with text */
	char text[TRIAL_TEXT];
} Batch;

/* ---- starting ---------------------------------------------------------- */

static void nap(double seconds)
{
	const struct timespec t = {(time_t)seconds,
				   (long)((seconds - floor(seconds)) * 1e9)};

	nanosleep(&t, NULL);
}

/* Signals wait until the child has handlers of its own. */
static pid_t fork_quiet(void)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pid_t pid = fork();
	int err = errno;
	if (pid != 0)
		pthread_sigmask(SIG_SETMASK, &old, NULL);
	errno = err;
	return pid;
}

static pid_t fork_again(void)
{
	double wait = 0.01;
	pid_t pid;

	for (int i = 1; (pid = fork_quiet()) < 0 && i < FORKS; i++) {
		if (errno != EAGAIN && errno != ENOMEM)
			break;
		nap(wait);
		wait *= 2;
	}
	return pid;
}

static const TrialPath *incumbent(const Batch *b)
{
	return b->best < 0 ? b->given : &b->c[b->best];
}

static bool no_child(Batch *b, const char *what)
{
	return diag_fail(b->ctx, ERR_ENV, NULL,
			 "no process for a candidate: %s: %s", what,
			 strerror(errno));
}

static bool child_start(Batch *b)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return no_child(b, "pipe");
	ChildJob job = {.incumbent = incumbent(b),
			.number = b->best,
			.c = b->c,
			.next = b->next,
			.n = b->n,
			.o = b->o,
			.until = b->until,
			.progress = b->progress,
			.fd = ends[1],
			.parent = getpid()};
	progress_at(b->progress, STEP_BETWEEN);
	pid_t pid = fork_again();
	if (pid == 0)
		child_main(&job);
	int err = errno;
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		errno = err;
		return no_child(b, "fork");
	}
	setpgid(pid, pid); /* the child does it too; either may be first */
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	b->pid = pid;
	b->fd = ends[0];
	b->first = b->next;
	b->have = 0;
	b->seen = 0;
	return true;
}

/* ---- ending ------------------------------------------------------------ */

static bool child_is_dead(const Batch *b)
{
	siginfo_t info = {0};
	int flags = WEXITED | WNOHANG | WNOWAIT;

	if (waitid(P_PID, (id_t)b->pid, &info, flags) != 0)
		return errno == ECHILD; /* somebody has waited for it */
	return info.si_pid == b->pid;
}

/* By a signal, which is no end. */
static bool child_is_stopped(const Batch *b)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)b->pid, &info,
		      WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == b->pid;
}

static bool child_dies(const Batch *b, double seconds)
{
	double until = clock_seconds() + seconds, wait = 1e-4;

	while (!child_is_dead(b)) {
		if (clock_seconds() > until)
			return false;
		nap(wait);
		wait = wait < 0.01 ? 2 * wait : wait;
	}
	return true;
}

/* Ends the child and what it started; its status, or -1: not known. */
static int child_end(Batch *b)
{
	int status = -1;

	kill(-b->pid, SIGKILL);
	kill(b->pid, SIGKILL);
	if (!child_dies(b, REAP_LIMIT) ||
	    waitpid(b->pid, &status, WNOHANG) != b->pid)
		status = -1;
	close(b->fd);
	b->pid = 0;
	return status;
}

/* ---- records ----------------------------------------------------------- */

static void tell(Batch *b, size_t i)
{
	if (b->fn)
		b->fn(b->arg, i, &b->out[i]);
}

static void settle(Batch *b, const TrialResult *r)
{
	size_t i = b->next++;

	b->out[i] = *r;
	if (r->state == TRIAL_MEASURED && r->verdict == TRIAL_FASTER)
		b->best = (int)i;
	tell(b, i);
}

/* The incumbent does not run alone: what it had beaten takes its place. */
static void incumbent_lost(Batch *b, TrialState state, const char *text)
{
	size_t i = (size_t)b->best;

	if (b->best < 0) {
		diag_warn(b->ctx,
			  "the best so far does not run any more (%s); "
			  "candidates are tried without it",
			  text);
		b->given = NULL;
		return;
	}
	b->best = b->out[i].incumbent;
	b->out[i].state = state;
	snprintf(b->out[i].text, TRIAL_TEXT, "when it was to run again: %.*s",
		 TRIAL_TEXT - 40, text);
	tell(b, i);
}

static End record_take(Batch *b)
{
	Record *r = &b->in.record;
	TrialResult *t = &r->result;

	if (r->magic != RECORD_MAGIC || r->kind >= RECORDS ||
	    t->state >= TRIAL_STATES || t->rounds < 0 ||
	    t->rounds > TRIAL_ROUNDS)
		return END_GARBAGE;
	t->text[TRIAL_TEXT - 1] = '\0';
	switch ((RecordKind)r->kind) {
	case RECORD_RESULT:
		if (r->index != b->next || r->index >= b->n)
			return END_GARBAGE;
		t->incumbent = b->best;
		settle(b, t);
		return END_NOT_YET;
	case RECORD_INCUMBENT:
		incumbent_lost(b, t->state, t->text);
		return END_DONE;
	case RECORD_FAULT:
		b->told = t->state;
		memcpy(b->text, t->text, sizeof(b->text));
		return END_TOLD;
	case RECORD_DONE:
	case RECORDS:
		break;
	}
	return END_DONE;
}

/* Takes what there is to read; UNTOLD: the pipe is closed. */
static End records_read(Batch *b)
{
	for (;;) {
		ssize_t n = read(b->fd, b->in.bytes + b->have,
				 sizeof(b->in) - b->have);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return END_NOT_YET;
		if (n <= 0)
			return END_UNTOLD;
		b->have += (size_t)n;
		if (b->have < sizeof(b->in))
			continue;
		b->have = 0;
		End end = record_take(b);
		if (end != END_NOT_YET)
			return end;
	}
}

/* ---- deadlines --------------------------------------------------------- */

static TrialStep step_now(const Batch *b)
{
	uint64_t word = atomic_load(&b->progress->word);

	word &= (1u << STEP_BITS) - 1;
	return word < STEPS ? (TrialStep)word : STEP_BETWEEN;
}

static double step_limit(const Batch *b, TrialStep s)
{
	switch (s) {
	case STEP_OPEN:
	case STEP_INCUMBENT_OPEN:
	case STEP_CLOSE:
	case STEP_INCUMBENT_CLOSE:
		return b->o->open_limit;
	case STEP_CHECK:
	case STEP_CHECK_AGAIN:
		return b->o->check_limit;
	case STEP_RUN:
	case STEP_BESIDE:
	case STEP_INCUMBENT_RUN:
		return b->o->run_limit;
	case STEP_BETWEEN:
	case STEPS:
		break;
	}
	return BETWEEN_LIMIT;
}

static bool child_is_late(Batch *b)
{
	uint64_t word = atomic_load(&b->progress->word);
	double now = clock_seconds();

	if (word != b->seen) {
		b->seen = word;
		b->since = now;
		return false;
	}
	return now - b->since > step_limit(b, step_now(b));
}

/* Until the child has ended, or has to be. */
static End child_follow(Batch *b)
{
	struct pollfd p = {.fd = b->fd, .events = POLLIN};

	for (;;) {
		bool dead = child_is_dead(b); /* before all is read */
		End end = records_read(b);
		if (end != END_NOT_YET)
			return end;
		if (b->o->stop && b->o->stop())
			return END_STOPPED;
		if (dead)
			return END_UNTOLD;
		if (child_is_late(b))
			return END_LATE;
		poll(&p, 1, SLICE); /* a signal only ends the slice */
	}
}

/* ---- what an end means ------------------------------------------------- */

static const char *step_name(TrialStep s)
{
	static const char *const names[STEPS] = {
		[STEP_BETWEEN] = "between its calls",
		[STEP_INCUMBENT_OPEN] = "in open",
		[STEP_INCUMBENT_RUN] = "in run",
		[STEP_OPEN] = "in open",
		[STEP_CHECK] = "in check",
		[STEP_RUN] = "in run",
		[STEP_BESIDE] = "in the incumbent's run beside it",
		[STEP_CHECK_AGAIN] = "in the check after timing",
		[STEP_CLOSE] = "in close",
		[STEP_INCUMBENT_CLOSE] = "in close",
	};

	return names[s];
}

/*
 * Holds the child's end against whom it was at. A crash in a child that
 * others ran in before is not: the next child begins with this candidate.
 */
static void blame(Batch *b, TrialState state, const char *text)
{
	TrialStep s = step_now(b);
	TrialResult r = {.state = state, .incumbent = b->best};

	if (s == STEP_INCUMBENT_CLOSE || b->next >= b->n)
		return;
	snprintf(r.text, TRIAL_TEXT, "%s: %.*s", step_name(s), TRIAL_TEXT - 60,
		 text);
	if (s == STEP_INCUMBENT_OPEN || s == STEP_INCUMBENT_RUN)
		incumbent_lost(b, state, r.text);
	else if (state == TRIAL_TIMED_OUT || b->next == b->first)
		settle(b, &r);
}

static void blame_status(Batch *b, int status)
{
	char text[80];

	if (status < 0) {
		snprintf(text, sizeof(text), "the process ended");
	} else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
		blame(b, TRIAL_NO_MEMORY, "killed, likely for want of memory");
		return;
	} else if (WIFSIGNALED(status)) {
		const char *name = sigabbrev_np(WTERMSIG(status));
		snprintf(text, sizeof(text), "ended by SIG%s",
			 name ? name : "?");
	} else if (WEXITSTATUS(status) == CHILD_UNHEARD) {
		snprintf(text, sizeof(text), "%s", PIPE_CLOSED);
	} else {
		snprintf(text, sizeof(text), "exited with status %d",
			 WEXITSTATUS(status));
	}
	blame(b, TRIAL_CRASHED, text);
}

static void blame_late(Batch *b, bool stopped)
{
	char text[80];

	snprintf(text, sizeof(text), "%sno end within %g s",
		 stopped ? "stopped by a signal, " : "",
		 step_limit(b, step_now(b)));
	blame(b, TRIAL_TIMED_OUT, text);
}

/* The child is ended before anything is told, which takes its time. */
static void end_take(Batch *b, End end)
{
	bool itself = end == END_UNTOLD && child_dies(b, END_GRACE);
	bool stopped = end == END_LATE && child_is_stopped(b);
	int status = child_end(b);

	switch (end) {
	case END_TOLD:
		blame(b, b->told, b->text);
		break;
	case END_UNTOLD:
		if (itself)
			blame_status(b, status);
		else
			blame(b, TRIAL_CRASHED, PIPE_CLOSED);
		break;
	case END_GARBAGE:
		blame(b, TRIAL_CRASHED, "the search's pipe was written to");
		break;
	case END_LATE:
		blame_late(b, stopped);
		break;
	case END_NOT_YET:
	case END_DONE:
	case END_STOPPED:
		break;
	}
}

/* ---- the batch --------------------------------------------------------- */

static bool children(Batch *b)
{
	while (b->next < b->n && clock_seconds() < b->until) {
		if (b->o->stop && b->o->stop())
			break;
		if (!child_start(b))
			return false;
		End end = child_follow(b);
		end_take(b, end);
		if (end == END_STOPPED)
			break;
	}
	return true;
}

/* fn may run out of memory, and then no child stays behind. */
static bool children_trapped(Batch *b)
{
	OomTrap trap;

	if (OOM_TRAP(&trap)) {
		if (b->pid > 0)
			child_end(b);
		munmap(b->progress, sizeof(*b->progress));
		oom_raise();
	}
	bool ok = children(b);
	oom_trap_pop(&trap);
	return ok;
}

bool trial_batch(Ctx *ctx, const TrialPath *given, const TrialPath *c, size_t n,
		 const TrialOptions *o, TrialResult *out,
		 void (*fn)(void *arg, size_t i, const TrialResult *r),
		 void *arg, size_t *done)
{
	Batch b = {.ctx = ctx,
		   .given = given,
		   .c = c,
		   .n = n,
		   .best = -1,
		   .o = o,
		   .out = out,
		   .fn = fn,
		   .arg = arg,
		   .until = clock_seconds() + o->seconds};

	*done = 0;
	b.progress = mmap(NULL, sizeof(*b.progress), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (b.progress == MAP_FAILED)
		return no_child(&b, "mmap");
	bool ok = children_trapped(&b);
	munmap(b.progress, sizeof(*b.progress));
	*done = b.next;
	return ok;
}
