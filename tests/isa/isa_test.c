/*
 * isa: the examples on every instruction set, judged by the oracle.
 *
 * Sets that this machine has are checked in this process. The code for neon
 * is built by a cross compiler into a program of its own, which an emulator
 * runs: it reads inputs, makes the launches of the plan in order with one
 * worker, and writes results, whose bits the oracle judges here. Small sizes
 * (the set `inspect`); three dtypes; a sample unless TEST_ALL is set.
 * tests/run: plain
 */
#include "driver/driver.h"

#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/api.h"

#define CROSS    "aarch64-linux-gnu-gcc"
#define EMULATOR "qemu-aarch64 -L /usr/aarch64-linux-gnu"

static const char *const dtypes[] = {"f32", "f16", "bf16"};
static const char *const families[] = {
	"exact", "random", "narrow", "structured", "cancellation", "specials"};

/* ---- sets of this machine -------------------------------------------- */

static void check_here(const char *path, const char *dtype, const char *target)
{
	TenonPlanOptions o = {.target = target};
	TenonOutcome outcome = TENON_FAIL;
	Case k;

	if (case_open(&k, path, NULL, dtype) &&
	    works(&k, tenon_set_dims(k.p, "inspect"), "dims") &&
	    works(&k, tenon_compile(k.c, k.p, &o, &k.plan), "compile") &&
	    works(&k, tenon_check(k.plan, NULL, 1, NULL, NULL, &outcome),
		  "check") &&
	    !CHECK(outcome == TENON_PASS))
		printf("%s %s %s: outcome %d\n", path, dtype, target,
		       (int)outcome);
	case_close(&k);
}

static void run_here(const char *name, size_t salt)
{
	const Isa *isa = isa_find(name);
	char target[32];
	glob_t g;
	size_t n = examples(&g);

	snprintf(target, sizeof(target), "cpu:%s", name);
	if (isa_runs_here(isa))
		for (size_t i = 0; i < n; i++)
			for (size_t d = 0; d < ARRAY_LEN(dtypes); d++)
				if (test_all() ||
				    (i * ARRAY_LEN(dtypes) + d) % 20 == salt)
					check_here(g.gl_pathv[i], dtypes[d],
						   target);
	globfree(&g);
	if (!isa_runs_here(isa))
		SKIP("not on this processor");
}

static void amx(void)
{
	run_here("amx", 5);
}

static void avx512_bf16(void)
{
	run_here("avx512_bf16", 17);
}

static void avx512(void)
{
	run_here("avx512", 3);
}

static void avx2(void)
{
	run_here("avx2", 8);
}

static void base(void)
{
	run_here("base", 13);
}

/* ---- a program for another machine ----------------------------------- */

/* One plan built apart. */
typedef struct Built {
	Case k;
	const char *what; /* path and dtype */
	const char *sources, *program, *in, *out;
	const char *flags;
	bool ok;
} Built;

static Arena arena;

static int64_t bytes_of(const Built *b, Ex e)
{
	const Plan *plan = b->k.plan->plan;

	return ex_eval(&plan->kernels->program->ex, e, b->k.p->dims, NULL);
}

static void put_buffers(FILE *f, const Built *b)
{
	const Plan *plan = b->k.plan->plan;
	const Kernels *ks = plan->kernels;

	fprintf(f, "static const int64_t dims[] = {");
	for (size_t i = 0; i < ks->program->ex.dims.n; i++)
		fprintf(f, "%lld, ", (long long)b->k.p->dims[i]);
	fprintf(f, "0};\n");
	for (size_t i = 0; i < plan->buffers.n; i++) {
		const PlanBuffer *p = &plan->buffers.p[i];

		if (p->kind == PLAN_TEMP)
			fprintf(f, "#define b%zu s%u\n", i, p->index);
		else
			fprintf(f, "static _Alignas(64) char b%zu[%lld + 1];\n",
				i, (long long)bytes_of(b, p->bytes));
	}
	for (size_t i = 0; i < plan->slots.n; i++)
		fprintf(f, "static _Alignas(64) char s%zu[%lld + 1];\n", i,
			(long long)bytes_of(b, plan->slots.p[i]));
}

/* Reads or writes each buffer of a kind, by number. */
static void put_transfers(FILE *f, const Built *b, PlanBufKind kind)
{
	const Plan *plan = b->k.plan->plan;

	for (uint32_t n = 0; n < CASE_TENSORS; n++)
		for (size_t i = 0; i < plan->buffers.n; i++) {
			const PlanBuffer *p = &plan->buffers.p[i];

			if (p->kind != kind || p->index != n)
				continue;
			fprintf(f,
				"\t\tif (%s(b%zu, sizeof(b%zu) - 1, 1, %s) != "
				"1)\n\t\t\treturn %d;\n",
				kind == PLAN_INPUT ? "fread" : "fwrite", i, i,
				kind == PLAN_INPUT ? "stdin" : "stdout",
				kind == PLAN_INPUT ? 0 : 4);
		}
}

