/*
 * emit_dtypes_test: every dtype through the emitter: constants, boundaries,
 * folds, and one body mapped to single elements and to lanes.
 * The code under test is generated, and no sanitizer sees it:
 * tests/run: plain
 */
#include "tests/unit/kernel_run.h"

/* Constants of every dtype reach memory bit for bit. */
static void constants(void)
{
	static const struct {
		const char *dtype, *text;
		uint64_t bits;
	} rows[] = {
		{"f64", "0x1.8p-1", 0x3fe8000000000000},
		{"f64", "-inf", 0xfff0000000000000},
		{"f64", "nan:0x7ff8000000000123", 0x7ff8000000000123},
		{"f32", "-0x0p+0", 0x80000000},
		{"f32", "0x1p-149", 1},
		{"f32", "inf", 0x7f800000},
		{"f32", "nan:0xffc00001", 0xffc00001},
		{"f16", "0x1.ffcp+15", 0x7bff},
		{"f16", "0x1p-24", 1},
		{"f16", "-inf", 0xfc00},
		{"f16", "nan:0xfe00", 0xfe00},
		{"bf16", "0x1.8p-130", 0x000c},
		{"bf16", "nan:0xffc1", 0xffc1},
		{"i64", "-9223372036854775808", 0x8000000000000000},
		{"i32", "-2147483648", 0x80000000},
		{"i16", "-32768", 0x8000},
		{"i8", "-128", 0x80},
		{"u64", "18446744073709551615", UINT64_MAX},
		{"u32", "4294967295", 0xffffffff},
		{"u16", "65535", 0xffff},
		{"u8", "255", 0xff},
		{"bool", "1", 1},
	};
	Unit u;
	Arena a = {0};
	Buf program, kernel, body;

	arena_init(&a);
	buf_init(&program, &a);
	buf_init(&kernel, &a);
	buf_init(&body, &a);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		buf_printf(&program, "%%%zu: %s[3] = input index=%zu\n", i,
			   rows[i].dtype, i);
		buf_printf(&kernel, "\tbuffer shared b%zu: %s[3]\n", i,
			   rows[i].dtype);
		/* once as a scalar, once in a lane */
		buf_printf(&body,
			   "\t\tv%zu: %s = const %s\n\t\tstore b%zu[2] = v%zu\n"
			   "\t\tfor i%zu < 2 vector 2 {\n"
			   "\t\t\tstore b%zu[i%zu] = v%zu\n\t\t}\n",
			   i, rows[i].dtype, rows[i].text, i, i, i, i, i, i);
	}
	buf_puts(&program, "return %0 as y\n");
	buf_printf(&kernel, "\tphase main {\n%s\t}\n", buf_str(&body));
	unit_init(&u, buf_str(&program), buf_str(&kernel));
	void *buffers[ARRAY_LEN(rows)];
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		buffers[i] = guarded(24);
	CHECK(unit_run(&u, buffers, 0, 0).code == 0);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		DType d = DT_F64;
		CHECK(dtype_parse(rows[i].dtype, &d));
		size_t bytes = (size_t)dtype_info[d].bytes;
		uint64_t got[2] = {0, 0};
		memcpy(&got[0], buffers[i], bytes);
		memcpy(&got[1], (char *)buffers[i] + 2 * bytes, bytes);
		if (!CHECK(got[0] == rows[i].bits && got[1] == rows[i].bits))
			printf("%s %s: %lx %lx\n", rows[i].dtype, rows[i].text,
			       (unsigned long)got[0], (unsigned long)got[1]);
		unguard(buffers[i], 24);
	}
	arena_release(&a);
	unit_release(&u);
}

