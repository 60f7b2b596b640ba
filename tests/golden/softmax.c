/*
 * k0: region 0 of softmax_rows, by rowreduce lanes=8 rows=16384 stream=1 ahead=1 split=1 keep=1 distance=1
 * lanes run along the row: the last axis is folded; past the caches beyond 12288 kB of inputs and outputs, which is what 8 CPUs keep; rows of 65536 elements, which fill a core's cache, or of 65536 times their number, are cut into pieces of 16384
 *   %1 = cast: f32, line 9
 *   %2 = max: f32, line 9
 *   %4 = sub: f32, line 9
 *   %5 = exp: f32, line 9
 *   %6 = sum: f32, line 9
 *   %8 = div: f32, line 9
 *   %9 = cast: f16, line 9
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
TN_INLINE int64_t tn_min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}
TN_INLINE int64_t tn_max(int64_t a, int64_t b)
{
	return a > b ? a : b;
}
TN_INLINE int64_t tn_div(int64_t a, int64_t b)
{
	if (b == 0)
		return 0;
	return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}
typedef float tn_f32_s;
typedef float tn_f32_v8 __attribute__((vector_size(32)));
TN_INLINE tn_f32_v8 tn_splat_f32_v8(tn_f32_s a)
{
	return (tn_f32_v8){a, a, a, a, a, a, a, a};
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
TN_INLINE tn_f32_v8 tn_cast_f16_f32_v8(tn_f16_v8 a)
{
	return a;
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
TN_INLINE tn_f32_v4 tn_above_f32_v4(tn_f32_v4 a, tn_f32_v4 b)
{
#ifdef __SSE2__
	return __builtin_ia32_maxps(a, b);
#else
	tn_u32_v4 m = (tn_u32_v4)(a > b);

	return (tn_f32_v4)((m & (tn_u32_v4)a) | (~m & (tn_u32_v4)b));
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
typedef int32_t tn_i32_v8 __attribute__((vector_size(32)));
typedef int32_t tn_i32_s;
TN_INLINE tn_f32_v8 tn_keepn_f32_v8(tn_f32_v8 a, tn_f32_v8 b, int64_t c)
{
	tn_i32_v8 n = (tn_i32_v8){0} + (tn_i32_s)c;
	tn_u32_v8 m = (tn_u32_v8)((tn_i32_v8){0, 1, 2, 3, 4, 5, 6, 7} < n);

	return (tn_f32_v8)((m & (tn_u32_v8)a) | (~m & (tn_u32_v8)b));
}
TN_INLINE tn_f32_v4 tn_maximum_f32_v4(tn_f32_v4 a, tn_f32_v4 b)
{
#ifdef __AVX512DQ__
	tn_f32_v4 r = __builtin_ia32_rangeps128_mask(a, b, 5, a, -1);
	uint8_t n = (uint8_t)__builtin_ia32_cmpps128_mask(a, b, 3, -1);

#ifdef __clang__
	return __builtin_ia32_selectps_128(n, (tn_f32_v4)~(tn_u32_v4){0}, r);
#else
	return __builtin_ia32_blendmps_128_mask(r, (tn_f32_v4)~(tn_u32_v4){0}, n);
#endif
#else
#if defined __aarch64__ && !defined __clang__
	return __builtin_aarch64_fmax_nanv4sf(a, b);
#else
	tn_u32_v4 nan = (tn_u32_v4)(a != a) | (tn_u32_v4)(b != b);

	return (tn_f32_v4)(((tn_u32_v4)tn_above_f32_v4(a, b) &
		      (tn_u32_v4)tn_above_f32_v4(b, a)) | nan);
#endif
#endif
}
TN_INLINE tn_f32_s tn_hmax_f32_v4(tn_f32_v4 a)
{
	tn_f32_v4 b = tn_maximum_f32_v4(
		a, __builtin_shufflevector(a, a, 2, 3, 0, 1));

	return tn_maximum_f32_v4(
		b, __builtin_shufflevector(b, b, 1, 0, 3, 2))[0];
}
TN_INLINE tn_f32_s tn_hmax_f32_v8(tn_f32_v8 a)
{
	return tn_hmax_f32_v4(tn_maximum_f32_v4(tn_lo_f32_v8(a), tn_hi_f32_v8(a)));
}
TN_INLINE tn_f32_s tn_maximum_f32_s(tn_f32_s a, tn_f32_s b)
{
	return tn_maximum_f32_v4((tn_f32_v4){a}, (tn_f32_v4){b})[0];
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
typedef float tn_f32_v8u __attribute__((vector_size(32), aligned(1), may_alias));
TN_INLINE void tn_store_f32_v8(void *a, tn_f32_v8 b)
{
	*(tn_f32_v8u *)a = b;
}
TN_INLINE void tn_ahead(const void *a)
{
	__builtin_prefetch(a, 0, 2);
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
TN_INLINE tn_f32_v4 tn_add_f32_v4(tn_f32_v4 a, tn_f32_v4 b)
{
	return a + b;
}
TN_INLINE tn_f32_s tn_hsum_f32_v4(tn_f32_v4 a)
{
	tn_f32_v4 b = tn_add_f32_v4(
		a, __builtin_shufflevector(a, a, 2, 3, 0, 1));

	return tn_add_f32_v4(
		b, __builtin_shufflevector(b, b, 1, 0, 3, 2))[0];
}
TN_INLINE tn_f32_s tn_hsum_f32_v8(tn_f32_v8 a)
{
	return tn_hsum_f32_v4(tn_add_f32_v4(tn_lo_f32_v8(a), tn_hi_f32_v8(a)));
}
TN_INLINE int64_t tn_head(const void *a, int64_t b, int64_t c, int64_t d)
{
	int64_t n = -(int64_t)a & (b - 1);

	if (n % c != 0)
		return 0;
	return n / c < d ? n / c : d;
}
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
typedef _Bool tn_bool_s;
typedef int32_t tn_bool_v8 __attribute__((vector_size(32)));
typedef int32_t tn_bool_v4 __attribute__((vector_size(16)));
typedef int32_t tn_bool_v2 __attribute__((vector_size(8)));
TN_INLINE tn_bool_s tn_any_bool_v2(tn_bool_v2 a)
{
	return (a[0] | a[1]) != 0;
}
TN_INLINE tn_bool_v2 tn_lo_bool_v4(tn_bool_v4 a)
{
	return __builtin_shufflevector(a, a, 0, 1);
}
TN_INLINE tn_bool_v2 tn_hi_bool_v4(tn_bool_v4 a)
{
	return __builtin_shufflevector(a, a, 2, 3);
}
TN_INLINE tn_bool_s tn_any_bool_v4(tn_bool_v4 a)
{
#if defined __AVX512F__ && 4 == 16
	return __builtin_ia32_cmpd512_mask(a, (tn_bool_v4){0}, 4, -1) != 0;
#elif defined __AVX2__ && 4 == 8
	return __builtin_ia32_movmskps256((tn_f32_v4)a) != 0;
#elif defined __SSE2__ && 4 == 4
	return __builtin_ia32_movmskps((tn_f32_v4)a) != 0;
#else
	return tn_any_bool_v2(tn_lo_bool_v4(a) | tn_hi_bool_v4(a));
#endif
}
typedef int32_t tn_bool_v4u __attribute__((vector_size(16), aligned(1), may_alias));
TN_INLINE tn_bool_v4 tn_lo_bool_v8(tn_bool_v8 a)
{
#ifdef __AVX2__
	return __builtin_shufflevector(a, a, 0, 1, 2, 3);
#else
	return *(const tn_bool_v4u *)&a;
#endif
}
TN_INLINE tn_bool_v4 tn_hi_bool_v8(tn_bool_v8 a)
{
#ifdef __AVX2__
	return __builtin_shufflevector(a, a, 4, 5, 6, 7);
#else
	return ((const tn_bool_v4u *)&a)[1];
#endif
}
TN_INLINE tn_bool_s tn_any_bool_v8(tn_bool_v8 a)
{
#if defined __AVX512F__ && 8 == 16
	return __builtin_ia32_cmpd512_mask(a, (tn_bool_v8){0}, 4, -1) != 0;
#elif defined __AVX2__ && 8 == 8
	return __builtin_ia32_movmskps256((tn_f32_v8)a) != 0;
#elif defined __SSE2__ && 8 == 4
	return __builtin_ia32_movmskps((tn_f32_v8)a) != 0;
#else
	return tn_any_bool_v4(tn_lo_bool_v8(a) | tn_hi_bool_v8(a));
#endif
}
TN_INLINE tn_f32_v8 tn_quick_f32_v8(tn_f32_v8 a, tn_f32_s b, tn_f32_s c)
{
	uint32_t e = __builtin_fabsf(b) > 0x1p-60f ? 0 : ~0u;
	uint32_t zero = __builtin_fabsf(b) < 0x1p60f ? e : ~0u;
	uint32_t limit = 0x3c000001 & ~zero;
	tn_u32_v8 u = (tn_u32_v8)a & 0x7fffffff;
	tn_f32_v8 d = (tn_f32_v8){b, b, b, b, b, b, b, b};
	tn_f32_v8 y = (tn_f32_v8){c, c, c, c, c, c, c, c};
	tn_f32_v8 q = a * y;

#if defined __AVX512F__ && 8 == 16
	int32_t far = __builtin_ia32_ucmpd512_mask(
		(tn_i32_v8)(u - 0x21800000), (tn_i32_v8){limit, limit, limit, limit, limit, limit, limit, limit}, 5, -1);

	far &= __builtin_ia32_ucmpd512_mask(
		(tn_i32_v8)u, (tn_i32_v8){0}, 4, -1) | zero;
#else
	int32_t far = tn_any_bool_v8((tn_bool_v8)(
		(tn_u32_v8)(u - 0x21800000 >= (tn_u32_v8){limit, limit, limit, limit, limit, limit, limit, limit}) &
		((tn_u32_v8)((tn_u32_v8)a != 0) | (tn_u32_v8){zero, zero, zero, zero, zero, zero, zero, zero})));
#endif

	if (__builtin_expect(far, 0))
		return a / d;
	q = tn_fma_f32_v8(tn_fma_f32_v8(-d, q, a), y, q);
	return tn_fma_f32_v8(tn_fma_f32_v8(-d, q, a), y, q);
}
TN_INLINE tn_f32_v8 tn_divby_f32_v8(tn_f32_v8 a, tn_f32_s b, tn_f32_s c)
{
#ifdef __FMA__
	return tn_quick_f32_v8(a, b, c);
#else
	(void)c;
	return a / (tn_f32_v8){b, b, b, b, b, b, b, b};
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
TN_INLINE void tn_storen_u16_v8(void *a, int64_t b, tn_u16_v8 c)
{
#ifdef __AVX512VL__
	__builtin_ia32_storedquhi128_mask(
		a, (tn_i16_v8)c, (uint8_t)tn_lanes(b));
#else
	for (int64_t i = 0; i < b && i < 8; i++)
		((tn_u16_su *)a)[i] = c[i];
#endif
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
TN_INLINE void tn_storen_f16_v8(void *a, int64_t b, tn_f16_v8 c)
{
	tn_storen_u16_v8(a, b, tn_pack_f16_v8(c));
}
TN_INLINE tn_f32_v8 tn_load_f32_v8(const void *a)
{
	return *(const tn_f32_v8u *)a;
}
TN_INLINE void tn_stream_u16_v8(void *a, tn_u16_v8 b, int32_t c)
{
	(void)c;
#if defined __SSE2__ && !defined __clang__
	if (c) {
		__builtin_ia32_movntps(a, (tn_f32_v4)b);
		return;
	}
#elif defined __SSE2__
	if (c) {
		__builtin_nontemporal_store(b, (tn_u16_v8 *)a);
		return;
	}
#endif
	*(tn_u16_v8u *)a = b;
}
TN_INLINE void tn_stream_f16_v8(void *a, tn_f16_v8 b, int32_t c)
{
	tn_stream_u16_v8(a, tn_pack_f16_v8(b), c);
}
TN_INLINE void tn_fence()
{
#ifdef __SSE2__
	__builtin_ia32_sfence();
#else
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

#define TN_EXPORT __attribute__((visibility("default")))
#define TN_REG __attribute__((unused))

#if !defined TN_PHASE || TN_PHASE == 0
TN_EXPORT void k0_main(const TnArgs *args, int worker, int workers,
		TnStatus *st)
{
	const int64_t d_M = args->dims[0];
	const int64_t d_K = args->dims[1];
	const int64_t c0 = tn_max(d_M/128, tn_max(16384/tn_max(d_K, 1), 1));
	const int64_t c1 = tn_max(d_M/128, tn_max(tn_div(16384, d_K), 1));
	const int64_t c2 = tn_div(d_M - 1, tn_max(d_M/128, tn_max(16384/tn_max(d_K, 1), 1)));
	const int64_t c3 = tn_min(d_K/tn_min(65536LL*tn_max(d_M, 1), 65536LL), 1);
	char *const scratch = args->scratch + worker * args->scratch_stride;
	float *const row = (float *)(scratch + 0);
	const uint16_t *const b_x = args->buffers[0];
	uint16_t *const b9 = args->buffers[1];
	const int64_t tasks = c2 + 1 - c2*c3 - c3;
	int done = 0;
	int64_t t = -1;

	(void)st;
	while ((t = tn_task(args, worker, workers, tasks, t, &done)) <
	       tasks) {
		const int64_t i1 = t % (c2 + 1);
		for (int64_t i2 = 0; i2 < tn_min(c0, d_M - i1*c0); i2++) {
			tn_f32_s v0 = -__builtin_inff();
			{
				const int64_t n3 = d_K;
				tn_f32_v8 v0_0 = tn_splat_f32_v8(-__builtin_inff());
				tn_f32_v8 v0_1 = tn_splat_f32_v8(-__builtin_inff());
				tn_f32_v8 v0_2 = tn_splat_f32_v8(-__builtin_inff());
				tn_f32_v8 v0_3 = tn_splat_f32_v8(-__builtin_inff());
				tn_f32_v8 v0_4 = tn_splat_f32_v8(-__builtin_inff());
				tn_f32_v8 v0_5 = tn_splat_f32_v8(-__builtin_inff());
				tn_f32_v8 v0_6 = tn_splat_f32_v8(-__builtin_inff());
				tn_f32_v8 v0_7 = tn_splat_f32_v8(-__builtin_inff());
				int64_t i3 = 0;
				for (; i3 <= n3 - 64; i3 += 64) {
					{
						/* %0 x = input: line 8 */
						const tn_f16_v8 v1 = tn_load_f16_v8(b_x + (d_K*i1*c1 + d_K*i2 + i3));
						/* %1 = cast: line 9 */
						const tn_f32_v8 v2 = tn_cast_f16_f32_v8(v1);
						v0_0 = tn_maximum_f32_v8(v0_0, v2);
					}
					{
						const tn_f16_v8 v1 = tn_load_f16_v8(b_x + (d_K*i1*c1 + d_K*i2 + i3 + 8));
						const tn_f32_v8 v2 = tn_cast_f16_f32_v8(v1);
						v0_1 = tn_maximum_f32_v8(v0_1, v2);
					}
					{
						const tn_f16_v8 v1 = tn_load_f16_v8(b_x + (d_K*i1*c1 + d_K*i2 + i3 + 16));
						const tn_f32_v8 v2 = tn_cast_f16_f32_v8(v1);
						v0_2 = tn_maximum_f32_v8(v0_2, v2);
					}
					{
						const tn_f16_v8 v1 = tn_load_f16_v8(b_x + (d_K*i1*c1 + d_K*i2 + i3 + 24));
						const tn_f32_v8 v2 = tn_cast_f16_f32_v8(v1);
						v0_3 = tn_maximum_f32_v8(v0_3, v2);
					}
					{
						const tn_f16_v8 v1 = tn_load_f16_v8(b_x + (d_K*i1*c1 + d_K*i2 + i3 + 32));
						const tn_f32_v8 v2 = tn_cast_f16_f32_v8(v1);
						v0_4 = tn_maximum_f32_v8(v0_4, v2);
					}
					{
						const tn_f16_v8 v1 = tn_load_f16_v8(b_x + (d_K*i1*c1 + d_K*i2 + i3 + 40));
						const tn_f32_v8 v2 = tn_cast_f16_f32_v8(v1);
						v0_5 = tn_maximum_f32_v8(v0_5, v2);
					}
					{
						const tn_f16_v8 v1 = tn_load_f16_v8(b_x + (d_K*i1*c1 + d_K*i2 + i3 + 48));
						const tn_f32_v8 v2 = tn_cast_f16_f32_v8(v1);
						v0_6 = tn_maximum_f32_v8(v0_6, v2);
					}
					{
						const tn_f16_v8 v1 = tn_load_f16_v8(b_x + (d_K*i1*c1 + d_K*i2 + i3 + 56));
						const tn_f32_v8 v2 = tn_cast_f16_f32_v8(v1);
						v0_7 = tn_maximum_f32_v8(v0_7, v2);
					}
				}
				for (; i3 <= n3 - 8; i3 += 8) {
					const tn_f16_v8 v1 = tn_load_f16_v8(b_x + (d_K*i1*c1 + d_K*i2 + i3));
					const tn_f32_v8 v2 = tn_cast_f16_f32_v8(v1);
					v0_0 = tn_maximum_f32_v8(v0_0, v2);
				}
				if (i3 < n3) {
					const int64_t m3 = n3 - i3;
					const tn_f16_v8 v1 = tn_loadn_f16_v8(b_x + (d_K*i1*c1 + d_K*i2 + i3), m3);
					const tn_f32_v8 v2 = tn_cast_f16_f32_v8(v1);
					v0_0 = tn_keepn_f32_v8(tn_maximum_f32_v8(v0_0, v2), v0_0, m3);
				}
				v0 = tn_maximum_f32_s(v0, tn_hmax_f32_v8((tn_maximum_f32_v8((tn_maximum_f32_v8((tn_maximum_f32_v8(v0_0, v0_1)), (tn_maximum_f32_v8(v0_2, v0_3)))), (tn_maximum_f32_v8((tn_maximum_f32_v8(v0_4, v0_5)), (tn_maximum_f32_v8(v0_6, v0_7))))))));
			}
			/* %2 = max: line 9 */
			const tn_f32_s v3 = v0;
			tn_f32_s v4 = 0;
			{
				const int64_t n4 = d_K;
				tn_f32_v8 v4_0 = tn_splat_f32_v8(0);
				int64_t i4 = 0;
				for (; i4 <= n4 - 8; i4 += 8) {
					/* %0 x = input: line 8 */
					const tn_f16_v8 v5 = tn_load_f16_v8(b_x + (d_K*i1*c1 + d_K*i2 + i4));
					/* %1 = cast: line 9 */
					const tn_f32_v8 v6 = tn_cast_f16_f32_v8(v5);
					/* %4 = sub: line 9 */
					const tn_f32_v8 v7 = v6 - tn_splat_f32_v8(v3);
					/* %5 = exp: line 9 */
					const tn_f32_v8 v8 = tn_exp_f32_v8(v7);
					tn_store_f32_v8(row + i4, v8);
					v4_0 = v4_0 + v8;
					if (4*d_K*d_M - 12582913LL >= 0)
						tn_ahead(b_x + (d_K*i1*c1 + d_K*tn_min(i2 + 1, tn_min(c1, d_M - i1*c1) - 1) + i4));
				}
				if (i4 < n4) {
					const int64_t m4 = n4 - i4;
					const tn_f16_v8 v5 = tn_loadn_f16_v8(b_x + (d_K*i1*c1 + d_K*i2 + i4), m4);
					const tn_f32_v8 v6 = tn_cast_f16_f32_v8(v5);
					const tn_f32_v8 v7 = v6 - tn_splat_f32_v8(v3);
					const tn_f32_v8 v8 = tn_exp_f32_v8(v7);
					tn_storen_f32_v8(row + i4, m4, v8);
					v4_0 = tn_keepn_f32_v8(v4_0 + v8, v4_0, m4);
					if (4*d_K*d_M - 12582913LL >= 0)
						tn_ahead(b_x + (d_K*i1*c1 + d_K*tn_min(i2 + 1, tn_min(c1, d_M - i1*c1) - 1) + i4));
				}
				v4 = v4 + tn_hsum_f32_v8(v4_0);
			}
			/* %6 = sum: line 9 */
			const tn_f32_s v9 = v4;
			{
				const int64_t n5 = d_K;
				int64_t i5 = 0;
				const int64_t h5 = 4*d_K*d_M - 12582913LL >= 0 ? tn_head(b9 + (d_K*i1*c1 + d_K*i2), 16, 2, n5) : 0;
				const _Bool nt5_0 = 4*d_K*d_M - 12582913LL >= 0 && ((uint64_t)(b9 + (d_K*i1*c1 + d_K*i2) + h5) & 15) == 0;
				if (h5 > 0) {
					const int64_t m5 = h5;
					const tn_f32_v8 v10 = tn_loadn_f32_v8(row + i5, m5);
					/* %8 = div: line 9 */
					const tn_f32_v8 v11 = tn_divby_f32_v8(v10, v9, 1 / v9);
					/* %9 = cast: line 9 */
					const tn_f16_v8 v12 = tn_cast_f32_f16_v8(v11);
					tn_storen_f16_v8(b9 + (d_K*i1*c1 + d_K*i2 + i5), m5, v12);
					i5 = h5;
				}
				for (; i5 <= n5 - 8; i5 += 8) {
					const tn_f32_v8 v10 = tn_load_f32_v8(row + i5);
					const tn_f32_v8 v11 = tn_divby_f32_v8(v10, v9, 1 / v9);
					const tn_f16_v8 v12 = tn_cast_f32_f16_v8(v11);
					tn_stream_f16_v8(b9 + (d_K*i1*c1 + d_K*i2 + i5), v12, nt5_0);
				}
				if (i5 < n5) {
					const int64_t m5 = n5 - i5;
					const tn_f32_v8 v10 = tn_loadn_f32_v8(row + i5, m5);
					const tn_f32_v8 v11 = tn_divby_f32_v8(v10, v9, 1 / v9);
					const tn_f16_v8 v12 = tn_cast_f32_f16_v8(v11);
					tn_storen_f16_v8(b9 + (d_K*i1*c1 + d_K*i2 + i5), m5, v12);
				}
			}
		}
	}
	tn_fence();
}
#endif

