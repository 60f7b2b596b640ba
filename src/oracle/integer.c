/*
 * integer: the ops on integers and bool.
 *
 * Integers wrap modulo 2^width; int64 holds all of them, u64 as its bits.
 * Points are exact. Intervals of integers arise only behind something
 * undecided: + - * and the monotone ops take corners while these fit the
 * dtype, all else is the whole range.
 */
#include "oracle/eval.h"

__extension__ typedef __int128 Wide;

static bool is_signed(DType d)
{
	return dtype_info[d].cls == DTC_I;
}

static Wide widen(DType d, Num x)
{
	return d == DT_U64 ? (Wide)(uint64_t)x.i : (Wide)x.i;
}

static int64_t floor_quotient(DType d, int64_t a, int64_t b)
{
	if (!is_signed(d))
		return (int64_t)((uint64_t)a / (uint64_t)b);
	if (b == -1) /* the most negative wraps to itself */
		return int_wrap(d, (int64_t)(0 - (uint64_t)a));
	int64_t q = a / b;
	return q - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t floor_remainder(DType d, int64_t a, int64_t b)
{
	if (!is_signed(d))
		return (int64_t)((uint64_t)a % (uint64_t)b);
	if (b == -1)
		return 0;
	int64_t r = a % b;
	return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

static int64_t power(int64_t a, uint64_t n)
{
	uint64_t r = 1, x = (uint64_t)a;
	for (; n; n >>= 1, x *= x)
		if (n & 1)
			r *= x;
	return (int64_t)r;
}

bool point_int(Op op, DType d, const Num in[3], Num *out)
{
	int64_t a = in[0].i, b = in[1].i, r = 0;
	uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
	int width = 8 * dtype_info[d].bytes;
	/* A count read as unsigned: negative ones are huge. */
	bool far = ub >= (uint64_t)width;
	bool less = widen(d, in[0]) < widen(d, in[1]);
	switch ((int)op) {
	case OP_NEG:
		r = (int64_t)(0 - ua);
		break;
	case OP_ABS:
		r = is_signed(d) && a < 0 ? (int64_t)(0 - ua) : a;
		break;
	case OP_SIGN:
		r = is_signed(d) && a < 0 ? -1 : a != 0;
		break;
	case OP_NOT:
		r = !a;
		break;
	case OP_BITNOT:
		r = ~a;
		break;
	case OP_ADD:
		r = (int64_t)(ua + ub);
		break;
	case OP_SUB:
		r = (int64_t)(ua - ub);
		break;
	case OP_MUL:
		r = (int64_t)(ua * ub);
		break;
	case OP_FLOORDIV:
		if (b == 0)
			return false;
		r = floor_quotient(d, a, b);
		break;
	case OP_MOD:
		if (b == 0)
			return false;
		r = floor_remainder(d, a, b);
		break;
	case OP_POW:
		if (is_signed(d) && b < 0)
			return false;
		r = power(a, ub);
		break;
	case OP_MAXIMUM:
		r = less ? b : a;
		break;
	case OP_MINIMUM:
		r = less ? a : b;
		break;
	case OP_AND:
	case OP_BITAND:
		r = a & b;
		break;
	case OP_OR:
	case OP_BITOR:
		r = a | b;
		break;
	case OP_BITXOR:
		r = a ^ b;
		break;
	case OP_SHL:
		r = far ? 0 : (int64_t)(ua << b);
		break;
	case OP_SHR:
		if (is_signed(d))
			r = a >> (far ? 63 : b);
		else
			r = far ? 0 : (int64_t)(ua >> b);
		break;
	default:
		bug("%s is no op on integers", op_info[op].name);
	}
	out->i = int_wrap(d, r);
	return true;
}

static Ival fit(DType d, Wide lo, Wide hi)
{
	Num top = {.i = int_max(d)};
	Ival r = ival_full(d);
	if (lo >= int_min(d) && hi <= widen(d, top)) {
		r.lo.i = (int64_t)lo;
		r.hi.i = (int64_t)hi;
	}
	return r;
}

Ival ival_int(Op op, DType d, const Ival x[3])
{
	int arity = op_info[op].arity;
	bool points = true;
	for (int k = 0; k < arity; k++)
		points &= x[k].lo.i == x[k].hi.i;
	Num lo[3] = {x[0].lo, x[1].lo, x[2].lo};
	Ival r = {.flags = 0};
	if (points) {
		if (!point_int(op, d, lo, &r.lo))
			return ival_full(d); /* ref has told the fault */
		r.hi = r.lo;
		return r;
	}
	Wide al = widen(d, x[0].lo), ah = widen(d, x[0].hi), bl = 0, bh = 0;
	if (arity > 1) {
		bl = widen(d, x[1].lo);
		bh = widen(d, x[1].hi);
	}
	Wide c[4] = {al, ah, 0, 0}, least_c, most;
	switch ((int)op) {
	case OP_NEG:
		return fit(d, -ah, -al);
	case OP_ABS:
		if (al >= 0)
			return fit(d, al, ah);
		return fit(d, ah <= 0 ? -ah : 0, ah > -al ? ah : -al);
	case OP_SIGN:
		return fit(d, (al > 0) - (al < 0), (ah > 0) - (ah < 0));
	case OP_NOT:
		return fit(d, !ah, !al);
	case OP_BITNOT:
		if (is_signed(d))
			return fit(d, -1 - ah, -1 - al);
		return ival_full(d);
	case OP_ADD:
		return fit(d, al + bl, ah + bh);
	case OP_SUB:
		return fit(d, al - bh, ah - bl);
	case OP_MUL:
		c[0] = al * bl;
		c[1] = al * bh;
		c[2] = ah * bl;
		c[3] = ah * bh;
		least_c = most = c[0];
		for (int k = 1; k < 4; k++) {
			least_c = c[k] < least_c ? c[k] : least_c;
			most = c[k] > most ? c[k] : most;
		}
		return fit(d, least_c, most);
	case OP_MAXIMUM:
		return fit(d, al > bl ? al : bl, ah > bh ? ah : bh);
	case OP_MINIMUM:
		return fit(d, al < bl ? al : bl, ah < bh ? ah : bh);
	case OP_AND:
		return fit(d, al & bl, ah & bh);
	case OP_OR:
		return fit(d, al | bl, ah | bh);
	}
	return ival_full(d);
}
