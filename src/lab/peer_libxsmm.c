/*
 * peer_libxsmm: LIBXSMM 1.17. Debian has it as an archive only; `make peers`
 * links it to build/peers/libxsmm.so, beside the command, where it is looked
 * for after the system's folders.
 *
 * It counts columns first: y = a b is computed as y' = b' a'. Small products
 * of plain operands are one generated kernel, which is what the library is
 * for; the rest go through its tiled and threaded product.
 */
#include "lab.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * The largest product, in multiply-adds, that is given to one kernel. The
 * library's own limit for that is 64 cubed, above which its sizes that tiles
 * do not fit are left to a BLAS; one kernel still does them, and well.
 */
#define KERNEL_MAX (128 * 128 * 128)

enum Entry {
	INIT,
	DISPATCH,
	GEMM,
	TARGET,
	OMP_THREADS,
	OMP_PARALLEL,
	ENTRIES,
};
static const char *const names[ENTRIES] = {
	"libxsmm_init",        "libxsmm_smmdispatch",
	"libxsmm_xgemm_omp",   "libxsmm_get_target_arch",
	"omp_set_num_threads", "GOMP_parallel"};

typedef void Kernel(const float *a, const float *b, float *c, ...);
typedef Kernel *Dispatch(int m, int n, int k, const int *lda, const int *ldb,
			 const int *ldc, const float *alpha, const float *beta,
			 const int *flags, const int *prefetch);
/* Both precisions are of the library's enumeration of dtypes. */
#define XSMM_F32 1
typedef void Gemm(int in, int out, const char *ta, const char *tb, const int *m,
		  const int *n, const int *k, const void *alpha, const void *a,
		  const int *lda, const void *b, const int *ldb,
		  const void *beta, void *c, const int *ldc);

typedef struct State {
	LabProduct d;
	char ta, tb; /* of the library's a and b: our b and a */
	int m, n, k, lda, ldb, ldc;
	Kernel *kernel;
	Gemm *gemm;
} State;

/* BUILD/peers/libxsmm.so of BUILD/tenon. */
static const char *beside(LabMem *m)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *end;

	path[n < 0 ? 0 : n] = '\0';
	end = strrchr(path, '/');
	return lab_printf(m, "%.*s/peers/libxsmm.so",
			  (int)(end ? end - path : 0), path);
}

static bool open_library(LabMem *m, LabPeer *p)
{
	const char *files[] = {"libxsmm.so", "libxsmm.so.1", beside(m)};

	if (!lab_peer_load(m, p, files, 3)) {
		p->why = "not found: tried libxsmm.so, libxsmm.so.1 and "
			 "peers/libxsmm.so beside tenon; install Debian's "
			 "package libxsmm-dev and run make peers";
		return false;
	}
	if (!lab_peer_symbols(m, p, names, ENTRIES))
		return false;
	p->omp = __extension__(LabOmpParallel *) p->entry[OMP_PARALLEL];
	(__extension__(void (*)(void)) p->entry[INIT])();
	(__extension__(void (*)(int)) p->entry[OMP_THREADS])(p->threads);
	p->version = lab_printf(
		m, "LIBXSMM for %s",
		(__extension__(const char *(*)(void)) p->entry[TARGET])());
	return true;
}

static bool takes(const LabPeer *p, TenonDType in, TenonDType out)
{
	(void)p;
	return in == TENON_F32 && out == TENON_F32;
}

/* Our matrix [m, n], turned for who counts columns first. */
static char turn(int64_t row, int64_t col, int64_t m, int64_t n, int *ld)
{
	if (col == 1 || n == 1) {
		*ld = (int)(m == 1 || row < n ? n : row);
		return 'N';
	}
	*ld = (int)(n == 1 || col < m ? m : col);
	return 'T';
}

static void *product_new(LabMem *m, LabPeer *p, const LabProduct *d)
{
	static const float one = 1, zero = 0;
	State *s = LAB_NEW(m, State, 1);

	s->d = *d;
	s->m = (int)d->n;
	s->n = (int)d->m;
	s->k = (int)d->k;
	s->ta = turn(d->b_row, d->b_col, d->k, d->n, &s->lda);
	s->tb = turn(d->a_row, d->a_col, d->m, d->k, &s->ldb);
	s->ldc = (int)d->c_row;
	s->gemm = __extension__(Gemm *) p->entry[GEMM];
	if (s->ta == 'N' && s->tb == 'N' && d->m * d->n * d->k <= KERNEL_MAX)
		s->kernel = (__extension__(Dispatch *) p->entry[DISPATCH])(
			s->m, s->n, s->k, &s->lda, &s->ldb, &s->ldc, &one,
			&zero, NULL, NULL);
	return s;
}

static void one_run(const State *s, const float *a, const float *b, float *c)
{
	static const float one = 1, zero = 0;

	if (s->kernel)
		s->kernel(b, a, c);
	else
		s->gemm(XSMM_F32, XSMM_F32, &s->ta, &s->tb, &s->m, &s->n, &s->k,
			&one, b, &s->lda, a, &s->ldb, &zero, c, &s->ldc);
}

static bool product_run(void *state, const void *a, const void *b,
			const void *bias, void *c)
{
	const State *s = state;
	const LabProduct *d = &s->d;
	int64_t total = 1;

	(void)bias;
	for (int i = 0; i < d->nbatch; i++)
		total *= d->batch[i];
	for (int64_t at = 0; at < total; at++) {
		int64_t rest = at, ao = 0, bo = 0, co = 0;

		for (int i = d->nbatch; i-- > 0;) {
			int64_t x = rest % d->batch[i];

			rest /= d->batch[i];
			ao += x * d->a_batch[i];
			bo += x * d->b_batch[i];
			co += x * d->c_batch[i];
		}
		one_run(s, (const float *)a + ao, (const float *)b + bo,
			(float *)c + co);
	}
	return true;
}

const LabPeerSpec lab_peer_libxsmm = {
	.name = "libxsmm",
	.title = "LIBXSMM",
	.package = "Debian's package libxsmm-dev, then run make peers",
	.open = open_library,
	.takes = takes,
	.product_new = product_new,
	.product_run = product_run,
};
