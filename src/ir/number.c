/*
 * number: elements of tensors as text, bit for bit, whatever the locale.
 *
 * Floats of every dtype are taken apart by the widths that the dtype table
 * gives: a value is m * 2^e with an integer m.
 */
#include "ir/internal.h"

#include <string.h>

typedef struct FloatForm {
	int width, fraction; /* bits */
	int bias;
	uint64_t sign, top; /* sign bit; exponent field of inf and NaN */
} FloatForm;

static FloatForm float_form(DType d)
{
	FloatForm f;
	f.width = 8 * dtype_info[d].bytes;
	f.fraction = dtype_info[d].precision - 1;
	int exponent = f.width - 1 - f.fraction;
	f.bias = (1 << (exponent - 1)) - 1;
	f.sign = (uint64_t)1 << (f.width - 1);
	f.top = ((uint64_t)1 << exponent) - 1;
	return f;
}

static uint64_t load(DType d, const void *p)
{
	uint8_t b;
	uint16_t h;
	uint32_t w;
	uint64_t q;
	switch (dtype_info[d].bytes) {
	case 1:
		memcpy(&b, p, 1);
		return b;
	case 2:
		memcpy(&h, p, 2);
		return h;
	case 4:
		memcpy(&w, p, 4);
		return w;
	default:
		memcpy(&q, p, 8);
		return q;
	}
}

static void store(DType d, void *p, uint64_t bits)
{
	uint8_t b = (uint8_t)bits;
	uint16_t h = (uint16_t)bits;
	uint32_t w = (uint32_t)bits;
	switch (dtype_info[d].bytes) {
	case 1:
		memcpy(p, &b, 1);
		return;
	case 2:
		memcpy(p, &h, 2);
		return;
	case 4:
		memcpy(p, &w, 4);
		return;
	default:
		memcpy(p, &bits, 8);
	}
}

static void float_print(Buf *b, DType d, uint64_t bits)
{
	FloatForm f = float_form(d);
	uint64_t m = bits & (((uint64_t)1 << f.fraction) - 1);
	uint64_t field = bits >> f.fraction & f.top;
	if (field == f.top && m) {
		buf_printf(b, "nan:0x%llx", (unsigned long long)bits);
		return;
	}
	if (bits & f.sign)
		buf_putc(b, '-');
	if (field == f.top) {
		buf_puts(b, "inf");
		return;
	}
	if (!field && !m) {
		buf_puts(b, "0x0p+0");
		return;
	}
	int e = (field ? (int)field : 1) - f.bias;
	if (!field) {
		/* subnormal: shift the first one into the hidden place */
		while (!(m >> f.fraction & 1)) {
			m <<= 1;
			e--;
		}
		m &= ((uint64_t)1 << f.fraction) - 1;
	}
	m <<= 52 - f.fraction;
	buf_puts(b, "0x1");
	if (m)
		buf_putc(b, '.');
	for (; m; m = m << 4 & (((uint64_t)1 << 52) - 1))
		buf_putc(b, "0123456789abcdef"[m >> 48]);
	buf_printf(b, "p%+d", e);
}

void number_print(Buf *b, DType d, const void *p)
{
	uint64_t bits = load(d, p);
	int shift = 64 - 8 * dtype_info[d].bytes;
	switch (dtype_info[d].cls) {
	case DTC_F:
		float_print(b, d, bits);
		return;
	case DTC_I:
		buf_printf(b, "%lld",
			   (long long)((int64_t)(bits << shift) >> shift));
		return;
	case DTC_U:
	case DTC_B:
		buf_printf(b, "%llu", (unsigned long long)bits);
		return;
	}
}

/* ---- parsing --------------------------------------------------------- */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

static bool accept(const char **s, const char *word)
{
	size_t n = strlen(word);
	if (strncmp(*s, word, n) != 0)
		return false;
	*s += n;
	return true;
}

