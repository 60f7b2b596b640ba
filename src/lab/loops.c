/*
 * loops: values to C text.
 *
 * A value is written as an expression of vectors along j, the last axis,
 * with i0, i1, ... for the other axes. Views substitute their index maps;
 * what has a slot is loaded; a reduction must not depend on j and is known
 * by then, as prepare() wrote its loop before. A value that is dear to
 * compute (exp and the like) and that a reduction's loop passes over is kept
 * in a buffer of the row, for the loops that follow.
 */
#include "loops.h"

#include <math.h>
#include <string.h>

#define EXPR 512

/* A value at some indices that is already computed: in `text`. */
typedef struct LabKnown {
	struct LabKnown *next;
	int value;
	const char *index; /* its indices, joined */
	const char *text;  /* a C name or, of a row buffer, a load */
} LabKnown;

typedef struct LabScope {
	LabKnown *known;
	bool tail; /* n lanes, else W */
} LabScope;

typedef struct Index {
	const char *at[TENON_MAX_RANK];
} Index;

void lab_loops_init(LabLoops *l, LabMem *m, const LabProgram *p, LabSlot *slots)
{
	*l = (LabLoops){.m = m, .p = p, .slots = slots, .text = {.mem = m}};
	for (int i = 0; lab_loops_prelude[i]; i++)
		lab_text(&l->text, "%s", lab_loops_prelude[i]);
}

static const LabValue *value(const LabLoops *l, int v)
{
	return &l->p->values[v];
}

static bool refuse(LabLoops *l, int v, const char *why)
{
	return lab_fail(l->m, "%s of %s: %s", value(l, v)->op,
			tenon_dtype_name(value(l, v)->dtype), why);
}

/* ---- indices --------------------------------------------------------- */

static const char *join(LabLoops *l, const Index *x, int rank)
{
	LabText t = {.mem = l->m};

	lab_text(&t, "%s", "");
	for (int d = 0; d < rank; d++)
		lab_text(&t, "%s;", x->at[d]);
	return t.p;
}

static bool mentions_j(const char *text)
{
	return strchr(text, 'j') != NULL;
}

static Index through_map(LabLoops *l, const LabValue *view, const Index *x)
{
	Index y = {{0}};

	for (int d = 0; d < view->nmap; d++) {
		const char *s =
			lab_index_subst(l->m, l->p, view->map[d], x->at);

		y.at[d] =
			strpbrk(s, " +-*/%") ? lab_printf(l->m, "(%s)", s) : s;
	}
	return y;
}

/* How an expression moves with j: its step a lane; false: not evenly. */
static bool step_of(const LabLoops *l, const char *text, int64_t *step)
{
	static const int64_t far[] = {1, 2, 5, 16, 31};
	int64_t at[LAB_VARS], zero, v;

	for (int64_t base = 0; base < 4; base++) {
		for (int k = 0; k < LAB_VARS - 1; k++)
			at[k] = base + (base > 1 ? k : 0);
		at[LAB_VARS - 1] = 0;
		if (!lab_index_eval(l->p, text, at, &zero))
			return false;
		for (size_t k = 0; k < sizeof(far) / sizeof(*far); k++) {
			at[LAB_VARS - 1] = far[k];
			if (!lab_index_eval(l->p, text, at, &v))
				return false;
			if (base == 0 && k == 0)
				*step = v - zero;
			if (v - zero != *step * far[k])
				return false;
		}
	}
	return true;
}

static const char *offset(LabLoops *l, const LabValue *v, const Index *x)
{
	LabText t = {.mem = l->m};
	int64_t stride = lab_elements(v);

	lab_text(&t, "%s", "");
	for (int d = 0; d < v->rank; d++) {
		stride = v->shape[d] ? stride / v->shape[d] : 0;
		if (v->shape[d] != 1)
			lab_text(&t, stride == 1 ? "%s%s" : "%s%s * %lld",
				 t.n ? " + " : "", x->at[d], (long long)stride);
	}
	return t.n ? t.p : "0";
}

/* ---- what is known --------------------------------------------------- */

static const char *known_find(const LabKnown *k, int v, const char *index)
{
	for (; k; k = k->next)
		if (k->value == v && strcmp(k->index, index) == 0)
			return k->text;
	return NULL;
}

