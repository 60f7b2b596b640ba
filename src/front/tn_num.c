/*
 * tn_num: numbers of the text, exact until rounded.
 *
 * A decimal such as 1.0048828125 means exactly that; rounding it to f16
 * through f64 or f32 can round twice. So the quotient of two integers,
 * digits * 10^max(e,0) and 10^max(-e,0), is developed to 64 bits and a
 * sticky bit by binary long division, and then rounded once to the
 * significand that the dtype has at that magnitude. No locale, no libm.
 *
 * Source of the rounding rule: IEEE 754-2019, 4.3.1 and 5.12.2.
 */
#include "front/tn_num.h"

#include <string.h>

/* ---- natural numbers ------------------------------------------------- */

typedef struct Big {
	uint32_t *w; /* least significant first, no leading zeros */
	size_t n, cap;
} Big;

/* Words needed for digits and powers of ten that literal_round admits. */
static size_t big_words(size_t digits, uint64_t power)
{
	return (digits + (size_t)power) / 9 + 8;
}

static Big big_make(Arena *a, size_t words, uint32_t v)
{
	Big b = {.w = arena_array(a, uint32_t, words), .cap = words};
	if (v)
		b.w[b.n++] = v;
	return b;
}

static void big_mul_add(Big *b, uint32_t m, uint32_t add)
{
	uint64_t carry = add;
	for (size_t i = 0; i < b->n; i++) {
		carry += (uint64_t)b->w[i] * m;
		b->w[i] = (uint32_t)carry;
		carry >>= 32;
	}
	if (carry) {
		bug_if(b->n == b->cap);
		b->w[b->n++] = (uint32_t)carry;
	}
}

static void big_mul_power10(Big *b, uint64_t power)
{
	for (; power >= 9; power -= 9)
		big_mul_add(b, 1000000000u, 0);
	for (; power; power--)
		big_mul_add(b, 10, 0);
}

static int64_t big_bits(const Big *b)
{
	if (!b->n)
		return 0;
	return (int64_t)b->n * 32 - __builtin_clz(b->w[b->n - 1]);
}

static void big_shift_left(Big *b, uint64_t by)
{
	size_t words = (size_t)(by / 32);
	unsigned bits = (unsigned)(by % 32);
	if (!b->n || !by)
		return;
	bug_if(b->n + words + 1 > b->cap);
	memmove(b->w + words, b->w, b->n * sizeof(uint32_t));
	memset(b->w, 0, words * sizeof(uint32_t));
	b->n += words;
	uint32_t carry = 0;
	for (size_t i = words; bits && i < b->n; i++) {
		uint32_t v = b->w[i];
		b->w[i] = (v << bits) | carry;
		carry = v >> (32 - bits);
	}
	if (carry)
		b->w[b->n++] = carry;
}

static int big_compare(const Big *a, const Big *b)
{
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	for (size_t i = a->n; i-- > 0;)
		if (a->w[i] != b->w[i])
			return a->w[i] < b->w[i] ? -1 : 1;
	return 0;
}

/* a -= b, for a >= b */
static void big_subtract(Big *a, const Big *b)
{
	uint64_t borrow = 0;
	for (size_t i = 0; i < a->n; i++) {
		uint64_t take = borrow + (i < b->n ? b->w[i] : 0);
		borrow = a->w[i] < take;
		a->w[i] = (uint32_t)(a->w[i] - take);
	}
	while (a->n && !a->w[a->n - 1])
		a->n--;
}

/* ---- reading --------------------------------------------------------- */

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

/* Digits of a base up to 16 with single underscores between; NULL if bad. */
static const char *digits_skip(const char *s, int base, Buf *b)
{
	bool last = false;
	for (;; s++) {
		if (digit_value(*s) < base) {
			buf_putc(b, *s);
			last = true;
		} else if (*s == '_' && last && digit_value(s[1]) < base) {
			last = false;
		} else {
			return s;
		}
	}
}

static void set_magnitude(Number *n, int base)
{
	for (const char *d = n->digits; *d; d++) {
		uint64_t add = (uint64_t)digit_value(*d);
		if (n->magnitude > (UINT64_MAX - add) / (uint64_t)base)
			n->big = true;
		else
			n->magnitude = n->magnitude * (uint64_t)base + add;
	}
}

