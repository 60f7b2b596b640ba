/*
 * judge: verdicts on returned bits, and the reference alone.
 *
 * Values are evaluated in order. When one that is a result has been, its
 * returned tensor is judged against its interval, and what follows is
 * evaluated from the returned bits: a value has one bit pattern for all its
 * consumers, so an intermediate that is also a result settles what its
 * consumers saw.
 */
#include "oracle/eval.h"

#include <stdatomic.h>

#define UNDECIDED_LIMIT 0.01 /* of a result's elements */
#define WIDTH_LIMIT     2.0  /* ulp, of the median element */

/* WORKLOADS' fixed admission; negative: none for this dtype. */
static void fixed_rule(const Program *p, ValueId id, double *rtol, double *atol)
{
	const Value *v = program_value(p, id);
	bool softmax = v->via && strstr(v->via, "softmax");
	*rtol = *atol = -1;
	if (v->dtype == DT_F16) {
		*rtol = 2e-3;
		*atol = softmax ? 2e-6 : 2e-4;
	} else if (v->dtype == DT_BF16) {
		*rtol = 1.6e-2;
		*atol = softmax ? 1.6e-5 : 1.6e-3;
	} else if (v->dtype == DT_F32) {
		*rtol = 1e-5;
		*atol = 1e-6;
	}
}

typedef struct Tally {
	const Ev *v;
	const Tensor *got;
	DType dtype;
	double rtol, atol;
	float *width;
	_Atomic int64_t points, mismatches, violations, undecided, misses;
	_Atomic int64_t first_violation;
	_Atomic int64_t furthest;  /* element furthest from ref */
	_Atomic uint64_t distance; /* its distance's bits */
} Tally;

static bool zeros(DType d, const Ival *x)
{
	return dtype_is_float(d) && x->lo.f == 0 && x->hi.f == 0;
}

static bool inside(DType d, Num got, const Ival *x)
{
	if (!dtype_is_float(d)) {
		if (d == DT_U64)
			return (uint64_t)got.i >= (uint64_t)x->lo.i &&
			       (uint64_t)got.i <= (uint64_t)x->hi.i;
		return got.i >= x->lo.i && got.i <= x->hi.i;
	}
	if (isnan(got.f))
		return (x->flags & FL_NAN) || isnan(x->lo.f);
	if (isnan(x->lo.f))
		return false;
	return !below(got.f, x->lo.f) && !below(x->hi.f, got.f);
}

/* In units in the last place of the greater end. */
static double width_of(DType d, const Ival *x)
{
	if (!dtype_is_float(d)) {
		if (d == DT_U64)
			return (double)((uint64_t)x->hi.i - (uint64_t)x->lo.i);
		return (double)x->hi.i - (double)x->lo.i;
	}
	if (x->flags & FL_NAN)
		return INFINITY;
	if (isnan(x->lo.f) || x->lo.f == x->hi.f)
		return 0;
	double top = greatest(fabs(x->lo.f), fabs(x->hi.f));
	if (isinf(top))
		return INFINITY;
	return (x->hi.f - x->lo.f) / fmt_ulp(d, top);
}

static double as_double(DType d, Num x)
{
	if (dtype_is_float(d))
		return x.f;
	return d == DT_U64 ? (double)(uint64_t)x.i : (double)x.i;
}

/* Positive doubles are ordered as their bits. */
static void note_distance(Tally *t, double x, int64_t i)
{
	Num u = {.f = isnan(x) ? INFINITY : x};
	uint64_t seen = t->distance;
	while ((uint64_t)u.i > seen)
		if (atomic_compare_exchange_weak(&t->distance, &seen,
						 (uint64_t)u.i))
			t->furthest = i;
}

static void tally_work(void *arg, int64_t first, int64_t end)
{
	Tally *t = arg;
	DType d = t->dtype;
	int64_t points = 0, mismatches = 0, violations = 0, undecided = 0;
	int64_t misses = 0, worst = -1, first_bad = -1;
	double furthest = -1;
	const int64_t *list = t->v->list;
	for (int64_t i = first; i < end; i++) {
		Num got, ref = t->v->ref[i];
		nums_load(d, t->got->data, list ? list[i] : i, 1, &got);
		Ival x = ev_ival(t->v, i);
		bool in = inside(d, got, &x);
		bool point = !(x.flags & FL_NAN) &&
			     (x.lo.i == x.hi.i || zeros(d, &x) ||
			      (dtype_is_float(d) && isnan(x.lo.f)));
		points += point;
		mismatches += point && !in;
		violations += !in;
		undecided += (x.flags & FL_UNDECIDED) != 0;
		if (!in && first_bad < 0)
			first_bad = i;
		t->width[i] = (float)width_of(d, &x);
		double g = as_double(d, got), r = as_double(d, ref);
		double off = g == r || (isnan(g) && isnan(r)) ? 0 : fabs(g - r);
		if (t->rtol >= 0 && off != 0 &&
		    !(off <= t->atol + t->rtol * fabs(r)))
			misses++;
		if (off > furthest || (isnan(off) && !isinf(furthest))) {
			furthest = isnan(off) ? INFINITY : off;
			worst = i;
		}
	}
	t->points += points;
	t->mismatches += mismatches;
	t->violations += violations;
	t->undecided += undecided;
	t->misses += misses;
	if (worst >= 0)
		note_distance(t, furthest, worst);
	int64_t seen = t->first_violation;
	while (first_bad >= 0 && first_bad < seen)
		if (atomic_compare_exchange_weak(&t->first_violation, &seen,
						 first_bad))
			break;
}

