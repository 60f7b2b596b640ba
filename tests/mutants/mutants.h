/*
 * mutants: the contract violations that are planted, one row each.
 *
 * The edits are regular expressions (edit.h) on what emit makes of the
 * programs named; what they call is in planted.h. A row whose edits change
 * no bits of a program at a shape says nothing there; one that does must be
 * rejected. The quick run plants a row in its first program under every
 * dtype, and in the second one as written.
 */
#ifndef TENON_MUTANTS_MUTANTS_H
#define TENON_MUTANTS_MUTANTS_H

#include "edit.h"

#define MUT_EDITS 4

typedef struct Mutant {
	const char *name, *what;
	const char *programs; /* of examples/ or tests/mutants/ */
	const char *dtypes;   /* "-": only as written */
	Edit edits[MUT_EDITS];
} Mutant;

#define VAR   "(v[0-9]+)"
#define WIDTH "(s|v[0-9]+)"
#define SHORT "(f16|bf16)"

#define PROJECTIONS                                                            \
	"bias weight_view public_projection residual relu output_scale "       \
	"projection_join affine affine_relu residual_relu shared_projection "  \
	"two_layer gated_projections"
#define PRODUCTS                                                               \
	"gemm weight_view transposed_weight input_scale projection_chain "     \
	"norm_projection " PROJECTIONS

/* A store to a result or to a value that other kernels read. */
#define STORE                                                                  \
	"(tn_store_[a-z0-9]+_" WIDTH "\\(b(_[a-z0-9_]+|[0-9]+) \\+ |"          \
	"b(_[a-z0-9_]+|[0-9]+)\\[).*;$"

