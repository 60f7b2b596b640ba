/*
 * kernel: the names of stage 4's enumerations, and which phases run once.
 *
 * kernel_verify.c has its laws, kernel_text.c and kernel_parse.c its text
 * form.
 */
#include "ir/kernel.h"

#include <string.h>

const char *const buf_scope_name[SCOPE_COUNT] = {
	[SCOPE_IN] = "in",         [SCOPE_OUT] = "out",
	[SCOPE_SHARED] = "shared", [SCOPE_WORKER] = "worker",
	[SCOPE_REG] = "reg",
};

const char *const loop_map_name[MAP_COUNT] = {
	[MAP_SERIAL] = "serial",
	[MAP_UNROLL] = "unroll",
	[MAP_VECTOR] = "vector",
	[MAP_VUNROLL] = "vunroll",
};

const char *const compute_name[COMPUTE_COUNT] = {
	[COMPUTE_32F] = "32f",
	[COMPUTE_32F_PEDANTIC] = "32f_pedantic",
	[COMPUTE_64F_PEDANTIC] = "64f_pedantic",
	[COMPUTE_32I] = "32i",
};

bool compute_takes(KCompute c, DType in, DType acc, DType out)
{
	switch (c) {
	case COMPUTE_32F:
		return (in == DT_F16 || in == DT_BF16) && acc == DT_F32 &&
		       (out == in || out == DT_F32);
	case COMPUTE_32F_PEDANTIC:
		return in == DT_F32 && acc == DT_F32 && out == DT_F32;
	case COMPUTE_64F_PEDANTIC:
		return in == DT_F64 && acc == DT_F64 && out == DT_F64;
	case COMPUTE_32I:
		return in == DT_I8 && acc == DT_I32 && out == DT_I32;
	case COMPUTE_COUNT:
		break;
	}
	return false;
}

const LibraryInfo library_info[LIBRARY_COUNT] = {
	[LIBRARY_CUBLASLT] =
		{"cublaslt", "cuBLASLt",
		 "f16 and bf16 (sums in f32, results of their dtype or f32), "
		 "f32, f64, and i8 (sums and results i32)"},
	[LIBRARY_OPENBLAS] = {"openblas", "OpenBLAS", "f32 and f64"},
	[LIBRARY_ONEDNN] = {"onednn", "oneDNN",
			    "f32, and bf16 (sums in f32, results bf16 or f32); "
			    "version 2 has no f16 on CPUs, and its sums of i8 "
			    "saturate on some of them"},
};

bool library_parse(const char *name, Library *out)
{
	for (int i = 0; i < LIBRARY_COUNT; i++)
		if (!strcmp(library_info[i].name, name)) {
			*out = (Library)i;
			return true;
		}
	return false;
}

bool library_takes(Library l, KCompute c, DType in, DType acc, DType out)
{
	if (!compute_takes(c, in, acc, out))
		return false;
	switch (l) {
	case LIBRARY_CUBLASLT:
		return true;
	case LIBRARY_OPENBLAS:
		return c == COMPUTE_32F_PEDANTIC || c == COMPUTE_64F_PEDANTIC;
	case LIBRARY_ONEDNN:
		return c == COMPUTE_32F_PEDANTIC || in == DT_BF16;
	case LIBRARY_COUNT:
		break;
	}
	return false;
}

AccKind library_acc(Library l, KCompute c)
{
	if (c != COMPUTE_32F)
		return ACC_IEEE;
	return l == LIBRARY_CUBLASLT ? ACC_ANY : ACC_ANY_BF16;
}

Ex call_tasks(ExprTab *t, const KCall *c)
{
	return ex_mul(t, c->batches, ex_const(t, c->down * c->across));
}

bool kernels_call(const Kernels *ks)
{
	for (size_t i = 0; i < ks->kernels.n; i++)
		if (kernel_call(&ks->kernels.p[i]))
			return true;
	return false;
}

/* ---- phases that run once -------------------------------------------- */

