/*
 * oracle_tool: the oracle on files, for the cross-checks in Python.
 *
 *   oracle_tool eval PROGRAM OUT [NAME=N...] [-- IN.npy...]
 *       writes OUT/NAME.npy (the reference), OUT/NAME.lo.npy and .hi.npy
 *       (f64 or i64) and OUT/NAME.flags.npy of every result, or prints
 *       `fault VALUE INDEX`
 *   oracle_tool judge PROGRAM [NAME=N...] [-- IN.npy... RESULT.npy...]
 *   oracle_tool fixture PROGRAM FAMILY SEED OUT [NAME=N...]
 *       writes OUT/inN.npy and prints the hash, or why it does not apply
 *   oracle_tool self PROGRAM FAMILY SEED [NAME=N...]
 *       judges the reference itself on a fixture and prints times
 *
 * PROGRAM is a stage-1 text, or a .tn file. NAME=N binds a dim. Exit code
 * 0: done, 1: an error, which is printed.
 */
#include "front/front.h"
#include "oracle/eval.h"

#include <stdio.h>
#include <stdlib.h>

static Ctx ctx;
static Arena arena;
static VEC(Tensor) opened; /* freed at the end */

static void die(void)
{
	fprintf(stderr, "%s", buf_str(&ctx.messages));
	exit(1);
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);
	return n >= m && strcmp(s + n - m, end) == 0;
}

static Program *load(const char *path)
{
	char *text;
	size_t len;
	if (!file_read(&ctx, &arena, path, &text, &len))
		die();
	uint32_t source = ctx_add_source(&ctx, path, text, len);
	Program *p = NULL;
	if (ends_with(path, ".tn")) {
		FrontOptions o = {.has_dtype = getenv("DTYPE") != NULL};
		if (o.has_dtype)
			dtype_parse(getenv("DTYPE"), &o.dtype);
		if (!front_build(&ctx, &arena, source, &o, &p))
			die();
	} else {
		p = program_parse(&ctx, &arena, source);
	}
	if (!p)
		die();
	return p;
}

/* Sizes from the first dims set, then NAME=N arguments up to `--`. */
static Binding bind(const Program *p, int *argc, char ***argv)
{
	Binding b = {.ndims = p->ex.dims.n};
	b.dims = arena_array(&arena, int64_t, b.ndims + 1);
	for (size_t d = 0; d < b.ndims; d++) {
		b.dims[d] = -1;
		if (p->dimsets.n && d < p->dimsets.p[0].nvalues)
			b.dims[d] = p->dimsets.p[0].values[d];
	}
	for (; *argc > 0; --*argc, ++*argv) {
		char *eq = strchr(**argv, '=');
		if (strcmp(**argv, "--") == 0) {
			--*argc, ++*argv;
			break;
		}
		for (size_t d = 0; eq && d < b.ndims; d++) {
			const char *name = p->ex.dims.p[d].name;
			size_t n = (size_t)(eq - **argv);
			if (strlen(name) == n && !strncmp(name, **argv, n))
				b.dims[d] = atoll(eq + 1);
		}
	}
	return b;
}

static Tensor read_npy(const char *path, DType want)
{
	Tensor t;
	if (!npy_read(&ctx, path, want, &t))
		die();
	VEC_PUSH(&arena, opened, t);
	return t;
}

static DType input_dtype(const Program *p, size_t i)
{
	return program_value(p, p->inputs.p[i])->dtype;
}

static void write_nums(const char *dir, const char *name, const char *what,
		       const Ev *v, DType as, const Num *x)
{
	Tensor t = {.dtype = as, .rank = v->rank};
	memcpy(t.shape, v->shape, sizeof t.shape);
	tensor_set_contiguous(&t);
	t.data = big_alloc(tensor_bytes(&t));
	nums_store(as, t.data, 0, v->n, x);
	const char *path = arena_printf(&arena, "%s/%s%s.npy", dir, name, what);
	if (!npy_write(&ctx, path, &t))
		die();
	big_free(t.data, tensor_bytes(&t));
}

