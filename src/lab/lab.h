/*
 * lab: how programs are timed against other libraries, on the public header
 * only.
 *
 *   memory    what one bench owns; text that grows                memory.c
 *   stats     medians, bootstrap intervals, drift, verdicts       stats.c
 *   measure   rounds of interleaved, rotated blocks               measure.c
 *   team      threads of the compiled loops                       team.c
 *   describe  a program's values read from a plan's text          describe.c
 *   peer      libraries loaded at run time, one adapter a file    peer.c
 *   cublaslt  the product of a program on a GPU       peer_cublaslt.c
 *   compose   "product by the library, the rest by compiled
 *             loops": a peer's way through a whole program        compose.c
 *   machine   CPU, caches, compiler, commit                       machine.c
 *   peak      what arithmetic and bandwidth reach here           peak.c
 *   csv       raw samples and what they were taken on             csv.c
 *   bench     one case: its paths, judged and timed               bench.c
 *
 * Functions that may fail for the environment's reasons take a LabMem, whose
 * `why` then says what was wrong.
 */
#ifndef TENON_LAB_H
#define TENON_LAB_H

#include "tenon.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdio.h>

#define LAB_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* ---- memory ---------------------------------------------------------- */

typedef struct LabBlock LabBlock;
typedef struct LabMem {
	LabBlock *head;
	jmp_buf *refused; /* where a refused allocation goes; never NULL */
	const char *why;  /* of the last failure, in this memory */
} LabMem;

/* Zeroed and 64-byte aligned; lives until lab_release. Never NULL. */
void *lab_alloc(LabMem *m, size_t bytes);
void lab_release(LabMem *m);
#define LAB_NEW(m, T, n) ((T *)lab_alloc((m), sizeof(T) * (size_t)(n)))
char *lab_printf(LabMem *m, const char *fmt, ...) LAB_PRINTF(2, 3);
/* Sets m->why and returns false. */
bool lab_fail(LabMem *m, const char *fmt, ...) LAB_PRINTF(2, 3);

/* Text that grows; always NUL-terminated once written to. */
typedef struct LabText {
	LabMem *mem;
	char *p;
	size_t n, cap;
} LabText;
void lab_text(LabText *t, const char *fmt, ...) LAB_PRINTF(2, 3);
/* A TenonWriter whose arg is a LabText. */
bool lab_text_write(void *arg, const char *text, size_t len);

/* ---- stats ----------------------------------------------------------- */

/* Sorts x; of an even count, the mean of the middle two. */
double lab_median(double *x, int n);
/* x sorted; linear between neighbours, q in [0, 1]. */
double lab_quantile(const double *x, int n, double q);

typedef struct LabInterval {
	double median, low, high; /* low, high: 95 % of bootstrap medians */
	double least, most;       /* observed */
} LabInterval;

/*
 * Percentile bootstrap of the median: `draws` resamples of x with
 * replacement, from a seed. Source: Efron and Tibshirani, An Introduction to
 * the Bootstrap, 1993, chapter 13.
 */
LabInterval lab_bootstrap(const double *x, int n, int draws, uint64_t seed);

typedef enum LabVerdict {
	LAB_TIE,    /* the interval holds 1 */
	LAB_FASTER, /* tenon is: the ratio peer / tenon lies above 1 */
	LAB_SLOWER,
} LabVerdict;
const char *lab_verdict_name(LabVerdict v);
LabVerdict lab_verdict(LabInterval ratio);
/* Last against first of x, in order of time: x[n-1] / x[0] - 1. */
double lab_drift(const double *x, int n);
#define LAB_DRIFT_FLAG 0.15

/* ---- measure --------------------------------------------------------- */

typedef enum LabClock {
	LAB_HOST_SINGLE,   /* wall time of a call that is waited for */
	LAB_HOST_BATCH,    /* of one of many that are waited for together */
	LAB_DEVICE_SINGLE, /* the same two by the device's own clock */
	LAB_DEVICE_BATCH,
	LAB_CLOCKS,
} LabClock;
const char *lab_clock_name(LabClock c);
#define LAB_BATCH 50 /* calls that are submitted together, at most */

