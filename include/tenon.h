/*
 * tenon.h: the public API of the Tenon tensor-program compiler.
 *
 * Handles are opaque. Functions return a TenonError; the text of the last
 * error of a context (file:line:col, source line, caret, hint) is
 * tenon_message(). Nothing prints, exits or keeps global state but the pool
 * of threads. A context and what was made from it belong to one thread at a
 * time; different contexts are independent.
 *
 * Life: TenonContext > TenonProgram (stage 1) > TenonPlan (stages 2-6,
 * compiled) > tenon_plan_run(), or TenonCall > tenon_call_run() for many
 * runs on the same tensors, which may lie in memory of a GPU. A context
 * outlives all that it made, and a plan its calls.
 */
#ifndef TENON_H
#define TENON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_VERSION_MAJOR 0
#define TENON_VERSION_MINOR 1
#define TENON_VERSION_PATCH 0
#define TENON_VERSION       "0.1.0"
#define TENON_MAX_RANK      8

typedef enum TenonError {
	TENON_OK = 0,
	TENON_EPROGRAM = 1, /* the program, its data or its result is wrong */
	TENON_EUSAGE = 2,   /* the call is wrong: unknown name, bad option */
	TENON_EENV = 3,     /* compiler, file system, library, machine */
	TENON_ENOMEM = 4,   /* memory refused; nothing is leaked */
} TenonError;

typedef enum TenonDType {
	TENON_F64,
	TENON_F32,
	TENON_F16,
	TENON_BF16,
	TENON_I64,
	TENON_I32,
	TENON_I16,
	TENON_I8,
	TENON_U64,
	TENON_U32,
	TENON_U16,
	TENON_U8,
	TENON_BOOL, /* one byte, 0 or 1 */
	TENON_DTYPE_COUNT,
} TenonDType;
const char *tenon_dtype_name(TenonDType d);
size_t tenon_dtype_size(TenonDType d); /* bytes */

/* Where a tensor lies; 0 is the host. */
typedef enum TenonPlace {
	TENON_HOST,
	TENON_DEVICE, /* memory of the plan's device (docs/gpu.md) */
} TenonPlace;

/*
 * A tensor in the caller's memory. Strides in bytes, any sign; of one on a
 * device they are contiguous. data: on a CUDA device its address there, a
 * multiple of 16, from tenon_device_alloc() or the caller's own (cuMemAlloc,
 * cudaMalloc); on an OpenCL device what tenon_device_alloc() gave.
 */
typedef struct TenonTensor {
	TenonDType dtype;
	int rank;
	int64_t shape[TENON_MAX_RANK];
	int64_t strides[TENON_MAX_RANK];
	void *data;
	TenonPlace place;
} TenonTensor;

typedef struct TenonContext TenonContext;
typedef struct TenonProgram TenonProgram;
typedef struct TenonPlan TenonPlan;
typedef struct TenonCall TenonCall;

/* Receives text in pieces; returns false to stop (which is not an error). */
typedef bool TenonWriter(void *arg, const char *text, size_t len);

/* ---- context --------------------------------------------------------- */

/* NULL only when memory is refused. */
TenonContext *tenon_context_new(void);
void tenon_context_free(TenonContext *c);
/* Text of the errors since the last call that failed; "" if none. */
const char *tenon_message(const TenonContext *c);
/* Warnings and notices so far, one a line; cleared by the call. */
const char *tenon_notices(TenonContext *c);
/* Threads for compiling, running and checking; 0: one a CPU. */
void tenon_set_threads(TenonContext *c, int threads);
int tenon_threads(const TenonContext *c);
/*
 * Binds the threads of the pool, which all contexts share, to CPUs: a list
 * such as "0-3,8", a thread each, again from its start where there are more
 * threads. The first is left for the calling thread, which is not bound.
 * NULL, as at the start: bound to none.
 */
TenonError tenon_set_affinity(TenonContext *c, const char *cpus);
/* Folder of compiled code; NULL: the XDG one; "": keep none. Compilers'
 * versions are always remembered in the XDG one. */
void tenon_set_cache(TenonContext *c, const char *folder);
/*
 * Bytes that the cache folder may hold in compiled code and references of
 * the oracle; 2^30 if it is not set. Whoever adds files removes the least
 * recently used ones beyond it, whichever process made them: at each call
 * where a limit is set, else once a minute.
 */
