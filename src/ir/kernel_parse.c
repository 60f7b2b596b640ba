/*
 * kernel_parse: reads what kernel_text.c prints.
 *
 * The text is one statement a line. The program's part is handed to
 * program_parse() as a source of its own; the rest is read here by
 * recursive descent over blocks. Any bytes are survived: ids are bounded
 * before arrays are sized by them, nesting is bounded, and what reads well
 * is given to the verifier, which trusts nothing.
 */
#include "ir/kernel_text.h"

#include "ir/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ID      (1 << 20) /* of a variable or an axis */
#define MAX_NESTING 64

typedef struct Parser {
	Ctx *ctx;
	Arena *arena;
	uint32_t source;
	const char *text, *s;
	Kernels *ks;
	Kernel *k;
	const Phase *phase;
	StrMap *buffers;
	VEC(DType) dtypes; /* of variables, DT_COUNT: not declared */
} Parser;

/* ---- words ----------------------------------------------------------- */

TN_PRINTF(2, 3) static bool error(Parser *p, const char *fmt, ...)
{
	Loc loc = {p->source, 1, 1, 1};
	va_list ap;

	for (const char *c = p->text; c < p->s; c++) {
		loc.col++;
		if (*c == '\n') {
			loc.line++;
			loc.col = 1;
		}
	}
	va_start(ap, fmt);
	const char *text = arena_vprintf(p->arena, fmt, ap);
	va_end(ap);
	return diag_error(p->ctx, loc, NULL, "%s", text);
}

