/*
 * cfuncs_float: arithmetic of floats.
 *
 * f16 and bf16 compute in f32 and round once more. For + - * / and sqrt
 * the two roundings equal one: f32 has 24 >= 2 p + 2 bits for p = 11 and
 * 8 (Figueroa, "When is double rounding innocuous?", SIGNUM 1995); the
 * same holds where bf16 results are subnormal in f32.
 */
#include "emit/cfuncs_text.h"

#include <stddef.h>

#include "emit/cfuncs_poly.h"

/* clang-format off */

/* A result of f32 arithmetic, rounded to the 16-bit dtype. */
#define ROUNDED(expr) "=tn_round_$D_$X(" expr ")"

/*
 * What x86 has as one instruction: for each width the macro that tells, the
 * builtin without its width, arguments, and the 512-bit call as gcc and
 * clang spell it; then the portable form.
 */
#define NATIVE(n512, n256, n128, p, on256, on128, name, args, gcc, clang,      \
	       portable)                                                       \
	"$<" n512 "#if defined __AVX512F__ && defined __clang__\n"             \
	"\treturn " clang ";\n"                                                \
	"#elif defined __AVX512F__\n"                                          \
	"\treturn " gcc ";\n"                                                  \
	"#else\n$>"                                                            \
	"$<" n256 "#ifdef " on256 "\n"                                         \
	"\treturn __builtin_ia32_" name p "256(" args ");\n"                   \
	"#else\n$>"                                                            \
	"$<" n128 "#ifdef " on128 "\n"                                         \
	"\treturn __builtin_ia32_" name p "(" args ");\n"                      \
	"#else\n$>" portable                                                   \
	"$<" n512 "#endif\n$>$<" n256 "#endif\n$>$<" n128 "#endif\n$>"

#define SQRT(n512, n256, n128, p)                                              \
	NATIVE(n512, n256, n128, p, "__AVX__", "__SSE2__", "sqrt", "a",        \
	       "__builtin_ia32_sqrt" p "512_mask(a, a, -1, 4)",                \
	       "__builtin_ia32_sqrt" p "512(a, 4)",                            \
	       EACH("__builtin_sqrt$c(a[i])"))
#define FMA(n512, n256, n128, p)                                               \
	NATIVE(n512, n256, n128, p, "__FMA__", "__FMA__", "vfmadd", "a, b, c", \
	       "__builtin_ia32_vfmadd" p "512_mask(a, b, c, -1, 4)",           \
	       "__builtin_ia32_vfmadd" p "512_mask(a, b, c, -1, 4)",           \
	       EACH("__builtin_fma$c(a[i], b[i], c[i])"))
/* how: 8 nearest even, 9 down, 10 up */
#define TO_INTEGER(n512, n256, n128, p, how, op, portable)                     \
	NATIVE(n512, n256, n128, p, "__AVX__", "__SSE4_1__", "round",          \
	       "a, " how,                                                      \
	       "__builtin_ia32_rndscale" p "_mask(a, " how ", a, -1, 4)",      \
	       "__builtin_ia32_rndscale" p "_mask(a, " how ", a, -1, 4)",      \
	       "#ifdef __aarch64__\n"                                          \
	       EACH("__builtin_" op "$c(a[i])")                                \
	       "#else\n"                                                       \
	       portable                                                        \
	       "#endif\n")
/* a OP b ? a : b, which gives b if either is NaN */
#define PICK(n512, n256, n128, p, name, sym)                                   \
	NATIVE(n512, n256, n128, p, "__AVX__", "__SSE2__", name, "a, b",       \
	       "__builtin_ia32_" name p "512_mask(a, b, a, -1, 4)",            \
	       "__builtin_ia32_" name p "512(a, b, 4)",                        \
	       "\t$U m = ($U)(a " sym " b);\n"                                 \
	       "\n"                                                            \
	       "\treturn ($V)((m & ($U)a) | (~m & ($U)b));\n")

/*
 * AVX-512 compares as the contract does but for NaN: the greater of two
 * zeros is +0.
 */
