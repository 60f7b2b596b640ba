/* program: programs and their sizes in the public API. */
#include "driver/driver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static TenonProgram *program_new(TenonContext *c)
{
	TenonProgram *p = calloc(1, sizeof(*p));

	if (!p)
		oom_raise();
	p->c = c;
	arena_init(&p->arena);
	c->new_program = p;
	return p;
}

static void use_set(TenonProgram *p, const DimSet *s)
{
	for (size_t i = 0; i < p->p->ex.dims.n; i++)
		p->dims[i] = i < s->nvalues ? s->values[i] : -1;
}

/* Sizes of a program just made: its first set. */
static void program_start(TenonProgram *p)
{
	size_t n = p->p->ex.dims.n;

	p->dims = arena_array(&p->arena, int64_t, n + 1);
	for (size_t i = 0; i < n; i++)
		p->dims[i] = -1;
	if (p->p->dimsets.n)
		use_set(p, &p->p->dimsets.p[0]);
}

/* NAME=SIZE of the options, parsed. */
static bool fixed_dims(TenonProgram *p, const TenonProgramOptions *o,
		       FrontOptions *f)
{
	Ctx *ctx = &p->c->ctx;

	f->nfixed = o->nfixed;
	f->fixed = arena_array(&p->arena, FixedDim, o->nfixed + 1);
	for (size_t i = 0; i < o->nfixed; i++) {
		const char *is = strchr(o->fixed[i], '=');
		FixedDim *d = &f->fixed[i];
		char *end = NULL;

		errno = 0;
		if (is)
			d->size = strtoll(is + 1, &end, 10);
		if (!end || end == is + 1 || *end || errno || d->size < 0 ||
		    d->size > (int64_t)1 << 40)
			return diag_fail(ctx, ERR_USAGE, NULL,
					 "%s: not of the form NAME=SIZE",
					 o->fixed[i]);
		d->name = arena_strndup(&p->arena, o->fixed[i],
					(size_t)(is - o->fixed[i]));
	}
	return true;
}

static bool build(TenonProgram *p, uint32_t source,
		  const TenonProgramOptions *o, const char *base)
{
	Ctx *ctx = &p->c->ctx;
	FrontOptions f = {.base = base};
	double t0 = clock_seconds();
	Buf why;

	if (o && o->entry)
		f.entry = arena_strdup(&p->arena, o->entry);
	if (o && o->dtype) {
		f.has_dtype = true;
		if (!dtype_parse(o->dtype, &f.dtype) ||
		    !dtype_is_float(f.dtype))
			return diag_fail(
				ctx, ERR_USAGE, "one of f64, f32, f16, bf16",
				"--dtype %s: not a float dtype", o->dtype);
	}
	if (o && !fixed_dims(p, o, &f))
		return false;
	if (!front_build(ctx, &p->arena, source, &f, &p->p))
		return false;
	for (size_t i = 0; i < f.nfixed; i++)
		if (!f.fixed[i].used)
			return diag_fail(ctx, ERR_USAGE, NULL,
					 "no dim named `%s`", f.fixed[i].name);
	buf_init(&why, &p->arena);
	if (!program_verify(p->p, &why))
		bug("stage 1 breaks its laws: %s", buf_str(&why));
	program_start(p);
	p->front_ms = (clock_seconds() - t0) * 1e3;
	return true;
}

/* The folder of a path, for files that the program names. */
static const char *folder_of(Arena *a, const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? arena_strndup(a, path, (size_t)(slash - path) + 1)
		     : NULL;
}

TenonError tenon_program_from_file(TenonContext *c, const char *path,
				   const TenonProgramOptions *o,
				   TenonProgram **out)
{
	*out = NULL;
	API_ENTER(c);
	TenonProgram *p = program_new(c);
	char *text;
	size_t len;
	bool ok = file_read(&c->ctx, &p->arena, path, &text, &len) &&
		  build(p, ctx_add_source(&c->ctx, path, text, len), o,
			folder_of(&p->arena, path));
	if (ok)
		*out = p;
	else
		tenon_program_free(p);
	return API_LEAVE(c, ok);
}

TenonError tenon_program_from_text(TenonContext *c, const char *name,
				   const char *text,
				   const TenonProgramOptions *o,
				   TenonProgram **out)
{
	*out = NULL;
	API_ENTER(c);
	TenonProgram *p = program_new(c);
	bool ok = build(p, ctx_add_source(&c->ctx, name, text, strlen(text)), o,
			NULL);
	if (ok)
		*out = p;
	else
		tenon_program_free(p);
	return API_LEAVE(c, ok);
}

/* For plan.c: a program that was read from a stage's text. */
TenonProgram *program_adopt(TenonContext *c, Program *source)
{
	TenonProgram *p = program_new(c);

	p->p = program_copy(&p->arena, source);
	program_start(p);
	return p;
}

void tenon_program_free(TenonProgram *p)
{
	if (!p)
		return;
	arena_release(&p->arena);
	free(p);
}

const char *tenon_program_name(const TenonProgram *p)
{
	return p->p->name;
}

int tenon_program_inputs(const TenonProgram *p)
{
	return (int)p->p->inputs.n;
}

int tenon_program_results(const TenonProgram *p)
{
	return (int)p->p->results.n;
}

