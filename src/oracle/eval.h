/*
 * eval: the oracle's own declarations, by file.
 *
 *   round.c     rounding to a dtype, neighbours, units in the last place
 *   elem.c      elementwise values, whole tensors
 *   point.c     the correctly rounded value of an elementwise op
 *   interval.c  the interval of an elementwise op
 *   function.c  elementary functions: true values and their 2 ulp
 *   integer.c   integer ops, points and intervals
 *   move.c      views, data movement and indexing
 *   sum.c       the bound of a sum in any order
 *   reduce.c    sums, products, extremes, their indices; running sums
 *   contract.c  matmul; gemm.c its blocked kernels; tiny.c sums of products
 *               below the least f64
 *   relax.c     what the relaxations of a contract make legal besides
 *   eval.c      a program's values in order, memory, threads
 *   judge.c     verdicts; cache.c references kept on disk; sample.c which
 *               elements are judged where all would be too many
 *   fixture.c   families of inputs; role.c what an input is used for;
 *               draw.c reproducible numbers; exact.c the exact family
 *
 * A value is evaluated to three arrays: ref, the reference, and lo and hi,
 * the closed interval of its legal values. Floats of every dtype are held
 * as doubles, integers and bool as int64 (u64 as its bits), so that every
 * dtype is held exactly. The order of floats puts -0 below +0. An interval
 * without lo and hi is a point everywhere, which costs nothing.
 */
#ifndef TENON_ORACLE_EVAL_H
#define TENON_ORACLE_EVAL_H

#include <math.h>
#include <string.h>

#include "oracle/oracle.h"

typedef union Num {
	double f;
	int64_t i;
} Num;

/* Of one element, beside its interval. */
enum {
	FL_NAN = 1,       /* NaN is legal besides what lo and hi say */
	FL_UNDECIDED = 2, /* overlapping operands left a choice open */
};

/* Elements of one value; arrays of n. */
typedef struct Ev {
	DType dtype;
	uint8_t rank;
	int64_t shape[TN_MAX_RANK];
	int64_t n;           /* elements held */
	const int64_t *list; /* which, by flat number; NULL: all */
	Num *ref;
	Num *lo, *hi;   /* both NULL: points, equal to ref */
	uint8_t *flags; /* NULL: none set */
	/* Under RELAX_*: this value may reach its consumer without its
	 * boundary, so that lo and hi need not be values of its dtype. */
	bool unrounded;
	struct SumParts *parts; /* kept for RELAX_REASSOCIATE, else NULL */
} Ev;

typedef struct Block Block;

typedef struct Eval {
	Ctx *ctx;
	Arena *arena;
	const Program *p;
	const int64_t *dims;
	const Feeds *feeds;
	const AccKind *acc; /* by ValueId, or NULL */
	bool intervals;     /* false: ref alone */
	int acc_margin;     /* bits of the accumulator held back when a
		fixture is tried for exactness on smaller sizes */
	Ev *v;
	bool *live;  /* reaches a result */
	bool *known; /* set from outside (the cache): not evaluated */
	uint32_t *uses;
	Block *blocks;
	int threads;
	bool fault;
	ValueId fault_value;
	int64_t fault_index;
} Eval;

/* ---- round.c --------------------------------------------------------- */

typedef struct Fmt {
	int p;    /* bits of significand */
	int emin; /* exponent of the smallest normal */
	int emax;
	double max;      /* largest finite */
	double overflow; /* from here on rounds to infinity */
} Fmt;
extern const Fmt fmt_info[DT_COUNT]; /* floats only */

double fmt_round(DType d, double x);
/* hi + lo, |lo| <= ulp(hi)/2, rounded once. */
double fmt_round2(DType d, double hi, double lo);
/* Least value of d that is >= x; greatest that is <= x. */
double fmt_up(DType d, double x);
double fmt_down(DType d, double x);
double fmt_next(DType d, double x); /* the value after x towards +inf */
double fmt_prev(DType d, double x);
/* Distance of neighbouring values of d at |x|; of subnormals at 0. */
double fmt_ulp(DType d, double x);
double fmt_from_int(DType d, int64_t x, bool is_unsigned);
int64_t int_wrap(DType d, int64_t x);
int64_t int_min(DType d);
int64_t int_max(DType d); /* u64: as bits */
/* Exponent of the lowest set bit of finite x; INT_MAX/2 for 0. */
int lsb_exponent(double x);
static inline double pow2_floor(double x) /* of finite x > 0 */
{
	Num u = {.f = x};
	u.i &= (int64_t)0x7ff0000000000000;
	return u.f;
}
static inline void two_sum(double a, double b, double *s, double *e)
{
	double t = a + b, bb = t - a;
	*s = t;
	*e = (a - (t - bb)) + (b - bb);
}

