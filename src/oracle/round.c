/*
 * round: rounding to a dtype, to nearest with ties to even, subnormals kept.
 *
 * Every rounding is done once, from a double or from an unevaluated sum of
 * two doubles. 16-bit formats never pass through f32 on the way. Doubles
 * are rounded to p bits on their bit pattern: adding just under half of the
 * kept unit, plus the kept bit, carries exactly when nearest-even does;
 * below the smallest normal the quantum is fixed and adding and subtracting
 * 1.5 * 2^52 quanta rounds to it. Source: IEEE 754-2019 §4.3.1; Muller et
 * al., Handbook of Floating-Point Arithmetic, 2nd ed., §§2.6, 4.3.
 */
#include "oracle/eval.h"

#include <limits.h>

const Fmt fmt_info[DT_COUNT] = {
	[DT_F64] = {53, -1022, 1023, 0x1.fffffffffffffp1023, INFINITY},
	[DT_F32] = {24, -126, 127, 0x1.fffffep127, 0x1.ffffffp127},
	[DT_F16] = {11, -14, 15, 0x1.ffcp15, 0x1.ffep15},
	[DT_BF16] = {8, -126, 127, 0x1.fep127, 0x1.ffp127},
};

static double exp2i(int e) /* 2^e, e in the range of double's normals */
{
	Num u = {.i = (int64_t)(e + 1023) << 52};
	return u.f;
}

static double round_short(const Fmt *f, double x)
{
	double a = fabs(x);
	if (isnan(x))
		return x;
	if (a >= f->overflow)
		return copysign(INFINITY, x);
	if (a < exp2i(f->emin)) {
		double c = 1.5 * exp2i(f->emin - f->p + 1 + 52);
		return copysign((x + c) - c, x);
	}
	int drop = 53 - f->p;
	Num u = {.f = x};
	uint64_t b = (uint64_t)u.i;
	b += ((uint64_t)1 << (drop - 1)) - 1 + ((b >> drop) & 1);
	b &= ~(((uint64_t)1 << drop) - 1);
	u.i = (int64_t)b;
	return u.f;
}

double fmt_round(DType d, double x)
{
	if (d == DT_F64)
		return x;
	if (d == DT_F32)
		return (double)(float)x;
	return round_short(&fmt_info[d], x);
}

/*
 * Rounding to odd first: where lo is nonzero and hi has an even last bit,
 * the neighbour on lo's side stands for all values strictly between, so
 * that no tie and no midpoint is seen that is not there (53 >= p + 2).
 */
double fmt_round2(DType d, double hi, double lo)
{
	if (lo == 0 || !isfinite(hi)) /* -0 + 0 would be +0 */
		return fmt_round(d, hi);
	if (d == DT_F64 || isnan(lo))
		return fmt_round(d, hi + lo);
	double s, e;
	two_sum(hi, lo, &s, &e);
	Num u = {.f = s};
	if (e != 0 && !(u.i & 1)) {
		bool away = (e > 0) == (s > 0);
		u.i += away ? 1 : -1;
	}
	return fmt_round(d, u.f);
}

double fmt_ulp(DType d, double x)
{
	const Fmt *f = &fmt_info[d];
	double a = fabs(x);
	if (isnan(a))
		return NAN;
	if (a > f->max)
		a = f->max;
	int e = f->emin;
	if (a >= exp2i(f->emin))
		e = ilogb(a);
	return ldexp(1, e - f->p + 1);
}

double fmt_next(DType d, double x)
{
	if (isnan(x) || x == INFINITY)
		return x;
	if (x == -INFINITY)
		return -fmt_info[d].max;
	if (x == 0)
		return fmt_ulp(d, 0);
	/* Below a power of two the step is that of the lower binade. */
	double u = fmt_ulp(d, x);
	double r = x + u;
	if (x < 0 && x == -pow2_floor(-x) && -x > exp2i(fmt_info[d].emin))
		r = x + u / 2;
	if (r > fmt_info[d].max)
		return INFINITY;
	return r == 0 ? -0.0 : r;
}

double fmt_prev(DType d, double x)
{
	return -fmt_next(d, -x);
}

double fmt_up(DType d, double x)
{
	double r = fmt_round(d, x);
	return r < x ? fmt_next(d, r) : r;
}

double fmt_down(DType d, double x)
{
	double r = fmt_round(d, x);
	return r > x ? fmt_prev(d, r) : r;
}

double fmt_from_int(DType d, int64_t x, bool is_unsigned)
{
	if (is_unsigned && x < 0) {
		uint64_t u = (uint64_t)x;
		double hi = (double)(u >> 32) * 0x1p32;
		return fmt_round2(d, hi, (double)(u & 0xffffffff));
	}
	int64_t low = x & 0xffffffff;
	return fmt_round2(d, (double)(x - low), (double)low);
}

int64_t int_min(DType d)
{
	if (dtype_info[d].cls != DTC_I)
		return 0;
	return dtype_info[d].bytes == 8
		       ? INT64_MIN
		       : -((int64_t)1 << (8 * dtype_info[d].bytes - 1));
}

int64_t int_max(DType d)
{
	int bits = dtype_info[d].precision;
	return bits == 64 ? -1 : (int64_t)(((uint64_t)1 << bits) - 1);
}

