/*
 * dot_test: products by matrix units.
 *
 * What a unit rounds and flushes is written down here bit for bit (the
 * manuals' pseudocode, and measured) and held against what a plan returns, on
 * inputs of every kind; the oracle must admit all of it by the accumulator
 * that the plan records, and nothing that is further off. Where the processor
 * lacks a unit its tests are skipped.
 */
#include "ir/plan.h"
#include "tests/unit/api.h"

#include <math.h>

static const char program[] = "def mm(x: bf16[M, K], w: bf16[K, N]):\n"
			      "    return matmul(x, w, out=f32)\n";

static bool has_unit(const char *unit)
{
	for (size_t i = 0; isa_host()->units[i]; i++)
		if (!strcmp(isa_host()->units[i], unit))
			return true;
	return false;
}

static bool open_unit(Case *k, const char *text, const char *unit)
{
	char word[64];
	const char *pin = word;
	TenonPlanOptions o = {.pins = &pin, .npins = 1};

	snprintf(word, sizeof(word), "contract.unit=%s", unit);
	return case_open(k, "dot.tn", text, NULL) &&
	       works(k, tenon_compile(k->c, k->p, &o, &k->plan), unit);
}

/* ---- the units, emulated --------------------------------------------- */

static float from_bits(uint32_t u)
{
	float f;

	memcpy(&f, &u, sizeof(f));
	return f;
}

static uint32_t to_bits(float f)
{
	uint32_t u;

	memcpy(&u, &f, sizeof(u));
	return u;
}

