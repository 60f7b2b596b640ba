/*
 * Kernels of a user's with planted faults, through a whole search: what is
 * wrong, crashes, hangs, or harms its process does not win, and does not
 * bring the search down; the ledger says of each what happened.
 *
 * The program's own kernel is pinned to one lane, and computes what only an
 * infinity shows. So the order of times is sure, by several times each: own
 * kernel, the right one, what is fast and wrong.
 */
#include "tests/unit/tuned.h"

#define ROWS 255
/* Seconds of a call; five times as many of what is judged. */
#define LIMIT 0.2
#define PROGRAM                                                                \
	"def f(x: f32[M, 61], b: f32[M, 61]):\n"                               \
	"    return exp(tanh(exp(tanh(exp(tanh(x)))))) * 0 + b\n"
#define TENSOR(name)                                                           \
	"{\"name\": \"" name "\", \"dtype\": \"f32\", \"shape\": [\"M\", 61]}"
#define SIGNATURE(inputs, arguments, result)                                   \
	"{\"name\": \"$NAME\", \"source\": \"$NAME.c\", "                      \
	"\"symbol\": \"$NAME\",\n"                                             \
	" \"inputs\": [" inputs "],\n"                                         \
	" \"results\": [" TENSOR(result) "],\n"                                \
					 " \"arguments\": [" arguments         \
					 ", \"" result "\", \"M\"]}\n"
#define BEGIN                                                                  \
	"#include <stddef.h>\n"                                                \
	"#include <stdint.h>\n"                                                \
	"#define OWN __attribute__((unused)) static void\n"
#define END(arguments)                                                         \
	"$BEFORE\n"                                                            \
	"void $NAME(" arguments ", float *y, int64_t M)\n"                     \
	"{\n"                                                                  \
	"\tint64_t n = 61 * M;\n"                                              \
	"\tstatic int calls;\n"                                                \
	"\tcalls++;\n"                                                         \
	"\t$BODY\n"                                                            \
	"\t(void)x, (void)y, (void)n;\n"                                       \
	"}\n"
/* right() takes several times what copy() does. */
#define SOURCE                                                                 \
	BEGIN                                                                  \
	"OWN right(const float *x, const float *b, float *y, int64_t n)\n"     \
	"{\n"                                                                  \
	"\tfor (int r = 0; r < 8; r++)\n"                                      \
	"\t\tfor (int64_t i = 0; i < n; i++)\n"                                \
	"\t\t\ty[i] = x[i] == x[i] ? b[i] + 0 : __builtin_nanf(\"\");\n"       \
	"}\n"                                                                  \
	"OWN copy(const float *b, float *y, int64_t n)\n"                      \
	"{\n"                                                                  \
	"\t__builtin_memcpy(y, b, sizeof(*y) * (size_t)n);\n"                  \
	"}\n" END("const float *x, const float *b")
/* The first of two kernels, whose result is an intermediate: 1, within the
 * bound of exp. */
#define SQUARES                                                                \
	"def f(x: f32[M, 61]):\n"                                              \
	"    h = exp(exp(tanh(exp(tanh(exp(tanh(x)))))) * 0)\n"                \
	"    return h * h\n"
#define EXP_SOURCE                                                             \
	BEGIN                                                                  \
	"OWN fill(int times, const float *x, float *y, int64_t n)\n"           \
	"{\n"                                                                  \
	"\tfor (int r = 0; r < times; r++)\n"                                  \
	"\t\tfor (int64_t i = 0; i < n; i++)\n"                                \
	"\t\t\ty[i] = x[i] == x[i] ? 1 : __builtin_nanf(\"\");\n"              \
	"}\n" END("const float *x")

/* What kernels are planted in. */
typedef struct Setting {
	const char *program, *signature, *source;
	const char *pins[5];
	size_t npins;
} Setting;

#define PINS "loop.lanes=1", "loop.walk=0", "loop.block=4096", "loop.stream=0"

static const Setting alone = {
	PROGRAM, SIGNATURE(TENSOR("x") ", " TENSOR("b"), "\"x\", \"b\"", "y"),
	SOURCE,  {PINS},
	4,
};

static const Setting squares = {
	SQUARES,    SIGNATURE(TENSOR("x"), "\"x\"", "h"),
	EXP_SOURCE, {PINS, "join.h=no"},
	5,
};

