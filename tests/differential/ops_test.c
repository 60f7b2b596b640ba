/*
 * ops_test: every op, in every dtype of its domain, against the oracle.
 *
 * The programs are made from op.def, so that a new elementwise op, reduction
 * or scan is tested by its row alone, and a new row of another class fails
 * here until it has a case. Operands come in every form (as stored,
 * transposed, reversed, strided, broadcast, reshaped, converted) and results
 * go into every kind of kernel (loop, row reduction, load and tile of a
 * matmul). A plan is compiled once and judged for sizes 0, 1, primes and
 * either side of the vector widths; then its bits are compared between
 * runs, numbers of threads, strides, and resumed stages.
 *
 * With TEST_ALL set in the environment nothing is sampled.
 *
 * tests/run: plain
 */
#include "tests/differential/judge.h"
#include "tests/unit/make.h"

#include <sys/wait.h>

#define ROOM 4000

static bool all; /* nothing is left out */
static int passed, failed;

/* Spread out, and always the same: part of `of` things in the quick run. */
static bool sampled(unsigned a, unsigned b, unsigned of)
{
	unsigned h = (a * 2654435761u + b * 40503u + 977u) >> 7;

	return all || h % of == 0;
}

/* ---- one program in a process ---------------------------------------- */

typedef struct Trial {
	const char *name;
	const char *target;
	const char *families;
	const Sizes *sizes;
	size_t nsizes;
	unsigned flags;
} Trial;

/* Runs fn in a process, so that a crash is a failure of this part alone. */
/* TEST_PART=1/4: every fourth trial, from the second on; for several
 * processes at a time. */
static unsigned part, parts = 1;

static void isolated(const char *name, bool (*fn)(void *arg, Buf *why),
		     void *arg)
{
	static unsigned count;

	if (count++ % parts != part)
		return;
	char text[ROOM];
	size_t n = 0;
	int fd[2], status;
	double t0 = clock_seconds();

	fflush(stdout);
	if (pipe(fd))
		abort();
	pid_t pid = fork();
	if (pid == 0) {
		Arena a;
		Buf why;
		arena_init(&a);
		buf_init(&why, &a);
		dup2(fd[1], 2);
		alarm(600);
		bool ok = fn(arg, &why);
		dprintf(2, "%.*s", ROOM - 1, buf_str(&why));
		_exit(!ok);
	}
	close(fd[1]);
	for (ssize_t k; (k = read(fd[0], text + n, ROOM - 1 - n)) > 0;)
		n += (size_t)k;
	text[n] = 0;
	close(fd[0]);
	waitpid(pid, &status, 0);
	if (getenv("TIMES"))
		fprintf(stderr, "%.2f %s\n", clock_seconds() - t0, name);
	passed += status == 0;
	failed += status != 0;
	if (status)
		printf("FAIL %s (status %x)\n%s\n", name, (unsigned)status,
		       text);
}

typedef struct Work {
	const Trial *trial;
	Make *m;
} Work;

static bool run_made(void *arg, Buf *why)
{
	Work *w = arg;
	const Trial *trial = w->trial;
	Judge j;
	Buf laws;

	buf_init(&laws, &w->m->arena);
	if (!program_verify(&w->m->p, &laws)) {
		buf_printf(why, "not a program: %s\n", buf_str(&laws));
		return false;
	}
	judge_init(&j);
	j.target = trial->target;
	j.families = trial->families;
	TenonProgram *p = program_adopt(j.c, &w->m->p);
	bool ok =
		judge_program(&j, p, trial->sizes, trial->nsizes, trial->flags);
	if (!ok)
		buf_puts(why, buf_str(&j.why));
	if (!ok && w->m->p.values.n < 60)
		program_print(&w->m->p, why);
	return ok;
}