/* a < b in the order that puts -0 below +0; false with NaN. */
static inline bool below(double a, double b)
{
	return a < b || (a == b && signbit(a) && !signbit(b));
}
static inline double least(double a, double b)
{
	return below(b, a) ? b : a;
}
static inline double greatest(double a, double b)
{
	return below(a, b) ? b : a;
}
static inline bool same_bits(Num a, Num b)
{
	return a.i == b.i;
}
/* One bit pattern for the judge: any NaN equals any NaN. */
static inline bool same_value(DType d, Num a, Num b)
{
	if (dtype_is_float(d) && isnan(a.f))
		return isnan(b.f);
	return a.i == b.i;
}

/* Elements in memory, contiguous; n from `first`. */
void nums_load(DType d, const void *data, int64_t first, int64_t n, Num *out);
void nums_store(DType d, void *data, int64_t first, int64_t n, const Num *in);

/* ---- eval.c ---------------------------------------------------------- */

void *eval_alloc(Eval *e, size_t bytes); /* not zeroed; never NULL */
void eval_free(Eval *e, void *p);        /* NULL is allowed */
Num *eval_nums(Eval *e, int64_t n);
/* lo and hi from ref, flags zero, where they are not there yet. */
void ev_widen(Eval *e, Ev *v);
/* Drops lo, hi and flags if they say nothing. */
void ev_collapse(Eval *e, Ev *v);
void ev_free(Eval *e, Ev *v);

typedef void RangeFn(void *arg, int64_t first, int64_t end);
/* Calls fn on pieces of [0, n) of about `grain`, on the eval's threads. */
void eval_parallel(int threads, int64_t n, int64_t grain, RangeFn *fn,
		   void *arg);

void eval_init(Eval *e, Ctx *ctx, Arena *a, const Program *p, const Binding *b,
	       const Feeds *feeds);
/*
 * The elements of v that out holds: v itself, or a copy in *copy that the
 * caller frees (ev_free) whether it was made or not.
 */
const Ev *eval_held(Eval *e, const Ev *v, const Ev *out, Ev *copy);
/* Counts uses from the results down, anew, stopping at known values. */
void eval_mark(Eval *e);
/* Shapes of live values and inputs; the feeds' agreement unless NULL. */
bool eval_shapes(Eval *e);
/* Evaluates value id, its operands having been evaluated, and frees those
 * that nothing needs any more. False where the program faults. */
bool eval_value(Eval *e, ValueId id);
/* One use less: frees the value after the last. */
void eval_drop(Eval *e, ValueId id);
void eval_release(Eval *e);
void eval_fault(Eval *e, ValueId v, int64_t index);

/* ---- the ops, one function a class; e->v[id] has dtype and shape ------ */

void elem_eval(Eval *e, ValueId id);
void view_eval(Eval *e, ValueId id);
/* Where the n listed elements of a view come from. */
void view_sources(Eval *e, ValueId id, const int64_t *list, int64_t n,
		  int64_t *out);
void move_eval(Eval *e, ValueId id);
void reduce_eval(Eval *e, ValueId id); /* REDUCE and SCAN */
void contract_eval(Eval *e, ValueId id);
/* Whether the operands may lose what TF32 has not. */
#define TF32_BITS 11
bool takes_tf32(const Eval *e, ValueId id);

/* point.c: out[i] = op(in[0][i], in[1][i], in[2][i]), floats. */
void point_float(Op op, DType d, const Num *const in[3], int64_t n, Num *out);
Num point_cast(DType from, DType to, Num x);
Num point_compare(Op op, DType d, Num a, Num b);

/* An element's operand or result. */
typedef struct Ival {
	Num lo, hi;
	uint8_t flags;
} Ival;
/* interval.c: floats. */
Ival ival_float(Op op, DType d, const Ival x[3], bool unrounded);
Ival ival_cast(DType from, DType to, Ival x);
Ival ival_compare(Op op, DType d, Ival a, Ival b);
Ival ival_hull(DType d, Ival a, Ival b);
static inline bool ival_is_point(const Ival *x)
{
	return x->lo.i == x->hi.i && !x->flags;
}
Ival ival_full(DType d);

/* function.c */
double function_point(Op op, DType d, double x, double y);
Ival function_interval(Op op, DType d, Ival x, Ival y);

/* integer.c: false: a fault at this element. */
bool point_int(Op op, DType d, const Num in[3], Num *out);
Ival ival_int(Op op, DType d, const Ival x[3]);

/* ---- sum.c ----------------------------------------------------------- */

/*
 * What is known of one sum: the exact sums of the terms' lower and upper
 * ends, sums of positive and of negative parts, and how many terms may be
 * nonzero.
 */
