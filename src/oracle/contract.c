/*
 * contract: matmul, the reference and the interval of every order.
 *
 * Points need two products of double matrices: S = A B and P = |A||B|, from
 * which the sums of positive and negative parts follow as (P +- S) / 2.
 * Intervals are taken as midpoint and radius (Rump, Fast and parallel
 * interval arithmetic, BIT 39, 1999): with M the midpoints and T = (|M|+R)
 * per operand, the sums reach S_mid +- (T_a T_b - |M_a||M_b|). A count of
 * nonzero terms and the lowest set bit are kept for each row of A and each
 * column of B; sum_ends() makes the interval of them.
 *
 * An accumulator that flushes (docs/contract.md, "Matrix units") reads
 * subnormal operands as zeros of their sign, which is done first and leaves no
 * choice; that it may flush sums widens them.
 *
 * Under RELAX_TF32 an operand of f32 is an interval: x, cut off to TF32, or
 * rounded to it, and all between. Cutting off and rounding are monotone, so the
 * ends of an interval give the ends. By midpoint and radius the lower end of a
 * product's magnitude is (|m|-r)(|m'|-r') - 2 r r', at most 2^-21 of it below
 * the least that normal operands reach, where they reach 2^-9 of it: nearly all
 * is theirs. Numbers of TF32 stay points.
 *
 * Equal rows of A and equal columns of B give equal results and are computed
 * once: fixtures that repeat with a prime period cost little at any size.
 */
#include "oracle/eval.h"

#include <float.h>
#include <limits.h>

/* What is known of a row of A or a column of B. */
typedef struct Line {
	double nonzero;
	double most; /* magnitude of the points' largest */
	int lsb;
	uint8_t flags;
	bool finite; /* all points and ends are */
	bool wide;   /* some element is no point */
} Line;

/* One operand of one batch; rows x cols, row-major. */
typedef struct Side {
	int64_t rows, cols;
	const Num *ref, *lo, *hi;
	const uint8_t *flags;
	Line *lines;
	int64_t *unique; /* line -> its representative's number */
	int64_t *first;  /* representative -> line */
	int64_t n;       /* representatives */
} Side;

typedef struct Job {
	Eval *e;
	const Value *v;
	Ev *out;
	int64_t at; /* first element of the batch in out */
	int64_t m, n, k;
	Side a, b;
	bool wide;    /* an operand has intervals */
	AccKind kind; /* of the accumulator */
	bool flush;   /* it flushes subnormals */
	bool mma;     /* it cuts groups of terms off */
	double *ref, *ref2, *mid, *mid2, *abs, *mag; /* products, a.n x b.n */
	Num *u_ref;
	Ival *u; /* results of representatives, a.n x b.n */
	SumParts *u_parts;
} Job;

static void line_init(Line *l)
{
	memset(l, 0, sizeof *l);
	l->lsb = INT_MAX / 2;
	l->finite = true;
}

static void line_add(Line *l, const Side *s, int64_t at)
{
	double lo = s->lo ? s->lo[at].f : s->ref[at].f;
	double hi = s->hi ? s->hi[at].f : lo;
	if (s->flags)
		l->flags |= s->flags[at];
	bool finite = isfinite(lo) && isfinite(hi);
	bool point = !s->lo || s->lo[at].i == s->hi[at].i;
	l->finite &= finite;
	l->wide |= !point;
	if (finite)
		l->most = greatest(l->most, greatest(fabs(lo), fabs(hi)));
	if (lo != 0 || hi != 0) {
		l->nonzero++;
		if (finite && point) {
			int q = lsb_exponent(lo);
			l->lsb = q < l->lsb ? q : l->lsb;
		}
	}
}

static void lines_make(Job *j, Side *s, bool columns)
{
	int64_t n = columns ? s->cols : s->rows;
	s->lines = eval_alloc(j->e, (size_t)(n + 1) * sizeof *s->lines);
	for (int64_t i = 0; i < n; i++)
		line_init(&s->lines[i]);
	for (int64_t r = 0; r < s->rows; r++)
		for (int64_t c = 0; c < s->cols; c++)
			line_add(&s->lines[columns ? c : r], s,
				 r * s->cols + c);
}

/* ---- equal lines ----------------------------------------------------- */

static bool lines_equal(const Side *s, bool columns, int64_t x, int64_t y)
{
	if (!columns)
		return memcmp(s->ref + x * s->cols, s->ref + y * s->cols,
			      (size_t)s->cols * sizeof(Num)) == 0;
	for (int64_t r = 0; r < s->rows; r++)
		if (s->ref[r * s->cols + x].i != s->ref[r * s->cols + y].i)
			return false;
	return true;
}

