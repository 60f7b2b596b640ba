/*
 * k0: region 0 of attend, by attention rows=32 queries=16 lanes=8 keys=6 columns=6 block=48 pack_k=1 pack_v=1
 * rows of a block of queries held in scratch; keys that no query of the block sees are skipped
 *   %4 = matmul: f32, line 9
 *   %5 = const: f32, line 9
 *   %7 = mul: f32, line 9
 *   %12 = le: bool, line 9
 *   %13 = const: f32, line 9
 *   %16 = where: f32, line 9
 *   %17 = max: f32, line 9
 *   %19 = sub: f32, line 9
 *   %20 = exp: f32, line 9
 *   %21 = cast: f16, line 9
 *   %22 = matmul: f32, line 9
 *   %23 = sum: f32, line 9
 *   %25 = div: f32, line 9
 *   %26 = cast: f16, line 9
 */
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef struct TnStatus {
	int32_t code;
	uint32_t value;
	int64_t index;
} TnStatus;
typedef enum TnFault {
	TN_FAULT_NONE,
	TN_FAULT_INDEX,
	TN_FAULT_DIVISION,
	TN_FAULT_EXPONENT,
} TnFault;
typedef struct TnArgs {
	void *const *buffers;
	const int64_t *dims;
	char *scratch;
	int64_t scratch_stride;
	int64_t *next;
} TnArgs;
typedef void TnKernel(const TnArgs *args, int worker, int workers,
		      TnStatus *status);

#pragma GCC diagnostic ignored "-Wpsabi"
#define TN_INLINE static inline __attribute__((always_inline, unused))
#define TN_APART static __attribute__((noinline, unused))
TN_INLINE int64_t tn_min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}
typedef float tn_f16_v8 __attribute__((vector_size(32)));
typedef uint16_t tn_u16_v8 __attribute__((vector_size(16)));
typedef int16_t tn_i16_v8 __attribute__((vector_size(16)));
typedef uint32_t tn_u32_v8 __attribute__((vector_size(32)));
typedef uint32_t tn_u32_v4 __attribute__((vector_size(16)));
typedef uint32_t tn_u32_v4u __attribute__((vector_size(16), aligned(1), may_alias));
TN_INLINE tn_u32_v8 tn_join_u32_v8(tn_u32_v4 a, tn_u32_v4 b)
{
#ifdef __AVX2__
	return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
#else
	tn_u32_v8 r;

	((tn_u32_v4u *)&r)[0] = a;
	((tn_u32_v4u *)&r)[1] = b;
	return r;
#endif
}
typedef uint16_t tn_u16_v4 __attribute__((vector_size(8)));
TN_INLINE tn_u32_v4 tn_cast_u16_u32_v4(tn_u16_v4 a)
{
	return __builtin_convertvector(a, tn_u32_v4);
}
TN_INLINE tn_u16_v4 tn_lo_u16_v8(tn_u16_v8 a)
{
	return __builtin_shufflevector(a, a, 0, 1, 2, 3);
}
TN_INLINE tn_u16_v4 tn_hi_u16_v8(tn_u16_v8 a)
{
	return __builtin_shufflevector(a, a, 4, 5, 6, 7);
}
TN_INLINE tn_u32_v8 tn_cast_u16_u32_v8(tn_u16_v8 a)
{
#ifdef __AVX2__
	return __builtin_convertvector(a, tn_u32_v8);
#else
	return tn_join_u32_v8(tn_cast_u16_u32_v4(tn_lo_u16_v8(a)),
		tn_cast_u16_u32_v4(tn_hi_u16_v8(a)));
#endif
}
typedef float tn_f16_v4 __attribute__((vector_size(16)));
typedef float tn_f16_v4u __attribute__((vector_size(16), aligned(1), may_alias));
TN_INLINE tn_f16_v8 tn_join_f16_v8(tn_f16_v4 a, tn_f16_v4 b)
{
#ifdef __AVX2__
	return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
#else
	tn_f16_v8 r;

	((tn_f16_v4u *)&r)[0] = a;
	((tn_f16_v4u *)&r)[1] = b;
	return r;
#endif
}
TN_INLINE tn_f16_v4 tn_unpack_f16_v4(tn_u16_v4 a)
{
#ifdef __F16C__
	return __builtin_ia32_vcvtph2ps((tn_i16_v8)__builtin_shufflevector(
		a, a, 0, 1, 2, 3, 0, 1, 2, 3));
#else
	tn_u32_v4 w = tn_cast_u16_u32_v4(a);
	tn_u32_v4 m = (w & 0x7fff) << 13;
	tn_u32_v4 top = (tn_u32_v4)(m >= 0x0f800000) & 0x7f800000;

	return (tn_f16_v4)((tn_u32_v4)((tn_f16_v4)m * 0x1p112f) | top |
		      (w & 0x8000) << 16);
#endif
}
TN_INLINE tn_f16_v8 tn_unpack_f16_v8(tn_u16_v8 a)
{
#ifdef __AVX2__
#ifdef __F16C__
	return __builtin_ia32_vcvtph2ps256((tn_i16_v8)a);
#else
	tn_u32_v8 w = tn_cast_u16_u32_v8(a);
	tn_u32_v8 m = (w & 0x7fff) << 13;
	tn_u32_v8 top = (tn_u32_v8)(m >= 0x0f800000) & 0x7f800000;

	return (tn_f16_v8)((tn_u32_v8)((tn_f16_v8)m * 0x1p112f) | top |
		      (w & 0x8000) << 16);
#endif
#else
	return tn_join_f16_v8(tn_unpack_f16_v4(tn_lo_u16_v8(a)),
		tn_unpack_f16_v4(tn_hi_u16_v8(a)));
#endif
}
typedef uint16_t tn_u16_v8u __attribute__((vector_size(16), aligned(1), may_alias));
TN_INLINE tn_f16_v8 tn_load_f16_v8(const void *a)
{
	return tn_unpack_f16_v8(*(const tn_u16_v8u *)a);
}
typedef float tn_f32_v8 __attribute__((vector_size(32)));
TN_INLINE tn_f32_v8 tn_cast_f16_f32_v8(tn_f16_v8 a)
{
	return a;
}
TN_INLINE int64_t tn_div(int64_t a, int64_t b)
{
	if (b == 0)
		return 0;
	return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}
