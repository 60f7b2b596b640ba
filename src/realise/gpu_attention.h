/*
 * gpu_attention.h: what the files of attention on a GPU share.
 *
 *   gpu_attention.c       the candidate
 *   gpu_attention_body.c  the kernel
 */
#ifndef TENON_REALISE_GPU_ATTENTION_H
#define TENON_REALISE_GPU_ATTENTION_H

#include "realise/attention.h"

enum {
	A_UNIT,
	A_ROWS, /* queries of a block of threads */
	A_KEYS, /* of a tile */
	A_THREADS,
	A_STAGES, /* tiles of keys and values in the block's memory */
	A_COUNT
};

#define COPY_BYTES 16
#define QUAD       4 /* threads that have a row of sums between them */

void gpu_attend_lower(Kernels *ks, Kernel *k, const Regions *r,
		      const int64_t *par);

#endif
