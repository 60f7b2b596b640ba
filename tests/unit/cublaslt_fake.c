/*
 * cublaslt_fake: a library with cuBLASLt's names, which tests make and load in
 * its place, beside cuda_fake.c. Products are computed on the host, when the
 * stream gets there. Its heuristics name algorithms of every kind, in this
 * order: those of `kinds`. It does as the environment says:
 *
 *	FAKE_LT_VERSION
 *	FAKE_LT_FAIL=CALL:RESULT
 *	FAKE_LT_ONLY=N    so many of the kinds are named
 *	FAKE_LT_ALIGN=N   operands must begin at multiples of N bytes
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int fake_lt_objects; /* handles, descriptors, layouts, preferences */
int fake_lt_taken;   /* the algorithm of the last product */
size_t fake_lt_workspace;

static int number(const char *name, int otherwise)
{
	const char *v = getenv(name);
	return v ? atoi(v) : otherwise;
}

static int fails(const char *call)
{
	const char *v = getenv("FAKE_LT_FAIL");
	size_t n = strlen(call);
	return v && !strncmp(v, call, n) && v[n] == ':' ? atoi(v + n + 1) : 0;
}

#define BEGIN                                                                  \
	if (fails(__func__))                                                   \
	return fails(__func__)

/* Of all objects, so that one frees them. */
typedef struct Object {
	int compute, scale, turned[2]; /* a descriptor */
	int type;                      /* a layout */
	uint64_t rows, columns;
	int64_t leading, distance;
	int batches;
	size_t workspace; /* a preference */
	uint32_t align[4];
} Object;

static int make(void **out)
{
	*out = calloc(1, sizeof(Object));
	fake_lt_objects++;
	return 0;
}

static int drop(void *object)
{
	free(object);
	fake_lt_objects--;
	return 0;
}

size_t cublasLtGetVersion(void)
{
	return (size_t)number("FAKE_LT_VERSION", 130002);
}

int cublasLtCreate(void **h)
{
	BEGIN;
	return make(h);
}

int cublasLtDestroy(void *h)
{
	return drop(h);
}

int cublasLtMatmulDescCreate(void **d, int compute, int scale)
{
	BEGIN;
	make(d);
	((Object *)*d)->compute = compute;
	((Object *)*d)->scale = scale;
	return 0;
}

int cublasLtMatmulDescDestroy(void *d)
{
	return drop(d);
}

int cublasLtMatmulDescSetAttribute(void *d, int attribute, const void *value,
				   size_t size)
{
	BEGIN;
	if (attribute < 3 || attribute > 4 || size != 4)
		return 7;
	((Object *)d)->turned[attribute - 3] = *(const int *)value;
	return 0;
}

int cublasLtMatrixLayoutCreate(void **l, int type, uint64_t rows,
			       uint64_t columns, int64_t leading)
{
	Object *o;
	BEGIN;
	make(l);
	o = *l;
	*o = (Object){.type = type,
		      .rows = rows,
		      .columns = columns,
		      .leading = leading,
		      .batches = 1};
	return leading >= (int64_t)rows ? 0 : 7;
}

int cublasLtMatrixLayoutDestroy(void *l)
{
	return drop(l);
}

int cublasLtMatrixLayoutSetAttribute(void *l, int attribute, const void *value,
				     size_t size)
{
	Object *o = l;
	BEGIN;
	if (attribute == 5 && size == 4)
		o->batches = *(const int *)value;
	else if (attribute == 6 && size == 8)
		o->distance = *(const int64_t *)value;
	else
		return 7;
	return 0;
}

int cublasLtMatmulPreferenceCreate(void **p)
{
	BEGIN;
	return make(p);
}

int cublasLtMatmulPreferenceDestroy(void *p)
{
	return drop(p);
}

int cublasLtMatmulPreferenceSetAttribute(void *p, int attribute,
					 const void *value, size_t size)
{
	Object *o = p;
	BEGIN;
	if (attribute == 1 && size == 8)
		o->workspace = *(const size_t *)value;
	else if (attribute >= 5 && attribute <= 8 && size == 4)
		o->align[attribute - 5] = *(const uint32_t *)value;
	else
		return 7;
	return 0;
}

/* ---- algorithms ------------------------------------------------------- */

