/* product: parts of a library's product, shared out to workers. */
#include "runtime/product.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

/* Elements that parts begin at a multiple of: a cache line of f32. */
#define PART_STEP 16

static const ProductCalls *const calls[PRODUCT_LIBRARIES] = {
	[PRODUCT_OPENBLAS] = &product_openblas,
	[PRODUCT_ONEDNN] = &product_onednn,
};
static const int64_t type_bytes[] = {
	[PRODUCT_F32] = 4,
	[PRODUCT_F64] = 8,
	[PRODUCT_BF16] = 2,
};

void *product_load(const char *const *files, size_t n)
{
	void *library = NULL;

	for (size_t i = 0; i < n && !library; i++)
		library = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
	return library;
}

const char *product_symbols(void *library, const char *const *names, size_t n,
			    void **entry)
{
	for (size_t i = 0; i < n; i++) {
		entry[i] = dlsym(library, names[i]);
		if (!entry[i])
			return names[i];
	}
	return NULL;
}

bool product_library(Ctx *ctx, Arena *a, ProductLibrary l, const char **version)
{
	return calls[l]->version(ctx, a, version);
}

static int64_t part_extent(int64_t n, int64_t parts)
{
	int64_t each = (n + parts - 1) / parts;

	return (each + PART_STEP - 1) / PART_STEP * PART_STEP;
}

bool product_prepare(Ctx *ctx, Arena *a, Product *p)
{
	p->part_rows = part_extent(p->rows, p->down);
	p->part_columns = part_extent(p->columns, p->across);
	bool empty = !p->rows || !p->columns || !p->batches || !p->depth;
	return empty || calls[p->library]->prepare(ctx, a, p);
}

static char *place(const TnArgs *args, const ProductMatrix *m, int64_t batch,
		   int64_t row, int64_t column)
{
	int64_t at =
		m->first + batch * m->batch + row * m->row + column * m->column;

	return (char *)args->buffers[m->buffer] + at * type_bytes[m->type];
}

/* Part of the extent n, in parts of `each`; 0: none is left for it. */
static int64_t extent_of(int64_t n, int64_t each, int64_t from)
{
	return from >= n ? 0 : n - from < each ? n - from : each;
}

/* A sum of no terms. */
static void clear(const Product *p, const ProductPart *part)
{
	size_t bytes = (size_t)(part->columns * type_bytes[p->out.type]);
	int64_t row = p->out.row * type_bytes[p->out.type];

	for (int64_t i = 0; i < part->rows; i++)
		memset((char *)part->out + i * row, 0, bytes);
}

static int run_task(const Product *p, const TnArgs *args, int64_t task,
		    char *scratch)
{
	int64_t batch = task / (p->down * p->across);
	int64_t i = task / p->across % p->down * p->part_rows;
	int64_t j = task % p->across * p->part_columns;
	const ProductPart part = {
		.rows = extent_of(p->rows, p->part_rows, i),
		.columns = extent_of(p->columns, p->part_columns, j),
		.out = place(args, &p->out, batch, i, j),
		.left = place(args, &p->left, batch, i, 0),
		.right = place(args, &p->right, batch, 0, j),
		.scratch = scratch,
	};

	if (!part.rows || !part.columns)
		return 0;
	if (p->depth)
		return calls[p->library]->part(p, &part);
	clear(p, &part);
	return 0;
}

void product_kernel(const TnArgs *args, int worker, int workers,
		    TnStatus *status)
{
	const char *step = (const char *)args - offsetof(LaunchStep, args);
	const Product *p = ((const LaunchStep *)(const void *)step)->product;
	char *scratch = args->scratch + worker * args->scratch_stride;
	int64_t tasks = p->batches * p->down * p->across;
	int done = 0, before = calls[p->library]->enter();

	for (int64_t t = -1;;) {
		t = tn_task(args, worker, workers, tasks, t, &done);
		if (t >= tasks)
			break;
		int failed = run_task(p, args, t, scratch);
		if (failed && status->code == TN_FAULT_NONE)
			*status =
				(TnStatus){TN_FAULT_LIBRARY, p->value, failed};
	}
	calls[p->library]->leave(before);
}
