/*
 * memory: stage 6 from stage 4: which buffer every access goes to, which
 * temporaries share a slot of the arena, and the launches in order.
 *
 * Temporaries get slots by a linear scan over the kernels: a slot is free
 * again after the last kernel that reads its buffer. A buffer takes a free
 * slot of the same size if there is one, so that sizes over named dims
 * stay simple; else a new one.
 */
#include "driver/driver.h"
#include "emit/emit.h"

#define NOWHERE UINT32_MAX

typedef struct Build {
	Plan *plan;
	Arena *a;
	Program *p;   /* stage 2 */
	uint32_t *of; /* plan buffer + 1 by value */
	uint32_t kept;
} Build;

static Ex buffer_bytes(Build *b, DType dtype, const Ex *shape, int rank)
{
	ExprTab *t = &b->p->ex;
	Ex bytes = ex_const(t, dtype_info[dtype].bytes);

	for (int d = 0; d < rank; d++)
		bytes = ex_mul(t, bytes, shape[d]);
	return bytes;
}

static uint32_t first_result(const Program *p, ValueId v)
{
	for (uint32_t i = 0; i < p->results.n; i++)
		if (p->results.p[i].value == v)
			return i;
	return NOWHERE;
}

static uint32_t add_buffer(Build *b, PlanBuffer buf)
{
	VEC_PUSH(b->a, b->plan->buffers, buf);
	return (uint32_t)b->plan->buffers.n - 1;
}

static uint32_t value_buffer(Build *b, ValueId v)
{
	const Value *val = program_value(b->p, v);
	PlanBuffer buf = {.value = v, .first = NOWHERE};
	uint32_t result = first_result(b->p, v);

	if (b->of[v])
		return b->of[v] - 1;
	buf.bytes = buffer_bytes(b, val->dtype, val->shape, val->rank);
	if (val->op == OP_INPUT) {
		buf.kind = PLAN_INPUT;
		buf.index = val->index;
	} else if (val->op == OP_CONST) {
		buf.kind = PLAN_CONST;
	} else if (val->op == OP_WEIGHT) {
		buf.kind = PLAN_WEIGHT;
	} else if (result != NOWHERE) {
		buf.kind = PLAN_RESULT;
		buf.index = result;
	} else {
		buf.kind = PLAN_TEMP;
	}
	b->of[v] = add_buffer(b, buf) + 1;
	return b->of[v] - 1;
}

static const Stmt *find_access(const StmtList *list, StmtKind kind,
			       uint32_t buffer, int *count)
{
	const Stmt *found = NULL;

	for (size_t i = 0; i < list->n; i++) {
		const Stmt *s = list->p[i];
		if (s->kind == kind && s->buffer == buffer) {
			(*count)++;
			found = s;
		}
		const Stmt *f = find_access(&s->body, kind, buffer, count);
		const Stmt *g = find_access(&s->orelse, kind, buffer, count);
		found = f ? f : g ? g : found;
	}
	return found;
}

/* What phases share lives as long as the phase that fills it is right. */
static PlanBufKind shared_kind(const Kernel *k, uint32_t buffer)
{
	for (size_t i = 0; i < k->phases.n; i++) {
		int stores = 0;
		if (!k->phases.p[i].once)
			continue;
		find_access(&k->phases.p[i].body, ST_STORE, buffer, &stores);
		if (stores)
			return PLAN_KEPT;
	}
	return PLAN_TEMP;
}

static uint32_t add_shared(Build *b, uint32_t kernel, uint32_t buffer)
{
	const Kernel *k = &b->plan->kernels->kernels.p[kernel];
	const KBuffer *kb = &k->buffers.p[buffer];
	PlanBuffer pb = {.kind = shared_kind(k, buffer),
			 .value = NO_VALUE,
			 .first = kernel};

	pb.bytes = buffer_bytes(b, kb->dtype, kb->shape, kb->rank);
	if (pb.kind == PLAN_KEPT)
		pb.index = b->kept++;
	return add_buffer(b, pb);
}

static void kernel_buffers(Build *b, uint32_t kernel, PlanLaunch *l)
{
	const Kernel *k = &b->plan->kernels->kernels.p[kernel];

	for (size_t i = 0; i < k->buffers.n; i++) {
		const KBuffer *kb = &k->buffers.p[i];
		uint32_t n;
		if (kb->scope == SCOPE_WORKER || kb->scope == SCOPE_REG)
			continue;
		if (kb->scope == SCOPE_SHARED)
			n = add_shared(b, kernel, (uint32_t)i);
		else
			n = value_buffer(b, kb->value);
		PlanBuffer *pb = &b->plan->buffers.p[n];
		if (pb->first == NOWHERE)
			pb->first = kernel;
		pb->last = kernel;
		VEC_PUSH(b->a, l->buffers, n);
	}
}

