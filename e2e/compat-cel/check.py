#!/usr/bin/env python3
"""Our CEL against the recorded answers of Kubernetes, without Go: check.py [FAMILY ...]

Status 1 if an answer differs: value or error, cost of the evaluation, or the estimate."""

import gzip
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = os.environ.get("CEL_ANSWERS", str(HERE.parents[1] / "build" / "src" / "cel" / "cel_answers"))


def main():
    families = sys.argv[1:] or sorted(path.name.split(".")[0] for path in (HERE / "data").glob("*.tsv.gz"))
    bad = 0
    for family in families:
        with gzip.open(HERE / "data" / f"{family}.tsv.gz") as file:
            done = subprocess.run([PROGRAM], input=file.read(), stdout=subprocess.PIPE)
        lines = done.stdout.decode(errors="replace").splitlines()
        for line in lines[:40] if done.returncode else []:
            print(line)
        print(f"{family}: {lines[-1] if lines else 'no answer'}")
        bad += done.returncode != 0
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
