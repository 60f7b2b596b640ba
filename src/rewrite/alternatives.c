/*
 * alternatives: saturation under a budget, and the dump.
 *
 * Requires: stage 2, verified. Ensures: programs equal to it under the
 * contract, each verified, the first itself. Why: which of them is fast
 * depends on kernels, which are chosen after; the search weighs both.
 * How: all rules on all nodes, then a rebuild; again until nothing is new or
 * the budget is spent.
 */
#include "rewrite/alternatives.h"

#include "rewrite/alternatives_extract.h"
#include "rewrite/egraph.h"

#include <string.h>

#define DEFAULT_NODES  1500
#define DEFAULT_ROUNDS 32
#define MOST_LINES     512 /* of hits, and of what was pruned */

/* Hits are counted by thread, as those of the passes are. */
static TN_THREAD RewriteRule rows[64];
static TN_THREAD size_t nrows;

size_t alternative_rules(const RewriteRule **out)
{
	bug_if(alternatives_count > ARRAY_LEN(rows));
	for (; nrows < alternatives_count; nrows++) {
		const AltRule *r = &alternatives_table[nrows];
		rows[nrows] = (RewriteRule){r->name, r->witness, r->relax, 0};
	}
	*out = rows;
	return nrows;
}

/* ---- the log --------------------------------------------------------- */

typedef struct Log {
	Egraph *g;
	Alternatives *out;
	StrMap *pruned; /* lines */
} Log;

static const AltRule *rule_at(uint32_t i)
{
	return i < alternatives_count ? &alternatives_table[i]
				      : alternatives_planted;
}

static void count_hit(uint32_t rule)
{
	const RewriteRule *r;

	if (rule < alternative_rules(&r))
		rows[rule].hits++;
}

/* matmul(%1, %2); a view with its map. */
static void print_node(Buf *b, const Egraph *g, const Value *v)
{
	buf_puts(b, op_info[v->op].name);
	if (v->op == OP_CAST)
		buf_printf(b, " %s", dtype_info[v->dtype].name);
	if (v->op == OP_INPUT)
		buf_printf(b, " %u", v->index);
	for (uint32_t k = 0; k < v->nargs; k++)
		buf_printf(b, "%s%%%u", k ? ", " : "(",
			   egraph_find(g, v->args[k]));
	if (v->op == OP_VIEW) {
		buf_puts(b, ": ");
		size_t rank = egraph_class(g, v->args[0])->rank;
		for (size_t d = 0; d < rank; d++) {
			buf_puts(b, d ? ", " : "");
			ex_print(b, &g->q->ex, v->map[d]);
		}
	}
	if (op_info[v->op].cls == OPC_REDUCE) {
		const char *sep = ": axes ";
		for (int d = 0; d < TN_MAX_RANK; d++)
			if (v->axes >> d & 1) {
				buf_printf(b, "%s%d", sep, d);
				sep = ", ";
			}
	}
	buf_puts(b, v->nargs ? ")" : "");
}

static void add_hit(Log *l, uint32_t rule, const char *what, Loc loc)
{
	AlternativeHit hit = {rule_at(rule)->name, what, loc};

	count_hit(rule);
	if (l->out->hits.n < MOST_LINES)
		VEC_PUSH(l->g->arena, l->out->hits, hit);
}

static TN_THREAD Log *log_at;

void alternatives_say(Egraph *g, NodeId n, ClassId made)
{
	if (made == NO_VALUE)
		return;
	const Value *v = &egraph_node(g, n)->v;
	ClassId c = egraph_find(g, egraph_node(g, n)->cls);
	made = egraph_find(g, made);
	for (NodeId i = (NodeId)g->nodes.n; i-- > 0;) {
		ENode *e = &g->nodes.p[i];
		if (e->rule == AS_WRITTEN || e->hit != g->hit)
			break;
		e->said |= egraph_find(g, e->cls) == made;
	}
	if (!egraph_merge(g, c, made, g->rule))
		return;
	Buf b;
	buf_init(&b, g->arena);
	buf_printf(&b, "%%%u = ", c);
	print_node(&b, g, v);
	buf_puts(&b, " is ");
	size_t known;
	(void)egraph_nodes(g, made, &known);
	if (known)
		buf_printf(&b, "%%%u", made);
	else
		print_node(&b, g, egraph_class(g, made));
	add_hit(log_at, g->rule, buf_str(&b), v->loc);
}

