/*
 * run: one call of a plan: buffers bound, launches made, faults reported.
 *
 * Tensors that the plan does not admit as they are (strides, alignment)
 * are copied, and a notice says so.
 */
#include "driver/driver.h"

#include <inttypes.h>
#include <string.h>

/* ---- copies of caller's tensors -------------------------------------- */

static bool admitted(const TenonTensor *t)
{
	Tensor x = tensor_from_api(t);

	return tensor_is_contiguous(&x) &&
	       (uintptr_t)t->data % tenon_dtype_size(t->dtype) == 0;
}

/* Element by element between a strided and a contiguous tensor. */
static void copy_elements(const TenonTensor *strided, char *flat, bool out)
{
	size_t size = tenon_dtype_size(strided->dtype);
	int64_t index[TN_MAX_RANK] = {0}, total = 1;

	for (int d = 0; d < strided->rank; d++)
		total *= strided->shape[d];
	for (int64_t n = 0; n < total; n++) {
		char *at = strided->data;
		for (int d = 0; d < strided->rank; d++)
			at += index[d] * strided->strides[d];
		if (out)
			memcpy(at, flat, size);
		else
			memcpy(flat, at, size);
		flat += size;
		for (int d = strided->rank - 1; d >= 0; d--) {
			if (++index[d] < strided->shape[d])
				break;
			index[d] = 0;
		}
	}
}

typedef struct Bound {
	char *data;
	char *copy; /* owned; NULL when the caller's memory is used */
	size_t bytes;
} Bound;

static bool bind_tensor(TenonPlan *p, const TenonTensor *t, const char *what,
			const char *name, bool in, Bound *out)
{
	out->bytes = tenon_tensor_bytes(t);
	out->data = t->data;
	if (admitted(t))
		return true;
	out->copy = tenon_alloc(out->bytes);
	if (!out->copy)
		return diag_fail(&p->c->ctx, ERR_NOMEM, NULL,
				 "out of memory: %zu bytes for a copy of %s",
				 out->bytes, name);
	if (in)
		copy_elements(t, out->copy, false);
	out->data = out->copy;
	api_notice(p->c,
		   "%s %s: copied, since its strides or alignment are not "
		   "what the plan admits",
		   what, name);
	return true;
}

/* ---- memory of the plan ---------------------------------------------- */

static int64_t eval(const Plan *plan, Ex e, const int64_t *dims)
{
	return ex_eval(&plan->kernels->program->ex, e, dims, NULL);
}

static size_t align64(size_t n)
{
	return (n + 63) / 64 * 64;
}

/* Sizes the arena for this binding; offsets of slots in out. */
static bool plan_memory(TenonPlan *p, const int64_t *dims, size_t *offsets)
{
	const Plan *plan = p->plan;
	size_t total = 0;

	for (size_t i = 0; i < plan->slots.n; i++) {
		int64_t bytes;
		offsets[i] = total;
		if (!ex_eval_checked(&plan->kernels->program->ex,
				     plan->slots.p[i], dims, NULL, &bytes) ||
		    bytes < 0 || bytes > INT64_MAX / 4)
			return diag_fail(&p->c->ctx, ERR_PROGRAM, NULL,
					 "an intermediate's size overflows");
		total += align64((size_t)bytes);
	}
	if (total <= p->memory_size)
		return true;
	tenon_release(p->memory, p->memory_size);
	p->memory = tenon_alloc(total);
	p->memory_size = p->memory ? total : 0;
	return p->memory ||
	       diag_fail(&p->c->ctx, ERR_NOMEM, NULL,
			 "out of memory: %zu bytes for intermediates", total);
}

bool program_weights(TenonProgram *p, const int64_t *dims, Tensor *out)
{
	Binding b = {(int64_t *)dims, p->p->ex.dims.n};

	for (uint32_t v = 0; v < p->p->values.n; v++) {
		if (program_value(p->p, v)->op != OP_WEIGHT || out[v].data)
			continue;
		if (!weight_read(&p->c->ctx, p->p, v, &b, &out[v]))
			return false;
	}
	return true;
}

