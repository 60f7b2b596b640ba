/* space: variants, candidates, points. */
#include "search/space.h"

#include <string.h>

/* ---- filling --------------------------------------------------------- */

typedef struct Fill {
	Space *s;
	const Variant *v;
	CandRange *range;
	uint32_t region;
} Fill;

/* A user's kernel by its name. */
static const char *text_of(const Space *s, const Chosen *c)
{
	const Candidate *k = &c->candidate;
	Buf b;

	buf_init(&b, s->arena);
	if (c->realisation == &realise_external && k->nparams == 1 &&
	    (uint64_t)k->params[0].value < s->target->nexternals)
		buf_printf(&b, "%s %s=%s", c->realisation->name,
			   k->params[0].name,
			   s->target->externals[k->params[0].value].name);
	else
		chosen_print(&b, c);
	return buf_str(&b);
}

static bool add_candidate(void *arg, const Realisation *re, const Candidate *c,
			  const char *refused)
{
	Fill *f = arg;
	Space *s = f->s;
	Cand cand = {.variant = (uint32_t)s->variants.n - 1,
		     .region = f->region,
		     .chosen = {.realisation = re},
		     .refused = refused};

	if (c)
		cand.chosen.candidate = *c;
	cand.text = text_of(s, &cand.chosen);
	if (!refused)
		cand.cost = realise_cost(f->v->regions, f->region, s->target,
					 &cand.chosen, s->dims);
	VEC_PUSH(s->arena, s->cands, cand);
	CandRange *r = f->range;
	uint32_t at = r->first + r->n++;
	if (refused)
		return true;
	r->legal++;
	double best = s->cands.p[r->model].cost.us;
	if (cand.cost.us > 0 && (best <= 0 || cand.cost.us < best))
		r->model = at;
	return true;
}

/* ---- what a region computes -------------------------------------------- */

typedef struct Shape {
	Buf b;
	Program *p;
	const Regions *r;
	uint32_t region;
	uint32_t
		*number; /* by value: its place among those of the region + 1 */
	uint32_t next;
} Shape;

static void put_exprs(Shape *x, const char *name, const Ex *e, size_t n)
{
	buf_puts(&x->b, name);
	for (size_t i = 0; i < n; i++) {
		buf_putc(&x->b, ',');
		if (e[i])
			ex_print(&x->b, &x->p->ex, e[i]);
	}
}

/* Op, dtype, shape and attributes, not what it is called or where it stands. */
static void put_value(Shape *x, const Value *v)
{
	buf_printf(&x->b, "%d %d acc%d axes%u axis%u relax%u", (int)v->op,
		   (int)v->dtype, (int)v->acc, v->axes, v->axis, v->relax);
	put_exprs(x, " shape", v->shape, v->rank);
	put_exprs(x, " start", v->start, TN_MAX_RANK);
	put_exprs(x, " map", v->map, TN_MAX_RANK);
	for (int i = 0; i < TN_MAX_RANK; i++)
		buf_printf(&x->b, " %d/%lld", v->perm[i],
			   (long long)v->step[i]);
	if (v->data_size) {
		char hex[SHA256_HEX];
		sha256_hex(v->data, v->data_size, hex);
		buf_printf(&x->b, " %s", hex);
	}
}

/* An operand: a value of the region by its number, a view by what it shows,
 * anything else as memory of its type, a number too. */
static void put_operand(Shape *x, ValueId id)
{
	const Value *v = program_value(x->p, id);
	bool own = x->r->of[id] == x->region;
	bool view = op_info[v->op].cls == OPC_VIEW && !own;

	if (x->number[id]) {
		buf_printf(&x->b, " %%%u", x->number[id]);
		return;
	}
	x->number[id] = ++x->next;
	buf_puts(&x->b, view ? " (" : " [");
	if (view || v->op == OP_CONST || v->op == OP_IOTA) {
		put_value(x, v);
		for (uint32_t k = 0; k < v->nargs; k++)
			put_operand(x, v->args[k]);
	} else {
		buf_printf(&x->b, "%d %d", (int)v->dtype, v->op == OP_WEIGHT);
		put_exprs(x, " shape", v->shape, v->rank);
	}
	buf_puts(&x->b, view ? ")" : "]");
}

