/*
 * code: sources to loaded code, through a cache of shared objects.
 *
 * A cached file is a shared object with the trailer of store.c, which the
 * loader ignores. The work folder takes the compiler's own temporary files.
 *
 * The flags: no contraction and nothing of fast-math, for the contract.
 * -fno-math-errno changes no value and lets sqrt be an instruction.
 * -fno-trapping-math is left out, since gcc 12 then turns a conversion to
 * integer and back into a truncation, which keeps the sign of a zero.
 * -fwrapv since integers wrap. -fno-strict-aliasing since a buffer of the
 * plan serves values of several types in turn; restrict pointers tell the
 * compiler what it needs. Symbols are hidden but for those the source
 * marks. -nostdlib leaves out start files and libc, which our own process
 * has; the libraries named last are what builtins may call. Without them
 * and without the plugin for link-time optimisation, linking takes 5 ms
 * rather than 9 to 11.
 */
#include "runtime/runtime.h"
#include "runtime/store.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define ABI_NAME      "tenon-abi-1"
#define MESSAGE_LIMIT 4000 /* bytes of compiler messages in an error */

static const char *const common_flags[] = {
	"-O2",
	"-std=gnu17",
	"-fPIC",
	"-shared",
	"-ffp-contract=off",
	"-fno-math-errno",
	"-fwrapv",
	"-fno-strict-aliasing",
	"-fvisibility=hidden",
	"-Wno-psabi", /* static functions pass vectors as they like */
	"-Wl,--build-id=none",
	"-s",
	"-nostdlib",
};

/* Not clang's, which has no such plugin and says so. */
static const char plugin_flag[] = "-fno-use-linker-plugin";

/* One compilation. The worker that claims it fills in what follows `so`. */
typedef struct Item {
	CodeSource *src;
	const char *so;  /* made in the work folder, then loaded */
	const char *log; /* what the compiler printed */
	const char *const *argv;
	int status, err; /* wait's; errno if it did not start */
	double ms;
} Item;

typedef struct Work {
	Ctx *ctx;
	Arena *a; /* released when code_load returns */
	const Compiler *cc;
	const Isa *isa;
	Store store;
	char **env;
	VEC(Item) items;
	atomic_size_t next;
} Work;

/* ---- keys ------------------------------------------------------------ */

const char *code_flags(Arena *a, const Compiler *cc, const Isa *isa)
{
	Buf b;
	buf_init(&b, a);
	for (size_t i = 0; i < ARRAY_LEN(common_flags); i++)
		buf_printf(&b, "%s%s", i > 0 ? " " : "", common_flags[i]);
	if (!cc->clang)
		buf_printf(&b, " %s", plugin_flag);
	for (size_t i = 0; isa->flags[i]; i++)
		buf_printf(&b, " %s", isa->flags[i]);
	return buf_str(&b);
}

/*
 * The compiler counts by its version and not by its path: the same one
 * elsewhere makes the same code, and plans travel.
 */
static void code_key(const Work *w, const char *flags, CodeSource *src)
{
	Sha256 *h = sha256_new(w->a);
	sha256_add(h, ABI_NAME, sizeof(ABI_NAME));
	sha256_add(h, w->cc->version, strlen(w->cc->version) + 1);
	sha256_add(h, flags, strlen(flags) + 1);
	sha256_add(h, src->text, strlen(src->text));
	sha256_end(h, src->key);
}

/* ---- compiling ------------------------------------------------------- */

