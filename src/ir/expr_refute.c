/*
 * expr_refute: a binding that shows that e >= 0 does not hold.
 *
 * A proof that fails is dear, since everything is tried; most that are
 * asked for in vain fail at the first binding one thinks of. So a few are
 * tried before: dims small and large, equal and unequal, axes at the
 * start, the middle and the end of their ranges. One that the facts admit
 * and that makes e negative is a proof that there is no proof.
 */
#include "ir/internal.h"

#define SAMPLES  12
#define MAX_DIMS 16
#define MAX_AXES 64

typedef struct Sample {
	int64_t dims[MAX_DIMS];
	int64_t axes[MAX_AXES];
} Sample;

/* Dim d of sample number k. */
static int64_t dim_value(const ExDim *d, size_t number, int k)
{
	static const int64_t sizes[SAMPLES] = {1,   2,  5,   16, 33,  64,
					       100, 97, 128, 3,  513, 1000};
	/* the second half has each dim differ from the others */
	int64_t v =
		sizes[(k + (k >= SAMPLES / 2 ? 5 * (int)number : 0)) % SAMPLES];

	return v < d->lo ? d->lo : v > d->hi ? d->hi : v;
}

/* Places the axes within their ranges; false where one is empty. */
static bool place_axes(const ExprTab *t, const ExFacts *f, Sample *s, int k)
{
	for (size_t i = 0; i < f->ranges.n; i++) {
		const ExRange *r = &f->ranges.p[i];
		int64_t n;
		if (!ex_eval_checked(t, r->extent, s->dims, s->axes, &n) ||
		    n <= 0)
			return false;
		int at = (k + (k & 1 ? (int)i : 0)) % 3;
		s->axes[r->axis] = at == 0 ? n - 1 : at == 1 ? 0 : n / 2;
	}
	return true;
}

static bool holds(const ExprTab *t, const ExFacts *f, const Sample *s)
{
	int64_t v;

	for (size_t i = 0; i < f->facts.n; i++)
		if (!ex_eval_checked(t, f->facts.p[i], s->dims, s->axes, &v) ||
		    v < 0)
			return false;
	return true;
}

/* Whether every axis that is named has a place in a sample. */
static bool fits(const ExprTab *t, const ExFacts *f, Ex e)
{
	uint64_t ranged = 0;

	if (t->dims.n > MAX_DIMS)
		return false;
	for (size_t i = 0; i < f->ranges.n; i++) {
		if (f->ranges.p[i].axis < 0 || f->ranges.p[i].axis >= MAX_AXES)
			return false;
		ranged |= (uint64_t)1 << f->ranges.p[i].axis;
	}
	for (int64_t a = ex_last_axis(t, e); a >= 0; a--)
		if (ex_uses_axis(t, e, a) &&
		    (a >= MAX_AXES || !(ranged >> a & 1)))
			return false;
	for (size_t i = 0; i < f->facts.n; i++)
		for (int64_t a = ex_last_axis(t, f->facts.p[i]); a >= 0; a--)
			if (a >= MAX_AXES ||
			    (!(ranged >> a & 1) &&
			     ex_uses_axis(t, f->facts.p[i], a)))
				return false;
	return true;
}

bool ex_refuted(const ExprTab *t, const ExFacts *f, Ex e)
{
	static const ExFacts none;
	Sample s = {0};
	int64_t v;

	if (!f)
		f = &none;
	if (!fits(t, f, e))
		return false;
	for (int k = 0; k < SAMPLES; k++) {
		for (size_t d = 0; d < t->dims.n; d++)
			s.dims[d] = dim_value(&t->dims.p[d], d, k);
		if (place_axes(t, f, &s, k) && holds(t, f, &s) &&
		    ex_eval_checked(t, e, s.dims, s.axes, &v) && v < 0)
			return true;
	}
	return false;
}
