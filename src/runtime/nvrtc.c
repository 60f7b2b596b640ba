/*
 * nvrtc: finding NVRTC, and compiling with it.
 *
 * The library is opened with dlopen and never closed, so the loader itself
 * sees to it that it is loaded once and its entry points stay valid for
 * every thread. Declarations are our own: the entry points and the values
 * of their results are the same from NVRTC 11.2 to 13.
 *
 * Workers of the pool compile; each item has an arena of its own, in which
 * the worker keeps what it makes, and which destroys the NVRTC program when
 * memory runs out. Errors are told by the caller afterwards, since a Ctx
 * belongs to one thread.
 *
 * The options: no contraction, IEEE division and square root, subnormals
 * kept, for the contract. ptxas -v is asked for because spills are told
 * there and nowhere in a cubin. NVRTC's own cache on disk (12.9 and later) is
 * left out: ours is by content.
 */
#include "runtime/nvrtc.h"
#include "runtime/runtime.h"
#include "runtime/store.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG_LIMIT 4000 /* bytes of the compiler's log in an error */

/* nvrtcResult */
enum {
	NVRTC_SUCCESS = 0,
	NVRTC_OUT_OF_MEMORY = 1,
	NVRTC_INVALID_OPTION = 5,
	NVRTC_COMPILATION = 6,
};

static const char install_hint[] =
	"install the CUDA toolkit, or NVRTC alone (the Python package "
	"nvidia-cuda-nvrtc), and set CUDA_HOME to the folder that has its "
	"lib or lib64; in Tenon's source tree, tools/setup test brings one";

/* ---- finding the library --------------------------------------------- */

static const char *const library_names[] = {
	"libnvrtc.so.13", "libnvrtc.so.12",
	"libnvrtc.so.11.2", /* all of 11.2 to 11.8 */
};

typedef VEC(const char *) Files;

static void files_add(Arena *a, Files *v, const char *file)
{
	for (size_t i = 0; i < v->n; i++) {
		if (strcmp(v->p[i], file) == 0)
			return;
	}
	VEC_PUSH(a, *v, file);
}

static void folder_add(Arena *a, Files *v, const char *root, const char *lib)
{
	if (!root || root[0] != '/')
		return;
	for (size_t i = 0; i < ARRAY_LEN(library_names); i++)
		files_add(a, v,
			  arena_printf(a, "%s/%s/%s", root, lib,
				       library_names[i]));
}

/* Where tools/setup unpacks one; NULL if others could put code there. */
static const char *private_folder(Arena *a)
{
	const char *cache, *folder;

	if (!cache_dir(NULL, a, &cache))
		return NULL;
	folder = arena_printf(a, "%s/nvrtc", cache);
	return folder_is_ours(folder) ? folder : NULL;
}

const char *const *nvrtc_candidates(Arena *a)
{
	static const char *const variables[] = {"CUDA_HOME", "CUDA_PATH"};
	Files v = {0};

	for (size_t i = 0; i < ARRAY_LEN(library_names); i++)
		files_add(a, &v, library_names[i]);
	for (size_t i = 0; i < ARRAY_LEN(variables); i++) {
		folder_add(a, &v, getenv(variables[i]), "lib64");
		folder_add(a, &v, getenv(variables[i]), "lib");
	}
	folder_add(a, &v, "/usr/local/cuda", "lib64");
	folder_add(a, &v, private_folder(a), "lib");
	VEC_PUSH(a, v, NULL);
	return v.p;
}

/* Whether dlerror says only that there is no such file. */
static bool is_absence(const char *why, const char *file)
{
	size_t n = strlen(file);
	return strncmp(why, file, n) == 0 &&
	       strstr(why + n, "No such file or directory") != NULL;
}

/*
 * The first that loads. One that is there and does not load (of another
 * machine, or without what it needs) is told as well as those that are not.
 */
