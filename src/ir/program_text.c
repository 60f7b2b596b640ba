/*
 * program_text: the text form of stages 1 and 2, both ways.
 *
 *   program mlp @0:3:5+3
 *   source 0 "mlp.tn"
 *   dim M in 1..4096 @0:3:12+1
 *   dimset main M=1024 @0:1:6+4
 *   %0 x: f16[M, 768] = input index=0 @0:3:9+1
 *   %1: f16 = const data=0x1.8p+0 @0:4:12+3
 *   %2 y: f16[M, 768] = exp %0 via=mlp/act relax=[contraction] @0:4:8+7
 *   return %2 as y @0:4:8+7
 *   donate %0
 *
 * A place @S:L:C+N is source, line, column, length. Sources are numbered as
 * they appear, expressions print in one order, numbers bit for bit: printing
 * what was read gives the same text. Tokens are program_lex.c's, attributes
 * program_attr.c's.
 */
#include "ir/program_text.h"

#include <string.h>

#define MAX_NAMES 4096 /* dims, sets, results, operands of one value */

/* ---- places ---------------------------------------------------------- */

static bool loc_is_named(const Printer *w, Loc l)
{
	return !w->plain && l.line && l.file < w->p->sources.n;
}

/* Sources of one name are one: a reader could not tell them apart. */
static void number_source(Printer *w, Loc l)
{
	if (!loc_is_named(w, l) || w->number[l.file] != UINT32_MAX)
		return;
	const Program *p = w->p;
	uint32_t same = 0;
	while (strcmp(p->sources.p[same], p->sources.p[l.file]) != 0)
		same++;
	if (w->number[same] == UINT32_MAX)
		w->number[same] = w->nsources++;
	w->number[l.file] = w->number[same];
}

static void print_loc(const Printer *w, Loc l)
{
	if (loc_is_named(w, l))
		buf_printf(w->b, " @%u:%u:%u+%u", w->number[l.file], l.line,
			   l.col, l.len);
}

static void number_sources(Printer *w)
{
	const Program *p = w->p;
	w->number = arena_array(p->arena, uint32_t, p->sources.n + 1);
	for (size_t i = 0; i < p->sources.n; i++)
		w->number[i] = UINT32_MAX;
	number_source(w, p->loc);
	for (size_t i = 0; i < p->ex.dims.n; i++)
		number_source(w, p->ex.dims.p[i].loc);
	for (size_t i = 0; i < p->dimsets.n; i++)
		number_source(w, p->dimsets.p[i].loc);
	for (size_t i = 0; i < p->values.n; i++)
		number_source(w, p->values.p[i].loc);
	for (size_t i = 0; i < p->results.n; i++)
		number_source(w, p->results.p[i].loc);
}

static void print_sources(const Printer *w)
{
	for (uint32_t k = 0; k < w->nsources; k++) {
		size_t i = 0;
		while (w->number[i] != k)
			i++;
		buf_printf(w->b, "source %u ", k);
		printer_quoted(w->b, w->p->sources.p[i]);
		buf_putc(w->b, '\n');
	}
}

static bool read_loc(Reader *r, Loc *out)
{
	Loc l = LOC_NONE;
	*out = l;
	if (!reader_accept(r, "@"))
		return true;
	if (!reader_count(r, UINT32_MAX - 1, &l.file) ||
	    !reader_expect(r, ":") || !reader_count(r, UINT32_MAX, &l.line) ||
	    !reader_expect(r, ":") || !reader_count(r, UINT32_MAX, &l.col) ||
	    !reader_expect(r, "+") || !reader_count(r, UINT32_MAX, &l.len))
		return false;
	if (!l.line || !l.col || !l.len)
		return reader_error(r,
				    "lines, columns and lengths count from 1");
	*out = l;
	return true;
}

/* From the number that the text uses to the context's. */
static bool resolve_loc(Reader *r, Loc *l)
{
	if (!l->line)
		return true;
	if (l->file >= r->sources.n)
		return reader_error(r, "source %u is not declared", l->file);
	l->file = r->sources.p[l->file];
	return true;
}

static bool read_known_loc(Reader *r, Loc *out)
{
	return read_loc(r, out) && resolve_loc(r, out);
}

/* ---- dims ------------------------------------------------------------ */

