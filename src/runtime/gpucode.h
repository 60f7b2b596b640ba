/*
 * gpucode: CUDA C to cubins, through the cache folder. What code_load is for
 * the C compiler (runtime.h), for NVRTC.
 */
#ifndef TENON_GPUCODE_H
#define TENON_GPUCODE_H

#include "base/base.h"
#include "runtime/cubin.h"
#include "runtime/nvrtc.h"

typedef struct GpuSource {
	const char *name; /* for messages: k0 */
	const char *text;
	const char *arch;           /* sm_80, sm_90a */
	const char *const *options; /* further ones, NULL-terminated; or NULL */
	char key[SHA256_HEX]; /* out: over text, options, NVRTC, the ABI */
	bool cached;          /* out: nothing was compiled */
	double compile_ms;    /* out */
	const char *cubin;    /* out: size bytes in the arena */
	size_t size;
	const char *log; /* out: the compiler's, also of a cached one */
	Cubin facts;     /* out: of its kernels; spills are from the log */
} GpuSource;

/*
 * Compiles what the cache folder lacks (in parallel, at most ctx->threads at a
 * time) and reads the rest from there, each file checked against its recorded
 * hash. A damaged or half-written file is compiled anew. Files appear by rename
 * only. cache NULL: nothing is kept, and no folder is needed. A cache folder
 * that cannot be written is an error that says so, where something had to be
 * compiled. The compiler's log is part of its errors.
 *
 * An NVRTC that nvrtc_find has not loaded is loaded where something has to be
 * compiled. If it is of another version than was noted, keys are that one's.
 */
bool gpucode_load(Ctx *ctx, Arena *a, Nvrtc *nvrtc, const char *cache,
		  GpuSource *src, size_t n);

#endif
