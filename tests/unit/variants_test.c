/*
 * variants_test: the plans of a program that differ in substance.
 *
 * They have other kernels, or other buffers between them: not other parameters
 * or other names. Each is made by the rule's choices, saved, loaded as `tenon
 * check --plan` does, and judged on every family by itself. And there are so
 * many legal candidates, and the ledger has every one.
 *
 *   TEST_ALL=1 judges every variant.
 *
 * tests/run: plain
 */
#include "tests/unit/tuned.h"

#include "driver/tune.h"

#define MOST 40 /* more than a space has */

/* ---- substance ------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char *sorted(Arena *a, const char **texts, size_t n)
{
	Buf b;

	qsort(texts, n, sizeof(*texts), by_text);
	buf_init(&b, a);
	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "%s ", texts[i]);
	return buf_str(&b);
}

/* `f16[1024, 768]` under the sizes set. */
static const char *type_of(Arena *a, const Program *p, ValueId v,
			   const int64_t *dims)
{
	Tensor t = {0};
	Buf b;

	CHECK(value_desc(p, v, dims, &t));
	buf_init(&b, a);
	buf_puts(&b, dtype_info[t.dtype].name);
	for (int d = 0; d < t.rank; d++)
		buf_printf(&b, "%s%lld", d ? "," : "[", (long long)t.shape[d]);
	buf_puts(&b, t.rank ? "]" : "");
	return buf_str(&b);
}

/* The ops of one kernel and the buffers it fills. */
static const char *kernel_substance(Arena *a, const Regions *r, const Region *g,
				    const int64_t *dims)
{
	const char **ops = arena_array(a, const char *, g->values.n + 1);
	const char **out = arena_array(a, const char *, g->outputs.n + 1);

	for (size_t i = 0; i < g->values.n; i++)
		ops[i] = op_info[program_value(r->program, g->values.p[i])->op]
				 .name;
	for (size_t i = 0; i < g->outputs.n; i++)
		out[i] = type_of(a, r->program, g->outputs.p[i], dims);
	return arena_printf(a, "(%s-> %s)", sorted(a, ops, g->values.n),
			    sorted(a, out, g->outputs.n));
}

static const char *substance(Arena *a, const Variant *v, const int64_t *dims)
{
	const Regions *r = v->regions;
	const char **k = arena_array(a, const char *, r->regions.n + 1);

	for (size_t i = 0; i < r->regions.n; i++)
		k[i] = kernel_substance(a, r, &r->regions.p[i], dims);
	return sorted(a, k, r->regions.n);
}

/* Variants of a space, one of each substance; the rule's is the first. */
static size_t of_each(Tune *t, uint32_t out[MOST])
{
	const Space *s = &t->space;
	const char *seen[MOST];
	size_t n = 0;

	CHECK(s->variants.n <= MOST);
	for (uint32_t v = 0; v < s->variants.n && n < MOST; v++) {
		size_t i = 0;
		seen[n] = substance(&t->arena, &s->variants.p[v], s->dims);
		while (strcmp(seen[i], seen[n]) != 0)
			i++;
		if (i == n)
			out[n++] = v;
	}
	return n;
}

/* ---- plans ----------------------------------------------------------- */

static void failing(void *arg, const TenonVerdict *v)
{
	if (v->applies && v->outcome == TENON_FAIL)
		printf("%s: %s of %s fails\n", (const char *)arg, v->result,
		       v->family);
}

/* By itself: nothing of the search is left but the file. */
static void judged(const Tuned *t, TenonPlan *made, const Variant *v)
{
	const char *file = test_path("variant.json");
	TenonOutcome outcome = TENON_NONE;
	TenonPlanInfo info;
	TenonPlan *p = NULL;

	if (!works(&t->k, tenon_plan_save(made, file), v->how) ||
	    !works(&t->k, tenon_plan_load_for(t->k.p, file, &p), v->how))
		return;
	tenon_plan_info(p, &info);
	CHECK_STR(info.identity, identity(made));
	CHECK(info.kernels == (int)v->regions->regions.n);
	if (works(&t->k,
		  tenon_check(p, NULL, 1, failing, (void *)v->how, &outcome),
		  v->how) &&
	    !CHECK(outcome == TENON_PASS))
		printf("%s: outcome %d\n", v->how, (int)outcome);
	tenon_plan_free(p);
}

