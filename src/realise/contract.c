/*
 * contract: one matrix product, with programs on its loads and its tile.
 *
 * Three phases, in the manner of Goto and van de Geijn (Anatomy of
 * High-Performance Matrix Multiplication, 2008), without their blocking of
 * K: both operands are packed into panels in the accumulator's dtype, mr
 * rows of A and nr columns of B side by side for every k; then each task
 * computes a block of tiles. A tile of mr x nr accumulators stays in
 * registers over the whole of K, one multiply-add an element and k in the
 * order of k, so that an output's bits depend on its own row and column
 * only (row_invariant holds by construction, as does independence of the
 * number of workers).
 *
 * The prologue (values between memory and the product) is evaluated while
 * packing, in any layout: lanes run along whichever axis is contiguous in
 * the operand's memory. The epilogue is evaluated on the finished tile.
 * Panels are padded with zeros, which touch no stored element.
 */
#include "realise/lower.h"

#include "ir/view.h"

#include <string.h>

static const char *const contract_params[] = {"mr", "nr", "lanes",
					      "mb", "nb", NULL};
enum {
	P_MR,
	P_NR,
	P_LANES,
	P_MB,
	P_NB,
	P_COUNT
};

static const char *contract_admit(Arena *a, const Regions *r, uint32_t region)
{
	(void)a;
	return r->regions.p[region].kind == REGION_CONTRACT
		       ? NULL
		       : "the region holds no contraction";
}

static DType acc_of(const Regions *r, uint32_t region)
{
	const Region *reg = &r->regions.p[region];

	return program_value(r->program, reg->anchor)->acc;
}

/*
 * Register file: mr x 2 accumulator vectors, two of B and one of A, and one
 * to spare. mb and nb: tiles a task, for reuse of panels in the L2 cache.
 */
static Candidate contract_rule(const Regions *r, uint32_t region,
			       const Target *t)
{
	int bytes = dtype_info[dtype_interior(acc_of(r, region))].bytes;
	int lanes = t->vector_bytes / (bytes < 4 ? 4 : bytes);

	return (Candidate){
		.params = {{"mr", (t->vector_registers - 4) / 2},
			   {"nr", 2 * lanes},
			   {"lanes", lanes},
			   {"mb", 8},
			   {"nb", 4}},
		.nparams = P_COUNT,
	};
}

static const char *contract_legal(Arena *a, const Regions *r, uint32_t region,
				  const Target *t, const Candidate *c)
{
	int64_t lanes = c->params[P_LANES].value, nr = c->params[P_NR].value;
	int64_t mr = c->params[P_MR].value;

	(void)r;
	(void)region;
	if (lanes < 2 || lanes > 64 || (lanes & (lanes - 1)))
		return arena_printf(a, "lanes must be 2, 4 ... 64");
	if (nr < lanes || nr % lanes)
		return arena_printf(a, "nr must be a multiple of lanes (%d)",
				    (int)lanes);
	if (mr < 1 || mr * (nr / lanes) + nr / lanes + 1 > t->vector_registers)
		return arena_printf(a,
				    "a tile of %d x %d needs %d vector "
				    "registers and %s has %d",
				    (int)mr, (int)nr,
				    (int)(mr * (nr / lanes) + nr / lanes + 1),
				    t->name, t->vector_registers);
	for (int i = P_MB; i <= P_NB; i++)
		if (c->params[i].value < 1 || c->params[i].value > 1 << 20)
			return "mb and nb (tiles a task) must be 1 to 2^20";
	return NULL;
}

typedef struct Product {
	Lower l;
	ExprTab *t;
	const Value *v; /* the MATMUL */
	int batch;      /* batch axes */
	int64_t par[P_COUNT];
	Ex m, n, k;
	Ex mp, np; /* panels */
	DType acc;
	bool plain; /* no lanes in prologue and epilogue */
} Product;