typedef struct SumParts {
	double lo, hi, ref;    /* exact sums, up to err */
	double lo2, hi2, ref2; /* their low parts (double-double) */
	double err;
	double pos, neg; /* both >= 0 */
	double terms;
	double groups; /* terms are added in so many groups at most, cut off as
		ACC_MMA says, or lose as much; 0: rounded one by one */
	double extra;  /* error besides the additions' */
	int lsb;       /* all terms are multiples of 2^lsb; INT_MIN: unknown */
	uint8_t flags;
	bool minus_zero; /* every term is -0 */
	bool flush;      /* a subnormal sum may become a zero */
	bool cut;        /* a group may cut off a part of any term */
	bool aside;      /* tiny terms are in extra and not in terms */
	int operands;    /* merged sums: how many values went in */
	DType acc;       /* merged sums: the loosest accumulator */
} SumParts;
/*
 * Sums of finite terms that may leave double, in units of 2^HUGE_BITS: of the
 * lower and of the upper ends, and of the positive and negative parts.
 */
#define HUGE_BITS 1200
typedef struct SumHuge {
	double lo, hi, pos, neg;
} SumHuge;
/* A term from lo to hi, in these units. */
void sum_huge_add(SumHuge *h, double lo, double hi);
/* Sets lo, hi, pos, neg of s, whose terms are set, and ref and its low part if
 * that is not finite. */
void sum_overflow(SumParts *s, const SumHuge *h);
/* The sum in acc, rounded to d. margin: bits of acc held back. */
void sum_ends(DType acc, DType d, int margin, const SumParts *s, Num *ref,
	      Ival *out);
/*
 * Whether some order takes `terms` finite terms of one sign, `size` in all,
 * beyond acc's range. Beside an infinite term of the other sign that order
 * gives NaN.
 */
bool sum_may_overflow(DType acc, double size, double terms);
/* The error of a sum's additions in acc, whatever their order; *big: a
 * bound on every partial sum. */
double sum_error(DType acc, const SumParts *s, double *big);
static inline Ival ev_ival(const Ev *v, int64_t i)
{
	Ival r;
	r.lo = v->lo ? v->lo[i] : v->ref[i];
	r.hi = v->lo ? v->hi[i] : v->ref[i];
	r.flags = v->flags ? v->flags[i] : 0;
	return r;
}
static inline void ev_set(Ev *v, int64_t i, const Ival *x)
{
	v->lo[i] = x->lo;
	v->hi[i] = x->hi;
	v->flags[i] = x->flags;
}

/* ---- gemm.c ---------------------------------------------------------- */

/* c[m][n] = sum_k a[m][k] b[k][n] in double; row-major, on threads. */
void gemm_double(Eval *e, int64_t m, int64_t n, int64_t k, const double *a,
		 const double *b, double *c);
/* The same in twice the precision: c + c2. */
void gemm_double2(Eval *e, int64_t m, int64_t n, int64_t k, const double *a,
		  const double *b, double *c, double *c2);
/* Modulo 2^64. */
void gemm_int(Eval *e, int64_t m, int64_t n, int64_t k, const int64_t *a,
	      const int64_t *b, int64_t *c);

/* ---- tiny.c ---------------------------------------------------------- */

/* Zero at first; the products are below TINY_PRODUCTS in all. */
#define TINY_PRODUCTS 0x1p-900
typedef struct TinySum {
	double sum, rest; /* scaled */
} TinySum;
void tiny_add(TinySum *t, double a, double b);
/*
 * sum: the exact sum of n products of a magnitude t in all, rounded once, but
 * for Dot2's n^2 2^-104 t; sum + rest is off by less than 2^-1074 besides.
 */
void tiny_end(const TinySum *t, double *sum, double *rest);

/* ---- sample.c -------------------------------------------------------- */

/*
 * Above 2^32 multiply-adds: sets the lists of elements to evaluate, one
 * random element of each 16x16 block of a result, and its edges. False:
 * everything is to be evaluated.
 */
bool sample_plan(Eval *e);

/* ---- cache.c --------------------------------------------------------- */

/* What a cached reference depends on, as hex; NULL where o keeps none. */
const char *cache_key(Eval *e, const OracleOptions *o);
/* Fills v (its shape is set) from the folder; false: not there, or damaged. */
bool cache_load(Eval *e, const OracleOptions *o, const char *key, size_t result,
		Ev *v);
void cache_store(Eval *e, const OracleOptions *o, const char *key,
		 size_t result, const Ev *v);

/* ---- relax.c --------------------------------------------------------- */

/* Widens value id (just evaluated) by what its relaxations admit. */
void relax_value(Eval *e, ValueId id);
/* Whether id's sums are to be kept as parts for a later merge. */
bool relax_keeps_parts(const Eval *e, ValueId id);
/* Operands that relax_value(id) will read besides id's own. */
size_t relax_reads(const Eval *e, ValueId id, ValueId out[4]);

#endif
