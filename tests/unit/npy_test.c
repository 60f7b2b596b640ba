/*
 * npy: tensor files, sound and broken, and the consts that read them.
 */
#include "front/front.h"

#include "tests/unit/test.h"

#include <stdlib.h>
#include <unistd.h>

static char folder[64];

static const char *path_of(const char *name)
{
	static char path[128];
	if (!folder[0]) {
		strcpy(folder, "/tmp/tenon_npy_XXXXXX");
		if (!mkdtemp(folder))
			abort();
	}
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void put(const char *path, const void *p, size_t n)
{
	FILE *f = fopen(path, "wb");
	if (!f || fwrite(p, 1, n, f) != n || fclose(f))
		abort();
}

/* Writes a version 1 file of this dict and data; returns its path. */
static const char *npy(const char *dict, const void *data, size_t n)
{
	unsigned char all[4096] = "\x93NUMPY\x01";
	size_t len = strlen(dict);
	all[7] = 0;
	all[8] = (unsigned char)(len & 255);
	all[9] = (unsigned char)(len >> 8);
	memcpy(all + 10, dict, len);
	memcpy(all + 10 + len, data, n);
	const char *path = path_of("a.npy");
	put(path, all, 10 + len + n);
	return path;
}

#define DICT(descr, order, shape)                                              \
	"{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape   \
	", }\n"

/* Reads; on failure the message without the folder's name. */
static bool read_npy(Ctx *ctx, const char *path, DType want, Tensor *t,
		     const char **why)
{
	ctx_init(ctx);
	bool ok = npy_read(ctx, path, want, t);
	const char *m = buf_str(&ctx->messages);
	const char *at = strstr(m, "a.npy");
	*why = ok ? "" : at ? at : m;
	return ok;
}

static void check_refused(const char *dict, const void *data, size_t n,
			  DType want, const char *reason)
{
	Ctx ctx;
	Tensor t;
	const char *why;
	bool ok = read_npy(&ctx, npy(dict, data, n), want, &t, &why);
	if (!CHECK(!ok && strstr(why, reason)))
		printf("  got: %s\n  want: %s\n", why, reason);
	if (ok)
		big_free(t.data, tensor_bytes(&t));
	ctx_release(&ctx);
}

static void every_dtype_round_trips(void)
{
	for (int d = 0; d < DT_COUNT; d++) {
		Ctx ctx;
		unsigned char bytes[6 * 8];
		const char *path = path_of("a.npy");
		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = d == DT_BOOL ? i % 2
						: (unsigned char)(i * 7 + 1);
		Tensor t = {.dtype = (DType)d, .rank = 2, .shape = {2, 3}};
		t.data = bytes;
		tensor_set_contiguous(&t);
		ctx_init(&ctx);
		CHECK(npy_write(&ctx, path, &t));
		Tensor r;
		bool ok = npy_read(&ctx, path, (DType)d, &r);
		CHECK(ok && r.dtype == t.dtype && r.rank == 2 &&
		      r.shape[0] == 2 && r.shape[1] == 3);
		CHECK(ok && memcmp(r.data, bytes, tensor_bytes(&t)) == 0);
		if (ok)
			big_free(r.data, tensor_bytes(&r));
		ctx_release(&ctx);
	}
}

