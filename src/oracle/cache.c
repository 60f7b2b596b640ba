/*
 * cache: references kept on disk between judgements.
 *
 * The key is the SHA-256 of the program's text, the sizes, the bytes of
 * everything it reads, the accumulators and this file's format; one file a
 * result holds its reference, interval and flags in the result's dtype, led
 * by the SHA-256 of what follows. A file that does not match is no file: it
 * is evaluated and written anew. Files appear whole (file_write_atomic).
 * A result that depends on other returned results has no reference of its
 * own and is never kept. A cache that cannot be written is a warning.
 */
#include "oracle/eval.h"

#include <unistd.h>

/* The oracle's own sources are part of the key: the build names them. */
#ifndef ORACLE_SOURCES
#error "the Makefile defines ORACLE_SOURCES"
#endif
#define FORMAT "tenon reference 1 " ORACLE_SOURCES "\n"

static void add_tensor(Sha256 *h, const Tensor *t)
{
	sha256_add(h, &t->dtype, sizeof t->dtype);
	sha256_add(h, &t->rank, sizeof t->rank);
	sha256_add(h, t->shape, t->rank * sizeof t->shape[0]);
	sha256_add(h, t->data, tensor_bytes(t));
}

const char *cache_key(Eval *e, const OracleOptions *o)
{
	if (!o || !o->cache)
		return NULL;
	Sha256 *h = sha256_new(e->arena);
	Buf text;
	buf_init(&text, e->arena);
	program_print(e->p, &text);
	sha256_add(h, FORMAT, sizeof FORMAT);
	sha256_add(h, buf_str(&text), text.n + 1);
	sha256_add(h, e->dims, e->p->ex.dims.n * sizeof *e->dims);
	if (e->acc)
		sha256_add(h, e->acc, e->p->values.n * sizeof *e->acc);
	for (size_t i = 0; i < e->feeds->ninputs; i++)
		add_tensor(h, &e->feeds->inputs[i]);
	for (size_t i = 0; i < e->feeds->nweights; i++)
		add_tensor(h, &e->feeds->weights[i]);
	char *hex = arena_array(e->arena, char, SHA256_HEX);
	sha256_end(h, hex);
	return hex;
}

static const char *path_of(Eval *e, const OracleOptions *o, const char *key,
			   size_t result)
{
	return arena_printf(e->arena, "%s/%s-%zu.ref", o->cache, key, result);
}

/* Memory and messages of one file's reading or writing. */
typedef struct Scratch {
	Arena arena;
	Ctx ctx;
	OomTrap trap;
} Scratch;

static void scratch_release(Scratch *s)
{
	oom_trap_pop(&s->trap);
	ctx_release(&s->ctx);
	arena_release(&s->arena);
}

/* The file: hash, then ref, and if there is an interval lo, hi, flags. */
typedef struct Layout {
	size_t each; /* bytes of one of ref, lo, hi */
	size_t n, points, full;
} Layout;

static Layout layout_of(const Ev *v)
{
	Layout l = {.n = (size_t)v->n};
	l.each = l.n * (size_t)dtype_info[v->dtype].bytes;
	l.points = SHA256_HEX + l.each;
	l.full = SHA256_HEX + 3 * l.each + l.n;
	return l;
}

static bool contents_fill(Eval *e, Ev *v, const char *text, size_t len)
{
	Layout l = layout_of(v);
	char hex[SHA256_HEX];
	if (len != l.points && len != l.full)
		return false;
	sha256_hex(text + SHA256_HEX, len - SHA256_HEX, hex);
	if (memcmp(hex, text, SHA256_HEX) != 0)
		return false;
	const char *p = text + SHA256_HEX;
	v->ref = eval_nums(e, v->n);
	nums_load(v->dtype, p, 0, v->n, v->ref);
	if (len == l.points)
		return true;
	v->lo = eval_nums(e, v->n);
	v->hi = eval_nums(e, v->n);
	v->flags = eval_alloc(e, l.n);
	nums_load(v->dtype, p + l.each, 0, v->n, v->lo);
	nums_load(v->dtype, p + 2 * l.each, 0, v->n, v->hi);
	memcpy(v->flags, p + 3 * l.each, l.n);
	return true;
}

bool cache_load(Eval *e, const OracleOptions *o, const char *key, size_t result,
		Ev *v)
{
	const char *path = path_of(e, o, key, result);
	char *text;
	size_t len;
	Scratch s;
	if (access(path, R_OK) != 0)
		return false;
	arena_init(&s.arena);
	ctx_init(&s.ctx);
	if (OOM_TRAP(&s.trap)) {
		scratch_release(&s);
		oom_raise();
	}
	bool ok = file_read(&s.ctx, &s.arena, path, &text, &len) &&
		  contents_fill(e, v, text, len);
	scratch_release(&s);
	if (ok)
		file_touch(path);
	return ok;
}

void cache_store(Eval *e, const OracleOptions *o, const char *key,
		 size_t result, const Ev *v)
{
	const char *path = path_of(e, o, key, result);
	Layout l = layout_of(v);
	size_t size = v->lo ? l.full : l.points;
	char *text = eval_alloc(e, size), *p = text + SHA256_HEX;
	nums_store(v->dtype, p, 0, v->n, v->ref);
	if (v->lo) {
		nums_store(v->dtype, p + l.each, 0, v->n, v->lo);
		nums_store(v->dtype, p + 2 * l.each, 0, v->n, v->hi);
		memcpy(p + 3 * l.each, v->flags, l.n);
	}
	sha256_hex(p, size - SHA256_HEX, text);
	Scratch s;
	arena_init(&s.arena);
	ctx_init(&s.ctx);
	if (OOM_TRAP(&s.trap)) {
		scratch_release(&s);
		oom_raise();
	}
	if (!dir_make(&s.ctx, o->cache) ||
	    !file_write_atomic(&s.ctx, path, text, size))
		diag_warn(e->ctx, "the reference is not kept: %s",
			  buf_str(&s.ctx.messages));
	scratch_release(&s);
	eval_free(e, text);
}
