"""README.md and docs/*.md say what is true.

    ```console   `$ tenon ...` is run from the root of the project and must
                 print what follows, but for times and the machine's traits
                 (masks.normal); other commands are not run
    ```tn        a whole program, which must compile (--emit-only)
    ```tn error  a program that must be refused
    ```json schema NAME   in docs/json.md: what `--json` prints, for NAME of
                 schema.py's commands
"""
import re
import threading

from . import masks, schema
from .core import FAIL, PASS, Job, Result, process

UPDATING = threading.Lock()
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.M | re.S)


def blocks(path):
    """(info string, text, line) of each fenced block."""
    text = path.read_text()
    return [(m.group(1).strip(), m.group(2), text.count("\n", 0, m.start()) + 1)
            for m in FENCE.finditer(text)]


def transcript(text):
    """(command, expected output) pairs of a console block."""
    steps = []
    for line in text.splitlines():
        if line.startswith("$ "):
            steps.append([line[2:], ""])
        elif steps and line.startswith("> ") and not steps[-1][1]:
            steps[-1][0] += "\n" + line[2:]
        elif steps:
            steps[-1][1] += line + "\n"
    return steps


def updated(ctx, text):
    """A console block with the commands' real output."""
    out = ""
    for command, expected in transcript(text):
        if command.replace("build/tenon", "tenon").startswith("tenon "):
            expected = process(
                ["/bin/sh", "-c", command.replace("build/tenon", "tenon")
                 + " 2>&1"], ctx.root, ctx.environment()).out
        out += "$ " + command.replace("\n", "\n> ") + "\n" + expected
    return out


def update(ctx, path, text):
    with UPDATING:
        page = path.read_text()
        path.write_text(page.replace(text, updated(ctx, text), 1))


def run_console(ctx, text):
    for command, expected in transcript(text):
        command = command.replace("build/tenon", "tenon")
        if not command.startswith("tenon "):
            continue
        ended = process(["/bin/sh", "-c", command + " 2>&1"], ctx.root,
                        ctx.environment())
        want, got = masks.normal(expected), masks.normal(ended.out)
        if ended.code not in (0, 1, 2, 3):
            return f"$ {command}\nexit {ended.code}\n"
        if want != got:
            return f"$ {command}\n" + masks.diff(want, got)
    return ""


def run_program(ctx, text, refused):
    with ctx.folder() as cwd:
        path = f"{cwd}/block.tn"
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        ended = process([str(ctx.build / "tenon"), "run", "--emit-only", path],
                        ctx.root, ctx.environment())
    if refused:
        return "" if ended.code == 1 else f"accepted, exit {ended.code}\n"
    return f"exit {ended.code}\n{ended.err}" if ended.code else ""


def block_job(path, info, text, line):
    name = f"{path.name}:{line}"

    def run(ctx):
        if info == "console":
            bad = run_console(ctx, text)
            if bad and ctx.update:
                update(ctx, path, text)
                bad = ""
        else:
            bad = run_program(ctx, text, info == "tn error")
        return [Result(name, FAIL if bad else PASS, bad)]

    return Job("docs", name, run)


def jobs(context):
    found, schemas = [], {}
    pages = [context.root / "README.md",
             *sorted(context.root.glob("docs/*.md"))]
    for path in (p for p in pages if p.exists()):
        for info, text, line in blocks(path):
            if info in ("console", "tn", "tn error"):
                found.append(block_job(path, info, text, line))
            elif info.startswith("json schema "):
                schemas[info[len("json schema "):]] = text
    return found + schema.jobs(context, schemas)
