"""The control plane itself: what it serves, what its simulated nodes do, and that it goes away."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent)]

from lib import nodes, processes, programs, starter  # noqa: E402
from lib.cluster import ApiError, Timeout, has_condition, wait_for  # noqa: E402
from lib.controlplane import ControlPlane  # noqa: E402
from lib.testing import ClusterTest  # noqa: E402

SCHEDULING = "scheduling.k8s.io"
GROUP_KINDS = {
    f"{SCHEDULING}/v1beta1": {"workloads", "podgroups"},
    f"{SCHEDULING}/v1alpha3": {"workloads", "podgroups", "compositepodgroups"},
}


def pod(name, annotations=None, **spec):
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "annotations": annotations or {}},
        "spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "example/main:1"}], **spec},
    }


def job(name, pods, annotations=None, **spec):
    template = pod("", annotations, **spec)
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {
            "parallelism": pods,
            "completions": pods,
            "template": {"metadata": {"annotations": annotations or {}}, "spec": template["spec"]},
        },
    }


def pod_group(name):
    return {
        "apiVersion": f"{SCHEDULING}/v1beta1",
        "kind": "PodGroup",
        "metadata": {"name": name},
        "spec": {
            "schedulingPolicy": {"gang": {"minCount": 2}},
            "schedulingConstraints": {"topology": [{"key": nodes.RACK}]},
        },
    }


class GangProfileTest(ClusterTest):
    def resources(self, group_version):
        found = self.cluster.request("GET", f"/apis/{group_version}")["resources"]
        return {one["name"] for one in found if "/" not in one["name"]}

    def test_reports_the_released_version(self):
        version = self.cluster.request("GET", "/version")
        self.assertEqual((version["gitVersion"], version["major"], version["minor"]), ("v1.37.2", "1", "37"))
        client = json.loads(self.plane.kubectl("version", "-o", "json"))
        self.assertEqual(client["clientVersion"]["gitVersion"], "v1.37.2")

    def test_serves_the_group_apis(self):
        for group_version, kinds in GROUP_KINDS.items():
            self.assertEqual(self.resources(group_version), kinds, group_version)

    def test_keeps_gated_fields(self):
        group = self.create(pod_group("group"))
        self.assertEqual(group["spec"]["schedulingConstraints"], {"topology": [{"key": nodes.RACK}]})
        member = self.create(pod("member", schedulingGroup={"podGroupName": "group"}))
        self.assertEqual(member["spec"]["schedulingGroup"], {"podGroupName": "group"})

    def test_controller_manager_releases_a_deleted_pod_group(self):
        group = self.create(pod_group("group"))
        self.assertEqual(group["metadata"]["finalizers"], ["scheduling.k8s.io/podgroup-protection"])
        self.cluster.delete(group["apiVersion"], "PodGroup", "group", self.namespace)
        self.cluster.wait_gone(group["apiVersion"], "PodGroup", "group", self.namespace)


class StockProfileTest(ClusterTest):
    profile = "stock"

    def test_serves_no_group_api(self):
        served = self.cluster.request("GET", f"/apis/{SCHEDULING}")["versions"]
        self.assertEqual([one["version"] for one in served], ["v1"])
        for group_version in GROUP_KINDS:
            with self.assertRaises(ApiError) as refused:
                self.cluster.request("GET", f"/apis/{group_version}")
            self.assertEqual(refused.exception.code, 404)

    def test_drops_the_pod_link(self):
        member = self.create(pod("member", schedulingGroup={"podGroupName": "group"}))
        self.assertNotIn("schedulingGroup", member["spec"])

    def test_helm_installs_a_chart(self):
        chart = self.directory / "chart"
        (chart / "templates").mkdir(parents=True)
        (chart / "Chart.yaml").write_text("apiVersion: v2\nname: small\nversion: 1.0.0\n")
        (chart / "templates" / "map.yaml").write_text(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '{{ .Release.Name }}'}\n"
            "data: {server: '{{ .Capabilities.KubeVersion.Version }}'}\n"
        )
        self.plane.helm("install", "first", chart, "--namespace", self.namespace)
        self.assertEqual(self.cluster.get("v1", "ConfigMap", "first", self.namespace)["data"], {"server": "v1.37.2"})


class SimulatedNodesTest(ClusterTest):
    def setUp(self):
        super().setUp()
        self.addCleanup(nodes.delete, self.cluster, f"row={self.namespace}")
        self.row = nodes.create(
            self.cluster,
            nodes.Spec(
                4, self.namespace, gpus=8, rack_size=2, block_size=1, labels={"row": self.namespace},
                resources={"example.com/nic": "2"},
            ),
        )  # fmt: skip

    def bind(self, thing, node):
        """Creates the pod and binds it, as a scheduler would."""
        made = self.create(thing)
        name = made["metadata"]["name"]
        path = self.cluster.path("v1", "Pod", name, self.namespace, "binding")
        target = {"apiVersion": "v1", "kind": "Node", "name": node}
        body = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name}, "target": target}
        self.cluster.request("POST", path, body)
        return name

    def wait_phase(self, name, phase, timeout=30):
        return self.cluster.wait(
            "v1", "Pod", name, lambda seen: seen and seen["status"]["phase"] == phase, self.namespace, timeout, phase
        )  # fmt: skip

    def test_nodes_are_ready_with_capacity_and_place(self):
        last = self.cluster.get("v1", "Node", self.row[-1])
        self.assertTrue(nodes.is_ready(last))
        allocatable = last["status"]["allocatable"]
        self.assertEqual((allocatable["nvidia.com/gpu"], allocatable["example.com/nic"]), ("8", "2"))
        labels = last["metadata"]["labels"]
        self.assertEqual((labels[nodes.RACK], labels[nodes.BLOCK]), ("rack-1", "block-1"))

    def test_a_lost_node_is_tainted_until_it_is_back(self):
        nodes.lose(self.cluster, self.row[0])
        lost = self.cluster.get("v1", "Node", self.row[0])
        self.assertTrue(has_condition(lost, "Ready", "Unknown"))
        wait_for(
            lambda: {"NoSchedule", "NoExecute"} <= self.taint_effects(self.row[0], "node.kubernetes.io/unreachable"),
            what="both taints of an unreachable node",
        )
        nodes.recover(self.cluster, self.row[0])
        self.assertEqual(self.taint_effects(self.row[0], "node.kubernetes.io/unreachable"), set())

    def taint_effects(self, node, key):
        taints = self.cluster.get("v1", "Node", node)["spec"].get("taints") or []
        return {one["effect"] for one in taints if one["key"] == key}

    def test_unbound_pod_waits(self):
        self.create(pod("waits"))
        name = self.bind(pod("runs"), self.row[0])
        self.wait_phase(name, "Running")
        waits = self.cluster.get("v1", "Pod", "waits", self.namespace)
        self.assertEqual((waits["status"]["phase"], waits["spec"].get("nodeName")), ("Pending", None))

    def test_bound_pod_runs_and_then_succeeds(self):
        name = self.bind(pod("short", {"quorate.dev/run-for": "1s"}), self.row[1])
        running = self.wait_phase(name, "Running")
        self.assertTrue(has_condition(running, "Ready"))
        self.assertTrue(running["status"]["containerStatuses"][0]["ready"])
        ended = self.wait_phase(name, "Succeeded")
        self.assertFalse(has_condition(ended, "Ready"))
        self.assertEqual(ended["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"], 0)

    def test_pod_fails_when_asked_to(self):
        annotations = {"quorate.dev/run-for": "100ms", "quorate.dev/exit-code": "3"}
        ended = self.wait_phase(self.bind(pod("fails", annotations), self.row[1]), "Failed")
        self.assertEqual(ended["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"], 3)

    def test_deleted_pods_go(self):
        # One on a node, whose simulated kubelet must let it go, and one that nobody runs.
        name = self.bind(pod("bound"), self.row[2])
        self.wait_phase(name, "Running")
        self.create(pod("unbound"))
        for one in (name, "unbound"):
            self.cluster.delete("v1", "Pod", one, self.namespace)
            self.cluster.wait_gone("v1", "Pod", one, self.namespace)

    def test_job_runs_to_completion(self):
        self.create(job("works", 3, {"quorate.dev/run-for": "200ms"}, nodeName=self.row[3]))
        try:
            self.cluster.wait_condition("batch/v1", "Job", "works", "Complete", namespace=self.namespace, timeout=10)
        except Timeout:
            # KWOK now and then forgets a delay that runs while the pod changes; a change reminds it.
            for one in self.cluster.list("v1", "Pod", self.namespace):
                reminder = {"metadata": {"annotations": {"example.com/reminder": "1"}}}
                self.cluster.patch("v1", "Pod", one["metadata"]["name"], reminder, self.namespace)
        done = self.cluster.wait_condition("batch/v1", "Job", "works", "Complete", namespace=self.namespace)
        self.assertEqual(done["status"]["succeeded"], 3)

    def test_deleted_pod_of_a_job_is_replaced(self):
        self.create(job("again", 1, {"quorate.dev/run-for": "forever"}, nodeName=self.row[0]))

        def pods():
            found = self.cluster.list("v1", "Pod", self.namespace)
            return [one for one in found if one["status"]["phase"] == "Running"]

        first = wait_for(pods, what="a running pod")[0]["metadata"]
        self.cluster.delete("v1", "Pod", first["name"], self.namespace)
        second = wait_for(lambda: [one for one in pods() if one["metadata"]["uid"] != first["uid"]], what="a second pod")
        self.assertEqual(len(second), 1)
        self.cluster.wait_gone("v1", "Pod", first["name"], self.namespace)


class AuthorizationTest(ClusterTest):
    def refused(self, client, method="GET", namespace=None, body=None) -> str:
        """The client must not do this with pods; returns the server's words."""
        with self.assertRaises(ApiError) as error:
            client.request(method, f"/api/v1/namespaces/{namespace or self.namespace}/pods", body)
        self.assertEqual(error.exception.code, 403, str(error.exception))
        return error.exception.message

    def test_anonymous_is_refused(self):
        self.assertIn("system:anonymous", self.refused(self.cluster.as_anonymous()))

    def test_wrong_token_is_refused(self):
        path = self.directory / "kubeconfig"
        self.plane.service_account_kubeconfig("default", self.namespace, path)
        path.write_text(re.sub(r'token: "(.*)"', r'token: "\1x"', path.read_text()))
        said = self.plane.kubectl("--kubeconfig", path, "get", "pods", check=False)
        self.assertIn("You must be logged in to the server", said)

    def test_service_account_may_do_what_its_role_says_and_no_more(self):
        meta = {"name": "reader", "namespace": self.namespace}
        rbac = "rbac.authorization.k8s.io"
        self.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": dict(meta)})
        reader = self.cluster.as_service_account("reader", self.namespace)
        self.refused(reader)

        rules = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}]
        self.create({"apiVersion": f"{rbac}/v1", "kind": "Role", "metadata": dict(meta), "rules": rules})
        self.create({
            "apiVersion": f"{rbac}/v1",
            "kind": "RoleBinding",
            "metadata": dict(meta),
            "roleRef": {"apiGroup": rbac, "kind": "Role", "name": "reader"},
            "subjects": [{"kind": "ServiceAccount", "name": "reader", "namespace": self.namespace}],
        })  # fmt: skip

        def listed():
            try:
                return reader.list("v1", "Pod", self.namespace) == []
            except ApiError:
                return False

        wait_for(listed, 10, "the role in effect")
        self.refused(reader, namespace="default")
        self.refused(reader, "POST", body=pod("more"))