static void lines_unique(Job *j, Side *s, bool columns)
{
	int64_t n = columns ? s->cols : s->rows;
	size_t bytes = (size_t)(n + 1) * sizeof(int64_t);
	s->unique = eval_alloc(j->e, bytes);
	s->first = eval_alloc(j->e, bytes);
	bool worth = !s->lo && !s->flags && n >= 32 &&
		     j->m * j->k / 1024 * j->n >= 1024;
	if (!worth) {
		for (int64_t i = 0; i < n; i++)
			s->unique[i] = s->first[i] = i;
		s->n = n;
		return;
	}
	uint64_t *hash = eval_alloc(j->e, bytes);
	memset(hash, 0, bytes);
	for (int64_t r = 0; r < s->rows; r++) {
		for (int64_t c = 0; c < s->cols; c++) {
			uint64_t *h = &hash[columns ? c : r];
			*h = (*h ^ (uint64_t)s->ref[r * s->cols + c].i) *
			     0x9e3779b97f4a7c15u;
			*h ^= *h >> 32;
		}
	}
	size_t cap = 64;
	while (cap < (size_t)n * 2)
		cap *= 2;
	int64_t *table = eval_alloc(j->e, cap * sizeof *table);
	memset(table, 0xff, cap * sizeof *table);
	s->n = 0;
	for (int64_t i = 0; i < n; i++) {
		size_t at = hash[i] & (cap - 1);
		for (; table[at] >= 0; at = (at + 1) & (cap - 1)) {
			int64_t f = s->first[table[at]];
			if (hash[f] == hash[i] && lines_equal(s, columns, f, i))
				break;
		}
		if (table[at] < 0) {
			table[at] = s->n;
			s->first[s->n++] = i;
		}
		s->unique[i] = table[at];
	}
	eval_free(j->e, table);
	eval_free(j->e, hash);
}

/* ---- the matrices ---------------------------------------------------- */

enum Part {
	PART_REF,
	PART_MID,
	PART_ABS,
	PART_MAG
};

static double part_of(const Side *s, int64_t at, enum Part part)
{
	double ref = s->ref[at].f;
	if (part == PART_REF || !s->lo || s->lo[at].i == s->hi[at].i) {
		double x = part == PART_REF || !s->lo ? ref : s->lo[at].f;
		return part == PART_REF || part == PART_MID ? x : fabs(x);
	}
	double lo = s->lo[at].f, hi = s->hi[at].f;
	double mid = lo / 2 + hi / 2;
	if (part == PART_MID)
		return mid;
	if (part == PART_ABS)
		return fabs(mid);
	double r = greatest(hi - mid, mid - lo) * (1 + 0x1p-51) + 0x1p-1074;
	return fabs(mid) + r;
}

static double *matrix(Job *j, const Side *s, bool columns, enum Part part)
{
	int64_t rows = columns ? s->rows : s->n;
	int64_t cols = columns ? s->n : s->cols;
	double *out = eval_alloc(j->e, (size_t)(rows * cols + 1) * sizeof *out);
	for (int64_t r = 0; r < rows; r++) {
		int64_t from = (columns ? r : s->first[r]) * s->cols;
		for (int64_t c = 0; c < cols; c++)
			out[r * cols + c] = part_of(
				s, from + (columns ? s->first[c] : c), part);
	}
	return out;
}

/* Replaces *c (a.n x b.n) by the product of one part of each operand. */
static void product(Job *j, enum Part part, double **c, double **c2)
{
	size_t bytes = (size_t)(j->a.n * j->b.n + 1) * sizeof(double);
	double *a = matrix(j, &j->a, false, part);
	double *b = matrix(j, &j->b, true, part);
	*c = eval_alloc(j->e, bytes);
	if (c2) {
		*c2 = eval_alloc(j->e, bytes);
		gemm_double2(j->e, j->a.n, j->b.n, j->k, a, b, *c, *c2);
	} else {
		gemm_double(j->e, j->a.n, j->b.n, j->k, a, b, *c);
	}
	eval_free(j->e, a);
	eval_free(j->e, b);
}

/* ---- one result ------------------------------------------------------ */

static bool all_minus_zero(const Job *j, int64_t row, int64_t col)
{
	for (int64_t k = 0; k < j->k; k++) {
		double p =
			j->a.ref[row * j->k + k].f * j->b.ref[k * j->n + col].f;
		if (!(p == 0 && signbit(p)))
			return false;
	}
	return j->k > 0;
}

