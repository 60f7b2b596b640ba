/*
 * tn_make: the values that expressions become.
 *
 * emit() is the one place where a value enters the program: it gets the
 * place, contract and expansion path of the text at hand, and its dtype and
 * shape from program_infer. Broadcasts are made explicit here, so that the
 * operands of an elementwise op have its shape, and literals get the dtype
 * of what they stand beside.
 *
 * A dim used as a value has no op of its own: it is element e of the iota
 * of e + 1, a view that stage 2 reduces to the expression.
 */
#include "front/tn_build.h"

#include <string.h>

bool fail_at(Build *b, Loc loc, const char *hint, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	const char *text = arena_vprintf(b->arena, fmt, ap);
	va_end(ap);
	return diag_error(b->ctx, loc, hint, "%s", text);
}

const char *extent_text(Build *b, Ex e)
{
	Buf t;
	buf_init(&t, b->arena);
	ex_print(&t, &b->p->ex, e);
	return buf_str(&t);
}

Value val_value(const Build *b, const Val *v)
{
	bug_if(v->kind != VAL_TENSOR);
	return *program_value(b->p, v->id);
}

const char *val_text(Build *b, const Val *v)
{
	Buf t;
	buf_init(&t, b->arena);
	switch (v->kind) {
	case VAL_NONE:
		return "None";
	case VAL_TENSOR: {
		Value x = val_value(b, v);
		if (x.name)
			buf_printf(&t, "%s: ", x.name);
		program_print_type(&t, b->p, &x);
		return buf_str(&t);
	}
	case VAL_NUMBER:
		return arena_printf(b->arena, "%s%s",
				    v->number.negative ? "-" : "",
				    v->number.text);
	case VAL_DIM:
		return extent_text(b, v->dim);
	case VAL_BOOL:
		return v->truth ? "True" : "False";
	case VAL_STRING:
		return "a string";
	case VAL_DTYPE:
		return dtype_info[v->dtype].name;
	case VAL_LIST:
		return arena_printf(b->arena,
				    v->tuple ? "%zu values" : "a list of %zu",
				    v->n);
	case VAL_ELLIPSIS:
		return "...";
	}
	bug("no such kind of value");
}

/* ---- emitting -------------------------------------------------------- */

Val val_tensor(Build *b, ValueId id)
{
	return (Val){.kind = VAL_TENSOR, .id = id, .loc = b->at};
}

Val val_dim(Build *b, Ex e)
{
	return (Val){.kind = VAL_DIM, .dim = e, .loc = b->at};
}

bool emit(Build *b, Value *v, Val *out)
{
	v->loc = b->at;
	v->relax = b->frame->relax;
	v->via = b->frame->via;
	if (b->p->values.n >= TN_MAX_VALUES)
		return fail_at(
			b, b->at, "defs are expanded at every call; call fewer",
			"the program has more than %d values", TN_MAX_VALUES);
	if (!program_infer(b->ctx, b->p, v))
		return false;
	*out = val_tensor(b, program_add(b->p, v));
	return true;
}

/* ---- static integers ------------------------------------------------- */

bool extent_check(Build *b)
{
	if (!b->p->ex.overflow)
		return true;
	b->p->ex.overflow = false;
	return fail_at(b, b->at, NULL, "the integer overflows 64 bits");
}

bool val_to_extent(Build *b, const Val *v, const char *what, Ex *out)
{
	int64_t n;
	if (v->kind == VAL_DIM) {
		*out = v->dim;
		return true;
	}
	if (v->kind == VAL_NUMBER && v->number.kind == NUMBER_INT) {
		if (!literal_to_int64(&v->number, &n))
			return fail_at(b, v->loc, NULL,
				       "%s overflows 64 bits: %s", what,
				       val_text(b, v));
		*out = ex_const(&b->p->ex, n);
		return true;
	}
	return fail_at(b, v->loc,
		       v->kind == VAL_TENSOR
			       ? "shapes cannot depend on data; use numbers "
				 "and named dims"
			       : NULL,
		       "%s must be an integer, and this is %s", what,
		       val_text(b, v));
}

bool val_to_int(Build *b, const Val *v, const char *what, int64_t *out)
{
	Ex e;
	if (!val_to_extent(b, v, what, &e))
		return false;
	if (ex_is_const(&b->p->ex, e, out))
		return true;
	return fail_at(b, v->loc, "write a number",
		       "%s must be known here, and `%s` is not", what,
		       extent_text(b, e));
}

