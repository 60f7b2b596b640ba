/*
 * Alternatives of programs: each rule fires, and what is extracted is equal to
 * the program as written.
 *
 * The oracle's reference rounds sums correctly, so that equal programs have
 * equal references, bit for bit: every extraction is compared so on several
 * families. Of each rule one program (all with TEST_ALL) is compiled, run and
 * judged against stage 1; where no float is summed the bits must be those of
 * the program as written.
 */
#include "tests/unit/api.h"

#include "ir/view.h"
#include "rewrite/alternatives.h"
#include "rewrite/egraph.h"
#include "tests/differential/random.h"

#define MOST 10

/* A program, its stage 2, and the alternatives. */
typedef struct Alts {
	Case k;
	Arena arena;
	const Program *p; /* stage 2 */
	AlternativeOptions o;
	Alternatives x;
} Alts;

static bool alts_open(Alts *s, const char *path, const char *text,
		      const char *set, const char *skip)
{
	TenonPlanOptions o = {
		.emit_only = true, .stop_after = "dead", .skip = skip};

	memset(s, 0, sizeof(*s));
	arena_init(&s->arena);
	if (!case_open(&s->k, path, text, NULL) ||
	    (set && !works(&s->k, tenon_set_dims(s->k.p, set), set)) ||
	    !works(&s->k, tenon_compile(s->k.c, s->k.p, &o, &s->k.plan), path))
		return false;
	s->p = s->k.plan->rewritten;
	s->o = (AlternativeOptions){.most = MOST, .dims = s->k.p->dims};
	return true;
}

static bool alts_make(Alts *s)
{
	bool ok = rewrite_alternatives(&s->k.c->ctx, &s->arena, s->p, &s->o,
				       &s->x);

	if (!CHECK(ok))
		printf("%s", buf_str(&s->k.c->ctx.messages));
	return ok;
}

static void alts_close(Alts *s)
{
	case_close(&s->k);
	arena_release(&s->arena);
}

static bool names(const char *list, const char *rule)
{
	size_t n = strlen(rule);

	for (const char *s = list; *s;) {
		size_t len = strcspn(s, ",");
		if (len == n && !strncmp(s, rule, n))
			return true;
		s += len + (s[len] == ',');
	}
	return false;
}

static bool fired(const Alts *s, const char *rule)
{
	for (size_t i = 0; i < s->x.hits.n; i++)
		if (!strcmp(s->x.hits.p[i].rule, rule))
			return true;
	return false;
}

static const char *dump(Alts *s)
{
	Buf b;

	buf_init(&b, &s->arena);
	alternatives_print(&s->x, &b);
	return buf_str(&b);
}

static size_t count(const Program *p, Op op)
{
	size_t n = 0;

	for (size_t i = 0; i < p->values.n; i++)
		n += p->values.p[i].op == op;
	return n;
}

/* ---- references ------------------------------------------------------ */

static bool is_nan(DType d, const char *p)
{
	uint64_t u = 0, inf = d == DT_F64   ? 0x7ff0000000000000
			      : d == DT_F32 ? 0x7f800000
			      : d == DT_F16 ? 0x7c00
					    : 0x7f80;
	size_t bytes = (size_t)dtype_info[d].bytes;

	memcpy(&u, p, bytes);
	return dtype_is_float(d) &&
	       (u & ~((uint64_t)1 << (8 * bytes - 1))) > inf;
}

/* Bits equal, or both NaN. */
static bool same_bits(const Tensor *a, const Tensor *b)
{
	size_t bytes = (size_t)dtype_info[a->dtype].bytes;
	const char *x = a->data, *y = b->data;
	int64_t n = tensor_elements(a);

	if (a->dtype != b->dtype || n != tensor_elements(b))
		return false;
	for (int64_t i = 0; i < n; i++, x += bytes, y += bytes)
		if (memcmp(x, y, bytes) &&
		    (!is_nan(a->dtype, x) || !is_nan(a->dtype, y)))
			return false;
	return true;
}

static void drop(Tensor *t, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (t[i].data)
			big_free(t[i].data, tensor_bytes(&t[i]));
}

/* How many of the alternatives have not the reference of the program; a merged
 * boundary has another by its relaxation. */
