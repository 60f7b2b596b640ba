/*
 * k0: region 0 of held_layers, by contract mr=6 nr=16 lanes=8 mb=10 nb=2 kc=336 a=1 b=2 unit=0
 * a block of rows a task, held in scratch from product to product
 *   %5 = matmul: f16, line 4
 *   %6 = cast: f32, line 4
 *   %7 = neg: f32, line 4
 *   %8 = exp: f32, line 4
 *   %9 = const: f32, line 4
 *   %11 = add: f32, line 4
 *   %12 = div: f32, line 4
 *   %13 = cast: f16, line 4
 *   %14 = matmul: f16, line 4
 *   %15 h = mul: f16, line 4
 *   %16 = matmul: f16, line 5
 *   %18 = add: f16, line 5
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
static inline __attribute__((unused)) int64_t
tn_task(const TnArgs *args, int workers, int64_t t)
{
	if (workers == 1)
		return t + 1;
	return __atomic_fetch_add(args->next, 1, __ATOMIC_RELAXED);
}
typedef void TnKernel(const TnArgs *args, int worker, int workers,
		      TnStatus *status);

#pragma GCC diagnostic ignored "-Wpsabi"
#define TN_INLINE static inline __attribute__((always_inline, unused))
#define TN_APART static __attribute__((noinline, unused))
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
#elif defined __aarch64__
	typedef __fp16 Half __attribute__((vector_size(8)));
#ifdef __clang__
	return __builtin_convertvector((Half)a, tn_f16_v4);
#else
	return __builtin_aarch64_float_extend_lo_v4sf((Half)a);
#endif
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
typedef float tn_f32_v8u __attribute__((vector_size(32), aligned(1), may_alias));
TN_INLINE void tn_store_f32_v8(void *a, tn_f32_v8 b)
{
	*(tn_f32_v8u *)a = b;
}
TN_INLINE int64_t tn_min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}
TN_INLINE tn_f32_v8 tn_ziplo_f32_v8(tn_f32_v8 a, tn_f32_v8 b)
{
	return __builtin_shufflevector(a, b, 0, 8 + 0, 1, 8 + 1, 2, 8 + 2, 3, 8 + 3);
}
TN_INLINE tn_f32_v8 tn_ziphi_f32_v8(tn_f32_v8 a, tn_f32_v8 b)
{
	return __builtin_shufflevector(a, b, 4, 8 + 4, 5, 8 + 5, 6, 8 + 6, 7, 8 + 7);
}
TN_INLINE uint64_t tn_lanes(int64_t a)
{
	return a < 1 ? 0 : a > 63 ? ~0ull : (1ull << a) - 1;
}
typedef float tn_f32_su __attribute__((aligned(1), may_alias));
TN_INLINE void tn_storen_f32_v8(void *a, int64_t b, tn_f32_v8 c)
{
#ifdef __AVX512VL__
	__builtin_ia32_storeups256_mask(
		a, (tn_f32_v8)c, (uint8_t)tn_lanes(b));
#else
	for (int64_t i = 0; i < b && i < 8; i++)
		((tn_f32_su *)a)[i] = c[i];
#endif
}
typedef float tn_f32_s;
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
TN_INLINE tn_u16_v4 tn_cast_u32_u16_v4(tn_u32_v4 a)
{
	return __builtin_convertvector(a, tn_u16_v4);
}
TN_INLINE tn_u16_v4 tn_pack_f16_v4(tn_f16_v4 a)
{
#ifdef __F16C__
	tn_i16_v8 r = (tn_i16_v8)__builtin_ia32_vcvtps2ph(a, 0);

	return (tn_u16_v4)__builtin_shufflevector(r, r, 0, 1, 2, 3);
#elif defined __aarch64__
#ifdef __clang__
	typedef __fp16 Half __attribute__((vector_size(8)));
	return (tn_u16_v4)__builtin_convertvector(a, Half);
#else
	return (tn_u16_v4)__builtin_aarch64_float_truncate_lo_v4hf(a);
#endif
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
TN_INLINE tn_f16_v4 tn_round_f16_v4(tn_f32_v4 a)
{
#ifdef __F16C__
	return __builtin_ia32_vcvtph2ps(__builtin_ia32_vcvtps2ph(a, 0));
#elif defined __aarch64__
	return tn_unpack_f16_v4(tn_pack_f16_v4(a));
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
TN_INLINE tn_f32_v8 tn_neg_f32_v8(tn_f32_v8 a)
{
	return -a;
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
TN_INLINE tn_f32_v4 tn_below_f32_v4(tn_f32_v4 a, tn_f32_v4 b)
{
#ifdef __SSE2__
	return __builtin_ia32_minps(a, b);
#else
	tn_u32_v4 m = (tn_u32_v4)(a < b);

	return (tn_f32_v4)((m & (tn_u32_v4)a) | (~m & (tn_u32_v4)b));
#endif
}
TN_INLINE tn_f32_v8 tn_below_f32_v8(tn_f32_v8 a, tn_f32_v8 b)
{
#ifdef __AVX2__
#ifdef __AVX__
	return __builtin_ia32_minps256(a, b);
#else
	tn_u32_v8 m = (tn_u32_v8)(a < b);

	return (tn_f32_v8)((m & (tn_u32_v8)a) | (~m & (tn_u32_v8)b));
#endif
#else
	return tn_join_f32_v8(tn_below_f32_v4(tn_lo_f32_v8(a), tn_lo_f32_v8(b)),
		tn_below_f32_v4(tn_hi_f32_v8(a), tn_hi_f32_v8(b)));
#endif
}
typedef int32_t tn_i32_v8 __attribute__((vector_size(32)));
typedef int32_t tn_i32_v4 __attribute__((vector_size(16)));
TN_INLINE tn_f32_v4 tn_scale_f32_v4(tn_f32_v4 a, tn_f32_v4 b)
{
#ifdef __AVX512VL__
	return __builtin_ia32_scalefps128_mask(a, b - 0x1.8p23f, a, -1);
#else
	tn_i32_v4 n = (tn_i32_v4)b - 0x4b400000;
	tn_i32_v4 h = n >> 1;

	return a * (tn_f32_v4)((h + 127) << 23) * (tn_f32_v4)((n - h + 127) << 23);
#endif
}
TN_INLINE tn_f32_v8 tn_scale_f32_v8(tn_f32_v8 a, tn_f32_v8 b)
{
#ifdef __AVX2__
#ifdef __AVX512VL__
	return __builtin_ia32_scalefps256_mask(a, b - 0x1.8p23f, a, -1);
#else
	tn_i32_v8 n = (tn_i32_v8)b - 0x4b400000;
	tn_i32_v8 h = n >> 1;

	return a * (tn_f32_v8)((h + 127) << 23) * (tn_f32_v8)((n - h + 127) << 23);
#endif
#else
	return tn_join_f32_v8(tn_scale_f32_v4(tn_lo_f32_v8(a), tn_lo_f32_v8(b)),
		tn_scale_f32_v4(tn_hi_f32_v8(a), tn_hi_f32_v8(b)));
#endif
}
TN_INLINE tn_f32_v4 tn_splat_f32_v4(tn_f32_s a)
{
	return (tn_f32_v4){a, a, a, a};
}
TN_INLINE tn_f32_v4 tn_mac_f32_v4(tn_f32_v4 a, tn_f32_v4 b, tn_f32_v4 c)
{
#if defined __FMA__ || defined __ARM_FEATURE_FMA
	return tn_fma_f32_v4(a, b, c);
#else
	return a * b + c;
#endif
}
TN_INLINE tn_f32_v4 tn_exp_f32_v4(tn_f32_v4 a)
{
	tn_f32_v4 x = tn_above_f32_v4(tn_splat_f32_v4(-104.0f),
		tn_below_f32_v4(tn_splat_f32_v4(89.0f), a));
	tn_f32_v4 t = tn_mac_f32_v4(x, tn_splat_f32_v4(0x1.715476p0f),
		tn_splat_f32_v4(0x1.8p23f));
	tn_f32_v4 k = t - 0x1.8p23f;
	tn_f32_v4 r = tn_mac_f32_v4(k, tn_splat_f32_v4(-0x1.62e4p-1f), x);
	tn_f32_v4 p = tn_splat_f32_v4(0x1.6a23dp-10f);

	r = tn_mac_f32_v4(k, tn_splat_f32_v4(-0x1.7f7d1cp-20f), r);
	p = tn_mac_f32_v4(p, r, tn_splat_f32_v4(0x1.123a2p-7f));
	p = tn_mac_f32_v4(p, r, tn_splat_f32_v4(0x1.5558f2p-5f));
	p = tn_mac_f32_v4(p, r, tn_splat_f32_v4(0x1.555492p-3f));
	p = tn_mac_f32_v4(p, r, tn_splat_f32_v4(0x1.fffffcp-2f));
	p = tn_mac_f32_v4(p, r, tn_splat_f32_v4(1.0f));
	p = tn_mac_f32_v4(p, r, tn_splat_f32_v4(1.0f));
	return tn_scale_f32_v4(p, t);
}
TN_INLINE tn_f32_v8 tn_exp_f32_v8(tn_f32_v8 a)
{
#ifdef __AVX2__
	tn_f32_v8 x = tn_above_f32_v8(tn_splat_f32_v8(-104.0f),
		tn_below_f32_v8(tn_splat_f32_v8(89.0f), a));
	tn_f32_v8 t = tn_mac_f32_v8(x, tn_splat_f32_v8(0x1.715476p0f),
		tn_splat_f32_v8(0x1.8p23f));
	tn_f32_v8 k = t - 0x1.8p23f;
	tn_f32_v8 r = tn_mac_f32_v8(k, tn_splat_f32_v8(-0x1.62e4p-1f), x);
	tn_f32_v8 p = tn_splat_f32_v8(0x1.6a23dp-10f);

	r = tn_mac_f32_v8(k, tn_splat_f32_v8(-0x1.7f7d1cp-20f), r);
	p = tn_mac_f32_v8(p, r, tn_splat_f32_v8(0x1.123a2p-7f));
	p = tn_mac_f32_v8(p, r, tn_splat_f32_v8(0x1.5558f2p-5f));
	p = tn_mac_f32_v8(p, r, tn_splat_f32_v8(0x1.555492p-3f));
	p = tn_mac_f32_v8(p, r, tn_splat_f32_v8(0x1.fffffcp-2f));
	p = tn_mac_f32_v8(p, r, tn_splat_f32_v8(1.0f));
	p = tn_mac_f32_v8(p, r, tn_splat_f32_v8(1.0f));
	return tn_scale_f32_v8(p, t);
#else
	return tn_join_f32_v8(tn_exp_f32_v4(tn_lo_f32_v8(a)),
		tn_exp_f32_v4(tn_hi_f32_v8(a)));
#endif
}
TN_INLINE tn_f32_v8 tn_div_f32_v8(tn_f32_v8 a, tn_f32_v8 b)
{
	return a / b;
}
TN_INLINE tn_f16_v8 tn_cast_f32_f16_v8(tn_f32_v8 a)
{
	return tn_round_f16_v8(a);
}
TN_INLINE tn_f16_v8 tn_mul_f16_v8(tn_f16_v8 a, tn_f16_v8 b)
{
	return tn_round_f16_v8(a * b);
}
TN_INLINE tn_f16_v8 tn_add_f16_v8(tn_f16_v8 a, tn_f16_v8 b)
{
	return tn_round_f16_v8(a + b);
}
TN_INLINE tn_u16_v8 tn_join_u16_v8(tn_u16_v4 a, tn_u16_v4 b)
{
	return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
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

#if !defined TN_PHASE || TN_PHASE == 0
TN_EXPORT void k0_pack_b0(const TnArgs *args, int worker, int workers,
		TnStatus *st)
{
	float *const pack_b0 = args->buffers[0];
	const uint16_t *const b_w = args->buffers[1];
	const int64_t tasks = 2;

	(void)worker;
	(void)st;
	for (int64_t t = tn_task(args, workers, -1); t < tasks;
	     t = tn_task(args, workers, t)) {
		const int64_t i0 = t;
		if (-i0 >= 0) {
			for (int64_t i1 = 0; i1 < 32; i1++) {
				{
					/* %1 w = input: line 2 */
					const tn_f16_v8 v0 = tn_load_f16_v8(b_w + (16*i0 + 24*i1));
					const tn_f32_v8 v1 = tn_cast_f16_f32_v8(v0);
					tn_store_f32_v8(pack_b0 + (512*i0 + 16*i1), v1);
				}
				{
					const tn_f16_v8 v0 = tn_load_f16_v8(b_w + (16*i0 + 24*i1 + 8));
					const tn_f32_v8 v1 = tn_cast_f16_f32_v8(v0);
					tn_store_f32_v8(pack_b0 + (512*i0 + 16*i1 + 8), v1);
				}
			}
		} else {
			for (int64_t i3 = 0; i3 < 32; i3++) {
				{
					const tn_f16_v8 v2 = tn_load_f16_v8(b_w + (24*i3 + 16));
					const tn_f32_v8 v3 = tn_cast_f16_f32_v8(v2);
					tn_store_f32_v8(pack_b0 + (512*i0 + 16*i3), v3);
				}
			}
		}
	}
}
#endif

