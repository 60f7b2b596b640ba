/*
 * runtime: compilers, the code cache, launches. The kernels here are small
 * hand-written sources that follow the kernel ABI.
 */
#include "base/base.h"
#include "runtime/runtime.h"
#include "tests/unit/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ABI                                                                    \
	"typedef int int32_t; typedef unsigned uint32_t; "                     \
	"typedef long int64_t;\n"                                              \
	"typedef struct { int32_t code; uint32_t value; int64_t index; }"      \
	" TnStatus;\n"                                                         \
	"typedef struct { void *const *buffers; const int64_t *dims;"          \
	" char *scratch; int64_t scratch_stride; int64_t *next; } TnArgs;\n"   \
	"#define EXPORT __attribute__((visibility(\"default\")))\n"            \
	"static int64_t task(const TnArgs *a, int workers, int64_t t)\n"       \
	"{\n"                                                                  \
	"\treturn workers == 1 ? t + 1\n"                                      \
	"\t\t: __atomic_fetch_add(a->next, 1, __ATOMIC_RELAXED);\n"            \
	"}\n"

/* out[i] = 2 * in[i] + 1 by way of scratch, one task per 16 elements. */
static const char affine_text[] =
	ABI "EXPORT void affine(const TnArgs *a, int worker, int workers,\n"
	    "\tTnStatus *s)\n"
	    "{\n"
	    "\tconst float *in = a->buffers[0];\n"
	    "\tfloat *out = a->buffers[1];\n"
	    "\tfloat *t = (float *)(a->scratch + worker * a->scratch_stride);\n"
	    "\tint64_t n = a->dims[0], k = -1;\n"
	    "\t(void)s;\n"
	    "\twhile ((k = task(a, workers, k)) < (n + 15) / 16)\n"
	    "\t\tfor (int64_t i = 16 * k; i < n && i < 16 * k + 16; i++) {\n"
	    "\t\t\tt[i % 16] = 2 * in[i];\n"
	    "\t\t\tout[i] = t[i % 16] + 1;\n"
	    "\t\t}\n"
	    "}\n";

/* Integer division; faults on a zero divisor. */
static const char divide_text[] =
	ABI "EXPORT void divide(const TnArgs *a, int worker, int workers,\n"
	    "\tTnStatus *s)\n"
	    "{\n"
	    "\tconst int *x = a->buffers[0], *y = a->buffers[1];\n"
	    "\tint *out = a->buffers[2];\n"
	    "\tint64_t n = a->dims[0], i = -1;\n"
	    "\t(void)worker;\n"
	    "\twhile ((i = task(a, workers, i)) < n) {\n"
	    "\t\tif (y[i] != 0) { out[i] = x[i] / y[i]; continue; }\n"
	    "\t\tif (!s->code) { s->code = 2; s->value = 5; s->index = i; }\n"
	    "\t}\n"
	    "}\n";

static const char *top;
static char cache[300], code[310];

static Ctx ctx;
static Compiler cc;

static void finish(void)
{
	test_folder_remove();
	ctx_release(&ctx);
}

static void start(void)
{
	top = test_folder();
	snprintf(cache, sizeof(cache), "%s/cache", top);
	snprintf(code, sizeof(code), "%s/code", cache);
	setenv("XDG_CACHE_HOME", top, 1);
	atexit(finish);
}

/* Empties the cache and the context. */
static bool fresh(void)
{
	char command[400];
	if (cache[0] == '\0')
		start();
	snprintf(command, sizeof(command), "rm -rf %s", cache);
	bool ok = system(command) == 0;
	ctx_release(&ctx);
	ctx_init(&ctx);
	ctx.threads = 2;
	return compiler_find(&ctx, &ctx.perm, NULL, &cc) && ok;
}

static void shell(const char *fmt, ...) TN_PRINTF(1, 2);
static void shell(const char *fmt, ...)
{
	char command[1024];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	CHECK(system(command) == 0);
}

