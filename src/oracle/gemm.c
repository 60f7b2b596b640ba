/*
 * gemm: products of double matrices for the oracle, blocked and threaded.
 *
 * gemm_double: rows in blocks of 64, K in blocks of 256, columns in panels
 * of eight packed side by side; four rows by one panel stay in registers.
 * Multiplication and addition round separately. Error: |c - exact| <=
 * gamma_{k+1} sum |a||b| in double for any blocking (Higham §3.5).
 *
 * gemm_double2: Dot2 of Ogita, Rump and Oishi (2005): the errors of products
 * (Dekker's split, made once for each operand) and sums (Knuth's two-sum)
 * are added up beside. Error: u |exact| + gamma_k^2 sum |a||b|.
 *
 * The kernels are GNU vector code, compiled for the baseline and for wider
 * vectors, chosen at run time; every choice gives the same bits.
 */
#include "oracle/eval.h"

#define MR  4
#define NR  8
#define KC  256
#define MC  64
#define MC2 16

typedef double Vec __attribute__((vector_size(8 * sizeof(double))));

typedef struct Gemm {
	int64_t m, n, k, panels;
	const double *a;
	const double *b; /* packed: [panel][k][NR] */
	double *c, *c2;
	const double *a_hi, *b_hi; /* split operands, else NULL */
} Gemm;

/* c[MR][NR] += a[MR][k] b[k][NR] */
typedef void KernelFn(int64_t k, const double *a, int64_t lda, int rows,
		      const double *b, double *c, int64_t ldc, int cols);

#define KERNEL_BODY                                                            \
	const double *a0 = a, *a1 = a + (rows > 1 ? lda : 0);                  \
	const double *a2 = a + (rows > 2 ? 2 * lda : 0);                       \
	const double *a3 = a + (rows > 3 ? 3 * lda : 0);                       \
	Vec s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};                            \
	for (int64_t p = 0; p < k; p++) {                                      \
		Vec x;                                                         \
		memcpy(&x, b + p * NR, sizeof x);                              \
		s0 += a0[p] * x;                                               \
		s1 += a1[p] * x;                                               \
		s2 += a2[p] * x;                                               \
		s3 += a3[p] * x;                                               \
	}                                                                      \
	Vec s[MR] = {s0, s1, s2, s3};                                          \
	for (int i = 0; i < rows; i++)                                         \
		for (int j = 0; j < cols; j++)                                 \
			c[i * ldc + j] += s[i][j];

static void kernel_base(int64_t k, const double *a, int64_t lda, int rows,
			const double *b, double *c, int64_t ldc, int cols)
{
	KERNEL_BODY
}

/*
 * One row by one panel in twice the precision. With ah, al and bh, bl the
 * halves of a and b, and p = a b rounded, the error of p is exactly
 * ((ah bh - p) + ah bl + al bh) + al bl.
 */
typedef void Kernel2Fn(int64_t k, const double *a, const double *ah,
		       const double *b, const double *bh, double *c, double *c2,
		       int cols);

#define KERNEL2_BODY                                                           \
	Vec s = {0}, e = {0};                                                  \
	for (int64_t q = 0; q < k; q++) {                                      \
		Vec y, yh;                                                     \
		memcpy(&y, b + q * NR, sizeof y);                              \
		memcpy(&yh, bh + q * NR, sizeof yh);                           \
		double xh = ah[q], xl = a[q] - xh;                             \
		Vec yl = y - yh, p = a[q] * y;                                 \
		e += ((xh * yh - p) + xh * yl + xl * yh) + xl * yl;            \
		Vec t = s + p, z = t - s;                                      \
		e += (s - (t - z)) + (p - z);                                  \
		s = t;                                                         \
	}                                                                      \
	for (int j = 0; j < cols; j++) {                                       \
		two_sum(s[j], e[j], &c[j], &c2[j]);                            \
	}

