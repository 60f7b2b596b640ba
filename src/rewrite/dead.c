/*
 * dead: values that no result needs.
 *
 * Requires: a verified program. Ensures: every value but inputs is needed
 * by a result. Inputs stay with their numbers and dims with their
 * bindings, so that a call of the def means what it did. A value that may
 * fault at run time is dropped like any other: a program faults for what it
 * computes.
 */
#include "rewrite/rebuild.h"

static const Rule rows[] = {
	{"dead", NULL, "no result reads it", 0},
};

const RuleSet dead_rules = {rows, ARRAY_LEN(rows)};

Program *rewrite_dead(Ctx *ctx, Arena *a, const Program *p, RewriteLog *log)
{
	Rebuild r;
	rebuild_begin(&r, ctx, a, p, log);
	bool *live = arena_array(a, bool, r.nolds + 1);
	for (size_t i = 0; i < r.q->inputs.n; i++)
		live[r.q->inputs.p[i]] = true;
	for (size_t i = 0; i < r.q->results.n; i++)
		live[r.q->results.p[i].value] = true;
	for (size_t i = r.nolds; i-- > 0;)
		for (uint32_t k = 0; live[i] && k < r.olds[i].nargs; k++)
			live[r.olds[i].args[k]] = true;
	for (ValueId old = 0; old < r.nolds; old++) {
		if (!live[old]) {
			rule_hit(&r, &rows[0], old, NO_VALUE);
			continue;
		}
		Value v = rebuild_value(&r, old);
		r.map[old] = program_add(r.q, &v);
	}
	return rebuild_end(&r);
}