static bool load(CodeSource *src, const char *text)
{
	*src = (CodeSource){.name = "k0", .text = text};
	return code_load(&ctx, &ctx.perm, &cc, isa_host(), cache, src, 1);
}

/* Files of the code folder whose names start so. */
static int count_files(const char *prefix)
{
	int n = 0;
	DIR *d = opendir(code);
	for (struct dirent *e; d && (e = readdir(d)) != NULL;)
		n += e->d_name[0] != '.' &&
		     strncmp(e->d_name, prefix, strlen(prefix)) == 0;
	if (d)
		closedir(d);
	return n;
}

static TnKernel *kernel(const CodeSource *src, const char *name)
{
	TnKernel *fn;
	void *p = code_symbol(src, name);
	memcpy(&fn, &p, sizeof(fn));
	return fn;
}

/* Launches of their own; code -1 where memory is refused. */
static bool run(LaunchSet *set, const Launch *l, size_t n, const int64_t *dims,
		int workers, TnStatus *status)
{
	OomTrap trap;

	*status = (TnStatus){.code = -1};
	if (OOM_TRAP(&trap))
		return false;
	bool ok = launch_prepare(set, &ctx.perm, l, n, dims, workers) &&
		  launch_run(set, status);
	oom_trap_pop(&trap);
	return ok;
}

/* Whether the affine kernel gives the right results on so many workers. */
static bool affine_good(TnKernel *fn, int workers, int64_t n)
{
	static float in[10000], out[10000];
	LaunchSet set = {0};
	TnStatus status;
	void *buffers[] = {in, out};
	Launch l = {fn, (n + 15) / 16, 64, 0, buffers, NULL};
	for (int64_t i = 0; i < n; i++) {
		in[i] = (float)i;
		out[i] = -1;
	}
	bool ok = run(&set, &l, 1, &n, workers, &status);
	for (int64_t i = 0; i < n; i++)
		ok &= out[i] == 2 * (float)i + 1;
	launch_release(&set);
	return ok && status.code == 0 && set.block == NULL;
}

/* ---- instruction sets ------------------------------------------------ */

static void isas(void)
{
	const Isa *host = isa_host();
	CHECK(host && isa_runs_here(host));
	CHECK(isa_find("avx2") && isa_find("avx2")->vector_bytes == 32);
	CHECK(isa_find("nothing") == NULL);
	CHECK(isa_runs_here(isa_find("base")));
	bool neon = isa_runs_here(isa_find("neon"));
	CHECK(!(neon && isa_runs_here(isa_find("avx2"))));
	CHECK(strstr(code_flags(&ctx.perm, &cc, host), "-ffp-contract=off"));
}

/* For each compiler and instruction set found here. */
static void each_target(void (*fn)(const Compiler *, const Isa *))
{
	static const char *const names[] = {"gcc", "clang"};
	int ran = 0;
	CHECK(fresh());
	for (size_t c = 0; c < ARRAY_LEN(names); c++) {
		Compiler other;
		if (!compiler_find(&ctx, &ctx.perm, names[c], &other) &&
		    !compiler_find(&ctx, &ctx.perm, "clang-14", &other)) {
			ctx_clear_errors(&ctx);
			continue;
		}
		ctx_clear_errors(&ctx); /* of the first name */
		for (size_t i = 0; i < isa_count; i++) {
			if (isa_runs_here(&isa_table[i])) {
				fn(&other, &isa_table[i]);
				ran++;
			}
		}
	}
	CHECK(ran > 0 && ctx.errors == 0);
}

static void target_runs(const Compiler *c, const Isa *isa)
{
	CodeSource src = {.name = "k", .text = affine_text};
	CHECK(code_load(&ctx, &ctx.perm, c, isa, cache, &src, 1));
	CHECK(!src.cached && affine_good(kernel(&src, "affine"), 1, 99));
	code_unload(&src, 1);
}

static void targets(void)
{
	each_target(target_runs);
}

/*
 * The flags must not change a value. Each line is one that some flag of the
 * fast-math family changes in gcc or clang.
 */
