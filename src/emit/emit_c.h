/*
 * emit_c: what the files of the C emitter share.
 *
 *   emit_c.c       the source, its phases, buffers and names
 *   emit_c_live.c  which variables and register elements are used
 *   emit_c_loop.c  loops and branches, and their mapping to lanes
 *   emit_c_stream.c  stores past the caches
 *   emit_c_mem.c   loads and stores, and how they walk memory
 *   emit_c_stmt.c  operations, constants, accumulators
 *   emit_c_dot.c   tiles of matrix units, and the words they take
 *   emit_gpu*.c    CUDA C and OpenCL C: what a thread does, by all but the
 *		    loops of the above
 *
 * A body is printed once for each way it runs: a loop mapped to lanes
 * prints it for whole vectors and again for the tail: a vector of which
 * only the first lanes are loaded, folded and stored. Emit says in which of
 * these ways the body at hand is printed. A variable that does not depend on
 * the vector axis stays a scalar in both.
 */
#ifndef TENON_EMIT_EMIT_C_H
#define TENON_EMIT_EMIT_C_H

#include "emit/emit.h"
#include "emit/cfuncs.h"

typedef struct EVar {
	bool live;
	bool varies;   /* a vector in the body at hand */
	bool by_lanes; /* an accumulator kept one a lane while lanes run */
	VarId rounds;  /* + 1: the one stored in its place (emit_gpu_round.c) */
} EVar;

/* The simplified expression of a statement, nothing substituted. */
typedef struct EMemo {
	const Stmt *stmt;
	Ex ex;
} EMemo;

/*
 * An unrolled loop in a vector loop, of as many rows as there are lanes,
 * whose stores are contiguous along its own axis and not along the lanes:
 * the rows are kept in registers, transposed, and stored as vectors.
 */
typedef struct ETurn {
	int64_t axis;
	int rows;    /* as many as there are lanes, or fewer */
	int first;   /* number of the first store's tile */
	bool looped; /* rows are a loop, and kept in an array */
	bool apart;  /* and a function transposes it */
	VEC(const Stmt *) stores;
} ETurn;

typedef struct Emit {
	Arena *arena;
	const Kernels *ks;
	const Kernel *k;
	ExprTab *t;
	CFuncs *fn;
	CDialect dialect; /* others than C: one element at a time, a thread's */
	Buf *out;
	int depth;
	EVar *vars;
	ExFacts facts; /* loops and conditions around, nothing substituted */
	Ex *subst;     /* by axis; naxes + 1 of them, the last for lanes */
	/* how the body at hand runs */
	int lanes; /* 0: single elements */
	int64_t vaxis;
	int copy; /* number of this copy of an unrolled vector body */
	VEC(const Stmt *)
	streams; /* stores of the vector loop that have a flag */
	VEC(const Stmt *) folds;  /* that threads do together, of all phases */
	int nfolds;               /* so far in the phase */
	int around;               /* plain loops around */
	int workers;              /* of a block that the phase is written for */
	VEC(Ex) consts;           /* named c0, c1 ... at the phase's head */
	VEC(const Stmt *) paired; /* loops of the phase (emit_gpu_pair.c) */
	bool *packed;             /* registers of it, by buffer */
	bool pairs[2];            /* the source has some, of f16 and bf16 */
	bool feeder;   /* what is printed is for the feeder (emit_gpu_box.c) */
	bool narrow;   /* indices of the phase are int */
	VarId divisor; /* + 1: of the run at hand, known by tn_y */
	bool divides;  /* the source has such a run */
	bool runs;     /* the source has RUNS */
	bool fence;    /* the phase stores past the caches */
	bool quiet;    /* a further copy: comments were printed before */
	const char *rest;   /* lanes that count, where not all do; else NULL */
	struct ETurn *turn; /* the register tile that is being filled */
	int turns;          /* tiles so far in the phase */
	ValueId commented;
	/* what the phase uses */
	bool *dim_used, *axis_used, *buffer_used;
	int *reg_lanes; /* by buffer: lanes of its elements, 0: scalars */
	EMemo *memo;    /* hash table by statement */
	size_t memo_cap, memo_n;
} Emit;

/* ---- emit_c.c -------------------------------------------------------- */

/* Starts a line, and prints the rest of it. */
void ec_line(Emit *e, const char *fmt, ...) TN_PRINTF(2, 3);
/* tn_<stem>_<d>_v16, or _s for no lanes; marked as needed. */
const char *ec_fn(Emit *e, const char *stem, DType d, int lanes);
/* A function with another name form, marked as needed. */
const char *ec_need(Emit *e, const char *name);
/* The C type of the phase's indices. */
const char *ec_index_type(const Emit *e);
/* The register type: tn_f32_v16. */
const char *ec_type(Emit *e, DType d, int lanes);
/* The C type of one element in memory. */
const char *ec_memory_type(DType d);
Ex ec_subst(Emit *e, Ex x);
/* The C text of an expression after substitution. */
const char *ec_ex(Emit *e, Ex x);
/* As ec_ex, of an expression that needs no substitution. */
const char *ec_ex_raw(Emit *e, Ex x);
/* The text of an expression without parentheses around all of it. */
const char *ec_bare(Emit *e, const char *text);
/* `a >= 0 && b >= 0`, or 1 for no conditions. */
const char *ec_conds(Emit *e, const Ex *conds, size_t n);
/* The name of a buffer's pointer in the source. */
const char *ec_buffer(Emit *e, uint32_t b);
/* The register of element `at` of a REG buffer: r_acc_3_1. */
const char *ec_reg(Emit *e, uint32_t b, const int64_t *at);

