/*
 * k0: region 0 of linear, by contract mr=6 nr=16 lanes=8 mb=15 nb=4 kc=384 a=1 b=2 unit=0 ahead=1 turned=0
 * operands packed once, a register tile over kc elements of K at a time, epilogue on the finished tile
 *   %4 = matmul: f16, line 6
 *   %6 = add: f16, line 6
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
typedef float tn_f16_s;
TN_INLINE tn_f16_v8 tn_splat_f16_v8(tn_f16_s a)
{
	return (tn_f16_v8){a, a, a, a, a, a, a, a};
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
TN_INLINE void tn_ahead(const void *a)
{
	__builtin_prefetch(a, 0, 2);
}
TN_INLINE tn_f32_v8 tn_load_f32_v8(const void *a)
{
	return *(const tn_f32_v8u *)a;
}
typedef float tn_f32_s;
TN_INLINE tn_f32_v8 tn_splat_f32_v8(tn_f32_s a)
{
	return (tn_f32_v8){a, a, a, a, a, a, a, a};
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
TN_EXPORT void k0_pack_b(const TnArgs *args, int worker, int workers,
		TnStatus *st)
{
	float *const pack_b = args->buffers[0];
	const uint16_t *const b_weight = args->buffers[1];
	const int64_t tasks = 64;
	int done = 0;
	int64_t t = -1;

	(void)st;
	while ((t = tn_task(args, worker, workers, tasks, t, &done)) <
	       tasks) {
		const int64_t i0 = t;
		for (int64_t i1 = 0; i1 < 2; i1++) {
			for (int64_t i2 = 0; i2 < 2; i2++) {
				{
					int64_t i3 = 0;
					for (; i3 <= 376; i3 += 8) {
						tn_f32_v8 t0_0[8];
						for (int64_t i4 = 0; i4 < 8; i4++) {
							/* %1 weight = input: line 5 */
							const tn_f16_v8 v0 = tn_load_f16_v8(b_weight + (12288*i0 + 384*i1 + 6144*i2 + i3 + 768*i4));
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
						tn_store_f32_v8(pack_b + (6144*i0 + 393216LL*i1 + 8*i2 + 16*i3), t0_3_0);
						tn_store_f32_v8(pack_b + (6144*i0 + 393216LL*i1 + 8*i2 + 16*i3 + 16), t0_3_1);
						tn_store_f32_v8(pack_b + (6144*i0 + 393216LL*i1 + 8*i2 + 16*i3 + 32), t0_3_2);
						tn_store_f32_v8(pack_b + (6144*i0 + 393216LL*i1 + 8*i2 + 16*i3 + 48), t0_3_3);
						tn_store_f32_v8(pack_b + (6144*i0 + 393216LL*i1 + 8*i2 + 16*i3 + 64), t0_3_4);
						tn_store_f32_v8(pack_b + (6144*i0 + 393216LL*i1 + 8*i2 + 16*i3 + 80), t0_3_5);
						tn_store_f32_v8(pack_b + (6144*i0 + 393216LL*i1 + 8*i2 + 16*i3 + 96), t0_3_6);
						tn_store_f32_v8(pack_b + (6144*i0 + 393216LL*i1 + 8*i2 + 16*i3 + 112), t0_3_7);
					}
				}
			}
		}
	}
}
#endif

