/*
 * driver: the one place that runs passes, times, verifies and dumps, and
 * the implementation of tenon.h.
 *
 *   context.c   contexts, errors, tensors of the API
 *   program.c   programs and their sizes
 *   pipeline.c  the pass table: stage 1 to stage 5
 *   target.c    --target, and the language of its sources
 *   memory.c    stage 6: buffers, slots, launches
 *   plan.c      compile, resume, dump
 *   load.c      code compiled and loaded
 *   saved.c     plans in files
 *   variants.c  the space of a search
 *   tune.c      a search, and its trials
 *   input.c     an input read from a file, and the sizes it gives
 *   bind.c      named dims from inputs, guards, strides, overlap
 *   instance.c  a plan under one binding: weights, sizes, symbols
 *   gpu.c       all that of plans for a device
 *   product.c   products that a library computes
 *   call.c      a plan with its tensors, run many times
 *   run.c       running a plan once, faults
 *   check.c     fixtures, verdicts
 *   explain.c   Part A and Part B
 *   devices.c   what this machine offers
 */
#ifndef TENON_DRIVER_DRIVER_H
#define TENON_DRIVER_DRIVER_H

#include "tenon.h"

#include "emit/emit.h"
#include "front/front.h"
#include "ir/plan.h"
#include "oracle/oracle.h"
#include "realise/realise.h"
#include "region/region.h"
#include "rewrite/rewrite.h"
#include "runtime/device.h"
#include "runtime/runtime.h"

/* A device that only children open (probe.c); target NULL: none is. */
typedef struct Probed {
	const char *target, *compiler, *flags, *text;
} Probed;

struct TenonContext {
	Ctx ctx;
	Buf notices;          /* handed out and cleared by tenon_notices() */
	int threads;          /* 0: one a CPU */
	const char *cache;    /* as set; NULL: the XDG folder */
	uint64_t cache_limit; /* bytes */
	const char *compiler; /* as set; NULL: the first found */
	bool out_of_memory;   /* the message, without memory to hold it */
	Device *devices[DEVICE_KINDS]; /* NULL until a plan needs it */
	double time_limit;             /* seconds that kernels may take */
	Probed probed;
	/* what a call is making: freed if it runs out of memory */
	TenonProgram *new_program;
	TenonPlan *new_plan;
};

struct TenonProgram {
	TenonContext *c;
	Arena arena;
	Program *p;
	int64_t *dims; /* -1: unset */
	double front_ms;
};

/* Of plans for a device (gpu.c); NULL in others. */
typedef struct GpuPlan GpuPlan;
typedef struct GpuInstance GpuInstance;
typedef struct GpuCall GpuCall;

struct TenonPlan {
	TenonContext *c;
	TenonProgram *program;
	TenonProgram *owned; /* freed with the plan; NULL: none */
	Arena arena;
	Plan *plan;
	RewriteLog log;
	const Regions *regions; /* NULL when resumed from kernels */
	const Program *rewritten;
	const Kernels *kernels; /* also when stopped before the plan */
	CodeSource *code;       /* NULL when emitted only */
	size_t ncode;
	const Isa *isa; /* of CPUs */
	Compiler cc;
	GpuPlan *gpu;             /* loaded */
	const DeviceCode **built; /* by launch, of CUDA; NULL: not compiled */
	double plan_ms, compile_ms;
	bool cached;
	/* run time */
	TnKernel **symbols; /* by launch */
	struct Instance *instances;
	TenonCall *call; /* of tenon_plan_run; NULL before the first */
};

/* A plan under one binding of its dims (instance.c). */
typedef struct Instance Instance;
struct Instance {
	TenonPlan *plan;
	Instance *next; /* in the plan's list */
	int users;
	Arena arena;
	int64_t *dims;
	Tensor *weights; /* by value id of stage 1 */
	void **fixed;    /* data by plan buffer; NULL: not fixed */
	char *kept;      /* what phases that run once fill */
	size_t kept_size;
	size_t *kept_at; /* offset by plan buffer */
	LaunchSet once;  /* while they run */
	bool filled;
	size_t *slots;      /* offset of each slot of temporaries */
	size_t memory_size; /* bytes of temporaries */
	Launch *launches;   /* their buffers are each call's */
	GpuInstance *gpu;   /* once it is filled */
};

/* A caller's tensor as the kernels see it. */
typedef struct Bound {
	TenonTensor tensor;
	char *data;
	char *copy; /* owned; NULL when the caller's memory is used */
	size_t bytes;
} Bound;