bool val_to_extents(Build *b, const Val *v, const char *what, Ex *out,
		    size_t *n)
{
	if (v->kind != VAL_LIST) {
		*n = 1;
		return val_to_extent(b, v, what, out);
	}
	if (v->n > TN_MAX_RANK)
		return fail_at(b, v->loc, NULL,
			       "%s has %zu entries; rank %d is the most", what,
			       v->n, TN_MAX_RANK);
	*n = v->n;
	for (size_t i = 0; i < v->n; i++)
		if (!val_to_extent(b, &v->items[i], what, &out[i]))
			return false;
	return true;
}

/* ---- literals -------------------------------------------------------- */

/* Rounds a literal into out, or says why it has no value in d. */
static bool round_literal(Build *b, const Number *n, DType d, Loc loc,
			  void *out)
{
	const char *name = dtype_info[d].name;
	const char *sign = n->negative ? "-" : "";
	if (dtype_info[d].cls == DTC_B)
		return fail_at(b, loc, "write True or False",
			       "%s%s is not a bool", sign, n->text);
	switch (literal_round(b->arena, n, d, out)) {
	case NUMBER_OK:
		return true;
	case NUMBER_NOT_INTEGER:
		return fail_at(b, loc,
			       "convert the other operand to a float, or "
			       "write an integer",
			       "the float literal %s%s has no value in %s",
			       sign, n->text, name);
	case NUMBER_OVERFLOWS:
		break;
	}
	return fail_at(b, loc, NULL, "the literal %s%s is out of range for %s",
		       sign, n->text, name);
}

static bool emit_const(Build *b, DType d, const Ex *shape, size_t rank,
		       const void *data, size_t size, Val *out)
{
	Value v = {.op = OP_CONST, .dtype = d, .rank = (uint8_t)rank};
	v.data = data;
	v.data_size = size;
	for (size_t i = 0; i < rank; i++)
		v.shape[i] = shape[i];
	return emit(b, &v, out);
}

bool make_number(Build *b, const Number *n, DType d, Loc loc, Val *out)
{
	uint64_t bits = 0;
	if (!round_literal(b, n, d, loc, &bits))
		return false;
	return emit_const(b, d, NULL, 0, &bits, (size_t)dtype_info[d].bytes,
			  out);
}

bool make_int(Build *b, int64_t n, DType d, Val *out)
{
	Number v = literal_int(b->arena, n);
	return make_number(b, &v, d, b->at, out);
}

/* Shape of nested lists: the lengths met going down the first items. */
static bool list_shape(Build *b, const Val *v, Ex *shape, size_t *rank,
		       int64_t *len)
{
	*rank = 0;
	while (v->kind == VAL_LIST && !v->tuple) {
		if (*rank == TN_MAX_RANK)
			return fail_at(b, v->loc, NULL,
				       "the literal has more than %d axes",
				       TN_MAX_RANK);
		len[*rank] = (int64_t)v->n;
		shape[(*rank)++] = ex_const(&b->p->ex, (int64_t)v->n);
		if (!v->n)
			break;
		v = &v->items[0];
	}
	return true;
}

static bool fill_list(Build *b, const Val *v, DType d, const int64_t *len,
		      size_t rank, unsigned char **at)
{
	int64_t n;
	if (rank) {
		if (v->kind != VAL_LIST || v->tuple || (int64_t)v->n != *len)
			return fail_at(b, v->loc,
				       "all rows of a literal are as long as "
				       "the first",
				       "expected a list of %lld, found %s",
				       (long long)*len, val_text(b, v));
		for (size_t i = 0; i < v->n; i++)
			if (!fill_list(b, &v->items[i], d, len + 1, rank - 1,
				       at))
				return false;
		return true;
	}
	if (v->kind == VAL_BOOL && d == DT_BOOL) {
		**at = v->truth;
	} else if (v->kind == VAL_NUMBER) {
		if (!round_literal(b, &v->number, d, v->loc, *at))
			return false;
	} else if (v->kind == VAL_DIM && ex_is_const(&b->p->ex, v->dim, &n)) {
		Number number = literal_int(b->arena, n);
		if (!round_literal(b, &number, d, v->loc, *at))
			return false;
	} else {
		return fail_at(b, v->loc,
			       "a list literal holds numbers; concat joins "
			       "tensors",
			       "expected a number of dtype %s, found %s",
			       dtype_info[d].name, val_text(b, v));
	}
	*at += dtype_info[d].bytes;
	return true;
}

