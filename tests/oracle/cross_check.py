#!/usr/bin/python3
"""Cross-checks of the oracle: NumPy, and exact rational arithmetic.

    cross_check.py TOOL [NAME...]

TOOL is the built tests/oracle/oracle_tool. Every check is a function; the
last line is `N passed, N failed, N skipped`.
"""
import itertools
import math
import sys
import traceback
from fractions import Fraction

import numpy as np

from programs import (FLOATS, FORMAT, INTS, NUMPY, Program, Tool, load,
                      round_fraction, round_to)

rng = np.random.default_rng(20260)
tool = None


def same(got, want, what):
    """Equal bits, any NaN being equal to any NaN."""
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape, (what, got.shape, want.shape)
    if got.dtype.kind == "f":
        ok = (got == want) & (np.signbit(got) == np.signbit(want))
        ok |= np.isnan(got) & np.isnan(want)
    else:
        ok = got == want
    bad = np.argwhere(~ok)
    assert len(bad) == 0, "%s: %d differ, first %s: got %r want %r" % (
        what, len(bad), bad[0], got[tuple(bad[0])], want[tuple(bad[0])])


def within(x, lo, hi, flags, what):
    x, lo, hi = (np.asarray(v) for v in (x, lo, hi))
    nan = np.isnan(x) if x.dtype.kind == "f" else np.zeros(x.shape, bool)
    ok = (x >= lo) & (x <= hi)
    ok |= nan & ((flags & 1 != 0) | (np.isnan(lo) if lo.dtype.kind == "f"
                                     else False))
    bad = np.argwhere(~ok)
    assert len(bad) == 0, "%s: %d outside, first %s: %r not in [%r, %r]" % (
        what, len(bad), bad[0], x[tuple(bad[0])], lo[tuple(bad[0])],
        hi[tuple(bad[0])])


def special_floats(dtype):
    p, emin, emax = FORMAT[dtype]
    tiny = 2.0 ** (emin - p + 1)
    top = (2 - 2.0 ** (1 - p)) * 2.0 ** emax
    x = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 3.0, math.inf, -math.inf,
         math.nan, tiny, -tiny, 2.0 ** emin, top, -top, 7.0, 1 / 3]
    return round_to(np.array(x), dtype)


def pairs(dtype):
    """Every pair of special values, and random ones of many sizes."""
    s = special_floats(dtype)
    a, b = (v.ravel() for v in np.meshgrid(s, s))
    _, emin, emax = FORMAT[dtype]
    e = min(emax - 1, 40)
    x = rng.standard_normal((2, 2000)) * 2.0 ** rng.integers(-e, e, (2, 2000))
    x[:, :500] = rng.integers(-20, 20, (2, 500))
    x = round_to(x, dtype)
    return np.concatenate([a, x[0]]), np.concatenate([b, x[1]])


