/*
 * emit_gpu_narrow: whether 32 bits hold every index of a phase.
 *
 * Of each expression that the phase's code computes the sum of the
 * magnitudes of its terms is bounded, from the extents of the axes in it, and
 * so are its parts: what is below 2^31 by that measure cannot wrap in any
 * order of its additions. Dims have no bound worth having, so that a kernel
 * with a named dim in its indices keeps 64 bits.
 */
#include "emit/emit_gpu.h"

#include <math.h>

typedef struct Narrow {
	Emit *e;
	const Phase *phase;
	double *axis; /* the most that each axis may be */
	bool fits;
} Narrow;

static double most_of(Narrow *n, Ex x)
{
	const ExNode *node = ex_node(n->e->t, x);
	double a, b, sum = 0;

	switch (node->kind) {
	case EX_CONST:
		sum = fabs((double)node->value);
		break;
	case EX_DIM:
		sum = INFINITY;
		break;
	case EX_AXIS:
		sum = n->axis[node->value];
		break;
	case EX_DIV:
	case EX_MOD:
	case EX_MIN:
	case EX_MAX:
		a = most_of(n, node->a);
		b = most_of(n, node->b);
		if (node->kind == EX_DIV || node->kind == EX_MIN)
			sum = a; /* a floor lies at most one further */
		else
			sum = node->kind == EX_MOD || b > a ? b : a;
		if (node->kind == EX_MIN && b > a)
			sum = b;
		sum++;
		break;
	case EX_POLY:
		for (uint32_t i = 0; i < node->nterms; i++) {
			const ExTerm *m = &node->terms[i];
			double term = fabs((double)m->coef);
			for (uint32_t k = 0; k < m->natoms; k++)
				term *= most_of(n, m->atoms[k]);
			sum += term;
		}
		break;
	}
	if (!(sum < 0x1p31))
		n->fits = false;
	return sum;
}

/* The place's indices, its bounds and the number of its element. */
static void place(Narrow *n, uint32_t buffer, const Ex *index, int nindex)
{
	const KBuffer *b = &n->e->k->buffers.p[buffer];
	ExprTab *t = n->e->t;
	Ex x = ex_const(t, 0), size = ex_const(t, 1);

	for (int d = 0; d < nindex; d++) {
		x = ex_add(t, ex_mul(t, x, b->shape[d]), index[d]);
		size = ex_mul(t, size, b->shape[d]);
		(void)most_of(n, index[d]);
	}
	if (b->scope == SCOPE_REG)
		return;
	(void)most_of(n, x);
	(void)most_of(n, size);
}

static void list(Narrow *n, const StmtList *l);

static void stmt(Narrow *n, const Stmt *s)
{
	for (uint32_t i = 0; i < s->nconds; i++)
		(void)most_of(n, s->conds[i]);
	switch (s->kind) {
	case ST_FOR:
	case ST_BOUND: {
		double outer = n->axis[s->axis];
		n->axis[s->axis] = most_of(n, s->extent) + KERNEL_MAX_THREADS;
		if (s->kind == ST_BOUND) /* what follows it uses it */
			return;
		list(n, &s->body);
		n->axis[s->axis] = outer;
		return;
	}
	case ST_IF:
		list(n, &s->body);
		list(n, &s->orelse);
		return;
	case ST_COPY:
		place(n, s->copy->from.buffer, s->copy->from.index,
		      s->copy->from.nindex);
		place(n, s->buffer, s->index, s->nindex);
		return;
	case ST_BOX:
		for (int d = 0; d < n->phase->maps.p[s->box->map].rank; d++)
			(void)most_of(n, s->box->at[d]);
		place(n, s->buffer, s->index, s->nindex);
		return;
	case ST_DOT:
		for (int o = 0; o < 2; o++)
			place(n, s->dot->in[o].buffer, s->dot->in[o].index,
			      s->dot->in[o].nindex);
		(void)most_of(n, s->dot->steps);
		(void)most_of(n, s->dot->before);
		return;
	case ST_LOAD:
	case ST_STORE:
	case ST_AHEAD:
		place(n, s->buffer, s->index, s->nindex);
		return;
	case ST_INDEX:
	case ST_ARG:
	case ST_OP:
		(void)most_of(n, s->ex);
		return;
	case ST_MAC:
	case ST_WORD:
	case ST_PART:
	case ST_CONST:
	case ST_TEST:
	case ST_ROUND:
	case ST_KEEP:
	case ST_ACC:
	case ST_ACCUM:
	case ST_BARRIER:
	case ST_WAIT:
	case ST_SETTLE:
	case ST_FREE:
	case ST_RUNS:
		return;
	case ST_COUNT:
		break;
	}
	bug("statement kind %d", (int)s->kind);
}

static void list(Narrow *n, const StmtList *l)
{
	for (size_t i = 0; i < l->n && n->fits; i++)
		stmt(n, l->p[i]);
}

bool eg_is_narrow(Emit *e, const Phase *ph)
{
	Narrow n = {.e = e, .phase = ph, .fits = true};
	double tasks = 1;

	n.axis = arena_array(e->arena, double, (size_t)e->k->naxes + 1);
	for (size_t i = 0; i < ph->tasks.n; i++) {
		double extent = most_of(&n, ph->tasks.p[i].extent);
		n.axis[ph->tasks.p[i].axis] = extent;
		tasks *= extent;
	}
	list(&n, &ph->body);
	return n.fits && tasks < 0x1p30;
}
