"""Jobs from queue to end on a real API server: admission, waiting, quota edits, queues, deletion, eviction."""

import pathlib
import signal
import sys
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent)]

from lib.cluster import ApiError, condition, has_condition, wait_for  # noqa: E402
from lib.controlplane import ControlPlane  # noqa: E402
from lib.kubeconfig import Credentials, write_kubeconfig  # noqa: E402
from lib.processes import free_ports  # noqa: E402
from lib.program import Program  # noqa: E402
from lib.programs import ROOT  # noqa: E402
from lib.testing import work_directory  # noqa: E402
from quorate_fixture import GPU, KUEUE, NATIVE, POOL, QUEUE_NAME, QuorateTest, install_crds  # noqa: E402


class JobsTest(QuorateTest):
    def test_a_job_runs_the_next_waits_and_starts_when_it_finishes(self):
        controller, _ = self.start_both()
        self.create_queues(gpus=4)
        first = self.create(self.job("first", pods=3, run_for="3s"))
        self.assertTrue(first["spec"]["suspend"], "the webhook suspends it")
        self.assertEqual(first["spec"]["template"]["spec"]["schedulerName"], "quorate-scheduler")
        group = first["spec"]["template"]["spec"]["schedulingGroup"]["podGroupName"]

        admitted = self.wait_admitted(first)
        second = self.create(self.job("second", pods=2))
        waiting = self.wait_waiting(second, "WaitingForQuota")
        self.assertIn(GPU, condition(waiting, "QuotaReserved")["message"])
        self.assertTrue(self.get_job("second")["spec"]["suspend"])

        assignment = admitted["status"]["admission"]["podSetAssignments"][0]
        self.assertEqual(admitted["status"]["admission"]["clusterQueue"], self.namespace)
        self.assertEqual(assignment["flavors"], {GPU: self.namespace})
        self.assertEqual(assignment["resourceUsage"], {GPU: "3"})
        self.assertEqual(admitted["metadata"]["labels"]["kueue.x-k8s.io/job-uid"], first["metadata"]["uid"])
        self.assertEqual(admitted["spec"]["podSets"][0]["count"], 3)

        running = self.cluster.wait(
            "batch/v1", "Job", "first", lambda job: job and job["status"].get("active") == 3,
            self.namespace, what="3 pods",
        )  # fmt: skip
        template = running["spec"]["template"]
        self.assertEqual(template["spec"]["nodeSelector"], {POOL: self.namespace})
        self.assertEqual(template["metadata"]["labels"]["kueue.x-k8s.io/podset"], "main")
        pod_group = self.cluster.get(NATIVE, "PodGroup", group, self.namespace)
        self.assertEqual(pod_group["spec"]["schedulingPolicy"]["gang"]["minCount"], 3)
        self.assertEqual(pod_group["metadata"]["ownerReferences"][0]["uid"], first["metadata"]["uid"])
        wait_for(lambda: len([p for p in self.pods_of("first") if p["spec"].get("nodeName")]) == 3, 20, "all are bound")
        status = self.wait_queue(lambda status: status.get("pendingWorkloads") == 1, "one waits")["status"]
        self.assertEqual(self.usage(status), 3)
        self.assertEqual(status["admittedWorkloads"], 1)
        self.wait_queue(lambda status: has_condition({"status": status}, "Active"), "active")

        self.wait_complete("first", "second")
        for job in (first, second):
            workload = self.wait_finished(job)
            self.assertEqual(condition(workload, "Finished")["reason"], "Succeeded")
        self.wait_queue(
            lambda status: self.usage(status) == 0 and not status.get("admittedWorkloads"), "all is given back"
        )
        self.cluster.wait_condition(KUEUE, "LocalQueue", "main", "Active", namespace=self.namespace)
        admitted_total = controller.metric("kueue_admitted_workloads_total", cluster_queue=self.namespace)
        self.assertEqual(admitted_total, 2)

    def test_a_job_that_slipped_past_the_webhook_is_held_back(self):
        job = self.create(self.job("slipped", template={"schedulerName": "quorate-scheduler"}))
        self.assertFalse(job["spec"].get("suspend"))
        self.create_queues(gpus=0)
        self.start_both(webhooks=False)
        self.cluster.wait(
            "batch/v1", "Job", "slipped", lambda job: job and job["spec"]["suspend"], self.namespace, what="suspended"
        )
        self.wait_waiting(job, "ExceedsMaxQuota")
        wait_for(lambda: not self.pods_of("slipped"), 20, "its pods are gone")
        self.create_cluster_queue(self.namespace, gpus=1)
        self.wait_complete("slipped")

    def test_a_waiting_job_may_change_its_queue(self):
        self.start_both()
        self.create_queues(gpus=0)
        other = self.create_cluster_queue(f"{self.namespace}-other", gpus=2)
        self.create_local_queue("other", other["metadata"]["name"])
        job = self.create(self.job("moves", pods=2))
        self.wait_waiting(job, "ExceedsMaxQuota")
        self.cluster.patch(
            "batch/v1", "Job", "moves", {"metadata": {"labels": {QUEUE_NAME: "other"}}}, self.namespace
        )
        workload = self.wait_admitted(job)
        self.assertEqual(workload["spec"]["queueName"], "other")
        self.wait_complete("moves")

    def test_a_queue_that_comes_later_is_found(self):
        self.start_both()
        job = self.create(self.job("early", queue="later"))
        workload = self.wait_waiting(job, "Misconfigured")
        self.assertIn("LocalQueue later doesn't exist", condition(workload, "QuotaReserved")["message"])
        self.create_queues(gpus=1, local="later")
        self.wait_complete("early")

    def test_more_quota_lets_a_job_start_and_less_stops_nobody(self):
        self.start_both()
        self.create_queues(gpus=1)
        job = self.create(self.job("grows", pods=3, run_for="4s"))
        self.wait_waiting(job, "ExceedsMaxQuota")
        self.create_cluster_queue(self.namespace, gpus=3)
        self.wait_admitted(job)
        self.create_cluster_queue(self.namespace, gpus=1)
        self.wait_complete("grows")
        self.assertFalse(has_condition(self.workload_of(job["metadata"]["uid"]), "Evicted"))

    def test_deleting_a_running_job_gives_its_quota_back(self):
        self.start_both()
        self.create_queues(gpus=2)
        first = self.create(self.job("first", pods=2, run_for="forever"))
        self.wait_admitted(first)
        second = self.create(self.job("second", pods=2))
        self.wait_waiting(second, "WaitingForQuota")
        self.delete("batch/v1", "Job", "first")
        self.wait_complete("second")
        wait_for(lambda: self.workload_of(first["metadata"]["uid"]) is None, 20, "its Workload is gone")
        self.assertEqual(
            self.cluster.list(NATIVE, "PodGroup", self.namespace, labels="none=none"), []
        )  # the kind is served

    def test_deleting_a_workload_queues_its_job_again(self):
        self.start_both()
        self.create_queues(gpus=1)
        job = self.create(self.job("again", run_for="forever"))
        first = self.wait_admitted(job)
        self.cluster.wait("batch/v1", "Job", "again", lambda job: job and job["status"].get("active"), self.namespace)
        self.delete(KUEUE, "Workload", first["metadata"]["name"])

        def replaced(workload):
            return workload["metadata"]["uid"] != first["metadata"]["uid"] and has_condition(workload, "Admitted")

        self.wait_workload(job, replaced, 40, "a new Workload that is admitted")
        self.wait_queue(lambda status: self.usage(status) == 1, "its quota is charged once")

    def test_draining_a_queue_stops_its_jobs_and_opening_it_starts_them_again(self):
        self.start_both()
        self.create_queues(gpus=2)
        job = self.create(self.job("drained", pods=2, run_for="4s"))
        self.wait_admitted(job)
        self.cluster.wait("batch/v1", "Job", "drained", lambda job: job and job["status"].get("active"), self.namespace)
        self.create_cluster_queue(self.namespace, gpus=2, stopPolicy="HoldAndDrain")
        workload = self.wait_workload(
            job,
            lambda one: has_condition(one, "Evicted") and has_condition(one, "QuotaReserved", "False"),
            40,
            "is evicted and released",
        )
        self.assertEqual(condition(workload, "Evicted")["reason"], "ClusterQueueStopped")
        self.assertNotIn("admission", workload["status"])
        stopped = self.cluster.wait(
            "batch/v1", "Job", "drained",
            lambda job: job and job["spec"]["suspend"] and not job["spec"]["template"]["spec"].get("nodeSelector"),
            self.namespace, what="suspended, and its template is what it was",
        )  # fmt: skip
        self.assertNotIn("kueue.x-k8s.io/stopping", stopped["metadata"].get("annotations") or {})
        self.wait_queue_inactive("Stopped")
        self.create_cluster_queue(self.namespace, gpus=2, stopPolicy="None")
        self.wait_complete("drained")

    def test_deactivation_and_back(self):
        self.start_both()
        self.create_queues(gpus=1)
        job = self.create(self.job("off", run_for="forever"))
        name = self.wait_admitted(job)["metadata"]["name"]
        self.cluster.patch(KUEUE, "Workload", name, {"spec": {"active": False}}, self.namespace)
        workload = self.wait_workload(job, lambda one: has_condition(one, "QuotaReserved", "False"), 40, "is released")
        self.assertEqual(condition(workload, "Evicted")["reason"], "Deactivated")
        self.cluster.patch(KUEUE, "Workload", name, {"spec": {"active": True}}, self.namespace)
        self.wait_workload(
            job, lambda one: has_condition(one, "Admitted") and has_condition(one, "Evicted", "False"), 40, "is back"
        )

    def test_fewer_pods_where_the_job_allows_it(self):
        self.start_both()
        self.create_queues(gpus=2)
        job = self.job("partial", pods=4)
        job["metadata"]["annotations"] = {"kueue.x-k8s.io/job-min-parallelism": "1"}
        made = self.create(job)
        workload = self.wait_admitted(made)
        self.assertEqual(workload["status"]["admission"]["podSetAssignments"][0]["count"], 2)
        self.wait_complete("partial")
        self.assertEqual(self.get_job("partial")["spec"]["parallelism"], 2)

    def test_pods_that_come_after_others_have_succeeded_are_placed(self):
        self.start_both()
        self.create_queues(gpus=8)
        # Two run at once, then the third alone.
        self.create(self.job("odd", pods=2, completions=3))
        lost = self.create(self.job("lost", pods=3, run_for="4s", backoffLimit=9))
        self.wait_admitted(lost)
        wait_for(lambda: [bool(p["spec"].get("nodeName")) for p in self.pods_of("lost")] == [True] * 3, 30, "bound")
        first, second, _ = (pod["metadata"]["name"] for pod in self.pods_of("lost"))
        ended = {"status": {"phase": "Succeeded"}}
        self.cluster.patch("v1", "Pod", first, ended, self.namespace, subresource="status")
        wait_for(lambda: self.get_job("lost")["status"].get("succeeded"), 30, "one has succeeded")
        self.cluster.delete("v1", "Pod", second, self.namespace, grace=0)
        self.wait_complete("odd", "lost")
        self.wait_queue(lambda status: self.usage(status, "flavorsReservation") == 0, "all is given back")

    def test_a_queue_name_that_no_workload_may_have_is_said_on_the_job(self):
        self.start_both()
        self.create_queues(gpus=1)
        self.create(self.job("odd", queue="Not_A.Name"))

        def told():
            events = self.cluster.list("v1", "Event", self.namespace, fields="involvedObject.name=odd")
            return any(event["reason"] == "ErrWorkloadCompose" and "spec.queueName" in event["message"] for event in events)

        wait_for(told, 30, "an event on the Job names the field")
        self.create(self.job("neighbour"))
        self.wait_complete("neighbour")
        self.cluster.patch("batch/v1", "Job", "odd", {"metadata": {"labels": {QUEUE_NAME: "main"}}}, self.namespace)
        self.wait_complete("odd")

    def test_priority_follows_the_class(self):
        for name, value in (("slow", 10), ("rush", 100)):
            self.create(
                {
                    "apiVersion": KUEUE,
                    "kind": "WorkloadPriorityClass",
                    "metadata": {"name": f"{self.namespace}-{name}"},
                    "value": value,
                }
            )
        self.start_both()
        self.create_queues(gpus=1)
        holder = self.create(self.job("holder", run_for="3s"))
        self.wait_admitted(holder)
        label = "kueue.x-k8s.io/priority-class"
        slow = self.create(self.job("slow", labels={label: f"{self.namespace}-slow"}))
        self.wait_waiting(slow, "WaitingForQuota")
        rush = self.create(self.job("rush", labels={label: f"{self.namespace}-rush"}, run_for="forever"))
        self.assertEqual(self.wait_admitted(rush)["spec"]["priority"], 100)
        self.assertFalse(has_condition(self.workload_of(slow["metadata"]["uid"]), "Admitted"))

    def test_unmanaged_jobs_are_left_alone(self):
        self.start_both()
        job = self.job("free")
        job["metadata"]["labels"] = {}
        made = self.create(job)
        self.assertFalse(made["spec"].get("suspend"))
        marker = self.create(self.job("marker", queue="none"))
        self.wait_waiting(marker, "Misconfigured")
        self.assertIsNone(self.workload_of(made["metadata"]["uid"]))

    def test_finalizers_hold_what_is_in_use_and_let_go_of_the_rest(self):
        self.start_both()
        self.create_queues(gpus=1)
        job = self.create(self.job("holds", run_for="forever"))
        self.wait_admitted(job)
        self.cluster.delete(KUEUE, "ResourceFlavor", self.namespace)
        self.cluster.delete(KUEUE, "ClusterQueue", self.namespace)
        self.wait_queue_inactive("Terminating")
        self.assertTrue(self.cluster.find(KUEUE, "ResourceFlavor", self.namespace))
        self.delete("batch/v1", "Job", "holds")
        self.cluster.wait_gone(KUEUE, "ClusterQueue", self.namespace)
        self.cluster.wait_gone(KUEUE, "ResourceFlavor", self.namespace)


