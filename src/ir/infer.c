/*
 * infer: the one place for the rules of dtype and shape.
 *
 * infer_value checks one value against its operands and fills what the
 * operands decide. The front end calls it for each value it makes, the
 * readers of text for each value they read, the verifier for each value
 * there is; so all three agree. Errors say both types, name the axis, and
 * hint at what the author can do.
 */
#include "ir/program.h"

#include "ir/internal.h"

#include <string.h>

typedef struct Infer {
	Ctx *ctx; /* NULL: text goes to why */
	Buf *why;
	Program *p;
	Value *v;
	const char *op; /* its name, for messages */
} Infer;

/* Error texts are short-lived: ctx keeps a copy of what it reports. */
static Arena *text_arena(const Infer *s)
{
	return s->ctx ? &s->ctx->perm : s->p->arena;
}

TN_PRINTF(3, 4)
static bool wrong(Infer *s, const char *hint, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	const char *text = arena_vprintf(text_arena(s), fmt, ap);
	va_end(ap);
	if (s->ctx)
		return diag_error(s->ctx, s->v->loc, hint, "%s", text);
	buf_puts(s->why, text);
	return false;
}

static const Value *arg(const Infer *s, uint32_t k)
{
	return program_value(s->p, s->v->args[k]);
}

/* ---- words for messages ---------------------------------------------- */

void program_print_type(Buf *b, const Program *p, const Value *v)
{
	buf_puts(b, dtype_info[v->dtype].name);
	if (!v->rank)
		return;
	buf_putc(b, '[');
	for (int d = 0; d < v->rank; d++) {
		if (d)
			buf_puts(b, ", ");
		ex_print(b, &p->ex, v->shape[d]);
	}
	buf_putc(b, ']');
}

/* `w: f16[M, 768]`, or the type alone for what has no name. */
static const char *described(const Infer *s, const Value *v)
{
	Buf b;
	buf_init(&b, text_arena(s));
	if (v->name)
		buf_printf(&b, "%s: ", v->name);
	program_print_type(&b, s->p, v);
	return buf_str(&b);
}

static const char *ex_text(const Infer *s, Ex e)
{
	Buf b;
	buf_init(&b, text_arena(s));
	ex_print(&b, &s->p->ex, e);
	return buf_str(&b);
}

/* Why two extents that must agree do not, as a hint. */
static const char *extent_hint(const Infer *s, Ex a, Ex b, const char *fixed)
{
	int64_t x, y;
	bool ca = ex_is_const(&s->p->ex, a, &x);
	bool cb = ex_is_const(&s->p->ex, b, &y);
	if (ca && cb)
		return fixed;
	if (ca || cb)
		return arena_printf(
			text_arena(s),
			"`%s` may be other than %s when called; write %s for "
			"it where it is declared",
			ex_text(s, ca ? b : a), ex_text(s, ca ? a : b),
			ex_text(s, ca ? a : b));
	return arena_printf(text_arena(s),
			    "`%s` and `%s` may differ when called; use one "
			    "name for both",
			    ex_text(s, a), ex_text(s, b));
}

/* The wider of two dtypes, to be named as the one to convert to. */
static DType wider(DType a, DType b)
{
	if (dtype_is_float(a) != dtype_is_float(b))
		return dtype_is_float(a) ? a : b;
	return dtype_info[b].precision > dtype_info[a].precision ? b : a;
}

static const char *domain_words(char domain)
{
	switch (domain) {
	case 'F':
		return "floats";
	case 'I':
		return "integers";
	case 'B':
		return "bools";
	case 'N':
		return "floats and integers";
	default:
		return "any dtype";
	}
}

static const char *domain_hint(const Infer *s, DType d)
{
	char domain = op_info[s->v->op].domain;
	if (dtype_info[d].cls == DTC_B)
		return "convert the bool first: i32(x) or f32(x) gives 0 "
		       "and 1";
	if (domain == 'F')
		return "convert the integer first: f32(x)";
	if (domain == 'B')
		return "compare first: x != 0";
	if (s->v->op == OP_BITAND || s->v->op == OP_BITOR ||
	    s->v->op == OP_BITXOR || s->v->op == OP_BITNOT)
		return "bit operators take integers; `and`, `or`, `not` take "
		       "bools";
	return "convert the float first: i32(x)";
}

