/*
 * tn_def: defs at work. A def's statements are evaluated in order in a frame
 * of its own; every call of a def is expanded where it stands, with the
 * callee's dims bound to the caller's extents. Values carry the contract of
 * the def whose text made them (a composition of the prelude: of the def
 * that called it) and the path of the calls.
 */
#include "front/tn_build.h"

#include <string.h>

/* ---- frames ---------------------------------------------------------- */

void build_push(Build *b, Frame *f)
{
	f->outer = b->frame;
	f->index = strmap_new(b->arena);
	b->frame = f;
}

bool build_name(Build *b, const char *name, Loc loc, const char *what,
		const Val *v)
{
	Frame *f = b->frame;
	uint32_t i;
	DType d;
	if (strcmp(name, "_") == 0)
		return true;
	if (strmap_get(f->index, name, &i)) {
		const Local *old = &f->locals.p[i];
		fail_at(b, loc, "names are given once; choose another",
			"`%s` is already %s", name, old->what);
		if (old->loc.line)
			diag_note(b->ctx, old->loc, "`%s` is given here", name);
		return false;
	}
	if (!f->prelude && (dtype_parse(name, &d) || strcmp(name, "inf") == 0 ||
			    strcmp(name, "nan") == 0))
		return fail_at(b, loc, NULL, "`%s` is a word of the language",
			       name);
	Local l = {name, loc, what, *v};
	strmap_set(f->index, name, (uint32_t)f->locals.n);
	VEC_PUSH(b->arena, f->locals, l);
	return true;
}

/* ---- types ----------------------------------------------------------- */

bool build_check_extent(Build *b, Loc loc, Ex e)
{
	int64_t n;
	if (!ex_is_const(&b->p->ex, e, &n))
		return true;
	if (n < 0)
		return fail_at(b, loc, "extents are 0 or more",
			       "the extent %lld is negative", (long long)n);
	return n <= INT64_C(1) << 40 ||
	       fail_at(b, loc, "extents are at most 2**40",
		       "the extent %lld is too large", (long long)n);
}

/* dtype, rank and shape of a type into v. */
bool build_type(Build *b, const TypeNode *t, Value *v)
{
	DType d;
	bug_if(!dtype_parse(t->dtype, &d));
	v->dtype = build_dtype(b, d);
	v->rank = (uint8_t)t->ndims;
	for (size_t i = 0; i < t->ndims; i++)
		if (!eval_extent(b, t->dims[i], &v->shape[i]) ||
		    !build_check_extent(b, t->dims[i]->loc, v->shape[i]))
			return false;
	return true;
}

const char *build_type_text(Build *b, const Value *v)
{
	Buf t;
	buf_init(&t, b->arena);
	program_print_type(&t, b->p, v);
	return buf_str(&t);
}

/* A value against the type that the text gives it. */
bool build_check_type(Build *b, const Val *v, const Value *want, Loc loc,
		      const char *what)
{
	Value have = val_value(b, v);
	bool same = have.dtype == want->dtype && have.rank == want->rank;
	for (int i = 0; same && i < have.rank; i++)
		same = have.shape[i] == want->shape[i];
	if (same)
		return true;
	return fail_at(b, loc,
		       have.dtype != want->dtype
			       ? arena_printf(b->arena, "convert it: %s(...)",
					      dtype_info[want->dtype].name)
			       : NULL,
		       "%s is declared %s, and is %s", what,
		       build_type_text(b, want), build_type_text(b, &have));
}

/*
 * The names of plain dims in a parameter's type, bound to the extents of
 * the argument when the callee meets them first.
 */
static bool bind_dims(Build *b, const TypeNode *t, const Value *arg)
{
	uint32_t i;
	for (size_t d = 0; d < t->ndims && d < arg->rank; d++) {
		const Node *n = t->dims[d];
		if (n->kind != N_NAME ||
		    strmap_get(b->frame->index, n->text, &i))
			continue;
		Val v = val_dim(b, arg->shape[d]);
		if (!build_name(b, n->text, n->loc, "a dim", &v))
			return false;
	}
	return true;
}

/* ---- statements ------------------------------------------------------ */

/* Gives a value made by this statement the author's name for it. */
static void name_value(Build *b, const Val *v, const char *name, size_t first)
{
	if (v->kind != VAL_TENSOR || b->frame->prelude || v->id < first)
		return;
	Value *value = program_value(b->p, v->id);
	if (!value->name)
		value->name = name;
}

static bool assign(Build *b, const Target *t, const Val *v, size_t first)
{
	Val final = *v;
	b->at = b->frame->prelude ? b->frame->call : t->loc;
	if (v->kind == VAL_NONE && !b->frame->prelude)
		return fail_at(b, t->loc, NULL, "None is no value to name");
	if (v->kind == VAL_LIST && v->tuple && !b->frame->prelude)
		return fail_at(b, t->loc,
			       "write as many names as there are values",
			       "one name for %zu values", v->n);
	if (t->type) {
		Value want = {0};
		if (!build_type(b, t->type, &want) ||
		    !val_materialise(b, v, want.dtype, &final) ||
		    !build_check_type(b, &final, &want, t->type->loc,
				      arena_printf(b->arena, "`%s`", t->name)))
			return false;
	}
	name_value(b, &final, t->name, first);
	return build_name(b, t->name, t->loc, "a value", &final);
}

