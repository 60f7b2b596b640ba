"""tests/cli/*.t: commands with their exact output and exit code.

    == what the case shows
    @ file x.tn
    def f(a: f32[4]):
        return a
    @ end
    ? test "$(id -u)" != 0      skip the case unless this succeeds
    ! mkdir out                 set up; must succeed
    $ tenon run --treads 2 x.tn
    expected standard output, a line each
    2> expected standard error
    => 2

A case runs in a folder of its own, where examples/ is the project's. A
command without `=> N` must exit 0. What stands in <...> is in masks.py.
`1> ` before a line of standard output lets it begin with anything. Blank
lines before a marker and lines beginning with `# ` are the reader's.
"""
import os

from . import masks
from .core import FAIL, PASS, SKIP, Job, Result, process


class Step:
    def __init__(self, command):
        self.command = command
        self.out, self.err, self.code = [], [], 0


class Case:
    def __init__(self, name):
        self.name = name
        self.files, self.needs, self.setup, self.steps = {}, [], [], []


def parse(path):
    cases, lines, i = [], path.read_text().split("\n"), 0
    while i < len(lines):
        line = lines[i]
        i += 1
        if line.startswith("== "):
            cases.append(Case(line[3:]))
        elif line.startswith("# ") or (not line and not (
                cases and cases[-1].steps)):
            continue
        elif line.startswith("@ file "):
            end = lines.index("@ end", i)
            cases[-1].files[line[7:]] = "".join(
                text + "\n" for text in lines[i:end])
            i = end + 1
        elif line.startswith("? "):
            cases[-1].needs.append(line[2:])
        elif line.startswith("! "):
            # Set-up between commands is a step that may print nothing.
            (cases[-1].steps.append(Step(line[2:])) if cases[-1].steps
             else cases[-1].setup.append(line[2:]))
        elif line.startswith("$ "):
            cases[-1].steps.append(Step(line[2:]))
        elif line.startswith("2> ") or line == "2>":
            cases[-1].steps[-1].err.append(line[3:])
        elif line.startswith("=> "):
            cases[-1].steps[-1].code = int(line[3:])
        else:
            text = line[3:] if line.startswith("1> ") else line
            cases[-1].steps[-1].out.append(text)
    for step in (s for c in cases for s in c.steps):
        while step.out and not step.out[-1]:
            step.out.pop()
    return cases


def shell(command, cwd, env):
    return process(["/bin/sh", "-c", command], cwd, env)


def compare(step, ended):
    text = ""
    for what, lines, got in (("stdout", step.out, ended.out),
                             ("stderr", step.err, ended.err)):
        if not masks.matches(lines, got):
            expected = "".join(line + "\n" for line in lines)
            text += masks.diff(expected, got, f"expected {what}")
    if ended.code != step.code:
        text += f"exit {ended.code}, expected {step.code}\n"
    return f"$ {step.command}\n{text}" if text else ""


def run_case(ctx, case, build, name):
    env = ctx.environment(build)
    with ctx.folder() as cwd:
        os.symlink(ctx.root / "examples", os.path.join(cwd, "examples"))
        for need in case.needs:
            if shell(need, cwd, env).code:
                return Result(name, SKIP, f"needs: {need}")
        for path, text in case.files.items():
            full = os.path.join(cwd, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as f:
                f.write(text)
        for command in case.setup:
            ended = shell(command, cwd, env)
            if ended.code:
                return Result(name, FAIL, f"! {command}\n{ended.err}")
        for step in case.steps:
            text = compare(step, shell(step.command, cwd, env))
            if text:
                return Result(name, FAIL, text)
    return Result(name, PASS)


def jobs(context):
    found = []
    for path in sorted(context.root.glob("tests/cli/*.t")):
        for build in context.variants():
            for case in parse(path):
                name = f"{path.stem}: {case.name}" + (
                    " (san)" if build.name == "san" else "")

                def run(ctx, case=case, build=build, name=name):
                    return [run_case(ctx, case, build, name)]

                found.append(Job("cli", name, run))
    return found