/* In eight lanes; for the bound any order will do. */
static double dot_double(const double *a, const double *b, int64_t n)
{
	double s[8] = {0}, sum = 0;
	int64_t k = 0;
	for (; k + 8 <= n; k += 8)
		for (int l = 0; l < 8; l++)
			s[l] += a[k + l] * b[k + l];
	for (; k < n; k++)
		s[k & 7] += a[k] * b[k];
	for (int l = 0; l < 8; l++)
		sum += s[l];
	return sum;
}

/* The same of products that are tiny together. */
static void dot_tiny(const Job *j, int64_t row, int64_t col, enum Part part,
		     double *s, double *c)
{
	TinySum t = {0};
	for (int64_t k = 0; k < j->k; k++)
		tiny_add(&t, part_of(&j->a, row * j->k + k, part),
			 part_of(&j->b, k * j->n + col, part));
	tiny_end(&t, s, c);
}

/* A dot product whose splitting overflowed, or whose operands are huge. */
static void dot_careful(const Job *j, int64_t row, int64_t col, enum Part part,
			double *s, double *c)
{
	double sum = 0, rest = 0;
	for (int64_t k = 0; k < j->k; k++) {
		double a = part_of(&j->a, row * j->k + k, part);
		double b = part_of(&j->b, k * j->n + col, part);
		double p = a * b, t, err;
		if (!isfinite(p) || !isfinite(sum + p)) {
			sum += p;
			continue;
		}
		rest += fma(a, b, -p);
		two_sum(sum, p, &t, &err);
		sum = t;
		rest += err;
	}
	if (isfinite(sum))
		two_sum(sum, rest, s, c);
	else
		*s = sum, *c = 0;
}

static double end_of(const Side *s, int64_t at, bool high)
{
	const Num *n = high ? s->hi : s->lo;
	return (n ? n : s->ref)[at].f;
}

/* The ends of product k, in units of 2^(2 bits); FL_NAN: or NaN. *finite: its
 * operands are. */
static Ival product_ends(const Job *j, int64_t row, int64_t col, int64_t k,
			 int bits, bool *finite)
{
	int64_t x = row * j->k + k, y = k * j->n + col;
	double a[2] = {end_of(&j->a, x, false), end_of(&j->a, x, true)};
	double b[2] = {end_of(&j->b, y, false), end_of(&j->b, y, true)};
	Ival r = {.lo.f = NAN, .hi.f = NAN};
	*finite = isfinite(a[0]) && isfinite(a[1]) && isfinite(b[0]) &&
		  isfinite(b[1]);
	for (int i = 0; i < 4; i++) {
		double p = ldexp(a[i & 1], -bits) * ldexp(b[i >> 1], -bits);
		if (isnan(p))
			r.flags = FL_NAN;
		else if (!(r.lo.f <= p))
			r.lo.f = p;
		if (!isnan(p) && !(r.hi.f >= p))
			r.hi.f = p;
	}
	bool points = a[0] == a[1] && b[0] == b[1];
	if (isnan(r.lo.f) && !isnan(a[0]) && !isnan(b[0]) && !points)
		r.lo.f = r.hi.f = 0; /* numbers between times zero */
	return r;
}

/*
 * Where operands are not finite the products with them decide; the others do
 * only if those of the other sign may overflow before they meet. The products'
 * own sum may have met an overflow, or a split that makes NaN of infinities.
 */
static void dot_infinite(const Job *j, int64_t row, int64_t col, SumParts *s)
{
	double pos = 0, neg = 0, sure = 0;
	bool open = false, finite;
	s->ref = s->ref2 = s->lo2 = s->hi2 = 0;
	for (int64_t k = 0; k < j->k; k++) {
		Ival p = product_ends(j, row, col, k, 0, &finite);
		if (finite) {
			pos += greatest(p.hi.f, 0);
			neg -= least(p.lo.f, 0);
			continue;
		}
		s->ref +=
			j->a.ref[row * j->k + k].f * j->b.ref[k * j->n + col].f;
		if (isnan(p.lo.f) || (p.lo.f == p.hi.f && !p.flags))
			sure += p.lo.f;
		else
			open = true;
	}
	s->lo = open && !isnan(sure) ? -INFINITY : sure;
	s->hi = open && !isnan(sure) ? INFINITY : sure;
	if (!open && isinf(sure) &&
	    sum_may_overflow(j->v->acc, sure > 0 ? neg : pos,
			     (j->mma ? 2 : 1) * (double)j->k))
		s->flags |= FL_NAN;
}

