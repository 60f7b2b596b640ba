/*
 * alternatives_extract: programs out of the graph.
 */
#ifndef TENON_REWRITE_ALTERNATIVES_EXTRACT_H
#define TENON_REWRITE_ALTERNATIVES_EXTRACT_H

#include "rewrite/alternatives.h"
#include "rewrite/egraph.h"

/* Estimated arithmetic operations of p, and bytes of what is stored and read
 * if kernels join as a simple rule has it, under dims. */
void alternatives_weigh(const Program *p, const int64_t *dims, double *work,
			double *bytes);

/* Fills out->list: the program as written, then the cheapest others. */
void alternatives_extract(Ctx *ctx, Egraph *g, const AlternativeOptions *o,
			  Alternatives *out);

/*
 * p with a copy of value v, and of the elementwise values that only it reads,
 * for each reader but the first; NULL where v is not such a value that copies
 * have its bits, or has one reader. *now: by value of p.
 */
Program *alternatives_recomputed(Arena *a, const Program *p, ValueId v);

#endif