typedef struct Algorithm {
	uint64_t kind, numerics, pad[6];
} Algorithm;

typedef struct Heuristic {
	Algorithm algorithm;
	size_t workspace;
	int state;
	float waves;
	int reserved[4];
} Heuristic;

/* What is added to, and taken from, the numbers of the compute type. */
static const struct {
	int state, split, reduction;
	uint64_t with, without;
} kinds[] = {
	{0, 4, 1, 0, 0},                         /* in place */
	{0, 4, 4, 0, 0},                         /* in the output's type */
	{0, 1, 0, 1 << 8, 0xff00},               /* sums in f16 */
	{0, 1, 0, 1 << 18, 0xff0000},            /* TF32 */
	{0, 1, 0, UINT64_C(1) << 32, 0},         /* Gaussian */
	{15, 1, 0, 0, 0},                        /* cannot run */
	{0, 1, 0, 0, 0},                         /* good */
	{0, 3, 2, 0, 0},                         /* good */
	{0, 1, 0, 0, UINT64_C(0xffffffffffffff)} /* tells nothing */
};
#define KINDS ((int)(sizeof(kinds) / sizeof(*kinds)))

static uint64_t numerics(int compute, int type)
{
	uint64_t sums = compute == 72 ? 11 : compute == 71 ? 10 : 9;
	uint64_t operand = type == 2    ? 16
			   : type == 14 ? 16 /* as the library has it */
			   : type == 0  ? 19
			   : type == 1  ? 20
					: 21;
	return 2 | UINT64_C(1) << sums | UINT64_C(1) << operand;
}

int cublasLtMatmulAlgoGetHeuristic(void *h, void *desc, void *a, void *b,
				   void *c, void *d, void *preference, int max,
				   Heuristic *out, int *found)
{
	const Object *p = preference, *x = desc, *l = a;
	int n = number("FAKE_LT_ONLY", KINDS);
	BEGIN;
	for (int i = 0; i < 4; i++)
		if (p->align[i] < (uint32_t)number("FAKE_LT_ALIGN", 1))
			return 15;
	if (!h || c != d ||
	    x->scale != (x->compute == 72   ? 10
			 : x->compute == 71 ? 1
					    : 0))
		return 7;
	for (int i = 0; i < n && i < max; i++) {
		uint64_t is = numerics(x->compute, l->type);
		out[i] = (Heuristic){.state = kinds[i].state,
				     .workspace = 64 * (size_t)i};
		out[i].algorithm.kind = (uint64_t)i;
		out[i].algorithm.numerics =
			(is & ~kinds[i].without) | kinds[i].with;
	}
	*found = n < max ? n : max;
	return ((const Object *)b)->type == l->type ? 0 : 15;
}

int cublasLtMatmulAlgoConfigGetAttribute(const Algorithm *a, int attribute,
					 void *value, size_t size,
					 size_t *written)
{
	int v;
	BEGIN;
	v = attribute == 0   ? 60 + (int)a->kind
	    : attribute == 2 ? kinds[a->kind].split
	    : attribute == 3 ? kinds[a->kind].reduction
			     : attribute;
	if (size != 4)
		return 7;
	memcpy(value, &v, 4);
	*written = 4;
	return 0;
}

int cublasLtMatmulAlgoCapGetAttribute(const Algorithm *a, int attribute,
				      void *value, size_t size, size_t *written)
{
	BEGIN;
	if (attribute != 15 || size != 8)
		return 7;
	memcpy(value, &a->numerics, 8);
	*written = 8;
	return 0;
}

/* ---- products --------------------------------------------------------- */

typedef struct Product {
	Object a, b, d, desc;
	const char *pa, *pb;
	char *pd;
	uint64_t kind;
} Product;

static int bytes_of(int type)
{
	return type == 1 ? 8 : type == 0 || type == 10 ? 4 : type == 3 ? 1 : 2;
}

/* Halves that are 0 or normal. */
static float from_half(uint16_t h)
{
	uint32_t bits = (uint32_t)(h & 0x8000) << 16;
	float f;

	if (h & 0x7fff)
		bits |= ((uint32_t)(h & 0x7fff) << 13) + (112u << 23);
	memcpy(&f, &bits, 4);
	return f;
}