typedef float tn_f32_su __attribute__((aligned(1), may_alias));
TN_INLINE void tn_stores_f32_v8(void *a, int64_t b, tn_f32_v8 c)
{
	char *p = a;

	for (int i = 0; i < 8; i++)
		*(tn_f32_su *)(p + i * b) = c[i];
}
typedef float tn_f32_s;
typedef float tn_f32_v8u __attribute__((vector_size(32), aligned(1), may_alias));
TN_INLINE void tn_store_f32_v8(void *a, tn_f32_v8 b)
{
	*(tn_f32_v8u *)a = b;
}
typedef float tn_f16_s;
typedef uint16_t tn_u16_s;
TN_INLINE tn_f16_s tn_unpack_f16_s(tn_u16_s a)
{
	return tn_unpack_f16_v4((tn_u16_v4){a})[0];
}
typedef uint16_t tn_u16_su __attribute__((aligned(1), may_alias));
TN_INLINE tn_f16_s tn_load_f16_s(const void *a)
{
	return tn_unpack_f16_s(*(const tn_u16_su *)a);
}
TN_INLINE tn_f32_s tn_cast_f16_f32_s(tn_f16_s a)
{
	return a;
}
TN_INLINE tn_f32_v8 tn_splat_f32_v8(tn_f32_s a)
{
	return (tn_f32_v8){a, a, a, a, a, a, a, a};
}
TN_INLINE tn_f32_v8 tn_load_f32_v8(const void *a)
{
	return *(const tn_f32_v8u *)a;
}
typedef float tn_f32_v4 __attribute__((vector_size(16)));
typedef float tn_f32_v4u __attribute__((vector_size(16), aligned(1), may_alias));
TN_INLINE tn_f32_v8 tn_join_f32_v8(tn_f32_v4 a, tn_f32_v4 b)
{
#ifdef __AVX2__
	return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
#else
	tn_f32_v8 r;

	((tn_f32_v4u *)&r)[0] = a;
	((tn_f32_v4u *)&r)[1] = b;
	return r;
#endif
}
TN_INLINE tn_f32_v4 tn_fma_f32_v4(tn_f32_v4 a, tn_f32_v4 b, tn_f32_v4 c)
{
#ifdef __FMA__
	return __builtin_ia32_vfmaddps(a, b, c);
#else
	tn_f32_v4 r = {0};

	for (int i = 0; i < 4; i++)
		r[i] = __builtin_fmaf(a[i], b[i], c[i]);
	return r;
#endif
}
TN_INLINE tn_f32_v4 tn_lo_f32_v8(tn_f32_v8 a)
{
#ifdef __AVX2__
	return __builtin_shufflevector(a, a, 0, 1, 2, 3);
#else
	return *(const tn_f32_v4u *)&a;
#endif
}
TN_INLINE tn_f32_v4 tn_hi_f32_v8(tn_f32_v8 a)
{
#ifdef __AVX2__
	return __builtin_shufflevector(a, a, 4, 5, 6, 7);
#else
	return ((const tn_f32_v4u *)&a)[1];
#endif
}
TN_INLINE tn_f32_v8 tn_fma_f32_v8(tn_f32_v8 a, tn_f32_v8 b, tn_f32_v8 c)
{
#ifdef __AVX2__
#ifdef __FMA__
	return __builtin_ia32_vfmaddps256(a, b, c);
#else
	tn_f32_v8 r = {0};

	for (int i = 0; i < 8; i++)
		r[i] = __builtin_fmaf(a[i], b[i], c[i]);
	return r;
#endif
#else
	return tn_join_f32_v8(tn_fma_f32_v4(tn_lo_f32_v8(a), tn_lo_f32_v8(b), tn_lo_f32_v8(c)),
		tn_fma_f32_v4(tn_hi_f32_v8(a), tn_hi_f32_v8(b), tn_hi_f32_v8(c)));
#endif
}
TN_INLINE tn_f32_v8 tn_mac_f32_v8(tn_f32_v8 a, tn_f32_v8 b, tn_f32_v8 c)
{
#if defined __FMA__ || defined __ARM_FEATURE_FMA
	return tn_fma_f32_v8(a, b, c);
#else
	return a * b + c;
#endif
}
typedef int32_t tn_i32_v8 __attribute__((vector_size(32)));
typedef int64_t tn_i64_v8 __attribute__((vector_size(64)));
typedef int32_t tn_i32_v4 __attribute__((vector_size(16)));
typedef int32_t tn_i32_v4u __attribute__((vector_size(16), aligned(1), may_alias));
TN_INLINE tn_i32_v8 tn_join_i32_v8(tn_i32_v4 a, tn_i32_v4 b)
{
#ifdef __AVX2__
	return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
#else
	tn_i32_v8 r;

	((tn_i32_v4u *)&r)[0] = a;
	((tn_i32_v4u *)&r)[1] = b;
	return r;
#endif
}
typedef int64_t tn_i64_v4 __attribute__((vector_size(32)));
typedef int32_t tn_i32_v2 __attribute__((vector_size(8)));
TN_INLINE tn_i32_v4 tn_join_i32_v4(tn_i32_v2 a, tn_i32_v2 b)
{
	return __builtin_shufflevector(a, b, 0, 1, 2, 3);
}
typedef int64_t tn_i64_v2 __attribute__((vector_size(16)));
TN_INLINE tn_i32_v2 tn_cast_i64_i32_v2(tn_i64_v2 a)
{
	return __builtin_convertvector(a, tn_i32_v2);
}
typedef int64_t tn_i64_v2u __attribute__((vector_size(16), aligned(1), may_alias));
TN_INLINE tn_i64_v2 tn_lo_i64_v4(tn_i64_v4 a)
{
#ifdef __AVX2__
	return __builtin_shufflevector(a, a, 0, 1);
#else
	return *(const tn_i64_v2u *)&a;
#endif
}
TN_INLINE tn_i64_v2 tn_hi_i64_v4(tn_i64_v4 a)
{
#ifdef __AVX2__
	return __builtin_shufflevector(a, a, 2, 3);
#else
	return ((const tn_i64_v2u *)&a)[1];
#endif
}
TN_INLINE tn_i32_v4 tn_cast_i64_i32_v4(tn_i64_v4 a)
{
#ifdef __AVX2__
	return __builtin_convertvector(a, tn_i32_v4);
#else
	return tn_join_i32_v4(tn_cast_i64_i32_v2(tn_lo_i64_v4(a)),
		tn_cast_i64_i32_v2(tn_hi_i64_v4(a)));
#endif
}
typedef int64_t tn_i64_v4u __attribute__((vector_size(32), aligned(1), may_alias));
TN_INLINE tn_i64_v4 tn_lo_i64_v8(tn_i64_v8 a)
{
#ifdef __AVX512F__
	return __builtin_shufflevector(a, a, 0, 1, 2, 3);
#else
	return *(const tn_i64_v4u *)&a;
#endif
}
TN_INLINE tn_i64_v4 tn_hi_i64_v8(tn_i64_v8 a)
{
#ifdef __AVX512F__
	return __builtin_shufflevector(a, a, 4, 5, 6, 7);
#else
	return ((const tn_i64_v4u *)&a)[1];
#endif
}
TN_INLINE tn_i32_v8 tn_cast_i64_i32_v8(tn_i64_v8 a)
{
#ifdef __AVX512F__
	return __builtin_convertvector(a, tn_i32_v8);
#else
	return tn_join_i32_v8(tn_cast_i64_i32_v4(tn_lo_i64_v8(a)),
		tn_cast_i64_i32_v4(tn_hi_i64_v8(a)));
#endif
}
TN_INLINE tn_i64_v8 tn_iota_i64_v8(int64_t a)
{
	return a + (tn_i64_v8){0, 1, 2, 3, 4, 5, 6, 7};
}
TN_INLINE tn_i32_v8 tn_iota_i32_v8(int64_t a)
{
	return tn_cast_i64_i32_v8(tn_iota_i64_v8(a));
}
TN_INLINE int64_t tn_max(int64_t a, int64_t b)
{
	return a > b ? a : b;
}
typedef int32_t tn_i32_s;
TN_INLINE tn_i32_v8 tn_splat_i32_v8(tn_i32_s a)
{
	return (tn_i32_v8){a, a, a, a, a, a, a, a};
}
typedef int32_t tn_bool_v8 __attribute__((vector_size(32)));
TN_INLINE tn_i32_v8 tn_cast_i32_i32_v8(tn_i32_v8 a)
{
	return a;
}
TN_INLINE tn_bool_v8 tn_ge_i32_v8(tn_i32_v8 a, tn_i32_v8 b)
{
	return tn_cast_i32_i32_v8((tn_i32_v8)(a >= b));
}
TN_INLINE tn_f32_v8 tn_where_f32_v8(tn_bool_v8 a, tn_f32_v8 b, tn_f32_v8 c)
{
	tn_i32_v8 m = tn_cast_i32_i32_v8(a);

	return (tn_f32_v8)((m & (tn_i32_v8)b) | (~m & (tn_i32_v8)c));
}
TN_INLINE tn_f32_v4 tn_above_f32_v4(tn_f32_v4 a, tn_f32_v4 b)
{
#ifdef __SSE2__
	return __builtin_ia32_maxps(a, b);
#else
	tn_u32_v4 m = (tn_u32_v4)(a > b);

	return (tn_f32_v4)((m & (tn_u32_v4)a) | (~m & (tn_u32_v4)b));
#endif
}
TN_INLINE tn_f32_v8 tn_above_f32_v8(tn_f32_v8 a, tn_f32_v8 b)
{
#ifdef __AVX2__
#ifdef __AVX__
	return __builtin_ia32_maxps256(a, b);
#else
	tn_u32_v8 m = (tn_u32_v8)(a > b);

	return (tn_f32_v8)((m & (tn_u32_v8)a) | (~m & (tn_u32_v8)b));
#endif
#else
	return tn_join_f32_v8(tn_above_f32_v4(tn_lo_f32_v8(a), tn_lo_f32_v8(b)),
		tn_above_f32_v4(tn_hi_f32_v8(a), tn_hi_f32_v8(b)));
#endif
}
TN_INLINE tn_f32_v8 tn_maximum_f32_v8(tn_f32_v8 a, tn_f32_v8 b)
{
	tn_u32_v8 nan = (tn_u32_v8)(a != a) | (tn_u32_v8)(b != b);

	return (tn_f32_v8)(((tn_u32_v8)tn_above_f32_v8(a, b) &
		      (tn_u32_v8)tn_above_f32_v8(b, a)) | nan);
}
TN_INLINE tn_f32_v4 tn_exp_f32_v4(tn_f32_v4 a)
{
	tn_u32_v4 high = (tn_u32_v4)(a > 89.0f);
	tn_u32_v4 low = (tn_u32_v4)(a < -104.0f);
	tn_u32_v4 in = ~(high | low) & (tn_u32_v4)a;
	tn_f32_v4 x = (tn_f32_v4)(in | (high & 0x42b20000) | (low & 0xc2d00000));
	tn_f32_v4 t = x * 0x1.715476p0f + 0x1.8p23f;
	tn_f32_v4 k = t - 0x1.8p23f;
	tn_f32_v4 r = (x - k * 0x1.62e4p-1f) - k * 0x1.7f7d1cp-20f;
	tn_f32_v4 p = r * 0x1.6d117cp-10f + 0x1.120be2p-7f;
	tn_i32_v4 n = (tn_i32_v4)t - 0x4b400000;
	tn_i32_v4 h = n >> 1;

	p = p * r + 0x1.555518p-5f;
	p = p * r + 0x1.5554dcp-3f;
	p = p * r + 0.5f;
	p = 1.0f + (r + r * r * p);
	return p * (tn_f32_v4)((h + 127) << 23) * (tn_f32_v4)((n - h + 127) << 23);
}
TN_INLINE tn_f32_v8 tn_exp_f32_v8(tn_f32_v8 a)
{
#ifdef __AVX2__
	tn_u32_v8 high = (tn_u32_v8)(a > 89.0f);
	tn_u32_v8 low = (tn_u32_v8)(a < -104.0f);
	tn_u32_v8 in = ~(high | low) & (tn_u32_v8)a;
	tn_f32_v8 x = (tn_f32_v8)(in | (high & 0x42b20000) | (low & 0xc2d00000));
	tn_f32_v8 t = x * 0x1.715476p0f + 0x1.8p23f;
	tn_f32_v8 k = t - 0x1.8p23f;
	tn_f32_v8 r = (x - k * 0x1.62e4p-1f) - k * 0x1.7f7d1cp-20f;
	tn_f32_v8 p = r * 0x1.6d117cp-10f + 0x1.120be2p-7f;
	tn_i32_v8 n = (tn_i32_v8)t - 0x4b400000;
	tn_i32_v8 h = n >> 1;

	p = p * r + 0x1.555518p-5f;
	p = p * r + 0x1.5554dcp-3f;
	p = p * r + 0.5f;
	p = 1.0f + (r + r * r * p);
	return p * (tn_f32_v8)((h + 127) << 23) * (tn_f32_v8)((n - h + 127) << 23);
#else
	return tn_join_f32_v8(tn_exp_f32_v4(tn_lo_f32_v8(a)),
		tn_exp_f32_v4(tn_hi_f32_v8(a)));
#endif
}
TN_INLINE tn_f16_v4 tn_round_f16_v4(tn_f32_v4 a)
{
#ifdef __F16C__
	return __builtin_ia32_vcvtph2ps(__builtin_ia32_vcvtps2ph(a, 0));
#else
	tn_u32_v4 s = (tn_u32_v4)a & 0x80000000;
	tn_u32_v4 u = (tn_u32_v4)a ^ s;
	tn_u32_v4 low = (tn_u32_v4)(u < 0x38800000);
	tn_u32_v4 inf = (tn_u32_v4)(u >= 0x477ff000);
	tn_u32_v4 nan = (tn_u32_v4)(u > 0x7f800000);
	tn_u32_v4 sub = (tn_u32_v4)(((tn_f16_v4)u + 0.5f) - 0.5f);
	tn_u32_v4 nor = (u + 0xfff + (u >> 13 & 1)) & ~0x1fffu;

	u = (low & sub) | (~low & ~inf & nor) | (inf & 0x7f800000) |
	    (nan & 0x400000);
	return (tn_f16_v4)(u | s);
#endif
}
TN_INLINE tn_f16_v8 tn_round_f16_v8(tn_f32_v8 a)
{
#ifdef __AVX2__
#ifdef __F16C__
	return __builtin_ia32_vcvtph2ps256(
		__builtin_ia32_vcvtps2ph256(a, 0));
#else
	tn_u32_v8 s = (tn_u32_v8)a & 0x80000000;
	tn_u32_v8 u = (tn_u32_v8)a ^ s;
	tn_u32_v8 low = (tn_u32_v8)(u < 0x38800000);
	tn_u32_v8 inf = (tn_u32_v8)(u >= 0x477ff000);
	tn_u32_v8 nan = (tn_u32_v8)(u > 0x7f800000);
	tn_u32_v8 sub = (tn_u32_v8)(((tn_f16_v8)u + 0.5f) - 0.5f);
	tn_u32_v8 nor = (u + 0xfff + (u >> 13 & 1)) & ~0x1fffu;

	u = (low & sub) | (~low & ~inf & nor) | (inf & 0x7f800000) |
	    (nan & 0x400000);
	return (tn_f16_v8)(u | s);
#endif
#else
	return tn_join_f16_v8(tn_round_f16_v4(tn_lo_f32_v8(a)),
		tn_round_f16_v4(tn_hi_f32_v8(a)));
#endif
}
TN_INLINE tn_f16_v8 tn_cast_f32_f16_v8(tn_f32_v8 a)
{
	return tn_round_f16_v8(a);
}
TN_INLINE tn_f32_v8 tn_loads_f32_v8(const void *a, int64_t b)
{
	const char *p = a;

	return (tn_f32_v8){*(const tn_f32_su *)(p + 0 * b), *(const tn_f32_su *)(p + 1 * b), *(const tn_f32_su *)(p + 2 * b), *(const tn_f32_su *)(p + 3 * b), *(const tn_f32_su *)(p + 4 * b), *(const tn_f32_su *)(p + 5 * b), *(const tn_f32_su *)(p + 6 * b), *(const tn_f32_su *)(p + 7 * b)};
}
TN_INLINE tn_f32_v8 tn_div_f32_v8(tn_f32_v8 a, tn_f32_v8 b)
{
	return a / b;
}
TN_INLINE tn_u16_v8 tn_join_u16_v8(tn_u16_v4 a, tn_u16_v4 b)
{
	return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
}
TN_INLINE tn_u16_v4 tn_cast_u32_u16_v4(tn_u32_v4 a)
{
	return __builtin_convertvector(a, tn_u16_v4);
}
TN_INLINE tn_u32_v4 tn_lo_u32_v8(tn_u32_v8 a)
{
#ifdef __AVX2__
	return __builtin_shufflevector(a, a, 0, 1, 2, 3);
#else
	return *(const tn_u32_v4u *)&a;
#endif
}
TN_INLINE tn_u32_v4 tn_hi_u32_v8(tn_u32_v8 a)
{
#ifdef __AVX2__
	return __builtin_shufflevector(a, a, 4, 5, 6, 7);
#else
	return ((const tn_u32_v4u *)&a)[1];
#endif
}
TN_INLINE tn_u16_v8 tn_cast_u32_u16_v8(tn_u32_v8 a)
{
#ifdef __AVX2__
	return __builtin_convertvector(a, tn_u16_v8);
#else
	return tn_join_u16_v8(tn_cast_u32_u16_v4(tn_lo_u32_v8(a)),
		tn_cast_u32_u16_v4(tn_hi_u32_v8(a)));
#endif
}
TN_INLINE tn_u16_v4 tn_pack_f16_v4(tn_f16_v4 a)
{
#ifdef __F16C__
	tn_i16_v8 r = (tn_i16_v8)__builtin_ia32_vcvtps2ph(a, 0);

	return (tn_u16_v4)__builtin_shufflevector(r, r, 0, 1, 2, 3);
#else
	tn_u32_v4 u = (tn_u32_v4)a & 0x7fffffff;
	tn_u32_v4 low = (tn_u32_v4)(u < 0x38800000);
	tn_u32_v4 inf = (tn_u32_v4)(u >= 0x7f800000);
	tn_u32_v4 nan = (tn_u32_v4)(u > 0x7f800000);
	tn_u32_v4 sub = (tn_u32_v4)((tn_f16_v4)u + 0.5f) - 0x3f000000;
	tn_u32_v4 nor = (u - 0x38000000) >> 13;
	tn_u32_v4 r = (low & sub) | (~low & ~inf & nor) |
			(inf & 0x7c00) | (nan & 0x0200);

	return tn_cast_u32_u16_v4(r | ((tn_u32_v4)a >> 16 & 0x8000));
#endif
}
TN_INLINE tn_f16_v4 tn_lo_f16_v8(tn_f16_v8 a)
{
#ifdef __AVX2__
	return __builtin_shufflevector(a, a, 0, 1, 2, 3);
#else
	return *(const tn_f16_v4u *)&a;
#endif
}
TN_INLINE tn_f16_v4 tn_hi_f16_v8(tn_f16_v8 a)
{
#ifdef __AVX2__
	return __builtin_shufflevector(a, a, 4, 5, 6, 7);
#else
	return ((const tn_f16_v4u *)&a)[1];
#endif
}
TN_INLINE tn_u16_v8 tn_pack_f16_v8(tn_f16_v8 a)
{
#ifdef __AVX2__
#ifdef __F16C__
	return (tn_u16_v8)__builtin_ia32_vcvtps2ph256(a, 0);
#else
	tn_u32_v8 u = (tn_u32_v8)a & 0x7fffffff;
	tn_u32_v8 low = (tn_u32_v8)(u < 0x38800000);
	tn_u32_v8 inf = (tn_u32_v8)(u >= 0x7f800000);
	tn_u32_v8 nan = (tn_u32_v8)(u > 0x7f800000);
	tn_u32_v8 sub = (tn_u32_v8)((tn_f16_v8)u + 0.5f) - 0x3f000000;
	tn_u32_v8 nor = (u - 0x38000000) >> 13;
	tn_u32_v8 r = (low & sub) | (~low & ~inf & nor) |
			(inf & 0x7c00) | (nan & 0x0200);

	return tn_cast_u32_u16_v8(r | ((tn_u32_v8)a >> 16 & 0x8000));
#endif
#else
	return tn_join_u16_v8(tn_pack_f16_v4(tn_lo_f16_v8(a)),
		tn_pack_f16_v4(tn_hi_f16_v8(a)));
#endif
}
TN_INLINE void tn_store_f16_v8(void *a, tn_f16_v8 b)
{
	*(tn_u16_v8u *)a = tn_pack_f16_v8(b);
}