void tenon_set_cache_limit(TenonContext *c, uint64_t bytes);
/* Name or path of the C compiler; NULL: the first of cc, gcc, clang. */
void tenon_set_compiler(TenonContext *c, const char *name);
/*
 * Seconds that the kernels of a run may take on a CUDA device before the wait
 * for them is TENON_EENV, naming them; 600 if it is not set, 0: any time. They
 * cannot be stopped: until they end every call on that device is refused, and
 * memory there is not given back.
 */
void tenon_set_time_limit(TenonContext *c, double seconds);

/* ---- programs -------------------------------------------------------- */

typedef struct TenonProgramOptions {
	const char *entry; /* def; NULL: the last one */
	const char *dtype; /* as --dtype; NULL: as written */
	/* "NAME=SIZE": dims that are read as numbers. Kernels are then made for
	 * these sizes, and the plan serves no others. */
	const char *const *fixed;
	size_t nfixed;
} TenonProgramOptions;

TenonError tenon_program_from_file(TenonContext *c, const char *path,
				   const TenonProgramOptions *o,
				   TenonProgram **out);
TenonError tenon_program_from_text(TenonContext *c, const char *name,
				   const char *text,
				   const TenonProgramOptions *o,
				   TenonProgram **out);
void tenon_program_free(TenonProgram *p);
const char *tenon_program_name(const TenonProgram *p);
int tenon_program_inputs(const TenonProgram *p);
int tenon_program_results(const TenonProgram *p);
const char *tenon_program_input_name(const TenonProgram *p, int i);
const char *tenon_program_result_name(const TenonProgram *p, int i);

/*
 * Sizes. Every program starts with its first `dims` set, if it has one.
 * tenon_set_dims chooses another set by name; tenon_set_dim fixes one name.
 * Unset dims of a run are taken from its inputs.
 */
TenonError tenon_set_dims(TenonProgram *p, const char *set);
TenonError tenon_set_dim(TenonProgram *p, const char *name, int64_t value);
int tenon_program_dims(const TenonProgram *p);
const char *tenon_program_dim_name(const TenonProgram *p, int i);
int64_t tenon_program_dim(const TenonProgram *p, int i); /* -1: unset */
/* Dtype, shape (under the sizes set) and contiguous strides; data NULL. */
TenonError tenon_input_desc(TenonProgram *p, int i, TenonTensor *out);
TenonError tenon_result_desc(TenonProgram *p, int i, TenonTensor *out);

/* ---- plans ----------------------------------------------------------- */

typedef struct TenonPlanOptions {
	/* "cpu", "cpu:avx2", "cuda", "cuda:sm_90a", "opencl"; NULL: cpu */
	const char *target;
	const char *const *pins; /* "realisation.param=value" */
	size_t npins;
	const char *const *externals; /* signature files: docs/external.md */
	size_t nexternals;
	const char *skip;       /* passes left out, comma-separated; NULL */
	const char *stop_after; /* pass to stop after; NULL */
	bool emit_only;         /* stages 1-5 only: no compiler, no run */
	/* With emit_only, for CUDA: compiled too where NVRTC is found, which
	 * needs no device. Such a plan can be saved, and be loaded where one
	 * is. */
	bool build;
} TenonPlanOptions;

TenonError tenon_compile(TenonContext *c, TenonProgram *p,
			 const TenonPlanOptions *o, TenonPlan **out);
/*
 * Resumes from the text of a stage ("program", "rewritten", "regions",
 * "kernels") as tenon_plan_dump wrote it.
 */
TenonError tenon_resume(TenonContext *c, const char *stage, const char *path,
			const TenonPlanOptions *o, TenonProgram **program,
			TenonPlan **out);
void tenon_plan_free(TenonPlan *p);
/* Stages: program, rewritten, regions, kernels, sources, plan; and
 * alternatives: the e-graph of programs equal to that of stage 2, and what a
 * search takes. */
TenonError tenon_plan_dump(TenonPlan *p, const char *stage, TenonWriter *w,
			   void *arg);
/* Part A and Part B as text, or as JSON (docs/explain.md). */
TenonError tenon_explain(TenonPlan *p, bool json, TenonWriter *w, void *arg);
TenonError tenon_plan_save(TenonPlan *p, const char *path);
/*
 * Loads exactly the plan of a file, or refuses with the difference: every
 * part is checked against its SHA-256, and nothing is compiled to something
 * else. The program it holds is returned too.
 */
