/*
 * expr_prove: showing that an expression is never negative, and what
 * follows from that.
 *
 * The goal e >= 0 is replaced by goals that imply it, until one is plain.
 * At any one point that the facts allow, all of these hold:
 *
 *   bounds   e = A*x + B is linear in an atom x with lo <= x <= hi, so it is
 *            at least the smaller of A*lo + B and A*hi + B; with the sign of
 *            A known, one of them is enough. An axis has the bounds 0 and
 *            extent - 1, a dim its own, a % b those 0 and b - 1.
 *   floor    q = a//b with b >= 1 has a - b + 1 <= b*q <= a. So b*e is
 *            bounded as above, and since e is an integer, b*e + b - 1 >= 0
 *            is enough for e >= 0. Where q is known to be at most a constant,
 *            that is tried first.
 *   tighten  g*e + c >= 0 with a constant g >= 1 is e + c//g >= 0.
 *   choice   min(a, b) is one of a and b, and no more than either.
 *   factor   e = m*d with m >= 0: d >= 0 is enough.
 *   fact     f >= 0 is given: s*e + s - 1 - m*f >= 0 with m >= 0 and a
 *            constant s >= 1 is enough.
 *
 * Atoms go from the innermost axis outward, an atom before what its bounds
 * name. Inside a loop its range is not empty, so that extent - 1 is a fact.
 * The search is bounded by a count of goals, in rounds that may use more and
 * more facts; giving up is always allowed. It works on a table of its own,
 * emptied after each proof, so that failed goals cost no memory.
 */
#include "ir/expr.h"

#include "ir/internal.h"

#define MAX_GOALS     120  /* a round, where a proof is needed */
#define LAST_GOALS    1500 /* and once more, before it is refused */
#define FEW_GOALS     40   /* where it would be welcome */
#define MAX_DEPTH     24
#define MAX_FACTS     64
#define MAX_FACT_USES 2
#define MEMO          128 /* a power of two */

typedef struct Failed {
	Ex e;
	uint32_t facts; /* which facts held */
	int depth, uses;
} Failed;

typedef struct Proof {
	ExprTab *t;
	const ExFacts *f;
	Ex facts[MAX_FACTS];
	size_t nfacts;
	uint32_t facts_key;
	int goals; /* that may still be tried */
	int depth;
	int uses;    /* of facts still allowed on this path */
	bool absurd; /* the facts say that control never gets here */
	Failed failed[MEMO];
} Proof;

static bool prove(Proof *p, Ex e);

/*
 * False if an expression made since the last question overflowed; asked
 * before anything else is proved, for a proof clears the mark as well.
 */
static bool is_whole(ExprTab *t)
{
	bool ok = !t->overflow;
	t->overflow = false;
	return ok;
}

/* ---- small steps ----------------------------------------------------- */

/* e = a*x + b with x in neither; false if x occurs to a higher power. */
static bool split_linear(ExprTab *t, Ex e, Ex x, Ex *a, Ex *b)
{
	Poly p, pa = {0}, pb = {0};
	poly_load(t, e, &p);
	for (size_t i = 0; i < p.n; i++) {
		Mono m = p.m[i];
		uint32_t kept = 0;
		for (uint32_t k = 0; k < m.n; k++)
			if (m.atoms[k] != x)
				m.atoms[kept++] = m.atoms[k];
		uint32_t power = m.n - kept;
		m.n = kept;
		if (power > 1 || !poly_add(t, power ? &pa : &pb, &m))
			return false;
	}
	*a = poly_make(t, &pa);
	*b = poly_make(t, &pb);
	return true;
}

/* a*x + b */
static Ex join_linear(ExprTab *t, Ex a, Ex x, Ex b)
{
	return ex_add(t, ex_mul(t, a, x), b);
}

static size_t term_count(const ExprTab *t, Ex e)
{
	const ExNode *n = ex_node(t, e);
	return n->kind == EX_POLY ? n->nterms : n->kind != EX_CONST || n->value;
}

static const ExRange *find_range(const Proof *p, int64_t axis)
{
	for (size_t i = p->f->ranges.n; i-- > 0;)
		if (p->f->ranges.p[i].axis == axis)
			return &p->f->ranges.p[i];
	return NULL;
}

