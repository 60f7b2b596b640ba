/*
 * k0: region 0 of gated_projections, by contract mr=6 nr=16 lanes=8 mb=8 nb=4 kc=336 a=1 b=2 unit=0 ahead=1 turned=0
 * products of one tile shape, a register tile each over kc elements of K at a time, one epilogue on all tiles
 *   %3 = matmul: f16, line 9
 *   %4 = cast: f32, line 9
 *   %5 = neg: f32, line 9
 *   %6 = exp: f32, line 9
 *   %7 = const: f32, line 9
 *   %9 = add: f32, line 9
 *   %10 = div: f32, line 9
 *   %11 = cast: f16, line 9
 *   %12 = matmul: f16, line 9
 *   %13 = mul: f16, line 9
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
typedef float tn_f32_s;
TN_INLINE tn_f32_v8 tn_splat_f32_v8(tn_f32_s a)
{
	return (tn_f32_v8){a, a, a, a, a, a, a, a};
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
TN_APART void tn_turn_f32_v8(void *a)
{
	tn_f32_v8 other[8], *from = a, *to = other;

	for (int bit = 1; bit < 8; bit *= 2) {
		tn_f32_v8 *last = from;

		for (int i = 0; i < 4; i++) {
			to[2 * i] = tn_ziplo_f32_v8(from[i], from[i + 4]);
			to[2 * i + 1] = tn_ziphi_f32_v8(from[i], from[i + 4]);
		}
		from = to;
		to = last;
	}
	for (int i = 0; from == other && i < 8; i++)
		to[i] = from[i];
}
TN_INLINE tn_f32_v8 tn_load_f32_v8(const void *a)
{
	return *(const tn_f32_v8u *)a;
}
TN_INLINE void tn_ahead(const void *a)
{
	__builtin_prefetch(a, 0, 2);
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
TN_INLINE void tn_storen_f16_v8(void *a, int64_t b, tn_f16_v8 c)
{
	tn_storen_u16_v8(a, b, tn_pack_f16_v8(c));
}

#define TN_EXPORT __attribute__((visibility("default")))
#define TN_REG __attribute__((unused))

#if !defined TN_PHASE || TN_PHASE == 0
TN_EXPORT void k0_pack_b0(const TnArgs *args, int worker, int workers,
		TnStatus *st)
{
	const int64_t d_K = args->dims[1];
	const int64_t d_N = args->dims[2];
	const int64_t c0 = tn_max((d_K + 335)/336, 1);
	const int64_t c1 = (d_N + 15)/16;
	float *const pack_b0 = args->buffers[0];
	const uint16_t *const b_w = args->buffers[1];
	const int64_t tasks = c1;
	int done = 0;
	int64_t t = -1;

	(void)st;
	while ((t = tn_task(args, worker, workers, tasks, t, &done)) <
	       tasks) {
		const int64_t i0 = t;
		for (int64_t i1 = 0; i1 < c0; i1++) {
			for (int64_t i2 = 0; i2 < tn_min(d_K - 336*i1, 336); i2++) {
				{
					/* %1 w = input: line 8 */
					tn_f16_v8 v0;
					if (d_N - 16*i0 - 8 >= 0) {
						v0 = tn_load_f16_v8(b_w + (336*d_N*i1 + d_N*i2 + 16*i0));
					} else {
						v0 = tn_loadn_f16_v8(b_w + (336*d_N*i1 + d_N*i2 + 16*i0), tn_min(d_N - 16*i0, 8));
					}
					const tn_f32_v8 v1 = tn_cast_f16_f32_v8(v0);
					tn_store_f32_v8(pack_b0 + (5376*i1*c1 + 5376*i0 + 16*i2), v1);
				}
				{
					tn_f16_v8 v0;
					if (d_N - 16*i0 - 16 >= 0) {
						v0 = tn_load_f16_v8(b_w + (336*d_N*i1 + d_N*i2 + 16*i0 + 8));
					} else {
						v0 = tn_loadn_f16_v8(b_w + (336*d_N*i1 + d_N*i2 + 16*i0 + 8), tn_min(d_N - 16*i0 - 8, 8));
					}
					const tn_f32_v8 v1 = tn_cast_f16_f32_v8(v0);
					tn_store_f32_v8(pack_b0 + (5376*i1*c1 + 5376*i0 + 16*i2 + 8), v1);
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
	const int64_t d_K = args->dims[1];
	const int64_t d_N = args->dims[2];
	const int64_t c0 = tn_max((d_K + 335)/336, 1);
	const int64_t c1 = (d_N + 15)/16;
	float *const pack_b1 = args->buffers[2];
	const uint16_t *const b_v = args->buffers[3];
	const int64_t tasks = c1;
	int done = 0;
	int64_t t = -1;

	(void)st;
	while ((t = tn_task(args, worker, workers, tasks, t, &done)) <
	       tasks) {
		const int64_t i4 = t;
		for (int64_t i5 = 0; i5 < c0; i5++) {
			for (int64_t i6 = 0; i6 < tn_min(d_K - 336*i5, 336); i6++) {
				{
					/* %2 v = input: line 8 */
					tn_f16_v8 v2;
					if (d_N - 16*i4 - 8 >= 0) {
						v2 = tn_load_f16_v8(b_v + (336*d_N*i5 + d_N*i6 + 16*i4));
					} else {
						v2 = tn_loadn_f16_v8(b_v + (336*d_N*i5 + d_N*i6 + 16*i4), tn_min(d_N - 16*i4, 8));
					}
					const tn_f32_v8 v3 = tn_cast_f16_f32_v8(v2);
					tn_store_f32_v8(pack_b1 + (5376*i5*c1 + 5376*i4 + 16*i6), v3);
				}
				{
					tn_f16_v8 v2;
					if (d_N - 16*i4 - 16 >= 0) {
						v2 = tn_load_f16_v8(b_v + (336*d_N*i5 + d_N*i6 + 16*i4 + 8));
					} else {
						v2 = tn_loadn_f16_v8(b_v + (336*d_N*i5 + d_N*i6 + 16*i4 + 8), tn_min(d_N - 16*i4 - 8, 8));
					}
					const tn_f32_v8 v3 = tn_cast_f16_f32_v8(v2);
					tn_store_f32_v8(pack_b1 + (5376*i5*c1 + 5376*i4 + 16*i6 + 8), v3);
				}
			}
		}
	}
}
#endif

