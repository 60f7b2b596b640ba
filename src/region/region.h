/*
 * region: stage 2 to stage 3, the partition into kernels.
 *
 * Deterministic and measures nothing. Pins: "join.<producer>=no|yes" by the
 * author's value name forbids or demands that the producer joins its
 * consumers; a demand that is not legal is an error, never ignored.
 * "attention.join=0|1" does the same for every pair of products with rows
 * between them, "contract.join=0|1" for products of one tile, and
 * "contract.hold=0|1" for products of products.
 */
#ifndef TENON_REGION_REGION_H
#define TENON_REGION_REGION_H

#include "ir/region.h"
#include "ir/unit.h"

/* Pins of every pair of a kind. */
typedef enum PinKind {
	PIN_ATTENTION, /* rows between two products */
	PIN_JOIN,      /* products of one tile */
	PIN_HOLD,      /* products of products */
	PIN_COUNT,
} PinKind;

typedef struct RegionPin {
	const char *producer; /* author's name; NULL: all pairs of the kind */
	PinKind kind;
	bool join;
	const char *text; /* as the user wrote it, for errors */
} RegionPin;

/* What the partition counts on of the machine. */
typedef struct Partition {
	int cpus, vector_bytes;
	bool gpu;       /* kernels of one product each, but for attention */
	int processors; /* of a GPU */
	int64_t l2;     /* of a core, bytes */
	const MatrixUnit *units;
	size_t nunits;
	bool unit_pinned; /* as in a Target */
	bool library;     /* products are a library's, which does no more */
} Partition;

/* NULL with an error reported when a pin cannot be met. */
Regions *region_partition(Ctx *ctx, Arena *a, const Program *p,
			  const Partition *on, const RegionPin *pins,
			  size_t npins);

#endif
