"""Jobs, the processes that they run, and the counting of their results."""
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

PASS, FAIL, SKIP = "passed", "failed", "skipped"
TIMEOUT = 300  # seconds a process
TEXT_LINES = 60  # of a failure


@dataclass
class Result:
    name: str
    outcome: str
    text: str = ""
    count: int = 1  # tests that this result stands for


@dataclass
class Job:
    """run(context) returns Results. alone: nothing else runs meanwhile."""

    group: str
    name: str
    run: Callable
    alone: bool = False


@dataclass
class Context:
    root: Path
    all: bool = False
    update: bool = False
    wanted: list = field(default_factory=list)

    def __post_init__(self):
        self.build = self.root / "build"
        self.work = self.build / "test"
        for name in ("cache", "home", "tmp"):
            (self.work / name).mkdir(parents=True, exist_ok=True)
        self.link_nvrtc()

    def link_nvrtc(self):
        """The NVRTC of tools/setup, in the user's cache, into the tests'."""
        cache = os.environ.get("XDG_CACHE_HOME", "")
        if not cache.startswith("/"):
            cache = os.environ.get("HOME", "") + "/.cache"
        there = Path(cache, "tenon", "nvrtc")
        here = self.work / "cache" / "tenon" / "nvrtc"
        here.parent.mkdir(mode=0o700, exist_ok=True)
        if here.is_symlink() and Path(os.readlink(here)) != there:
            here.unlink()
        if there.exists() and not here.is_symlink():
            here.symlink_to(there)

    def variants(self):
        """Folders of the builds to test; the sanitizers' is the second."""
        return [b for b in (self.build, self.build / "san")
                if (b / "tenon").exists()]

    def environment(self, build=None):
        """What tests see: nothing of the caller's but where tools are."""
        build = build or self.build
        san = build.name == "san"
        tools = {name: os.environ[name] for name in ("CUDA_HOME", "CUDA_PATH")
                 if name in os.environ}
        return tools | {
            "PATH": f"{build}:{os.environ.get('PATH', os.defpath)}",
            "HOME": str(self.work / "home"),
            "XDG_CACHE_HOME": str(self.work / "cache"),
            "TMPDIR": str(self.work / "tmp"),
            "LC_ALL": "C",
            "ROOT": str(self.root),
            "BUILD": str(build),
            "TENON": str(build / "tenon"),
            "PYTHON": "/usr/bin/python3",
            "TEST_ALL": "1" if self.all else "",
            "TEST_SAN": "1" if san else "",
            # tools/setup brought all that it can bring.
            "TEST_SETUP": "1" if (self.build / "setup-test").exists() else "",
            # A refused allocation is what some tests are about; CUDA's driver
            # wants the addresses between the shadow's parts.
            "ASAN_OPTIONS": "allocator_may_return_null=1:protect_shadow_gap=0",
            "UBSAN_OPTIONS": "print_stacktrace=1",
        }

    def selects(self, group, name):
        if not self.wanted:
            return True
        for w in self.wanted:
            g, _, part = w.partition("/")
            if g == group and part in name:
                return True
        return False

    def folder(self):
        """A fresh folder, as a context manager."""
        return tempfile.TemporaryDirectory(dir=self.work / "tmp")


@dataclass
class Ended:
    code: int  # negative: a signal; 124: out of time
    out: str
    err: str


def process(argv, cwd, env, timeout=TIMEOUT):
    """Runs a command without input; kills its whole group when late."""
    with subprocess.Popen(
        argv, cwd=cwd, env=env, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True,
    ) as p:
        try:
            out, err = p.communicate(timeout=timeout)
            code = p.returncode
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, signal.SIGKILL)
            out, err = p.communicate()
            code = 124
            err += b"\ntests/run: out of time\n"
    return Ended(code, out.decode(errors="replace"),
                 err.decode(errors="replace"))


COUNTS = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$")


