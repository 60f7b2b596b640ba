"""Ledgers of small searches, audited by tests/search/audit, and the audit
itself, which must find each fault that is planted into a copy of one.
"""
import hashlib
import importlib.machinery
import importlib.util
import json
import os
import sqlite3

from .core import FAIL, PASS, Job, Result, process

# Pins keep the spaces small. The first is of two regions that are equal: their
# candidates stand in the ledger once.
EQUAL = """\
def f(x: f32[M, K], w: f32[K, K], v: f32[K, K]):
    return (x @ w) @ v
dims inspect: M = 8, K = 16
"""
# Most blocks are larger than its tensors: many candidates are one code.
CODES = """\
def c(x: f32[8, 64]):
    return x * 2 + 1
"""
PINS = ["--pin", "contract.nr=32", "--pin", "contract.kc=160"]
SEARCHES = [
    ["equal.tn", "--policy", "rule"],
    ["equal.tn", "--policy", "model"],
    ["{root}/examples/weight_view.tn", "--policy", "beam:1", "--budget", "7",
     "--without", "all", *PINS],
    ["{root}/examples/softmax.tn", "--policy", "all", "--budget", "3",
     "--without", "all"],
    ["codes.tn", "--policy", "all", "--budget", "8", "--without", "all"],
]
MODEL, BEAM, CODE = 2, 3, 5  # searches for plants


def audit_module(root):
    path = str(root / "tests/search/audit")
    loader = importlib.machinery.SourceFileLoader("audit", path)
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader("audit", loader))
    loader.exec_module(module)
    return module


