/*
 * plan: the JSON form of stage 6 and its identity.
 *
 * JSON is written and read by jansson. Texts of earlier stages are arrays
 * of lines, so that a plan can be read and diffed.
 */
#include "ir/plan.h"

#include <jansson.h>
#include <string.h>

const char *const plan_buf_kind_name[PLAN_KIND_COUNT] = {
	[PLAN_INPUT] = "input",    [PLAN_RESULT] = "result",
	[PLAN_CONST] = "const",    [PLAN_WEIGHT] = "weight",
	[PLAN_TEMP] = "temporary",
};

#define PLAN_FORMAT 1

const char *plan_symbol(Arena *a, const Plan *p, const PlanLaunch *l)
{
	const Kernel *k = &p->kernels->kernels.p[l->kernel];

	return arena_printf(a, "%s_%s", k->name, k->phases.p[l->phase].name);
}

/* ---- writing --------------------------------------------------------- */

/* jansson returns NULL when memory is refused. */
static json_t *must(json_t *j)
{
	if (!j)
		oom_raise();
	return j;
}

static void set(json_t *o, const char *key, json_t *value)
{
	if (json_object_set_new(o, key, must(value)))
		oom_raise();
}

static void push(json_t *a, json_t *value)
{
	if (json_array_append_new(a, must(value)))
		oom_raise();
}

static json_t *lines(const char *text)
{
	json_t *a = must(json_array());

	while (*text) {
		size_t n = strcspn(text, "\n");
		push(a, json_stringn_nocheck(text, n));
		text += n + (text[n] == '\n');
	}
	return a;
}

static json_t *ex_text(const Plan *p, Ex e)
{
	Buf b;

	buf_init(&b, p->arena);
	ex_print(&b, &p->kernels->program->ex, e);
	return must(json_string_nocheck(buf_str(&b)));
}

static json_t *buffers_json(const Plan *p)
{
	json_t *a = must(json_array());

	for (size_t i = 0; i < p->buffers.n; i++) {
		const PlanBuffer *b = &p->buffers.p[i];
		json_t *o = must(json_object());
		set(o, "kind", json_string(plan_buf_kind_name[b->kind]));
		set(o, "index", json_integer(b->index));
		if (b->value != NO_VALUE)
			set(o, "value", json_integer(b->value));
		set(o, "bytes", ex_text(p, b->bytes));
		push(a, o);
	}
	return a;
}

static json_t *launches_json(const Plan *p)
{
	json_t *a = must(json_array());

	for (size_t i = 0; i < p->launches.n; i++) {
		const PlanLaunch *l = &p->launches.p[i];
		json_t *o = must(json_object());
		json_t *bufs = must(json_array());
		set(o, "kernel", json_integer(l->kernel));
		set(o, "symbol", json_string(plan_symbol(p->arena, p, l)));
		set(o, "tasks", ex_text(p, l->tasks));
		set(o, "scratch", ex_text(p, l->scratch));
		for (size_t j = 0; j < l->buffers.n; j++)
			push(bufs, json_integer(l->buffers.p[j]));
		set(o, "buffers", bufs);
		push(a, o);
	}
	return a;
}

static json_t *copies_json(const Plan *p)
{
	json_t *a = must(json_array());

	for (size_t i = 0; i < p->copies.n; i++)
		push(a, json_pack("{s:i,s:i}", "result",
				  (int)p->copies.p[i].result, "buffer",
				  (int)p->copies.p[i].from));
	return a;
}

static json_t *donations_json(const Plan *p)
{
	json_t *a = must(json_array());

	for (size_t i = 0; i < p->donations.n; i++)
		push(a, json_pack("{s:i,s:i}", "input",
				  (int)p->donations.p[i].input, "result",
				  (int)p->donations.p[i].result));
	return a;
}

/* The bindings that a plan serves: everything else compiles another. */
static json_t *guards_json(const Plan *p)
{
	const ExprTab *t = &p->kernels->program->ex;
	json_t *a = must(json_array());

	for (size_t i = 0; i < t->dims.n; i++)
		push(a, json_string_nocheck(arena_printf(
				p->arena, "%lld <= %s <= %lld",
				(long long)t->dims.p[i].lo, t->dims.p[i].name,
				(long long)t->dims.p[i].hi)));
	push(a, json_string("strides row-major, data aligned to the dtype; "
			    "others are copied and reported"));
	return a;
}

static json_t *slots_json(const Plan *p)
{
	json_t *a = must(json_array());

	for (size_t i = 0; i < p->slots.n; i++)
		push(a, ex_text(p, p->slots.p[i]));
	return a;
}

static json_t *sources_json(const Plan *p)
{
	json_t *a = must(json_array());

	for (size_t i = 0; i < p->sources.n; i++)
		push(a, lines(p->sources.p[i]));
	return a;
}

static json_t *body_json(const Plan *p)
{
	json_t *o = must(json_object());
	Buf b;

	set(o, "format", json_integer(PLAN_FORMAT));
	set(o, "target", json_string(p->target));
	set(o, "compiler", json_string_nocheck(p->compiler));
	set(o, "flags", json_string_nocheck(p->flags));
	buf_init(&b, p->arena);
	program_print(p->source, &b);
	set(o, "program", lines(buf_str(&b)));
	buf_init(&b, p->arena);
	kernels_print(p->kernels, &b);
	set(o, "kernels", lines(buf_str(&b)));
	set(o, "guards", guards_json(p));
	set(o, "buffers", buffers_json(p));
	set(o, "slots", slots_json(p));
	set(o, "launches", launches_json(p));
	set(o, "copies", copies_json(p));
	set(o, "donations", donations_json(p));
	set(o, "sources", sources_json(p));
	return o;
}

