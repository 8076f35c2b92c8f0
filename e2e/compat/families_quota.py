"""Families about quota, flavors and queues, without preemption."""

import objects as o
from cluster import CPU, GPU, MEMORY, Cluster, amount

CPU_ONLY = [(["f"], [CPU])]


def cohorts(dice):
    """Cohort trees with own quota, borrowing and lending limits."""
    c = Cluster(dice)
    c.tree(5, 3)
    shape = dice.pick([CPU_ONLY, CPU_ONLY, [(["f"], [CPU, MEMORY])], [(["f", "g"], [CPU])]])
    c.add_cohorts(shape)
    queues = "abcdef"[: dice.between(2, 5)]
    for queue in queues:
        c.add_queue(queue, shape, strategy=dice.maybe(30, lambda: "StrictFIFO"))
    c.moments(40)
    for queue in queues:
        for _ in range(dice.between(0, 2)):
            c.add_running(queue, shape, 5)
    for queue in queues:
        for _ in range(dice.between(0, 3)):
            c.add_pending(queue, [o.pod_set("main", 1, c.requests(shape, 8, 85))])
    return c.scenario(cycles=dice.between(1, 5))


def flavors(dice):
    """Several flavors with taints, labels, selectors and affinity, and all fungibility policies."""
    c = Cluster(dice)
    c.tree(2, 2)
    names = ["f1", "f2", "f3", "f4"][: dice.between(2, 4)]
    # All flavors have the same label keys: see "flavor label keys" in docs/compatibility.md.
    keys = dice.some(["zone", "disk"], 0, 2)
    for name in names:
        fields = {}
        if keys:
            fields["labels"] = {key: dice.pick(["x", "y"]) for key in keys}
        if dice.chance(35):
            effect = dice.pick(["NoSchedule", "NoSchedule", "NoExecute", "PreferNoSchedule"])
            fields["taints"] = [o.taint("pool", dice.pick(["u", "v"]), effect)]
            if dice.chance(20):
                fields["tolerations"] = [o.toleration("pool")]
        c.flavors[name] = fields
    shape = [(names, dice.pick([[CPU], [CPU], [CPU, MEMORY]]))]
    c.add_cohorts(shape)
    queues = "abc"[: dice.between(1, 3)]
    for queue in queues:
        borrow, preempt = dice.pick(["MayStopSearch", "TryNextFlavor"]), dice.pick(["MayStopSearch", "TryNextFlavor"])
        both = borrow == preempt == "TryNextFlavor"
        c.add_queue(
            queue,
            shape,
            can_borrow=borrow,
            can_preempt=preempt,
            preference=dice.pick([None, "BorrowingOverPreemption"]) if both else None,
            within=dice.pick([None, "LowerPriority"]),
            reclaim=dice.pick([None, "Any", "LowerPriority"]),
            strategy=dice.maybe(25, lambda: "StrictFIFO"),
        )
    c.moments(40)
    for queue in queues:
        for _ in range(dice.between(0, 5)):
            c.add_running(queue, shape, 5)
        for _ in range(dice.between(1, 3)):
            c.add_pending(queue, [o.pod_set("main", dice.between(1, 2), c.requests(shape, 4, 85), **pod_choices(dice))])
    return c.scenario(cycles=dice.between(1, 5))


def pod_choices(dice):
    """Tolerations, node selector and required affinity of a pod template."""
    spec = {}
    if dice.chance(40):
        spec["tolerations"] = [dice.pick([o.toleration("pool"), o.toleration("pool", "u"), o.toleration("pool", "v", "NoSchedule"), o.toleration("other")])]
    if dice.chance(30):
        spec["nodeSelector"] = {dice.pick(["zone", "disk", "elsewhere"]): dice.pick(["x", "y"])}
    if dice.chance(25):
        terms = []
        for _ in range(dice.between(1, 2)):
            expressions = []
            for key in dice.some(["zone", "disk", "elsewhere"], 1, 2):
                operator = dice.pick(["In", "In", "NotIn", "Exists", "DoesNotExist"])
                expression = {"key": key, "operator": operator}
                if operator in ("In", "NotIn"):
                    expression["values"] = dice.some(["x", "y", "z"], 1, 2)
                expressions.append(expression)
            terms.append({"matchExpressions": expressions})
        spec["affinity"] = {
            "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
        }
    return spec


