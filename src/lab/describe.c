/*
 * describe: a program's values, with sizes in place of dims, read from the
 * text of a plan's rewritten stage: there all views are index maps and all
 * compositions are expanded. The text is part of the public interface (it
 * prints and reads back), so that nothing of the compiler is looked into.
 */
#include "lab.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- index expressions ----------------------------------------------- */

typedef struct Eval {
	const LabProgram *p;
	const char *s;
	const int64_t *at;
	bool bad;
} Eval;

static int64_t sum_eval(Eval *e);

static void skip(Eval *e)
{
	while (*e->s == ' ')
		e->s++;
}

static size_t word_length(const char *s)
{
	size_t n = 0;

	while (isalnum((unsigned char)s[n]) || s[n] == '_')
		n++;
	return n;
}

/* Which variable the n characters at s name; -1: none. */
static int variable(const char *s, size_t n)
{
	if (n == 1 && s[0] == 'j')
		return LAB_VARS - 1;
	if (n == 2 && s[0] == 'i' && s[1] >= '0' && s[1] < '0' + LAB_VARS - 1)
		return s[1] - '0';
	return -1;
}

static const LabDim *dim_find(const LabProgram *p, const char *s, size_t n)
{
	for (int i = 0; i < p->ndims; i++)
		if (strlen(p->dims[i].name) == n &&
		    memcmp(p->dims[i].name, s, n) == 0)
			return &p->dims[i];
	return NULL;
}

static int64_t name_eval(Eval *e)
{
	size_t n = word_length(e->s);
	const LabDim *dim = dim_find(e->p, e->s, n);
	int var = variable(e->s, n);

	e->s += n;
	/* A dim may be named i0: maps then print no such variable. */
	if (dim)
		return dim->size;
	if (var >= 0 && e->at)
		return e->at[var];
	e->bad = true;
	return 0;
}

static int64_t leaf_eval(Eval *e)
{
	int64_t v;

	skip(e);
	if (*e->s == '-') {
		e->s++;
		return -leaf_eval(e);
	}
	if (*e->s == '(') {
		e->s++;
		v = sum_eval(e);
		skip(e);
		e->bad |= *e->s != ')';
		e->s += *e->s == ')';
		return v;
	}
	if (isdigit((unsigned char)*e->s)) {
		char *end;

		v = strtoll(e->s, &end, 10);
		e->s = end;
		return v;
	}
	if (isalpha((unsigned char)*e->s) || *e->s == '_')
		return name_eval(e);
	e->bad = true;
	return 0;
}

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t product_eval(Eval *e)
{
	int64_t v = leaf_eval(e);

	for (;;) {
		char c;
		int64_t w;

		skip(e);
		c = *e->s;
		if (c != '*' && c != '/' && c != '%')
			return v;
		e->s += c == '/' && e->s[1] == '/' ? 2 : 1;
		w = leaf_eval(e);
		if (c != '*' && w == 0)
			e->bad = true;
		else
			v = c == '*'   ? v * w
			    : c == '/' ? floor_div(v, w)
				       : v - w * floor_div(v, w);
	}
}

static int64_t sum_eval(Eval *e)
{
	int64_t v = product_eval(e);

	for (;;) {
		char c;

		skip(e);
		c = *e->s;
		if (e->bad || (c != '+' && c != '-'))
			return v;
		e->s++;
		v = c == '+' ? v + product_eval(e) : v - product_eval(e);
	}
}

bool lab_index_eval(const LabProgram *p, const char *text, const int64_t *at,
		    int64_t *out)
{
	Eval e = {p, text, at, false};

	*out = sum_eval(&e);
	skip(&e);
	return !e.bad && !*e.s;
}

const char *lab_index_subst(LabMem *m, const LabProgram *p, const char *text,
			    const char *const *index)
{
	LabText t = {.mem = m};

	lab_text(&t, "%s", "");
	while (*text) {
		size_t n = word_length(text);
		int var = variable(text, n);
		const LabDim *dim = dim_find(p, text, n);

		if (n && dim)
			lab_text(&t, "%lld", (long long)dim->size);
		else if (n && var >= 0 && var < LAB_VARS - 1)
			lab_text(&t, "%s", index[var]);
		else if (n)
			lab_text(&t, "%.*s", (int)n, text);
		else if (text[0] == '/' && text[1] == '/')
			lab_text(&t, "/"), n = 2;
		else
			lab_text(&t, "%c", *text), n = 1;
		text += n;
	}
	return t.p;
}

