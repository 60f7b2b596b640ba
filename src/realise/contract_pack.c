/*
 * contract_pack: operands into panels of the accumulator's dtype.
 *
 * Values between memory and the product (the prologue) are evaluated here,
 * once an element. Where memory runs along k, square tiles of lanes x lanes
 * are loaded along k and stored along the panel: the emitter transposes
 * them in registers. Else lanes run along the panel. Elements beyond the
 * operand are read as zeros and touch no stored result.
 */
#include "realise/contract.h"

#include "ir/view.h"

#include <string.h>

int contract_panel_index(const Product *p, const Packed *x, const Ex *batch,
			 Ex panel, Ex block, Ex *out)
{
	int n = 0;

	if (x->where == PACK_TASK) {
		out[n++] = ex_sub(p->t, panel, x->first);
	} else if (x->where == PACK_FED) {
		/* two places, in turn */
		out[n++] = ex_mod(p->t, ex_sub(p->t, panel, x->first),
				  ex_const(p->t, 2));
	} else {
		for (; n < p->batch; n++)
			out[n] = x->varies[n] ? batch[n] : ex_const(p->t, 0);
		out[n++] = block;
		out[n++] = panel;
	}
	return n;
}

void contract_packed(const Product *p, const Packed *x, const Ex *batch,
		     Ex panel, const KAt *k, Ex lane, Ex *out)
{
	int n = contract_panel_index(p, x, batch, panel, k->block, out);

	out[n++] = k->in;
	out[n] = lane;
}

/* The element of K itself. */
static Ex k_of(const Product *p, const KAt *k)
{
	return ex_add(p->t, ex_mul(p->t, k->block, p->kc), k->in);
}

void contract_operand_index(const Product *p, const Packed *x, const Ex *batch,
			    Ex k, Ex wide, Ex *out)
{
	memcpy(out, batch, (size_t)p->batch * sizeof(Ex));
	out[p->batch] = x->rows ? wide : k;
	out[p->batch + 1] = x->rows ? k : wide;
}

/* Whether the operand's elements depend on batch axis d: not when it is
 * read through a view whose map ignores the axis. */
static bool batch_varies(const Product *p, ValueId v, int d)
{
	const Value *val = program_value(p->l.p, v);
	const Value *x;
	Ex map[TN_MAX_RANK];

	if (op_info[val->op].cls != OPC_VIEW)
		return true;
	x = program_value(p->l.p, val->args[0]);
	view_map(p->l.p, val, map);
	for (int i = 0; i < x->rank; i++)
		if (ex_uses_axis(p->t, map[i], d))
			return true;
	return false;
}

Ex contract_k_length(const Product *p, Ex block)
{
	if (ex_equals(p->t, ex_mod(p->t, p->k, p->kc), 0) &&
	    !ex_equals(p->t, p->k, 0))
		return p->kc;
	return ex_min(p->t, p->kc,
		      ex_sub(p->t, p->k, ex_mul(p->t, block, p->kc)));
}

VarId contract_element(Product *p, const Packed *x, const Ex *batch, Ex wide,
		       const KAt *k, bool guarded)
{
	Lower *l = &p->l;
	Ex at[TN_MAX_RANK], one = ex_const(p->t, 1);
	DType from = program_value(l->p, x->value)->dtype;
	Ex room = ex_sub(p->t, ex_sub(p->t, x->extent, one), wide);
	size_t guards = l->conds.n;

	if (guarded)
		lower_guard(l, room);
	contract_operand_index(p, x, batch, k_of(p, k), wide, at);
	VarId v = lower_cast(l, p->acc, from, lower_value(l, x->value, at));
	l->conds.n = guards;
	return v;
}

/* A panel being packed: its place, and the operand's panel that it holds. */
typedef struct Panel {
	const Packed *x;
	const Ex *batch;
	Ex panel, block, from;
	int64_t wide; /* rows or columns that it has */
	bool guarded; /* some may lie beyond the operand: zeros */
} Panel;

