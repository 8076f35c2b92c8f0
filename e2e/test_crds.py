"""The custom resources of crds/ on a real API server: what is accepted, defaulted and refused."""

import json
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "e2e")]

import crd_contract  # noqa: E402
import crd_samples  # noqa: E402
from lib.cluster import ApiError, has_condition  # noqa: E402
from lib.controlplane import ControlPlane  # noqa: E402

NAMESPACE = "samples"
DEFINITIONS = "apiextensions.k8s.io/v1"
CONTRACT = ROOT / "crds" / "contract.txt"
GENERATE = [sys.executable, str(ROOT / "crds" / "generate")]
OURS = ("kueue.x-k8s.io", "scheduling.x-k8s.io")


class FilesTest(unittest.TestCase):
    def test_files_are_what_the_generator_writes(self):
        done = subprocess.run([*GENERATE, "--check"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""), "run: python3 crds/generate")

    def test_every_bad_sample_says_what_it_breaks(self):
        for sample in crd_samples.read("bad"):
            with self.subTest(sample.path.name):
                self.assertTrue(sample.breaks and sample.expected)

    def test_every_good_sample_says_what_it_gives(self):
        for sample in crd_samples.read("good"):
            with self.subTest(sample.path.name):
                self.assertTrue(sample.values)


class ServerTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.plane = cls.enterClassContext(ControlPlane.fresh("stock"))
        cls.cluster = cls.plane.cluster
        cls.plane.kubectl("apply", "--server-side", "-f", ROOT / "crds")
        listed = cls.cluster.list(DEFINITIONS, "CustomResourceDefinition")
        cls.crds = [
            cls.cluster.wait_condition(DEFINITIONS, "CustomResourceDefinition", crd["metadata"]["name"], "Established")
            for crd in listed
            if crd["spec"]["group"] in OURS
        ]
        cls.cluster.create_namespace(NAMESPACE)

    def apply(self, sample):
        """Applies the documents of a sample; the answer to the last one. All others must be accepted."""
        *first, last = sample.documents
        for document in sample.documents:
            self.addCleanup(document.delete, self.cluster, NAMESPACE)
        for document in first:
            status, answer = document.apply(self.cluster, NAMESPACE)
            self.assertLess(status, 300, answer.get("message"))
        return last.apply(self.cluster, NAMESPACE)

    def state(self, sample):
        """The object of an applied good sample as the server has it."""
        status, answer = self.apply(sample)
        self.assertLess(status, 300, f"{sample.path.name}: {answer.get('message')}")
        document = sample.documents[0]
        return self.cluster.get(document.api_version, document.kind, document.name, NAMESPACE)

    # ---- the definitions themselves

    def test_definitions_are_established_and_their_schemas_structural(self):
        self.assertEqual(len(self.crds), 12)
        for crd in self.crds:
            with self.subTest(crd["metadata"]["name"]):
                self.assertTrue(has_condition(crd, "NamesAccepted"), crd["status"])
                self.assertFalse(has_condition(crd, "NonStructuralSchema"), crd["status"])

    def test_the_server_holds_the_contract(self):
        crds = sorted(self.crds, key=lambda crd: (crd["spec"]["group"], crd["spec"]["names"]["kind"]))
        served = "\n\n".join("\n".join(crd_contract.contract_of(crd)) for crd in crds) + "\n"
        self.assertMultiLineEqual(served, CONTRACT.read_text())

    def test_pod_template_is_that_of_the_server(self):
        sys.path.insert(0, str(ROOT / "crds" / "generate"))
        self.addCleanup(sys.path.pop, 0)
        import pod_template

        served = pod_template.reduce_openapi(self.cluster.request("GET", "/openapi/v3/api/v1"))
        kept = json.loads((ROOT / "crds" / "generate" / "pod_template.json").read_text())
        self.assertEqual(served, kept)

    def test_client_side_tools_find_everything_by_short_name(self):
        short = "ac cq co lq queue queues mkc mkconf prc rf flavor flavors topo kwl kueueworkload kueueworkloads wpc pg pgs"
        self.plane.kubectl("get", short.replace(" ", ","), "-n", NAMESPACE)

    # ---- samples

    def test_good_samples(self):
        for sample in crd_samples.read("good"):
            with self.subTest(sample.path.name):
                state = self.state(sample)
                for path, value in sample.values:
                    self.assertEqual(crd_samples.value_at(state, path), value, path)

    def test_bad_samples(self):
        for sample in crd_samples.read("bad"):
            with self.subTest(sample.path.name):
                status, answer = self.apply(sample)
                # Server-side apply answers 500 where an object does not fit its schema's types.
                self.assertIn(status, (422, 500), f"{sample.breaks}: {answer.get('message')}")
                for fragment in sample.expected:
                    self.assertIn(fragment, answer["message"])

    def test_every_rule_has_a_bad_sample(self):
        """By message: a rule whose message no bad sample expects is a rule that nobody tested."""
        expected = {(s.kind, fragment) for s in crd_samples.read("bad") for fragment in s.expected}
        for crd in self.crds:
            kind = crd["spec"]["names"]["kind"]
            for line in crd_contract.contract_of(crd):
                if line.startswith("  rule "):
                    with self.subTest(f"{kind} {line}"):
                        self.assertIn((kind, line.split(": ", 1)[1]), expected)

    def test_one_step_beyond_every_limit_is_refused(self):
        good = {}
        for sample in crd_samples.read("good"):
            good.setdefault(sample.kind, []).append(self.state(sample))
        for crd in self.crds:
            kind = crd["spec"]["names"]["kind"]
            # The fullest sample is the one that serves for most fields.
            samples = sorted(good[kind], key=lambda state: -len(json.dumps(state)))
            for broken in crd_contract.breaks_of(crd_contract.contract_of(crd)):
                with self.subTest(f"{kind} {broken}"):
                    self.check_refused(broken, samples)

    def check_refused(self, broken, samples):
        thing = broken.apply(samples)
        self.assertIsNotNone(thing, "no good sample has this field")
        meta = thing["metadata"]
        subresource = "status" if broken.path.split(".")[0] == "status" else None
        path = self.cluster.path(thing["apiVersion"], thing["kind"], meta["name"], meta.get("namespace"), subresource)
        with self.assertRaises(ApiError) as refused:
            self.cluster.request("PUT", path, thing, {"dryRun": "All"})
        self.assertEqual(refused.exception.code, 422, refused.exception)
        self.assertIn(broken.said, refused.exception.message)
        # List indices and map keys apart, the message names the field.
        field = broken.path.replace("[]", "").rsplit(".", 1)[-1]
        self.assertIn(field, refused.exception.message)

    # ---- what clients see

    def test_columns(self):
        wanted = {
            "ac": "NAME AGE",
            "cq": "NAME|COHORT|STRATEGY|PENDING WORKLOADS|ADMITTED WORKLOADS",
            "lq": "NAME|CLUSTERQUEUE|PENDING WORKLOADS|ADMITTED WORKLOADS",
            "kwl": "NAME|QUEUE|RESERVED IN|ADMITTED|FINISHED|AGE",
            "wpc": "NAME|VALUE",
            "pg": "NAME|PHASE|MINMEMBER|RUNNING|SUCCEEDED|FAILED|AGE",
            "mkc": "NAME|CONNECTED|AGE",
        }
        for sample in crd_samples.read("good"):
            self.state(sample)
        for short, columns in wanted.items():
            with self.subTest(short):
                shown = self.plane.kubectl("get", short, "-n", NAMESPACE, "-o", "wide").splitlines()[0]
                self.assertEqual(shown.split(), columns.replace("|", " ").split())
        shown = self.plane.kubectl("get", "kwl", "-n", NAMESPACE, "full", "--no-headers").split()
        self.assertEqual(shown[:3], ["full", "research", "research"])

    def test_workloads_can_be_selected_by_their_cluster_queue(self):
        for name in ("workload_full", "workload_changes_while_reserved", "workload_defaults"):
            self.state(crd_samples.Sample(crd_samples.FOLDER / "good" / f"{name}.yaml"))
        found = self.cluster.list(
            "kueue.x-k8s.io/v1beta2", "Workload", NAMESPACE, fields="status.admission.clusterQueue=research"
        )
        self.assertEqual([one["metadata"]["name"] for one in found], ["changes", "full"])

    def test_status_and_spec_are_written_apart(self):
        sample = crd_samples.Sample(crd_samples.FOLDER / "good" / "cluster_queue_full.yaml")
        state = self.state(sample)
        state["status"]["pendingWorkloads"] = 77
        state["spec"]["stopPolicy"] = "None"
        after = self.cluster.replace(state)
        self.assertEqual((after["spec"]["stopPolicy"], after["status"]["pendingWorkloads"]), ("None", 3))
        after["status"]["pendingWorkloads"] = 77
        after["spec"]["stopPolicy"] = "Hold"
        after = self.cluster.replace(after, subresource="status")
        self.assertEqual((after["spec"]["stopPolicy"], after["status"]["pendingWorkloads"]), ("None", 77))

    def test_unknown_fields_are_pruned_from_the_pod_template(self):
        template = {
            "metadata": {"labels": {"a": "b"}, "generateName": "gone-"},
            "spec": {"containers": [{"name": "main", "gone": 1}], "gone": {"too": True}},
        }
        made = self.cluster.create(
            {
                "apiVersion": "kueue.x-k8s.io/v1beta2",
                "kind": "Workload",
                "metadata": {"name": "pruned", "namespace": NAMESPACE},
                "spec": {"podSets": [{"template": template}]},
            },
            dry_run=True,
        )
        self.assertEqual(
            made["spec"]["podSets"][0]["template"],
            {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "main"}]}},
        )

    def test_two_writers_share_a_list_by_its_keys(self):
        """Server-side apply merges lists by key: each writer owns its own pod set and condition."""
        sample = crd_samples.Sample(crd_samples.FOLDER / "good" / "workload_full.yaml")
        self.state(sample)
        for manager, condition in (("one", "First"), ("two", "Second")):
            state = self.cluster.apply(
                {
                    "apiVersion": "kueue.x-k8s.io/v1beta2",
                    "kind": "Workload",
                    "metadata": {"name": "full", "namespace": NAMESPACE},
                    "status": {
                        "conditions": [
                            {
                                "type": condition,
                                "status": "True",
                                "reason": "Test",
                                "message": "",
                                "lastTransitionTime": "2026-01-02T03:04:05Z",
                            }
                        ]
                    },
                },
                manager=manager,
                subresource="status",
            )
        types = sorted(one["type"] for one in state["status"]["conditions"])
        self.assertEqual(types, ["First", "QuotaReserved", "Second", "kueue.x-k8s.io/Own"])


if __name__ == "__main__":
    unittest.main()
