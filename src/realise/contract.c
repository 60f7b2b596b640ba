/*
 * contract: one matrix product, with programs on its loads and its tile.
 *
 * In the manner of Goto and van de Geijn (Anatomy of High-Performance Matrix
 * Multiplication, 2008): both operands are packed into panels in the
 * accumulator's dtype, mr rows of A and nr columns of B side by side for
 * every k; then each task computes a block of mb x nb tiles. A tile of
 * mr x nr accumulators stays in registers over kc elements of K.
 *
 * The prologue (values between memory and the product) is evaluated while
 * packing, the epilogue on the finished tile.
 */
#include "realise/contract.h"

/* Columns of a result that are computed faster as rows, its rows, and elements
 * of K that pay for laying rows side by side. */
#define TURNED_COLUMNS 8
#define TURNED_ROWS    16
#define TURNED_DEPTH   32

const char *const contract_params[P_COUNT + 1] = {
	"mr", "nr", "lanes", "mb",    "nb",     "kc",
	"a",  "b",  "unit",  "ahead", "turned", NULL,
};

static const char *contract_admit(Arena *a, const Regions *r, uint32_t region)
{
	(void)a;
	return r->regions.p[region].kind == REGION_CONTRACT
		       ? NULL
		       : "the region holds no contraction";
}

const Value *contract_product(const Regions *r, uint32_t region)
{
	return program_value(r->program, r->regions.p[region].anchor);
}

int64_t contract_known(const Regions *r, Ex extent)
{
	int64_t n;

	return ex_is_const(&r->program->ex, extent, &n) ? n : -1;
}

bool contract_is_memory(const Regions *r, uint32_t region, ValueId id)
{
	const Value *v = program_value(r->program, id);

	if (op_info[v->op].cls == OPC_LEAF)
		return v->op != OP_IOTA && !(v->op == OP_CONST && !v->rank);
	return op_info[v->op].cls != OPC_VIEW && r->of[id] != NO_REGION &&
	       r->of[id] != region;
}

Operand contract_look(const Regions *r, uint32_t region, ValueId id, int behind)
{
	const Value *v = program_value(r->program, id);
	Operand o = {.dtype = v->dtype};
	int axis = v->rank - 1 - behind;

	while (op_info[v->op].cls == OPC_VIEW && r->of[id] != region) {
		/* a transposed axis; other views may do anything */
		if (v->op != OP_TRANSPOSE)
			return o;
		axis = v->perm[axis];
		id = v->args[0];
		v = program_value(r->program, id);
	}
	o.fixed = v->op == OP_WEIGHT || v->op == OP_CONST;
	o.memory = contract_is_memory(r, region, id);
	o.along = axis == v->rank - 1;
	return o;
}

bool contract_is_plain(const Regions *r, uint32_t region, ValueId id, DType acc,
		       int behind, bool *fixed)
{
	Operand o = contract_look(r, region, id, behind);

	*fixed = o.fixed;
	return o.memory && o.along && o.dtype == acc;
}

/*
 * Whether the operands change places. A result of a few columns leaves most of
 * a vector of them empty; turned, vectors hold rows, of which there are more.
 */
static bool turns(const Regions *r, uint32_t region, MatrixUnit unit)
{
	const Value *v = contract_product(r, region);
	int64_t m = contract_known(r, v->shape[v->rank - 2]);
	int64_t n = contract_known(r, v->shape[v->rank - 1]);
	const Value *a = program_value(r->program, v->args[0]);
	int64_t k = contract_known(r, a->shape[a->rank - 1]);

	return unit == UNIT_FMA && n >= 1 && n <= TURNED_COLUMNS &&
	       (m < 0 || m >= TURNED_ROWS) && (k < 0 || k >= TURNED_DEPTH) &&
	       !contract_is_joined(r, region);
}