static const Mutant mutants[] = {
	{"skip-rounding", "the product's boundary is left out", PROJECTIONS,
	 "f16 bf16",
	 {{"_main", "tn_round_" SHORT "_" WIDTH "\\(" VAR "\\)", "\\3"}}},
	{"skip-sum-rounding", "an inner sum's boundary is left out",
	 "residual_relu", "f16 bf16",
	 {{"_main", "tn_add_" SHORT "_" WIDTH "\\(" VAR ", " VAR "\\)",
	   "(\\3 + \\4)", .then = "tn_add|load"}}},
	{"skip-operand-rounding", "a scaled operand's boundary is left out",
	 "input_scale", "f16 bf16",
	 {{"_pack_a", "tn_mul_" SHORT "_" WIDTH "\\(" VAR ", " VAR "\\)",
	   "(\\3 * \\4)"}}},
	{"round-products", "products round below the accumulator", PRODUCTS,
	 "f16 bf16 f32",
	 {{"_main", "tn_mac_f32_" WIDTH "\\((.*), " VAR ", " VAR "\\)",
	   "(MUT_@('n', \\2 * \\3) + \\4)"}}},
	{"round-accumulator", "sums round to the operands' dtype at each term",
	 PRODUCTS, "f16 bf16 f32",
	 {{"_main", "tn_mac_f32_" WIDTH "\\(.*\\)", "MUT_@('n', \\0)"}}},
	{"drop-k-tail", "the last K mod 16 terms are dropped", PRODUCTS,
	 "f16 bf16 f32",
	 {{"_main", "(i[0-9]+ < d_[KN]);", "\\1 / 16 * 16;"}}},
	{"drop-row-tail", "the last K mod 16 elements of a row are not summed",
	 "rmsnorm row_sum layer_norm_rows norm_projection", "f16 bf16 f32",
	 {{"_main", "(const int64_t n[0-9]+ = d_K);", "\\1 / 16 * 16;",
	   .nth = 1}}},
	{"drop-k-middle", "one term in the middle is dropped", PRODUCTS,
	 "f16 bf16 f32",
	 {{"_main",
	   "for \\(int64_t (i[0-9]+) = 0; i[0-9]+ < d_([KN]); .*\\{",
	   "\\0 if (\\1 == d_\\2 / 2) continue;"}}},
	{"double-k-term", "the first term counts twice", PRODUCTS,
	 "f16 bf16 f32",
	 {{"_main", "for \\(int64_t (i[0-9]+) = 0; (i[0-9]+ < d_[KN]); .*\\{",
	   "for (int64_t again_ = 0, \\1 = 0; \\2; "
	   "again_ ? \\1++ : (again_ = 1)) {"}}},
	{"fuse-across", "a product and a sum, two values, become one", "scale_bias",
	 "f32",
	 {{NULL, "const [a-z0-9_]+ " VAR " = " VAR " \\* " VAR ";",
	   "\\0 const __typeof__(\\2) mut_a = \\2, mut_b = \\3;"},
	  {NULL, VAR " \\+ " VAR ";", "MUT_FMA(mut_a, mut_b, \\2);"}}},
	{"fuse-across-short", "the same: the product loses its boundary",
	 "scale_bias output_scale", "f16 bf16",
	 {{NULL, "tn_mul_" SHORT "_" WIDTH "\\(" VAR ", " VAR "\\)",
	   "(\\3 * \\4)"}}},
	{"truncate", "rounds toward zero",
	 "weight_view softmax rmsnorm layer_norm_rows " PRODUCTS, "f16 bf16",
	 {{NULL, "tn_(round|cast_f32)_" SHORT "_" WIDTH "\\(" VAR "\\)",
	   "MUT_\\2('z', \\4)"}}},
	{"truncate-sums", "an elementwise sum rounds toward zero",
	 "bias scale_bias residual_relu column_add", "f16 bf16",
	 {{NULL, "tn_add_" SHORT "_" WIDTH "\\(" VAR ", " VAR "\\)",
	   "MUT_\\1('z', \\3 + \\4)"}}},
	{"ties-away", "ties round away from zero",
	 "weight_view input_scale " PRODUCTS, "f16 bf16",
	 {{NULL, "tn_(round|cast_f32)_" SHORT "_" WIDTH "\\(" VAR "\\)",
	   "MUT_\\2('a', \\4)"}}},
	{"saturate", "overflow gives the largest number",
	 "weight_view gemm input_scale", "f16 bf16",
	 {{NULL, "tn_(round|cast_f32)_" SHORT "_" WIDTH "\\(" VAR "\\)",
	   "MUT_\\2('s', \\4)"}}},
	{"round-twice", "f64 becomes a 16-bit float through f32", "narrowed", "-",
	 {{NULL, "tn_cast_f64_f16_s\\(" VAR "\\)",
	   "MUT_f16('n', (float)\\1)"},
	  {NULL, "tn_cast_f64_f16_v([0-9]+)\\(" VAR "\\)",
	   "MUT_f16('n', __builtin_convertvector(\\2, tn_f16_v\\1))"}}},
	{"wrong-dtype", "a boundary rounds to another dtype than declared",
	 PROJECTIONS, "f16 bf16",
	 {{NULL, "tn_round_" SHORT "_" WIDTH "\\(" VAR "\\)",
	   "MUT_~('n', \\3)"}}},
	{"wrong-dtype-f32", "an f32 sum rounds to f16",
	 "weight_view residual scale_bias layer_norm_rows rmsnorm", "f32",
	 {{NULL, "= (" VAR " [*+] " VAR ");", "= MUT_f16('n', \\1);"}}},
	{"skip-stores", "some elements are not stored",
	 "weight_view softmax rmsnorm scale_bias public_projection integers",
	 "f16 bf16 f32",
	 {{NULL, "^(\t*)(" STORE ")", "\\1if (!MUT_EVERY(13, 5)) \\2"}}},
	{"skip-last-tile", "the last row of tiles is not computed", PRODUCTS,
	 "f16 f32",
	 {{"_main", "(< tn_min\\(\\(d_M \\+ [0-9]+\\)/[0-9]+ - .*, [0-9]+\\));",
	   "\\1 - 1;"}}},
	{"skip-tail-rows", "rows of a partial tile are not stored", PRODUCTS,
	 "f16 f32",
	 {{"_main", "< tn_min\\((d_M - .*), ([0-9]+)\\);",
	   "< tn_min(\\1, \\2) / \\2 * \\2;"}}},
	{"skip-tail-columns", "elements after the last full vector are skipped",
	 "weight_view scale_bias softmax rmsnorm " PRODUCTS, "f16 f32",
	 {{"_main", "for \\(; (i[0-9]+ < n[0-9]+); ", "for (; 0 && \\1; "}}},
	{"stale-operand", "a packed operand of an earlier call is used",
	 PRODUCTS, "f16 f32",
	 {{"_pack_b", "const int64_t tasks = (.*);",
	   "static int done; const int64_t tasks = done++ ? 0 : (\\1);"}}},
	{"add-twice", "the addend is added twice",
	 "weight_view residual column_add affine two_layer", "f16 bf16",
	 {{NULL, "tn_add_" SHORT "_" WIDTH "\\(" VAR ", " VAR "\\)",
	   "tn_add_\\1_\\2(\\0, \\4)"}}},
	{"one-pass-variance", "variance as the mean square less the squared mean",
	 "layer_norm_rows", "f16 bf16 f32",
	 {{NULL, "= " VAR " - .*v[0-9]+\\)?;", "= \\1;",
	   "= (v[0-9]+) \\* \\1;"},
	  {NULL, "tn_div_f32_s\\(" VAR ", " VAR "\\)",
	   "(\\0 - mut_mean * mut_mean)", .nth = 2},
	  {NULL, "const tn_f32_s " VAR " = tn_div_f32_s\\(.*\\);",
	   "\\0 const tn_f32_s mut_mean = \\1;", .nth = 1}}},
	{"max-drops-nan", "a maximum that is a plain select",
	 "relu row_max affine_relu residual_relu shared_projection two_layer "
	 "pairs softmax",
	 "f16 bf16 f32",
	 {{NULL, "tn_maximum_[a-z0-9]+_" WIDTH "\\((v[0-9_]+), (.*)\\);",
	   "MUT_MAX(\\2, \\3);"}}},
	{"max-zero-sign", "a maximum of -0 and +0 that takes the first",
	 "pairs relu row_max", "f16 bf16 f32",
	 {{NULL, "tn_maximum_[a-z0-9]+_" WIDTH "\\((v[0-9_]+), (.*)\\);",
	   "MUT_MAX_ZERO(\\2, \\3);"}}},
	{"two-bit-patterns", "y takes another sum's p than the one returned",
	 "public_projection shared_projection", "f16 bf16 f32",
	 {{"_main",
	   "tn_store_" SHORT "_" WIDTH "\\(b_y \\+ \\((.*)\\), " VAR "\\);",
	   "tn_store_\\1_\\2(b_y + (\\3), MUT_$('n', MUT_$('n', "
	   "MUT_DOT_BACK(\\4, mut_get_$, {x}, {w}, \\3, d_K, d_N)) + "
	   "MUT_ADDEND(\\4, mut_get_$, {b}, \\3, d_N)));"}}},
	{"flush-results", "subnormal results become 0",
	 "pairs weight_view gemm input_scale softmax rmsnorm", "f16 bf16",
	 {{NULL,
	   "tn_(round|cast_f32|add|mul|sub)_" SHORT "_" WIDTH
	   "\\(v[0-9]+(, v[0-9]+)?\\)",
	   "MUT_\\2('f', \\0)"}}},
	{"flush-results-f32", "the same of f32", "pairs scale_bias", "f32",
	 {{NULL, "= (" VAR " [-*+] " VAR ");", "= MUT_f32('f', \\1);"}}},
	{"flush-inputs", "subnormal inputs are read as 0",
	 "pairs weight_view gemm rmsnorm column_add", "f16 bf16 f32",
	 {{NULL, "tn_load_(f16|bf16|f32)_" WIDTH "\\(b_.*\\)",
	   "MUT_\\1('f', \\0)"}}},
	{"next-row", "the transposed weight is read at n + 1 mod N",
	 "weight_view transposed_weight", "f16 bf16 f32",
	 {{"_pack_b", "(tn_load_[a-z0-9]+_" WIDTH "\\()(b_b?_?wt) \\+ \\((.*)\\)\\)",
	   "\\1\\3 + ((\\4) + d_K) % (d_N * d_K))"}}},
	{"untransposed", "the transposed weight is read as if it were not",
	 "weight_view transposed_weight", "f16 bf16 f32",
	 {{"_pack_b",
	   "const ([a-z0-9_]+) " VAR " = tn_load_[a-z0-9]+_" WIDTH
	   "\\((b_b?_?wt) \\+ \\((.*)\\)\\)",
	   "const \\1 \\2 = MUT_TRANSPOSED(\\1, mut_get_$, \\4, \\5, d_K)"}}},
	{"slice-start", "a slice starts one element early", "shifted",
	 "f16 bf16 f32",
	 {{NULL, "(tn_load_[a-z0-9]+_" WIDTH "\\(b_x .*) \\+ 1\\)", "\\1)"}}},
	{"wrong-axis", "a vector is broadcast along the other axis",
	 "column_add", "f16 bf16 f32",
	 {{NULL,
	   "tn_store_(f16|bf16|f32)_" WIDTH "\\((b[0-9]+) \\+ \\((.*)\\), " VAR
	   "\\)",
	   "tn_store_\\1_\\2(\\3 + (\\4), MUT_$('n', MUT_ROW_ADD(\\5, "
	   "mut_get_$, {x}, {b}, \\4, d_N)))"}}},
	{"softmax-no-maximum", "the row's maximum is not subtracted", "softmax",
	 "f16 bf16 f32",
	 {{NULL, "= " VAR " - .*v[0-9]+\\)?;", "= \\1;"}}},
	{"softmax-zero", "a softmax of zeros", "softmax", "f16 bf16 f32",
	 {{NULL, "(tn_div_f32_" WIDTH "\\(.*\\));", "\\1 * 0;"}}},
	{"softmax-short-weights", "the interior rounds to the input's dtype",
	 "softmax gated_projections", "f16 bf16 f32",
	 {{NULL, "tn_exp_f32_" WIDTH "\\(" VAR "\\)", "MUT_@('n', \\0)"}}},
	{"rsqrt-estimate", "a reciprocal root of 11 bits",
	 "rmsnorm layer_norm_rows norm_projection", "f16 bf16 f32",
	 {{NULL, "tn_rsqrt_f32_s\\(" VAR "\\)", "MUT_tf32('z', \\0)"}}},
	{"argmax-last", "argmax takes the last of equals", "row_max",
	 "f16 bf16 f32",
	 {{NULL, "(" VAR " >) (v[0-9]+\\)\\))", "\\1= \\3"}}},
	{"argmax-nan", "argmax passes over NaN", "row_max", "f16 bf16 f32",
	 {{NULL, VAR " == v[0-9]+ && \\(v[0-9]+ != v[0-9]+ \\|\\| (.*)\\)\\)",
	   "\\2)"}}},
	{"divide-truncates", "integer // rounds toward zero", "integers", "-",
	 {{NULL, "tn_floordiv_([iu][0-9]+)_s\\(" VAR ", " VAR ", .*\\);",
	   "(tn_\\1_s)(\\3 ? \\2 / \\3 : 0);"}}},
	{"modulo-truncates", "integer % takes the dividend's sign", "integers",
	 "-",
	 {{NULL, "tn_mod_([iu][0-9]+)_s\\(" VAR ", " VAR ", .*\\);",
	   "(tn_\\1_s)(\\3 ? \\2 % \\3 : 0);"}}},
	{"add-saturates", "an integer sum saturates", "integers", "-",
	 {{NULL, "tn_add_i8_" WIDTH "\\(" VAR ", " VAR "\\)",
	   "MUT_SATURATE(\\2, \\3)"}}},
};

#undef VAR
#undef WIDTH
#undef SHORT
#undef STORE
#undef PRODUCTS
#undef PROJECTIONS

#endif
