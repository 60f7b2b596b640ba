/*
 * contract.h: what the files of the realisation `contract` share.
 *
 *   contract.c        admit, legal, and the phases
 *   contract_model.c  tile and blocks from the machine's caches
 *   contract_pack.c   operands into panels
 *   contract_tile.c   the register tile, and what follows it
 *   contract_feed.c   B packed while the tiles before it are computed
 *   contract_ahead.c  asking for memory before it is needed
 *   contract_dot.c    products by matrix units: their panels and tile
 *   contract_join.c   several products in a kernel
 *   contract_domain.c what a search considers
 *   contract_cost.c   predicted times
 */
#ifndef TENON_REALISE_CONTRACT_H
#define TENON_REALISE_CONTRACT_H

#include "realise/lower.h"

enum {
	P_MR, /* rows of the register tile */
	P_NR, /* its columns, a multiple of lanes */
	P_LANES,
	P_MB,     /* tiles of a task: rows */
	P_NB,     /* and columns */
	P_KC,     /* elements of K that a tile folds at a time */
	P_A,      /* where A is packed: PACK_TASK or PACK_PHASE */
	P_B,      /* and B */
	P_UNIT,   /* what multiplies: ir/unit.h */
	P_AHEAD,  /* whether a tile asks for its results' places: AHEAD_... */
	P_TURNED, /* 1: the operands change places, and lanes lie along M */
	P_COUNT
};
extern const char *const contract_params[P_COUNT + 1];

enum {
	PACK_NONE = 0,  /* read where it lies, by every tile that needs it */
	PACK_TASK = 1,  /* in the scratch of each task: a block of A, a panel of
			   B at a time */
	PACK_PHASE = 2, /* all of it, by a phase of its own */
	PACK_FED = 3,   /* B: as PACK_TASK, piece by piece while the tiles that
			   read the panel before are computed */
	PACK_HELD = 4,  /* A: rows that the kernel made, in scratch */
};

enum {
	AHEAD_NEVER = 0,
	AHEAD_BY_SIZE = 1, /* where the result does not stay in L2 */
	AHEAD_ALWAYS = 2,
};

/* One operand, packed into panels of `wide` rows or columns, for each k the
 * elements of the panel side by side, `pitch` apart. */
typedef struct Packed {
	ValueId value;
	int64_t wide;  /* mr or nr */
	int64_t pitch; /* wide; for a matrix unit rounded up to lanes */
	bool rows;     /* A: the panel axis comes before k in the operand */
	Ex extent;     /* m or n */
	Ex panels;
	int where;
	Ex first; /* PACK_TASK, PACK_FED: the first panel that is packed */
	uint32_t buffer;
	bool varies[TN_MAX_RANK]; /* depends on the batch axis */
} Packed;

typedef struct Product {
	Lower l;
	ExprTab *t;
	const Value *v; /* the MATMUL */
	ValueId id;
	int batch; /* batch axes */
	int64_t par[P_COUNT];
	Ex m, n, k;
	Ex kc, blocks; /* elements of a block of K, and blocks */
	DType acc;
	MatrixUnit unit;
	DType element; /* of the operands, for a matrix unit */
	bool plain;    /* no lanes in prologue and epilogue */
	bool turned;   /* A is the right operand, m and n are exchanged */
	bool asks;     /* tiles ask for their results' places */
	Ex large;      /* where this is at least 0 */
	Packed a, b;
} Product;

/* A product as the model sees it; extents are -1 where not known. */
typedef struct Extents {
	int64_t m, n, k;
	int bytes; /* of an element of the accumulator */
	/* Operands that lie in memory in the accumulator's dtype: along k, or
	 * across few rows, for A, along n for B. B is `fixed` where it is the
	 * same in every run. */
	bool a_plain, b_plain, b_fixed;
	bool b_along; /* B lies along n, in any dtype */
} Extents;
/* An extent that is a constant, else -1. */
int64_t contract_known(const Regions *r, Ex extent);
/* Whether the region reads the value from memory as it is. */
bool contract_is_memory(const Regions *r, uint32_t region, ValueId id);
/* Rows of a product that reads A where it lies, and does not pack B ahead. */
#define FEW_ROWS 64
/* Multiply-adds that are worth another task: some 10 us. A product of fewer
 * is one task, whose sums may stay in registers until it is done. */
#define TASK_MACS (1 << 20)
/* Chooses every parameter. */
void contract_model(const Target *t, const Extents *x, int64_t *par);

/* A phase that packs one operand, a panel a task. */
void contract_pack_phase(Product *p, Packed *x, const char *name);
/* Whether memory runs along k, so that packing transposes. */
bool contract_runs_along_k(Product *p, const Packed *x, const Ex *batch);
/* The buffer for `panels` panels (a constant) of a block of K, in scratch. */
void contract_pack_scratch(Product *p, Packed *x, Ex panels, const char *name);
/* Packs `panels` panels from x->first on, of one block of K, here. */
void contract_pack_block(Product *p, const Packed *x, const Ex *batch,
			 Ex panels, Ex block);