/* The products' sums where double does not hold them. */
static void dot_huge(const Job *j, int64_t row, int64_t col, SumParts *s)
{
	SumHuge h = {0};
	s->terms = 0;
	for (int64_t k = 0; k < j->k; k++) {
		bool finite;
		Ival p = product_ends(j, row, col, k, HUGE_BITS / 2, &finite);
		sum_huge_add(&h, p.lo.f, p.hi.f);
		s->terms += p.lo.f != 0 || p.hi.f != 0;
	}
	s->terms = acc_terms(j->kind, s->terms, (double)j->k);
	if (j->mma) /* its error: sum.c */
		s->terms *= 5;
	sum_overflow(s, &h);
}

/*
 * What groups cut off besides (sum.c): the exponent that a group is aligned to
 * is at most that of the largest operand of a row or column beside the least
 * one that the other's dtype has, where one operand is zero or subnormal. Terms
 * whose lowest bits lie above that are not touched.
 */
static void cut_groups(const Job *j, const Line *la, const Line *lb,
		       SumParts *s)
{
	const Line *line[2] = {la, lb};
	const Fmt *f = &fmt_info[DT_F32];
	int unit = INT_MIN;

	s->groups = j->kind == ACC_ANY
			    ? s->terms * (4.0 / 3)
			    : least(s->terms, floor(((double)j->k + 3) / 4));
	for (int i = 0; i < 2; i++) {
		DType other = j->e->v[j->v->args[1 - i]].dtype;
		int e = fmt_info[other].emin;
		if (line[i]->most > 0)
			e += ilogb(line[i]->most);
		unit = e > unit ? e : unit;
	}
	unit -= f->p;
	if (unit < f->emin - f->p + 1)
		unit = f->emin - f->p + 1;
	if (s->terms == 0 || (s->lsb != INT_MIN && s->lsb >= unit))
		return;
	s->cut = true;
	s->extra += (s->terms + 3 * s->groups) * ldexp(1, unit);
}

/* Bits of the products, which the unit makes of numbers of TF32 where operands
 * are f32. */
static int product_bits(const Job *j)
{
	int bits = 0;
	for (int i = 0; i < 2; i++) {
		DType d = j->e->v[j->v->args[i]].dtype;
		bool cut = j->mma && j->kind != ACC_ANY && d == DT_F32;
		bits += cut ? TF32_BITS : dtype_info[d].precision;
	}
	return bits;
}

/*
 * Whether products of f64, or the last bits of one, may lie below the least
 * f64. Each rounding to f64 of a product, or of a part of a split one, is then
 * off by half a unit, 2^-1075, besides u of itself. There are fewer than 32 of
 * these a product in what is summed here, which is hence off by less than k
 * 2^-1070 more. In a legal sum each term is rounded once with its product,
 * alone or by a multiply-add: half a unit more a term, as wherever products
 * underflow in acc. Sums below 2^-900 are made without these errors (tiny.c).
 */
static bool may_underflow(const Job *j, const Line *la, const Line *lb,
			  bool wide)
{
	if (j->v->acc != DT_F64 || la->nonzero == 0 || lb->nonzero == 0)
		return false;
	if (j->e->v[j->v->args[0]].dtype != DT_F64)
		return false;
	return wide || la->lsb + lb->lsb < -1074;
}

