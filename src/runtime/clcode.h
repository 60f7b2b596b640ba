/*
 * clcode: OpenCL C to programs of a device, through the cache folder. What
 * gpucode.h is for CUDA C.
 */
#ifndef TENON_CLCODE_H
#define TENON_CLCODE_H

#include "runtime/opencl.h"

typedef struct ClSource {
	const char *name; /* for messages: k0 */
	const char *text;
	char key[SHA256_HEX];  /* out: over text, options, platform, device */
	bool cached;           /* out: nothing was compiled */
	OpenclProgram program; /* out; the caller's to free */
} ClSource;

/*
 * Loads n sources, those that the folder keeps from their binaries, and keeps
 * what was built. A binary that is damaged, or that the platform refuses, is
 * built anew; a platform without binaries builds each time. cache NULL:
 * nothing is kept. False: nothing stays loaded.
 */
bool clcode_load(Ctx *ctx, const OpenclDevice *d, const char *cache,
		 ClSource *src, size_t n);

#endif
