/*
 * base: what every other folder stands on; it knows no tensors.
 *
 *   memory   arenas; out of memory unwinds to the nearest OomTrap
 *   text     growable buffers, interned strings
 *   diag     sources, locations, the user's and the environment's errors
 *   hash     SHA-256 (libcrypto), hex
 *   files    whole-file reads, atomic writes, XDG folders
 *   pool     one persistent pool of threads
 *
 * Ownership: a function that returns memory takes the arena first; the
 * memory lives as long as that arena. Nothing here prints or exits, except
 * bug(), which reports a fault of Tenon itself and aborts.
 */
#ifndef TENON_BASE_H
#define TENON_BASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TN_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define TN_NORETURN          __attribute__((noreturn))
#define TN_UNUSED            __attribute__((unused))
#define TN_NOINLINE          __attribute__((noinline))
#define TN_THREAD            __thread
#define ARRAY_LEN(a)         (sizeof(a) / sizeof((a)[0]))

/* A fault of Tenon itself: prints our place and the stage at hand, aborts. */
#define bug(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)
#define bug_if(cond)                                                           \
	do {                                                                   \
		if (cond)                                                      \
			bug("%s", #cond);                                      \
	} while (0)
TN_NORETURN void bug_at(const char *file, int line, const char *fmt, ...)
	TN_PRINTF(3, 4);
/* The stage named in a bug report of this thread; a string literal or NULL. */
void bug_stage(const char *stage);

/* ---- memory ---------------------------------------------------------- */

/*
 * Allocation never returns NULL. When the system refuses, oom_raise() jumps
 * to the innermost trap of this thread, whose owner releases its arenas and
 * returns TENON_ENOMEM; with no trap set it is a bug(). Arena memory is
 * zeroed. Never hold an open file or a lock across an arena call.
 */
typedef struct OomTrap OomTrap;
typedef struct ScratchArena ScratchArena;
struct OomTrap {
	jmp_buf env;
	OomTrap *outer;
	ScratchArena *scratch; /* the innermost when it was set */
};
/* if (OOM_TRAP(&t)) { out of memory: clean up } ... oom_trap_pop(&t); */
#define OOM_TRAP(t) (oom_trap_push(t), setjmp((t)->env))
void oom_trap_push(OomTrap *t);
void oom_trap_pop(OomTrap *t);
TN_NORETURN void oom_raise(void);
/* Tests: make the nth allocation from now fail (0: never). */
void oom_fail_nth(long n);
long oom_allocations(void); /* allocations made so far by the process */

typedef struct ArenaChunk ArenaChunk;
typedef struct ArenaDefer ArenaDefer;
typedef struct Arena {
	ArenaChunk *head;
	ArenaDefer *deferred;
	size_t used; /* bytes handed out, for tests and reports */
} Arena;

void arena_init(Arena *a);
void arena_release(Arena *a); /* frees all; the arena may be used again */
void arena_clear(Arena *a);   /* keeps one chunk; poisons it under ASan */
void *arena_alloc(Arena *a, size_t size, size_t align);
/*
 * An arena of one function's, on its stack, between scratch_begin() and
 * scratch_end(): out of memory that unwinds past it releases it. They nest.
 */
struct ScratchArena {
	Arena arena;
	ScratchArena *outer;
};
void scratch_begin(ScratchArena *s);
void scratch_end(ScratchArena *s);
/* n elements; a size that overflows is out of memory. */
void *arena_alloc_array(Arena *a, size_t elem, size_t n, size_t align);
/* Has fn(p) called when the arena is next cleared or released. */
void arena_defer(Arena *a, void (*fn)(void *), void *p);
/* Grows an array: returns p if cap suffices, else a larger copy. */
void *arena_grow(Arena *a, void *p, size_t elem, size_t len, size_t *cap);
char *arena_strdup(Arena *a, const char *s);
char *arena_strndup(Arena *a, const char *s, size_t n);
char *arena_printf(Arena *a, const char *fmt, ...) TN_PRINTF(2, 3);
char *arena_vprintf(Arena *a, const char *fmt, va_list ap) TN_PRINTF(2, 0);
#define arena_new(a, T) ((T *)arena_alloc((a), sizeof(T), _Alignof(T)))
#define arena_array(a, T, n)                                                   \
	((T *)arena_alloc_array((a), sizeof(T), (size_t)(n), _Alignof(T)))

/*
 * Array in an arena: declare `VEC(T) v;`, zero it, then
 * VEC_PUSH(arena, v, x); elements v.p[0 .. v.n-1].
 */
#define VEC(T)                                                                 \
	struct {                                                               \
		T *p;                                                          \
		size_t n, cap;                                                 \
	}
#define VEC_PUSH(a, v, x)                                                      \
	((v).p = arena_grow((a), (v).p, sizeof(*(v).p), (v).n, &(v).cap),      \
	 (v).p[(v).n++] = (x))

#define HUGE_PAGE ((size_t)2 << 20) /* bytes; where the system has such */

/* Large data (tensors): 64-byte aligned, not zeroed; NULL when refused. */
void *big_alloc(size_t size);
void big_free(void *p, size_t size);

/* ---- text ------------------------------------------------------------ */

/* Growable text in an arena; always NUL-terminated after the first write. */
typedef struct Buf {
	Arena *arena;
	char *p;
	size_t n, cap;
} Buf;

void buf_init(Buf *b, Arena *a);
void buf_putc(Buf *b, char c);
void buf_puts(Buf *b, const char *s);
void buf_write(Buf *b, const void *p, size_t n);
void buf_printf(Buf *b, const char *fmt, ...) TN_PRINTF(2, 3);
void buf_vprintf(Buf *b, const char *fmt, va_list ap) TN_PRINTF(2, 0);
void buf_json_string(Buf *b, const char *s); /* quoted and escaped */
const char *buf_str(Buf *b);                 /* "" when nothing was written */
void buf_indent(Buf *b, int depth);          /* depth tabs */
/* Bytes of the well-formed UTF-8 character at s; 0 if there is none. */
size_t utf8_length(const char *s, size_t n);

/* Map from byte strings to uint32; grows in its arena. */
typedef struct StrMap StrMap;
StrMap *strmap_new(Arena *a);
bool strmap_get(const StrMap *m, const char *key, uint32_t *value);
void strmap_set(StrMap *m, const char *key, uint32_t value);

uint64_t hash_bytes(const void *p, size_t n, uint64_t seed); /* not stable
	across versions; for tables only */

/* ---- diag ------------------------------------------------------------ */

/*
 * A place in a source text. line and col count from 1, col and len in bytes;
 * line 0: no place.
 */
typedef struct Loc {
	uint32_t file; /* index into Ctx.sources */
	uint32_t line, col;
	uint32_t len; /* bytes over the caret line, at least 1 */
} Loc;

typedef struct Source {
	const char *name; /* as the user wrote it */
	const char *text; /* NUL-terminated */
	size_t len;
} Source;

/* Error classes; the values are the command's exit codes. */
typedef enum ErrKind {
	ERR_NONE = 0,
	ERR_PROGRAM = 1, /* the program, its data or its result is wrong */
	ERR_USAGE = 2,
	ERR_ENV = 3,   /* the environment: compiler, file system, library */
	ERR_NOMEM = 4, /* exit code 3 as well */
} ErrKind;

/*
 * One compilation or run. Not shared between threads, except where a
 * function says so.
 */
typedef struct Ctx {
	Arena perm;    /* lives as long as the context */
	Arena scratch; /* cleared after each pass */
	VEC(Source) sources;
	ErrKind err;  /* the first error's class */
	Buf messages; /* every message, formatted, each ends in \n */
	int errors;
	VEC(const char *) warnings; /* one line each, no newline */
	int threads; /* for the oracle and the run time; at least 1 */
} Ctx;

void ctx_init(Ctx *ctx);
void ctx_release(Ctx *ctx);
void ctx_clear_errors(Ctx *ctx);
uint32_t ctx_add_source(Ctx *ctx, const char *name, const char *text,
			size_t len); /* copies both */

/*
 * The user's mistake, at a place. Appends
 *   file:line:col: error: TEXT
 *       the source line
 *       ^~~~
 *   hint: HINT
 * (hint may be NULL) and returns false at once, so that callers write
 * `return diag_error(...)`.
 */
bool diag_error(Ctx *ctx, Loc loc, const char *hint, const char *fmt, ...)
	TN_PRINTF(4, 5);
/* A further place that belongs to the last error: "note: TEXT". */
void diag_note(Ctx *ctx, Loc loc, const char *fmt, ...) TN_PRINTF(3, 4);
/* An error without a place: "tenon: error: TEXT" and hint; returns false. */
bool diag_fail(Ctx *ctx, ErrKind kind, const char *hint, const char *fmt, ...)
	TN_PRINTF(4, 5);
void diag_warn(Ctx *ctx, const char *fmt, ...) TN_PRINTF(2, 3);
extern const Loc LOC_NONE;

/* ---- hash ------------------------------------------------------------ */

#define SHA256_HEX 65 /* 64 digits and the NUL */
typedef struct Sha256 Sha256;
Sha256 *sha256_new(Arena *a);
void sha256_add(Sha256 *h, const void *p, size_t n);
void sha256_end(Sha256 *h, char hex[SHA256_HEX]);
void sha256_hex(const void *p, size_t n, char hex[SHA256_HEX]);

/* ---- files ----------------------------------------------------------- */

/*
 * Where ctx is NULL, these return false and report nothing.
 *
 * Reads a whole file, NUL added after it. False with an error reported.
 */
bool file_read(Ctx *ctx, Arena *a, const char *path, char **text, size_t *len);
/*
 * Writes beside the target and renames over it, so that readers see the old
 * file or the new one, whole. Short writes (disk full) are errors and leave
 * nothing behind.
 */
bool file_write_atomic(Ctx *ctx, const char *path, const void *p, size_t n);
bool file_exists(const char *path);
bool fd_write_all(int fd, const void *p, size_t n); /* false: see errno */
/* With parents, mode 0700. When false, errno says why. */
bool dir_make(Ctx *ctx, const char *path);
/* $XDG_CACHE_HOME/tenon or ~/.cache/tenon; false when neither is known. */
bool cache_dir(Ctx *ctx, Arena *a, const char **path);
/*
 * Removes files of these folders, the least recently used (file_touch) first,
 * until they hold at most `limit` bytes; what is left. Never an error.
 */
uint64_t folders_trim(Arena *a, const char *const *folders, size_t n,
		      uint64_t limit);
void file_touch(const char *path); /* it is used now */
/* Monotonic seconds. */
double clock_seconds(void);

/* ---- pool ------------------------------------------------------------ */

/*
 * Runs fn(arg, worker) on up to `workers` threads, the caller being worker
 * 0, and returns when every worker that joined has returned. Work is
 * claimed by fn itself from a shared counter, so that fewer workers than
 * asked for (a late or failed thread) still do all of it. Threads persist
 * between calls; safe from several caller threads (a busy pool runs the
 * call on the caller alone) and after fork(). Out of memory in any worker is
 * raised in the caller once all have returned.
 */
typedef void (*PoolFn)(void *arg, int worker);
void pool_run(int workers, PoolFn fn, void *arg);
/*
 * Binds the pool's threads, from the next pool_run of several workers on: the
 * first that was started to cpus[1 % n], and so on. cpus[0] is left for the
 * caller, which is not bound. n 0: to none in particular. False if this process
 * may not use one of the CPUs.
 */
bool pool_affinity(const int *cpus, unsigned n);
int cpu_count(void); /* CPUs this process may run on, at least 1 */

#endif