static Candidate contract_rule(const Regions *r, uint32_t region,
			       const Target *t)
{
	const Value *v = contract_product(r, region);
	const Value *a = program_value(r->program, v->args[0]);
	ScratchArena scratch;
	scratch_begin(&scratch);
	MatrixUnit unit = contract_dot_unit(&scratch.arena, r, region, t);
	scratch_end(&scratch);
	bool turned = turns(r, region, unit);
	int bytes = dtype_info[dtype_interior(v->acc)].bytes;
	Extents x = {
		.m = contract_known(r, v->shape[v->rank - 2 + turned]),
		.n = contract_known(r, v->shape[v->rank - 1 - turned]),
		.k = contract_known(r, a->shape[a->rank - 1]),
		.bytes = bytes < 4 ? 4 : bytes,
	};
	int64_t par[P_COUNT];
	Candidate c = {.nparams = P_COUNT};
	Operand oa = contract_look(r, region, v->args[turned], turned);
	Operand ob = contract_look(r, region, v->args[!turned], turned);

	if (!lower_is_scalar(r, region)) {
		/* a few rows side by side lie as close as along k */
		bool near = x.m >= 0 && x.m <= TURNED_COLUMNS;
		x.a_plain =
			oa.memory && (oa.along || near) && oa.dtype == v->acc;
		x.b_along = ob.memory && ob.along;
		x.b_plain = x.b_along && ob.dtype == v->acc;
	}
	x.b_fixed = ob.fixed;
	par[P_UNIT] = UNIT_FMA;
	if (contract_is_joined(r, region))
		contract_join_model(r, region, t, unit, par);
	else if (unit == UNIT_FMA)
		contract_model(t, &x, par);
	else
		contract_dot_model(t, &x, unit, dtype_info[a->dtype].bytes,
				   par);
	if (contract_dot_flat(r, region, unit, par[P_MR]))
		par[P_A] = PACK_NONE;
	par[P_AHEAD] = AHEAD_BY_SIZE;
	par[P_TURNED] = turned;
	for (int i = 0; i < P_COUNT; i++)
		c.params[i] = (KParam){contract_params[i], par[i]};
	return c;
}

/* Whether the columns of every product are a constant. */
static bool columns_known(const Regions *r, uint32_t region)
{
	const Region *reg = &r->regions.p[region];

	for (size_t i = 0; i < reg->values.n; i++) {
		const Value *v = program_value(r->program, reg->values.p[i]);
		if (r->part[reg->values.p[i]] == PART_ANCHOR &&
		    contract_known(r, v->shape[v->rank - 1]) < 0)
			return false;
	}
	return true;
}

/* What every unit asks of blocks and forms. */
static const char *blocks_legal(const int64_t *par)
{
	for (int i = P_MB; i <= P_NB; i++)
		if (par[i] < 1 || par[i] > 1 << 20)
			return "mb and nb (tiles a task) must be 1 to 2^20";
	for (int i = P_A; i <= P_B; i++)
		if (par[i] < PACK_NONE ||
		    par[i] > (i == P_A ? PACK_PHASE : PACK_FED))
			return "a and b must be 0 (read where they lie), 1 "
			       "(packed in each task) or 2 (by a phase); b "
			       "may be 3 (a panel while the one before is "
			       "multiplied)";
	if (par[P_AHEAD] < AHEAD_NEVER || par[P_AHEAD] > AHEAD_ALWAYS)
		return "ahead must be 0 (never), 1 (for a result that does "
		       "not stay in L2) or 2 (always)";
	return NULL;
}

static const char *contract_legal(Arena *a, const Regions *r, uint32_t region,
				  const Target *t, const Candidate *c)
{
	int64_t lanes = c->params[P_LANES].value, nr = c->params[P_NR].value;
	int64_t mr = c->params[P_MR].value;
	const Value *v = contract_product(r, region);
	int64_t par[P_COUNT], unit = c->params[P_UNIT].value;

	for (int i = 0; i < P_COUNT; i++)
		par[i] = c->params[i].value;
	if (unit < 0 || unit >= UNIT_COUNT)
		return "no such matrix unit";
	const char *why = blocks_legal(par);
	if (why)
		return why;
	if (par[P_TURNED] < 0 || par[P_TURNED] > 1)
		return "turned must be 0 or 1";
	if (par[P_TURNED] &&
	    (unit != UNIT_FMA || contract_is_joined(r, region)))
		return "operands change places only in a kernel of one product "
		       "by multiply-adds";
	if (mr < 1 || mr > 1 << 20 || nr < 1 || nr > 1 << 20)
		return "mr and nr (rows and columns of a tile) must be 1 to "
		       "2^20";
	if (unit != UNIT_FMA)
		return contract_dot_legal(a, r, region, t, par);
	if (lanes < 2 || lanes > 64 || (lanes & (lanes - 1)))
		return arena_printf(a, "lanes must be 2, 4 ... 64");
	if (nr < lanes || nr % lanes)
		return arena_printf(a, "nr must be a multiple of lanes (%d)",
				    (int)lanes);
	if (mr * (nr / lanes) + nr / lanes + 1 > t->vector_registers)
		return arena_printf(a,
				    "a tile of %d x %d needs %d vector "
				    "registers and %s has %d",
				    (int)mr, (int)nr,
				    (int)(mr * (nr / lanes) + nr / lanes + 1),
				    t->name, t->vector_registers);
	bool rows = contract_known(r, v->shape[v->rank - 2]) >= 0;
	bool columns = columns_known(r, region);
	if (par[P_A] == PACK_NONE && !(par[P_TURNED] ? columns : rows))
		return "A is read where it lies only where its rows are a "
		       "constant";
	if (par[P_B] == PACK_NONE && !(par[P_TURNED] ? rows : columns))
		return "B is read where it lies only where its columns are a "
		       "constant";
	if (c->params[P_B].value == PACK_FED &&
	    (lower_is_scalar(r, region) || contract_is_joined(r, region)))
		return "b is packed by its tiles only in a kernel of one "
		       "product, whose operands cannot fault";
	if (c->params[P_KC].value < 1 || c->params[P_KC].value > 1 << 30)
		return "kc (elements of K at a time) must be 1 to 2^30";
	return NULL;
}