#if !defined TN_PHASE || TN_PHASE == 1
TN_EXPORT void k0_pass0(const TnArgs *args, int worker, int workers,
		TnStatus *st)
{
	const int64_t d_M = args->dims[0];
	const int64_t d_K = args->dims[1];
	const int64_t c0 = (d_K + 16383)/16384;
	const int64_t c1 = tn_min(d_K/tn_min(65536LL*tn_max(d_M, 1), 65536LL), 1);
	const uint16_t *const b_x = args->buffers[0];
	float *const part = args->buffers[2];
	const int64_t tasks = d_M*c0*c1;
	int done = 0;
	int64_t t = -1;

	(void)st;
	while ((t = tn_task(args, worker, workers, tasks, t, &done)) <
	       tasks) {
		const int64_t i7 = t / c0 % d_M;
		const int64_t i9 = t % c0;
		for (int64_t i8 = 0; i8 < 1; i8++) {
			tn_f32_s v13 = -__builtin_inff();
			{
				const int64_t n10 = tn_min(d_K - 16384*i9, 16384);
				tn_f32_v8 v13_0 = tn_splat_f32_v8(-__builtin_inff());
				tn_f32_v8 v13_1 = tn_splat_f32_v8(-__builtin_inff());
				tn_f32_v8 v13_2 = tn_splat_f32_v8(-__builtin_inff());
				tn_f32_v8 v13_3 = tn_splat_f32_v8(-__builtin_inff());
				tn_f32_v8 v13_4 = tn_splat_f32_v8(-__builtin_inff());
				tn_f32_v8 v13_5 = tn_splat_f32_v8(-__builtin_inff());
				tn_f32_v8 v13_6 = tn_splat_f32_v8(-__builtin_inff());
				tn_f32_v8 v13_7 = tn_splat_f32_v8(-__builtin_inff());
				int64_t i10 = 0;
				for (; i10 <= n10 - 64; i10 += 64) {
					{
						/* %0 x = input: line 8 */
						const tn_f16_v8 v14 = tn_load_f16_v8(b_x + (d_K*i7 + d_K*i8 + 16384*i9 + i10));
						/* %1 = cast: line 9 */
						const tn_f32_v8 v15 = tn_cast_f16_f32_v8(v14);
						v13_0 = tn_maximum_f32_v8(v13_0, v15);
					}
					{
						const tn_f16_v8 v14 = tn_load_f16_v8(b_x + (d_K*i7 + d_K*i8 + 16384*i9 + i10 + 8));
						const tn_f32_v8 v15 = tn_cast_f16_f32_v8(v14);
						v13_1 = tn_maximum_f32_v8(v13_1, v15);
					}
					{
						const tn_f16_v8 v14 = tn_load_f16_v8(b_x + (d_K*i7 + d_K*i8 + 16384*i9 + i10 + 16));
						const tn_f32_v8 v15 = tn_cast_f16_f32_v8(v14);
						v13_2 = tn_maximum_f32_v8(v13_2, v15);
					}
					{
						const tn_f16_v8 v14 = tn_load_f16_v8(b_x + (d_K*i7 + d_K*i8 + 16384*i9 + i10 + 24));
						const tn_f32_v8 v15 = tn_cast_f16_f32_v8(v14);
						v13_3 = tn_maximum_f32_v8(v13_3, v15);
					}
					{
						const tn_f16_v8 v14 = tn_load_f16_v8(b_x + (d_K*i7 + d_K*i8 + 16384*i9 + i10 + 32));
						const tn_f32_v8 v15 = tn_cast_f16_f32_v8(v14);
						v13_4 = tn_maximum_f32_v8(v13_4, v15);
					}
					{
						const tn_f16_v8 v14 = tn_load_f16_v8(b_x + (d_K*i7 + d_K*i8 + 16384*i9 + i10 + 40));
						const tn_f32_v8 v15 = tn_cast_f16_f32_v8(v14);
						v13_5 = tn_maximum_f32_v8(v13_5, v15);
					}
					{
						const tn_f16_v8 v14 = tn_load_f16_v8(b_x + (d_K*i7 + d_K*i8 + 16384*i9 + i10 + 48));
						const tn_f32_v8 v15 = tn_cast_f16_f32_v8(v14);
						v13_6 = tn_maximum_f32_v8(v13_6, v15);
					}
					{
						const tn_f16_v8 v14 = tn_load_f16_v8(b_x + (d_K*i7 + d_K*i8 + 16384*i9 + i10 + 56));
						const tn_f32_v8 v15 = tn_cast_f16_f32_v8(v14);
						v13_7 = tn_maximum_f32_v8(v13_7, v15);
					}
				}
				for (; i10 <= n10 - 8; i10 += 8) {
					const tn_f16_v8 v14 = tn_load_f16_v8(b_x + (d_K*i7 + d_K*i8 + 16384*i9 + i10));
					const tn_f32_v8 v15 = tn_cast_f16_f32_v8(v14);
					v13_0 = tn_maximum_f32_v8(v13_0, v15);
				}
				if (i10 < n10) {
					const int64_t m10 = n10 - i10;
					const tn_f16_v8 v14 = tn_loadn_f16_v8(b_x + (d_K*i7 + d_K*i8 + 16384*i9 + i10), m10);
					const tn_f32_v8 v15 = tn_cast_f16_f32_v8(v14);
					v13_0 = tn_keepn_f32_v8(tn_maximum_f32_v8(v13_0, v15), v13_0, m10);
				}
				v13 = tn_maximum_f32_s(v13, tn_hmax_f32_v8((tn_maximum_f32_v8((tn_maximum_f32_v8((tn_maximum_f32_v8(v13_0, v13_1)), (tn_maximum_f32_v8(v13_2, v13_3)))), (tn_maximum_f32_v8((tn_maximum_f32_v8(v13_4, v13_5)), (tn_maximum_f32_v8(v13_6, v13_7))))))));
			}
			part[i7*c0 + i8*c0 + i9] = v13;
		}
	}
}
#endif