#define TN_EXPORT __attribute__((visibility("default")))
#define TN_REG __attribute__((unused))

TN_EXPORT void k0_pack_k(const TnArgs *args, int worker, int workers,
		TnStatus *st)
{
	const int64_t d_H = args->dims[0];
	const int64_t d_S = args->dims[2];
	float *const pack_k = args->buffers[0];
	const uint16_t *const b_k = args->buffers[1];
	const int64_t tasks = d_H*((d_S + 5)/6);

	(void)worker;
	(void)workers;
	(void)st;
	for (;;) {
		const int64_t t = __atomic_fetch_add(args->next, 1, __ATOMIC_RELAXED);
		if (t >= tasks)
			break;
		const int64_t i0 = t / ((d_S + 5)/6);
		const int64_t i1 = t % ((d_S + 5)/6);
		for (int64_t i2 = 0; i2 < tn_min(d_S - 6*i1, 6); i2++) {
			{
				int64_t i3 = 0;
				for (; i3 <= 56; i3 += 8) {
					/* %1 k = input: line 8 */
					const tn_f16_v8 v0 = tn_load_f16_v8(b_k + (64*d_S*i0 + 384*i1 + 64*i2 + i3));
					const tn_f32_v8 v1 = tn_cast_f16_f32_v8(v0);
					tn_stores_f32_v8(pack_k + (384*i0*((d_S + 5)/6) + 384*i1 + i2 + 6*i3), 24, v1);
				}
			}
		}
		for (int64_t i4 = 0; i4 < 6 - tn_min(d_S - 6*i1, 6); i4++) {
			for (int64_t i5 = 0; i5 < 64; i5++) {
				const tn_f32_s v2 = 0x0p+0f;
				pack_k[384*i0*((d_S + 5)/6) + 384*i1 + 6*i5 + 5 - i4] = v2;
			}
		}
	}
}

