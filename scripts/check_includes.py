#!/usr/bin/env python3
"""Fails when a source file includes a header of a folder that its own folder may not know.

The table is the one of the architecture (docs/architecture.md): what a folder may include is what
it names here, what those name, and so on. A folder that is not in the table is an error too, so
that nothing is added without a place.
"""

import argparse
import re
import sys
import tempfile
from pathlib import Path

ALLOWED = {
    "src/base": [],
    "src/cluster": ["src/base"],
    "quota": ["src/base"],
    "fairshare": ["src/base", "quota"],
    "topology": ["src/base", "src/cluster"],
    "src/cel": ["src/base"],
    "src/devices": ["src/base", "src/cluster", "src/cel"],
    "src/scheduler": ["src/base", "src/cluster", "topology", "src/devices"],
    "admission": ["src/base", "src/cluster", "quota", "fairshare", "topology"],
    "src/engine": ["admission", "src/scheduler", "fairshare", "src/devices"],
    "src/objects": ["src/base"],
    "src/translate": ["src/objects", "src/engine"],
    "src/jobs": ["src/objects", "src/cel"],
    "src/http": ["src/base"],
    "src/kube": ["src/objects", "src/http"],
    "src/recorder": ["src/engine"],
    "controller": ["src/translate", "src/jobs", "src/kube", "src/recorder"],
    "src/simulate": ["src/translate", "src/engine", "src/objects", "src/jobs"],
    "src/local": ["src/translate", "src/kube", "src/jobs", "src/cel", "src/recorder"],
    "src/cli": ["controller", "src/simulate", "src/local"],
    "src": ["src/cli"],  # main.cc itself
    "bench": ["src/cli"],
    "fuzz": ["src/cli"],
}

# Third-party headers that only the named folders may include.
THIRD_PARTY = {
    r"cpprest/|pplx/": ["src/http"],
    r"boost/": ["src/http"],
    r"sqlite3\.h": ["src/recorder", "src/local"],
    r"rapidjson/": ["src/objects", "src/kube"],
    r"google/protobuf/": ["src/engine"],
    r"re2/": ["src/cel"],
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')


def closure(allowed):
    """What each folder may include, itself and the indirect ones with it."""
    full = {}

    def visit(folder, path):
        if folder in path:
            raise SystemExit("the table has a cycle: " + " -> ".join(path + [folder]))
        if folder not in full:
            known = {folder}
            for other in allowed[folder]:
                known |= visit(other, path + [folder])
            full[folder] = known
        return full[folder]

    for folder in allowed:
        visit(folder, [])
    return full


def folder_of(path, allowed):
    """The folder of the table that a path relative to the root belongs to; None if none does."""
    parts = path.split("/")[:-1]
    while parts:
        name = "/".join(parts)
        # Files directly in src/ are the program's; its unknown subfolders are not.
        if name in allowed and not (name == "src" and path.count("/") > 1):
            return name
        parts.pop()
    return None


def includes(text):
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1), match.group(2)


def sources(root, allowed):
    tops = sorted({folder.split("/")[0] for folder in allowed})
    for top in tops:
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".h", ".cc"):
                yield path


def check(root, allowed=None, third_party=None):
    """The violations below `root`, one text each."""
    allowed = ALLOWED if allowed is None else allowed
    third_party = THIRD_PARTY if third_party is None else third_party
    may = closure(allowed)
    faults = []
    for path in sources(root, allowed):
        name = path.relative_to(root).as_posix()
        folder = folder_of(name, allowed)
        if folder is None:
            faults.append(f"{name}: its folder is not in the table of {Path(__file__).name}")
            continue
        for line, quote, target in includes(path.read_text(encoding="utf-8")):
            where = f"{name}:{line}"
            for pattern, homes in third_party.items():
                if re.match(pattern, target) and folder not in homes:
                    faults.append(f"{where}: {target} belongs to {', '.join(homes)} only")
            if quote == "<":
                continue
            other = folder_of(target, allowed)
            if other is None:
                faults.append(f"{where}: \"{target}\" is not named from the root")
            elif other not in may[folder]:
                faults.append(f"{where}: {folder} may not include {other} (\"{target}\")")
    return faults


def self_test():
    """The check finds what it is there to find."""
    allowed = {"src/base": [], "quota": ["src/base"], "admission": ["quota"], "src": ["admission"]}
    third_party = {r"sqlite3\.h": ["quota"]}
    cases = [
        # (file, its text, part of the expected fault or None)
        ("quota/a.h", '#include "src/base/x.h"\n#include <vector>\n', None),
        ("quota/a.cc", '#include "quota/a.h"\n', None),
        ("admission/a.h", '#include "src/base/x.h"\n', None),  # through quota
        ("src/main.cc", '#include "admission/a.h"\n', None),
        ("quota/deep/er.h", '#include "quota/a.h"\n', None),
        ("src/base/a.h", '#include "quota/a.h"\n', "src/base/a.h:1: src/base may not include quota"),
        ("quota/b.h", '\n  #  include "admission/a.h"\n', "quota/b.h:2: quota may not include"),
        ("quota/c.h", '#include "a.h"\n', "is not named from the root"),
        ("src/new/a.h", "", "src/new/a.h: its folder is not in the table"),
        ("quota/d.cc", "#include <sqlite3.h>\n", None),
        ("admission/d.cc", "#include <sqlite3.h>\n", "sqlite3.h belongs to quota only"),
        ("quota/e.h", '// #include "admission/a.h"\n', None),
    ]
    for name, text, expected in cases:
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / name
            path.parent.mkdir(parents=True)
            path.write_text(text, encoding="utf-8")
            faults = check(Path(directory), allowed, third_party)
        if expected is None and faults:
            return f"{name}: unexpected {faults}"
        if expected is not None and not (len(faults) == 1 and expected in faults[0]):
            return f"{name}: expected one fault with '{expected}', found {faults}"
    try:
        closure({"a": ["b"], "b": ["a"]})
    except SystemExit:
        return None
    return "a cycle in the table is not noticed"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", default=Path(__file__).resolve().parent.parent, type=Path)
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    failure = self_test()
    if failure:
        raise SystemExit(f"self-test: {failure}")
    if options.self_test:
        return
    faults = check(options.root)
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        raise SystemExit(f"{len(faults)} includes against the arrow")


if __name__ == "__main__":
    main()
