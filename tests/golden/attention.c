/*
 * k0: region 0 of attend, by attention rows=32 queries=16 lanes=8 keys=6 columns=6 block=48 copy_k=1 copy_v=1 ahead=1
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
typedef float tn_f32_v8 __attribute__((vector_size(32)));
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
typedef float tn_f16_s;
TN_INLINE tn_f16_v8 tn_splat_f16_v8(tn_f16_s a)
{
	return (tn_f16_v8){a, a, a, a, a, a, a, a};
}
TN_INLINE tn_f32_v8 tn_cast_f16_f32_v8(tn_f16_v8 a)
{
	return a;
}
TN_INLINE tn_f32_v8 tn_ziplo_f32_v8(tn_f32_v8 a, tn_f32_v8 b)
{
	return __builtin_shufflevector(a, b, 0, 8 + 0, 1, 8 + 1, 2, 8 + 2, 3, 8 + 3);
}
TN_INLINE tn_f32_v8 tn_ziphi_f32_v8(tn_f32_v8 a, tn_f32_v8 b)
{
	return __builtin_shufflevector(a, b, 4, 8 + 4, 5, 8 + 5, 6, 8 + 6, 7, 8 + 7);
}
typedef float tn_f32_v8u __attribute__((vector_size(32), aligned(1), may_alias));
TN_INLINE void tn_store_f32_v8(void *a, tn_f32_v8 b)
{
	*(tn_f32_v8u *)a = b;
}
typedef float tn_f32_s;
TN_INLINE tn_f32_v8 tn_splat_f32_v8(tn_f32_s a)
{
	return (tn_f32_v8){a, a, a, a, a, a, a, a};
}
TN_INLINE int64_t tn_min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}
TN_INLINE int64_t tn_div(int64_t a, int64_t b)
{
	if (b == 0)
		return 0;
	return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}
TN_INLINE void tn_ahead(const void *a)
{
	__builtin_prefetch(a, 0, 2);
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
#ifdef __AVX512DQ__
	tn_f32_v8 r = __builtin_ia32_rangeps256_mask(a, b, 5, a, -1);
	uint8_t n = (uint8_t)__builtin_ia32_cmpps256_mask(a, b, 3, -1);

#ifdef __clang__
	return __builtin_ia32_selectps_256(n, (tn_f32_v8)~(tn_u32_v8){0}, r);
#else
	return __builtin_ia32_blendmps_256_mask(r, (tn_f32_v8)~(tn_u32_v8){0}, n);
#endif
#else
	tn_u32_v8 nan = (tn_u32_v8)(a != a) | (tn_u32_v8)(b != b);

	return (tn_f32_v8)(((tn_u32_v8)tn_above_f32_v8(a, b) &
		      (tn_u32_v8)tn_above_f32_v8(b, a)) | nan);
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
TN_INLINE tn_f16_v8 tn_cast_f32_f16_v8(tn_f32_v8 a)
{
	return tn_round_f16_v8(a);
}
TN_INLINE tn_f32_v8 tn_div_f32_v8(tn_f32_v8 a, tn_f32_v8 b)
{
	return a / b;
}
TN_INLINE tn_f16_v8 tn_ziplo_f16_v8(tn_f16_v8 a, tn_f16_v8 b)
{
	return __builtin_shufflevector(a, b, 0, 8 + 0, 1, 8 + 1, 2, 8 + 2, 3, 8 + 3);
}
TN_INLINE tn_f16_v8 tn_ziphi_f16_v8(tn_f16_v8 a, tn_f16_v8 b)
{
	return __builtin_shufflevector(a, b, 4, 8 + 4, 5, 8 + 5, 6, 8 + 6, 7, 8 + 7);
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
TN_INLINE uint64_t tn_lanes(int64_t a)
{
	return a < 1 ? 0 : a > 63 ? ~0ull : (1ull << a) - 1;
}
typedef float tn_f32_su __attribute__((aligned(1), may_alias));
TN_INLINE tn_f32_v8 tn_loadn_f32_v8(const void *a, int64_t b)
{
#ifdef __AVX512VL__
	return (tn_f32_v8)__builtin_ia32_loadups256_mask(
		a, (tn_f32_v8){0}, (uint8_t)tn_lanes(b));
#else
	tn_f32_v8 r = {0};

	for (int64_t i = 0; i < b && i < 8; i++)
		r[i] = ((const tn_f32_su *)a)[i];
	return r;
#endif
}
TN_APART void tn_turn_f16_v8(void *a)
{
	tn_f16_v8 other[8], *from = a, *to = other;

	for (int bit = 1; bit < 8; bit *= 2) {
		tn_f16_v8 *last = from;

		for (int i = 0; i < 4; i++) {
			to[2 * i] = tn_ziplo_f16_v8(from[i], from[i + 4]);
			to[2 * i + 1] = tn_ziphi_f16_v8(from[i], from[i + 4]);
		}
		from = to;
		to = last;
	}
	for (int i = 0; from == other && i < 8; i++)
		to[i] = from[i];
}

#define TN_EXPORT __attribute__((visibility("default")))
#define TN_REG __attribute__((unused))

TN_EXPORT void k0_main(const TnArgs *args, int worker, int workers,
		TnStatus *st)
{
	const int64_t d_H = args->dims[0];
	const int64_t d_L = args->dims[1];
	const int64_t d_S = args->dims[2];
	const int64_t c0 = (d_S + 5)/6;
	const int64_t c1 = (d_L + 31)/32;
	char *const scratch = args->scratch + worker * args->scratch_stride;
	float *const held = (float *)(scratch + 0);
	float *const query = (float *)(scratch + (768*c0));
	float *const raw = (float *)(scratch + (768*c0 + 8192));
	float *const weights = (float *)(scratch + (768*c0 + 8960));
	float *const out = (float *)(scratch + (768*c0 + 15104));
	float *const k_copy = (float *)(scratch + (768*c0 + 23552));
	float *const v_copy = (float *)(scratch + (768*c0 + 25088));
	float *const poison = (float *)(scratch + (768*c0 + 37760LL));
	const uint16_t *const b_q = args->buffers[0];
	const uint16_t *const b_k = args->buffers[1];
	float *const kept = (float *)(scratch + (768*c0 + 38016LL));
	const uint16_t *const b_v = args->buffers[2];
	float *const kept_1 = (float *)(scratch + (768*c0 + 38144LL));
	uint16_t *const b26 = args->buffers[3];
	const int64_t tasks = d_H*c1;
	int done = 0;
	int64_t t = -1;

	(void)st;
	while ((t = tn_task(args, worker, workers, tasks, t, &done)) <
	       tasks) {
		const int64_t i0 = t / c1;
		const int64_t i1 = t % c1;
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
		for (int64_t i2 = 0; i2 < 4; i2++) {
			{
				int64_t i3 = 0;
				for (; i3 <= 56; i3 += 8) {
					tn_f32_v8 t0_0[8];
					for (int64_t i4 = 0; i4 < 8; i4++) {
						/* %0 q = input: line 8 */
						const tn_f16_v8 v0 = d_L - 32*i1 - 8*i2 - i4 - 1 >= 0 ? tn_load_f16_v8(b_q + (64*d_L*i0 + 2048*i1 + 512*i2 + i3 + 64*i4)) : tn_splat_f16_v8(0);
						const tn_f32_v8 v1 = tn_cast_f16_f32_v8(v0);
						t0_0[i4] = v1;
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
					tn_store_f32_v8(query + (8*i2 + 32*i3), t0_3_0);
					tn_store_f32_v8(query + (8*i2 + 32*i3 + 32), t0_3_1);
					tn_store_f32_v8(query + (8*i2 + 32*i3 + 64), t0_3_2);
					tn_store_f32_v8(query + (8*i2 + 32*i3 + 96), t0_3_3);
					tn_store_f32_v8(query + (8*i2 + 32*i3 + 128), t0_3_4);
					tn_store_f32_v8(query + (8*i2 + 32*i3 + 160), t0_3_5);
					tn_store_f32_v8(query + (8*i2 + 32*i3 + 192), t0_3_6);
					tn_store_f32_v8(query + (8*i2 + 32*i3 + 224), t0_3_7);
				}
			}
		}
		for (int64_t i5 = 0; i5 < 66; i5++) {
			{
				const tn_f32_s v2 = 0x0p+0f;
				tn_store_f32_v8(out + (32*i5), tn_splat_f32_v8(v2));
			}
			{
				const tn_f32_s v2 = 0x0p+0f;
				tn_store_f32_v8(out + (32*i5 + 8), tn_splat_f32_v8(v2));
			}
			{
				const tn_f32_s v2 = 0x0p+0f;
				tn_store_f32_v8(out + (32*i5 + 16), tn_splat_f32_v8(v2));
			}
			{
				const tn_f32_s v2 = 0x0p+0f;
				tn_store_f32_v8(out + (32*i5 + 24), tn_splat_f32_v8(v2));
			}
		}
		{
			const tn_f32_s v3 = -__builtin_inff();
			r_fold_0 = tn_splat_f32_v8(v3);
		}
		{
			const tn_f32_s v3 = -__builtin_inff();
			r_fold_1 = tn_splat_f32_v8(v3);
		}
		{
			const tn_f32_s v3 = -__builtin_inff();
			r_fold_2 = tn_splat_f32_v8(v3);
		}
		{
			const tn_f32_s v3 = -__builtin_inff();
			r_fold_3 = tn_splat_f32_v8(v3);
		}
		for (int64_t i8 = 0; i8 < tn_min(c0, (16*i1)/3 + 6); i8++) {
			for (int64_t i9 = 0; i9 < tn_min(d_S - 6*i8, 6); i9++) {
				{
					int64_t i10 = 0;
					for (; i10 <= 56; i10 += 8) {
						/* %1 k = input: line 8 */
						const tn_f16_v8 v4 = tn_load_f16_v8(b_k + (64*d_S*i0 + 384*i8 + 64*i9 + i10));
						const tn_f32_v8 v5 = tn_cast_f16_f32_v8(v4);
						tn_store_f32_v8(k_copy + (64*i9 + i10), v5);
					}
				}
			}
			for (int64_t i11 = 0; i11 < 6; i11++) {
				{
					tn_ahead(b_k + (64*d_S*i0 + 384*i8 + 64*i11 + 384));
				}
				{
					tn_ahead(b_k + (64*d_S*i0 + 384*i8 + 64*i11 + 416));
				}
			}
			for (int64_t i13 = 0; i13 < tn_div(tn_min(d_L - 32*i1, 32) + 15, 16); i13++) {
				{
					const tn_f32_s v6 = 0x0p+0f;
					r_acc_0_0 = tn_splat_f32_v8(v6);
				}
				{
					const tn_f32_s v6 = 0x0p+0f;
					r_acc_0_1 = tn_splat_f32_v8(v6);
				}
				{
					const tn_f32_s v6 = 0x0p+0f;
					r_acc_1_0 = tn_splat_f32_v8(v6);
				}
				{
					const tn_f32_s v6 = 0x0p+0f;
					r_acc_1_1 = tn_splat_f32_v8(v6);
				}
				{
					const tn_f32_s v6 = 0x0p+0f;
					r_acc_2_0 = tn_splat_f32_v8(v6);
				}
				{
					const tn_f32_s v6 = 0x0p+0f;
					r_acc_2_1 = tn_splat_f32_v8(v6);
				}
				{
					const tn_f32_s v6 = 0x0p+0f;
					r_acc_3_0 = tn_splat_f32_v8(v6);
				}
				{
					const tn_f32_s v6 = 0x0p+0f;
					r_acc_3_1 = tn_splat_f32_v8(v6);
				}
				{
					const tn_f32_s v6 = 0x0p+0f;
					r_acc_4_0 = tn_splat_f32_v8(v6);
				}
				{
					const tn_f32_s v6 = 0x0p+0f;
					r_acc_4_1 = tn_splat_f32_v8(v6);
				}
				{
					const tn_f32_s v6 = 0x0p+0f;
					r_acc_5_0 = tn_splat_f32_v8(v6);
				}
				{
					const tn_f32_s v6 = 0x0p+0f;
					r_acc_5_1 = tn_splat_f32_v8(v6);
				}
				for (int64_t i16 = 0; i16 < 64; i16++) {
					{
						const tn_f32_v8 v7 = tn_load_f32_v8(query + (16*i13 + 32*i16));
						r_right_0 = v7;
					}
					{
						const tn_f32_v8 v7 = tn_load_f32_v8(query + (16*i13 + 32*i16 + 8));
						r_right_1 = v7;
					}
					{
						const tn_f32_s v8 = k_copy[i16];
						{
							const tn_f32_v8 v9 = r_right_0;
							const tn_f32_v8 v10 = r_acc_0_0;
							const tn_f32_v8 v11 = tn_mac_f32_v8(tn_splat_f32_v8(v8), v9, v10);
							r_acc_0_0 = v11;
						}
						{
							const tn_f32_v8 v9 = r_right_1;
							const tn_f32_v8 v10 = r_acc_0_1;
							const tn_f32_v8 v11 = tn_mac_f32_v8(tn_splat_f32_v8(v8), v9, v10);
							r_acc_0_1 = v11;
						}
					}
					{
						const tn_f32_s v8 = k_copy[i16 + 64];
						{
							const tn_f32_v8 v9 = r_right_0;
							const tn_f32_v8 v10 = r_acc_1_0;
							const tn_f32_v8 v11 = tn_mac_f32_v8(tn_splat_f32_v8(v8), v9, v10);
							r_acc_1_0 = v11;
						}
						{
							const tn_f32_v8 v9 = r_right_1;
							const tn_f32_v8 v10 = r_acc_1_1;
							const tn_f32_v8 v11 = tn_mac_f32_v8(tn_splat_f32_v8(v8), v9, v10);
							r_acc_1_1 = v11;
						}
					}
					{
						const tn_f32_s v8 = k_copy[i16 + 128];
						{
							const tn_f32_v8 v9 = r_right_0;
							const tn_f32_v8 v10 = r_acc_2_0;
							const tn_f32_v8 v11 = tn_mac_f32_v8(tn_splat_f32_v8(v8), v9, v10);
							r_acc_2_0 = v11;
						}
						{
							const tn_f32_v8 v9 = r_right_1;
							const tn_f32_v8 v10 = r_acc_2_1;
							const tn_f32_v8 v11 = tn_mac_f32_v8(tn_splat_f32_v8(v8), v9, v10);
							r_acc_2_1 = v11;
						}
					}
					{
						const tn_f32_s v8 = k_copy[i16 + 192];
						{
							const tn_f32_v8 v9 = r_right_0;
							const tn_f32_v8 v10 = r_acc_3_0;
							const tn_f32_v8 v11 = tn_mac_f32_v8(tn_splat_f32_v8(v8), v9, v10);
							r_acc_3_0 = v11;
						}
						{
							const tn_f32_v8 v9 = r_right_1;
							const tn_f32_v8 v10 = r_acc_3_1;
							const tn_f32_v8 v11 = tn_mac_f32_v8(tn_splat_f32_v8(v8), v9, v10);
							r_acc_3_1 = v11;
						}
					}
					{
						const tn_f32_s v8 = k_copy[i16 + 256];
						{
							const tn_f32_v8 v9 = r_right_0;
							const tn_f32_v8 v10 = r_acc_4_0;
							const tn_f32_v8 v11 = tn_mac_f32_v8(tn_splat_f32_v8(v8), v9, v10);
							r_acc_4_0 = v11;
						}
						{
							const tn_f32_v8 v9 = r_right_1;
							const tn_f32_v8 v10 = r_acc_4_1;
							const tn_f32_v8 v11 = tn_mac_f32_v8(tn_splat_f32_v8(v8), v9, v10);
							r_acc_4_1 = v11;
						}
					}
					{
						const tn_f32_s v8 = k_copy[i16 + 320];
						{
							const tn_f32_v8 v9 = r_right_0;
							const tn_f32_v8 v10 = r_acc_5_0;
							const tn_f32_v8 v11 = tn_mac_f32_v8(tn_splat_f32_v8(v8), v9, v10);
							r_acc_5_0 = v11;
						}
						{
							const tn_f32_v8 v9 = r_right_1;
							const tn_f32_v8 v10 = r_acc_5_1;
							const tn_f32_v8 v11 = tn_mac_f32_v8(tn_splat_f32_v8(v8), v9, v10);
							r_acc_5_1 = v11;
						}
					}
				}
				{
					const tn_f32_v8 v12 = r_acc_0_0;
					tn_store_f32_v8(raw + (16*i13), v12);
				}
				{
					const tn_f32_v8 v12 = r_acc_0_1;
					tn_store_f32_v8(raw + (16*i13 + 8), v12);
				}
				{
					const tn_f32_v8 v12 = r_acc_1_0;
					tn_store_f32_v8(raw + (16*i13 + 32), v12);
				}
				{
					const tn_f32_v8 v12 = r_acc_1_1;
					tn_store_f32_v8(raw + (16*i13 + 40), v12);
				}
				{
					const tn_f32_v8 v12 = r_acc_2_0;
					tn_store_f32_v8(raw + (16*i13 + 64), v12);
				}
				{
					const tn_f32_v8 v12 = r_acc_2_1;
					tn_store_f32_v8(raw + (16*i13 + 72), v12);
				}
				{
					const tn_f32_v8 v12 = r_acc_3_0;
					tn_store_f32_v8(raw + (16*i13 + 96), v12);
				}
				{
					const tn_f32_v8 v12 = r_acc_3_1;
					tn_store_f32_v8(raw + (16*i13 + 104), v12);
				}
				{
					const tn_f32_v8 v12 = r_acc_4_0;
					tn_store_f32_v8(raw + (16*i13 + 128), v12);
				}
				{
					const tn_f32_v8 v12 = r_acc_4_1;
					tn_store_f32_v8(raw + (16*i13 + 136), v12);
				}
				{
					const tn_f32_v8 v12 = r_acc_5_0;
					tn_store_f32_v8(raw + (16*i13 + 160), v12);
				}
				{
					const tn_f32_v8 v12 = r_acc_5_1;
					tn_store_f32_v8(raw + (16*i13 + 168), v12);
				}
			}
			for (int64_t i22 = 0; i22 < tn_min(d_S - 6*i8, 6); i22++) {
				{
					const tn_f32_v8 v13 = tn_load_f32_v8(raw + (32*i22));
					/* %4 = matmul: line 9 */
					const tn_f32_v8 v14 = v13;
					/* %12 = le: line 9 */
					const tn_bool_v8 v15 = tn_ge_i32_v8(tn_splat_i32_v8((int32_t)tn_max(tn_min(32*i1 - 6*i8 - i22, 8), -8)), tn_iota_i32_v8(0) * -1);
					/* %5 = const: line 9 */
					const tn_f32_s v16 = 0x1p-3f;
					/* %7 = mul: line 9 */
					const tn_f32_v8 v17 = v14 * tn_splat_f32_v8(v16);
					/* %13 = const: line 9 */
					const tn_f32_s v18 = -__builtin_inff();
					/* %16 = where: line 9 */
					const tn_f32_v8 v19 = tn_where_f32_v8(v15, v17, tn_splat_f32_v8(v18));
					const tn_f32_v8 v20 = r_fold_0;
					const tn_f32_v8 v21 = tn_maximum_f32_v8(v20, v19);
					r_fold_0 = v21;
					tn_store_f32_v8(held + (192*i8 + 32*i22), v19);
				}
				{
					const tn_f32_v8 v13 = tn_load_f32_v8(raw + (32*i22 + 8));
					const tn_f32_v8 v14 = v13;
					const tn_bool_v8 v15 = tn_ge_i32_v8(tn_splat_i32_v8((int32_t)tn_max(tn_min(32*i1 + 8 - 6*i8 - i22, 8), -8)), tn_iota_i32_v8(0) * -1);
					const tn_f32_s v16 = 0x1p-3f;
					const tn_f32_v8 v17 = v14 * tn_splat_f32_v8(v16);
					const tn_f32_s v18 = -__builtin_inff();
					const tn_f32_v8 v19 = tn_where_f32_v8(v15, v17, tn_splat_f32_v8(v18));
					const tn_f32_v8 v20 = r_fold_1;
					const tn_f32_v8 v21 = tn_maximum_f32_v8(v20, v19);
					r_fold_1 = v21;
					tn_store_f32_v8(held + (192*i8 + 32*i22 + 8), v19);
				}
				{
					const tn_f32_v8 v13 = tn_load_f32_v8(raw + (32*i22 + 16));
					const tn_f32_v8 v14 = v13;
					const tn_bool_v8 v15 = tn_ge_i32_v8(tn_splat_i32_v8((int32_t)tn_max(tn_min(32*i1 + 16 - 6*i8 - i22, 8), -8)), tn_iota_i32_v8(0) * -1);
					const tn_f32_s v16 = 0x1p-3f;
					const tn_f32_v8 v17 = v14 * tn_splat_f32_v8(v16);
					const tn_f32_s v18 = -__builtin_inff();
					const tn_f32_v8 v19 = tn_where_f32_v8(v15, v17, tn_splat_f32_v8(v18));
					const tn_f32_v8 v20 = r_fold_2;
					const tn_f32_v8 v21 = tn_maximum_f32_v8(v20, v19);
					r_fold_2 = v21;
					tn_store_f32_v8(held + (192*i8 + 32*i22 + 16), v19);
				}
				{
					const tn_f32_v8 v13 = tn_load_f32_v8(raw + (32*i22 + 24));
					const tn_f32_v8 v14 = v13;
					const tn_bool_v8 v15 = tn_ge_i32_v8(tn_splat_i32_v8((int32_t)tn_max(tn_min(32*i1 + 24 - 6*i8 - i22, 8), -8)), tn_iota_i32_v8(0) * -1);
					const tn_f32_s v16 = 0x1p-3f;
					const tn_f32_v8 v17 = v14 * tn_splat_f32_v8(v16);
					const tn_f32_s v18 = -__builtin_inff();
					const tn_f32_v8 v19 = tn_where_f32_v8(v15, v17, tn_splat_f32_v8(v18));
					const tn_f32_v8 v20 = r_fold_3;
					const tn_f32_v8 v21 = tn_maximum_f32_v8(v20, v19);
					r_fold_3 = v21;
					tn_store_f32_v8(held + (192*i8 + 32*i22 + 24), v19);
				}
			}
		}
		{
			const tn_f32_v8 v22 = r_fold_0;
			/* %17 = max: line 9 */
			const tn_f32_v8 v23 = v22;
			tn_store_f32_v8(kept, v23);
		}
		{
			const tn_f32_v8 v22 = r_fold_1;
			const tn_f32_v8 v23 = v22;
			tn_store_f32_v8(kept + 8, v23);
		}
		{
			const tn_f32_v8 v22 = r_fold_2;
			const tn_f32_v8 v23 = v22;
			tn_store_f32_v8(kept + 16, v23);
		}
		{
			const tn_f32_v8 v22 = r_fold_3;
			const tn_f32_v8 v23 = v22;
			tn_store_f32_v8(kept + 24, v23);
		}
		{
			const tn_f32_s v24 = 0x0p+0f;
			r_fold_1_0 = tn_splat_f32_v8(v24);
		}
		{
			const tn_f32_s v24 = 0x0p+0f;
			r_fold_1_1 = tn_splat_f32_v8(v24);
		}
		{
			const tn_f32_s v24 = 0x0p+0f;
			r_fold_1_2 = tn_splat_f32_v8(v24);
		}
		{
			const tn_f32_s v24 = 0x0p+0f;
			r_fold_1_3 = tn_splat_f32_v8(v24);
		}
		for (int64_t i26 = 0; i26 < (tn_min(d_S, 6*tn_min(c0, (16*i1)/3 + 6)) + 47)/48; i26++) {
			for (int64_t i27 = 0; i27 < tn_min(tn_min(d_S, 6*tn_min(c0, (16*i1)/3 + 6)) - 48*i26, 48); i27++) {
				{
					int64_t i28 = 0;
					for (; i28 <= 56; i28 += 8) {
						/* %2 v = input: line 8 */
						const tn_f16_v8 v25 = tn_load_f16_v8(b_v + (64*d_S*i0 + 3072*i26 + 64*i27 + i28));
						const tn_f32_v8 v26 = tn_cast_f16_f32_v8(v25);
						tn_store_f32_v8(v_copy + (66*i27 + i28), v26);
					}
				}
				{
					tn_ahead(b_v + (64*d_S*i0 + 3072*i26 + 64*i27 + 3072));
				}
				{
					tn_ahead(b_v + (64*d_S*i0 + 3072*i26 + 64*i27 + 3104));
				}
				{
					const tn_f32_v8 v27 = tn_load_f32_v8(kept);
					const tn_f32_v8 v28 = tn_load_f32_v8(held + (1536*i26 + 32*i27));
					/* %19 = sub: line 9 */
					const tn_f32_v8 v29 = v28 - v27;
					/* %20 = exp: line 9 */
					const tn_f32_v8 v30 = tn_exp_f32_v8(v29);
					const tn_f32_v8 v31 = r_fold_1_0;
					const tn_f32_v8 v32 = v31 + v30;
					r_fold_1_0 = v32;
					/* %21 = cast: line 9 */
					const tn_f16_v8 v33 = tn_cast_f32_f16_v8(v30);
					const tn_f32_v8 v34 = tn_cast_f16_f32_v8(v33);
					tn_store_f32_v8(weights + (32*i27), v34);
				}
				{
					const tn_f32_v8 v27 = tn_load_f32_v8(kept + 8);
					const tn_f32_v8 v28 = tn_load_f32_v8(held + (1536*i26 + 32*i27 + 8));
					const tn_f32_v8 v29 = v28 - v27;
					const tn_f32_v8 v30 = tn_exp_f32_v8(v29);
					const tn_f32_v8 v31 = r_fold_1_1;
					const tn_f32_v8 v32 = v31 + v30;
					r_fold_1_1 = v32;
					const tn_f16_v8 v33 = tn_cast_f32_f16_v8(v30);
					const tn_f32_v8 v34 = tn_cast_f16_f32_v8(v33);
					tn_store_f32_v8(weights + (32*i27 + 8), v34);
				}
				{
					const tn_f32_v8 v27 = tn_load_f32_v8(kept + 16);
					const tn_f32_v8 v28 = tn_load_f32_v8(held + (1536*i26 + 32*i27 + 16));
					const tn_f32_v8 v29 = v28 - v27;
					const tn_f32_v8 v30 = tn_exp_f32_v8(v29);
					const tn_f32_v8 v31 = r_fold_1_2;
					const tn_f32_v8 v32 = v31 + v30;
					r_fold_1_2 = v32;
					const tn_f16_v8 v33 = tn_cast_f32_f16_v8(v30);
					const tn_f32_v8 v34 = tn_cast_f16_f32_v8(v33);
					tn_store_f32_v8(weights + (32*i27 + 16), v34);
				}
				{
					const tn_f32_v8 v27 = tn_load_f32_v8(kept + 24);
					const tn_f32_v8 v28 = tn_load_f32_v8(held + (1536*i26 + 32*i27 + 24));
					const tn_f32_v8 v29 = v28 - v27;
					const tn_f32_v8 v30 = tn_exp_f32_v8(v29);
					const tn_f32_v8 v31 = r_fold_1_3;
					const tn_f32_v8 v32 = v31 + v30;
					r_fold_1_3 = v32;
					const tn_f16_v8 v33 = tn_cast_f32_f16_v8(v30);
					const tn_f32_v8 v34 = tn_cast_f16_f32_v8(v33);
					tn_store_f32_v8(weights + (32*i27 + 24), v34);
				}
			}
			for (int64_t i31 = 0; i31 < 11; i31++) {
				for (int64_t i32 = 0; i32 < tn_div(tn_min(d_L - 32*i1, 32) + 15, 16); i32++) {
					{
						const tn_f32_v8 v35 = tn_load_f32_v8(out + (192*i31 + 16*i32));
						r_acc_1_0_0 = v35;
					}
					{
						const tn_f32_v8 v35 = tn_load_f32_v8(out + (192*i31 + 16*i32 + 8));
						r_acc_1_0_1 = v35;
					}
					{
						const tn_f32_v8 v35 = tn_load_f32_v8(out + (192*i31 + 16*i32 + 32));
						r_acc_1_1_0 = v35;
					}
					{
						const tn_f32_v8 v35 = tn_load_f32_v8(out + (192*i31 + 16*i32 + 40));
						r_acc_1_1_1 = v35;
					}
					{
						const tn_f32_v8 v35 = tn_load_f32_v8(out + (192*i31 + 16*i32 + 64));
						r_acc_1_2_0 = v35;
					}
					{
						const tn_f32_v8 v35 = tn_load_f32_v8(out + (192*i31 + 16*i32 + 72));
						r_acc_1_2_1 = v35;
					}
					{
						const tn_f32_v8 v35 = tn_load_f32_v8(out + (192*i31 + 16*i32 + 96));
						r_acc_1_3_0 = v35;
					}
					{
						const tn_f32_v8 v35 = tn_load_f32_v8(out + (192*i31 + 16*i32 + 104));
						r_acc_1_3_1 = v35;
					}
					{
						const tn_f32_v8 v35 = tn_load_f32_v8(out + (192*i31 + 16*i32 + 128));
						r_acc_1_4_0 = v35;
					}
					{
						const tn_f32_v8 v35 = tn_load_f32_v8(out + (192*i31 + 16*i32 + 136));
						r_acc_1_4_1 = v35;
					}
					{
						const tn_f32_v8 v35 = tn_load_f32_v8(out + (192*i31 + 16*i32 + 160));
						r_acc_1_5_0 = v35;
					}
					{
						const tn_f32_v8 v35 = tn_load_f32_v8(out + (192*i31 + 16*i32 + 168));
						r_acc_1_5_1 = v35;
					}
					for (int64_t i35 = 0; i35 < tn_min(tn_min(d_S, 6*tn_min(c0, (16*i1)/3 + 6)) - 48*i26, 48); i35++) {
						{
							const tn_f32_v8 v36 = tn_load_f32_v8(weights + (16*i32 + 32*i35));
							r_right_1_0 = v36;
						}
						{
							const tn_f32_v8 v36 = tn_load_f32_v8(weights + (16*i32 + 32*i35 + 8));
							r_right_1_1 = v36;
						}
						{
							const tn_f32_s v37 = v_copy[6*i31 + 66*i35];
							{
								const tn_f32_v8 v38 = r_right_1_0;
								const tn_f32_v8 v39 = r_acc_1_0_0;
								const tn_f32_v8 v40 = tn_mac_f32_v8(tn_splat_f32_v8(v37), v38, v39);
								r_acc_1_0_0 = v40;
							}
							{
								const tn_f32_v8 v38 = r_right_1_1;
								const tn_f32_v8 v39 = r_acc_1_0_1;
								const tn_f32_v8 v40 = tn_mac_f32_v8(tn_splat_f32_v8(v37), v38, v39);
								r_acc_1_0_1 = v40;
							}
						}
						{
							const tn_f32_s v37 = v_copy[6*i31 + 66*i35 + 1];
							{
								const tn_f32_v8 v38 = r_right_1_0;
								const tn_f32_v8 v39 = r_acc_1_1_0;
								const tn_f32_v8 v40 = tn_mac_f32_v8(tn_splat_f32_v8(v37), v38, v39);
								r_acc_1_1_0 = v40;
							}
							{
								const tn_f32_v8 v38 = r_right_1_1;
								const tn_f32_v8 v39 = r_acc_1_1_1;
								const tn_f32_v8 v40 = tn_mac_f32_v8(tn_splat_f32_v8(v37), v38, v39);
								r_acc_1_1_1 = v40;
							}
						}
						{
							const tn_f32_s v37 = v_copy[6*i31 + 66*i35 + 2];
							{
								const tn_f32_v8 v38 = r_right_1_0;
								const tn_f32_v8 v39 = r_acc_1_2_0;
								const tn_f32_v8 v40 = tn_mac_f32_v8(tn_splat_f32_v8(v37), v38, v39);
								r_acc_1_2_0 = v40;
							}
							{
								const tn_f32_v8 v38 = r_right_1_1;
								const tn_f32_v8 v39 = r_acc_1_2_1;
								const tn_f32_v8 v40 = tn_mac_f32_v8(tn_splat_f32_v8(v37), v38, v39);
								r_acc_1_2_1 = v40;
							}
						}
						{
							const tn_f32_s v37 = v_copy[6*i31 + 66*i35 + 3];
							{
								const tn_f32_v8 v38 = r_right_1_0;
								const tn_f32_v8 v39 = r_acc_1_3_0;
								const tn_f32_v8 v40 = tn_mac_f32_v8(tn_splat_f32_v8(v37), v38, v39);
								r_acc_1_3_0 = v40;
							}
							{
								const tn_f32_v8 v38 = r_right_1_1;
								const tn_f32_v8 v39 = r_acc_1_3_1;
								const tn_f32_v8 v40 = tn_mac_f32_v8(tn_splat_f32_v8(v37), v38, v39);
								r_acc_1_3_1 = v40;
							}
						}
						{
							const tn_f32_s v37 = v_copy[6*i31 + 66*i35 + 4];
							{
								const tn_f32_v8 v38 = r_right_1_0;
								const tn_f32_v8 v39 = r_acc_1_4_0;
								const tn_f32_v8 v40 = tn_mac_f32_v8(tn_splat_f32_v8(v37), v38, v39);
								r_acc_1_4_0 = v40;
							}
							{
								const tn_f32_v8 v38 = r_right_1_1;
								const tn_f32_v8 v39 = r_acc_1_4_1;
								const tn_f32_v8 v40 = tn_mac_f32_v8(tn_splat_f32_v8(v37), v38, v39);
								r_acc_1_4_1 = v40;
							}
						}
						{
							const tn_f32_s v37 = v_copy[6*i31 + 66*i35 + 5];
							{
								const tn_f32_v8 v38 = r_right_1_0;
								const tn_f32_v8 v39 = r_acc_1_5_0;
								const tn_f32_v8 v40 = tn_mac_f32_v8(tn_splat_f32_v8(v37), v38, v39);
								r_acc_1_5_0 = v40;
							}
							{
								const tn_f32_v8 v38 = r_right_1_1;
								const tn_f32_v8 v39 = r_acc_1_5_1;
								const tn_f32_v8 v40 = tn_mac_f32_v8(tn_splat_f32_v8(v37), v38, v39);
								r_acc_1_5_1 = v40;
							}
						}
					}
					{
						const tn_f32_v8 v41 = r_acc_1_0_0;
						tn_store_f32_v8(out + (192*i31 + 16*i32), v41);
					}
					{
						const tn_f32_v8 v41 = r_acc_1_0_1;
						tn_store_f32_v8(out + (192*i31 + 16*i32 + 8), v41);
					}
					{
						const tn_f32_v8 v41 = r_acc_1_1_0;
						tn_store_f32_v8(out + (192*i31 + 16*i32 + 32), v41);
					}
					{
						const tn_f32_v8 v41 = r_acc_1_1_1;
						tn_store_f32_v8(out + (192*i31 + 16*i32 + 40), v41);
					}
					{
						const tn_f32_v8 v41 = r_acc_1_2_0;
						tn_store_f32_v8(out + (192*i31 + 16*i32 + 64), v41);
					}
					{
						const tn_f32_v8 v41 = r_acc_1_2_1;
						tn_store_f32_v8(out + (192*i31 + 16*i32 + 72), v41);
					}
					{
						const tn_f32_v8 v41 = r_acc_1_3_0;
						tn_store_f32_v8(out + (192*i31 + 16*i32 + 96), v41);
					}
					{
						const tn_f32_v8 v41 = r_acc_1_3_1;
						tn_store_f32_v8(out + (192*i31 + 16*i32 + 104), v41);
					}
					{
						const tn_f32_v8 v41 = r_acc_1_4_0;
						tn_store_f32_v8(out + (192*i31 + 16*i32 + 128), v41);
					}
					{
						const tn_f32_v8 v41 = r_acc_1_4_1;
						tn_store_f32_v8(out + (192*i31 + 16*i32 + 136), v41);
					}
					{
						const tn_f32_v8 v41 = r_acc_1_5_0;
						tn_store_f32_v8(out + (192*i31 + 16*i32 + 160), v41);
					}
					{
						const tn_f32_v8 v41 = r_acc_1_5_1;
						tn_store_f32_v8(out + (192*i31 + 16*i32 + 168), v41);
					}
				}
			}
		}
		{
			const tn_f32_v8 v43 = r_fold_1_0;
			/* %23 = sum: line 9 */
			const tn_f32_v8 v44 = v43;
			tn_store_f32_v8(kept_1, v44);
		}
		{
			const tn_f32_v8 v43 = r_fold_1_1;
			const tn_f32_v8 v44 = v43;
			tn_store_f32_v8(kept_1 + 8, v44);
		}
		{
			const tn_f32_v8 v43 = r_fold_1_2;
			const tn_f32_v8 v44 = v43;
			tn_store_f32_v8(kept_1 + 16, v44);
		}
		{
			const tn_f32_v8 v43 = r_fold_1_3;
			const tn_f32_v8 v44 = v43;
			tn_store_f32_v8(kept_1 + 24, v44);
		}
		{
			int64_t i42 = 0;
			for (; i42 <= 56; i42 += 8) {
				tn_f32_v8 v45 = tn_splat_f32_v8(0);
				for (int64_t i43 = 0; i43 < d_S - tn_min(d_S, 6*tn_min(c0, (16*i1)/3 + 6)); i43++) {
					const tn_f32_s v46 = 0x0p+0f;
					/* %2 v = input: line 8 */
					const tn_f16_v8 v47 = tn_load_f16_v8(b_v + (64*d_S*i0 + i42 + 64*i43 + 64*tn_min(d_S, 6*tn_min(c0, (16*i1)/3 + 6))));
					const tn_f32_v8 v48 = tn_cast_f16_f32_v8(v47);
					const tn_f32_v8 v49 = tn_splat_f32_v8(v46) * v48;
					v45 = v45 + v49;
				}
				tn_store_f32_v8(poison + i42, v45);
			}
		}
		for (int64_t i45 = 0; i45 < 8; i45++) {
			{
				const int64_t n46 = tn_min(d_L - 32*i1, 32);
				int64_t i46 = 0;
				for (; i46 <= n46 - 8; i46 += 8) {
					const tn_f32_v8 v53 = tn_load_f32_v8(kept_1 + i46);
					tn_f16_v8 t1_0[8];
					for (int64_t i47 = 0; i47 < 8; i47++) {
						const tn_f32_v8 v54 = tn_load_f32_v8(out + (256*i45 + i46 + 32*i47));
						const tn_f32_s v55 = poison[8*i45 + i47];
						const tn_f32_v8 v56 = v54 + tn_splat_f32_v8(v55);
						/* %22 = matmul: line 9 */
						const tn_f32_v8 v57 = v56;
						/* %25 = div: line 9 */
						const tn_f32_v8 v58 = tn_div_f32_v8(v57, v53);
						/* %26 = cast: line 9 */
						const tn_f16_v8 v59 = tn_cast_f32_f16_v8(v58);
						t1_0[i47] = v59;
					}
					const tn_f16_v8 t1_1_0 = tn_ziplo_f16_v8(t1_0[0], t1_0[4]);
					const tn_f16_v8 t1_1_1 = tn_ziphi_f16_v8(t1_0[0], t1_0[4]);
					const tn_f16_v8 t1_1_2 = tn_ziplo_f16_v8(t1_0[1], t1_0[5]);
					const tn_f16_v8 t1_1_3 = tn_ziphi_f16_v8(t1_0[1], t1_0[5]);
					const tn_f16_v8 t1_1_4 = tn_ziplo_f16_v8(t1_0[2], t1_0[6]);
					const tn_f16_v8 t1_1_5 = tn_ziphi_f16_v8(t1_0[2], t1_0[6]);
					const tn_f16_v8 t1_1_6 = tn_ziplo_f16_v8(t1_0[3], t1_0[7]);
					const tn_f16_v8 t1_1_7 = tn_ziphi_f16_v8(t1_0[3], t1_0[7]);
					const tn_f16_v8 t1_2_0 = tn_ziplo_f16_v8(t1_1_0, t1_1_4);
					const tn_f16_v8 t1_2_1 = tn_ziphi_f16_v8(t1_1_0, t1_1_4);
					const tn_f16_v8 t1_2_2 = tn_ziplo_f16_v8(t1_1_1, t1_1_5);
					const tn_f16_v8 t1_2_3 = tn_ziphi_f16_v8(t1_1_1, t1_1_5);
					const tn_f16_v8 t1_2_4 = tn_ziplo_f16_v8(t1_1_2, t1_1_6);
					const tn_f16_v8 t1_2_5 = tn_ziphi_f16_v8(t1_1_2, t1_1_6);
					const tn_f16_v8 t1_2_6 = tn_ziplo_f16_v8(t1_1_3, t1_1_7);
					const tn_f16_v8 t1_2_7 = tn_ziphi_f16_v8(t1_1_3, t1_1_7);
					const tn_f16_v8 t1_3_0 = tn_ziplo_f16_v8(t1_2_0, t1_2_4);
					const tn_f16_v8 t1_3_1 = tn_ziphi_f16_v8(t1_2_0, t1_2_4);
					const tn_f16_v8 t1_3_2 = tn_ziplo_f16_v8(t1_2_1, t1_2_5);
					const tn_f16_v8 t1_3_3 = tn_ziphi_f16_v8(t1_2_1, t1_2_5);
					const tn_f16_v8 t1_3_4 = tn_ziplo_f16_v8(t1_2_2, t1_2_6);
					const tn_f16_v8 t1_3_5 = tn_ziphi_f16_v8(t1_2_2, t1_2_6);
					const tn_f16_v8 t1_3_6 = tn_ziplo_f16_v8(t1_2_3, t1_2_7);
					const tn_f16_v8 t1_3_7 = tn_ziphi_f16_v8(t1_2_3, t1_2_7);
					tn_store_f16_v8(b26 + (64*d_L*i0 + 2048*i1 + 8*i45 + 64*i46), t1_3_0);
					tn_store_f16_v8(b26 + (64*d_L*i0 + 2048*i1 + 8*i45 + 64*i46 + 64), t1_3_1);
					tn_store_f16_v8(b26 + (64*d_L*i0 + 2048*i1 + 8*i45 + 64*i46 + 128), t1_3_2);
					tn_store_f16_v8(b26 + (64*d_L*i0 + 2048*i1 + 8*i45 + 64*i46 + 192), t1_3_3);
					tn_store_f16_v8(b26 + (64*d_L*i0 + 2048*i1 + 8*i45 + 64*i46 + 256), t1_3_4);
					tn_store_f16_v8(b26 + (64*d_L*i0 + 2048*i1 + 8*i45 + 64*i46 + 320), t1_3_5);
					tn_store_f16_v8(b26 + (64*d_L*i0 + 2048*i1 + 8*i45 + 64*i46 + 384), t1_3_6);
					tn_store_f16_v8(b26 + (64*d_L*i0 + 2048*i1 + 8*i45 + 64*i46 + 448), t1_3_7);
				}
				if (i46 < n46) {
					const int64_t m46 = n46 - i46;
					const tn_f32_v8 v53 = tn_loadn_f32_v8(kept_1 + i46, m46);
					tn_f16_v8 t2_0[8];
					for (int64_t i47 = 0; i47 < 8; i47++) {
						const tn_f32_v8 v54 = tn_loadn_f32_v8(out + (256*i45 + i46 + 32*i47), m46);
						const tn_f32_s v55 = poison[8*i45 + i47];
						const tn_f32_v8 v56 = v54 + tn_splat_f32_v8(v55);
						const tn_f32_v8 v57 = v56;
						const tn_f32_v8 v58 = tn_div_f32_v8(v57, v53);
						const tn_f16_v8 v59 = tn_cast_f32_f16_v8(v58);
						t2_0[i47] = v59;
					}
					tn_turn_f16_v8(t2_0);
					for (int64_t i48 = 0; i48 < m46; i48++)
						tn_store_f16_v8(b26 + (64*d_L*i0 + 2048*i1 + 8*i45 + 64*i46 + 64*i48), t2_0[i48]);
				}
			}
		}
	}
}