class BudgetTest(QuorateTest):
    node_count = 3
    pods_ready = False

    def others(self):
        return [one for one in self.cluster.list(KUEUE, "Workload") if one["metadata"]["namespace"] != self.namespace]

    def test_a_job_costs_no_more_writes_than_it_must(self):
        controller, _ = self.start_both()
        self.create_queues(gpus=10)

        def written(kind):
            # Failed ones are of other tests: objects of a namespace that is ending cannot be created.
            return controller.metric("quorate_api_writes_total", kind=kind, outcome="ok") or 0

        # What earlier tests left behind is stopped, finished and counted, too.
        wait_for(lambda: not self.others(), 150, "no workload is left of another test")
        kinds = [
            *("workload_create", "workload_status", "workload_finish", "job", "workload_reclaimable", "pod_group_create"),
            *("workload_spec", "workload_ready", "workload_delete", "job_status", "pod_group", "pod_delete"),
        ]
        before = {kind: written(kind) for kind in kinds}
        jobs = [self.create(self.job(f"job-{number}")) for number in range(6)]
        gangs = [self.create(self.job(f"gang-{number}", pods=2)) for number in range(2)]
        for job in jobs + gangs:
            self.wait_finished(job, 60)

        def writes(kind):
            return written(kind) - before[kind]

        self.assertEqual(writes("workload_create"), 8)
        self.assertEqual(writes("workload_status"), 8)
        self.assertEqual(writes("workload_finish"), 8)
        self.assertEqual(writes("job"), 8)
        # Of a gang whose pods do not end together the first ones may be told apart.
        self.assertLessEqual(writes("workload_reclaimable"), 2)
        groups = len(self.cluster.list(NATIVE, "PodGroup", self.namespace))
        self.assertEqual(writes("pod_group_create"), groups)
        self.assertLessEqual(groups, 8)
        for kind in ("workload_spec", "workload_ready", "workload_delete", "job_status", "pod_group", "pod_delete"):
            self.assertEqual(writes(kind), 0, kind)


