/*
 * elem: elementwise values, whole tensors on threads.
 *
 * The reference is computed first, in one pass. Intervals follow where an
 * operand has one or the op has an error bound of its own; a tensor whose
 * elements all turn out to be points drops them again.
 */
#include "oracle/eval.h"

#include <stdatomic.h>

typedef struct Job {
	Eval *e;
	const Value *v;
	const Ev *in[3];
	Ev *out;
	int arity;
	DType dtype; /* of the operands */
	bool intervals, unrounded;
	_Atomic int64_t fault;
} Job;

static void fault_at(Job *j, int64_t i)
{
	int64_t seen = j->fault;
	while (i < seen && !atomic_compare_exchange_weak(&j->fault, &seen, i))
		;
}

static void refs(Job *j, int64_t first, int64_t end)
{
	Op op = j->v->op;
	const Num *in[3] = {NULL, NULL, NULL};
	for (int k = 0; k < j->arity; k++)
		in[k] = j->in[k]->ref + first;
	Num *out = j->out->ref + first;
	int64_t n = end - first;
	DType d = j->dtype;
	if (op == OP_CAST) {
		for (int64_t i = 0; i < n; i++)
			out[i] = point_cast(d, j->v->dtype, in[0][i]);
	} else if (op == OP_WHERE) {
		for (int64_t i = 0; i < n; i++)
			out[i] = in[0][i].i ? in[1][i] : in[2][i];
	} else if (op_info[op].result == OPR_bool) {
		for (int64_t i = 0; i < n; i++)
			out[i] = point_compare(op, d, in[0][i], in[1][i]);
	} else if (dtype_is_float(d)) {
		point_float(op, d, in, n, out);
	} else {
		for (int64_t i = 0; i < n; i++) {
			Num x[3];
			for (int k = 0; k < 3; k++)
				x[k].i = k < j->arity ? in[k][i].i : 0;
			if (!point_int(op, d, x, &out[i])) {
				out[i].i = 0;
				fault_at(j, first + i);
			}
		}
	}
}

/*
 * A choice between arms that is not settled: the hull, and undecided. The
 * mark goes again where the hull is as narrow as one value's rounding.
 */
static Ival choose(DType d, const Ival x[3], bool unrounded)
{
	Ival r;
	if (x[0].lo.i == x[0].hi.i) {
		r = x[0].lo.i ? x[1] : x[2];
	} else {
		r = ival_hull(d, x[1], x[2]);
		r.flags |= FL_UNDECIDED;
	}
	if (unrounded && dtype_is_float(d)) {
		r.lo.f = fmt_round(d, r.lo.f);
		r.hi.f = fmt_round(d, r.hi.f);
	}
	return r;
}

static void intervals(Job *j, int64_t first, int64_t end)
{
	Op op = j->v->op;
	DType d = j->dtype, to = j->v->dtype;
	bool fl = dtype_is_float(d), to_fl = dtype_is_float(to);
	for (int64_t i = first; i < end; i++) {
		Ival x[3] = {{.flags = 0}, {.flags = 0}, {.flags = 0}}, r;
		uint8_t undecided = 0;
		for (int k = 0; k < j->arity; k++) {
			x[k] = ev_ival(j->in[k], i);
			undecided |= x[k].flags & FL_UNDECIDED;
		}
		if (op == OP_CAST)
			r = ival_cast(d, to, x[0]);
		else if (op == OP_WHERE)
			r = choose(to, x, j->unrounded);
		else if (op_info[op].result == OPR_bool)
			r = ival_compare(op, d, x[0], x[1]);
		else if (fl)
			r = ival_float(op, d, x, j->unrounded);
		else
			r = ival_int(op, d, x);
		if (op != OP_WHERE)
			r.flags |= undecided;
		/* Indecision that came to nothing is none. */
		if (r.flags == FL_UNDECIDED &&
		    (r.lo.i == r.hi.i ||
		     (to_fl && r.hi.f - r.lo.f <= 2 * fmt_ulp(to, r.hi.f))))
			r.flags = 0;
		ev_set(j->out, i, &r);
	}
}

static void work(void *arg, int64_t first, int64_t end)
{
	Job *j = arg;
	refs(j, first, end);
	if (j->intervals)
		intervals(j, first, end);
}

void elem_eval(Eval *e, ValueId id)
{
	const Value *v = program_value(e->p, id);
	Ev *out = &e->v[id];
	Job j = {.e = e, .v = v, .out = out, .fault = INT64_MAX};
	j.arity = (int)v->nargs;
	j.intervals = op_info[v->op].ulp > 0;
	Ev copy[3];
	for (int k = 0; k < j.arity; k++) {
		j.in[k] = eval_held(e, &e->v[v->args[k]], out, &copy[k]);
		j.intervals |= j.in[k]->lo != NULL;
		j.unrounded |= j.in[k]->unrounded;
	}
	j.dtype = j.in[v->op == OP_WHERE ? 1 : 0]->dtype;
	/* Functions bound their error on floats only. */
	if (!dtype_is_float(j.dtype) && v->op == OP_POW)
		j.intervals = j.in[0]->lo || j.in[1]->lo;
	j.intervals &= e->intervals;
	out->ref = eval_nums(e, out->n);
	if (j.intervals) {
		out->lo = eval_nums(e, out->n);
		out->hi = eval_nums(e, out->n);
		out->flags = eval_alloc(e, (size_t)out->n);
	}
	eval_parallel(e->threads, out->n, 16384, work, &j);
	if (j.fault != INT64_MAX)
		eval_fault(e, id, out->list ? out->list[j.fault] : j.fault);
	for (int k = 0; k < j.arity; k++)
		ev_free(e, &copy[k]);
	ev_collapse(e, out);
}
