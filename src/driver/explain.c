/*
 * explain: a plan as text, from the author's line to the loop that ran.
 *
 * Part A is stages 1 to 3: values and where each is rounded, what rewriting
 * changed, which values share a kernel and why. Part B is stages 4 to 6:
 * storage, schedule, code, launches.
 */
#include "driver/explain.h"
#include "ir/kernel_text.h"

#include <inttypes.h>
#include <string.h>

/* ---- values ---------------------------------------------------------- */

static void put_shape(Buf *b, const Program *p, const Value *v)
{
	buf_printf(b, "%s[", dtype_info[v->dtype].name);
	for (int d = 0; d < v->rank; d++) {
		if (d)
			buf_puts(b, ", ");
		ex_print(b, &p->ex, v->shape[d]);
	}
	buf_putc(b, ']');
}

static void put_name(Buf *b, const Program *p, ValueId v)
{
	const Value *val = program_value(p, v);

	buf_printf(b, "%%%u", v);
	if (val->name && !val->via)
		buf_printf(b, " %s", val->name);
}

/* Column text of the value's id, name, dtype and shape. */
static const char *value_head(Arena *a, const Program *p, ValueId v)
{
	Buf name, shape;

	buf_init(&name, a);
	buf_init(&shape, a);
	put_name(&name, p, v);
	put_shape(&shape, p, program_value(p, v));
	return arena_printf(a, "%-12s %-18s", buf_str(&name), buf_str(&shape));
}

const char *explain_formula(Arena *a, const Program *p, ValueId v)
{
	const Value *val = program_value(p, v);
	Buf b;

	buf_init(&b, a);
	buf_puts(&b, op_info[val->op].name);
	if (val->op == OP_INPUT)
		buf_printf(&b, " %u", val->index);
	for (uint32_t i = 0; i < val->nargs; i++)
		buf_printf(&b, " %%%u", val->args[i]);
	if (val->op == OP_VIEW) {
		buf_puts(&b, " [");
		const Value *x = program_value(p, val->args[0]);
		for (int d = 0; d < x->rank; d++) {
			buf_puts(&b, d ? ", " : "");
			ex_print(&b, &p->ex, val->map[d]);
		}
		buf_putc(&b, ']');
	}
	if (val->via)
		buf_printf(&b, "  (from %s)", val->via);
	return buf_str(&b);
}

/* Whether @contract(tf32) says something of the product. */
static bool may_cut(const Program *p, const Value *v)
{
	return v->op == OP_MATMUL && (v->relax & RELAX_TF32) &&
	       v->acc == DT_F32 &&
	       program_value(p, v->args[0])->dtype == DT_F32 &&
	       program_value(p, v->args[1])->dtype == DT_F32;
}

const char *explain_meaning(Arena *a, const Program *p, ValueId v)
{
	const Value *val = program_value(p, v);
	const char *dt = dtype_info[val->dtype].name;

	switch (op_info[val->op].cls) {
	case OPC_LEAF:
		return val->op == OP_INPUT    ? "given by the caller"
		       : val->op == OP_WEIGHT ? "read from a file at load"
					      : "fixed in the program";
	case OPC_VIEW:
		return "a view: moves no data, rounds nothing";
	case OPC_MOVE:
		return val->op == OP_SCATTER_ADD
			       ? arena_printf(a, "each addition rounded to %s",
					      dt)
			       : "moves elements, rounds nothing";
	case OPC_CONTRACT:
	case OPC_REDUCE:
	case OPC_SCAN:
		if (op_has(val->op, 'X'))
			return "exact: rounds nothing";
		return arena_printf(a,
				    "%ssums in %s in any order, then rounded "
				    "once to %s",
				    may_cut(p, val)
					    ? "operands may be taken in TF32, "
					    : "",
				    dtype_info[val->acc].name, dt);
	case OPC_ELEM:
		break;
	}
	if (op_has(val->op, 'X'))
		return "exact: rounds nothing";
	if (!dtype_is_float(val->dtype))
		return "integers wrap";
	if (op_info[val->op].ulp > 0)
		return arena_printf(a, "within %g ulp, then rounded to %s",
				    op_info[val->op].ulp, dt);
	return arena_printf(a, "rounded once to %s", dt);
}

/* ---- where a boundary is in the kernels ------------------------------ */

typedef struct Place {
	const char *kernel, *phase, *how;
} Place;