/* ---- dtypes ---------------------------------------------------------- */

static bool admits(Infer *s, uint32_t k)
{
	DType d = arg(s, k)->dtype;
	if (op_admits(s->v->op, d))
		return true;
	return wrong(s, domain_hint(s, d), "`%s` takes %s, and this is %s",
		     s->op, domain_words(op_info[s->v->op].domain),
		     described(s, arg(s, k)));
}

static bool same_dtype(Infer *s, uint32_t i, uint32_t k)
{
	const Value *a = arg(s, i), *b = arg(s, k);
	if (a->dtype == b->dtype)
		return true;
	DType to = wider(a->dtype, b->dtype);
	const Value *from = a->dtype == to ? b : a;
	return wrong(s,
		     arena_printf(text_arena(s),
				  "dtypes never mix silently; convert one: "
				  "%s(%s)",
				  dtype_info[to].name,
				  from->name ? from->name : "x"),
		     "`%s` of %s and %s: the dtypes %s and %s differ", s->op,
		     described(s, a), described(s, b),
		     dtype_info[a->dtype].name, dtype_info[b->dtype].name);
}

/* Operand k must have exactly this dtype class of use. */
static bool is_index(Infer *s, uint32_t k)
{
	DType d = arg(s, k)->dtype;
	if (d == DT_I32 || d == DT_I64)
		return true;
	return wrong(s, "convert it: i64(x)",
		     "the index of `%s` is i32 or i64, and this is %s", s->op,
		     described(s, arg(s, k)));
}

/*
 * Accumulator and result of a sum: of the operand's class, floats with
 * floats and integers with integers.
 */
static bool accumulates(Infer *s)
{
	DType d = arg(s, 0)->dtype;
	DType parts[2] = {s->v->acc, s->v->dtype};
	static const char *const word[2] = {"acc", "out"};
	for (int i = 0; i < 2; i++) {
		if ((unsigned)parts[i] < DT_COUNT &&
		    dtype_info[parts[i]].cls != DTC_B &&
		    dtype_is_float(parts[i]) == dtype_is_float(d))
			continue;
		return wrong(s,
			     dtype_is_float(d)
				     ? "give a float, such as f32"
				     : "give an integer, such as i64, or "
				       "convert the operand first: f32(x)",
			     "`%s` of %s cannot have %s=%s", s->op,
			     described(s, arg(s, 0)), word[i],
			     (unsigned)parts[i] < DT_COUNT
				     ? dtype_info[parts[i]].name
				     : "?");
	}
	/* a sum kept in less than its result has bits to lose for nothing */
	if (!dtype_is_float(d) &&
	    dtype_info[s->v->acc].bytes < dtype_info[s->v->dtype].bytes)
		return wrong(s, "make acc as wide as out",
			     "`%s` with acc=%s cannot fill out=%s", s->op,
			     dtype_info[s->v->acc].name,
			     dtype_info[s->v->dtype].name);
	return true;
}

/* ---- shapes ---------------------------------------------------------- */

static void shape_from(Value *v, const Value *x)
{
	v->rank = x->rank;
	for (int d = 0; d < TN_MAX_RANK; d++)
		v->shape[d] = d < x->rank ? x->shape[d] : EX_ZERO;
}

static bool rank_fits(Infer *s, size_t rank)
{
	if (rank <= TN_MAX_RANK)
		return true;
	return wrong(s, NULL, "`%s` would give rank %zu, and %d is the most",
		     s->op, rank, TN_MAX_RANK);
}

static bool axis_fits(Infer *s, uint32_t axis, const Value *x)
{
	if (axis < x->rank)
		return true;
	return wrong(s,
		     x->rank ? arena_printf(text_arena(s),
					    "its axes are 0 to %d, or -%d to "
					    "-1 from the end",
					    x->rank - 1, x->rank)
			     : "a scalar has no axes",
		     "`%s`: axis %u of %s does not exist", s->op, axis,
		     described(s, x));
}

/*
 * Extents of a finished shape: not negative, and so few elements that
 * their bytes can be counted.
 */
