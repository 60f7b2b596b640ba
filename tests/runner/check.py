"""`tenon check` of every example: the contract holds.

The quick run judges every program at its two small shapes, as written and
in the other dtypes at the smallest, and the flagship and a sample of the
others at each larger shape. --all judges everything.

The same programs run on an OpenCL device too, at the two small shapes, which
any machine has: PoCL makes one of its CPUs.
"""
import json

from .core import FAIL, PASS, SKIP, Job, Result, process

SETS = ["inspect", "screen", "main", "narrow", "tail"]
DTYPES = [None, "f32", "bf16"]
# Long sums behind exponentials: in f32 no family's intervals are narrow enough
# to conclude. That none is violated is tested; the verdict counts as skipped,
# as inconclusive is no pass.
WIDE = {("attention", "f32")}
OPENCL = [("inspect", "f16"), ("screen", "f32")]
SAMPLE = {  # programs that the quick run judges at larger shapes too
    "narrow": {"weight_view", "rmsnorm"},
    "tail": {"softmax"},
    "main": {"weight_view"},
}


def wanted(context, program, dims, dtype):
    if context.all or dims == "inspect":
        return True
    if dtype:
        return False
    return dims == "screen" or program in SAMPLE.get(dims, ())


def explain(report):
    lines = []
    for v in report.get("verdicts", []):
        if v.get("outcome") == "fail":
            lines.append(json.dumps(v))
    return "\n".join(lines) or report.get("outcome", "")


def no_device(ctx, name):
    """What becomes of a test of OpenCL without a device; None: there is one."""
    ended = process([str(ctx.build / "tenon"), "devices", "--json"], ctx.root,
                    ctx.environment())
    rows = json.loads(ended.out)["devices"] if ended.code == 0 else []
    rows = [r for r in rows if r["kind"] == "opencl"]
    if any(r["available"] for r in rows):
        return None
    why = "; ".join(r["text"] for r in rows) or "no OpenCL loader is here"
    if ctx.environment()["TEST_SETUP"]:
        return [Result(name, FAIL, f"tools/setup test has run, but {why}")]
    return [Result(name, SKIP, f"skip: {why}")]


def job(source, dims, dtype, target=None, *more):
    args = ["--dims", dims, "--json"]
    args += ["--dtype", dtype] if dtype else []
    args += ["--target", target] if target else []
    args += more
    name = " ".join([source.stem, dims, dtype or "as written",
                     *([target] if target else []), *more])
    wide = (source.stem, dtype) in WIDE

    def run(ctx):
        ended = process([str(ctx.build / "tenon"), "check",
                         str(source.relative_to(ctx.root)), *args],
                        ctx.root, ctx.environment(), timeout=1800)
        if ended.code == 0:
            return [Result(name, PASS)]
        without = no_device(ctx, name) if target and ended.code == 3 else None
        if without:
            return without
        try:
            report = json.loads(ended.out)
            if wide and report["outcome"] == "inconclusive":
                return [Result(name, SKIP, "skip: inconclusive")]
            text = explain(report)
        except ValueError:
            text = ended.out
        return [Result(name, FAIL, f"exit {ended.code}\n{text}\n{ended.err}")]

    return Job("check", name, run)


def jobs(context):
    found = []
    for source in sorted(context.root.glob("examples/*.tn")):
        sets = [s for s in SETS if f"dims {s}:" in source.read_text()]
        found += [job(source, dims, dtype) for dims in sets for dtype in DTYPES
                  if wanted(context, source.stem, dims, dtype)]
        found += [job(source, dims, dtype, "opencl") for dims, dtype in OPENCL
                  if dims in sets]
    return found