static void print_dims(const Printer *w)
{
	Buf *b = w->b;
	const ExprTab *t = &w->p->ex;
	for (size_t i = 0; i < t->dims.n; i++) {
		const ExDim *d = &t->dims.p[i];
		buf_printf(b, "dim %s in %lld..%lld", d->name, (long long)d->lo,
			   (long long)d->hi);
		print_loc(w, d->loc);
		buf_putc(b, '\n');
	}
	for (size_t i = 0; i < w->p->dimsets.n; i++) {
		const DimSet *s = &w->p->dimsets.p[i];
		buf_puts(b, "dimset ");
		printer_word(b, s->name);
		for (size_t k = 0; k < s->nvalues; k++)
			if (s->values[k] >= 0)
				buf_printf(b, " %s=%lld", t->dims.p[k].name,
					   (long long)s->values[k]);
		print_loc(w, s->loc);
		buf_putc(b, '\n');
	}
}

/* An identifier of the language: what dims are named. */
static bool read_dim_name(Reader *r, const char **out)
{
	reader_skip(r);
	Reader at = *r;
	if (*r->s == '"' || !reader_word(r, out))
		return *r->s == '"' ? reader_error(r, "expected a dim's name")
				    : false;
	const char *s = *out;
	bool axis = s[0] == 'i' && s[1];
	for (size_t i = 0; s[i]; i++) {
		if (s[i] == '.' || s[i] == '/' || s[i] == '-' || i > 200)
			return reader_error(&at, "`%s` cannot name a dim", s);
		axis = axis && (i == 0 || (s[i] >= '0' && s[i] <= '9'));
	}
	if (axis || strcmp(s, "min") == 0 || strcmp(s, "max") == 0)
		return reader_error(&at, "`%s` cannot name a dim", s);
	return true;
}

/* ---- values ---------------------------------------------------------- */

static void print_value(const Printer *w, ValueId id)
{
	Buf *b = w->b;
	const Value *v = program_value(w->p, id);
	buf_printf(b, "%%%u", id);
	if (v->name) {
		buf_putc(b, ' ');
		printer_word(b, v->name);
	}
	buf_puts(b, ": ");
	program_print_type(b, w->p, v);
	buf_printf(b, " = %s", op_info[v->op].name);
	for (uint32_t k = 0; k < v->nargs; k++)
		buf_printf(b, " %%%u", v->args[k]);
	attrs_print(w, v);
	print_loc(w, v->loc);
	buf_putc(b, '\n');
}

static bool read_value_id(Reader *r, ValueId *out)
{
	reader_skip(r);
	Reader at = *r;
	if (!reader_expect(r, "%") || !reader_count(r, UINT32_MAX - 1, out))
		return false;
	if (*out >= r->p->values.n)
		return reader_error(&at, "there is no value %%%u before this",
				    *out);
	return true;
}

static bool read_shape_item(Reader *r, Value *v, uint32_t i)
{
	Reader at = *r;
	if (!reader_ex(r, &v->shape[i]))
		return false;
	if (ex_uses_any_axis(&r->p->ex, v->shape[i]))
		return reader_error(&at, "an extent names an axis");
	return true;
}

static bool read_type(Reader *r, Value *v)
{
	uint32_t rank = 0;
	if (!reader_dtype(r, &v->dtype))
		return false;
	if (*r->s == '[' && !reader_list(r, read_shape_item, v, &rank))
		return false;
	v->rank = (uint8_t)rank;
	return true;
}

static bool read_operands(Reader *r, Value *v)
{
	VEC(ValueId) args = {0};
	int arity = op_info[v->op].arity;
	for (reader_skip(r); *r->s == '%'; reader_skip(r)) {
		ValueId id;
		if (args.n == MAX_NAMES)
			return reader_error(r, "more than %d operands",
					    MAX_NAMES);
		if (!read_value_id(r, &id))
			return false;
		VEC_PUSH(r->p->arena, args, id);
	}
	v->args = args.p;
	v->nargs = (uint32_t)args.n;
	/* the attributes below look at operands */
	if (arity < 0 ? !args.n : args.n != (size_t)arity)
		return reader_error(r, "`%s` takes %s%d operands, not %zu",
				    op_info[v->op].name,
				    arity < 0 ? "at least " : "",
				    arity < 0 ? 1 : arity, args.n);
	return true;
}

/* What was read agrees with what its operands give. */
static bool check_value(Reader *r, Loc at, const Value *read)
{
	Value v = *read;
	v.loc = at;
	if (!program_infer(r->ctx, r->p, &v))
		return false;
	bool same = v.dtype == read->dtype && v.rank == read->rank;
	for (int d = 0; d < v.rank && same; d++)
		same = v.shape[d] == read->shape[d];
	if (same)
		return true;
	Buf b;
	buf_init(&b, r->p->arena);
	program_print_type(&b, r->p, &v);
	return diag_error(r->ctx, at, NULL,
			  "the operands give %s, which is not what is "
			  "declared",
			  buf_str(&b));
}

