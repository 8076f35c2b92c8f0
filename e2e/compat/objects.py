"""Short constructors for the Kubernetes objects that scenarios are made of."""

import datetime

NOW = datetime.datetime(2026, 1, 1, 12, 0, 0, tzinfo=datetime.timezone.utc)
NAMESPACE = "team"
HOST = "kubernetes.io/hostname"


def at(seconds):
    """The time `seconds` after NOW, as Kubernetes writes it."""
    return (NOW + datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def without_none(mapping):
    return {key: value for key, value in mapping.items() if value is not None}


def kueue(kind, name, spec, namespace=None, **meta):
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": kind,
        "metadata": without_none({"name": name, "namespace": namespace, **meta}),
        "spec": spec,
    }


def namespace(name, labels):
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def taint(key, value, effect):
    return {"key": key, "value": value, "effect": effect}


def toleration(key, value=None, effect=None):
    return without_none(
        {
            "key": key,
            "operator": "Exists" if value is None else "Equal",
            "value": value,
            "effect": effect,
        }
    )


def flavor(name, labels=None, taints=None, tolerations=None, topology=None):
    return kueue(
        "ResourceFlavor",
        name,
        without_none(
            {
                "nodeLabels": labels,
                "nodeTaints": taints,
                "tolerations": tolerations,
                "topologyName": topology,
            }
        ),
    )


def topology(name, levels):
    return kueue("Topology", name, {"levels": [{"nodeLabel": level} for level in levels]})


def groups(resource_groups):
    """[[(flavor, {resource: nominal or (nominal, borrowing, lending)})]] as resourceGroups."""
    result = []
    for group in resource_groups:
        covered = list(group[0][1])
        flavors = []
        for name, quotas in group:
            resources = []
            for resource in covered:
                quota = quotas[resource]
                nominal, borrowing, lending = quota if isinstance(quota, tuple) else (quota, None, None)
                resources.append(
                    without_none(
                        {
                            "name": resource,
                            "nominalQuota": str(nominal),
                            "borrowingLimit": None if borrowing is None else str(borrowing),
                            "lendingLimit": None if lending is None else str(lending),
                        }
                    )
                )
            flavors.append({"name": name, "resources": resources})
        result.append({"coveredResources": covered, "flavors": flavors})
    return result


def cluster_queue(
    name,
    resource_groups,
    cohort=None,
    strategy=None,
    within=None,
    reclaim=None,
    borrow=None,
    threshold=None,
    can_borrow=None,
    can_preempt=None,
    preference=None,
    weight=None,
    selector=(),
    stop=None,
):
    preemption = without_none(
        {
            "withinClusterQueue": within,
            "reclaimWithinCohort": reclaim,
            "borrowWithinCohort": None
            if borrow is None
            else without_none({"policy": borrow, "maxPriorityThreshold": threshold}),
        }
    )
    fungibility = without_none(
        {"whenCanBorrow": can_borrow, "whenCanPreempt": can_preempt, "preference": preference}
    )
    return kueue(
        "ClusterQueue",
        name,
        without_none(
            {
                "cohortName": cohort,
                "resourceGroups": groups(resource_groups),
                "queueingStrategy": strategy,
                "preemption": preemption or None,
                "flavorFungibility": fungibility or None,
                "fairSharing": None if weight is None else {"weight": str(weight)},
                # () matches every namespace, None matches none.
                "namespaceSelector": None
                if selector is None
                else ({"matchLabels": dict(selector)} if selector else {}),
                "stopPolicy": stop,
            }
        ),
    )


def cohort(name, parent=None, resource_groups=(), weight=None):
    return kueue(
        "Cohort",
        name,
        without_none(
            {
                "parentName": parent,
                "resourceGroups": groups(resource_groups) if resource_groups else None,
                "fairSharing": None if weight is None else {"weight": str(weight)},
            }
        ),
    )


def local_queue(name, cluster_queue_name=None, namespace=NAMESPACE, stop=None):
    return kueue(
        "LocalQueue",
        name,
        without_none({"clusterQueue": cluster_queue_name or name, "stopPolicy": stop}),
        namespace=namespace,
    )