Packed contract_operand(const Product *p, const Value *v, int number)
{
	int64_t lanes = p->unit == UNIT_FMA ? 1 : p->par[P_LANES];
	int64_t wide = p->par[number == 0 ? P_MR : P_NR];
	Ex extent = number == 0 ? p->m : p->n;
	int operand = p->turned ? 1 - number : number;

	return (Packed){
		.value = v->args[operand],
		.wide = wide,
		.pitch = (wide + lanes - 1) / lanes * lanes,
		.rows = operand == 0,
		.extent = extent,
		.panels = ex_ceil_div(p->t, extent, ex_const(p->t, wide)),
		.where = (int)p->par[number == 0 ? P_A : P_B],
	};
}

static void contract_lower(Kernels *ks, Kernel *k, const Regions *r,
			   const Target *target, const Candidate *c)
{
	Product p = {.t = &ks->program->ex};
	int64_t n;

	lower_init(&p.l, ks, k, r);
	for (int i = 0; i < P_COUNT; i++)
		p.par[i] = c->params[i].value;
	p.id = p.l.region->anchor;
	p.v = program_value(p.l.p, p.id);
	p.unit = (MatrixUnit)p.par[P_UNIT];
	p.element = program_value(p.l.p, p.v->args[0])->dtype;
	p.batch = p.v->rank - 2;
	p.acc = p.v->acc;
	p.plain = p.l.scalar;
	p.turned = p.par[P_TURNED];
	p.m = p.v->shape[p.batch + p.turned];
	contract_ahead_init(&p, target);
	if (contract_is_joined(r, k->region)) {
		contract_join_lower(&p, target);
		return;
	}
	p.n = p.v->shape[p.batch + 1 - p.turned];
	p.k = program_value(p.l.p, p.v->args[0])->shape[p.batch + 1];
	/* one block at least, so that a product over nothing is stored too */
	p.kc = ex_const(p.t, p.par[P_KC]);
	if (ex_is_const(p.t, p.k, &n) && n <= p.par[P_KC])
		p.kc = ex_max(p.t, ex_const(p.t, 1), p.k);
	if (p.unit != UNIT_FMA)
		p.kc = contract_dot_kc(&p);
	p.blocks = ex_max(p.t, ex_const(p.t, 1), ex_ceil_div(p.t, p.k, p.kc));
	p.a = contract_operand(&p, p.v, 0);
	p.b = contract_operand(&p, p.v, 1);
	if (p.a.where == PACK_PHASE)
		contract_pack_phase(&p, &p.a, "pack_a");
	if (p.b.where == PACK_PHASE)
		contract_pack_phase(&p, &p.b, "pack_b");
	contract_main(&p);
	k->note = contract_dot_note(&p);
	if (!k->note)
		k->note = "operands packed once, a register tile over kc "
			  "elements of K "
			  "at a time, epilogue on the finished tile";
}

const Realisation realise_contract = {
	"contract",    contract_params, contract_admit,
	contract_rule, contract_legal,  contract_lower,
	NULL,          contract_domain, contract_cost,
};
