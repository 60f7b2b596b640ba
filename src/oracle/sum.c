/*
 * sum: what a sum may come to when its terms are added in any order.
 *
 * Let the accumulator have unit roundoff u = 2^-p, n terms that may be
 * nonzero, P the sum of the positive and N of the negative ones' magnitudes.
 * Any order is a binary tree with n - 1 additions (adding 0 is exact). A
 * partial sum without rounding lies in [-N, P], so |partial| <= B =
 * max(P, N); with the errors E so far it is at most B + E, and its rounding
 * is at most half the unit in the last place there, u * 2^floor(log2(B+E)).
 * Hence E <= (n-1) u B / (1 - (n-1) u), and the error of the whole is at
 * most (n-1) u 2^floor(log2(B+E)). This is Higham's (4.4) (Accuracy and
 * Stability of Numerical Algorithms, 2nd ed., §4.2) with max(P, N) in place
 * of the sum of magnitudes, and with the step of rounding kept. Additions
 * do not underflow: a tiny sum is exact.
 *
 * Exact sums: if all terms are multiples of q = 2^lsb and B <= 2^p q, every
 * partial sum is representable, and every order gives the exact sum. The
 * same holds for products under it, so that their rounding drops out too.
 *
 * A lone nonzero term is rounded once, by a fused or a separate product, and
 * adding zeros leaves it: a point.
 *
 * Overflow: if P + E reaches the threshold, some order overflows upwards;
 * the interval then reaches to infinity, and to NaN if the other sign can
 * overflow as well.
 *
 * Matrix units that flush: each addition, and each product that meets a zero,
 * may turn a subnormal result into a zero, which is off by less than 2^emin.
 * n terms make n - 1 additions and n products at most, so that the sum is off
 * by less than 2n 2^emin besides (`extra`, added by contract.c). If all terms
 * are multiples of 2^emin no partial sum is subnormal, and nothing flushes.
 *
 * A GPU's matrix unit (ACC_MMA) adds groups of at least four exact products and
 * the sum so far: it aligns them to the largest exponent e among them, cuts
 * each off at 2^(e - 24) or below (one bit more than f32 has, sm_80; two,
 * sm_90), adds exactly, and cuts the sum off to f32 (Fasi, Higham, Mikaitis and
 * Pranesh, Numerical behavior of NVIDIA tensor cores, PeerJ CS 7:e330, 2021;
 * Khattak and Mikaitis, Accurate models of NVIDIA tensor cores,
 * arXiv:2512.07004). Those of TF32 are four on sm_80 to sm_89 and eight on
 * sm_90 and later, as wide as four and eight words of 32 bits, with the same
 * alignment (Xie et al., MMA-Sim, arXiv:2511.10909), so that the eight elements
 * of an instruction are two groups at most. Every summand and every sum is at
 * most B + E, so that n terms in G groups lose less than 2^-24
 * 2^floor(log2(B+E)) for each term and each sum so far, and twice that for each
 * result: with u = 2^-24, (n + 3 G) u in place of (n - 1) u. Groups whose
 * products are zeros change nothing, hence G <= n. Parts of K may be summed
 * apart, whole groups each, and added in f32: the first group of a part has no
 * sum so far, and so loses 1 less in the place of which its part is added, with
 * half an ulp, which is no more; hence parts need nothing besides. If all terms
 * are multiples of q and B <= 2^24 q then e
 * <= 24 + log2 q, nothing is cut off, and the sum is exact as above. What that
 * leaves is said in contract.c: e is taken from the operands' exponents, which
 * for zeros and subnormals are larger than their products'.
 *
 * A library's product (ACC_ANY) may be made of such groups of any size, of
 * multiply-adds and of sums of parts of K, in any order. A group that changes
 * anything has a nonzero term, hence G <= n; adding a nonzero term or a part
 * that is not zero by an addition that rounds to nearest loses half an ulp of
 * its result, at most u 2^floor(log2(B+E)), and there are n - 1 of these at
 * most: n + 3 n + n in place of n + 3 G.
 *
 * The sign of a zero sum: x + -x and +0 + -0 are +0. Only if every term is
 * -0 do a sum started from +0 and one started from its first term differ,
 * and both are legal.
 */
#include "oracle/eval.h"

#include <float.h>
#include <limits.h>

double sum_error(DType acc, const SumParts *s, double *big)
{
	const Fmt *f = &fmt_info[acc];
	double u = ldexp(1, -f->p);
	double b = greatest(s->pos, s->neg) * (1 + 0x1p-40);
	double n = s->terms > 1 ? s->terms - 1 : 0;
	if (s->groups > 0 && n > 0)
		n = s->terms + 3 * s->groups;
	*big = b;
	if (n == 0 || b == 0)
		return 0;
	if (n * u >= 0.25) { /* the bound says nothing any more */
		*big = INFINITY;
		return INFINITY;
	}
	b += s->extra;
	b += n * u * b / (1 - n * u);
	*big = b;
	/* An order that overflows ends in infinity or NaN; the others have
	 * finite partial sums. */
	return n * u * pow2_floor(least(b, f->max)) * (1 + 0x1p-40);
}

bool sum_may_overflow(DType acc, double size, double terms)
{
	const Fmt *f = &fmt_info[acc];
	double top = acc == DT_F64 ? f->max : f->overflow;
	double u = ldexp(1, -f->p);
	if (terms <= 1)
		return size >= top;
	if (terms * u >= 0.25) /* the bound says nothing any more */
		return size > 0;
	return !(size * (1 + terms * u / (1 - terms * u)) < top);
}

