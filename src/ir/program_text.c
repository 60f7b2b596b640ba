/*
 * program_text: the text form of stages 1 and 2, both ways.
 *
 *   program mlp @0:3:5+3
 *   source 0 "mlp.tn"
 *   dim M in 1..4096 @0:3:12+1
 *   dimset main M=1024 @0:1:6+4
 *   %0 x: f16[M, 768] = input index=0 @0:3:9+1
 *   %1: f16 = const data=0x1.8p+0 @0:4:12+3
 *   %2 y: f16[M, 768] = relu %0 via=mlp/relu relax=[contraction] @0:4:8+7
 *   return %2 as y @0:4:8+7
 *   donate %0
 *
 * A place @S:L:C+N is source, line, column, length. One table (attr_table)
 * says which attributes an op has, and how each is written and read. Words
 * outside [A-Za-z0-9_./-] are quoted. Sources are numbered as they appear,
 * names print in a fixed order, numbers bit for bit: printing what was read
 * gives the same text.
 */
#include "ir/program.h"

#include "ir/internal.h"

#include <string.h>

#define MAX_NAMES  4096 /* dims, sets, results, operands of one value */
#define LIST_LIMIT 64   /* tensors of more elements print as bytes */

static const struct {
	Relax bit;
	const char *name;
} relax_table[] = {
	{RELAX_SINGLE_ROUNDING, "single_rounding"},
	{RELAX_CONTRACTION, "contraction"},
	{RELAX_REASSOCIATE, "reassociate"},
	{RELAX_ROW_INVARIANT, "row_invariant"},
};

static bool is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '/' ||
	       c == '-';
}

static bool is_word_start(char c)
{
	return is_word_char(c) && !(c >= '0' && c <= '9') && c != '-' &&
	       c != '.' && c != '/';
}

/* ---- printing -------------------------------------------------------- */

typedef struct Printer {
	Buf *b;
	const Program *p;
	uint32_t *number; /* of each source of p; UINT32_MAX: not named */
	uint32_t nsources;
} Printer;

static void print_quoted(Buf *b, const char *s)
{
	buf_putc(b, '"');
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		if (c == '"' || c == '\\')
			buf_printf(b, "\\%c", c);
		else if (c < ' ' || c == 0x7f)
			buf_printf(b, "\\x%02x", c);
		else
			buf_putc(b, (char)c);
	}
	buf_putc(b, '"');
}

static void print_word(Buf *b, const char *s)
{
	size_t n = 0;
	while (is_word_char(s[n]))
		n++;
	if (s[n] || !is_word_start(s[0]))
		print_quoted(b, s);
	else
		buf_puts(b, s);
}

static bool loc_is_named(const Printer *w, Loc l)
{
	return l.line && l.file < w->p->sources.n;
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
		print_quoted(w->b, w->p->sources.p[i]);
		buf_putc(w->b, '\n');
	}
}

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
		print_word(b, s->name);
		for (size_t k = 0; k < s->nvalues; k++)
			if (s->values[k] >= 0)
				buf_printf(b, " %s=%lld", t->dims.p[k].name,
					   (long long)s->values[k]);
		print_loc(w, s->loc);
		buf_putc(b, '\n');
	}
}

/* ---- reading --------------------------------------------------------- */

typedef struct Reader {
	Ctx *ctx;
	Program *p;
	uint32_t source;
	const char *s, *end, *line_start;
	uint32_t line;
	VEC(uint32_t) sources; /* number in the text to index in ctx */
	bool returned;
} Reader;

static Loc here(const Reader *r)
{
	return (Loc){r->source, r->line, (uint32_t)(r->s - r->line_start) + 1,
		     1};
}

#define bad(r, ...) diag_error((r)->ctx, here(r), NULL, __VA_ARGS__)

static void skip_blanks(Reader *r)
{
	while (*r->s == ' ' || *r->s == '\t')
		r->s++;
}

static bool accept(Reader *r, const char *text)
{
	skip_blanks(r);
	size_t n = strlen(text);
	/* the source ends in NUL, so this stops there */
	if (strncmp(r->s, text, n) != 0)
		return false;
	r->s += n;
	return true;
}

