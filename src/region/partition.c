/*
 * partition: pins, the policy, and what comes of it.
 *
 * After every value is placed, groups become regions in an order that
 * respects dependence (of those ready, the one whose first value is the
 * earliest), outputs are the values someone else reads, and each noted pair
 * becomes a decision.
 */
#include "region/internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- words ----------------------------------------------------------- */

typedef struct CondText {
	const char *name;
	const char *change; /* %s is the producer */
} CondText;

static const CondText cond_text[COND_COUNT] = {
	[COND_NONE] = {"", ""},
	[COND_SAME_ELEMENT] = {"same element", ""},
	[COND_EPILOGUE] = {"epilogue", ""},
	[COND_PROLOGUE] = {"load prologue", ""},
	[COND_ROWS] = {"rows", ""},
	[COND_ROW_REDUCTION] = {"reduction of the row", ""},
	[COND_SEVERAL_USES] =
		{"several uses",
		 "if only this operand read %s, it would be computed where "
		 "the operand is loaded and not stored"},
	[COND_OBSERVED] =
		{"observed result",
		 "%s, or a value computed with it, is a result: not "
		 "returning it would let it be computed at the load, without "
		 "its buffer; it is rounded either way"},
	[COND_REDUCTION_AT_LOAD] =
		{"reduction at the load",
		 "a load would need all of a row of %s first; multiplying "
		 "the product by the row's factor afterwards would avoid the "
		 "buffer, and is another program with other boundaries"},
	[COND_CONTRACTION] =
		{"another contraction",
		 "a tile of this product needs whole rows or columns of %s; "
		 "computing them again for each tile would avoid the buffer"},
	[COND_RUNTIME_INDEX] =
		{"runtime index",
		 "%s is addressed by data that may fault, and is computed "
		 "once, in order, in its own kernel"},
	[COND_NOT_SAME_ELEMENT] =
		{"not the same element",
		 "reading %s at the place where it is computed, without a "
		 "transpose, slice, broadcast or movement between"},
	[COND_ONE_CONTRACTION] =
		{"one contraction a kernel",
		 "this value is computed on another product's tile, and %s "
		 "is read from memory"},
	[COND_CYCLE] = {"cycle",
			"another operand needs all of %s's kernel to have run; "
			"without that operand they could share it"},
	[COND_OTHER_ROWS] =
		{"other rows",
		 "reading %s over the same shape and reducing the same axes"},
	[COND_WHOLE_TILE] =
		{"reduction of a contraction",
		 "a row of %s is spread over several tiles; a tile as wide "
		 "as the row would hold it"},
	[COND_OTHER_KERNEL] =
		{"other kernel",
		 "this value joined another producer; if it did not read "
		 "that one it would join %s"},
	[COND_TWO_RESHAPES] =
		{"two reshapes",
		 "%s is reshaped before and after it is computed; the index "
		 "of a load through both has no proof that it stays inside; "
		 "with one reshape it would be computed at the load"},
	[COND_PINNED] = {"pinned apart", "removing the pin join.%s=no"},
	[COND_ATTENTION] = {"attention", ""},
	[COND_JOINED] = {"joined products", ""},
	[COND_HELD] = {"held rows", ""},
	[COND_MATRIX_SEEN] =
		{"matrix seen",
		 "the rows of %s are those of a product, and would never be "
		 "in memory if none of the values that have all of their axes "
		 "was returned or read elsewhere"},
	[COND_SEQUENTIAL] =
		{"scan of the rows",
		 "the rows of %s are those of a product; without argmax, "
		 "argmin or cumsum over them they would never be in memory"},
	[COND_ACCUMULATOR] =
		{"accumulator",
		 "the rows of %s are those of a product; if both products "
		 "summed in f32, or both in f64, they would never be in "
		 "memory"},
	[COND_NO_ATTENTION] =
		{"pinned composition",
		 "removing the pin attention.join=0: the rows of %s would "
		 "never be in memory"},
	[COND_NO_JOIN] =
		{"pinned products",
		 "removing the pin contract.join=0: %s would be a tile beside "
		 "this one's"},
	[COND_NO_HOLD] =
		{"pinned rows",
		 "removing the pin contract.hold=0: rows of %s would be held "
		 "in scratch if that is estimated to save time"},
	[COND_MANY_PRODUCTS] =
		{"many products",
		 "the tiles of all products and %s would not stay in the L2 "
		 "cache; fewer products in this kernel"},
	[COND_SUMS] =
		{"other accumulator",
		 "if the product of %s summed in the same dtype, and in the "
		 "same unit, they could share a kernel"},
	[COND_OTHER_OPERAND] =
		{"not a left operand alone",
		 "rows of %s can be held if all products of this kernel have "
		 "it as left operand, in place, and nothing else of the "
		 "kernel reads what it is made with"},
	[COND_ROWS_UNKNOWN] =
		{"rows not known",
		 "with constant sizes a block of rows of %s could be held in "
		 "scratch, if that is estimated to save time"},
	[COND_ROW_LONG] =
		{"row beyond the cache",
		 "an eighth of the L2 cache holds no row of %s; a shorter "
		 "one, or a larger cache"},
	[COND_ROWS_DEAR] =
		{"held rows cost more",
		 "reading the second operands once a block of rows, or fewer "
		 "tasks than the CPUs can share, costs more than %s in "
		 "memory; more rows or shorter ones. --pin contract.hold=1 "
		 "holds it nevertheless"},
	[COND_JOIN_DEAR] =
		{"joining costs more",
		 "writing and reading %s takes less time than what large "
		 "products lose in one kernel; shorter sums. --pin "
		 "contract.join=1 joins them nevertheless"},
	[COND_UNIT_ROWS] =
		{"rows of no matrix unit",
		 "the rows of %s would never be in memory on a GPU whose mma "
		 "multiplies f16 or bf16 here, all operands of one dtype, "
		 "summed in f32, over head and value dims that are known "
		 "multiples of 16 up to 128"},
	[COND_FEW_BLOCKS] =
		{"few blocks of threads",
		 "the rows of %s, 64 of them a block of threads, would leave "
		 "multiprocessors idle, or are fewer than 16; more queries or "
		 "heads. --pin attention.unit=mma joins them nevertheless"},
	[COND_UNIT] =
		{"matrix unit",
		 "a matrix unit computes these products, and takes no held "
		 "rows of %s; --pin contract.hold=1 holds them and uses "
		 "multiply-adds"},
	[COND_LIBRARY] =
		{"library call",
		 "a library rounds its product once, and computes nothing "
		 "before or after it under the contract; removing the pin "
		 "library.product: %s and this value would share a kernel"},
};

