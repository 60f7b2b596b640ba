/*
 * expr: the table of expressions and their canonical form.
 *
 * Every expression is kept as a polynomial: monomials in graded
 * lexicographic order, each an integer times a sorted product of atoms.
 * That order is compatible with multiplication, so the schoolbook division
 * of polynomials terminates and finds exact quotients. Atoms are ordered by
 * structure and by name, never by id, so that the same expression prints
 * the same in every table. Hash-consing makes equality a comparison of ids.
 *
 * Two limits keep hostile input cheap: a polynomial has at most MAX_TERMS
 * monomials of at most MAX_DEGREE atoms, and an expression written out as
 * a tree has at most MAX_SIZE nodes (recursion and time are bounded by it).
 * What exceeds a limit sets tab->overflow, like a constant that does.
 */
#include "ir/expr.h"

#include "ir/internal.h"

#include <string.h>

#define MAX_SIZE 2000

static int mono_compare(const ExprTab *t, const Ex *a, size_t na, const Ex *b,
			size_t nb)
{
	if (na != nb)
		return na > nb ? -1 : 1;
	for (size_t i = 0; i < na; i++) {
		int c = ex_compare(t, a[i], b[i]);
		if (c)
			return c;
	}
	return 0;
}

/* Order of kinds in text: dims, axes, functions, sums, constants. */
static int kind_rank(ExKind k)
{
	switch (k) {
	case EX_DIM:
		return 0;
	case EX_AXIS:
		return 1;
	case EX_DIV:
		return 2;
	case EX_MOD:
		return 3;
	case EX_MIN:
		return 4;
	case EX_MAX:
		return 5;
	case EX_POLY:
		return 6;
	case EX_CONST:
		return 7;
	}
	bug("kind %d", (int)k);
}

static int poly_compare(const ExprTab *t, const ExNode *x, const ExNode *y)
{
	for (uint32_t i = 0; i < x->nterms && i < y->nterms; i++) {
		const ExTerm *p = &x->terms[i], *q = &y->terms[i];
		int c = mono_compare(t, p->atoms, p->natoms, q->atoms,
				     q->natoms);
		if (c)
			return c;
		if (p->coef != q->coef)
			return p->coef < q->coef ? -1 : 1;
	}
	return x->nterms == y->nterms ? 0 : x->nterms > y->nterms ? -1 : 1;
}

int ex_compare(const ExprTab *t, Ex a, Ex b)
{
	if (a == b)
		return 0;
	const ExNode *x = ex_node(t, a), *y = ex_node(t, b);
	if (x->kind != y->kind)
		return kind_rank(x->kind) < kind_rank(y->kind) ? -1 : 1;
	int c;
	switch (x->kind) {
	case EX_DIM:
		return strcmp(t->dims.p[x->value].name,
			      t->dims.p[y->value].name);
	case EX_CONST:
	case EX_AXIS:
		return x->value < y->value ? -1 : 1;
	case EX_DIV:
	case EX_MOD:
	case EX_MIN:
	case EX_MAX:
		c = ex_compare(t, x->a, y->a);
		return c ? c : ex_compare(t, x->b, y->b);
	case EX_POLY:
		return poly_compare(t, x, y);
	}
	bug("kind %d", (int)x->kind);
}

/* ---- the table ------------------------------------------------------- */

static bool node_equal(const ExNode *x, const ExNode *y)
{
	if (x->kind != y->kind || x->value != y->value || x->a != y->a ||
	    x->b != y->b || x->nterms != y->nterms)
		return false;
	for (uint32_t i = 0; i < x->nterms; i++) {
		const ExTerm *p = &x->terms[i], *q = &y->terms[i];
		if (p->coef != q->coef || p->natoms != q->natoms ||
		    (p->natoms &&
		     memcmp(p->atoms, q->atoms, p->natoms * sizeof(Ex)) != 0))
			return false;
	}
	return true;
}

static uint64_t mixed(uint64_t h, uint64_t x)
{
	h = (h ^ x) * 0x9e3779b97f4a7c15u; /* 2^64 over the golden ratio */
	return h ^ h >> 32;
}

