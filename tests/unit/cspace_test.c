/*
 * cspace_test: what a search considers for products and attention on a CPU,
 * and what it predicts of them.
 *
 * Candidates that are legal are drawn, compiled and judged by the oracle.
 *
 *   TEST_ALL=1 draws some hundreds.
 */
#include "tests/unit/api.h"

#include <math.h>

#define DRAWS 25

/* ---- a program's regions ------------------------------------------------ */

typedef struct Space {
	Case k;
	Arena arena;
	Target target;
	Pipeline pl;
} Space;

static bool space_fill(Space *s, const char *target, const Chosen *chosen,
		       const char *stop)
{
	const Isa *isa;

	s->pl = (Pipeline){.c = s->k.c,
			   .arena = &s->arena,
			   .target = &s->target,
			   .chosen = chosen,
			   .stop_after = stop,
			   .program = s->k.p->p};
	return CHECK(target_find(s->k.c, &s->arena, target, false, &s->target,
				 &isa)) &&
	       CHECK(pipeline_run(&s->pl, STAGE_PROGRAM));
}

/* Opens an example, or a text where there is one. */
static bool space_open(Space *s, const char *path, const char *text,
		       const char *dtype)
{
	memset(s, 0, sizeof(*s));
	if (!case_open(&s->k, path, text, dtype))
		return false;
	arena_init(&s->arena);
	return space_fill(s, NULL, NULL, "partition");
}

static void space_close(Space *s)
{
	arena_release(&s->arena);
	case_close(&s->k);
}

static bool is_ours(const Regions *r, uint32_t region)
{
	RegionKind kind = r->regions.p[region].kind;

	return kind == REGION_CONTRACT || kind == REGION_ATTENTION;
}

/* The first region with a product, or -1. */
static int first_region(const Space *s)
{
	for (uint32_t i = 0; i < s->pl.regions->regions.n; i++)
		if (is_ours(s->pl.regions, i))
			return (int)i;
	return -1;
}

typedef struct List {
	Arena *a;
	VEC(Chosen) legal;
	int refused, bare; /* bare: without a reason */
} List;

static bool collect(void *arg, const Realisation *re, const Candidate *c,
		    const char *refused)
{
	List *l = arg;

	if (!c)
		return true;
	if (refused) {
		l->refused++;
		l->bare += !*refused;
		return true;
	}
	VEC_PUSH(l->a, l->legal, ((Chosen){re, *c}));
	return true;
}

static List candidates(Space *s, uint32_t region)
{
	List l = {.a = &s->arena};

	realise_candidates(&s->arena, s->pl.regions, region, &s->target, NULL,
			   0, collect, &l);
	return l;
}

static Cost cost(const Space *s, uint32_t region, const Chosen *c)
{
	return realise_cost(s->pl.regions, region, &s->target, c, s->k.p->dims);
}

/* ---- how many ----------------------------------------------------------- */

static size_t legal_of(const char *path, const char *text, const char *dtype)
{
	Space s;
	size_t n = 0;

	if (space_open(&s, path, text, dtype) && CHECK(first_region(&s) >= 0)) {
		List l = candidates(&s, (uint32_t)first_region(&s));
		n = l.legal.n;
		CHECK(l.bare == 0);
	}
	space_close(&s);
	return n;
}

static const char view_fixed[] =
	"def f(x: f32[1024, 768], wt: f32[1024, 768], b: f32[1024]):\n"
	"    return x @ wt.T + b\n";

static void numbers(void)
{
	size_t named = legal_of("examples/weight_view.tn", NULL, "f32");
	size_t fixed = legal_of("fixed", view_fixed, NULL);
	size_t half = legal_of("examples/weight_view.tn", NULL, NULL);
	size_t small = legal_of("small",
				"def f(x: f32[8, 16], w: f32[16, 24]):\n"
				"    return x @ w\n",
				NULL);

	size_t along = legal_of("along",
				"def f(x: f32[999, 768], w: f32[768, 1000]):\n"
				"    return x @ w\n",
				NULL);

	CHECK(along >= 200 && along <= 2100);
	CHECK(named >= 200 && named <= 2100);
	CHECK(fixed >= 200 && fixed <= 2100);
	CHECK(half >= 200 && half <= 2100);
	CHECK(small >= 2 && small <= 100);
	CHECK(legal_of("examples/attention.tn", NULL, "f32") >= 100);
	CHECK(legal_of("examples/gated_projections.tn", NULL, "f32") >= 200);
}

/* ---- cost --------------------------------------------------------------- */

static bool is_cost(const Cost *c)
{
	double both = fmax(c->compute, c->memory);

	return isfinite(c->us) && c->us > 0 && c->compute >= 0 &&
	       c->memory >= 0 && c->move >= 0 && c->start >= 0 &&
	       fabs(c->us - both - c->move - c->start) <= 1e-9 * c->us;
}

