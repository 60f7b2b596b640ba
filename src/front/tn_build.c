/*
 * tn_build: from a file's declarations to a Program.
 *
 * The entry def's parameters become inputs and its statements the values;
 * consts are made when they are first named. The rest of the file is judged
 * as well: names given twice, donations, sets of dims.
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

Ex build_dim(Build *b, const char *name)
{
	for (size_t i = 0; i < b->options->nfixed; i++) {
		FixedDim *f = &b->options->fixed[i];
		if (strcmp(f->name, name) == 0) {
			f->used = true;
			return ex_const(&b->p->ex, f->size);
		}
	}
	return ex_dim(&b->p->ex, name, b->at);
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
			       build_type_text(b, v), v->file,
			       build_type_text(b, &have));
}

static bool make_weight(Build *b, const ConstDecl *c, Val *out)
{
	Value v = {.op = OP_WEIGHT, .name = c->name};
	DType d;
	if (!build_type(b, c->type, &v) || !file_arguments(b, c->value, &v))
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
			ok = build_type(b, c->type, &want);
			b->declare_dims = false;
			b->at = c->loc;
			ok = ok && eval(b, c->value, &v) &&
			     val_materialise(b, &v, want.dtype, &v) &&
			     build_check_type(b, &v, &want, c->type->loc,
					      arena_printf(b->arena,
							   "const `%s`",
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
		Value v = {
			.op = OP_INPUT, .index = (uint32_t)i, .name = q->name};
		b->declare_dims = true;
		bool ok = build_type(b, q->type, &v);
		b->declare_dims = false;
		b->at = q->loc;
		Val in;
		if (!ok || !emit(b, &v, &in))
			return false;
		VEC_PUSH(b->p->arena, b->p->inputs, in.id);
		if (!build_name(b, q->name, q->loc, "a parameter", &in))
			return false;
	}
	/* the dims are names of the def as well */
	for (size_t i = 0; i < b->p->ex.dims.n; i++) {
		const ExDim dim = b->p->ex.dims.p[i];
		Val v = val_dim(b, ex_dim(&b->p->ex, dim.name, dim.loc));
		if (!build_name(b, dim.name, dim.loc, "a dim", &v))
			return false;
	}
	for (size_t i = 0; i < b->options->nfixed; i++) {
		const FixedDim *f = &b->options->fixed[i];
		Val v = val_dim(b, ex_const(&b->p->ex, f->size));
		if (f->used && !build_name(b, f->name, d->loc, "a dim", &v))
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
			VEC_PUSH(b->p->arena, b->p->donated, b->p->inputs.p[k]);
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
		    !build_check_extent(b, e->value->loc,
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
	return diag_fail(
		b->ctx, ERR_USAGE,
		near ? arena_printf(b->arena, "did you mean `%s`?", near)
		     : NULL,
		"%s has no def `%s`", b->ctx->sources.p[source].name, name);
}

/* The prelude's tree; its text is a source of the context once. */
static bool parse_prelude(Ctx *ctx, Arena *a, Unit **out)
{
	const char *text = front_prelude();
	for (size_t i = 0; i < ctx->sources.n; i++)
		if (strcmp(ctx->sources.p[i].name, PRELUDE_NAME) == 0)
			return tn_parse(ctx, a, (uint32_t)i, true, out);
	uint32_t source = ctx_add_source(ctx, PRELUDE_NAME, text, strlen(text));
	return tn_parse(ctx, a, source, true, out);
}

static bool build_entry(Build *b, const Def *entry)
{
	Frame f = {.def = entry, .relax = entry->relax};
	Val result;
	build_push(b, &f);
	b->at = b->p->loc = entry->loc;
	bool ok = add_inputs(b, entry) && build_body(b, entry, &result);
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
