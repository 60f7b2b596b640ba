/*
 * alternatives_rules: products, reductions, data movement, and the table.
 *
 * A rule looks at one node, builds the other side and says that the two are
 * equal. Its witness is why both have the same bits, or for a sum of floats,
 * why each order of the one is an order of the other. What may fault at run
 * time is left where it is: not computed where it was not, nor left out.
 */
#include "rewrite/alternatives_rules.h"

#include <string.h>

TN_THREAD const AltRule *alternatives_planted;

/* ---- building -------------------------------------------------------- */

const Value *class_node(const Egraph *g, ClassId c, Op op, NodeId *at)
{
	size_t n;
	const NodeId *list = egraph_nodes(g, c, &n);

	for (size_t i = 0; i < n; i++)
		if (egraph_node(g, list[i])->v.op == op) {
			*at = list[i];
			return &egraph_node(g, list[i])->v;
		}
	return NULL;
}

Value value_like(const Value *v, Op op, uint32_t nargs, const ClassId *args)
{
	Value w = {.op = op,
		   .dtype = v->dtype,
		   .rank = v->rank,
		   .nargs = nargs,
		   .args = args,
		   .relax = v->relax,
		   .loc = v->loc,
		   .via = v->via};

	memcpy(w.shape, v->shape, sizeof(w.shape));
	return w;
}

ClassId view_of(Egraph *g, ClassId x, const Value *like, const Ex *map)
{
	if (x == NO_VALUE || g->q->ex.overflow)
		return NO_VALUE;
	const Value *from = egraph_class(g, x);
	Value w = value_like(like, OP_VIEW, 1, &x);
	w.dtype = from->dtype;
	memcpy(w.map, map, from->rank * sizeof(Ex));
	Ex simple[TN_MAX_RANK] = {0}, asked[TN_MAX_RANK];
	view_map(g->q, &w, simple);
	from = egraph_class(g, x);
	/* simplifying takes for granted that an axis of one has index 0 */
	for (size_t d = 0; d < from->rank; d++)
		asked[d] = ex_equals(&g->q->ex, from->shape[d], 1) ? map[d]
								   : simple[d];
	memcpy(w.map, simple, sizeof(w.map));
	if (!view_map_inside(g->q, &w, from, asked))
		return NO_VALUE;
	if (!value_same_shape(&w, from))
		return egraph_add(g, &w, NO_NODE);
	for (size_t d = 0; d < from->rank; d++)
		if (!ex_equals(&g->q->ex, from->shape[d], 1) &&
		    w.map[d] != ex_axis(&g->q->ex, (int64_t)d))
			return egraph_add(g, &w, NO_NODE);
	return x;
}

/* x with its last two axes exchanged. */
static ClassId transposed(Egraph *g, ClassId x, const Value *near)
{
	if (x == NO_VALUE)
		return NO_VALUE;
	Value like = *egraph_class(g, x);
	Ex map[TN_MAX_RANK];
	size_t r = like.rank;
	Ex rows = like.shape[r - 2];

	like.shape[r - 2] = like.shape[r - 1];
	like.shape[r - 1] = rows;
	like.loc = near->loc;
	for (size_t d = 0; d < r; d++)
		map[d] = ex_axis(&g->q->ex, (int64_t)d);
	map[r - 2] = ex_axis(&g->q->ex, (int64_t)r - 1);
	map[r - 1] = ex_axis(&g->q->ex, (int64_t)r - 2);
	return view_of(g, x, &like, map);
}

static ClassId joined(Egraph *g, const ClassId *parts, uint32_t n,
		      uint32_t axis, const Value *near)
{
	Value c = value_like(egraph_class(g, parts[0]), OP_CONCAT, n, parts);

	c.axis = axis;
	c.loc = near->loc;
	for (uint32_t k = 1; k < n; k++)
		c.shape[axis] = ex_add(&g->q->ex, c.shape[axis],
				       egraph_class(g, parts[k])->shape[axis]);
	return egraph_add(g, &c, NO_NODE);
}

/* Whether result axis d of a view is shown by operand axis d alone. */
static bool own_axes(const Egraph *g, const Value *view, size_t rank)
{
	const ExprTab *t = &g->q->ex;

	if (view->rank != rank)
		return false;
	for (size_t d = 0; d < rank; d++)
		for (size_t k = 0; k < rank; k++)
			if (k != d && ex_uses_axis(t, view->map[d], (int64_t)k))
				return false;
	return true;
}