static void known_add(LabLoops *l, LabKnown **list, int v, const char *index,
		      const char *text)
{
	LabKnown *k = LAB_NEW(l->m, LabKnown, 1);

	*k = (LabKnown){*list, v, index, text};
	*list = k;
}

static const char *count(const LabLoops *l)
{
	return l->scope->tail ? "n" : "W";
}

static bool is_vector_float(TenonDType d)
{
	return d == TENON_F32 || d == TENON_F16 || d == TENON_BF16;
}

/* ---- ops ------------------------------------------------------------- */

static const struct {
	const char *op, *text; /* a and b stand for the operands */
	bool exact;            /* of operands that are of its dtype */
	bool dear;
} op_table[] = {
	{"add", "%s + %s", false, false},
	{"sub", "%s - %s", false, false},
	{"mul", "%s * %s", false, false},
	{"div", "%s / %s", false, false},
	{"maximum", "max_v(%s, %s)", true, false},
	{"minimum", "min_v(%s, %s)", true, false},
	{"lt", "%s < %s", true, false},
	{"le", "%s <= %s", true, false},
	{"gt", "%s > %s", true, false},
	{"ge", "%s >= %s", true, false},
	{"eq", "%s == %s", true, false},
	{"ne", "%s != %s", true, false},
	{"and", "%s & %s", true, false},
	{"or", "%s | %s", true, false},
	{"not", "~%s", true, false},
	{"neg", "-%s", true, false},
	{"abs", "abs_v(%s)", true, false},
	{"floor", "floor_v(%s)", true, false},
	{"ceil", "ceil_v(%s)", true, false},
	{"round", "round_v(%s)", true, false},
	{"sqrt", "sqrt_v(%s)", false, false},
	{"rsqrt", "rsqrt_v(%s)", false, false},
	{"exp", "exp_v(%s)", false, true},
	{"expm1", "expm1_v(%s)", false, true},
	{"log", "log_v(%s)", false, true},
	{"log1p", "log1p_v(%s)", false, true},
	{"tanh", "tanh_v(%s)", false, true},
	{"erf", "erf_v(%s)", false, true},
	{"sin", "sin_v(%s)", false, true},
	{"cos", "cos_v(%s)", false, true},
	{"where", "sel(%s, %s, %s)", true, false},
	{"cast", "%s", false, false},
};
#define OPS (int)(sizeof(op_table) / sizeof(*op_table))

static int op_find(const char *op)
{
	for (int i = 0; i < OPS; i++)
		if (strcmp(op_table[i].op, op) == 0)
			return i;
	return -1;
}

static const struct {
	const char *op, *join, *fold, *start;
} reduce_table[] = {
	{"sum", "add_v", "fold_sum", "0"},
	{"prod", "mul_v", "fold_prod", "1"},
	{"max", "max_v", "fold_max", "-INFINITY"},
	{"min", "min_v", "fold_min", "INFINITY"},
};
#define REDUCES (int)(sizeof(reduce_table) / sizeof(*reduce_table))

static int reduce_find(const char *op)
{
	for (int i = 0; i < REDUCES; i++)
		if (strcmp(reduce_table[i].op, op) == 0)
			return i;
	return -1;
}

/* Whether computing v again costs much; what has a slot is cheap. */
static bool is_dear(const LabLoops *l, int v)
{
	const LabValue *x = value(l, v);
	int op = op_find(x->op);

	if (l->slots[v].set || reduce_find(x->op) >= 0)
		return false;
	if (op >= 0 && op_table[op].dear)
		return true;
	for (int i = 0; i < x->nargs; i++)
		if (is_dear(l, x->args[i]))
			return true;
	return false;
}

/* ---- expressions ----------------------------------------------------- */

static const char *emit(LabLoops *l, int v, const Index *x);

static const char *temp(LabLoops *l, bool integer, const char *expr)
{
	const char *name = lab_printf(l->m, "t%d", l->temps++);

	lab_text(&l->text, "\t\t\tconst v%c %s = %s;\n", integer ? 'i' : 'f',
		 name, expr);
	return name;
}