/* b >= 1, as a divisor must be for its bounds to hold. */
static bool prove_positive(Proof *p, Ex b)
{
	int64_t c;
	if (ex_is_const(p->t, b, &c))
		return c >= 1;
	return prove(p, ex_sub(p->t, b, EX_ONE));
}

static bool atom_nonneg(Proof *p, Ex x)
{
	const ExNode *n = ex_node(p->t, x);
	Ex a = n->a, b = n->b;
	for (size_t i = 0; i < p->nfacts; i++)
		if (p->facts[i] == x)
			return true;
	switch (n->kind) {
	case EX_DIM:
		return p->t->dims.p[n->value].lo >= 0;
	case EX_AXIS:
		return find_range(p, n->value) != NULL;
	case EX_DIV:
		return prove(p, a) && prove_positive(p, b);
	case EX_MOD:
		return prove_positive(p, b);
	case EX_MIN:
		return prove(p, a) && prove(p, b);
	case EX_MAX:
		return prove(p, a) || prove(p, b);
	case EX_CONST:
	case EX_POLY:
		return prove(p, x);
	}
	bug("kind %d", (int)n->kind);
}

static bool mono_nonneg(Proof *p, const Mono *m)
{
	for (uint32_t k = 0; k < m->n; k++) {
		/* squares are not negative whatever their sign */
		if (k + 1 < m->n && m->atoms[k] == m->atoms[k + 1]) {
			k++;
			continue;
		}
		if (!atom_nonneg(p, m->atoms[k]))
			return false;
	}
	return true;
}

/* 1: nowhere negative, -1: nowhere positive, 0: not known, by form. */
static int sign_by_form(Proof *p, Ex e)
{
	Poly q;
	poly_load(p->t, e, &q);
	int sign = 0;
	for (size_t i = 0; i < q.n; i++) {
		int s = q.m[i].coef > 0 ? 1 : -1;
		if (sign && s != sign)
			return 0;
		sign = s;
	}
	for (size_t i = 0; i < q.n; i++)
		if (!mono_nonneg(p, &q.m[i]))
			return 0;
	return sign ? sign : 1;
}

/*
 * The goal A*x + B for lo <= x <= hi. scale*(A*x + B) is what the ends are
 * of, see `floor`; slack is what may be added for it.
 */
static bool prove_ends(Proof *p, Ex a, Ex b, Ex lo, Ex hi, Ex slack)
{
	ExprTab *t = p->t;
	b = ex_add(t, b, slack);
	if (!is_whole(t))
		return false;
	int sign = sign_by_form(p, a);
	if (sign <= 0 && !prove(p, join_linear(t, a, hi, b)))
		return false;
	return sign < 0 || prove(p, join_linear(t, a, lo, b));
}

/* ---- atoms ----------------------------------------------------------- */

/* The most that an axis of constant extent, its remainder or quotient by
 * constants can be; none of them is negative. */
static bool most_of(const Proof *p, Ex x, int64_t *most)
{
	const ExNode *n = ex_node(p->t, x);
	const ExRange *r;
	int64_t d;

	switch (n->kind) {
	case EX_AXIS:
		r = find_range(p, n->value);
		if (!r || !ex_is_const(p->t, r->extent, &d) || d < 1)
			return false;
		*most = d - 1;
		return true;
	case EX_MOD:
	case EX_DIV:
		if (!ex_is_const(p->t, n->b, &d) || d < 1 ||
		    !most_of(p, n->a, most))
			return false;
		if (n->kind == EX_DIV)
			*most /= d;
		else if (*most >= d)
			*most = d - 1;
		return true;
	case EX_CONST:
	case EX_DIM:
	case EX_MIN:
	case EX_MAX:
	case EX_POLY:
		break;
	}
	return false;
}

static bool eliminate_div(Proof *p, Ex x, Ex a, Ex b)
{
	ExprTab *t = p->t;
	Ex num = ex_node(t, x)->a, den = ex_node(t, x)->b;
	int64_t most;
	/* whole steps, where the dividend's own would leave a rest */
	if (most_of(p, x, &most) &&
	    prove_ends(p, a, b, EX_ZERO, ex_const(t, most), EX_ZERO))
		return true;
	if (!prove_positive(p, den))
		return false;
	if (sign_by_form(p, a) > 0 && prove(p, num) && prove(p, b))
		return true;
	Ex slack = ex_sub(t, den, EX_ONE);
	return prove_ends(p, a, ex_mul(t, den, b), ex_sub(t, num, slack), num,
			  slack);
}

