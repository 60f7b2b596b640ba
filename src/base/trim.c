/*
 * trim: a cap on what folders of cached files hold.
 *
 * A file's time of change says when it was last used: whoever reads one
 * touches it. Over the limit, the least recently used go first. Removing is
 * one unlink a file: a process that has it open keeps it, one that comes
 * later makes it anew, and two that trim at the same time remove what the
 * other has left. Folders and what is not a regular file are passed over.
 */
#include "base/base.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Kept {
	const char *path;
	int64_t seconds, nanoseconds; /* of the last use */
	uint64_t bytes;               /* on disk */
} Kept;

typedef struct Files {
	VEC(Kept) list;
	uint64_t bytes;
} Files;

static void list_add(Arena *a, Files *f, const char *folder, const char *name)
{
	struct stat st;
	const char *path = arena_printf(a, "%s/%s", folder, name);

	if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return;
	Kept k = {path, st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
		  (uint64_t)st.st_blocks * 512};
	VEC_PUSH(a, f->list, k);
	f->bytes += k.bytes;
}

static void list_folder(Arena *a, Files *f, const char *folder)
{
	VEC(char *) names = {0};
	DIR *d = opendir(folder);
	OomTrap trap;

	if (!d)
		return;
	if (OOM_TRAP(&trap)) {
		closedir(d);
		oom_raise();
	}
	for (struct dirent *e; (e = readdir(d)) != NULL;)
		VEC_PUSH(a, names, arena_strdup(a, e->d_name));
	oom_trap_pop(&trap);
	closedir(d);
	for (size_t i = 0; i < names.n; i++)
		list_add(a, f, folder, names.p[i]);
}

static int by_use(const void *x, const void *y)
{
	const Kept *a = x, *b = y;

	if (a->seconds != b->seconds)
		return a->seconds < b->seconds ? -1 : 1;
	if (a->nanoseconds != b->nanoseconds)
		return a->nanoseconds < b->nanoseconds ? -1 : 1;
	return 0;
}

uint64_t folders_trim(Arena *a, const char *const *folders, size_t n,
		      uint64_t limit)
{
	Files f = {0};

	for (size_t i = 0; i < n; i++)
		list_folder(a, &f, folders[i]);
	if (f.bytes <= limit)
		return f.bytes;
	qsort(f.list.p, f.list.n, sizeof(*f.list.p), by_use);
	for (size_t i = 0; i < f.list.n && f.bytes > limit; i++)
		if (unlink(f.list.p[i].path) == 0)
			f.bytes -= f.list.p[i].bytes;
	return f.bytes;
}

void file_touch(const char *path)
{
	utimensat(AT_FDCWD, path, NULL, 0);
}
