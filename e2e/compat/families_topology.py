"""Families about placement in topologies."""

import objects as o
from cluster import CPU, PRIORITIES, Cluster
from families_preemption import BOTH

LEVELS = [["rack", o.HOST], ["block", "rack", o.HOST], [o.HOST], ["block", "rack"]]


class Racks:
    """Nodes of one topology, and who uses them."""

    def __init__(self, dice, cluster, name="topo", flavor="tas", levels=None, most_nodes=8, prefix=""):
        self.dice, self.cluster, self.flavor = dice, cluster, flavor
        self.levels = levels or dice.pick(LEVELS)
        self.nodes = []  # [name, labels, how many pods of one cpu it has room for]
        cluster.extra.append(o.topology(name, self.levels))
        cluster.flavors[flavor] = {"labels": {"pool": flavor}, "topology": name}
        for i in range(dice.between(2, most_nodes)):
            node = f"{prefix}n{i}"
            labels = {"pool": flavor, "block": f"{prefix}b{dice.between(0, 1)}"}
            labels["rack"] = f"{labels['block']}r{dice.between(0, 1)}"
            cpu = dice.between(1, 6)
            taints = [o.taint("busy", "y", dice.pick(["NoSchedule", "PreferNoSchedule"]))] if dice.chance(12) else None
            if dice.chance(20):
                labels["disk"] = dice.pick(["ssd", "hdd"])
            pods = dice.pick([20, 20, 20, 2])
            cluster.extra.append(
                o.node(
                    node,
                    labels,
                    {CPU: cpu, "pods": pods},
                    ready=not dice.chance(5),
                    taints=taints,
                    unschedulable=dice.chance(4),
                )
            )
            daemon = dice.chance(12)
            if daemon:
                cluster.extra.append(o.pod(f"daemon-{node}", node, {CPU: "500m"}))
            self.nodes.append([node, labels, min(cpu, pods) - daemon])

    def values(self, node):
        name, labels, _ = node
        if self.levels[-1] == o.HOST:
            return [name]
        return [labels[level] for level in self.levels]

    def request(self, slices=True):
        """A topologyRequest, or None."""
        dice = self.dice
        kind = dice.pick(["required", "required", "preferred", "preferred", "unconstrained", None])
        request = {}
        if kind == "unconstrained":
            request[kind] = True
        elif kind:
            request[kind] = dice.pick(self.levels)
        if slices and dice.chance(30):
            at = self.levels.index(request.get("required") or request.get("preferred") or self.levels[0])
            request["podSetSliceRequiredTopology"] = dice.pick(self.levels[at:])
            request["podSetSliceSize"] = dice.between(1, 3)
        return request or None

    def run(self, queue, most=3):
        """A workload that holds places on one or two nodes."""
        dice, c = self.dice, self.cluster
        free = [node for node in self.nodes if node[2] > 0]
        if not free:
            return
        chosen = {}
        for node in dice.some(free, 1, 2):
            pods = dice.between(1, min(node[2], most))
            node[2] -= pods
            values = tuple(self.values(node))
            chosen[values] = chosen.get(values, 0) + pods
        total = sum(chosen.values())
        levels = self.levels[-1:] if self.levels[-1] == o.HOST else self.levels
        name = f"r{c.workloads}"
        c.workloads += 1
        wl = o.workload(
            name,
            queue,
            [o.pod_set("main", total, {CPU: "1"}, request={"unconstrained": True})],
            dice.pick(PRIORITIES),
            -900,
        )
        placement = (levels, sorted((list(values), pods) for values, pods in chosen.items()))
        o.reserve(wl, queue, [o.assignment("main", total, {CPU: self.flavor}, {CPU: total}, placement)], next(c.times))
        c.objects.append(wl)


def pod_set(dice, racks, name="main", most=8, slices=True):
    request = racks.request(slices)
    count = dice.between(1, most)
    if request and "podSetSliceSize" in request:
        count = request["podSetSliceSize"] * dice.between(1, 4)
    spec = {}
    if dice.chance(15):
        spec["tolerations"] = [o.toleration("busy")]
    if dice.chance(12):
        spec["nodeSelector"] = {"disk": dice.pick(["ssd", "hdd"])}
    return o.pod_set(name, count, {CPU: dice.pick(["1", "1", "1", "2", "500m"])}, request=request, **spec)


def placement(dice):
    """One queue with plenty of quota: where pods land."""
    c = Cluster(dice)
    racks = Racks(dice, c)
    c.objects += [o.cluster_queue("q", [[("tas", {CPU: "100"})]]), o.local_queue("q")]
    c.moments(20)
    for _ in range(dice.between(0, 3)):
        racks.run("q")
    for _ in range(dice.between(1, 3)):
        pod_sets = [pod_set(dice, racks)]
        if dice.chance(25):
            pod_sets.append(pod_set(dice, racks, "side", 3))
        c.add_pending("q", pod_sets)
    return c.scenario(cycles=3, gates={"TASProfileMixed": not dice.chance(15)})


