/*
 * external: signature files of users' kernels, and whether they are right.
 *
 * A file is read before there is a program; external_check() holds it against
 * the one at hand.
 */
#include "front/front.h"

#include "ir/kernel.h"

#include <jansson.h>
#include <string.h>

typedef struct Reader {
	Ctx *ctx;
	Arena *a;
	External *x;
} Reader;

#define HINT "docs/external.md has an example"

TN_PRINTF(2, 3) static bool wrong(Reader *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	const char *text = arena_vprintf(r->a, fmt, ap);
	va_end(ap);
	return diag_fail(r->ctx, ERR_USAGE, HINT, "%s: %s", r->x->path, text);
}

static bool is_word(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz"
			     "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return n && !s[n] && !(s[0] >= '0' && s[0] <= '9');
}

static bool read_word(Reader *r, const json_t *o, const char *key,
		      const char **out)
{
	const char *s = json_string_value(json_object_get(o, key));

	if (!s)
		return wrong(r, "`%s` is missing, or no text", key);
	if (!is_word(s))
		return wrong(r, "`%s` is `%s`, which is no name", key, s);
	*out = arena_strdup(r->a, s);
	return true;
}

static bool read_extent(Reader *r, const json_t *e, const char *name,
			const char **out)
{
	if (json_is_integer(e))
		*out = arena_printf(r->a, "%lld",
				    (long long)json_integer_value(e));
	else if (json_is_string(e))
		*out = arena_strdup(r->a, json_string_value(e));
	else
		return wrong(r, "`shape` of %s holds neither numbers nor texts",
			     name);
	return true;
}

static bool read_tensor(Reader *r, const json_t *o, ExternalTensor *t)
{
	const json_t *shape = json_object_get(o, "shape");
	size_t rank = json_array_size(shape);

	if (!read_word(r, o, "name", &t->name))
		return false;
	const char *d = json_string_value(json_object_get(o, "dtype"));
	if (!d || !dtype_parse(d, &t->dtype))
		return wrong(r, "`dtype` of %s is %s%s%s", t->name,
			     d ? "`" : "missing", d ? d : "",
			     d ? "`, which is none" : "");
	if (!json_is_array(shape) || rank > TN_MAX_RANK)
		return wrong(r, "`shape` of %s is no list of up to %d extents",
			     t->name, TN_MAX_RANK);
	t->rank = (uint8_t)rank;
	for (size_t i = 0; i < rank; i++)
		if (!read_extent(r, json_array_get(shape, i), t->name,
				 &t->shape[i]))
			return false;
	return true;
}

static bool known(Reader *r, const json_t *o)
{
	static const char *const keys[] = {"name",      "source",  "symbol",
					   "inputs",    "results", "tasks",
					   "arguments", "threads", "shared"};
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)o, key, value)
	{
		size_t i = 0;
		while (i < ARRAY_LEN(keys) && strcmp(keys[i], key) != 0)
			i++;
		if (i == ARRAY_LEN(keys))
			return wrong(r, "`%s` is no key of a signature", key);
	}
	return true;
}

static bool read_tensors(Reader *r, const json_t *o)
{
	const json_t *in = json_object_get(o, "inputs");
	const json_t *out = json_object_get(o, "results");

	if (!json_is_array(in))
		return wrong(r, "`inputs` is no list");
	if (!json_is_array(out) || !json_array_size(out))
		return wrong(r, "`results` is no list of one or more");
	for (size_t i = 0; i < json_array_size(in); i++) {
		ExternalTensor t;
		if (!read_tensor(r, json_array_get(in, i), &t))
			return false;
		VEC_PUSH(r->a, r->x->inputs, t);
	}
	for (size_t i = 0; i < json_array_size(out); i++) {
		ExternalTensor t;
		if (!read_tensor(r, json_array_get(out, i), &t))
			return false;
		VEC_PUSH(r->a, r->x->results, t);
	}
	return true;
}