bool fewer(const Egraph *g, const Value *a, const Value *b, bool or_equal)
{
	int64_t x, y;

	return egraph_elements(g, a, &x) && egraph_elements(g, b, &y) &&
	       (x < y || (or_equal && x == y));
}

/* ---- products -------------------------------------------------------- */

static Value product_like(const Value *v, const ClassId *args)
{
	Value w = value_like(v, OP_MATMUL, 2, args);

	w.acc = v->acc;
	return w;
}

static void operand_swap(Egraph *g, NodeId n)
{
	Value v = egraph_node(g, n)->v;

	if (v.op != OP_MATMUL)
		return;
	ClassId args[2] = {transposed(g, v.args[1], &v),
			   transposed(g, v.args[0], &v)};
	Value w = product_like(&v, args);
	w.shape[v.rank - 2] = v.shape[v.rank - 1];
	w.shape[v.rank - 1] = v.shape[v.rank - 2];
	alternatives_say(g, n, transposed(g, egraph_add(g, &w, n), &v));
}

/* Whether class c is made of what class `of` is, by nodes as written. */
static bool depends(const Egraph *g, ClassId c, ClassId of, bool *mark)
{
	size_t n;
	const NodeId *list = egraph_nodes(g, c, &n);

	if (c == of)
		return true;
	if (mark[c])
		return false;
	mark[c] = true;
	for (size_t i = 0; i < n; i++) {
		const ENode *x = egraph_node(g, list[i]);
		for (uint32_t k = 0; x->rule == AS_WRITTEN && k < x->v.nargs;
		     k++)
			if (depends(g, x->v.args[k], of, mark))
				return true;
	}
	return false;
}

#define MOST_JOINED 8

/* Written products that share operand k with n, n the first of them. */
static size_t sharing(Egraph *g, NodeId n, uint32_t k, NodeId *out)
{
	Value v = egraph_node(g, n)->v;
	size_t users, count = 0;
	const NodeId *list = egraph_users(g, v.args[k], &users);

	for (size_t i = 0; i < users && count < MOST_JOINED; i++) {
		const ENode *x = egraph_node(g, list[i]);
		bool fits = x->rule == AS_WRITTEN && x->v.op == OP_MATMUL &&
			    x->v.args[k] == v.args[k] && x->v.acc == v.acc &&
			    x->v.dtype == v.dtype && x->v.relax == v.relax &&
			    x->v.rank == v.rank &&
			    egraph_class(g, x->v.args[0])->dtype ==
				    egraph_class(g, v.args[0])->dtype;
		for (size_t j = 0; fits && j < count; j++) {
			const ENode *y = egraph_node(g, out[j]);
			bool *mark = arena_array(g->arena, bool, g->seen + 1);
			bool *back = arena_array(g->arena, bool, g->seen + 1);
			ClassId a = egraph_find(g, x->cls);
			ClassId b = egraph_find(g, y->cls);
			fits = !depends(g, a, b, mark) &&
			       !depends(g, b, a, back);
		}
		if (fits)
			out[count++] = list[i];
	}
	return count && out[0] == n ? count : 0;
}

/* One product over all that n shares operand k with; each is a slice. */
static void shared(Egraph *g, NodeId n, uint32_t k)
{
	Value v = egraph_node(g, n)->v;
	NodeId of[MOST_JOINED];
	ClassId other[MOST_JOINED], args[2];

	if (v.op != OP_MATMUL || egraph_node(g, n)->rule != AS_WRITTEN)
		return;
	size_t count = sharing(g, n, k, of);
	if (count < 2)
		return;
	size_t axis = v.rank - (k ? 2U : 1U);
	for (size_t i = 0; i < count; i++)
		other[i] = egraph_node(g, of[i])->v.args[1 - k];
	args[k] = v.args[k];
	args[1 - k] = joined(g, other, (uint32_t)count, (uint32_t)axis, &v);
	if (args[1 - k] == NO_VALUE)
		return;
	Value w = product_like(&v, args);
	w.shape[axis] = egraph_class(g, args[1 - k])->shape[axis];
	for (size_t i = 1; i < count; i++)
		egraph_add(g, &w, of[i]);
	ClassId wide = egraph_add(g, &w, n);
	Ex at = ex_const(&g->q->ex, 0);
	for (size_t i = 0; wide != NO_VALUE && i < count; i++) {
		Value part = egraph_node(g, of[i])->v;
		Ex map[TN_MAX_RANK];
		for (size_t d = 0; d < v.rank; d++)
			map[d] = ex_axis(&g->q->ex, (int64_t)d);
		map[axis] = ex_add(&g->q->ex, map[axis], at);
		at = ex_add(&g->q->ex, at, part.shape[axis]);
		alternatives_say(g, of[i], view_of(g, wide, &part, map));
	}
}