static bool read_value(Reader *r)
{
	Program *p = r->p;
	Value v = {0};
	ValueId id;
	const char *op;
	Loc at = reader_here(r);
	if (!reader_expect(r, "%") || !reader_count(r, UINT32_MAX - 1, &id))
		return false;
	if (id != p->values.n)
		return diag_error(r->ctx, at, NULL,
				  "this is value %%%zu, not %%%u", p->values.n,
				  id);
	reader_skip(r);
	if (*r->s != ':' && !reader_word(r, &v.name))
		return false;
	if (!reader_expect(r, ":") || !read_type(r, &v) ||
	    !reader_expect(r, "="))
		return false;
	reader_skip(r);
	Reader op_at = *r;
	if (!reader_word(r, &op))
		return false;
	if (!op_parse(op, &v.op))
		return reader_error(&op_at, "`%s` is no op", op);
	if (!read_operands(r, &v) || !attrs_read(r, &v) ||
	    !read_known_loc(r, &v.loc) || !reader_end(r) ||
	    !check_value(r, at, &v))
		return false;
	if (v.op == OP_INPUT) {
		if (v.index != p->inputs.n)
			return diag_error(r->ctx, at, NULL,
					  "inputs count up: this is number "
					  "%zu",
					  p->inputs.n);
		VEC_PUSH(p->arena, p->inputs, id);
	}
	program_add(p, &v);
	return true;
}

/* ---- the other lines ------------------------------------------------- */

static bool read_source(Reader *r)
{
	uint32_t n, at = 0;
	const char *name;
	if (!reader_count(r, UINT32_MAX - 1, &n) || !reader_quoted(r, &name))
		return false;
	if (n != r->sources.n || n >= MAX_NAMES)
		return reader_error(r, "sources count up: this is number %zu",
				    r->sources.n);
	while (at < r->ctx->sources.n &&
	       strcmp(r->ctx->sources.p[at].name, name) != 0)
		at++;
	if (at == r->ctx->sources.n)
		at = ctx_add_source(r->ctx, name, "", 0);
	VEC_PUSH(r->p->arena, r->sources, at);
	return true;
}

static bool find_dim(const Reader *r, const char *name, size_t *i)
{
	const ExprTab *t = &r->p->ex;
	for (*i = 0; *i < t->dims.n; ++*i)
		if (strcmp(t->dims.p[*i].name, name) == 0)
			return true;
	return false;
}

static bool read_dim(Reader *r)
{
	const char *name;
	int64_t lo, hi;
	size_t i;
	Loc loc;
	if (!read_dim_name(r, &name) || !reader_expect(r, "in ") ||
	    !reader_number(r, &lo) || !reader_expect(r, "..") ||
	    !reader_number(r, &hi) || !read_known_loc(r, &loc))
		return false;
	if (find_dim(r, name, &i) || r->p->ex.dims.n >= MAX_NAMES)
		return reader_error(
			r, "dim %s is declared twice, or one too many", name);
	if (lo < 0 || hi < lo)
		return reader_error(r, "a dim's range is empty or negative");
	ex_dim(&r->p->ex, name, loc);
	r->p->ex.dims.p[i].lo = lo;
	r->p->ex.dims.p[i].hi = hi;
	return true;
}

static bool read_dimset(Reader *r)
{
	Program *p = r->p;
	DimSet s = {.nvalues = p->ex.dims.n};
	int64_t *values = arena_array(p->arena, int64_t, s.nvalues + 1);
	for (size_t i = 0; i < s.nvalues; i++)
		values[i] = -1;
	s.values = values;
	if (p->dimsets.n >= MAX_NAMES)
		return reader_error(r, "more than %d sets of dims", MAX_NAMES);
	if (!reader_word(r, &s.name))
		return false;
	for (reader_skip(r); word_starts(*r->s); reader_skip(r)) {
		const char *name;
		size_t i;
		if (!read_dim_name(r, &name))
			return false;
		if (!find_dim(r, name, &i) || values[i] >= 0)
			return reader_error(r, "%s is no dim, or bound twice",
					    name);
		if (!reader_expect(r, "=") || !reader_number(r, &values[i]))
			return false;
		if (values[i] < 0)
			return reader_error(r, "a dim cannot be negative");
	}
	if (!read_known_loc(r, &s.loc))
		return false;
	VEC_PUSH(p->arena, p->dimsets, s);
	return true;
}