static const char strict_text[] =
	ABI "EXPORT void strict(const TnArgs *a, int worker, int workers,\n"
	    "\tTnStatus *s)\n"
	    "{\n"
	    "\tconst float *x = a->buffers[0];\n"
	    "\tfloat *y = a->buffers[1];\n"
	    "\t(void)s; (void)worker; (void)workers;\n"
	    "\tfor (int i = 0; i < 64; i++) {\n"
	    "\t\ty[i] = (float)(int)x[i];\n"
	    "\t\ty[64 + i] = x[i] + 0.0f;\n"
	    "\t\ty[128 + i] = x[64 + i] * x[64 + i] + x[128 + i];\n"
	    "\t\ty[192 + i] = x[192 + i] / 1e-3f;\n"
	    "\t\ty[256 + i] = x[256 + i] != x[256 + i] ? 1 : 0;\n"
	    "\t\ty[320 + i] = x[320 + i] * 0.5f;\n"
	    "\t\ty[384 + i] = x[0] > x[64 + i] - x[64 + i] ? 1 : -x[256 + i];\n"
	    "\t}\n"
	    "}\n";

static void target_is_strict(const Compiler *c, const Isa *isa)
{
	CodeSource src = {.name = "k", .text = strict_text};
	static float x[448], y[448];
	void *buffers[] = {x, y};
	int64_t next = 0;
	TnArgs args = {.buffers = buffers, .next = &next};
	TnStatus s = {0};
	if (!CHECK(code_load(&ctx, &ctx.perm, c, isa, cache, &src, 1)))
		return;
	volatile float one_up = 1 + 0x1p-12f, third = 0.3f, milli = 1e-3f;
	for (int i = 0; i < 64; i++) {
		x[i] = i == 0 ? -0.5f : -0.0f;
		x[64 + i] = one_up;
		x[128 + i] = -1 - 0x1p-11f; /* a fused sum leaves 2^-24 */
		x[192 + i] = third;
		x[256 + i] = __builtin_nanf("");
		x[320 + i] = 0x1p-126f;
	}
	kernel(&src, "strict")(&args, 0, 1, &s);
	CHECK(y[0] == 0 && !signbit(y[0]));
	CHECK(y[65] == 0 && !signbit(y[65]));
	CHECK(y[128] == 0);
	CHECK(y[192] == third / milli);
	CHECK(y[256] == 1);
	CHECK(y[320] == 0x1p-127f);
	CHECK(y[384] != y[384]);
	code_unload(&src, 1);
}

static void strict(void)
{
	each_target(target_is_strict);
}

/* ---- the compiler ---------------------------------------------------- */

static void compilers(void)
{
	Compiler c;
	CHECK(fresh());
	CHECK(cc.path[0] == '/' && cc.version[0] != '\0');
	/* Remembered: the second find reads the file. */
	shell("test -n \"$(ls %s/tenon/compilers)\"", top);
	shell("sed -i '2s/.*/remembered/' %s/tenon/compilers/*", top);
	CHECK(compiler_find(&ctx, &ctx.perm, NULL, &c));
	CHECK_STR(c.version, "remembered");
	/* A damaged note is asked for again. */
	shell("for f in %s/tenon/compilers/*; do truncate -s -1 $f; done", top);
	CHECK(compiler_find(&ctx, &ctx.perm, NULL, &c));
	CHECK_STR(c.version, cc.version);
	/* A changed compiler is asked again. */
	shell("printf '#!/bin/sh\\necho clang version 1\\n' > %s/mycc; "
	      "chmod 755 %s/mycc",
	      top, top);
	const char *mine = arena_printf(&ctx.perm, "%s/mycc", top);
	CHECK(compiler_find(&ctx, &ctx.perm, mine, &c));
	CHECK_STR(c.version, "clang version 1");
	CHECK(c.clang);
	shell("printf '#!/bin/sh\\necho other version 22\\n' > %s/mycc", top);
	CHECK(compiler_find(&ctx, &ctx.perm, mine, &c));
	CHECK_STR(c.version, "other version 22");
	CHECK(!c.clang && ctx.errors == 0);
}