/* ---- lines ----------------------------------------------------------- */

typedef struct Read {
	LabMem *m;
	LabProgram *p;
	const char *line;
} Read;

static void copy(char *out, size_t size, const char *s, size_t n)
{
	snprintf(out, size, "%.*s", (int)n, s);
}

static bool dtype_find(const char *s, size_t n, TenonDType *out)
{
	for (int d = 0; d < TENON_DTYPE_COUNT; d++) {
		const char *name = tenon_dtype_name((TenonDType)d);

		if (strlen(name) == n && memcmp(name, s, n) == 0) {
			*out = (TenonDType)d;
			return true;
		}
	}
	return false;
}

/* Items of [a, b, c] at *s, which moves behind the bracket; -1: none. */
static int list_read(Read *r, const char **s, const char **items, int max)
{
	const char *at = *s, *start;
	int n = 0, depth = 0;

	if (*at != '[')
		return -1;
	start = ++at;
	for (;; at++) {
		if (!*at || n == max)
			return -1;
		depth += *at == '(';
		depth -= *at == ')';
		if (depth || (*at != ',' && *at != ']'))
			continue;
		if (at > start)
			items[n++] = lab_printf(r->m, "%.*s", (int)(at - start),
						start);
		if (*at == ']')
			break;
		start = at + 1 + (at[1] == ' ');
	}
	*s = at + 1;
	return n;
}

/* f16[M, K] */
static bool type_read(Read *r, const char **s, LabValue *v)
{
	const char *items[TENON_MAX_RANK];
	size_t n = word_length(*s);

	if (!dtype_find(*s, n, &v->dtype))
		return false;
	*s += n;
	if (**s != '[')
		return true;
	v->rank = list_read(r, s, items, TENON_MAX_RANK);
	for (int d = 0; d < v->rank; d++)
		if (!lab_index_eval(r->p, items[d], NULL, &v->shape[d]))
			return false;
	return v->rank >= 0;
}

static const char *attribute(const char *line, const char *key)
{
	const char *at = strstr(line, key);

	return at ? at + strlen(key) : NULL;
}

static bool attributes_read(Read *r, const char *s, LabValue *v)
{
	const char *at, *items[TENON_MAX_RANK];

	if ((at = attribute(s, " via=")))
		copy(v->via, sizeof(v->via), at, strcspn(at, " "));
	if ((at = attribute(s, " index=")))
		v->input = atoi(at);
	if ((at = attribute(s, " axis="))) {
		v->naxes = 1;
		v->axes[0] = atoi(at);
	}
	if ((at = attribute(s, " axes="))) {
		v->naxes = list_read(r, &at, items, TENON_MAX_RANK);
		for (int i = 0; i < v->naxes; i++)
			v->axes[i] = atoi(items[i]);
	}
	if ((at = attribute(s, " map=")))
		v->nmap = list_read(r, &at, v->map, TENON_MAX_RANK);
	if ((at = attribute(s, " file=\"")))
		copy(v->file, sizeof(v->file), at, strcspn(at, "\""));
	/* Of several tensors in a file; those are not read here. */
	if (attribute(s, " tensor="))
		v->file[0] = '\0';
	at = attribute(s, " data=");
	if (at && strcmp(v->op, "const") == 0 && v->rank == 0) {
		char *end;

		v->number = strcmp(at, "true") == 0 ? 1 : strtod(at, &end);
		v->constant = true;
	}
	return v->naxes >= 0 && v->nmap >= 0;
}

