"""Texts that must come out as they did: the stages, and the errors.

tests/golden/X.STAGE, for X of tests/golden/X.tn or examples/X.tn, is what
`tenon run --dump` prints of that stage; sources are kept as X.c, and a plan
without the texts that the other files hold. Whichever
exist are compared, and --update rewrites them; --update --all makes those
that are missing for every program. They are made for one instruction set,
so that they are the same on every machine. Each stage's text is also read
back and must print the same.

tests/errors/X.tn must be refused with exit 1 and exactly X.err on stderr;
its first line may say `# args: --option ...`.
"""
import json
import os

from . import masks
from .core import FAIL, PASS, Job, Result, process

STAGES = {  # stage: suffix
    "program": ".program",
    "rewritten": ".rewritten",
    "regions": ".regions",
    "kernels": ".kernels",
    "sources": ".c",
    "plan": ".plan",
}
READ_BACK = ["program", "rewritten", "regions", "kernels"]
TARGET = "--target=cpu:avx2"


def shorten_plan(text):
    """A plan without the texts that other golden files hold."""
    plan = json.loads(text)
    for part in ("program", "kernels", "sources"):
        plan.pop(part)
    return json.dumps(plan, indent=1) + "\n"


def dump(ctx, source, stage, *options):
    return process(
        [str(ctx.build / "tenon"), "run", TARGET, "--emit-only",
         f"--dump={stage}", *options, str(source)],
        ctx.root, ctx.environment())


def compare_stage(ctx, source, stage):
    path = ctx.root / "tests/golden" / (source.stem + STAGES[stage])
    name = f"{source.stem}{STAGES[stage]}"
    if not path.exists() and not (ctx.update and ctx.all):
        return [Result(name, FAIL, "missing; tests/run --update --all golden "
                       "makes it\n")]
    ended = dump(ctx, source, stage)
    if ended.code:
        return [Result(name, FAIL, ended.err)]
    text = shorten_plan(ended.out) if stage == "plan" else ended.out
    if ctx.update:
        path.write_text(text)
    elif path.read_text() != text:
        return [Result(name, FAIL, masks.diff(path.read_text(), text))]
    return [Result(name, PASS)]


def read_back(ctx, source):
    """print(parse(print(x))) == print(x), for every stage that reads."""
    results = []
    for stage in READ_BACK:
        name = f"{source.stem} {stage} reads back"
        first = dump(ctx, source, stage)
        if first.code:
            results.append(Result(name, FAIL, first.err))
            continue
        with ctx.folder() as cwd:
            text = os.path.join(cwd, stage)
            with open(text, "w", encoding="utf-8") as f:
                f.write(first.out)
            again = dump(ctx, text, stage, f"--from={stage}")
        same = again.code == 0 and again.out == first.out
        results.append(Result(name, PASS if same else FAIL,
                              again.err + masks.diff(first.out, again.out)))
    return results


def jobs(context):
    sources = sorted([*context.root.glob("examples/*.tn"),
                      *context.root.glob("tests/golden/*.tn")])
    found = []
    for source in sources:
        path = source.relative_to(context.root)

        def run(ctx, path=path):
            results = []
            for stage in STAGES:
                results += compare_stage(ctx, path, stage)
            return results

        def back(ctx, path=path):
            return read_back(ctx, path)

        found.append(Job("golden", source.stem, run))
        if not context.update:
            found.append(Job("read back", source.stem, back))
    return found


def error_case(ctx, source, build):
    expected = source.with_suffix(".err")
    san = build.name == "san"
    name = source.stem + (" (san)" if san else "")
    first = source.read_text(errors="replace").split("\n", 1)[0]
    args = first[len("# args:"):].split() if first.startswith("# args:") else []
    ended = process(
        [str(build / "tenon"), "run", "--emit-only", *args,
         str(source.relative_to(ctx.root))],
        ctx.root, ctx.environment(build))
    if ctx.update and not san:
        expected.write_text(ended.err)
    want = expected.read_text() if expected.exists() else ""
    text = masks.diff(want, ended.err) if want != ended.err else ""
    if ended.code != 1:
        text += f"exit {ended.code}, expected 1\n"
    if ended.out:
        text += f"unexpected output:\n{ended.out}"
    return [Result(name, FAIL if text else PASS, text)]


def error_jobs(context):
    found = []
    for source in sorted(context.root.glob("tests/errors/*.tn")):
        for build in context.variants():

            def run(ctx, source=source, build=build):
                return error_case(ctx, source, build)

            found.append(Job("errors", source.stem, run))
    return found