static void shared_left(Egraph *g, NodeId n)
{
	shared(g, n, 0);
}

static void shared_right(Egraph *g, NodeId n)
{
	shared(g, n, 1);
}

/* The written product that class c is, read by one value and no result. */
static NodeId lone_product(const Egraph *g, ClassId c, ClassId reader)
{
	NodeId at;
	size_t users;
	const NodeId *list = egraph_users(g, c, &users);

	if (!class_node(g, c, OP_MATMUL, &at) ||
	    egraph_node(g, at)->rule != AS_WRITTEN ||
	    !(egraph_node(g, at)->v.relax & RELAX_REASSOCIATE) ||
	    !dtype_is_float(egraph_node(g, at)->v.dtype))
		return NO_NODE;
	for (size_t i = 0; i < g->source->results.n; i++)
		if (egraph_find(g, g->cls[g->source->results.p[i].value]) == c)
			return NO_NODE;
	for (size_t i = 0; i < users; i++) {
		const ENode *x = egraph_node(g, list[i]);
		if (x->rule == AS_WRITTEN && egraph_find(g, x->cls) != reader)
			return NO_NODE;
	}
	return at;
}

static void sum_of_products(Egraph *g, NodeId n)
{
	Value v = egraph_node(g, n)->v;

	if (v.op != OP_ADD || egraph_node(g, n)->rule != AS_WRITTEN ||
	    !(v.relax & RELAX_REASSOCIATE) || v.args[0] == v.args[1])
		return;
	ClassId reader = egraph_find(g, egraph_node(g, n)->cls);
	NodeId m0 = lone_product(g, v.args[0], reader);
	NodeId m1 = lone_product(g, v.args[1], reader);
	if (m0 == NO_NODE || m1 == NO_NODE)
		return;
	Value a = egraph_node(g, m0)->v, b = egraph_node(g, m1)->v;
	if (a.acc != b.acc || egraph_class(g, a.args[0])->dtype !=
				      egraph_class(g, b.args[0])->dtype)
		return;
	ClassId left[2] = {a.args[0], b.args[0]};
	ClassId right[2] = {a.args[1], b.args[1]};
	ClassId args[2] = {joined(g, left, 2, a.rank - 1U, &v),
			   joined(g, right, 2, a.rank - 2U, &v)};
	Value w = product_like(&a, args);
	w.loc = v.loc;
	egraph_add(g, &w, m0);
	alternatives_say(g, n, egraph_add(g, &w, m1));
}

static void slice_of_product(Egraph *g, NodeId n)
{
	Value v = egraph_node(g, n)->v;
	NodeId at;

	if (v.op != OP_VIEW || !class_node(g, v.args[0], OP_MATMUL, &at))
		return;
	Value m = egraph_node(g, at)->v;
	/* a wider product's slices are what it was made of */
	if (egraph_node(g, at)->roots.n > 1 || !own_axes(g, &v, m.rank) ||
	    !fewer(g, &v, &m, false))
		return;
	Ex map[2][TN_MAX_RANK];
	Value like[2] = {v, v};
	size_t r = m.rank;
	memcpy(map[0], v.map, sizeof(v.map));
	memcpy(map[1], v.map, sizeof(v.map));
	map[0][r - 1] = ex_axis(&g->q->ex, (int64_t)r - 1);
	map[1][r - 2] = ex_axis(&g->q->ex, (int64_t)r - 2);
	like[0].shape[r - 1] = egraph_class(g, m.args[0])->shape[r - 1];
	like[1].shape[r - 2] = like[0].shape[r - 1];
	ClassId args[2];
	for (size_t k = 0; k < 2; k++)
		args[k] = view_of(g, m.args[k], &like[k], map[k]);
	Value w = product_like(&m, args);
	memcpy(w.shape, v.shape, sizeof(w.shape));
	alternatives_say(g, n, egraph_add(g, &w, at));
}

/* ---- reductions ------------------------------------------------------ */

/*
 * The axis of the view that each axis of its operand shows, -1 for one of
 * extent 1; false when some axis is not shown whole, in order.
 */
