/*
 * cfuncs_elementary: exp, log and their kin on f32 and 16-bit floats.
 *
 * Vector code without branches, the same operations for any number of lanes
 * of one instruction set, so that the bits do not depend on where in a
 * vector an element lies. Multiply-adds are tn_mac: fused where that is one
 * instruction, so that bits differ between instruction sets, and the bound
 * holds for either. What AVX-512 has for exponents is exact and changes no
 * bits; its table look-up serves tanh and erf, which there are piecewise
 * polynomials. Coefficients come from tools/minimax. Reductions follow
 * Muller, "Elementary Functions" (3rd ed., 2016), chapters 4 and 11.
 *
 * 16-bit floats: the f32 result, rounded. f64: cfuncs_elementary64.c.
 */
#include "emit/cfuncs_text.h"

#include <stddef.h>

#include "emit/cfuncs_poly.h"
#include "emit/cfuncs_tables.h"

/* clang-format off */

/* k = x / ln 2 to nearest, t = k + 1.5 * 2^23, r = x - k ln 2 */
#define REDUCE_LN2                                                             \
	"\t$V t = tn_mac_$D_$X(x, " SPLAT("0x1.715476p0f") ",\n"               \
	"\t\t" SPLAT("0x1.8p23f") ");\n"                                       \
	"\t$V k = t - 0x1.8p23f;\n"                                            \
	"\t$V r = tn_mac_$D_$X(k, " SPLAT("-0x1.62e4p-1f") ", x);\n"           \
	"\t$V p = " SPLAT("0x1.6a23dp-10f") ";\n"                              \
	"\n"                                                                   \
	MAC("r", "k", SPLAT("-0x1.7f7d1cp-20f"), "r")                          \
	HORNER("p", "r", "0x1.123a2p-7f")                                      \
	HORNER("p", "r", "0x1.5558f2p-5f")                                     \
	HORNER("p", "r", "0x1.555492p-3f")                                     \
	HORNER("p", "r", "0x1.fffffcp-2f")

/*
 * x = 2^k m with m in [3/4, 3/2), f = m - 1, z = f^2, and p such that
 * ln m = f + z p.
 */
#define LOG_PARTS(x)                                                           \
	"\t$V m = tn_significand_$D_$X(" x ");\n"                              \
	"\t$V k = tn_exponent_$D_$X(" x ");\n"                                 \
	"\t$V f = m - 1.0f;\n"                                                 \
	"\t$V z = f * f;\n"                                                    \
	"\t$V p = " SPLAT("-0x1.7140cp-5f") ";\n"
#define LOG_POLYNOMIAL                                                         \
	HORNER("p", "f", "0x1.ac90cap-4f")                                     \
	HORNER("p", "f", "-0x1.0d8a94p-3f")                                    \
	HORNER("p", "f", "0x1.28847ep-3f")                                     \
	HORNER("p", "f", "-0x1.54efdcp-3f")                                    \
	HORNER("p", "f", "0x1.9969bp-3f")                                      \
	HORNER("p", "f", "-0x1.00004p-2f")                                     \
	HORNER("p", "f", "0x1.5555a2p-2f")                                     \
	HORNER("p", "f", "-0.5f")
/* What AVX-512's exponent and significand give by themselves. */
#define LOG_SPECIALS(x)                                                        \
	"#if defined __AVX512VL__ && $L > 2\n"                                 \
	"\treturn p;\n"                                                        \
	"#else\n"                                                              \
	"\t$U nan = ~($U)(" x " >= 0.0f);\n"                                   \
	"\t$U zero = ($U)(" x " == 0.0f);\n"                                   \
	"\t$U inf = ($U)(" x " == __builtin_inff());\n"                        \
	"\n"                                                                   \
	"\tnan |= zero & 0xff800000;\n"                                        \
	"\tnan |= inf & 0x7f800000;\n"                                         \
	"\treturn ($V)((($U)p & ~(zero | inf)) | nan);\n"                      \
	"#endif\n"