static void no_compiler(void)
{
	Compiler c;
	char *path = strdup(getenv("PATH"));
	CHECK(fresh());
	setenv("PATH", "/nonexistent:", 1);
	CHECK(!compiler_find(&ctx, &ctx.perm, NULL, &c));
	CHECK(ctx.err == ERR_ENV);
	CHECK_STR(buf_str(&ctx.messages),
		  "tenon: error: no C compiler found: looked for cc, gcc, "
		  "clang in /nonexistent:\n"
		  "hint: install one, for example with: apt-get install gcc\n");
	ctx_clear_errors(&ctx);
	setenv("PATH", "", 1);
	CHECK(!compiler_find(&ctx, &ctx.perm, "tcc", &c));
	CHECK(strstr(buf_str(&ctx.messages), "looked for tcc, but PATH is "
					     "empty") != NULL);
	unsetenv("PATH");
	CHECK(!compiler_find(&ctx, &ctx.perm, NULL, &c));
	CHECK(!compiler_find(&ctx, &ctx.perm, "/dev/null", &c));
	setenv("PATH", path, 1);
	free(path);
}

/* ---- the cache ------------------------------------------------------- */

static void runs_and_caches(void)
{
	CodeSource src;
	struct stat st;
	CHECK(fresh());
	CHECK(load(&src, affine_text));
	CHECK(!src.cached && src.compile_ms > 0 && strlen(src.key) == 64);
	CHECK(stat(cache, &st) == 0 && (st.st_mode & 0777) == 0700);
	for (int workers = 1; workers <= 5; workers++) {
		CHECK(affine_good(kernel(&src, "affine"), workers, 1));
		CHECK(affine_good(kernel(&src, "affine"), workers, 9999));
	}
	CHECK(code_symbol(&src, "missing") == NULL);
	code_unload(&src, 1);
	CHECK(src.handle == NULL);
	CHECK(count_files("") == 1 && count_files("tmp.") == 0);

	char key[SHA256_HEX];
	memcpy(key, src.key, sizeof(key));
	CHECK(load(&src, affine_text));
	CHECK(src.cached && src.compile_ms == 0);
	CHECK_STR(src.key, key);
	CHECK(affine_good(kernel(&src, "affine"), 2, 500));
	code_unload(&src, 1);

	double best = 1;
	for (int i = 0; i < 20; i++) {
		double t = clock_seconds();
		CHECK(load(&src, affine_text));
		t = clock_seconds() - t;
		best = t < best ? t : best;
		code_unload(&src, 1);
	}
	printf("warm load of one kernel: %.3f ms\n", best * 1e3);
	CHECK(best < 0.01);

	/* Another text, another instruction set: other keys. */
	CHECK(load(&src, divide_text) && strcmp(src.key, key) != 0);
	code_unload(&src, 1);
	src.text = affine_text;
	CHECK(code_load(&ctx, &ctx.perm, &cc, isa_find("base"), cache, &src,
			1));
	CHECK(isa_host() == isa_find("base") || strcmp(src.key, key) != 0);
	code_unload(&src, 1);
	CHECK(ctx.errors == 0);
}

