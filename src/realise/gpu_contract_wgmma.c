/*
 * gpu_contract_wgmma: a product by sm_90a's matrix unit, fed by its copy
 * engine.
 *
 * A block of K of both operands comes as boxes of the matrices as they lie in
 * memory; what is outside of them comes as zeros, so that tiles at an edge are
 * like all others. One block is multiplied while the one before is finished;
 * when that is done, its slot is free for the next that is asked for: with s
 * slots, s - 1 blocks ahead. The last block stands apart, since ptxas 13.0
 * moves what reads the sums of a product that a loop has begun to before the
 * wait for it, or (its note C7514) has all products wait for each other.
 *
 * An operand may lie in memory as any window whose rows begin at multiples of
 * 16 bytes: a transpose, a slice, a batch that repeats.
 */
#include "realise/gpu_contract.h"

#include <string.h>

/* ---- windows --------------------------------------------------------- */

static int64_t row_elements(const GpuProduct *p, int number)
{
	DType d = program_value(p->l.p, p->v->args[number])->dtype;

	return SWIZZLE_BYTES / dtype_info[d].bytes;
}

/* One box a line of the tile along k; across, panels of 128 bytes. */
static void set_box(const GpuProduct *p, int number, bool along, KMap *m)
{
	int64_t row = row_elements(p, number);

	m->swizzled = true;
	for (int d = 0; d < m->rank; d++)
		m->box[d] = 1;
	m->box[m->rank - 1] = row;
	m->box[m->rank - 2] = along ? gp_wide(p, number) : p->par[P_DEPTH];
}

/* How far the element moves that x numbers, when the axis does by one; false:
 * not evenly. */
static bool step_of(const GpuProduct *p, Ex x, int64_t axis, int64_t naxes,
		    Ex *step)
{
	ExprTab *t = p->t;
	Ex *with = arena_array(p->l.arena, Ex, naxes + 1);

	for (int64_t i = 0; i < naxes; i++)
		with[i] = ex_axis(t, i);
	with[axis] = ex_add(t, with[axis], gp_num(p, 1));
	*step = ex_sub(t, ex_subst_axes(t, x, with, (size_t)naxes), x);
	for (int64_t i = 0; i < naxes; i++)
		if (ex_uses_axis(t, *step, i))
			return false;
	return true;
}

/* Whether all of the window lies in memory of that size; the verifier wants to
 * be able to see it. */
static bool is_inside(const GpuProduct *p, const KMap *m, Ex size)
{
	ExprTab *t = p->t;
	ExFacts facts = {0};
	Ex last = m->first, one = gp_num(p, 1);
	bool ok = ex_prove_nonneg(t, &facts, m->first);

	for (int d = 0; d < m->rank; d++) {
		Ex most = ex_sub(t, m->extent[d], one);
		VEC_PUSH(p->l.arena, facts.facts, most);
		last = ex_add(t, last, ex_mul(t, most, m->stride[d]));
		ok = ok && ex_prove_nonneg(t, &facts, m->stride[d]);
	}
	return ok && ex_prove_nonneg(t, &facts,
				     ex_sub(t, ex_sub(t, size, last), one));
}

static void add_axis(KMap *m, Ex extent, Ex stride)
{
	m->extent[m->rank] = extent;
	m->stride[m->rank++] = stride;
}

/* The window whose element at the axes is number x of the buffer. */
static bool window(GpuProduct *p, int number, MmaOperand *o, Ex x,
		   int64_t place, int64_t k, int64_t batch)
{
	KMap *m = &o->lying;
	int64_t naxes = batch + p->batch;
	Ex step, lines, *none = arena_array(p->l.arena, Ex, naxes + 1);
	Ex wide = number ? p->n : p->m;

	for (int d = 0; d < p->batch; d++) {
		if (!step_of(p, x, batch + d, naxes, &step))
			return false;
		o->varies[d] = !ex_equals(p->t, step, 0);
		if (o->varies[d] && m->rank + 2 == MAP_MAX_RANK)
			return false;
		if (o->varies[d])
			add_axis(m, p->v->shape[d], step);
	}
	if (!step_of(p, x, o->along ? place : k, naxes, &lines) ||
	    !step_of(p, x, o->along ? k : place, naxes, &step) ||
	    !ex_equals(p->t, step, 1))
		return false;
	add_axis(m, o->along ? wide : p->k, lines);
	add_axis(m, o->along ? p->k : wide, step);
	for (int64_t i = 0; i < naxes; i++)
		none[i] = gp_num(p, 0);
	m->first = ex_subst_axes(p->t, x, none, (size_t)naxes);
	set_box(p, number, o->along, m);
	return true;
}

