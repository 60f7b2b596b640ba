/*
 * explain_json: Part A and Part B as one JSON object (docs/json.md).
 */
#include "driver/explain.h"

#include <string.h>

typedef struct Json {
	Buf *b;
	bool first; /* nothing written yet at this level */
} Json;

static void key(Json *j, const char *name)
{
	buf_puts(j->b, j->first ? "" : ", ");
	j->first = false;
	buf_json_string(j->b, name);
	buf_puts(j->b, ": ");
}

static void text(Json *j, const char *name, const char *value)
{
	key(j, name);
	buf_json_string(j->b, value ? value : "");
}

static void number(Json *j, const char *name, long long value)
{
	key(j, name);
	buf_printf(j->b, "%lld", value);
}

static Json open_item(Buf *b, size_t i)
{
	buf_puts(b, i ? ",\n    {" : "\n    {");
	return (Json){b, true};
}

static void truth(Json *j, const char *name, bool value)
{
	key(j, name);
	buf_puts(j->b, value ? "true" : "false");
}

static void value_id(Json *j, const char *name, ValueId v)
{
	key(j, name);
	buf_printf(j->b, "%u", v);
}

static const char *ex_text(Arena *a, const ExprTab *t, Ex e)
{
	Buf b;

	buf_init(&b, a);
	ex_print(&b, t, e);
	return buf_str(&b);
}

static void values(Buf *b, Arena *a, const Program *p, const Kernels *ks)
{
	for (ValueId v = 0; v < p->values.n; v++) {
		const Value *val = program_value(p, v);
		Json j = open_item(b, v);
		value_id(&j, "id", v);
		text(&j, "name", val->name);
		text(&j, "dtype", dtype_info[val->dtype].name);
		key(&j, "shape");
		buf_putc(b, '[');
		for (int d = 0; d < val->rank; d++) {
			buf_puts(b, d ? ", " : "");
			buf_json_string(b, ex_text(a, &p->ex, val->shape[d]));
		}
		buf_putc(b, ']');
		text(&j, "formula", explain_formula(a, p, v));
		text(&j, "boundary", explain_meaning(a, p, v));
		if (ks)
			text(&j, "place", explain_place(a, ks, v));
		number(&j, "line", val->loc.line);
		buf_putc(b, '}');
	}
}

static void rewrites(Buf *b, const TenonPlan *p)
{
	for (size_t i = 0; i < p->log.hits.n; i++) {
		Json j = open_item(b, i);
		text(&j, "rule", p->log.hits.p[i].rule);
		text(&j, "what", p->log.hits.p[i].what);
		buf_putc(b, '}');
	}
}

static void id_list(Json *j, const char *name, const ValueId *v, size_t n)
{
	key(j, name);
	buf_putc(j->b, '[');
	for (size_t i = 0; i < n; i++)
		buf_printf(j->b, "%s%u", i ? ", " : "", v[i]);
	buf_putc(j->b, ']');
}

static void regions(Buf *b, const Regions *r)
{
	for (size_t i = 0; r && i < r->regions.n; i++) {
		const Region *reg = &r->regions.p[i];
		Json j = open_item(b, i);
		text(&j, "kind", region_kind_name[reg->kind]);
		id_list(&j, "values", reg->values.p, reg->values.n);
		value_id(&j, "anchor", reg->anchor);
		id_list(&j, "outputs", reg->outputs.p, reg->outputs.n);
		buf_putc(b, '}');
	}
}

static void decisions(Buf *b, const Regions *r)
{
	for (size_t i = 0; r && i < r->decisions.n; i++) {
		const Decision *d = &r->decisions.p[i];
		Json j = open_item(b, i);
		value_id(&j, "producer", d->producer);
		value_id(&j, "consumer", d->consumer);
		key(&j, "joined");
		buf_puts(b, d->joined ? "true" : "false");
		text(&j, "condition", d->condition);
		text(&j, "values", d->values);
		text(&j, "change", d->change);
		buf_putc(b, '}');
	}
}

