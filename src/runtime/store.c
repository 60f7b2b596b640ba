/*
 * store: files kept by content.
 *
 * A kept file has a trailer, which the loader of shared objects and the
 * readers of ELF files ignore: a mark, the key it was made for, and the SHA-256
 * of what is before it. One file carries both, so no two can disagree;
 * whatever is cut short, damaged or under the wrong name fails the check and is
 * made anew. Files are made in a work folder inside the cache and appear by
 * rename, so that a reader sees whole files and two processes that make the
 * same one do each other no harm.
 *
 * The work folder holds everything of one call (a compiler's own temporary
 * files too) and a lock that dies with the process. The next process that
 * makes one removes folders whose lock is free.
 */
#include "runtime/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TRAILER_MARK  "\nTENON1 "
#define STALE_SECONDS 3600 /* a work folder that never got a lock */

typedef struct Trailer {
	char mark[8];
	char key[64];
	char hash[64];
} Trailer;

/* ---- the work folder ------------------------------------------------- */

static const char *temporary_folder(void)
{
	const char *tmp = getenv("TMPDIR");
	return tmp && *tmp ? tmp : "/tmp";
}

bool store_cannot_write(const Store *s, int why)
{
	const char *kind = s->kept ? "cache" : "temporary";
	const char *folder = s->kept ? s->kept : temporary_folder();
	const char *variable = s->kept ? "XDG_CACHE_HOME" : "TMPDIR";
	const char *hint = arena_printf(
		s->a, "set %s to a folder that can be written", variable);
	if (why == ENOSPC || why == EDQUOT)
		return diag_fail(s->ctx, ERR_ENV, hint,
				 "the disk is full: cannot compile in the %s "
				 "folder %s",
				 kind, folder);
	return diag_fail(s->ctx, ERR_ENV, hint,
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

static void folders_sweep(const char *kept)
{
	char path[4096];
	DIR *d = opendir(kept);
	for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
		if (strncmp(e->d_name, "tmp.", 4) != 0)
			continue;
		int n = snprintf(path, sizeof(path), "%s/%s", kept, e->d_name);
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
static bool folder_lock(Store *s, const char *lock)
{
	struct stat st;
	s->lock = open(lock, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (s->lock < 0)
		return false;
	/* Without locks (some network file systems) we go on unlocked. */
	bool swept =
		flock(s->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
	if (!swept && fstat(s->lock, &st) == 0 && st.st_nlink > 0)
		return true;
	close(s->lock);
	s->lock = -1;
	errno = ENOENT;
	return false;
}

bool store_work(Store *s)
{
	char *folder = NULL;
	if (s->work)
		return true;
	if (s->kept)
		folders_sweep(s->kept);
	for (int attempt = 0; attempt < 8; attempt++) {
		if (s->kept)
			folder = arena_printf(s->a, "%s/tmp.XXXXXX", s->kept);
		else
			folder = arena_printf(s->a, "%s/tenon-XXXXXX",
					      temporary_folder());
		char *lock = arena_printf(s->a, "%s/lock", folder);
		size_t n = strlen(folder);
		if (!mkdtemp(folder))
			return store_cannot_write(s, errno);
		s->work = folder;
		memcpy(lock, folder, n);
		if (folder_lock(s, lock))
			return true;
		int why = errno;
		folder_remove(folder);
		s->work = NULL;
		if (why != ENOENT)
			return store_cannot_write(s, why);
	}
	return store_cannot_write(s, EBUSY);
}

void store_close(Store *s)
{
	if (s->work)
		folder_remove(s->work);
	if (s->lock >= 0)
		close(s->lock);
	s->work = NULL;
	s->lock = -1;
}

/* ---- files ----------------------------------------------------------- */

const char *store_path(const Store *s, const char *key, const char *ending)
{
	return arena_printf(s->a, "%s/%s%s", s->kept, key, ending);
}

/* Errors of closing count: a full disk may show there first. */
static bool file_end(const Store *s, int fd, const void *p, size_t n)
{
	bool ok = fd_write_all(fd, p, n);
	int why = errno;
	if (close(fd) != 0 && ok) {
		ok = false;
		why = errno;
	}
	return ok || store_cannot_write(s, why);
}

bool store_create(const Store *s, const char *path, const void *p, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return store_cannot_write(s, errno);
	return file_end(s, fd, p, n);
}

static void trailer_make(const char *p, size_t n, const char *key, Trailer *t)
{
	char hex[SHA256_HEX];
	sha256_hex(p, n, hex);
	memcpy(t->mark, TRAILER_MARK, sizeof(t->mark));
	memcpy(t->key, key, sizeof(t->key));
	memcpy(t->hash, hex, sizeof(t->hash));
}

const char *store_read(const Store *s, const char *path, const char *key,
		       size_t *n)
{
	char *p;
	Trailer t;
	if (!file_read(NULL, s->a, path, &p, n) || *n < sizeof(t))
		return NULL;
	*n -= sizeof(t);
	trailer_make(p, *n, key, &t);
	if (memcmp(&t, p + *n, sizeof(t)) != 0)
		return NULL;
	file_touch(path);
	return p;
}

bool store_finish(const Store *s, const char **path, const char *key,
		  const char *ending)
{
	char *p;
	size_t n;
	Trailer t;
	if (!file_read(s->ctx, s->a, *path, &p, &n))
		return false;
	trailer_make(p, n, key, &t);
	int fd = open(*path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0)
		return store_cannot_write(s, errno);
	if (!file_end(s, fd, &t, sizeof(t)))
		return false;
	if (s->kept) {
		const char *kept = store_path(s, key, ending);
		if (rename(*path, kept) != 0)
			return store_cannot_write(s, errno);
		*path = kept;
	}
	return true;
}

/* ---- the cache folder ------------------------------------------------ */

bool folder_is_ours(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && (st.st_mode & 022) == 0 &&
	       st.st_uid == geteuid();
}

/*
 * Loaded code runs with our rights: the folder must be ours and closed to
 * others. It is a folder of its own, so that the user's --cache may be any.
 */
static bool kept_folder(Store *s, const char *cache)
{
	s->kept = arena_printf(s->a, "%s/code", cache);
	if (!dir_make(NULL, s->kept))
		return store_cannot_write(s, errno);
	if (!folder_is_ours(s->kept))
		return diag_fail(s->ctx, ERR_ENV,
				 "remove it, or make it yours with mode 0700",
				 "the cache folder %s can be written by other "
				 "users",
				 s->kept);
	return true;
}

bool store_open(Store *s, Ctx *ctx, Arena *a, const char *cache)
{
	*s = (Store){.ctx = ctx, .a = a, .lock = -1};
	return !cache || kept_folder(s, cache);
}
