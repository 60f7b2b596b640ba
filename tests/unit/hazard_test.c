/*
 * hazard_test: kernels whose tasks are blocks of threads.
 *
 * The law of their text; what needs a barrier is refused without it and read
 * with it, in the line marked `@`; what needs none is read as it is; and the
 * laws of barriers, lanes, threads and registers, each broken once.
 */
#include "tests/unit/test.h"

#include "emit/emit.h"
#include "ir/kernel.h"

#define PROGRAM                                                                \
	"program t\n"                                                          \
	"dim M in 0..1000\n"                                                   \
	"%0 x: f32[M, 64] = input index=0\n"                                   \
	"%1 y: f32[M, 64] = neg %0\n"                                          \
	"return %1 as y\n"                                                     \
	"kernels\n"                                                            \
	"kernel k0 loop region 0 lanes=64\n"                                   \
	"\tbuffer in x: f32[M, 64] %0\n"                                       \
	"\tbuffer out y: f32[M, 64] %1\n"                                      \
	"\tbuffer worker w: f32[192]\n"                                        \
	"\tbuffer worker u: f32[4, 192]\n"                                     \
	"\tbuffer shared s: f32[M, 64]\n"                                      \
	"\tbuffer reg r: f32[64, 4]\n"

/* With registers that only so many threads may have. */
#define PHASE                                                                  \
	"\tbuffer reg q: f32[32, 4]\n"                                         \
	"\tbuffer reg p: f32[128]\n"                                           \
	"\tbuffer reg o: f32[64, 128]\n"                                       \
	"\tphase main threads 64 tasks i0 < M {\n"
#define CLOSE "\t}\n"

/* A loop of all threads that stores its axis's element, and others that load
 * what another thread has or had. */
#define FILL(axis)                                                             \
	"for i" axis " < 64 vector 64 {\nv" axis ": f32 = load x[i0, i" axis   \
	"]\nstore w[i" axis "] = v" axis "\n}\n"
#define CROSS(axis)                                                            \
	"for i" axis " < 64 vector 64 {\nv" axis ": f32 = load w[63 - i" axis  \
	"]\nstore y[i0, i" axis "] = v" axis "\n}\n"
#define OWN(axis)                                                              \
	"for i" axis " < 64 vector 64 {\nv" axis ": f32 = load w[i" axis       \
	"]\nstore y[i0, i" axis "] = v" axis "\n}\n"
#define SUM(axis, variable)                                                    \
	variable ": f32 = acc add\nfor i" axis " < 64 vector 64 {\nv" axis     \
		 ": f32 = load x[i0, i" axis "]\nstore w[i" axis "] = v" axis  \
		 "\n" variable ": f32 = accum add v" axis "\n}\n"

static Kernels *parse(Ctx *ctx, const char *text)
{
	uint32_t source = ctx_add_source(ctx, "t", text, strlen(text));
	return kernels_parse(ctx, &ctx->perm, source);
}

static const char *print(Ctx *ctx, const Kernels *k)
{
	Buf b;
	buf_init(&b, &ctx->perm);
	kernels_print(k, &b);
	return buf_str(&b);
}

/* The text with the line `@` left out, or as a barrier. */
static const char *marked(Arena *a, const char *body, bool barrier)
{
	const char *at = strstr(body, "@\n");

	if (!at)
		return body;
	return arena_printf(a, "%.*s%s%s", (int)(at - body), body,
			    barrier ? "barrier\n" : "", at + 2);
}

/* Read, and its text reads back as the same. */
static void check_read(const char *phase, const char *body)
{
	Ctx ctx;
	ctx_init(&ctx);
	const char *text =
		arena_printf(&ctx.perm, "%s%s%s" CLOSE, PROGRAM, phase, body);
	Kernels *k = parse(&ctx, text);
	if (CHECK(k != NULL)) {
		const char *once = print(&ctx, k);
		Kernels *again = parse(&ctx, once);
		if (CHECK(again != NULL))
			CHECK_STR(print(&ctx, again), once);
		for (int d = CD_CUDA; d <= CD_OPENCL; d++)
			CHECK(emit_gpu(&ctx.perm, k, &k->kernels.p[0],
				       (CDialect)d) != NULL);
	} else {
		printf("%s%s%s", phase, body, buf_str(&ctx.messages));
	}
	ctx_release(&ctx);
}