#define RANGE1(lanes, width, w, p, how, end)                                   \
	"$<" lanes "#ifdef __AVX512DQ__\n"                                     \
	"\t$V r = __builtin_ia32_range" p width "_mask(a, b, " how ", a, -1" end ");\n" \
	"\tuint" w "_t n = (uint" w "_t)__builtin_ia32_cmp" p width "_mask(a, b, 3, -1" end ");\n" \
	"\n"                                                                  \
	"#ifdef __clang__\n"                                                  \
	"\treturn __builtin_ia32_select" p "_" width "(n, ($V)~($U){0}, r);\n" \
	"#else\n"                                                             \
	"\treturn __builtin_ia32_blendm" p "_" width "_mask(r, ($V)~($U){0}, n);\n" \
	"#endif\n"                                                            \
	"#else\n$>"
#define RANGE(l512, l256, l128, p, how, neon, portable)                        \
	RANGE1(l512, "512", "16", p, how, ", 4")                               \
	RANGE1(l256, "256", "8", p, how, "")                                   \
	RANGE1(l128, "128", "8", p, how, "")                                   \
	"$<" l128 "#if defined __aarch64__ && !defined __clang__\n"            \
	"\treturn __builtin_aarch64_" neon "(a, b);\n"                         \
	"#else\n$>"                                                            \
	"\t$U nan = ($U)(a != a) | ($U)(b != b);\n"                            \
	"\n" portable                                                         \
	"$<" l512 "#endif\n$>$<" l256 "#endif\n$>$<" l128 "#endif\n#endif\n$>"
#define MAXIMUM(on, l512, l256, l128, p, neon, gpu, end)                       \
	{"maximum", on, "", "vl", "V:VV",                                      \
	 gpu                                                                   \
	 RANGE(l512, l256, l128, p, "5", "fmax_nanv" neon,                     \
	       "\treturn ($V)((($U)tn_above_$D_$X(a, b) &\n"                   \
	       "\t\t      ($U)tn_above_$D_$X(b, a)) | nan);\n") end}
#define MINIMUM(on, l512, l256, l128, p, neon, gpu, end)                       \
	{"minimum", on, "", "vl", "V:VV",                                      \
	 gpu                                                                   \
	 RANGE(l512, l256, l128, p, "4", "fmin_nanv" neon,                     \
	       "\treturn ($V)(($U)tn_below_$D_$X(a, b) |\n"                    \
	       "\t\t      ($U)tn_below_$D_$X(b, a) | nan);\n") end}
/* PTX's of f32 are the contract's. */
#define ON_GPU2(name)                                                          \
	ON_GPU("float r;", name ".NaN.f32 %0, %1, %2;", "=f", "f\"(b[0]), \"f")

#define EACH(call)                                                             \
	"\t$V r = {0};\n"                                                      \
	"\n"                                                                   \
	"\tfor (int i = 0; i < $L; i++)\n"                                     \
	"\t\tr[i] = " call ";\n"                                               \
	"\treturn r;\n"

/*
 * Nearest integer by adding 2^(p-1) and taking it away; larger values are
 * integers already. floor and ceil step back where that went too far.
 */
#define NEAREST(magic, step)                                                   \
	"\t$U s = ($U)a & $s;\n"                                         \
	"\t$V x = ($V)(($U)a ^ s);\n"                                          \
	"\t$U m = ($U)(x < " magic ");\n"                                      \
	"\t$V t = ($V)(($U)((x + " magic ") - " magic ") | s);\n"              \
	"\n"                                                                   \
	step                                                                   \
	"\treturn ($V)((m & (($U)t | s)) | (~m & ($U)a));\n"
#define DOWN(one) "\tt -= ($V)(($U)(t > a) & ($U)($V){$[" one "$]});\n"
#define UP(one) "\tt += ($V)(($U)(t < a) & ($U)($V){$[" one "$]});\n"