static bool run_assignment(Build *b, const Stmt *s)
{
	Val v;
	size_t first = b->p->values.n;
	if (!eval(b, s->value, &v))
		return false;
	if (s->ntargets == 1)
		return assign(b, &s->targets[0], &v, first);
	if (v.kind != VAL_LIST || v.n != s->ntargets)
		return fail_at(b, s->loc, NULL, "%zu names for %s", s->ntargets,
			       v.kind == VAL_LIST ? val_text(b, &v)
						  : "one value");
	for (size_t i = 0; i < s->ntargets; i++)
		if (!assign(b, &s->targets[i], &v.items[i], first))
			return false;
	return true;
}

static bool check_results(Build *b, const Def *d, const Val *v, Loc loc)
{
	size_t n = v->kind == VAL_LIST && v->tuple ? v->n : 1;
	const Val *items = v->kind == VAL_LIST && v->tuple ? v->items : v;
	if (!d->prelude) {
		if (!n)
			return fail_at(b, loc, NULL, "`%s` returns nothing",
				       d->name);
		for (size_t i = 0; i < n; i++)
			if (items[i].kind != VAL_TENSOR)
				return fail_at(b, items[i].loc,
					       "give it a dtype: f32(...)",
					       "a def returns tensors, and "
					       "this is %s",
					       val_text(b, &items[i]));
	}
	if (!d->nresults)
		return true;
	if (n != d->nresults)
		return fail_at(b, loc, NULL,
			       "`%s` declares %zu results and returns %zu",
			       d->name, d->nresults, n);
	for (size_t i = 0; i < n; i++) {
		Value want = {0};
		if (!build_type(b, &d->results[i], &want) ||
		    !build_check_type(b, &items[i], &want, items[i].loc,
				      n == 1 ? "the result"
					     : arena_printf(b->arena,
							    "result %zu",
							    i + 1)))
			return false;
	}
	return true;
}

/* Runs the statements of a def in the current frame. */
bool build_body(Build *b, const Def *d, Val *out)
{
	for (size_t i = 0; i < d->nstmts; i++) {
		const Stmt *s = &d->stmts[i];
		if (!s->is_return && !run_assignment(b, s))
			return false;
		if (s->is_return)
			return eval(b, s->value, out) &&
			       check_results(b, d, out, s->loc);
	}
	bug("a def without return was parsed");
}

/* ---- calls ----------------------------------------------------------- */

static bool too_many(Build *b, const char *callee, const char *const *params,
		     size_t nparams, size_t required, size_t given, Loc loc)
{
	Buf list;
	buf_init(&list, b->arena);
	for (size_t i = 0; i < nparams; i++)
		buf_printf(&list, "%s%s", i ? ", " : "", params[i]);
	return fail_at(
		b, loc,
		arena_printf(b->arena, "it is %s(%s)", callee, buf_str(&list)),
		"`%s` takes %s%zu argument%s, and %zu %s given", callee,
		required < nparams ? "at most " : "", nparams,
		nparams == 1 ? "" : "s", given, given == 1 ? "is" : "are");
}

bool build_bind(Build *b, const char *callee, const char *const *params,
		const bool *optional, size_t nparams, const Args *args,
		Val *bound)
{
	size_t required = 0;
	for (size_t i = 0; i < nparams; i++)
		required += !optional[i];
	if (args->n > nparams)
		return too_many(b, callee, params, nparams, required, args->n,
				args->p[nparams].loc);
	bool *given = arena_array(b->arena, bool, nparams + 1);
	for (size_t i = 0; i < nparams; i++) {
		bound[i] = (Val){.loc = b->at};
		given[i] = i < args->n;
		if (given[i])
			bound[i] = args->p[i];
	}
	for (size_t k = 0; k < args->nnamed; k++) {
		const Word *w = &args->names[k];
		size_t i = 0;
		while (i < nparams && strcmp(params[i], w->text) != 0)
			i++;
		if (i == nparams) {
			const char *near =
				nearest_name(w->text, params, nparams);
			if (near)
				near = arena_printf(b->arena,
						    "did you mean `%s`?", near);
			return fail_at(b, w->loc, near,
				       "`%s` has no parameter `%s`", callee,
				       w->text);
		}
		if (given[i])
			return fail_at(b, w->loc, NULL,
				       "argument `%s` of `%s` is given twice",
				       w->text, callee);
		given[i] = true;
		bound[i] = args->named[k];
	}
	for (size_t i = 0; i < nparams; i++)
		if (!given[i] && !optional[i])
			return fail_at(b, b->at, NULL,
				       "`%s` needs its argument `%s`", callee,
				       params[i]);
	return true;
}