static bool expect(Reader *r, const char *text)
{
	if (accept(r, text))
		return true;
	return bad(r, "expected `%s`", text);
}

static bool read_end(Reader *r)
{
	skip_blanks(r);
	if (*r->s != '\n' && *r->s != '\0')
		return bad(r, "expected the end of the line");
	return true;
}

static bool read_number(Reader *r, int64_t *v)
{
	skip_blanks(r);
	const char *s = r->s;
	const char *error = number_parse(&s, DT_I64, v);
	if (error)
		return bad(r, "%s", error);
	r->s = s;
	return true;
}

/* A number of 0 to most. */
static bool read_count(Reader *r, int64_t most, uint32_t *v)
{
	int64_t n;
	skip_blanks(r);
	Reader at = *r;
	if (!read_number(r, &n))
		return false;
	if (n < 0 || n > most)
		return bad(&at, "expected a number of at most %lld",
			   (long long)most);
	*v = (uint32_t)n;
	return true;
}

static bool read_quoted(Reader *r, const char **out)
{
	Buf b;
	buf_init(&b, r->p->arena);
	if (!expect(r, "\""))
		return false;
	while (*r->s != '"') {
		char c = *r->s;
		if (c == '\0' || c == '\n')
			return bad(r, "expected `\"` before the line ends");
		r->s++;
		if (c == '\\' && (*r->s == '"' || *r->s == '\\')) {
			c = *r->s++;
		} else if (c == '\\') {
			unsigned v = 0;
			if (*r->s++ != 'x')
				return bad(r, "only \\\", \\\\ and \\x escape");
			for (int i = 0; i < 2; i++, r->s++) {
				const char *digits = "0123456789abcdef";
				const char *at =
					*r->s ? strchr(digits, *r->s) : NULL;
				if (!at)
					return bad(r, "expected a hex digit");
				v = v << 4 | (unsigned)(at - digits);
			}
			if (!v)
				return bad(r, "a text cannot hold \\x00");
			c = (char)v;
		}
		buf_putc(&b, c);
	}
	r->s++;
	*out = buf_str(&b);
	return true;
}

static bool read_word(Reader *r, const char **out)
{
	skip_blanks(r);
	if (*r->s == '"')
		return read_quoted(r, out);
	size_t n = 0;
	while (is_word_char(r->s[n]))
		n++;
	if (!n || !is_word_start(r->s[0]))
		return bad(r, "expected a name");
	*out = arena_strndup(r->p->arena, r->s, n);
	r->s += n;
	return true;
}

/* An identifier of the language: what dims are named. */
static bool read_dim_name(Reader *r, const char **out)
{
	skip_blanks(r);
	Reader at = *r;
	if (*r->s == '"' || !read_word(r, out))
		return *r->s == '"' ? bad(r, "expected a dim's name") : false;
	const char *s = *out;
	bool axis = s[0] == 'i' && s[1];
	for (size_t i = 0; s[i]; i++) {
		if (s[i] == '.' || s[i] == '/' || s[i] == '-' || i > 200)
			return bad(&at, "`%s` cannot name a dim", s);
		axis = axis && (i == 0 || (s[i] >= '0' && s[i] <= '9'));
	}
	if (axis || strcmp(s, "min") == 0 || strcmp(s, "max") == 0)
		return bad(&at, "`%s` cannot name a dim", s);
	return true;
}

static bool read_loc(Reader *r, Loc *out)
{
	Loc l = LOC_NONE;
	*out = l;
	if (!accept(r, "@"))
		return true;
	if (!read_count(r, UINT32_MAX - 1, &l.file) || !expect(r, ":") ||
	    !read_count(r, UINT32_MAX, &l.line) || !expect(r, ":") ||
	    !read_count(r, UINT32_MAX, &l.col) || !expect(r, "+") ||
	    !read_count(r, UINT32_MAX, &l.len))
		return false;
	if (!l.line || !l.col || !l.len)
		return bad(r, "lines, columns and lengths count from 1");
	*out = l;
	return true;
}

