"""The checks of tools/, and clang's opinion beside gcc's."""
from .core import FAIL, PASS, Job, Result, process

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
                bad += ended.err
        return [Result(name, FAIL if bad else PASS, bad)]

    return Job("style", name, run)


def jobs(context):
    folders = sorted({f.parent for f in context.root.glob("src/*/*.c")})
    return [tool_job(t) for t in TOOLS] + [clang_job(f) for f in folders]