static void pack_element(Product *p, const Panel *n, const KAt *k, Ex lane)
{
	const Packed *x = n->x;
	Ex to[K_MAX_RANK],
		first = ex_mul(p->t, n->from, ex_const(p->t, x->wide));
	VarId v = contract_element(p, x, n->batch, ex_add(p->t, first, lane), k,
				   n->guarded);

	contract_packed(p, x, n->batch, n->panel, k, lane, to);
	lower_store(&p->l, x->buffer, to, v);
}

bool contract_guarded(const Product *p, const Packed *x)
{
	int64_t known;

	return !ex_is_const(p->t, x->extent, &known) &&
	       !ex_equals(p->t,
			  ex_mod(p->t, x->extent, ex_const(p->t, x->wide)), 0);
}

void contract_pack_step(Product *p, const Packed *x, const Ex *batch, Ex panel,
			const KAt *k)
{
	Panel n = {x,
		   batch,
		   panel,
		   k->block,
		   panel,
		   x->wide,
		   contract_guarded(p, x)};
	Ex i = lower_for(&p->l, ex_const(p->t, x->wide), MAP_VUNROLL,
			 (int)p->par[P_LANES]);

	pack_element(p, &n, k, i);
	lower_end(&p->l);
}

/* Single elements: the prologue may fault, so that none beyond the operand
 * is evaluated. */
static void pack_plain(Product *p, const Panel *n)
{
	Lower *l = &p->l;
	const Packed *x = n->x;
	Ex wide = ex_const(p->t, x->wide), to[K_MAX_RANK];
	Ex first = ex_mul(p->t, n->panel, wide);
	Ex used = ex_min(p->t, wide, ex_sub(p->t, x->extent, first));
	Ex length = contract_k_length(p, n->block);

	KAt k = {n->block, lower_for(l, length, MAP_SERIAL, 1)};
	Ex i = lower_for(l, used, MAP_SERIAL, 1);
	pack_element(p, n, &k, i);
	lower_end(l);
	i = lower_for(l, ex_sub(p->t, wide, used), MAP_SERIAL, 1);
	contract_packed(p, x, n->batch, n->panel, &k, ex_add(p->t, used, i),
			to);
	lower_store(l, x->buffer, to, lower_zero(l, p->acc));
	lower_end(l);
	lower_end(l);
}

/* Rows that memory runs along, side by side in the panel: squares of lanes x
 * lanes, transposed in registers. */
static void pack_rows(Product *p, const Panel *n, Ex first, int64_t rows)
{
	Lower *l = &p->l;
	Ex length = contract_k_length(p, n->block);

	KAt k = {n->block,
		 lower_for(l, length, MAP_VECTOR, (int)p->par[P_LANES])};
	Ex i = lower_for(l, ex_const(p->t, rows), MAP_UNROLL, 1);
	pack_element(p, n, &k, ex_add(p->t, first, i));
	lower_end(l);
	lower_end(l);
}

bool contract_runs_along_k(Product *p, const Packed *x, const Ex *batch)
{
	Lower *l = &p->l;
	Ex at[TN_MAX_RANK];

	/* Probe which way memory runs with two axes that no loop uses. */
	Ex pk = ex_axis(p->t, l->k->naxes), pw = ex_axis(p->t, l->k->naxes + 1);
	contract_operand_index(p, x, batch, pk, pw, at);
	return lower_stride(l, x->value, at, l->k->naxes) == 1;
}

static void pack_panel(Product *p, const Panel *n)
{
	Lower *l = &p->l;
	int64_t lanes = p->par[P_LANES], groups = n->wide / lanes;
	Ex by = ex_const(p->t, lanes), length = contract_k_length(p, n->block);

	if (!contract_runs_along_k(p, n->x, n->batch)) {
		KAt k = {n->block, lower_for(l, length, MAP_SERIAL, 1)};
		Ex i = lower_for(l, ex_const(p->t, n->wide), MAP_VUNROLL,
				 (int)lanes);
		pack_element(p, n, &k, i);
		lower_end(l);
		lower_end(l);
		return;
	}
	if (groups) {
		Ex g = lower_for(l, ex_const(p->t, groups), MAP_SERIAL, 1);
		pack_rows(p, n, ex_mul(p->t, g, by), lanes);
		lower_end(l);
	}
	if (n->wide % lanes)
		pack_rows(p, n, ex_const(p->t, groups * lanes),
			  n->wide % lanes);
}

