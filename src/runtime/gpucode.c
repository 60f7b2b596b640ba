/*
 * gpucode: CUDA C to cubins, through a cache of files.
 *
 * A kept file is the cubin, then the compiler's log, then the cubin's size in
 * 8 bytes, sealed by store.c: spills and notes on wgmma are told by the log
 * alone, and a plan that is compiled from the cache is judged by them too. As
 * an ELF file ends where its headers say, disassemblers read it as it is.
 */
#include "runtime/gpucode.h"
#include "runtime/store.h"

#include <stdio.h>
#include <string.h>

#define ABI_NAME "tenon-cuda-abi-1"
#define ENDING   ".cubin"

typedef struct Work {
	Ctx *ctx;
	Arena *a; /* the caller's */
	Nvrtc *nvrtc;
	Store store;
	VEC(NvrtcSource) made;   /* what is not kept, each text once */
	VEC(GpuSource *) owners; /* whose they are */
} Work;

/*
 * NVRTC counts by its version and not by its path: the same one elsewhere
 * makes the same code, and plans travel.
 */
static void gpucode_key(const Work *w, GpuSource *src)
{
	NvrtcSource n = {.arch = src->arch, .options = src->options};
	const char *options = nvrtc_options(w->store.a, w->nvrtc, &n);
	char version[40];
	Sha256 *h = sha256_new(w->store.a);

	snprintf(version, sizeof(version), "NVRTC %d.%d", w->nvrtc->major,
		 w->nvrtc->minor);
	sha256_add(h, ABI_NAME, sizeof(ABI_NAME));
	sha256_add(h, version, strlen(version) + 1);
	sha256_add(h, options, strlen(options) + 1);
	sha256_add(h, src->text, strlen(src->text));
	sha256_end(h, src->key);
}

/* ---- files ----------------------------------------------------------- */

static bool facts_read(Ctx *ctx, Arena *a, GpuSource *src)
{
	return cubin_read(ctx, a, src->cubin, src->size, &src->facts) &&
	       cubin_read_log(ctx, &src->facts, src->log);
}

/* What is whole and yet no cubin to this version is compiled anew. */
static bool kept_take(const Work *w, GpuSource *src)
{
	uint64_t size;
	size_t n;
	const char *p =
		store_read(&w->store, store_path(&w->store, src->key, ENDING),
			   src->key, &n);

	if (!p || n < sizeof(size))
		return false;
	n -= sizeof(size);
	memcpy(&size, p + n, sizeof(size));
	if (size > n)
		return false;
	char *cubin = arena_alloc(w->a, size > 0 ? size : 1, 16);
	memcpy(cubin, p, size);
	src->cubin = cubin;
	src->size = size;
	src->log = arena_strndup(w->a, p + size, n - size);
	return facts_read(NULL, w->a, src);
}

static bool made_keep(const Work *w, size_t i)
{
	const NvrtcSource *made = &w->made.p[i];
	uint64_t size = made->size;
	const char *path =
		arena_printf(w->store.a, "%s/%zu" ENDING, w->store.work, i);
	Buf b;

	buf_init(&b, w->store.a);
	buf_write(&b, made->cubin, made->size);
	buf_puts(&b, made->log);
	buf_write(&b, &size, sizeof(size));
	return store_create(&w->store, path, b.p, b.n) &&
	       store_finish(&w->store, &path, w->owners.p[i]->key, ENDING);
}

/* ---- gpucode_load ---------------------------------------------------- */

/* Which of those to be made has this key; the number of them if none. */
static size_t made_find(const Work *w, const char *key)
{
	size_t i = 0;
	while (i < w->made.n && strcmp(w->owners.p[i]->key, key) != 0)
		i++;
	return i;
}

static void made_add(Work *w, GpuSource *src)
{
	NvrtcSource n = {.name = src->name,
			 .text = src->text,
			 .arch = src->arch,
			 .options = src->options};
	VEC_PUSH(w->store.a, w->made, n);
	VEC_PUSH(w->store.a, w->owners, src);
}

/* Takes what is kept, and lists the rest as to be made. */
static void kept_look(Work *w, GpuSource *src, size_t n)
{
	w->made.n = w->owners.n = 0;
	for (size_t i = 0; i < n; i++) {
		gpucode_key(w, &src[i]);
		src[i].cached = w->store.kept && kept_take(w, &src[i]);
		if (!src[i].cached && made_find(w, src[i].key) == w->made.n)
			made_add(w, &src[i]);
	}
}

static bool work_run(Work *w, const char *cache, GpuSource *src, size_t n)
{
	const int major = w->nvrtc->major, minor = w->nvrtc->minor;

	if (!store_open(&w->store, w->ctx, w->store.a, cache))
		return false;
	kept_look(w, src, n);
	if (w->made.n == 0)
		return true;
	if (!nvrtc_load(w->ctx, w->nvrtc))
		return false;
	if (w->nvrtc->major != major || w->nvrtc->minor != minor)
		kept_look(w, src, n);
	/* before the time is spent: whether the results can be kept */
	if (w->store.kept && !store_work(&w->store))
		return false;
	if (!nvrtc_compile(w->ctx, w->a, w->nvrtc, w->made.p, w->made.n))
		return false;
	for (size_t i = 0; i < w->made.n; i++) {
		w->owners.p[i]->compile_ms = w->made.p[i].ms;
		if (w->store.kept && !made_keep(w, i))
			return false;
	}
	for (size_t i = 0; i < n; i++) {
		const NvrtcSource *made;
		if (src[i].cached)
			continue;
		made = &w->made.p[made_find(w, src[i].key)];
		src[i].cubin = made->cubin;
		src[i].size = made->size;
		src[i].log = made->log;
		if (!facts_read(w->ctx, w->a, &src[i]))
			return false;
	}
	return true;
}

bool gpucode_load(Ctx *ctx, Arena *a, Nvrtc *nvrtc, const char *cache,
		  GpuSource *src, size_t n)
{
	Arena scratch;
	OomTrap trap;
	Work w = {.ctx = ctx,
		  .a = a,
		  .nvrtc = nvrtc,
		  .store = {.a = &scratch, .lock = -1}};

	for (size_t i = 0; i < n; i++) {
		src[i].key[0] = '\0';
		src[i].cached = false;
		src[i].compile_ms = 0;
		src[i].cubin = NULL;
		src[i].size = 0;
		src[i].log = "";
		src[i].facts = (Cubin){0};
	}
	arena_init(&scratch);
	if (OOM_TRAP(&trap)) {
		store_close(&w.store);
		arena_release(&scratch);
		oom_raise();
	}
	bool ok = work_run(&w, cache, src, n);
	oom_trap_pop(&trap);
	store_close(&w.store);
	arena_release(&scratch);
	return ok;
}
