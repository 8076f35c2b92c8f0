"""What two answers have in common, and where they differ.

Every normalisation is a named function in NORMALISATIONS with its reason; docs/compatibility.md
tells them in prose. Nothing else is forgiven."""

import fractions
import re

SUFFIXES = {
    "n": fractions.Fraction(1, 10**9), "u": fractions.Fraction(1, 10**6), "m": fractions.Fraction(1, 1000), "": 1,
    "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18,
    "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50, "Ei": 2**60,
}  # fmt: skip


def quantity(text):
    """A Kubernetes quantity as a number, so that 1000m and 1 are equal."""
    number, suffix = re.fullmatch(r"([-+.\deE]*?\d\.?)([A-Za-z]*)", text).groups()
    return str(fractions.Fraction(number) * SUFFIXES[suffix])


def amounts(mapping):
    """{resource: quantity} without zeros: absent and 0 mean the same."""
    numbers = {key: quantity(value) for key, value in (mapping or {}).items()}
    return {key: value for key, value in numbers.items() if value != "0"}


def pod_set(given):
    topology = given.get("topology")
    return {
        "name": given["name"],
        "count": given["count"],
        "flavors": given.get("flavors") or {},
        "usage": amounts(given.get("usage")),
        "topology": topology and {"levels": topology["levels"], "domains": topology["domains"]},
    }


def admitted(given):
    return {
        "workload": given["workload"],
        "clusterQueue": given["clusterQueue"],
        "admitted": given["admitted"],
        "podSets": [pod_set(ps) for ps in given["podSets"]],
    }


def plain(answer):
    """The fields that are compared, in one form: decisions per cycle, and the final state."""
    cycles = []
    for cycle in answer["cycles"]:
        pending = {}
        for entry in cycle["pending"]:
            told = {"where": entry.get("where")}
            if entry.get("evaluated", True):
                told["reason"] = entry.get("reason", "")
                told["messages"] = entry.get("messages") or [entry.get("message", "")]
            pending[entry["workload"]] = told
        cycles.append(
            {
                "admitted": sorted((admitted(entry) for entry in cycle["admitted"]), key=lambda e: e["workload"]),
                "preempted": sorted(
                    [entry["workload"], entry.get("preemptor", ""), entry["reason"]] for entry in cycle["preempted"]
                ),
                "pending": pending,
            }
        )
    final = answer.get("final", {})
    usage = {
        queue: {flavor: held for flavor, held in ((f, amounts(r)) for f, r in flavors.items()) if held}
        for queue, flavors in final.get("usage", {}).items()
    }
    queues = {
        queue: {"active": sorted(b.get("active") or []), "inadmissible": sorted(b.get("inadmissible") or [])}
        for queue, b in final.get("queues", {}).items()
    }
    return {"cycles": cycles, "usage": usage, "queues": queues}


def idle_cycles(reference, ours):
    """Kueue blocks when no queue has a head; a cycle in which nothing is looked at does not exist
    there, while a simulator told to run N cycles may print it empty."""
    while len(ours["cycles"]) > len(reference["cycles"]):
        last = ours["cycles"][-1]
        if last["admitted"] or last["preempted"]:
            break
        ours["cycles"].pop()


def unlooked_pending(reference, ours):
    """Which workloads are listed besides those that a cycle looked at is a matter of presentation:
    the reason and the message of a workload that no cycle of this answer evaluated come from
    controllers that are not part of the scheduler."""
    for theirs, mine in zip(reference["cycles"], ours["cycles"]):
        for name in list(mine["pending"]):
            told = theirs["pending"].get(name)
            if told is None:
                del mine["pending"][name]
            elif "reason" not in told:
                mine["pending"][name] = {"where": mine["pending"][name]["where"]}
        for name, told in theirs["pending"].items():
            if "reason" not in told and name not in mine["pending"]:
                mine["pending"][name] = told


def message_order(reference, ours):
    """v0.17.0 runs through the resources of a request in random order and stops at the first that
    cannot be had; later versions have an order and tell all. A message of ours agrees if it holds
    everything that one of Kueue's messages says, and nothing that none of them says."""
    for theirs, mine in zip(reference["cycles"], ours["cycles"]):
        for name, told in theirs["pending"].items():
            if name not in mine["pending"] or "messages" not in told or "messages" not in mine["pending"][name]:
                continue
            message = mine["pending"][name]["messages"][0]
            parts = reasons(message)
            options = [reasons(other) for other in told["messages"]]
            if parts <= set().union(*options) and any(option <= parts for option in options):
                mine["pending"][name]["messages"] = told["messages"]


def reasons(message):
    """The single reasons of a message, each with its pod set. (Commas also stand inside of reasons.)"""
    parts, pod_set = set(), ""
    starts = "insufficient|untolerated|flavor |Flavor |resource |topology |could not"
    for piece in re.split(rf"; |, (?=(?:{starts}))|(?<=\.) (?=Pending the)", message):
        found = re.fullmatch(r"(couldn't assign flavors to pod set [^:]+): (.*)", piece, re.S)
        if found:
            pod_set, piece = found.groups()
        parts.add((pod_set, piece))
    return parts


def failing_pod_set(reference, ours):
    """The pod sets of a group find places together or not at all; which of the two a message names is
    left to chance by v0.17.0. Only such groups have pod sets of these names (families_topology.py)."""
    swapped = {"leader": "workers", "workers": "leader"}
    for theirs, mine in zip(reference["cycles"], ours["cycles"]):
        for name, told in theirs["pending"].items():
            said = mine["pending"].get(name, {}).get("messages", [""])[0]
            other = re.sub(r"(?<=to pod set )(leader|workers)(?=: )", lambda found: swapped[found.group()], said)
            if other in told.get("messages", ()):
                mine["pending"][name]["messages"] = told["messages"]


