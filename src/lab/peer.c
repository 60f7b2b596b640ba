/*
 * peer: the table of libraries, how they are found, and the BLAS interface
 * that two of them share. Nothing of them is needed to build; what their
 * headers declare is declared again where it is used.
 */
#include "lab.h"

#include <dlfcn.h>
#include <string.h>

const LabPeerSpec *const lab_peers[] = {
	&lab_peer_openblas,      &lab_peer_blis,    &lab_peer_onednn,
	&lab_peer_onednn_packed, &lab_peer_libxsmm, &lab_peer_cublaslt,
	&lab_peer_copy};
const int lab_npeers = sizeof(lab_peers) / sizeof(*lab_peers);

const LabPeerSpec *lab_peer_find(const LabPeerSpec *const *specs, int n,
				 const char *name, size_t len)
{
	for (int i = 0; i < n; i++)
		if (strlen(specs[i]->name) == len &&
		    memcmp(specs[i]->name, name, len) == 0)
			return specs[i];
	return NULL;
}

bool lab_peer_load(LabMem *m, LabPeer *p, const char *const *files, int n)
{
	LabText tried = {.mem = m};

	for (int i = 0; i < n; i++) {
		p->library = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
		if (p->library)
			return true;
		lab_text(&tried, "%s%s", i ? ", " : "", files[i]);
	}
	p->why = lab_printf(m, "not found: tried %s; install %s", tried.p,
			    p->spec->package);
	return false;
}

bool lab_peer_symbols(LabMem *m, LabPeer *p, const char *const *names, int n)
{
	for (int i = 0; i < n; i++) {
		p->entry[i] = dlsym(p->library, names[i]);
		if (!p->entry[i]) {
			p->why = lab_printf(m, "the library has no %s",
					    names[i]);
			return false;
		}
	}
	return true;
}

/* ---- BLAS ------------------------------------------------------------ */

const char *const lab_cblas_names[4] = {"cblas_sgemm", "cblas_dgemm",
					"cblas_sgemv", "cblas_dgemv"};

enum {
	ROW_MAJOR = 101,
	PLAIN = 111,
	TURNED = 112,
};
typedef void Sgemm(int order, int ta, int tb, int m, int n, int k, float alpha,
		   const float *a, int lda, const float *b, int ldb, float beta,
		   float *c, int ldc);
typedef void Dgemm(int order, int ta, int tb, int m, int n, int k, double alpha,
		   const double *a, int lda, const double *b, int ldb,
		   double beta, double *c, int ldc);
typedef void Sgemv(int order, int t, int m, int n, float alpha, const float *a,
		   int lda, const float *x, int incx, float beta, float *y,
		   int incy);
typedef void Dgemv(int order, int t, int m, int n, double alpha,
		   const double *a, int lda, const double *x, int incx,
		   double beta, double *y, int incy);

/* A matrix operand as BLAS takes it. */
typedef struct Matrix {
	int turned, ld;
} Matrix;

typedef struct Cblas {
	LabProduct d;
	Matrix a, b;
	void *entry[4];
} Cblas;

bool lab_cblas_takes(const LabPeer *p, TenonDType in, TenonDType out)
{
	(void)p;
	return in == out && (in == TENON_F32 || in == TENON_F64);
}

static Matrix matrix(int64_t row, int64_t col, int64_t m, int64_t n)
{
	/* Of a single row or column the other stride is free. */
	if (col == 1 || n == 1)
		return (Matrix){PLAIN, (int)(m == 1 || row < n ? n : row)};
	return (Matrix){TURNED, (int)(n == 1 || col < m ? m : col)};
}

void *lab_cblas_new(LabMem *m, LabPeer *p, const LabProduct *d)
{
	Cblas *c = LAB_NEW(m, Cblas, 1);

	if (d->m > INT32_MAX || d->n > INT32_MAX || d->k > INT32_MAX ||
	    d->a_row > INT32_MAX || d->b_row > INT32_MAX ||
	    d->a_col > INT32_MAX || d->b_col > INT32_MAX) {
		lab_fail(m, "sizes beyond BLAS's int");
		return NULL;
	}
	c->d = *d;
	c->a = matrix(d->a_row, d->a_col, d->m, d->k);
	c->b = matrix(d->b_row, d->b_col, d->k, d->n);
	memcpy(c->entry, p->entry, sizeof(c->entry));
	return c;
}

/*
 * A product with one row is y = B' a, with one column y = A b: what a user
 * of BLAS would call.
 */
static bool vector_run(const Cblas *c, const void *a, const void *b, void *y)
{
	const LabProduct *d = &c->d;
	bool row = d->m == 1;
	const Matrix *mat = row ? &c->b : &c->a;
	const void *matrix_at = row ? b : a, *x = row ? a : b;
	int rows = (int)(row ? d->k : d->m), cols = (int)(row ? d->n : d->k);
	int turned =
		row ? (mat->turned == PLAIN ? TURNED : PLAIN) : mat->turned;
	int inc = (int)(row ? d->a_col : d->b_row);

	inc = d->k == 1 ? 1 : inc;
	/* sgemv's sizes are those of the matrix as it is stored. */
	if (mat->turned == TURNED) {
		int t = rows;

		rows = cols;
		cols = t;
	}
	if (d->in == TENON_F32)
		(__extension__(Sgemv *) c->entry[2])(ROW_MAJOR, turned, rows,
						     cols, 1, matrix_at,
						     mat->ld, x, inc, 0, y, 1);
	else
		(__extension__(Dgemv *) c->entry[3])(ROW_MAJOR, turned, rows,
						     cols, 1, matrix_at,
						     mat->ld, x, inc, 0, y, 1);
	return true;
}

static bool matrix_run(const Cblas *c, const void *a, const void *b, void *y)
{
	const LabProduct *d = &c->d;
	int m = (int)d->m, n = (int)d->n, k = (int)d->k;

	if (m == 1 || n == 1)
		return vector_run(c, a, b, y);
	if (d->in == TENON_F32)
		(__extension__(Sgemm *) c->entry[0])(
			ROW_MAJOR, c->a.turned, c->b.turned, m, n, k, 1, a,
			c->a.ld, b, c->b.ld, 0, y, (int)d->c_row);
	else
		(__extension__(Dgemm *) c->entry[1])(
			ROW_MAJOR, c->a.turned, c->b.turned, m, n, k, 1, a,
			c->a.ld, b, c->b.ld, 0, y, (int)d->c_row);
	return true;
}

/* Batches one after the other, as BLAS has no other way. */
bool lab_cblas_run(void *state, const void *a, const void *b, const void *bias,
		   void *y)
{
	const Cblas *c = state;
	const LabProduct *d = &c->d;
	int64_t size = (int64_t)tenon_dtype_size(d->in), total = 1;

	(void)bias;
	for (int i = 0; i < d->nbatch; i++)
		total *= d->batch[i];
	for (int64_t at = 0; at < total; at++) {
		int64_t rest = at, ao = 0, bo = 0, yo = 0;

		for (int i = d->nbatch; i-- > 0;) {
			int64_t x = rest % d->batch[i];

			rest /= d->batch[i];
			ao += x * d->a_batch[i];
			bo += x * d->b_batch[i];
			yo += x * d->c_batch[i];
		}
		if (!matrix_run(c, (const char *)a + ao * size,
				(const char *)b + bo * size,
				(char *)y + yo * size))
			return false;
	}
	return true;
}
