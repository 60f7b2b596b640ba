/*
 * fault: the last words of a child.
 *
 * A handler on a stack of its own, since the stack may be what overflowed,
 * puts into words what was touched, writes them to the pipe and ends the
 * process. Only calls that are safe in a signal handler are made: the heap
 * may be broken, and any lock be held.
 *
 * exit() is met the same way: the handler that is registered last runs
 * first, before those of the parent's that remove its files, and before
 * stdio writes once more what the parent has yet to write.
 *
 * Code to which memory is refused seldom says so: it follows a null pointer or
 * aborts. So what ends a process that has taken more than half of what it may
 * is told as want of memory.
 */
#include "search/trial_own.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

/* Vector registers of the largest kind, AMX, are 11 KiB of a frame. */
#define STACK_SIZE 65536

static int fault_fd;
static Record fault_record;
static atomic_flag fault_told = ATOMIC_FLAG_INIT;
static char fault_stack[STACK_SIZE];

/* ---- words ------------------------------------------------------------- */

void words_init(Words *w, char *p, size_t cap)
{
	*w = (Words){.p = p, .cap = cap};
	p[0] = '\0';
}

void words_say(Words *w, const char *s)
{
	while (*s && w->n + 1 < w->cap)
		w->p[w->n++] = *s++;
	w->p[w->n] = '\0';
}

static void words_number(Words *w, uint64_t n, unsigned base)
{
	char text[24];
	char *p = text + sizeof(text) - 1;

	*p = '\0';
	do
		*--p = "0123456789abcdef"[n % base];
	while ((n /= base) > 0);
	words_say(w, p);
}

void words_count(Words *w, uint64_t n)
{
	words_number(w, n, 10);
}

/* ---- what was touched -------------------------------------------------- */

#if defined(__aarch64__)
#include <asm/sigcontext.h>

/* The syndrome of the fault, one of the records behind the registers. */
static const char *verb_of(const ucontext_t *u)
{
	const uint8_t *p = (const void *)u->uc_mcontext.__reserved;
	const uint8_t *end = p + sizeof(u->uc_mcontext.__reserved);
	struct esr_context esr;

	while (end - p >= (ptrdiff_t)sizeof(esr)) {
		memcpy(&esr, p, sizeof(esr));
		if (esr.head.magic == ESR_MAGIC)
			return esr.esr & 0x40 ? "wrote " : "read ";
		if (esr.head.size == 0)
			break;
		p += esr.head.size;
	}
	return "touched ";
}
#elif defined(__x86_64__)
/* Bit 1 of the page fault's error code: a write. */
static const char *verb_of(const ucontext_t *u)
{
	return u->uc_mcontext.gregs[REG_ERR] & 2 ? "wrote " : "read ";
}
#else
static const char *verb_of(const ucontext_t *u)
{
	(void)u;
	return "touched ";
}
#endif

static void tell_address(Words *w, const siginfo_t *si, const ucontext_t *u)
{
	uintptr_t address = (uintptr_t)si->si_addr;
	const char *verb = verb_of(u);

	if (si->si_code == SI_KERNEL) {
		words_say(w, "touched an address that cannot be");
	} else if (!guarded_tell(w, verb, address)) {
		words_say(w, verb);
		words_say(w, "at address 0x");
		words_number(w, address, 16);
	}
}

static void tell_signal(Words *w, const siginfo_t *si, const ucontext_t *u)
{
	static const struct {
		int number;
		const char *name;
	} names[] = {{SIGSEGV, "SIGSEGV"},
		     {SIGBUS, "SIGBUS"},
		     {SIGFPE, "SIGFPE"},
		     {SIGILL, "SIGILL"},
		     {SIGABRT, "SIGABRT"}};
	int number = si->si_signo;

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (names[i].number == number)
			words_say(w, names[i].name);
	if (number == SIGABRT)
		return;
	words_say(w, ", ");
	if (si->si_code <= 0)
		words_say(w, "sent by a process");
	else if (number == SIGFPE)
		words_say(w, si->si_code == FPE_INTDIV
				     ? "an integer divided by zero"
				     : "arithmetic that traps");
	else if (number == SIGILL)
		words_say(w, "an instruction that this CPU does not have");
	else
		tell_address(w, si, u);
}

/* ---- memory ------------------------------------------------------------ */

static size_t memory_begun, memory_limit; /* bytes; 0: none */

/* Bytes of data and stacks, the sixth number of statm; 0: not known. */
static size_t memory_now(void)
{
	char text[200];
	size_t at = 0, pages = 0;
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text));

	if (fd >= 0)
		close(fd);
	for (ssize_t i = 0; i < n && at < 6; i++) {
		if (text[i] == ' ' && ++at == 5)
			pages = 0;
		else if (text[i] >= '0' && text[i] <= '9' && at == 5)
			pages = 10 * pages + (size_t)(text[i] - '0');
	}
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

void fault_limit_memory(double bytes)
{
	struct rlimit r;

	memory_begun = memory_now();
	if (!memory_begun || bytes <= 0 || bytes > 1e18 ||
	    getrlimit(RLIMIT_DATA, &r) != 0)
		return;
	rlim_t want = memory_begun + (rlim_t)bytes;
	if (r.rlim_cur != RLIM_INFINITY && r.rlim_cur < want)
		return;
	r.rlim_cur = r.rlim_max = want;
	if (setrlimit(RLIMIT_DATA, &r) == 0)
		memory_limit = (size_t)bytes;
}

static void tell_memory(Words *w)
{
	size_t now = memory_limit ? memory_now() : 0;
	size_t taken = now > memory_begun ? now - memory_begun : 0;

	if (taken <= memory_limit / 2)
		return;
	fault_record.result.state = TRIAL_NO_MEMORY;
	words_say(w, ", with ");
	words_count(w, taken >> 20);
	words_say(w, " MiB of memory taken, of ");
	words_count(w, memory_limit >> 20);
	words_say(w, " that it may take");
}

/* ---- the handlers ------------------------------------------------------ */

TN_NORETURN static void leave(Words *w)
{
	if (memory_limit)
		tell_memory(w);
	child_tell(fault_fd, &fault_record);
	_exit(EXIT_FAILURE);
}

/* Only one thread's words are told; the others end with the process. */
static void fault_words(Words *w)
{
	while (atomic_flag_test_and_set(&fault_told))
		pause();
	fault_record.kind = RECORD_FAULT;
	fault_record.result.state = TRIAL_CRASHED;
	words_init(w, fault_record.result.text, TRIAL_TEXT);
}

static void on_fault(int number, siginfo_t *si, void *context)
{
	Words w;

	(void)number;
	fault_words(&w);
	tell_signal(&w, si, context);
	leave(&w);
}

static void on_exit_called(void)
{
	Words w;

	fault_words(&w);
	words_say(&w, "exit() was called");
	leave(&w);
}

void fault_install(int fd)
{
	static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
	stack_t stack = {.ss_sp = fault_stack, .ss_size = STACK_SIZE};
	struct sigaction act = {.sa_sigaction = on_fault,
				.sa_flags = SA_SIGINFO | SA_ONSTACK};

	fault_fd = fd;
	sigfillset(&act.sa_mask); /* a fault in the handler ends it */
	sigaltstack(&stack, NULL);
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		sigaction(numbers[i], &act, NULL);
	atexit(on_exit_called);
}
