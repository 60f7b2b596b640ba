/*
 * rebuild: making the new program of a pass, and the account of its rules.
 *
 * The new program starts as a copy of the old one without its values, so
 * that expressions keep their ids and dims their numbers. Values come back
 * one by one, in the old order, which keeps the result topological.
 */
#include "rewrite/rebuild.h"

#include <string.h>

void rebuild_begin(Rebuild *r, Ctx *ctx, Arena *a, const Program *p,
		   RewriteLog *log)
{
	Program *q = program_copy(a, p);
	*r = (Rebuild){.ctx = ctx,
		       .old = p,
		       .q = q,
		       .olds = q->values.p,
		       .nolds = q->values.n,
		       .log = log};
	r->uses = program_uses(a, p);
	r->map = arena_array(a, ValueId, r->nolds ? r->nolds : 1);
	for (size_t i = 0; i < r->nolds; i++)
		r->map[i] = NO_VALUE;
	q->values.p = NULL;
	q->values.n = q->values.cap = 0;
}

Value rebuild_value(const Rebuild *r, ValueId old)
{
	Value v = r->olds[old];
	ValueId *args = arena_array(r->q->arena, ValueId, v.nargs + 1);
	for (uint32_t i = 0; i < v.nargs; i++) {
		args[i] = r->map[v.args[i]];
		bug_if(args[i] == NO_VALUE);
	}
	v.args = args;
	return v;
}

void rebuild_all(Rebuild *r, const RuleSet *set)
{
	for (ValueId old = 0; old < r->nolds; old++) {
		Value v = rebuild_value(r, old);
		ValueId made = NO_VALUE;
		for (size_t i = 0; i < set->n && made == NO_VALUE; i++) {
			const Rule *rule = &set->rules[i];
			if ((v.relax & rule->relax) != rule->relax)
				continue;
			r->note = NULL;
			made = rule->apply(r, old, &v);
			if (made != NO_VALUE)
				rule_hit(r, rule, old, made);
		}
		r->map[old] = made != NO_VALUE ? made : program_add(r->q, &v);
	}
}

/* What became of stage 1's values, through all passes so far. */
static void follow(Rebuild *r)
{
	const Program *p = r->old;
	size_t n = p->now ? p->nnow : r->nolds;
	ValueId *now = arena_array(r->q->arena, ValueId, n + 1);

	for (size_t i = 0; i < n; i++) {
		ValueId at = p->now ? p->now[i] : (ValueId)i;
		now[i] = at == NO_VALUE ? NO_VALUE : r->map[at];
	}
	r->q->now = now;
	r->q->nnow = n;
}

Program *rebuild_end(Rebuild *r)
{
	Program *q = r->q;
	follow(r);
	for (size_t i = 0; i < q->inputs.n; i++)
		q->inputs.p[i] = r->map[q->inputs.p[i]];
	for (size_t i = 0; i < q->results.n; i++)
		q->results.p[i].value = r->map[q->results.p[i].value];
	for (size_t i = 0; i < q->donated.n; i++)
		q->donated.p[i] = r->map[q->donated.p[i]];
	return q;
}

/* ---- the rows -------------------------------------------------------- */

#define MAX_RULES 96

/* Hits are counted by thread: passes of several threads do not meet. */
static TN_THREAD RewriteRule rows[MAX_RULES];
static TN_THREAD size_t nrows;

static void rows_init(void)
{
	const RuleSet *const sets[] = {&constants_rules, &cse_rules,
				       &views_rules, &relaxations_rules,
				       &dead_rules};
	for (size_t s = 0; s < ARRAY_LEN(sets); s++) {
		for (size_t i = 0; i < sets[s]->n; i++) {
			const Rule *rule = &sets[s]->rules[i];
			bug_if(nrows == MAX_RULES);
			rows[nrows++] = (RewriteRule){rule->name, rule->witness,
						      rule->relax, 0};
		}
	}
}

size_t rewrite_rules(const RewriteRule **out)
{
	if (!nrows)
		rows_init();
	*out = rows;
	return nrows;
}

/*
 * A value that stands for another takes over the author's name if it has
 * none of its own, so that explain and pins still find it.
 */
static void inherit_name(Rebuild *r, ValueId made, ValueId old)
{
	Value *v = program_value(r->q, made);
	const Value *o = &r->olds[old];
	if (v->name || !o->name || op_info[v->op].cls == OPC_LEAF)
		return;
	v->name = o->name;
}

/* How a reader knows a value: its op and the author's name. */
static const char *describe(Rebuild *r, const Value *v)
{
	return arena_printf(r->q->arena, "%s%s%s", op_info[v->op].name,
			    v->name ? " " : "", v->name ? v->name : "");
}

void rule_hit(Rebuild *r, const Rule *rule, ValueId old, ValueId made)
{
	if (!nrows)
		rows_init();
	for (size_t i = 0; i < nrows; i++)
		if (strcmp(rows[i].name, rule->name) == 0)
			rows[i].hits++;
	if (made != NO_VALUE)
		inherit_name(r, made, old);
	if (!r->log)
		return;
	const char *to = made == NO_VALUE
				 ? "nothing"
				 : describe(r, program_value(r->q, made));
	RewriteHit hit = {.rule = rule->name, .loc = r->olds[old].loc};
	hit.what = arena_printf(r->q->arena, "%s becomes %s%s%s",
				describe(r, &r->olds[old]), to,
				r->note ? ": " : "", r->note ? r->note : "");
	VEC_PUSH(r->q->arena, r->log->hits, hit);
}
