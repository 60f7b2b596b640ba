/*
 * kernel: stage 4, each region as a tile-level loop program.
 *
 * A Kernel computes one region in one or more phases; a phase is a set of
 * independent tasks that workers claim, and phases run one after another.
 * Its body is a tree of statements: loops over axes, loads, stores and
 * scalar operations on single-assignment variables. A loop mapped to
 * `vector` says that its iterations run side by side in vector lanes;
 * `unroll` that each is written out. What a value means does not depend on
 * the mapping, except the order in which an ACCUM folds.
 *
 * On a GPU a worker is a block of threads, and a task the work of one block.
 * A phase says how many (`threads`): its vector loops are shared out to them,
 * and outside of these all threads do the same, the first one storing. What
 * one thread stores another may load after a BARRIER; a loop that folds ends
 * with one. An asynchronous COPY stores when the thread that made it has come
 * to a WAIT that it is old enough for; others may load it after a BARRIER then.
 * A BOX is copied for all threads of the block, and each sees it after its
 * WAIT; on CUDA a warp beside the phase's threads, the feeder, asks for it,
 * which may be ahead of them as far as FREE lets it; at a BARRIER it does not
 * wait. SCOPE_WORKER is the
 * block's shared memory. A register buffer may have the threads as its first
 * axis: each has its part.
 *
 * Index expressions are ir/expr.h's, over dims and the axes of enclosing
 * loops. The verifier proves every access in bounds, with the guards that
 * loads may carry; a kernel with an access that cannot be proved is refused.
 */
#ifndef TENON_IR_KERNEL_H
#define TENON_IR_KERNEL_H

#include "ir/region.h"
#include "ir/unit.h"

#define K_MAX_RANK 12

typedef uint32_t VarId;
#define NO_VAR UINT32_MAX

typedef enum BufScope {
	SCOPE_IN,     /* read: an input, weight, constant or earlier value */
	SCOPE_OUT,    /* written: a result or a value other kernels read */
	SCOPE_SHARED, /* lives across the phases of the kernel, all workers */
	SCOPE_WORKER, /* scratch of one worker, within a task */
	SCOPE_REG, /* registers: constant extents, indexed by unrolled axes */
	SCOPE_COUNT,
} BufScope;
extern const char *const buf_scope_name[SCOPE_COUNT];

/* Row-major and contiguous, whatever its scope. */
typedef struct KBuffer {
	BufScope scope;
	DType dtype;
	uint8_t rank;
	Ex shape[K_MAX_RANK];
	ValueId value;    /* what it holds; NO_VALUE for SHARED, WORKER, REG */
	const char *name; /* letters, digits, _; unique in the kernel */
	/* WORKER: rows of 128 bytes whose pieces of 16 lie exchanged, piece c
	 * of row r in place c ^ r % 8, as UNIT_WGMMA reads them; in the block's
	 * memory at a multiple of 1024 bytes. Only boxes are copied there. */
	bool swizzled;
	/* WORKER: it takes the memory of the phase's other WORKER buffers,
	 * which are done with where the first of its statements is. */
	bool late;
} KBuffer;
#define SWIZZLE_BYTES 128

typedef enum LoopMap {
	MAP_SERIAL,
	MAP_UNROLL,  /* constant extent, written out */
	MAP_VECTOR,  /* lanes at a time, then the rest one at a time */
	MAP_VUNROLL, /* constant extent, lanes at a time and the rest as part of
			a vector, written out */
	MAP_COUNT,
} LoopMap;
extern const char *const loop_map_name[MAP_COUNT];

/* Copies of one body that loops around it may write out together. */
#define KERNEL_MAX_UNROLL 4096

