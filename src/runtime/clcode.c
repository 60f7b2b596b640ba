/*
 * clcode: OpenCL C to programs, through a cache of files.
 *
 * A kept file is what opencl_binary() gave, sealed by store.c. Its key is over
 * all that a binary depends on, so that another driver's is another file; that
 * a binary is this driver's is checked by opencl_load() again.
 */
#include "runtime/clcode.h"
#include "runtime/store.h"

#include <string.h>

#define ABI_NAME "tenon-opencl-abi-1"
#define ENDING   ".clbin"

static void key_make(Arena *a, const OpenclDevice *d, ClSource *src)
{
	const OpenclInfo *info = &d->info;
	const char *const parts[] = {ABI_NAME,
				     info->platform->name,
				     info->platform->version,
				     info->name,
				     info->version,
				     info->driver,
				     opencl_options(a, NULL)};
	Sha256 *h = sha256_new(a);

	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		sha256_add(h, parts[i], strlen(parts[i]) + 1);
	sha256_add(h, src->text, strlen(src->text));
	sha256_end(h, src->key);
}

/* From the folder; true with program NULL where it is not there. */
static bool kept_take(Store *s, const OpenclDevice *d, ClSource *src)
{
	size_t n;
	const char *bytes =
		store_read(s, store_path(s, src->key, ENDING), src->key, &n);

	if (!bytes)
		return true;
	if (!opencl_load(s->ctx, d, src->name, bytes, n, NULL, &src->program))
		return false;
	src->cached = src->program != NULL;
	return true;
}

static bool made_keep(Store *s, const OpenclDevice *d, const ClSource *src,
		      size_t i)
{
	void *bytes;
	size_t n;

	if (!opencl_binary(s->ctx, s->a, d, src->program, &bytes, &n))
		return false;
	if (n == 0)
		return true;
	if (!store_work(s))
		return false;
	const char *path = arena_printf(s->a, "%s/%zu" ENDING, s->work, i);
	return store_create(s, path, bytes, n) &&
	       store_finish(s, &path, src->key, ENDING);
}

static bool load(Store *s, const OpenclDevice *d, const char *cache,
		 ClSource *src, size_t n)
{
	if (!store_open(s, s->ctx, s->a, cache))
		return false;
	for (size_t i = 0; i < n; i++) {
		key_make(s->a, d, &src[i]);
		if (s->kept && !kept_take(s, d, &src[i]))
			return false;
		if (src[i].program)
			continue;
		if (!opencl_build(s->ctx, d, src[i].name, src[i].text, NULL,
				  &src[i].program) ||
		    (s->kept && !made_keep(s, d, &src[i], i)))
			return false;
	}
	return true;
}

static void drop(const OpenclDevice *d, ClSource *src, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		opencl_program_free(NULL, d, src[i].program);
		src[i].program = NULL;
	}
}

bool clcode_load(Ctx *ctx, const OpenclDevice *d, const char *cache,
		 ClSource *src, size_t n)
{
	Arena scratch;
	OomTrap trap;
	Store s = {.ctx = ctx, .a = &scratch, .lock = -1};

	for (size_t i = 0; i < n; i++) {
		src[i].cached = false;
		src[i].program = NULL;
	}
	arena_init(&scratch);
	if (OOM_TRAP(&trap)) {
		store_close(&s);
		arena_release(&scratch);
		drop(d, src, n);
		oom_raise();
	}
	bool ok = load(&s, d, cache, src, n);
	oom_trap_pop(&trap);
	store_close(&s);
	arena_release(&scratch);
	if (!ok)
		drop(d, src, n);
	return ok;
}
