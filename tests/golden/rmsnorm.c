/*
 * k0: region 0 of rmsnorm, by rowreduce lanes=8 rows=16384 stream=1 ahead=1 split=1 keep=1 distance=1
 * lanes run along the row: the last axis is folded; past the caches beyond 12288 kB of inputs and outputs, which is what 8 CPUs keep; rows of 65536 elements, which fill a core's cache, or of 65536 times their number, are cut into pieces of 16384
 *   %2 = cast: f32, line 9
 *   %3 = mul: f32, line 9
 *   %4 = sum: f32, line 9
 *   %6 = iota: f32, line 9
 *   %8 = div: f32, line 9
 *   %9 = const: f32, line 9
 *   %11 = add: f32, line 9
 *   %12 = rsqrt: f32, line 9
 *   %14 = mul: f32, line 9
 *   %16 = cast: f32, line 9
 *   %17 = mul: f32, line 9
 *   %18 = cast: f16, line 9
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
typedef float tn_f32_v4 __attribute__((vector_size(16)));
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
typedef float tn_f32_v4u __attribute__((vector_size(16), aligned(1), may_alias));
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
TN_INLINE tn_f32_s tn_hsum_f32_v8(tn_f32_v8 a)
{
	return tn_hsum_f32_v4(tn_add_f32_v4(tn_lo_f32_v8(a), tn_hi_f32_v8(a)));
}
typedef int64_t tn_i64_s;
TN_INLINE tn_f32_s tn_cast_i64_f32_s(tn_i64_s a)
{
	return (tn_f32_s)a;
}
TN_INLINE tn_f32_s tn_iota_f32_s(int64_t a)
{
	return tn_cast_i64_f32_s(a);
}
TN_INLINE tn_f32_s tn_div_f32_s(tn_f32_s a, tn_f32_s b)
{
	return a / b;
}
TN_INLINE tn_f32_s tn_sqrt_f32_s(tn_f32_s a)
{
	return __builtin_sqrtf(a);
}
TN_INLINE tn_f32_s tn_rsqrt_f32_s(tn_f32_s a)
{
	return (tn_f32_s)1 / tn_sqrt_f32_s(a);
}
TN_INLINE int64_t tn_head(const void *a, int64_t b, int64_t c, int64_t d)
{
	int64_t n = -(int64_t)a & (b - 1);

	if (n % c != 0)
		return 0;
	return n / c < d ? n / c : d;
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
TN_INLINE void tn_ahead(const void *a)
{
	__builtin_prefetch(a, 0, 2);
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
	const uint16_t *const b_x = args->buffers[0];
	const uint16_t *const b_g = args->buffers[1];
	uint16_t *const b18 = args->buffers[2];
	const int64_t tasks = c2 + 1 - c2*c3 - c3;
	int done = 0;
	int64_t t = -1;

	(void)st;
	while ((t = tn_task(args, worker, workers, tasks, t, &done)) <
	       tasks) {
		const int64_t i1 = t % (c2 + 1);
		for (int64_t i2 = 0; i2 < tn_min(c0, d_M - i1*c0); i2++) {
			tn_f32_s v0 = 0;
			{
				const int64_t n3 = d_K;
				tn_f32_v8 v0_0 = tn_splat_f32_v8(0);
				tn_f32_v8 v0_1 = tn_splat_f32_v8(0);
				tn_f32_v8 v0_2 = tn_splat_f32_v8(0);
				tn_f32_v8 v0_3 = tn_splat_f32_v8(0);
				tn_f32_v8 v0_4 = tn_splat_f32_v8(0);
				tn_f32_v8 v0_5 = tn_splat_f32_v8(0);
				tn_f32_v8 v0_6 = tn_splat_f32_v8(0);
				tn_f32_v8 v0_7 = tn_splat_f32_v8(0);
				int64_t i3 = 0;
				for (; i3 <= n3 - 64; i3 += 64) {
					{
						/* %0 x = input: line 8 */
						const tn_f16_v8 v1 = tn_load_f16_v8(b_x + (d_K*i1*c1 + d_K*i2 + i3));
						/* %2 = cast: line 9 */
						const tn_f32_v8 v2 = tn_cast_f16_f32_v8(v1);
						/* %3 = mul: line 9 */
						const tn_f32_v8 v3 = v2 * v2;
						v0_0 = v0_0 + v3;
					}
					{
						const tn_f16_v8 v1 = tn_load_f16_v8(b_x + (d_K*i1*c1 + d_K*i2 + i3 + 8));
						const tn_f32_v8 v2 = tn_cast_f16_f32_v8(v1);
						const tn_f32_v8 v3 = v2 * v2;
						v0_1 = v0_1 + v3;
					}
					{
						const tn_f16_v8 v1 = tn_load_f16_v8(b_x + (d_K*i1*c1 + d_K*i2 + i3 + 16));
						const tn_f32_v8 v2 = tn_cast_f16_f32_v8(v1);
						const tn_f32_v8 v3 = v2 * v2;
						v0_2 = v0_2 + v3;
					}
					{
						const tn_f16_v8 v1 = tn_load_f16_v8(b_x + (d_K*i1*c1 + d_K*i2 + i3 + 24));
						const tn_f32_v8 v2 = tn_cast_f16_f32_v8(v1);
						const tn_f32_v8 v3 = v2 * v2;
						v0_3 = v0_3 + v3;
					}
					{
						const tn_f16_v8 v1 = tn_load_f16_v8(b_x + (d_K*i1*c1 + d_K*i2 + i3 + 32));
						const tn_f32_v8 v2 = tn_cast_f16_f32_v8(v1);
						const tn_f32_v8 v3 = v2 * v2;
						v0_4 = v0_4 + v3;
					}
					{
						const tn_f16_v8 v1 = tn_load_f16_v8(b_x + (d_K*i1*c1 + d_K*i2 + i3 + 40));
						const tn_f32_v8 v2 = tn_cast_f16_f32_v8(v1);
						const tn_f32_v8 v3 = v2 * v2;
						v0_5 = v0_5 + v3;
					}
					{
						const tn_f16_v8 v1 = tn_load_f16_v8(b_x + (d_K*i1*c1 + d_K*i2 + i3 + 48));
						const tn_f32_v8 v2 = tn_cast_f16_f32_v8(v1);
						const tn_f32_v8 v3 = v2 * v2;
						v0_6 = v0_6 + v3;
					}
					{
						const tn_f16_v8 v1 = tn_load_f16_v8(b_x + (d_K*i1*c1 + d_K*i2 + i3 + 56));
						const tn_f32_v8 v2 = tn_cast_f16_f32_v8(v1);
						const tn_f32_v8 v3 = v2 * v2;
						v0_7 = v0_7 + v3;
					}
				}
				for (; i3 <= n3 - 8; i3 += 8) {
					const tn_f16_v8 v1 = tn_load_f16_v8(b_x + (d_K*i1*c1 + d_K*i2 + i3));
					const tn_f32_v8 v2 = tn_cast_f16_f32_v8(v1);
					const tn_f32_v8 v3 = v2 * v2;
					v0_0 = v0_0 + v3;
				}
				if (i3 < n3) {
					const int64_t m3 = n3 - i3;
					const tn_f16_v8 v1 = tn_loadn_f16_v8(b_x + (d_K*i1*c1 + d_K*i2 + i3), m3);
					const tn_f32_v8 v2 = tn_cast_f16_f32_v8(v1);
					const tn_f32_v8 v3 = v2 * v2;
					v0_0 = tn_keepn_f32_v8(v0_0 + v3, v0_0, m3);
				}
				v0 = v0 + tn_hsum_f32_v8((((v0_0 + v0_1) + (v0_2 + v0_3)) + ((v0_4 + v0_5) + (v0_6 + v0_7))));
			}
			/* %4 = sum: line 9 */
			const tn_f32_s v4 = v0;
			/* %6 = iota: line 9 */
			const tn_f32_s v5 = tn_iota_f32_s(d_K);
			/* %8 = div: line 9 */
			const tn_f32_s v6 = tn_div_f32_s(v4, v5);
			/* %9 = const: line 9 */
			const tn_f32_s v7 = 0x1.4f8b58p-17f;
			/* %11 = add: line 9 */
			const tn_f32_s v8 = v6 + v7;
			/* %12 = rsqrt: line 9 */
			const tn_f32_s v9 = tn_rsqrt_f32_s(v8);
			{
				const int64_t n4 = d_K;
				int64_t i4 = 0;
				const int64_t h4 = 4*d_K*d_M + 2*d_K - 12582913LL >= 0 ? tn_head(b18 + (d_K*i1*c1 + d_K*i2), 16, 2, n4) : 0;
				const _Bool nt4_0 = 4*d_K*d_M + 2*d_K - 12582913LL >= 0 && ((uint64_t)(b18 + (d_K*i1*c1 + d_K*i2) + h4) & 15) == 0;
				if (h4 > 0) {
					const int64_t m4 = h4;
					/* %0 x = input: line 8 */
					const tn_f16_v8 v10 = tn_loadn_f16_v8(b_x + (d_K*i1*c1 + d_K*i2 + i4), m4);
					/* %2 = cast: line 9 */
					const tn_f32_v8 v11 = tn_cast_f16_f32_v8(v10);
					/* %14 = mul: line 9 */
					const tn_f32_v8 v12 = v11 * tn_splat_f32_v8(v9);
					/* %1 g = input: line 8 */
					const tn_f16_v8 v13 = tn_loadn_f16_v8(b_g + i4, m4);
					/* %16 = cast: line 9 */
					const tn_f32_v8 v14 = tn_cast_f16_f32_v8(v13);
					/* %17 = mul: line 9 */
					const tn_f32_v8 v15 = v12 * v14;
					/* %18 = cast: line 9 */
					const tn_f16_v8 v16 = tn_cast_f32_f16_v8(v15);
					tn_storen_f16_v8(b18 + (d_K*i1*c1 + d_K*i2 + i4), m4, v16);
					if (4*d_K*d_M + 2*d_K - 12582913LL >= 0)
						tn_ahead(b_x + (d_K*i1*c1 + d_K*tn_min(i2 + 1, tn_min(c1, d_M - i1*c1) - 1) + i4));
					i4 = h4;
				}
				for (; i4 <= n4 - 8; i4 += 8) {
					const tn_f16_v8 v10 = tn_load_f16_v8(b_x + (d_K*i1*c1 + d_K*i2 + i4));
					const tn_f32_v8 v11 = tn_cast_f16_f32_v8(v10);
					const tn_f32_v8 v12 = v11 * tn_splat_f32_v8(v9);
					const tn_f16_v8 v13 = tn_load_f16_v8(b_g + i4);
					const tn_f32_v8 v14 = tn_cast_f16_f32_v8(v13);
					const tn_f32_v8 v15 = v12 * v14;
					const tn_f16_v8 v16 = tn_cast_f32_f16_v8(v15);
					tn_stream_f16_v8(b18 + (d_K*i1*c1 + d_K*i2 + i4), v16, nt4_0);
					if (4*d_K*d_M + 2*d_K - 12582913LL >= 0)
						tn_ahead(b_x + (d_K*i1*c1 + d_K*tn_min(i2 + 1, tn_min(c1, d_M - i1*c1) - 1) + i4));
				}
				if (i4 < n4) {
					const int64_t m4 = n4 - i4;
					const tn_f16_v8 v10 = tn_loadn_f16_v8(b_x + (d_K*i1*c1 + d_K*i2 + i4), m4);
					const tn_f32_v8 v11 = tn_cast_f16_f32_v8(v10);
					const tn_f32_v8 v12 = v11 * tn_splat_f32_v8(v9);
					const tn_f16_v8 v13 = tn_loadn_f16_v8(b_g + i4, m4);
					const tn_f32_v8 v14 = tn_cast_f16_f32_v8(v13);
					const tn_f32_v8 v15 = v12 * v14;
					const tn_f16_v8 v16 = tn_cast_f32_f16_v8(v15);
					tn_storen_f16_v8(b18 + (d_K*i1*c1 + d_K*i2 + i4), m4, v16);
					if (4*d_K*d_M + 2*d_K - 12582913LL >= 0)
						tn_ahead(b_x + (d_K*i1*c1 + d_K*tn_min(i2 + 1, tn_min(c1, d_M - i1*c1) - 1) + i4));
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
	float *const part = args->buffers[3];
	const int64_t tasks = d_M*c0*c1;
	int done = 0;
	int64_t t = -1;

	(void)st;
	while ((t = tn_task(args, worker, workers, tasks, t, &done)) <
	       tasks) {
		const int64_t i6 = t / c0 % d_M;
		const int64_t i8 = t % c0;
		for (int64_t i7 = 0; i7 < 1; i7++) {
			tn_f32_s v17 = 0;
			{
				const int64_t n9 = tn_min(d_K - 16384*i8, 16384);
				tn_f32_v8 v17_0 = tn_splat_f32_v8(0);
				tn_f32_v8 v17_1 = tn_splat_f32_v8(0);
				tn_f32_v8 v17_2 = tn_splat_f32_v8(0);
				tn_f32_v8 v17_3 = tn_splat_f32_v8(0);
				tn_f32_v8 v17_4 = tn_splat_f32_v8(0);
				tn_f32_v8 v17_5 = tn_splat_f32_v8(0);
				tn_f32_v8 v17_6 = tn_splat_f32_v8(0);
				tn_f32_v8 v17_7 = tn_splat_f32_v8(0);
				int64_t i9 = 0;
				for (; i9 <= n9 - 64; i9 += 64) {
					{
						/* %0 x = input: line 8 */
						const tn_f16_v8 v18 = tn_load_f16_v8(b_x + (d_K*i6 + d_K*i7 + 16384*i8 + i9));
						/* %2 = cast: line 9 */
						const tn_f32_v8 v19 = tn_cast_f16_f32_v8(v18);
						/* %3 = mul: line 9 */
						const tn_f32_v8 v20 = v19 * v19;
						v17_0 = v17_0 + v20;
					}
					{
						const tn_f16_v8 v18 = tn_load_f16_v8(b_x + (d_K*i6 + d_K*i7 + 16384*i8 + i9 + 8));
						const tn_f32_v8 v19 = tn_cast_f16_f32_v8(v18);
						const tn_f32_v8 v20 = v19 * v19;
						v17_1 = v17_1 + v20;
					}
					{
						const tn_f16_v8 v18 = tn_load_f16_v8(b_x + (d_K*i6 + d_K*i7 + 16384*i8 + i9 + 16));
						const tn_f32_v8 v19 = tn_cast_f16_f32_v8(v18);
						const tn_f32_v8 v20 = v19 * v19;
						v17_2 = v17_2 + v20;
					}
					{
						const tn_f16_v8 v18 = tn_load_f16_v8(b_x + (d_K*i6 + d_K*i7 + 16384*i8 + i9 + 24));
						const tn_f32_v8 v19 = tn_cast_f16_f32_v8(v18);
						const tn_f32_v8 v20 = v19 * v19;
						v17_3 = v17_3 + v20;
					}
					{
						const tn_f16_v8 v18 = tn_load_f16_v8(b_x + (d_K*i6 + d_K*i7 + 16384*i8 + i9 + 32));
						const tn_f32_v8 v19 = tn_cast_f16_f32_v8(v18);
						const tn_f32_v8 v20 = v19 * v19;
						v17_4 = v17_4 + v20;
					}
					{
						const tn_f16_v8 v18 = tn_load_f16_v8(b_x + (d_K*i6 + d_K*i7 + 16384*i8 + i9 + 40));
						const tn_f32_v8 v19 = tn_cast_f16_f32_v8(v18);
						const tn_f32_v8 v20 = v19 * v19;
						v17_5 = v17_5 + v20;
					}
					{
						const tn_f16_v8 v18 = tn_load_f16_v8(b_x + (d_K*i6 + d_K*i7 + 16384*i8 + i9 + 48));
						const tn_f32_v8 v19 = tn_cast_f16_f32_v8(v18);
						const tn_f32_v8 v20 = v19 * v19;
						v17_6 = v17_6 + v20;
					}
					{
						const tn_f16_v8 v18 = tn_load_f16_v8(b_x + (d_K*i6 + d_K*i7 + 16384*i8 + i9 + 56));
						const tn_f32_v8 v19 = tn_cast_f16_f32_v8(v18);
						const tn_f32_v8 v20 = v19 * v19;
						v17_7 = v17_7 + v20;
					}
				}
				for (; i9 <= n9 - 8; i9 += 8) {
					const tn_f16_v8 v18 = tn_load_f16_v8(b_x + (d_K*i6 + d_K*i7 + 16384*i8 + i9));
					const tn_f32_v8 v19 = tn_cast_f16_f32_v8(v18);
					const tn_f32_v8 v20 = v19 * v19;
					v17_0 = v17_0 + v20;
				}
				if (i9 < n9) {
					const int64_t m9 = n9 - i9;
					const tn_f16_v8 v18 = tn_loadn_f16_v8(b_x + (d_K*i6 + d_K*i7 + 16384*i8 + i9), m9);
					const tn_f32_v8 v19 = tn_cast_f16_f32_v8(v18);
					const tn_f32_v8 v20 = v19 * v19;
					v17_0 = tn_keepn_f32_v8(v17_0 + v20, v17_0, m9);
				}
				v17 = v17 + tn_hsum_f32_v8((((v17_0 + v17_1) + (v17_2 + v17_3)) + ((v17_4 + v17_5) + (v17_6 + v17_7))));
			}
			part[i6*c0 + i7*c0 + i8] = v17;
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
	float *const part = args->buffers[3];
	float *const kept = args->buffers[4];
	float *const kept_1 = args->buffers[5];
	float *const kept_2 = args->buffers[6];
	float *const kept_3 = args->buffers[7];
	const int64_t tasks = d_M*c1;
	int done = 0;
	int64_t t = -1;

	(void)st;
	while ((t = tn_task(args, worker, workers, tasks, t, &done)) <
	       tasks) {
		const int64_t i11 = t % d_M;
		for (int64_t i12 = 0; i12 < 1; i12++) {
			tn_f32_s v21 = 0;
			for (int64_t i13 = 0; i13 < c0; i13++) {
				const tn_f32_s v22 = part[i11*c0 + i12*c0 + i13];
				v21 = v21 + v22;
			}
			/* %4 = sum: line 9 */
			const tn_f32_s v23 = v21;
			/* %6 = iota: line 9 */
			const tn_f32_s v24 = tn_iota_f32_s(d_K);
			/* %8 = div: line 9 */
			const tn_f32_s v25 = tn_div_f32_s(v23, v24);
			/* %9 = const: line 9 */
			const tn_f32_s v26 = 0x1.4f8b58p-17f;
			/* %11 = add: line 9 */
			const tn_f32_s v27 = v25 + v26;
			/* %12 = rsqrt: line 9 */
			const tn_f32_s v28 = tn_rsqrt_f32_s(v27);
			kept[i11 + i12] = v23;
			kept_1[i11 + i12] = v25;
			kept_2[i11 + i12] = v27;
			kept_3[i11 + i12] = v28;
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
	const uint16_t *const b_g = args->buffers[1];
	uint16_t *const b18 = args->buffers[2];
	float *const kept_3 = args->buffers[7];
	const int64_t tasks = d_M*c0*c1;
	int done = 0;
	int64_t t = -1;

	(void)st;
	while ((t = tn_task(args, worker, workers, tasks, t, &done)) <
	       tasks) {
		const int64_t i15 = t / c0 % d_M;
		const int64_t i17 = t % c0;
		for (int64_t i16 = 0; i16 < 1; i16++) {
			const tn_f32_s v32 = kept_3[i15 + i16];
			{
				const int64_t n18 = tn_min(d_K - 16384*i17, 16384);
				int64_t i18 = 0;
				const int64_t h18 = 4*d_K*d_M + 2*d_K - 12582913LL >= 0 ? tn_head(b18 + (d_K*i15 + d_K*i16 + 16384*i17), 16, 2, n18) : 0;
				const _Bool nt18_0 = 4*d_K*d_M + 2*d_K - 12582913LL >= 0 && ((uint64_t)(b18 + (d_K*i15 + d_K*i16 + 16384*i17) + h18) & 15) == 0;
				if (h18 > 0) {
					const int64_t m18 = h18;
					/* %0 x = input: line 8 */
					const tn_f16_v8 v33 = tn_loadn_f16_v8(b_x + (d_K*i15 + d_K*i16 + 16384*i17 + i18), m18);
					/* %2 = cast: line 9 */
					const tn_f32_v8 v34 = tn_cast_f16_f32_v8(v33);
					/* %14 = mul: line 9 */
					const tn_f32_v8 v35 = v34 * tn_splat_f32_v8(v32);
					/* %1 g = input: line 8 */
					const tn_f16_v8 v36 = tn_loadn_f16_v8(b_g + (16384*i17 + i18), m18);
					/* %16 = cast: line 9 */
					const tn_f32_v8 v37 = tn_cast_f16_f32_v8(v36);
					/* %17 = mul: line 9 */
					const tn_f32_v8 v38 = v35 * v37;
					/* %18 = cast: line 9 */
					const tn_f16_v8 v39 = tn_cast_f32_f16_v8(v38);
					tn_storen_f16_v8(b18 + (d_K*i15 + d_K*i16 + 16384*i17 + i18), m18, v39);
					i18 = h18;
				}
				for (; i18 <= n18 - 8; i18 += 8) {
					const tn_f16_v8 v33 = tn_load_f16_v8(b_x + (d_K*i15 + d_K*i16 + 16384*i17 + i18));
					const tn_f32_v8 v34 = tn_cast_f16_f32_v8(v33);
					const tn_f32_v8 v35 = v34 * tn_splat_f32_v8(v32);
					const tn_f16_v8 v36 = tn_load_f16_v8(b_g + (16384*i17 + i18));
					const tn_f32_v8 v37 = tn_cast_f16_f32_v8(v36);
					const tn_f32_v8 v38 = v35 * v37;
					const tn_f16_v8 v39 = tn_cast_f32_f16_v8(v38);
					tn_stream_f16_v8(b18 + (d_K*i15 + d_K*i16 + 16384*i17 + i18), v39, nt18_0);
				}
				if (i18 < n18) {
					const int64_t m18 = n18 - i18;
					const tn_f16_v8 v33 = tn_loadn_f16_v8(b_x + (d_K*i15 + d_K*i16 + 16384*i17 + i18), m18);
					const tn_f32_v8 v34 = tn_cast_f16_f32_v8(v33);
					const tn_f32_v8 v35 = v34 * tn_splat_f32_v8(v32);
					const tn_f16_v8 v36 = tn_loadn_f16_v8(b_g + (16384*i17 + i18), m18);
					const tn_f32_v8 v37 = tn_cast_f16_f32_v8(v36);
					const tn_f32_v8 v38 = v35 * v37;
					const tn_f16_v8 v39 = tn_cast_f32_f16_v8(v38);
					tn_storen_f16_v8(b18 + (d_K*i15 + d_K*i16 + 16384*i17 + i18), m18, v39);
				}
			}
		}
	}
	tn_fence();
}
#endif
