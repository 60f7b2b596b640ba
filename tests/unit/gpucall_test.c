/*
 * gpucall_test: calls whose kernels run on a device: tensors with any strides
 * and alignment, repeated, with any number of threads, give the
 * same bits, and the oracle agrees. Skipped where no OpenCL device is and
 * tools/setup has not brought one.
 *
 * tests/run: plain
 */
#include "tests/differential/judge.h"
#include "tests/unit/test.h"

#include <math.h>

static void judge_all(const char *const *texts, size_t n, const Sizes *sizes,
		      size_t nsizes, const char *const *pins, size_t npins)
{
	/* what is resumed from regions has no pins, and sums in other orders */
	unsigned what = npins ? JUDGE_ALL & ~JUDGE_STAGES : JUDGE_ALL;
	Judge j;

	judge_init(&j);
	j.target = "opencl";
	j.pins = pins;
	j.npins = npins;
	bool here = judge_has_opencl(j.c);
	for (size_t i = 0; here && i < n; i++) {
		TenonProgram *p;
		if (!CHECK(!tenon_program_from_text(j.c, "calls", texts[i],
						    NULL, &p)))
			break;
		if (!CHECK(judge_program(&j, p, sizes, nsizes, what)))
			printf("%s", buf_str(&j.why));
		judge_clear(&j);
		tenon_program_free(p);
	}
	judge_release(&j);
	if (!here)
		SKIP_UNTIL_SETUP("no OpenCL device is here");
}

static void calls(void)
{
	static const char *const texts[] = {
		"def f(x: f32[M, N], y: f32[N]):\n"
		"    return x * 2 + y, sum(x, axis=1)\n",
		"def f(x: f16[M, N], w: f16[N, 5]):\n"
		"    return x @ w, softmax(x, axis=-1)\n",
	};
	static const Sizes sizes[] = {{{3, 70}}, {{65, 7}}, {{1, 1}}, {{0, 4}}};

	judge_all(texts, ARRAY_LEN(texts), sizes, ARRAY_LEN(sizes), NULL, 0);
}

static const Sizes fixed[] = {{{0}}};

/* Rows of known widths: in registers, whole runs and parts of them, and wider
 * than a block's registers. */
static void runs(void)
{
	static const char *const texts[] = {
		"def f(x: f32[3, 131], y: f32[3, 131]):\n"
		"    return x * 2 + y, argmax(x, axis=-1), softmax(y)\n",
		"def f(x: f16[5, 520], g: f16[520], b: f16[520]):\n"
		"    return layer_norm(x, g, b), x + g, max(x, axis=-1)\n",
		"def f(x: f32[2, 8300], g: f32[8300]):\n"
		"    return rms_norm(x, g), sum(x, axis=-1)\n",
		"def f(x: f32[2, 33004]):\n"
		"    return softmax(x, axis=-1)\n",
		"def f(x: u8[7, 43], y: u8[7, 43], z: f64[9, 6]):\n"
		"    return x * 2 + y, max(x, axis=1), mean(z, axis=[0, 1])\n",
	};

	judge_all(texts, ARRAY_LEN(texts), fixed, 1, NULL, 0);
}

/* Rows that have a block for each piece: by runs of a known width, whole or
 * not, by single elements where it is a name, and places of the best. */
static void pieces(void)
{
	static const char *const known[] = {
		"def f(x: f32[2, 8300], g: f32[8300]):\n"
		"    return rms_norm(x, g), softmax(x)\n",
		"def f(x: f16[3, 8192], i: i16[2, 4003]):\n"
		"    return argmax(x, axis=1), argmin(i, axis=1), sum(x)\n",
	};
	static const char *const named[] = {
		"def f(x: f32[M, N], y: f32[M, 3, N]):\n"
		"    return layer_norm(x), argmax(x, axis=1), mean(y)\n",
	};
	static const Sizes sizes[] = {{{2, 5001}}, {{3, 64}}, {{0, 4}}};
	static const char *const pins[] = {"rowreduce.split=2"};
	/* by number and length, which pays from 65536 elements on */
	static const Sizes lengths[] = {{{1, 65536}}, {{1, 65535}}};
	static const char *const sums[] = {
		"def f(x: f32[M, N]):\n"
		"    return sum(x, axis=1)\n",
	};

	judge_all(known, ARRAY_LEN(known), fixed, 1, pins, 1);
	judge_all(named, 1, sizes, ARRAY_LEN(sizes), pins, 1);
	judge_all(sums, 1, lengths, ARRAY_LEN(lengths), NULL, 0);
}

