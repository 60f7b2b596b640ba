/*
 * groups: regions while they grow, and the questions the policy asks.
 *
 * Every value that a kernel computes is put into a group once, in
 * topological order; groups merge and never split. The graph of groups stays
 * without cycles, so that kernels can run one after another.
 */
#ifndef TENON_REGION_GROUPS_H
#define TENON_REGION_GROUPS_H

#include "region/region.h"

/* The condition that decided; partition.c holds their texts. */
typedef enum Cond {
	COND_NONE,
	/* joined */
	COND_SAME_ELEMENT,
	COND_EPILOGUE,
	COND_PROLOGUE,
	COND_ROWS,
	COND_ROW_REDUCTION,
	COND_ATTENTION,
	COND_JOINED,
	COND_HELD,
	/* apart */
	COND_SEVERAL_USES,
	COND_OBSERVED,
	COND_REDUCTION_AT_LOAD,
	COND_CONTRACTION,
	COND_RUNTIME_INDEX,
	COND_NOT_SAME_ELEMENT,
	COND_ONE_CONTRACTION,
	COND_CYCLE,
	COND_OTHER_ROWS,
	COND_WHOLE_TILE,
	COND_OTHER_KERNEL,
	COND_TWO_RESHAPES,
	COND_PINNED,
	COND_MATRIX_SEEN,
	COND_SEQUENTIAL,
	COND_ACCUMULATOR,
	COND_NO_ATTENTION,
	COND_NO_JOIN,
	COND_NO_HOLD,
	COND_MANY_PRODUCTS,
	COND_SUMS,
	COND_OTHER_OPERAND,
	COND_ROWS_UNKNOWN,
	COND_ROW_LONG,
	COND_ROWS_DEAR,
	COND_UNIT,
	COND_UNIT_ROWS,
	COND_FEW_BLOCKS,
	COND_JOIN_DEAR,
	COND_LIBRARY,
	COND_COUNT,
} Cond;

typedef struct Pair {
	ValueId producer, consumer;
	Cond apart;          /* why they are, in case they are */
	bool several;        /* their products were joined */
	const char *numbers; /* what else was weighed; NULL: nothing */
} Pair;

typedef enum Pinned {
	PINNED_FREE,
	PINNED_NO,
	PINNED_YES,
} Pinned;

typedef struct Group {
	Region r;    /* values in any order, outputs not filled */
	bool dead;   /* merged into another */
	bool closed; /* nothing joins */
} Group;

typedef struct Grouping {
	Ctx *ctx;
	Arena *arena;
	Program *p;
	/* by value: what it shows and through which map; itself if no view */
	ValueId *base;
	Ex **map;
	bool *is_result;
	bool *apart; /* pinned: its consumers stay out of its group */
	Pinned pin[PIN_COUNT];
	Partition on;
	uint32_t *of;
	Part *part;
	/* readers of v, views seen through: reader[first[v] .. first[v+1]] */
	uint32_t *first;
	ValueId *reader;
	VEC(Group) groups;
	VEC(Pair) pairs;
	uint32_t *mark; /* by group, for walks */
	uint32_t walk;
} Grouping;

Grouping *grouping_new(Ctx *ctx, Arena *a, Program *p);
/* The group of what operand k of v shows; NO_REGION for leaves. */
uint32_t operand_group(const Grouping *g, const Value *v, uint32_t k);
/* A group of one value, whose space is the shape of `like`. */
uint32_t group_start(Grouping *g, RegionKind kind, ValueId v,
		     const Value *like);
void group_join(Grouping *g, uint32_t group, ValueId v, Part part);
/* Whether two regions have one index space. */
bool group_same_space(const Region *a, const Region *b);
/* Whether group a reads, directly or not, what group b computes. */
bool group_depends(Grouping *g, uint32_t a, uint32_t b);
/*
 * Whether b can become part of a: they read each other's values in place,
 * no cycle comes about and no pin is broken. That the spaces are equal is
 * the caller's concern.
 */
bool group_may_merge(Grouping *g, uint32_t a, uint32_t b);
/* Whether a third group is needed by one of the two and needs the other. */
bool group_closes_cycle(Grouping *g, uint32_t a, uint32_t b);
/* Moves b's values into a, all with that part. */
void group_merge(Grouping *g, uint32_t a, uint32_t b, Part part);

#endif