/* An argument against the parameter's type, literals rounded to it. */
static bool take_argument(Build *b, const Def *d, const Param *q, Val *v)
{
	DType want;
	bug_if(!dtype_parse(q->type->dtype, &want));
	Val taken;
	if (!val_materialise(b, v, build_dtype(b, want), &taken))
		return false;
	taken.loc = v->loc;
	*v = taken;
	Value have = val_value(b, v);
	if (have.dtype != build_dtype(b, want))
		return fail_at(b, v->loc,
			       arena_printf(b->arena, "convert it: %s(%s)",
					    q->type->dtype,
					    have.name ? have.name : "x"),
			       "argument `%s` of `%s` is %s, and its dtype "
			       "is declared %s",
			       q->name, d->name, val_text(b, v),
			       q->type->dtype);
	return have.rank == q->type->ndims ||
	       fail_at(b, v->loc, NULL,
		       "argument `%s` of `%s` is %s, and its rank is declared "
		       "%zu",
		       q->name, d->name, val_text(b, v), q->type->ndims);
}

/* Extents of an argument against the parameter's, dims being bound. */
static bool check_argument(Build *b, const Def *d, const Param *q, const Val *v)
{
	Value have = val_value(b, v), want = {0};
	if (!build_type(b, q->type, &want))
		return false;
	for (int i = 0; i < have.rank; i++) {
		if (have.shape[i] == want.shape[i])
			continue;
		const Node *n = q->type->dims[i];
		const char *named =
			n->kind == N_NAME
				? arena_printf(b->arena,
					       "dim `%s` of `%s` is bound to "
					       "two sizes, %s and %s",
					       n->text, d->name,
					       extent_text(b, want.shape[i]),
					       extent_text(b, have.shape[i]))
				: NULL;
		return fail_at(b, v->loc, named,
			       "argument `%s` of `%s` is %s: axis %d is %s, "
			       "and %s is declared",
			       q->name, d->name, val_text(b, v), i,
			       extent_text(b, have.shape[i]),
			       extent_text(b, want.shape[i]));
	}
	return true;
}

/* Binds dims and parameters of a user's def in the new frame. */
static bool enter_typed(Build *b, const Def *d, Val *bound)
{
	for (size_t i = 0; i < d->nparams; i++) {
		const Param *q = &d->params[i];
		if (!take_argument(b, d, q, &bound[i]))
			return false;
		Value v = val_value(b, &bound[i]);
		if (!build_name(b, q->name, q->loc, "a parameter", &bound[i]) ||
		    !bind_dims(b, q->type, &v))
			return false;
	}
	for (size_t i = 0; i < d->nparams; i++)
		if (!check_argument(b, d, &d->params[i], &bound[i]))
			return false;
	return true;
}

static bool enter_prelude(Build *b, const Def *d, const Val *bound)
{
	for (size_t i = 0; i < d->nparams; i++) {
		const Param *q = &d->params[i];
		Val v = bound[i];
		if (v.kind == VAL_NONE && q->fallback &&
		    !eval(b, q->fallback, &v))
			return false;
		if (!build_name(b, q->name, LOC_NONE, "a parameter", &v))
			return false;
	}
	return true;
}

static bool check_depth(Build *b, const Def *d)
{
	int depth = 0;
	for (const Frame *f = b->frame; f; f = f->outer) {
		if (f->def == d)
			return fail_at(b, b->at,
				       "a def cannot call itself, through "
				       "others neither",
				       "recursion: `%s` is being expanded "
				       "already",
				       d->name);
		depth++;
	}
	return depth <= TN_MAX_CALLS ||
	       fail_at(b, b->at, NULL, "calls are nested more than %d deep",
		       TN_MAX_CALLS);
}

bool build_call_def(Build *b, const Def *d, const Args *args, Val *out)
{
	const char **params =
		arena_array(b->arena, const char *, d->nparams + 1);
	bool *optional = arena_array(b->arena, bool, d->nparams + 1);
	Val *bound = arena_array(b->arena, Val, d->nparams + 1);
	for (size_t i = 0; i < d->nparams; i++) {
		params[i] = d->params[i].name;
		optional[i] = d->params[i].fallback != NULL;
	}
	if (!check_depth(b, d) ||
	    !build_bind(b, d->name, params, optional, d->nparams, args, bound))
		return false;
	const Frame *caller = b->frame;
	Frame f = {.def = d, .prelude = d->prelude, .call = b->at};
	f.via = caller->via
			? arena_printf(b->arena, "%s/%s", caller->via, d->name)
			: d->name;
	f.relax = d->prelude ? caller->relax : d->relax;
	const char *called = b->called;
	Loc at = b->at;
	build_push(b, &f);
	b->called = d->name;
	bool ok = (d->prelude ? enter_prelude(b, d, bound)
			      : enter_typed(b, d, bound)) &&
		  build_body(b, d, out);
	b->frame = f.outer;
	b->called = called;
	b->at = at;
	if (!ok && !caller->prelude && b->notes++ < TN_MAX_NOTES)
		diag_note(b->ctx, d->prelude ? LOC_NONE : at,
			  d->prelude ? "in the expansion of `%s`"
				     : "in the call of `%s`",
			  d->name);
	out->loc = at;
	return ok;
}
