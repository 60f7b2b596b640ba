/*
 * region: how values lie in a region's space, and the laws of stage 3.
 *
 * The verifier knows nothing of the policy that made the regions: it holds
 * whatever partition it is given against what a kernel of each kind can
 * compute, and against dependence between kernels.
 */
#include "ir/region.h"

#include "ir/view.h"

#include <string.h>

const char *const region_kind_name[REGION_KIND_COUNT] = {
	[REGION_LOOP] = "loop",
	[REGION_ROWREDUCE] = "rowreduce",
	[REGION_CONTRACT] = "contract",
	[REGION_ATTENTION] = "attention",
};

bool region_computes(const Program *p, ValueId v)
{
	OpClass cls = op_info[program_value(p, v)->op].cls;
	return cls != OPC_LEAF && cls != OPC_VIEW;
}

bool region_copies(const Program *p, ValueId v)
{
	Op op = program_value(p, v)->op;
	return op == OP_IOTA || op_info[op].cls == OPC_VIEW;
}

/* ---- form and alignment ---------------------------------------------- */

static bool form_full(const Region *r, const Value *v, int *axis)
{
	if (v->rank != r->rank)
		return false;
	for (int d = 0; d < v->rank; d++) {
		if (v->shape[d] != r->space[d])
			return false;
		axis[d] = d;
	}
	return true;
}

/* The kept axes alone. */
static bool form_dropped(const Region *r, const Value *v, int *axis)
{
	int at = 0;
	for (int d = 0; d < r->rank; d++) {
		if (r->reduced >> d & 1)
			continue;
		if (at == v->rank || v->shape[at] != r->space[d])
			return false;
		axis[at++] = d;
	}
	return at == v->rank;
}

/* Extent 1 in place of each reduced axis. */
static bool form_unit(const Program *p, const Region *r, const Value *v,
		      int *axis)
{
	if (v->rank != r->rank)
		return false;
	for (int d = 0; d < v->rank; d++) {
		bool reduced = r->reduced >> d & 1;
		if (reduced ? !ex_equals(&p->ex, v->shape[d], 1)
			    : v->shape[d] != r->space[d])
			return false;
		axis[d] = reduced ? -1 : d;
	}
	return true;
}

Form region_form(const Program *p, const Region *r, const Value *v,
		 int axis[TN_MAX_RANK])
{
	if (form_full(r, v, axis))
		return FORM_FULL;
	if (r->reduced &&
	    (form_dropped(r, v, axis) || form_unit(p, r, v, axis)))
		return FORM_KEPT;
	return FORM_OTHER;
}

bool region_aligned(Program *p, const Region *r, ValueId operand, ValueId base,
		    const Ex *map)
{
	const Value *o = program_value(p, operand), *b = program_value(p, base);
	int at[TN_MAX_RANK], from[TN_MAX_RANK];
	if (region_form(p, r, o, at) == FORM_OTHER ||
	    region_form(p, r, b, from) == FORM_OTHER)
		return false;
	for (int d = 0; d < b->rank; d++) {
		bool found = ex_equals(&p->ex, b->shape[d], 1);
		for (int e = 0; e < o->rank && !found; e++)
			found = at[e] == from[d] &&
				map[d] == ex_axis(&p->ex, e);
		if (!found)
			return false;
	}
	return true;
}

/* ---- laws ------------------------------------------------------------ */

typedef struct Check {
	const Regions *r;
	Program *p;
	Buf *why;
	bool *is_result;
	uint32_t *readers; /* by value: readers through views */
	bool *outside;     /* by value: some reader is in another region */
} Check;

TN_PRINTF(3, 4)
static bool breach(Check *c, size_t region, const char *fmt, ...)
{
	va_list ap;
	buf_printf(c->why, "region %zu: ", region);
	va_start(ap, fmt);
	buf_vprintf(c->why, fmt, ap);
	va_end(ap);
	return false;
}

static uint32_t region_of(const Check *c, ValueId v)
{
	return region_computes(c->p, v) ? c->r->of[v] : NO_REGION;
}

