/*
 * machine: the caches of the CPUs that this process runs on.
 *
 * Linux describes each cache of CPU 0 in a folder (level, type, size and
 * the CPUs that share it); where there is none, the C library is asked, and
 * where that knows nothing either, the instruction set's typical machine
 * answers.
 *
 * A virtual machine may report a last level that it shares with CPUs it
 * does not see: 480 MB beside 2 CPUs, of which a copy in fact finds as good
 * as nothing. Processors have one slice of L3 a core, of 1 to 12 times the
 * core's L2 (the most with a stacked die). So a share beyond SLICES times
 * the L2 belongs to others, and none of it is counted on.
 */
#include "runtime/runtime.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SLICES 16

typedef struct Cache {
	int level;
	int64_t bytes;
	int sharing; /* CPUs */
	bool data;
} Cache;

/* The first line of a file of cache folder i; "" if there is none. */
static void cache_line(int i, const char *name, char *out, int size)
{
	char path[96];

	out[0] = '\0';
	(void)snprintf(path, sizeof(path),
		       "/sys/devices/system/cpu/cpu0/cache/index%d/%s", i,
		       name);
	FILE *f = fopen(path, "re");
	if (!f)
		return;
	if (!fgets(out, size, f))
		out[0] = '\0';
	(void)fclose(f);
}

/* CPUs in a list such as 0-3,8,10-11. */
static int list_count(const char *s)
{
	int n = 0, from, to, used;

	while (sscanf(s, "%d%n", &from, &used) == 1) {
		s += used;
		to = from;
		if (*s == '-' && sscanf(s + 1, "%d%n", &to, &used) == 1)
			s += 1 + used;
		n += to - from + 1;
		if (*s == ',')
			s++;
	}
	return n > 0 ? n : 1;
}

static bool cache_read(int i, Cache *c)
{
	char line[256], unit = ' ';
	long long size = 0;

	cache_line(i, "level", line, sizeof(line));
	if (sscanf(line, "%d", &c->level) != 1)
		return false;
	cache_line(i, "type", line, sizeof(line));
	c->data = strncmp(line, "Instruction", 11) != 0;
	cache_line(i, "size", line, sizeof(line));
	if (sscanf(line, "%lld%c", &size, &unit) < 1)
		size = 0;
	c->bytes = size << (unit == 'K' ? 10 : unit == 'M' ? 20 : 0);
	cache_line(i, "shared_cpu_list", line, sizeof(line));
	c->sharing = list_count(line);
	return true;
}

/* What the C library knows, where there are no folders. */
static void ask_library(Machine *m)
{
#ifdef _SC_LEVEL1_DCACHE_SIZE
	static const int names[3] = {
		_SC_LEVEL1_DCACHE_SIZE,
		_SC_LEVEL2_CACHE_SIZE,
		_SC_LEVEL3_CACHE_SIZE,
	};

	for (int i = 0; i < 3; i++) {
		long bytes = sysconf(names[i]);
		m->cache[i] = bytes > 0 ? bytes : 0;
	}
#else
	(void)m;
#endif
}

void machine_probe(const Isa *isa, Machine *out)
{
	int cpus = cpu_count();
	Machine m = {.cpus = cpus};
	Cache c = {0};

	for (int i = 0; cache_read(i, &c); i++) {
		if (!c.data || c.bytes <= 0 || c.level < 1 || c.level > 3)
			continue;
		int groups = (cpus + c.sharing - 1) / c.sharing;
		int users = c.sharing < cpus ? c.sharing : cpus;
		m.cache[c.level - 1] =
			c.level == 3 ? c.bytes * groups : c.bytes / users;
	}
	if (!m.cache[0] || !m.cache[1])
		ask_library(&m);
	if (!m.cache[0] || !m.cache[1])
		m = isa->usual;
	m.cpus = cpus;
	if (m.cache[2] / cpus > SLICES * m.cache[1])
		m.cache[2] = 0;
	*out = m;
}
