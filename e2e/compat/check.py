#!/usr/bin/env python3
"""The everyday run: quorate against the recorded answers of Kueue (data/), without Go.

check.py [--tighten] [--examples N] [FAMILY ...]; status 1 if a family agrees less than it must.

Every scenario of a family must agree. explained.json lists, one by one, those that differ for a reason that
docs/compatibility.md gives. not_yet.json lets a family differ in others too: it says how many must agree, so
that what agrees once stays so. --tighten raises these numbers to what agrees now, and takes out what agrees
as a whole. Ends with `N passed, N failed`; a scenario that may differ and does counts as neither."""

import argparse
import gzip
import json
import pathlib
import sys

import answers
import generate
import programs

DATA = pathlib.Path(__file__).resolve().parent / "data"
NOT_YET = DATA.parent / "not_yet.json"
EXPLAINED = DATA.parent / "explained.json"


def recorded(family):
    """[(name, alternatives)] of the scenarios that Kueue gave a stable answer to."""
    with gzip.open(DATA / f"{family}.jsonl.gz", "rt") as file:
        for seed, line in enumerate(file):
            alternatives = json.loads(line)
            if alternatives is not None:
                yield f"{family}/{seed}", alternatives


def differing(family):
    """(how many scenarios, {name: lines} of those that differ)."""
    expected = dict(recorded(family))
    given = programs.ask_quorate([generate.scenario(name) for name in expected])
    wrong = {}
    for name, alternatives in expected.items():
        result = given[name]
        lines = [result["error"]] if "error" in result else answers.closest(alternatives, result["answer"])
        if lines:
            wrong[name] = lines
    return len(expected), wrong


def show(wrong, examples):
    for name, lines in list(wrong.items())[:examples]:
        print(f"{name}: differs from Kueue v0.17.0")
        for line in lines[:6]:
            print(f"  {line}")


def text_of(explained):
    """One line per reason."""
    lines = (f"  {json.dumps(why)}: {json.dumps(sorted(names, key=natural))}" for why, names in sorted(explained.items()))
    return "{\n" + ",\n".join(lines) + "\n}\n"


def natural(name):
    family, _, seed = name.partition("/")
    return family, int(seed)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tighten", action="store_true", help="write what agrees now to not_yet.json")
    parser.add_argument("--examples", type=int, default=3, help="differences shown per family")
    parser.add_argument("families", nargs="*", metavar="FAMILY")
    arguments = parser.parse_args()
    not_yet = json.loads(NOT_YET.read_text())
    explained = json.loads(EXPLAINED.read_text())
    families = arguments.families or sorted(path.name.split(".")[0] for path in DATA.glob("*.jsonl.gz"))
    passed = failed = 0
    for family in families:
        count, wrong = differing(family)
        agree = count - len(wrong)
        known = {name for names in explained.values() for name in names if name.startswith(f"{family}/")}
        unexplained = {name: lines for name, lines in wrong.items() if name not in known}
        stale = known - set(wrong)
        least = not_yet[family]["agree"] if family in not_yet else count - len(known)
        passed += agree
        failed += max(least - agree, 0)
        words = f"{family}: {agree} of {count} agree"
        if known & set(wrong):
            words += f", {len(known & set(wrong))} differ as explained"
        if family in not_yet:
            words += f", {least} must ({not_yet[family]['why']})"
        if stale or (family in not_yet and agree > least):
            words += "; run check.py --tighten"
        show(unexplained, arguments.examples if agree < least or arguments.families else 0)
        print(words, flush=True)
        if not arguments.tighten:
            continue
        for names in explained.values():
            names[:] = [name for name in names if name not in stale]
        if family in not_yet:
            not_yet[family]["agree"] = max(agree, least)
            if not unexplained:
                del not_yet[family]
    if arguments.tighten:
        NOT_YET.write_text(json.dumps(not_yet, indent=2, sort_keys=True) + "\n")
        EXPLAINED.write_text(text_of({why: names for why, names in explained.items() if names}))
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not families else 0)


if __name__ == "__main__":
    main()
