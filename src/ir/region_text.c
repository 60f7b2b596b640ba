/*
 * region_text: stage 3 as text, and back.
 *
 * The text holds the stage-2 program first, then the line `regions`, then
 * each region and each decision:
 *
 *	region 0 contract anchor %5 space [M, 1024]
 *		prologue %2 %3
 *		anchor %5
 *		epilogue %7
 *		outputs %7
 *	decision %5 -> %7 joined "epilogue" "uses=1" "what would change it"
 *
 * A rowreduce region also says `reduced [1]`; loops and rowreduces have one
 * line `body`. An attention region has all of them, and two anchors. The reader
 *trusts nothing: what it read is verified.
 */
#include "ir/region.h"

#include <stdlib.h>
#include <string.h>

#define REGIONS_LINE "regions"

static const char *const part_name[] = {
	[PART_BODY] = "body",
	[PART_PROLOGUE] = "prologue",
	[PART_ANCHOR] = "anchor",
	[PART_EPILOGUE] = "epilogue",
};

/* ---- printing -------------------------------------------------------- */

static void print_part(const Regions *r, const Region *at, Part part, Buf *b)
{
	bool any = false;
	for (size_t i = 0; i < at->values.n; i++) {
		ValueId v = at->values.p[i];
		if (r->part[v] != part)
			continue;
		if (!any)
			buf_printf(b, "\t%s", part_name[part]);
		buf_printf(b, " %%%u", v);
		any = true;
	}
	if (any)
		buf_putc(b, '\n');
}

static void print_region(const Regions *r, size_t i, Buf *b)
{
	const Region *at = &r->regions.p[i];
	buf_printf(b, "region %zu %s anchor %%%u space [", i,
		   region_kind_name[at->kind], at->anchor);
	for (size_t d = 0; d < at->rank; d++) {
		buf_puts(b, d ? ", " : "");
		ex_print(b, &r->program->ex, at->space[d]);
	}
	buf_putc(b, ']');
	if (at->reduced) {
		const char *sep = " reduced [";
		for (size_t d = 0; d < at->rank; d++) {
			if (!(at->reduced >> d & 1))
				continue;
			buf_printf(b, "%s%zu", sep, d);
			sep = ", ";
		}
		buf_putc(b, ']');
	}
	buf_putc(b, '\n');
	for (size_t part = 0; part < ARRAY_LEN(part_name); part++)
		print_part(r, at, (Part)part, b);
	buf_puts(b, "\toutputs");
	for (size_t k = 0; k < at->outputs.n; k++)
		buf_printf(b, " %%%u", at->outputs.p[k]);
	buf_putc(b, '\n');
}

void regions_print(const Regions *r, Buf *b)
{
	program_print(r->program, b);
	buf_puts(b, REGIONS_LINE "\n");
	for (size_t i = 0; i < r->regions.n; i++)
		print_region(r, i, b);
	for (size_t i = 0; i < r->decisions.n; i++) {
		const Decision *d = &r->decisions.p[i];
		buf_printf(b, "decision %%%u -> %%%u %s ", d->producer,
			   d->consumer, d->joined ? "joined" : "apart");
		buf_json_string(b, d->condition);
		buf_putc(b, ' ');
		buf_json_string(b, d->values);
		buf_putc(b, ' ');
		buf_json_string(b, d->change);
		buf_putc(b, '\n');
	}
}

/* ---- reading --------------------------------------------------------- */

typedef struct Reader {
	Ctx *ctx;
	Arena *arena;
	uint32_t source;
	const char *start; /* of the whole text */
	const char *s;     /* what comes next */
	Program *p;
	Regions *r;
} Reader;

static Loc reader_loc(const Reader *in)
{
	Loc loc = {.file = in->source, .line = 1, .col = 1, .len = 1};
	for (const char *s = in->start; s < in->s; s++) {
		loc.col++;
		if (*s == '\n') {
			loc.line++;
			loc.col = 1;
		}
	}
	return loc;
}

static bool wrong(Reader *in, const char *what)
{
	return diag_error(in->ctx, reader_loc(in), NULL, "%s", what);
}