static void drop_weights(TenonPlan *p, size_t n)
{
	for (size_t v = 0; v < n; v++) {
		tenon_release(p->weights[v].data, tensor_bytes(&p->weights[v]));
		p->weights[v].data = NULL;
	}
}

/* Weights belong to stage 1's values; read anew when the dims changed. */
bool plan_weights(TenonPlan *p, const int64_t *dims, Feeds *out)
{
	Program *prog = p->program->p;
	size_t n = prog->values.n, ndims = prog->ex.dims.n;
	VEC(Tensor) list = {0};

	if (!p->weights) {
		p->weight_dims = arena_array(&p->arena, int64_t, ndims + 1);
		p->weights = arena_array(&p->arena, Tensor, n + 1);
	}
	if (memcmp(p->weight_dims, dims, ndims * sizeof(*dims))) {
		drop_weights(p, n);
		memcpy(p->weight_dims, dims, ndims * sizeof(*dims));
	}
	if (!program_weights(p->program, dims, p->weights))
		return false;
	for (uint32_t v = 0; v < n; v++)
		if (program_value(prog, v)->op == OP_WEIGHT)
			VEC_PUSH(&p->c->ctx.scratch, list, p->weights[v]);
	out->weights = list.p;
	out->nweights = list.n;
	return true;
}

/* The stage-1 weight that a stage-2 WEIGHT value reads. */
static void *weight_data(const TenonPlan *p, ValueId v)
{
	const Value *want = program_value(p->plan->kernels->program, v);
	const Program *prog = p->program->p;

	for (uint32_t i = 0; i < prog->values.n; i++) {
		const Value *val = program_value(prog, i);
		if (val->op == OP_WEIGHT && !strcmp(val->file, want->file) &&
		    (!val->tensor || !want->tensor
			     ? val->tensor == want->tensor
			     : !strcmp(val->tensor, want->tensor)) &&
		    val->dtype == want->dtype)
			return p->weights[i].data;
	}
	bug("weight %%%u has no data", v);
}

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

static bool report_fault(TenonPlan *p, const TnStatus *st, const int64_t *dims)
{
	const Program *prog = p->plan->kernels->program;
	const Value *v = program_value(prog, st->value);
	Ctx *ctx = &p->c->ctx;
	Buf at;

	buf_init(&at, &ctx->scratch);
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
	return diag_fail(ctx, ERR_NOMEM, NULL,
			 "out of memory: scratch of a kernel");
}

/* ---- the call -------------------------------------------------------- */

static void *buffer_data(const TenonPlan *p, const PlanBuffer *b,
			 const Bound *in, const Bound *out,
			 const size_t *offsets)
{
	switch (b->kind) {
	case PLAN_INPUT:
		return in[b->index].data;
	case PLAN_RESULT:
		return out[b->index].data;
	case PLAN_CONST:
		return (void *)program_value(p->plan->kernels->program,
					     b->value)
			->data;
	case PLAN_WEIGHT:
		return weight_data(p, b->value);
	case PLAN_TEMP:
		return p->memory + offsets[b->index];
	case PLAN_KIND_COUNT:
		break;
	}
	bug("plan buffer of kind %d", (int)b->kind);
}

static bool launch_all(TenonPlan *p, const int64_t *dims, void **data,
		       TnStatus *st)
{
	const Plan *plan = p->plan;
	Arena *a = &p->c->ctx.scratch;

	for (size_t i = 0; i < plan->launches.n; i++) {
		const PlanLaunch *l = &plan->launches.p[i];
		void **bufs = arena_array(a, void *, l->buffers.n + 1);
		const char *symbol = plan_symbol(a, plan, l);
		Launch run = {
			.fn = __extension__(TnKernel *)
				code_symbol(&p->code[l->kernel], symbol),
			.tasks = eval(plan, l->tasks, dims),
			.scratch = (size_t)eval(plan, l->scratch, dims),
		};
		if (!run.fn)
			bug("no symbol %s in the compiled code", symbol);
		for (size_t j = 0; j < l->buffers.n; j++)
			bufs[j] = data[l->buffers.p[j]];
		if (!launch_run(&run, 1, bufs, dims, context_threads(p->c),
				&p->scratch, st))
			return false;
	}
	return true;
}

