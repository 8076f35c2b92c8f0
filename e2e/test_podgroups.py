"""PodGroups with a queue name and plain pods, native and fallback."""

import json
import pathlib
import sys
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent)]

from lib.cluster import condition, has_condition, wait_for  # noqa: E402
from quorate_fixture import FALLBACK, GPU, KUEUE, NATIVE, QUEUE_NAME, SCHEDULER, QuorateTest  # noqa: E402


class Groups:
    """The tests; each profile says how a group and its members look there."""

    api_version = None

    def group_spec(self, minimum):
        raise NotImplementedError

    def link(self, pod, group):
        raise NotImplementedError

    def group(self, name, minimum, queue="main"):
        return {
            "apiVersion": self.api_version,
            "kind": "PodGroup",
            "metadata": {
                "name": name,
                "namespace": self.namespace,
                "labels": {QUEUE_NAME: queue} if queue else {},
            },
            "spec": self.group_spec(minimum),
        }

    def member(self, name, group, gpus=1, run_for="forever"):
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": name,
                "namespace": self.namespace,
                "labels": {"group": group},
                "annotations": {"quorate.dev/run-for": run_for},
            },
            "spec": self.pod_spec(gpus, schedulerName=SCHEDULER),
        }
        return self.link(pod, group)

    def create_gang(self, name, members, **options):
        made = self.create(self.group(name, members))
        for number in range(members):
            self.create(self.member(f"{name}-{number}", name, **options))
        return made

    def pods(self, group):
        return self.cluster.list("v1", "Pod", self.namespace, labels=f"group={group}")

    def bound(self, group):
        return [pod for pod in self.pods(group) if pod["spec"].get("nodeName")]

    def wait_bound(self, group, count, timeout=40):
        wait_for(lambda: len(self.bound(group)) == count, timeout, f"{count} members of {group} are bound")

    def test_members_wait_for_quota_and_are_bound_together(self):
        self.start_both()
        self.create_queues(gpus=2)
        group = self.create_gang("gang", 3)
        workload = self.wait_waiting(group, "ExceedsMaxQuota")
        self.assertEqual([pod_set["count"] for pod_set in workload["spec"]["podSets"]], [3])
        self.assertEqual(workload["spec"]["queueName"], "main")
        self.assertEqual(self.bound("gang"), [])
        self.create_cluster_queue(self.namespace, gpus=3)
        self.wait_admitted(group)
        self.wait_bound("gang", 3)
        self.wait_queue(lambda status: self.usage(status) == 3, "3 in use")

    def test_nothing_happens_before_the_last_member_is_there(self):
        self.start_both()
        self.create_queues(gpus=8)
        group = self.create(self.group("late", 3))
        for number in range(2):
            self.create(self.member(f"late-{number}", "late"))
        marker = self.create_gang("marker", 1)
        self.wait_admitted(marker)
        self.assertIsNone(self.workload_of(group["metadata"]["uid"]))
        self.assertEqual(self.bound("late"), [])
        self.create(self.member("late-2", "late"))
        self.wait_admitted(group)
        self.wait_bound("late", 3)

    def test_the_end_of_all_members_lets_the_next_group_start(self):
        self.start_both()
        self.create_queues(gpus=2)
        first = self.create_gang("first", 2, run_for="3s")
        self.wait_admitted(first)
        second = self.create_gang("second", 2)
        self.wait_waiting(second, "WaitingForQuota")
        workload = self.wait_finished(first, 40)
        self.assertEqual(condition(workload, "Finished")["reason"], "Succeeded")
        self.assertEqual(condition(workload, "Finished")["message"], "Pods succeeded: 2/2.")
        self.wait_admitted(second)
        self.wait_bound("second", 2)

    def test_who_replaces_a_member_waits_for_none_that_has_succeeded(self):
        self.start_both()
        self.create_queues(gpus=3)
        self.create(self.group("gang", 3))
        self.create(self.member("gang-0", "gang", run_for="1s"))
        for name in ("gang-1", "gang-2"):
            self.create(self.member(name, "gang"))
        self.wait_bound("gang", 3)
        wait_for(lambda: any(pod["status"]["phase"] == "Succeeded" for pod in self.pods("gang")), 30, "one has succeeded")
        self.cluster.delete("v1", "Pod", "gang-1", self.namespace, grace=0)
        self.create(self.member("gang-3", "gang"))
        self.wait_bound("gang", 3)

    def test_deleting_group_and_members_gives_the_quota_back(self):
        self.start_both()
        self.create_queues(gpus=2)
        group = self.create_gang("gang", 2)
        self.wait_admitted(group)
        self.wait_bound("gang", 2)
        self.delete(self.api_version, "PodGroup", "gang")
        self.assertEqual(len(self.bound("gang")), 2)
        for pod in self.pods("gang"):
            self.cluster.delete("v1", "Pod", pod["metadata"]["name"], self.namespace, grace=0)
        wait_for(lambda: self.workload_of(group["metadata"]["uid"]) is None, 30, "its Workload is gone")
        self.wait_queue(lambda status: self.usage(status) == 0, "all is given back")

    def test_a_pod_set_for_each_shape(self):
        self.start_both()
        self.create_queues(gpus=8)
        group = self.create(self.group("mixed", 3))
        self.create(self.member("leader", "mixed", gpus=2))
        for number in range(2):
            self.create(self.member(f"worker-{number}", "mixed"))
        workload = self.wait_admitted(group)
        counts = {
            pod_set["template"]["spec"]["containers"][0]["resources"]["requests"][GPU]: pod_set["count"]
            for pod_set in workload["spec"]["podSets"]
        }
        self.assertEqual(counts, {"2": 1, "1": 2})
        self.wait_bound("mixed", 3)

    def test_an_evicted_group_loses_its_members(self):
        self.start_both()
        self.create_queues(gpus=2)
        group = self.create_gang("gang", 2)
        self.wait_admitted(group)
        self.wait_bound("gang", 2)
        self.create_cluster_queue(self.namespace, gpus=2, stopPolicy="HoldAndDrain")
        wait_for(lambda: not self.pods("gang"), 40, "its members are gone")
        self.wait_queue(lambda status: self.usage(status, "flavorsReservation") == 0, "its quota is back")

    def test_a_group_without_a_queue_is_only_scheduled(self):
        self.start_both()
        group = self.group("plain", 2)
        group["metadata"]["labels"] = {}
        made = self.create(group)
        for number in range(2):
            self.create(self.member(f"plain-{number}", "plain"))
        self.wait_bound("plain", 2)
        self.assertIsNone(self.workload_of(made["metadata"]["uid"]))

    def test_why_it_waits_is_on_the_group(self):
        self.start_scheduler()
        made = self.create(self.group("wide", 3, queue=""))
        for number in range(3):
            self.create(self.member(f"wide-{number}", "wide", gpus=4))  # 2 nodes of 4

        def diagnosis():
            group = self.cluster.get(self.api_version, "PodGroup", "wide", self.namespace)
            return group["metadata"].get("annotations", {}).get("quorate.dev/diagnosis")

        why = json.loads(wait_for(diagnosis, 30, "a diagnosis"))
        self.assertEqual((why["layer"], why["cause"]), ("gang", "CapacityBelowMinimum"))
        self.assertEqual((why["proof"][0]["fit"], why["proof"][0]["minimum"]), (2, 3))

        def told():
            return [
                event["note"]
                for event in self.cluster.list("events.k8s.io/v1", "Event", self.namespace)
                if event["regarding"].get("uid") == made["metadata"]["uid"] and "2 of 3 members fit" in event["note"]
            ]

        self.assertIn("pod group is unschedulable", wait_for(told, 30, "an event with it")[0])
        for number in range(3):
            self.cluster.delete("v1", "Pod", f"wide-{number}", self.namespace, grace=0)
            self.create(self.member(f"narrow-{number}", "wide", gpus=2))
        self.wait_bound("wide", 3)
        wait_for(lambda: not diagnosis(), 30, "nothing to explain any more")

    def test_two_gangs_that_do_not_both_fit(self):
        self.start_both()
        # Quota for both, room on the nodes (2 of 4) for one.
        self.create_queues(gpus=100)
        for name in ("left", "right"):
            self.create_gang(name, 3, gpus=2)
        winner = wait_for(
            lambda: next((name for name in ("left", "right") if len(self.bound(name)) == 3), None), 40, "one is whole"
        )
        loser = "right" if winner == "left" else "left"
        self.assertEqual(self.bound(loser), [])
        for pod in self.pods(winner):
            self.cluster.delete("v1", "Pod", pod["metadata"]["name"], self.namespace, grace=0)
        self.wait_bound(loser, 3)

    def test_members_that_start_over_after_a_restart(self):
        controller, scheduler = self.start_both()
        self.create_queues(gpus=2)
        group = self.create_gang("gang", 2)
        self.wait_admitted(group)
        self.wait_bound("gang", 2)
        controller.terminate()
        scheduler.terminate()
        controller.start()
        scheduler.start()
        self.wait_queue(lambda status: self.usage(status) == 2, "charged as before")
        late = self.create_gang("late", 1)
        self.wait_waiting(late, "WaitingForQuota")
        self.assertEqual(len(self.bound("gang")), 2)
        self.assertFalse(has_condition(self.workload_of(group["metadata"]["uid"]), "Evicted"))


