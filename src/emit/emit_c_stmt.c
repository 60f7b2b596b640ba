/*
 * emit_c_stmt: operations, constants, indices, accumulators.
 *
 * Each statement prints one C declaration or assignment. It works on lanes
 * when one of its arguments does; the others are then splatted. + - * of
 * f32 and f64 print as operators, all else as a call of cfuncs.
 */
#include "emit/emit_c.h"

#include "ir/kernel_text.h"
#include "ir/view.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- variables ------------------------------------------------------- */

static int var_lanes(const Emit *e, VarId v)
{
	const EVar *x = &e->vars[v];

	return x->varies || x->by_lanes ? e->lanes : 0;
}

int ec_args_lanes(const Emit *e, const Stmt *s)
{
	int lanes = 0;

	for (uint32_t i = 0; i < s->nargs; i++)
		if (var_lanes(e, s->args[i]))
			lanes = e->lanes;
	return lanes;
}

const char *ec_var(Emit *e, VarId v, DType d, int lanes)
{
	const char *name = arena_printf(e->arena, "v%u", v);

	if (!lanes || var_lanes(e, v))
		return name;
	return arena_printf(e->arena, "%s(%s)", ec_fn(e, "splat", d, lanes),
			    name);
}

const char *ec_declare(Emit *e, const Stmt *s, int lanes)
{
	e->vars[s->var].varies = lanes > 0;
	return arena_printf(e->arena,
			    "const %s v%u = ", ec_type(e, s->dtype, lanes),
			    s->var);
}

/* Declares s->var as the text. */
static void define(Emit *e, const Stmt *s, int lanes, const char *text)
{
	ec_line(e, "%s%s;\n", ec_declare(e, s, lanes), text);
}

/* ---- constants ------------------------------------------------------- */

/* The bytes of one element, zero-extended. */
static uint64_t bits_of(DType d, const void *data)
{
	uint8_t b1;
	uint16_t b2;
	uint32_t b4;
	uint64_t b8;

	switch (dtype_info[d].bytes) {
	case 1:
		memcpy(&b1, data, 1);
		return b1;
	case 2:
		memcpy(&b2, data, 2);
		return b2;
	case 4:
		memcpy(&b4, data, 4);
		return b4;
	default:
		memcpy(&b8, data, 8);
		return b8;
	}
}

/* The value of a float dtype's bits. */
static double float_of(DType d, uint64_t bits)
{
	int prec = dtype_info[d].precision;
	int ebits = 8 * dtype_info[d].bytes - prec, top = (1 << ebits) - 1;
	uint64_t hidden = UINT64_C(1) << (prec - 1), frac = bits & (hidden - 1);
	int exp = (int)(bits >> (prec - 1)) & top;
	bool neg = bits >> (prec - 1 + ebits) & 1;
	double m;

	if (exp == top)
		m = frac ? (double)NAN : (double)INFINITY;
	else if (exp == 0)
		m = ldexp((double)frac, 3 - (top + 1) / 2 - prec);
	else
		m = ldexp((double)(frac | hidden),
			  exp + 2 - (top + 1) / 2 - prec);
	return neg ? -m : m;
}

/* Bits as a float; every language has its own way to say that. */
static const char *from_bits(Emit *e, DType d, uint64_t bits)
{
	bool wide = d == DT_F64;

	switch (e->dialect) {
	case CD_CUDA:
		return arena_printf(e->arena, "%s(0x%" PRIx64 "%s)",
				    wide ? "__longlong_as_double"
					 : "__int_as_float",
				    bits, wide ? "ll" : "");
	case CD_OPENCL:
		return arena_printf(e->arena, "%s(0x%" PRIx64 "%s)",
				    wide ? "as_double" : "as_float", bits,
				    wide ? "l" : "");
	case CD_C:
		break;
	}
	return arena_printf(
		e->arena,
		wide ? "((union { uint64_t u; double f; }){0x%" PRIx64 "}).f"
		     : "((union { uint32_t u; float f; }){0x%" PRIx64 "}).f",
		bits);
}

/* A NaN keeps its bits, widened where f16 and bf16 live as float. */
static const char *nan_text(Emit *e, DType d, uint64_t bits)
{
	if (d == DT_BF16)
		bits = bits << 16 | 0x400000;
	else if (d == DT_F16)
		bits = (bits & 0x8000) << 16 | (bits & 1023) << 13 | 0x7fc00000;
	return from_bits(e, d, bits);
}