static bool find_in(const StmtList *list, ValueId v, const Stmt **out)
{
	bool found = false;

	for (size_t i = 0; i < list->n; i++) {
		const Stmt *s = list->p[i];
		bool makes = s->value == v &&
			     (s->kind == ST_ROUND || s->kind == ST_OP ||
			      s->kind == ST_ARG);
		if (makes) {
			*out = s;
			found = true;
		}
		found |= find_in(&s->body, v, out);
		found |= find_in(&s->orelse, v, out);
	}
	return found;
}

/* Of a user's function; "": the kernel is none. */
static const char *users_place(Arena *a, const Kernel *k)
{
	const KForeign *f = kernel_foreign(k);

	return f ? arena_printf(a, "%s.%s, as %s has it, which nobody proves",
				k->name, k->phases.p[0].name, f->file)
		 : "";
}

const char *explain_place(Arena *a, const Kernels *ks, ValueId v)
{
	Buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < ks->kernels.n; i++) {
		const Kernel *k = &ks->kernels.p[i];
		for (size_t j = 0; j < k->phases.n; j++) {
			const Stmt *s;
			if (!find_in(&k->phases.p[j].body, v, &s))
				continue;
			buf_printf(&b, "%s%s.%s, in registers", b.n ? "; " : "",
				   k->name, k->phases.p[j].name);
		}
		for (size_t j = 0; j < k->buffers.n; j++)
			if (k->buffers.p[j].value == v &&
			    k->buffers.p[j].scope == SCOPE_OUT)
				buf_printf(&b, "%s, stored to %s",
					   users_place(a, k),
					   k->buffers.p[j].name);
	}
	return buf_str(&b);
}

/* ---- Part A ---------------------------------------------------------- */

/* The author's lines, from the def to the last line a value names. */
static void source_lines(Buf *b, const Ctx *ctx, const Program *p)
{
	uint32_t first = p->loc.line, last = first, line = 1;

	if (p->loc.line == 0 || p->loc.file >= ctx->sources.n)
		return;
	const Source *src = &ctx->sources.p[p->loc.file];
	for (size_t i = 0; i < p->values.n; i++) {
		const Loc *l = &p->values.p[i].loc;
		if (l->file == p->loc.file && l->line > last)
			last = l->line;
	}
	for (size_t i = 0; i < p->results.n; i++)
		if (p->results.p[i].loc.file == p->loc.file &&
		    p->results.p[i].loc.line > last)
			last = p->results.p[i].loc.line;
	for (const char *s = src->text; *s && line <= last; line++) {
		size_t n = strcspn(s, "\n");
		if (line >= first)
			buf_printf(b, "%6u | %.*s\n", line, (int)n, s);
		s += n + (s[n] == '\n');
	}
}

static void put_line_of(Buf *b, const Value *v)
{
	if (v->loc.line)
		buf_printf(b, "  line %u", v->loc.line);
}

static void stage_program(Buf *b, Arena *a, const TenonPlan *p)
{
	const Program *prog = p->program->p;

	buf_puts(b, "1  Program: what is computed, and where values are "
		    "rounded\n");
	for (ValueId v = 0; v < prog->values.n; v++) {
		buf_printf(b, "   %s = %-26s %s", value_head(a, prog, v),
			   explain_formula(a, prog, v),
			   explain_meaning(a, prog, v));
		put_line_of(b, program_value(prog, v));
		buf_putc(b, '\n');
	}
	buf_puts(b, "   returns");
	for (size_t i = 0; i < prog->results.n; i++)
		buf_printf(b, "%s %s = %%%u", i ? "," : "",
			   prog->results.p[i].name, prog->results.p[i].value);
	buf_puts(b, "\n\n");
}

static void stage_rewritten(Buf *b, Arena *a, const TenonPlan *p)
{
	buf_puts(b, "2  Rewritten: equal programs by exact rules\n");
	for (size_t i = 0; i < p->log.hits.n; i++)
		buf_printf(b, "   %-14s %s\n", p->log.hits.p[i].rule,
			   p->log.hits.p[i].what);
	if (!p->log.hits.n)
		buf_puts(b, "   nothing to do\n");
	if (p->rewritten)
		for (ValueId v = 0; v < p->rewritten->values.n; v++)
			buf_printf(b, "   %s = %s\n",
				   value_head(a, p->rewritten, v),
				   explain_formula(a, p->rewritten, v));
	buf_putc(b, '\n');
}

