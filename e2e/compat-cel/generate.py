#!/usr/bin/env python3
"""The expressions of a family, one JSON string per line: generate.py FAMILY [COUNT]

The families of EXPRESSIONS are written by hand; `random` and `mutated` are made from grammar.py by a
fixed seed, so that the same expressions come out everywhere."""

import json
import sys

import expressions
import grammar

RANDOM = {"random": 3000, "mutated": 700}


def families():
    return [*expressions.FAMILIES, *RANDOM]


def generate(family, count=None):
    if family == "random":
        made = (grammar.expression(seed) for seed in range(count or RANDOM[family]))
    elif family == "mutated":
        made = (grammar.mutated(seed) for seed in range(count or RANDOM[family]))
    else:
        made = expressions.FAMILIES[family]
    return list(dict.fromkeys(made))


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__ + "\n\n" + " ".join(families()))
    for expression in generate(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else None):
        print(json.dumps(expression, ensure_ascii=False))


if __name__ == "__main__":
    main()