static const char *what_of(Arena *a, const Regions *r, uint32_t region)
{
	const Region *reg = &r->regions.p[region];
	Shape x = {.p = (Program *)r->program, .r = r, .region = region};
	char *hex = arena_array(a, char, SHA256_HEX);

	buf_init(&x.b, a);
	x.number = arena_array(a, uint32_t, r->program->values.n + 1);
	buf_printf(&x.b, "%s\n", region_kind_name[reg->kind]);
	for (size_t i = 0; i < reg->values.n; i++) {
		ValueId id = reg->values.p[i];
		const Value *v = program_value(x.p, id);
		buf_printf(&x.b, "part%d ", (int)r->part[id]);
		put_value(&x, v);
		for (uint32_t k = 0; k < v->nargs; k++)
			put_operand(&x, v->args[k]);
		if (!x.number[id])
			x.number[id] = ++x.next;
		buf_printf(&x.b, " as %u\n", x.number[id]);
	}
	for (size_t i = 0; i < reg->outputs.n; i++)
		buf_printf(&x.b, "out %u\n", x.number[reg->outputs.p[i]]);
	sha256_hex(buf_str(&x.b), x.b.n, hex);
	return hex;
}

/* The candidates of a region that computes the same; NULL: there is none. */
static const CandRange *known(const Space *s, const char *what)
{
	for (size_t i = 0; i < s->variants.n; i++) {
		const Variant *v = &s->variants.p[i];
		size_t n = v->regions->regions.n;
		for (size_t j = 0; j < n && v->what; j++)
			if (v->what[j] && v->of[j].n &&
			    !strcmp(v->what[j], what))
				return &v->of[j];
	}
	return NULL;
}

/* NULL, or why the rule's choice is refused. */
static const char *fill_region(Space *s, Variant *v, uint32_t region)
{
	CandRange *r = &v->of[region];
	Fill f = {s, v, r, region};

	r->first = r->rule = r->model = (uint32_t)s->cands.n;
	realise_candidates(s->arena, v->regions, region, s->target, v->fixed,
			   v->nfixed, add_candidate, &f);
	bug_if(r->n == 0);
	return s->cands.p[r->rule].refused;
}

const char *space_add(Space *s, const Variant *v)
{
	size_t n = v->regions->regions.n, before = s->cands.n;

	VEC_PUSH(s->arena, s->variants, *v);
	Variant *out = &s->variants.p[s->variants.n - 1];
	const char **what = arena_array(s->arena, const char *, n + 1);
	out->of = arena_array(s->arena, CandRange, n + 1);
	out->what = what;
	out->cost = 0;
	bool modelled = true;
	for (uint32_t i = 0; i < n; i++) {
		const char *key = what_of(s->arena, v->regions, i);
		const CandRange *same = known(s, key);
		what[i] = key;
		if (same)
			out->of[i] = *same;
		const char *no = same ? NULL : fill_region(s, out, i);
		if (no) {
			s->cands.n = before;
			s->variants.n--;
			return no;
		}
		double us = s->cands.p[out->of[i].model].cost.us;
		modelled &= us > 0;
		out->cost += us;
	}
	if (!modelled)
		out->cost = 0;
	return NULL;
}

/* ---- points ---------------------------------------------------------- */

size_t space_regions(const Space *s, uint32_t variant)
{
	return s->variants.p[variant].regions->regions.n;
}

static Point point_of(const Space *s, uint32_t variant, bool model)
{
	const Variant *v = &s->variants.p[variant];
	size_t n = v->regions->regions.n;
	uint32_t *cand = arena_array(s->arena, uint32_t, n + 1);

	for (size_t i = 0; i < n; i++)
		cand[i] = model ? v->of[i].model : v->of[i].rule;
	return (Point){variant, cand};
}

