/*
 * gpucode: cubins through the cache folder: what is kept and found again,
 * what damage and a full or forbidden disk do, several processes and killed
 * ones. Skipped where no NVRTC is and tools/setup has not brought one.
 */
#include "base/base.h"
#include "runtime/gpucode.h"
#include "runtime/store.h"
#include "tests/unit/folder.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char none[] = "no NVRTC of 12 or later is here";

static const char plain_text[] =
	"extern \"C\" __global__ void plain(float *o)\n{\n"
	"\to[threadIdx.x] += 1;\n}\n";
static const char shared_text[] =
	"extern \"C\" __global__ void shared(float *o)\n{\n"
	"\t__shared__ float s[300];\n"
	"\ts[threadIdx.x] = o[threadIdx.x];\n"
	"\t__syncthreads();\n"
	"\to[threadIdx.x] = s[299 - threadIdx.x];\n}\n";
static const char spilling_text[] =
	"extern \"C\" __global__ void __launch_bounds__(1024, 2)\n"
	"spilling(float *o, int n)\n{\n"
	"\tfloat v[64];\n"
	"#pragma unroll\n"
	"\tfor (int i = 0; i < 64; i++) v[i] = o[i * 1024 + threadIdx.x];\n"
	"\tfor (int k = 0; k < n; k++) {\n"
	"#pragma unroll\n"
	"\t\tfor (int i = 0; i < 64; i++)\n"
	"\t\t\tv[i] = v[i] * v[(i + 7) % 64] + v[(i * 5 + 1) % 64];\n"
	"\t}\n"
	"#pragma unroll\n"
	"\tfor (int i = 0; i < 64; i++) o[i * 1024 + threadIdx.x] = v[i];\n"
	"}\n";
static const char *top;
static char cache[300], code[310];
static Ctx ctx;
static Nvrtc nvrtc;
static bool here;

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
	atexit(finish);
	ctx_init(&ctx);
	here = nvrtc_open(&ctx, NULL, &nvrtc) && nvrtc.major >= 12;
	if (!here)
		printf("%s", buf_str(&ctx.messages));
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

/* Empties the cache and the context; false without a compiler. */
static bool fresh(void)
{
	if (cache[0] == '\0')
		start();
	shell("rm -rf %s", cache);
	ctx_release(&ctx);
	ctx_init(&ctx);
	ctx.threads = 2;
	return here;
}

static bool load(GpuSource *src, const char *text)
{
	*src = (GpuSource){.name = "k0", .text = text, .arch = "sm_80"};
	return gpucode_load(&ctx, &ctx.perm, &nvrtc, cache, src, 1);
}

/* Loaded, and what it should be. */
static bool load_plain(GpuSource *src)
{
	return load(src, plain_text) && src->size > 0 &&
	       cubin_kernel(&src->facts, "plain");
}