bool gp_wgmma_lies(GpuProduct *p, int number, MmaOperand *o)
{
	ExprTab *t = p->t;
	Ex index[TN_MAX_RANK], at[TN_MAX_RANK], x = gp_num(p, 0), size;
	int64_t place = p->l.k->naxes, k = place + 1, batch = place + 2;
	KMap *m = &o->lying;
	KOperand from;

	*m = (KMap){0};
	memcpy(at, p->at, sizeof(at));
	for (int d = 0; d < p->batch; d++)
		p->at[d] = ex_axis(t, batch + d);
	ValueId v =
		gp_operand(p, number, ex_axis(t, place), ex_axis(t, k), index);
	memcpy(p->at, at, sizeof(at));
	if (!lower_place(&p->l, v, index, &from))
		return false;
	const KBuffer *b = &p->l.k->buffers.p[from.buffer];
	if (b->dtype != program_value(p->l.p, v)->dtype)
		return false;
	size = gp_num(p, 1);
	for (int d = 0; d < from.nindex; d++) {
		x = ex_add(t, ex_mul(t, x, b->shape[d]), from.index[d]);
		size = ex_mul(t, size, b->shape[d]);
	}
	m->buffer = from.buffer;
	if (!window(p, number, o, x, place, k, batch) || !is_inside(p, m, size))
		return false;
	int width = MAP_ROW_BYTES / dtype_info[b->dtype].bytes;
	bool good = gp_divided(p, m->first, width, o->conds, &o->nconds);
	for (int d = 0; good && d + 1 < m->rank; d++)
		good = gp_divided(p, m->stride[d], width, o->conds, &o->nconds);
	return good;
}

/* The window on what a phase has packed: whole tiles, batches that vary. */
static void whole_window(Mma *m, int number)
{
	GpuProduct *p = m->p;
	MmaOperand *o = &m->in[number];
	const KBuffer *b = &p->l.k->buffers.p[o->packing];
	Ex stride = gp_num(p, 1), strides[K_MAX_RANK];
	KMap *w = &o->whole;

	*w = (KMap){.buffer = o->packing, .first = gp_num(p, 0)};
	for (int d = b->rank - 1; d >= 0; d--) {
		strides[d] = stride;
		stride = ex_mul(p->t, stride, b->shape[d]);
	}
	for (int d = 0; d < b->rank; d++)
		if (d >= p->batch || o->varies[d])
			add_axis(w, b->shape[d], strides[d]);
	set_box(p, number, o->along, w);
}

/* ---- the block's memory ---------------------------------------------- */

/* Rings of tiles: [slot][line][128 bytes along k], across [slot][panel][k][128
 * bytes]. */
void gp_wgmma_buffers(Mma *m)
{
	GpuProduct *p = m->p;

	for (int i = 0; i < 2; i++) {
		MmaOperand *o = &m->in[i];
		int64_t row = SWIZZLE_BYTES / dtype_info[m->element].bytes;
		int64_t wide = gp_wide(p, i);
		Ex shape[4] = {gp_num(p, p->par[P_STAGES])};
		uint8_t n = 1;
		if (!o->along)
			shape[n++] = gp_num(p, wide / row);
		shape[n++] = gp_num(p, o->along ? wide : p->par[P_DEPTH]);
		shape[n++] = gp_num(p, row);
		o->tile = lower_buffer(&p->l, SCOPE_WORKER, m->element, shape,
				       n, i ? "right" : "left");
		p->l.k->buffers.p[o->tile].swizzled = true;
	}
}

/* ---- the kernel ------------------------------------------------------ */

/* Asks for an operand's tile of a block of K, a box each panel, where the
 * conditions hold. */
