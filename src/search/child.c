/*
 * child: the process that candidates run in.
 *
 * It opens the incumbent and calls it once alone, so that a fault of its own
 * is not held against a candidate. Nor is what an earlier candidate may have
 * done to the process: what is wrong behind others is tried again in front.
 * Then each candidate: open, check, race, and for a winner the check once more,
 * for code may change its answer after some calls. A winner stays open as the
 * next incumbent.
 *
 * The child has nothing of the parent's but memory: its files are closed but
 * for stderr, its signal handlers gone, and it is a process group of its own,
 * which the parent kills with all that candidates started. It ends by _exit
 * only, so that nothing that the parent has registered or has yet to write is
 * done twice.
 */
#include "search/trial_own.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert(sizeof(Record) <= PIPE_BUF, "a record is written at once");

/* ---- setting up -------------------------------------------------------- */

/* What the terminal sends is the parent's to decide on. */
static void signals_reset(void)
{
	sigset_t none;

	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL); /* fails for what cannot be caught */
	signal(SIGINT, SIG_IGN);
	signal(SIGTTOU, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void close_between(unsigned first, unsigned last)
{
	if (first > last)
		return;
#ifdef SYS_close_range
	if (syscall(SYS_close_range, first, last, 0) == 0)
		return;
#endif
	long most = sysconf(_SC_OPEN_MAX);
	for (unsigned i = first; i <= last && (long)i < most; i++)
		close((int)i);
}

/* All but stderr and the pipe; the number that the pipe then has. */
static int files_reset(int fd)
{
	int pipe = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (pipe < 0)
		_exit(EXIT_FAILURE);
	for (int i = 0; i < 2; i++)
		if (null < 0 || dup2(null, i) < 0)
			close(i);
	close_between(3, (unsigned)pipe - 1);
	close_between((unsigned)pipe + 1, ~0u);
	return pipe;
}

/* Of all processes, this is the one that memory is to be taken from. */
static void offer_memory(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	fd_write_all(fd, "1000", 4);
	close(fd);
}

static int set_up(const ChildJob *job)
{
	const struct rlimit none = {0, 0};

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != job->parent)
		_exit(EXIT_FAILURE); /* it has died before */
	signals_reset();
	setrlimit(RLIMIT_CORE, &none);
	offer_memory();
	int fd = files_reset(job->fd);
	fault_install(fd);
	fault_limit_memory(job->o->memory);
	return fd;
}

/* ---- telling ----------------------------------------------------------- */

void child_tell(int fd, Record *r)
{
	ssize_t n;

	r->magic = RECORD_MAGIC;
	r->result.text[TRIAL_TEXT - 1] = '\0';
	do
		n = write(fd, r, sizeof(*r));
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(*r))
		_exit(CHILD_UNHEARD);
}

/* ---- candidates -------------------------------------------------------- */

typedef struct Child {
	const ChildJob *job;
	int fd;
	Racer incumbent;
	int number;  /* of the incumbent */
	bool used;   /* another candidate ran in this process before */
	bool anew;   /* this one is to be tried in the next */
	bool beside; /* the incumbent failed against a candidate */
	bool spent;  /* the process is of no use any more */
	Record record;
} Child;

static TrialState no_memory(char *text)
{
	snprintf(text, TRIAL_TEXT, "out of memory");
	return TRIAL_NO_MEMORY;
}

static void path_close(Child *c, const TrialPath *path, TrialStep step)
{
	OomTrap trap;

	if (!path->close)
		return;
	progress_at(c->job->progress, step);
	if (OOM_TRAP(&trap))
		return;
	path->close(path->state);
	oom_trap_pop(&trap);
}

static TrialState incumbent_open(Child *c, char *text)
{
	const TrialPath *path = c->job->incumbent;
	OomTrap trap;

	if (OOM_TRAP(&trap))
		return no_memory(text);
	progress_at(c->job->progress, STEP_INCUMBENT_OPEN);
	TrialState s = path->open(path->state, text);
	if (s == TRIAL_MEASURED) {
		progress_at(c->job->progress, STEP_INCUMBENT_RUN);
		s = path->run(path->state, text);
	}
	oom_trap_pop(&trap);
	return s;
}

static TrialState check(Child *c, const TrialPath *path, TrialStep step,
			TrialResult *r)
{
	double start = clock_seconds();

	if (!path->check)
		return TRIAL_MEASURED;
	progress_at(c->job->progress, step);
	TrialState s = path->check(path->state, r->text);
	r->check_ms += (clock_seconds() - start) * 1e3;
	return s;
}