static bool extents_fit(Infer *s)
{
	Value *v = s->v;
	ExprTab *t = &s->p->ex;
	if (t->overflow) {
		t->overflow = false;
		return wrong(s, NULL,
			     "an extent or offset of `%s` overflows 64 bits",
			     s->op);
	}
	int64_t bytes = dtype_info[v->dtype].bytes, n;
	bool zero = false, overflow = false;
	for (int d = 0; d < v->rank; d++) {
		if (!ex_is_const(t, v->shape[d], &n))
			continue;
		if (n < 0)
			return wrong(s, "extents are 0 or more",
				     "`%s`: the extent of axis %d is %lld",
				     s->op, d, (long long)n);
		zero |= n == 0;
		if (n)
			overflow |= __builtin_mul_overflow(bytes, n, &bytes);
	}
	if (overflow && !zero)
		return wrong(s, NULL,
			     "`%s`: a tensor %s has more than 2^63 bytes",
			     s->op, described(s, v));
	return true;
}

static bool same_shapes(Infer *s, uint32_t i, uint32_t k)
{
	const Value *a = arg(s, i), *b = arg(s, k);
	if (a->rank != b->rank)
		return wrong(s, "broadcast or reshape one of them",
			     "`%s` of %s and %s: ranks %d and %d differ", s->op,
			     described(s, a), described(s, b), a->rank,
			     b->rank);
	for (int d = 0; d < a->rank; d++)
		if (a->shape[d] != b->shape[d])
			return wrong(s,
				     extent_hint(s, a->shape[d], b->shape[d],
						 "extents must be equal, or "
						 "one of them 1"),
				     "`%s` of %s and %s: axis %d is %s in "
				     "one and %s in the other",
				     s->op, described(s, a), described(s, b), d,
				     ex_text(s, a->shape[d]),
				     ex_text(s, b->shape[d]));
	return true;
}

bool program_broadcast_shape(Ctx *ctx, Program *p, Value *v)
{
	Infer s = {ctx, NULL, p, v, op_info[v->op].name};
	int rank = 0;
	for (uint32_t k = 0; k < v->nargs; k++)
		if (arg(&s, k)->rank > rank)
			rank = arg(&s, k)->rank;
	v->rank = (uint8_t)rank;
	for (int d = 0; d < rank; d++) {
		v->shape[d] = EX_ONE;
		uint32_t from = 0; /* the operand that decided the extent */
		for (uint32_t k = 0; k < v->nargs; k++) {
			const Value *x = arg(&s, k);
			int at = d - (rank - x->rank);
			if (at < 0 || x->shape[at] == EX_ONE ||
			    x->shape[at] == v->shape[d])
				continue;
			if (v->shape[d] == EX_ONE) {
				v->shape[d] = x->shape[at];
				from = k;
				continue;
			}
			const Value *y = arg(&s, from);
			return wrong(&s,
				     extent_hint(&s, v->shape[d], x->shape[at],
						 "shapes are aligned at the "
						 "right; extents must be "
						 "equal, or one of them 1"),
				     "`%s` of %s and %s: axis %d is %s in "
				     "one and axis %d is %s in the other",
				     s.op, described(&s, y), described(&s, x),
				     d - (rank - y->rank),
				     ex_text(&s, v->shape[d]), at,
				     ex_text(&s, x->shape[at]));
		}
	}
	return true;
}

/* ---- rules, one a class or op ---------------------------------------- */

static bool infer_leaf(Infer *s)
{
	Value *v = s->v;
	int64_t n;
	if (v->op == OP_IOTA) {
		if (!op_admits(OP_IOTA, v->dtype))
			return wrong(s, NULL, "`iota` cannot make %s",
				     dtype_info[v->dtype].name);
		return axis_fits(s, v->axis, v);
	}
	if (v->op == OP_WEIGHT && !v->file)
		return wrong(s, NULL, "a weight names no file");
	if (v->op != OP_CONST)
		return true;
	size_t size = (size_t)dtype_info[v->dtype].bytes;
	for (int d = 0; d < v->rank; d++) {
		if (!ex_is_const(&s->p->ex, v->shape[d], &n) || n < 0)
			return wrong(s, NULL,
				     "a constant tensor has constant extents");
		if (__builtin_mul_overflow(size, (size_t)n, &size))
			size = SIZE_MAX;
	}
	if (size != v->data_size || (size && !v->data))
		return wrong(s, NULL, "a constant %s holds %zu bytes of data",
			     described(s, v), v->data_size);
	if (v->dtype == DT_BOOL)
		for (size_t i = 0; i < size; i++)
			if (((const uint8_t *)v->data)[i] > 1)
				return wrong(s, NULL,
					     "a bool is neither 0 nor 1");
	return true;
}