static bool shows_whole_axes(Egraph *g, const Value *view, const Value *x,
			     int *axis)
{
	uint32_t seen = 0;

	for (int d = 0; d < x->rank; d++) {
		axis[d] = -1;
		for (int k = 0; k < view->rank; k++)
			if (view->map[d] == ex_axis(&g->q->ex, k) &&
			    x->shape[d] == view->shape[k] && !(seen >> k & 1))
				axis[d] = k;
		if (axis[d] < 0 && !ex_equals(&g->q->ex, x->shape[d], 1))
			return false;
		if (axis[d] >= 0)
			seen |= 1u << axis[d];
	}
	return true;
}

/* Folding axis k of the view, which repeats its operand, changes nothing. */
static bool folds_copies(Egraph *g, const Value *reduce, const Value *view,
			 int k)
{
	Ex extent = view->shape[k];
	ExFacts none = {0};

	if (reduce->op == OP_MAX || reduce->op == OP_MIN)
		return ex_prove_nonneg(
			&g->q->ex, &none,
			ex_sub(&g->q->ex, extent, ex_const(&g->q->ex, 1)));
	return ex_equals(&g->q->ex, extent, 1) &&
	       op_info[reduce->op].result != OPR_index;
}

static void reduce_of_view(Egraph *g, NodeId n)
{
	Value v = egraph_node(g, n)->v;
	NodeId at;
	int axis[TN_MAX_RANK], place[TN_MAX_RANK], kept = 0;

	if (op_info[v.op].cls != OPC_REDUCE ||
	    !class_node(g, v.args[0], OP_VIEW, &at))
		return;
	Value view = egraph_node(g, at)->v;
	ClassId base = view.args[0];
	const Value *x = egraph_class(g, base);
	if (!shows_whole_axes(g, &view, x, axis))
		return;
	uint32_t shown = 0;
	for (int k = 0; k < view.rank; k++)
		place[k] = v.axes >> k & 1 ? -1 : kept++;
	Value w = value_like(&v, v.op, 1, &base);
	Ex map[TN_MAX_RANK];
	w.acc = v.acc;
	w.rank = 0;
	for (int d = 0; d < x->rank; d++) {
		if (axis[d] >= 0)
			shown |= 1u << axis[d];
		if (axis[d] >= 0 && v.axes >> axis[d] & 1) {
			w.axes |= 1u << d;
			continue;
		}
		map[w.rank] = axis[d] < 0 ? ex_const(&g->q->ex, 0)
					  : ex_axis(&g->q->ex, place[axis[d]]);
		w.shape[w.rank++] = x->shape[d];
	}
	for (int d = w.rank; d < TN_MAX_RANK; d++)
		w.shape[d] = 0;
	for (int k = 0; k < view.rank; k++)
		if ((v.axes & ~shown) >> k & 1 &&
		    !folds_copies(g, &v, &view, k))
			return;
	bool folds = w.axes != 0;
	if (!folds && v.op != OP_MAX && v.op != OP_MIN)
		return;
	ClassId made = folds ? egraph_add(g, &w, n) : base;
	alternatives_say(g, n, view_of(g, made, &v, map));
}

static void slice_of_reduce(Egraph *g, NodeId n)
{
	Value v = egraph_node(g, n)->v;
	size_t count;

	if (v.op != OP_VIEW)
		return;
	const NodeId *list = egraph_nodes(g, v.args[0], &count);
	for (size_t i = 0; i < count; i++) {
		Value m = egraph_node(g, list[i])->v;
		if (op_info[m.op].cls != OPC_REDUCE ||
		    !own_axes(g, &v, m.rank) || !fewer(g, &v, &m, false))
			continue;
		Value like = *egraph_class(g, m.args[0]);
		Ex map[TN_MAX_RANK], with[TN_MAX_RANK];
		size_t k = 0;
		for (size_t d = 0; d < like.rank; d++)
			if (!(m.axes >> d & 1))
				with[k++] = ex_axis(&g->q->ex, (int64_t)d);
		k = 0;
		for (size_t d = 0; d < like.rank; d++) {
			map[d] = ex_axis(&g->q->ex, (int64_t)d);
			if (m.axes >> d & 1)
				continue;
			map[d] = ex_subst_axes(&g->q->ex, v.map[k], with,
					       m.rank);
			like.shape[d] = v.shape[k++];
		}
		like.loc = v.loc;
		ClassId x = view_of(g, m.args[0], &like, map);
		Value w = m;
		w.args = &x;
		memcpy(w.shape, v.shape, sizeof(w.shape));
		alternatives_say(g, n, egraph_add(g, &w, list[i]));
		return;
	}
}

