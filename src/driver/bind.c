/*
 * bind: what a call's tensors say: named dims, guards, overlap.
 *
 * A dim is taken from the first input axis that is that dim alone; axes
 * whose extent is an expression are checked afterwards, or solved when one
 * unknown dim appears linearly.
 */
#include "driver/driver.h"

#include <inttypes.h>

static bool is_dim(const ExprTab *t, Ex e, int64_t *dim)
{
	const ExNode *n = ex_node(t, e);

	if (n->kind != EX_DIM)
		return false;
	*dim = n->value;
	return true;
}

/* For a*dim + b with one unset dim and constants else: its value. */
static bool solve(const ExprTab *t, Ex e, int64_t extent, const int64_t *dims,
		  int64_t *dim, int64_t *value)
{
	const ExNode *n = ex_node(t, e);
	int64_t unknown = -1, a = 0, b = 0;

	if (n->kind != EX_POLY)
		return false;
	for (uint32_t i = 0; i < n->nterms; i++) {
		const ExTerm *term = &n->terms[i];
		int64_t coef = term->coef, own = -1;
		for (uint32_t j = 0; j < term->natoms; j++) {
			int64_t d, v;
			if (!is_dim(t, term->atoms[j], &d))
				return false;
			if (dims[d] < 0) {
				if (own >= 0 || (unknown >= 0 && unknown != d))
					return false;
				own = unknown = d;
				continue;
			}
			v = dims[d];
			if (__builtin_mul_overflow(coef, v, &coef))
				return false;
		}
		if (__builtin_add_overflow(own >= 0 ? a : b, coef,
					   own >= 0 ? &a : &b))
			return false;
	}
	if (unknown < 0 || a == 0 || (extent - b) % a)
		return false;
	*dim = unknown;
	*value = (extent - b) / a;
	return *value >= 0;
}

static const char *input_name(const Program *p, size_t i)
{
	return program_value(p, p->inputs.p[i])->name;
}

static bool set_dim(TenonProgram *p, int64_t dim, int64_t value, int64_t *dims,
		    size_t input, int axis)
{
	const ExDim *d = &p->p->ex.dims.p[dim];

	if (value < d->lo || value > d->hi)
		return api_usage(p->c,
				 "input %s: axis %d makes %s = %" PRId64
				 ", which must be %" PRId64 " to %" PRId64,
				 input_name(p->p, input), axis, d->name, value,
				 d->lo, d->hi);
	dims[dim] = value;
	return true;
}

/* Pass over all axes; `solving` also tries expressions. */
static bool take_dims(TenonProgram *p, const TenonTensor *in, int64_t *dims,
		      bool solving)
{
	const ExprTab *t = &p->p->ex;

	for (size_t i = 0; i < p->p->inputs.n; i++) {
		const Value *v = program_value(p->p, p->p->inputs.p[i]);
		for (int d = 0; d < v->rank; d++) {
			int64_t dim, value = in[i].shape[d];
			bool take = is_dim(t, v->shape[d], &dim)
					    ? dims[dim] < 0
					    : solving && solve(t, v->shape[d],
							       value, dims,
							       &dim, &value);
			if (take && !set_dim(p, dim, value, dims, i, d))
				return false;
		}
	}
	return true;
}

static bool check_input(TenonProgram *p, size_t i, const TenonTensor *x)
{
	const Value *v = program_value(p->p, p->p->inputs.p[i]);

	if ((unsigned)x->dtype >= DT_COUNT || (DType)x->dtype != v->dtype)
		return api_usage(p->c,
				 "input %s: dtype is %s, the program "
				 "wants %s",
				 v->name, tenon_dtype_name(x->dtype),
				 dtype_info[v->dtype].name);
	if (x->rank != v->rank)
		return api_usage(p->c,
				 "input %s: rank is %d, the program "
				 "wants %d",
				 v->name, x->rank, v->rank);
	for (int d = 0; d < x->rank; d++)
		if (x->shape[d] < 0)
			return api_usage(p->c, "input %s: negative extent",
					 v->name);
	return true;
}

static bool check_axes(TenonProgram *p, const TenonTensor *in,
		       const int64_t *dims)
{
	ExprTab *t = &p->p->ex;

	for (size_t i = 0; i < p->p->inputs.n; i++) {
		const Value *v = program_value(p->p, p->p->inputs.p[i]);
		for (int d = 0; d < v->rank; d++) {
			int64_t want;
			Buf b;
			if (ex_eval_checked(t, v->shape[d], dims, NULL,
					    &want) &&
			    want == in[i].shape[d])
				continue;
			buf_init(&b, &p->c->ctx.scratch);
			ex_print(&b, t, v->shape[d]);
			return diag_error(
				&p->c->ctx, v->loc,
				"every axis with the same name has one extent "
				"in a call",
				"input %s: axis %d has extent %" PRId64
				", but %s is %" PRId64 " here",
				v->name, d, in[i].shape[d], buf_str(&b), want);
		}
	}
	return true;
}