TN_EXPORT void k0_pack_v(const TnArgs *args, int worker, int workers,
		TnStatus *st)
{
	const int64_t d_H = args->dims[0];
	const int64_t d_S = args->dims[2];
	float *const pack_v = args->buffers[2];
	const uint16_t *const b_v = args->buffers[3];
	const int64_t tasks = 11*d_H;

	(void)worker;
	(void)workers;
	(void)st;
	for (;;) {
		const int64_t t = __atomic_fetch_add(args->next, 1, __ATOMIC_RELAXED);
		if (t >= tasks)
			break;
		const int64_t i6 = t / 11;
		const int64_t i7 = t % 11;
		for (int64_t i8 = 0; i8 < d_S; i8++) {
			{
				const int64_t n9 = tn_min(64 - 6*i7, 6);
				int64_t i9 = 0;
				for (; i9 <= n9 - 8; i9 += 8) {
					/* %2 v = input: line 8 */
					const tn_f16_v8 v3 = tn_load_f16_v8(b_v + (64*d_S*i6 + 6*i7 + 64*i8 + i9));
					const tn_f32_v8 v4 = tn_cast_f16_f32_v8(v3);
					tn_store_f32_v8(pack_v + (66*d_S*i6 + 6*d_S*i7 + 6*i8 + i9), v4);
				}
				for (; i9 < n9; i9++) {
					const tn_f16_s v3 = tn_load_f16_s(b_v + (64*d_S*i6 + 6*i7 + 64*i8 + i9));
					const tn_f32_s v4 = tn_cast_f16_f32_s(v3);
					pack_v[66*d_S*i6 + 6*d_S*i7 + 6*i8 + i9] = v4;
				}
			}
		}
		for (int64_t i10 = 0; i10 < 6 - tn_min(64 - 6*i7, 6); i10++) {
			for (int64_t i11 = 0; i11 < d_S; i11++) {
				const tn_f32_s v5 = 0x0p+0f;
				pack_v[66*d_S*i6 + 6*d_S*i7 + 6*i11 + 5 - i10] = v5;
			}
		}
	}
}