/* Where infinities or NaN are among the terms. */
static bool not_finite(DType acc, DType d, const SumParts *s, Num *ref,
		       Ival *out)
{
	if (isfinite(s->ref) && isfinite(s->lo) && isfinite(s->hi))
		return false;
	ref->f = fmt_round(d, s->ref);
	if (isfinite(s->ref))
		ref->f = fmt_round(d, fmt_round2(acc, s->ref, s->ref2));
	bool point = s->lo == s->hi || (isnan(s->lo) && isnan(s->hi));
	if (point) {
		out->lo.f = out->hi.f = ref->f;
		out->flags = s->flags;
	} else if (isfinite(s->lo) || isfinite(s->hi)) { /* overflow */
		out->lo.f = fmt_round(d, s->lo);
		out->hi.f = fmt_round(d, s->hi);
		out->flags = s->flags;
	} else {
		*out = ival_full(d);
		out->flags |= s->flags | FL_NAN;
	}
	return true;
}

void sum_huge_add(SumHuge *h, double lo, double hi)
{
	h->lo += lo;
	h->hi += hi;
	h->pos += greatest(hi, 0);
	h->neg -= least(lo, 0);
}

/* Of units of 2^HUGE_BITS; infinite where it does not fit. */
static double huge_value(double x)
{
	return ldexp(x, HUGE_BITS);
}

/*
 * As if exponents had no bound, an order is off by (n-1) u B at most, and the
 * sums in h, of products that were rounded, by 2 (n+1) u B: an end that is
 * beyond the largest double by all that is infinite in every order. A partial
 * sum reaches infinity only where P or N does.
 */
void sum_overflow(SumParts *s, const SumHuge *h)
{
	double top = ldexp(DBL_MAX, -HUGE_BITS);
	double big = greatest(h->pos, h->neg);
	double own = s->terms > 1 ? 0x1p-52 * (s->terms + 1) * big : 0;
	bool up = h->pos + 2 * own > top, down = h->neg + 2 * own > top;

	s->pos = huge_value(h->pos + own);
	s->neg = huge_value(h->neg + own);
	if (!isfinite(s->ref)) {
		s->ref = huge_value(h->lo / 2 + h->hi / 2);
		s->ref2 = 0;
	}
	bool point = s->lo == s->hi && s->lo2 == s->hi2;
	if (!up && !down && point && isfinite(s->lo))
		return;
	if (up || down)
		own *= 2;
	s->lo = down ? -INFINITY : huge_value(h->lo - own);
	s->hi = up ? INFINITY : huge_value(h->hi + own);
	s->lo2 = s->hi2 = 0;
	if (s->lo == s->hi)
		s->ref = s->lo;
}

void sum_ends(DType acc, DType d, int margin, const SumParts *s, Num *ref,
	      Ival *out)
{
	const Fmt *f = &fmt_info[acc];
	if (not_finite(acc, d, s, ref, out))
		return;
	double in_acc = fmt_round2(acc, s->ref, s->ref2);
	ref->f = fmt_round(d, in_acc);
	out->flags = s->flags;
	double big = greatest(s->pos, s->neg);
	int finest = s->flush ? f->emin : f->emin - f->p + 1;
	bool multiples = s->lsb != INT_MIN && s->lsb >= finest && s->lsb < 1000;
	double whole = multiples ? ldexp(1, f->p - margin + s->lsb) : 0;
	/* f64: big itself may have been rounded down to the limit */
	bool fits = acc == DT_F64 ? big < whole : big <= whole;
	if (multiples && big <= f->max && fits && !s->cut) {
		out->lo.f = out->hi.f = ref->f;
		if (s->minus_zero)
			out->lo.f = -0.0;
		return;
	}
	/* At most one term: its own rounding is all there is. */
	bool lone = s->terms <= 1 && s->lo == s->hi && s->lo2 == s->hi2;
	if (s->flush && fabs(in_acc) <= ldexp(1, f->emin))
		lone = false; /* it may be flushed */
	if (s->cut)
		lone = false;
	if (lone && big > 0 && s->operands < 2 && !s->aside) {
		out->lo.f = out->hi.f = ref->f;
		if (in_acc == 0) /* a product rounds to -0, and +0 is added */
			out->hi.f = 0;
		if (in_acc == 0 && s->minus_zero)
			out->lo.f = -0.0;
		return;
	}
	if (big == 0 && !s->cut) { /* zeros only */
		out->lo.f = s->minus_zero ? -0.0 : 0.0;
		out->hi.f = 0;
		return;
	}
	double r = sum_error(acc, s, &big) + s->extra + s->err;
	if (isinf(r)) /* no bound: nothing is judged here */
		out->flags |= FL_UNDECIDED;
	double lo = s->lo - r + s->lo2, hi = s->hi + r + s->hi2;
	if (acc == DT_F64) { /* the lines above round to f64 themselves */
		lo = r > 0 ? fmt_prev(acc, lo) : lo;
		hi = r > 0 ? fmt_next(acc, hi) : hi;
	}
	lo = fmt_up(acc, lo);
	hi = fmt_down(acc, hi);
	double grow = big - greatest(s->pos, s->neg);
	double top = acc == DT_F64 ? f->max : f->overflow;
	bool up = !(s->pos + grow < top), down = !(s->neg + grow < top);
	if (up)
		hi = INFINITY;
	if (down)
		lo = -INFINITY;
	if (isnan(lo))
		lo = -INFINITY;
	if (isnan(hi))
		hi = INFINITY;
	if (up && down)
		out->flags |= FL_NAN;
	out->lo.f = least(fmt_round(d, lo), ref->f);
	out->hi.f = greatest(fmt_round(d, hi), ref->f);
}