static bool eliminate_mod(Proof *p, Ex x, Ex a, Ex b)
{
	ExprTab *t = p->t;
	Ex num = ex_node(t, x)->a, den = ex_node(t, x)->b;
	if (!prove_positive(p, den))
		return false;
	if (prove_ends(p, a, b, EX_ZERO, ex_sub(t, den, EX_ONE), EX_ZERO))
		return true;
	if (prove(p, num) && prove_ends(p, a, b, EX_ZERO, num, EX_ZERO))
		return true;
	Ex whole = ex_mul(t, den, ex_div(t, num, den));
	return prove(p, join_linear(t, a, ex_sub(t, num, whole), b));
}

/* The goal for x = arm, where arm is on its side of the other one. */
static bool prove_arm(Proof *p, Ex a, Ex b, Ex arm, Ex beyond)
{
	bool push = p->nfacts < MAX_FACTS;
	uint32_t key = p->facts_key;
	if (push) {
		p->facts[p->nfacts++] = beyond;
		p->facts_key = key * 31 + beyond;
	}
	bool ok = prove(p, join_linear(p->t, a, arm, b));
	p->nfacts -= push;
	p->facts_key = key;
	return ok;
}

static bool eliminate_choice(Proof *p, Ex x, Ex a, Ex b)
{
	ExprTab *t = p->t;
	bool min = ex_node(t, x)->kind == EX_MIN;
	Ex l = ex_node(t, x)->a, r = ex_node(t, x)->b;
	/* what A <= 0 is to a minimum, A >= 0 is to a maximum */
	if (sign_by_form(p, a) == (min ? -1 : 1)) {
		/* the arm that cancels more is the likelier one */
		Ex first = join_linear(t, a, l, b);
		Ex second = join_linear(t, a, r, b);
		bool swap = term_count(t, second) < term_count(t, first);
		if (!is_whole(t))
			return false;
		return prove(p, swap ? second : first) ||
		       prove(p, swap ? first : second);
	}
	Ex gap = min ? ex_sub(t, r, l) : ex_sub(t, l, r);
	return prove_arm(p, a, b, l, gap) &&
	       prove_arm(p, a, b, r, ex_sub(t, EX_ZERO, gap));
}

/*
 * The goal with every power of x at its least: right where all that x is
 * multiplied with is not negative.
 */
static bool eliminate_powers(Proof *p, Ex e, Ex x)
{
	ExprTab *t = p->t;
	const ExNode *n = ex_node(t, x);
	Ex least = EX_ZERO, sum = EX_ZERO;
	if (n->kind == EX_DIM)
		least = ex_const(t, t->dims.p[n->value].lo);
	Poly q;
	poly_load(t, e, &q);
	for (size_t i = 0; i < q.n; i++) {
		Mono m = {.coef = q.m[i].coef};
		Ex power = EX_ONE;
		for (uint32_t k = 0; k < q.m[i].n; k++) {
			if (q.m[i].atoms[k] == x)
				power = ex_mul(t, power, least);
			else
				m.atoms[m.n++] = q.m[i].atoms[k];
		}
		bool with = m.n < q.m[i].n;
		Poly one = {.n = 1, .m = {m}};
		sum = ex_add(t, sum, ex_mul(t, power, poly_make(t, &one)));
		if (!is_whole(t) ||
		    (with && (m.coef < 0 || !mono_nonneg(p, &m))))
			return false;
	}
	return atom_nonneg(p, x) && prove(p, sum);
}