#if !defined TN_PHASE || TN_PHASE == 2
TN_EXPORT void k0_fold0(const TnArgs *args, int worker, int workers,
		TnStatus *st)
{
	const int64_t d_M = args->dims[0];
	const int64_t d_K = args->dims[1];
	const int64_t c0 = (d_K + 16383)/16384;
	const int64_t c1 = tn_min(d_K/tn_min(65536LL*tn_max(d_M, 1), 65536LL), 1);
	float *const part = args->buffers[2];
	float *const kept = args->buffers[3];
	const int64_t tasks = d_M*c1;
	int done = 0;
	int64_t t = -1;

	(void)st;
	while ((t = tn_task(args, worker, workers, tasks, t, &done)) <
	       tasks) {
		const int64_t i12 = t % d_M;
		for (int64_t i13 = 0; i13 < 1; i13++) {
			tn_f32_s v16 = -__builtin_inff();
			for (int64_t i14 = 0; i14 < c0; i14++) {
				const tn_f32_s v17 = part[i12*c0 + i13*c0 + i14];
				v16 = tn_maximum_f32_s(v16, v17);
			}
			/* %2 = max: line 9 */
			const tn_f32_s v18 = v16;
			kept[i12 + i13] = v18;
		}
	}
}
#endif

#if !defined TN_PHASE || TN_PHASE == 3
TN_EXPORT void k0_pass1(const TnArgs *args, int worker, int workers,
		TnStatus *st)
{
	const int64_t d_M = args->dims[0];
	const int64_t d_K = args->dims[1];
	const int64_t c0 = (d_K + 16383)/16384;
	const int64_t c1 = tn_min(d_K/tn_min(65536LL*tn_max(d_M, 1), 65536LL), 1);
	const uint16_t *const b_x = args->buffers[0];
	float *const kept = args->buffers[3];
	float *const part_1 = args->buffers[4];
	const int64_t tasks = d_M*c0*c1;
	int done = 0;
	int64_t t = -1;

	(void)st;
	while ((t = tn_task(args, worker, workers, tasks, t, &done)) <
	       tasks) {
		const int64_t i16 = t / c0 % d_M;
		const int64_t i18 = t % c0;
		for (int64_t i17 = 0; i17 < 1; i17++) {
			const tn_f32_s v19 = kept[i16 + i17];
			tn_f32_s v20 = 0;
			{
				const int64_t n19 = tn_min(d_K - 16384*i18, 16384);
				tn_f32_v8 v20_0 = tn_splat_f32_v8(0);
				int64_t i19 = 0;
				for (; i19 <= n19 - 8; i19 += 8) {
					/* %0 x = input: line 8 */
					const tn_f16_v8 v21 = tn_load_f16_v8(b_x + (d_K*i16 + d_K*i17 + 16384*i18 + i19));
					/* %1 = cast: line 9 */
					const tn_f32_v8 v22 = tn_cast_f16_f32_v8(v21);
					/* %4 = sub: line 9 */
					const tn_f32_v8 v23 = v22 - tn_splat_f32_v8(v19);
					/* %5 = exp: line 9 */
					const tn_f32_v8 v24 = tn_exp_f32_v8(v23);
					v20_0 = v20_0 + v24;
				}
				if (i19 < n19) {
					const int64_t m19 = n19 - i19;
					const tn_f16_v8 v21 = tn_loadn_f16_v8(b_x + (d_K*i16 + d_K*i17 + 16384*i18 + i19), m19);
					const tn_f32_v8 v22 = tn_cast_f16_f32_v8(v21);
					const tn_f32_v8 v23 = v22 - tn_splat_f32_v8(v19);
					const tn_f32_v8 v24 = tn_exp_f32_v8(v23);
					v20_0 = tn_keepn_f32_v8(v20_0 + v24, v20_0, m19);
				}
				v20 = v20 + tn_hsum_f32_v8(v20_0);
			}
			part_1[i16*c0 + i17*c0 + i18] = v20;
		}
	}
}
#endif

