/*
 * cfuncs_elementary64: exp, log and their kin on f64.
 *
 * As cfuncs_elementary.c, which see, with longer polynomials and no tables.
 * The parts of ln 2 and pi / 2 have trailing zeros, so that their multiples
 * are exact with and without fused multiply-adds. Only sin and cos of
 * arguments from 2^20 on, and pow without fused multiply-adds, go through the C
 * library.
 */
#include "emit/cfuncs_text.h"

#include <stddef.h>

#include "emit/cfuncs_poly.h"

/* clang-format off */

/* The last step of the reduction that follows */
#define LESS_LN2_LOW(r) MAC("r", "k", SPLAT("-0x1.a39ef35793c76p-33"), r)
/* k = x / ln 2 to nearest, t = k + 1.5 * 2^52, r = x - k ln 2 */
#define REDUCE_LN2(last)                                                       \
	"\t$V t = tn_mac_$D_$X(x, " SPLAT("0x1.71547652b82fep0") ",\n"         \
	"\t\t" SPLAT("0x1.8p52") ");\n"                                        \
	"\t$V k = t - 0x1.8p52;\n"                                             \
	"\t$V r = tn_mac_$D_$X(k, " SPLAT("-0x1.62e42feep-1") ", x);\n"        \
	"\t$V p = " SPLAT("0x1.ad7f3d6789942p-26") ";\n"                       \
	"\n"                                                                   \
	last                                                                   \
	HORNER("p", "r", "0x1.28ad9b8a9426ep-22")                              \
	HORNER("p", "r", "0x1.71df25b37821bp-19")                              \
	HORNER("p", "r", "0x1.a01999e25ca9ap-16")                              \
	HORNER("p", "r", "0x1.a01a012a0f545p-13")                              \
	HORNER("p", "r", "0x1.6c16c18438b34p-10")                              \
	HORNER("p", "r", "0x1.1111111127d0dp-7")                               \
	HORNER("p", "r", "0x1.555555555083ep-5")                               \
	HORNER("p", "r", "0x1.55555555554f9p-3")                               \
	HORNER("p", "r", "0x1.000000000000ap-1")

/*
 * x = 2^k m with m in [3/4, 3/2), f = m - 1, z = f^2, and p such that
 * ln m = f + z p.
 */
#define LOG_PARTS(x)                                                           \
	"\t$V m = tn_significand_$D_$X(" x ");\n"                              \
	"\t$V k = tn_exponent_$D_$X(" x ");\n"                                 \
	"\t$V f = m - 1.0;\n"                                                  \
	"\t$V z = f * f;\n"                                                    \
	"\t$V p = " SPLAT("0x1.091e8dabc1421p-7") ";\n"
#define LOG_POLYNOMIAL                                                         \
	HORNER("p", "f", "-0x1.e18081286741p-6")                               \
	HORNER("p", "f", "0x1.9f4bcf76ba35bp-5")                               \
	HORNER("p", "f", "-0x1.e8e7d1af0c1fap-5")                              \
	HORNER("p", "f", "0x1.f252b61a53e9ap-5")                               \
	HORNER("p", "f", "-0x1.fffce8b99507cp-5")                              \
	HORNER("p", "f", "0x1.101cb08157608p-4")                               \
	HORNER("p", "f", "-0x1.2465755e8b068p-4")                              \
	HORNER("p", "f", "0x1.3b1f0318ccdb7p-4")                               \
	HORNER("p", "f", "-0x1.5559396315325p-4")                              \
	HORNER("p", "f", "0x1.745cec217b3b4p-4")                               \
	HORNER("p", "f", "-0x1.999972ca6db9cp-4")                              \
	HORNER("p", "f", "0x1.c71c70de930a4p-4")                               \
	HORNER("p", "f", "-0x1.00000063debbfp-3")                              \
	HORNER("p", "f", "0x1.24924929750a9p-3")                               \
	HORNER("p", "f", "-0x1.555555545925ap-3")                              \
	HORNER("p", "f", "0x1.999999998c6cfp-3")                               \
	HORNER("p", "f", "-0x1.0000000000772p-2")                              \
	HORNER("p", "f", "0x1.55555555555ap-2")                                \
	HORNER("p", "f", "-0.5")