/* ---- concatenation --------------------------------------------------- */

static void slice_of_concat(Egraph *g, NodeId n)
{
	Value v = egraph_node(g, n)->v;
	NodeId at;

	if (v.op != OP_VIEW || !class_node(g, v.args[0], OP_CONCAT, &at))
		return;
	Value c = egraph_node(g, at)->v;
	if (g->faults.p[egraph_find(g, egraph_node(g, at)->cls)])
		return;
	Ex before = ex_const(&g->q->ex, 0);
	for (uint32_t k = 0; k < c.nargs; k++) {
		const Value *x = egraph_class(g, c.args[k]);
		Ex map[TN_MAX_RANK];
		memcpy(map, v.map, sizeof(map));
		map[c.axis] = ex_sub(&g->q->ex, map[c.axis], before);
		before = ex_add(&g->q->ex, before, x->shape[c.axis]);
		if (view_map_inside(g->q, &v, x, map)) {
			alternatives_say(g, n, view_of(g, c.args[k], &v, map));
			return;
		}
	}
}

static void concat_of_slices(Egraph *g, NodeId n)
{
	Value v = egraph_node(g, n)->v;
	Ex first[TN_MAX_RANK] = {0}, with[TN_MAX_RANK], before;
	ClassId base = NO_VALUE;
	ExprTab *t = &g->q->ex;
	NodeId at;

	if (v.op != OP_CONCAT || v.nargs < 2)
		return;
	before = ex_const(t, 0);
	for (uint32_t k = 0; k < v.nargs; k++) {
		const Value *x = class_node(g, v.args[k], OP_VIEW, &at);
		if (!x || (k && x->args[0] != base))
			return;
		base = x->args[0];
		if (!k)
			memcpy(first, x->map, sizeof(first));
		for (size_t d = 0; d < v.rank; d++)
			with[d] = ex_axis(t, (int64_t)d);
		with[v.axis] = ex_add(t, with[v.axis], before);
		for (size_t d = 0; d < egraph_class(g, base)->rank; d++)
			if (ex_subst_axes(t, first[d], with, v.rank) !=
			    x->map[d])
				return;
		before = ex_add(t, before,
				egraph_class(g, v.args[k])->shape[v.axis]);
	}
	alternatives_say(g, n, view_of(g, base, &v, first));
}

/* ---- gathers --------------------------------------------------------- */

/* The gather of class x as n gathers; x through a map that does not name the
 * gathered axis is shown instead. *gathers: there is one. */
static ClassId gathered(Egraph *g, const Value *n, ClassId x, bool *gathers)
{
	NodeId at;
	const Value *view = class_node(g, x, OP_VIEW, &at);
	int index = egraph_class(g, n->args[1])->rank;
	bool named = !view;
	ClassId base = view ? view->args[0] : x;
	size_t rank = egraph_class(g, base)->rank;

	for (size_t d = 0; view && d < rank; d++)
		named |= ex_uses_axis(&g->q->ex, view->map[d], n->axis);
	if (named) {
		Value w = *n;
		ClassId args[2] = {x, n->args[1]};
		w.args = args;
		w.dtype = egraph_class(g, x)->dtype;
		*gathers = true;
		return egraph_add(g, &w, NO_NODE);
	}
	Ex with[TN_MAX_RANK], map[TN_MAX_RANK];
	for (int d = 0; d < view->rank; d++)
		with[d] = ex_axis(&g->q->ex,
				  d <= (int)n->axis ? d : d + index - 1);
	for (size_t d = 0; d < rank; d++)
		map[d] = ex_subst_axes(&g->q->ex, view->map[d], with,
				       view->rank);
	return view_of(g, base, n, map);
}

static void gather_of_elem(Egraph *g, NodeId n)
{
	Value v = egraph_node(g, n)->v;
	size_t count;

	if (v.op != OP_GATHER)
		return;
	const NodeId *list = egraph_nodes(g, v.args[0], &count);
	for (size_t i = 0; i < count; i++) {
		Value f = egraph_node(g, list[i])->v;
		if (op_info[f.op].cls != OPC_ELEM || value_may_fault(g, &f))
			continue;
		ClassId args[3];
		bool gathers = false;
		for (uint32_t k = 0; k < f.nargs; k++)
			args[k] = gathered(g, &v, f.args[k], &gathers);
		if (!gathers)
			continue;
		Value w = value_like(&v, f.op, f.nargs, args);
		w.relax = f.relax;
		w.loc = f.loc;
		alternatives_say(g, n, egraph_add(g, &w, list[i]));
		return;
	}
}