/* From the number that the text uses to the context's. */
static bool resolve_loc(Reader *r, Loc *l)
{
	if (!l->line)
		return true;
	if (l->file >= r->sources.n)
		return bad(r, "source %u is not declared", l->file);
	l->file = r->sources.p[l->file];
	return true;
}

static bool read_known_loc(Reader *r, Loc *out)
{
	return read_loc(r, out) && resolve_loc(r, out);
}

static bool read_ex(Reader *r, Ex *out)
{
	skip_blanks(r);
	const char *s = r->s;
	const char *error = ex_parse(&r->p->ex, &s, false, out);
	if (!error) {
		r->s = s;
		return true;
	}
	if (s <= r->end)
		r->s = s;
	return bad(r, "%s", error);
}

/* [a, b, ...] of at most TN_MAX_RANK items, each read by `item`. */
static bool read_list(Reader *r, bool (*item)(Reader *, Value *, uint32_t),
		      Value *v, uint32_t *n)
{
	*n = 0;
	if (!expect(r, "["))
		return false;
	if (accept(r, "]"))
		return true;
	do {
		if (*n == TN_MAX_RANK)
			return bad(r, "more than %d items", TN_MAX_RANK);
		if (!item(r, v, *n))
			return false;
		++*n;
	} while (accept(r, ","));
	return expect(r, "]");
}

/* ---- attributes ------------------------------------------------------ */

/* A list of as many items as the attribute must have. */
static bool read_exact(Reader *r, bool (*item)(Reader *, Value *, uint32_t),
		       Value *v, uint32_t want)
{
	uint32_t n;
	if (!read_list(r, item, v, &n))
		return false;
	if (n != want)
		return bad(r, "expected %u items, not %u", want, n);
	return true;
}

static bool has_acc(const Value *v)
{
	OpClass c = op_info[v->op].cls;
	return op_info[v->op].result == OPR_attr &&
	       (c == OPC_REDUCE || c == OPC_SCAN || c == OPC_CONTRACT);
}

static void print_acc(const Printer *w, const Value *v)
{
	buf_puts(w->b, dtype_info[v->acc].name);
}

static bool read_dtype(Reader *r, DType *out)
{
	const char *name;
	skip_blanks(r);
	Reader at = *r;
	if (!read_word(r, &name))
		return false;
	return dtype_parse(name, out) || bad(&at, "`%s` is no dtype", name);
}

static bool read_acc(Reader *r, Value *v)
{
	return read_dtype(r, &v->acc);
}

static bool has_axes(const Value *v)
{
	return op_info[v->op].cls == OPC_REDUCE;
}

static void print_axes(const Printer *w, const Value *v)
{
	const char *before = "";
	buf_putc(w->b, '[');
	for (unsigned d = 0; d < 32; d++)
		if (v->axes >> d & 1) {
			buf_printf(w->b, "%s%u", before, d);
			before = ", ";
		}
	buf_putc(w->b, ']');
}

static bool read_axes_item(Reader *r, Value *v, uint32_t i)
{
	uint32_t d;
	(void)i;
	if (!read_count(r, TN_MAX_RANK - 1, &d))
		return false;
	if (v->axes >> d & 1)
		return bad(r, "axis %u is named twice", d);
	v->axes |= 1u << d;
	return true;
}

static bool read_axes(Reader *r, Value *v)
{
	uint32_t n;
	return read_list(r, read_axes_item, v, &n);
}

static bool has_axis(const Value *v)
{
	return v->op == OP_IOTA || v->op == OP_CONCAT || v->op == OP_GATHER ||
	       v->op == OP_SCATTER || v->op == OP_SCATTER_ADD ||
	       op_info[v->op].cls == OPC_SCAN;
}

static void print_axis(const Printer *w, const Value *v)
{
	buf_printf(w->b, "%u", v->axis);
}

static bool read_axis(Reader *r, Value *v)
{
	return read_count(r, TN_MAX_RANK - 1, &v->axis);
}

