/*
 * cfuncs_casts: conversions, each rounded once.
 *
 * Integers change width by factors of 2, which compilers have instructions
 * for. From 64-bit values to 16-bit floats the way leads through f32 or f64
 * rounded to odd: such a value is never a midpoint of the narrower format
 * unless the exact one is, so the second rounding is the only one that
 * counts (Boldo and Melquiond, "Emulation of a FMA and correctly rounded
 * sums", IEEE TC 2008).
 */
#include "emit/cfuncs_text.h"

#include <stddef.h>

#include "emit/cfuncs_poly.h"

/* clang-format off */
const CTemplate cfuncs_casts[] = {
	{"cast", "DSHBiuo", "=", "sv", "W:V", "=a"},

	/* the boundary */
	{"cast", "S", "HB", "sv", "W:V", "=tn_round_$T_$X(a)"},
	{"cast", "D", "HB", "sv", "W:V", "=tn_round_$T_f64_$X(a)"},
	{"cast", "HB", "HB", "sv", "W:V", "=tn_round_$T_$X(a)"},
	{"round", "HB", "D", "sv", "V:W",
	 "=tn_round_$D_$X(tn_odd_f64_f32_$X(a))"},
	{"round", "B", "", "vl", "V:F",
	 ON_GPU("float r;",
		"{.reg .b16 h, z; cvt.rn.bf16.f32 h, %1; mov.b16 z, 0; "
		"mov.b32 %0, {z, h};}", "=f", "f")
	 "\ttn_u32_$X u = (tn_u32_$X)a;\n"
	 "\ttn_u32_$X nan = (tn_u32_$X)(a != a);\n"
	 "\n"
	 "\tu = (u + 0x7fff + (u >> 16 & 1)) & 0xffff0000;\n"
	 "\treturn ($V)((nan & 0x7fc00000) | (~nan & u));\n"
	 END_GPU},
	/*
	 * Below 2^-14 the grid of f16 is that of 0.5 in f32. From 65520 on
	 * it is infinity.
	 */
	{"round", "H", "", "vnl", "V:F",
	 ON_GPU("float r;",
		"{.reg .b16 h; cvt.rn.f16.f32 h, %1; cvt.f32.f16 %0, h;}",
		"=f", "f")
	 "$<16#ifdef __AVX512F__\n"
	 "\treturn (tn_f32_v16)__builtin_ia32_vcvtph2ps512_mask(\n"
	 "\t\t__builtin_ia32_vcvtps2ph512_mask(a, 0, (tn_i16_v16){0}, -1),\n"
	 "\t\t(tn_f32_v16){0}, -1, 4);\n"
	 "#else\n$>"
	 "$<8#ifdef __F16C__\n"
	 "\treturn __builtin_ia32_vcvtph2ps256(\n"
	 "\t\t__builtin_ia32_vcvtps2ph256(a, 0));\n"
	 "#else\n$>"
	 "$<4#ifdef __F16C__\n"
	 "\treturn __builtin_ia32_vcvtph2ps(__builtin_ia32_vcvtps2ph(a, 0));\n"
	 "#elif defined __aarch64__\n"
	 "\treturn tn_unpack_$D_$X(tn_pack_$D_$X(a));\n"
	 "#else\n$>"
	 "\ttn_u32_$X s = (tn_u32_$X)a & 0x80000000;\n"
	 "\ttn_u32_$X u = (tn_u32_$X)a ^ s;\n"
	 "\ttn_u32_$X low = (tn_u32_$X)(u < 0x38800000);\n"
	 "\ttn_u32_$X inf = (tn_u32_$X)(u >= 0x477ff000);\n"
	 "\ttn_u32_$X nan = (tn_u32_$X)(u > 0x7f800000);\n"
	 "\ttn_u32_$X sub = (tn_u32_$X)((($V)u + 0.5f) - 0.5f);\n"
	 "\ttn_u32_$X nor = (u + 0xfff + (u >> 13 & 1)) & ~0x1fffu;\n"
	 "\n"
	 "\tu = (low & sub) | (~low & ~inf & nor) | (inf & 0x7f800000) |\n"
	 "\t    (nan & 0x400000);\n"
	 "\treturn ($V)(u | s);\n"
	 END_GPU
	 "$<16#endif\n$>$<8#endif\n$>$<4#endif\n$>"},
	/* f64 to f32, rounded to odd: an even neighbour gives way */
	{"odd", "D", "S", "vnl", "W:V",
	 "\ttn_f32_$X f = __builtin_convertvector(a, tn_f32_$X);\n"
	 "\t$V d = __builtin_convertvector(f, $V);\n"
	 "\t$V x = ($V)(($U)a & ~$s);\n"
	 "\t$V y = ($V)(($U)d & ~$s);\n"
	 "\ttn_i32_$X up = tn_cast_i64_i32_$X(($M)(y < x));\n"
	 "\ttn_i32_$X down = tn_cast_i64_i32_$X(($M)(y > x));\n"
	 "\ttn_i32_$X even = ((tn_i32_$X)f & 1) - 1;\n"
	 "\n"
	 "\treturn (tn_f32_$X)((tn_i32_$X)f + (even & (down - up)));\n"},

	/* float to float */
	{"cast", "HB", "S", "sv", "W:V", "=a"},
	{"cast", "HB", "D", "sv", "W:V", "=tn_cast_f32_f64_$X(a)"},
	{"cast", "DS", "DS", "s", "W:V", "=($W)a"},
	{"cast", "DS", "DS", "vn", "W:V", "=__builtin_convertvector(a, $W)"},

	/* integer to integer */
	{"cast", "iu", "iu", "s", "W:V", "=($W)a"},
	{"cast", "iu", "iu", "vk", "W:V",
	 "=tn_cast_$K_$T_$X(tn_cast_$D_$K_$X(a))"},
	{"cast", "iu", "iu", "vn", "W:V", "=__builtin_convertvector(a, $W)"},

	/* bool */
	{"cast", "o", "DSHBiu", "s", "W:V", "=a"},
	{"cast", "o", "SHB", "v", "W:V", "=($W)(a & 0x3f800000)"},
	{"cast", "o", "D", "v", "W:V", "=tn_cast_i32_f64_$X(-a)"},
	{"cast", "o", "iu", "v", "W:V", "=tn_cast_i32_$T_$X(-a)"},
	{"cast", "DSHBiu", "o", "sv", "W:V", "=tn_ne_$D_$X(a, ($V){0})"},

	/* integer to float */
	{"cast", "iu", "DS", "s", "W:V", "=($W)a"},
	{"cast", "hb", "HB", "s", "W:V", "=tn_round_$T_s((float)a)"},
	{"cast", "hb", "DS", "v", "W:V",
	 "=tn_cast_i32_$T_$X(tn_cast_$D_i32_$X(a))"},
	{"cast", "iu", "DS", "vn", "W:V", "=__builtin_convertvector(a, $W)"},
	{"cast", "hb", "HB", "v", "W:V",
	 "=tn_round_$T_$X(tn_cast_$D_f32_$X(a))"},
	/* beyond 2^17 all is infinity in f16, and below all is exact in f32 */
	{"cast", "i", "H", "sv", "W:V",
	 "\ta = tn_minimum_$D_$X(a, ($V){0} + 131072);\n"
	 "\ta = tn_maximum_$D_$X(a, ($V){0} - 131072);\n"
	 "\treturn tn_round_$T_$X(\n"
	 "\t\ttn_cast_i32_f32_$X(tn_cast_$D_i32_$X(a)));\n"},
	{"cast", "u", "H", "sv", "W:V",
	 "\ta = tn_minimum_$D_$X(a, ($V){0} + 131072);\n"
	 "\treturn tn_round_$T_$X(\n"
	 "\t\ttn_cast_i32_f32_$X(tn_cast_$D_i32_$X(a)));\n"},
	{"cast", "jJ", "B", "sv", "W:V",
	 "=tn_round_$T_f64_$X(tn_cast_$D_f64_$X(a))"},
	/*
	 * From 2^24 on the midpoints of bf16 are multiples of 2^16: the last
	 * 11 bits gather in the 12th, and f64 is exact.
	 */
	{"cast", "q", "B", "vl", "W:V",
	 "\ttn_u64_$X u = (tn_u64_$X)a + 0x1000000;\n"
	 "\t$V m = ($V)(u > 0x2000000);\n"
	 "\t$V w = (a | ((a & 0x7ff) + 0x7ff)) & ~(int64_t)0x7ff;\n"
	 "\n"
	 "\treturn tn_round_$T_f64_$X(\n"
	 "\t\ttn_cast_$D_f64_$X((m & w) | (~m & a)));\n"},
	{"cast", "Q", "B", "vl", "W:V",
	 "\t$V m = ($V)(a > 0x1000000);\n"
	 "\t$V w = (a | ((a & 0x7ff) + 0x7ff)) & ~(uint64_t)0x7ff;\n"
	 "\n"
	 "\treturn tn_round_$T_f64_$X(\n"
	 "\t\ttn_cast_$D_f64_$X((m & w) | (~m & a)));\n"},

	/* float to integer: NaN to 0, then into range, then toward zero */
	{"cast", "HB", "iu", "sv", "W:V", "=tn_cast_f32_$T_$X(a)"},
	{"cast", "S", "hb", "vl", "W:V",
	 "\ta = ($V)(($M)a & ($M)(a == a));\n"
	 "\ta = tn_maximum_$D_$X(a, ($V){$[$lf$]});\n"
	 "\ta = tn_minimum_$D_$X(a, ($V){$[$gf$]});\n"
	 "\treturn tn_cast_i32_$T_$X(\n"
	 "\t\t__builtin_convertvector(a, tn_i32_$X));\n"},
	{"cast", "D", "hbj", "vnl", "W:V",
	 "\ta = ($V)(($M)a & ($M)(a == a));\n"
	 "\ta = tn_maximum_$D_$X(a, ($V){$[$l$]});\n"
	 "\ta = tn_minimum_$D_$X(a, ($V){$[$g$]});\n"
	 "\treturn tn_cast_i32_$T_$X(\n"
	 "\t\t__builtin_convertvector(a, tn_i32_$X));\n"},
	{"cast", "D", "J", "vnl", "W:V",
	 "\ta = ($V)(($M)a & ($M)(a == a));\n"
	 "\ta = tn_maximum_$D_$X(a, ($V){$[$l$]});\n"
	 "\ta = tn_minimum_$D_$X(a, ($V){$[$g$]});\n"
	 "\treturn tn_cast_i64_$T_$X(\n"
	 "\t\t__builtin_convertvector(a, tn_i64_$X));\n"},
	{"cast", "S", "j", "vl", "W:V",
	 "\t$M low = ($M)(a < -0x1p31f);\n"
	 "\t$M high = ($M)(a >= 0x1p31f);\n"
	 "\t$M ok = ($M)(a == a) & ~(low | high);\n"
	 "\t$M r = __builtin_convertvector(($V)(($M)a & ok), $M);\n"
	 "\n"
	 "\treturn r | (high & 0x7fffffff) | (low & (-0x7fffffff - 1));\n"},
	{"cast", "S", "JqQ", "sv", "W:V",
	 "=tn_cast_f64_$T_$X(tn_cast_f32_f64_$X(a))"},
	{"cast", "D", "q", "vnl", "W:V",
	 "\t$M low = ($M)(a < -0x1p63);\n"
	 "\t$M high = ($M)(a >= 0x1p63);\n"
	 "\t$M ok = ($M)(a == a) & ~(low | high);\n"
	 "\t$M r = __builtin_convertvector(($V)(($M)a & ok), $M);\n"
	 "\n"
	 "\treturn r | (high & 0x7fffffffffffffff) |\n"
	 "\t       (low & (-0x7fffffffffffffff - 1));\n"},
	{"cast", "D", "Q", "vnl", "W:V",
	 "\t$U high = ($U)(a >= 0x1p64);\n"
	 "\t$U ok = ($U)(a > 0) & ~high;\n"
	 "\n"
	 "\treturn __builtin_convertvector(($V)(($U)a & ok), $U) | high;\n"},
	{0},
};
/* clang-format on */
