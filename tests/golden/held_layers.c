/*
 * k0: region 0 of held_layers, by contract mr=3 nr=24 lanes=8 mb=21 nb=1 kc=224 a=1 b=2 unit=0 ahead=1 turned=0
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
tn_task(const TnArgs *args, int worker, int workers, int64_t tasks, int64_t t,
	int *done)
{
	if (workers == 1)
		return t + 1;
	for (; *done < workers; ++*done) {
		int part = (worker + *done) % workers;
		int64_t n = tasks / workers, more = tasks % workers;
		int64_t first = part * n + (part < more ? part : more);
		int64_t i = __atomic_fetch_add(&args->next[part], 1,
					       __ATOMIC_RELAXED);
		if (i < n + (part < more))
			return first + i;
	}
	return tasks;
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
		tn_below_f32_v4(tn_splat_f32_v4(89.0f), a + 0x1p-100f));
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
		tn_below_f32_v8(tn_splat_f32_v8(89.0f), a + 0x1p-100f));
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
	const int64_t t = 0;

	(void)t;
	(void)workers;
	(void)st;
	if (worker == 0) {
		for (int64_t i0 = 0; i0 < 32; i0++) {
			{
				/* %1 w = input: line 2 */
				const tn_f16_v8 v0 = tn_load_f16_v8(b_w + (24*i0));
				const tn_f32_v8 v1 = tn_cast_f16_f32_v8(v0);
				tn_store_f32_v8(pack_b0 + (24*i0), v1);
			}
			{
				const tn_f16_v8 v0 = tn_load_f16_v8(b_w + (24*i0 + 8));
				const tn_f32_v8 v1 = tn_cast_f16_f32_v8(v0);
				tn_store_f32_v8(pack_b0 + (24*i0 + 8), v1);
			}
			{
				const tn_f16_v8 v0 = tn_load_f16_v8(b_w + (24*i0 + 16));
				const tn_f32_v8 v1 = tn_cast_f16_f32_v8(v0);
				tn_store_f32_v8(pack_b0 + (24*i0 + 16), v1);
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
	const int64_t t = 0;

	(void)t;
	(void)workers;
	(void)st;
	if (worker == 0) {
		for (int64_t i2 = 0; i2 < 32; i2++) {
			{
				/* %2 v = input: line 2 */
				const tn_f16_v8 v2 = tn_load_f16_v8(b_v + (24*i2));
				const tn_f32_v8 v3 = tn_cast_f16_f32_v8(v2);
				tn_store_f32_v8(pack_b1 + (24*i2), v3);
			}
			{
				const tn_f16_v8 v2 = tn_load_f16_v8(b_v + (24*i2 + 8));
				const tn_f32_v8 v3 = tn_cast_f16_f32_v8(v2);
				tn_store_f32_v8(pack_b1 + (24*i2 + 8), v3);
			}
			{
				const tn_f16_v8 v2 = tn_load_f16_v8(b_v + (24*i2 + 16));
				const tn_f32_v8 v3 = tn_cast_f16_f32_v8(v2);
				tn_store_f32_v8(pack_b1 + (24*i2 + 16), v3);
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
		for (int64_t i4 = 0; i4 < 24; i4++) {
			{
				/* %3 u = input: line 3 */
				const tn_f16_v8 v4 = tn_load_f16_v8(b_u + (16*i4));
				const tn_f32_v8 v5 = tn_cast_f16_f32_v8(v4);
				tn_store_f32_v8(pack_b2 + (24*i4), v5);
			}
			{
				const tn_f16_v8 v4 = tn_load_f16_v8(b_u + (16*i4 + 8));
				const tn_f32_v8 v5 = tn_cast_f16_f32_v8(v4);
				tn_store_f32_v8(pack_b2 + (24*i4 + 8), v5);
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
	float *const pack_a = (float *)(scratch + 6080);
	float *const tile_1 = (float *)(scratch + 14144);
	float *const held = (float *)(scratch + 20224);
	const uint16_t *const b_x = args->buffers[6];
	const uint16_t *const b_b = args->buffers[7];
	uint16_t *const b18 = args->buffers[8];
	const int64_t tasks = 9;
	int done = 0;
	int64_t t = -1;

	(void)st;
	while ((t = tn_task(args, worker, workers, tasks, t, &done)) <
	       tasks) {
		const int64_t i6 = t;
		TN_REG tn_f32_v8 r_acc_0_0 = {0};
		TN_REG tn_f32_v8 r_acc_0_1 = {0};
		TN_REG tn_f32_v8 r_acc_0_2 = {0};
		TN_REG tn_f32_v8 r_acc_1_0 = {0};
		TN_REG tn_f32_v8 r_acc_1_1 = {0};
		TN_REG tn_f32_v8 r_acc_1_2 = {0};
		TN_REG tn_f32_v8 r_acc_2_0 = {0};
		TN_REG tn_f32_v8 r_acc_2_1 = {0};
		TN_REG tn_f32_v8 r_acc_2_2 = {0};
		TN_REG tn_f32_v8 r_brow_0 = {0};
		TN_REG tn_f32_v8 r_brow_1 = {0};
		TN_REG tn_f32_v8 r_brow_2 = {0};
		TN_REG tn_f32_v8 r_acc_1_0_0 = {0};
		TN_REG tn_f32_v8 r_acc_1_0_1 = {0};
		TN_REG tn_f32_v8 r_acc_1_0_2 = {0};
		TN_REG tn_f32_v8 r_acc_1_1_0 = {0};
		TN_REG tn_f32_v8 r_acc_1_1_1 = {0};
		TN_REG tn_f32_v8 r_acc_1_1_2 = {0};
		TN_REG tn_f32_v8 r_brow_1_0 = {0};
		TN_REG tn_f32_v8 r_brow_1_1 = {0};
		TN_REG tn_f32_v8 r_brow_1_2 = {0};
		TN_REG tn_f32_v8 r_acc_2_0_0 = {0};
		TN_REG tn_f32_v8 r_acc_2_0_1 = {0};
		TN_REG tn_f32_v8 r_acc_2_0_2 = {0};
		TN_REG tn_f32_v8 r_acc_2_1_0 = {0};
		TN_REG tn_f32_v8 r_acc_2_1_1 = {0};
		TN_REG tn_f32_v8 r_acc_2_1_2 = {0};
		TN_REG tn_f32_v8 r_acc_2_2_0 = {0};
		TN_REG tn_f32_v8 r_acc_2_2_1 = {0};
		TN_REG tn_f32_v8 r_acc_2_2_2 = {0};
		TN_REG tn_f32_v8 r_brow_2_0 = {0};
		TN_REG tn_f32_v8 r_brow_2_1 = {0};
		TN_REG tn_f32_v8 r_brow_2_2 = {0};
		TN_REG tn_f32_v8 r_acc_3_0_0 = {0};
		TN_REG tn_f32_v8 r_acc_3_0_1 = {0};
		TN_REG tn_f32_v8 r_acc_3_0_2 = {0};
		TN_REG tn_f32_v8 r_acc_3_1_0 = {0};
		TN_REG tn_f32_v8 r_acc_3_1_1 = {0};
		TN_REG tn_f32_v8 r_acc_3_1_2 = {0};
		TN_REG tn_f32_v8 r_brow_3_0 = {0};
		TN_REG tn_f32_v8 r_brow_3_1 = {0};
		TN_REG tn_f32_v8 r_brow_3_2 = {0};
		TN_REG tn_f32_v8 r_acc_4_0_0 = {0};
		TN_REG tn_f32_v8 r_acc_4_0_1 = {0};
		TN_REG tn_f32_v8 r_acc_4_1_0 = {0};
		TN_REG tn_f32_v8 r_acc_4_1_1 = {0};
		TN_REG tn_f32_v8 r_acc_4_2_0 = {0};
		TN_REG tn_f32_v8 r_acc_4_2_1 = {0};
		TN_REG tn_f32_v8 r_brow_4_0 = {0};
		TN_REG tn_f32_v8 r_brow_4_1 = {0};
		TN_REG tn_f32_v8 r_acc_5_0_0 = {0};
		TN_REG tn_f32_v8 r_acc_5_0_1 = {0};
		TN_REG tn_f32_v8 r_acc_5_1_0 = {0};
		TN_REG tn_f32_v8 r_acc_5_1_1 = {0};
		TN_REG tn_f32_v8 r_brow_5_0 = {0};
		TN_REG tn_f32_v8 r_brow_5_1 = {0};
		for (int64_t i7 = 0; i7 < tn_min(171 - 21*i6, 21); i7++) {
			if (169 - 21*i6 - i7 >= 0) {
				{
					int64_t i8 = 0;
					for (; i8 <= 24; i8 += 8) {
						tn_f32_v8 t0_0[8] = {{0}};
						for (int64_t i9 = 0; i9 < 3; i9++) {
							/* %0 x = input: line 2 */
							const tn_f16_v8 v6 = tn_load_f16_v8(b_x + (2016*i6 + 96*i7 + i8 + 32*i9));
							const tn_f32_v8 v7 = tn_cast_f16_f32_v8(v6);
							t0_0[i9] = v7;
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
						tn_storen_f32_v8(pack_a + (96*i7 + 3*i8), 3, t0_3_0);
						tn_storen_f32_v8(pack_a + (96*i7 + 3*i8 + 3), 3, t0_3_1);
						tn_storen_f32_v8(pack_a + (96*i7 + 3*i8 + 6), 3, t0_3_2);
						tn_storen_f32_v8(pack_a + (96*i7 + 3*i8 + 9), 3, t0_3_3);
						tn_storen_f32_v8(pack_a + (96*i7 + 3*i8 + 12), 3, t0_3_4);
						tn_storen_f32_v8(pack_a + (96*i7 + 3*i8 + 15), 3, t0_3_5);
						tn_storen_f32_v8(pack_a + (96*i7 + 3*i8 + 18), 3, t0_3_6);
						tn_storen_f32_v8(pack_a + (96*i7 + 3*i8 + 21), 3, t0_3_7);
					}
				}
			} else {
				{
					int64_t i10 = 0;
					for (; i10 <= 24; i10 += 8) {
						tn_f32_v8 t1_0[8] = {{0}};
						for (int64_t i11 = 0; i11 < 2; i11++) {
							const tn_f16_v8 v8 = tn_load_f16_v8(b_x + (i10 + 32*i11 + 16320));
							const tn_f32_v8 v9 = tn_cast_f16_f32_v8(v8);
							t1_0[i11] = v9;
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
						tn_storen_f32_v8(pack_a + (96*i7 + 3*i10), 2, t1_3_0);
						tn_storen_f32_v8(pack_a + (96*i7 + 3*i10 + 3), 2, t1_3_1);
						tn_storen_f32_v8(pack_a + (96*i7 + 3*i10 + 6), 2, t1_3_2);
						tn_storen_f32_v8(pack_a + (96*i7 + 3*i10 + 9), 2, t1_3_3);
						tn_storen_f32_v8(pack_a + (96*i7 + 3*i10 + 12), 2, t1_3_4);
						tn_storen_f32_v8(pack_a + (96*i7 + 3*i10 + 15), 2, t1_3_5);
						tn_storen_f32_v8(pack_a + (96*i7 + 3*i10 + 18), 2, t1_3_6);
						tn_storen_f32_v8(pack_a + (96*i7 + 3*i10 + 21), 2, t1_3_7);
					}
				}
			}
		}
		for (int64_t i12 = 0; i12 < tn_min(21*i6 + tn_min(171 - 21*i6, 21), 170) - 21*i6; i12++) {
			{
				const tn_f32_s v10 = 0x0p+0f;
				r_acc_0_0 = tn_splat_f32_v8(v10);
			}
			{
				const tn_f32_s v10 = 0x0p+0f;
				r_acc_0_1 = tn_splat_f32_v8(v10);
			}
			{
				const tn_f32_s v10 = 0x0p+0f;
				r_acc_0_2 = tn_splat_f32_v8(v10);
			}
			{
				const tn_f32_s v10 = 0x0p+0f;
				r_acc_1_0 = tn_splat_f32_v8(v10);
			}
			{
				const tn_f32_s v10 = 0x0p+0f;
				r_acc_1_1 = tn_splat_f32_v8(v10);
			}
			{
				const tn_f32_s v10 = 0x0p+0f;
				r_acc_1_2 = tn_splat_f32_v8(v10);
			}
			{
				const tn_f32_s v10 = 0x0p+0f;
				r_acc_2_0 = tn_splat_f32_v8(v10);
			}
			{
				const tn_f32_s v10 = 0x0p+0f;
				r_acc_2_1 = tn_splat_f32_v8(v10);
			}
			{
				const tn_f32_s v10 = 0x0p+0f;
				r_acc_2_2 = tn_splat_f32_v8(v10);
			}
			for (int64_t i15 = 0; i15 < 32; i15++) {
				{
					const tn_f32_v8 v11 = tn_load_f32_v8(pack_b0 + (24*i15));
					r_brow_0 = v11;
				}
				{
					const tn_f32_v8 v11 = tn_load_f32_v8(pack_b0 + (24*i15 + 8));
					r_brow_1 = v11;
				}
				{
					const tn_f32_v8 v11 = tn_load_f32_v8(pack_b0 + (24*i15 + 16));
					r_brow_2 = v11;
				}
				{
					const tn_f32_s v12 = pack_a[96*i12 + 3*i15];
					{
						const tn_f32_v8 v13 = r_brow_0;
						const tn_f32_v8 v14 = r_acc_0_0;
						const tn_f32_v8 v15 = tn_mac_f32_v8(tn_splat_f32_v8(v12), v13, v14);
						r_acc_0_0 = v15;
					}
					{
						const tn_f32_v8 v13 = r_brow_1;
						const tn_f32_v8 v14 = r_acc_0_1;
						const tn_f32_v8 v15 = tn_mac_f32_v8(tn_splat_f32_v8(v12), v13, v14);
						r_acc_0_1 = v15;
					}
					{
						const tn_f32_v8 v13 = r_brow_2;
						const tn_f32_v8 v14 = r_acc_0_2;
						const tn_f32_v8 v15 = tn_mac_f32_v8(tn_splat_f32_v8(v12), v13, v14);
						r_acc_0_2 = v15;
					}
				}
				{
					const tn_f32_s v12 = pack_a[96*i12 + 3*i15 + 1];
					{
						const tn_f32_v8 v13 = r_brow_0;
						const tn_f32_v8 v14 = r_acc_1_0;
						const tn_f32_v8 v15 = tn_mac_f32_v8(tn_splat_f32_v8(v12), v13, v14);
						r_acc_1_0 = v15;
					}
					{
						const tn_f32_v8 v13 = r_brow_1;
						const tn_f32_v8 v14 = r_acc_1_1;
						const tn_f32_v8 v15 = tn_mac_f32_v8(tn_splat_f32_v8(v12), v13, v14);
						r_acc_1_1 = v15;
					}
					{
						const tn_f32_v8 v13 = r_brow_2;
						const tn_f32_v8 v14 = r_acc_1_2;
						const tn_f32_v8 v15 = tn_mac_f32_v8(tn_splat_f32_v8(v12), v13, v14);
						r_acc_1_2 = v15;
					}
				}
				{
					const tn_f32_s v12 = pack_a[96*i12 + 3*i15 + 2];
					{
						const tn_f32_v8 v13 = r_brow_0;
						const tn_f32_v8 v14 = r_acc_2_0;
						const tn_f32_v8 v15 = tn_mac_f32_v8(tn_splat_f32_v8(v12), v13, v14);
						r_acc_2_0 = v15;
					}
					{
						const tn_f32_v8 v13 = r_brow_1;
						const tn_f32_v8 v14 = r_acc_2_1;
						const tn_f32_v8 v15 = tn_mac_f32_v8(tn_splat_f32_v8(v12), v13, v14);
						r_acc_2_1 = v15;
					}
					{
						const tn_f32_v8 v13 = r_brow_2;
						const tn_f32_v8 v14 = r_acc_2_2;
						const tn_f32_v8 v15 = tn_mac_f32_v8(tn_splat_f32_v8(v12), v13, v14);
						r_acc_2_2 = v15;
					}
				}
			}
			{
				const tn_f32_v8 v16 = r_acc_0_0;
				tn_store_f32_v8(tile + (72*i12), v16);
			}
			{
				const tn_f32_v8 v16 = r_acc_0_1;
				tn_store_f32_v8(tile + (72*i12 + 8), v16);
			}
			{
				const tn_f32_v8 v16 = r_acc_0_2;
				tn_store_f32_v8(tile + (72*i12 + 16), v16);
			}
			{
				const tn_f32_v8 v16 = r_acc_1_0;
				tn_store_f32_v8(tile + (72*i12 + 24), v16);
			}
			{
				const tn_f32_v8 v16 = r_acc_1_1;
				tn_store_f32_v8(tile + (72*i12 + 32), v16);
			}
			{
				const tn_f32_v8 v16 = r_acc_1_2;
				tn_store_f32_v8(tile + (72*i12 + 40), v16);
			}
			{
				const tn_f32_v8 v16 = r_acc_2_0;
				tn_store_f32_v8(tile + (72*i12 + 48), v16);
			}
			{
				const tn_f32_v8 v16 = r_acc_2_1;
				tn_store_f32_v8(tile + (72*i12 + 56), v16);
			}
			{
				const tn_f32_v8 v16 = r_acc_2_2;
				tn_store_f32_v8(tile + (72*i12 + 64), v16);
			}
		}
		for (int64_t i21 = 0; i21 < 21*i6 + tn_min(171 - 21*i6, 21) - tn_min(21*i6 + tn_min(171 - 21*i6, 21), 170); i21++) {
			if (i21 + 170 - 21*i6 >= 0 && 21*i6 - i21 - 150 >= 0) {
				{
					const tn_f32_s v17 = 0x0p+0f;
					r_acc_1_0_0 = tn_splat_f32_v8(v17);
				}
				{
					const tn_f32_s v17 = 0x0p+0f;
					r_acc_1_0_1 = tn_splat_f32_v8(v17);
				}
				{
					const tn_f32_s v17 = 0x0p+0f;
					r_acc_1_0_2 = tn_splat_f32_v8(v17);
				}
				{
					const tn_f32_s v17 = 0x0p+0f;
					r_acc_1_1_0 = tn_splat_f32_v8(v17);
				}
				{
					const tn_f32_s v17 = 0x0p+0f;
					r_acc_1_1_1 = tn_splat_f32_v8(v17);
				}
				{
					const tn_f32_s v17 = 0x0p+0f;
					r_acc_1_1_2 = tn_splat_f32_v8(v17);
				}
				for (int64_t i24 = 0; i24 < 32; i24++) {
					{
						const tn_f32_v8 v18 = tn_load_f32_v8(pack_b0 + (24*i24));
						r_brow_1_0 = v18;
					}
					{
						const tn_f32_v8 v18 = tn_load_f32_v8(pack_b0 + (24*i24 + 8));
						r_brow_1_1 = v18;
					}
					{
						const tn_f32_v8 v18 = tn_load_f32_v8(pack_b0 + (24*i24 + 16));
						r_brow_1_2 = v18;
					}
					{
						const tn_f32_s v19 = pack_a[96*i21 + 3*i24 + 16320 - 2016*i6];
						{
							const tn_f32_v8 v20 = r_brow_1_0;
							const tn_f32_v8 v21 = r_acc_1_0_0;
							const tn_f32_v8 v22 = tn_mac_f32_v8(tn_splat_f32_v8(v19), v20, v21);
							r_acc_1_0_0 = v22;
						}
						{
							const tn_f32_v8 v20 = r_brow_1_1;
							const tn_f32_v8 v21 = r_acc_1_0_1;
							const tn_f32_v8 v22 = tn_mac_f32_v8(tn_splat_f32_v8(v19), v20, v21);
							r_acc_1_0_1 = v22;
						}
						{
							const tn_f32_v8 v20 = r_brow_1_2;
							const tn_f32_v8 v21 = r_acc_1_0_2;
							const tn_f32_v8 v22 = tn_mac_f32_v8(tn_splat_f32_v8(v19), v20, v21);
							r_acc_1_0_2 = v22;
						}
					}
					{
						const tn_f32_s v19 = pack_a[96*i21 + 3*i24 + 16321 - 2016*i6];
						{
							const tn_f32_v8 v20 = r_brow_1_0;
							const tn_f32_v8 v21 = r_acc_1_1_0;
							const tn_f32_v8 v22 = tn_mac_f32_v8(tn_splat_f32_v8(v19), v20, v21);
							r_acc_1_1_0 = v22;
						}
						{
							const tn_f32_v8 v20 = r_brow_1_1;
							const tn_f32_v8 v21 = r_acc_1_1_1;
							const tn_f32_v8 v22 = tn_mac_f32_v8(tn_splat_f32_v8(v19), v20, v21);
							r_acc_1_1_1 = v22;
						}
						{
							const tn_f32_v8 v20 = r_brow_1_2;
							const tn_f32_v8 v21 = r_acc_1_1_2;
							const tn_f32_v8 v22 = tn_mac_f32_v8(tn_splat_f32_v8(v19), v20, v21);
							r_acc_1_1_2 = v22;
						}
					}
				}
				{
					const tn_f32_v8 v23 = r_acc_1_0_0;
					tn_store_f32_v8(tile + (72*i21 + 12240 - 1512*i6), v23);
				}
				{
					const tn_f32_v8 v23 = r_acc_1_0_1;
					tn_store_f32_v8(tile + (72*i21 + 12248 - 1512*i6), v23);
				}
				{
					const tn_f32_v8 v23 = r_acc_1_0_2;
					tn_store_f32_v8(tile + (72*i21 + 12256 - 1512*i6), v23);
				}
				{
					const tn_f32_v8 v23 = r_acc_1_1_0;
					tn_store_f32_v8(tile + (72*i21 + 12264 - 1512*i6), v23);
				}
				{
					const tn_f32_v8 v23 = r_acc_1_1_1;
					tn_store_f32_v8(tile + (72*i21 + 12272 - 1512*i6), v23);
				}
				{
					const tn_f32_v8 v23 = r_acc_1_1_2;
					tn_store_f32_v8(tile + (72*i21 + 12280 - 1512*i6), v23);
				}
			}
		}
		for (int64_t i30 = 0; i30 < tn_min(21*i6 + tn_min(171 - 21*i6, 21), 170) - 21*i6; i30++) {
			{
				const tn_f32_s v24 = 0x0p+0f;
				r_acc_2_0_0 = tn_splat_f32_v8(v24);
			}
			{
				const tn_f32_s v24 = 0x0p+0f;
				r_acc_2_0_1 = tn_splat_f32_v8(v24);
			}
			{
				const tn_f32_s v24 = 0x0p+0f;
				r_acc_2_0_2 = tn_splat_f32_v8(v24);
			}
			{
				const tn_f32_s v24 = 0x0p+0f;
				r_acc_2_1_0 = tn_splat_f32_v8(v24);
			}
			{
				const tn_f32_s v24 = 0x0p+0f;
				r_acc_2_1_1 = tn_splat_f32_v8(v24);
			}
			{
				const tn_f32_s v24 = 0x0p+0f;
				r_acc_2_1_2 = tn_splat_f32_v8(v24);
			}
			{
				const tn_f32_s v24 = 0x0p+0f;
				r_acc_2_2_0 = tn_splat_f32_v8(v24);
			}
			{
				const tn_f32_s v24 = 0x0p+0f;
				r_acc_2_2_1 = tn_splat_f32_v8(v24);
			}
			{
				const tn_f32_s v24 = 0x0p+0f;
				r_acc_2_2_2 = tn_splat_f32_v8(v24);
			}
			for (int64_t i33 = 0; i33 < 32; i33++) {
				{
					const tn_f32_v8 v25 = tn_load_f32_v8(pack_b1 + (24*i33));
					r_brow_2_0 = v25;
				}
				{
					const tn_f32_v8 v25 = tn_load_f32_v8(pack_b1 + (24*i33 + 8));
					r_brow_2_1 = v25;
				}
				{
					const tn_f32_v8 v25 = tn_load_f32_v8(pack_b1 + (24*i33 + 16));
					r_brow_2_2 = v25;
				}
				{
					const tn_f32_s v26 = pack_a[96*i30 + 3*i33];
					{
						const tn_f32_v8 v27 = r_brow_2_0;
						const tn_f32_v8 v28 = r_acc_2_0_0;
						const tn_f32_v8 v29 = tn_mac_f32_v8(tn_splat_f32_v8(v26), v27, v28);
						r_acc_2_0_0 = v29;
					}
					{
						const tn_f32_v8 v27 = r_brow_2_1;
						const tn_f32_v8 v28 = r_acc_2_0_1;
						const tn_f32_v8 v29 = tn_mac_f32_v8(tn_splat_f32_v8(v26), v27, v28);
						r_acc_2_0_1 = v29;
					}
					{
						const tn_f32_v8 v27 = r_brow_2_2;
						const tn_f32_v8 v28 = r_acc_2_0_2;
						const tn_f32_v8 v29 = tn_mac_f32_v8(tn_splat_f32_v8(v26), v27, v28);
						r_acc_2_0_2 = v29;
					}
				}
				{
					const tn_f32_s v26 = pack_a[96*i30 + 3*i33 + 1];
					{
						const tn_f32_v8 v27 = r_brow_2_0;
						const tn_f32_v8 v28 = r_acc_2_1_0;
						const tn_f32_v8 v29 = tn_mac_f32_v8(tn_splat_f32_v8(v26), v27, v28);
						r_acc_2_1_0 = v29;
					}
					{
						const tn_f32_v8 v27 = r_brow_2_1;
						const tn_f32_v8 v28 = r_acc_2_1_1;
						const tn_f32_v8 v29 = tn_mac_f32_v8(tn_splat_f32_v8(v26), v27, v28);
						r_acc_2_1_1 = v29;
					}
					{
						const tn_f32_v8 v27 = r_brow_2_2;
						const tn_f32_v8 v28 = r_acc_2_1_2;
						const tn_f32_v8 v29 = tn_mac_f32_v8(tn_splat_f32_v8(v26), v27, v28);
						r_acc_2_1_2 = v29;
					}
				}
				{
					const tn_f32_s v26 = pack_a[96*i30 + 3*i33 + 2];
					{
						const tn_f32_v8 v27 = r_brow_2_0;
						const tn_f32_v8 v28 = r_acc_2_2_0;
						const tn_f32_v8 v29 = tn_mac_f32_v8(tn_splat_f32_v8(v26), v27, v28);
						r_acc_2_2_0 = v29;
					}
					{
						const tn_f32_v8 v27 = r_brow_2_1;
						const tn_f32_v8 v28 = r_acc_2_2_1;
						const tn_f32_v8 v29 = tn_mac_f32_v8(tn_splat_f32_v8(v26), v27, v28);
						r_acc_2_2_1 = v29;
					}
					{
						const tn_f32_v8 v27 = r_brow_2_2;
						const tn_f32_v8 v28 = r_acc_2_2_2;
						const tn_f32_v8 v29 = tn_mac_f32_v8(tn_splat_f32_v8(v26), v27, v28);
						r_acc_2_2_2 = v29;
					}
				}
			}
			{
				const tn_f32_v8 v30 = r_acc_2_0_0;
				tn_store_f32_v8(tile_1 + (72*i30), v30);
			}
			{
				const tn_f32_v8 v30 = r_acc_2_0_1;
				tn_store_f32_v8(tile_1 + (72*i30 + 8), v30);
			}
			{
				const tn_f32_v8 v30 = r_acc_2_0_2;
				tn_store_f32_v8(tile_1 + (72*i30 + 16), v30);
			}
			{
				const tn_f32_v8 v30 = r_acc_2_1_0;
				tn_store_f32_v8(tile_1 + (72*i30 + 24), v30);
			}
			{
				const tn_f32_v8 v30 = r_acc_2_1_1;
				tn_store_f32_v8(tile_1 + (72*i30 + 32), v30);
			}
			{
				const tn_f32_v8 v30 = r_acc_2_1_2;
				tn_store_f32_v8(tile_1 + (72*i30 + 40), v30);
			}
			{
				const tn_f32_v8 v30 = r_acc_2_2_0;
				tn_store_f32_v8(tile_1 + (72*i30 + 48), v30);
			}
			{
				const tn_f32_v8 v30 = r_acc_2_2_1;
				tn_store_f32_v8(tile_1 + (72*i30 + 56), v30);
			}
			{
				const tn_f32_v8 v30 = r_acc_2_2_2;
				tn_store_f32_v8(tile_1 + (72*i30 + 64), v30);
			}
			for (int64_t i39 = 0; i39 < 3; i39++) {
				{
					int64_t i40 = 0;
					for (; i40 <= 16; i40 += 8) {
						const tn_f32_v8 v31 = tn_load_f32_v8(tile + (72*i30 + 24*i39 + i40));
						/* %5 = matmul: line 4 */
						const tn_f16_v8 v32 = tn_round_f16_v8(v31);
						const tn_f32_v8 v33 = tn_load_f32_v8(tile_1 + (72*i30 + 24*i39 + i40));
						/* %14 = matmul: line 4 */
						const tn_f16_v8 v34 = tn_round_f16_v8(v33);
						/* %6 = cast: line 4 */
						const tn_f32_v8 v35 = tn_cast_f16_f32_v8(v32);
						/* %7 = neg: line 4 */
						const tn_f32_v8 v36 = tn_neg_f32_v8(v35);
						/* %8 = exp: line 4 */
						const tn_f32_v8 v37 = tn_exp_f32_v8(v36);
						/* %9 = const: line 4 */
						const tn_f32_s v38 = 0x1p+0f;
						/* %11 = add: line 4 */
						const tn_f32_v8 v39 = tn_splat_f32_v8(v38) + v37;
						/* %12 = div: line 4 */
						const tn_f32_v8 v40 = tn_div_f32_v8(v35, v39);
						/* %13 = cast: line 4 */
						const tn_f16_v8 v41 = tn_cast_f32_f16_v8(v40);
						/* %15 h = mul: line 4 */
						const tn_f16_v8 v42 = tn_mul_f16_v8(v41, v34);
						const tn_f32_v8 v43 = tn_cast_f16_f32_v8(v42);
						tn_store_f32_v8(held + (144*i30 + 48*i39 + i40), v43);
					}
				}
			}
		}
		for (int64_t i41 = 0; i41 < 21*i6 + tn_min(171 - 21*i6, 21) - tn_min(21*i6 + tn_min(171 - 21*i6, 21), 170); i41++) {
			if (i41 + 170 - 21*i6 >= 0 && 21*i6 - i41 - 150 >= 0) {
				{
					const tn_f32_s v44 = 0x0p+0f;
					r_acc_3_0_0 = tn_splat_f32_v8(v44);
				}
				{
					const tn_f32_s v44 = 0x0p+0f;
					r_acc_3_0_1 = tn_splat_f32_v8(v44);
				}
				{
					const tn_f32_s v44 = 0x0p+0f;
					r_acc_3_0_2 = tn_splat_f32_v8(v44);
				}
				{
					const tn_f32_s v44 = 0x0p+0f;
					r_acc_3_1_0 = tn_splat_f32_v8(v44);
				}
				{
					const tn_f32_s v44 = 0x0p+0f;
					r_acc_3_1_1 = tn_splat_f32_v8(v44);
				}
				{
					const tn_f32_s v44 = 0x0p+0f;
					r_acc_3_1_2 = tn_splat_f32_v8(v44);
				}
				for (int64_t i44 = 0; i44 < 32; i44++) {
					{
						const tn_f32_v8 v45 = tn_load_f32_v8(pack_b1 + (24*i44));
						r_brow_3_0 = v45;
					}
					{
						const tn_f32_v8 v45 = tn_load_f32_v8(pack_b1 + (24*i44 + 8));
						r_brow_3_1 = v45;
					}
					{
						const tn_f32_v8 v45 = tn_load_f32_v8(pack_b1 + (24*i44 + 16));
						r_brow_3_2 = v45;
					}
					{
						const tn_f32_s v46 = pack_a[96*i41 + 3*i44 + 16320 - 2016*i6];
						{
							const tn_f32_v8 v47 = r_brow_3_0;
							const tn_f32_v8 v48 = r_acc_3_0_0;
							const tn_f32_v8 v49 = tn_mac_f32_v8(tn_splat_f32_v8(v46), v47, v48);
							r_acc_3_0_0 = v49;
						}
						{
							const tn_f32_v8 v47 = r_brow_3_1;
							const tn_f32_v8 v48 = r_acc_3_0_1;
							const tn_f32_v8 v49 = tn_mac_f32_v8(tn_splat_f32_v8(v46), v47, v48);
							r_acc_3_0_1 = v49;
						}
						{
							const tn_f32_v8 v47 = r_brow_3_2;
							const tn_f32_v8 v48 = r_acc_3_0_2;
							const tn_f32_v8 v49 = tn_mac_f32_v8(tn_splat_f32_v8(v46), v47, v48);
							r_acc_3_0_2 = v49;
						}
					}
					{
						const tn_f32_s v46 = pack_a[96*i41 + 3*i44 + 16321 - 2016*i6];
						{
							const tn_f32_v8 v47 = r_brow_3_0;
							const tn_f32_v8 v48 = r_acc_3_1_0;
							const tn_f32_v8 v49 = tn_mac_f32_v8(tn_splat_f32_v8(v46), v47, v48);
							r_acc_3_1_0 = v49;
						}
						{
							const tn_f32_v8 v47 = r_brow_3_1;
							const tn_f32_v8 v48 = r_acc_3_1_1;
							const tn_f32_v8 v49 = tn_mac_f32_v8(tn_splat_f32_v8(v46), v47, v48);
							r_acc_3_1_1 = v49;
						}
						{
							const tn_f32_v8 v47 = r_brow_3_2;
							const tn_f32_v8 v48 = r_acc_3_1_2;
							const tn_f32_v8 v49 = tn_mac_f32_v8(tn_splat_f32_v8(v46), v47, v48);
							r_acc_3_1_2 = v49;
						}
					}
				}
				{
					const tn_f32_v8 v50 = r_acc_3_0_0;
					tn_store_f32_v8(tile_1 + (72*i41 + 12240 - 1512*i6), v50);
				}
				{
					const tn_f32_v8 v50 = r_acc_3_0_1;
					tn_store_f32_v8(tile_1 + (72*i41 + 12248 - 1512*i6), v50);
				}
				{
					const tn_f32_v8 v50 = r_acc_3_0_2;
					tn_store_f32_v8(tile_1 + (72*i41 + 12256 - 1512*i6), v50);
				}
				{
					const tn_f32_v8 v50 = r_acc_3_1_0;
					tn_store_f32_v8(tile_1 + (72*i41 + 12264 - 1512*i6), v50);
				}
				{
					const tn_f32_v8 v50 = r_acc_3_1_1;
					tn_store_f32_v8(tile_1 + (72*i41 + 12272 - 1512*i6), v50);
				}
				{
					const tn_f32_v8 v50 = r_acc_3_1_2;
					tn_store_f32_v8(tile_1 + (72*i41 + 12280 - 1512*i6), v50);
				}
				for (int64_t i50 = 0; i50 < 2 - 3*i41; i50++) {
					{
						int64_t i51 = 0;
						for (; i51 <= 16; i51 += 8) {
							const tn_f32_v8 v51 = tn_load_f32_v8(tile + (72*i41 + 24*i50 + i51 + 12240 - 1512*i6));
							/* %5 = matmul: line 4 */
							const tn_f16_v8 v52 = tn_round_f16_v8(v51);
							const tn_f32_v8 v53 = tn_load_f32_v8(tile_1 + (72*i41 + 24*i50 + i51 + 12240 - 1512*i6));
							/* %14 = matmul: line 4 */
							const tn_f16_v8 v54 = tn_round_f16_v8(v53);
							/* %6 = cast: line 4 */
							const tn_f32_v8 v55 = tn_cast_f16_f32_v8(v52);
							/* %7 = neg: line 4 */
							const tn_f32_v8 v56 = tn_neg_f32_v8(v55);
							/* %8 = exp: line 4 */
							const tn_f32_v8 v57 = tn_exp_f32_v8(v56);
							/* %9 = const: line 4 */
							const tn_f32_s v58 = 0x1p+0f;
							/* %11 = add: line 4 */
							const tn_f32_v8 v59 = tn_splat_f32_v8(v58) + v57;
							/* %12 = div: line 4 */
							const tn_f32_v8 v60 = tn_div_f32_v8(v55, v59);
							/* %13 = cast: line 4 */
							const tn_f16_v8 v61 = tn_cast_f32_f16_v8(v60);
							/* %15 h = mul: line 4 */
							const tn_f16_v8 v62 = tn_mul_f16_v8(v61, v54);
							const tn_f32_v8 v63 = tn_cast_f16_f32_v8(v62);
							tn_store_f32_v8(held + (144*i41 + 48*i50 + i51 + 24480 - 3024*i6), v63);
						}
					}
				}
			}
		}
		for (int64_t i52 = 0; i52 < tn_min(21*i6 + tn_min(171 - 21*i6, 21), 170) - 21*i6; i52++) {
			if (i52 >= 0 && 20 - i52 >= 0) {
				{
					const tn_f32_s v64 = 0x0p+0f;
					r_acc_4_0_0 = tn_splat_f32_v8(v64);
				}
				{
					const tn_f32_s v64 = 0x0p+0f;
					r_acc_4_0_1 = tn_splat_f32_v8(v64);
				}
				{
					const tn_f32_s v64 = 0x0p+0f;
					r_acc_4_1_0 = tn_splat_f32_v8(v64);
				}
				{
					const tn_f32_s v64 = 0x0p+0f;
					r_acc_4_1_1 = tn_splat_f32_v8(v64);
				}
				{
					const tn_f32_s v64 = 0x0p+0f;
					r_acc_4_2_0 = tn_splat_f32_v8(v64);
				}
				{
					const tn_f32_s v64 = 0x0p+0f;
					r_acc_4_2_1 = tn_splat_f32_v8(v64);
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2);
					r_brow_4_0 = v65;
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 8);
					r_brow_4_1 = v65;
				}
				{
					const tn_f32_s v66 = held[144*i52];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_0_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_0_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 48];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_1_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_1_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 96];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_2_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_2_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_1 = v69;
					}
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 24);
					r_brow_4_0 = v65;
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 32);
					r_brow_4_1 = v65;
				}
				{
					const tn_f32_s v66 = held[144*i52 + 1];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_0_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_0_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 49];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_1_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_1_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 97];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_2_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_2_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_1 = v69;
					}
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 48);
					r_brow_4_0 = v65;
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 56);
					r_brow_4_1 = v65;
				}
				{
					const tn_f32_s v66 = held[144*i52 + 2];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_0_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_0_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 50];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_1_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_1_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 98];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_2_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_2_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_1 = v69;
					}
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 72);
					r_brow_4_0 = v65;
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 80);
					r_brow_4_1 = v65;
				}
				{
					const tn_f32_s v66 = held[144*i52 + 3];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_0_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_0_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 51];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_1_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_1_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 99];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_2_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_2_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_1 = v69;
					}
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 96);
					r_brow_4_0 = v65;
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 104);
					r_brow_4_1 = v65;
				}
				{
					const tn_f32_s v66 = held[144*i52 + 4];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_0_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_0_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 52];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_1_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_1_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 100];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_2_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_2_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_1 = v69;
					}
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 120);
					r_brow_4_0 = v65;
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 128);
					r_brow_4_1 = v65;
				}
				{
					const tn_f32_s v66 = held[144*i52 + 5];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_0_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_0_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 53];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_1_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_1_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 101];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_2_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_2_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_1 = v69;
					}
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 144);
					r_brow_4_0 = v65;
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 152);
					r_brow_4_1 = v65;
				}
				{
					const tn_f32_s v66 = held[144*i52 + 6];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_0_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_0_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 54];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_1_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_1_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 102];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_2_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_2_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_1 = v69;
					}
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 168);
					r_brow_4_0 = v65;
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 176);
					r_brow_4_1 = v65;
				}
				{
					const tn_f32_s v66 = held[144*i52 + 7];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_0_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_0_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 55];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_1_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_1_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 103];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_2_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_2_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_1 = v69;
					}
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 192);
					r_brow_4_0 = v65;
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 200);
					r_brow_4_1 = v65;
				}
				{
					const tn_f32_s v66 = held[144*i52 + 8];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_0_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_0_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 56];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_1_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_1_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 104];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_2_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_2_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_1 = v69;
					}
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 216);
					r_brow_4_0 = v65;
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 224);
					r_brow_4_1 = v65;
				}
				{
					const tn_f32_s v66 = held[144*i52 + 9];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_0_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_0_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 57];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_1_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_1_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 105];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_2_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_2_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_1 = v69;
					}
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 240);
					r_brow_4_0 = v65;
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 248);
					r_brow_4_1 = v65;
				}
				{
					const tn_f32_s v66 = held[144*i52 + 10];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_0_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_0_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 58];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_1_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_1_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 106];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_2_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_2_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_1 = v69;
					}
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 264);
					r_brow_4_0 = v65;
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 272);
					r_brow_4_1 = v65;
				}
				{
					const tn_f32_s v66 = held[144*i52 + 11];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_0_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_0_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 59];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_1_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_1_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 107];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_2_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_2_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_1 = v69;
					}
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 288);
					r_brow_4_0 = v65;
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 296);
					r_brow_4_1 = v65;
				}
				{
					const tn_f32_s v66 = held[144*i52 + 12];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_0_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_0_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 60];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_1_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_1_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 108];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_2_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_2_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_1 = v69;
					}
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 312);
					r_brow_4_0 = v65;
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 320);
					r_brow_4_1 = v65;
				}
				{
					const tn_f32_s v66 = held[144*i52 + 13];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_0_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_0_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 61];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_1_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_1_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 109];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_2_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_2_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_1 = v69;
					}
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 336);
					r_brow_4_0 = v65;
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 344);
					r_brow_4_1 = v65;
				}
				{
					const tn_f32_s v66 = held[144*i52 + 14];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_0_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_0_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 62];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_1_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_1_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 110];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_2_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_2_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_1 = v69;
					}
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 360);
					r_brow_4_0 = v65;
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 368);
					r_brow_4_1 = v65;
				}
				{
					const tn_f32_s v66 = held[144*i52 + 15];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_0_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_0_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 63];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_1_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_1_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 111];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_2_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_2_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_1 = v69;
					}
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 384);
					r_brow_4_0 = v65;
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 392);
					r_brow_4_1 = v65;
				}
				{
					const tn_f32_s v66 = held[144*i52 + 16];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_0_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_0_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 64];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_1_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_1_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 112];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_2_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_2_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_1 = v69;
					}
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 408);
					r_brow_4_0 = v65;
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 416);
					r_brow_4_1 = v65;
				}
				{
					const tn_f32_s v66 = held[144*i52 + 17];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_0_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_0_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 65];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_1_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_1_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 113];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_2_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_2_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_1 = v69;
					}
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 432);
					r_brow_4_0 = v65;
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 440);
					r_brow_4_1 = v65;
				}
				{
					const tn_f32_s v66 = held[144*i52 + 18];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_0_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_0_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 66];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_1_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_1_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 114];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_2_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_2_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_1 = v69;
					}
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 456);
					r_brow_4_0 = v65;
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 464);
					r_brow_4_1 = v65;
				}
				{
					const tn_f32_s v66 = held[144*i52 + 19];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_0_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_0_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 67];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_1_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_1_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 115];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_2_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_2_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_1 = v69;
					}
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 480);
					r_brow_4_0 = v65;
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 488);
					r_brow_4_1 = v65;
				}
				{
					const tn_f32_s v66 = held[144*i52 + 20];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_0_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_0_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 68];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_1_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_1_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 116];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_2_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_2_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_1 = v69;
					}
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 504);
					r_brow_4_0 = v65;
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 512);
					r_brow_4_1 = v65;
				}
				{
					const tn_f32_s v66 = held[144*i52 + 21];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_0_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_0_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 69];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_1_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_1_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 117];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_2_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_2_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_1 = v69;
					}
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 528);
					r_brow_4_0 = v65;
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 536);
					r_brow_4_1 = v65;
				}
				{
					const tn_f32_s v66 = held[144*i52 + 22];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_0_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_0_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 70];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_1_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_1_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 118];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_2_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_2_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_1 = v69;
					}
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 552);
					r_brow_4_0 = v65;
				}
				{
					const tn_f32_v8 v65 = tn_load_f32_v8(pack_b2 + 560);
					r_brow_4_1 = v65;
				}
				{
					const tn_f32_s v66 = held[144*i52 + 23];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_0_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_0_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_0_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 71];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_1_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_1_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_1_1 = v69;
					}
				}
				{
					const tn_f32_s v66 = held[144*i52 + 119];
					{
						const tn_f32_v8 v67 = r_brow_4_0;
						const tn_f32_v8 v68 = r_acc_4_2_0;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_0 = v69;
					}
					{
						const tn_f32_v8 v67 = r_brow_4_1;
						const tn_f32_v8 v68 = r_acc_4_2_1;
						const tn_f32_v8 v69 = tn_mac_f32_v8(tn_splat_f32_v8(v66), v67, v68);
						r_acc_4_2_1 = v69;
					}
				}
				{
					const tn_f32_v8 v70 = r_acc_4_0_0;
					/* %16 = matmul: line 5 */
					const tn_f16_v8 v71 = tn_round_f16_v8(v70);
					/* %4 b = input: line 3 */
					const tn_f16_v8 v72 = tn_load_f16_v8(b_b);
					/* %18 = add: line 5 */
					const tn_f16_v8 v73 = tn_add_f16_v8(v71, v72);
					tn_store_f16_v8(b18 + (1008*i6 + 48*i52), v73);
				}
				{
					const tn_f32_v8 v70 = r_acc_4_0_1;
					const tn_f16_v8 v71 = tn_round_f16_v8(v70);
					const tn_f16_v8 v72 = tn_load_f16_v8(b_b + 8);
					const tn_f16_v8 v73 = tn_add_f16_v8(v71, v72);
					tn_store_f16_v8(b18 + (1008*i6 + 48*i52 + 8), v73);
				}
				{
					const tn_f32_v8 v70 = r_acc_4_1_0;
					const tn_f16_v8 v71 = tn_round_f16_v8(v70);
					const tn_f16_v8 v72 = tn_load_f16_v8(b_b);
					const tn_f16_v8 v73 = tn_add_f16_v8(v71, v72);
					tn_store_f16_v8(b18 + (1008*i6 + 48*i52 + 16), v73);
				}
				{
					const tn_f32_v8 v70 = r_acc_4_1_1;
					const tn_f16_v8 v71 = tn_round_f16_v8(v70);
					const tn_f16_v8 v72 = tn_load_f16_v8(b_b + 8);
					const tn_f16_v8 v73 = tn_add_f16_v8(v71, v72);
					tn_store_f16_v8(b18 + (1008*i6 + 48*i52 + 24), v73);
				}
				{
					const tn_f32_v8 v70 = r_acc_4_2_0;
					const tn_f16_v8 v71 = tn_round_f16_v8(v70);
					const tn_f16_v8 v72 = tn_load_f16_v8(b_b);
					const tn_f16_v8 v73 = tn_add_f16_v8(v71, v72);
					tn_store_f16_v8(b18 + (1008*i6 + 48*i52 + 32), v73);
				}
				{
					const tn_f32_v8 v70 = r_acc_4_2_1;
					const tn_f16_v8 v71 = tn_round_f16_v8(v70);
					const tn_f16_v8 v72 = tn_load_f16_v8(b_b + 8);
					const tn_f16_v8 v73 = tn_add_f16_v8(v71, v72);
					tn_store_f16_v8(b18 + (1008*i6 + 48*i52 + 40), v73);
				}
			}
		}
		for (int64_t i61 = 0; i61 < 21*i6 + tn_min(171 - 21*i6, 21) - tn_min(21*i6 + tn_min(171 - 21*i6, 21), 170); i61++) {
			if (i61 + 170 - 21*i6 >= 0 && 21*i6 - i61 - 150 >= 0) {
				{
					const tn_f32_s v74 = 0x0p+0f;
					r_acc_5_0_0 = tn_splat_f32_v8(v74);
				}
				{
					const tn_f32_s v74 = 0x0p+0f;
					r_acc_5_0_1 = tn_splat_f32_v8(v74);
				}
				{
					const tn_f32_s v74 = 0x0p+0f;
					r_acc_5_1_0 = tn_splat_f32_v8(v74);
				}
				{
					const tn_f32_s v74 = 0x0p+0f;
					r_acc_5_1_1 = tn_splat_f32_v8(v74);
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2);
					r_brow_5_0 = v75;
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 8);
					r_brow_5_1 = v75;
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24480 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_0_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_0_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_1 = v79;
					}
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24528 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_1_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_1_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_1 = v79;
					}
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 24);
					r_brow_5_0 = v75;
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 32);
					r_brow_5_1 = v75;
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24481 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_0_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_0_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_1 = v79;
					}
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24529 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_1_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_1_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_1 = v79;
					}
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 48);
					r_brow_5_0 = v75;
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 56);
					r_brow_5_1 = v75;
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24482 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_0_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_0_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_1 = v79;
					}
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24530 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_1_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_1_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_1 = v79;
					}
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 72);
					r_brow_5_0 = v75;
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 80);
					r_brow_5_1 = v75;
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24483 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_0_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_0_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_1 = v79;
					}
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24531 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_1_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_1_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_1 = v79;
					}
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 96);
					r_brow_5_0 = v75;
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 104);
					r_brow_5_1 = v75;
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24484 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_0_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_0_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_1 = v79;
					}
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24532 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_1_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_1_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_1 = v79;
					}
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 120);
					r_brow_5_0 = v75;
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 128);
					r_brow_5_1 = v75;
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24485 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_0_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_0_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_1 = v79;
					}
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24533 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_1_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_1_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_1 = v79;
					}
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 144);
					r_brow_5_0 = v75;
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 152);
					r_brow_5_1 = v75;
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24486 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_0_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_0_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_1 = v79;
					}
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24534 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_1_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_1_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_1 = v79;
					}
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 168);
					r_brow_5_0 = v75;
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 176);
					r_brow_5_1 = v75;
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24487 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_0_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_0_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_1 = v79;
					}
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24535 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_1_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_1_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_1 = v79;
					}
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 192);
					r_brow_5_0 = v75;
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 200);
					r_brow_5_1 = v75;
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24488 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_0_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_0_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_1 = v79;
					}
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24536 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_1_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_1_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_1 = v79;
					}
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 216);
					r_brow_5_0 = v75;
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 224);
					r_brow_5_1 = v75;
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24489 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_0_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_0_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_1 = v79;
					}
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24537 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_1_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_1_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_1 = v79;
					}
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 240);
					r_brow_5_0 = v75;
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 248);
					r_brow_5_1 = v75;
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24490 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_0_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_0_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_1 = v79;
					}
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24538 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_1_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_1_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_1 = v79;
					}
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 264);
					r_brow_5_0 = v75;
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 272);
					r_brow_5_1 = v75;
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24491 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_0_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_0_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_1 = v79;
					}
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24539 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_1_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_1_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_1 = v79;
					}
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 288);
					r_brow_5_0 = v75;
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 296);
					r_brow_5_1 = v75;
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24492 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_0_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_0_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_1 = v79;
					}
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24540 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_1_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_1_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_1 = v79;
					}
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 312);
					r_brow_5_0 = v75;
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 320);
					r_brow_5_1 = v75;
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24493 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_0_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_0_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_1 = v79;
					}
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24541 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_1_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_1_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_1 = v79;
					}
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 336);
					r_brow_5_0 = v75;
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 344);
					r_brow_5_1 = v75;
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24494 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_0_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_0_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_1 = v79;
					}
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24542 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_1_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_1_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_1 = v79;
					}
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 360);
					r_brow_5_0 = v75;
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 368);
					r_brow_5_1 = v75;
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24495 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_0_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_0_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_1 = v79;
					}
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24543 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_1_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_1_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_1 = v79;
					}
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 384);
					r_brow_5_0 = v75;
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 392);
					r_brow_5_1 = v75;
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24496 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_0_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_0_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_1 = v79;
					}
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24544 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_1_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_1_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_1 = v79;
					}
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 408);
					r_brow_5_0 = v75;
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 416);
					r_brow_5_1 = v75;
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24497 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_0_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_0_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_1 = v79;
					}
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24545 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_1_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_1_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_1 = v79;
					}
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 432);
					r_brow_5_0 = v75;
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 440);
					r_brow_5_1 = v75;
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24498 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_0_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_0_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_1 = v79;
					}
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24546 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_1_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_1_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_1 = v79;
					}
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 456);
					r_brow_5_0 = v75;
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 464);
					r_brow_5_1 = v75;
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24499 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_0_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_0_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_1 = v79;
					}
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24547 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_1_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_1_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_1 = v79;
					}
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 480);
					r_brow_5_0 = v75;
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 488);
					r_brow_5_1 = v75;
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24500 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_0_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_0_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_1 = v79;
					}
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24548 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_1_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_1_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_1 = v79;
					}
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 504);
					r_brow_5_0 = v75;
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 512);
					r_brow_5_1 = v75;
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24501 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_0_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_0_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_1 = v79;
					}
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24549 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_1_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_1_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_1 = v79;
					}
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 528);
					r_brow_5_0 = v75;
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 536);
					r_brow_5_1 = v75;
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24502 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_0_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_0_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_1 = v79;
					}
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24550 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_1_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_1_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_1 = v79;
					}
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 552);
					r_brow_5_0 = v75;
				}
				{
					const tn_f32_v8 v75 = tn_load_f32_v8(pack_b2 + 560);
					r_brow_5_1 = v75;
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24503 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_0_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_0_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_0_1 = v79;
					}
				}
				{
					const tn_f32_s v76 = held[144*i61 + 24551 - 3024*i6];
					{
						const tn_f32_v8 v77 = r_brow_5_0;
						const tn_f32_v8 v78 = r_acc_5_1_0;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_0 = v79;
					}
					{
						const tn_f32_v8 v77 = r_brow_5_1;
						const tn_f32_v8 v78 = r_acc_5_1_1;
						const tn_f32_v8 v79 = tn_mac_f32_v8(tn_splat_f32_v8(v76), v77, v78);
						r_acc_5_1_1 = v79;
					}
				}
				{
					const tn_f32_v8 v80 = r_acc_5_0_0;
					/* %16 = matmul: line 5 */
					const tn_f16_v8 v81 = tn_round_f16_v8(v80);
					/* %4 b = input: line 3 */
					const tn_f16_v8 v82 = tn_load_f16_v8(b_b);
					/* %18 = add: line 5 */
					const tn_f16_v8 v83 = tn_add_f16_v8(v81, v82);
					tn_store_f16_v8(b18 + (48*i61 + 8160), v83);
				}
				{
					const tn_f32_v8 v80 = r_acc_5_0_1;
					const tn_f16_v8 v81 = tn_round_f16_v8(v80);
					const tn_f16_v8 v82 = tn_load_f16_v8(b_b + 8);
					const tn_f16_v8 v83 = tn_add_f16_v8(v81, v82);
					tn_store_f16_v8(b18 + (48*i61 + 8168), v83);
				}
				{
					const tn_f32_v8 v80 = r_acc_5_1_0;
					const tn_f16_v8 v81 = tn_round_f16_v8(v80);
					const tn_f16_v8 v82 = tn_load_f16_v8(b_b);
					const tn_f16_v8 v83 = tn_add_f16_v8(v81, v82);
					tn_store_f16_v8(b18 + (48*i61 + 8176), v83);
				}
				{
					const tn_f32_v8 v80 = r_acc_5_1_1;
					const tn_f16_v8 v81 = tn_round_f16_v8(v80);
					const tn_f16_v8 v82 = tn_load_f16_v8(b_b + 8);
					const tn_f16_v8 v83 = tn_add_f16_v8(v81, v82);
					tn_store_f16_v8(b18 + (48*i61 + 8184), v83);
				}
			}
		}
	}
}
#endif