static const char *parse_based(Arena *a, const char *text, int base,
			       Number *out)
{
	Buf b;
	buf_init(&b, a);
	const char *end = digits_skip(text + 2, base, &b);
	if (!b.n || *end)
		return "a number in base 16 or 2 is 0x1F or 0b101";
	out->digits = buf_str(&b);
	set_magnitude(out, base);
	if (out->big)
		return "a number in base 16 or 2 has at most 64 bits";
	out->digits =
		arena_printf(a, "%llu", (unsigned long long)out->magnitude);
	return NULL;
}

static const char *parse_exponent(const char *s, Number *out)
{
	bool negative = *s == '-';
	if (*s == '-' || *s == '+')
		s++;
	if (digit_value(*s) > 9)
		return "digits must follow the exponent's e";
	int64_t e = 0;
	for (; digit_value(*s) < 10; s++)
		if (e < 1000000)
			e = e * 10 + digit_value(*s);
	if (*s)
		return "a number is written 12, 1.5, .5, 1e-5 or 0x1F";
	out->exponent += negative ? -e : e;
	return NULL;
}

const char *literal_parse(Arena *a, const char *text, Number *out)
{
	*out = (Number){.kind = NUMBER_INT, .text = text};
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return parse_based(a, text, 16, out);
	if (text[0] == '0' && (text[1] == 'b' || text[1] == 'B'))
		return parse_based(a, text, 2, out);
	Buf b;
	buf_init(&b, a);
	const char *s = digits_skip(text, 10, &b);
	const char *why = NULL;
	if (*s == '.') {
		size_t whole = b.n;
		out->kind = NUMBER_FLOAT;
		s = digits_skip(s + 1, 10, &b);
		out->exponent = -(int64_t)(b.n - whole);
	}
	if (*s == 'e' || *s == 'E') {
		out->kind = NUMBER_FLOAT;
		why = parse_exponent(s + 1, out);
	} else if (*s || !b.n) {
		why = "a number is written 12, 1.5, .5, 1e-5 or 0x1F";
	}
	if (why)
		return why;
	out->digits = buf_str(&b);
	if (out->kind == NUMBER_INT)
		set_magnitude(out, 10);
	return NULL;
}

Number literal_int(Arena *a, int64_t v)
{
	Number n = {.kind = NUMBER_INT, .negative = v < 0};
	n.magnitude = v < 0 ? -(uint64_t)v : (uint64_t)v;
	n.digits = arena_printf(a, "%llu", (unsigned long long)n.magnitude);
	n.text = n.digits;
	return n;
}

bool literal_to_int64(const Number *n, int64_t *v)
{
	uint64_t limit = (uint64_t)INT64_MAX + (n->negative ? 1 : 0);
	if (n->kind != NUMBER_INT || n->big || n->magnitude > limit)
		return false;
	*v = (int64_t)(n->negative ? -n->magnitude : n->magnitude);
	return true;
}

/* ---- rounding -------------------------------------------------------- */

typedef struct Format {
	int precision;    /* significand bits, the hidden one included */
	int min_exponent; /* of the smallest normal number */
	int bits;
} Format;

static Format format_of(DType d)
{
	int bytes = dtype_info[d].bytes;
	int precision = dtype_info[d].precision;
	int exponent_bits = bytes * 8 - precision;
	return (Format){.precision = precision,
			.min_exponent = 2 - (1 << (exponent_bits - 1)),
			.bits = bytes * 8};
}

static uint64_t format_infinity(Format f)
{
	uint64_t ones = (UINT64_C(1) << (f.bits - f.precision)) - 1;
	return ones << (f.precision - 1);
}

/*
 * Bits of q * 2^e (q's top bit set; sticky: the exact value is a little
 * larger), rounded to nearest, ties to even. Reaches the infinity's bits
 * where the format ends.
 */
static uint64_t round_bits(Format f, uint64_t q, int64_t e, bool sticky)
{
	int64_t lead = e + 63;
	int64_t quantum = lead < f.min_exponent
				  ? f.min_exponent - f.precision + 1
				  : lead - f.precision + 1;
	int64_t drop = quantum - e; /* low bits of q below the quantum */
	uint64_t kept = drop < 64 ? q >> drop : 0;
	bool half = drop <= 64 && ((q >> (drop - 1)) & 1);
	uint64_t below = drop > 64 ? q : q & ((UINT64_C(1) << (drop - 1)) - 1);
	if (half && (below || sticky || (kept & 1)))
		kept++;
	if (lead < f.min_exponent)
		return kept; /* subnormal, or just the smallest normal */
	int64_t biased = lead - f.min_exponent + 1;
	int64_t limit = (INT64_C(1) << (f.bits - f.precision)) - 1;
	if (biased >= limit)
		return format_infinity(f);
	/* a carry out of the significand moves the exponent on by itself */
	return ((uint64_t)biased << (f.precision - 1)) +
	       (kept - (UINT64_C(1) << (f.precision - 1)));
}