class OneProcessTest(QuorateTest):
    """Controller and scheduler in one process, on a cluster without native groups."""

    profile = "stock"

    def test_jobs_run(self):
        self.start_controller(controllers="*,scheduler")
        self.create_queues(gpus=4)
        gang = self.create(self.job("gang", pods=3))
        self.assertEqual(
            gang["spec"]["template"]["metadata"]["labels"]["scheduling.x-k8s.io/pod-group"], "gang"
        )
        self.create(self.job("single"))
        self.wait_complete("gang", "single")
        group = self.cluster.get("scheduling.x-k8s.io/v1alpha1", "PodGroup", "gang", self.namespace)
        self.assertEqual(group["spec"]["minMember"], 3)

    def test_quota_without_room_on_the_nodes_is_not_given(self):
        self.start_controller(controllers="*,scheduler")
        self.create_queues(gpus=100)
        # 2 nodes of 4: three pods of 3 do not fit, whatever the quota says.
        job = self.create(self.job("big", pods=3, gpus=3))
        self.wait_workload(job, lambda one: has_condition(one, "QuotaReserved", "False"), 30, "waits")
        self.assertTrue(self.get_job("big")["spec"]["suspend"])
        small = self.create(self.job("small", pods=2, gpus=3))
        self.wait_admitted(small)
        self.wait_complete("small")


