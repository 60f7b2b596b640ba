/*
 * cfuncs_memory: loads, stores, splats, halves and folds.
 *
 * 16-bit floats are converted between memory and registers by F16C,
 * AVX-512 or aarch64's instructions where there are, else by integer
 * arithmetic: exact both ways, since a register holds only values of the dtype.
 */
#include "emit/cfuncs_text.h"

#include <stddef.h>

#include "emit/cfuncs_poly.h"

/* clang-format off */

/*
 * The first b lanes from memory, and to it, with the masks of AVX-512: for
 * each register width the lanes of it, and the builtin's name and type.
 */
#define LOADN(lanes, name, type, mask)                                         \
	"$<" lanes "#ifdef __AVX512VL__\n"                                     \
	"\treturn ($V)__builtin_ia32_load" name "_mask(\n"                     \
	"\t\ta, (" type "){0}, (" mask ")tn_lanes(b));\n"      \
	"#else\n$>"
#define STOREN(lanes, name, type, mask)                                        \
	"$<" lanes "#ifdef __AVX512VL__\n"                                     \
	"\t__builtin_ia32_store" name "_mask(\n"                               \
	"\t\ta, (" type ")c, (" mask ")tn_lanes(b));\n"        \
	"#else\n$>"
#define END(lanes) "$<" lanes "#endif\n$>"
#define FIRST(on, l512, l256, l128, suffix, type, m512, m256, m128)            \
	{"loadn", on, "", "v", "V:pI",                                         \
	 LOADN(l512, suffix "512", type, m512)                                 \
	 LOADN(l256, suffix "256", type, m256)                                 \
	 LOADN(l128, suffix "128", type, m128)                                 \
	 "\t$V r = {0};\n"                                                     \
	 "\n"                                                                  \
	 "\tfor (int64_t i = 0; i < b && i < $L; i++)\n"                        \
	 "\t\tr[i] = ((const tn_$D_su *)a)[i];\n"            \
	 "\treturn r;\n"                                                       \
	 END(l512) END(l256) END(l128)},                                       \
	{"storen", on, "", "v", "-:PIV",                                       \
	 STOREN(l512, suffix "512", type, m512)                                \
	 STOREN(l256, suffix "256", type, m256)                                \
	 STOREN(l128, suffix "128", type, m128)                                \
	 "\tfor (int64_t i = 0; i < b && i < $L; i++)\n"                        \
	 "\t\t((tn_$D_su *)a)[i] = c[i];\n"            \
	 END(l512) END(l256) END(l128)}

/*
 * Past the caches: what clang does by itself, gcc by a builtin of floats,
 * whatever the vector holds.
 */
#define STREAM1(lanes, f32lanes, on, width)                                    \
	"$<" lanes "#if defined " on " && !defined __clang__\n"                \
	"\tif (c) {\n"                                                         \
	"\t\t__builtin_ia32_movntps" width "(a, (tn_f32_v" f32lanes ")b);\n"   \
	"\t\treturn;\n"                                                        \
	"\t}\n"                                                                \
	"#elif defined " on "\n"                                               \
	"\tif (c) {\n"                                                         \
	"\t\t__builtin_nontemporal_store(b, ($V *)a);\n"                       \
	"\t\treturn;\n"                                                        \
	"\t}\n"                                                                \
	"#endif\n$>"
#define STREAM(on, l512, l256, l128)                                           \
	{"stream", on, "", "v", "-:PVE",                                       \
	 "\t(void)c;\n"                                                        \
	 STREAM1(l512, "16", "__AVX512F__", "512")                             \
	 STREAM1(l256, "8", "__AVX__", "256")                                  \
	 STREAM1(l128, "4", "__SSE2__", "")                                    \
	 "\t*(tn_$D_$Xu *)a = b;\n"}

/* Four lanes of 32 bits within their register: narrower ones are slow. */
#define FOLD4(name, op)                                                        \
	{name, "SHBjJ", "", "v4", "T:V",                                       \
	 "\t$V b = tn_" op "_$D_$X(\n"                                         \
	 "\t\ta, __builtin_shufflevector(a, a, 2, 3, 0, 1));\n"                \
	 "\n"                                                                  \
	 "\treturn tn_" op "_$D_$X(\n"                                         \
	 "\t\tb, __builtin_shufflevector(b, b, 1, 0, 3, 2))[0];\n"}

