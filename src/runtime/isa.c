/*
 * isa: the instruction sets that code is generated for.
 *
 * A set is a bundle that processors have together: avx512 is the part of
 * Skylake-SP (F, BW, DQ, VL), avx2 that of Haswell with FMA and F16C. What
 * the processor and the kernel support is read with CPUID; the compiler's
 * built-in checks the operating system's part (saved registers) as well.
 */
#include "runtime/runtime.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

static const char *const avx512_flags[] = {
	"-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl",
	"-mavx2",    "-mfma",      "-mf16c",     "-mprefer-vector-width=512",
	NULL};
static const char *const avx2_flags[] = {"-mavx2", "-mfma", "-mf16c", NULL};
static const char *const no_flags[] = {NULL};

/*
 * Widest first: isa_host takes the first that runs. The usual machine has 8
 * cores.
 */
const Isa isa_table[] = {
	{"avx512", 64, 32, avx512_flags, {8, {32 << 10, 1 << 20, 16 << 20}}},
	{"avx2", 32, 16, avx2_flags, {8, {32 << 10, 512 << 10, 8 << 20}}},
	{"neon", 16, 32, no_flags, {8, {64 << 10, 512 << 10, 4 << 20}}},
	{"base", 16, 16, no_flags, {8, {32 << 10, 256 << 10, 4 << 20}}},
};
const size_t isa_count = ARRAY_LEN(isa_table);

const Isa *isa_find(const char *name)
{
	for (size_t i = 0; i < isa_count; i++) {
		if (strcmp(isa_table[i].name, name) == 0)
			return &isa_table[i];
	}
	return NULL;
}

#if defined(__x86_64__)
/* Older clangs do not know f16c by name; bit 29 of leaf 1's ECX. */
static bool has_f16c(void)
{
	unsigned a, b, c, d;
	return __get_cpuid(1, &a, &b, &c, &d) && (c >> 29 & 1) != 0;
}
#endif

bool isa_runs_here(const Isa *isa)
{
#if defined(__x86_64__)
	__builtin_cpu_init();
	bool avx2 = __builtin_cpu_supports("avx2") &&
		    __builtin_cpu_supports("fma") && has_f16c();
	if (strcmp(isa->name, "avx512") == 0)
		return avx2 && __builtin_cpu_supports("avx512f") &&
		       __builtin_cpu_supports("avx512bw") &&
		       __builtin_cpu_supports("avx512dq") &&
		       __builtin_cpu_supports("avx512vl");
	if (strcmp(isa->name, "avx2") == 0)
		return avx2;
	return strcmp(isa->name, "base") == 0;
#elif defined(__aarch64__)
	return strcmp(isa->name, "neon") == 0 || strcmp(isa->name, "base") == 0;
#else
	return strcmp(isa->name, "base") == 0;
#endif
}

const Isa *isa_host(void)
{
	for (size_t i = 0; i < isa_count; i++) {
		if (isa_runs_here(&isa_table[i]))
			return &isa_table[i];
	}
	bug("no instruction set runs here");
}
