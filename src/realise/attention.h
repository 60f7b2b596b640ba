/*
 * attention: what the files of the realisation share.
 *
 *   attention.c       the choice, the passes, what may be skipped
 *   attention_body.c  the kernel's loops
 *   attention_cost.c  what a search considers, and predicted times
 *   gpu_attention*.c  all of it for GPUs, but for the passes
 */
#ifndef TENON_REALISE_ATTENTION_H
#define TENON_REALISE_ATTENTION_H

#include "realise/lower.h"

enum {
	AP_ROWS,    /* queries a task */
	AP_QUERIES, /* of them in a register tile */
	AP_LANES,   /* lanes of a vector, which run across queries */
	AP_KEYS,    /* keys of a tile of the first product */
	AP_COLUMNS, /* columns of a tile of the second */
	AP_BLOCK,   /* keys a block of the second product */
	AP_COPY_K,  /* tiles of K, and blocks of V, are copied to scratch in */
	AP_COPY_V,  /* the accumulator's dtype before they are read */
	AP_AHEAD,   /* whether tiles ask for K and V of the next ones */
	AP_COUNT
};

typedef struct Attend {
	Lower l;
	ExprTab *t;
	const Region *reg;
	int64_t par[AP_COUNT];
	ValueId first;      /* the first product; the second is the anchor */
	const Value *s, *o; /* both */
	int batch;          /* batch axes */
	DType acc;
	Ex queries, keys, head, width; /* L, S, E, V */
	Ex tiles, padded;              /* tiles of keys, and all their keys */
	int last;       /* the pass that the second product reads */
	bool *full;     /* a value with all axes of the rows */
	int *level;     /* reductions a value waits for */
	int *used;      /* last pass that reads a full value */
	uint32_t *held; /* buffer + 1 of a full value: [padded, rows] */
	uint32_t *kept; /* buffer + 1 of a value a query: [rows] */
	bool causal;
	ValueId visible; /* the condition under which a key is seen */
	/* buffers */
	uint32_t query, raw, weights, out, poison;
	/* of the task at hand */
	Ex at[TN_MAX_RANK]; /* batch indices */
	Ex row0, nrows;
	Ex seen, seen_tiles; /* keys that are computed, and their tiles */
} Attend;

/* What is known of the region, its keys in tiles of so many; w->par is not set.
 */
void attend_init(Attend *w, Kernels *ks, Kernel *k, const Regions *r,
		 int64_t keys);
const char *attention_admit(Arena *a, const Regions *r, uint32_t region);
/* The op that folds what a reduction reads, two by two. */
Op attend_fold(Op reduction);
/* Sets w->seen and w->seen_tiles of a block of `rows` queries from w->row0 on:
 * the tiles of `keys` keys that some query of it sees. */
void attend_bound(Attend *w, int64_t rows, int64_t keys);
void attend_kernel(Attend *w);
void attention_domain(const Regions *r, uint32_t region, const Target *t,
		      Domain by[MAX_PARAMS]);
Cost attention_cost(const Regions *r, uint32_t region, const Target *t,
		    const Candidate *c, const int64_t *dims);

#endif
