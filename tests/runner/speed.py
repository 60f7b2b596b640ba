"""What must be fast, alone on the machine and in the best of some tries.

The bounds are promises of the project, not what this version reaches. A busy
machine can miss any bound by chance: a miss fails in `make test-all`, run by
hand on a quiet machine, and is told as skipped in `make test`.
"""
import json
import time

from .core import FAIL, PASS, SKIP, Job, Result, process

FLAGSHIP = ["run", "examples/weight_view.tn", "--dims", "inspect",
            "--no-check", "--repeat", "0"]
COLD_SECONDS = 1.0  # the flagship, compiled
WARM_SECONDS = 0.030  # the flagship, plan and code cached, to its result
OPENBLAS_RATIO = 0.5  # of OpenBLAS's speed, f32 1024^3
TRIES = 25


def best_of(tries, once):
    best = None
    for _ in range(tries):
        start = time.monotonic()
        ended = once()
        took = time.monotonic() - start
        if ended.code:
            return None, ended.err
        best = took if best is None else min(best, took)
    return best, ""


def missed(ctx):
    return FAIL if ctx.all else SKIP


def bounded(ctx, name, seconds, bound, error):
    if seconds is None:
        return [Result(name, FAIL, error)]
    text = f"{seconds * 1e3:.1f} ms, must be under {bound * 1e3:.0f} ms"
    return [Result(name, PASS if seconds < bound else missed(ctx), text)]


def cold(ctx):
    env = ctx.environment()

    def once():
        with ctx.folder() as cache:
            return process([env["TENON"], *FLAGSHIP, "--cache", cache],
                           ctx.root, env)

    seconds, error = best_of(3, once)
    return bounded(ctx, "cold start", seconds, COLD_SECONDS, error)


def warm(ctx):
    env = ctx.environment()

    def once():
        return process([env["TENON"], *FLAGSHIP], ctx.root, env)

    once()
    seconds, error = best_of(TRIES, once)
    return bounded(ctx, "warm start", seconds, WARM_SECONDS, error)


def openblas(ctx):
    env, best, text = ctx.environment(), 0.0, ""
    for _ in range(3):
        ended = process(
            [env["TENON"], "bench", "examples/gemm.tn", "--vs", "openblas",
             "--dtype", "f32", "--dim", "K=1024", "--rounds", "7",
             "--no-check", "--json"], ctx.root, env)
        if ended.code == 3:
            return [Result("openblas", SKIP, ended.err)]
        if ended.code:
            return [Result("openblas", FAIL, ended.out + ended.err)]
        ratio = json.loads(ended.out)["paths"][1]["ratio"]
        text += f"{ratio['median']:.2f} of OpenBLAS's speed\n"
        best = max(best, ratio["median"])
        if best >= OPENBLAS_RATIO:
            return [Result("openblas", PASS)]
    return [Result("openblas", missed(ctx), text)]


def jobs(context):
    return [Job("speed", "cold start", cold, alone=True),
            Job("speed", "warm start", warm, alone=True),
            Job("speed", "openblas", openblas, alone=True)]