/* On AVX-512 by the widest register, which holds the tables. */
#define PIECES_OR_PLAIN(name)                                                  \
	{name, "S", "", "vnl", "V:V",                                          \
	 "#ifdef __AVX512VL__\n"                                               \
	 "$<16\treturn tn_" name "pieces_$D_$X(a);\n$>"                        \
	 "$<8\treturn tn_lo_$D_v16(\n"                                         \
	 "\t\ttn_" name "pieces_$D_v16(tn_join_$D_v16(a, a)));\n$>"            \
	 "$<4\ttn_f32_v8 b = tn_join_$D_v8(a, a);\n"                           \
	 "\n"                                                                  \
	 "\treturn tn_lo_$D_v8(tn_lo_$D_v16(\n"                                \
	 "\t\ttn_" name "pieces_$D_v16(tn_join_$D_v16(b, b))));\n$>"           \
	 "$<2\treturn tn_lo_$D_v4(tn_" name "_$D_v4(tn_join_$D_v4(a, a)));\n$>" \
	 "#else\n"                                                             \
	 "\treturn tn_" name "plain_$D_$X(a);\n"                               \
	 "#endif\n"}

/*
 * x = |a| at most `limit`, in units of h: k the nearest integer, t the rest.
 * Of subnormals x is 0, and d they themselves; else d is 0.
 */
#define PIECEWISE(limit, units, h)                                             \
	"\t$U s = ($U)a & 0x80000000;\n"                                       \
	"\t$U m = ($U)(tn_abs_$D_$X(a) < 0x1p-126f);\n"                        \
	"\t$V d = ($V)(($U)a & ~s & m);\n"                                     \
	"\t$V x = tn_below_$D_$X(" SPLAT(limit) ", ($V)(($U)a & ~s & ~m));\n"  \
	"\t$V n = tn_mac_$D_$X(x, " SPLAT(units) ", " SPLAT("0x1.8p23f") ");\n" \
	"\t$V t = tn_mac_$D_$X(n - 0x1.8p23f, " SPLAT(h) ", x);\n"             \
	"\t$V p;\n"                                                            \
	"\n"
#define LOOKUP(c) LOOKUP_AT("n", c)
#define LOOKUP_AT(n, c)                                                        \
	"tn_lookup_$D_$X(" n ", ($V){\n" c##LOW "\t}, ($V){\n" c##HIGH "\t})"
#define PIECE(c)                                                               \
	MAC("p", "p", "t", LOOKUP(c))

#define ELEMENTARY(op)                                                         \
	{op, "HB", "", "sv", "V:V", "=tn_round_$D_$X(tn_" op "_f32_$X(a))"}

/*
 * r = |a| - k pi / 2. With fused multiply-adds the first difference is
 * exact, and so is the second where it cancels.
 */
#define SINCOS_START                                                           \
	"#if defined __FMA__ || defined __ARM_FEATURE_FMA\n"                   \
	"\t$V x = tn_abs_$D_$X(a);\n"                                          \
	"\ttn_bool_$X far = ~(tn_i32_$X)(x < 0x1p20f);\n"                      \
	"\t$V t = tn_mac_$D_$X(x, " SPLAT("0x1.45f306p-1f") ",\n"              \
	"\t\t" SPLAT("0x1.8p23f") ");\n"                                       \
	"\t$V k = t - 0x1.8p23f;\n"                                            \
	"\t$V r = tn_mac_$D_$X(k, " SPLAT("-0x1.921fb6p0f") ", x);\n"          \
	"\t$V z, s, c;\n"
#define SINCOS_END(op)                                                         \
	MAC("r", "k", SPLAT("0x1.777a5cp-25f"), "r")                           \
	MAC("r", "k", SPLAT("0x1.ee59dap-50f"), "r")                           \
	"\tz = r * r;\n"                                                       \
	"\ts = " SPLAT("-0x1.986bfp-13f") ";\n"                                \
	HORNER("s", "z", "0x1.1104a4p-7f")                                     \
	HORNER("s", "z", "-0x1.55553ep-3f")                                    \
	MAC("s", "r * z", "s", "r")                                            \
	"\tc = " SPLAT("0x1.9925fp-16f") ";\n"                                 \
	HORNER("c", "z", "-0x1.6c0962p-10f")                                   \
	HORNER("c", "z", "0x1.555546p-5f")                                     \
	HORNER("c", "z", "-0.5f")                                              \
	HORNER("c", "z", "1.0f")                                               \
	"\ts = ($V)(((odd & ($U)c) | (~odd & ($U)s)) ^ sign);\n"               \
	"\tif (__builtin_expect(tn_any_bool_$X(far), 0))\n"                    \
	"\t\treturn tn_" op "far_$D_$X(a, s);\n"                               \
	"\treturn s;\n"                                                        \
	"#else\n"                                                              \
	"\treturn tn_" op "wide_$D_$X(a);\n"                                   \
	"#endif\n"
