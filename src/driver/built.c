/*
 * built: what compilers made of a plan for CUDA, told and written to files.
 */
#include "driver/driver.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

/* Of launch i, or NULL. */
static const CubinKernel *built_kernel(TenonPlan *p, size_t i)
{
	const PlanLaunch *l = &p->plan->launches.p[i];
	const DeviceCode *c = p->built ? p->built[i] : NULL;

	return c ? cubin_kernel(c->facts, plan_symbol(&p->arena, p->plan, l))
		 : NULL;
}

static const char *matrix_text(Arena *a, const CubinKernel *k)
{
	Buf b;

	buf_init(&b, a);
	for (CubinMatrix m = 0; m < CUBIN_MATRIX_COUNT; m++)
		if (k->matrix[m])
			buf_printf(&b, "%s%" PRId64 " %s", b.n ? ", " : "",
				   k->matrix[m], cubin_matrix_name(m));
	return buf_str(&b);
}

bool built_code(TenonPlan *p, size_t i, TenonCode *out)
{
	const ExprTab *t = &p->kernels->program->ex;
	const CubinKernel *k = built_kernel(p, i);
	int64_t given;

	if (!k)
		return false;
	*out = (TenonCode){
		.registers = k->registers,
		.spilled = k->spill_stores,
		.shared = -1,
		.code = k->code,
		.matrix = matrix_text(&p->arena, k),
	};
	if (ex_is_const(t, p->plan->launches.p[i].scratch, &given))
		out->shared = k->shared + given;
	return true;
}

bool tenon_plan_code(TenonPlan *p, int i, TenonCode *out)
{
	OomTrap trap;

	if (OOM_TRAP(&trap))
		return false;
	bool ok = p->plan && i >= 0 && (size_t)i < p->plan->launches.n &&
		  built_code(p, (size_t)i, out);
	oom_trap_pop(&trap);
	return ok;
}

static bool write_source(TenonPlan *p, size_t i, const char *folder)
{
	const Kernel *k = &p->kernels->kernels.p[i];
	CDialect d = target_dialect(p->plan->target);
	const char *ends = d == CD_CUDA ? "cu" : d == CD_OPENCL ? "cl" : "c";
	const char *text = p->plan->sources.p[i];
	Ctx *ctx = &p->c->ctx;

	return file_write_atomic(
		ctx,
		arena_printf(&ctx->scratch, "%s/%s.%s", folder, k->name, ends),
		text, strlen(text));
}

/* A cubin is of a kernel, or of one of its phases. */
static bool write_cubin(TenonPlan *p, size_t i, const char *folder)
{
	const Plan *plan = p->plan;
	const PlanLaunch *l = &plan->launches.p[i];
	const char *name = p->kernels->kernels.p[l->kernel].name;
	Ctx *ctx = &p->c->ctx;

	for (size_t j = 0; j < plan->launches.n; j++) {
		bool same = p->built[j] == p->built[i];
		if (same && j < i)
			return true; /* is written */
		if (!same && plan->launches.p[j].kernel == l->kernel)
			name = plan_symbol(&ctx->scratch, plan, l);
	}
	return file_write_atomic(
		ctx, arena_printf(&ctx->scratch, "%s/%s.cubin", folder, name),
		p->built[i]->cubin, p->built[i]->size);
}

TenonError tenon_plan_write(TenonPlan *p, const char *folder)
{
	API_ENTER(p->c);
	bool ok = p->plan || api_usage(p->c, "the plan has no sources");
	if (ok && mkdir(folder, 0777) != 0 && errno != EEXIST)
		ok = diag_fail(&p->c->ctx, ERR_ENV, NULL, "cannot make %s: %s",
			       folder, strerror(errno));
	for (size_t i = 0; ok && i < p->plan->sources.n; i++)
		ok = write_source(p, i, folder);
	for (size_t i = 0; ok && p->built && i < p->plan->launches.n; i++)
		ok = !p->built[i] || write_cubin(p, i, folder);
	return API_LEAVE(p->c, ok);
}
