/*
 * kernel_run: kernels written as text, printed as C, compiled and run, for
 * tests of the emitter.
 *
 * Every buffer ends where an unmapped page begins, so that an access past
 * the end is a crash. Sizes lie around multiples of the lanes and of the
 * four vectors a folding loop takes at once.
 */
#ifndef TENON_TEST_KERNEL_RUN_H
#define TENON_TEST_KERNEL_RUN_H

#include "tests/unit/test.h"

#include "emit/emit.h"
#include "runtime/runtime.h"

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define TEST_ONLY __attribute__((unused))

#define WORKERS 3

/* ---- memory with a guard --------------------------------------------- */

TEST_ONLY static void *guarded(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t n = (bytes + page - 1) / page * page;
	char *p = mmap(NULL, n + page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED || mprotect(p + n, page, PROT_NONE) != 0)
		exit(3);
	return p + n - bytes;
}

TEST_ONLY static void unguard(void *data, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t n = (bytes + page - 1) / page * page;
	munmap((char *)data + bytes - n, n + page);
}

/* ---- compile and run ------------------------------------------------- */

typedef struct Unit {
	Ctx ctx;
	Kernels *ks;
	const Kernel *k; /* the only one */
	CodeSource src;
	LaunchSet set;
	bool ok;
} Unit;

/* Sources of all tests, compiled elsewhere at the end. */
static const char *sources[256];
static size_t nsources;
static Arena kept;

static const char *const head = "program t\n"
				"dim M in 0..100000\n"
				"dim N in 0..100000\n";

TEST_ONLY static bool unit_compile(Unit *u, const char *compiler,
				   const Isa *isa)
{
	Compiler cc;
	return compiler_find(&u->ctx, &u->ctx.perm, compiler, &cc) &&
	       code_load(&u->ctx, &u->ctx.perm, &cc, isa, NULL, &u->src, 1);
}

TEST_ONLY static void unit_init(Unit *u, const char *program,
				const char *kernel)
{
	memset(u, 0, sizeof(*u));
	ctx_init(&u->ctx);
	u->ctx.threads = 2;
	const char *text = arena_printf(
		&u->ctx.perm, "%s%skernels\nkernel k0 loop region 0\n%s", head,
		program, kernel);
	uint32_t s = ctx_add_source(&u->ctx, "t", text, strlen(text));
	u->ks = kernels_parse(&u->ctx, &u->ctx.perm, s);
	if (u->ks) {
		u->k = &u->ks->kernels.p[0];
		u->src.name = "k0";
		u->src.text = emit_c(&u->ctx.perm, u->ks, u->k);
		CHECK_STR(emit_c(&u->ctx.perm, u->ks, u->k), u->src.text);
		if (nsources < ARRAY_LEN(sources))
			sources[nsources++] = arena_strdup(&kept, u->src.text);
		u->ok = unit_compile(u, NULL, isa_host());
	}
	if (!CHECK(u->ok))
		printf("%s\n%s\n", buf_str(&u->ctx.messages), kernel);
}

TEST_ONLY static void unit_release(Unit *u)
{
	if (u->ok)
		code_unload(&u->src, 1);
	launch_release(&u->set);
	ctx_release(&u->ctx);
}

TEST_ONLY static TnStatus unit_run(Unit *u, void *const *buffers, int64_t m,
				   int64_t n)
{
	int64_t dims[2] = {m, n};
	Launch launches[64];
	TnStatus status = {0};

	if (!u->ok)
		return (TnStatus){-2, 0, 0};
	for (size_t i = 0; i < u->k->phases.n; i++) {
		const Phase *ph = &u->k->phases.p[i];
		const char *name =
			arena_printf(&u->ctx.perm, "k0_%s", ph->name);
		void *fn = code_symbol(&u->src, name);
		memcpy(&launches[i].fn, &fn, sizeof(fn));
		launches[i].buffers = buffers;
		launches[i].tasks = 1;
		for (size_t t = 0; t < ph->tasks.n; t++)
			launches[i].tasks *=
				ex_eval(&u->ks->program->ex,
					ph->tasks.p[t].extent, dims, NULL);
		launches[i].scratch =
			(size_t)ex_eval(&u->ks->program->ex,
					emit_scratch(u->ks, u->k), dims, NULL);
	}
	if (!launch_prepare(&u->set, &u->ctx.perm, launches, u->k->phases.n,
			    dims, WORKERS))
		return (TnStatus){-1, 0, 0};
	launch_run(&u->set, &status);
	return status;
}

static const int64_t sizes[] = {0,  1,  2,  3,  4,  5,  7,   8,   15,  16, 17,
				31, 32, 33, 63, 64, 65, 100, 127, 128, 129};

TEST_ONLY static float value(int64_t i)
{
	return (float)(i * 7 % 23 - 11) * 0.25f;
}

TEST_ONLY static float *floats(int64_t n)
{
	float *p = guarded((size_t)n * sizeof(float));
	for (int64_t i = 0; i < n; i++)
		p[i] = value(i);
	return p;
}

TEST_ONLY static void floats_free(float *p, int64_t n)
{
	unguard(p, (size_t)n * sizeof(float));
}

#define UNARY                                                                  \
	"%0 x: f32[M] = input index=0\n"                                       \
	"%1 y: f32[M] = neg %0\n"                                              \
	"return %1 as y\n"

/* Runs x: f32[M] -> y: f32[M] at every size against fn. */
TEST_ONLY static void check_unary(const char *kernel,
				  float (*fn)(int64_t i, int64_t n,
					      const float *x))
{
	Unit u;
	unit_init(&u, UNARY, kernel);
	for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
		int64_t n = sizes[s];
		float *x = floats(n), *y = floats(n);
		void *buffers[] = {x, y};
		TnStatus st = unit_run(&u, buffers, n, 0);
		bool same = st.code == 0;
		for (int64_t i = 0; i < n && same; i++) {
			float want = fn(i, n, x);
			same = memcmp(&y[i], &want, sizeof(want)) == 0;
			if (!same)
				printf("n %ld, i %ld: got %a, want %a\n",
				       (long)n, (long)i, (double)y[i],
				       (double)want);
		}
		CHECK(same);
		floats_free(x, n);
		floats_free(y, n);
	}
	unit_release(&u);
}

/* Every source of the tests run, for other compilers and instruction sets. */
TEST_ONLY static void elsewhere(void)
{
	static const struct {
		const char *compiler, *isa;
	} rows[] = {{"clang", NULL}, {"gcc", "base"}, {"gcc", "avx2"}};
	size_t done = 0;

	for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
		Ctx ctx;
		Compiler cc;
		ctx_init(&ctx);
		ctx.threads = 2;
		const Isa *isa =
			rows[r].isa ? isa_find(rows[r].isa) : isa_host();
		if (isa && (!rows[r].isa || isa_runs_here(isa)) &&
		    compiler_find(&ctx, &ctx.perm, rows[r].compiler, &cc)) {
			CodeSource *src = arena_array(&ctx.perm, CodeSource,
						      nsources + 1);
			for (size_t i = 0; i < nsources; i++) {
				src[i].name = "k0";
				src[i].text = sources[i];
			}
			bool ok = code_load(&ctx, &ctx.perm, &cc, isa, NULL,
					    src, nsources);
			if (!CHECK(ok))
				puts(buf_str(&ctx.messages));
			else
				code_unload(src, nsources);
			done++;
		}
		ctx_release(&ctx);
	}
	if (!done)
		SKIP("no other compiler or instruction set here");
}

#endif