/* One packed operand. */
typedef struct Packed {
	ValueId value;
	int64_t wide; /* mr or nr */
	bool rows;    /* A: the panel axis comes before k in the operand */
	Ex extent;    /* m or n */
	Ex panels;
	uint32_t buffer;
	bool varies[TN_MAX_RANK]; /* depends on the batch axis */
} Packed;

/* Index of the packed buffer: batch (or 0 where repeated), panel, k, lane. */
static void packed_index(const Product *p, const Packed *x, const Ex *batch,
			 Ex panel, Ex k, Ex lane, Ex *out)
{
	for (int d = 0; d < p->batch; d++)
		out[d] = x->varies[d] ? batch[d] : ex_const(p->t, 0);
	out[p->batch] = panel;
	out[p->batch + 1] = k;
	out[p->batch + 2] = lane;
}

static void operand_index(const Product *p, const Packed *x, const Ex *batch,
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

static void pack_value(Product *p, const Packed *x, const Ex *batch, Ex panel,
		       Ex k, Ex lane)
{
	Lower *l = &p->l;
	Ex at[TN_MAX_RANK], to[K_MAX_RANK];
	Ex wide = ex_add(p->t, ex_mul(p->t, panel, ex_const(p->t, x->wide)),
			 lane);
	DType from = program_value(l->p, x->value)->dtype;

	operand_index(p, x, batch, k, wide, at);
	VarId v = lower_cast(l, p->acc, from, lower_value(l, x->value, at));
	packed_index(p, x, batch, panel, k, lane, to);
	lower_store(l, x->buffer, to, v);
}

static void pack_zero(Product *p, const Packed *x, const Ex *batch, Ex panel,
		      Ex k, Ex lane)
{
	Ex to[K_MAX_RANK];

	packed_index(p, x, batch, panel, k, lane, to);
	lower_store(&p->l, x->buffer, to, lower_zero(&p->l, p->acc));
}

/*
 * A phase that packs one operand, a panel a task. Lanes run along k when
 * the operand's memory does, else along the panel.
 */
static void pack(Product *p, Packed *x, const char *phase)
{
	Lower *l = &p->l;
	Ex shape[K_MAX_RANK], batch[TN_MAX_RANK], at[TN_MAX_RANK];
	Ex one = ex_const(p->t, 1), wide = ex_const(p->t, x->wide);
	int lanes = (int)p->par[P_LANES];
	LoopMap map = p->plain ? MAP_SERIAL : MAP_VECTOR;

	for (int d = 0; d < p->batch; d++) {
		x->varies[d] = batch_varies(p, x->value, d);
		shape[d] = x->varies[d] ? p->v->shape[d] : one;
	}
	shape[p->batch] = x->panels;
	shape[p->batch + 1] = p->k;
	shape[p->batch + 2] = wide;
	x->buffer = lower_buffer(l, SCOPE_SHARED, p->acc, shape,
				 (uint8_t)(p->batch + 3), phase);
	lower_phase(l, phase);
	for (int d = 0; d < p->batch; d++)
		batch[d] = x->varies[d] ? lower_task(l, p->v->shape[d])
					: ex_const(p->t, 0);
	Ex panel = lower_task(l, x->panels);
	Ex first = ex_mul(p->t, panel, wide);
	Ex used = ex_min(p->t, wide, ex_sub(p->t, x->extent, first));
	Ex unused = ex_sub(p->t, wide, used);

	/* Probe which way memory runs with two axes that no loop uses. */
	Ex pk = ex_axis(p->t, l->k->naxes), pw = ex_axis(p->t, l->k->naxes + 1);
	operand_index(p, x, batch, pk, pw, at);
	bool along_k = lower_stride(l, x->value, at, l->k->naxes) == 1;
	if (p->plain)
		lanes = 1;
	if (along_k) {
		Ex i = lower_for(l, used, MAP_SERIAL, 1);
		Ex k = lower_for(l, p->k, map, lanes);
		pack_value(p, x, batch, panel, k, i);
		lower_end(l);
		lower_end(l);
	} else {
		Ex k = lower_for(l, p->k, MAP_SERIAL, 1);
		Ex i = lower_for(l, used, map, lanes);
		pack_value(p, x, batch, panel, k, i);
		lower_end(l);
		lower_end(l);
	}
	Ex z = lower_for(l, unused, MAP_SERIAL, 1);
	Ex k = lower_for(l, p->k, MAP_SERIAL, 1);
	Ex lane = ex_sub(p->t, ex_sub(p->t, wide, one), z);
	pack_zero(p, x, batch, panel, k, lane);
	lower_end(l);
	lower_end(l);
}

/* The register tile over the whole of K, left in the scratch tile. */
static void micro(Product *p, const Packed *a, const Packed *b, const Ex *batch,
		  Ex pa, Ex pb, uint32_t tile)
{
	Lower *l = &p->l;
	Ex mr = ex_const(p->t, p->par[P_MR]), nr = ex_const(p->t, p->par[P_NR]);
	Ex shape[2] = {mr, nr}, at[2], from[K_MAX_RANK];
	int lanes = (int)p->par[P_LANES];
	uint32_t acc = lower_buffer(l, SCOPE_REG, p->acc, shape, 2, "acc");
	uint32_t row = lower_buffer(l, SCOPE_REG, p->acc, &nr, 1, "brow");

	at[0] = lower_for(l, mr, MAP_UNROLL, 1);
	at[1] = lower_for(l, nr, MAP_VUNROLL, lanes);
	lower_store(l, acc, at, lower_zero(l, p->acc));
	lower_end(l);
	lower_end(l);

	Ex k = lower_for(l, p->k, MAP_SERIAL, 1);
	Ex j = lower_for(l, nr, MAP_VUNROLL, lanes);
	packed_index(p, b, batch, pb, k, j, from);
	lower_store(l, row, &j, lower_load(l, b->buffer, from));
	lower_end(l);
	at[0] = lower_for(l, mr, MAP_UNROLL, 1);
	packed_index(p, a, batch, pa, k, at[0], from);
	VarId x = lower_load(l, a->buffer, from);
	at[1] = lower_for(l, nr, MAP_VUNROLL, lanes);
	VarId y = lower_load(l, row, &at[1]);
	VarId sum = lower_load(l, acc, at);
	lower_store(l, acc, at, lower_mac(l, p->acc, x, y, sum));
	lower_end(l);
	lower_end(l);
	lower_end(l);

	at[0] = lower_for(l, mr, MAP_UNROLL, 1);
	at[1] = lower_for(l, nr, MAP_VUNROLL, lanes);
	lower_store(l, tile, at, lower_load(l, acc, at));
	lower_end(l);
	lower_end(l);
}

/* The product's boundary may go only where its def asks for it and nobody
 * but this tile sees the value. */
static bool drops_boundary(const Product *p)
{
	const Region *reg = p->l.region;

	if (!(p->v->relax & RELAX_SINGLE_ROUNDING))
		return false;
	for (size_t i = 0; i < reg->outputs.n; i++)
		if (reg->outputs.p[i] == reg->anchor)
			return false;
	return p->acc == DT_F32 && dtype_info[p->v->dtype].bytes == 2 &&
	       dtype_is_float(p->v->dtype);
}

static void epilogue(Product *p, const Ex *batch, Ex row0, Ex col0,
		     uint32_t tile)
{
	Lower *l = &p->l;
	const Region *reg = l->region;
	Ex mr = ex_const(p->t, p->par[P_MR]), nr = ex_const(p->t, p->par[P_NR]);
	Ex at[2], index[TN_MAX_RANK];
	int lanes = (int)p->par[P_LANES];

	at[0] = lower_for(l, ex_min(p->t, mr, ex_sub(p->t, p->m, row0)),
			  MAP_SERIAL, 1);
	at[1] = lower_for(l, ex_min(p->t, nr, ex_sub(p->t, p->n, col0)),
			  p->plain ? MAP_SERIAL : MAP_VECTOR,
			  p->plain ? 1 : lanes);
	memcpy(index, batch, (size_t)p->batch * sizeof(Ex));
	index[p->batch] = ex_add(p->t, row0, at[0]);
	index[p->batch + 1] = ex_add(p->t, col0, at[1]);
	VarId sum = lower_load(l, tile, at);
	sum = drops_boundary(p)
		      ? lower_keep(l, p->v->dtype, sum, reg->anchor)
		      : lower_round(l, p->v->dtype, p->acc, sum, reg->anchor);
	lower_bind(l, reg->anchor, index, sum);
	for (size_t i = 0; i < reg->values.n; i++)
		if (l->r->part[reg->values.p[i]] == PART_EPILOGUE)
			lower_value(l, reg->values.p[i], index);
	for (size_t i = 0; i < reg->outputs.n; i++)
		lower_result(l, reg->outputs.p[i], index);
	lower_end(l);
	lower_end(l);
}

static void main_phase(Product *p, const Packed *a, const Packed *b)
{
	Lower *l = &p->l;
	ExprTab *t = p->t;
	Ex mb = ex_const(t, p->par[P_MB]), nb = ex_const(t, p->par[P_NB]);
	Ex mr = ex_const(t, p->par[P_MR]), nr = ex_const(t, p->par[P_NR]);
	Ex shape[2] = {mr, nr}, batch[TN_MAX_RANK];
	uint32_t tile = lower_buffer(l, SCOPE_WORKER, p->acc, shape, 2, "tile");

	lower_phase(l, "main");
	for (int d = 0; d < p->batch; d++)
		batch[d] = lower_task(l, p->v->shape[d]);
	Ex i0 = ex_mul(t, lower_task(l, ex_ceil_div(t, a->panels, mb)), mb);
	Ex j0 = ex_mul(t, lower_task(l, ex_ceil_div(t, b->panels, nb)), nb);
	Ex j = lower_for(l, ex_min(t, nb, ex_sub(t, b->panels, j0)), MAP_SERIAL,
			 1);
	Ex i = lower_for(l, ex_min(t, mb, ex_sub(t, a->panels, i0)), MAP_SERIAL,
			 1);
	Ex pa = ex_add(t, i0, i), pb = ex_add(t, j0, j);

	micro(p, a, b, batch, pa, pb, tile);
	epilogue(p, batch, ex_mul(t, pa, mr), ex_mul(t, pb, nr), tile);
	lower_end(l);
	lower_end(l);
}

static void contract_lower(Kernels *ks, Kernel *k, const Regions *r,
			   const Target *target, const Candidate *c)
{
	Product p = {.t = &ks->program->ex};
	Packed a = {.rows = true}, b = {0};

	(void)target;
	lower_init(&p.l, ks, k, r);
	for (int i = 0; i < P_COUNT; i++)
		p.par[i] = c->params[i].value;
	p.v = program_value(p.l.p, p.l.region->anchor);
	p.batch = p.v->rank - 2;
	p.acc = p.v->acc;
	p.plain = p.l.scalar;
	p.m = p.v->shape[p.batch];
	p.n = p.v->shape[p.batch + 1];
	a.value = p.v->args[0];
	b.value = p.v->args[1];
	p.k = program_value(p.l.p, a.value)->shape[p.batch + 1];
	a.wide = p.par[P_MR];
	b.wide = p.par[P_NR];
	a.extent = p.m;
	b.extent = p.n;
	a.panels = ex_ceil_div(p.t, p.m, ex_const(p.t, a.wide));
	b.panels = ex_ceil_div(p.t, p.n, ex_const(p.t, b.wide));
	pack(&p, &a, "pack_a");
	pack(&p, &b, "pack_b");
	main_phase(&p, &a, &b);
	k->note = "operands packed once, a register tile over the whole of K, "
		  "epilogue on the finished tile";
}

const Realisation realise_contract = {
	"contract",    contract_params, contract_admit,
	contract_rule, contract_legal,  contract_lower,
};
