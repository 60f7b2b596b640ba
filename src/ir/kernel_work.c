/*
 * kernel_work: how much a phase does, for the choice of workers.
 *
 * An estimate in steps: one arithmetic operation, load or store on a vector
 * or a scalar, about what a core issues in half a cycle when its data are
 * near. It need only be right to a factor of two around the few
 * microseconds below which threads do not pay; far above them it does not
 * matter. A loop's body is counted once, with the loop's axis at its
 * middle, where a tile is whole and a triangle has its mean.
 */
#include "ir/kernel.h"

/* Instructions of a polynomial with its reduction; of a division. */
#define STEPS_ELEMENTARY 24
#define STEPS_DIVISION   8
#define STEPS_LOOP       2 /* counting and branching, an iteration */
#define STEPS_LINE       3 /* a vector to or from the second-level cache */
#define LINE             64

typedef struct Work {
	const Kernels *ks;
	const Kernel *k;
	const int64_t *dims;
	int64_t *axes;
	int lanes; /* of the vector loop around; 1: none */
} Work;

static double list_work(Work *w, const StmtList *l);

static int64_t extent_of(Work *w, Ex e)
{
	int64_t n;

	if (!ex_eval_checked(&w->ks->program->ex, e, w->dims, w->axes, &n) ||
	    n < 0)
		return 0;
	return n;
}

static double op_work(const Stmt *s)
{
	static const Op divisions[] = {OP_DIV, OP_SQRT, OP_FLOORDIV, OP_MOD};

	if (op_info[s->op].ulp > 0)
		return STEPS_ELEMENTARY;
	for (size_t i = 0; i < ARRAY_LEN(divisions); i++)
		if (s->op == divisions[i])
			return STEPS_DIVISION;
	return 1;
}

static double loop_work(Work *w, const Stmt *s)
{
	int64_t n = extent_of(w, s->extent);
	double times = (double)n;

	int outer = w->lanes;
	if (s->map == MAP_VECTOR || s->map == MAP_VUNROLL) {
		times = (double)((n + s->lanes - 1) / s->lanes);
		w->lanes = s->lanes;
	}
	w->axes[s->axis] = n / 2;
	double body = list_work(w, &s->body);
	w->lanes = outer;
	if (s->map == MAP_SERIAL || s->map == MAP_VECTOR)
		body += STEPS_LOOP;
	return times * body;
}

/* Registers that a value takes. */
static double width(const Work *w, DType d)
{
	int bytes = w->lanes * dtype_info[d].bytes;

	return bytes > LINE ? (double)bytes / LINE : 1;
}

static double access_work(const Work *w, const Stmt *s)
{
	const KBuffer *b = &w->k->buffers.p[s->buffer];

	if (b->scope == SCOPE_REG)
		return 0;
	return w->lanes > 1 ? STEPS_LINE * width(w, b->dtype) : 1;
}

/* A vector unit folds 16 words at a time, as a multiply-add does; one of tiles
 * as many as a tile has rows in a cycle: eight times as fast. */
static double dot_work(Work *w, const Stmt *s)
{
	const KDot *d = s->dot;
	double steps = (double)extent_of(w, d->steps);
	int parts = unit_info[d->unit].parts;
	double words = steps * (double)(d->rows * d->columns * parts * parts);

	return unit_info[d->unit].tiles ? words / 8 : words;
}

static double stmt_work(Work *w, const Stmt *s)
{
	double a, b;

	switch (s->kind) {
	case ST_FOR:
		return loop_work(w, s);
	case ST_IF:
		a = list_work(w, &s->body);
		b = list_work(w, &s->orelse);
		return a > b ? a : b;
	case ST_LOAD:
	case ST_STORE:
		return access_work(w, s);
	case ST_COPY:
		return 2 * access_work(w, s);
	case ST_OP:
		return op_work(s) * width(w, s->dtype);
	case ST_BOUND:
		w->axes[s->axis] = extent_of(w, s->extent) / 2;
		return 1;
	case ST_DOT:
		return dot_work(w, s);
	case ST_MAC:
	case ST_WORD:
	case ST_PART:
	case ST_INDEX:
	case ST_TEST:
	case ST_ROUND:
	case ST_ACCUM:
	case ST_ARG:
		return width(w, s->dtype);
	case ST_AHEAD:
	case ST_CONST:
	case ST_KEEP:
	case ST_ACC:
	case ST_BARRIER:
	case ST_BOX:
	case ST_WAIT:
	case ST_SETTLE:
	case ST_FREE:
	case ST_RUNS:
	case ST_COUNT:
		break;
	}
	return 0;
}

static double list_work(Work *w, const StmtList *l)
{
	double sum = 0;

	for (size_t i = 0; i < l->n; i++)
		sum += stmt_work(w, l->p[i]);
	return sum;
}

/* Of a library's: 32 multiply-adds are a step. */
static double call_work(Work *w, const KCall *c)
{
	return (double)extent_of(w, c->rows) *
	       (double)extent_of(w, c->columns) *
	       (double)extent_of(w, c->depth) *
	       (double)extent_of(w, c->batches) / 32;
}

double phase_work(Arena *a, const Kernels *ks, const Kernel *k, const Phase *ph,
		  const int64_t *dims)
{
	Work w = {.ks = ks, .k = k, .dims = dims, .lanes = 1};
	double tasks = 1;

	if (ph->call)
		return call_work(&w, ph->call);
	if (ph->foreign) /* unknown: worth all workers */
		return 1e12;
	w.axes = arena_array(a, int64_t, k->naxes + 1);
	for (size_t i = 0; i < ph->tasks.n; i++) {
		int64_t n = extent_of(&w, ph->tasks.p[i].extent);
		tasks *= (double)n;
		w.axes[ph->tasks.p[i].axis] = n / 2;
	}
	return tasks * list_work(&w, &ph->body);
}