static bool make_list(Build *b, const Val *v, DType d, Val *out)
{
	Ex shape[TN_MAX_RANK];
	int64_t len[TN_MAX_RANK];
	size_t rank, size = (size_t)dtype_info[d].bytes;
	if (!list_shape(b, v, shape, &rank, len))
		return false;
	for (size_t i = 0; i < rank; i++)
		if (__builtin_mul_overflow(size, (size_t)len[i], &size) ||
		    size > TN_MAX_SOURCE * (size_t)8)
			return fail_at(b, v->loc, NULL,
				       "the literal is too large");
	unsigned char *data = arena_alloc(b->arena, size + 1, 64);
	unsigned char *at = data;
	if (!fill_list(b, v, d, len, rank, &at))
		return false;
	return emit_const(b, d, shape, rank, data, size, out);
}

/* A named dim as a value of dtype d. */
static bool make_dim_value(Build *b, Ex e, DType d, Loc loc, Val *out)
{
	int64_t n;
	ExprTab *t = &b->p->ex;
	if (ex_is_const(t, e, &n)) {
		Number number = literal_int(b->arena, n);
		return make_number(b, &number, d, loc, out);
	}
	ExFacts none = {0};
	if (!ex_prove_nonneg(t, &none, e))
		return fail_at(b, loc,
			       "convert the dims first and subtract the "
			       "values",
			       "`%s` may be negative, and cannot be a value "
			       "as it is",
			       extent_text(b, e));
	Value iota = {.op = OP_IOTA, .dtype = d, .rank = 1};
	iota.shape[0] = ex_add(t, e, ex_const(t, 1));
	Val all, one;
	if (!emit(b, &iota, &all))
		return false;
	Value slice = {.op = OP_SLICE, .rank = 1, .nargs = 1, .args = &all.id};
	slice.shape[0] = ex_const(t, 1);
	slice.start[0] = e;
	slice.step[0] = 1;
	return emit(b, &slice, &one) && make_reshape(b, &one, NULL, 0, out);
}

bool val_materialise(Build *b, const Val *v, DType d, Val *out)
{
	uint8_t truth = v->truth;
	switch (v->kind) {
	case VAL_TENSOR:
		*out = *v;
		return true;
	case VAL_NUMBER:
		return make_number(b, &v->number, d, v->loc, out);
	case VAL_DIM:
		return make_dim_value(b, v->dim, d, v->loc, out);
	case VAL_BOOL:
		if (d != DT_BOOL)
			return fail_at(b, v->loc, NULL, "%s has no value in %s",
				       val_text(b, v), dtype_info[d].name);
		return emit_const(b, d, NULL, 0, &truth, 1, out);
	case VAL_LIST:
		if (!v->tuple)
			return make_list(b, v, d, out);
		break;
	case VAL_NONE:
	case VAL_STRING:
	case VAL_DTYPE:
	case VAL_ELLIPSIS:
		break;
	}
	return fail_at(b, v->loc, NULL,
		       "expected a tensor or a number, found "
		       "%s",
		       val_text(b, v));
}

bool need_tensor(Build *b, const Val *v)
{
	if (v->kind == VAL_TENSOR)
		return true;
	bool literal = v->kind == VAL_NUMBER || v->kind == VAL_DIM ||
		       (v->kind == VAL_LIST && !v->tuple);
	return fail_at(b, v->loc, literal ? "give it a dtype: f32(...)" : NULL,
		       "`%s` takes a tensor, and this is %s", b->called,
		       val_text(b, v));
}

/* ---- elementwise ----------------------------------------------------- */

bool make_unary(Build *b, Op op, const Val *x, Val *out)
{
	if (!need_tensor(b, x))
		return false;
	Value v = {.op = op, .nargs = 1, .args = &x->id};
	return emit(b, &v, out);
}

bool make_cast(Build *b, const Val *x, DType d, Val *out)
{
	if (x->kind != VAL_TENSOR)
		return val_materialise(b, x, d, out);
	if (val_value(b, x).dtype == d) {
		*out = *x;
		return true;
	}
	Value v = {.op = OP_CAST, .dtype = d, .nargs = 1, .args = &x->id};
	return emit(b, &v, out);
}

/*
 * The dtypes of elementwise operands, before broadcasts hide their names.
 * from: the first operand that takes part (1 for where).
 */
