"""What the chart's accounts and roles may do and, as important, what they may not."""

from typing import NamedTuple

KUEUE = "kueue.x-k8s.io"
GROUPS = "scheduling.k8s.io"
FALLBACK = "scheduling.x-k8s.io"
OWN = "quorate-system"

READ = "get list watch"


class Right(NamedTuple):
    verb: str
    group: str
    resource: str  # with /subresource
    namespace: str = ""  # "" asks about the whole cluster
    name: str = ""


def rights(verbs, group, resources, namespace="", name=""):
    return [Right(verb, group, one, namespace, name) for one in resources.split() for verb in verbs.split()]


class Rights(NamedTuple):
    allowed: list
    denied: list


_CONTROLLER_ONLY = [
    *rights(READ, "", "limitranges"),
    *rights(READ, "node.k8s.io", "runtimeclasses"),
    *rights(READ + " update patch delete", "batch", "jobs"),
    *rights("update patch", "batch", "jobs/status"),
    *rights("update", "batch", "jobs/finalizers"),
    *rights("create delete update patch", KUEUE, "workloads"),
    *rights(READ + " update patch", KUEUE, "admissionchecks clusterqueues topologies"),
    *rights("update patch", KUEUE, "resourceflavors"),
    *rights(READ, KUEUE, "cohorts localqueues workloadpriorityclasses"),
    *rights(READ, KUEUE, "multikueueclusters multikueueconfigs provisioningrequestconfigs"),
    *rights(
        "get update patch", KUEUE,
        "admissionchecks/status clusterqueues/status cohorts/status localqueues/status workloads/status multikueueclusters/status",
    ),
    *rights("update", KUEUE, "workloads/finalizers clusterqueues/finalizers resourceflavors/finalizers admissionchecks/finalizers topologies/finalizers"),
    *rights("create delete update", GROUPS, "podgroups"),
    *rights("create delete update patch", GROUPS, "workloads compositepodgroups"),
    *rights("update", GROUPS, "workloads/finalizers podgroups/finalizers compositepodgroups/finalizers"),
    *rights("create delete update", FALLBACK, "podgroups"),
    *rights("update", FALLBACK, "podgroups/finalizers"),
    *rights("create", "", "secrets", OWN),
    *rights(READ + " update patch", "", "secrets", OWN, "quorate-webhook-server-cert"),
    *rights(
        READ + " update patch", "admissionregistration.k8s.io", "mutatingwebhookconfigurations", "",
        "quorate-mutating-webhook-configuration",
    ),
    *rights(READ + " update patch", "coordination.k8s.io", "leases", OWN, "quorate-controller"),
]  # fmt: skip

_SCHEDULER_ONLY = [
    *rights("create", "", "pods/binding pods/eviction"),
    *rights("update", "", "pods/status"),
    *rights(READ, "policy", "poddisruptionbudgets"),
    *rights("create update patch delete", "resource.k8s.io", "resourceclaims"),
    *rights("update patch", "resource.k8s.io", "resourceclaims/status"),
]

_BOTH_HAVE = [
    *rights(READ, "", "nodes namespaces"),
    *rights(READ + " patch delete", "", "pods"),
    *rights("patch", "", "pods/status"),
    *rights(READ, GROUPS, "priorityclasses workloads podgroups compositepodgroups"),
    *rights("patch", GROUPS, "podgroups"),
    *rights("patch", FALLBACK, "podgroups"),
    *rights("get update patch", GROUPS, "podgroups/status compositepodgroups/status"),
    *rights(READ, FALLBACK, "podgroups"),
    *rights("get update patch", FALLBACK, "podgroups/status"),
    *rights(READ, KUEUE, "workloads resourceflavors"),
    *rights(READ, "resource.k8s.io", "deviceclasses resourceslices resourceclaimtemplates resourceclaims"),
    *rights("create patch", "", "events"),
    *rights("create patch", "events.k8s.io", "events"),
    *rights("create", "coordination.k8s.io", "leases", OWN),
]