typedef struct Planted {
	const char *name, *before, *body;
	/* of the ledger; reason: a pattern of SQL's LIKE, NULL: any */
	const char *state, *reason;
} Planted;

static const char *with(Arena *a, const char *text, const char *mark,
			const char *by)
{
	const char *at;
	Buf b;

	buf_init(&b, a);
	for (; (at = strstr(text, mark)); text = at + strlen(mark)) {
		buf_write(&b, text, (size_t)(at - text));
		buf_puts(&b, by);
	}
	buf_puts(&b, text);
	return buf_str(&b);
}

/* Files of these kernels; paths of their signatures. */
static void plant(Arena *a, const Setting *in, const Planted *p, size_t n,
		  const char **paths)
{
	for (size_t i = 0; i < n; i++) {
		const char *name = p[i].name;
		const char *file = arena_printf(a, "%s.json", name);
		const char *source = with(a, in->source, "$NAME", name);
		source = with(a, source, "$BEFORE", p[i].before);
		source = with(a, source, "$BODY", p[i].body);
		file_put(test_path(file),
			 with(a, in->signature, "$NAME", name));
		file_put(test_path(arena_printf(a, "%s.c", name)), source);
		paths[i] = arena_strdup(a, test_path(file));
	}
}

static bool search(Tuned *t, Arena *a, const Setting *in, const Planted *p,
		   size_t n, const char *policy)
{
	const char **paths = arena_array(a, const char *, n);

	if (!begin(t, "planted.tn", in->program, "planted.sqlite"))
		return false;
	plant(a, in, p, n, paths);
	t->plan.pins = in->pins;
	t->plan.npins = in->npins;
	t->plan.externals = paths;
	t->plan.nexternals = n;
	t->o.policy = policy;
	t->o.without = "all";
	t->o.limit = LIMIT;
	t->o.candidates = (int64_t)n + 1; /* with the rule's choice */
	works(&t->k, tenon_set_dim(t->k.p, "M", ROWS), "M");
	return tune(t);
}

static int64_t rows(const Tuned *t, const char *where)
{
	char sql[400];

	snprintf(sql, sizeof(sql),
		 "SELECT count(*) FROM candidate WHERE search = %lld AND %s",
		 (long long)t->r.search, where);
	return ask(t->o.ledger, sql);
}

static bool put(void *arg, const char *text, size_t n)
{
	buf_write(arg, text, n);
	return true;
}

static const char *report(const Tuned *t, Arena *a, bool refutation)
{
	TenonLedgerQuery q = {.ledger = t->o.ledger, .refutation = refutation};
	Buf b;

	buf_init(&b, a);
	works(&t->k, tenon_ledger(t->k.c, &q, put, &b), "ledger");
	return buf_str(&b);
}

/* Each kernel is in the ledger as the table says. */
static void states(const Tuned *t, Arena *a, const Planted *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *where = arena_printf(
			a, "chosen = 'external kernel=%s' AND region = 0",
			p[i].name);
		CHECK(rows(t, where) >= 1);
		where = arena_printf(a,
				     "%s AND state = '%s' AND ifnull(reason, "
				     "'') LIKE '%s'",
				     where, p[i].state,
				     p[i].reason ? p[i].reason : "%");
		if (!CHECK(rows(t, where) == 1))
			printf("%s: not %s, %s\n%s", p[i].name, p[i].state,
			       p[i].reason ? p[i].reason : "",
			       report(t, a, false));
	}
	CHECK(t->r.tried == (int64_t)n + 1);
	adds_up(t);
}

/* ---- faults ---------------------------------------------------------- */

static const Planted good = {"good", "", "right(x, b, y, n);", "chosen", NULL};

