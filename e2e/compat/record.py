#!/usr/bin/env python3
"""Asks Kueue and stores its answers: record.py COUNT [FAMILY ...] writes data/FAMILY.jsonl.gz.

One line per scenario, seeds 0 to COUNT-1: the list of distinct answers. A scenario without a usable
answer, or to which Kueue has more answers than the limit, is stored as null and not compared."""

import gzip
import json
import pathlib
import sys

import answers
import generate
import programs

DATA = pathlib.Path(__file__).resolve().parent / "data"
REPEAT = 40
MOST_ANSWERS = 8


def record(family, count):
    names = generate.named(f"{family}:0-{count - 1}")
    results = programs.ask_kueue([generate.scenario(name) for name in names], REPEAT)
    lines, nulls = [], 0
    for name in names:
        result = results[name]
        if "error" in result:
            raise SystemExit(f"{name}: {result['error']}")
        alternatives = answers.usable(result)
        if not alternatives or len(alternatives) > MOST_ANSWERS:
            alternatives = None
            nulls += 1
        lines.append(json.dumps(alternatives, separators=(",", ":"), sort_keys=True) + "\n")
    DATA.mkdir(exist_ok=True)
    path = DATA / f"{family}.jsonl.gz"
    # No time and no name inside, so that equal answers give equal bytes.
    with open(path, "wb") as raw, gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=9, mtime=0) as file:
        file.write("".join(lines).encode())
    print(f"{family}: {count} scenarios, {nulls} without a stable answer, {path.stat().st_size} bytes", flush=True)


def main():
    count = int(sys.argv[1])
    for family in sys.argv[2:] or sorted(generate.FAMILIES):
        record(family, count)


if __name__ == "__main__":
    main()
