/*
 * cfuncs_text: how the functions of the vector machine are written down.
 *
 * Each file of the family holds tables of templates, one row a function for
 * a set of dtypes; cfuncs.c expands them. The first row that fits wins, so
 * that a special case stands before the general one.
 */
#ifndef TENON_EMIT_CFUNCS_TEXT_H
#define TENON_EMIT_CFUNCS_TEXT_H

#include "base/base.h"

/*
 * on, to: dtypes as a set of letters. D f64, S f32, H f16, B bf16, o bool,
 * i signed and u unsigned integers of any width; q i64, Q u64, j i32, J u32,
 * h 16-bit and b 8-bit integers. `to` is for functions of two dtypes, empty
 * else; "=" there means the same dtype as `on`.
 *
 * forms: what the row yields.
 *   s  the scalar, from the body
 *   v  vectors, from the body
 *   l  the scalar as lane 0 of a narrow vector
 *   e  vectors as the scalar applied to each lane
 *   n  (with v) beyond the machine's width, by halves; the width is that of
 *      the widest register in the signature
 *   N  (with v) as n, but the body works in 8-byte lanes
 *   k  only where the two dtypes' widths differ by more than a factor of 2
 *   2  only vectors of 2 lanes
 *   4  only vectors of 4 lanes
 *   o  kept out of line
 *   g  only on a GPU, where the vectors have 1 lane
 *   h  never on a GPU
 *
 * sig: return type, colon, argument types; arguments are named a, b, c ...
 *   V register of on   W register of to   B bool register   T scalar of on
 *   M memory vector    F f32 register     p const void *    P void *
 *   I int64_t          - void             H half of V       U value id
 *   Y void * of the caller's own
 *   Z TnStatus *       E int32_t          X scalar of to   N uint64_t
 *
 * body: "=expr" or statements, with
 *   $D $T    names of on and to           $X    v<L> or s
 *   $L $h    lanes, half the lanes        $H    the suffix of half
 *   $V $W    registers                    $t    the scalar of on
 *   $M $U    int and unsigned vector with the lanes' width of $V
 *   $m       memory dtype (u16 of f16 and bf16, u8 of bool)
 *   $K       the integer dtype a factor of 2 on the way from on to to
 *   $w $q    bits of $V's lanes, and that less one
 *   $u       the cast to $U of a scalar whose sums may overflow, which only C
 *            can be told to wrap (-fwrapv)
 *   $c       f for f32 constants, nothing for f64
 *   $s       the sign bit of $V's lanes
 *   $l $g    least and largest value of the integer `to`, as double text
 *   $[ $]    the text between once a lane, joined by commas; $i the lane
 *   $<n  $>  the text between only if L is n
 */
typedef struct CTemplate {
	const char *op;
	const char *on, *to;
	const char *forms, *sig, *body;
} CTemplate;

/* Tables end with a row whose op is NULL. */
extern const CTemplate cfuncs_memory[];
extern const CTemplate cfuncs_integer[];
extern const CTemplate cfuncs_float[];
extern const CTemplate cfuncs_casts[];
extern const CTemplate cfuncs_elementary[];
extern const CTemplate cfuncs_elementary64[];

/* The types of runtime/abi.h that all dialects have. */
/* clang-format off */
#define FAULT_TYPES                                                            \
	"typedef struct TnStatus {\n" \
	"\tint32_t code;\n" \
	"\tuint32_t value;\n" \
	"\tint64_t index;\n" \
	"} TnStatus;\n" \
	"typedef enum TnFault {\n" \
	"\tTN_FAULT_NONE,\n" \
	"\tTN_FAULT_INDEX,\n" \
	"\tTN_FAULT_DIVISION,\n" \
	"\tTN_FAULT_EXPONENT,\n" \
	"} TnFault;\n"
/* clang-format on */

/* Whether a name may have the character. */
bool cfuncs_is_word(char c);

/* ---- cfuncs_cuda.c, cfuncs_opencl.c ---------------------------------- */

/* What a source in CUDA C begins with; lanes: TnLane too. */
void cfuncs_cuda_head(Buf *out, bool lanes);
/* An expanded function in CUDA C. */
const char *cfuncs_cuda_text(Arena *a, const char *text);
/* A text with its conditionals decided; those on __CUDA_ARCH__ stay if cuda. */
const char *cfuncs_decide(Arena *a, const char *text, bool cuda);
void cfuncs_opencl_head(Buf *out);
/* An expanded function in OpenCL C. */
const char *cfuncs_opencl_text(Arena *a, const char *text);

#endif
