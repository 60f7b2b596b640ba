/*
 * ledger_refuted: what would have been faster, and is wrong or illegal.
 *
 * Candidates that were refused, wrong, or crashed are weighed against what is
 * chosen, in measured times where both have one, else in predicted ones; a time
 * of one kind is never held against one of the other. What no model can predict
 * and nothing has timed is counted.
 */
#include "search/ledger_own.h"

#include <string.h>

static const CandState refutes[] = {CAND_WRONG, CAND_CRASHED, CAND_REFUSED};
#define REFUTES ARRAY_LEN(refutes)

/* A candidate that is ruled out, beside the chosen one. */
typedef struct Ruled {
	bool any, measured; /* in measured times */
	CandInfo cand;
	double us, chosen_us; /* 0: there is none of the same kind */
} Ruled;

typedef struct Refuted {
	Report *r;
	VEC(CandInfo) chosen;
	Ruled best[REFUTES], first; /* by state, and of all */
	int64_t unknown[REFUTES];   /* without any time */
} Refuted;

static bool take_chosen(void *arg, sqlite3_stmt *row)
{
	Refuted *x = arg;
	CandInfo c;

	ledger_read_cand(x->r->a, row, &c);
	VEC_PUSH(x->r->a, x->chosen, c);
	return true;
}

static bool same_place(const CandInfo *a, const CandInfo *b)
{
	return a->region == b->region && a->variant && b->variant &&
	       strcmp(a->variant, b->variant) == 0;
}

static const CandInfo *chosen_at(const Refuted *x, const CandInfo *c)
{
	for (size_t i = 0; i < x->chosen.n; i++)
		if (same_place(&x->chosen.p[i], c))
			return &x->chosen.p[i];
	return NULL;
}

/* That of its place; else the fastest, for what is measured is the time of a
 * whole call, whatever changed in it. NULL: none has a time. */
static const CandInfo *measured_rival(const Refuted *x, const CandInfo *c)
{
	const CandInfo *best = chosen_at(x, c);

	if (best && best->measured_us > 0)
		return best;
	best = NULL;
	for (size_t i = 0; i < x->chosen.n; i++) {
		const CandInfo *y = &x->chosen.p[i];
		if (y->measured_us > 0 &&
		    (!best || y->measured_us < best->measured_us))
			best = y;
	}
	return best;
}

/* What is predicted of its place; of all places, for what is of all; of the
 * only one. 0: not known. */
static double predicted_rival(const Refuted *x, const CandInfo *c)
{
	const CandInfo *at = chosen_at(x, c);
	double sum = 0;

	if (at)
		return at->predicted_us;
	if (c->region >= 0 && x->chosen.n != 1)
		return 0;
	for (size_t i = 0; i < x->chosen.n; i++) {
		if (!(x->chosen.p[i].predicted_us > 0))
			return 0;
		sum += x->chosen.p[i].predicted_us;
	}
	return sum;
}

static Ruled weigh(const Refuted *x, const CandInfo *c)
{
	const CandInfo *other = measured_rival(x, c);
	Ruled w = {.cand = *c};

	w.measured = c->measured_us > 0 && (other || !(c->predicted_us > 0));
	w.us = w.measured ? c->measured_us : c->predicted_us;
	if (!w.measured)
		w.chosen_us = predicted_rival(x, c);
	else if (other)
		w.chosen_us = other->measured_us;
	w.any = w.us > 0;
	return w;
}

/* By what they gain on the chosen one; by time where there is none. */
static bool is_faster(const Ruled *a, const Ruled *b)
{
	if (!b->any)
		return true;
	if ((a->chosen_us > 0) != (b->chosen_us > 0))
		return a->chosen_us > 0;
	if (a->chosen_us > 0)
		return a->us * b->chosen_us < b->us * a->chosen_us;
	return a->us < b->us;
}

static bool take_refuted(void *arg, sqlite3_stmt *row)
{
	Refuted *x = arg;
	CandInfo c;
	size_t kind = 0;

	ledger_read_cand(x->r->a, row, &c);
	while (kind < REFUTES && refutes[kind] != c.state)
		kind++;
	bug_if(kind == REFUTES);
	Ruled w = weigh(x, &c);
	if (!w.any)
		x->unknown[kind]++;
	if (w.any && is_faster(&w, &x->best[kind]))
		x->best[kind] = w;
	if (w.any && is_faster(&w, &x->first))
		x->first = w;
	return true;
}

static bool find(Refuted *x, int64_t search)
{
	return ledger_sql(x->r->l, take_chosen, x,
			  "SELECT " CAND_COLUMNS " FROM " CAND_TABLES
			  " WHERE c.search = ?1 AND c.state = 'chosen' "
			  "ORDER BY c.ord",
			  "i", search) &&
	       ledger_sql(x->r->l, take_refuted, x,
			  "SELECT " CAND_COLUMNS " FROM " CAND_TABLES
			  " WHERE c.search = ?1 AND c.state IN "
			  "('wrong', 'crashed', 'refused') ORDER BY c.ord",
			  "i", search);
}

/* ---- for people -------------------------------------------------------- */

static const char *kind_text(const Ruled *w)
{
	return w->measured ? "measured" : "predicted";
}