static bool check_membership(Check *c)
{
	size_t n = c->p->values.n;
	bool *seen = arena_array(c->why->arena, bool, n + 1);
	for (size_t i = 0; i < c->r->regions.n; i++) {
		const Region *r = &c->r->regions.p[i];
		if (!r->values.n)
			return breach(c, i, "no values");
		for (size_t k = 0; k < r->values.n; k++) {
			ValueId v = r->values.p[k];
			if (v >= n || seen[v] || c->r->of[v] != i)
				return breach(c, i, "%%%u is not its alone", v);
			if (k && r->values.p[k - 1] >= v)
				return breach(c, i, "values out of order");
			seen[v] = true;
		}
	}
	for (ValueId v = 0; v < n; v++) {
		bool needs = region_computes(c->p, v) ||
			     (c->is_result[v] && region_copies(c->p, v));
		if (seen[v] != needs)
			return breach(c, 0, "%%%u is %s", v,
				      needs ? "in no region"
					    : "in a region without need");
		if (!needs && c->r->of[v] != NO_REGION)
			return breach(c, 0, "%%%u is said to be in one", v);
	}
	return true;
}

/* Who reads what, through views; and that producers run before. */
static bool check_order(Check *c)
{
	size_t n = c->p->values.n;
	c->readers = arena_array(c->why->arena, uint32_t, n + 1);
	c->outside = arena_array(c->why->arena, bool, n + 1);
	for (ValueId v = 0; v < n; v++) {
		const Value *x = program_value(c->p, v);
		uint32_t at = c->r->of[v];
		for (uint32_t k = 0; at != NO_REGION && k < x->nargs; k++) {
			Ex map[TN_MAX_RANK];
			ValueId b = view_base(c->p, x->args[k], map);
			uint32_t from = region_of(c, b);
			c->readers[b]++;
			c->outside[b] |= from != at;
			if (from != NO_REGION && from > at)
				return breach(c, at,
					      "%%%u reads %%%u of region %u, "
					      "which runs later",
					      v, b, from);
		}
	}
	return true;
}

static bool check_outputs(Check *c, size_t i)
{
	const Region *r = &c->r->regions.p[i];
	size_t at = 0;
	for (size_t k = 0; k < r->values.n; k++) {
		ValueId v = r->values.p[k];
		bool out = c->is_result[v] || c->outside[v] || !c->readers[v];
		bool said = at < r->outputs.n && r->outputs.p[at] == v;
		if (out != said)
			return breach(c, i, "%%%u %s an output", v,
				      out ? "must be" : "is not");
		at += said;
	}
	return at == r->outputs.n || breach(c, i, "outputs out of order");
}

/* Every operand that the region computes itself is read in place. */
static bool check_reads(Check *c, size_t i, ValueId v)
{
	const Region *r = &c->r->regions.p[i];
	const Value *x = program_value(c->p, v);
	OpClass cls = op_info[x->op].cls;
	for (uint32_t k = 0; k < x->nargs; k++) {
		Ex map[TN_MAX_RANK];
		ValueId b = view_base(c->p, x->args[k], map);
		if (region_of(c, b) != i)
			continue;
		if (cls == OPC_MOVE || cls == OPC_VIEW)
			return breach(c, i, "%%%u moves %%%u within it", v, b);
		if (!region_aligned(c->p, r, x->args[k], b, map))
			return breach(c, i, "%%%u reads %%%u at another place",
				      v, b);
	}
	return true;
}

static bool check_loop(Check *c, size_t i)
{
	const Region *r = &c->r->regions.p[i];
	int axis[TN_MAX_RANK];
	for (size_t k = 0; k < r->values.n; k++) {
		ValueId v = r->values.p[k];
		const Value *x = program_value(c->p, v);
		OpClass cls = op_info[x->op].cls;
		if (c->r->part[v] != PART_BODY)
			return breach(c, i, "%%%u is no body", v);
		if (cls == OPC_REDUCE || cls == OPC_SCAN || cls == OPC_CONTRACT)
			return breach(c, i, "%%%u is no loop's", v);
		if ((cls == OPC_LEAF || cls == OPC_VIEW) && r->values.n != 1)
			return breach(c, i, "a copy is alone in its region");
		if (region_form(c->p, r, x, axis) != FORM_FULL)
			return breach(c, i, "%%%u has another shape", v);
		if (!check_reads(c, i, v))
			return false;
	}
	return r->reduced == 0 || breach(c, i, "a loop reduces nothing");
}