static void many_sources(void)
{
	enum {
		N = 7
	};
	CodeSource src[N];
	CHECK(fresh());
	for (int i = 0; i < N; i++) {
		/* The last two are equal: compiled once, both loaded. */
		const char *text =
			arena_printf(&ctx.perm, "%s/* %d */\n", affine_text,
				     i < N - 1 ? i : i - 1);
		src[i] = (CodeSource){.name = "k", .text = text};
	}
	CHECK(code_load(&ctx, &ctx.perm, &cc, isa_host(), cache, src, N));
	CHECK(count_files("") == N - 1);
	for (int i = 0; i < N; i++)
		CHECK(affine_good(kernel(&src[i], "affine"), 2, 100));
	code_unload(src, N);
	/* Without a cache: nothing stays behind. */
	setenv("TMPDIR", top, 1);
	CHECK(code_load(&ctx, &ctx.perm, &cc, isa_host(), NULL, src, N));
	for (int i = 0; i < N; i++)
		CHECK(!src[i].cached &&
		      affine_good(kernel(&src[i], "affine"), 2, 100));
	code_unload(src, N);
	shell("test -z \"$(ls -d %s/tenon-* 2>/dev/null)\"", top);
	unsetenv("TMPDIR");
	CHECK(code_load(&ctx, &ctx.perm, &cc, isa_host(), cache, src, 0));
}

static void bad_source(void)
{
	CodeSource src[2] = {{.name = "good", .text = affine_text},
			     {.name = "k7", .text = "int f(void) { oops; }\n"}};
	CHECK(fresh());
	CHECK(!code_load(&ctx, &ctx.perm, &cc, isa_host(), cache, src, 2));
	CHECK(ctx.err == ERR_ENV && src[0].handle == NULL);
	CHECK(strstr(buf_str(&ctx.messages), "on kernel k7:\n") != NULL);
	CHECK(strstr(buf_str(&ctx.messages), "oops") != NULL);
	CHECK(count_files("tmp.") == 0);
	ctx_clear_errors(&ctx);
	/* So is a symbol that nothing defines. */
	CHECK(!load(&src[0], "int g(void);\n"
			     "__attribute__((visibility(\"default\"))) "
			     "int f(void) { return g(); }\n"));
	CHECK(ctx.err == ERR_ENV);
}

/* Every single byte that may be damaged is noticed. */
static void damaged(void)
{
	CodeSource src;
	char path[512], *text;
	size_t len;
	CHECK(fresh());
	CHECK(load(&src, affine_text));
	code_unload(&src, 1);
	snprintf(path, sizeof(path), "%s/%s.so", code, src.key);
	CHECK(file_read(&ctx, &ctx.perm, path, &text, &len) && len > 1000);
	size_t places[] = {0, 100, len / 2, len - 137, len - 100, len - 1};
	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		text[places[i]] ^= 1;
		CHECK(file_write_atomic(&ctx, path, text, len));
		text[places[i]] ^= 1;
		CHECK(load(&src, affine_text) && !src.cached);
		CHECK(affine_good(kernel(&src, "affine"), 2, 100));
		code_unload(&src, 1);
	}
	size_t cuts[] = {0, 1, 100, len / 2, len - 1};
	for (size_t i = 0; i < ARRAY_LEN(cuts); i++) {
		CHECK(file_write_atomic(&ctx, path, text, cuts[i]));
		CHECK(load(&src, affine_text) && !src.cached);
		code_unload(&src, 1);
	}
	/* A good file under another's name. */
	CHECK(load(&src, divide_text));
	code_unload(&src, 1);
	shell("cp %s/%s.so %s", code, src.key, path);
	CHECK(load(&src, affine_text) && !src.cached);
	CHECK(affine_good(kernel(&src, "affine"), 2, 100));
	code_unload(&src, 1);
	CHECK(load(&src, affine_text) && src.cached);
	code_unload(&src, 1);
	CHECK(ctx.errors == 0);
}