/* Judges and releases m's program. */
static void run(Make *m, Trial trial)
{
	/* stages of a third of the programs, strides of another */
	static unsigned n;
	if (!all && n % 3 != 0)
		trial.flags &= ~(unsigned)JUDGE_STAGES;
	if (!all && n % 3 != 1)
		trial.flags &= ~(unsigned)JUDGE_STRIDES;
	n++;
	Work w = {&trial, m};

	if (m->p.results.n)
		isolated(trial.name, run_made, &w);
	make_release(m);
}

static const char *title(Make *m, const char *what, DType d, int n)
{
	return arena_printf(&m->arena, "%s %s %d", what, dtype_info[d].name, n);
}

static void start(Make *m)
{
	make_init(m);
	dim(m, "M"), dim(m, "N"), dim(m, "K");
}

static void returned(Make *m, ValueId v)
{
	result(m, v, arena_printf(&m->arena, "y%zu", m->p.results.n));
}

static ValueId fresh(Make *m, DType d, int rank, const Ex *shape)
{
	return input_n(m, arena_printf(&m->arena, "x%zu", m->p.inputs.n), d,
		       rank, shape);
}

/* A value that reads all results so far, so that one kernel makes them. */
static void tied(Make *m)
{
	ValueId all_of = NO_VALUE;

	for (size_t i = 0; i < m->p.results.n; i++) {
		ValueId y = m->p.results.p[i].value;
		ValueId same = bin(m, OP_EQ, y, y);
		all_of = i ? bin(m, OP_AND, all_of, same) : same;
	}
	if (all_of != NO_VALUE)
		returned(m, all_of);
}

#define FRESH(m, d, ...) fresh(m, d, SHAPE(__VA_ARGS__))

/* ---- elementwise ----------------------------------------------------- */

static const Sizes matrix_sizes[] = {
	{{3, 7, 5}}, {{0, 5, 3}},  {{7, 33, 17}}, {{1, 1, 1}},    {{2, 17, 1}},
	{{5, 0, 3}}, {{1, 64, 7}}, {{5, 31, 2}},  {{13, 65, 11}},
};
#define QUICK_SIZES 5

static size_t matrix_count(void)
{
	return all ? ARRAY_LEN(matrix_sizes) : QUICK_SIZES;
}

typedef enum Layout {
	FORM_PLAIN,
	FORM_TRANSPOSED,
	FORM_REVERSED,
	FORM_STRIDED,
	FORM_BROADCAST,
	FORM_RESHAPED,
	FORM_CONVERTED,
	FORM_COUNT,
} Layout;

static ValueId sliced(Make *m, ValueId x, const Ex *start_, const int64_t *step)
{
	Value v = {.op = OP_SLICE, .nargs = 1, .args = &x, .rank = 2};

	v.shape[0] = dim(m, "M");
	v.shape[1] = dim(m, "N");
	memcpy(v.start, start_, 2 * sizeof(Ex));
	memcpy(v.step, step, 2 * sizeof(*step));
	return add(m, v);
}

/* A value [M, N] of dtype d, read from memory in the given form. */
static ValueId operand(Make *m, Layout form, DType d, int k)
{
	ExprTab *t = &m->p.ex;
	Ex M = dim(m, "M"), N = dim(m, "N"), one = num(m, 1), three = num(m, 3);
	Ex both[2] = {M, N};
	ValueId x;

	switch (form) {
	case FORM_PLAIN:
		break;
	case FORM_TRANSPOSED:
		return transposed(m, FRESH(m, d, N, M));
	case FORM_REVERSED:
		x = FRESH(m, d, M, N);
		return sliced(m, x,
			      (Ex[]){ex_sub(t, M, one), ex_sub(t, N, one)},
			      (int64_t[]){-1, -1});
	case FORM_STRIDED:
		x = FRESH(m, d, ex_mul(t, M, num(m, 2)), ex_mul(t, N, three));
		return sliced(m, x,
			      (Ex[]){one, ex_sub(t, ex_mul(t, N, three), one)},
			      (int64_t[]){2, -3});
	case FORM_BROADCAST:
		x = k == 0   ? FRESH(m, d, M, one)
		    : k == 1 ? FRESH(m, d, N)
			     : fresh(m, d, 0, NULL);
		return view_as(m, OP_BROADCAST, x, 2, both);
	case FORM_RESHAPED:
		x = FRESH(m, d, ex_mul(t, M, N));
		return view_as(m, OP_RESHAPE, x, 2, both);
	case FORM_CONVERTED:
		x = FRESH(m, dtype_is_float(d) ? DT_F32 : DT_I64, M, N);
		return cast(m, d, x);
	case FORM_COUNT:
		break;
	}
	return FRESH(m, d, M, N);
}

