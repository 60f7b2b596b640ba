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
	[PLAN_TEMP] = "temporary", [PLAN_KEPT] = "kept",
};

#define PLAN_FORMAT 1

const char *plan_symbol(Arena *a, const Plan *p, const PlanLaunch *l)
{
	const Kernel *k = &p->kernels->kernels.p[l->kernel];

	const Phase *ph = &k->phases.p[l->phase];

	if (ph->foreign && ph->threads) /* launched as it is */
		return ph->foreign->symbol;
	return arena_printf(a, "%s_%s", k->name, ph->name);
}

/* ---- writing --------------------------------------------------------- */

/*
 * A cell that holds a JSON value, dropped when the arena is: running out of
 * memory unwinds past the code that made it. Trees are built from the root
 * down, so that only roots need a cell.
 */
static void json_drop(void *cell)
{
	json_decref(*(json_t **)cell);
}

static json_t **json_cell(Arena *a)
{
	json_t **cell = arena_new(a, json_t *);

	arena_defer(a, json_drop, cell);
	return cell;
}

/* Gives the value away; jansson returns NULL when memory is refused. */
static json_t *set(json_t *o, const char *key, json_t *value)
{
	if (json_object_set_new(o, key, value))
		oom_raise();
	return value;
}

static json_t *push(json_t *a, json_t *value)
{
	if (json_array_append_new(a, value))
		oom_raise();
	return value;
}

static void lines(json_t *a, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		push(a, json_stringn_nocheck(text, n));
		text += n + (text[n] == '\n');
	}
}

static json_t *ex_text(const Plan *p, Ex e)
{
	Buf b;

	buf_init(&b, p->arena);
	ex_print(&b, &p->kernels->program->ex, e);
	return json_string_nocheck(buf_str(&b));
}

static void buffers_json(const Plan *p, json_t *a)
{
	for (size_t i = 0; i < p->buffers.n; i++) {
		const PlanBuffer *b = &p->buffers.p[i];
		json_t *o = push(a, json_object());
		set(o, "kind", json_string(plan_buf_kind_name[b->kind]));
		set(o, "index", json_integer(b->index));
		if (b->value != NO_VALUE)
			set(o, "value", json_integer(b->value));
		set(o, "bytes", ex_text(p, b->bytes));
	}
}

static void launches_json(const Plan *p, json_t *a)
{
	for (size_t i = 0; i < p->launches.n; i++) {
		const PlanLaunch *l = &p->launches.p[i];
		json_t *o = push(a, json_object());
		set(o, "kernel", json_integer(l->kernel));
		set(o, "symbol", json_string(plan_symbol(p->arena, p, l)));
		if (l->once)
			set(o, "once", json_true());
		set(o, "tasks", ex_text(p, l->tasks));
		set(o, "scratch", ex_text(p, l->scratch));
		json_t *bufs = set(o, "buffers", json_array());
		for (size_t j = 0; j < l->buffers.n; j++)
			push(bufs, json_integer(l->buffers.p[j]));
	}
}

static void pair_json(json_t *a, const char *one, uint32_t x, const char *two,
		      uint32_t y)
{
	json_t *o = push(a, json_object());

	set(o, one, json_integer(x));
	set(o, two, json_integer(y));
}

/* The bindings that a plan serves: everything else compiles another. */
static void guards_json(const Plan *p, json_t *a)
{
	const ExprTab *t = &p->kernels->program->ex;

	for (size_t i = 0; i < t->dims.n; i++)
		push(a, json_string_nocheck(arena_printf(
				p->arena, "%lld <= %s <= %lld",
				(long long)t->dims.p[i].lo, t->dims.p[i].name,
				(long long)t->dims.p[i].hi)));
	push(a, json_string("strides row-major, data aligned to the dtype; "
			    "others are copied and reported"));
}

static void accumulators_json(const Plan *p, json_t *a)
{
	for (size_t i = 0; i < p->source->values.n; i++) {
		if (p->acc[i] == ACC_IEEE)
			continue;
		json_t *o = push(a, json_object());
		set(o, "value", json_integer((json_int_t)i));
		set(o, "acc", json_string(acc_kind_name[p->acc[i]]));
	}
}

