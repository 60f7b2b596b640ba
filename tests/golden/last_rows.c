/*
 * k0: region 0 of last_rows, by contract mr=6 nr=16 lanes=8 mb=17 nb=4 kc=336 a=1 b=2 unit=0 ahead=1 turned=0
 * operands packed once, a register tile over kc elements of K at a time, epilogue on the finished tile
 *   %4 = matmul: f32, line 9
 *   %6 logits = add: f32, line 9
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
typedef float tn_f32_v8 __attribute__((vector_size(32)));
typedef float tn_f32_v8u __attribute__((vector_size(32), aligned(1), may_alias));
TN_INLINE tn_f32_v8 tn_load_f32_v8(const void *a)
{
	return *(const tn_f32_v8u *)a;
}
typedef float tn_f32_s;
TN_INLINE tn_f32_v8 tn_splat_f32_v8(tn_f32_s a)
{
	return (tn_f32_v8){a, a, a, a, a, a, a, a};
}
TN_INLINE tn_f32_v8 tn_ziplo_f32_v8(tn_f32_v8 a, tn_f32_v8 b)
{
	return __builtin_shufflevector(a, b, 0, 8 + 0, 1, 8 + 1, 2, 8 + 2, 3, 8 + 3);
}
TN_INLINE tn_f32_v8 tn_ziphi_f32_v8(tn_f32_v8 a, tn_f32_v8 b)
{
	return __builtin_shufflevector(a, b, 4, 8 + 4, 5, 8 + 5, 6, 8 + 6, 7, 8 + 7);
}
TN_INLINE void tn_store_f32_v8(void *a, tn_f32_v8 b)
{
	*(tn_f32_v8u *)a = b;
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

#define TN_EXPORT __attribute__((visibility("default")))
#define TN_REG __attribute__((unused))

#if !defined TN_PHASE || TN_PHASE == 0
TN_EXPORT void k0_pack_b(const TnArgs *args, int worker, int workers,
		TnStatus *st)
{
	const int64_t d_D = args->dims[1];
	const int64_t d_V = args->dims[2];
	const int64_t c0 = tn_max((d_D + 335)/336, 1);
	const int64_t c1 = (d_V + 15)/16;
	float *const pack_b = args->buffers[0];
	const float *const b_wt = args->buffers[1];
	const int64_t tasks = c1;
	int done = 0;
	int64_t t = -1;

	(void)st;
	while ((t = tn_task(args, worker, workers, tasks, t, &done)) <
	       tasks) {
		const int64_t i0 = t;
		for (int64_t i1 = 0; i1 < c0; i1++) {
			for (int64_t i2 = 0; i2 < 2; i2++) {
				{
					const int64_t n3 = tn_min(d_D - 336*i1, 336);
					int64_t i3 = 0;
					for (; i3 <= n3 - 8; i3 += 8) {
						tn_f32_v8 t0_0[8];
						for (int64_t i4 = 0; i4 < 8; i4++) {
							/* %1 wt = input: line 8 */
							const tn_f32_v8 v0 = d_V - 16*i0 - 8*i2 - i4 - 1 >= 0 ? tn_load_f32_v8(b_wt + (16*d_D*i0 + 8*d_D*i2 + d_D*i4 + 336*i1 + i3)) : tn_splat_f32_v8(0);
							t0_0[i4] = v0;
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
						tn_store_f32_v8(pack_b + (5376*i1*c1 + 5376*i0 + 8*i2 + 16*i3), t0_3_0);
						tn_store_f32_v8(pack_b + (5376*i1*c1 + 5376*i0 + 8*i2 + 16*i3 + 16), t0_3_1);
						tn_store_f32_v8(pack_b + (5376*i1*c1 + 5376*i0 + 8*i2 + 16*i3 + 32), t0_3_2);
						tn_store_f32_v8(pack_b + (5376*i1*c1 + 5376*i0 + 8*i2 + 16*i3 + 48), t0_3_3);
						tn_store_f32_v8(pack_b + (5376*i1*c1 + 5376*i0 + 8*i2 + 16*i3 + 64), t0_3_4);
						tn_store_f32_v8(pack_b + (5376*i1*c1 + 5376*i0 + 8*i2 + 16*i3 + 80), t0_3_5);
						tn_store_f32_v8(pack_b + (5376*i1*c1 + 5376*i0 + 8*i2 + 16*i3 + 96), t0_3_6);
						tn_store_f32_v8(pack_b + (5376*i1*c1 + 5376*i0 + 8*i2 + 16*i3 + 112), t0_3_7);
					}
					if (i3 < n3) {
						const int64_t m3 = n3 - i3;
						tn_f32_v8 t1_0[8];
						for (int64_t i4 = 0; i4 < 8; i4++) {
							const tn_f32_v8 v0 = d_V - 16*i0 - 8*i2 - i4 - 1 >= 0 ? tn_loadn_f32_v8(b_wt + (16*d_D*i0 + 8*d_D*i2 + d_D*i4 + 336*i1 + i3), m3) : tn_splat_f32_v8(0);
							t1_0[i4] = v0;
						}
						tn_turn_f32_v8(t1_0);
						for (int64_t i33 = 0; i33 < m3; i33++)
							tn_store_f32_v8(pack_b + (5376*i1*c1 + 5376*i0 + 8*i2 + 16*i3 + 16*i33), t1_0[i33]);
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
	const int64_t d_T = args->dims[0];
	const int64_t d_D = args->dims[1];
	const int64_t d_V = args->dims[2];
	const int64_t c0 = tn_max((d_D + 335)/336, 1);
	const int64_t c1 = (d_T + 5)/6;
	const int64_t c2 = (d_V + 15)/16;
	const int64_t c3 = (d_V + 63)/64;
	const int64_t c4 = (d_T + 101)/102;
	char *const scratch = args->scratch + worker * args->scratch_stride;
	float *const pack_b = args->buffers[0];
	float *const tile = (float *)(scratch + 0);
	float *const pack_a = (float *)(scratch + 26112);
	const float *const b_h = args->buffers[2];
	const float *const b_b = args->buffers[3];
	float *const b_logits = args->buffers[4];
	const int64_t tasks = c4*c3;
	int done = 0;
	int64_t t = -1;

	(void)st;
	while ((t = tn_task(args, worker, workers, tasks, t, &done)) <
	       tasks) {
		const int64_t i5 = t / c3;
		const int64_t i6 = t % c3;
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
		for (int64_t i7 = 0; i7 < c0; i7++) {
			for (int64_t i8 = 0; i8 < tn_min(c1 - 17*i5, 17); i8++) {
				{
					const int64_t n9 = tn_min(d_D - 336*i7, 336);
					int64_t i9 = 0;
					for (; i9 <= n9 - 8; i9 += 8) {
						tn_f32_v8 t2_0[8] = {{0}};
						for (int64_t i10 = 0; i10 < 6; i10++) {
							/* %0 h = input: line 8 */
							const tn_f32_v8 v1 = d_T - 102*i5 - 6*i8 - i10 - 1 >= 0 ? tn_load_f32_v8(b_h + (102*d_D*i5 + 6*d_D*i8 + d_D*i10 + 336*i7 + i9)) : tn_splat_f32_v8(0);
							t2_0[i10] = v1;
						}
						const tn_f32_v8 t2_1_0 = tn_ziplo_f32_v8(t2_0[0], t2_0[4]);
						const tn_f32_v8 t2_1_1 = tn_ziphi_f32_v8(t2_0[0], t2_0[4]);
						const tn_f32_v8 t2_1_2 = tn_ziplo_f32_v8(t2_0[1], t2_0[5]);
						const tn_f32_v8 t2_1_3 = tn_ziphi_f32_v8(t2_0[1], t2_0[5]);
						const tn_f32_v8 t2_1_4 = tn_ziplo_f32_v8(t2_0[2], t2_0[6]);
						const tn_f32_v8 t2_1_5 = tn_ziphi_f32_v8(t2_0[2], t2_0[6]);
						const tn_f32_v8 t2_1_6 = tn_ziplo_f32_v8(t2_0[3], t2_0[7]);
						const tn_f32_v8 t2_1_7 = tn_ziphi_f32_v8(t2_0[3], t2_0[7]);
						const tn_f32_v8 t2_2_0 = tn_ziplo_f32_v8(t2_1_0, t2_1_4);
						const tn_f32_v8 t2_2_1 = tn_ziphi_f32_v8(t2_1_0, t2_1_4);
						const tn_f32_v8 t2_2_2 = tn_ziplo_f32_v8(t2_1_1, t2_1_5);
						const tn_f32_v8 t2_2_3 = tn_ziphi_f32_v8(t2_1_1, t2_1_5);
						const tn_f32_v8 t2_2_4 = tn_ziplo_f32_v8(t2_1_2, t2_1_6);
						const tn_f32_v8 t2_2_5 = tn_ziphi_f32_v8(t2_1_2, t2_1_6);
						const tn_f32_v8 t2_2_6 = tn_ziplo_f32_v8(t2_1_3, t2_1_7);
						const tn_f32_v8 t2_2_7 = tn_ziphi_f32_v8(t2_1_3, t2_1_7);
						const tn_f32_v8 t2_3_0 = tn_ziplo_f32_v8(t2_2_0, t2_2_4);
						const tn_f32_v8 t2_3_1 = tn_ziphi_f32_v8(t2_2_0, t2_2_4);
						const tn_f32_v8 t2_3_2 = tn_ziplo_f32_v8(t2_2_1, t2_2_5);
						const tn_f32_v8 t2_3_3 = tn_ziphi_f32_v8(t2_2_1, t2_2_5);
						const tn_f32_v8 t2_3_4 = tn_ziplo_f32_v8(t2_2_2, t2_2_6);
						const tn_f32_v8 t2_3_5 = tn_ziphi_f32_v8(t2_2_2, t2_2_6);
						const tn_f32_v8 t2_3_6 = tn_ziplo_f32_v8(t2_2_3, t2_2_7);
						const tn_f32_v8 t2_3_7 = tn_ziphi_f32_v8(t2_2_3, t2_2_7);
						tn_storen_f32_v8(pack_a + (2016*i8 + 6*i9), 6, t2_3_0);
						tn_storen_f32_v8(pack_a + (2016*i8 + 6*i9 + 6), 6, t2_3_1);
						tn_storen_f32_v8(pack_a + (2016*i8 + 6*i9 + 12), 6, t2_3_2);
						tn_storen_f32_v8(pack_a + (2016*i8 + 6*i9 + 18), 6, t2_3_3);
						tn_storen_f32_v8(pack_a + (2016*i8 + 6*i9 + 24), 6, t2_3_4);
						tn_storen_f32_v8(pack_a + (2016*i8 + 6*i9 + 30), 6, t2_3_5);
						tn_storen_f32_v8(pack_a + (2016*i8 + 6*i9 + 36), 6, t2_3_6);
						tn_storen_f32_v8(pack_a + (2016*i8 + 6*i9 + 42), 6, t2_3_7);
					}
					if (i9 < n9) {
						const int64_t m9 = n9 - i9;
						tn_f32_v8 t3_0[8] = {{0}};
						for (int64_t i10 = 0; i10 < 6; i10++) {
							const tn_f32_v8 v1 = d_T - 102*i5 - 6*i8 - i10 - 1 >= 0 ? tn_loadn_f32_v8(b_h + (102*d_D*i5 + 6*d_D*i8 + d_D*i10 + 336*i7 + i9), m9) : tn_splat_f32_v8(0);
							t3_0[i10] = v1;
						}
						tn_turn_f32_v8(t3_0);
						for (int64_t i33 = 0; i33 < m9; i33++)
							tn_storen_f32_v8(pack_a + (2016*i8 + 6*i9 + 6*i33), 6, t3_0[i33]);
					}
				}
			}
			for (int64_t i11 = 0; i11 < tn_min(c2 - 4*i6, 4); i11++) {
				for (int64_t i12 = 0; i12 < tn_min(c1 - 17*i5, 17); i12++) {
					if (i7 + 1 - c0 >= 0 && 4*d_T*d_V - 262144LL >= 0) {
						for (int64_t i31 = 0; i31 < tn_min(d_T - 102*i5 - 6*i12, 6); i31++) {
							for (int64_t i32 = 0; i32 < tn_min(d_V - 64*i6 - 16*i11, 16); i32 += 8) {
								tn_ahead(b_logits + (102*d_V*i5 + 6*d_V*i12 + d_V*i31 + 64*i6 + 16*i11 + i32 + 7));
							}
						}
					}
					if (i7 - 1 >= 0) {
						{
							const tn_f32_v8 v2 = tn_load_f32_v8(tile + (1632*i11 + 96*i12));
							r_acc_0_0 = v2;
							tn_ahead(tile + (1632*i11 + 96*i12 + 96));
						}
						{
							const tn_f32_v8 v2 = tn_load_f32_v8(tile + (1632*i11 + 96*i12 + 8));
							r_acc_0_1 = v2;
							tn_ahead(tile + (1632*i11 + 96*i12 + 104));
						}
						{
							const tn_f32_v8 v2 = tn_load_f32_v8(tile + (1632*i11 + 96*i12 + 16));
							r_acc_1_0 = v2;
							tn_ahead(tile + (1632*i11 + 96*i12 + 112));
						}
						{
							const tn_f32_v8 v2 = tn_load_f32_v8(tile + (1632*i11 + 96*i12 + 24));
							r_acc_1_1 = v2;
							tn_ahead(tile + (1632*i11 + 96*i12 + 120));
						}
						{
							const tn_f32_v8 v2 = tn_load_f32_v8(tile + (1632*i11 + 96*i12 + 32));
							r_acc_2_0 = v2;
							tn_ahead(tile + (1632*i11 + 96*i12 + 128));
						}
						{
							const tn_f32_v8 v2 = tn_load_f32_v8(tile + (1632*i11 + 96*i12 + 40));
							r_acc_2_1 = v2;
							tn_ahead(tile + (1632*i11 + 96*i12 + 136));
						}
						{
							const tn_f32_v8 v2 = tn_load_f32_v8(tile + (1632*i11 + 96*i12 + 48));
							r_acc_3_0 = v2;
							tn_ahead(tile + (1632*i11 + 96*i12 + 144));
						}
						{
							const tn_f32_v8 v2 = tn_load_f32_v8(tile + (1632*i11 + 96*i12 + 56));
							r_acc_3_1 = v2;
							tn_ahead(tile + (1632*i11 + 96*i12 + 152));
						}
						{
							const tn_f32_v8 v2 = tn_load_f32_v8(tile + (1632*i11 + 96*i12 + 64));
							r_acc_4_0 = v2;
							tn_ahead(tile + (1632*i11 + 96*i12 + 160));
						}
						{
							const tn_f32_v8 v2 = tn_load_f32_v8(tile + (1632*i11 + 96*i12 + 72));
							r_acc_4_1 = v2;
							tn_ahead(tile + (1632*i11 + 96*i12 + 168));
						}
						{
							const tn_f32_v8 v2 = tn_load_f32_v8(tile + (1632*i11 + 96*i12 + 80));
							r_acc_5_0 = v2;
							tn_ahead(tile + (1632*i11 + 96*i12 + 176));
						}
						{
							const tn_f32_v8 v2 = tn_load_f32_v8(tile + (1632*i11 + 96*i12 + 88));
							r_acc_5_1 = v2;
							tn_ahead(tile + (1632*i11 + 96*i12 + 184));
						}
					} else {
						{
							const tn_f32_s v3 = 0x0p+0f;
							r_acc_0_0 = tn_splat_f32_v8(v3);
						}
						{
							const tn_f32_s v3 = 0x0p+0f;
							r_acc_0_1 = tn_splat_f32_v8(v3);
						}
						{
							const tn_f32_s v3 = 0x0p+0f;
							r_acc_1_0 = tn_splat_f32_v8(v3);
						}
						{
							const tn_f32_s v3 = 0x0p+0f;
							r_acc_1_1 = tn_splat_f32_v8(v3);
						}
						{
							const tn_f32_s v3 = 0x0p+0f;
							r_acc_2_0 = tn_splat_f32_v8(v3);
						}
						{
							const tn_f32_s v3 = 0x0p+0f;
							r_acc_2_1 = tn_splat_f32_v8(v3);
						}
						{
							const tn_f32_s v3 = 0x0p+0f;
							r_acc_3_0 = tn_splat_f32_v8(v3);
						}
						{
							const tn_f32_s v3 = 0x0p+0f;
							r_acc_3_1 = tn_splat_f32_v8(v3);
						}
						{
							const tn_f32_s v3 = 0x0p+0f;
							r_acc_4_0 = tn_splat_f32_v8(v3);
						}
						{
							const tn_f32_s v3 = 0x0p+0f;
							r_acc_4_1 = tn_splat_f32_v8(v3);
						}
						{
							const tn_f32_s v3 = 0x0p+0f;
							r_acc_5_0 = tn_splat_f32_v8(v3);
						}
						{
							const tn_f32_s v3 = 0x0p+0f;
							r_acc_5_1 = tn_splat_f32_v8(v3);
						}
					}
					for (int64_t i17 = 0; i17 < tn_min(tn_div(tn_min(d_D - 336*i7, 336), 16), 20); i17++) {
						if (tn_min(c2 - 4*i6, 4) - i11 - 2 >= 0) {
							{
								tn_ahead(pack_b + (5376*i7*c2 + 21504*i6 + 5376*i11 + 16*tn_min(i12*tn_min(tn_div(tn_min(d_D - 336*i7, 336), 16), 20) + i17, tn_min(d_D - 336*i7, 336) - 1) + 5376));
							}
							{
								tn_ahead(pack_b + (5376*i7*c2 + 21504*i6 + 5376*i11 + 16*tn_min(i12*tn_min(tn_div(tn_min(d_D - 336*i7, 336), 16), 20) + i17, tn_min(d_D - 336*i7, 336) - 1) + 5384));
							}
						}
						for (int64_t i19 = 0; i19 < 16; i19++) {
							{
								const tn_f32_v8 v4 = tn_load_f32_v8(pack_b + (5376*i7*c2 + 21504*i6 + 5376*i11 + 256*i17 + 16*i19));
								r_brow_0 = v4;
							}
							{
								const tn_f32_v8 v4 = tn_load_f32_v8(pack_b + (5376*i7*c2 + 21504*i6 + 5376*i11 + 256*i17 + 16*i19 + 8));
								r_brow_1 = v4;
							}
							{
								const tn_f32_s v5 = pack_a[2016*i12 + 96*i17 + 6*i19];
								{
									const tn_f32_v8 v6 = r_brow_0;
									const tn_f32_v8 v7 = r_acc_0_0;
									const tn_f32_v8 v8 = tn_mac_f32_v8(tn_splat_f32_v8(v5), v6, v7);
									r_acc_0_0 = v8;
								}
								{
									const tn_f32_v8 v6 = r_brow_1;
									const tn_f32_v8 v7 = r_acc_0_1;
									const tn_f32_v8 v8 = tn_mac_f32_v8(tn_splat_f32_v8(v5), v6, v7);
									r_acc_0_1 = v8;
								}
							}
							{
								const tn_f32_s v5 = pack_a[2016*i12 + 96*i17 + 6*i19 + 1];
								{
									const tn_f32_v8 v6 = r_brow_0;
									const tn_f32_v8 v7 = r_acc_1_0;
									const tn_f32_v8 v8 = tn_mac_f32_v8(tn_splat_f32_v8(v5), v6, v7);
									r_acc_1_0 = v8;
								}
								{
									const tn_f32_v8 v6 = r_brow_1;
									const tn_f32_v8 v7 = r_acc_1_1;
									const tn_f32_v8 v8 = tn_mac_f32_v8(tn_splat_f32_v8(v5), v6, v7);
									r_acc_1_1 = v8;
								}
							}
							{
								const tn_f32_s v5 = pack_a[2016*i12 + 96*i17 + 6*i19 + 2];
								{
									const tn_f32_v8 v6 = r_brow_0;
									const tn_f32_v8 v7 = r_acc_2_0;
									const tn_f32_v8 v8 = tn_mac_f32_v8(tn_splat_f32_v8(v5), v6, v7);
									r_acc_2_0 = v8;
								}
								{
									const tn_f32_v8 v6 = r_brow_1;
									const tn_f32_v8 v7 = r_acc_2_1;
									const tn_f32_v8 v8 = tn_mac_f32_v8(tn_splat_f32_v8(v5), v6, v7);
									r_acc_2_1 = v8;
								}
							}
							{
								const tn_f32_s v5 = pack_a[2016*i12 + 96*i17 + 6*i19 + 3];
								{
									const tn_f32_v8 v6 = r_brow_0;
									const tn_f32_v8 v7 = r_acc_3_0;
									const tn_f32_v8 v8 = tn_mac_f32_v8(tn_splat_f32_v8(v5), v6, v7);
									r_acc_3_0 = v8;
								}
								{
									const tn_f32_v8 v6 = r_brow_1;
									const tn_f32_v8 v7 = r_acc_3_1;
									const tn_f32_v8 v8 = tn_mac_f32_v8(tn_splat_f32_v8(v5), v6, v7);
									r_acc_3_1 = v8;
								}
							}
							{
								const tn_f32_s v5 = pack_a[2016*i12 + 96*i17 + 6*i19 + 4];
								{
									const tn_f32_v8 v6 = r_brow_0;
									const tn_f32_v8 v7 = r_acc_4_0;
									const tn_f32_v8 v8 = tn_mac_f32_v8(tn_splat_f32_v8(v5), v6, v7);
									r_acc_4_0 = v8;
								}
								{
									const tn_f32_v8 v6 = r_brow_1;
									const tn_f32_v8 v7 = r_acc_4_1;
									const tn_f32_v8 v8 = tn_mac_f32_v8(tn_splat_f32_v8(v5), v6, v7);
									r_acc_4_1 = v8;
								}
							}
							{
								const tn_f32_s v5 = pack_a[2016*i12 + 96*i17 + 6*i19 + 5];
								{
									const tn_f32_v8 v6 = r_brow_0;
									const tn_f32_v8 v7 = r_acc_5_0;
									const tn_f32_v8 v8 = tn_mac_f32_v8(tn_splat_f32_v8(v5), v6, v7);
									r_acc_5_0 = v8;
								}
								{
									const tn_f32_v8 v6 = r_brow_1;
									const tn_f32_v8 v7 = r_acc_5_1;
									const tn_f32_v8 v8 = tn_mac_f32_v8(tn_splat_f32_v8(v5), v6, v7);
									r_acc_5_1 = v8;
								}
							}
						}
					}
					for (int64_t i23 = 0; i23 < tn_min(d_D - 336*i7, 336) - 16*tn_min(tn_div(tn_min(d_D - 336*i7, 336), 16), 20); i23++) {
						{
							const tn_f32_v8 v9 = tn_load_f32_v8(pack_b + (5376*i7*c2 + 21504*i6 + 5376*i11 + 16*i23 + 256*tn_min(tn_div(tn_min(d_D - 336*i7, 336), 16), 20)));
							r_brow_0 = v9;
						}
						{
							const tn_f32_v8 v9 = tn_load_f32_v8(pack_b + (5376*i7*c2 + 21504*i6 + 5376*i11 + 16*i23 + 256*tn_min(tn_div(tn_min(d_D - 336*i7, 336), 16), 20) + 8));
							r_brow_1 = v9;
						}
						{
							const tn_f32_s v10 = pack_a[2016*i12 + 6*i23 + 96*tn_min(tn_div(tn_min(d_D - 336*i7, 336), 16), 20)];
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
							const tn_f32_s v10 = pack_a[2016*i12 + 6*i23 + 96*tn_min(tn_div(tn_min(d_D - 336*i7, 336), 16), 20) + 1];
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
							const tn_f32_s v10 = pack_a[2016*i12 + 6*i23 + 96*tn_min(tn_div(tn_min(d_D - 336*i7, 336), 16), 20) + 2];
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
							const tn_f32_s v10 = pack_a[2016*i12 + 6*i23 + 96*tn_min(tn_div(tn_min(d_D - 336*i7, 336), 16), 20) + 3];
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
							const tn_f32_s v10 = pack_a[2016*i12 + 6*i23 + 96*tn_min(tn_div(tn_min(d_D - 336*i7, 336), 16), 20) + 4];
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
							const tn_f32_s v10 = pack_a[2016*i12 + 6*i23 + 96*tn_min(tn_div(tn_min(d_D - 336*i7, 336), 16), 20) + 5];
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
						tn_store_f32_v8(tile + (1632*i11 + 96*i12), v14);
					}
					{
						const tn_f32_v8 v14 = r_acc_0_1;
						tn_store_f32_v8(tile + (1632*i11 + 96*i12 + 8), v14);
					}
					{
						const tn_f32_v8 v14 = r_acc_1_0;
						tn_store_f32_v8(tile + (1632*i11 + 96*i12 + 16), v14);
					}
					{
						const tn_f32_v8 v14 = r_acc_1_1;
						tn_store_f32_v8(tile + (1632*i11 + 96*i12 + 24), v14);
					}
					{
						const tn_f32_v8 v14 = r_acc_2_0;
						tn_store_f32_v8(tile + (1632*i11 + 96*i12 + 32), v14);
					}
					{
						const tn_f32_v8 v14 = r_acc_2_1;
						tn_store_f32_v8(tile + (1632*i11 + 96*i12 + 40), v14);
					}
					{
						const tn_f32_v8 v14 = r_acc_3_0;
						tn_store_f32_v8(tile + (1632*i11 + 96*i12 + 48), v14);
					}
					{
						const tn_f32_v8 v14 = r_acc_3_1;
						tn_store_f32_v8(tile + (1632*i11 + 96*i12 + 56), v14);
					}
					{
						const tn_f32_v8 v14 = r_acc_4_0;
						tn_store_f32_v8(tile + (1632*i11 + 96*i12 + 64), v14);
					}
					{
						const tn_f32_v8 v14 = r_acc_4_1;
						tn_store_f32_v8(tile + (1632*i11 + 96*i12 + 72), v14);
					}
					{
						const tn_f32_v8 v14 = r_acc_5_0;
						tn_store_f32_v8(tile + (1632*i11 + 96*i12 + 80), v14);
					}
					{
						const tn_f32_v8 v14 = r_acc_5_1;
						tn_store_f32_v8(tile + (1632*i11 + 96*i12 + 88), v14);
					}
					if (i7 + 1 - c0 >= 0) {
						for (int64_t i29 = 0; i29 < tn_min(d_T - 102*i5 - 6*i12, 6); i29++) {
							{
								const int64_t n30 = tn_min(d_V - 64*i6 - 16*i11, 16);
								int64_t i30 = 0;
								for (; i30 <= n30 - 8; i30 += 8) {
									const tn_f32_v8 v15 = tn_load_f32_v8(tile + (1632*i11 + 96*i12 + 16*i29 + i30));
									/* %4 = matmul: line 9 */
									const tn_f32_v8 v16 = v15;
									/* %2 b = input: line 8 */
									const tn_f32_v8 v17 = tn_load_f32_v8(b_b + (64*i6 + 16*i11 + i30));
									/* %6 logits = add: line 9 */
									const tn_f32_v8 v18 = v16 + v17;
									tn_store_f32_v8(b_logits + (102*d_V*i5 + 6*d_V*i12 + d_V*i29 + 64*i6 + 16*i11 + i30), v18);
								}
								if (i30 < n30) {
									const int64_t m30 = n30 - i30;
									const tn_f32_v8 v15 = tn_loadn_f32_v8(tile + (1632*i11 + 96*i12 + 16*i29 + i30), m30);
									const tn_f32_v8 v16 = v15;
									const tn_f32_v8 v17 = tn_loadn_f32_v8(b_b + (64*i6 + 16*i11 + i30), m30);
									const tn_f32_v8 v18 = v16 + v17;
									tn_storen_f32_v8(b_logits + (102*d_V*i5 + 6*d_V*i12 + d_V*i29 + 64*i6 + 16*i11 + i30), m30, v18);
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
/*
 * k1: region 1 of last_rows, by loop lanes=8 block=16384 walk=0 stream=1
 * every output element is computed on its own; past the caches beyond 12288 kB of inputs and outputs
 *   %7 = view: f32, line 10
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
	const int64_t d_T = args->dims[0];
	const int64_t d_V = args->dims[2];
	const int64_t d_L = args->dims[3];
	const int64_t c0 = tn_max(tn_div(16384, d_V), 1);
	const int64_t c1 = tn_max(d_T - d_L, 0);
	const int64_t c2 = (d_V + 16383)/16384;
	const int64_t c3 = tn_div(d_T - tn_max(d_T - d_L, 0) - 1, tn_max(16384/tn_max(d_V, 1), 1));
	const float *const b_logits = args->buffers[0];
	float *const b7 = args->buffers[1];
	const int64_t tasks = c3*c2 + c2;
	int done = 0;
	int64_t t = -1;

	(void)st;
	while ((t = tn_task(args, worker, workers, tasks, t, &done)) <
	       tasks) {
		const int64_t i0 = t / c2;
		const int64_t i2 = t % c2;
		for (int64_t i1 = 0; i1 < tn_min(c0, d_T - i0*c0 - c1); i1++) {
			{
				const int64_t n3 = tn_min(d_V - 16384*i2, 16384);
				int64_t i3 = 0;
				const int64_t h3 = 8*d_T*d_V - 4*d_V*c1 - 12582913LL >= 0 ? tn_head(b7 + (d_V*i0*c0 + d_V*i1 + 16384*i2), 32, 4, n3) : 0;
				const _Bool nt3_0 = 8*d_T*d_V - 4*d_V*c1 - 12582913LL >= 0 && ((uint64_t)(b7 + (d_V*i0*c0 + d_V*i1 + 16384*i2) + h3) & 31) == 0;
				if (h3 > 0) {
					const int64_t m3 = h3;
					/* %6 logits = add: line 9 */
					const tn_f32_v8 v0 = tn_loadn_f32_v8(b_logits + (d_V*i0*c0 + d_V*i1 + d_V*c1 + 16384*i2 + i3), m3);
					/* %7 = view: line 10 */
					tn_storen_f32_v8(b7 + (d_V*i0*c0 + d_V*i1 + 16384*i2 + i3), m3, v0);
					i3 = h3;
				}
				for (; i3 <= n3 - 8; i3 += 8) {
					const tn_f32_v8 v0 = tn_load_f32_v8(b_logits + (d_V*i0*c0 + d_V*i1 + d_V*c1 + 16384*i2 + i3));
					tn_stream_f32_v8(b7 + (d_V*i0*c0 + d_V*i1 + 16384*i2 + i3), v0, nt3_0);
				}
				if (i3 < n3) {
					const int64_t m3 = n3 - i3;
					const tn_f32_v8 v0 = tn_loadn_f32_v8(b_logits + (d_V*i0*c0 + d_V*i1 + d_V*c1 + 16384*i2 + i3), m3);
					tn_storen_f32_v8(b7 + (d_V*i0*c0 + d_V*i1 + 16384*i2 + i3), m3, v0);
				}
			}
		}
	}
	tn_fence();
}
