#!/usr/bin/env python3
"""Every scenario gives the same bytes whatever the order of its documents and the number of threads, and
its recorded events replay to the same hashes: determinism.py QUORATE."""

import pathlib
import random
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def answer(command, text):
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    # Warnings name lines, which are others in another order.
    return done.stdout if done.returncode == 0 else f"status {done.returncode}: {done.stderr}"


def faults(quorate, path, directory):
    config = path.with_suffix(".config.yaml")
    place = path.name.startswith("place-")
    command = [quorate, "simulate", "-", "-o", "json", *(["--config", str(config)] if config.exists() else []),
               *(["--op", "place"] if place else [])]
    text = path.read_text()
    documents = re.split(r"^---\n", text, flags=re.M)
    wanted = answer(command, text)
    for seed in range(3):
        random.Random(f"{path.name}/{seed}").shuffle(documents)
        if answer([*command, f"--threads={1 + 3 * seed}"], "---\n".join(documents)) != wanted:
            yield f"other documents' order (seed {seed}), other answer"
    if place:
        return  # one question, no run that could be recorded
    log = str(pathlib.Path(directory, "log"))
    if answer([*command, "--record", log], text) != wanted:
        yield "recorded, other answer"
    replayed = answer([quorate, "replay", log], "")
    digest = re.search(r'"hash":"([0-9a-f]+)"\}$', wanted.strip())
    if not digest or f"hash {digest.group(1)}: as recorded" not in replayed:
        yield f"replay: {replayed.strip()}"


def main():
    quorate = sys.argv[1]
    scenarios = [path for path in sorted(HERE.glob("*.yaml")) if not path.name.endswith(".config.yaml")]
    wrong = 0
    with tempfile.TemporaryDirectory() as directory:
        for path in scenarios:
            for fault in faults(quorate, path, directory):
                print(f"{path.name}: {fault}")
                wrong += 1
    print(f"{len(scenarios)} scenarios, {wrong} faults")
    sys.exit(1 if wrong or not scenarios else 0)


if __name__ == "__main__":
    main()