static bool infer_elem(Infer *s)
{
	Value *v = s->v;
	bool where = v->op == OP_WHERE;
	if (where && arg(s, 0)->dtype != DT_BOOL)
		return wrong(s, "compare first: x != 0",
			     "the condition of `where` is bool, and this is "
			     "%s",
			     described(s, arg(s, 0)));
	for (uint32_t k = where; k < v->nargs; k++)
		if (!admits(s, k) || (k > where && !same_dtype(s, where, k)))
			return false;
	for (uint32_t k = 1; k < v->nargs; k++)
		if (!same_shapes(s, 0, k))
			return false;
	shape_from(v, arg(s, 0));
	if (op_info[v->op].result == OPR_same)
		v->dtype = arg(s, where)->dtype;
	else if (op_info[v->op].result == OPR_bool)
		v->dtype = DT_BOOL;
	return true;
}

static bool infer_transpose(Infer *s)
{
	Value *v = s->v;
	const Value *x = arg(s, 0);
	uint32_t seen = 0;
	Ex shape[TN_MAX_RANK] = {0};
	for (int d = 0; d < x->rank; d++) {
		if (v->perm[d] >= x->rank || (seen & 1u << v->perm[d]))
			return wrong(s,
				     arena_printf(text_arena(s),
						  "each axis from 0 to %d "
						  "once",
						  x->rank - 1),
				     "`transpose`: the axes of %s are not "
				     "each named once",
				     described(s, x));
		seen |= 1u << v->perm[d];
		shape[d] = x->shape[v->perm[d]];
	}
	v->rank = x->rank;
	memcpy(v->shape, shape, sizeof(shape));
	return true;
}

static bool infer_reshape(Infer *s)
{
	Value *v = s->v;
	const Value *x = arg(s, 0);
	ExprTab *t = &s->p->ex;
	Ex from = EX_ONE, to = EX_ONE;
	for (int d = 0; d < x->rank; d++)
		from = ex_mul(t, from, x->shape[d]);
	for (int d = 0; d < v->rank; d++)
		to = ex_mul(t, to, v->shape[d]);
	if (t->overflow)
		return extents_fit(s);
	if (from == to)
		return true;
	int64_t m, n;
	bool fixed = ex_is_const(t, from, &m) && ex_is_const(t, to, &n);
	return wrong(s,
		     fixed ? "the number of elements must stay; -1 stands "
			     "for the one extent that follows"
			   : "the two must be equal for every size; write "
			     "the extents with the same names",
		     "`reshape` of %s to %s: %s elements are not %s",
		     described(s, x), described(s, v), ex_text(s, from),
		     ex_text(s, to));
}

/* Only what is wrong for every binding; kernels prove the rest. */
static bool infer_slice(Infer *s)
{
	Value *v = s->v;
	const Value *x = arg(s, 0);
	ExprTab *t = &s->p->ex;
	if (v->rank != x->rank)
		return wrong(s, NULL, "`slice` of %s to rank %d",
			     described(s, x), v->rank);
	for (int d = 0; d < v->rank; d++) {
		if (v->step[d] == 0 || v->step[d] == INT64_MIN)
			return wrong(s, "give a step other than 0",
				     "`slice`: the step of axis %d is %lld", d,
				     (long long)v->step[d]);
		Ex last = ex_add(t, v->start[d],
				 ex_mul(t, ex_const(t, v->step[d]),
					ex_sub(t, v->shape[d], EX_ONE)));
		if (t->overflow)
			return extents_fit(s);
		int64_t n, first, end, extent = INT64_MAX;
		if (!ex_is_const(t, v->shape[d], &n) || n <= 0)
			continue; /* may read nothing */
		ex_is_const(t, x->shape[d], &extent);
		if ((ex_is_const(t, v->start[d], &first) &&
		     (first < 0 || first >= extent)) ||
		    (ex_is_const(t, last, &end) && (end < 0 || end >= extent)))
			return wrong(s, NULL,
				     "`slice` of %s: axis %d runs from %s to "
				     "%s, outside it",
				     described(s, x), d,
				     ex_text(s, v->start[d]), ex_text(s, last));
	}
	return true;
}