static void work_compile(void *arg, int worker)
{
	Work *w = arg;
	size_t i;
	(void)worker;
	while ((i = atomic_fetch_add(&w->next, 1)) < w->items.n) {
		Item *it = &w->items.p[i];
		double start = clock_seconds();
		int log = open(it->log, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		it->err = 0;
		if (log < 0 || !process_run(it->argv, w->env, log, &it->status))
			it->err = errno;
		if (log >= 0)
			close(log);
		it->ms = 1e3 * (clock_seconds() - start);
	}
}

static const char *const *compile_argv(const Work *w, const char *c,
				       const char *so)
{
	VEC(const char *) v = {0};
	VEC_PUSH(w->a, v, w->cc->path);
	for (size_t i = 0; i < ARRAY_LEN(common_flags); i++)
		VEC_PUSH(w->a, v, common_flags[i]);
	if (!w->cc->clang)
		VEC_PUSH(w->a, v, plugin_flag);
	for (size_t i = 0; w->isa->flags[i]; i++)
		VEC_PUSH(w->a, v, w->isa->flags[i]);
	VEC_PUSH(w->a, v, "-o");
	VEC_PUSH(w->a, v, so);
	VEC_PUSH(w->a, v, c);
	VEC_PUSH(w->a, v, "-lm");
	VEC_PUSH(w->a, v, "-lgcc");
	VEC_PUSH(w->a, v, NULL);
	return v.p;
}

static bool work_add(Work *w, CodeSource *src)
{
	size_t i = w->items.n;
	const char *c = arena_printf(w->a, "%s/%zu.c", w->store.work, i);
	Item it = {.src = src, .status = -1};
	it.so = arena_printf(w->a, "%s/%zu.so", w->store.work, i);
	it.log = arena_printf(w->a, "%s/%zu.log", w->store.work, i);
	it.argv = compile_argv(w, c, it.so);
	if (!store_create(&w->store, c, src->text, strlen(src->text)))
		return false;
	VEC_PUSH(w->a, w->items, it);
	return true;
}

static bool folder_is_full(const char *path)
{
	struct statvfs st;
	return statvfs(path, &st) == 0 && st.f_bavail * st.f_frsize < 1 << 20;
}

/*
 * A full disk shows in the compiler's words, or as a linker killed by the
 * bus error of a mapped file that could not grow, or while the files are
 * still there. A compiler or linker that says nothing of it has removed its
 * files since, of a size that is not known here: with less than 1 MiB left it
 * is taken for the disk.
 */
static bool log_tells_full(const char *log)
{
	return strstr(log, "No space left on device") != NULL ||
	       strstr(log, "Disk quota exceeded") != NULL ||
	       strstr(log, "[Bus error]") != NULL;
}

static bool compile_failed(const Work *w, const Item *it)
{
	char *log = NULL;
	size_t n = 0;
	if (it->err == ENOSPC)
		return store_cannot_write(&w->store, ENOSPC);
	if (it->err != 0)
		return diag_fail(w->ctx, ERR_ENV, NULL,
				 "cannot run the C compiler %s: %s",
				 w->cc->path, strerror(it->err));
	if (!file_read(NULL, w->a, it->log, &log, &n))
		log = arena_strdup(w->a, "");
	if (log_tells_full(log) || folder_is_full(w->store.work))
		return store_cannot_write(&w->store, ENOSPC);
	if (n > MESSAGE_LIMIT)
		log = arena_printf(w->a, "%.*s...", MESSAGE_LIMIT, log);
	const char *how = "failed";
	if (it->status != -1 && WIFSIGNALED(it->status))
		how = arena_printf(w->a, "was killed by signal %d",
				   WTERMSIG(it->status));
	return diag_fail(w->ctx, ERR_ENV, NULL,
			 "the C compiler %s %s on kernel %s:\n%s", w->cc->path,
			 how, it->src->name, log);
}

static bool item_succeeded(const Item *it)
{
	if (it->err != 0)
		return false;
	if (it->status == -1) /* reaped elsewhere: the file tells */
		return file_exists(it->so);
	return WIFEXITED(it->status) && WEXITSTATUS(it->status) == 0;
}

/* ---- loading --------------------------------------------------------- */

static int touch_pages(struct dl_phdr_info *info, size_t size, void *base)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	(void)size;
	if (info->dlpi_addr != *(const ElfW(Addr) *)base)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		const volatile char *at =
			(const volatile char *)(info->dlpi_addr + p->p_vaddr);
		if (p->p_type != PT_LOAD || !(p->p_flags & PF_R))
			continue;
		for (size_t n = 0; n < p->p_filesz; n += page)
			(void)at[n];
	}
	return 1;
}

