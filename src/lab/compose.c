/*
 * compose: a peer's way through a program, as its user would write it.
 *
 * Each matmul is a call of the library on operands as they are stored
 * (transposes and heads through strides, where the library takes them);
 * everything between is fused into loops over the next operand or result
 * that must be in memory. 16-bit floats that the library does not multiply
 * are converted to f32 before and rounded in the loop after, so that every
 * boundary of the program is kept. A bias goes into the library's call where
 * the library adds it and f32 makes that the same sum.
 */
#include "loops.h"

#include <dlfcn.h>
#include <string.h>

/* Loops below this many elements run on the caller alone: they take about as
 * long as a sleeping worker takes to come. */
#define SERIAL_ELEMENTS 32768
#define CHUNKS          4 /* a worker: a late one leaves its share to others */

typedef void LoopFn(void *const *p, float *scratch, long lo, long hi);

typedef enum StepKind {
	STEP_LOOP,
	STEP_PRODUCT,
	STEP_ROWS,
} StepKind;

typedef struct Place {
	int pointer;
	int64_t offset; /* elements */
	TenonDType dtype;
} Place;

typedef struct Step {
	StepKind kind;
	const char *what;
	LoopFn *fn;
	int loop; /* index of its function */
	int64_t rows, elements;
	void *state; /* of the peer */
	Place a, b, c, bias;
	bool has_bias, pack;
	bool once; /* of weights alone: done when a set is first bound */
	const void **packed; /* by set */
	LabRows row_kind;
} Step;

struct LabCompose {
	LabMem *m;
	const LabProgram *p;
	LabPeer *peer;
	LabComposeOptions o;
	LabLoops loops;
	LabSlot *slots, *wide; /* by value; wide: f32 copies */
	int *target;           /* by value: its result's pointer, or -1 */
	Step *steps;
	int nsteps;
	void **base; /* pointer table of what all sets share */
	int npointers, pointers_max;
	void ***table; /* by set */
	int sets;
	float *scratch;
	size_t scratch_floats; /* of a worker */
	void *library;
	LabText said;
	bool packs;
	/* the loop at hand */
	Step *now;
	void **now_table;
	int now_chunks;
};

static const LabValue *value(const LabCompose *c, int v)
{
	return &c->p->values[v];
}

static Step *step_add(LabCompose *c, StepKind kind, const char *what)
{
	Step *s = &c->steps[c->nsteps++];

	s->kind = kind;
	s->what = what;
	lab_text(&c->said, "%s%s", c->nsteps > 1 ? ", " : "", what);
	return s;
}

static int buffer_add(LabCompose *c, const LabValue *v, TenonDType d)
{
	int64_t n = lab_elements(v);

	c->base[c->npointers] =
		lab_alloc(c->m, (size_t)n * tenon_dtype_size(d));
	return c->npointers++;
}

/* ---- loops ----------------------------------------------------------- */

static bool is_half(TenonDType d)
{
	return d == TENON_F16 || d == TENON_BF16;
}

static bool op_is(const LabValue *v, const char *op)
{
	return strcmp(v->op, op) == 0;
}

/* Sums and the like of v along its last axis that nobody has computed. */
static int sums_of(const LabCompose *c, int v, int *also, int max)
{
	int n = 0;

	for (int i = v + 1; i < c->p->nvalues && n < max; i++) {
		const LabValue *r = value(c, i);

		if (r->nargs == 1 && r->args[0] == v && r->naxes == 1 &&
		    r->axes[0] == value(c, v)->rank - 1 &&
		    r->dtype == TENON_F32 && !c->slots[i].set &&
		    (op_is(r, "sum") || op_is(r, "max") || op_is(r, "min") ||
		     op_is(r, "prod")))
			also[n++] = i;
	}
	return n;
}