static void every_example(void)
{
	glob_t g;
	size_t n = examples(&g);

	for (size_t i = 0; i < n; i++) {
		Space s;
		if (!space_open(&s, g.gl_pathv[i], NULL, NULL))
			continue;
		if (CHECK(tenon_set_dims(s.k.p, "main") == TENON_OK))
			for (uint32_t r = 0; r < s.pl.regions->regions.n; r++) {
				if (!is_ours(s.pl.regions, r))
					continue;
				List l = candidates(&s, r);
				Cost c = cost(&s, r, &l.legal.p[0]);
				if (!CHECK(is_cost(&c)))
					printf("%s: %g us\n", g.gl_pathv[i],
					       c.us);
			}
		space_close(&s);
	}
	globfree(&g);
}

/* Units and vectors of every set, whether it runs here or not. */
static void every_target(void)
{
	static const char *const types[] = {"f32", "f16", "bf16", "i8"};

	for (size_t t = 0; t < isa_count * ARRAY_LEN(types); t++) {
		char name[40], text[200];
		const char *type = types[t % ARRAY_LEN(types)];
		Space s;
		int bad = 0;
		snprintf(name, sizeof(name), "cpu:%s",
			 isa_table[t / ARRAY_LEN(types)].name);
		snprintf(text, sizeof(text),
			 "def f(x: %s[200, 300], w: %s[300, 100]):\n"
			 "    return x @ w\n",
			 type, type);
		if (space_open(&s, "t", text, NULL) &&
		    space_fill(&s, name, NULL, "partition")) {
			List l = candidates(&s, 0);
			for (size_t i = 0; i < l.legal.n; i++) {
				Cost c = cost(&s, 0, &l.legal.p[i]);
				bad += !is_cost(&c);
			}
			CHECK(l.legal.n >= 100 && l.legal.n <= 2100);
		}
		if (!CHECK(bad == 0))
			printf("%s %s: %d costs\n", name, type, bad);
		space_close(&s);
	}
}

static void set_dims(Space *s, int64_t m, int64_t n, int64_t k)
{
	CHECK(tenon_set_dim(s->k.p, "M", m) == TENON_OK);
	CHECK(tenon_set_dim(s->k.p, "N", n) == TENON_OK);
	CHECK(tenon_set_dim(s->k.p, "K", k) == TENON_OK);
}

/* Every candidate takes longer for four times the rows, columns or K. */
static void grows(void)
{
	static const int64_t sizes[][3] = {
		{1, 1, 1}, {64, 64, 64}, {300, 300, 300}};
	Space s;

	if (!space_open(&s, "examples/weight_view.tn", NULL, "f32"))
		return;
	uint32_t region = (uint32_t)first_region(&s);
	List l = candidates(&s, region);
	int bad = 0;
	for (size_t i = 0; i < l.legal.n; i++)
		for (size_t j = 0; j < ARRAY_LEN(sizes); j++)
			for (int d = 0; d < 3; d++) {
				int64_t at[3];
				memcpy(at, sizes[j], sizeof(at));
				set_dims(&s, at[0], at[1], at[2]);
				Cost a = cost(&s, region, &l.legal.p[i]);
				at[d] *= 20;
				set_dims(&s, at[0], at[1], at[2]);
				Cost b = cost(&s, region, &l.legal.p[i]);
				bad += !is_cost(&a) || !is_cost(&b) ||
				       b.us < a.us;
			}
	CHECK(bad == 0);
	set_dims(&s, 0, 16, 0);
	Cost none = cost(&s, region, &l.legal.p[0]);
	CHECK(is_cost(&none));
	space_close(&s);
}

/* Of view_fixed, packed in tasks. */
static double predicted(int mr, int nr, int mb)
{
	Space s;
	Chosen c;
	char text[200];
	double us = -1;

	snprintf(text, sizeof(text),
		 "contract mr=%d nr=%d lanes=16 mb=%d nb=32 kc=192 a=1 b=1 "
		 "unit=0 ahead=1 turned=0",
		 mr, nr, mb);
	if (space_open(&s, "t", view_fixed, NULL) &&
	    CHECK(chosen_parse(&s.target, text, &c)))
		us = cost(&s, (uint32_t)first_region(&s), &c).us;
	space_close(&s);
	return us;
}

/* What every machine shows: tiles that fill the registers are better than those
 * that do not, packing B anew for each row of tiles is worse than for many. */
static void orders(void)
{
	double good = predicted(14, 32, 25);

	CHECK(good > 0);
	CHECK(good < predicted(2, 16, 25));
	CHECK(good < predicted(14, 32, 1));
}

/* ---- legal candidates are right ----------------------------------------- */

/* Of x[M, K], w and v[K, N], y[N, K]. */
static const char *const bodies[] = {
	"x @ w",
	"relu(x @ (w * 2)) + 1",
	"x @ y.T + 1",
	"(x.T).T @ where(w > 0, w, 1)",
	"(x @ w) * sigmoid(x @ v)",
	"relu(x @ w) @ y",
	"softmax(x @ y.T, axis=-1) @ y",
	"y @ x.T",
};
static const char *const dtypes[] = {"f32", "f16", "bf16", "f64", "i8"};
static const int sizes[] = {1, 2, 16, 31, 32, 37, 64, 97, 130};

