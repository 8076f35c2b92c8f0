"""Families about victims: classic preemption and fair sharing."""

import objects as o
from cluster import CPU, MEMORY, Cluster

CPU_ONLY = [(["f"], [CPU])]
SHAPES = [CPU_ONLY, CPU_ONLY, [(["f"], [CPU, MEMORY])], [(["f", "g"], [CPU])]]
WITHIN = ["Never", "LowerPriority", "LowerPriority", "LowerOrNewerEqualPriority", "LowerOrNewerEqualPriority"]
RECLAIM = ["Never", "LowerPriority", "LowerPriority", "Any", "Any", "Any"]
LOW, HIGH = [-1, 0, 0, 0, 1], [0, 0, 1, 1, 2, 3]
BOTH = ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]
STRATEGIES = [BOTH, BOTH, BOTH[:1], BOTH[1:]]


def policies(dice):
    chosen = {"within": dice.pick(WITHIN), "reclaim": dice.pick(RECLAIM)}
    if chosen["reclaim"] != "Never" and dice.chance(35):
        chosen["borrow"] = "LowerPriority"
        if dice.chance(60):
            chosen["threshold"] = dice.between(-1, 2)
    if dice.chance(30):
        chosen["can_preempt"] = dice.pick(["MayStopSearch", "TryNextFlavor"])
    if dice.chance(30):
        chosen["can_borrow"] = dice.pick(["MayStopSearch", "TryNextFlavor"])
    return chosen


def fill(c, dice, shape, queues, running, pending, evicted=0):
    """Running workloads of the given number per queue, and one or more heads."""
    c.moments(100)
    for queue in queues:
        # Some queues are idle and others hold more than is theirs: that is what reclaiming is about.
        for _ in range(0 if dice.chance(25) else dice.between(*running)):
            c.add_running(queue, shape, 4, LOW, evicted)
    for queue in queues:
        for _ in range(dice.between(*pending)):
            c.add_pending(queue, [o.pod_set("main", 1, c.requests(shape, 6, 85))], HIGH)


def preempt(dice):
    """Every preemption policy in one cohort."""
    c = Cluster(dice)
    if dice.chance(85):
        c.cohorts.append(("k0", None))
    shape = dice.pick(SHAPES)
    queues = "abcd"[: dice.between(1, 4)]
    for queue in queues:
        c.add_queue(
            queue, shape, most=7, limited=dice.chance(40), strategy=dice.maybe(20, lambda: "StrictFIFO"), **policies(dice)
        )
    fill(c, dice, shape, queues, (1, 4), (0, 2), evicted=8)
    return c.scenario(cycles=dice.between(1, 4))


def hierarchy(dice):
    """Preemption over cohort trees of up to four levels, with advantage at any of them."""
    c = Cluster(dice)
    c.tree(6, 3)
    shape = dice.pick(SHAPES)
    c.add_cohorts(shape)
    queues = "abcdef"[: dice.between(2, 6)]
    for queue in queues:
        c.add_queue(queue, shape, most=6, limited=dice.chance(50), **policies(dice))
    fill(c, dice, shape, queues, (2, 5), (0, 2))
    return c.scenario(cycles=dice.between(1, 3))


def raw(dice):
    """One cycle with evictions left open, victims marked before, overlapping victims."""
    c = Cluster(dice)
    c.tree(2, 2)
    shape = dice.pick(SHAPES)
    c.add_cohorts(shape)
    queues = "abcd"[: dice.between(2, 4)]
    for queue in queues:
        c.add_queue(queue, shape, most=5, **policies(dice))
    fill(c, dice, shape, queues, (2, 5), (1, 1), evicted=10)
    return c.scenario(cycles=1, finish=False, fair=dice.maybe(30, lambda: dice.pick(STRATEGIES)))


def fair(dice):
    """Fair sharing in one cohort: weights, strategies, reclaim within nominal."""
    c = Cluster(dice)
    c.cohorts.append(("k0", None))
    shape = dice.pick(SHAPES)
    queues = "abcd"[: dice.between(2, 4)]
    for queue in queues:
        chosen = policies(dice)
        chosen["weight"] = dice.pick([None, None, "1", "2", "0", "500m", "3"])
        c.add_queue(queue, shape, most=5, limited=dice.chance(30), in_cohort=100, **chosen)
    fill(c, dice, shape, queues, (1, 6), (0, 2))
    return c.scenario(cycles=dice.between(1, 4), fair=dice.pick(STRATEGIES))


def fairtree(dice):
    """Fair sharing over cohort trees with weights at every level."""
    c = Cluster(dice)
    c.tree(6, 3)
    shape = dice.pick(SHAPES)
    c.add_cohorts(shape, weights=[None, "1", "2", "0", "3"])
    queues = "abcdef"[: dice.between(2, 6)]
    for queue in queues:
        chosen = policies(dice)
        chosen["weight"] = dice.pick([None, None, "1", "2", "0"])
        c.add_queue(queue, shape, most=4, limited=dice.chance(30), in_cohort=100, **chosen)
    fill(c, dice, shape, queues, (1, 5), (0, 2))
    return c.scenario(cycles=dice.between(1, 4), fair=dice.pick(STRATEGIES))


FAMILIES = {f.__name__: f for f in [preempt, hierarchy, raw, fair, fairtree]}