/* A thing that is timed. run does one call on a set of data. */
typedef struct LabPath {
	const char *name;
	bool (*run)(void *state, int set);
	void *state;
	/* Other clocks than host single: mean seconds of n calls from `set`
	 * on, < 0 where one failed. NULL: run is timed. */
	double (*timed)(void *state, LabClock clock, int set, int n);
	LabClock clock;
} LabPath;

typedef struct LabSamples {
	int calls;      /* calls a block */
	double seconds; /* of a call, when blocks were sized */
	double *us;     /* by round: time of a call */
	int *position;  /* by round: 0 ran first */
	bool failed;    /* run returned false: no samples */
	int failed_set; /* of which set */
} LabSamples;

/*
 * Rows of a design of n paths in which each path stands in each position
 * equally often and each path follows each other one equally often: a
 * Williams square (n rows for even n, 2n for odd). Source: Williams, 1949,
 * "Experimental designs balanced for the estimation of residual effects".
 */
int lab_order_rows(int n);
/* Writes row `row` of it: order[k] is the path that runs as number k. */
void lab_order_row(int n, int row, int *order);
/* The least multiple of the design's rows that is `rounds` or more. */
int lab_rounds(int n, int rounds);

/*
 * The paths' clock: a warm-up, 3 trial calls that size a block of about
 * 10 ms (at most 200 calls), then `rounds` rounds. Calls go through sets
 * 0 .. sets-1 in turn. Samples' arrays are of m. stop, if not NULL, is asked
 * after each block; true ends with false.
 */
bool lab_measure(LabMem *m, const LabPath *paths, int n, int rounds, int sets,
		 bool (*stop)(void), LabSamples *out);
double lab_seconds(void); /* monotonic */

/* ---- team ------------------------------------------------------------ */

typedef struct LabTeam LabTeam;
typedef void LabTeamFn(void *arg, int worker, int chunk);
/* GOMP_parallel of libgomp's interface to compilers: fn on n threads. */
typedef void LabOmpParallel(void (*fn)(void *), void *arg, unsigned n,
			    unsigned flags);
/* NULL when threads cannot be made. */
LabTeam *lab_team_new(LabMem *m, int workers);
/* fn for chunks 0 .. chunks-1, on omp's threads unless it is NULL. */
void lab_team_run(LabTeam *t, LabOmpParallel *omp, LabTeamFn *fn, void *arg,
		  int chunks);
void lab_team_free(LabTeam *t);

/* ---- describe -------------------------------------------------------- */

#define LAB_NAME 48
typedef struct LabValue {
	char op[16], name[LAB_NAME], via[LAB_NAME];
	TenonDType dtype;
	int rank;
	int64_t shape[TENON_MAX_RANK];
	int nargs, args[4];
	int naxes, axes[TENON_MAX_RANK]; /* reductions; axes[0]: iota */
	const char *map[TENON_MAX_RANK]; /* views: index expressions */
	int nmap;
	int input;          /* of op input */
	char file[256];     /* of op weight, as the program names it */
	TenonTensor weight; /* of op weight: its data, the bench's */
	bool constant;      /* rank-0 const of value `number` */
	double number;
	int uses; /* by values and results */
} LabValue;

typedef struct LabDim {
	char name[LAB_NAME];
	int64_t size;
} LabDim;

typedef struct LabProgram {
	int nvalues, nresults, ninputs, ndims;
	LabValue *values;
	int *results; /* value ids */
	LabDim *dims;
	double flop;    /* of products, 2 a multiply-add */
	double bytes;   /* of inputs and results */
	double written; /* of results */
} LabProgram;

/* Reads the plan's rewritten program under the sizes set; false: m->why. */
bool lab_describe(LabMem *m, TenonProgram *p, TenonPlan *plan, LabProgram *out);
int64_t lab_elements(const LabValue *v);

