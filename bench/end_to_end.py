"""End-to-end figures on a real control plane, printed as one table.

Submits 1,000 one-pod Jobs and 200 gangs of 5 pods at once, with room for all of them in quota and
on nodes, and waits until every Job is complete. Reports jobs per second, API writes per job by user
(from the API server's audit log), and CPU seconds and memory of each program.
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from e2e.lib import nodes, processes  # noqa: E402
from e2e.lib.cluster import has_condition, wait_for  # noqa: E402
from e2e.lib.controlplane import ControlPlane  # noqa: E402
from e2e.lib.installation import Installation  # noqa: E402

KUEUE = "kueue.x-k8s.io/v1beta2"
WRITES = {"create", "update", "patch", "delete", "deletecollection"}


def queue_objects(cpus):
    yield {"apiVersion": KUEUE, "kind": "ResourceFlavor", "metadata": {"name": "default"}}
    yield {
        "apiVersion": KUEUE,
        "kind": "ClusterQueue",
        "metadata": {"name": "bench"},
        "spec": {
            "namespaceSelector": {},
            "resourceGroups": [
                {
                    "coveredResources": ["cpu"],
                    "flavors": [{"name": "default", "resources": [{"name": "cpu", "nominalQuota": str(cpus)}]}],
                }
            ],
        },
    }
    yield {
        "apiVersion": KUEUE,
        "kind": "LocalQueue",
        "metadata": {"name": "bench", "namespace": "bench"},
        "spec": {"clusterQueue": "bench"},
    }


def job(name, pods):
    container = {"name": "main", "image": "registry.example/main:1", "resources": {"requests": {"cpu": "1"}}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": "bench", "labels": {"kueue.x-k8s.io/queue-name": "bench"}},
        "spec": {
            "parallelism": pods,
            "completions": pods,
            "completionMode": "Indexed",
            "template": {"spec": {"restartPolicy": "Never", "containers": [container]}},
        },
    }


def audit_writes(path):
    """(user, resource[/subresource], verb) -> successful writes in the audit log."""
    count = collections.Counter()
    with open(path) as lines:
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


def run(singles, gangs, gang_size):
    with tempfile.TemporaryDirectory(prefix="quorate-bench-") as directory:
        directory = pathlib.Path(directory)
        audit = directory / "audit.log"
        with ControlPlane.fresh("gang", audit=audit) as plane:
            cluster = plane.cluster
            nodes.create(cluster, nodes.Spec(100, gpus=0))
            with Installation(plane, directory, {"scheduler.separate": "true"}) as quorate:
                measure(plane, quorate, audit, singles, gangs, gang_size)


def measure(plane, quorate, audit, singles, gangs, gang_size):
    cluster = plane.cluster
    cluster.create_namespace("bench")
    for thing in queue_objects(singles + gangs * gang_size):
        cluster.create(thing)
    cluster.wait_condition(KUEUE, "ClusterQueue", "bench", "Active")

    watched = {service.name: service.pid for service in quorate.services}
    watched["kube-apiserver"] = plane.process("kube-apiserver").pid
    watched["kube-controller-manager"] = plane.process("kube-controller-manager").pid
    before = {name: processes.cpu_seconds(pid) for name, pid in watched.items()}
    lines_before = sum(1 for _ in open(audit))

    jobs = [job(f"single-{i}", 1) for i in range(singles)] + [job(f"gang-{i}", gang_size) for i in range(gangs)]
    started = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(cluster.create, jobs))
    submitted = time.monotonic() - started

    def complete():
        return all(has_condition(one, "Complete") for one in cluster.list("batch/v1", "Job", "bench"))

    wait_for(complete, 900, "all jobs complete", interval=1)
    elapsed = time.monotonic() - started

    def finished():
        return all(has_condition(one, "Finished") for one in cluster.list(KUEUE, "Workload", "bench"))

    wait_for(finished, 120, "all workloads finished", interval=1)
    cpu = {name: processes.cpu_seconds(pid) - before[name] for name, pid in watched.items()}
    memory = {name: processes.resident_bytes(pid) for name, pid in watched.items()}

    tail = audit.parent / "tail.log"
    with open(audit) as lines, open(tail, "w") as out:
        out.writelines(line for index, line in enumerate(lines) if index >= lines_before)
    report(len(jobs), gangs, submitted, elapsed, cpu, memory, audit_writes(tail))


def report(jobs, gangs, submitted, elapsed, cpu, memory, writes):
    print(f"\n{jobs} jobs ({gangs} gangs), submitted in {submitted:.1f} s, complete in {elapsed:.1f} s: {jobs / elapsed:.1f} jobs/s\n")
    server = cpu["kube-apiserver"]
    print(f"{'program':<32}{'CPU s':>8}{'of apiserver':>14}{'RSS MiB':>10}")
    for name in sorted(cpu, key=lambda one: -cpu[one]):
        print(f"{name:<32}{cpu[name]:>8.1f}{cpu[name] / server:>13.0%}{memory[name] / 2**20:>10.0f}")

    print(f"\n{'writes per job':<64}{'events apart':>14}")
    users = collections.defaultdict(collections.Counter)
    for (user, resource, verb), count in writes.items():
        users[user][f"{verb} {resource}"] += count
    for user in sorted(users):
        apart = sum(count for what, count in users[user].items() if not what.endswith(" events"))
        if apart < jobs / 10:
            continue
        print(f"{user:<64}{apart / jobs:>14.2f}")
        for what, count in users[user].most_common(8):
            print(f"    {what:<60}{count / jobs:>14.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--singles", type=int, default=1000)
    parser.add_argument("--gangs", type=int, default=200)
    parser.add_argument("--gang-size", type=int, default=5)
    options = parser.parse_args()
    run(options.singles, options.gangs, options.gang_size)


if __name__ == "__main__":
    main()