const char *cond_name(Cond c)
{
	return cond_text[c].name;
}

static const char *value_words(Arena *a, const Program *p, ValueId v)
{
	const char *name = program_value(p, v)->name;
	return name ? name : arena_printf(a, "%%%u", v);
}

const char *cond_change(Arena *a, const Program *p, Cond c, ValueId producer)
{
	const char *text = cond_text[c].change, *at = strstr(text, "%s");
	Buf b;
	buf_init(&b, a);
	if (at) {
		buf_write(&b, text, (size_t)(at - text));
		buf_puts(&b, value_words(a, p, producer));
		text = at + 2;
	}
	buf_puts(&b, text);
	return buf_str(&b);
}

/* ---- regions --------------------------------------------------------- */

static int by_id(const void *a, const void *b)
{
	ValueId x = *(const ValueId *)a, y = *(const ValueId *)b;
	return x < y ? -1 : x > y;
}

/* Whether anyone outside its group reads v, or no one at all does. */
static bool is_output(const Grouping *g, ValueId v)
{
	if (g->is_result[v] || g->first[v] == g->first[v + 1])
		return true;
	for (uint32_t k = g->first[v]; k < g->first[v + 1]; k++)
		if (g->of[g->reader[k]] != g->of[v])
			return true;
	return false;
}

/* A leaf is read in place by everyone; its copy is for the result only. */
static void region_finish(Grouping *g, Region *r)
{
	qsort(r->values.p, r->values.n, sizeof(ValueId), by_id);
	if (r->kind == REGION_LOOP)
		r->anchor = r->values.p[r->values.n - 1];
	for (size_t i = 0; i < r->values.n; i++)
		if (is_output(g, r->values.p[i]))
			VEC_PUSH(g->arena, r->outputs, r->values.p[i]);
}

static bool ready(Grouping *g, uint32_t group, const bool *done)
{
	const Region *r = &g->groups.p[group].r;
	for (size_t i = 0; i < r->values.n; i++) {
		const Value *v = program_value(g->p, r->values.p[i]);
		for (uint32_t k = 0; k < v->nargs; k++) {
			uint32_t h = operand_group(g, v, k);
			if (h != NO_REGION && h != group && !done[h])
				return false;
		}
	}
	return true;
}

