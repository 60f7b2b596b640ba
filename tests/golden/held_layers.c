/*
 * k0: region 0 of held_layers, by contract mr=6 nr=16 lanes=8 mb=10 nb=2 kc=336 ti=1 a=1 b=2 unit=0
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
TN_INLINE int64_t tn_min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}
TN_INLINE uint64_t tn_lanes(int64_t a)
{
	return a < 1 ? 0 : a > 63 ? ~0ull : (1ull << a) - 1;
}
typedef uint16_t tn_u16_su __attribute__((aligned(1), may_alias));
TN_INLINE tn_u16_v8 tn_loadn_u16_v8(const void *a, int64_t b)
{
#ifdef __AVX512VL__
	return (tn_u16_v8)__builtin_ia32_loaddquhi128_mask(
		a, (tn_i16_v8){0}, (uint8_t)tn_lanes(b));
#else
	tn_u16_v8 r = {0};

	for (int64_t i = 0; i < b && i < 8; i++)
		r[i] = ((const tn_u16_su *)a)[i];
	return r;
#endif
}
TN_INLINE tn_f16_v8 tn_loadn_f16_v8(const void *a, int64_t b)
{
	return tn_unpack_f16_v8(tn_loadn_u16_v8(a, b));
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
typedef float tn_f16_s;
TN_INLINE tn_f16_v8 tn_splat_f16_v8(tn_f16_s a)
{
	return (tn_f16_v8){a, a, a, a, a, a, a, a};
}
TN_INLINE tn_f32_v8 tn_ziplo_f32_v8(tn_f32_v8 a, tn_f32_v8 b)
{
	return __builtin_shufflevector(a, b, 0, 8 + 0, 1, 8 + 1, 2, 8 + 2, 3, 8 + 3);
}
TN_INLINE tn_f32_v8 tn_ziphi_f32_v8(tn_f32_v8 a, tn_f32_v8 b)
{
	return __builtin_shufflevector(a, b, 4, 8 + 4, 5, 8 + 5, 6, 8 + 6, 7, 8 + 7);
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
		for (int64_t i1 = 0; i1 < 32; i1++) {
			{
				/* %1 w = input: line 2 */
				tn_f16_v8 v0;
				if (16 - 16*i0 >= 0) {
					v0 = tn_load_f16_v8(b_w + (16*i0 + 24*i1));
				} else {
					v0 = tn_loadn_f16_v8(b_w + (16*i0 + 24*i1), tn_min(24 - 16*i0, 8));
				}
				const tn_f32_v8 v1 = tn_cast_f16_f32_v8(v0);
				tn_store_f32_v8(pack_b0 + (512*i0 + 16*i1), v1);
			}
			{
				tn_f16_v8 v0;
				if (8 - 16*i0 >= 0) {
					v0 = tn_load_f16_v8(b_w + (16*i0 + 24*i1 + 8));
				} else {
					v0 = tn_loadn_f16_v8(b_w + (16*i0 + 24*i1 + 8), tn_min(16 - 16*i0, 8));
				}
				const tn_f32_v8 v1 = tn_cast_f16_f32_v8(v0);
				tn_store_f32_v8(pack_b0 + (512*i0 + 16*i1 + 8), v1);
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
		const int64_t i3 = t;
		for (int64_t i4 = 0; i4 < 32; i4++) {
			{
				/* %2 v = input: line 2 */
				tn_f16_v8 v2;
				if (16 - 16*i3 >= 0) {
					v2 = tn_load_f16_v8(b_v + (16*i3 + 24*i4));
				} else {
					v2 = tn_loadn_f16_v8(b_v + (16*i3 + 24*i4), tn_min(24 - 16*i3, 8));
				}
				const tn_f32_v8 v3 = tn_cast_f16_f32_v8(v2);
				tn_store_f32_v8(pack_b1 + (512*i3 + 16*i4), v3);
			}
			{
				tn_f16_v8 v2;
				if (8 - 16*i3 >= 0) {
					v2 = tn_load_f16_v8(b_v + (16*i3 + 24*i4 + 8));
				} else {
					v2 = tn_loadn_f16_v8(b_v + (16*i3 + 24*i4 + 8), tn_min(16 - 16*i3, 8));
				}
				const tn_f32_v8 v3 = tn_cast_f16_f32_v8(v2);
				tn_store_f32_v8(pack_b1 + (512*i3 + 16*i4 + 8), v3);
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
		for (int64_t i6 = 0; i6 < 24; i6++) {
			{
				/* %3 u = input: line 3 */
				const tn_f16_v8 v4 = tn_load_f16_v8(b_u + (16*i6));
				const tn_f32_v8 v5 = tn_cast_f16_f32_v8(v4);
				tn_store_f32_v8(pack_b2 + (16*i6), v5);
			}
			{
				const tn_f16_v8 v4 = tn_load_f16_v8(b_u + (16*i6 + 8));
				const tn_f32_v8 v5 = tn_cast_f16_f32_v8(v4);
				tn_store_f32_v8(pack_b2 + (16*i6 + 8), v5);
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
	float *const tile_1 = (float *)(scratch + 17920);
	float *const held = (float *)(scratch + 25600);
	const uint16_t *const b_x = args->buffers[6];
	const uint16_t *const b_b = args->buffers[7];
	uint16_t *const b18 = args->buffers[8];
	const int64_t tasks = 9;

	(void)worker;
	(void)st;
	for (int64_t t = tn_task(args, workers, -1); t < tasks;
	     t = tn_task(args, workers, t)) {
		const int64_t i8 = t;
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
		for (int64_t i9 = 0; i9 < tn_min(86 - 10*i8, 10); i9++) {
			{
				int64_t i10 = 0;
				for (; i10 <= 24; i10 += 8) {
					tn_f32_v8 t0_0[8];
					for (int64_t i11 = 0; i11 < 8; i11++) {
						/* %0 x = input: line 2 */
						const tn_f16_v8 v6 = 511 - 60*i8 - 6*i9 - i11 >= 0 ? tn_load_f16_v8(b_x + (1920*i8 + 192*i9 + i10 + 32*i11)) : tn_splat_f16_v8(0);
						const tn_f32_v8 v7 = tn_cast_f16_f32_v8(v6);
						t0_0[i11] = v7;
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
					tn_store_f32_v8(pack_a + (256*i9 + 8*i10), t0_3_0);
					tn_store_f32_v8(pack_a + (256*i9 + 8*i10 + 8), t0_3_1);
					tn_store_f32_v8(pack_a + (256*i9 + 8*i10 + 16), t0_3_2);
					tn_store_f32_v8(pack_a + (256*i9 + 8*i10 + 24), t0_3_3);
					tn_store_f32_v8(pack_a + (256*i9 + 8*i10 + 32), t0_3_4);
					tn_store_f32_v8(pack_a + (256*i9 + 8*i10 + 40), t0_3_5);
					tn_store_f32_v8(pack_a + (256*i9 + 8*i10 + 48), t0_3_6);
					tn_store_f32_v8(pack_a + (256*i9 + 8*i10 + 56), t0_3_7);
				}
			}
		}
		for (int64_t i12 = 0; i12 < tn_min(10*i8 + tn_min(86 - 10*i8, 10), 85) - 10*i8; i12++) {
			{
				const tn_f32_s v8 = 0x0p+0f;
				r_acc_0_0 = tn_splat_f32_v8(v8);
			}
			{
				const tn_f32_s v8 = 0x0p+0f;
				r_acc_0_1 = tn_splat_f32_v8(v8);
			}
			{
				const tn_f32_s v8 = 0x0p+0f;
				r_acc_1_0 = tn_splat_f32_v8(v8);
			}
			{
				const tn_f32_s v8 = 0x0p+0f;
				r_acc_1_1 = tn_splat_f32_v8(v8);
			}
			{
				const tn_f32_s v8 = 0x0p+0f;
				r_acc_2_0 = tn_splat_f32_v8(v8);
			}
			{
				const tn_f32_s v8 = 0x0p+0f;
				r_acc_2_1 = tn_splat_f32_v8(v8);
			}
			{
				const tn_f32_s v8 = 0x0p+0f;
				r_acc_3_0 = tn_splat_f32_v8(v8);
			}
			{
				const tn_f32_s v8 = 0x0p+0f;
				r_acc_3_1 = tn_splat_f32_v8(v8);
			}
			{
				const tn_f32_s v8 = 0x0p+0f;
				r_acc_4_0 = tn_splat_f32_v8(v8);
			}
			{
				const tn_f32_s v8 = 0x0p+0f;
				r_acc_4_1 = tn_splat_f32_v8(v8);
			}
			{
				const tn_f32_s v8 = 0x0p+0f;
				r_acc_5_0 = tn_splat_f32_v8(v8);
			}
			{
				const tn_f32_s v8 = 0x0p+0f;
				r_acc_5_1 = tn_splat_f32_v8(v8);
			}
			for (int64_t i15 = 0; i15 < 32; i15++) {
				{
					const tn_f32_v8 v9 = tn_load_f32_v8(pack_b0 + (16*i15));
					r_brow_0 = v9;
				}
				{
					const tn_f32_v8 v9 = tn_load_f32_v8(pack_b0 + (16*i15 + 8));
					r_brow_1 = v9;
				}
				{
					const tn_f32_s v10 = pack_a[256*i12 + 8*i15];
					{
						const tn_f32_v8 v11 = r_brow_0;
						const tn_f32_v8 v12 = r_acc_0_0;
						const tn_f32_v8 v13 = tn_mac_f32_v8(tn_splat_f32_v8(v10), v11, v12);
						r_acc_0_0 = v13;
					}
					{
						const tn_f32_v8 v11 = r_brow_1;
						const tn_f32_v8 v12 = r_acc_0_1;
						const tn_f32_v8 v13 = tn_mac_f32_v8(tn_splat_f32_v8(v10), v11, v12);
						r_acc_0_1 = v13;
					}
				}
				{
					const tn_f32_s v10 = pack_a[256*i12 + 8*i15 + 1];
					{
						const tn_f32_v8 v11 = r_brow_0;
						const tn_f32_v8 v12 = r_acc_1_0;
						const tn_f32_v8 v13 = tn_mac_f32_v8(tn_splat_f32_v8(v10), v11, v12);
						r_acc_1_0 = v13;
					}
					{
						const tn_f32_v8 v11 = r_brow_1;
						const tn_f32_v8 v12 = r_acc_1_1;
						const tn_f32_v8 v13 = tn_mac_f32_v8(tn_splat_f32_v8(v10), v11, v12);
						r_acc_1_1 = v13;
					}
				}
				{
					const tn_f32_s v10 = pack_a[256*i12 + 8*i15 + 2];
					{
						const tn_f32_v8 v11 = r_brow_0;
						const tn_f32_v8 v12 = r_acc_2_0;
						const tn_f32_v8 v13 = tn_mac_f32_v8(tn_splat_f32_v8(v10), v11, v12);
						r_acc_2_0 = v13;
					}
					{
						const tn_f32_v8 v11 = r_brow_1;
						const tn_f32_v8 v12 = r_acc_2_1;
						const tn_f32_v8 v13 = tn_mac_f32_v8(tn_splat_f32_v8(v10), v11, v12);
						r_acc_2_1 = v13;
					}
				}
				{
					const tn_f32_s v10 = pack_a[256*i12 + 8*i15 + 3];
					{
						const tn_f32_v8 v11 = r_brow_0;
						const tn_f32_v8 v12 = r_acc_3_0;
						const tn_f32_v8 v13 = tn_mac_f32_v8(tn_splat_f32_v8(v10), v11, v12);
						r_acc_3_0 = v13;
					}
					{
						const tn_f32_v8 v11 = r_brow_1;
						const tn_f32_v8 v12 = r_acc_3_1;
						const tn_f32_v8 v13 = tn_mac_f32_v8(tn_splat_f32_v8(v10), v11, v12);
						r_acc_3_1 = v13;
					}
				}
				{
					const tn_f32_s v10 = pack_a[256*i12 + 8*i15 + 4];
					{
						const tn_f32_v8 v11 = r_brow_0;
						const tn_f32_v8 v12 = r_acc_4_0;
						const tn_f32_v8 v13 = tn_mac_f32_v8(tn_splat_f32_v8(v10), v11, v12);
						r_acc_4_0 = v13;
					}
					{
						const tn_f32_v8 v11 = r_brow_1;
						const tn_f32_v8 v12 = r_acc_4_1;
						const tn_f32_v8 v13 = tn_mac_f32_v8(tn_splat_f32_v8(v10), v11, v12);
						r_acc_4_1 = v13;
					}
				}
				{
					const tn_f32_s v10 = pack_a[256*i12 + 8*i15 + 5];
					{
						const tn_f32_v8 v11 = r_brow_0;
						const tn_f32_v8 v12 = r_acc_5_0;
						const tn_f32_v8 v13 = tn_mac_f32_v8(tn_splat_f32_v8(v10), v11, v12);
						r_acc_5_0 = v13;
					}
					{
						const tn_f32_v8 v11 = r_brow_1;
						const tn_f32_v8 v12 = r_acc_5_1;
						const tn_f32_v8 v13 = tn_mac_f32_v8(tn_splat_f32_v8(v10), v11, v12);
						r_acc_5_1 = v13;
					}
				}
			}
			{
				const tn_f32_v8 v14 = r_acc_0_0;
				tn_store_f32_v8(tile + (192*i12), v14);
			}
			{
				const tn_f32_v8 v14 = r_acc_0_1;
				tn_store_f32_v8(tile + (192*i12 + 8), v14);
			}
			{
				const tn_f32_v8 v14 = r_acc_1_0;
				tn_store_f32_v8(tile + (192*i12 + 16), v14);
			}
			{
				const tn_f32_v8 v14 = r_acc_1_1;
				tn_store_f32_v8(tile + (192*i12 + 24), v14);
			}
			{
				const tn_f32_v8 v14 = r_acc_2_0;
				tn_store_f32_v8(tile + (192*i12 + 32), v14);
			}
			{
				const tn_f32_v8 v14 = r_acc_2_1;
				tn_store_f32_v8(tile + (192*i12 + 40), v14);
			}
			{
				const tn_f32_v8 v14 = r_acc_3_0;
				tn_store_f32_v8(tile + (192*i12 + 48), v14);
			}
			{
				const tn_f32_v8 v14 = r_acc_3_1;
				tn_store_f32_v8(tile + (192*i12 + 56), v14);
			}
			{
				const tn_f32_v8 v14 = r_acc_4_0;
				tn_store_f32_v8(tile + (192*i12 + 64), v14);
			}
			{
				const tn_f32_v8 v14 = r_acc_4_1;
				tn_store_f32_v8(tile + (192*i12 + 72), v14);
			}
			{
				const tn_f32_v8 v14 = r_acc_5_0;
				tn_store_f32_v8(tile + (192*i12 + 80), v14);
			}
			{
				const tn_f32_v8 v14 = r_acc_5_1;
				tn_store_f32_v8(tile + (192*i12 + 88), v14);
			}
		}
		for (int64_t i21 = 0; i21 < 10*i8 + tn_min(86 - 10*i8, 10) - tn_min(10*i8 + tn_min(86 - 10*i8, 10), 85); i21++) {
			if (i21 + 85 - 10*i8 >= 0 && 10*i8 - i21 - 76 >= 0) {
				{
					const tn_f32_s v15 = 0x0p+0f;
					r_acc_1_0_0 = tn_splat_f32_v8(v15);
				}
				{
					const tn_f32_s v15 = 0x0p+0f;
					r_acc_1_0_1 = tn_splat_f32_v8(v15);
				}
				{
					const tn_f32_s v15 = 0x0p+0f;
					r_acc_1_1_0 = tn_splat_f32_v8(v15);
				}
				{
					const tn_f32_s v15 = 0x0p+0f;
					r_acc_1_1_1 = tn_splat_f32_v8(v15);
				}
				for (int64_t i24 = 0; i24 < 32; i24++) {
					{
						const tn_f32_v8 v16 = tn_load_f32_v8(pack_b0 + (16*i24));
						r_brow_1_0 = v16;
					}
					{
						const tn_f32_v8 v16 = tn_load_f32_v8(pack_b0 + (16*i24 + 8));
						r_brow_1_1 = v16;
					}
					{
						const tn_f32_s v17 = pack_a[256*i21 + 8*i24 + 21760 - 2560*i8];
						{
							const tn_f32_v8 v18 = r_brow_1_0;
							const tn_f32_v8 v19 = r_acc_1_0_0;
							const tn_f32_v8 v20 = tn_mac_f32_v8(tn_splat_f32_v8(v17), v18, v19);
							r_acc_1_0_0 = v20;
						}
						{
							const tn_f32_v8 v18 = r_brow_1_1;
							const tn_f32_v8 v19 = r_acc_1_0_1;
							const tn_f32_v8 v20 = tn_mac_f32_v8(tn_splat_f32_v8(v17), v18, v19);
							r_acc_1_0_1 = v20;
						}
					}
					{
						const tn_f32_s v17 = pack_a[256*i21 + 8*i24 + 21761 - 2560*i8];
						{
							const tn_f32_v8 v18 = r_brow_1_0;
							const tn_f32_v8 v19 = r_acc_1_1_0;
							const tn_f32_v8 v20 = tn_mac_f32_v8(tn_splat_f32_v8(v17), v18, v19);
							r_acc_1_1_0 = v20;
						}
						{
							const tn_f32_v8 v18 = r_brow_1_1;
							const tn_f32_v8 v19 = r_acc_1_1_1;
							const tn_f32_v8 v20 = tn_mac_f32_v8(tn_splat_f32_v8(v17), v18, v19);
							r_acc_1_1_1 = v20;
						}
					}
				}
				{
					const tn_f32_v8 v21 = r_acc_1_0_0;
					tn_store_f32_v8(tile + (192*i21 + 16320 - 1920*i8), v21);
				}
				{
					const tn_f32_v8 v21 = r_acc_1_0_1;
					tn_store_f32_v8(tile + (192*i21 + 16328 - 1920*i8), v21);
				}
				{
					const tn_f32_v8 v21 = r_acc_1_1_0;
					tn_store_f32_v8(tile + (192*i21 + 16336 - 1920*i8), v21);
				}
				{
					const tn_f32_v8 v21 = r_acc_1_1_1;
					tn_store_f32_v8(tile + (192*i21 + 16344 - 1920*i8), v21);
				}
			}
		}
		for (int64_t i30 = 0; i30 < tn_min(10*i8 + tn_min(86 - 10*i8, 10), 85) - 10*i8; i30++) {
			{
				const tn_f32_s v22 = 0x0p+0f;
				r_acc_2_0_0 = tn_splat_f32_v8(v22);
			}
			{
				const tn_f32_s v22 = 0x0p+0f;
				r_acc_2_0_1 = tn_splat_f32_v8(v22);
			}
			{
				const tn_f32_s v22 = 0x0p+0f;
				r_acc_2_1_0 = tn_splat_f32_v8(v22);
			}
			{
				const tn_f32_s v22 = 0x0p+0f;
				r_acc_2_1_1 = tn_splat_f32_v8(v22);
			}
			{
				const tn_f32_s v22 = 0x0p+0f;
				r_acc_2_2_0 = tn_splat_f32_v8(v22);
			}
			{
				const tn_f32_s v22 = 0x0p+0f;
				r_acc_2_2_1 = tn_splat_f32_v8(v22);
			}
			{
				const tn_f32_s v22 = 0x0p+0f;
				r_acc_2_3_0 = tn_splat_f32_v8(v22);
			}
			{
				const tn_f32_s v22 = 0x0p+0f;
				r_acc_2_3_1 = tn_splat_f32_v8(v22);
			}
			{
				const tn_f32_s v22 = 0x0p+0f;
				r_acc_2_4_0 = tn_splat_f32_v8(v22);
			}
			{
				const tn_f32_s v22 = 0x0p+0f;
				r_acc_2_4_1 = tn_splat_f32_v8(v22);
			}
			{
				const tn_f32_s v22 = 0x0p+0f;
				r_acc_2_5_0 = tn_splat_f32_v8(v22);
			}
			{
				const tn_f32_s v22 = 0x0p+0f;
				r_acc_2_5_1 = tn_splat_f32_v8(v22);
			}
			for (int64_t i33 = 0; i33 < 32; i33++) {
				{
					const tn_f32_v8 v23 = tn_load_f32_v8(pack_b1 + (16*i33));
					r_brow_2_0 = v23;
				}
				{
					const tn_f32_v8 v23 = tn_load_f32_v8(pack_b1 + (16*i33 + 8));
					r_brow_2_1 = v23;
				}
				{
					const tn_f32_s v24 = pack_a[256*i30 + 8*i33];
					{
						const tn_f32_v8 v25 = r_brow_2_0;
						const tn_f32_v8 v26 = r_acc_2_0_0;
						const tn_f32_v8 v27 = tn_mac_f32_v8(tn_splat_f32_v8(v24), v25, v26);
						r_acc_2_0_0 = v27;
					}
					{
						const tn_f32_v8 v25 = r_brow_2_1;
						const tn_f32_v8 v26 = r_acc_2_0_1;
						const tn_f32_v8 v27 = tn_mac_f32_v8(tn_splat_f32_v8(v24), v25, v26);
						r_acc_2_0_1 = v27;
					}
				}
				{
					const tn_f32_s v24 = pack_a[256*i30 + 8*i33 + 1];
					{
						const tn_f32_v8 v25 = r_brow_2_0;
						const tn_f32_v8 v26 = r_acc_2_1_0;
						const tn_f32_v8 v27 = tn_mac_f32_v8(tn_splat_f32_v8(v24), v25, v26);
						r_acc_2_1_0 = v27;
					}
					{
						const tn_f32_v8 v25 = r_brow_2_1;
						const tn_f32_v8 v26 = r_acc_2_1_1;
						const tn_f32_v8 v27 = tn_mac_f32_v8(tn_splat_f32_v8(v24), v25, v26);
						r_acc_2_1_1 = v27;
					}
				}
				{
					const tn_f32_s v24 = pack_a[256*i30 + 8*i33 + 2];
					{
						const tn_f32_v8 v25 = r_brow_2_0;
						const tn_f32_v8 v26 = r_acc_2_2_0;
						const tn_f32_v8 v27 = tn_mac_f32_v8(tn_splat_f32_v8(v24), v25, v26);
						r_acc_2_2_0 = v27;
					}
					{
						const tn_f32_v8 v25 = r_brow_2_1;
						const tn_f32_v8 v26 = r_acc_2_2_1;
						const tn_f32_v8 v27 = tn_mac_f32_v8(tn_splat_f32_v8(v24), v25, v26);
						r_acc_2_2_1 = v27;
					}
				}
				{
					const tn_f32_s v24 = pack_a[256*i30 + 8*i33 + 3];
					{
						const tn_f32_v8 v25 = r_brow_2_0;
						const tn_f32_v8 v26 = r_acc_2_3_0;
						const tn_f32_v8 v27 = tn_mac_f32_v8(tn_splat_f32_v8(v24), v25, v26);
						r_acc_2_3_0 = v27;
					}
					{
						const tn_f32_v8 v25 = r_brow_2_1;
						const tn_f32_v8 v26 = r_acc_2_3_1;
						const tn_f32_v8 v27 = tn_mac_f32_v8(tn_splat_f32_v8(v24), v25, v26);
						r_acc_2_3_1 = v27;
					}
				}
				{
					const tn_f32_s v24 = pack_a[256*i30 + 8*i33 + 4];
					{
						const tn_f32_v8 v25 = r_brow_2_0;
						const tn_f32_v8 v26 = r_acc_2_4_0;
						const tn_f32_v8 v27 = tn_mac_f32_v8(tn_splat_f32_v8(v24), v25, v26);
						r_acc_2_4_0 = v27;
					}
					{
						const tn_f32_v8 v25 = r_brow_2_1;
						const tn_f32_v8 v26 = r_acc_2_4_1;
						const tn_f32_v8 v27 = tn_mac_f32_v8(tn_splat_f32_v8(v24), v25, v26);
						r_acc_2_4_1 = v27;
					}
				}
				{
					const tn_f32_s v24 = pack_a[256*i30 + 8*i33 + 5];
					{
						const tn_f32_v8 v25 = r_brow_2_0;
						const tn_f32_v8 v26 = r_acc_2_5_0;
						const tn_f32_v8 v27 = tn_mac_f32_v8(tn_splat_f32_v8(v24), v25, v26);
						r_acc_2_5_0 = v27;
					}
					{
						const tn_f32_v8 v25 = r_brow_2_1;
						const tn_f32_v8 v26 = r_acc_2_5_1;
						const tn_f32_v8 v27 = tn_mac_f32_v8(tn_splat_f32_v8(v24), v25, v26);
						r_acc_2_5_1 = v27;
					}
				}
			}
			{
				const tn_f32_v8 v28 = r_acc_2_0_0;
				tn_store_f32_v8(tile_1 + (192*i30), v28);
			}
			{
				const tn_f32_v8 v28 = r_acc_2_0_1;
				tn_store_f32_v8(tile_1 + (192*i30 + 8), v28);
			}
			{
				const tn_f32_v8 v28 = r_acc_2_1_0;
				tn_store_f32_v8(tile_1 + (192*i30 + 16), v28);
			}
			{
				const tn_f32_v8 v28 = r_acc_2_1_1;
				tn_store_f32_v8(tile_1 + (192*i30 + 24), v28);
			}
			{
				const tn_f32_v8 v28 = r_acc_2_2_0;
				tn_store_f32_v8(tile_1 + (192*i30 + 32), v28);
			}
			{
				const tn_f32_v8 v28 = r_acc_2_2_1;
				tn_store_f32_v8(tile_1 + (192*i30 + 40), v28);
			}
			{
				const tn_f32_v8 v28 = r_acc_2_3_0;
				tn_store_f32_v8(tile_1 + (192*i30 + 48), v28);
			}
			{
				const tn_f32_v8 v28 = r_acc_2_3_1;
				tn_store_f32_v8(tile_1 + (192*i30 + 56), v28);
			}
			{
				const tn_f32_v8 v28 = r_acc_2_4_0;
				tn_store_f32_v8(tile_1 + (192*i30 + 64), v28);
			}
			{
				const tn_f32_v8 v28 = r_acc_2_4_1;
				tn_store_f32_v8(tile_1 + (192*i30 + 72), v28);
			}
			{
				const tn_f32_v8 v28 = r_acc_2_5_0;
				tn_store_f32_v8(tile_1 + (192*i30 + 80), v28);
			}
			{
				const tn_f32_v8 v28 = r_acc_2_5_1;
				tn_store_f32_v8(tile_1 + (192*i30 + 88), v28);
			}
			for (int64_t i39 = 0; i39 < 6; i39++) {
				{
					int64_t i40 = 0;
					for (; i40 <= 8; i40 += 8) {
						const tn_f32_v8 v29 = tn_load_f32_v8(tile + (192*i30 + 16*i39 + i40));
						/* %5 = matmul: line 4 */
						const tn_f16_v8 v30 = tn_round_f16_v8(v29);
						const tn_f32_v8 v31 = tn_load_f32_v8(tile_1 + (192*i30 + 16*i39 + i40));
						/* %14 = matmul: line 4 */
						const tn_f16_v8 v32 = tn_round_f16_v8(v31);
						/* %6 = cast: line 4 */
						const tn_f32_v8 v33 = tn_cast_f16_f32_v8(v30);
						/* %7 = neg: line 4 */
						const tn_f32_v8 v34 = tn_neg_f32_v8(v33);
						/* %8 = exp: line 4 */
						const tn_f32_v8 v35 = tn_exp_f32_v8(v34);
						/* %9 = const: line 4 */
						const tn_f32_s v36 = 0x1p+0f;
						/* %11 = add: line 4 */
						const tn_f32_v8 v37 = tn_splat_f32_v8(v36) + v35;
						/* %12 = div: line 4 */
						const tn_f32_v8 v38 = tn_div_f32_v8(v33, v37);
						/* %13 = cast: line 4 */
						const tn_f16_v8 v39 = tn_cast_f32_f16_v8(v38);
						/* %15 h = mul: line 4 */
						const tn_f16_v8 v40 = tn_mul_f16_v8(v39, v32);
						const tn_f32_v8 v41 = tn_cast_f16_f32_v8(v40);
						tn_store_f32_v8(held + (288*i30 + 48*i39 + i40), v41);
					}
				}
			}
		}
		for (int64_t i41 = 0; i41 < 10*i8 + tn_min(86 - 10*i8, 10) - tn_min(10*i8 + tn_min(86 - 10*i8, 10), 85); i41++) {
			if (i41 + 85 - 10*i8 >= 0 && 10*i8 - i41 - 76 >= 0) {
				{
					const tn_f32_s v42 = 0x0p+0f;
					r_acc_3_0_0 = tn_splat_f32_v8(v42);
				}
				{
					const tn_f32_s v42 = 0x0p+0f;
					r_acc_3_0_1 = tn_splat_f32_v8(v42);
				}
				{
					const tn_f32_s v42 = 0x0p+0f;
					r_acc_3_1_0 = tn_splat_f32_v8(v42);
				}
				{
					const tn_f32_s v42 = 0x0p+0f;
					r_acc_3_1_1 = tn_splat_f32_v8(v42);
				}
				for (int64_t i44 = 0; i44 < 32; i44++) {
					{
						const tn_f32_v8 v43 = tn_load_f32_v8(pack_b1 + (16*i44));
						r_brow_3_0 = v43;
					}
					{
						const tn_f32_v8 v43 = tn_load_f32_v8(pack_b1 + (16*i44 + 8));
						r_brow_3_1 = v43;
					}
					{
						const tn_f32_s v44 = pack_a[256*i41 + 8*i44 + 21760 - 2560*i8];
						{
							const tn_f32_v8 v45 = r_brow_3_0;
							const tn_f32_v8 v46 = r_acc_3_0_0;
							const tn_f32_v8 v47 = tn_mac_f32_v8(tn_splat_f32_v8(v44), v45, v46);
							r_acc_3_0_0 = v47;
						}
						{
							const tn_f32_v8 v45 = r_brow_3_1;
							const tn_f32_v8 v46 = r_acc_3_0_1;
							const tn_f32_v8 v47 = tn_mac_f32_v8(tn_splat_f32_v8(v44), v45, v46);
							r_acc_3_0_1 = v47;
						}
					}
					{
						const tn_f32_s v44 = pack_a[256*i41 + 8*i44 + 21761 - 2560*i8];
						{
							const tn_f32_v8 v45 = r_brow_3_0;
							const tn_f32_v8 v46 = r_acc_3_1_0;
							const tn_f32_v8 v47 = tn_mac_f32_v8(tn_splat_f32_v8(v44), v45, v46);
							r_acc_3_1_0 = v47;
						}
						{
							const tn_f32_v8 v45 = r_brow_3_1;
							const tn_f32_v8 v46 = r_acc_3_1_1;
							const tn_f32_v8 v47 = tn_mac_f32_v8(tn_splat_f32_v8(v44), v45, v46);
							r_acc_3_1_1 = v47;
						}
					}
				}
				{
					const tn_f32_v8 v48 = r_acc_3_0_0;
					tn_store_f32_v8(tile_1 + (192*i41 + 16320 - 1920*i8), v48);
				}
				{
					const tn_f32_v8 v48 = r_acc_3_0_1;
					tn_store_f32_v8(tile_1 + (192*i41 + 16328 - 1920*i8), v48);
				}
				{
					const tn_f32_v8 v48 = r_acc_3_1_0;
					tn_store_f32_v8(tile_1 + (192*i41 + 16336 - 1920*i8), v48);
				}
				{
					const tn_f32_v8 v48 = r_acc_3_1_1;
					tn_store_f32_v8(tile_1 + (192*i41 + 16344 - 1920*i8), v48);
				}
				for (int64_t i50 = 0; i50 < 2 - 6*i41; i50++) {
					{
						int64_t i51 = 0;
						for (; i51 <= 8; i51 += 8) {
							const tn_f32_v8 v49 = tn_load_f32_v8(tile + (192*i41 + 16*i50 + i51 + 16320 - 1920*i8));
							/* %5 = matmul: line 4 */
							const tn_f16_v8 v50 = tn_round_f16_v8(v49);
							const tn_f32_v8 v51 = tn_load_f32_v8(tile_1 + (192*i41 + 16*i50 + i51 + 16320 - 1920*i8));
							/* %14 = matmul: line 4 */
							const tn_f16_v8 v52 = tn_round_f16_v8(v51);
							/* %6 = cast: line 4 */
							const tn_f32_v8 v53 = tn_cast_f16_f32_v8(v50);
							/* %7 = neg: line 4 */
							const tn_f32_v8 v54 = tn_neg_f32_v8(v53);
							/* %8 = exp: line 4 */
							const tn_f32_v8 v55 = tn_exp_f32_v8(v54);
							/* %9 = const: line 4 */
							const tn_f32_s v56 = 0x1p+0f;
							/* %11 = add: line 4 */
							const tn_f32_v8 v57 = tn_splat_f32_v8(v56) + v55;
							/* %12 = div: line 4 */
							const tn_f32_v8 v58 = tn_div_f32_v8(v53, v57);
							/* %13 = cast: line 4 */
							const tn_f16_v8 v59 = tn_cast_f32_f16_v8(v58);
							/* %15 h = mul: line 4 */
							const tn_f16_v8 v60 = tn_mul_f16_v8(v59, v52);
							const tn_f32_v8 v61 = tn_cast_f16_f32_v8(v60);
							tn_store_f32_v8(held + (288*i41 + 48*i50 + i51 + 24480 - 2880*i8), v61);
						}
					}
				}
			}
		}
		for (int64_t i52 = 0; i52 < tn_min(10*i8 + tn_min(86 - 10*i8, 10), 85) - 10*i8; i52++) {
			if (i52 >= 0 && 9 - i52 >= 0) {
				{
					const tn_f32_s v62 = 0x0p+0f;
					r_acc_4_0_0 = tn_splat_f32_v8(v62);
				}
				{
					const tn_f32_s v62 = 0x0p+0f;
					r_acc_4_1_0 = tn_splat_f32_v8(v62);
				}
				{
					const tn_f32_s v62 = 0x0p+0f;
					r_acc_4_2_0 = tn_splat_f32_v8(v62);
				}
				{
					const tn_f32_s v62 = 0x0p+0f;
					r_acc_4_3_0 = tn_splat_f32_v8(v62);
				}
				{
					const tn_f32_s v62 = 0x0p+0f;
					r_acc_4_4_0 = tn_splat_f32_v8(v62);
				}
				{
					const tn_f32_s v62 = 0x0p+0f;
					r_acc_4_5_0 = tn_splat_f32_v8(v62);
				}
				for (int64_t i55 = 0; i55 < 32; i55++) {
					{
						const tn_f32_v8 v63 = tn_load_f32_v8(pack_b0 + (16*i55 + 512));
						r_brow_4_0 = v63;
					}
					{
						const tn_f32_s v64 = pack_a[256*i52 + 8*i55];
						{
							const tn_f32_v8 v65 = r_brow_4_0;
							const tn_f32_v8 v66 = r_acc_4_0_0;
							const tn_f32_v8 v67 = tn_mac_f32_v8(tn_splat_f32_v8(v64), v65, v66);
							r_acc_4_0_0 = v67;
						}
					}
					{
						const tn_f32_s v64 = pack_a[256*i52 + 8*i55 + 1];
						{
							const tn_f32_v8 v65 = r_brow_4_0;
							const tn_f32_v8 v66 = r_acc_4_1_0;
							const tn_f32_v8 v67 = tn_mac_f32_v8(tn_splat_f32_v8(v64), v65, v66);
							r_acc_4_1_0 = v67;
						}
					}
					{
						const tn_f32_s v64 = pack_a[256*i52 + 8*i55 + 2];
						{
							const tn_f32_v8 v65 = r_brow_4_0;
							const tn_f32_v8 v66 = r_acc_4_2_0;
							const tn_f32_v8 v67 = tn_mac_f32_v8(tn_splat_f32_v8(v64), v65, v66);
							r_acc_4_2_0 = v67;
						}
					}
					{
						const tn_f32_s v64 = pack_a[256*i52 + 8*i55 + 3];
						{
							const tn_f32_v8 v65 = r_brow_4_0;
							const tn_f32_v8 v66 = r_acc_4_3_0;
							const tn_f32_v8 v67 = tn_mac_f32_v8(tn_splat_f32_v8(v64), v65, v66);
							r_acc_4_3_0 = v67;
						}
					}
					{
						const tn_f32_s v64 = pack_a[256*i52 + 8*i55 + 4];
						{
							const tn_f32_v8 v65 = r_brow_4_0;
							const tn_f32_v8 v66 = r_acc_4_4_0;
							const tn_f32_v8 v67 = tn_mac_f32_v8(tn_splat_f32_v8(v64), v65, v66);
							r_acc_4_4_0 = v67;
						}
					}
					{
						const tn_f32_s v64 = pack_a[256*i52 + 8*i55 + 5];
						{
							const tn_f32_v8 v65 = r_brow_4_0;
							const tn_f32_v8 v66 = r_acc_4_5_0;
							const tn_f32_v8 v67 = tn_mac_f32_v8(tn_splat_f32_v8(v64), v65, v66);
							r_acc_4_5_0 = v67;
						}
					}
				}
				{
					const tn_f32_v8 v68 = r_acc_4_0_0;
					tn_store_f32_v8(tile + (192*i52 + 96), v68);
				}
				{
					const tn_f32_v8 v68 = r_acc_4_1_0;
					tn_store_f32_v8(tile + (192*i52 + 112), v68);
				}
				{
					const tn_f32_v8 v68 = r_acc_4_2_0;
					tn_store_f32_v8(tile + (192*i52 + 128), v68);
				}
				{
					const tn_f32_v8 v68 = r_acc_4_3_0;
					tn_store_f32_v8(tile + (192*i52 + 144), v68);
				}
				{
					const tn_f32_v8 v68 = r_acc_4_4_0;
					tn_store_f32_v8(tile + (192*i52 + 160), v68);
				}
				{
					const tn_f32_v8 v68 = r_acc_4_5_0;
					tn_store_f32_v8(tile + (192*i52 + 176), v68);
				}
			}
		}
		for (int64_t i61 = 0; i61 < 10*i8 + tn_min(86 - 10*i8, 10) - tn_min(10*i8 + tn_min(86 - 10*i8, 10), 85); i61++) {
			if (i61 + 85 - 10*i8 >= 0 && 10*i8 - i61 - 76 >= 0) {
				{
					const tn_f32_s v69 = 0x0p+0f;
					r_acc_5_0_0 = tn_splat_f32_v8(v69);
				}
				{
					const tn_f32_s v69 = 0x0p+0f;
					r_acc_5_1_0 = tn_splat_f32_v8(v69);
				}
				for (int64_t i64 = 0; i64 < 32; i64++) {
					{
						const tn_f32_v8 v70 = tn_load_f32_v8(pack_b0 + (16*i64 + 512));
						r_brow_5_0 = v70;
					}
					{
						const tn_f32_s v71 = pack_a[256*i61 + 8*i64 + 21760 - 2560*i8];
						{
							const tn_f32_v8 v72 = r_brow_5_0;
							const tn_f32_v8 v73 = r_acc_5_0_0;
							const tn_f32_v8 v74 = tn_mac_f32_v8(tn_splat_f32_v8(v71), v72, v73);
							r_acc_5_0_0 = v74;
						}
					}
					{
						const tn_f32_s v71 = pack_a[256*i61 + 8*i64 + 21761 - 2560*i8];
						{
							const tn_f32_v8 v72 = r_brow_5_0;
							const tn_f32_v8 v73 = r_acc_5_1_0;
							const tn_f32_v8 v74 = tn_mac_f32_v8(tn_splat_f32_v8(v71), v72, v73);
							r_acc_5_1_0 = v74;
						}
					}
				}
				{
					const tn_f32_v8 v75 = r_acc_5_0_0;
					tn_store_f32_v8(tile + (192*i61 + 16416 - 1920*i8), v75);
				}
				{
					const tn_f32_v8 v75 = r_acc_5_1_0;
					tn_store_f32_v8(tile + (192*i61 + 16432 - 1920*i8), v75);
				}
			}
		}
		for (int64_t i70 = 0; i70 < tn_min(10*i8 + tn_min(86 - 10*i8, 10), 85) - 10*i8; i70++) {
			if (i70 >= 0 && 9 - i70 >= 0) {
				{
					const tn_f32_s v76 = 0x0p+0f;
					r_acc_6_0_0 = tn_splat_f32_v8(v76);
				}
				{
					const tn_f32_s v76 = 0x0p+0f;
					r_acc_6_1_0 = tn_splat_f32_v8(v76);
				}
				{
					const tn_f32_s v76 = 0x0p+0f;
					r_acc_6_2_0 = tn_splat_f32_v8(v76);
				}
				{
					const tn_f32_s v76 = 0x0p+0f;
					r_acc_6_3_0 = tn_splat_f32_v8(v76);
				}
				{
					const tn_f32_s v76 = 0x0p+0f;
					r_acc_6_4_0 = tn_splat_f32_v8(v76);
				}
				{
					const tn_f32_s v76 = 0x0p+0f;
					r_acc_6_5_0 = tn_splat_f32_v8(v76);
				}
				for (int64_t i73 = 0; i73 < 32; i73++) {
					{
						const tn_f32_v8 v77 = tn_load_f32_v8(pack_b1 + (16*i73 + 512));
						r_brow_6_0 = v77;
					}
					{
						const tn_f32_s v78 = pack_a[256*i70 + 8*i73];
						{
							const tn_f32_v8 v79 = r_brow_6_0;
							const tn_f32_v8 v80 = r_acc_6_0_0;
							const tn_f32_v8 v81 = tn_mac_f32_v8(tn_splat_f32_v8(v78), v79, v80);
							r_acc_6_0_0 = v81;
						}
					}
					{
						const tn_f32_s v78 = pack_a[256*i70 + 8*i73 + 1];
						{
							const tn_f32_v8 v79 = r_brow_6_0;
							const tn_f32_v8 v80 = r_acc_6_1_0;
							const tn_f32_v8 v81 = tn_mac_f32_v8(tn_splat_f32_v8(v78), v79, v80);
							r_acc_6_1_0 = v81;
						}
					}
					{
						const tn_f32_s v78 = pack_a[256*i70 + 8*i73 + 2];
						{
							const tn_f32_v8 v79 = r_brow_6_0;
							const tn_f32_v8 v80 = r_acc_6_2_0;
							const tn_f32_v8 v81 = tn_mac_f32_v8(tn_splat_f32_v8(v78), v79, v80);
							r_acc_6_2_0 = v81;
						}
					}
					{
						const tn_f32_s v78 = pack_a[256*i70 + 8*i73 + 3];
						{
							const tn_f32_v8 v79 = r_brow_6_0;
							const tn_f32_v8 v80 = r_acc_6_3_0;
							const tn_f32_v8 v81 = tn_mac_f32_v8(tn_splat_f32_v8(v78), v79, v80);
							r_acc_6_3_0 = v81;
						}
					}
					{
						const tn_f32_s v78 = pack_a[256*i70 + 8*i73 + 4];
						{
							const tn_f32_v8 v79 = r_brow_6_0;
							const tn_f32_v8 v80 = r_acc_6_4_0;
							const tn_f32_v8 v81 = tn_mac_f32_v8(tn_splat_f32_v8(v78), v79, v80);
							r_acc_6_4_0 = v81;
						}
					}
					{
						const tn_f32_s v78 = pack_a[256*i70 + 8*i73 + 5];
						{
							const tn_f32_v8 v79 = r_brow_6_0;
							const tn_f32_v8 v80 = r_acc_6_5_0;
							const tn_f32_v8 v81 = tn_mac_f32_v8(tn_splat_f32_v8(v78), v79, v80);
							r_acc_6_5_0 = v81;
						}
					}
				}
				{
					const tn_f32_v8 v82 = r_acc_6_0_0;
					tn_store_f32_v8(tile_1 + (192*i70 + 96), v82);
				}
				{
					const tn_f32_v8 v82 = r_acc_6_1_0;
					tn_store_f32_v8(tile_1 + (192*i70 + 112), v82);
				}
				{
					const tn_f32_v8 v82 = r_acc_6_2_0;
					tn_store_f32_v8(tile_1 + (192*i70 + 128), v82);
				}
				{
					const tn_f32_v8 v82 = r_acc_6_3_0;
					tn_store_f32_v8(tile_1 + (192*i70 + 144), v82);
				}
				{
					const tn_f32_v8 v82 = r_acc_6_4_0;
					tn_store_f32_v8(tile_1 + (192*i70 + 160), v82);
				}
				{
					const tn_f32_v8 v82 = r_acc_6_5_0;
					tn_store_f32_v8(tile_1 + (192*i70 + 176), v82);
				}
				for (int64_t i79 = 0; i79 < 6; i79++) {
					{
						int64_t i80 = 0;
						for (; i80 <= 0; i80 += 8) {
							const tn_f32_v8 v83 = tn_load_f32_v8(tile + (192*i70 + 16*i79 + i80 + 96));
							/* %5 = matmul: line 4 */
							const tn_f16_v8 v84 = tn_round_f16_v8(v83);
							const tn_f32_v8 v85 = tn_load_f32_v8(tile_1 + (192*i70 + 16*i79 + i80 + 96));
							/* %14 = matmul: line 4 */
							const tn_f16_v8 v86 = tn_round_f16_v8(v85);
							/* %6 = cast: line 4 */
							const tn_f32_v8 v87 = tn_cast_f16_f32_v8(v84);
							/* %7 = neg: line 4 */
							const tn_f32_v8 v88 = tn_neg_f32_v8(v87);
							/* %8 = exp: line 4 */
							const tn_f32_v8 v89 = tn_exp_f32_v8(v88);
							/* %9 = const: line 4 */
							const tn_f32_s v90 = 0x1p+0f;
							/* %11 = add: line 4 */
							const tn_f32_v8 v91 = tn_splat_f32_v8(v90) + v89;
							/* %12 = div: line 4 */
							const tn_f32_v8 v92 = tn_div_f32_v8(v87, v91);
							/* %13 = cast: line 4 */
							const tn_f16_v8 v93 = tn_cast_f32_f16_v8(v92);
							/* %15 h = mul: line 4 */
							const tn_f16_v8 v94 = tn_mul_f16_v8(v93, v86);
							const tn_f32_v8 v95 = tn_cast_f16_f32_v8(v94);
							tn_store_f32_v8(held + (288*i70 + 48*i79 + i80 + 16), v95);
						}
					}
				}
			}
		}
		for (int64_t i81 = 0; i81 < 10*i8 + tn_min(86 - 10*i8, 10) - tn_min(10*i8 + tn_min(86 - 10*i8, 10), 85); i81++) {
			if (i81 + 85 - 10*i8 >= 0 && 10*i8 - i81 - 76 >= 0) {
				{
					const tn_f32_s v96 = 0x0p+0f;
					r_acc_7_0_0 = tn_splat_f32_v8(v96);
				}
				{
					const tn_f32_s v96 = 0x0p+0f;
					r_acc_7_1_0 = tn_splat_f32_v8(v96);
				}
				for (int64_t i84 = 0; i84 < 32; i84++) {
					{
						const tn_f32_v8 v97 = tn_load_f32_v8(pack_b1 + (16*i84 + 512));
						r_brow_7_0 = v97;
					}
					{
						const tn_f32_s v98 = pack_a[256*i81 + 8*i84 + 21760 - 2560*i8];
						{
							const tn_f32_v8 v99 = r_brow_7_0;
							const tn_f32_v8 v100 = r_acc_7_0_0;
							const tn_f32_v8 v101 = tn_mac_f32_v8(tn_splat_f32_v8(v98), v99, v100);
							r_acc_7_0_0 = v101;
						}
					}
					{
						const tn_f32_s v98 = pack_a[256*i81 + 8*i84 + 21761 - 2560*i8];
						{
							const tn_f32_v8 v99 = r_brow_7_0;
							const tn_f32_v8 v100 = r_acc_7_1_0;
							const tn_f32_v8 v101 = tn_mac_f32_v8(tn_splat_f32_v8(v98), v99, v100);
							r_acc_7_1_0 = v101;
						}
					}
				}
				{
					const tn_f32_v8 v102 = r_acc_7_0_0;
					tn_store_f32_v8(tile_1 + (192*i81 + 16416 - 1920*i8), v102);
				}
				{
					const tn_f32_v8 v102 = r_acc_7_1_0;
					tn_store_f32_v8(tile_1 + (192*i81 + 16432 - 1920*i8), v102);
				}
				for (int64_t i90 = 0; i90 < 2 - 6*i81; i90++) {
					{
						int64_t i91 = 0;
						for (; i91 <= 0; i91 += 8) {
							const tn_f32_v8 v103 = tn_load_f32_v8(tile + (192*i81 + 16*i90 + i91 + 16416 - 1920*i8));
							/* %5 = matmul: line 4 */
							const tn_f16_v8 v104 = tn_round_f16_v8(v103);
							const tn_f32_v8 v105 = tn_load_f32_v8(tile_1 + (192*i81 + 16*i90 + i91 + 16416 - 1920*i8));
							/* %14 = matmul: line 4 */
							const tn_f16_v8 v106 = tn_round_f16_v8(v105);
							/* %6 = cast: line 4 */
							const tn_f32_v8 v107 = tn_cast_f16_f32_v8(v104);
							/* %7 = neg: line 4 */
							const tn_f32_v8 v108 = tn_neg_f32_v8(v107);
							/* %8 = exp: line 4 */
							const tn_f32_v8 v109 = tn_exp_f32_v8(v108);
							/* %9 = const: line 4 */
							const tn_f32_s v110 = 0x1p+0f;
							/* %11 = add: line 4 */
							const tn_f32_v8 v111 = tn_splat_f32_v8(v110) + v109;
							/* %12 = div: line 4 */
							const tn_f32_v8 v112 = tn_div_f32_v8(v107, v111);
							/* %13 = cast: line 4 */
							const tn_f16_v8 v113 = tn_cast_f32_f16_v8(v112);
							/* %15 h = mul: line 4 */
							const tn_f16_v8 v114 = tn_mul_f16_v8(v113, v106);
							const tn_f32_v8 v115 = tn_cast_f16_f32_v8(v114);
							tn_store_f32_v8(held + (288*i81 + 48*i90 + i91 + 24496 - 2880*i8), v115);
						}
					}
				}
			}
		}
		for (int64_t i92 = 0; i92 < tn_min(10*i8 + tn_min(86 - 10*i8, 10), 85) - 10*i8; i92++) {
			{
				const tn_f32_s v116 = 0x0p+0f;
				r_acc_8_0_0 = tn_splat_f32_v8(v116);
			}
			{
				const tn_f32_s v116 = 0x0p+0f;
				r_acc_8_0_1 = tn_splat_f32_v8(v116);
			}
			{
				const tn_f32_s v116 = 0x0p+0f;
				r_acc_8_1_0 = tn_splat_f32_v8(v116);
			}
			{
				const tn_f32_s v116 = 0x0p+0f;
				r_acc_8_1_1 = tn_splat_f32_v8(v116);
			}
			{
				const tn_f32_s v116 = 0x0p+0f;
				r_acc_8_2_0 = tn_splat_f32_v8(v116);
			}
			{
				const tn_f32_s v116 = 0x0p+0f;
				r_acc_8_2_1 = tn_splat_f32_v8(v116);
			}
			{
				const tn_f32_s v116 = 0x0p+0f;
				r_acc_8_3_0 = tn_splat_f32_v8(v116);
			}
			{
				const tn_f32_s v116 = 0x0p+0f;
				r_acc_8_3_1 = tn_splat_f32_v8(v116);
			}
			{
				const tn_f32_s v116 = 0x0p+0f;
				r_acc_8_4_0 = tn_splat_f32_v8(v116);
			}
			{
				const tn_f32_s v116 = 0x0p+0f;
				r_acc_8_4_1 = tn_splat_f32_v8(v116);
			}
			{
				const tn_f32_s v116 = 0x0p+0f;
				r_acc_8_5_0 = tn_splat_f32_v8(v116);
			}
			{
				const tn_f32_s v116 = 0x0p+0f;
				r_acc_8_5_1 = tn_splat_f32_v8(v116);
			}
			for (int64_t i95 = 0; i95 < 24; i95++) {
				{
					const tn_f32_v8 v117 = tn_load_f32_v8(pack_b2 + (16*i95));
					r_brow_8_0 = v117;
				}
				{
					const tn_f32_v8 v117 = tn_load_f32_v8(pack_b2 + (16*i95 + 8));
					r_brow_8_1 = v117;
				}
				{
					const tn_f32_s v118 = held[288*i92 + i95];
					{
						const tn_f32_v8 v119 = r_brow_8_0;
						const tn_f32_v8 v120 = r_acc_8_0_0;
						const tn_f32_v8 v121 = tn_mac_f32_v8(tn_splat_f32_v8(v118), v119, v120);
						r_acc_8_0_0 = v121;
					}
					{
						const tn_f32_v8 v119 = r_brow_8_1;
						const tn_f32_v8 v120 = r_acc_8_0_1;
						const tn_f32_v8 v121 = tn_mac_f32_v8(tn_splat_f32_v8(v118), v119, v120);
						r_acc_8_0_1 = v121;
					}
				}
				{
					const tn_f32_s v118 = held[288*i92 + i95 + 48];
					{
						const tn_f32_v8 v119 = r_brow_8_0;
						const tn_f32_v8 v120 = r_acc_8_1_0;
						const tn_f32_v8 v121 = tn_mac_f32_v8(tn_splat_f32_v8(v118), v119, v120);
						r_acc_8_1_0 = v121;
					}
					{
						const tn_f32_v8 v119 = r_brow_8_1;
						const tn_f32_v8 v120 = r_acc_8_1_1;
						const tn_f32_v8 v121 = tn_mac_f32_v8(tn_splat_f32_v8(v118), v119, v120);
						r_acc_8_1_1 = v121;
					}
				}
				{
					const tn_f32_s v118 = held[288*i92 + i95 + 96];
					{
						const tn_f32_v8 v119 = r_brow_8_0;
						const tn_f32_v8 v120 = r_acc_8_2_0;
						const tn_f32_v8 v121 = tn_mac_f32_v8(tn_splat_f32_v8(v118), v119, v120);
						r_acc_8_2_0 = v121;
					}
					{
						const tn_f32_v8 v119 = r_brow_8_1;
						const tn_f32_v8 v120 = r_acc_8_2_1;
						const tn_f32_v8 v121 = tn_mac_f32_v8(tn_splat_f32_v8(v118), v119, v120);
						r_acc_8_2_1 = v121;
					}
				}
				{
					const tn_f32_s v118 = held[288*i92 + i95 + 144];
					{
						const tn_f32_v8 v119 = r_brow_8_0;
						const tn_f32_v8 v120 = r_acc_8_3_0;
						const tn_f32_v8 v121 = tn_mac_f32_v8(tn_splat_f32_v8(v118), v119, v120);
						r_acc_8_3_0 = v121;
					}
					{
						const tn_f32_v8 v119 = r_brow_8_1;
						const tn_f32_v8 v120 = r_acc_8_3_1;
						const tn_f32_v8 v121 = tn_mac_f32_v8(tn_splat_f32_v8(v118), v119, v120);
						r_acc_8_3_1 = v121;
					}
				}
				{
					const tn_f32_s v118 = held[288*i92 + i95 + 192];
					{
						const tn_f32_v8 v119 = r_brow_8_0;
						const tn_f32_v8 v120 = r_acc_8_4_0;
						const tn_f32_v8 v121 = tn_mac_f32_v8(tn_splat_f32_v8(v118), v119, v120);
						r_acc_8_4_0 = v121;
					}
					{
						const tn_f32_v8 v119 = r_brow_8_1;
						const tn_f32_v8 v120 = r_acc_8_4_1;
						const tn_f32_v8 v121 = tn_mac_f32_v8(tn_splat_f32_v8(v118), v119, v120);
						r_acc_8_4_1 = v121;
					}
				}
				{
					const tn_f32_s v118 = held[288*i92 + i95 + 240];
					{
						const tn_f32_v8 v119 = r_brow_8_0;
						const tn_f32_v8 v120 = r_acc_8_5_0;
						const tn_f32_v8 v121 = tn_mac_f32_v8(tn_splat_f32_v8(v118), v119, v120);
						r_acc_8_5_0 = v121;
					}
					{
						const tn_f32_v8 v119 = r_brow_8_1;
						const tn_f32_v8 v120 = r_acc_8_5_1;
						const tn_f32_v8 v121 = tn_mac_f32_v8(tn_splat_f32_v8(v118), v119, v120);
						r_acc_8_5_1 = v121;
					}
				}
			}
			{
				const tn_f32_v8 v122 = r_acc_8_0_0;
				/* %16 = matmul: line 5 */
				const tn_f16_v8 v123 = tn_round_f16_v8(v122);
				/* %4 b = input: line 3 */
				const tn_f16_v8 v124 = tn_load_f16_v8(b_b);
				/* %18 = add: line 5 */
				const tn_f16_v8 v125 = tn_add_f16_v8(v123, v124);
				tn_store_f16_v8(b18 + (960*i8 + 96*i92), v125);
			}
			{
				const tn_f32_v8 v122 = r_acc_8_0_1;
				const tn_f16_v8 v123 = tn_round_f16_v8(v122);
				const tn_f16_v8 v124 = tn_load_f16_v8(b_b + 8);
				const tn_f16_v8 v125 = tn_add_f16_v8(v123, v124);
				tn_store_f16_v8(b18 + (960*i8 + 96*i92 + 8), v125);
			}
			{
				const tn_f32_v8 v122 = r_acc_8_1_0;
				const tn_f16_v8 v123 = tn_round_f16_v8(v122);
				const tn_f16_v8 v124 = tn_load_f16_v8(b_b);
				const tn_f16_v8 v125 = tn_add_f16_v8(v123, v124);
				tn_store_f16_v8(b18 + (960*i8 + 96*i92 + 16), v125);
			}
			{
				const tn_f32_v8 v122 = r_acc_8_1_1;
				const tn_f16_v8 v123 = tn_round_f16_v8(v122);
				const tn_f16_v8 v124 = tn_load_f16_v8(b_b + 8);
				const tn_f16_v8 v125 = tn_add_f16_v8(v123, v124);
				tn_store_f16_v8(b18 + (960*i8 + 96*i92 + 24), v125);
			}
			{
				const tn_f32_v8 v122 = r_acc_8_2_0;
				const tn_f16_v8 v123 = tn_round_f16_v8(v122);
				const tn_f16_v8 v124 = tn_load_f16_v8(b_b);
				const tn_f16_v8 v125 = tn_add_f16_v8(v123, v124);
				tn_store_f16_v8(b18 + (960*i8 + 96*i92 + 32), v125);
			}
			{
				const tn_f32_v8 v122 = r_acc_8_2_1;
				const tn_f16_v8 v123 = tn_round_f16_v8(v122);
				const tn_f16_v8 v124 = tn_load_f16_v8(b_b + 8);
				const tn_f16_v8 v125 = tn_add_f16_v8(v123, v124);
				tn_store_f16_v8(b18 + (960*i8 + 96*i92 + 40), v125);
			}
			{
				const tn_f32_v8 v122 = r_acc_8_3_0;
				const tn_f16_v8 v123 = tn_round_f16_v8(v122);
				const tn_f16_v8 v124 = tn_load_f16_v8(b_b);
				const tn_f16_v8 v125 = tn_add_f16_v8(v123, v124);
				tn_store_f16_v8(b18 + (960*i8 + 96*i92 + 48), v125);
			}
			{
				const tn_f32_v8 v122 = r_acc_8_3_1;
				const tn_f16_v8 v123 = tn_round_f16_v8(v122);
				const tn_f16_v8 v124 = tn_load_f16_v8(b_b + 8);
				const tn_f16_v8 v125 = tn_add_f16_v8(v123, v124);
				tn_store_f16_v8(b18 + (960*i8 + 96*i92 + 56), v125);
			}
			{
				const tn_f32_v8 v122 = r_acc_8_4_0;
				const tn_f16_v8 v123 = tn_round_f16_v8(v122);
				const tn_f16_v8 v124 = tn_load_f16_v8(b_b);
				const tn_f16_v8 v125 = tn_add_f16_v8(v123, v124);
				tn_store_f16_v8(b18 + (960*i8 + 96*i92 + 64), v125);
			}
			{
				const tn_f32_v8 v122 = r_acc_8_4_1;
				const tn_f16_v8 v123 = tn_round_f16_v8(v122);
				const tn_f16_v8 v124 = tn_load_f16_v8(b_b + 8);
				const tn_f16_v8 v125 = tn_add_f16_v8(v123, v124);
				tn_store_f16_v8(b18 + (960*i8 + 96*i92 + 72), v125);
			}
			{
				const tn_f32_v8 v122 = r_acc_8_5_0;
				const tn_f16_v8 v123 = tn_round_f16_v8(v122);
				const tn_f16_v8 v124 = tn_load_f16_v8(b_b);
				const tn_f16_v8 v125 = tn_add_f16_v8(v123, v124);
				tn_store_f16_v8(b18 + (960*i8 + 96*i92 + 80), v125);
			}
			{
				const tn_f32_v8 v122 = r_acc_8_5_1;
				const tn_f16_v8 v123 = tn_round_f16_v8(v122);
				const tn_f16_v8 v124 = tn_load_f16_v8(b_b + 8);
				const tn_f16_v8 v125 = tn_add_f16_v8(v123, v124);
				tn_store_f16_v8(b18 + (960*i8 + 96*i92 + 88), v125);
			}
		}
		for (int64_t i101 = 0; i101 < 10*i8 + tn_min(86 - 10*i8, 10) - tn_min(10*i8 + tn_min(86 - 10*i8, 10), 85); i101++) {
			if (i101 + 85 - 10*i8 >= 0 && 10*i8 - i101 - 76 >= 0) {
				{
					const tn_f32_s v126 = 0x0p+0f;
					r_acc_9_0_0 = tn_splat_f32_v8(v126);
				}
				{
					const tn_f32_s v126 = 0x0p+0f;
					r_acc_9_0_1 = tn_splat_f32_v8(v126);
				}
				{
					const tn_f32_s v126 = 0x0p+0f;
					r_acc_9_1_0 = tn_splat_f32_v8(v126);
				}
				{
					const tn_f32_s v126 = 0x0p+0f;
					r_acc_9_1_1 = tn_splat_f32_v8(v126);
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2);
					r_brow_9_0 = v127;
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 8);
					r_brow_9_1 = v127;
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24480 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_0_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_0_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_1 = v131;
					}
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24528 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_1_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_1_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_1 = v131;
					}
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 16);
					r_brow_9_0 = v127;
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 24);
					r_brow_9_1 = v127;
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24481 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_0_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_0_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_1 = v131;
					}
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24529 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_1_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_1_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_1 = v131;
					}
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 32);
					r_brow_9_0 = v127;
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 40);
					r_brow_9_1 = v127;
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24482 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_0_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_0_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_1 = v131;
					}
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24530 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_1_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_1_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_1 = v131;
					}
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 48);
					r_brow_9_0 = v127;
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 56);
					r_brow_9_1 = v127;
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24483 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_0_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_0_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_1 = v131;
					}
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24531 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_1_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_1_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_1 = v131;
					}
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 64);
					r_brow_9_0 = v127;
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 72);
					r_brow_9_1 = v127;
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24484 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_0_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_0_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_1 = v131;
					}
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24532 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_1_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_1_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_1 = v131;
					}
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 80);
					r_brow_9_0 = v127;
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 88);
					r_brow_9_1 = v127;
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24485 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_0_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_0_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_1 = v131;
					}
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24533 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_1_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_1_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_1 = v131;
					}
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 96);
					r_brow_9_0 = v127;
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 104);
					r_brow_9_1 = v127;
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24486 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_0_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_0_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_1 = v131;
					}
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24534 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_1_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_1_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_1 = v131;
					}
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 112);
					r_brow_9_0 = v127;
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 120);
					r_brow_9_1 = v127;
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24487 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_0_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_0_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_1 = v131;
					}
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24535 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_1_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_1_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_1 = v131;
					}
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 128);
					r_brow_9_0 = v127;
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 136);
					r_brow_9_1 = v127;
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24488 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_0_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_0_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_1 = v131;
					}
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24536 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_1_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_1_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_1 = v131;
					}
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 144);
					r_brow_9_0 = v127;
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 152);
					r_brow_9_1 = v127;
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24489 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_0_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_0_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_1 = v131;
					}
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24537 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_1_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_1_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_1 = v131;
					}
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 160);
					r_brow_9_0 = v127;
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 168);
					r_brow_9_1 = v127;
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24490 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_0_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_0_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_1 = v131;
					}
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24538 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_1_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_1_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_1 = v131;
					}
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 176);
					r_brow_9_0 = v127;
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 184);
					r_brow_9_1 = v127;
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24491 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_0_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_0_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_1 = v131;
					}
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24539 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_1_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_1_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_1 = v131;
					}
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 192);
					r_brow_9_0 = v127;
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 200);
					r_brow_9_1 = v127;
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24492 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_0_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_0_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_1 = v131;
					}
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24540 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_1_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_1_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_1 = v131;
					}
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 208);
					r_brow_9_0 = v127;
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 216);
					r_brow_9_1 = v127;
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24493 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_0_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_0_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_1 = v131;
					}
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24541 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_1_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_1_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_1 = v131;
					}
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 224);
					r_brow_9_0 = v127;
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 232);
					r_brow_9_1 = v127;
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24494 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_0_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_0_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_1 = v131;
					}
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24542 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_1_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_1_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_1 = v131;
					}
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 240);
					r_brow_9_0 = v127;
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 248);
					r_brow_9_1 = v127;
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24495 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_0_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_0_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_1 = v131;
					}
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24543 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_1_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_1_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_1 = v131;
					}
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 256);
					r_brow_9_0 = v127;
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 264);
					r_brow_9_1 = v127;
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24496 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_0_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_0_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_1 = v131;
					}
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24544 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_1_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_1_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_1 = v131;
					}
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 272);
					r_brow_9_0 = v127;
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 280);
					r_brow_9_1 = v127;
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24497 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_0_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_0_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_1 = v131;
					}
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24545 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_1_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_1_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_1 = v131;
					}
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 288);
					r_brow_9_0 = v127;
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 296);
					r_brow_9_1 = v127;
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24498 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_0_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_0_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_1 = v131;
					}
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24546 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_1_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_1_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_1 = v131;
					}
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 304);
					r_brow_9_0 = v127;
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 312);
					r_brow_9_1 = v127;
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24499 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_0_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_0_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_1 = v131;
					}
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24547 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_1_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_1_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_1 = v131;
					}
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 320);
					r_brow_9_0 = v127;
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 328);
					r_brow_9_1 = v127;
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24500 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_0_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_0_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_1 = v131;
					}
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24548 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_1_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_1_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_1 = v131;
					}
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 336);
					r_brow_9_0 = v127;
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 344);
					r_brow_9_1 = v127;
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24501 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_0_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_0_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_1 = v131;
					}
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24549 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_1_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_1_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_1 = v131;
					}
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 352);
					r_brow_9_0 = v127;
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 360);
					r_brow_9_1 = v127;
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24502 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_0_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_0_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_1 = v131;
					}
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24550 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_1_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_1_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_1 = v131;
					}
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 368);
					r_brow_9_0 = v127;
				}
				{
					const tn_f32_v8 v127 = tn_load_f32_v8(pack_b2 + 376);
					r_brow_9_1 = v127;
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24503 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_0_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_0_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_0_1 = v131;
					}
				}
				{
					const tn_f32_s v128 = held[288*i101 + 24551 - 2880*i8];
					{
						const tn_f32_v8 v129 = r_brow_9_0;
						const tn_f32_v8 v130 = r_acc_9_1_0;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_0 = v131;
					}
					{
						const tn_f32_v8 v129 = r_brow_9_1;
						const tn_f32_v8 v130 = r_acc_9_1_1;
						const tn_f32_v8 v131 = tn_mac_f32_v8(tn_splat_f32_v8(v128), v129, v130);
						r_acc_9_1_1 = v131;
					}
				}
				{
					const tn_f32_v8 v132 = r_acc_9_0_0;
					/* %16 = matmul: line 5 */
					const tn_f16_v8 v133 = tn_round_f16_v8(v132);
					/* %4 b = input: line 3 */
					const tn_f16_v8 v134 = tn_load_f16_v8(b_b);
					/* %18 = add: line 5 */
					const tn_f16_v8 v135 = tn_add_f16_v8(v133, v134);
					tn_store_f16_v8(b18 + (96*i101 + 8160), v135);
				}
				{
					const tn_f32_v8 v132 = r_acc_9_0_1;
					const tn_f16_v8 v133 = tn_round_f16_v8(v132);
					const tn_f16_v8 v134 = tn_load_f16_v8(b_b + 8);
					const tn_f16_v8 v135 = tn_add_f16_v8(v133, v134);
					tn_store_f16_v8(b18 + (96*i101 + 8168), v135);
				}
				{
					const tn_f32_v8 v132 = r_acc_9_1_0;
					const tn_f16_v8 v133 = tn_round_f16_v8(v132);
					const tn_f16_v8 v134 = tn_load_f16_v8(b_b);
					const tn_f16_v8 v135 = tn_add_f16_v8(v133, v134);
					tn_store_f16_v8(b18 + (96*i101 + 8176), v135);
				}
				{
					const tn_f32_v8 v132 = r_acc_9_1_1;
					const tn_f16_v8 v133 = tn_round_f16_v8(v132);
					const tn_f16_v8 v134 = tn_load_f16_v8(b_b + 8);
					const tn_f16_v8 v135 = tn_add_f16_v8(v133, v134);
					tn_store_f16_v8(b18 + (96*i101 + 8184), v135);
				}
			}
		}
	}
}
#endif