TenonError tenon_plan_load(TenonContext *c, const char *path,
			   TenonProgram **program, TenonPlan **out);

/*
 * The same for a program that is there: refused, naming the first difference,
 * where the plan is for another one. Its sizes are those set now.
 */
TenonError tenon_plan_load_for(TenonProgram *p, const char *path,
			       TenonPlan **out);
/*
 * A plan whose file was edited by hand: its `choices` (realisations with their
 * parameters, pins of regions) are followed anew, verified as those of any
 * plan, and compiled. The new plan has an identity of its own; what is not
 * legal is refused with the reason.
 */
TenonError tenon_plan_adopt(TenonContext *c, const char *path,
			    TenonProgram **program, TenonPlan **out);

typedef struct TenonPlanInfo {
	const char *identity; /* SHA-256, hex; "" when memory is refused */
	int kernels, launches;
	const char *target; /* cpu:avx512 */
	const char *compiler;
	double front_ms, plan_ms, compile_ms; /* compile: wall time */
	bool cached;                          /* no compiler ran */
	int64_t arena_bytes; /* intermediates, under the sizes set */
} TenonPlanInfo;
void tenon_plan_info(TenonPlan *p, TenonPlanInfo *out);
/* Name of the kernel of launch i, with its phase: k0.main. */
const char *tenon_plan_launch_name(const TenonPlan *p, int i);

/* What was compiled for a launch on CUDA, read from its machine code. */
typedef struct TenonCode {
	int registers;      /* a thread */
	int64_t spilled;    /* bytes a thread stores for want of them */
	int64_t shared;     /* a block's memory, bytes; -1: by the sizes */
	int64_t code;       /* bytes */
	const char *matrix; /* instructions of matrix units: "8 HGMMA" */
} TenonCode;
/* False: launch i is not CUDA's, or nothing was compiled. */
bool tenon_plan_code(TenonPlan *p, int i, TenonCode *out);
/* Writes the source of every kernel to the folder, which is made where it is
 * not: k0.cu, k0.c or k0.cl; and k0.cubin, or k0_main.cubin of a phase that was
 * compiled apart, where it was for CUDA. */
TenonError tenon_plan_write(TenonPlan *p, const char *folder);

/* ---- search ------------------------------------------------------------ */

typedef struct TenonTuneOptions {
	/* target, pins (what they fix is not searched), skip; NULL: cpu */
	const TenonPlanOptions *plan;
	/* "rule", "model", "beam:K", "evolve:N", "all"; NULL: beam:4 */
	const char *policy;
	double seconds;     /* budget of trials, wall time; 0: none */
	int64_t candidates; /* tried at most; 0: any number */
	uint64_t seed;      /* of the search and of its inputs */
	/* rules of alternative programs left out, comma-separated; "all":
	 * the program as written; NULL: none */
	const char *without;
	bool cold;          /* data beyond the last cache, else the same */
	double limit;       /* seconds that one call may take; 0: 60 */
	const char *ledger; /* file; NULL: in the cache folder */
	bool again;         /* though the ledger has its outcome */
	bool (*stop)(void); /* asked between trials; NULL: never */
	void (*progress)(void *arg, const char *line); /* NULL: none */
	void *progress_arg;
} TenonTuneOptions;

/* What became of a candidate (docs/search.md). */
typedef enum TenonCandState {
	TENON_CAND_LEFT,
	TENON_CAND_REFUSED,
	TENON_CAND_FAILED,
	TENON_CAND_WRONG,
	TENON_CAND_CRASHED,
	TENON_CAND_TIMED_OUT,
	TENON_CAND_NO_MEMORY,
	TENON_CAND_MEASURED,
	TENON_CAND_TIE,
	TENON_CAND_CHOSEN,
	TENON_CAND_STATES,
} TenonCandState;
const char *tenon_cand_state(TenonCandState s);

typedef struct TenonTuneReport {
	int64_t search;   /* number in the ledger */
	bool found;       /* it had been done: nothing was tried */
	const char *done; /* found: when, as 2026-11-30 12:00 UTC */
	/* complete, exhausted (the budget ended what was to be whole), stopped
	 */
	const char *state;
	const char *policy;
	int variants; /* programs and partitions */
	int64_t considered, counts[TENON_CAND_STATES];
	int64_t tried;
	/* the chosen plan's time over that of the rule's choice, from the
	 * final; 0: it is the rule's choice, or nothing was measured */
	double ratio, lo, hi;
	double predicted_us, rule_predicted_us; /* 0: no model */
	double seconds;
	const char *how; /* rules and joins of its program; "": as written */
} TenonTuneReport;