static bool eliminate(Proof *p, Ex e, Ex x)
{
	ExprTab *t = p->t;
	Ex a, b;
	if (!split_linear(t, e, x, &a, &b))
		return eliminate_powers(p, e, x);
	const ExNode *n = ex_node(t, x);
	const ExRange *r;
	const ExDim *d;
	switch (n->kind) {
	case EX_DIM:
		d = &t->dims.p[n->value];
		return prove_ends(p, a, b, ex_const(t, d->lo),
				  ex_const(t, d->hi), EX_ZERO);
	case EX_AXIS:
		r = find_range(p, n->value);
		return r && prove_ends(p, a, b, EX_ZERO,
				       ex_sub(t, r->extent, EX_ONE), EX_ZERO);
	case EX_DIV:
		return eliminate_div(p, x, a, b);
	case EX_MOD:
		return eliminate_mod(p, x, a, b);
	case EX_MIN:
	case EX_MAX:
		return eliminate_choice(p, x, a, b);
	case EX_CONST:
	case EX_POLY:
		break;
	}
	bug("kind %d is no atom", (int)n->kind);
}

/* ---- order of elimination -------------------------------------------- */

/* 1 + place of the innermost axis that e names; 0 for none. */
static size_t innermost(const Proof *p, Ex e)
{
	for (size_t i = p->f->ranges.n; i-- > 0;)
		if (ex_uses_axis(p->t, e, p->f->ranges.p[i].axis))
			return i + 1;
	return 0;
}

/* Larger goes first: inner before outer, functions before their names. */
static size_t atom_key(const Proof *p, Ex x)
{
	const ExNode *n = ex_node(p->t, x);
	bool name = n->kind == EX_AXIS || n->kind == EX_DIM;
	return (2 * innermost(p, x) + !name) * 4096 + n->size;
}

/* The atom of e with the largest key below `below`; false if none. */
static bool next_atom(const Proof *p, Ex e, size_t below, Ex *x, size_t *key)
{
	Poly q;
	poly_load(p->t, e, &q);
	bool found = false;
	*key = 0;
	for (size_t i = 0; i < q.n; i++) {
		for (uint32_t k = 0; k < q.m[i].n; k++) {
			size_t at = atom_key(p, q.m[i].atoms[k]);
			if (at < below && (!found || at > *key)) {
				found = true;
				*key = at;
				*x = q.m[i].atoms[k];
			}
		}
	}
	return found;
}

/* ---- facts and factors ----------------------------------------------- */

/* m = x / y by atoms alone; false if y does not divide x. */
static bool mono_quotient(const Mono *x, const Mono *y, Mono *m)
{
	uint32_t j = 0;
	*m = (Mono){.coef = 1};
	for (uint32_t i = 0; i < x->n; i++) {
		if (j < y->n && x->atoms[i] == y->atoms[j])
			j++;
		else
			m->atoms[m->n++] = x->atoms[i];
	}
	return j == y->n;
}

static int64_t gcd(int64_t a, int64_t b)
{
	while (b) {
		int64_t r = a % b;
		a = b;
		b = r;
	}
	return a;
}

/*
 * e less the multiple of the fact that cancels its monomial x against the
 * fact's y; both have negative coefficients. EX_ZERO would be a proof, so
 * false says that there is no such multiple.
 */
static bool subtract_fact(Proof *p, Ex e, Ex fact, const Mono *x, const Mono *y,
			  Ex *out)
{
	Mono m;
	if (x->coef == INT64_MIN || y->coef == INT64_MIN ||
	    !mono_quotient(x, y, &m) || !mono_nonneg(p, &m))
		return false;
	ExprTab *t = p->t;
	int64_t g = gcd(-x->coef, -y->coef);
	int64_t scale = -y->coef / g;
	Poly q = {0};
	m.coef = -x->coef / g;
	poly_add(t, &q, &m);
	Ex times = poly_make(t, &q);
	*out = ex_sub(t, ex_mul(t, ex_const(t, scale), e),
		      ex_mul(t, times, fact));
	*out = ex_add(t, *out, ex_const(t, scale - 1));
	return true;
}

/*
 * Tries the facts; those whose use leaves fewer monomials first (shorter),
 * then the others.
 */