/* A loop that computes values of one shape into targets. */
static bool loop_add(LabCompose *c, const int *values, const LabSlot *targets,
		     int n, const char *what)
{
	enum {
		ALSO = 4
	};
	const LabValue *v = value(c, values[0]);
	int64_t width = v->rank ? v->shape[v->rank - 1] : 1;
	LabSlot also_targets[ALSO];
	int also[ALSO], nalso = 0;
	Step *s;

	/* Results are the end: nothing is read after them. */
	if (n == 1 && c->target[values[0]] < 0)
		nalso = sums_of(c, values[0], also, ALSO);
	for (int i = 0; i < nalso; i++)
		also_targets[i] = (LabSlot){
			true, buffer_add(c, value(c, also[i]), TENON_F32),
			TENON_F32};
	s = step_add(c, STEP_LOOP, what);
	s->loop = c->loops.steps;
	s->elements = lab_elements(v);
	s->rows = width ? s->elements / width : 0;
	if (!lab_loops_step(&c->loops, values, targets, n, also, also_targets,
			    nalso))
		return false;
	for (int i = 0; i < nalso; i++)
		c->slots[also[i]] = also_targets[i];
	return true;
}

/* Computes v into memory, as dtype d; a result's own memory if it fits. */
static bool materialise(LabCompose *c, int v, TenonDType d)
{
	bool own = c->target[v] >= 0 && d == value(c, v)->dtype;
	LabSlot t = {true, own ? c->target[v] : 0, d};

	if (!own)
		t.pointer = buffer_add(c, value(c, v), d);
	if (!loop_add(c, &v, &t, 1, "loop"))
		return false;
	c->slots[v] = t;
	return true;
}

/* An f32 copy of what v's slot holds. */
static bool widen(LabCompose *c, int v)
{
	LabSlot t = {true, 0, TENON_F32};

	if (c->slots[v].dtype == TENON_F32 && value(c, v)->dtype == TENON_F32) {
		c->wide[v] = c->slots[v];
		return true;
	}
	t.pointer = buffer_add(c, value(c, v), TENON_F32);
	if (!loop_add(c, &v, &t, 1, "convert"))
		return false;
	c->steps[c->nsteps - 1].once = op_is(value(c, v), "weight");
	c->wide[v] = t;
	return true;
}

/* ---- operands -------------------------------------------------------- */

/* The value behind v's views, and its element's offset at indices x. */
static bool base_at(const LabCompose *c, int v, const int64_t *x, int *base,
		    int64_t *off)
{
	int64_t at[LAB_VARS] = {0}, next[LAB_VARS] = {0};

	memcpy(at, x, sizeof(next) - sizeof(next[0]));
	while (!c->slots[v].set && op_is(value(c, v), "view")) {
		const LabValue *view = value(c, v);

		for (int d = 0; d < view->nmap; d++)
			if (!lab_index_eval(c->p, view->map[d], at, &next[d]))
				return false;
		memcpy(at, next, sizeof(at));
		v = view->args[0];
	}
	*base = v;
	*off = 0;
	for (int d = 0; d < value(c, v)->rank; d++)
		*off = *off * value(c, v)->shape[d] + at[d];
	return true;
}

typedef struct Operand {
	int base;
	int64_t offset, stride[TENON_MAX_RANK];
} Operand;

/* Strides of v's axes in its base; false where they are not even. */
static bool operand_strides(const LabCompose *c, int v, Operand *o)
{
	const LabValue *val = value(c, v);
	int64_t x[LAB_VARS] = {0}, off, all, sum = 0;

	if (!base_at(c, v, x, &o->base, &o->offset))
		return false;
	for (int d = 0; d < val->rank; d++) {
		int64_t last = val->shape[d] - 1;

		o->stride[d] = 0;
		if (last < 1)
			continue;
		x[d] = 1;
		if (!base_at(c, v, x, &o->base, &off))
			return false;
		o->stride[d] = off - o->offset;
		x[d] = last;
		if (!base_at(c, v, x, &o->base, &off) ||
		    off - o->offset != o->stride[d] * last)
			return false;
		sum += o->stride[d] * last;
		x[d] = 0;
	}
	for (int d = 0; d < val->rank; d++)
		x[d] = val->shape[d] > 0 ? val->shape[d] - 1 : 0;
	return base_at(c, v, x, &o->base, &all) && all == o->offset + sum;
}

