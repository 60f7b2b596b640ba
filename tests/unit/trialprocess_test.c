/*
 * trialprocess: what is between a candidate's process and its parent's, and
 * memory with pages around it.
 */
#include "tests/unit/trials.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

/* ---- what a candidate does to its process ------------------------------- */

static void closes_all(Plant *p)
{
	for (int i = 0; i < 100; i++)
		close(i);
	if (p->shared)
		hangs(p);
}

static void writes_to_pipe(Plant *p)
{
	char text[3 * sizeof(Record)];

	(void)p;
	memset(text, 0, sizeof(text)); /* what a result might be */
	for (int i = 3; i < 100; i++)
		if (write(i, text, sizeof(text)) > 0)
			return;
}

static void pipes(void)
{
	Plant p = {.at = {NULL, NULL, closes_all}, .shared = shared_ints()};

	ends(p, &quick, TRIAL_CRASHED, "in run: the search's pipe was closed");
	p.shared = NULL;
	TrialResult r = alone(p, &quick);
	CHECK(r.state == TRIAL_CRASHED);
	p = (Plant){.at = {NULL, NULL, writes_to_pipe}};
	r = alone(p, &quick);
	CHECK(r.state == TRIAL_CRASHED);
	CHECK(strstr(r.text, "the search's pipe was written to"));
}

static void counts_files(Plant *p)
{
	p->shared[0] = count_fds();
	p->shared[1] = fcntl(2, F_GETFD) != -1;
}

/* stdin, stdout, stderr and the pipe; and the folder, ".." and "." read */
static void files(void)
{
	int fd = open("/dev/null", O_RDONLY);
	Plant p = {.at = {counts_files}, .shared = shared_ints()};

	CHECK(fd >= 0 && alone(p, &quick).state == TRIAL_MEASURED);
	CHECK(p.shared[0] == 4 + 3 && p.shared[1] == 1);
	close(fd);
}

/* Arenas refuse, and so does big_alloc. */
static void eats_memory(Plant *p)
{
	const struct rlimit all = {1 << 20, 1 << 20};
	static Arena a;

	(void)p;
	setrlimit(RLIMIT_AS, &all);
	for (;;)
		arena_alloc(&a, 1 << 16, 16);
}

static void is_killed(Plant *p)
{
	(void)p;
	kill(getpid(), SIGKILL);
}

static void killed(void)
{
	Plant p = {.at = {NULL, is_killed}};

	ends(p, &quick, TRIAL_NO_MEMORY,
	     "in check: killed, likely for want of memory");
}

static void arenas(void)
{
	Plant p = {.at = {NULL, NULL, eats_memory}};

	if (SANITIZED)
		SKIP("the sanitizer ends where memory is refused");
	ends(p, &quick, TRIAL_NO_MEMORY, "out of memory");
}