#if !defined TN_PHASE || TN_PHASE == 1
TN_EXPORT void k0_pack_b1(const TnArgs *args, int worker, int workers,
		TnStatus *st)
{
	float *const pack_b1 = args->buffers[2];
	const uint16_t *const b_v = args->buffers[3];
	const int64_t tasks = 2;

	(void)worker;
	(void)st;
	for (int64_t t = tn_task(args, workers, -1); t < tasks;
	     t = tn_task(args, workers, t)) {
		const int64_t i5 = t;
		if (-i5 >= 0) {
			for (int64_t i6 = 0; i6 < 32; i6++) {
				{
					/* %2 v = input: line 2 */
					const tn_f16_v8 v4 = tn_load_f16_v8(b_v + (16*i5 + 24*i6));
					const tn_f32_v8 v5 = tn_cast_f16_f32_v8(v4);
					tn_store_f32_v8(pack_b1 + (512*i5 + 16*i6), v5);
				}
				{
					const tn_f16_v8 v4 = tn_load_f16_v8(b_v + (16*i5 + 24*i6 + 8));
					const tn_f32_v8 v5 = tn_cast_f16_f32_v8(v4);
					tn_store_f32_v8(pack_b1 + (512*i5 + 16*i6 + 8), v5);
				}
			}
		} else {
			for (int64_t i8 = 0; i8 < 32; i8++) {
				{
					const tn_f16_v8 v6 = tn_load_f16_v8(b_v + (24*i8 + 16));
					const tn_f32_v8 v7 = tn_cast_f16_f32_v8(v6);
					tn_store_f32_v8(pack_b1 + (512*i5 + 16*i8), v7);
				}
			}
		}
	}
}
#endif

#if !defined TN_PHASE || TN_PHASE == 2
TN_EXPORT void k0_pack_b2(const TnArgs *args, int worker, int workers,
		TnStatus *st)
{
	float *const pack_b2 = args->buffers[4];
	const uint16_t *const b_u = args->buffers[5];
	const int64_t t = 0;

	(void)t;
	(void)workers;
	(void)st;
	if (worker == 0) {
		for (int64_t i10 = 0; i10 < 24; i10++) {
			{
				/* %3 u = input: line 3 */
				const tn_f16_v8 v8 = tn_load_f16_v8(b_u + (16*i10));
				const tn_f32_v8 v9 = tn_cast_f16_f32_v8(v8);
				tn_store_f32_v8(pack_b2 + (16*i10), v9);
			}
			{
				const tn_f16_v8 v8 = tn_load_f16_v8(b_u + (16*i10 + 8));
				const tn_f32_v8 v9 = tn_cast_f16_f32_v8(v8);
				tn_store_f32_v8(pack_b2 + (16*i10 + 8), v9);
			}
		}
	}
}
#endif