def pod_set(name, count, requests, min_count=None, request=None, **spec):
    """One container with `requests`; `request` is the topologyRequest; `spec` goes to the pod."""
    container = {"name": "c", "image": "i", "resources": {}}
    if requests:
        container["resources"]["requests"] = {key: str(value) for key, value in requests.items()}
    return without_none(
        {
            "name": name,
            "count": count,
            "minCount": min_count,
            "template": {
                "spec": {"restartPolicy": "Never", "containers": [container], **spec}
            },
            "topologyRequest": request,
        }
    )


def workload(name, queue, pod_sets, priority=0, created=0, namespace=NAMESPACE, uid=None):
    return kueue(
        "Workload",
        name,
        {"queueName": queue, "priority": priority, "active": True, "podSets": pod_sets},
        namespace=namespace,
        uid=uid or name,
        creationTimestamp=at(created),
        generation=1,
    )


def condition(kind, status, reason, message, when):
    return {
        "type": kind,
        "status": status,
        "reason": reason,
        "message": message,
        "lastTransitionTime": at(when),
        "observedGeneration": 1,
    }


def assignment(name, count, flavors, usage, placement=None):
    """`placement`: (levels, [(values, pods)])."""
    result = {
        "name": name,
        "count": count,
        "flavors": flavors,
        "resourceUsage": {key: str(value) for key, value in usage.items()},
    }
    if placement is not None:
        levels, domains = placement
        result["topologyAssignment"] = {
            "levels": levels,
            "slices": [
                {
                    "domainCount": len(domains),
                    "valuesPerLevel": [
                        {"individual": {"roots": [values[i] for values, _ in domains]}}
                        for i in range(len(levels))
                    ],
                    "podCounts": {"individual": [pods for _, pods in domains]},
                }
            ],
        }
    return result


def reserve(wl, queue, assignments, when=-60, admitted=True):
    """Gives a workload its quota: the status that an admission would have left."""
    message = f"Quota reserved in ClusterQueue {queue}"
    wl["status"] = {
        "admission": {"clusterQueue": queue, "podSetAssignments": assignments},
        "conditions": [condition("QuotaReserved", "True", "QuotaReserved", message, when)],
    }
    if admitted:
        wl["status"]["conditions"].append(
            condition("Admitted", "True", "Admitted", "The workload is admitted", when)
        )
    return wl


def evict(wl, when=-30, reason="Preempted"):
    """Marks a workload that still holds its quota as evicted."""
    wl["status"]["conditions"].append(condition("Evicted", "True", reason, "evicted", when))
    return wl


def node(name, labels, allocatable, ready=True, taints=None, unschedulable=False):
    spec = without_none({"taints": taints, "unschedulable": True if unschedulable else None})
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {HOST: name, **labels}},
        "spec": spec,
        "status": {
            "allocatable": {key: str(value) for key, value in allocatable.items()},
            "conditions": [
                {"type": "Ready", "status": "True" if ready else "False", "reason": "x", "message": "x"}
            ],
        },
    }


def pod(name, node_name, requests, namespace=NAMESPACE):
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "uid": name},
        "spec": {
            "nodeName": node_name,
            "containers": [
                {
                    "name": "c",
                    "image": "i",
                    "resources": {"requests": {key: str(value) for key, value in requests.items()}},
                }
            ],
        },
        "status": {"phase": "Running"},
    }


def scenario(name, objects, cycles=1, finish=True, gates=None, fair=None, config=None):
    """One line of a scenario file: what `--config FILE`, the flags and the objects would be.

    `fair`: None, or the list of preemption strategies of fair sharing."""
    args = [f"--now={at(0)}", f"--cycles={cycles}", f"--finish-evictions={'true' if finish else 'false'}"]
    if gates:
        args.append("--feature-gates=" + ",".join(f"{k}={'true' if v else 'false'}" for k, v in sorted(gates.items())))
    result = {"name": name, "args": args, "objects": objects}
    if fair is not None or config:
        result["config"] = {
            "apiVersion": "config.kueue.x-k8s.io/v1beta2",
            "kind": "Configuration",
            **({"fairSharing": {"preemptionStrategies": fair}} if fair is not None else {}),
            **(config or {}),
        }
    return result