class BareWorkloadsTest(QuorateTest):
    """--controllers=admission: Workloads that others make and finish."""

    def workload(self, name, gpus):
        return {
            "apiVersion": KUEUE,
            "kind": "Workload",
            "metadata": {"name": name, "namespace": self.namespace},
            "spec": {
                "queueName": "main",
                "podSets": [{"name": "main", "count": gpus, "template": {"spec": self.pod_spec(1)}}],
            },
        }

    def test_admitted_and_finished_by_others(self):
        controller = self.start_controller("admission", webhooks=False)
        self.create_queues(gpus=4)
        self.create(self.workload("one", 3))
        self.cluster.wait_condition(KUEUE, "Workload", "one", "Admitted", namespace=self.namespace)
        self.create(self.workload("two", 2))
        self.cluster.wait_condition(KUEUE, "Workload", "two", "QuotaReserved", "False", self.namespace)
        finish = {
            "apiVersion": KUEUE,
            "kind": "Workload",
            "metadata": {"name": "one", "namespace": self.namespace},
            "status": {
                "conditions": [
                    {
                        "type": "Finished",
                        "status": "True",
                        "reason": "Succeeded",
                        "message": "done",
                        "lastTransitionTime": "2026-01-01T00:00:00Z",
                    }
                ]
            },
        }
        self.cluster.apply(finish, manager="somebody", subresource="status")
        self.cluster.wait_condition(KUEUE, "Workload", "two", "Admitted", namespace=self.namespace)
        self.delete(KUEUE, "Workload", "two")
        self.cluster.wait_gone(KUEUE, "Workload", "two", self.namespace)
        self.wait_queue(lambda status: self.usage(status, "flavorsReservation") == 0, "all is given back")
        # Jobs are nobody's business here.
        job = self.create(self.job("idle", suspend=True))
        self.create(self.workload("three", 1))
        self.cluster.wait_condition(KUEUE, "Workload", "three", "Admitted", namespace=self.namespace)
        self.assertIsNone(self.workload_of(job["metadata"]["uid"]))
        self.assertTrue(controller.alive())

    def test_an_evicted_one_is_released_at_once(self):
        self.start_controller("admission", webhooks=False)
        self.create_queues(gpus=4)
        self.create(self.workload("one", 3))
        self.cluster.wait_condition(KUEUE, "Workload", "one", "Admitted", namespace=self.namespace)
        self.create_cluster_queue(self.namespace, gpus=4, stopPolicy="HoldAndDrain")
        self.cluster.wait_condition(KUEUE, "Workload", "one", "QuotaReserved", "False", self.namespace)
        self.create_cluster_queue(self.namespace, gpus=4, stopPolicy="None")
        self.cluster.wait_condition(KUEUE, "Workload", "one", "Admitted", namespace=self.namespace)


