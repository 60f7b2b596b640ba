/* expr: canonical form, evaluation, text, and that proofs are true. */
#include "ir/expr.h"
#include "test.h"

#include <stdint.h>
#include <stdlib.h>

static Arena arena;
static ExprTab tab;

static void fresh(void)
{
	arena_release(&arena);
	arena_init(&arena);
	expr_init(&tab, &arena);
}

/* An expression from its text; names are declared as they come. */
static Ex ex(const char *s)
{
	Ex e = 0;
	const char *at = s, *error = ex_parse(&tab, &at, true, &e);
	if (error || *at) {
		printf("%s: %s at `%s`\n", s, error ? error : "left over", at);
		CHECK(false);
	}
	return e;
}

static const char *text(Ex e)
{
	Buf b;
	buf_init(&b, &arena);
	ex_print(&b, &tab, e);
	return buf_str(&b);
}

static const char *c_text(Ex e)
{
	Buf b;
	buf_init(&b, &arena);
	ex_print_c(&b, &tab, e, NULL);
	return buf_str(&b);
}

static void canonical(void)
{
	fresh();
	Ex a = ex("A"), b = ex("B"), m = ex("M"), n = ex("N");
	CHECK(ex_sub(&tab, ex_add(&tab, a, b), b) == a);
	CHECK(ex("2*M*N") == ex("N*M*2"));
	CHECK(ex("(M + N)*(M - N)") == ex("M*M - N*N"));
	CHECK(ex("M - M") == ex_const(&tab, 0));
	CHECK(ex("0") == 0 && ex("1") == 1);
	CHECK(ex("M*N//N") == m && ex("M*N%N") == 0);
	CHECK(ex("(M*M - N*N)//(M + N)") == ex("M - N"));
	CHECK(ex("-7//2") == ex("-4") && ex("-7%2") == 1);
	CHECK(ex("7//-2") == ex("-4") && ex("7%-2") == ex("-1"));
	CHECK(ex("M//1") == m && ex("M%1") == 0);
	CHECK(ex("(6*M + N)//3") == ex("2*M + N//3"));
	CHECK(ex("(6*M + N)%3") == ex("N%3"));
	CHECK(ex("(M - 1)//14 + 1") == ex("(M + 13)//14"));
	CHECK(ex_ceil_div(&tab, m, ex_const(&tab, 14)) == ex("(M + 13)//14"));
	CHECK(ex("(2*M + 5)//6") == ex("(M + 2)//3"));
	CHECK(ex("(2*M + 4)%6") == ex("2*((M + 2)%3)"));
	CHECK(ex("M//3//5") == ex("M//15"));
	CHECK(ex("(M//3 + 2)//5") == ex("(M + 6)//15"));
	CHECK(ex("M%12%4") == ex("M%4") && ex("M%4//5") == 0);
	CHECK(ex("(M%3 + 1)//4") == 0 && ex("(M%3 + 2)//4") != 0);
	CHECK(ex("(i0*N + i1)//N") == ex("i0 + i1//N"));
	CHECK(ex("(i0*N + i1)%N") == ex("i1%N"));
	CHECK(ex("min(M, N)") == ex("min(N, M)") && ex("min(M, M)") == m);
	CHECK(ex("min(M, M + 3)") == m && ex("max(M, M + 3)") == ex("M + 3"));
	CHECK(ex("min(min(M, N), N)") == ex("min(N, M)"));
	CHECK(ex("min(3, 4)") == ex("3") && ex("max(3, 4)") == ex("4"));
	Ex p;
	CHECK(ex_divide(&tab, ex("6*M*N"), ex("2*N"), &p) && p == ex("3*M"));
	CHECK(!ex_divide(&tab, ex("6*M*N"), ex("4*N"), &p));
	CHECK(!ex_divide(&tab, m, n, &p) && !ex_divide(&tab, m, 0, &p));
	CHECK(!tab.overflow);
}

static void overflow(void)
{
	fresh();
	Ex big = ex_const(&tab, INT64_MAX);
	ex_add(&tab, big, 1);
	CHECK(tab.overflow);
	tab.overflow = false;
	ex_mul(&tab, big, ex_mul(&tab, ex("M"), ex("2")));
	CHECK(tab.overflow);
	tab.overflow = false;
	ex_div(&tab, ex("M"), 0);
	CHECK(tab.overflow);
	tab.overflow = false;
	Ex least = ex_const(&tab, INT64_MIN);
	ex_div(&tab, least, ex_const(&tab, -1));
	CHECK(tab.overflow);
	tab.overflow = false;
	CHECK(ex(text(least)) == least);
	Ex e = ex_mul(&tab, least, ex("M"));
	CHECK(ex(text(ex_add(&tab, e, ex("N")))) == ex_add(&tab, e, ex("N")));
	/* growth is bounded in terms, degree and size */
	e = ex("A + B + C + D + E + F");
	for (int i = 0; i < 40; i++)
		e = ex_mul(&tab, e, ex("A + B + C + D + E + F"));
	CHECK(tab.overflow);
	tab.overflow = false;
	e = ex("M");
	for (int i = 0; i < 5000; i++)
		e = ex_div(&tab, ex_add(&tab, e, e), ex("N"));
	CHECK(tab.overflow);
}