static void buffers(Buf *b, Arena *a, const Plan *plan)
{
	for (size_t i = 0; i < plan->buffers.n; i++) {
		const PlanBuffer *pb = &plan->buffers.p[i];
		Json j = open_item(b, i);
		text(&j, "kind", plan_buf_kind_name[pb->kind]);
		number(&j, "index", pb->index);
		if (pb->value != NO_VALUE)
			value_id(&j, "value", pb->value);
		text(&j, "bytes",
		     ex_text(a, &plan->kernels->program->ex, pb->bytes));
		buf_putc(b, '}');
	}
}

static void kernels(Buf *b, const Plan *plan)
{
	for (size_t i = 0; i < plan->kernels->kernels.n; i++) {
		const Kernel *k = &plan->kernels->kernels.p[i];
		Json j = open_item(b, i);
		text(&j, "name", k->name);
		text(&j, "realisation", k->realisation);
		number(&j, "region", k->region);
		key(&j, "parameters");
		buf_putc(b, '{');
		Json params = {b, true};
		for (size_t n = 0; n < k->params.n; n++)
			number(&params, k->params.p[n].name,
			       k->params.p[n].value);
		buf_putc(b, '}');
		text(&j, "note", k->note);
		text(&j, "source", plan->sources.p[i]);
		buf_putc(b, '}');
	}
}

static void launches(Buf *b, Arena *a, const Plan *plan)
{
	for (size_t i = 0; i < plan->launches.n; i++) {
		const PlanLaunch *l = &plan->launches.p[i];
		Json j = open_item(b, i);
		text(&j, "symbol", plan_symbol(a, plan, l));
		truth(&j, "once", l->once);
		text(&j, "tasks",
		     ex_text(a, &plan->kernels->program->ex, l->tasks));
		key(&j, "buffers");
		buf_putc(b, '[');
		for (size_t n = 0; n < l->buffers.n; n++)
			buf_printf(b, "%s%u", n ? ", " : "", l->buffers.p[n]);
		buf_puts(b, "]}");
	}
}

/* Each line that the libraries' choice is told in. */
static void algorithms(Buf *b, Arena *a, const TenonPlan *p)
{
	Buf lines;

	buf_init(&lines, a);
	gpu_tell_algorithms(p, &lines);
	const char *s = buf_str(&lines);
	for (bool first = true; *s; first = false) {
		size_t n;
		s += strspn(s, " ");
		n = strcspn(s, "\n");
		buf_puts(b, first ? "\n    " : ",\n    ");
		buf_json_string(b, arena_strndup(a, s, n));
		s += n + (s[n] == '\n');
	}
}

static void open_list(Json *j, const char *name)
{
	buf_puts(j->b, j->first ? "\n  " : ",\n  ");
	j->first = true;
	key(j, name);
	buf_putc(j->b, '[');
}

void explain_json(TenonPlan *p, Buf *b)
{
	Arena *a = &p->c->ctx.scratch;
	const Plan *plan = p->plan;
	Json j = {b, true};

	buf_putc(b, '{');
	text(&j, "program", p->program->p->name);
	open_list(&j, "values");
	values(b, a, p->program->p, NULL);
	buf_putc(b, ']');
	open_list(&j, "rewrites");
	rewrites(b, p);
	buf_putc(b, ']');
	if (p->rewritten) {
		open_list(&j, "rewritten");
		values(b, a, p->rewritten, plan ? plan->kernels : NULL);
		buf_putc(b, ']');
	}
	open_list(&j, "regions");
	regions(b, p->regions);
	buf_putc(b, ']');
	open_list(&j, "decisions");
	decisions(b, p->regions);
	buf_putc(b, ']');
	if (plan) {
		open_list(&j, "buffers");
		buffers(b, a, plan);
		buf_putc(b, ']');
		open_list(&j, "kernels");
		kernels(b, plan);
		buf_putc(b, ']');
		open_list(&j, "launches");
		launches(b, a, plan);
		buf_putc(b, ']');
		if (p->gpu && kernels_call(plan->kernels)) {
			open_list(&j, "algorithms");
			algorithms(b, a, p);
			buf_putc(b, ']');
		}
		text(&j, "identity", plan_identity(p->plan));
		text(&j, "target", plan->target);
		text(&j, "compiler", plan->compiler);
	}
	buf_puts(b, "\n}\n");
}
