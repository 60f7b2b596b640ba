/*
 * region: stage 2 to stage 3, the partition into kernels.
 *
 * Deterministic and measures nothing. Pins: "join.<producer>=no|yes" by the
 * author's value name forbids or demands that the producer joins its
 * consumers; a demand that is not legal is an error, never ignored.
 * "attention.join=0|1" does the same for every pair of products with rows
 * between them.
 */
#ifndef TENON_REGION_REGION_H
#define TENON_REGION_REGION_H

#include "ir/region.h"

typedef struct RegionPin {
	const char *producer; /* author's name; NULL: attention.join */
	bool join;
	const char *text; /* as the user wrote it, for errors */
} RegionPin;

/* NULL with an error reported when a pin cannot be met. */
Regions *region_partition(Ctx *ctx, Arena *a, const Program *p,
			  const RegionPin *pins, size_t npins);

#endif
