"""Simulated nodes: Node objects whose kubelet kwok plays."""

import concurrent.futures
import dataclasses

from . import programs
from .cluster import Cluster, has_condition, wait_for

SIMULATED = "quorate.dev/simulated"  # kwok manages the nodes that carry it with the value "true"
LOST = "quorate.dev/lost"  # an annotation: see controlplane/stages.yaml
RACK = "example.com/rack"
BLOCK = "example.com/block"


@dataclasses.dataclass
class Spec:
    """A row of equal nodes, named PREFIX-0 and on, in racks and blocks of a fixed size."""

    count: int = 1
    prefix: str = "node"
    first: int = 0  # the number of the first one
    gpus: int = 8
    cpu: str = "96"
    memory: str = "1Ti"
    pods: int = 110
    rack_size: int = 0  # nodes in a rack; 0: no rack label
    block_size: int = 0  # racks in a block; 0: no block label
    labels: dict = dataclasses.field(default_factory=dict)
    taints: list = dataclasses.field(default_factory=list)  # as in Node's spec.taints
    resources: dict = dataclasses.field(default_factory=dict)  # further capacity, by name


def manifest(spec: Spec, number: int) -> dict:
    """The Node object of number `number` of a row."""
    name = f"{spec.prefix}-{number}"
    labels = {
        SIMULATED: "true",
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
    }
    if spec.rack_size:
        rack = number // spec.rack_size
        labels[RACK] = f"rack-{rack}"
        if spec.block_size:
            labels[BLOCK] = f"block-{rack // spec.block_size}"
    labels.update(spec.labels)
    capacity = {"cpu": spec.cpu, "memory": spec.memory, "pods": str(spec.pods)}
    if spec.gpus:
        capacity["nvidia.com/gpu"] = str(spec.gpus)
    capacity.update(spec.resources)
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": {"taints": spec.taints} if spec.taints else {},
        "status": {
            "capacity": capacity,
            "allocatable": capacity,
            "nodeInfo": node_info(),
            # Ready from the first moment, to save one write for each of thousands.
            "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "simulated"}],
        },
    }


def node_info() -> dict:
    """What a kubelet of the control plane's own version would say of itself."""
    unknown = ("machineID", "systemUUID", "bootID", "kernelVersion", "osImage", "kubeProxyVersion")
    return {
        **dict.fromkeys(unknown, ""),
        "kubeletVersion": programs.module_version("kubernetes"),
        "containerRuntimeVersion": "simulated",
        "operatingSystem": "linux",
        "architecture": "amd64",
    }


def create(cluster: Cluster, spec: Spec, timeout=120) -> list:
    """Creates the nodes and waits until pods can be placed on them; returns their names."""
    wanted = [manifest(spec, number) for number in range(spec.first, spec.first + spec.count)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(cluster.create, wanted))
    names = {node["metadata"]["name"] for node in wanted}

    def ready():
        nodes = cluster.list("v1", "Node", labels=f"{SIMULATED}=true")
        return names <= {node["metadata"]["name"] for node in nodes if is_ready(node)}

    # Each look reads all nodes: the more there are, the rarer.
    interval = 0.1 + spec.count / 500
    wait_for(ready, timeout, f"{spec.count} nodes {spec.prefix}-* ready", interval)
    return sorted(names)


def is_ready(node) -> bool:
    """Ready, and no longer tainted as not ready or unreachable."""
    taints = node["spec"].get("taints") or []
    return has_condition(node, "Ready") and not any(
        taint["key"].startswith("node.kubernetes.io/") and taint["key"] != "node.kubernetes.io/unschedulable"
        for taint in taints
    )


def lose(cluster: Cluster, name, timeout=30):
    """The node's kubelet falls silent: it becomes not ready and gets the taints that follow."""
    _set_lost(cluster, name, "true", timeout)


def recover(cluster: Cluster, name, timeout=30):
    """The opposite of lose."""
    _set_lost(cluster, name, None, timeout)


def _set_lost(cluster, name, value, timeout):
    cluster.patch("v1", "Node", name, {"metadata": {"annotations": {LOST: value}}})
    state = "lost" if value else "ready"
    cluster.wait("v1", "Node", name, lambda node: is_ready(node) == (value is None), None, timeout, state)


def delete(cluster: Cluster, selector="") -> int:
    """Deletes the simulated nodes with these labels (default: all) and returns how many."""
    labels = ",".join(filter(None, [f"{SIMULATED}=true", selector]))
    names = [node["metadata"]["name"] for node in cluster.list("v1", "Node", labels=labels)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: cluster.delete("v1", "Node", name), names))
    return len(names)


def add_arguments(parser, prefix="", count_flag="--count"):
    """The command line's way to say a Spec; `prefix` goes before each flag's name."""
    parser.add_argument(count_flag, dest="count", type=int, default=0, help="how many simulated nodes to create")
    parser.add_argument(f"--{prefix}prefix", dest="prefix", default="node", help="their names are PREFIX-0 and on")
    parser.add_argument(f"--{prefix}first", dest="first", type=int, default=0, help="the first one's number")
    parser.add_argument(f"--{prefix}gpus", dest="gpus", type=int, default=8, help="nvidia.com/gpu of each")
    parser.add_argument(f"--{prefix}cpu", dest="cpu", default="96")
    parser.add_argument(f"--{prefix}memory", dest="memory", default="1Ti")
    parser.add_argument(f"--{prefix}pods", dest="pods", type=int, default=110)
    parser.add_argument(
        f"--{prefix}rack-size", dest="rack_size", type=int, default=0, help=f"nodes in a rack (label {RACK})"
    )
    parser.add_argument(
        f"--{prefix}block-size", dest="block_size", type=int, default=0, help=f"racks in a block (label {BLOCK})"
    )
    parser.add_argument(f"--{prefix}label", dest="labels", action="append", default=[], metavar="KEY=VALUE")


def from_arguments(arguments) -> Spec:
    labels = dict(label.split("=", 1) for label in arguments.labels)
    names = ("count", "prefix", "first", "gpus", "cpu", "memory", "pods", "rack_size", "block_size")
    return Spec(labels=labels, **{name: getattr(arguments, name) for name in names})
