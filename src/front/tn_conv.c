/*
 * tn_conv: convolution of [N, C, D...] by [O, C/groups, K...], 1 to 3
 * spatial axes, as what it is: a matmul over an index map.
 *
 *   p[n*g, c, k..., o...] = xpad[n, g*Cg + c, o*stride + k*dilation ...]
 *   y[n*g, Og, o] = w[g, Og, (c k)] @ p[n*g, (c k), o]
 *
 * The patches p are a view of the padded input and move no data; the sums
 * are those of matmul, with its accumulator and one rounding.
 */
#include "front/tn_build.h"

enum {
	MAX_SPATIAL = 3
};

typedef struct Conv {
	int n; /* spatial axes */
	Ex groups;
	Ex stride[MAX_SPATIAL], dilation[MAX_SPATIAL];
	Ex before[TN_MAX_RANK], after[TN_MAX_RANK]; /* all axes of x */
	Ex taps[MAX_SPATIAL], out[MAX_SPATIAL];
} Conv;

/* One integer for all spatial axes, or one an axis; at least `least`. */
static bool per_axis(Build *b, const Val *v, const char *name, int n,
		     int64_t fallback, int64_t least, Ex *out)
{
	int64_t k;
	size_t len = 1;
	if (v->kind == VAL_NONE)
		out[0] = ex_const(&b->p->ex, fallback);
	else if (!val_to_extents(b, v, name, out, &len))
		return false;
	if (v->kind != VAL_LIST)
		for (int i = 1; i < n; i++)
			out[i] = out[0];
	else if (len != (size_t)n)
		return fail_at(b, v->loc, NULL,
			       "`conv`: `%s` has %zu entries for %d spatial "
			       "axes",
			       name, len, n);
	for (int i = 0; i < n; i++) {
		bool known = ex_is_const(&b->p->ex, out[i], &k);
		if (known && k >= least)
			continue;
		if (!known && least == 0)
			continue;
		return fail_at(b, v->loc, NULL,
			       known ? "`conv`: `%s` must be at least %lld"
				     : "`conv`: `%s` must be a number, at "
				       "least %lld",
			       name, (long long)least);
	}
	return true;
}

/* pad=1, pad=[1, 2] or pad=[[1, 1], [0, 2]] (before and after). */
static bool paddings(Build *b, const Val *v, Conv *c)
{
	Ex zero = ex_const(&b->p->ex, 0);
	Ex *before = c->before + 2, *after = c->after + 2;
	c->before[0] = c->before[1] = c->after[0] = c->after[1] = zero;
	if (v->kind != VAL_LIST || !v->n || v->items[0].kind != VAL_LIST) {
		if (!per_axis(b, v, "pad", c->n, 0, 0, before))
			return false;
		for (int i = 0; i < c->n; i++)
			after[i] = before[i];
		return true;
	}
	if (v->n != (size_t)c->n)
		return fail_at(b, v->loc, NULL,
			       "`conv`: `pad` has %zu entries for %d spatial "
			       "axes",
			       v->n, c->n);
	for (int i = 0; i < c->n; i++) {
		Ex pair[2];
		if (v->items[i].kind != VAL_LIST || v->items[i].n != 2)
			return fail_at(b, v->items[i].loc, NULL,
				       "`conv`: a pair (before, after) is "
				       "needed here");
		if (!per_axis(b, &v->items[i], "pad", 2, 0, 0, pair))
			return false;
		before[i] = pair[0];
		after[i] = pair[1];
	}
	return true;
}

/* Fills taps and output extents; checks channels against groups. */
static bool conv_shapes(Build *b, const Val *px, const Val *pw, Conv *c)
{
	Value x = val_value(b, px), w = val_value(b, pw);
	ExprTab *t = &b->p->ex;
	Ex one = ex_const(t, 1), per;
	int64_t n;
	if (!ex_divide(t, x.shape[1], c->groups, &per) || per != w.shape[1])
		return fail_at(b, b->at,
			       "w is [out channels, in channels / groups, "
			       "taps...]",
			       "`conv` of %s by %s: %s channels in %s group(s) "
			       "are not %s a group",
			       val_text(b, px), val_text(b, pw),
			       extent_text(b, x.shape[1]),
			       extent_text(b, c->groups),
			       extent_text(b, w.shape[1]));
	if (!ex_divide(t, w.shape[0], c->groups, &per))
		return fail_at(b, b->at, NULL,
			       "`conv`: %s output channels do not divide into "
			       "%s groups",
			       extent_text(b, w.shape[0]),
			       extent_text(b, c->groups));
	for (int i = 0; i < c->n; i++) {
		c->taps[i] = w.shape[2 + i];
		Ex reach =
			ex_mul(t, c->dilation[i], ex_sub(t, c->taps[i], one));
		Ex size = ex_add(t, x.shape[2 + i],
				 ex_add(t, c->before[2 + i], c->after[2 + i]));
		Ex room = ex_sub(t, ex_sub(t, size, reach), one);
		Ex out = ex_add(t, ex_div(t, room, c->stride[i]), one);
		/* a named axis may turn out smaller than its window */
		bool known = ex_is_const(t, out, &n);
		c->out[i] = known ? out : larger_extent(b, out, ex_const(t, 0));
		if (!extent_check(b))
			return false;
		if (known && n < 1)
			return fail_at(b, b->at, "pad more, or use fewer taps",
				       "`conv` of %s by %s: the window is "
				       "larger than spatial axis %d",
				       val_text(b, px), val_text(b, pw), i);
	}
	return true;
}

