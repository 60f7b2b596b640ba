/*
 * external: a region that a user's own function of C or kernel of CUDA computes
 * (docs/external.md).
 *
 * It is taken by a pin alone, where the region reads exactly the function's
 * inputs and stores exactly its results. The stores of a user's code are not
 * proved in bounds, and its note says so.
 */
#include "realise/lower.h"

#include "ir/view.h"

#include <string.h>

static const char *const external_params[] = {"kernel", NULL};

static const char *external_admit(Arena *a, const Regions *r, uint32_t region)
{
	(void)a;
	(void)r;
	(void)region;
	return NULL;
}

static Candidate external_rule(const Regions *r, uint32_t region,
			       const Target *t)
{
	(void)r;
	(void)region;
	(void)t;
	return (Candidate){.nparams = 1, .params = {{external_params[0], 0}}};
}

static void external_domain(const Regions *r, uint32_t region, const Target *t,
			    Domain by[MAX_PARAMS])
{
	(void)r;
	(void)region;
	for (size_t i = 0; i < t->nexternals && i < MAX_DOMAIN; i++)
		by[0].values[by[0].n++] = (int64_t)i;
}

/* ---- what a region reads ----------------------------------------------- */

typedef VEC(ValueId) ValueList;

static bool has(const ValueId *p, size_t n, ValueId v)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] == v)
			return true;
	return false;
}

/* Tensors that lie in memory before the region is computed; constants are in
 * the code. */
static ValueList reads(Arena *a, const Regions *r, uint32_t region)
{
	const Region *x = &r->regions.p[region];
	Program *p = (Program *)r->program;
	ValueList out = {0};

	for (size_t i = 0; i < x->values.n; i++) {
		const Value *v = program_value(p, x->values.p[i]);
		for (uint32_t k = 0; k < v->nargs; k++) {
			Ex map[TN_MAX_RANK];
			ValueId base = view_base(p, v->args[k], map);
			Op op = program_value(p, base)->op;
			if (op == OP_CONST || op == OP_IOTA ||
			    has(x->values.p, x->values.n, base) ||
			    has(out.p, out.n, base))
				continue;
			VEC_PUSH(a, out, base);
		}
	}
	return out;
}

/* The first of n names whose value is not among these; NULL: none. */
static const char *other(const Program *p, const ExternalTensor *t, size_t n,
			 const ValueId *values, size_t nvalues)
{
	for (size_t i = 0; i < n; i++)
		if (!has(values, nvalues, external_value(p, t[i].name)))
			return t[i].name;
	return NULL;
}

static const char *shown(Arena *a, const Program *p, ValueId v)
{
	const char *name = program_value(p, v)->name;

	for (size_t i = 0; !name && i < p->results.n; i++)
		if (p->results.p[i].value == v)
			name = p->results.p[i].name;
	return name ? name : arena_printf(a, "%%%u", v);
}

/* The first of these values that no name means; NULL: none. */
static const char *unnamed(Arena *a, const Program *p, const ExternalTensor *t,
			   size_t n, const ValueId *values, size_t nvalues)
{
	for (size_t i = 0; i < nvalues; i++) {
		size_t j = 0;
		while (j < n && external_value(p, t[j].name) != values[i])
			j++;
		if (j == n)
			return shown(a, p, values[i]);
	}
	return NULL;
}

static const char *external_legal(Arena *a, const Regions *r, uint32_t region,
				  const Target *t, const Candidate *c)
{
	const Region *x = &r->regions.p[region];
	const Program *p = r->program;
	int64_t n = c->params[0].value;

	if (n < 0 || n >= (int64_t)t->nexternals || !t->externals[n].text)
		return "no such kernel was given by --external";
	const External *e = &t->externals[n];
	if (e->threads ? !t->cuda : t->threads > 0)
		return arena_printf(a, "%s is %s", e->name,
				    e->threads ? "a kernel of CUDA"
					       : "a function of C");
	if (e->shared > t->block_memory)
		return arena_printf(a,
				    "%s asks for %lld bytes of a block's "
				    "memory, of %lld",
				    e->name, (long long)e->shared,
				    (long long)t->block_memory);
	ValueList in = reads(a, r, region);
	const char *v = other(p, e->results.p, e->results.n, x->outputs.p,
			      x->outputs.n);
	if (v)
		return arena_printf(a,
				    "%s computes %s, and the region does "
				    "not",
				    e->name, v);
	v = unnamed(a, p, e->results.p, e->results.n, x->outputs.p,
		    x->outputs.n);
	if (v)
		return arena_printf(a,
				    "the region stores %s too, and %s does "
				    "not; --pin join.VALUE=no keeps values "
				    "apart",
				    v, e->name);
	v = other(p, e->inputs.p, e->inputs.n, in.p, in.n);
	if (v)
		return arena_printf(a, "%s reads %s, and the region does not",
				    e->name, v);
	v = unnamed(a, p, e->inputs.p, e->inputs.n, in.p, in.n);
	return v ? arena_printf(a, "the region reads %s too, and %s does not",
				v, e->name)
		 : NULL;
}

/* ---- the kernel ---------------------------------------------------------- */

static uint32_t input_buffer(Lower *l, ValueId v)
{
	const Value *x = program_value(l->p, v);
	Ex index[TN_MAX_RANK];
	KOperand o;

	for (int d = 0; d < x->rank; d++)
		index[d] = ex_axis(&l->p->ex, d);
	bug_if(!lower_place(l, v, index, &o));
	return o.buffer;
}

static KArg argument(Lower *l, const External *e, const char *name)
{
	const ExprTab *t = &l->p->ex;

	if (!strcmp(name, EXTERNAL_TASK))
		return (KArg){KARG_TASK, 0};
	for (size_t i = 0; i < e->inputs.n; i++)
		if (!strcmp(e->inputs.p[i].name, name))
			return (KArg){
				KARG_BUFFER,
				input_buffer(l, external_value(l->p, name))};
	for (size_t i = 0; i < e->results.n; i++)
		if (!strcmp(e->results.p[i].name, name))
			return (KArg){
				KARG_BUFFER,
				lower_output(l, external_value(l->p, name))};
	for (size_t i = 0; i < t->dims.n; i++)
		if (!strcmp(t->dims.p[i].name, name))
			return (KArg){KARG_DIM, (uint32_t)i};
	bug("%s: no argument %s", e->name, name);
}

static void external_lower(Kernels *ks, Kernel *k, const Regions *r,
			   const Target *t, const Candidate *c)
{
	const External *e = &t->externals[c->params[0].value];
	KForeign *f = arena_new(ks->arena, KForeign);
	const char *tasks = e->tasks;
	Lower l;

	lower_init(&l, ks, k, r);
	*f = (KForeign){.name = arena_strdup(ks->arena, e->name),
			.file = arena_strdup(ks->arena, e->file),
			.symbol = arena_strdup(ks->arena, e->symbol),
			.text = arena_strdup(ks->arena, e->text),
			.shared = e->shared};
	bug_if(ex_parse(&ks->program->ex, &tasks, false, &f->tasks) != NULL);
	for (size_t i = 0; i < e->args.n; i++)
		VEC_PUSH(ks->arena, f->args, argument(&l, e, e->args.p[i]));
	Phase *ph = lower_phase(&l, "main");
	ph->foreign = f;
	ph->threads = e->threads;
	k->note = arena_printf(ks->arena,
			       "pinned: %s of %s; its stores are not proved "
			       "in bounds",
			       f->symbol, f->file);
}

const Realisation realise_external = {
	"external",    external_params, external_admit,
	external_rule, external_legal,  external_lower,
	NULL,          external_domain, NULL,
};