static void written_strides_and_ranks(void)
{
	Ctx ctx;
	Tensor r;
	const char *why;
	int32_t a[6] = {0, 1, 2, 3, 4, 5};
	Tensor t = {.dtype = DT_I32, .rank = 2, .shape = {3, 2}, .data = a};
	t.strides[0] = 4; /* the transpose of [2, 3] */
	t.strides[1] = 12;
	ctx_init(&ctx);
	CHECK(npy_write(&ctx, path_of("a.npy"), &t));
	ctx_release(&ctx);
	CHECK(read_npy(&ctx, path_of("a.npy"), DT_COUNT, &r, &why));
	static const int32_t want[6] = {0, 3, 1, 4, 2, 5};
	CHECK(memcmp(r.data, want, sizeof(want)) == 0);
	big_free(r.data, tensor_bytes(&r));
	ctx_release(&ctx);
	for (int rank = 0; rank <= TN_MAX_RANK; rank++) {
		Tensor one = {.dtype = DT_I32, .rank = (uint8_t)rank};
		for (int i = 0; i < rank; i++)
			one.shape[i] = 1;
		one.data = a + 3;
		tensor_set_contiguous(&one);
		ctx_init(&ctx);
		CHECK(npy_write(&ctx, path_of("a.npy"), &one));
		ctx_release(&ctx);
		CHECK(read_npy(&ctx, path_of("a.npy"), DT_I32, &r, &why));
		CHECK(r.rank == rank && *(int32_t *)r.data == 3);
		big_free(r.data, tensor_bytes(&r));
		ctx_release(&ctx);
	}
	/* no elements at all */
	Tensor none = {.dtype = DT_F16, .rank = 2, .shape = {0, 5}};
	tensor_set_contiguous(&none);
	ctx_init(&ctx);
	CHECK(npy_write(&ctx, path_of("a.npy"), &none));
	ctx_release(&ctx);
	CHECK(read_npy(&ctx, path_of("a.npy"), DT_F16, &r, &why));
	CHECK(r.shape[0] == 0 && r.shape[1] == 5);
	big_free(r.data, tensor_bytes(&r));
	ctx_release(&ctx);
}

static void foreign_layouts(void)
{
	Ctx ctx;
	Tensor t;
	const char *why;
	static const unsigned char big[] = {0, 0, 0, 1, 0, 0, 2, 0};
	CHECK(read_npy(&ctx, npy(DICT(">i4", "False", "(2,)"), big, 8), DT_I32,
		       &t, &why));
	CHECK(((int32_t *)t.data)[0] == 1 && ((int32_t *)t.data)[1] == 512);
	big_free(t.data, tensor_bytes(&t));
	ctx_release(&ctx);
	/* column-major [2, 3] of 0..5, and [2, 2, 2] big-endian */
	static const int16_t columns[] = {0, 3, 1, 4, 2, 5};
	CHECK(read_npy(&ctx, npy(DICT("<i2", "True", "(2, 3)"), columns, 12),
		       DT_COUNT, &t, &why));
	for (int i = 0; i < 6; i++)
		CHECK(((int16_t *)t.data)[i] == i);
	big_free(t.data, tensor_bytes(&t));
	ctx_release(&ctx);
	static const unsigned char cube[] = {0, 0, 0, 4, 0, 2, 0, 6,
					     0, 1, 0, 5, 0, 3, 0, 7};
	CHECK(read_npy(&ctx, npy(DICT(">u2", "True", "(2, 2, 2)"), cube, 16),
		       DT_U16, &t, &why));
	for (int i = 0; i < 8; i++)
		CHECK(((uint16_t *)t.data)[i] == i);
	big_free(t.data, tensor_bytes(&t));
	ctx_release(&ctx);
	/* entries in another order, double quotes, Python 2 integers */
	CHECK(read_npy(&ctx,
		       npy("{\"shape\": (2L,), \"fortran_order\": False, "
			   "\"descr\": \"|b1\"}",
			   "\0\1", 2),
		       DT_BOOL, &t, &why));
	big_free(t.data, tensor_bytes(&t));
	ctx_release(&ctx);
	/* bf16 from two-byte void and from u2, when asked for */
	for (int i = 0; i < 2; i++) {
		const char *dict = i ? DICT("<u2", "False", "()")
				     : DICT("|V2", "False", "()");
		CHECK(read_npy(&ctx, npy(dict, "\x80\x3f", 2), DT_BF16, &t,
			       &why));
		CHECK(t.dtype == DT_BF16 && *(uint16_t *)t.data == 0x3f80);
		big_free(t.data, tensor_bytes(&t));
		ctx_release(&ctx);
	}
}