/* The middle of n values, by partition; reorders them. */
static double median(float *x, int64_t n)
{
	int64_t lo = 0, hi = n - 1, k = n / 2;
	if (n == 0)
		return 0;
	while (lo < hi) {
		float pivot = x[lo + (hi - lo) / 2];
		int64_t i = lo, j = hi;
		while (i <= j) {
			while (x[i] < pivot)
				i++;
			while (x[j] > pivot)
				j--;
			if (i <= j) {
				float t = x[i];
				x[i++] = x[j];
				x[j--] = t;
			}
		}
		if (k <= j)
			hi = j;
		else if (k >= i)
			lo = i;
		else
			break;
	}
	return (double)x[k];
}

static void judge_result(Eval *e, ValueId id, const Tensor *got,
			 ResultVerdict *out)
{
	const Ev *v = &e->v[id];
	int64_t n = v->n;
	Tally t = {.v = v, .got = got, .dtype = v->dtype};
	t.first_violation = INT64_MAX;
	t.furthest = n ? 0 : -1;
	fixed_rule(e->p, id, &t.rtol, &t.atol);
	t.width = eval_alloc(e, (size_t)(n + 1) * sizeof *t.width);
	eval_parallel(e->threads, n, 16384, tally_work, &t);
	out->elements = n;
	out->points = t.points;
	out->mismatches = t.mismatches;
	out->violations = t.violations;
	out->undecided = t.undecided;
	out->misses = t.misses;
	out->rtol = t.rtol >= 0 ? t.rtol : 0;
	out->atol = t.atol >= 0 ? t.atol : 0;
	out->median_width = median(t.width, n);
	eval_free(e, t.width);
	if (t.mismatches > 0)
		out->exact = OUT_FAIL;
	else
		out->exact = t.points == n ? OUT_PASS : OUT_NONE;
	bool wide = out->median_width > WIDTH_LIMIT ||
		    (double)t.undecided > UNDECIDED_LIMIT * (double)n;
	if (t.violations > 0)
		out->interval = OUT_FAIL;
	else
		out->interval = wide ? OUT_INCONCLUSIVE : OUT_PASS;
	out->fixed = t.rtol < 0 ? OUT_NONE : t.misses ? OUT_FAIL : OUT_PASS;
	int64_t at = t.violations ? t.first_violation : t.furthest;
	out->worst = v->list && n ? v->list[at] : at;
	if (n == 0)
		return;
	Num x;
	nums_load(v->dtype, got->data, out->worst, 1, &x);
	Ival i = ev_ival(v, at);
	out->got = as_double(v->dtype, x);
	out->ref = as_double(v->dtype, v->ref[at]);
	out->lo = as_double(v->dtype, i.lo);
	out->hi = as_double(v->dtype, i.hi);
}

/* From here on the value is what was returned. */
static void settle_on(Eval *e, ValueId id, const Tensor *got)
{
	Ev *v = &e->v[id];
	eval_free(e, v->lo);
	eval_free(e, v->hi);
	eval_free(e, v->flags);
	eval_free(e, v->parts);
	v->lo = v->hi = NULL;
	v->flags = NULL;
	v->parts = NULL;
	if (!v->list)
		nums_load(v->dtype, got->data, 0, v->n, v->ref);
	for (int64_t i = 0; v->list && i < v->n; i++)
		nums_load(v->dtype, got->data, v->list[i], 1, &v->ref[i]);
}

static bool returned_fits(Eval *e, size_t r, const Tensor *got)
{
	const Result *res = &e->p->results.p[r];
	const Ev *v = &e->v[res->value];
	bool same = got->dtype == v->dtype && got->rank == v->rank;
	for (int d = 0; same && d < v->rank; d++)
		same = got->shape[d] == v->shape[d];
	if (same && (got->data || v->n == 0))
		return true;
	return diag_error(e->ctx, res->loc, NULL,
			  "what was returned as `%s` has not the dtype and "
			  "shape of the result",
			  res->name);
}

static Outcome overall(const Verdict *v)
{
	bool all = true;
	for (size_t r = 0; r < v->nresults; r++) {
		const ResultVerdict *x = &v->results[r];
		if (x->exact == OUT_FAIL || x->interval == OUT_FAIL)
			return OUT_FAIL;
		all &= x->exact == OUT_PASS || x->interval == OUT_PASS;
	}
	return all ? OUT_PASS : OUT_INCONCLUSIVE;
}

/*
 * Whether a result's reference depends on what is returned: some value
 * before it, other than itself, is a result.
 */
