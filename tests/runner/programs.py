"""C tests, fuzzers and scripts, found by name.

    tests/GROUP/NAME_test.c    a C program, built in every variant
    tests/GROUP/NAME_test.py   a script, run with the system's Python
    tests/GROUP/NAME_test.sh   a script, run with sh
    tests/fuzz/NAME_fuzz.c     run for a few seconds, under the sanitizers

Each ends with the line `N passed, N failed, N skipped`. A comment in the
first 40 lines may say `tests/run: WORD...`: `plain` (not under the
sanitizers), `alone` (nothing runs beside it: it measures time), `long`
(only with --all).
"""
import re

from .core import FAIL, PASS, Job, Result, counted, process

TAGS = re.compile(r"tests/run: ([a-z ,]+)")
FUZZ_SECONDS = 10


def tags(path):
    head = "\n".join(path.read_text().split("\n")[:40])
    found = TAGS.search(head)
    return set(re.split(r"[ ,]+", found.group(1))) if found else set()


def program_job(context, source, build):
    group = source.parent.name
    where = source.relative_to(context.root).with_suffix("")
    san = build.name == "san"
    name = source.stem.removesuffix("_test") + (" (san)" if san else "")

    def run(ctx):
        ended = process([str(build / where)], ctx.root, ctx.environment(build),
                        timeout=1800 if ctx.all else 300)
        return counted(name, ended)

    return Job(group, name, run, alone="alone" in tags(source))


def fuzz_job(context, source):
    where = source.relative_to(context.root).with_suffix("")
    name = source.stem.removesuffix("_fuzz")
    seconds = 10 * FUZZ_SECONDS if context.all else FUZZ_SECONDS

    def run(ctx):
        build = ctx.variants()[-1]
        ended = process([str(build / where), "--seconds", str(seconds)],
                        ctx.root, ctx.environment(build),
                        timeout=seconds + 120)
        if ended.code == 0:
            return [Result(name, PASS)]
        return [Result(name, FAIL,
                       f"exit {ended.code}\n{ended.out}{ended.err}")]

    return Job("fuzz", name, run)


def jobs(context):
    found = []
    for source in sorted(context.root.glob("tests/*/*_test.c")):
        t = tags(source)
        if "long" in t and not context.all:
            continue
        for build in context.variants():
            if build.name == "san" and "plain" in t:
                continue
            found.append(program_job(context, source, build))
    for source in sorted(context.root.glob("tests/fuzz/*_fuzz.c")):
        found.append(fuzz_job(context, source))
    return found


def script_jobs(context):
    found = []
    for source in sorted(context.root.glob("tests/*/*_test.*")):
        interpreter = {".py": "/usr/bin/python3", ".sh": "/bin/sh"}.get(
            source.suffix)
        t = tags(source) if interpreter else set()
        if not interpreter or ("long" in t and not context.all):
            continue
        name = source.stem.removesuffix("_test")

        def run(ctx, source=source, interpreter=interpreter, name=name):
            return counted(name, process(
                [interpreter, str(source)], ctx.root, ctx.environment(),
                timeout=1800 if ctx.all else 300))

        found.append(Job(source.parent.name, name, run, alone="alone" in t))
    return found