static void put_launches(FILE *f, const Built *b)
{
	const Plan *plan = b->k.plan->plan;

	for (size_t i = 0; i < plan->launches.n; i++) {
		const PlanLaunch *l = &plan->launches.p[i];

		if (bytes_of(b, l->tasks) <= 0)
			continue;
		fprintf(f, "\t\tif (launch(%s, (void *[]){",
			plan_symbol(&arena, plan, l));
		for (size_t j = 0; j < l->buffers.n; j++)
			fprintf(f, "b%u, ", l->buffers.p[j]);
		fprintf(f, "0}))\n\t\t\treturn 3;\n");
	}
	for (size_t i = 0; i < plan->copies.n; i++)
		for (size_t j = 0; j < plan->buffers.n; j++)
			if (plan->buffers.p[j].kind == PLAN_RESULT &&
			    plan->buffers.p[j].index ==
				    plan->copies.p[i].result)
				fprintf(f,
					"\t\tmemcpy(b%zu, b%u, sizeof(b%zu) - "
					"1);\n",
					j, plan->copies.p[i].from, j);
}

static int64_t most_scratch(const Built *b)
{
	const Plan *plan = b->k.plan->plan;
	int64_t most = 0;

	for (size_t i = 0; i < plan->launches.n; i++) {
		int64_t n = bytes_of(b, plan->launches.p[i].scratch);

		most = n > most ? n : most;
	}
	return most;
}

static void put_main(FILE *f, const Built *b)
{
	const Plan *plan = b->k.plan->plan;

	fprintf(f, "#include <stdio.h>\n#include <string.h>\n"
		   "#include \"runtime/abi.h\"\n");
	for (size_t i = 0; i < plan->launches.n; i++)
		fprintf(f, "TnKernel %s;\n",
			plan_symbol(&arena, plan, &plan->launches.p[i]));
	put_buffers(f, b);
	fprintf(f,
		"static _Alignas(128) char scratch[%lld + 1];\n"
		"static int launch(TnKernel *fn, void **buffers)\n{\n"
		"\tint64_t next = 0;\n\tTnStatus st = {0};\n"
		"\tTnArgs args = {buffers, dims, scratch, 0, &next};\n\n"
		"\tfn(&args, 0, 1, &st);\n\treturn st.code;\n}\n"
		"int main(void)\n{\n",
		(long long)most_scratch(b));
	for (size_t i = 0; i < plan->buffers.n; i++)
		if (plan->buffers.p[i].kind == PLAN_CONST)
			fprintf(f,
				"\tif (fread(b%zu, sizeof(b%zu) - 1, 1, stdin) "
				"!= 1)\n\t\treturn 2;\n",
				i, i);
	fprintf(f, "\tfor (;;) {\n");
	put_transfers(f, b, PLAN_INPUT);
	put_launches(f, b);
	put_transfers(f, b, PLAN_RESULT);
	fprintf(f, "\t}\n}\n");
}

static bool put_source(Built *b, const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!CHECK(f != NULL))
		return false;
	if (text)
		fputs(text, f);
	else
		put_main(f, b);
	b->sources = arena_printf(&arena, "%s %s", b->sources, path);
	return CHECK(fclose(f) == 0);
}

/* Constants, then the inputs of every family that applies. */
static bool put_inputs(Built *b)
{
	const Plan *plan = b->k.plan->plan;
	FILE *f = fopen(b->in, "wb");
	bool ok = CHECK(f != NULL);

	for (size_t i = 0; ok && i < plan->buffers.n; i++) {
		const PlanBuffer *p = &plan->buffers.p[i];

		CHECK(p->kind != PLAN_WEIGHT);
		if (p->kind == PLAN_CONST)
			fwrite(program_value(plan->kernels->program, p->value)
				       ->data,
			       (size_t)bytes_of(b, p->bytes), 1, f);
	}
	for (size_t i = 0; ok && i < ARRAY_LEN(families); i++) {
		bool applies;

		tensors_release(b->k.in);
		ok = works(&b->k,
			   tenon_fixture(b->k.p, families[i], 1, b->k.in,
					 &applies),
			   families[i]);
		for (int n = 0; ok && applies && n < CASE_TENSORS; n++)
			if (b->k.in[n].data)
				fwrite(b->k.in[n].data,
				       tenon_tensor_bytes(&b->k.in[n]), 1, f);
	}
	return f && fclose(f) == 0 && ok;
}