/* Operands of an op are made once for each form and use. */
typedef struct Operands {
	Make *m;
	DType d;
	ValueId made[FORM_COUNT][6];
	bool have[FORM_COUNT][6];
} Operands;

static ValueId operand_once(Operands *o, Layout form, DType d, int use, int k)
{
	if (!o->have[form][use]) {
		o->made[form][use] = operand(o->m, form, d, k);
		o->have[form][use] = true;
	}
	return o->made[form][use];
}

/* Values that a function is defined for, conditions, right operands that
 * may be no divisor are inputs of their own. */
static ValueId applied(Operands *o, Op op, unsigned round)
{
	int arity = op_info[op].arity;
	bool trap = op_has(op, 'T');
	bool positive = op == OP_LOG || op == OP_LOG1P || op == OP_SQRT ||
			op == OP_RSQRT || op == OP_POW;
	ValueId args[3];

	for (int k = 0; k < arity; k++) {
		Layout form =
			(Layout)((unsigned)op * 5 + (unsigned)k * 3 + round) %
			FORM_COUNT;
		DType d = op == OP_WHERE && k == 0 ? DT_BOOL : o->d;
		int use = d != o->d ? 3 : positive ? 4 : trap && k ? 5 : k;
		if (d == DT_BOOL && form == FORM_CONVERTED)
			form = FORM_PLAIN;
		args[k] = operand_once(o, form, d, use, k);
	}
	return add(o->m,
		   (Value){.op = op, .nargs = (uint32_t)arity, .args = args});
}

/* 0: one legal result, 1: a bound in ulp, 2: may fault. */
static unsigned elem_group(Op op, DType d)
{
	if (op_has(op, 'T') && !dtype_is_float(d))
		return 2;
	return op_info[op].ulp > 0;
}

static bool elem_has(Op op, DType d, unsigned group)
{
	return op_info[op].cls == OPC_ELEM && op != OP_CAST &&
	       op_admits(op, d) && elem_group(op, d) == group;
}

static void elem_ops(DType d, unsigned group, unsigned round,
		     const char *target)
{
	Make m;
	Operands o = {.m = &m, .d = d};

	start(&m);
	for (Op op = 0; op < OP_COUNT; op++)
		if (elem_has(op, d, group))
			returned(&m, applied(&o, op, round));
	if (round % 2 == 0 || !all)
		tied(&m);
	run(&m, (Trial){.name = title(&m, "elementwise", d, (int)group),
			.target = target,
			.families = "exact,random,narrow,specials",
			.sizes = matrix_sizes,
			.nsizes = matrix_count(),
			.flags = JUDGE_REPEAT | JUDGE_STRIDES | JUDGE_STAGES |
				 (group != 1 || dtype_info[d].bytes == 2
					  ? JUDGE_CONCLUSIVE
					  : 0)});
}

/* op(a, b) on the way into a matmul and a reduction, and on what a matmul
 * makes. */