static TrialState check_again(Child *c, const Racer *x, TrialResult *r)
{
	TrialState s = check(c, x->path, STEP_CHECK_AGAIN, r);
	char text[TRIAL_TEXT];

	if (s == TRIAL_MEASURED)
		return s;
	memcpy(text, r->text, sizeof(text));
	text[TRIAL_TEXT - 1] = '\0';
	snprintf(r->text, TRIAL_TEXT, "after %lld calls: %.*s",
		 (long long)x->total, TRIAL_TEXT - 40, text);
	return s;
}

static void beside(TrialResult *r)
{
	char text[TRIAL_TEXT];

	memcpy(text, r->text, sizeof(text));
	text[TRIAL_TEXT - 1] = '\0';
	snprintf(r->text, TRIAL_TEXT, "the incumbent failed beside it: %.*s",
		 TRIAL_TEXT - 40, text);
	r->state = TRIAL_FAILED;
}

/* What is wrong is timed all the same, so that it is known what being right
 * costs; that it may not run to the end is no news. */
static void time_wrong(Child *c, Racer *x, TrialResult *r)
{
	TrialResult timed = *r;

	TrialState s = race_run(c->job->progress, x, &c->incumbent, c->job->o,
				&timed, &c->beside);
	c->spent = s == TRIAL_CRASHED;
	if (s != TRIAL_MEASURED || c->beside)
		return;
	timed.state = r->state;
	memcpy(timed.text, r->text, sizeof(r->text));
	*r = timed;
}

/* All steps but the closing; *open: it is to be closed. */
static void steps(Child *c, Racer *x, TrialResult *r, bool *open)
{
	const TrialPath *path = x->path;

	progress_at(c->job->progress, STEP_OPEN);
	r->state = path->open(path->state, r->text);
	if (r->state != TRIAL_MEASURED)
		return;
	*open = true;
	r->state = check(c, path, STEP_CHECK, r);
	if (r->state == TRIAL_WRONG && c->used)
		c->anew = true;
	else if (r->state == TRIAL_WRONG)
		time_wrong(c, x, r);
	if (r->state != TRIAL_MEASURED)
		return;
	r->state = race_run(c->job->progress, x, &c->incumbent, c->job->o, r,
			    &c->beside);
	if (c->beside)
		beside(r);
	else if (r->state == TRIAL_MEASURED && r->verdict == TRIAL_FASTER)
		r->state = check_again(c, x, r);
}

static void steps_trapped(Child *c, Racer *x, TrialResult *r, bool *open)
{
	OomTrap trap;

	if (OOM_TRAP(&trap)) {
		r->state = no_memory(r->text);
		return;
	}
	steps(c, x, r, open);
	oom_trap_pop(&trap);
}

static void tell_result(Child *c, size_t i)
{
	TrialResult *r = &c->record.result;

	if (r->state == TRIAL_MEASURED)
		r->text[0] = '\0';
	c->record.kind = RECORD_RESULT;
	c->record.index = i;
	child_tell(c->fd, &c->record);
}

static void candidate(Child *c, size_t i)
{
	Racer x = {.path = &c->job->c[i]}, old = c->incumbent;
	TrialResult *r = &c->record.result;
	bool open = false;

	*r = (TrialResult){.incumbent = c->number};
	steps_trapped(c, &x, r, &open);
	if (r->state == TRIAL_CRASHED) {
		c->spent = true;
		c->anew |= c->used;
	}
	if (c->anew)
		return;
	if (c->spent) { /* nor is what is open */
		tell_result(c, i);
		return;
	}
	if (r->state != TRIAL_MEASURED || r->verdict != TRIAL_FASTER) {
		if (open)
			path_close(c, x.path, STEP_CLOSE);
		progress_at(c->job->progress, STEP_BETWEEN);
		tell_result(c, i);
		return;
	}
	c->incumbent = x;
	c->number = (int)i;
	tell_result(c, i);
	if (old.path)
		path_close(c, old.path, STEP_INCUMBENT_CLOSE);
	progress_at(c->job->progress, STEP_BETWEEN);
}

void child_main(const ChildJob *job)
{
	Child c = {.job = job, .number = job->number, .fd = set_up(job)};

	if (job->incumbent) {
		TrialResult *r = &c.record.result;
		c.record.kind = RECORD_INCUMBENT;
		r->state = incumbent_open(&c, r->text);
		progress_at(job->progress, STEP_BETWEEN);
		if (r->state != TRIAL_MEASURED) {
			child_tell(c.fd, &c.record);
			_exit(EXIT_SUCCESS);
		}
		c.incumbent.path = job->incumbent;
	}
	for (size_t i = job->next;
	     i < job->n && !c.beside && !c.anew && !c.spent; i++) {
		if (clock_seconds() >= job->until)
			break;
		c.used = i > job->next;
		candidate(&c, i);
	}
	c.record.kind = RECORD_DONE;
	child_tell(c.fd, &c.record);
	_exit(EXIT_SUCCESS);
}
