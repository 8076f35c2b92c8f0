"""End-to-end figures on a real control plane, printed as one table.

Submits 1,000 one-pod Jobs and 200 gangs of 5 pods at once, with room for all of them in quota and
on nodes, and waits until every Job is complete. Reports jobs per second, API writes per job by user
(from the API server's audit log), and CPU seconds and memory of each program.
"""

import argparse
import concurrent.futures
import time

import figures
from e2e.lib.cluster import has_condition, wait_for

KUEUE = "kueue.x-k8s.io/v1beta2"


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


def run(singles, gangs, gang_size):
    with figures.installed({"scheduler.separate": "true"}) as (plane, watched, audit):
        cluster = plane.cluster
        cluster.create_namespace("bench")
        for thing in queue_objects(singles + gangs * gang_size):
            cluster.create(thing)
        cluster.wait_condition(KUEUE, "ClusterQueue", "bench", "Active")

        jobs = [job(f"single-{i}", 1) for i in range(singles)] + [job(f"gang-{i}", gang_size) for i in range(gangs)]
        with figures.measured(watched, audit) as result:
            started = time.monotonic()
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                list(pool.map(cluster.create, jobs))
            submitted = time.monotonic() - started
            wait_for(lambda: all_have(cluster, "batch/v1", "Job", "Complete"), 900, "all jobs complete", interval=1)
            elapsed = time.monotonic() - started
            wait_for(lambda: all_have(cluster, KUEUE, "Workload", "Finished"), 120, "all workloads finished", interval=1)
    print(
        f"\n{len(jobs)} jobs ({gangs} gangs), submitted in {submitted:.1f} s, complete in {elapsed:.1f} s:"
        f" {len(jobs) / elapsed:.1f} jobs/s\n"
    )
    figures.show(result, len(jobs), "job")


def all_have(cluster, api_version, kind, condition):
    return all(has_condition(one, condition) for one in cluster.list(api_version, kind, "bench"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--singles", type=int, default=1000)
    parser.add_argument("--gangs", type=int, default=200)
    parser.add_argument("--gang-size", type=int, default=5)
    options = parser.parse_args()
    run(options.singles, options.gangs, options.gang_size)


if __name__ == "__main__":
    main()