static bool check_rowreduce(Check *c, size_t i)
{
	const Region *r = &c->r->regions.p[i];
	int axis[TN_MAX_RANK];
	bool anchored = false;
	for (size_t k = 0; k < r->values.n; k++) {
		ValueId v = r->values.p[k];
		const Value *x = program_value(c->p, v);
		OpClass cls = op_info[x->op].cls;
		if (c->r->part[v] != PART_BODY || cls == OPC_CONTRACT ||
		    cls == OPC_LEAF || cls == OPC_VIEW)
			return breach(c, i, "%%%u is no body", v);
		anchored |= v == r->anchor &&
			    (cls == OPC_REDUCE || cls == OPC_SCAN);
		if (region_form(c->p, r, x, axis) == FORM_OTHER)
			return breach(c, i, "%%%u has another shape", v);
		if (cls == OPC_REDUCE || cls == OPC_SCAN) {
			uint32_t axes =
				cls == OPC_SCAN ? 1U << x->axis : x->axes;
			const Value *o = program_value(c->p, x->args[0]);
			if (axes != r->reduced ||
			    region_form(c->p, r, o, axis) != FORM_FULL)
				return breach(c, i, "%%%u reduces other rows",
					      v);
		}
		if (!check_reads(c, i, v))
			return false;
	}
	return anchored || breach(c, i, "its anchor is no reduction of it");
}

/* Prologue values are read by the anchor and among themselves only. */
static bool check_prologue(Check *c, size_t i, ValueId v)
{
	const Value *x = program_value(c->p, v);
	Region loop = {.kind = REGION_LOOP, .rank = x->rank};
	memcpy(loop.space, x->shape, sizeof(loop.space));
	if (c->is_result[v] || c->outside[v] || op_has(x->op, 'T'))
		return breach(c, i, "%%%u cannot be evaluated at a load", v);
	for (uint32_t k = 0; k < x->nargs; k++) {
		Ex map[TN_MAX_RANK];
		ValueId b = view_base(c->p, x->args[k], map);
		if (region_of(c, b) != i)
			continue;
		if (c->r->part[b] != PART_PROLOGUE ||
		    op_info[x->op].cls != OPC_ELEM ||
		    !region_aligned(c->p, &loop, x->args[k], b, map))
			return breach(c, i, "%%%u reads %%%u at another place",
				      v, b);
	}
	return true;
}

/*
 * A product of several: its right operand is from outside, and so is its left
 * one in the first step; later ones read one value of the step before.
 */
static bool check_product(Check *c, size_t i, ValueId v, const int *step,
			  ValueId *held)
{
	const Value *x = program_value(c->p, v);
	ValueId h = region_held(c->r, v);
	Ex map[TN_MAX_RANK];
	ValueId b = view_base(c->p, x->args[1], map);
	if (region_of(c, b) == i && c->r->part[b] != PART_PROLOGUE)
		return breach(c, i, "%%%u loads %%%u", v, b);
	if (h == NO_VALUE)
		return true;
	b = view_base(c->p, x->args[0], map);
	if (!view_is_identity(c->p, x->args[0], b, map))
		return breach(c, i, "%%%u reads %%%u at another place", v, h);
	if (held[step[v]] != NO_VALUE && held[step[v]] != h)
		return breach(c, i, "%%%u and %%%u are held for one step",
			      held[step[v]], h);
	held[step[v]] = h;
	return true;
}

/* An elementwise value reads tiles of its own step, in place. */
static bool check_epilogue(Check *c, size_t i, ValueId v, const int *step,
			   const Region *tile)
{
	const Value *x = program_value(c->p, v);
	int axis[TN_MAX_RANK];
	if (c->r->part[v] != PART_EPILOGUE || op_info[x->op].cls != OPC_ELEM)
		return breach(c, i, "%%%u is no epilogue", v);
	if (region_form(c->p, tile, x, axis) != FORM_FULL)
		return breach(c, i, "%%%u has another shape", v);
	for (uint32_t k = 0; k < x->nargs; k++) {
		Ex map[TN_MAX_RANK];
		ValueId b = view_base(c->p, x->args[k], map);
		if (region_of(c, b) != i)
			continue;
		if (c->r->part[b] == PART_PROLOGUE || step[b] != step[v] ||
		    !region_aligned(c->p, tile, x->args[k], b, map))
			return breach(c, i, "%%%u reads %%%u at another place",
				      v, b);
	}
	return true;
}

