/*
 * cfuncs: the vector machine that generated C calls.
 *
 * The emitter prints kernels as calls such as tn_add_f16_v16(a, b). This
 * part supplies the text of the types and functions a source uses, and
 * only of those: no #include, only compiler builtins, so that a source
 * costs little to compile. The same text serves gcc and clang on every
 * instruction set: #if on predefined macros picks builtins, and each has a
 * portable twin with the same bits. The exceptions are functions with an
 * error bound in op.def, which use tn_mac: fused where the instruction set
 * has that. Within one set all numbers of lanes give the same bits.
 *
 * Registers. tn_<d>_v<L> holds L lanes (2, 4 ... 64) and tn_<d>_s one. f16
 * and bf16 live as float that the 16-bit dtype can hold exactly. bool lives
 * as _Bool in scalars and as int32_t lanes of 0 or -1 in vectors. The other
 * dtypes are themselves. A vector wider than the machine's is legal and
 * slow with gcc, which keeps it in memory: choose L so that the widest
 * dtype in use, or at least f32, fits.
 *
 * Names, with X one of s and v<L>, and d a dtype:
 *   tn_<d>_X                             register type
 *   tn_load_<d>_X(p)                     contiguous, any alignment
 *   tn_store_<d>_X(p, v)
 *   tn_loads_<d>_v<L>(p, stride)         strided, in bytes
 *   tn_stores_<d>_v<L>(p, stride, v)
 *   tn_loadn_<d>_v<L>(p, n)              the first n lanes, any n; 0 in the
 * rest tn_storen_<d>_v<L>(p, n, v) tn_keepn_<d>_v<L>(a, b, n)           the
 * first n lanes of a, else b's tn_stream_<d>_v<L>(p, v, past)       past the
 * caches if `past`, when p is aligned to the vector in memory tn_ahead(p)
 * tn_fence()               p is read soon; ends streaming tn_head(p, vector,
 * element, n)       elements from p on, at most n, before an aligned one; 0 if
 * none ever is tn_splat_<d>_v<L>(scalar) tn_iota_<d>_v<L>(int64_t start) also
 * _s: start as d tn_<op>_<d>_X(...)                   an ELEM op on operands of
 * dtype d; OP_ROUND is spelled rint, see below tn_cast_<from>_<to>_X(v)
 *   tn_where_<d>_X(c, a, b)
 *   tn_round_f16_X(f), tn_round_bf16_X(f)       the boundary from f32: f is
 *                                        any f32 register value
 *   tn_round_f16_f64_X(f), tn_round_bf16_f64_X(f)  the boundary from f64
 *   tn_hsum_ tn_hprod_ tn_hmax_ tn_hmin_<d>_v<L>(v)  a scalar, halves
 *                                        folded together, in d's arithmetic
 *   tn_lo_<d>_v<L>(v) tn_hi_<d>_v<L>(v)  halves; tn_join_<d>_v<L>(lo, hi)
 *   tn_div tn_mod tn_min tn_max          on int64_t, flooring
 *   tn_index(i, extent, st, value)       index from the end if negative;
 *                                        faults and gives 0 if out of range
 *   tn_fault(st, code, value, index)     keeps the first fault
 * floordiv, mod and pow of integers have the scalar form only, with further
 * arguments (TnStatus *st, uint32_t value, int64_t element).
 *
 * Since tn_round_f16_X is the boundary, OP_ROUND cannot have that name:
 * cfuncs_op() gives the spelling of every op.
 */
#ifndef TENON_EMIT_CFUNCS_H
#define TENON_EMIT_CFUNCS_H

#include "ir/program.h"

/* The functions one source uses. */
typedef struct CFuncs CFuncs;

/*
 * What a source is written in. CUDA C and OpenCL C have the scalar functions
 * only, from the same texts, with the bits of the C functions on a
 * machine with fused multiply-adds. There pointers are to global memory and
 * aligned to the element, what serves caches is missing, and TnStatus is an
 * array with one record for each value that may fault:
 * docs/decisions/gpu-functions.md. runtime/nvrtc.c and runtime/opencl.c tell
 * the compilers what the texts need, so that they mean what they mean in C.
 */
typedef enum CDialect {
	CD_C,
	CD_CUDA,
	CD_OPENCL
} CDialect;

CFuncs *cfuncs_new(Arena *a); /* in C */
CFuncs *cfuncs_new_in(Arena *a, CDialect dialect);
/*
 * Marks a function or type by its full name, and what it stands on: once for
 * each call that is printed, as elementary functions called often are kept
 * out of line. An unknown name is a bug.
 */
void cfuncs_need(CFuncs *c, const char *name);
/* True if cfuncs_need() would accept the name. */
bool cfuncs_has(const char *name);
bool cfuncs_has_in(CDialect dialect, const char *name);
/*
 * The ABI's declarations, then everything marked, in dependency order. Comes
 * after the last cfuncs_need().
 */
void cfuncs_print(CFuncs *c, Buf *out);
/* The op's name in function names: op_info's, but rint for OP_ROUND. */
const char *cfuncs_op(Op op);

#endif