static int differ_on(Alts *s, Family family)
{
	Ctx *ctx = &s->k.c->ctx;
	const Program *p = s->k.p->p;
	Binding b = {s->k.p->dims, p->ex.dims.n};
	Tensor want[CASE_TENSORS], got[CASE_TENSORS];
	Feeds none = {0};
	Fixture f;
	int bad = 0;

	if (!CHECK(fixture_make(ctx, p, &b, family, 1, &none, &f)))
		return 0;
	if (!f.applies || !oracle_reference(ctx, p, &b, &f.feeds, want)) {
		CHECK(!f.applies);
		fixture_release(&f);
		return 0;
	}
	for (size_t i = 0; i < s->x.list.n; i++) {
		const Program *q = s->x.list.p[i].program;
		if (names(s->x.list.p[i].rules, "longer_product"))
			continue;
		bool same = oracle_reference(ctx, q, &b, &f.feeds, got);
		for (size_t r = 0; same && r < p->results.n; r++)
			same = same_bits(&want[r], &got[r]);
		if (!same)
			bad++;
		drop(got, q->results.n);
	}
	drop(want, p->results.n);
	fixture_release(&f);
	return bad;
}

/* Every family: NaN and what cancels are what wrong rules are found by. */
static int differ(Alts *s)
{
	static const Family families[] = {FAM_SEARCH, FAM_EXACT, FAM_SPECIALS,
					  FAM_SENTINEL_BOUNDARY};
	int bad = 0;

	s->k.c->ctx.threads = 2;
	for (size_t i = 0; i < ARRAY_LEN(families) - !test_all(); i++)
		bad += differ_on(s, families[i]);
	return bad;
}

/* Sums are where the oracle finds the accumulator they were made with. */
static bool leads(const Alts *s, const Program *q)
{
	const Program *p = s->k.p->p;

	if (!CHECK(q->nnow == p->values.n))
		return false;
	for (size_t i = 0; i < p->values.n; i++) {
		const Value *v = &p->values.p[i];
		if (v->op != OP_MATMUL || !dtype_is_float(v->dtype) ||
		    s->p->now[i] == NO_VALUE)
			continue;
		ValueId now = q->now[i];
		if (now == NO_VALUE || program_value(q, now)->op != OP_MATMUL)
			return false;
	}
	return true;
}

/* Laws of every list: verified, equal, distinct, the first as written. */
static void lawful(Alts *s)
{
	Buf why;

	CHECK(s->x.list.n >= 1 && s->x.list.p[0].program == s->p);
	CHECK_STR(s->x.list.p[0].rules, "");
	for (size_t i = 0; i < s->x.list.n; i++) {
		const Alternative *alt = &s->x.list.p[i];
		buf_init(&why, &s->arena);
		if (!CHECK(program_verify(alt->program, &why)))
			printf("%s: %s\n", alt->rules, buf_str(&why));
		CHECK(i == 0 || *alt->rules);
		if (!CHECK(leads(s, alt->program)))
			printf("%s\n", alt->rules);
		for (size_t j = 0; j < i; j++)
			CHECK(strcmp(alt->key, s->x.list.p[j].key) != 0);
	}
	CHECK(differ(s) == 0);
}

/* ---- on the CPU ------------------------------------------------------ */

static bool sums_floats(const Program *p)
{
	for (size_t i = 0; i < p->values.n; i++) {
		const Value *v = &p->values.p[i];
		if (v->nargs && op_info[v->op].result == OPR_attr &&
		    v->op != OP_CAST && dtype_is_float(v->dtype))
			return true;
	}
	return false;
}

/* Results of the plan of stage 2 `q`; false: failed, told. */
static bool run_plan(Alts *s, const Program *q, uint64_t *hash,
		     TenonOutcome *out)
{
	TenonPlan *first = s->k.plan;

	s->k.plan = plan_of_rewritten(s->k.p, q, NULL);
	s->k.c->new_plan = NULL;
	bool ok = CHECK(s->k.plan != NULL);
	if (!ok)
		printf("%s", buf_str(&s->k.c->ctx.messages));
	ok = ok && case_fill(&s->k, "search") && case_run(&s->k);
	*hash = ok ? case_hash(&s->k) : 0;
	ok = ok &&
	     works(&s->k,
		   tenon_check(s->k.plan, "exact,search", 1, NULL, NULL, out),
		   "check");
	tenon_plan_free(s->k.plan);
	s->k.plan = first;
	return ok;
}