const char *tenon_program_input_name(const TenonProgram *p, int i)
{
	return program_value(p->p, p->p->inputs.p[i])->name;
}

const char *tenon_program_result_name(const TenonProgram *p, int i)
{
	return p->p->results.p[i].name;
}

/* ---- sizes ----------------------------------------------------------- */

TenonError tenon_set_dims(TenonProgram *p, const char *set)
{
	API_ENTER(p->c);
	Buf known;
	buf_init(&known, &p->arena);
	for (size_t i = 0; i < p->p->dimsets.n; i++) {
		if (!strcmp(p->p->dimsets.p[i].name, set)) {
			use_set(p, &p->p->dimsets.p[i]);
			return API_LEAVE(p->c, true);
		}
		buf_printf(&known, "%s%s", i ? ", " : "",
			   p->p->dimsets.p[i].name);
	}
	bool none = p->p->dimsets.n == 0;
	diag_fail(&p->c->ctx, ERR_USAGE,
		  none ? "the program declares no `dims` sets; use --dim "
			 "NAME=SIZE"
		       : arena_printf(&p->arena, "the program has: %s",
				      buf_str(&known)),
		  "no set of dims named `%s`", set);
	return API_LEAVE(p->c, false);
}

TenonError tenon_set_dim(TenonProgram *p, const char *name, int64_t value)
{
	API_ENTER(p->c);
	ExprTab *t = &p->p->ex;
	for (size_t i = 0; i < t->dims.n; i++) {
		const ExDim *d = &t->dims.p[i];
		if (strcmp(d->name, name))
			continue;
		if (value < d->lo || value > d->hi) {
			diag_fail(&p->c->ctx, ERR_USAGE, NULL,
				  "dim %s = %lld: must be %lld to %lld", name,
				  (long long)value, (long long)d->lo,
				  (long long)d->hi);
			return API_LEAVE(p->c, false);
		}
		p->dims[i] = value;
		return API_LEAVE(p->c, true);
	}
	Buf known;
	buf_init(&known, &p->arena);
	for (size_t i = 0; i < t->dims.n; i++)
		buf_printf(&known, "%s%s", i ? ", " : "", t->dims.p[i].name);
	diag_fail(&p->c->ctx, ERR_USAGE,
		  arena_printf(&p->arena, "the program's dims: %s",
			       t->dims.n ? buf_str(&known) : "none"),
		  "no dim named `%s`", name);
	return API_LEAVE(p->c, false);
}

int tenon_program_dims(const TenonProgram *p)
{
	return (int)p->p->ex.dims.n;
}

const char *tenon_program_dim_name(const TenonProgram *p, int i)
{
	return p->p->ex.dims.p[i].name;
}

int64_t tenon_program_dim(const TenonProgram *p, int i)
{
	return p->dims[i];
}

static bool dims_known(const Program *p, Ex e, const int64_t *dims)
{
	const ExNode *n = ex_node(&p->ex, e);

	switch (n->kind) {
	case EX_CONST:
	case EX_AXIS:
		return true;
	case EX_DIM:
		return dims[n->value] >= 0;
	case EX_DIV:
	case EX_MOD:
	case EX_MIN:
	case EX_MAX:
		return dims_known(p, n->a, dims) && dims_known(p, n->b, dims);
	case EX_POLY:
		break;
	}
	for (uint32_t i = 0; i < n->nterms; i++)
		for (uint32_t j = 0; j < n->terms[i].natoms; j++)
			if (!dims_known(p, n->terms[i].atoms[j], dims))
				return false;
	return true;
}

bool value_desc(const Program *p, ValueId v, const int64_t *dims, Tensor *out)
{
	const Value *val = program_value(p, v);

	*out = (Tensor){.dtype = val->dtype, .rank = val->rank};
	for (int d = 0; d < val->rank; d++) {
		if (!dims_known(p, val->shape[d], dims) ||
		    !ex_eval_checked(&p->ex, val->shape[d], dims, NULL,
				     &out->shape[d]) ||
		    out->shape[d] < 0)
			return false;
	}
	tensor_set_contiguous(out);
	return true;
}

static TenonError describe(TenonProgram *p, ValueId v, const char *name,
			   TenonTensor *out)
{
	Tensor t;

	API_ENTER(p->c);
	bool ok = value_desc(p->p, v, p->dims, &t);
	if (ok && tensor_elements(&t) < 0)
		ok = diag_fail(&p->c->ctx, ERR_USAGE, NULL,
			       "%s: its size overflows 64 bits", name);
	else if (!ok)
		diag_fail(&p->c->ctx, ERR_USAGE,
			  "give sizes with --dim NAME=SIZE or --dims SET",
			  "%s: its shape has a dim that is unset or gives a "
			  "negative or overflowing extent",
			  name);
	if (ok)
		*out = tensor_to_api(&t);
	return API_LEAVE(p->c, ok);
}

TenonError tenon_input_desc(TenonProgram *p, int i, TenonTensor *out)
{
	return describe(p, p->p->inputs.p[i], tenon_program_input_name(p, i),
			out);
}

TenonError tenon_result_desc(TenonProgram *p, int i, TenonTensor *out)
{
	return describe(p, p->p->results.p[i].value,
			tenon_program_result_name(p, i), out);
}