static bool has_index(const Value *v)
{
	return v->op == OP_INPUT;
}

static void print_index(const Printer *w, const Value *v)
{
	buf_printf(w->b, "%u", v->index);
}

static bool read_index(Reader *r, Value *v)
{
	return read_count(r, UINT32_MAX, &v->index);
}

static bool has_perm(const Value *v)
{
	return v->op == OP_TRANSPOSE;
}

static void print_perm(const Printer *w, const Value *v)
{
	buf_putc(w->b, '[');
	for (int d = 0; d < v->rank; d++)
		buf_printf(w->b, "%s%d", d ? ", " : "", v->perm[d]);
	buf_putc(w->b, ']');
}

static bool read_perm_item(Reader *r, Value *v, uint32_t i)
{
	uint32_t d;
	if (!read_count(r, TN_MAX_RANK - 1, &d))
		return false;
	v->perm[i] = (uint8_t)d;
	return true;
}

static bool read_perm(Reader *r, Value *v)
{
	return read_exact(r, read_perm_item, v, v->rank);
}

static void print_exprs(const Printer *w, const Ex *e, int n)
{
	buf_putc(w->b, '[');
	for (int d = 0; d < n; d++) {
		buf_puts(w->b, d ? ", " : "");
		ex_print(w->b, &w->p->ex, e[d]);
	}
	buf_putc(w->b, ']');
}

static bool has_start(const Value *v)
{
	return v->op == OP_SLICE || v->op == OP_PAD;
}

static void print_start(const Printer *w, const Value *v)
{
	print_exprs(w, v->start, v->rank);
}

static bool read_start_item(Reader *r, Value *v, uint32_t i)
{
	return read_ex(r, &v->start[i]);
}

static bool read_start(Reader *r, Value *v)
{
	return read_exact(r, read_start_item, v, v->rank);
}

static bool has_step(const Value *v)
{
	return v->op == OP_SLICE;
}

static void print_step(const Printer *w, const Value *v)
{
	buf_putc(w->b, '[');
	for (int d = 0; d < v->rank; d++)
		buf_printf(w->b, "%s%lld", d ? ", " : "",
			   (long long)v->step[d]);
	buf_putc(w->b, ']');
}

static bool read_step_item(Reader *r, Value *v, uint32_t i)
{
	return read_number(r, &v->step[i]);
}

static bool read_step(Reader *r, Value *v)
{
	return read_exact(r, read_step_item, v, v->rank);
}

static bool has_map(const Value *v)
{
	return v->op == OP_VIEW;
}

static void print_map(const Printer *w, const Value *v)
{
	print_exprs(w, v->map, program_value(w->p, v->args[0])->rank);
}

static bool read_map_item(Reader *r, Value *v, uint32_t i)
{
	return read_ex(r, &v->map[i]);
}

static bool read_map(Reader *r, Value *v)
{
	return read_exact(r, read_map_item, v,
			  program_value(r->p, v->args[0])->rank);
}

static bool has_data(const Value *v)
{
	return v->op == OP_CONST;
}

static void print_data(const Printer *w, const Value *v)
{
	const char *p = v->data;
	size_t size = (size_t)dtype_info[v->dtype].bytes;
	if (!v->rank) {
		number_print(w->b, v->dtype, p);
		return;
	}
	bool list = v->data_size <= size * LIST_LIMIT;
	buf_puts(w->b, list ? "[" : "hex\"");
	for (size_t i = 0; i < v->data_size; i += list ? size : 1) {
		if (!list) {
			buf_printf(w->b, "%02x", (unsigned char)p[i]);
			continue;
		}
		buf_puts(w->b, i ? ", " : "");
		number_print(w->b, v->dtype, p + i);
	}
	buf_putc(w->b, list ? ']' : '"');
}

static bool read_element(Reader *r, const Value *v, Buf *b)
{
	uint64_t bits;
	skip_blanks(r);
	const char *s = r->s;
	const char *error = number_parse(&s, v->dtype, &bits);
	if (error)
		return bad(r, "%s", error);
	r->s = s;
	buf_write(b, &bits, (size_t)dtype_info[v->dtype].bytes);
	return true;
}