static void *library_load(Ctx *ctx, Arena *a, const char *const *files)
{
	Buf tried, broken;

	buf_init(&tried, a);
	buf_init(&broken, a);
	for (size_t i = 0; files[i]; i++) {
		void *library = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
		if (library)
			return library;
		const char *why = dlerror();
		buf_printf(&tried, "%s%s", i > 0 ? ", " : "", files[i]);
		if (why && !is_absence(why, files[i]))
			buf_printf(&broken, "\n%s", why);
	}
	diag_fail(ctx, ERR_ENV, install_hint,
		  "NVRTC, the CUDA compiler, is not found: looked for %s%s",
		  buf_str(&tried), buf_str(&broken));
	return NULL;
}

static bool library_lacks(Ctx *ctx, const Nvrtc *n, const char *symbol)
{
	return diag_fail(ctx, ERR_ENV, install_hint,
			 "%s is no NVRTC of 11.2 or later: it has no %s",
			 n->path, symbol);
}

static bool library_bind(Ctx *ctx, void *library, Nvrtc *out)
{
	struct link_map *map = NULL;
	const char *path = "libnvrtc";

	if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map)
		path = map->l_name;
	snprintf(out->path, sizeof(out->path), "%s", path);
#define BIND(result, name, parameters)                                         \
	out->name = __extension__(result(*) parameters) dlsym(library, #name); \
	if (!out->name)                                                        \
		return library_lacks(ctx, out, #name);
	NVRTC_ENTRIES(BIND)
#undef BIND
	return true;
}

/*
 * NVRTC opens a second library by its bare name when it compiles, and that of
 * 13.0 does not look into its own folder. What is loaded is found by name.
 */
static void builtins_load(Arena *a, const Nvrtc *n)
{
	const char *end = strrchr(n->path, '/');

	if (end)
		(void)dlopen(arena_printf(a, "%.*s/libnvrtc-builtins.so.%d.%d",
					  (int)(end - n->path), n->path,
					  n->major, n->minor),
			     RTLD_LAZY | RTLD_LOCAL);
}

static bool library_ask(Ctx *ctx, Arena *a, Nvrtc *n)
{
	int count = 0;
	int result = n->nvrtcVersion(&n->major, &n->minor);

	if (result == NVRTC_SUCCESS)
		result = n->nvrtcGetNumSupportedArchs(&count);
	int *archs = arena_array(a, int, count > 0 ? count : 1);
	if (result == NVRTC_SUCCESS)
		result = n->nvrtcGetSupportedArchs(archs);
	if (result != NVRTC_SUCCESS)
		return diag_fail(ctx, ERR_ENV, install_hint,
				 "%s does not tell its version and "
				 "architectures: %s",
				 n->path, n->nvrtcGetErrorString(result));
	n->arch_count = count < NVRTC_ARCHS ? count : NVRTC_ARCHS;
	memcpy(n->archs, archs, (size_t)n->arch_count * sizeof(int));
	builtins_load(a, n);
	return true;
}

static bool open_in(Ctx *ctx, Arena *a, const char *const *files, Nvrtc *out)
{
	void *library =
		library_load(ctx, a, files ? files : nvrtc_candidates(a));
	return library && library_bind(ctx, library, out) &&
	       library_ask(ctx, a, out);
}

/* ---- without loading it ---------------------------------------------- */

/* What decides which file is loaded, but for the files themselves. */
static const char *ways(Arena *a)
{
	const char *const *files = nvrtc_candidates(a);
	const char *path = getenv("LD_LIBRARY_PATH");
	const char *cache = file_stamp(a, "/etc/ld.so.cache");
	Buf b;

	buf_init(&b, a);
	buf_printf(&b, "%s;%s", path ? path : "", cache ? cache : "");
	for (size_t i = 0; files[i]; i++)
		buf_printf(&b, ";%s", files[i]);
	return buf_str(&b);
}

/* "13 0 75 80 90": version, architectures */
static bool facts_parse(const char *text, Nvrtc *n)
{
	char *end;

	n->major = (int)strtol(text, &end, 10);
	n->minor = (int)strtol(end, &end, 10);
	for (n->arch_count = 0; *end && n->arch_count < NVRTC_ARCHS;) {
		const char *at = end;
		n->archs[n->arch_count++] = (int)strtol(at, &end, 10);
		if (end == at)
			return false;
	}
	return n->major > 0 && n->arch_count > 0;
}

static const char *facts_print(Arena *a, const Nvrtc *n)
{
	Buf b;

	buf_init(&b, a);
	buf_printf(&b, "%d %d", n->major, n->minor);
	for (int i = 0; i < n->arch_count; i++)
		buf_printf(&b, " %d", n->archs[i]);
	return buf_str(&b);
}

static bool find_noted(Arena *a, Nvrtc *out)
{
	const char *path = note_find(a, "nvrtc", ways(a));
	const char *stamp = path ? file_stamp(a, path) : NULL;
	const char *facts = stamp ? note_find(a, path, stamp) : NULL;

	if (!facts || !facts_parse(facts, out))
		return false;
	snprintf(out->path, sizeof(out->path), "%s", path);
	return true;
}

static bool find_in(Ctx *ctx, Arena *a, Nvrtc *out)
{
	const char *stamp;

	if (find_noted(a, out))
		return true;
	memset(out, 0, sizeof(*out));
	if (!open_in(ctx, a, NULL, out))
		return false;
	stamp = file_stamp(a, out->path);
	if (stamp && out->path[0] == '/') {
		note_keep(a, "nvrtc", ways(a), out->path);
		note_keep(a, out->path, stamp, facts_print(a, out));
	}
	return true;
}

/* ---- the two ways to it ---------------------------------------------- */

typedef struct Way {
	const char *const *files; /* NULL: the candidates */
	bool find;
} Way;

static bool go(Ctx *ctx, Way way, Nvrtc *out)
{
	Arena scratch;
	OomTrap trap;

	memset(out, 0, sizeof(*out));
	arena_init(&scratch);
	if (OOM_TRAP(&trap)) {
		arena_release(&scratch);
		oom_raise();
	}
	bool ok = way.find ? find_in(ctx, &scratch, out)
			   : open_in(ctx, &scratch, way.files, out);
	oom_trap_pop(&trap);
	arena_release(&scratch);
	return ok;
}

bool nvrtc_open(Ctx *ctx, const char *const *files, Nvrtc *out)
{
	return go(ctx, (Way){.files = files}, out);
}

bool nvrtc_find(Ctx *ctx, Nvrtc *out)
{
	return go(ctx, (Way){.find = true}, out);
}

bool nvrtc_load(Ctx *ctx, Nvrtc *n)
{
	return n->nvrtcVersion || nvrtc_open(ctx, NULL, n);
}

/* ---- options --------------------------------------------------------- */

static const char *const common_options[] = {
	"--std=c++17",        "--fmad=false",
	"--prec-div=true",    "--prec-sqrt=true",
	"--ftz=false",        "--device-as-default-execution-space",
	"--ptxas-options=-v",
};

static const char *const *options_list(Arena *a, const Nvrtc *n,
				       const NvrtcSource *src, int *count)
{
	Files v = {0};

	VEC_PUSH(a, v, arena_printf(a, "--gpu-architecture=%s", src->arch));
	for (size_t i = 0; i < ARRAY_LEN(common_options); i++)
		VEC_PUSH(a, v, common_options[i]);
	if (n->major > 12 || (n->major == 12 && n->minor >= 9))
		VEC_PUSH(a, v, "--no-cache");
	for (size_t i = 0; src->options && src->options[i]; i++)
		VEC_PUSH(a, v, src->options[i]);
	*count = (int)v.n;
	return v.p;
}

const char *nvrtc_options(Arena *a, const Nvrtc *nvrtc, const NvrtcSource *src)
{
	int n;
	const char *const *list = options_list(a, nvrtc, src, &n);
	Buf b;

	buf_init(&b, a);
	for (int i = 0; i < n; i++)
		buf_printf(&b, "%s%s", i > 0 ? " " : "", list[i]);
	return buf_str(&b);
}

/* ---- architectures --------------------------------------------------- */

/* sm_NN, with a from sm_90 on and f from sm_100 on. */
static bool arch_is_known(const Nvrtc *n, const char *arch)
{
	char *end;
	long number;

	if (strncmp(arch, "sm_", 3) != 0 || arch[3] < '1' || arch[3] > '9')
		return false;
	number = strtol(arch + 3, &end, 10);
	if (*end && !(strcmp(end, "a") == 0 && number >= 90) &&
	    !(strcmp(end, "f") == 0 && number >= 100))
		return false;
	for (int i = 0; i < n->arch_count; i++) {
		if (n->archs[i] == number)
			return true;
	}
	return false;
}

static bool arch_unknown(Ctx *ctx, Arena *a, const Nvrtc *n, const char *arch)
{
	Buf known;

	buf_init(&known, a);
	for (int i = 0; i < n->arch_count; i++)
		buf_printf(&known, "%ssm_%d", i > 0 ? " " : "", n->archs[i]);
	return diag_fail(ctx, ERR_USAGE,
			 arena_printf(a, "it knows %s", buf_str(&known)),
			 "NVRTC %d.%d (%s) does not know the architecture %s",
			 n->major, n->minor, n->path, arch);
}

/* ---- compiling ------------------------------------------------------- */

typedef struct Item {
	NvrtcSource *src;
	Arena arena;     /* the worker's; all below is in it */
	const Nvrtc *n;  /* for who destroys the program */
	NvrtcProgram p;  /* NULL when there is none */
	int result;      /* nvrtcResult */
	const char *log; /* "" if there is none */
	char *cubin;
	size_t size;
	double ms;
} Item;

typedef struct Work {
	const Nvrtc *nvrtc;
	Item *items;
	size_t n;
	atomic_size_t next;
} Work;

static void program_destroy(void *arg)
{
	Item *it = arg;
	if (it->p)
		it->n->nvrtcDestroyProgram(&it->p);
	it->p = NULL;
}

static void log_take(const Nvrtc *n, Item *it)
{
	size_t size = 0;
	char *log;

	it->log = "";
	if (n->nvrtcGetProgramLogSize(it->p, &size) != NVRTC_SUCCESS ||
	    size == 0)
		return;
	log = arena_array(&it->arena, char, size + 1);
	if (n->nvrtcGetProgramLog(it->p, log) == NVRTC_SUCCESS)
		it->log = log;
}

static int cubin_take(const Nvrtc *n, Item *it)
{
	int result = n->nvrtcGetCUBINSize(it->p, &it->size);
	if (result != NVRTC_SUCCESS)
		return result;
	it->cubin = arena_alloc(&it->arena, it->size > 0 ? it->size : 1, 16);
	return n->nvrtcGetCUBIN(it->p, it->cubin);
}

/* Sources of users' have it, and NVRTC has no headers of C. */
static const char *const header_names[] = {"stdint.h", "cstdint"};
static const char header_text[] = "#pragma once\n"
				  "typedef signed char int8_t;\n"
				  "typedef short int16_t;\n"
				  "typedef int int32_t;\n"
				  "typedef long long int64_t;\n"
				  "typedef unsigned char uint8_t;\n"
				  "typedef unsigned short uint16_t;\n"
				  "typedef unsigned int uint32_t;\n"
				  "typedef unsigned long long uint64_t;\n";
static const char *const header_texts[] = {header_text, header_text};

static void item_compile(const Nvrtc *n, Item *it)
{
	double start = clock_seconds();
	int count;
	const char *const *options;
	const char *file = arena_printf(&it->arena, "%s.cu", it->src->name);

	options = options_list(&it->arena, n, it->src, &count);
	arena_defer(&it->arena, program_destroy, it);
	it->log = "";
	it->result = n->nvrtcCreateProgram(&it->p, it->src->text, file,
					   ARRAY_LEN(header_names),
					   header_texts, header_names);
	if (it->result == NVRTC_SUCCESS) {
		it->result = n->nvrtcCompileProgram(it->p, count, options);
		log_take(n, it);
	}
	if (it->result == NVRTC_SUCCESS)
		it->result = cubin_take(n, it);
	it->ms = 1e3 * (clock_seconds() - start);
}

static void work_compile(void *arg, int worker)
{
	Work *w = arg;
	size_t i;

	(void)worker;
	while ((i = atomic_fetch_add(&w->next, 1)) < w->n)
		item_compile(w->nvrtc, &w->items[i]);
}

static bool item_failed(Ctx *ctx, Arena *a, const Nvrtc *n, const Item *it)
{
	const char *log = it->log;

	if (it->result == NVRTC_INVALID_OPTION &&
	    strstr(log, "gpu-architecture"))
		return arch_unknown(ctx, a, n, it->src->arch);
	if (it->result == NVRTC_OUT_OF_MEMORY)
		return diag_fail(ctx, ERR_NOMEM, NULL,
				 "out of memory: NVRTC had none left for "
				 "kernel %s",
				 it->src->name);
	if (strlen(log) > LOG_LIMIT)
		log = arena_printf(a, "%.*s...", LOG_LIMIT, log);
	return diag_fail(ctx, ERR_ENV, NULL,
			 "NVRTC %d.%d (%s) failed on kernel %s for %s: %s%s%s",
			 n->major, n->minor, n->path, it->src->name,
			 it->src->arch, n->nvrtcGetErrorString(it->result),
			 *log ? "\n" : "", log);
}

static void item_finish(Arena *a, const Item *it)
{
	NvrtcSource *src = it->src;
	char *cubin = arena_alloc(a, it->size > 0 ? it->size : 1, 16);

	memcpy(cubin, it->cubin, it->size);
	src->log = arena_strdup(a, it->log);
	src->size = it->size;
	src->ms = it->ms;
	src->cubin = cubin;
}

static void items_release(Work *w)
{
	for (size_t i = 0; i < w->n; i++)
		arena_release(&w->items[i].arena);
}

bool nvrtc_compile(Ctx *ctx, Arena *a, const Nvrtc *nvrtc, NvrtcSource *src,
		   size_t n)
{
	OomTrap trap;
	Work w = {.nvrtc = nvrtc, .n = n};
	bool ok = true;

	bug_if(!nvrtc->nvrtcVersion);
	for (size_t i = 0; i < n; i++) {
		src[i].cubin = NULL;
		src[i].size = 0;
		src[i].log = "";
		src[i].ms = 0;
	}
	for (size_t i = 0; i < n; i++) {
		if (!arch_is_known(nvrtc, src[i].arch))
			return arch_unknown(ctx, a, nvrtc, src[i].arch);
	}
	w.items = arena_array(a, Item, n > 0 ? n : 1);
	for (size_t i = 0; i < n; i++) {
		arena_init(&w.items[i].arena);
		w.items[i].src = &src[i];
		w.items[i].n = nvrtc;
	}
	if (OOM_TRAP(&trap)) {
		items_release(&w);
		oom_raise();
	}
	pool_run(ctx->threads < (int)n ? ctx->threads : (int)n, work_compile,
		 &w);
	for (size_t i = 0; ok && i < n; i++) {
		if (w.items[i].result != NVRTC_SUCCESS)
			ok = item_failed(ctx, a, nvrtc, &w.items[i]);
		else
			item_finish(a, &w.items[i]);
	}
	oom_trap_pop(&trap);
	items_release(&w);
	return ok;
}