static void evaluation(void)
{
	fresh();
	Ex e = ex("(i0*N + i1 + M)//7 - min(M, 3*N)%5");
	int64_t dims[2], axes[2] = {4, 5}, v;
	/* N came first */
	dims[0] = 10;
	dims[1] = 11;
	CHECK(ex_eval(&tab, e, dims, axes) == (40 + 5 + 11) / 7 - 1);
	CHECK(ex_eval_checked(&tab, ex("M//N"), (int64_t[]){10, 31}, NULL,
			      &v) &&
	      v == 3);
	CHECK(!ex_eval_checked(&tab, ex("M//N"), (int64_t[]){0, 31}, NULL, &v));
	CHECK(!ex_eval_checked(&tab, ex("M*N"), (int64_t[]){INT64_MAX / 2, 3},
			       NULL, &v));
	CHECK(ex_uses_axis(&tab, e, 1) && !ex_uses_axis(&tab, e, 2));
	CHECK(ex_uses_any_axis(&tab, e) && !ex_uses_any_axis(&tab, ex("M%N")));
	Ex with[2] = {ex("i1"), ex("i0 + 1")};
	CHECK(ex_subst_axes(&tab, ex("2*i0 + i1//3 + i2"), with, 2) ==
	      ex("2*i1 + (i0 + 1)//3 + i2"));
	ExprTab other;
	expr_init(&other, &arena);
	ex_dim(&other, "M", LOC_NONE);
	Buf b;
	buf_init(&b, &arena);
	ex_print(&b, &other, ex_copy(&other, &tab, e));
	CHECK_STR(buf_str(&b), text(e));
	CHECK(other.dims.n == 2);
}

static void printing(void)
{
	fresh();
	CHECK_STR(text(ex("1 + M*2")), "2*M + 1");
	CHECK_STR(text(ex("(i0 + 3)//4")), "(i0 + 3)//4");
	CHECK_STR(text(ex("min(8, M)")), "min(M, 8)");
	CHECK_STR(text(ex("-M + N")), "N - M");
	CHECK_STR(text(ex("-M - 3")), "-M - 3");
	CHECK_STR(text(ex("3*(M//4)*N")), "3*N*(M//4)");
	CHECK_STR(text(ex("N - M//4")), "N - M//4");
	CHECK_STR(text(ex("-(M//4)")), "-(M//4)");
	CHECK_STR(text(ex("M//(N*2)")), "M//(2*N)");
	CHECK_STR(text(ex("M//(N//2)")), "M//(N//2)");
	CHECK_STR(text(ex("M%(N%2 + 1)")), "M%(N%2 + 1)");
	CHECK_STR(text(ex("-3")), "-3");
	CHECK_STR(c_text(ex("M*2 + 1")), "(2*d_M + 1)");
	CHECK_STR(c_text(ex("(i0 + 3)//4")), "((i0 + 3)/4)");
	CHECK_STR(c_text(ex("(i0 - 3)//M")), "tn_div(i0 - 3, d_M)");
	CHECK_STR(c_text(ex("i0%M")), "tn_mod(i0, d_M)");
	tab.dims.p[0].lo = 1;
	CHECK_STR(c_text(ex("i0%M")), "(i0 % d_M)");
	CHECK_STR(c_text(ex("2*(i0%3)")), "(2*(i0 % 3))");
	CHECK_STR(c_text(ex("i0//N%3")), "(tn_div(i0, d_N) % 3)");
	CHECK_STR(c_text(ex("i0//3%7")), "((i0/3) % 7)");
	CHECK_STR(c_text(ex("min(M, 70000)")), "tn_min(d_M, 70000LL)");
	CHECK_STR(c_text(ex("7")), "7");
	CHECK_STR(c_text(ex("-7")), "(-7)");
}