static void add_launches(Build *b, uint32_t kernel)
{
	Kernels *ks = (Kernels *)b->plan->kernels;
	const Kernel *k = &ks->kernels.p[kernel];
	ExprTab *t = &b->p->ex;
	PlanLaunch l = {.kernel = kernel};
	CDialect dialect = target_dialect(b->plan->target);

	kernel_buffers(b, kernel, &l);
	for (uint32_t i = 0; i < k->phases.n; i++) {
		const Phase *ph = &k->phases.p[i];
		l.phase = i;
		l.once = ph->once;
		l.tasks = ex_const(t, 1);
		for (size_t j = 0; j < ph->tasks.n; j++)
			l.tasks = ex_mul(t, l.tasks, ph->tasks.p[j].extent);
		if (ph->foreign)
			l.tasks = ph->foreign->tasks;
		if (ph->call && dialect == CD_C)
			l.tasks = call_tasks(t, ph->call);
		l.scratch = ph->call      ? ex_const(t, 0)
			    : ph->foreign ? ex_const(t, ph->foreign->shared)
			    : ph->threads ? emit_shared(ks, k, ph, dialect)
					  : emit_scratch(ks, k);
		VEC_PUSH(b->a, b->plan->launches, l);
	}
}

static void assign_slots(Build *b)
{
	Plan *plan = b->plan;
	VEC(uint32_t) busy_until = {0};

	for (uint32_t k = 0; k < plan->kernels->kernels.n; k++)
		for (size_t i = 0; i < plan->buffers.n; i++) {
			PlanBuffer *pb = &plan->buffers.p[i];
			uint32_t slot = NOWHERE;
			if (pb->kind != PLAN_TEMP || pb->first != k)
				continue;
			for (uint32_t s = 0; s < plan->slots.n; s++)
				if (busy_until.p[s] < k &&
				    plan->slots.p[s] == pb->bytes)
					slot = s;
			if (slot == NOWHERE) {
				slot = (uint32_t)plan->slots.n;
				VEC_PUSH(b->a, plan->slots, pb->bytes);
				VEC_PUSH(b->a, busy_until, 0);
			}
			busy_until.p[slot] = pb->last;
			pb->index = slot;
		}
}

static void add_copies(Build *b)
{
	for (uint32_t i = 0; i < b->p->results.n; i++) {
		uint32_t n = value_buffer(b, b->p->results.p[i].value);
		const PlanBuffer *pb = &b->plan->buffers.p[n];
		if (pb->kind == PLAN_RESULT && pb->index == i)
			continue;
		VEC_PUSH(b->a, b->plan->copies, ((PlanCopy){i, n}));
	}
}

/* ---- donation -------------------------------------------------------- */

static uint32_t kernel_buffer_of(const Kernel *k, ValueId v, BufScope scope)
{
	for (uint32_t i = 0; i < k->buffers.n; i++)
		if (k->buffers.p[i].value == v &&
		    k->buffers.p[i].scope == scope)
			return i;
	return NOWHERE;
}

#define MAX_LOOPS 32

/* A load or store with the loops around it, outermost first. */
typedef struct Access {
	const Stmt *s;
	const Stmt *loops[MAX_LOOPS];
	int nloops;
} Access;
typedef VEC(Access) Accesses;

/* The loads of `in` and stores of `out`, in order; false: nested too deep. */
static bool find_accesses(Arena *a, const StmtList *list, uint32_t in,
			  uint32_t out, Access *at, Accesses *found)
{
	for (size_t i = 0; i < list->n; i++) {
		const Stmt *s = list->p[i];
		bool loop = s->kind == ST_FOR;
		if ((s->kind == ST_LOAD && s->buffer == in) ||
		    (s->kind == ST_STORE && s->buffer == out)) {
			at->s = s;
			VEC_PUSH(a, *found, *at);
		}
		if (loop && at->nloops == MAX_LOOPS)
			return false;
		if (loop)
			at->loops[at->nloops++] = s;
		if (!find_accesses(a, &s->body, in, out, at, found) ||
		    !find_accesses(a, &s->orelse, in, out, at, found))
			return false;
		at->nloops -= loop;
	}
	return true;
}

/* Whether x is the counter of a loop around the access, from number `from`
 * on. */
static bool is_inner(const ExprTab *t, const Access *a, int from, Ex x)
{
	const ExNode *n = ex_node(t, x);

	for (int i = from; n->kind == EX_AXIS && i < a->nloops; i++)
		if (a->loops[i]->axis == n->value)
			return true;
	return false;
}

/*
 * Whether the store may overwrite what the load reads: the load comes first,
 * in the same loops at the same element, or in loops of its own that end
 * before the store's begin and that go over the same row. An element is
 * stored once, so that no other turn of the common loops has this row.
 */
static bool read_before(const ExprTab *t, const Access *ld, const Access *st)
{
	int common = 0;

	if (ld->s->nindex != st->s->nindex)
		return false;
	while (common < ld->nloops && common < st->nloops &&
	       ld->loops[common] == st->loops[common])
		common++;
	for (int d = 0; d < st->s->nindex; d++)
		if (ld->s->index[d] != st->s->index[d] &&
		    !(is_inner(t, ld, common, ld->s->index[d]) &&
		      is_inner(t, st, common, st->s->index[d])))
			return false;
	return true;
}

