/*
 * arena: bump allocation in chunks that double up to a limit.
 *
 * Every node, name and message of a compilation lives in an arena, so that
 * ownership is the arena's and releasing it is one walk over its chunks.
 * The newest chunk is the largest but for oversized requests, hence
 * arena_clear keeps the largest one seen.
 *
 * Out of memory unwinds with longjmp to the innermost OomTrap. The tests
 * fail the Nth allocation (an idea of Lua's test suite): both arena_alloc
 * and the system calls under it are counted, so that every call site can be
 * made to fail whether or not it happens to need a new chunk.
 */
#include "base/base.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#define TN_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TN_ASAN 1
#endif
#endif
#ifndef TN_ASAN
#define TN_ASAN 0
#endif

#if TN_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(p, n)   ASAN_POISON_MEMORY_REGION(p, n)
#define UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION(p, n)
/* A gap after each block, so that an overrun meets poison. */
#define RED_ZONE 16
#else
#define POISON(p, n)   ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
#define RED_ZONE       0
#endif

#define CHUNK_FIRST ((size_t)4 << 10)
#define CHUNK_LIMIT ((size_t)1 << 20)
#define BIG_ALIGN   ((size_t)64)

struct ArenaChunk {
	ArenaChunk *next;
	size_t size; /* of data */
	size_t used;
	_Alignas(64) char data[];
};

/* A call due when the arena is cleared or released. */
struct ArenaDefer {
	ArenaDefer *next;
	void (*fn)(void *);
	void *p;
};

/* ---- out of memory --------------------------------------------------- */

static TN_THREAD OomTrap *oom_trap;
static TN_THREAD ScratchArena *scratch; /* the innermost */
static atomic_long oom_count;
static atomic_long oom_fail_at; /* the count at which to fail; 0: never */

void scratch_begin(ScratchArena *s)
{
	arena_init(&s->arena);
	s->outer = scratch;
	scratch = s;
}

void scratch_end(ScratchArena *s)
{
	scratch = s->outer;
	arena_release(&s->arena);
}

void oom_trap_push(OomTrap *t)
{
	t->scratch = scratch;
	t->outer = oom_trap;
	oom_trap = t;
}

/* Also right after t was taken by oom_raise(), which has popped it. */
void oom_trap_pop(OomTrap *t)
{
	for (OomTrap *i = oom_trap; i; i = i->outer) {
		if (i == t) {
			oom_trap = t->outer;
			return;
		}
	}
}

TN_NORETURN void oom_raise(void)
{
	OomTrap *t = oom_trap;
	if (!t)
		bug("out of memory outside an OomTrap");
	while (scratch != t->scratch)
		scratch_end(scratch);
	oom_trap = t->outer;
	longjmp(t->env, 1);
}

void oom_fail_nth(long n)
{
	long now = atomic_load(&oom_count);
	atomic_store(&oom_fail_at, n > 0 ? now + n : 0);
}

long oom_allocations(void)
{
	return atomic_load(&oom_count);
}

/* Counts one allocation; true when the tests want it refused. */
static bool oom_due(void)
{
	long n =
		atomic_fetch_add_explicit(&oom_count, 1, memory_order_relaxed) +
		1;
	return n == atomic_load_explicit(&oom_fail_at, memory_order_relaxed);
}

/* ---- arenas ---------------------------------------------------------- */

void arena_init(Arena *a)
{
	*a = (Arena){0};
}

static void arena_run_deferred(Arena *a)
{
	while (a->deferred) {
		ArenaDefer *d = a->deferred;
		a->deferred = d->next;
		d->fn(d->p);
	}
}

static void chunk_free(ArenaChunk *c)
{
	UNPOISON(c->data, c->size);
	free(c);
}

void arena_release(Arena *a)
{
	arena_run_deferred(a);
	while (a->head) {
		ArenaChunk *c = a->head;
		a->head = c->next;
		chunk_free(c);
	}
	*a = (Arena){0};
}

void arena_clear(Arena *a)
{
	arena_run_deferred(a);
	ArenaChunk *keep = NULL;
	for (ArenaChunk *c = a->head, *next; c; c = next) {
		next = c->next;
		if (!keep) {
			keep = c;
		} else if (c->size > keep->size) {
			chunk_free(keep);
			keep = c;
		} else {
			chunk_free(c);
		}
	}
	if (keep) {
		keep->next = NULL;
		keep->used = 0;
		POISON(keep->data, keep->size);
	}
	a->head = keep;
	a->used = 0;
}