static uint64_t node_hash(const ExNode *x)
{
	uint64_t h =
		mixed(x->nterms << 8 | (uint64_t)x->kind, (uint64_t)x->value);

	h = mixed(h, (uint64_t)x->a << 32 ^ x->b);
	for (uint32_t i = 0; i < x->nterms; i++) {
		const ExTerm *term = &x->terms[i];
		h = mixed(h, (uint64_t)term->coef);
		for (size_t k = 0; k < term->natoms; k++)
			h = mixed(h, term->atoms[k]);
	}
	return h;
}

static void hash_grow(ExprTab *t)
{
	size_t cap = t->hash_cap ? 2 * t->hash_cap : 64;
	uint32_t *h = arena_array(t->arena, uint32_t, cap);
	for (size_t i = 0; i < t->nodes.n; i++) {
		size_t k = node_hash(&t->nodes.p[i]) & (cap - 1);
		while (h[k])
			k = (k + 1) & (cap - 1);
		h[k] = (uint32_t)i + 1;
	}
	t->hash = h;
	t->hash_cap = cap;
}

/* The id of a node equal to *x; x->terms need not live on. */
static Ex node_intern(ExprTab *t, const ExNode *x)
{
	size_t k = node_hash(x) & (t->hash_cap - 1);
	for (; t->hash[k]; k = (k + 1) & (t->hash_cap - 1))
		if (node_equal(&t->nodes.p[t->hash[k] - 1], x))
			return t->hash[k] - 1;
	ExNode n = *x;
	if (n.nterms) {
		ExTerm *terms = arena_array(t->arena, ExTerm, n.nterms);
		for (uint32_t i = 0; i < n.nterms; i++) {
			terms[i] = x->terms[i];
			size_t na = terms[i].natoms;
			Ex *atoms = NULL;
			if (na) {
				atoms = arena_array(t->arena, Ex, na);
				memcpy(atoms, x->terms[i].atoms,
				       na * sizeof(Ex));
			}
			terms[i].atoms = atoms;
		}
		n.terms = terms;
	}
	VEC_PUSH(t->arena, t->nodes, n);
	t->hash[k] = (uint32_t)t->nodes.n;
	if (2 * t->nodes.n > t->hash_cap)
		hash_grow(t);
	return (Ex)t->nodes.n - 1;
}

Ex ex_overflow(ExprTab *t)
{
	t->overflow = true;
	return EX_ZERO;
}

/* A division, modulo, minimum or maximum as it stands. */
static Ex node_binary(ExprTab *t, ExKind kind, Ex a, Ex b)
{
	uint32_t size = 1 + ex_node(t, a)->size + ex_node(t, b)->size;
	if (size > MAX_SIZE)
		return ex_overflow(t);
	return node_intern(
		t, &(ExNode){.kind = kind, .a = a, .b = b, .size = size});
}

void expr_init(ExprTab *t, Arena *a)
{
	*t = (ExprTab){.arena = a};
	hash_grow(t);
	bug_if(ex_const(t, 0) != EX_ZERO || ex_const(t, 1) != EX_ONE);
}

Ex ex_const(ExprTab *t, int64_t v)
{
	return node_intern(t,
			   &(ExNode){.kind = EX_CONST, .value = v, .size = 1});
}

Ex ex_dim(ExprTab *t, const char *name, Loc loc)
{
	size_t i = 0;
	while (i < t->dims.n && strcmp(t->dims.p[i].name, name) != 0)
		i++;
	if (i == t->dims.n) {
		ExDim d = {arena_strdup(t->arena, name), loc, 0,
			   (int64_t)1 << 40};
		VEC_PUSH(t->arena, t->dims, d);
	}
	return node_intern(
		t, &(ExNode){.kind = EX_DIM, .value = (int64_t)i, .size = 1});
}

Ex ex_axis(ExprTab *t, int64_t index)
{
	return node_intern(
		t, &(ExNode){.kind = EX_AXIS, .value = index, .size = 1});
}

const ExNode *ex_node(const ExprTab *t, Ex e)
{
	bug_if(e >= t->nodes.n);
	return &t->nodes.p[e];
}