int64_t int_wrap(DType d, int64_t x)
{
	int bits = 8 * dtype_info[d].bytes;
	if (dtype_info[d].cls == DTC_B)
		return x & 1;
	if (bits == 64)
		return x;
	uint64_t u = (uint64_t)x << (64 - bits);
	if (dtype_info[d].cls == DTC_I)
		return (int64_t)u >> (64 - bits);
	return (int64_t)(u >> (64 - bits));
}

int lsb_exponent(double x)
{
	if (x == 0)
		return INT_MAX / 2;
	Num u = {.f = x};
	uint64_t m = (uint64_t)u.i & (((uint64_t)1 << 52) - 1);
	int e = (int)((uint64_t)u.i >> 52 & 0x7ff);
	if (e == 0)
		e = 1;
	else
		m |= (uint64_t)1 << 52;
	return e - 1075 + __builtin_ctzll(m);
}

/* ---- elements in memory ---------------------------------------------- */

static double decode16(DType d, uint16_t h)
{
	const Fmt *f = &fmt_info[d];
	int frac_bits = f->p - 1;
	int exp_max = 2 * f->emax + 1;
	int e = h >> frac_bits & exp_max;
	int m = h & ((1 << frac_bits) - 1);
	double v;
	if (e == exp_max)
		v = m ? NAN : INFINITY;
	else if (e == 0)
		v = m * exp2i(f->emin - frac_bits);
	else
		v = (m + (1 << frac_bits)) * exp2i(e - f->emax - frac_bits);
	return h & 0x8000 ? -v : v;
}

static uint16_t encode16(DType d, double x)
{
	const Fmt *f = &fmt_info[d];
	int frac_bits = f->p - 1;
	int exp_max = 2 * f->emax + 1;
	unsigned sign = signbit(x) ? 0x8000 : 0;
	double a = fabs(x);
	if (isnan(x)) /* the quiet NaN; its sign is kept */
		return (uint16_t)(sign | (unsigned)exp_max << frac_bits |
				  1u << (frac_bits - 1));
	if (isinf(x))
		return (uint16_t)(sign | (unsigned)exp_max << frac_bits);
	if (a < exp2i(f->emin))
		return (uint16_t)(sign |
				  (unsigned)(a * exp2i(frac_bits - f->emin)));
	int e = ilogb(a);
	unsigned m = (unsigned)ldexp(a, frac_bits - e);
	/* m's leading bit carries into the exponent. */
	return (uint16_t)(sign |
			  (((unsigned)(e + f->emax - 1) << frac_bits) + m));
}

#define LOAD(T, field, conv)                                                   \
	for (int64_t i = 0; i < n; i++) {                                      \
		T x;                                                           \
		memcpy(&x, src + (size_t)i * sizeof x, sizeof x);              \
		out[i].field = conv;                                           \
	}                                                                      \
	return

void nums_load(DType d, const void *data, int64_t first, int64_t n, Num *out)
{
	const char *src = (const char *)data + first * dtype_info[d].bytes;
	switch (d) {
	case DT_F64:
		LOAD(double, f, x);
	case DT_F32:
		LOAD(float, f, (double)x);
	case DT_F16:
		LOAD(uint16_t, f, decode16(DT_F16, x));
	case DT_BF16:
		LOAD(uint16_t, f, decode16(DT_BF16, x));
	case DT_I64:
	case DT_U64:
		LOAD(int64_t, i, x);
	case DT_I32:
		LOAD(int32_t, i, x);
	case DT_I16:
		LOAD(int16_t, i, x);
	case DT_I8:
		LOAD(int8_t, i, x);
	case DT_U32:
		LOAD(uint32_t, i, x);
	case DT_U16:
		LOAD(uint16_t, i, x);
	case DT_U8:
		LOAD(uint8_t, i, x);
	case DT_BOOL:
		LOAD(uint8_t, i, x != 0);
	case DT_COUNT:
		break;
	}
	bug("dtype");
}

#define STORE(T, expr)                                                         \
	for (int64_t i = 0; i < n; i++) {                                      \
		T x = (T)(expr);                                               \
		memcpy(dst + (size_t)i * sizeof x, &x, sizeof x);              \
	}                                                                      \
	return

void nums_store(DType d, void *data, int64_t first, int64_t n, const Num *in)
{
	char *dst = (char *)data + first * dtype_info[d].bytes;
	switch (d) {
	case DT_F64:
		STORE(double, in[i].f);
	case DT_F32:
		STORE(float, in[i].f);
	case DT_F16:
		STORE(uint16_t, encode16(DT_F16, in[i].f));
	case DT_BF16:
		STORE(uint16_t, encode16(DT_BF16, in[i].f));
	case DT_I64:
	case DT_U64:
		STORE(int64_t, in[i].i);
	case DT_I32:
	case DT_U32:
		STORE(uint32_t, in[i].i);
	case DT_I16:
	case DT_U16:
		STORE(uint16_t, in[i].i);
	case DT_I8:
	case DT_U8:
	case DT_BOOL:
		STORE(uint8_t, in[i].i);
	case DT_COUNT:
		break;
	}
	bug("dtype");
}