static uint64_t state = 88172645463325252u;

static size_t below(size_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (size_t)(state % n);
}

/* The plan of the kernels that are made by what is chosen: through their text,
 * which is judged as a program of its own. */
static bool compile_chosen(Space *s, const Chosen *chosen, TenonProgram **p,
			   TenonPlan **plan)
{
	const char *path = test_path("kernels");
	Buf text;

	if (!space_fill(s, NULL, chosen, NULL))
		return false;
	buf_init(&text, &s->arena);
	kernels_print(s->pl.kernels, &text);
	FILE *f = fopen(path, "w");
	if (!CHECK(f != NULL))
		return false;
	fputs(buf_str(&text), f);
	CHECK(fclose(f) == 0);
	return works(&s->k,
		     tenon_resume(s->k.c, "kernels", path, NULL, p, plan),
		     "kernels");
}

static void tell(void *arg, const TenonVerdict *v)
{
	(void)arg;
	if (v->applies && v->outcome == TENON_FAIL)
		printf("%s: %s is wrong in %lld elements, %lld out of bounds: "
		       "[%lld] is %.17g, not %.17g\n",
		       v->family, v->result, (long long)v->mismatches,
		       (long long)v->violations, (long long)v->worst, v->got,
		       v->ref);
}

static void check_chosen(Space *s, const Chosen *chosen, const int *mnk)
{
	TenonProgram *p = NULL;
	TenonPlan *plan = NULL;
	TenonOutcome out = TENON_FAIL;
	static const char *const names[] = {"M", "N", "K"};

	if (compile_chosen(s, chosen, &p, &plan)) {
		for (int i = 0; i < 3; i++) /* that the program has */
			tenon_set_dim(p, names[i], mnk[i]);
		CHECK(works(&s->k, tenon_check(plan, NULL, 1, tell, NULL, &out),
			    "check"));
		CHECK(out == TENON_PASS || out == TENON_INCONCLUSIVE);
	}
	tenon_plan_free(plan);
	tenon_program_free(p);
}

/* Sizes as numbers, or as names. */
static const char *program_text(Arena *a, const char *body, const char *dtype,
				const int *mnk, bool fixed)
{
	char m[12] = "M", n[12] = "N", k[12] = "K";

	if (fixed) {
		snprintf(m, sizeof(m), "%d", mnk[0]);
		snprintf(n, sizeof(n), "%d", mnk[1]);
		snprintf(k, sizeof(k), "%d", mnk[2]);
	}
	return arena_printf(a,
			    "def f(x: %s[%s, %s], w: %s[%s, %s], "
			    "v: %s[%s, %s], y: %s[%s, %s]):\n"
			    "    return %s\n",
			    dtype, m, k, dtype, k, n, dtype, k, n, dtype, n, k,
			    body);
}

static bool is_integer(const char *dtype, const char *body)
{
	return dtype[0] == 'i' &&
	       (strstr(body, "sigmoid") || strstr(body, "softmax"));
}

/* One candidate of one program; its region's others are by the rule. */
static bool draw(Arena *a, int number)
{
	const char *body = bodies[(size_t)number % ARRAY_LEN(bodies)];
	const char *dtype = dtypes[below(ARRAY_LEN(dtypes))];
	int mnk[3];
	Space s;

	for (int i = 0; i < 3; i++)
		mnk[i] = sizes[below(ARRAY_LEN(sizes))];
	if (below(8) == 0)
		mnk[2] = 0;
	bool fixed = below(2);
	if (is_integer(dtype, body))
		dtype = "f32";
	const char *text = program_text(a, body, dtype, mnk, fixed);
	bool ok = space_open(&s, "drawn", text, NULL);
	uint32_t region = 0;
	for (uint32_t i = 0; ok && i < s.pl.regions->regions.n; i++)
		if (is_ours(s.pl.regions, i) && (!region || below(2)))
			region = i + 1;
	if (ok && region) {
		List l = candidates(&s, region - 1);
		Chosen *all =
			arena_array(&s.arena, Chosen, s.pl.regions->regions.n);
		all[region - 1] = l.legal.p[below(l.legal.n)];
		Buf b;
		buf_init(&b, a);
		chosen_print(&b, &all[region - 1]);
		int before = test_bad;
		check_chosen(&s, all, mnk);
		if (test_bad > before)
			printf("%sM=%d N=%d K=%d: %s\n", text, mnk[0], mnk[1],
			       mnk[2], buf_str(&b));
	}
	space_close(&s);
	return ok;
}

static void draws(void)
{
	Arena a;
	int n = test_all() ? 20 * DRAWS : DRAWS;

	arena_init(&a);
	for (int i = 0; i < n; i++)
		CHECK(draw(&a, i));
	arena_release(&a);
	test_folder_remove();
}

TEST_MAIN(TEST(numbers), TEST(every_example), TEST(every_target), TEST(grows),
	  TEST(orders), TEST(draws))