/* The rule's, the next one, and the last, which the e-graph found. */
static size_t sample(uint32_t *v, size_t n)
{
	if (n <= 3 || test_all())
		return n;
	v[2] = v[n - 1];
	return 3;
}

static void judge_all(Tuned *t, Tune *u)
{
	TenonPlan *plans[MOST] = {0};
	const char *why[MOST] = {0};
	uint32_t v[MOST];
	size_t n = of_each(u, v);

	if (!CHECK(n >= 2))
		return;
	n = sample(v, n);
	for (size_t i = 0; i < n; i++) {
		Point p = space_rule(&u->space, v[i]);
		plans[i] = variants_plan(u, &p);
		if (!CHECK(plans[i] != NULL))
			return;
	}
	if (!CHECK(plans_load(t->k.c, plans, n, why)))
		return;
	for (size_t i = 0; i < n; i++) {
		const Variant *of = &u->space.variants.p[v[i]];
		if (CHECK(why[i] == NULL))
			judged(t, plans[i], of);
		for (size_t j = 0; j < i; j++)
			CHECK(strcmp(identity(plans[i]), identity(plans[j])));
	}
}

static void variants_of(const char *path)
{
	Tuned t;

	if (!begin(&t, path, NULL, "none.sqlite"))
		return;
	Tune u = {.c = t.k.c, .program = t.k.p, .o = &t.o};
	arena_init(&u.arena);
	if (works(&t.k, tenon_set_dims(t.k.p, "inspect"), "inspect") &&
	    CHECK(target_find(u.c, &u.arena, NULL, true, &u.target, &u.isa)) &&
	    CHECK(variants_make(&u)))
		judge_all(&t, &u);
	while (u.plans.n > 0)
		variants_free(&u, u.plans.p[0]);
	arena_release(&u.arena);
	case_close(&t.k);
}

static void weight_view(void)
{
	variants_of("examples/weight_view.tn");
}

static void gated_projections(void)
{
	variants_of("examples/gated_projections.tn");
}

static void projection_join(void)
{
	variants_of("examples/projection_join.tn");
}

static void two_layer(void)
{
	variants_of("examples/two_layer.tn");
}

/* ---- candidates ------------------------------------------------------ */

/* Of the rule's own kernels, as a user finds them in the ledger; rspace_test
 * and cspace_test count those of more programs and targets. */
static int64_t legal(const Tuned *t)
{
	char sql[300];

	snprintf(sql, sizeof(sql),
		 "SELECT count(*) FROM candidate c JOIN variant v ON v.id = "
		 "c.variant WHERE search = %lld AND v.how = '' AND region >= 0 "
		 "AND state <> 'refused'",
		 (long long)t->r.search);
	return ask(t->o.ledger, sql);
}

static void enough(const char *path, int64_t least)
{
	Tuned t;

	if (!begin(&t, path, NULL, "enough.sqlite"))
		return;
	t.o.policy = "rule";
	t.o.without = "all";
	if (works(&t.k, tenon_set_dims(t.k.p, "main"), "main") && tune(&t)) {
		adds_up(&t);
		if (!CHECK(legal(&t) >= least))
			printf("%s: %lld legal\n", path, (long long)legal(&t));
	}
	case_close(&t.k);
}

static void legal_candidates(void)
{
	enough("examples/weight_view.tn", 200);
	enough("examples/softmax.tn", 30);
	enough("examples/rmsnorm.tn", 30);
	enough("bench/programs/layernorm.tn", 30);
}

static void over(void)
{
	test_folder_remove();
}

TEST_MAIN(TEST(weight_view), TEST(gated_projections), TEST(projection_join),
	  TEST(two_layer), TEST(legal_candidates), TEST(over))