static bool infer_broadcast(Infer *s)
{
	Value *v = s->v;
	const Value *x = arg(s, 0);
	if (x->rank > v->rank)
		return wrong(s, "reshape it first",
			     "`broadcast` of %s to %s: the rank would shrink",
			     described(s, x), described(s, v));
	for (int d = 0; d < x->rank; d++) {
		Ex from = x->shape[d], to = v->shape[v->rank - x->rank + d];
		if (from == EX_ONE || from == to)
			continue;
		return wrong(s,
			     extent_hint(s, from, to,
					 "shapes are aligned at the right; "
					 "only extents of 1 repeat"),
			     "`broadcast` of %s to %s: axis %d is %s and would "
			     "be %s",
			     described(s, x), described(s, v), d,
			     ex_text(s, from), ex_text(s, to));
	}
	return true;
}

/* Every index that the map gives for a result element lies in x. */
static bool infer_map(Infer *s)
{
	Value *v = s->v;
	const Value *x = arg(s, 0);
	ExprTab *t = &s->p->ex;
	Arena *a = text_arena(s);
	ExFacts f = {0};
	for (int d = 0; d < v->rank; d++) {
		ExRange r = {d, v->shape[d]};
		VEC_PUSH(a, f.ranges, r);
	}
	for (int d = 0; d < x->rank; d++) {
		Ex room = ex_sub(t, ex_sub(t, x->shape[d], EX_ONE), v->map[d]);
		if (ex_last_axis(t, v->map[d]) >= v->rank)
			return wrong(s, NULL,
				     "the view's map of axis %d names an axis "
				     "that the result has not",
				     d);
		if (ex_prove_nonneg(t, &f, v->map[d]) &&
		    ex_prove_nonneg(t, &f, room))
			continue;
		return wrong(s, NULL,
			     "`view` of %s to %s: the index %s of axis %d "
			     "cannot be shown to lie inside",
			     described(s, x), described(s, v),
			     ex_text(s, v->map[d]), d);
	}
	return true;
}

static bool infer_view(Infer *s)
{
	s->v->dtype = arg(s, 0)->dtype;
	if (s->v->op == OP_TRANSPOSE)
		return infer_transpose(s);
	if (s->v->op == OP_RESHAPE)
		return infer_reshape(s);
	if (s->v->op == OP_SLICE)
		return infer_slice(s);
	if (s->v->op == OP_BROADCAST)
		return infer_broadcast(s);
	return infer_map(s);
}

static bool infer_pad(Infer *s)
{
	Value *v = s->v;
	const Value *x = arg(s, 0), *fill = arg(s, 1);
	if (!same_dtype(s, 0, 1))
		return false;
	if (fill->rank)
		return wrong(s, NULL,
			     "`pad` fills with one scalar, and this is %s",
			     described(s, fill));
	if (v->rank != x->rank)
		return wrong(s, "give one pair of widths an axis",
			     "`pad` of %s to rank %d", described(s, x),
			     v->rank);
	v->dtype = x->dtype;
	return true;
}

/* Axes other than `axis` agree with operand 0's. */
static bool concat_axis_agrees(Infer *s, uint32_t k, uint32_t axis)
{
	const Value *x = arg(s, 0), *y = arg(s, k);
	if (y->rank != x->rank)
		return wrong(s, NULL,
			     "`%s` of %s and %s: ranks %d and %d differ", s->op,
			     described(s, x), described(s, y), x->rank,
			     y->rank);
	for (uint32_t d = 0; d < x->rank; d++)
		if (d != axis && x->shape[d] != y->shape[d])
			return wrong(s,
				     extent_hint(s, x->shape[d], y->shape[d],
						 "all axes but the one joined "
						 "must agree"),
				     "`%s` of %s and %s: axis %u is %s in "
				     "one and %s in the other",
				     s->op, described(s, x), described(s, y), d,
				     ex_text(s, x->shape[d]),
				     ex_text(s, y->shape[d]));
	return true;
}