static bool read_args(Reader *r, const json_t *o)
{
	const json_t *args = json_object_get(o, "arguments");
	const json_t *tasks = json_object_get(o, "tasks");

	if (!json_is_array(args))
		return wrong(r, "`arguments` is no list");
	for (size_t i = 0; i < json_array_size(args); i++) {
		const char *s = json_string_value(json_array_get(args, i));
		if (!s)
			return wrong(r, "`arguments` number %zu is no text", i);
		VEC_PUSH(r->a, r->x->args, arena_strdup(r->a, s));
	}
	r->x->tasks = "1";
	if (!tasks)
		return true;
	if (!json_is_string(tasks) && !json_is_integer(tasks))
		return wrong(r, "`tasks` is neither a number nor a text");
	return read_extent(r, tasks, "tasks", &r->x->tasks);
}

/* Whether the text has the word; a first look, the linker has the second. */
static bool has_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *s = text; (s = strstr(s, word)); s++) {
		char after[2] = {s[n]}, before[2] = {s > text ? s[-1] : ' '};
		bool whole = !is_word(before) && (!s[n] || !is_word(after)) &&
			     !(s[n] >= '0' && s[n] <= '9');
		if (whole)
			return true;
	}
	return false;
}

static bool read_source(Reader *r, const json_t *o)
{
	const char *file = json_string_value(json_object_get(o, "source"));
	const char *slash = strrchr(r->x->path, '/');
	char *text;
	size_t len;

	if (!file)
		return wrong(r, "`source` is missing, or no text");
	r->x->file = arena_strdup(r->a, file);
	const char *path = file;
	if (slash && file[0] != '/')
		path = arena_printf(r->a, "%.*s%s",
				    (int)(slash - r->x->path) + 1, r->x->path,
				    file);
	if (!file_read(r->ctx, r->a, path, &text, &len))
		return false;
	for (size_t i = 0, line = 1; i < len; i++) {
		unsigned char c = (unsigned char)text[i];
		line += c == '\n';
		if (!c || c > 127)
			return wrong(r,
				     "`source` %s, line %zu: it holds more "
				     "than ASCII",
				     path, line);
	}
	if (len && text[len - 1] != '\n')
		text = arena_printf(r->a, "%s\n", text);
	r->x->text = text;
	return has_word(text, r->x->symbol) ||
	       wrong(r, "`symbol` is %s, which %s does not define",
		     r->x->symbol, path);
}

/* What a kernel of CUDA is launched with: a file that ends in .cu. */
static bool read_block(Reader *r, const json_t *o)
{
	const json_t *threads = json_object_get(o, "threads");
	const json_t *shared = json_object_get(o, "shared");
	json_int_t n = json_integer_value(threads);
	json_int_t bytes = json_integer_value(shared);
	size_t len = strlen(r->x->file);

	if (len < 4 || strcmp(r->x->file + len - 3, ".cu") != 0)
		return (!threads && !shared) ||
		       wrong(r,
			     "`%s` is of kernels of CUDA, and `source` is %s, "
			     "which does not end in .cu",
			     threads ? "threads" : "shared", r->x->file);
	if (!json_is_integer(threads) || n < 1 || n > KERNEL_MAX_THREADS)
		return wrong(r,
			     "`threads` is %s, and a block of CUDA has 1 to %d",
			     threads ? "no such number" : "missing",
			     KERNEL_MAX_THREADS);
	if (shared &&
	    (!json_is_integer(shared) || bytes < 0 || bytes > INT32_MAX))
		return wrong(r, "`shared` is no number of bytes");
	r->x->threads = (int)n;
	r->x->shared = bytes;
	return true;
}

static bool read_object(Reader *r, const json_t *o)
{
	if (!json_is_object(o))
		return wrong(r, "it is no JSON object");
	return known(r, o) && read_word(r, o, "name", &r->x->name) &&
	       read_word(r, o, "symbol", &r->x->symbol) && read_tensors(r, o) &&
	       read_args(r, o) && read_source(r, o) && read_block(r, o);
}

static void json_drop(void *cell)
{
	json_decref(*(json_t **)cell);
}

bool external_read(Ctx *ctx, Arena *a, const char *path, External *out)
{
	Reader r = {ctx, a, out};
	json_t **o = arena_new(a, json_t *);
	json_error_t e;
	char *text;
	size_t len;

	*out = (External){.path = arena_strdup(a, path)};
	if (!file_read(ctx, a, path, &text, &len))
		return false;
	arena_defer(a, json_drop, o);
	*o = json_loadb(text, len, JSON_REJECT_DUPLICATES, &e);
	if (!*o && json_error_code(&e) == json_error_out_of_memory)
		oom_raise();
	if (!*o)
		return wrong(&r, "not JSON: line %d, column %d: %s", e.line,
			     e.column, e.text);
	return read_object(&r, *o);
}

