"""Stage-1 program texts, tensors in files, and the oracle tool, from Python.

Floats are handled as float64 arrays beside the name of their dtype, since
NumPy has no bf16; `round_to` rounds exactly, by integers.
"""
import os
import subprocess
import tempfile
from fractions import Fraction

import numpy as np

FLOATS = ["f64", "f32", "f16", "bf16"]
INTS = ["i64", "i32", "i16", "i8", "u64", "u32", "u16", "u8"]
NUMPY = {"f64": "f8", "f32": "f4", "f16": "f2", "i64": "i8", "i32": "i4",
         "i16": "i2", "i8": "i1", "u64": "u8", "u32": "u4", "u16": "u2",
         "u8": "u1", "bool": "?"}
# bits of significand, least exponent of a normal, greatest exponent
FORMAT = {"f64": (53, -1022, 1023), "f32": (24, -126, 127),
          "f16": (11, -14, 15), "bf16": (8, -126, 127)}


def round_fraction(x, dtype):
    """The nearest value of dtype to a Fraction, ties to even, as float."""
    p, emin, emax = FORMAT[dtype]
    if x == 0:
        return 0.0
    sign, x = (-1, -x) if x < 0 else (1, x)
    e = x.numerator.bit_length() - x.denominator.bit_length()
    if Fraction(2) ** e > x:
        e -= 1
    q = Fraction(2) ** (max(e, emin) - p + 1)
    n, rest = divmod(x, q)
    if rest * 2 > q or (rest * 2 == q and n % 2):
        n += 1
    if n * q >= Fraction(2) ** (emax + 1):
        return sign * float("inf")
    return sign * float(n * q)


def round_to(x, dtype):
    """An array of float64 rounded once to dtype, still as float64."""
    x = np.asarray(x, dtype=np.float64)
    if dtype == "f64":
        return x
    if dtype in ("f32", "f16"):
        with np.errstate(all="ignore"):
            return x.astype(NUMPY[dtype]).astype(np.float64)
    flat = [v if v == 0 or not np.isfinite(v)
            else round_fraction(Fraction(float(v)), dtype)
            for v in x.ravel()]
    return np.array(flat, dtype=np.float64).reshape(x.shape)


def save(path, x, dtype):
    x = np.array(x, order="C")
    if dtype == "bf16":
        bits = np.array(x, dtype=np.float32, order="C").view(np.uint32)
        np.save(path, (bits >> 16).astype(np.uint16).view("V2"))
    else:
        with np.errstate(all="ignore"):
            np.save(path, x.astype(NUMPY[dtype]))


def load(path):
    x = np.load(path)
    if x.dtype.kind == "V":
        bits = x.view(np.uint16).astype(np.uint32) << 16
        return bits.view(np.float32).astype(np.float64)
    if x.dtype.kind == "f":
        return x.astype(np.float64)
    return x


# Attributes come in this order.
ORDER = ["acc", "axes", "axis", "index", "perm", "start", "step", "map",
         "data", "via", "relax"]


class Program:
    """Builds a program text; values are numbers."""

    def __init__(self, dims=()):
        self.lines = ["program test"]
        self.lines += ["dim %s in 0..1048576" % d for d in dims]
        self.types = []
        self.inputs = []
        self.results = []

    def value(self, dtype, shape, op, args=(), **attrs):
        text = "%%%d: %s" % (len(self.types), dtype)
        if shape:
            text += "[%s]" % ", ".join(str(s) for s in shape)
        text += " = " + op + "".join(" %%%d" % a for a in args)
        for k in ORDER:
            if k in attrs:
                text += " %s=%s" % (k, attrs[k])
        self.lines.append(text)
        self.types.append((dtype, tuple(shape)))
        return len(self.types) - 1

    def input(self, dtype, shape):
        v = self.value(dtype, shape, "input", index=len(self.inputs))
        self.inputs.append(v)
        return v

    def returns(self, v, name):
        self.results.append(name)
        self.lines.append("return %%%d as %s" % (v, name))

    def text(self):
        body = [l for l in self.lines if not l.startswith("return")]
        ends = ", ".join(l[7:] for l in self.lines
                         if l.startswith("return"))
        return "\n".join(body + ["return " + ends]) + "\n"


class Tool:
    def __init__(self, path):
        self.path = path
        self.dir = tempfile.TemporaryDirectory()

    def file(self, name):
        return os.path.join(self.dir.name, name)

    def run(self, *args):
        r = subprocess.run([self.path] + list(args), capture_output=True,
                           text=True)
        if r.returncode:
            raise RuntimeError("%s: %s" % (" ".join(args), r.stderr))
        return r.stdout

    def write(self, program, arrays):
        with open(self.file("program"), "w") as f:
            f.write(program if isinstance(program, str)
                    else program.text())
        files = []
        for i, (x, dtype) in enumerate(arrays):
            files.append(self.file("in%d.npy" % i))
            save(files[-1], x, dtype)
        return files

    def eval(self, program, arrays, *dims):
        """{name: (ref, lo, hi, flags)}, or the text of a fault."""
        files = self.write(program, arrays)
        out = self.run("eval", self.file("program"), self.dir.name, *dims,
                       "--", *files)
        if out.startswith("fault"):
            return out.split()
        return {n: tuple(load(self.file(n + end + ".npy"))
                         for end in ("", ".lo", ".hi", ".flags"))
                for n in program.results}

    def judge(self, program, arrays, results):
        """The verdict's text on results given as (array, dtype)."""
        files = self.write(program, arrays)
        for i, (x, dtype) in enumerate(results):
            files.append(self.file("out%d.npy" % i))
            save(files[-1], x, dtype)
        return self.run("judge", self.file("program"), "--", *files)
