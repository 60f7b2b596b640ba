/* realise: chooses a realisation for every region, by the rule and pins. */
#include "realise/realise.h"

#include <stdlib.h>
#include <string.h>

static const Realisation *const cpu_table[] = {
	&realise_external,
	&realise_cpu_library,
	&realise_contract,
	&realise_attention,
	&realise_rowreduce,
	&realise_loop,
	NULL,
};
static const Realisation *const gpu_table[] = {
	&realise_external,
	&realise_library,
	&realise_gpu_contract,
	&realise_gpu_attention,
	&realise_rowreduce,
	&realise_loop,
	NULL,
};

static const Realisation *const *table_of(const Target *t)
{
	return t->threads ? gpu_table : cpu_table;
}

static bool pin_error(Ctx *ctx, const Pin *pin, const char *why)
{
	return diag_fail(ctx, ERR_USAGE,
			 "a pin that cannot be met is refused; leave it out "
			 "to let the rule choose",
			 "--pin %s: %s", pin->text, why);
}

static bool known_param(const Realisation *re, const char *name)
{
	for (const char *const *p = re->params; *p; p++)
		if (!strcmp(*p, name))
			return true;
	return false;
}

/* Pins must name a realisation and a parameter of it. */
static bool check_pins(Ctx *ctx, Arena *a, const Target *t, const Pin *pins,
		       size_t n)
{
	const Realisation *const *table = table_of(t);

	for (size_t i = 0; i < n; i++) {
		const Realisation *re = NULL;
		for (size_t j = 0; table[j]; j++)
			if (!strcmp(table[j]->name, pins[i].realisation))
				re = table[j];
		if (!re)
			return pin_error(ctx, &pins[i],
					 "no such realisation (contract, "
					 "attention, rowreduce, loop, library; "
					 "join.VALUE=yes|no; attention.join, "
					 "contract.join and contract.hold "
					 "=0|1)");
		if (!known_param(re, pins[i].param)) {
			Buf b;
			buf_init(&b, a);
			buf_printf(&b, "%s has the parameters", re->name);
			for (const char *const *p = re->params; *p; p++)
				buf_printf(&b, " %s", *p);
			return pin_error(ctx, &pins[i], buf_str(&b));
		}
	}
	return true;
}

/* The last pin that changed the candidate, or NULL. */
static const Pin *apply_pins(const Realisation *re, Candidate *c, Pin *pins,
			     size_t npins, bool pinned[MAX_PARAMS])
{
	const Pin *last = NULL;

	for (size_t i = 0; i < npins; i++) {
		if (strcmp(pins[i].realisation, re->name))
			continue;
		for (size_t j = 0; j < c->nparams; j++)
			if (!strcmp(c->params[j].name, pins[i].param)) {
				c->params[j].value = pins[i].value;
				pins[i].used = pinned[j] = true;
				last = &pins[i];
			}
	}
	return last;
}

static bool is_library(const Realisation *re)
{
	return re == &realise_library || re == &realise_cpu_library;
}

static const Realisation *choose(Arena *a, const Regions *r, uint32_t region,
				 const Target *t)
{
	const Realisation *const *table = table_of(t);

	for (size_t i = 0; table[i]; i++) {
		/* by a pin alone: the rule measures nothing */
		if (is_library(table[i]) && !t->library)
			continue;
		if (table[i] == &realise_external) {
			Candidate c = realise_external.rule(r, region, t);
			c.params[0].value = t->external_pinned;
			if (realise_external.legal(a, r, region, t, &c))
				continue;
		}
		if (!table[i]->admit(a, r, region))
			return table[i];
	}
	bug("region %u: no realisation admits it", region);
}

/* A product for a library or a user's kernel is kept apart, whoever computes
 * it then; which unit a product has decides what may be joined to it. */
bool pin_shapes_regions(const Pin *p)
{
	static const char *const pins[][2] = {{"library", "product"},
					      {"external", "kernel"},
					      {"contract", "unit"}};

	for (size_t i = 0; i < ARRAY_LEN(pins); i++)
		if (!strcmp(p->realisation, pins[i][0]) &&
		    !strcmp(p->param, pins[i][1]))
			return true;
	return false;
}