static void parse_errors(void)
{
	fresh();
	static const char *const bad[] = {
		"",       "M +",       "M //", "(M",
		"min(M)", "min(M, N",  "M//0", "M%(N-N)",
		"2M",     "i12345678", "1/",   "99999999999999999999",
		"*M",     ")",
	};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		Ex e;
		const char *s = bad[i];
		bool ok = ex_parse(&tab, &s, true, &e) == NULL && *s == '\0';
		CHECK(!ok);
	}
	char deep[400];
	memset(deep, '(', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	const char *s = deep;
	Ex e;
	CHECK(ex_parse(&tab, &s, true, &e) != NULL);
	s = "Q";
	CHECK(ex_parse(&tab, &s, false, &e) != NULL);
	s = "M - 3, N";
	CHECK(ex_parse(&tab, &s, true, &e) == NULL);
	CHECK_STR(s, ", N");
}

/* ---- proofs ---------------------------------------------------------- */

static ExFacts facts;

static void no_facts(void)
{
	facts = (ExFacts){0};
}

static void range(int64_t axis, const char *extent)
{
	ExRange r = {axis, ex(extent)};
	VEC_PUSH(&arena, facts.ranges, r);
}

static void fact(const char *s)
{
	Ex e = ex(s);
	VEC_PUSH(&arena, facts.facts, e);
}

static bool proves(const char *s)
{
	return ex_prove_nonneg(&tab, &facts, ex(s));
}

static void blocks(void)
{
	fresh();
	no_facts();
	range(0, "(M + 13)//14");
	range(1, "min(14, M - 14*i0)");
	CHECK(proves("M - 1 - (14*i0 + i1)"));
	CHECK(proves("14*i0 + i1"));
	CHECK(!proves("M - 2 - (14*i0 + i1)"));
	CHECK(!proves("14*i0 + i1 - 1"));
	range(2, "(K + 511)//512");
	range(3, "min(512, K - 512*i2)");
	CHECK(proves("K - 1 - 512*i2 - i3"));
	CHECK(proves("M*K - 1 - (14*i0 + i1)*K - 512*i2 - i3"));
	CHECK(!proves("M*K - 2 - (14*i0 + i1)*K - 512*i2 - i3"));
	CHECK(proves("512*((K + 511)//512) - K"));
	CHECK(proves("K + 511 - 512*((K + 511)//512)"));
}

static void task_numbers(void)
{
	fresh();
	no_facts();
	range(0, "((M + 13)//14)*((N + 31)//32)");
	CHECK(proves("(M + 13)//14 - 1 - i0//((N + 31)//32)"));
	CHECK(proves("i0//((N + 31)//32)"));
	CHECK(proves("(N + 31)//32 - 1 - i0%((N + 31)//32)"));
	CHECK(proves("i0%((N + 31)//32)"));
	CHECK(!proves("(M + 13)//14 - 2 - i0//((N + 31)//32)"));
	CHECK(!proves("(N + 31)//32 - 2 - i0%((N + 31)//32)"));
	/* rows of the block, and columns by the remainder */
	range(1, "min(14, M - 14*(i0//((N + 31)//32)))");
	CHECK(proves("M - 1 - 14*(i0//((N + 31)//32)) - i1"));
	range(2, "min(32, N - 32*(i0%((N + 31)//32)))");
	CHECK(proves("N - 1 - 32*(i0%((N + 31)//32)) - i2"));
}

static void reshapes(void)
{
	fresh();
	no_facts();
	range(0, "M*N");
	CHECK(proves("M - 1 - i0//N") && proves("i0//N"));
	CHECK(proves("N - 1 - i0%N") && proves("i0%N"));
	CHECK(!proves("M - 2 - i0//N") && !proves("N - 2 - i0%N"));
	no_facts();
	range(0, "M");
	range(1, "N");
	range(2, "8");
	CHECK(proves("8*M*N - 1 - (i0*N*8 + i1*8 + i2)"));
	CHECK(!proves("8*M*N - 2 - (i0*N*8 + i1*8 + i2)"));
	CHECK(ex_simplify(&tab, &facts, ex("(i0*N + i1)//N")) == ex("i0"));
	CHECK(ex_simplify(&tab, &facts, ex("(i0*N + i1)%N")) == ex("i1"));
	CHECK(ex_simplify(&tab, &facts, ex("(i0*24 + i2)//8")) == ex("3*i0"));
	CHECK(ex_simplify(&tab, &facts, ex("min(i0, M)")) == ex("i0"));
	CHECK(ex_simplify(&tab, &facts, ex("max(M - 1 - i0, 0)")) ==
	      ex("M - 1 - i0"));
	CHECK(ex_simplify(&tab, &facts, ex("N*(i0//N) + i0%N")) == ex("i0"));
	CHECK(ex_simplify(&tab, &facts, ex("i0%N")) == ex("i0%N"));
	CHECK(ex_simplify(&tab, &facts, ex("2*min(i0//N, M + i1)*K")) ==
	      ex("2*(i0//N)*K"));
}