/* The parts of the sum of a row and a column; at: where its products are. */
static void parts_of(const Job *j, int64_t at, int64_t row, int64_t col,
		     SumParts *s)
{
	DType acc = j->v->acc;
	const Line *la = &j->a.lines[row], *lb = &j->b.lines[col];
	bool wide = j->wide && (la->wide || lb->wide);
	bool finite = la->finite && lb->finite;
	memset(s, 0, sizeof *s);
	s->flags = la->flags | lb->flags;
	s->flush = j->flush;
	s->ref = s->lo = s->hi = j->ref[at];
	if (j->ref2)
		s->ref2 = s->lo2 = s->hi2 = j->ref2[at];
	if (!finite) {
		dot_infinite(j, row, col, s);
		return;
	}
	double k = (double)j->k, p = j->abs ? j->abs[at] : 0, prop = 0;
	double t = j->mag ? j->mag[at] : p;
	bool underflow = may_underflow(j, la, lb, wide);
	double lost = underflow ? k * 0x1p-1070 : 0;
	bool tiny = underflow && t + lost < TINY_PRODUCTS;
	if (tiny)
		dot_tiny(j, row, col, PART_REF, &s->ref, &s->ref2);
	else if (j->ref2 && !isfinite(s->ref)) /* the split's parts overflow */
		dot_careful(j, row, col, PART_REF, &s->ref, &s->ref2);
	s->lo = s->hi = s->ref;
	s->lo2 = s->hi2 = s->ref2;
	bool huge = j->ref2 && !(t < DBL_MAX / 2 && isfinite(s->ref));
	if (huge) {
		t = least(t, DBL_MAX); /* of a sum of two such: err, extra */
		if (wide)
			s->lo = s->hi = NAN;
		dot_huge(j, row, col, s);
	} else if (wide) {
		prop = t - p + k * 0x1p-51 * t + lost;
		s->lo = s->hi = j->mid[at];
		s->lo2 = s->hi2 = j->mid2 ? j->mid2[at] : 0;
		if (tiny)
			dot_tiny(j, row, col, PART_MID, &s->lo, &s->lo2);
		else if (j->mid2 && !isfinite(s->lo))
			dot_careful(j, row, col, PART_MID, &s->lo, &s->lo2);
		s->hi = s->lo;
		s->hi2 = s->lo2;
		if (j->ref2 && !j->mid2) /* listed: midpoints in double */
			prop += k * 0x1p-52 * t;
	}
	s->terms = acc_terms(j->kind, least(la->nonzero, lb->nonzero), k);
	s->lsb = wide ? INT_MIN : la->lsb + lb->lsb;
	double slack = k * 0x1p-52 * t + lost, middle = s->lo;
	bool exact = !wide && s->lsb < 900 && s->lsb > -1000 &&
		     p <= ldexp(1, 52 + s->lsb);
	if (j->ref2)
		s->err = exact ? 0
			       : k * k * (huge ? 0x1p-103 : 0x1p-104) * t +
					 (tiny ? 0x1p-1074 : lost);
	else
		s->err = exact ? 0 : slack;
	if (exact)
		slack = 0;
	if (!huge) {
		s->pos = greatest((t + middle + prop) / 2 + slack, 0);
		s->neg = greatest((t - middle + prop) / 2 + slack, 0);
	}
	if (t == 0 && !underflow)
		s->pos = s->neg = 0;
	s->lo -= prop;
	s->hi += prop;
	const Fmt *f = &fmt_info[acc];
	if (product_bits(j) > f->p)
		s->extra = ldexp(t, huge ? 1 - f->p : -f->p) * (1 + 0x1p-40);
	if (s->lsb == INT_MIN || s->lsb < f->emin - f->p + 1)
		s->extra += s->terms * fmt_ulp(acc, 0) / 2;
	if (underflow) /* by as much the lines above are rounded */
		s->extra += 2 * fmt_ulp(acc, 0);
	if (j->mma)
		cut_groups(j, la, lb, s);
	if (s->flush && s->lsb < f->emin)
		s->extra += 2 * s->terms * ldexp(1, f->emin);
	if (t == 0)
		s->minus_zero = wide || all_minus_zero(j, row, col);
}

static void results_work(void *arg, int64_t first, int64_t end)
{
	Job *j = arg;
	for (int64_t x = first; x < end; x++) {
		for (int64_t y = 0; y < j->b.n; y++) {
			int64_t at = x * j->b.n + y;
			SumParts s;
			parts_of(j, at, j->a.first[x], j->b.first[y], &s);
			sum_ends(j->v->acc, j->v->dtype, j->e->acc_margin, &s,
				 &j->u_ref[at], &j->u[at]);
			if (j->u_parts)
				j->u_parts[at] = s;
		}
	}
}

/* Whether one result has more than one legal value. */
static bool any_wide(const Job *j)
{
	for (int64_t i = 0; i < j->a.n * j->b.n; i++)
		if (!ival_is_point(&j->u[i]))
			return true;
	return false;
}

static void spread_work(void *arg, int64_t first, int64_t end)
{
	Job *j = arg;
	for (int64_t r = first; r < end; r++) {
		int64_t row = j->a.unique[r] * j->b.n;
		for (int64_t c = 0; c < j->n; c++) {
			int64_t from = row + j->b.unique[c];
			int64_t to = j->at + r * j->n + c;
			j->out->ref[to] = j->u_ref[from];
			if (j->out->lo)
				ev_set(j->out, to, &j->u[from]);
			if (j->out->parts)
				j->out->parts[to] = j->u_parts[from];
		}
	}
}