bool ex_is_const(const ExprTab *t, Ex e, int64_t *v)
{
	const ExNode *n = ex_node(t, e);
	if (n->kind != EX_CONST)
		return false;
	*v = n->value;
	return true;
}

bool ex_equals(const ExprTab *t, Ex e, int64_t v)
{
	const ExNode *n = ex_node(t, e);
	return n->kind == EX_CONST && n->value == v;
}

/* ---- polynomials ----------------------------------------------------- */

void poly_load(const ExprTab *t, Ex e, Poly *p)
{
	const ExNode *n = ex_node(t, e);
	p->n = 0;
	if (n->kind == EX_POLY) {
		for (uint32_t i = 0; i < n->nterms; i++) {
			Mono *m = &p->m[p->n++];
			m->coef = n->terms[i].coef;
			m->n = n->terms[i].natoms;
			for (size_t k = 0; k < m->n; k++)
				m->atoms[k] = n->terms[i].atoms[k];
		}
	} else if (n->kind == EX_CONST) {
		if (n->value)
			p->m[p->n++] = (Mono){.coef = n->value};
	} else {
		p->m[p->n++] = (Mono){.coef = 1, .n = 1, .atoms = {e}};
	}
}

bool poly_add(ExprTab *t, Poly *p, const Mono *m)
{
	if (!m->coef)
		return true;
	size_t lo = 0, hi = p->n;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		Mono *at = &p->m[mid];
		int c = mono_compare(t, at->atoms, at->n, m->atoms, m->n);
		if (c == 0) {
			if (__builtin_add_overflow(at->coef, m->coef,
						   &at->coef)) {
				t->overflow = true;
				return false;
			}
			if (!at->coef) {
				p->n--;
				memmove(at, at + 1,
					(p->n - mid) * sizeof(Mono));
			}
			return true;
		}
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (p->n == MAX_TERMS) {
		t->overflow = true;
		return false;
	}
	memmove(&p->m[lo + 1], &p->m[lo], (p->n - lo) * sizeof(Mono));
	p->m[lo] = *m;
	p->n++;
	return true;
}

static bool mono_mul(ExprTab *t, const Mono *a, const Mono *b, Mono *out)
{
	if (__builtin_mul_overflow(a->coef, b->coef, &out->coef) ||
	    a->n + b->n > MAX_DEGREE) {
		t->overflow = true;
		return false;
	}
	size_t i = 0, j = 0;
	out->n = 0;
	while (i < a->n || j < b->n) {
		bool left = j == b->n ||
			    (i < a->n &&
			     ex_compare(t, a->atoms[i], b->atoms[j]) <= 0);
		out->atoms[out->n++] = left ? a->atoms[i++] : b->atoms[j++];
	}
	return true;
}

/* out = a / b where b divides a exactly. */
static bool mono_divide(const Mono *a, const Mono *b, Mono *out)
{
	if (b->n > a->n || (b->coef == -1 && a->coef == INT64_MIN) ||
	    a->coef % b->coef)
		return false;
	out->coef = a->coef / b->coef;
	out->n = 0;
	size_t j = 0;
	for (size_t i = 0; i < a->n; i++) {
		if (j < b->n && a->atoms[i] == b->atoms[j])
			j++;
		else
			out->atoms[out->n++] = a->atoms[i];
	}
	return j == b->n;
}

/* p += m * q */
static bool poly_add_scaled(ExprTab *t, Poly *p, const Mono *m, const Poly *q)
{
	for (size_t i = 0; i < q->n; i++) {
		Mono x;
		if (!mono_mul(t, m, &q->m[i], &x) || !poly_add(t, p, &x))
			return false;
	}
	return true;
}