/* Readies e for the body of a phase. */
void ec_open_phase(Emit *e, const Phase *ph);
/* Declares the task axes from task number t, the last one fastest. */
void ec_task_axes(Emit *e, const Phase *ph);
/* The number of tasks. */
const char *ec_task_count(Emit *e, const Phase *ph);
/* The comment that a source begins with. */
void ec_head(Emit *e, Buf *out);

/* ---- emit_c_live.c --------------------------------------------------- */

/* Marks the variables that a store or a fault depends on. */
void ec_live(Emit *e, const Phase *ph);
/* Fills reg_lanes from the accesses of the phase. */
void ec_reg_lanes(Emit *e, const StmtList *l, int64_t vaxis, int lanes);
typedef struct EShape {
	int statements;
	bool straight; /* no loops, branches and tests */
	bool folds;    /* into an accumulator from outside */
	bool costly;   /* an operation that outlasts any fold */
} EShape;
EShape ec_shape(const Emit *e, const StmtList *body);

/* ---- emit_c_loop.c --------------------------------------------------- */

void ec_list(Emit *e, const StmtList *l);

/* ---- emit_c_stream.c ------------------------------------------------- */

/*
 * Declares for each store of the loop past the caches a flag: that it is
 * wanted and that the vectors lie aligned after the first elements, whose
 * number's name is returned; NULL if there is no such store. n: elements.
 */
const char *ec_stream_open(Emit *e, const Stmt *loop, const char *n);
/* Whether a vector stored at `to` goes past the caches, as text; NULL: no. */
const char *ec_stream_when(Emit *e, const Stmt *s, const char *to);
/* The flag of a store in the body at hand, or NULL. */
const char *ec_stream_flag(Emit *e, const Stmt *s);

/* ---- emit_c_mem.c ---------------------------------------------------- */

/* The one expression x of s, simplified under what holds there, once. */
Ex ec_simplify(Emit *e, const Stmt *s, Ex x);
/* The element number of an access, simplified under what holds there. */
Ex ec_linear(Emit *e, const Stmt *s);
void ec_load(Emit *e, const Stmt *s);
void ec_ahead(Emit *e, const Stmt *s);
void ec_store(Emit *e, const Stmt *s);
/* Whether a store of a vector loop moves by one along the unrolled axis, and
 * by something else along the lanes. */
bool ec_store_turns(Emit *e, const Stmt *s, int64_t axis);
/* Transposes and stores the tile of one of the stores, row by row. */
void ec_store_turned(Emit *e, const ETurn *turn, size_t which);

/* How an expression moves with the lanes. */
typedef enum EWalkKind {
	WALK_NONE,
	WALK_STEP,
	WALK_LANES
} EWalkKind;
typedef struct EWalk {
	EWalkKind kind;
	Ex base; /* NONE and STEP: lane 0; LANES: over the lane axis */
	Ex step; /* STEP */
} EWalk;
EWalk ec_walk(Emit *e, Ex x);

/* ---- emit_c_dot.c ---------------------------------------------------- */

void ec_word(Emit *e, const Stmt *s);
void ec_part(Emit *e, const Stmt *s);
void ec_dot(Emit *e, const Stmt *s);
/* What the source needs before its phases, and a phase around its body. */
void ec_dot_head(Buf *out, const Kernel *k);
void ec_dot_open(Emit *e, const Phase *ph);
void ec_dot_close(Emit *e, const Phase *ph);

/* ---- emit_c_stmt.c --------------------------------------------------- */

/* Whether any argument is a vector in the body at hand: lanes, else 0. */
int ec_args_lanes(const Emit *e, const Stmt *s);
/* The text of a variable as a register of so many lanes. */
const char *ec_var(Emit *e, VarId v, DType d, int lanes);
/* Declares s->var: `const tn_f32_v16 v3 = `, the rest is for the caller. */
const char *ec_declare(Emit *e, const Stmt *s, int lanes);
/* The fold of two register texts. */
const char *ec_fold(Emit *e, Op op, DType d, int lanes, const char *a,
		    const char *b);
/* The identity of a fold as a scalar. */
const char *ec_identity(const Emit *e, Op op, DType d);
/* tn_hsum and its kin; NULL for a fold that has none. */
const char *ec_fold_lanes(Op op);
void ec_stmt(Emit *e, const Stmt *s);
/* The program's value that the statement computes, as a comment, once. */
void ec_comment(Emit *e, const Stmt *s);

#endif