/* It asks for more until it is refused, and then does as most code does. */
static void eats_pages(Plant *p)
{
	while (mmap(NULL, 1 << 24, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
		;
	if (p->ms > 0)
		abort();
	write_null(p);
}

static void limited(void)
{
	TrialOptions o = quick;
	Plant p = {.at = {NULL, eats_pages}};

	if (SANITIZED)
		SKIP("the sanitizer ends where memory is refused");
	o.memory = 1 << 28;
	for (int i = 0; i < 2; i++) {
		TrialResult r = alone(p, &o);
		CHECK(r.state == TRIAL_NO_MEMORY);
		if (!CHECK(strstr(r.text, i ? "SIGABRT, with 2"
					    : "0x18, with "
					      "2")) ||
		    !CHECK(strstr(r.text, "of 256 that it may take")))
			printf("%s\n", r.text);
		p.ms = 1;
	}
	/* what crashes without it is no want of memory */
	p = (Plant){.at = {NULL, write_null}};
	ends(p, &o, TRIAL_CRASHED, "in check: SIGSEGV, wrote at address 0x18");
}

/* An earlier candidate has done something to the process. */
static int harm;

static void harms(Plant *p)
{
	(void)p;
	harm = 1;
}

static TrialState harmed(void *state, char text[TRIAL_TEXT])
{
	(void)state;
	snprintf(text, TRIAL_TEXT, "harmed");
	return harm ? TRIAL_WRONG : TRIAL_MEASURED;
}

static void harm_of_others(void)
{
	Plant plants[] = {{.at = {NULL, harms}}, {.ms = 0}, {.ms = 0}};
	TrialPath c[ARRAY_LEN(plants)];
	Ctx ctx;

	for (size_t i = 0; i < ARRAY_LEN(plants); i++)
		c[i] = path(&plants[i]);
	c[1].check = harmed;
	plants[0].says[CHECK_] = TRIAL_FAILED;
	ctx_init(&ctx);
	CHECK(trial_batch(&ctx, NULL, c, ARRAY_LEN(plants), &quick, out, NULL,
			  NULL, &done));
	ctx_release(&ctx);
	CHECK(done == 3 && out[0].state == TRIAL_FAILED);
	CHECK(out[1].state == TRIAL_MEASURED);
	CHECK(out[2].state == TRIAL_MEASURED);
}

static void interrupted(Plant *p)
{
	(void)p;
	raise(SIGINT);
}

static void sigint(void)
{
	Plant p = {.at = {NULL, NULL, interrupted}};

	CHECK(alone(p, &quick).state == TRIAL_MEASURED);
}

/* Whether the process ends soon; a zombie has. */
static bool ends_soon(pid_t pid)
{
	const struct timespec t = {0, 1000000};
	char name[64], text[256];

	snprintf(name, sizeof(name), "/proc/%d/stat", (int)pid);
	for (int i = 0; i < 5000; i++) {
		FILE *f = fopen(name, "r");
		bool alive = f && fgets(text, sizeof(text), f) &&
			     !strstr(text, ") Z") && !strstr(text, ") X");
		if (f)
			fclose(f);
		if (!alive)
			return true;
		nanosleep(&t, NULL);
	}
	kill(pid, SIGKILL);
	return false;
}

/* It keeps the pipe open when its parent dies. */
static void leaves_a_child(Plant *p)
{
	pid_t pid = fork();

	if (pid == 0)
		hangs(p);
	p->shared[0] = pid;
	_exit(3);
}

static void grandchild(void)
{
	Plant p = {.at = {NULL, leaves_a_child}, .shared = shared_ints()};

	ends(p, &quick, TRIAL_CRASHED, "in check: exited with status 3");
	CHECK(p.shared[0] > 0 && ends_soon(p.shared[0]));
}

/* ---- the parent --------------------------------------------------------- */

static void crash_and_right(void)
{
	Plant p = {.at = {NULL, write_null}};

	ends(p, &quick, TRIAL_CRASHED,
	     "in check: SIGSEGV, wrote at address 0x18");
}

static void children_of_others(void)
{
	void (*old)(int) = signal(SIGCHLD, SIG_IGN);
	Plant p = {.at = {NULL, exits_at_once}};
	int status;

	crash_and_right();
	ends(p, &quick, TRIAL_CRASHED, "in check: the process ended");
	signal(SIGCHLD, old);
	pid_t own = fork();
	if (own == 0)
		_exit(7);
	crash_and_right();
	CHECK(waitpid(own, &status, 0) == own && WEXITSTATUS(status) == 7);
}

static void *in_thread(void *arg)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	crash_and_right();
	crash_and_right();
	return arg;
}

static void from_a_thread(void)
{
	pthread_t id;

	CHECK(pthread_create(&id, NULL, in_thread, NULL) == 0);
	pthread_join(id, NULL);
}

static void prints(Plant *p)
{
	(void)p;
	printf("of the child");
	fflush(NULL);
}

/* A process whose stdout is a file: what it prints is there once. */
static void prints_once(int fd)
{
	Plant plants[3] = {{.ms = 0}, {.at = {exits}}, {.at = {NULL, prints}}};

	fflush(stdout);
	dup2(fd, 1);
	printf("once ");
	bool ok = batch(NULL, plants, 3, &quick);
	printf("%d", ok && done == 3);
	fflush(stdout);
	_exit(0);
}

static void output(void)
{
	char name[] = "/tmp/trial-XXXXXX", text[100] = "";
	int fd = mkstemp(name);

	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0)
		prints_once(fd);
	waitpid(pid, NULL, 0);
	CHECK(pread(fd, text, sizeof(text) - 1, 0) > 0);
	CHECK_STR(text, "once 1");
	close(fd);
	unlink(name);
}