def groups(dice):
    """One to three resource groups, several pod sets, pods as a resource, undeclared resources."""
    c = Cluster(dice)
    c.tree(2, 2)
    shape = [(dice.pick([["x86"], ["x86", "arm"]]), [CPU] + dice.pick([[], [MEMORY], ["pods"]]))]
    if dice.chance(70):
        shape.append((dice.pick([["t4"], ["t4", "a100"]]), [GPU]))
    if dice.chance(30) and MEMORY not in shape[0][1]:
        shape.append((["mem"], [MEMORY]))
    c.add_cohorts(shape)
    queues = "abc"[: dice.between(1, 3)]
    for queue in queues:
        c.add_queue(queue, shape, can_borrow=dice.pick([None, "TryNextFlavor"]))
    c.moments(40)
    for queue in queues:
        for _ in range(dice.between(0, 2)):
            c.add_running(queue, shape, 4)
        for _ in range(dice.between(1, 3)):
            pod_sets = []
            for name in ["main", "side", "tail"][: dice.between(1, 3)]:
                requests = c.requests(shape, 3, 60)
                if dice.chance(10):
                    requests["example.com/undeclared"] = dice.pick(["0", "1"])
                pod_sets.append(o.pod_set(name, dice.between(1, 3), requests))
            c.add_pending(queue, pod_sets)
    return c.scenario(cycles=dice.between(1, 4))


def queues(dice):
    """Order, strategies, selectors, stopped queues, several LocalQueues, equal workloads."""
    c = Cluster(dice)
    c.tree(3, 2)
    c.add_cohorts(CPU_ONLY)
    c.extra.append(o.namespace("team", dice.pick([{"dept": "eng"}, {"dept": "ops"}, {}])))
    c.extra.append(o.namespace("other", {"dept": "eng"}))
    names = "abcd"[: dice.between(1, 4)]
    # Not together: see "equivalence classes" in docs/compatibility.md.
    classes = dice.chance(50)
    for queue in names:
        c.add_queue(
            queue,
            CPU_ONLY,
            strategy=dice.pick([None, "StrictFIFO", "BestEffortFIFO"]),
            selector=() if classes else dice.pick([(), (), {"dept": "eng"}, None]),
            stop=dice.pick([None, None, None, None, "None", "Hold"]),
        )
        if dice.chance(40):
            c.objects.append(o.local_queue(f"{queue}2", queue, "other", dice.pick([None, None, "Hold"])))
    two = {obj["metadata"]["name"] for obj in c.objects if obj["metadata"].get("namespace") == "other"}
    c.moments(60)
    for queue in names:
        for _ in range(dice.between(0, 2)):
            c.add_running(queue, CPU_ONLY, 3)
        for _ in range(dice.between(0, 5)):
            fields = {}
            target = queue
            if f"{queue}2" in two and dice.chance(40):
                target, fields = f"{queue}2", {"namespace": "other"}
            if dice.chance(30):
                fields["uid"] = f"{dice.pick('zyxwv')}{c.workloads}"
            wl = c.add_pending(target, [o.pod_set("main", 1, {CPU: dice.pick(["1", "2", "4", "6", "500m"])})], **fields)
            if dice.chance(15):
                wl["metadata"]["creationTimestamp"] = o.at(-300)
            if dice.chance(5):
                wl["spec"]["active"] = False
    return c.scenario(cycles=dice.between(1, 6), gates={"SchedulingEquivalenceHashing": classes})


def partial(dice):
    """Pod sets that may shrink to minCount, alone, with preemption, with several pod sets."""
    c = Cluster(dice)
    c.tree(2, 2)
    shape = dice.pick([CPU_ONLY, [(["f", "g"], [CPU])], [(["f"], [CPU, "pods"])], [(["f"], [CPU]), (["t4"], [GPU])]])
    c.add_cohorts(shape)
    names = "abc"[: dice.between(1, 3)]
    for queue in names:
        c.add_queue(
            queue,
            shape,
            most=12,
            within=dice.pick([None, "LowerPriority", "LowerOrNewerEqualPriority"]),
            reclaim=dice.pick([None, "Any", "LowerPriority"]),
        )
    c.moments(40)
    for queue in names:
        for _ in range(dice.between(0, 2)):
            c.add_running(queue, shape, 5)
        for _ in range(dice.between(1, 2)):
            pod_sets = []
            for name in ["main", "side"][: dice.between(1, 2)]:
                count = dice.between(1, 12)
                least = dice.between(1, count) if dice.chance(75) else None
                requests = {CPU: dice.pick(["1", "1", "2", "500m"])}
                if len(shape) > 1 and dice.chance(40):
                    requests[GPU] = "1"
                pod_sets.append(o.pod_set(name, count, requests, least))
            if sum("minCount" in ps for ps in pod_sets) > 1:
                del pod_sets[dice.between(0, 1)]["minCount"]  # only one pod set may have it
            wl = c.add_pending(queue, pod_sets)
            if dice.chance(15):
                ps = dice.pick(pod_sets)
                wl["status"] = {"reclaimablePods": [{"name": ps["name"], "count": dice.between(1, ps["count"])}]}
    return c.scenario(cycles=dice.between(1, 4))


