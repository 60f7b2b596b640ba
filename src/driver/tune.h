/*
 * tune: what the files of a search share.
 *
 *   variants.c  the space: programs, partitions, candidates
 *   tryout.c    plans of points, made together and tried in a child, which is
 *               runner.c
 *   tune.c      tenon_tune(): keys, the ledger, the outcome
 *   samecode.c  what a plan runs, as a hash
 *   probe.c     a device looked at from a child
 */
#ifndef TENON_DRIVER_TUNE_H
#define TENON_DRIVER_TUNE_H

#include "driver/driver.h"
#include "search/search.h"

typedef struct Tune {
	TenonContext *c;
	TenonProgram *program;
	const TenonTuneOptions *o;
	Arena arena;
	Target target;
	const Isa *isa;
	const char *target_name; /* as plans are compiled for */
	const Program *rewritten;
	RewriteLog log;
	Space space;
	Search search;
	struct Tryout *tryout; /* NULL: nothing is measured */
	Ledger *ledger;
	VEC(TenonPlan *) plans; /* made and not freed yet */
} Tune;

/* ---- variants.c ------------------------------------------------------ */

/* Fills t->space. */
bool variants_make(Tune *t);
/* The plan of a point, its code not loaded; NULL: reported. It is freed, or
 * given away, by what follows; with the search at the latest. */
TenonPlan *variants_plan(Tune *t, const Point *p);
void variants_free(Tune *t, TenonPlan *p); /* NULL is fine */
void variants_give(Tune *t, TenonPlan *p);

/* ---- samecode.c ------------------------------------------------------ */

/* Two plans for one target that have it run the same code on memory of the same
 * sizes. */
const char *plan_code_key(Arena *a, const Plan *p);

/* ---- probe.c --------------------------------------------------------- */

/* Fills c->probed with what a child says of --target NAME. */
bool probe_device(TenonContext *c, const char *name);

/* ---- tryout.c -------------------------------------------------------- */

/* Tensors of the search fixture, and of results; false: reported. */
bool tryout_open(Tune *t);
void tryout_close(Tune *t); /* NULL is fine */
extern const SearchHost tryout_host;

#endif
