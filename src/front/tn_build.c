/*
 * tn_build: from declarations and statements to a Program.
 *
 * The entry def's parameters become inputs; its statements are evaluated in
 * order; every call of a def is expanded where it stands, in a frame of its
 * own, with the callee's dims bound to the caller's extents. Values carry
 * the contract of the def whose text made them (a composition of the
 * prelude: of the def that called it) and the path of the calls.
 */
#include "front/tn_build.h"

#include <string.h>

static const char PRELUDE_NAME[] = "<prelude>";

/* ---- lookups --------------------------------------------------------- */

const Def *build_find_def(const Unit *u, const char *name)
{
	for (size_t i = 0; i < u->defs.n; i++)
		if (strcmp(u->defs.p[i].name, name) == 0)
			return &u->defs.p[i];
	return NULL;
}

DType build_dtype(const Build *b, DType written)
{
	bool user = !b->frame->prelude;
	return user && b->has_replaced && written == b->replaced
		       ? b->options->dtype
		       : written;
}

static bool type_names(const TypeNode *t, const char *name)
{
	for (size_t i = 0; i < t->ndims; i++)
		if (t->dims[i]->kind == N_NAME &&
		    strcmp(t->dims[i]->text, name) == 0)
			return true;
	return false;
}

bool build_file_dim(Build *b, const char *name)
{
	const Unit *u = b->user;
	for (size_t i = 0; i < u->dims.n; i++)
		for (size_t k = 0; k < u->dims.p[i].nentries; k++)
			if (strcmp(u->dims.p[i].entries[k].name, name) == 0)
				return true;
	for (size_t i = 0; i < u->consts.n; i++)
		if (type_names(u->consts.p[i].type, name))
			return true;
	return false;
}

/* ---- frames ---------------------------------------------------------- */

static void frame_push(Build *b, Frame *f)
{
	f->outer = b->frame;
	f->index = strmap_new(b->arena);
	b->frame = f;
}

static bool local_add(Build *b, const char *name, Loc loc, const char *what,
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
	if (!f->prelude &&
	    (dtype_parse(name, &d) || strcmp(name, "inf") == 0 ||
	     strcmp(name, "nan") == 0))
		return fail_at(b, loc, NULL, "`%s` is a word of the language",
			       name);
	Local l = {name, loc, what, *v};
	strmap_set(f->index, name, (uint32_t)f->locals.n);
	VEC_PUSH(b->arena, f->locals, l);
	return true;
}

/* ---- types ----------------------------------------------------------- */

static bool check_extent(Build *b, Loc loc, Ex e)
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
static bool type_resolve(Build *b, const TypeNode *t, Value *v)
{
	DType d;
	bug_if(!dtype_parse(t->dtype, &d));
	v->dtype = build_dtype(b, d);
	v->rank = (uint8_t)t->ndims;
	for (size_t i = 0; i < t->ndims; i++)
		if (!eval_extent(b, t->dims[i], &v->shape[i]) ||
		    !check_extent(b, t->dims[i]->loc, v->shape[i]))
			return false;
	return true;
}

static const char *type_text(Build *b, const Value *v)
{
	Buf t;
	buf_init(&t, b->arena);
	program_print_type(&t, b->p, v);
	return buf_str(&t);
}

/* A value against the type that the text gives it. */
static bool type_check(Build *b, const Val *v, const Value *want, Loc loc,
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
			       ? arena_printf(b->arena,
					      "convert it: %s(...)",
					      dtype_info[want->dtype].name)
			       : NULL,
		       "%s is declared %s, and is %s", what,
		       type_text(b, want), type_text(b, &have));
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
		if (!local_add(b, n->text, n->loc, "a dim", &v))
			return false;
	}
	return true;
}

/* ---- consts ---------------------------------------------------------- */

static const char *joined_path(Build *b, const char *path)
{
	const char *base = b->options->base;
	if (!base || !*base || path[0] == '/')
		return path;
	bool slash = base[strlen(base) - 1] == '/';
	return arena_printf(b->arena, "%s%s%s", base, slash ? "" : "/", path);
}

/* Whether a const's value is file("...") or file("...", "..."). */
static bool is_file(const Node *n)
{
	return n->kind == N_CALL && n->a->kind == N_NAME &&
	       strcmp(n->a->text, "file") == 0;
}