Ex poly_make(ExprTab *t, const Poly *p)
{
	if (p->n == 0)
		return EX_ZERO;
	if (p->n == 1 && p->m[0].n == 0)
		return ex_const(t, p->m[0].coef);
	if (p->n == 1 && p->m[0].n == 1 && p->m[0].coef == 1)
		return p->m[0].atoms[0];
	ExTerm terms[MAX_TERMS];
	uint32_t size = 1;
	for (size_t i = 0; i < p->n; i++) {
		const Mono *m = &p->m[i];
		terms[i] = (ExTerm){m->coef, m->n, m->atoms};
		size++;
		for (size_t k = 0; k < m->n; k++)
			size += ex_node(t, m->atoms[k])->size;
	}
	if (size > MAX_SIZE)
		return ex_overflow(t);
	return node_intern(t, &(ExNode){.kind = EX_POLY,
					.nterms = (uint32_t)p->n,
					.terms = terms,
					.size = size});
}

static Ex add_scaled(ExprTab *t, Ex a, int64_t c, Ex b)
{
	Poly p, q;
	poly_load(t, a, &p);
	poly_load(t, b, &q);
	if (!poly_add_scaled(t, &p, &(Mono){.coef = c}, &q))
		return ex_overflow(t);
	return poly_make(t, &p);
}

Ex ex_add(ExprTab *t, Ex a, Ex b)
{
	return add_scaled(t, a, 1, b);
}

Ex ex_sub(ExprTab *t, Ex a, Ex b)
{
	return add_scaled(t, a, -1, b);
}

Ex ex_mul(ExprTab *t, Ex a, Ex b)
{
	Poly p, q, r = {0};
	poly_load(t, a, &p);
	poly_load(t, b, &q);
	for (size_t i = 0; i < p.n; i++)
		if (!poly_add_scaled(t, &r, &p.m[i], &q))
			return ex_overflow(t);
	return poly_make(t, &r);
}

/*
 * a = q*b + r by division of leading monomials; a monomial that the leading
 * one of b does not divide goes to r. b is not zero. False on overflow.
 */
static bool poly_divmod(ExprTab *t, Poly *a, const Poly *b, Poly *q, Poly *r)
{
	q->n = r->n = 0;
	while (a->n) {
		Mono lead = a->m[0], m;
		if (mono_divide(&lead, &b->m[0], &m)) {
			if (!poly_add(t, q, &m))
				return false;
			m.coef = -m.coef;
			if (!poly_add_scaled(t, a, &m, b))
				return false;
		} else {
			if (!poly_add(t, r, &lead))
				return false;
			a->n--;
			memmove(a->m, a->m + 1, a->n * sizeof(Mono));
		}
	}
	return true;
}

bool ex_divide(ExprTab *t, Ex a, Ex b, Ex *p)
{
	if (b == EX_ZERO)
		return false;
	Poly x, y, q, r;
	poly_load(t, a, &x);
	poly_load(t, b, &y);
	bool overflow = t->overflow;
	bool ok = poly_divmod(t, &x, &y, &q, &r) && r.n == 0;
	if (ok)
		*p = poly_make(t, &q);
	ok = ok && t->overflow == overflow;
	t->overflow = overflow;
	return ok;
}

/* ---- division -------------------------------------------------------- */

static int64_t floor_div(int64_t a, int64_t b)
{
	int64_t q = a / b;
	return q - (a % b != 0 && (a % b < 0) != (b < 0));
}

static int64_t gcd(int64_t a, int64_t b)
{
	/* b > 0; INT64_MIN % b is representable */
	while (a) {
		int64_t r = b % a;
		b = a < 0 ? -a : a;
		a = r;
	}
	return b;
}

/*
 * Splits e = c*q + r for a constant c > 0: monomials that c divides and the
 * whole multiples in the constant go to q, so that r's constant is in
 * [0, c).
 */
static void split_const(ExprTab *t, Ex e, int64_t c, Ex *q, Ex *r)
{
	Poly p, pq = {0}, pr = {0};
	poly_load(t, e, &p);
	for (size_t i = 0; i < p.n; i++) {
		Mono m = p.m[i];
		int64_t whole = m.n ? 0 : floor_div(m.coef, c);
		if (m.coef % c == 0)
			whole = m.coef / c;
		int64_t rest = m.coef - c * whole;
		m.coef = whole;
		if (whole)
			pq.m[pq.n++] = m;
		m.coef = rest;
		if (rest)
			pr.m[pr.n++] = m;
	}
	*q = poly_make(t, &pq);
	*r = poly_make(t, &pr);
}

