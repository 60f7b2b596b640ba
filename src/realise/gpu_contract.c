/*
 * gpu_contract: a product on a GPU, by each thread's own multiply-adds.
 *
 * A task is a tile of rows x columns of the result. Blocks of `depth` of K of
 * both operands are brought to the block's memory, in the accumulator's dtype
 * and with whatever the program does to them before the product; each thread
 * adds up rows / 16 x columns / (threads / 16) sums in registers, and finishes
 * them there. Sums go in the order of k, in one accumulator, so that a row's
 * bits depend on nothing but its own inputs.
 */
#include "realise/lower.h"

#include <string.h>

static const char *const gpu_params[] = {"unit",  "rows",    "columns",
					 "depth", "threads", NULL};
enum {
	P_UNIT, /* what multiplies: UNIT_FMA */
	P_ROWS,
	P_COLUMNS,
	P_DEPTH,
	P_THREADS,
	P_COUNT
};

/* Threads side by side along the columns; a warp has two rows of them. */
#define ACROSS 16

typedef struct Product {
	Lower l;
	ExprTab *t;
	int64_t par[P_COUNT];
	const Value *v;
	DType acc;
	int batch;
	Ex m, n, k;
	Ex at[TN_MAX_RANK]; /* batch indices */
	Ex row, column;     /* of the tile's first element */
	uint32_t tile[2];   /* of the operands, [depth, rows or columns + 1] */
	uint32_t sums;      /* registers: [threads, rows, columns of each] */
} Product;

static Ex num(const Product *p, int64_t n)
{
	return ex_const(p->t, n);
}

/* ---- the candidate --------------------------------------------------- */

static const char *gpu_admit(Arena *a, const Regions *r, uint32_t region)
{
	(void)a;
	return r->regions.p[region].kind == REGION_CONTRACT
		       ? NULL
		       : "the region has no product";
}

/* Wide tiles where the result has so many of them that all of a large GPU's
 * multiprocessors have one. */
#define MANY_TILES 128

static Candidate gpu_rule(const Regions *r, uint32_t region, const Target *t)
{
	const Value *v = program_value(r->program, r->regions.p[region].anchor);
	int64_t m, n, tile = 64;

	(void)t;
	if (v->acc != DT_F64 &&
	    ex_is_const(&r->program->ex, v->shape[v->rank - 2], &m) &&
	    ex_is_const(&r->program->ex, v->shape[v->rank - 1], &n) &&
	    (m / 128) * (n / 128) >= MANY_TILES)
		tile = 128;
	return (Candidate){
		.params = {{"unit", UNIT_FMA},
			   {"rows", tile},
			   {"columns", tile},
			   {"depth", 16},
			   {"threads", 256}},
		.nparams = P_COUNT,
	};
}

static const char *gpu_legal(Arena *a, const Regions *r, uint32_t region,
			     const Target *t, const Candidate *c)
{
	int64_t par[P_COUNT];
	const Value *v = program_value(r->program, r->regions.p[region].anchor);

	for (int i = 0; i < P_COUNT; i++)
		par[i] = c->params[i].value;
	if (par[P_UNIT] != UNIT_FMA)
		return arena_printf(a, "%s has no such unit", t->name);
	if (par[P_THREADS] < 32 || par[P_THREADS] > KERNEL_MAX_THREADS ||
	    (par[P_THREADS] & (par[P_THREADS] - 1)))
		return "threads must be 32, 64 ... 1024";
	int64_t down = par[P_THREADS] / ACROSS;
	if (par[P_ROWS] < down || par[P_ROWS] % down || par[P_ROWS] > 256)
		return arena_printf(a,
				    "rows must be a multiple of %d, at most "
				    "256",
				    (int)down);
	if (par[P_COLUMNS] < ACROSS || par[P_COLUMNS] % ACROSS ||
	    par[P_COLUMNS] > 256)
		return arena_printf(
			a, "columns must be a multiple of %d, at most 256",
			ACROSS);
	if (par[P_DEPTH] < 1 || par[P_DEPTH] > par[P_THREADS] ||
	    par[P_THREADS] % par[P_DEPTH])
		return "depth must divide threads";
	for (int i = P_ROWS; i <= P_COLUMNS; i++)
		if ((par[i] * par[P_DEPTH]) % par[P_THREADS] ||
		    (par[i] < par[P_THREADS] ? par[P_THREADS] % par[i]
					     : par[i] % par[P_THREADS]))
			return "a tile of an operand must be shared out evenly "
			       "to the threads";
	if (par[P_ROWS] * par[P_COLUMNS] / par[P_THREADS] > 128)
		return "a thread holds at most 128 sums";
	int64_t bytes = (par[P_ROWS] + par[P_COLUMNS] + 2) * par[P_DEPTH] *
			dtype_info[v->acc].bytes;
	if (bytes > t->shared)
		return arena_printf(a,
				    "tiles of %d bytes do not fit the %d that "
				    "a block of threads has",
				    (int)bytes, (int)t->shared);
	return NULL;
}

/* ---- operands -------------------------------------------------------- */

