"""Quorate on a test's control plane: its CRDs, queues, nodes and programs, and the objects users make."""

import json
import pathlib

from lib import nodes, processes, programs
from lib.cluster import ApiError, condition, has_condition, wait_for
from lib.testing import ClusterTest

KUEUE = "kueue.x-k8s.io/v1beta2"
NATIVE = "scheduling.k8s.io/v1beta1"
FALLBACK = "scheduling.x-k8s.io/v1alpha1"
QUEUE_NAME = "kueue.x-k8s.io/queue-name"
POOL = "example.com/pool"
GPU = "nvidia.com/gpu"
SCHEDULER = "quorate-scheduler"

_with_crds = set()  # directories of control planes that have them

# Short times, so that a test does not wait for the lease of a program that was killed.
CONFIG = """
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
leaderElection: {leaderElect: true, leaseDuration: 8s, renewDeadline: 6s, retryPeriod: 300ms}
clientConnection: {qps: -1, burst: 1}
featureGates: {DisableWaitForPodsReady: %s}
---
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: true, leaseDuration: 8s, renewDeadline: 6s, retryPeriod: 300ms}
clientConnection: {qps: -1, burst: 1}
podInitialBackoffSeconds: 1
podMaxBackoffSeconds: 2
"""


def install_crds(plane):
    """Every CRD of the project, once for a control plane; waits until they are served."""
    if plane.directory in _with_crds:
        return
    files = sorted((programs.ROOT / "crds").glob("*.yaml"))
    for file in files:
        plane.kubectl("apply", "--server-side", "--force-conflicts", "-f", file)
    plane.kubectl("wait", "--for=condition=Established", "--timeout=60s", *[f"--filename={file}" for file in files])
    _with_crds.add(plane.directory)