static const char *infinity_text(const Emit *e, DType d, bool negative)
{
	static const char *const text[2][2][2] = {
		{{"__builtin_inff()", "-__builtin_inff()"},
		 {"__builtin_inf()", "-__builtin_inf()"}},
		{{"INFINITY", "-INFINITY"},
		 {"as_double(0x7ff0000000000000l)",
		  "as_double(0xfff0000000000000l)"}},
	};
	static const char *const cuda[2][2] = {
		{"__int_as_float(0x7f800000)", "__int_as_float(0xff800000)"},
		{"__longlong_as_double(0x7ff0000000000000ll)",
		 "__longlong_as_double(0xfff0000000000000ll)"},
	};

	if (e->dialect == CD_CUDA)
		return cuda[d == DT_F64][negative];
	return text[e->dialect == CD_OPENCL][d == DT_F64][negative];
}

static const char *float_text(Emit *e, DType d, const void *data)
{
	uint64_t bits = bits_of(d, data);
	double x = float_of(d, bits);

	if (isnan(x))
		return nan_text(e, d, bits);
	if (isinf(x))
		return infinity_text(e, d, x < 0);
	return arena_printf(e->arena, "%a%s", x, d == DT_F64 ? "" : "f");
}

static const char *integer_text(Emit *e, DType d, const void *data)
{
	int bytes = dtype_info[d].bytes, unused = 64 - 8 * bytes;
	uint64_t bits = bits_of(d, data);

	if (dtype_info[d].cls != DTC_I)
		return arena_printf(e->arena, "%" PRIu64 "%s", bits,
				    bytes < 8                 ? "u"
				    : e->dialect == CD_OPENCL ? "ul"
							      : "ull");
	int64_t v = (int64_t)(bits << unused) >> unused;
	const char *wide = e->dialect == CD_OPENCL ? "l" : "ll";
	const char *suffix = bytes == 8 ? wide : "";
	/* the least value of a type has no literal */
	if (bytes >= 4 && bits == UINT64_C(1) << (8 * bytes - 1))
		return arena_printf(e->arena, "(%" PRId64 "%s - 1)", v + 1,
				    suffix);
	return arena_printf(e->arena, "%" PRId64 "%s", v, suffix);
}

static void constant(Emit *e, const Stmt *s)
{
	if (dtype_is_float(s->dtype))
		define(e, s, 0, float_text(e, s->dtype, s->data));
	else
		define(e, s, 0, integer_text(e, s->dtype, s->data));
}

/* ---- folds ----------------------------------------------------------- */

static const char *least(const Emit *e, DType d)
{
	if (dtype_info[d].cls == DTC_F)
		return infinity_text(e, d, true);
	if (dtype_info[d].cls != DTC_I)
		return "0";
	switch (dtype_info[d].bytes) {
	case 1:
		return "-128";
	case 2:
		return "-32768";
	case 4:
		return "(-2147483647 - 1)";
	default:
		return e->dialect == CD_OPENCL ? "(-9223372036854775807l - 1)"
					       : "(-9223372036854775807ll - 1)";
	}
}

static const char *greatest(const Emit *e, DType d)
{
	bool s = dtype_info[d].cls == DTC_I;

	if (dtype_info[d].cls == DTC_F)
		return infinity_text(e, d, false);
	if (dtype_info[d].cls == DTC_B)
		return "1";
	switch (dtype_info[d].bytes) {
	case 1:
		return s ? "127" : "255";
	case 2:
		return s ? "32767" : "65535";
	case 4:
		return s ? "2147483647" : "4294967295u";
	default:
		if (e->dialect == CD_OPENCL)
			return s ? "9223372036854775807l"
				 : "18446744073709551615ul";
		return s ? "9223372036854775807ll" : "18446744073709551615ull";
	}
}

const char *ec_identity(const Emit *e, Op op, DType d)
{
	if (op == OP_MUL || op == OP_AND)
		return "1";
	if (op == OP_MAXIMUM)
		return least(e, d);
	if (op == OP_MINIMUM)
		return greatest(e, d);
	if (op == OP_BITAND)
		return dtype_info[d].cls == DTC_I ? "-1" : greatest(e, d);
	return "0";
}

const char *ec_fold_lanes(Op op)
{
	if (op == OP_ADD)
		return "hsum";
	if (op == OP_MUL)
		return "hprod";
	if (op == OP_MAXIMUM)
		return "hmax";
	if (op == OP_MINIMUM)
		return "hmin";
	bug("no fold of lanes by %s", op_info[op].name);
}