const CTemplate cfuncs_memory[] = {
	/* bits of a vector */
	{"lo", "DSHBiuo", "", "vn", "H:V",
	 "=__builtin_shufflevector(a, a, $($i$))$|"
	 "=*(const tn_$D_$Hu *)&a"},
	{"hi", "DSHBiuo", "", "vn", "H:V",
	 "=__builtin_shufflevector(a, a, $($j$))$|"
	 "=((const tn_$D_$Hu *)&a)[1]"},
	{"join", "DSHBiuo", "", "vn", "V:HH",
	 "=__builtin_shufflevector(a, b, $[$i$])$|"
	 "\t$V r;\n"
	 "\n"
	 "\t((tn_$D_$Hu *)&r)[0] = a;\n"
	 "\t((tn_$D_$Hu *)&r)[1] = b;\n"
	 "\treturn r;\n"},
	/* the lanes of two vectors in turn: of their first, or second halves */
	{"ziplo", "DSHBiuo", "", "v", "V:VV",
	 "=__builtin_shufflevector(a, b, $($i, $L + $i$))"},
	{"ziphi", "DSHBiuo", "", "v", "V:VV",
	 "=__builtin_shufflevector(a, b, $($j, $L + $j$))"},
	/* the L vectors at a, transposed */
	{"turn", "DSHBiuo", "", "vo", "-:P",
	 "\t$V other[$L], *from = a, *to = other;\n"
	 "\n"
	 "\tfor (int bit = 1; bit < $L; bit *= 2) {\n"
	 "\t\t$V *last = from;\n"
	 "\n"
	 "\t\tfor (int i = 0; i < $h; i++) {\n"
	 "\t\t\tto[2 * i] = tn_ziplo_$D_$X(from[i], from[i + $h]);\n"
	 "\t\t\tto[2 * i + 1] = tn_ziphi_$D_$X(from[i], from[i + $h]);\n"
	 "\t\t}\n"
	 "\t\tfrom = to;\n"
	 "\t\tto = last;\n"
	 "\t}\n"
	 "\tfor (int i = 0; from == other && i < $L; i++)\n"
	 "\t\tto[i] = from[i];\n"},
	{"splat", "DSHBiuo", "", "s", "V:T", "=a"},
	{"splat", "o", "", "v", "V:T",
	 "\tint32_t m = -(int32_t)a;\n"
	 "\n"
	 "\treturn ($V){$[m$]};\n"},
	{"splat", "DSHBiu", "", "v", "V:T",
	 "=($V){$[a$]}"},
	{"any", "o", "", "gv", "T:V",
	 "=a[0] != 0"},
	{"any", "o", "", "v2", "T:V",
	 "=(a[0] | a[1]) != 0"},
	{"any", "o", "", "v", "T:V",
	 "#if defined __AVX512F__ && $L == 16\n"
	 "\treturn __builtin_ia32_cmpd512_mask(a, ($V){0}, 4, -1) != 0;\n"
	 "#elif defined __AVX2__ && $L == 8\n"
	 "\treturn __builtin_ia32_movmskps256((tn_f32_$X)a) != 0;\n"
	 "#elif defined __SSE2__ && $L == 4\n"
	 "\treturn __builtin_ia32_movmskps((tn_f32_$X)a) != 0;\n"
	 "#else\n"
	 "\treturn tn_any_bool_$H(tn_lo_bool_$X(a) | tn_hi_bool_$X(a));\n"
	 "#endif\n"},

	/* memory */
	{"load", "DSiu", "", "sv", "V:p",
	 "=*(const tn_$D_$Xu *)a"},
	{"load", "HBo", "", "sv", "V:p",
	 "=tn_unpack_$D_$X(*(const tn_$m_$Xu *)a)"},
	{"store", "DSiu", "", "sv", "-:PV",
	 "\t*(tn_$D_$Xu *)a = b;\n"},
	{"store", "HBo", "", "sv", "-:PV",
	 "\t*(tn_$m_$Xu *)a = tn_pack_$D_$X(b);\n"},
	{"loads", "DSiu", "", "v", "V:pI",
	 "\tconst char *p = a;\n"
	 "\n"
	 "\treturn ($V){$[*(const tn_$D_su *)(p + $i * b)$]};\n"},
	{"loads", "HBo", "", "v", "V:pI",
	 "=tn_unpack_$D_$X(tn_loads_$m_$X(a, b))"},
	/* every second one: the last lies at 2 L - 2, and no more is read */
	{"load2", "h", "", "v", "V:p",
	 "$<16#if defined __AVX512BW__ && !defined __clang__\n"
	 "\treturn ($V)__builtin_ia32_pmovdw512_mask(\n"
	 "\t\t(tn_i32_v16)__builtin_ia32_loaddquhi512_mask(\n"
	 "\t\t\ta, (tn_i16_v32){0}, 0x7fffffff),\n"
	 "\t\t(tn_i16_v16){0}, -1);\n"
	 "#else\n$>"
	 "\tconst tn_$D_su *p = a;\n"
	 "\n"
	 "\treturn ($V){$[p[2 * $i]$]};\n"
	 "$<16#endif\n$>"},
	{"load2", "HB", "", "v", "V:p",
	 "=tn_unpack_$D_$X(tn_load2_$m_$X(a))"},
	/* the first b of them */
	{"load2n", "h", "", "v", "V:pI",
	 "$<16#if defined __AVX512BW__ && !defined __clang__\n"
	 "\treturn ($V)__builtin_ia32_pmovdw512_mask(\n"
	 "\t\t(tn_i32_v16)__builtin_ia32_loaddquhi512_mask(\n"
	 "\t\t\ta, (tn_i16_v32){0},\n"
	 "\t\t\t(uint32_t)tn_lanes(b < 16 ? 2 * b - 1 : 31)),\n"
	 "\t\t(tn_i16_v16){0}, -1);\n"
	 "#else\n$>"
	 "\tconst tn_$D_su *p = a;\n"
	 "\t$V r = {0};\n"
	 "\n"
	 "\tfor (int64_t i = 0; i < b && i < $L; i++)\n"
	 "\t\tr[i] = p[2 * i];\n"
	 "\treturn r;\n"
	 "$<16#endif\n$>"},
	{"load2n", "HB", "", "v", "V:pI",
	 "=tn_unpack_$D_$X(tn_load2n_$m_$X(a, b))"},
	{"stores", "DSiu", "", "v", "-:PIV",
	 "\tchar *p = a;\n"
	 "\n"
	 "\tfor (int i = 0; i < $L; i++)\n"
	 "\t\t*(tn_$D_su *)(p + i * b) = c[i];\n"},
	{"stores", "HBo", "", "v", "-:PIV",
	 "\ttn_stores_$m_$X(a, b, tn_pack_$D_$X(c));\n"},

	/* the first b lanes, none if b is below 1; the others load as zeros */
	{"lanes", "", "", "sh", "N:I",
	 "=a < 1 ? 0 : a > 63 ? ~0ull : (1ull << a) - 1"},
	FIRST("DqQ", "8", "4", "2", "upd", "tn_f64_$X", "uint8_t", "uint8_t",
	      "uint8_t"),
	FIRST("SjJ", "16", "8", "4", "ups", "tn_f32_$X", "uint16_t", "uint8_t",
	      "uint8_t"),
	FIRST("h", "32", "16", "8", "dquhi", "tn_i16_$X", "uint32_t", "uint16_t",
	      "uint8_t"),
	FIRST("b", "64", "32", "16", "dquqi",
	      "char __attribute__((vector_size($L)))", "uint64_t", "uint32_t",
	      "uint16_t"),
	{"loadn", "HBo", "", "v", "V:pI",
	 "=tn_unpack_$D_$X(tn_loadn_$m_$X(a, b))"},
	{"storen", "HBo", "", "v", "-:PIV",
	 "\ttn_storen_$m_$X(a, b, tn_pack_$D_$X(c));\n"},
	{"keepn", "DSHBiuo", "", "v", "V:VVI",
	 "\t$M n = ($M){0} + (tn_i$w_s)c;\n"
	 "\t$U m = ($U)(($M){$[$i$]} < n);\n"
	 "\n"
	 "\treturn ($V)((m & ($U)a) | (~m & ($U)b));\n"},
	STREAM("DqQ", "8", "4", "2"),
	STREAM("SjJ", "16", "8", "4"),
	STREAM("h", "32", "16", "8"),
	STREAM("b", "64", "32", "16"),
	{"stream", "HBo", "", "v", "-:PVE",
	 "\ttn_stream_$m_$X(a, tn_pack_$D_$X(b), c);\n"},
	{"head", "", "", "sh", "I:pIII",
	 "\tint64_t n = -(int64_t)a & (b - 1);\n"
	 "\n"
	 "\tif (n % c != 0)\n"
	 "\t\treturn 0;\n"
	 "\treturn n / c < d ? n / c : d;\n"},
	{"ahead", "", "", "sh", "-:p",
	 "\t__builtin_prefetch(a, 0, 2);\n"},
	{"fence", "", "", "sh", "-:",
	 "#ifdef __SSE2__\n"
	 "\t__builtin_ia32_sfence();\n"
	 "#else\n"
	 "\t__atomic_thread_fence(__ATOMIC_SEQ_CST);\n"
	 "#endif\n"},

	/* between memory and registers */
	{"unpack", "o", "", "s", "V:M",
	 "=a != 0"},
	{"unpack", "o", "", "v", "V:M",
	 "=(tn_i32_$X)(tn_cast_u8_u32_$X(a) != 0)"},
	{"pack", "o", "", "s", "M:V",
	 "=a"},
	{"pack", "o", "", "v", "M:V",
	 "=tn_cast_u32_u8_$X((tn_u32_$X)a & 1)"},
	/* gcc would widen by halves */
	{"unpack", "B", "", "vl", "V:M",
	 "$<16#if defined __AVX512F__ && !defined __clang__\n"
	 "\treturn ($V)(__builtin_ia32_pmovzxwd512_mask(\n"
	 "\t\t\t     (tn_i16_v16)a, (tn_i32_v16){0}, -1)\n"
	 "\t\t     << 16);\n"
	 "#else\n$>"
	 "\treturn ($V)(tn_cast_u16_u32_$X(a) << 16);\n"
	 "$<16#endif\n$>"},
	{"pack", "B", "", "vl", "M:V",
	 "$<16#if defined __AVX512F__ && !defined __clang__\n"
	 "\treturn (tn_u16_v16)__builtin_ia32_pmovdw512_mask(\n"
	 "\t\t(tn_i32_v16)((tn_u32_v16)a >> 16), (tn_i16_v16){0}, -1);\n"
	 "#else\n$>"
	 "\treturn tn_cast_u32_u16_$X((tn_u32_$X)a >> 16);\n"
	 "$<16#endif\n$>"},
	/* The exponent moves by 112; a product by 2^112 normalises. */
	{"unpack", "H", "", "vnl", "V:M",
	 ON_GPU("float r;", "cvt.f32.f16 %0, %1;", "=f", "h")
	 "$<16#ifdef __AVX512F__\n"
	 "\treturn (tn_f32_v16)__builtin_ia32_vcvtph2ps512_mask(\n"
	 "\t\t(tn_i16_v16)a, (tn_f32_v16){0}, -1, 4);\n"
	 "#else\n$>"
	 "$<8#ifdef __F16C__\n"
	 "\treturn __builtin_ia32_vcvtph2ps256((tn_i16_v8)a);\n"
	 "#else\n$>"
	 "$<4#ifdef __F16C__\n"
	 "\treturn __builtin_ia32_vcvtph2ps((tn_i16_v8)__builtin_shufflevector(\n"
	 "\t\ta, a, 0, 1, 2, 3, 0, 1, 2, 3));\n"
	 "#elif defined __aarch64__\n"
	 "\ttypedef __fp16 Half __attribute__((vector_size(8)));\n"
	 "#ifdef __clang__\n"
	 "\treturn __builtin_convertvector((Half)a, $V);\n"
	 "#else\n"
	 "\treturn __builtin_aarch64_float_extend_lo_v4sf((Half)a);\n"
	 "#endif\n"
	 "#else\n$>"
	 "\ttn_u32_$X w = tn_cast_u16_u32_$X(a);\n"
	 "\ttn_u32_$X m = (w & 0x7fff) << 13;\n"
	 "\ttn_u32_$X top = (tn_u32_$X)(m >= 0x0f800000) & 0x7f800000;\n"
	 "\n"
	 "\treturn ($V)((tn_u32_$X)(($V)m * 0x1p112f) | top |\n"
	 "\t\t      (w & 0x8000) << 16);\n"
	 END_GPU
	 "$<16#endif\n$>$<8#endif\n$>$<4#endif\n$>"},
	{"pack", "H", "", "vnl", "M:V",
	 ON_GPU("uint16_t r;", "cvt.rn.f16.f32 %0, %1;", "=h", "f")
	 "$<16#ifdef __AVX512F__\n"
	 "\treturn (tn_u16_v16)__builtin_ia32_vcvtps2ph512_mask(\n"
	 "\t\ta, 0, (tn_i16_v16){0}, -1);\n"
	 "#else\n$>"
	 "$<8#ifdef __F16C__\n"
	 "\treturn (tn_u16_v8)__builtin_ia32_vcvtps2ph256(a, 0);\n"
	 "#else\n$>"
	 "$<4#ifdef __F16C__\n"
	 "\ttn_i16_v8 r = (tn_i16_v8)__builtin_ia32_vcvtps2ph(a, 0);\n"
	 "\n"
	 "\treturn (tn_u16_v4)__builtin_shufflevector(r, r, 0, 1, 2, 3);\n"
	 "#elif defined __aarch64__\n"
	 "#ifdef __clang__\n"
	 "\ttypedef __fp16 Half __attribute__((vector_size(8)));\n"
	 "\treturn (tn_u16_v4)__builtin_convertvector(a, Half);\n"
	 "#else\n"
	 "\treturn (tn_u16_v4)__builtin_aarch64_float_truncate_lo_v4hf(a);\n"
	 "#endif\n"
	 "#else\n$>"
	 "\ttn_u32_$X u = (tn_u32_$X)a & 0x7fffffff;\n"
	 "\ttn_u32_$X low = (tn_u32_$X)(u < 0x38800000);\n"
	 "\ttn_u32_$X inf = (tn_u32_$X)(u >= 0x7f800000);\n"
	 "\ttn_u32_$X nan = (tn_u32_$X)(u > 0x7f800000);\n"
	 "\ttn_u32_$X sub = (tn_u32_$X)(($V)u + 0.5f) - 0x3f000000;\n"
	 "\ttn_u32_$X nor = (u - 0x38000000) >> 13;\n"
	 "\ttn_u32_$X r = (low & sub) | (~low & ~inf & nor) |\n"
	 "\t\t\t(inf & 0x7c00) | (nan & 0x0200);\n"
	 "\n"
	 "\treturn tn_cast_u32_u16_$X(r | ((tn_u32_$X)a >> 16 & 0x8000));\n"
	 END_GPU
	 "$<16#endif\n$>$<8#endif\n$>$<4#endif\n$>"},

	/* folds: halves together until one lane is left */
	{"hsum", "DSHBiu", "", "v2", "T:V",
	 "=tn_add_$D_s(a[0], a[1])"},
	FOLD4("hsum", "add"),
	{"hsum", "DSHBiu", "", "v", "T:V",
	 "=tn_hsum_$D_$H(tn_add_$D_$H(tn_lo_$D_$X(a), tn_hi_$D_$X(a)))"},
	{"hprod", "DSHBiu", "", "v2", "T:V",
	 "=tn_mul_$D_s(a[0], a[1])"},
	FOLD4("hprod", "mul"),
	{"hprod", "DSHBiu", "", "v", "T:V",
	 "=tn_hprod_$D_$H(tn_mul_$D_$H(tn_lo_$D_$X(a), tn_hi_$D_$X(a)))"},
	{"hmax", "o", "", "v", "T:V",
	 "=tn_any_bool_$X(a)"},
	{"hmin", "o", "", "v", "T:V",
	 "=!tn_any_bool_$X(~a)"},
	{"hmax", "DSHBiu", "", "v2", "T:V",
	 "=tn_maximum_$D_s(a[0], a[1])"},
	FOLD4("hmax", "maximum"),
	{"hmax", "DSHBiu", "", "v", "T:V",
	 "=tn_hmax_$D_$H(tn_maximum_$D_$H(tn_lo_$D_$X(a), tn_hi_$D_$X(a)))"},
	{"hmin", "DSHBiu", "", "v2", "T:V",
	 "=tn_minimum_$D_s(a[0], a[1])"},
	FOLD4("hmin", "minimum"),
	{"hmin", "DSHBiu", "", "v", "T:V",
	 "=tn_hmin_$D_$H(tn_minimum_$D_$H(tn_lo_$D_$X(a), tn_hi_$D_$X(a)))"},

	/* sequences */
	{"iota", "DSHBiu", "", "s", "V:I",
	 "=tn_cast_i64_$D_s(a)"},
	{"iota", "q", "", "v", "V:I",
	 "=a + ($V){$[$i$]}"},
	{"iota", "DSHBiu", "", "v", "V:I",
	 "=tn_cast_i64_$D_$X(tn_iota_i64_$X(a))"},
	{0},
};
/* clang-format on */