/* ---- against a program ------------------------------------------------- */

static bool parse_ex(Reader *r, Program *p, const char *key, const char *text,
		     Ex *out)
{
	const char *s = text, *why = ex_parse(&p->ex, &s, false, out);

	if (!why && *s)
		why = "more follows";
	if (!why && ex_uses_any_axis(&p->ex, *out))
		why = "it is no expression of dims";
	return !why || wrong(r, "%s: `%s`: %s", key, text, why);
}

static bool check_tensor(Reader *r, Program *p, const ExternalTensor *t,
			 const char *key)
{
	ValueId v = external_value(p, t->name);

	if (v == NO_VALUE)
		return wrong(r, "%s: the program has no value `%s`", key,
			     t->name);
	const Value *x = program_value(p, v);
	if (x->dtype != t->dtype)
		return wrong(r,
			     "%s: %s is %s in the program, and `dtype` is "
			     "%s",
			     key, t->name, dtype_info[x->dtype].name,
			     dtype_info[t->dtype].name);
	if (x->rank != t->rank)
		return wrong(r,
			     "%s: %s has %d axes in the program, and "
			     "`shape` has %d",
			     key, t->name, x->rank, t->rank);
	for (int d = 0; d < t->rank; d++) {
		Buf b;
		Ex e;
		if (!parse_ex(r, p, key, t->shape[d], &e))
			return false;
		if (e == x->shape[d])
			continue;
		buf_init(&b, r->a);
		ex_print(&b, &p->ex, x->shape[d]);
		return wrong(r,
			     "%s: axis %d of %s is %s in the program, and "
			     "`shape` has %s",
			     key, d, t->name, buf_str(&b), t->shape[d]);
	}
	return true;
}

static bool is_dim(const Program *p, const char *name)
{
	for (size_t i = 0; i < p->ex.dims.n; i++)
		if (!strcmp(p->ex.dims.p[i].name, name))
			return true;
	return false;
}

static int times(const External *x, const char *name)
{
	int n = 0;

	for (size_t i = 0; i < x->args.n; i++)
		n += !strcmp(x->args.p[i], name);
	return n;
}

static bool is_tensor(const External *x, const char *name)
{
	for (size_t i = 0; i < x->inputs.n; i++)
		if (!strcmp(x->inputs.p[i].name, name))
			return true;
	for (size_t i = 0; i < x->results.n; i++)
		if (!strcmp(x->results.p[i].name, name))
			return true;
	return false;
}

static bool check_args(Reader *r, const Program *p)
{
	const External *x = r->x;

	for (size_t i = 0; i < x->args.n; i++) {
		const char *s = x->args.p[i];
		if (!is_tensor(x, s) && !is_dim(p, s) &&
		    strcmp(s, EXTERNAL_TASK) != 0)
			return wrong(r,
				     "`arguments`: %s is no input, result "
				     "or dim, and not `task`",
				     s);
		if (x->threads && !is_tensor(x, s) && !strcmp(s, EXTERNAL_TASK))
			return wrong(r, "`arguments`: a kernel of CUDA has no "
					"`task`: its block is blockIdx.x");
	}
	for (size_t i = 0; i < x->inputs.n + x->results.n; i++) {
		const char *s = i < x->inputs.n
					? x->inputs.p[i].name
					: x->results.p[i - x->inputs.n].name;
		if (times(x, s) != 1)
			return wrong(r,
				     "`arguments`: %s is there %d times, "
				     "not once",
				     s, times(x, s));
	}
	return true;
}

bool external_check(Ctx *ctx, Arena *a, External *x, Program *p)
{
	Reader r = {ctx, a, x};
	Ex tasks;

	for (size_t i = 0; i < x->inputs.n; i++)
		if (!check_tensor(&r, p, &x->inputs.p[i], "`inputs`"))
			return false;
	for (size_t i = 0; i < x->results.n; i++)
		if (!check_tensor(&r, p, &x->results.p[i], "`results`"))
			return false;
	return check_args(&r, p) &&
	       parse_ex(&r, p, "`tasks`", x->tasks, &tasks);
}