static uint64_t decimal_bits(Arena *a, const Number *n, Format f)
{
	const char *d = n->digits;
	while (*d == '0')
		d++;
	size_t count = strlen(d);
	if (!count)
		return 0;
	/* the value lies in [10^(point-1), 10^point) */
	int64_t point = (int64_t)count + n->exponent;
	if (point > 400)
		return format_infinity(f);
	if (point < -400)
		return 0;
	uint64_t up = n->exponent > 0 ? (uint64_t)n->exponent : 0;
	uint64_t down = n->exponent < 0 ? (uint64_t)-n->exponent : 0;
	size_t words = 2 * big_words(count, up + down);
	Big num = big_make(a, words, 0), den = big_make(a, words, 1);
	for (; *d; d++) {
		if (num.n)
			big_mul_add(&num, 10, (uint32_t)(*d - '0'));
		else
			num.w[num.n++] = (uint32_t)(*d - '0');
	}
	big_mul_power10(&num, up);
	big_mul_power10(&den, down);
	int64_t e = big_bits(&num) - big_bits(&den);
	if (e > 0)
		big_shift_left(&den, (uint64_t)e);
	else
		big_shift_left(&num, (uint64_t)-e);
	if (big_compare(&num, &den) < 0) {
		big_shift_left(&num, 1);
		e--;
	}
	uint64_t q = 0;
	for (int i = 0; i < 64; i++) {
		bool one = big_compare(&num, &den) >= 0;
		if (one)
			big_subtract(&num, &den);
		q = (q << 1) | one;
		big_shift_left(&num, 1);
	}
	return round_bits(f, q, e - 63, num.n != 0);
}

static NumberFit round_float(Arena *a, const Number *n, DType d, void *out)
{
	Format f = format_of(d);
	uint64_t inf = format_infinity(f), bits = 0;
	if (n->kind == NUMBER_INF)
		bits = inf;
	else if (n->kind == NUMBER_NAN)
		bits = inf | (UINT64_C(1) << (f.precision - 2));
	else
		bits = decimal_bits(a, n, f);
	if (bits == inf && n->kind != NUMBER_INF)
		return NUMBER_OVERFLOWS;
	bool int_zero = n->kind == NUMBER_INT && !n->big && !n->magnitude;
	if (n->negative && !int_zero)
		bits |= UINT64_C(1) << (f.bits - 1);
	if (f.bits == 64) {
		memcpy(out, &bits, 8);
	} else if (f.bits == 32) {
		uint32_t b32 = (uint32_t)bits;
		memcpy(out, &b32, 4);
	} else {
		uint16_t b16 = (uint16_t)bits;
		memcpy(out, &b16, 2);
	}
	return NUMBER_OK;
}

static NumberFit round_integer(const Number *n, DType d, void *out)
{
	if (n->kind != NUMBER_INT)
		return NUMBER_NOT_INTEGER;
	int bits = dtype_info[d].precision;
	uint64_t most = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
	if (n->negative)
		most = dtype_info[d].cls == DTC_I ? most + 1 : 0;
	if (n->big || n->magnitude > most)
		return NUMBER_OVERFLOWS;
	uint64_t v = n->negative ? -n->magnitude : n->magnitude;
	uint32_t v32 = (uint32_t)v;
	uint16_t v16 = (uint16_t)v;
	uint8_t v8 = (uint8_t)v;
	int bytes = dtype_info[d].bytes;
	if (bytes == 8)
		memcpy(out, &v, 8);
	else if (bytes == 4)
		memcpy(out, &v32, 4);
	else if (bytes == 2)
		memcpy(out, &v16, 2);
	else
		memcpy(out, &v8, 1);
	return NUMBER_OK;
}

NumberFit literal_round(Arena *scratch, const Number *n, DType d, void *out)
{
	return dtype_is_float(d) ? round_float(scratch, n, d, out)
				 : round_integer(n, d, out);
}