static bool use_facts(Proof *p, Ex e, bool shorter)
{
	if (!p->uses)
		return false;
	Poly pe;
	poly_load(p->t, e, &pe);
	for (size_t i = 0; i < p->nfacts; i++) {
		Ex fact = p->facts[i];
		Poly pf;
		poly_load(p->t, fact, &pf);
		for (size_t k = 0; k < pe.n * pf.n; k++) {
			const Mono *x = &pe.m[k / pf.n], *y = &pf.m[k % pf.n];
			Ex rest;
			/* two constants: the fact would bring in only names */
			if (p->goals <= 0 || x->coef >= 0 || y->coef >= 0 ||
			    (x->n && !y->n) ||
			    !subtract_fact(p, e, fact, x, y, &rest))
				continue;
			if ((term_count(p->t, rest) < pe.n) != shorter)
				continue;
			p->uses--;
			bool ok = prove(p, rest);
			p->uses++;
			if (ok)
				return true;
		}
	}
	return false;
}

/*
 * Tries the facts that bound the quotient or remainder x, as its definition
 * may not know: those that take x out of the goal.
 */
static bool use_bounds(Proof *p, Ex e, Ex x)
{
	Mono y = {.n = 1, .atoms = {x}};
	Ex a, b, rest;
	Poly pe;
	ExKind kind = ex_node(p->t, x)->kind;
	if ((kind != EX_DIV && kind != EX_MOD) ||
	    !split_linear(p->t, e, x, &a, &b))
		return false;
	poly_load(p->t, ex_mul(p->t, a, x), &pe);
	if (!is_whole(p->t) || pe.n != 1 || pe.m[0].coef >= 0)
		return false;
	for (size_t i = 0; i < p->nfacts && p->goals > 0; i++) {
		Ex fact = p->facts[i];
		if (!split_linear(p->t, fact, x, &a, &b) ||
		    !ex_is_const(p->t, a, &y.coef) || y.coef >= 0)
			continue;
		if (subtract_fact(p, e, fact, &pe.m[0], &y, &rest) &&
		    prove(p, rest))
			return true;
	}
	return false;
}

/* Divides e by the monomial that all its terms share, where that is >= 0. */
static bool drop_factor(Proof *p, Ex e, Ex *out)
{
	Poly q;
	poly_load(p->t, e, &q);
	Mono common = q.m[0], m;
	for (size_t i = 1; i < q.n; i++) {
		Mono kept = {.coef = 1};
		uint32_t j = 0;
		for (uint32_t k = 0; k < common.n; k++) {
			while (j < q.m[i].n && ex_compare(p->t, q.m[i].atoms[j],
							  common.atoms[k]) < 0)
				j++;
			if (j < q.m[i].n &&
			    q.m[i].atoms[j] == common.atoms[k]) {
				kept.atoms[kept.n++] = common.atoms[k];
				j++;
			}
		}
		common = kept;
	}
	if (!common.n || !mono_nonneg(p, &common))
		return false;
	Poly r = {0};
	for (size_t i = 0; i < q.n; i++) {
		mono_quotient(&q.m[i], &common, &m);
		m.coef = q.m[i].coef;
		if (!poly_add(p->t, &r, &m))
			return false;
	}
	*out = poly_make(p->t, &r);
	return true;
}

/* Writes a % b as a - b*(a//b) where e holds that quotient too. */
static Ex merge_mod(ExprTab *t, Ex e)
{
	Poly q;
	poly_load(t, e, &q);
	for (size_t i = 0; i < q.n; i++) {
		for (uint32_t k = 0; k < q.m[i].n; k++) {
			Ex x = q.m[i].atoms[k], a, b;
			if (ex_node(t, x)->kind != EX_MOD ||
			    !split_linear(t, e, x, &a, &b))
				continue;
			Ex num = ex_node(t, x)->a, den = ex_node(t, x)->b;
			Ex whole = ex_mul(t, den, ex_div(t, num, den));
			Ex merged = join_linear(t, a, ex_sub(t, num, whole), b);
			if (is_whole(t) &&
			    term_count(t, merged) < term_count(t, e))
				return merged;
		}
	}
	return e;
}