static void run_one(Alts *s, const Alternative *alt)
{
	uint64_t want, got;
	TenonOutcome out;
	bool exact = !sums_floats(s->p);

	if (exact && !run_plan(s, s->p, &want, &out))
		return;
	if (!run_plan(s, alt->program, &got, &out) ||
	    !CHECK(out != TENON_FAIL) || (exact && !CHECK(got == want))) {
		Buf b;
		buf_init(&b, &s->arena);
		program_print(alt->program, &b);
		printf("%s\n%s", alt->rules, buf_str(&b));
	}
}

/* The cheapest made by the rule (NULL: by any); with TEST_ALL all of them. */
static void run_some(Alts *s, const char *rule)
{
	for (size_t i = 1; i < s->x.list.n; i++) {
		if (rule && !names(s->x.list.p[i].rules, rule) && !test_all())
			continue;
		run_one(s, &s->x.list.p[i]);
		if (!test_all())
			return;
	}
}

/* ---- a program a rule ------------------------------------------------ */

typedef struct RuleCase {
	const char *rule, *text;
	const char *skip; /* passes left out */
	bool hidden;      /* fires, and no cheap program needs it */
	bool run;         /* of those that are compiled in `make test` */
} RuleCase;

static const RuleCase rule_cases[] = {
	{"cse",
	 "dims d: M = 5\n"
	 "def f(x: f32[M, 8], y: f32[M, 8]):\n"
	 "    return x * y + 1.0, (y * x) * 3.0\n",
	 "cse", true, false},
	{"operand_swap",
	 "dims d: M = 5\n"
	 "def f(x: f16[M, 8], w: f16[12, 8]):\n"
	 "    return (x @ w.T).T\n",
	 NULL, false, true},
	{"operand_swap",
	 "dims d: M = 5\n"
	 "def f(x: f32[2, M, 8], w: f32[2, 8, 3]):\n"
	 "    return relu(x @ w)\n",
	 NULL, false, false},
	{"view_chain",
	 "dims d: M = 5\n"
	 "def f(x: f16[M, 8], w: f16[8, 12], v: f16[12, 9]):\n"
	 "    return (x @ w) @ v\n",
	 NULL, true, false},
	{"view_of_elem",
	 "dims d: M = 6, K = 10\n"
	 "def f(x: f32[M, K], y: f32[M, K]):\n"
	 "    return exp(x * y + 1.0)[:, 1:3]\n",
	 NULL, false, true},
	{"view_of_elem",
	 "dims d: M = 6\n"
	 "def f(x: i32[M, 4, 3], y: i32[M, 4, 3]):\n"
	 "    return ((x ^ y) << 2).reshape(M, 12).T, maximum(x, y)[1:]\n",
	 NULL, false, false},
	{"elem_of_view",
	 "dims d: M = 6, K = 10\n"
	 "def f(x: f32[K], y: f32[M, K]):\n"
	 "    return exp(broadcast(x, M, K)) + y, sqrt(y.T)\n",
	 NULL, false, false},
	{"shared_left",
	 "dims d: M = 5, N = 6\n"
	 "def f(x: f16[M, 8], w: f16[8, N], v: f16[8, 2], u: f16[8, N]):\n"
	 "    return x @ w, (x @ v) * 2.0, silu(x @ u)\n",
	 NULL, false, true},
	{"shared_left", /* u depends on the other product: left out */
	 "def f(x: f32[8, 8], w: f32[8, 8], v: f32[8, 3]):\n"
	 "    return x @ (x @ w), (x @ v)\n",
	 NULL, false, false},
	{"shared_right",
	 "dims d: M = 5, N = 6\n"
	 "def f(x: f32[M, 8], y: f32[N, 8], w: f32[8, 4]):\n"
	 "    return x @ w, y @ w\n",
	 NULL, false, false},
	{"slice_of_product",
	 "dims d: M = 7, N = 9\n"
	 "def f(x: f16[M, 8], w: f16[8, N], b: f16[N]):\n"
	 "    return relu(x @ w + b)[1:3, 2:6]\n",
	 NULL, false, true},
	{"slice_of_product",
	 "dims d: M = 7, N = 9\n"
	 "def f(x: i32[3, M, 8], w: i32[3, 8, N]):\n"
	 "    return (x @ w)[1:2, ::2, 2:6]\n",
	 NULL, false, false},
	{"longer_product",
	 "dims d: M = 7, N = 9\n"
	 "@contract(reassociate)\n"
	 "def f(x: f16[M, 8], w: f16[8, N], y: f16[M, 5], v: f16[5, N]):\n"
	 "    return relu(x @ w + y @ v)\n",
	 "relaxations", false, true},
	{"reduce_of_view",
	 "dims d: M = 7, N = 9\n"
	 "def f(x: f32[M, N], y: f32[N]):\n"
	 "    return sum(x.T, axis=0), max(broadcast(y, 3, N), axis=0), \\\n"
	 "        argmax(x.T, axis=1), min(x.reshape(M, 1, N).T)\n",
	 NULL, false, true},
	{"slice_of_reduce",
	 "dims d: M = 7, N = 9\n"
	 "def f(x: f32[M, 4, N]):\n"
	 "    return sum(exp(x), axis=1)[2:4, ::-2], max(x, axis=0)[1:3]\n",
	 NULL, false, false},
	{"slice_of_concat",
	 "dims d: M = 7, N = 9\n"
	 "def f(x: f32[M, N], y: f32[M, 4]):\n"
	 "    return sqrt(concat([x, y], axis=1)[:, N:N + 2])\n",
	 NULL, false, false},
	{"slice_of_concat",
	 "dims d: M = 7, N = 9\n"
	 "def f(x: f32[1, N], y: f32[1, N], z: f32[M, N]):\n"
	 "    c = concat([x, y, z], axis=0)\n"
	 "    return sqrt(c[1]), sqrt(c[2:3])\n",
	 NULL, false, false},
	{"concat_of_slices",
	 "dims d: M = 7, N = 9\n"
	 "def f(x: f32[M, N], y: f32[M, 8]):\n"
	 "    return concat([y[:, :3], y[:, 3:5]], axis=1) * 2.0\n",
	 NULL, false, true},
	{"gather_of_elem",
	 "dims d: M = 3, N = 90\n"
	 "def f(t: f16[N, 8], s: f32[8], i: i64[M]):\n"
	 "    return gather(f32(t) * s, i)\n",
	 NULL, false, true},
	{"slice_of_gather",
	 "dims d: M = 3, N = 90\n"
	 "def f(t: f16[N, 8], i: i64[M]):\n"
	 "    return gather(exp(t), i)[:, 2:4]\n",
	 NULL, false, false},
	{"cast_of_select",
	 "dims d: M = 7\n"
	 "def f(x: f16[M, 8], y: f16[M, 8]):\n"
	 "    return f32(maximum(x, y)), f64(max(x, axis=0))\n",
	 NULL, false, false},
	{"select_of_cast",
	 "dims d: M = 7\n"
	 "def f(x: f16[M, 8], y: f16[M, 8], i: i8[M, 8]):\n"
	 "    return relu(f32(x)), max(f32(y), axis=1), \\\n"
	 "        f32(x) < f32(y), maximum(f32(i), 3.0)\n",
	 NULL, false, true},
	{"cast_of_move",
	 "dims d: M = 7\n"
	 "def f(x: f16[M, 8], y: f16[M, 8]):\n"
	 "    return f32(concat([x, y], axis=0))\n",
	 NULL, false, false},
	{"move_of_cast",
	 "dims d: M = 7\n"
	 "def f(x: bf16[M, 8], y: bf16[M, 8]):\n"
	 "    return concat([f32(x), f32(y)], axis=0)\n",
	 NULL, false, false},
	{"cast_chain",
	 "dims d: M = 7\n"
	 "def f(x: i8[M, 8], y: f16[M, 8]):\n"
	 "    return i8(f32(x)), u8(i32(x)), bf16(f32(y)), f16(f64(y.T))\n",
	 "constants", false, true},
	{"recompute",
	 "dims d: M = 7\n"
	 "def f(x: f16[M, 8], g: f16[8], w: f16[8, 5], v: f16[8, 5]):\n"
	 "    s = f16(f32(x) * f32(g))\n"
	 "    return s @ w, relu(s @ v)\n",
	 NULL, false, true},
};