static void emit(Built *b, const char *path, const char *dtype)
{
	TenonPlanOptions o = {.target = "cpu:neon", .emit_only = true};
	const Compiler cc = {.path = CROSS};
	const Plan *plan;
	static const char *const only[] = {"-shared", "-nostdlib"};
	char *shared;
	size_t id = (size_t)(uintptr_t)b;

	b->what = arena_printf(&arena, "%s %s", path, dtype);
	if (!case_open(&b->k, path, NULL, dtype) ||
	    !works(&b->k, tenon_set_dims(b->k.p, "inspect"), "dims") ||
	    !works(&b->k, tenon_compile(b->k.c, b->k.p, &o, &b->k.plan),
		   "compile"))
		return;
	plan = b->k.plan->plan;
	b->program = arena_printf(&arena, "%s/%zx", test_folder(), id);
	b->in = arena_printf(&arena, "%s.in", b->program);
	b->out = arena_printf(&arena, "%s.out", b->program);
	b->sources = "";
	b->ok = put_inputs(b) &&
		put_source(b, arena_printf(&arena, "%s-main.c", b->program),
			   NULL);
	for (size_t i = 0; b->ok && i < plan->sources.n; i++)
		b->ok = put_source(
			b, arena_printf(&arena, "%s-%zu.c", b->program, i),
			plan->sources.p[i]);
	/* a program, not a shared object */
	shared = arena_printf(&arena, "%s",
			      code_flags(&arena, &cc, isa_find("neon")));
	b->flags = shared;
	for (size_t i = 0; i < ARRAY_LEN(only); i++) {
		char *at = strstr(shared, only[i]);
		if (at)
			memset(at, ' ', strlen(only[i]));
	}
}

typedef struct Jobs {
	Built *p;
	size_t n;
	size_t next;
	char (*command)[4096];
} Jobs;

static void build_some(void *arg, int worker)
{
	Jobs *j = arg;
	size_t i;

	(void)worker;
	while ((i = __atomic_fetch_add(&j->next, 1, __ATOMIC_RELAXED)) < j->n)
		if (j->p[i].ok)
			j->p[i].ok = system(j->command[i]) == 0;
}

static bool get_results(Built *b, FILE *f)
{
	for (int i = 0; i < tenon_program_results(b->k.p); i++) {
		size_t n = tenon_tensor_bytes(&b->k.out[i]);

		if (n && fread(b->k.out[i].data, n, 1, f) != 1)
			return false;
	}
	return true;
}

/* No family fails, and one at least is conclusive. */
static void judge(Built *b)
{
	FILE *f = fopen(b->out, "rb");
	bool conclusive = false;

	if (!CHECK(f != NULL))
		return;
	for (size_t i = 0; i < ARRAY_LEN(families); i++) {
		TenonOutcome outcome = TENON_FAIL;
		bool applies;

		tensors_release(b->k.in);
		if (!works(&b->k,
			   tenon_fixture(b->k.p, families[i], 1, b->k.in,
					 &applies),
			   families[i]))
			break;
		if (!applies)
			continue;
		if (!case_results(&b->k) || !CHECK(get_results(b, f)) ||
		    !works(&b->k,
			   tenon_judge(b->k.plan, b->k.in, b->k.out, NULL, NULL,
				       &outcome),
			   "judge") ||
		    !CHECK(outcome != TENON_FAIL)) {
			printf("%s: %s\n", b->what, families[i]);
			break;
		}
		conclusive |= outcome == TENON_PASS;
	}
	if (!CHECK(conclusive))
		printf("%s: nothing conclusive\n", b->what);
	fclose(f);
}

static bool on_path(const char *program)
{
	return system(arena_printf(&arena, "command -v %s >/dev/null",
				   program)) == 0;
}

static void neon(void)
{
	Jobs j = {0};
	glob_t g;
	size_t n;

	if (!on_path(CROSS))
		SKIP("no " CROSS);
	if (!on_path("qemu-aarch64"))
		SKIP("no qemu-aarch64");
	n = examples(&g);
	j.p = arena_array(&arena, Built, n * ARRAY_LEN(dtypes));
	for (size_t i = 0; i < n; i++)
		for (size_t d = 0; d < ARRAY_LEN(dtypes); d++)
			if (test_all() || (i * ARRAY_LEN(dtypes) + d) % 14 == 3)
				emit(&j.p[j.n++], g.gl_pathv[i], dtypes[d]);
	globfree(&g);
	j.command = (char(*)[4096])arena_alloc(&arena, 4096 * (j.n + 1), 1);
	for (size_t i = 0; i < j.n; i++)
		if (CHECK(j.p[i].ok))
			snprintf(j.command[i], 4096,
				 CROSS " %s -Isrc -o %s %s -lm && " EMULATOR
				       " %s <%s >%s",
				 j.p[i].flags, j.p[i].program, j.p[i].sources,
				 j.p[i].program, j.p[i].in, j.p[i].out);
	pool_run(cpu_count(), build_some, &j);
	for (size_t i = 0; i < j.n; i++) {
		if (CHECK(j.p[i].ok))
			judge(&j.p[i]);
		else
			printf("%s: %s\n", j.p[i].what, j.command[i]);
		case_close(&j.p[i].k);
	}
}

int main(int argc, char **argv)
{
	static const TestCase tests[] = {TEST(amx),    TEST(avx512_bf16),
					 TEST(avx512), TEST(avx2),
					 TEST(base),   TEST(neon)};
	int status;

	arena_init(&arena);
	status = test_main(argc, argv, tests, ARRAY_LEN(tests));
	test_folder_remove();
	arena_release(&arena);
	return status;
}