def ints(dtype, n=2000):
    info = np.iinfo(NUMPY[dtype])
    edge = np.array([info.min, info.max, 0, 1, info.max - 1,
                     info.min + 1] + ([-1] if info.min else [2]),
                    dtype=NUMPY[dtype])
    a, b = (v.ravel() for v in np.meshgrid(edge, edge))
    x = rng.integers(info.min, info.max, (2, n), dtype=NUMPY[dtype],
                     endpoint=True)
    x[:, :n // 2] = rng.integers(0 if info.min == 0 else -9, 9, (2, n // 2))
    return np.concatenate([a, x[0]]), np.concatenate([b, x[1]])


# ---- elementwise ---------------------------------------------------------

def unary_and_binary(dtype, unary, binary, a, b):
    """The results of many ops on one pair of inputs."""
    p = Program()
    n = [len(a)]
    x, y = p.input(dtype, n), p.input(dtype, n)
    for op in unary:
        p.returns(p.value(dtype, n, op, [x]), op)
    for op in binary:
        out = "bool" if op in ("eq", "ne", "lt", "le", "gt", "ge") else dtype
        p.returns(p.value(out, n, op, [x, y]), op)
    return tool.eval(p, [(a, dtype), (b, dtype)])


def np_floor_quotient(a, b):
    """floor of the exact quotient, by rationals; IEEE where not finite."""
    if not (math.isfinite(a) and math.isfinite(b)) or b == 0:
        with np.errstate(all="ignore"):
            return float(np.floor(np.float64(a) / np.float64(b)))
    return math.floor(Fraction(a) / Fraction(b))


def check_float_arithmetic():
    compare = ["eq", "ne", "lt", "le", "gt", "ge"]
    for d in FLOATS:
        a, b = pairs(d)
        r = unary_and_binary(
            d, ["neg", "abs", "sign", "floor", "ceil", "round", "sqrt"],
            ["add", "sub", "mul", "div", "maximum", "minimum"] + compare,
            a, b)
        with np.errstate(all="ignore"):
            # Exact sums and products of narrow dtypes in float64 or more
            wide = np.longdouble if d == "f32" else np.float64
            A, B = a.astype(wide), b.astype(wide)
            if d == "f32":
                f = np.float32
                want = {"add": f(a) + f(b), "sub": f(a) - f(b),
                        "mul": f(a) * f(b), "div": f(a) / f(b),
                        "sqrt": np.sqrt(f(a))}
                want = {k: v.astype(np.float64) for k, v in want.items()}
            else:
                want = {"add": A + B, "sub": A - B, "mul": A * B,
                        "div": A / B, "sqrt": np.sqrt(A)}
                want = {k: round_to(v, d) for k, v in want.items()}
            want.update(neg=-a, abs=abs(a), floor=np.floor(a),
                        ceil=np.ceil(a), round=np.rint(a))
            want["sign"] = np.where(a == 0, a, np.sign(a))
        for op in want:
            same(r[op][0], want[op], op + " " + d)
            same(r[op][1], r[op][2], op + " is a point " + d)
        top, bottom = np.maximum(a, b), np.minimum(a, b)
        both = (a == 0) & (b == 0)
        minus = np.signbit(a) & np.signbit(b)
        top = np.where(both, np.where(minus, -0.0, 0.0), top)
        either = np.signbit(a) | np.signbit(b)
        bottom = np.where(both, np.where(either, -0.0, 0.0), bottom)
        same(r["maximum"][0], top, "maximum " + d)
        same(r["minimum"][0], bottom, "minimum " + d)
        for op, f in zip(compare, [np.equal, np.not_equal, np.less,
                                   np.less_equal, np.greater,
                                   np.greater_equal]):
            same(r[op][0], f(a, b), op + " " + d)


def check_float_division():
    """Floor division and modulo against rationals."""
    for d in FLOATS:
        a, b = pairs(d)
        a, b = a[::3], b[::3]
        r = unary_and_binary(d, [], ["floordiv", "mod"], a, b)
        for i, (x, y) in enumerate(zip(a, b)):
            q = np_floor_quotient(x, y)
            if isinstance(q, int):
                q = round_fraction(Fraction(q), d)
            got = r["floordiv"][0][i]
            assert got == q or (math.isnan(got) and math.isnan(q)), (
                "floordiv", d, x, y, got, q)
            m = r["mod"][0][i]
            if not (math.isfinite(x) and math.isfinite(y)) or y == 0:
                assert math.isnan(m) or math.isinf(y), ("mod", d, x, y, m)
                continue
            exact = math.fmod(x, y)
            if exact != 0 and (exact < 0) != (y < 0):
                exact = round_fraction(Fraction(exact) + Fraction(y), d)
            assert m == exact, ("mod", d, x, y, m, exact)
            assert m != 0 or math.copysign(1, m) == math.copysign(1, y) or \
                exact != 0, ("mod's zero", d, x, y)


def check_fma():
    """One rounding of a*b + c, against rationals."""
    for d in FLOATS:
        a, b = pairs(d)
        c = rng.permutation(a)
        # products that nearly cancel, where a second rounding would show
        c[-1000:] = -round_to(a[-1000:] * b[-1000:], d)
        # a midpoint, and a term too small for f64 to tell on which side
        half = {"f32": 1 + 2.0 ** -12, "bf16": 1 + 2.0 ** -4}.get(d, 1.5)
        a[:4] = b[:4] = half
        a[2:4] = -half
        tiny = 2.0 ** max(-80, FORMAT[d][1])
        c[:4] = [tiny, -tiny, tiny, -tiny]
        p = Program()
        n = [len(a)]
        v = [p.input(d, n) for _ in range(3)]
        p.returns(p.value(d, n, "fma", v), "y")
        r = tool.eval(p, [(a, d), (b, d), (c, d)])["y"][0]
        for x, y, z, got in zip(a, b, c, r):
            if not all(math.isfinite(t) for t in (x, y, z)):
                continue
            want = round_fraction(Fraction(x) * Fraction(y) + Fraction(z), d)
            assert got == want, ("fma", d, x, y, z, got, want)


def check_integers():
    for d in INTS:
        a, b = ints(d)
        t = NUMPY[d]
        width = 8 * np.dtype(t).itemsize
        nz = np.where(b == 0, np.array(1, t), b)
        count = (rng.integers(0, width + 3, len(a))).astype(t)
        compare = ["eq", "ne", "lt", "le", "gt", "ge"]
        r = unary_and_binary(
            d, ["neg", "abs", "sign", "bitnot"],
            ["add", "sub", "mul", "maximum", "minimum", "bitand", "bitor",
             "bitxor"] + compare, a, b)
        with np.errstate(all="ignore"):
            want = {"neg": (0 - a.astype(t)).astype(t), "abs": np.abs(a),
                    "sign": np.sign(a), "bitnot": ~a, "add": a + b,
                    "sub": a - b, "mul": a * b,
                    "maximum": np.maximum(a, b),
                    "minimum": np.minimum(a, b), "bitand": a & b,
                    "bitor": a | b, "bitxor": a ^ b}
        for op, f in zip(compare, [np.equal, np.not_equal, np.less,
                                   np.less_equal, np.greater,
                                   np.greater_equal]):
            want[op] = f(a, b)
        for op in want:
            same(r[op][0], want[op], op + " " + d)
        r = unary_and_binary(d, [], ["floordiv", "mod"], a, nz)
        for i, (x, y) in enumerate(zip(a.tolist(), nz.tolist())):
            q = x // y  # wraps for the most negative by -1
            same(r["floordiv"][0][i], np.array(q & (1 << width) - 1,
                                               np.uint64).astype(t),
                 "floordiv " + d)
            same(r["mod"][0][i], np.array(x % y).astype(t), "mod " + d)
        r = unary_and_binary(d, [], ["shl", "shr", "pow"], a, count)
        for i, (x, y) in enumerate(zip(a.tolist(), count.tolist())):
            mask = (1 << width) - 1
            left = 0 if y >= width else (x << y) & mask
            same(r["shl"][0][i], np.array(left, np.uint64).astype(t),
                 "shl " + d)
            same(r["shr"][0][i], np.array(x >> min(y, 200)).astype(t),
                 "shr " + d)
            same(r["pow"][0][i], np.array(pow(x, y) & mask,
                                          np.uint64).astype(t), "pow " + d)


def check_bool():
    a = np.array([0, 0, 1, 1], bool)
    b = np.array([0, 1, 0, 1], bool)
    r = unary_and_binary("bool", ["not"], ["and", "or", "maximum",
                                           "minimum"], a, b)
    same(r["not"][0], ~a, "not")
    same(r["and"][0], a & b, "and")
    same(r["or"][0], a | b, "or")
    same(r["maximum"][0], a | b, "maximum")


def check_casts():
    everything = FLOATS + INTS + ["bool"]
    for src in everything:
        if src in FLOATS:
            a = np.concatenate([pairs(src)[0],
                                round_to(2.0 ** np.arange(-30.0, 70), src),
                                round_to(-(2.0 ** np.arange(0.0, 70)), src)])
            a[-400:] = round_to(rng.standard_normal(400) * 300, src)
        elif src == "bool":
            a = np.array([False, True])
        else:
            a = ints(src)[0]
        p = Program()
        x = p.input(src, [len(a)])
        for dst in everything:
            if dst != src:
                p.returns(p.value(dst, [len(a)], "cast", [x]), dst)
        r = tool.eval(p, [(a, src)])
        for dst in r:
            for v, got in zip(a.tolist(), r[dst][0].tolist()):
                want = cast(v, src, dst)
                assert got == want or (got != got and want != want), (
                    "cast", src, dst, v, got, want)


def cast(v, src, dst):
    if dst == "bool":
        return v != 0
    if dst in FLOATS:
        if v != v or v in (math.inf, -math.inf):
            return v
        return round_fraction(Fraction(v), dst)
    info = np.iinfo(NUMPY[dst])
    if src in FLOATS:
        if v != v:
            return 0
        if math.isinf(v):
            return info.max if v > 0 else info.min
        return max(info.min, min(info.max, math.trunc(v)))
    width = np.dtype(NUMPY[dst]).itemsize * 8
    v = int(v) & (1 << width) - 1
    return v - (1 << width) if info.min and v >> (width - 1) else v


def check_functions():
    """Reference right, and the interval 2 ulp wide about the true value."""
    def rsqrt(x):
        return 1 / np.sqrt(x)
    names = {"rsqrt": rsqrt, "exp": np.exp, "expm1": np.expm1,
             "log": np.log, "log1p": np.log1p, "tanh": np.tanh,
             "sin": np.sin, "cos": np.cos,
             "erf": np.vectorize(math.erf, otypes=[np.float64])}
    for d in FLOATS:
        x = np.concatenate([special_floats(d),
                            round_to(rng.standard_normal(500) * 3, d),
                            round_to(rng.standard_normal(300) * 60, d),
                            round_to(rng.standard_normal(200) * 1e-4, d)])
        p = Program()
        v = p.input(d, [len(x)])
        for op in names:
            p.returns(p.value(d, [len(x)], op, [v]), op)
        r = tool.eval(p, [(x, d)])
        work = "f64" if d == "f64" else "f32"
        bits, emin, _ = FORMAT[work]
        for op, f in names.items():
            with np.errstate(all="ignore"):
                wide = np.longdouble if d == "f64" and op != "erf" \
                    else np.float64
                true = f(x.astype(wide))
                e = np.frexp(true)[1] - 1.0  # 0, infinities: any
                e = np.where(np.isfinite(true) & (true != 0), e, emin)
                ulp = 2.0 ** (np.maximum(e, emin) - bits + 1)
                near, far = ulp * 2.003, ulp * 1.0
                want = round_to(true.astype(np.float64), d)
            ref, lo, hi, flags = r[op]
            if (d, op) != ("f64", "erf"):  # NumPy's is double
                same(ref, want, op + " " + d)
            within(ref, lo, hi, flags, op + " " + d)
            ok = np.isfinite(lo) & np.isfinite(hi) & np.isfinite(true)
            if d in ("f32", "f64"):
                slack = ulp * (1 if op == "erf" and d == "f64" else 0)
                with np.errstate(all="ignore"):
                    assert np.all((lo >= true - near - slack)[ok]), op + d
                    high = ok & ~(hi <= true + near + slack)
                    assert not np.any(high), (op, d, x[high], true[high],
                                              hi[high], near[high])
                    inner = ok & (np.abs(true) > 0) & (lo != hi)
                    inner &= (d, op) != ("f64", "erf")
                    # one ulp off is always legal, but across 0
                    up = round_to((true + far).astype(np.float64), d)
                    keep = inner & (np.sign(up) == np.sign(true))
                    low = keep & (up <= true + near) & ~(up <= hi)
                    assert not np.any(low), (op, d, x[low], true[low],
                                             up[low], hi[low])
        zero = p.results.index("exp")
        assert zero >= 0
        # exact values of C's Annex F
        i0, i1 = 0, 1  # +0 and -0
        for op in ("sin", "tanh", "erf", "expm1", "log1p"):
            ref, lo, hi, _ = r[op]
            same(np.array([lo[i0], hi[i0]]), np.array([0.0, 0.0]), op)
            same(np.array([lo[i1], hi[i1]]), np.array([-0.0, -0.0]), op)


def check_power():
    for d in ("f32", "f64"):
        a = round_to(np.abs(rng.standard_normal(400)) + 0.1, d)
        b = round_to(rng.standard_normal(400) * 3, d)
        a[:50] = -a[:50]
        b[:50] = np.rint(b[:50])
        r = unary_and_binary(d, [], ["pow"], a, b)
        want = round_to(np.power(a.astype(np.longdouble),
                                 b.astype(np.longdouble))
                        .astype(np.float64), d)
        same(r["pow"][0], want, "pow " + d)
        within(want, *r["pow"][1:], "pow " + d)


# ---- movement ------------------------------------------------------------

def check_views_and_moves():
    for d in ("f16", "bf16", "f64", "i32", "u8", "bool"):
        x = rng.integers(0, 2 if d == "bool" else 100, (3, 4, 5))
        p = Program()
        v = p.input(d, [3, 4, 5])
        i = p.input("i32", [2, 2])
        f = p.input(d, [])
        u = p.input(d, [3, 3, 5])
        j = p.input("i64", [3])
        want = {}

        def add(name, y, *args, **kw):
            p.returns(p.value(d, y.shape, *args, **kw), name)
            want[name] = y
        idx = np.array([[0, -1], [3, 1]])
        js = np.array([1, -1, 1])
        us = rng.integers(0, 2 if d == "bool" else 100, (3, 3, 5))
        add("t", x.transpose(2, 0, 1), "transpose", [v], perm="[2, 0, 1]")
        add("r", x.reshape(6, 10), "reshape", [v])
        add("s", x[2:0:-1, 1:4:2, :], "slice", [v], start="[2, 1, 0]",
            step="[-1, 2, 1]")
        add("b", np.broadcast_to(x, (2, 3, 4, 5)), "broadcast", [v])
        add("w", x[:, ::-1, :2], "view", [v], map="[i0, 3 - i1, i2]")
        add("p", np.pad(x, ((1, 0), (0, 2), (0, 0)), constant_values=1),
            "pad", [v, f], start="[1, 0, 0]")
        add("c", np.concatenate([x, us], 1), "concat", [v, u], axis=1)
        add("g", np.take(x, idx, 1), "gather", [v, i], axis=1)
        y = x.copy()
        for k, at in enumerate(js):
            y[:, at, :] = us[:, k, :]
        add("sc", y, "scatter", [v, j, u], axis=1)
        if d != "bool":
            y = x.copy()
            for k, at in enumerate(js):
                y[:, at, :] = y[:, at, :] + us[:, k, :]
            y = y if d != "u8" else y.astype(np.uint8)
            add("sa", y, "scatter_add", [v, j, u], axis=1)
        r = tool.eval(p, [(x, d), (idx, "i32"), (np.array(1), d), (us, d),
                          (js, "i64")])
        for name in want:
            same(r[name][0].astype(np.float64),
                 want[name].astype(np.float64), name + " " + d)


def check_faults():
    p = Program()
    a, b = p.input("i32", [4]), p.input("i32", [4])
    q = p.value("i32", [4], "floordiv", [a, b])
    p.returns(q, "y")
    r = tool.eval(p, [(np.arange(4), "i32"), (np.array([1, 2, 0, 0]),
                                              "i32")])
    assert r == ["fault", "2", "2"], r
    p = Program()
    a, i = p.input("f32", [4]), p.input("i64", [2])
    p.returns(p.value("f32", [2], "gather", [a, i], axis=0), "y")
    r = tool.eval(p, [(np.arange(4), "f32"), (np.array([1, -5]), "i64")])
    assert r == ["fault", "2", "-5"], r
    p = Program()
    a, b = p.input("i16", [2]), p.input("i16", [2])
    p.returns(p.value("i16", [2], "pow", [a, b]), "y")
    r = tool.eval(p, [(np.array([2, 3]), "i16"), (np.array([1, -1]), "i16")])
    assert r == ["fault", "2", "1"], r


# ---- reductions and products ---------------------------------------------

def check_reductions():
    for d in FLOATS + INTS:
        x = rng.integers(0, 6, (3, 4, 5))
        if d in FLOATS:
            x = x - 2.5
            x[1, 2, 3] = math.nan
            x[2, 1, :] = -0.0
        p = Program()
        v = p.input(d, [3, 4, 5])
        acc = d if d not in ("f16", "bf16") else "f32"
        t = np.float64 if d in FLOATS else NUMPY[d]
        want = {}
        x = x.astype(t)
        for name, op, f in (("sum", "sum", np.sum), ("prod", "prod",
                                                     np.prod)):
            y = f(x, axis=(0, 2), dtype=t)
            want[name] = round_to(y, d) if d in FLOATS else y
            p.returns(p.value(d, [4], op, [v], axes="[0, 2]", acc=acc), name)
        for name, f in (("max", np.max), ("min", np.min)):
            want[name] = f(x, axis=1)
            p.returns(p.value(d, [3, 5], name, [v], axes="[1]"), name)
        for name, f in (("argmax", np.argmax), ("argmin", np.argmin)):
            want[name] = f(x, axis=2)
            p.returns(p.value("i64", [3, 4], name, [v], axes="[2]"), name)
        want["cumsum"] = np.cumsum(x, axis=1, dtype=t)
        p.returns(p.value(d, [3, 4, 5], "cumsum", [v], axis=1, acc=acc),
                  "cumsum")
        r = tool.eval(p, [(x, d)])
        for name in want:
            if d in FLOATS:
                ok = (r[name][0] == want[name]) | (np.isnan(r[name][0]) &
                                                   np.isnan(want[name]))
                assert np.all(ok), (name, d)
            else:
                same(r[name][0], want[name], name + " " + d)


def sum_exact(terms):
    return sum((Fraction(t) for t in terms), Fraction(0))


def all_orders(terms, dtype):
    """Every result of adding the terms pairwise in any order."""
    if len(terms) == 1:
        return {terms[0]}
    out = set()
    n = len(terms)
    for mask in range(1, 1 << (n - 1)):
        left = [terms[i] for i in range(n) if mask >> i & 1]
        right = [terms[i] for i in range(n) if not mask >> i & 1]
        for a in all_orders(left, dtype):
            for b in all_orders(right, dtype):
                out.add(round_fraction(Fraction(a) + Fraction(b), dtype)
                        if math.isfinite(a + b) else a + b)
    return out


def check_every_order():
    """All trees of five terms lie in the interval; the reference is right."""
    for d, acc in (("f16", "f32"), ("bf16", "f32"), ("f32", "f32"),
                   ("f64", "f64"), ("f16", "f16"), ("f32", "f16")):
        x = rng.standard_normal((40, 5)) * 2.0 ** rng.integers(-8, 8, (40, 5))
        x[::3, 2] = -x[::3, 0]
        x[::5, 4] = 0
        x = round_to(x, d)
        p = Program()
        v = p.input(d, [40, 5])
        p.returns(p.value(d, [40], "sum", [v], axes="[1]", acc=acc), "y")
        ref, lo, hi, flags = tool.eval(p, [(x, d)])["y"]
        for i in range(40):
            terms = [round_fraction(Fraction(t), acc) for t in x[i]]
            exact = sum_exact(x[i])
            want = round_fraction(Fraction(round_fraction(exact, acc)), d)
            assert ref[i] == want, ("sum", d, acc, i, ref[i], want)
            for y in all_orders(terms, acc):
                y = round_fraction(Fraction(y), d)
                assert lo[i] <= y <= hi[i], ("sum", d, acc, i, y, lo[i],
                                             hi[i])
        # Points must be the only result.
        for i in np.flatnonzero(lo == hi):
            terms = [round_fraction(Fraction(t), acc) for t in x[i]]
            got = {round_fraction(Fraction(y), d)
                   for y in all_orders(terms, acc)}
            assert got == {ref[i]}, ("point", d, acc, i, got)


def check_matmul_exactly():
    """Small products against rationals, all orders, fused or not."""
    for d, acc in (("f16", "f32"), ("bf16", "f32"), ("f32", "f32"),
                   ("f64", "f64"), ("f16", "f16")):
        a = round_to(rng.standard_normal((4, 4)) *
                     2.0 ** rng.integers(-6, 6, (4, 4)), d)
        b = round_to(rng.standard_normal((4, 5)), d)
        a[1, 1:] = 0
        a[2, ::2] = 0
        p = Program()
        x, y = p.input(d, [4, 4]), p.input(d, [4, 5])
        p.returns(p.value(d, [4, 5], "matmul", [x, y], acc=acc), "y")
        ref, lo, hi, _ = tool.eval(p, [(a, d), (b, d)])["y"]
        for i in range(4):
            for j in range(5):
                exact = [Fraction(s) * Fraction(t)
                         for s, t in zip(a[i], b[:, j])]
                want = round_fraction(Fraction(round_fraction(
                    sum(exact, Fraction(0)), acc)), d)
                assert ref[i, j] == want, (d, acc, ref[i, j], want)
                seen = {round_fraction(Fraction(s), d) for s in all_orders(
                    [round_fraction(t, acc) for t in exact], acc)}
                for order in itertools.permutations(exact):
                    s = Fraction(0)
                    for t in order:  # fused multiply-add
                        s = Fraction(round_fraction(s + t, acc))
                    seen.add(round_fraction(s, d))
                for s in seen:
                    assert lo[i, j] <= s <= hi[i, j], (d, acc, s, lo[i, j],
                                                       hi[i, j])
                if lo[i, j] == hi[i, j]:
                    assert seen == {ref[i, j]}, (d, acc, seen, ref[i, j])


def sums_f32(a, b, way):
    """a @ b with float32 sums in one of several orders."""
    k = a.shape[1]
    t = a.astype(np.float32)[:, :, None] * b.astype(np.float32)[None]
    if way == "reversed":
        t = t[:, ::-1]
    if way == "random":
        t = t[:, rng.permutation(k)]
    if way == "sorted":
        t = np.sort(t, axis=1)
    if way == "magnitude":
        t = np.take_along_axis(t, np.argsort(-np.abs(t), axis=1), axis=1)
    if way == "pairwise":
        while t.shape[1] > 1:
            if t.shape[1] % 2:
                t = np.concatenate([t, np.zeros_like(t[:, :1])], 1)
            t = t[:, ::2] + t[:, 1::2]
        return t[:, 0]
    if way.startswith("blocks"):
        size = int(way[6:])
        parts = [sum_in_order(t[:, i:i + size]) for i in range(0, k, size)]
        return sum_in_order(np.stack(parts, 1))
    return sum_in_order(t)


def sum_in_order(t):
    s = np.zeros_like(t[:, 0])
    for i in range(t.shape[1]):
        s = s + t[:, i]
    return s


WAYS = ["plain", "reversed", "random", "sorted", "magnitude", "pairwise",
        "blocks4", "blocks16", "blocks64", "blocks512"]


def check_honest_orders():
    """x @ w + b, (x @ w) @ v and the join, summed in many orders."""
    for d in ("f16", "bf16", "f32"):
        for k in (17, 256, 1025):
            m, n = 16, 16
            x = round_to(rng.standard_normal((m, k)), d)
            w = round_to(rng.standard_normal((k, n)) / math.sqrt(k), d)
            v = round_to(rng.standard_normal((k, n)) / math.sqrt(k), d)
            u = round_to(rng.standard_normal((n, n)) / math.sqrt(n), d)
            b = round_to(rng.standard_normal(n), d)
            p = Program()
            X, W, V = (p.input(d, s) for s in ([m, k], [k, n], [k, n]))
            U, B = p.input(d, [n, n]), p.input(d, [n])
            pw = p.value(d, [m, n], "matmul", [X, W], acc="f32")
            pv = p.value(d, [m, n], "matmul", [X, V], acc="f32")
            bb = p.value(d, [m, n], "broadcast", [B])
            p.returns(p.value(d, [m, n], "add", [pw, bb]), "bias")
            p.returns(p.value(d, [m, n], "add", [pw, pv]), "join")
            p.returns(p.value(d, [m, n], "matmul", [pw, U], acc="f32"),
                      "chain")
            arrays = [(x, d), (w, d), (v, d), (u, d), (b, d)]
            for way in WAYS:
                y = round_to(sums_f32(x, w, way), d)
                z = round_to(sums_f32(x, v, way), d)
                results = [(round_to(y + b, d), d), (round_to(y + z, d), d),
                           (round_to(sums_f32(y, u, "random"), d), d)]
                out = tool.judge(p, arrays, results)
                assert out.count("violations 0,") == 3, (d, k, way, out)


def f32(x):
    return np.asarray(x, np.float32).astype(np.float64)


def sums_f16(a, b):
    """A product whose sums round to f16 after every addition."""
    t = (a[:, :, None] * b[None])
    s = np.zeros_like(t[:, 0])
    for i in range(t.shape[1]):
        s = round_to(s + t[:, i], "f16")
    return s


def truncate(x, dtype):
    """Rounding toward zero instead of to nearest."""
    r = round_to(x, dtype)
    p = FORMAT[dtype][0]
    with np.errstate(all="ignore"):
        e = np.floor(np.log2(np.maximum(np.abs(r), 1e-30)))
    return np.where(np.abs(r) > np.abs(x), r - np.sign(r) * 2.0 ** (e - p + 1),
                    r)


def check_exact_family():
    """Honest orders give the reference's bits; violations do not."""
    for d in ("f16", "bf16", "f32"):
        for m, k, n in ((8, 16, 24), (9, 17, 31), (16, 256, 40),
                        (12, 1025, 24)):
            p = Program()
            X, W, B = (p.input(d, s) for s in ([m, k], [k, n], [n]))
            pw = p.value(d, [m, n], "matmul", [X, W], acc="f32")
            p.returns(p.value(d, [m, n], "add", [
                pw, p.value(d, [m, n], "broadcast", [B])]), "y")
            x, w, b = fixture(p, "exact", 3)
            arrays = [(x, d), (w, d), (b, d)]
            raw = f32(sums_f32(x, w, "plain"))

            def verdict(y):
                return tool.judge(p, arrays, [(y, d)])
            for way in WAYS:
                y = round_to(round_to(f32(sums_f32(x, w, way)), d) + b, d)
                assert "y: exact pass" in verdict(y), (d, k, way, verdict(y))
            honest = round_to(round_to(raw, d) + b, d)
            wrong = {
                "last k dropped": round_to(round_to(f32(sums_f32(
                    x[:, :-1], w[:-1], "plain")), d) + b, d),
                "k mod 16 dropped": round_to(round_to(f32(sums_f32(
                    x[:, :k // 16 * 16], w[:k // 16 * 16], "plain")), d) + b,
                    d),
                "wide addend": round_to(round_to(raw, d) + b * 2, d),
                "truncated": round_to(truncate(raw, d) + b, d),
                "boundary skipped": round_to(f32(raw + b), d),
                "f16 sums": round_to(round_to(sums_f16(x, w), d) + b, d),
                "f16 products": round_to(round_to(f32(
                    round_to(x[:, :, None] * w[None], "f16").sum(1)), d) + b,
                    d),
                "bf16 operands": round_to(round_to(f32(
                    round_to(x, "bf16") @ round_to(w, "bf16")), d) + b, d),
                "tf32 operands": round_to(round_to(f32(
                    tf32(x) @ tf32(w)), d) + b, d),
            }
            must = {"last k dropped", "k mod 16 dropped"} if k % 16 else \
                {"last k dropped"}
            if d == "f16":
                must |= {"truncated", "boundary skipped", "f16 sums",
                         "f16 products", "bf16 operands"}
            if d == "bf16":
                must |= {"truncated", "boundary skipped"}
            if d == "f32":
                must |= {"f16 sums", "f16 products", "bf16 operands",
                         "tf32 operands"}
            for name, y in wrong.items():
                differs = not np.array_equal(y, honest)
                assert differs or name not in must, (name, d, k)
                fails = "y: exact fail" in verdict(y)
                assert fails == differs, (name, d, k, verdict(y))


def tf32(x):
    with np.errstate(all="ignore"):
        m, e = np.frexp(x)
    return np.ldexp(np.rint(m * 2048) / 2048, e)


def check_exact_chain():
    """Two products in a row: every order exact, the roundings visible."""
    for d in ("f16", "bf16", "f32"):
        m, k = 8, 256
        p = Program()
        X, W, V = (p.input(d, s) for s in ([m, k], [k, k], [k, k]))
        a = p.value(d, [m, k], "matmul", [X, W], acc="f32")
        p.returns(p.value(d, [m, k], "matmul", [a, V], acc="f32"), "y")
        x, w, v = fixture(p, "exact", 5)
        arrays = [(x, d), (w, d), (v, d)]
        for way in WAYS:
            y = round_to(f32(sums_f32(x, w, way)), d)
            z = round_to(f32(sums_f32(y, v, way)), d)
            out = tool.judge(p, arrays, [(z, d)])
            assert "y: exact pass" in out, (d, way, out)
        if d != "f32":
            y = f32(sums_f32(x, w, "plain"))
            z = round_to(f32(y @ v), d)
            out = tool.judge(p, arrays, [(z, d)])
            assert "y: exact fail" in out, (d, out)


def silu32(x):
    x = np.asarray(x, np.float32)
    with np.errstate(all="ignore"):
        return x / (np.float32(1) + np.exp(-x))


def check_gated_mutants():
    """Behind a function of 2 ulp, violations show on the narrow family."""
    d, m, k, n = "f16", 32, 1024, 48
    p = Program()
    X, W, V = (p.input(d, s) for s in ([m, k], [k, n], [k, n]))
    a = p.value(d, [m, n], "matmul", [X, W], acc="f32")
    b = p.value(d, [m, n], "matmul", [X, V], acc="f32")
    y = p.value("f32", [m, n], "cast", [a])
    one = p.value("f32", [m, n], "broadcast",
                  [p.value("f32", [], "const", data="0x1p+0")])
    e = p.value("f32", [m, n], "exp", [p.value("f32", [m, n], "neg", [y])])
    s = p.value("f32", [m, n], "add", [one, e])
    g = p.value(d, [m, n], "cast", [p.value("f32", [m, n], "div", [y, s])])
    p.returns(p.value(d, [m, n], "mul", [g, b]), "y")
    x, w, v = fixture(p, "narrow", 3)
    arrays = [(x, d), (w, d), (v, d)]

    def gated(pw, pv):
        return round_to(round_to(silu32(pw), d) * pv, d)
    for way in WAYS:
        out = tool.judge(p, arrays, [(gated(
            round_to(f32(sums_f32(x, w, way)), d),
            round_to(f32(sums_f32(x, v, "random")), d)), d)])
        assert "interval pass (violations 0, undecided 0" in out, (way, out)
    raw = f32(sums_f32(x, w, "plain"))
    other = round_to(f32(sums_f32(x, v, "plain")), d)
    products = round_to(x[:, :, None] * w[None], d).sum(1)
    for name, y in (("boundary skipped", gated(raw, other)),
                    ("truncated", gated(truncate(raw, d), other)),
                    ("f16 products", gated(round_to(products, d), other)),
                    ("f16 sums", gated(sums_f16(x, w), other))):
        assert "interval fail" in tool.judge(p, arrays, [(y, d)]), name


def fixture(p, family, seed):
    tool.write(p, [])
    out = tool.run("fixture", tool.file("program"), family, str(seed),
                   tool.dir.name)
    assert not out.startswith("none"), out
    return [load(tool.file("in%d.npy" % i)) for i in range(len(p.inputs))]


def check_softmax_rows():
    """Softmax and RMS norm as text, evaluated in float32 by NumPy."""
    m, k = 8, 300
    for d in ("f16", "f32"):
        x = round_to(rng.standard_normal((m, k)) * 3, d)
        p = Program()
        X = p.input(d, [m, k])
        y = X if d == "f32" else p.value("f32", [m, k], "cast", [X])
        one = [m, 1]

        def back(v):
            r = p.value("f32", one, "reshape", [v])
            return p.value("f32", [m, k], "broadcast", [r])
        top = back(p.value("f32", [m], "max", [y], axes="[1]"))
        e = p.value("f32", [m, k], "exp",
                    [p.value("f32", [m, k], "sub", [y, top])], via="softmax")
        s = back(p.value("f32", [m], "sum", [e], axes="[1]", acc="f32",
                         via="softmax"))
        q = p.value("f32", [m, k], "div", [e, s], via="softmax")
        if d == "f16":
            q = p.value(d, [m, k], "cast", [q], via="softmax")
        p.returns(q, "y")
        f = x.astype(np.float32)
        e = np.exp(f - f.max(1, keepdims=True))
        honest = [e / e.sum(1, keepdims=True),
                  e / e[:, ::-1].cumsum(1)[:, -1:]]
        # a running maximum, block by block
        s, top = np.zeros((m, 1), np.float32), np.full((m, 1), -np.inf,
                                                       np.float32)
        for i in range(0, k, 32):
            block = f[:, i:i + 32]
            new = np.maximum(top, block.max(1, keepdims=True))
            s = s * np.exp(top - new) + np.exp(block - new).sum(
                1, keepdims=True)
            top = new
        honest.append(np.exp(f - top) / s)
        for h in honest:
            out = tool.judge(p, [(x, d)], [(round_to(h, d), d)])
            assert "violations 0," in out, (d, out)
        for wrong in (np.zeros((m, k)), round_to(honest[0] * 1.01, d)):
            out = tool.judge(p, [(x, d)], [(wrong, d)])
            assert "interval fail" in out and "fixed fail" in out, out


# ---- undecided, NaN, infinities ------------------------------------------

def check_undecided():
    """A comparison of overlapping sums, and what hangs on it."""
    x = round_to(rng.standard_normal((32, 64)), "f32")
    x[:8, 32:] = -x[:8, :32]  # sums to 0 in some orders, not in others
    p = Program()
    v = p.input("f32", [32, 64])
    s = p.value("f32", [32], "sum", [v], axes="[1]", acc="f32")
    z = p.value("f32", [], "const", data="0x0p+0")
    zb = p.value("f32", [32], "broadcast", [z])
    c = p.value("bool", [32], "gt", [s, zb])
    one = p.value("f32", [32], "broadcast",
                  [p.value("f32", [], "const", data="0x1p+0")])
    p.returns(c, "c")
    p.returns(p.value("i32", [32], "cast", [s]), "i")
    p2 = Program()
    p2.lines, p2.types = list(p.lines), list(p.types)
    p2.lines = [l for l in p2.lines if not l.startswith("return")]
    p2.returns(p2.value("f32", [32], "where", [c, one, zb]), "w")
    p2.returns(p2.value("f32", [32], "div", [one, s]), "q")
    r = tool.eval(p, [(x, "f32")])
    assert np.all(r["c"][3][:8] & 2), r["c"]
    assert np.all(r["c"][1][:8] == 0) and np.all(r["c"][2][:8] == 1)
    r2 = tool.eval(p2, [(x, "f32")])
    assert np.all(r2["w"][1][:8] == 0) and np.all(r2["w"][2][:8] == 1)
    assert np.all(np.isinf(r2["q"][2][:8])) and np.all(r2["q"][3][:8] & 2)


def check_overflow():
    """Where some order overflows the accumulator, infinity is admitted."""
    top = 65504.0
    x = np.array([[top, top, -top, -top], [top, 1, 2, 3], [top, top, 0, 0],
                  [4e4, -4e4, 1, 0]])
    p = Program()
    v = p.input("f16", [4, 4])
    p.returns(p.value("f16", [4], "sum", [v], axes="[1]", acc="f16"), "y")
    _, lo, hi, flags = tool.eval(p, [(x, "f16")])["y"]
    assert lo[0] == -math.inf and hi[0] == math.inf and flags[0] & 1
    assert math.isfinite(hi[1])
    assert lo[2] == math.inf == hi[2] and not flags[2] & 1
    assert math.isfinite(lo[3]) and math.isfinite(hi[3])


def check_nonfinite_matmul():
    x = np.array([[1, math.inf, 0, 0], [math.inf, -math.inf, 0, 0],
                  [math.nan, 1, 1, 1], [0, 0, 0, -0.0], [1, 2, 3, 4]])
    w = np.array([[1, 0.0], [1, 0], [1, 1], [-1, 1]])
    for d in ("f16", "f32", "f64"):
        p = Program()
        a, b = p.input(d, [5, 4]), p.input(d, [4, 2])
        acc = "f64" if d == "f64" else "f32"
        p.returns(p.value(d, [5, 2], "matmul", [a, b], acc=acc), "y")
        ref, lo, hi, flags = tool.eval(p, [(x, d), (w, d)])["y"]
        with np.errstate(all="ignore"):
            want = x @ w
        same(ref + 0.0, want + 0.0, "matmul of infinities " + d)
        same(lo + 0.0, hi + 0.0, "points " + d)


CHECKS = [v for k, v in list(globals().items()) if k.startswith("check_")]


def main():
    global tool
    tool = Tool(sys.argv[1])
    passed = failed = 0
    for check in CHECKS:
        if sys.argv[2:] and check.__name__[6:] not in sys.argv[2:]:
            continue
        try:
            check()
            print("ok   " + check.__name__[6:])
            passed += 1
        except Exception as e:  # a failed check must not stop the others
            traceback.print_exc(limit=4, file=sys.stdout)
            print("FAIL " + check.__name__[6:])
            failed += 1
        sys.stdout.flush()
    print("%d passed, %d failed, 0 skipped" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