/* The greatest common divisor of c and r's coefficients but the constant. */
static int64_t content(const ExprTab *t, Ex r, int64_t c)
{
	Poly p;
	poly_load(t, r, &p);
	for (size_t i = 0; i < p.n; i++)
		if (p.m[i].n)
			c = gcd(p.m[i].coef % c, c);
	return c;
}

/* e / g with every coefficient floored: exact but for the constant. */
static Ex shrink(ExprTab *t, Ex e, int64_t g)
{
	Poly p, q = {0};
	poly_load(t, e, &p);
	for (size_t i = 0; i < p.n; i++) {
		Mono m = p.m[i];
		m.coef = floor_div(m.coef, g);
		if (m.coef)
			q.m[q.n++] = m;
	}
	return poly_make(t, &q);
}

static int64_t const_term(const ExprTab *t, Ex e)
{
	Poly p;
	poly_load(t, e, &p);
	return p.n && p.m[p.n - 1].n == 0 ? p.m[p.n - 1].coef : 0;
}

/* r // c where split_const left nothing whole in r. */
static Ex div_rest(ExprTab *t, Ex r, int64_t c)
{
	if (ex_node(t, r)->kind == EX_CONST)
		return EX_ZERO;
	int64_t g = content(t, r, c);
	if (g > 1)
		return ex_div(t, shrink(t, r, g), ex_const(t, c / g));
	/* (x//d + k) // c == (x + k*d) // (c*d) */
	int64_t k = const_term(t, r), d, cd, kd;
	const ExNode *n = ex_node(t, ex_sub(t, r, ex_const(t, k)));
	if (n->kind == EX_DIV && ex_is_const(t, n->b, &d) && d > 0 &&
	    !__builtin_mul_overflow(c, d, &cd) &&
	    !__builtin_mul_overflow(k, d, &kd)) {
		Ex x = n->a;
		return ex_div(t, ex_add(t, x, ex_const(t, kd)),
			      ex_const(t, cd));
	}
	/* (x % m + k) // c where that stays below c */
	if (n->kind == EX_MOD && ex_is_const(t, n->b, &d) && d > 0 &&
	    d <= c - k)
		return EX_ZERO;
	return node_binary(t, EX_DIV, r, ex_const(t, c));
}

/* r % c where split_const left nothing whole in r. */
static Ex mod_rest(ExprTab *t, Ex r, int64_t c)
{
	int64_t v, d;
	if (ex_is_const(t, r, &v))
		return r;
	int64_t g = content(t, r, c);
	if (g > 1 && const_term(t, r) % g == 0)
		return ex_mul(t, ex_const(t, g),
			      ex_mod(t, shrink(t, r, g), ex_const(t, c / g)));
	const ExNode *n = ex_node(t, r);
	if (n->kind == EX_MOD && ex_is_const(t, n->b, &d) && d > 0) {
		if (d <= c)
			return r;
		if (d % c == 0) {
			Ex x = n->a;
			return ex_mod(t, x, ex_const(t, c));
		}
	}
	return node_binary(t, EX_MOD, r, ex_const(t, c));
}

/*
 * a = q*b + r for a symbolic b. A division that leaves as many monomials
 * as there were is not worth having: then q is 0 and r is a.
 */
static void split_symbolic(ExprTab *t, Ex a, Ex b, Ex *q, Ex *r)
{
	Poly x, y, pq, pr;
	poly_load(t, a, &x);
	poly_load(t, b, &y);
	size_t before = x.n;
	bool overflow = t->overflow;
	*q = EX_ZERO;
	*r = a;
	if (poly_divmod(t, &x, &y, &pq, &pr) && pr.n < before) {
		*q = poly_make(t, &pq);
		*r = poly_make(t, &pr);
	}
	if (t->overflow != overflow) {
		t->overflow = overflow;
		*q = EX_ZERO;
		*r = a;
	}
}