/* Without fused multiply-adds, in f64; the first part has 33 bits. */
#define SINCOS_WIDE(quarter)                                                   \
	"\ttn_f64_$X x = tn_cast_f32_f64_$X(a);\n"                             \
	"\ttn_f64_$X t = x * 0x1.45f306dc9c883p-1 + 0x1.8p52;\n"               \
	"\ttn_f64_$X k = t - 0x1.8p52;\n"                                      \
	"\ttn_f64_$X r = (x - k * 0x1.921fb544p0) - k * 0x1.0b4611a626331p-34;\n" \
	"\ttn_f64_$X z = r * r;\n"                                             \
	"\ttn_u64_$X q = (tn_u64_$X)t" quarter ";\n"                           \
	"\ttn_u64_$X odd = -(q & 1);\n"                                        \
	"\ttn_f64_$X p, c;\n"                                                  \
	"\ttn_f32_$X v;\n"                                                     \
	"\n"                                                                   \
	"\tp = z * 0x1.6124613a86d09p-33 + -0x1.ae64567f544e4p-26;\n"          \
	"\tp = p * z + 0x1.71de3a556c734p-19;\n"                               \
	"\tp = p * z + -0x1.a01a01a01a01ap-13;\n"                              \
	"\tp = p * z + 0x1.1111111111111p-7;\n"                                \
	"\tp = p * z + -0x1.5555555555555p-3;\n"                               \
	"\tc = z * 0x1.1eed8eff8d898p-29 + -0x1.27e4fb7789f5cp-22;\n"          \
	"\tc = c * z + 0x1.a01a01a01a01ap-16;\n"                               \
	"\tc = c * z + -0x1.6c16c16c16c17p-10;\n"                              \
	"\tc = c * z + 0x1.5555555555555p-5;\n"                                \
	"\tc = c * z + -0x1p-1;\n"                                             \
	"\tp = r + r * z * p;\n"                                               \
	"\tc = 1.0 + z * c;\n"                                                 \
	"\tq = ((odd & (tn_u64_$X)c) | (~odd & (tn_u64_$X)p)) ^ (q & 2) << 62;\n" \
	"\tv = tn_cast_f64_f32_$X((tn_f64_$X)q);\n"
#define SINCOS_FAR(op)                                                         \
	{op "far", "S", "", "vo", "V:VV",                                      \
	 "\tfor (int i = 0; i < $L; i++)\n"                                    \
	 "\t\tif (!(__builtin_fabsf(a[i]) < 0x1p20f))\n"                       \
	 "\t\t\tb[i] = (float)__builtin_" op "((double)a[i]);\n"               \
	 "\treturn b;\n"}