typedef enum StmtKind {
	ST_FOR,   /* axis, extent, map, lanes, body */
	ST_IF,    /* body where every cond >= 0, else orelse */
	ST_LOAD,  /* var = buffer[index...] where every cond >= 0 (nconds may be
		     0), else the dtype's zero */
	ST_STORE, /* buffer[index...] = args[0]; with `stream` past the caches,
		     where every cond >= 0 */
	ST_COPY,  /* buffer[index...] = `width` elements side by side of another
		     buffer, zeros unless every cond >= 0: KCopy; with `stream`
		     past the caches */
	ST_BOX,   /* buffer[index...] and what follows = a box of a map, zeros
		     where it lies outside, if every cond >= 0; asynchronous:
		     KBox */
	ST_AHEAD, /* buffer[index...] is read or written soon, where every cond
		     >= 0: a hint, which may name a place outside the buffer */
	ST_OP,    /* var = op(args...): an ELEM op */
	ST_MAC,   /* var = args[0]*args[1] + args[2], fused or not */
	ST_WORD,  /* var (u32) = the bits of args[0] (of dtype `from`) `bit`
		     on; with nargs 2 those of the word args[1] too */
	ST_PART,  /* var (bf16) = a part of args[0] (f16): `bit` 0: its sign and
		     upper 8 significant bits; 1: the rest, exact. Of infinity
		     and NaN the rest is NaN */
	ST_RUNS,  /* buffer [threads][i][2][j / 4][8] = a DOT's sums in from
		     [threads][i][j][2][2]: at [t][i][h][g][c], of its warp's
		     part, row 16 i + 8 h + t % 32 / 4, column
		     32 g + 8 (t % 4) + c; lanes of a warp exchange them. Where
		     the buffer is of 16-bit floats each is rounded first: the
		     boundary of value */
	ST_DOT,   /* buffer[index...] += a product by a matrix unit: KDot. By
		     UNIT_WGMMA it is under way until a SETTLE */
	ST_CONST, /* var = data */
	ST_INDEX, /* var = the expression ex, rounded once to dtype */
	ST_TEST,  /* var = every cond >= 0 (bool) */
	ST_ROUND, /* var = args[0] rounded to dtype: the boundary of value */
	ST_KEEP,  /* var, of a 16-bit float dtype, = args[0] (f32) unrounded: a
		     boundary that single_rounding drops; it is never stored */
	ST_ACC,   /* declares accumulator var, of dtype: args[0] if nargs is 1,
		     else the identity of op */
	ST_ACCUM, /* accumulator var = op(var, args[0]); with nargs 2 only where
		     args[1] (bool, scalar only). op OP_WHERE: var = args[0] */
	ST_ARG,   /* var (index), args[0] (best): first best of args[1] at ex;
		     both declared by ST_ACC */
	ST_BOUND, /* axis = args[0] checked to lie in 0 .. extent-1, negative
		     from the end; faults with `value` */
	ST_BARRIER, /* every thread of the worker has come here; boxes do not
		       wait for it */
	ST_WAIT,    /* asynchronous COPYs or BOXes since the last WAIT are a
		       group; all groups but the last `bit` are there */
	ST_SETTLE,  /* all DOTs but the last `bit` are done */
	ST_FREE, /* boxes that follow come after what every thread did before:
		    a barrier for them alone */
	ST_COUNT,
} StmtKind;

/* A place in a buffer. */
typedef struct KOperand {
	uint32_t buffer;
	uint8_t nindex;
	Ex index[K_MAX_RANK];
} KOperand;

/*
 * Elements that a thread moves at once: 4, 8 or 16 bytes, of which the first
 * has a number that `width` divides, on both sides. With `async` they go from
 * global memory to the block's by themselves.
 */
typedef struct KCopy {
	KOperand from;
	int width;
	bool async;
} KCopy;
#define KERNEL_MAX_GROUPS 6 /* of copies under way */
#define KERNEL_MAX_DOTS   3 /* under way */

/*
 * A window on a buffer in global memory, from which boxes are brought: its
 * element [i, j, ...] is the buffer's number first + i * stride[0] + j *
 * stride[1] + ..., the last stride being 1. Extents, strides and first are over
 * dims; the element numbers of rows are multiples of 16 bytes wherever a BOX is
 * brought from it. On CUDA it is a tensor map. [CUDA driver API,
 * cuTensorMapEncodeTiled]
 */