/* Whose memory a call's temporaries lie in. */
typedef struct CallMemory {
	void *arg;
	/* Of a slot, aligned to 64 bytes, as long as the call is; NULL: out of
	 * memory, reported. */
	void *(*slot)(void *arg, size_t slot, size_t bytes);
} CallMemory;

struct TenonCall {
	TenonPlan *plan;
	Arena arena;        /* cleared when it is prepared anew */
	Instance *instance; /* NULL before it is prepared */
	int threads;        /* that it was prepared for; 0: not ready */
	LaunchSet set;
	Bound *bound;   /* inputs, then results */
	bool copies;    /* some of them are copied */
	bool moves;     /* a run copies any tensor */
	void **data;    /* by plan buffer */
	void ***tables; /* by launch: data of its buffers */
	char *memory;   /* temporaries */
	size_t memory_size;
	const CallMemory *given; /* NULL: they lie in memory of its own */
	char **slots;            /* of temporaries */
	GpuCall *gpu;
	Ctx ctx; /* messages of its faults */
	bool out_of_memory;
};

/*
 * Entry of an API function: errors start empty, and running out of memory
 * returns from the function. API_LEAVE maps the outcome.
 */
#define API_ENTER(c)                                                           \
	OomTrap api_trap;                                                      \
	ctx_clear_errors(&(c)->ctx);                                           \
	(c)->out_of_memory = false;                                            \
	if (OOM_TRAP(&api_trap))                                               \
	return api_no_memory(c)
#define OUT_OF_MEMORY_TEXT "tenon: error: out of memory\n"
#define API_LEAVE(c, ok)   api_result((c), &api_trap, (ok))
TenonError api_no_memory(TenonContext *c);
TenonError api_result(TenonContext *c, OomTrap *trap, bool ok);
bool api_usage(TenonContext *c, const char *fmt, ...) TN_PRINTF(2, 3);
void api_notice(TenonContext *c, const char *fmt, ...) TN_PRINTF(2, 3);

/* The error of the last call, one line in the arena; it is an answer, and
 * forgotten. */
const char *context_take_error(TenonContext *c, Arena *a);
int context_threads(const TenonContext *c);
/* Folder for compiled code, made if need be; *out NULL: keep nothing. */
bool context_cache(TenonContext *c, const char **out);
/* Brings the cache folder under its limit; after files were added. */
void context_trim(TenonContext *c);

Tensor tensor_from_api(const TenonTensor *t);
TenonTensor tensor_to_api(const Tensor *t);
/* False, reported, where one of n is on a device. */
bool on_host(TenonContext *c, const TenonTensor *t, size_t n);
/* Dtype and shape of a value under dims; data NULL. False: some unset. */
bool value_desc(const Program *p, ValueId v, const int64_t *dims, Tensor *out);

/* False, reported, where a dim has no size (check.c). */
bool dims_set(TenonProgram *p);
/* A program read from the text of a stage (program.c). */
TenonProgram *program_adopt(TenonContext *c, Program *source);

/* ---- pipeline.c ------------------------------------------------------ */

typedef enum Stage {
	STAGE_PROGRAM,
	STAGE_REWRITTEN,
	STAGE_REGIONS,
	STAGE_KERNELS,
	STAGE_SOURCES,
	STAGE_PLAN,
	STAGE_COUNT,
} Stage;
extern const char *const stage_name[STAGE_COUNT];
bool stage_parse(const char *name, Stage *out);

typedef struct Pipeline {
	TenonContext *c;
	Arena *arena;
	const Target *target;
	RegionPin *region_pins;
	size_t nregion_pins;
	Pin *pins;
	size_t npins;
	const Chosen *chosen; /* by region; NULL: the rule's */
	size_t nchosen;       /* 0: as many as there are regions */
	bool later;           /* its code is loaded by plans_load() */
	External *externals;  /* kernels of the user's; given or read */
	size_t nexternals;
	const char *skip, *stop_after;
	/* stages so far; NULL where not reached */
	const Program *program;
	const Program *rewritten;
	Regions *regions;
	Kernels *kernels;
	const char **sources;
	RewriteLog log;
	bool stopped;
} Pipeline;

/* Splits --pin texts into region pins and realisation pins. */
bool pipeline_pins(Pipeline *p, const char *const *texts, size_t n);
/* Reads kernels of the user's, before the pins that name them. */
bool pipeline_externals(Pipeline *p, const char *const *paths, size_t n);
/* Runs every pass after `from`, whose data p holds. */
bool pipeline_run(Pipeline *p, Stage from);