#define THEN_RIGHT "right(x, b, y, n); "
static const Planted faults[] = {
	{"good", "", "right(x, b, y, n);", "chosen", NULL},
	{"slow", "", "for (int r = 0; r < 40; r++) right(x, b, y, n);",
	 "measured", NULL},
	/* faster than all when they are tried, and right at first */
	{"changes", "", "copy(calls > 20 ? x : b, y, n);", "wrong",
	 "after % calls: fixture search (seed 1): element 0 of y is %"},
	{"remembers", "", "if (calls == 1) copy(b, y, n);", "wrong",
	 "after % calls: fixture search (seed 1): element 0 of y is %"},
	/* right over what a check has filled, and not over its own results */
	{"notices", "",
	 "unsigned was; __builtin_memcpy(&was, y, 4);\n"
	 "\tcopy(was == 0xa5a5a5a5 ? b : x, y, n);",
	 "wrong",
	 "after % calls: fixture search (seed 1): element 0 of y is %"},
	{"third", "", "copy(calls % 3 ? b : x, y, n);", "wrong",
	 "after % calls: fixture search (seed 1): element 0 of y is %"},
	{"empty", "", "", "wrong",
	 "fixture search (seed 1): element 0 of y is %; 15555 elements are "
	 "wrong"},
	{"leaves_one", "", "right(x, b, y, n - 1);", "wrong",
	 "fixture search (seed 1): element 15554 of y is %; 1 elements are "
	 "wrong"},
	{"null_first", "", "*(volatile int *)0 = 1;", "crashed",
	 "in check: SIGSEGV, wrote at address 0x0"},
	{"null_later", "", THEN_RIGHT "if (calls > 20) *(volatile int *)0 = 1;",
	 "crashed", "in run: SIGSEGV, wrote at address 0x0"},
	{"hangs_first", "int pause(void);", "for (;;) pause();", "timed-out",
	 "in check: no end within %"},
	{"hangs_later", "int pause(void);",
	 THEN_RIGHT "while (calls > 20) pause();", "timed-out",
	 "in run: no end within %"},
	{"byte_behind", "", THEN_RIGHT "((char *)(y + n))[0] = 1;", "wrong",
	 "wrote right behind result y"},
	{"page_behind", "", THEN_RIGHT "((char *)(y + n))[4096] = 1;",
	 "crashed", "in check: SIGSEGV, wrote 4096 bytes behind result y"},
	{"byte_before", "", THEN_RIGHT "((char *)y)[-1] = 1;", "wrong",
	 "wrote 1 byte before result y"},
	{"page_before", "", THEN_RIGHT "((char *)y)[-4096] = 1;", "crashed",
	 "in check: SIGSEGV, wrote 4096 bytes before result y"},
	{"into_input", "", THEN_RIGHT "((float *)x)[3] = 1;", "crashed",
	 "in check: SIGSEGV, wrote to input x"},
	{"takes_all", "void *mmap(void *, size_t, int, int, int, long);",
	 "while (mmap(0, 1 << 26, 3, 0x22, -1, 0) != (void *)-1);\n"
	 "\t*(volatile int *)0 = 1;",
	 "no-memory", "in check: SIGSEGV, % MiB of memory taken, of %"},
	{"exits", "void exit(int);", "exit(0);", "crashed",
	 "in check: exit() was called"},
	{"leaves", "void _exit(int);", "_exit(0);", "crashed",
	 "in check: exited with status 0"},
	{"aborts", "void abort(void);", "abort();", "crashed",
	 "in check: SIGABRT"},
	{"stops", "int raise(int);", "raise(19);", "timed-out",
	 "in check: stopped by a signal, no end within %"},
	{"closes", "int close(int);",
	 THEN_RIGHT "for (int i = 0; i < 1000; i++) close(i);", "crashed",
	 "%: the search''s pipe was closed"},
	{"recurses",
	 "int deep(volatile int *p);\n"
	 "int deep(volatile int *p)\n"
	 "{\n"
	 "\tvolatile int x[1000];\n"
	 "\tx[0] = *p;\n"
	 "\treturn deep(x) + x[0];\n"
	 "}",
	 "deep(&calls);", "crashed", "in check: %SIGSEGV%"},
};

/* Its plan needs none of the files. */
static void replayed(Tuned *t, Arena *a)
{
	char file[300];
	TenonProgram *p = NULL;
	TenonPlan *plan = NULL;

	snprintf(file, sizeof(file), "%s", test_path("won.json"));
	works(&t->k, tenon_plan_save(t->k.plan, file), "save");
	CHECK(unlink(test_path("good.c")) == 0);
	CHECK(unlink(test_path("good.json")) == 0);
	if (works(&t->k, tenon_plan_load(t->k.c, file, &p, &plan), "load")) {
		TenonOutcome outcome = TENON_NONE;
		CHECK_STR(identity(plan), identity(t->k.plan));
		works(&t->k, tenon_set_dim(p, "M", ROWS), "M");
		works(&t->k, tenon_check(plan, NULL, 2, NULL, NULL, &outcome),
		      "check");
		CHECK(outcome == TENON_PASS);
	}
	tenon_plan_free(plan);
	tenon_program_free(p);
	(void)a;
}