#define MAP_MAX_RANK  5
#define MAP_MAX_BOX   256 /* elements of an axis */
#define MAP_ROW_BYTES 16
typedef struct KMap {
	uint32_t buffer;
	uint8_t rank;
	Ex first;
	Ex extent[MAP_MAX_RANK], stride[MAP_MAX_RANK];
	int64_t box[MAP_MAX_RANK]; /* elements brought of each axis */
	bool swizzled;             /* as the buffers are that they go to */
} KMap;

/* The box of a phase's map whose first element is at `at`. It lies in the
 * buffer row by row, as the map has it. */
typedef struct KBox {
	uint32_t map;
	Ex at[MAP_MAX_RANK];
} KBox;

/*
 * A tile of sums from two packed operands, rows x columns over `steps` steps
 * of k. A step is 64 bytes of one row, or 16 words. The last axes of the
 * buffers are
 *
 *	sums      [mr][nr], of the accumulator
 *	operand 0 [steps][rows][elements of 64 bytes]
 *	operand 1 [steps][16][columns], words (u32) of elements next to each
 *		  other along k, the first in the lowest bits
 *
 * or, where `flat` says so, operand 0 is rows of a matrix as it lies in memory,
 * [rows][k], and their indices name the tile's first element. `from` of the
 * statement is the elements' dtype. UNIT_AVX512_VNNI takes operand 0 with the
 * top bits of its elements flipped, which moves them by 128 between i8 and u8.
 *
 * Of a unit whose elements have `parts` (ir/unit.h) the operands hold parts
 * times as many steps, those of one step side by side, of bf16; each is
 * multiplied with each of the other operand's same step, the last of operand 1
 * first, of operand 0 likewise.
 *
 * A unit of threads: all of the block's make the tile together, warps of 32 of
 * them lying `down` below each other and the others side by side, with rows /
 * down x columns / across sums each. Steps are 32 bytes, and the last axes are
 *
 *	sums      registers [threads][i][j][2][2]; at [t][i][j][h][q], of its
 *		  warp's part, row 16 i + 8 h + t % 32 / 4,
 *		  column 8 j + 2 (t % 4) + q
 *	operand 0 in the block's memory [rows][k]; [k][rows] where turned
 *	operand 1 there [columns][k]; [k][columns] where turned
 *
 * Both ignore what f32 has beyond TF32; only elements of 16 bits are turned.
 *
 * Operand 0 of UNIT_MMA may be registers of 16-bit elements instead, where the
 * warps lie below each other: as sums of as many columns as there are k.
 *
 * UNIT_WGMMA takes swizzled operands: k is a row of 128 bytes, or, where
 * turned, [rows or columns / 64][k][64]. A warp has 16 rows of the tile and all
 * its columns.
 */
typedef struct KDot {
	MatrixUnit unit;
	/* Sums are added to what the buffer holds where this is above 0; else
	 * they start from zero. */
	Ex before;
	int64_t rows, columns;
	Ex steps;
	bool flat;
	bool turned[2]; /* a unit of threads: k is the first of the two axes */
	int64_t down;   /* the same: warps below each other; else 0 */
	KOperand in[2];
} KDot;

typedef struct Stmt Stmt;
typedef VEC(Stmt *) StmtList;
struct Stmt {
	StmtKind kind;
	/* FOR, BOUND */
	int64_t axis;
	Ex extent;
	LoopMap map;
	int lanes;
	StmtList body, orelse;
	/* IF, TEST, LOAD, COPY, BOX; STORE, AHEAD: of dims alone */
	uint32_t nconds;
	Ex *conds;
	/* variables */
	VarId var;
	DType dtype; /* of var; of what is stored */
	uint32_t nargs;
	VarId args[3];
	/* memory */
	uint32_t buffer;
	uint8_t nindex;
	bool stream;
	Ex index[K_MAX_RANK];
	/* OP: which; operand dtype. ACC, ACCUM, ARG: the fold's ELEM op */
	Op op;
	DType from;
	Ex ex;   /* INDEX, ARG; OP that may fault: the flat element */
	int bit; /* WORD: 0, 8, 16 or 24; PART: which; WAIT, SETTLE: how many */
	const KDot *dot;   /* DOT */
	const KCopy *copy; /* COPY */
	const KBox *box;   /* BOX */
	uint32_t sums;     /* RUNS: the buffer that they come from */
	const void *data;  /* CONST: one element */
	ValueId value;     /* the program's value it computes, or NO_VALUE */
};

