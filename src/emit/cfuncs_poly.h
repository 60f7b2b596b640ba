/*
 * cfuncs_poly: pieces of text that the elementary functions share.
 */
#ifndef TENON_EMIT_CFUNCS_POLY_H
#define TENON_EMIT_CFUNCS_POLY_H

/* clang-format off */

/* d = d * x + c, and r = a * b + c */
#define HORNER(d, x, c)                                                        \
	"\t" d " = tn_mac_$D_$X(" d ", " x ", tn_splat_$D_$X(" c "));\n"
#define MAC(r, a, b, c)                                                        \
	"\t" r " = tn_mac_$D_$X(" a ", " b ", " c ");\n"
#define SPLAT(c) "tn_splat_$D_$X(" c ")"

/* r of a by an instruction of PTX, then the other way up to END_GPU. */
#define ON_GPU(declare, instruction, out, in)                                  \
	"$<1#ifdef __CUDA_ARCH__\n"                                            \
	"\t" declare "\n"                                                      \
	"\n"                                                                   \
	"\tasm(\"" instruction "\" : \"" out "\"(r) : \"" in "\"(a[0]));\n"      \
	"\treturn r;\n"                                                        \
	"#else\n$>"
#define END_GPU "$<1#endif\n$>"

/* A function of AVX-512VL on the widths that it has, then the other way. */
#define AVX512VL_F32(name, args, other)                                        \
	AVX512VL("16", "8", "4", name, args, other)
#define AVX512VL_F64(name, args, other)                                        \
	AVX512VL("8", "4", "2", name, args, other)
#define AVX512VL(n512, n256, n128, name, args, other)                          \
	"$<" n512 "#ifdef __AVX512VL__\n"                                      \
	"\treturn __builtin_ia32_" name "512_mask(" args ", a, -1, 4);\n"      \
	"#else\n$>"                                                            \
	"$<" n256 "#ifdef __AVX512VL__\n"                                      \
	"\treturn __builtin_ia32_" name "256_mask(" args ", a, -1);\n"         \
	"#else\n$>"                                                            \
	"$<" n128 "#ifdef __AVX512VL__\n"                                      \
	"\treturn __builtin_ia32_" name "128_mask(" args ", a, -1);\n"         \
	"#else\n$>"                                                            \
	other                                                                  \
	"$<" n512 "#endif\n$>$<" n256 "#endif\n$>$<" n128 "#endif\n$>"

/* k of a = 2^k m with m in [3/4, 3/2) */
#define EXPONENT(n512, n256, n128, p, other)                                   \
	"$<" n512 "#ifdef __AVX512VL__\n"                                      \
	"\t$V m = tn_significand_$D_$X(a);\n"                                  \
	"\n"                                                                   \
	"\treturn __builtin_ia32_getexp" p "512_mask(a, a, -1, 4) -\n"         \
	"\t       __builtin_ia32_getexp" p "512_mask(m, m, -1, 4);\n"          \
	"#else\n$>"                                                            \
	"$<" n256 "#ifdef __AVX512VL__\n"                                      \
	"\t$V m = tn_significand_$D_$X(a);\n"                                  \
	"\n"                                                                   \
	"\treturn __builtin_ia32_getexp" p "256_mask(a, a, -1) -\n"            \
	"\t       __builtin_ia32_getexp" p "256_mask(m, m, -1);\n"             \
	"#else\n$>"                                                            \
	"$<" n128 "#ifdef __AVX512VL__\n"                                      \
	"\t$V m = tn_significand_$D_$X(a);\n"                                  \
	"\n"                                                                   \
	"\treturn __builtin_ia32_getexp" p "128_mask(a, a, -1) -\n"            \
	"\t       __builtin_ia32_getexp" p "128_mask(m, m, -1);\n"             \
	"#else\n$>"                                                            \
	other                                                                  \
	"$<" n512 "#endif\n$>$<" n256 "#endif\n$>$<" n128 "#endif\n$>"

/*
 * r = |a|^b with C's signs and special values: the sign of a where b is odd,
 * NaN where a is negative and b no integer. half == b where b is infinite,
 * and where it is 0.
 */
#define POW_SPECIALS                                                           \
	"\t$V half = b * 0.5$c;\n"                                             \
	"\t$U whole = ($U)(tn_rint_$D_$X(b) == b);\n"                          \
	"\t$U even = ($U)(tn_rint_$D_$X(half) == half);\n"                     \
	"\t$U nan = ($U)(a < 0.0$c) & ($U)(a > -__builtin_inf$c());\n"         \
	"\t$U one = ($U)(a == 1.0$c) | ($U)(b == 0.0$c);\n"                    \
	"\n"                                                                   \
	"\tone |= ($U)(a == -1.0$c) & ($U)(half == b);\n"                      \
	"\tnan = (nan & ~whole) | ($U)(a != a) | ($U)(b != b);\n"              \
	"\tr = ($V)((($U)r ^ (whole & ~even & ($U)a & $s)) | nan);\n"          \
	"\treturn ($V)((one & ($U)" SPLAT("1.0$c") ") | (~one & ($U)r));\n"

/* clang-format on */

#endif