/* What AVX-512's exponent and significand give by themselves. */
#define LOG_SPECIALS(x)                                                        \
	"#ifdef __AVX512VL__\n"                                                \
	"\treturn p;\n"                                                        \
	"#else\n"                                                              \
	"\t$U nan = ~($U)(" x " >= 0.0);\n"                                    \
	"\t$U zero = ($U)(" x " == 0.0);\n"                                    \
	"\t$U inf = ($U)(" x " == __builtin_inf());\n"                         \
	"\n"                                                                   \
	"\tnan |= zero & 0xfff0000000000000;\n"                                \
	"\tnan |= inf & 0x7ff0000000000000;\n"                                 \
	"\treturn ($V)((($U)p & ~(zero | inf)) | nan);\n"                      \
	"#endif\n"

/* r = |a| - k pi / 2; far: for the C library */
#define SINCOS_START                                                           \
	"\t$V x = tn_abs_$D_$X(a);\n"                                          \
	"\t$M far = ~($M)(x < 0x1p20);\n"                                      \
	"\t$V t = tn_mac_$D_$X(x, " SPLAT("0x1.45f306dc9c883p-1") ",\n"        \
	"\t\t" SPLAT("0x1.8p52") ");\n"                                        \
	"\t$V k = t - 0x1.8p52;\n"                                             \
	"\t$V r = tn_mac_$D_$X(k, " SPLAT("-0x1.921fb544p0") ", x);\n"         \
	"\t$V z, s, c;\n"
#define SINCOS_END(op)                                                         \
	MAC("r", "k", SPLAT("-0x1.0b4611a6p-34"), "r")                         \
	MAC("r", "k", SPLAT("-0x1.3198a2e037073p-69"), "r")                    \
	"\tz = r * r;\n"                                                       \
	"\ts = " SPLAT("0x1.5d8dfd0d7bfb1p-33") ";\n"                          \
	HORNER("s", "z", "-0x1.ae5e546e6dbdcp-26")                             \
	HORNER("s", "z", "0x1.71de35603a39p-19")                               \
	HORNER("s", "z", "-0x1.a01a019bf577ep-13")                             \
	HORNER("s", "z", "0x1.111111110f78fp-7")                               \
	HORNER("s", "z", "-0x1.5555555555548p-3")                              \
	MAC("s", "r * z", "s", "r")                                            \
	"\tc = " SPLAT("-0x1.8fa290dc86487p-37") ";\n"                         \
	HORNER("c", "z", "0x1.1ee9d3dc88733p-29")                              \
	HORNER("c", "z", "-0x1.27e4f7e53e6e1p-22")                             \
	HORNER("c", "z", "0x1.a01a019c7cda5p-16")                              \
	HORNER("c", "z", "-0x1.6c16c16c14f47p-10")                             \
	HORNER("c", "z", "0x1.555555555554bp-5")                               \
	HORNER("c", "z", "-0.5")                                               \
	HORNER("c", "z", "1.0")                                                \
	"\ts = ($V)(((odd & ($U)c) | (~odd & ($U)s)) ^ sign);\n"               \
	"\tif (__builtin_expect(tn_any_bool_$X(tn_cast_i64_i32_$X(far)), 0))\n" \
	"\t\treturn tn_" op "far_$D_$X(a, s);\n"                               \
	"\treturn s;\n"
#define SINCOS_FAR(op)                                                         \
	{op "far", "D", "", "vo", "V:VV",                                      \
	 "\tfor (int i = 0; i < $L; i++)\n"                                    \
	 "\t\tif (!(__builtin_fabs(a[i]) < 0x1p20))\n"                         \
	 "\t\t\tb[i] = __builtin_" op "(a[i]);\n"                              \
	 "\treturn b;\n"}