static void elem_in_kernels(DType d, unsigned group)
{
	Make m;
	Operands o = {.m = &m, .d = d};
	bool product = d != DT_BOOL;

	start(&m);
	Ex M = dim(&m, "M"), N = dim(&m, "N"), K = dim(&m, "K");
	for (Op op = 0; op < OP_COUNT; op++) {
		if (!elem_has(op, d, group) || !sampled(op, d, 12))
			continue;
		ValueId y = applied(&o, op, 1);
		bool same = op_info[op].result == OPR_same;
		if (group != 1)
			returned(&m, reduce(&m, OP_MAX, y, 2));
		if (!product || !same)
			continue;
		returned(&m, reduce(&m, OP_SUM, applied(&o, op, 2), 1));
		returned(&m,
			 matmul(&m, applied(&o, op, 3), FRESH(&m, d, N, K)));
		ValueId args[3];
		args[0] = matmul(&m, FRESH(&m, d, M, K), FRESH(&m, d, K, N));
		for (int k = 1; k < op_info[op].arity; k++)
			args[k] = FRESH(&m, d, M, N);
		if (op != OP_WHERE)
			returned(&m,
				 add(&m, (Value){.op = op,
						 .nargs = (uint32_t)op_info[op]
								  .arity,
						 .args = args}));
	}
	static const Sizes sizes[] = {
		{{3, 7, 5}}, {{17, 33, 2}}, {{1, 1, 1}}, {{5, 64, 31}}};
	run(&m,
	    (Trial){.name = title(&m, "elementwise in kernels", d, (int)group),
		    .families = "exact,random,narrow",
		    .sizes = sizes,
		    .nsizes = ARRAY_LEN(sizes),
		    .flags = JUDGE_REPEAT | JUDGE_STAGES});
}

static void casts(DType from, const char *target)
{
	Make m;

	start(&m);
	ValueId x = FRESH(&m, from, dim(&m, "M"), dim(&m, "N"));
	for (DType to = 0; to < DT_COUNT; to++)
		returned(&m, cast(&m, to, x));
	tied(&m);
	run(&m, (Trial){.name = title(&m, "casts from", from, 0),
			.target = target,
			.families = "exact,random,specials,structured",
			.sizes = matrix_sizes,
			.nsizes = matrix_count(),
			.flags = JUDGE_ALL});
}

/* ---- reductions, scans, matmuls -------------------------------------- */

static void accumulators(DType d, bool held, DType *acc, size_t *n)
{
	*n = 0;
	acc[(*n)++] = dtype_default_acc(d);
	for (DType a = 0; a < DT_COUNT && dtype_is_float(d); a++)
		if (dtype_is_float(a) && a != acc[0] &&
		    (!held || a == d || (a == DT_F64) ||
		     (a == DT_F32 && d != DT_F64)))
			acc[(*n)++] = a;
	if (!dtype_is_float(d) && d != DT_I64 && d != DT_U64)
		acc[(*n)++] = DT_I64;
}

static void reductions(DType d, bool sums)
{
	static const Sizes with_zero[] = {
		{{3, 7, 5}},  {{0, 3, 5}},  {{2, 0, 3}},  {{4, 3, 0}},
		{{2, 3, 17}}, {{5, 17, 3}}, {{1, 1, 64}}, {{3, 2, 257}}};
	static const Sizes without[] = {{{3, 7, 5}},  {{1, 1, 1}},
					{{2, 3, 17}}, {{5, 17, 3}},
					{{1, 2, 64}}, {{3, 2, 257}}};
	DType acc[8];
	size_t naccs;
	Make m;

	start(&m);
	ValueId x = FRESH(&m, d, dim(&m, "M"), dim(&m, "N"), dim(&m, "K"));
	accumulators(d, false, acc, &naccs);
	for (Op op = 0; op < OP_COUNT; op++) {
		bool scan = op_info[op].cls == OPC_SCAN;
		bool sum = op_info[op].result == OPR_attr;
		bool index = op_info[op].result == OPR_index;
		if ((!scan && op_info[op].cls != OPC_REDUCE) || sum != sums ||
		    !op_admits(op, d))
			continue;
		for (uint32_t axes = 1; axes < 8; axes++)
			for (size_t i = 0; i < (sum ? naccs : 1); i++) {
				bool one = !(axes & (axes - 1));
				Value v = {.op = op, .nargs = 1, .args = &x};
				if (((scan || index) && !one) ||
				    m.p.results.n >= JUDGE_MAX_RESULTS ||
				    !sampled(op * 8 + axes, d * 5 + (unsigned)i,
					     3))
					continue;
				if (sum) {
					v.acc = acc[i];
					v.dtype = dtype_is_float(d) && i % 2
							  ? DT_F32
						  : i ? acc[i]
						      : d;
				}
				if (scan)
					v.axis = (uint32_t)__builtin_ctz(axes);
				else
					v.axes = axes;
				returned(&m, add(&m, v));
			}
	}
	run(&m,
	    (Trial){.name = title(&m, sums ? "sums" : "folds", d, 0),
		    .families = "exact,random,specials,structured",
		    .sizes = sums ? with_zero : without,
		    .nsizes = sums ? ARRAY_LEN(with_zero) : ARRAY_LEN(without),
		    .flags = JUDGE_REPEAT | JUDGE_STRIDES | JUDGE_STAGES |
			     (sums ? 0 : JUDGE_CONCLUSIVE)});
}