static void one_rule(const RuleCase *c)
{
	Alts s;
	bool used = false;

	if (alts_open(&s, "t.tn", c->text, NULL, c->skip) && alts_make(&s)) {
		CHECK(fired(&s, c->rule));
		for (size_t i = 0; i < s.x.list.n; i++)
			used |= names(s.x.list.p[i].rules, c->rule);
		if (!CHECK(used || c->hidden) || !CHECK(fired(&s, c->rule)))
			printf("%s\n%s", c->rule, dump(&s));
		CHECK(s.x.saturated && !s.x.pruned.n);
		lawful(&s);
		if (c->run || test_all())
			run_some(&s, c->hidden ? NULL : c->rule);
	}
	alts_close(&s);
}

static void rules(void)
{
	for (size_t i = 0; i < ARRAY_LEN(rule_cases); i++)
		one_rule(&rule_cases[i]);
}

/* Each row has a case, and a witness. */
static void all_rules(void)
{
	const RewriteRule *rows;
	size_t n = alternative_rules(&rows);

	for (size_t r = 0; r < n; r++) {
		bool found = false;
		CHECK(*rows[r].witness);
		for (size_t i = 0; i < ARRAY_LEN(rule_cases); i++)
			found |= !strcmp(rule_cases[i].rule, rows[r].name);
		if (!CHECK(found))
			printf("%s\n", rows[r].name);
	}
}

