/*
 * gpu_contract_pack: an operand of a matrix unit, written to memory in whole
 * tiles that are filled up with zeros.
 *
 * A worker takes a block of some lines of it. Threads side by side read it as
 * it lies, an element each, which may begin anywhere; in the worker's memory it
 * is turned, where the unit wants that, and goes on 16 bytes a thread.
 */
#include "realise/gpu_contract.h"

#define PACK_LINE     64 /* elements of a line that a block has, or fewer */
#define PACK_ELEMENTS 8  /* of a thread */

static Ex round_up(const GpuProduct *p, Ex x, int64_t by)
{
	Ex one = gp_num(p, 1), n = gp_num(p, by);
	int64_t c;

	/* memory of nothing has an element all the same */
	if (!ex_is_const(p->t, x, &c) || c < 1)
		x = ex_max(p->t, x, one);
	return ex_mul(p->t, ex_ceil_div(p->t, x, n), n);
}

static Ex lines_of(const Mma *m, int number, bool lines)
{
	const GpuProduct *p = m->p;
	bool k = m->in[number].along != lines;

	return k ? round_up(p, p->k, p->par[P_DEPTH])
		 : round_up(p, number ? p->n : p->m, gp_wide(p, number));
}

/* What a worker packs: so many elements of so many lines. */
static void pack_shape(const Mma *m, int64_t shape[2])
{
	int64_t threads = m->p->l.threads;

	shape[1] = threads < PACK_LINE ? threads : PACK_LINE;
	shape[0] = PACK_ELEMENTS * threads / shape[1];
}

/* Reads element x of an operand, line and place along it, to the worker's
 * block, zero unless the conditions hold. */
static void read_element(Mma *m, int number, const Ex x[2], const Ex *to,
			 const Ex *conds, uint32_t n)
{
	Lower *l = &m->p->l;
	bool along = m->in[number].along;
	Ex index[TN_MAX_RANK];
	ValueId v = gp_operand(m->p, number, x[!along], x[along], index);

	lower_if(l, conds, n);
	lower_store(l, m->block, to, lower_value(l, v, index));
	if (n) {
		lower_else(l);
		lower_store(l, m->block, to, lower_zero(l, m->element));
	}
	lower_end(l);
}

/* The elements of a block, of which the first is at `first`: threads side by
 * side as the operand lies, each with every so many-th line of it. */
static void read_block(Mma *m, int number, const Ex first[2], LoopMap map,
		       const Ex extent[2], const bool *partial)
{
	GpuProduct *p = m->p;
	Lower *l = &p->l;
	ExprTab *t = p->t;
	Ex x[2], to[2], conds[2];
	int64_t shape[2];
	uint32_t n = 0;

	int turned = m->in[number].along != gp_along_k(p, number);
	pack_shape(m, shape);
	int64_t side = shape[!turned];
	int64_t down = l->threads / side;
	Ex tid = lower_for(l, gp_num(p, l->threads), MAP_VECTOR, l->threads);
	Ex turn = lower_for(l, gp_num(p, PACK_ELEMENTS), map, 1);
	to[turned] = ex_add(t, ex_div(t, tid, gp_num(p, side)),
			    ex_mul(t, turn, gp_num(p, down)));
	to[!turned] = ex_mod(t, tid, gp_num(p, side));
	for (int d = 0; d < 2; d++) {
		x[d] = ex_add(t, first[d], to[d]);
		if (partial[d])
			conds[n++] = ex_sub(t, ex_sub(t, extent[d], x[d]),
					    gp_num(p, 1));
	}
	read_element(m, number, x, to, conds, n);
	lower_end(l);
	lower_end(l);
}

/*
 * A block of an operand goes to the worker's memory and from there, 16 bytes a
 * thread, to where it is packed. What is read as it lies, and is there, is
 * asked for all at once.
 */