/* ---- target.c -------------------------------------------------------- */

/* What kernels of a target are written in. */
CDialect target_dialect(const char *name);
/* The source of a kernel for the target of that name. */
const char *target_emit(Arena *a, const char *name, const Kernels *ks,
			const Kernel *k);
/*
 * What realisations are told of --target NAME (NULL: cpu). must_run: it is an
 * error that this machine does not run it. *isa: of CPUs, else NULL.
 */
bool target_find(TenonContext *c, Arena *a, const char *name, bool must_run,
		 Target *out, const Isa **isa);

/* ---- memory.c -------------------------------------------------------- */

/* Stage 6 of kernels for the target of that name; sources and compiler are the
 * caller's. */
Plan *plan_build(Arena *a, const Program *source, Kernels *ks,
		 const char *target);

/* ---- plan.c ---------------------------------------------------------- */

TenonPlan *plan_new(TenonContext *c); /* freed by tenon_plan_free() */
/* Every stage after `from`, whose data pl holds, and the code unless
 * pl->later. */
bool plan_compile(TenonPlan *p, Pipeline *pl, Stage from,
		  const TenonPlanOptions *o);
/* Kernels that were read from text may ask for what the target lacks. */
bool plan_units_fit(TenonPlan *p, const Kernels *ks, const Target *t);
/* What compiles for the target, and how. */
bool plan_compiler(TenonPlan *p, const char *target, const Kernels *ks,
		   const char **compiler, const char **flags);

/*
 * A plan of the program whose stage 2 is `rewritten`, which outlives it; NULL:
 * reported. Inside an API call, or where out of memory is a bug.
 */
TenonPlan *plan_of_rewritten(TenonProgram *program, const Program *rewritten,
			     const TenonPlanOptions *o);

/* ---- load.c ---------------------------------------------------------- */

/* Compiles and loads the sources of a plan. */
bool plan_load_code(TenonPlan *p);
/*
 * The same for n plans of one target at once; why[i]: what became of plan i,
 * NULL: it is loaded. False: none can be, reported.
 */
bool plans_load(TenonContext *c, TenonPlan *const *plans, size_t n,
		const char **why);

/* Runs of the plan are of this code from now on: n parts of it. */
void plan_use_code(TenonPlan *p, CodeSource *code, size_t n);

/* ---- saved.c --------------------------------------------------------- */

/* A plan from its JSON, as tenon_plan_load(), with a program of its own. */
bool plan_read(TenonContext *c, const char *name, const char *text, size_t len,
	       TenonPlan **out);

/* ---- variants.c ------------------------------------------------------ */

/* The alternative of stage 2 that prints as this text, in arena a; NULL: there
 * is none. */
const Program *variants_program(const TenonProgram *program,
				const Program *rewritten, Arena *a,
				const char *text);
/* The alternatives of a plan's stage 2, as text; false: reported. */
bool variants_dump(TenonPlan *p, Buf *b);

/* ---- bind.c ---------------------------------------------------------- */

/* Fills dims (from the program's sizes) with what the inputs' shapes say. */
bool bind_inputs(TenonProgram *p, const TenonTensor *inputs, int64_t *dims);
bool bind_overlaps(TenonPlan *p, const TenonTensor *inputs,
		   const TenonTensor *results);

/* ---- instance.c ------------------------------------------------------ */

/* The plan's instance for dims, made if there is none; NULL: reported. */
Instance *instance_take(TenonPlan *p, const int64_t *dims);
void instance_drop(Instance *in); /* of the context's thread; NULL is fine */
/*
 * Runs the phases that run once, if they have not; before the first run.
 * False: reported, or st->code says with which fault.
 */
bool instance_fill(Instance *in, int threads, TnStatus *st);
/* Launches of less work run on their caller alone; tests set it to 0. */
extern double instance_serial_steps;
bool instance_is(const Instance *in, const int64_t *dims);

/* ---- call.c ---------------------------------------------------------- */

TenonCall *call_new(TenonPlan *p);
/* tenon_call_new() with temporaries in the caller's memory; not of a GPU. */
TenonError call_new_in(TenonPlan *p, const CallMemory *m,
		       const TenonTensor *inputs, const TenonTensor *results,
		       TenonCall **out);
