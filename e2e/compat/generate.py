#!/usr/bin/env python3
"""Prints generated scenarios as JSON lines: generate.py FAMILY[:FIRST-LAST] ...

A scenario is its family and its seed; the same name gives the same scenario everywhere."""

import json
import sys

import families_preemption
import families_quota
import families_topology
from dice import Dice

FAMILIES = {**families_quota.FAMILIES, **families_preemption.FAMILIES, **families_topology.FAMILIES}

# What Kueue v0.17.0 does not have yet; switched off, so that both sides answer one question.
LATER_GATES = {
    "RecomputeAssignmentUponPreemptionTargetsOverlap": False,
    "TASRecomputeAssignmentWithinSchedulingCycle": False,
    "FlavorFungibilityPreserveScanProgress": False,
}


def scenario(name):
    """The scenario called 'family/seed'."""
    family, seed = name.split("/")
    made = FAMILIES[family](Dice(f"{family}/{int(seed)}"))
    made["name"] = name
    gates = {**LATER_GATES, "SchedulingEquivalenceHashing": False}
    given = [arg for arg in made["args"] if arg.startswith("--feature-gates=")]
    for arg in given:
        made["args"].remove(arg)
        gates.update((item.split("=")[0], item.endswith("=true")) for item in arg.split("=", 1)[1].split(","))
    made["args"].append("--feature-gates=" + ",".join(f"{k}={'true' if v else 'false'}" for k, v in sorted(gates.items())))
    return made


def named(selection, default_count=100):
    """'family' or 'family:first-last' as a list of names."""
    family, _, seeds = selection.partition(":")
    first, _, last = seeds.partition("-")
    first = int(first or 0)
    last = int(last) if last else (first if seeds else default_count - 1)
    return [f"{family}/{seed}" for seed in range(first, last + 1)]


def main():
    for selection in sys.argv[1:] or sorted(FAMILIES):
        for name in named(selection):
            print(json.dumps(scenario(name), separators=(",", ":")))


if __name__ == "__main__":
    main()