/* g*e + c >= 0 is e + c//g >= 0, for e is an integer. */
static Ex tighten(ExprTab *t, Ex e)
{
	Poly q;
	int64_t g = 0;
	poly_load(t, e, &q);
	for (size_t i = 0; i < q.n; i++) {
		if (q.m[i].coef == INT64_MIN)
			return e;
		if (q.m[i].n)
			g = gcd(q.m[i].coef < 0 ? -q.m[i].coef : q.m[i].coef,
				g);
	}
	if (g < 2)
		return e;
	Poly r = {0};
	for (size_t i = 0; i < q.n; i++) {
		int64_t c = q.m[i].coef;
		q.m[i].coef = c / g - (c % g < 0);
		if (q.m[i].coef)
			poly_add(t, &r, &q.m[i]);
	}
	return poly_make(t, &r);
}

/* ---- the search ------------------------------------------------------ */

static bool follows_from_fact(Proof *p, Ex e)
{
	for (size_t i = 0; i < p->nfacts; i++) {
		int64_t d;
		Ex rest = ex_sub(p->t, e, p->facts[i]);
		if (is_whole(p->t) && ex_is_const(p->t, rest, &d) && d >= 0)
			return true;
	}
	return false;
}

static bool search(Proof *p, Ex e)
{
	Ex x, rest;
	size_t key = SIZE_MAX;
	e = tighten(p->t, merge_mod(p->t, e));
	if (sign_by_form(p, e) > 0 || follows_from_fact(p, e))
		return true;
	/* a constant that is left is negative: then the factor must be 0 */
	if (drop_factor(p, e, &rest) && ex_node(p->t, rest)->kind != EX_CONST)
		return prove(p, rest);
	for (int i = 0; i < 2 && next_atom(p, e, key, &x, &key); i++)
		if (use_bounds(p, e, x))
			return true;
	if (use_facts(p, e, true))
		return true;
	key = SIZE_MAX;
	for (int i = 0; i < 2 && next_atom(p, e, key, &x, &key); i++)
		if (eliminate(p, e, x))
			return true;
	return use_facts(p, e, false);
}

static bool prove(Proof *p, Ex e)
{
	int64_t v;
	if (!is_whole(p->t))
		return false;
	if (ex_is_const(p->t, e, &v))
		return v >= 0;
	Failed *m = &p->failed[(e ^ p->facts_key) & (MEMO - 1)];
	if (m->e == e && m->facts == p->facts_key && m->depth <= p->depth &&
	    m->uses >= p->uses)
		return false;
	if (p->depth >= MAX_DEPTH || p->goals <= 0)
		return false;
	p->goals--;
	p->depth++;
	bool ok = search(p, e);
	p->depth--;
	p->t->overflow = false;
	if (!ok)
		*m = (Failed){e, p->facts_key, p->depth, p->uses};
	return ok;
}

static void add_fact(Proof *p, Ex f)
{
	int64_t v;
	if (ex_is_const(p->t, f, &v)) {
		p->absurd |= v < 0;
		return;
	}
	if (p->nfacts == MAX_FACTS)
		return;
	for (size_t i = 0; i < p->nfacts; i++)
		if (p->facts[i] == f)
			return;
	p->facts[p->nfacts++] = f;
	p->facts_key = p->facts_key * 31 + f;
}

/* Every factor >= 0, and no term but the one at `at` above 0. */
static bool one_positive(Proof *p, const ExNode *n, uint32_t *at)
{
	uint32_t positive = 0;
	for (uint32_t i = 0; i < n->nterms; i++) {
		ExTerm m = n->terms[i];
		for (uint32_t k = 0; k < m.natoms; k++)
			if (!atom_nonneg(p, m.atoms[k]))
				return false;
		if (m.coef > 0) {
			positive++;
			*at = i;
		}
	}
	return positive == 1;
}

/* e >= 1 is known, and with it what makes it so. */
static void add_positive(Proof *p, Ex e)
{
	const ExNode *n = ex_node(p->t, e);
	if (n->kind == EX_MIN) {
		Ex a = n->a, b = n->b;
		add_positive(p, a);
		add_positive(p, b);
		return;
	}
	if (n->kind == EX_DIV) {
		/* a//b >= 1 with b >= 1: a >= b */
		Ex a = n->a, b = n->b;
		if (prove_positive(p, b)) {
			Ex least = ex_add(p->t, ex_sub(p->t, a, b), EX_ONE);
			if (is_whole(p->t))
				add_positive(p, least);
		}
	}
	if (n->kind == EX_MAX) {
		/* the arm that is above 0, where the other cannot be */
		Ex a = n->a, b = n->b;
		int64_t v;
		if (ex_is_const(p->t, b, &v) && v <= 0)
			add_positive(p, a);
		else if (ex_is_const(p->t, a, &v) && v <= 0)
			add_positive(p, b);
	}
	uint32_t at;
	Ex fact = ex_sub(p->t, e, EX_ONE);
	if (!is_whole(p->t)) /* no expression of it: nothing is learnt */
		return;
	add_fact(p, fact);
	/* its one product that adds must be positive, and so its factors */
	if (n->kind != EX_POLY || !one_positive(p, n, &at))
		return;
	ExTerm m = n->terms[at];
	for (uint32_t k = 0; k < m.natoms; k++)
		add_positive(p, m.atoms[k]);
}