static bool read_hex(Reader *r, Buf *b)
{
	static const char digits[] = "0123456789abcdef";
	while (*r->s != '"') {
		const char *hi = *r->s ? strchr(digits, r->s[0]) : NULL;
		const char *lo = hi && r->s[1] ? strchr(digits, r->s[1]) : NULL;
		if (!lo)
			return bad(r, "expected two hex digits");
		buf_putc(b, (char)((hi - digits) << 4 | (lo - digits)));
		r->s += 2;
	}
	r->s++;
	return true;
}

/* The number of bytes is checked by inference against the shape. */
static bool read_data(Reader *r, Value *v)
{
	Buf b;
	buf_init(&b, r->p->arena);
	bool ok = true;
	if (!v->rank) {
		ok = read_element(r, v, &b);
	} else if (accept(r, "hex\"")) {
		ok = read_hex(r, &b);
	} else {
		ok = expect(r, "[");
		if (ok && !accept(r, "]")) {
			do
				ok = read_element(r, v, &b);
			while (ok && accept(r, ","));
			ok = ok && expect(r, "]");
		}
	}
	v->data = b.p;
	v->data_size = b.n;
	return ok;
}

static bool has_file(const Value *v)
{
	return v->op == OP_WEIGHT;
}

static void print_file(const Printer *w, const Value *v)
{
	print_quoted(w->b, v->file);
}

static bool read_file(Reader *r, Value *v)
{
	return read_quoted(r, &v->file);
}

static bool has_tensor(const Value *v)
{
	return v->tensor != NULL;
}

static void print_tensor(const Printer *w, const Value *v)
{
	print_quoted(w->b, v->tensor);
}

static bool read_tensor(Reader *r, Value *v)
{
	if (v->op != OP_WEIGHT)
		return bad(r, "only a weight has a tensor's name");
	return read_quoted(r, &v->tensor);
}

static bool has_via(const Value *v)
{
	return v->via != NULL;
}

static void print_via(const Printer *w, const Value *v)
{
	print_word(w->b, v->via);
}

static bool read_via(Reader *r, Value *v)
{
	return read_word(r, &v->via);
}

static bool has_relax(const Value *v)
{
	return v->relax != 0;
}

static void print_relax(const Printer *w, const Value *v)
{
	const char *before = "";
	buf_putc(w->b, '[');
	for (size_t i = 0; i < ARRAY_LEN(relax_table); i++)
		if (v->relax & relax_table[i].bit) {
			buf_printf(w->b, "%s%s", before, relax_table[i].name);
			before = ", ";
		}
	buf_putc(w->b, ']');
}

static bool read_relax_item(Reader *r, Value *v, uint32_t k)
{
	const char *name;
	(void)k;
	skip_blanks(r);
	Reader at = *r;
	if (!read_word(r, &name))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(relax_table); i++)
		if (strcmp(name, relax_table[i].name) == 0) {
			v->relax |= relax_table[i].bit;
			return true;
		}
	return bad(&at, "`%s` is no relaxation", name);
}

static bool read_relax(Reader *r, Value *v)
{
	uint32_t n;
	return read_list(r, read_relax_item, v, &n);
}

static const struct {
	const char *name;
	bool must; /* an op that has it always writes it */
	bool (*has)(const Value *v);
	void (*print)(const Printer *w, const Value *v);
	bool (*read)(Reader *r, Value *v);
} attr_table[] = {
	{"index=", true, has_index, print_index, read_index},
	{"acc=", true, has_acc, print_acc, read_acc},
	{"axes=", true, has_axes, print_axes, read_axes},
	{"axis=", true, has_axis, print_axis, read_axis},
	{"perm=", true, has_perm, print_perm, read_perm},
	{"start=", true, has_start, print_start, read_start},
	{"step=", true, has_step, print_step, read_step},
	{"map=", true, has_map, print_map, read_map},
	{"data=", true, has_data, print_data, read_data},
	{"file=", true, has_file, print_file, read_file},
	{"tensor=", false, has_tensor, print_tensor, read_tensor},
	{"via=", false, has_via, print_via, read_via},
	{"relax=", false, has_relax, print_relax, read_relax},
};