/*
 * Index expressions: + - * / // % ( ) over whole numbers, dims and the
 * variables i0 ... i7 and j. at[0..7] are the i, at[8] is j.
 */
#define LAB_VARS 9
bool lab_index_eval(const LabProgram *p, const char *text, const int64_t *at,
		    int64_t *out);
/* text with i<k> replaced by index[k] and dims by their sizes. */
const char *lab_index_subst(LabMem *m, const LabProgram *p, const char *text,
			    const char *const *index);

/* ---- peer ------------------------------------------------------------ */

/* out[b, i, j] = sum_k a[b, i, k] * b[b, k, j]; strides in elements. */
typedef struct LabProduct {
	TenonDType in, out;
	int64_t m, n, k;
	int64_t a_row, a_col, b_row, b_col, c_row; /* c's columns: 1 */
	int nbatch;
	int64_t batch[TENON_MAX_RANK];
	int64_t a_batch[TENON_MAX_RANK], b_batch[TENON_MAX_RANK],
		c_batch[TENON_MAX_RANK];
	bool bias; /* add a row of n to each row of the f32 result */
	bool pack; /* b is constant and may be stored otherwise */
} LabProduct;

typedef struct LabRows {
	bool layer_norm; /* else softmax */
	TenonDType dtype;
	int64_t rows, width;
	double eps;
} LabRows;

typedef struct LabPeer LabPeer;
typedef struct LabPeerSpec {
	const char *name, *title;
	const char *package; /* what to install */
	/* Loads the library: fills version, or why (what was tried). */
	bool (*open)(LabMem *m, LabPeer *p);
	/* Dtypes of operands that its products take as they are. */
	bool (*takes)(const LabPeer *p, TenonDType in, TenonDType out);
	bool bias, pack; /* it can do what LabProduct's fields ask */
	bool device;     /* it is for plans on a GPU: cublaslt below */
	/* State of one product; NULL: m->why. */
	void *(*product_new)(LabMem *m, LabPeer *p, const LabProduct *d);
	/* Constant operand b in the library's own layout. */
	const void *(*product_pack)(LabMem *m, void *state, const void *b);
	bool (*product_run)(void *state, const void *a, const void *b,
			    const void *bias, void *c);
	void (*product_free)(void *state);
	/* NULL: rows are compiled loops. */
	void *(*rows_new)(LabMem *m, LabPeer *p, const LabRows *d);
	bool (*rows_run)(void *state, const void *x, const void *gain,
			 const void *shift, void *y);
	void (*rows_free)(void *state);
} LabPeerSpec;

struct LabPeer {
	const LabPeerSpec *spec;
	int threads;
	const char *version; /* NULL: not found, see why */
	const char *why;
	void *library;
	void *entry[24];     /* functions, each adapter's own order */
	LabOmpParallel *omp; /* of a library whose threads are OpenMP's */
	void *own;           /* the adapter's */
};

extern const LabPeerSpec *const lab_peers[];
extern const int lab_npeers;
/* NULL: no peer of that name among specs. */
const LabPeerSpec *lab_peer_find(const LabPeerSpec *const *specs, int n,
				 const char *name, size_t len);
/* dlopen of the first that loads; else false and p->why. */
bool lab_peer_load(LabMem *m, LabPeer *p, const char *const *files, int n);
/* dlsym of each into p->entry; else false and p->why. */
bool lab_peer_symbols(LabMem *m, LabPeer *p, const char *const *names, int n);

/* The BLAS interface that OpenBLAS and BLIS share; entry[0..3] are
 * cblas_sgemm, cblas_dgemm, cblas_sgemv, cblas_dgemv. */
extern const char *const lab_cblas_names[4];
bool lab_cblas_takes(const LabPeer *p, TenonDType in, TenonDType out);
void *lab_cblas_new(LabMem *m, LabPeer *p, const LabProduct *d);
bool lab_cblas_run(void *state, const void *a, const void *b, const void *bias,
		   void *c);

