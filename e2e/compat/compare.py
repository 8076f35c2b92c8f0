#!/usr/bin/env python3
"""Asks Kueue and quorate the same questions and prints where they differ.

compare.py [--shrink] [--examples N] FAMILY[:FIRST-LAST] | FAMILY/SEED | FILE.jsonl ...

Ends with `N passed, N failed`; status 1 if anything failed."""

import argparse
import collections
import json
import pathlib
import re
import sys

import answers
import generate
import programs
import show
import shrink

# Kueue leaves some orders to chance; before a difference counts it is asked this often.
PATIENCE = 60


def scenarios_of(selection):
    if selection.endswith(".jsonl"):
        return [json.loads(line) for line in pathlib.Path(selection).read_text().splitlines()]
    if "/" in selection:
        return [generate.scenario(selection)]
    return [generate.scenario(name) for name in generate.named(selection)]


def differing(scenarios, patience=PATIENCE):
    """{name: lines} of those that differ, after patience with the orders that Kueue leaves open."""
    found = once(scenarios, 4)
    again = [scenario for scenario in scenarios if scenario["name"] in found]
    return once(again, patience) if again else {}


def once(scenarios, repeat):
    kueue = programs.ask_kueue(scenarios, repeat)
    quorate = programs.ask_quorate(scenarios)
    found = {}
    for scenario in scenarios:
        lines = verdict(kueue[scenario["name"]], quorate[scenario["name"]])
        if lines:
            found[scenario["name"]] = lines
    return found


def verdict(kueue, quorate):
    if "error" in kueue:
        return [f"Kueue could not be asked: {kueue['error']}"]
    if "error" in quorate:
        return [f"Quorate: {quorate['error']}"]
    alternatives = answers.usable(kueue)
    return answers.closest(alternatives, quorate["answer"]) if alternatives else []


def kind(lines):
    """What the first difference is about, without names and numbers."""
    where = lines[0].partition(": ")[0]
    return lines[0][:8] if where in ("Quorate", "Kueue could not be asked") else re.sub(r"\d+|\S+/\S+", "", where).split()


def like(lines):
    """For shrinking: finds the scenarios that differ in the same way."""
    return lambda scenarios: {name for name, other in differing(scenarios, 16).items() if kind(other) == kind(lines)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shrink", action="store_true", help="print the smallest scenario that still differs")
    parser.add_argument("--examples", type=int, default=3, help="differences shown per family")
    parser.add_argument("selection", nargs="*", default=sorted(generate.FAMILIES))
    arguments = parser.parse_args()
    passed = failed = 0
    shown = collections.Counter()
    for selection in arguments.selection:
        scenarios = scenarios_of(selection)
        found = differing(scenarios)
        passed += len(scenarios) - len(found)
        failed += len(found)
        by_name = {scenario["name"]: scenario for scenario in scenarios}
        for name, lines in found.items():
            family = name.split("/")[0]
            shown[family] += 1
            if shown[family] > arguments.examples:
                continue
            print(f"{name}: differs")
            for line in lines[:6]:
                print(f"  {line}")
            if arguments.shrink:
                small = shrink.shrink(by_name[name], like(lines))
                small["name"] = name
                print("  smallest scenario: " + json.dumps(small))
                show.show(small)
                for line in differing([small]).get(name, ["it does not differ any more"]):
                    print(f"    {line}")
        if found:
            print(f"{selection}: {len(found)} of {len(scenarios)} differ")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
