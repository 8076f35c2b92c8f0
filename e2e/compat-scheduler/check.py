#!/usr/bin/env python3
"""Runs recorded answers of kube-scheduler's plugins through the program that compares them.

  check.py PROGRAM FILE.jsonl.gz
"""

import gzip
import pathlib
import subprocess
import sys


def main() -> int:
    program, recorded = sys.argv[1:]
    lines = gzip.decompress(pathlib.Path(recorded).read_bytes())
    return subprocess.run([program], input=lines, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
