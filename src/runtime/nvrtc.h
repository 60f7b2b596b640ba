/*
 * nvrtc: CUDA C to cubins through NVRTC, which is loaded at run time. No
 * CUDA header is needed to build, no GPU to compile.
 */
#ifndef TENON_NVRTC_H
#define TENON_NVRTC_H

#include "base/base.h"

#define NVRTC_ARCHS 64

/* Entry points that are called, with the ABI that all versions share. */
typedef struct NvrtcProgramData *NvrtcProgram;
#define NVRTC_ENTRIES(X)                                                       \
	X(int, nvrtcVersion, (int *major, int *minor))                         \
	X(int, nvrtcGetNumSupportedArchs, (int *n))                            \
	X(int, nvrtcGetSupportedArchs, (int *archs))                           \
	X(const char *, nvrtcGetErrorString, (int result))                     \
	X(int, nvrtcCreateProgram,                                             \
	  (NvrtcProgram * p, const char *text, const char *name, int headers,  \
	   const char *const *header_texts, const char *const *header_names))  \
	X(int, nvrtcDestroyProgram, (NvrtcProgram * p))                        \
	X(int, nvrtcCompileProgram,                                            \
	  (NvrtcProgram p, int n, const char *const *options))                 \
	X(int, nvrtcGetCUBINSize, (NvrtcProgram p, size_t * size))             \
	X(int, nvrtcGetCUBIN, (NvrtcProgram p, char *cubin))                   \
	X(int, nvrtcGetProgramLogSize, (NvrtcProgram p, size_t * size))        \
	X(int, nvrtcGetProgramLog, (NvrtcProgram p, char *log))

typedef struct Nvrtc {
	char path[4096]; /* the file, as the loader found it */
	int major, minor;
	int archs[NVRTC_ARCHS]; /* 75, 80, 90 ..., ascending */
	int arch_count;
#define ENTRY(result, name, parameters) result(*name) parameters;
	NVRTC_ENTRIES(ENTRY)
#undef ENTRY
} Nvrtc;

/*
 * Files to try, in order, NULL-terminated: by name in the loader's search
 * path, then in the lib folders of $CUDA_HOME, $CUDA_PATH (absolute ones) and
 * /usr/local/cuda, and of the folder `nvrtc` in the user's cache folder, where
 * that is his alone.
 */
const char *const *nvrtc_candidates(Arena *a);

/*
 * Loads the first of `files` (NULL: nvrtc_candidates) that is there, and asks
 * it for its version and architectures. It stays loaded until the process
 * ends: opening it again costs little, from any thread, each with its own
 * ctx. False with ERR_ENV naming every file that was tried, or what the one
 * found lacks.
 */
bool nvrtc_open(Ctx *ctx, const char *const *files, Nvrtc *out);

/*
 * The same with as little as will do: where an earlier process has noted path,
 * version and architectures of nvrtc_open(ctx, NULL, out), and that file and
 * the loader's ways are as they were, nothing is loaded, and the entry points
 * are NULL. Not noticed is a library that has come since into a folder that is
 * looked into before.
 */
bool nvrtc_find(Ctx *ctx, Nvrtc *out);
/* Loads what nvrtc_find has not; the version may be another one then. */
bool nvrtc_load(Ctx *ctx, Nvrtc *n);

typedef struct NvrtcSource {
	const char *name; /* of the kernel, for messages: k0 */
	const char *text;
	const char *arch;           /* sm_80, sm_90a */
	const char *const *options; /* further ones, NULL-terminated; or NULL */
	char *cubin;                /* out: size bytes in the arena */
	size_t size;
	/* out: what the compilers said, with what ptxas tells of registers
	 * and spills (cubin_read_log) */
	const char *log;
	double ms; /* out: time in NVRTC */
} NvrtcSource;

/*
 * Compiles n sources with an NVRTC that is loaded, at most ctx->threads at a
 * time. Errors carry the compiler's log: ERR_ENV, since sources are our own.
 * Unknown architectures are ERR_USAGE and name those that this NVRTC knows.
 * Several threads may compile at once, each with its own ctx and arena.
 */
bool nvrtc_compile(Ctx *ctx, Arena *a, const Nvrtc *nvrtc, NvrtcSource *src,
		   size_t n);

/* All options of a compilation, separated by spaces: what a key is made of. */
const char *nvrtc_options(Arena *a, const Nvrtc *nvrtc, const NvrtcSource *src);

#endif