/*
 * Searches for a plan of the program under the sizes set, all of which are
 * known, and keeps a record of every candidate in the ledger. *out: the chosen
 * plan, compiled. Texts of the report live as long as the context. Candidates
 * run in forked children; for CUDA the process must not have used a device
 * before.
 */
TenonError tenon_tune(TenonContext *c, TenonProgram *p,
		      const TenonTuneOptions *o, TenonTuneReport *report,
		      TenonPlan **out);

typedef struct TenonLedgerQuery {
	const char *ledger; /* file; NULL: in the cache folder */
	int64_t search;     /* 0: the latest */
	bool all;           /* a line each search */
	const char *program, *state, *realisation; /* NULL: any */
	const char *compare[2]; /* identities of plans, or how they begin */
	bool refutation;        /* what was faster, and wrong or illegal */
	bool samples;
	int64_t limit; /* rows; 0: no limit */
	bool json;
} TenonLedgerQuery;
TenonError tenon_ledger(TenonContext *c, const TenonLedgerQuery *q,
			TenonWriter *w, void *arg);

/* ---- runs -------------------------------------------------------------- */

/*
 * Runs a plan. inputs and results in order; results' memory is the
 * caller's, their shapes must be what tenon_result_desc says under the
 * inputs' sizes. Inputs whose strides or alignment the plan does not admit
 * are copied, and tenon_notices() says so. Overlap of a result with another
 * result, or with an input that is not donated to it, is TENON_EUSAGE, and so
 * is a tensor that does not lie where its place says.
 * A run-time fault of the program is TENON_EPROGRAM with its place.
 */
TenonError tenon_plan_run(TenonPlan *p, const TenonTensor *inputs,
			  TenonTensor *results);

/*
 * A prepared call: the plan with tensors, checked and bound once as
 * tenon_plan_run() does each time, so that a run is little more than the
 * kernels. The tensors' memory stays where it is until the call is freed;
 * what it holds may change between runs. Threads and sizes are those at
 * tenon_call_new().
 *
 * tenon_call_new() and tenon_call_free() belong to the context's thread.
 * tenon_call_run() and tenon_call_message() may be called from any thread,
 * one at a time for each call: calls of one plan, given results of their own,
 * run at the same time, and while the context's thread uses the context. The
 * pool of threads helps one of them; the others run on their caller alone.
 */
TenonError tenon_call_new(TenonPlan *p, const TenonTensor *inputs,
			  const TenonTensor *results, TenonCall **out);
TenonError tenon_call_run(TenonCall *call);
/*
 * The two halves of a run: start queues it on the device, wait returns when
 * all that were started are done, and tells the fault of the first, if any.
 * Between them the tensors' memory is the run's. Where all tensors are on the
 * device, any number of runs may be started before a wait, and are done in
 * order; else a start waits for the run before it first (and returns that one's
 * error, starting nothing). A plan for a CPU runs in tenon_call_start().
 */
TenonError tenon_call_start(TenonCall *call);
TenonError tenon_call_wait(TenonCall *call);
/*
 * CUDA: runs go to the caller's stream (a CUstream or cudaStream_t) from now
 * on, after what is in it; NULL: to the call's own again. The stream is of the
 * plan's CUDA context (docs/gpu.md) and lives until the call is freed or given
 * another. A run that is started there may be followed by more of the caller's
 * work without a tenon_call_wait(), which tells faults. TENON_EUSAGE, with
 * tenon_call_message(), on other targets and for a stream of another context.
 */
TenonError tenon_call_stream(TenonCall *call, void *stream);
/*
 * CUDA: device time of a run in microseconds, by the device's clock: `times`
 * runs of n calls of one plan in turn, submitted together, divided by `times`.
 * Nothing is copied to or from the host in it. The runs are real: results are
 * written. TENON_EUSAGE on other targets; the message is that of calls[0].
 */
TenonError tenon_calls_device_time(TenonCall *const *calls, int n, int times,
				   double *us);
/* Text of the fault of the last run that failed; "" if none has. */
const char *tenon_call_message(const TenonCall *call);
void tenon_call_free(TenonCall *call);