typedef struct KAxis {
	int64_t axis;
	Ex extent;
} KAxis;

/* ---- calls of libraries ---------------------------------------------- */

typedef enum Library {
	LIBRARY_CUBLASLT, /* of a GPU; the others are of CPUs */
	LIBRARY_OPENBLAS,
	LIBRARY_ONEDNN,
	LIBRARY_COUNT,
} Library;
typedef struct LibraryInfo {
	const char *name, *title; /* openblas, OpenBLAS */
	const char *takes;        /* its products, in words */
} LibraryInfo;
extern const LibraryInfo library_info[LIBRARY_COUNT];
bool library_parse(const char *name, Library *out);

/* What a library's product computes in: names of cuBLASLt's. */
typedef enum KCompute {
	COMPUTE_32F,          /* 16-bit floats: exact products, sums in f32 */
	COMPUTE_32F_PEDANTIC, /* f32 in f32 */
	COMPUTE_64F_PEDANTIC, /* f64 in f64 */
	COMPUTE_32I,          /* i8 in i32 */
	COMPUTE_COUNT,
} KCompute;
extern const char *const compute_name[COMPUTE_COUNT];
/* Whether operands of `in` give results of `out` by sums in `acc`. */
bool compute_takes(KCompute c, DType in, DType acc, DType out);
/* The same of a library's. */
bool library_takes(Library l, KCompute c, DType in, DType acc, DType out);
/* Accumulator of its sums. */
AccKind library_acc(Library l, KCompute c);
/* Terms of i8 whose sum is exact in i32, whether it wraps or saturates. */
#define COMPUTE_32I_TERMS ((INT64_C(1) << 17) - 1)

/* A matrix in a buffer: element (i, j) of batch b has the number
 * first + i row + j column + b batch. */
typedef struct KMatrix {
	uint32_t buffer;
	Ex first, row, column, batch;
} KMatrix;

/*
 * out = left right of every batch, rows x columns, sums over `depth`, by a
 * library: no epilogue, and each sum rounded once to the result's dtype. Of
 * out the columns lie side by side, of left and right rows or columns do.
 *
 * cuBLASLt's algorithm is number `algorithm` of those that the contract allows,
 * in the order of the library's heuristics (runtime/cublaslt.h).
 *
 * On a CPU each batch is `down` x `across` products, parts of out's rows and
 * columns, each a call of the library's on one thread: what a part's bits are
 * does not depend on how many threads there are.
 */
typedef struct KCall {
	Library library;
	KCompute compute;
	int64_t algorithm;
	int64_t down, across;
	Ex rows, columns, depth, batches;
	KMatrix out, left, right;
	uint32_t workspace; /* cuBLASLt's: SHARED, bytes */
	ValueId value;
} KCall;
#define CALL_MAX_PARTS 256 /* down, and across */
#define CALL_ALIGN     16  /* bytes: what buffers begin at a multiple of */

/* ---- functions of the user's ------------------------------------------- */

typedef enum KArgKind {
	KARG_BUFFER,
	KARG_DIM,
	KARG_TASK, /* of C */
	KARG_COUNT,
} KArgKind;
/* n: the buffer; the dim */
typedef struct KArg {
	KArgKind kind;
	uint32_t n;
} KArg;

/* A function of C that computes a kernel, `tasks` calls of it, or of a phase
 * with threads a kernel of CUDA, one launch of `tasks` blocks
 * (docs/external.md). What it touches is not proved. */