static void check_refused(const char *phase, const char *body, const char *why)
{
	Ctx ctx;
	ctx_init(&ctx);
	const char *text =
		arena_printf(&ctx.perm, "%s%s%s" CLOSE, PROGRAM, phase, body);
	const Kernels *k = parse(&ctx, text);
	const char *said = buf_str(&ctx.messages);
	if (!CHECK(k == NULL && strstr(said, why)))
		printf("%s%swant: %s\ngot: %s\n", phase, body, why,
		       k ? "(accepted)" : said);
	ctx_release(&ctx);
}

/* ---- text ------------------------------------------------------------ */

static const char every[] =
	PROGRAM "\tphase first threads 64 tasks i0 < M {\n"
		"\t\tfor i1 < 64 vector 64 {\n"
		"\t\t\tv1: f32 = load x[i0, i1]\n"
		"\t\t\tstore s[i0, 63 - i1] = v1\n"
		"\t\t}\n"
		"\t}\n"
		"\tphase main threads 64 tasks i10 < M {\n"
		"\t\tv10: f32 = acc maximum\n"
		"\t\tfor i11 < 128 vector 64 {\n"
		"\t\t\tv11: f32 = load s[i10, 0]\n"
		"\t\t\tstore w[i11] = v11\n"
		"\t\t\tv10: f32 = accum maximum v11\n"
		"\t\t}\n"
		"\t\tfor i15 < 16 vector 64 {\n"
		"\t\t\tcopy u[1, 4*i15] = x[i10, 4*i15] x 4 "
		"async where M - 8 >= 0\n"
		"\t\t\tcopy u[0, 4*i15] = x[i10, 4*i15] x "
		"4\n"
		"\t\t}\n"
		"\t\twait 1\n"
		"\t\tfor i12 < 64 vector 64 {\n"
		"\t\t\tfor i13 < 4 unroll {\n"
		"\t\t\t\tv12: f32 = load w[i12 + 1]\n"
		"\t\t\t\tstore r[i12, i13] = v12\n"
		"\t\t\t}\n"
		"\t\t}\n"
		"\t\tbarrier\n"
		"\t\tstore w[0] = v10\n"
		"\t\tbarrier\n"
		"\t\tfor i14 < 64 vunroll 64 {\n"
		"\t\t\tv13: f32 = load w[0]\n"
		"\t\t\tstore y[i10, i14] = v13 as %1\n"
		"\t\t}\n"
		"\t}\n";

static void law(void)
{
	Ctx ctx;
	ctx_init(&ctx);
	Kernels *k = parse(&ctx, every);
	if (CHECK(k != NULL))
		CHECK_STR(print(&ctx, k), every);
	else
		puts(buf_str(&ctx.messages));
	ctx_release(&ctx);
}

/* ---- barriers -------------------------------------------------------- */

#define TURNS "for i20 < 4 serial {\n"

