/*
 * sums: a sum of products in every order that a machine may take.
 *
 * A row of results, out[n] = sum over k of a[k] * b[k][n], is accumulated in
 * f32 by an order: which terms meet in which partial sums. Partial sums are
 * added with one f32 rounding each; a product is rounded to f32 first, or
 * goes into the sum by a fused multiply-add.
 */
#ifndef TENON_REORDERINGS_SUMS_H
#define TENON_REORDERINGS_SUMS_H

#include "base/base.h"

#include <math.h>
#include <string.h>

typedef enum OrderKind {
	ORD_SEQUENCE, /* one accumulator */
	ORD_BLOCKS,   /* a partial sum of each `size` terms */
	ORD_PAIRS,    /* halves of halves down to `size` terms */
	ORD_LANES,    /* `size` accumulators side by side, a tree at the end */
	ORD_THREADS,  /* `size` ranges of 8 lanes each, then in turn */
} OrderKind;

typedef struct Order {
	OrderKind kind;
	int size;
	int shuffle; /* terms: 0 as they come, 1 from the end, else a random
		order of that number */
	bool fma;
	bool from_first; /* starts with the first term, not with 0 */
} Order;

typedef struct Terms {
	const float *a; /* by k; NULL: the terms are b's elements */
	const float *b;
	int64_t step; /* from k to k + 1 in b */
	int64_t n;    /* results side by side */
	const Order *o;
	const int64_t *k; /* terms in the order chosen */
	Arena *arena;
} Terms;

static inline void add_plain(float *restrict s, float a,
			     const float *restrict b, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		float product = a * b[i];
		s[i] = s[i] + product;
	}
}

static inline void add_fused_any(float *restrict s, float a,
				 const float *restrict b, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		s[i] = fmaf(a, b[i], s[i]);
}

#ifdef __x86_64__
__attribute__((target("avx2,fma"))) static inline void
add_fused_avx2(float *restrict s, float a, const float *restrict b, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		s[i] = __builtin_fmaf(a, b[i], s[i]);
}
#endif

static inline void add_fused(float *s, float a, const float *b, int64_t n)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2")) {
		add_fused_avx2(s, a, b, n);
		return;
	}
#endif
	add_fused_any(s, a, b, n);
}

static inline void add_partial(float *restrict s, const float *restrict b,
			       int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		s[i] = s[i] + b[i];
}

/* Every step-th of the terms first .. end-1, one after the other. */
static inline void sum_sequence(const Terms *t, int64_t first, int64_t end,
				int64_t step, float *s)
{
	bool empty = t->o->from_first;

	for (int64_t i = 0; i < t->n; i++)
		s[i] = 0;
	for (int64_t i = first; i < end; i += step) {
		const float *b = t->b + t->k[i] * t->step;
		float a = t->a ? t->a[t->k[i]] : 1;
		if (empty)
			for (int64_t j = 0; j < t->n; j++)
				s[j] = a * b[j];
		else if (t->o->fma && t->a)
			add_fused(s, a, b, t->n);
		else
			add_plain(s, a, b, t->n);
		empty = false;
	}
}

static inline float *row_new(const Terms *t)
{
	return arena_array(t->arena, float, t->n + 1);
}

static inline void sum_pairs(const Terms *t, int64_t first, int64_t end,
			     float *s)
{
	if (end - first <= t->o->size) {
		sum_sequence(t, first, end, 1, s);
		return;
	}
	int64_t middle = first + (end - first) / 2;
	float *right = row_new(t);

	sum_pairs(t, first, middle, s);
	sum_pairs(t, middle, end, right);
	add_partial(s, right, t->n);
}

static inline void sum_lanes(const Terms *t, int64_t first, int64_t end,
			     int lanes, float *s)
{
	float **lane = arena_array(t->arena, float *, lanes);

	for (int l = 0; l < lanes; l++) {
		lane[l] = row_new(t);
		sum_sequence(t, first + l, end, lanes, lane[l]);
	}
	for (int w = 1; w < lanes; w *= 2)
		for (int l = 0; l + w < lanes; l += 2 * w)
			add_partial(lane[l], lane[l + w], t->n);
	memcpy(s, lane[0], (size_t)t->n * sizeof *s);
}

/* Ranges of `size` terms (blocks), or `size` ranges (threads), added up. */
static inline void sum_ranges(const Terms *t, int64_t n, int64_t range,
			      bool lanes, float *s)
{
	float *part = row_new(t);

	for (int64_t at = 0; at < n || at == 0; at += range) {
		float *to = at ? part : s;
		int64_t end = at + range < n ? at + range : n;
		if (lanes)
			sum_lanes(t, at, end, 8, to);
		else
			sum_sequence(t, at, end, 1, to);
		if (at)
			add_partial(s, part, t->n);
	}
}

static inline const int64_t *order_terms(Arena *a, const Order *o, int64_t n)
{
	int64_t *k = arena_array(a, int64_t, n + 1);
	uint64_t x = (uint64_t)o->shuffle * 0x9e3779b97f4a7c15u;

	for (int64_t i = 0; i < n; i++)
		k[i] = o->shuffle == 1 ? n - 1 - i : i;
	for (int64_t i = n - 1; o->shuffle > 1 && i > 0; i--) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		int64_t j = (int64_t)((x >> 33) % (uint64_t)(i + 1));
		int64_t swap = k[i];
		k[i] = k[j];
		k[j] = swap;
	}
	return k;
}

/* out[0 .. t->n-1] summed over n terms by t->o. */
static inline void sum_terms(Terms *t, int64_t n, float *out)
{
	const Order *o = t->o;
	int64_t range = o->size ? o->size : 1;

	t->k = order_terms(t->arena, o, n);
	switch (o->kind) {
	case ORD_SEQUENCE:
		sum_sequence(t, 0, n, 1, out);
		return;
	case ORD_PAIRS:
		sum_pairs(t, 0, n, out);
		return;
	case ORD_LANES:
		sum_lanes(t, 0, n, o->size, out);
		return;
	case ORD_BLOCKS:
		sum_ranges(t, n, range, false, out);
		return;
	case ORD_THREADS:
		range = (n + o->size - 1) / o->size;
		sum_ranges(t, n, range ? range : 1, true, out);
		return;
	}
}

#endif