/* Rows for f32, or floats kept as f32, and for f64. */
#define NARROW "16", "8", "4", "ps"
#define WIDE "8", "4", "2", "pd"
#define INTEGRAL(op, how, step32, step64)                                      \
	{op, "SHB", "", "vnl", "V:V",                                          \
	 TO_INTEGER("16", "8", "4", "ps", how, op, NEAREST("0x1p23f", step32))},   \
	{op, "D", "", "vnl", "V:V",                                            \
	 TO_INTEGER("8", "4", "2", "pd", how, op, NEAREST("0x1p52", step64))}

const CTemplate cfuncs_float[] = {
	{"add", "DS", "", "sv", "V:VV", "=a + b"},
	{"sub", "DS", "", "sv", "V:VV", "=a - b"},
	{"mul", "DS", "", "sv", "V:VV", "=a * b"},
	{"div", "DS", "", "sv", "V:VV", "=a / b"},
	{"add", "HB", "", "sv", "V:VV", ROUNDED("a + b")},
	{"sub", "HB", "", "sv", "V:VV", ROUNDED("a - b")},
	{"mul", "HB", "", "sv", "V:VV", ROUNDED("a * b")},
	{"div", "HB", "", "sv", "V:VV", ROUNDED("a / b")},

	{"sqrt", "DS", "", "s", "V:V", "=__builtin_sqrt$c(a)"},
	{"sqrt", "S", "", "vn", "V:V", SQRT("16", "8", "4", "ps")},
	{"sqrt", "D", "", "vn", "V:V", SQRT("8", "4", "2", "pd")},
	{"sqrt", "HB", "", "sv", "V:V", ROUNDED("tn_sqrt_f32_$X(a)")},

	{"fma", "DS", "", "s", "V:VVV", "=__builtin_fma$c(a, b, c)"},
	{"fma", "S", "", "vn", "V:VVV", FMA("16", "8", "4", "ps")},
	{"fma", "D", "", "vn", "V:VVV", FMA("8", "4", "2", "pd")},
	/*
	 * The product is exact in f64. The sum is rounded to odd, by its
	 * error (Knuth's two-sum), so that the last rounding is the only one.
	 */
	{"fma", "HB", "", "vNl", "V:VVV",
	 "\ttn_f64_$X p = tn_cast_f32_f64_$X(a) * tn_cast_f32_f64_$X(b);\n"
	 "\ttn_f64_$X q = tn_cast_f32_f64_$X(c);\n"
	 "\ttn_f64_$X s = p + q;\n"
	 "\ttn_f64_$X t = s - p;\n"
	 "\ttn_f64_$X e = (p - (s - t)) + (q - t);\n"
	 "\ttn_i64_$X n = (tn_i64_$X)s;\n"
	 "\ttn_i64_$X up = (tn_i64_$X)(e > 0) ^ (n >> 63);\n"
	 "\ttn_i64_$X off = (tn_i64_$X)(e > 0) | (tn_i64_$X)(e < 0);\n"
	 "\n"
	 "\tn += off & ((n & 1) - 1) & ((up & 2) - 1) & ~(tn_i64_$X)(s != s);\n"
	 "\treturn tn_round_$D_f64_$X((tn_f64_$X)n);\n"},

	/* fused where that is one instruction, else not at all */
	{"mac", "DS", "", "sv", "V:VVV",
	 "#if defined __FMA__ || defined __ARM_FEATURE_FMA\n"
	 "\treturn tn_fma_$D_$X(a, b, c);\n"
	 "#else\n"
	 "\treturn a * b + c;\n"
	 "#endif\n"},
	{"mac", "HB", "", "sv", "V:VVV", ROUNDED("a * b + c")},

	{"neg", "DSHB", "", "sv", "V:V", "=-a"},
	{"abs", "DSHB", "", "s", "V:V", "=__builtin_fabs$c(a)"},
	{"abs", "DSHB", "", "v", "V:V", "=($V)(($U)a & ~$s)"},
	{"sign", "DSHB", "", "vl", "V:V",
	 "\t$V one = ($V)(($U)a & $s);\n"
	 "\t$U m = ($U)(a < 0) | ($U)(a > 0);\n"
	 "\n"
	 "\tone = ($V)(($U)one | ($U)($V){$[1$]});\n"
	 "\treturn ($V)((m & ($U)one) | (~m & ($U)a));\n"},
	{"rint", "DSHB", "", "gse", "V:V", "=__builtin_rint$c(a)"},
	{"floor", "DSHB", "", "gse", "V:V", "=__builtin_floor$c(a)"},
	{"ceil", "DSHB", "", "gse", "V:V", "=__builtin_ceil$c(a)"},
	INTEGRAL("rint", "8", "", ""),
	INTEGRAL("floor", "9", DOWN("1"), DOWN("1")),
	INTEGRAL("ceil", "10", UP("1"), UP("1")),

	{"above", "SHB", "", "vn", "V:VV", PICK("16", "8", "4", "ps", "max", ">")},
	{"above", "D", "", "vn", "V:VV", PICK("8", "4", "2", "pd", "max", ">")},
	{"below", "SHB", "", "vn", "V:VV", PICK("16", "8", "4", "ps", "min", "<")},
	{"below", "D", "", "vn", "V:VV", PICK("8", "4", "2", "pd", "min", "<")},
	MAXIMUM("SHB", "16", "8", "4", "ps", "4sf", ON_GPU2("max"), END_GPU),
	MAXIMUM("D", "8", "4", "2", "pd", "2df", "", ""),
	MINIMUM("SHB", "16", "8", "4", "ps", "4sf", ON_GPU2("min"), END_GPU),
	MINIMUM("D", "8", "4", "2", "pd", "2df", "", ""),

	/*
	 * a / b by y, the rounded 1 / b: each step of q + (a - q b) y, its
	 * remainder exact, halves the digits still wrong, and the second
	 * rounds as division does (Markstein, "IA-64 and Elementary
	 * Functions", 2000, theorem 8.6). Exact remainders need exponents
	 * that are not extreme; +0 is as good, all else is divided.
	 */
	{"quick", "S", "", "v", "V:VTT",
	 "\tuint32_t e = __builtin_fabsf(b) > 0x1p-60f ? 0 : ~0u;\n"
	 "\tuint32_t zero = __builtin_fabsf(b) < 0x1p60f ? e : ~0u;\n"
	 "\tuint32_t limit = 0x3c000001 & ~zero;\n"
	 "\ttn_u32_$X u = (tn_u32_$X)a & 0x7fffffff;\n"
	 "\t$V d = ($V){$[b$]};\n"
	 "\t$V y = ($V){$[c$]};\n"
	 "\t$V q = a * y;\n"
	 "\n"
	 "#if defined __AVX512F__ && $L == 16\n"
	 "\tint32_t far = __builtin_ia32_ucmpd512_mask(\n"
	 "\t\t(tn_i32_$X)(u - 0x21800000), (tn_i32_$X){$[limit$]}, 5, -1);\n"
	 "\n"
	 "\tfar &= __builtin_ia32_ucmpd512_mask(\n"
	 "\t\t(tn_i32_$X)u, (tn_i32_$X){0}, 4, -1) | zero;\n"
	 "#else\n"
	 "\tint32_t far = tn_any_bool_$X((tn_bool_$X)(\n"
	 "\t\t(tn_u32_$X)(u - 0x21800000 >= (tn_u32_$X){$[limit$]}) &\n"
	 "\t\t((tn_u32_$X)((tn_u32_$X)a != 0) | (tn_u32_$X){$[zero$]})));\n"
	 "#endif\n"
	 "\n"
	 "\tif (__builtin_expect(far, 0))\n"
	 "\t\treturn a / d;\n"
	 "\tq = tn_fma_f32_$X(tn_fma_f32_$X(-d, q, a), y, q);\n"
	 "\treturn tn_fma_f32_$X(tn_fma_f32_$X(-d, q, a), y, q);\n"},
	/* a / b for all lanes of a, c being 1 / b */
	{"divby", "S", "", "v", "V:VTT",
	 "#ifdef __FMA__\n"
	 "\treturn tn_quick_f32_$X(a, b, c);\n"
	 "#else\n"
	 "\t(void)c;\n"
	 "\treturn a / ($V){$[b$]};\n"
	 "#endif\n"},

	/*
	 * floor(a / b) of the exact quotient by long division of the
	 * significands: q + r / d, times 2^k. Rounded to nearest, or to odd
	 * for a caller that rounds to fewer bits.
	 */
	{"quotient", "D", "", "so", "V:VVE",
	 "\tint ea, eb, s, k, neg = (a < 0) != (b < 0);\n"
	 "\tuint64_t n, d, q, r;\n"
	 "\n"
	 "\tif (a == 0 || b == 0 || a - a != 0 || b - b != 0)\n"
	 "\t\treturn __builtin_floor(a / b);\n"
	 "\tn = (uint64_t)(__builtin_frexp(__builtin_fabs(a), &ea) * 0x1p53);\n"
	 "\td = (uint64_t)(__builtin_frexp(__builtin_fabs(b), &eb) * 0x1p53);\n"
	 "\ts = ea - eb;\n"
	 "\tif (s < -1)\n"
	 "\t\treturn -neg;\n"
	 "\tk = s > 62 ? s - 62 : 0;\n"
	 "\tif (s < 0)\n"
	 "\t\td <<= 1;\n"
	 "\tq = tn_longdiv(n, d, s < 0 ? 0 : s - k, &r);\n"
	 "\tif (neg && r != 0 &&\n"
	 "\t    (k == 0 || (k < 53 && d - r <= (d - 1) >> k)))\n"
	 "\t\tq++;\n"
	 "\telse if (k > 0 && r != 0 && (neg || k >= 53 || r > (d - 1) >> k))\n"
	 "\t\tq |= 1;\n"
	 "\tif (c && q >> 53)\n"
	 "\t\tq = (q | ((q & 0x3ff) + 0x3ff)) & ~(uint64_t)0x3ff;\n"
	 "\ta = __builtin_ldexp((double)q, k);\n"
	 "\treturn neg ? -a : a;\n"},
	/* a 2^c / b, the remainder to d; a and b have 54 bits at most */
	{"longdiv", "", "", "gs", "N:NNEY",
	 "\tuint64_t q = a / b, r = a % b;\n"
	 "\n"
	 "\tfor (; c > 0; c--) {\n"
	 "\t\tr <<= 1;\n"
	 "\t\tq = q << 1 | (r >= b);\n"
	 "\t\tif (r >= b)\n"
	 "\t\t\tr -= b;\n"
	 "\t}\n"
	 "\t*(uint64_t *)d = r;\n"
	 "\treturn q;\n"},
	{"longdiv", "", "", "s", "N:NNEY",
	 "\tunsigned __int128 n = (unsigned __int128)a << c;\n"
	 "\n"
	 "\t*(uint64_t *)d = (uint64_t)(n % b);\n"
	 "\treturn (uint64_t)(n / b);\n"},
	{"floordiv", "D", "", "s", "V:VV", "=tn_quotient_f64_s(a, b, 0)"},
	{"floordiv", "S", "", "s", "V:VV", "=(float)tn_quotient_f64_s(a, b, 1)"},
	{"floordiv", "HB", "", "s", "V:VV",
	 "=tn_round_$D_f64_s(tn_quotient_f64_s(a, b, 1))"},
	{"floordiv", "DSHB", "", "e", "V:VV", ""},
	{"mod", "DS", "", "so", "V:VV",
	 "\t$V r = __builtin_fmod$c(a, b);\n"
	 "\n"
	 "\tif (r == 0)\n"
	 "\t\treturn __builtin_copysign$c(r, b);\n"
	 "\treturn (r < 0) != (b < 0) ? r + b : r;\n"},
	{"mod", "HB", "", "s", "V:VV", ROUNDED("tn_mod_f32_s(a, b)")},
	{"mod", "DSHB", "", "e", "V:VV", ""},
	{0},
};
/* clang-format on */