/* Groups in the order of their first values, dependence first. */
static void regions_order(Grouping *g, Regions *out)
{
	size_t left = 0;
	bool *done = arena_array(g->arena, bool, g->groups.n + 1);
	uint32_t *number = arena_array(g->arena, uint32_t, g->groups.n + 1);
	for (size_t i = 0; i < g->groups.n; i++) {
		done[i] = g->groups.p[i].dead;
		if (done[i])
			continue;
		region_finish(g, &g->groups.p[i].r);
		left++;
	}
	while (left) {
		uint32_t best = NO_REGION;
		for (uint32_t i = 0; i < g->groups.n; i++)
			if (!done[i] && ready(g, i, done) &&
			    (best == NO_REGION ||
			     g->groups.p[i].r.values.p[0] <
				     g->groups.p[best].r.values.p[0]))
				best = i;
		bug_if(best == NO_REGION);
		done[best] = true;
		number[best] = (uint32_t)out->regions.n;
		VEC_PUSH(g->arena, out->regions, g->groups.p[best].r);
		left--;
	}
	for (size_t i = 0; i < g->p->values.n; i++)
		if (g->of[i] != NO_REGION)
			out->of[i] = number[g->of[i]];
}

/* ---- decisions ------------------------------------------------------- */

static Cond joined_by(const Regions *r, const Pair *p)
{
	const Region *at = &r->regions.p[r->of[p->producer]];
	OpClass cls = op_info[program_value(r->program, p->consumer)->op].cls;
	switch (at->kind) {
	case REGION_LOOP:
	case REGION_KIND_COUNT:
		break;
	case REGION_ROWREDUCE:
		return cls == OPC_REDUCE || cls == OPC_SCAN ? COND_ROW_REDUCTION
							    : COND_ROWS;
	case REGION_CONTRACT:
		if (r->part[p->consumer] == PART_EPILOGUE)
			return p->several ? COND_JOINED : COND_EPILOGUE;
		if (r->part[p->consumer] != PART_ANCHOR)
			return COND_SAME_ELEMENT;
		return r->part[p->producer] == PART_PROLOGUE ? COND_PROLOGUE
							     : COND_HELD;
	case REGION_ATTENTION:
		if (r->part[p->producer] == PART_PROLOGUE)
			return COND_PROLOGUE;
		if (r->part[p->consumer] == PART_EPILOGUE)
			return COND_EPILOGUE;
		if (cls == OPC_REDUCE)
			return COND_ROW_REDUCTION;
		return COND_ATTENTION;
	}
	return COND_SAME_ELEMENT;
}

/* Whether v or a view of it is a result. */
static bool is_observed(const Grouping *g, ValueId v)
{
	for (uint32_t k = g->first[v]; k < g->first[v + 1]; k++)
		if (g->base[g->reader[k]] != g->reader[k])
			return true;
	return g->is_result[v];
}

static const char *quantities(Grouping *g, ValueId producer)
{
	Buf b;
	Value *v = program_value(g->p, producer);
	buf_init(&b, g->arena);
	buf_printf(&b, "uses=%u result=%s shape=[",
		   g->first[producer + 1] - g->first[producer],
		   is_observed(g, producer) ? "yes" : "no");
	for (size_t d = 0; d < v->rank; d++) {
		buf_puts(&b, d ? ", " : "");
		ex_print(&b, &g->p->ex, v->shape[d]);
	}
	buf_puts(&b, "] bytes=");
	ex_print(&b, &g->p->ex,
		 ex_mul(&g->p->ex, program_elements(g->p, producer),
			ex_const(&g->p->ex, dtype_info[v->dtype].bytes)));
	buf_printf(&b, " stored=%s", is_output(g, producer) ? "yes" : "no");
	return buf_str(&b);
}

static const char *stored_anyway(Grouping *g, ValueId v)
{
	const char *name = value_words(g->arena, g->p, v);
	if (is_observed(g, v))
		return arena_printf(g->arena,
				    "%s is a result: not returning %s would "
				    "remove its buffer; it is rounded either "
				    "way",
				    name, name);
	if (is_output(g, v))
		return arena_printf(g->arena,
				    "another kernel reads %s: without that "
				    "use it would not be stored",
				    name);
	return "";
}

static Decision decide(Grouping *g, const Regions *r, const Pair *p)
{
	Decision d = {.producer = p->producer, .consumer = p->consumer};
	d.joined = r->of[p->producer] == r->of[p->consumer];
	Cond c = d.joined ? joined_by(r, p) : p->apart;
	/* two loops over one space, kept apart by a later merge of others */
	if (c == COND_NONE)
		c = COND_CYCLE;
	d.condition = cond_name(c);
	d.values = quantities(g, p->producer);
	if (p->numbers)
		d.values = arena_printf(g->arena, "%s%s", d.values, p->numbers);
	d.change = d.joined ? stored_anyway(g, p->producer)
			    : cond_change(g->arena, g->p, c, p->producer);
	return d;
}

/* ---- pins ------------------------------------------------------------ */