static void write_result(Eval *e, size_t r, const char *dir)
{
	const Result *res = &e->p->results.p[r];
	Ev *v = &e->v[res->value];
	bool fl = dtype_is_float(v->dtype);
	write_nums(dir, res->name, "", v, v->dtype, v->ref);
	ev_widen(e, v);
	write_nums(dir, res->name, ".lo", v, fl ? DT_F64 : DT_I64, v->lo);
	write_nums(dir, res->name, ".hi", v, fl ? DT_F64 : DT_I64, v->hi);
	Num *flags = eval_nums(e, v->n);
	for (int64_t i = 0; i < v->n; i++)
		flags[i].i = v->flags[i];
	write_nums(dir, res->name, ".flags", v, DT_I64, flags);
}

static int cmd_eval(int argc, char **argv)
{
	Program *p = load(argv[0]);
	const char *dir = argv[1];
	argc -= 2, argv += 2;
	Binding b = bind(p, &argc, &argv);
	Feeds f = {.ninputs = p->inputs.n};
	f.inputs = arena_array(&arena, Tensor, f.ninputs + 1);
	for (size_t i = 0; i < f.ninputs && (int)i < argc; i++)
		f.inputs[i] = read_npy(argv[i], input_dtype(p, i));
	Eval e;
	eval_init(&e, &ctx, &arena, p, &b, &f);
	e.intervals = true;
	if (!eval_shapes(&e))
		die();
	for (ValueId id = 0; id < p->values.n; id++) {
		if (!e.live[id])
			continue;
		if (!eval_value(&e, id)) {
			printf("fault %u %lld\n", e.fault_value,
			       (long long)e.fault_index);
			eval_release(&e);
			return 0;
		}
		for (size_t r = 0; r < p->results.n; r++)
			if (p->results.p[r].value == id)
				write_result(&e, r, dir);
	}
	eval_release(&e);
	return 0;
}

static const char *const outcome_name[] = {"pass", "fail", "inconclusive",
					   "none"};

static void print_verdict(const Verdict *v)
{
	if (v->fault) {
		printf("fault %u %lld\n", v->fault_value,
		       (long long)v->fault_index);
		return;
	}
	for (size_t r = 0; r < v->nresults; r++) {
		const ResultVerdict *x = &v->results[r];
		printf("%s: exact %s (points %lld/%lld, mismatches %lld) "
		       "interval %s (violations %lld, undecided %lld, width "
		       "%.3g) fixed %s (misses %lld) worst %lld: %a in [%a, "
		       "%a] ref %a\n",
		       x->name, outcome_name[x->exact], (long long)x->points,
		       (long long)x->elements, (long long)x->mismatches,
		       outcome_name[x->interval], (long long)x->violations,
		       (long long)x->undecided, x->median_width,
		       outcome_name[x->fixed], (long long)x->misses,
		       (long long)x->worst, x->got, x->lo, x->hi, x->ref);
	}
	printf("outcome %s\n", outcome_name[v->outcome]);
}

static int cmd_judge(int argc, char **argv)
{
	Program *p = load(argv[0]);
	argc--, argv++;
	Binding b = bind(p, &argc, &argv);
	Feeds f = {.ninputs = p->inputs.n};
	f.inputs = arena_array(&arena, Tensor, f.ninputs + 1);
	if (argc != (int)(f.ninputs + p->results.n))
		return 1;
	for (size_t i = 0; i < f.ninputs; i++)
		f.inputs[i] = read_npy(argv[i], input_dtype(p, i));
	Tensor *got = arena_array(&arena, Tensor, p->results.n + 1);
	for (size_t r = 0; r < p->results.n; r++)
		got[r] = read_npy(
			argv[f.ninputs + r],
			program_value(p, p->results.p[r].value)->dtype);
	Verdict v;
	OracleOptions o = {.sample = false};
	if (!oracle_judge(&ctx, &arena, p, &b, &f, got, &o, &v))
		die();
	print_verdict(&v);
	return 0;
}

