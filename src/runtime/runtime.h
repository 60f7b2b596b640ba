/*
 * runtime: compilers, code on disk, launches. Sees base and the kernel ABI.
 */
#ifndef TENON_RUNTIME_H
#define TENON_RUNTIME_H

#include "base/base.h"
#include "runtime/abi.h"

/* ---- the machine (machine.c) ----------------------------------------- */

typedef struct Machine {
	int cpus;
	/* bytes of data caches: L1 and L2 that a CPU has to itself, L3 that
	 * all of them may count on */
	int64_t cache[3];
} Machine;

/* ---- instruction sets (isa.c) ---------------------------------------- */

/* One row a set; the widest the host runs is the default. */
typedef struct Isa {
	const char *name; /* amx, avx512, avx2, base; neon ... */
	int vector_bytes; /* 64, 32, 16 */
	int vector_registers;
	const char *const *flags; /* compiler flags, NULL-terminated */
	const char *const *units; /* matrix units (ir/unit.h), NULL-terminated,
			the one to choose first */
	Machine usual; /* one that has it, for plans made elsewhere */
} Isa;
extern const Isa isa_table[];
extern const size_t isa_count;
const Isa *isa_find(const char *name); /* NULL if unknown */
const Isa *isa_host(void);
bool isa_runs_here(const Isa *isa);
/* The machine at hand; what it does not tell is as isa->usual. */
void machine_probe(const Isa *isa, Machine *out);

/* ---- processes (process.c) ------------------------------------------- */

/*
 * Runs argv[0] (a path) to its end: stdin is empty, stdout and stderr go to
 * the descriptor `out`. Any thread; needs no arena. False with errno set if
 * it could not be started, else *status is wait's, or -1 when the program
 * that we are in has had its children reaped elsewhere.
 */
bool process_run(const char *const argv[], char *const envp[], int out,
		 int *status);
/* Our environment with name=value pairs (NULL-terminated) put in. */
char **process_environment(Arena *a, const char *const pairs[]);

/* ---- notes (note.c) -------------------------------------------------- */

/*
 * What an earlier process noted about this thing, if the stamp is the same:
 * one line, or NULL. Nothing is reported where no note can be kept.
 */
const char *note_find(Arena *a, const char *about, const char *stamp);
void note_keep(Arena *a, const char *about, const char *stamp,
	       const char *fact);
/* Path, size and times of change; NULL if there is no such file. */
const char *file_stamp(Arena *a, const char *path);

/* ---- the C compiler (cc.c) ------------------------------------------- */

typedef struct Compiler {
	const char *path;    /* absolute */
	const char *version; /* first line of --version */
	bool clang;
} Compiler;
/*
 * name NULL: the first of cc, gcc, clang on PATH. Reports what was looked
 * for where if none is found. The version is remembered in the cache folder
 * by path, size and change time, so that a warm start runs no process. A
 * wrapper script that starts to call another compiler is not noticed.
 */
bool compiler_find(Ctx *ctx, Arena *a, const char *name, Compiler *out);

/* ---- code (code.c) --------------------------------------------------- */

typedef struct CodeSource {
	const char *name; /* for messages: k0 */
	const char *text;
	char key[SHA256_HEX]; /* out: over text, flags, compiler, abi */
	bool cached;          /* out: no compiler ran */
	double compile_ms;    /* out */
	void *handle;         /* out: dlopen handle */
} CodeSource;
/*
 * Compiles what the cache folder lacks (in parallel, at most ctx->threads
 * processes), checks each file against its recorded hash before loading it,
 * and loads it. A damaged or half-written file is compiled anew. Files
 * appear by rename only. cache NULL: a private folder, removed afterwards.
 * A cache folder that cannot be written is an error that says so. Compiler
 * messages are part of the error.
 */
bool code_load(Ctx *ctx, Arena *a, const Compiler *cc, const Isa *isa,
	       const char *cache, CodeSource *src, size_t n);
void *code_symbol(const CodeSource *src, const char *name);
void code_unload(CodeSource *src, size_t n);
/* All flags of a compilation, the ISA's last, separated by spaces. */
const char *code_flags(Arena *a, const Compiler *cc, const Isa *isa);

/* ---- launches (launch.c) --------------------------------------------- */

typedef struct Product Product; /* runtime/product.h */

typedef struct Launch {
	TnKernel *fn;
	int64_t tasks;          /* 0: the launch is skipped */
	size_t scratch;         /* bytes a worker */
	int most;               /* workers that it is worth; 0: any number */
	void *const *buffers;   /* read at each run; the caller's */
	const Product *product; /* of product_kernel; else NULL */
} Launch;

/* A launch with all that its runs need. */
typedef struct LaunchStep {
	TnKernel *fn;
	int workers;
	const Product *product;
	TnArgs args;
} LaunchStep;

/* Launches made ready; zeroed to begin with. One thread runs it at a time. */
typedef struct LaunchSet {
	LaunchStep *steps; /* of launches that have tasks */
	size_t n;
	int workers; /* the most of any step */
	char *block; /* counters, statuses, scratch; kept if it is enough */
	size_t size;
	TnStatus *first; /* the first worker's */
} LaunchSet;

/*
 * Makes launches ready, each for at most `workers` threads of the pool, no
 * more than it has tasks and no more than it is worth. dims must live as long
 * as the set. False when memory for scratch was refused; the set then runs
 * nothing.
 */
bool launch_prepare(LaunchSet *s, Arena *a, const Launch *launches, size_t n,
		    const int64_t *dims, int workers);
/*
 * Runs the launches in order. False with *status filled when a kernel
 * faulted; later launches do not run.
 */
bool launch_run(const LaunchSet *s, TnStatus *status);
void launch_release(LaunchSet *s);

#endif