Target target_pinned(const Target *t, const Pin *pins, size_t n)
{
	Target out = *t;

	out.external_pinned = -1;

	for (size_t i = 0; i < n; i++) {
		if (!strcmp(pins[i].realisation, "external"))
			out.external_pinned = pins[i].value;
		if (!strcmp(pins[i].realisation, "library") &&
		    !strcmp(pins[i].param, "product"))
			out.library = true;
		if (strcmp(pins[i].realisation, "contract") ||
		    strcmp(pins[i].param, "unit"))
			continue;
		size_t u = 0;
		while (u < t->nunits &&
		       t->units[u] != (MatrixUnit)pins[i].value)
			u++;
		out.units = t->units + u;
		out.nunits = u < t->nunits;
		out.unit_pinned = true;
	}
	return out;
}

/* Threads wait for each other where they must, and nowhere else. */
static void add_barriers(Kernels *ks, Kernel *k)
{
	StmtList *list;
	size_t at;

	for (size_t i = 0; i < k->phases.n; i++) {
		const Phase *ph = &k->phases.p[i];
		while (ph->threads &&
		       phase_hazard(ks->arena, ks, k, ph, &list, &at)) {
			if (!list)
				bug("kernel %s: a copy that nothing waits for",
				    k->name);
			Stmt *s = arena_new(ks->arena, Stmt);
			*s = (Stmt){.kind = ST_BARRIER,
				    .var = NO_VAR,
				    .value = NO_VALUE};
			VEC_PUSH(ks->arena, *list, s);
			memmove(list->p + at + 1, list->p + at,
				(list->n - 1 - at) * sizeof(*list->p));
			list->p[at] = s;
		}
	}
}

/* Parameters that are named take the value they have there. */
static void take(Candidate *c, const Candidate *from)
{
	for (size_t i = 0; i < from->nparams; i++)
		for (size_t j = 0; j < c->nparams; j++)
			if (!strcmp(c->params[j].name, from->params[i].name))
				c->params[j].value = from->params[i].value;
}

/* The rule's choice, or what was chosen, with the pins; NULL: reported. */
static const Realisation *decide(Ctx *ctx, Arena *a, const Regions *r,
				 uint32_t region, const Target *t, Pin *pins,
				 size_t npins, const Chosen *chosen,
				 Candidate *c)
{
	const Realisation *re = chosen ? chosen[region].realisation : NULL;
	bool pinned[MAX_PARAMS] = {false};

	const char *no = re ? re->admit(a, r, region) : NULL;
	if (no) {
		diag_fail(ctx, ERR_PROGRAM, NULL,
			  "refused: kernel k%u cannot be %s: %s", region,
			  re->name, no);
		return NULL;
	}
	if (!re)
		re = choose(a, r, region, t);
	*c = re->rule(r, region, t);
	if (chosen)
		take(c, &chosen[region].candidate);
	const Pin *last = apply_pins(re, c, pins, npins, pinned);
	if (last && re->settle)
		re->settle(r, region, t, c, pinned);
	const char *why = re->legal(a, r, region, t, c);
	if (!why)
		return re;
	if (last) {
		pin_error(ctx, last, why);
		return NULL;
	}
	if (!chosen)
		bug("%s: the rule's choice is illegal: %s", re->name, why);
	diag_fail(ctx, ERR_PROGRAM, NULL, "refused: kernel k%u, %s: %s", region,
		  re->name, why);
	return NULL;
}

/* Why no region uses the pin; of a user's kernel, why each may not. */
static const char *unused(Arena *a, const Regions *r, const Target *t,
			  const Pin *pin)
{
	Buf b;

	buf_init(&b, a);
	buf_puts(&b, "no region of this program uses it");
	for (uint32_t i = 0;
	     !strcmp(pin->realisation, "external") && i < r->regions.n; i++) {
		Candidate c = realise_external.rule(r, i, t);
		c.params[0].value = pin->value;
		const char *why = realise_external.legal(a, r, i, t, &c);
		buf_printf(&b, "%s region %u: %s", i ? ";" : ":", i,
			   why ? why : "a library computes it");
	}
	return buf_str(&b);
}