/* A writer that is killed leaves a folder, which the next one removes. */
static void killed_writer(void)
{
	CodeSource src;
	CHECK(fresh());
	shell("printf '#!/bin/sh\\ncase $1 in --version) echo slow;; "
	      "*) touch %s/started; exec sleep 30;; esac\\n' > %s/slowcc; "
	      "chmod 755 %s/slowcc; rm -f %s/started",
	      top, top, top, top);
	const char *slow = arena_printf(&ctx.perm, "%s/slowcc", top);
	const char *started = arena_printf(&ctx.perm, "%s/started", top);
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		setpgid(0, 0);
		if (compiler_find(&ctx, &ctx.perm, slow, &cc))
			(void)load(&src, affine_text);
		_exit(1);
	}
	for (int i = 0; i < 1000 && !file_exists(started); i++)
		usleep(10000);
	CHECK(count_files("tmp.") == 1);
	/* While it lives, its folder is left alone. */
	CHECK(load(&src, affine_text));
	code_unload(&src, 1);
	CHECK(count_files("tmp.") == 1);
	kill(-child, SIGKILL);
	waitpid(child, NULL, 0);
	CHECK(count_files("tmp.") == 1);
	CHECK(load(&src, affine_text) && src.cached);
	code_unload(&src, 1);
	CHECK(load(&src, divide_text) && !src.cached);
	code_unload(&src, 1);
	CHECK(count_files("tmp.") == 0 && count_files("") == 2);
	/* One that never got its lock goes after an hour. */
	shell("mkdir %s/tmp.young %s/tmp.old; touch -d '3 hours ago' "
	      "%s/tmp.old",
	      code, code, code);
	CHECK(load(&src, "int f(void);\n"));
	code_unload(&src, 1);
	CHECK(count_files("tmp.") == 1 && count_files("tmp.young") == 1);
}

/* Several processes fill and read one cache, some being killed. */
static void processes(void)
{
	enum {
		P = 6
	};
	pid_t child[P];
	int status;
	CHECK(fresh());
	fflush(stdout);
	for (int p = 0; p < P; p++) {
		child[p] = fork();
		if (child[p] != 0)
			continue;
		int bad = 0;
		for (int i = 0; i < 6; i++) {
			CodeSource src;
			const char *text = arena_printf(
				&ctx.perm, "%s/* %d */\n", affine_text, i);
			if (!load(&src, text) ||
			    !affine_good(kernel(&src, "affine"), 2, 200))
				bad = 1;
			code_unload(&src, 1);
		}
		_exit(bad);
	}
	usleep(60000);
	kill(child[0], SIGKILL);
	usleep(30000);
	kill(child[1], SIGKILL);
	for (int p = 0; p < P; p++) {
		CHECK(waitpid(child[p], &status, 0) == child[p]);
		CHECK(status == 0 || (p < 2 && WIFSIGNALED(status)));
	}
	CHECK(count_files("") - count_files("tmp.") == 6);
}

static void not_writable(void)
{
	CodeSource src = {.name = "k", .text = affine_text};
	char path[400];
	CHECK(fresh());
	snprintf(path, sizeof(path), "%s/file", top);
	CHECK(file_write_atomic(&ctx, path, "x", 1));
	snprintf(path, sizeof(path), "%s/file/cache", top);
	CHECK(!code_load(&ctx, &ctx.perm, &cc, isa_host(), path, &src, 1));
	CHECK(ctx.err == ERR_ENV);
	CHECK(strstr(buf_str(&ctx.messages), path) != NULL);
	CHECK(strstr(buf_str(&ctx.messages), "Not a directory") != NULL);
	ctx_clear_errors(&ctx);
	/* Without a cache it is the temporary folder that is named. */
	setenv("TMPDIR", path, 1);
	CHECK(!code_load(&ctx, &ctx.perm, &cc, isa_host(), NULL, &src, 1));
	unsetenv("TMPDIR");
	CHECK(strstr(buf_str(&ctx.messages), "the temporary folder") != NULL);
	CHECK(strstr(buf_str(&ctx.messages), path) != NULL);
	ctx_clear_errors(&ctx);
	/* Others could put code into it. */
	shell("mkdir -p %s; chmod 777 %s", code, code);
	CHECK(!load(&src, affine_text) && ctx.err == ERR_ENV);
	CHECK(strstr(buf_str(&ctx.messages), "other users") != NULL);
}