static void put_values(Buf *b, const Regions *r, const Region *reg, Part part,
		       const char *what)
{
	bool any = false;

	for (size_t i = 0; i < reg->values.n; i++) {
		ValueId v = reg->values.p[i];
		if (r->part[v] != part)
			continue;
		buf_printf(b, "%s", any ? ", " : what);
		put_name(b, r->program, v);
		any = true;
	}
}

static void observed(Buf *b, const Regions *r)
{
	const Program *p = r->program;
	Uses u = program_uses(r->arena, p);

	for (ValueId v = 0; v < p->values.n; v++) {
		if (!u.is_result[v] || u.first[v] == u.first[v + 1] ||
		    op_info[program_value(p, v)->op].cls == OPC_LEAF)
			continue;
		buf_puts(b, "   observed: ");
		put_name(b, p, v);
		buf_printf(b, " is a result and an operand. It gets a buffer "
			      "and a store; its consumers go on from the same "
			      "rounded bits. Were it not returned, the buffer "
			      "and the store would go; the rounding stays "
			      "either way.\n");
	}
}

static void stage_regions(Buf *b, const TenonPlan *p)
{
	const Regions *r = p->regions;

	if (!r)
		return;
	buf_puts(b, "3  Regions: values that share a kernel\n");
	for (size_t i = 0; i < r->regions.n; i++) {
		const Region *reg = &r->regions.p[i];
		buf_printf(b, "   r%zu %-10s", i, region_kind_name[reg->kind]);
		put_values(b, r, reg, PART_PROLOGUE, "loads: ");
		put_values(b, r, reg, PART_ANCHOR, " product: ");
		put_values(b, r, reg, PART_EPILOGUE, " tile: ");
		put_values(b, r, reg, PART_BODY,
			   reg->kind == REGION_ATTENTION ? " rows: " : " ");
		buf_puts(b, "  stores");
		for (size_t j = 0; j < reg->outputs.n; j++)
			buf_printf(b, " %%%u", reg->outputs.p[j]);
		buf_putc(b, '\n');
	}
	for (size_t i = 0; i < r->decisions.n; i++) {
		const Decision *d = &r->decisions.p[i];
		buf_printf(b, "   %%%u -> %%%u %s: %s (%s)\n", d->producer,
			   d->consumer, d->joined ? "joined" : "kept apart",
			   d->condition, d->values);
		if (d->change && *d->change)
			buf_printf(b, "       would change it: %s\n",
				   d->change);
	}
	observed(b, r);
	buf_putc(b, '\n');
}

/* ---- Part B ---------------------------------------------------------- */

/* Where the value's rounding happens; NULL when its boundary is dropped. */
static const char *boundary_place(Arena *a, const TenonPlan *p, ValueId v)
{
	const Kernels *ks = p->plan->kernels;
	const Value *val = program_value(ks->program, v);
	const char *at = explain_place(a, ks, v);

	for (size_t i = 0; i < ks->kernels.n && !*at; i++)
		if (p->regions && p->regions->of[v] == ks->kernels.p[i].region)
			at = users_place(a, &ks->kernels.p[i]);
	if (*at)
		return at;
	if (op_has(val->op, 'X'))
		return "done where it is read";
	return NULL;
}

static void stage_boundaries(Buf *b, Arena *a, const TenonPlan *p)
{
	const Kernels *ks = p->plan->kernels;
	const Program *prog = ks->program;

	buf_puts(b, "   where each boundary is\n");
	for (ValueId v = 0; v < prog->values.n; v++) {
		const Value *val = program_value(prog, v);
		OpClass cls = op_info[val->op].cls;
		if (cls == OPC_LEAF || cls == OPC_VIEW)
			continue;
		const char *at = boundary_place(a, p, v);
		if (at)
			buf_printf(b, "   %s %s: %s\n", value_head(a, prog, v),
				   explain_meaning(a, prog, v), at);
		else
			buf_printf(b,
				   "   %s boundary dropped by "
				   "@contract(single_rounding): the %s sum "
				   "goes on unrounded, which saves a rounding "
				   "an element\n",
				   value_head(a, prog, v),
				   dtype_info[val->acc].name);
	}
	buf_putc(b, '\n');
}