/* Whether a library takes these strides: one of them 1, the other a row. */
static bool operand_fits(const LabValue *v, const Operand *o)
{
	int64_t row = o->stride[v->rank - 2], col = o->stride[v->rank - 1];
	int64_t m = v->shape[v->rank - 2], n = v->shape[v->rank - 1];
	bool plain = (col == 1 || n == 1) && (row >= n || m == 1);
	bool turned = (row == 1 || m == 1) && (col >= m || n == 1);

	return plain || turned;
}

/* Where operand v lies in dtype d, computed or converted if it must be. */
static bool operand_place(LabCompose *c, int v, TenonDType d, Operand *o,
			  Place *place)
{
	const LabValue *val = value(c, v);
	LabSlot *slot;

	if (!operand_strides(c, v, o) || !operand_fits(val, o) ||
	    !c->slots[o->base].set) {
		if (!materialise(c, v, d) || !operand_strides(c, v, o))
			return false;
	}
	slot = &c->slots[o->base];
	/* Wider than its value: not yet rounded. */
	if (slot->dtype != d || value(c, o->base)->dtype != slot->dtype) {
		if (d != TENON_F32)
			return lab_fail(c->m, "an operand is not stored in %s",
					tenon_dtype_name(d));
		/* What a loop stored as f32 was rounded before. */
		if (slot->dtype == TENON_F32 &&
		    !op_is(value(c, o->base), "matmul"))
			c->wide[o->base] = *slot;
		if (!c->wide[o->base].set && !widen(c, o->base))
			return false;
		slot = &c->wide[o->base];
	}
	*place = (Place){slot->pointer, o->offset, d};
	return true;
}

/* ---- products -------------------------------------------------------- */

/* The addition of a row to product v, if that is all v is for. */
static int bias_find(const LabCompose *c, int v, Operand *bias)
{
	for (int i = v + 1; i < c->p->nvalues; i++) {
		const LabValue *add = value(c, i);
		int other;

		if (!op_is(add, "add") ||
		    (add->args[0] != v && add->args[1] != v))
			continue;
		other = add->args[add->args[0] == v];
		if (value(c, v)->uses != 1 || add->dtype != TENON_F32 ||
		    !operand_strides(c, other, bias) ||
		    !op_is(value(c, bias->base), "input") ||
		    bias->stride[add->rank - 1] != 1)
			return -1;
		for (int d = 0; d < add->rank - 1; d++)
			if (bias->stride[d] != 0)
				return -1;
		return i;
	}
	return -1;
}

static void product_strides(const LabCompose *c, int v, const Operand *a,
			    const Operand *b, LabProduct *d)
{
	const LabValue *val = value(c, v);
	int r = val->rank;
	int64_t stride;

	d->m = val->shape[r - 2];
	d->n = val->shape[r - 1];
	d->k = value(c, val->args[0])->shape[r - 1];
	d->a_row = a->stride[r - 2];
	d->a_col = a->stride[r - 1];
	d->b_row = b->stride[r - 2];
	d->b_col = b->stride[r - 1];
	d->c_row = d->n;
	stride = d->m * d->n;
	d->nbatch = r - 2;
	for (int i = r - 3; i >= 0; i--) {
		d->batch[i] = val->shape[i];
		d->a_batch[i] = a->stride[i];
		d->b_batch[i] = b->stride[i];
		d->c_batch[i] = stride;
		stride *= val->shape[i];
	}
}

/* Dtypes of the library's product that compute v's. */
static bool product_dtypes(LabCompose *c, int v, LabProduct *d)
{
	const LabValue *val = value(c, v);
	const LabPeerSpec *spec = c->peer->spec;

	d->in = value(c, val->args[0])->dtype;
	d->out = val->dtype;
	if (spec->takes(c->peer, d->in, d->out))
		return true;
	if (is_half(d->in) && (is_half(d->out) || d->out == TENON_F32)) {
		d->in = d->out = TENON_F32;
		return true;
	}
	return lab_fail(c->m, "%s has no product of %s giving %s", spec->title,
			tenon_dtype_name(d->in), tenon_dtype_name(d->out));
}

