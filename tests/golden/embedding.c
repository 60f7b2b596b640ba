/*
 * k0: region 0 of embedding, by loop lanes=8 block=16384 walk=0 stream=1
 * every output element is computed on its own; past the caches beyond 12288 kB of inputs and outputs
 *   %3 = const: f32, line 9
 *   %5 = maximum: f32, line 9
 *   %7 = mul: f32, line 9
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
TN_INLINE int64_t tn_head(const void *a, int64_t b, int64_t c, int64_t d)
{
	int64_t n = -(int64_t)a & (b - 1);

	if (n % c != 0)
		return 0;
	return n / c < d ? n / c : d;
}
typedef float tn_f32_v8 __attribute__((vector_size(32)));
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
typedef float tn_f32_s;
TN_INLINE tn_f32_v8 tn_splat_f32_v8(tn_f32_s a)
{
	return (tn_f32_v8){a, a, a, a, a, a, a, a};
}
typedef uint32_t tn_u32_v8 __attribute__((vector_size(32)));
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
typedef uint32_t tn_u32_v4 __attribute__((vector_size(16)));
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
typedef float tn_f32_v8u __attribute__((vector_size(32), aligned(1), may_alias));
TN_INLINE tn_f32_v8 tn_load_f32_v8(const void *a)
{
	return *(const tn_f32_v8u *)a;
}
TN_INLINE void tn_stream_f32_v8(void *a, tn_f32_v8 b, int32_t c)
{
	(void)c;
#if defined __AVX__ && !defined __clang__
	if (c) {
		__builtin_ia32_movntps256(a, (tn_f32_v8)b);
		return;
	}
#elif defined __AVX__
	if (c) {
		__builtin_nontemporal_store(b, (tn_f32_v8 *)a);
		return;
	}
#endif
	*(tn_f32_v8u *)a = b;
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

TN_EXPORT void k0_main(const TnArgs *args, int worker, int workers,
		TnStatus *st)
{
	const int64_t d_V = args->dims[0];
	const int64_t d_D = args->dims[1];
	const int64_t c0 = tn_max(tn_div(16384, d_D), 1);
	const int64_t c1 = (d_D + 16383)/16384;
	const int64_t c2 = tn_div(d_V - 1, tn_max(16384/tn_max(d_D, 1), 1));
	const float *const b_table = args->buffers[0];
	const float *const b_gain = args->buffers[1];
	float *const b7 = args->buffers[2];
	const int64_t tasks = c1*c2 + c1;
	int done = 0;
	int64_t t = -1;

	(void)st;
	while ((t = tn_task(args, worker, workers, tasks, t, &done)) <
	       tasks) {
		const int64_t i0 = t / c1;
		const int64_t i2 = t % c1;
		for (int64_t i1 = 0; i1 < tn_min(c0, d_V - i0*c0); i1++) {
			{
				const int64_t n3 = tn_min(d_D - 16384*i2, 16384);
				int64_t i3 = 0;
				const int64_t h3 = 8*d_D*d_V + 4*d_D - 12582913LL >= 0 ? tn_head(b7 + (d_D*i0*c0 + d_D*i1 + 16384*i2), 32, 4, n3) : 0;
				const _Bool nt3_0 = 8*d_D*d_V + 4*d_D - 12582913LL >= 0 && ((uint64_t)(b7 + (d_D*i0*c0 + d_D*i1 + 16384*i2) + h3) & 31) == 0;
				if (h3 > 0) {
					const int64_t m3 = h3;
					/* %0 table = input: line 8 */
					const tn_f32_v8 v0 = tn_loadn_f32_v8(b_table + (d_D*i0*c0 + d_D*i1 + 16384*i2 + i3), m3);
					/* %3 = const: line 9 */
					const tn_f32_s v1 = 0x0p+0f;
					/* %5 = maximum: line 9 */
					const tn_f32_v8 v2 = tn_maximum_f32_v8(v0, tn_splat_f32_v8(v1));
					/* %1 gain = input: line 8 */
					const tn_f32_v8 v3 = tn_loadn_f32_v8(b_gain + (16384*i2 + i3), m3);
					/* %7 = mul: line 9 */
					const tn_f32_v8 v4 = v2 * v3;
					tn_storen_f32_v8(b7 + (d_D*i0*c0 + d_D*i1 + 16384*i2 + i3), m3, v4);
					i3 = h3;
				}
				for (; i3 <= n3 - 8; i3 += 8) {
					const tn_f32_v8 v0 = tn_load_f32_v8(b_table + (d_D*i0*c0 + d_D*i1 + 16384*i2 + i3));
					const tn_f32_s v1 = 0x0p+0f;
					const tn_f32_v8 v2 = tn_maximum_f32_v8(v0, tn_splat_f32_v8(v1));
					const tn_f32_v8 v3 = tn_load_f32_v8(b_gain + (16384*i2 + i3));
					const tn_f32_v8 v4 = v2 * v3;
					tn_stream_f32_v8(b7 + (d_D*i0*c0 + d_D*i1 + 16384*i2 + i3), v4, nt3_0);
				}
				if (i3 < n3) {
					const int64_t m3 = n3 - i3;
					const tn_f32_v8 v0 = tn_loadn_f32_v8(b_table + (d_D*i0*c0 + d_D*i1 + 16384*i2 + i3), m3);
					const tn_f32_s v1 = 0x0p+0f;
					const tn_f32_v8 v2 = tn_maximum_f32_v8(v0, tn_splat_f32_v8(v1));
					const tn_f32_v8 v3 = tn_loadn_f32_v8(b_gain + (16384*i2 + i3), m3);
					const tn_f32_v8 v4 = v2 * v3;
					tn_storen_f32_v8(b7 + (d_D*i0*c0 + d_D*i1 + 16384*i2 + i3), m3, v4);
				}
			}
		}
	}
	tn_fence();
}
/*
 * k1: region 1 of embedding, by loop lanes=8 block=16384 walk=0 stream=1
 * every output element is computed on its own; past the caches beyond 12288 kB of inputs and outputs
 *   %8 = gather: f32, line 9
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
typedef int32_t tn_i32_s;
TN_APART void tn_fault(TnStatus *a, int32_t b, uint32_t c, int64_t d)
{
	if (a->code != TN_FAULT_NONE &&
	    (a->value < c || (a->value == c && a->index <= d)))
		return;
	a->code = b;
	a->value = c;
	a->index = d;
}
TN_INLINE int64_t tn_index(int64_t a, int64_t b, TnStatus *c, uint32_t d)
{
	int64_t i = a < 0 ? a + b : a;

	if (i >= 0 && i < b)
		return i;
	tn_fault(c, TN_FAULT_INDEX, d, a);
	return 0;
}
TN_INLINE int64_t tn_head(const void *a, int64_t b, int64_t c, int64_t d)
{
	int64_t n = -(int64_t)a & (b - 1);

	if (n % c != 0)
		return 0;
	return n / c < d ? n / c : d;
}
typedef float tn_f32_v8 __attribute__((vector_size(32)));
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
typedef float tn_f32_s;
TN_INLINE tn_f32_v8 tn_splat_f32_v8(tn_f32_s a)
{
	return (tn_f32_v8){a, a, a, a, a, a, a, a};
}
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
typedef float tn_f32_v8u __attribute__((vector_size(32), aligned(1), may_alias));
TN_INLINE tn_f32_v8 tn_load_f32_v8(const void *a)
{
	return *(const tn_f32_v8u *)a;
}
TN_INLINE void tn_stream_f32_v8(void *a, tn_f32_v8 b, int32_t c)
{
	(void)c;
#if defined __AVX__ && !defined __clang__
	if (c) {
		__builtin_ia32_movntps256(a, (tn_f32_v8)b);
		return;
	}
#elif defined __AVX__
	if (c) {
		__builtin_nontemporal_store(b, (tn_f32_v8 *)a);
		return;
	}
#endif
	*(tn_f32_v8u *)a = b;
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

TN_EXPORT void k1_main(const TnArgs *args, int worker, int workers,
		TnStatus *st)
{
	const int64_t d_V = args->dims[0];
	const int64_t d_D = args->dims[1];
	const int64_t d_T = args->dims[2];
	const int64_t c0 = tn_max(tn_div(16384, d_D), 1);
	const int64_t c1 = (d_D + 16383)/16384;
	const int64_t c2 = tn_div(d_T - 1, tn_max(16384/tn_max(d_D, 1), 1));
	const int32_t *const b_ids = args->buffers[0];
	const float *const b7 = args->buffers[1];
	float *const b8 = args->buffers[2];
	const int64_t tasks = c1*c2 + c1;
	int done = 0;
	int64_t t = -1;

	(void)st;
	while ((t = tn_task(args, worker, workers, tasks, t, &done)) <
	       tasks) {
		const int64_t i0 = t / c1;
		const int64_t i3 = t % c1;
		for (int64_t i1 = 0; i1 < tn_min(c0, d_T - i0*c0); i1++) {
			if (d_D - 1 >= 0) {
				/* %2 ids = input: line 8 */
				const tn_i32_s v0 = b_ids[i0*c0 + i1];
				/* %8 = gather: line 9 */
				const int64_t i2 = tn_index((int64_t)v0, d_V, st, 8u);
				(void)i2;
				{
					const int64_t n4 = tn_min(d_D - 16384*i3, 16384);
					int64_t i4 = 0;
					const int64_t h4 = 4*d_D*d_T + 4*d_D*d_V + 4*d_T - 12582913LL >= 0 ? tn_head(b8 + (d_D*i0*c0 + d_D*i1 + 16384*i3), 32, 4, n4) : 0;
					const _Bool nt4_0 = 4*d_D*d_T + 4*d_D*d_V + 4*d_T - 12582913LL >= 0 && ((uint64_t)(b8 + (d_D*i0*c0 + d_D*i1 + 16384*i3) + h4) & 31) == 0;
					if (h4 > 0) {
						const int64_t m4 = h4;
						/* %7 = mul: line 9 */
						const tn_f32_v8 v1 = d_V - i2 - 1 >= 0 ? tn_loadn_f32_v8(b7 + (d_D*i2 + 16384*i3 + i4), m4) : tn_splat_f32_v8(0);
						/* %8 = gather: line 9 */
						tn_storen_f32_v8(b8 + (d_D*i0*c0 + d_D*i1 + 16384*i3 + i4), m4, v1);
						i4 = h4;
					}
					for (; i4 <= n4 - 8; i4 += 8) {
						const tn_f32_v8 v1 = d_V - i2 - 1 >= 0 ? tn_load_f32_v8(b7 + (d_D*i2 + 16384*i3 + i4)) : tn_splat_f32_v8(0);
						tn_stream_f32_v8(b8 + (d_D*i0*c0 + d_D*i1 + 16384*i3 + i4), v1, nt4_0);
					}
					if (i4 < n4) {
						const int64_t m4 = n4 - i4;
						const tn_f32_v8 v1 = d_V - i2 - 1 >= 0 ? tn_loadn_f32_v8(b7 + (d_D*i2 + 16384*i3 + i4), m4) : tn_splat_f32_v8(0);
						tn_storen_f32_v8(b8 + (d_D*i0*c0 + d_D*i1 + 16384*i3 + i4), m4, v1);
					}
				}
			}
		}
	}
	tn_fence();
}