#if !defined TN_PHASE || TN_PHASE == 1
TN_EXPORT void k0_main(const TnArgs *args, int worker, int workers,
		TnStatus *st)
{
	const int64_t d_M = args->dims[0];
	const int64_t c0 = (d_M + 5)/6;
	const int64_t c1 = (d_M + 89)/90;
	char *const scratch = args->scratch + worker * args->scratch_stride;
	float *const pack_b = args->buffers[0];
	float *const tile = (float *)(scratch + 0);
	float *const pack_a = (float *)(scratch + 23040);
	const uint16_t *const b_a = args->buffers[2];
	const uint16_t *const b_bias = args->buffers[3];
	uint16_t *const b6 = args->buffers[4];
	const int64_t tasks = 16*c1;
	int done = 0;
	int64_t t = -1;

	(void)st;
	while ((t = tn_task(args, worker, workers, tasks, t, &done)) <
	       tasks) {
		const int64_t i5 = t / 16;
		const int64_t i6 = t % 16;
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
		for (int64_t i7 = 0; i7 < 2; i7++) {
			for (int64_t i8 = 0; i8 < tn_min(c0 - 15*i5, 15); i8++) {
				{
					int64_t i9 = 0;
					for (; i9 <= 376; i9 += 8) {
						tn_f32_v8 t1_0[8] = {{0}};
						for (int64_t i10 = 0; i10 < 6; i10++) {
							/* %0 a = input: line 5 */
							const tn_f16_v8 v2 = d_M - 90*i5 - 6*i8 - i10 - 1 >= 0 ? tn_load_f16_v8(b_a + (69120LL*i5 + 384*i7 + 4608*i8 + i9 + 768*i10)) : tn_splat_f16_v8(0);
							const tn_f32_v8 v3 = tn_cast_f16_f32_v8(v2);
							t1_0[i10] = v3;
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
						tn_storen_f32_v8(pack_a + (2304*i8 + 6*i9), 6, t1_3_0);
						tn_storen_f32_v8(pack_a + (2304*i8 + 6*i9 + 6), 6, t1_3_1);
						tn_storen_f32_v8(pack_a + (2304*i8 + 6*i9 + 12), 6, t1_3_2);
						tn_storen_f32_v8(pack_a + (2304*i8 + 6*i9 + 18), 6, t1_3_3);
						tn_storen_f32_v8(pack_a + (2304*i8 + 6*i9 + 24), 6, t1_3_4);
						tn_storen_f32_v8(pack_a + (2304*i8 + 6*i9 + 30), 6, t1_3_5);
						tn_storen_f32_v8(pack_a + (2304*i8 + 6*i9 + 36), 6, t1_3_6);
						tn_storen_f32_v8(pack_a + (2304*i8 + 6*i9 + 42), 6, t1_3_7);
					}
				}
			}
			for (int64_t i11 = 0; i11 < 4; i11++) {
				for (int64_t i12 = 0; i12 < tn_min(c0 - 15*i5, 15); i12++) {
					if (i7 - 1 >= 0 && 4096*d_M - 262144LL >= 0) {
						for (int64_t i31 = 0; i31 < tn_min(d_M - 90*i5 - 6*i12, 6); i31++) {
							for (int64_t i32 = 0; i32 < 16; i32 += 8) {
								tn_ahead(b6 + (92160LL*i5 + 64*i6 + 16*i11 + 6144*i12 + 1024*i31 + i32 + 7));
							}
						}
					}
					if (i7 - 1 >= 0) {
						{
							const tn_f32_v8 v4 = tn_load_f32_v8(tile + (1440*i11 + 96*i12));
							r_acc_0_0 = v4;
							tn_ahead(tile + (1440*i11 + 96*i12 + 96));
						}
						{
							const tn_f32_v8 v4 = tn_load_f32_v8(tile + (1440*i11 + 96*i12 + 8));
							r_acc_0_1 = v4;
							tn_ahead(tile + (1440*i11 + 96*i12 + 104));
						}
						{
							const tn_f32_v8 v4 = tn_load_f32_v8(tile + (1440*i11 + 96*i12 + 16));
							r_acc_1_0 = v4;
							tn_ahead(tile + (1440*i11 + 96*i12 + 112));
						}
						{
							const tn_f32_v8 v4 = tn_load_f32_v8(tile + (1440*i11 + 96*i12 + 24));
							r_acc_1_1 = v4;
							tn_ahead(tile + (1440*i11 + 96*i12 + 120));
						}
						{
							const tn_f32_v8 v4 = tn_load_f32_v8(tile + (1440*i11 + 96*i12 + 32));
							r_acc_2_0 = v4;
							tn_ahead(tile + (1440*i11 + 96*i12 + 128));
						}
						{
							const tn_f32_v8 v4 = tn_load_f32_v8(tile + (1440*i11 + 96*i12 + 40));
							r_acc_2_1 = v4;
							tn_ahead(tile + (1440*i11 + 96*i12 + 136));
						}
						{
							const tn_f32_v8 v4 = tn_load_f32_v8(tile + (1440*i11 + 96*i12 + 48));
							r_acc_3_0 = v4;
							tn_ahead(tile + (1440*i11 + 96*i12 + 144));
						}
						{
							const tn_f32_v8 v4 = tn_load_f32_v8(tile + (1440*i11 + 96*i12 + 56));
							r_acc_3_1 = v4;
							tn_ahead(tile + (1440*i11 + 96*i12 + 152));
						}
						{
							const tn_f32_v8 v4 = tn_load_f32_v8(tile + (1440*i11 + 96*i12 + 64));
							r_acc_4_0 = v4;
							tn_ahead(tile + (1440*i11 + 96*i12 + 160));
						}
						{
							const tn_f32_v8 v4 = tn_load_f32_v8(tile + (1440*i11 + 96*i12 + 72));
							r_acc_4_1 = v4;
							tn_ahead(tile + (1440*i11 + 96*i12 + 168));
						}
						{
							const tn_f32_v8 v4 = tn_load_f32_v8(tile + (1440*i11 + 96*i12 + 80));
							r_acc_5_0 = v4;
							tn_ahead(tile + (1440*i11 + 96*i12 + 176));
						}
						{
							const tn_f32_v8 v4 = tn_load_f32_v8(tile + (1440*i11 + 96*i12 + 88));
							r_acc_5_1 = v4;
							tn_ahead(tile + (1440*i11 + 96*i12 + 184));
						}
					} else {
						{
							const tn_f32_s v5 = 0x0p+0f;
							r_acc_0_0 = tn_splat_f32_v8(v5);
						}
						{
							const tn_f32_s v5 = 0x0p+0f;
							r_acc_0_1 = tn_splat_f32_v8(v5);
						}
						{
							const tn_f32_s v5 = 0x0p+0f;
							r_acc_1_0 = tn_splat_f32_v8(v5);
						}
						{
							const tn_f32_s v5 = 0x0p+0f;
							r_acc_1_1 = tn_splat_f32_v8(v5);
						}
						{
							const tn_f32_s v5 = 0x0p+0f;
							r_acc_2_0 = tn_splat_f32_v8(v5);
						}
						{
							const tn_f32_s v5 = 0x0p+0f;
							r_acc_2_1 = tn_splat_f32_v8(v5);
						}
						{
							const tn_f32_s v5 = 0x0p+0f;
							r_acc_3_0 = tn_splat_f32_v8(v5);
						}
						{
							const tn_f32_s v5 = 0x0p+0f;
							r_acc_3_1 = tn_splat_f32_v8(v5);
						}
						{
							const tn_f32_s v5 = 0x0p+0f;
							r_acc_4_0 = tn_splat_f32_v8(v5);
						}
						{
							const tn_f32_s v5 = 0x0p+0f;
							r_acc_4_1 = tn_splat_f32_v8(v5);
						}
						{
							const tn_f32_s v5 = 0x0p+0f;
							r_acc_5_0 = tn_splat_f32_v8(v5);
						}
						{
							const tn_f32_s v5 = 0x0p+0f;
							r_acc_5_1 = tn_splat_f32_v8(v5);
						}
					}
					for (int64_t i17 = 0; i17 < 26; i17++) {
						if (tn_min(64 - 4*i6, 4) - i11 - 2 >= 0) {
							{
								tn_ahead(pack_b + (24576*i6 + 393216LL*i7 + 6144*i11 + 16*tn_min(26*i12 + i17, 383) + 6144));
							}
							{
								tn_ahead(pack_b + (24576*i6 + 393216LL*i7 + 6144*i11 + 16*tn_min(26*i12 + i17, 383) + 6152));
							}
						}
						for (int64_t i19 = 0; i19 < 14; i19++) {
							{
								const tn_f32_v8 v6 = tn_load_f32_v8(pack_b + (24576*i6 + 393216LL*i7 + 6144*i11 + 224*i17 + 16*i19));
								r_brow_0 = v6;
							}
							{
								const tn_f32_v8 v6 = tn_load_f32_v8(pack_b + (24576*i6 + 393216LL*i7 + 6144*i11 + 224*i17 + 16*i19 + 8));
								r_brow_1 = v6;
							}
							{
								const tn_f32_s v7 = pack_a[2304*i12 + 84*i17 + 6*i19];
								{
									const tn_f32_v8 v8 = r_brow_0;
									const tn_f32_v8 v9 = r_acc_0_0;
									const tn_f32_v8 v10 = tn_mac_f32_v8(tn_splat_f32_v8(v7), v8, v9);
									r_acc_0_0 = v10;
								}
								{
									const tn_f32_v8 v8 = r_brow_1;
									const tn_f32_v8 v9 = r_acc_0_1;
									const tn_f32_v8 v10 = tn_mac_f32_v8(tn_splat_f32_v8(v7), v8, v9);
									r_acc_0_1 = v10;
								}
							}
							{
								const tn_f32_s v7 = pack_a[2304*i12 + 84*i17 + 6*i19 + 1];
								{
									const tn_f32_v8 v8 = r_brow_0;
									const tn_f32_v8 v9 = r_acc_1_0;
									const tn_f32_v8 v10 = tn_mac_f32_v8(tn_splat_f32_v8(v7), v8, v9);
									r_acc_1_0 = v10;
								}
								{
									const tn_f32_v8 v8 = r_brow_1;
									const tn_f32_v8 v9 = r_acc_1_1;
									const tn_f32_v8 v10 = tn_mac_f32_v8(tn_splat_f32_v8(v7), v8, v9);
									r_acc_1_1 = v10;
								}
							}
							{
								const tn_f32_s v7 = pack_a[2304*i12 + 84*i17 + 6*i19 + 2];
								{
									const tn_f32_v8 v8 = r_brow_0;
									const tn_f32_v8 v9 = r_acc_2_0;
									const tn_f32_v8 v10 = tn_mac_f32_v8(tn_splat_f32_v8(v7), v8, v9);
									r_acc_2_0 = v10;
								}
								{
									const tn_f32_v8 v8 = r_brow_1;
									const tn_f32_v8 v9 = r_acc_2_1;
									const tn_f32_v8 v10 = tn_mac_f32_v8(tn_splat_f32_v8(v7), v8, v9);
									r_acc_2_1 = v10;
								}
							}
							{
								const tn_f32_s v7 = pack_a[2304*i12 + 84*i17 + 6*i19 + 3];
								{
									const tn_f32_v8 v8 = r_brow_0;
									const tn_f32_v8 v9 = r_acc_3_0;
									const tn_f32_v8 v10 = tn_mac_f32_v8(tn_splat_f32_v8(v7), v8, v9);
									r_acc_3_0 = v10;
								}
								{
									const tn_f32_v8 v8 = r_brow_1;
									const tn_f32_v8 v9 = r_acc_3_1;
									const tn_f32_v8 v10 = tn_mac_f32_v8(tn_splat_f32_v8(v7), v8, v9);
									r_acc_3_1 = v10;
								}
							}
							{
								const tn_f32_s v7 = pack_a[2304*i12 + 84*i17 + 6*i19 + 4];
								{
									const tn_f32_v8 v8 = r_brow_0;
									const tn_f32_v8 v9 = r_acc_4_0;
									const tn_f32_v8 v10 = tn_mac_f32_v8(tn_splat_f32_v8(v7), v8, v9);
									r_acc_4_0 = v10;
								}
								{
									const tn_f32_v8 v8 = r_brow_1;
									const tn_f32_v8 v9 = r_acc_4_1;
									const tn_f32_v8 v10 = tn_mac_f32_v8(tn_splat_f32_v8(v7), v8, v9);
									r_acc_4_1 = v10;
								}
							}
							{
								const tn_f32_s v7 = pack_a[2304*i12 + 84*i17 + 6*i19 + 5];
								{
									const tn_f32_v8 v8 = r_brow_0;
									const tn_f32_v8 v9 = r_acc_5_0;
									const tn_f32_v8 v10 = tn_mac_f32_v8(tn_splat_f32_v8(v7), v8, v9);
									r_acc_5_0 = v10;
								}
								{
									const tn_f32_v8 v8 = r_brow_1;
									const tn_f32_v8 v9 = r_acc_5_1;
									const tn_f32_v8 v10 = tn_mac_f32_v8(tn_splat_f32_v8(v7), v8, v9);
									r_acc_5_1 = v10;
								}
							}
						}
					}
					for (int64_t i23 = 0; i23 < 20; i23++) {
						{
							const tn_f32_v8 v11 = tn_load_f32_v8(pack_b + (24576*i6 + 393216LL*i7 + 6144*i11 + 16*i23 + 5824));
							r_brow_0 = v11;
						}
						{
							const tn_f32_v8 v11 = tn_load_f32_v8(pack_b + (24576*i6 + 393216LL*i7 + 6144*i11 + 16*i23 + 5832));
							r_brow_1 = v11;
						}
						{
							const tn_f32_s v12 = pack_a[2304*i12 + 6*i23 + 2184];
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
						}
						{
							const tn_f32_s v12 = pack_a[2304*i12 + 6*i23 + 2185];
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
						}
						{
							const tn_f32_s v12 = pack_a[2304*i12 + 6*i23 + 2186];
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
						}
						{
							const tn_f32_s v12 = pack_a[2304*i12 + 6*i23 + 2187];
							{
								const tn_f32_v8 v13 = r_brow_0;
								const tn_f32_v8 v14 = r_acc_3_0;
								const tn_f32_v8 v15 = tn_mac_f32_v8(tn_splat_f32_v8(v12), v13, v14);
								r_acc_3_0 = v15;
							}
							{
								const tn_f32_v8 v13 = r_brow_1;
								const tn_f32_v8 v14 = r_acc_3_1;
								const tn_f32_v8 v15 = tn_mac_f32_v8(tn_splat_f32_v8(v12), v13, v14);
								r_acc_3_1 = v15;
							}
						}
						{
							const tn_f32_s v12 = pack_a[2304*i12 + 6*i23 + 2188];
							{
								const tn_f32_v8 v13 = r_brow_0;
								const tn_f32_v8 v14 = r_acc_4_0;
								const tn_f32_v8 v15 = tn_mac_f32_v8(tn_splat_f32_v8(v12), v13, v14);
								r_acc_4_0 = v15;
							}
							{
								const tn_f32_v8 v13 = r_brow_1;
								const tn_f32_v8 v14 = r_acc_4_1;
								const tn_f32_v8 v15 = tn_mac_f32_v8(tn_splat_f32_v8(v12), v13, v14);
								r_acc_4_1 = v15;
							}
						}
						{
							const tn_f32_s v12 = pack_a[2304*i12 + 6*i23 + 2189];
							{
								const tn_f32_v8 v13 = r_brow_0;
								const tn_f32_v8 v14 = r_acc_5_0;
								const tn_f32_v8 v15 = tn_mac_f32_v8(tn_splat_f32_v8(v12), v13, v14);
								r_acc_5_0 = v15;
							}
							{
								const tn_f32_v8 v13 = r_brow_1;
								const tn_f32_v8 v14 = r_acc_5_1;
								const tn_f32_v8 v15 = tn_mac_f32_v8(tn_splat_f32_v8(v12), v13, v14);
								r_acc_5_1 = v15;
							}
						}
					}
					{
						const tn_f32_v8 v16 = r_acc_0_0;
						tn_store_f32_v8(tile + (1440*i11 + 96*i12), v16);
					}
					{
						const tn_f32_v8 v16 = r_acc_0_1;
						tn_store_f32_v8(tile + (1440*i11 + 96*i12 + 8), v16);
					}
					{
						const tn_f32_v8 v16 = r_acc_1_0;
						tn_store_f32_v8(tile + (1440*i11 + 96*i12 + 16), v16);
					}
					{
						const tn_f32_v8 v16 = r_acc_1_1;
						tn_store_f32_v8(tile + (1440*i11 + 96*i12 + 24), v16);
					}
					{
						const tn_f32_v8 v16 = r_acc_2_0;
						tn_store_f32_v8(tile + (1440*i11 + 96*i12 + 32), v16);
					}
					{
						const tn_f32_v8 v16 = r_acc_2_1;
						tn_store_f32_v8(tile + (1440*i11 + 96*i12 + 40), v16);
					}
					{
						const tn_f32_v8 v16 = r_acc_3_0;
						tn_store_f32_v8(tile + (1440*i11 + 96*i12 + 48), v16);
					}
					{
						const tn_f32_v8 v16 = r_acc_3_1;
						tn_store_f32_v8(tile + (1440*i11 + 96*i12 + 56), v16);
					}
					{
						const tn_f32_v8 v16 = r_acc_4_0;
						tn_store_f32_v8(tile + (1440*i11 + 96*i12 + 64), v16);
					}
					{
						const tn_f32_v8 v16 = r_acc_4_1;
						tn_store_f32_v8(tile + (1440*i11 + 96*i12 + 72), v16);
					}
					{
						const tn_f32_v8 v16 = r_acc_5_0;
						tn_store_f32_v8(tile + (1440*i11 + 96*i12 + 80), v16);
					}
					{
						const tn_f32_v8 v16 = r_acc_5_1;
						tn_store_f32_v8(tile + (1440*i11 + 96*i12 + 88), v16);
					}
					if (i7 - 1 >= 0) {
						for (int64_t i29 = 0; i29 < tn_min(d_M - 90*i5 - 6*i12, 6); i29++) {
							{
								int64_t i30 = 0;
								for (; i30 <= 8; i30 += 8) {
									const tn_f32_v8 v17 = tn_load_f32_v8(tile + (1440*i11 + 96*i12 + 16*i29 + i30));
									/* %4 = matmul: line 6 */
									const tn_f16_v8 v18 = tn_round_f16_v8(v17);
									/* %2 bias = input: line 5 */
									const tn_f16_v8 v19 = tn_load_f16_v8(b_bias + (64*i6 + 16*i11 + i30));
									/* %6 = add: line 6 */
									const tn_f16_v8 v20 = tn_add_f16_v8(v18, v19);
									tn_store_f16_v8(b6 + (92160LL*i5 + 64*i6 + 16*i11 + 6144*i12 + 1024*i29 + i30), v20);
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