/* Runs divided by what they share: right to the last bit. */
static void quotients(void)
{
	static const char *const texts[] = {
		"def f(x: f32[9, 648], y: f16[5, 64]):\n"
		"    return x / max(abs(x), axis=1, keepdims=True), \\\n"
		"        x / max(x, axis=1, keepdims=True), softmax(y)\n",
		"def f(x: f32[3, 644], y: f32[3, 1]):\n"
		"    return sum(x, axis=1, keepdims=True) * x, x / y\n",
	};

	judge_all(texts, ARRAY_LEN(texts), fixed, 1, NULL, 0);
}

/* a / b as near to the middle of two floats as there is: b m + 1 and b m - 1
 * are 2^25 a, where m has 25 bits. And what overflows, and a zero's sign. */
static void middles(void)
{
	enum {
		ROWS = 512,
		COLUMNS = 4
	};
	static const char text[] =
		"def f(x: f32[512, 4]):\n"
		"    return x / max(x, axis=1, keepdims=True)\n";
	static float in[ROWS][COLUMNS], out[ROWS][COLUMNS];
	static const float last[] = {0x1p-20f, -0x1.fp127f, -INFINITY, -0.0f};
	TenonPlanOptions o = {.target = "opencl"};
	TenonTensor x = {.data = in}, y = {.data = out};
	Judge j;
	TenonProgram *p = NULL;
	TenonPlan *plan = NULL;
	int bad = 0, found = 0;

	for (uint64_t i = 0, b = 0xffffff; i < ROWS - 1; b -= 2) {
		uint64_t m = b; /* to be 1 / b modulo 2^25 */
		for (int k = 0; k < 4; k++)
			m *= 2 - b * m;
		m &= (1 << 25) - 1;
		uint64_t less = (1 << 25) - m;
		in[i][0] = (float)b;
		in[i][1] = (float)((b * m - 1) >> 25);
		in[i][2] = (float)((b * less + 1) >> 25);
		in[i][3] = -in[i][1] / 1024;
		found += in[i][1] < 0x1p24f && in[i][2] < 0x1p24f;
		i++;
	}
	CHECK(found == ROWS - 1);
	memcpy(in[ROWS - 1], last, sizeof(last));
	judge_init(&j);
	bool here = judge_has_opencl(j.c);
	if (here &&
	    CHECK(!tenon_program_from_text(j.c, "middles", text, NULL, &p)) &&
	    CHECK(!tenon_compile(j.c, p, &o, &plan)) &&
	    CHECK(!tenon_input_desc(p, 0, &x) &&
		  !tenon_result_desc(p, 0, &y))) {
		x.data = in;
		y.data = out;
		CHECK(!tenon_plan_run(plan, &x, &y));
		for (int i = 0; i < ROWS; i++)
			for (int k = 0; k < COLUMNS; k++) {
				float want = in[i][k] / in[i][0];
				bad += memcmp(&out[i][k], &want, 4) != 0;
			}
		if (!CHECK(bad == 0))
			printf("%d quotients differ\n", bad);
	}
	tenon_plan_free(plan);
	tenon_program_free(p);
	judge_release(&j);
	if (!here)
		SKIP_UNTIL_SETUP("no OpenCL device is here");
}

TEST_MAIN(TEST(calls), TEST(runs), TEST(pieces), TEST(quotients), TEST(middles))