/*
 * Every value's extents, those of intermediates too, are 0 or more: shapes
 * such as [M - 2] say so only of sizes that are large enough. Asked once a
 * binding.
 */
static bool check_extents(TenonPlan *p, const int64_t *dims)
{
	const Program *prog = p->plan->kernels->program;
	size_t n = prog->ex.dims.n;

	if (p->checked_dims && !memcmp(p->checked_dims, dims, n * sizeof *dims))
		return true;
	for (ValueId v = 0; v < prog->values.n; v++) {
		const Value *val = program_value(prog, v);
		Tensor t;
		Buf type;
		if (value_desc(prog, v, dims, &t))
			continue;
		buf_init(&type, &p->c->ctx.scratch);
		program_print_type(&type, prog, val);
		return diag_error(&p->c->ctx, val->loc,
				  "larger sizes make it 0 or more",
				  "%s has a negative or overflowing extent "
				  "under these sizes",
				  buf_str(&type));
	}
	if (!p->checked_dims)
		p->checked_dims = arena_array(&p->arena, int64_t, n + 1);
	memcpy(p->checked_dims, dims, n * sizeof *dims);
	return true;
}

static bool run_bound(TenonPlan *p, const int64_t *dims, const Bound *in,
		      const Bound *out, RunFault *fault)
{
	const Plan *plan = p->plan;
	Arena *a = &p->c->ctx.scratch;
	size_t *offsets = arena_array(a, size_t, plan->slots.n + 1);
	void **data = arena_array(a, void *, plan->buffers.n + 1);
	TnStatus st = {0};
	Feeds weights;

	if (!check_extents(p, dims) || !plan_memory(p, dims, offsets) ||
	    !plan_weights(p, dims, &weights))
		return false;
	for (size_t i = 0; i < plan->buffers.n; i++)
		data[i] = buffer_data(p, &plan->buffers.p[i], in, out, offsets);
	if (!launch_all(p, dims, data, &st)) {
		if (fault && st.code > 0) {
			*fault = (RunFault){true, st};
			return true;
		}
		return report_fault(p, &st, dims);
	}
	for (size_t i = 0; i < plan->copies.n; i++) {
		const PlanCopy *c = &plan->copies.p[i];
		if (out[c->result].bytes)
			memcpy(out[c->result].data, data[c->from],
			       out[c->result].bytes);
	}
	return true;
}

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

static void copies_release(Bound *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		tenon_release(b[i].copy, b[i].bytes);
}

bool plan_run(TenonPlan *p, const int64_t *dims, const TenonTensor *inputs,
	      TenonTensor *results, RunFault *fault)
{
	const Program *prog = p->program->p;
	size_t nin = prog->inputs.n, nout = prog->results.n;
	Arena *a = &p->c->ctx.scratch;
	Bound *in = arena_array(a, Bound, nin + 1);
	Bound *out = arena_array(a, Bound, nout + 1);
	OomTrap trap;

	if (!p->code)
		return api_usage(p->c, "the plan was emitted only, not "
				       "compiled");
	if (OOM_TRAP(&trap)) {
		copies_release(out, nout);
		copies_release(in, nin);
		oom_raise();
	}
	bool ok = true;
	for (size_t i = 0; i < nout && ok; i++)
		ok = check_result(p, i, &results[i], dims);
	ok = ok && bind_overlaps(p, inputs, results);
	for (size_t i = 0; i < nin && ok; i++)
		ok = bind_tensor(p, &inputs[i], "input",
				 tenon_program_input_name(p->program, (int)i),
				 true, &in[i]);
	for (size_t i = 0; i < nout && ok; i++)
		ok = bind_tensor(p, &results[i], "result",
				 prog->results.p[i].name, false, &out[i]);
	ok = ok && run_bound(p, dims, in, out, fault);
	oom_trap_pop(&trap);
	for (size_t i = 0; i < nout; i++)
		if (ok && out[i].copy)
			copy_elements(&results[i], out[i].copy, true);
	copies_release(out, nout);
	copies_release(in, nin);
	return ok;
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
