/*
 * guarded: memory that shows who touches it.
 *
 *   | nobody's | pattern  data  pattern | nobody's |
 *
 * The data end as near to the page behind them as their alignment allows. A
 * touch of the pages around them is a fault at once, and the handler of
 * fault.c names the area; what alignment leaves is filled with a pattern
 * that guarded_broken compares. The pages around are more than one, for
 * code that errs by a row errs by more than a page. Large data end at a huge
 * page, and lie in such pages where the system has them: as users' data in
 * tenon_alloc's memory do, without which times would be others.
 *
 * All areas are in one list, for the handler, which reads it without the
 * lock: it runs in a child where nothing else goes on.
 */
#include "search/trial_own.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define AROUND    ((size_t)2 << 20) /* bytes; a multiple of any page size */
#define NAME_SIZE 80

struct Guarded {
	Guarded *next;
	char *base; /* of the whole mapping */
	char *data;
	size_t bytes; /* of the data */
	size_t pages; /* bytes of the pages that hold them */
	size_t unit;  /* bytes of a page */
	size_t whole; /* bytes of the whole mapping */
	char name[NAME_SIZE];
};

static Guarded *areas;
static pthread_mutex_t areas_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t areas_once = PTHREAD_ONCE_INIT;

static void lock(void)
{
	pthread_mutex_lock(&areas_lock);
}

static void unlock(void)
{
	pthread_mutex_unlock(&areas_lock);
}

/* A child finds the list whole and the lock free. */
static void areas_init(void)
{
	pthread_atfork(lock, unlock, unlock);
}

/* ---- pattern ----------------------------------------------------------- */

static char *pages_of(const Guarded *g)
{
	uintptr_t p = (uintptr_t)g->base + AROUND;

	return (char *)((p + g->unit - 1) / g->unit * g->unit);
}

/*
 * Differs from byte to byte, so that code that writes one value is seen; and
 * is none of the bytes of small integers, or of zeros and ones of any dtype.
 */
static char pattern(const char *p)
{
	return (char)(0xa0 | ((uintptr_t)p * 29 & 0x1f));
}

static void pattern_fill(char *p, const char *end)
{
	for (; p < end; p++)
		*p = pattern(p);
}

/* The first byte that is another; NULL: none. */
static const char *pattern_broken(const char *p, const char *end)
{
	for (; p < end; p++)
		if (*p != pattern(p))
			return p;
	return NULL;
}

/* ---- areas ------------------------------------------------------------- */

bool guarded_renew(Guarded *g)
{
	char *p = pages_of(g);

	if (g->pages == 0)
		return true;
	if (mmap(p, g->pages, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		return false;
#ifdef MADV_HUGEPAGE
	if (g->unit == HUGE_PAGE)
		(void)madvise(p, g->pages, MADV_HUGEPAGE); /* a wish only */
#endif
	pattern_fill(p, g->data);
	pattern_fill(g->data + g->bytes, p + g->pages);
	return true;
}

static bool map(Guarded *g, size_t alignment)
{
	g->whole = g->pages + 2 * AROUND + g->unit;
	g->base = mmap(NULL, g->whole, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (g->base == MAP_FAILED)
		return false;
	g->data = pages_of(g) + (g->pages - g->bytes) / alignment * alignment;
	if (guarded_renew(g))
		return true;
	munmap(g->base, g->whole);
	return false;
}

Guarded *guarded_new(size_t bytes, size_t alignment)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	bug_if(alignment == 0 || (alignment & (alignment - 1)) != 0 ||
	       alignment > page);
	if (bytes > PTRDIFF_MAX - 2 * AROUND - 2 * HUGE_PAGE)
		return NULL;
	if (bytes >= HUGE_PAGE / 2)
		page = HUGE_PAGE;
	Guarded *g = big_alloc(sizeof(*g));
	if (!g)
		return NULL;
	*g = (Guarded){.bytes = bytes,
		       .unit = page,
		       .pages = (bytes + page - 1) / page * page};
	if (!map(g, alignment)) {
		big_free(g, sizeof(*g));
		return NULL;
	}
	pthread_once(&areas_once, areas_init);
	lock();
	g->next = areas;
	areas = g;
	unlock();
	return g;
}

void *guarded_data(const Guarded *g)
{
	return g->data;
}

void guarded_seal(Guarded *g)
{
	if (g->pages > 0 && mprotect(pages_of(g), g->pages, PROT_READ) != 0)
		bug("a guarded area cannot be sealed");
}

void guarded_name(Guarded *g, const char *name)
{
	size_t n = strnlen(name, NAME_SIZE - 1);

	memcpy(g->name, name, n);
	g->name[n] = '\0';
}

void guarded_free(Guarded *g)
{
	if (!g)
		return;
	lock();
	for (Guarded **at = &areas; *at; at = &(*at)->next) {
		if (*at == g) {
			*at = g->next;
			break;
		}
	}
	unlock();
	munmap(g->base, g->whole);
	big_free(g, sizeof(*g));
}

/* ---- faults ------------------------------------------------------------ */

static void tell_outside(Words *w, uintptr_t bytes, const char *side)
{
	if (bytes > 0) {
		words_count(w, bytes);
		words_say(w, bytes == 1 ? " byte " : " bytes ");
	} else {
		words_say(w, "right ");
	}
	words_say(w, side);
}

bool guarded_tell(Words *w, const char *verb, uintptr_t address)
{
	const Guarded *g = areas;
	uintptr_t base = 0;

	for (; g; g = g->next) {
		base = (uintptr_t)g->base;
		if (address >= base && address - base < g->whole)
			break;
	}
	if (!g)
		return false;
	uintptr_t data = (uintptr_t)g->data;
	words_say(w, verb);
	if (address < data)
		tell_outside(w, data - address, "before ");
	else if (address - data >= g->bytes)
		tell_outside(w, address - data - g->bytes, "behind ");
	else
		words_say(w, "to ");
	words_say(w, g->name[0] ? g->name : "a guarded area");
	return true;
}

bool guarded_broken(const Guarded *g, char text[TRIAL_TEXT])
{
	const char *pages = pages_of(g);
	const char *p = pattern_broken(g->data + g->bytes, pages + g->pages);
	Words w;

	if (!p)
		p = pattern_broken(pages, g->data);
	if (!p)
		return false;
	words_init(&w, text, TRIAL_TEXT);
	return guarded_tell(&w, "wrote ", (uintptr_t)p);
}