static bool said(const char *what)
{
	bool yes = strstr(buf_str(&ctx.messages), what) != NULL;
	if (!yes)
		printf("not said: %s\n  but: %s", what, buf_str(&ctx.messages));
	ctx_clear_errors(&ctx);
	return yes;
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

static const char *file_of(const GpuSource *src)
{
	return arena_printf(&ctx.perm, "%s/%s.cubin", code, src->key);
}

/* ---- kept and found -------------------------------------------------- */

static bool facts_equal(const GpuSource *a, const GpuSource *b)
{
	if (a->facts.n != b->facts.n || a->facts.sm != b->facts.sm)
		return false;
	for (size_t i = 0; i < a->facts.n; i++) {
		CubinKernel x = a->facts.kernels[i], y = b->facts.kernels[i];
		if (strcmp(x.name, y.name) != 0 || !x.logged || !y.logged ||
		    x.registers != y.registers || x.shared != y.shared ||
		    x.local != y.local || x.code != y.code ||
		    x.spill_stores != y.spill_stores ||
		    x.spill_loads != y.spill_loads)
			return false;
	}
	return true;
}

static void keeps(void)
{
	const char *texts[] = {plain_text, shared_text, spilling_text,
			       plain_text};
	const char *archs[] = {"sm_80", "sm_90a", "sm_80", "sm_80"};
	GpuSource first[4], again[4];
	if (!fresh())
		SKIP_UNTIL_SETUP(none);
	for (int i = 0; i < 4; i++)
		again[i] = first[i] = (GpuSource){
			.name = "k", .text = texts[i], .arch = archs[i]};
	if (!CHECK(gpucode_load(&ctx, &ctx.perm, &nvrtc, cache, first, 4)))
		printf("%s", buf_str(&ctx.messages));
	CHECK(count_files("") == 3);
	for (int i = 0; i < 4; i++) {
		CHECK(!first[i].cached && first[i].size > 0);
		CHECK((first[i].compile_ms > 0) == (i < 3));
	}
	CHECK(gpucode_load(&ctx, &ctx.perm, &nvrtc, cache, again, 4));
	CHECK(count_files("") == 3);
	for (int i = 0; i < 4; i++) {
		CHECK(again[i].cached && again[i].compile_ms == 0);
		CHECK_STR(again[i].key, first[i].key);
		CHECK_STR(again[i].log, first[i].log);
		CHECK(again[i].size == first[i].size &&
		      memcmp(again[i].cubin, first[i].cubin, first[i].size) ==
			      0);
		CHECK(facts_equal(&again[i], &first[i]));
	}
	CHECK(again[1].facts.sm == 90 &&
	      again[1].facts.kernels[0].shared == 1200);
	CHECK(again[2].facts.kernels[0].spill_stores > 0);
	CHECK(again[0].facts.kernels[0].registers > 0 &&
	      again[0].facts.kernels[0].spill_stores == 0);
	/* what is kept starts as the cubin does, for other programs */
	char *text;
	size_t n;
	CHECK(file_read(&ctx, &ctx.perm, file_of(&first[0]), &text, &n));
	CHECK(n > first[0].size &&
	      memcmp(text, first[0].cubin, first[0].size) == 0);
}

static void keys(void)
{
	static const char *const more[] = {"-DN=3", NULL};
	Nvrtc other = nvrtc;
	GpuSource s[4];
	if (!fresh())
		SKIP_UNTIL_SETUP(none);
	other = nvrtc;
	other.minor += 50;
	for (int i = 0; i < 4; i++)
		s[i] = (GpuSource){
			.name = "k", .text = plain_text, .arch = "sm_80"};
	s[1].arch = "sm_90a";
	s[2].options = more;
	CHECK(gpucode_load(&ctx, &ctx.perm, &nvrtc, cache, s, 3));
	CHECK(gpucode_load(&ctx, &ctx.perm, &other, cache, &s[3], 1));
	CHECK(count_files("") == 4);
	for (int i = 0; i < 4; i++) {
		CHECK(!s[i].cached && strlen(s[i].key) == 64);
		for (int j = 0; j < i; j++)
			CHECK(strcmp(s[i].key, s[j].key) != 0);
	}
	s[0].name = "another";
	CHECK(gpucode_load(&ctx, &ctx.perm, &nvrtc, cache, s, 1));
	CHECK(s[0].cached);
}

/* What is all kept needs no compiler; what is not loads it. */
static void not_loaded(void)
{
	Nvrtc bare = nvrtc, wrong;
	GpuSource s = {.name = "k", .text = plain_text, .arch = "sm_80"};
	char key[SHA256_HEX];
	if (!fresh())
		SKIP_UNTIL_SETUP(none);
	CHECK(gpucode_load(&ctx, &ctx.perm, &nvrtc, cache, &s, 1));
	memcpy(key, s.key, sizeof(key));
#define FORGET(result, name, parameters) bare.name = NULL;
	NVRTC_ENTRIES(FORGET)
#undef FORGET
	wrong = bare;
	CHECK(gpucode_load(&ctx, &ctx.perm, &bare, cache, &s, 1));
	CHECK(s.cached && !bare.nvrtcVersion);
	/* noted as another version: under its key nothing is kept */
	wrong.major = 99;
	CHECK(gpucode_load(&ctx, &ctx.perm, &wrong, cache, &s, 1));
	CHECK(wrong.nvrtcVersion && wrong.major == nvrtc.major);
	CHECK(s.cached);
	CHECK_STR(s.key, key);
	s.text = shared_text;
	CHECK(gpucode_load(&ctx, &ctx.perm, &bare, cache, &s, 1));
	CHECK(!s.cached && bare.nvrtcVersion && count_files("") == 2);
}

static void keeps_nothing(void)
{
	GpuSource src = {.name = "k", .text = plain_text, .arch = "sm_90a"};
	if (!fresh())
		SKIP_UNTIL_SETUP(none);
	setenv("TMPDIR", "/nonexistent", 1);
	for (int i = 0; i < 2; i++) {
		CHECK(gpucode_load(&ctx, &ctx.perm, &nvrtc, NULL, &src, 1));
		CHECK(!src.cached && src.size > 0 && src.facts.n == 1);
	}
	unsetenv("TMPDIR");
	CHECK(!file_exists(cache));
	CHECK(gpucode_load(&ctx, &ctx.perm, &nvrtc, cache, NULL, 0));
}

static void errors(void)
{
	GpuSource src[2] = {
		{.name = "good", .text = plain_text, .arch = "sm_80"},
		{.name = "bad", .text = "__global__ oops;", .arch = "sm_80"},
	};
	if (!fresh())
		SKIP_UNTIL_SETUP(none);
	CHECK(!gpucode_load(&ctx, &ctx.perm, &nvrtc, cache, src, 2));
	CHECK(ctx.err == ERR_ENV && count_files("") == 0);
	CHECK(said("bad.cu(1): error"));
	src[0].arch = "sm_33";
	CHECK(!gpucode_load(&ctx, &ctx.perm, &nvrtc, cache, src, 1));
	CHECK(ctx.err == ERR_USAGE && count_files("") == 0);
	CHECK(said("does not know the architecture sm_33"));
}

/* ---- damage ---------------------------------------------------------- */

/* A payload that the store finds whole, under the key. */
static void seal(const char *key, const void *p, size_t n)
{
	Store s;
	const char *path;
	CHECK(store_open(&s, &ctx, &ctx.perm, cache) && store_work(&s));
	path = arena_printf(&ctx.perm, "%s/x", s.work);
	CHECK(store_create(&s, path, p, n) &&
	      store_finish(&s, &path, key, ".cubin"));
	store_close(&s);
}

static bool made_anew(const char *how)
{
	GpuSource src;
	bool ok = CHECK(load_plain(&src)) && CHECK(!src.cached) &&
		  CHECK(load_plain(&src)) && CHECK(src.cached);
	if (!ok)
		printf("after %s\n%s", how, buf_str(&ctx.messages));
	return ok;
}

static void damaged(void)
{
	static const uint64_t huge = UINT64_MAX;
	GpuSource src, other;
	char *whole;
	size_t n;
	if (!fresh())
		SKIP_UNTIL_SETUP(none);
	CHECK(load_plain(&src) && load(&other, shared_text));
	const char *file = file_of(&src);
	CHECK(file_read(&ctx, &ctx.perm, file, &whole, &n));
	const size_t cuts[] = {0, 1, 8, src.size, src.size + 1, n - 136, n - 1};
	for (size_t i = 0; i < ARRAY_LEN(cuts); i++) {
		CHECK(file_write_atomic(&ctx, file, whole, cuts[i]));
		made_anew(arena_printf(&ctx.perm, "%zu bytes of %zu", cuts[i],
				       n));
	}
	for (size_t at = 5; at < n; at += n / 23) {
		whole[at] ^= 4;
		CHECK(file_write_atomic(&ctx, file, whole, n));
		whole[at] ^= 4;
		made_anew(arena_printf(&ctx.perm, "a bit of byte %zu", at));
	}
	shell("cp %s %s", file_of(&other), file);
	made_anew("another key's file");
	shell("rm %s; ln -s /nonexistent %s", file, file);
	made_anew("a link to nothing");
	/* whole, and yet no cubin */
	seal(src.key, "abc", 3);
	made_anew("three bytes");
	seal(src.key, &huge, sizeof(huge));
	made_anew("a size beyond the file");
	seal(src.key, "\0\0\0\0\0\0\0\0", 8);
	made_anew("an empty cubin");
	CHECK(count_files("") == 2 && ctx.errors == 0);
}

/* ---- disks ----------------------------------------------------------- */

static void not_writable(void)
{
	GpuSource src = {.name = "k", .text = plain_text, .arch = "sm_80"};
	if (!fresh())
		SKIP_UNTIL_SETUP(none);
	shell("touch %s/file", top);
	const char *path = arena_printf(&ctx.perm, "%s/file/cache", top);
	CHECK(!gpucode_load(&ctx, &ctx.perm, &nvrtc, path, &src, 1));
	CHECK(ctx.err == ERR_ENV && src.compile_ms == 0);
	CHECK(strstr(buf_str(&ctx.messages), path) != NULL);
	CHECK(said("Not a directory"));
	/* Others could put code into it. */
	shell("mkdir -p %s; chmod 777 %s", code, code);
	CHECK(!load(&src, plain_text) && ctx.err == ERR_ENV);
	CHECK(said("other users"));
}

static bool disk_mount(const char *options)
{
	shell("mkdir -p %s", cache);
	char command[800];
	snprintf(command, sizeof(command),
		 "mount -t tmpfs -o %s,mode=700 none %s 2>/dev/null", options,
		 cache);
	return system(command) == 0;
}

static void disk_read_only(void)
{
	GpuSource src;
	if (geteuid() != 0)
		SKIP("mounting a disk needs root");
	if (!fresh())
		SKIP_UNTIL_SETUP(none);
	if (!disk_mount("size=1m"))
		SKIP("no tmpfs may be mounted");
	CHECK(load_plain(&src));
	shell("mount -o remount,ro %s", cache);
	CHECK(load_plain(&src) && src.cached); /* reads go on */
	CHECK(!load(&src, shared_text) && ctx.err == ERR_ENV);
	CHECK(src.compile_ms == 0); /* told before the time is spent */
	CHECK(strstr(buf_str(&ctx.messages), code) != NULL);
	CHECK(said("Read-only"));
	shell("umount %s", cache);
}

/* At every size of disk: a kept cubin, or an error that says full. */
static void disk_full(void)
{
	GpuSource src;
	int full = 0, good = 0;
	if (geteuid() != 0)
		SKIP("mounting a disk needs root");
	for (int kib = 4; kib <= 40; kib += 6) {
		if (!fresh())
			SKIP_UNTIL_SETUP(none);
		if (!disk_mount(arena_printf(&ctx.perm, "size=%dk", kib)))
			SKIP("no tmpfs may be mounted");
		if (load(&src, spilling_text)) {
			good++;
			CHECK(load(&src, spilling_text) && src.cached);
		} else {
			full++;
			CHECK(ctx.err == ERR_ENV && count_files("") == 0);
			CHECK(said("the disk is full"));
		}
		shell("umount %s", cache);
	}
	CHECK(full > 0 && good > 0);
}

/* ---- processes ------------------------------------------------------- */

/* A writer that has its work folder, until it is killed. */
static void write_for_ever(int started)
{
	Store s;
	if (store_open(&s, &ctx, &ctx.perm, cache) && store_work(&s) &&
	    write(started, "", 1) == 1)
		for (;;)
			pause();
	_exit(1);
}

/* A writer that is killed leaves a folder, which the next one removes. */
static void killed_writer(void)
{
	GpuSource src;
	int started[2];
	char byte;
	if (!fresh())
		SKIP_UNTIL_SETUP(none);
	CHECK(pipe(started) == 0);
	fflush(stdout);
	pid_t child = fork();
	if (child == 0)
		write_for_ever(started[1]);
	close(started[1]);
	CHECK(read(started[0], &byte, 1) == 1);
	close(started[0]);
	CHECK(count_files("tmp.") == 1);
	/* While it lives, its folder is left alone. */
	CHECK(load_plain(&src) && !src.cached);
	CHECK(count_files("tmp.") == 1);
	kill(child, SIGKILL);
	CHECK(waitpid(child, NULL, 0) == child);
	CHECK(count_files("tmp.") == 1);
	CHECK(load_plain(&src) && src.cached);
	CHECK(load(&src, shared_text) && !src.cached);
	CHECK(count_files("tmp.") == 0 && count_files("") == 2);
}

/* Several processes fill and read one cache, some being killed. */
static void processes(void)
{
	enum {
		P = 5,
		TEXTS = 4
	};
	pid_t child[P];
	int status;
	if (!fresh())
		SKIP_UNTIL_SETUP(none);
	fflush(stdout);
	for (int p = 0; p < P; p++) {
		child[p] = fork();
		if (child[p] != 0)
			continue;
		int bad = 0;
		for (int i = 0; i < TEXTS; i++) {
			GpuSource src;
			const char *text = arena_printf(
				&ctx.perm, "%s/* %d */\n", plain_text, i);
			bad |= !load(&src, text) || src.facts.n != 1;
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
	CHECK(count_files("") - count_files("tmp.") == TEXTS);
}

static void out_of_memory(void)
{
	volatile long n = 0;
	volatile bool done = false;
	if (!fresh())
		SKIP_UNTIL_SETUP(none);
	while (!done && n < 2000) {
		GpuSource src;
		OomTrap t;
		oom_fail_nth(++n);
		if (OOM_TRAP(&t)) {
			oom_fail_nth(0);
			CHECK(count_files("tmp.") == 0);
		} else {
			/* NVRTC's own kind of it is an error that says so */
			bool ok = load(&src, plain_text);
			oom_trap_pop(&t);
			oom_fail_nth(0);
			CHECK(ok && src.facts.n == 1);
			done = ok;
		}
		oom_fail_nth(0);
		shell("rm -rf %s", code);
	}
	CHECK(done && n > 5);
}

TEST_MAIN(TEST(keeps), TEST(keys), TEST(not_loaded), TEST(keeps_nothing),
	  TEST(errors), TEST(damaged), TEST(not_writable), TEST(disk_read_only),
	  TEST(disk_full), TEST(killed_writer), TEST(processes),
	  TEST(out_of_memory))