/* ---- what must not be ------------------------------------------------ */

/* The program of a text, with its alternatives. */
static bool alts_of(Alts *s, const char *text)
{
	return alts_open(s, "t.tn", text, NULL, NULL) && alts_make(s);
}

/* A sum has one bit pattern for all its readers. */
static void one_pattern(void)
{
	Alts s;

	if (alts_of(&s, "def f(x: f16[5, 8], w: f16[8, 9]):\n"
			"    p = x @ w\n"
			"    return p, exp(p)[:, 1:3], (p * p)[:, 4:5]\n")) {
		CHECK(fired(&s, "slice_of_product"));
		CHECK(s.x.list.n > 1);
		for (size_t i = 0; i < s.x.list.n; i++) {
			CHECK(count(s.x.list.p[i].program, OP_MATMUL) == 1);
			CHECK(count(s.x.list.p[i].program, OP_EXP) == 1);
		}
		lawful(&s);
	}
	alts_close(&s);
}

/* Copies are of what has one right answer: no kernel's exp is another's. */
static void no_dear_copies(void)
{
	Alts s;

	if (alts_of(&s, "def f(x: f16[5, 8], w: f16[8, 9], v: f16[8, 9]):\n"
			"    s = exp(x)\n"
			"    return s @ w, relu(s @ v)\n")) {
		CHECK(s.x.list.n > 1);
		for (size_t i = 0; i < s.x.list.n; i++)
			CHECK(count(s.x.list.p[i].program, OP_EXP) == 1);
	}
	alts_close(&s);
}

/* Faults stay where they are: not computed elsewhere, not left out. */
static void faults(void)
{
	Alts s;

	if (alts_of(&s, "def f(x: i32[5, 8], y: i32[5, 8], t: f32[9, 4], \\\n"
			"      i: i64[6]):\n"
			"    g = gather(t, i)\n"
			"    return (x // y)[:, 1:3].T, g[2:3], \\\n"
			"        concat([g, t], axis=0)[6:7]\n")) {
		CHECK_STR(s.x.list.n > 1 ? s.x.list.p[1].rules : "", "");
		CHECK(!fired(&s, "view_of_elem"));
		CHECK(!fired(&s, "slice_of_gather"));
		CHECK(!fired(&s, "slice_of_concat"));
	}
	alts_close(&s);
}

/* What looks like an exact move of a cast and is none. */
static void casts(void)
{
	Alts s;

	if (alts_of(&s, "def f(x: f32[5, 8], i: i32[5, 8], h: i8[5, 8]):\n"
			"    return maximum(f16(x), f16(x * 2.0)), \\\n"
			"        i8(f64(i)), f32(-h), abs(f32(i)), \\\n"
			"        maximum(f64(x), 0.1)\n")) {
		CHECK(!fired(&s, "cast_chain") && !fired(&s, "cast_of_select"));
		CHECK(!fired(&s, "select_of_cast"));
		lawful(&s);
	}
	alts_close(&s);
}