def negative_capacity(reference, ours):
    """v0.17.0 counts below zero where more is used than there is, and then says how many fit; later
    versions say that nothing fits, and which nodes were left out."""
    for theirs, mine in zip(reference["cycles"], ours["cycles"]):
        for name, told in theirs["pending"].items():
            said = mine["pending"].get(name, {}).get("messages", [""])[0]
            for message in told.get("messages", ()):
                start, found, rest = message.partition(" allows to fit only -")
                if found and said.startswith(start + " doesn't allow to fit any of " + rest.split("out of ")[1].split(".")[0]):
                    mine["pending"][name]["messages"] = told["messages"]


# What later versions say about a waiting workload, by what the message holds. v0.17.0 only says Pending.
REASONS = [
    ("Pending the preemption of ", "WaitingForPreemptedWorkloads"),
    ("overlapping preemption targets", "WaitingForQuota"),
    ("no longer fits after processing another", "WaitingForQuota"),
    ("namespace doesn't match ClusterQueue selector", "Misconfigured"),
    ("resources validation failed", "Misconfigured"),
    ("resources didn't satisfy LimitRange constraints", "Misconfigured"),
    ("insufficient quota for ", "ExceedsMaxQuota"),
    ("insufficient unused quota for ", "WaitingForQuota"),
    ("allow to fit", "TopologyPlacementFailed"),
    ("allows to fit", "TopologyPlacementFailed"),
    ("no topology domains at level", "TopologyPlacementFailed"),
    ("untolerated taint", "NoMatchingFlavor"),
    ("doesn't match node affinity", "NoMatchingFlavor"),
    ("unavailable in ClusterQueue", "NoMatchingFlavor"),
    ("TopologyAwareScheduling", "NoMatchingFlavor"),
    ("does not contain the requested level", "NoMatchingFlavor"),
]


SEVERITY = ["NoMatchingFlavor", "ExceedsMaxQuota", "WaitingForQuota", "TopologyPlacementFailed"]


def reason_of_waiting(reference, ours):
    """v0.17.0 gives all waiting workloads the reason Pending. Ours must be one that the message
    explains, or a graver one: of several resource groups only the last one searched is told. A workload
    for which preemption found no victims waits for quota whatever else is said."""
    for theirs, mine in zip(reference["cycles"], ours["cycles"]):
        for name, told in theirs["pending"].items():
            given = mine["pending"].get(name, {})
            if told.get("reason") != "Pending" or "reason" not in given:
                continue
            explained = [reason for part, reason in REASONS if part in given["messages"][0]]
            if explained[:1] in (["WaitingForPreemptedWorkloads"], ["Misconfigured"]):
                explained = explained[:1]
            elif any("quota" in message or "fit" in message for message in told["messages"]):
                explained.append("WaitingForQuota")
            if "insufficient unused quota" in given["messages"][0]:
                explained.append("TopologyPlacementFailed")  # which the message leaves out beside the quota
            mildest = max((SEVERITY.index(reason) for reason in explained if reason in SEVERITY), default=-1)
            if given["reason"] in explained + SEVERITY[: mildest + 1]:
                given["reason"] = "Pending"


def later_texts(reference, ours):
    """Texts that later versions spell differently."""
    for cycle in ours["cycles"]:
        for told in cycle["pending"].values():
            if "messages" in told:
                told["messages"] = [
                    message.replace("workload namespace doesn't match", "Workload namespace doesn't match")
                    for message in told["messages"]
                ]


NORMALISATIONS = [later_texts, reason_of_waiting, idle_cycles, unlooked_pending, failing_pod_set, negative_capacity, message_order]


def usable(result):
    """The answers of Kueue that say something: none if it crashed, or if it admitted pods of a
    topology flavor without giving them places (docs/compatibility.md, "leader without a place")."""
    return [] if any(map(placeless, result.get("answers", ()))) else result.get("answers", [])


def placeless(answer):
    return any(
        ps.get("topology") is not None and ps["count"] > 0 and not ps["topology"]["domains"]
        for cycle in answer["cycles"]
        for entry in cycle["admitted"]
        for ps in entry["podSets"]
    )


def differences(reference, ours):
    """Lines that say where `ours` differs from the answer `reference`; none if it agrees."""
    reference, ours = plain(reference), plain(ours)
    for normalise in NORMALISATIONS:
        normalise(reference, ours)
    lines = []
    if len(reference["cycles"]) != len(ours["cycles"]):
        lines.append(f"cycles: {len(reference['cycles'])} in Kueue, {len(ours['cycles'])} in Quorate")
    for number, (theirs, mine) in enumerate(zip(reference["cycles"], ours["cycles"]), 1):
        compare(f"cycle {number}", theirs, mine, lines)
    if not lines:
        compare("final", {k: reference[k] for k in ("usage", "queues")}, {k: ours[k] for k in ("usage", "queues")}, lines)
    return lines


def compare(path, theirs, mine, lines):
    if theirs == mine:
        return
    if isinstance(theirs, dict) and isinstance(mine, dict):
        for key in sorted(set(theirs) | set(mine)):
            compare(f"{path} {key}", theirs.get(key), mine.get(key), lines)
        return
    if isinstance(theirs, list) and isinstance(mine, list) and len(theirs) == len(mine):
        for index, (a, b) in enumerate(zip(theirs, mine)):
            compare(f"{path}[{index}]", a, b, lines)
        return
    lines.append(f"{path}: Kueue {theirs!r}, Quorate {mine!r}")


def closest(alternatives, ours):
    """The differences to the alternative that is nearest; Kueue leaves some orders open."""
    return min((differences(reference, ours) for reference in alternatives), key=len)