Point space_rule(const Space *s, uint32_t variant)
{
	return point_of(s, variant, false);
}

Point space_model(const Space *s, uint32_t variant)
{
	return point_of(s, variant, true);
}

Point space_with(const Space *s, const Point *p, uint32_t region, uint32_t cand)
{
	size_t n = space_regions(s, p->variant);
	uint32_t *out = arena_array(s->arena, uint32_t, n + 1);

	memcpy(out, p->cand, n * sizeof(*out));
	out[region] = cand;
	return (Point){p->variant, out};
}

uint32_t space_find(const Space *s, uint32_t variant, uint32_t region,
		    const char *text)
{
	const CandRange *r = &s->variants.p[variant].of[region];

	for (uint32_t i = r->first; i < r->first + r->n; i++)
		if (!s->cands.p[i].refused && !strcmp(s->cands.p[i].text, text))
			return i;
	return NO_CAND;
}

/* Whether the anchors of two regions are the same value of the author's. */
static bool same_anchor(const Variant *v, uint32_t i, const Variant *w,
			uint32_t j)
{
	const Value *x =
		program_value(v->program, v->regions->regions.p[i].anchor);
	const Value *y =
		program_value(w->program, w->regions->regions.p[j].anchor);

	return x->op == y->op && x->loc.line == y->loc.line &&
	       x->loc.col == y->loc.col;
}

Point space_carry(const Space *s, const Point *p, uint32_t variant)
{
	const Variant *from = &s->variants.p[p->variant];
	const Variant *to = &s->variants.p[variant];
	size_t n = space_regions(s, variant);
	uint32_t *out = arena_array(s->arena, uint32_t, n + 1);

	for (uint32_t i = 0; i < n; i++) {
		out[i] = to->of[i].model;
		for (uint32_t j = 0; j < space_regions(s, p->variant); j++) {
			if (!same_anchor(to, i, from, j))
				continue;
			const char *text = s->cands.p[p->cand[j]].text;
			uint32_t found = space_find(s, variant, i, text);
			if (found != NO_CAND)
				out[i] = found;
		}
	}
	return (Point){variant, out};
}

static int differences(const Cand *a, const Cand *b)
{
	const Candidate *x = &a->chosen.candidate, *y = &b->chosen.candidate;
	int n = 0;

	if (a->chosen.realisation != b->chosen.realisation)
		return 2;
	for (size_t i = 0; i < x->nparams; i++)
		n += x->params[i].value != y->params[i].value;
	return n;
}

size_t space_near(const Space *s, const Point *p, uint32_t region,
		  uint32_t *out, size_t most)
{
	const Cand *c = &s->cands.p[p->cand[region]];
	const CandRange *r = &s->variants.p[p->variant].of[region];
	size_t n = 0;

	for (uint32_t i = r->first; i < r->first + r->n && n < most; i++)
		if (!s->cands.p[i].refused &&
		    differences(c, &s->cands.p[i]) == 1)
			out[n++] = i;
	return n;
}

double space_cost(const Space *s, const Point *p)
{
	double sum = 0;

	for (size_t i = 0; i < space_regions(s, p->variant); i++) {
		double us = s->cands.p[p->cand[i]].cost.us;
		if (us <= 0)
			return 0;
		sum += us;
	}
	return sum;
}

const char *space_key(Arena *a, const Space *s, const Point *p)
{
	Buf b;

	buf_init(&b, a);
	buf_printf(&b, "%u:", p->variant);
	for (size_t i = 0; i < space_regions(s, p->variant); i++)
		buf_printf(&b, i ? ",%u" : "%u", p->cand[i]);
	return buf_str(&b);
}

const Chosen *space_chosen(Arena *a, const Space *s, const Point *p)
{
	size_t n = space_regions(s, p->variant);
	Chosen *out = arena_array(a, Chosen, n + 1);

	for (size_t i = 0; i < n; i++)
		out[i] = s->cands.p[p->cand[i]].chosen;
	return out;
}
