/*
 * emit_library: the call of a library as text.
 *
 * Nothing compiles it. It says all that the run time asks the library for
 * (runtime/cublaslt.c, product.c), in the library's own words, and is hashed
 * into the plan's identity as any source is.
 *
 * cuBLASLt's matrices are column-major, so that out = left right is asked
 * for as its transpose: A is right, B is left, each as it lies or turned.
 */
#include "emit/emit.h"

#include <inttypes.h>

typedef struct Asked {
	const char *compute, *scale, *one, *zero;
} Asked;

static Asked asked_for(KCompute c)
{
	switch (c) {
	case COMPUTE_32F:
		return (Asked){"CUBLAS_COMPUTE_32F", "CUDA_R_32F", "1.0f",
			       "0.0f"};
	case COMPUTE_32F_PEDANTIC:
		return (Asked){"CUBLAS_COMPUTE_32F_PEDANTIC", "CUDA_R_32F",
			       "1.0f", "0.0f"};
	case COMPUTE_64F_PEDANTIC:
		return (Asked){"CUBLAS_COMPUTE_64F_PEDANTIC", "CUDA_R_64F",
			       "1.0", "0.0"};
	case COMPUTE_32I:
		return (Asked){"CUBLAS_COMPUTE_32I", "CUDA_R_32I", "1", "0"};
	case COMPUTE_COUNT:
		break;
	}
	bug("compute type %d", (int)c);
}

static const char *type_name(DType d)
{
	return d == DT_F16    ? "CUDA_R_16F"
	       : d == DT_BF16 ? "CUDA_R_16BF"
	       : d == DT_F32  ? "CUDA_R_32F"
	       : d == DT_F64  ? "CUDA_R_64F"
	       : d == DT_I8   ? "CUDA_R_8I"
			      : "CUDA_R_32I";
}

/* A = w, CUDA_R_16F, CUBLAS_OP_T: rows, columns, distances of columns and
 * batches */
static void put_matrix(Buf *b, const Kernels *ks, const Kernel *k,
		       const char *name, const KMatrix *m, Ex rows, Ex columns)
{
	const ExprTab *t = &ks->program->ex;
	const KCall *c = kernel_call(k);
	bool flat = ex_equals(t, m->column, 1);
	const KBuffer *buffer = &k->buffers.p[m->buffer];
	const Ex numbers[5] = {flat ? columns : rows, flat ? rows : columns,
			       flat ? m->row : m->column, c->batches, m->batch};
	static const char *const what[5] = {"", " x ", ", leading dimension ",
					    ", batches ", " at a distance of "};

	buf_printf(b, "\t%s = %s + ", name, buffer->name);
	ex_print(b, t, m->first);
	buf_printf(b, ": %s, %s, ", type_name(buffer->dtype),
		   flat ? "CUBLAS_OP_N" : "CUBLAS_OP_T");
	for (int i = 0; i < 5; i++) {
		buf_puts(b, what[i]);
		ex_print(b, t, numbers[i]);
	}
	buf_puts(b, ";\n");
}

static int64_t workspace_of(const ExprTab *t, const KBuffer *b)
{
	int64_t n = 0;

	return b->rank == 1 && ex_is_const(t, b->shape[0], &n) ? n : 0;
}

/* A[i, k] = x[0 + i*(K) + k*(1) + b*(0)], f32 */
static void put_cpu_matrix(Buf *b, const Kernels *ks, const Kernel *k,
			   const char *name, const KMatrix *m, const char *i,
			   const char *j)
{
	const ExprTab *t = &ks->program->ex;
	const KBuffer *buffer = &k->buffers.p[m->buffer];

	buf_printf(b, "\t%s[%s, %s] = %s[", name, i, j, buffer->name);
	ex_print(b, t, m->first);
	buf_printf(b, " + %s*(", i);
	ex_print(b, t, m->row);
	buf_printf(b, ") + %s*(", j);
	ex_print(b, t, m->column);
	buf_puts(b, ") + b*(");
	ex_print(b, t, m->batch);
	buf_printf(b, ")], %s;\n", dtype_info[buffer->dtype].name);
}