static void says_who(Plant *p)
{
	__atomic_store_n(p->shared, getpid(), __ATOMIC_SEQ_CST);
	hangs(p);
}

static void death_of_parent(void)
{
	Plant p = {.at = {NULL, says_who}, .shared = shared_ints()};
	const struct timespec t = {0, 1000000};
	pid_t pid = fork();

	if (pid == 0) {
		batch(NULL, &p, 1, &quick);
		_exit(0);
	}
	for (int i = 0; i < 10000 && *(volatile int *)p.shared == 0; i++)
		nanosleep(&t, NULL);
	CHECK(p.shared[0] > 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	CHECK(ends_soon(p.shared[0]));
}

/* Stands before the C library's: the next ones are refused. */
static int forks_refused;

pid_t fork(void)
{
	static pid_t (*real)(void);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "fork");
	if (forks_refused > 0) {
		forks_refused--;
		errno = EAGAIN;
		return -1;
	}
	return real();
}

static void refused(void)
{
	struct rlimit old, few;
	Plant p = {.ms = 0};

	forks_refused = 2;
	crash_and_right();
	CHECK(forks_refused == 0);
	forks_refused = 1000;
	CHECK(!batch(NULL, &p, 1, &quick) && done == 0);
	CHECK(strstr(messages, "no process for a candidate: fork: "));
	forks_refused = 0;
	getrlimit(RLIMIT_NOFILE, &old);
	few = (struct rlimit){3, old.rlim_max};
	setrlimit(RLIMIT_NOFILE, &few);
	CHECK(!batch(NULL, &p, 1, &quick) && done == 0);
	CHECK(strstr(messages, "no process for a candidate: pipe: "));
	setrlimit(RLIMIT_NOFILE, &old);
}

static void raises(void *arg, size_t i, const TrialResult *r)
{
	(void)arg;
	(void)i;
	(void)r;
	oom_raise();
}

