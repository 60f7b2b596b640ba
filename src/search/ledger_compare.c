/*
 * ledger_compare: two plans of the ledger, and where they part.
 */
#include "search/ledger_own.h"
#include "ir/plan.h"

#include <string.h>

#define DIGITS 4 /* of an identity, at the least */

typedef struct Side {
	Arena *a;
	const char *identity;
	PlanParts parts;
	VEC(const char *) kernels; /* k0 contract region 0 mr=6 ... */
	VEC(CandInfo) timed;       /* by searches */
	VEC(const char *) found;   /* identities with the beginning asked for */
} Side;

static bool take_identity(void *arg, sqlite3_stmt *row)
{
	Side *s = arg;

	VEC_PUSH(s->a, s->found, ledger_text(s->a, row, 0));
	return true;
}

static bool take_timed(void *arg, sqlite3_stmt *row)
{
	Side *s = arg;
	CandInfo c;

	ledger_read_cand(s->a, row, &c);
	VEC_PUSH(s->a, s->timed, c);
	return true;
}

static bool is_beginning(const char *s)
{
	size_t n = strlen(s);

	return n >= DIGITS && n < SHA256_HEX &&
	       strspn(s, "0123456789abcdef") == n;
}

static bool find_identity(Report *r, const char *asked, Side *s)
{
	Ctx *ctx = r->l->ctx;

	if (!asked || !is_beginning(asked))
		return diag_fail(ctx, ERR_USAGE,
				 "plans are named by the first digits of their "
				 "identity, four or more",
				 "`%s` is no identity of a plan",
				 asked ? asked : "");
	if (!ledger_sql(r->l, take_identity, s,
			"SELECT identity FROM plan WHERE identity >= ?1 AND "
			"identity < ?1 || 'g' ORDER BY identity LIMIT 3",
			"t", asked))
		return false;
	if (!s->found.n)
		return diag_fail(ctx, ERR_USAGE,
				 "`tenon ledger --all` shows the plans of "
				 "searches; only what they chose is kept",
				 "the ledger %s keeps no plan %s", r->l->path,
				 asked);
	if (s->found.n > 1)
		return diag_fail(ctx, ERR_USAGE, "give more digits",
				 "%s may be the plan %.12s or %.12s", asked,
				 s->found.p[0], s->found.p[1]);
	s->identity = s->found.p[0];
	return true;
}

/* The first line of each kernel, but for the note. */
static void read_kernels(Side *s)
{
	const char *p = s->parts.kernels;

	while (p && *p) {
		size_t n = strcspn(p, "\n");
		if (strncmp(p, "kernel ", 7) == 0) {
			char *line = arena_strndup(s->a, p + 7, n - 7);
			char *note = strstr(line, " note \"");
			if (note)
				*note = '\0';
			VEC_PUSH(s->a, s->kernels, line);
		}
		p += n + (p[n] == '\n');
	}
}

static bool read_side(Report *r, const char *asked, Side *s)
{
	const char *why;

	s->a = r->a;
	if (!find_identity(r, asked, s))
		return false;
	const char *text = ledger_plan_text(r->l, r->a, s->identity, &why);
	if (why)
		return diag_fail(r->l->ctx, ERR_ENV,
				 "search anew, and it is kept again",
				 "the plan %.12s in the ledger %s: %s",
				 s->identity, r->l->path, why);
	if (!text || !plan_parts(r->l->ctx, r->a, r->l->path, text,
				 strlen(text), false, &s->parts))
		return false;
	read_kernels(s);
	return ledger_sql(r->l, take_timed, s,
			  "SELECT " CAND_COLUMNS " FROM " CAND_TABLES
			  " WHERE c.plan = ?1 AND c.measured_us IS NOT NULL "
			  "ORDER BY c.search, c.ord",
			  "t", s->identity);
}

/* ---- what differs ------------------------------------------------------ */

/* The first line in which two texts differ; each side's, "" past its end. */
typedef struct Parting {
	int64_t line; /* from 1; 0: they are the same */
	const char *a, *b;
} Parting;

static Parting part(Arena *arena, const char *a, const char *b)
{
	for (int64_t line = 1; *a || *b; line++) {
		size_t n = strcspn(a, "\n"), m = strcspn(b, "\n");
		if (n != m || memcmp(a, b, n) != 0 || a[n] != b[m])
			return (Parting){line, arena_strndup(arena, a, n),
					 arena_strndup(arena, b, m)};
		a += n + (a[n] == '\n');
		b += m + (b[m] == '\n');
	}
	return (Parting){0};
}