static bool file_arguments(Build *b, const Node *n, Value *v)
{
	for (size_t i = 0; i < n->nkids; i++)
		if (n->kids[i]->kind != N_STRING)
			return fail_at(b, n->kids[i]->loc,
				       "file(\"w.safetensors\", \"w\") or "
				       "file(\"w.npy\")",
				       "`file` takes names in quotes");
	if (n->nkids < 1 || n->nkids > 2)
		return fail_at(b, n->loc,
			       "file(\"w.safetensors\", \"w\") or "
			       "file(\"w.npy\")",
			       "`file` takes a path and the name of a tensor, "
			       "not %zu arguments",
			       n->nkids);
	v->file = joined_path(b, n->kids[0]->text);
	v->tensor = n->nkids == 2 ? n->kids[1]->text : NULL;
	size_t len = strlen(v->file);
	bool npy = len >= 4 && strcmp(v->file + len - 4, ".npy") == 0;
	if (npy == !v->tensor)
		return true;
	return fail_at(b, n->loc, NULL,
		       npy ? "a .npy file holds one tensor, without a name"
			   : "name the tensor: file(\"%s\", \"w\")",
		       n->kids[0]->text);
}

/* The file's tensor against the declaration. */
static bool check_weight(Build *b, const Value *v, Loc loc)
{
	Tensor t;
	if (!file_exists(v->file))
		return fail_at(b, loc, NULL, "there is no file %s", v->file);
	if (!weight_stat(b->ctx, v->file, v->tensor, v->dtype, &t)) {
		diag_note(b->ctx, loc, "for this const");
		return false;
	}
	Value have = {.dtype = t.dtype, .rank = t.rank};
	bool same = t.dtype == v->dtype && t.rank == v->rank;
	for (int d = 0; d < t.rank; d++) {
		int64_t n;
		have.shape[d] = ex_const(&b->p->ex, t.shape[d]);
		if (same && ex_is_const(&b->p->ex, v->shape[d], &n))
			same = n == t.shape[d];
	}
	return same || fail_at(b, loc, "declare it as the file has it",
			       "the const is declared %s, and %s holds %s",
			       type_text(b, v), v->file, type_text(b, &have));
}

static bool make_weight(Build *b, const ConstDecl *c, Val *out)
{
	Value v = {.op = OP_WEIGHT, .name = c->name};
	DType d;
	if (!type_resolve(b, c->type, &v) ||
	    !file_arguments(b, c->value, &v))
		return false;
	/* the file's dtype is as written; --dtype converts what was read */
	DType read_as = v.dtype;
	bug_if(!dtype_parse(c->type->dtype, &d));
	v.dtype = d;
	b->at = c->loc;
	Val w;
	return check_weight(b, &v, c->type->loc) && emit(b, &v, &w) &&
	       make_cast(b, &w, read_as, out);
}

bool build_const(Build *b, size_t i, Val *out)
{
	const ConstDecl *c = &b->user->consts.p[i];
	if (b->consts[i].kind == VAL_NONE) {
		/* evaluated as text of the file, whoever asked first */
		Frame *asked = b->frame;
		Loc at = b->at;
		Value want = {0};
		Val v;
		b->frame = &b->file;
		b->declare_dims = true;
		bool ok;
		if (is_file(c->value)) {
			ok = make_weight(b, c, &v);
		} else {
			ok = type_resolve(b, c->type, &want);
			b->declare_dims = false;
			b->at = c->loc;
			ok = ok && eval(b, c->value, &v) &&
			     val_materialise(b, &v, want.dtype, &v) &&
			     type_check(b, &v, &want, c->type->loc,
					arena_printf(b->arena, "const `%s`",
						     c->name));
			if (ok && !val_value(b, &v).name)
				program_value(b->p, v.id)->name = c->name;
		}
		b->declare_dims = false;
		b->frame = asked;
		b->at = at;
		if (!ok)
			return false;
		b->consts[i] = v;
	}
	*out = b->consts[i];
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
		if (!type_resolve(b, t->type, &want) ||
		    !val_materialise(b, v, want.dtype, &final) ||
		    !type_check(b, &final, &want, t->type->loc,
				arena_printf(b->arena, "`%s`", t->name)))
			return false;
	}
	name_value(b, &final, t->name, first);
	return local_add(b, t->name, t->loc, "a value", &final);
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
		return fail_at(b, s->loc, NULL, "%zu names for %s",
			       s->ntargets,
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
		if (!type_resolve(b, &d->results[i], &want) ||
		    !type_check(b, &items[i], &want, items[i].loc,
				n == 1 ? "the result"
				       : arena_printf(b->arena, "result %zu",
						      i + 1)))
			return false;
	}
	return true;
}