static void spaces(Reader *in)
{
	while (*in->s == ' ' || *in->s == '\t')
		in->s++;
}

/* Takes a word or punctuation if it is next. */
static bool take(Reader *in, const char *text)
{
	size_t n = strlen(text);
	spaces(in);
	if (strncmp(in->s, text, n) != 0)
		return false;
	in->s += n;
	return true;
}

static bool expect(Reader *in, const char *text)
{
	if (take(in, text))
		return true;
	return diag_error(in->ctx, reader_loc(in), NULL, "expected `%s`", text);
}

static bool number(Reader *in, size_t limit, const char *what, uint32_t *out)
{
	uint64_t n = 0;
	spaces(in);
	const char *s = in->s;
	while (*s >= '0' && *s <= '9' && n < UINT32_MAX)
		n = 10 * n + (uint64_t)(*s++ - '0');
	if (s == in->s || n >= limit)
		return diag_error(in->ctx, reader_loc(in), NULL,
				  "expected the number of %s", what);
	in->s = s;
	*out = (uint32_t)n;
	return true;
}

static bool value_id(Reader *in, ValueId *out)
{
	return expect(in, "%") && number(in, in->p->values.n, "a value", out);
}

/* A string as buf_json_string writes it. */
static bool string(Reader *in, const char **out)
{
	Buf b;
	buf_init(&b, in->arena);
	if (!expect(in, "\""))
		return false;
	for (; *in->s != '"'; in->s++) {
		if (*in->s == '\0' || *in->s == '\n')
			return wrong(in, "the string does not end");
		if (*in->s != '\\') {
			buf_putc(&b, *in->s);
			continue;
		}
		static const char from[] = "\"\\/nrtbf",
				  to[] = "\"\\/\n\r\t\b\f";
		in->s++;
		const char *at = *in->s ? strchr(from, *in->s) : NULL;
		if (at) {
			buf_putc(&b, to[at - from]);
		} else if (*in->s == 'u' && strlen(in->s) > 4) {
			char hex[5] = {0};
			memcpy(hex, in->s + 1, 4);
			buf_putc(&b, (char)strtol(hex, NULL, 16));
			in->s += 4;
		} else {
			return wrong(in, "no such escape");
		}
	}
	in->s++;
	*out = buf_str(&b);
	return true;
}

static bool line_end(Reader *in)
{
	spaces(in);
	if (*in->s != '\n')
		return wrong(in, "expected the end of the line");
	in->s++;
	return true;
}

static bool space_list(Reader *in, Region *r)
{
	if (!expect(in, "["))
		return false;
	while (!take(in, "]")) {
		if (r->rank == TN_MAX_RANK)
			return wrong(in, "too many axes");
		if (r->rank && !expect(in, ","))
			return false;
		spaces(in);
		const char *why =
			ex_parse(&in->p->ex, &in->s, false, &r->space[r->rank]);
		if (why)
			return wrong(in, why);
		r->rank++;
	}
	return true;
}

static bool reduced_list(Reader *in, Region *r)
{
	uint32_t axis;
	if (!expect(in, "["))
		return false;
	do {
		if (!number(in, r->rank, "an axis", &axis))
			return false;
		r->reduced |= (uint32_t)1 << axis;
	} while (take(in, ","));
	return expect(in, "]");
}

static bool region_kind(Reader *in, RegionKind *out)
{
	for (int k = 0; k < REGION_KIND_COUNT; k++) {
		if (take(in, region_kind_name[k])) {
			*out = (RegionKind)k;
			return true;
		}
	}
	return wrong(in, "expected loop, rowreduce, contract or attention");
}

/* Values of one part, up to the end of the line. */
static bool part_line(Reader *in, Part part, Region *r)
{
	spaces(in);
	while (*in->s == '%') {
		ValueId v;
		if (!value_id(in, &v))
			return false;
		if (in->r->of[v] != NO_REGION)
			return wrong(in, "a value is in a region twice");
		in->r->of[v] = (uint32_t)in->r->regions.n;
		in->r->part[v] = part;
		VEC_PUSH(in->arena, r->values, v);
		spaces(in);
	}
	return line_end(in);
}