static void matmuls(DType d, const char *target)
{
	static const Sizes sizes[] = {
		{{3, 7, 5}},    {{5, 3, 0}},    {{4, 5, 1}},
		{{0, 5, 7}},    {{5, 0, 7}},    {{1, 1, 17}},
		{{31, 67, 17}}, {{2, 3, 1025}}, {{13, 64, 33}}};
	DType acc[8];
	size_t naccs;
	Make m;

	start(&m);
	Ex M = dim(&m, "M"), N = dim(&m, "N"), K = dim(&m, "K");
	Ex two = num(&m, 2), three = num(&m, 3), one = num(&m, 1);
	ValueId a = FRESH(&m, d, M, K), b = FRESH(&m, d, K, N);
	accumulators(d, true, acc, &naccs);
	for (size_t i = 0; i < naccs; i++)
		returned(&m, add(&m, (Value){.op = OP_MATMUL,
					     .dtype = i ? acc[i] : d,
					     .acc = acc[i],
					     .nargs = 2,
					     .args = (ValueId[]){a, b}}));
	returned(&m, matmul(&m, a, transposed(&m, FRESH(&m, d, N, K))));
	if (sampled(d, 78, 2))
		returned(&m, matmul(&m, transposed(&m, FRESH(&m, d, K, M)), b));
	ValueId batch = FRESH(&m, d, two, three, M, K);
	returned(&m, matmul(&m, batch, FRESH(&m, d, two, three, K, N)));
	ValueId lone = FRESH(&m, d, three, K, N);
	returned(&m, matmul(&m, batch,
			    view_as(&m, OP_BROADCAST, lone, 4,
				    (Ex[]){two, three, K, N})));
	ValueId row = FRESH(&m, d, two, one, one, K);
	if (sampled(d, 77, 2))
		returned(&m, matmul(&m,
				    view_as(&m, OP_BROADCAST, row, 4,
					    (Ex[]){two, three, one, K}),
				    FRESH(&m, d, two, three, K, N)));
	run(&m, (Trial){.name = title(&m, "matmul", d, 0),
			.target = target,
			.families = "exact,random,narrow,specials",
			.sizes = sizes,
			.nsizes = ARRAY_LEN(sizes),
			.flags = JUDGE_ALL});
}

/* ---- views and movement ---------------------------------------------- */