class NativeGroupsTest(Groups, QuorateTest):
    profile = "gang"
    api_version = NATIVE

    def group_spec(self, minimum):
        return {"schedulingPolicy": {"gang": {"minCount": minimum}}}

    def link(self, pod, group):
        pod["spec"]["schedulingGroup"] = {"podGroupName": group}
        return pod

    def test_the_group_says_that_it_was_scheduled(self):
        self.start_both()
        self.create_queues(gpus=2)
        self.create_gang("gang", 2)
        self.cluster.wait_condition(
            NATIVE, "PodGroup", "gang", "PodGroupInitiallyScheduled", namespace=self.namespace, timeout=40
        )


class FallbackGroupsTest(Groups, QuorateTest):
    profile = "stock"
    api_version = FALLBACK

    def group_spec(self, minimum):
        return {"minMember": minimum}

    def link(self, pod, group):
        pod["metadata"]["labels"]["scheduling.x-k8s.io/pod-group"] = group
        return pod

    def test_kueue_is_what_it_says(self):
        self.start_both()
        self.create_queues(gpus=1)
        group = self.create_gang("one", 1)
        workload = self.wait_admitted(group)
        self.assertEqual(workload["apiVersion"], KUEUE)
        self.assertEqual(workload["metadata"]["ownerReferences"][0]["apiVersion"], FALLBACK)


if __name__ == "__main__":
    unittest.main()