/* "+" where C's operator has the dtype's own meaning. */
static const char *infix(Op op, DType d)
{
	if (d != DT_F32 && d != DT_F64)
		return NULL;
	return op == OP_ADD   ? "+"
	       : op == OP_SUB ? "-"
	       : op == OP_MUL ? "*"
			      : NULL;
}

const char *ec_fold(Emit *e, Op op, DType d, int lanes, const char *a,
		    const char *b)
{
	const char *sign = infix(op, d);

	if (sign)
		return arena_printf(e->arena, "%s %s %s", a, sign, b);
	return arena_printf(e->arena, "%s(%s, %s)",
			    ec_fn(e, cfuncs_op(op), d, lanes), a, b);
}

static void accumulator(Emit *e, const Stmt *s)
{
	int lanes = e->lanes;
	const char *init = s->nargs ? ec_var(e, s->args[0], s->dtype, lanes)
				    : ec_identity(e, s->op, s->dtype);

	if (lanes && !s->nargs)
		init = arena_printf(e->arena, "%s(%s)",
				    ec_fn(e, "splat", s->dtype, lanes), init);
	e->vars[s->var].varies = lanes > 0;
	ec_line(e, "%s v%u = %s;\n", ec_type(e, s->dtype, lanes), s->var, init);
}

static void accumulate(Emit *e, const Stmt *s)
{
	int lanes = var_lanes(e, s->var);
	const char *x = ec_var(e, s->args[0], s->dtype, lanes);
	const char *acc =
		e->vars[s->var].by_lanes
			? arena_printf(e->arena, "v%u_%d", s->var, e->copy)
			: arena_printf(e->arena, "v%u", s->var);

	if (s->nargs == 2) {
		ec_line(e, "if (v%u)\n", s->args[1]);
		e->depth++;
	}
	if (s->op == OP_WHERE)
		ec_line(e, "%s = %s;\n", acc, x);
	else if (e->rest && e->vars[s->var].by_lanes)
		ec_line(e, "%s = %s(%s, %s, %s);\n", acc,
			ec_fn(e, "keepn", s->dtype, lanes),
			ec_fold(e, s->op, s->dtype, lanes, acc, x), acc,
			e->rest);
	else
		ec_line(e, "%s = %s;\n", acc,
			ec_fold(e, s->op, s->dtype, lanes, acc, x));
	if (s->nargs == 2)
		e->depth--;
}

/* The same in each lane by itself. */
static void argument_lanes(Emit *e, const Stmt *s)
{
	int lanes = e->lanes;
	const char *best = arena_printf(e->arena, "v%u", s->args[0]);
	const char *x = ec_var(e, s->args[1], s->from, lanes);
	const char *better = arena_printf(
		e->arena, "%s(%s, %s)",
		ec_fn(e, s->op == OP_MINIMUM ? "lt" : "gt", s->from, lanes), x,
		best);

	if (dtype_is_float(s->from))
		better = arena_printf(
			e->arena, "%s(%s(%s, %s), %s(%s(%s, %s), %s))",
			ec_fn(e, "and", DT_BOOL, lanes),
			ec_fn(e, "eq", s->from, lanes), best, best,
			ec_fn(e, "or", DT_BOOL, lanes),
			ec_fn(e, "ne", s->from, lanes), x, x, better);
	ec_line(e, "{\n");
	e->depth++;
	ec_line(e, "const %s l = %s;\n", ec_type(e, DT_BOOL, lanes), better);
	ec_line(e, "%s = %s(l, %s, %s);\n", best,
		ec_fn(e, "where", s->from, lanes), x, best);
	ec_line(e, "v%u = %s(l, %s((%s)(%s)), v%u);\n", s->var,
		ec_fn(e, "where", s->dtype, lanes),
		ec_fn(e, "splat", s->dtype, lanes), ec_type(e, s->dtype, 0),
		ec_ex(e, s->ex), s->var);
	e->depth--;
	ec_line(e, "}\n");
}

/* The first NaN wins, else the first of what is strictly better. */
static void argument(Emit *e, const Stmt *s)
{
	const char *sign = s->op == OP_MINIMUM ? "<" : ">";
	uint32_t best = s->args[0], x = s->args[1];

	if (e->lanes) {
		argument_lanes(e, s);
		return;
	}
	if (dtype_is_float(s->from))
		ec_line(e, "if (v%u == v%u && (v%u != v%u || v%u %s v%u)) {\n",
			best, best, x, x, x, sign, best);
	else
		ec_line(e, "if (v%u %s v%u) {\n", x, sign, best);
	e->depth++;
	ec_line(e, "v%u = v%u;\n", best, x);
	ec_line(e, "v%u = (%s)(%s);\n", s->var, ec_type(e, s->dtype, 0),
		ec_ex(e, s->ex));
	e->depth--;
	ec_line(e, "}\n");
}