class ProcessTest(QuorateTest):
    """Starting, standing by and ending."""

    node_count = 0

    def lease(self, name):
        return self.cluster.find("coordination.k8s.io/v1", "Lease", name, self.namespace)

    def test_sigterm_ends_both_and_gives_the_lease_back(self):
        controller, scheduler = self.start_both()
        for program, lease in ((controller, "c1f6bfd2.kueue.x-k8s.io"), (scheduler, "quorate-scheduler")):
            wait_for(lambda lease=lease: (self.lease(lease) or {}).get("spec", {}).get("holderIdentity"), 20, "a leader")
            self.assertEqual(program.terminate(timeout=5), 0)
            self.assertFalse(self.lease(lease)["spec"].get("holderIdentity"))

    def test_sigterm_ends_it_while_the_server_does_not_answer(self):
        controller, _ = self.start_both()
        apiserver = self.plane.process("kube-apiserver")
        apiserver.signal(signal.SIGSTOP)
        try:
            controller.terminate(timeout=6)
        finally:
            apiserver.signal(signal.SIGCONT)

    def test_a_standby_takes_over(self):
        first = self.start_controller(webhooks=False)
        self.start_scheduler()
        lease = "c1f6bfd2.kueue.x-k8s.io"
        holder = wait_for(lambda: (self.lease(lease) or {}).get("spec", {}).get("holderIdentity"), 20, "a leader")
        second = self.start_controller(webhooks=False)
        self.assertEqual(second.metric("quorate_leading"), 0)
        first.terminate()
        wait_for(lambda: second.metric("quorate_leading") == 1, 20, "the standby leads")
        self.assertNotEqual(self.lease(lease)["spec"]["holderIdentity"], holder)

    def start_and_fail(self, *arguments, timeout=30, **options):
        """Starts something that cannot; its log."""
        program = self.start_program(*arguments, ready=False, **options)
        self.assertNotEqual(program.wait_end(timeout), 0)
        return program.log_text()

    def test_what_is_wrong_at_the_start_is_named(self):
        missing = self.directory / "no-such-kubeconfig"
        for command in ("controller", "scheduler"):
            self.assertIn(str(missing), self.start_and_fail(command, kubeconfig=missing))

        broken = self.directory / "broken-kubeconfig"
        broken.write_text("apiVersion: v1\nkind: Config\ncurrent-context: nowhere\n")
        log = self.start_and_fail("controller", kubeconfig=broken)
        self.assertIn(str(broken), log)
        self.assertIn("nowhere", log)

        credentials = self.plane.credentials
        wrong = write_kubeconfig(
            self.directory / "wrong-token", Credentials(credentials.server, credentials.ca, token="wrong"), "default"
        )
        self.assertIn("Unauthorized", self.start_and_fail("controller", kubeconfig=wrong))

        port = free_ports(1)[0]
        down = write_kubeconfig(
            self.directory / "down",
            Credentials(f"https://127.0.0.1:{port}", credentials.ca, token="x"),
            "default",
        )
        self.assertIn(f"127.0.0.1:{port}", self.start_and_fail("controller", kubeconfig=down))

        config = self.directory / "wrong.yaml"
        config.write_text("apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nnosuchfield: 1\n")
        log = self.start_and_fail("controller", f"--config={config}")
        self.assertIn(str(config), log)
        self.assertIn("nosuchfield", log)

        self.assertIn("unknown part", self.start_and_fail("controller", "--controllers=everything"))

    def test_log_as_json_and_chosen_ports(self):
        import json

        program = self.start_program(
            "controller", "--controllers=admission", "--leader-elect=false", "--log-format=json",
            f"--config={self.config_file()}",
        )  # fmt: skip
        lines = [json.loads(line) for line in program.log_text().splitlines()]
        kinds = {line["kind"]: line["address"] for line in lines if line["message"] == "listening"}
        self.assertEqual(set(kinds), {"health", "metrics"})


