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
 */
#include "search/trial_own.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
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

/* ---- the handlers ------------------------------------------------------ */

TN_NORETURN static void leave(void)
{
	child_tell(fault_fd, &fault_record);
	_exit(EXIT_FAILURE);
}

/* Only one thread's words are told; the others end with the process. */
static void fault_words(Words *w)
{
	while (atomic_flag_test_and_set(&fault_told))
		pause();
	fault_record.kind = RECORD_FAULT;
	words_init(w, fault_record.result.text, TRIAL_TEXT);
}

static void on_fault(int number, siginfo_t *si, void *context)
{
	Words w;

	(void)number;
	fault_words(&w);
	tell_signal(&w, si, context);
	leave();
}

static void on_exit_called(void)
{
	Words w;

	fault_words(&w);
	words_say(&w, "exit() was called");
	leave();
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