def requests(dice):
    """From pod template to request: sidecars, init containers, overhead, limits, LimitRanges,
    excluded prefixes and transformations."""
    c = Cluster(dice)
    shape = [(["f"], [CPU, MEMORY]), (["t4"], [GPU])]
    config = {}
    if dice.chance(30):
        config["excludeResourcePrefixes"] = ["net.io/"]
    if dice.chance(40):
        outputs = dice.pick([{"credits": "3"}, {"credits": "2", MEMORY: "1Gi"}, {CPU: "500m"}, {}])
        config["transformations"] = [
            {"input": dice.pick([GPU, "example.com/mig"]), "strategy": dice.pick(["Retain", "Replace"]), "outputs": outputs}
        ]
        if "credits" in outputs:
            shape.append((["bank"], ["credits"]))
    c.add_queue("a", shape, most=12, limited=False)
    if dice.chance(30):
        item = {"type": dice.pick(["Container", "Pod"])}
        for key, value in [("default", "2"), ("defaultRequest", "500m"), ("max", "3"), ("min", "250m")]:
            if dice.chance(50) and not (item["type"] == "Pod" and key.startswith("default")):
                item[key] = {CPU: value}
        c.extra.append(
            {
                "apiVersion": "v1",
                "kind": "LimitRange",
                "metadata": {"name": "limits", "namespace": o.NAMESPACE},
                "spec": {"limits": [item]},
            }
        )
    c.extra.append(
        {
            "apiVersion": "node.k8s.io/v1",
            "kind": "RuntimeClass",
            "metadata": {"name": "heavy"},
            "handler": "heavy",
            "overhead": {"podFixed": {CPU: "250m"}},
        }
    )
    c.moments(10)
    for _ in range(dice.between(1, 3)):
        ps = o.pod_set("main", dice.between(1, 4), {})
        spec = ps["template"]["spec"]
        spec["containers"] = [container(dice, name) for name in ["c", "d"][: dice.between(1, 2)]]
        if dice.chance(40):
            spec["initContainers"] = [container(dice, name) for name in ["i", "s"][: dice.between(1, 2)]]
            if dice.chance(50):
                spec["initContainers"][0]["restartPolicy"] = "Always"
        if dice.chance(20):
            spec["runtimeClassName"] = dice.pick(["heavy", "missing"])
        elif dice.chance(20):
            spec["overhead"] = {CPU: "100m"}
        wl = c.add_pending("a", [ps])
        if dice.chance(20):
            wl["status"] = {"reclaimablePods": [{"name": "main", "count": dice.between(0, ps["count"])}]}
    return c.scenario(cycles=3, config={"resources": config} if config else None)


def container(dice, name):
    resources = {}
    requests = {}
    if dice.chance(80):
        requests[CPU] = dice.pick(["1", "250m", "100u", "1500m", "2"])
    if dice.chance(40):
        requests[MEMORY] = dice.pick(["1Gi", "500Mi", "1500m", "1G"])
    if dice.chance(25):
        requests[GPU] = "1"
    if dice.chance(15):
        requests["example.com/mig"] = "2"
    if dice.chance(10):
        requests["net.io/vf"] = "1"
    if requests:
        resources["requests"] = requests
    if dice.chance(30):
        resources["limits"] = {CPU: dice.pick(["1", "2", "4"])}
    return {"name": name, "image": "i", "resources": resources}


FAMILIES = {f.__name__: f for f in [cohorts, flavors, groups, queues, partial, requests]}