static bool family_parse(const char *s, Family *f)
{
	for (int i = 0; i < FAM_COUNT; i++) {
		if (strcmp(s, family_name[i]) == 0) {
			*f = (Family)i;
			return true;
		}
	}
	return false;
}

static int cmd_fixture(int argc, char **argv)
{
	Program *p = load(argv[0]);
	Family f;
	if (!family_parse(argv[1], &f))
		return 1;
	uint64_t seed = strtoull(argv[2], NULL, 10);
	const char *dir = argv[3];
	argc -= 4, argv += 4;
	Binding b = bind(p, &argc, &argv);
	Fixture x;
	if (!fixture_make(&ctx, p, &b, f, seed, NULL, &x))
		die();
	if (!x.applies) {
		printf("none: %s\n", x.why_not);
		return 0;
	}
	printf("%s\n", x.sha256);
	for (size_t i = 0; i < x.feeds.ninputs; i++)
		if (!npy_write(&ctx,
			       arena_printf(&arena, "%s/in%zu.npy", dir, i),
			       &x.feeds.inputs[i]))
			die();
	fixture_release(&x);
	return 0;
}

static int cmd_self(int argc, char **argv)
{
	Program *p = load(argv[0]);
	Family f;
	if (!family_parse(argv[1], &f))
		return 1;
	uint64_t seed = strtoull(argv[2], NULL, 10);
	argc -= 3, argv += 3;
	Binding b = bind(p, &argc, &argv);
	double t0 = clock_seconds();
	Fixture x;
	if (!fixture_make(&ctx, p, &b, f, seed, NULL, &x))
		die();
	if (!x.applies) {
		printf("none: %s (%.3f s)\n", x.why_not, clock_seconds() - t0);
		return 0;
	}
	double t1 = clock_seconds();
	Tensor *ref = arena_array(&arena, Tensor, p->results.n + 1);
	if (!oracle_reference(&ctx, p, &b, &x.feeds, ref))
		die();
	double t2 = clock_seconds();
	Verdict v;
	OracleOptions o = {.sample = getenv("SAMPLE") != NULL,
			   .cache = getenv("CACHE")};
	if (!oracle_judge(&ctx, &arena, p, &b, &x.feeds, ref, &o, &v))
		die();
	double t3 = clock_seconds();
	print_verdict(&v);
	printf("fixture %.3f s, reference %.3f s, judge %.3f s\n", t1 - t0,
	       t2 - t1, t3 - t2);
	fixture_release(&x);
	for (size_t r = 0; r < p->results.n; r++)
		big_free(ref[r].data, tensor_bytes(&ref[r]));
	return 0;
}

static int command(int argc, char **argv)
{
	if (argc >= 4 && strcmp(argv[1], "eval") == 0)
		return cmd_eval(argc - 2, argv + 2);
	if (argc >= 3 && strcmp(argv[1], "judge") == 0)
		return cmd_judge(argc - 2, argv + 2);
	if (argc >= 6 && strcmp(argv[1], "fixture") == 0)
		return cmd_fixture(argc - 2, argv + 2);
	if (argc >= 5 && strcmp(argv[1], "self") == 0)
		return cmd_self(argc - 2, argv + 2);
	fprintf(stderr, "usage: oracle_tool eval|judge|fixture|self ...\n");
	return 2;
}

int main(int argc, char **argv)
{
	ctx_init(&ctx);
	arena_init(&arena);
	ctx.threads = cpu_count();
	int r = command(argc, argv);
	for (size_t i = 0; i < opened.n; i++)
		big_free(opened.p[i].data, tensor_bytes(&opened.p[i]));
	arena_release(&arena);
	ctx_release(&ctx);
	return r;
}