/* ---- values ---------------------------------------------------------- */

static void print_value(const Printer *w, ValueId id)
{
	Buf *b = w->b;
	const Value *v = program_value(w->p, id);
	buf_printf(b, "%%%u", id);
	if (v->name) {
		buf_putc(b, ' ');
		print_word(b, v->name);
	}
	buf_puts(b, ": ");
	program_print_type(b, w->p, v);
	buf_printf(b, " = %s", op_info[v->op].name);
	for (uint32_t k = 0; k < v->nargs; k++)
		buf_printf(b, " %%%u", v->args[k]);
	for (size_t i = 0; i < ARRAY_LEN(attr_table); i++)
		if (attr_table[i].has(v)) {
			buf_printf(b, " %s", attr_table[i].name);
			attr_table[i].print(w, v);
		}
	print_loc(w, v->loc);
	buf_putc(b, '\n');
}

static bool read_value_id(Reader *r, ValueId *out)
{
	skip_blanks(r);
	Reader at = *r;
	if (!expect(r, "%") || !read_count(r, UINT32_MAX - 1, out))
		return false;
	if (*out >= r->p->values.n)
		return bad(&at, "there is no value %%%u before this", *out);
	return true;
}

static bool read_shape_item(Reader *r, Value *v, uint32_t i)
{
	Reader at = *r;
	if (!read_ex(r, &v->shape[i]))
		return false;
	if (ex_uses_any_axis(&r->p->ex, v->shape[i]))
		return bad(&at, "an extent names an axis");
	return true;
}

static bool read_type(Reader *r, Value *v)
{
	uint32_t rank = 0;
	if (!read_dtype(r, &v->dtype))
		return false;
	if (*r->s == '[' && !read_list(r, read_shape_item, v, &rank))
		return false;
	v->rank = (uint8_t)rank;
	return true;
}

static bool read_operands(Reader *r, Value *v)
{
	VEC(ValueId) args = {0};
	int arity = op_info[v->op].arity;
	for (skip_blanks(r); *r->s == '%'; skip_blanks(r)) {
		ValueId id;
		if (args.n == MAX_NAMES)
			return bad(r, "more than %d operands", MAX_NAMES);
		if (!read_value_id(r, &id))
			return false;
		VEC_PUSH(r->p->arena, args, id);
	}
	v->args = args.p;
	v->nargs = (uint32_t)args.n;
	/* the attributes below look at operands */
	if (arity < 0 ? !args.n : args.n != (size_t)arity)
		return bad(r, "`%s` takes %s%d operands, not %zu",
			   op_info[v->op].name, arity < 0 ? "at least " : "",
			   arity < 0 ? 1 : arity, args.n);
	return true;
}

