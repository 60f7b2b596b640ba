/*
 * file: whole-file reads, atomic writes, folders, the clock.
 *
 * A reader sees the old file or the new one: writes go to a name of their
 * own in the same folder and are renamed over the target. A file is never
 * left open when memory runs out: file_read traps, closes and raises again.
 */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Reads to the end. False with errno set. */
static bool fd_read_all(int fd, Arena *a, char **text, size_t *len)
{
	struct stat st;
	size_t cap = 4096, n = 0;
	if (fstat(fd, &st) != 0)
		return false;
	/* One byte more than the size, to meet the end in the first round. */
	if (S_ISREG(st.st_mode) && st.st_size > 0)
		cap = (size_t)st.st_size + 2;
	char *p = arena_alloc(a, cap, 16);
	for (;;) {
		if (n + 1 == cap)
			p = arena_grow(a, p, 1, cap, &cap);
		ssize_t got = read(fd, p + n, cap - n - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return false;
		if (got == 0)
			break;
		n += (size_t)got;
	}
	p[n] = '\0';
	*text = p;
	*len = n;
	return true;
}

bool file_read(Ctx *ctx, Arena *a, const char *path, char **text, size_t *len)
{
	OomTrap trap;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return diag_fail(ctx, ERR_ENV, NULL, "cannot open %s: %s", path,
				 strerror(errno));
	if (OOM_TRAP(&trap)) {
		close(fd);
		oom_raise();
	}
	bool ok = fd_read_all(fd, a, text, len);
	oom_trap_pop(&trap);
	int why = errno;
	close(fd);
	if (!ok)
		return diag_fail(ctx, ERR_ENV, NULL, "cannot read %s: %s", path,
				 strerror(why));
	return true;
}

bool fd_write_all(int fd, const void *data, size_t n)
{
	const char *p = data;
	while (n > 0) {
		ssize_t put = write(fd, p, n);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return false;
		if (put == 0) {
			errno = ENOSPC;
			return false;
		}
		p += put;
		n -= (size_t)put;
	}
	return true;
}

/* The system's words for it, but plain ones for a full disk. */
static const char *write_reason(int why)
{
	if (why == ENOSPC || why == EDQUOT)
		return "the disk is full";
	return strerror(why);
}

bool file_write_atomic(Ctx *ctx, const char *path, const void *p, size_t n)
{
	static atomic_uint serial;
	char temp[4096];
	int fd, len;
	do {
		len = snprintf(temp, sizeof(temp), "%s.%ld.%u.tmp", path,
			       (long)getpid(), atomic_fetch_add(&serial, 1));
		if (len < 0 || (size_t)len >= sizeof(temp))
			return diag_fail(ctx, ERR_ENV, NULL,
					 "cannot write %s: %s", path,
					 strerror(ENAMETOOLONG));
		fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	} while (fd < 0 && errno == EEXIST);
	if (fd < 0)
		return diag_fail(ctx, ERR_ENV, NULL, "cannot write %s: %s",
				 path, write_reason(errno));
	bool ok = fd_write_all(fd, p, n);
	int why = errno;
	if (close(fd) != 0 && ok) {
		ok = false;
		why = errno;
	}
	if (ok && rename(temp, path) != 0) {
		ok = false;
		why = errno;
	}
	if (ok)
		return true;
	unlink(temp);
	return diag_fail(ctx, ERR_ENV, NULL, "cannot write %s: %s", path,
			 write_reason(why));
}

bool file_exists(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0;
}

static bool is_folder(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool dir_make(Ctx *ctx, const char *path)
{
	char part[4096];
	size_t n = strlen(path);
	int why = ENAMETOOLONG;
	if (is_folder(path))
		return true;
	if (n == 0 || n >= sizeof(part))
		goto fail;
	memcpy(part, path, n + 1);
	for (size_t i = 1; i <= n; i++) {
		if (part[i] != '/' && part[i] != '\0')
			continue;
		part[i] = '\0';
		/* Another process may make it at the same time. */
		if (!is_folder(part) && mkdir(part, 0700) != 0 &&
		    errno != EEXIST) {
			why = errno;
			goto fail;
		}
		part[i] = path[i];
	}
	if (is_folder(path))
		return true;
	why = ENOTDIR;
fail:
	diag_fail(ctx, ERR_ENV, NULL, "cannot make the folder %s: %s", path,
		  write_reason(why));
	errno = why;
	return false;
}

bool cache_dir(Ctx *ctx, Arena *a, const char **path)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	/* The XDG specification has relative paths ignored. */
	if (xdg && xdg[0] == '/')
		*path = arena_printf(a, "%s/tenon", xdg);
	else if (home && home[0] == '/')
		*path = arena_printf(a, "%s/.cache/tenon", home);
	else
		return diag_fail(ctx, ERR_ENV, "set HOME or XDG_CACHE_HOME",
				 "no cache folder: neither XDG_CACHE_HOME nor "
				 "HOME is an absolute path");
	return true;
}

double clock_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