static void disk_read_only(void)
{
	CodeSource src;
	if (geteuid() != 0)
		SKIP("mounting a disk needs root");
	CHECK(fresh());
	shell("mkdir -p %s", cache);
	char command[800];
	snprintf(command, sizeof(command),
		 "mount -t tmpfs -o size=1m,mode=700 none %s 2>/dev/null",
		 cache);
	if (system(command) != 0)
		SKIP("no tmpfs may be mounted");
	CHECK(load(&src, affine_text));
	code_unload(&src, 1);
	shell("mount -o remount,ro %s", cache);
	CHECK(load(&src, affine_text) && src.cached); /* reads go on */
	code_unload(&src, 1);
	CHECK(!load(&src, divide_text) && ctx.err == ERR_ENV);
	CHECK(strstr(buf_str(&ctx.messages), code) != NULL);
	CHECK(strstr(buf_str(&ctx.messages), "Read-only") != NULL);
	shell("umount %s", cache);
}

/* At every size of disk: code that works, or an error that says full. */
static void disk_full(void)
{
	CodeSource src;
	char command[800];
	int full = 0, good = 0;
	if (geteuid() != 0)
		SKIP("mounting a disk needs root");
	for (int kib = 4; kib <= 96; kib += kib < 44 ? 4 : 12) {
		CHECK(fresh());
		shell("mkdir -p %s", cache);
		snprintf(command, sizeof(command),
			 "mount -t tmpfs -o size=%dk,mode=700 none %s "
			 "2>/dev/null",
			 kib, cache);
		if (system(command) != 0)
			SKIP("no tmpfs may be mounted");
		if (load(&src, affine_text)) {
			good++;
			CHECK(affine_good(kernel(&src, "affine"), 2, 100));
			code_unload(&src, 1);
		} else {
			full++;
			CHECK(ctx.err == ERR_ENV && count_files("") == 0);
			if (!CHECK(strstr(buf_str(&ctx.messages),
					  "the disk is full")))
				printf("%d KiB: %s", kib,
				       buf_str(&ctx.messages));
		}
		shell("umount %s", cache);
	}
	CHECK(full > 0 && good > 0);
}

static void out_of_memory(void)
{
	volatile long n = 0;
	volatile bool done = false;
	CHECK(fresh());
	while (!done && n < 2000) {
		CodeSource src;
		OomTrap t;
		oom_fail_nth(++n);
		if (OOM_TRAP(&t)) {
			oom_fail_nth(0);
			CHECK(count_files("tmp.") == 0);
		} else {
			CHECK(load(&src, affine_text));
			oom_trap_pop(&t);
			oom_fail_nth(0);
			done = true;
			CHECK(affine_good(kernel(&src, "affine"), 2, 100));
			code_unload(&src, 1);
		}
		oom_fail_nth(0);
		shell("rm -rf %s", code);
	}
	CHECK(done && n > 20);
	CHECK(fcntl(0, F_GETFD) >= 0); /* nothing of others was closed */
}

/* SIGCHLD ignored by the host program: children leave no status. */
static void children_ignored(void)
{
	CodeSource src;
	CHECK(fresh());
	signal(SIGCHLD, SIG_IGN);
	bool good = load(&src, affine_text);
	bool bad = load(&src, "int f(void) { oops; }\n");
	signal(SIGCHLD, SIG_DFL);
	CHECK(good && !bad);
	CHECK(strstr(buf_str(&ctx.messages), "oops") != NULL);
}

/* ---- launches -------------------------------------------------------- */

