/*
 * prelude: the compositions, written in the language itself.
 *
 * Three things are allowed here and nowhere else: parameters without a type
 * (any tensor or static value) and with defaults; `a if c else b`, decided
 * while building; and the functions wide(x) (x in its interior dtype,
 * max(f32, dtype)), interior(x) (that dtype), count(x, axis) (elements
 * folded into one), squeeze(x, axis) (without them) and swap(x) (the last
 * two axes exchanged).
 *
 * Every composition computes in the interior dtype and rounds once to the
 * dtype of its argument. docs/contract.md states the bounds.
 */
#include "front/front.h"

static const char text[] =
	"def relu(x):\n"
	"    return maximum(x, 0)\n"
	"\n"
	"def sigmoid(x):\n"
	"    return cast(1 / (1 + exp(-wide(x))), x.dtype)\n"
	"\n"
	"def silu(x):\n"
	"    y = wide(x)\n"
	"    return cast(y / (1 + exp(-y)), x.dtype)\n"
	"\n"
	"# The erf form: x times the normal distribution's weight below x.\n"
	"def gelu(x):\n"
	"    y = wide(x)\n"
	"    return cast(0.5 * y * (1 + erf(y * 0.70710678118654752440)), "
	"x.dtype)\n"
	"\n"
	"def clip(x, lo=None, hi=None):\n"
	"    y = x if lo is None else maximum(x, lo)\n"
	"    return y if hi is None else minimum(y, hi)\n"
	"\n"
	"def mean(x, axis=None, keepdims=False, acc=None, out=None):\n"
	"    s = sum(x, axis=axis, keepdims=keepdims, acc=acc, "
	"out=interior(x))\n"
	"    return cast(s / count(x, axis), x.dtype if out is None else out)\n"
	"\n"
	"def softmax(x, axis=-1):\n"
	"    y = wide(x)\n"
	"    e = exp(y - max(y, axis=axis, keepdims=True))\n"
	"    return cast(e / sum(e, axis=axis, keepdims=True), x.dtype)\n"
	"\n"
	"# An infinite maximum is not subtracted: inf - inf would be NaN.\n"
	"def logsumexp(x, axis=-1, keepdims=False):\n"
	"    y = wide(x)\n"
	"    m = max(y, axis=axis, keepdims=True)\n"
	"    f = where(abs(m) == inf, 0, m)\n"
	"    s = log(sum(exp(y - f), axis=axis, keepdims=True)) + f\n"
	"    r = s if keepdims else squeeze(s, axis)\n"
	"    return cast(r, x.dtype)\n"
	"\n"
	"def rms_norm(x, weight=None, axis=-1, eps=1e-5):\n"
	"    y = wide(x)\n"
	"    n = y * rsqrt(mean(y * y, axis=axis, keepdims=True) + eps)\n"
	"    r = n if weight is None else n * wide(weight)\n"
	"    return cast(r, x.dtype)\n"
	"\n"
	"# The variance is of the differences from the mean: two passes.\n"
	"def layer_norm(x, weight=None, bias=None, axis=-1, eps=1e-5):\n"
	"    y = wide(x)\n"
	"    d = y - mean(y, axis=axis, keepdims=True)\n"
	"    n = d * rsqrt(mean(d * d, axis=axis, keepdims=True) + eps)\n"
	"    s = n if weight is None else n * wide(weight)\n"
	"    r = s if bias is None else s + wide(bias)\n"
	"    return cast(r, x.dtype)\n"
	"\n"
	"# q: [..., L, E], k: [..., S, E], v: [..., S, V]. p: the dtype that "
	"the\n"
	"# unnormalised weights round to. causal: query i sees keys 0 to i.\n"
	"def attention(q, k, v, scale=None, mask=None, causal=False, p=None):\n"
	"    w = interior(q)\n"
	"    s = matmul(q, swap(k), out=w)\n"
	"    f = 1 / sqrt(cast(q.shape[-1], w)) if scale is None else scale\n"
	"    t = s * f\n"
	"    u = t if mask is None else where(mask, t, -inf) "
	"if mask.dtype == bool else t + wide(mask)\n"
	"    c = where(iota(k.shape[-2]) <= iota(q.shape[-2])[:, None], u, "
	"-inf) if causal else u\n"
	"    e = exp(c - max(c, axis=-1, keepdims=True))\n"
	"    r = cast(e, q.dtype if p is None else p)\n"
	"    o = matmul(r, v, out=w) if r.dtype == v.dtype "
	"else matmul(wide(r), wide(v))\n"
	"    return cast(o / sum(e, axis=-1, keepdims=True), q.dtype)\n"
	"\n"
	"def one_hot(index, depth, dtype=f32):\n"
	"    return cast(i64(index)[..., None] == iota(depth), dtype)\n";

const char *front_prelude(void)
{
	return text;
}