static void barriers(void)
{
	static const char *const bodies[] = {
		/* a store, then a load of another thread's element */
		FILL("1") "@\n" CROSS("2"),
		/* in memory of all workers */
		"for i1 < 64 vector 64 {\nv1: f32 = load x[i0, i1]\n"
		"store s[i0, i1] = v1\n}\n@\nfor i2 < 64 vector 64 {\n"
		"v2: f32 = load s[i0, 63 - i2]\nstore y[i0, i2] = v2\n}\n",
		/* a load, then a store of what another one may still load */
		FILL("1") "barrier\n" CROSS("2") "@\n" FILL("3"),
		FILL("1") "barrier\n" OWN(
			"2") "@\nfor i3 < 64 vector 64 {\n"
			     "v3: f32 = load x[i0, i3]\nstore w[63 - i3] = v3\n"
			     "}\n",
		/* two stores, of two threads to one place */
		FILL("1") "@\nfor i2 < 64 vector 64 {\nv2: f32 = load "
			  "x[i0, i2]\nstore w[63 - i2] = v2\n}\nbarrier\n" OWN(
				  "3"),
		/* the end of a turn and the start of the next */
		TURNS FILL("1") "barrier\n" CROSS("2") "@\n}\n",
		TURNS "@\n" FILL("1") "barrier\n" CROSS("2") "}\n",
		FILL("9") "barrier\n" TURNS CROSS("2") "@\n" FILL(
			"1") "barrier\n}\n",
		/* one way through a branch has none */
		FILL("1") "if 2 - i0 >= 0 {\nbarrier\n} else {\n@\n}\n" CROSS(
			"2"),
		FILL("1") "if 2 - i0 >= 0 {\n@\n} else {\nbarrier\n}\n" CROSS(
			"2"),
		FILL("1") "if 2 - i0 >= 0 {\n@\n" CROSS("2") "}\n",
		/* a loop that may have no turns */
		FILL("1") "for i20 < M serial {\nbarrier\n}\n@\n" CROSS("2"),
		/* the first thread stores, all load; and back */
		"v1: f32 = load x[i0, 0]\nstore w[0] = v1\n@\n"
		"for i2 < 64 vector 64 {\nv2: f32 = load w[0]\n"
		"store y[i0, i2] = v2\n}\n",
		"v1: f32 = load x[i0, 0]\nstore w[0] = v1\n@\n"
		"v2: f32 = load w[0]\nstore y[i0, 0] = v2\n",
		FILL("1") "@\nv8: f32 = load w[0]\nstore y[i0, 0] = v8\n",
		FILL("1") "barrier\nv8: f32 = load w[0]\nstore y[i0, 0] = v8\n"
			  "@\n" FILL("2"),
		/* what a thread folds alone is no meeting of threads */
		"for i1 < 64 vector 64 {\nv1: f32 = load x[i0, i1]\n"
		"v8: f32 = acc add\nv8: f32 = accum add v1\n"
		"store w[i1] = v8\n}\n@\n" CROSS("2"),
		/* own elements are those a multiple of the threads away */
		FILL("1") "@\nfor i2 < 64 vector 64 {\nv2: f32 = load "
			  "w[(2*i2)%64]\nstore y[i0, i2] = v2\n}\n",
		"for i1 < 128 vector 64 {\nv1: f32 = load x[i0, 0]\n"
		"store w[i1] = v1\n}\n@\nfor i2 < 64 vector 64 {\n"
		"v2: f32 = load w[i2 + 63]\nstore y[i0, i2] = v2\n}\n",
		"for i1 < 4 vector 64 {\nv1: f32 = load x[i0, 0]\n"
		"store u[i1, 0] = v1\n}\n@\nfor i2 < 4 vector 64 {\n"
		"v2: f32 = load u[i2, 0]\nstore y[i0, i2] = v2\n}\n",
	};

	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		Ctx ctx;
		ctx_init(&ctx);
		const char *body = bodies[i];
		check_refused(PHASE, marked(&ctx.perm, body, false),
			      "a barrier is missing before statement");
		check_read(PHASE, marked(&ctx.perm, body, true));
		ctx_release(&ctx);
	}
}