static char *dump(Arena *a, const json_t *j, size_t flags)
{
	char *text = json_dumps(j, flags);

	if (!text)
		oom_raise();
	char *copy = arena_strdup(a, text);
	free(text);
	return copy;
}

/* A SHA-256 of each part, then one over these: the identity. */
static json_t *hashes_json(Plan *p, json_t *body)
{
	json_t *o = must(json_object());
	Sha256 *all = sha256_new(p->arena);
	const char *key;
	json_t *value;

	json_object_foreach(body, key, value)
	{
		char hex[SHA256_HEX];
		const char *text =
			dump(p->arena, value, JSON_COMPACT | JSON_ENCODE_ANY);
		sha256_hex(text, strlen(text), hex);
		sha256_add(all, key, strlen(key) + 1);
		sha256_add(all, hex, SHA256_HEX);
		set(o, key, json_string(hex));
	}
	sha256_end(all, p->identity);
	return o;
}

const char *plan_json(Plan *p)
{
	json_t *body = body_json(p);
	json_t *hashes = hashes_json(p, body);
	json_t *o = must(json_object());

	set(o, "tenon_plan", json_string(p->identity));
	set(o, "sha256", hashes);
	if (json_object_update(o, body))
		oom_raise();
	char *text = dump(p->arena, o, JSON_INDENT(1));
	json_decref(body);
	json_decref(o);
	return arena_printf(p->arena, "%s\n", text);
}

/* ---- reading --------------------------------------------------------- */

static bool refuse(Ctx *ctx, const char *path, const char *what)
{
	return diag_fail(ctx, ERR_PROGRAM,
			 "a plan runs exactly as it was written, or not at "
			 "all; make it anew with `tenon run --save-plan`",
			 "%s: %s", path, what);
}

static const char *text_part(Ctx *ctx, Arena *a, const json_t *o,
			     const char *key, const char *path)
{
	const char *s = json_string_value(json_object_get(o, key));

	if (!s) {
		refuse(ctx, path, arena_printf(a, "no text `%s`", key));
		return NULL;
	}
	return arena_strdup(a, s);
}

static const char *joined(Arena *a, const json_t *array)
{
	Buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < json_array_size(array); i++) {
		const char *s = json_string_value(json_array_get(array, i));
		if (!s)
			return NULL;
		buf_puts(&b, s);
		buf_putc(&b, '\n');
	}
	return buf_str(&b);
}

static bool read_parts(Ctx *ctx, Arena *a, const char *path, json_t *o,
		       PlanParts *out)
{
	const json_t *sources = json_object_get(o, "sources");

	if (json_integer_value(json_object_get(o, "format")) != PLAN_FORMAT)
		return refuse(ctx, path, "not a plan of this format");
	out->identity = text_part(ctx, a, o, "tenon_plan", path);
	out->target = text_part(ctx, a, o, "target", path);
	out->compiler = text_part(ctx, a, o, "compiler", path);
	out->flags = text_part(ctx, a, o, "flags", path);
	if (!out->identity || !out->target || !out->compiler || !out->flags)
		return false;
	out->program = joined(a, json_object_get(o, "program"));
	out->kernels = joined(a, json_object_get(o, "kernels"));
	if (!out->program || !out->kernels)
		return refuse(ctx, path, "its texts are not lists of lines");
	for (size_t i = 0; i < json_array_size(sources); i++) {
		const char *s = joined(a, json_array_get(sources, i));
		if (!s)
			return refuse(ctx, path,
				      "a source is not a list of lines");
		VEC_PUSH(a, out->sources, s);
	}
	return true;
}

/* Each part against its recorded SHA-256: names the first that differs. */
static bool check_hashes(Ctx *ctx, Arena *a, const char *path, json_t *o)
{
	json_t *hashes = json_object_get(o, "sha256"), *want;
	Sha256 *all = sha256_new(a);
	char hex[SHA256_HEX];
	const char *key;

	if (!json_is_object(hashes))
		return refuse(ctx, path, "it holds no hashes");
	json_object_foreach(hashes, key, want)
	{
		const json_t *part = json_object_get(o, key);
		if (!part)
			return refuse(
				ctx, path,
				arena_printf(a, "part `%s` is missing", key));
		const char *text =
			dump(a, part, JSON_COMPACT | JSON_ENCODE_ANY);
		sha256_hex(text, strlen(text), hex);
		if (!json_string_value(want) ||
		    strcmp(hex, json_string_value(want)))
			return refuse(
				ctx, path,
				arena_printf(a,
					     "part `%s` was changed: its "
					     "SHA-256 is %.12s... and %.12s... "
					     "is recorded",
					     key, hex,
					     json_string_value(want)
						     ? json_string_value(want)
						     : ""));
		sha256_add(all, key, strlen(key) + 1);
		sha256_add(all, hex, SHA256_HEX);
	}
	sha256_end(all, hex);
	const char *id = json_string_value(json_object_get(o, "tenon_plan"));
	if (!id || strcmp(hex, id))
		return refuse(ctx, path,
			      "the identity does not match the parts' hashes");
	return true;
}

bool plan_parts(Ctx *ctx, Arena *a, const char *path, const char *text,
		size_t len, PlanParts *out)
{
	json_error_t e;
	json_t *o = json_loadb(text, len, JSON_REJECT_DUPLICATES, &e);
	bool ok;

	if (!o)
		return refuse(ctx, path,
			      arena_printf(a,
					   "not JSON: line %d, column %d: %s",
					   e.line, e.column, e.text));
	ok = check_hashes(ctx, a, path, o) && read_parts(ctx, a, path, o, out);
	json_decref(o);
	return ok;
}
