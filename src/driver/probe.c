/*
 * probe: a device looked at from a child.
 *
 * A process that has used CUDA, or an OpenCL device, cannot be forked into
 * children that use it too, which is how candidates are tried. So a search's
 * own process never opens the device: a child does, and tells what it is.
 */
#include "driver/tune.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef enum ProbePart {
	PART_ERROR, /* "": there is none */
	PART_TARGET,
	PART_COMPILER,
	PART_FLAGS,
	PART_TEXT,
	PART_PARTS,
} ProbePart;

#define PART_MOST (1 << 16)

static bool write_part(int fd, const char *s)
{
	uint32_t n = (uint32_t)strlen(s);

	n = n < PART_MOST ? n : PART_MOST;
	return fd_write_all(fd, &n, sizeof(n)) && fd_write_all(fd, s, n);
}

/* The child: never returns. */
static void look(TenonContext *c, const char *name, int fd)
{
	const char *part[PART_PARTS] = {"", "", "", "", ""};
	Arena a;
	Target t;
	const Isa *isa;
	Device *d;
	OomTrap trap;

	arena_init(&a);
	if (OOM_TRAP(&trap))
		_exit(1);
	ctx_clear_errors(&c->ctx);
	if (target_find(c, &a, name, true, &t, &isa) &&
	    context_device(c, t.name, &d) &&
	    gpu_compiler(c, &a, t.name, &part[PART_COMPILER],
			 &part[PART_FLAGS])) {
		part[PART_TARGET] = t.name;
		part[PART_TEXT] = device_name(d);
	} else {
		part[PART_ERROR] = buf_str(&c->ctx.messages);
	}
	for (int i = 0; i < PART_PARTS; i++)
		if (!write_part(fd, part[i]))
			_exit(1);
	_exit(0);
}

static bool read_all(int fd, void *p, size_t n)
{
	char *at = p;

	while (n > 0) {
		ssize_t got = read(fd, at, n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += got;
		n -= (size_t)got;
	}
	return true;
}

static bool read_part(int fd, Arena *a, const char **out)
{
	uint32_t n;

	if (!read_all(fd, &n, sizeof(n)) || n > PART_MOST)
		return false;
	char *s = arena_alloc(a, n + 1u, 1);
	*out = s;
	return read_all(fd, s, n);
}

static bool cannot(TenonContext *c, const char *what)
{
	return diag_fail(&c->ctx, ERR_ENV, NULL,
			 "cannot look at the device: %s", what);
}

/* What the child says; false: it said nothing whole. */
static bool listen(TenonContext *c, int fd, const char *part[PART_PARTS])
{
	for (int i = 0; i < PART_PARTS; i++)
		if (!read_part(fd, &c->ctx.perm, &part[i]))
			return false;
	return true;
}

bool probe_device(TenonContext *c, const char *name)
{
	const char *part[PART_PARTS];
	int ends[2];

	if (c->devices[target_device(name)])
		return diag_fail(&c->ctx, ERR_USAGE,
				 "search before anything is run there, or in "
				 "another process",
				 "this process uses the device already, and "
				 "trials are its children");
	if (pipe(ends) < 0)
		return cannot(c, strerror(errno));
	pid_t pid = fork();
	if (pid == 0) {
		close(ends[0]);
		look(c, name, ends[1]);
	}
	close(ends[1]);
	bool told = pid > 0 && listen(c, ends[0], part);
	close(ends[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (!told)
		return cannot(c, pid < 0 ? strerror(errno)
					 : "it ended the process that tried");
	if (*part[PART_ERROR]) {
		buf_puts(&c->ctx.messages, part[PART_ERROR]);
		c->ctx.err = ERR_ENV;
		c->ctx.errors++;
		return false;
	}
	c->probed = (Probed){.target = part[PART_TARGET],
			     .compiler = part[PART_COMPILER],
			     .flags = part[PART_FLAGS],
			     .text = part[PART_TEXT]};
	return true;
}
