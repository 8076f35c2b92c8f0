#!/usr/bin/env python3
"""Asks Kubernetes' own CEL for its answers and writes them down: record.py [FAMILY ...]

The families written by hand go to src/cel/testdata/FAMILY.txt, which the unit test of src/cel reads;
the random ones to data/FAMILY.tsv.gz, which check.py reads. A line is expression, kind (c: refused,
x: runtime error, v: value), text, cost and estimate, separated by tabs.

Every expression is asked several times: cel-go walks maps in a random order, so a cost that is not
always the same is written as "-", and an answer that is not always the same is left out. So are the
expressions of different.txt, where we mean to differ."""

import gzip
import json
import pathlib
import subprocess
import sys

import generate

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ORACLE = ROOT / "build" / "compat-cel" / "oracle"
TABLES = ROOT / "src" / "cel" / "testdata"
TIMES = 3


def build_oracle():
    """Builds the Go program when it is not there; Go notices by itself when nothing changed."""
    done = subprocess.run([ROOT / "scripts" / "install_go.sh"], stdout=subprocess.PIPE, text=True, check=True)
    ORACLE.parent.mkdir(parents=True, exist_ok=True)
    command = [done.stdout.strip(), "build", "-o", ORACLE, "."]
    subprocess.run(command, cwd=HERE / "oracle", check=True)


def ask(expressions):
    """The oracle's answer to each expression."""
    text = "".join(json.dumps(e) + "\n" for e in expressions)
    done = subprocess.run([ORACLE], input=text.encode(), stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def short_fault(text):
    prefix = "ERROR: <input>:"
    if not text.startswith(prefix):
        return text.split(": ")[0]
    if ": Syntax error" in text:  # what a parser finds besides depends on how it recovers
        return "Syntax error"
    return text[len(prefix) :].split("\n")[0]


def short_error(text):
    for marker in (": ParseAddr(", ": netip.ParsePrefix(", ': parse "', ' as "2006'):
        text = text.split(marker)[0]
    return text


def line_of(answer):
    """(kind, text, cost, estimate) as they are compared."""
    if "c" in answer:
        return "c", short_fault(answer["c"]), "0", ""
    if "x" in answer:
        return "x", short_error(answer["x"]), str(answer["k"]), answer.get("m", "")
    return "v", answer.get("v", ""), str(answer["k"]), answer.get("m", "")


def merge(lines):
    """One line that holds in every run, or None."""
    if len({line[:2] for line in lines}) > 1 or lines[0][1].startswith(("panic: ", "internal error: ")):
        return None
    costs = {line[2] for line in lines}
    return (*lines[0][:2], costs.pop() if len(costs) == 1 else "-", lines[0][3])


def escape(text):
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")


def different():
    """The expressions where we mean to differ, with the reasons."""
    found = {}
    reason = ""
    for line in (HERE / "different.txt").read_text().splitlines():
        if line.startswith("# "):
            reason = line[2:]
        elif line:
            found[line] = reason
    return found


def record(family):
    meant = different()
    expressions = [e for e in generate.generate(family) if escape(e) not in meant]
    runs = [ask(expressions) for _ in range(TIMES)]
    out = []
    for expression, answers in zip(expressions, zip(*runs)):
        merged = merge([line_of(answer) for answer in answers])
        if merged:
            kind, text, cost, most = merged
            out.append("\t".join((escape(expression), kind, escape(text), cost, most)) + "\n")
    if family in generate.RANDOM:
        (HERE / "data").mkdir(exist_ok=True)
        with open(HERE / "data" / f"{family}.tsv.gz", "wb") as file:
            with gzip.GzipFile(fileobj=file, mode="wb", mtime=0) as packed:
                packed.write("".join(out).encode())
    else:
        TABLES.mkdir(exist_ok=True)
        (TABLES / f"{family}.txt").write_text("".join(out))
    print(f"{family}: {len(out)} of {len(expressions)} answers recorded")


def main():
    build_oracle()
    for family in sys.argv[1:] or generate.families():
        record(family)


if __name__ == "__main__":
    main()