/* %6 y: f16[M, N] = add %4 %5 via=x @0:9:12+12 */
static bool value_read(Read *r, const char *s)
{
	LabValue *v = &r->p->values[r->p->nvalues];
	size_t n;

	if (atoi(s + 1) != r->p->nvalues)
		return false;
	s += 1 + strspn(s + 1, "0123456789");
	if (*s == ' ') {
		n = strcspn(++s, ":");
		copy(v->name, sizeof(v->name), s, n);
		s += n;
	}
	if (strncmp(s, ": ", 2) != 0)
		return false;
	s += 2;
	if (!type_read(r, &s, v) || strncmp(s, " = ", 3) != 0)
		return false;
	s += 3;
	n = strcspn(s, " ");
	copy(v->op, sizeof(v->op), s, n);
	s += n;
	while (strncmp(s, " %", 2) == 0) {
		int id = atoi(s + 2);

		if (v->nargs == 4 || id >= r->p->nvalues)
			return false;
		r->p->values[id].uses++;
		v->args[v->nargs++] = id;
		s += 2 + strspn(s + 2, "0123456789");
	}
	r->p->nvalues++;
	return attributes_read(r, s, v);
}

/* return %5 as y @0:11:12+1, %3 as p @0:11:15+1 */
static bool return_read(Read *r, const char *s)
{
	while ((s = strchr(s, '%'))) {
		int id = atoi(++s);

		if (id >= r->p->nvalues)
			return false;
		r->p->values[id].uses++;
		r->p->results[r->p->nresults++] = id;
	}
	return r->p->nresults > 0;
}

static bool line_read(Read *r)
{
	if (*r->line == '%')
		return value_read(r, r->line);
	if (strncmp(r->line, "return ", 7) == 0)
		return return_read(r, r->line);
	return true; /* places, dims and their sets */
}

/* ---- the whole ------------------------------------------------------- */

int64_t lab_elements(const LabValue *v)
{
	int64_t n = 1;

	for (int d = 0; d < v->rank; d++)
		n *= v->shape[d];
	return n;
}

static double bytes_of(const LabValue *v)
{
	return (double)lab_elements(v) * (double)tenon_dtype_size(v->dtype);
}

static void work_count(LabProgram *p)
{
	for (int i = 0; i < p->nvalues; i++) {
		const LabValue *v = &p->values[i];

		if (strcmp(v->op, "input") == 0 || strcmp(v->op, "weight") == 0)
			p->bytes += bytes_of(v);
		if (strcmp(v->op, "matmul") == 0) {
			const LabValue *a = &p->values[v->args[0]];

			p->flop += 2 * (double)lab_elements(v) *
				   (double)a->shape[a->rank - 1];
		}
	}
	for (int i = 0; i < p->nresults; i++)
		p->written += bytes_of(&p->values[p->results[i]]);
	p->bytes += p->written;
}

static void dims_read(LabMem *m, TenonProgram *program, LabProgram *p)
{
	p->ndims = tenon_program_dims(program);
	p->dims = LAB_NEW(m, LabDim, p->ndims);
	for (int i = 0; i < p->ndims; i++) {
		const char *name = tenon_program_dim_name(program, i);

		copy(p->dims[i].name, LAB_NAME, name, strlen(name));
		p->dims[i].size = tenon_program_dim(program, i);
	}
}

bool lab_describe(LabMem *m, TenonProgram *program, TenonPlan *plan,
		  LabProgram *out)
{
	LabText text = {.mem = m};
	Read r = {m, out, NULL};
	int lines = 1;

	*out = (LabProgram){0};
	if (tenon_plan_dump(plan, "rewritten", lab_text_write, &text))
		return lab_fail(m, "the plan's program cannot be printed");
	dims_read(m, program, out);
	for (const char *s = text.p; *s; s++)
		lines += *s == '\n';
	out->values = LAB_NEW(m, LabValue, lines);
	out->results = LAB_NEW(m, int, tenon_program_results(program) + 1);
	out->ninputs = tenon_program_inputs(program);
	for (char *s = text.p; *s;) {
		char *end = s + strcspn(s, "\n");
		bool more = *end;

		*end = '\0';
		r.line = s;
		if (!line_read(&r))
			return lab_fail(m, "not understood: %s", s);
		s = end + more;
	}
	work_count(out);
	return true;
}