static bool product_add(LabCompose *c, int v)
{
	const LabValue *val = value(c, v);
	const LabPeerSpec *spec = c->peer->spec;
	LabProduct d = {0};
	Operand a, b, bias;
	Place at_a, at_b;
	int out = v;
	Step *s;

	if (!product_dtypes(c, v, &d) ||
	    !operand_place(c, val->args[0], d.in, &a, &at_a) ||
	    !operand_place(c, val->args[1], d.in, &b, &at_b))
		return false;
	product_strides(c, v, &a, &b, &d);
	d.pack = spec->pack && op_is(value(c, b.base), "weight") &&
		 val->rank == 2;
	c->packs |= d.pack;
	if (spec->bias && d.out == TENON_F32) {
		int add = bias_find(c, v, &bias);

		d.bias = add >= 0;
		out = d.bias ? add : v;
	}
	s = step_add(c, STEP_PRODUCT, d.bias ? "product with bias" : "product");
	s->a = at_a;
	s->b = at_b;
	s->pack = d.pack;
	if (d.bias) {
		s->has_bias = true;
		s->bias = (Place){c->slots[bias.base].pointer, bias.offset,
				  TENON_F32};
	}
	s->state = spec->product_new(c->m, c->peer, &d);
	if (!s->state)
		return false;
	c->slots[out] = (LabSlot){true, 0, d.out};
	c->slots[out].pointer =
		c->target[out] >= 0 && d.out == value(c, out)->dtype
			? c->target[out]
			: buffer_add(c, val, d.out);
	s->c = (Place){c->slots[out].pointer, 0, d.out};
	return true;
}

/* ---- rows by the library --------------------------------------------- */

/* Whether via's first word is name. */
static bool made_by(const LabValue *v, const char *name)
{
	size_t n = strlen(name);

	return strncmp(v->via, name, n) == 0 &&
	       (v->via[n] == '\0' || v->via[n] == '/');
}

/* Inputs that the composition `name` ending in v reads, and its eps. */
static int group_inputs(const LabCompose *c, int v, const char *name,
			int *inputs, int n, double *eps)
{
	const LabValue *val = value(c, v);

	if (op_is(val, "input")) {
		for (int i = 0; i < n; i++)
			if (inputs[i] == v)
				return n;
		if (n < 3)
			inputs[n] = v;
		return n + 1;
	}
	if (!made_by(val, name))
		return 99;
	if (val->constant && val->number < 1e-3 && val->number > 0)
		*eps = val->number;
	for (int i = 0; i < val->nargs; i++)
		n = group_inputs(c, val->args[i], name, inputs, n, eps);
	return n;
}

static bool rows_match(LabCompose *c, LabRows *d, int *inputs)
{
	int v = c->p->results[0];
	const LabValue *val = value(c, v);
	const LabValue *x;
	const char *name = made_by(val, "softmax")      ? "softmax"
			   : made_by(val, "layer_norm") ? "layer_norm"
							: NULL;
	int n;

	if (!c->peer->spec->rows_new || c->p->nresults != 1 || !name ||
	    val->dtype != TENON_F32 || val->rank < 1)
		return false;
	n = group_inputs(c, v, name, inputs, 0, &d->eps);
	d->layer_norm = *name == 'l';
	if (n != (d->layer_norm ? 3 : 1))
		return false;
	x = value(c, inputs[0]);
	d->width = val->shape[val->rank - 1];
	d->rows = d->width ? lab_elements(val) / d->width : 0;
	d->dtype = val->dtype;
	for (int i = 1; i < n; i++)
		if (value(c, inputs[i])->rank != 1 ||
		    lab_elements(value(c, inputs[i])) != d->width)
			return false;
	for (int i = 0; i < c->p->nvalues; i++)
		if (value(c, i)->naxes == 1 && !op_is(value(c, i), "iota") &&
		    value(c, i)->axes[0] != val->rank - 1)
			return false;
	return lab_elements(x) == lab_elements(val);
}

static bool rows_add(LabCompose *c, const LabRows *d, const int *inputs)
{
	Step *s = step_add(c, STEP_ROWS,
			   d->layer_norm ? "its layer norm" : "its softmax");

	s->row_kind = *d;
	s->a = (Place){c->slots[inputs[0]].pointer, 0, d->dtype};
	if (d->layer_norm) {
		s->b = (Place){c->slots[inputs[1]].pointer, 0, d->dtype};
		s->bias = (Place){c->slots[inputs[2]].pointer, 0, d->dtype};
	}
	s->c = (Place){c->target[c->p->results[0]], 0, d->dtype};
	s->state = c->peer->spec->rows_new(c->m, c->peer, d);
	return s->state != NULL;
}