static bool check_contract(Check *c, size_t i)
{
	const Region *r = &c->r->regions.p[i];
	Arena *a = c->why->arena;
	int *step = arena_array(a, int, c->p->values.n + 1), axis[TN_MAX_RANK];
	int steps = region_steps(c->r, (uint32_t)i, step);
	Region *tile = arena_array(a, Region, (size_t)steps);
	ValueId *held = arena_array(a, ValueId, (size_t)steps);
	for (int s = 0; s < steps; s++)
		held[s] = NO_VALUE;
	for (size_t k = 0; k < r->values.n; k++) {
		ValueId v = r->values.p[k];
		const Value *x = program_value(c->p, v);
		Region *t = &tile[step[v]];
		if (c->r->part[v] == PART_ANCHOR && t->rank == 0) {
			t->rank = x->rank;
			memcpy(t->space, x->shape, sizeof(t->space));
		}
	}
	for (size_t k = 0; k < r->values.n; k++) {
		ValueId v = r->values.p[k];
		const Value *x = program_value(c->p, v);
		Part part = c->r->part[v];
		if (part == PART_PROLOGUE && !check_prologue(c, i, v))
			return false;
		if ((x->op == OP_MATMUL) != (part == PART_ANCHOR))
			return breach(c, i, "%%%u is half an anchor", v);
		if (part == PART_PROLOGUE)
			continue;
		const Region *t = &tile[step[v]];
		if (part != PART_ANCHOR) {
			if (!check_epilogue(c, i, v, step, t))
				return false;
		} else if (!check_product(c, i, v, step, held)) {
			return false;
		} else if (region_form(c->p, t, x, axis) != FORM_FULL) {
			return breach(c, i, "%%%u has another tile", v);
		}
	}
	if (r->anchor >= c->p->values.n || c->r->of[r->anchor] != i ||
	    c->r->part[r->anchor] != PART_ANCHOR)
		return breach(c, i, "it has no anchor");
	if (step[r->anchor] != steps - 1 ||
	    region_form(c->p, r, program_value(c->p, r->anchor), axis) !=
		    FORM_FULL)
		return breach(c, i, "its anchor is not of its last step");
	return r->reduced == 0 || breach(c, i, "a contraction reduces no axes");
}

/*
 * The rows between two products: every operand that the region computes is
 * read in place, of the rows or of the second product's tile, or is a program
 * on loads. A value with all axes of the rows stays inside.
 */
static bool check_held(Check *c, size_t i, ValueId v, const Region *tile)
{
	const Region *r = &c->r->regions.p[i];
	const Value *x = program_value(c->p, v);
	OpClass cls = op_info[x->op].cls;
	bool rows = c->r->part[v] == PART_BODY;
	int axis[TN_MAX_RANK];
	Form form = region_form(c->p, rows ? r : tile, x, axis);
	if (cls == OPC_REDUCE ? !rows || x->axes != r->reduced
			      : cls != OPC_ELEM || form == FORM_OTHER ||
					(!rows && form != FORM_FULL))
		return breach(c, i, "%%%u has another shape", v);
	if (rows && cls != OPC_REDUCE && form == FORM_FULL &&
	    (c->is_result[v] || c->outside[v]))
		return breach(c, i, "%%%u is seen from outside", v);
	for (uint32_t k = 0; k < x->nargs; k++) {
		Ex map[TN_MAX_RANK];
		ValueId b = view_base(c->p, x->args[k], map);
		if (region_of(c, b) != i || c->r->part[b] == PART_PROLOGUE)
			continue;
		/* rows read no tile; the tile reads of the rows what is kept */
		const Value *y = program_value(c->p, b);
		bool held = op_info[y->op].cls != OPC_REDUCE &&
			    region_form(c->p, r, y, axis) == FORM_FULL;
		bool later = c->r->part[b] == PART_EPILOGUE || b == r->anchor;
		if ((later ? rows : !rows && held) ||
		    !region_aligned(c->p, rows ? r : tile, x->args[k], b, map))
			return breach(c, i, "%%%u reads %%%u at another place",
				      v, b);
	}
	return true;
}