static bool check_dtypes(Build *b, const char *what, const Val *args,
			 size_t from, size_t n)
{
	for (size_t i = from + 1; i < n; i++) {
		DType x = val_value(b, &args[from]).dtype;
		DType y = val_value(b, &args[i]).dtype;
		if (x == y)
			continue;
		bool second =
			dtype_info[x].precision > dtype_info[y].precision ||
			(dtype_is_float(x) && !dtype_is_float(y));
		const Val *narrow = &args[second ? i : from];
		const char *name = val_value(b, narrow).name;
		return fail_at(
			b, b->at,
			arena_printf(b->arena,
				     "dtypes never mix silently; convert one: "
				     "%s(%s)",
				     dtype_info[second ? x : y].name,
				     name ? name : "x"),
			"`%s` of %s and %s: the dtypes %s and %s differ", what,
			val_text(b, &args[from]), val_text(b, &args[i]),
			dtype_info[x].name, dtype_info[y].name);
	}
	return true;
}

bool make_elementwise(Build *b, Op op, const char *what, const Val *args,
		      size_t n, Val *out)
{
	Val v[3];
	ValueId ids[3];
	size_t from = op == OP_WHERE;
	bug_if(n > 3);
	/* the dtype that literals take */
	const Val *typed = NULL;
	for (size_t i = from; i < n && !typed; i++)
		if (args[i].kind == VAL_TENSOR)
			typed = &args[i];
	bool bools = true;
	for (size_t i = from; i < n; i++)
		bools = bools && args[i].kind == VAL_BOOL;
	if (!typed && !bools)
		return fail_at(b, b->at, "give one a dtype, as f32(1.5) does",
			       "`%s` of %s and %s: neither has a dtype", what,
			       val_text(b, &args[from]),
			       val_text(b, &args[n - 1]));
	DType d = typed ? val_value(b, typed).dtype : DT_BOOL;
	for (size_t i = 0; i < n; i++) {
		DType own = i < from ? DT_BOOL : d;
		if (!val_materialise(b, &args[i], own, &v[i]))
			return false;
		ids[i] = v[i].id;
	}
	if (!check_dtypes(b, what, v, from, n))
		return false;
	Value value = {.op = op, .nargs = (uint32_t)n, .args = ids};
	value.loc = b->at;
	if (!program_broadcast_shape(b->ctx, b->p, &value))
		return false;
	for (size_t i = 0; i < n; i++) {
		Val wide;
		if (!make_broadcast(b, &v[i], value.shape, value.rank, &wide))
			return false;
		ids[i] = wide.id;
	}
	return emit(b, &value, out);
}

/* ---- views ----------------------------------------------------------- */

static bool same_shape(const Value *x, const Ex *shape, size_t rank)
{
	if (x->rank != rank)
		return false;
	for (size_t i = 0; i < rank; i++)
		if (x->shape[i] != shape[i])
			return false;
	return true;
}

static bool make_view(Build *b, Op op, const Val *x, const Ex *shape,
		      size_t rank, Val *out)
{
	Value from = val_value(b, x);
	if (same_shape(&from, shape, rank)) {
		*out = *x;
		return true;
	}
	Value v = {.op = op, .nargs = 1, .args = &x->id};
	v.rank = (uint8_t)rank;
	for (size_t i = 0; i < rank; i++)
		v.shape[i] = shape[i];
	return emit(b, &v, out);
}

bool make_broadcast(Build *b, const Val *x, const Ex *shape, size_t rank,
		    Val *out)
{
	return make_view(b, OP_BROADCAST, x, shape, rank, out);
}

bool make_reshape(Build *b, const Val *x, const Ex *shape, size_t rank,
		  Val *out)
{
	return make_view(b, OP_RESHAPE, x, shape, rank, out);
}

bool make_transpose(Build *b, const Val *x, const uint8_t *perm, Val *out)
{
	int rank = val_value(b, x).rank;
	Value v = {.op = OP_TRANSPOSE, .nargs = 1, .args = &x->id};
	bool moves = false;
	for (int i = 0; i < rank; i++) {
		v.perm[i] = perm[i];
		moves = moves || perm[i] != i;
	}
	if (!moves) {
		*out = *x;
		return true;
	}
	return emit(b, &v, out);
}

bool make_pad(Build *b, const Val *x, const Ex *before, const Ex *after,
	      const Val *fill, Val *out)
{
	Value from = val_value(b, x);
	ExprTab *t = &b->p->ex;
	ValueId ids[2] = {x->id, fill->id};
	Value v = {.op = OP_PAD, .rank = from.rank, .nargs = 2, .args = ids};
	for (int i = 0; i < from.rank; i++) {
		v.start[i] = before[i];
		v.shape[i] = ex_add(t, ex_add(t, from.shape[i], before[i]),
				    after[i]);
	}
	return emit(b, &v, out);
}

/* ---- sums ------------------------------------------------------------ */