/* Whether the end of B is read with guards: no constant tells its panels. */
bool contract_guarded(const Product *p, const Packed *x);
/* An element of K: its block, and its place there. */
typedef struct KAt {
	Ex block, in;
} KAt;
/* Packs the elements of one k of a whole panel. */
void contract_pack_step(Product *p, const Packed *x, const Ex *batch, Ex panel,
			const KAt *k);
/* Packs one panel, whole or not. */
void contract_pack_panel(Product *p, const Packed *x, const Ex *batch, Ex panel,
			 Ex block);
/* Elements of a block of K: kc but for the last. */
Ex contract_k_length(const Product *p, Ex block);
/*
 * The operand's own element, row or column `wide`, in the accumulator's
 * dtype; guarded: zero beyond the operand.
 */
VarId contract_element(Product *p, const Packed *x, const Ex *batch, Ex wide,
		       const KAt *k, bool guarded);
/*
 * Index of a packed element: batch (or 0 where repeated), block of K, panel,
 * k, lane. The panels of a block of K lie side by side: panels over the whole
 * of K would fall on the same sets of a cache where K is a power of two.
 */
void contract_packed(const Product *p, const Packed *x, const Ex *batch,
		     Ex panel, const KAt *k, Ex lane, Ex *out);

/* The operand's own index of its row or column `wide` and of k. */
void contract_operand_index(const Product *p, const Packed *x, const Ex *batch,
			    Ex k, Ex wide, Ex *out);
/* Where a panel lies in its buffer: the indices before those of k and lane,
 * whose number is returned. */
int contract_panel_index(const Product *p, const Packed *x, const Ex *batch,
			 Ex panel, Ex block, Ex *out);

/* ---- contract_dot.c -------------------------------------------------- */

/* NULL where the unit computes the region, else the reason why not. */
const char *contract_dot_refuses(Arena *a, const Regions *r, uint32_t region,
				 const Target *t, MatrixUnit u);
/* The target's first unit that does, and pays; UNIT_FMA: none. */
MatrixUnit contract_dot_unit(Arena *a, const Regions *r, uint32_t region,
			     const Target *t);
/* Whether the unit may read A where it lies, in tiles of mr rows. */
bool contract_dot_flat(const Regions *r, uint32_t region, MatrixUnit u,
		       int64_t mr);
/* As contract_model, for a unit and elements of so many bytes. */
void contract_dot_model(const Target *t, const Extents *x, MatrixUnit u,
			int element_bytes, int64_t *par);
const char *contract_dot_legal(Arena *a, const Regions *r, uint32_t region,
			       const Target *t, const int64_t *par);
/* Elements of a block of K, whole steps. */
Ex contract_dot_kc(const Product *p);
/* The shape of a panel of one block of K, and its dtype. */
DType contract_dot_panel(const Product *p, const Packed *x, Ex shape[3]);
/* What explain says of the unit; NULL: there is none. */
const char *contract_dot_note(const Product *p);
/* Packs `panels` panels from `first` on, of one block of K. */
void contract_dot_pack(Product *p, const Packed *x, const Ex *batch, Ex first,
		       Ex panels, Ex block);
/* Panels that a task of a phase packs. */
int64_t contract_dot_group(const Product *p, const Packed *x);
/* The tile at hand: its panels, its block of K, its place in scratch. */
typedef struct DotTile {
	Ex pa, pb, block;
	uint32_t buffer;
	const Ex *index;
} DotTile;
void contract_dot_fold(Product *p, const Ex *batch, const DotTile *tile);

/* ---- contract_tile.c ------------------------------------------------- */

/* Tiles of one size side by side, in units of whole tiles. */
typedef struct Span {
	int64_t size; /* rows or columns of each */
	Ex first, count;
	bool last; /* the smaller one at the end */
} Span;

typedef struct Block {
	const Ex *batch;
	Ex kk, length; /* the block of K */
	/* the tile at hand: its size, its place, its panels */
	int64_t rows, columns;
	Ex row, column;
	Ex pa, pb;
	uint32_t acc; /* the registers of its sums */
	uint32_t tile;
	Ex at[2];   /* the tile's place in scratch, when it keeps all of them */
	bool keeps; /* the tile is one of many in scratch */
	bool resumes;  /* it goes on from the sums there */
	bool fills;    /* the first tile of a panel packs it */
	bool feeds;    /* tiles pack the next panel, or ask for it */
	Ex more;       /* at least 0 where a whole panel follows */
	bool direct;   /* what follows the product works on the registers */
	uint32_t held; /* PACK_HELD: the rows, [tiles][mr][pitch] */
} Block;

/* The sums over one block of K, in registers; and those into scratch. */
void contract_tile_fold(Product *p, Block *b);
void contract_tile_keep(Product *p, const Block *b);
/* The same by a matrix unit, from scratch to scratch. */
void contract_tile_dot(Product *p, const Block *b);
/* Row i of A and column j of B of the tile, at k. */
VarId contract_load_a(Product *p, const Block *b, const KAt *k, Ex i);
VarId contract_load_b(Product *p, const Block *b, const KAt *k, Ex j);
/* One step along K: row holds nr elements of B, filled as well where asked. */
void contract_step(Product *p, const Block *b, uint32_t row, const KAt *k,
		   bool fill);
