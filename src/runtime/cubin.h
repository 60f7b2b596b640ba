/*
 * cubin: what a cubin says of its kernels.
 */
#ifndef TENON_CUBIN_H
#define TENON_CUBIN_H

#include "base/base.h"

/*
 * Instructions of the matrix units: name, then its opcodes (the low 12 bits
 * of an instruction, sm_70 and later), as disassembled from kernels of one
 * mma or wgmma each. A warpgroup's takes A from shared memory or from
 * registers; HMMA's second is m8n8k4 of sm_70. tcgen05 of sm_100a has no row.
 */
#define CUBIN_MATRIX(X)                                                        \
	X(HMMA, 0x23c, 0x236)                                                  \
	X(IMMA, 0x237, 0x237)                                                  \
	X(BMMA, 0x23d, 0x23d)                                                  \
	X(DMMA, 0x23f, 0x23f)                                                  \
	X(QMMA, 0x27a, 0x27a)                                                  \
	X(HGMMA, 0x9f0, 0xdf0)                                                 \
	X(IGMMA, 0x9f1, 0xdf1)                                                 \
	X(BGMMA, 0x9f2, 0xdf2)                                                 \
	X(QGMMA, 0x9f3, 0xdf3)

typedef enum CubinMatrix {
#define MATRIX(name, opcode, other) CUBIN_##name,
	CUBIN_MATRIX(MATRIX)
#undef MATRIX
	CUBIN_MATRIX_COUNT
} CubinMatrix;
const char *cubin_matrix_name(CubinMatrix m); /* HMMA */

typedef struct CubinKernel {
	const char *name;
	int registers;  /* a thread */
	int64_t shared; /* static bytes a block, without what CUDA reserves */
	int64_t local;  /* bytes of stack a thread, callees included */
	int64_t code;   /* bytes */
	int64_t matrix[CUBIN_MATRIX_COUNT]; /* instructions in the code */
	/* from the log: */
	bool logged;
	int64_t spill_stores, spill_loads; /* bytes a thread */
	bool serialized; /* ptxas gave up the overlap of wgmma (C75xx) */
} CubinKernel;

typedef struct Cubin {
	int sm; /* 80, 90 */
	CubinKernel *kernels;
	size_t n;
} Cubin;

/*
 * Reads the ELF file of `size` bytes. ERR_ENV with what is wrong for anything
 * that is not a whole cubin of sm_70 or later; never reads outside of it.
 */
bool cubin_read(Ctx *ctx, Arena *a, const void *file, size_t size, Cubin *out);

/*
 * Adds what only the compiler's log tells (ptxas -v). A kernel that the log
 * leaves out, or of which the log and the file say different registers or
 * shared memory, is an error (ERR_ENV).
 */
bool cubin_read_log(Ctx *ctx, Cubin *cubin, const char *log);

CubinKernel *cubin_kernel(const Cubin *cubin, const char *name); /* or NULL */

#endif
