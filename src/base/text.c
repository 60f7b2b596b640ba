/*
 * text: growable text, string maps, and the hash behind them.
 *
 * A Buf is NUL-terminated after every write, so that its text can be handed
 * out without a copy. StrMap is open addressing with linear probing over a
 * power of two of slots, at most 3/4 full; the hash is FNV-1a in 64-bit
 * words with the finaliser of MurmurHash3 (both public domain), good enough
 * for tables and not meant to be stable.
 */
#include "base/base.h"

#include <stdio.h>
#include <string.h>

void buf_init(Buf *b, Arena *a)
{
	*b = (Buf){.arena = a};
}

/* Makes room for n more bytes and the NUL. */
static void buf_reserve(Buf *b, size_t n)
{
	if (n > PTRDIFF_MAX / 4 - b->n)
		oom_raise();
	size_t need = b->n + n + 1;
	if (need <= b->cap)
		return;
	size_t cap = b->cap < 64 ? 64 : 2 * b->cap;
	if (cap < need)
		cap = need;
	char *p = arena_alloc(b->arena, cap, 1);
	if (b->n > 0)
		memcpy(p, b->p, b->n);
	b->p = p;
	b->cap = cap;
}

void buf_write(Buf *b, const void *p, size_t n)
{
	buf_reserve(b, n);
	if (n > 0)
		memcpy(b->p + b->n, p, n);
	b->n += n;
	b->p[b->n] = '\0';
}

void buf_putc(Buf *b, char c)
{
	buf_write(b, &c, 1);
}

void buf_puts(Buf *b, const char *s)
{
	buf_write(b, s, strlen(s));
}

void buf_vprintf(Buf *b, const char *fmt, va_list ap)
{
	va_list again;
	va_copy(again, ap);
	size_t room = b->cap > b->n ? b->cap - b->n : 0;
	int n = vsnprintf(room ? b->p + b->n : NULL, room, fmt, ap);
	bug_if(n < 0);
	if ((size_t)n >= room) {
		buf_reserve(b, (size_t)n);
		vsnprintf(b->p + b->n, (size_t)n + 1, fmt, again);
	}
	va_end(again);
	b->n += (size_t)n;
}

void buf_printf(Buf *b, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	buf_vprintf(b, fmt, ap);
	va_end(ap);
}

void buf_json_string(Buf *b, const char *s)
{
	buf_putc(b, '"');
	size_t left = strlen(s);
	while (left > 0) {
		unsigned char c = (unsigned char)*s;
		size_t n = utf8_length(s, left);
		if (c == '"' || c == '\\')
			buf_printf(b, "\\%c", c);
		else if (c == '\n')
			buf_puts(b, "\\n");
		else if (c == '\t')
			buf_puts(b, "\\t");
		else if (c < 0x20 || c == 0x7f)
			buf_printf(b, "\\u%04x", c);
		else if (n == 0)
			buf_puts(b, "\\ufffd"); /* not UTF-8 */
		else
			buf_write(b, s, n);
		n = n == 0 ? 1 : n;
		s += n;
		left -= n;
	}
	buf_putc(b, '"');
}

const char *buf_str(Buf *b)
{
	return b->p ? b->p : "";
}

void buf_indent(Buf *b, int depth)
{
	for (int i = 0; i < depth; i++)
		buf_putc(b, '\t');
}

/*
 * Well-formed means the shortest form, no surrogates, at most U+10FFFF
 * (Unicode 15, table 3-7).
 */
size_t utf8_length(const char *s, size_t n)
{
	const unsigned char *p = (const unsigned char *)s;
	if (n == 0)
		return 0;
	if (p[0] < 0x80)
		return 1;
	size_t len = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
	if (p[0] < 0xc2 || p[0] > 0xf4 || n < len)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	}
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return len;
}

/* ---- hash ------------------------------------------------------------ */

uint64_t hash_bytes(const void *p, size_t n, uint64_t seed)
{
	const unsigned char *s = p;
	uint64_t h = seed ^ 0xcbf29ce484222325u ^ n;
	uint64_t w = 0;
	for (; n >= 8; s += 8, n -= 8) {
		memcpy(&w, s, 8);
		h = (h ^ w) * 0x100000001b3u;
		h ^= h >> 32;
	}
	if (n > 0) {
		w = 0;
		memcpy(&w, s, n);
		h = (h ^ w) * 0x100000001b3u;
		h ^= h >> 32;
	}
	h ^= h >> 33;
	h *= 0xff51afd7ed558ccdu;
	h ^= h >> 33;
	h *= 0xc4ceb9fe1a85ec53u;
	return h ^ h >> 33;
}

/* ---- string maps ----------------------------------------------------- */

typedef struct Slot {
	const char *key; /* NULL: free */
	uint64_t hash;
	uint32_t value;
} Slot;

struct StrMap {
	Arena *arena;
	Slot *slots;
	size_t size, used; /* size: a power of two */
};

StrMap *strmap_new(Arena *a)
{
	StrMap *m = arena_new(a, StrMap);
	m->arena = a;
	m->size = 16;
	m->slots = arena_array(a, Slot, m->size);
	return m;
}

/* The slot that holds the key, or the free one where it would go. */
static Slot *slot_find(Slot *slots, size_t size, const char *key, uint64_t h)
{
	size_t i = (size_t)h & (size - 1);
	while (slots[i].key &&
	       (slots[i].hash != h || strcmp(slots[i].key, key) != 0))
		i = (i + 1) & (size - 1);
	return &slots[i];
}

bool strmap_get(const StrMap *m, const char *key, uint32_t *value)
{
	uint64_t h = hash_bytes(key, strlen(key), 0);
	const Slot *s = slot_find(m->slots, m->size, key, h);
	if (!s->key)
		return false;
	if (value)
		*value = s->value;
	return true;
}

void strmap_set(StrMap *m, const char *key, uint32_t value)
{
	uint64_t h = hash_bytes(key, strlen(key), 0);
	Slot *s = slot_find(m->slots, m->size, key, h);
	if (s->key) {
		s->value = value;
		return;
	}
	const char *copy = arena_strdup(m->arena, key);
	if (4 * (m->used + 1) > 3 * m->size) {
		size_t size = 2 * m->size;
		Slot *slots = arena_array(m->arena, Slot, size);
		for (size_t i = 0; i < m->size; i++) {
			const Slot *o = &m->slots[i];
			if (o->key)
				*slot_find(slots, size, o->key, o->hash) = *o;
		}
		m->slots = slots;
		m->size = size;
		s = slot_find(slots, size, key, h);
	}
	*s = (Slot){.key = copy, .hash = h, .value = value};
	m->used++;
}