def leaders(dice):
    """Pod set groups: a leader and its workers."""
    c = Cluster(dice)
    racks = Racks(dice, c, levels=dice.pick(LEVELS[:3]))
    c.objects += [o.cluster_queue("q", [[("tas", {CPU: "100"})]]), o.local_queue("q")]
    c.moments(20)
    for _ in range(dice.between(0, 2)):
        racks.run("q")
    for _ in range(dice.between(1, 2)):
        workers = pod_set(dice, racks, "workers", 8)
        request = workers.get("topologyRequest") or {"required": racks.levels[0]}
        if not {"required", "preferred", "unconstrained"} & set(request):
            request["preferred"] = racks.levels[0]
        request["podSetGroupName"] = "g"
        workers["topologyRequest"] = request
        mine = {k: v for k, v in request.items() if not k.startswith("podSetSlice")}
        leader = o.pod_set("leader", 1, {CPU: dice.pick(["1", "1", "500m", "2"])}, request=mine)
        c.add_pending("q", dice.shuffled([leader, workers]))
    return c.scenario(cycles=2)


def layers(dice):
    """Slices within slices."""
    c = Cluster(dice)
    racks = Racks(dice, c, levels=LEVELS[1], most_nodes=10)
    c.objects += [o.cluster_queue("q", [[("tas", {CPU: "100"})]]), o.local_queue("q")]
    c.moments(20)
    for _ in range(dice.between(0, 2)):
        racks.run("q")
    for _ in range(dice.between(1, 2)):
        inner, factor = dice.between(1, 2), dice.between(1, 3)
        levels = dice.some(racks.levels, 2, 2)
        sizes = [inner * factor, inner]
        if dice.chance(40):
            levels, sizes = racks.levels, [inner * factor * 2, inner * factor, inner]
        request = {"podsetSliceRequiredTopologyConstraints": [{"topology": level, "size": size} for level, size in zip(levels, sizes)]}
        kind = dice.pick(["required", "preferred", None])
        if kind:
            request[kind] = levels[0]
        count = sizes[0] * dice.between(1, 3)
        c.add_pending("q", [o.pod_set("main", count, {CPU: "1"}, request=request)])
    return c.scenario(cycles=2, gates={"TASMultiLayerTopology": True})


def contention(dice):
    """Queues of a cohort compete for nodes: priorities, preemption, quota that runs out."""
    c = Cluster(dice)
    racks = Racks(dice, c, most_nodes=6)
    if dice.chance(70):
        c.cohorts.append(("k0", None))
    queues = "abc"[: dice.between(1, 3)]
    for queue in queues:
        c.add_queue(
            queue,
            [(["tas"], [CPU])],
            most=14,
            limited=dice.chance(20),
            within=dice.pick(["Never", "LowerPriority", "LowerOrNewerEqualPriority"]),
            reclaim=dice.pick(["Never", "LowerPriority", "Any"]),
        )
    c.moments(40)
    for queue in queues:
        for _ in range(dice.between(0, 4)):
            racks.run(queue)
    for queue in queues:
        for _ in range(dice.between(0, 2)):
            c.add_pending(queue, [pod_set(dice, racks, most=5, slices=dice.chance(30))], [0, 1, 2, 3])
    return c.scenario(cycles=dice.between(1, 3), fair=dice.maybe(25, lambda: BOTH))


def mixture(dice):
    """Topology flavors next to plain ones, and two topologies in one queue."""
    c = Cluster(dice)
    first = Racks(dice, c, most_nodes=4)
    names = ["tas"]
    if dice.chance(60):
        Racks(dice, c, "other", "tas2", most_nodes=4, prefix="o")
        names.append("tas2")
    if dice.chance(60):
        c.flavors["plain"] = {"labels": {"pool": "plain"}}
        names.append("plain")
    shape = [(dice.shuffled(names), [CPU])]
    queues = "ab"[: dice.between(1, 2)]
    for queue in queues:
        c.add_queue(queue, shape, most=10, limited=False, within=dice.pick(["Never", "LowerPriority"]),
                    can_preempt=dice.pick(["MayStopSearch", "TryNextFlavor"]))
    c.moments(40)
    for _ in range(dice.between(0, 2)):
        first.run(dice.pick(queues), 2)
    for queue in queues:
        for _ in range(dice.between(1, 2)):
            c.add_pending(queue, [pod_set(dice, first, slices=dice.chance(20))])
    return c.scenario(cycles=dice.between(1, 3))


FAMILIES = {f.__name__: f for f in [placement, leaders, layers, contention, mixture]}