static void batch_floats(Job *j)
{
	Eval *e = j->e;
	bool twice = j->v->acc == DT_F64;
	lines_make(j, &j->a, false);
	lines_make(j, &j->b, true);
	lines_unique(j, &j->a, false);
	lines_unique(j, &j->b, true);
	j->wide = e->intervals && (j->a.lo || j->b.lo);
	product(j, PART_REF, &j->ref, twice ? &j->ref2 : NULL);
	if (e->intervals)
		product(j, PART_ABS, &j->abs, NULL);
	if (j->wide) {
		product(j, PART_MID, &j->mid, twice ? &j->mid2 : NULL);
		product(j, PART_MAG, &j->mag, NULL);
	}
	size_t n = (size_t)(j->a.n * j->b.n + 1);
	j->u_ref = eval_alloc(e, n * sizeof *j->u_ref);
	j->u = eval_alloc(e, n * sizeof *j->u);
	if (j->out->parts)
		j->u_parts = eval_alloc(e, n * sizeof *j->u_parts);
	eval_parallel(e->threads, j->a.n, 4096 / (j->b.n + 1) + 1, results_work,
		      j);
	if (e->intervals && any_wide(j))
		ev_widen(e, j->out);
	eval_parallel(e->threads, j->m, 65536 / (j->n + 1) + 1, spread_work, j);
	void *used[] = {j->ref,     j->ref2,     j->mid,      j->mid2,
			j->abs,     j->mag,      j->u_ref,    j->u,
			j->u_parts, j->a.lines,  j->a.unique, j->a.first,
			j->b.lines, j->b.unique, j->b.first};
	for (size_t i = 0; i < ARRAY_LEN(used); i++)
		eval_free(e, used[i]);
	j->ref2 = j->mid = j->mid2 = j->abs = j->mag = NULL;
	j->u_parts = NULL;
}

/* ---- integers -------------------------------------------------------- */

__extension__ typedef __int128 Wide;

static Ival ints_interval(const Job *j, int64_t row, int64_t col)
{
	DType d = j->v->dtype;
	Wide lo = 0, hi = 0;
	for (int64_t k = 0; k < j->k; k++) {
		int64_t p = row * j->k + k, q = k * j->n + col;
		Wide al = j->a.lo ? j->a.lo[p].i : j->a.ref[p].i;
		Wide ah = j->a.lo ? j->a.hi[p].i : al;
		Wide bl = j->b.lo ? j->b.lo[q].i : j->b.ref[q].i;
		Wide bh = j->b.lo ? j->b.hi[q].i : bl;
		Wide c[4] = {al * bl, al * bh, ah * bl, ah * bh};
		Wide least_c = c[0], most = c[0];
		for (int i = 1; i < 4; i++) {
			least_c = c[i] < least_c ? c[i] : least_c;
			most = c[i] > most ? c[i] : most;
		}
		lo += least_c;
		hi += most;
	}
	Ival r = ival_full(d);
	if (lo == hi) {
		r.lo.i = r.hi.i = int_wrap(d, (int64_t)lo);
		r.flags = 0;
	} else if (d != DT_U64 && lo >= int_min(d) && hi <= int_max(d)) {
		r.lo.i = (int64_t)lo;
		r.hi.i = (int64_t)hi;
	}
	return r;
}

static void batch_ints(Job *j)
{
	gemm_int(j->e, j->m, j->n, j->k, &j->a.ref->i, &j->b.ref->i,
		 &j->out->ref[j->at].i);
	for (int64_t i = 0; i < j->m * j->n; i++) {
		Num *r = &j->out->ref[j->at + i];
		r->i = int_wrap(j->v->acc, r->i);
		*r = point_cast(j->v->acc, j->v->dtype, *r);
		if (j->out->lo) {
			Ival x = ints_interval(j, i / j->n, i % j->n);
			ev_set(j->out, j->at + i, &x);
		}
	}
}

/* ---- listed elements only -------------------------------------------- */

typedef struct Listed {
	Job *j;
	enum Part part;
	const double *a, *bt; /* rows of A, columns of B, K each */
	double *c, *c2;
} Listed;

static void dots_work(void *arg, int64_t first, int64_t end)
{
	Listed *l = arg;
	const Job *j = l->j;
	for (int64_t i = first; i < end; i++) {
		int64_t at = j->out->list[i];
		int64_t row = at / j->n % j->m, col = at % j->n;
		if (l->c2)
			dot_careful(j, row, col, l->part, &l->c[i], &l->c2[i]);
		else
			l->c[i] = dot_double(l->a + row * j->k,
					     l->bt + col * j->k, j->k);
	}
}