static bool is_anchor(const Check *c, size_t i, ValueId v)
{
	return v < c->p->values.n && c->r->of[v] == i &&
	       c->r->part[v] == PART_ANCHOR &&
	       program_value(c->p, v)->op == OP_MATMUL;
}

static bool check_attention(Check *c, size_t i)
{
	const Region *r = &c->r->regions.p[i];
	ValueId first = NO_VALUE, left;
	int axis[TN_MAX_RANK];
	Ex map[TN_MAX_RANK];
	if (!is_anchor(c, i, r->anchor) || !r->rank ||
	    r->reduced != 1U << (r->rank - 1))
		return breach(c, i, "it has no second product of rows");
	const Value *o = program_value(c->p, r->anchor);
	left = view_base(c->p, o->args[0], map);
	if (region_of(c, left) != i ||
	    !view_is_identity(c->p, o->args[0], left, map) ||
	    region_form(c->p, r, program_value(c->p, left), axis) != FORM_FULL)
		return breach(c, i, "%%%u has no rows on its left", r->anchor);
	Region tile = *r;
	memcpy(tile.space, o->shape, sizeof(tile.space));
	for (size_t k = 0; k < r->values.n; k++) {
		ValueId v = r->values.p[k];
		Part part = c->r->part[v];
		if (part == PART_ANCHOR && v != r->anchor) {
			if (!is_anchor(c, i, v) || first != NO_VALUE ||
			    region_form(c->p, r, program_value(c->p, v),
					axis) != FORM_FULL ||
			    c->is_result[v] || c->outside[v])
				return breach(c, i, "%%%u makes no rows", v);
			first = v;
		}
		if (part == PART_PROLOGUE ? !check_prologue(c, i, v)
					  : part != PART_ANCHOR &&
						    !check_held(c, i, v, &tile))
			return false;
	}
	if (first == NO_VALUE)
		return breach(c, i, "it has no first product");
	/* operands of the products, but for the rows, are from outside */
	const Value *s = program_value(c->p, first);
	const ValueId loaded[] = {s->args[0], s->args[1], o->args[1]};
	for (size_t k = 0; k < ARRAY_LEN(loaded); k++) {
		ValueId b = view_base(c->p, loaded[k], map);
		if (region_of(c, b) == i && c->r->part[b] != PART_PROLOGUE)
			return breach(c, i, "a product loads %%%u", b);
	}
	return true;
}

static bool check_decisions(Check *c)
{
	const Regions *r = c->r;
	for (size_t i = 0; i < r->decisions.n; i++) {
		const Decision *d = &r->decisions.p[i];
		size_t n = c->p->values.n;
		if (d->producer >= n || d->consumer >= n ||
		    r->of[d->producer] == NO_REGION ||
		    r->of[d->consumer] == NO_REGION ||
		    d->joined != (r->of[d->producer] == r->of[d->consumer])) {
			buf_printf(c->why,
				   "decision %zu says what the regions do not",
				   i);
			return false;
		}
	}
	return true;
}

bool regions_verify(const Regions *r, Buf *why)
{
	Check c = {.r = r, .p = (Program *)(uintptr_t)r->program, .why = why};
	c.is_result = arena_array(why->arena, bool, c.p->values.n + 1);
	for (size_t i = 0; i < c.p->results.n; i++)
		c.is_result[c.p->results.p[i].value] = true;
	if (!check_membership(&c) || !check_order(&c))
		return false;
	for (size_t i = 0; i < r->regions.n; i++) {
		bool ok = check_outputs(&c, i);
		switch (r->regions.p[i].kind) {
		case REGION_LOOP:
			ok = ok && check_loop(&c, i);
			break;
		case REGION_ROWREDUCE:
			ok = ok && check_rowreduce(&c, i);
			break;
		case REGION_CONTRACT:
			ok = ok && check_contract(&c, i);
			break;
		case REGION_ATTENTION:
			ok = ok && check_attention(&c, i);
			break;
		case REGION_KIND_COUNT:
			return breach(&c, i, "no such kind");
		}
		if (!ok)
			return false;
	}
	return check_decisions(&c);
}