/* Where none is missing. */
static void no_barriers(void)
{
	static const char *const bodies[] = {
		/* a thread's own elements */
		FILL("1") OWN("2"),
		TURNS FILL("1") OWN("2") "}\n",
		"for i1 < 128 vector 64 {\nv1: f32 = load x[i0, 0]\n"
		"store w[i1 + 64] = v1\n}\nfor i2 < 64 vector 64 {\n"
		"v2: f32 = load w[i2 + 128]\nstore y[i0, i2] = v2\n}\n",
		"for i1 < 64 vector 64 {\nfor i3 < 4 serial {\n"
		"v1: f32 = load x[i0, i1]\nstore u[i3, i1 + 64] = v1\n}\n}\n"
		"for i2 < 64 vector 64 {\nv2: f32 = load u[1, i2 + 64]\n"
		"store y[i0, i2] = v2\n}\n",
		/* loads among each other; what is only stored */
		FILL("1") "barrier\n" CROSS("2") CROSS("3"),
		"for i1 < 64 vector 64 {\nv1: f32 = load x[i0, i1]\n"
		"store y[i0, i1] = v1\n}\nfor i2 < 64 vector 64 {\n"
		"v2: f32 = load x[i0, i2]\nstore y[i0, 63 - i2] = v2\n}\n",
		/* a loop that folds ends with a barrier */
		SUM("1", "v8") "store y[i0, 0] = v8\n" CROSS("2"),
		SUM("1", "v8") CROSS("2") "store y[i0, 0] = v8\n",
		/* registers are a thread's own */
		"for i1 < 64 vector 64 {\nv1: f32 = load x[i0, i1]\n"
		"store r[i1, 0] = v1\n}\nfor i2 < 64 vector 64 {\n"
		"v2: f32 = load r[i2, 0]\nstore y[i0, i2] = v2\n}\n",
	};

	for (size_t i = 0; i < ARRAY_LEN(bodies); i++)
		check_read(PHASE, bodies[i]);
}

/* Threads that no barrier could keep apart: within one loop. */
static void within_a_loop(void)
{
	static const char *const bodies[] = {
		"for i1 < 64 vector 64 {\nv1: f32 = load x[i0, i1]\n"
		"store w[i1] = v1\nv2: f32 = load w[63 - i1]\n"
		"store y[i0, i1] = v2\n}\n",
		FILL("1") "barrier\nfor i2 < 64 vector 64 {\n"
			  "v2: f32 = load w[63 - i2]\nstore w[i2] = v2\n}\n",
		"for i1 < 64 vector 64 {\nv1: f32 = load x[i0, i1]\n"
		"store w[i1] = v1\nstore w[63 - i1] = v1\n}\nbarrier\n" OWN(
			"3"),
	};

	for (size_t i = 0; i < ARRAY_LEN(bodies); i++)
		check_refused(PHASE, bodies[i], "other threads");
	check_read(PHASE, "for i1 < 64 vector 64 {\nv1: f32 = load x[i0, i1]\n"
			  "store w[i1] = v1\nv2: f32 = load w[i1]\n"
			  "store y[i0, i1] = v2\n}\n");
}

/* ---- copies ---------------------------------------------------------- */

#define COPY(axis, to, from, how)                                              \
	"for i" axis " < 16 vector 64 {\ncopy " to " = " from " x 4" how "\n}" \
	"\n"
#define ROW(axis) "x[i0, 4*i" axis "]"
/* A ring of four slots: a turn has one filled and reads another one. */
#define RING(waits, fill, read)                                                \
	COPY("1", "u[0, 4*i1]", ROW("1"), " async")                            \
	waits TURNS waits "@\n" COPY(                                          \
		"2", "u[" fill ", 4*i2]", ROW("2"),                            \
		" async") "for i3 < 64 vector 64 {\nv3: f32 = load u[" read    \
			  ", 63 - i3]\nstore y[i0, i3] = v3\n}\n}\n"

