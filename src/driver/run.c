/*
 * run: what a call's results must be, runs of a plan, reports of faults.
 *
 * A plan has one call of its own (call.c), bound anew at each run.
 */
#include "driver/driver.h"

#include "runtime/product.h"

#include <inttypes.h>
#include <string.h>

/* ---- faults ---------------------------------------------------------- */

static void element_text(Buf *b, const Value *v, const Program *p,
			 const int64_t *dims, int64_t flat)
{
	int64_t index[TN_MAX_RANK];

	for (int d = v->rank - 1; d >= 0; d--) {
		int64_t n = ex_eval(&p->ex, v->shape[d], dims, NULL);
		index[d] = n > 0 ? flat % n : 0;
		flat = n > 0 ? flat / n : 0;
	}
	buf_putc(b, '[');
	for (int d = 0; d < v->rank; d++)
		buf_printf(b, "%s%" PRId64, d ? ", " : "", index[d]);
	buf_putc(b, ']');
}

bool report_fault(const TenonPlan *p, Ctx *ctx, const TnStatus *st,
		  const int64_t *dims)
{
	const Program *prog = p->plan->kernels->program;
	const Value *v = program_value(prog, st->value);
	Buf at;

	buf_init(&at, &ctx->scratch);
	if (st->code == TN_FAULT_LIBRARY)
		return diag_fail(ctx, ERR_ENV,
				 "out of memory is its commonest failure",
				 "the library failed in the product of line "
				 "%u, status %" PRId64,
				 v->loc.line, st->index);
	switch ((TnFault)st->code) {
	case TN_FAULT_INDEX: {
		const Value *x = program_value(prog, v->args[0]);
		return diag_error(
			ctx, v->loc, "negative indices count from the end",
			"index %" PRId64 " is out of range for axis "
			"%u of extent %" PRId64,
			st->index, v->axis,
			ex_eval(&prog->ex, x->shape[v->axis], dims, NULL));
	}
	case TN_FAULT_DIVISION:
		element_text(&at, v, prog, dims, st->index);
		return diag_error(ctx, v->loc, NULL,
				  "integer division by zero at element %s",
				  buf_str(&at));
	case TN_FAULT_EXPONENT:
		element_text(&at, v, prog, dims, st->index);
		return diag_error(ctx, v->loc,
				  "integer powers need an exponent of at "
				  "least 0; convert to a float first",
				  "negative exponent of an integer at element "
				  "%s",
				  buf_str(&at));
	case TN_FAULT_NONE:
		break;
	}
	bug("a kernel faulted with code %d", (int)st->code);
}

/* ---- the call -------------------------------------------------------- */

static bool check_result(TenonPlan *p, size_t i, const TenonTensor *t,
			 const int64_t *dims)
{
	const Program *prog = p->program->p;
	const char *name = prog->results.p[i].name;
	Tensor want;

	if (!value_desc(prog, prog->results.p[i].value, dims, &want) ||
	    tensor_elements(&want) < 0)
		return api_usage(p->c,
				 "result %s: its extents are negative "
				 "or overflow under these sizes",
				 name);
	if ((DType)t->dtype != want.dtype || t->rank != want.rank)
		return api_usage(p->c,
				 "result %s: dtype %s and rank %d "
				 "given, %s and %d wanted",
				 name, tenon_dtype_name(t->dtype), t->rank,
				 dtype_info[want.dtype].name, want.rank);
	for (int d = 0; d < want.rank; d++)
		if (t->shape[d] != want.shape[d])
			return api_usage(p->c,
					 "result %s: axis %d has extent "
					 "%" PRId64 ", %" PRId64 " wanted",
					 name, d, t->shape[d], want.shape[d]);
	return true;
}

static bool emitted_only(TenonPlan *p)
{
	return api_usage(p->c, "the plan was emitted only, not compiled");
}

bool plan_admits(TenonPlan *p, const int64_t *dims, const TenonTensor *inputs,
		 const TenonTensor *results)
{
	if (!p->code && !p->gpu)
		return emitted_only(p);
	for (size_t i = 0; i < p->program->p->results.n; i++)
		if (!check_result(p, i, &results[i], dims))
			return false;
	return bind_overlaps(p, inputs, results);
}

static bool run_checked(TenonPlan *p, const int64_t *dims,
			const TenonTensor *inputs, const TenonTensor *results,
			RunFault *fault)
{
	TnStatus st;

	if (!p->call)
		p->call = call_new(p);
	if (!call_prepare(p->call, dims))
		return false;
	if (instance_fill(p->call->instance, p->call->threads, &st)) {
		if (!call_bind(p->call, inputs, results))
			return false;
		if (call_run(p->call, &p->c->ctx, &st))
			return true;
	}
	if (!st.code)
		return false;
	if (!fault)
		return report_fault(p, &p->c->ctx, &st, dims);
	*fault = (RunFault){true, st};
	return true;
}

bool plan_run(TenonPlan *p, const int64_t *dims, const TenonTensor *inputs,
	      TenonTensor *results, RunFault *fault)
{
	OomTrap trap;

	if (!plan_admits(p, dims, inputs, results))
		return false;
	if (OOM_TRAP(&trap)) {
		if (p->call)
			call_unbind(p->call);
		oom_raise();
	}
	bool ok = run_checked(p, dims, inputs, results, fault);
	oom_trap_pop(&trap);
	if (p->call)
		call_unbind(p->call);
	return ok;
}

static bool has_weights(const Program *p)
{
	for (uint32_t v = 0; v < p->values.n; v++)
		if (program_value(p, v)->op == OP_WEIGHT)
			return true;
	return false;
}

/*
 * Weights belong to stage 1's values. Without any the plan need not run
 * here: its code may have run elsewhere.
 */
bool plan_weights(TenonPlan *p, const int64_t *dims, Feeds *out)
{
	const Program *prog = p->program->p;
	VEC(Tensor) list = {0};

	out->weights = NULL;
	out->nweights = 0;
	if (!has_weights(prog))
		return true;
	if (!p->code && !p->gpu)
		return emitted_only(p);
	if (!p->call)
		p->call = call_new(p);
	if (!call_prepare(p->call, dims))
		return false;
	for (uint32_t v = 0; v < prog->values.n; v++)
		if (program_value(prog, v)->op == OP_WEIGHT)
			VEC_PUSH(&p->c->ctx.scratch, list,
				 p->call->instance->weights[v]);
	out->weights = list.p;
	out->nweights = list.n;
	return true;
}

TenonError tenon_plan_run(TenonPlan *p, const TenonTensor *inputs,
			  TenonTensor *results)
{
	API_ENTER(p->c);
	Arena *a = &p->c->ctx.scratch;
	arena_clear(a);
	int64_t *dims = arena_array(a, int64_t, p->program->p->ex.dims.n + 1);
	bool ok = bind_inputs(p->program, inputs, dims) &&
		  plan_run(p, dims, inputs, results, NULL);
	return API_LEAVE(p->c, ok);
}