/* Boundaries are merged only where all of the def asks, and nobody sees. */
static void boundaries(void)
{
	static const char *const texts[] = {
		"def f(x: f16[5, 8], w: f16[8, 9], v: f16[8, 9]):\n"
		"    return x @ w + x @ v\n",
		"@contract(reassociate)\n"
		"def f(x: f16[5, 8], w: f16[8, 9], v: f16[8, 9]):\n"
		"    p = x @ v\n"
		"    return x @ w + p, p\n",
		"@contract(reassociate)\n"
		"def f(x: i32[5, 8], w: i32[8, 9], v: i32[8, 9]):\n"
		"    p = x @ v\n"
		"    return x @ w + p, p * p\n"};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		Alts s;
		if (alts_open(&s, "t.tn", texts[i], NULL, "relaxations") &&
		    alts_make(&s)) {
			CHECK(!fired(&s, "longer_product"));
			CHECK(fired(&s, "shared_left"));
		}
		alts_close(&s);
	}
}

/* single_rounding is kept only where the author's readers are. */
static void dropped_boundary(void)
{
	Alts s;

	if (alts_of(&s, "@contract(single_rounding)\n"
			"def f(x: f16[5, 8], w: f16[8, 9], b: f16[9]):\n"
			"    return ((x @ w).T * 2.0)[:4]\n")) {
		for (size_t i = 1; i < s.x.list.n; i++) {
			const Program *q = s.x.list.p[i].program;
			for (size_t v = 0; v < q->values.n; v++)
				CHECK(q->values.p[v].op != OP_MATMUL ||
				      !(q->values.p[v].relax &
					RELAX_SINGLE_ROUNDING));
		}
		CHECK(s.x.list.n > 1);
		lawful(&s);
	}
	alts_close(&s);
}

/* ---- limits ---------------------------------------------------------- */

static const char *const three = "dims d: M = 50, N = 60\n"
				 "def f(x: f16[M, 8], w: f16[8, N], \\\n"
				 "      v: f16[8, N]):\n"
				 "    return x @ w, (x @ v) * 2.0\n";

static void cap(void)
{
	Alts s;

	if (alts_open(&s, "t.tn", three, NULL, NULL)) {
		s.o.max_bytes = 50 * 60 * 2;
		if (alts_make(&s)) {
			CHECK(s.x.pruned.n > 0 && !fired(&s, "shared_left"));
			const char *line = s.x.pruned.n ? s.x.pruned.p[0] : "";
			if (!CHECK(!strcmp(line,
					   "shared_left: matmul(%0, %15) of "
					   "f16[M, 2*N] is 12000 bytes, and "
					   "the cap is 6000")))
				printf("%s\n", line);
			CHECK(strstr(dump(&s), line));
			lawful(&s);
		}
	}
	alts_close(&s);
}

static void budget(void)
{
	Alts s;

	for (size_t nodes = 3; nodes < 30; nodes++) {
		if (alts_open(&s, "t.tn", three, NULL, NULL)) {
			s.o.nodes = nodes;
			s.o.most = 3;
			if (alts_make(&s)) {
				CHECK(s.x.nodes <= (nodes < 8 ? 8 : nodes));
				CHECK(s.x.list.n <= 3);
				CHECK(!s.x.saturated ==
				      (strstr(dump(&s), "by the budget") !=
				       NULL));
				lawful(&s);
			}
		}
		alts_close(&s);
	}
	if (alts_open(&s, "t.tn", three, NULL, NULL)) {
		s.o.rounds = 1;
		if (alts_make(&s))
			CHECK(s.x.rounds == 1 && !s.x.saturated);
	}
	alts_close(&s);
}

static void without(void)
{
	Alts s;

	if (alts_open(&s, "t.tn", three, NULL, NULL)) {
		s.o.without = "shared_left,operand_swap";
		if (alts_make(&s)) {
			CHECK(!fired(&s, "shared_left"));
			CHECK(!fired(&s, "operand_swap"));
		}
		s.o.without = "swap";
		CHECK(!rewrite_alternatives(&s.k.c->ctx, &s.arena, s.p, &s.o,
					    &s.x));
		CHECK(strstr(buf_str(&s.k.c->ctx.messages),
			     "no rule of alternatives is named `swap`"));
		CHECK(strstr(buf_str(&s.k.c->ctx.messages), "operand_swap"));
	}
	alts_close(&s);
}

