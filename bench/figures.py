"""What the end-to-end measurements share: watched processes, writes by user from the audit log, tables."""

import collections
import contextlib
import json
import pathlib
import sys
import tempfile
import types

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from e2e.lib import nodes, processes  # noqa: E402
from e2e.lib.controlplane import ControlPlane  # noqa: E402
from e2e.lib.installation import Installation  # noqa: E402

WRITES = {"create", "update", "patch", "delete", "deletecollection"}


@contextlib.contextmanager
def installed(values=None, node_count=100):
    """A fresh control plane with nodes and Quorate: (plane, the programs watched by name, the audit log)."""
    with tempfile.TemporaryDirectory(prefix="quorate-bench-") as directory:
        directory = pathlib.Path(directory)
        audit = directory / "audit.log"
        with ControlPlane.fresh("gang", audit=audit) as plane:
            if node_count:
                nodes.create(plane.cluster, nodes.Spec(node_count, gpus=0))
            with Installation(plane, directory, values or {}) as quorate:
                watched = {service.name: service.pid for service in quorate.services}
                for name in ("kube-apiserver", "kube-controller-manager"):
                    watched[name] = plane.process(name).pid
                yield plane, watched, audit


@contextlib.contextmanager
def measured(watched, audit):
    """Of the time inside: `.cpu` seconds and `.memory` bytes by program, and `.writes`, once it is over."""
    result = types.SimpleNamespace()
    before = {name: processes.cpu_seconds(pid) for name, pid in watched.items()}
    start = audit.stat().st_size
    yield result
    result.cpu = {name: processes.cpu_seconds(pid) - before[name] for name, pid in watched.items()}
    result.memory = {name: processes.resident_bytes(pid) for name, pid in watched.items()}
    result.writes = audit_writes(audit, start)


def audit_writes(path, start=0):
    """(user, resource[/subresource], verb) -> successful writes in the audit log from this byte on."""
    count = collections.Counter()
    with open(path) as lines:
        lines.seek(start)
        for line in lines:
            event = json.loads(line)
            if event.get("stage") != "ResponseComplete" or event["verb"] not in WRITES:
                continue
            if event.get("responseStatus", {}).get("code", 0) >= 300:
                continue
            what = event.get("objectRef", {})
            resource = "/".join(filter(None, [what.get("resource"), what.get("subresource")]))
            count[event["user"]["username"], resource, event["verb"]] += 1
    return count


def show(result, things, what):
    """Prints the table of programs, and that of the writes for each of the `things`."""
    server = result.cpu["kube-apiserver"]
    print(f"{'program':<32}{'CPU s':>8}{'of apiserver':>14}{'RSS MiB':>10}")
    for name in sorted(result.cpu, key=lambda one: -result.cpu[one]):
        print(f"{name:<32}{result.cpu[name]:>8.1f}{result.cpu[name] / server:>13.0%}{result.memory[name] / 2**20:>10.0f}")

    print(f"\n{'writes per ' + what:<64}{'events apart':>14}")
    users = collections.defaultdict(collections.Counter)
    for (user, resource, verb), count in result.writes.items():
        users[user][f"{verb} {resource}"] += count
    for user in sorted(users):
        apart = sum(count for done, count in users[user].items() if not done.endswith(" events"))
        if apart < things / 10:
            continue
        print(f"{user:<64}{apart / things:>14.2f}")
        for done, count in users[user].most_common(8):
            print(f"    {done:<60}{count / things:>14.2f}")