static bool dtype_argument(Build *b, const Val *v, const char *name, DType *d)
{
	if (v->kind == VAL_DTYPE) {
		*d = v->dtype;
		return true;
	}
	return v->kind == VAL_NONE ||
	       fail_at(b, v->loc, arena_printf(b->arena, "write %s=f32", name),
		       "`%s` must be a dtype, and this is %s", name,
		       val_text(b, v));
}

bool sum_dtypes(Build *b, DType d, const Val *acc, const Val *result,
		DType *acc_out, DType *out)
{
	*out = d;
	*acc_out = dtype_default_acc(d);
	if (!dtype_argument(b, result, "out", out))
		return false;
	if (dtype_info[*out].precision > dtype_info[*acc_out].precision)
		*acc_out = *out;
	return dtype_argument(b, acc, "acc", acc_out);
}

/* Drops or adds an axis of extent 1 next to the last two. */
static bool matrix_of(Build *b, const Val *x, bool left, Val *out)
{
	Value v = val_value(b, x);
	Ex shape[2];
	if (v.rank != 1) {
		*out = *x;
		return true;
	}
	Ex one = ex_const(&b->p->ex, 1);
	shape[0] = left ? one : v.shape[0];
	shape[1] = left ? v.shape[0] : one;
	return make_reshape(b, x, shape, 2, out);
}

/* Gives both operands the batch axes that their leading axes broadcast to. */
static bool broadcast_batches(Build *b, Val *x, Val *y)
{
	Value vx = val_value(b, x), vy = val_value(b, y);
	if (vx.rank == 2 && vy.rank == 2)
		return true;
	Ex shape[TN_MAX_RANK];
	int rank = vx.rank > vy.rank ? vx.rank : vy.rank;
	Ex one = ex_const(&b->p->ex, 1);
	for (int d = 0; d < rank - 2; d++) {
		int dx = d - (rank - vx.rank), dy = d - (rank - vy.rank);
		Ex ex = dx < 0 ? one : vx.shape[dx];
		Ex ey = dy < 0 ? one : vy.shape[dy];
		if (ex != ey && ex != one && ey != one)
			return fail_at(b, b->at,
				       "batch axes must be equal, or one of "
				       "them 1",
				       "`@` of %s and %s: batch axis %d is %s "
				       "in one and %s in the other",
				       val_text(b, x), val_text(b, y), d,
				       extent_text(b, ex), extent_text(b, ey));
		shape[d] = ex == one ? ey : ex;
	}
	shape[rank - 2] = vx.shape[vx.rank - 2];
	shape[rank - 1] = vx.shape[vx.rank - 1];
	Val wx, wy;
	if (!make_broadcast(b, x, shape, (size_t)rank, &wx))
		return false;
	shape[rank - 2] = vy.shape[vy.rank - 2];
	shape[rank - 1] = vy.shape[vy.rank - 1];
	if (!make_broadcast(b, y, shape, (size_t)rank, &wy))
		return false;
	*x = wx;
	*y = wy;
	return true;
}

bool make_matmul(Build *b, const Val *x, const Val *y, const Val *acc,
		 const Val *result, Val *out)
{
	Val a, c, both[2] = {*x, *y}, product;
	if (!need_tensor(b, x) || !need_tensor(b, y))
		return false;
	Value vx = val_value(b, x), vy = val_value(b, y);
	if (!vx.rank || !vy.rank)
		return fail_at(b, b->at, "multiply by a scalar with `*`",
			       "`@` of %s and %s: a scalar has no rows and "
			       "columns",
			       val_text(b, x), val_text(b, y));
	Value v = {.op = OP_MATMUL, .nargs = 2};
	if (!check_dtypes(b, "@", both, 0, 2) ||
	    !sum_dtypes(b, vx.dtype, acc, result, &v.acc, &v.dtype) ||
	    !matrix_of(b, x, true, &a) || !matrix_of(b, y, false, &c) ||
	    !broadcast_batches(b, &a, &c))
		return false;
	ValueId ids[2] = {a.id, c.id};
	v.args = ids;
	if (!emit(b, &v, &product))
		return false;
	/* axes that were added go again */
	Value r = val_value(b, &product);
	Ex shape[TN_MAX_RANK];
	size_t n = 0;
	for (int d = 0; d < r.rank; d++)
		if (!(d == r.rank - 2 && vx.rank == 1) &&
		    !(d == r.rank - 1 && vy.rank == 1))
			shape[n++] = r.shape[d];
	return make_reshape(b, &product, shape, n, out);
}