static void faults(void)
{
	CodeSource src[2] = {{.name = "a", .text = affine_text},
			     {.name = "d", .text = divide_text}};
	static int x[1000], y[1000], q[1000];
	static float in[16], out[16];
	CHECK(fresh());
	CHECK(code_load(&ctx, &ctx.perm, &cc, isa_host(), cache, src, 2));
	int64_t n = 1000;
	void *buffers[] = {x, y, q};
	LaunchSet set = {0};
	TnStatus s;
	for (int i = 0; i < 1000; i++) {
		x[i] = 10 * i;
		y[i] = 10;
	}
	Launch launches[] = {
		{kernel(&src[1], "divide"), 1000, 0, 0, buffers, NULL},
		{kernel(&src[1], "divide"), 0, 0, 0, buffers, NULL}};
	CHECK(run(&set, launches, 2, &n, 3, &s));
	CHECK(s.code == 0 && q[999] == 999);
	y[713] = y[714] = y[900] = 0;
	for (int workers = 1; workers < 40; workers++) {
		CHECK(!run(&set, launches, 1, &n, workers, &s));
		CHECK(s.code == TN_FAULT_DIVISION && s.value == 5 &&
		      s.index == 713);
	}
	/* Later launches do not run; earlier ones have. */
	void *two[] = {in, out};
	int64_t m = 16;
	out[0] = -1;
	Launch chain[] = {
		{kernel(&src[1], "divide"), 1000, 0, 0, buffers, NULL},
		{kernel(&src[0], "affine"), 1, 64, 0, two, NULL}};
	CHECK(!run(&set, chain, 2, &n, 2, &s));
	CHECK(out[0] == -1);
	CHECK(run(&set, chain + 1, 1, &m, 2, &s));
	CHECK(out[0] == 1 && s.code == 0);
	/* Memory refused: by size, and by the system. */
	chain[1].scratch = SIZE_MAX / 2;
	CHECK(!run(&set, chain + 1, 1, &m, 2, &s));
	CHECK(s.code == -1);
	launch_release(&set);
	chain[1].scratch = 64;
	oom_fail_nth(1);
	CHECK(!run(&set, chain + 1, 1, &m, 2, &s));
	oom_fail_nth(0);
	CHECK(s.code == -1 && run(&set, chain + 1, 1, &m, 2, &s));
	CHECK(run(&set, NULL, 0, &m, 2, &s));
	launch_release(&set);
	code_unload(src, 2);
}

#define MOST_WORKERS 5
#define MOST_TASKS   13

/* The workers whose bits are set in `come` take tasks in turn. */
static void parts_of(int workers, int tasks, int come)
{
	int64_t next[MOST_WORKERS] = {0};
	TnArgs args = {.next = next};
	int ran[MOST_TASKS] = {0}, done[MOST_WORKERS] = {0};
	int each = tasks / workers, more = tasks % workers;
	bool first = true, any = true;

	for (; any; first = false) {
		any = false;
		for (int w = 0; w < workers; w++) {
			if (!(come >> w & 1))
				continue;
			int64_t t =
				tn_task(&args, w, workers, tasks, 0, &done[w]);
			/* its own part first, whoever else is there */
			if (first && each > 0)
				CHECK(t == w * each + (w < more ? w : more));
			if (t < tasks) {
				ran[t]++;
				any = true;
			}
		}
	}
	for (int t = 0; t < tasks; t++)
		CHECK(ran[t] == 1);
}

static void parts(void)
{
	for (int workers = 2; workers <= MOST_WORKERS; workers++)
		for (int tasks = 0; tasks <= MOST_TASKS; tasks++)
			for (int come = 1; come < 1 << workers; come++)
				parts_of(workers, tasks, come);
}

static void forked(void)
{
	CodeSource src;
	int status = 1;
	CHECK(fresh());
	CHECK(load(&src, affine_text));
	TnKernel *fn = kernel(&src, "affine");
	CHECK(affine_good(fn, 3, 9999));
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		alarm(30);
		_exit(!(affine_good(fn, 3, 9999) && load(&src, divide_text)));
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	CHECK(affine_good(fn, 3, 9999));
	code_unload(&src, 1);
}

TEST_MAIN(TEST(isas), TEST(targets), TEST(strict), TEST(compilers),
	  TEST(no_compiler), TEST(runs_and_caches), TEST(many_sources),
	  TEST(bad_source), TEST(damaged), TEST(killed_writer), TEST(processes),
	  TEST(not_writable), TEST(disk_read_only), TEST(disk_full),
	  TEST(out_of_memory), TEST(children_ignored), TEST(faults),
	  TEST(parts), TEST(forked))