Ex ex_div(ExprTab *t, Ex a, Ex b)
{
	Ex q, r;
	int64_t c;
	if (b == EX_ZERO)
		return ex_overflow(t);
	if (!ex_is_const(t, b, &c)) {
		split_symbolic(t, a, b, &q, &r);
		if (r == EX_ZERO)
			return q;
		return ex_add(t, q, node_binary(t, EX_DIV, r, b));
	}
	if (c < 0) {
		if (c == INT64_MIN)
			return ex_overflow(t);
		return ex_div(t, ex_sub(t, EX_ZERO, a), ex_const(t, -c));
	}
	split_const(t, a, c, &q, &r);
	return ex_add(t, q, div_rest(t, r, c));
}

Ex ex_mod(ExprTab *t, Ex a, Ex b)
{
	Ex q, r;
	int64_t c;
	if (b == EX_ZERO)
		return ex_overflow(t);
	if (!ex_is_const(t, b, &c)) {
		split_symbolic(t, a, b, &q, &r);
		if (r == EX_ZERO)
			return r;
		return node_binary(t, EX_MOD, r, b);
	}
	if (c < 0) {
		if (c == INT64_MIN)
			return ex_overflow(t);
		Ex m = ex_mod(t, ex_sub(t, EX_ZERO, a), ex_const(t, -c));
		return ex_sub(t, EX_ZERO, m);
	}
	split_const(t, a, c, &q, &r);
	return mod_rest(t, r, c);
}

Ex ex_ceil_div(ExprTab *t, Ex a, Ex b)
{
	return ex_div(t, ex_add(t, a, ex_sub(t, b, EX_ONE)), b);
}

/* ---- minimum and maximum --------------------------------------------- */

/* x as choice(u, c) + k with constants c and k: u + k, and c + k. */
static bool split_choice(ExprTab *t, ExKind kind, Ex x, Ex *u, int64_t *c)
{
	const ExNode *n = ex_node(t, x);
	Ex choice = x;
	int64_t k = 0;
	if (n->kind == EX_POLY) {
		if (n->nterms != 2)
			return false;
		for (int i = 0; i < 2; i++) {
			ExTerm m = n->terms[i];
			if (m.natoms == 0)
				k = m.coef;
			else if (m.natoms == 1 && m.coef == 1)
				choice = m.atoms[0];
		}
	}
	n = ex_node(t, choice);
	if (choice == x ? n->kind != kind : n->kind != kind || k == 0)
		return false;
	Ex a = n->a, b = n->b;
	bool first = ex_is_const(t, a, c);
	if (!first && !ex_is_const(t, b, c))
		return false;
	*u = ex_add(t, first ? b : a, ex_const(t, k));
	return !__builtin_add_overflow(*c, k, c);
}

static Ex min_max(ExprTab *t, ExKind kind, Ex a, Ex b)
{
	Ex u;
	int64_t c, e;
	/* two constants in a chain of choices are one */
	if (ex_is_const(t, b, &e) && split_choice(t, kind, a, &u, &c))
		return min_max(
			t, kind, u,
			ex_const(t, (c < e) == (kind == EX_MIN) ? c : e));
	if (ex_is_const(t, a, &e) && !ex_is_const(t, b, &c) &&
	    split_choice(t, kind, b, &u, &c))
		return min_max(t, kind, b, a);
	if (a == b)
		return a;
	bool overflow = t->overflow;
	int64_t d;
	bool fold =
		ex_is_const(t, ex_sub(t, a, b), &d) && t->overflow == overflow;
	t->overflow = overflow;
	if (fold)
		return (d < 0) == (kind == EX_MIN) ? a : b;
	const ExNode *x = ex_node(t, a), *y = ex_node(t, b);
	if (x->kind == kind && (x->a == b || x->b == b))
		return a;
	if (y->kind == kind && (y->a == a || y->b == a))
		return b;
	if (ex_compare(t, a, b) > 0)
		return node_binary(t, kind, b, a);
	return node_binary(t, kind, a, b);
}

Ex ex_min(ExprTab *t, Ex a, Ex b)
{
	return min_max(t, EX_MIN, a, b);
}

Ex ex_max(ExprTab *t, Ex a, Ex b)
{
	return min_max(t, EX_MAX, a, b);
}