static void on_same(void *arg, NodeId a, NodeId b)
{
	Log *l = arg;
	const ENode *x = egraph_node(l->g, a), *y = egraph_node(l->g, b);

	if (x->rule == AS_WRITTEN)
		add_hit(l, alternatives_cse,
			arena_printf(l->g->arena, "%%%u = %s is %%%u", y->cls,
				     op_info[y->v.op].name, x->cls),
			y->v.loc);
}

static void on_over(void *arg, const Value *v, int64_t bytes)
{
	Log *l = arg;
	Buf b;
	uint32_t seen;

	buf_init(&b, l->g->arena);
	buf_printf(&b, "%s: ", rule_at(l->g->rule)->name);
	print_node(&b, l->g, v);
	buf_puts(&b, " of ");
	program_print_type(&b, l->g->q, v);
	buf_printf(&b, " is %lld bytes, and the cap is %lld", (long long)bytes,
		   (long long)l->g->max_bytes);
	if (strmap_get(l->pruned, buf_str(&b), &seen) ||
	    l->out->pruned.n == MOST_LINES)
		return;
	strmap_set(l->pruned, buf_str(&b), 1);
	VEC_PUSH(l->g->arena, l->out->pruned, buf_str(&b));
}

/* ---- saturation ------------------------------------------------------ */

static bool listed(const char *list, const char *name)
{
	size_t n = strlen(name);

	for (const char *s = list; s && *s;) {
		size_t len = strcspn(s, ",");
		if ((len == n && !strncmp(s, name, n)) ||
		    (len == 3 && !strncmp(s, "all", 3)))
			return true;
		s += len + (s[len] == ',');
	}
	return false;
}

bool rewrite_rules_known(Ctx *ctx, Arena *a, const char *list)
{
	for (const char *s = list; s && *s;) {
		size_t len = strcspn(s, ",");
		const char *name = arena_strndup(a, s, len);
		bool found = !strcmp(name, "all");
		Buf known;
		buf_init(&known, a);
		buf_puts(&known, "rules:");
		for (size_t i = 0; i < alternatives_count; i++) {
			const char *rule = alternatives_table[i].name;
			found |= !strcmp(rule, name);
			buf_printf(&known, " %s", rule);
		}
		buf_puts(&known, "; all of them: all");
		if (!found)
			return diag_fail(ctx, ERR_USAGE, buf_str(&known),
					 "no rule of alternatives is named "
					 "`%s`",
					 name);
		s += len + (s[len] == ',');
	}
	return true;
}

/* All rules once on each node there is. */
static void round_of_rules(Egraph *g, const char *without)
{
	size_t nodes = g->nodes.n;

	for (uint32_t r = 0; r <= alternatives_count; r++) {
		const AltRule *rule = rule_at(r);
		if (!rule || !rule->apply || listed(without, rule->name))
			continue;
		g->rule = r;
		for (NodeId n = 0; n < nodes && !g->full; n++) {
			const ENode *e = egraph_node(g, n);
			if (e->dead ||
			    (e->v.relax & rule->relax) != rule->relax)
				continue;
			g->hit++;
			rule->apply(g, n);
			g->q->ex.overflow = false;
		}
	}
}

static int64_t default_cap(const Egraph *g)
{
	int64_t most = 0, n;

	for (NodeId i = 0; i < g->nodes.n; i++) {
		const Value *v = &egraph_node(g, i)->v;
		if (egraph_elements(g, v, &n) &&
		    !__builtin_mul_overflow(n, dtype_info[v->dtype].bytes,
					    &n) &&
		    n > most && op_info[v->op].cls != OPC_VIEW)
			most = n;
	}
	return most > INT64_MAX / 4 ? INT64_MAX : 4 * most;
}

/* Values that copies may be made of: each has bits of its own. */
static void say_recomputed(Log *l, const char *without)
{
	const Program *p = l->g->source;

	if (listed(without, alternatives_table[alternatives_recompute].name))
		return;
	for (ValueId v = 0; v < p->values.n; v++) {
		Buf b;
		if (!alternatives_recomputed(l->g->arena, p, v))
			continue;
		buf_init(&b, l->g->arena);
		ClassId c = egraph_find(l->g, l->g->cls[v]);
		buf_printf(&b, "%%%u = ", c);
		print_node(&b, l->g, program_value(p, v));
		buf_puts(&b, " is computed again for each reader");
		add_hit(l, alternatives_recompute, buf_str(&b),
			program_value(p, v)->loc);
	}
}

