/*
 * fixture: inputs of each family, filled in parallel from (family, seed).
 *
 * random, search   activations N(0,1), weights N(0,1)/sqrt(K), gains near 1
 * narrow           rows of two or four nonzeros, so that sums have few terms
 *                  and functions saturate; under reductions of equal size and
 *                  both signs: the norm is a power of two, the mean is 0
 * structured       ramps; rows with a mean of 1e4 under reductions, in steps
 *                  so coarse that their sum is exact
 * cancellation     neighbours along K that nearly cancel
 * specials         NaN, infinities, largest values in few rows and columns, so
 *                  that most elements stay finite; -0 and subnormals in all,
 *                  and rows of nothing else
 * sentinels        see boundary() and join()
 * exact            exact.c
 */
#include "oracle/fixture.h"

#include <stdio.h>

const char *const family_name[FAM_COUNT] = {
	[FAM_EXACT] = "exact",
	[FAM_SEARCH] = "search",
	[FAM_RANDOM] = "random",
	[FAM_NARROW] = "narrow",
	[FAM_ZEROS] = "zeros",
	[FAM_STRUCTURED] = "structured",
	[FAM_CANCELLATION] = "cancellation",
	[FAM_SPECIALS] = "specials",
	[FAM_SENTINEL_BOUNDARY] = "sentinel-boundary",
	[FAM_SENTINEL_JOIN] = "sentinel-join",
};

typedef struct Fill {
	const Roles *rs;
	const Role *r;
	const Ev *shape;
	Family family;
	ExactLevel level;
	uint64_t key;
	uint64_t
		pair_key; /* shared by every second weight and the one before */
	double scale;
	Tensor *out;
} Fill;

/* Where an element is: its flat number, and its row and place along K. */
typedef struct Place {
	const int64_t *index;
	uint64_t flat;
	uint64_t row;  /* a hash of the key and of all axes but k_axis */
	uint64_t line; /* the number of those axes' element */
	uint64_t k;
} Place;

static double gain_of(const Fill *f, const Place *at)
{
	return 1 + 0.125 * draw_normal(f->key, at->flat);
}

static double plain(const Fill *f, const Place *at)
{
	if (f->r->gain)
		return gain_of(f, at);
	double x = draw_normal(f->key, at->flat) * f->scale;
	return f->r->positive ? fabs(x) + 0.125 : x;
}

static bool summed(const Role *r)
{
	return r->left || r->reduced;
}

/* ---- families of floats ---------------------------------------------- */

/*
 * Up to four nonzero places of a row. Under a reduction they are pairs of +v
 * and -v, v a power of two; else integers of five bits times one, so that
 * products are wider than 16-bit dtypes. Weights lie on a grid for which the
 * few products and sums are exact in f32 all the same, or one of TF32.
 */
static double narrow(const Fill *f, const Place *at)
{
	const Role *r = f->r;
	uint64_t own = draw_bits(f->key, at->flat);
	if (r->gain && r->before)
		return 1 + (double)(own % 32) / 32;
	if (r->gain) /* powers of two: nothing to round */
		return ldexp(1, (int)(own % 3) - 1);
	if (r->weight && at->line % 4 == 3) /* a product often ties */
		return own & 1 ? 3 * pow2_floor(f->scale) / 2 : 0;
	if (r->weight) {
		double grid = pow2_floor(ldexp(f->scale, r->tf32 ? -7 : -12));
		return rint(plain(f, at) / grid) * grid;
	}
	if (!summed(r) || r->k_axis < 0)
		return plain(f, at);
	/* A norm whose product is taken: a reciprocal root within 2 ulp makes
	 * every f32 product wide, so that most rows are 0. */
	if (r->left && r->reduced && at->line % 8 < 5)
		return 0;
	uint64_t h = draw_bits(at->row, 0), n = (uint64_t)r->k;
	int e = (r->dtype == DT_F16 ? 7 : 12) - (int)(h & 1);
	int places = h & 2 ? 4 : 2;
	uint64_t stride = n / 4 ? n / 4 : 1, first = (h >> 8) % n;
	for (int q = 0; q < places; q++) {
		if (at->k != (first + (uint64_t)q * stride) % n)
			continue;
		if (r->reduced)
			return ldexp(q & 1 ? -1 : 1, e);
		double m = 17 + 2 * (double)(own % 8);
		return ldexp(own & 8 ? -m : m, e - 4);
	}
	return 0;
}