/* ---- operations ------------------------------------------------------ */

static DType arg_dtype(const Stmt *s, uint32_t i)
{
	return s->op == OP_WHERE && i == 0 ? DT_BOOL : s->from;
}

/*
 * Lanes divided by what they share: by its reciprocal, which the loop
 * computes once, to the same bits.
 */
static bool divides_by_one(Emit *e, const Stmt *s)
{
	return s->op == OP_DIV && s->from == DT_F32 &&
	       var_lanes(e, s->args[0]) && !var_lanes(e, s->args[1]);
}

/*
 * An exponential of what is never above 0, as softmax has them: fewer
 * instructions, which are what binds a GPU on 16-bit rows.
 */
static bool has_low_argument(const Emit *e, const Stmt *s)
{
	Program *p = e->ks->program;

	return e->dialect != CD_C && s->op == OP_EXP && s->from == DT_F32 &&
	       s->value != NO_VALUE &&
	       program_value(p, s->value)->op == OP_EXP &&
	       value_never_positive(p, program_value(p, s->value)->args[0]);
}

/* Where a fault of the statement is kept: of GPUs' threads by value. */
static const char *ec_status(Emit *e, const Stmt *s)
{
	return e->dialect == CD_C ? "st"
				  : arena_printf(e->arena, "st + %u", s->value);
}

static void operation(Emit *e, const Stmt *s)
{
	int lanes = ec_args_lanes(e, s);
	const char *sign = infix(s->op, s->from), *name;
	const char *arg[3] = {"", "", ""};
	Buf b;

	if (divides_by_one(e, s)) {
		define(e, s, lanes,
		       arena_printf(e->arena, "%s(v%u, v%u, 1 / v%u)",
				    ec_fn(e, "divby", DT_F32, lanes),
				    s->args[0], s->args[1], s->args[1]));
		return;
	}
	for (uint32_t i = 0; i < s->nargs; i++)
		arg[i] = ec_var(e, s->args[i], arg_dtype(s, i), lanes);
	if (sign) {
		define(e, s, lanes,
		       arena_printf(e->arena, "%s %s %s", arg[0], sign,
				    arg[1]));
		return;
	}
	if (s->op == OP_CAST && s->from == s->dtype) {
		define(e, s, lanes, arg[0]);
		return;
	}
	name = cfuncs_op(s->op);
	if (has_low_argument(e, s))
		name = "explow";
	if (s->op == OP_CAST)
		name = arena_printf(e->arena, "cast_%s",
				    dtype_info[s->from].name);
	buf_init(&b, e->arena);
	buf_printf(
		&b, "%s(",
		ec_fn(e, name, s->op == OP_CAST ? s->dtype : s->from, lanes));
	for (uint32_t i = 0; i < s->nargs; i++)
		buf_printf(&b, "%s%s", i ? ", " : "", arg[i]);
	if (kstmt_may_fault(s))
		buf_printf(&b, ", %s, %uu, %s", ec_status(e, s), s->value,
			   ec_ex(e, s->ex));
	buf_putc(&b, ')');
	if (e->vars[s->var].live)
		define(e, s, lanes, buf_str(&b));
	else
		ec_line(e, "(void)%s;\n", buf_str(&b));
}

static void multiply_add(Emit *e, const Stmt *s)
{
	int lanes = ec_args_lanes(e, s);
	const char *arg[3];

	for (uint32_t i = 0; i < 3; i++)
		arg[i] = ec_var(e, s->args[i], s->dtype, lanes);
	define(e, s, lanes,
	       arena_printf(e->arena, "%s(%s, %s, %s)",
			    ec_fn(e, "mac", s->dtype, lanes), arg[0], arg[1],
			    arg[2]));
}