/* The index of an element of an operand: 0 A at [.., place, k], 1 B. */
static ValueId operand_at(const Product *p, int number, Ex place, Ex k,
			  Ex *index)
{
	memcpy(index, p->at, (size_t)p->batch * sizeof(Ex));
	index[p->batch + number] = place;
	index[p->batch + 1 - number] = k;
	return p->v->args[number];
}

static bool runs_along_k(Product *p, int number)
{
	Ex index[TN_MAX_RANK];
	int64_t axis = p->l.k->naxes; /* that no loop uses */
	ValueId v =
		operand_at(p, number, num(p, 0), ex_axis(p->t, axis), index);

	return lower_stride(&p->l, v, index, axis) == 1;
}

/*
 * A block of K of an operand's tile, from k0 on. Neighbouring threads read
 * neighbours in memory. What lies beyond the operand is not touched, and
 * what the tile has there is not used.
 */
static void bring(Product *p, int number, Ex k0)
{
	Lower *l = &p->l;
	ExprTab *t = p->t;
	int64_t threads = p->par[P_THREADS], depth = p->par[P_DEPTH];
	int64_t wide = p->par[number ? P_COLUMNS : P_ROWS];
	int64_t turns = wide * depth / threads;
	Ex extent = number ? p->n : p->m, one = num(p, 1), to[2];
	Ex index[TN_MAX_RANK];

	bool along = runs_along_k(p, number);
	Ex tid = lower_for(l, num(p, threads), MAP_VECTOR, (int)threads);
	Ex turn = lower_for(l, num(p, turns), MAP_UNROLL, 1);
	int64_t run = along ? depth : wide < threads ? wide : threads;
	Ex inner = ex_mod(t, tid, num(p, run));
	Ex outer = ex_add(t, ex_div(t, tid, num(p, run)),
			  ex_mul(t, turn, num(p, threads / run)));
	if (!along && wide > threads) {
		int64_t parts = wide / threads;
		inner = ex_add(t, inner,
			       ex_mul(t, ex_mod(t, turn, num(p, parts)),
				      num(p, threads)));
		outer = ex_div(t, turn, num(p, parts));
	}
	to[0] = along ? inner : outer;
	to[1] = along ? outer : inner;
	Ex place = ex_add(t, number ? p->column : p->row, to[1]);
	Ex k = ex_add(t, k0, to[0]);
	Ex inside[2] = {ex_sub(t, ex_sub(t, extent, place), one),
			ex_sub(t, ex_sub(t, p->k, k), one)};
	lower_if(l, inside, 2);
	ValueId v = operand_at(p, number, place, k, index);
	lower_store(l, p->tile[number], to,
		    lower_cast(l, p->acc, program_value(l->p, v)->dtype,
			       lower_value(l, v, index)));
	lower_end(l);
	lower_end(l);
	lower_end(l);
}

/* ---- sums ------------------------------------------------------------ */

/* Loops over a thread's sums: at[0] is the thread, then row and column among
 * its own; place: of the tile. Closed by close_sums(). */
static void open_sums(Product *p, Ex at[3], Ex place[2])
{
	Lower *l = &p->l;
	ExprTab *t = p->t;
	int64_t threads = p->par[P_THREADS], down = threads / ACROSS;

	at[0] = lower_for(l, num(p, threads), MAP_VECTOR, (int)threads);
	at[1] = lower_for(l, num(p, p->par[P_ROWS] / down), MAP_UNROLL, 1);
	at[2] = lower_for(l, num(p, p->par[P_COLUMNS] / ACROSS), MAP_UNROLL, 1);
	place[0] = ex_add(t, ex_div(t, at[0], num(p, ACROSS)),
			  ex_mul(t, at[1], num(p, down)));
	place[1] = ex_add(t, ex_mod(t, at[0], num(p, ACROSS)),
			  ex_mul(t, at[2], num(p, ACROSS)));
}

static void close_sums(Product *p)
{
	for (int i = 0; i < 3; i++)
		lower_end(&p->l);
}

static void clear(Product *p)
{
	Ex at[3], place[2];

	open_sums(p, at, place);
	lower_store(&p->l, p->sums, at, lower_zero(&p->l, p->acc));
	close_sums(p);
}

/* One operand's elements at k, to a thread's registers. */
static void pick(Product *p, int number, Ex tid, Ex k, uint32_t reg)
{
	Lower *l = &p->l;
	ExprTab *t = p->t;
	int64_t down = p->par[P_THREADS] / ACROSS;
	int64_t step = number ? ACROSS : down;
	int64_t wide = p->par[number ? P_COLUMNS : P_ROWS];
	Ex from[2] = {k}, to[2] = {tid};

	to[1] = lower_for(l, num(p, wide / step), MAP_UNROLL, 1);
	Ex own = number ? ex_mod(t, tid, num(p, ACROSS))
			: ex_div(t, tid, num(p, ACROSS));
	from[1] = ex_add(t, own, ex_mul(t, to[1], num(p, step)));
	lower_store(l, reg, to, lower_load(l, p->tile[number], from));
	lower_end(l);
}

