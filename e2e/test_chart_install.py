"""The Helm chart on a real API server: what it installs, what its accounts may do, upgrade and removal."""

import pathlib
import sys
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent)]

import chart_rights  # noqa: E402
from chart_render import CHART, CONFIGURATION, NAMESPACE, SCHEDULER_ARGS, args_of, controller_args  # noqa: E402
from lib.cluster import ApiError, wait_for  # noqa: E402
from lib.controlplane import ControlPlane  # noqa: E402


class InstalledTest(unittest.TestCase):
    """A control plane of its own: the release and its webhook concern the whole cluster."""

    @classmethod
    def setUpClass(cls):
        cls.plane = cls.enterClassContext(ControlPlane.fresh("gang"))
        cls.cluster = cls.plane.cluster
        cls.cluster.create_namespace("team", {"kind": "users"})
        cls.helm("install", "--create-namespace", "--set", "scheduler.separate=true")

    @classmethod
    def helm(cls, command, *settings):
        cls.plane.helm(command, "quorate", CHART, "--namespace", NAMESPACE, *settings)

    def test_custom_resources_are_established(self):
        found = self.cluster.list("apiextensions.k8s.io/v1", "CustomResourceDefinition")
        self.assertEqual(len(found), 12)
        for one in found:
            name = one["metadata"]["name"]
            self.cluster.wait_condition("apiextensions.k8s.io/v1", "CustomResourceDefinition", name, "Established")

    def test_deployments_are_stored_with_their_arguments(self):
        found = {one["metadata"]["name"]: one for one in self.cluster.list("apps/v1", "Deployment", NAMESPACE)}
        self.assertEqual(
            {name: args_of(one) for name, one in found.items()},
            {"quorate-controller": controller_args("*"), "quorate-scheduler": SCHEDULER_ARGS},
        )

    def test_pods_are_made(self):
        """Admission lets them in: the pod template is valid and the accounts exist."""
        wait_for(
            lambda: {one["metadata"]["labels"]["app.kubernetes.io/component"] for one in self.cluster.list("v1", "Pod", NAMESPACE)}
            == {"controller", "scheduler"},
            30,
            "a pod of each Deployment",
        )

    def test_rights(self):
        for account, rights in (
            ("quorate-controller", chart_rights.CONTROLLER),
            ("quorate-scheduler", chart_rights.SCHEDULER),
        ):
            chart_rights.check(self, self.cluster.as_service_account(account, NAMESPACE), account, rights)

    def test_account_writes_its_certificate_and_nothing_like_it(self):
        mine = self.cluster.as_service_account("quorate-controller", NAMESPACE)
        secret = {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": "quorate-webhook-server-cert", "namespace": NAMESPACE},
            "stringData": {"tls.crt": "a"},
        }
        mine.create(secret)
        self.addCleanup(self.cluster.delete, "v1", "Secret", "quorate-webhook-server-cert", NAMESPACE)
        kept = mine.get("v1", "Secret", "quorate-webhook-server-cert", NAMESPACE)
        mine.replace({**kept, "stringData": {"tls.crt": "b"}})
        other = {**secret, "metadata": {"name": "other", "namespace": NAMESPACE}}
        self.cluster.create(other)
        self.addCleanup(self.cluster.delete, "v1", "Secret", "other", NAMESPACE)
        with self.assertRaises(ApiError) as refused:
            mine.get("v1", "Secret", "other", NAMESPACE)
        self.assertEqual(refused.exception.code, 403)

    def test_jobs_wait_for_the_controller_where_it_manages_them(self):
        job = {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": "early", "namespace": "team"},
            "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "none"}]}}},
        }
        with self.assertRaises(ApiError) as refused:
            self.cluster.create(job, dry_run=True)
        self.assertIn('failed calling webhook "mjob.kb.io"', refused.exception.message)
        self.cluster.create({**job, "metadata": {"name": "early", "namespace": NAMESPACE}}, dry_run=True)
        self.cluster.create({**job, "metadata": {"name": "early", "namespace": "kube-system"}}, dry_run=True)

    def test_people(self):
        for role, kind, names in (("quorate-batch-user-role", "RoleBinding", "ursula"), ("quorate-batch-admin-role", "ClusterRoleBinding", "adam")):
            binding = {
                "apiVersion": "rbac.authorization.k8s.io/v1",
                "kind": kind,
                "metadata": {"name": names},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
                "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": names}],
            }
            if kind == "RoleBinding":
                binding["metadata"]["namespace"] = "team"
            self.cluster.create(binding)
        for role in ("quorate-batch-user-role", "quorate-batch-admin-role"):
            wait_for(
                lambda: self.cluster.get("rbac.authorization.k8s.io/v1", "ClusterRole", role).get("rules"), 30, f"{role} is put together"
            )
        for user, right, wanted in chart_rights.PEOPLE:
            with self.subTest(user=user, right=right):
                wait = wait_for if wanted else (lambda check, *_: check())
                allowed = wait(lambda: chart_rights.may(self.cluster, right, user), 10, "the authorizer notices")
                self.assertEqual(allowed, wanted)
        viewers = self.cluster.get("rbac.authorization.k8s.io/v1", "ClusterRole", "view")["rules"]
        self.assertIn("localqueues", [resource for rule in viewers for resource in rule.get("resources", [])])


class UpgradeTest(unittest.TestCase):
    def test_upgrade_keeps_what_the_controller_wrote_and_uninstall_leaves_no_trace(self):
        with ControlPlane.fresh("stock") as plane:
            cluster = plane.cluster

            def helm(command, *settings):
                plane.helm(command, "quorate", CHART, "--namespace", NAMESPACE, *settings)

            helm("install", "--create-namespace", "--set", "scheduler.separate=true")
            mine = cluster.as_service_account("quorate-controller", NAMESPACE)
            self.inject_authority(mine)

            helm("upgrade", "--set", "webhooks.timeoutSeconds=7")
            hook = self.hook(cluster)
            self.assertEqual(hook["timeoutSeconds"], 7)
            self.assertEqual(hook["clientConfig"].get("caBundle"), "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t")
            deployments = cluster.list("apps/v1", "Deployment", NAMESPACE)
            self.assertEqual([one["metadata"]["name"] for one in deployments], ["quorate-controller"])
            # The controller, with the scheduler inside, now has the scheduler's rights as well.
            chart_rights.check(self, mine, "both", chart_rights.BOTH)

            plane.helm("uninstall", "quorate", "--namespace", NAMESPACE)
            for api_version, kind in (
                ("rbac.authorization.k8s.io/v1", "ClusterRole"),
                ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding"),
                ("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"),
                ("apps/v1", "Deployment"),
            ):
                left = cluster.list(api_version, kind, labels="app.kubernetes.io/name=quorate")
                self.assertEqual([one["metadata"]["name"] for one in left], [], kind)
            # The custom resources stay, with all objects in them.
            self.assertEqual(len(cluster.list("apiextensions.k8s.io/v1", "CustomResourceDefinition")), 12)

    def inject_authority(self, cluster):
        patch = [{"op": "add", "path": "/webhooks/0/clientConfig/caBundle", "value": "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t"}]
        cluster.patch("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", CONFIGURATION, patch, type="json")

    def hook(self, cluster):
        return cluster.get("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", CONFIGURATION)["webhooks"][0]

if __name__ == "__main__":
    unittest.main()