static void boundary(Emit *e, const Stmt *s)
{
	int lanes = ec_args_lanes(e, s);
	const char *x = ec_var(e, s->args[0], s->from, lanes), *fn;
	bool half = s->dtype == DT_F16 || s->dtype == DT_BF16;

	if (s->from == s->dtype || s->kind == ST_KEEP) {
		/* 16-bit floats live in registers as f32 */
		define(e, s, lanes, x);
		return;
	}
	if (half && s->from == DT_F32)
		fn = ec_fn(e, "round", s->dtype, lanes);
	else if (half && s->from == DT_F64)
		fn = ec_fn(e,
			   arena_printf(e->arena, "round_%s",
					dtype_info[s->dtype].name),
			   DT_F64, lanes);
	else
		fn = ec_fn(e,
			   arena_printf(e->arena, "cast_%s",
					dtype_info[s->from].name),
			   s->dtype, lanes);
	define(e, s, lanes, arena_printf(e->arena, "%s(%s)", fn, x));
}

/* ---- indices --------------------------------------------------------- */

/*
 * Declares s->var with each lane computed by itself: `value` in memory form
 * of dtype d, over the lane axis.
 */
static void by_lanes(Emit *e, const Stmt *s, const char *line)
{
	int64_t lane = e->k->naxes;

	ec_line(e, "%s l%u[%d];\n", ec_memory_type(s->dtype), s->var, e->lanes);
	ec_line(e,
		"for (int64_t i%" PRId64 " = 0; i%" PRId64 " < %d; i%" PRId64
		"++)\n",
		lane, lane, e->lanes, lane);
	e->depth++;
	ec_line(e, "%s;\n", line);
	e->depth--;
	define(e, s, e->lanes,
	       arena_printf(e->arena, "%s(l%u)",
			    ec_fn(e, "load", s->dtype, e->lanes), s->var));
}

static void index_value(Emit *e, const Stmt *s)
{
	EWalk w = ec_walk(e, ec_simplify(e, s, s->ex));
	const char *text = ec_ex_raw(e, w.base);
	bool next = w.kind == WALK_STEP && ex_equals(e->t, w.step, 1);
	int lanes = next ? e->lanes : 0;

	if (w.kind == WALK_NONE || next) {
		define(e, s, lanes,
		       arena_printf(e->arena, "%s(%s)",
				    ec_fn(e, "iota", s->dtype, lanes), text));
		return;
	}
	int64_t step = 0;
	if (w.kind == WALK_STEP && ex_is_const(e->t, w.step, &step)) {
		const char *i64 =
			arena_printf(e->arena, "%s(0) * %" PRId64 " + %s(%s)",
				     ec_fn(e, "iota", DT_I64, e->lanes), step,
				     ec_fn(e, "splat", DT_I64, e->lanes), text);
		if (s->dtype != DT_I64)
			i64 = arena_printf(
				e->arena, "%s(%s)",
				ec_fn(e, "cast_i64", s->dtype, e->lanes), i64);
		define(e, s, e->lanes, i64);
		return;
	}
	Ex lane = ex_axis(e->t, e->k->naxes);
	if (w.kind == WALK_STEP)
		w.base = ex_add(e->t, w.base, ex_mul(e->t, w.step, lane));
	by_lanes(e, s,
		 arena_printf(e->arena, "%s(l%u + i%" PRId64 ", %s(%s))",
			      ec_fn(e, "store", s->dtype, 0), s->var,
			      e->k->naxes, ec_fn(e, "iota", s->dtype, 0),
			      ec_ex_raw(e, w.base)));
}

/*
 * base + step*lane >= 0 for every lane at once, as base >= -step*lane on
 * i32: a base beyond every -step*lane is clamped to the bound of these.
 * NULL if the step is no small constant.
 */
static const char *cond_lanes(Emit *e, Ex cond)
{
	EWalk w = ec_walk(e, cond);
	int lanes = e->lanes;
	int64_t step = 0;

	if (w.kind == WALK_NONE)
		return arena_printf(e->arena, "%s(%s >= 0)",
				    ec_fn(e, "splat", DT_BOOL, lanes),
				    ec_ex_raw(e, w.base));
	if (w.kind == WALK_LANES || !ex_is_const(e->t, w.step, &step) ||
	    step > 65536 || step < -65536)
		return NULL;
	int64_t most = (step < 0 ? -step : step) * lanes;
	Ex base = ex_max(e->t, ex_const(e->t, -most),
			 ex_min(e->t, w.base, ex_const(e->t, most)));
	const char *by_lane = arena_printf(e->arena, "%s(0)",
					   ec_fn(e, "iota", DT_I32, lanes));
	if (step != -1)
		by_lane =
			arena_printf(e->arena, "%s * %" PRId64, by_lane, -step);
	return arena_printf(e->arena, "%s(%s((int32_t)%s), %s)",
			    ec_fn(e, "ge", DT_I32, lanes),
			    ec_fn(e, "splat", DT_I32, lanes),
			    ec_ex_raw(e, base), by_lane);
}

