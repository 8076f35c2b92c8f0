"""Bare Workload objects on a real control plane, whose completion this program writes.

Each ClusterQueue (20 cpu, may borrow 100, reclaims from its cohort, preempts lower priorities) gets
350 small, 100 medium and 50 large workloads of 1, 5 and 20 cpu that run 0.2, 0.5 and 1 s. Reports
the makespan beside the least possible one (work over quota, or the creation of the objects), and
API writes, CPU seconds and memory as end_to_end.py does.
"""

import argparse
import collections
import concurrent.futures
import datetime
import heapq
import queue
import threading
import time

import figures
from e2e.lib.cluster import ApiError, condition, has_condition

KUEUE = "kueue.x-k8s.io/v1beta2"
Class = collections.namedtuple("Class", "name count cpu seconds priority")
CLASSES = [Class("small", 350, 1, 0.2, 50), Class("medium", 100, 5, 0.5, 100), Class("large", 50, 20, 1, 200)]
QUOTA, BORROWING = 20, 100
NAMESPACE = "bench"


def queues(cohorts, per_cohort):
    for index in range(cohorts * per_cohort):
        yield f"queue-{index}", f"cohort-{index // per_cohort}"


def objects(cohorts, per_cohort):
    yield {"apiVersion": KUEUE, "kind": "ResourceFlavor", "metadata": {"name": "default"}}
    for name, cohort in queues(cohorts, per_cohort):
        cpu = {"name": "cpu", "nominalQuota": str(QUOTA), "borrowingLimit": str(BORROWING)}
        yield {
            "apiVersion": KUEUE,
            "kind": "ClusterQueue",
            "metadata": {"name": name},
            "spec": {
                "cohortName": cohort,
                "namespaceSelector": {},
                "preemption": {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"},
                "resourceGroups": [{"coveredResources": ["cpu"], "flavors": [{"name": "default", "resources": [cpu]}]}],
            },
        }
        yield {
            "apiVersion": KUEUE,
            "kind": "LocalQueue",
            "metadata": {"name": name, "namespace": NAMESPACE},
            "spec": {"clusterQueue": name},
        }


def workload(queue_name, kind, index):
    container = {"name": "main", "image": "registry.example/main:1", "resources": {"requests": {"cpu": str(kind.cpu)}}}
    return {
        "apiVersion": KUEUE,
        "kind": "Workload",
        "metadata": {"name": f"{queue_name}-{kind.name}-{index}", "namespace": NAMESPACE, "labels": {"class": kind.name}},
        "spec": {
            "queueName": queue_name,
            "priority": kind.priority,
            "podSets": [
                {"name": "main", "count": 1, "template": {"spec": {"restartPolicy": "Never", "containers": [container]}}}
            ],
        },
    }


def load(cohorts, per_cohort, share):
    """The workloads of all queues, interleaved as their creation is."""
    made = []
    for name, _ in queues(cohorts, per_cohort):
        for kind in CLASSES:
            count = max(1, round(kind.count * share))
            made += [((index + 0.5) / count, workload(name, kind, index)) for index in range(count)]
    return [one for _, one in sorted(made, key=lambda pair: pair[0])]


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class Runner:
    """Ends workloads when they have run, and takes quota away from those that were evicted."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.due = []  # (when, name)
        self.running = set()
        self.finished = set()
        self.evicted = 0
        self.waits = collections.defaultdict(list)  # seconds, by class
        self.lock = threading.Lock()
        self.tasks = queue.Queue()
        self.over = threading.Event()
        for target in [self.watch, self.clock] + [self.work] * 6:
            threading.Thread(target=target, daemon=True).start()

    def watch(self):
        version = "0"
        while not self.over.is_set():
            for event, thing in self.cluster.watch(KUEUE, "Workload", NAMESPACE, resource_version=version, timeout=30):
                if event == "ERROR":
                    version = "0"
                    break
                version = thing["metadata"]["resourceVersion"]
                self.see(thing)

    def see(self, thing):
        name = thing["metadata"]["name"]
        if has_condition(thing, "Finished"):
            with self.lock:
                self.finished.add(name)
            return
        if has_condition(thing, "Evicted") and has_condition(thing, "QuotaReserved"):
            with self.lock:
                if name not in self.running:
                    return
                self.running.discard(name)
                self.evicted += 1
            self.tasks.put((self.release, name))
            return
        if not has_condition(thing, "Admitted"):
            return
        kind = next(one for one in CLASSES if one.name == thing["metadata"]["labels"]["class"])
        with self.lock:
            if name in self.running or name in self.finished:
                return
            self.running.add(name)
            heapq.heappush(self.due, (time.monotonic() + kind.seconds, name))
            created = datetime.datetime.fromisoformat(thing["metadata"]["creationTimestamp"])
            admitted = datetime.datetime.fromisoformat(condition(thing, "Admitted")["lastTransitionTime"])
            self.waits[kind.name].append((admitted - created).total_seconds())

    def clock(self):
        while not self.over.is_set():
            with self.lock:
                while self.due and self.due[0][0] <= time.monotonic():
                    name = heapq.heappop(self.due)[1]
                    if name in self.running:
                        self.tasks.put((self.finish, name))
            time.sleep(0.01)

    def work(self):
        while True:
            task, name = self.tasks.get()
            try:
                task(name)
            except ApiError as error:
                if error.code == 409:
                    self.tasks.put((task, name))
                elif error.code != 404:
                    raise

    def finish(self, name):
        ended = {"type": "Finished", "status": "True", "reason": "Succeeded", "message": "", "lastTransitionTime": now()}
        self.put(name, [ended], lambda thing: not has_condition(thing, "Evicted"))

    def release(self, name):
        """What the controller of a job does once the pods of an evicted workload are gone."""
        gone = [
            {"type": kind, "status": "False", "reason": "Pending", "message": "evicted", "lastTransitionTime": now()}
            for kind in ("QuotaReserved", "Admitted")
        ]
        requeued = {"type": "Requeued", "status": "True", "reason": "Preempted", "message": "", "lastTransitionTime": now()}
        self.put(name, gone + [requeued], lambda thing: has_condition(thing, "Evicted"), keep_admission=False)

    def put(self, name, conditions, still, keep_admission=True):
        thing = self.cluster.get(KUEUE, "Workload", name, NAMESPACE)
        if not still(thing):
            return
        changed = {one["type"] for one in conditions}
        status = thing["status"]
        status["conditions"] = [one for one in status["conditions"] if one["type"] not in changed] + conditions
        if not keep_admission:
            status.pop("admission", None)
        self.cluster.replace(thing, "status")


def run(cohorts, per_cohort, share):
    values = {"controller.controllers": "{admission,status}", "scheduler.separate": "true"}
    with figures.installed(values, node_count=0) as (plane, watched, audit):
        cluster = plane.cluster
        cluster.create_namespace(NAMESPACE)
        for thing in objects(cohorts, per_cohort):
            cluster.create(thing)
        for name, _ in queues(cohorts, per_cohort):
            cluster.wait_condition(KUEUE, "ClusterQueue", name, "Active")
        todo = load(cohorts, per_cohort, share)
        runner = Runner(cluster)
        with figures.measured(watched, audit) as result:
            started = time.monotonic()
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                list(pool.map(cluster.create, todo))
            created = time.monotonic() - started
            deadline = started + 1800
            while len(runner.finished) < len(todo):
                if time.monotonic() > deadline:
                    raise SystemExit(f"only {len(runner.finished)} of {len(todo)} workloads finished")
                time.sleep(0.05)
            elapsed = time.monotonic() - started
            runner.over.set()
    work = sum(kind.cpu * kind.seconds * max(1, round(kind.count * share)) for kind in CLASSES)
    bound = work / QUOTA
    print(f"\n{len(todo)} workloads in {cohorts * per_cohort} ClusterQueues of {cohorts} cohorts")
    print(
        f"created in {created:.1f} s; the work takes {bound:.1f} s; finished in {elapsed:.1f} s:"
        f" {elapsed / max(created, bound):.2f} of the greater; {runner.evicted} evictions"
    )
    for kind in CLASSES:
        waits = sorted(runner.waits[kind.name])
        print(f"{kind.name:<8} waits {sum(waits) / len(waits):.1f} s on average, {waits[-1]:.0f} s at most")
    print()
    figures.show(result, len(todo), "workload")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cohorts", type=int, default=5)
    parser.add_argument("--queues", type=int, default=6, help="of each cohort")
    parser.add_argument("--share", type=float, default=1, help="of the workloads of each class")
    options = parser.parse_args()
    run(options.cohorts, options.queues, options.share)


if __name__ == "__main__":
    main()