static bool stores_to(const StmtList *l, uint32_t buffer)
{
	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		bool stores = s->kind == ST_STORE || s->kind == ST_DOT ||
			      s->kind == ST_COPY || s->kind == ST_BOX;
		if ((stores && s->buffer == buffer) ||
		    stores_to(&s->body, buffer) ||
		    stores_to(&s->orelse, buffer))
			return true;
	}
	return false;
}

/* Whether a phase other than ph, once or not as asked, stores to it. */
static bool stored_elsewhere(const Kernel *k, const Phase *ph, uint32_t buffer,
			     bool even_once)
{
	for (size_t i = 0; i < k->phases.n; i++) {
		const Phase *q = &k->phases.p[i];
		if (q != ph && (even_once || !q->once) &&
		    stores_to(&q->body, buffer))
			return true;
	}
	return false;
}

static bool forbidden(const KBuffer *b, Buf *why, const char *what)
{
	if (why)
		buf_printf(why, "%s %s", what, b->name);
	return false;
}

static bool may_load(const Kernels *ks, const Kernel *k, const Phase *ph,
		     uint32_t buffer, Buf *why)
{
	const KBuffer *b = &k->buffers.p[buffer];

	if (b->scope == SCOPE_IN) {
		Op op = program_value(ks->program, b->value)->op;
		return op == OP_WEIGHT || op == OP_CONST ||
		       forbidden(b, why, "it reads");
	}
	if (b->scope == SCOPE_OUT)
		return forbidden(b, why, "it reads");
	return b->scope != SCOPE_SHARED ||
	       !stored_elsewhere(k, ph, buffer, false) ||
	       forbidden(b, why, "it reads");
}

static bool may_store(const Kernel *k, const Phase *ph, uint32_t buffer,
		      Buf *why)
{
	const KBuffer *b = &k->buffers.p[buffer];

	if (b->scope == SCOPE_OUT || b->scope == SCOPE_IN)
		return forbidden(b, why, "it writes");
	return b->scope != SCOPE_SHARED ||
	       !stored_elsewhere(k, ph, buffer, true) ||
	       forbidden(b, why, "another phase too writes");
}

static bool list_may(const Kernels *ks, const Kernel *k, const Phase *ph,
		     const StmtList *l, Buf *why)
{
	for (size_t i = 0; i < l->n; i++) {
		const Stmt *s = l->p[i];
		if (s->kind == ST_LOAD && !may_load(ks, k, ph, s->buffer, why))
			return false;
		if (s->kind == ST_COPY &&
		    !may_load(ks, k, ph, s->copy->from.buffer, why))
			return false;
		if (s->kind == ST_BOX &&
		    !may_load(ks, k, ph, ph->maps.p[s->box->map].buffer, why))
			return false;
		if ((s->kind == ST_STORE || s->kind == ST_DOT ||
		     s->kind == ST_COPY || s->kind == ST_BOX) &&
		    !may_store(k, ph, s->buffer, why))
			return false;
		for (int o = 0; s->kind == ST_DOT && o < 2; o++)
			if (!may_load(ks, k, ph, s->dot->in[o].buffer, why))
				return false;
		if (!list_may(ks, k, ph, &s->body, why) ||
		    !list_may(ks, k, ph, &s->orelse, why))
			return false;
	}
	return true;
}

bool phase_may_run_once(const Kernels *ks, const Kernel *k, const Phase *ph,
			Buf *why)
{
	if (ph->call) {
		if (why)
			buf_puts(why, "it is a library's");
		return false;
	}
	if (ph->foreign) {
		if (why)
			buf_puts(why, "it is the user's");
		return false;
	}
	return list_may(ks, k, ph, &ph->body, why);
}

/* In order: a phase may read what an earlier one wrote. */
void kernel_mark_once(const Kernels *ks, Kernel *k)
{
	for (size_t i = 0; i < k->phases.n; i++)
		k->phases.p[i].once =
			phase_may_run_once(ks, k, &k->phases.p[i], NULL);
}
