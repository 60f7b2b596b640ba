/*
 * cublaslt: products by NVIDIA's cuBLASLt, which is loaded at run time. No
 * CUDA header is needed to build.
 */
#ifndef TENON_CUBLASLT_H
#define TENON_CUBLASLT_H

#include "runtime/cuda.h"

typedef enum LtType {
	LT_F16,
	LT_BF16,
	LT_F32,
	LT_F64,
	LT_I8,
	LT_I32,
} LtType;

/* Numbers are cublas_api.h's, of CUDA 12 and 13 alike. */
typedef enum LtCompute {
	LT_COMPUTE_32F = 68,
	LT_COMPUTE_32F_PEDANTIC = 69,
	LT_COMPUTE_64F_PEDANTIC = 71,
	LT_COMPUTE_32I = 72,
} LtCompute;

/* Element (i, j) of batch b has the number i row + j column + b batch from the
 * address on, which is a multiple of `align` bytes. */
typedef struct LtMatrix {
	LtType type;
	int64_t row, column, batch;
	uint32_t align;
} LtMatrix;

/*
 * out = left right of each batch, rows x columns, sums over depth. Columns of
 * out lie side by side; of left and right rows or columns do.
 */
typedef struct LtProduct {
	const char *name; /* for messages; k0_main */
	LtCompute compute;
	int64_t rows, columns, depth, batches;
	LtMatrix out, left, right;
	size_t workspace;
	int64_t algorithm; /* of those allowed */
} LtProduct;

/* Opaque to callers, as wide as the library's. */
typedef struct LtAlgorithm {
	uint64_t data[8];
} LtAlgorithm;

/* cublasLtMatmulHeuristicResult_t */
typedef struct LtHeuristic {
	LtAlgorithm algorithm;
	size_t workspace;
	int state;
	float waves;
	int reserved[4];
} LtHeuristic;

typedef struct LtOpaque *LtHandle;
typedef struct LtOpaqueDesc *LtDesc;
typedef struct LtOpaqueLayout *LtLayout;
typedef struct LtOpaquePreference *LtPreference;

#define CUBLASLT_ENTRIES(X)                                                    \
	X(size_t, cublasLtGetVersion, (void))                                  \
	X(int, cublasLtCreate, (LtHandle * handle))                            \
	X(int, cublasLtDestroy, (LtHandle handle))                             \
	X(int, cublasLtMatmulDescCreate,                                       \
	  (LtDesc * desc, int compute, int scale))                             \
	X(int, cublasLtMatmulDescDestroy, (LtDesc desc))                       \
	X(int, cublasLtMatmulDescSetAttribute,                                 \
	  (LtDesc desc, int attribute, const void *value, size_t size))        \
	X(int, cublasLtMatrixLayoutCreate,                                     \
	  (LtLayout * layout, int type, uint64_t rows, uint64_t columns,       \
	   int64_t leading))                                                   \
	X(int, cublasLtMatrixLayoutDestroy, (LtLayout layout))                 \
	X(int, cublasLtMatrixLayoutSetAttribute,                               \
	  (LtLayout layout, int attribute, const void *value, size_t size))    \
	X(int, cublasLtMatmulPreferenceCreate, (LtPreference * preference))    \
	X(int, cublasLtMatmulPreferenceDestroy, (LtPreference preference))     \
	X(int, cublasLtMatmulPreferenceSetAttribute,                           \
	  (LtPreference preference, int attribute, const void *value,          \
	   size_t size))                                                       \
	X(int, cublasLtMatmulAlgoGetHeuristic,                                 \
	  (LtHandle handle, LtDesc desc, LtLayout a, LtLayout b, LtLayout c,   \
	   LtLayout d, LtPreference preference, int count,                     \
	   LtHeuristic *results, int *found))                                  \
	X(int, cublasLtMatmulAlgoConfigGetAttribute,                           \
	  (const LtAlgorithm *algorithm, int attribute, void *value,           \
	   size_t size, size_t *written))                                      \
	X(int, cublasLtMatmulAlgoCapGetAttribute,                              \
	  (const LtAlgorithm *algorithm, int attribute, void *value,           \
	   size_t size, size_t *written))                                      \
	X(int, cublasLtMatmul,                                                 \
	  (LtHandle handle, LtDesc desc, const void *alpha, const void *a,     \
	   LtLayout la, const void *b, LtLayout lb, const void *beta,          \
	   const void *c, LtLayout lc, void *d, LtLayout ld,                   \
	   const LtAlgorithm *algorithm, void *workspace, size_t size,         \
	   CudaStream stream))

typedef struct CublasLt {
	char path[4096]; /* the file, as the loader found it */
	int major, minor, patch;
#define CUBLASLT_ENTRY(result, name, parameters) result(*name) parameters;
	CUBLASLT_ENTRIES(CUBLASLT_ENTRY)
#undef CUBLASLT_ENTRY
} CublasLt;

/* Files to try, in order, NULL-terminated: by name in the loader's search path,
 * then in $CUDA_HOME, $CUDA_PATH and /usr/local/cuda. */
const char *const *cublaslt_candidates(Arena *a);
/*
 * Loads the first of `files` (NULL: cublaslt_candidates) that is there; it
 * stays loaded. False with ERR_ENV naming every file that was tried, or what
 * the one found lacks: versions before 12.0 will not do. Needs no device.
 */
bool cublaslt_open(Ctx *ctx, const char *const *files, CublasLt *out);

/* The library's state for a device, for any number of threads. */
bool cublaslt_start(Ctx *ctx, const CublasLt *lt, const CudaDevice *d,
		    LtHandle *out);
void cublaslt_end(const CublasLt *lt, const CudaDevice *d, LtHandle h);

#define LT_ALGORITHMS 32 /* that the heuristics are asked for */

/* One that they named. */
typedef struct LtCandidate {
	int32_t id, split; /* split: parts of depth, 1: whole */
	uint32_t tile, stages, reduction;
	uint64_t numerics; /* cublasLtNumericalImplFlags_t */
	size_t workspace;
	const char *refused; /* NULL: allowed */
} LtCandidate;

/*
 * A product of one size, with its algorithm: number p->algorithm of those that
 * the contract allows, in the order of the heuristics, so that the same library
 * on the same kind of device takes the same one. All of them are recorded.
 * Where an extent is 0 there is no algorithm.
 */
typedef struct LtPlan {
	const CublasLt *lt;
	LtHandle handle;
	LtProduct product;
	LtDesc desc;
	LtLayout layout[3]; /* of right, left, out */
	LtAlgorithm algorithm;
	LtCandidate candidates[LT_ALGORITHMS];
	int count, taken; /* taken: which of them; -1: none */
	uint64_t serial;  /* its own in this process */
} LtPlan;

/* ERR_ENV where the library has no algorithm for it that is allowed: the
 * message has each refusal; out->candidates too. Free it either way. */
bool cublaslt_plan(Ctx *ctx, const CublasLt *lt, const CudaDevice *d,
		   LtHandle h, const LtProduct *p, LtPlan *out);
void cublaslt_plan_free(const CudaDevice *d, LtPlan *p);
/* Whether a run of it does nothing. */
bool cublaslt_plan_is_empty(const LtPlan *p);
/* Queues it; memory is out, left, right, workspace. */
bool cublaslt_queue(Ctx *ctx, const LtPlan *p, const CudaDevice *d,
		    const CudaPtr memory[4], CudaStream s);
/* A line for each candidate: what it is, and why it is refused or taken. */
void cublaslt_tell(const LtPlan *p, Buf *out);

#endif