/* NULL: m->why. */
static const char *emit_load(LabLoops *l, int v, const LabSlot *s,
			     const Index *x)
{
	const LabValue *val = value(l, v);
	const char *off = offset(l, val, x);
	const char *type = tenon_dtype_name(s->dtype);
	char load[EXPR], expr[EXPR + 16];
	int64_t step;

	if (!is_vector_float(s->dtype) && s->dtype != TENON_BOOL) {
		refuse(l, v, "its dtype is not one of the compiled loops");
		return NULL;
	}
	if (!step_of(l, off, &step)) {
		refuse(l, v, "its elements do not lie evenly");
		return NULL;
	}
	if (step == 0)
		snprintf(load, EXPR, "one_%s(p%d + %s)", type, s->pointer, off);
	else if (step == 1)
		snprintf(load, EXPR, "ld_%s(p%d + %s, %s)", type, s->pointer,
			 off, count(l));
	else
		snprintf(load, EXPR, "gat_%s(p%d + %s, %lld, %s)", type,
			 s->pointer, off, (long long)step, count(l));
	/* Wider than the value: its own rounding is still to come. */
	if (s->dtype != val->dtype)
		snprintf(expr, sizeof(expr), "rnd_%s(%s)",
			 tenon_dtype_name(val->dtype), load);
	else
		snprintf(expr, sizeof(expr), "%s", load);
	return temp(l, s->dtype == TENON_BOOL, expr);
}

static const char *emit_iota(LabLoops *l, int v, const Index *x)
{
	const LabValue *val = value(l, v);
	const char *at = x->at[val->axes[0]];
	char expr[EXPR];
	int64_t step;

	/* Whole numbers beyond 2^24 are not exact in f32, nor in the table. */
	if (!step_of(l, at, &step) || lab_elements(val) > 1 << 24) {
		refuse(l, v, "beyond the compiled loops");
		return NULL;
	}
	snprintf(expr, EXPR, "splat_i((int32_t)(%s)) + lanes(%lld)", at,
		 (long long)step);
	at = temp(l, true, expr);
	if (!is_vector_float(val->dtype))
		return at;
	snprintf(expr, EXPR, "to_f(%s)", at);
	if (val->dtype != TENON_F32)
		snprintf(expr, EXPR, "rnd_%s(to_f(%s))",
			 tenon_dtype_name(val->dtype), at);
	return temp(l, false, expr);
}

static const char *emit_const(LabLoops *l, int v)
{
	const LabValue *val = value(l, v);
	char expr[EXPR];

	if (!val->constant) {
		refuse(l, v, "tables are beyond the compiled loops");
		return NULL;
	}
	if (!is_vector_float(val->dtype))
		snprintf(expr, EXPR, "splat_i(%d)",
			 val->dtype == TENON_BOOL ? -(val->number != 0)
						  : (int)val->number);
	else if (isnan(val->number))
		snprintf(expr, EXPR, "splat(NAN)");
	else if (isinf(val->number))
		snprintf(expr, EXPR, "splat(%sINFINITY)",
			 val->number < 0 ? "-" : "");
	else
		snprintf(expr, EXPR, "splat(%af)", val->number);
	return temp(l, !is_vector_float(val->dtype), expr);
}

static bool rounds(const LabLoops *l, const LabValue *v, int op)
{
	if (v->dtype != TENON_F16 && v->dtype != TENON_BF16)
		return false;
	return !op_table[op].exact ||
	       value(l, v->args[v->nargs - 1])->dtype != v->dtype;
}

static const char *emit_elementwise(LabLoops *l, int v, int op, const Index *x)
{
	const LabValue *val = value(l, v);
	const char *a[3] = {"", "", ""};
	bool to_float = is_vector_float(val->dtype);
	char expr[EXPR], rounded[EXPR + 16];

	for (int i = 0; i < val->nargs && i < 3; i++) {
		a[i] = emit(l, val->args[i], x);
		if (!a[i])
			return NULL;
	}
	if (strcmp(val->op, "cast") == 0 &&
	    to_float != is_vector_float(value(l, val->args[0])->dtype)) {
		refuse(l, v, "beyond the compiled loops");
		return NULL;
	}
	if (strcmp(val->op, "where") == 0 && !to_float) {
		refuse(l, v, "beyond the compiled loops");
		return NULL;
	}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(expr, EXPR, op_table[op].text, a[0], a[1], a[2]);
#pragma GCC diagnostic pop
	if (!rounds(l, val, op))
		return temp(l, !to_float, expr);
	snprintf(rounded, sizeof(rounded), "rnd_%s(%s)",
		 tenon_dtype_name(val->dtype), expr);
	return temp(l, false, rounded);
}