static void put_part(Report *r, const char *name, const char *a, const char *b)
{
	Parting p = part(r->a, a ? a : "", b ? b : "");

	if (r->q->json) {
		json_open(&r->j, NULL, '{');
		json_text(&r->j, "part", name);
		json_int(&r->j, "line", p.line);
		json_text(&r->j, "a", p.line ? p.a : NULL);
		json_text(&r->j, "b", p.line ? p.b : NULL);
		json_close(&r->j, '}');
	} else if (!p.line) {
		buf_printf(r->out, "%-9s  same\n", name);
	} else {
		buf_printf(r->out,
			   "%-9s  differs in line %lld\n  a  %s\n  b  %s\n",
			   name, (long long)p.line, p.a, p.b);
	}
}

static void put_kernels(Report *r, const Side *a, const Side *b)
{
	size_t n = a->kernels.n > b->kernels.n ? a->kernels.n : b->kernels.n;

	for (size_t i = 0; i < n; i++)
		put_part(r, arena_printf(r->a, "kernel %zu", i),
			 i < a->kernels.n ? a->kernels.p[i] : "none",
			 i < b->kernels.n ? b->kernels.p[i] : "none");
	n = a->parts.sources.n > b->parts.sources.n ? a->parts.sources.n
						    : b->parts.sources.n;
	for (size_t i = 0; i < n; i++)
		put_part(r, arena_printf(r->a, "source %zu", i),
			 i < a->parts.sources.n ? a->parts.sources.p[i] : "",
			 i < b->parts.sources.n ? b->parts.sources.p[i] : "");
}

static void put_parts(Report *r, const Side *a, const Side *b)
{
	put_part(r, "program", a->parts.program, b->parts.program);
	put_part(r, "target", a->parts.target, b->parts.target);
	put_part(r, "compiler", a->parts.compiler, b->parts.compiler);
	put_part(r, "flags", a->parts.flags, b->parts.flags);
	put_kernels(r, a, b);
}

/* ---- times ------------------------------------------------------------- */

static void times_text(Report *r, char name, const Side *s)
{
	Table t;

	buf_printf(r->out, "\ntimes of %c\n", name);
	if (!s->timed.n)
		buf_puts(r->out, "  none in the ledger\n");
	if (!s->timed.n)
		return;
	table_init(&t, r->a,
		   ">search|>order|state|>predicted us|>measured us|ratio");
	for (size_t i = 0; i < s->timed.n; i++) {
		const CandInfo *c = &s->timed.p[i];
		table_cell(&t,
			   arena_printf(r->a, "%lld", (long long)c->search));
		table_cell(&t, arena_printf(r->a, "%lld", (long long)c->order));
		table_cell(&t, c->state < CAND_STATES
				       ? cand_state_name[c->state]
				       : "?");
		table_cell(&t, us_text(r->a, c->predicted_us));
		table_cell(&t, us_text(r->a, c->measured_us));
		table_cell(&t, ratio_text(r->a, c));
	}
	table_print(&t, "  ", r->out);
}

static void times_json(Report *r, const char *key, const Side *s)
{
	json_open(&r->j, key, '[');
	for (size_t i = 0; i < s->timed.n; i++) {
		json_open(&r->j, NULL, '{');
		cand_json(r, &s->timed.p[i]);
		json_close(&r->j, '}');
	}
	json_close(&r->j, ']');
}

bool report_compare(Report *r)
{
	Side a = {0}, b = {0};

	if (!read_side(r, r->q->compare[0], &a) ||
	    !read_side(r, r->q->compare[1], &b))
		return false;
	if (r->q->json) {
		json_open(&r->j, "compare", '{');
		json_text(&r->j, "a", a.identity);
		json_text(&r->j, "b", b.identity);
		json_open(&r->j, "parts", '[');
		put_parts(r, &a, &b);
		json_close(&r->j, ']');
		times_json(r, "times_a", &a);
		times_json(r, "times_b", &b);
		json_close(&r->j, '}');
		return true;
	}
	buf_printf(r->out, "a  %s\nb  %s\n\n", a.identity, b.identity);
	put_parts(r, &a, &b);
	times_text(r, 'a', &a);
	times_text(r, 'b', &b);
	return true;
}