static void depends_on_returned(const Eval *e, bool *depends)
{
	const Program *p = e->p;
	bool *settled = arena_array(e->arena, bool, p->values.n + 1);
	for (size_t r = 0; r < p->results.n; r++)
		settled[p->results.p[r].value] = true;
	for (ValueId id = 0; id < p->values.n; id++) {
		const Value *v = program_value(p, id);
		for (uint32_t k = 0; k < v->nargs; k++)
			depends[id] |=
				depends[v->args[k]] || settled[v->args[k]];
	}
}

static bool judge_all(Eval *e, const OracleOptions *o, const Tensor *returned,
		      Verdict *out)
{
	const Program *p = e->p;
	if (!eval_shapes(e))
		return false;
	bool *depends = arena_array(e->arena, bool, p->values.n + 1);
	depends_on_returned(e, depends);
	bool sampled = o && o->sample && sample_plan(e);
	const char *key = sampled ? NULL : cache_key(e, o);
	for (size_t r = 0; key && r < p->results.n; r++) {
		ValueId id = p->results.p[r].value;
		if (!depends[id] && !e->known[id])
			e->known[id] = cache_load(e, o, key, r, &e->v[id]);
	}
	eval_mark(e);
	for (size_t r = 0; r < p->results.n; r++) {
		out->results[r].name = p->results.p[r].name;
		if (!returned_fits(e, r, &returned[r]))
			return false;
	}
	for (ValueId id = 0; id < p->values.n; id++) {
		if (!e->live[id])
			continue;
		if (!eval_value(e, id)) {
			out->fault = true;
			out->fault_value = e->fault_value;
			out->fault_index = e->fault_index;
			out->outcome = OUT_NONE;
			return true;
		}
		bool settled = false; /* a value may be several results */
		for (size_t r = 0; r < p->results.n; r++) {
			if (p->results.p[r].value != id)
				continue;
			if (key && !depends[id] && !e->known[id] && !settled)
				cache_store(e, o, key, r, &e->v[id]);
			settled = true;
			judge_result(e, id, &returned[r], &out->results[r]);
			settle_on(e, id, &returned[r]);
			eval_drop(e, id);
		}
	}
	out->outcome = overall(out);
	return true;
}

bool oracle_judge(Ctx *ctx, Arena *a, const Program *p, const Binding *b,
		  const Feeds *feeds, const Tensor *returned,
		  const OracleOptions *o, Verdict *out)
{
	memset(out, 0, sizeof *out);
	out->nresults = p->results.n;
	out->results = arena_array(a, ResultVerdict, p->results.n);
	Eval *e = arena_new(a, Eval);
	eval_init(e, ctx, a, p, b, feeds);
	e->intervals = true;
	e->acc = o ? o->acc : NULL;
	OomTrap trap;
	if (OOM_TRAP(&trap)) {
		eval_release(e);
		oom_raise();
	}
	bool ok = judge_all(e, o, returned, out);
	oom_trap_pop(&trap);
	eval_release(e);
	return ok;
}

/* ---- the reference alone --------------------------------------------- */

static bool reference_all(Eval *e, Tensor *out)
{
	const Program *p = e->p;
	if (!eval_shapes(e))
		return false;
	for (ValueId id = 0; id < p->values.n; id++) {
		if (!e->live[id])
			continue;
		if (!eval_value(e, id))
			return diag_error(e->ctx,
					  program_value(p, e->fault_value)->loc,
					  NULL,
					  "the program faults on these inputs "
					  "(element or index %lld)",
					  (long long)e->fault_index);
		for (size_t r = 0; r < p->results.n; r++) {
			if (p->results.p[r].value != id)
				continue;
			const Ev *v = &e->v[id];
			Tensor *t = &out[r];
			t->dtype = v->dtype;
			t->rank = v->rank;
			memcpy(t->shape, v->shape, sizeof t->shape);
			tensor_set_contiguous(t);
			t->data = big_alloc(tensor_bytes(t));
			if (!t->data)
				oom_raise();
			nums_store(v->dtype, t->data, 0, v->n, v->ref);
			eval_drop(e, id);
		}
	}
	return true;
}

static void tensors_free(Tensor *t, size_t n)
{
	for (size_t r = 0; r < n; r++) {
		if (t[r].data)
			big_free(t[r].data, tensor_bytes(&t[r]));
		t[r].data = NULL;
	}
}

bool oracle_reference(Ctx *ctx, const Program *p, const Binding *b,
		      const Feeds *feeds, Tensor *out)
{
	Arena arena;
	arena_init(&arena);
	memset(out, 0, p->results.n * sizeof *out);
	OomTrap trap;
	Eval *volatile e = NULL;
	if (OOM_TRAP(&trap)) {
		if (e)
			eval_release(e);
		arena_release(&arena);
		tensors_free(out, p->results.n);
		oom_raise();
	}
	e = arena_new(&arena, Eval);
	eval_init(e, ctx, &arena, p, b, feeds);
	bool ok = reference_all(e, out);
	oom_trap_pop(&trap);
	eval_release(e);
	arena_release(&arena);
	if (!ok)
		tensors_free(out, p->results.n);
	return ok;
}