typedef struct KForeign {
	const char *name, *file, *symbol;
	const char *text; /* whole lines */
	Ex tasks;
	int64_t shared; /* of CUDA: bytes of a block's memory given */
	VEC(KArg) args;
} KForeign;

/*
 * A phase marked `once` depends on nothing that differs between the runs of
 * one binding of dims: it reads weights, constants and what such phases
 * wrote, and writes SHARED buffers that no other phase writes. It runs once
 * a binding; what it wrote is kept with the weights.
 */
typedef struct Phase {
	const char *name; /* main, pack_a, ... */
	bool once;
	int threads;       /* of a worker of a GPU; 0: a CPU's, with lanes */
	VEC(KMap) maps;    /* that its boxes are brought from */
	const KCall *call; /* a library does it: no tasks, no body; or NULL */
	const KForeign *foreign; /* a user's function does; or NULL */
	VEC(KAxis) tasks; /* task axes, outermost first; count: product */
	StmtList body;
} Phase;

typedef struct KParam {
	const char *name;
	int64_t value;
} KParam;

typedef struct Kernel {
	const char *name;        /* k0 */
	const char *realisation; /* loop, rowreduce, contract, library */
	uint32_t region;
	VEC(KParam) params;
	VEC(KBuffer) buffers;
	VEC(Phase) phases;
	int64_t naxes; /* axes are 0 .. naxes-1 */
	uint32_t nvars;
	const char *note; /* one line for explain: what the choice rests on */
} Kernel;

typedef struct Kernels {
	Arena *arena;
	Program *program;    /* stage 2; its table holds every expression */
	VEC(Kernel) kernels; /* in the order they run */
	/* Set by the verifier: an access that it cannot prove. */
	const Kernel *unproved;
	const Stmt *unproved_at; /* NULL: of a library's call */
} Kernels;

/* Whether a phase may be marked `once`; what forbids it in why, or NULL. */
bool phase_may_run_once(const Kernels *ks, const Kernel *k, const Phase *ph,
			Buf *why);
/* Marks every phase that may be. */
void kernel_mark_once(const Kernels *ks, Kernel *k);

/* Steps of all tasks, an estimate (kernel_work.c); a holds what it needs. */
double phase_work(Arena *a, const Kernels *ks, const Kernel *k, const Phase *ph,
		  const int64_t *dims);

/*
 * Where a phase with threads lacks a barrier: the first place at which a
 * thread may touch what another one touched before, one of them storing. False:
 * nowhere. The barrier goes in front of statement *at of *list; where that is
 * NULL no barrier helps, since an asynchronous copy may be under way.
 */
bool phase_hazard(Arena *a, const Kernels *ks, const Kernel *k, const Phase *ph,
		  StmtList **list, size_t *at);
/* A vector loop in which a thread may touch what another one stores, which no
 * barrier can keep apart; NULL: none. */
const Stmt *phase_race(Arena *a, const Kernels *ks, const Kernel *k,
		       const Phase *ph);
/* Whether a WORKER buffer is touched behind a late one, which has its memory.
 */
bool phase_is_late(const Kernel *k, const Phase *ph);
#define KERNEL_MAX_THREADS 1024

/* The call of a kernel that is one; NULL: none. */
static inline const KCall *kernel_call(const Kernel *k)
{
	return k->phases.n ? k->phases.p[0].call : NULL;
}
/* The user's function that a kernel is; NULL: none. */
static inline const KForeign *kernel_foreign(const Kernel *k)
{
	return k->phases.n ? k->phases.p[0].foreign : NULL;
}
/* Whether any kernel is a library's. */
bool kernels_call(const Kernels *ks);
/* Calls that a call on a CPU is. */
Ex call_tasks(ExprTab *t, const KCall *c);

/* Laws, and the proof of every access; text in why. */
bool kernels_verify(Kernels *k, Buf *why);
void kernels_print(const Kernels *k, Buf *b);
Kernels *kernels_parse(Ctx *ctx, Arena *a, uint32_t source);

#endif