/* The boundary of each accumulator dtype, in lanes and in the tail. */
static void boundaries(void)
{
	Unit u;
	unit_init(&u,
		  "%0 x: f32[M] = input index=0\n"
		  "%1 y: f16[M] = cast %0\n"
		  "%2 z: bf16[M] = cast %0\n"
		  "%3 w: f64[M] = cast %0\n"
		  "%4 i: i16[M] = cast %0\n"
		  "return %1 as y, %2 as z, %3 as w, "
		  "%4 as i\n",
		  "\tbuffer in x: f32[M] %0\n"
		  "\tbuffer out y: f16[M] %1\n"
		  "\tbuffer out z: bf16[M] %2\n"
		  "\tbuffer out w: f64[M] %3\n"
		  "\tbuffer out i: i16[M] %4\n"
		  "\tphase main {\n"
		  "\t\tfor i0 < M vector 8 {\n"
		  "\t\t\tv0: f32 = load x[i0] as %0\n"
		  "\t\t\tv1: f16 = boundary v0 as %1\n"
		  "\t\t\tv2: f64 = cast.f32 v0\n"
		  "\t\t\tv3: bf16 = boundary v2 as %2\n"
		  "\t\t\tv4: f64 = boundary v2 as %3\n"
		  "\t\t\tv5: i64 = cast.f32 v0\n"
		  "\t\t\tv6: i16 = boundary v5 as %4\n"
		  "\t\t\tstore y[i0] = v1\n\t\t\tstore z[i0] = v3\n"
		  "\t\t\tstore w[i0] = v4\n\t\t\tstore i[i0] = v6\n"
		  "\t\t}\n\t}\n");
	static const struct {
		float x;
		uint16_t y, z;
		int16_t i;
	} rows[] = {
		{0x1.002p+0f, 0x3c00, 0x3f80, 1}, /* ties to even */
		{0x1.006p+0f, 0x3c02, 0x3f80, 1},
		{0x1.01p+0f, 0x3c04, 0x3f80, 1},
		{0x1.03p+0f, 0x3c0c, 0x3f82, 1},
		{65519.0f, 0x7bff, 0x4780, -17},
		{65520.0f, 0x7c00, 0x4780, -16},
		{0x1p-25f, 0x0000, 0x3300, 0},
		{0x1.8p-25f, 0x0001, 0x3340, 0},
		{-0.0f, 0x8000, 0x8000, 0},
		{-3.0f, 0xc200, 0xc040, -3},
		{70000.0f, 0x7c00, 0x4789, 4464},
	};
	size_t n = ARRAY_LEN(rows);
	float *x = floats((int64_t)n);
	uint16_t *y = guarded(2 * n), *z = guarded(2 * n);
	double *w = guarded(8 * n);
	int16_t *v = guarded(2 * n);
	void *buffers[] = {x, y, z, w, v};
	for (size_t i = 0; i < n; i++)
		x[i] = rows[i].x;
	CHECK(unit_run(&u, buffers, (int64_t)n, 0).code == 0);
	for (size_t i = 0; i < n; i++)
		if (!CHECK(y[i] == rows[i].y && z[i] == rows[i].z &&
			   w[i] == (double)rows[i].x && v[i] == rows[i].i))
			printf("%a: %x %x %a %d\n", (double)rows[i].x, y[i],
			       z[i], w[i], v[i]);
	floats_free(x, (int64_t)n);
	unguard(y, 2 * n);
	unguard(z, 2 * n);
	unguard(w, 8 * n);
	unguard(v, 2 * n);
	unit_release(&u);
}

/* An f16 accumulator rounds at every step. */
static void half_folds(void)
{
	Unit u;
	unit_init(&u,
		  "%0 x: f16[M] = input index=0\n"
		  "%1 y: f16[] = sum %0 acc=f16 axes=[0]\n"
		  "return %1 as y\n",
		  "\tbuffer in x: f16[M] %0\n"
		  "\tbuffer out y: f16[] %1\n"
		  "\tphase main {\n"
		  "\t\tv0: f16 = acc add\n"
		  "\t\tfor i0 < M serial {\n"
		  "\t\t\tv1: f16 = load x[i0]\n"
		  "\t\t\tv0: f16 = accum add v1\n"
		  "\t\t}\n"
		  "\t\tstore y[] = v0\n\t}\n");
	/* 2048 + 1 stays 2048, tie to even, each time */
	uint16_t *x = guarded(2 * 9), *y = guarded(2);
	void *buffers[] = {x, y};
	x[0] = 0x6800;
	for (int i = 1; i < 9; i++)
		x[i] = 0x3c00;
	CHECK(unit_run(&u, buffers, 9, 0).code == 0);
	CHECK(*y == 0x6800);
	unguard(x, 2 * 9);
	unguard(y, 2);
	unit_release(&u);
}

/* ---- every dtype, mapped either way ------------------------------------ */

/*
 * Two phases a dtype with the same body, one on single elements and one on
 * lanes: loads and stores that are next to each other, backwards, spread
 * and guarded; arithmetic, comparison, choice; folds.
 */
static void mapping_phase(Buf *b, DType d, const char *map, int to)
{
	const char *name = dtype_info[d].name;
	const char *op = d == DT_BOOL ? "maximum" : "add";
	int v = 100 * (2 * (int)d + to);

	buf_printf(b, "\tphase %s_%d {\n", name, to);
	buf_printf(b, "\t\tv%d: %s = acc %s\n", v, name, op);
	buf_printf(b, "\t\tv%d: %s = acc maximum\n", v + 1, name);
	buf_printf(b, "\t\tv%d: %s = acc minimum\n", v + 2, name);
	buf_printf(b, "\t\tfor i0 < M %s {\n", map);
	buf_printf(b, "\t\t\tv%d: %s = load x_%s[i0]\n", v + 3, name, name);
	buf_printf(b, "\t\t\tv%d: %s = load x_%s[M - 1 - i0]\n", v + 4, name,
		   name);
	buf_printf(b,
		   "\t\t\tv%d: %s = load x_%s[3*i0] where M - 3*i0 - 1 >= 0\n",
		   v + 5, name, name);
	buf_printf(b, "\t\t\tv%d: %s = load x_%s[i0//2]\n", v + 6, name, name);
	buf_printf(b, "\t\t\tv%d: %s = %s v%d v%d\n", v + 7, name, op, v + 3,
		   v + 4);
	buf_printf(b, "\t\t\tv%d: bool = lt.%s v%d v%d\n", v + 8, name, v + 5,
		   v + 6);
	buf_printf(b, "\t\t\tv%d: %s = where v%d v%d v%d\n", v + 9, name, v + 8,
		   v + 7, v + 5);
	buf_printf(b, "\t\t\tv%d: %s = accum %s v%d\n", v, name, op, v + 3);
	buf_printf(b, "\t\t\tv%d: %s = accum maximum v%d\n", v + 1, name,
		   v + 9);
	buf_printf(b, "\t\t\tv%d: %s = accum minimum v%d\n", v + 2, name,
		   v + 9);
	buf_printf(b, "\t\t\tstore y_%s[%d, i0] = v%d\n", name, to, v + 9);
	buf_printf(b, "\t\t\tstore z_%s[%d, M - 1 - i0, 1] = v%d\n", name, to,
		   v + 7);
	buf_printf(b, "\t\t}\n");
	for (int i = 0; i < 3; i++)
		buf_printf(b, "\t\tstore s_%s[%d, %d] = v%d\n", name, to, i,
			   v + i);
	buf_puts(b, "\t}\n");
}