#if !defined TN_PHASE || TN_PHASE == 3
TN_EXPORT void k0_main(const TnArgs *args, int worker, int workers,
		TnStatus *st)
{
	char *const scratch = args->scratch + worker * args->scratch_stride;
	float *const pack_b0 = args->buffers[0];
	float *const pack_b1 = args->buffers[2];
	float *const pack_b2 = args->buffers[4];
	float *const tile = (float *)(scratch + 0);
	float *const pack_a = (float *)(scratch + 7680);
	float *const tile_1 = (float *)(scratch + 15360);
	float *const held = (float *)(scratch + 23040);
	const uint16_t *const b_x = args->buffers[6];
	const uint16_t *const b_b = args->buffers[7];
	uint16_t *const b18 = args->buffers[8];
	const int64_t tasks = 9;

	(void)worker;
	(void)st;
	for (int64_t t = tn_task(args, workers, -1); t < tasks;
	     t = tn_task(args, workers, t)) {
		const int64_t i12 = t;
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
		TN_REG tn_f32_v8 r_brow_0 = {0};
		TN_REG tn_f32_v8 r_brow_1 = {0};
		TN_REG tn_f32_v8 r_acc_1_0_0 = {0};
		TN_REG tn_f32_v8 r_acc_1_0_1 = {0};
		TN_REG tn_f32_v8 r_acc_1_1_0 = {0};
		TN_REG tn_f32_v8 r_acc_1_1_1 = {0};
		TN_REG tn_f32_v8 r_brow_1_0 = {0};
		TN_REG tn_f32_v8 r_brow_1_1 = {0};
		TN_REG tn_f32_v8 r_acc_2_0_0 = {0};
		TN_REG tn_f32_v8 r_acc_2_0_1 = {0};
		TN_REG tn_f32_v8 r_acc_2_1_0 = {0};
		TN_REG tn_f32_v8 r_acc_2_1_1 = {0};
		TN_REG tn_f32_v8 r_acc_2_2_0 = {0};
		TN_REG tn_f32_v8 r_acc_2_2_1 = {0};
		TN_REG tn_f32_v8 r_acc_2_3_0 = {0};
		TN_REG tn_f32_v8 r_acc_2_3_1 = {0};
		TN_REG tn_f32_v8 r_acc_2_4_0 = {0};
		TN_REG tn_f32_v8 r_acc_2_4_1 = {0};
		TN_REG tn_f32_v8 r_acc_2_5_0 = {0};
		TN_REG tn_f32_v8 r_acc_2_5_1 = {0};
		TN_REG tn_f32_v8 r_brow_2_0 = {0};
		TN_REG tn_f32_v8 r_brow_2_1 = {0};
		TN_REG tn_f32_v8 r_acc_3_0_0 = {0};
		TN_REG tn_f32_v8 r_acc_3_0_1 = {0};
		TN_REG tn_f32_v8 r_acc_3_1_0 = {0};
		TN_REG tn_f32_v8 r_acc_3_1_1 = {0};
		TN_REG tn_f32_v8 r_brow_3_0 = {0};
		TN_REG tn_f32_v8 r_brow_3_1 = {0};
		TN_REG tn_f32_v8 r_acc_4_0_0 = {0};
		TN_REG tn_f32_v8 r_acc_4_1_0 = {0};
		TN_REG tn_f32_v8 r_acc_4_2_0 = {0};
		TN_REG tn_f32_v8 r_acc_4_3_0 = {0};
		TN_REG tn_f32_v8 r_acc_4_4_0 = {0};
		TN_REG tn_f32_v8 r_acc_4_5_0 = {0};
		TN_REG tn_f32_v8 r_brow_4_0 = {0};
		TN_REG tn_f32_v8 r_acc_5_0_0 = {0};
		TN_REG tn_f32_v8 r_acc_5_1_0 = {0};
		TN_REG tn_f32_v8 r_brow_5_0 = {0};
		TN_REG tn_f32_v8 r_acc_6_0_0 = {0};
		TN_REG tn_f32_v8 r_acc_6_1_0 = {0};
		TN_REG tn_f32_v8 r_acc_6_2_0 = {0};
		TN_REG tn_f32_v8 r_acc_6_3_0 = {0};
		TN_REG tn_f32_v8 r_acc_6_4_0 = {0};
		TN_REG tn_f32_v8 r_acc_6_5_0 = {0};
		TN_REG tn_f32_v8 r_brow_6_0 = {0};
		TN_REG tn_f32_v8 r_acc_7_0_0 = {0};
		TN_REG tn_f32_v8 r_acc_7_1_0 = {0};
		TN_REG tn_f32_v8 r_brow_7_0 = {0};
		TN_REG tn_f32_v8 r_acc_8_0_0 = {0};
		TN_REG tn_f32_v8 r_acc_8_0_1 = {0};
		TN_REG tn_f32_v8 r_acc_8_1_0 = {0};
		TN_REG tn_f32_v8 r_acc_8_1_1 = {0};
		TN_REG tn_f32_v8 r_acc_8_2_0 = {0};
		TN_REG tn_f32_v8 r_acc_8_2_1 = {0};
		TN_REG tn_f32_v8 r_acc_8_3_0 = {0};
		TN_REG tn_f32_v8 r_acc_8_3_1 = {0};
		TN_REG tn_f32_v8 r_acc_8_4_0 = {0};
		TN_REG tn_f32_v8 r_acc_8_4_1 = {0};
		TN_REG tn_f32_v8 r_acc_8_5_0 = {0};
		TN_REG tn_f32_v8 r_acc_8_5_1 = {0};
		TN_REG tn_f32_v8 r_brow_8_0 = {0};
		TN_REG tn_f32_v8 r_brow_8_1 = {0};
		TN_REG tn_f32_v8 r_acc_9_0_0 = {0};
		TN_REG tn_f32_v8 r_acc_9_0_1 = {0};
		TN_REG tn_f32_v8 r_acc_9_1_0 = {0};
		TN_REG tn_f32_v8 r_acc_9_1_1 = {0};
		TN_REG tn_f32_v8 r_brow_9_0 = {0};
		TN_REG tn_f32_v8 r_brow_9_1 = {0};
		for (int64_t i13 = 0; i13 < tn_min(86 - 10*i12, 10); i13++) {
			if (84 - 10*i12 - i13 >= 0) {
				{
					int64_t i14 = 0;
					for (; i14 <= 24; i14 += 8) {
						tn_f32_v8 t0_0[8] = {{0}};
						for (int64_t i15 = 0; i15 < 6; i15++) {
							/* %0 x = input: line 2 */
							const tn_f16_v8 v10 = tn_load_f16_v8(b_x + (1920*i12 + 192*i13 + i14 + 32*i15));
							const tn_f32_v8 v11 = tn_cast_f16_f32_v8(v10);
							t0_0[i15] = v11;
						}
						const tn_f32_v8 t0_1_0 = tn_ziplo_f32_v8(t0_0[0], t0_0[4]);
						const tn_f32_v8 t0_1_1 = tn_ziphi_f32_v8(t0_0[0], t0_0[4]);
						const tn_f32_v8 t0_1_2 = tn_ziplo_f32_v8(t0_0[1], t0_0[5]);
						const tn_f32_v8 t0_1_3 = tn_ziphi_f32_v8(t0_0[1], t0_0[5]);
						const tn_f32_v8 t0_1_4 = tn_ziplo_f32_v8(t0_0[2], t0_0[6]);
						const tn_f32_v8 t0_1_5 = tn_ziphi_f32_v8(t0_0[2], t0_0[6]);
						const tn_f32_v8 t0_1_6 = tn_ziplo_f32_v8(t0_0[3], t0_0[7]);
						const tn_f32_v8 t0_1_7 = tn_ziphi_f32_v8(t0_0[3], t0_0[7]);
						const tn_f32_v8 t0_2_0 = tn_ziplo_f32_v8(t0_1_0, t0_1_4);
						const tn_f32_v8 t0_2_1 = tn_ziphi_f32_v8(t0_1_0, t0_1_4);
						const tn_f32_v8 t0_2_2 = tn_ziplo_f32_v8(t0_1_1, t0_1_5);
						const tn_f32_v8 t0_2_3 = tn_ziphi_f32_v8(t0_1_1, t0_1_5);
						const tn_f32_v8 t0_2_4 = tn_ziplo_f32_v8(t0_1_2, t0_1_6);
						const tn_f32_v8 t0_2_5 = tn_ziphi_f32_v8(t0_1_2, t0_1_6);
						const tn_f32_v8 t0_2_6 = tn_ziplo_f32_v8(t0_1_3, t0_1_7);
						const tn_f32_v8 t0_2_7 = tn_ziphi_f32_v8(t0_1_3, t0_1_7);
						const tn_f32_v8 t0_3_0 = tn_ziplo_f32_v8(t0_2_0, t0_2_4);
						const tn_f32_v8 t0_3_1 = tn_ziphi_f32_v8(t0_2_0, t0_2_4);
						const tn_f32_v8 t0_3_2 = tn_ziplo_f32_v8(t0_2_1, t0_2_5);
						const tn_f32_v8 t0_3_3 = tn_ziphi_f32_v8(t0_2_1, t0_2_5);
						const tn_f32_v8 t0_3_4 = tn_ziplo_f32_v8(t0_2_2, t0_2_6);
						const tn_f32_v8 t0_3_5 = tn_ziphi_f32_v8(t0_2_2, t0_2_6);
						const tn_f32_v8 t0_3_6 = tn_ziplo_f32_v8(t0_2_3, t0_2_7);
						const tn_f32_v8 t0_3_7 = tn_ziphi_f32_v8(t0_2_3, t0_2_7);
						tn_storen_f32_v8(pack_a + (192*i13 + 6*i14), 6, t0_3_0);
						tn_storen_f32_v8(pack_a + (192*i13 + 6*i14 + 6), 6, t0_3_1);
						tn_storen_f32_v8(pack_a + (192*i13 + 6*i14 + 12), 6, t0_3_2);
						tn_storen_f32_v8(pack_a + (192*i13 + 6*i14 + 18), 6, t0_3_3);
						tn_storen_f32_v8(pack_a + (192*i13 + 6*i14 + 24), 6, t0_3_4);
						tn_storen_f32_v8(pack_a + (192*i13 + 6*i14 + 30), 6, t0_3_5);
						tn_storen_f32_v8(pack_a + (192*i13 + 6*i14 + 36), 6, t0_3_6);
						tn_storen_f32_v8(pack_a + (192*i13 + 6*i14 + 42), 6, t0_3_7);
					}
				}
			} else {
				{
					int64_t i16 = 0;
					for (; i16 <= 24; i16 += 8) {
						tn_f32_v8 t1_0[8] = {{0}};
						for (int64_t i17 = 0; i17 < 2; i17++) {
							const tn_f16_v8 v12 = tn_load_f16_v8(b_x + (i16 + 32*i17 + 16320));
							const tn_f32_v8 v13 = tn_cast_f16_f32_v8(v12);
							t1_0[i17] = v13;
						}
						const tn_f32_v8 t1_1_0 = tn_ziplo_f32_v8(t1_0[0], t1_0[4]);
						const tn_f32_v8 t1_1_1 = tn_ziphi_f32_v8(t1_0[0], t1_0[4]);
						const tn_f32_v8 t1_1_2 = tn_ziplo_f32_v8(t1_0[1], t1_0[5]);
						const tn_f32_v8 t1_1_3 = tn_ziphi_f32_v8(t1_0[1], t1_0[5]);
						const tn_f32_v8 t1_1_4 = tn_ziplo_f32_v8(t1_0[2], t1_0[6]);
						const tn_f32_v8 t1_1_5 = tn_ziphi_f32_v8(t1_0[2], t1_0[6]);
						const tn_f32_v8 t1_1_6 = tn_ziplo_f32_v8(t1_0[3], t1_0[7]);
						const tn_f32_v8 t1_1_7 = tn_ziphi_f32_v8(t1_0[3], t1_0[7]);
						const tn_f32_v8 t1_2_0 = tn_ziplo_f32_v8(t1_1_0, t1_1_4);
						const tn_f32_v8 t1_2_1 = tn_ziphi_f32_v8(t1_1_0, t1_1_4);
						const tn_f32_v8 t1_2_2 = tn_ziplo_f32_v8(t1_1_1, t1_1_5);
						const tn_f32_v8 t1_2_3 = tn_ziphi_f32_v8(t1_1_1, t1_1_5);
						const tn_f32_v8 t1_2_4 = tn_ziplo_f32_v8(t1_1_2, t1_1_6);
						const tn_f32_v8 t1_2_5 = tn_ziphi_f32_v8(t1_1_2, t1_1_6);
						const tn_f32_v8 t1_2_6 = tn_ziplo_f32_v8(t1_1_3, t1_1_7);
						const tn_f32_v8 t1_2_7 = tn_ziphi_f32_v8(t1_1_3, t1_1_7);
						const tn_f32_v8 t1_3_0 = tn_ziplo_f32_v8(t1_2_0, t1_2_4);
						const tn_f32_v8 t1_3_1 = tn_ziphi_f32_v8(t1_2_0, t1_2_4);
						const tn_f32_v8 t1_3_2 = tn_ziplo_f32_v8(t1_2_1, t1_2_5);
						const tn_f32_v8 t1_3_3 = tn_ziphi_f32_v8(t1_2_1, t1_2_5);
						const tn_f32_v8 t1_3_4 = tn_ziplo_f32_v8(t1_2_2, t1_2_6);
						const tn_f32_v8 t1_3_5 = tn_ziphi_f32_v8(t1_2_2, t1_2_6);
						const tn_f32_v8 t1_3_6 = tn_ziplo_f32_v8(t1_2_3, t1_2_7);
						const tn_f32_v8 t1_3_7 = tn_ziphi_f32_v8(t1_2_3, t1_2_7);
						tn_storen_f32_v8(pack_a + (192*i13 + 6*i16), 2, t1_3_0);
						tn_storen_f32_v8(pack_a + (192*i13 + 6*i16 + 6), 2, t1_3_1);
						tn_storen_f32_v8(pack_a + (192*i13 + 6*i16 + 12), 2, t1_3_2);
						tn_storen_f32_v8(pack_a + (192*i13 + 6*i16 + 18), 2, t1_3_3);
						tn_storen_f32_v8(pack_a + (192*i13 + 6*i16 + 24), 2, t1_3_4);
						tn_storen_f32_v8(pack_a + (192*i13 + 6*i16 + 30), 2, t1_3_5);
						tn_storen_f32_v8(pack_a + (192*i13 + 6*i16 + 36), 2, t1_3_6);
						tn_storen_f32_v8(pack_a + (192*i13 + 6*i16 + 42), 2, t1_3_7);
					}
				}
			}
		}
		for (int64_t i18 = 0; i18 < tn_min(10*i12 + tn_min(86 - 10*i12, 10), 85) - 10*i12; i18++) {
			{
				const tn_f32_s v14 = 0x0p+0f;
				r_acc_0_0 = tn_splat_f32_v8(v14);
			}
			{
				const tn_f32_s v14 = 0x0p+0f;
				r_acc_0_1 = tn_splat_f32_v8(v14);
			}
			{
				const tn_f32_s v14 = 0x0p+0f;
				r_acc_1_0 = tn_splat_f32_v8(v14);
			}
			{
				const tn_f32_s v14 = 0x0p+0f;
				r_acc_1_1 = tn_splat_f32_v8(v14);
			}
			{
				const tn_f32_s v14 = 0x0p+0f;
				r_acc_2_0 = tn_splat_f32_v8(v14);
			}
			{
				const tn_f32_s v14 = 0x0p+0f;
				r_acc_2_1 = tn_splat_f32_v8(v14);
			}
			{
				const tn_f32_s v14 = 0x0p+0f;
				r_acc_3_0 = tn_splat_f32_v8(v14);
			}
			{
				const tn_f32_s v14 = 0x0p+0f;
				r_acc_3_1 = tn_splat_f32_v8(v14);
			}
			{
				const tn_f32_s v14 = 0x0p+0f;
				r_acc_4_0 = tn_splat_f32_v8(v14);
			}
			{
				const tn_f32_s v14 = 0x0p+0f;
				r_acc_4_1 = tn_splat_f32_v8(v14);
			}
			{
				const tn_f32_s v14 = 0x0p+0f;
				r_acc_5_0 = tn_splat_f32_v8(v14);
			}
			{
				const tn_f32_s v14 = 0x0p+0f;
				r_acc_5_1 = tn_splat_f32_v8(v14);
			}
			for (int64_t i21 = 0; i21 < 32; i21++) {
				{
					const tn_f32_v8 v15 = tn_load_f32_v8(pack_b0 + (16*i21));
					r_brow_0 = v15;
				}
				{
					const tn_f32_v8 v15 = tn_load_f32_v8(pack_b0 + (16*i21 + 8));
					r_brow_1 = v15;
				}
				{
					const tn_f32_s v16 = pack_a[192*i18 + 6*i21];
					{
						const tn_f32_v8 v17 = r_brow_0;
						const tn_f32_v8 v18 = r_acc_0_0;
						const tn_f32_v8 v19 = tn_mac_f32_v8(tn_splat_f32_v8(v16), v17, v18);
						r_acc_0_0 = v19;
					}
					{
						const tn_f32_v8 v17 = r_brow_1;
						const tn_f32_v8 v18 = r_acc_0_1;
						const tn_f32_v8 v19 = tn_mac_f32_v8(tn_splat_f32_v8(v16), v17, v18);
						r_acc_0_1 = v19;
					}
				}
				{
					const tn_f32_s v16 = pack_a[192*i18 + 6*i21 + 1];
					{
						const tn_f32_v8 v17 = r_brow_0;
						const tn_f32_v8 v18 = r_acc_1_0;
						const tn_f32_v8 v19 = tn_mac_f32_v8(tn_splat_f32_v8(v16), v17, v18);
						r_acc_1_0 = v19;
					}
					{
						const tn_f32_v8 v17 = r_brow_1;
						const tn_f32_v8 v18 = r_acc_1_1;
						const tn_f32_v8 v19 = tn_mac_f32_v8(tn_splat_f32_v8(v16), v17, v18);
						r_acc_1_1 = v19;
					}
				}
				{
					const tn_f32_s v16 = pack_a[192*i18 + 6*i21 + 2];
					{
						const tn_f32_v8 v17 = r_brow_0;
						const tn_f32_v8 v18 = r_acc_2_0;
						const tn_f32_v8 v19 = tn_mac_f32_v8(tn_splat_f32_v8(v16), v17, v18);
						r_acc_2_0 = v19;
					}
					{
						const tn_f32_v8 v17 = r_brow_1;
						const tn_f32_v8 v18 = r_acc_2_1;
						const tn_f32_v8 v19 = tn_mac_f32_v8(tn_splat_f32_v8(v16), v17, v18);
						r_acc_2_1 = v19;
					}
				}
				{
					const tn_f32_s v16 = pack_a[192*i18 + 6*i21 + 3];
					{
						const tn_f32_v8 v17 = r_brow_0;
						const tn_f32_v8 v18 = r_acc_3_0;
						const tn_f32_v8 v19 = tn_mac_f32_v8(tn_splat_f32_v8(v16), v17, v18);
						r_acc_3_0 = v19;
					}
					{
						const tn_f32_v8 v17 = r_brow_1;
						const tn_f32_v8 v18 = r_acc_3_1;
						const tn_f32_v8 v19 = tn_mac_f32_v8(tn_splat_f32_v8(v16), v17, v18);
						r_acc_3_1 = v19;
					}
				}
				{
					const tn_f32_s v16 = pack_a[192*i18 + 6*i21 + 4];
					{
						const tn_f32_v8 v17 = r_brow_0;
						const tn_f32_v8 v18 = r_acc_4_0;
						const tn_f32_v8 v19 = tn_mac_f32_v8(tn_splat_f32_v8(v16), v17, v18);
						r_acc_4_0 = v19;
					}
					{
						const tn_f32_v8 v17 = r_brow_1;
						const tn_f32_v8 v18 = r_acc_4_1;
						const tn_f32_v8 v19 = tn_mac_f32_v8(tn_splat_f32_v8(v16), v17, v18);
						r_acc_4_1 = v19;
					}
				}
				{
					const tn_f32_s v16 = pack_a[192*i18 + 6*i21 + 5];
					{
						const tn_f32_v8 v17 = r_brow_0;
						const tn_f32_v8 v18 = r_acc_5_0;
						const tn_f32_v8 v19 = tn_mac_f32_v8(tn_splat_f32_v8(v16), v17, v18);
						r_acc_5_0 = v19;
					}
					{
						const tn_f32_v8 v17 = r_brow_1;
						const tn_f32_v8 v18 = r_acc_5_1;
						const tn_f32_v8 v19 = tn_mac_f32_v8(tn_splat_f32_v8(v16), v17, v18);
						r_acc_5_1 = v19;
					}
				}
			}
			{
				const tn_f32_v8 v20 = r_acc_0_0;
				tn_store_f32_v8(tile + (96*i18), v20);
			}
			{
				const tn_f32_v8 v20 = r_acc_0_1;
				tn_store_f32_v8(tile + (96*i18 + 8), v20);
			}
			{
				const tn_f32_v8 v20 = r_acc_1_0;
				tn_store_f32_v8(tile + (96*i18 + 16), v20);
			}
			{
				const tn_f32_v8 v20 = r_acc_1_1;
				tn_store_f32_v8(tile + (96*i18 + 24), v20);
			}
			{
				const tn_f32_v8 v20 = r_acc_2_0;
				tn_store_f32_v8(tile + (96*i18 + 32), v20);
			}
			{
				const tn_f32_v8 v20 = r_acc_2_1;
				tn_store_f32_v8(tile + (96*i18 + 40), v20);
			}
			{
				const tn_f32_v8 v20 = r_acc_3_0;
				tn_store_f32_v8(tile + (96*i18 + 48), v20);
			}
			{
				const tn_f32_v8 v20 = r_acc_3_1;
				tn_store_f32_v8(tile + (96*i18 + 56), v20);
			}
			{
				const tn_f32_v8 v20 = r_acc_4_0;
				tn_store_f32_v8(tile + (96*i18 + 64), v20);
			}
			{
				const tn_f32_v8 v20 = r_acc_4_1;
				tn_store_f32_v8(tile + (96*i18 + 72), v20);
			}
			{
				const tn_f32_v8 v20 = r_acc_5_0;
				tn_store_f32_v8(tile + (96*i18 + 80), v20);
			}
			{
				const tn_f32_v8 v20 = r_acc_5_1;
				tn_store_f32_v8(tile + (96*i18 + 88), v20);
			}
		}
		for (int64_t i27 = 0; i27 < 10*i12 + tn_min(86 - 10*i12, 10) - tn_min(10*i12 + tn_min(86 - 10*i12, 10), 85); i27++) {
			if (i27 + 85 - 10*i12 >= 0 && 10*i12 - i27 - 76 >= 0) {
				{
					const tn_f32_s v21 = 0x0p+0f;
					r_acc_1_0_0 = tn_splat_f32_v8(v21);
				}
				{
					const tn_f32_s v21 = 0x0p+0f;
					r_acc_1_0_1 = tn_splat_f32_v8(v21);
				}
				{
					const tn_f32_s v21 = 0x0p+0f;
					r_acc_1_1_0 = tn_splat_f32_v8(v21);
				}
				{
					const tn_f32_s v21 = 0x0p+0f;
					r_acc_1_1_1 = tn_splat_f32_v8(v21);
				}
				for (int64_t i30 = 0; i30 < 32; i30++) {
					{
						const tn_f32_v8 v22 = tn_load_f32_v8(pack_b0 + (16*i30));
						r_brow_1_0 = v22;
					}
					{
						const tn_f32_v8 v22 = tn_load_f32_v8(pack_b0 + (16*i30 + 8));
						r_brow_1_1 = v22;
					}
					{
						const tn_f32_s v23 = pack_a[192*i27 + 6*i30 + 16320 - 1920*i12];
						{
							const tn_f32_v8 v24 = r_brow_1_0;
							const tn_f32_v8 v25 = r_acc_1_0_0;
							const tn_f32_v8 v26 = tn_mac_f32_v8(tn_splat_f32_v8(v23), v24, v25);
							r_acc_1_0_0 = v26;
						}
						{
							const tn_f32_v8 v24 = r_brow_1_1;
							const tn_f32_v8 v25 = r_acc_1_0_1;
							const tn_f32_v8 v26 = tn_mac_f32_v8(tn_splat_f32_v8(v23), v24, v25);
							r_acc_1_0_1 = v26;
						}
					}
					{
						const tn_f32_s v23 = pack_a[192*i27 + 6*i30 + 16321 - 1920*i12];
						{
							const tn_f32_v8 v24 = r_brow_1_0;
							const tn_f32_v8 v25 = r_acc_1_1_0;
							const tn_f32_v8 v26 = tn_mac_f32_v8(tn_splat_f32_v8(v23), v24, v25);
							r_acc_1_1_0 = v26;
						}
						{
							const tn_f32_v8 v24 = r_brow_1_1;
							const tn_f32_v8 v25 = r_acc_1_1_1;
							const tn_f32_v8 v26 = tn_mac_f32_v8(tn_splat_f32_v8(v23), v24, v25);
							r_acc_1_1_1 = v26;
						}
					}
				}
				{
					const tn_f32_v8 v27 = r_acc_1_0_0;
					tn_store_f32_v8(tile + (96*i27 + 8160 - 960*i12), v27);
				}
				{
					const tn_f32_v8 v27 = r_acc_1_0_1;
					tn_store_f32_v8(tile + (96*i27 + 8168 - 960*i12), v27);
				}
				{
					const tn_f32_v8 v27 = r_acc_1_1_0;
					tn_store_f32_v8(tile + (96*i27 + 8176 - 960*i12), v27);
				}
				{
					const tn_f32_v8 v27 = r_acc_1_1_1;
					tn_store_f32_v8(tile + (96*i27 + 8184 - 960*i12), v27);
				}
			}
		}
		for (int64_t i36 = 0; i36 < tn_min(10*i12 + tn_min(86 - 10*i12, 10), 85) - 10*i12; i36++) {
			{
				const tn_f32_s v28 = 0x0p+0f;
				r_acc_2_0_0 = tn_splat_f32_v8(v28);
			}
			{
				const tn_f32_s v28 = 0x0p+0f;
				r_acc_2_0_1 = tn_splat_f32_v8(v28);
			}
			{
				const tn_f32_s v28 = 0x0p+0f;
				r_acc_2_1_0 = tn_splat_f32_v8(v28);
			}
			{
				const tn_f32_s v28 = 0x0p+0f;
				r_acc_2_1_1 = tn_splat_f32_v8(v28);
			}
			{
				const tn_f32_s v28 = 0x0p+0f;
				r_acc_2_2_0 = tn_splat_f32_v8(v28);
			}
			{
				const tn_f32_s v28 = 0x0p+0f;
				r_acc_2_2_1 = tn_splat_f32_v8(v28);
			}
			{
				const tn_f32_s v28 = 0x0p+0f;
				r_acc_2_3_0 = tn_splat_f32_v8(v28);
			}
			{
				const tn_f32_s v28 = 0x0p+0f;
				r_acc_2_3_1 = tn_splat_f32_v8(v28);
			}
			{
				const tn_f32_s v28 = 0x0p+0f;
				r_acc_2_4_0 = tn_splat_f32_v8(v28);
			}
			{
				const tn_f32_s v28 = 0x0p+0f;
				r_acc_2_4_1 = tn_splat_f32_v8(v28);
			}
			{
				const tn_f32_s v28 = 0x0p+0f;
				r_acc_2_5_0 = tn_splat_f32_v8(v28);
			}
			{
				const tn_f32_s v28 = 0x0p+0f;
				r_acc_2_5_1 = tn_splat_f32_v8(v28);
			}
			for (int64_t i39 = 0; i39 < 32; i39++) {
				{
					const tn_f32_v8 v29 = tn_load_f32_v8(pack_b1 + (16*i39));
					r_brow_2_0 = v29;
				}
				{
					const tn_f32_v8 v29 = tn_load_f32_v8(pack_b1 + (16*i39 + 8));
					r_brow_2_1 = v29;
				}
				{
					const tn_f32_s v30 = pack_a[192*i36 + 6*i39];
					{
						const tn_f32_v8 v31 = r_brow_2_0;
						const tn_f32_v8 v32 = r_acc_2_0_0;
						const tn_f32_v8 v33 = tn_mac_f32_v8(tn_splat_f32_v8(v30), v31, v32);
						r_acc_2_0_0 = v33;
					}
					{
						const tn_f32_v8 v31 = r_brow_2_1;
						const tn_f32_v8 v32 = r_acc_2_0_1;
						const tn_f32_v8 v33 = tn_mac_f32_v8(tn_splat_f32_v8(v30), v31, v32);
						r_acc_2_0_1 = v33;
					}
				}
				{
					const tn_f32_s v30 = pack_a[192*i36 + 6*i39 + 1];
					{
						const tn_f32_v8 v31 = r_brow_2_0;
						const tn_f32_v8 v32 = r_acc_2_1_0;
						const tn_f32_v8 v33 = tn_mac_f32_v8(tn_splat_f32_v8(v30), v31, v32);
						r_acc_2_1_0 = v33;
					}
					{
						const tn_f32_v8 v31 = r_brow_2_1;
						const tn_f32_v8 v32 = r_acc_2_1_1;
						const tn_f32_v8 v33 = tn_mac_f32_v8(tn_splat_f32_v8(v30), v31, v32);
						r_acc_2_1_1 = v33;
					}
				}
				{
					const tn_f32_s v30 = pack_a[192*i36 + 6*i39 + 2];
					{
						const tn_f32_v8 v31 = r_brow_2_0;
						const tn_f32_v8 v32 = r_acc_2_2_0;
						const tn_f32_v8 v33 = tn_mac_f32_v8(tn_splat_f32_v8(v30), v31, v32);
						r_acc_2_2_0 = v33;
					}
					{
						const tn_f32_v8 v31 = r_brow_2_1;
						const tn_f32_v8 v32 = r_acc_2_2_1;
						const tn_f32_v8 v33 = tn_mac_f32_v8(tn_splat_f32_v8(v30), v31, v32);
						r_acc_2_2_1 = v33;
					}
				}
				{
					const tn_f32_s v30 = pack_a[192*i36 + 6*i39 + 3];
					{
						const tn_f32_v8 v31 = r_brow_2_0;
						const tn_f32_v8 v32 = r_acc_2_3_0;
						const tn_f32_v8 v33 = tn_mac_f32_v8(tn_splat_f32_v8(v30), v31, v32);
						r_acc_2_3_0 = v33;
					}
					{
						const tn_f32_v8 v31 = r_brow_2_1;
						const tn_f32_v8 v32 = r_acc_2_3_1;
						const tn_f32_v8 v33 = tn_mac_f32_v8(tn_splat_f32_v8(v30), v31, v32);
						r_acc_2_3_1 = v33;
					}
				}
				{
					const tn_f32_s v30 = pack_a[192*i36 + 6*i39 + 4];
					{
						const tn_f32_v8 v31 = r_brow_2_0;
						const tn_f32_v8 v32 = r_acc_2_4_0;
						const tn_f32_v8 v33 = tn_mac_f32_v8(tn_splat_f32_v8(v30), v31, v32);
						r_acc_2_4_0 = v33;
					}
					{
						const tn_f32_v8 v31 = r_brow_2_1;
						const tn_f32_v8 v32 = r_acc_2_4_1;
						const tn_f32_v8 v33 = tn_mac_f32_v8(tn_splat_f32_v8(v30), v31, v32);
						r_acc_2_4_1 = v33;
					}
				}
				{
					const tn_f32_s v30 = pack_a[192*i36 + 6*i39 + 5];
					{
						const tn_f32_v8 v31 = r_brow_2_0;
						const tn_f32_v8 v32 = r_acc_2_5_0;
						const tn_f32_v8 v33 = tn_mac_f32_v8(tn_splat_f32_v8(v30), v31, v32);
						r_acc_2_5_0 = v33;
					}
					{
						const tn_f32_v8 v31 = r_brow_2_1;
						const tn_f32_v8 v32 = r_acc_2_5_1;
						const tn_f32_v8 v33 = tn_mac_f32_v8(tn_splat_f32_v8(v30), v31, v32);
						r_acc_2_5_1 = v33;
					}
				}
			}
			{
				const tn_f32_v8 v34 = r_acc_2_0_0;
				tn_store_f32_v8(tile_1 + (96*i36), v34);
			}
			{
				const tn_f32_v8 v34 = r_acc_2_0_1;
				tn_store_f32_v8(tile_1 + (96*i36 + 8), v34);
			}
			{
				const tn_f32_v8 v34 = r_acc_2_1_0;
				tn_store_f32_v8(tile_1 + (96*i36 + 16), v34);
			}
			{
				const tn_f32_v8 v34 = r_acc_2_1_1;
				tn_store_f32_v8(tile_1 + (96*i36 + 24), v34);
			}
			{
				const tn_f32_v8 v34 = r_acc_2_2_0;
				tn_store_f32_v8(tile_1 + (96*i36 + 32), v34);
			}
			{
				const tn_f32_v8 v34 = r_acc_2_2_1;
				tn_store_f32_v8(tile_1 + (96*i36 + 40), v34);
			}
			{
				const tn_f32_v8 v34 = r_acc_2_3_0;
				tn_store_f32_v8(tile_1 + (96*i36 + 48), v34);
			}
			{
				const tn_f32_v8 v34 = r_acc_2_3_1;
				tn_store_f32_v8(tile_1 + (96*i36 + 56), v34);
			}
			{
				const tn_f32_v8 v34 = r_acc_2_4_0;
				tn_store_f32_v8(tile_1 + (96*i36 + 64), v34);
			}
			{
				const tn_f32_v8 v34 = r_acc_2_4_1;
				tn_store_f32_v8(tile_1 + (96*i36 + 72), v34);
			}
			{
				const tn_f32_v8 v34 = r_acc_2_5_0;
				tn_store_f32_v8(tile_1 + (96*i36 + 80), v34);
			}
			{
				const tn_f32_v8 v34 = r_acc_2_5_1;
				tn_store_f32_v8(tile_1 + (96*i36 + 88), v34);
			}
			for (int64_t i45 = 0; i45 < 6; i45++) {
				{
					int64_t i46 = 0;
					for (; i46 <= 8; i46 += 8) {
						const tn_f32_v8 v35 = tn_load_f32_v8(tile + (96*i36 + 16*i45 + i46));
						/* %5 = matmul: line 4 */
						const tn_f16_v8 v36 = tn_round_f16_v8(v35);
						const tn_f32_v8 v37 = tn_load_f32_v8(tile_1 + (96*i36 + 16*i45 + i46));
						/* %14 = matmul: line 4 */
						const tn_f16_v8 v38 = tn_round_f16_v8(v37);
						/* %6 = cast: line 4 */
						const tn_f32_v8 v39 = tn_cast_f16_f32_v8(v36);
						/* %7 = neg: line 4 */
						const tn_f32_v8 v40 = tn_neg_f32_v8(v39);
						/* %8 = exp: line 4 */
						const tn_f32_v8 v41 = tn_exp_f32_v8(v40);
						/* %9 = const: line 4 */
						const tn_f32_s v42 = 0x1p+0f;
						/* %11 = add: line 4 */
						const tn_f32_v8 v43 = tn_splat_f32_v8(v42) + v41;
						/* %12 = div: line 4 */
						const tn_f32_v8 v44 = tn_div_f32_v8(v39, v43);
						/* %13 = cast: line 4 */
						const tn_f16_v8 v45 = tn_cast_f32_f16_v8(v44);
						/* %15 h = mul: line 4 */
						const tn_f16_v8 v46 = tn_mul_f16_v8(v45, v38);
						const tn_f32_v8 v47 = tn_cast_f16_f32_v8(v46);
						tn_store_f32_v8(held + (288*i36 + 48*i45 + i46), v47);
					}
				}
			}
		}
		for (int64_t i47 = 0; i47 < 10*i12 + tn_min(86 - 10*i12, 10) - tn_min(10*i12 + tn_min(86 - 10*i12, 10), 85); i47++) {
			if (i47 + 85 - 10*i12 >= 0 && 10*i12 - i47 - 76 >= 0) {
				{
					const tn_f32_s v48 = 0x0p+0f;
					r_acc_3_0_0 = tn_splat_f32_v8(v48);
				}
				{
					const tn_f32_s v48 = 0x0p+0f;
					r_acc_3_0_1 = tn_splat_f32_v8(v48);
				}
				{
					const tn_f32_s v48 = 0x0p+0f;
					r_acc_3_1_0 = tn_splat_f32_v8(v48);
				}
				{
					const tn_f32_s v48 = 0x0p+0f;
					r_acc_3_1_1 = tn_splat_f32_v8(v48);
				}
				for (int64_t i50 = 0; i50 < 32; i50++) {
					{
						const tn_f32_v8 v49 = tn_load_f32_v8(pack_b1 + (16*i50));
						r_brow_3_0 = v49;
					}
					{
						const tn_f32_v8 v49 = tn_load_f32_v8(pack_b1 + (16*i50 + 8));
						r_brow_3_1 = v49;
					}
					{
						const tn_f32_s v50 = pack_a[192*i47 + 6*i50 + 16320 - 1920*i12];
						{
							const tn_f32_v8 v51 = r_brow_3_0;
							const tn_f32_v8 v52 = r_acc_3_0_0;
							const tn_f32_v8 v53 = tn_mac_f32_v8(tn_splat_f32_v8(v50), v51, v52);
							r_acc_3_0_0 = v53;
						}
						{
							const tn_f32_v8 v51 = r_brow_3_1;
							const tn_f32_v8 v52 = r_acc_3_0_1;
							const tn_f32_v8 v53 = tn_mac_f32_v8(tn_splat_f32_v8(v50), v51, v52);
							r_acc_3_0_1 = v53;
						}
					}
					{
						const tn_f32_s v50 = pack_a[192*i47 + 6*i50 + 16321 - 1920*i12];
						{
							const tn_f32_v8 v51 = r_brow_3_0;
							const tn_f32_v8 v52 = r_acc_3_1_0;
							const tn_f32_v8 v53 = tn_mac_f32_v8(tn_splat_f32_v8(v50), v51, v52);
							r_acc_3_1_0 = v53;
						}
						{
							const tn_f32_v8 v51 = r_brow_3_1;
							const tn_f32_v8 v52 = r_acc_3_1_1;
							const tn_f32_v8 v53 = tn_mac_f32_v8(tn_splat_f32_v8(v50), v51, v52);
							r_acc_3_1_1 = v53;
						}
					}
				}
				{
					const tn_f32_v8 v54 = r_acc_3_0_0;
					tn_store_f32_v8(tile_1 + (96*i47 + 8160 - 960*i12), v54);
				}
				{
					const tn_f32_v8 v54 = r_acc_3_0_1;
					tn_store_f32_v8(tile_1 + (96*i47 + 8168 - 960*i12), v54);
				}
				{
					const tn_f32_v8 v54 = r_acc_3_1_0;
					tn_store_f32_v8(tile_1 + (96*i47 + 8176 - 960*i12), v54);
				}
				{
					const tn_f32_v8 v54 = r_acc_3_1_1;
					tn_store_f32_v8(tile_1 + (96*i47 + 8184 - 960*i12), v54);
				}
				for (int64_t i56 = 0; i56 < 2 - 6*i47; i56++) {
					{
						int64_t i57 = 0;
						for (; i57 <= 8; i57 += 8) {
							const tn_f32_v8 v55 = tn_load_f32_v8(tile + (96*i47 + 16*i56 + i57 + 8160 - 960*i12));
							/* %5 = matmul: line 4 */
							const tn_f16_v8 v56 = tn_round_f16_v8(v55);
							const tn_f32_v8 v57 = tn_load_f32_v8(tile_1 + (96*i47 + 16*i56 + i57 + 8160 - 960*i12));
							/* %14 = matmul: line 4 */
							const tn_f16_v8 v58 = tn_round_f16_v8(v57);
							/* %6 = cast: line 4 */
							const tn_f32_v8 v59 = tn_cast_f16_f32_v8(v56);
							/* %7 = neg: line 4 */
							const tn_f32_v8 v60 = tn_neg_f32_v8(v59);
							/* %8 = exp: line 4 */
							const tn_f32_v8 v61 = tn_exp_f32_v8(v60);
							/* %9 = const: line 4 */
							const tn_f32_s v62 = 0x1p+0f;
							/* %11 = add: line 4 */
							const tn_f32_v8 v63 = tn_splat_f32_v8(v62) + v61;
							/* %12 = div: line 4 */
							const tn_f32_v8 v64 = tn_div_f32_v8(v59, v63);
							/* %13 = cast: line 4 */
							const tn_f16_v8 v65 = tn_cast_f32_f16_v8(v64);
							/* %15 h = mul: line 4 */
							const tn_f16_v8 v66 = tn_mul_f16_v8(v65, v58);
							const tn_f32_v8 v67 = tn_cast_f16_f32_v8(v66);
							tn_store_f32_v8(held + (288*i47 + 48*i56 + i57 + 24480 - 2880*i12), v67);
						}
					}
				}
			}
		}
		for (int64_t i58 = 0; i58 < tn_min(10*i12 + tn_min(86 - 10*i12, 10), 85) - 10*i12; i58++) {
			if (i58 >= 0 && 9 - i58 >= 0) {
				{
					const tn_f32_s v68 = 0x0p+0f;
					r_acc_4_0_0 = tn_splat_f32_v8(v68);
				}
				{
					const tn_f32_s v68 = 0x0p+0f;
					r_acc_4_1_0 = tn_splat_f32_v8(v68);
				}
				{
					const tn_f32_s v68 = 0x0p+0f;
					r_acc_4_2_0 = tn_splat_f32_v8(v68);
				}
				{
					const tn_f32_s v68 = 0x0p+0f;
					r_acc_4_3_0 = tn_splat_f32_v8(v68);
				}
				{
					const tn_f32_s v68 = 0x0p+0f;
					r_acc_4_4_0 = tn_splat_f32_v8(v68);
				}
				{
					const tn_f32_s v68 = 0x0p+0f;
					r_acc_4_5_0 = tn_splat_f32_v8(v68);
				}
				for (int64_t i61 = 0; i61 < 32; i61++) {
					{
						const tn_f32_v8 v69 = tn_load_f32_v8(pack_b0 + (16*i61 + 512));
						r_brow_4_0 = v69;
					}
					{
						const tn_f32_s v70 = pack_a[192*i58 + 6*i61];
						{
							const tn_f32_v8 v71 = r_brow_4_0;
							const tn_f32_v8 v72 = r_acc_4_0_0;
							const tn_f32_v8 v73 = tn_mac_f32_v8(tn_splat_f32_v8(v70), v71, v72);
							r_acc_4_0_0 = v73;
						}
					}
					{
						const tn_f32_s v70 = pack_a[192*i58 + 6*i61 + 1];
						{
							const tn_f32_v8 v71 = r_brow_4_0;
							const tn_f32_v8 v72 = r_acc_4_1_0;
							const tn_f32_v8 v73 = tn_mac_f32_v8(tn_splat_f32_v8(v70), v71, v72);
							r_acc_4_1_0 = v73;
						}
					}
					{
						const tn_f32_s v70 = pack_a[192*i58 + 6*i61 + 2];
						{
							const tn_f32_v8 v71 = r_brow_4_0;
							const tn_f32_v8 v72 = r_acc_4_2_0;
							const tn_f32_v8 v73 = tn_mac_f32_v8(tn_splat_f32_v8(v70), v71, v72);
							r_acc_4_2_0 = v73;
						}
					}
					{
						const tn_f32_s v70 = pack_a[192*i58 + 6*i61 + 3];
						{
							const tn_f32_v8 v71 = r_brow_4_0;
							const tn_f32_v8 v72 = r_acc_4_3_0;
							const tn_f32_v8 v73 = tn_mac_f32_v8(tn_splat_f32_v8(v70), v71, v72);
							r_acc_4_3_0 = v73;
						}
					}
					{
						const tn_f32_s v70 = pack_a[192*i58 + 6*i61 + 4];
						{
							const tn_f32_v8 v71 = r_brow_4_0;
							const tn_f32_v8 v72 = r_acc_4_4_0;
							const tn_f32_v8 v73 = tn_mac_f32_v8(tn_splat_f32_v8(v70), v71, v72);
							r_acc_4_4_0 = v73;
						}
					}
					{
						const tn_f32_s v70 = pack_a[192*i58 + 6*i61 + 5];
						{
							const tn_f32_v8 v71 = r_brow_4_0;
							const tn_f32_v8 v72 = r_acc_4_5_0;
							const tn_f32_v8 v73 = tn_mac_f32_v8(tn_splat_f32_v8(v70), v71, v72);
							r_acc_4_5_0 = v73;
						}
					}
				}
				{
					const tn_f32_v8 v74 = r_acc_4_0_0;
					tn_store_f32_v8(tile + (96*i58 + 960), v74);
				}
				{
					const tn_f32_v8 v74 = r_acc_4_1_0;
					tn_store_f32_v8(tile + (96*i58 + 976), v74);
				}
				{
					const tn_f32_v8 v74 = r_acc_4_2_0;
					tn_store_f32_v8(tile + (96*i58 + 992), v74);
				}
				{
					const tn_f32_v8 v74 = r_acc_4_3_0;
					tn_store_f32_v8(tile + (96*i58 + 1008), v74);
				}
				{
					const tn_f32_v8 v74 = r_acc_4_4_0;
					tn_store_f32_v8(tile + (96*i58 + 1024), v74);
				}
				{
					const tn_f32_v8 v74 = r_acc_4_5_0;
					tn_store_f32_v8(tile + (96*i58 + 1040), v74);
				}
			}
		}
		for (int64_t i67 = 0; i67 < 10*i12 + tn_min(86 - 10*i12, 10) - tn_min(10*i12 + tn_min(86 - 10*i12, 10), 85); i67++) {
			if (i67 + 85 - 10*i12 >= 0 && 10*i12 - i67 - 76 >= 0) {
				{
					const tn_f32_s v75 = 0x0p+0f;
					r_acc_5_0_0 = tn_splat_f32_v8(v75);
				}
				{
					const tn_f32_s v75 = 0x0p+0f;
					r_acc_5_1_0 = tn_splat_f32_v8(v75);
				}
				for (int64_t i70 = 0; i70 < 32; i70++) {
					{
						const tn_f32_v8 v76 = tn_load_f32_v8(pack_b0 + (16*i70 + 512));
						r_brow_5_0 = v76;
					}
					{
						const tn_f32_s v77 = pack_a[192*i67 + 6*i70 + 16320 - 1920*i12];
						{
							const tn_f32_v8 v78 = r_brow_5_0;
							const tn_f32_v8 v79 = r_acc_5_0_0;
							const tn_f32_v8 v80 = tn_mac_f32_v8(tn_splat_f32_v8(v77), v78, v79);
							r_acc_5_0_0 = v80;
						}
					}
					{
						const tn_f32_s v77 = pack_a[192*i67 + 6*i70 + 16321 - 1920*i12];
						{
							const tn_f32_v8 v78 = r_brow_5_0;
							const tn_f32_v8 v79 = r_acc_5_1_0;
							const tn_f32_v8 v80 = tn_mac_f32_v8(tn_splat_f32_v8(v77), v78, v79);
							r_acc_5_1_0 = v80;
						}
					}
				}
				{
					const tn_f32_v8 v81 = r_acc_5_0_0;
					tn_store_f32_v8(tile + (96*i67 + 9120 - 960*i12), v81);
				}
				{
					const tn_f32_v8 v81 = r_acc_5_1_0;
					tn_store_f32_v8(tile + (96*i67 + 9136 - 960*i12), v81);
				}
			}
		}
		for (int64_t i76 = 0; i76 < tn_min(10*i12 + tn_min(86 - 10*i12, 10), 85) - 10*i12; i76++) {
			if (i76 >= 0 && 9 - i76 >= 0) {
				{
					const tn_f32_s v82 = 0x0p+0f;
					r_acc_6_0_0 = tn_splat_f32_v8(v82);
				}
				{
					const tn_f32_s v82 = 0x0p+0f;
					r_acc_6_1_0 = tn_splat_f32_v8(v82);
				}
				{
					const tn_f32_s v82 = 0x0p+0f;
					r_acc_6_2_0 = tn_splat_f32_v8(v82);
				}
				{
					const tn_f32_s v82 = 0x0p+0f;
					r_acc_6_3_0 = tn_splat_f32_v8(v82);
				}
				{
					const tn_f32_s v82 = 0x0p+0f;
					r_acc_6_4_0 = tn_splat_f32_v8(v82);
				}
				{
					const tn_f32_s v82 = 0x0p+0f;
					r_acc_6_5_0 = tn_splat_f32_v8(v82);
				}
				for (int64_t i79 = 0; i79 < 32; i79++) {
					{
						const tn_f32_v8 v83 = tn_load_f32_v8(pack_b1 + (16*i79 + 512));
						r_brow_6_0 = v83;
					}
					{
						const tn_f32_s v84 = pack_a[192*i76 + 6*i79];
						{
							const tn_f32_v8 v85 = r_brow_6_0;
							const tn_f32_v8 v86 = r_acc_6_0_0;
							const tn_f32_v8 v87 = tn_mac_f32_v8(tn_splat_f32_v8(v84), v85, v86);
							r_acc_6_0_0 = v87;
						}
					}
					{
						const tn_f32_s v84 = pack_a[192*i76 + 6*i79 + 1];
						{
							const tn_f32_v8 v85 = r_brow_6_0;
							const tn_f32_v8 v86 = r_acc_6_1_0;
							const tn_f32_v8 v87 = tn_mac_f32_v8(tn_splat_f32_v8(v84), v85, v86);
							r_acc_6_1_0 = v87;
						}
					}
					{
						const tn_f32_s v84 = pack_a[192*i76 + 6*i79 + 2];
						{
							const tn_f32_v8 v85 = r_brow_6_0;
							const tn_f32_v8 v86 = r_acc_6_2_0;
							const tn_f32_v8 v87 = tn_mac_f32_v8(tn_splat_f32_v8(v84), v85, v86);
							r_acc_6_2_0 = v87;
						}
					}
					{
						const tn_f32_s v84 = pack_a[192*i76 + 6*i79 + 3];
						{
							const tn_f32_v8 v85 = r_brow_6_0;
							const tn_f32_v8 v86 = r_acc_6_3_0;
							const tn_f32_v8 v87 = tn_mac_f32_v8(tn_splat_f32_v8(v84), v85, v86);
							r_acc_6_3_0 = v87;
						}
					}
					{
						const tn_f32_s v84 = pack_a[192*i76 + 6*i79 + 4];
						{
							const tn_f32_v8 v85 = r_brow_6_0;
							const tn_f32_v8 v86 = r_acc_6_4_0;
							const tn_f32_v8 v87 = tn_mac_f32_v8(tn_splat_f32_v8(v84), v85, v86);
							r_acc_6_4_0 = v87;
						}
					}
					{
						const tn_f32_s v84 = pack_a[192*i76 + 6*i79 + 5];
						{
							const tn_f32_v8 v85 = r_brow_6_0;
							const tn_f32_v8 v86 = r_acc_6_5_0;
							const tn_f32_v8 v87 = tn_mac_f32_v8(tn_splat_f32_v8(v84), v85, v86);
							r_acc_6_5_0 = v87;
						}
					}
				}
				{
					const tn_f32_v8 v88 = r_acc_6_0_0;
					tn_store_f32_v8(tile_1 + (96*i76 + 960), v88);
				}
				{
					const tn_f32_v8 v88 = r_acc_6_1_0;
					tn_store_f32_v8(tile_1 + (96*i76 + 976), v88);
				}
				{
					const tn_f32_v8 v88 = r_acc_6_2_0;
					tn_store_f32_v8(tile_1 + (96*i76 + 992), v88);
				}
				{
					const tn_f32_v8 v88 = r_acc_6_3_0;
					tn_store_f32_v8(tile_1 + (96*i76 + 1008), v88);
				}
				{
					const tn_f32_v8 v88 = r_acc_6_4_0;
					tn_store_f32_v8(tile_1 + (96*i76 + 1024), v88);
				}
				{
					const tn_f32_v8 v88 = r_acc_6_5_0;
					tn_store_f32_v8(tile_1 + (96*i76 + 1040), v88);
				}
				for (int64_t i85 = 0; i85 < 6; i85++) {
					{
						int64_t i86 = 0;
						for (; i86 <= 0; i86 += 8) {
							const tn_f32_v8 v89 = tn_load_f32_v8(tile + (96*i76 + 16*i85 + i86 + 960));
							/* %5 = matmul: line 4 */
							const tn_f16_v8 v90 = tn_round_f16_v8(v89);
							const tn_f32_v8 v91 = tn_load_f32_v8(tile_1 + (96*i76 + 16*i85 + i86 + 960));
							/* %14 = matmul: line 4 */
							const tn_f16_v8 v92 = tn_round_f16_v8(v91);
							/* %6 = cast: line 4 */
							const tn_f32_v8 v93 = tn_cast_f16_f32_v8(v90);
							/* %7 = neg: line 4 */
							const tn_f32_v8 v94 = tn_neg_f32_v8(v93);
							/* %8 = exp: line 4 */
							const tn_f32_v8 v95 = tn_exp_f32_v8(v94);
							/* %9 = const: line 4 */
							const tn_f32_s v96 = 0x1p+0f;
							/* %11 = add: line 4 */
							const tn_f32_v8 v97 = tn_splat_f32_v8(v96) + v95;
							/* %12 = div: line 4 */
							const tn_f32_v8 v98 = tn_div_f32_v8(v93, v97);
							/* %13 = cast: line 4 */
							const tn_f16_v8 v99 = tn_cast_f32_f16_v8(v98);
							/* %15 h = mul: line 4 */
							const tn_f16_v8 v100 = tn_mul_f16_v8(v99, v92);
							const tn_f32_v8 v101 = tn_cast_f16_f32_v8(v100);
							tn_store_f32_v8(held + (288*i76 + 48*i85 + i86 + 16), v101);
						}
					}
				}
			}
		}
		for (int64_t i87 = 0; i87 < 10*i12 + tn_min(86 - 10*i12, 10) - tn_min(10*i12 + tn_min(86 - 10*i12, 10), 85); i87++) {
			if (i87 + 85 - 10*i12 >= 0 && 10*i12 - i87 - 76 >= 0) {
				{
					const tn_f32_s v102 = 0x0p+0f;
					r_acc_7_0_0 = tn_splat_f32_v8(v102);
				}
				{
					const tn_f32_s v102 = 0x0p+0f;
					r_acc_7_1_0 = tn_splat_f32_v8(v102);
				}
				for (int64_t i90 = 0; i90 < 32; i90++) {
					{
						const tn_f32_v8 v103 = tn_load_f32_v8(pack_b1 + (16*i90 + 512));
						r_brow_7_0 = v103;
					}
					{
						const tn_f32_s v104 = pack_a[192*i87 + 6*i90 + 16320 - 1920*i12];
						{
							const tn_f32_v8 v105 = r_brow_7_0;
							const tn_f32_v8 v106 = r_acc_7_0_0;
							const tn_f32_v8 v107 = tn_mac_f32_v8(tn_splat_f32_v8(v104), v105, v106);
							r_acc_7_0_0 = v107;
						}
					}
					{
						const tn_f32_s v104 = pack_a[192*i87 + 6*i90 + 16321 - 1920*i12];
						{
							const tn_f32_v8 v105 = r_brow_7_0;
							const tn_f32_v8 v106 = r_acc_7_1_0;
							const tn_f32_v8 v107 = tn_mac_f32_v8(tn_splat_f32_v8(v104), v105, v106);
							r_acc_7_1_0 = v107;
						}
					}
				}
				{
					const tn_f32_v8 v108 = r_acc_7_0_0;
					tn_store_f32_v8(tile_1 + (96*i87 + 9120 - 960*i12), v108);
				}
				{
					const tn_f32_v8 v108 = r_acc_7_1_0;
					tn_store_f32_v8(tile_1 + (96*i87 + 9136 - 960*i12), v108);
				}
				for (int64_t i96 = 0; i96 < 2 - 6*i87; i96++) {
					{
						int64_t i97 = 0;
						for (; i97 <= 0; i97 += 8) {
							const tn_f32_v8 v109 = tn_load_f32_v8(tile + (96*i87 + 16*i96 + i97 + 9120 - 960*i12));
							/* %5 = matmul: line 4 */
							const tn_f16_v8 v110 = tn_round_f16_v8(v109);
							const tn_f32_v8 v111 = tn_load_f32_v8(tile_1 + (96*i87 + 16*i96 + i97 + 9120 - 960*i12));
							/* %14 = matmul: line 4 */
							const tn_f16_v8 v112 = tn_round_f16_v8(v111);
							/* %6 = cast: line 4 */
							const tn_f32_v8 v113 = tn_cast_f16_f32_v8(v110);
							/* %7 = neg: line 4 */
							const tn_f32_v8 v114 = tn_neg_f32_v8(v113);
							/* %8 = exp: line 4 */
							const tn_f32_v8 v115 = tn_exp_f32_v8(v114);
							/* %9 = const: line 4 */
							const tn_f32_s v116 = 0x1p+0f;
							/* %11 = add: line 4 */
							const tn_f32_v8 v117 = tn_splat_f32_v8(v116) + v115;
							/* %12 = div: line 4 */
							const tn_f32_v8 v118 = tn_div_f32_v8(v113, v117);
							/* %13 = cast: line 4 */
							const tn_f16_v8 v119 = tn_cast_f32_f16_v8(v118);
							/* %15 h = mul: line 4 */
							const tn_f16_v8 v120 = tn_mul_f16_v8(v119, v112);
							const tn_f32_v8 v121 = tn_cast_f16_f32_v8(v120);
							tn_store_f32_v8(held + (288*i87 + 48*i96 + i97 + 24496 - 2880*i12), v121);
						}
					}
				}
			}
		}
		for (int64_t i98 = 0; i98 < tn_min(10*i12 + tn_min(86 - 10*i12, 10), 85) - 10*i12; i98++) {
			{
				const tn_f32_s v122 = 0x0p+0f;
				r_acc_8_0_0 = tn_splat_f32_v8(v122);
			}
			{
				const tn_f32_s v122 = 0x0p+0f;
				r_acc_8_0_1 = tn_splat_f32_v8(v122);
			}
			{
				const tn_f32_s v122 = 0x0p+0f;
				r_acc_8_1_0 = tn_splat_f32_v8(v122);
			}
			{
				const tn_f32_s v122 = 0x0p+0f;
				r_acc_8_1_1 = tn_splat_f32_v8(v122);
			}
			{
				const tn_f32_s v122 = 0x0p+0f;
				r_acc_8_2_0 = tn_splat_f32_v8(v122);
			}
			{
				const tn_f32_s v122 = 0x0p+0f;
				r_acc_8_2_1 = tn_splat_f32_v8(v122);
			}
			{
				const tn_f32_s v122 = 0x0p+0f;
				r_acc_8_3_0 = tn_splat_f32_v8(v122);
			}
			{
				const tn_f32_s v122 = 0x0p+0f;
				r_acc_8_3_1 = tn_splat_f32_v8(v122);
			}
			{
				const tn_f32_s v122 = 0x0p+0f;
				r_acc_8_4_0 = tn_splat_f32_v8(v122);
			}
			{
				const tn_f32_s v122 = 0x0p+0f;
				r_acc_8_4_1 = tn_splat_f32_v8(v122);
			}
			{
				const tn_f32_s v122 = 0x0p+0f;
				r_acc_8_5_0 = tn_splat_f32_v8(v122);
			}
			{
				const tn_f32_s v122 = 0x0p+0f;
				r_acc_8_5_1 = tn_splat_f32_v8(v122);
			}
			for (int64_t i101 = 0; i101 < 24; i101++) {
				{
					const tn_f32_v8 v123 = tn_load_f32_v8(pack_b2 + (16*i101));
					r_brow_8_0 = v123;
				}
				{
					const tn_f32_v8 v123 = tn_load_f32_v8(pack_b2 + (16*i101 + 8));
					r_brow_8_1 = v123;
				}
				{
					const tn_f32_s v124 = held[288*i98 + i101];
					{
						const tn_f32_v8 v125 = r_brow_8_0;
						const tn_f32_v8 v126 = r_acc_8_0_0;
						const tn_f32_v8 v127 = tn_mac_f32_v8(tn_splat_f32_v8(v124), v125, v126);
						r_acc_8_0_0 = v127;
					}
					{
						const tn_f32_v8 v125 = r_brow_8_1;
						const tn_f32_v8 v126 = r_acc_8_0_1;
						const tn_f32_v8 v127 = tn_mac_f32_v8(tn_splat_f32_v8(v124), v125, v126);
						r_acc_8_0_1 = v127;
					}
				}
				{
					const tn_f32_s v124 = held[288*i98 + i101 + 48];
					{
						const tn_f32_v8 v125 = r_brow_8_0;
						const tn_f32_v8 v126 = r_acc_8_1_0;
						const tn_f32_v8 v127 = tn_mac_f32_v8(tn_splat_f32_v8(v124), v125, v126);
						r_acc_8_1_0 = v127;
					}
					{
						const tn_f32_v8 v125 = r_brow_8_1;
						const tn_f32_v8 v126 = r_acc_8_1_1;
						const tn_f32_v8 v127 = tn_mac_f32_v8(tn_splat_f32_v8(v124), v125, v126);
						r_acc_8_1_1 = v127;
					}
				}
				{
					const tn_f32_s v124 = held[288*i98 + i101 + 96];
					{
						const tn_f32_v8 v125 = r_brow_8_0;
						const tn_f32_v8 v126 = r_acc_8_2_0;
						const tn_f32_v8 v127 = tn_mac_f32_v8(tn_splat_f32_v8(v124), v125, v126);
						r_acc_8_2_0 = v127;
					}
					{
						const tn_f32_v8 v125 = r_brow_8_1;
						const tn_f32_v8 v126 = r_acc_8_2_1;
						const tn_f32_v8 v127 = tn_mac_f32_v8(tn_splat_f32_v8(v124), v125, v126);
						r_acc_8_2_1 = v127;
					}
				}
				{
					const tn_f32_s v124 = held[288*i98 + i101 + 144];
					{
						const tn_f32_v8 v125 = r_brow_8_0;
						const tn_f32_v8 v126 = r_acc_8_3_0;
						const tn_f32_v8 v127 = tn_mac_f32_v8(tn_splat_f32_v8(v124), v125, v126);
						r_acc_8_3_0 = v127;
					}
					{
						const tn_f32_v8 v125 = r_brow_8_1;
						const tn_f32_v8 v126 = r_acc_8_3_1;
						const tn_f32_v8 v127 = tn_mac_f32_v8(tn_splat_f32_v8(v124), v125, v126);
						r_acc_8_3_1 = v127;
					}
				}
				{
					const tn_f32_s v124 = held[288*i98 + i101 + 192];
					{
						const tn_f32_v8 v125 = r_brow_8_0;
						const tn_f32_v8 v126 = r_acc_8_4_0;
						const tn_f32_v8 v127 = tn_mac_f32_v8(tn_splat_f32_v8(v124), v125, v126);
						r_acc_8_4_0 = v127;
					}
					{
						const tn_f32_v8 v125 = r_brow_8_1;
						const tn_f32_v8 v126 = r_acc_8_4_1;
						const tn_f32_v8 v127 = tn_mac_f32_v8(tn_splat_f32_v8(v124), v125, v126);
						r_acc_8_4_1 = v127;
					}
				}
				{
					const tn_f32_s v124 = held[288*i98 + i101 + 240];
					{
						const tn_f32_v8 v125 = r_brow_8_0;
						const tn_f32_v8 v126 = r_acc_8_5_0;
						const tn_f32_v8 v127 = tn_mac_f32_v8(tn_splat_f32_v8(v124), v125, v126);
						r_acc_8_5_0 = v127;
					}
					{
						const tn_f32_v8 v125 = r_brow_8_1;
						const tn_f32_v8 v126 = r_acc_8_5_1;
						const tn_f32_v8 v127 = tn_mac_f32_v8(tn_splat_f32_v8(v124), v125, v126);
						r_acc_8_5_1 = v127;
					}
				}
			}
			{
				const tn_f32_v8 v128 = r_acc_8_0_0;
				/* %16 = matmul: line 5 */
				const tn_f16_v8 v129 = tn_round_f16_v8(v128);
				/* %4 b = input: line 3 */
				const tn_f16_v8 v130 = tn_load_f16_v8(b_b);
				/* %18 = add: line 5 */
				const tn_f16_v8 v131 = tn_add_f16_v8(v129, v130);
				tn_store_f16_v8(b18 + (960*i12 + 96*i98), v131);
			}
			{
				const tn_f32_v8 v128 = r_acc_8_0_1;
				const tn_f16_v8 v129 = tn_round_f16_v8(v128);
				const tn_f16_v8 v130 = tn_load_f16_v8(b_b + 8);
				const tn_f16_v8 v131 = tn_add_f16_v8(v129, v130);
				tn_store_f16_v8(b18 + (960*i12 + 96*i98 + 8), v131);
			}
			{
				const tn_f32_v8 v128 = r_acc_8_1_0;
				const tn_f16_v8 v129 = tn_round_f16_v8(v128);
				const tn_f16_v8 v130 = tn_load_f16_v8(b_b);
				const tn_f16_v8 v131 = tn_add_f16_v8(v129, v130);
				tn_store_f16_v8(b18 + (960*i12 + 96*i98 + 16), v131);
			}
			{
				const tn_f32_v8 v128 = r_acc_8_1_1;
				const tn_f16_v8 v129 = tn_round_f16_v8(v128);
				const tn_f16_v8 v130 = tn_load_f16_v8(b_b + 8);
				const tn_f16_v8 v131 = tn_add_f16_v8(v129, v130);
				tn_store_f16_v8(b18 + (960*i12 + 96*i98 + 24), v131);
			}
			{
				const tn_f32_v8 v128 = r_acc_8_2_0;
				const tn_f16_v8 v129 = tn_round_f16_v8(v128);
				const tn_f16_v8 v130 = tn_load_f16_v8(b_b);
				const tn_f16_v8 v131 = tn_add_f16_v8(v129, v130);
				tn_store_f16_v8(b18 + (960*i12 + 96*i98 + 32), v131);
			}
			{
				const tn_f32_v8 v128 = r_acc_8_2_1;
				const tn_f16_v8 v129 = tn_round_f16_v8(v128);
				const tn_f16_v8 v130 = tn_load_f16_v8(b_b + 8);
				const tn_f16_v8 v131 = tn_add_f16_v8(v129, v130);
				tn_store_f16_v8(b18 + (960*i12 + 96*i98 + 40), v131);
			}
			{
				const tn_f32_v8 v128 = r_acc_8_3_0;
				const tn_f16_v8 v129 = tn_round_f16_v8(v128);
				const tn_f16_v8 v130 = tn_load_f16_v8(b_b);
				const tn_f16_v8 v131 = tn_add_f16_v8(v129, v130);
				tn_store_f16_v8(b18 + (960*i12 + 96*i98 + 48), v131);
			}
			{
				const tn_f32_v8 v128 = r_acc_8_3_1;
				const tn_f16_v8 v129 = tn_round_f16_v8(v128);
				const tn_f16_v8 v130 = tn_load_f16_v8(b_b + 8);
				const tn_f16_v8 v131 = tn_add_f16_v8(v129, v130);
				tn_store_f16_v8(b18 + (960*i12 + 96*i98 + 56), v131);
			}
			{
				const tn_f32_v8 v128 = r_acc_8_4_0;
				const tn_f16_v8 v129 = tn_round_f16_v8(v128);
				const tn_f16_v8 v130 = tn_load_f16_v8(b_b);
				const tn_f16_v8 v131 = tn_add_f16_v8(v129, v130);
				tn_store_f16_v8(b18 + (960*i12 + 96*i98 + 64), v131);
			}
			{
				const tn_f32_v8 v128 = r_acc_8_4_1;
				const tn_f16_v8 v129 = tn_round_f16_v8(v128);
				const tn_f16_v8 v130 = tn_load_f16_v8(b_b + 8);
				const tn_f16_v8 v131 = tn_add_f16_v8(v129, v130);
				tn_store_f16_v8(b18 + (960*i12 + 96*i98 + 72), v131);
			}
			{
				const tn_f32_v8 v128 = r_acc_8_5_0;
				const tn_f16_v8 v129 = tn_round_f16_v8(v128);
				const tn_f16_v8 v130 = tn_load_f16_v8(b_b);
				const tn_f16_v8 v131 = tn_add_f16_v8(v129, v130);
				tn_store_f16_v8(b18 + (960*i12 + 96*i98 + 80), v131);
			}
			{
				const tn_f32_v8 v128 = r_acc_8_5_1;
				const tn_f16_v8 v129 = tn_round_f16_v8(v128);
				const tn_f16_v8 v130 = tn_load_f16_v8(b_b + 8);
				const tn_f16_v8 v131 = tn_add_f16_v8(v129, v130);
				tn_store_f16_v8(b18 + (960*i12 + 96*i98 + 88), v131);
			}
		}
		for (int64_t i107 = 0; i107 < 10*i12 + tn_min(86 - 10*i12, 10) - tn_min(10*i12 + tn_min(86 - 10*i12, 10), 85); i107++) {
			if (i107 + 85 - 10*i12 >= 0 && 10*i12 - i107 - 76 >= 0) {
				{
					const tn_f32_s v132 = 0x0p+0f;
					r_acc_9_0_0 = tn_splat_f32_v8(v132);
				}
				{
					const tn_f32_s v132 = 0x0p+0f;
					r_acc_9_0_1 = tn_splat_f32_v8(v132);
				}
				{
					const tn_f32_s v132 = 0x0p+0f;
					r_acc_9_1_0 = tn_splat_f32_v8(v132);
				}
				{
					const tn_f32_s v132 = 0x0p+0f;
					r_acc_9_1_1 = tn_splat_f32_v8(v132);
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2);
					r_brow_9_0 = v133;
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 8);
					r_brow_9_1 = v133;
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24480 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_0_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_0_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_1 = v137;
					}
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24528 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_1_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_1_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_1 = v137;
					}
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 16);
					r_brow_9_0 = v133;
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 24);
					r_brow_9_1 = v133;
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24481 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_0_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_0_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_1 = v137;
					}
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24529 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_1_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_1_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_1 = v137;
					}
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 32);
					r_brow_9_0 = v133;
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 40);
					r_brow_9_1 = v133;
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24482 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_0_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_0_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_1 = v137;
					}
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24530 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_1_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_1_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_1 = v137;
					}
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 48);
					r_brow_9_0 = v133;
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 56);
					r_brow_9_1 = v133;
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24483 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_0_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_0_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_1 = v137;
					}
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24531 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_1_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_1_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_1 = v137;
					}
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 64);
					r_brow_9_0 = v133;
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 72);
					r_brow_9_1 = v133;
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24484 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_0_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_0_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_1 = v137;
					}
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24532 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_1_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_1_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_1 = v137;
					}
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 80);
					r_brow_9_0 = v133;
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 88);
					r_brow_9_1 = v133;
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24485 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_0_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_0_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_1 = v137;
					}
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24533 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_1_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_1_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_1 = v137;
					}
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 96);
					r_brow_9_0 = v133;
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 104);
					r_brow_9_1 = v133;
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24486 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_0_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_0_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_1 = v137;
					}
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24534 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_1_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_1_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_1 = v137;
					}
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 112);
					r_brow_9_0 = v133;
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 120);
					r_brow_9_1 = v133;
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24487 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_0_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_0_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_1 = v137;
					}
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24535 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_1_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_1_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_1 = v137;
					}
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 128);
					r_brow_9_0 = v133;
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 136);
					r_brow_9_1 = v133;
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24488 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_0_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_0_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_1 = v137;
					}
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24536 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_1_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_1_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_1 = v137;
					}
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 144);
					r_brow_9_0 = v133;
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 152);
					r_brow_9_1 = v133;
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24489 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_0_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_0_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_1 = v137;
					}
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24537 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_1_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_1_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_1 = v137;
					}
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 160);
					r_brow_9_0 = v133;
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 168);
					r_brow_9_1 = v133;
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24490 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_0_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_0_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_1 = v137;
					}
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24538 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_1_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_1_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_1 = v137;
					}
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 176);
					r_brow_9_0 = v133;
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 184);
					r_brow_9_1 = v133;
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24491 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_0_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_0_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_1 = v137;
					}
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24539 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_1_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_1_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_1 = v137;
					}
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 192);
					r_brow_9_0 = v133;
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 200);
					r_brow_9_1 = v133;
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24492 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_0_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_0_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_1 = v137;
					}
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24540 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_1_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_1_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_1 = v137;
					}
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 208);
					r_brow_9_0 = v133;
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 216);
					r_brow_9_1 = v133;
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24493 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_0_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_0_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_1 = v137;
					}
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24541 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_1_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_1_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_1 = v137;
					}
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 224);
					r_brow_9_0 = v133;
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 232);
					r_brow_9_1 = v133;
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24494 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_0_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_0_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_1 = v137;
					}
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24542 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_1_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_1_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_1 = v137;
					}
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 240);
					r_brow_9_0 = v133;
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 248);
					r_brow_9_1 = v133;
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24495 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_0_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_0_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_1 = v137;
					}
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24543 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_1_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_1_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_1 = v137;
					}
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 256);
					r_brow_9_0 = v133;
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 264);
					r_brow_9_1 = v133;
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24496 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_0_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_0_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_1 = v137;
					}
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24544 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_1_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_1_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_1 = v137;
					}
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 272);
					r_brow_9_0 = v133;
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 280);
					r_brow_9_1 = v133;
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24497 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_0_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_0_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_1 = v137;
					}
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24545 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_1_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_1_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_1 = v137;
					}
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 288);
					r_brow_9_0 = v133;
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 296);
					r_brow_9_1 = v133;
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24498 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_0_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_0_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_1 = v137;
					}
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24546 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_1_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_1_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_1 = v137;
					}
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 304);
					r_brow_9_0 = v133;
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 312);
					r_brow_9_1 = v133;
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24499 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_0_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_0_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_1 = v137;
					}
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24547 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_1_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_1_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_1 = v137;
					}
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 320);
					r_brow_9_0 = v133;
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 328);
					r_brow_9_1 = v133;
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24500 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_0_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_0_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_1 = v137;
					}
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24548 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_1_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_1_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_1 = v137;
					}
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 336);
					r_brow_9_0 = v133;
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 344);
					r_brow_9_1 = v133;
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24501 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_0_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_0_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_1 = v137;
					}
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24549 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_1_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_1_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_1 = v137;
					}
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 352);
					r_brow_9_0 = v133;
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 360);
					r_brow_9_1 = v133;
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24502 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_0_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_0_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_1 = v137;
					}
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24550 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_1_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_1_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_1 = v137;
					}
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 368);
					r_brow_9_0 = v133;
				}
				{
					const tn_f32_v8 v133 = tn_load_f32_v8(pack_b2 + 376);
					r_brow_9_1 = v133;
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24503 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_0_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_0_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_0_1 = v137;
					}
				}
				{
					const tn_f32_s v134 = held[288*i107 + 24551 - 2880*i12];
					{
						const tn_f32_v8 v135 = r_brow_9_0;
						const tn_f32_v8 v136 = r_acc_9_1_0;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_0 = v137;
					}
					{
						const tn_f32_v8 v135 = r_brow_9_1;
						const tn_f32_v8 v136 = r_acc_9_1_1;
						const tn_f32_v8 v137 = tn_mac_f32_v8(tn_splat_f32_v8(v134), v135, v136);
						r_acc_9_1_1 = v137;
					}
				}
				{
					const tn_f32_v8 v138 = r_acc_9_0_0;
					/* %16 = matmul: line 5 */
					const tn_f16_v8 v139 = tn_round_f16_v8(v138);
					/* %4 b = input: line 3 */
					const tn_f16_v8 v140 = tn_load_f16_v8(b_b);
					/* %18 = add: line 5 */
					const tn_f16_v8 v141 = tn_add_f16_v8(v139, v140);
					tn_store_f16_v8(b18 + (96*i107 + 8160), v141);
				}
				{
					const tn_f32_v8 v138 = r_acc_9_0_1;
					const tn_f16_v8 v139 = tn_round_f16_v8(v138);
					const tn_f16_v8 v140 = tn_load_f16_v8(b_b + 8);
					const tn_f16_v8 v141 = tn_add_f16_v8(v139, v140);
					tn_store_f16_v8(b18 + (96*i107 + 8168), v141);
				}
				{
					const tn_f32_v8 v138 = r_acc_9_1_0;
					const tn_f16_v8 v139 = tn_round_f16_v8(v138);
					const tn_f16_v8 v140 = tn_load_f16_v8(b_b);
					const tn_f16_v8 v141 = tn_add_f16_v8(v139, v140);
					tn_store_f16_v8(b18 + (96*i107 + 8176), v141);
				}
				{
					const tn_f32_v8 v138 = r_acc_9_1_1;
					const tn_f16_v8 v139 = tn_round_f16_v8(v138);
					const tn_f16_v8 v140 = tn_load_f16_v8(b_b + 8);
					const tn_f16_v8 v141 = tn_add_f16_v8(v139, v140);
					tn_store_f16_v8(b18 + (96*i107 + 8184), v141);
				}
			}
		}
	}
}
#endif
