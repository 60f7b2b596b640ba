/*
 * explain_field: what else each kernel could be, and why it is what it is.
 *
 * Candidates of each region are enumerated as a search does it, with their
 * predicted times where every size is known; what a search of the ledger
 * measured of this plan is told behind them.
 */
#include "driver/explain.h"

#include "search/ledger.h"

#include <stdlib.h>
#include <string.h>

#define BEST    3
#define REASONS 4

typedef struct Reason {
	const char *text;
	size_t n;
} Reason;

typedef struct Named {
	Chosen chosen;
	Cost cost;
} Named;

typedef struct Field {
	Arena *a;
	const Regions *r;
	uint32_t region;
	const Target *t;
	const int64_t *dims; /* NULL: some are not known */
	size_t considered, legal, rank;
	double chosen; /* predicted us of the plan's own; 0: none */
	VEC(Reason) reasons;
	Named best[BEST];
	size_t nbest;
} Field;

/* `a tile of 14 x 32 needs ...`: reasons that differ in numbers are one. */
static const char *without_numbers(Arena *a, const char *s)
{
	Buf b;

	buf_init(&b, a);
	for (; *s; s++) {
		bool digit = *s >= '0' && *s <= '9';
		if (!digit)
			buf_putc(&b, *s);
		else if (!(s[1] >= '0' && s[1] <= '9'))
			buf_putc(&b, 'N');
	}
	return buf_str(&b);
}

static void add_reason(Field *f, const char *why)
{
	const char *text = without_numbers(f->a, why);

	for (size_t i = 0; i < f->reasons.n; i++)
		if (!strcmp(f->reasons.p[i].text, text)) {
			f->reasons.p[i].n++;
			return;
		}
	Reason r = {text, 1};
	VEC_PUSH(f->a, f->reasons, r);
}

static bool add(void *arg, const Realisation *re, const Candidate *c,
		const char *refused)
{
	Field *f = arg;
	Named x = {.chosen = {.realisation = re}};

	f->considered++;
	if (refused) {
		add_reason(f,
			   c ? refused
			     : arena_printf(f->a, "%s: %s", re->name, refused));
		return true;
	}
	f->legal++;
	x.chosen.candidate = *c;
	if (f->dims)
		x.cost =
			realise_cost(f->r, f->region, f->t, &x.chosen, f->dims);
	if (x.cost.us <= 0)
		return true;
	f->rank += x.cost.us < f->chosen;
	size_t at = f->nbest;
	while (at > 0 && f->best[at - 1].cost.us > x.cost.us)
		at--;
	if (at == BEST)
		return true;
	size_t last = f->nbest < BEST ? f->nbest++ : BEST - 1;
	memmove(&f->best[at + 1], &f->best[at], (last - at) * sizeof(x));
	f->best[at] = x;
	return true;
}

static bool is_chosen(const Kernel *k, const Chosen *c)
{
	if (strcmp(k->realisation, c->realisation->name) != 0 ||
	    k->params.n != c->candidate.nparams)
		return false;
	for (size_t i = 0; i < k->params.n; i++)
		if (k->params.p[i].value != c->candidate.params[i].value)
			return false;
	return true;
}

static double predicted(const Field *f, const Kernel *k)
{
	Buf b;
	Chosen c;

	buf_init(&b, f->a);
	buf_puts(&b, k->realisation);
	for (size_t i = 0; i < k->params.n; i++)
		buf_printf(&b, " %s=%lld", k->params.p[i].name,
			   (long long)k->params.p[i].value);
	if (!f->dims || !chosen_parse(f->t, buf_str(&b), &c))
		return 0;
	return realise_cost(f->r, f->region, f->t, &c, f->dims).us;
}

static int by_count(const void *a, const void *b)
{
	const Reason *x = a, *y = b;

	return x->n != y->n ? (x->n > y->n ? -1 : 1) : strcmp(x->text, y->text);
}

static void put_reasons(Buf *b, Field *f)
{
	if (f->reasons.n > 1)
		qsort(f->reasons.p, f->reasons.n, sizeof(Reason), by_count);
	for (size_t i = 0; i < f->reasons.n && i < REASONS; i++)
		buf_printf(b, "       refused %zu: %s\n", f->reasons.p[i].n,
			   f->reasons.p[i].text);
	if (f->reasons.n > REASONS)
		buf_printf(b, "       and for %zu other reasons\n",
			   f->reasons.n - REASONS);
}

static void put_cost(Buf *b, const Cost *c)
{
	buf_printf(b,
		   "%.4g us = max(compute %.4g, memory %.4g) + move %.3g + "
		   "start %.3g",
		   c->us, c->compute, c->memory, c->move, c->start);
}

static void put_best(Buf *b, const Field *f, const Kernel *k)
{
	for (size_t i = 0; i < f->nbest; i++) {
		const Named *x = &f->best[i];
		buf_puts(b, "       ");
		put_cost(b, &x->cost);
		buf_puts(b, ": ");
		chosen_print(b, &x->chosen);
		if (is_chosen(k, &x->chosen))
			buf_puts(b, " (this plan's)");
		buf_putc(b, '\n');
	}
}

static void put_region(Buf *b, Field *f, const Kernel *k)
{
	f->chosen = predicted(f, k);
	realise_candidates(f->a, f->r, f->region, f->t, NULL, 0, add, f);
	buf_printf(b, "   %s %s: %zu candidates considered, %zu of them legal",
		   k->name, k->realisation, f->considered, f->legal);
	if (f->chosen > 0)
		buf_printf(b,
			   "; predicted %.4g us, %zu are predicted to be "
			   "faster",
			   f->chosen, f->rank);
	buf_putc(b, '\n');
	put_reasons(b, f);
	put_best(b, f, k);
}

static const int64_t *known_dims(const TenonPlan *p)
{
	const TenonProgram *q = p->program;

	for (size_t i = 0; i < q->p->ex.dims.n; i++)
		if (q->dims[i] < 0)
			return NULL;
	return q->dims;
}

/* A ledger that is not there is not made; one that cannot be read is told. */
static void put_measured(Buf *b, Arena *a, TenonPlan *p)
{
	Ctx *ctx = &p->c->ctx;
	const char *folder, *path;
	Ledger *l;

	if (!cache_dir(NULL, a, &folder))
		return;
	path = arena_printf(a, "%s/ledger.sqlite", folder);
	if (!file_exists(path))
		return;
	l = ledger_open(ctx, path);
	if (!l || !ledger_field(l, a, plan_identity(p->plan), b)) {
		api_notice(p->c, "%s", context_take_error(p->c, a));
	}
	if (l)
		ledger_close(l);
}

void explain_field(Buf *b, Arena *a, TenonPlan *p)
{
	const Plan *plan = p->plan;
	Target t;
	const Isa *isa;

	bool made = p->regions &&
		    target_find(p->c, a, plan->target, false, &t, &isa);
	ctx_clear_errors(&p->c->ctx);
	buf_puts(b, "   what else each kernel could be\n");
	for (size_t i = 0; made && i < plan->kernels->kernels.n; i++) {
		const Kernel *k = &plan->kernels->kernels.p[i];
		Field f = {.a = a,
			   .r = p->regions,
			   .region = k->region,
			   .t = &t,
			   .dims = known_dims(p)};
		put_region(b, &f, k);
	}
	if (!made)
		buf_puts(b,
			 "   read from a file: explain the program to see\n");
	put_measured(b, a, p);
	buf_putc(b, '\n');
}