static void multiply(Product *p, Ex length, const uint32_t reg[2])
{
	Lower *l = &p->l;
	int64_t threads = p->par[P_THREADS], down = threads / ACROSS;
	Ex at[3];

	at[0] = lower_for(l, num(p, threads), MAP_VECTOR, (int)threads);
	Ex k = lower_for(l, length, MAP_SERIAL, 1);
	pick(p, 0, at[0], k, reg[0]);
	pick(p, 1, at[0], k, reg[1]);
	at[1] = lower_for(l, num(p, p->par[P_ROWS] / down), MAP_UNROLL, 1);
	at[2] = lower_for(l, num(p, p->par[P_COLUMNS] / ACROSS), MAP_UNROLL, 1);
	Ex left[2] = {at[0], at[1]}, right[2] = {at[0], at[2]};
	VarId x = lower_load(l, reg[0], left);
	VarId y = lower_load(l, reg[1], right);
	VarId old = lower_load(l, p->sums, at);
	lower_store(l, p->sums, at, lower_mac(l, p->acc, x, y, old));
	for (int i = 0; i < 4; i++)
		lower_end(l);
}

/* The boundary of each sum and what follows it, where there is a result. */
static void finish(Product *p)
{
	Lower *l = &p->l;
	ExprTab *t = p->t;
	Ex at[3], place[2], index[TN_MAX_RANK], one = num(p, 1);

	open_sums(p, at, place);
	Ex row = ex_add(t, p->row, place[0]);
	Ex column = ex_add(t, p->column, place[1]);
	Ex inside[2] = {ex_sub(t, ex_sub(t, p->m, row), one),
			ex_sub(t, ex_sub(t, p->n, column), one)};
	lower_if(l, inside, 2);
	memcpy(index, p->at, (size_t)p->batch * sizeof(Ex));
	index[p->batch] = row;
	index[p->batch + 1] = column;
	ValueId id = l->region->anchor;
	lower_bind(l, id, index,
		   lower_round(l, p->v->dtype, p->acc,
			       lower_load(l, p->sums, at), id));
	lower_epilogue(l, index);
	lower_end(l);
	close_sums(p);
}

/* ---- the kernel ------------------------------------------------------ */

static void buffers(Product *p, uint32_t reg[2])
{
	Lower *l = &p->l;
	int64_t threads = p->par[P_THREADS], down = threads / ACROSS;
	Ex each[3] = {num(p, threads), num(p, p->par[P_ROWS] / down),
		      num(p, p->par[P_COLUMNS] / ACROSS)};
	Ex shape[2] = {num(p, p->par[P_DEPTH])};

	for (int i = 0; i < 2; i++) {
		/* a column more: depths side by side are in banks apart */
		shape[1] = num(p, p->par[i ? P_COLUMNS : P_ROWS] + 1);
		p->tile[i] = lower_buffer(l, SCOPE_WORKER, p->acc, shape, 2,
					  i ? "right" : "left");
		Ex own[2] = {each[0], each[1 + i]};
		reg[i] = lower_buffer(l, SCOPE_REG, p->acc, own, 2,
				      i ? "b" : "a");
	}
	p->sums = lower_buffer(l, SCOPE_REG, p->acc, each, 3, "sums");
}

static void gpu_lower(Kernels *ks, Kernel *k, const Regions *r,
		      const Target *target, const Candidate *c)
{
	Product p = {.t = &ks->program->ex};
	ExprTab *t = p.t;
	Lower *l = &p.l;
	uint32_t reg[2];

	(void)target;
	lower_init(l, ks, k, r);
	for (int i = 0; i < P_COUNT; i++)
		p.par[i] = c->params[i].value;
	l->threads = (int)p.par[P_THREADS];
	p.v = program_value(l->p, l->region->anchor);
	p.acc = p.v->acc;
	p.batch = p.v->rank - 2;
	p.m = p.v->shape[p.batch];
	p.n = p.v->shape[p.batch + 1];
	p.k = program_value(l->p, p.v->args[0])->shape[p.batch + 1];
	buffers(&p, reg);
	lower_phase(l, "main");
	for (int d = 0; d < p.batch; d++)
		p.at[d] = lower_task(l, p.v->shape[d]);
	Ex rows = num(&p, p.par[P_ROWS]), columns = num(&p, p.par[P_COLUMNS]);
	Ex depth = num(&p, p.par[P_DEPTH]);
	p.row = ex_mul(t, lower_task(l, ex_ceil_div(t, p.m, rows)), rows);
	p.column =
		ex_mul(t, lower_task(l, ex_ceil_div(t, p.n, columns)), columns);
	clear(&p);
	Ex block = lower_for(l, ex_ceil_div(t, p.k, depth), MAP_SERIAL, 1);
	Ex k0 = ex_mul(t, block, depth);
	bring(&p, 0, k0);
	bring(&p, 1, k0);
	multiply(&p, ex_min(t, depth, ex_sub(t, p.k, k0)), reg);
	lower_end(l);
	finish(&p);
	k->note = "a tile a block of threads, operands by way of its memory, "
		  "sums in registers";
}

const Realisation realise_gpu_contract = {
	"contract", gpu_params, gpu_admit, gpu_rule, gpu_legal, gpu_lower,
};