extern const LabPeerSpec lab_peer_openblas, lab_peer_blis, lab_peer_onednn,
	lab_peer_onednn_packed, lab_peer_libxsmm;
/* Of plans for CUDA, alone of all: it has only name, title, package, open. */
extern const LabPeerSpec lab_peer_cublaslt;
/* No library: see copy below. Only where it is named. */
extern const LabPeerSpec lab_peer_copy;

/* ---- cublaslt -------------------------------------------------------- */

typedef struct LabLt LabLt;
/*
 * The program's only product, by cuBLASLt, on inputs that are in the device's
 * memory (of `filled` sets, the first `sets` of which are timed); they, plan
 * and context outlive it. NULL with m->why where the program has none that the
 * library computes.
 */
LabLt *lab_lt_new(LabMem *m, LabPeer *peer, const LabProgram *p,
		  TenonContext *c, TenonPlan *plan,
		  const TenonTensor *const *inputs, int sets, int filled);
const char *lab_lt_steps(const LabLt *t);
/* LabPath's two; lt is a LabLt. */
bool lab_lt_run(void *lt, int set);
double lab_lt_timed(void *lt, LabClock clock, int set, int n);
/* Runs a set, whose inputs on the host are given, and judges the product. */
TenonError lab_lt_judge(LabLt *t, const TenonTensor *inputs, int set,
			TenonVerdictFn *fn, void *arg, TenonOutcome *out);
void lab_lt_free(LabLt *t); /* NULL is fine */

/* ---- compose --------------------------------------------------------- */

typedef struct LabCompose LabCompose;

typedef struct LabComposeOptions {
	const char *compiler; /* path or name */
	LabTeam *team;
	int threads;
} LabComposeOptions;

/*
 * The peer's way through a program: products by the peer, everything else
 * by loops written for these sizes and compiled with -O3 for this machine.
 * NULL when the program cannot be done so: m->why.
 */
LabCompose *lab_compose_new(LabMem *m, const LabProgram *p, LabPeer *peer,
			    const LabComposeOptions *o);
/* Binds set `set` of `sets`; inputs and results stay the caller's. */
bool lab_compose_bind(LabCompose *c, int set, int sets,
		      const TenonTensor *inputs, const TenonTensor *results);
bool lab_compose_run(void *compose, int set);
/* One line: which steps, e.g. "convert, product, loop". */
const char *lab_compose_steps(const LabCompose *c);
void lab_compose_free(LabCompose *c);

/* Compiles C text to a shared object and loads it; false: m->why. */
bool lab_build(LabMem *m, const char *compiler, const char *text,
	       void **handle);

/* ---- copy ------------------------------------------------------------ */

typedef struct LabCopy LabCopy;

/* A path that moves as many bytes as the program and does nothing else. */
LabCopy *lab_copy_new(LabMem *m, const LabComposeOptions *o, int sets);
/* false, with m->why, where the program reads and writes unequal amounts. */
bool lab_copy_bind(LabMem *m, LabCopy *c, const LabProgram *p, int set,
		   const TenonTensor *inputs, const TenonTensor *results);
bool lab_copy_run(void *copy, int set);
void lab_copy_free(LabCopy *c);

/* ---- machine --------------------------------------------------------- */

typedef struct LabMachine {
	const char *model, *commit, *compiler, *system;
	int cpus;
	int64_t l1, l2, l3; /* bytes; 0: unknown */
} LabMachine;
void lab_machine(LabMem *m, const char *compiler, LabMachine *out);
/* All of it as a new object. */
json_t *lab_machine_json(const LabMachine *machine);