TN_EXPORT void k0_main(const TnArgs *args, int worker, int workers,
		TnStatus *st)
{
	const int64_t d_H = args->dims[0];
	const int64_t d_L = args->dims[1];
	const int64_t d_S = args->dims[2];
	char *const scratch = args->scratch + worker * args->scratch_stride;
	float *const held = (float *)(scratch + 0);
	float *const pack_k = args->buffers[0];
	float *const pack_v = args->buffers[2];
	const uint16_t *const b_v = args->buffers[3];
	float *const query = (float *)(scratch + (768*((d_S + 5)/6)));
	float *const raw = (float *)(scratch + (768*((d_S + 5)/6) + 8192));
	float *const weights = (float *)(scratch + (768*((d_S + 5)/6) + 8960));
	float *const out = (float *)(scratch + (768*((d_S + 5)/6) + 15104));
	float *const poison = (float *)(scratch + (768*((d_S + 5)/6) + 23552));
	const uint16_t *const b_q = args->buffers[4];
	float *const kept = (float *)(scratch + (768*((d_S + 5)/6) + 23808));
	float *const kept_1 = (float *)(scratch + (768*((d_S + 5)/6) + 23936));
	uint16_t *const b26 = args->buffers[5];
	const int64_t tasks = d_H*((d_L + 31)/32);

	(void)worker;
	(void)workers;
	(void)st;
	for (;;) {
		const int64_t t = __atomic_fetch_add(args->next, 1, __ATOMIC_RELAXED);
		if (t >= tasks)
			break;
		const int64_t i12 = t / ((d_L + 31)/32);
		const int64_t i13 = t % ((d_L + 31)/32);
		TN_REG tn_f32_v8 r_fold_0 = {0};
		TN_REG tn_f32_v8 r_fold_1 = {0};
		TN_REG tn_f32_v8 r_fold_2 = {0};
		TN_REG tn_f32_v8 r_fold_3 = {0};
		TN_REG tn_f32_v8 r_acc_0_0 = {0};
		TN_REG tn_f32_v8 r_acc_0_1 = {0};
		TN_REG tn_f32_v8 r_acc_1_0 = {0};
		TN_REG tn_f32_v8 r_acc_1_1 = {0};
		TN_REG tn_f32_v8 r_acc_2_0 = {0};
		TN_REG tn_f32_v8 r_acc_2_1 = {0};
		TN_REG tn_f32_v8 r_acc_3_0 = {0};
		TN_REG tn_f32_v8 r_acc_3_1 = {0};
		TN_REG tn_f32_v8 r_acc_4_0 = {0};
		TN_REG tn_f32_v8 r_acc_4_1 = {0};
		TN_REG tn_f32_v8 r_acc_5_0 = {0};
		TN_REG tn_f32_v8 r_acc_5_1 = {0};
		TN_REG tn_f32_v8 r_right_0 = {0};
		TN_REG tn_f32_v8 r_right_1 = {0};
		TN_REG tn_f32_v8 r_fold_1_0 = {0};
		TN_REG tn_f32_v8 r_fold_1_1 = {0};
		TN_REG tn_f32_v8 r_fold_1_2 = {0};
		TN_REG tn_f32_v8 r_fold_1_3 = {0};
		TN_REG tn_f32_v8 r_acc_1_0_0 = {0};
		TN_REG tn_f32_v8 r_acc_1_0_1 = {0};
		TN_REG tn_f32_v8 r_acc_1_1_0 = {0};
		TN_REG tn_f32_v8 r_acc_1_1_1 = {0};
		TN_REG tn_f32_v8 r_acc_1_2_0 = {0};
		TN_REG tn_f32_v8 r_acc_1_2_1 = {0};
		TN_REG tn_f32_v8 r_acc_1_3_0 = {0};
		TN_REG tn_f32_v8 r_acc_1_3_1 = {0};
		TN_REG tn_f32_v8 r_acc_1_4_0 = {0};
		TN_REG tn_f32_v8 r_acc_1_4_1 = {0};
		TN_REG tn_f32_v8 r_acc_1_5_0 = {0};
		TN_REG tn_f32_v8 r_acc_1_5_1 = {0};
		TN_REG tn_f32_v8 r_right_1_0 = {0};
		TN_REG tn_f32_v8 r_right_1_1 = {0};
		for (int64_t i14 = 0; i14 < tn_min(d_L - 32*i13, 32); i14++) {
			{
				int64_t i15 = 0;
				for (; i15 <= 56; i15 += 8) {
					/* %0 q = input: line 8 */
					const tn_f16_v8 v6 = tn_load_f16_v8(b_q + (64*d_L*i12 + 2048*i13 + 64*i14 + i15));
					const tn_f32_v8 v7 = tn_cast_f16_f32_v8(v6);
					tn_stores_f32_v8(query + (i14 + 32*i15), 128, v7);
				}
			}
		}
		for (int64_t i16 = 0; i16 < 32 - tn_min(d_L - 32*i13, 32); i16++) {
			for (int64_t i17 = 0; i17 < 64; i17++) {
				const tn_f32_s v8 = 0x0p+0f;
				query[i16 + 32*i17 + tn_min(d_L - 32*i13, 32)] = v8;
			}
		}
		for (int64_t i18 = 0; i18 < 66; i18++) {
			{
				const tn_f32_s v9 = 0x0p+0f;
				tn_store_f32_v8(out + (32*i18), tn_splat_f32_v8(v9));
			}
			{
				const tn_f32_s v9 = 0x0p+0f;
				tn_store_f32_v8(out + (32*i18 + 8), tn_splat_f32_v8(v9));
			}
			{
				const tn_f32_s v9 = 0x0p+0f;
				tn_store_f32_v8(out + (32*i18 + 16), tn_splat_f32_v8(v9));
			}
			{
				const tn_f32_s v9 = 0x0p+0f;
				tn_store_f32_v8(out + (32*i18 + 24), tn_splat_f32_v8(v9));
			}
		}
		{
			const tn_f32_s v10 = -__builtin_inff();
			r_fold_0 = tn_splat_f32_v8(v10);
		}
		{
			const tn_f32_s v10 = -__builtin_inff();
			r_fold_1 = tn_splat_f32_v8(v10);
		}
		{
			const tn_f32_s v10 = -__builtin_inff();
			r_fold_2 = tn_splat_f32_v8(v10);
		}
		{
			const tn_f32_s v10 = -__builtin_inff();
			r_fold_3 = tn_splat_f32_v8(v10);
		}
		for (int64_t i21 = 0; i21 < tn_min((d_S + 5)/6, (16*i13)/3 + 6); i21++) {
			for (int64_t i22 = 0; i22 < 2; i22++) {
				{
					const tn_f32_s v11 = 0x0p+0f;
					r_acc_0_0 = tn_splat_f32_v8(v11);
				}
				{
					const tn_f32_s v11 = 0x0p+0f;
					r_acc_0_1 = tn_splat_f32_v8(v11);
				}
				{
					const tn_f32_s v11 = 0x0p+0f;
					r_acc_1_0 = tn_splat_f32_v8(v11);
				}
				{
					const tn_f32_s v11 = 0x0p+0f;
					r_acc_1_1 = tn_splat_f32_v8(v11);
				}
				{
					const tn_f32_s v11 = 0x0p+0f;
					r_acc_2_0 = tn_splat_f32_v8(v11);
				}
				{
					const tn_f32_s v11 = 0x0p+0f;
					r_acc_2_1 = tn_splat_f32_v8(v11);
				}
				{
					const tn_f32_s v11 = 0x0p+0f;
					r_acc_3_0 = tn_splat_f32_v8(v11);
				}
				{
					const tn_f32_s v11 = 0x0p+0f;
					r_acc_3_1 = tn_splat_f32_v8(v11);
				}
				{
					const tn_f32_s v11 = 0x0p+0f;
					r_acc_4_0 = tn_splat_f32_v8(v11);
				}
				{
					const tn_f32_s v11 = 0x0p+0f;
					r_acc_4_1 = tn_splat_f32_v8(v11);
				}
				{
					const tn_f32_s v11 = 0x0p+0f;
					r_acc_5_0 = tn_splat_f32_v8(v11);
				}
				{
					const tn_f32_s v11 = 0x0p+0f;
					r_acc_5_1 = tn_splat_f32_v8(v11);
				}
				for (int64_t i25 = 0; i25 < 64; i25++) {
					{
						const tn_f32_v8 v12 = tn_load_f32_v8(query + (16*i22 + 32*i25));
						r_right_0 = v12;
					}
					{
						const tn_f32_v8 v12 = tn_load_f32_v8(query + (16*i22 + 32*i25 + 8));
						r_right_1 = v12;
					}
					{
						const tn_f32_s v13 = pack_k[384*i12*((d_S + 5)/6) + 384*i21 + 6*i25];
						{
							const tn_f32_v8 v14 = r_right_0;
							const tn_f32_v8 v15 = r_acc_0_0;
							const tn_f32_v8 v16 = tn_mac_f32_v8(tn_splat_f32_v8(v13), v14, v15);
							r_acc_0_0 = v16;
						}
						{
							const tn_f32_v8 v14 = r_right_1;
							const tn_f32_v8 v15 = r_acc_0_1;
							const tn_f32_v8 v16 = tn_mac_f32_v8(tn_splat_f32_v8(v13), v14, v15);
							r_acc_0_1 = v16;
						}
					}
					{
						const tn_f32_s v13 = pack_k[384*i12*((d_S + 5)/6) + 384*i21 + 6*i25 + 1];
						{
							const tn_f32_v8 v14 = r_right_0;
							const tn_f32_v8 v15 = r_acc_1_0;
							const tn_f32_v8 v16 = tn_mac_f32_v8(tn_splat_f32_v8(v13), v14, v15);
							r_acc_1_0 = v16;
						}
						{
							const tn_f32_v8 v14 = r_right_1;
							const tn_f32_v8 v15 = r_acc_1_1;
							const tn_f32_v8 v16 = tn_mac_f32_v8(tn_splat_f32_v8(v13), v14, v15);
							r_acc_1_1 = v16;
						}
					}
					{
						const tn_f32_s v13 = pack_k[384*i12*((d_S + 5)/6) + 384*i21 + 6*i25 + 2];
						{
							const tn_f32_v8 v14 = r_right_0;
							const tn_f32_v8 v15 = r_acc_2_0;
							const tn_f32_v8 v16 = tn_mac_f32_v8(tn_splat_f32_v8(v13), v14, v15);
							r_acc_2_0 = v16;
						}
						{
							const tn_f32_v8 v14 = r_right_1;
							const tn_f32_v8 v15 = r_acc_2_1;
							const tn_f32_v8 v16 = tn_mac_f32_v8(tn_splat_f32_v8(v13), v14, v15);
							r_acc_2_1 = v16;
						}
					}
					{
						const tn_f32_s v13 = pack_k[384*i12*((d_S + 5)/6) + 384*i21 + 6*i25 + 3];
						{
							const tn_f32_v8 v14 = r_right_0;
							const tn_f32_v8 v15 = r_acc_3_0;
							const tn_f32_v8 v16 = tn_mac_f32_v8(tn_splat_f32_v8(v13), v14, v15);
							r_acc_3_0 = v16;
						}
						{
							const tn_f32_v8 v14 = r_right_1;
							const tn_f32_v8 v15 = r_acc_3_1;
							const tn_f32_v8 v16 = tn_mac_f32_v8(tn_splat_f32_v8(v13), v14, v15);
							r_acc_3_1 = v16;
						}
					}
					{
						const tn_f32_s v13 = pack_k[384*i12*((d_S + 5)/6) + 384*i21 + 6*i25 + 4];
						{
							const tn_f32_v8 v14 = r_right_0;
							const tn_f32_v8 v15 = r_acc_4_0;
							const tn_f32_v8 v16 = tn_mac_f32_v8(tn_splat_f32_v8(v13), v14, v15);
							r_acc_4_0 = v16;
						}
						{
							const tn_f32_v8 v14 = r_right_1;
							const tn_f32_v8 v15 = r_acc_4_1;
							const tn_f32_v8 v16 = tn_mac_f32_v8(tn_splat_f32_v8(v13), v14, v15);
							r_acc_4_1 = v16;
						}
					}
					{
						const tn_f32_s v13 = pack_k[384*i12*((d_S + 5)/6) + 384*i21 + 6*i25 + 5];
						{
							const tn_f32_v8 v14 = r_right_0;
							const tn_f32_v8 v15 = r_acc_5_0;
							const tn_f32_v8 v16 = tn_mac_f32_v8(tn_splat_f32_v8(v13), v14, v15);
							r_acc_5_0 = v16;
						}
						{
							const tn_f32_v8 v14 = r_right_1;
							const tn_f32_v8 v15 = r_acc_5_1;
							const tn_f32_v8 v16 = tn_mac_f32_v8(tn_splat_f32_v8(v13), v14, v15);
							r_acc_5_1 = v16;
						}
					}
				}
				{
					const tn_f32_v8 v17 = r_acc_0_0;
					tn_store_f32_v8(raw + (16*i22), v17);
				}
				{
					const tn_f32_v8 v17 = r_acc_0_1;
					tn_store_f32_v8(raw + (16*i22 + 8), v17);
				}
				{
					const tn_f32_v8 v17 = r_acc_1_0;
					tn_store_f32_v8(raw + (16*i22 + 32), v17);
				}
				{
					const tn_f32_v8 v17 = r_acc_1_1;
					tn_store_f32_v8(raw + (16*i22 + 40), v17);
				}
				{
					const tn_f32_v8 v17 = r_acc_2_0;
					tn_store_f32_v8(raw + (16*i22 + 64), v17);
				}
				{
					const tn_f32_v8 v17 = r_acc_2_1;
					tn_store_f32_v8(raw + (16*i22 + 72), v17);
				}
				{
					const tn_f32_v8 v17 = r_acc_3_0;
					tn_store_f32_v8(raw + (16*i22 + 96), v17);
				}
				{
					const tn_f32_v8 v17 = r_acc_3_1;
					tn_store_f32_v8(raw + (16*i22 + 104), v17);
				}
				{
					const tn_f32_v8 v17 = r_acc_4_0;
					tn_store_f32_v8(raw + (16*i22 + 128), v17);
				}
				{
					const tn_f32_v8 v17 = r_acc_4_1;
					tn_store_f32_v8(raw + (16*i22 + 136), v17);
				}
				{
					const tn_f32_v8 v17 = r_acc_5_0;
					tn_store_f32_v8(raw + (16*i22 + 160), v17);
				}
				{
					const tn_f32_v8 v17 = r_acc_5_1;
					tn_store_f32_v8(raw + (16*i22 + 168), v17);
				}
			}
			for (int64_t i31 = 0; i31 < tn_min(d_S - 6*i21, 6); i31++) {
				{
					const tn_f32_v8 v18 = tn_load_f32_v8(raw + (32*i31));
					/* %4 = matmul: line 9 */
					const tn_f32_v8 v19 = v18;
					/* %12 = le: line 9 */
					const tn_bool_v8 v20 = tn_ge_i32_v8(tn_splat_i32_v8((int32_t)tn_max(tn_min(32*i13 - 6*i21 - i31, 8), -8)), tn_iota_i32_v8(0) * -1);
					/* %5 = const: line 9 */
					const tn_f32_s v21 = 0x1p-3f;
					/* %7 = mul: line 9 */
					const tn_f32_v8 v22 = v19 * tn_splat_f32_v8(v21);
					/* %13 = const: line 9 */
					const tn_f32_s v23 = -__builtin_inff();
					/* %16 = where: line 9 */
					const tn_f32_v8 v24 = tn_where_f32_v8(v20, v22, tn_splat_f32_v8(v23));
					const tn_f32_v8 v25 = r_fold_0;
					const tn_f32_v8 v26 = tn_maximum_f32_v8(v25, v24);
					r_fold_0 = v26;
					tn_store_f32_v8(held + (192*i21 + 32*i31), v24);
				}
				{
					const tn_f32_v8 v18 = tn_load_f32_v8(raw + (32*i31 + 8));
					const tn_f32_v8 v19 = v18;
					const tn_bool_v8 v20 = tn_ge_i32_v8(tn_splat_i32_v8((int32_t)tn_max(tn_min(32*i13 + 8 - 6*i21 - i31, 8), -8)), tn_iota_i32_v8(0) * -1);
					const tn_f32_s v21 = 0x1p-3f;
					const tn_f32_v8 v22 = v19 * tn_splat_f32_v8(v21);
					const tn_f32_s v23 = -__builtin_inff();
					const tn_f32_v8 v24 = tn_where_f32_v8(v20, v22, tn_splat_f32_v8(v23));
					const tn_f32_v8 v25 = r_fold_1;
					const tn_f32_v8 v26 = tn_maximum_f32_v8(v25, v24);
					r_fold_1 = v26;
					tn_store_f32_v8(held + (192*i21 + 32*i31 + 8), v24);
				}
				{
					const tn_f32_v8 v18 = tn_load_f32_v8(raw + (32*i31 + 16));
					const tn_f32_v8 v19 = v18;
					const tn_bool_v8 v20 = tn_ge_i32_v8(tn_splat_i32_v8((int32_t)tn_max(tn_min(32*i13 + 16 - 6*i21 - i31, 8), -8)), tn_iota_i32_v8(0) * -1);
					const tn_f32_s v21 = 0x1p-3f;
					const tn_f32_v8 v22 = v19 * tn_splat_f32_v8(v21);
					const tn_f32_s v23 = -__builtin_inff();
					const tn_f32_v8 v24 = tn_where_f32_v8(v20, v22, tn_splat_f32_v8(v23));
					const tn_f32_v8 v25 = r_fold_2;
					const tn_f32_v8 v26 = tn_maximum_f32_v8(v25, v24);
					r_fold_2 = v26;
					tn_store_f32_v8(held + (192*i21 + 32*i31 + 16), v24);
				}
				{
					const tn_f32_v8 v18 = tn_load_f32_v8(raw + (32*i31 + 24));
					const tn_f32_v8 v19 = v18;
					const tn_bool_v8 v20 = tn_ge_i32_v8(tn_splat_i32_v8((int32_t)tn_max(tn_min(32*i13 + 24 - 6*i21 - i31, 8), -8)), tn_iota_i32_v8(0) * -1);
					const tn_f32_s v21 = 0x1p-3f;
					const tn_f32_v8 v22 = v19 * tn_splat_f32_v8(v21);
					const tn_f32_s v23 = -__builtin_inff();
					const tn_f32_v8 v24 = tn_where_f32_v8(v20, v22, tn_splat_f32_v8(v23));
					const tn_f32_v8 v25 = r_fold_3;
					const tn_f32_v8 v26 = tn_maximum_f32_v8(v25, v24);
					r_fold_3 = v26;
					tn_store_f32_v8(held + (192*i21 + 32*i31 + 24), v24);
				}
			}
		}
		{
			const tn_f32_v8 v27 = r_fold_0;
			/* %17 = max: line 9 */
			const tn_f32_v8 v28 = v27;
			tn_store_f32_v8(kept, v28);
		}
		{
			const tn_f32_v8 v27 = r_fold_1;
			const tn_f32_v8 v28 = v27;
			tn_store_f32_v8(kept + 8, v28);
		}
		{
			const tn_f32_v8 v27 = r_fold_2;
			const tn_f32_v8 v28 = v27;
			tn_store_f32_v8(kept + 16, v28);
		}
		{
			const tn_f32_v8 v27 = r_fold_3;
			const tn_f32_v8 v28 = v27;
			tn_store_f32_v8(kept + 24, v28);
		}
		{
			const tn_f32_s v29 = 0x0p+0f;
			r_fold_1_0 = tn_splat_f32_v8(v29);
		}
		{
			const tn_f32_s v29 = 0x0p+0f;
			r_fold_1_1 = tn_splat_f32_v8(v29);
		}
		{
			const tn_f32_s v29 = 0x0p+0f;
			r_fold_1_2 = tn_splat_f32_v8(v29);
		}
		{
			const tn_f32_s v29 = 0x0p+0f;
			r_fold_1_3 = tn_splat_f32_v8(v29);
		}
		for (int64_t i35 = 0; i35 < (tn_min(d_S, 6*tn_min((d_S + 5)/6, (16*i13)/3 + 6)) + 47)/48; i35++) {
			for (int64_t i36 = 0; i36 < tn_min(tn_min(d_S, 6*tn_min((d_S + 5)/6, (16*i13)/3 + 6)) - 48*i35, 48); i36++) {
				{
					const tn_f32_v8 v30 = tn_load_f32_v8(kept);
					const tn_f32_v8 v31 = tn_load_f32_v8(held + (1536*i35 + 32*i36));
					/* %19 = sub: line 9 */
					const tn_f32_v8 v32 = v31 - v30;
					/* %20 = exp: line 9 */
					const tn_f32_v8 v33 = tn_exp_f32_v8(v32);
					const tn_f32_v8 v34 = r_fold_1_0;
					const tn_f32_v8 v35 = v34 + v33;
					r_fold_1_0 = v35;
					/* %21 = cast: line 9 */
					const tn_f16_v8 v36 = tn_cast_f32_f16_v8(v33);
					const tn_f32_v8 v37 = tn_cast_f16_f32_v8(v36);
					tn_store_f32_v8(weights + (32*i36), v37);
				}
				{
					const tn_f32_v8 v30 = tn_load_f32_v8(kept + 8);
					const tn_f32_v8 v31 = tn_load_f32_v8(held + (1536*i35 + 32*i36 + 8));
					const tn_f32_v8 v32 = v31 - v30;
					const tn_f32_v8 v33 = tn_exp_f32_v8(v32);
					const tn_f32_v8 v34 = r_fold_1_1;
					const tn_f32_v8 v35 = v34 + v33;
					r_fold_1_1 = v35;
					const tn_f16_v8 v36 = tn_cast_f32_f16_v8(v33);
					const tn_f32_v8 v37 = tn_cast_f16_f32_v8(v36);
					tn_store_f32_v8(weights + (32*i36 + 8), v37);
				}
				{
					const tn_f32_v8 v30 = tn_load_f32_v8(kept + 16);
					const tn_f32_v8 v31 = tn_load_f32_v8(held + (1536*i35 + 32*i36 + 16));
					const tn_f32_v8 v32 = v31 - v30;
					const tn_f32_v8 v33 = tn_exp_f32_v8(v32);
					const tn_f32_v8 v34 = r_fold_1_2;
					const tn_f32_v8 v35 = v34 + v33;
					r_fold_1_2 = v35;
					const tn_f16_v8 v36 = tn_cast_f32_f16_v8(v33);
					const tn_f32_v8 v37 = tn_cast_f16_f32_v8(v36);
					tn_store_f32_v8(weights + (32*i36 + 16), v37);
				}
				{
					const tn_f32_v8 v30 = tn_load_f32_v8(kept + 24);
					const tn_f32_v8 v31 = tn_load_f32_v8(held + (1536*i35 + 32*i36 + 24));
					const tn_f32_v8 v32 = v31 - v30;
					const tn_f32_v8 v33 = tn_exp_f32_v8(v32);
					const tn_f32_v8 v34 = r_fold_1_3;
					const tn_f32_v8 v35 = v34 + v33;
					r_fold_1_3 = v35;
					const tn_f16_v8 v36 = tn_cast_f32_f16_v8(v33);
					const tn_f32_v8 v37 = tn_cast_f16_f32_v8(v36);
					tn_store_f32_v8(weights + (32*i36 + 24), v37);
				}
			}
			for (int64_t i38 = 0; i38 < 11; i38++) {
				for (int64_t i39 = 0; i39 < 2; i39++) {
					{
						const tn_f32_v8 v38 = tn_load_f32_v8(out + (192*i38 + 16*i39));
						r_acc_1_0_0 = v38;
					}
					{
						const tn_f32_v8 v38 = tn_load_f32_v8(out + (192*i38 + 16*i39 + 8));
						r_acc_1_0_1 = v38;
					}
					{
						const tn_f32_v8 v38 = tn_load_f32_v8(out + (192*i38 + 16*i39 + 32));
						r_acc_1_1_0 = v38;
					}
					{
						const tn_f32_v8 v38 = tn_load_f32_v8(out + (192*i38 + 16*i39 + 40));
						r_acc_1_1_1 = v38;
					}
					{
						const tn_f32_v8 v38 = tn_load_f32_v8(out + (192*i38 + 16*i39 + 64));
						r_acc_1_2_0 = v38;
					}
					{
						const tn_f32_v8 v38 = tn_load_f32_v8(out + (192*i38 + 16*i39 + 72));
						r_acc_1_2_1 = v38;
					}
					{
						const tn_f32_v8 v38 = tn_load_f32_v8(out + (192*i38 + 16*i39 + 96));
						r_acc_1_3_0 = v38;
					}
					{
						const tn_f32_v8 v38 = tn_load_f32_v8(out + (192*i38 + 16*i39 + 104));
						r_acc_1_3_1 = v38;
					}
					{
						const tn_f32_v8 v38 = tn_load_f32_v8(out + (192*i38 + 16*i39 + 128));
						r_acc_1_4_0 = v38;
					}
					{
						const tn_f32_v8 v38 = tn_load_f32_v8(out + (192*i38 + 16*i39 + 136));
						r_acc_1_4_1 = v38;
					}
					{
						const tn_f32_v8 v38 = tn_load_f32_v8(out + (192*i38 + 16*i39 + 160));
						r_acc_1_5_0 = v38;
					}
					{
						const tn_f32_v8 v38 = tn_load_f32_v8(out + (192*i38 + 16*i39 + 168));
						r_acc_1_5_1 = v38;
					}
					for (int64_t i42 = 0; i42 < tn_min(tn_min(d_S, 6*tn_min((d_S + 5)/6, (16*i13)/3 + 6)) - 48*i35, 48); i42++) {
						{
							const tn_f32_v8 v39 = tn_load_f32_v8(weights + (16*i39 + 32*i42));
							r_right_1_0 = v39;
						}
						{
							const tn_f32_v8 v39 = tn_load_f32_v8(weights + (16*i39 + 32*i42 + 8));
							r_right_1_1 = v39;
						}
						{
							const tn_f32_s v40 = pack_v[66*d_S*i12 + 6*d_S*i38 + 288*i35 + 6*i42];
							{
								const tn_f32_v8 v41 = r_right_1_0;
								const tn_f32_v8 v42 = r_acc_1_0_0;
								const tn_f32_v8 v43 = tn_mac_f32_v8(tn_splat_f32_v8(v40), v41, v42);
								r_acc_1_0_0 = v43;
							}
							{
								const tn_f32_v8 v41 = r_right_1_1;
								const tn_f32_v8 v42 = r_acc_1_0_1;
								const tn_f32_v8 v43 = tn_mac_f32_v8(tn_splat_f32_v8(v40), v41, v42);
								r_acc_1_0_1 = v43;
							}
						}
						{
							const tn_f32_s v40 = pack_v[66*d_S*i12 + 6*d_S*i38 + 288*i35 + 6*i42 + 1];
							{
								const tn_f32_v8 v41 = r_right_1_0;
								const tn_f32_v8 v42 = r_acc_1_1_0;
								const tn_f32_v8 v43 = tn_mac_f32_v8(tn_splat_f32_v8(v40), v41, v42);
								r_acc_1_1_0 = v43;
							}
							{
								const tn_f32_v8 v41 = r_right_1_1;
								const tn_f32_v8 v42 = r_acc_1_1_1;
								const tn_f32_v8 v43 = tn_mac_f32_v8(tn_splat_f32_v8(v40), v41, v42);
								r_acc_1_1_1 = v43;
							}
						}
						{
							const tn_f32_s v40 = pack_v[66*d_S*i12 + 6*d_S*i38 + 288*i35 + 6*i42 + 2];
							{
								const tn_f32_v8 v41 = r_right_1_0;
								const tn_f32_v8 v42 = r_acc_1_2_0;
								const tn_f32_v8 v43 = tn_mac_f32_v8(tn_splat_f32_v8(v40), v41, v42);
								r_acc_1_2_0 = v43;
							}
							{
								const tn_f32_v8 v41 = r_right_1_1;
								const tn_f32_v8 v42 = r_acc_1_2_1;
								const tn_f32_v8 v43 = tn_mac_f32_v8(tn_splat_f32_v8(v40), v41, v42);
								r_acc_1_2_1 = v43;
							}
						}
						{
							const tn_f32_s v40 = pack_v[66*d_S*i12 + 6*d_S*i38 + 288*i35 + 6*i42 + 3];
							{
								const tn_f32_v8 v41 = r_right_1_0;
								const tn_f32_v8 v42 = r_acc_1_3_0;
								const tn_f32_v8 v43 = tn_mac_f32_v8(tn_splat_f32_v8(v40), v41, v42);
								r_acc_1_3_0 = v43;
							}
							{
								const tn_f32_v8 v41 = r_right_1_1;
								const tn_f32_v8 v42 = r_acc_1_3_1;
								const tn_f32_v8 v43 = tn_mac_f32_v8(tn_splat_f32_v8(v40), v41, v42);
								r_acc_1_3_1 = v43;
							}
						}
						{
							const tn_f32_s v40 = pack_v[66*d_S*i12 + 6*d_S*i38 + 288*i35 + 6*i42 + 4];
							{
								const tn_f32_v8 v41 = r_right_1_0;
								const tn_f32_v8 v42 = r_acc_1_4_0;
								const tn_f32_v8 v43 = tn_mac_f32_v8(tn_splat_f32_v8(v40), v41, v42);
								r_acc_1_4_0 = v43;
							}
							{
								const tn_f32_v8 v41 = r_right_1_1;
								const tn_f32_v8 v42 = r_acc_1_4_1;
								const tn_f32_v8 v43 = tn_mac_f32_v8(tn_splat_f32_v8(v40), v41, v42);
								r_acc_1_4_1 = v43;
							}
						}
						{
							const tn_f32_s v40 = pack_v[66*d_S*i12 + 6*d_S*i38 + 288*i35 + 6*i42 + 5];
							{
								const tn_f32_v8 v41 = r_right_1_0;
								const tn_f32_v8 v42 = r_acc_1_5_0;
								const tn_f32_v8 v43 = tn_mac_f32_v8(tn_splat_f32_v8(v40), v41, v42);
								r_acc_1_5_0 = v43;
							}
							{
								const tn_f32_v8 v41 = r_right_1_1;
								const tn_f32_v8 v42 = r_acc_1_5_1;
								const tn_f32_v8 v43 = tn_mac_f32_v8(tn_splat_f32_v8(v40), v41, v42);
								r_acc_1_5_1 = v43;
							}
						}
					}
					{
						const tn_f32_v8 v44 = r_acc_1_0_0;
						tn_store_f32_v8(out + (192*i38 + 16*i39), v44);
					}
					{
						const tn_f32_v8 v44 = r_acc_1_0_1;
						tn_store_f32_v8(out + (192*i38 + 16*i39 + 8), v44);
					}
					{
						const tn_f32_v8 v44 = r_acc_1_1_0;
						tn_store_f32_v8(out + (192*i38 + 16*i39 + 32), v44);
					}
					{
						const tn_f32_v8 v44 = r_acc_1_1_1;
						tn_store_f32_v8(out + (192*i38 + 16*i39 + 40), v44);
					}
					{
						const tn_f32_v8 v44 = r_acc_1_2_0;
						tn_store_f32_v8(out + (192*i38 + 16*i39 + 64), v44);
					}
					{
						const tn_f32_v8 v44 = r_acc_1_2_1;
						tn_store_f32_v8(out + (192*i38 + 16*i39 + 72), v44);
					}
					{
						const tn_f32_v8 v44 = r_acc_1_3_0;
						tn_store_f32_v8(out + (192*i38 + 16*i39 + 96), v44);
					}
					{
						const tn_f32_v8 v44 = r_acc_1_3_1;
						tn_store_f32_v8(out + (192*i38 + 16*i39 + 104), v44);
					}
					{
						const tn_f32_v8 v44 = r_acc_1_4_0;
						tn_store_f32_v8(out + (192*i38 + 16*i39 + 128), v44);
					}
					{
						const tn_f32_v8 v44 = r_acc_1_4_1;
						tn_store_f32_v8(out + (192*i38 + 16*i39 + 136), v44);
					}
					{
						const tn_f32_v8 v44 = r_acc_1_5_0;
						tn_store_f32_v8(out + (192*i38 + 16*i39 + 160), v44);
					}
					{
						const tn_f32_v8 v44 = r_acc_1_5_1;
						tn_store_f32_v8(out + (192*i38 + 16*i39 + 168), v44);
					}
				}
			}
		}
		{
			const tn_f32_v8 v46 = r_fold_1_0;
			/* %23 = sum: line 9 */
			const tn_f32_v8 v47 = v46;
			tn_store_f32_v8(kept_1, v47);
		}
		{
			const tn_f32_v8 v46 = r_fold_1_1;
			const tn_f32_v8 v47 = v46;
			tn_store_f32_v8(kept_1 + 8, v47);
		}
		{
			const tn_f32_v8 v46 = r_fold_1_2;
			const tn_f32_v8 v47 = v46;
			tn_store_f32_v8(kept_1 + 16, v47);
		}
		{
			const tn_f32_v8 v46 = r_fold_1_3;
			const tn_f32_v8 v47 = v46;
			tn_store_f32_v8(kept_1 + 24, v47);
		}
		{
			int64_t i49 = 0;
			for (; i49 <= 56; i49 += 8) {
				tn_f32_v8 v48 = tn_splat_f32_v8(0);
				for (int64_t i50 = 0; i50 < d_S - tn_min(d_S, 6*tn_min((d_S + 5)/6, (16*i13)/3 + 6)); i50++) {
					const tn_f32_s v49 = 0x0p+0f;
					/* %2 v = input: line 8 */
					const tn_f16_v8 v50 = tn_load_f16_v8(b_v + (64*d_S*i12 + i49 + 64*i50 + 64*tn_min(d_S, 6*tn_min((d_S + 5)/6, (16*i13)/3 + 6))));
					const tn_f32_v8 v51 = tn_cast_f16_f32_v8(v50);
					const tn_f32_v8 v52 = tn_splat_f32_v8(v49) * v51;
					v48 = v48 + v52;
				}
				tn_store_f32_v8(poison + i49, v48);
			}
		}
		for (int64_t i51 = 0; i51 < tn_min(d_L - 32*i13, 32); i51++) {
			const tn_f32_s v54 = kept_1[i51];
			{
				int64_t i52 = 0;
				for (; i52 <= 56; i52 += 8) {
					const tn_f32_v8 v55 = tn_loads_f32_v8(out + (i51 + 32*i52), 128);
					const tn_f32_v8 v56 = tn_load_f32_v8(poison + i52);
					const tn_f32_v8 v57 = v55 + v56;
					/* %22 = matmul: line 9 */
					const tn_f32_v8 v58 = v57;
					/* %25 = div: line 9 */
					const tn_f32_v8 v59 = tn_div_f32_v8(v58, tn_splat_f32_v8(v54));
					/* %26 = cast: line 9 */
					const tn_f16_v8 v60 = tn_cast_f32_f16_v8(v59);
					tn_store_f16_v8(b26 + (64*d_L*i12 + 2048*i13 + 64*i51 + i52), v60);
				}
			}
		}
	}
}