static void stage_storage(Buf *b, const TenonPlan *p)
{
	const Plan *plan = p->plan;
	const Program *prog = plan->kernels->program;

	buf_puts(b, "4  Storage\n");
	for (size_t i = 0; i < plan->buffers.n; i++) {
		const PlanBuffer *pb = &plan->buffers.p[i];
		buf_printf(b, "   b%zu %-9s", i, plan_buf_kind_name[pb->kind]);
		if (pb->kind == PLAN_TEMP)
			buf_printf(b, " slot %u", pb->index);
		buf_puts(b, "  ");
		ex_print(b, &prog->ex, pb->bytes);
		buf_puts(b, " bytes  ");
		if (pb->value != NO_VALUE)
			put_name(b, prog, pb->value);
		else if (pb->kind == PLAN_KEPT)
			buf_puts(b, "filled once, kept with the weights");
		else
			buf_puts(b, "shared by the phases of one kernel");
		buf_putc(b, '\n');
	}
	for (size_t i = 0; i < plan->launches.n; i++) {
		const PlanLaunch *l = &plan->launches.p[i];
		if (l->phase || ex_equals(&prog->ex, l->scratch, 0))
			continue;
		buf_printf(b, "   scratch of %s  ",
			   plan->kernels->kernels.p[l->kernel].name);
		ex_print(b, &prog->ex, l->scratch);
		buf_puts(b, " bytes a worker\n");
	}
	for (size_t i = 0; i < plan->copies.n; i++)
		buf_printf(b, "   result %u is copied from b%u\n",
			   plan->copies.p[i].result, plan->copies.p[i].from);
	for (size_t i = 0; i < plan->donations.n; i++)
		buf_printf(b, "   result %u may lie in input %u's buffer\n",
			   plan->donations.p[i].result,
			   plan->donations.p[i].input);
	buf_putc(b, '\n');
}

static void indented(Buf *b, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		buf_puts(b, "   ");
		buf_write(b, text, n);
		buf_putc(b, '\n');
		text += n + (text[n] == '\n');
	}
}

static void stage_kernels(Buf *b, Arena *a, const TenonPlan *p)
{
	const Kernels *ks = p->plan->kernels;

	buf_puts(b, "5  Schedule: each kernel as a tile-level loop program\n");
	for (size_t i = 0; i < ks->kernels.n; i++) {
		Buf k;
		buf_init(&k, a);
		kernel_print(ks, &ks->kernels.p[i], &k);
		indented(b, buf_str(&k));
		buf_putc(b, '\n');
	}
}

/* The C function of a launch, out of its source. */
static void code_of(Buf *b, const char *source, const char *symbol)
{
	const char *def = source;
	size_t n = strlen(symbol);

	for (; (def = strstr(def, symbol)); def += n) {
		if (def[n] != '(')
			continue;
		while (def > source && def[-1] != '\n')
			def--;
		const char *end = strstr(def, "\n}\n");
		const char *brace = strchr(def, '{');
		const char *semi = strchr(def, ';');
		if (!end || !brace || (semi && semi < brace)) {
			def = strstr(def, symbol);
			continue;
		}
		buf_write(b, def, (size_t)(end - def) + 3);
		return;
	}
}

/* ---- code, with written-out repetitions told once ------------------- */

typedef struct Lines {
	const char **at;
	size_t *len;
	size_t n;
} Lines;