bool bind_inputs(TenonProgram *p, const TenonTensor *inputs, int64_t *dims)
{
	for (size_t i = 0; i < p->p->ex.dims.n; i++)
		dims[i] = -1;
	for (size_t i = 0; i < p->p->inputs.n; i++)
		if (!check_input(p, i, &inputs[i]))
			return false;
	if (!take_dims(p, inputs, dims, false))
		return false;
	/* every round solves at least one dim, or nothing changes */
	for (size_t i = 0; i < p->p->ex.dims.n; i++)
		if (!take_dims(p, inputs, dims, true))
			return false;
	for (size_t i = 0; i < p->p->ex.dims.n; i++) {
		if (dims[i] < 0)
			dims[i] = p->dims[i];
		if (dims[i] < 0)
			return diag_fail(&p->c->ctx, ERR_USAGE,
					 "no input's shape gives it; set it "
					 "with tenon_set_dim() or --dim",
					 "dim %s has no size",
					 p->p->ex.dims.p[i].name);
	}
	return check_axes(p, inputs, dims);
}

/* ---- overlap --------------------------------------------------------- */

typedef struct Range {
	uintptr_t lo, hi; /* [lo, hi) */
} Range;

static Range tensor_range(const TenonTensor *t)
{
	int64_t lo = 0, hi = (int64_t)tenon_dtype_size(t->dtype);

	for (int d = 0; d < t->rank; d++) {
		if (t->shape[d] == 0)
			return (Range){0, 0};
		int64_t reach = (t->shape[d] - 1) * t->strides[d];
		if (reach < 0)
			lo += reach;
		else
			hi += reach;
	}
	uintptr_t at = (uintptr_t)t->data;
	return (Range){at + (uintptr_t)lo, at + (uintptr_t)hi};
}

/* Addresses of a device are none of the host's; those of OpenCL, which are
 * handles, are equal or apart. */
static bool overlap(const TenonPlan *p, const TenonTensor *a,
		    const TenonTensor *b)
{
	if (a->place != b->place)
		return false;
	if (a->place == TENON_DEVICE &&
	    target_dialect(p->plan->target) == CD_OPENCL)
		return a->data == b->data && tenon_tensor_bytes(a) > 0 &&
		       tenon_tensor_bytes(b) > 0;
	Range x = tensor_range(a), y = tensor_range(b);

	return x.lo < x.hi && y.lo < y.hi && x.lo < y.hi && y.lo < x.hi;
}

static bool donated(const Plan *plan, size_t input, size_t result)
{
	for (size_t i = 0; i < plan->donations.n; i++)
		if (plan->donations.p[i].input == input &&
		    plan->donations.p[i].result == result)
			return true;
	return false;
}

static bool same_place(const TenonTensor *a, const TenonTensor *b)
{
	if (a->data != b->data || a->rank != b->rank)
		return false;
	for (int d = 0; d < a->rank; d++)
		if (a->shape[d] != b->shape[d] ||
		    a->strides[d] != b->strides[d])
			return false;
	return true;
}

bool bind_overlaps(TenonPlan *p, const TenonTensor *inputs,
		   const TenonTensor *results)
{
	const Program *prog = p->program->p;

	for (size_t r = 0; r < prog->results.n; r++) {
		const char *name = prog->results.p[r].name;
		for (size_t s = 0; s < r; s++)
			if (overlap(p, &results[r], &results[s]))
				return api_usage(p->c,
						 "results %s and %s overlap in "
						 "memory; give each its own "
						 "buffer",
						 prog->results.p[s].name, name);
		for (size_t i = 0; i < prog->inputs.n; i++) {
			if (!overlap(p, &results[r], &inputs[i]))
				continue;
			if (donated(p->plan, i, r) &&
			    same_place(&results[r], &inputs[i]))
				continue;
			return api_usage(
				p->c,
				"result %s overlaps input %s; inputs are "
				"immutable (@donate(%s) lets a result of the "
				"same shape and dtype reuse it where the plan "
				"reads each element before it is written)",
				name, input_name(prog, i), input_name(prog, i));
		}
	}
	return true;
}