/* A mean of 1e4 in steps for which the row's sum is exact. */
static double high_mean(const Fill *f, const Place *at)
{
	DType d = f->r->dtype;
	double step = fmt_ulp(d, 1e4);
	int p = f->rs->sum_bits ? f->rs->sum_bits : 24;
	while (step * ldexp(1, p) < 2e4 * (double)f->r->k)
		step *= 2;
	double n = rint(2 * draw_normal(f->key, at->flat));
	return fmt_round(d, (rint(1e4 / step) + n) * step);
}

static double structured(const Fill *f, const Place *at)
{
	const Role *r = f->r;
	if (r->reduced && r->k_axis >= 0 && at->row % 3 == 1)
		return high_mean(f, at);
	if (r->gain)
		return 1 + 0.25 * (double)(at->flat % 3);
	double ramp = ((double)((at->flat * 7 + at->k * 3) % 33) - 16) / 8;
	ramp *= f->scale;
	return r->positive ? fabs(ramp) + 0.125 : ramp;
}

static double cancelling(const Fill *f, const Place *at)
{
	const Role *r = f->r;
	bool along = (r->left || r->weight) && r->k_axis >= 0;
	if (r->reduced && r->k_axis >= 0 && at->row % 3 == 1)
		return high_mean(f, at);
	if (!along)
		return r->addend ? plain(f, at) / 16 : plain(f, at);
	double x = draw_normal(at->row, at->k / 2) * f->scale;
	double d = draw_normal(f->key, at->flat) * f->scale;
	if (r->left && at->k % 2)
		x = -x;
	return x + d / 128;
}

static double tiny(const Fill *f, uint64_t h)
{
	const Fmt *t = &fmt_info[f->r->dtype];
	double least_value = fmt_ulp(f->r->dtype, 0);
	switch (h % 5) {
	case 0:
		return -0.0;
	case 1:
		return least_value;
	case 2:
		return -ldexp(1, t->emin) + least_value;
	case 3:
		return 0;
	}
	return ldexp(1, t->emin);
}

static double extreme(const Fill *f, uint64_t h)
{
	double max = fmt_info[f->r->dtype].max;
	switch (h % 5) {
	case 0:
		return NAN;
	case 1:
		return INFINITY;
	case 2:
		return -INFINITY;
	case 3:
		return max;
	}
	return -max;
}

static double special(const Fill *f, const Place *at)
{
	const Role *r = f->r;
	uint64_t h = draw_bits(at->row, 1);
	uint64_t own = draw_bits(draw_key(f->key, 3, 3), at->flat);
	/* at the same elements of two inputs, so that -0 meets +0 */
	uint64_t both = draw_bits(draw_key(f->pair_key, 3, 3), at->flat);
	bool along = (summed(r) || r->weight) && r->k_axis >= 0;
	if (both % 16 == 0)
		return tiny(f, own >> 8);
	if (along) {
		bool here = h % (r->weight ? 32 : 16) == 0 &&
			    at->k == (h >> 16) % (uint64_t)r->k;
		return here ? extreme(f, h >> 8) : plain(f, at);
	}
	if (own % 16 == 1)
		return extreme(f, own >> 8);
	return plain(f, at);
}

/*
 * One nonzero product a row that the boundary rounds to the negative of the
 * addend: 0 is right, and a skipped rounding leaves a remainder.
 */
static double boundary(const Fill *f, const Place *at)
{
	const Role *r = f->r;
	bool bf16 = r->dtype == DT_BF16;
	double a = bf16 ? 0x1.02p0 : 1.0048828125;
	double b = bf16 ? 0x1.04p0 : 1.0927734375;
	double c = -fmt_round(bf16 ? DT_BF16 : DT_F16, a * b);
	if (r->weight)
		return b;
	if (r->left) {
		uint64_t n = (uint64_t)(r->k > 0 ? r->k : 1);
		return at->k == at->row % n ? a : 0;
	}
	if (r->gain)
		return 1;
	if (r->addend)
		return r->order == 0 ? c : 0;
	return plain(f, at);
}

