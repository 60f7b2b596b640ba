/*
 * texts: programs in the language for ops_test: compositions, what a
 * program may return, and run-time faults.
 */
#ifndef TENON_TEST_TEXTS_H
#define TENON_TEST_TEXTS_H

#include "tests/differential/judge.h"

typedef struct TextCase {
	const char *name, *text;
	bool inexact;       /* no family need be conclusive */
	bool fixed;         /* as written only, no other dtype */
	const Sizes *sizes; /* two; NULL: the text's own */
	const char *dtype;
} TextCase;

static const Sizes text_sizes[] = {{{3, 16, 5}}, {{7, 33, 2}}};

/* Queries and keys on either side of a task and of tiles; one of each. */
static const Sizes attention_sizes[] = {{{65, 29, 5}}, {{1, 1, 1}}};
static const Sizes decode_sizes[] = {{{1, 300, 3}}, {{130, 97, 33}}};

static const Sizes unit_sizes[] = {{{1, 1, 1}}, {{4, 7, 3}}};

static const TextCase text_cases[] = {
	{"conv1",
	 "dims d: N = 2\n"
	 "def f(x: f32[N, 4, 19], w: f32[6, 4, 3]):\n"
	 "    return conv(x, w), conv(x, w, stride=2, pad=1), \\\n"
	 "        conv(x, w, dilation=3, pad=[[2, 0]])\n",
	 false, false, NULL, NULL},
	{"conv2",
	 "dims d: N = 2\n"
	 "def f(x: f32[N, 4, 9, 8], w: f32[6, 2, 3, 2]):\n"
	 "    return conv(x, w, stride=[2, 1], pad=[1, 0], groups=2)\n",
	 false, false, NULL, NULL},
	{"conv3",
	 "dims d: N = 1\n"
	 "def f(x: f32[N, 2, 5, 4, 6], w: f32[3, 2, 2, 1, 3]):\n"
	 "    return conv(x, w, dilation=[2, 1, 1])\n",
	 false, false, NULL, NULL},
	{"softmax",
	 "def f(x: f32[M, N], z: f32[K]):\n"
	 "    return softmax(x), logsumexp(x, axis=1)\n",
	 true, false, text_sizes, NULL},
	{"norms",
	 "def f(x: f32[M, N], g: f32[N], b: f32[N], z: f32[K]):\n"
	 "    return rms_norm(x, g), layer_norm(x, g, b)\n",
	 true, false, text_sizes, NULL},
	{"attention",
	 "def f(q: f32[2, M, 8], k: f32[2, N, 8], v: f32[2, N, 5], \\\n"
	 "      m: bool[M, N], z: f32[K]):\n"
	 "    return attention(q, k, v), attention(q, k, v, mask=m)\n",
	 true, false, text_sizes, NULL},
	{"causal",
	 "def f(q: f32[M, 8], k: f32[M, 8], v: f32[M, 3]):\n"
	 "    return attention(q, k, v, causal=True, scale=0.5)\n",
	 true, false, text_sizes, NULL},
	{"grouped",
	 "def f(q: f32[2, 3, M, 4], k: f32[2, 1, N, 4], v: f32[2, 1, N, 4]):\n"
	 "    return attention(q, broadcast(k, 2, 3, N, 4), \\\n"
	 "        broadcast(v, 2, 3, N, 4))\n",
	 true, false, text_sizes, NULL},
	{"attention_plain",
	 "def f(q: f16[2, M, K], k: f16[2, N, K], v: f16[2, N, 19]):\n"
	 "    return softmax(q @ k.transpose(0, 2, 1) * 0.25) @ v\n",
	 true, false, attention_sizes, NULL},
	{"attention_causal",
	 "def f(q: f16[2, M, 8], k: f16[2, N, 8], v: f16[2, N, K]):\n"
	 "    return attention(q, k, v, causal=True)\n",
	 true, false, decode_sizes, NULL},
	{"attention_masks",
	 "def f(q: f16[M, K], k: f16[N, K], v: f16[N, 17], m: f16[M, N], \\\n"
	 "      b: bool[N]):\n"
	 "    return attention(q, k, v, mask=m, p=f32), \\\n"
	 "        attention(q, k, v, mask=b, scale=0.5)\n",
	 true, true, attention_sizes, NULL},
	{"attention_grouped",
	 "def f(q: f32[2, 3, M, 8], k: f32[2, N, 8], v: f32[2, N, K]):\n"
	 "    a = broadcast(k.reshape(2, 1, N, 8), 2, 3, N, 8)\n"
	 "    b = broadcast(v.reshape(2, 1, N, K), 2, 3, N, K)\n"
	 "    return attention(q, a, b)\n",
	 true, false, decode_sizes, NULL},
	{"attention_tile",
	 "def f(q: f16[M, 8], k: f16[N, 8], v: f16[N, K], r: f16[M, K]):\n"
	 "    s = f32(q * 0.5) @ f32(k).T\n"
	 "    m = max(s, axis=-1, keepdims=True)\n"
	 "    e = exp(s - m)\n"
	 "    d = sum(e, axis=-1, keepdims=True)\n"
	 "    return f16(e / d @ f32(v)) + r, log(d) + m\n",
	 true, true, decode_sizes, NULL},
	/* for a matrix unit on a GPU */
	{"attention_unit",
	 "def f(q: f16[2, M, 32], k: f16[2, N, 32], v: f16[2, N, 48], \\\n"
	 "      z: f32[K]):\n"
	 "    return attention(q, k, v), attention(q, k, v, causal=True)\n",
	 true, false, decode_sizes, NULL},
	{"attention_unit_rows",
	 "def f(q: f16[M, 16], k: f16[16, N], v: f16[N, 32], r: f16[M, 32], "
	 "\\\n"
	 "      b: bool[N], z: f32[K]):\n"
	 "    s = where(b, matmul(q * 0.5, k, out=f32), -3)\n"
	 "    m = max(s, axis=-1, keepdims=True)\n"
	 "    e = exp(s - m)\n"
	 "    d = sum(e, axis=-1, keepdims=True)\n"
	 "    return f16(matmul(f16(e), v, out=f32) / d) + r, log(d) + m\n",
	 true, false, decode_sizes, NULL},
	{"activations",
	 "def f(x: f32[M, N], z: f32[K]):\n"
	 "    return gelu(x), silu(x), sigmoid(x), relu(x), \\\n"
	 "        clip(x, -1, 1), mean(x, axis=0)\n",
	 true, false, text_sizes, NULL},
	{"one_hot",
	 "def f(i: i32[M], x: f32[M, N], z: f32[K]):\n"
	 "    return one_hot(i, 7), x.argmax(axis=1), \\\n"
	 "        cumsum(x, axis=1, acc=f64)\n",
	 true, false, text_sizes, NULL},
	{"shared",
	 "def f(x: f32[M, K], w: f32[K, N], b: f32[N]):\n"
	 "    p = x @ w\n"
	 "    h = p + b\n"
	 "    return relu(h), h, p, p.T, h\n",
	 false, false, text_sizes, NULL},
	{"returned",
	 "def f(x: f32[M, N], z: f32[K]):\n"
	 "    return x, x, x.T, f32([1.5, 2.5]), x[::2, ::-1], z\n",
	 false, false, text_sizes, NULL},
	{"donated",
	 "@donate(x)\n"
	 "def f(x: f32[M, N], y: f32[M, N], z: f32[K]):\n"
	 "    return x * y + x\n",
	 false, false, text_sizes, NULL},
	{"padded",
	 "def f(x: f32[M, N], z: f32[K]):\n"
	 "    return pad(x, 1, 2, value=3), pad(x, [0, 3], [2, 0])\n",
	 false, false, text_sizes, NULL},
	/* axes of one element, by number and by size */
	{"ones",
	 "def f(x: f32[1, N], y: f32[M, 1], z: f32[K]):\n"
	 "    c = concat([x, x * 2, broadcast(y, M, N)], axis=0)\n"
	 "    return x[1:], x[:5], x[::-1, -1:], x[0, :1], y[-1:], y[:, -1], "
	 "\\\n"
	 "        c[1], c[1:2, ::-1] + 1, c[2:], pad(y, [0, 1], [2, 2])[1:, "
	 "1:2], \\\n"
	 "        pad(x, [1, 0], [1, 0])[1] * 3, concat([y, y], axis=1)[:, "
	 "1:], "
	 "\\\n"
	 "        sum(x[M - 1:], axis=0), concat([x[M:], x], axis=0), z\n",
	 false, false, unit_sizes, NULL},
	{"joined",
	 "def f(a: f32[M, N], b: f32[M, K], z: f32[M, 1]):\n"
	 "    return concat([a, b, z], axis=1) * 2\n",
	 false, false, text_sizes, NULL},
	/* elements that lie apart, side by side in registers */
	{"steps of f16",
	 "dims d: N = 2\n"
	 "def f(x: f16[64, 48], y: f16[48, 64], b: f16[48, 1], z: f16[N]):\n"
	 "    return x.T, x.T + y, y * b, x[:, ::2], x[1:33, :].T - b, "
	 "y[:, ::-1], \\\n"
	 "        x[::-1].T * y, x[:, 1:33], y.T[:, 3:35] + x[:, ::-1][:, :32]"
	 "\n",
	 false, true, NULL, NULL},
	{"steps of bf16",
	 "dims d: N = 2\n"
	 "def f(x: bf16[64, 48], y: bf16[48, 64], b: bf16[48, 1], z: "
	 "bf16[N]):\n"
	 "    return x.T, x.T + y, y * b, x[:, ::2], x[1:33, :].T - b, "
	 "y[:, ::-1], \\\n"
	 "        x[::-1].T * y, x[:, 1:33], y.T[:, 3:35] + x[:, ::-1][:, :32]"
	 "\n",
	 false, true, NULL, NULL},
	{"integers",
	 "def f(a: i32[M, N], b: i32[M, N], z: i32[K]):\n"
	 "    return a // b, a % b, -(a // b), z ** 2\n",
	 false, true, text_sizes, NULL},
};