/* ---- all steps ------------------------------------------------------- */

static bool same_shape(const LabValue *a, const LabValue *b)
{
	return a->rank == b->rank &&
	       memcmp(a->shape, b->shape,
		      (size_t)a->rank * sizeof(*a->shape)) == 0;
}

/* Results that no step wrote, those of one shape in one loop. */
static bool results_add(LabCompose *c)
{
	const LabProgram *p = c->p;
	bool *done = LAB_NEW(c->m, bool, p->nresults + 1);
	int *group = LAB_NEW(c->m, int, p->nresults + 1);
	LabSlot *targets = LAB_NEW(c->m, LabSlot, p->nresults + 1);

	for (int i = 0; i < p->nresults; i++) {
		int v = p->results[i], n = 0;

		for (int k = i; k < p->nresults; k++) {
			int w = p->results[k], at = p->ninputs + k;

			if (done[k] || !same_shape(value(c, v), value(c, w)))
				continue;
			done[k] = true;
			if (c->slots[w].set && c->slots[w].pointer == at)
				continue;
			group[n] = w;
			targets[n++] = (LabSlot){true, at, value(c, w)->dtype};
		}
		if (n && !loop_add(c, group, targets, n, "loop"))
			return false;
	}
	return true;
}

static bool schedule(LabCompose *c)
{
	const LabProgram *p = c->p;
	LabRows rows = {0};
	int inputs[3];

	for (int i = 0; i < p->nresults; i++)
		if (c->target[p->results[i]] < 0)
			c->target[p->results[i]] = p->ninputs + i;
	for (int v = 0; v < p->nvalues; v++)
		if (op_is(value(c, v), "input"))
			c->slots[v] = (LabSlot){true, value(c, v)->input,
						value(c, v)->dtype};
	for (int v = 0; v < p->nvalues; v++)
		if (value(c, v)->weight.data) {
			c->base[c->npointers] = value(c, v)->weight.data;
			c->slots[v] = (LabSlot){true, c->npointers++,
						value(c, v)->dtype};
		}
	if (rows_match(c, &rows, inputs))
		return rows_add(c, &rows, inputs);
	for (int v = 0; v < p->nvalues; v++)
		if (op_is(value(c, v), "matmul") && !product_add(c, v))
			return false;
	if (c->peer->spec->pack && !c->packs)
		return lab_fail(c->m, "no weight is constant");
	return results_add(c);
}

static bool loops_build(LabCompose *c)
{
	if (c->loops.steps == 0)
		return true;
	if (!lab_build(c->m, c->o.compiler, c->loops.text.p, &c->library))
		return false;
	for (int i = 0; i < c->nsteps; i++) {
		char name[32];

		if (c->steps[i].kind != STEP_LOOP)
			continue;
		snprintf(name, sizeof(name), "step%d", c->steps[i].loop);
		c->steps[i].fn =
			__extension__(LoopFn *) dlsym(c->library, name);
		if (!c->steps[i].fn)
			return lab_fail(c->m, "no %s in the loops", name);
	}
	c->scratch_floats = lab_loops_scratch(&c->loops);
	c->scratch = lab_alloc(c->m, c->scratch_floats * sizeof(float) *
					     (size_t)c->o.threads);
	return true;
}

LabCompose *lab_compose_new(LabMem *m, const LabProgram *p, LabPeer *peer,
			    const LabComposeOptions *o)
{
	LabCompose *c = LAB_NEW(m, LabCompose, 1);
	size_t n = (size_t)p->nvalues;

	*c = (LabCompose){.m = m, .p = p, .peer = peer, .o = *o};
	c->slots = LAB_NEW(m, LabSlot, n);
	c->wide = LAB_NEW(m, LabSlot, n);
	c->target = LAB_NEW(m, int, n);
	for (size_t i = 0; i < n; i++)
		c->target[i] = -1;
	/* A value has a loop, a copy and a product at most. */
	c->steps = LAB_NEW(m, Step, 3 * n + 1);
	c->base = LAB_NEW(m, void *, 4 * n + 16);
	c->npointers = p->ninputs + p->nresults;
	c->said = (LabText){.mem = m};
	lab_loops_init(&c->loops, m, p, c->slots);
	if (schedule(c) && loops_build(c))
		return c;
	lab_compose_free(c);
	return NULL;
}