const CTemplate cfuncs_elementary[] = {
	/*
	 * e^x = 2^k e^r with |r| <= ln 2 / 2 and a polynomial. max and min
	 * here let NaN through. Processors take some 150 cycles for each
	 * product with a subnormal, and none for a sum: with 2^-100 added, x
	 * is no subnormal, and is itself again from 2^-75 on.
	 */
	{"exp", "S", "", "vnl", "V:V",
	 "\t$V x = tn_above_$D_$X(" SPLAT("-104.0f") ",\n"
	 "\t\ttn_below_$D_$X(" SPLAT("89.0f") ", a + 0x1p-100f));\n"
	 REDUCE_LN2
	 HORNER("p", "r", "1.0f")
	 HORNER("p", "r", "1.0f")
	 "\treturn tn_scale_$D_$X(p, t);\n"},
	/*
	 * e^a for a up to 64, or NaN, to the bits of exp: 2^32 is in the first
	 * factor, so that the second is the same for all, and rounds.
	 */
	{"explow", "S", "", "vnl", "V:V",
	 "\t$V x = tn_above_$D_$X(" SPLAT("-104.0f") ", a);\n"
	 REDUCE_LN2
	 HORNER("p", "r", "1.0f")
	 HORNER("p", "r", "1.0f")
	 "\treturn p * ($V)((($U)t << 23) + 0x4f800000) * 0x1p-32f;\n"},
	/*
	 * a 2^k, where b = k + 1.5 * 2^23. In two factors, so that subnormal
	 * results round once.
	 */
	{"scale", "S", "", "vnl", "V:VV",
	 AVX512VL_F32("scalefps", "a, b - 0x1.8p23f",
	 "\t$M n = ($M)b - 0x4b400000;\n"
	 "\t$M h = n >> 1;\n"
	 "\n"
	 "\treturn a * ($V)((h + 127) << 23) * ($V)((n - h + 127) << 23);\n")},
	/* 2^a for |a| < 126 */
	{"pow2", "S", "", "vnl", "V:V",
	 "\t$V t = a + 0x1.8p23f;\n"
	 "\t$V r = a - (t - 0x1.8p23f);\n"
	 "\t$V p = " SPLAT("0x1.470b5ap-13f") ";\n"
	 "\n"
	 HORNER("p", "r", "0x1.5f7278p-10f")
	 HORNER("p", "r", "0x1.3b270ep-7f")
	 HORNER("p", "r", "0x1.c6ae72p-5f")
	 HORNER("p", "r", "0x1.ebfbe2p-3f")
	 HORNER("p", "r", "0x1.62e432p-1f")
	 HORNER("p", "r", "1.0f")
	 "\treturn p * ($V)((($U)t << 23) + 0x3f800000);\n"},
	/*
	 * 2^k (e^r - 1 - r) + (2^k r + 2^k - 1), half of it first, so that 2^k
	 * does not overflow. The least arguments are their own results.
	 */
	{"expm1", "S", "", "vnl", "V:V",
	 "\t$U m = ($U)(tn_abs_$D_$X(a) < 0x1p-25f);\n"
	 "\t$V x = tn_above_$D_$X(" SPLAT("-18.0f") ",\n"
	 "\t\ttn_below_$D_$X(" SPLAT("89.0f") ", ($V)(($U)a & ~m)));\n"
	 REDUCE_LN2
	 "\tt = ($V)((($U)t << 23) + 0x3f000000);\n"
	 "\tp = r * r * p;\n"
	 MAC("r", "t", "r", "t - 0.5f")
	 MAC("p", "t", "p", "r")
	 "\treturn ($V)((m & ($U)a) | (~m & ($U)(p + p)));\n"},

	/* Exact; NaN for what is negative. Subnormals are scaled first. */
	{"significand", "S", "", "vnl", "V:V",
	 AVX512VL_F32("getmantps", "a, 11",
	 "\t$U sub = ($U)(a < 0x1p-126f);\n"
	 "\t$U u = (sub & ($U)(a * 0x1p23f)) | (~sub & ($U)a);\n"
	 "\n"
	 "\treturn ($V)(((u - 0x3f400000) & 0x7fffff) + 0x3f400000);\n")},
	{"exponent", "S", "", "vnl", "V:V",
	 EXPONENT("16", "8", "4", "ps",
	 "\t$U sub = ($U)(a < 0x1p-126f);\n"
	 "\t$U u = (sub & ($U)(a * 0x1p23f)) | (~sub & ($U)a);\n"
	 "\t$M n = ($M)(u - 0x3f400000) >> 23;\n"
	 "\n"
	 "\treturn __builtin_convertvector(n - ($M)(sub & 23), $V);\n")},
	{"log", "S", "", "vnl", "V:V",
	 LOG_PARTS("a")
	 "\n"
	 LOG_POLYNOMIAL
	 MAC("p", "p", "z", "k * 0x1.7f7d1cp-20f")
	 MAC("p", "k", SPLAT("0x1.62e4p-1f"), "f + p")
	 LOG_SPECIALS("a")},
	/*
	 * The error of 1 + x (Knuth's two-sum), scaled as m, goes into the
	 * logarithm by its derivative 1 / m, which 1 - f is near enough. From
	 * 2^24 on it does not count.
	 */
	{"log1p", "S", "", "vnl", "V:V",
	 "\t$V x = a + 1.0f;\n"
	 "\t$V e = x - 1.0f;\n"
	 LOG_PARTS("x")
	 "\t$U in = ($U)(a < 0x1p24f);\n"
	 "\t$U same = ($U)(tn_abs_$D_$X(a) < 0x1p-25f);\n"
	 "\n"
	 "\te = (1.0f - (x - e)) + (a - e);\n"
	 "\te = e * ($V)(($U)m - ($U)x + 0x3f800000);\n"
	 "\te = ($V)(($U)e & in);\n"
	 MAC("e", "e", "-f", "e")
	 LOG_POLYNOMIAL
	 MAC("p", "p", "z", "k * 0x1.7f7d1cp-20f")
	 MAC("p", "k", SPLAT("0x1.62e4p-1f"), "f + (p + e)")
	 "\tp = ($V)((same & ($U)a) | (~same & ($U)p));\n"
	 LOG_SPECIALS("x")},

	/* Entry n mod 32 of two vectors, n an integer + 1.5 * 2^23 */
	{"lookup", "S", "", "v", "V:VVV",
	 "#if defined __AVX512F__ && defined __clang__\n"
	 "\treturn __builtin_ia32_vpermi2varps512(b, (tn_i32_v16)a, c);\n"
	 "#elif defined __AVX512F__\n"
	 "\treturn __builtin_ia32_vpermt2varps512_mask(\n"
	 "\t\t(tn_i32_v16)a, b, c, -1);\n"
	 "#else\n"
	 "\t$U n = ($U)a & 31;\n"
	 "\t$V r = {0};\n"
	 "\n"
	 "\tfor (int i = 0; i < 16; i++)\n"
	 "\t\tr[i] = n[i] < 16 ? b[n[i]] : c[n[i] - 16];\n"
	 "\treturn r;\n"
	 "#endif\n"},
	/*
	 * Piecewise; else a polynomial near 0 and 1 - 2 / (e^2x + 1).
	 */
	{"tanhtop", "S", "", "v", "V:VV",
	 "\t$V p = " LOOKUP_AT("a", TANH_6) ";\n"
	 "\n"
	 MAC("p", "p", "b", LOOKUP_AT("a", TANH_5))
	 MAC("p", "p", "b", LOOKUP_AT("a", TANH_4))
	 "\treturn p;\n"},
	{"tanhpieces", "S", "", "v", "V:V",
	 PIECEWISE("9.75f", "0x1.9c6f3ap1f", "-0x1.3dcdp-2f")
	 "\tp = tn_tanhtop_$D_$X(n, t);\n"
	 PIECE(TANH_3) PIECE(TANH_2) PIECE(TANH_1) 
	 MAC("p", "p", "t", "tn_above_$D_$X(" LOOKUP(TANH_0) ", t)")
	 "\treturn ($V)(($U)(p + d) | s);\n"},
	{"tanhplain", "S", "", "vn", "V:V",
	 "\t$U s = ($U)a & 0x80000000;\n"
	 "\t$U n = ($U)(tn_abs_$D_$X(a) < 0x1p-126f);\n"
	 "\t$V d = ($V)(($U)a & ~s & n);\n"
	 "\t$V x = tn_below_$D_$X(" SPLAT("9.75f") ", ($V)(($U)a & ~s & ~n));\n"
	 "\t$U m = ($U)(x < 0.625f);\n"
	 "\t$V e = 1.0f - 2.0f / (tn_pow2_$D_$X(x * 0x1.715476p1f) + 1.0f);\n"
	 "\t$V z = x * x;\n"
	 "\t$V p = " SPLAT("-0x1.75e1cep-8f") ";\n"
	 "\n"
	 HORNER("p", "z", "0x1.52269cp-6f")
	 HORNER("p", "z", "-0x1.b83c5ap-5f")
	 HORNER("p", "z", "0x1.110726p-3f")
	 HORNER("p", "z", "-0x1.555532p-2f")
	 MAC("p", "p", "x * z", "x + d")
	 "\treturn ($V)((m & ($U)p) | (~m & ($U)e) | s);\n"},
	PIECES_OR_PLAIN("tanh"),
	/*
	 * Piecewise; else a polynomial near 0, and 1 - 2^-q. From 3.92 on
	 * erf rounds to 1.
	 */
	{"erfpieces", "S", "", "v", "V:V",
	 PIECEWISE("3.93f", "0x1.f423fep2f", "-0x1.0612p-3f")
	 "\tp = " LOOKUP(ERF_5) ";\n"
	 PIECE(ERF_4) PIECE(ERF_3) PIECE(ERF_2) PIECE(ERF_1) 
	 MAC("p", "p", "t", "tn_above_$D_$X(" LOOKUP(ERF_0) ", t)")
	 MAC("p", "d", SPLAT("0x1.20dd76p0f"), "p")
	 "\treturn ($V)(($U)p | s);\n"},
	{"erfplain", "S", "", "vn", "V:V",
	 "\t$U s = ($U)a & 0x80000000;\n"
	 "\t$U n = ($U)(tn_abs_$D_$X(a) < 0x1p-126f);\n"
	 "\t$V d = ($V)(($U)a & ~s & n);\n"
	 "\t$V x = tn_below_$D_$X(" SPLAT("3.93f") ", ($V)(($U)a & ~s & ~n));\n"
	 "\t$U m = ($U)(x < 0.875f);\n"
	 "\t$V z = x * x;\n"
	 "\t$V p = " SPLAT("-0x1.453aa2p-11f") ";\n"
	 "\t$V q = " SPLAT("-0x1.300fcep-12f") ";\n"
	 "\n"
	 HORNER("p", "z", "0x1.49c9fcp-8f")
	 HORNER("p", "z", "-0x1.b6f38ap-6f")
	 HORNER("p", "z", "0x1.ce211ep-4f")
	 HORNER("p", "z", "-0x1.81270cp-2f")
	 HORNER("p", "z", "0x1.06eba8p-3f")
	 MAC("p", "p", "x", "x")
	 MAC("p", "d", SPLAT("0x1.20dd76p0f"), "p")
	 HORNER("q", "x", "0x1.245f08p-8f")
	 HORNER("q", "x", "-0x1.08f97ap-5f")
	 HORNER("q", "x", "0x1.344006p-3f")
	 HORNER("q", "x", "0x1.d6551p-1f")
	 HORNER("q", "x", "0x1.a0949ep0f")
	 HORNER("q", "x", "0x1.944fdep-13f")
	 "\tq = 1.0f - tn_pow2_$D_$X(-q);\n"
	 "\treturn ($V)((m & ($U)p) | (~m & ($U)q) | s);\n"},
	PIECES_OR_PLAIN("erf"),

	/* the sign of sin is that of a, and changes every two quarters */
	{"sin", "S", "", "vnl", "V:V",
	 SINCOS_START
	 "\t$U odd = -(($U)t & 1);\n"
	 "\t$U sign = (($U)t << 30 ^ ($U)a) & 0x80000000;\n"
	 "\n"
	 SINCOS_END("sin")},
	{"cos", "S", "", "vnl", "V:V",
	 SINCOS_START
	 "\t$U odd = (($U)t & 1) - 1;\n"
	 "\t$U sign = (($U)t + 1) << 30 & 0x80000000;\n"
	 "\n"
	 SINCOS_END("cos")},
	{"sinwide", "S", "", "vNl", "V:V",
	 "\ttn_bool_$X far = ~(tn_i32_$X)(tn_abs_f32_$X(a) < 0x1p20f);\n"
	 SINCOS_WIDE("")
	 "\tv = tn_where_f32_$X((tn_i32_$X)(a == 0.0f), a, v);\n"
	 "\tif (__builtin_expect(tn_any_bool_$X(far), 0))\n"
	 "\t\treturn tn_sinfar_f32_$X(a, v);\n"
	 "\treturn v;\n"},
	{"coswide", "S", "", "vNl", "V:V",
	 "\ttn_bool_$X far = ~(tn_i32_$X)(tn_abs_f32_$X(a) < 0x1p20f);\n"
	 SINCOS_WIDE(" + 1")
	 "\tif (__builtin_expect(tn_any_bool_$X(far), 0))\n"
	 "\t\treturn tn_cosfar_f32_$X(a, v);\n"
	 "\treturn v;\n"},
	SINCOS_FAR("sin"),
	SINCOS_FAR("cos"),

	{"rsqrt", "DS", "", "sv", "V:V", "=($t)1 / tn_sqrt_$D_$X(a)"},
	/* e^(b ln |a|) in f64 */
	{"pow", "S", "", "vNl", "V:VV",
	 "\ttn_f64_$X l = tn_log_f64_$X(tn_cast_f32_f64_$X(tn_abs_$D_$X(a)));\n"
	 "\t$V r = tn_cast_f64_f32_$X(\n"
	 "\t\ttn_exp_f64_$X(tn_cast_f32_f64_$X(b) * l));\n"
	 POW_SPECIALS},

	ELEMENTARY("rsqrt"), ELEMENTARY("exp"), ELEMENTARY("expm1"),
	ELEMENTARY("log"), ELEMENTARY("log1p"), ELEMENTARY("tanh"),
	ELEMENTARY("erf"), ELEMENTARY("sin"), ELEMENTARY("cos"),
	{"pow", "HB", "", "sv", "V:VV", "=tn_round_$D_$X(tn_pow_f32_$X(a, b))"},
	{0},
};
/* clang-format on */