static void later_versions(void)
{
	for (char version = 2; version <= 3; version++) {
		Ctx ctx;
		Tensor t;
		const char *why;
		unsigned char all[256] = "\x93NUMPY";
		static const char dict[] = DICT("<f4", "False", "(1,)");
		float v = 1.5f;
		all[6] = (unsigned char)version;
		all[8] = sizeof(dict) - 1;
		memcpy(all + 12, dict, sizeof(dict) - 1);
		memcpy(all + 12 + sizeof(dict) - 1, &v, 4);
		const char *path = path_of("a.npy");
		put(path, all, 12 + sizeof(dict) - 1 + 4);
		CHECK(read_npy(&ctx, path, DT_F32, &t, &why));
		CHECK(*(float *)t.data == 1.5f);
		big_free(t.data, tensor_bytes(&t));
		ctx_release(&ctx);
	}
}

static void broken_files(void)
{
	char zeros[64] = {0};
	check_refused(DICT("<f4", "False", "(4,)"), zeros, 12, DT_F32,
		      "it is truncated: f32[4] has 16 bytes of data, and 12 "
		      "are there");
	check_refused(DICT("<f4", "False", "(4,)"), zeros, 17, DT_F32,
		      "data after the end");
	check_refused(DICT("<f4", "False", "(4,)"), zeros, 16, DT_F16,
		      "holds f32, and f16 is wanted");
	check_refused(DICT("|O", "False", "(1,)"), zeros, 8, DT_COUNT,
		      "object arrays");
	check_refused(DICT("<c8", "False", "(1,)"), zeros, 8, DT_COUNT,
		      "no dtype for its descr '<c8'");
	check_refused(DICT("<V2", "False", "(1,)"), zeros, 2, DT_COUNT,
		      "only as bf16");
	check_refused(DICT("<f4", "Maybe", "(1,)"), zeros, 4, DT_COUNT,
		      "neither True nor False");
	check_refused(DICT("<f4", "False", "(-1,)"), zeros, 4, DT_COUNT,
		      "negative extent");
	check_refused(DICT("<f4", "False", "(1,1,1,1,1,1,1,1,1)"), zeros, 4,
		      DT_COUNT, "rank is more than 8");
	check_refused(DICT("<f4", "False", "(99999999999999999999,)"), zeros, 4,
		      DT_COUNT, "overflows");
	check_refused(DICT("<f4", "False", "(4294967296, 4294967296)"), zeros,
		      4, DT_COUNT, "more than 2^63 bytes");
	check_refused(DICT("|b1", "False", "(2,)"), "\1\2", 2, DT_BOOL,
		      "neither 0 nor 1");
	check_refused("{'descr': [('a', '<f4')], 'fortran_order': False, "
		      "'shape': (1,)}",
		      zeros, 4, DT_COUNT, "structured");
	check_refused("{'descr': '<f4', 'shape': (1,)}", zeros, 4, DT_COUNT,
		      "lacks descr");
	check_refused("{'descr': '<f4', 'descr': '<f4', 'shape': (1,)}", zeros,
		      4, DT_COUNT, "twice");
	check_refused(DICT("<f4", "False", "(1,)") "more", zeros, 4, DT_COUNT,
		      "goes on");
	check_refused("os.system('true')", zeros, 4, DT_COUNT, "not a dict");
	Ctx ctx;
	Tensor t;
	const char *why, *path = path_of("a.npy");
	put(path, "\x93NUMPY\x02\x00\xff\xff\xff\x7f", 12);
	CHECK(!read_npy(&ctx, path, DT_F32, &t, &why));
	CHECK(strstr(why, "absurdly long") != NULL);
	ctx_release(&ctx);
	put(path, "\x93NUMPY\x07\x00\x10\x00{}", 12);
	CHECK(!read_npy(&ctx, path, DT_F32, &t, &why));
	CHECK(strstr(why, "version is unknown") != NULL);
	ctx_release(&ctx);
	put(path, "PK", 2);
	CHECK(!read_npy(&ctx, path, DT_F32, &t, &why));
	CHECK(strstr(why, "not a .npy file") != NULL);
	ctx_release(&ctx);
	CHECK(!read_npy(&ctx, path_of("none.npy"), DT_F32, &t, &why));
	CHECK(ctx.err == ERR_ENV);
	ctx_release(&ctx);
	path_of("a.npy");
	CHECK(!read_npy(&ctx, folder, DT_F32, &t, &why));
	CHECK(strstr(why, "not a regular file") != NULL);
	ctx_release(&ctx);
}