static bool infer_concat(Infer *s)
{
	Value *v = s->v;
	const Value *x = arg(s, 0);
	if (!axis_fits(s, v->axis, x))
		return false;
	Ex extent = EX_ZERO;
	for (uint32_t k = 0; k < v->nargs; k++) {
		if (!same_dtype(s, 0, k) || !concat_axis_agrees(s, k, v->axis))
			return false;
		extent = ex_add(&s->p->ex, extent, arg(s, k)->shape[v->axis]);
	}
	shape_from(v, x);
	v->shape[v->axis] = extent;
	v->dtype = x->dtype;
	return true;
}

static bool infer_gather(Infer *s)
{
	Value *v = s->v;
	const Value *x = arg(s, 0), *index = arg(s, 1);
	if (!is_index(s, 1) || !axis_fits(s, v->axis, x) ||
	    !rank_fits(s, (size_t)x->rank + index->rank - 1))
		return false;
	Ex shape[TN_MAX_RANK] = {0};
	uint8_t n = 0;
	for (uint32_t d = 0; d < v->axis; d++)
		shape[n++] = x->shape[d];
	for (uint32_t d = 0; d < index->rank; d++)
		shape[n++] = index->shape[d];
	for (uint32_t d = v->axis + 1; d < x->rank; d++)
		shape[n++] = x->shape[d];
	v->rank = n;
	memcpy(v->shape, shape, sizeof(shape));
	v->dtype = x->dtype;
	return true;
}

static bool infer_scatter(Infer *s)
{
	Value *v = s->v;
	const Value *x = arg(s, 0), *index = arg(s, 1), *u = arg(s, 2);
	if (!admits(s, 0) || !same_dtype(s, 0, 2) || !is_index(s, 1) ||
	    !axis_fits(s, v->axis, x))
		return false;
	if (index->rank != 1)
		return wrong(s, "flatten it first: reshape(index, -1)",
			     "the index of `%s` has one axis, and this is %s",
			     s->op, described(s, index));
	if (!concat_axis_agrees(s, 2, v->axis))
		return false;
	if (u->shape[v->axis] != index->shape[0])
		return wrong(s,
			     extent_hint(s, u->shape[v->axis], index->shape[0],
					 "one slice of updates an index"),
			     "`%s`: %s has %s slices for the indices %s", s->op,
			     described(s, u), ex_text(s, u->shape[v->axis]),
			     described(s, index));
	shape_from(v, x);
	v->dtype = x->dtype;
	return true;
}

static bool infer_move(Infer *s)
{
	if (s->v->op == OP_PAD)
		return infer_pad(s);
	if (s->v->op == OP_CONCAT)
		return infer_concat(s);
	if (s->v->op == OP_GATHER)
		return infer_gather(s);
	return infer_scatter(s);
}

static bool infer_reduce(Infer *s)
{
	Value *v = s->v;
	const Value *x = arg(s, 0);
	bool sum = op_info[v->op].result == OPR_attr;
	bool arg_op = op_info[v->op].result == OPR_index;
	if (!admits(s, 0) || (sum && !accumulates(s)))
		return false;
	for (uint32_t d = 0; d < 32; d++)
		if (v->axes >> d & 1 && !axis_fits(s, d, x))
			return false;
	if (arg_op && __builtin_popcount(v->axes) != 1)
		return wrong(s, "flatten the axes first with reshape",
			     "`%s` works along one axis", s->op);
	uint8_t n = 0;
	Ex shape[TN_MAX_RANK] = {0};
	for (uint32_t d = 0; d < x->rank; d++) {
		if (!(v->axes >> d & 1))
			shape[n++] = x->shape[d];
		else if (!sum && x->shape[d] == EX_ZERO)
			return wrong(s, NULL,
				     "`%s` of %s: axis %u is empty, and "
				     "nothing is the %s of nothing",
				     s->op, described(s, x), d, s->op);
	}
	v->rank = n;
	memcpy(v->shape, shape, sizeof(shape));
	if (arg_op)
		v->dtype = DT_I64;
	else if (!sum)
		v->dtype = x->dtype;
	return true;
}

static bool infer_scan(Infer *s)
{
	const Value *x = arg(s, 0);
	if (!admits(s, 0) || !accumulates(s) || !axis_fits(s, s->v->axis, x))
		return false;
	shape_from(s->v, x);
	return true;
}

