/*
 * ledger_process: whether the process of a search is gone.
 *
 * A search keeps the id, the start time, the namespace and the boot of its
 * process. Of another boot, it is gone; of this boot and namespace, it is gone
 * where its id is free or has another start time. Of another namespace (a
 * container's) nothing can be told, and it counts as running. A lock would not
 * do: children of a search that outlive it would hold it.
 */
#include "search/ledger_own.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The beginning of a file of /proc; "" where there is none. */
static void proc_read(const char *path, char *out, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, out, size - 1);

	out[n > 0 ? n : 0] = '\0';
	out[strcspn(out, "\n")] = '\0';
	if (fd >= 0)
		close(fd);
}

/* Clock ticks from boot to start (proc(5), stat, field 22); 0: it is gone. */
static unsigned long long start_time(long pid)
{
	char path[64], text[1024];

	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	proc_read(path, text, sizeof(text));
	/* The name in brackets may hold anything; state is behind it. */
	const char *s = strrchr(text, ')');
	if (!s || strlen(s) < 3 || s[2] == 'Z' || s[2] == 'X')
		return 0;
	s += 2;
	for (int field = 3; field < 22 && s; field++) {
		s = strchr(s, ' ');
		s = s ? s + 1 : NULL;
	}
	return s ? strtoull(s, NULL, 10) : 0;
}

/* Where an id means a process: pid:[4026531836] and the boot. */
static void process_space(char out[110])
{
	char boot[48], space[48];
	ssize_t n = readlink("/proc/self/ns/pid", space, sizeof(space) - 1);

	space[n > 0 ? n : 0] = '\0';
	proc_read("/proc/sys/kernel/random/boot_id", boot, sizeof(boot));
	snprintf(out, 110, "%s %s", space, boot);
}

void process_text(char out[PROCESS_TEXT])
{
	char space[110];

	process_space(space);
	snprintf(out, PROCESS_TEXT, "%ld %llu %s", (long)getpid(),
		 start_time(getpid()), space);
}

bool process_is_gone(const char *stored)
{
	char space[110];
	unsigned long long start;
	long pid;
	int n = 0;

	if (sscanf(stored, "%ld %llu %n", &pid, &start, &n) != 2 || !n ||
	    !start)
		return false;
	process_space(space);
	const char *boot = strchr(stored + n, ' '), *now = strchr(space, ' ');
	if (!boot || !boot[1] || !now[1])
		return false;
	if (strcmp(boot, now) != 0)
		return true;
	return strcmp(stored + n, space) == 0 && start_time(pid) != start;
}