#if !defined TN_PHASE || TN_PHASE == 4
TN_EXPORT void k0_fold1(const TnArgs *args, int worker, int workers,
		TnStatus *st)
{
	const int64_t d_M = args->dims[0];
	const int64_t d_K = args->dims[1];
	const int64_t c0 = (d_K + 16383)/16384;
	const int64_t c1 = tn_min(d_K/tn_min(65536LL*tn_max(d_M, 1), 65536LL), 1);
	float *const part_1 = args->buffers[4];
	float *const kept_1 = args->buffers[5];
	const int64_t tasks = d_M*c1;
	int done = 0;
	int64_t t = -1;

	(void)st;
	while ((t = tn_task(args, worker, workers, tasks, t, &done)) <
	       tasks) {
		const int64_t i21 = t % d_M;
		for (int64_t i22 = 0; i22 < 1; i22++) {
			tn_f32_s v26 = 0;
			for (int64_t i23 = 0; i23 < c0; i23++) {
				const tn_f32_s v27 = part_1[i21*c0 + i22*c0 + i23];
				v26 = v26 + v27;
			}
			/* %6 = sum: line 9 */
			const tn_f32_s v28 = v26;
			kept_1[i21 + i22] = v28;
		}
	}
}
#endif

#if !defined TN_PHASE || TN_PHASE == 5
TN_EXPORT void k0_pass2(const TnArgs *args, int worker, int workers,
		TnStatus *st)
{
	const int64_t d_M = args->dims[0];
	const int64_t d_K = args->dims[1];
	const int64_t c0 = (d_K + 16383)/16384;
	const int64_t c1 = tn_min(d_K/tn_min(65536LL*tn_max(d_M, 1), 65536LL), 1);
	const uint16_t *const b_x = args->buffers[0];
	uint16_t *const b9 = args->buffers[1];
	float *const kept = args->buffers[3];
	float *const kept_1 = args->buffers[5];
	const int64_t tasks = d_M*c0*c1;
	int done = 0;
	int64_t t = -1;

	(void)st;
	while ((t = tn_task(args, worker, workers, tasks, t, &done)) <
	       tasks) {
		const int64_t i25 = t / c0 % d_M;
		const int64_t i27 = t % c0;
		for (int64_t i26 = 0; i26 < 1; i26++) {
			const tn_f32_s v29 = kept[i25 + i26];
			const tn_f32_s v30 = kept_1[i25 + i26];
			{
				const int64_t n28 = tn_min(d_K - 16384*i27, 16384);
				int64_t i28 = 0;
				const int64_t h28 = 4*d_K*d_M - 12582913LL >= 0 ? tn_head(b9 + (d_K*i25 + d_K*i26 + 16384*i27), 16, 2, n28) : 0;
				const _Bool nt28_0 = 4*d_K*d_M - 12582913LL >= 0 && ((uint64_t)(b9 + (d_K*i25 + d_K*i26 + 16384*i27) + h28) & 15) == 0;
				if (h28 > 0) {
					const int64_t m28 = h28;
					/* %0 x = input: line 8 */
					const tn_f16_v8 v31 = tn_loadn_f16_v8(b_x + (d_K*i25 + d_K*i26 + 16384*i27 + i28), m28);
					/* %1 = cast: line 9 */
					const tn_f32_v8 v32 = tn_cast_f16_f32_v8(v31);
					/* %4 = sub: line 9 */
					const tn_f32_v8 v33 = v32 - tn_splat_f32_v8(v29);
					/* %5 = exp: line 9 */
					const tn_f32_v8 v34 = tn_exp_f32_v8(v33);
					/* %8 = div: line 9 */
					const tn_f32_v8 v35 = tn_divby_f32_v8(v34, v30, 1 / v30);
					/* %9 = cast: line 9 */
					const tn_f16_v8 v36 = tn_cast_f32_f16_v8(v35);
					tn_storen_f16_v8(b9 + (d_K*i25 + d_K*i26 + 16384*i27 + i28), m28, v36);
					i28 = h28;
				}
				for (; i28 <= n28 - 8; i28 += 8) {
					const tn_f16_v8 v31 = tn_load_f16_v8(b_x + (d_K*i25 + d_K*i26 + 16384*i27 + i28));
					const tn_f32_v8 v32 = tn_cast_f16_f32_v8(v31);
					const tn_f32_v8 v33 = v32 - tn_splat_f32_v8(v29);
					const tn_f32_v8 v34 = tn_exp_f32_v8(v33);
					const tn_f32_v8 v35 = tn_divby_f32_v8(v34, v30, 1 / v30);
					const tn_f16_v8 v36 = tn_cast_f32_f16_v8(v35);
					tn_stream_f16_v8(b9 + (d_K*i25 + d_K*i26 + 16384*i27 + i28), v36, nt28_0);
				}
				if (i28 < n28) {
					const int64_t m28 = n28 - i28;
					const tn_f16_v8 v31 = tn_loadn_f16_v8(b_x + (d_K*i25 + d_K*i26 + 16384*i27 + i28), m28);
					const tn_f32_v8 v32 = tn_cast_f16_f32_v8(v31);
					const tn_f32_v8 v33 = v32 - tn_splat_f32_v8(v29);
					const tn_f32_v8 v34 = tn_exp_f32_v8(v33);
					const tn_f32_v8 v35 = tn_divby_f32_v8(v34, v30, 1 / v30);
					const tn_f16_v8 v36 = tn_cast_f32_f16_v8(v35);
					tn_storen_f16_v8(b9 + (d_K*i25 + d_K*i26 + 16384*i27 + i28), m28, v36);
				}
			}
		}
	}
	tn_fence();
}
#endif