static const char *emit_new(LabLoops *l, int v, const Index *x)
{
	const LabValue *val = value(l, v);
	int op = op_find(val->op);
	Index y;

	if (l->slots[v].set)
		return emit_load(l, v, &l->slots[v], x);
	if (strcmp(val->op, "view") == 0) {
		y = through_map(l, val, x);
		return emit(l, val->args[0], &y);
	}
	if (strcmp(val->op, "const") == 0)
		return emit_const(l, v);
	if (strcmp(val->op, "iota") == 0)
		return emit_iota(l, v, x);
	if (op >= 0)
		return emit_elementwise(l, v, op, x);
	refuse(l, v, "beyond the compiled loops");
	return NULL;
}

static const char *emit(LabLoops *l, int v, const Index *x)
{
	const char *index = join(l, x, value(l, v)->rank), *text;

	if ((text = known_find(l->scope->known, v, index)))
		return text;
	if ((text = known_find(l->scalars, v, index)))
		/* A row buffer's load says so, with %s for the count. */
		text = strchr(text, '+')
			       ? temp(l, false,
				      lab_printf(l->m, "ld_f32(%s, %s)", text,
						 count(l)))
			       : text;
	else
		text = emit_new(l, v, x);
	if (text)
		known_add(l, &l->scope->known, v, index, text);
	return text;
}

/* ---- reductions ------------------------------------------------------ */

static bool prepare(LabLoops *l, int v, const Index *x, LabKnown **seen);

/* One vector of a reduction's loop into acc<lane>. */
static bool reduce_body(LabLoops *l, int v, int r, int lane, const Index *x,
			const char *keep_in, bool tail)
{
	LabScope scope = {NULL, tail}, *outer = l->scope;
	int arg = value(l, v)->args[0];
	const char *e;

	l->scope = &scope;
	e = emit(l, arg, x);
	l->scope = outer;
	if (!e)
		return false;
	if (keep_in)
		lab_text(&l->text, "\t\t\tst_f32(%s + j, %s, %s);\n", keep_in,
			 e, tail ? "n" : "W");
	if (tail)
		lab_text(&l->text,
			 "\t\t\tacc%d_%d = %s(acc%d_%d, keep(%s, splat(%s), "
			 "n));\n",
			 v, lane, reduce_table[r].join, v, lane, e,
			 reduce_table[r].start);
	else
		lab_text(&l->text, "\t\t\tacc%d_%d = %s(acc%d_%d, %s);\n", v,
			 lane, reduce_table[r].join, v, lane, e);
	return true;
}

#define CHAINS 4 /* independent sums hide the latency of an addition */

static bool reduce_loop(LabLoops *l, int v, int r, const Index *x,
			int64_t width, const char *keep_in)
{
	LabText *t = &l->text;

	for (int k = 0; k < CHAINS; k++)
		lab_text(t, "\t\tvf acc%d_%d = splat(%s);\n", v, k,
			 reduce_table[r].start);
	lab_text(t, "\t\t{ long j = 0;\n\t\tfor (; j + %d * W <= %lld;) {\n",
		 CHAINS, (long long)width);
	for (int k = 0; k < CHAINS; k++) {
		lab_text(t, "\t\t\t{\n");
		if (!reduce_body(l, v, r, k, x, keep_in, false))
			return false;
		lab_text(t, "\t\t\tj += W; }\n");
	}
	lab_text(t, "\t\t}\n\t\tfor (; j + W <= %lld; j += W) {\n",
		 (long long)width);
	if (!reduce_body(l, v, r, 0, x, keep_in, false))
		return false;
	lab_text(t,
		 "\t\t}\n\t\tif (j < %lld) {\n\t\t\tconst long n = %lld - "
		 "j;\n",
		 (long long)width, (long long)width);
	if (!reduce_body(l, v, r, 0, x, keep_in, true))
		return false;
	lab_text(t, "\t\t} }\n");
	return true;
}

static const char *rounded(LabLoops *l, int v, const char *expr)
{
	TenonDType d = value(l, v)->dtype;

	return d == TENON_F32 ? expr
			      : lab_printf(l->m, "rnd_%s(%s)",
					   tenon_dtype_name(d), expr);
}

