"""The Helm chart without a cluster: what it renders from which values, and which it refuses."""

import json
import pathlib
import sys
import unittest

import yaml

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent)]

import chart_rights  # noqa: E402
from chart_render import (  # noqa: E402
    CHART,
    CONFIGURATION,
    ROOT,
    SCHEDULER_ARGS,
    args_of,
    controller_args,
    documents_of,
    helm,
    render,
)
from lib import programs  # noqa: E402


class RenderTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        programs.build(["helm"])

    def test_lint_finds_nothing(self):
        for settings in ([], ["--set", "scheduler.separate=true"]):
            done = helm("lint", CHART, "--strict", *settings)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_custom_resources_are_the_ones_at_the_top(self):
        top = {path.name: path.read_text() for path in (ROOT / "crds").glob("*.yaml")}
        chart = {path.name: path.read_text() for path in (CHART / "crds").glob("*")}
        self.assertEqual(chart, top)
        self.assertEqual(len(chart), 12)

    def test_one_process_by_default(self):
        objects = render()
        deployments = [name for kind, name in objects if kind == "Deployment"]
        self.assertEqual(deployments, ["quorate-controller"])
        self.assertEqual(args_of(objects["Deployment", "quorate-controller"]), controller_args("*,scheduler"))

    def test_two_processes_when_the_scheduler_is_separate(self):
        objects = render("--set", "scheduler.separate=true")
        self.assertEqual(args_of(objects["Deployment", "quorate-controller"]), controller_args("*"))
        self.assertEqual(args_of(objects["Deployment", "quorate-scheduler"]), SCHEDULER_ARGS)
        accounts = {name for kind, name in objects if kind == "ServiceAccount"}
        self.assertEqual(accounts, {"quorate-controller", "quorate-scheduler"})

    def test_arguments_follow_values(self):
        objects = render(
            "--set-json", 'controller.controllers=["admission","-webhooks"]',
            "--set-json", 'controller.extraArgs=["--kube-api-qps=7"]',
            "--set", "logFormat=text,metrics.port=1234,health.port=1235,webhooks.port=1236",
        )  # fmt: skip
        arguments = args_of(objects["Deployment", "quorate-controller"])
        for wanted in (
            "--controllers=admission,-webhooks,scheduler",
            "--metrics-bind-address=:1234",
            "--health-probe-bind-address=:1235",
            "--webhook-bind-address=:1236",
            "--log-format=text",
        ):
            self.assertIn(wanted, arguments)
        self.assertEqual(arguments[-1], "--kube-api-qps=7")
        configuration = documents_of(objects["ConfigMap", "quorate-config"], "controller_manager_config.yaml")["Configuration"]
        self.assertEqual(configuration["metrics"]["bindAddress"], ":1234")
        self.assertEqual(configuration["health"]["healthProbeBindAddress"], ":1235")
        self.assertEqual(configuration["webhook"]["port"], 1236)

    def test_every_config_argument_names_a_mounted_file(self):
        for settings in ([], ["--set", "scheduler.separate=true"]):
            objects = render(*settings)
            for (kind, name), one in objects.items():
                if kind != "Deployment":
                    continue
                pod = one["spec"]["template"]["spec"]
                mount = pod["containers"][0]["volumeMounts"][0]
                self.assertEqual(mount["name"], pod["volumes"][0]["name"])
                files = objects["ConfigMap", pod["volumes"][0]["configMap"]["name"]]["data"]
                paths = {f"{mount['mountPath']}/{file}" for file in files}
                path = next(text for text in args_of(one) if text.startswith("--config=")).partition("=")[2]
                self.assertIn(path, paths, name)

    def test_configuration_documents(self):
        values = {
            "config": {
                "manageJobsWithoutQueueName": True,
                "metrics": {"enableClusterQueueResources": True},
                "fairSharing": {"preemptionStrategies": ["LessThanInitialShare"]},
                "clientConnection": {"qps": -1},
            },
            "scheduler": {"config": {"podMaxBackoffSeconds": 30}},
        }
        settings = []
        for key, value in values.items():
            settings += ["--set-json", f"{key}={json.dumps(value)}"]
        together = documents_of(render(*settings)["ConfigMap", "quorate-config"], "controller_manager_config.yaml")
        self.assertEqual(
            together["Configuration"],
            {
                "apiVersion": "config.kueue.x-k8s.io/v1beta2",
                "kind": "Configuration",
                "namespace": "quorate-system",
                "manageJobsWithoutQueueName": True,
                "placementVerification": "Enabled",
                "integrations": {"frameworks": ["batch/job"]},
                "fairSharing": {"preemptionStrategies": ["LessThanInitialShare"]},
                "clientConnection": {"qps": -1, "burst": 500},
                "health": {"healthProbeBindAddress": ":8081"},
                "metrics": {"bindAddress": ":8080", "enableClusterQueueResources": True},
                "webhook": {"port": 9443},
                "leaderElection": {
                    "leaderElect": True,
                    "resourceName": "quorate-controller",
                    "resourceNamespace": "quorate-system",
                },
                "internalCertManagement": {
                    "enable": True,
                    "webhookServiceName": "quorate-webhook-service",
                    "webhookSecretName": "quorate-webhook-server-cert",
                },
            },
        )
        self.assertEqual(
            together["KubeSchedulerConfiguration"],
            {
                "apiVersion": "kubescheduler.config.k8s.io/v1",
                "kind": "KubeSchedulerConfiguration",
                "podMaxBackoffSeconds": 30,
                "clientConnection": {"qps": -1, "burst": 500},
                "leaderElection": {
                    "leaderElect": True,
                    "resourceName": "quorate-scheduler",
                    "resourceNamespace": "quorate-system",
                },
                "profiles": [{"schedulerName": "quorate-scheduler"}],
            },
        )
        apart = render(*settings, "--set", "scheduler.separate=true")["ConfigMap", "quorate-config"]
        self.assertEqual(
            documents_of(apart, "controller_manager_config.yaml"), {"Configuration": together["Configuration"]}
        )
        self.assertEqual(
            documents_of(apart, "scheduler_config.yaml"),
            {"KubeSchedulerConfiguration": together["KubeSchedulerConfiguration"]},
        )

    def test_new_settings_start_new_pods(self):
        def checksum(*settings):
            deployment = render(*settings)["Deployment", "quorate-controller"]
            return deployment["spec"]["template"]["metadata"]["annotations"]["quorate.dev/config-checksum"]

        before = checksum()
        self.assertEqual(before, checksum("--set", "controller.replicas=2"))
        self.assertNotEqual(before, checksum("--set", "config.manageJobsWithoutQueueName=true"))
        self.assertNotEqual(before, checksum("--set", "scheduler.config.podMaxBackoffSeconds=30"))

    def test_webhook_is_asked_about_jobs_of_managed_namespaces(self):
        (hook,) = render()["MutatingWebhookConfiguration", CONFIGURATION]["webhooks"]
        self.assertEqual(hook["name"], "mjob.kb.io")
        self.assertEqual(hook["failurePolicy"], "Fail")
        self.assertEqual(hook["clientConfig"]["service"]["path"], "/mutate-batch-v1-job")
        self.assertEqual(
            hook["rules"],
            [{"apiGroups": ["batch"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["jobs"]}],
        )
        self.assertEqual(
            hook["namespaceSelector"],
            {
                "matchExpressions": [
                    {
                        "key": "kubernetes.io/metadata.name",
                        "operator": "NotIn",
                        "values": ["kube-system", "quorate-system"],
                    }
                ]
            },
        )
        selector = {"matchLabels": {"team": "research"}}
        (hook,) = render("--set-json", f"config.managedJobsNamespaceSelector={json.dumps(selector)}")[
            "MutatingWebhookConfiguration", CONFIGURATION
        ]["webhooks"]
        self.assertEqual(hook["namespaceSelector"], selector)

    def test_services_lead_to_the_pods(self):
        objects = render("--set", "scheduler.separate=true")
        labels = {
            part: objects["Deployment", f"quorate-{part}"]["spec"]["template"]["metadata"]["labels"]
            for part in ("controller", "scheduler")
        }
        ports = {
            part: {port["name"] for port in objects["Deployment", f"quorate-{part}"]["spec"]["template"]["spec"]["containers"][0]["ports"]}
            for part in labels
        }
        hook = objects["MutatingWebhookConfiguration", CONFIGURATION]["webhooks"][0]["clientConfig"]["service"]
        for service, parts in ((hook["name"], ["controller"]), ("quorate-metrics", ["controller", "scheduler"])):
            spec = objects["Service", service]["spec"]
            chosen = [part for part in labels if spec["selector"].items() <= labels[part].items()]
            self.assertEqual(chosen, parts, service)
            for part in parts:
                self.assertIn(spec["ports"][0]["targetPort"], ports[part])
        self.assertEqual(objects["Service", hook["name"]]["spec"]["ports"][0]["port"], hook["port"])

    def test_names_follow_the_release(self):
        for release, settings, prefix in (
            ("quorate", [], "quorate"),
            ("my-quorate", [], "my-quorate"),
            ("batch", [], "batch-quorate"),
            ("batch", ["--set", "nameOverride=queue"], "batch-queue"),
            ("batch", ["--set", "fullnameOverride=q"], "q"),
        ):
            with self.subTest(release=release, settings=settings):
                objects = render(*settings, release=release)
                self.assertEqual({name for _, name in objects if not name.startswith(f"{prefix}-")}, set())
                # Whatever the release is called, the instances of a cluster must meet at one lease.
                arguments = args_of(objects["Deployment", f"{prefix}-controller"])
                self.assertIn(f"--webhook-configuration={prefix}-mutating-webhook-configuration", arguments)
                leases = chart_rights.names_of(objects["Role", f"{prefix}-controller"], "leases")
                self.assertEqual(leases, {"quorate-controller"})

    def test_optional_objects(self):
        settings = "metrics.serviceMonitor.enabled=true,controller.podDisruptionBudget.enabled=true,rbac.peopleRoles=false"
        objects = render("--set", settings)
        self.assertIn(("ServiceMonitor", "quorate"), objects)
        self.assertIn(("PodDisruptionBudget", "quorate-controller"), objects)
        roles = {name for kind, name in objects if kind == "ClusterRole"}
        self.assertEqual(roles, {"quorate-controller", "quorate-scheduler"})
        self.assertNotIn(("ServiceMonitor", "quorate"), render())
        self.assertNotIn(("PodDisruptionBudget", "quorate-controller"), render())

    def test_pods_run_without_privileges(self):
        pod = render()["Deployment", "quorate-controller"]["spec"]["template"]["spec"]
        self.assertEqual(pod["securityContext"], {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}})
        self.assertEqual(
            pod["containers"][0]["securityContext"],
            {"readOnlyRootFilesystem": True, "allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
        )

    def test_no_role_has_a_wildcard(self):
        for (kind, name), one in render("--set", "scheduler.separate=true").items():
            for rule in one.get("rules", []) if kind in ("Role", "ClusterRole") else []:
                words = rule["apiGroups"] + rule["resources"] + rule["verbs"]
                self.assertFalse([word for word in words if "*" in word], name)

    def test_bad_values_are_refused(self):
        for setting, said in (
            ("scheduler.seperate=true", "seperate"),
            ("scheduler.separate=1", "scheduler/separate"),
            ("logFormat=xml", "logFormat"),
            ("controller.replicas=-1", "controller/replicas"),
            ("controller.replicas=many", "controller/replicas"),
            ("controller.controllers={}", "controller/controllers"),
            ("controller.controllers={Not OK}", "controller/controllers"),
            ("controller.extraArgs={positional}", "controller/extraArgs"),
            ("scheduler.name=Upper", "scheduler/name"),
            ("scheduler.config.profiles={a}", "scheduler/config"),
            ("config.kind=Configuration", "/config"),
            ("config.webhook.port=1", "/config"),
            ("config.leaderElection.leaderElect=false", "/config"),
            ("config.metrics.bindAddress=:1", "config/metrics"),
            ("config.clientConnection.qsp=1", "qsp"),
            ("webhooks.failurePolicy=Maybe", "webhooks/failurePolicy"),
            ("webhooks.timeoutSeconds=31", "webhooks/timeoutSeconds"),
            ("webhooks.port=0", "webhooks/port"),
            ("metrics.port=65536", "metrics/port"),
            ("health.port=8080", "three different ports"),
            ("image.pullPolicy=Sometimes", "image/pullPolicy"),
            ("nosuchvalue=1", "nosuchvalue"),
        ):
            with self.subTest(setting):
                done = helm("template", "quorate", CHART, "--set", setting)
                self.assertNotEqual(done.returncode, 0, "accepted")
                self.assertIn(said, done.stderr)

    def test_values_and_schema_name_the_same_things(self):
        values = yaml.safe_load((CHART / "values.yaml").read_text())
        schema = json.loads((CHART / "values.schema.json").read_text())
        free = {"config", "global"}  # of the user's making

        def compare(values, schema, path):
            known = set(schema["properties"]) - free
            self.assertEqual(set(values) - free, known, path)
            for name in known:
                if schema["properties"][name].get("additionalProperties") is False and isinstance(values[name], dict):
                    compare(values[name], schema["properties"][name], f"{path}.{name}")

        compare(values, schema, "")

if __name__ == "__main__":
    unittest.main()
