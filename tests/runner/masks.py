"""What differs from run to run and machine to machine, in text output.

A pattern is text in which <time>, <hex>, <n>, <real> and <any> stand for
what they say, and a line <lines> for any number of lines. normal() puts
such words in place of what they match, so that two real outputs can be
compared.
"""
import difflib
import re

WORDS = {
    "time": r"[0-9.]+ (?:us|ms|s)",
    "hex": r"[0-9a-f]{12,64}",
    "n": r"[0-9][0-9,]*",
    "real": r"-?(?:[0-9][0-9.e+-]*|inf|nan)",
    "any": r".*",
}
WORD = re.compile("<(" + "|".join(WORDS) + ")>")


def line_pattern(line):
    out, at = "", 0
    for m in WORD.finditer(line):
        out += re.escape(line[at:m.start()]) + WORDS[m.group(1)]
        at = m.end()
    return out + re.escape(line[at:])


def pattern(lines):
    """A regular expression for text that ends each line with a newline."""
    return "".join(
        r"(?:.*\n)*?" if line == "<lines>" else line_pattern(line) + r"\n"
        for line in lines)


def matches(lines, text):
    return re.fullmatch(pattern(lines), text) is not None


NORMAL = [
    (re.compile(r"\b[0-9][0-9.]* (?:us|ms|s)\b"), "<time>"),
    (re.compile(r"\b[0-9a-f]{12,64}\b"), "<hex>"),
    (re.compile(r"\bcpu:[a-z0-9_]+"), "<target>"),
    (re.compile(r"\b[0-9]+ threads?\b"), "<threads>"),
    (re.compile(r"median of .*"), "<calls>"),
    # What is packed before follows what multiplies, which is the machine's.
    (re.compile(r"[0-9]+ launch(?:es)?, [0-9.]+ (?:B|[KMG]iB) of inter"),
     "<launches> of inter"),
    (re.compile(r"^ +(?:k0\.pack_[ab] )*k0\.main$", re.M), " k0.main"),
    (re.compile(r"median width [0-9.e+-]+ ulp"), "median width <real> ulp"),
    (re.compile(r"code (?:<time> by .*|from the cache)"), "<code>"),
    # Counts of elements near a bound follow the order of the sums, which is
    # the machine's.
    (re.compile(r"\b[0-9,]+ beyond\b"), "<n> beyond"),
    (re.compile(r" +"), " "),
]


def normal(text):
    for what, word in NORMAL:
        text = what.sub(word, text)
    return "".join(line.rstrip() + "\n" for line in text.splitlines())


def diff(expected, got, what="expected"):
    return "".join(
        line if line.endswith("\n") else line + "\n\\ no newline\n"
        for line in difflib.unified_diff(
            expected.splitlines(True), got.splitlines(True), what, "got"))
