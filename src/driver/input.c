/*
 * input: an input of a program read from a file, and the sizes that its
 * shape gives.
 *
 * The data is released before anything wrong is reported, since a report
 * may run out of memory and unwind.
 */
#include "driver/driver.h"

/*
 * Takes the sizes of t into dims, where an extent of v's declaration is a
 * dim. Returns the first axis that cannot have its size, or v->rank.
 */
static int sizes_take(const Program *p, const Value *v, const Tensor *t,
		      int64_t *dims)
{
	for (int d = 0; d < v->rank; d++) {
		const ExNode *n = ex_node(&p->ex, v->shape[d]);
		int64_t size = t->shape[d];

		if (n->kind == EX_CONST && n->value != size)
			return d;
		if (n->kind != EX_DIM)
			continue;
		if (size < p->ex.dims.p[n->value].lo ||
		    size > p->ex.dims.p[n->value].hi)
			return d;
		if (dims[n->value] >= 0 && dims[n->value] != size)
			return d;
		dims[n->value] = size;
	}
	return v->rank;
}

/* Says why axis d (or the rank) of a file does not fit the declaration. */
static bool report_misfit(TenonProgram *p, const Value *v, const char *path,
			  const Tensor *t, int d)
{
	Ctx *ctx = &p->c->ctx;
	Buf type;

	buf_init(&type, &ctx->scratch);
	program_print_type(&type, p->p, v);
	if (t->rank != v->rank)
		return diag_fail(ctx, ERR_PROGRAM, NULL,
				 "%s: rank %d, but %s is %s", path, t->rank,
				 v->name, buf_str(&type));
	return diag_fail(ctx, ERR_PROGRAM, NULL,
			 "%s: axis %d has %lld elements, but %s is %s", path, d,
			 (long long)t->shape[d], v->name, buf_str(&type));
}

static bool input_read(TenonProgram *p, int i, const char *path,
		       TenonTensor *out)
{
	const Value *v = program_value(p->p, p->p->inputs.p[i]);
	size_t n = p->p->ex.dims.n;
	int64_t *dims = arena_array(&p->c->ctx.scratch, int64_t, n + 1);
	int bad = 0;
	Tensor t;

	for (size_t k = 0; k < n; k++)
		dims[k] = -1;
	if (!npy_read(&p->c->ctx, path, v->dtype, &t))
		return false;
	if (t.rank == v->rank)
		bad = sizes_take(p->p, v, &t, dims);
	if (t.rank != v->rank || bad < v->rank) {
		big_free(t.data, (size_t)tensor_bytes(&t));
		return report_misfit(p, v, path, &t, bad);
	}
	for (size_t k = 0; k < n; k++)
		if (dims[k] >= 0)
			p->dims[k] = dims[k];
	*out = tensor_to_api(&t);
	return true;
}

TenonError tenon_input_read(TenonProgram *p, int i, const char *path,
			    TenonTensor *out)
{
	API_ENTER(p->c);
	bool ok = input_read(p, i, path, out);

	return API_LEAVE(p->c, ok);
}