void call_free(TenonCall *call);
/* Settles all that dims and the context's threads decide; once for each. */
bool call_prepare(TenonCall *call, const int64_t *dims);
/* Points the kernels at tensors that plan_admits, copied where need be. */
bool call_bind(TenonCall *call, const TenonTensor *inputs,
	       const TenonTensor *results);
void call_unbind(TenonCall *call); /* drops the copies */
/* False: st->code says with which fault; 0: ctx has what went wrong. */
bool call_run(TenonCall *call, Ctx *ctx, TnStatus *st);

/* ---- gpu.c ----------------------------------------------------------- */

void context_close_devices(TenonContext *c);
/* The context's device for a target, opened if need be. */
bool context_device(TenonContext *c, const char *target, Device **out);
DeviceKind target_device(const char *name);
const char *target_arch(const char *target); /* sm_90a */
bool gpu_compiler(TenonContext *c, Arena *a, const char *target,
		  const char **compiler, const char **flags);
/* Compiles and loads the sources of a plan. */
bool gpu_load(TenonPlan *p);
/* Compiles for CUDA, for which NVRTC and no device is needed. */
bool gpu_build(TenonPlan *p);
/* What tenon_plan_code tells (built.c). */
bool built_code(TenonPlan *p, size_t i, TenonCode *out);
void gpu_unload(TenonPlan *p);
/* Where it runs, and how runs are waited for. */
void gpu_tell(const TenonPlan *p, Buf *out);
/* A line for each algorithm that a library names for the program's sizes, and
 * why it is refused or taken. */
void gpu_tell_algorithms(const TenonPlan *p, Buf *out);
bool gpu_instance_fill(Instance *in, TnStatus *st);
void gpu_instance_free(Instance *in);
/* Points the kernels at call->bound; false: reported, and the call is free. */
bool gpu_call_bind(TenonCall *call);
void gpu_call_free(TenonCall *call); /* waits for its runs */
/* Whether a tensor lies where it says; `what` is whose, for messages. */
bool gpu_check_place(TenonPlan *p, const char *what, const TenonTensor *t);
/* soon: the next call is gpu_call_wait. */
bool gpu_call_start(TenonCall *call, Ctx *ctx, bool soon);
bool gpu_call_wait(TenonCall *call, Ctx *ctx, TnStatus *st);
bool gpu_call_pending(const TenonCall *call);
bool gpu_call_moves(const TenonCall *call); /* to or from the host */
bool gpu_call_stream(TenonCall *call, Ctx *ctx, void *stream);
bool gpu_calls_time(TenonCall *const *calls, size_t n, size_t times, Ctx *ctx,
		    double *us);

/* ---- product.c ------------------------------------------------------- */

/* The call that a launch is, or NULL. */
const KCall *plan_call(const Plan *p, size_t launch);
/* What is asked of the library, under dims; its name is in the arena. */
struct LtProduct plan_product(Arena *a, const Plan *p, size_t launch,
			      const int64_t *dims);
/* The same on a CPU, made ready; a holds it. NULL: reported. */
const Product *plan_cpu_product(Ctx *ctx, Arena *a, const Plan *p,
				size_t launch, const int64_t *dims);
/* Finds a library that p needs, and its version; false: reported. */
bool plan_library(TenonPlan *p, Library library, const char **version);
/* The launch's arguments, on memory by plan buffer. */
const uint64_t *plan_product_args(Arena *a, const Plan *p, size_t launch,
				  const int64_t *dims, const DeviceMem *mem);

/* ---- run.c ----------------------------------------------------------- */

typedef struct RunFault {
	bool fault;
	TnStatus status;
} RunFault;
/* Runs on tensors that were bound; a fault of the program is reported as an
 * error unless `fault` asks for it. */
bool plan_run(TenonPlan *p, const int64_t *dims, const TenonTensor *inputs,
	      TenonTensor *results, RunFault *fault);
/* Whether the results are what the program gives, and overlap nothing. */
bool plan_admits(TenonPlan *p, const int64_t *dims, const TenonTensor *inputs,
		 const TenonTensor *results);
/* Reports a fault of the program, into ctx; returns false. */
bool report_fault(const TenonPlan *p, Ctx *ctx, const TnStatus *st,
		  const int64_t *dims);
/* Weights for this binding, in value order, read once. */
bool plan_weights(TenonPlan *p, const int64_t *dims, Feeds *out);
/* The same for a program without a plan: into arena-held tensors. */
bool program_weights(TenonProgram *p, const int64_t *dims, Tensor *out);

#endif