static Lines split_lines(Arena *a, const char *text)
{
	Lines l = {0};
	size_t count = 1;

	for (const char *s = text; *s; s++)
		count += *s == '\n';
	l.at = arena_array(a, const char *, count);
	l.len = arena_array(a, size_t, count);
	while (*text) {
		size_t n = strcspn(text, "\n");
		l.at[l.n] = text;
		l.len[l.n++] = n;
		text += n + (text[n] == '\n');
	}
	return l;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Equal but for the numbers in them. */
static bool same_form(const Lines *l, size_t i, size_t j)
{
	const char *x = l->at[i], *y = l->at[j];
	const char *xe = x + l->len[i], *ye = y + l->len[j];

	while (x < xe && y < ye) {
		if (is_digit(*x) && is_digit(*y)) {
			while (x < xe && is_digit(*x))
				x++;
			while (y < ye && is_digit(*y))
				y++;
			continue;
		}
		if (*x++ != *y++)
			return false;
	}
	return x == xe && y == ye;
}

/* How often the `period` lines at i stand there one after another. */
static size_t repeats(const Lines *l, size_t i, size_t period)
{
	size_t n = 1;

	for (;; n++)
		for (size_t k = 0; k < period; k++) {
			size_t at = i + n * period + k;
			if (at >= l->n || !same_form(l, i + k, at))
				return n;
		}
}

#define MAX_PERIOD  32
#define MIN_REPEATS 3

static void put_code(Buf *b, Arena *a, const char *text)
{
	Lines l = split_lines(a, text);

	for (size_t i = 0; i < l.n;) {
		size_t period = 1, n = 1;
		for (size_t p = 1; p <= MAX_PERIOD && n < MIN_REPEATS; p++) {
			period = p;
			n = repeats(&l, i, p);
		}
		if (n < MIN_REPEATS)
			period = n = 1;
		for (size_t k = 0; k < period; k++)
			buf_printf(b, "   %.*s\n", (int)l.len[i + k],
				   l.at[i + k]);
		if (n > 1)
			buf_printf(b, "   \t... and %zu more of this form\n",
				   n - 1);
		i += n * period;
	}
}

/* What the compiler made of a launch. */
static void put_built(Buf *b, TenonPlan *p, size_t i)
{
	TenonCode c;

	if (!built_code(p, i, &c))
		return;
	buf_printf(b, "      %d registers, ", c.registers);
	if (c.spilled)
		buf_printf(b, "%" PRId64 " bytes spilled, ", c.spilled);
	else
		buf_puts(b, "no spills, ");
	if (c.shared >= 0)
		buf_printf(b, "%" PRId64 " bytes of a block's memory, ",
			   c.shared);
	buf_printf(b, "%" PRId64 " bytes of code%s%s\n", c.code,
		   *c.matrix ? ", " : "", c.matrix);
}

static void stage_code(Buf *b, Arena *a, TenonPlan *p)
{
	const Plan *plan = p->plan;

	buf_puts(b, "6  Code and launches\n");
	for (size_t i = 0; i < plan->launches.n; i++) {
		const PlanLaunch *l = &plan->launches.p[i];
		const char *symbol = plan_symbol(a, plan, l);
		buf_printf(b, "   launch %zu: %s, %stasks = ", i, symbol,
			   l->once ? "once a binding, " : "");
		ex_print(b, &plan->kernels->program->ex, l->tasks);
		buf_puts(b, ", buffers");
		for (size_t j = 0; j < l->buffers.n; j++)
			buf_printf(b, " b%u", l->buffers.p[j]);
		buf_puts(b, "\n");
		put_built(b, p, i);
	}
	buf_putc(b, '\n');
	for (size_t i = 0; i < plan->launches.n; i++) {
		const PlanLaunch *l = &plan->launches.p[i];
		Buf code;
		buf_init(&code, a);
		code_of(&code, plan->sources.p[l->kernel],
			plan_symbol(a, plan, l));
		put_code(b, a, buf_str(&code));
		buf_putc(b, '\n');
	}
	buf_printf(b, "plan %s\n     target %s, compiler %s\n",
		   plan_identity(p->plan), plan->target,
		   *plan->compiler ? plan->compiler : "not run");
	if (!p->gpu)
		return;
	gpu_tell(p, b);
	gpu_tell_algorithms(p, b);
}

void explain_text(TenonPlan *p, Buf *b)
{
	Arena *a = &p->c->ctx.scratch;

	buf_printf(b, "%s\n\n", p->program->p->name);
	source_lines(b, &p->c->ctx, p->program->p);
	buf_puts(b, "\nPart A: from semantics to kernel boundaries\n\n");
	stage_program(b, a, p);
	stage_rewritten(b, a, p);
	stage_regions(b, p);
	if (!p->plan)
		return;
	buf_puts(b, "Part B: storage, schedule, code, launches\n\n");
	stage_boundaries(b, a, p);
	stage_storage(b, p);
	explain_field(b, a, p);
	stage_kernels(b, a, p);
	stage_code(b, a, p);
}

TenonError tenon_explain(TenonPlan *p, bool json, TenonWriter *w, void *arg)
{
	API_ENTER(p->c);
	Buf b;
	arena_clear(&p->c->ctx.scratch);
	buf_init(&b, &p->c->ctx.scratch);
	if (json)
		explain_json(p, &b);
	else
		explain_text(p, &b);
	w(arg, buf_str(&b), b.n);
	return API_LEAVE(p->c, true);
}
