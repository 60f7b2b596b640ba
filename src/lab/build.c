/* build: C text to a loaded shared object, by the user's compiler. */
#include "lab.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct Folder {
	const char *path, *source, *object, *log;
} Folder;

static bool folder_make(LabMem *m, Folder *f)
{
	const char *tmp = getenv("TMPDIR");
	char *path = lab_printf(m, "%s/tenon-bench-XXXXXX",
				tmp && *tmp ? tmp : "/tmp");

	if (!mkdtemp(path))
		return lab_fail(m, "cannot make a folder in %s: %s",
				tmp && *tmp ? tmp : "/tmp", strerror(errno));
	f->path = path;
	f->source = lab_printf(m, "%s/loops.c", path);
	f->object = lab_printf(m, "%s/loops.so", path);
	f->log = lab_printf(m, "%s/log", path);
	return true;
}

static void folder_remove(const Folder *f)
{
	unlink(f->source);
	unlink(f->object);
	unlink(f->log);
	rmdir(f->path);
}

static bool write_source(LabMem *m, const Folder *f, const char *text)
{
	FILE *out = fopen(f->source, "w");
	bool ok = out && fputs(text, out) >= 0;

	if (out && fclose(out) != 0)
		ok = false;
	return ok ||
	       lab_fail(m, "cannot write %s: %s", f->source, strerror(errno));
}

/* The first lines of what the compiler said. */
static const char *log_read(LabMem *m, const Folder *f)
{
	char *text = lab_alloc(m, 2048);
	FILE *in = fopen(f->log, "r");

	if (in) {
		text[fread(text, 1, 2047, in)] = '\0';
		fclose(in);
	}
	return text;
}

static bool compile(LabMem *m, const char *compiler, const Folder *f)
{
	const char *argv[] = {
		compiler,
		"-std=gnu17",
		"-O3",
#if defined(__x86_64__)
		"-march=native",
#else
		"-mcpu=native",
#endif
		"-fno-math-errno",
		"-ffp-contract=off",
		"-w",
		"-shared",
		"-fPIC",
		"-o",
		f->object,
		f->source,
		"-lm",
		NULL
	};
	posix_spawn_file_actions_t actions;
	int status = 0, err;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, f->log,
					 O_WRONLY | O_CREAT | O_TRUNC, 0600);
	err = posix_spawnp(&pid, compiler, &actions, NULL, (char **)argv,
			   environ);
	posix_spawn_file_actions_destroy(&actions);
	if (err)
		return lab_fail(m, "cannot start the C compiler %s: %s",
				compiler, strerror(err));
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return lab_fail(m, "cannot wait for %s", compiler);
	if (status != 0)
		return lab_fail(m, "%s failed on the loops of a peer:\n%s",
				compiler, log_read(m, f));
	return true;
}

bool lab_build(LabMem *m, const char *compiler, const char *text, void **handle)
{
	Folder f = {0};
	bool ok;

	if (!folder_make(m, &f))
		return false;
	ok = write_source(m, &f, text) &&
	     compile(m, compiler ? compiler : "cc", &f);
	if (ok) {
		*handle = dlopen(f.object, RTLD_NOW | RTLD_LOCAL);
		if (!*handle)
			ok = lab_fail(m, "cannot load the loops: %s",
				      dlerror());
	}
	folder_remove(&f);
	return ok;
}
