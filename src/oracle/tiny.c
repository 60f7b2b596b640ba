/*
 * tiny: sums of products that f64 does not hold.
 *
 * The rest of a product a b rounded to f64 is a double only if it is a
 * multiple of 2^-1074. Where it is not, significands are multiplied instead,
 * whose product and its rest (by fma) are doubles, and both are scaled by
 * 2^SCALE: products below 2^-900 are then below 2^952 and all multiples of
 * 2^-402 or larger ones, so that nothing is lost, and the sum is Dot2's, as
 * gemm.c has it.
 *
 * The end is rounded to f64 once, with subnormals' unit where it is one. What
 * is left of it beside a normal number is cut off to a multiple of 2^-1074:
 * towards zero, so that it is at most half a unit of that number, as it was,
 * and the two added round to the number again.
 */
#include "oracle/eval.h"

#define SCALE 1850
#define UNIT  (SCALE - 1074) /* of f64, scaled */

void tiny_add(TinySum *t, double a, double b)
{
	int ea, eb;
	double s, err;

	if (a == 0 || b == 0)
		return;
	double x = frexp(a, &ea), y = frexp(b, &eb), p = x * y;
	two_sum(t->sum, ldexp(p, ea + eb + SCALE), &s, &err);
	t->sum = s;
	t->rest += ldexp(fma(x, y, -p), ea + eb + SCALE) + err;
}

void tiny_end(const TinySum *t, double *sum, double *rest)
{
	double hi, lo;

	two_sum(t->sum, t->rest, &hi, &lo);
	if (fabs(hi) >= ldexp(1, SCALE - 1022)) {
		*sum = ldexp(hi, -SCALE);
		*rest = ldexp(trunc(ldexp(lo, -UNIT)), -1074);
		return;
	}
	double n = ldexp(hi, -UNIT), near = rint(n);
	if (fabs(n - near) == 0.5 && lo != 0) /* lo says to which side */
		near = lo > 0 ? ceil(n) : floor(n);
	*sum = ldexp(near, -1074);
	*rest = 0;
}