/* `contract mr=6 nr=32 ...`; a user's function by its name */
static const char *chosen_text(const Plan *p, const Kernel *k)
{
	Buf b;

	buf_init(&b, p->arena);
	buf_puts(&b, k->realisation);
	if (kernel_foreign(k) && k->params.n == 1) {
		buf_printf(&b, " %s=%s", k->params.p[0].name,
			   kernel_foreign(k)->name);
		return buf_str(&b);
	}
	for (size_t i = 0; i < k->params.n; i++)
		buf_printf(&b, " %s=%lld", k->params.p[i].name,
			   (long long)k->params.p[i].value);
	return buf_str(&b);
}

/* What made the kernels of the program of stage 2, for whoever edits it. */
static void choices_json(const Plan *p, json_t *o)
{
	json_t *pins = set(o, "pins", json_array());
	json_t *kernels = set(o, "kernels", json_array());

	for (size_t i = 0; i < p->pins.n; i++)
		push(pins, json_string_nocheck(p->pins.p[i]));
	for (size_t i = 0; i < p->kernels->kernels.n; i++)
		push(kernels, json_string_nocheck(chosen_text(
				      p, &p->kernels->kernels.p[i])));
}

static void body_json(const Plan *p, json_t *o)
{
	Buf b;

	set(o, "format", json_integer(PLAN_FORMAT));
	set(o, "target", json_string(p->target));
	set(o, "compiler", json_string_nocheck(p->compiler));
	set(o, "flags", json_string_nocheck(p->flags));
	buf_init(&b, p->arena);
	program_print(p->source, &b);
	lines(set(o, "program", json_array()), buf_str(&b));
	choices_json(p, set(o, "choices", json_object()));
	buf_init(&b, p->arena);
	kernels_print(p->kernels, &b);
	lines(set(o, "kernels", json_array()), buf_str(&b));
	guards_json(p, set(o, "guards", json_array()));
	buffers_json(p, set(o, "buffers", json_array()));
	json_t *slots = set(o, "slots", json_array());
	for (size_t i = 0; i < p->slots.n; i++)
		push(slots, ex_text(p, p->slots.p[i]));
	launches_json(p, set(o, "launches", json_array()));
	json_t *copies = set(o, "copies", json_array());
	for (size_t i = 0; i < p->copies.n; i++)
		pair_json(copies, "result", p->copies.p[i].result, "buffer",
			  p->copies.p[i].from);
	json_t *donations = set(o, "donations", json_array());
	for (size_t i = 0; i < p->donations.n; i++)
		pair_json(donations, "input", p->donations.p[i].input, "result",
			  p->donations.p[i].result);
	if (p->acc)
		accumulators_json(p, set(o, "accumulators", json_array()));
	json_t *sources = set(o, "sources", json_array());
	for (size_t i = 0; i < p->sources.n; i++)
		lines(push(sources, json_array()), p->sources.p[i]);
}

typedef struct Dump {
	Buf b;
	bool refused;
} Dump;

/* Nothing may unwind through jansson. */
static int dump_add(const char *text, size_t n, void *to)
{
	Dump *d = to;
	OomTrap trap;

	if (OOM_TRAP(&trap)) {
		d->refused = true;
		return -1;
	}
	buf_write(&d->b, text, n);
	oom_trap_pop(&trap);
	return 0;
}

/* jansson passes over a refusal where it writes a key, so we remember it. */
static const char *dump(Arena *a, const json_t *j, size_t flags)
{
	Dump *d = arena_new(a, Dump);

	buf_init(&d->b, a);
	if (json_dump_callback(j, dump_add, d, flags) || d->refused)
		oom_raise();
	return buf_str(&d->b);
}

/* A SHA-256 of each part, then one over these: the identity. */
static void hashes_json(Plan *p, Arena *a, json_t *body, json_t *hashes)
{
	Sha256 *all = sha256_new(a);
	const char *key;
	json_t *value;

	json_object_foreach(body, key, value)
	{
		char hex[SHA256_HEX];
		const char *text =
			dump(a, value, JSON_COMPACT | JSON_ENCODE_ANY);
		sha256_hex(text, strlen(text), hex);
		sha256_add(all, key, strlen(key) + 1);
		sha256_add(all, hex, SHA256_HEX);
		set(hashes, key, json_string(hex));
	}
	sha256_end(all, p->identity);
}

