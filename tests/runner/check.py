"""`tenon check` of every example: the contract holds.

The quick run judges every program at its two small shapes, as written and
in the other dtypes at the smallest, and the flagship and a sample of the
others at each larger shape. --all judges everything.
"""
import json

from .core import FAIL, PASS, SKIP, Job, Result, process

SETS = ["inspect", "screen", "main", "narrow", "tail"]
DTYPES = [None, "f32", "bf16"]
# Long sums behind exponentials: in f32 no family's intervals are narrow enough
# to conclude. That none is violated is tested; the verdict counts as skipped,
# as inconclusive is no pass.
WIDE = {("attention", "f32")}
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


def jobs(context):
    found = []
    for source in sorted(context.root.glob("examples/*.tn")):
        sets = [s for s in SETS if f"dims {s}:" in source.read_text()]
        for dims in sets:
            for dtype in DTYPES:
                if not wanted(context, source.stem, dims, dtype):
                    continue
                args = ["check", str(source.relative_to(context.root)),
                        "--dims", dims, "--json"]
                args += ["--dtype", dtype] if dtype else []
                name = f"{source.stem} {dims} {dtype or 'as written'}"

                wide = (source.stem, dtype) in WIDE

                def run(ctx, args=args, name=name, wide=wide):
                    ended = process([str(ctx.build / "tenon"), *args],
                                    ctx.root, ctx.environment(), timeout=1800)
                    if ended.code == 0:
                        return [Result(name, PASS)]
                    try:
                        report = json.loads(ended.out)
                        if wide and report["outcome"] == "inconclusive":
                            return [Result(name, SKIP, "skip: inconclusive")]
                        text = explain(report)
                    except ValueError:
                        text = ended.out
                    return [Result(name, FAIL, f"exit {ended.code}\n{text}\n"
                                   + ended.err)]

                found.append(Job("check", name, run))
    return found