static void copies(void)
{
	static const char *const bodies[] = {
		COPY("1", "w[4*i1]", ROW("1"), "") "@\n" CROSS("2"),
		FILL("1") "@\n" COPY("2", "r[i2, 0]", "w[4*i2]", ""),
		FILL("1") "barrier\n" CROSS("3") "@\n" COPY("2", "w[4*i2]",
							    ROW("2"), ""),
		COPY("1", "w[4*i1]", ROW("1"),
		     " async") "wait 0\n@\n" CROSS("2"),
		RING("wait 0\n", "(i20 + 1)%4", "i20%4"),
		/* what the turn before has read is filled behind a barrier */
		RING("wait 0\n", "(i20 + 3)%4", "i20%4"),
		/* a slot that no turn before this one fills is not waited for
		 */
		RING("wait 0\n", "(i20 + 1)%4", "(i20 + 2)%4"),
	};
	Ctx ctx;

	ctx_init(&ctx);
	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		const char *body = bodies[i];
		check_refused(PHASE, marked(&ctx.perm, body, false),
			      "a barrier is missing before statement");
		check_read(PHASE, marked(&ctx.perm, body, true));
	}
	/* two groups behind each other */
	static const char two[] =
		COPY("1", "u[0, 4*i1]", ROW("1"), " async") "wait 1\n" COPY(
			"4", "u[1, 4*i4]", ROW("4"), " async");
	check_read(PHASE, marked(&ctx.perm,
				 arena_printf(&ctx.perm, "%swait 1\n%s", two,
					      "barrier\nfor i2 < 64 vector 64 "
					      "{\nv2: f32 = load u[0, i2]\n"
					      "store y[i0, i2] = v2\n}\n"),
				 true));
	static const char *const early[] = {
		COPY("1", "w[4*i1]", ROW("1"), " async") "barrier\n" CROSS("2"),
		COPY("1", "w[4*i1]", ROW("1"),
		     " async") "wait 1\nbarrier\n" CROSS("2"),
		RING("wait 1\n", "(i20 + 1)%4", "i20%4"),
		RING("wait 0\n", "i20%4", "i20%4"),
	};
	for (size_t i = 0; i < ARRAY_LEN(early); i++)
		check_refused(PHASE, marked(&ctx.perm, early[i], true),
			      "nothing has waited for");
	ctx_release(&ctx);
}

/* ---- late buffers ---------------------------------------------------- */

#define LATE_OF(scope)                                                         \
	"\tbuffer " scope " z: f32[192] late\n"                                \
	"\tphase main threads 64 tasks i0 < M {\n"
#define LATE LATE_OF("worker")
#define FILL_LATE(axis)                                                        \
	"for i" axis " < 64 vector 64 {\nv" axis ": f32 = load x[i0, i" axis   \
	"]\nstore z[i" axis "] = v" axis "\n}\n"
#define CROSS_LATE(axis)                                                       \
	"for i" axis " < 64 vector 64 {\nv" axis ": f32 = load z[63 - i" axis  \
	"]\nstore y[i0, i" axis "] = v" axis "\n}\n"

/* A late buffer has the memory of the others. */
static void late(void)
{
	static const char *const bodies[] = {
		FILL("1") "@\n" FILL_LATE("2") "barrier\n" CROSS_LATE("3"),
		FILL("1") "barrier\n" CROSS("2") "@\n" FILL_LATE("3"),
		FILL("1") "barrier\n" FILL_LATE("2") "@\n" CROSS_LATE("3"),
		/* what is stored and never loaded is in the way as well */
		FILL("1") "if 2 - i0 >= 0 {\n@\n" FILL_LATE("2") "}\n",
		COPY("1", "u[1, 4*i1]", ROW("1"),
		     " async") "wait 0\n@\n" FILL_LATE("2"),
		FILL("1") "barrier\nfor i20 < M serial {\n" FILL_LATE(
			"2") "barrier\n" CROSS_LATE("3") "@\n}\n",
	};
	static const char *const gone[] = {
		FILL("1") "barrier\n" FILL_LATE("2") "barrier\n" CROSS("3"),
		FILL_LATE("1") "barrier\n" FILL("2"),
		"for i20 < M serial {\n" FILL("1") "barrier\n" FILL_LATE(
			"2") "barrier\n}\n",
		FILL("1") "barrier\nfor i2 < 64 vector 64 {\n"
			  "v2: f32 = load w[i2]\nstore z[i2] = v2\n}\n",
		FILL("1") "barrier\n" COPY("2", "z[4*i2]", "w[4*i2]", ""),
		"if 2 - i0 >= 0 {\n" FILL_LATE(
			"1") "} else {\n}\nbarrier\n" FILL("2"),
	};
	Ctx ctx;

	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		ctx_init(&ctx);
		check_refused(LATE, marked(&ctx.perm, bodies[i], false),
			      "a barrier is missing before statement");
		check_read(LATE, marked(&ctx.perm, bodies[i], true));
		ctx_release(&ctx);
	}
	for (size_t i = 0; i < ARRAY_LEN(gone); i++)
		check_refused(LATE, gone[i], "memory a late buffer has taken");
	check_refused(LATE,
		      COPY("1", "u[1, 4*i1]", ROW("1"),
			   " async") "barrier\n" FILL_LATE("2"),
		      "nothing has waited for");
	check_refused(LATE_OF("shared"), FILL_LATE("1"),
		      "only scratch is late");
	check_refused(LATE_OF("reg"), "", "only scratch is late");
}

