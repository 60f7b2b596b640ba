/*
 * rowreduce.h: what the files of the realisation `rowreduce` share.
 *
 *   rowreduce.c         passes over whole rows
 *   rowreduce_across.c  passes over blocks of columns: the last axis is kept
 *   rowreduce_split.c   passes over pieces of rows, by many workers
 *   rowreduce_cost.c    what a search considers, and predicted times
 *   rowreduce_ahead.c   a pass asks memory for the next row
 */
#ifndef TENON_REALISE_ROWREDUCE_H
#define TENON_REALISE_ROWREDUCE_H

#include "realise/lower.h"

#define PIECE      16384 /* elements: some 2 us, worth a claim */
#define MIN_PIECES 4     /* fewer do not pay for the phases */
#define LEAST_CUT  (PIECE * MIN_PIECES)

enum {
	P_LANES,
	P_ROWS,     /* elements that make a task worth a claim; a GPU's: rows */
	P_STREAM,   /* stores past the caches: 0 never, 1 by size, 2 always */
	P_AHEAD,    /* a pass asks for the next row: as stream */
	P_SPLIT,    /* rows in pieces: 0 never, 1 by length, 2 always */
	P_KEEP,     /* of a row for the passes behind: KEEP_... */
	P_DISTANCE, /* rows from the one at hand to the one asked for */
	P_WIDTH,    /* a GPU's: elements of a run, 0: single ones, in turn */
	P_TURNS,    /* a GPU's: runs of a thread in a step */
	P_COUNT,
	P_CPU = P_WIDTH
};
enum {
	KEEP_NONE,   /* all is computed again */
	KEEP_COSTLY, /* values of an inexact elementary function */
	KEEP_ALL,
};

/* A walk over a row. */
typedef struct Pass {
	StmtList *body;
	Ex index[TN_MAX_RANK];
	int64_t cost;
} Pass;

typedef struct Rows {
	Lower l;
	const Region *reg;
	int lanes;
	int nkept;
	Ex kept[TN_MAX_RANK]; /* extents of the kept axes */
	int *level;           /* reductions a value waits for, by value */
	uint32_t *cache;      /* row buffer + 1, by value */
	/* across: buffers + 1 of a block of columns, by value; split: of what
	 * all workers see, place: of the best value while its place is
	 * looked for */
	uint32_t *keep, *acc, *bests, *place;
	Ex first, columns, column; /* of the block; the one at hand in it */
	/* split: the reduced axis that is dealt in pieces, and a piece of it */
	bool split;
	int piece_axis;
	Ex piece, pieces, piece_first,
		piece_size;  /* size: of the one at hand */
	VarId *best;         /* by value: what an index is looked for */
	Ex row[TN_MAX_RANK]; /* index of the row, by kept axis */
	int passes;
	bool across; /* lanes run across rows */
	/* a GPU's threads have runs of the row (width 0: single elements), all
	 * of it in registers where it is held */
	Run run;
	bool held;
	HeldList operands;
	int64_t shared; /* bytes of memory that a GPU's block may have */
	/* the loop over a task's rows, and what the first pass reads in it */
	int64_t row_axis; /* -1: none */
	Ex row_extent;
	VEC(Pass) pass;
} Rows;

/* A reduction while it folds. */
typedef struct Fold {
	ValueId value;
	VarId acc, best;
	Op op;
	DType acc_dtype;
	int part; /* of an index along lanes: 1, 2 */
} Fold;
typedef VEC(Fold) FoldList;

/* ---- rowreduce.c ----------------------------------------------------- */

/* Whether the region folds axis d of its space. */
bool rows_reduces(const Region *reg, int d);
/* Whether a value is computed per element of the space, not once a row. */
bool rows_is_full(const Rows *w, ValueId id);
/* The index of a kept-shape value in the row at hand. */
void rows_kept_index(const Rows *w, const Value *v, Ex *index);
bool rows_is_arg(Op op); /* argmax, argmin */
/* What folds for a reduction, and the dtype that it folds in. */
Op rows_fold_op(Op op);
DType rows_fold_dtype(const Rows *w, const Value *v);
/* Whether an index is found in two passes: the best value, then its place. */
bool rows_in_two(const Rows *w, const Value *v);
/* Declares the accumulators of a reduction; binds its result to them. */
Fold rows_open_fold(Rows *w, ValueId id, int part);
void rows_close_fold(Rows *w, const Fold *f);
/* Kept-shape values that wait for exactly n reductions, and their stores. */
void rows_values(Rows *w, int n);
/* A walk over the row, or the piece, at hand, if it folds or stores. */
bool rows_pass_has_work(const Rows *w, int pass);
void rows_lower_pass(Rows *w, int pass);

/* What a pass does with an element of the space: n folds, and its results. */
void rows_pass_element(Rows *w, int pass, const Fold *folds, size_t n,
		       const Ex *index);

/* ---- rowreduce_cost.c ------------------------------------------------ */

void rows_domain(const Regions *r, uint32_t region, const Target *t,
		 Domain by[MAX_PARAMS]);
Cost rows_cost(const Regions *r, uint32_t region, const Target *t,
	       const Candidate *c, const int64_t *dims);

/* ---- rowreduce_ahead.c ----------------------------------------------- */

/* What a vector of a pass's body takes. */
int64_t rows_body_cost(const Rows *w, const StmtList *body);
/* Asks for the row `distance` ahead in the longest pass of those behind the
 * first. */
void rows_read_ahead(Rows *w, int64_t distance);

/* ---- rowreduce_across.c ---------------------------------------------- */

/* Every pass over the block of columns at hand, which is a task's. */
void rows_lower_across(Rows *w);

/* ---- rowreduce_split.c ----------------------------------------------- */

bool rows_can_split(const Rows *w);
/* The accumulator of a piece of a row, for all workers to see. */
void rows_store_part(Rows *w, const Fold *f);
/* 1 where rows are cut, else 0. rows, length: how many, and of what. */
Ex rows_split_where(const Rows *w, const Target *target, Ex rows, Ex length);
/* The phases over pieces; they have tasks only where `where` is 1. */
void rows_lower_split(Rows *w, Ex where);
/* Elements of the longest row that a core's cache holds. */
int64_t rows_longest(const Target *target);
/* Elements of a piece. */
int64_t rows_piece(const Rows *w);

#endif
