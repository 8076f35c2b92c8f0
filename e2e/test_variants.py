"""Concurrent admission on a real API server: a Job is queued once for each flavor, and moves to a better one."""

import pathlib
import sys
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent)]

from lib.cluster import condition, has_condition, wait_for  # noqa: E402
from quorate_fixture import GPU, KUEUE, POOL, QuorateTest  # noqa: E402

PARENT = "kueue.x-k8s.io/concurrent-admission-parent"
FLAVORS = "kueue.x-k8s.io/workload-allowed-resource-flavors"


class VariantsTest(QuorateTest):
    """Two flavors, each of one node with 4 GPUs; "best" comes first."""

    def config_file(self):
        file = super().config_file()
        file.write_text(file.read_text().replace("featureGates: {", "featureGates: {ConcurrentAdmission: true, ", 1))
        return file

    def flavor(self, kind):
        return f"{self.namespace}-{kind}"

    def create_preference(self, mode="TryPreferredFlavors", gpus=4):
        nodes = sorted(node["metadata"]["name"] for node in self.cluster.list("v1", "Node", labels=f"{POOL}={self.namespace}"))
        for kind, node in zip(("best", "spare"), nodes):
            self.apply(
                {
                    "apiVersion": KUEUE,
                    "kind": "ResourceFlavor",
                    "metadata": {"name": self.flavor(kind)},
                    "spec": {"nodeLabels": {"kubernetes.io/hostname": node}},
                }
            )
        group = {
            "coveredResources": [GPU],
            "flavors": [
                {"name": self.flavor(kind), "resources": [{"name": GPU, "nominalQuota": gpus}]} for kind in ("best", "spare")
            ],
        }
        self.apply(
            {
                "apiVersion": KUEUE,
                "kind": "ClusterQueue",
                "metadata": {"name": self.namespace},
                "spec": {
                    "namespaceSelector": {},
                    "concurrentAdmissionPolicy": {"migration": {"mode": mode}},
                    "resourceGroups": [group],
                },
            }
        )
        self.create_local_queue("main", self.namespace)
        return nodes

    def variant(self, parent, kind):
        for workload in self.cluster.list(KUEUE, "Workload", self.namespace):
            owners = [owner["uid"] for owner in workload["metadata"].get("ownerReferences") or []]
            allowed = workload["metadata"].get("annotations", {}).get(FLAVORS)
            if parent["metadata"]["uid"] in owners and allowed == self.flavor(kind):
                return workload
        return None

    def nodes_of(self, job):
        """Of its pods that are not on their way out; "" for one without."""
        return [
            pod["spec"].get("nodeName", "") for pod in self.pods_of(job) if not pod["metadata"].get("deletionTimestamp")
        ]

    def wait_on(self, job, node, timeout=60):
        wait_for(lambda: self.nodes_of(job) == [node], timeout, f"{job} runs on {node}")

    def test_a_job_moves_to_a_better_flavor_when_that_comes_free(self):
        self.start_both()
        best, spare = self.create_preference()
        busy = self.create(self.job("busy", gpus=3, run_for="forever"))
        self.wait_admitted(busy)
        self.wait_on("busy", best)

        moves = self.create(self.job("moves", gpus=3, run_for="forever"))
        parent = self.wait_admitted(moves)
        self.assertEqual(parent["metadata"]["labels"][PARENT], "true")
        chosen = self.variant(parent, "spare")
        self.assertEqual(condition(parent, "Admitted")["message"], f"The variant {chosen['metadata']['name']} is admitted")
        self.assertIn("-variant-", chosen["metadata"]["name"])
        self.assertNotIn(PARENT, chosen["metadata"].get("labels") or {})
        self.assertEqual(chosen["spec"]["preemptionGates"], [{"name": "kueue.x-k8s.io/concurrent-admission"}])
        self.wait_on("moves", spare)
        self.assertTrue(self.variant(parent, "best")["spec"]["active"], "it may still come free")
        self.wait_queue(lambda status: self.usage(status) == 6, "each job is charged once")

        self.delete("batch/v1", "Job", "busy")
        self.wait_on("moves", best)
        parent = self.wait_admitted(moves)
        assignment = parent["status"]["admission"]["podSetAssignments"][0]
        self.assertEqual(assignment["flavors"], {GPU: self.flavor("best")})
        left = wait_for(
            lambda: (one := self.variant(parent, "spare")) and not one["spec"]["active"] and one, 20, "the other is off"
        )
        self.assertFalse(has_condition(left, "QuotaReserved"))
        self.wait_queue(lambda status: self.usage(status) == 3, "what it left is free")

        self.delete("batch/v1", "Job", "moves")
        wait_for(lambda: not self.cluster.list(KUEUE, "Workload", self.namespace), 40, "nothing is left of the family")
        self.wait_queue(lambda status: self.usage(status) == 0, "all is given back")

    def test_where_the_first_admission_is_retained_nothing_moves(self):
        self.start_both()
        best, spare = self.create_preference(mode="RetainFirstAdmission")
        busy = self.create(self.job("busy", gpus=3, run_for="forever"))
        self.wait_on("busy", best)
        self.assertTrue(self.wait_admitted(busy))
        stays = self.create(self.job("stays", gpus=3, run_for="4s"))
        parent = self.wait_admitted(stays)
        wait_for(lambda: not self.variant(parent, "best")["spec"]["active"], 20, "the better one is off")
        self.delete("batch/v1", "Job", "busy")
        self.wait_complete("stays")
        finished = self.wait_finished(stays)
        wait_for(
            lambda: all(has_condition(self.variant(finished, kind), "Finished") for kind in ("best", "spare")),
            20, "its variants are over with it",
        )  # fmt: skip
        self.assertEqual(condition(self.variant(finished, "spare"), "Finished")["reason"], "Succeeded")
        assignment = finished["status"]["admission"]["podSetAssignments"][0]
        self.assertEqual(assignment["flavors"], {GPU: self.flavor("spare")}, "where it started")
        self.assertTrue(spare)


if __name__ == "__main__":
    unittest.main()