def make_ledger(ctx, folder):
    """The path, or what went wrong."""
    path = os.path.join(folder, "ledger.sqlite")
    for name, text in (("equal.tn", EQUAL), ("codes.tn", CODES)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(text)
    for args in SEARCHES:
        args = [a.format(root=ctx.root) for a in args]
        dims = [] if args[0] == "codes.tn" else ["--dims", "inspect"]
        ended = process([str(ctx.build / "tenon"), "tune", *args, *dims,
                         "--ledger", path], folder, ctx.environment())
        if ended.code != (1 if "all" in args[1:3] else 0):
            return None, f"tune {args}: exit {ended.code}\n{ended.err}"
    return path, None


# ---- plants: by the check that must find it, SQL on one search -------------

LEFT = "(SELECT min(id) FROM candidate WHERE search = :s AND state = 'left')"
REFUSED = ("(SELECT min(id) FROM candidate WHERE search = :s "
           "AND state = 'refused' AND region >= 0)")
# A candidate that met another, and its first row of samples.
PAIRED = ("(SELECT min(id) FROM candidate WHERE search = :s "
          "AND against IS NOT NULL AND state <> 'chosen')")
RULE = ("(SELECT min(id) FROM candidate WHERE search = :s AND trial = 1 "
        "AND region = (SELECT min(region) FROM candidate "
        "WHERE search = :s AND trial = 1))")
# One that did not run, since another of its code did.
ALIKE = ("(SELECT min(id) FROM candidate WHERE search = :s "
         "AND reason LIKE 'same code as candidate %')")
RAN = ("(SELECT id FROM candidate WHERE search = :s AND ord = "
       f"(SELECT CAST(substr(reason, 24) AS INTEGER) FROM candidate WHERE "
       f"id = {ALIKE}))")

PLANTS = [
    (BEAM, "a row dropped", "considered",
     f"DELETE FROM candidate WHERE id = {LEFT}"),
    (BEAM, "one more considered", "considered",
     "UPDATE search SET considered = considered + 1 WHERE id = :s"),
    (BEAM, "no such state", "considered",
     f"UPDATE candidate SET state = 'lost' WHERE id = {LEFT}"),
    (BEAM, "a refusal deleted, and all counts", "space",
     f"DELETE FROM candidate WHERE id = {REFUSED}; "
     "UPDATE search SET considered = considered - 1 WHERE id = :s; "
     "UPDATE candidate SET ord = -(SELECT count(*) FROM candidate b "
     "WHERE b.search = :s AND b.id <= candidate.id) WHERE search = :s; "
     "UPDATE candidate SET ord = -ord - 1 WHERE search = :s"),
    (BEAM, "a range cut short", "space",
     "UPDATE space SET n = n - 1 WHERE search = :s AND number = 0 "
     "AND region = 0"),
    (BEAM, "variants lost", "space", "DELETE FROM space WHERE search = :s"),
    (BEAM, "a refusal without its reason", "reasons",
     f"UPDATE candidate SET reason = NULL WHERE id = {REFUSED}"),
    (BEAM, "a refused one left", "reasons",
     f"UPDATE candidate SET state = 'left' WHERE id = {REFUSED}"),
    (BEAM, "wrong, nowhere", "reasons",
     f"UPDATE candidate SET state = 'wrong', reason = 'it is' "
     f"WHERE id = {PAIRED}"),
    (BEAM, "crashed without a signal", "reasons",
     f"UPDATE candidate SET state = 'crashed', reason = 'in run: it did' "
     f"WHERE id = {PAIRED}"),
    (BEAM, "other sizes", "key",
     "UPDATE search SET dims = 'M=9' WHERE id = :s"),
    (BEAM, "a cost term", "costs",
     f"UPDATE candidate SET move_us = 1 WHERE id = {LEFT}"),
    (BEAM, "a time that is no number", "numbers",
     f"UPDATE candidate SET measured_us = 'nan' WHERE id = {PAIRED}"),
    (BEAM, "a time that is infinite", "numbers",
     f"UPDATE sample SET us = 9e999 WHERE candidate = {PAIRED}"),
    (BEAM, "a time that is negative", "numbers",
     f"UPDATE sample SET us = -us WHERE candidate = {PAIRED} AND round = 0"),
    (BEAM, "a time lost", "rounds",
     f"UPDATE candidate SET measured_us = NULL WHERE id = {PAIRED}"),
    (BEAM, "a sample changed", "rounds",
     f"UPDATE sample SET us = us * 3 WHERE candidate = {PAIRED}"),
    (BEAM, "a sample of one of two rows changed", "trials",
     "UPDATE sample SET us = us * 3 WHERE candidate = (SELECT max(id) FROM "
     "candidate WHERE search = :s AND trial IN (SELECT trial FROM candidate "
     "WHERE search = :s AND trial > 0 AND measured_us > 0 GROUP BY trial "
     "HAVING count(*) > 1))"),
    (BEAM, "a round dropped", "rounds",
     f"DELETE FROM sample WHERE candidate = {PAIRED} AND round = "
     f"(SELECT max(round) FROM sample WHERE candidate = {PAIRED})"),
    (BEAM, "all rounds dropped", "rounds",
     f"DELETE FROM sample WHERE candidate = {PAIRED}"),
    (BEAM, "samples of one that was not measured", "rounds",
     f"INSERT INTO sample VALUES ({LEFT}, 0, 1.0, 1.0, 1)"),
    (BEAM, "who began", "order",
     f"UPDATE sample SET first = 1 - first WHERE candidate = {PAIRED} "
     "AND round < 2"),
    (BEAM, "a state that the interval denies", "verdicts",
     "UPDATE candidate SET state = CASE state WHEN 'tie' THEN 'measured' "
     f"ELSE 'tie' END WHERE id = {PAIRED}"),
    (BEAM, "a tie out of nothing", "trials",
     f"UPDATE candidate SET state = 'tie', reason = NULL WHERE id = {LEFT}"),
    (BEAM, "another incumbent", "incumbents",
     "UPDATE candidate SET against = id WHERE search = :s "
     "AND against IS NOT NULL"),
    (BEAM, "another point", "trials",
     "UPDATE trial SET point = (SELECT point FROM trial WHERE search = :s "
     "AND number = 1) WHERE search = :s AND number = 2"),
    (BEAM, "the rest of another point", "trials",
     "UPDATE candidate SET rest = 'abc' WHERE search = :s AND trial > 1 "
     "AND region >= 0"),
    (BEAM, "a final that was not due", "finals",
     "INSERT INTO final (search, candidate, against, outcome, reason) "
     f"VALUES (:s, {RULE}, {RULE}, 'failed', 'x')"),
    (BEAM, "left for two reasons", "end",
     f"UPDATE candidate SET reason = 'stop' WHERE id = {LEFT}"),
    (BEAM, "a search without its plan", "end",
     "UPDATE search SET plan = NULL WHERE id = :s"),
    (BEAM, "another plan", "plan",
     "UPDATE search SET plan = (SELECT plan FROM search WHERE id = 1) "
     "WHERE id = :s"),
    (CODE, "another time than of the same code", "same",
     f"UPDATE candidate SET measured_us = measured_us * 2 "
     f"WHERE id = {ALIKE}"),
    (CODE, "the code of one that did not run", "same",
     "UPDATE candidate SET reason = 'same code as candidate ' || "
     f"(SELECT ord FROM candidate WHERE id = {LEFT}) WHERE id = {ALIKE}"),
    (CODE, "samples of one that did not run", "same",
     f"INSERT INTO sample VALUES ({ALIKE}, 0, 1.0, 1.0, 1)"),
    (CODE, "refuted, and not what has its code", "same",
     "UPDATE candidate SET state = 'wrong', reason = 'fixture exact: element "
     f"1 of y is 2' WHERE id = {RAN}"),
    (MODEL, "another candidate chosen", "choice",
     "UPDATE candidate SET state = CASE WHEN state = 'left' THEN 'chosen' "
     "ELSE 'left' END, reason = CASE WHEN state = 'left' THEN NULL ELSE "
     f"'policy' END WHERE id = {LEFT} OR (search = :s AND state = 'chosen')"),
    (MODEL, "another was predicted the least", "choice",
     "UPDATE candidate SET compute_us = 1e-6, memory_us = NULL, "
     "move_us = NULL, start_us = NULL, predicted_us = 1e-6 "
     f"WHERE id = {LEFT}"),
    (MODEL, "another variant chosen", "choice",
     "UPDATE space SET number = CASE number WHEN 0 THEN 99 ELSE 0 END "
     "WHERE search = :s AND number IN (0, 2); "
     "UPDATE candidate SET compute_us = 1e6, predicted_us = 1e6 + "
     "coalesce(move_us, 0) + coalesce(start_us, 0) WHERE search = :s "
     "AND state = 'chosen'"),
    (MODEL, "a plan of other choices", "plan",
     "UPDATE candidate SET chosen = 'loop lanes=1' WHERE search = :s "
     "AND state = 'chosen'"),
]


def hash_parts(p):
    """The identity that the parts would have, hashes and all."""
    whole = hashlib.sha256()
    for part in p["sha256"]:
        text = json.dumps(p[part], separators=(",", ":"), ensure_ascii=False)
        p["sha256"][part] = hashlib.sha256(text.encode()).hexdigest()
        whole.update(f"{part}\0{p['sha256'][part]}\0".encode())
    p["tenon_plan"] = whole.hexdigest()


def edit_plan(how):
    """A plant that edits the plan's text: again with the hashes to it."""
    def edit(db, number):
        identity, text = db.execute(
            "SELECT p.identity, p.json FROM plan p JOIN search s "
            "ON s.plan = p.identity WHERE s.id = ?", (number,)).fetchone()
        p = json.loads(text)
        p["sources"][0][0] += " "
        if how in ("parts", "all"):
            hash_parts(p)
        text = json.dumps(p, indent=1, ensure_ascii=False) + "\n"
        digest = hashlib.sha256(text.encode()).hexdigest()
        db.execute("UPDATE plan SET json = ? WHERE identity = ?",
                   (text, identity))
        if how != "text":
            db.execute("UPDATE plan SET sha256 = ? WHERE identity = ?",
                       (digest, identity))
    return edit


PLANTS += [
    (BEAM, "the plan's text edited", "plan", edit_plan("text")),
    (BEAM, "the plan edited, its text hashed anew", "plan",
     edit_plan("kept")),
    (BEAM, "the plan edited, all hashed anew", "plan", edit_plan("parts")),
]


def plant(path, audit, number, check, how):
    """What is wrong with the audit's answer; None: nothing."""
    with sqlite3.connect(":memory:") as db:
        with sqlite3.connect(path) as real:
            real.backup(db)
        db.row_factory = sqlite3.Row
        db.execute("PRAGMA ignore_check_constraints = ON")
        before = db.total_changes
        for sql in how.split("; ") if isinstance(how, str) else []:
            db.execute(sql, {"s": number})
        if not isinstance(how, str):
            how(db, number)
        if db.total_changes == before:
            return "nothing was changed"
        found = {name: wrong for name, wrong in audit.audit(db, number)
                 if wrong}
    if check in found:
        return None
    return f"`{check}` has not found it; found: {found or 'nothing'}"


def run(ctx):
    audit, results = audit_module(ctx.root), []
    with ctx.folder() as folder:
        path, bad = make_ledger(ctx, folder)
        if bad:
            return [Result("searches", FAIL, bad)]
        ended = process([str(ctx.root / "tests/search/audit"), path], folder,
                        ctx.environment())
        results.append(Result("audit", PASS if ended.code == 0 else FAIL,
                              ended.out + ended.err))
        for number, name, check, how in PLANTS:
            bad = plant(path, audit, number, check, how)
            results.append(Result(f"planted: {name}",
                                  FAIL if bad else PASS, bad or ""))
    return results


def jobs(context):
    return [Job("search", "audit", run)]