/* Fills the identity; the text only if it is wanted. */
static const char *plan_text(Plan *p, Arena *a, bool wanted)
{
	json_t **o = json_cell(a), **body = json_cell(a);

	*o = json_object();
	*body = json_object();
	if (!*o || !*body)
		oom_raise();
	body_json(p, *body);
	/* first in the file, filled when the parts' hashes are known */
	set(*o, "tenon_plan", json_string(""));
	hashes_json(p, a, *body, set(*o, "sha256", json_object()));
	if (!wanted)
		return NULL;
	set(*o, "tenon_plan", json_string(p->identity));
	if (json_object_update(*o, *body))
		oom_raise();
	return arena_printf(p->arena, "%s\n", dump(a, *o, JSON_INDENT(1)));
}

static const char *plan_made(Plan *p, bool wanted)
{
	Arena own;
	OomTrap trap;

	arena_init(&own);
	if (OOM_TRAP(&trap)) {
		arena_release(&own);
		oom_raise();
	}
	const char *text = plan_text(p, &own, wanted);
	oom_trap_pop(&trap);
	arena_release(&own);
	return text;
}

const char *plan_json(Plan *p)
{
	return plan_made(p, true);
}

const char *plan_identity(Plan *p)
{
	if (!p->identity[0])
		plan_made(p, false);
	return p->identity;
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

static bool read_accumulators(Ctx *ctx, Arena *a, const char *path, json_t *o,
			      PlanParts *out)
{
	const json_t *list = json_object_get(o, "accumulators");

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *x = json_array_get(list, i);
		const json_t *value = json_object_get(x, "value");
		const char *name = json_string_value(json_object_get(x, "acc"));
		json_int_t v = json_integer_value(value);
		PlanAcc acc = {0};
		if (!json_is_integer(value) || v < 0 || v >= NO_VALUE ||
		    !name || !acc_kind_parse(name, &acc.acc))
			return refuse(ctx, path, "no such accumulator");
		acc.value = (ValueId)v;
		VEC_PUSH(a, out->acc, acc);
	}
	return true;
}

static bool read_choices(Ctx *ctx, Arena *a, const char *path, json_t *o,
			 PlanParts *out)
{
	const json_t *choices = json_object_get(o, "choices");
	const json_t *pins = json_object_get(choices, "pins");
	const json_t *kernels = json_object_get(choices, "kernels");

	if (!json_is_array(pins) || !json_is_array(kernels))
		return refuse(ctx, path, "no lists `choices`");
	for (size_t i = 0; i < json_array_size(pins); i++) {
		const char *s = json_string_value(json_array_get(pins, i));
		if (!s)
			return refuse(ctx, path, "a pin that is no text");
		VEC_PUSH(a, out->pins, arena_strdup(a, s));
	}
	for (size_t i = 0; i < json_array_size(kernels); i++) {
		const char *s = json_string_value(json_array_get(kernels, i));
		if (!s)
			return refuse(ctx, path, "a choice that is no text");
		VEC_PUSH(a, out->chosen, arena_strdup(a, s));
	}
	return true;
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
	return read_choices(ctx, a, path, o, out) &&
	       read_accumulators(ctx, a, path, o, out);
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

static bool parts_from(Ctx *ctx, Arena *a, Arena *own, const char *path,
		       const char *text, size_t len, bool edited,
		       PlanParts *out)
{
	json_t **o = json_cell(own);
	json_error_t e;

	*o = json_loadb(text, len, JSON_REJECT_DUPLICATES, &e);
	/* where jansson tells it at all, by a code or by no text */
	if (!*o &&
	    (!e.text[0] || json_error_code(&e) == json_error_out_of_memory))
		oom_raise();
	if (!*o)
		return refuse(ctx, path,
			      arena_printf(a,
					   "not JSON: line %d, column %d: %s",
					   e.line, e.column, e.text));
	return (edited || check_hashes(ctx, own, path, *o)) &&
	       read_parts(ctx, a, path, *o, out);
}

bool plan_parts(Ctx *ctx, Arena *a, const char *path, const char *text,
		size_t len, bool edited, PlanParts *out)
{
	Arena own;
	OomTrap trap;

	arena_init(&own);
	if (OOM_TRAP(&trap)) {
		arena_release(&own);
		oom_raise();
	}
	bool ok = parts_from(ctx, a, &own, path, text, len, edited, out);
	oom_trap_pop(&trap);
	arena_release(&own);
	return ok;
}
