/*
 * cse: one value for equal op, operands and attributes.
 *
 * Requires: a verified program. Ensures: no two values compute the same
 * from the same. Why: a value has one bit pattern for all its consumers, so
 * two equal ones are computed and stored once. The earlier place and name
 * stay. Operands of commutative ops are compared in sorted order; results
 * that are NaN may then differ in payload, which the contract leaves open.
 */
#include "rewrite/rebuild.h"

#include "ir/view.h"

#include <string.h>

/* Everything that decides a value's bits, without place and name. */
static bool same_value(const Value *a, const Value *b)
{
	if (a->op != b->op || a->dtype != b->dtype || a->nargs != b->nargs ||
	    a->acc != b->acc || a->axes != b->axes || a->axis != b->axis ||
	    a->index != b->index || a->relax != b->relax ||
	    a->data_size != b->data_size || !value_same_shape(a, b))
		return false;
	if (memcmp(a->perm, b->perm, sizeof(a->perm)) != 0 ||
	    memcmp(a->start, b->start, sizeof(a->start)) != 0 ||
	    memcmp(a->step, b->step, sizeof(a->step)) != 0 ||
	    memcmp(a->map, b->map, sizeof(a->map)) != 0)
		return false;
	if (a->data_size && memcmp(a->data, b->data, a->data_size) != 0)
		return false;
	if ((a->file != NULL) != (b->file != NULL) ||
	    (a->tensor != NULL) != (b->tensor != NULL) ||
	    (a->file && strcmp(a->file, b->file) != 0) ||
	    (a->tensor && strcmp(a->tensor, b->tensor) != 0))
		return false;
	if (op_has(a->op, 'C') && a->args[0] == b->args[1] &&
	    a->args[1] == b->args[0])
		return true;
	return !a->nargs ||
	       memcmp(a->args, b->args, a->nargs * sizeof(ValueId)) == 0;
}

static uint64_t value_hash(const Value *v)
{
	uint64_t h = (uint64_t)v->op * 64 + v->dtype;
	if (v->data_size)
		h = hash_bytes(v->data, v->data_size, h);
	uint64_t args = 0; /* a sum: the same in either order of operands */
	for (uint32_t i = 0; i < v->nargs; i++)
		args += hash_bytes(&v->args[i], sizeof(ValueId), h);
	return hash_bytes(&args, sizeof(args), h);
}

/* Values made so far by hash: chains through `next`, ids plus one. */
typedef struct Seen {
	size_t cap; /* a power of two */
	uint32_t *head, *next;
} Seen;

static ValueId seen_find(const Seen *s, const Program *q, const Value *v)
{
	uint32_t at = s->head[value_hash(v) & (s->cap - 1)];
	for (; at; at = s->next[at - 1])
		if (same_value(program_value(q, at - 1), v))
			return at - 1;
	return NO_VALUE;
}

static void seen_add(Seen *s, const Program *q, ValueId id)
{
	uint32_t *head =
		&s->head[value_hash(program_value(q, id)) & (s->cap - 1)];
	s->next[id] = *head;
	*head = id + 1;
}

static const Rule rows[] = {
	{"cse", NULL, "one op on the same bits has one result", 0},
};

const RuleSet cse_rules = {rows, ARRAY_LEN(rows)};

Program *rewrite_cse(Ctx *ctx, Arena *a, const Program *p, RewriteLog *log)
{
	Rebuild r;
	rebuild_begin(&r, ctx, a, p, log);
	Seen s = {.cap = 64};
	while (s.cap < r.nolds)
		s.cap *= 2;
	s.head = arena_array(a, uint32_t, s.cap);
	s.next = arena_array(a, uint32_t, r.nolds + 1);
	for (ValueId old = 0; old < r.nolds; old++) {
		Value v = rebuild_value(&r, old);
		ValueId found =
			v.op == OP_INPUT ? NO_VALUE : seen_find(&s, r.q, &v);
		if (found != NO_VALUE) {
			r.map[old] = found;
			rule_hit(&r, &rows[0], old, found);
		} else {
			r.map[old] = program_add(r.q, &v);
			seen_add(&s, r.q, r.map[old]);
		}
	}
	return rebuild_end(&r);
}