static bool read_return(Reader *r)
{
	Program *p = r->p;
	do {
		Result x;
		if (p->results.n >= MAX_NAMES)
			return reader_error(r, "more than %d results",
					    MAX_NAMES);
		if (!read_value_id(r, &x.value) || !reader_expect(r, "as ") ||
		    !reader_word(r, &x.name) || !read_known_loc(r, &x.loc))
			return false;
		VEC_PUSH(p->arena, p->results, x);
	} while (reader_accept(r, ","));
	r->returned = true;
	return true;
}

static bool read_donate(Reader *r)
{
	do {
		ValueId v;
		if (r->p->donated.n >= MAX_NAMES)
			return reader_error(r, "more than %d donated inputs",
					    MAX_NAMES);
		if (!read_value_id(r, &v))
			return false;
		VEC_PUSH(r->p->arena, r->p->donated, v);
	} while (reader_accept(r, ","));
	return true;
}

static bool read_line(Reader *r)
{
	bool ok;
	reader_skip(r);
	if (*r->s == '%' && !r->returned)
		ok = read_value(r);
	else if (reader_accept(r, "source ") && !r->p->values.n)
		ok = read_source(r);
	else if (reader_accept(r, "dim ") && !r->p->values.n &&
		 !r->p->dimsets.n)
		ok = read_dim(r);
	else if (reader_accept(r, "dimset ") && !r->p->values.n)
		ok = read_dimset(r);
	else if (reader_accept(r, "return ") && !r->returned)
		ok = read_return(r);
	else if (reader_accept(r, "donate ") && r->returned && !r->p->donated.n)
		ok = read_donate(r);
	else
		return reader_error(r, "this line is not expected here");
	return ok && reader_end(r);
}

static bool next_line(Reader *r)
{
	if (*r->s != '\n')
		return false;
	r->s++;
	r->line++;
	r->line_start = r->s;
	return true;
}

static bool read_program(Reader *r)
{
	const char *name;
	Loc first = reader_here(r), loc;
	if (!reader_expect(r, "program ") || !reader_word(r, &name) ||
	    !read_loc(r, &loc) || !reader_end(r))
		return false;
	r->p->name = name;
	bool resolved = false;
	while (next_line(r) && *r->s) {
		/* the program's place waits for the sources to be known */
		if (!resolved && strncmp(r->s, "source ", 7) != 0) {
			if (!resolve_loc(r, &loc))
				return false;
			resolved = true;
		}
		if (*r->s != '\n' && !read_line(r))
			return false;
	}
	if (r->s != r->end)
		return reader_error(r, "a NUL byte in the text");
	if (!r->returned)
		return reader_error(r, "expected `return`");
	if (!resolved && !resolve_loc(r, &loc))
		return false;
	r->p->loc = loc;
	Buf why;
	buf_init(&why, r->p->arena);
	if (!program_verify(r->p, &why))
		return diag_error(r->ctx, first, NULL,
				  "the program does not hold together: %s",
				  buf_str(&why));
	return true;
}

static void print(const Program *p, bool plain, Buf *b)
{
	Printer w = {.b = b, .p = p, .plain = plain};
	number_sources(&w);
	buf_puts(b, "program ");
	printer_word(b, p->name);
	print_loc(&w, p->loc);
	buf_putc(b, '\n');
	print_sources(&w);
	print_dims(&w);
	for (size_t i = 0; i < p->values.n; i++)
		print_value(&w, (ValueId)i);
	for (size_t i = 0; i < p->results.n; i++) {
		const Result *x = &p->results.p[i];
		buf_printf(b, "%s%%%u as ", i ? ", " : "return ", x->value);
		printer_word(b, x->name);
		print_loc(&w, x->loc);
	}
	if (p->results.n)
		buf_putc(b, '\n');
	for (size_t i = 0; i < p->donated.n; i++)
		buf_printf(b, "%s%%%u", i ? ", " : "donate ", p->donated.p[i]);
	if (p->donated.n)
		buf_putc(b, '\n');
}

Program *program_parse(Ctx *ctx, Arena *a, uint32_t source)
{
	bug_if(source >= ctx->sources.n);
	Source text = ctx->sources.p[source];
	Program *p = arena_new(a, Program);
	program_init(p, a, "");
	Reader r = {.ctx = ctx,
		    .p = p,
		    .source = source,
		    .s = text.text,
		    .end = text.text + text.len,
		    .line_start = text.text,
		    .line = 1};
	return read_program(&r) ? p : NULL;
}

void program_print(const Program *p, Buf *b)
{
	print(p, false, b);
}

void program_print_plain(const Program *p, Buf *b)
{
	print(p, true, b);
}