def counted(name, ended):
    """Results of a program whose last line counts its tests."""
    lines = ended.out.rstrip("\n").split("\n")
    m = COUNTS.match(lines[-1])
    if not m:
        return [Result(name, FAIL, f"exit {ended.code}, no counts\n"
                       + ended.out + ended.err)]
    passed, failed, skipped = (int(g or 0) for g in m.groups())
    if passed + failed + skipped == 0:
        return [Result(name, FAIL, "it ran no test\n")]
    results = [Result(name, PASS, count=passed)]
    if skipped:
        results.append(Result(name, SKIP, count=skipped,
                              text="\n".join(l for l in lines[:-1]
                                             if "skip" in l.lower())))
    if failed or ended.code:
        results.append(Result(name, FAIL, "\n".join(lines[:-1]) + "\n"
                              + ended.err, count=failed or 1))
    return results


def indent(text):
    lines = text.rstrip("\n").split("\n")
    if len(lines) > TEXT_LINES:
        half = TEXT_LINES // 2
        lines = lines[:half] + ["[...]"] + lines[-half:]
    return "".join(f"    {line}\n" for line in lines)


def telling(text):
    """The line of a result's text that says most."""
    lines = text.strip().split("\n")
    bad = [line for line in lines if "fail" in line.lower()]
    return (bad or lines)[0].strip().removeprefix("skip: ")


class Reporter:
    """Prints failures at once, and a group's line when its last job ends."""

    def __init__(self, jobs, verbose):
        self.lock = threading.Lock()
        self.verbose = verbose
        self.total = {PASS: 0, FAIL: 0, SKIP: 0}
        self.groups = {}
        self.notes = []  # outcome, name and why, of what did not pass
        self.start = time.monotonic()
        for job in jobs:
            g = self.groups.setdefault(
                job.group, {"left": 0, PASS: 0, FAIL: 0, SKIP: 0, "s": 0.0})
            g["left"] += 1

    def done(self, job, results, seconds):
        with self.lock:
            g = self.groups[job.group]
            for r in results:
                g[r.outcome] += r.count
                self.total[r.outcome] += r.count
                if r.outcome != PASS:
                    self.notes.append((r.outcome, f"{job.group}/{r.name}",
                                       telling(r.text)))
                if r.outcome == FAIL:
                    print(f"FAIL {job.group}/{r.name}\n{indent(r.text)}",
                          end="")
                elif r.outcome == SKIP and r.text:
                    print(f"skip {job.group}/{r.name}: {r.text.strip()}")
                elif self.verbose:
                    print(f"ok   {job.group}/{r.name} {seconds:.2f} s")
            g["s"] += seconds
            g["left"] -= 1
            if g["left"] == 0:
                counts = ", ".join(f"{g[o]} {o}" for o in (PASS, FAIL, SKIP)
                                   if g[o] or o == PASS)
                print(f"{job.group:<14} {counts} ({g['s']:.1f} s)")
            sys.stdout.flush()

    def seconds(self):
        return time.monotonic() - self.start

    def end(self):
        print(f"tests took {self.seconds():.0f} s")
        print(f"{self.total[PASS]} passed, {self.total[FAIL]} failed, "
              f"{self.total[SKIP]} skipped")
        return 1 if self.total[FAIL] or not self.total[PASS] else 0


def report_jobs(context, jobs, verbose=False):
    """Runs what the context selects; its Reporter."""
    jobs = [j for j in jobs if context.selects(j.group, j.name)]
    reporter = Reporter(jobs, verbose)

    def one(job):
        start = time.monotonic()
        try:
            results = job.run(context)
        except Exception as e:  # a fault of the test itself
            results = [Result(job.name, FAIL, f"{type(e).__name__}: {e}")]
        reporter.done(job, results, time.monotonic() - start)

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        list(pool.map(one, [j for j in jobs if not j.alone]))
    for job in jobs:
        if job.alone:
            one(job)
    return reporter


def run_jobs(context, jobs, verbose=False):
    return report_jobs(context, jobs, verbose).end()
