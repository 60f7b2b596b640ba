/*
 * cc: finding the system's C compiler.
 *
 * Its version line is part of every plan's identity, and asking for it
 * costs a process. So the line is remembered (note.c) under the compiler
 * file's size and times of change.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memfd_create */
#endif
#include "runtime/runtime.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const compiler_names[] = {"cc", "gcc", "clang"};

static bool is_program(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       access(path, X_OK) == 0;
}

/* Absolute folders of PATH only: what runs must not depend on the cwd. */
static const char *path_search(Arena *a, const char *name)
{
	const char *p = getenv("PATH");
	while (p && *p) {
		size_t n = strcspn(p, ":");
		if (*p == '/') {
			const char *full =
				arena_printf(a, "%.*s/%s", (int)n, p, name);
			if (is_program(full))
				return full;
		}
		p += n;
		if (*p == ':')
			p++;
	}
	return NULL;
}

/* A path as given, made absolute. */
static const char *path_absolute(Arena *a, const char *name)
{
	char cwd[4096];
	if (name[0] != '/' && getcwd(cwd, sizeof(cwd)))
		name = arena_printf(a, "%s/%s", cwd, name);
	return is_program(name) ? name : NULL;
}

/* The first line that `path --version` prints; NULL if it fails. */
static const char *version_ask(Arena *a, const char *path)
{
	static const char *const pairs[] = {"LC_ALL=C", NULL};
	const char *argv[] = {path, "--version", NULL};
	char **env = process_environment(a, pairs);
	char text[4096];
	int status = 0;
	/* Not a pipe, which a talkative program would fill and wait on. */
	int out = memfd_create("version", MFD_CLOEXEC);
	if (out < 0)
		return NULL;
	bool ok = process_run(argv, env, out, &status);
	ssize_t n = pread(out, text, sizeof(text) - 1, 0);
	close(out);
	if (!ok || n <= 0 ||
	    (status != -1 && !(WIFEXITED(status) && WEXITSTATUS(status) == 0)))
		return NULL;
	text[n] = '\0';
	return arena_strndup(a, text, strcspn(text, "\r\n"));
}

static const char *version_find(Arena *a, const char *path)
{
	const char *stamp = file_stamp(a, path);
	const char *version = stamp ? note_find(a, path, stamp) : NULL;
	if (version)
		return version;
	version = version_ask(a, path);
	if (version && stamp)
		note_keep(a, path, stamp, version);
	return version;
}

static bool none_found(Ctx *ctx, const char *name)
{
	static const char hint[] = "install one, for example with: "
				   "apt-get install gcc";
	const char *path = getenv("PATH");
	const char *what = name ? name : "cc, gcc, clang";
	if (name && strchr(name, '/'))
		return diag_fail(ctx, ERR_ENV, NULL,
				 "the C compiler %s is not a program", name);
	if (!path || !*path)
		return diag_fail(ctx, ERR_ENV, hint,
				 "no C compiler found: looked for %s, but "
				 "PATH is empty",
				 what);
	return diag_fail(ctx, ERR_ENV, hint,
			 "no C compiler found: looked for %s in %s", what,
			 path);
}

bool compiler_find(Ctx *ctx, Arena *a, const char *name, Compiler *out)
{
	const char *path = NULL;
	if (name && strchr(name, '/'))
		path = path_absolute(a, name);
	else if (name)
		path = path_search(a, name);
	for (size_t i = 0; !name && !path && i < ARRAY_LEN(compiler_names); i++)
		path = path_search(a, compiler_names[i]);
	if (!path)
		return none_found(ctx, name);
	const char *version = version_find(a, path);
	if (!version)
		return diag_fail(ctx, ERR_ENV, NULL,
				 "the C compiler %s does not answer --version",
				 path);
	*out = (Compiler){.path = path,
			  .version = version,
			  .clang = strstr(version, "clang") != NULL};
	return true;
}
