/*
 * openblas: OpenBLAS's sgemm and dgemm, through cblas. Declarations and
 * numbers are those of cblas.h.
 *
 * Built for POSIX threads it has one number of threads for the whole process:
 * while any of our workers is in there it is 1, and as it was when the last one
 * has left. A caller's own products of that time run on one thread too. Built
 * for OpenMP it goes by the calling thread's number.
 */
#include "runtime/product.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

enum {
	/* openblas_get_parallel() */
	SEQUENTIAL = 0,
	OPENMP = 2,
	/* cblas.h */
	ROW_MAJOR = 101,
	PLAIN = 111,
	TURNED = 112,
};

enum Entry {
	SGEMM,
	DGEMM,
	SET_THREADS,
	GET_THREADS,
	CONFIG,
	PARALLEL,
	ENTRIES,
};
static const char *const names[ENTRIES] = {
	"cblas_sgemm",
	"cblas_dgemm",
	"openblas_set_num_threads",
	"openblas_get_num_threads",
	"openblas_get_config",
	"openblas_get_parallel",
};
static const char *const omp_names[2] = {"omp_set_num_threads",
					 "omp_get_max_threads"};
static const char *const files[] = {"libopenblas.so.0", "libopenblas.so"};

typedef void Sgemm(int order, int ta, int tb, int m, int n, int k, float alpha,
		   const float *a, int lda, const float *b, int ldb, float beta,
		   float *c, int ldc);
typedef void Dgemm(int order, int ta, int tb, int m, int n, int k, double alpha,
		   const double *a, int lda, const double *b, int ldb,
		   double beta, double *c, int ldc);

static struct {
	pthread_once_t once;
	void *library;
	const char *lacks; /* a name; NULL: it has all */
	void *entry[ENTRIES], *omp[2];
	int parallel;
	/* the process's number of threads, while workers are in there */
	pthread_mutex_t lock;
	int inside, before;
} blas = {.once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER};

/* CALL(ENTRY, int, (types), (arguments)) */
#define CALL(e, ret, types, args)                                              \
	((__extension__(ret(*) types) blas.entry[e])args)

static void before_fork(void)
{
	pthread_mutex_lock(&blas.lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&blas.lock);
}

/* The other workers are not there. */
static void in_child(void)
{
	blas.inside = 0;
	pthread_mutex_unlock(&blas.lock);
}

static void open_once(void)
{
	blas.library = product_load(files, ARRAY_LEN(files));
	if (!blas.library)
		return;
	blas.lacks = product_symbols(blas.library, names, ENTRIES, blas.entry);
	if (blas.lacks)
		return;
	blas.parallel = CALL(PARALLEL, int, (void), ());
	if (blas.parallel == OPENMP)
		blas.lacks =
			product_symbols(blas.library, omp_names, 2, blas.omp);
	pthread_atfork(before_fork, after_fork, in_child);
}

static bool find(Ctx *ctx)
{
	pthread_once(&blas.once, open_once);
	if (!blas.library)
		return diag_fail(ctx, ERR_ENV,
				 "install it (Debian's package "
				 "libopenblas0-pthread), or " PRODUCT_LEAVE_OUT,
				 "OpenBLAS is not found: tried "
				 "libopenblas.so.0, libopenblas.so");
	if (blas.lacks)
		return diag_fail(
			ctx, ERR_ENV,
			"install OpenBLAS 0.3 or later, or " PRODUCT_LEAVE_OUT,
			"OpenBLAS has no %s", blas.lacks);
	if (blas.parallel == SEQUENTIAL)
		return diag_fail(ctx, ERR_ENV,
				 "install it for POSIX threads or OpenMP, "
				 "or " PRODUCT_LEAVE_OUT,
				 "OpenBLAS is built for one thread alone, and "
				 "may not be called by several");
	if (strstr(CALL(CONFIG, char *, (void), ()), "USE64BITINT"))
		return diag_fail(ctx, ERR_ENV,
				 "install it with integers of 32 bits, "
				 "or " PRODUCT_LEAVE_OUT,
				 "OpenBLAS is built for integers of 64 bits");
	return true;
}

/* It names the version, and the processor that it has kernels for. */
static bool openblas_version(Ctx *ctx, Arena *a, const char **out)
{
	if (!find(ctx))
		return false;
	const char *config = CALL(CONFIG, char *, (void), ());
	bool named = strncmp(config, "OpenBLAS", 8) == 0;
	size_t n = strlen(config);

	while (n && config[n - 1] == ' ')
		n--;
	*out = arena_printf(a, "%s%.*s", named ? "" : "OpenBLAS ", (int)n,
			    config);
	return true;
}

static int64_t lead(const ProductMatrix *m)
{
	return m->column == 1 ? m->row : m->column;
}

static bool openblas_prepare(Ctx *ctx, Arena *a, Product *p)
{
	const int64_t sizes[] = {p->part_rows,    p->part_columns,
				 p->depth,        lead(&p->left),
				 lead(&p->right), lead(&p->out)};

	(void)a;
	if (!find(ctx))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
		if (sizes[i] > INT32_MAX)
			return diag_fail(ctx, ERR_ENV, PRODUCT_LEAVE_OUT,
					 "%s: OpenBLAS takes no extent or "
					 "distance above %d, and one is %lld",
					 p->name, INT32_MAX,
					 (long long)sizes[i]);
	return true;
}

static int enter(void)
{
	if (blas.parallel == OPENMP) {
		int before = (__extension__(int (*)(void)) blas.omp[1])();
		(__extension__(void (*)(int)) blas.omp[0])(1);
		return before;
	}
	pthread_mutex_lock(&blas.lock);
	if (blas.inside++ == 0) {
		blas.before = CALL(GET_THREADS, int, (void), ());
		if (blas.before != 1)
			CALL(SET_THREADS, void, (int), (1));
	}
	pthread_mutex_unlock(&blas.lock);
	return 0;
}

static void leave(int before)
{
	if (blas.parallel == OPENMP) {
		(__extension__(void (*)(int)) blas.omp[0])(before);
		return;
	}
	pthread_mutex_lock(&blas.lock);
	if (--blas.inside == 0 && blas.before != 1)
		CALL(SET_THREADS, void, (int), (blas.before));
	pthread_mutex_unlock(&blas.lock);
}

static int openblas_part(const Product *p, const ProductPart *x)
{
	int ta = p->left.column == 1 ? PLAIN : TURNED;
	int tb = p->right.column == 1 ? PLAIN : TURNED;
	int m = (int)x->rows, n = (int)x->columns, k = (int)p->depth;
	int lda = (int)lead(&p->left), ldb = (int)lead(&p->right);
	int ldc = (int)p->out.row;

	if (p->out.type == PRODUCT_F64)
		(__extension__(Dgemm *) blas.entry[DGEMM])(
			ROW_MAJOR, ta, tb, m, n, k, 1, x->left, lda, x->right,
			ldb, 0, x->out, ldc);
	else
		(__extension__(Sgemm *) blas.entry[SGEMM])(
			ROW_MAJOR, ta, tb, m, n, k, 1, x->left, lda, x->right,
			ldb, 0, x->out, ldc);
	return 0;
}

const ProductCalls product_openblas = {
	.title = "OpenBLAS",
	.version = openblas_version,
	.prepare = openblas_prepare,
	.enter = enter,
	.leave = leave,
	.part = openblas_part,
};