/* Every second weight is the one before it, negated and slightly off. */
static double join(const Fill *f, const Place *at)
{
	const Role *r = f->r;
	if (!r->weight && !r->left)
		return plain(f, at);
	double x = draw_normal(f->pair_key, at->flat) * f->scale;
	if (r->order % 2 == 0)
		return x;
	double d = draw_normal(f->key, at->flat) * f->scale;
	return (r->weight ? -x : x) + d / 64;
}

static double float_at(const Fill *f, const Place *at)
{
	switch (f->family) {
	case FAM_EXACT:
		return exact_value(f->rs, f->r, f->level, f->key, at->index,
				   f->shape->rank);
	case FAM_SEARCH:
	case FAM_RANDOM:
		return plain(f, at);
	case FAM_NARROW:
		return narrow(f, at);
	case FAM_ZEROS:
		return 0;
	case FAM_STRUCTURED:
		return structured(f, at);
	case FAM_CANCELLATION:
		return cancelling(f, at);
	case FAM_SPECIALS:
		return special(f, at);
	case FAM_SENTINEL_BOUNDARY:
		return boundary(f, at);
	case FAM_SENTINEL_JOIN:
		return join(f, at);
	case FAM_COUNT:
		break;
	}
	bug("family");
}

/* ---- integers -------------------------------------------------------- */

static int64_t int_at(const Fill *f, const Place *at)
{
	const Role *r = f->r;
	DType d = r->dtype;
	uint64_t h = draw_bits(f->key, at->flat);
	bool zeros = f->family == FAM_ZEROS;
	bool is_signed = dtype_info[d].cls == DTC_I;
	bool natural = r->shift || r->exponent;
	if (d == DT_BOOL)
		return zeros ? 0 : (int64_t)(h & 1);
	if (r->index_len > 0) {
		int64_t i = (int64_t)((h >> 1) % (uint64_t)r->index_len);
		return zeros ? 0 : h & 1 && is_signed ? i - r->index_len : i;
	}
	if (r->divisor) {
		int64_t i = 1 + (int64_t)(h >> 8) % 7;
		return zeros ? 1 : h & 1 && is_signed && !natural ? -i : i;
	}
	if (zeros)
		return 0;
	if (r->shift)
		return (int64_t)(h % (uint64_t)(8 * dtype_info[d].bytes));
	if (r->exponent)
		return (int64_t)(h % 5);
	bool far = f->family == FAM_EXACT ||
		   (f->family == FAM_SPECIALS && h % 4 == 0);
	if (far && (h >> 8) % 8 == 0)
		return h >> 16 & 1 ? int_max(d) : int_min(d);
	if (far)
		return int_wrap(d, (int64_t)draw_bits(f->key + 1, at->flat));
	return int_wrap(d,
			is_signed ? (int64_t)(h % 17) - 8 : (int64_t)(h % 16));
}

/* ---- filling --------------------------------------------------------- */

static void fill_work(void *arg, int64_t first, int64_t end)
{
	const Fill *f = arg;
	const Ev *s = f->shape;
	int64_t index[TN_MAX_RANK] = {0}, rest = first;
	bool fl = dtype_is_float(s->dtype);
	for (int d = s->rank - 1; d >= 0; d--) {
		index[d] = rest % s->shape[d];
		rest /= s->shape[d];
	}
	Num block[256];
	for (int64_t i = first; i < end;) {
		int64_t n = end - i < 256 ? end - i : 256;
		for (int64_t j = 0; j < n; j++) {
			Place at = {.index = index,
				    .flat = (uint64_t)(i + j),
				    .row = f->key};
			for (int d = 0; d < s->rank; d++) {
				if (d == f->r->k_axis)
					at.k = (uint64_t)index[d];
				else {
					at.row = draw_bits(at.row,
							   (uint64_t)index[d]);
					at.line =
						at.line *
							(uint64_t)s->shape[d] +
						(uint64_t)index[d];
				}
			}
			if (fl)
				block[j].f =
					fmt_round(s->dtype, float_at(f, &at));
			else
				block[j].i = int_at(f, &at);
			for (int d = s->rank - 1; d >= 0; d--) {
				if (++index[d] < s->shape[d])
					break;
				index[d] = 0;
			}
		}
		nums_store(s->dtype, f->out->data, i, n, block);
		i += n;
	}
}

void inputs_free(Tensor *inputs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (inputs[i].data)
			big_free(inputs[i].data, tensor_bytes(&inputs[i]));
		inputs[i].data = NULL;
	}
}

