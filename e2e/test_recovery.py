"""Controller and scheduler are killed at random moments: everything finishes all the same."""

import pathlib
import random
import sys
import threading
import time
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent)]

from lib.cluster import condition, has_condition, wait_for  # noqa: E402
from quorate_fixture import GPU, KUEUE, QuorateTest  # noqa: E402


class Watcher(threading.Thread):
    """Looks at pods and Workloads again and again, and notes what must never be."""

    # A gang may be below its minimum while its binds are on their way, or were cut short: no longer
    # than the time in which a bind is retried, and the time in which a killed program is back.
    LONGEST_PARTIAL = 45

    def __init__(self, test, quota):
        super().__init__(daemon=True)
        self.test = test
        self.quota = quota
        self.faults = []
        self.looks = 0
        self.partial_since = {}
        self.ended = threading.Event()

    def run(self):
        while not self.ended.wait(0.1):
            try:
                self.look()
                self.looks += 1
            except Exception as error:  # noqa: BLE001 - whatever it is, the test has to know
                self.faults.append(repr(error))
                return

    def look(self):
        cluster, namespace = self.test.cluster, self.test.namespace
        charged = 0
        for workload in cluster.list(KUEUE, "Workload", namespace):
            if has_condition(workload, "Finished") or not has_condition(workload, "QuotaReserved"):
                continue
            for assignment in workload["status"]["admission"]["podSetAssignments"]:
                charged += int(assignment["resourceUsage"][GPU])
        if charged > self.quota:
            self.faults.append(f"{charged} of {self.quota} GPUs are reserved")

        bound, used, sizes = {}, {}, {}
        for job in cluster.list("batch/v1", "Job", namespace):
            # A Job that has lost a pod to its end is not below its minimum.
            if not job["status"].get("succeeded"):
                sizes[job["metadata"]["name"]] = job["spec"]["parallelism"]
        for pod in cluster.list("v1", "Pod", namespace):
            if pod["status"].get("phase") in ("Succeeded", "Failed") or not pod["spec"].get("nodeName"):
                continue
            job = pod["metadata"]["labels"]["batch.kubernetes.io/job-name"]
            bound[job] = bound.get(job, 0) + 1
            node = pod["spec"]["nodeName"]
            used[node] = used.get(node, 0) + int(pod["spec"]["containers"][0]["resources"]["requests"][GPU])
        for node, gpus in used.items():
            if gpus > self.test.gpus_per_node:
                self.faults.append(f"{node} has {gpus} GPUs in use")
        now = time.monotonic()
        for job, size in sizes.items():
            if 0 < bound.get(job, 0) < size:
                since = self.partial_since.setdefault(job, now)
                if now - since > self.LONGEST_PARTIAL:
                    self.faults.append(f"{job} has {bound[job]} of {size} pods for {now - since:.0f} s")
            else:
                self.partial_since.pop(job, None)

    def finish(self):
        self.ended.set()
        self.join(30)
        return self.faults


