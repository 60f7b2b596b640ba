/* machine: what the figures were taken on. */
#include "lab.h"

#include <sched.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifndef TENON_COMMIT
#define TENON_COMMIT "unknown"
#endif

static const char *cpu_model(LabMem *m)
{
	FILE *in = fopen("/proc/cpuinfo", "r");
	const char *model = NULL;
	char line[512];

	while (in && !model && fgets(line, sizeof(line), in)) {
		char *at = strchr(line, ':');

		if (strncmp(line, "model name", 10) != 0 || !at)
			continue;
		at += 1 + strspn(at + 1, " \t");
		model = lab_printf(m, "%.*s", (int)strcspn(at, "\n"), at);
	}
	if (in)
		fclose(in);
	return model ? model : "unknown";
}

/* The first line of `compiler --version`, read through the shell's pipe. */
static const char *compiler_version(LabMem *m, const char *compiler)
{
	const char *command = lab_printf(m, "'%s' --version 2>/dev/null",
					 compiler ? compiler : "cc");
	FILE *in = strchr(compiler ? compiler : "", '\'') ? NULL
							  : popen(command, "r");
	char line[256] = "";

	if (in) {
		if (!fgets(line, sizeof(line), in))
			line[0] = '\0';
		pclose(in);
	}
	line[strcspn(line, "\n")] = '\0';
	return lab_printf(m, "%s", *line ? line : "unknown");
}

static int64_t cache_bytes(int name)
{
	long n = sysconf(name);

	return n > 0 ? n : 0;
}

static int cpus(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		return CPU_COUNT(&set);
	return 1;
}

void lab_machine(LabMem *m, const char *compiler, LabMachine *out)
{
	struct utsname u;

	*out = (LabMachine){
		.model = cpu_model(m),
		.commit = TENON_COMMIT,
		.compiler = compiler_version(m, compiler),
		.cpus = cpus(),
		.l1 = cache_bytes(_SC_LEVEL1_DCACHE_SIZE),
		.l2 = cache_bytes(_SC_LEVEL2_CACHE_SIZE),
		.l3 = cache_bytes(_SC_LEVEL3_CACHE_SIZE),
	};
	out->system = uname(&u) == 0 ? lab_printf(m, "%s %s %s", u.sysname,
						  u.release, u.machine)
				     : "unknown";
}

json_t *lab_machine_json(const LabMachine *m)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:i, s:I, s:I, s:I}", "commit",
			 m->commit, "cpu", m->model, "compiler", m->compiler,
			 "system", m->system, "cpus", m->cpus, "l1_bytes",
			 (json_int_t)m->l1, "l2_bytes", (json_int_t)m->l2,
			 "l3_bytes", (json_int_t)m->l3);
}