static void guards(void)
{
	fresh();
	no_facts();
	range(0, "(M + 13)//14");
	range(1, "14");
	CHECK(!proves("M - 1 - (14*i0 + i1)"));
	fact("M - 1 - (i0*14 + i1)");
	CHECK(proves("M - 1 - (14*i0 + i1)"));
	range(2, "N");
	CHECK(proves("M*N - 1 - (14*i0 + i1)*N - i2"));
	no_facts();
	range(0, "K");
	CHECK(proves("K - 1 - i0") && proves("K - 1 - (K - 1 - i0)"));
	no_facts();
	range(0, "A + B");
	CHECK(!proves("i0 - A"));
	fact("i0 - A");
	CHECK(proves("i0 - A") && proves("B - 1 - (i0 - A)"));
	CHECK(!proves("B - 2 - (i0 - A)"));
	/* an axis outside every loop, and dims with bounds of their own */
	no_facts();
	CHECK(!proves("i7") && !proves("M - 1"));
	tab.dims.p[0].lo = 3;
	tab.dims.p[0].hi = 9;
	CHECK(proves("M - 3") && !proves("M - 4"));
	CHECK(proves("9 - M") && !proves("8 - M"));
	CHECK(proves("M*M - 9") && proves("M*N - 3*N"));
}

/* Accesses as kernels make them, each with one that is out by one. */
static void kernel_accesses(void)
{
	fresh();
	no_facts();
	range(0, "(M + 95)//96");
	range(1, "(min(96, M - 96*i0) + 5)//6");
	range(2, "min(6, min(96, M - 96*i0) - 6*i1)");
	CHECK(proves("M - 1 - (96*i0 + 6*i1 + i2)"));
	CHECK(!proves("M - 2 - (96*i0 + 6*i1 + i2)"));
	no_facts();
	range(0, "(N + 15)//16");
	range(1, "K");
	range(2, "16");
	CHECK(proves("16*K*((N + 15)//16) - 1 - (16*K*i0 + 16*i1 + i2)"));
	CHECK(!proves("16*K*((N + 15)//16) - 2 - (16*K*i0 + 16*i1 + i2)"));
	no_facts();
	range(0, "K//16");
	range(1, "16");
	CHECK(proves("K - 1 - 16*i0 - i1") && !proves("K - 17 - 16*i0"));
	no_facts();
	range(0, "K%16");
	CHECK(proves("K - 1 - (16*(K//16) + i0)"));
	CHECK(!proves("K - 2 - (16*(K//16) + i0)"));
	no_facts();
	range(0, "B*M*N");
	CHECK(proves("B - 1 - i0//(M*N)") && proves("M - 1 - i0//N%M"));
	CHECK(proves("M - 1 - i0%(M*N)//N") && !proves("M - 2 - i0//N%M"));
	no_facts();
	range(0, "max(K, 1)");
	CHECK(!proves("K - 1 - i0"));
	fact("K - 1");
	CHECK(proves("K - 1 - i0"));
	/* a convolution's window, and a share of a worker */
	no_facts();
	range(0, "(H + 2*P - R)//S + 1");
	range(1, "R");
	fact("S*i0 + i1 - P");
	CHECK(!proves("H - 1 - (S*i0 + i1 - P)"));
	fact("H + P - 1 - S*i0 - i1");
	CHECK(proves("H - 1 - (S*i0 + i1 - P)"));
	no_facts();
	range(0, "W");
	range(1, "(T*(i0 + 1))//W - (T*i0)//W");
	CHECK(proves("T - 1 - ((T*i0)//W + i1)"));
	CHECK(!proves("T - 2 - ((T*i0)//W + i1)"));
}

/* ---- proofs under random bindings ------------------------------------ */

static uint64_t state = 12345;

static int64_t draw(int64_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (int64_t)((state >> 33) % (uint64_t)n);
}