/* By the author's name, or `%12`. */
static bool is_named(const Program *p, ValueId v, const char *name)
{
	const Value *x = program_value(p, v);
	char *end;

	if (name[0] == '%' && name[1])
		return strtoull(name + 1, &end, 10) == v && !*end;
	return x->name && !strcmp(x->name, name);
}

static bool pin_mark(Grouping *g, const RegionPin *pin)
{
	bool found = false, computed = false;
	if (!pin->producer) {
		g->pin[pin->kind] = pin->join ? PINNED_YES : PINNED_NO;
		return true;
	}
	for (ValueId v = 0; v < g->p->values.n; v++) {
		if (!is_named(g->p, v, pin->producer))
			continue;
		found = true;
		if (!region_computes(g->p, v))
			continue;
		computed = true;
		g->apart[v] = !pin->join;
	}
	if (computed)
		return true;
	return diag_fail(g->ctx, ERR_USAGE,
			 found ? "pin the value that it shows, or drop the pin"
			       : "pins take the author's names, as explain "
				 "shows them; unused and folded values are "
				 "gone",
			 found ? "pin `%s`: `%s` is an input, a constant or a "
				 "view, which no kernel computes"
			       : "pin `%s`: the program has no value `%s`",
			 pin->text, pin->producer);
}

/* What a pin of all pairs of a kind asks for, once at least. */
static bool kind_met(Grouping *g, const Regions *r, const RegionPin *pin)
{
	static const char *const none[PIN_COUNT] = {
		[PIN_ATTENTION] = "no product of this program reads rows that "
				  "can be held between it and another",
		[PIN_JOIN] = "no two products of this program have tiles that "
			     "one kernel can compute",
		[PIN_HOLD] = "no product of this program is the left operand "
			     "of another whose rows can be held",
	};
	bool met = false;
	for (size_t i = 0; i < r->regions.n && pin->kind == PIN_ATTENTION; i++)
		met |= r->regions.p[i].kind == REGION_ATTENTION;
	for (size_t i = 0; i < g->pairs.n; i++) {
		const Pair *p = &g->pairs.p[i];
		if (r->of[p->producer] != r->of[p->consumer])
			continue;
		Cond c = joined_by(r, p);
		met |= (pin->kind == PIN_JOIN && c == COND_JOINED) ||
		       (pin->kind == PIN_HOLD && c == COND_HELD);
	}
	if (met)
		return true;
	return diag_fail(g->ctx, ERR_USAGE,
			 "`tenon explain` says for each pair of values why it "
			 "is apart",
			 "pin `%s` cannot be met: %s", pin->text,
			 none[pin->kind]);
}

static bool pin_met(Grouping *g, const Regions *r, const RegionPin *pin)
{
	if (!pin->producer)
		return !pin->join || kind_met(g, r, pin);
	for (size_t i = 0; pin->join && i < r->decisions.n; i++) {
		const Decision *d = &r->decisions.p[i];
		if (d->joined || !is_named(g->p, d->producer, pin->producer))
			continue;
		const Value *to = program_value(g->p, d->consumer);
		return diag_fail(
			g->ctx, ERR_USAGE, d->change,
			"pin `%s` cannot be met: `%s` does not join "
			"its consumer %s%s: %s",
			pin->text, pin->producer, to->name ? to->name : "",
			to->name ? "" : op_info[to->op].name, d->condition);
	}
	return true;
}

Regions *region_partition(Ctx *ctx, Arena *a, const Program *p,
			  const Partition *on, const RegionPin *pins,
			  size_t npins)
{
	/* Index maps are made in the program's own table; what the program
	 * says stays. */
	Grouping *g = grouping_new(ctx, a, (Program *)(uintptr_t)p);
	g->on = *on;
	for (size_t i = 0; i < npins; i++)
		if (!pin_mark(g, &pins[i]))
			return NULL;
	for (ValueId v = 0; v < p->values.n; v++)
		policy_place(g, v);
	attention_join(g);
	if (!on->gpu)
		products_join(g);
	epilogues_complete(g);
	Regions *r = arena_new(a, Regions);
	*r = (Regions){.arena = a, .program = p, .part = g->part};
	r->of = arena_array(a, uint32_t, p->values.n + 1);
	for (size_t i = 0; i < p->values.n; i++)
		r->of[i] = NO_REGION;
	regions_order(g, r);
	for (size_t i = 0; i < g->pairs.n; i++)
		VEC_PUSH(a, r->decisions, decide(g, r, &g->pairs.p[i]));
	for (size_t i = 0; i < npins; i++)
		if (!pin_met(g, r, &pins[i]))
			return NULL;
	return r;
}