/* Tiles below each other that a panel of B is worth reading for. */
#define FEW_TILES 12
/* Few steps along K, of so many multiply-adds of vectors each, are written
 * out: a loop would end unforeseen. */
LoopMap contract_fold_map(const Product *p, const Block *b, int64_t vectors);
/* Index of element i, j of the tile in scratch. */
void contract_tile_index(const Block *b, Ex i, Ex j, Ex *out);
/* Zeros into `rows` x `columns` tiles of scratch. */
void contract_tiles_clear(Product *p, Block *b, Ex rows, Ex columns);
/*
 * The tiles from `first` on, `count` of them: whole ones, and a smaller one at
 * the end of an operand of constant extent; none of an extent of 0. Returns
 * their number.
 */
int contract_spans(Product *p, const Packed *x, Ex first, Ex count,
		   Span out[2]);
/* Opens the loops over the elements of the tile in registers. */
void contract_tile_for(Product *p, const Block *b, Ex at[static 2]);
/*
 * Whether what follows the product may be written out for each register of a
 * tile: nothing of it is long, and every tile lies inside the result, which
 * constant extents make sure of. of: the values' steps, of which one counts;
 * NULL: all of them do.
 */
bool contract_is_direct(const Product *p, const int *of, int step);
/* Rounds the sum of the product `id`, which p is at, and binds it. */
void contract_bind(Product *p, ValueId id, VarId sum, const Ex *index);

/* ---- contract_feed.c ------------------------------------------------- */

/* Whether the tiles of a panel care for the next one. */
bool contract_feeds(Product *p, const Block *b);
/* One block of K into the registers, and meanwhile the tile's share of the
 * next panel of B into its place, or nearer. */
void contract_feed_fold(Product *p, const Block *b, uint32_t row);
/* What the tiles of the panel before, if there was one, left of b's. at: its
 * number in the span; rows: tiles of a panel. */
void contract_feed_rest(Product *p, const Block *b, const Span *span, Ex at,
			Ex rows);

/* ---- contract_ahead.c ------------------------------------------------ */

/* Asks for what an element of the operand is read from; all of this in a loop
 * of vectors. */
void contract_ask_element(Product *p, const Packed *x, const Ex *batch, Ex wide,
			  const KAt *k);
/* The same for a panel's width of them from `wide` on, at one k. */
void contract_ask_row(Product *p, const Packed *x, const Ex *batch, Ex wide,
		      const KAt *k);
/* Decides whether tiles ask for what follows the product. */
void contract_ahead_init(Product *p, const Target *target);
/*
 * Makes of the statements from `made` on, a tile's finish, questions for the
 * memory that it touches, where `last` is at least 0, and moves them to
 * `first`, before the tile is computed.
 */
void contract_ask_finish(Product *p, size_t first, size_t made, Ex last);

/* ---- contract.c ------------------------------------------------------ */

/* The last product of a region. */
const Value *contract_product(const Regions *r, uint32_t region);
/* What is known of an operand's elements before any is evaluated. */
typedef struct Operand {
	bool memory; /* they are read, not computed */
	bool along;  /* memory runs along the axis asked for */
	bool fixed;  /* nothing of it is an input */
	DType dtype;
} Operand;
/* The axis is `rank - 1 - behind` of the value. */
Operand contract_look(const Regions *r, uint32_t region, ValueId id,
		      int behind);

/*
 * Whether memory holds the operand in the accumulator's dtype, and runs along
 * its axis `rank - 1 - behind`; fixed: nothing of it is an input.
 */
bool contract_is_plain(const Regions *r, uint32_t region, ValueId id, DType acc,
		       int behind, bool *fixed);
/* Operand 0 or 1 of the product v, whose m and n are p's. */
Packed contract_operand(const Product *p, const Value *v, int number);

/* ---- contract_domain.c, contract_cost.c ------------------------------ */

void contract_domain(const Regions *r, uint32_t region, const Target *t,
		     Domain by[MAX_PARAMS]);
Cost contract_cost(const Regions *r, uint32_t region, const Target *t,
		   const Candidate *c, const int64_t *dims);

/* ---- contract_join.c ------------------------------------------------- */

/* Whether the region has more than one product. */
bool contract_is_joined(const Regions *r, uint32_t region);
/* As contract_model, for all products of the region. */
void contract_join_model(const Regions *r, uint32_t region, const Target *t,
			 MatrixUnit unit, int64_t *par);
/* Lowers a region of several products; p is filled but for one product's. */
void contract_join_lower(Product *p, const Target *t);
/* Element i, k of the held rows that the tile at hand multiplies. */
VarId contract_held(Product *p, const Block *b, const KAt *k, Ex i);

/* The phase that computes the product and what follows it. */
void contract_main(Product *p);

#endif