static int by_id(const void *a, const void *b)
{
	ValueId x = *(const ValueId *)a, y = *(const ValueId *)b;
	return x < y ? -1 : x > y;
}

static bool region_text(Reader *in)
{
	Region r = {0};
	uint32_t i;
	if (!number(in, in->r->regions.n + 1, "the next region", &i) ||
	    !region_kind(in, &r.kind) || !expect(in, "anchor") ||
	    !value_id(in, &r.anchor) || !expect(in, "space") ||
	    !space_list(in, &r))
		return false;
	if (i != in->r->regions.n)
		return wrong(in, "regions are numbered in order");
	if (take(in, "reduced") && !reduced_list(in, &r))
		return false;
	if (!line_end(in))
		return false;
	for (size_t part = 0; part < ARRAY_LEN(part_name); part++)
		if (take(in, part_name[part]) && !part_line(in, (Part)part, &r))
			return false;
	if (!expect(in, "outputs"))
		return false;
	spaces(in);
	while (*in->s == '%') {
		ValueId v;
		if (!value_id(in, &v))
			return false;
		VEC_PUSH(in->arena, r.outputs, v);
		spaces(in);
	}
	if (r.values.n)
		qsort(r.values.p, r.values.n, sizeof(ValueId), by_id);
	VEC_PUSH(in->arena, in->r->regions, r);
	return line_end(in);
}

static bool decision_text(Reader *in)
{
	Decision d = {0};
	if (!value_id(in, &d.producer) || !expect(in, "->") ||
	    !value_id(in, &d.consumer))
		return false;
	d.joined = take(in, "joined");
	if ((!d.joined && !expect(in, "apart")) || !string(in, &d.condition) ||
	    !string(in, &d.values) || !string(in, &d.change))
		return false;
	VEC_PUSH(in->arena, in->r->decisions, d);
	return line_end(in);
}

/* The line that ends the program's text, or NULL. */
static const char *regions_line(const char *text)
{
	static const char line[] = REGIONS_LINE "\n";
	for (const char *s = text; s; s = strchr(s, '\n')) {
		s += *s == '\n';
		if (strncmp(s, line, sizeof(line) - 1) == 0)
			return s;
	}
	return NULL;
}

Regions *regions_parse(Ctx *ctx, Arena *a, uint32_t source)
{
	Source text = ctx->sources.p[source];
	Reader in = {.ctx = ctx, .arena = a, .source = source};
	in.start = in.s = text.text;
	const char *at = regions_line(text.text);
	if (!at) {
		(void)wrong(&in, "no line `" REGIONS_LINE "` in the text of "
				 "stage 3");
		return NULL;
	}
	/* The program's text is the front of this one: its lines count alike.
	 */
	uint32_t front = ctx_add_source(ctx, text.name, text.text,
					(size_t)(at - text.text));
	in.p = program_parse(ctx, a, front);
	if (!in.p)
		return NULL;
	in.s = at + strlen(REGIONS_LINE "\n");
	size_t n = in.p->values.n;
	in.r = arena_new(a, Regions);
	*in.r = (Regions){.arena = a, .program = in.p};
	in.r->of = arena_array(a, uint32_t, n + 1);
	in.r->part = arena_array(a, Part, n + 1);
	for (size_t i = 0; i < n; i++)
		in.r->of[i] = NO_REGION;
	while (take(&in, "region "))
		if (!region_text(&in))
			return NULL;
	while (take(&in, "decision "))
		if (!decision_text(&in))
			return NULL;
	if (*in.s) {
		(void)wrong(&in, "expected `region`, `decision` or the end");
		return NULL;
	}
	Buf why;
	buf_init(&why, a);
	if (!regions_verify(in.r, &why)) {
		in.s = at;
		(void)wrong(&in, arena_printf(a,
					      "these are no regions of the "
					      "program: %s",
					      buf_str(&why)));
		return NULL;
	}
	return in.r;
}
