/*
 * code: sources to loaded code, through a cache of shared objects.
 *
 * A cached file is an ELF shared object with a trailer, which the loader
 * ignores: a mark, the key it was made for, and the SHA-256 of the object.
 * One file carries both, so no two can disagree; whatever is
 * cut short, damaged or under the wrong name fails the check and is
 * compiled anew. Files are made in a work folder inside the cache and
 * appear by rename, so that a reader sees whole files and two processes
 * that compile the same source do each other no harm.
 *
 * The work folder holds everything of one call (the compiler's own
 * temporary files too) and a lock that dies with the process. The next
 * process that compiles removes folders whose lock is free.
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

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ABI_NAME      "tenon-abi-1"
#define TRAILER_MARK  "\nTENON1 "
#define MESSAGE_LIMIT 4000 /* bytes of compiler messages in an error */
#define STALE_SECONDS 3600 /* a work folder that never got a lock */

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

typedef struct Trailer {
	char mark[8];
	char key[64];
	char hash[64];
} Trailer;

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
	const char *code;   /* the folder of finished files; NULL: none kept */
	const char *folder; /* the work folder; NULL until needed */
	int lock;           /* descriptor, or -1 */
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

static const char *code_path(const Work *w, const CodeSource *src)
{
	return arena_printf(w->a, "%s/%s.so", w->code, src->key);
}

/* ---- the work folder ------------------------------------------------- */

static const char *temporary_folder(void)
{
	const char *tmp = getenv("TMPDIR");
	return tmp && *tmp ? tmp : "/tmp";
}

static bool cannot_write(const Work *w, int why)
{
	const char *kind = w->code ? "cache" : "temporary";
	const char *folder = w->code ? w->code : temporary_folder();
	const char *variable = w->code ? "XDG_CACHE_HOME" : "TMPDIR";
	const char *hint = arena_printf(
		w->a, "set %s to a folder that can be written", variable);
	if (why == ENOSPC || why == EDQUOT)
		return diag_fail(w->ctx, ERR_ENV, hint,
				 "the disk is full: cannot compile in the %s "
				 "folder %s",
				 kind, folder);
	return diag_fail(w->ctx, ERR_ENV, hint,
			 "cannot write in the %s folder %s: %s", kind, folder,
			 strerror(why));
}

static void folder_remove(const char *path)
{
	char file[4096];
	DIR *d = opendir(path);
	for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
		int n = snprintf(file, sizeof(file), "%s/%s", path, e->d_name);
		if (n > 0 && (size_t)n < sizeof(file))
			unlink(file); /* refuses . and .. */
	}
	if (d)
		closedir(d);
	rmdir(path);
}

/*
 * Whether the process that made the work folder is gone. *held keeps its
 * lock until the folder is removed: a maker that comes between finds it
 * taken and makes another folder. -1 when there is no lock to hold.
 */
static bool folder_is_stale(const char *path, int *held)
{
	char file[4096];
	struct stat st;
	int n = snprintf(file, sizeof(file), "%s/lock", path);
	if (n < 0 || (size_t)n >= sizeof(file))
		return false;
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0) /* being made just now, or by one killed in between */
		return errno == ENOENT && stat(path, &st) == 0 &&
		       time(NULL) - st.st_mtime > STALE_SECONDS;
	*held = fd;
	return flock(fd, LOCK_EX | LOCK_NB) == 0;
}

static void folders_sweep(const char *code)
{
	char path[4096];
	DIR *d = opendir(code);
	for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
		if (strncmp(e->d_name, "tmp.", 4) != 0)
			continue;
		int n = snprintf(path, sizeof(path), "%s/%s", code, e->d_name);
		int held = -1;
		if (n > 0 && (size_t)n < sizeof(path) &&
		    folder_is_stale(path, &held))
			folder_remove(path);
		if (held >= 0)
			close(held);
	}
	if (d)
		closedir(d);
}