Kernels *realise_program(Ctx *ctx, Arena *a, const Regions *r, const Target *t,
			 Pin *pins, size_t npins, const Chosen *chosen)
{
	Kernels *ks = arena_new(a, Kernels);
	Target target = target_pinned(t, pins, npins);

	t = &target;
	if (!check_pins(ctx, a, t, pins, npins))
		return NULL;
	ks->arena = a;
	/* The same program: its table of expressions grows, nothing else. */
	ks->program = (Program *)r->program;
	for (uint32_t i = 0; i < r->regions.n; i++) {
		Candidate c;
		const Realisation *re =
			decide(ctx, a, r, i, t, pins, npins, chosen, &c);
		if (!re)
			return NULL;
		Kernel k = {.name = arena_printf(a, "k%u", i),
			    .realisation = re->name,
			    .region = i};
		for (size_t j = 0; j < c.nparams; j++)
			VEC_PUSH(a, k.params, c.params[j]);
		VEC_PUSH(a, ks->kernels, k);
		re->lower(ks, &ks->kernels.p[i], r, t, &c);
		add_barriers(ks, &ks->kernels.p[i]);
		kernel_mark_once(ks, &ks->kernels.p[i]);
	}
	/* a pinned parameter may be of a realisation that is not chosen */
	for (size_t i = 0; !chosen && i < npins; i++)
		if (!pins[i].used) {
			pin_error(ctx, &pins[i], unused(a, r, t, &pins[i]));
			return NULL;
		}
	return ks;
}

/* ---- all candidates -------------------------------------------------- */

/* The rule's value first, then the others. */
static void domain_with(Domain *d, int64_t rule)
{
	size_t n = 1;
	Domain out = {.values = {rule}};

	for (size_t i = 0; i < d->n && n < MAX_DOMAIN; i++) {
		bool there = false;
		for (size_t j = 0; j < n; j++)
			there |= out.values[j] == d->values[i];
		if (!there)
			out.values[n++] = d->values[i];
	}
	out.n = n;
	*d = out;
}

/* The next combination, the last parameter fastest; false: it was the last. */
static bool next_of(const Domain *by, size_t n, size_t *at)
{
	while (n-- > 0) {
		if (++at[n] < by[n].n)
			return true;
		at[n] = 0;
	}
	return false;
}

static bool walk(Arena *a, const Regions *r, uint32_t region, const Target *t,
		 const Realisation *re, const Pin *pins, size_t npins,
		 CandidateFn *fn, void *arg)
{
	Candidate rule = re->rule(r, region, t), c;
	Domain by[MAX_PARAMS] = {{.n = 0}};
	size_t at[MAX_PARAMS] = {0};
	bool pinned[MAX_PARAMS] = {false};
	Pin *own = arena_array(a, Pin, npins + 1); /* that it used them counts
		where it is lowered */

	if (npins > 0)
		memcpy(own, pins, npins * sizeof(*own));
	if (apply_pins(re, &rule, own, npins, pinned) && re->settle)
		re->settle(r, region, t, &rule, pinned);
	c = rule;
	if (re->domain)
		re->domain(r, region, t, by);
	for (size_t i = 0; i < c.nparams; i++) {
		domain_with(&by[i], rule.params[i].value);
		if (pinned[i])
			by[i].n = 1;
	}
	do {
		for (size_t i = 0; i < c.nparams; i++)
			c.params[i].value = by[i].values[at[i]];
		if (!fn(arg, re, &c, re->legal(a, r, region, t, &c)))
			return false;
	} while (next_of(by, c.nparams, at));
	return true;
}

void realise_candidates(Arena *a, const Regions *r, uint32_t region,
			const Target *t, const Pin *pins, size_t npins,
			CandidateFn *fn, void *arg)
{
	Target target = target_pinned(t, pins, npins);
	const Realisation *const *table = table_of(t);
	const Realisation *rule = choose(a, r, region, &target);

	if (!walk(a, r, region, &target, rule, pins, npins, fn, arg))
		return;
	for (size_t i = 0; table[i]; i++) {
		if (table[i] == rule)
			continue;
		const char *why = table[i]->admit(a, r, region);
		/* what is bare for a library's sake is another variant else */
		if (!why && is_library(rule))
			why = "the pin leaves this product to a library";
		if (why ? !fn(arg, table[i], NULL, why)
			: !walk(a, r, region, &target, table[i], pins, npins,
				fn, arg))
			return;
	}
}