/* Digits of a base; false if there are none or they overflow. */
static bool digits(const char **s, unsigned base, uint64_t *v)
{
	const char *from = *s;
	*v = 0;
	for (int h; (h = hex_digit(**s)) >= 0 && (unsigned)h < base; (*s)++)
		if (__builtin_mul_overflow(*v, (uint64_t)base, v) ||
		    __builtin_add_overflow(*v, (uint64_t)h, v))
			return false;
	return *s > from;
}

static const char *integer_parse(const char **s, DType d, uint64_t *bits)
{
	uint64_t v, most = UINT64_MAX;
	bool negative = accept(s, "-");
	if (!digits(s, 10, &v))
		return "expected an integer of at most 64 bits";
	int precision = dtype_info[d].precision;
	if (precision < 64)
		most = ((uint64_t)1 << precision) - 1;
	if (negative && dtype_info[d].cls == DTC_I)
		most++;
	else if (negative)
		return "an unsigned integer has no sign";
	if (v > most)
		return "an integer is out of its dtype's range";
	*bits = negative ? 0 - v : v;
	return NULL;
}

/* The bits of m * 2^e; false if the dtype does not hold it exactly. */
static bool compose(DType d, uint64_t m, int e, uint64_t *bits)
{
	FloatForm f = float_form(d);
	*bits = 0;
	if (!m)
		return true;
	while (!(m & 1)) {
		m >>= 1;
		e++;
	}
	int length = 64 - __builtin_clzll(m);
	int first = e + length - 1; /* exponent of the leading one */
	int least = 1 - f.bias;
	if (length > f.fraction + 1 || first > f.bias || e < least - f.fraction)
		return false;
	if (first < least) {
		*bits = m << (e - (least - f.fraction));
		return true;
	}
	m <<= f.fraction - (length - 1);
	*bits = (uint64_t)(first + f.bias) << f.fraction |
		(m & (((uint64_t)1 << f.fraction) - 1));
	return true;
}

static bool hex_float(const char **s, uint64_t *m, int *e)
{
	bool any = false;
	int places = 0;
	*m = 0;
	for (bool point = false;; (*s)++) {
		int h = hex_digit(**s);
		if (**s == '.' && !point) {
			point = true;
			continue;
		}
		if (h < 0)
			break;
		if (*m >> 60)
			return false;
		any = true;
		*m = *m << 4 | (uint64_t)h;
		places += point;
	}
	uint64_t v;
	if (!any || !accept(s, "p"))
		return false;
	bool negative = accept(s, "-");
	if (!negative)
		accept(s, "+");
	if (!digits(s, 10, &v) || v > 100000)
		return false;
	*e = (negative ? -(int)v : (int)v) - 4 * places;
	return true;
}

static const char *float_parse(const char **s, DType d, uint64_t *bits)
{
	FloatForm f = float_form(d);
	uint64_t m;
	int e = 0;
	if (accept(s, "nan:0x")) {
		uint64_t inf = f.top << f.fraction;
		if (!digits(s, 16, bits) || (*bits & ~f.sign) <= inf ||
		    (f.width < 64 && *bits >> f.width))
			return "these are not the bits of a NaN";
		return NULL;
	}
	bool negative = accept(s, "-");
	if (accept(s, "inf")) {
		*bits = f.top << f.fraction;
	} else {
		if (accept(s, "0x") ? !hex_float(s, &m, &e)
				    : !digits(s, 10, &m))
			return "expected a number such as 0x1.8p+1, inf or "
			       "nan:0x7fc0";
		if (!compose(d, m, e, bits))
			return "a number is none of its dtype's values";
	}
	if (negative)
		*bits |= f.sign;
	return NULL;
}

const char *number_parse(const char **s, DType d, void *out)
{
	uint64_t bits = 0;
	const char *error = dtype_is_float(d) ? float_parse(s, d, &bits)
					      : integer_parse(s, d, &bits);
	if (!error)
		store(d, out, bits);
	return error;
}