const CTemplate cfuncs_elementary64[] = {
	/* subnormals stay out of polynomials, as in f32 */
	{"exp", "D", "", "vnl", "V:V",
	 "\t$V x = tn_above_$D_$X(" SPLAT("-746.0") ",\n"
	 "\t\ttn_below_$D_$X(" SPLAT("710.0") ", a + 0x1p-900));\n"
	 REDUCE_LN2(LESS_LN2_LOW("r"))
	 HORNER("p", "r", "1.0")
	 HORNER("p", "r", "1.0")
	 "\treturn tn_scale_$D_$X(p, t);\n"},
	/* a 2^k, where b = k + 1.5 * 2^52, as in f32; k > -1078 */
	{"scale", "D", "", "vnl", "V:VV",
	 AVX512VL_F64("scalefpd", "a, b - 0x1.8p52",
	 "\t$U n = ($U)b - 0x4338000000000000 + 1078;\n"
	 "\t$U h = n >> 1;\n"
	 "\n"
	 "\tn = n - h + (1023 - 1078 / 2);\n"
	 "\th = h + (1023 - 1078 / 2);\n"
	 "\treturn a * ($V)(h << 52) * ($V)(n << 52);\n")},
	{"expm1", "D", "", "vnl", "V:V",
	 "\t$U m = ($U)(tn_abs_$D_$X(a) < 0x1p-54);\n"
	 "\t$V x = tn_above_$D_$X(" SPLAT("-38.0") ",\n"
	 "\t\ttn_below_$D_$X(" SPLAT("710.0") ", ($V)(($U)a & ~m)));\n"
	 REDUCE_LN2(LESS_LN2_LOW("r"))
	 "\tt = ($V)((($U)t << 52) + 0x3fe0000000000000);\n"
	 "\tp = r * r * p;\n"
	 MAC("r", "t", "r", "t - 0.5")
	 MAC("p", "t", "p", "r")
	 "\treturn ($V)((m & ($U)a) | (~m & ($U)(p + p)));\n"},

	{"significand", "D", "", "vnl", "V:V",
	 AVX512VL_F64("getmantpd", "a, 11",
	 "\t$U sub = ($U)(a < 0x1p-1022);\n"
	 "\t$U u = (sub & ($U)(a * 0x1p52)) | (~sub & ($U)a);\n"
	 "\n"
	 "\treturn ($V)(((u - 0x3fe8000000000000) & 0xfffffffffffff) +\n"
	 "\t\t    0x3fe8000000000000);\n")},
	/* without an arithmetic shift or a conversion, which few machines have */
	{"exponent", "D", "", "vnl", "V:V",
	 EXPONENT("8", "4", "2", "pd",
	 "\t$U sub = ($U)(a < 0x1p-1022);\n"
	 "\t$U u = (sub & ($U)(a * 0x1p52)) | (~sub & ($U)a);\n"
	 "\t$U n = (u + 0x18000000000000) >> 52;\n"
	 "\t$V k = ($V)(n + 0x4338000000000000) - 0x1.80000000004p52;\n"
	 "\n"
	 "\treturn k - ($V)(sub & ($U)" SPLAT("52.0") ");\n")},
	{"log", "D", "", "vnl", "V:V",
	 LOG_PARTS("a")
	 "\n"
	 LOG_POLYNOMIAL
	 MAC("p", "p", "z", "k * 0x1.a39ef35793c76p-33")
	 MAC("p", "k", SPLAT("0x1.62e42feep-1"), "f + p")
	 LOG_SPECIALS("a")},
	{"log1p", "D", "", "vnl", "V:V",
	 "\t$V x = a + 1.0;\n"
	 "\t$V e = x - 1.0;\n"
	 LOG_PARTS("x")
	 "\t$U in = ($U)(a < 0x1p53);\n"
	 "\t$U same = ($U)(tn_abs_$D_$X(a) < 0x1p-54);\n"
	 "\n"
	 "\te = (1.0 - (x - e)) + (a - e);\n"
	 "\te = e * ($V)(($U)m - ($U)x + 0x3ff0000000000000);\n"
	 "\te = ($V)(($U)e & in);\n"
	 MAC("e", "e", "-f", "e")
	 LOG_POLYNOMIAL
	 MAC("p", "p", "z", "k * 0x1.a39ef35793c76p-33")
	 MAC("p", "k", SPLAT("0x1.62e42feep-1"), "f + (p + e)")
	 "\tp = ($V)((same & ($U)a) | (~same & ($U)p));\n"
	 LOG_SPECIALS("x")},

	/* a polynomial near 0 and 1 - 2 / (e^2x + 1) */
	{"tanh", "D", "", "vnl", "V:V",
	 "\t$U s = ($U)a & 0x8000000000000000;\n"
	 "\t$U n = ($U)(tn_abs_$D_$X(a) < 0x1p-1022);\n"
	 "\t$V d = ($V)(($U)a & ~s & n);\n"
	 "\t$V x = ($V)(($U)a & ~s & ~n);\n"
	 "\t$U m = ($U)(x < 0.625);\n"
	 "\t$V e = 1.0 - 2.0 / (tn_exp_$D_$X(x + x) + 1.0);\n"
	 "\t$V z = x * x;\n"
	 "\t$V p = " SPLAT("-0x1.0da71cb870ef2p-16") ";\n"
	 "\n"
	 HORNER("p", "z", "0x1.43911b4a576a8p-14")
	 HORNER("p", "z", "-0x1.df5576d63d9dbp-13")
	 HORNER("p", "z", "0x1.336612835ea9cp-11")
	 HORNER("p", "z", "-0x1.7d68a31fc62c2p-10")
	 HORNER("p", "z", "0x1.d6cf280d13e96p-9")
	 HORNER("p", "z", "-0x1.226e162be8744p-7")
	 HORNER("p", "z", "0x1.664f477ada1f2p-6")
	 HORNER("p", "z", "-0x1.ba1ba1b50646cp-5")
	 HORNER("p", "z", "0x1.111111110accdp-3")
	 HORNER("p", "z", "-0x1.55555555554ffp-2")
	 MAC("p", "p", "x * z", "x + d")
	 "\treturn ($V)((m & ($U)p) | (~m & ($U)e) | s);\n"},
	/* a polynomial near 0 and 1 - e^-q; from 5.93 on erf rounds to 1 */
	{"erf", "D", "", "vnl", "V:V",
	 "\t$U s = ($U)a & 0x8000000000000000;\n"
	 "\t$U n = ($U)(tn_abs_$D_$X(a) < 0x1p-1022);\n"
	 "\t$V d = ($V)(($U)a & ~s & n);\n"
	 "\t$V x = tn_below_$D_$X(" SPLAT("5.95") ",\n"
	 "\t\t($V)(($U)a & ~s & ~n));\n"
	 "\t$U m = ($U)(x < 0.875);\n"
	 "\t$V z = x * x;\n"
	 "\t$V p = " SPLAT("0x1.674acc0d20a7ap-27") ";\n"
	 "\t$V q = " SPLAT("-0x1.988c4efd77fep-40") ";\n"
	 "\n"
	 HORNER("p", "z", "-0x1.4f6bc174c8b79p-23")
	 HORNER("p", "z", "0x1.b7e52d2047496p-20")
	 HORNER("p", "z", "-0x1.f4a9ea563dcadp-17")
	 HORNER("p", "z", "0x1.f9a1177713a76p-14")
	 HORNER("p", "z", "-0x1.c02da2a985143p-11")
	 HORNER("p", "z", "0x1.565bccb326233p-8")
	 HORNER("p", "z", "-0x1.b82ce310568bap-6")
	 HORNER("p", "z", "0x1.ce2f21a03bc91p-4")
	 HORNER("p", "z", "-0x1.812746b03795dp-2")
	 HORNER("p", "z", "0x1.06eba8214db68p-3")
	 MAC("p", "p", "x", "x")
	 MAC("p", "d", SPLAT("0x1.20dd750429b6dp0"), "p")
	 HORNER("q", "x", "0x1.1bd69f92f7c13p-34")
	 HORNER("q", "x", "-0x1.7169792cc865ep-30")
	 HORNER("q", "x", "0x1.2afbbc856809dp-26")
	 HORNER("q", "x", "-0x1.509f756bc31dep-23")
	 HORNER("q", "x", "0x1.16ba775b944c3p-20")
	 HORNER("q", "x", "-0x1.5c7b45632efbcp-18")
	 HORNER("q", "x", "0x1.494261787e0a6p-16")
	 HORNER("q", "x", "-0x1.c3edc4616bb76p-15")
	 HORNER("q", "x", "0x1.7af2a1a7abfe1p-14")
	 HORNER("q", "x", "0x1.25feb6b2bcd8bp-17")
	 HORNER("q", "x", "-0x1.34fd411f94dc7p-11")
	 HORNER("q", "x", "0x1.c04ce9c169ba2p-10")
	 HORNER("q", "x", "-0x1.ded95751f0242p-13")
	 HORNER("q", "x", "-0x1.39276e50b33fp-6")
	 HORNER("q", "x", "0x1.a4ecb1c60728cp-4")
	 HORNER("q", "x", "0x1.45f3604480917p-1")
	 HORNER("q", "x", "0x1.20dd6bde21bfap0")
	 HORNER("q", "x", "0x1.b6103b6de93ddp-25")
	 "\tq = 1.0 - tn_exp_$D_$X(-q);\n"
	 "\treturn ($V)((m & ($U)p) | (~m & ($U)q) | s);\n"},

	{"sin", "D", "", "vnl", "V:V",
	 SINCOS_START
	 "\t$U odd = -(($U)t & 1);\n"
	 "\t$U sign = (($U)t << 62 ^ ($U)a) & 0x8000000000000000;\n"
	 "\n"
	 SINCOS_END("sin")},
	{"cos", "D", "", "vnl", "V:V",
	 SINCOS_START
	 "\t$U odd = (($U)t & 1) - 1;\n"
	 "\t$U sign = (($U)t + 1) << 62 & 0x8000000000000000;\n"
	 "\n"
	 SINCOS_END("cos")},
	SINCOS_FAR("sin"),
	SINCOS_FAR("cos"),

	/*
	 * e^(b ln |a|), the logarithm in two parts, h + l, with an error of
	 * 2^-64 of itself:
	 * ln m = 2 artanh s = 2 s (1 + z / 3 + z^2 p(z)), z = s^2 and
	 * s = f / (2 + f), each of s, z and the bracket in two parts too
	 * (Dekker's sums and products). The second part of b ln |a| joins the
	 * reduced argument of e^x before that is rounded. Products in two
	 * parts want a fused multiply-add; without one it is the C library's,
	 * lane by lane.
	 */
	{"pow", "D", "", "vnl", "V:VV",
	 "#if defined __FMA__ || defined __ARM_FEATURE_FMA\n"
	 "\t$V l, h = tn_logparts_$D_$X(tn_abs_$D_$X(a), &l);\n"
	 "\t$V e = b * h;\n"
	 "\t$V x = tn_above_$D_$X(" SPLAT("-746.0") ",\n"
	 "\t\ttn_below_$D_$X(" SPLAT("710.0") ", e));\n"
	 REDUCE_LN2("\tl = tn_fma_$D_$X(b, l, tn_fma_$D_$X(b, h, -e));\n"
	 "\tl = ($V)(($U)l & ($U)(x == e));\n"
	 "\tl = tn_mac_$D_$X(k, " SPLAT("-0x1.a39ef35793c76p-33") ", l);\n"
	 "\tr = r + l;\n")
	 MAC("p", "p", "r * r", "r")
	 "\tp = p + 1.0;\n"
	 "\tr = tn_scale_$D_$X(p, t);\n"
	 "#else\n"
	 "\t$V r = tn_powfar_$D_$X(a, b);\n"
	 "#endif\n"
	 POW_SPECIALS},
	{"powfar", "D", "", "vo", "V:VV",
	 "\tfor (int i = 0; i < $L; i++)\n"
	 "\t\ta[i] = __builtin_pow(__builtin_fabs(a[i]), b[i]);\n"
	 "\treturn a;\n"},
	{"logparts", "D", "", "v", "V:VY",
	 "\t$U zero = ($U)(a == 0.0);\n"
	 "\t$U inf = ($U)(a == __builtin_inf());\n"
	 "\t$V f = tn_significand_$D_$X(a) - 1.0;\n"
	 "\t$V k = tn_exponent_$D_$X(a);\n"
	 "\t$V d = f + 2.0;\n"
	 "\t$V i = 1.0 / d;\n"
	 "\t$V s = f * i;\n"
	 "\t$V sl = (tn_fma_$D_$X(-s, d, f) - s * (f - (d - 2.0))) * i;\n"
	 "\t$V z = s * s;\n"
	 "\t$V zl = tn_fma_$D_$X(s, s, -z) + 2.0 * s * sl;\n"
	 "\t$V q = z * 0x1.5555555555555p-2;\n"
	 "\t$V ql = tn_fma_$D_$X(z, " SPLAT("0x1.5555555555555p-2") ", -q) +\n"
	 "\t\tz * 0x1.5555555555555p-56 + zl * 0x1.5555555555555p-2;\n"
	 "\t$V p = " SPLAT("0x1.0192e4cd247f1p-4") ";\n"
	 "\t$V t, tl, u, ul, w, h, kh;\n"
	 "\n"
	 HORNER("p", "z", "0x1.dac976b425086p-5")
	 HORNER("p", "z", "0x1.113a53be37a35p-4")
	 HORNER("p", "z", "0x1.3b12964c79ee8p-4")
	 HORNER("p", "z", "0x1.745d1bd10101bp-4")
	 HORNER("p", "z", "0x1.c71c71bc4fce7p-4")
	 HORNER("p", "z", "0x1.2492492498f0bp-3")
	 HORNER("p", "z", "0x1.9999999999967p-3")
	 "\tu = z * z;\n"
	 "\tul = tn_fma_$D_$X(z, z, -u) + 2.0 * z * zl;\n"
	 "\tw = u * p;\n"
	 "\tql += tn_fma_$D_$X(u, p, -w) + ul * p;\n"
	 "\tt = q + w;\n"
	 "\ttl = (q - t) + w + ql;\n"
	 "\ts = s + s;\n"
	 "\tsl = sl + sl;\n"
	 "\tu = s * t;\n"
	 "\tul = tn_fma_$D_$X(s, t, -u) + s * tl + sl * t;\n"
	 "\th = s + u;\n"
	 "\tul = (s - h) + u + (sl + ul);\n"
	 "\tkh = k * 0x1.62e42feep-1;\n"
	 "\ts = kh + h;\n"
	 "\t*($V *)b = (kh - s) + h + (ul + k * 0x1.a39ef35793c76p-33);\n"
	 "\ts = ($V)((($U)s & ~zero) | (zero & 0xfff0000000000000));\n"
	 "\treturn ($V)((($U)s & ~inf) | (inf & 0x7ff0000000000000));\n"},
	{0},
};
/* clang-format on */
