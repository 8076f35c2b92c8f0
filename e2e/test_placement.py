"""What the scheduler of a live cluster makes of budgets, trees of groups and fragmented nodes."""

import pathlib
import sys
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent)]

from lib import nodes  # noqa: E402
from lib.cluster import condition, has_condition, wait_for  # noqa: E402
from quorate_fixture import NATIVE, POOL, SCHEDULER, QuorateTest  # noqa: E402


class PlacementTest(QuorateTest):
    profile = "gang"

    def pod(self, name, gpus=1, labels=None, **spec):
        return self.create(
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {
                    "name": name,
                    "namespace": self.namespace,
                    "labels": labels or {},
                    "annotations": {"quorate.dev/run-for": "forever"},
                },
                "spec": self.pod_spec(gpus, schedulerName=SCHEDULER, nodeSelector={POOL: self.namespace}, **spec),
            }
        )

    def node_of(self, pod):
        found = self.cluster.find("v1", "Pod", pod, self.namespace)
        return found["spec"].get("nodeName", "") if found else None

    def wait_on_node(self, *pods, timeout=40):
        wait_for(lambda: all(self.node_of(pod) for pod in pods), timeout, f"{', '.join(pods)} on nodes")


class BudgetTest(PlacementTest):
    def priority(self, kind, value):
        name = f"{self.namespace}-{kind}"
        self.create(
            {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}
        )
        self.addCleanup(self.cluster.delete, "scheduling.k8s.io/v1", "PriorityClass", name)
        return name

    def test_whom_a_budget_protects_is_not_evicted_where_another_will_do(self):
        self.start_scheduler()
        low, middle, high = self.priority("low", 1), self.priority("middle", 10), self.priority("high", 100)
        # Without its budget "covered" would go: its priority is the lowest.
        self.pod("covered", 4, {"app": "covered"}, priorityClassName=low)
        self.wait_on_node("covered")
        self.pod("bare", 4, priorityClassName=middle)
        self.wait_on_node("bare")
        self.create(
            {
                "apiVersion": "policy/v1",
                "kind": "PodDisruptionBudget",
                "metadata": {"name": "budget", "namespace": self.namespace},
                "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "covered"}}},
            }
        )
        self.cluster.wait(
            "policy/v1", "PodDisruptionBudget", "budget",
            lambda budget: budget and budget.get("status", {}).get("expectedPods") == 1
            and budget["status"].get("currentHealthy") == 1, self.namespace, what="counted",
        )  # fmt: skip
        self.pod("urgent", 4, priorityClassName=high)
        self.wait_on_node("urgent")
        self.assertIsNone(self.cluster.find("v1", "Pod", "bare", self.namespace))
        self.assertTrue(self.node_of("covered"))


class TreeTest(PlacementTest):
    """A coordinator and its workers as two groups below a CompositePodGroup."""

    def create_tree(self, workers, gpus):
        reference = {"workloadName": "training", "templateName": "tree"}
        self.create(
            {
                "apiVersion": "scheduling.k8s.io/v1alpha3",
                "kind": "CompositePodGroup",
                "metadata": {"name": "tree", "namespace": self.namespace},
                "spec": {"workloadRef": reference, "schedulingPolicy": {"gang": {"minGroupCount": 2}}},
            }
        )
        for group, members in (("leader", 1), ("workers", workers)):
            self.create(
                {
                    "apiVersion": NATIVE,
                    "kind": "PodGroup",
                    "metadata": {"name": group, "namespace": self.namespace},
                    "spec": {
                        "parentCompositePodGroupName": "tree",
                        "workloadRef": {"workloadName": "training", "templateName": group},
                        "schedulingPolicy": {"gang": {"minCount": members}},
                    },
                }
            )
            for number in range(members):
                self.pod(f"{group}-{number}", gpus, schedulingGroup={"podGroupName": group})

    def test_a_tree_is_placed_whole_or_not_at_all(self):
        self.start_scheduler()
        self.create_tree(workers=2, gpus=3)  # three pods of 3, two nodes of 4
        self.cluster.wait_condition(
            NATIVE, "PodGroup", "workers", "PodGroupInitiallyScheduled", "False", self.namespace, timeout=40
        )
        self.pod("small", 1)
        self.wait_on_node("small")
        members = ("leader-0", "workers-0", "workers-1")
        self.assertEqual([self.node_of(pod) for pod in members], ["", "", ""])
        more = nodes.Spec(
            count=1, prefix=self.namespace, first=2, gpus=self.gpus_per_node, labels={POOL: self.namespace}
        )
        nodes.create(self.cluster, more)
        self.wait_on_node(*members)
        self.assertEqual(len({self.node_of(pod) for pod in members}), 3)


class FragmentationTest(PlacementTest):
    """Controller and scheduler in one process: quota alone admits nobody."""

    def test_free_quota_on_fragmented_nodes_holds_a_job_until_a_node_has_room(self):
        self.start_controller(controllers="*,scheduler")
        self.create_queues(gpus=100)
        # Somebody else's pods leave 2 and 2 of 8.
        names = sorted(node["metadata"]["name"] for node in self.cluster.list("v1", "Node", labels=f"{POOL}={self.namespace}"))
        for number, node in enumerate(names):
            self.create(
                {
                    "apiVersion": "v1",
                    "kind": "Pod",
                    "metadata": {"name": f"foreign-{number}", "namespace": self.namespace},
                    "spec": self.pod_spec(2, nodeName=node),
                }
            )
        big = self.create(self.job("big", gpus=3))
        held = self.wait_workload(big, lambda one: has_condition(one, "quorate.dev/Waiting"), 30, "says why it waits")
        why = condition(held, "quorate.dev/Waiting")
        self.assertEqual(why["reason"], "Node")
        self.assertIn("Insufficient nvidia.com/gpu", why["message"])
        self.assertTrue(has_condition(held, "QuotaReserved", "False"))
        small = self.create(self.job("small", gpus=2, run_for="forever"))
        self.wait_admitted(small)
        wait_for(lambda: [pod for pod in self.pods_of("small") if pod["spec"].get("nodeName")], 30, "the small one runs")
        held = self.workload_of(big["metadata"]["uid"])
        self.assertFalse(has_condition(held, "Evicted"), "it was never let in")
        self.assertIsNone(condition(held, "Evicted"))
        self.assertEqual(self.pods_of("big"), [])
        taken = {pod["spec"]["nodeName"] for pod in self.pods_of("small")}
        free = next(number for number, node in enumerate(names) if node not in taken)
        self.cluster.delete("v1", "Pod", f"foreign-{free}", self.namespace, grace=0)
        self.wait_admitted(big)
        self.wait_complete("big")


if __name__ == "__main__":
    unittest.main()