/* Every load of the phase before its one store. */
static bool phase_in_place(Build *b, const Phase *ph, uint32_t in, uint32_t out)
{
	Accesses all = {0};
	Access at = {0};

	if (!find_accesses(b->a, &ph->body, in, out, &at, &all) || !all.n)
		return false;
	const Access *st = &all.p[all.n - 1];
	if (st->s->kind != ST_STORE)
		return false;
	for (size_t i = 0; i + 1 < all.n; i++)
		if (all.p[i].s->kind != ST_LOAD ||
		    !read_before(&b->p->ex, &all.p[i], st))
			return false;
	return true;
}

/* Phases of which only one has tasks: the first extents are 0 and 1, or 1
 * and 0. */
static bool exclusive(Build *b, const Phase *p, const Phase *q)
{
	ExprTab *t = &b->p->ex;

	return p->tasks.n && q->tasks.n &&
	       ex_equals(t,
			 ex_add(t, p->tasks.p[0].extent, q->tasks.p[0].extent),
			 1);
}

/* Whether a matrix unit reads the buffer: tiles at a time, in any order. */
static bool dot_reads(const StmtList *l, uint32_t buffer)
{
	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		if ((s->kind == ST_DOT && s->dot->in[0].buffer == buffer) ||
		    dot_reads(&s->body, buffer) ||
		    dot_reads(&s->orelse, buffer))
			return true;
	}
	return false;
}

/*
 * In kernel k result r is written over input x: legal when each phase that
 * reads x runs before the one that writes r, or reads each element before
 * it is written, or does not run when that one does.
 */
static bool in_place(Build *b, const Kernel *k, ValueId x, ValueId r)
{
	uint32_t in = kernel_buffer_of(k, x, SCOPE_IN);
	uint32_t out = kernel_buffer_of(k, r, SCOPE_OUT);
	bool written = false;

	for (size_t i = 0; i < k->phases.n; i++) {
		const Phase *ph = &k->phases.p[i];
		int loads = 0, stores = 0;
		if (in != NOWHERE && dot_reads(&ph->body, in))
			return false;
		find_access(&ph->body, ST_STORE, out, &stores);
		if (in != NOWHERE)
			find_access(&ph->body, ST_LOAD, in, &loads);
		for (size_t j = 0; loads && j < i; j++) {
			int before = 0;
			find_access(&k->phases.p[j].body, ST_STORE, out,
				    &before);
			if (before && !exclusive(b, &k->phases.p[j], ph))
				return false;
		}
		if (stores && loads && !phase_in_place(b, ph, in, out))
			return false;
		written |= stores > 0;
	}
	return written;
}

static bool may_donate(Build *b, ValueId x, uint32_t result)
{
	const Kernels *ks = b->plan->kernels;
	ValueId r = b->p->results.p[result].value;
	const Value *xv = program_value(b->p, x), *rv = program_value(b->p, r);
	bool written = false;

	if (xv->dtype != rv->dtype || xv->rank != rv->rank)
		return false;
	for (int d = 0; d < xv->rank; d++)
		if (xv->shape[d] != rv->shape[d])
			return false;
	for (size_t i = 0; i < ks->kernels.n; i++) {
		const Kernel *k = &ks->kernels.p[i];
		bool reads = kernel_buffer_of(k, x, SCOPE_IN) != NOWHERE;
		if (reads && written)
			return false;
		if (kernel_buffer_of(k, r, SCOPE_OUT) != NOWHERE) {
			if (!in_place(b, k, x, r))
				return false;
			written = true;
		}
	}
	for (size_t i = 0; i < b->plan->copies.n; i++)
		if (b->of[x] && b->plan->copies.p[i].from == b->of[x] - 1)
			return false;
	return written;
}

static void add_donations(Build *b)
{
	for (size_t i = 0; i < b->p->donated.n; i++) {
		ValueId x = b->p->donated.p[i];
		for (uint32_t r = 0; r < b->p->results.n; r++)
			if (may_donate(b, x, r))
				VEC_PUSH(b->a, b->plan->donations,
					 ((PlanDonation){
						 program_value(b->p, x)->index,
						 r}));
	}
}

Plan *plan_build(Arena *a, const Program *source, Kernels *ks,
		 const char *target)
{
	Plan *plan = arena_new(a, Plan);
	Build b = {.plan = plan, .a = a, .p = ks->program};

	plan->arena = a;
	plan->source = source;
	plan->kernels = ks;
	plan->target = target;
	plan->acc = plan_accumulators(a, source, ks);
	b.of = arena_array(a, uint32_t, ks->program->values.n + 1);
	for (uint32_t k = 0; k < ks->kernels.n; k++)
		add_launches(&b, k);
	add_copies(&b);
	assign_slots(&b);
	if (target_dialect(target) == CD_C)
		add_donations(&b);
	return plan;
}