static void kernel2_base(int64_t k, const double *a, const double *ah,
			 const double *b, const double *bh, double *c,
			 double *c2, int cols)
{
	KERNEL2_BODY
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void
kernel_avx2(int64_t k, const double *a, int64_t lda, int rows, const double *b,
	    double *c, int64_t ldc, int cols)
{
	KERNEL_BODY
}
__attribute__((target("avx512f"))) static void
kernel_avx512(int64_t k, const double *a, int64_t lda, int rows,
	      const double *b, double *c, int64_t ldc, int cols)
{
	KERNEL_BODY
}
__attribute__((target("avx2"))) static void
kernel2_avx2(int64_t k, const double *a, const double *ah, const double *b,
	     const double *bh, double *c, double *c2, int cols)
{
	KERNEL2_BODY
}
__attribute__((target("avx512f"))) static void
kernel2_avx512(int64_t k, const double *a, const double *ah, const double *b,
	       const double *bh, double *c, double *c2, int cols)
{
	KERNEL2_BODY
}
#endif

static KernelFn *kernel_choose(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx512f"))
		return kernel_avx512;
	if (__builtin_cpu_supports("avx2"))
		return kernel_avx2;
#endif
	return kernel_base;
}

static Kernel2Fn *kernel2_choose(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx512f"))
		return kernel2_avx512;
	if (__builtin_cpu_supports("avx2"))
		return kernel2_avx2;
#endif
	return kernel2_base;
}

/* Panels of NR columns, rows of K after each other; short ones padded 0. */
static double *pack(Eval *e, int64_t n, int64_t k, const double *b)
{
	int64_t panels = (n + NR - 1) / NR;
	double *out =
		eval_alloc(e, (size_t)(panels * k * NR + NR) * sizeof *out);
	for (int64_t p = 0; p < panels; p++) {
		int64_t cols = n - p * NR < NR ? n - p * NR : NR;
		double *to = out + p * k * NR;
		for (int64_t q = 0; q < k; q++) {
			const double *from = b + q * n + p * NR;
			for (int64_t j = 0; j < NR; j++)
				to[q * NR + j] = j < cols ? from[j] : 0;
		}
	}
	return out;
}

static void rows_work(void *arg, int64_t first, int64_t end)
{
	Gemm *g = arg;
	KernelFn *kernel = kernel_choose();
	for (int64_t i0 = first * MC; i0 < end * MC && i0 < g->m; i0 += MC) {
		int64_t i1 = i0 + MC < g->m ? i0 + MC : g->m;
		memset(g->c + i0 * g->n, 0,
		       (size_t)((i1 - i0) * g->n) * sizeof *g->c);
		for (int64_t q = 0; q < g->k; q += KC) {
			int64_t kc = g->k - q < KC ? g->k - q : KC;
			for (int64_t p = 0; p < g->panels; p++) {
				const double *b = g->b + (p * g->k + q) * NR;
				int64_t left = g->n - p * NR;
				int cols = left < NR ? (int)left : NR;
				for (int64_t i = i0; i < i1; i += MR) {
					int64_t more = i1 - i;
					int rows = more < MR ? (int)more : MR;
					kernel(kc, g->a + i * g->k + q, g->k,
					       rows, b,
					       g->c + i * g->n + p * NR, g->n,
					       cols);
				}
			}
		}
	}
}

void gemm_double(Eval *e, int64_t m, int64_t n, int64_t k, const double *a,
		 const double *b, double *c)
{
	Gemm g = {.m = m, .n = n, .k = k, .a = a, .c = c};
	g.panels = (n + NR - 1) / NR;
	double *packed = pack(e, n, k, b);
	g.b = packed;
	eval_parallel(e->threads, (m + MC - 1) / MC, 1, rows_work, &g);
	eval_free(e, packed);
}

/* The upper half of a double's significand (Dekker 1971; 2^27 + 1). */
static double upper_half(double x)
{
	double c = 134217729.0 * x;
	return c - (c - x);
}

static void rows2_work(void *arg, int64_t first, int64_t end)
{
	Gemm *g = arg;
	Kernel2Fn *kernel = kernel2_choose();
	for (int64_t i0 = first * MC2; i0 < end * MC2 && i0 < g->m; i0 += MC2) {
		int64_t i1 = i0 + MC2 < g->m ? i0 + MC2 : g->m;
		for (int64_t p = 0; p < g->panels; p++) {
			int64_t left = g->n - p * NR, at = p * g->k * NR;
			for (int64_t i = i0; i < i1; i++)
				kernel(g->k, g->a + i * g->k,
				       g->a_hi + i * g->k, g->b + at,
				       g->b_hi + at, g->c + i * g->n + p * NR,
				       g->c2 + i * g->n + p * NR,
				       left < NR ? (int)left : NR);
		}
	}
}

void gemm_double2(Eval *e, int64_t m, int64_t n, int64_t k, const double *a,
		  const double *b, double *c, double *c2)
{
	Gemm g = {.m = m, .n = n, .k = k, .a = a, .c = c, .c2 = c2};
	g.panels = (n + NR - 1) / NR;
	double *packed = pack(e, n, k, b);
	int64_t nb = g.panels * k * NR, na = m * k;
	double *b_hi = eval_alloc(e, (size_t)(nb + 1) * sizeof *b_hi);
	double *a_hi = eval_alloc(e, (size_t)(na + 1) * sizeof *a_hi);
	for (int64_t i = 0; i < nb; i++)
		b_hi[i] = upper_half(packed[i]);
	for (int64_t i = 0; i < na; i++)
		a_hi[i] = upper_half(a[i]);
	g.b = packed;
	g.a_hi = a_hi;
	g.b_hi = b_hi;
	eval_parallel(e->threads, (m + MC2 - 1) / MC2, 1, rows2_work, &g);
	eval_free(e, packed);
	eval_free(e, a_hi);
	eval_free(e, b_hi);
}

typedef struct GemmInt {
	int64_t n, k;
	const int64_t *a, *b;
	int64_t *c;
} GemmInt;

static void ints_work(void *arg, int64_t first, int64_t end)
{
	GemmInt *g = arg;
	for (int64_t i = first; i < end; i++) {
		int64_t *c = g->c + i * g->n;
		memset(c, 0, (size_t)g->n * sizeof *c);
		for (int64_t q = 0; q < g->k; q++) {
			uint64_t x = (uint64_t)g->a[i * g->k + q];
			const int64_t *b = g->b + q * g->n;
			for (int64_t j = 0; x && j < g->n; j++)
				c[j] = (int64_t)((uint64_t)c[j] +
						 x * (uint64_t)b[j]);
		}
	}
}

void gemm_int(Eval *e, int64_t m, int64_t n, int64_t k, const int64_t *a,
	      const int64_t *b, int64_t *c)
{
	GemmInt g = {.n = n, .k = k, .a = a, .b = b, .c = c};
	eval_parallel(e->threads, m, 1, ints_work, &g);
}