static void test(Emit *e, const Stmt *s)
{
	const char *all = NULL;
	bool varies = false;

	for (uint32_t i = 0; e->lanes && i < s->nconds; i++)
		varies |= ex_uses_axis(e->t, s->conds[i], e->vaxis);
	if (!varies) {
		define(e, s, 0, ec_conds(e, s->conds, s->nconds));
		return;
	}
	for (uint32_t i = 0; i < s->nconds; i++) {
		const char *one = cond_lanes(e, s->conds[i]);
		if (!one) {
			all = NULL;
			break;
		}
		all = i == 0 ? one
			     : arena_printf(e->arena, "%s(%s, %s)",
					    ec_fn(e, "and", DT_BOOL, e->lanes),
					    all, one);
	}
	if (all) {
		define(e, s, e->lanes, all);
		return;
	}
	Ex at = e->subst[e->vaxis];
	e->subst[e->vaxis] = ex_add(e->t, at, ex_axis(e->t, e->k->naxes));
	const char *conds = ec_conds(e, s->conds, s->nconds);
	e->subst[e->vaxis] = at;
	by_lanes(e, s,
		 arena_printf(e->arena, "l%u[i%" PRId64 "] = %s", s->var,
			      e->k->naxes, conds));
}

/*
 * With an extent of 0 the index faults and is 0, and what follows still
 * runs: its range is as the verifier has it, max(extent, 1).
 */
static void bound(Emit *e, const Stmt *s)
{
	Ex range = ex_max(e->t, s->extent, ex_const(e->t, 1));

	ec_line(e,
		"const int64_t i%" PRId64 " = %s((int64_t)v%u, %s, %s, %uu);\n",
		s->axis, ec_need(e, "tn_index"), s->args[0],
		ec_ex(e, s->extent), ec_status(e, s), s->value);
	ec_line(e, "(void)i%" PRId64 ";\n", s->axis);
	VEC_PUSH(e->arena, e->facts.ranges, ((ExRange){s->axis, range}));
}

/* ---- statements ------------------------------------------------------ */

/* The program's value that the statement computes, once a group. */
void ec_comment(Emit *e, const Stmt *s)
{
	if (s->value == NO_VALUE || s->value == e->commented || e->quiet)
		return;
	e->commented = s->value;
	const Value *v = program_value(e->ks->program, s->value);
	ec_line(e, "/* %%%u%s%s = %s", s->value, v->name ? " " : "",
		v->name ? v->name : "", op_info[v->op].name);
	if (v->loc.line)
		buf_printf(e->out, ": line %u", v->loc.line);
	buf_puts(e->out, " */\n");
}

void ec_stmt(Emit *e, const Stmt *s)
{
	bool live =
		s->var == NO_VAR || e->vars[s->var].live || kstmt_may_fault(s);

	if (!live)
		return;
	ec_comment(e, s);
	switch (s->kind) {
	case ST_LOAD:
		ec_load(e, s);
		break;
	case ST_STORE:
		ec_store(e, s);
		break;
	case ST_AHEAD:
		ec_ahead(e, s);
		break;
	case ST_OP:
		operation(e, s);
		break;
	case ST_MAC:
		multiply_add(e, s);
		break;
	case ST_WORD:
		ec_word(e, s);
		break;
	case ST_PART:
		ec_part(e, s);
		break;
	case ST_DOT:
		ec_dot(e, s);
		break;
	case ST_CONST:
		constant(e, s);
		break;
	case ST_INDEX:
		index_value(e, s);
		break;
	case ST_TEST:
		test(e, s);
		break;
	case ST_ROUND:
	case ST_KEEP:
		boundary(e, s);
		break;
	case ST_ACC:
		accumulator(e, s);
		break;
	case ST_ACCUM:
		accumulate(e, s);
		break;
	case ST_ARG:
		argument(e, s);
		break;
	case ST_BOUND:
		bound(e, s);
		break;
	case ST_FOR:
	case ST_IF:
	case ST_COPY:
	case ST_BARRIER:
	case ST_BOX:
	case ST_WAIT:
	case ST_SETTLE:
	case ST_FREE:
	case ST_RUNS:
	case ST_COUNT:
		bug("statement kind %d", (int)s->kind);
	}
}
