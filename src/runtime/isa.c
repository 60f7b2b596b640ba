/*
 * isa: the instruction sets that code is generated for.
 *
 * A set is a bundle that processors have together: avx512 is the part of
 * Skylake-SP (F, BW, DQ, VL), avx2 that of Haswell with FMA and F16C. Sets
 * with matrix units are rows of their own, so that a plan's target says what
 * it needs: avx512_vnni (Cascade Lake, Ice Lake) multiplies bytes,
 * avx512_bf16 (Cooper Lake, Zen 4) bf16 as well, and amx (Sapphire Rapids)
 * has tiles for both. What the processor and the kernel support is read with
 * CPUID; the compiler's built-in checks the operating system's part (saved
 * registers) as well. Tile registers are used by a process only once Linux
 * has been asked for them; where it refuses, the set does not run here.
 */
#include "runtime/runtime.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

#define AVX512                                                                 \
	"-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mavx2",       \
		"-mfma", "-mf16c", "-mprefer-vector-width=512"

static const char *const avx512_flags[] = {AVX512, NULL};
static const char *const vnni_flags[] = {AVX512, "-mavx512vnni", NULL};
static const char *const bf16_flags[] = {AVX512, "-mavx512vnni", "-mavx512bf16",
					 NULL};
static const char *const amx_flags[] = {
	AVX512,       "-mavx512vnni", "-mavx512bf16",
	"-mamx-tile", "-mamx-bf16",   "-mamx-int8",
	NULL};
static const char *const avx2_flags[] = {"-mavx2", "-mfma", "-mf16c", NULL};
static const char *const no_flags[] = {NULL};

static const char *const vnni_units[] = {"avx512_vnni", NULL};
static const char *const bf16_units[] = {"avx512_bf16", "avx512_vnni", NULL};
static const char *const amx_units[] = {"amx_bf16",    "amx_int8",    "amx_f16",
					"avx512_bf16", "avx512_vnni", NULL};
static const char *const no_units[] = {NULL};

/*
 * Widest first: isa_host takes the first that runs. The usual machine has 8
 * cores.
 */
const Isa isa_table[] = {
	{"amx",
	 64,
	 32,
	 amx_flags,
	 amx_units,
	 {8, {48 << 10, 2 << 20, 16 << 20}}},
	{"avx512_bf16",
	 64,
	 32,
	 bf16_flags,
	 bf16_units,
	 {8, {32 << 10, 1 << 20, 16 << 20}}},
	{"avx512_vnni",
	 64,
	 32,
	 vnni_flags,
	 vnni_units,
	 {8, {32 << 10, 1 << 20, 16 << 20}}},
	{"avx512",
	 64,
	 32,
	 avx512_flags,
	 no_units,
	 {8, {32 << 10, 1 << 20, 16 << 20}}},
	{"avx2",
	 32,
	 16,
	 avx2_flags,
	 no_units,
	 {8, {32 << 10, 512 << 10, 8 << 20}}},
	{"neon",
	 16,
	 32,
	 no_flags,
	 no_units,
	 {8, {64 << 10, 512 << 10, 4 << 20}}},
	{"base",
	 16,
	 16,
	 no_flags,
	 no_units,
	 {8, {32 << 10, 256 << 10, 4 << 20}}},
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

/* A bit of leaf 7: of ECX, or of EAX in subleaf 1. */
static bool leaf7(unsigned subleaf, int reg, int bit)
{
	unsigned r[4];

	return __get_cpuid_count(7, subleaf, &r[0], &r[1], &r[2], &r[3]) &&
	       (r[reg] >> bit & 1) != 0;
}

/*
 * AMX-BF16, AMX-TILE and AMX-INT8 (EDX of leaf 7), and Linux's leave to use
 * component 18 of the saved state, for all threads from here on. Asking twice
 * does no harm.
 */
static bool has_tiles(void)
{
#if defined(__linux__)
	enum {
		REQUEST_PERMISSION = 0x1023,
		TILE_DATA = 18
	};

	return leaf7(0, 3, 22) && leaf7(0, 3, 24) && leaf7(0, 3, 25) &&
	       syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
#else
	return false;
#endif
}
#endif

bool isa_runs_here(const Isa *isa)
{
#if defined(__x86_64__)
	__builtin_cpu_init();
	bool avx2 = __builtin_cpu_supports("avx2") &&
		    __builtin_cpu_supports("fma") && has_f16c();
	bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
		      __builtin_cpu_supports("avx512bw") &&
		      __builtin_cpu_supports("avx512dq") &&
		      __builtin_cpu_supports("avx512vl");
	bool vnni = avx512 && leaf7(0, 2, 11), bf16 = vnni && leaf7(1, 0, 5);
	if (strcmp(isa->name, "amx") == 0)
		return bf16 && has_tiles();
	if (strcmp(isa->name, "avx512_bf16") == 0)
		return bf16;
	if (strcmp(isa->name, "avx512_vnni") == 0)
		return vnni;
	if (strcmp(isa->name, "avx512") == 0)
		return avx512;
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