/* Axis k of a view; one of extent 1 is always at 0. */
static Ex axis_index(ExprTab *t, int k, Ex extent)
{
	return ex_equals(t, extent, 1) ? ex_const(t, 0) : ex_axis(t, k);
}

/* The patches, as [N*groups, C/groups * taps, outputs]. */
static bool patches(Build *b, const Conv *c, const Val *x, Ex per_group,
		    Val *out)
{
	Value from = val_value(b, x);
	ExprTab *t = &b->p->ex;
	Val windows;
	Value v = {.op = OP_VIEW, .nargs = 1, .args = &x->id};
	v.rank = (uint8_t)(2 + 2 * c->n);
	v.shape[0] = ex_mul(t, from.shape[0], c->groups);
	v.shape[1] = per_group;
	Ex image = axis_index(t, 0, v.shape[0]);
	Ex channel = axis_index(t, 1, per_group);
	v.map[0] = ex_div(t, image, c->groups);
	v.map[1] = ex_add(t, ex_mul(t, ex_mod(t, image, c->groups), per_group),
			  channel);
	Ex flat[3] = {v.shape[0], per_group, ex_const(t, 1)};
	for (int i = 0; i < c->n; i++) {
		Ex tap = axis_index(t, 2 + i, c->taps[i]);
		Ex at = axis_index(t, 2 + c->n + i, c->out[i]);
		v.shape[2 + i] = c->taps[i];
		v.shape[2 + c->n + i] = c->out[i];
		v.map[2 + i] = ex_add(t, ex_mul(t, at, c->stride[i]),
				      ex_mul(t, tap, c->dilation[i]));
		flat[1] = ex_mul(t, flat[1], c->taps[i]);
		flat[2] = ex_mul(t, flat[2], c->out[i]);
	}
	return extent_check(b) && emit(b, &v, &windows) &&
	       make_reshape(b, &windows, flat, 3, out);
}

/* w as [N*groups, O/groups, C/groups * taps], repeated for every image. */
static bool weights(Build *b, const Conv *c, const Val *pw, Ex images, Val *out)
{
	Value w = val_value(b, pw);
	ExprTab *t = &b->p->ex;
	Val grouped, repeated;
	Ex outs, terms = w.shape[1];
	bug_if(!ex_divide(t, w.shape[0], c->groups, &outs));
	for (int i = 0; i < c->n; i++)
		terms = ex_mul(t, terms, c->taps[i]);
	Ex three[3] = {c->groups, outs, terms};
	if (!extent_check(b) || !make_reshape(b, pw, three, 3, &grouped))
		return false;
	if (ex_equals(t, c->groups, 1)) {
		three[0] = images;
		return make_broadcast(b, &grouped, three, 3, out);
	}
	Ex four[4] = {images, c->groups, outs, terms};
	Ex flat[3] = {ex_mul(t, images, c->groups), outs, terms};
	return extent_check(b) &&
	       make_broadcast(b, &grouped, four, 4, &repeated) &&
	       make_reshape(b, &repeated, flat, 3, out);
}

bool conv_make(Build *b, const Builtin *f, const Val *arg, Val *out)
{
	(void)f;
	Conv c = {0};
	Val padded = arg[0], fill, p, w, y;
	if (!need_tensor(b, &arg[0]) || !need_tensor(b, &arg[1]))
		return false;
	Value x = val_value(b, &arg[0]), kernel = val_value(b, &arg[1]);
	c.n = x.rank - 2;
	if (c.n < 1 || c.n > MAX_SPATIAL || kernel.rank != x.rank)
		return fail_at(
			b, b->at,
			"x is [N, C, H, W] and w is [O, C, kh, kw], with "
			"1 to 3 spatial axes",
			"`conv` of %s by %s: the ranks do not fit",
			val_text(b, &arg[0]), val_text(b, &arg[1]));
	if (x.dtype != kernel.dtype)
		return fail_at(b, b->at,
			       "dtypes never mix silently; convert one",
			       "`conv` of %s by %s: the dtypes %s and %s "
			       "differ",
			       val_text(b, &arg[0]), val_text(b, &arg[1]),
			       dtype_info[x.dtype].name,
			       dtype_info[kernel.dtype].name);
	if (!per_axis(b, &arg[2], "stride", c.n, 1, 1, c.stride) ||
	    !paddings(b, &arg[3], &c) ||
	    !per_axis(b, &arg[4], "dilation", c.n, 1, 1, c.dilation) ||
	    !per_axis(b, &arg[5], "groups", 1, 1, 1, &c.groups) ||
	    !conv_shapes(b, &arg[0], &arg[1], &c))
		return false;
	bool pads = false;
	for (int i = 0; i < x.rank; i++)
		pads = pads || !ex_equals(&b->p->ex, c.before[i], 0) ||
		       !ex_equals(&b->p->ex, c.after[i], 0);
	if (pads && (!make_int(b, 0, x.dtype, &fill) ||
		     !make_pad(b, &arg[0], c.before, c.after, &fill, &padded)))
		return false;
	if (!patches(b, &c, &padded, kernel.shape[1], &p) ||
	    !weights(b, &c, &arg[1], x.shape[0], &w) ||
	    !make_matmul(b, &w, &p, &arg[6], &arg[7], &y))
		return false;
	Ex shape[TN_MAX_RANK] = {x.shape[0], kernel.shape[0]};
	for (int i = 0; i < c.n; i++)
		shape[2 + i] = c.out[i];
	return make_reshape(b, &y, shape, x.rank, out);
}