static void ask_window(Mma *m, int number, Ex block, bool packed,
		       const Ex *conds, uint32_t nconds)
{
	GpuProduct *p = m->p;
	ExprTab *t = p->t;
	const MmaOperand *o = &m->in[number];
	Ex k = gp_first_k(p, block);
	Ex place = number ? p->column : p->row, zero = gp_num(p, 0);
	Ex to[4] = {ex_mod(t, block, gp_num(p, p->par[P_STAGES])), zero, zero,
		    zero};
	Ex at[MAP_MAX_RANK];
	int64_t row = row_elements(p, number);
	int64_t panels = o->along ? 1 : gp_wide(p, number) / row;
	int n = 0;

	for (int d = 0; d < p->batch; d++)
		if (o->varies[d])
			at[n++] = p->at[d];
	at[n] = o->along ? place : k;
	for (int64_t i = 0; i < panels; i++) {
		at[n + 1] = o->along ? k : ex_add(t, place, gp_num(p, i * row));
		if (!o->along)
			to[1] = gp_num(p, i);
		lower_box(&p->l, o->tile, to,
			  packed ? o->whole_number : o->lying_number, at, conds,
			  nconds);
	}
}

static void ask(Mma *m, int number, Ex block)
{
	GpuProduct *p = m->p;
	ExprTab *t = p->t;
	const MmaOperand *o = &m->in[number];
	Ex conds[GP_DIMS + 1], lacks = gp_num(p, -1);

	conds[0] = gp_there(p, block);
	if (!o->nconds) {
		ask_window(m, number, block, o->packed, conds, 1);
		return;
	}
	/* each condition is 0 or less */
	for (uint32_t i = 0; i < o->nconds; i++) {
		conds[i + 1] = o->conds[i];
		lacks = ex_sub(t, lacks, o->conds[i]);
	}
	ask_window(m, number, block, false, conds, o->nconds + 1);
	conds[1] = lacks;
	ask_window(m, number, block, true, conds, 2);
}

static void ask_both(Mma *m, Ex block)
{
	ask(m, 0, block);
	ask(m, 1, block);
}

void gp_wgmma_main(Mma *m)
{
	GpuProduct *p = m->p;
	Lower *l = &p->l;
	int ahead = (int)p->par[P_STAGES] - 1;
	int64_t steps = SWIZZLE_BYTES / MMA_BYTES;
	Ex one = gp_num(p, 1), zero = gp_num(p, 0);
	Ex last = ex_sub(p->t, p->blocks, one);
	int64_t known;

	for (int i = 0; i < 2; i++) {
		MmaOperand *o = &m->in[i];
		if (o->packed) {
			whole_window(m, i);
			o->whole_number = lower_map(l, &o->whole);
		}
		if (o->packed && !o->nconds)
			continue;
		set_box(p, i, o->along, &o->lying);
		o->lying_number = lower_map(l, &o->lying);
	}
	/* where the first block can stand apart too, all slots are asked for at
	 * the start: a branch around it would be one between products */
	bool apart = ex_is_const(p->t, last, &known) && known >= 1;
	for (int i = 0; i < ahead; i++) {
		ask_both(m, gp_num(p, i));
		if (apart || i + 1 < ahead)
			lower_wait(l, ahead - 1);
	}
	if (apart) {
		ask_both(m, gp_num(p, ahead));
		gp_mma_multiply(m, zero, 0, steps);
	}
	Ex first = gp_num(p, apart);
	Ex turns = ex_max(p->t, ex_sub(p->t, last, first), zero);
	Ex block = ex_add(p->t, first, lower_for(l, turns, MAP_SERIAL, 1));
	lower_wait(l, ahead - 1);
	gp_mma_multiply(m, block, 0, steps);
	lower_settle(l, 1);
	(void)lower_append(l, ST_FREE);
	ask_both(m, ex_add(p->t, block, gp_num(p, ahead)));
	lower_end(l);
	lower_wait(l, 0);
	lower_if(l, &last, 1);
	gp_mma_multiply(m, last, 0, steps);
	lower_settle(l, 0);
	lower_end(l);
	if (!ex_is_const(p->t, last, &known)) /* the other way there is none */
		lower_settle(l, 0);
}