/* Pushes a chunk with room for `need` bytes. */
static void arena_add_chunk(Arena *a, size_t need)
{
	size_t size = CHUNK_FIRST;
	if (a->head)
		size = a->head->size < CHUNK_LIMIT ? 2 * a->head->size
						   : CHUNK_LIMIT;
	if (size > CHUNK_LIMIT)
		size = CHUNK_LIMIT;
	if (size < need)
		size = need;
	if (size > PTRDIFF_MAX - sizeof(ArenaChunk) - BIG_ALIGN || oom_due())
		oom_raise();
	size = (size + BIG_ALIGN - 1) / BIG_ALIGN * BIG_ALIGN;
	ArenaChunk *c =
		aligned_alloc(_Alignof(ArenaChunk), sizeof(ArenaChunk) + size);
	if (!c)
		oom_raise();
	c->size = size;
	c->used = 0;
	c->next = a->head;
	a->head = c;
	POISON(c->data, c->size);
}

/* Where a block of that alignment starts in the chunk. */
static size_t chunk_offset(const ArenaChunk *c, size_t align)
{
	uintptr_t at = (uintptr_t)c->data + c->used;
	return c->used + (size_t)(-at & (align - 1));
}

void *arena_alloc(Arena *a, size_t size, size_t align)
{
	bug_if(align == 0 || (align & (align - 1)) != 0);
	if (oom_due())
		oom_raise();
	if (size > PTRDIFF_MAX / 2 || align > PTRDIFF_MAX / 4)
		oom_raise();
	size_t off = 0;
	if (a->head)
		off = chunk_offset(a->head, align);
	if (!a->head || off > a->head->size ||
	    a->head->size - off < size + RED_ZONE) {
		arena_add_chunk(a, size + align + RED_ZONE);
		off = chunk_offset(a->head, align);
	}
	ArenaChunk *c = a->head;
	c->used = off + size + RED_ZONE;
	a->used += size;
	void *p = c->data + off;
	UNPOISON(p, size);
	return memset(p, 0, size);
}

void *arena_alloc_array(Arena *a, size_t elem, size_t n, size_t align)
{
	size_t size;
	if (__builtin_mul_overflow(elem, n, &size))
		oom_raise();
	return arena_alloc(a, size, align);
}

void *arena_grow(Arena *a, void *p, size_t elem, size_t len, size_t *cap)
{
	if (len < *cap)
		return p;
	size_t more = *cap < 8 ? 8 : 2 * *cap;
	if (more <= len)
		more = len + 1;
	void *q = arena_alloc_array(a, elem, more, _Alignof(max_align_t));
	if (len > 0)
		memcpy(q, p, elem * len);
	*cap = more;
	return q;
}

void arena_defer(Arena *a, void (*fn)(void *), void *p)
{
	ArenaDefer *d = arena_new(a, ArenaDefer);
	*d = (ArenaDefer){.next = a->deferred, .fn = fn, .p = p};
	a->deferred = d;
}

char *arena_strndup(Arena *a, const char *s, size_t n)
{
	if (n == SIZE_MAX)
		oom_raise();
	char *p = arena_alloc(a, n + 1, 1);
	if (n > 0)
		memcpy(p, s, n);
	return p;
}

char *arena_strdup(Arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

char *arena_vprintf(Arena *a, const char *fmt, va_list ap)
{
	char text[256]; /* most results fit, and are formatted once */
	va_list again;
	bug_if(!fmt);
	va_copy(again, ap);
	int n = vsnprintf(text, sizeof(text), fmt, again);
	va_end(again);
	bug_if(n < 0);
	if ((size_t)n < sizeof(text))
		return arena_strndup(a, text, (size_t)n);
	char *p = arena_alloc(a, (size_t)n + 1, 1);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	return p;
}

char *arena_printf(Arena *a, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	char *p = arena_vprintf(a, fmt, ap);
	va_end(ap);
	return p;
}

/* ---- large data ------------------------------------------------------ */

/*
 * Large blocks start on a huge page and ask for such pages: a matrix
 * product strides through its operands and would miss the TLB otherwise.
 */
void *big_alloc(size_t size)
{
	if (oom_due() || size > PTRDIFF_MAX - HUGE_PAGE)
		return NULL;
	/* at half of one, memory is at most doubled */
	size_t align = size >= HUGE_PAGE / 2 ? HUGE_PAGE : BIG_ALIGN;
	size_t full = (size + align - 1) / align * align;
	void *p = aligned_alloc(align, full > 0 ? full : align);
#ifdef MADV_HUGEPAGE
	if (p && align == HUGE_PAGE)
		(void)madvise(p, full, MADV_HUGEPAGE); /* a wish only */
#endif
	return p;
}

void big_free(void *p, size_t size)
{
	(void)size;
	free(p);
}