class RecoveryTest(QuorateTest):
    node_count = 4
    gpus_per_node = 4
    timeout = 600

    def test_restart_of_the_controller_at_any_point(self):
        controller, _ = self.start_both()
        self.create_queues(gpus=4)
        running = self.create(self.job("running", pods=2, run_for="15s"))
        self.wait_admitted(running)
        waiting = self.create(self.job("waiting", pods=3))
        self.wait_waiting(waiting, "WaitingForQuota")
        done = self.create(self.job("done"))
        self.wait_finished(done, 40)
        before = self.workload_of(running["metadata"]["uid"])

        for _ in range(3):
            controller.kill()
            controller.start()
            self.wait_queue(lambda status: self.usage(status) == 2, "what runs is charged, and nothing else")
        after = self.workload_of(running["metadata"]["uid"])
        self.assertEqual(after["metadata"]["uid"], before["metadata"]["uid"])
        self.assertEqual(after["status"]["admission"], before["status"]["admission"])
        self.assertFalse(has_condition(after, "Evicted"))
        self.wait_complete("running", "waiting")

    def test_a_job_made_while_nobody_listens_is_picked_up(self):
        controller, _ = self.start_both()
        self.create_queues(gpus=4)
        marker = self.create(self.job("marker", run_for="forever"))
        self.wait_admitted(marker)
        controller.terminate()
        self.delete("batch/v1", "Job", "marker")
        # The webhook fails closed, so nobody can make a queued Job meanwhile; quota can change.
        self.create_cluster_queue(self.namespace, gpus=2)
        controller.start()
        self.wait_queue(lambda status: self.usage(status) == 0, "the deleted Job's quota is back")
        self.create(self.job("next", pods=2))
        self.wait_complete("next")

    def test_kill_at_random_moments(self):
        for seed in (1, 2):
            with self.subTest(seed=seed):
                self.kill_at_random_moments(seed)

    def kill_at_random_moments(self, seed):
        print(f"seed {seed}", file=sys.stderr)
        dice = random.Random(seed)
        quota = 12  # of 16 on the nodes
        names = [f"s{seed}-{number}" for number in range(14)]
        controller, scheduler = self.start_controller(webhooks=False), self.start_scheduler()
        self.create_queues(gpus=quota)
        watcher = Watcher(self, quota)
        watcher.start()
        made = threading.Thread(target=self.submit, args=(names, random.Random(seed + 1000)))
        made.start()
        for _ in range(6):
            victim = dice.choice([controller, scheduler])
            # A moment, not a state: that is what is tested.
            threading.Event().wait(dice.uniform(0.05, 2.5))
            victim.kill()
            threading.Event().wait(dice.uniform(0, 0.5))
            victim.start(ready=False)
        made.join()
        controller.wait_ready(60)
        scheduler.wait_ready(60)
        self.wait_complete(*names, timeout=180)
        self.assertEqual(watcher.finish(), [])
        self.assertGreater(watcher.looks, 10)
        self.wait_queue(
            lambda status: self.usage(status, "flavorsReservation") == 0 and not status.get("pendingWorkloads"),
            "no quota is lost", timeout=60,
        )  # fmt: skip
        for workload in self.cluster.list(KUEUE, "Workload", self.namespace):
            self.assertEqual(condition(workload, "Finished")["reason"], "Succeeded", workload["metadata"]["name"])
        # One Workload for each Job, however often it was derived.
        owners = [
            workload["metadata"]["ownerReferences"][0]["uid"]
            for workload in self.cluster.list(KUEUE, "Workload", self.namespace)
        ]
        self.assertEqual(len(owners), len(set(owners)))
        controller.terminate()
        scheduler.terminate()

    def submit(self, names, dice):
        """Jobs as the webhook leaves them: suspended, with scheduler and group."""
        for name in names:
            pods = dice.choice([1, 2, 3, 4])
            gpus = dice.choice([1, 1, 2])
            template = {"schedulerName": "quorate-scheduler"}
            if pods > 1:
                template["schedulingGroup"] = {"podGroupName": name}
            self.create(
                self.job(name, pods, gpus, run_for=f"{dice.choice([1, 2, 3])}s", template=template, suspend=True)
            )
            threading.Event().wait(dice.uniform(0, 0.3))


class WaitsForTheWholeGangTest(QuorateTest):
    """A gang of which a member cannot be bound is not left half running."""

    def test_a_node_that_is_lost_while_a_gang_waits(self):
        self.start_both()
        self.create_queues(gpus=100)
        job = self.create(self.job("gang", pods=3, gpus=3, run_for="2s"))  # 2 nodes of 4: room for 2
        self.wait_admitted(job)
        wait_for(lambda: len(self.pods_of("gang")) == 3, 30, "its pods are there")
        wait_for(
            lambda: all(has_condition(pod, "PodScheduled", "False") for pod in self.pods_of("gang")), 30, "all wait"
        )
        self.assertEqual([pod for pod in self.pods_of("gang") if pod["spec"].get("nodeName")], [])
        from lib import nodes
        from quorate_fixture import POOL

        nodes.create(self.cluster, nodes.Spec(count=1, prefix=f"{self.namespace}-more", gpus=4, labels={POOL: self.namespace}))
        self.wait_complete("gang")


if __name__ == "__main__":
    unittest.main()
