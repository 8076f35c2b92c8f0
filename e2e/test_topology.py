"""Topology-aware workloads on a real API server: pods go to their places, successors too, and failed nodes are replaced."""

import pathlib
import sys
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent)]

from lib import nodes  # noqa: E402
from lib.cluster import condition, has_condition, wait_for  # noqa: E402
from quorate_fixture import KUEUE, POOL, QuorateTest  # noqa: E402

HOSTNAME = "kubernetes.io/hostname"
GATE = "kueue.x-k8s.io/topology"
REQUIRED = "kueue.x-k8s.io/podset-required-topology"
PREFERRED = "kueue.x-k8s.io/podset-preferred-topology"
INDEX = "batch.kubernetes.io/job-completion-index"


class TopologyTest(QuorateTest):
    node_count = 0

    def setUp(self):
        super().setUp()
        # Two racks of two nodes with two GPUs each.
        nodes.create(
            self.cluster,
            nodes.Spec(count=4, prefix=self.namespace, gpus=2, rack_size=2, labels={POOL: self.namespace}),
        )
        self.create(
            {
                "apiVersion": KUEUE,
                "kind": "Topology",
                "metadata": {"name": self.namespace},
                "spec": {"levels": [{"nodeLabel": nodes.RACK}, {"nodeLabel": HOSTNAME}]},
            }
        )
        self.controller, self.scheduler = self.start_both()
        self.create_queues(gpus=8, topology=self.namespace)

    def placed_job(self, name, pods, level=REQUIRED, **options):
        job = self.job(name, pods=pods, **options)
        job["spec"]["template"]["metadata"]["annotations"][level] = nodes.RACK
        return self.create(job)

    @staticmethod
    def places(workload):
        """(hosts in rank order, each once for each of its pods)."""
        assignment = workload["status"]["admission"]["podSetAssignments"][0]["topologyAssignment"]
        hosts = []
        for part in assignment["slices"]:
            values = part["valuesPerLevel"][-1]
            for number in range(part["domainCount"]):
                if "universal" in values:
                    host = values["universal"]
                else:
                    parts = values["individual"]
                    host = parts.get("prefix", "") + parts["roots"][number] + parts.get("suffix", "")
                counts = part["podCounts"]
                count = counts["universal"] if "universal" in counts else counts["individual"][number]
                hosts += [host] * count
        return hosts

    def by_index(self, job):
        """Node of each running pod, by completion index."""
        return {
            int(pod["metadata"]["labels"][INDEX]): pod["spec"]["nodeName"]
            for pod in self.pods_of(job)
            if pod["spec"].get("nodeName") and not pod["metadata"].get("deletionTimestamp")
        }

    def wait_places(self, job, hosts, timeout=30):
        wanted = dict(enumerate(hosts))
        wait_for(lambda: self.by_index(job) == wanted, timeout, f"pods of {job} on {hosts}")

    def rack_of(self, node):
        return self.cluster.get("v1", "Node", node)["metadata"]["labels"][nodes.RACK]

    def test_pods_go_to_their_places_by_rank(self):
        made = self.placed_job("train", 4, run_for="forever")
        hosts = self.places(self.wait_admitted(made))
        self.assertEqual(len(hosts), 4)
        self.assertEqual(len({self.rack_of(host) for host in hosts}), 1, hosts)
        self.wait_places("train", hosts)
        for pod in self.pods_of("train"):
            self.assertEqual(pod["spec"]["nodeSelector"][HOSTNAME], pod["spec"]["nodeName"])
            self.assertNotIn("schedulingGates", pod["spec"])
        template = self.get_job("train")["spec"]["template"]["spec"]
        self.assertEqual(template["schedulingGates"], [{"name": GATE}])

    def test_the_successor_of_a_pod_gets_its_place(self):
        made = self.placed_job("heals", 4, run_for="forever")
        hosts = self.places(self.wait_admitted(made))
        self.wait_places("heals", hosts)
        lost = next(pod for pod in self.pods_of("heals") if pod["metadata"]["labels"][INDEX] == "2")
        self.cluster.delete("v1", "Pod", lost["metadata"]["name"], self.namespace, grace=0)

        def replaced():
            names = {pod["metadata"]["uid"] for pod in self.pods_of("heals")}
            return lost["metadata"]["uid"] not in names and self.by_index("heals") == dict(enumerate(hosts))

        wait_for(replaced, 30, "a successor in the same place")

    def test_a_stopped_job_loses_the_gate(self):
        made = self.placed_job("stops", 2, run_for="forever")
        self.wait_places("stops", self.places(self.wait_admitted(made)))
        self.create_cluster_queue(self.namespace, gpus=8, stopPolicy="HoldAndDrain")
        self.cluster.wait(
            "batch/v1", "Job", "stops",
            lambda job: job and job["spec"]["suspend"] and not job["spec"]["template"]["spec"].get("schedulingGates"),
            self.namespace, timeout=40, what="stopped, and its template without gates",
        )  # fmt: skip
        self.create_cluster_queue(self.namespace, gpus=8, stopPolicy="None")
        workload = self.wait_workload(
            made, lambda one: has_condition(one, "Admitted") and has_condition(one, "Evicted", "False"), 40, "is back"
        )
        self.wait_places("stops", self.places(workload))

    def test_a_node_that_is_gone_is_replaced(self):
        made = self.placed_job("moves", 3, PREFERRED, run_for="forever")
        before = self.places(self.wait_admitted(made))
        self.wait_places("moves", before)
        gone = before[0]
        self.cluster.delete("v1", "Node", gone)
        workload = self.wait_workload(
            made, lambda one: one["status"].get("admission") and gone not in self.places(one), 40, "other places"
        )
        self.assertFalse(workload["status"].get("unhealthyNodes"))
        self.assertFalse(has_condition(workload, "Evicted"))
        for pod in self.pods_of("moves"):
            if pod["spec"]["nodeName"] == gone:
                self.cluster.delete("v1", "Pod", pod["metadata"]["name"], self.namespace, grace=0)

        def on_other_nodes():
            where = self.by_index("moves")
            return len(where) == 3 and gone not in where.values()

        wait_for(on_other_nodes, 40, "its pods run on the nodes that are left")

    def test_where_there_is_no_replacement_the_workload_is_evicted(self):
        made = self.placed_job("stuck", 4, run_for="forever")
        before = self.places(self.wait_admitted(made))
        self.wait_places("stuck", before)
        other = self.placed_job("beside", 4, run_for="forever")
        self.wait_admitted(other)
        self.cluster.delete("v1", "Node", before[0])
        workload = self.wait_workload(made, lambda one: has_condition(one, "Evicted"), 40, "is evicted")
        self.assertEqual(condition(workload, "Evicted")["reason"], "NodeFailures")
        self.assertFalse(has_condition(self.workload_of(other["metadata"]["uid"]), "Evicted"))

    def test_a_new_leader_goes_on_where_the_old_one_stopped(self):
        made = self.placed_job("waits", 4, run_for="forever")
        hosts = self.places(self.wait_admitted(made))
        self.controller.kill()  # somewhere between the start of the job and the last of its pods
        self.controller.start()
        self.wait_places("waits", hosts, timeout=60)


if __name__ == "__main__":
    unittest.main()
