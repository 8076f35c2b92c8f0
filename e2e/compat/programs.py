"""Runs the two programs over scenarios: Kueue (oracle/, built on demand) and quorate."""

import json
import os
import pathlib
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = ROOT / "build" / "compat"


def oracle_program():
    """The path of Kueue's side, built if it is missing or older than its sources."""
    given = os.environ.get("ORACLE")
    if given:
        return given
    program = BUILD / "oracle"
    sources = [path for path in (HERE / "oracle").iterdir() if path.suffix in (".go", ".s", ".mod", ".sum")]
    if not program.exists() or program.stat().st_mtime < max(path.stat().st_mtime for path in sources):
        BUILD.mkdir(parents=True, exist_ok=True)
        subprocess.run(["go", "build", "-o", str(program), "."], cwd=HERE / "oracle", check=True)
    return str(program)


def quorate_program():
    return os.environ.get("QUORATE") or str(ROOT / "build" / "quorate")


def ask_kueue(scenarios, repeat=4):
    """{name: {"answers": [...]} or {"error": ...} or {"panic": ...}}."""
    text = "".join(json.dumps(scenario) + "\n" for scenario in scenarios)
    done = subprocess.run(
        [oracle_program(), f"-repeat={repeat}"], input=text, stdout=subprocess.PIPE, text=True, check=True
    )
    return {result["name"]: result for result in map(json.loads, done.stdout.splitlines())}


def ask_quorate(scenarios):
    """{name: {"answer": ...} or {"error": ...}}; one process for all where --batch is known."""
    if os.environ.get("NO_BATCH"):
        return {scenario["name"]: ask_quorate_once(scenario) for scenario in scenarios}
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as batch:
        for scenario in scenarios:
            batch.write(json.dumps(scenario) + "\n")
        batch.flush()
        done = subprocess.run(
            [quorate_program(), "simulate", "--batch", batch.name], stdout=subprocess.PIPE, text=True
        )
    results = {result["name"]: result for result in map(json.loads, done.stdout.splitlines())}
    for scenario in scenarios:
        results.setdefault(scenario["name"], {"error": f"no answer; the program ended with status {done.returncode}"})
    return results


def ask_quorate_once(scenario):
    with tempfile.TemporaryDirectory() as directory:
        objects = pathlib.Path(directory, "objects.yaml")
        objects.write_text("".join("---\n" + json.dumps(item) + "\n" for item in scenario["objects"]))
        command = [quorate_program(), "simulate", "-o", "json", *scenario["args"]]
        if scenario.get("config"):
            config = pathlib.Path(directory, "config.yaml")
            config.write_text(json.dumps(scenario["config"]))
            command.append(f"--config={config}")
        done = subprocess.run([*command, str(objects)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        return {"error": done.stderr.strip() or f"status {done.returncode}"}
    return {"answer": json.loads(done.stdout)}