/* ---- memory of a device ----------------------------------------------- */

/* Where tenon_device_alloc() gives memory for the plan: on the host where it
 * is for a CPU. */
TenonPlace tenon_plan_place(const TenonPlan *p);
/*
 * Memory of the plan's device for a tensor of so many bytes, for all calls of
 * plans of the same context and target: *out is a TenonTensor's data, its
 * place tenon_plan_place(). Not zeroed. TENON_ENOMEM where the device refuses.
 * Freed with its size while no run uses it, before the plan; NULL is fine.
 */
TenonError tenon_device_alloc(TenonPlan *p, size_t bytes, void **out);
void tenon_device_free(TenonPlan *p, void *data, size_t bytes);
/*
 * Copies a tensor to one of the same dtype and shape, each on the host or on
 * the plan's device, both contiguous; it is done on return. It does not wait
 * for runs that were started, or for a caller's streams.
 */
TenonError tenon_device_copy(TenonPlan *p, const TenonTensor *to,
			     const TenonTensor *from);

/* ---- inputs, files, checks ------------------------------------------- */

/*
 * Fills inputs (data from tenon_alloc) from a fixture family and seed.
 * Families: exact, search, random, narrow, zeros, structured,
 * cancellation, specials, sentinel-boundary, sentinel-join.
 * *applies is false where the family has no meaning for the program.
 */
TenonError tenon_fixture(TenonProgram *p, const char *family, uint64_t seed,
			 TenonTensor *inputs, bool *applies);
void *tenon_alloc(size_t bytes); /* 64-byte aligned; NULL when refused */
void tenon_release(void *data, size_t bytes);
size_t tenon_tensor_bytes(const TenonTensor *t);

/* Memory from tenon_alloc. want: a dtype, or TENON_DTYPE_COUNT for any. */
TenonError tenon_npy_read(TenonContext *c, const char *path, TenonDType want,
			  TenonTensor *out);
/*
 * The same for input i, which must have the file's dtype and rank. Dims that
 * are extents of its declaration take the file's sizes, whatever they were.
 */
TenonError tenon_input_read(TenonProgram *p, int i, const char *path,
			    TenonTensor *out);
TenonError tenon_npy_write(TenonContext *c, const char *path,
			   const TenonTensor *t);

typedef enum TenonOutcome {
	TENON_PASS,
	TENON_FAIL,
	TENON_INCONCLUSIVE,
	TENON_NONE, /* does not apply */
} TenonOutcome;

typedef struct TenonVerdict {
	const char *family, *result, *fixture_sha256;
	uint64_t seed;
	bool applies;        /* family has a meaning for this program */
	const char *why_not; /* when it has not */
	bool fault;          /* the oracle and the plan both fault, rightly */
	TenonOutcome exact, interval, fixed;
	int64_t elements, points, mismatches;
	int64_t violations, undecided;
	double median_width; /* ulp */
	int64_t misses;
	double rtol, atol;
	int64_t worst;
	double got, ref, lo, hi;
	TenonOutcome outcome; /* exact and interval together */
} TenonVerdict;
typedef void TenonVerdictFn(void *arg, const TenonVerdict *v);

/* Judges results of given inputs. fn is called once a result. */
TenonError tenon_judge(TenonPlan *p, const TenonTensor *inputs,
		       const TenonTensor *results, TenonVerdictFn *fn,
		       void *arg, TenonOutcome *out);
/*
 * Runs the plan on every family (or those named, comma-separated) and
 * judges. *out is PASS when exact passes, no interval is violated and every
 * result is conclusive on at least one family.
 */
TenonError tenon_check(TenonPlan *p, const char *families, uint64_t seed,
		       TenonVerdictFn *fn, void *arg, TenonOutcome *out);

/* ---- machine --------------------------------------------------------- */

typedef struct TenonDevice {
	const char *target; /* cpu:avx512, cuda:sm_90, opencl:0 */
	const char *kind;   /* cpu, cuda, opencl, compiler, library */
	const char *text;   /* model, version, or why it is missing */
	bool available, chosen;
} TenonDevice;
/* Devices, compilers and libraries, found and missing; memory of c. */
TenonError tenon_devices(TenonContext *c, const TenonDevice **out, size_t *n);

#ifdef __cplusplus
}
#endif
#endif
