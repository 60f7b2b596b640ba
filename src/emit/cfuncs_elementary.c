/*
 * cfuncs_elementary: exp, log and their kin.
 *
 * f32: vector code without branches, the same operations for any number of
 * lanes, without fused multiply-add, so that the bits depend on nothing but
 * the argument. exp, log and tanh work in f32; the others in f64 lanes, whose
 * one rounding at the end is all their error. Coefficients interpolate at
 * Chebyshev nodes, or are Taylor's where f64 has digits to spare. Reductions
 * follow Muller, "Elementary Functions" (3rd ed., 2016), chapters 4 and 11.
 *
 * f64: the C library's, lane by lane; tanh is our own because the library's
 * may be more than 2 ulp off. 16-bit floats: the f32 result, rounded.
 */
#include "emit/cfuncs_text.h"

#include <stddef.h>

/* clang-format off */
#define ELEMENTARY(op)                                                         \
	{op, "HB", "", "sv", "V:V", "=tn_round_$D_$X(tn_" op "_f32_$X(a))"},   \
	{op, "D", "", "e", "V:V", ""}
#define LIBRARY(op)                                                            \
	ELEMENTARY(op),                                                        \
	{op, "D", "", "s", "V:V", "=__builtin_" op "(a)"}

const CTemplate cfuncs_elementary[] = {
	/*
	 * e^x = 2^k e^r with |r| <= ln 2 / 2 and a polynomial. The power of
	 * two goes in two factors, so that subnormal results round once.
	 */
	{"exp", "S", "", "vnl", "V:V",
	 "\ttn_u32_$X high = (tn_u32_$X)(a > 89.0f);\n"
	 "\ttn_u32_$X low = (tn_u32_$X)(a < -104.0f);\n"
	 "\ttn_u32_$X in = ~(high | low) & (tn_u32_$X)a;\n"
	 "\t$V x = ($V)(in | (high & 0x42b20000) | (low & 0xc2d00000));\n"
	 "\t$V t = x * 0x1.715476p0f + 0x1.8p23f;\n"
	 "\t$V k = t - 0x1.8p23f;\n"
	 "\t$V r = (x - k * 0x1.62e4p-1f) - k * 0x1.7f7d1cp-20f;\n"
	 "\t$V p = r * 0x1.6d117cp-10f + 0x1.120be2p-7f;\n"
	 "\ttn_i32_$X n = (tn_i32_$X)t - 0x4b400000;\n"
	 "\ttn_i32_$X h = n >> 1;\n"
	 "\n"
	 "\tp = p * r + 0x1.555518p-5f;\n"
	 "\tp = p * r + 0x1.5554dcp-3f;\n"
	 "\tp = p * r + 0.5f;\n"
	 "\tp = 1.0f + (r + r * r * p);\n"
	 "\treturn p * ($V)((h + 127) << 23) * ($V)((n - h + 127) << 23);\n"},
	/*
	 * x = 2^k m with m in [sqrt(1/2), sqrt 2), and the series of ln(1 + f)
	 * by a polynomial. Subnormals are scaled first.
	 */
	{"log", "S", "", "vnl", "V:V",
	 "\t$M sub = ($M)(a < 0x1p-126f);\n"
	 "\t$U nan = ~($U)(a >= 0.0f);\n"
	 "\t$U zero = ($U)(a == 0.0f);\n"
	 "\t$U inf = ($U)(a == __builtin_inff());\n"
	 "\t$U s = ($U)(a * 0x1p23f);\n"
	 "\t$U u = (($U)sub & s) | (~($U)sub & ($U)a);\n"
	 "\t$U t = u + (0x3f800000 - 0x3f3504f3);\n"
	 "\t$M n = ($M)(t >> 23) - 127 - (sub & 23);\n"
	 "\t$V k = __builtin_convertvector(n, $V);\n"
	 "\t$V f = ($V)((t & 0x7fffff) + 0x3f3504f3) - 1.0f;\n"
	 "\t$V z = f * f;\n"
	 "\t$V p;\n"
	 "\n"
	 "\tp = f * 0x1.1d9828p-4f + -0x1.d6453cp-4f;\n"
	 "\tp = p * f + 0x1.dea656p-4f;\n"
	 "\tp = p * f + -0x1.fcf30ep-4f;\n"
	 "\tp = p * f + 0x1.23d1d6p-3f;\n"
	 "\tp = p * f + -0x1.555b5p-3f;\n"
	 "\tp = p * f + 0x1.999d5cp-3f;\n"
	 "\tp = p * f + -0x1.fffffcp-3f;\n"
	 "\tp = p * f + 0x1.555554p-2f;\n"
	 "\tp = (f * z * p - 0.5f * z) + k * 0x1.7f7d1cp-20f;\n"
	 "\tp = (f + p) + k * 0x1.62e4p-1f;\n"
	 "\tu = ($U)p & ~(zero | inf);\n"
	 "\treturn ($V)(u | (zero & 0xff800000) | (inf & 0x7f800000) | nan);\n"},
	/*
	 * A polynomial near 0, else 1 - 2 / (e^2x + 1).
	 */
	{"tanh", "S", "", "vnl", "V:V",
	 "\t$U s = ($U)a & 0x80000000;\n"
	 "\t$V x = ($V)(($U)a ^ s);\n"
	 "\t$U m = ($U)(x < 0.625f);\n"
	 "\t$V e = 1.0f - 2.0f / (tn_exp_f32_$X(x + x) + 1.0f);\n"
	 "\t$V z = x * x;\n"
	 "\t$V p;\n"
	 "\n"
	 "\tp = z * 0x1.2c83cp-9f + -0x1.116a16p-7f;\n"
	 "\tp = p * z + 0x1.64a976p-6f;\n"
	 "\tp = p * z + -0x1.ba08c4p-5f;\n"
	 "\tp = p * z + 0x1.1110eap-3f;\n"
	 "\tp = p * z + -0x1.555556p-2f;\n"
	 "\tp = x + x * z * p;\n"
	 "\treturn ($V)((m & ($U)p) | (~m & ($U)e) | s);\n"},
	/*
	 * erf(x) / x is a polynomial in x^2, for |x| <= 4; beyond, erf rounds
	 * to 1. In f64, even and odd powers apart.
	 */
	{"erf", "S", "", "vNl", "V:V",
	 "\ttn_u32_$X s = (tn_u32_$X)a & 0x80000000;\n"
	 "\ttn_u32_$X u = (tn_u32_$X)a ^ s;\n"
	 "\ttn_u32_$X big = (tn_u32_$X)((tn_f32_$X)u > 4.0f);\n"
	 "\ttn_f64_$X x = tn_cast_f32_f64_$X(\n"
	 "\t\t(tn_f32_$X)((big & 0x40800000) | (~big & u) | s));\n"
	 "\ttn_f64_$X t = x * x * 0.125 - 1.0;\n"
	 "\ttn_f64_$X w = t * t;\n"
	 "\ttn_f64_$X p, q;\n"
	 "\n"
	 "\tp = w * 0x1.affb49acb570ap-17 + 0x1.14a6affe30a5dp-15;\n"
	 "\tp = p * w + 0x1.35799ef561d5dp-12;\n"
	 "\tp = p * w + 0x1.4ec6e7bdca99cp-10;\n"
	 "\tp = p * w + 0x1.3e965dc66e8e1p-8;\n"
	 "\tp = p * w + 0x1.d6212dadedaeap-7;\n"
	 "\tp = p * w + 0x1.0ed618c4f802p-5;\n"
	 "\tp = p * w + 0x1.ea97d94410fc4p-5;\n"
	 "\tp = p * w + 0x1.717efd071ad1bp-4;\n"
	 "\tp = p * w + 0x1.0dabaf051a407p-3;\n"
	 "\tp = p * w + 0x1.6a040781a499cp-2;\n"
	 "\tq = w * -0x1.33b971ec16712p-15 + -0x1.2fecf75962793p-14;\n"
	 "\tq = q * w + -0x1.60bd5cd0fbaffp-11;\n"
	 "\tq = q * w + -0x1.4bb343de2e5a7p-9;\n"
	 "\tq = q * w + -0x1.1ac84937ba3d2p-7;\n"
	 "\tq = q * w + -0x1.701656f8b2ed4p-6;\n"
	 "\tq = q * w + -0x1.76eb3afae916ap-5;\n"
	 "\tq = q * w + -0x1.3215b3d79ca84p-4;\n"
	 "\tq = q * w + -0x1.b92e97780fe6p-4;\n"
	 "\tq = q * w + -0x1.69a0ccd73f872p-3;\n"
	 "\treturn tn_cast_f64_f32_$X(x * (p + t * q));\n"},
	/*
	 * 2^k (e^r - 1) + (2^k - 1) in f64. -0 stays.
	 */
	{"expm1", "S", "", "vNl", "V:V",
	 "\ttn_u32_$X high = (tn_u32_$X)(a > 89.0f);\n"
	 "\ttn_u32_$X low = (tn_u32_$X)(a < -18.0f);\n"
	 "\ttn_u32_$X zero = (tn_u32_$X)(a == 0.0f);\n"
	 "\ttn_u32_$X in = ~(high | low) & (tn_u32_$X)a;\n"
	 "\ttn_f64_$X x = tn_cast_f32_f64_$X(\n"
	 "\t\t(tn_f32_$X)(in | (high & 0x42b20000) | (low & 0xc1900000)));\n"
	 "\ttn_f64_$X t = x * 0x1.71547652b82fep0 + 0x1.8p52;\n"
	 "\ttn_f64_$X r = x - (t - 0x1.8p52) * 0x1.62e42fefa39efp-1;\n"
	 "\ttn_f64_$X s = (tn_f64_$X)(((tn_u64_$X)t + 1023) << 52);\n"
	 "\ttn_f64_$X p;\n"
	 "\n"
	 "\tp = r * 0x1.27e4fb7789f5cp-22 + 0x1.71de3a556c734p-19;\n"
	 "\tp = p * r + 0x1.a01a01a01a01ap-16;\n"
	 "\tp = p * r + 0x1.a01a01a01a01ap-13;\n"
	 "\tp = p * r + 0x1.6c16c16c16c17p-10;\n"
	 "\tp = p * r + 0x1.1111111111111p-7;\n"
	 "\tp = p * r + 0x1.5555555555555p-5;\n"
	 "\tp = p * r + 0x1.5555555555555p-3;\n"
	 "\tp = p * r + 0x1p-1;\n"
	 "\tp = p * r + 0x1p0;\n"
	 "\tin = (tn_u32_$X)tn_cast_f64_f32_$X(s * (p * r) + (s - 1.0));\n"
	 "\treturn (tn_f32_$X)((zero & (tn_u32_$X)a) | (~zero & in));\n"},
	/*
	 * As log, in f64 with ln m = 2 artanh((m - 1) / (m + 1)). Where 1 + x
	 * needs no power of two, x itself serves, so that its bits count.
	 */
	{"log1p", "S", "", "vNl", "V:V",
	 "\ttn_u32_$X nan = ~(tn_u32_$X)(a >= -1.0f);\n"
	 "\ttn_u32_$X one = (tn_u32_$X)(a == -1.0f);\n"
	 "\ttn_u32_$X same = (tn_u32_$X)(a == 0.0f) |\n"
	 "\t\t\t  (tn_u32_$X)(a == __builtin_inff());\n"
	 "\ttn_f64_$X x = tn_cast_f32_f64_$X(a);\n"
	 "\ttn_u64_$X t = (tn_u64_$X)(x + 1.0) + 0x95f619980c433;\n"
	 "\ttn_i64_$X n = (tn_i64_$X)(t >> 52) - 1023;\n"
	 "\ttn_u64_$X m = (t & 0xfffffffffffff) + 0x3fe6a09e667f3bcd;\n"
	 "\ttn_u64_$X near = (tn_u64_$X)(n == 0);\n"
	 "\ttn_f64_$X k = (tn_f64_$X)(n + 0x4338000000000000) - 0x1.8p52;\n"
	 "\ttn_u64_$X g = (tn_u64_$X)((tn_f64_$X)m - 1.0);\n"
	 "\ttn_f64_$X f = (tn_f64_$X)((near & (tn_u64_$X)x) | (~near & g));\n"
	 "\ttn_f64_$X s = f / (f + 2.0);\n"
	 "\ttn_f64_$X z = s * s;\n"
	 "\ttn_f64_$X p;\n"
	 "\ttn_u32_$X u;\n"
	 "\n"
	 "\tp = z * 0x1.1111111111111p-3 + 0x1.3b13b13b13b14p-3;\n"
	 "\tp = p * z + 0x1.745d1745d1746p-3;\n"
	 "\tp = p * z + 0x1.c71c71c71c71cp-3;\n"
	 "\tp = p * z + 0x1.2492492492492p-2;\n"
	 "\tp = p * z + 0x1.999999999999ap-2;\n"
	 "\tp = p * z + 0x1.5555555555555p-1;\n"
	 "\tp = p * z + 0x1p1;\n"
	 "\tu = (tn_u32_$X)tn_cast_f64_f32_$X(s * p + k * 0x1.62e42fefa39efp-1);\n"
	 "\treturn (tn_f32_$X)((same & (tn_u32_$X)a) | (one & 0xff800000) |\n"
	 "\t\t\t    (~(same | one) & u) | nan);\n"},
	/*
	 * Reduction by pi / 2 in two parts, the first of 33 bits so that its
	 * multiples up to 2^20 are exact; larger arguments go through libm.
	 */
	{"sin", "S", "", "vNl", "V:V",
	 "\ttn_bool_$X far = ~(tn_i32_$X)(tn_abs_f32_$X(a) < 0x1p20f);\n"
	 "\ttn_f64_$X x = tn_cast_f32_f64_$X(a);\n"
	 "\ttn_f64_$X t = x * 0x1.45f306dc9c883p-1 + 0x1.8p52;\n"
	 "\ttn_f64_$X k = t - 0x1.8p52;\n"
	 "\ttn_f64_$X r = (x - k * 0x1.921fb544p0) - k * 0x1.0b4611a626331p-34;\n"
	 "\ttn_f64_$X z = r * r;\n"
	 "\ttn_u64_$X q = (tn_u64_$X)t;\n"
	 "\ttn_u64_$X odd = -(q & 1);\n"
	 "\ttn_f64_$X p, c;\n"
	 "\ttn_f32_$X v;\n"
	 "\n"
	 "\tp = z * 0x1.6124613a86d09p-33 + -0x1.ae64567f544e4p-26;\n"
	 "\tp = p * z + 0x1.71de3a556c734p-19;\n"
	 "\tp = p * z + -0x1.a01a01a01a01ap-13;\n"
	 "\tp = p * z + 0x1.1111111111111p-7;\n"
	 "\tp = p * z + -0x1.5555555555555p-3;\n"
	 "\tc = z * 0x1.1eed8eff8d898p-29 + -0x1.27e4fb7789f5cp-22;\n"
	 "\tc = c * z + 0x1.a01a01a01a01ap-16;\n"
	 "\tc = c * z + -0x1.6c16c16c16c17p-10;\n"
	 "\tc = c * z + 0x1.5555555555555p-5;\n"
	 "\tc = c * z + -0x1p-1;\n"
	 "\tp = r + r * z * p;\n"
	 "\tc = 1.0 + z * c;\n"
	 "\tq = ((odd & (tn_u64_$X)c) | (~odd & (tn_u64_$X)p)) ^ (q & 2) << 62;\n"
	 "\tv = tn_cast_f64_f32_$X((tn_f64_$X)q);\n"
	 "\tv = tn_where_f32_$X((tn_i32_$X)(a == 0.0f), a, v);\n"
	 "\tif (__builtin_expect(tn_any_bool_$X(far), 0))\n"
	 "\t\tfor (int i = 0; i < $L; i++)\n"
	 "\t\t\tif (far[i])\n"
	 "\t\t\t\tv[i] = (float)__builtin_sin((double)a[i]);\n"
	 "\treturn v;\n"},
	{"cos", "S", "", "vNl", "V:V",
	 "\ttn_bool_$X far = ~(tn_i32_$X)(tn_abs_f32_$X(a) < 0x1p20f);\n"
	 "\ttn_f64_$X x = tn_cast_f32_f64_$X(a);\n"
	 "\ttn_f64_$X t = x * 0x1.45f306dc9c883p-1 + 0x1.8p52;\n"
	 "\ttn_f64_$X k = t - 0x1.8p52;\n"
	 "\ttn_f64_$X r = (x - k * 0x1.921fb544p0) - k * 0x1.0b4611a626331p-34;\n"
	 "\ttn_f64_$X z = r * r;\n"
	 "\ttn_u64_$X q = (tn_u64_$X)t + 1;\n"
	 "\ttn_u64_$X odd = -(q & 1);\n"
	 "\ttn_f64_$X p, c;\n"
	 "\ttn_f32_$X v;\n"
	 "\n"
	 "\tp = z * 0x1.6124613a86d09p-33 + -0x1.ae64567f544e4p-26;\n"
	 "\tp = p * z + 0x1.71de3a556c734p-19;\n"
	 "\tp = p * z + -0x1.a01a01a01a01ap-13;\n"
	 "\tp = p * z + 0x1.1111111111111p-7;\n"
	 "\tp = p * z + -0x1.5555555555555p-3;\n"
	 "\tc = z * 0x1.1eed8eff8d898p-29 + -0x1.27e4fb7789f5cp-22;\n"
	 "\tc = c * z + 0x1.a01a01a01a01ap-16;\n"
	 "\tc = c * z + -0x1.6c16c16c16c17p-10;\n"
	 "\tc = c * z + 0x1.5555555555555p-5;\n"
	 "\tc = c * z + -0x1p-1;\n"
	 "\tp = r + r * z * p;\n"
	 "\tc = 1.0 + z * c;\n"
	 "\tq = ((odd & (tn_u64_$X)c) | (~odd & (tn_u64_$X)p)) ^ (q & 2) << 62;\n"
	 "\tv = tn_cast_f64_f32_$X((tn_f64_$X)q);\n"
	 "\tif (__builtin_expect(tn_any_bool_$X(far), 0))\n"
	 "\t\tfor (int i = 0; i < $L; i++)\n"
	 "\t\t\tif (far[i])\n"
	 "\t\t\t\tv[i] = (float)__builtin_cos((double)a[i]);\n"
	 "\treturn v;\n"},

	{"rsqrt", "DS", "", "sv", "V:V", "=($t)1 / tn_sqrt_$D_$X(a)"},
	{"rsqrt", "HB", "", "sv", "V:V",
	 "=tn_round_$D_$X(tn_rsqrt_f32_$X(a))"},
	{"pow", "D", "", "s", "V:VV", "=__builtin_pow(a, b)"},
	{"pow", "S", "", "s", "V:VV", "=(float)__builtin_pow(a, b)"},
	{"pow", "HB", "", "s", "V:VV", "=tn_round_$D_s(tn_pow_f32_s(a, b))"},
	{"pow", "DSHB", "", "e", "V:VV", ""},

	LIBRARY("exp"),
	LIBRARY("expm1"),
	LIBRARY("log"),
	LIBRARY("log1p"),
	LIBRARY("erf"),
	LIBRARY("sin"),
	LIBRARY("cos"),
	ELEMENTARY("tanh"),
	/*
	 * With t = e^2x - 1 or e^-2x - 1; t + 2 is corrected by its rounding
	 * error where that would show.
	 */
	{"tanh", "D", "", "so", "V:V",
	 "\tdouble x = __builtin_fabs(a), t, u, q;\n"
	 "\n"
	 "\tif (!(x >= 0x1p-28))\n"
	 "\t\treturn a;\n"
	 "\tif (x >= 22.0)\n"
	 "\t\treturn __builtin_copysign(1.0, a);\n"
	 "\tif (x >= 1.0) {\n"
	 "\t\tq = 1.0 - 2.0 / (__builtin_expm1(2.0 * x) + 2.0);\n"
	 "\t} else {\n"
	 "\t\tt = __builtin_expm1(-2.0 * x);\n"
	 "\t\tu = t + 2.0;\n"
	 "\t\tq = -t / u;\n"
	 "\t\tq -= q * ((t - (u - 2.0)) / u);\n"
	 "\t}\n"
	 "\treturn __builtin_copysign(q, a);\n"},
	{0},
};
/* clang-format on */