static void dots(Job *j, enum Part part, double **c, double **c2)
{
	Listed l = {.j = j, .part = part};
	size_t n = (size_t)j->out->n + 1;
	double *a = NULL, *bt = NULL;
	*c = l.c = eval_alloc(j->e, n * sizeof(double));
	if (c2) {
		*c2 = l.c2 = eval_alloc(j->e, n * sizeof(double));
	} else {
		a = matrix(j, &j->a, false, part);
		bt = eval_alloc(j->e, (size_t)(j->k * j->n + 1) * sizeof *bt);
		for (int64_t k = 0; k < j->k; k++)
			for (int64_t y = 0; y < j->n; y++)
				bt[y * j->k + k] =
					part_of(&j->b, k * j->n + y, part);
	}
	l.a = a;
	l.bt = bt;
	eval_parallel(j->e->threads, j->out->n, 256, dots_work, &l);
	eval_free(j->e, a);
	eval_free(j->e, bt);
}

static void listed_work(void *arg, int64_t first, int64_t end)
{
	Job *j = arg;
	for (int64_t i = first; i < end; i++) {
		int64_t at = j->out->list[i];
		SumParts s;
		Ival x;
		parts_of(j, i, at / j->n % j->m, at % j->n, &s);
		sum_ends(j->v->acc, j->v->dtype, j->e->acc_margin, &s,
			 &j->out->ref[i], &x);
		ev_set(j->out, i, &x);
	}
}

/* One batch of floats; sample_plan() lists no others. */
static void listed(Job *j, const Ev *a, const Ev *b)
{
	Eval *e = j->e;
	bool twice = j->v->acc == DT_F64;
	j->a = (Side){.rows = j->m,
		      .cols = j->k,
		      .ref = a->ref,
		      .lo = a->lo,
		      .hi = a->hi,
		      .flags = a->flags,
		      .n = j->m};
	j->b = (Side){.rows = j->k,
		      .cols = j->n,
		      .ref = b->ref,
		      .lo = b->lo,
		      .hi = b->hi,
		      .flags = b->flags,
		      .n = j->n};
	j->wide = a->lo || b->lo;
	lines_make(j, &j->a, false);
	lines_make(j, &j->b, true);
	int64_t *rows = eval_alloc(e, (size_t)(j->m + 1) * sizeof *rows);
	for (int64_t i = 0; i < j->m; i++)
		rows[i] = i;
	j->a.first = rows;
	dots(j, PART_REF, &j->ref, twice ? &j->ref2 : NULL);
	dots(j, PART_ABS, &j->abs, NULL);
	if (j->wide) {
		dots(j, PART_MID, &j->mid, NULL);
		dots(j, PART_MAG, &j->mag, NULL);
	}
	ev_widen(e, j->out);
	eval_parallel(e->threads, j->out->n, 4096, listed_work, j);
	void *used[] = {rows,   j->ref, j->ref2,    j->mid,
			j->abs, j->mag, j->a.lines, j->b.lines};
	for (size_t i = 0; i < ARRAY_LEN(used); i++)
		eval_free(e, used[i]);
}

/* ---- operands that are flushed ---------------------------------------- */

static double flush(double x)
{
	return fabs(x) < ldexp(1, fmt_info[DT_F32].emin) ? copysign(0, x) : x;
}

static Num *flush_all(Eval *e, const Num *x, int64_t n)
{
	if (!x)
		return NULL;
	Num *out = eval_nums(e, n);
	for (int64_t i = 0; i < n; i++)
		out[i].f = flush(x[i].f);
	return out;
}

/* Flushing is monotone: the ends of an interval stay its ends. */
static Ev flushed(Eval *e, const Ev *x)
{
	Ev out = *x;
	out.ref = flush_all(e, x->ref, x->n);
	out.lo = flush_all(e, x->lo, x->n);
	out.hi = flush_all(e, x->hi, x->n);
	return out;
}

static void flushed_free(Eval *e, Ev *x)
{
	eval_free(e, x->ref);
	eval_free(e, x->lo);
	eval_free(e, x->hi);
}

/* ---- operands in TF32 ------------------------------------------------- */

bool takes_tf32(const Eval *e, ValueId id)
{
	const Value *v = program_value(e->p, id);
	return op_info[v->op].cls == OPC_CONTRACT && (v->relax & RELAX_TF32) &&
	       v->acc == DT_F32 &&
	       program_value(e->p, v->args[0])->dtype == DT_F32 &&
	       program_value(e->p, v->args[1])->dtype == DT_F32;
}

#define LOST (53 - TF32_BITS) /* bits of a double that TF32 has not */

/* x cut off to TF32, or rounded to it, ties away from zero. Its subnormals are
 * multiples of 2^-136; what would round to infinity is cut off. */