class QuorateTest(ClusterTest):
    """A test with nodes and queues of its own: ClusterQueue and ResourceFlavor are named after its
    namespace, the LocalQueue is "main"."""

    node_count = 2
    gpus_per_node = 4
    pods_ready = True  # whether readiness is recorded, as is the configuration's default

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        install_crds(cls.plane)

    def setUp(self):
        super().setUp()
        spec = nodes.Spec(
            count=self.node_count, prefix=self.namespace, gpus=self.gpus_per_node, labels={POOL: self.namespace}
        )
        nodes.create(self.cluster, spec)
        self.addCleanup(nodes.delete, self.cluster, f"{POOL}={self.namespace}")

    # ---- programs

    def config_file(self) -> pathlib.Path:
        file = self.directory / "config.yaml"
        file.write_text(CONFIG % json.dumps(not self.pods_ready))
        return file

    def webhook_configuration(self) -> str:
        """A configuration that sends this namespace's Jobs to us; its address comes from the program."""
        self.create(
            {
                "apiVersion": "admissionregistration.k8s.io/v1",
                "kind": "MutatingWebhookConfiguration",
                "metadata": {"name": self.namespace},
                "webhooks": [
                    {
                        "name": "mjob.kb.io",
                        "admissionReviewVersions": ["v1"],
                        "sideEffects": "None",
                        "failurePolicy": "Fail",
                        "timeoutSeconds": 5,
                        "clientConfig": {
                            "service": {"name": "webhook", "namespace": self.namespace, "path": "/mutate-batch-v1-job"}
                        },
                        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": self.namespace}},
                        "rules": [
                            {"apiGroups": ["batch"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["jobs"]}
                        ],
                    }
                ],
            }
        )  # fmt: skip
        return self.namespace

    def start_controller(self, controllers="*", webhooks=True, ready=True, **options):
        arguments = [
            "controller",
            f"--config={self.config_file()}",
            f"--controllers={controllers}{'' if webhooks else ',-webhooks'}",
            f"--leader-elect-namespace={self.namespace}",
            "--log-level=debug",
        ]
        if webhooks:
            port = processes.free_ports(1)[0]
            arguments += [
                f"--webhook-bind-address=127.0.0.1:{port}",
                f"--webhook-url=https://127.0.0.1:{port}",
                f"--webhook-namespace={self.namespace}",
                "--webhook-secret=webhook-certificate",
                f"--webhook-configuration={self.webhook_configuration()}",
            ]
        return self.start_program(*arguments, ready=ready, **options)

    def start_scheduler(self, ready=True, **options):
        return self.start_program(
            "scheduler", f"--config={self.config_file()}", f"--leader-elect-namespace={self.namespace}",
            "--log-level=debug", ready=ready, **options,
        )  # fmt: skip

    def start_both(self, **options):
        return self.start_controller(**options), self.start_scheduler()

    # ---- queues

    def create_queues(self, gpus, local="main", topology=None, **spec):
        """A flavor on this test's nodes, a ClusterQueue with so many GPUs of it, and a LocalQueue."""
        self.apply(
            {
                "apiVersion": KUEUE,
                "kind": "ResourceFlavor",
                "metadata": {"name": self.namespace},
                "spec": {
                    "nodeLabels": {POOL: self.namespace},
                    **({"topologyName": topology} if topology else {}),
                },
            }
        )
        self.create_cluster_queue(self.namespace, gpus, **spec)
        self.create_local_queue(local, self.namespace)

    def create_cluster_queue(self, name, gpus, **spec):
        group = {
            "coveredResources": [GPU],
            "flavors": [{"name": self.namespace, "resources": [{"name": GPU, "nominalQuota": gpus}]}],
        }
        return self.apply(
            {
                "apiVersion": KUEUE,
                "kind": "ClusterQueue",
                "metadata": {"name": name},
                "spec": {"namespaceSelector": {}, "resourceGroups": [group], **spec},
            }
        )

    def create_local_queue(self, name, cluster_queue):
        return self.apply(
            {
                "apiVersion": KUEUE,
                "kind": "LocalQueue",
                "metadata": {"name": name},
                "spec": {"clusterQueue": cluster_queue},
            }
        )

    def wait_queue(self, predicate, what, name=None, timeout=30):
        return self.cluster.wait(
            KUEUE, "ClusterQueue", name or self.namespace, lambda queue: queue and predicate(queue.get("status") or {}),
            timeout=timeout, what=what,
        )  # fmt: skip

    def wait_queue_inactive(self, reason, name=None, timeout=30):
        """Until the ClusterQueue says that it is inactive and why. One just made has no conditions yet."""

        def inactive(status):
            found = condition({"status": status}, "Active")
            return found and found["status"] == "False" and (reason is None or found["reason"] == reason)

        return self.wait_queue(inactive, f"inactive because of {reason or 'anything'}", name, timeout)

    @staticmethod
    def usage(status, field="flavorsUsage"):
        """GPUs in a queue's status."""
        return sum(
            int(resource.get("total", 0)) for flavor in status.get(field) or [] for resource in flavor["resources"]
        )

    # ---- objects of users

    def pod_spec(self, gpus=1, **spec):
        return {
            "restartPolicy": "Never",
            "containers": [
                {"name": "main", "image": "example/main:1", "resources": {"limits": {GPU: gpus}, "requests": {GPU: gpus}}}
            ],
            **spec,
        }

    def job(self, name, pods=1, gpus=1, queue="main", run_for="1s", labels=None, template=None, **spec):
        return {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": name, "namespace": self.namespace, "labels": {QUEUE_NAME: queue, **(labels or {})}},
            "spec": {
                "parallelism": pods,
                "completions": pods,
                "completionMode": "Indexed",
                "template": {
                    "metadata": {"annotations": {"quorate.dev/run-for": run_for}},
                    "spec": self.pod_spec(gpus, **(template or {})),
                },
                **spec,
            },
        }

    def workload_of(self, owner_uid):
        """The Workload that this object controls, or None."""
        for workload in self.cluster.list(KUEUE, "Workload", self.namespace):
            for owner in workload["metadata"].get("ownerReferences") or []:
                if owner["uid"] == owner_uid and owner.get("controller"):
                    return workload
        return None

    def wait_workload(self, owner, predicate=lambda workload: True, timeout=30, what="its Workload"):
        uid = owner["metadata"]["uid"]

        def found():
            workload = self.workload_of(uid)
            return workload if workload and predicate(workload) else None

        name = owner["metadata"]["name"]
        try:
            return wait_for(found, timeout, f"{name}: {what}")
        except AssertionError as error:
            shown = json.dumps(self.workload_of(uid), indent=1)
            raise AssertionError(f"{error}\n{shown}") from error

    def wait_waiting(self, owner, reason, timeout=30):
        """Until its Workload says that it waits for this reason."""

        def waits(workload):
            found = condition(workload, "QuotaReserved")
            return found and found["status"] == "False" and found["reason"] == reason

        return self.wait_workload(owner, waits, timeout, f"waits because of {reason}")

    def wait_admitted(self, owner, timeout=30):
        return self.wait_workload(owner, lambda workload: has_condition(workload, "Admitted"), timeout, "is admitted")

    def wait_finished(self, owner, timeout=30):
        return self.wait_workload(owner, lambda workload: has_condition(workload, "Finished"), timeout, "is finished")

    def wait_complete(self, *names, timeout=60):
        for name in names:
            self.cluster.wait_condition("batch/v1", "Job", name, "Complete", namespace=self.namespace, timeout=timeout)

    def get_job(self, name):
        return self.cluster.get("batch/v1", "Job", name, self.namespace)

    def pods_of(self, job):
        return self.cluster.list("v1", "Pod", self.namespace, labels=f"batch.kubernetes.io/job-name={job}")

    def delete(self, api_version, kind, name):
        self.cluster.delete(api_version, kind, name, self.namespace)


def served(cluster, api_version) -> bool:
    try:
        return any(one["name"] == "podgroups" for one in cluster.request("GET", f"/apis/{api_version}")["resources"])
    except ApiError as error:
        if error.code == 404:
            return False
        raise