/* What was asked of one set of facts, and the answer. */
typedef struct Answer {
	const ExFacts *facts; /* NULL: none here yet */
	Ex e;
	int goals;
	bool ok;
} Answer;

#define ANSWERS 2048 /* a power of two */

typedef struct Scratch {
	Arena arena;
	ExprTab tab;
	const ExFacts *facts; /* those of the last question */
	Answer answers[ANSWERS];
} Scratch;

static void scratch_release(void *p)
{
	arena_release(&((Scratch *)p)->arena);
}

/* The table to work on, empty; it is released with t's arena. */
static Scratch *scratch_open(ExprTab *t)
{
	if (!t->scratch) {
		Scratch *s = arena_new(t->arena, Scratch);
		arena_init(&s->arena);
		arena_defer(t->arena, scratch_release, s);
		t->scratch = s;
	}
	Scratch *s = t->scratch;
	expr_init(&s->tab, &s->arena);
	return s;
}

static ExFacts facts_copy(Scratch *s, const ExprTab *t, const ExFacts *f)
{
	ExFacts c = {0};
	for (size_t i = 0; f && i < f->ranges.n; i++) {
		ExRange r = f->ranges.p[i];
		r.extent = ex_copy(&s->tab, t, r.extent);
		VEC_PUSH(&s->arena, c.ranges, r);
	}
	for (size_t i = 0; f && i < f->facts.n; i++) {
		Ex e = ex_copy(&s->tab, t, f->facts.p[i]);
		VEC_PUSH(&s->arena, c.facts, e);
	}
	return c;
}

static void proof_init(Proof *p, ExprTab *t, const ExFacts *f, int goals)
{
	*p = (Proof){.t = t, .f = f, .goals = goals};
	for (size_t i = 0; i < f->facts.n; i++)
		add_fact(p, f->facts.p[i]);
	for (size_t i = f->ranges.n; i-- > 0;)
		add_positive(p, f->ranges.p[i].extent);
	/* what a condition says of the extents that it names */
	for (size_t i = 0; i < f->facts.n; i++) {
		Ex e = ex_add(t, f->facts.p[i], EX_ONE);
		if (is_whole(t))
			add_positive(p, e);
	}
	t->overflow = false;
}

static bool same_facts(const ExFacts *a, const ExFacts *b)
{
	if (a->ranges.n != b->ranges.n || a->facts.n != b->facts.n)
		return false;
	for (size_t i = 0; i < a->ranges.n; i++)
		if (a->ranges.p[i].axis != b->ranges.p[i].axis ||
		    a->ranges.p[i].extent != b->ranges.p[i].extent)
			return false;
	for (size_t i = 0; i < a->facts.n; i++)
		if (a->facts.p[i] != b->facts.p[i])
			return false;
	return true;
}

/* The facts as they are now, in memory that stays. */
static const ExFacts *facts_keep(ExprTab *t, const ExFacts *f)
{
	ExFacts *c = arena_new(t->arena, ExFacts);
	*c = (ExFacts){0};
	for (size_t i = 0; i < f->ranges.n; i++)
		VEC_PUSH(t->arena, c->ranges, f->ranges.p[i]);
	for (size_t i = 0; i < f->facts.n; i++)
		VEC_PUSH(t->arena, c->facts, f->facts.p[i]);
	return c;
}

