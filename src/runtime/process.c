/*
 * process: child processes, for compilers.
 *
 * posix_spawn rather than fork, which would copy a large host program's
 * page tables. Children are waited for by id only, so that children of the
 * program that we are a library of stay its own.
 */
#include "runtime/runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

char **process_environment(Arena *a, const char *const pairs[])
{
	size_t n = 0, more = 0, k = 0;
	while (environ && environ[n])
		n++;
	while (pairs[more])
		more++;
	char **env = arena_array(a, char *, n + more + 1);
	for (size_t i = 0; i < n; i++) {
		bool replaced = false;
		for (size_t j = 0; j < more; j++) {
			size_t len = strcspn(pairs[j], "=") + 1;
			replaced |= strncmp(environ[i], pairs[j], len) == 0;
		}
		if (!replaced)
			env[k++] = environ[i];
	}
	for (size_t j = 0; j < more; j++)
		env[k++] = arena_strdup(a, pairs[j]);
	return env;
}

/*
 * The pool's threads block all signals; the child must not, or Ctrl-C would
 * not end it.
 */
static int spawn(const char *const argv[], char *const envp[], int out,
		 pid_t *pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none, all;
	sigemptyset(&none);
	sigfillset(&all);
	int err = posix_spawn_file_actions_init(&files);
	if (err != 0)
		return err;
	err = posix_spawnattr_init(&attr);
	if (err != 0) {
		posix_spawn_file_actions_destroy(&files);
		return err;
	}
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK |
						POSIX_SPAWN_SETSIGDEF);
	/* stdin last: with a closed one, `out` itself may be number 0 */
	err = posix_spawn_file_actions_adddup2(&files, out, 1);
	if (err == 0)
		err = posix_spawn_file_actions_adddup2(&files, out, 2);
	if (err == 0)
		err = posix_spawn_file_actions_addopen(&files, 0, "/dev/null",
						       O_RDONLY, 0);
	if (err == 0)
		err = posix_spawn(pid, argv[0], &files, &attr,
				  (char *const *)(uintptr_t)argv, envp);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return err;
}

bool process_run(const char *const argv[], char *const envp[], int out,
		 int *status)
{
	pid_t pid;
	int err = spawn(argv, envp, out, &pid);
	if (err != 0) {
		errno = err;
		return false;
	}
	while (waitpid(pid, status, 0) < 0) {
		if (errno == EINTR)
			continue;
		*status = -1; /* SIGCHLD ignored, or reaped by the host */
		break;
	}
	return true;
}