static bool reduce(LabLoops *l, int v, int r, const Index *x, LabKnown **seen)
{
	const LabValue *val = value(l, v), *arg = value(l, val->args[0]);
	const char *index = join(l, x, val->rank), *keep_in = NULL;
	Index y;

	if (known_find(l->scalars, v, index))
		return true;
	if (val->naxes != 1 || !is_vector_float(val->dtype))
		return refuse(l, v, "beyond the compiled loops");
	for (int d = 0, k = 0; d < arg->rank; d++)
		y.at[d] = d == val->axes[0] ? "j" : x->at[k++];
	for (int d = 0; d < val->rank; d++)
		if (mentions_j(x->at[d]))
			return refuse(l, v, "not along the last axis");
	if (!prepare(l, val->args[0], &y, seen))
		return false;
	if (arg->uses > 1 && is_dear(l, val->args[0])) {
		keep_in = lab_printf(l->m, "row%d", l->row_buffers);
		lab_text(&l->text,
			 "\t\tfloat *const %s = scratch + %d * WIDTH;"
			 "\n",
			 keep_in, l->row_buffers);
		l->row_buffers++;
	}
	if (!reduce_loop(l, v, r, &y, arg->shape[val->axes[0]], keep_in))
		return false;
	lab_text(&l->text, "\t\tconst vf r%d = %s;\n", v,
		 rounded(l, v,
			 lab_printf(l->m,
				    "splat(%s(%s(%s(acc%d_0, acc%d_1), "
				    "%s(acc%d_2, acc%d_3))))",
				    reduce_table[r].fold, reduce_table[r].join,
				    reduce_table[r].join, v, v,
				    reduce_table[r].join, v, v)));
	known_add(l, &l->scalars, v, index, lab_printf(l->m, "r%d", v));
	if (keep_in)
		known_add(l, &l->scalars, val->args[0], join(l, &y, arg->rank),
			  lab_printf(l->m, "%s + j", keep_in));
	return true;
}

/* Writes the loops of all reductions that v at x needs. */
static bool prepare(LabLoops *l, int v, const Index *x, LabKnown **seen)
{
	const LabValue *val = value(l, v);
	const char *index = join(l, x, val->rank);
	int r = reduce_find(val->op);

	if (l->slots[v].set || known_find(*seen, v, index) ||
	    known_find(l->scalars, v, index))
		return true;
	known_add(l, seen, v, index, "");
	if (r >= 0)
		return reduce(l, v, r, x, seen);
	if (strcmp(val->op, "view") == 0) {
		Index y = through_map(l, val, x);

		return prepare(l, val->args[0], &y, seen);
	}
	for (int i = 0; i < val->nargs; i++)
		if (!prepare(l, val->args[i], x, seen))
			return false;
	return true;
}

/* ---- steps ----------------------------------------------------------- */

typedef struct Step {
	const int *values, *also;
	const LabSlot *targets, *also_targets;
	int n, nalso;
	Index x;
} Step;

static bool store_body(LabLoops *l, const Step *s, bool tail)
{
	LabScope scope = {NULL, tail};
	const char *e;
	bool ok = true;

	l->scope = &scope;
	for (int i = 0; i < s->n && ok; i++) {
		const LabValue *v = value(l, s->values[i]);

		e = emit(l, s->values[i], &s->x);
		ok = e &&
		     (is_vector_float(v->dtype) || refuse(l, s->values[i],
							  "beyond the compiled "
							  "loops"));
		if (!ok)
			break;
		lab_text(&l->text, "\t\t\tst_%s(p%d + %s, %s, %s);\n",
			 tenon_dtype_name(s->targets[i].dtype),
			 s->targets[i].pointer, offset(l, v, &s->x), e,
			 count(l));
		if (i > 0)
			continue;
		for (int k = 0; k < s->nalso; k++) {
			int r = reduce_find(value(l, s->also[k])->op);
			const char *start = reduce_table[r].start;

			lab_text(&l->text, "\t\t\talso%d = %s(also%d, ", k,
				 reduce_table[r].join, k);
			lab_text(&l->text,
				 tail ? "keep(%s, splat(%s), n));\n" : "%s);\n",
				 e, start);
		}
	}
	l->scope = NULL;
	return ok;
}