/* Every byte of a header changed to every value of a few: no crash. */
static void mutated_headers(void)
{
	static const char dict[] = DICT("<f4", "False", "(2, 1)");
	static const unsigned char values[] = {0,   '\'', '(', ')',  ',', '9',
					       '-', '{',  '}', 0xff, 'O', 'L'};
	unsigned char all[128] = "\x93NUMPY\x01";
	size_t n = 10 + sizeof(dict) - 1 + 8;
	all[8] = sizeof(dict) - 1;
	memcpy(all + 10, dict, sizeof(dict) - 1);
	const char *path = path_of("a.npy");
	for (size_t i = 0; i < n - 8; i++) {
		for (size_t k = 0; k < ARRAY_LEN(values); k++) {
			Ctx ctx;
			Tensor t;
			const char *why;
			unsigned char was = all[i];
			all[i] = values[k];
			put(path, all, n);
			if (read_npy(&ctx, path, DT_COUNT, &t, &why))
				big_free(t.data, tensor_bytes(&t));
			else
				CHECK(ctx.errors == 1);
			ctx_release(&ctx);
			all[i] = was;
		}
	}
}

/* ---- safetensors ----------------------------------------------------- */

static const char *safetensors(const char *json, const void *data, size_t n)
{
	unsigned char all[4096] = {0};
	size_t len = strlen(json);
	all[0] = (unsigned char)(len & 255);
	all[1] = (unsigned char)(len >> 8);
	memcpy(all + 8, json, len);
	memcpy(all + 8 + len, data, n);
	const char *path = path_of("a.safetensors");
	put(path, all, 8 + len + n);
	return path;
}

#define ENTRY(name, dtype, shape, from, to)                                    \
	"\"" name "\":{\"dtype\":\"" dtype "\",\"shape\":" shape               \
	",\"data_offsets\":[" #from "," #to "]}"

static void safetensors_reads_one(void)
{
	Ctx ctx;
	Tensor t;
	float data[5] = {1, 2, 3, 4, 5};
	const char *path = safetensors(
		"{\"__metadata__\":{\"a\":\"b\"}," ENTRY(
			"w", "F32", "[2,2]", 4,
			20) "," ENTRY("s", "F32", "[]", 0,
				      4) "," ENTRY("z", "F8_E4M3", "[0]", 20,
						   20) "}",
		data, sizeof(data));
	ctx_init(&ctx);
	CHECK(safetensors_read(&ctx, path, "w", DT_F32, &t));
	CHECK(t.rank == 2 && t.shape[0] == 2 && t.shape[1] == 2);
	CHECK(memcmp(t.data, data + 1, 16) == 0);
	big_free(t.data, tensor_bytes(&t));
	CHECK(safetensors_read(&ctx, path, "s", DT_COUNT, &t));
	CHECK(t.rank == 0 && *(float *)t.data == 1);
	big_free(t.data, tensor_bytes(&t));
	CHECK(!safetensors_read(&ctx, path, "q", DT_COUNT, &t));
	CHECK(!safetensors_read(&ctx, path, "z", DT_COUNT, &t));
	CHECK(!safetensors_read(&ctx, path, "w", DT_F16, &t));
	CHECK(weight_stat(&ctx, path, "w", DT_F32, &t));
	CHECK(t.dtype == DT_F32 && t.rank == 2 && !t.data);
	ctx_release(&ctx);
}