/* Runs the statements of a def in the current frame. */
static bool run_body(Build *b, const Def *d, Val *out)
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
	return fail_at(b, loc,
		       arena_printf(b->arena, "it is %s(%s)", callee,
				    buf_str(&list)),
		       "`%s` takes %s%zu argument%s, and %zu %s given", callee,
		       required < nparams ? "at most " : "", nparams,
		       nparams == 1 ? "" : "s", given,
		       given == 1 ? "is" : "are");
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
static bool check_argument(Build *b, const Def *d, const Param *q,
			   const Val *v)
{
	Value have = val_value(b, v), want = {0};
	if (!type_resolve(b, q->type, &want))
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
		if (!local_add(b, q->name, q->loc, "a parameter", &bound[i]) ||
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
		if (!local_add(b, q->name, LOC_NONE, "a parameter", &v))
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
	if (!check_depth(b, d) || !build_bind(b, d->name, params, optional,
					      d->nparams, args, bound))
		return false;
	const Frame *caller = b->frame;
	Frame f = {.def = d, .prelude = d->prelude, .call = b->at};
	f.via = caller->via ? arena_printf(b->arena, "%s/%s", caller->via,
					   d->name)
			    : d->name;
	f.relax = d->prelude ? caller->relax : d->relax;
	const char *called = b->called;
	Loc at = b->at;
	frame_push(b, &f);
	b->called = d->name;
	bool ok = (d->prelude ? enter_prelude(b, d, bound)
			      : enter_typed(b, d, bound)) &&
		  run_body(b, d, out);
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

/* ---- the entry ------------------------------------------------------- */

/* A name for each result: the author's where plain and unique. */
static const char *result_name(Build *b, const Node *n, size_t count, size_t i,
			       const char *const *others)
{
	const char *name = n->kind == N_NAME ? n->text : NULL;
	for (size_t k = 0; name && k < i; k++)
		if (strcmp(others[k], name) == 0)
			name = NULL;
	if (name)
		return name;
	if (count == 1)
		return "y";
	const char *made = arena_printf(b->arena, "y%zu", i);
	for (size_t k = 0; k < i;) {
		bool taken = strcmp(others[k], made) == 0;
		if (taken)
			made = arena_printf(b->arena, "%s_", made);
		k = taken ? 0 : k + 1;
	}
	return made;
}

static void add_results(Build *b, const Def *d, const Val *v)
{
	const Node *n = d->stmts[d->nstmts - 1].value;
	bool tuple = v->kind == VAL_LIST;
	size_t count = tuple ? v->n : 1;
	const char **names = arena_array(b->arena, const char *, count + 1);
	/* one call may return several: only a tuple in the text has names */
	bool written = !tuple || n->kind == N_TUPLE;
	Node unnamed = {.kind = N_NONE, .loc = n->loc};
	for (size_t i = 0; i < count; i++) {
		const Node *k = !written ? &unnamed : tuple ? n->kids[i] : n;
		names[i] = result_name(b, k, count, i, names);
		Result r = {tuple ? v->items[i].id : v->id,
			    arena_strdup(b->p->arena, names[i]), k->loc};
		VEC_PUSH(b->p->arena, b->p->results, r);
	}
}

static bool add_inputs(Build *b, const Def *d)
{
	for (size_t i = 0; i < d->nparams; i++) {
		const Param *q = &d->params[i];
		Value v = {.op = OP_INPUT, .index = (uint32_t)i,
			   .name = q->name};
		b->declare_dims = true;
		bool ok = type_resolve(b, q->type, &v);
		b->declare_dims = false;
		b->at = q->loc;
		Val in;
		if (!ok || !emit(b, &v, &in))
			return false;
		VEC_PUSH(b->p->arena, b->p->inputs, in.id);
		if (!local_add(b, q->name, q->loc, "a parameter", &in))
			return false;
	}
	/* the dims are names of the def as well */
	for (size_t i = 0; i < b->p->ex.dims.n; i++) {
		const ExDim dim = b->p->ex.dims.p[i];
		Val v = val_dim(b, ex_dim(&b->p->ex, dim.name, dim.loc));
		if (!local_add(b, dim.name, dim.loc, "a dim", &v))
			return false;
	}
	return true;
}

/* @donate: of the entry def; those of other defs are only checked. */
static bool check_donations(Build *b, const Def *d, bool entry)
{
	for (size_t i = 0; i < d->ndonated; i++) {
		const Word *w = &d->donated[i];
		size_t k = 0;
		while (k < d->nparams &&
		       strcmp(d->params[k].name, w->text) != 0)
			k++;
		if (k == d->nparams)
			return fail_at(b, w->loc, NULL,
				       "@donate: `%s` is not a parameter of "
				       "`%s`",
				       w->text, d->name);
		for (size_t j = 0; j < i; j++)
			if (strcmp(d->donated[j].text, w->text) == 0)
				return fail_at(b, w->loc, NULL,
					       "@donate: `%s` is named twice",
					       w->text);
		if (entry)
			VEC_PUSH(b->p->arena, b->p->donated,
				 b->p->inputs.p[k]);
	}
	return true;
}

static bool add_dimset(Build *b, const DimsDecl *d)
{
	size_t n = b->p->ex.dims.n;
	int64_t *values = arena_array(b->p->arena, int64_t, n + 1);
	for (size_t i = 0; i < n; i++)
		values[i] = -1;
	for (size_t i = 0; i < d->nentries; i++) {
		const DimEntry *e = &d->entries[i];
		Val v;
		int64_t size;
		for (size_t k = 0; k < i; k++)
			if (strcmp(d->entries[k].name, e->name) == 0)
				return fail_at(b, e->loc, NULL,
					       "dim `%s` is set twice in `%s`",
					       e->name, d->name);
		if (!eval(b, e->value, &v) ||
		    !val_to_int(b, &v, "a dim's size", &size) ||
		    !check_extent(b, e->value->loc,
				  ex_const(&b->p->ex, size)))
			return false;
		for (size_t k = 0; k < n; k++)
			if (strcmp(b->p->ex.dims.p[k].name, e->name) == 0)
				values[k] = size;
	}
	DimSet s = {arena_strdup(b->p->arena, d->name), values, n, d->loc};
	VEC_PUSH(b->p->arena, b->p->dimsets, s);
	return true;
}

/* ---- the file -------------------------------------------------------- */

static bool duplicate(Build *b, const char *name, Loc loc, Loc earlier)
{
	fail_at(b, loc, NULL, "`%s` is declared twice", name);
	diag_note(b->ctx, earlier, "the first is here");
	return false;
}

/* Names of the file: unique, and none of the built-in functions'. */
static bool check_names(Build *b)
{
	const Unit *u = b->user;
	for (size_t i = 0; i < u->defs.n; i++) {
		const Def *d = &u->defs.p[i];
		DType dtype;
		const Def *same = build_find_def(u, d->name);
		if (same != d)
			return duplicate(b, d->name, d->loc, same->loc);
		if (build_find_def(b->prelude, d->name) ||
		    builtin_find(d->name, false) ||
		    dtype_parse(d->name, &dtype))
			return fail_at(b, d->loc, "choose another name",
				       "`%s` is built in and cannot be "
				       "defined again",
				       d->name);
	}
	for (size_t i = 0; i < u->consts.n; i++) {
		const ConstDecl *c = &u->consts.p[i];
		for (size_t k = 0; k < i; k++)
			if (strcmp(u->consts.p[k].name, c->name) == 0)
				return duplicate(b, c->name, c->loc,
						 u->consts.p[k].loc);
		const Def *d = build_find_def(u, c->name);
		if (d)
			return duplicate(b, c->name, c->loc, d->loc);
	}
	for (size_t i = 0; i < u->dims.n; i++)
		for (size_t k = 0; k < i; k++)
			if (strcmp(u->dims.p[k].name, u->dims.p[i].name) == 0)
				return duplicate(b, u->dims.p[i].name,
						 u->dims.p[i].loc,
						 u->dims.p[k].loc);
	return true;
}

/* The float dtype that the file writes most; the first of equals. */
static void find_replaced(Build *b)
{
	size_t count[DT_COUNT] = {0}, most = 0;
	DType d;
	for (size_t i = 0; i < b->user->dtypes.n; i++)
		if (dtype_parse(b->user->dtypes.p[i], &d) && dtype_is_float(d))
			count[d]++;
	for (size_t i = 0; i < b->user->dtypes.n; i++) {
		if (!dtype_parse(b->user->dtypes.p[i], &d) || count[d] <= most)
			continue;
		most = count[d];
		b->has_replaced = true;
		b->replaced = d;
	}
}

static bool find_entry(Build *b, uint32_t source, const Def **out)
{
	const Unit *u = b->user;
	const char *name = b->options->entry;
	Loc top = {source, 1, 1, 1};
	if (!u->defs.n)
		return fail_at(b, top, "write `def name(x: f32[N]):`",
			       "the file has no def");
	*out = name ? build_find_def(u, name) : &u->defs.p[u->defs.n - 1];
	if (*out)
		return true;
	const char **names = arena_array(b->arena, const char *, u->defs.n);
	for (size_t i = 0; i < u->defs.n; i++)
		names[i] = u->defs.p[i].name;
	const char *near = nearest_name(name, names, u->defs.n);
	return diag_fail(b->ctx, ERR_USAGE,
			 near ? arena_printf(b->arena, "did you mean `%s`?",
					     near)
			      : NULL,
			 "%s has no def `%s`", b->ctx->sources.p[source].name,
			 name);
}

/* The prelude's tree; its text is a source of the context once. */
static bool parse_prelude(Ctx *ctx, Arena *a, Unit **out)
{
	const char *text = front_prelude();
	for (size_t i = 0; i < ctx->sources.n; i++)
		if (strcmp(ctx->sources.p[i].name, PRELUDE_NAME) == 0)
			return tn_parse(ctx, a, (uint32_t)i, true, out);
	uint32_t source =
		ctx_add_source(ctx, PRELUDE_NAME, text, strlen(text));
	return tn_parse(ctx, a, source, true, out);
}

static bool build_entry(Build *b, const Def *entry)
{
	Frame f = {.def = entry, .relax = entry->relax};
	Val result;
	frame_push(b, &f);
	b->at = b->p->loc = entry->loc;
	bool ok = add_inputs(b, entry) && run_body(b, entry, &result);
	if (ok)
		add_results(b, entry, &result);
	b->frame = &b->file;
	for (size_t i = 0; ok && i < b->user->defs.n; i++)
		ok = check_donations(b, &b->user->defs.p[i],
				     &b->user->defs.p[i] == entry);
	for (size_t i = 0; ok && i < b->user->dims.n; i++)
		ok = add_dimset(b, &b->user->dims.p[i]);
	return ok;
}

bool front_build(Ctx *ctx, Arena *a, uint32_t source, const FrontOptions *o,
		 Program **out)
{
	static const FrontOptions none = {0};
	Unit *user, *prelude;
	const Def *entry;
	if (!tn_parse(ctx, &ctx->scratch, source, false, &user) ||
	    !parse_prelude(ctx, &ctx->scratch, &prelude))
		return false;
	Build b = {.ctx = ctx,
		   .arena = &ctx->scratch,
		   .options = o ? o : &none,
		   .user = user,
		   .prelude = prelude,
		   .at = {source, 1, 1, 1}};
	b.frame = &b.file;
	b.file.index = strmap_new(b.arena);
	b.consts = arena_array(b.arena, Val, user->consts.n + 1);
	if (!check_names(&b) || !find_entry(&b, source, &entry))
		return false;
	if (b.options->has_dtype)
		find_replaced(&b);
	b.p = arena_new(a, Program);
	program_init(b.p, a, entry->name);
	if (!build_entry(&b, entry))
		return false;
	/* names set after program_add live with the program */
	for (size_t i = 0; i < b.p->values.n; i++)
		if (b.p->values.p[i].name)
			b.p->values.p[i].name =
				arena_strdup(a, b.p->values.p[i].name);
	Buf why;
	buf_init(&why, b.arena);
	if (!program_verify(b.p, &why))
		bug("the front end made a bad program: %s", buf_str(&why));
	*out = b.p;
	return true;
}

bool front_defs(Ctx *ctx, Arena *a, uint32_t source, const char ***names,
		size_t *n)
{
	Unit *u;
	if (!tn_parse(ctx, &ctx->scratch, source, false, &u))
		return false;
	*names = arena_array(a, const char *, u->defs.n + 1);
	*n = u->defs.n;
	for (size_t i = 0; i < u->defs.n; i++)
		(*names)[i] = arena_strdup(a, u->defs.p[i].name);
	return true;
}