/* Element i of dtype d: small, so that sums are exact in any order. */
static void put(DType d, void *p, int64_t i)
{
	int64_t v = i * 5 % 7;
	double f = (double)(v - 3);
	float g = (float)f;
	uint32_t bits;
	static const uint16_t halves_of[] = {0xc200, 0xc000, 0xbc00, 0,
					     0x3c00, 0x4000, 0x4200};
	uint16_t h = halves_of[v];
	uint8_t flag = v < 3;

	memcpy(&bits, &g, 4);
	uint16_t bf = (uint16_t)(bits >> 16);
	int64_t s = dtype_info[d].cls == DTC_I ? v - 3 : v;
	const void *from = d == DT_F64    ? (const void *)&f
			   : d == DT_F32  ? (const void *)&g
			   : d == DT_F16  ? (const void *)&h
			   : d == DT_BF16 ? (const void *)&bf
			   : d == DT_BOOL ? (const void *)&flag
					  : (const void *)&s;
	memcpy(p, from, (size_t)dtype_info[d].bytes);
}

static void mappings(void)
{
	Arena a;
	Buf buffers_text, phases;
	Unit u;

	arena_init(&a);
	buf_init(&buffers_text, &a);
	buf_init(&phases, &a);
	for (int d = 0; d < DT_COUNT; d++) {
		const char *n = dtype_info[d].name;
		buf_printf(&buffers_text,
			   "\tbuffer shared x_%s: %s[M]\n"
			   "\tbuffer shared y_%s: %s[2, M]\n"
			   "\tbuffer shared z_%s: %s[2, M, 2]\n"
			   "\tbuffer shared s_%s: %s[2, 3]\n",
			   n, n, n, n, n, n, n, n);
		/* filled by the test, as far as the verifier knows here */
		buf_printf(&phases,
			   "\tphase fill_%s {\n\t\tfor i1 < N serial {\n"
			   "\t\t\tv%d: %s = const 0%s\n"
			   "\t\t\tif M - i1 - 1 >= 0 {\n"
			   "\t\t\t\tstore x_%s[i1] = v%d\n"
			   "\t\t\t}\n\t\t}\n\t}\n",
			   n, 100 * (2 * d) + 50, n,
			   dtype_is_float((DType)d) ? "x0p+0" : "", n,
			   100 * (2 * d) + 50);
		mapping_phase(&phases, (DType)d, "serial", 0);
		mapping_phase(&phases, (DType)d, "vector 8", 1);
	}
	buf_puts(&buffers_text, buf_str(&phases));
	unit_init(&u, UNARY, buf_str(&buffers_text));
	for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
		int64_t n = sizes[s];
		void *buffers[4 * DT_COUNT];
		size_t bytes[4 * DT_COUNT];
		for (int d = 0; d < DT_COUNT; d++) {
			size_t e = (size_t)dtype_info[d].bytes;
			size_t per[4] = {e * (size_t)n, 2 * e * (size_t)n,
					 4 * e * (size_t)n, 6 * e};
			for (int k = 0; k < 4; k++) {
				bytes[4 * d + k] = per[k];
				buffers[4 * d + k] = guarded(per[k]);
			}
			for (int64_t i = 0; i < n; i++)
				put((DType)d,
				    (char *)buffers[4 * d] + e * (size_t)i, i);
		}
		CHECK(unit_run(&u, buffers, n, 0).code == 0);
		for (int i = 0; i < 4 * DT_COUNT; i++) {
			size_t half = bytes[i] / 2;
			const char *b = buffers[i];
			if (i % 4 != 0 && !CHECK(!memcmp(b, b + half, half)))
				printf("%s, buffer %d, size %ld\n",
				       dtype_info[i / 4].name, i % 4, (long)n);
		}
		for (int i = 0; i < 4 * DT_COUNT; i++)
			unguard(buffers[i], bytes[i]);
	}
	unit_release(&u);
	arena_release(&a);
}

TEST_MAIN(TEST(constants), TEST(boundaries), TEST(half_folds), TEST(mappings),
	  TEST(elsewhere))