static Ex random_ex(int depth, int axes)
{
	Ex e = ex_const(&tab, draw(9) - 3);
	int64_t kind = depth ? draw(9) : draw(3);
	if (kind == 0)
		return e;
	if (kind == 1)
		return ex_dim(&tab, draw(2) ? "M" : "N", LOC_NONE);
	if (kind == 2)
		return axes ? ex_axis(&tab, draw(axes)) : e;
	Ex a = random_ex(depth - 1, axes), b = random_ex(depth - 1, axes);
	if (kind == 3)
		return ex_add(&tab, a, b);
	if (kind == 4)
		return ex_sub(&tab, a, b);
	if (kind == 5)
		return ex_mul(&tab, a, b);
	if (kind == 6)
		return draw(2) ? ex_min(&tab, a, b) : ex_max(&tab, a, b);
	Ex d = draw(2) ? b : ex_const(&tab, 1 + draw(5));
	d = d ? d : ex_const(&tab, 2);
	return kind == 7 ? ex_div(&tab, a, d) : ex_mod(&tab, a, d);
}

typedef struct Trial {
	int64_t dims[2], axes[3];
	int naxes;
	Ex proved, from, simple; /* proved: const 1 if nothing was */
	long points, broken;
} Trial;

static void visit(Trial *r, int axis)
{
	int64_t n, v, w;
	if (axis < r->naxes) {
		if (!ex_eval_checked(&tab, facts.ranges.p[axis].extent, r->dims,
				     r->axes, &n))
			return;
		for (int64_t i = 0; i < n && i < 12; i++) {
			/* both ends of a long range */
			r->axes[axis] = i < 6 ? i : n - 1 - (i - 6);
			if (r->axes[axis] >= 0)
				visit(r, axis + 1);
		}
		return;
	}
	for (size_t i = 0; i < facts.facts.n; i++)
		if (!ex_eval_checked(&tab, facts.facts.p[i], r->dims, r->axes,
				     &v) ||
		    v < 0)
			return;
	r->points++;
	if (ex_eval_checked(&tab, r->proved, r->dims, r->axes, &v) && v < 0)
		r->broken++;
	if (ex_eval_checked(&tab, r->from, r->dims, r->axes, &v) &&
	    ex_eval_checked(&tab, r->simple, r->dims, r->axes, &w) && v != w)
		r->broken++;
}

/* What is proved, or said to be equal, holds wherever the facts do. */
static void proofs_are_true(void)
{
	long proved = 0, simpler = 0, points = 0, round_trips = 0;
	for (int i = 0; i < 6000; i++) {
		if (i % 50 == 0)
			fresh();
		no_facts();
		ex_dim(&tab, "M", LOC_NONE);
		ex_dim(&tab, "N", LOC_NONE);
		Trial r = {.naxes = (int)draw(4)};
		for (int k = 0; k < 2; k++) {
			tab.dims.p[k].lo = draw(3);
			tab.dims.p[k].hi = tab.dims.p[k].lo + draw(9);
		}
		for (int k = 0; k < r.naxes; k++) {
			ExRange x = {k, random_ex(2, k)};
			VEC_PUSH(&arena, facts.ranges, x);
		}
		for (int64_t k = draw(3); k > 0; k--) {
			Ex f = random_ex(2, r.naxes);
			VEC_PUSH(&arena, facts.facts, f);
		}
		r.from = random_ex(4, r.naxes);
		tab.overflow = false;
		CHECK(ex(text(r.from)) == r.from);
		round_trips++;
		r.simple = ex_simplify(&tab, &facts, r.from);
		bool ok = ex_prove_nonneg(&tab, &facts, r.from);
		r.proved = ok ? r.from : 1;
		proved += ok;
		simpler += r.simple != r.from;
		for (int64_t m = tab.dims.p[0].lo; m <= tab.dims.p[0].hi; m++)
			for (int64_t n = tab.dims.p[1].lo;
			     n <= tab.dims.p[1].hi; n++) {
				r.dims[0] = m;
				r.dims[1] = n;
				visit(&r, 0);
			}
		points += r.points;
		if (r.broken) {
			printf("false: %s >= 0 (%s), simplified to %s\n",
			       text(r.from), ok ? "proved" : "not proved",
			       text(r.simple));
			for (int k = 0; k < r.naxes; k++)
				printf("  i%d: %s\n", k,
				       text(facts.ranges.p[k].extent));
			for (size_t k = 0; k < facts.facts.n; k++)
				printf("  fact %s\n", text(facts.facts.p[k]));
		}
		if (!CHECK(r.broken == 0))
			break;
	}
	/* the generator must give the prover something to do */
	CHECK(proved > 200 && simpler > 200 && points > 10000);
	CHECK(round_trips > 1000);
}

TEST_MAIN(TEST(canonical), TEST(overflow), TEST(evaluation), TEST(printing),
	  TEST(parse_errors), TEST(blocks), TEST(task_numbers), TEST(reshapes),
	  TEST(guards), TEST(kernel_accesses), TEST(proofs_are_true))
