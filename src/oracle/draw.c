/*
 * draw: numbers that are the same on every machine, in any order.
 *
 * A counter-based generator: the finaliser of SplitMix64 (Steele, Lea,
 * Flood, Fast splittable pseudorandom number generators, 2014) of counter
 * and key. A normal deviate is the sum of twelve uniform 32-bit numbers less
 * its mean (Irwin-Hall): exact in integers, variance 1, no library call.
 * Its tails end at 6, which no fixture needs more of.
 */
#include "oracle/fixture.h"

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

uint64_t draw_bits(uint64_t key, uint64_t i)
{
	return mix(key + (i + 1) * 0x9e3779b97f4a7c15u);
}

uint64_t draw_key(uint64_t seed, uint64_t a, uint64_t b)
{
	return mix(mix(mix(seed + 1) ^ (a + 0x632be59bd9b4e019u)) ^
		   (b + 0x9e3779b97f4a7c15u));
}

double draw_normal(uint64_t key, uint64_t i)
{
	int64_t sum = 0;
	for (uint64_t k = 0; k < 6; k++) {
		uint64_t x = draw_bits(key, i * 6 + k);
		sum += (int64_t)(x >> 32) + (int64_t)(x & 0xffffffff);
	}
	sum -= 6 * ((int64_t)1 << 32);
	/* Low bits too, for f64. */
	return (double)sum * (0x1p-32 + 0x1p-59);
}