static void out_of_memory(void)
{
	Plant p = {.ms = 0};
	TrialPath c[2] = {path(&p), path(&p)};
	int fds = count_fds();
	OomTrap trap;
	Ctx ctx;

	ctx_init(&ctx);
	if (!OOM_TRAP(&trap)) {
		trial_batch(&ctx, NULL, c, 2, &quick, out, raises, NULL, &done);
		CHECK(!"reached");
	}
	ctx_release(&ctx);
	CHECK(count_fds() == fds);
	CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

/* ---- guarded memory ---------------------------------------------------- */

PLANTED static void pokes(Plant *p)
{
	*((volatile char *)guarded_data(p->memory) + p->where) = 1;
}

static bool whole(const Guarded *g)
{
	char text[TRIAL_TEXT];

	return !guarded_broken(g, text);
}

static void poke_text(size_t bytes, size_t alignment, bool seal,
		      ptrdiff_t where, const char *text)
{
	Guarded *g = guarded_new(bytes, alignment);
	Plant p = {.at = {NULL, pokes}, .memory = g, .where = where};
	char want[200];

	if (!CHECK(g))
		return;
	CHECK((uintptr_t)guarded_data(g) % alignment == 0);
	guarded_name(g, seal ? "input x" : "result y");
	if (seal)
		guarded_seal(g);
	snprintf(want, sizeof(want), "in check: SIGSEGV, wrote %s", text);
	ends(p, &quick, TRIAL_CRASHED, want);
	CHECK(whole(g));
	guarded_free(g);
}

static void guards(void)
{
	poke_text(PAGE, 64, false, PAGE, "right behind result y");
	poke_text(PAGE, 64, false, PAGE + 1, "1 byte behind result y");
	poke_text(52, 64, false, 64, "12 bytes behind result y");
	poke_text(PAGE, 64, false, 2 * PAGE, "4096 bytes behind result y");
	poke_text(PAGE, 64, false, -1, "1 byte before result y");
	poke_text(2 * PAGE, 4, false, -PAGE, "4096 bytes before result y");
	poke_text(0, 64, false, 0, "right behind result y");
	poke_text(100, 64, true, 99, "to input x");
	poke_text(100, 64, true, 0, "to input x");
	poke_text(100, 64, true, 100, "right behind input x");
}

/* What no page guards, a pattern does; and what a child writes is its own. */
static void patterns(void)
{
	static const ptrdiff_t outside[] = {-1, -3000, 52, 63};
	static const char *const words[] = {
		"wrote 1 byte before result y",
		"wrote 3000 bytes before result y",
		"wrote right behind result y",
		"wrote 11 bytes behind result y",
	};
	Plant p = {.at = {NULL, pokes}};

	for (size_t i = 0; i < ARRAY_LEN(outside); i++) {
		p.memory = guarded_new(52, 64);
		guarded_name(p.memory, "result y");
		p.where = outside[i];
		ends(p, &quick, TRIAL_WRONG, words[i]);
		CHECK(whole(p.memory));
		guarded_free(p.memory);
	}
	p.memory = guarded_new(52, 64);
	p.where = 51;
	CHECK(alone(p, &quick).state == TRIAL_MEASURED);
	CHECK(((char *)guarded_data(p.memory))[51] == 0);
	guarded_free(p.memory);
}

/* Large ones end at a huge page, and a new one has what the old one had. */
static void renewed(void)
{
	const size_t large = 3 * ((size_t)1 << 20) + 64;
	Guarded *g = guarded_new(large, 64);
	char *p;

	if (!CHECK(g))
		return;
	p = guarded_data(g);
	CHECK(((uintptr_t)p + large) % ((size_t)2 << 20) == 0);
	p[0] = p[-1] = p[large - 1] = 1;
	CHECK(!whole(g));
	CHECK(guarded_renew(g) && guarded_data(g) == p);
	CHECK(p[0] == 0 && p[large - 1] == 0 && whole(g));
	guarded_free(g);
}

static void sizes(void)
{
	const size_t huge = (size_t)6 << 30;
	Guarded *g = guarded_new(huge, PAGE);
	char *p;

	CHECK(g);
	if (g) {
		p = guarded_data(g);
		p[0] = p[huge / 2] = p[huge - 1] = 1;
		CHECK(whole(g));
		guarded_seal(g);
		CHECK(p[huge / 2] == 1);
	}
	guarded_free(g);
	guarded_free(NULL);
	CHECK(!guarded_new(SIZE_MAX, 64));
	CHECK(!guarded_new((size_t)1 << 62, 64));
	g = guarded_new(0, 64);
	CHECK(g && guarded_data(g) && whole(g));
	guarded_seal(g);
	guarded_free(g);
}

TEST_MAIN(TEST(pipes), TEST(files), TEST(killed), TEST(arenas), TEST(limited),
	  TEST(harm_of_others), TEST(sigint), TEST(grandchild),
	  TEST(crash_and_right), TEST(children_of_others), TEST(from_a_thread),
	  TEST(output), TEST(death_of_parent), TEST(refused),
	  TEST(out_of_memory), TEST(guards), TEST(patterns), TEST(renewed),
	  TEST(sizes))