static void views(DType d)
{
	static const uint8_t perms[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
					    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	Make m;

	start(&m);
	ExprTab *t = &m.p.ex;
	Ex M = dim(&m, "M"), N = dim(&m, "N"), K = dim(&m, "K");
	ValueId x = FRESH(&m, d, M, N, K);
	for (int i = 0; i < 6; i++) {
		Value v = {.op = OP_TRANSPOSE, .nargs = 1, .args = &x};
		memcpy(v.perm, perms[i], 3);
		returned(&m, add(&m, v));
	}
	returned(&m, reshape(&m, x, ex_mul(t, M, N), K));
	returned(&m, reshape(&m, x, M, ex_mul(t, N, K)));
	returned(&m, reshape(&m, x, ex_mul(t, ex_mul(t, M, N), K)));
	returned(&m, reshape(&m, reshape(&m, x, ex_mul(t, M, N), K), N, M, K));
	returned(&m,
		 view_as(&m, OP_BROADCAST, x, 4, (Ex[]){num(&m, 2), M, N, K}));
	Value v = {.op = OP_VIEW, .nargs = 1, .args = &x, .rank = 2};
	v.shape[0] = K;
	v.shape[1] = M;
	v.map[0] = ex_axis(t, 1);
	v.map[1] = num(&m, 0);
	v.map[2] = ex_axis(t, 0);
	Ex some = ex_add(t, N, num(&m, 1)); /* never empty */
	ValueId y = FRESH(&m, d, M, some, K);
	v.args = &y;
	returned(&m, add(&m, v));
	returned(&m, operand(&m, FORM_REVERSED, d, 0));
	returned(&m, operand(&m, FORM_STRIDED, d, 0));
	returned(&m, x);
	returned(&m, x);
	run(&m, (Trial){.name = title(&m, "views", d, 0),
			.families = "exact,random,specials",
			.sizes = matrix_sizes,
			.nsizes = matrix_count(),
			.flags = JUDGE_ALL});
}

static ValueId padded(Make *m, ValueId x, DType d, int before, int after)
{
	unsigned char zero[8] = {0};
	ValueId fill = leaf(m,
			    (Value){.op = OP_CONST,
				    .dtype = d,
				    .data = zero,
				    .data_size = (size_t)dtype_info[d].bytes},
			    0, NULL);
	ValueId args[2] = {x, fill};
	const Value s = *program_value(&m->p, x);
	Value v = {.op = OP_PAD, .nargs = 2, .args = args, .rank = s.rank};

	for (int k = 0; k < s.rank; k++) {
		v.start[k] = num(m, before + k);
		v.shape[k] = ex_add(&m->p.ex, s.shape[k],
				    num(m, before + after + k));
	}
	return add(m, v);
}

static void movement(DType d)
{
	static const Sizes sizes[] = {{{3, 7, 5}},
				      {{1, 1, 1}},
				      {{2, 17, 9}},
				      {{5, 33, 1}},
				      {{9, 2, 65}}};
	Make m;

	start(&m);
	Ex M = dim(&m, "M"), N = dim(&m, "N"), K = dim(&m, "K");
	ValueId x = FRESH(&m, d, M, N, K);
	for (Op op = 0; op < OP_COUNT; op++) {
		if (op_info[op].cls != OPC_MOVE || !op_admits(op, d))
			continue;
		for (uint32_t axis = 0; axis < 3; axis++) {
			Value v = {.op = op, .axis = axis};
			Ex shape[3] = {M, N, K};
			DType it = axis % 2 ? DT_I32 : DT_I64;
			ValueId args[3] = {x};
			v.args = args;
			if (op == OP_PAD) {
				returned(&m, padded(&m, x, d, (int)axis, 2));
				continue;
			} else if (op == OP_CONCAT) {
				v.nargs = 3;
				shape[axis] = num(&m, 4);
				args[1] = fresh(&m, d, 3, shape);
				args[2] = x;
			} else if (op == OP_GATHER) {
				v.nargs = 2;
				args[1] = fresh(&m, it, (int)axis,
						(Ex[]){K, num(&m, 3)});
			} else if (op == OP_SCATTER || op == OP_SCATTER_ADD) {
				v.nargs = 3;
				args[1] = FRESH(&m, it, num(&m, 6));
				shape[axis] = num(&m, 6);
				args[2] = fresh(&m, d, 3, shape);
			} else {
				bug("%s has no case", op_info[op].name);
			}
			returned(&m, add(&m, v));
		}
	}
	run(&m, (Trial){.name = title(&m, "movement", d, 0),
			.families = "exact,random,specials",
			.sizes = sizes,
			.nsizes = ARRAY_LEN(sizes),
			.flags = JUDGE_REPEAT | JUDGE_STRIDES | JUDGE_STAGES |
				 JUDGE_CONCLUSIVE});
}

static void iotas(void)
{
	Make m;

	start(&m);
	Ex shape[2] = {dim(&m, "M"), dim(&m, "N")};
	for (DType d = 0; d < DT_COUNT; d++)
		for (uint32_t axis = 0; axis < 2 && op_admits(OP_IOTA, d);
		     axis++)
			returned(&m, leaf(&m,
					  (Value){.op = OP_IOTA,
						  .dtype = d,
						  .axis = axis},
					  2, shape));
	static const Sizes sizes[] = {
		{{3, 7, 5}}, {{0, 4, 1}}, {{2, 70001, 1}}};
	run(&m, (Trial){.name = "iota",
			.families = "random",
			.sizes = sizes,
			.nsizes = ARRAY_LEN(sizes),
			.flags = JUDGE_ALL});
}

/* ---- programs in the language ---------------------------------------- */

#include "tests/differential/texts.h"

static bool run_text(void *arg, Buf *why)
{
	const TextCase *t = arg;
	TenonProgramOptions o = {.dtype = t->dtype};
	TenonProgram *p;
	Judge j;

	judge_init(&j);
	if (tenon_program_from_text(j.c, t->name, t->text, &o, &p))
		judge_error(&j, "program");
	else
		judge_program(&j, p, t->sizes, t->sizes ? 2 : 0,
			      JUDGE_REPEAT | JUDGE_STRIDES | JUDGE_STAGES |
				      (t->inexact ? 0 : JUDGE_CONCLUSIVE));
	buf_puts(why, buf_str(&j.why));
	return !judge_failed(&j);
}

static void texts(void)
{
	static const char *const dtypes[] = {NULL, "f16", "bf16", "f64"};

	for (size_t i = 0; i < ARRAY_LEN(text_cases); i++)
		for (size_t k = 0; k < ARRAY_LEN(dtypes); k++) {
			TextCase t = text_cases[i];
			char name[64];
			if (k &&
			    (t.fixed || !sampled((unsigned)i, (unsigned)k, 2)))
				continue;
			t.dtype = dtypes[k];
			snprintf(name, sizeof(name), "%s %s", t.name,
				 k ? dtypes[k] : "f32");
			isolated(name, run_text, &t);
		}
}

/*
 * A fault must be reported with its place by the plan, and be one for the
 * oracle as well.
 */
static bool run_fault(void *arg, Buf *why)
{
	const FaultCase *f = arg;
	TenonProgram *p = NULL;
	TenonPlan *plan = NULL;
	TenonTensor in[3] = {0}, out = {0};
	int64_t data[3][8];
	Judge j;

	judge_init(&j);
	if (tenon_program_from_text(j.c, "fault.tn", f->text, NULL, &p) ||
	    tenon_compile(j.c, p, NULL, &plan)) {
		buf_puts(why, tenon_message(j.c));
		return false;
	}
	for (int i = 0; i < tenon_program_inputs(p); i++) {
		tenon_input_desc(p, i, &in[i]);
		in[i].data = data[i];
		for (int k = 0; k < 8; k++) {
			int64_t x = i == f->input && k == 2 ? f->value : 1;
			if (in[i].dtype == TENON_I64)
				data[i][k] = x;
			else if (in[i].dtype == TENON_I32)
				((int32_t *)data[i])[k] = (int32_t)x;
			else if (in[i].dtype == TENON_F32)
				((float *)data[i])[k] = (float)x;
		}
	}
	tenon_result_desc(p, 0, &out);
	out.data = tenon_alloc(judge_bytes(&out) + 1);
	TenonError error = tenon_plan_run(plan, in, &out);
	const char *text = tenon_message(j.c);
	if (f->says ? error != TENON_EPROGRAM : error != TENON_OK)
		buf_printf(why, "error %d: %s\n", (int)error, text);
	else if (f->says &&
		 (!strstr(text, f->says) || !strstr(text, "fault.tn:2:")))
		buf_printf(why, "message without `%s` or place: %s\n", f->says,
			   text);
	if (why->n)
		return false;
	Tensor inputs[3];
	Verdict v;
	Tensor res = tensor_from_api(&out);
	for (int i = 0; i < 3; i++)
		inputs[i] = tensor_from_api(&in[i]);
	Feeds feeds = {.inputs = inputs, .ninputs = p->p->inputs.n};
	Binding b = {p->dims, p->p->ex.dims.n};
	OracleOptions o = {.sample = false};
	j.c->ctx.threads = 1;
	if (!oracle_judge(&j.c->ctx, &j.arena, p->p, &b, &feeds, &res, &o, &v))
		buf_puts(why, "the oracle gives up\n");
	else if (v.fault != (f->says != NULL))
		buf_puts(why, "the oracle does not agree\n");
	else if (!v.fault && v.outcome == OUT_FAIL)
		buf_puts(why, "the oracle judges the result wrong\n");
	return why->n == 0;
}

static void faults(void)
{
	for (size_t i = 0; i < ARRAY_LEN(fault_cases); i++) {
		FaultCase f = fault_cases[i];
		isolated(f.text, run_fault, &f);
	}
}

/* ---- the run --------------------------------------------------------- */

static void every_dtype(void)
{
	for (DType d = 0; d < DT_COUNT; d++) {
		for (unsigned group = 0; group < 3; group++) {
			for (unsigned r = 0; r < (all ? FORM_COUNT : 1); r++)
				elem_ops(d, group, r + d, NULL);
			elem_in_kernels(d, group);
		}
		casts(d, NULL);
		if (d != DT_BOOL) {
			reductions(d, true);
			matmuls(d, NULL);
		}
		reductions(d, false);
		/* what only moves depends on the size alone */
		if (all || d == DT_F16 || d == DT_I32 || d == DT_BOOL)
			views(d);
		if (all || d == DT_F32 || d == DT_I64 || d == DT_U8)
			movement(d);
	}
	iotas();
}

/* The other instruction sets that this machine runs. */
static void other_targets(void)
{
	static const char *const targets[] = {"cpu:avx2", "cpu:base"};

	for (size_t i = 0; i < ARRAY_LEN(targets); i++) {
		const Isa *isa = isa_find(targets[i] + 4);
		if (!isa_runs_here(isa) || isa == isa_host())
			continue;
		for (DType d = 0; d < DT_COUNT; d++) {
			if (!sampled((unsigned)i + 3, d, 3))
				continue;
			elem_ops(d, 0, (unsigned)i, targets[i]);
			elem_ops(d, 1, (unsigned)i, targets[i]);
			casts(d, targets[i]);
			if (d != DT_BOOL)
				matmuls(d, targets[i]);
		}
	}
}

int main(int argc, char **argv)
{
	const char *env = getenv("TEST_ALL");

	const char *some = getenv("TEST_PART");

	all = (env && env[0]) || (argc > 1 && !strcmp(argv[1], "--all"));
	if (some && (sscanf(some, "%u/%u", &part, &parts) != 2 || !parts)) {
		fprintf(stderr, "TEST_PART is N/M\n");
		return 2;
	}
	every_dtype();
	other_targets();
	texts();
	faults();
	printf("%d passed, %d failed, 0 skipped\n", passed, failed);
	return failed > 0;
}