/* ---- running --------------------------------------------------------- */

static void *at(const Place *p, void *const *table)
{
	return (char *)table[p->pointer] +
	       p->offset * (int64_t)tenon_dtype_size(p->dtype);
}

static void loop_part(void *arg, int worker, int chunk)
{
	LabCompose *c = arg;
	int64_t rows = c->now->rows, n = c->now_chunks;

	c->now->fn(c->now_table,
		   c->scratch + c->scratch_floats * (size_t)worker,
		   rows * chunk / n, rows * (chunk + 1) / n);
}

static void loop_run(LabCompose *c, Step *s, void **t)
{
	c->now = s;
	c->now_table = t;
	c->now_chunks = 1;
	if (s->elements < SERIAL_ELEMENTS || c->o.threads == 1) {
		loop_part(c, 0, 0);
		return;
	}
	c->now_chunks = CHUNKS * c->o.threads;
	lab_team_run(c->o.team, c->peer->omp, loop_part, c, c->now_chunks);
}

bool lab_compose_bind(LabCompose *c, int set, int sets,
		      const TenonTensor *inputs, const TenonTensor *results)
{
	const LabProgram *p = c->p;
	void **t;

	if (!c->table) {
		c->table = LAB_NEW(c->m, void **, sets);
		c->sets = sets;
		for (int i = 0; i < c->nsteps; i++)
			c->steps[i].packed = LAB_NEW(c->m, const void *, sets);
	}
	t = c->table[set] = LAB_NEW(c->m, void *, c->npointers);
	memcpy(t, c->base, (size_t)c->npointers * sizeof(*t));
	for (int i = 0; i < p->ninputs; i++)
		t[i] = inputs[i].data;
	for (int i = 0; i < p->nresults; i++)
		t[p->ninputs + i] = results[i].data;
	for (int i = 0; i < c->nsteps; i++) {
		Step *s = &c->steps[i];

		if (s->once)
			loop_run(c, s, t);
		if (!s->pack)
			continue;
		s->packed[set] = c->peer->spec->product_pack(c->m, s->state,
							     at(&s->b, t));
		if (!s->packed[set])
			return false;
	}
	return true;
}

static bool step_run(LabCompose *c, Step *s, void **t, int set)
{
	const LabPeerSpec *spec = c->peer->spec;

	switch (s->kind) {
	case STEP_LOOP:
		if (!s->once)
			loop_run(c, s, t);
		return true;
	case STEP_PRODUCT:
		return spec->product_run(
			s->state, at(&s->a, t),
			s->pack ? s->packed[set] : at(&s->b, t),
			s->has_bias ? at(&s->bias, t) : NULL, at(&s->c, t));
	case STEP_ROWS:
		break;
	}
	return spec->rows_run(s->state, at(&s->a, t), at(&s->b, t),
			      at(&s->bias, t), at(&s->c, t));
}

bool lab_compose_run(void *compose, int set)
{
	LabCompose *c = compose;

	for (int i = 0; i < c->nsteps; i++)
		if (!step_run(c, &c->steps[i], c->table[set], set))
			return false;
	return true;
}

const char *lab_compose_steps(const LabCompose *c)
{
	return c->said.p ? c->said.p : "";
}

void lab_compose_free(LabCompose *c)
{
	if (!c)
		return;
	for (int i = 0; i < c->nsteps; i++) {
		Step *s = &c->steps[i];

		if (s->state && s->kind == STEP_PRODUCT &&
		    c->peer->spec->product_free)
			c->peer->spec->product_free(s->state);
		if (s->state && s->kind == STEP_ROWS)
			c->peer->spec->rows_free(s->state);
		s->state = NULL;
	}
	if (c->library)
		dlclose(c->library);
	c->library = NULL;
}
