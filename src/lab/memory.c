/*
 * memory: blocks of one bench, released together, and text that grows. A
 * refused allocation leaves through mem->refused, which the bench's entry
 * sets, so that no caller has to look.
 */
#include "lab.h"

#include <stdarg.h>
#include <string.h>

#define HEADER 64 /* keeps what follows aligned as tenon_alloc's memory */

struct LabBlock {
	LabBlock *next;
	size_t bytes;
};

void *lab_alloc(LabMem *m, size_t bytes)
{
	size_t total = HEADER + (bytes ? bytes : 1);
	LabBlock *b = total > bytes ? tenon_alloc(total) : NULL;

	if (!b)
		longjmp(*m->refused, 1);
	memset(b, 0, total);
	b->next = m->head;
	b->bytes = total;
	m->head = b;
	return (char *)b + HEADER;
}

void lab_release(LabMem *m)
{
	while (m->head) {
		LabBlock *b = m->head;

		m->head = b->next;
		tenon_release(b, b->bytes);
	}
}

static char *print(LabMem *m, const char *fmt, va_list ap) LAB_PRINTF(2, 0);

static char *print(LabMem *m, const char *fmt, va_list ap)
{
	va_list again;
	char *p;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	p = lab_alloc(m, (size_t)n + 1);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	return p;
}

char *lab_printf(LabMem *m, const char *fmt, ...)
{
	va_list ap;
	char *p;

	va_start(ap, fmt);
	p = print(m, fmt, ap);
	va_end(ap);
	return p;
}

bool lab_fail(LabMem *m, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	m->why = print(m, fmt, ap);
	va_end(ap);
	return false;
}

bool lab_text_write(void *arg, const char *text, size_t len)
{
	LabText *t = arg;

	if (t->n + len + 1 > t->cap) {
		size_t cap = 2 * (t->n + len) + 256;
		char *p = lab_alloc(t->mem, cap);

		if (t->n)
			memcpy(p, t->p, t->n);
		t->p = p;
		t->cap = cap;
	}
	memcpy(t->p + t->n, text, len);
	t->n += len;
	t->p[t->n] = '\0';
	return true;
}

void lab_text(LabText *t, const char *fmt, ...)
{
	char small[512], *p = small;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	va_end(ap);
	if ((size_t)n >= sizeof(small)) {
		va_start(ap, fmt);
		p = print(t->mem, fmt, ap);
		va_end(ap);
	}
	lab_text_write(t, p, (size_t)n);
}
