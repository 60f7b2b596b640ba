/*
 * note: facts that cost time to find, remembered in the cache folder.
 *
 * What a compiler answers to --version takes a process to ask, and what
 * version NVRTC is of takes 100 MB to load. Each fact is a file of its own,
 * found by the hash of what it is about: the stamp under which it holds, then
 * the fact on one line. A failure to remember is none, and what is cut short or
 * under another stamp is not there.
 */
#include "runtime/runtime.h"

#include <string.h>
#include <sys/stat.h>

const char *file_stamp(Arena *a, const char *path)
{
	struct stat st;
	if (stat(path, &st) != 0)
		return NULL;
	return arena_printf(a, "%s %lld %lld.%09ld %lld.%09ld", path,
			    (long long)st.st_size, (long long)st.st_mtim.tv_sec,
			    st.st_mtim.tv_nsec, (long long)st.st_ctim.tv_sec,
			    st.st_ctim.tv_nsec);
}

static const char *note_folder(Arena *a)
{
	const char *cache;
	if (!cache_dir(NULL, a, &cache))
		return NULL;
	return arena_printf(a, "%s/compilers", cache);
}

static const char *note_file(Arena *a, const char *folder, const char *about)
{
	char hex[SHA256_HEX];
	sha256_hex(about, strlen(about), hex);
	return arena_printf(a, "%s/%.16s", folder, hex);
}

const char *note_find(Arena *a, const char *about, const char *stamp)
{
	const char *folder = note_folder(a);
	size_t n = strlen(stamp), len;
	char *text;
	if (!folder ||
	    !file_read(NULL, a, note_file(a, folder, about), &text, &len))
		return NULL;
	/* One line after the stamp, whole: it ends in \n. */
	if (len <= n + 2 || strlen(text) != len ||
	    memcmp(text, stamp, n) != 0 || text[n] != '\n' ||
	    strchr(text + n + 1, '\n') != text + len - 1)
		return NULL;
	return arena_strndup(a, text + n + 1, len - n - 2);
}

void note_keep(Arena *a, const char *about, const char *stamp, const char *fact)
{
	const char *folder = note_folder(a);
	const char *text = arena_printf(a, "%s\n%s\n", stamp, fact);
	if (folder && dir_make(NULL, folder))
		file_write_atomic(NULL, note_file(a, folder, about), text,
				  strlen(text));
}