bool inputs_make(Ctx *ctx, Arena *a, const Program *p, const Binding *b,
		 Family family, uint64_t seed, ExactLevel level, Tensor *inputs)
{
	Eval *e = arena_new(a, Eval);
	eval_init(e, ctx, a, p, b, NULL);
	if (!eval_shapes(e))
		return false;
	Roles rs = roles_find(a, e);
	memset(inputs, 0, rs.n * sizeof *inputs);
	OomTrap trap;
	if (OOM_TRAP(&trap)) {
		inputs_free(inputs, p->inputs.n);
		oom_raise();
	}
	for (size_t i = 0; i < rs.n; i++) {
		const Role *r = &rs.r[i];
		const Ev *s = &e->v[r->value];
		Tensor *t = &inputs[i];
		t->dtype = s->dtype;
		t->rank = s->rank;
		memcpy(t->shape, s->shape, sizeof t->shape);
		tensor_set_contiguous(t);
		t->data = big_alloc(tensor_bytes(t));
		if (!t->data)
			oom_raise();
		uint64_t stream = (uint64_t)family;
		Fill f = {.rs = &rs, .r = r, .shape = s, .family = family};
		f.level = level;
		f.key = draw_key(seed, stream, i);
		f.pair_key = draw_key(seed + 0x5eed, stream,
				      (uint64_t)(r->order / 2) * 2 + r->weight);
		f.scale = r->weight && r->k > 0 ? 1 / sqrt((double)r->k) : 1;
		f.out = t;
		eval_parallel(e->threads, s->n, 16384, fill_work, &f);
	}
	oom_trap_pop(&trap);
	return true;
}

static void hash_inputs(Arena *a, const Tensor *t, size_t n,
			char hex[SHA256_HEX])
{
	Sha256 *h = sha256_new(a);
	for (size_t i = 0; i < n; i++) {
		const char *name = dtype_info[t[i].dtype].name;
		sha256_add(h, name, strlen(name) + 1);
		for (int d = 0; d < t[i].rank; d++) {
			char text[32];
			int len = snprintf(text, sizeof text, "%lld,",
					   (long long)t[i].shape[d]);
			sha256_add(h, text, (size_t)len);
		}
		sha256_add(h, ";", 1);
		sha256_add(h, t[i].data, tensor_bytes(&t[i]));
	}
	sha256_end(h, hex);
}

static const char *sentinel_missing(const Roles *rs, Family f)
{
	if (f == FAM_SENTINEL_BOUNDARY && !rs->added)
		return "no contraction is followed by an addition";
	if (f == FAM_SENTINEL_JOIN && !rs->joined)
		return "no two contractions meet in an addition";
	return NULL;
}

bool fixture_make(Ctx *ctx, const Program *p, const Binding *b, Family f,
		  uint64_t seed, const Feeds *weights, Fixture *out)
{
	memset(out, 0, sizeof *out);
	out->family = f;
	out->seed = seed;
	Arena *a = &ctx->perm;
	if (weights) {
		out->feeds.weights = weights->weights;
		out->feeds.nweights = weights->nweights;
	}
	Eval *e = arena_new(a, Eval);
	eval_init(e, ctx, a, p, b, NULL);
	if (!eval_shapes(e))
		return false;
	Roles rs = roles_find(a, e);
	ExactLevel level = {.bits = 4};
	out->why_not = sentinel_missing(&rs, f);
	if (f == FAM_EXACT &&
	    !exact_level(ctx, a, p, b, seed, weights, &level, &out->why_not) &&
	    !out->why_not)
		return false;
	if (out->why_not)
		return true;
	out->applies = true;
	out->feeds.ninputs = p->inputs.n;
	out->feeds.inputs = arena_array(a, Tensor, p->inputs.n + 1);
	OomTrap trap;
	if (OOM_TRAP(&trap)) {
		fixture_release(out);
		oom_raise();
	}
	bool ok = inputs_make(ctx, a, p, b, f, seed, level, out->feeds.inputs);
	if (ok)
		hash_inputs(a, out->feeds.inputs, p->inputs.n, out->sha256);
	oom_trap_pop(&trap);
	return ok;
}

void fixture_release(Fixture *f)
{
	inputs_free(f->feeds.inputs, f->feeds.ninputs);
	f->feeds.ninputs = 0;
}