static void safetensors_refused(void)
{
	static const struct {
		const char *json;
		size_t n;
		const char *why;
	} rows[] = {
		{"[]", 0, "not a JSON object"},
		{"{", 0, "not a JSON object"},
		{"{" ENTRY("w", "F32", "[2]", 0, 8) "}", 4, "truncated"},
		{"{" ENTRY("w", "F32", "[2]", 0, 8) "}", 9,
		 "data after the last"},
		{"{" ENTRY("w", "F32", "[2]", 0, 4) "}", 4,
		 "do not fit its dtype"},
		{"{" ENTRY("w", "F32", "[-2]", 0, 8) "}", 8, "natural number"},
		{"{" ENTRY("w", "F32", "2", 0, 8) "}", 8, "not a list"},
		{"{" ENTRY("w", "F32", "[2]", 8, 0) "}", 8, "not a range"},
		{"{" ENTRY("w", "F32", "[2]", -8, 0) "}", 8, "not a range"},
		{"{" ENTRY("w", "F32", "[4611686018427387904,4]", 0, 0) "}", 0,
		 "do not fit"},
		{"{" ENTRY("w", "F99", "[2]", 0, 8) "}", 8, "no such dtype"},
		{"{" ENTRY("w", "BOOL", "[1]", 0, 1) "}", 1, "neither 0 nor"},
		{"{" ENTRY("w", "U8", "[2]", 0, 2) "," ENTRY("v", "U8", "[2]",
							     1, 3) "}",
		 3, "overlaps"},
		{"{" ENTRY("w", "U8", "[1]", 0, 1) "," ENTRY("v", "U8", "[1]",
							     2, 3) "}",
		 3, "unnamed data"},
		{"{\"w\":{\"dtype\":\"F32\",\"shape\":[1]}}", 0, "not {dtype"},
		{"{\"w\":5}", 0, "not {dtype"},
	};
	char data[16];
	memset(data, 7, sizeof(data));
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		Ctx ctx;
		Tensor t;
		ctx_init(&ctx);
		const char *path = safetensors(rows[i].json, data, rows[i].n);
		bool ok = safetensors_read(&ctx, path, "w", DT_COUNT, &t);
		if (!CHECK(!ok && strstr(buf_str(&ctx.messages), rows[i].why)))
			printf("  %s\n  got: %s", rows[i].json,
			       buf_str(&ctx.messages));
		if (ok)
			big_free(t.data, tensor_bytes(&t));
		ctx_release(&ctx);
	}
	Ctx ctx;
	Tensor t;
	const char *path = path_of("a.safetensors");
	ctx_init(&ctx);
	put(path, "\xff\xff\xff\xff\xff\xff\xff\xff{}", 10);
	CHECK(!safetensors_read(&ctx, path, "w", DT_COUNT, &t));
	CHECK(strstr(buf_str(&ctx.messages), "absurdly long") != NULL);
	put(path, "\x10\0\0\0\0\0\0\0{}", 10);
	CHECK(!safetensors_read(&ctx, path, "w", DT_COUNT, &t));
	CHECK(strstr(buf_str(&ctx.messages), "truncated in its header"));
	ctx_release(&ctx);
}

/* ---- consts ---------------------------------------------------------- */

static bool build(Ctx *ctx, const char *text, const FrontOptions *o,
		  Program **p)
{
	uint32_t s = ctx_add_source(ctx, "t.tn", text, strlen(text));
	return front_build(ctx, &ctx->perm, s, o, p);
}