static bool prove_anew(ExprTab *t, Scratch *s, const ExFacts *f, Ex e,
		       int goals)
{
	ExFacts facts = facts_copy(s, t, f);
	Proof p;
	e = ex_copy(&s->tab, t, e);
	/* rebuilding may take other steps, and those may not fit */
	bool ok = false, whole = is_whole(&s->tab);
	proof_init(&p, &s->tab, &facts, goals);
	ok = whole && p.absurd;
	/* most goals need no fact or one: look for those before the others */
	for (int uses = 0; uses <= MAX_FACT_USES && whole && !ok; uses++) {
		p.goals = goals;
		p.uses = uses;
		ok = prove(&p, e);
	}
	arena_clear(&s->arena);
	return ok;
}

static bool prove_within(ExprTab *t, const ExFacts *f, Ex e, int goals)
{
	static const ExFacts none;
	int64_t v;
	if (ex_is_const(t, e, &v) && v >= 0)
		return true;
	Scratch *s = scratch_open(t);
	f = f ? f : &none;
	Answer *a = &s->answers[(e * 31 + f->ranges.n * 7 + f->facts.n) &
				(ANSWERS - 1)];
	if (a->facts && a->e == e && a->goals == goals &&
	    same_facts(a->facts, f))
		return a->ok;
	bool ok = prove_anew(t, s, f, e, goals);
	if (!s->facts || !same_facts(s->facts, f))
		s->facts = facts_keep(t, f);
	*a = (Answer){s->facts, e, goals, ok};
	return ok;
}

bool ex_prove_nonneg(ExprTab *t, const ExFacts *f, Ex e)
{
	return prove_within(t, f, e, MAX_GOALS) ||
	       prove_within(t, f, e, LAST_GOALS);
}

/* ---- simplifying ----------------------------------------------------- */

static Ex simplify(ExprTab *t, const ExFacts *f, Ex e);

/* a - b >= 0 */
static bool at_least(ExprTab *t, const ExFacts *f, Ex a, Ex b)
{
	bool overflow = t->overflow;
	t->overflow = false;
	Ex d = ex_sub(t, a, b);
	bool ok = !t->overflow && !ex_refuted(t, f, d) &&
		  prove_within(t, f, d, FEW_GOALS);
	t->overflow = overflow;
	return ok;
}

static bool in_range(ExprTab *t, const ExFacts *f, Ex a, Ex n)
{
	return at_least(t, f, a, EX_ZERO) &&
	       at_least(t, f, n, ex_add(t, a, EX_ONE));
}

static Ex simplify_atom(ExprTab *t, const ExFacts *f, Ex x)
{
	ExNode n = *ex_node(t, x);
	if (n.kind == EX_DIM || n.kind == EX_AXIS || n.kind == EX_CONST)
		return x;
	Ex a = simplify(t, f, n.a), b = simplify(t, f, n.b);
	if (n.kind == EX_MIN || n.kind == EX_MAX) {
		bool min = n.kind == EX_MIN;
		if (at_least(t, f, b, a))
			return min ? a : b;
		if (at_least(t, f, a, b))
			return min ? b : a;
		return min ? ex_min(t, a, b) : ex_max(t, a, b);
	}
	if (in_range(t, f, a, b))
		return n.kind == EX_DIV ? EX_ZERO : a;
	return n.kind == EX_DIV ? ex_div(t, a, b) : ex_mod(t, a, b);
}

static Ex simplify(ExprTab *t, const ExFacts *f, Ex e)
{
	ExNode n = *ex_node(t, e);
	if (n.kind != EX_POLY)
		return simplify_atom(t, f, e);
	Ex sum = EX_ZERO;
	for (uint32_t i = 0; i < n.nterms; i++) {
		Ex m = ex_const(t, n.terms[i].coef);
		for (uint32_t k = 0; k < n.terms[i].natoms; k++)
			m = ex_mul(t, m,
				   simplify_atom(t, f, n.terms[i].atoms[k]));
		sum = ex_add(t, sum, m);
	}
	return merge_mod(t, sum);
}

Ex ex_simplify(ExprTab *t, const ExFacts *f, Ex e)
{
	/* one step may make room for the next; three are plenty */
	for (int i = 0; i < 3; i++) {
		Ex s = simplify(t, f, e);
		if (s == e)
			break;
		e = s;
	}
	return e;
}