/* False if a sweep came between; errno otherwise as open left it. */
static bool folder_lock(Work *w, const char *lock)
{
	struct stat st;
	w->lock = open(lock, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (w->lock < 0)
		return false;
	/* Without locks (some network file systems) we go on unlocked. */
	bool swept =
		flock(w->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
	if (!swept && fstat(w->lock, &st) == 0 && st.st_nlink > 0)
		return true;
	close(w->lock);
	w->lock = -1;
	errno = ENOENT;
	return false;
}

static bool work_open(Work *w)
{
	char *folder = NULL;
	if (w->code)
		folders_sweep(w->code);
	for (int attempt = 0; attempt < 8; attempt++) {
		if (w->code)
			folder = arena_printf(w->a, "%s/tmp.XXXXXX", w->code);
		else
			folder = arena_printf(w->a, "%s/tenon-XXXXXX",
					      temporary_folder());
		char *lock = arena_printf(w->a, "%s/lock", folder);
		size_t n = strlen(folder);
		if (!mkdtemp(folder))
			return cannot_write(w, errno);
		w->folder = folder;
		memcpy(lock, folder, n);
		if (folder_lock(w, lock))
			return true;
		int why = errno;
		folder_remove(folder);
		w->folder = NULL;
		if (why != ENOENT)
			return cannot_write(w, why);
	}
	return cannot_write(w, EBUSY);
}

static void work_close(Work *w)
{
	if (w->folder)
		folder_remove(w->folder);
	if (w->lock >= 0)
		close(w->lock);
	w->folder = NULL;
	w->lock = -1;
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

static bool source_write(const Work *w, const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return cannot_write(w, errno);
	bool ok = fd_write_all(fd, text, strlen(text));
	int why = errno;
	if (close(fd) != 0 && ok) {
		ok = false;
		why = errno;
	}
	return ok || cannot_write(w, why);
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
	const char *c = arena_printf(w->a, "%s/%zu.c", w->folder, i);
	Item it = {.src = src, .status = -1};
	it.so = arena_printf(w->a, "%s/%zu.so", w->folder, i);
	it.log = arena_printf(w->a, "%s/%zu.log", w->folder, i);
	it.argv = compile_argv(w, c, it.so);
	if (!source_write(w, c, src->text))
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
		return cannot_write(w, ENOSPC);
	if (it->err != 0)
		return diag_fail(w->ctx, ERR_ENV, NULL,
				 "cannot run the C compiler %s: %s",
				 w->cc->path, strerror(it->err));
	if (!file_read(NULL, w->a, it->log, &log, &n))
		log = arena_strdup(w->a, "");
	if (log_tells_full(log) || folder_is_full(w->folder))
		return cannot_write(w, ENOSPC);
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

/* ---- files ----------------------------------------------------------- */

static void trailer_make(const char *so, size_t n, const char *key, Trailer *t)
{
	char hex[SHA256_HEX];
	sha256_hex(so, n, hex);
	memcpy(t->mark, TRAILER_MARK, sizeof(t->mark));
	memcpy(t->key, key, sizeof(t->key));
	memcpy(t->hash, hex, sizeof(t->hash));
}

static bool file_is_sound(const Work *w, const char *path, const char *key)
{
	char *so;
	size_t n;
	Trailer t;
	if (!file_read(NULL, w->a, path, &so, &n) || n < sizeof(t))
		return false;
	n -= sizeof(t);
	trailer_make(so, n, key, &t);
	return memcmp(&t, so + n, sizeof(t)) == 0;
}

/* Appends the trailer and, where files are kept, moves the file there. */
static bool file_finish(const Work *w, Item *it)
{
	char *so;
	size_t n;
	Trailer t;
	if (!file_read(w->ctx, w->a, it->so, &so, &n))
		return false;
	trailer_make(so, n, it->src->key, &t);
	int fd = open(it->so, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0)
		return cannot_write(w, errno);
	bool ok = fd_write_all(fd, &t, sizeof(t));
	int why = errno;
	if (close(fd) != 0 && ok) {
		ok = false;
		why = errno;
	}
	if (!ok)
		return cannot_write(w, why);
	if (w->code) {
		const char *kept = code_path(w, it->src);
		if (rename(it->so, kept) != 0)
			return cannot_write(w, errno);
		it->so = kept;
	}
	return true;
}

static bool load_checked(const Work *w, CodeSource *src)
{
	const char *path = code_path(w, src);
	if (file_is_sound(w, path, src->key))
		src->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (src->handle)
		file_touch(path);
	return src->handle != NULL;
}

static bool load_made(const Work *w, const char *so, CodeSource *src)
{
	src->handle = dlopen(so, RTLD_NOW | RTLD_LOCAL);
	if (src->handle)
		return true;
	const char *why = dlerror();
	return diag_fail(w->ctx, ERR_ENV,
			 "is the folder on a file system mounted noexec?",
			 "cannot load the code of kernel %s: %s", src->name,
			 why ? why : so);
}

/* ---- code_load ------------------------------------------------------- */

/*
 * Loaded code runs with our rights: the folder must be ours and closed to
 * others. It is a folder of its own, so that the user's --cache may be any.
 */
static bool code_folder(Work *w, const char *cache)
{
	struct stat st;
	w->code = arena_printf(w->a, "%s/code", cache);
	if (!dir_make(NULL, w->code))
		return cannot_write(w, errno);
	if (stat(w->code, &st) != 0)
		return cannot_write(w, errno);
	if ((st.st_mode & 022) != 0 || st.st_uid != geteuid())
		return diag_fail(w->ctx, ERR_ENV,
				 "remove it, or make it yours with mode 0700",
				 "the cache folder %s can be written by other "
				 "users",
				 w->code);
	return true;
}

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
	if (cache && !code_folder(w, cache))
		return false;
	for (size_t i = 0; i < n; i++) {
		code_key(w, flags, &src[i]);
		src[i].cached = w->code && load_checked(w, &src[i]);
		if (src[i].cached || item_find(w, src[i].key))
			continue;
		if ((!w->folder && !work_open(w)) || !work_add(w, &src[i]))
			return false;
	}
	if (w->items.n == 0)
		return true;
	const char *pairs[] = {
		"LC_ALL=C", arena_printf(w->a, "TMPDIR=%s", w->folder), NULL};
	w->env = process_environment(w->a, pairs);
	pool_run(w->ctx->threads, work_compile, w);
	for (size_t i = 0; i < w->items.n; i++) {
		Item *it = &w->items.p[i];
		it->src->compile_ms = it->ms;
		if (!item_succeeded(it))
			return compile_failed(w, it);
		if (!file_finish(w, it))
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
	Work w = {.ctx = ctx, .a = &scratch, .cc = cc, .isa = isa, .lock = -1};
	(void)a;
	for (size_t i = 0; i < n; i++) {
		src[i].handle = NULL;
		src[i].cached = false;
		src[i].compile_ms = 0;
	}
	arena_init(&scratch);
	if (OOM_TRAP(&trap)) {
		code_unload(src, n);
		work_close(&w);
		arena_release(&scratch);
		oom_raise();
	}
	bool ok = work_run(&w, cache, src, n);
	oom_trap_pop(&trap);
	if (!ok)
		code_unload(src, n);
	work_close(&w);
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