static bool read_attributes(Reader *r, Value *v)
{
	for (size_t i = 0; i < ARRAY_LEN(attr_table); i++) {
		bool must = attr_table[i].must;
		if (must && !attr_table[i].has(v))
			continue;
		if (accept(r, attr_table[i].name)) {
			if (!attr_table[i].read(r, v))
				return false;
		} else if (must) {
			return bad(r, "`%s` needs %s here", op_info[v->op].name,
				   attr_table[i].name);
		}
	}
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
	Loc at = here(r);
	if (!expect(r, "%") || !read_count(r, UINT32_MAX - 1, &id))
		return false;
	if (id != p->values.n)
		return diag_error(r->ctx, at, NULL,
				  "this is value %%%zu, not %%%u", p->values.n,
				  id);
	skip_blanks(r);
	if (*r->s != ':' && !read_word(r, &v.name))
		return false;
	if (!expect(r, ":") || !read_type(r, &v) || !expect(r, "="))
		return false;
	skip_blanks(r);
	Reader op_at = *r;
	if (!read_word(r, &op))
		return false;
	if (!op_parse(op, &v.op))
		return bad(&op_at, "`%s` is no op", op);
	if (!read_operands(r, &v) || !read_attributes(r, &v) ||
	    !read_known_loc(r, &v.loc) || !read_end(r) ||
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
	if (!read_count(r, UINT32_MAX - 1, &n) || !read_quoted(r, &name))
		return false;
	if (n != r->sources.n || n >= MAX_NAMES)
		return bad(r, "sources count up: this is number %zu",
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
	if (!read_dim_name(r, &name) || !expect(r, "in ") ||
	    !read_number(r, &lo) || !expect(r, "..") || !read_number(r, &hi) ||
	    !read_known_loc(r, &loc))
		return false;
	if (find_dim(r, name, &i) || r->p->ex.dims.n >= MAX_NAMES)
		return bad(r, "dim %s is declared twice, or one too many",
			   name);
	if (lo < 0 || hi < lo)
		return bad(r, "a dim's range is empty or negative");
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
		return bad(r, "more than %d sets of dims", MAX_NAMES);
	if (!read_word(r, &s.name))
		return false;
	for (skip_blanks(r); is_word_start(*r->s); skip_blanks(r)) {
		const char *name;
		size_t i;
		if (!read_dim_name(r, &name))
			return false;
		if (!find_dim(r, name, &i) || values[i] >= 0)
			return bad(r, "%s is no dim, or bound twice", name);
		if (!expect(r, "=") || !read_number(r, &values[i]))
			return false;
		if (values[i] < 0)
			return bad(r, "a dim cannot be negative");
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
			return bad(r, "more than %d results", MAX_NAMES);
		if (!read_value_id(r, &x.value) || !expect(r, "as ") ||
		    !read_word(r, &x.name) || !read_known_loc(r, &x.loc))
			return false;
		VEC_PUSH(p->arena, p->results, x);
	} while (accept(r, ","));
	r->returned = true;
	return true;
}

static bool read_donate(Reader *r)
{
	do {
		ValueId v;
		if (r->p->donated.n >= MAX_NAMES)
			return bad(r, "more than %d donated inputs", MAX_NAMES);
		if (!read_value_id(r, &v))
			return false;
		VEC_PUSH(r->p->arena, r->p->donated, v);
	} while (accept(r, ","));
	return true;
}

static bool read_line(Reader *r)
{
	bool ok;
	skip_blanks(r);
	if (*r->s == '%' && !r->returned)
		ok = read_value(r);
	else if (accept(r, "source ") && !r->p->values.n)
		ok = read_source(r);
	else if (accept(r, "dim ") && !r->p->values.n && !r->p->dimsets.n)
		ok = read_dim(r);
	else if (accept(r, "dimset ") && !r->p->values.n)
		ok = read_dimset(r);
	else if (accept(r, "return ") && !r->returned)
		ok = read_return(r);
	else if (accept(r, "donate ") && r->returned && !r->p->donated.n)
		ok = read_donate(r);
	else
		return bad(r, "this line is not expected here");
	return ok && read_end(r);
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
	Loc first = here(r), loc;
	if (!expect(r, "program ") || !read_word(r, &name) ||
	    !read_loc(r, &loc) || !read_end(r))
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
		return bad(r, "a NUL byte in the text");
	if (!r->returned)
		return bad(r, "expected `return`");
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

void program_print(const Program *p, Buf *b)
{
	Printer w = {b, p, NULL, 0};
	number_sources(&w);
	buf_puts(b, "program ");
	print_word(b, p->name);
	print_loc(&w, p->loc);
	buf_putc(b, '\n');
	print_sources(&w);
	print_dims(&w);
	for (size_t i = 0; i < p->values.n; i++)
		print_value(&w, (ValueId)i);
	for (size_t i = 0; i < p->results.n; i++) {
		const Result *x = &p->results.p[i];
		buf_printf(b, "%s%%%u as ", i ? ", " : "return ", x->value);
		print_word(b, x->name);
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
