/*
 * peer_libxsmm: LIBXSMM 1.17. Debian has it as an archive only; `make peers`
 * links it to build/peers/libxsmm.so, beside the command, where it is looked
 * for after the system's folders.
 *
 * It counts columns first: y = a b is computed as y' = b' a'. Small products
 * of plain operands are one generated kernel, which is what the library is
 * for; the rest go through its tiled and threaded product. Neither takes
 * operands that are stored turned: those are copied first, by the library, in
 * each call. (Its tiled product gives some turned or odd ones to a BLAS, which
 * is not what is measured here.)
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
	TURN,
	TURN_OMP,
	TARGET,
	OMP_THREADS,
	OMP_PARALLEL,
	ENTRIES,
};
static const char *const names[ENTRIES] = {
	"libxsmm_init",        "libxsmm_smmdispatch", "libxsmm_xgemm_omp",
	"libxsmm_otrans",      "libxsmm_otrans_omp",  "libxsmm_get_target_arch",
	"omp_set_num_threads", "GOMP_parallel",
};

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

/* Of an m x n matrix with ldi between columns: its transpose in out. */
typedef void Turn(void *out, const void *in, unsigned size, int m, int n,
		  int ldi, int ldo);
/* Copies below this many elements are not worth waking threads for. */
#define TURN_SERIAL 32768

typedef struct State {
	LabProduct d;
	int m, n, k, lda, ldb, ldc; /* the library's, of plain operands */
	int turned_lda, turned_ldb; /* as stored, where a or b is turned */
	float *a, *b;               /* plain copies; NULL: none needed */
	Turn *turn_a, *turn_b;
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

/*
 * Our matrix [m, n], columns of which are rows of the library's. True when it
 * is stored turned.
 */
static bool is_turned(int64_t row, int64_t col, int64_t m, int64_t n, int *ld)
{
	if (col == 1 || n == 1) {
		*ld = (int)(m == 1 || row < n ? n : row);
		return false;
	}
	*ld = (int)(n == 1 || col < m ? m : col);
	return true;
}

static Turn *turn_of(const LabPeer *p, int64_t elements)
{
	bool serial = p->threads == 1 || elements < TURN_SERIAL;

	return __extension__(Turn *) p->entry[serial ? TURN : TURN_OMP];
}

static void *product_new(LabMem *m, LabPeer *p, const LabProduct *d)
{
	static const float one = 1, zero = 0;
	State *s = LAB_NEW(m, State, 1);

	s->d = *d;
	s->m = (int)d->n;
	s->n = (int)d->m;
	s->k = (int)d->k;
	s->ldc = (int)d->c_row;
	s->gemm = __extension__(Gemm *) p->entry[GEMM];
	if (is_turned(d->b_row, d->b_col, d->k, d->n, &s->lda)) {
		s->a = LAB_NEW(m, float, d->n * d->k);
		s->turn_a = turn_of(p, d->n * d->k);
		s->turned_lda = s->lda;
		s->lda = s->m;
	}
	if (is_turned(d->a_row, d->a_col, d->m, d->k, &s->ldb)) {
		s->b = LAB_NEW(m, float, d->m * d->k);
		s->turn_b = turn_of(p, d->m * d->k);
		s->turned_ldb = s->ldb;
		s->ldb = s->k;
	}
	if (d->m * d->n * d->k <= KERNEL_MAX)
		s->kernel = (__extension__(Dispatch *) p->entry[DISPATCH])(
			s->m, s->n, s->k, &s->lda, &s->ldb, &s->ldc, &one,
			&zero, NULL, NULL);
	return s;
}

/* y = x w as the library's c = a b with a = w', b = x'. */
static void one_run(const State *s, const float *x, const float *w, float *c)
{
	static const float one = 1, zero = 0;
	const float *a = w, *b = x;

	if (s->a) {
		s->turn_a(s->a, w, sizeof(float), s->k, s->m, s->turned_lda,
			  s->lda);
		a = s->a;
	}
	if (s->b) {
		s->turn_b(s->b, x, sizeof(float), s->n, s->k, s->turned_ldb,
			  s->ldb);
		b = s->b;
	}
	if (s->kernel)
		s->kernel(a, b, c);
	else
		s->gemm(XSMM_F32, XSMM_F32, "N", "N", &s->m, &s->n, &s->k, &one,
			a, &s->lda, b, &s->ldb, &zero, c, &s->ldc);
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