static void skip(Parser *p)
{
	while (*p->s == ' ' || *p->s == '\t')
		p->s++;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

/* Takes the text if it is next; after a word no letter may follow. */
static bool take(Parser *p, const char *text)
{
	size_t n = strlen(text);

	skip(p);
	if (strncmp(p->s, text, n) != 0 ||
	    (is_word(text[n - 1]) && is_word(p->s[n])))
		return false;
	p->s += n;
	return true;
}

static bool expect(Parser *p, const char *text)
{
	return take(p, text) || error(p, "expected `%s`", text);
}

static bool end_of_line(Parser *p)
{
	skip(p);
	if (*p->s != '\n')
		return error(p, "expected the end of the line");
	p->s++;
	return true;
}

static bool word(Parser *p, const char **out)
{
	skip(p);
	const char *start = p->s;
	while (is_word(*p->s))
		p->s++;
	if (p->s == start)
		return error(p, "expected a name");
	*out = arena_strndup(p->arena, start, (size_t)(p->s - start));
	return true;
}

/* A decimal number that follows at once. */
static bool number(Parser *p, int64_t max, int64_t *out)
{
	char *end;

	if (*p->s < '0' || *p->s > '9')
		return error(p, "expected a number");
	errno = 0;
	long long v = strtoll(p->s, &end, 10);
	if (errno || v > max)
		return error(p, "the number is too large");
	p->s = end;
	*out = v;
	return true;
}

/* A letter and a number, as in v12, i3, %5. */
static bool id(Parser *p, char letter, int64_t max, int64_t *out)
{
	skip(p);
	if (*p->s != letter)
		return error(p, "expected %c and a number", letter);
	p->s++;
	return number(p, max, out);
}

static bool dtype(Parser *p, DType *out)
{
	const char *name;

	if (!word(p, &name))
		return false;
	return dtype_parse(name, out) || error(p, "no dtype `%s`", name);
}

static bool expression(Parser *p, Ex *out)
{
	skip(p);
	const char *why = ex_parse(&p->ks->program->ex, &p->s, false, out);
	return !why || error(p, "%s", why);
}

static bool axis(Parser *p, int64_t *out)
{
	if (!id(p, 'i', MAX_ID, out))
		return false;
	if (*out >= p->k->naxes)
		p->k->naxes = *out + 1;
	return true;
}

static bool value(Parser *p, ValueId *out)
{
	int64_t v;

	if (!id(p, '%', (int64_t)p->ks->program->values.n - 1, &v))
		return false;
	*out = (ValueId)v;
	return true;
}

/* A string as buf_json_string() writes it. */
static bool string(Parser *p, const char **out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	Buf b;

	if (!expect(p, "\""))
		return false;
	buf_init(&b, p->arena);
	while (*p->s != '"') {
		if (*p->s == 0 || *p->s == '\n')
			return error(p, "the string does not end");
		if ((unsigned char)*p->s > 127)
			return error(p, "the string is not ASCII");
		if (*p->s != '\\') {
			buf_putc(&b, *p->s++);
			continue;
		}
		const char *at = p->s[1] ? strchr(from, p->s[1]) : NULL;
		if (at) {
			buf_putc(&b, to[at - from]);
			p->s += 2;
			continue;
		}
		unsigned code = 0;
		if (p->s[1] != 'u')
			return error(p, "no such escape");
		for (int i = 2; i < 6; i++) {
			static const char hex[] = "0123456789abcdef";
			const char *h = p->s[i] ? strchr(hex, p->s[i]) : NULL;
			if (!h)
				return error(p, "no such escape");
			code = code << 4 | (unsigned)(h - hex);
		}
		if (code == 0 || code > 127)
			return error(p, "no such escape");
		buf_putc(&b, (char)code);
		p->s += 6;
	}
	p->s++;
	*out = arena_strdup(p->arena, buf_str(&b));
	return true;
}

/* ---- statements ------------------------------------------------------ */

static bool variable(Parser *p, VarId *out)
{
	int64_t v;

	if (!id(p, 'v', MAX_ID, &v))
		return false;
	*out = (VarId)v;
	if (*out >= p->k->nvars)
		p->k->nvars = *out + 1;
	while (p->dtypes.n < p->k->nvars)
		VEC_PUSH(p->arena, p->dtypes, DT_COUNT);
	return true;
}

/* Variables up to the next thing that is none. */
static bool arguments(Parser *p, Stmt *s)
{
	skip(p);
	while (*p->s == 'v') {
		if (s->nargs == ARRAY_LEN(s->args))
			return error(p, "too many arguments");
		if (!variable(p, &s->args[s->nargs++]))
			return false;
		skip(p);
	}
	return true;
}

static bool conditions(Parser *p, Stmt *s)
{
	VEC(Ex) conds = {0};

	do {
		Ex e;
		if (!expression(p, &e) || !expect(p, ">=") || !expect(p, "0"))
			return false;
		VEC_PUSH(p->arena, conds, e);
	} while (take(p, ","));
	s->conds = conds.p;
	s->nconds = (uint32_t)conds.n;
	return true;
}

static bool named_buffer(Parser *p, uint32_t *out)
{
	const char *name;

	return word(p, &name) && (strmap_get(p->buffers, name, out) ||
				  error(p, "no buffer `%s`", name));
}

/* name[index, ...] */
static bool access(Parser *p, Stmt *s)
{
	if (!named_buffer(p, &s->buffer) || !expect(p, "["))
		return false;
	while (!take(p, "]")) {
		if (s->nindex && !expect(p, ","))
			return false;
		if (s->nindex == K_MAX_RANK)
			return error(p, "too many indices");
		if (!expression(p, &s->index[s->nindex++]))
			return false;
	}
	s->dtype = p->k->buffers.p[s->buffer].dtype;
	return true;
}

/* The dtype that an argument was declared with. */
static bool argument_dtype(Parser *p, VarId v, DType *out)
{
	*out = p->dtypes.p[v];
	return *out != DT_COUNT || error(p, "v%u is not declared", v);
}

static bool operand(Parser *p, KOperand *o)
{
	Stmt s = {0};

	if (!access(p, &s))
		return false;
	o->buffer = s.buffer;
	o->nindex = s.nindex;
	memcpy(o->index, s.index, sizeof(o->index));
	return true;
}

static bool extent_number(Parser *p, int64_t *out)
{
	skip(p);
	return number(p, MAX_ID, out);
}

static bool copy(Parser *p, Stmt *s)
{
	KCopy *c = arena_new(p->arena, KCopy);
	int64_t width;

	s->kind = ST_COPY;
	s->copy = c;
	if (!access(p, s) || !expect(p, "=") || !operand(p, &c->from) ||
	    !expect(p, "x"))
		return false;
	skip(p);
	if (!number(p, 16, &width))
		return false;
	c->width = (int)width;
	c->async = take(p, "async");
	s->stream = take(p, "stream");
	return !take(p, "where") || conditions(p, s);
}

/* [x, y, ...], at most `most` of them; their number in n. */
static bool expressions(Parser *p, Ex *out, int most, uint8_t *n)
{
	*n = 0;
	if (!expect(p, "["))
		return false;
	while (!take(p, "]")) {
		if (*n && !expect(p, ","))
			return false;
		if (*n == most)
			return error(p, "too many expressions");
		if (!expression(p, &out[(*n)++]))
			return false;
	}
	return true;
}

static bool box(Parser *p, Stmt *s)
{
	KBox *b = arena_new(p->arena, KBox);
	int64_t map;
	uint8_t rank;

	s->kind = ST_BOX;
	s->box = b;
	if (!access(p, s) || !expect(p, "=") || !expect(p, "map"))
		return false;
	skip(p);
	if (!number(p, MAX_ID, &map) ||
	    !expressions(p, b->at, MAP_MAX_RANK, &rank))
		return false;
	b->map = (uint32_t)map;
	if (b->map >= p->phase->maps.n || rank != p->phase->maps.p[b->map].rank)
		return error(p, "no such map");
	return !take(p, "where") || conditions(p, s);
}

/* wait 2, settle 1 */
static bool how_many(Parser *p, Stmt *s, StmtKind kind)
{
	int64_t n;

	s->kind = kind;
	skip(p);
	if (!number(p, MAX_ID, &n))
		return false;
	s->bit = (int)n;
	return true;
}

static bool dot(Parser *p, Stmt *s)
{
	KDot *d = arena_new(p->arena, KDot);
	const char *name;

	s->kind = ST_DOT;
	s->dot = d;
	if (!word(p, &name))
		return false;
	if (!unit_parse(name, &d->unit))
		return error(p, "no matrix unit `%s`", name);
	if (!dtype(p, &s->from) || !access(p, s))
		return false;
	if (!expect(p, "+=") || !operand(p, &d->in[0]))
		return false;
	d->flat = take(p, "flat");
	d->turned[0] = take(p, "turned");
	if (!operand(p, &d->in[1]))
		return false;
	d->turned[1] = take(p, "turned");
	return expect(p, "tile") && extent_number(p, &d->rows) &&
	       expect(p, "x") && extent_number(p, &d->columns) &&
	       expect(p, "steps") && expression(p, &d->steps) &&
	       expect(p, "before") && expression(p, &d->before) &&
	       (!take(p, "down") || extent_number(p, &d->down));
}

/* word.16 v3 v4, part.1 v3 */
static bool element_bits(Parser *p, Stmt *s, StmtKind kind)
{
	int64_t bit;

	s->kind = kind;
	if (!number(p, 31, &bit) || !arguments(p, s))
		return false;
	s->bit = (int)bit;
	if (!s->nargs)
		return error(p, "expected a variable");
	return argument_dtype(p, s->args[0], &s->from);
}

static bool constant(Parser *p, Stmt *s)
{
	void *data = arena_alloc(p->arena, 8, 8);

	skip(p);
	s->data = data;
	const char *why = number_parse(&p->s, s->dtype, data);
	return !why || error(p, "%s", why);
}

static bool operation(Parser *p, Stmt *s)
{
	const char *name;

	if (!word(p, &name))
		return false;
	if (!op_parse(name, &s->op))
		return error(p, "no operation `%s`", name);
	s->from = s->dtype;
	if (s->kind == ST_OP && *p->s == '.') {
		p->s++;
		if (!dtype(p, &s->from))
			return false;
	}
	return arguments(p, s);
}

/* What follows `v3: f32 = `. */
static bool right(Parser *p, Stmt *s)
{
	DType declared = s->dtype;

	if (take(p, "load")) {
		s->kind = ST_LOAD;
		if (!access(p, s))
			return false;
		s->dtype = declared;
		return !take(p, "where") || conditions(p, s);
	}
	if (take(p, "mac")) {
		s->kind = ST_MAC;
		s->from = s->dtype;
		return arguments(p, s);
	}
	if (take(p, "word."))
		return element_bits(p, s, ST_WORD);
	if (take(p, "part."))
		return element_bits(p, s, ST_PART);
	if (take(p, "const")) {
		s->kind = ST_CONST;
		return constant(p, s);
	}
	if (take(p, "index")) {
		s->kind = ST_INDEX;
		return expression(p, &s->ex);
	}
	if (take(p, "test")) {
		s->kind = ST_TEST;
		return conditions(p, s);
	}
	bool dropped = take(p, "unrounded");
	if (dropped || take(p, "boundary")) {
		s->kind = dropped ? ST_KEEP : ST_ROUND;
		return arguments(p, s) &&
		       (s->nargs == 1 || error(p, "expected a variable")) &&
		       argument_dtype(p, s->args[0], &s->from);
	}
	if (take(p, "acc")) {
		s->kind = ST_ACC;
		return operation(p, s);
	}
	if (take(p, "accum")) {
		s->kind = ST_ACCUM;
		return operation(p, s);
	}
	if (take(p, "arg")) {
		s->kind = ST_ARG;
		return operation(p, s) &&
		       (s->nargs == 2 || error(p, "expected two variables")) &&
		       argument_dtype(p, s->args[0], &s->from) &&
		       expect(p, "at") && expression(p, &s->ex);
	}
	s->kind = ST_OP;
	if (!operation(p, s))
		return false;
	return !kstmt_may_fault(s) ||
	       (expect(p, "at") && expression(p, &s->ex));
}

static bool block(Parser *p, StmtList *l, int nesting);

static bool loop(Parser *p, Stmt *s, int nesting)
{
	int64_t lanes = 1;

	s->kind = ST_FOR;
	if (!axis(p, &s->axis) || !expect(p, "<") || !expression(p, &s->extent))
		return false;
	int m = 0;
	while (m < MAP_COUNT && !take(p, loop_map_name[m]))
		m++;
	if (m == MAP_COUNT)
		return error(p, "expected how the loop is mapped");
	s->map = (LoopMap)m;
	if (m == MAP_VECTOR || m == MAP_VUNROLL) {
		skip(p);
		if (!number(p, 1024, &lanes))
			return false;
	}
	s->lanes = (int)lanes;
	return expect(p, "{") && end_of_line(p) &&
	       block(p, &s->body, nesting) && end_of_line(p);
}

static bool branch(Parser *p, Stmt *s, int nesting)
{
	s->kind = ST_IF;
	if (!conditions(p, s) || !expect(p, "{") || !end_of_line(p) ||
	    !block(p, &s->body, nesting))
		return false;
	if (take(p, "else") && (!expect(p, "{") || !end_of_line(p) ||
				!block(p, &s->orelse, nesting)))
		return false;
	return end_of_line(p);
}

static bool simple(Parser *p, Stmt *s)
{
	if (take(p, "store")) {
		s->kind = ST_STORE;
		if (!access(p, s) || !expect(p, "=") || !arguments(p, s))
			return false;
		s->stream = take(p, "stream");
		if (s->stream && take(p, "where") && !conditions(p, s))
			return false;
	} else if (take(p, "ahead")) {
		s->kind = ST_AHEAD;
		if (!access(p, s) || (take(p, "where") && !conditions(p, s)))
			return false;
	} else if (take(p, "dot")) {
		if (!dot(p, s))
			return false;
	} else if (take(p, "barrier")) {
		s->kind = ST_BARRIER;
	} else if (take(p, "copy")) {
		if (!copy(p, s))
			return false;
	} else if (take(p, "wait")) {
		if (!how_many(p, s, ST_WAIT))
			return false;
	} else if (take(p, "settle")) {
		if (!how_many(p, s, ST_SETTLE))
			return false;
	} else if (take(p, "runs")) {
		s->kind = ST_RUNS;
		if (!named_buffer(p, &s->buffer) || !expect(p, "=") ||
		    !named_buffer(p, &s->sums))
			return false;
		s->dtype = p->k->buffers.p[s->buffer].dtype;
	} else if (take(p, "free")) {
		s->kind = ST_FREE;
	} else if (take(p, "box")) {
		if (!box(p, s))
			return false;
	} else if (*p->s == 'i') {
		s->kind = ST_BOUND;
		if (!axis(p, &s->axis) || !expect(p, "=") ||
		    !expect(p, "bound") || !arguments(p, s) ||
		    !expect(p, "<") || !expression(p, &s->extent))
			return false;
		if (s->nargs != 1)
			return error(p, "expected a variable");
		if (!argument_dtype(p, s->args[0], &s->from))
			return false;
	} else {
		if (!variable(p, &s->var) || !expect(p, ":") ||
		    !dtype(p, &s->dtype) || !expect(p, "=") || !right(p, s))
			return false;
		if (s->kind != ST_ACCUM && s->kind != ST_ARG)
			p->dtypes.p[s->var] = s->dtype;
	}
	if (take(p, "as") && !value(p, &s->value))
		return false;
	return end_of_line(p);
}

/* Statements up to the closing brace, which it takes. */
static bool block(Parser *p, StmtList *l, int nesting)
{
	if (nesting > MAX_NESTING)
		return error(p, "blocks nest too deeply");
	while (!take(p, "}")) {
		Stmt *s = arena_new(p->arena, Stmt);
		s->var = NO_VAR;
		s->value = NO_VALUE;
		bool ok = take(p, "for")  ? loop(p, s, nesting + 1)
			  : take(p, "if") ? branch(p, s, nesting + 1)
					  : simple(p, s);
		if (!ok)
			return false;
		VEC_PUSH(p->arena, *l, s);
	}
	return true;
}

/* ---- kernels --------------------------------------------------------- */

static bool buffer(Parser *p)
{
	KBuffer b = {.value = NO_VALUE};
	uint32_t other;
	int scope = 0;

	while (scope < SCOPE_COUNT && !take(p, buf_scope_name[scope]))
		scope++;
	if (scope == SCOPE_COUNT)
		return error(p, "expected the buffer's scope");
	b.scope = (BufScope)scope;
	if (!word(p, &b.name) || !expect(p, ":") || !dtype(p, &b.dtype) ||
	    !expect(p, "["))
		return false;
	while (!take(p, "]")) {
		if (b.rank && !expect(p, ","))
			return false;
		if (b.rank == K_MAX_RANK)
			return error(p, "the rank is too large");
		if (!expression(p, &b.shape[b.rank++]))
			return false;
	}
	skip(p);
	if (*p->s == '%' && !value(p, &b.value))
		return false;
	b.swizzled = take(p, "swizzled");
	b.late = take(p, "late");
	if (strmap_get(p->buffers, b.name, &other))
		return error(p, "two buffers `%s`", b.name);
	strmap_set(p->buffers, b.name, (uint32_t)p->k->buffers.n);
	VEC_PUSH(p->arena, p->k->buffers, b);
	return end_of_line(p);
}

static bool map(Parser *p, Phase *ph)
{
	KMap m = {0};
	uint8_t strides;

	if (!named_buffer(p, &m.buffer) || !expect(p, "from") ||
	    !expression(p, &m.first) || !expect(p, "shape") ||
	    !expressions(p, m.extent, MAP_MAX_RANK, &m.rank) ||
	    !expect(p, "by") ||
	    !expressions(p, m.stride, MAP_MAX_RANK, &strides) ||
	    !expect(p, "box") || !expect(p, "["))
		return false;
	if (strides != m.rank)
		return error(p, "expected %d strides", m.rank);
	for (int d = 0; d < m.rank; d++) {
		if (d && !expect(p, ","))
			return false;
		skip(p);
		if (!number(p, MAX_ID, &m.box[d]))
			return false;
	}
	if (!expect(p, "]"))
		return false;
	m.swizzled = take(p, "swizzled");
	VEC_PUSH(p->arena, ph->maps, m);
	return end_of_line(p);
}

/* ---- calls of libraries ---------------------------------------------- */

static bool extent(Parser *p, const char *what, Ex *out)
{
	return expect(p, what) && expression(p, out);
}

static bool matrix(Parser *p, const char *what, KMatrix *m)
{
	return expect(p, what) && named_buffer(p, &m->buffer) &&
	       extent(p, "from", &m->first) && extent(p, "by", &m->row) &&
	       extent(p, ",", &m->column) && extent(p, ",", &m->batch) &&
	       end_of_line(p);
}

static bool how_called(Parser *p, KCall *c)
{
	c->down = c->across = 1;
	if (c->library == LIBRARY_CUBLASLT)
		return expect(p, "algorithm") &&
		       extent_number(p, &c->algorithm) &&
		       expect(p, "workspace") && named_buffer(p, &c->workspace);
	return expect(p, "parts") && extent_number(p, &c->down) &&
	       expect(p, "x") && extent_number(p, &c->across);
}

/* What follows `phase main call`. */
static bool call(Parser *p, Phase *ph)
{
	KCall *c = arena_new(p->arena, KCall);
	int i = 0;

	ph->call = c;
	while (i < LIBRARY_COUNT && !take(p, library_info[i].name))
		i++;
	if (i == LIBRARY_COUNT)
		return error(p, "expected the name of a library");
	c->library = (Library)i;
	i = 0;
	while (i < COMPUTE_COUNT && !take(p, compute_name[i]))
		i++;
	if (i == COMPUTE_COUNT)
		return error(p, "expected what it computes in");
	c->compute = (KCompute)i;
	return how_called(p, c) && expect(p, "{") && end_of_line(p) &&
	       extent(p, "rows", &c->rows) &&
	       extent(p, "columns", &c->columns) &&
	       extent(p, "depth", &c->depth) &&
	       extent(p, "batches", &c->batches) && end_of_line(p) &&
	       matrix(p, "out", &c->out) && matrix(p, "left", &c->left) &&
	       matrix(p, "right", &c->right) && expect(p, "}") &&
	       expect(p, "as") && value(p, &c->value);
}

static bool foreign_arg(Parser *p, KForeign *f)
{
	KArg a = {.kind = KARG_TASK};
	int64_t n = 0;

	if (take(p, "dim")) {
		a.kind = KARG_DIM;
		if (!extent_number(p, &n))
			return false;
		a.n = (uint32_t)n;
	} else if (!take(p, "task")) {
		a.kind = KARG_BUFFER;
		if (!named_buffer(p, &a.n))
			return false;
	}
	VEC_PUSH(p->arena, f->args, a);
	return true;
}

/* What a kernel of CUDA has that a function of C has not. */
static bool foreign_block(Parser *p, Phase *ph, KForeign *f)
{
	int64_t n;

	if (take(p, "threads")) {
		skip(p);
		if (!number(p, KERNEL_MAX_THREADS, &n))
			return false;
		ph->threads = (int)n;
	}
	if (take(p, "shared")) {
		skip(p);
		if (!number(p, INT32_MAX, &f->shared))
			return false;
	}
	return true;
}

/* What follows `phase main foreign`. */
static bool foreign(Parser *p, Phase *ph)
{
	KForeign *f = arena_new(p->arena, KForeign);
	const char *line;
	Buf text;

	ph->foreign = f;
	if (!word(p, &f->name) || !expect(p, "symbol") ||
	    !word(p, &f->symbol) || !expect(p, "file") ||
	    !string(p, &f->file) || !foreign_block(p, ph, f) ||
	    !expect(p, "tasks") || !expression(p, &f->tasks) ||
	    !expect(p, "{") || !end_of_line(p) || !expect(p, "arguments"))
		return false;
	for (skip(p); *p->s != '\n' && *p->s; skip(p))
		if (!foreign_arg(p, f))
			return false;
	if (!end_of_line(p))
		return false;
	buf_init(&text, p->arena);
	while (!take(p, "}")) {
		if (!string(p, &line) || !end_of_line(p))
			return false;
		buf_printf(&text, "%s\n", line);
	}
	f->text = buf_str(&text);
	return true;
}

static bool phase(Parser *p)
{
	Phase ph = {0};

	p->phase = &ph;

	if (!word(p, &ph.name))
		return false;
	if (take(p, "call")) {
		if (!call(p, &ph))
			return false;
		VEC_PUSH(p->arena, p->k->phases, ph);
		return end_of_line(p);
	}
	if (take(p, "foreign")) {
		if (!foreign(p, &ph))
			return false;
		VEC_PUSH(p->arena, p->k->phases, ph);
		return end_of_line(p);
	}
	ph.once = take(p, "once");
	if (take(p, "threads")) {
		int64_t n;
		skip(p);
		if (!number(p, KERNEL_MAX_THREADS, &n))
			return false;
		ph.threads = (int)n;
	}
	if (take(p, "tasks")) {
		do {
			KAxis a;
			if (!axis(p, &a.axis) || !expect(p, "<") ||
			    !expression(p, &a.extent))
				return false;
			VEC_PUSH(p->arena, ph.tasks, a);
		} while (take(p, ","));
	}
	if (!expect(p, "{") || !end_of_line(p))
		return false;
	while (take(p, "map"))
		if (!map(p, &ph))
			return false;
	if (!block(p, &ph.body, 0))
		return false;
	VEC_PUSH(p->arena, p->k->phases, ph);
	return end_of_line(p);
}

static bool kernel(Parser *p)
{
	Kernel k = {0};
	int64_t region;

	p->k = &k;
	p->buffers = strmap_new(p->arena);
	p->dtypes.n = 0;
	if (!expect(p, "kernel") || !word(p, &k.name) ||
	    !word(p, &k.realisation) || !expect(p, "region"))
		return false;
	skip(p);
	if (!number(p, UINT32_MAX - 1, &region))
		return false;
	k.region = (uint32_t)region;
	skip(p);
	while (*p->s != '\n') {
		KParam par;
		if (take(p, "note")) {
			if (!string(p, &k.note))
				return false;
			break;
		}
		if (!word(p, &par.name) || !expect(p, "="))
			return false;
		bool neg = take(p, "-");
		if (!number(p, INT64_MAX, &par.value))
			return false;
		if (neg)
			par.value = -par.value;
		VEC_PUSH(p->arena, k.params, par);
		skip(p);
	}
	if (!end_of_line(p))
		return false;
	while (take(p, "buffer"))
		if (!buffer(p))
			return false;
	while (take(p, "phase"))
		if (!phase(p))
			return false;
	VEC_PUSH(p->arena, p->ks->kernels, k);
	return true;
}

/* Where the line `kernels` starts, NULL if there is none. */
static const char *kernels_line(const char *text)
{
	size_t n = strlen(KERNELS_LINE);

	for (const char *s = text; s; s = strchr(s, '\n')) {
		s += *s == '\n';
		if (!strncmp(s, KERNELS_LINE, n) && s[n] == '\n')
			return s;
		if (!*s)
			break;
	}
	return NULL;
}

Kernels *kernels_parse(Ctx *ctx, Arena *a, uint32_t source)
{
	Source src = ctx->sources.p[source];
	const char *line = kernels_line(src.text);
	Parser p = {.ctx = ctx,
		    .arena = a,
		    .source = source,
		    .text = src.text,
		    .s = line ? line : src.text};
	Buf why;

	if (!line) {
		error(&p, "no line `" KERNELS_LINE "` after a program");
		return NULL;
	}
	uint32_t part = ctx_add_source(ctx, src.name, src.text,
				       (size_t)(line - src.text));
	p.ks = arena_new(a, Kernels);
	p.ks->arena = a;
	p.ks->program = program_parse(ctx, a, part);
	if (!p.ks->program)
		return NULL;
	/* adding a source may have moved the text */
	p.text = ctx->sources.p[source].text;
	p.s = p.text + (line - src.text) + strlen(KERNELS_LINE) + 1;
	while (*p.s)
		if (!kernel(&p))
			return NULL;
	buf_init(&why, a);
	if (!kernels_verify(p.ks, &why)) {
		error(&p, "%s", buf_str(&why));
		return NULL;
	}
	return p.ks;
}