typedef enum LabLevel { /* footprints */
	LAB_L2,         /* half of L2 a thread */
	LAB_L3,         /* within the last-level cache, beyond L2 */
	LAB_MEMORY,     /* beyond all caches, as far as memory admits */
	LAB_LEVELS,
} LabLevel;
typedef enum LabMove {
	LAB_READ,
	LAB_COPY,
	LAB_STREAM, /* a copy with stores that pass the caches by */
	LAB_MOVES,
} LabMove;

typedef struct LabPeaks {
	int threads;
	double gflops;                     /* f32 multiply-adds, 2 flop each */
	int64_t bytes[LAB_LEVELS];         /* footprint */
	double gbs[LAB_LEVELS][LAB_MOVES]; /* GB/s, read plus written */
} LabPeaks;
/* Takes some seconds; its loops are compiled for this machine. */
bool lab_peaks(LabMem *m, const char *compiler, LabTeam *team, int threads,
	       const LabMachine *machine, LabPeaks *out);
/* n floats, a multiple of a line, from s to d; both aligned to a line. */
typedef void LabMoveFn(float *d, const float *s, long n);
/* Loads the loops that measure peaks: peak_read, peak_copy, peak_stream are
 * LabMoveFn. false: m->why. */
bool lab_peak_build(LabMem *m, const char *compiler, void **library);
/*
 * Least time in us for this work, were nothing in its way: the larger of
 * arithmetic at its peak and movement at the bandwidth of its footprint
 * (reading's where little is written, else the better of both copies').
 */
double lab_roof(const LabPeaks *p, double flop, double bytes, double written);

/* ---- bench ----------------------------------------------------------- */

typedef struct LabOptions {
	const char *peers;  /* comma-separated; NULL: all that are found */
	const char *folder; /* of the program's file; weights are there */
	bool strict;        /* a peer that is named and missing is an error */
	const LabPeerSpec *const *specs; /* NULL: lab_peers */
	int nspecs;
	int threads, rounds;
	bool cold, check;
	uint64_t seed;
	const char *compiler;
	bool (*stop)(void);
	void (*progress)(const char *what);
} LabOptions;

typedef struct LabPathResult {
	const char *name, *version;
	const char *why_not; /* NULL: it ran */
	bool missing;        /* the library was not found */
	const char *steps;
	LabSamples samples;
	double median, p10, p90, drift; /* us; drift as a fraction */
	bool drifted;
	LabInterval ratio; /* its time over tenon's, within rounds */
	LabVerdict verdict;
	TenonOutcome outcome; /* the oracle's; NONE: not judged */
	int64_t misses;       /* of the fixed rule */
	int64_t wrong;        /* violations and mismatches */
} LabPathResult;

typedef struct LabResult LabResult;
struct LabResult {
	const char *name, *regime, *clock;
	int rounds, sets, npaths;
	double flop, bytes, written; /* written: of bytes */
	LabPathResult *paths;        /* paths[0] is tenon */
	double others; /* CPUs that other processes kept busy meanwhile */
	bool interrupted;
	LabResult *more; /* the same paths by other clocks, of a device */
	int nmore;
};

#define LAB_OTHERS_FLAG 0.05

/*
 * One case: the plan against the peers. TENON_EENV with m->why where a peer
 * that was named is missing or memory does not suffice.
 */
TenonError lab_bench(LabMem *m, TenonContext *c, TenonProgram *p,
		     TenonPlan *plan, const LabOptions *o, LabResult *out);

/* ---- csv ------------------------------------------------------------- */

/*
 * Samples go to FILE.part, which takes FILE's name when all are written: a
 * file of that name is complete. A FILE that exists and is no regular file
 * (a pipe, a device) is written to directly.
 */
typedef struct LabCsv LabCsv;
LabCsv *lab_csv_open(LabMem *m, const char *path);
bool lab_csv_add(LabMem *m, LabCsv *c, const LabResult *r);
bool lab_csv_close(LabMem *m, LabCsv *c, const LabMachine *machine,
		   const LabResult *last);
void lab_csv_abandon(LabCsv *c); /* removes what was written */

#endif