static uint16_t to_half(float f)
{
	uint32_t bits, left;
	uint16_t h;

	memcpy(&bits, &f, 4);
	h = (uint16_t)(bits >> 16 & 0x8000);
	if ((bits & 0x7fffffff) < 113u << 23)
		return h;
	h |= (uint16_t)((bits & 0x7fffffff) - (112u << 23) >> 13);
	left = bits & 0x1fff;
	return (uint16_t)(h + (left > 0x1000 || (left == 0x1000 && (h & 1))));
}

static double element(int type, const char *p)
{
	float f;
	uint32_t bits;
	uint16_t half;

	switch (type) {
	case 0:
		memcpy(&f, p, 4);
		return (double)f;
	case 1: {
		double x;
		memcpy(&x, p, 8);
		return x;
	}
	case 2:
		memcpy(&half, p, 2);
		return (double)from_half(half);
	case 3:
		return *(const signed char *)p;
	default:
		bits = (uint32_t)(uint8_t)p[0] << 16 | (uint32_t)(uint8_t)p[1]
							       << 24;
		memcpy(&f, &bits, 4);
		return (double)f;
	}
}

static void store(int type, char *p, double x)
{
	float f = (float)x;
	int32_t i = (int32_t)x;
	uint32_t bits;
	uint16_t half = to_half(f);

	switch (type) {
	case 0:
		memcpy(p, &f, 4);
		return;
	case 1:
		memcpy(p, &x, 8);
		return;
	case 2:
		memcpy(p, &half, 2);
		return;
	case 10:
		memcpy(p, &i, 4);
		return;
	default:
		memcpy(&bits, &f, 4);
		bits += 0x7fff + (bits >> 16 & 1);
		p[0] = (char)(bits >> 16);
		p[1] = (char)(bits >> 24);
	}
}

static double at(const Object *l, const char *p, int turned, int batch,
		 uint64_t i, uint64_t j)
{
	uint64_t row = turned ? j : i, column = turned ? i : j;
	int64_t n = (int64_t)row + (int64_t)column * l->leading +
		    batch * l->distance;

	return element(l->type, p + n * bytes_of(l->type));
}

static void compute(const void *parameters)
{
	const Product *x = parameters;
	int ta = x->desc.turned[0], tb = x->desc.turned[1];
	uint64_t depth = ta ? x->a.rows : x->a.columns;

	fake_lt_taken = (int)x->kind;
	for (int batch = 0; batch < x->d.batches; batch++)
		for (uint64_t j = 0; j < x->d.columns; j++)
			for (uint64_t i = 0; i < x->d.rows; i++) {
				double sum = 0;
				for (uint64_t k = 0; k < depth; k++)
					sum += at(&x->a, x->pa, ta, batch, i,
						  k) *
					       at(&x->b, x->pb, tb, batch, k,
						  j);
				int64_t n = (int64_t)i +
					    (int64_t)j * x->d.leading +
					    batch * x->d.distance;
				store(x->d.type,
				      x->pd + n * bytes_of(x->d.type), sum);
			}
}

int cublasLtMatmul(void *h, void *desc, const void *alpha, const void *a,
		   void *la, const void *b, void *lb, const void *beta,
		   const void *c, void *lc, void *d, void *ld,
		   const Algorithm *algorithm, void *workspace, size_t size,
		   void *stream)
{
	int (*queue)(void (*)(const void *), const void *, size_t, void *);
	const Object *x = desc;
	Product p = {*(Object *)la,  *(Object *)lb, *(Object *)ld, *x, a, b, d,
		     algorithm->kind};
	void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	BEGIN;
	queue = driver ? dlsym(driver, "fake_queue") : NULL;
	if (!h || c != d || lc != ld || !queue || !workspace)
		return 7;
	int good = x->compute == 72
			   ? *(const int *)alpha == 1 && *(const int *)beta == 0
		   : x->compute == 71 ? *(const double *)alpha == 1 &&
						*(const double *)beta == 0
				      : *(const float *)alpha == 1 &&
						*(const float *)beta == 0;
	fake_lt_workspace = size;
	return good && kinds[p.kind].state == 0
		       ? queue(compute, &p, sizeof(p), stream)
		       : 7;
}
