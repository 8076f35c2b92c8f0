#!/usr/bin/env python3
"""The everyday run: quorate against the recorded answers of Kueue (data/), without Go.

check.py [FAMILY ...]; ends with `N passed, N failed`, status 1 if anything failed."""

import gzip
import json
import pathlib
import sys

import answers
import generate
import programs

DATA = pathlib.Path(__file__).resolve().parent / "data"
SHOWN = 3


def recorded(family):
    """[(name, alternatives)] of the scenarios that Kueue gave a stable answer to."""
    with gzip.open(DATA / f"{family}.jsonl.gz", "rt") as file:
        for seed, line in enumerate(file):
            alternatives = json.loads(line)
            if alternatives is not None:
                yield f"{family}/{seed}", alternatives


def main():
    passed = failed = 0
    families = sys.argv[1:] or sorted(path.name.split(".")[0] for path in DATA.glob("*.jsonl.gz"))
    for family in families:
        expected = dict(recorded(family))
        given = programs.ask_quorate([generate.scenario(name) for name in expected])
        wrong = 0
        for name, alternatives in expected.items():
            result = given[name]
            lines = [result["error"]] if "error" in result else answers.closest(alternatives, result["answer"])
            if not lines:
                passed += 1
                continue
            wrong += 1
            if wrong <= SHOWN:
                print(f"{name}: differs from Kueue v0.17.0")
                for line in lines[:6]:
                    print(f"  {line}")
        failed += wrong
        print(f"{family}: {len(expected) - wrong} passed, {wrong} failed")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