static void pointers(LabLoops *l, const Step *s)
{
	int last = -1;

	/* Slots share pointers; the table is small. */
	for (int v = 0; v < l->p->nvalues; v++)
		last = l->slots[v].set && l->slots[v].pointer > last
			       ? l->slots[v].pointer
			       : last;
	for (int i = 0; i < s->n; i++)
		last = s->targets[i].pointer > last ? s->targets[i].pointer
						    : last;
	for (int i = 0; i < s->nalso; i++)
		last = s->also_targets[i].pointer > last
			       ? s->also_targets[i].pointer
			       : last;
	for (int p = 0; p <= last; p++) {
		TenonDType d = TENON_F32;

		for (int v = 0; v < l->p->nvalues; v++)
			if (l->slots[v].set && l->slots[v].pointer == p)
				d = l->slots[v].dtype;
		for (int i = 0; i < s->n; i++)
			if (s->targets[i].pointer == p)
				d = s->targets[i].dtype;
		lab_text(&l->text, "\t%s *const p%d = p[%d]; (void)p%d;\n",
			 d == TENON_BOOL                     ? "uint8_t"
			 : d == TENON_F16 || d == TENON_BF16 ? "uint16_t"
							     : "float",
			 p, p, p);
	}
}

/* i0, i1, ... of the row. */
static void row_indices(LabLoops *l, const LabValue *v, Step *s)
{
	int64_t inner = 1;

	for (int d = v->rank - 2; d >= 0; d--) {
		s->x.at[d] = lab_printf(l->m, "i%d", d);
		lab_text(&l->text, "\t\tconst long i%d = ", d);
		if (inner == 1)
			lab_text(&l->text, "row %% %lld;\n",
				 (long long)v->shape[d]);
		else
			lab_text(&l->text, "row / %lld %% %lld;\n",
				 (long long)inner, (long long)v->shape[d]);
		inner *= v->shape[d];
	}
	if (v->rank > 0)
		s->x.at[v->rank - 1] = "j";
}

static bool step_body(LabLoops *l, Step *s, int64_t width)
{
	LabKnown *seen = NULL;
	LabText *t = &l->text;

	for (int i = 0; i < s->n; i++)
		if (!prepare(l, s->values[i], &s->x, &seen))
			return false;
	for (int k = 0; k < s->nalso; k++)
		lab_text(t, "\t\tvf also%d = splat(%s);\n", k,
			 reduce_table[reduce_find(value(l, s->also[k])->op)]
				 .start);
	lab_text(t, "\t\tlong j = 0;\n\t\tfor (; j + W <= %lld; j += W) {\n",
		 (long long)width);
	if (!store_body(l, s, false))
		return false;
	lab_text(t,
		 "\t\t}\n\t\tif (j < %lld) {\n\t\t\tconst long n = %lld - "
		 "j;\n",
		 (long long)width, (long long)width);
	if (!store_body(l, s, true))
		return false;
	lab_text(t, "\t\t}\n");
	for (int k = 0; k < s->nalso; k++) {
		int r = reduce_find(value(l, s->also[k])->op);

		lab_text(t, "\t\tp%d[row] = %s(also%d);\n",
			 s->also_targets[k].pointer, reduce_table[r].fold, k);
	}
	return true;
}

bool lab_loops_step(LabLoops *l, const int *values, const LabSlot *targets,
		    int n, const int *also, const LabSlot *also_targets,
		    int nalso)
{
	Step s = {.values = values,
		  .also = also,
		  .targets = targets,
		  .also_targets = also_targets,
		  .n = n,
		  .nalso = nalso};
	const LabValue *v = value(l, values[0]);
	int64_t width = v->rank ? v->shape[v->rank - 1] : 1;
	LabText *t = &l->text;

	for (int i = 0; i < l->p->nvalues; i++) {
		const LabValue *w = value(l, i);

		for (int d = 0; d < w->rank; d++)
			l->width_max = w->shape[d] > l->width_max
					       ? w->shape[d]
					       : l->width_max;
	}
	l->scalars = NULL;
	l->row_buffers = 0;
	lab_text(t,
		 "void step%d(void *const *p, float *scratch, long lo, long "
		 "hi)\n{\n\tenum { WIDTH = %lld };\n\t(void)scratch;\n",
		 l->steps++, (long long)((l->width_max + 63) / 64 * 64));
	pointers(l, &s);
	lab_text(t, "\tfor (long row = lo; row < hi; row++) {\n");
	row_indices(l, v, &s);
	if (!step_body(l, &s, width))
		return false;
	lab_text(t, "\t}\n}\n");
	l->rows_max =
		l->row_buffers > l->rows_max ? l->row_buffers : l->rows_max;
	return true;
}

size_t lab_loops_scratch(const LabLoops *l)
{
	return (size_t)l->rows_max * (size_t)((l->width_max + 63) / 64 * 64);
}