/* Whichever allocation fails, all memory comes back. */
static void no_memory(void)
{
	Alts s;
	volatile long n = 1;
	volatile bool done = false;

	if (!alts_open(&s, "t.tn", three, NULL, NULL))
		return;
	for (; !done && n < 1000000; n += n < 20 ? 1 : n / 4) {
		OomTrap trap;
		Arena a;
		arena_init(&a);
		oom_fail_nth(n);
		if (!OOM_TRAP(&trap)) {
			CHECK(rewrite_alternatives(&s.k.c->ctx, &a, s.p, &s.o,
						   &s.x));
			oom_trap_pop(&trap);
			done = true;
		}
		oom_fail_nth(0);
		arena_release(&a);
	}
	CHECK(done && n > 1000);
	alts_close(&s);
}

/* The dump says what fired where, and is the same each time. */
static void dumps(void)
{
	static const char *const words[] = {
		"alternatives of f: ",
		"classes\n  %0 x: f16[M, 8]\n    input 0  # as written\n",
		"  t.tn:4:12: shared_left: %3 = matmul(%0, %1) is view(",
		"pruned by the cap\nprograms\n0: as written, work ",
		"1: ",
	};
	Alts s, t;

	if (alts_of(&s, three) && alts_of(&t, three)) {
		const char *text = dump(&s);
		CHECK_STR(dump(&t), text);
		for (size_t i = 0; i < ARRAY_LEN(words); i++)
			if (!CHECK(strstr(text, words[i])))
				printf("%s\n%s", words[i], text);
	}
	alts_close(&s);
	alts_close(&t);
}

/* ---- planted rules --------------------------------------------------- */

/* a - b is b - a. */
static void wrong_swap(Egraph *g, NodeId n)
{
	Value v = egraph_node(g, n)->v;
	ClassId args[2];

	if (v.op != OP_SUB)
		return;
	args[0] = v.args[1];
	args[1] = v.args[0];
	v.args = args;
	alternatives_say(g, n, egraph_add(g, &v, n));
}

/* A maximum that does not propagate NaN, and is right for all else. */
static void wrong_max(Egraph *g, NodeId n)
{
	Value v = egraph_node(g, n)->v, less, pick;
	ClassId args[3];

	if (v.op != OP_MAXIMUM)
		return;
	less = v;
	less.op = OP_LT;
	less.dtype = DT_BOOL;
	args[0] = egraph_add(g, &less, NO_NODE);
	args[1] = v.args[1];
	args[2] = v.args[0];
	pick = v;
	pick.op = OP_WHERE;
	pick.nargs = 3;
	pick.args = args;
	alternatives_say(g, n, egraph_add(g, &pick, NO_NODE));
}

/* Drops a boundary: f32(f16(x)) is x. */
static void wrong_cast(Egraph *g, NodeId n)
{
	Value v = egraph_node(g, n)->v;
	size_t nodes;

	if (v.op != OP_CAST)
		return;
	const NodeId *list = egraph_nodes(g, v.args[0], &nodes);
	for (size_t i = 0; i < nodes; i++) {
		Value x = egraph_node(g, list[i])->v;
		if (x.op == OP_CAST)
			alternatives_say(g, n, x.args[0]);
	}
}

static void planted(void)
{
	static const struct {
		AltRule rule;
		const char *text;
	} cases[] = {{{"wrong_swap", wrong_swap, "none", 0},
		      "def f(x: f32[5, 8], y: f32[5, 8]):\n    return x - y\n"},
		     {{"wrong_max", wrong_max, "none", 0},
		      "def f(x: f32[64, 64], y: f32[64, 64]):\n"
		      "    return maximum(x, y)\n"},
		     {{"wrong_cast", wrong_cast, "none", 0},
		      "def f(x: f32[5, 8]):\n    return f32(f16(x)) * 2.0\n"}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		Alts s;
		alternatives_planted = &cases[i].rule;
		if (alts_of(&s, cases[i].text)) {
			CHECK(fired(&s, cases[i].rule.name));
			CHECK(s.x.list.n > 1 && differ(&s) > 0);
			CHECK(strstr(dump(&s), cases[i].rule.name));
		}
		alts_close(&s);
		alternatives_planted = NULL;
	}
}

