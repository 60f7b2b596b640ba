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

static bool device_here(TenonContext *c)
{
	const TenonDevice *all;
	size_t n = 0;
	bool found = false;

	if (tenon_devices(c, &all, &n))
		return false;
	for (size_t i = 0; i < n; i++)
		found |= !strcmp(all[i].kind, "opencl") && all[i].available;
	return found;
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
	Judge j;

	judge_init(&j);
	j.target = "opencl";
	bool here = device_here(j.c);
	for (size_t i = 0; here && i < ARRAY_LEN(texts); i++) {
		TenonProgram *p;
		if (!CHECK(!tenon_program_from_text(j.c, "calls", texts[i],
						    NULL, &p)))
			break;
		if (!CHECK(judge_program(&j, p, sizes, ARRAY_LEN(sizes),
					 JUDGE_ALL)))
			printf("%s", buf_str(&j.why));
		judge_clear(&j);
		tenon_program_free(p);
	}
	judge_release(&j);
	if (!here)
		SKIP_UNTIL_SETUP("no OpenCL device is here");
}

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
	static const Sizes sizes[] = {{{0}}};
	Judge j;

	judge_init(&j);
	j.target = "opencl";
	bool here = device_here(j.c);
	for (size_t i = 0; here && i < ARRAY_LEN(texts); i++) {
		TenonProgram *p;
		if (!CHECK(!tenon_program_from_text(j.c, "runs", texts[i], NULL,
						    &p)))
			break;
		if (!CHECK(judge_program(&j, p, sizes, 1, JUDGE_ALL)))
			printf("%s", buf_str(&j.why));
		judge_clear(&j);
		tenon_program_free(p);
	}
	judge_release(&j);
	if (!here)
		SKIP_UNTIL_SETUP("no OpenCL device is here");
}

TEST_MAIN(TEST(calls), TEST(runs))