static float flush(float x)
{
	return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

static float widen(uint16_t h)
{
	return flush(from_bits((uint32_t)h << 16));
}

/* One rounding; subnormal results are zeros. */
static float fma_flushed(float a, float b, float c)
{
	return flush(fmaf(a, b, flush(c)));
}

typedef struct Sizes {
	int64_t m, n, k;
} Sizes;

static float at(const uint16_t *p, bool inside, int64_t i)
{
	return inside ? widen(p[i]) : 0;
}

/* VDPBF16PS: of each pair the second product first, one after another. */
static float avx512_sum(const uint16_t *a, const uint16_t *b, Sizes s,
			int64_t i, int64_t j)
{
	float c = 0;

	for (int64_t k = 0; k < (s.k + 31) / 32 * 32; k += 2)
		for (int64_t p = k + 1; p >= k; p--)
			c = fma_flushed(at(a, p < s.k, i * s.k + p),
					at(b, p < s.k, p * s.n + j), c);
	return c;
}

/* TDPBF16PS: within 32 elements, first and second ones of the pairs apart. */
static float amx_sum(const uint16_t *a, const uint16_t *b, Sizes s, int64_t i,
		     int64_t j)
{
	float c = 0;

	for (int64_t k = 0; k < s.k; k += 32) {
		float part[2] = {0, 0};
		for (int64_t p = k; p < k + 32; p++)
			part[p & 1] = fma_flushed(at(a, p < s.k, i * s.k + p),
						  at(b, p < s.k, p * s.n + j),
						  part[p & 1]);
		c = flush(c + flush(part[0] + part[1]));
	}
	return c;
}

/* ---- f16 in two parts -------------------------------------------------- */

static const char program16[] = "def mm(x: f16[M, K], w: f16[K, N]):\n"
				"    return matmul(x, w, out=f32)\n";

static float from_f16(uint16_t h)
{
	uint32_t e = h >> 10 & 31, m = h & 1023;
	float x = e ? ldexpf((float)(1024 + m), (int)e - 25)
		    : ldexpf((float)m, -24);

	if (e == 31)
		x = m ? NAN : INFINITY;
	return h & 0x8000 ? -x : x;
}

/* Part 0: the upper 8 significant bits; part 1: the rest. */
static float part16(uint16_t h, int part)
{
	float x = from_f16(h), top = from_bits(to_bits(x) & 0xffff0000u);

	return part ? x - top : top;
}

/* One product of parts over 32 elements, as TDPBF16PS adds it up. */
static float amx_step(const uint16_t *a, const uint16_t *b, Sizes s, int64_t i,
		      int64_t j, int64_t k, int pa, int pb)
{
	float part[2] = {0, 0};

	for (int64_t p = k; p < k + 32 && p < s.k; p++)
		part[p & 1] = fmaf(part16(a[i * s.k + p], pa),
				   part16(b[p * s.n + j], pb), part[p & 1]);
	return part[0] + part[1];
}

/* Four products a step, the lower parts first; sums that are no numbers are
 * added up again from whole elements. */
static float amx_f16_sum(const uint16_t *a, const uint16_t *b, Sizes s,
			 int64_t i, int64_t j)
{
	float c = 0;

	for (int64_t k = 0; k < s.k; k += 32)
		for (int n = 3; n >= 0; n--)
			c += amx_step(a, b, s, i, j, k, n & 1, n >> 1);
	if (!isnan(c))
		return c;
	c = 0;
	for (int64_t p = 0; p < s.k; p++)
		c += from_f16(a[i * s.k + p]) * from_f16(b[p * s.n + j]);
	return c;
}

/* ---- inputs ----------------------------------------------------------- */

static uint32_t seed = 1;

static uint32_t draw(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

enum Kind {
	NEAR_ONE,
	ANY_BITS, /* NaN, infinities, subnormals among them */
	TINY,     /* products around the least normal */
	SPECIAL,
	KINDS,
};

static uint16_t element(enum Kind kind)
{
	static const uint16_t special[] = {
		0,      0x8000, 0x7f80, 0xff80, 0x7fc0, 0x0001, 0x8001, 0x007f,
		0x0080, 0x7f7f, 0xff7f, 0x3f80, 0xbf80, 0x0100, 0x8080, 0x5f00,
	};
	uint32_t r = draw();

	switch (kind) {
	case NEAR_ONE:
		return (uint16_t)((r & 0x807f) | ((r >> 16) % 8 + 124) << 7);
	case ANY_BITS:
		return (uint16_t)r;
	case TINY:
		return (uint16_t)((r & 0x807f) | ((r >> 16) % 6 + 61) << 7);
	case SPECIAL:
	case KINDS:
		break;
	}
	return special[(r >> 8) % ARRAY_LEN(special)];
}

static uint16_t element16(enum Kind kind)
{
	static const uint16_t special[] = {
		0,      0x8000, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0x0001, 0x8001,
		0x03ff, 0x0400, 0x7bff, 0xfbff, 0x3c00, 0xbc01, 0x3bff, 0x5555,
	};
	uint32_t r = draw();

	switch (kind) {
	case NEAR_ONE:
		return (uint16_t)((r & 0x83ff) | ((r >> 16) % 8 + 11) << 10);
	case ANY_BITS:
		return (uint16_t)r;
	case TINY:
		return (uint16_t)(r & 0x87ff);
	case SPECIAL:
	case KINDS:
		break;
	}
	/* rarely infinite: else all sums are */
	return r >> 24 ? (uint16_t)(r & 0x83ff) | 0x3800
		       : special[(r >> 8) % ARRAY_LEN(special)];
}

typedef uint16_t Element(enum Kind kind);

static bool set_sizes(Case *k, Sizes s)
{
	return works(k, tenon_set_dim(k->p, "M", s.m), "M") &&
	       works(k, tenon_set_dim(k->p, "N", s.n), "N") &&
	       works(k, tenon_set_dim(k->p, "K", s.k), "K") &&
	       case_fill(k, "random");
}

static void fill(Case *k, Sizes s, Element *element_of, enum Kind kind)
{
	uint16_t *a = k->in[0].data, *b = k->in[1].data;

	for (int64_t i = 0; i < s.m * s.k; i++)
		a[i] = element_of(kind);
	for (int64_t i = 0; i < s.k * s.n; i++)
		b[i] = element_of(kind);
}

static TenonOutcome judged(Case *k)
{
	TenonOutcome out = TENON_NONE;

	works(k, tenon_judge(k->plan, k->in, k->out, NULL, NULL, &out),
	      "judge");
	return out;
}

typedef float Emulated(const uint16_t *a, const uint16_t *b, Sizes s, int64_t i,
		       int64_t j);

static void bit_for_bit(const char *unit, const char *text, Element *element_of,
			Emulated *emulated)
{
	static const Sizes sizes[] = {
		{1, 1, 1}, {16, 32, 64}, {5, 17, 33}, {37, 50, 95}, {3, 2, 700},
	};
	Case k;

	if (!open_unit(&k, text, unit)) {
		case_close(&k);
		return;
	}
	for (size_t n = 0; n < ARRAY_LEN(sizes); n++) {
		Sizes s = sizes[n];
		if (!set_sizes(&k, s))
			break;
		for (int kind = 0; kind < 8 * KINDS; kind++) {
			int64_t bad = 0;
			fill(&k, s, element_of, (enum Kind)(kind % KINDS));
			if (!case_run(&k))
				break;
			const float *got = k.out[0].data;
			for (int64_t i = 0; i < s.m * s.n; i++) {
				float want =
					emulated(k.in[0].data, k.in[1].data, s,
						 i / s.n, i % s.n);
				bad += to_bits(got[i]) != to_bits(want) &&
				       !(isnan(got[i]) && isnan(want));
			}
			if (!CHECK(bad == 0))
				printf("%s %d x %d x %d, inputs %d: %d "
				       "others\n",
				       unit, (int)s.m, (int)s.n, (int)s.k,
				       kind % KINDS, (int)bad);
			CHECK(judged(&k) != TENON_FAIL);
		}
	}
	case_close(&k);
}

static void avx512_bf16(void)
{
	if (!has_unit("avx512_bf16"))
		SKIP("no avx512_bf16 here");
	bit_for_bit("avx512_bf16", program, element, avx512_sum);
}

static void amx_bf16(void)
{
	if (!has_unit("amx_bf16"))
		SKIP("no amx_bf16 here");
	bit_for_bit("amx_bf16", program, element, amx_sum);
}

static void amx_f16(void)
{
	if (!has_unit("amx_f16"))
		SKIP("no amx_f16 here");
	bit_for_bit("amx_f16", program16, element16, amx_f16_sum);
}

/* ---- what the oracle makes of it -------------------------------------- */

/* A unit of this machine with an accumulator of its own, or NULL. */
static const char *float_unit(void)
{
	if (has_unit("amx_bf16"))
		return "amx_bf16";
	return has_unit("avx512_bf16") ? "avx512_bf16" : NULL;
}

/* Sets every element of the inputs. */
static void fill_with(Case *k, Sizes s, float a, float b)
{
	uint16_t *x = k->in[0].data, *y = k->in[1].data;

	for (int64_t i = 0; i < s.m * s.k; i++)
		x[i] = (uint16_t)(to_bits(a) >> 16);
	for (int64_t i = 0; i < s.k * s.n; i++)
		y[i] = (uint16_t)(to_bits(b) >> 16);
}

/* A subnormal operand is a zero for the unit, and only for it. */
static void flushed_by_record(void)
{
	Sizes s = {2, 16, 8};
	Case unit, fma;
	float *got;

	if (!float_unit())
		SKIP("no unit for bf16 here");
	if (open_unit(&unit, program, float_unit()) &&
	    open_unit(&fma, program, "fma") && set_sizes(&unit, s) &&
	    set_sizes(&fma, s)) {
		CHECK(unit.plan->plan->acc != NULL);
		CHECK(fma.plan->plan->acc == NULL);
		fill_with(&unit, s, 0x1p-130f, 0x1p100f);
		fill_with(&fma, s, 0x1p-130f, 0x1p100f);
		case_run(&unit);
		case_run(&fma);
		got = unit.out[0].data;
		CHECK(to_bits(got[0]) == 0);
		got = fma.out[0].data;
		CHECK(got[0] == 8 * 0x1p-30f);
		CHECK(judged(&unit) == TENON_PASS);
		CHECK(judged(&fma) == TENON_PASS);
		/* each by the other's record */
		memcpy(unit.out[0].data, fma.out[0].data,
		       tenon_tensor_bytes(&unit.out[0]));
		CHECK(judged(&unit) == TENON_FAIL);
		memset(fma.out[0].data, 0, tenon_tensor_bytes(&fma.out[0]));
		CHECK(judged(&fma) == TENON_FAIL);
	}
	case_close(&unit);
	case_close(&fma);
}

/*
 * Sums of n products that flush are off by less than 2n 2^-126: every value
 * that far off is legal, none at twice that; and sums of normal terms have no
 * more room than any order of roundings.
 */
static void bound_is_kept(void)
{
	Sizes s = {1, 16, 8};
	Case k;

	if (!float_unit())
		SKIP("no unit for bf16 here");
	if (open_unit(&k, program, float_unit()) && set_sizes(&k, s)) {
		float *got = k.out[0].data;
		fill_with(&k, s, 0x1.8p-64f, 0x1p-63f);
		case_run(&k);
		CHECK(judged(&k) != TENON_FAIL);
		float sum = 8 * 0x1.8p-127f, term = 2 * 8 * 0x1p-126f;
		for (int64_t i = 0; i < s.n; i++)
			got[i] = i % 2 ? sum + 0.9f * term : sum - 0.9f * term;
		CHECK(judged(&k) != TENON_FAIL);
		got[3] = sum + 2 * term;
		CHECK(judged(&k) == TENON_FAIL);
		/* exact sums of normal terms: one value */
		fill_with(&k, s, 1.5f, 3.0f);
		case_run(&k);
		CHECK(judged(&k) == TENON_PASS);
		got[7] = nextafterf(got[7], 100);
		CHECK(judged(&k) == TENON_FAIL);
		/* rounded ones: (n - 1) u 2^floor(log2 B) */
		uint16_t *a = k.in[0].data;
		fill_with(&k, s, 1.5f, 0x1.02p-20f);
		a[0] = 0x4380; /* 256 */
		case_run(&k);
		CHECK(judged(&k) == TENON_PASS);
		got[7] += 32 * (nextafterf(got[7], 100) - got[7]);
		CHECK(judged(&k) == TENON_FAIL);
	}
	case_close(&k);
}

/* The accumulators of a saved plan are those of the plan, or none. */
static void recorded(void)
{
	const char *path = NULL;
	TenonProgram *p = NULL;
	TenonPlan *again = NULL;
	Case k;

	if (!float_unit())
		SKIP("no unit for bf16 here");
	if (open_unit(&k, program, float_unit())) {
		const Plan *plan = k.plan->plan;
		path = arena_printf(&k.c->ctx.perm, "%s/p.json", test_folder());
		ValueId v = plan->source->results.p[0].value;
		CHECK(plan->acc && acc_flushes(plan->acc[v]));
		if (works(&k, tenon_plan_save(k.plan, path), "save") &&
		    works(&k, tenon_plan_load(k.c, path, &p, &again), "load")) {
			CHECK(again->plan->acc &&
			      again->plan->acc[v] == plan->acc[v]);
			PlanAcc other = {v, plan->acc[v] == ACC_AMX_BF16
						    ? ACC_AVX512_BF16
						    : ACC_AMX_BF16};
			PlanAcc input = {0, plan->acc[v]};
			Plan copy = *again->plan;
			CHECK(!plan_use_accumulators(&copy, &other, 1));
			CHECK(!plan_use_accumulators(&copy, &input, 1));
			CHECK(!plan_use_accumulators(&copy, NULL, 0));
		}
		tenon_plan_free(again);
		tenon_program_free(p);
	}
	case_close(&k);
}

/* Sums of parts round more often, and have that much more room: of 4 terms 15
 * times where whole ones do 3 times. */
static void bound_of_parts(void)
{
	static const struct {
		const char *unit;
		int ulps;
		bool legal;
	} rows[] = {
		{"amx_f16", 0, true},   {"amx_f16", 5, true},
		{"amx_f16", 24, false}, {"fma", 0, true},
		{"fma", 5, false},
	};
	Sizes s = {1, 16, 64};

	if (!has_unit("amx_f16"))
		SKIP("no amx_f16 here");
	for (size_t n = 0; n < ARRAY_LEN(rows); n++) {
		Case k;
		if (!open_unit(&k, program16, rows[n].unit) ||
		    !set_sizes(&k, s)) {
			case_close(&k);
			continue;
		}
		uint16_t *a = k.in[0].data, *b = k.in[1].data;
		float *got = k.out[0].data;
		memset(a, 0, tenon_tensor_bytes(&k.in[0]));
		for (int i = 0; i < 4; i++) /* 1 + 2^-10 and smaller */
			a[17 * i] = (uint16_t)(0x3c01 - i * 0x1400);
		for (int64_t i = 0; i < s.k * s.n; i++)
			b[i] = 0x3dff;
		case_run(&k);
		for (int i = 0; i < rows[n].ulps; i++)
			got[3] = nextafterf(got[3], 100);
		if (!CHECK((judged(&k) != TENON_FAIL) == rows[n].legal))
			printf("%s and %d ulp\n", rows[n].unit, rows[n].ulps);
		case_close(&k);
	}
}

/* What became of a product through the rewrites: two of them are one. */
static void followed(void)
{
	static const char text[] = "def two(x: bf16[M, K], w: bf16[K, N]):\n"
				   "    y = (x @ w) * 1\n"
				   "    z = x @ w\n"
				   "    return y + 1, (z + 0.5).T\n";
	Case k;
	int n = 0;

	if (!float_unit())
		SKIP("no unit for bf16 here");
	if (open_unit(&k, text, float_unit())) {
		const Plan *plan = k.plan->plan;
		for (ValueId v = 0; v < plan->source->values.n; v++) {
			bool product =
				plan->source->values.p[v].op == OP_MATMUL;
			n += product;
			CHECK(product == (plan->acc[v] != ACC_IEEE));
		}
		CHECK(n == 2);
	}
	case_close(&k);
}

/* ---- whether a unit is taken ------------------------------------------ */

static void refusals(void)
{
	static const struct {
		const char *text, *target, *pin, *words;
	} rows[] = {
		{"def f(x: f16[M, K], w: f16[K, N]):\n    return x @ w\n",
		 "cpu:amx", "contract.unit=amx_bf16",
		 "amx_bf16 does not multiply f16 and f16 with acc=f32"},
		{"def f(x: f32[M, K], w: f32[K, N]):\n    return x @ w\n",
		 "cpu:amx", "contract.unit=avx512_bf16",
		 "avx512_bf16 does not multiply f32"},
		{"def f(x: bf16[M, K], w: bf16[K, N]):\n"
		 "    return matmul(x, w, acc=f64, out=f32)\n",
		 "cpu:amx", "contract.unit=amx_bf16", "with acc=f64"},
		{"def f(x: i8[M, K], w: i8[K, N]):\n    return x @ w\n",
		 "cpu:amx", "contract.unit=amx_int8", "with acc=i8"},
		{"def f(x: bf16[M, K], w: bf16[K, N]):\n    return x @ w\n",
		 "cpu:amx", "contract.unit=amx_f16",
		 "amx_f16 does not multiply bf16 and bf16 with acc=f32"},
		{"def f(x: f16[64, 64], w: f16[64, 64]):\n    return x @ w\n",
		 "cpu:amx", "contract.a=0", "A is read where it lies only"},
		{"def f(x: bf16[M, K], w: bf16[K, N]):\n    return x @ w\n",
		 "cpu:avx512", "contract.unit=amx_bf16",
		 "cpu:avx512 has no amx_bf16"},
		{"def f(x: bf16[M, K], w: bf16[K, N]):\n    return x @ w\n",
		 "cpu:amx", "contract.unit=tensor", "units are fma"},
		{"def f(x: bf16[M, K], w: bf16[K, N]):\n    return x @ w\n",
		 "cpu:amx", "contract.mr=20", "8 tiles of 16 x 16"},
		{"def f(x: bf16[M, K], w: bf16[K, N]):\n    return x @ w\n",
		 "cpu:amx", "contract.kc=33", "kc must be a multiple of 32"},
		{"def f(x: bf16[M, K], w: bf16[K, N]):\n    return x @ w\n",
		 "cpu:avx512_bf16", "contract.mr=16", "vector registers"},
		{"def f(x: bf16[M, K], w: bf16[K, N]):\n    return x @ w\n",
		 "cpu:amx", "contract.b=0", "takes packed words"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		Case k;
		TenonPlanOptions o = {.target = rows[i].target,
				      .pins = &rows[i].pin,
				      .npins = 1,
				      .emit_only = true};
		if (case_open(&k, "dot.tn", rows[i].text, NULL))
			refused(&k, tenon_compile(k.c, k.p, &o, &k.plan),
				TENON_EUSAGE, rows[i].words);
		case_close(&k);
	}
}

/* The rule's unit by target and dtype. */
static void chosen(void)
{
	static const struct {
		const char *target, *dtype, *words;
	} rows[] = {
		{"cpu:amx", "bf16", "dot amx_bf16 bf16"},
		{"cpu:avx512_bf16", "bf16", "dot avx512_bf16 bf16"},
		{"cpu:avx512_vnni", "bf16", "mac"},
		{"cpu:avx512", "bf16", "mac"},
		{"cpu:avx2", "bf16", "mac"},
		{"cpu:neon", "bf16", "mac"},
		{"cpu:amx", "i8", "dot amx_int8 i8"},
		{"cpu:amx", "u8", "dot amx_int8 u8"},
		{"cpu:avx512_bf16", "u8", "dot avx512_vnni u8"},
		{"cpu:avx512_vnni", "i8", "dot avx512_vnni i8"},
		{"cpu:avx512", "i8", "mac"},
		{"cpu:amx", "f16", "dot amx_f16 f16"},
		{"cpu:avx512_bf16", "f16", "mac"},
		{"cpu:amx", "f32", "mac"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *d = rows[i].dtype;
		bool bytes = d[1] == '8';
		char text[256];
		Buf b;
		Case k;
		TenonPlanOptions o = {.target = rows[i].target,
				      .emit_only = true};
		snprintf(text, sizeof(text),
			 "def f(x: %s[M, K], w: %s[K, N]):\n"
			 "    return matmul(x, w%s)\n",
			 d, d, bytes ? ", out=i32" : "");
		if (case_open(&k, "dot.tn", text, NULL) &&
		    works(&k, tenon_compile(k.c, k.p, &o, &k.plan), d)) {
			buf_init(&b, &k.c->ctx.perm);
			kernels_print(k.plan->kernels, &b);
			if (!CHECK(strstr(buf_str(&b), rows[i].words)))
				printf("%s %s: no %s\n", rows[i].target, d,
				       rows[i].words);
		}
		case_close(&k);
	}
}

/* f16 takes the unit where that is faster, and never by the number of rows
 * where rows must not depend on it. */
static void pays(void)
{
	static const struct {
		const char *text;
		bool unit;
	} rows[] = {
		{"def f(x: f16[64, 64], w: f16[64, 64]):\n    return x @ w\n",
		 true},
		{"def f(x: f16[1, 4096], w: f16[4096, 4096]):\n"
		 "    return x @ w\n",
		 false},
		{"def f(x: f16[8, 16], w: f16[16, 24]):\n    return x @ w\n",
		 false},
		{"def f(x: f16[37, 129], w: f16[129, 65]):\n"
		 "    return x @ w\n",
		 false},
		{"def f(x: f16[M, 1000], w: f16[1000, N]):\n"
		 "    return x @ w\n",
		 true},
		{"@contract(row_invariant)\n"
		 "def f(x: f16[M, 1000], w: f16[1000, N]):\n"
		 "    return x @ w\n",
		 false},
		{"@contract(row_invariant)\n"
		 "def f(x: bf16[1, 8], w: bf16[8, 8]):\n    return x @ w\n",
		 true},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		Case k;
		Buf b;
		TenonPlanOptions o = {.target = "cpu:amx", .emit_only = true};
		if (case_open(&k, "dot.tn", rows[i].text, NULL) &&
		    works(&k, tenon_compile(k.c, k.p, &o, &k.plan), "f16")) {
			buf_init(&b, &k.c->ctx.perm);
			kernels_print(k.plan->kernels, &b);
			CHECK((strstr(buf_str(&b), "dot amx") != NULL) ==
			      rows[i].unit);
		}
		case_close(&k);
	}
}

/* Kernels that name a unit run only where it is. */
static void kernels_need_unit(void)
{
	const char *path = NULL;
	Case k;
	TenonPlanOptions o = {.target = "cpu:amx", .emit_only = true};
	TenonProgram *p = NULL;
	TenonPlan *plan = NULL;
	Buf b;

	if (case_open(&k, "dot.tn", program, NULL) &&
	    works(&k, tenon_compile(k.c, k.p, &o, &k.plan), "compile")) {
		path = arena_printf(&k.c->ctx.perm, "%s/k", test_folder());
		buf_init(&b, &k.c->ctx.perm);
		kernels_print(k.plan->kernels, &b);
		CHECK(file_write_atomic(&k.c->ctx, path, buf_str(&b), b.n));
		o.target = "cpu:avx2";
		refused(&k, tenon_resume(k.c, "kernels", path, &o, &p, &plan),
			TENON_EENV, "which cpu:avx2 has not");
	}
	case_close(&k);
}

/* ---- every form of operand --------------------------------------------- */

/* Transposed, reversed, batched, computed, and with tails on every side; @ is
 * the dtype of the operands, $ that of the result. */
static const char *const forms[] = {
	"def f(x: @[M, K], w: @[K, N]):\n    return matmul(x, w, out=$)\n",
	"def f(x: @[K, M], w: @[N, K]):\n"
	"    return matmul(x.T, w.T, out=$)\n",
	"def f(x: @[3, M, K], w: @[K, N]):\n"
	"    return matmul(x[:, :, ::-1], w, out=$)\n",
	"def f(x: @[2, 3, K, M], w: @[3, N, K]):\n"
	"    return matmul(relu(x.transpose(0, 1, 3, 2) + 1),\n"
	"                  w.transpose(0, 2, 1) - 1, out=$) * 2\n",
};

static void check_form(const char *unit, const char *d, const char *out,
		       const char *form)
{
	static const Sizes sizes[] = {{0, 3, 5},    {3, 0, 5},   {2, 3, 0},
				      {1, 1, 1},    {7, 50, 13}, {33, 31, 64},
				      {17, 97, 131}};
	TenonOutcome outcome = TENON_FAIL;
	char text[512];
	size_t n = 0;
	Case k;

	for (; *form; form++) {
		const char *put = *form == '@' ? d : *form == '$' ? out : NULL;
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%.*s",
				      put ? 8 : 1, put ? put : form);
	}
	if (!open_unit(&k, text, unit)) {
		case_close(&k);
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
		if (!set_sizes(&k, sizes[i]) ||
		    !works(&k,
			   tenon_check(k.plan, "exact,random,specials", 1, NULL,
				       NULL, &outcome),
			   "check") ||
		    !CHECK(outcome == TENON_PASS))
			printf("%s %s, size %zu, outcome %d:\n%s", unit, d, i,
			       (int)outcome, text);
	case_close(&k);
}

static void operands(void)
{
	static const struct {
		const char *unit, *dtype, *out;
	} rows[] = {
		{"amx_bf16", "bf16", "bf16"}, {"avx512_bf16", "bf16", "f32"},
		{"amx_f16", "f16", "f16"},    {"amx_f16", "f16", "f32"},
		{"amx_int8", "i8", "i32"},    {"amx_int8", "u8", "u32"},
		{"avx512_vnni", "i8", "i32"}, {"avx512_vnni", "u8", "i32"},
	};

	if (!isa_host()->units[0])
		SKIP("no matrix units here");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		for (size_t f = 0; f < ARRAY_LEN(forms); f++)
			if (has_unit(rows[i].unit) &&
			    (test_all() || (i + f) % 2 == 0))
				check_form(rows[i].unit, rows[i].dtype,
					   rows[i].out, forms[f]);
}

/* Rows of A that are whole tiles and steps stay where they are, and are not
 * overwritten by a result that is given their memory. */
static void in_place(void)
{
	static const char text[] = "@donate(x)\n"
				   "def f(x: bf16[28, 64], w: bf16[64, 64]):\n"
				   "    return x @ w\n";
	const char *unit = float_unit();
	Buf b;
	Case k;

	if (!unit)
		SKIP("no unit for bf16 here");
	const char *pins[3] = {"contract.unit=avx512_bf16", "contract.mr=14",
			       "contract.a=0"};
	for (int i = 0; i < 2; i++) {
		TenonOutcome outcome = TENON_FAIL;
		if (i == 1 && !strcmp(unit, "amx_bf16"))
			pins[0] = "contract.unit=amx_bf16";
		TenonPlanOptions o = {.pins = pins, .npins = 3};
		if (case_open(&k, "dot.tn", text, NULL) &&
		    works(&k, tenon_compile(k.c, k.p, &o, &k.plan),
			  "compile") &&
		    works(&k,
			  tenon_check(k.plan, "exact,random,specials", 1, NULL,
				      NULL, &outcome),
			  "check")) {
			CHECK(outcome == TENON_PASS);
			CHECK(k.plan->plan->donations.n == 0);
			buf_init(&b, &k.c->ctx.perm);
			kernels_print(k.plan->kernels, &b);
			CHECK(strstr(buf_str(&b), "] flat pack_b["));
		}
		case_close(&k);
	}
}

TEST_MAIN(TEST(avx512_bf16), TEST(amx_bf16), TEST(amx_f16),
	  TEST(flushed_by_record), TEST(bound_is_kept), TEST(bound_of_parts),
	  TEST(recorded), TEST(followed), TEST(refusals), TEST(chosen),
	  TEST(pays), TEST(kernels_need_unit), TEST(operands), TEST(in_place))