/* ---- random programs -------------------------------------------------- */

/* Alternatives of p that have not its reference, or fault where it does not. */
static int random_differ(Ctx *ctx, const Program *p, const Alternatives *x,
			 int64_t *dims, Family family)
{
	Binding b = {dims, p->ex.dims.n};
	Tensor want[64], got[64];
	Feeds none = {0};
	Fixture f;
	int bad = 0;

	if (p->results.n > ARRAY_LEN(want) ||
	    !CHECK(fixture_make(ctx, p, &b, family, 1, &none, &f)))
		return 0;
	bool runs = f.applies && oracle_reference(ctx, p, &b, &f.feeds, want);
	for (size_t i = 1; f.applies && i < x->list.n; i++) {
		const Program *q = x->list.p[i].program;
		ctx_clear_errors(ctx);
		if (names(x->list.p[i].rules, "longer_product"))
			continue;
		bool same = runs == oracle_reference(ctx, q, &b, &f.feeds, got);
		for (size_t r = 0; runs && same && r < p->results.n; r++)
			same = same_bits(&want[r], &got[r]);
		if (!same)
			printf("random: %s\n", x->list.p[i].rules);
		bad += !same;
		if (runs)
			drop(got, q->results.n);
	}
	if (runs)
		drop(want, p->results.n);
	fixture_release(&f);
	return bad;
}

static bool random_one(uint64_t seed, size_t *alts)
{
	static const Family families[] = {FAM_SEARCH, FAM_SPECIALS};
	RewritePass *const passes[] = {rewrite_constants, rewrite_relaxations,
				       rewrite_views, rewrite_cse,
				       rewrite_dead};
	int64_t dims[] = {3, 5, 2};
	Make m;
	Alternatives x;
	bool positive = false, ok = true;
	Buf why;

	make_init(&m);
	m.ctx.threads = 1;
	gen_program(&m, seed, &positive);
	Program *p = &m.p;
	for (size_t i = 0; p && i < ARRAY_LEN(passes); i++)
		p = passes[i](&m.ctx, &m.arena, p, NULL);
	AlternativeOptions o = {.most = MOST, .dims = dims};
	if (p && (ok = rewrite_alternatives(&m.ctx, &m.arena, p, &o, &x))) {
		buf_init(&why, &m.arena);
		*alts += x.list.n - 1;
		for (size_t i = 0; i < x.list.n; i++)
			ok &= program_verify(x.list.p[i].program, &why);
		for (size_t i = 0; ok && i < ARRAY_LEN(families); i++)
			ok = !random_differ(&m.ctx, p, &x, dims, families[i]);
	}
	if (!ok)
		printf("seed %llu: %s%s\n", (unsigned long long)seed,
		       buf_str(&m.ctx.messages), p ? "" : "no program");
	make_release(&m);
	return ok;
}

static void random_programs(void)
{
	size_t alts = 0;

	for (uint64_t seed = 1; seed <= (test_all() ? 5000 : 70); seed++)
		CHECK(random_one(seed, &alts));
	CHECK(alts > 50);
}

/* ---- examples -------------------------------------------------------- */

static void all_examples(void)
{
	glob_t g;
	size_t n = examples(&g);

	for (size_t i = 0; i < n; i++) {
		Alts s;
		if (alts_open(&s, g.gl_pathv[i], NULL, "inspect", NULL) &&
		    alts_make(&s)) {
			CHECK(s.x.saturated);
			lawful(&s);
			if (i % 7 == 0 || test_all())
				run_some(&s, NULL);
		}
		alts_close(&s);
	}
	globfree(&g);
}

TEST_MAIN(TEST(all_rules), TEST(rules), TEST(one_pattern), TEST(no_dear_copies),
	  TEST(faults), TEST(casts), TEST(boundaries), TEST(dropped_boundary),
	  TEST(cap), TEST(budget), TEST(without), TEST(no_memory), TEST(dumps),
	  TEST(planted), TEST(random_programs), TEST(all_examples))