/* Whole panels, and a narrower one at the end of a constant extent, of which
 * tiles read no more (contract_tile.c). */
static void pack_panels(Product *p, const Packed *x, const Ex *batch, Ex panel,
			Ex block)
{
	Lower *l = &p->l;
	Panel n = {x, batch, panel, block, panel, x->wide, false};
	int64_t extent;

	if (!ex_is_const(p->t, x->extent, &extent)) {
		n.guarded = contract_guarded(p, x);
		pack_panel(p, &n);
		return;
	}
	int64_t whole = extent / x->wide, rest = extent % x->wide, at;
	Ex inside = ex_sub(p->t, ex_const(p->t, whole - 1), panel);
	bool known = ex_is_const(p->t, inside, &at);
	bool both = whole && rest && !known;
	if (both)
		lower_if(l, &inside, 1);
	if (known ? at >= 0 : whole > 0)
		pack_panel(p, &n);
	if (both)
		lower_else(l);
	n.from = ex_const(p->t, whole);
	n.wide = rest;
	if (rest && (!known || at < 0))
		pack_panel(p, &n);
	if (both)
		lower_end(l);
}

void contract_pack_panel(Product *p, const Packed *x, const Ex *batch, Ex panel,
			 Ex block)
{
	Panel n = {x, batch, panel, block, panel, x->wide, false};

	if (p->plain)
		pack_plain(p, &n);
	else
		pack_panels(p, x, batch, panel, block);
}

/* Adds the axes of a panel to a shape. */
static DType panel_shape(const Product *p, const Packed *x, Ex *shape, int *n)
{
	if (p->unit != UNIT_FMA) {
		DType dtype = contract_dot_panel(p, x, shape + *n);
		*n += 3;
		return dtype;
	}
	shape[(*n)++] = p->kc;
	shape[(*n)++] = ex_const(p->t, x->pitch);
	return p->acc;
}

void contract_pack_phase(Product *p, Packed *x, const char *name)
{
	Lower *l = &p->l;
	Ex shape[K_MAX_RANK], batch[TN_MAX_RANK];
	int n = 0;

	for (; n < p->batch; n++) {
		x->varies[n] = batch_varies(p, x->value, n);
		shape[n] = x->varies[n] ? p->v->shape[n] : ex_const(p->t, 1);
	}
	shape[n++] = p->blocks;
	shape[n++] = x->panels;
	DType dtype = panel_shape(p, x, shape, &n);
	x->buffer =
		lower_buffer(l, SCOPE_SHARED, dtype, shape, (uint8_t)n, name);
	lower_phase(l, name);
	for (int d = 0; d < p->batch; d++)
		batch[d] = x->varies[d] ? lower_task(l, p->v->shape[d])
					: ex_const(p->t, 0);
	Ex group = ex_const(p->t, contract_dot_group(p, x));
	Ex first =
		ex_mul(p->t, lower_task(l, ex_ceil_div(p->t, x->panels, group)),
		       group);
	Ex block = lower_for(l, p->blocks, MAP_SERIAL, 1);
	if (p->unit == UNIT_FMA) {
		contract_pack_panel(p, x, batch, first, block);
	} else {
		Ex left = ex_sub(p->t, x->panels, first);
		contract_dot_pack(p, x, batch, first, ex_min(p->t, group, left),
				  block);
	}
	lower_end(l);
}

void contract_pack_scratch(Product *p, Packed *x, Ex panels, const char *name)
{
	Ex shape[K_MAX_RANK] = {panels};
	int n = 1;
	DType dtype = panel_shape(p, x, shape, &n);

	x->buffer = lower_buffer(&p->l, SCOPE_WORKER, dtype, shape, (uint8_t)n,
				 name);
}

void contract_pack_block(Product *p, const Packed *x, const Ex *batch,
			 Ex panels, Ex block)
{
	Lower *l = &p->l;

	if (p->unit != UNIT_FMA) {
		contract_dot_pack(p, x, batch, x->first, panels, block);
		return;
	}
	Ex panel = ex_add(p->t, x->first, lower_for(l, panels, MAP_SERIAL, 1));

	contract_pack_panel(p, x, batch, panel, block);
	lower_end(l);
}