static void slice_of_gather(Egraph *g, NodeId n)
{
	Value v = egraph_node(g, n)->v;
	NodeId at;

	if (v.op != OP_VIEW || !class_node(g, v.args[0], OP_GATHER, &at))
		return;
	Value m = egraph_node(g, at)->v;
	int index = egraph_class(g, m.args[1])->rank, axis = (int)m.axis;
	if (!own_axes(g, &v, m.rank) || !fewer(g, &v, &m, false))
		return;
	/* every index is still looked at */
	for (int d = axis; d < axis + index; d++)
		if (v.shape[d] != m.shape[d] ||
		    (v.map[d] != ex_axis(&g->q->ex, d) &&
		     !ex_equals(&g->q->ex, v.shape[d], 1)))
			return;
	Value like = *egraph_class(g, m.args[0]);
	Ex map[TN_MAX_RANK], with[TN_MAX_RANK];
	for (int d = 0; d < m.rank; d++)
		with[d] = ex_axis(&g->q->ex, d < axis ? d : d - index + 1);
	for (int d = 0; d < like.rank; d++) {
		int from = d < axis ? d : d + index - 1;
		map[d] = ex_axis(&g->q->ex, d);
		if (d == axis)
			continue;
		map[d] = ex_subst_axes(&g->q->ex, v.map[from], with, m.rank);
		like.shape[d] = v.shape[from];
	}
	like.loc = v.loc;
	ClassId args[2] = {view_of(g, m.args[0], &like, map), m.args[1]};
	Value w = value_like(&v, OP_GATHER, 2, args);
	w.axis = m.axis;
	w.loc = m.loc;
	alternatives_say(g, n, egraph_add(g, &w, NO_NODE));
}

/* ---- the table ------------------------------------------------------- */

#define MOVED                                                                  \
	"an element depends on the elements at its own place only, wherever "  \
	"they are shown"

const AltRule alternatives_table[] = {
	{"cse", NULL, "one op on the same bits has one result", 0},
	{"operand_swap", operand_swap,
	 "products commute, and each element is the sum of the same ones", 0},
	{"view_chain", view_chain, "the composed map reads the same element",
	 0},
	{"view_of_elem", view_of_elem, MOVED, 0},
	{"elem_of_view", elem_of_view, MOVED, 0},
	{"shared_left", shared_left,
	 "each column of the wider product is the sum of the same products", 0},
	{"shared_right", shared_right,
	 "each row of the taller product is the sum of the same products", 0},
	{"slice_of_product", slice_of_product,
	 "an element is a sum over its own row and column only", 0},
	{"longer_product", sum_of_products,
	 "one accumulator over both depths, without the products' boundaries",
	 RELAX_REASSOCIATE},
	{"reduce_of_view", reduce_of_view,
	 "the same elements are folded; a copy changes no maximum or minimum",
	 0},
	{"slice_of_reduce", slice_of_reduce,
	 "an element folds its own elements only", 0},
	{"slice_of_concat", slice_of_concat,
	 "the map is proved to stay inside one operand", 0},
	{"concat_of_slices", concat_of_slices,
	 "the slices lie end to end in the value that they show", 0},
	{"gather_of_elem", gather_of_elem,
	 "an element depends on the elements at its own place only, and the "
	 "same indices are looked at",
	 0},
	{"slice_of_gather", slice_of_gather,
	 "an index selects whole slices, and the same indices are looked at",
	 0},
	{"cast_of_select", cast_of_select,
	 "a widening cast is exact and keeps order, so it commutes with what "
	 "picks an operand",
	 0},
	{"select_of_cast", select_of_cast,
	 "a widening cast is exact and keeps order, so it commutes with what "
	 "picks an operand",
	 0},
	{"cast_of_move", cast_of_move,
	 "an element is the same whether it is widened before or after it is "
	 "moved",
	 0},
	{"move_of_cast", move_of_cast,
	 "an element is the same whether it is widened before or after it is "
	 "moved",
	 0},
	{"cast_chain", cast_chain,
	 "the first cast is exact, so the second rounds the element itself", 0},
	{"recompute", NULL,
	 "each copy is exact or correctly rounded from the same bits", 0},
};
const size_t alternatives_count = ARRAY_LEN(alternatives_table);
const uint32_t alternatives_cse = 0;
const uint32_t alternatives_recompute = ARRAY_LEN(alternatives_table) - 1;