/*
 * Loads the library. Its pages are touched: a constant that is read under a
 * mask, of lanes that never are, would leave its page absent, and each such
 * read then costs a processor hundreds of cycles.
 */
static void *open_code(const char *path)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	struct link_map *map;

	if (handle && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0)
		dl_iterate_phdr(touch_pages, &map->l_addr);
	return handle;
}

static bool load_checked(const Work *w, CodeSource *src)
{
	const char *path = store_path(&w->store, src->key, ".so");
	size_t n;
	if (store_read(&w->store, path, src->key, &n))
		src->handle = open_code(path);
	return src->handle != NULL;
}

static bool load_made(const Work *w, const char *so, CodeSource *src)
{
	src->handle = open_code(so);
	if (src->handle)
		return true;
	const char *why = dlerror();
	return diag_fail(w->ctx, ERR_ENV,
			 "is the folder on a file system mounted noexec?",
			 "cannot load the code of kernel %s: %s", src->name,
			 why ? why : so);
}

/* ---- code_load ------------------------------------------------------- */

static Item *item_find(const Work *w, const char *key)
{
	for (size_t i = 0; i < w->items.n; i++) {
		if (strcmp(w->items.p[i].src->key, key) == 0)
			return &w->items.p[i];
	}
	return NULL;
}

static bool work_run(Work *w, const char *cache, CodeSource *src, size_t n)
{
	const char *flags = code_flags(w->a, w->cc, w->isa);
	if (!store_open(&w->store, w->ctx, w->a, cache))
		return false;
	for (size_t i = 0; i < n; i++) {
		code_key(w, flags, &src[i]);
		src[i].cached = w->store.kept && load_checked(w, &src[i]);
		if (src[i].cached || item_find(w, src[i].key))
			continue;
		if (!store_work(&w->store) || !work_add(w, &src[i]))
			return false;
	}
	if (w->items.n == 0)
		return true;
	const char *pairs[] = {"LC_ALL=C",
			       arena_printf(w->a, "TMPDIR=%s", w->store.work),
			       NULL};
	w->env = process_environment(w->a, pairs);
	pool_run(w->ctx->threads, work_compile, w);
	for (size_t i = 0; i < w->items.n; i++) {
		Item *it = &w->items.p[i];
		it->src->compile_ms = it->ms;
		if (!item_succeeded(it))
			return compile_failed(w, it);
		if (!store_finish(&w->store, &it->so, it->src->key, ".so"))
			return false;
	}
	for (size_t i = 0; i < n; i++) {
		if (!src[i].handle &&
		    !load_made(w, item_find(w, src[i].key)->so, &src[i]))
			return false;
	}
	return true;
}

bool code_load(Ctx *ctx, Arena *a, const Compiler *cc, const Isa *isa,
	       const char *cache, CodeSource *src, size_t n)
{
	Arena scratch;
	OomTrap trap;
	Work w = {.ctx = ctx,
		  .a = &scratch,
		  .cc = cc,
		  .isa = isa,
		  .store = {.lock = -1}};
	(void)a;
	for (size_t i = 0; i < n; i++) {
		src[i].handle = NULL;
		src[i].cached = false;
		src[i].compile_ms = 0;
	}
	arena_init(&scratch);
	if (OOM_TRAP(&trap)) {
		code_unload(src, n);
		store_close(&w.store);
		arena_release(&scratch);
		oom_raise();
	}
	bool ok = work_run(&w, cache, src, n);
	oom_trap_pop(&trap);
	if (!ok)
		code_unload(src, n);
	store_close(&w.store);
	arena_release(&scratch);
	return ok;
}

void *code_symbol(const CodeSource *src, const char *name)
{
	return dlsym(src->handle, name);
}

void code_unload(CodeSource *src, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (src[i].handle)
			dlclose(src[i].handle);
		src[i].handle = NULL;
	}
}