static double to_tf32(double x, bool nearest)
{
	Num u = {.f = x};
	if (!isfinite(x))
		return x;
	if (fabs(x) < ldexp(1, fmt_info[DT_F32].emin)) {
		double t = ldexp(x, 136);
		return ldexp(nearest ? round(t) : trunc(t), -136);
	}
	if (nearest)
		u.i += (int64_t)1 << (LOST - 1);
	u.i &= -((int64_t)1 << LOST);
	return fabs(u.f) > fmt_info[DT_F32].max ? to_tf32(x, false) : u.f;
}

static double tf32_end(double x, bool upper)
{
	double cut = to_tf32(x, false), near = to_tf32(x, true);
	if (isnan(x))
		return x;
	return upper ? greatest(x, greatest(cut, near))
		     : least(x, least(cut, near));
}

typedef struct Widening {
	const Ev *from;
	Ev *to;
} Widening;

static void tf32_work(void *arg, int64_t first, int64_t end)
{
	const Widening *w = arg;
	for (int64_t i = first; i < end; i++) {
		Ival x = ev_ival(w->from, i);
		w->to->ref[i] = w->from->ref[i];
		x.lo.f = tf32_end(x.lo.f, false);
		x.hi.f = tf32_end(x.hi.f, true);
		ev_set(w->to, i, &x);
	}
}

static Ev in_tf32(Eval *e, const Ev *x)
{
	Ev out = *x;
	Widening w = {.from = x, .to = &out};
	out.ref = eval_nums(e, x->n);
	out.lo = eval_nums(e, x->n);
	out.hi = eval_nums(e, x->n);
	out.flags = eval_alloc(e, (size_t)x->n);
	out.parts = NULL;
	eval_parallel(e->threads, x->n, 16384, tf32_work, &w);
	ev_collapse(e, &out);
	return out;
}

static void contract_with(Eval *e, ValueId id, const Ev *a, const Ev *b,
			  AccKind acc)
{
	const Value *v = program_value(e->p, id);
	Ev *out = &e->v[id];
	int rank = v->rank;
	Job j = {.e = e,
		 .v = v,
		 .out = out,
		 .flush = acc_flushes(acc),
		 .kind = acc,
		 .mma = acc_cuts(acc)};
	j.m = out->shape[rank - 2];
	j.n = out->shape[rank - 1];
	j.k = a->shape[rank - 1];
	bool fl = dtype_is_float(v->dtype);
	out->ref = eval_nums(e, out->n);
	if (e->intervals && !fl && (a->lo || b->lo)) {
		out->lo = eval_nums(e, out->n);
		out->hi = eval_nums(e, out->n);
		out->flags = eval_alloc(e, (size_t)out->n);
	}
	if (relax_keeps_parts(e, id))
		out->parts = eval_alloc(e, (size_t)out->n * sizeof(SumParts));
	if (out->list) {
		listed(&j, a, b);
		ev_collapse(e, out);
		return;
	}
	int64_t batches = out->n ? out->n / (j.m * j.n) : 0;
	for (int64_t t = 0; t < batches; t++) {
		int64_t pa = t * j.m * j.k, pb = t * j.k * j.n;
		j.at = t * j.m * j.n;
		j.a = (Side){.rows = j.m, .cols = j.k, .ref = a->ref + pa};
		j.b = (Side){.rows = j.k, .cols = j.n, .ref = b->ref + pb};
		if (a->lo) {
			j.a.lo = a->lo + pa;
			j.a.hi = a->hi + pa;
			j.a.flags = a->flags + pa;
		}
		if (b->lo) {
			j.b.lo = b->lo + pb;
			j.b.hi = b->hi + pb;
			j.b.flags = b->flags + pb;
		}
		if (fl)
			batch_floats(&j);
		else
			batch_ints(&j);
	}
	ev_collapse(e, out);
}

void contract_eval(Eval *e, ValueId id)
{
	const Value *v = program_value(e->p, id);
	const Ev *a = &e->v[v->args[0]], *b = &e->v[v->args[1]];
	AccKind acc = e->acc ? e->acc[id] : ACC_IEEE;
	if (e->intervals && takes_tf32(e, id)) {
		Ev ta = in_tf32(e, a), tb = in_tf32(e, b);
		contract_with(e, id, &ta, &tb, acc);
		ev_free(e, &ta);
		ev_free(e, &tb);
		return;
	}
	if (!acc_flushes(acc)) {
		contract_with(e, id, a, b, acc);
		return;
	}
	Ev fa = flushed(e, a), fb = flushed(e, b);
	contract_with(e, id, &fa, &fb, acc);
	flushed_free(e, &fa);
	flushed_free(e, &fb);
}