typedef struct FaultCase {
	const char *text;
	int input; /* whose element 2 is `value`; the others are 1 */
	int64_t value;
	const char *says; /* NULL: no fault */
} FaultCase;

static const FaultCase fault_cases[] = {
	{"def f(a: i32[8], b: i32[8]):\n    return a // b\n", 1, 0, "zero"},
	{"def f(a: i64[8], b: i64[8]):\n    return a % b\n", 1, 0, "zero"},
	{"def f(a: i32[8], b: i32[8]):\n    return a ** b\n", 1, -1,
	 "negative"},
	{"def f(a: i32[8], b: i32[8]):\n    return a // b\n", 0, INT32_MIN,
	 NULL},
	{"def f(x: f32[4], i: i64[8]):\n    return gather(x, i)\n", 1, 4,
	 "range"},
	{"def f(x: f32[4], i: i32[8]):\n    return gather(x, i)\n", 1, -5,
	 "range"},
	{"def f(x: f32[4], i: i64[8]):\n    return gather(x, i)\n", 1, -4,
	 NULL},
	{"def f(x: f32[4], i: i64[8], u: f32[8]):\n"
	 "    return scatter(x, i, u)\n",
	 1, 4, "range"},
	{"def f(x: f32[4], i: i32[8], u: f32[8]):\n"
	 "    return scatter(x, i, u, add=True)\n",
	 1, -5, "range"},
	{"def f(x: f32[4], i: i64[8], u: f32[8]):\n"
	 "    return scatter(x, i, u)\n",
	 1, -1, NULL},
};

#endif
