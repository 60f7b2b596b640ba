/*
 * expr_eval: what is done with finished expressions: asking what they use,
 * evaluating them under a binding, replacing axes, moving them between
 * tables. All are plain recursions over the tree, whose size expr.c bounds.
 */
#include "ir/expr.h"

#include "ir/internal.h"

/* The largest axis number below `below`; -1 if there is none. */
static int64_t last_axis(const ExprTab *t, Ex e, int64_t below)
{
	const ExNode *n = ex_node(t, e);
	int64_t most = -1, at;
	switch (n->kind) {
	case EX_CONST:
	case EX_DIM:
		return -1;
	case EX_AXIS:
		return n->value < below ? n->value : -1;
	case EX_DIV:
	case EX_MOD:
	case EX_MIN:
	case EX_MAX:
		most = last_axis(t, n->a, below);
		at = last_axis(t, n->b, below);
		return at > most ? at : most;
	case EX_POLY:
		for (uint32_t i = 0; i < n->nterms; i++)
			for (uint32_t k = 0; k < n->terms[i].natoms; k++) {
				at = last_axis(t, n->terms[i].atoms[k], below);
				most = at > most ? at : most;
			}
		return most;
	}
	bug("kind %d", (int)n->kind);
}

int64_t ex_last_axis(const ExprTab *t, Ex e)
{
	return last_axis(t, e, INT64_MAX);
}

bool ex_uses_axis(const ExprTab *t, Ex e, int64_t axis)
{
	return last_axis(t, e, axis + 1) == axis;
}

bool ex_uses_any_axis(const ExprTab *t, Ex e)
{
	return ex_last_axis(t, e) >= 0;
}

bool ex_uses_any_dim(const ExprTab *t, Ex e)
{
	const ExNode *n = ex_node(t, e);

	switch (n->kind) {
	case EX_CONST:
	case EX_AXIS:
		return false;
	case EX_DIM:
		return true;
	case EX_DIV:
	case EX_MOD:
	case EX_MIN:
	case EX_MAX:
		return ex_uses_any_dim(t, n->a) || ex_uses_any_dim(t, n->b);
	case EX_POLY:
		break;
	}
	for (uint32_t i = 0; i < n->nterms; i++)
		for (uint32_t k = 0; k < n->terms[i].natoms; k++)
			if (ex_uses_any_dim(t, n->terms[i].atoms[k]))
				return true;
	return false;
}

/* ---- evaluation ------------------------------------------------------ */

typedef struct Eval {
	const ExprTab *t;
	const int64_t *dims, *axes;
	bool fault; /* overflow or division by zero */
} Eval;

static int64_t mul(Eval *v, int64_t a, int64_t b)
{
	int64_t r;
	v->fault |= __builtin_mul_overflow(a, b, &r);
	return r;
}

static int64_t add(Eval *v, int64_t a, int64_t b)
{
	int64_t r;
	v->fault |= __builtin_add_overflow(a, b, &r);
	return r;
}

/* x // 0 reads as 0 and x % 0 as x, where nobody asks for faults. */
static int64_t floor_div(Eval *v, int64_t a, int64_t b)
{
	if (b == 0) {
		v->fault = true;
		return 0;
	}
	if (b == -1) {
		int64_t r;
		v->fault |= __builtin_sub_overflow((int64_t)0, a, &r);
		return r;
	}
	int64_t q = a / b;
	return q - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t floor_mod(Eval *v, int64_t a, int64_t b)
{
	if (b == 0) {
		v->fault = true;
		return a;
	}
	if (b == -1)
		return 0;
	int64_t r = a % b;
	return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

static int64_t eval(Eval *v, Ex e)
{
	const ExNode *n = ex_node(v->t, e);
	int64_t a = 0, b = 0;
	switch (n->kind) {
	case EX_CONST:
		return n->value;
	case EX_DIM:
		return v->dims[n->value];
	case EX_AXIS:
		return v->axes[n->value];
	case EX_DIV:
	case EX_MOD:
	case EX_MIN:
	case EX_MAX:
		a = eval(v, n->a);
		b = eval(v, n->b);
		if (n->kind == EX_DIV)
			return floor_div(v, a, b);
		if (n->kind == EX_MOD)
			return floor_mod(v, a, b);
		return (a < b) == (n->kind == EX_MIN) ? a : b;
	case EX_POLY:
		for (uint32_t i = 0; i < n->nterms; i++) {
			b = n->terms[i].coef;
			for (uint32_t k = 0; k < n->terms[i].natoms; k++)
				b = mul(v, b, eval(v, n->terms[i].atoms[k]));
			a = add(v, a, b);
		}
		return a;
	}
	bug("kind %d", (int)n->kind);
}

int64_t ex_eval(const ExprTab *t, Ex e, const int64_t *dims,
		const int64_t *axes)
{
	return eval(&(Eval){t, dims, axes, false}, e);
}

bool ex_eval_checked(const ExprTab *t, Ex e, const int64_t *dims,
		     const int64_t *axes, int64_t *out)
{
	Eval v = {t, dims, axes, false};
	*out = eval(&v, e);
	return !v.fault;
}

/* ---- rebuilding ------------------------------------------------------ */

typedef struct Rebuild {
	ExprTab *to;
	const ExprTab *from;
	const Ex *with; /* for axes below n */
	size_t n;
} Rebuild;

static Ex rebuild(const Rebuild *r, Ex e)
{
	ExprTab *to = r->to;
	/* a copy: r->from may be r->to and grow */
	ExNode n = *ex_node(r->from, e);
	Ex a, b;
	switch (n.kind) {
	case EX_CONST:
		return ex_const(to, n.value);
	case EX_DIM:
		if (r->from == to)
			return e;
		ExDim from = r->from->dims.p[n.value];
		size_t before = to->dims.n;
		a = ex_dim(to, from.name, from.loc);
		if (to->dims.n > before) {
			to->dims.p[before].lo = from.lo;
			to->dims.p[before].hi = from.hi;
		}
		return a;
	case EX_AXIS:
		if (n.value >= 0 && (uint64_t)n.value < r->n)
			return r->with[n.value];
		return ex_axis(to, n.value);
	case EX_DIV:
	case EX_MOD:
	case EX_MIN:
	case EX_MAX:
		a = rebuild(r, n.a);
		b = rebuild(r, n.b);
		if (n.kind == EX_DIV)
			return ex_div(to, a, b);
		if (n.kind == EX_MOD)
			return ex_mod(to, a, b);
		return n.kind == EX_MIN ? ex_min(to, a, b) : ex_max(to, a, b);
	case EX_POLY:
		a = EX_ZERO;
		for (uint32_t i = 0; i < n.nterms; i++) {
			b = ex_const(to, n.terms[i].coef);
			for (uint32_t k = 0; k < n.terms[i].natoms; k++)
				b = ex_mul(to, b,
					   rebuild(r, n.terms[i].atoms[k]));
			a = ex_add(to, a, b);
		}
		return a;
	}
	bug("kind %d", (int)n.kind);
}

Ex ex_subst_axes(ExprTab *t, Ex e, const Ex *with, size_t n)
{
	if (!ex_uses_any_axis(t, e))
		return e;
	return rebuild(&(Rebuild){t, t, with, n}, e);
}

Ex ex_copy(ExprTab *to, const ExprTab *from, Ex e)
{
	if (to == from)
		return e;
	return rebuild(&(Rebuild){to, from, NULL, 0}, e);
}