#if !defined TN_PHASE || TN_PHASE == 2
TN_EXPORT void k0_main(const TnArgs *args, int worker, int workers,
		TnStatus *st)
{
	const int64_t d_M = args->dims[0];
	const int64_t d_K = args->dims[1];
	const int64_t d_N = args->dims[2];
	const int64_t c0 = (d_N + 15)/16;
	const int64_t c1 = (d_M + 5)/6;
	const int64_t c2 = tn_max((d_K + 335)/336, 1);
	const int64_t c3 = (d_N + 63)/64;
	const int64_t c4 = (d_M + 47)/48;
	char *const scratch = args->scratch + worker * args->scratch_stride;
	float *const pack_b0 = args->buffers[0];
	float *const pack_b1 = args->buffers[2];
	float *const tile = (float *)(scratch + 0);
	float *const pack_a = (float *)(scratch + 12288);
	float *const tile_1 = (float *)(scratch + 76800LL);
	const uint16_t *const b_x = args->buffers[4];
	uint16_t *const b13 = args->buffers[5];
	const int64_t tasks = c4*c3;
	int done = 0;
	int64_t t = -1;

	(void)st;
	while ((t = tn_task(args, worker, workers, tasks, t, &done)) <
	       tasks) {
		const int64_t i8 = t / c3;
		const int64_t i9 = t % c3;
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
		TN_REG tn_f32_v8 r_acc_1_2_0 = {0};
		TN_REG tn_f32_v8 r_acc_1_2_1 = {0};
		TN_REG tn_f32_v8 r_acc_1_3_0 = {0};
		TN_REG tn_f32_v8 r_acc_1_3_1 = {0};
		TN_REG tn_f32_v8 r_acc_1_4_0 = {0};
		TN_REG tn_f32_v8 r_acc_1_4_1 = {0};
		TN_REG tn_f32_v8 r_acc_1_5_0 = {0};
		TN_REG tn_f32_v8 r_acc_1_5_1 = {0};
		TN_REG tn_f32_v8 r_brow_1_0 = {0};
		TN_REG tn_f32_v8 r_brow_1_1 = {0};
		for (int64_t i10 = 0; i10 < tn_min(c0 - 4*i9, 4); i10++) {
			for (int64_t i11 = 0; i11 < tn_min(c1 - 8*i8, 8); i11++) {
				for (int64_t i12 = 0; i12 < 6; i12++) {
					{
						const tn_f32_s v4 = 0x0p+0f;
						tn_store_f32_v8(tile + (768*i10 + 96*i11 + 16*i12), tn_splat_f32_v8(v4));
					}
					{
						const tn_f32_s v4 = 0x0p+0f;
						tn_store_f32_v8(tile + (768*i10 + 96*i11 + 16*i12 + 8), tn_splat_f32_v8(v4));
					}
				}
			}
		}
		for (int64_t i14 = 0; i14 < tn_min(c0 - 4*i9, 4); i14++) {
			for (int64_t i15 = 0; i15 < tn_min(c1 - 8*i8, 8); i15++) {
				for (int64_t i16 = 0; i16 < 6; i16++) {
					{
						const tn_f32_s v5 = 0x0p+0f;
						tn_store_f32_v8(tile_1 + (768*i14 + 96*i15 + 16*i16), tn_splat_f32_v8(v5));
					}
					{
						const tn_f32_s v5 = 0x0p+0f;
						tn_store_f32_v8(tile_1 + (768*i14 + 96*i15 + 16*i16 + 8), tn_splat_f32_v8(v5));
					}
				}
			}
		}
		for (int64_t i18 = 0; i18 < c2; i18++) {
			for (int64_t i19 = 0; i19 < tn_min(c1 - 8*i8, 8); i19++) {
				{
					const int64_t n20 = tn_min(d_K - 336*i18, 336);
					int64_t i20 = 0;
					for (; i20 <= n20 - 8; i20 += 8) {
						tn_f32_v8 t0_0[8] = {{0}};
						for (int64_t i21 = 0; i21 < 6; i21++) {
							/* %0 x = input: line 8 */
							const tn_f16_v8 v6 = d_M - 48*i8 - 6*i19 - i21 - 1 >= 0 ? tn_load_f16_v8(b_x + (48*d_K*i8 + 6*d_K*i19 + d_K*i21 + 336*i18 + i20)) : tn_splat_f16_v8(0);
							const tn_f32_v8 v7 = tn_cast_f16_f32_v8(v6);
							t0_0[i21] = v7;
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
						tn_storen_f32_v8(pack_a + (2016*i19 + 6*i20), 6, t0_3_0);
						tn_storen_f32_v8(pack_a + (2016*i19 + 6*i20 + 6), 6, t0_3_1);
						tn_storen_f32_v8(pack_a + (2016*i19 + 6*i20 + 12), 6, t0_3_2);
						tn_storen_f32_v8(pack_a + (2016*i19 + 6*i20 + 18), 6, t0_3_3);
						tn_storen_f32_v8(pack_a + (2016*i19 + 6*i20 + 24), 6, t0_3_4);
						tn_storen_f32_v8(pack_a + (2016*i19 + 6*i20 + 30), 6, t0_3_5);
						tn_storen_f32_v8(pack_a + (2016*i19 + 6*i20 + 36), 6, t0_3_6);
						tn_storen_f32_v8(pack_a + (2016*i19 + 6*i20 + 42), 6, t0_3_7);
					}
					if (i20 < n20) {
						const int64_t m20 = n20 - i20;
						tn_f32_v8 t1_0[8] = {{0}};
						for (int64_t i21 = 0; i21 < 6; i21++) {
							const tn_f16_v8 v6 = d_M - 48*i8 - 6*i19 - i21 - 1 >= 0 ? tn_loadn_f16_v8(b_x + (48*d_K*i8 + 6*d_K*i19 + d_K*i21 + 336*i18 + i20), m20) : tn_splat_f16_v8(0);
							const tn_f32_v8 v7 = tn_cast_f16_f32_v8(v6);
							t1_0[i21] = v7;
						}
						tn_turn_f32_v8(t1_0);
						for (int64_t i49 = 0; i49 < m20; i49++)
							tn_storen_f32_v8(pack_a + (2016*i19 + 6*i20 + 6*i49), 6, t1_0[i49]);
					}
				}
			}
			for (int64_t i22 = 0; i22 < tn_min(c0 - 4*i9, 4); i22++) {
				for (int64_t i23 = 0; i23 < tn_min(c1 - 8*i8, 8); i23++) {
					if (i18 - 1 >= 0) {
						{
							const tn_f32_v8 v8 = tn_load_f32_v8(tile + (768*i22 + 96*i23));
							r_acc_0_0 = v8;
							tn_ahead(tile + (768*i22 + 96*i23 + 96));
						}
						{
							const tn_f32_v8 v8 = tn_load_f32_v8(tile + (768*i22 + 96*i23 + 8));
							r_acc_0_1 = v8;
							tn_ahead(tile + (768*i22 + 96*i23 + 104));
						}
						{
							const tn_f32_v8 v8 = tn_load_f32_v8(tile + (768*i22 + 96*i23 + 16));
							r_acc_1_0 = v8;
							tn_ahead(tile + (768*i22 + 96*i23 + 112));
						}
						{
							const tn_f32_v8 v8 = tn_load_f32_v8(tile + (768*i22 + 96*i23 + 24));
							r_acc_1_1 = v8;
							tn_ahead(tile + (768*i22 + 96*i23 + 120));
						}
						{
							const tn_f32_v8 v8 = tn_load_f32_v8(tile + (768*i22 + 96*i23 + 32));
							r_acc_2_0 = v8;
							tn_ahead(tile + (768*i22 + 96*i23 + 128));
						}
						{
							const tn_f32_v8 v8 = tn_load_f32_v8(tile + (768*i22 + 96*i23 + 40));
							r_acc_2_1 = v8;
							tn_ahead(tile + (768*i22 + 96*i23 + 136));
						}
						{
							const tn_f32_v8 v8 = tn_load_f32_v8(tile + (768*i22 + 96*i23 + 48));
							r_acc_3_0 = v8;
							tn_ahead(tile + (768*i22 + 96*i23 + 144));
						}
						{
							const tn_f32_v8 v8 = tn_load_f32_v8(tile + (768*i22 + 96*i23 + 56));
							r_acc_3_1 = v8;
							tn_ahead(tile + (768*i22 + 96*i23 + 152));
						}
						{
							const tn_f32_v8 v8 = tn_load_f32_v8(tile + (768*i22 + 96*i23 + 64));
							r_acc_4_0 = v8;
							tn_ahead(tile + (768*i22 + 96*i23 + 160));
						}
						{
							const tn_f32_v8 v8 = tn_load_f32_v8(tile + (768*i22 + 96*i23 + 72));
							r_acc_4_1 = v8;
							tn_ahead(tile + (768*i22 + 96*i23 + 168));
						}
						{
							const tn_f32_v8 v8 = tn_load_f32_v8(tile + (768*i22 + 96*i23 + 80));
							r_acc_5_0 = v8;
							tn_ahead(tile + (768*i22 + 96*i23 + 176));
						}
						{
							const tn_f32_v8 v8 = tn_load_f32_v8(tile + (768*i22 + 96*i23 + 88));
							r_acc_5_1 = v8;
							tn_ahead(tile + (768*i22 + 96*i23 + 184));
						}
					} else {
						{
							const tn_f32_s v9 = 0x0p+0f;
							r_acc_0_0 = tn_splat_f32_v8(v9);
						}
						{
							const tn_f32_s v9 = 0x0p+0f;
							r_acc_0_1 = tn_splat_f32_v8(v9);
						}
						{
							const tn_f32_s v9 = 0x0p+0f;
							r_acc_1_0 = tn_splat_f32_v8(v9);
						}
						{
							const tn_f32_s v9 = 0x0p+0f;
							r_acc_1_1 = tn_splat_f32_v8(v9);
						}
						{
							const tn_f32_s v9 = 0x0p+0f;
							r_acc_2_0 = tn_splat_f32_v8(v9);
						}
						{
							const tn_f32_s v9 = 0x0p+0f;
							r_acc_2_1 = tn_splat_f32_v8(v9);
						}
						{
							const tn_f32_s v9 = 0x0p+0f;
							r_acc_3_0 = tn_splat_f32_v8(v9);
						}
						{
							const tn_f32_s v9 = 0x0p+0f;
							r_acc_3_1 = tn_splat_f32_v8(v9);
						}
						{
							const tn_f32_s v9 = 0x0p+0f;
							r_acc_4_0 = tn_splat_f32_v8(v9);
						}
						{
							const tn_f32_s v9 = 0x0p+0f;
							r_acc_4_1 = tn_splat_f32_v8(v9);
						}
						{
							const tn_f32_s v9 = 0x0p+0f;
							r_acc_5_0 = tn_splat_f32_v8(v9);
						}
						{
							const tn_f32_s v9 = 0x0p+0f;
							r_acc_5_1 = tn_splat_f32_v8(v9);
						}
					}
					for (int64_t i28 = 0; i28 < tn_min(d_K - 336*i18, 336); i28++) {
						{
							const tn_f32_v8 v10 = tn_load_f32_v8(pack_b0 + (5376*i18*c0 + 21504*i9 + 5376*i22 + 16*i28));
							r_brow_0 = v10;
						}
						{
							const tn_f32_v8 v10 = tn_load_f32_v8(pack_b0 + (5376*i18*c0 + 21504*i9 + 5376*i22 + 16*i28 + 8));
							r_brow_1 = v10;
						}
						{
							const tn_f32_s v11 = pack_a[2016*i23 + 6*i28];
							{
								const tn_f32_v8 v12 = r_brow_0;
								const tn_f32_v8 v13 = r_acc_0_0;
								const tn_f32_v8 v14 = tn_mac_f32_v8(tn_splat_f32_v8(v11), v12, v13);
								r_acc_0_0 = v14;
							}
							{
								const tn_f32_v8 v12 = r_brow_1;
								const tn_f32_v8 v13 = r_acc_0_1;
								const tn_f32_v8 v14 = tn_mac_f32_v8(tn_splat_f32_v8(v11), v12, v13);
								r_acc_0_1 = v14;
							}
						}
						{
							const tn_f32_s v11 = pack_a[2016*i23 + 6*i28 + 1];
							{
								const tn_f32_v8 v12 = r_brow_0;
								const tn_f32_v8 v13 = r_acc_1_0;
								const tn_f32_v8 v14 = tn_mac_f32_v8(tn_splat_f32_v8(v11), v12, v13);
								r_acc_1_0 = v14;
							}
							{
								const tn_f32_v8 v12 = r_brow_1;
								const tn_f32_v8 v13 = r_acc_1_1;
								const tn_f32_v8 v14 = tn_mac_f32_v8(tn_splat_f32_v8(v11), v12, v13);
								r_acc_1_1 = v14;
							}
						}
						{
							const tn_f32_s v11 = pack_a[2016*i23 + 6*i28 + 2];
							{
								const tn_f32_v8 v12 = r_brow_0;
								const tn_f32_v8 v13 = r_acc_2_0;
								const tn_f32_v8 v14 = tn_mac_f32_v8(tn_splat_f32_v8(v11), v12, v13);
								r_acc_2_0 = v14;
							}
							{
								const tn_f32_v8 v12 = r_brow_1;
								const tn_f32_v8 v13 = r_acc_2_1;
								const tn_f32_v8 v14 = tn_mac_f32_v8(tn_splat_f32_v8(v11), v12, v13);
								r_acc_2_1 = v14;
							}
						}
						{
							const tn_f32_s v11 = pack_a[2016*i23 + 6*i28 + 3];
							{
								const tn_f32_v8 v12 = r_brow_0;
								const tn_f32_v8 v13 = r_acc_3_0;
								const tn_f32_v8 v14 = tn_mac_f32_v8(tn_splat_f32_v8(v11), v12, v13);
								r_acc_3_0 = v14;
							}
							{
								const tn_f32_v8 v12 = r_brow_1;
								const tn_f32_v8 v13 = r_acc_3_1;
								const tn_f32_v8 v14 = tn_mac_f32_v8(tn_splat_f32_v8(v11), v12, v13);
								r_acc_3_1 = v14;
							}
						}
						{
							const tn_f32_s v11 = pack_a[2016*i23 + 6*i28 + 4];
							{
								const tn_f32_v8 v12 = r_brow_0;
								const tn_f32_v8 v13 = r_acc_4_0;
								const tn_f32_v8 v14 = tn_mac_f32_v8(tn_splat_f32_v8(v11), v12, v13);
								r_acc_4_0 = v14;
							}
							{
								const tn_f32_v8 v12 = r_brow_1;
								const tn_f32_v8 v13 = r_acc_4_1;
								const tn_f32_v8 v14 = tn_mac_f32_v8(tn_splat_f32_v8(v11), v12, v13);
								r_acc_4_1 = v14;
							}
						}
						{
							const tn_f32_s v11 = pack_a[2016*i23 + 6*i28 + 5];
							{
								const tn_f32_v8 v12 = r_brow_0;
								const tn_f32_v8 v13 = r_acc_5_0;
								const tn_f32_v8 v14 = tn_mac_f32_v8(tn_splat_f32_v8(v11), v12, v13);
								r_acc_5_0 = v14;
							}
							{
								const tn_f32_v8 v12 = r_brow_1;
								const tn_f32_v8 v13 = r_acc_5_1;
								const tn_f32_v8 v14 = tn_mac_f32_v8(tn_splat_f32_v8(v11), v12, v13);
								r_acc_5_1 = v14;
							}
						}
					}
					{
						const tn_f32_v8 v15 = r_acc_0_0;
						tn_store_f32_v8(tile + (768*i22 + 96*i23), v15);
					}
					{
						const tn_f32_v8 v15 = r_acc_0_1;
						tn_store_f32_v8(tile + (768*i22 + 96*i23 + 8), v15);
					}
					{
						const tn_f32_v8 v15 = r_acc_1_0;
						tn_store_f32_v8(tile + (768*i22 + 96*i23 + 16), v15);
					}
					{
						const tn_f32_v8 v15 = r_acc_1_1;
						tn_store_f32_v8(tile + (768*i22 + 96*i23 + 24), v15);
					}
					{
						const tn_f32_v8 v15 = r_acc_2_0;
						tn_store_f32_v8(tile + (768*i22 + 96*i23 + 32), v15);
					}
					{
						const tn_f32_v8 v15 = r_acc_2_1;
						tn_store_f32_v8(tile + (768*i22 + 96*i23 + 40), v15);
					}
					{
						const tn_f32_v8 v15 = r_acc_3_0;
						tn_store_f32_v8(tile + (768*i22 + 96*i23 + 48), v15);
					}
					{
						const tn_f32_v8 v15 = r_acc_3_1;
						tn_store_f32_v8(tile + (768*i22 + 96*i23 + 56), v15);
					}
					{
						const tn_f32_v8 v15 = r_acc_4_0;
						tn_store_f32_v8(tile + (768*i22 + 96*i23 + 64), v15);
					}
					{
						const tn_f32_v8 v15 = r_acc_4_1;
						tn_store_f32_v8(tile + (768*i22 + 96*i23 + 72), v15);
					}
					{
						const tn_f32_v8 v15 = r_acc_5_0;
						tn_store_f32_v8(tile + (768*i22 + 96*i23 + 80), v15);
					}
					{
						const tn_f32_v8 v15 = r_acc_5_1;
						tn_store_f32_v8(tile + (768*i22 + 96*i23 + 88), v15);
					}
				}
				for (int64_t i34 = 0; i34 < tn_min(c1 - 8*i8, 8); i34++) {
					if (i18 + 1 - c2 >= 0 && 4*d_M*d_N - 262144LL >= 0) {
						for (int64_t i47 = 0; i47 < tn_min(d_M - 48*i8 - 6*i34, 6); i47++) {
							for (int64_t i48 = 0; i48 < tn_min(d_N - 64*i9 - 16*i22, 16); i48 += 8) {
								tn_ahead(b13 + (48*d_N*i8 + 6*d_N*i34 + d_N*i47 + 64*i9 + 16*i22 + i48 + 7));
							}
						}
					}
					if (i18 - 1 >= 0) {
						{
							const tn_f32_v8 v16 = tn_load_f32_v8(tile_1 + (768*i22 + 96*i34));
							r_acc_1_0_0 = v16;
							tn_ahead(tile_1 + (768*i22 + 96*i34 + 96));
						}
						{
							const tn_f32_v8 v16 = tn_load_f32_v8(tile_1 + (768*i22 + 96*i34 + 8));
							r_acc_1_0_1 = v16;
							tn_ahead(tile_1 + (768*i22 + 96*i34 + 104));
						}
						{
							const tn_f32_v8 v16 = tn_load_f32_v8(tile_1 + (768*i22 + 96*i34 + 16));
							r_acc_1_1_0 = v16;
							tn_ahead(tile_1 + (768*i22 + 96*i34 + 112));
						}
						{
							const tn_f32_v8 v16 = tn_load_f32_v8(tile_1 + (768*i22 + 96*i34 + 24));
							r_acc_1_1_1 = v16;
							tn_ahead(tile_1 + (768*i22 + 96*i34 + 120));
						}
						{
							const tn_f32_v8 v16 = tn_load_f32_v8(tile_1 + (768*i22 + 96*i34 + 32));
							r_acc_1_2_0 = v16;
							tn_ahead(tile_1 + (768*i22 + 96*i34 + 128));
						}
						{
							const tn_f32_v8 v16 = tn_load_f32_v8(tile_1 + (768*i22 + 96*i34 + 40));
							r_acc_1_2_1 = v16;
							tn_ahead(tile_1 + (768*i22 + 96*i34 + 136));
						}
						{
							const tn_f32_v8 v16 = tn_load_f32_v8(tile_1 + (768*i22 + 96*i34 + 48));
							r_acc_1_3_0 = v16;
							tn_ahead(tile_1 + (768*i22 + 96*i34 + 144));
						}
						{
							const tn_f32_v8 v16 = tn_load_f32_v8(tile_1 + (768*i22 + 96*i34 + 56));
							r_acc_1_3_1 = v16;
							tn_ahead(tile_1 + (768*i22 + 96*i34 + 152));
						}
						{
							const tn_f32_v8 v16 = tn_load_f32_v8(tile_1 + (768*i22 + 96*i34 + 64));
							r_acc_1_4_0 = v16;
							tn_ahead(tile_1 + (768*i22 + 96*i34 + 160));
						}
						{
							const tn_f32_v8 v16 = tn_load_f32_v8(tile_1 + (768*i22 + 96*i34 + 72));
							r_acc_1_4_1 = v16;
							tn_ahead(tile_1 + (768*i22 + 96*i34 + 168));
						}
						{
							const tn_f32_v8 v16 = tn_load_f32_v8(tile_1 + (768*i22 + 96*i34 + 80));
							r_acc_1_5_0 = v16;
							tn_ahead(tile_1 + (768*i22 + 96*i34 + 176));
						}
						{
							const tn_f32_v8 v16 = tn_load_f32_v8(tile_1 + (768*i22 + 96*i34 + 88));
							r_acc_1_5_1 = v16;
							tn_ahead(tile_1 + (768*i22 + 96*i34 + 184));
						}
					} else {
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
							r_acc_1_1_0 = tn_splat_f32_v8(v17);
						}
						{
							const tn_f32_s v17 = 0x0p+0f;
							r_acc_1_1_1 = tn_splat_f32_v8(v17);
						}
						{
							const tn_f32_s v17 = 0x0p+0f;
							r_acc_1_2_0 = tn_splat_f32_v8(v17);
						}
						{
							const tn_f32_s v17 = 0x0p+0f;
							r_acc_1_2_1 = tn_splat_f32_v8(v17);
						}
						{
							const tn_f32_s v17 = 0x0p+0f;
							r_acc_1_3_0 = tn_splat_f32_v8(v17);
						}
						{
							const tn_f32_s v17 = 0x0p+0f;
							r_acc_1_3_1 = tn_splat_f32_v8(v17);
						}
						{
							const tn_f32_s v17 = 0x0p+0f;
							r_acc_1_4_0 = tn_splat_f32_v8(v17);
						}
						{
							const tn_f32_s v17 = 0x0p+0f;
							r_acc_1_4_1 = tn_splat_f32_v8(v17);
						}
						{
							const tn_f32_s v17 = 0x0p+0f;
							r_acc_1_5_0 = tn_splat_f32_v8(v17);
						}
						{
							const tn_f32_s v17 = 0x0p+0f;
							r_acc_1_5_1 = tn_splat_f32_v8(v17);
						}
					}
					for (int64_t i39 = 0; i39 < tn_min(d_K - 336*i18, 336); i39++) {
						{
							const tn_f32_v8 v18 = tn_load_f32_v8(pack_b1 + (5376*i18*c0 + 21504*i9 + 5376*i22 + 16*i39));
							r_brow_1_0 = v18;
						}
						{
							const tn_f32_v8 v18 = tn_load_f32_v8(pack_b1 + (5376*i18*c0 + 21504*i9 + 5376*i22 + 16*i39 + 8));
							r_brow_1_1 = v18;
						}
						{
							const tn_f32_s v19 = pack_a[2016*i34 + 6*i39];
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
						}
						{
							const tn_f32_s v19 = pack_a[2016*i34 + 6*i39 + 1];
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
						}
						{
							const tn_f32_s v19 = pack_a[2016*i34 + 6*i39 + 2];
							{
								const tn_f32_v8 v20 = r_brow_1_0;
								const tn_f32_v8 v21 = r_acc_1_2_0;
								const tn_f32_v8 v22 = tn_mac_f32_v8(tn_splat_f32_v8(v19), v20, v21);
								r_acc_1_2_0 = v22;
							}
							{
								const tn_f32_v8 v20 = r_brow_1_1;
								const tn_f32_v8 v21 = r_acc_1_2_1;
								const tn_f32_v8 v22 = tn_mac_f32_v8(tn_splat_f32_v8(v19), v20, v21);
								r_acc_1_2_1 = v22;
							}
						}
						{
							const tn_f32_s v19 = pack_a[2016*i34 + 6*i39 + 3];
							{
								const tn_f32_v8 v20 = r_brow_1_0;
								const tn_f32_v8 v21 = r_acc_1_3_0;
								const tn_f32_v8 v22 = tn_mac_f32_v8(tn_splat_f32_v8(v19), v20, v21);
								r_acc_1_3_0 = v22;
							}
							{
								const tn_f32_v8 v20 = r_brow_1_1;
								const tn_f32_v8 v21 = r_acc_1_3_1;
								const tn_f32_v8 v22 = tn_mac_f32_v8(tn_splat_f32_v8(v19), v20, v21);
								r_acc_1_3_1 = v22;
							}
						}
						{
							const tn_f32_s v19 = pack_a[2016*i34 + 6*i39 + 4];
							{
								const tn_f32_v8 v20 = r_brow_1_0;
								const tn_f32_v8 v21 = r_acc_1_4_0;
								const tn_f32_v8 v22 = tn_mac_f32_v8(tn_splat_f32_v8(v19), v20, v21);
								r_acc_1_4_0 = v22;
							}
							{
								const tn_f32_v8 v20 = r_brow_1_1;
								const tn_f32_v8 v21 = r_acc_1_4_1;
								const tn_f32_v8 v22 = tn_mac_f32_v8(tn_splat_f32_v8(v19), v20, v21);
								r_acc_1_4_1 = v22;
							}
						}
						{
							const tn_f32_s v19 = pack_a[2016*i34 + 6*i39 + 5];
							{
								const tn_f32_v8 v20 = r_brow_1_0;
								const tn_f32_v8 v21 = r_acc_1_5_0;
								const tn_f32_v8 v22 = tn_mac_f32_v8(tn_splat_f32_v8(v19), v20, v21);
								r_acc_1_5_0 = v22;
							}
							{
								const tn_f32_v8 v20 = r_brow_1_1;
								const tn_f32_v8 v21 = r_acc_1_5_1;
								const tn_f32_v8 v22 = tn_mac_f32_v8(tn_splat_f32_v8(v19), v20, v21);
								r_acc_1_5_1 = v22;
							}
						}
					}
					{
						const tn_f32_v8 v23 = r_acc_1_0_0;
						tn_store_f32_v8(tile_1 + (768*i22 + 96*i34), v23);
					}
					{
						const tn_f32_v8 v23 = r_acc_1_0_1;
						tn_store_f32_v8(tile_1 + (768*i22 + 96*i34 + 8), v23);
					}
					{
						const tn_f32_v8 v23 = r_acc_1_1_0;
						tn_store_f32_v8(tile_1 + (768*i22 + 96*i34 + 16), v23);
					}
					{
						const tn_f32_v8 v23 = r_acc_1_1_1;
						tn_store_f32_v8(tile_1 + (768*i22 + 96*i34 + 24), v23);
					}
					{
						const tn_f32_v8 v23 = r_acc_1_2_0;
						tn_store_f32_v8(tile_1 + (768*i22 + 96*i34 + 32), v23);
					}
					{
						const tn_f32_v8 v23 = r_acc_1_2_1;
						tn_store_f32_v8(tile_1 + (768*i22 + 96*i34 + 40), v23);
					}
					{
						const tn_f32_v8 v23 = r_acc_1_3_0;
						tn_store_f32_v8(tile_1 + (768*i22 + 96*i34 + 48), v23);
					}
					{
						const tn_f32_v8 v23 = r_acc_1_3_1;
						tn_store_f32_v8(tile_1 + (768*i22 + 96*i34 + 56), v23);
					}
					{
						const tn_f32_v8 v23 = r_acc_1_4_0;
						tn_store_f32_v8(tile_1 + (768*i22 + 96*i34 + 64), v23);
					}
					{
						const tn_f32_v8 v23 = r_acc_1_4_1;
						tn_store_f32_v8(tile_1 + (768*i22 + 96*i34 + 72), v23);
					}
					{
						const tn_f32_v8 v23 = r_acc_1_5_0;
						tn_store_f32_v8(tile_1 + (768*i22 + 96*i34 + 80), v23);
					}
					{
						const tn_f32_v8 v23 = r_acc_1_5_1;
						tn_store_f32_v8(tile_1 + (768*i22 + 96*i34 + 88), v23);
					}
					if (i18 + 1 - c2 >= 0) {
						for (int64_t i45 = 0; i45 < tn_min(d_M - 48*i8 - 6*i34, 6); i45++) {
							{
								const int64_t n46 = tn_min(d_N - 64*i9 - 16*i22, 16);
								int64_t i46 = 0;
								for (; i46 <= n46 - 8; i46 += 8) {
									const tn_f32_v8 v24 = tn_load_f32_v8(tile + (768*i22 + 96*i34 + 16*i45 + i46));
									/* %3 = matmul: line 9 */
									const tn_f16_v8 v25 = tn_round_f16_v8(v24);
									const tn_f32_v8 v26 = tn_load_f32_v8(tile_1 + (768*i22 + 96*i34 + 16*i45 + i46));
									/* %12 = matmul: line 9 */
									const tn_f16_v8 v27 = tn_round_f16_v8(v26);
									/* %4 = cast: line 9 */
									const tn_f32_v8 v28 = tn_cast_f16_f32_v8(v25);
									/* %5 = neg: line 9 */
									const tn_f32_v8 v29 = tn_neg_f32_v8(v28);
									/* %6 = exp: line 9 */
									const tn_f32_v8 v30 = tn_exp_f32_v8(v29);
									/* %7 = const: line 9 */
									const tn_f32_s v31 = 0x1p+0f;
									/* %9 = add: line 9 */
									const tn_f32_v8 v32 = tn_splat_f32_v8(v31) + v30;
									/* %10 = div: line 9 */
									const tn_f32_v8 v33 = tn_div_f32_v8(v28, v32);
									/* %11 = cast: line 9 */
									const tn_f16_v8 v34 = tn_cast_f32_f16_v8(v33);
									/* %13 = mul: line 9 */
									const tn_f16_v8 v35 = tn_mul_f16_v8(v34, v27);
									tn_store_f16_v8(b13 + (48*d_N*i8 + 6*d_N*i34 + d_N*i45 + 64*i9 + 16*i22 + i46), v35);
								}
								if (i46 < n46) {
									const int64_t m46 = n46 - i46;
									const tn_f32_v8 v24 = tn_loadn_f32_v8(tile + (768*i22 + 96*i34 + 16*i45 + i46), m46);
									const tn_f16_v8 v25 = tn_round_f16_v8(v24);
									const tn_f32_v8 v26 = tn_loadn_f32_v8(tile_1 + (768*i22 + 96*i34 + 16*i45 + i46), m46);
									const tn_f16_v8 v27 = tn_round_f16_v8(v26);
									const tn_f32_v8 v28 = tn_cast_f16_f32_v8(v25);
									const tn_f32_v8 v29 = tn_neg_f32_v8(v28);
									const tn_f32_v8 v30 = tn_exp_f32_v8(v29);
									const tn_f32_s v31 = 0x1p+0f;
									const tn_f32_v8 v32 = tn_splat_f32_v8(v31) + v30;
									const tn_f32_v8 v33 = tn_div_f32_v8(v28, v32);
									const tn_f16_v8 v34 = tn_cast_f32_f16_v8(v33);
									const tn_f16_v8 v35 = tn_mul_f16_v8(v34, v27);
									tn_storen_f16_v8(b13 + (48*d_N*i8 + 6*d_N*i34 + d_N*i45 + 64*i9 + 16*i22 + i46), m46, v35);
								}
							}
						}
					}
				}
			}
		}
	}
}
#endif