/*
 * A product does not round below the accumulator, and its operands even
 * less: floats of the operands' dtype are floats of the accumulator.
 */
static bool holds_products(Infer *s)
{
	DType d = arg(s, 0)->dtype, acc = s->v->acc;
	bool narrower =
		acc != d && (d == DT_F64 || acc == DT_F16 || acc == DT_BF16);
	if (!dtype_is_float(d) || !narrower)
		return true;
	return wrong(s,
		     arena_printf(text_arena(s),
				  "convert the operands first: %s(x)",
				  dtype_info[acc].name),
		     "`@` of %s cannot have acc=%s, which does not hold its "
		     "operands",
		     described(s, arg(s, 0)), dtype_info[acc].name);
}

static bool infer_contract(Infer *s)
{
	Value *v = s->v;
	const Value *a = arg(s, 0), *b = arg(s, 1);
	if (!admits(s, 0) || !admits(s, 1) || !same_dtype(s, 0, 1) ||
	    !accumulates(s) || !holds_products(s))
		return false;
	if (a->rank != b->rank || a->rank < 2)
		return wrong(s, "reshape a vector to a matrix first",
			     "`@` of %s and %s: both must have the same rank, "
			     "2 or more",
			     described(s, a), described(s, b));
	int r = a->rank;
	for (int d = 0; d < r - 2; d++)
		if (a->shape[d] != b->shape[d])
			return wrong(s,
				     extent_hint(s, a->shape[d], b->shape[d],
						 "batch axes must agree"),
				     "`@` of %s and %s: batch axis %d is %s "
				     "in one and %s in the other",
				     described(s, a), described(s, b), d,
				     ex_text(s, a->shape[d]),
				     ex_text(s, b->shape[d]));
	Ex k = a->shape[r - 1];
	if (k != b->shape[r - 2]) {
		const char *hint = extent_hint(
			s, k, b->shape[r - 2],
			"the columns of the left are the rows of the right");
		if (k == b->shape[r - 1])
			hint = arena_printf(text_arena(s), "did you mean %s.T?",
					    b->name ? b->name
						    : "the right one's");
		return wrong(s, hint,
			     "`@` of %s and %s: axis %d of the left is %s and "
			     "axis %d of the right is %s",
			     described(s, a), described(s, b), r - 1,
			     ex_text(s, k), r - 2, ex_text(s, b->shape[r - 2]));
	}
	shape_from(v, a);
	v->shape[r - 1] = b->shape[r - 1];
	return true;
}

bool infer_value(Ctx *ctx, Buf *why, Program *p, Value *v)
{
	Infer s = {ctx, why, p, v, op_info[v->op].name};
	int arity = op_info[v->op].arity;
	if (arity < 0 ? v->nargs < 1 : v->nargs != (uint32_t)arity)
		return wrong(&s, NULL, "`%s` takes %s%d operands, not %u", s.op,
			     arity < 0 ? "at least " : "",
			     arity < 0 ? 1 : arity, v->nargs);
	for (uint32_t k = 0; k < v->nargs; k++)
		bug_if(v->args[k] >= p->values.n);
	if (!rank_fits(&s, v->rank))
		return false;
	bool ok = false;
	switch (op_info[v->op].cls) {
	case OPC_LEAF:
		ok = infer_leaf(&s);
		break;
	case OPC_ELEM:
		ok = infer_elem(&s);
		break;
	case OPC_VIEW:
		ok = infer_view(&s);
		break;
	case OPC_MOVE:
		ok = infer_move(&s);
		break;
	case OPC_REDUCE:
		ok = infer_reduce(&s);
		break;
	case OPC_SCAN:
		ok = infer_scan(&s);
		break;
	case OPC_CONTRACT:
		ok = infer_contract(&s);
		break;
	}
	return ok && extents_fit(&s);
}

bool program_infer(Ctx *ctx, Program *p, Value *v)
{
	while (p->sources.n < ctx->sources.n) {
		/* without its folder: a program is the same wherever it is */
		const char *path = ctx->sources.p[p->sources.n].name;
		const char *slash = strrchr(path, '/');
		const char *name = slash ? slash + 1 : path;
		VEC_PUSH(p->arena, p->sources, arena_strdup(p->arena, name));
	}
	return infer_value(ctx, NULL, p, v);
}