class LifeTest(unittest.TestCase):
    """`up` and `down` as a person uses them."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="quorate-e2e-life-")
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name) / "plane"
        self.addCleanup(starter.stop, self.directory)

    def assert_nothing_runs(self):
        """No process of this machine has the directory in its command line."""
        left = []
        for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                if str(self.directory).encode() in entry.read_bytes() and int(entry.parent.name) != os.getpid():
                    left.append(entry.parent.name)
            except (FileNotFoundError, ProcessLookupError):
                pass
        self.assertEqual(left, [])

    def script(self, name, *arguments):
        command = [programs.MODULES / name, "--dir", self.directory, *arguments]
        return subprocess.run(command, capture_output=True, text=True)

    def test_up_and_down(self):
        audit = self.directory / "audit.log"
        up = self.script("up", "--profile", "stock", "--audit", audit, "--nodes", "2")
        self.assertEqual(up.returncode, 0, up.stderr)
        started = starter.read_state(self.directory).identities()
        self.assertEqual(
            sorted(one.name for one in started), ["etcd", "kube-apiserver", "kube-controller-manager", "kwok"]
        )
        self.assertTrue(all(one.alive() for one in started))

        with self.subTest("the shell's environment"):
            script = f". {self.directory}/env && kubectl get nodes -o name"
            said = subprocess.run(["bash", "-c", script], capture_output=True, text=True)
            self.assertEqual(said.stdout.split(), ["node/node-0", "node/node-1"], said.stderr)

        with self.subTest("the audit log names user, verb and object"):
            events = [json.loads(line) for line in audit.read_text().splitlines()]
            made = [
                one["user"]["username"]
                for one in events
                if one["verb"] == "create" and one["objectRef"].get("resource") == "nodes"
            ]
            self.assertEqual(made, ["quorate-e2e:admin"] * 2)

        with self.subTest("a second start in the same directory is refused"):
            again = self.script("up")
            self.assertEqual(again.returncode, 1)
            self.assertIn("still running", again.stderr)
            self.assertTrue(all(one.alive() for one in started))

        down = self.script("down")
        self.assertEqual(down.returncode, 0, down.stderr)
        self.assert_nothing_runs()
        self.assertEqual(self.script("down").stdout, "nothing was running\n")

    def test_down_after_a_program_died(self):
        self.assertEqual(self.script("up").returncode, 0)
        ControlPlane(self.directory).process("kube-apiserver").signal(signal.SIGKILL)
        self.assertEqual(self.script("down").returncode, 0)
        self.assert_nothing_runs()

    def test_down_spares_a_process_that_got_the_pid_of_one_of_ours(self):
        bystander = subprocess.Popen(["sleep", "60"])
        self.addCleanup(bystander.kill)
        earlier = processes.identity_of("etcd", bystander.pid).start_time - 1
        ours = {"name": "etcd", "pid": bystander.pid, "start_time": earlier}
        self.directory.mkdir()
        (self.directory / "state.json").write_text(json.dumps({"profile": "stock", "processes": [ours]}))
        self.assertEqual(self.script("down").stdout, "nothing was running\n")
        self.assertIsNone(bystander.poll())

    def test_interrupted_up_leaves_nothing_running(self):
        command = [programs.MODULES / "up", "--dir", self.directory]
        up = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(lambda: self._started("kube-apiserver", self.directory), what="the API server's start")
        up.send_signal(signal.SIGTERM)
        self.assertEqual(up.wait(30), 143)
        self.assert_nothing_runs()

    def test_interrupted_test_run_leaves_nothing_running(self):
        runner = pathlib.Path(__file__).resolve().parent / "run_tests.py"
        command = [sys.executable, runner, "--work", self.directory, "GangProfileTest"]
        run = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.addCleanup(run.stdout.close)
        wait_for(lambda: self._started("kwok", self.directory / "controlplane-gang"), what="its control plane")
        run.send_signal(signal.SIGINT)
        said = run.stdout.read()
        self.assertEqual(run.wait(30), 1, said)
        self.assertIn("interrupted: SIGINT", said)
        self.assert_nothing_runs()

    def _started(self, name, directory):
        state = starter.read_state(directory)
        return state and any(one.name == name for one in state.identities())

    def test_start_that_fails_says_why_and_leaves_nothing_running(self):
        up = self.script("up", "--apiserver-flag=--no-such-flag")
        self.assertEqual(up.returncode, 1)
        self.assertIn("unknown flag: --no-such-flag", up.stderr)
        self.assert_nothing_runs()

    def test_it_ends_with_the_process_that_uses_it(self):
        script = (
            "import sys, os, signal; sys.path.insert(0, sys.argv[1])\n"
            "from lib.controlplane import ControlPlane\n"
            "ControlPlane.fresh('stock', sys.argv[2])\n"
            "os.kill(os.getpid(), signal.SIGKILL)\n"
        )
        here = str(pathlib.Path(__file__).resolve().parent)
        done = subprocess.run([sys.executable, "-c", script, here, str(self.directory)])
        self.assertEqual(done.returncode, -signal.SIGKILL)
        processes.wait_ended(starter.read_state(self.directory).identities(), 10)
        self.assert_nothing_runs()


if __name__ == "__main__":
    unittest.main()