/* It begins where they begin, and what lies behind is behind all. */
static void late_memory(void)
{
	static const char body[] = FILL("1") "barrier\n" FILL_LATE(
		"2") "barrier\n" CROSS_LATE("3");
	Ctx ctx;
	int64_t bytes = 0;

	ctx_init(&ctx);
	Kernels *k = parse(&ctx, arena_printf(&ctx.perm, "%s%s%s" CLOSE,
					      PROGRAM, LATE, body));
	if (CHECK(k != NULL)) {
		const Kernel *one = &k->kernels.p[0];
		const char *text = emit_gpu(&ctx.perm, k, one, CD_CUDA);
		CHECK(strstr(text, "w = (float *)(tn_shared + 512)"));
		CHECK(strstr(text, "z = (float *)(tn_shared + 512)"));
		CHECK(ex_is_const(
			&k->program->ex,
			emit_shared(k, one, &one->phases.p[0], CD_CUDA),
			&bytes));
		CHECK(bytes == 512 + 192 * 4);
	}
	ctx_release(&ctx);
}

static void laws_of_copies(void)
{
	static const char *const rows[][2] = {
		{"copy w[0] = x[i0, 0] x 4\n", "in a loop of threads"},
		{"for i1 < 16 vector 64 {\ncopy w[4*i1] = x[i0, 4*i1] x 3\n}\n",
		 "a copy of 12 bytes"},
		{COPY("1", "w[4*i1]", "x[i0, 4*i1 + 1]", ""), "4 divides"},
		{COPY("1", "w[4*i1 + 2]", ROW("1"), ""), "4 divides"},
		{COPY("1", "w[4*i1]", "x[i0, 4*i1 + 4]", ""), "cannot prove"},
		{COPY("1", "w[16*i1]", ROW("1"), ""), "cannot prove"},
		{COPY("1", "x[i0, 4*i1]", "w[4*i1]", ""), "stored"},
		{COPY("1", "w[4*i1]", ROW("1"),
		      "") "barrier\n" COPY("2", "x[i0, 4*i2]", "w[4*i2]", ""),
		 "is an input"},
		{COPY("1", "w[4*i1]", ROW("1"),
		      "") "barrier\n" COPY("2", "w[4*i2]", "w[4*i2 + 64]", ""),
		 "to itself"},
		{COPY("1", "r[i1, 0]", ROW("1"), " async"), "asynchronous"},
		{"for i1 < 64 vector 64 {\nwait 0\n}\n", "outside of loops"},
		{"wait 7\n", "a wait for 7 groups"},
		{"settle 4\n", "a wait for 4 products"},
		{"free\n", "there are no boxes"},
		{"box w[0] = map 0 [0, 0]\n", "no such map"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_refused(PHASE, rows[i][0], rows[i][1]);
	/* where the guard keeps it inside */
	check_read(PHASE, COPY("1", "w[4*i1]", "x[i0, 4*i1 + 4]",
			       " where 14 - i1 >= 0"));
}

/* ---- laws ------------------------------------------------------------ */

static void laws(void)
{
	check_refused(PHASE, "for i1 < 64 vector 64 {\nbarrier\n}\n",
		      "a barrier in a vector loop");
	check_refused(PHASE, "for i1 < 64 vunroll 64 {\nbarrier\n}\n",
		      "a barrier in a vector loop");
	check_refused(PHASE,
		      "for i1 < 64 vector 64 {\nfor i2 < 4 serial {\n"
		      "barrier\n}\n}\n",
		      "a barrier in a vector loop");
	check_refused("\tphase main tasks i0 < M {\n", "barrier\n",
		      "a barrier and no threads");
	check_refused(PHASE, "for i1 < 64 vector 32 {\n}\n", "32 lanes");
	check_refused(PHASE, "for i1 < 64 vector 128 {\n}\n", "128 lanes");
	check_refused(PHASE, "for i1 < 64 vunroll 8 {\n}\n", "8 lanes");
	check_refused(PHASE,
		      "for i1 < 64 vector 64 {\nfor i2 < 64 vector 64 {\n}\n"
		      "}\n",
		      "a vector loop in another");
	check_read(PHASE, "for i1 < 1000 vector 64 {\n}\n");
	check_read(PHASE, "for i1 < 128 vunroll 64 {\n}\n");
}

static void threads(void)
{
	static const struct {
		const char *n;
		bool good;
	} rows[] = {
		{"1", true},     {"32", true},          {"1024", true},
		{"0", false},    {"48", false},         {"2048", false},
		{"1025", false}, {"-64", false},        {"4294967296", false},
		{"i0", false},   {"4294967360", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char phase[100];
		snprintf(phase, sizeof(phase),
			 "\tphase main threads %s tasks i0 < M {\n", rows[i].n);
		if (rows[i].good)
			check_read(phase, "barrier\n");
		else
			check_refused(phase, "barrier\n", "threads");
	}
}

/* Folds, and the memory of a block, are made for all phases alike. */
static void phases(void)
{
	check_refused("\tphase a threads 32 tasks i1 < M {\n\t}\n"
		      "\tphase main threads 64 tasks i0 < M {\n",
		      "", "64 threads, 32 in another phase");
	check_refused("\tphase a tasks i1 < M {\n\t}\n"
		      "\tphase main threads 64 tasks i0 < M {\n",
		      "", "64 threads, 0 in another phase");
}

/* A fold that nothing reads is left out, and its barrier is not. */
static void unread_fold(void)
{
	static const char *const barrier[] = {
		[CD_CUDA] = "__syncthreads();",
		[CD_OPENCL] = "barrier(CLK_LOCAL_MEM_FENCE",
	};
	Ctx ctx;

	ctx_init(&ctx);
	Kernels *k = parse(&ctx, PROGRAM PHASE SUM("1", "v8") CROSS("2") CLOSE);
	for (int d = CD_CUDA; CHECK(k != NULL) && d <= CD_OPENCL; d++) {
		const char *text =
			emit_gpu(&ctx.perm, k, &k->kernels.p[0], (CDialect)d);
		CHECK(strstr(text, barrier[d]) != NULL);
		CHECK(strstr(text, "tn_threads_") == NULL);
	}
	ctx_release(&ctx);
}

/* Fewer threads than a warp has: the others are not asked. */
static void part_of_a_warp(void)
{
	static const struct {
		const char *threads, *mask;
	} rows[] = {
		{"1", "(0x1u,"}, {"16", "(0xffffu,"}, {"64", "(0xffffffffu,"}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		Ctx ctx;
		ctx_init(&ctx);
		Kernels *k = parse(
			&ctx, arena_printf(&ctx.perm,
					   "%s\tphase main threads %s tasks i0 "
					   "< M {\nv8: f32 = acc add\n"
					   "for i1 < 64 vector %s {\n"
					   "v1: f32 = load x[i0, i1]\n"
					   "v8: f32 = accum add v1\n}\n"
					   "store y[i0, 0] = v8\n" CLOSE,
					   PROGRAM, rows[i].threads,
					   rows[i].threads));
		if (CHECK(k != NULL))
			CHECK(strstr(emit_gpu(&ctx.perm, k, &k->kernels.p[0],
					      CD_CUDA),
				     rows[i].mask) != NULL);
		else
			puts(buf_str(&ctx.messages));
		ctx_release(&ctx);
	}
}

/* The threads' axis comes first, and is all of them. */
static void registers(void)
{
#define EACH(what)                                                             \
	"v9: f32 = const 0x0p+0\nfor i1 < 64 vector 64 {\n"                    \
	"for i2 < 4 unroll {\nstore " what " = v9\n}\n}\n"
	check_read(PHASE, EACH("r[i1, i2]"));
	check_read(PHASE, "v9: f32 = const 0x0p+0\nfor i1 < 128 vunroll 64 {\n"
			  "store p[i1] = v9\n}\n");
	check_refused(PHASE, EACH("r[i1, i2 + 1]"), "cannot prove");
	check_refused(PHASE,
		      "v9: f32 = const 0x0p+0\nfor i1 < 32 vector 64 {\n"
		      "store q[i1, 0] = v9\n}\n",
		      "i1 is not unrolled");
	check_refused(PHASE, EACH("r[63 - i1, i2]"), "by thread");
	check_refused(PHASE, EACH("o[i2, i1]"), "by thread");
	check_refused(PHASE,
		      "v9: f32 = const 0x0p+0\nfor i1 < 64 vector 64 {\n"
		      "for i2 < 4 serial {\nstore r[i1, i2] = v9\n}\n}\n",
		      "i2 is not unrolled");
	check_refused(PHASE,
		      "v9: f32 = const 0x0p+0\nfor i1 < 128 vector 64 {\n"
		      "store r[i1, 0] = v9\n}\n",
		      "cannot prove i1 < 64");
	check_refused(PHASE,
		      "v9: f32 = const 0x0p+0\nfor i1 < 64 vunroll 64 {\n"
		      "store r[i1, 0] = v9\n}\n",
		      "by thread");
	/* as many rows as threads, and not theirs */
	check_refused(PHASE,
		      "v9: f32 = const 0x0p+0\nfor i2 < 64 unroll {\n"
		      "for i1 < 128 vunroll 64 {\nstore o[i2, i1] = v9\n}\n}\n",
		      "by thread");
}

/* One byte changed, anywhere in the kernel: refused, or read and then lawful
 * and fit to emit. */
static void damaged(void)
{
	static const char bytes[] = "014i ";
	static char text[sizeof(every)];
	const char *kernel = strstr(every, "kernel k0");
	int read = 0;

	for (size_t at = (size_t)(kernel - every); every[at]; at++)
		for (size_t b = 0; bytes[b]; b++) {
			Ctx ctx;
			ctx_init(&ctx);
			memcpy(text, every, sizeof(every));
			text[at] = bytes[b];
			Kernels *k = parse(&ctx, text);
			for (size_t i = 0; k && i < k->kernels.n; i++) {
				const Kernel *one = &k->kernels.p[i];
				read++;
				if (!one->phases.n || !one->phases.p[0].threads)
					continue;
				CHECK(emit_gpu(&ctx.perm, k, one, CD_CUDA) &&
				      emit_gpu(&ctx.perm, k, one, CD_OPENCL));
			}
			ctx_release(&ctx);
		}
	CHECK(read > 300);
}

TEST_MAIN(TEST(law), TEST(barriers), TEST(no_barriers), TEST(within_a_loop),
	  TEST(copies), TEST(laws_of_copies), TEST(late), TEST(late_memory),
	  TEST(laws), TEST(threads), TEST(phases), TEST(unread_fold),
	  TEST(part_of_a_warp), TEST(registers), TEST(damaged))