static void consts(void)
{
	Ctx ctx;
	Program *p;
	Tensor t;
	float data[6] = {1, 2, 3, 4, 5, 6};
	safetensors("{" ENTRY("w", "F32", "[2,3]", 0, 24) "}", data, 24);
	static const char text[] =
		"const w: f32[K, 3] = file(\"a.safetensors\", \"w\")\n"
		"def f(x: f32[M, K]):\n"
		"    return x @ w\n";
	FrontOptions o = {.base = folder};
	ctx_init(&ctx);
	if (!CHECK(build(&ctx, text, &o, &p)))
		printf("%s", buf_str(&ctx.messages));
	ValueId w = 0;
	while (program_value(p, w)->op != OP_WEIGHT)
		w++;
	CHECK_STR(program_value(p, w)->name, "w");
	int64_t dims[2] = {0};
	Binding b = {dims, 2};
	for (size_t i = 0; i < p->ex.dims.n; i++)
		dims[i] = p->ex.dims.p[i].name[0] == 'K' ? 2 : 9;
	CHECK(weight_read(&ctx, p, w, &b, &t));
	CHECK(memcmp(t.data, data, 24) == 0);
	big_free(t.data, tensor_bytes(&t));
	dims[0] = dims[1] = 3;
	CHECK(!weight_read(&ctx, p, w, &b, &t));
	CHECK(strstr(buf_str(&ctx.messages), "const `w` is f32[3, 3]"));
	ctx_clear_errors(&ctx);
	/* --dtype converts what was read as it is in the file */
	o.has_dtype = true;
	o.dtype = DT_F64;
	CHECK(build(&ctx, text, &o, &p));
	bool cast = false;
	for (size_t i = 0; i < p->values.n; i++) {
		const Value *v = &p->values.p[i];
		CHECK(v->op != OP_WEIGHT || v->dtype == DT_F32);
		cast |= v->op == OP_CAST && v->dtype == DT_F64;
	}
	CHECK(cast);
	/* a wrong extent is told at the declaration */
	o.has_dtype = false;
	CHECK(!build(&ctx,
		     "const w: f32[2, 4] = file(\"a.safetensors\", \"w\")\n"
		     "def f(x: f32[M, 2]):\n    return x @ w\n",
		     &o, &p));
	CHECK(strstr(buf_str(&ctx.messages), "t.tn:1:10: error: the const"));
	ctx_release(&ctx);
}

/* Each refused allocation unwinds; files are closed, nothing leaks. */
static bool read_refused(long nth, const char *path, const char *name)
{
	Ctx ctx;
	Tensor t;
	OomTrap trap;
	volatile bool refused = false;
	ctx_init(&ctx);
	oom_fail_nth(nth);
	if (OOM_TRAP(&trap)) {
		refused = true;
	} else {
		bool ok =
			name ? safetensors_read(&ctx, path, name, DT_COUNT, &t)
			     : npy_read(&ctx, path, DT_COUNT, &t);
		oom_trap_pop(&trap);
		CHECK(ok);
		if (ok)
			big_free(t.data, tensor_bytes(&t));
	}
	oom_fail_nth(0);
	ctx_release(&ctx);
	return refused;
}

static void refused_memory(void)
{
	static const int16_t columns[] = {0, 3, 1, 4, 2, 5};
	const char *path = npy(DICT("<i2", "True", "(2, 3)"), columns, 12);
	long nth = 1;
	while (read_refused(nth, path, NULL))
		nth++;
	CHECK(nth == 4); /* header, data, the transposed copy */
	path = safetensors("{" ENTRY("w", "F32", "[1]", 0, 4) "}", "abcd", 4);
	nth = 1;
	while (read_refused(nth, path, "w"))
		nth++;
	CHECK(nth == 4); /* header, entries, data */
}

static void clean_up(void)
{
	unlink(path_of("a.npy"));
	unlink(path_of("a.safetensors"));
	CHECK(rmdir(folder) == 0);
	folder[0] = '\0';
}

TEST_MAIN(TEST(every_dtype_round_trips), TEST(written_strides_and_ranks),
	  TEST(foreign_layouts), TEST(later_versions), TEST(broken_files),
	  TEST(mutated_headers), TEST(safetensors_reads_one),
	  TEST(safetensors_refused), TEST(consts), TEST(refused_memory),
	  TEST(clean_up))