static void fill_block(Mma *m, int number, const Ex first[2])
{
	static const bool none[2];
	GpuProduct *p = m->p;
	Lower *l = &p->l;
	ExprTab *t = p->t;
	const MmaOperand *o = &m->in[number];
	Ex wide = number ? p->n : p->m;
	const Ex extent[2] = {o->along ? wide : p->k, o->along ? p->k : wide};
	Ex index[TN_MAX_RANK], room[2];
	bool partial[2];
	int64_t shape[2];
	KOperand from;
	uint32_t n = 0;

	pack_shape(m, shape);
	for (int d = 0; d < 2; d++) {
		Ex step = gp_num(p, shape[d]);
		partial[d] = !ex_equals(t, ex_mod(t, extent[d], step), 0);
		if (partial[d])
			room[n++] =
				ex_sub(t, ex_sub(t, extent[d], first[d]), step);
	}
	ValueId v =
		gp_operand(p, number, first[!o->along], first[o->along], index);
	if (!lower_place(l, v, index, &from)) {
		read_block(m, number, first, MAP_SERIAL, extent, partial);
		return;
	}
	lower_if(l, room, n);
	read_block(m, number, first, MAP_UNROLL, extent, none);
	if (n) {
		lower_else(l);
		read_block(m, number, first, MAP_SERIAL, extent, partial);
	}
	lower_end(l);
}

void gp_mma_pack(Mma *m, int number)
{
	GpuProduct *p = m->p;
	Lower *l = &p->l;
	ExprTab *t = p->t;
	MmaOperand *o = &m->in[number];
	Ex shape[K_MAX_RANK], to[K_MAX_RANK], conds[2];
	int64_t of[2];
	int n = 0;
	uint32_t nconds = 0;

	pack_shape(m, of);
	int64_t per = of[1] / m->chunk;
	o->along = gp_along_k(p, number) || m->chunk != 8;
	for (; n < p->batch; n++) {
		o->varies[n] = gp_batch_varies(p, number, n);
		shape[n] = o->varies[n] ? p->v->shape[n] : gp_num(p, 1);
	}
	shape[n] = lines_of(m, number, true);
	shape[n + 1] = lines_of(m, number, false);
	Ex tasks = ex_ceil_div(t, shape[n], gp_num(p, of[0]));
	o->packing = lower_buffer(l, SCOPE_SHARED, m->element, shape,
				  (uint8_t)(n + 2),
				  number ? "packed_b" : "packed_a");
	if (m->block == GP_NO_BLOCK) {
		Ex block[2] = {gp_num(p, of[0]), gp_num(p, of[1] + m->chunk)};
		m->block = lower_buffer(l, SCOPE_WORKER, m->element, block, 2,
					"block");
	}
	lower_phase(l, number ? "pack_b" : "pack_a");
	if (o->nconds) { /* no tasks where it is used as it lies */
		Ex lacks = gp_num(p, 0);
		for (uint32_t i = 0; i < o->nconds; i++)
			lacks = ex_sub(t, lacks, o->conds[i]);
		tasks = ex_mul(t, tasks, ex_min(t, lacks, gp_num(p, 1)));
	}
	for (int d = 0; d < n; d++)
		p->at[d] = to[d] =
			o->varies[d] ? lower_task(l, shape[d]) : gp_num(p, 0);
	to[n] = ex_mul(t, lower_task(l, tasks), gp_num(p, of[0]));
	to[n + 1] =
		lower_task(l, ex_ceil_div(t, shape[n + 1], gp_num(p, of[1])));
	to[n + 1] = ex_mul(t, to[n + 1], gp_num(p, of[1]));
	fill_block(m, number, to + n);
	Ex i = lower_for(l, gp_num(p, of[0] * per), MAP_VECTOR, l->threads);
	KOperand from = {.buffer = m->block, .nindex = 2};
	from.index[0] = ex_div(t, i, gp_num(p, per));
	from.index[1] =
		ex_mul(t, ex_mod(t, i, gp_num(p, per)), gp_num(p, m->chunk));
	for (int d = 0; d < 2; d++) {
		Ex step = gp_num(p, of[d]);
		Ex whole = gp_num(p, d ? m->chunk : 1);
		to[n + d] = ex_add(t, to[n + d], from.index[d]);
		if (!ex_equals(t, ex_mod(t, shape[n + d], step), 0))
			conds[nconds++] = ex_sub(
				t, ex_sub(t, shape[n + d], to[n + d]), whole);
	}
	lower_if(l, conds, nconds);
	lower_copy(l, o->packing, to, &from, (int)m->chunk, false, NULL, 0);
	lower_end(l);
	lower_end(l);
}