bool rewrite_alternatives(Ctx *ctx, Arena *a, const Program *p,
			  const AlternativeOptions *o, Alternatives *out)
{
	Egraph *g = arena_new(a, Egraph);
	Log l = {g, out, strmap_new(a)};
	size_t rounds = o->rounds ? o->rounds : DEFAULT_ROUNDS;

	*out = (Alternatives){.graph = g};
	if (!rewrite_rules_known(ctx, a, o->without))
		return false;
	log_at = &l;
	g->max_nodes = o->nodes ? o->nodes : DEFAULT_NODES;
	g->dims = o->dims;
	g->over = on_over;
	g->same = on_same;
	g->arg = &l;
	egraph_init(g, a, p);
	g->max_bytes = o->max_bytes ? o->max_bytes : default_cap(g);
	for (g->changed = true; g->changed && !g->full && out->rounds < rounds;
	     out->rounds++) {
		g->changed = false;
		round_of_rules(g, o->without);
		egraph_rebuild(g);
	}
	out->saturated = !g->changed && !g->full;
	say_recomputed(&l, o->without);
	out->classes = egraph_classes(g);
	for (NodeId n = 0; n < g->nodes.n; n++)
		out->nodes += !g->nodes.p[n].dead;
	alternatives_extract(ctx, g, o, out);
	log_at = NULL;
	g->arg = NULL;
	return true;
}

/* ---- the dump -------------------------------------------------------- */

static void print_classes(const Egraph *g, Buf *b)
{
	buf_puts(b, "classes\n");
	for (ClassId c = 0; c < g->q->values.n; c++) {
		size_t n;
		const NodeId *list = egraph_nodes(g, c, &n);
		const Value *v = egraph_class(g, c);
		if (!n)
			continue;
		buf_printf(b, "  %%%u%s%s: ", c, v->name ? " " : "",
			   v->name ? v->name : "");
		program_print_type(b, g->q, v);
		buf_putc(b, '\n');
		for (size_t i = 0; i < n; i++) {
			const ENode *e = egraph_node(g, list[i]);
			buf_puts(b, "    ");
			print_node(b, g, &e->v);
			buf_printf(b, "  # %s\n",
				   e->rule == AS_WRITTEN
					   ? "as written"
					   : rule_at(e->rule)->name);
		}
	}
}

static void print_place(Buf *b, const Program *p, Loc loc)
{
	if (loc.line)
		buf_printf(b, "%s:%u:%u: ",
			   loc.file < p->sources.n ? p->sources.p[loc.file]
						   : "",
			   loc.line, loc.col);
}

void alternatives_print(const Alternatives *x, Buf *b)
{
	const Egraph *g = x->graph;
	const Program *p = g->source;

	buf_printf(b,
		   "alternatives of %s: %zu classes, %zu nodes, %zu rounds, "
		   "%s\n",
		   p->name, x->classes, x->nodes, x->rounds,
		   x->saturated ? "saturated" : "ended by the budget");
	print_classes(g, b);
	buf_puts(b, "rules that fired\n");
	for (size_t i = 0; i < x->hits.n; i++) {
		const AlternativeHit *h = &x->hits.p[i];
		buf_puts(b, "  ");
		print_place(b, p, h->loc);
		buf_printf(b, "%s: %s\n", h->rule, h->what);
	}
	buf_puts(b, "pruned by the cap\n");
	for (size_t i = 0; i < x->pruned.n; i++)
		buf_printf(b, "  %s\n", x->pruned.p[i]);
	buf_puts(b, "programs\n");
	for (size_t i = 0; i < x->list.n; i++) {
		const Alternative *alt = &x->list.p[i];
		buf_printf(b, "%zu: %s, work %.0f, bytes %.0f, key %.12s\n", i,
			   *alt->rules ? alt->rules : "as written", alt->work,
			   alt->bytes, alt->key);
		program_print(alt->program, b);
	}
}