/* predicted 150.1 us; it was refuted before it was timed */
static const char *cost_text(Arena *a, const Ruled *w)
{
	const CandInfo *c = &w->cand;
	Buf b;

	buf_init(&b, a);
	if (c->predicted_us > 0)
		buf_printf(&b, "predicted %s us", us_text(a, c->predicted_us));
	buf_puts(&b, b.n ? ", " : "");
	if (c->measured_us > 0)
		buf_printf(&b, "measured %s us", us_text(a, c->measured_us));
	else
		buf_puts(&b, c->state == CAND_REFUSED
				     ? "not timed: it is refused"
				     : "not timed: it was refuted before");
	return buf_str(&b);
}

static const char *given_text(Arena *a, const Ruled *w)
{
	double gain = w->chosen_us - w->us;

	if (!(w->chosen_us > 0))
		return "not known: no chosen candidate has such a time";
	if (gain <= 0)
		return arena_printf(a, "nothing: the chosen one is %s %s us",
				    kind_text(w), us_text(a, w->chosen_us));
	return arena_printf(a, "%s us of the %s %s us (%.1f %%)",
			    us_text(a, gain), us_text(a, w->chosen_us),
			    kind_text(w), 100 * gain / w->chosen_us);
}

static void chosen_text(Report *r, const Refuted *x)
{
	for (size_t i = 0; i < x->chosen.n; i++) {
		const CandInfo *c = &x->chosen.p[i];
		buf_printf(r->out,
			   "chosen     %lld: %s   %s\n"
			   "           predicted %s us, measured %s us\n",
			   (long long)c->order, c->chosen ? c->chosen : "",
			   cand_place(r->a, c), us_text(r->a, c->predicted_us),
			   us_text(r->a, c->measured_us));
	}
	if (!x->chosen.n)
		buf_puts(r->out, "chosen     none\n");
}

static void ruled_text(Report *r, const char *title, const Ruled *w)
{
	const CandInfo *c = &w->cand;

	buf_printf(r->out,
		   "\n%s\n  candidate  %lld: %s   %s\n  ruled out  %s: %s\n"
		   "  cost       %s\n  given up   %s\n",
		   title, (long long)c->order, c->chosen ? c->chosen : "",
		   cand_place(r->a, c), cand_state_name[c->state],
		   c->reason && *c->reason ? c->reason : "no reason given",
		   cost_text(r->a, w), given_text(r->a, w));
}

static void text(Report *r, const SearchRow *s, const Refuted *x)
{
	int64_t all = 0;

	search_title(r, s);
	chosen_text(r, x);
	for (size_t i = 0; i < REFUTES; i++)
		all += s->count[refutes[i]];
	if (!x->first.any)
		buf_printf(r->out, "\n%s\n",
			   all ? "none that was wrong or illegal has a time"
			       : "none was wrong or illegal");
	else
		ruled_text(r, "the fastest that is wrong or illegal",
			   &x->first);
	for (size_t i = 0; i < REFUTES; i++)
		if (x->best[i].any && x->best[i].cand.id != x->first.cand.id)
			ruled_text(r,
				   arena_printf(r->a, "the fastest of the %s",
						cand_state_name[refutes[i]]),
				   &x->best[i]);
	buf_putc(r->out, '\n');
	for (size_t i = 0; i < REFUTES; i++)
		if (s->count[refutes[i]])
			buf_printf(r->out,
				   "%s %lld, of which %lld have no time to be "
				   "weighed by\n",
				   cand_state_name[refutes[i]],
				   (long long)s->count[refutes[i]],
				   (long long)x->unknown[i]);
}

/* ---- JSON -------------------------------------------------------------- */

static void ruled_json(Report *r, const char *key, const Ruled *w)
{
	Json *j = &r->j;

	if (!w->any) {
		json_text(j, key, NULL);
		return;
	}
	json_open(j, key, '{');
	cand_json(r, &w->cand);
	json_text(j, "weighed_by", kind_text(w));
	json_us(j, "us", w->us);
	json_us(j, "chosen_us", w->chosen_us);
	json_us(j, "given_up_us",
		w->chosen_us > w->us ? w->chosen_us - w->us : 0);
	json_close(j, '}');
}

static void json(Report *r, const Refuted *x)
{
	Json *j = &r->j;

	json_open(j, "chosen", '[');
	for (size_t i = 0; i < x->chosen.n; i++) {
		json_open(j, NULL, '{');
		cand_json(r, &x->chosen.p[i]);
		json_close(j, '}');
	}
	json_close(j, ']');
	ruled_json(r, "fastest", &x->first);
	json_open(j, "by_state", '{');
	for (size_t i = 0; i < REFUTES; i++)
		ruled_json(r, cand_state_name[refutes[i]], &x->best[i]);
	json_close(j, '}');
	json_open(j, "without_time", '{');
	for (size_t i = 0; i < REFUTES; i++)
		json_int(j, cand_state_name[refutes[i]], x->unknown[i]);
	json_close(j, '}');
}

bool report_refuted(Report *r, const SearchRow *s)
{
	Refuted x = {.r = r};

	if (!find(&x, s->info.id))
		return false;
	if (r->q->json)
		json(r, &x);
	else
		text(r, s, &x);
	return true;
}