void cost_total(Cost *c)
{
	double both = c->compute > c->memory ? c->compute : c->memory;

	c->us = both + c->move + c->start;
}

Cost realise_cost(const Regions *r, uint32_t region, const Target *t,
		  const Chosen *c, const int64_t *dims)
{
	if (!c->realisation->cost)
		return (Cost){0};
	Cost cost = c->realisation->cost(r, region, t, &c->candidate, dims);
	cost_total(&cost);
	return cost;
}

int64_t realise_extent(const Regions *r, Ex extent, const int64_t *dims)
{
	int64_t n;

	return ex_eval_checked(&r->program->ex, extent, dims, NULL, &n) ? n
									: -1;
}

void chosen_print(Buf *b, const Chosen *c)
{
	buf_puts(b, c->realisation->name);
	for (size_t i = 0; i < c->candidate.nparams; i++)
		buf_printf(b, " %s=%lld", c->candidate.params[i].name,
			   (long long)c->candidate.params[i].value);
}

/* The number of a user's kernel from its name, which ends the word. */
static bool external_number(const Target *t, const char *name, int64_t *out)
{
	size_t len = strcspn(name, " ");

	for (size_t i = 0; i < t->nexternals; i++) {
		const External *e = &t->externals[i];
		*out = (int64_t)i;
		if (e->text && strlen(e->name) == len &&
		    !strncmp(e->name, name, len))
			return true;
	}
	return false;
}

bool chosen_parse(const Target *t, const char *text, Chosen *out)
{
	const Realisation *const *table = table_of(t);
	size_t n = strcspn(text, " ");

	*out = (Chosen){0};
	for (size_t i = 0; table[i]; i++)
		if (strlen(table[i]->name) == n &&
		    !strncmp(table[i]->name, text, n))
			out->realisation = table[i];
	if (!out->realisation)
		return false;
	Candidate *c = &out->candidate;
	for (text += n; *text; text += strcspn(text, " ")) {
		char *end;
		while (*text == ' ')
			text++;
		size_t len = strcspn(text, "=");
		const char *name = NULL;
		for (const char *const *p = out->realisation->params; *p; p++)
			if (strlen(*p) == len && !strncmp(*p, text, len))
				name = *p;
		if (!name || text[len] != '=' || c->nparams == MAX_PARAMS)
			return false;
		if (out->realisation == &realise_external &&
		    external_number(t, text + len + 1,
				    &c->params[c->nparams].value)) {
			c->params[c->nparams++].name = name;
			continue;
		}
		int64_t value = strtoll(text + len + 1, &end, 10);
		if (end == text + len + 1 || (*end && *end != ' '))
			return false;
		c->params[c->nparams++] = (KParam){name, value};
		text = end;
	}
	return true;
}

bool realise_guard(Kernels *ks)
{
	const Kernel *k = ks->unproved;
	Stmt *s = (Stmt *)ks->unproved_at;
	ExprTab *t = &ks->program->ex;

	if (!s) /* a window of a library's */
		return false;
	KOperand o = {s->buffer, s->nindex, {0}};
	int width = 1;

	memcpy(o.index, s->index, sizeof(o.index));
	if (s->kind == ST_COPY) {
		o = s->copy->from;
		width = s->copy->width;
	}
	if ((s->kind != ST_LOAD && s->kind != ST_COPY) ||
	    k->buffers.p[o.buffer].scope == SCOPE_REG)
		return false;
	const KBuffer *b = &k->buffers.p[o.buffer];
	Ex *conds = arena_array(ks->arena, Ex, s->nconds + 2u * o.nindex);
	uint32_t n = s->nconds;
	for (uint32_t i = 0; i < n; i++)
		conds[i] = s->conds[i];
	for (int d = 0; d < o.nindex; d++) {
		int64_t elements = d == o.nindex - 1 ? width : 1;
		Ex last = ex_sub(t, b->shape[d], ex_const(t, elements));
		conds[n++] = o.index[d];
		conds[n++] = ex_sub(t, last, o.index[d]);
	}
	for (uint32_t i = 0; i < s->nconds; i++)
		if (conds[i] == conds[s->nconds]) /* a second time round */
			return false;
	s->conds = conds;
	s->nconds = n;
	ks->unproved = NULL;
	ks->unproved_at = NULL;
	return true;
}