_NOBODY = [
    *rights("create delete update patch deletecollection", "", "nodes namespaces"),
    *rights("create update deletecollection", "", "pods"),
    *rights("get create", "", "pods/exec pods/log pods/portforward"),
    *rights(READ + " create update delete", "", "secrets", "team"),
    *rights(READ + " create update delete", "", "secrets"),
    *rights(READ + " update delete", "", "secrets", OWN, "other"),
    *rights("delete", "", "secrets", OWN, "quorate-webhook-server-cert"),
    *rights(READ + " create", "", "configmaps serviceaccounts persistentvolumeclaims services"),
    *rights("create", "", "serviceaccounts/token", OWN),
    *rights("create deletecollection", "batch", "jobs"),
    *rights("create update patch delete", "resource.k8s.io", "deviceclasses resourceslices"),
    *rights("create update patch delete", "policy", "poddisruptionbudgets"),
    *rights("create delete", KUEUE, "clusterqueues localqueues resourceflavors cohorts topologies"),
    *rights("update patch", KUEUE, "cohorts localqueues workloadpriorityclasses"),
    *rights("create update patch delete", GROUPS, "priorityclasses"),
    *rights(READ, "apps", "deployments", OWN),
    *rights("create update delete", "rbac.authorization.k8s.io", "clusterroles clusterrolebindings roles rolebindings"),
    *rights("escalate bind", "rbac.authorization.k8s.io", "clusterroles"),
    *rights("impersonate", "", "users groups serviceaccounts"),
    *rights(READ + " create update", "apiextensions.k8s.io", "customresourcedefinitions"),
    *rights("list create", "admissionregistration.k8s.io", "mutatingwebhookconfigurations"),
    *rights("update", "admissionregistration.k8s.io", "mutatingwebhookconfigurations", "", "other"),
    *rights("create update", "admissionregistration.k8s.io", "validatingwebhookconfigurations"),
    *rights("create", "coordination.k8s.io", "leases", "kube-system"),
    *rights("update delete", "coordination.k8s.io", "leases", OWN, "other"),
    *rights("delete", "coordination.k8s.io", "leases", OWN, "quorate-controller"),
]

_SCHEDULER_LEASE = rights(READ + " update patch", "coordination.k8s.io", "leases", OWN, "quorate-scheduler")

CONTROLLER = Rights(_BOTH_HAVE + _CONTROLLER_ONLY, _NOBODY + _SCHEDULER_ONLY + _SCHEDULER_LEASE)
SCHEDULER = Rights(_BOTH_HAVE + _SCHEDULER_ONLY + _SCHEDULER_LEASE, _NOBODY + _CONTROLLER_ONLY)
# One process has one lease.
BOTH = Rights(_BOTH_HAVE + _CONTROLLER_ONLY + _SCHEDULER_ONLY, _NOBODY + _SCHEDULER_LEASE)

# (user, right, whether the user has it): ursula is a batch user in namespace team, adam a batch admin.
PEOPLE = [
    ("ursula", Right("create", "batch", "jobs", "team"), True),
    ("ursula", Right("delete", "ray.io", "rayjobs", "team"), True),
    ("ursula", Right("list", KUEUE, "localqueues", "team"), True),
    ("ursula", Right("get", KUEUE, "workloads/status", "team"), True),
    ("ursula", Right("get", "visibility.kueue.x-k8s.io", "localqueues/pendingworkloads", "team"), True),
    ("ursula", Right("create", "batch", "jobs", "default"), False),
    ("ursula", Right("update", KUEUE, "workloads", "team"), False),
    ("ursula", Right("create", KUEUE, "localqueues", "team"), False),
    ("ursula", Right("get", "ray.io", "rayclusters/status", "team"), True),
    ("ursula", Right("get", KUEUE, "clusterqueues"), False),
    ("adam", Right("create", KUEUE, "clusterqueues"), True),
    ("adam", Right("patch", KUEUE, "topologies"), True),
    ("adam", Right("update", KUEUE, "workloads", "team"), True),
    ("adam", Right("get", "visibility.kueue.x-k8s.io", "clusterqueues/pendingworkloads"), True),
    ("adam", Right("update", KUEUE, "clusterqueues/status"), False),
    ("adam", Right("get", "", "secrets", "team"), False),
]


def may(cluster, right, user=None):
    """Whether the client itself, or another user, has a right, as the API server's authorizer sees it."""
    resource, _, subresource = right.resource.partition("/")
    attributes = {
        "verb": right.verb,
        "group": right.group,
        "resource": resource,
        "subresource": subresource,
        "namespace": right.namespace,
        "name": right.name,
    }
    kind = "SubjectAccessReview" if user else "SelfSubjectAccessReview"
    review = {"apiVersion": "authorization.k8s.io/v1", "kind": kind, "spec": {"resourceAttributes": attributes}}
    if user:
        review["spec"]["user"] = user
    path = f"/apis/authorization.k8s.io/v1/{kind.lower()}s"
    return cluster.request("POST", path, review)["status"]["allowed"]


def check(test, cluster, account, expected):
    """All allowed rights are there and none of the denied ones."""
    for wanted, rights_of in ((True, expected.allowed), (False, expected.denied)):
        for right in rights_of:
            with test.subTest(account=account, right=right):
                test.assertEqual(may(cluster, right), wanted)


def names_of(role, resource):
    """The resourceNames to which a role limits a resource."""
    return {name for rule in role["rules"] if resource in rule["resources"] for name in rule.get("resourceNames", [])}