static void one_among_many(void)
{
	Arena a;
	Tuned t;

	arena_init(&a);
	if (search(&t, &a, &alone, faults, ARRAY_LEN(faults), "beam:1")) {
		CHECK_STR(t.r.state, "complete");
		CHECK(t.r.ratio > 0 && t.r.hi < 1);
		states(&t, &a, faults, ARRAY_LEN(faults));
		passes(&t, t.k.plan);
	}
	case_close(&t.k);
	/* and the next search is as any other */
	if (search(&t, &a, &alone, &good, 1, "all")) {
		CHECK(!t.r.found);
		states(&t, &a, &good, 1);
		replayed(&t, &a);
	}
	case_close(&t.k);
	arena_release(&a);
}

/* ---- intermediates ---------------------------------------------------- */

/* The bound of exp admits both of two neighbours: what takes them in turns is
 * right each time, and no plan. It is fastest by far. */
static const Planted inside[] = {
	{"exact", "", "fill(8, x, y, n);", "chosen", NULL},
	{"beyond", "", "fill(8, x, y, n); y[n] = 1;", "wrong",
	 "wrote right behind intermediate h"},
	{"far", "", "fill(8, x, y, n); y[n + 1024] = 1;", "crashed",
	 "in check: SIGSEGV, wrote 4096 bytes behind intermediate h"},
	{"in_front", "", "fill(8, x, y, n); y[-1024] = 1;", "crashed",
	 "in check: SIGSEGV, wrote 4096 bytes before intermediate h"},
	{"wavers", "",
	 "fill(1, x, y, n);\n"
	 "\tunsigned u; __builtin_memcpy(&u, y, 4);\n"
	 "\tu ^= calls & 1; __builtin_memcpy(y, &u, 4);",
	 "wrong",
	 "after % calls: fixture search (seed 1): element 0 of y has other "
	 "bits than in the run that was judged"},
};

static void intermediates(void)
{
	Arena a;
	Tuned t;

	arena_init(&a);
	if (search(&t, &a, &squares, inside, ARRAY_LEN(inside), "beam:1"))
		states(&t, &a, inside, ARRAY_LEN(inside));
	case_close(&t.k);
	arena_release(&a);
}

/* ---- held-out fixtures ------------------------------------------------- */

/* Right for what the search has seen; in the order of their times, so that
 * each is the fastest so far. */
static const Planted held[] = {
	{"good", "", "right(x, b, y, n);", "chosen", NULL},
	{"no_nan", "", "copy(b, y, n);", "wrong",
	 "fixture specials (seed 1, %): element % of y is %"},
	{"flushes", "",
	 "for (int64_t i = 0; i < n; i++)\n"
	 "\t\ty[i] = x[i] != x[i] ? x[i] : __builtin_fabsf(b[i]) < 0x1p-126f"
	 " ? 0 : b[i];",
	 "wrong", "fixture specials (seed 1, %): element % of y is %"},
	{"clamps", "",
	 "for (int64_t i = 0; i < n; i++)\n"
	 "\t\ty[i] = x[i] != x[i] ? x[i] : b[i] > 9 ? 9 : b[i] + 0;",
	 "wrong", "fixture %: element % of y is %"},
};

static void fast_and_wrong(void)
{
	Arena a;
	Tuned t;

	arena_init(&a);
	if (search(&t, &a, &alone, held, ARRAY_LEN(held), "evolve:4")) {
		states(&t, &a, held, ARRAY_LEN(held));
		passes(&t, t.k.plan);
		/* they ran, and seemed to win */
		CHECK(rows(&t, "state = 'wrong' AND measured_us > 0") == 3);
		const char *text = report(&t, &a, true);
		const char *at = strstr(text, "the fastest that is wrong");
		CHECK(at && strstr(at, "external kernel="));
		CHECK(at && strstr(at, "ruled out  wrong: fixture"));
		CHECK(at && strstr(at, " measured us ("));
	}
	case_close(&t.k);
	arena_release(&a);
	test_folder_remove();
}

TEST_MAIN(TEST(one_among_many), TEST(intermediates), TEST(fast_and_wrong))
