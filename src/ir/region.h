/*
 * region: stage 3, which values share a kernel, and why.
 *
 * A region is computed by one kernel. Views and leaves belong to no region:
 * every consumer composes views into its own index maps, reads inputs,
 * weights and constants as stored, and recomputes IOTA in place. Every
 * other value is in exactly one region. For each producer-consumer pair a
 * decision is stored with the condition that decided, its values, and what
 * would change it.
 *
 * A result that is a view or IOTA needs a copy: a LOOP region whose one
 * value is that view or IOTA, which is also its output. Other consumers
 * still read through the view, never the copy. A result that is an input,
 * weight or constant is in no region: the plan copies its buffer.
 */
#ifndef TENON_IR_REGION_H
#define TENON_IR_REGION_H

#include "ir/program.h"

typedef enum RegionKind {
	REGION_LOOP,      /* independent outputs */
	REGION_ROWREDUCE, /* reductions over axes, and what surrounds them */
	REGION_CONTRACT,  /* MATMULs, programs on their loads and tiles */
	REGION_ATTENTION, /* two MATMULs, the rows of the first between them */
	REGION_KIND_COUNT,
} RegionKind;
extern const char *const region_kind_name[REGION_KIND_COUNT];

/* The part a value plays in its region. */
typedef enum Part {
	PART_BODY,     /* LOOP, ROWREDUCE: every value; ATTENTION: the rows */
	PART_PROLOGUE, /* CONTRACT: evaluated where an operand is packed;
			  ATTENTION: wherever it is read */
	PART_ANCHOR,   /* CONTRACT: the MATMUL; ATTENTION: both */
	PART_EPILOGUE, /* CONTRACT, ATTENTION: evaluated on the output tile */
} Part;

typedef struct Region {
	RegionKind kind;
	VEC(ValueId) values; /* in topological order */
	ValueId anchor;      /* the (last) MATMUL; the first reduction; else the
				last */
	/*
	 * The full index space: shape of the values that are computed per
	 * element. ROWREDUCE: reduced axes of it; kept-shape values are the
	 * ones without these axes (the REDUCE results), or with extent 1 in
	 * their place; full-shape ones have all. SCAN values count as
	 * reductions over their axis whose result keeps the full shape.
	 * ATTENTION: the shape of the first product, whose last axis is reduced
	 * and is the one that the second product sums over.
	 */
	uint8_t rank;
	Ex space[TN_MAX_RANK];
	uint32_t reduced;     /* bit set of axes; 0 for LOOP and CONTRACT */
	VEC(ValueId) outputs; /* values stored: results, or used elsewhere */
} Region;

typedef struct Decision {
	ValueId producer, consumer;
	bool joined;
	const char *condition; /* name of the rule that decided: epilogue */
	const char *values;    /* the quantities: "uses=2 shape=[M, N]" */
	const char *change;    /* what would change it; "" when joined and
		nothing is stored for this pair */
} Decision;

typedef struct Regions {
	Arena *arena;
	const Program *program; /* stage 2 */
	VEC(Region) regions;    /* in an order that respects dependence */
	VEC(Decision) decisions;
	uint32_t *of; /* region number by value; NO_REGION for views, leaves
			 (copied results apart) */
	Part *part;   /* by value */
} Regions;
#define NO_REGION UINT32_MAX

/* How a value lies in a region's space. */
typedef enum Form {
	FORM_OTHER,
	FORM_FULL, /* it has every axis of the space */
	FORM_KEPT, /* without the reduced axes, or with extent 1 there */
} Form;
/*
 * axis[d], for each axis d of v: the axis of the space that it is, or -1
 * for one of extent 1 in the place of a reduced one.
 */
Form region_form(const Program *p, const Region *r, const Value *v,
		 int axis[TN_MAX_RANK]);
/*
 * Whether an operand, a view or not, shows at each place of the space the
 * element that its base (view_base) has there: what lets both be computed in
 * one pass over the space. map is view_base's.
 */
bool region_aligned(Program *p, const Region *r, ValueId operand, ValueId base,
		    const Ex *map);
/* Whether a kernel computes v: neither a leaf nor a view. */
bool region_computes(const Program *p, ValueId v);
/* Whether v, if it is a result, takes a region that copies it: a view or
 * IOTA. */
bool region_copies(const Program *p, ValueId v);

/*
 * CONTRACT regions. The products of a step have one shape, the space of the
 * elementwise values that read their tiles. The products of the next step
 * have a value of it as left operand, which is held for a block of rows.
 * The last step's shape is the region's space.
 *
 * region_pitch: elements from row to row of what is held; a cache line more
 * than the row, so that rows do not fall on the same sets of a cache.
 * region_held: that left operand of a product; NO_VALUE in the first step.
 * region_steps: step[v] of each value of the region but prologues; returns
 * their number.
 */
static inline int64_t region_pitch(int64_t width)
{
	return (width + 15) / 16 * 16 + 16;
}
ValueId region_held(const Regions *r, ValueId product);
int region_steps(const Regions *r, uint32_t region, int *step);
/*
 * Rows of a block whose held values, together `width` elements a row of
 * `bytes`, take at most an eighth of a core's L2 cache; in blocks as even as
 * can be, and a multiple of the CPUs where they are few. 0: no row fits.
 */
int64_t region_rows(int64_t rows, int64_t batches, int64_t width, int bytes,
		    int64_t l2, int cpus);

bool regions_verify(const Regions *r, Buf *why);
/* The stage text holds the program too, so that it reads back alone. */
void regions_print(const Regions *r, Buf *b);
Regions *regions_parse(Ctx *ctx, Arena *a, uint32_t source);

#endif
