"""The checks of tools/, clang's opinion beside gcc's, and generated code."""
import platform
import re

from .core import FAIL, PASS, SKIP, Job, Result, process

TOOLS = ["check_includes", "check_format", "check_table"]


def tool_job(tool):
    def run(ctx):
        ended = process([str(ctx.root / "tools" / tool)], ctx.root,
                        ctx.environment())
        if ended.code == 0:
            return [Result(tool, PASS)]
        return [Result(tool, FAIL, ended.out + ended.err)]

    return Job("style", tool, run)


def clang_job(folder):
    """gcc has compiled everything by now; clang must not warn either."""
    name = f"clang {folder.name}"

    def run(ctx):
        flags = (ctx.build / "flags").read_text().split()[1:]
        flags = [f for f in flags if f != "-fno-semantic-interposition"]
        flags.append('-DORACLE_SOURCES="as the Makefile says"')
        bad = ""
        for source in sorted(folder.glob("*.c")):
            ended = process(
                ["clang-14", *flags, "-fsyntax-only",
                 str(source.relative_to(ctx.root))],
                ctx.root, ctx.environment())
            if ended.code:
                bad += f"{source.name}: exit {ended.code}\n{ended.err}"
        return [Result(name, FAIL if bad else PASS, bad)]

    return Job("style", name, run)


GENERATED = ["-O2", "-std=gnu17", "-mavx2", "-mfma", "-mf16c",
             "-ffp-contract=off", "-fno-math-errno", "-fwrapv", "-Wno-psabi",
             "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
# gcc warns about loops only when it optimises: it compiles, to nothing
DEEP = GENERATED[:-1] + ["-c", "-o", "/dev/null"]


def generated_job(compiler, flags):
    """Every example's code, as the goldens hold it, without a warning."""
    name = f"generated code, {compiler}"

    def run(ctx):
        if platform.machine() != "x86_64":
            return [Result(name, SKIP, "the goldens are for cpu:avx2")]
        bad, n = "", 0
        with ctx.folder() as folder:
            for golden in sorted(ctx.root.glob("tests/golden/*.c")):
                text = golden.read_text()
                for kernel in re.split(r"(?m)^(?=/\*\n \* k\d+: )", text):
                    if not kernel:
                        continue
                    n += 1
                    source = f"{folder}/{golden.stem}-{n}.c"
                    with open(source, "w", encoding="utf-8") as f:
                        f.write(kernel)
                    ended = process([compiler, *flags, source], ctx.root,
                                    ctx.environment())
                    if ended.code:
                        bad += f"{golden.name}: {ended.err}"
        if n < 20:
            bad += f"only {n} kernels were found\n"
        return [Result(name, FAIL if bad else PASS, bad)]

    return Job("style", name, run)


def jobs(context):
    folders = sorted({f.parent for f in context.root.glob("src/*/*.c")})
    return ([tool_job(t) for t in TOOLS] + [clang_job(f) for f in folders] +
            [generated_job("gcc", DEEP), generated_job("clang-14", GENERATED)])
