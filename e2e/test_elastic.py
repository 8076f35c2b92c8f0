"""Elastic Jobs on a real API server: they grow by slices and shrink in place, while they run."""

import pathlib
import sys
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent)]

from lib.cluster import condition, has_condition, wait_for  # noqa: E402
from quorate_fixture import KUEUE, SCHEDULER, QuorateTest  # noqa: E402

ELASTIC = "kueue.x-k8s.io/elastic-job"
REPLACES = "kueue.x-k8s.io/workload-slice-replacement-for"


class ElasticTest(QuorateTest):
    def elastic_job(self, name, pods):
        job = self.job(name, pods=pods, run_for="forever")
        job["metadata"]["annotations"] = {ELASTIC: "true"}
        return self.create(job)

    def scale(self, name, pods):
        change = {"spec": {"parallelism": pods, "completions": pods}}
        return self.cluster.patch("batch/v1", "Job", name, change, self.namespace)

    def slices(self, job):
        """Its Workloads, oldest first."""
        uid = job["metadata"]["uid"]
        found = [
            one
            for one in self.cluster.list(KUEUE, "Workload", self.namespace)
            if any(owner["uid"] == uid for owner in one["metadata"].get("ownerReferences") or [])
        ]
        return sorted(found, key=lambda one: (one["metadata"]["creationTimestamp"], REPLACES in one["metadata"].get("annotations", {})))

    def bound(self, name):
        return [
            pod for pod in self.pods_of(name)
            if pod["spec"].get("nodeName") and not pod["metadata"].get("deletionTimestamp")
        ]  # fmt: skip

    def wait_bound(self, name, count, timeout=40):
        wait_for(lambda: len(self.bound(name)) == count, timeout, f"{count} pods of {name} on nodes")

    def test_a_running_job_grows_and_shrinks(self):
        controller, _ = self.start_both()
        self.create_queues(gpus=4)
        job = self.elastic_job("grows", 2)
        self.assertEqual(job["spec"]["template"]["spec"]["schedulingGates"], [{"name": ELASTIC}])
        self.wait_admitted(job)
        self.wait_bound("grows", 2)
        before = {pod["metadata"]["uid"] for pod in self.bound("grows")}

        self.scale("grows", 4)
        self.wait_bound("grows", 4)
        removed = controller.metric("kueue_pod_scheduling_gate_removal_seconds_count", name=ELASTIC)
        self.assertEqual(removed, 4, "a gate of each pod")
        first, second = self.slices(job)
        name = f"{self.namespace}/{first['metadata']['name']}"
        self.assertEqual(second["metadata"]["annotations"][REPLACES], name)
        self.assertTrue(has_condition(second, "Admitted"))
        finished = wait_for(lambda: condition(self.slices(job)[0], "Finished"), 20, "the first slice is over")
        self.assertEqual(finished["reason"], "WorkloadSliceReplaced")
        self.assertLessEqual(before, {pod["metadata"]["uid"] for pod in self.bound("grows")}, "nobody was restarted")
        self.wait_queue(lambda status: self.usage(status) == 4, "its quota is that of the second slice")

        self.scale("grows", 3)
        self.wait_bound("grows", 3)
        self.wait_queue(lambda status: self.usage(status) == 3, "what it gave up is free")
        self.assertEqual(len(self.slices(job)), 2)
        self.assertFalse(self.get_job("grows")["spec"].get("suspend"))

    def test_what_does_not_fit_waits_while_the_rest_runs(self):
        self.start_both()
        self.create_queues(gpus=3)
        job = self.elastic_job("waits", 2)
        self.wait_admitted(job)
        self.wait_bound("waits", 2)
        self.scale("waits", 4)
        wait_for(lambda: len(self.slices(job)) == 2, 20, "a slice that waits")
        wait_for(lambda: len(self.pods_of("waits")) == 4, 20, "pods behind their gate")
        self.assertEqual(len(self.bound("waits")), 2)
        self.assertFalse(has_condition(self.slices(job)[1], "Admitted"))
        self.create_cluster_queue(self.namespace, gpus=4)
        self.wait_bound("waits", 4)

    def test_one_that_the_webhook_has_not_seen_waits_for_its_slices_too(self):
        self.start_both(webhooks=False)
        self.create_queues(gpus=3)
        job = self.job("slipped", pods=2, run_for="forever", template={"schedulerName": SCHEDULER})
        job["metadata"]["annotations"] = {ELASTIC: "true"}
        job = self.create(job)
        self.assertNotIn("schedulingGates", job["spec"]["template"]["spec"])
        self.wait_admitted(job)
        self.wait_bound("slipped", 2)
        self.scale("slipped", 4)
        wait_for(lambda: len(self.slices(job)) == 2, 20, "a slice that waits")
        wait_for(lambda: len(self.pods_of("slipped")) == 4, 20, "pods behind their gate")
        self.assertEqual(len(self.bound("slipped")), 2)
        self.create_cluster_queue(self.namespace, gpus=4)
        self.wait_bound("slipped", 4)


if __name__ == "__main__":
    unittest.main()