/* What the run time asks a library of a CPU for (runtime/product.h). */
static const char *emit_cpu_library(Arena *a, const Kernels *ks,
				    const Kernel *k)
{
	const ExprTab *t = &ks->program->ex;
	const KCall *c = kernel_call(k);
	const Value *v = program_value(ks->program, c->value);
	const Ex extents[4] = {c->batches, c->rows, c->columns, c->depth};
	static const char *const name[4] = {"b < ", ", i < ", ", j < ",
					    ", k < "};
	Buf b;

	buf_init(&b, a);
	buf_printf(&b, "/* kernel %s: a product by %s", k->name,
		   library_info[c->library].title);
	if (v->loc.line)
		buf_printf(&b, ", line %u", v->loc.line);
	buf_printf(&b, " */\nvoid %s_%s()\n{\n\t", k->name,
		   k->phases.p[0].name);
	for (int i = 0; i < 4; i++) {
		buf_puts(&b, name[i]);
		ex_print(&b, t, extents[i]);
	}
	buf_puts(&b, ";\n");
	put_cpu_matrix(&b, ks, k, "A", &c->left, "i", "k");
	put_cpu_matrix(&b, ks, k, "B", &c->right, "k", "j");
	put_cpu_matrix(&b, ks, k, "C", &c->out, "i", "j");
	const char *call = c->library == LIBRARY_ONEDNN ? "dnnl_matmul, strict"
			   : v->dtype == DT_F64         ? "cblas_dgemm"
							: "cblas_sgemm";
	buf_printf(&b,
		   "\tof each b %" PRId64 " x %" PRId64 " parts, each by one "
		   "thread:\n\t%s: C = 1 A B + 0 C, sums in %s;\n}\n",
		   c->down, c->across, call, dtype_info[v->acc].name);
	return buf_str(&b);
}

const char *emit_library(Arena *a, const Kernels *ks, const Kernel *k)
{
	if (kernel_call(k)->library != LIBRARY_CUBLASLT)
		return emit_cpu_library(a, ks, k);
	const Phase *ph = &k->phases.p[0];
	const KCall *c = ph->call;
	const Value *v = program_value(ks->program, c->value);
	const KBuffer *work = &k->buffers.p[c->workspace];
	Asked asked = asked_for(c->compute);
	Buf b;

	buf_init(&b, a);
	buf_printf(&b, "/* kernel %s: a product by cuBLASLt", k->name);
	if (v->loc.line)
		buf_printf(&b, ", line %u", v->loc.line);
	buf_printf(&b, " */\nvoid %s_%s()\n{\n", k->name, ph->name);
	buf_printf(&b,
		   "\tcompute %s, scale %s, alpha %s, beta %s;\n"
		   "\tepilogue CUBLASLT_EPILOGUE_DEFAULT;\n",
		   asked.compute, asked.scale, asked.one, asked.zero);
	put_matrix(&b, ks, k, "A", &c->right, c->depth, c->columns);
	put_matrix(&b, ks, k, "B", &c->left, c->rows, c->depth);
	put_matrix(&b, ks, k, "D", &c->out, c->rows, c->columns);
	buf_printf(&b,
		   "\tC = D;\n"
		   "\tworkspace %s, %" PRId64 " bytes;\n"
		   "\talgorithm: number %" PRId64
		   " of those of the heuristics that reduce by none\n"
		   "\t\tor in the compute type, and whose operands, products "
		   "and sums are the\n\t\tcompute type's;\n"
		   "\tcublasLtMatmul;\n}\n",
		   work->name, workspace_of(&ks->program->ex, work),
		   c->algorithm);
	return buf_str(&b);
}