class MissingCrdsTest(unittest.TestCase):
    """A control plane of its own, where nothing is installed yet."""

    def test_the_controller_waits_for_its_kinds_and_says_which(self):
        with ControlPlane.fresh("stock", work_directory() / "controlplane-empty") as plane:
            controller = Program(
                "controller", "--leader-elect=false", "--controllers=*,-webhooks",
                kubeconfig=plane.kubeconfig, log=work_directory() / "missing-crds.log",
            )  # fmt: skip
            controller.start(ready=False)
            self.addCleanup(controller.stop)
            wait_for(lambda: "workloads.kueue.x-k8s.io/v1beta2" in controller.log_text(), 30, "it says what is missing")
            self.assertEqual(controller.probe("/healthz"), 200)
            self.assertEqual(controller.probe("/readyz"), 503)
            install_crds(plane)
            controller.wait_ready(60)
            controller.terminate()


class BadObjectsTest(QuorateTest):
    """Objects that cannot be understood disable themselves and nobody else."""

    def test_neighbours_are_unaffected(self):
        controller, _ = self.start_both()
        self.create_queues(gpus=2)
        # The schema takes it, the rules do not: a resource in two groups.
        group = {
            "coveredResources": [GPU],
            "flavors": [{"name": self.namespace, "resources": [{"name": GPU, "nominalQuota": 1}]}],
        }
        bad = self.create(
            {
                "apiVersion": KUEUE,
                "kind": "ClusterQueue",
                "metadata": {"name": f"{self.namespace}-bad"},
                "spec": {"namespaceSelector": {}, "resourceGroups": [group, group]},
            }
        )
        queue = self.wait_queue_inactive(None, bad["metadata"]["name"])
        self.assertIn("spec.resourceGroups[1]", condition(queue, "Active")["message"])
        huge = self.job("huge", gpus=1)
        huge["spec"]["template"]["spec"]["containers"][0]["resources"] = {
            "requests": {"cpu": "9223372036854775807"},
            "limits": {"cpu": "9223372036854775807"},
        }
        made = self.create(huge)
        self.wait_workload(made, lambda one: has_condition(one, "QuotaReserved", "False"), 30, "waits for ever")
        with self.assertRaises(ApiError):
            self.create(self.job("UPPER"))
        good = self.create(self.job("good", pods=2))
        self.wait_complete("good")
        self.assertTrue(has_condition(self.wait_finished(good), "Finished"))
        self.assertTrue(controller.alive())
        self.assertTrue((ROOT / "crds").exists())


if __name__ == "__main__":
    unittest.main()
